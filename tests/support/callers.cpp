// Threads that call the library at the same time: `make races` runs them under ThreadSanitizer.
// Each solves its own graph and one that all share, by every method, and takes rows, paths and
// summaries of a result that all share.
#include <apsp/apsp.hpp>

#include <atomic>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

namespace {

struct Arrays {
  std::vector<std::int32_t> tails, heads, weights;
};

Arrays randomArrays(int n, int edges, unsigned seed) {
  std::mt19937 random(seed);
  Arrays arrays;
  for (int e = 0; e < edges; ++e) {
    arrays.tails.push_back(static_cast<int>(random() % static_cast<unsigned>(n)));
    arrays.heads.push_back(static_cast<int>(random() % static_cast<unsigned>(n)));
    arrays.weights.push_back(static_cast<int>(random() % 1000));
  }
  return arrays;
}

template <class T = std::int32_t>
std::vector<T> solved(const libapsp::Graph& graph, int method, int ranks = 1) {
  libapsp::Options options;
  options.place = APSP_CPU;
  options.method = static_cast<apsp_method>(method);
  options.threads = 2;
  options.ranks = ranks;
  options.progress = [](void*, const char*, double) { return 0; };
  return graph.solve(options).matrix<T>();
}

}  // namespace

int main() {
  constexpr int n = 150;
  const Arrays arrays = randomArrays(n, 900, 1);
  const libapsp::Graph shared =
      libapsp::Graph::edges(n, arrays.tails, arrays.heads, arrays.weights);
  const libapsp::Result result = shared.solve();
  const auto expected = result.matrix<std::int32_t>();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Arrays mine = randomArrays(n, 600, 2 + static_cast<unsigned>(t));
      const libapsp::Graph own = libapsp::Graph::edges(n, mine.tails, mine.heads, mine.weights);
      const auto dense = solved(own, APSP_DENSE);
      const std::vector<std::int64_t> heavy(mine.weights.size(), (std::int64_t{1} << 40) + t);
      const std::vector<double> real(mine.weights.size(), 0.1 * (t + 1));
      const libapsp::Graph whole = libapsp::Graph::edges(n, mine.tails, mine.heads, heavy);
      const libapsp::Graph rounded = libapsp::Graph::edges(n, mine.tails, mine.heads, real);
      const auto wide = solved<std::int64_t>(whole, APSP_DENSE);
      for (int method = 0; method < 4; ++method) {
        if (solved(shared, method) != expected || solved(own, method) != dense) ++wrong;
        if (method < 2 && solved(own, method, 2 + method) != dense) ++wrong;
        if (solved<std::int64_t>(whole, method) != wide) ++wrong;
        if (solved<double>(rounded, method).size() != dense.size()) ++wrong;
        if (result.rows<std::int32_t>(t, 1)[0] != expected[static_cast<std::size_t>(t * n)])
          ++wrong;
        result.path(t, method);
        if (result.summaries().size() != n || result.predecessors(t, 1).size() != n) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("4 threads, %d wrong\n", wrong.load());
  return wrong == 0 ? 0 : 1;
}
