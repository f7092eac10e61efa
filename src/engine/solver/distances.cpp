#include "solver/distances.h"

#include <algorithm>
#include <vector>

#include "solver/row_download.h"

void Distances::rowsOn(const Device& device, int begin, int end, const RowVisitor& visit) const {
  if (device.kind() == DeviceKind::kCpu) return rows(begin, end, visit);
  const auto width = static_cast<std::size_t>(columns());
  const int most = std::min(rowsAtATime(columns()), end - begin);
  if (most <= 0) return;
  const DeviceWords copy(device, static_cast<std::size_t>(most) * width);
  rows(begin, end, [&](int first, int count, const int* words) {
    for (int done = 0; done < count; done += most) {
      const int some = std::min(most, count - done);
      device.upload(copy.data(), words + static_cast<std::size_t>(done) * width,
                    static_cast<std::size_t>(some) * width);
      visit(first + done, some, copy.data());
    }
  });
}

void WholeDistances::rowsOn(const Device& device, int begin, int end,
                            const RowVisitor& visit) const {
  if (!shareMemory(matrix_.device(), device)) return Distances::rowsOn(device, begin, end, visit);
  visit(begin, end - begin, row(begin));
}

void WholeDistances::rows(int begin, int end, const RowVisitor& visit) const {
  const Device& device = matrix_.device();
  if (device.kind() == DeviceKind::kCpu) return visit(begin, end - begin, row(begin));
  RowDownload pieces(device, n(), std::min(rowsAtATime(n()), end - begin), visit);
  pieces.add(begin, end - begin, row(begin));
  pieces.finish();
}

void PickedDistances::rows(int begin, int end, const RowVisitor& visit) const {
  const auto width = static_cast<std::size_t>(columns());
  const int band = std::max(1, std::min(rowsAtATime(columns()), end - begin));
  std::vector<int> words(static_cast<std::size_t>(band) * width);
  for (int first = begin; first < end; first += band) {
    const int count = std::min(band, end - first);
    for (int i = 0; i < count; ++i) {
      int* const to = words.data() + static_cast<std::size_t>(i) * width;
      all_.rows(source(first + i), source(first + i) + 1, [&](int, int, const int* row) {
        for (int j = 0; j < columns(); ++j) to[j] = row[target(j)];
      });
    }
    visit(first, count, words.data());
  }
}

namespace {

GraphStats statisticsOfTable(const Distances& table) {
  const int none = infinity(table.dtype()), columns = table.columns();
  GraphStats all;
  table.rows(0, table.rowCount(), [&](int first, int count, const int* words) {
    for (int i = first; i < first + count; ++i) {
      const auto source = static_cast<std::uint64_t>(table.source(i));
      for (int j = 0; j < columns; ++j, ++words) {
        const auto target = static_cast<std::uint64_t>(table.target(j));
        if (source == target || *words == none) continue;
        ++all.edges;
        all.hash += edgeHash(source, target, static_cast<std::uint64_t>(*words));
        all.maxWeight = std::max(all.maxWeight, *words);
      }
    }
  });
  return all;
}

}  // namespace

std::uint64_t pairsOf(const Distances& distances) {
  std::vector<std::uint64_t> columns(static_cast<std::size_t>(distances.n()), 0);
  for (int j = 0; j < distances.columns(); ++j)
    ++columns[static_cast<std::size_t>(distances.target(j))];
  const auto width = static_cast<std::uint64_t>(distances.columns());
  std::uint64_t pairs = 0;
  for (int i = 0; i < distances.rowCount(); ++i)
    pairs += width - columns[static_cast<std::size_t>(distances.source(i))];
  return pairs;
}

GraphStats statistics(const Distances& distances) {
  const int n = distances.n();
  if (distances.isTable()) return statisticsOfTable(distances);
  const Dtype dtype = distances.dtype();
  if (const DeviceMatrix* matrix = distances.whole())
    return matrix->device().statistics(n, matrix->data(), dtype);
  if (const auto known = distances.counted()) return *known;
  GraphStats all;
  distances.rows(0, n, [&](int first, int count, const int* words) {
    all += graphStats(words, dtype, first, count, 0, n);
  });
  return all;
}

namespace {

/// Counts the words below infinity of a part of a row, and finds the largest of them.
void addReach(const int* begin, const int* end, int none, GraphStats& to) {
  int count = 0, most = to.maxWeight, least = to.minWeight;
#pragma omp simd reduction(+ : count) reduction(max : most) reduction(min : least)
  for (const int* word = begin; word < end; ++word) {
    count += *word < none;
    most = std::max(most, *word < none ? *word : 0);
    least = std::min(least, *word);
  }
  to.edges += static_cast<std::uint64_t>(count);
  to.maxWeight = most;
  to.minWeight = least;
}

}  // namespace

GraphStats reachOf(const Distances& distances) {
  const DeviceMatrix* const matrix = distances.whole();
  const bool onHost = matrix == nullptr || matrix->device().kind() == DeviceKind::kCpu;
  if (distances.isTable() || !onHost) return statistics(distances);
  if (const auto known = distances.counted()) return *known;
  const int n = distances.n(), none = infinity(distances.dtype());
  GraphStats all;
  distances.rows(0, n, [&](int first, int count, const int* words) {
#pragma omp parallel if (n >= kWorthThreads)
    {
      GraphStats mine;
#pragma omp for nowait
      for (int i = 0; i < count; ++i) {
        const int* const row = words + static_cast<std::size_t>(i) * static_cast<std::size_t>(n);
        addReach(row, row + first + i, none, mine);
        addReach(row + first + i + 1, row + n, none, mine);
      }
#pragma omp critical
      all += mine;
    }
  });
  return all;
}

namespace {

/// One row of words against another.
Mismatch compareRow(const Distances& shape, int i, const int* got, const int* expected,
                    double tolerance) {
  Mismatch mismatch;
  for (int j = 0; j < shape.columns(); ++j) {
    if (agreeWords(got[j], expected[j], shape.dtype(), tolerance)) continue;
    if (mismatch.count++ == 0)
      mismatch = {1, shape.source(i), shape.target(j), expected[j], got[j]};
  }
  return mismatch;
}

}  // namespace

Mismatch compare(const Distances& got, const Distances& expected, double tolerance) {
  const int n = got.n();
  const DeviceMatrix *a = got.whole(), *b = expected.whole();
  if (a != nullptr && b != nullptr && shareMemory(a->device(), b->device()))
    return a->device().compare(n, a->data(), b->data(), got.dtype(), tolerance);
  Mismatch all;
  got.rows(0, got.rowCount(), [&](int first, int count, const int* words) {
    const auto row = [&](const int* from, int band, int i) {
      return from + static_cast<std::size_t>(i - band) * static_cast<std::size_t>(got.columns());
    };
    expected.rows(first, first + count, [&](int begin, int rows, const int* right) {
      for (int i = begin; i < begin + rows; ++i) {
        const Mismatch one =
            compareRow(got, i, row(words, first, i), row(right, begin, i), tolerance);
        const std::uint64_t total = all.count + one.count;
        if (all.count == 0) all = one;
        all.count = total;
      }
    });
  });
  return all;
}

void copyTo(const DeviceMatrix& to, const Distances& from) {
  const auto n = static_cast<std::size_t>(from.n());
  const Device& device = to.device();
  const DeviceMatrix* const whole = from.whole();
  if (whole != nullptr && shareMemory(whole->device(), device))
    return device.copy(to.data(), whole->data(), whole->size());
  from.rows(0, from.n(), [&](int first, int count, const int* words) {
    device.upload(to.data() + static_cast<std::size_t>(first) * n, words,
                  static_cast<std::size_t>(count) * n);
  });
}

Matrix toMatrix(const Distances& from) {
  Matrix matrix(from.n());
  from.rows(0, from.n(), [&](int first, int count, const int* words) {
    std::copy_n(words, static_cast<std::size_t>(count) * static_cast<std::size_t>(from.n()),
                matrix.row(first));
  });
  return matrix;
}
