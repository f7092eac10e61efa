#include "results/summary_file.h"

#include <fmt/format.h>

#include <optional>

#include "base/quantity.h"
#include "io/csv.h"
#include "results/names.h"

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
  std::string text = csvLine({"vertex", "reachable", "eccentricity", "mean_distance",
                              "out_closeness", "networkx_closeness"});
  for (const VertexSummary& each : summary.vertices) {
    const std::optional<double> networkx = each.networkxCloseness();
    text += csvLine({vertices(each.vertex), std::to_string(each.reachable),
                     weightText(each.eccentricity, summary.dtype), fmt::format("{}", each.mean()),
                     fmt::format("{}", each.outCloseness()),
                     networkx ? fmt::format("{}", *networkx) : ""});
  }
  out.finish(text);
}
