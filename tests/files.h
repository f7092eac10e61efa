// Helpers of the tests that touch files: a directory of their own, bytes in and out, what an Error
// must say.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "apsp.h"
#include "core/error.h"
#include "core/graph.h"

/// A fresh directory, gone with everything in it at the end of the scope.
struct TempDir {
  std::string path = (std::filesystem::temp_directory_path() / "apsp-test-XXXXXX").string();

  TempDir() {
    if (!mkdtemp(path.data())) throw std::runtime_error("cannot make " + path);
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::permissions(path, std::filesystem::perms(0700), ignored);
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string& name) const { return path + "/" + name; }

  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      all.insert(entry.path().filename().string());
    return all;
  }
};

/// Runs `action` as nobody if we are root, whom permissions do not bind.
template <class Action>
void unprivileged(Action&& action) {
  const uid_t mine = geteuid();
  if (mine == 0 && seteuid(65534) != 0) GTEST_SKIP() << "root without the right to become nobody";
  action();
  if (geteuid() != mine && seteuid(mine) != 0) std::abort();
}

/// Copies a small file into the directory that APSP_SEEDS names, if it does: from what the tests
/// read and write, fuzzing and comparing with SciPy start. Named by content and extension.
inline void keepSeed(const std::string& path) {
  constexpr std::size_t kLargest = 4096;
  const char* seeds = std::getenv("APSP_SEEDS");
  if (!seeds || std::filesystem::file_size(path) > kLargest) return;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::string name = path.substr(path.rfind('/') + 1);
  std::ostringstream seed;
  seed << seeds << '/' << std::hex << std::hash<std::string>()(bytes)
       << name.substr(std::min(name.find('.'), name.size()));
  std::ofstream(seed.str(), std::ios::binary) << bytes;
}

inline void writeBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  keepSeed(path);
}

inline std::string readBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The bytes of numbers as they lie in memory (little-endian on every machine we run on).
template <class T = int>
std::string raw(const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

/// One gzip member holding `bytes`.
inline std::string gzipped(const std::string& bytes) {
  const TempDir dir;
  const gzFile file = gzopen((dir / "z").c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  if (gzclose(file) != Z_OK) throw std::runtime_error("cannot gzip");
  return readBytes(dir / "z");
}

/// Whether the message holds the part; a number must stand alone: "12" is not in "128".
inline bool mentions(const std::string& message, const std::string& part) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (auto at = message.find(part); at != std::string::npos; at = message.find(part, at + 1))
    if (!digit(part.back()) ||
        ((at == 0 || !digit(message[at - 1])) && !digit(message[at + part.size()])))
      return true;
  return false;
}

/// Runs `action`, which must throw an Error of this code whose one-line message names `path` and,
/// outside the path, every word of `parts`. A word that begins with ':' must follow the path at
/// once.
template <class Action>
void expectError(Exit code, const std::string& path, const std::string& parts, Action&& action) {
  try {
    action();
    ADD_FAILURE() << "no Error";
  } catch (const Error& error) {
    const std::string message = error.what();
    SCOPED_TRACE("message: " + message);
    EXPECT_EQ(static_cast<int>(code), static_cast<int>(error.code));
    EXPECT_EQ(std::string::npos, message.find('\n')) << "not one line";
    EXPECT_NE(std::string::npos, message.find(path)) << "the path is missing: " << path;
    std::string rest = message;
    if (const auto at = rest.find(path); at != std::string::npos) rest.erase(at, path.size());
    std::istringstream words(parts);
    for (std::string part; words >> part;)
      EXPECT_TRUE(part[0] == ':' ? mentions(message, path + part) : mentions(rest, part))
          << "missing: " << part;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not an Error: " << error.what();
  }
}

inline std::vector<Edge> randomEdges(int n, int oneIn) {
  std::mt19937 random(n);
  std::vector<Edge> edges;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && random() % oneIn == 0)
        edges.push_back({i, j, static_cast<int>(random() % kInf)});
  return edges;
}

/// The edges as plain triples, which compare and print.
inline std::vector<std::array<int, 3>> triples(const Graph& graph) {
  std::vector<std::array<int, 3>> all;
  for (const Edge& e : toEdges(graph)) all.push_back({e.from, e.to, e.weight});
  return all;
}

inline std::vector<int> values(const Matrix& m) {
  return {m.data(), m.data() + m.size()};
}
