// Potentials in host memory. Threads share the columns, and a pass reads the potentials of the pass
// before: so the result and the number of passes do not depend on the number of threads.
#include <algorithm>
#include <cstdint>

#include "solvers/negative/shift.h"

namespace {

/// Columns that one thread takes at a time: they and their potentials stay in the L1 cache.
constexpr int kColumns = 1024;

/// Elements from which on threads gain more than they take to start.
constexpr std::size_t kWorthTeam = std::size_t{1} << 20;

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
#pragma omp parallel for schedule(static) if (isLarge(active_.size()))
    for (int begin = 0; begin < n_; begin += kColumns) {
      const int count = std::min(kColumns, n_ - begin);
      int* __restrict const best = next_.data() + begin;
      int* __restrict const parent = parents_.data() + begin;
      for (const int u : active_) {
        const int from = before[static_cast<std::size_t>(u)];
        const int* __restrict const row =
            matrix_ + static_cast<std::size_t>(u) * static_cast<std::size_t>(n_) + begin;
#pragma omp simd
        for (int v = 0; v < count; ++v) {
          const int through = std::max(from + row[v], -kInf);
          const bool better = through < best[v];
          best[v] = better ? through : best[v];
          parent[v] = better ? u : parent[v];
        }
      }
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
