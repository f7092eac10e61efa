#include "paths/summary.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/size.h"

namespace engine {

namespace {

/// Tells each vertex how many others there are, and the summary of its column, if there is one.
void shareColumns(const Distances& distances, const std::vector<ColumnSummary>& columns,
                  Summary& summary) {
  const auto n = asSize(distances.n());
  std::vector<int> columnOf(n, -1), columnsOf(n, 0), rowsOf(n, 0);
  for (int j = 0; j < distances.columns(); ++j) {
    columnOf[asSize(distances.target(j))] = j;
    ++columnsOf[asSize(distances.target(j))];
  }
  for (const VertexSummary& each : summary.vertices) ++rowsOf[asSize(each.vertex)];
  for (VertexSummary& each : summary.vertices) {
    const auto vertex = asSize(each.vertex);
    each.others = distances.columns() - columnsOf[vertex];
    each.otherSources = distances.rowCount() - rowsOf[vertex];
    if (columnOf[vertex] >= 0) each.incoming = columns[asSize(columnOf[vertex])];
  }
}

}  // namespace

double VertexSummary::outCloseness() const {
  return reachable == 0 ? 0 : reachable / sum;
}

std::optional<double> VertexSummary::networkxCloseness() const {
  const std::optional<double> plain = networkxPlainCloseness();
  if (!plain || otherSources == 0) return plain;
  return static_cast<double>(incoming->reaching) / otherSources * *plain;
}

std::optional<double> VertexSummary::networkxPlainCloseness() const {
  if (!incoming) return std::nullopt;
  return incoming->sum <= 0 ? 0 : incoming->reaching / incoming->sum;
}

std::optional<double> VertexSummary::networkxHarmonic() const {
  if (!incoming) return std::nullopt;
  return incoming->harmonic;
}

std::uint64_t Summary::pairs() const {
  std::uint64_t pairs = 0;
  for (const VertexSummary& each : vertices) pairs += static_cast<std::uint64_t>(each.reachable);
  return pairs;
}

double Summary::mean() const {
  return pairs() == 0 ? 0 : total.value() / static_cast<double>(pairs());
}

std::uint64_t Summary::otherPairs() const {
  std::uint64_t pairs = 0;
  for (const VertexSummary& each : vertices) pairs += static_cast<std::uint64_t>(each.others);
  return pairs;
}

double Summary::efficiency() const {
  double sum = 0;
  for (const VertexSummary& each : vertices) sum += each.harmonic;
  return otherPairs() == 0 ? 0 : sum / static_cast<double>(otherPairs());
}

std::optional<Total> Summary::wiener() const {
  if (pairs() < otherPairs()) return std::nullopt;
  return total;
}

Number Summary::diameter() const {
  std::optional<Number> largest;  // numbers of one type: the comparison is theirs
  for (const VertexSummary& each : vertices)
    if (each.reachable > 0 && (!largest || *largest < each.eccentricity))
      largest = each.eccentricity;
  return largest.value_or(zeroOf(dtype));
}

std::optional<Number> Summary::radius() const {
  std::optional<Number> least;
  for (const VertexSummary& each : vertices) {
    if (each.reachable < each.others) continue;
    if (!least || each.eccentricity < *least) least = each.eccentricity;
  }
  return least;
}

Summary summaryOf(const Distances& distances) {
  const Summaries found = summariesOf(distances);
  Summary summary{distances.dtype(), distances.isTable(), {}};
  summary.vertices.resize(found.rows.size());
  summary.total = found.total;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const RowSummary& row = found.rows[i];
    VertexSummary& vertex = summary.vertices[i];
    vertex.vertex = distances.source(static_cast<int>(i));
    vertex.reachable = row.reachable;
    vertex.eccentricity = row.largest;
    vertex.sum = row.sum;
    vertex.harmonic = row.harmonic;
  }
  shareColumns(distances, found.columns, summary);
  return summary;
}

}  // namespace engine
