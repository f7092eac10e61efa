#include "measure/estimate.h"

#include <fmt/format.h>

#include <cmath>

#include "base/quantity.h"
#include "base/size.h"
#include "filtered/prospect.h"
#include "measure/peak.h"
#include "measure/tables.h"

namespace {

/// The GPU whose measured peak the program brings along.
constexpr const char* kGpuName = "NVIDIA H100 80GB HBM3";

}  // namespace

std::string methodText(const ProblemGraph& graph, const plan::Forecast& forecast) {
  using Choice = plan::Forecast::Choice;
  const std::string sparse =
      forecast.sparseMs ? roundedTime(*forecast.sparseMs) : std::string("unknown");
  const std::string dense = ", and the dense method " + roundedTime(forecast.denseMs);
  const Effort effort;
  const std::string otherwise =
      graph.n() < effort.vertices
          ? fmt::format("dense, because fewer than {} vertices are not filtered; ", effort.vertices)
          : "filtered if a survey finds few edges on shortest paths, else dense; ";
  switch (forecast.choice) {
    case Choice::kSparse:
      return fmt::format("sparse, because it is expected to take {}{}", sparse, dense);
    case Choice::kStreamed:
      return fmt::format("sparse, because a matrix has no room: {} needed",
                         bytesText(forecast.denseBytes));
    case Choice::kLevels:
      return fmt::format(
          "bfs, because all edges have the same weight, and it is expected to take {}{}",
          roundedTime(*forecast.levelsMs), dense);
    case Choice::kManyEdges:
      return otherwise +
             "not sparse, because looking for an order of elimination may take longer than it "
             "saves";
    case Choice::kNotWorth:
      return fmt::format("{}not sparse, because that is expected to take {}{}", otherwise, sparse,
                         dense);
    case Choice::kNoRoom:
      return fmt::format("{}not sparse, because that takes {}", otherwise,
                         bytesText(forecast.sparseBytes));
    case Choice::kMatrix:
      break;
  }
  return otherwise + "not sparse, because the graph is held as a matrix";
}

std::vector<Estimate> estimatesOf(const ProblemGraph& graph, const plan::Forecast& forecast,
                                  const std::string& results) {
  std::vector<Estimate> ways = {
      {"dense, this CPU", forecast.denseBytes, forecast.denseMs / 1e3, false}};
  if (forecast.sparseMs)
    ways.push_back({"sparse, this CPU", forecast.sparseBytes, *forecast.sparseMs / 1e3, false});
  if (forecast.levelsMs)
    ways.push_back({"bfs, this CPU", forecast.levelsBytes, *forecast.levelsMs / 1e3, false});
  const std::string name = shortDeviceName("gpu", kGpuName);
  const double peak = readPeak(peakFile(results, name), kGpuName, tierOf(graph.dtype()));
  if (peak <= 0) return ways;
  for (const int gpus : {1, 2, 8, 64}) {
    const auto parts = asSize(gpus);
    ways.push_back({fmt::format("dense, {} {}", gpus, gpus == 1 ? "H100" : "H100s"),
                    (matrixBytes(graph.n(), graph.dtype()) + parts - 1) / parts,
                    std::pow(graph.n(), 3) / peak / gpus, true});
  }
  return ways;
}
