#include "results/order_file.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/size.h"
#include "io/input.h"
#include "io/output.h"
#include "io/text.h"
#include "sparse/order.h"
#include "sparse/pattern.h"
#include "system/sha256.h"

namespace {

constexpr std::string_view kFirstLine = "apsp order of elimination, version 1";

std::string_view bytesOf(const std::vector<int>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), sizeof(int) * numbers.size()};
}

/// The second line of a file, which identifies the graph.
std::string secondLine(const sparse::Pattern& pattern) {
  const std::string digest =
      sha256(sha256(bytesOf(pattern.first)) + sha256(bytesOf(pattern.neighbours)));
  return fmt::format("{} vertices, edges {}", pattern.vertices(), digest);
}

EliminationOrder readOrder(const std::string& path, const sparse::Pattern& pattern) {
  Input in(path);
  Text text(in);
  if (!text.next() || text.rest() != kFirstLine)
    in.fail("is no order of elimination: name another file, or one that does not exist yet");
  if (!text.next() || text.rest() != secondLine(pattern))
    in.fail("is an order for a graph with other edges: name another file, or remove this one");
  const int n = pattern.vertices();
  EliminationOrder order;
  std::vector<char> seen(asSize(n));
  while (text.next()) {
    const int vertex = text.vertex(0, n - 1);
    if (std::exchange(seen[asSize(vertex)], 1) != 0)
      text.fail(fmt::format("vertex {} is there twice", vertex));
    text.endOfLine();
    order.push_back(vertex);
  }
  if (order.size() < asSize(n))
    in.fail(fmt::format("has {} of {} vertices: it was cut off", order.size(), n));
  return order;
}

void writeOrder(const std::string& path, const sparse::Pattern& pattern,
                const EliminationOrder& order) {
  OutputFile out(path);
  TextOutput text(out, order.size());
  text.print(FMT_COMPILE("{}\n{}\n"), kFirstLine, secondLine(pattern));
  for (const int vertex : order) text.print(FMT_COMPILE("{}\n"), vertex);
  text.flush();
  out.commit();
}

}  // namespace

KeptOrder keptOrder(const std::string& path, const Graph& graph) {
  KeptOrder kept;
  const sparse::Pattern pattern = sparse::patternOf(graph.n, graph.ends());
  kept.found = !std::filesystem::exists(path);
  EliminationOrder order;
  kept.milliseconds = millisecondsOf(
      [&] { order = kept.found ? sparse::eliminationOrder(pattern) : readOrder(path, pattern); });
  if (kept.found) writeOrder(path, pattern, order);
  kept.order = std::make_shared<const EliminationOrder>(std::move(order));
  return kept;
}
