// Potentials in host memory. Threads share the columns, and a pass reads the potentials of the pass
// before: so the result and the number of passes do not depend on the number of threads.
#include <omp.h>

#include <algorithm>
#include <string>

#include "base/size.h"
#include "device/simd.h"
#include "negative/shift.h"

namespace engine {

namespace {

/// Columns that a thread takes at a time. A short piece of a row is read slowly, because it ends
/// before the processor reads ahead; of more columns, potentials and parents leave the fast caches.
constexpr int kFewestColumns = 512, kMostColumns = 4096;

/// Elements from which on threads gain more than they take to start.
constexpr std::size_t kWorthTeam = std::size_t{1} << 20;

/// Some columns of the matrix, and their vertices. best, parent: (count).
template <class T>
struct Strip {
  const T* weights;  ///< its first one in row 0
  std::size_t n;     ///< weights from one row to the next
  int count;
  T* best;
  int* parent;
};

/// One pass over some rows of a strip. before: (n), the potentials of the pass before.
template <class T>
[[gnu::always_inline]] inline void lowerBody(const Strip<T>& strip, const std::vector<int>& rows,
                                             const T* before) {
  T* __restrict const best = strip.best;
  int* __restrict const parent = strip.parent;
  for (const int u : rows) {
    const T from = before[u];
    const T* __restrict const row = strip.weights + asSize(u) * strip.n;
#pragma omp simd
    for (int v = 0; v < strip.count; ++v) {
      const T through = std::max(from + row[v], -kInfinity<T>);
      const bool better = through < best[v];
      best[v] = better ? through : best[v];
      parent[v] = better ? u : parent[v];
    }
  }
}

template <class T>
using Lower = void (*)(const Strip<T>& strip, const std::vector<int>& rows, const T* before);
#if defined(__x86_64__)
template <class T>
[[gnu::target("avx512f,avx512bw")]] void lowerAvx512(const Strip<T>& strip,
                                                     const std::vector<int>& rows,
                                                     const T* before) {
  lowerBody(strip, rows, before);
}
template <class T>
[[gnu::target("avx2")]] void lowerAvx2(const Strip<T>& strip, const std::vector<int>& rows,
                                       const T* before) {
  lowerBody(strip, rows, before);
}
#endif
template <class T>
void lowerPortable(const Strip<T>& strip, const std::vector<int>& rows, const T* before) {
  lowerBody(strip, rows, before);
}

template <class T>
Lower<T> findLower() {
  const SimdLevel<Lower<T>> levels[] = {
#if defined(__x86_64__)
    {"avx512", lowerAvx512},
    {"avx2", lowerAvx2},
#endif
    {"portable", lowerPortable},
  };
  return chooseSimd(levels);
}

/// T: int32 or int64.
template <class T>
class ShiftOnCpu : public Shift {
 public:
  ShiftOnCpu(int n, T* matrix)
      : n_(n), matrix_(matrix), next_(asSize(n), 0), parents_(asSize(n), -1), active_(asSize(n)) {
    for (int v = 0; v < n; ++v) active_[asSize(v)] = v;
  }

  int relax(int passes) override {
    for (int pass = 0; pass < passes; ++pass) {
      const std::vector<T> before = next_;
      lower(before);
      active_.clear();
      for (int v = 0; v < n_; ++v)
        if (next_[asSize(v)] < before[asSize(v)]) active_.push_back(v);
      if (active_.empty()) return pass;
      if (*std::min_element(next_.begin(), next_.end()) == -kInfinity<T>) return pass + 1;
    }
    return passes;
  }

  std::vector<std::int64_t> potentials() const override { return {next_.begin(), next_.end()}; }
  std::vector<int> parents() const override { return parents_; }

  void reweight() override { reweightDistances(matrix_); }
  void reweightDistances(Elements distances) override {
    forEachRow(distances.as<T>(), [this](T* row, T from) {
      const T* const to = next_.data();
#pragma omp simd
      for (int v = 0; v < n_; ++v) row[v] = reweighted(row[v], from, to[v]);
    });
  }
  void shiftBack() override {
    forEachRow(matrix_, [this](T* row, T from) {
      const T* const to = next_.data();
#pragma omp simd
      for (int v = 0; v < n_; ++v) row[v] = shiftedBack(row[v], from, to[v]);
    });
  }

 private:
  /// One pass over the rows in active_, from the potentials `before` into next_.
  void lower(const std::vector<T>& before) {
    static const Lower<T> lowerHere = findLower<T>();
    const int threads = isLarge(active_.size()) ? omp_get_max_threads() : 1;
    const int columns = std::clamp((n_ + threads - 1) / threads, kFewestColumns, kMostColumns);
#pragma omp parallel for schedule(static) if (isLarge(active_.size()))
    for (int begin = 0; begin < n_; begin += columns) {
      const Strip<T> strip = {matrix_ + begin, asSize(n_), std::min(columns, n_ - begin),
                              next_.data() + begin, parents_.data() + begin};
      lowerHere(strip, active_, before.data());
    }
  }

  /// Whether so many rows are worth more than one thread.
  bool isLarge(std::size_t rows) const {
    return rows * next_.size() >= kWorthTeam;
  }

  template <class Work>
  void forEachRow(T* matrix, Work work) {
#pragma omp parallel for schedule(static) if (isLarge(next_.size()))
    for (int u = 0; u < n_; ++u) work(matrix + asSize(u) * asSize(n_), next_[asSize(u)]);
  }

  const int n_;
  T* const matrix_;
  std::vector<T> next_;  // the potentials
  std::vector<int> parents_;
  std::vector<int> active_;  // the vertices that the last pass lowered; at first all
};

}  // namespace

std::unique_ptr<Shift> shiftOn(const Device& device, int n, Elements matrix) {
  if (device.kind() == DeviceKind::kGpu) return shiftOnGpu(device, n, matrix);
  if (matrix.dtype() == Dtype::kInt32)
    return std::make_unique<ShiftOnCpu<std::int32_t>>(n, matrix.as<std::int32_t>());
  return std::make_unique<ShiftOnCpu<std::int64_t>>(n, matrix.as<std::int64_t>());
}

std::size_t shiftBytes(int n, Dtype dtype) {
  constexpr std::size_t kNumbers = 5, kMore = 1024;  // for each vertex, and in all
  return (kNumbers * asSize(n) + kMore) * sizeOf(dtype);
}

}  // namespace engine
