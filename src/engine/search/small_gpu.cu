// The small distances of a band, in three steps.
//
//   1. mark    Each distance is read once. A bit says whether it is small and wanted, and each row
//              counts its bits.
//   2. scan    The sums of the counts before each row say where its distances will be.
//   3. emit    A warp goes through the bits of a row, and writes columns and distances there. Only
//              these distances are read again.
//
// The bits have a 32nd part of the memory of 32-bit distances. Where few distances are small, step
// 3 takes little time, and the whole is as fast as memory is read.
//
// A band may lie in either direction. Along the row of a source, the lanes of a warp have targets
// that are next to each other, and a ballot makes a word of bits. If the sources are next to each
// other in memory, as sweeps write them, each lane has a source and makes a word of its own from 32
// targets. A warp keeps 32 words of each lane in shared memory, and writes the 32 words of one row
// after the other, so that the bits lie along the rows in both cases:
//
//        target →                          source →
//      ┌──────────┐                      ┌──────────┐   a lane goes down, and the bits that it
//   s  │ →→→→→→→→ │ a warp goes along    │ ↓ ↓ ↓ ↓  │   finds are turned
//   ↓  └──────────┘                   t ↓└──────────┘
//
// A source is not among its own: its bit is cleared.
//
// The way to the host. What was found is copied in chunks to page-locked memory on a stream of its
// own. While a chunk comes, threads of the host move the one before into the rows. All that takes
// place while the GPU makes the next band: add() starts the work on a band before it brings what
// was found in the band before. If a band has more than may wait, it is emitted in pieces.
#include "search/small_gpu.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "base/size.h"
#include "base/thread_team.h"
#include "dense/workspace.h"
#include "device/cuda.h"
#include "device/cuda_memory.h"
#include "device/infinity.cuh"
#include "device/parcel.h"
#include "device/scan.cuh"
#include "device/stream.h"

namespace engine::search {

namespace {

using Word = std::uint32_t;             // bits of 32 targets that are next to each other
using Count = unsigned long long;       // as atomicAdd() takes it
constexpr int kWarps = 8;               // of a block
constexpr int kOfMultiprocessor = 128;  // sources: four for each lane of a warp

/// A warp marks a strip: 32 words.
int stripsOf(int words) {
  return ceilDiv(words, kWarp);
}

/// What the kernels know of a band and its rows.
template <class T>
struct Marks {
  const T* elements;
  std::size_t fromStep, toStep;
  int first;  ///< the vertex of element 0
  int n;      ///< targets
  T limit;
  int rows;
  const int* sources;  ///< (rows) vertices
  const Word* wanted;  ///< (words) of the targets
  const int* columns;  ///< (n) of the targets; null: their numbers
  int words;           ///< of a row
  Word* bits;          ///< (rows, words)
  Count* counts;       ///< (rows + 1) 0 at first; later where the rows begin

  __device__ const T* from(int source) const {
    return elements + asSize(source - first) * fromStep;
  }
  /// A word of marked distances, without those that are not wanted.
  __device__ Word clean(int word, int source, Word marked) const {
    if (word >= words) return 0;
    marked &= wanted[word];
    return source / kWarp == word ? marked & ~(Word{1} << source % kWarp) : marked;
  }
};

/// toStep is 1. A warp has a strip of a row.
template <class T>
__global__ void __launch_bounds__(kWarps* kWarp) markAlong(Marks<T> m) {
  const int lane = static_cast<int>(threadIdx.x), i = static_cast<int>(blockIdx.x);
  const int firstWord = static_cast<int>(blockIdx.y * kWarps + threadIdx.y) * kWarp;
  if (firstWord >= m.words) return;
  const int source = m.sources[i];
  const T* const row = m.from(source);
  Word mine = 0;
#pragma unroll 8
  for (int w = 0; w < kWarp; ++w) {
    const int target = (firstWord + w) * kWarp + lane;
    const T distance = target < m.n ? row[target] : infinityOnGpu<T>();
    const Word word = __ballot_sync(kAllLanes, distance <= m.limit);
    if (lane == w) mine = word;
  }
  mine = m.clean(firstWord + lane, source, mine);
  if (firstWord + lane < m.words) m.bits[asSize(i) * m.words + firstWord + lane] = mine;
  const int found = sumOfWarp(__popc(mine));
  if (lane == 0 && found > 0) atomicAdd(m.counts + i, static_cast<Count>(found));
}

/// A warp has a strip of 32 rows, and each lane one of them. The warps of a block read lines of
/// memory that are next to each other.
template <class T>
__global__ void __launch_bounds__(kWarps* kWarp) markAcross(Marks<T> m) {
  __shared__ Word tiles[kWarps][kWarp][kWarp + 1];
  auto& tile = tiles[threadIdx.y];
  const int lane = static_cast<int>(threadIdx.x);
  const int firstRow = static_cast<int>(blockIdx.x * kWarps + threadIdx.y) * kWarp;
  if (firstRow >= m.rows) return;
  const int i = firstRow + lane, firstWord = static_cast<int>(blockIdx.y) * kWarp;
  const int source = m.sources[min(i, m.rows - 1)];
  const T* const column = m.from(source);
  const int words = min(kWarp, m.words - firstWord);
  int found = 0;
  for (int w = 0; w < words; ++w) {
    const int first = (firstWord + w) * kWarp;
    Word word = 0;
#pragma unroll 16
    for (int bit = 0; bit < kWarp; ++bit) {
      const int target = first + bit;
      const T distance = target < m.n ? column[asSize(target) * m.toStep] : infinityOnGpu<T>();
      word |= static_cast<Word>(distance <= m.limit) << bit;
    }
    word = m.clean(firstWord + w, source, word);
    tile[lane][w] = word;
    found += __popc(word);
  }
  __syncwarp();  // the tile is full
  for (int r = 0; r < kWarp && firstRow + r < m.rows; ++r)
    if (lane < words) m.bits[asSize(firstRow + r) * m.words + firstWord + lane] = tile[r][lane];
  if (i < m.rows && found > 0) atomicAdd(m.counts + i, static_cast<Count>(found));
}

/// A warp has a row, of those from `begin` to before `end`.
template <class T>
__global__ void __launch_bounds__(kWarps* kWarp)
    emit(Marks<T> m, int begin, int end, int* __restrict__ columns, T* __restrict__ distances) {
  const int lane = static_cast<int>(threadIdx.x);
  const int i = begin + static_cast<int>(blockIdx.x * kWarps + threadIdx.y);
  if (i >= end) return;
  const T* const from = m.from(m.sources[i]);
  const Word* const bits = m.bits + asSize(i) * m.words;
  Count at = m.counts[i] - m.counts[begin];
  for (int first = 0; first < m.words; first += kWarp) {
    const Word mine = first + lane < m.words ? bits[first + lane] : 0;
    for (unsigned nonzero = __ballot_sync(kAllLanes, mine != 0); nonzero != 0;
         nonzero &= nonzero - 1) {
      const int w = __ffs(static_cast<int>(nonzero)) - 1;
      const Word word = __shfl_sync(kAllLanes, mine, w);
      if ((word >> lane & 1) != 0) {
        const int target = (first + w) * kWarp + lane;
        const Count place = at + __popc(word & ((Word{1} << lane) - 1));
        columns[place] = m.columns == nullptr ? target : m.columns[target];
        distances[place] = from[asSize(target) * m.toStep];
      }
      at += __popc(word);
    }
  }
}

template <class T>
class Small : public SmallOnGpu {
 public:
  Small(const SmallAsked& asked, SparseRows& rows, const SmallSizes& sizes)
      : asked_(asked),
        rows_(rows),
        sizes_(sizes),
        words_(ceilDiv(asked.n, kWarp)),
        order_(asked.sources.size()),
        at_(asked),
        tables_(at_.bytes) {
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
      return asked.sources[asSize(a)] < asked.sources[asSize(b)];
    });
    for (const int row : order_) sources_.push_back(asked.sources[asSize(row)]);
    std::vector<Word> wanted(asSize(words_), 0);
    for (int v = 0; v < asked.n; ++v)
      if (asked.columns.empty() || asked.columns[asSize(v)] >= 0)
        wanted[asSize(v / kWarp)] |= Word{1} << v % kWarp;
    upload(at_.sources, sources_);
    upload(at_.wanted, wanted);
    upload(at_.columns, asked.columns);
    const std::size_t most = asked.sources.size() * asSize(asked.n);
    Locked::ofThread(2 * bytesOf(std::min(sizes.chunk, most)));  // before time matters
  }

  /// A copy that an exception left behind writes to page-locked memory of the thread.
  ~Small() override { cudaStreamSynchronize(stream_.stream); }

  void add(const DistanceBand& band) override {
    const auto rowOf = [&](int vertex) {
      return static_cast<int>(std::lower_bound(sources_.begin(), sources_.end(), vertex) -
                              sources_.begin());
    };
    const int end = rowOf(band.first + band.count);
    const std::size_t most = sizes_.bits / kWarp / asSize(std::max(1, words_));
    const int step = static_cast<int>(std::clamp<std::size_t>(most, 1, sources_.size() + 1));
    for (int begin = rowOf(band.first); begin < end; begin += step)
      addRows(band, begin, std::min(step, end - begin));
  }

  void finish() override {
    if (found_.count == 0) return;
    const int count = std::exchange(found_.count, 0);
    std::vector<SparseRows::Places> places;
    for (int i = 0; i < count; ++i)
      places.push_back(rows_.place(order_[asSize(found_.first + i)], found_.of(i, i + 1)));
    if (!rows_.hasRoom()) return;
    bring(places);
  }

 private:
  /// Where the tables are.
  struct Tables {
    std::size_t sources, wanted, columns, bytes;

    explicit Tables(const SmallAsked& asked) {
      dense::Layout layout;
      sources = layout.place(asked.sources.size(), sizeof(int));
      wanted = layout.place(asSize(ceilDiv(asked.n, kWarp)), sizeof(Word));
      columns = layout.place(asked.columns.size(), sizeof(int));
      bytes = layout.bytes();
    }
  };

  /// What was emitted and is still to come: `count` rows, from `first` on in the order of sources.
  struct FoundRows {
    int first = 0, count = 0;
    std::vector<Count> starts;  ///< (count + 1)
    std::size_t of(int begin, int end) const {
      return static_cast<std::size_t>(starts[asSize(end)] - starts[asSize(begin)]);
    }
  };

  /// Rows that come by one copy.
  struct Chunk {
    int begin, end;
  };

  template <class Element>
  void upload(std::size_t at, const std::vector<Element>& from) const {
    CHECK_CUDA(cudaMemcpy(tables_.template at<Element>(at), from.data(),
                          from.size() * sizeof(Element), cudaMemcpyHostToDevice));
  }

  void addRows(const DistanceBand& band, int first, int count) {
    dense::Layout layout;
    const std::size_t bits = layout.place(asSize(count) * asSize(words_), sizeof(Word));
    const std::size_t counts = layout.place(asSize(count) + 1, sizeof(Count));
    const GpuMemory memory(layout.bytes());
    const Marks<T> marks{band.elements.as<T>(),
                         band.fromStep,
                         band.toStep,
                         band.first,
                         asked_.n,
                         std::get<T>(asked_.limit),
                         count,
                         tables_.template at<int>(at_.sources) + first,
                         tables_.template at<Word>(at_.wanted),
                         asked_.columns.empty() ? nullptr : tables_.template at<int>(at_.columns),
                         words_,
                         memory.at<Word>(bits),
                         memory.at<Count>(counts)};
    mark(marks);
    sumBefore(marks.counts, count + 1);
    finish();  // the rows of the band before, while the GPU works
    if (!rows_.hasRoom()) return;
    std::vector<Count> starts(asSize(count) + 1);
    CHECK_CUDA(cudaMemcpy(starts.data(), marks.counts, starts.size() * sizeof(Count),
                          cudaMemcpyDeviceToHost));
    for (int begin = 0; begin < count;) {
      const int end = endOf(starts, begin, count, sizes_.waiting);
      finish();  // the piece before
      found_ = {first + begin, end - begin,
                std::vector<Count>(starts.begin() + begin, starts.begin() + end + 1)};
      write(marks, begin, end);
      begin = end;
    }
  }

  void mark(const Marks<T>& marks) const {
    CHECK_CUDA(cudaMemsetAsync(marks.counts, 0, (asSize(marks.rows) + 1) * sizeof(Count)));
    const int strips = stripsOf(words_);
    const dim3 block(kWarp, kWarps);
    if (marks.toStep == 1)
      markAlong<T><<<dim3(blocksFor(marks.rows, 1), blocksFor(strips, kWarps)), block>>>(marks);
    else
      markAcross<T>
          <<<dim3(blocksFor(marks.rows, kWarps * kWarp), blocksFor(strips, 1)), block>>>(marks);
    CHECK_CUDA(cudaGetLastError());
  }

  /// The rows from `begin` on that have no more than `most` together, or one row.
  static int endOf(const std::vector<Count>& starts, int begin, int count, std::size_t most) {
    const Count limit = starts[asSize(begin)] + most;
    const auto end = std::upper_bound(starts.begin() + begin, starts.begin() + count + 1, limit);
    return std::max(begin + 1, static_cast<int>(end - starts.begin()) - 1);
  }

  /// Emits what found_ says. Nothing of the memory is in use: all that was there has come.
  void write(const Marks<T>& marks, int begin, int end) {
    const std::size_t entries = found_.of(0, found_.count);
    if (entries > room_) {
      memory_.reset();
      room_ = 0;
      memory_.emplace(entries * (sizeof(T) + sizeof(int)));
      room_ = entries;
    }
    emit<T><<<blocksFor(end - begin, kWarps), dim3(kWarp, kWarps)>>>(
        marks, begin, end, columnsThere(), distancesThere());
    CHECK_CUDA(cudaGetLastError());
    written_.record();
  }

  T* distancesThere() const { return memory_ ? memory_->template at<T>(0) : nullptr; }
  int* columnsThere() const {
    return memory_ ? memory_->template at<int>(room_ * sizeof(T)) : nullptr;
  }

  /// Of page-locked memory for so many distances with their columns.
  static std::size_t bytesOf(std::size_t entries) {
    return ceilDiv(entries, std::size_t{64}) * 64 * (sizeof(T) + sizeof(int));
  }

  /// To these places: of each row of found_.
  void bring(const std::vector<SparseRows::Places>& places) {
    std::vector<Chunk> chunks;
    std::size_t largest = 0;
    const int count = static_cast<int>(places.size());
    for (int begin = 0; begin < count;) {
      const int end = endOf(found_.starts, begin, count, sizes_.chunk);
      if (found_.of(begin, end) > 0) chunks.push_back({begin, end});
      largest = std::max(largest, found_.of(begin, end));
      begin = end;
    }
    if (chunks.empty()) return;
    const std::size_t half = bytesOf(largest);
    char* const here = Locked::ofThread(2 * half).data();
    const auto partOf = [&](std::size_t c) { return here + c % 2 * half; };
    stream_.wait(written_);
    for (std::size_t c = 0; c <= chunks.size(); ++c) {
      if (c < chunks.size()) {
        fetch(chunks[c], partOf(c), largest);
        arrived_[c % 2].record(stream_.stream);
      }
      if (c == 0) continue;
      arrived_[(c - 1) % 2].wait();
      put(chunks[c - 1], partOf(c - 1), largest, places);
    }
  }

  /// There are the distances, and behind the largest number of them the columns.
  void fetch(const Chunk& chunk, char* to, std::size_t largest) const {
    const std::size_t from = found_.of(0, chunk.begin), count = found_.of(chunk.begin, chunk.end);
    CHECK_CUDA(cudaMemcpyAsync(to, distancesThere() + from, count * sizeof(T),
                               cudaMemcpyDeviceToHost, stream_.stream));
    CHECK_CUDA(cudaMemcpyAsync(to + largest * sizeof(T), columnsThere() + from, count * sizeof(int),
                               cudaMemcpyDeviceToHost, stream_.stream));
  }

  void put(const Chunk& chunk, const char* from, std::size_t largest,
           const std::vector<SparseRows::Places>& places) const {
    const int rows = chunk.end - chunk.begin;
    const std::size_t each = found_.of(chunk.begin, chunk.end) / asSize(rows);
    inParts(rows, rowsInPart(static_cast<int>(each)), [&](int first, int last) {
      for (int i = chunk.begin + first; i < chunk.begin + last; ++i) {
        const std::size_t at = found_.of(chunk.begin, i), count = found_.of(i, i + 1);
        if (count == 0) continue;
        std::memcpy(places[asSize(i)].distances, from + at * sizeof(T), count * sizeof(T));
        std::memcpy(places[asSize(i)].columns, from + largest * sizeof(T) + at * sizeof(int),
                    count * sizeof(int));
      }
    });
  }

  const SmallAsked& asked_;
  SparseRows& rows_;
  const SmallSizes sizes_;
  const int words_;           // of bits for a row
  std::vector<int> order_;    // rows, by source
  std::vector<int> sources_;  // of these, ascending
  const Tables at_;
  const GpuMemory tables_;
  std::optional<GpuMemory> memory_;  // of what was emitted: distances, then columns
  std::size_t room_ = 0;             // for so many
  FoundRows found_;
  const Stream stream_{false};  // of copies to the host
  const StreamEvent written_;   // found_ is in memory_
  const StreamEvent arrived_[2];
};

}  // namespace

std::unique_ptr<SmallOnGpu> smallOnGpu(const SmallAsked& asked, SparseRows& rows,
                                       const SmallSizes& sizes) {
  return withType(rows.dtype(), [&](auto zero) -> std::unique_ptr<SmallOnGpu> {
    return std::make_unique<Small<decltype(zero)>>(asked, rows, sizes);
  });
}

GpuSize presentGpuSize() {
  GpuSize size;
  size.bytes = freeOnGpu();
  size.sources = Gpu().processors * kOfMultiprocessor;
  return size;
}

}  // namespace engine::search
