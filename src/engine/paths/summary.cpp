#include "paths/summary.h"

#include <algorithm>

namespace {

VertexSummary summaryOfRow(const Distances& distances, int index, const int* row) {
  VertexSummary summary;
  summary.vertex = distances.source(index);
  const Dtype dtype = distances.dtype();
  const int none = infinity(dtype), columns = distances.columns();
  for (int j = 0; j < columns; ++j) {
    if (distances.target(j) == summary.vertex) continue;
    ++summary.others;
    if (row[j] == none) continue;
    const bool first = summary.reachable++ == 0;
    if (first || isLess(summary.eccentricity, row[j], dtype)) summary.eccentricity = row[j];
    summary.sum += toDouble(row[j], dtype);
  }
  return summary;
}

/// Adds rows of distances to the summaries of the columns.
void addToColumns(const Distances& distances, int first, int count, const int* words,
                  std::vector<ColumnSummary>& columns) {
  const Dtype dtype = distances.dtype();
  const int none = infinity(dtype), width = distances.columns();
#pragma omp parallel for schedule(static) if (width >= kWorthThreads)
  for (int part = 0; part < width; part += kWorthThreads)  // a thread adds to columns of its own
    for (int i = 0; i < count; ++i) {
      const int* const row = words + static_cast<std::size_t>(i) * static_cast<std::size_t>(width);
      const int source = distances.source(first + i);
      for (int j = part; j < std::min(part + kWorthThreads, width); ++j) {
        if (row[j] == none || distances.target(j) == source) continue;
        ColumnSummary& column = columns[static_cast<std::size_t>(j)];
        ++column.reaching;
        column.sum += toDouble(row[j], dtype);
      }
    }
}

/// Gives each vertex the summary of its column, if there is one.
void shareColumns(const Distances& distances, const std::vector<ColumnSummary>& columns,
                  Summary& summary) {
  const auto n = static_cast<std::size_t>(distances.n());
  std::vector<int> columnOf(n, -1), rowsOf(n, 0);
  for (int j = 0; j < distances.columns(); ++j)
    columnOf[static_cast<std::size_t>(distances.target(j))] = j;
  for (const VertexSummary& each : summary.vertices)
    ++rowsOf[static_cast<std::size_t>(each.vertex)];
  for (VertexSummary& each : summary.vertices) {
    const auto vertex = static_cast<std::size_t>(each.vertex);
    each.otherSources = distances.rowCount() - rowsOf[vertex];
    if (columnOf[vertex] >= 0) each.incoming = columns[static_cast<std::size_t>(columnOf[vertex])];
  }
}

}  // namespace

double VertexSummary::outCloseness() const {
  return reachable == 0 ? 0 : reachable / sum;
}

std::optional<double> VertexSummary::networkxCloseness() const {
  if (!incoming) return std::nullopt;
  if (incoming->sum <= 0 || otherSources == 0) return 0;
  const double reaching = incoming->reaching;
  return reaching / otherSources * (reaching / incoming->sum);
}

std::uint64_t Summary::pairs() const {
  std::uint64_t pairs = 0;
  for (const VertexSummary& each : vertices) pairs += static_cast<std::uint64_t>(each.reachable);
  return pairs;
}

double Summary::mean() const {
  double sum = 0;
  for (const VertexSummary& each : vertices) sum += each.sum;
  return pairs() == 0 ? 0 : sum / static_cast<double>(pairs());
}

int Summary::diameter() const {
  std::optional<int> largest;
  for (const VertexSummary& each : vertices)
    if (each.reachable > 0 && (!largest || isLess(*largest, each.eccentricity, dtype)))
      largest = each.eccentricity;
  return largest.value_or(0);
}

std::optional<int> Summary::radius() const {
  std::optional<int> least;
  for (const VertexSummary& each : vertices) {
    if (each.reachable < each.others) continue;
    if (!least || isLess(each.eccentricity, *least, dtype)) least = each.eccentricity;
  }
  return least;
}

Summary summaryOf(const Distances& distances) {
  const int rows = distances.rowCount();
  const auto width = static_cast<std::size_t>(distances.columns());
  Summary summary{distances.dtype(), distances.isTable(),
                  std::vector<VertexSummary>(static_cast<std::size_t>(rows))};
  if (const Summaries* const known = distances.summaries()) {
    for (std::size_t i = 0; i < known->rows.size(); ++i) {
      const RowSummary& row = known->rows[i];
      VertexSummary& vertex = summary.vertices[i];
      vertex.vertex = distances.source(static_cast<int>(i));
      vertex.others = distances.n() - 1;
      vertex.reachable = row.reachable;
      vertex.eccentricity = row.largest;
      vertex.sum = row.sum;
    }
    shareColumns(distances, known->columns, summary);
    return summary;
  }
  std::vector<ColumnSummary> columns(width);
  distances.rows(0, rows, [&](int first, int count, const int* words) {
#pragma omp parallel for if (width >= kWorthThreads)
    for (int i = 0; i < count; ++i)
      summary.vertices[static_cast<std::size_t>(first + i)] =
          summaryOfRow(distances, first + i, words + static_cast<std::size_t>(i) * width);
    addToColumns(distances, first, count, words, columns);
  });
  shareColumns(distances, columns, summary);
  return summary;
}
