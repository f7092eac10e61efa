// Potentials in host memory. Threads share the columns, and a pass reads the potentials of the pass
// before: so the result and the number of passes do not depend on the number of threads.
#include <omp.h>

#include <algorithm>
#include <string>

#include "device/simd.h"
#include "negative/shift.h"

namespace {

/// Columns that a thread takes at a time. A short piece of a row is read slowly, because it ends
/// before the processor reads ahead; of more columns, potentials and parents leave the fast caches.
constexpr int kFewestColumns = 512, kMostColumns = 4096;

/// Elements from which on threads gain more than they take to start.
constexpr std::size_t kWorthTeam = std::size_t{1} << 20;

/// Some columns of the matrix, and their vertices. best, parent: (count).
struct Strip {
  const int* weights;  ///< its first word in row 0
  std::size_t n;       ///< words from one row to the next
  int count;
  int* best;
  int* parent;
};

/// One pass over some rows of a strip. before: (n), the potentials of the pass before.
[[gnu::always_inline]] inline void lowerBody(const Strip& strip, const std::vector<int>& rows,
                                             const int* before) {
  int* __restrict const best = strip.best;
  int* __restrict const parent = strip.parent;
  for (const int u : rows) {
    const int from = before[u];
    const int* __restrict const row = strip.weights + static_cast<std::size_t>(u) * strip.n;
#pragma omp simd
    for (int v = 0; v < strip.count; ++v) {
      const int through = std::max(from + row[v], -kInf);
      const bool better = through < best[v];
      best[v] = better ? through : best[v];
      parent[v] = better ? u : parent[v];
    }
  }
}

using Lower = void (*)(const Strip& strip, const std::vector<int>& rows, const int* before);
#if defined(__x86_64__)
[[gnu::target("avx512f,avx512bw")]] void lowerAvx512(const Strip& strip,
                                                     const std::vector<int>& rows,
                                                     const int* before) {
  lowerBody(strip, rows, before);
}
[[gnu::target("avx2")]] void lowerAvx2(const Strip& strip, const std::vector<int>& rows,
                                       const int* before) {
  lowerBody(strip, rows, before);
}
#endif
void lowerPortable(const Strip& strip, const std::vector<int>& rows, const int* before) {
  lowerBody(strip, rows, before);
}

Lower findLower() {
  const SimdLevel<Lower> levels[] = {
#if defined(__x86_64__)
    {"avx512", lowerAvx512},
    {"avx2", lowerAvx2},
#endif
    {"portable", lowerPortable},
  };
  return chooseSimd(levels);
}

class ShiftOnCpu : public Shift {
 public:
  ShiftOnCpu(int n, int* matrix)
      : n_(n),
        matrix_(matrix),
        next_(static_cast<std::size_t>(n), 0),
        parents_(static_cast<std::size_t>(n), -1),
        active_(static_cast<std::size_t>(n)) {
    for (int v = 0; v < n; ++v) active_[static_cast<std::size_t>(v)] = v;
  }

  int relax(int passes) override {
    for (int pass = 0; pass < passes; ++pass) {
      const std::vector<int> before = next_;
      lower(before);
      active_.clear();
      for (int v = 0; v < n_; ++v)
        if (next_[static_cast<std::size_t>(v)] < before[static_cast<std::size_t>(v)])
          active_.push_back(v);
      if (active_.empty()) return pass;
      if (*std::min_element(next_.begin(), next_.end()) == -kInf) return pass + 1;
    }
    return passes;
  }

  std::vector<int> potentials() const override { return next_; }
  std::vector<int> parents() const override { return parents_; }

  void reweight() override { reweightDistances(matrix_); }
  void reweightDistances(int* distances) override {
    forEachRow(distances, [this](int* row, int from) {
      const int* const to = next_.data();
#pragma omp simd
      for (int v = 0; v < n_; ++v) row[v] = reweighted(row[v], from, to[v]);
    });
  }
  void shiftBack() override {
    forEachRow(matrix_, [this](int* row, int from) {
      const int* const to = next_.data();
#pragma omp simd
      for (int v = 0; v < n_; ++v) row[v] = shiftedBack(row[v], from, to[v]);
    });
  }

 private:
  /// One pass over the rows in active_, from the potentials `before` into next_.
  void lower(const std::vector<int>& before) {
    static const Lower lowerHere = findLower();
    const int threads = isLarge(active_.size()) ? omp_get_max_threads() : 1;
    const int columns = std::clamp((n_ + threads - 1) / threads, kFewestColumns, kMostColumns);
#pragma omp parallel for schedule(static) if (isLarge(active_.size()))
    for (int begin = 0; begin < n_; begin += columns) {
      const Strip strip = {matrix_ + begin, static_cast<std::size_t>(n_),
                           std::min(columns, n_ - begin), next_.data() + begin,
                           parents_.data() + begin};
      lowerHere(strip, active_, before.data());
    }
  }

  /// Whether so many rows are worth more than one thread.
  bool isLarge(std::size_t rows) const {
    return rows * next_.size() >= kWorthTeam;
  }

  template <class Work>
  void forEachRow(int* matrix, Work work) {
#pragma omp parallel for schedule(static) if (isLarge(next_.size()))
    for (int u = 0; u < n_; ++u)
      work(matrix + static_cast<std::size_t>(u) * static_cast<std::size_t>(n_),
           next_[static_cast<std::size_t>(u)]);
  }

  const int n_;
  int* const matrix_;
  std::vector<int> next_, parents_;
  std::vector<int> active_;  // the vertices that the last pass lowered; at first all
};

}  // namespace

std::unique_ptr<Shift> shiftOn(const Device& device, int n, int* matrix) {
  if (device.kind() == DeviceKind::kGpu) return shiftOnGpu(device, n, matrix);
  return std::make_unique<ShiftOnCpu>(n, matrix);
}

std::size_t shiftBytes(int n) {
  constexpr std::size_t kWords = 5, kMore = 1024;  // for each vertex, and in all
  return (kWords * static_cast<std::size_t>(n) + kMore) * sizeof(int);
}
