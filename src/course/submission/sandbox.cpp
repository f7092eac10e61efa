#include "submission/sandbox.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/size.h"
#include "measure/submitted.h"
#include "submission/system_calls.h"
#include "system/exit.h"
#include "system/process.h"

namespace fs = std::filesystem;

namespace {

// ---- files ------------------------------------------------------------------------------------

/// Who needs a file.
enum Needs { kBoth, kWorker, kGpu, kCompilers };

const struct {
  const char* path;
  Access access;
  Needs who;
} kPaths[] = {
    {"/usr", Access::kRun, kBoth},  // nothing runs in a worker, because it may not call execve
    {"/lib", Access::kRun, kBoth},
    {"/lib32", Access::kRun, kBoth},
    {"/lib64", Access::kRun, kBoth},
    {"/bin", Access::kRun, kCompilers},
    {"/etc/alternatives", Access::kRead, kCompilers},  // links to compilers
    {"/etc/ld.so.cache", Access::kRead, kBoth},
    {"/etc/localtime", Access::kRead, kWorker},
    {"/dev/null", Access::kDevice, kBoth},
    {"/dev/zero", Access::kDevice, kGpu},  // memory that is mapped shared, see system_calls.cpp
    {"/dev/full", Access::kDevice, kWorker},
    {"/dev/random", Access::kRead, kBoth},
    {"/dev/urandom", Access::kRead, kBoth},
    {"/sys/devices/system", Access::kRead, kBoth},  // cores, caches and memory, for OpenMP
    {"/sys/kernel/mm/transparent_hugepage", Access::kRead, kWorker},
    {"/proc/cpuinfo", Access::kRead, kBoth},
    {"/proc/meminfo", Access::kRead, kBoth},
    {"/proc/stat", Access::kRead, kBoth},
    {"/proc/sys/vm", Access::kRead, kBoth},
    {"/proc/filesystems", Access::kRead, kBoth},
    {"/proc/version", Access::kRead, kWorker},
    {"/proc/self", Access::kRead, kBoth},
    {"/proc/self/task", Access::kDevice, kWorker},  // CUDA writes the names of its threads
    {"/proc/devices", Access::kRead, kGpu},
    {"/proc/modules", Access::kRead, kGpu},
    {"/proc/driver", Access::kRead, kGpu},
    {"/sys", Access::kRead, kGpu},
};

/// The folders of a variable like PATH that a process may need. A relative one means nothing in
/// another folder.
std::vector<std::string> foldersOf(const char* variable) {
  std::vector<std::string> folders;
  const char* value = std::getenv(variable);
  std::istringstream all(value == nullptr ? "" : value);
  for (std::string folder; std::getline(all, folder, ':');)
    if (folder.size() > 1 && folder[0] == '/') folders.push_back(folder);
  return folders;
}

/// The rows of kPaths for these, and the folders of LD_LIBRARY_PATH.
std::vector<PathRule> pathsOf(std::initializer_list<Needs> needs) {
  std::vector<PathRule> rules;
  for (const auto& row : kPaths)
    if (std::find(needs.begin(), needs.end(), row.who) != needs.end())
      rules.push_back({row.path, row.access});
  for (const std::string& folder : foldersOf("LD_LIBRARY_PATH"))
    rules.push_back({folder, Access::kRun});
  return rules;
}

/// The folder of CUDA's driver library, "" if there is none. It need not lie below /usr.
std::string driverFolder() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);  // stays: CUDA loads it anyway
  Dl_info place{};
  if (driver == nullptr || dladdr(dlsym(driver, "cuInit"), &place) == 0) return "";
  std::error_code ignored;
  return fs::canonical(place.dli_fname, ignored).parent_path().string();
}

std::vector<PathRule> workerPaths(const WorkerOptions& options) {
  std::vector<PathRule> rules =
      options.gpu ? pathsOf({kBoth, kWorker, kGpu}) : pathsOf({kBoth, kWorker});
  rules.push_back({options.library, Access::kRead});
  if (!options.gpu) return rules;
  if (const std::string folder = driverFolder(); !folder.empty())
    rules.push_back({folder, Access::kRead});
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator("/dev", ignored))
    if (file.path().filename().string().rfind("nvidia", 0) == 0)
      rules.push_back({file.path().string(), Access::kDevice});
  return rules;
}

std::vector<PathRule> compilerPaths(const CompilerOptions& options) {
  std::vector<PathRule> rules = pathsOf({kBoth, kCompilers});
  rules.insert(rules.end(), options.paths.begin(), options.paths.end());
  return rules;
}

bool isBelow(const std::string& path, const std::string& folder) {
  return path == folder || path.rfind(folder + "/", 0) == 0;
}

// ---- bubblewrap -------------------------------------------------------------------------------

constexpr char kBubblewrap[] = "/usr/bin/bwrap";

/// Everything but the files is new and empty. A root in the sandbox is an ordinary user outside.
const std::vector<std::string> kNamespaces = {
    kBubblewrap, "--unshare-all", "--unshare-user", "--die-with-parent", "--cap-drop", "ALL"};

/// argv in a sandbox where only these files exist, and those that the options `more` show.
std::vector<std::string> inBubblewrap(const std::vector<std::string>& argv,
                                      const std::vector<PathRule>& rules, const std::string& folder,
                                      const std::vector<std::string>& more = {}) {
  std::vector<std::string> command = kNamespaces;
  command.insert(command.end(), {"--proc", "/proc"});
  for (const PathRule& rule : rules) {
    if (isBelow(rule.path, "/proc")) continue;
    const char* how = rule.access == Access::kWrite    ? "--bind-try"
                      : rule.access == Access::kDevice ? "--dev-bind-try"
                                                       : "--ro-bind-try";
    command.insert(command.end(), {how, rule.path, rule.path});
  }
  command.insert(command.end(), more.begin(), more.end());
  // The folders that hold these files lie in memory, which nobody may fill.
  command.insert(command.end(), {"--remount-ro", "/", "--chdir", folder, "--"});
  command.insert(command.end(), argv.begin(), argv.end());
  return command;
}

bool bubblewrapWorks() {
  if (access(kBubblewrap, X_OK) != 0) return false;
  Process attempt(inBubblewrap({"/usr/bin/true"}, {{"/", Access::kRead}}, "/"));
  constexpr double kSeconds = 10;
  return attempt.await(kSeconds) && attempt.stop(kSeconds) == 0;
}

// ---- rights and limits ------------------------------------------------------------------------

/// The text with which the helper's arguments name an access: "run:/usr".
constexpr const char* kAccessNames[] = {"read", "run", "device", "write"};

void limit(decltype(RLIMIT_CORE) what, rlim_t most) {
  rlimit now{};
  getrlimit(what, &now);
  now.rlim_max = std::min(now.rlim_max, most);
  now.rlim_cur = std::min(now.rlim_cur, now.rlim_max);
  setrlimit(what, &now);
}

/// Without capabilities, root may do no more than another user, except that root's files are its
/// own.
void dropRights() {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2]{};
  if (syscall(SYS_capset, &header, none) != 0)
    throw Error(ErrorCode::kUsage,
                fmt::format("cannot drop capabilities: {}", std::strerror(errno)));
  limit(RLIMIT_CORE, 0);
}

/// "NAME=value" of the variables whose names begin with one of these, and the given ones.
std::vector<std::string> environmentOf(std::initializer_list<const char*> beginnings,
                                       std::vector<std::string> given) {
  for (char** variable = environ; *variable != nullptr; ++variable)
    for (const char* beginning : beginnings)
      if (std::strncmp(*variable, beginning, std::strlen(beginning)) == 0) {
        given.emplace_back(*variable);
        break;
      }
  return given;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::kUsage,
              what +
                  ": cannot be confined on this machine: it needs a kernel with Landlock and "
                  "seccomp, or bubblewrap (bwrap) and user namespaces: install it, or give "
                  "--unsandboxed to run the file with all your rights");
}

}  // namespace

const Defences& defences() {
  static const Defences found = {landlockVersion(), bubblewrapWorks(), filtersSystemCalls()};
  return found;
}

std::string sandboxName(bool sandboxed) {
  if (!sandboxed) return kUnsandboxed;
  return landlockVersion() > 0 ? "landlock" : "bubblewrap";
}

void requireSandbox(const std::string& submission) {
  const bool files = landlockVersion() > 0 || defences().bubblewrap;
  if (!files || !filtersSystemCalls()) refuse(submission);
}

// ---- the parent -------------------------------------------------------------------------------

void guardParent() {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  Process::adoptOrphans();
}

namespace {

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U  // since Linux 6.3
#endif

/// How many bytes of a program of `all` bytes run: its segments. What debuggers read comes after
/// them, and is most of it.
off_t bytesThatRun(int program, off_t all) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return all;  // a report names lines
#endif
  ElfW(Ehdr) header;
  if (pread(program, &header, sizeof header, 0) != ssize_t{sizeof header}) return all;
  off_t end = 0;
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    const auto at = static_cast<off_t>(header.e_phoff + asSize(i) * header.e_phentsize);
    if (pread(program, &segment, sizeof segment, at) != ssize_t{sizeof segment}) return all;
    end = std::max(end, static_cast<off_t>(segment.p_offset + segment.p_filesz));
  }
  return std::min(end, all);
}

/// A copy of this program in memory, which has no path, and which nobody can change; −1 if the
/// kernel takes none.
int copyOfProgram() {
  const Descriptor program(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (program.number < 0 || fstat(program.number, &status) != 0) return -1;
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int copy = memfd_create("worker", kFlags | MFD_EXEC);
  if (copy < 0 && errno == EINVAL) copy = memfd_create("worker", kFlags);  // an older kernel
  bool whole = copy >= 0;
  const off_t end = bytesThatRun(program.number, status.st_size);
  for (off_t at = 0; whole && at < end;)
    whole = sendfile(copy, program.number, &at, asSize(end - at)) > 0;
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (whole && fcntl(copy, F_ADD_SEALS, kSeals) == 0) return copy;
  if (copy >= 0) close(copy);
  return -1;
}

/// What a worker runs. A submission may read the link /proc/self/exe, which tells nothing then.
std::string namelessProgram() {
  static const Descriptor copy(copyOfProgram());
  return copy.number < 0 ? "/proc/self/exe" : fmt::format("/proc/self/fd/{}", copy.number);
}

}  // namespace

std::vector<std::string> confinedWorker(std::vector<std::string> argv,
                                        const WorkerOptions& options) {
  if (landlockVersion() > 0) {
    argv[0] = namelessProgram();
    return argv;
  }
  std::vector<PathRule> rules = workerPaths(options);
  argv[0] = fs::read_symlink("/proc/self/exe").string();
  rules.push_back({argv[0], Access::kRun});
  return inBubblewrap(argv, rules, "/");
}

std::vector<std::string> workerEnvironment() {
  std::vector<std::string> kept =
      environmentOf({"LANG=", "LC_ALL=", "LD_LIBRARY_PATH=", "CUDA_", "OMP_", "GOMP_", "ASAN_",
                     "UBSAN_", "LSAN_", "TSAN_"},
                    // A cache of compiled kernels would be a file that submissions share.
                    {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "CUDA_CACHE_DISABLE=1"});
  // By default, a waiting thread of GCC's OpenMP spins for milliseconds before it sleeps. On a busy
  // machine it would occupy the core that the other threads need.
  if (std::getenv("OMP_WAIT_POLICY") == nullptr && std::getenv("GOMP_SPINCOUNT") == nullptr)
    kept.emplace_back("GOMP_SPINCOUNT=10000");
  // OpenMP binds a thread from another one. The filter forbids that, because it cannot tell the
  // threads of the submission from those of other processes.
  const auto binds = [](const std::string& variable) {
    for (const char* name : {"OMP_PROC_BIND=", "OMP_PLACES=", "GOMP_CPU_AFFINITY="})
      if (variable.rfind(name, 0) == 0) return true;
    return false;
  };
  kept.erase(std::remove_if(kept.begin(), kept.end(), binds), kept.end());
  return kept;
}

int workerStatus(int status) {
  constexpr int kSignals = 128;
  const bool signal = landlockVersion() == 0 && WIFEXITED(status) && WEXITSTATUS(status) > kSignals;
  return signal ? W_EXITCODE(0, WEXITSTATUS(status) - kSignals) : status;
}

std::size_t workerMemory(int n) {
  const std::size_t matrix = asSize(n) * asSize(n) * sizeof(int);
  const auto machine = asSize(sysconf(_SC_PHYS_PAGES)) * asSize(sysconf(_SC_PAGESIZE));
  constexpr std::size_t kBase = 2'000'000'000;
  return 2 * matrix + std::min(machine / 2, kBase + 6 * matrix);
}

int workerThreads() {
  return 1024 + 4 * static_cast<int>(std::thread::hardware_concurrency());
}

// ---- the worker -------------------------------------------------------------------------------

void confineFiles(const WorkerOptions& options) {
  if (landlockVersion() > 0) {
    // Landlock knows these by their entries in the kernel's cache. They must stay there.
    for (const char* own : {"/proc/self", "/proc/self/task"}) open(own, O_PATH | O_CLOEXEC);
    restrictPaths(workerPaths(options));
  }
  dropRights();
  // Files cannot be made, but files in memory can, for CUDA.
  constexpr rlim_t kGpuFile = rlim_t{64} << 20, kFiles = 1024;
  limit(RLIMIT_FSIZE, options.gpu ? kGpuFile : 0);
  limit(RLIMIT_NOFILE, kFiles);
  std::signal(SIGXFSZ, SIG_IGN);  // writing more is an error, not a crash
}

void confineCalls(const WorkerOptions& options, const std::function<void(int)>& tell) {
  const Confined who = options.gpu ? Confined::kGpuWorker : Confined::kHostWorker;
  bool heard = false;
  if (tell) {
    // Not on a GPU: the calls that CUDA makes for itself would be heard, and each would wait for an
    // answer. Where there is Landlock, the kernel has all that a listener needs.
    const Descriptor listener(!options.gpu && landlockVersion() > 0 ? listenToCalls(who) : -1);
    heard = listener.number >= 0;
    tell(listener.number);
  }
  forbidSystemCalls(who, heard);
}

// ---- the compiler -----------------------------------------------------------------------------

namespace {

constexpr rlim_t kLargestFile = rlim_t{1} << 30;  // that a compiler may write

// What bubblewrap calls a compiler's folders.
constexpr char kSourceShown[] = "/submission/source", kOutputShown[] = "/submission/output";

}  // namespace

std::string compilersOutput(const std::string& output) {
  return defences().bubblewrap ? kOutputShown : output;
}

std::vector<std::string> compilerCommand(const std::vector<std::string>& argv,
                                         const CompilerOptions& options) {
  std::vector<PathRule> rules = compilerPaths(options);
  if (defences().bubblewrap) {
    std::vector<std::string> shown = {"--bind", options.output, kOutputShown};
    std::string folder = kSourceShown;
    if (isBelow(options.folder, options.output))
      folder = kOutputShown + options.folder.substr(options.output.size());
    else
      shown.insert(shown.end(), {"--ro-bind", options.folder, kSourceShown});
    std::vector<std::string> limited = {"/usr/bin/prlimit", fmt::format("--fsize={}", kLargestFile),
                                        "--core=0", "--"};
    limited.insert(limited.end(), argv.begin(), argv.end());
    return inBubblewrap(limited, rules, folder, shown);
  }
  rules.insert(rules.end(), {{options.folder, Access::kRead}, {options.output, Access::kWrite}});
  if (defences().landlock == 0 || !defences().calls) refuse(argv[0]);
  std::vector<std::string> command = {"/proc/self/exe", kConfinedArgument, options.folder};
  for (const PathRule& rule : rules)
    command.push_back(kAccessNames[static_cast<int>(rule.access)] + (":" + rule.path));
  command.emplace_back("--");
  command.insert(command.end(), argv.begin(), argv.end());
  return command;
}

std::vector<std::string> compilerEnvironment(const std::string& output) {
  return environmentOf({"PATH=", "LANG=", "LC_ALL=", "LD_LIBRARY_PATH=", "CUDA_", "NVCC_"},
                       // The compiler may be a link to ccache, whose folder it cannot reach.
                       {"HOME=/nonexistent", "CCACHE_DISABLE=1", "TMPDIR=" + output});
}

int runConfined(int argc, char** argv) {
  try {
    int at = 3;
    std::vector<PathRule> rules;
    for (; at < argc && argv[at] != std::string("--"); ++at) {
      const std::string word = argv[at];
      const std::size_t colon = word.find(':');
      for (int access = 0; colon != std::string::npos && access < 4; ++access)
        if (word.substr(0, colon) == kAccessNames[access])
          rules.push_back({word.substr(colon + 1), static_cast<Access>(access)});
    }
    if (at + 1 >= argc || chdir(argv[2]) != 0) return static_cast<int>(Exit::kUsage);
    restrictPaths(rules);
    dropRights();
    limit(RLIMIT_FSIZE, kLargestFile);
    forbidSystemCalls(Confined::kCompiler);
    execv(argv[at + 1], argv + at + 1);
    std::perror(argv[at + 1]);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return static_cast<int>(Exit::kUsage);
}
