// Solves the same graphs again and again on the GPU and demands the same bytes of every run.
//
//   delays [REPETITIONS [N ...]]      default: 200 1000 2500
//
// Linked with an apsp.cu that waits here and there for a while that is different each time
// (-DAPSP_DELAYS), it brings about orders of events that are rare otherwise: a wait that the
// schedule lacks shows. Linked with apsp.cu as it is (`undelayed`), it is what sanitizers run.
//
// Exit: 0 all runs are right, 1 one is not, or failed, 77 there is no GPU.
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "ways.h"

namespace {

/// Graphs on which every distance depends on many rounds, and all are near enough for 16 bits.
const struct {
  const char* family;
  int range;
  bool undirected, symmetry;
} kGraphs[] = {
    {"permuted-ring", 10000, false, true},
    {"permuted-ring", 10000, true, true},
    {"grid", 100, false, false},  // symmetric anyhow; many tiles hold no path for long: skipped
    {"grid", 100, false, true},
};

/// Solves all graphs of n vertices in all ways, a line each; whether every run was right.
bool repeat(const Device& gpu, int n, int repetitions) {
  bool allRight = true;
  for (const auto& graph : kGraphs) {
    Spec spec;
    spec.family = familyIndex(graph.family);
    spec.n = n;
    spec.seed = std::random_device{}();
    spec.range = graph.range;
    spec.undirected = graph.undirected;
    Exercise exercise(gpu, spec);
    for (Way way : kWays) {
      way.options.symmetry = graph.symmetry;
      Outcome outcome;
      int right = 0;
      for (int i = 0; i < repetitions; ++i) {
        outcome = exercise.solve(way);
        right += outcome.tier != Tier::kNone && exercise.wrong(outcome).count == 0;
      }
      std::printf("%s: %s: %s%s%s, %d of %d right\n", describe(spec).c_str(), describe(way).c_str(),
                  nameOf(outcome.tier).c_str(), outcome.symmetric ? ", half" : "",
                  outcome.skipped ? ", skipping" : "", right, repetitions);
      std::fflush(stdout);
      allRight &= right == repetitions;
    }
  }
  return allRight;
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<int> numbers;
  for (int i = 1; i < argc; ++i) numbers.push_back(std::stoi(argv[i]));
  if (numbers.empty()) numbers = {200};
  if (numbers.size() == 1) numbers.insert(numbers.end(), {1000, 2500});
  std::string why;
  const Device* const gpu = findGpu(why);
  if (gpu == nullptr) {
    std::fprintf(stderr, "no GPU: %s\n", why.c_str());
    return 77;
  }
  bool right = true;
  for (std::size_t i = 1; i < numbers.size(); ++i) right &= repeat(*gpu, numbers[i], numbers[0]);
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "delays: %s\n", e.what());
  return 1;
}
