// Solves the same graphs many times on the GPU, and expects the same bytes from every run.
//
//   delays [REPETITIONS [N ...]]      default: 20 1000 2500
//
// Linked with an apsp.cu that sleeps for random times at a few places (-DAPSP_DELAYS), it makes
// rare orders of events frequent. If the schedule lacks a wait, results differ. Linked with the
// usual apsp.cu (`undelayed`), it is the program that the sanitizers run.
//
// ErrorCode code: 0 if all runs are right, 1 if one is wrong or fails, 77 if there is no GPU.
#include <cstdio>
#include <exception>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "generate/families.h"
#include "ways.h"

namespace {

/// On these graphs, every distance depends on many rounds, and all distances fit in 16 bits.
const struct {
  const char* family;
  int range;
  bool undirected, symmetry;
} kGraphs[] = {
    {"permuted-ring", 10000, false, true},
    {"permuted-ring", 10000, true, true},
    {"grid", 100, false,
     false},  // symmetric anyway; many tiles hold no path for a long time, so products are skipped
    {"grid", 100, false, true},
};

/// Solves all graphs with n vertices in all ways and prints a line for each. Returns whether every
/// run was right.
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
    std::vector<Way> ways(std::begin(kWays), std::end(kWays));
    ways.insert(ways.end(), std::begin(kWideWays), std::end(kWideWays));
    for (Way way : ways) {
      way.options.symmetry = graph.symmetry;
      Outcome outcome;
      int right = 0;
      for (int i = 0; i < repetitions; ++i) {
        outcome = exercise.solve(way);
        const Mismatch wrong = exercise.wrong(outcome);
        if (wrong.count > 0)
          std::printf("wrong: %llu, the first at (%d, %d)\n",
                      static_cast<unsigned long long>(wrong.count), wrong.i, wrong.j);
        right += outcome.tier != Tier::kNone && wrong.count == 0;
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
  if (numbers.empty()) numbers = {20};
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
