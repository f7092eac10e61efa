#include "io/ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

std::vector<int> occurringIds(int n, const EndsOf& edges) {
  requireHostBytes(4 * edges.size() * sizeof(int), "the ids of the edges");
  std::vector<int> ids;
  if (asSize(n) / 64 <= edges.size()) {  // the bits take less room than the ids
    std::vector<bool> occurs(asSize(n));
    for (const Ends e : edges) occurs[e.from] = occurs[e.to] = true;
    ids.reserve(asSize(std::count(occurs.begin(), occurs.end(), true)));
    for (int id = 0; id < n; ++id)
      if (occurs[id]) ids.push_back(id);
    return ids;
  }
  ids.reserve(2 * edges.size());
  for (const Ends e : edges) ids.insert(ids.end(), {e.from, e.to});
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

int unusedIds(const Graph& graph) {
  return graph.n - static_cast<int>(occurringIds(graph.n, graph.ends()).size());
}

namespace {

namespace fs = std::filesystem;

/// The program makes a file of ids exactly so much older than its output. Nobody else does that:
/// two files that are written one after the other have the same time, or times that differ by more.
/// A file system that stores times in steps of 100 ns keeps the difference, too.
constexpr std::chrono::microseconds kOlder{1};

bool isOurs(const std::string& output) {
  std::error_code none, nor;
  const auto written = fs::last_write_time(output, none);
  return written - fs::last_write_time(idsFile(output), nor) == kOlder && !none && !nor;
}

bool holds(const std::string& path, const std::string& text) {
  std::error_code error;
  if (fs::file_size(path, error) != text.size() || error) return false;
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {}) == text;
}

}  // namespace

IdsBeside::IdsBeside(const std::string& output, const std::string& names, bool force)
    : output_(output) {
  const std::string path = idsFile(output);
  if (!names.empty() && isStandardOutput(output))
    throw Error(ErrorCode::kUsage,
                output +
                    ": --compact and --labels write a file with the ids beside the output: give "
                    "the output a file name");
  std::error_code error;
  const bool exists = !isStandardOutput(output) && fs::is_regular_file(path, error);
  stale_ = exists && (force || isOurs(output));
  foreign_ = exists && !stale_;
  if (names.empty()) return;
  if (foreign_ && !holds(path, names))
    throw Error(ErrorCode::kOutput,
                fs::exists(output, error)
                    ? fmt::format("{}: is not a file that this program wrote with {}, and the ids "
                                  "would replace it: move it, or give --force",
                                  path, output)
                    : fmt::format("{}: {} is not there, so nobody can tell whether these are its "
                                  "ids, and others would replace them: move it, or give --force",
                                  path, output));
  foreign_ = false;
  file_ = std::make_unique<OutputFile>(path);
  file_->requireRoom(names.size());
  file_->write(names.data(), names.size());
}

void IdsBeside::commit() {
  const std::string path = idsFile(output_);
  std::error_code error;
  if (file_ != nullptr) {
    file_->commit();
    const auto written = fs::last_write_time(output_, error);
    if (!error) fs::last_write_time(path, written - kOlder, error);  // else it is recognised less
    return;
  }
  if (stale_ && !fs::remove(path, error) && error)
    throw Error(ErrorCode::kOutput,
                path + ": belongs to an earlier file, and cannot be removed: " + error.message());
}

std::string IdsBeside::note() const {
  if (!foreign_) return "";
  return fmt::format("{}: this program did not write it, so it stays: its ids are not those of {}",
                     idsFile(output_), output_);
}
