#include "paths/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/quantity.h"
#include "io/csv.h"

namespace {

VertexSummary summaryOfRow(int source, int n, const int* row, Dtype dtype) {
  VertexSummary summary;
  const int none = infinity(dtype);
  for (int j = 0; j < n; ++j) {
    if (j == source || row[j] == none) continue;
    const bool first = summary.reachable++ == 0;
    // Floats have the same order. The first distance counts also if it is negative.
    summary.eccentricity = first ? row[j] : std::max(summary.eccentricity, row[j]);
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
    if (each.reachable > 0)
      largest = std::max(largest.value_or(each.eccentricity), each.eccentricity);
  return largest.value_or(0);
}

std::optional<int> Summary::radius() const {
  std::optional<int> least;
  for (const VertexSummary& each : vertices) {
    if (each.reachable + 1 < static_cast<int>(vertices.size())) continue;
    least = std::min(least.value_or(each.eccentricity), each.eccentricity);
  }
  return least;
}

Summary summaryOf(const Distances& distances) {
  const int n = distances.n();
  Summary summary{distances.dtype(), std::vector<VertexSummary>(static_cast<std::size_t>(n))};
  distances.rows(0, n, [&](int first, int count, const int* words) {
#pragma omp parallel for if (n >= kWorthThreads)
    for (int i = 0; i < count; ++i) {
      const int* const row = words + static_cast<std::size_t>(i) * static_cast<std::size_t>(n);
      summary.vertices[static_cast<std::size_t>(first + i)] =
          summaryOfRow(first + i, n, row, summary.dtype);
    }
  });
  return summary;
}

std::string summaryText(const Summary& summary) {
  const std::optional<int> radius = summary.radius();
  return fmt::format(
      "diameter {}, radius {}, mean distance {:.6g} over {} pairs",
      weightText(summary.diameter(), summary.dtype),
      radius ? weightText(*radius, summary.dtype) : "- (no vertex reaches all others)",
      summary.mean(), withCommas(summary.pairs()));
}

void writeSummary(OutputFile& out, const Summary& summary, const std::string& names) {
  std::istringstream lines(names);
  std::string text = csvLine({"vertex", "reachable", "eccentricity", "mean_distance"});
  for (std::size_t i = 0; i < summary.vertices.size(); ++i) {
    const VertexSummary& each = summary.vertices[i];
    std::string name = std::to_string(i);
    if (!names.empty()) std::getline(lines, name);
    text += csvLine({name, std::to_string(each.reachable),
                     weightText(each.eccentricity, summary.dtype), fmt::format("{}", each.mean())});
  }
  out.finish(text);
}
