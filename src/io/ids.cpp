#include "io/ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/memory.h"

std::vector<int> occurringIds(int n, const std::vector<Edge>& edges) {
  requireHostBytes(4 * edges.size() * sizeof(int), "the ids of the edges");
  std::vector<int> ids;
  if (static_cast<std::size_t>(n) / 64 <= edges.size()) {  // the bits take less room than the ids
    std::vector<bool> occurs(static_cast<std::size_t>(n));
    for (const Edge& e : edges) occurs[e.from] = occurs[e.to] = true;
    ids.reserve(static_cast<std::size_t>(std::count(occurs.begin(), occurs.end(), true)));
    for (int id = 0; id < n; ++id)
      if (occurs[id]) ids.push_back(id);
    return ids;
  }
  ids.reserve(2 * edges.size());
  for (const Edge& e : edges) ids.insert(ids.end(), {e.from, e.to});
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

int unusedIds(const Graph& graph) {
  return graph.n - static_cast<int>(occurringIds(graph.n, graph.edges()).size());
}

std::unique_ptr<OutputFile> openIds(const std::string& path, const Graph& graph) {
  if (graph.names.empty()) return nullptr;
  if (isStandardOutput(path))
    throw Error(Exit::kUsage,
                path +
                    ": --compact and --labels write a file with the ids beside the output: give "
                    "the output a file name");
  auto ids = std::make_unique<OutputFile>(idsFile(path));
  ids->requireRoom(graph.names.size());
  ids->write(graph.names.data(), graph.names.size());
  return ids;
}

void commitIds(OutputFile* ids, const std::string& path) {
  if (ids != nullptr) return ids->commit();
  const std::string stale = idsFile(path);
  std::error_code error;
  if (isStandardOutput(path) || !std::filesystem::is_regular_file(stale, error)) return;
  if (!std::filesystem::remove(stale, error))
    throw Error(Exit::kOutput,
                stale + ": belongs to an earlier file, and cannot be removed: " + error.message());
}
