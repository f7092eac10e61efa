#include "commands/structure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quantity.h"
#include "measure/calibration.h"
#include "measure/peak.h"
#include "solver/solver.h"

namespace {

/// "0: 3, 1: 20, 2-3: 400", and the most edges that a vertex has.
std::string histogramText(const DegreeHistogram& histogram, int most) {
  std::vector<std::string> bins;
  for (std::size_t b = 0; b < histogram.size(); ++b) {
    if (histogram[b] == 0) continue;
    const std::uint64_t low = b == 0 ? 0 : std::uint64_t{1} << (b - 1);
    const std::uint64_t high = b == 0 ? 0 : 2 * low - 1;
    const std::string range = low == high ? std::to_string(low) : fmt::format("{}-{}", low, high);
    bins.push_back(
        fmt::format("{}: {}", range, withCommas(static_cast<std::uint64_t>(histogram[b]))));
  }
  if (bins.empty()) return "no vertices";
  return fmt::format("{}; at most {}", fmt::join(bins, ", "), most);
}

std::string componentsText(const Components& found) {
  return counted(static_cast<std::uint64_t>(found.count), "component") +
         (found.count > 0 ? fmt::format(", the largest has {}",
                                        counted(static_cast<std::uint64_t>(found.largest), "vertex",
                                                "vertices"))
                          : "");
}

/// What keeps the weights from being a metric.
std::string metricText(const Metric& metric) {
  if (metric.holds()) return "yes";
  std::vector<std::string> reasons;
  if (metric.missing > 0)
    reasons.push_back(counted(metric.missing, "pair has", "pairs have") + " no edge");
  if (metric.asymmetric > 0)
    reasons.push_back(counted(metric.asymmetric, "edge has", "edges have") +
                      " no reverse of the same weight");
  if (metric.zeros > 0)
    reasons.push_back(counted(metric.zeros, "edge weighs", "edges weigh") + " 0");
  if (metric.longer > 0) reasons.emplace_back("some edges are longer than a way of two");
  if (reasons.empty()) return "probably: only some edges were compared";
  return fmt::format("no: {}", fmt::join(reasons, "; "));
}

std::string trianglesText(const Metric& metric) {
  const std::string of = counted(metric.looked, "edge") + (metric.all ? "" : " that were compared");
  if (metric.longer == 0) return "no way of two edges is shorter than one edge, of " + of;
  const Shortcut& first = *metric.first;
  return fmt::format(
      "of {}, {} longer than a way of two edges: {} -> {} has the length {:.9g}, "
      "over {} it is {:.9g}",
      of, counted(metric.longer, "is", "are"), first.from, first.to, first.edge, first.over,
      first.way);
}

std::string timeText(const Estimate& estimate) {
  constexpr double kShortest = 1e-6;  // seconds
  if (estimate.seconds < kShortest) return "less than 0.001 ms";
  return milliseconds(estimate.seconds * 1e3) + " ms" + (estimate.least ? " or more" : "");
}

}  // namespace

Structure structureOf(const ProblemGraph& graph) {
  const Graph& held = graph.onHost();
  Structure structure{
      weakComponents(held), strongComponents(held), degreesOf(held), metricOf(held), "", {}};
  useKeptCosts();
  const plan::Forecast forecast =
      plan::forecastOf(graph, findSolver("apsp", DeviceKind::kCpu), cpuDevice);
  structure.method = methodText(graph, forecast);
  structure.estimates = estimatesOf(graph, forecast, resultsFolder(""));
  return structure;
}

std::vector<std::pair<std::string, std::string>> structureLines(const Structure& structure) {
  std::vector<std::pair<std::string, std::string>> lines = {
      {"weak", componentsText(structure.weak) + ", if directions do not count"},
      {"strong", componentsText(structure.strong)},
      {"out-degree", histogramText(structure.degrees.out, structure.degrees.mostOut)},
      {"in-degree", histogramText(structure.degrees.in, structure.degrees.mostIn)},
      {"metric", metricText(structure.metric)},
      {"triangles", trianglesText(structure.metric)},
      {"method", "on a CPU " + structure.method}};
  std::string name = "estimates";
  for (const Estimate& each : structure.estimates) {
    lines.emplace_back(name, fmt::format("{:<18} {:>9}{}  {}", each.way, bytesText(each.bytes),
                                         each.least ? " each" : "     ", timeText(each)));
    name = "";
  }
  return lines;
}

Json structureJson(const Structure& structure) {
  const auto components = [](const Components& found) {
    return Json{{"count", found.count}, {"largest", found.largest}};
  };
  const Metric& metric = structure.metric;
  Json json = Json::object();
  json["weak_components"] = components(structure.weak);
  json["strong_components"] = components(structure.strong);
  json["out_degrees"] = structure.degrees.out;
  json["in_degrees"] = structure.degrees.in;
  const bool broken = metric.missing + metric.zeros + metric.asymmetric + metric.longer > 0;
  json["metric"] = metric.holds() ? Json(true) : broken ? Json(false) : Json();
  json["edges_compared"] = metric.looked;
  json["edges_longer_than_two"] = metric.longer;
  json["method"] = structure.method;
  Json ways = Json::array();
  for (const Estimate& each : structure.estimates)
    ways.push_back({{"way", each.way},
                    {"bytes", each.bytes},
                    {"seconds", each.seconds},
                    {"at_least", each.least}});
  json["estimates"] = ways;
  return json;
}
