#include "submission/compile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/process.h"
#include "core/progress.h"
#include "core/sha256.h"
#include "core/shell.h"
#include "core/utf8.h"

namespace fs = std::filesystem;

namespace {

// ---- files that we supply to a submission -----------------------------------------------------

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

// Ends the program if a CUDA call fails.
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
    // Every library is linked with its own copy of the CUDA runtime, which alone knows the errors
    // of the library's launches. The worker asks it through this function.
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
  // A pipe or a device may have no end.
  if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown))
    throw Error(Exit::kInput, path + ": cannot be read: not a regular file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || (file.peek() != EOF && !(text << file.rdbuf())))
    throw Error(Exit::kInput, fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return text.str();
}

/// The names in the lines `#include "name"` of a source. Lines in comments count, too: that does no
/// harm.
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

/// Appends the content of the file and of the files that it includes, each once.
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

/// A new folder, which is deleted with its content when its last owner is; nullptr if it cannot be
/// made.
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

/// The folder that keeps compiled libraries; empty if there is none.
fs::path cacheFolder() {
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (cache.empty() && home.empty()) return {};
  const fs::path folder = (cache.empty() ? fs::path(home) / ".cache" : fs::path(cache)) / "apsp";
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? fs::path() : folder;
}

// ---- the compiler -----------------------------------------------------------------------------

/// Searches where the Makefile does. Throws Error(kGpu) that names the source.
std::string findNvcc(const std::string& source) {
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
  throw Error(
      Exit::kGpu,
      source +
          ": no nvcc to compile it with: set CUDA_HOME, or give a .so that is built elsewhere: " +
          buildCommand(source));
}

/// Runs a program for at most `seconds`. Returns its output and its exit status, or no status if it
/// took longer and was killed.
std::pair<std::string, std::optional<int>> run(const std::vector<std::string>& argv,
                                               double seconds) {
  Process compiler(argv);
  const bool ended = compiler.await(seconds);
  const int status = compiler.stop(ended ? 10 : 0);
  return {compiler.takeOutput(), ended ? std::optional<int>(status) : std::nullopt};
}

/// The first line that names an error, otherwise the first line.
std::string firstError(const std::string& log) {
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error") != std::string::npos || line.find("fatal") != std::string::npos)
      return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "nvcc printed nothing" : first;
}

/// Compiles in `folder`; returns the library there. Throws BuildError.
fs::path compile(const std::string& nvcc, const std::string& path, const std::string& arch,
                 const fs::path& folder, double seconds) {
  for (const SuppliedFile& file : kSupplied) std::ofstream(folder / file.name) << file.content;
  const Progress compiling("compiling " + path);
  const fs::path library = folder / "submission.so";
  // If the compiler is killed, its temporary files are deleted with the folder.
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

std::string buildCommand(const std::string& path) {
  const std::string source = shellWord(path),
                    library = shellWord(fs::path(path).replace_extension(".so").string());
  const char* const compiler =
      endsWith(path, ".cu") ? "nvcc -O3 -shared -Xcompiler -fPIC" : "g++ -O3 -shared -fPIC";
  return fmt::format("{} {} -o {}", compiler, source, library);
}

std::string contentHash(const std::string& path) {
  std::set<fs::path> seen;
  std::string all;
  addContent(path, seen, all);
  return sha256(all);
}

Library build(const std::string& path, int capability, double seconds) {
  const std::string nvcc = findNvcc(path), arch = fmt::format("-arch=sm_{}", capability);
  std::string key = contentHash(path) + arch + run({nvcc, "--version"}, seconds).first;
  for (const char* flag : kFlags) key += flag;
  for (const SuppliedFile& file : kSupplied) key += file.content;
  const fs::path cache = cacheFolder(), kept = cache / (sha256(key) + ".so");
  if (!cache.empty() && fs::exists(kept)) return {kept.string()};

  std::shared_ptr<fs::path> folder = cache.empty() ? nullptr : newFolder(cache);
  if (folder == nullptr) folder = newFolder(fs::temp_directory_path());
  if (folder == nullptr)
    throw Error(Exit::kOutput, fs::temp_directory_path().string() + ": no folder to compile in");
  const fs::path library = compile(nvcc, path, arch, *folder, seconds);
  std::error_code error;  // another process that renames at the same time has the same library
  if (!cache.empty()) fs::rename(library, kept, error);
  if (!cache.empty() && !error) return {kept.string()};
  return {library.string(), folder};
}
