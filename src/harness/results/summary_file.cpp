#include "results/summary_file.h"

#include <fmt/format.h>

#include <optional>

#include "base/quantity.h"
#include "io/csv.h"
#include "results/names.h"

std::string summaryText(const Summary& summary) {
  if (summary.table)
    return fmt::format("largest distance {}, mean distance {:.6g} over {}",
                       textOf(summary.diameter()), summary.mean(),
                       counted(summary.pairs(), "pair"));
  const std::optional<Number> radius = summary.radius();
  const bool all = summary.wiener().has_value();
  return fmt::format("diameter {}{}, radius {}, mean distance {:.6g} over {}",
                     textOf(summary.diameter()), all ? "" : " (of the pairs with a path)",
                     radius ? textOf(*radius) : "- (no vertex reaches all others)", summary.mean(),
                     counted(summary.pairs(), "pair"));
}

std::string measuresText(const Summary& summary) {
  const auto textOfTotal = [&](const Total& total) {
    return isWhole(summary.dtype) ? fmt::format("{}", total.whole) : fmt::format("{}", total.real);
  };
  if (summary.table)
    return fmt::format("efficiency {:.6g}, sum of distances {}", summary.efficiency(),
                       textOfTotal(summary.total));
  const std::optional<Total> wiener = summary.wiener();
  return fmt::format("global efficiency {:.6g}, Wiener index {}", summary.efficiency(),
                     wiener ? textOfTotal(*wiener) : "inf (some pairs have no path)");
}

void writeSummary(OutputFile& out, const Summary& summary, const std::string& names) {
  const Names vertices(0, names);
  const auto cell = [](std::optional<double> number) {
    return number ? fmt::format("{}", *number) : "";
  };
  std::string text = csvLine({"vertex", "reachable", "eccentricity", "mean_distance",
                              "out_closeness", "networkx_closeness", "out_harmonic",
                              "networkx_harmonic", "networkx_plain_closeness"});
  for (const VertexSummary& each : summary.vertices) {
    text += csvLine({vertices(each.vertex), std::to_string(each.reachable),
                     textOf(each.eccentricity), cell(each.mean()), cell(each.outCloseness()),
                     cell(each.networkxCloseness()), cell(each.harmonic),
                     cell(each.networkxHarmonic()), cell(each.networkxPlainCloseness())});
  }
  out.finish(text);
}

void writeHistogram(OutputFile& out, const Histogram& histogram) {
  std::string text = csvLine({"from", "to", "pairs"});
  for (const HistogramBin& bin : histogram.bins)
    text += csvLine({textOf(bin.from), textOf(bin.to), std::to_string(bin.pairs)});
  if (histogram.unreachable > 0)
    text += csvLine({"inf", "inf", std::to_string(histogram.unreachable)});
  out.finish(text);
}
