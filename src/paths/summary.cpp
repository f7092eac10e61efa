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
    ++summary.reachable;
    summary.eccentricity = std::max(summary.eccentricity, row[j]);  // floats have the same order
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
  int largest = 0;
  for (const VertexSummary& each : vertices) largest = std::max(largest, each.eccentricity);
  return largest;
}

int Summary::radius() const {
  int least = -1;
  for (const VertexSummary& each : vertices) {
    if (each.reachable + 1 < static_cast<int>(vertices.size())) continue;
    if (least < 0 || each.eccentricity < least) least = each.eccentricity;
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
  const int radius = summary.radius();
  return fmt::format(
      "diameter {}, radius {}, mean distance {:.6g} over {} pairs",
      weightText(summary.diameter(), summary.dtype),
      radius < 0 ? "- (no vertex reaches all others)" : weightText(radius, summary.dtype),
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
