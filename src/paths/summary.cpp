#include "paths/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/quantity.h"
#include "io/csv.h"
#include "paths/names.h"

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

}  // namespace

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
  if (const auto* const known = distances.summaries()) {
    for (std::size_t i = 0; i < known->size(); ++i) {
      const RowSummary& row = (*known)[i];
      VertexSummary& vertex = summary.vertices[i];
      vertex.vertex = distances.source(static_cast<int>(i));
      vertex.others = distances.n() - 1;
      vertex.reachable = row.reachable;
      vertex.eccentricity = row.largest;
      vertex.sum = row.sum;
    }
    return summary;
  }
  distances.rows(0, rows, [&](int first, int count, const int* words) {
#pragma omp parallel for if (width >= kWorthThreads)
    for (int i = 0; i < count; ++i)
      summary.vertices[static_cast<std::size_t>(first + i)] =
          summaryOfRow(distances, first + i, words + static_cast<std::size_t>(i) * width);
  });
  return summary;
}

std::string summaryText(const Summary& summary) {
  if (summary.table)
    return fmt::format("largest distance {}, mean distance {:.6g} over {} pairs",
                       weightText(summary.diameter(), summary.dtype), summary.mean(),
                       withCommas(summary.pairs()));
  const std::optional<int> radius = summary.radius();
  return fmt::format(
      "diameter {}, radius {}, mean distance {:.6g} over {} pairs",
      weightText(summary.diameter(), summary.dtype),
      radius ? weightText(*radius, summary.dtype) : "- (no vertex reaches all others)",
      summary.mean(), withCommas(summary.pairs()));
}

void writeSummary(OutputFile& out, const Summary& summary, const std::string& names) {
  const Names vertices(0, names);
  std::string text = csvLine({"vertex", "reachable", "eccentricity", "mean_distance"});
  for (const VertexSummary& each : summary.vertices) {
    text += csvLine({vertices(each.vertex), std::to_string(each.reachable),
                     weightText(each.eccentricity, summary.dtype), fmt::format("{}", each.mean())});
  }
  out.finish(text);
}
