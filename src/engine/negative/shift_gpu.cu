// Potentials on the GPU, of int32 matrices. A pass is a min-plus product of a row vector and the
// matrix, which is read once, row by row, at the speed of the memory: a thread has kWidth
// neighbouring columns and goes down a band of rows. Its best candidates stay in registers, and it
// writes at the end only.
//
// A pass changes the potentials in place, so that it may use what other blocks have found already.
// Potential and parent are one word of 64 bits, which atomicCAS() changes together, and only if the
// potential falls (shift.h needs that). If a block reads a potential that another block lowers just
// then, nothing is lost: a vertex that was lowered in a pass gets the number of the pass as its
// stamp, and the next pass takes its row again. Rows with older stamps are not read. Potentials are
// shortest distances, so they do not depend on who came first; only the number of passes may.
//
// Several passes are launched before the host looks at what they changed, because waiting takes
// longer than a pass that has nothing to do. Such a pass ends as soon as it knows.
#include <algorithm>
#include <array>
#include <cstdint>

#include "base/size.h"
#include "device/cuda.h"
#include "negative/shift.h"

namespace engine {

namespace {

using State = unsigned long long;  // the potential, then the parent: what 64-bit atomics take

constexpr int kThreads = 256;
constexpr int kRows = 8;     // rows that a thread has on their way from memory at a time
constexpr int kShifted = 4;  // rows of a thread that shifts
constexpr int kBatch = 16;   // passes at most between two looks
constexpr unsigned kNobody = 0xffffffffu;

__device__ State stateOf(int potential, unsigned parent) {
  return static_cast<State>(static_cast<unsigned>(potential)) << 32 | parent;
}
__device__ int potentialOf(State state) {
  return static_cast<int>(static_cast<unsigned>(state >> 32));
}

/// kWidth neighbouring elements, loaded at once.
template <int kWidth>
struct alignas(kWidth * sizeof(int)) Words {
  int at[kWidth];
};

template <int kWidth>
__device__ Words<kWidth> load(const int* from) {
  return *reinterpret_cast<const Words<kWidth>*>(from);
}
template <int kWidth>
__device__ void store(int* to, const Words<kWidth>& words) {
  *reinterpret_cast<Words<kWidth>*>(to) = words;
}

template <class Word>
__device__ Word* rowAt(Word* matrix, int n, int row) {
  return matrix + asSize(row) * n;
}

__global__ void beginStates(int n, State* states, int* stamps) {
  const int v = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (v >= n) return;
  states[v] = stateOf(0, kNobody);
  stamps[v] = 0;
}

/// Lowers the potential of a vertex, if it still is above the candidate.
__device__ void lower(State* state, int* stamp, int candidate, int parent, int pass, int* changed) {
  State old = __ldcg(state);  // of the L2 cache, where others change it
  while (candidate < potentialOf(old)) {
    const State assumed = old;
    old = atomicCAS(state, assumed, stateOf(candidate, static_cast<unsigned>(parent)));
    if (old != assumed) continue;
    *stamp = pass;
    *changed = 1;
    return;
  }
}

/// One pass over a band of rows. matrix: (n, n); states, stamps: (n). n is a multiple of kWidth.
/// before: whether the pass before changed anything; nullptr if that is not known.
template <int kWidth>
__global__ void __launch_bounds__(kThreads)
    relaxRows(int n, const int* matrix, int band, int pass, State* states, int* stamps,
              int* changed, const int* before) {
  if (before != nullptr && *before == 0) return;
  const int column = static_cast<int>(blockIdx.x * kThreads + threadIdx.x) * kWidth;
  if (column >= n) return;
  const int begin = static_cast<int>(blockIdx.y) * band;
  const int end = begin + band < n ? begin + band : n;
  int best[kWidth], parent[kWidth];
  for (int c = 0; c < kWidth; ++c) best[c] = 0, parent[c] = -1;
  for (int first = begin; first < end; first += kRows) {
    Words<kWidth> weights[kRows];
    int from[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int u = first + r;
      const bool active = u < end && stamps[u] >= pass - 1;
      from[r] = active ? potentialOf(states[u]) : 0;
      if (active) {
        weights[r] = load<kWidth>(rowAt(matrix, n, u) + column);
      } else {
        for (int c = 0; c < kWidth; ++c) weights[r].at[c] = kInfinity<int>;
      }
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kWidth; ++c) {
        const int through = from[r] + weights[r].at[c];  // fits: shift.h
        const bool better = through < best[c];
        best[c] = better ? through : best[c];
        parent[c] = better ? first + r : parent[c];
      }
  }
  for (int c = 0; c < kWidth; ++c) {
    const int candidate = best[c] > -kInfinity<int> ? best[c] : -kInfinity<int>;
    if (parent[c] >= 0)
      lower(states + column + c, stamps + column + c, candidate, parent[c], pass, changed);
  }
}

__global__ void takePotentials(int n, const State* states, int* potentials) {
  const int v = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (v < n) potentials[v] = potentialOf(states[v]);
}

/// Reweights the matrix, or shifts distances back. matrix: (n, n), potentials: (n).
template <int kWidth, bool kBack>
__global__ void __launch_bounds__(kThreads) shiftRows(int n, int* matrix, const int* potentials) {
  const int column = static_cast<int>(blockIdx.x * kThreads + threadIdx.x) * kWidth;
  if (column >= n) return;
  const Words<kWidth> to = load<kWidth>(potentials + column);
  const int first = static_cast<int>(blockIdx.y) * kShifted;
  Words<kWidth> words[kShifted];
#pragma unroll
  for (int r = 0; r < kShifted; ++r)
    if (first + r < n) words[r] = load<kWidth>(rowAt(matrix, n, first + r) + column);
#pragma unroll
  for (int r = 0; r < kShifted; ++r) {
    if (first + r >= n) break;
    const int from = potentials[first + r];
    for (int c = 0; c < kWidth; ++c)
      words[r].at[c] = kBack ? shiftedBack(words[r].at[c], from, to.at[c])
                             : reweighted(words[r].at[c], from, to.at[c]);
    store(rowAt(matrix, n, first + r) + column, words[r]);
  }
}

class ShiftOnGpu : public Shift {
 public:
  ShiftOnGpu(const Device& gpu, int n, Elements matrix)
      : gpu_(gpu),
        n_(n),
        matrix_(matrix.as<int>()),
        wide_(wide(matrix_)),
        words_(gpu, Dtype::kInt32, asSize(n) * 4 + 4 + kBatch) {
    int processors = 0, device = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    const int blocks = processors * 16;  // enough for even shares
    bands_ = std::max(1, std::min(blocks / columnBlocks(), ceilDiv(n, kRows)));
  }

  int relax(int passes) override {
    if (n_ == 0) return 0;
    int lowered = 0;
    for (int left = passes; left > 0;) {
      const int batch = std::min(left, kBatch);
      const int found = relaxBatch(batch);
      lowered += found;
      if (found < batch) break;
      left -= batch;
    }
    return lowered;
  }

  std::vector<std::int64_t> potentials() const override { return halves<std::int64_t>(1); }
  std::vector<int> parents() const override { return halves<int>(0); }

  void reweight() override { reweightDistances(matrix_); }
  void reweightDistances(Elements distances) override {
    takePotentials<<<ceilDiv(n_, kThreads), kThreads>>>(n_, states(), ready());
    int* const words = distances.as<int>();
    wide(words) ? shift<4, false>(words) : shift<1, false>(words);
  }
  void shiftBack() override { wide_ ? shift<4, true>(matrix_) : shift<1, true>(matrix_); }

 private:
  /// Whether rows of a matrix can be read four words at a time.
  bool wide(const int* matrix) const {
    return n_ % 4 == 0 && reinterpret_cast<std::uintptr_t>(matrix) % sizeof(Words<4>) == 0;
  }
  int columnBlocks() const { return columnBlocks(wide_); }
  int columnBlocks(bool wide) const { return ceilDiv(std::max(1, n_), kThreads * (wide ? 4 : 1)); }

  // The arrays in words_. Those that are read four words at a time come first, and n is a multiple
  // of four then.
  int* ready() const { return words_.data().as<int>(); }
  State* states() const { return reinterpret_cast<State*>(ready() + (asSize(n_) + 1) / 2 * 2); }
  int* stamps() const { return reinterpret_cast<int*>(states() + n_); }
  int* changed() const { return stamps() + n_; }

  int relaxBatch(int batch) {
    if (pass_ == 0) beginStates<<<ceilDiv(n_, kThreads), kThreads>>>(n_, states(), stamps());
    CHECK_CUDA(cudaMemsetAsync(changed(), 0, sizeof(int) * batch));
    const int band = ceilDiv(ceilDiv(n_, bands_), kRows) * kRows;
    const dim3 grid(columnBlocks(), ceilDiv(n_, band));
    const auto kernel = wide_ ? relaxRows<4> : relaxRows<1>;
    for (int p = 0; p < batch; ++p)
      kernel<<<grid, kThreads>>>(n_, matrix_, band, ++pass_, states(), stamps(), changed() + p,
                                 p > 0 ? changed() + p - 1 : nullptr);
    CHECK_CUDA(cudaGetLastError());
    std::array<int, kBatch> flags{};
    CHECK_CUDA(cudaMemcpy(flags.data(), changed(), sizeof(int) * batch, cudaMemcpyDeviceToHost));
    return static_cast<int>(std::count(flags.begin(), flags.begin() + batch, 1));
  }

  template <int kWidth, bool kBack>
  void shift(int* matrix) {
    const dim3 grid(columnBlocks(kWidth == 4), ceilDiv(n_, kShifted));
    shiftRows<kWidth, kBack><<<grid, kThreads>>>(n_, matrix, ready());
    CHECK_CUDA(cudaGetLastError());
  }

  /// The low or the high halves of all states.
  template <class Half>
  std::vector<Half> halves(int high) const {
    std::vector<int> words(asSize(n_) * 2);
    std::vector<Half> one(asSize(n_));
    gpu_.download(words.data(), states(), words.size() * sizeof(int));
    for (std::size_t v = 0; v < one.size(); ++v) one[v] = words[2 * v + high];
    return one;
  }

  const Device& gpu_;
  const int n_;
  int* const matrix_;
  const bool wide_;
  const DeviceElements words_;
  int bands_ = 1, pass_ = 0;
};

}  // namespace

std::unique_ptr<Shift> shiftOnGpu(const Device& gpu, int n, Elements matrix) {
  return std::make_unique<ShiftOnGpu>(gpu, n, matrix);
}

}  // namespace engine
