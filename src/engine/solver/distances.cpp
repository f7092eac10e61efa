#include "solver/distances.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "solver/reach_gpu.h"
#include "solver/row_download.h"
#include "solver/summarise_gpu.h"
#include "solver/summing.h"

namespace engine {

void Distances::rowsOn(const Device& device, int begin, int end, const RowVisitor& visit) const {
  if (device.kind() == DeviceKind::kCpu) return rows(begin, end, visit);
  const auto width = asSize(columns());
  const int most = std::min(rowsAtATime(columns(), dtype()), end - begin);
  if (most <= 0) return;
  const DeviceElements copy(device, dtype(), asSize(most) * width);
  rows(begin, end, [&](int first, int count, ConstElements found) {
    for (int done = 0; done < count; done += most) {
      const int some = std::min(most, count - done);
      upload(device, copy.data(), found + asSize(done) * width, asSize(some) * width);
      visit(first + done, some, copy.data());
    }
  });
}

void WholeDistances::rowsOn(const Device& device, int begin, int end,
                            const RowVisitor& visit) const {
  if (!shareMemory(matrix_.device(), device)) return Distances::rowsOn(device, begin, end, visit);
  visit(begin, end - begin, row(begin));
}

std::optional<Summaries> WholeDistances::sums() const {
  if (matrix_.device().kind() == DeviceKind::kCpu) return std::nullopt;
  try {
    const std::unique_ptr<Summing> sums = summingOnGpu(*this, false);
    sums->add(0, n(), row(0));
    return sums->finish();
  } catch (const Error& error) {
    if (error.code != ErrorCode::kMemory) throw;
    return std::nullopt;  // there is no room beside the matrix, so the host adds the rows up
  }
}

void WholeDistances::rows(int begin, int end, const RowVisitor& visit) const {
  const Device& device = matrix_.device();
  if (device.kind() == DeviceKind::kCpu) return visit(begin, end - begin, row(begin));
  RowDownload pieces(device, dtype(), n(), std::min(rowsAtATime(n(), dtype()), end - begin), visit);
  pieces.add(begin, end - begin, row(begin));
  pieces.finish();
}

void PickedDistances::rows(int begin, int end, const RowVisitor& visit) const {
  const auto width = asSize(columns());
  const int band = std::max(1, std::min(rowsAtATime(columns(), dtype()), end - begin));
  ElementBuffer picked(dtype(), asSize(band) * width);
  for (int first = begin; first < end; first += band) {
    const int count = std::min(band, end - first);
    for (int i = 0; i < count; ++i) {
      const Elements to = picked.data() + asSize(i) * width;
      all_.rows(source(first + i), source(first + i) + 1, [&](int, int, ConstElements found) {
        withElements(found, [&](const auto* row) {
          auto* const out = to.as<NumberAt<decltype(row)>>();
          for (int j = 0; j < columns(); ++j) out[j] = row[target(j)];
        });
      });
    }
    visit(first, count, picked.data());
  }
}

namespace {

GraphStats statisticsOfTable(const Distances& table) {
  const int columns = table.columns();
  GraphStats all;
  table.rows(0, table.rowCount(), [&](int first, int count, ConstElements elements) {
    withElements(elements, [&](const auto* found) {
      using T = NumberAt<decltype(found)>;
      Counts<T> some;
      for (int i = first; i < first + count; ++i) {
        const auto source = static_cast<std::uint64_t>(table.source(i));
        for (int j = 0; j < columns; ++j, ++found) {
          const auto target = static_cast<std::uint64_t>(table.target(j));
          if (source == target || *found == kInfinity<T>) continue;
          ++some.edges;
          some.hash += edgeHash(source, target, bitsOf(*found));
          some.add(*found);
        }
      }
      all += some;
    });
  });
  return all;
}

}  // namespace

std::uint64_t pairsOf(const Distances& distances) {
  std::vector<std::uint64_t> columns(asSize(distances.n()), 0);
  for (int j = 0; j < distances.columns(); ++j) ++columns[asSize(distances.target(j))];
  const auto width = static_cast<std::uint64_t>(distances.columns());
  std::uint64_t pairs = 0;
  for (int i = 0; i < distances.rowCount(); ++i)
    pairs += width - columns[asSize(distances.source(i))];
  return pairs;
}

GraphStats statistics(const Distances& distances) {
  const int n = distances.n();
  if (distances.isTable()) return statisticsOfTable(distances);
  if (const DeviceMatrix* matrix = distances.whole())
    return matrix->device().statistics(n, matrix->data());
  if (const auto known = distances.counted()) return *known;
  GraphStats all;
  distances.rows(0, n, [&](int first, int count, ConstElements elements) {
    all += graphStats(elements, first, count, 0, n);
  });
  return all;
}

namespace {

/// Counts the numbers below infinity of a part of a row, and finds the largest of them.
template <class T>
void addReach(const T* begin, const T* end, Counts<T>& to) {
  int count = 0;
  T most = to.maxWeight, least = to.minWeight;
#pragma omp simd reduction(+ : count) reduction(max : most) reduction(min : least)
  for (const T* number = begin; number < end; ++number) {
    count += *number < kInfinity<T>;
    most = std::max(most, *number < kInfinity<T> ? *number : T(0));
    least = std::min(least, *number);
  }
  to.edges += static_cast<std::uint64_t>(count);
  to.maxWeight = most;
  to.minWeight = least;
  to.leastPositive = 0;  // nobody looks
}

/// What reachOf() finds. Nothing if the diagonal is not 0: then a solver is wrong, and the pairs
/// must be counted without it.
std::optional<GraphStats> reachOfGpu(const DeviceMatrix& all) {
  const std::size_t n = asSize(all.n());
  const GraphStats diagonal = reachOnGpu(n, n + 1, all.data(), nullptr);
  const Number zero = zeroOf(all.dtype());
  if (diagonal.edges != n || diagonal.maxWeight != zero || diagonal.minWeight != zero)
    return std::nullopt;
  GraphStats found = reachOnGpu(n * n, 1, all.data(), nullptr);
  found.edges -= n;
  return found;
}

}  // namespace

Summaries summariesOf(const Distances& all) {
  if (const Summaries* const known = all.summaries()) return *known;
  if (std::optional<Summaries> found = all.sums()) return *std::move(found);
  const std::unique_ptr<Summing> summing = summingFor(all);
  all.rows(0, all.rowCount(), [&](int first, int count, ConstElements elements) {
    summing->add(first, count, elements);
  });
  return summing->finish();
}

GraphStats reachOf(const Distances& distances) {
  if (const auto known = distances.reach()) return *known;
  const DeviceMatrix* const matrix = distances.whole();
  const bool onHost = matrix == nullptr || matrix->device().kind() == DeviceKind::kCpu;
  const bool table = distances.isTable();
  if (!onHost) {
    const auto found = reachOfGpu(*matrix);
    return found ? *found : statistics(distances);
  }
  if (const auto known = table ? std::nullopt : distances.counted()) return *known;
  if (const Summaries* const known = distances.summaries()) {
    GraphStats all;
    for (const RowSummary& row : known->rows)
      all += {static_cast<std::uint64_t>(row.reachable), 0, row.largest, zeroOf(distances.dtype())};
    return all;
  }
  if (table) return statistics(distances);
  const int n = distances.n();
  GraphStats all;
  distances.rows(0, n, [&](int first, int count, ConstElements elements) {
    withElements(elements, [&](const auto* block) {
      using T = NumberAt<decltype(block)>;
      std::mutex mutex;
      inParts(count, rowsInPart(n), [&](int begin, int end) {
        Counts<T> mine;
        for (int i = begin; i < end; ++i) {
          const T* const row = block + asSize(i) * asSize(n);
          addReach(row, row + first + i, mine);
          addReach(row + first + i + 1, row + n, mine);
        }
        const std::lock_guard lock(mutex);
        all += mine;
      });
    });
  });
  return all;
}

namespace {

/// One row against another.
template <class T>
Mismatch compareRow(const Distances& shape, int i, const T* got, const T* expected,
                    const Tolerance& allowed) {
  Mismatch mismatch;
  for (int j = 0; j < shape.columns(); ++j) {
    if (agree(got[j], expected[j], allowed)) continue;
    if (mismatch.count++ == 0)
      mismatch = {1, shape.source(i), shape.target(j), expected[j], got[j]};
  }
  return mismatch;
}

}  // namespace

Mismatch compare(const Distances& got, const Distances& expected, const Tolerance& allowed) {
  const int n = got.n();
  const DeviceMatrix *a = got.whole(), *b = expected.whole();
  if (a != nullptr && b != nullptr && shareMemory(a->device(), b->device()))
    return a->device().compare(n, a->data(), b->data(), allowed);
  Mismatch all;
  got.rows(0, got.rowCount(), [&](int first, int count, ConstElements elements) {
    withElements(elements, [&](const auto* found) {
      using T = NumberAt<decltype(found)>;
      const auto row = [&](const T* from, int band, int i) {
        return from + asSize(i - band) * asSize(got.columns());
      };
      expected.rows(first, first + count, [&](int begin, int rows, ConstElements right) {
        for (int i = begin; i < begin + rows; ++i) {
          const Mismatch one =
              compareRow(got, i, row(found, first, i), row(right.as<T>(), begin, i), allowed);
          const std::uint64_t total = all.count + one.count;
          if (all.count == 0) all = one;
          all.count = total;
        }
      });
    });
  });
  return all;
}

void copyTo(const DeviceMatrix& to, const Distances& from) {
  const auto n = asSize(from.n());
  const Device& device = to.device();
  const DeviceMatrix* const whole = from.whole();
  if (whole != nullptr && shareMemory(whole->device(), device))
    return device.copy(to.data().data(), whole->data().data(), whole->bytes());
  from.rows(0, from.n(), [&](int first, int count, ConstElements elements) {
    upload(device, to.data() + asSize(first) * n, elements, asSize(count) * n);
  });
}

Matrix toMatrix(const Distances& from) {
  Matrix matrix(from.n(), from.dtype());
  from.rows(0, from.n(), [&](int first, int count, ConstElements elements) {
    copyElements(elements, asSize(count) * asSize(from.n()), matrix.row(first));
  });
  return matrix;
}

}  // namespace engine
