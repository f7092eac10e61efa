// The farthest pair of a grid with random streets, in C++; with a progress line, and Ctrl-C ends the solve.
#include <apsp/apsp.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

volatile std::sig_atomic_t interrupted = 0;

int main(int argc, char** argv) {
  const int side = argc > 1 ? std::atoi(argv[1]) : 60;
  std::mt19937 random(1);
  std::vector<std::int32_t> tails, heads, seconds;
  const auto street = [&](int a, int b) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      tails.push_back(from);
      heads.push_back(to);
      seconds.push_back(static_cast<std::int32_t>(10 + random() % 90));
    }
  };
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      if (x + 1 < side) street(y * side + x, y * side + x + 1);
      if (y + 1 < side) street(y * side + x, (y + 1) * side + x);
    }
  std::signal(SIGINT, [](int) { interrupted = 1; });
  libapsp::Options options;
  options.progress = [](void*, const char* what, double done) {
    if (done >= 0) std::fprintf(stderr, "%s: %.0f %%\n", what, 100 * done);
    return static_cast<int>(interrupted);
  };
  try {
    const libapsp::Graph graph = libapsp::Graph::edges(side * side, tails, heads, seconds);
    const libapsp::Result result = graph.solve(options);
    apsp_summary farthest{};
    for (const apsp_summary& each : result.summaries())
      if (each.eccentricity > farthest.eccentricity) farthest = each;
    const auto row = result.rows<std::int32_t>(farthest.vertex, 1);
    int to = 0;
    for (int v = 0; v < side * side; ++v)
      if (row[static_cast<std::size_t>(v)] > row[static_cast<std::size_t>(to)]) to = v;
    std::printf("%d crossings, farthest pair %d -> %d: %d s over %zu crossings\n", side * side, farthest.vertex, to,
                row[static_cast<std::size_t>(to)], result.path(farthest.vertex, to).size());
  } catch (const libapsp::Error& error) {
    std::fprintf(stderr, "grid: %s\n", error.what());
    return error.status;
  }
}
