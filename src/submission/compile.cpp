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
#include "io/lock.h"
#include "io/private_folder.h"
#include "solvers/solver.h"
#include "submission/sandbox.h"

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

/// A folder to compile in: in that folder, otherwise in the one for temporary files.
std::shared_ptr<PrivateFolder> newFolder() {
  if (const fs::path cache = cacheFolder(); !cache.empty()) {
    try {
      return std::make_shared<PrivateFolder>(cache);
    } catch (const Error&) {  // it is read-only, or its disk is full
    }
  }
  return std::make_shared<PrivateFolder>();
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

struct Outcome {
  std::string log;
  std::optional<int> status;  ///< none: it was killed because it took too much
  std::string excess;         ///< too much of what
};

/// Runs a compiler for at most `seconds`.
Outcome run(const std::vector<std::string>& argv, double seconds,
            const std::optional<std::vector<std::string>>& environment = std::nullopt) {
  constexpr std::size_t kMostBytes = 8'000'000'000;
  constexpr int kMostThreads = 1000;  // of nvcc and its tools
  Process compiler(argv, {}, environment);
  compiler.limit(kMostBytes, kMostThreads);
  const bool ended = compiler.await(seconds);
  const int status = compiler.stop(ended ? 10 : 0);
  if (ended) return {compiler.takeOutput(), status, ""};
  return {compiler.takeOutput(), std::nullopt,
          compiler.excess().empty() ? fmt::format("took more than {:g} s", seconds)
                                    : compiler.excess()};
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

/// A log in which paths below the compiler's folder, "./x.cu(1): error", begin with `folder`.
std::string withFolder(const std::string& log, const fs::path& folder) {
  std::istringstream lines(log);
  std::string all;
  for (std::string line; std::getline(lines, line);)
    all += (line.rfind("./", 0) == 0 ? (folder / line.substr(2)).string() : line) + "\n";
  return all;
}

/// The words after the colon of a rule for make, without its escapes: "x : a.cu \\\n b\\ c.h".
std::vector<std::string> wordsOf(const std::string& rule) {
  std::vector<std::string> words = {""};
  for (std::size_t at = rule.find(':') + 1; at < rule.size(); ++at) {
    const char next = at + 1 < rule.size() ? rule[at + 1] : 0;
    if (rule[at] == '\\' && (next == ' ' || next == '#')) {
      words.back() += rule[++at];
    } else if (rule[at] == '$' && next == '$') {
      words.back() += rule[++at];
    } else if (std::isspace(static_cast<unsigned char>(rule[at])) ||
               (rule[at] == '\\' && next == '\n')) {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += rule[at];
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool isBelow(const fs::path& file, const fs::path& folder) {
  const std::string relative = file.lexically_relative(folder).string();
  return !relative.empty() && relative.rfind("..", 0) != 0;
}

/// The first file of that name in PATH that can be run, "" if there is none.
std::string inPath(const std::string& name) {
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  return "";
}

std::string folderAbove(const std::string& file) {
  std::error_code ignored;
  return fs::canonical(file, ignored).parent_path().parent_path().string();
}

/// A source, its compiler, and the files that the compiler reads.
class Compilation {
 public:
  /// Throws Error(kInput) if the source cannot be read, Error(kGpu) if there is no nvcc,
  /// Error(kOutput) if no folder can be made to compile in.
  Compilation(const std::string& path, double seconds, bool sandboxed)
      : path_(path), seconds_(seconds), sandboxed_(sandboxed), nvcc_(findNvcc(path)) {
    contentOf(path);
    // nvcc calls its tools through a shell, with this name between double quotes.
    if (fs::path(path).filename().string().find_first_of("\"$`\\\n") != std::string::npos)
      throw Error(Exit::kInput,
                  path + ": its name has a character that nvcc cannot take: rename it");
    source_ = fs::canonical(path);
    folder_ = newFolder();
    for (const SuppliedFile& file : kSupplied)
      std::ofstream(folder_->path() / file.name) << file.content;
  }

  /// Has the compiler list the files that it reads. Throws BuildError.
  void listFiles() {
    const fs::path list = folder_->path() / "files";
    const std::string home = source_.parent_path().string();
    nvcc({"-M", "-MT", "x", "-MF", list.string(), "-I", folder_->path().string(), name()},
         {{home, Access::kRead}});
    files_ = {source_};
    for (const std::string& word : wordsOf(contentOf(list.string()))) {
      const fs::path file = (source_.parent_path() / word).lexically_normal();
      if (!isBelow(file, folder_->path()) && !isToolchain(file)) files_.insert(file);
    }
  }

  /// The SHA-256 of the listed files and their names.
  std::string content() const {
    std::string all;
    for (const fs::path& file : files_) {
      const std::string bytes = contentOf(file.string());
      const std::string called =
          file == source_ ? "" : file.lexically_relative(source_.parent_path()).string();
      all += fmt::format("{}|{}|{}|{}|", called.size(), called, bytes.size(), bytes);
    }
    return sha256(all);
  }

  /// Compiles the source, which may read only the listed files. Returns the library. Throws
  /// BuildError.
  fs::path compile(const std::string& arch) {
    const Progress compiling("compiling " + path_);
    const fs::path library = folder_->path() / "submission.so";
    std::vector<std::string> words = {arch};
    words.insert(words.end(), std::begin(kFlags), std::end(kFlags));
    words.insert(words.end(), {"-I", folder_->path().string(), "-o", library.string(), name(),
                               (folder_->path() / "launch_error.cpp").string()});
    std::vector<PathRule> readable;
    for (const fs::path& file : files_) readable.push_back({file.string(), Access::kRead});
    const std::string log = nvcc(words, readable);
    if (!fs::exists(library)) throw doesNotCompile(log);
    return library;
  }

  /// The compiler's version.
  std::string version() const { return run({nvcc_, "--version"}, seconds_).log; }
  std::shared_ptr<PrivateFolder> folder() const { return folder_; }

 private:
  /// The source for nvcc, which runs in its folder. A name may begin with a dash.
  std::string name() const { return "./" + source_.filename().string(); }

  /// Runs nvcc in the source's folder. Returns its output. Throws BuildError.
  std::string nvcc(const std::vector<std::string>& words, std::vector<PathRule> paths) const {
    std::vector<std::string> argv = {nvcc_};
    argv.insert(argv.end(), words.begin(), words.end());
    std::vector<std::string> environment = compilerEnvironment(folder_->path().string());
    const std::string home = source_.parent_path().string();
    if (sandboxed_) {
      for (const std::string& folder : toolchain()) paths.push_back({folder, Access::kRun});
      argv = compilerCommand(argv, {home, folder_->path().string(), paths});
    } else {
      argv.insert(argv.begin(), {"/usr/bin/env", "-C", home});
    }
    const Outcome outcome = run(argv, seconds_, environment);
    if (!outcome.status)
      throw BuildError(fmt::format("{}: compiling it {}", path_, outcome.excess), outcome.log);
    if (*outcome.status != 0) throw doesNotCompile(outcome.log);
    return outcome.log;
  }

  BuildError doesNotCompile(const std::string& printed) const {
    const std::string log = withFolder(printed, fs::path(path_).parent_path());
    return {fmt::format("{}: does not compile: {}", path_, firstError(log)), log};
  }

  /// The folders of CUDA and of the C++ compiler; they need not lie below /usr.
  std::vector<std::string> toolchain() const {
    std::vector<std::string> folders = {folderAbove(nvcc_)};
    if (const std::string host = inPath("g++"); !host.empty()) folders.push_back(folderAbove(host));
    folders.erase(std::remove(folders.begin(), folders.end(), "/"), folders.end());
    return folders;
  }

  bool isToolchain(const fs::path& file) const {
    std::vector<std::string> folders = toolchain();
    folders.emplace_back("/usr");
    return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
      return isBelow(file, folder) && !isBelow(source_, folder);
    });
  }

  std::string path_;
  double seconds_;
  bool sandboxed_;
  std::string nvcc_;
  fs::path source_;
  std::shared_ptr<PrivateFolder> folder_;  // of the supplied files, temporary ones and the library
  std::set<fs::path> files_;
};

// ---- the cache --------------------------------------------------------------------------------

/// The file with the SHA-256 of a library.
fs::path digestOf(fs::path library) {
  return library.replace_extension(".sha256");
}

/// Whether a library is there and is the one that was put there.
bool isIntact(const fs::path& library) {
  if (!fs::exists(library) || !fs::exists(digestOf(library))) return false;
  return contentOf(digestOf(library).string()) == sha256(contentOf(library.string()));
}

/// Moves a library into the cache, unless another process put one there meanwhile: a worker may be
/// about to load that one. Returns whether there is one now.
bool keep(const fs::path& library, const fs::path& kept) {
  const fs::path cache = kept.parent_path();
  if (access(cache.c_str(), W_OK) != 0) return false;
  const FileLock alone((cache / "lock").string(), FileLock::kAlone);
  if (isIntact(kept)) return true;
  const fs::path digest = digestOf(library);
  std::ofstream(digest) << sha256(contentOf(library.string()));
  std::error_code error;
  fs::rename(library, kept, error);
  if (!error) fs::rename(digest, digestOf(kept), error);
  return !error && isIntact(kept);
}

}  // namespace

std::string buildCommand(const std::string& path) {
  const std::string source = shellWord(path),
                    library = shellWord(fs::path(path).replace_extension(".so").string());
  const char* const compiler =
      endsWith(path, ".cu") ? "nvcc -O3 -shared -Xcompiler -fPIC" : "g++ -O3 -shared -fPIC";
  return fmt::format("{} {} -o {}", compiler, source, library);
}

std::string contentHash(const std::string& path, bool sandboxed) {
  if (!endsWith(path, ".cu")) return sha256(contentOf(path));
  constexpr double kSeconds = 60;
  try {
    Compilation compilation(path, kSeconds, sandboxed);
    compilation.listFiles();
    return compilation.content();
  } catch (const Error&) {
    std::set<fs::path> seen;
    std::string all;
    addContent(path, seen, all);
    return sha256(all);
  }
}

Library build(const std::string& path, int capability, double seconds, bool sandboxed) {
  const std::string arch = fmt::format("-arch=sm_{}", capability);
  Compilation compilation(path, seconds, sandboxed);
  compilation.listFiles();
  const std::string content = compilation.content();
  std::string key = content + arch + compilation.version() + variable("NVCC_PREPEND_FLAGS") +
                    variable("NVCC_APPEND_FLAGS") + variable("NVCC_CCBIN");
  if (!sandboxed) key += kUnsandboxed;  // such a library may hold what no submission may read
  for (const char* flag : kFlags) key += flag;
  for (const SuppliedFile& file : kSupplied) key += file.content;
  const fs::path cache = cacheFolder(), kept = cache / (sha256(key) + ".so");
  if (!cache.empty() && isIntact(kept)) return {kept.string(), content};
  const fs::path library = compilation.compile(arch);
  if (!cache.empty() && keep(library, kept)) return {kept.string(), content};
  return {library.string(), content, compilation.folder()};
}

std::optional<Library> keptLibrary(const Library& library) {
  const fs::path path = library.path, cache = cacheFolder();
  const bool ours = !cache.empty() && path.parent_path() == cache;  // others can write to /tmp
  if (!ours || !isIntact(path)) return std::nullopt;
  return Library{library.path, library.content};
}
