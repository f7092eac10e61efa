// Helpers of the tests that use files: a directory for each test, bytes in and out of files, and
// the check of an Error's message.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
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
#include "base/error.h"
#include "base/graph.h"
#include "packed.h"

using namespace engine;

/// A new directory, which is removed with all its files at the end of the scope.
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

/// Runs `action` as the user nobody if we are root, because root may read every file.
template <class Action>
void unprivileged(Action&& action) {
  const uid_t mine = geteuid();
  if (mine == 0 && seteuid(65534) != 0) GTEST_SKIP() << "root without the right to become nobody";
  action();
  if (geteuid() != mine && seteuid(mine) != 0) std::abort();
}

/// Copies a small file into the directory in the environment variable APSP_SEEDS, if it is set,
/// under a name made of its content and extension. Fuzzing and the comparison with SciPy use these
/// files.
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
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  EXPECT_TRUE(file) << path;
  std::string bytes(file ? static_cast<std::size_t>(file.tellg()) : 0, '\0');
  file.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

/// The bytes of numbers as they lie in memory, which is little-endian on all supported machines.
template <class T = int>
std::string raw(const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

/// Whether the message contains the part. A number must stand alone: "12" is not in "128".
inline bool mentions(const std::string& message, const std::string& part) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (auto at = message.find(part); at != std::string::npos; at = message.find(part, at + 1))
    if (!digit(part.back()) ||
        ((at == 0 || !digit(message[at - 1])) && !digit(message[at + part.size()])))
      return true;
  return false;
}

/// Runs `action`, which must throw an Error with this code and a message of one line. The message
/// must contain `path` and, outside the path, each of the `parts`, which blanks separate. A part
/// that begins with ':' must follow the path at once.
template <class Action>
void expectError(ErrorCode code, const std::string& path, const std::string& parts,
                 Action&& action) {
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

/// Each edge exists with a chance of one in so many. The weights are whole numbers below kInf, as
/// near as T holds them.
template <class T = std::int32_t>
Edges<T> randomEdges(int n, int oneIn) {
  std::mt19937 random(n);
  Edges<T> edges;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && random() % oneIn == 0)
        edges.push_back({i, j, static_cast<T>(static_cast<int>(random() % kInf))});
  return edges;
}

/// The edges as (from, to, weight), which GoogleTest can compare and print. T: the type of the
/// weights.
template <class T = std::int32_t>
std::vector<std::array<T, 3>> triples(const Graph& graph) {
  std::vector<std::array<T, 3>> all;
  for (const Edge<T>& e : toEdges<T>(graph))
    all.push_back({static_cast<T>(e.from), static_cast<T>(e.to), e.weight});
  return all;
}

template <class T = std::int32_t>
std::vector<T> values(const Matrix& m) {
  return {m.data().as<T>(), m.data().as<T>() + m.size()};
}
