#include "submission/compile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/environment.h"
#include "core/process.h"
#include "core/progress.h"

namespace fs = std::filesystem;

namespace {

// ---- what we add to a submission --------------------------------------------------------------

struct SuppliedFile {
  const char *name, *content;
};

const SuppliedFile kSupplied[] = {
    {"apsp.h", R"(#pragma once

// graph: (n, n) device memory, row-major; graph[i*n+j] is the weight of edge i→j, then the distance.
void apsp(int n, int* graph);
void apspRef(int n, int* graph);
)"},
    {"cuda_utils.h", R"(#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

// Ends the program where a CUDA call fails.
#define CHK_CUDA_ERR(call)                                                             \
  do {                                                                                 \
    const cudaError_t chkCudaErr = (call);                                             \
    if (chkCudaErr != cudaSuccess) {                                                   \
      std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call,          \
                   cudaGetErrorString(chkCudaErr), cudaGetErrorName(chkCudaErr));      \
      std::exit(EXIT_FAILURE);                                                         \
    }                                                                                  \
  } while (0)
)"},
    // The runtime that is linked into a library keeps the errors of its launches to itself.
    {"launch_error.cpp", R"(#include <cuda_runtime_api.h>

extern "C" const char* apspLaunchError(const char** name) {
  const cudaError_t error = cudaGetLastError();
  *name = cudaGetErrorName(error);
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
)"},
};

const char* const kFlags[] = {"-O3", "-std=c++17", "-Xcompiler", "-fPIC", "-shared"};

// ---- files ------------------------------------------------------------------------------------

std::string contentOf(const std::string& path) {
  std::error_code unknown;
  if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown))  // it may have no end
    throw Error(Exit::kInput, path + ": cannot be read: not a regular file");
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || (file.peek() != EOF && !(text << file.rdbuf())))
    throw Error(Exit::kInput, path + ": cannot be read");
  return text.str();
}

/// The names in a source's lines `#include "name"`; of commented ones, too, which does no harm.
std::vector<std::string> includesOf(const std::string& source) {
  std::vector<std::string> names;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find('"'), close = line.find('"', open + 1);
    std::string directive = line.substr(0, open);
    directive.erase(std::remove_if(directive.begin(), directive.end(),
                                   [](unsigned char c) { return std::isspace(c); }),
                    directive.end());
    if (close != std::string::npos && directive == "#include")
      names.push_back(line.substr(open + 1, close - open - 1));
  }
  return names;
}

/// Adds the content of the file and of those that it includes, each once.
void addContent(const fs::path& path, std::set<fs::path>& seen, std::string& all) {
  if (!seen.insert(path.lexically_normal()).second) return;
  const std::string content = contentOf(path.string());
  all += fmt::format("{}|{}|", content.size(), content);
  for (const std::string& name : includesOf(content)) {
    std::error_code none;
    const fs::path included = path.parent_path() / name;
    if (fs::is_regular_file(included, none)) addContent(included, seen, all);
  }
}

/// A new folder, gone with all that it holds when the last of its owners is.
std::shared_ptr<fs::path> newFolder(const fs::path& parent) {
  std::string name = (parent / "build-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return nullptr;
  return {new fs::path(name), [](fs::path* folder) {
            std::error_code ignored;
            fs::remove_all(*folder, ignored);
            delete folder;
          }};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The folder that keeps what was built; empty where there is none.
fs::path cacheFolder() {
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (cache.empty() && home.empty()) return {};
  const fs::path folder = (cache.empty() ? fs::path(home) / ".cache" : fs::path(cache)) / "apsp";
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? fs::path() : folder;
}

// ---- the compiler -----------------------------------------------------------------------------

/// Where the Makefile looks for it.
std::string findNvcc() {
  std::vector<std::string> places;
  if (const std::string home = variable("CUDA_HOME"); !home.empty())
    places.push_back(home + "/bin");
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) places.push_back(folder);
  places.push_back("/usr/local/cuda/bin");
  for (const std::string& place : places) {
    const std::string nvcc = place + "/nvcc";
    if (access(nvcc.c_str(), X_OK) == 0) return nvcc;
  }
  throw Error(Exit::kGpu,
              "no nvcc to compile submissions with: set CUDA_HOME, or give a .so built elsewhere");
}

/// What it said within that time and its exit status; none where it was killed then.
std::pair<std::string, std::optional<int>> run(const std::vector<std::string>& argv,
                                               double seconds) {
  Process compiler(argv);
  const bool ended = compiler.await(seconds);
  const int status = compiler.stop(ended ? 10 : 0);
  return {compiler.takeOutput(), ended ? std::optional<int>(status) : std::nullopt};
}

/// The first line that tells of an error, else the first one.
std::string firstError(const std::string& log) {
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error") != std::string::npos || line.find("fatal") != std::string::npos)
      return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "nvcc says nothing" : first;
}

/// Compiles into `folder`, which gets all that is needed for it; returns the library there.
fs::path compile(const std::string& nvcc, const std::string& path, const std::string& arch,
                 const fs::path& folder, double seconds) {
  for (const SuppliedFile& file : kSupplied) std::ofstream(folder / file.name) << file.content;
  const Progress compiling("compiling " + path);
  const fs::path library = folder / "submission.so";
  // env: what a compiler that is killed leaves behind goes with the folder.
  std::vector<std::string> argv = {"/usr/bin/env", "TMPDIR=" + folder.string(), nvcc, arch};
  argv.insert(argv.end(), std::begin(kFlags), std::end(kFlags));
  const std::string errors = (folder / "launch_error.cpp").string();
  argv.insert(argv.end(), {"-I", folder.string(), "-o", library.string(), path, errors});
  const auto [log, status] = run(argv, seconds);
  if (!status)
    throw BuildError(fmt::format("{}: compiling it took more than {:g} s", path, seconds), log);
  if (*status != 0 || !fs::exists(library))
    throw BuildError(fmt::format("{}: does not compile: {}", path, firstError(log)), log);
  return library;
}

}  // namespace

std::string contentHash(const std::string& path) {
  std::set<fs::path> seen;
  std::string all;
  addContent(path, seen, all);
  return textHash(all);
}

Library build(const std::string& path, int capability, double seconds) {
  const std::string nvcc = findNvcc(), arch = fmt::format("-arch=sm_{}", capability);
  std::string key = contentHash(path) + arch + run({nvcc, "--version"}, seconds).first;
  for (const char* flag : kFlags) key += flag;
  for (const SuppliedFile& file : kSupplied) key += file.content;
  const fs::path cache = cacheFolder(), kept = cache / (textHash(key) + ".so");
  if (!cache.empty() && fs::exists(kept)) return {kept.string()};

  std::shared_ptr<fs::path> folder = cache.empty() ? nullptr : newFolder(cache);
  if (folder == nullptr) folder = newFolder(fs::temp_directory_path());
  if (folder == nullptr)
    throw Error(Exit::kOutput, fs::temp_directory_path().string() + ": no folder to compile in");
  const fs::path library = compile(nvcc, path, arch, *folder, seconds);
  std::error_code error;  // whoever builds the same at the same time renames the same
  if (!cache.empty()) fs::rename(library, kept, error);
  if (!cache.empty() && !error) return {kept.string()};
  return {library.string(), folder};
}
