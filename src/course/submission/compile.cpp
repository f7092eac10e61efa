#include "submission/compile.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/quantity.h"
#include "io/lock.h"
#include "io/private_folder.h"
#include "measure/submitted.h"
#include "submission/sandbox.h"
#include "system/cache.h"
#include "system/process.h"
#include "system/sha256.h"
#include "system/shell.h"
#include "system/utf8.h"

namespace fs = std::filesystem;

namespace {

// ---- files that we supply to a submission -----------------------------------------------------

struct SuppliedFile {
  const char *name, *content;
};

/// Those that are compiled with a source in CUDA: always, and if the library is to fill memory.
constexpr char kLaunchError[] = "launch_error.cpp", kFillMemory[] = "fill_memory.cu";

const SuppliedFile kSupplied[] = {
    {"apsp.h", R"(#pragma once

// graph: (n, n), row-major, in device memory for CUDA, else in host memory; graph[i*n+j] is the weight of edge i→j, then the distance.
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
    {kLaunchError, R"(#include <cuda_runtime_api.h>

extern "C" const char* apspLaunchError(const char** name) {
  const cudaError_t error = cudaGetLastError();
  *name = cudaGetErrorName(error);
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
)"},
    // The linker has the source call these functions in place of CUDA's (kFilling). The worker
    // chooses the byte by apspFillMemory().
    {kFillMemory, R"(#include <cuda_runtime.h>

static int fillByte = -1;  // none yet

static void fill(void* memory, size_t bytes) {
  if (fillByte < 0) return;
  cudaMemset(memory, fillByte, bytes);
  cudaDeviceSynchronize();
}

extern "C" {

cudaError_t __real_cudaMalloc(void** memory, size_t bytes);
cudaError_t __real_cudaMallocManaged(void** memory, size_t bytes, unsigned int flags);
cudaError_t __real_cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream);
cudaError_t __real_cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height);

cudaError_t __wrap_cudaMalloc(void** memory, size_t bytes) {
  const cudaError_t error = __real_cudaMalloc(memory, bytes);
  if (error == cudaSuccess) fill(*memory, bytes);
  return error;
}

cudaError_t __wrap_cudaMallocManaged(void** memory, size_t bytes, unsigned int flags) {
  const cudaError_t error = __real_cudaMallocManaged(memory, bytes, flags);
  if (error == cudaSuccess) fill(*memory, bytes);
  return error;
}

cudaError_t __wrap_cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream) {
  const cudaError_t error = __real_cudaMallocAsync(memory, bytes, stream);
  if (error == cudaSuccess && fillByte >= 0) cudaMemsetAsync(*memory, fillByte, bytes, stream);
  return error;
}

cudaError_t __wrap_cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height) {
  const cudaError_t error = __real_cudaMallocPitch(memory, pitch, width, height);
  if (error == cudaSuccess) fill(*memory, *pitch * height);
  return error;
}

}

extern "C" void apspFillMemory(int byte) {
  fillByte = byte;
}
)"},
};

/// The functions of CUDA in whose place those of kFillMemory are called.
constexpr const char* kFilling[] = {"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync",
                                    "cudaMallocPitch"};

/// The words of a line of options, separated by blanks.
std::vector<std::string> optionsIn(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

// ---- files ------------------------------------------------------------------------------------

/// The most that a file may hold, as much as a compiler may write. A file with holes in it takes
/// little of the disk, but all of the memory.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

std::string contentOf(const std::string& path) {
  std::error_code unknown;
  // A pipe or a device may have no end.
  if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown))
    throw Error(ErrorCode::kInput, path + ": cannot be read: not a regular file");
  if (const std::uintmax_t bytes = fs::file_size(path, unknown); !unknown && bytes > kMostBytes)
    throw Error(ErrorCode::kInput,
                fmt::format("{}: cannot be read: it has {}, a submission at most {}", path,
                            bytesText(bytes), bytesText(kMostBytes)));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || (file.peek() != EOF && !(text << file.rdbuf())))
    throw Error(ErrorCode::kInput,
                fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
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

/// The contents of the file and of the files that it includes, each once.
std::string contentOfAll(const fs::path& path) {
  std::string all;
  std::set<fs::path> seen;
  for (std::vector<fs::path> next = {path}; !next.empty();) {
    const fs::path file = std::move(next.back());
    next.pop_back();
    if (!seen.insert(file.lexically_normal()).second) continue;
    const std::string content = contentOf(file.string());
    all += fmt::format("{}|{}|", content.size(), content);
    std::vector<std::string> names = includesOf(content);
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      std::error_code none;
      const fs::path included = file.parent_path() / *name;
      if (seen.count(included.lexically_normal()) == 0 && fs::is_regular_file(included, none))
        next.push_back(included);
    }
  }
  return all;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
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

/// The first file of that name in PATH that can be run, "" if there is none.
std::string inPath(const std::string& name) {
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  return "";
}

/// Searches nvcc where the build does; "" if there is none.
std::string findNvcc() {
  const auto in = [](const std::string& folder) {
    const std::string nvcc = folder + "/nvcc";
    return access(nvcc.c_str(), X_OK) == 0 ? nvcc : "";
  };
  const std::string home = variable("CUDA_HOME");
  for (const std::string& found : {home.empty() ? "" : in(home + "/bin"), inPath("nvcc")})
    if (!found.empty()) return found;
  return in("/usr/local/cuda/bin");
}

/// Throws Error(kGpu), or Error(kUsage) without a compiler for host memory, that names the source.
std::string findCompiler(const Language& language, const std::string& source) {
  const std::string found = language.gpu ? findNvcc() : inPath(language.compiler);
  if (!found.empty()) return found;
  throw Error(
      language.gpu ? ErrorCode::kGpu : ErrorCode::kUsage,
      fmt::format("{}: no {} to compile it with: {}, or give a .so that is built elsewhere: {}",
                  source, language.compiler, language.gpu ? "set CUDA_HOME" : "install it",
                  buildCommand(source)));
}

struct Outcome {
  std::string log;
  std::optional<int> status;  ///< none: it was killed because it took too much
  std::string excess;         ///< too much of what
};

/// Runs a compiler for at most `seconds`.
Outcome run(const std::vector<std::string>& argv, double seconds,
            const std::optional<std::vector<std::string>>& environment = std::nullopt) {
  constexpr std::size_t kMostMemory = 8'000'000'000;
  constexpr int kMostThreads = 1000;  // of nvcc and its tools
  Process compiler(argv, {}, environment);
  compiler.limit(kMostMemory, kMostThreads);
  const bool ended = compiler.await(seconds);
  const int status = compiler.stop(ended ? 10 : 0);
  if (ended && compiler.excess().empty()) return {compiler.takeOutput(), status, ""};
  return {compiler.takeOutput(), std::nullopt,
          compiler.excess().empty() ? fmt::format("took more than {:g} s", seconds)
                                    : compiler.excess()};
}

/// The first line that names an error, otherwise the first line; its beginning if it is long.
std::string firstError(const std::string& log) {
  constexpr std::size_t kLongest = 400;
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > kLongest) line = line.substr(0, kLongest) + "…";
    if (line.find("error") != std::string::npos || line.find("fatal") != std::string::npos)
      return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "the compiler printed nothing" : first;
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

bool hasControlCharacter(const std::string& text, const std::string& except = "") {
  return std::any_of(text.begin(), text.end(), [&](char c) {
    return std::iscntrl(static_cast<unsigned char>(c)) && except.find(c) == std::string::npos;
  });
}

bool isBelow(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

/// Where a file or folder is now that was opened.
fs::path placeOf(const Descriptor& opened) {
  return fs::read_symlink(fmt::format("/proc/self/fd/{}", opened.number));
}

std::string folderAbove(const std::string& file) {
  std::error_code ignored;
  return fs::canonical(file, ignored).parent_path().parent_path().string();
}

/// A file that the compiler reads. What `#pragma once` and __TIMESTAMP__ do depends on its time.
struct Included {
  std::string content;
  timespec changed;
};

/// A source, its compiler, and the files that the compiler reads. In a sandbox it compiles copies
/// of these files: it can read no other file of the user, and they cannot change meanwhile.
class Compilation {
 public:
  /// Throws Error(kInput) if the source cannot be read, Error(kGpu) or Error(kUsage) if there is no
  /// compiler, Error(kOutput) if no folder can be made to compile in. options, fills: as for
  /// build(); no options for CUDA: the GPU that nvcc takes by itself.
  Compilation(const std::string& path, const std::vector<std::string>& options, double seconds,
              bool sandboxed, bool fills = false)
      : path_(path),
        language_(*languageOf(path)),
        options_(options),
        seconds_(seconds),
        sandboxed_(sandboxed),
        fills_(fills && language_.gpu),
        compiler_(findCompiler(language_, path)) {
    if (options_.empty() && !language_.gpu) options_ = optionsIn(kCxxFlags);
    contentOf(path);
    source_ = fs::canonical(path);
    // nvcc calls its tools through a shell, with this name between double quotes.
    const std::string name = source_.filename().string();
    if (hasControlCharacter(name) ||
        (language_.gpu && name.find_first_of("\"$`\\") != std::string::npos))
      throw Error(ErrorCode::kInput,
                  fmt::format("{}: its name has a character that {} cannot take: rename it",
                              oneLine(path), language_.compiler));
    home_.emplace(open(source_.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    folder_ = newFolder();
    for (const SuppliedFile& file : kSupplied)
      std::ofstream(folder_->path() / file.name) << file.content;
  }

  /// Has the compiler list the files that it reads, and reads them. Throws BuildError.
  void readFiles() {
    compiler(source_.parent_path(), {"-M", "-MT", "x", "-MF", ours("files"), name()});
    const std::string list = contentOf((folder_->path() / "files").string());
    // nvcc does not escape them all. What follows one in a name would look like another file.
    if (hasControlCharacter(list, "\n"))
      throw doesNotCompile("it includes a file whose name has a control character: rename that");
    for (const std::string& word : wordsOf(list))
      if (word[0] != '/' || !(isBelow(word, ours()) || isToolchain(word))) read(word);
  }

  /// The SHA-256 of these files and their names, and of options for C++ that are not the usual
  /// ones.
  std::string content() const {
    std::string all;
    for (const auto& [file, included] : files_) {
      const std::string called =
          file == source_ ? "" : file.lexically_relative(source_.parent_path()).string();
      all += fmt::format("{}|{}|{}|{}|", called.size(), called, included.content.size(),
                         included.content);
    }
    if (!language_.gpu && options_ != optionsIn(kCxxFlags))
      all += fmt::format("{}", fmt::join(options_, " "));
    return sha256(all);
  }

  /// Compiles them. Returns the library. Throws BuildError.
  fs::path compile() {
    const Progress compiling("compiling " + path_);
    const fs::path library = folder_->path() / "submission.so";
    std::vector<std::string> words = {"-o", ours("submission.so"), name()};
    if (language_.gpu) words.push_back(ours(kLaunchError));
    if (fills_) {
      words.push_back(ours(kFillMemory));
      for (const char* const function : kFilling)
        words.insert(words.end(), {"-Xlinker", fmt::format("--wrap={}", function)});
    }
    const std::string log = compiler(sandboxed_ ? copied() : source_.parent_path(), words);
    if (!fs::exists(library)) throw doesNotCompile(log);
    return library;
  }

  /// The compiler's version, its options, what -march=native means on this machine, and whether the
  /// library fills memory.
  std::string version() const {
    std::vector<std::string> argv = withOptions();
    if (language_.gpu)
      argv.emplace_back("--version");
    else
      argv.insert(argv.end(), {"-###", "-E", "-xc", "/dev/null"});
    return run(argv, seconds_).log + fmt::format("{}", fmt::join(argv, " ")) +
           (fills_ ? kFillMemory : "");
  }
  std::shared_ptr<PrivateFolder> folder() const { return folder_; }

 private:
  /// The compiler with its options.
  std::vector<std::string> withOptions() const {
    std::vector<std::string> argv = {compiler_};
    for (const auto& words : {optionsIn(language_.flags), options_})
      argv.insert(argv.end(), words.begin(), words.end());
    return argv;
  }

  /// The source for the compiler, which runs in its folder. A name may begin with a dash.
  std::string name() const { return "./" + source_.filename().string(); }

  /// The path of our folder, or of a file in it, for the compiler.
  std::string ours(const std::string& file = "") const {
    const std::string folder = folder_->path().string();
    return (sandboxed_ ? compilersOutput(folder) : folder) + (file.empty() ? "" : "/" + file);
  }

  /// Reads a file that the compiler listed. The source decides what it lists. Therefore a sandboxed
  /// one has only files that lie below its folder, and not behind a link that leads elsewhere.
  void read(const fs::path& word) {
    const fs::path path = (source_.parent_path() / word).lexically_normal();
    const auto require = [&](bool own) {
      if (sandboxed_ && !own)
        throw doesNotCompile(
            fmt::format("it includes {}, which does not lie in its folder: copy it there",
                        oneLine(word.string())));
    };
    require(word.is_relative() && isBelow(path, source_.parent_path()));
    const Descriptor file(openat(home_->number, word.c_str(), O_PATH | O_CLOEXEC));
    const fs::path opened = fmt::format("/proc/self/fd/{}", file.number);
    struct stat status {};
    if (fstat(file.number, &status) != 0)
      throw Error(ErrorCode::kInput, path.string() + ": cannot be read: it was removed meanwhile");
    const fs::path place = placeOf(file);
    require(isBelow(place, placeOf(*home_)) || isToolchain(place));
    files_[path] = {contentOf(opened.string()), status.st_mtim};
  }

  /// The folder of the copies.
  fs::path copied() const {
    const fs::path folder = folder_->path() / "source";
    for (const auto& [path, included] : files_) {
      const fs::path copy = folder / path.lexically_relative(source_.parent_path());
      std::error_code error;
      fs::create_directories(copy.parent_path(), error);
      std::ofstream file(copy, std::ios::binary);
      if (!(file << included.content).flush())
        throw Error(ErrorCode::kOutput, copy.string() + ": cannot be written: disk full?");
      const timespec times[] = {included.changed, included.changed};
      utimensat(AT_FDCWD, copy.c_str(), times, 0);
    }
    return folder;
  }

  /// Runs the compiler in a folder. Returns its output. Throws BuildError.
  std::string compiler(const fs::path& folder, const std::vector<std::string>& words) const {
    std::vector<std::string> argv = withOptions();
    argv.insert(argv.end(), {"-I", ours()});
    argv.insert(argv.end(), words.begin(), words.end());
    if (sandboxed_) {
      std::vector<PathRule> paths;
      for (const std::string& each : toolchain()) paths.push_back({each, Access::kRun});
      argv = compilerCommand(argv, {folder.string(), folder_->path().string(), paths});
    } else {
      argv.insert(argv.begin(), {"/usr/bin/env", "-C", folder.string()});
    }
    const Outcome outcome = run(argv, seconds_, compilerEnvironment(ours()));
    if (!outcome.status)
      throw BuildError(fmt::format("{}: compiling it {}", path_, outcome.excess), outcome.log);
    if (*outcome.status != 0) throw doesNotCompile(outcome.log);
    return outcome.log;
  }

  BuildError doesNotCompile(const std::string& printed) const {
    const std::string log = withFolder(printed, fs::path(path_).parent_path());
    return {fmt::format("{}: does not compile: {}", path_, firstError(log)), log};
  }

  /// The folders of the compiler and of the one that nvcc calls; they need not lie below /usr.
  std::vector<std::string> toolchain() const {
    std::vector<std::string> folders = {folderAbove(compiler_)};
    if (const std::string host = inPath("g++"); !host.empty()) folders.push_back(folderAbove(host));
    folders.erase(std::remove(folders.begin(), folders.end(), "/"), folders.end());
    return folders;
  }

  bool isToolchain(const fs::path& file) const {
    std::vector<std::string> folders = toolchain();
    folders.emplace_back("/usr");
    return std::any_of(folders.begin(), folders.end(),
                       [&](const std::string& folder) { return isBelow(file, folder); });
  }

  std::string path_;
  const Language& language_;
  std::vector<std::string> options_;
  double seconds_;
  bool sandboxed_;
  bool fills_;
  std::string compiler_;
  fs::path source_;
  std::optional<Descriptor> home_;         // the folder of the source
  std::shared_ptr<PrivateFolder> folder_;  // of the supplied files, temporary ones and the library
  std::map<fs::path, Included> files_;
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

const std::vector<Language>& languages() {
  static constexpr char kCxx[] = "-std=c++17 -fPIC -shared";
  static const std::vector<Language> all = {
      {".cu", "CUDA", "nvcc", "-O3 -std=c++17 -Xcompiler -fPIC -shared", true},
      {".cpp", "C++", "g++", kCxx, false},
      {".cc", "C++", "g++", kCxx, false},
      {".cxx", "C++", "g++", kCxx, false},
      {".c", "C", "gcc", "-fPIC -shared", false},
  };
  return all;
}

const Language* languageOf(const std::string& path) {
  for (const Language& each : languages())
    if (endsWith(path, each.extension)) return &each;
  return nullptr;
}

bool isCompilersHeader(const std::string& name) {
  static const std::vector<fs::path> folders = [] {
    std::vector<fs::path> all = {"/usr/include", "/usr/local/include"};
    if (const std::string nvcc = findNvcc(); !nvcc.empty())
      all.push_back(fs::path(folderAbove(nvcc)) / "include");
    std::error_code ignored;
    for (const auto& machine : fs::directory_iterator("/usr/lib/gcc", ignored))
      for (const auto& version : fs::directory_iterator(machine.path(), ignored))
        all.push_back(version.path() / "include");
    return all;
  }();
  return std::any_of(folders.begin(), folders.end(),
                     [&](const fs::path& folder) { return fs::exists(folder / name); });
}

namespace {

/// "-I FOLDER ", the folder of apsp.h: that of this program, or one above a build folder. "" if an
/// installed program has none.
std::string includeOption() {
  constexpr int kMostAbove = 3;
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error);
  for (int i = 0; i < kMostAbove && !error; ++i) {
    folder = folder.parent_path();
    if (fs::exists(folder / "apsp.h", error)) return "-I " + shellWord(folder.string()) + " ";
  }
  return "";
}

}  // namespace

std::string buildCommand(const std::string& path) {
  const std::string source = shellWord(path),
                    library = shellWord(fs::path(path).replace_extension(".so").string());
  const Language* const language = languageOf(path);
  const bool cuda = language != nullptr && language->gpu;
  return fmt::format("{} {} -shared {}-fPIC {}{} -o {}",
                     language != nullptr ? language->compiler : "g++", cuda ? "-O3" : kCxxFlags,
                     cuda ? "-Xcompiler " : "", includeOption(), source, library);
}

std::string contentHash(const std::string& path, const std::vector<std::string>& options,
                        bool sandboxed) {
  if (languageOf(path) == nullptr) return sha256(contentOf(path));
  constexpr double kSeconds = 60;
  try {
    Compilation compilation(path, options, kSeconds, sandboxed);
    compilation.readFiles();
    return compilation.content();
  } catch (const Error&) {
    return sha256(contentOfAll(path));
  }
}

Library build(const std::string& path, const std::vector<std::string>& options, double seconds,
              bool sandboxed, bool fills) {
  Compilation compilation(path, options, seconds, sandboxed, fills);
  compilation.readFiles();
  const std::string content = compilation.content();
  std::string key = content + compilation.version() + variable("NVCC_PREPEND_FLAGS") +
                    variable("NVCC_APPEND_FLAGS") + variable("NVCC_CCBIN");
  if (!sandboxed) key += kUnsandboxed;  // such a library may hold what no submission may read
  for (const SuppliedFile& file : kSupplied) key += file.content;
  const fs::path cache = cacheFolder(), kept = cache / (sha256(key) + ".so");
  if (!cache.empty() && isIntact(kept)) return {kept.string(), content};
  const fs::path library = compilation.compile();
  if (!cache.empty() && keep(library, kept)) return {kept.string(), content};
  return {library.string(), content, compilation.folder()};
}

bool canBuild(const std::string& path) {
  const Language* const language = languageOf(path);
  return language != nullptr && !(language->gpu ? findNvcc() : inPath(language->compiler)).empty();
}

std::optional<Library> keptLibrary(const Library& library) {
  const fs::path path = library.path, cache = cacheFolder();
  const bool ours = !cache.empty() && path.parent_path() == cache;  // others can write to /tmp
  if (!ours || !isIntact(path)) return std::nullopt;
  return Library{library.path, library.content};
}
