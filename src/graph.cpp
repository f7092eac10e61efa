#include "graph.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "apsp.h"
#include "error.h"

namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// ---- Sorting -------------------------------------------------------------------------------

constexpr int kDigitBits = 11;  // 2048 counters and as many write streams stay in the L1 cache

int bitsFor(int n) {
  int bits = 1;
  while (n > 1 && (n - 1) >> bits != 0) ++bits;
  return bits;
}

/// (from, to) as one number of 2 * bits bits, in the order that edges are kept in.
std::uint64_t key(const Edge& e, int bits) {
  return static_cast<std::uint64_t>(e.from) << bits | static_cast<std::uint64_t>(e.to);
}

/// One pass of an LSD radix sort: moves `in` to `out`, stably, by one digit of the key. False, and
/// nothing moved, where all edges share that digit.
bool scatter(const std::vector<Edge>& in, std::vector<Edge>& out, int bits, int shift) {
  constexpr std::uint64_t kMask = (1u << kDigitBits) - 1;
  std::vector<std::size_t> start(kMask + 1);
  for (const Edge& e : in) ++start[key(e, bits) >> shift & kMask];
  if (start[key(in[0], bits) >> shift & kMask] == in.size()) return false;

  std::size_t sum = 0;
  for (std::size_t& s : start) sum += std::exchange(s, sum);
  for (const Edge& e : in) out[start[key(e, bits) >> shift & kMask]++] = e;
  return true;
}

void sortEdges(int n, std::vector<Edge>& edges) {
  const int bits = bitsFor(n);
  const auto before = [bits](const Edge& a, const Edge& b) { return key(a, bits) < key(b, bits); };
  if (std::is_sorted(edges.begin(), edges.end(), before)) return;

  requireHostBytes(edges.size() * sizeof(Edge), "sorting the edges");
  std::vector<Edge> other(edges.size());
  for (int shift = 0; shift < 2 * bits; shift += kDigitBits)
    if (scatter(edges, other, bits, shift)) edges.swap(other);
}

// ---- Free memory ---------------------------------------------------------------------------

/// The text of a small file of /proc or /sys; empty where there is none.
std::string contents(const std::string& path) {
  std::string text;
  if (std::FILE* file = std::fopen(path.c_str(), "re")) {
    char block[4096];
    while (const std::size_t got = std::fread(block, 1, sizeof block, file))
      text.append(block, got);
    std::fclose(file);
  }
  return text;
}

/// The number after `label` at the start of a line of `text`; `otherwise` where there is none.
std::size_t numberAfter(const std::string& text, const std::string& label, std::size_t otherwise) {
  const std::size_t at = text.rfind(label, 0) == 0 ? 0 : text.find("\n" + label);
  if (at == std::string::npos) return otherwise;
  const std::size_t number =
      text.find_first_not_of("\n \t", at == 0 ? label.size() : at + 1 + label.size());
  if (number == std::string::npos || text[number] < '0' || text[number] > '9') return otherwise;
  return std::strtoull(text.c_str() + number, nullptr, 10);
}

/// Where one version of control groups keeps its numbers.
struct CgroupFiles {
  const char *root, *limit, *usage, *inactiveCache, *activeCache;
};
constexpr CgroupFiles kCgroupV1{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
                                "/memory.usage_in_bytes", "total_inactive_file",
                                "total_active_file"};
constexpr CgroupFiles kCgroupV2{"/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file",
                                "active_file"};

/// What a group and its ancestors leave. The page cache is counted as used there, but the kernel
/// gives it back.
std::size_t cgroupFree(const CgroupFiles& files, std::string group) {
  std::size_t free = kUnlimited;
  while (true) {
    const std::string folder = files.root + group;
    const std::size_t limit = numberAfter(contents(folder + files.limit), "", kUnlimited);
    if (limit != kUnlimited) {
      const std::string stat = contents(folder + "/memory.stat");
      const std::size_t cache =
          numberAfter(stat, files.inactiveCache, 0) + numberAfter(stat, files.activeCache, 0);
      const std::size_t usage = numberAfter(contents(folder + files.usage), "", 0);
      const std::size_t held = usage - std::min(usage, cache);
      free = std::min(free, limit - std::min(limit, held));
    }
    if (group.empty()) return free;
    group.erase(std::min(group.rfind('/'), group.size() - 1));
  }
}

/// What the control groups of this process leave; a line of /proc/self/cgroup is
/// `number:controllers:path`, with no controllers for version 2.
std::size_t cgroupsFree() {
  const std::string text = contents("/proc/self/cgroup");
  std::size_t free = kUnlimited;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") free = std::min(free, cgroupFree(kCgroupV2, group));
    if (controllers.find(",memory,") != std::string::npos)
      free = std::min(free, cgroupFree(kCgroupV1, group));
  }
  return free;
}

/// What `ulimit -v` leaves.
std::size_t addressSpaceFree() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const std::size_t pages = numberAfter(contents("/proc/self/statm"), "", 0);
  const std::size_t used = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used);
}

}  // namespace

std::size_t freeHostBytes() {
  constexpr std::size_t kKilo = 1024;
  const std::size_t available =
      numberAfter(contents("/proc/meminfo"), "MemAvailable:", kUnlimited / kKilo);
  return std::min({available * kKilo, cgroupsFree(), addressSpaceFree()});
}

void requireHostBytes(std::size_t bytes, const char* what) {
  const std::size_t free = freeHostBytes();
  if (bytes > free)
    throw Error(Exit::kMemory, fmt::format("{} needs {} bytes of host memory, {} are free: take a "
                                           "smaller graph or a larger machine",
                                           what, bytes, free));
}

Matrix::Matrix(int n) : n_(n) {
  if (n == 0) return;
  constexpr std::size_t kAlignment = 64;
  const std::size_t bytes = (size() * sizeof(int) + kAlignment - 1) / kAlignment * kAlignment;
  const std::string what = fmt::format("a {} x {} matrix", n, n);
  requireHostBytes(bytes, what.c_str());
  data_.reset(static_cast<int*>(std::aligned_alloc(kAlignment, bytes)));
  if (!data_)
    throw Error(Exit::kMemory, fmt::format("{}: no {} bytes of host memory", what, bytes));
}

Graph fromEdges(int n, std::vector<Edge> edges) {
  sortEdges(n, edges);
  Graph graph;
  graph.n = n;
  std::size_t kept = 0;
  for (const Edge& e : edges) {
    if (e.from == e.to) {
      ++graph.selfLoops;
    } else if (kept > 0 && edges[kept - 1].from == e.from && edges[kept - 1].to == e.to) {
      ++graph.duplicates;
      edges[kept - 1].weight = std::min(edges[kept - 1].weight, e.weight);
    } else {
      edges[kept++] = e;
    }
  }
  edges.resize(kept);
  graph.body = std::move(edges);
  return graph;
}

Matrix toMatrix(Graph graph) {
  if (graph.dense()) return std::get<Matrix>(std::move(graph.body));
  Matrix matrix(graph.n);
  writeMatrix(graph.n, graph.edges(), matrix.data());
  return matrix;
}

void writeMatrix(int n, const std::vector<Edge>& edges, int* matrix) {
  const auto row = [=](int i) { return matrix + static_cast<std::size_t>(i) * n; };
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::fill_n(row(i), n, kInf);
    row(i)[i] = 0;
  }
  for (const Edge& e : edges) row(e.from)[e.to] = std::min(row(e.from)[e.to], e.weight);
}

std::vector<Edge> toEdges(const Graph& graph) {
  if (!graph.dense()) return graph.edges();
  const std::size_t count = tally(graph).edges;
  requireHostBytes(count * sizeof(Edge), "the edge list of a dense graph");
  std::vector<Edge> edges;
  edges.reserve(count);
  forEachEdge(graph, [&](const Edge& e) { edges.push_back(e); });
  return edges;
}

Tally tally(const Graph& graph) {
  if (graph.dense()) return tally(graph.n, graph.matrix().data());
  Tally t;
  t.edges = graph.edges().size();
  for (const Edge& e : graph.edges()) {
    t.hash += edgeHash(e.from, e.to, e.weight);
    t.maxWeight = std::max(t.maxWeight, e.weight);
  }
  return t;
}

Tally tally(int n, const int* matrix) {
  std::uint64_t edges = 0, hash = 0;
  int maxWeight = 0;
#pragma omp parallel for reduction(+ : edges, hash) reduction(max : maxWeight)
  for (int i = 0; i < n; ++i) {
    const int* row = matrix + static_cast<std::size_t>(i) * n;
    for (int j = 0; j < n; ++j) {
      if (i == j || row[j] >= kInf) continue;
      ++edges;
      hash += edgeHash(i, j, row[j]);
      maxWeight = std::max(maxWeight, row[j]);
    }
  }
  return {edges, hash, maxWeight};
}
