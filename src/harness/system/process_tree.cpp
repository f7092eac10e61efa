#include "system/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/size.h"

using namespace engine;

std::string kernelText(const std::string& path) {
  std::string text;
  char block[1 << 13];
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  for (ssize_t got; file.number >= 0 && (got = ::read(file.number, block, sizeof block)) > 0;)
    text.append(block, asSize(got));
  return text;
}

namespace {

// The grader looks at a process several times a call. Streams and directory iterators took longer
// than the calls of the kernel.

/// The paths of what a folder holds; none if its process has ended.
std::vector<std::string> entriesOf(const std::string& folder) {
  std::vector<std::string> entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> all(::opendir(folder.c_str()), ::closedir);
  while (const dirent* entry = all == nullptr ? nullptr : ::readdir(all.get()))
    if (const std::string_view name = entry->d_name; name != "." && name != "..")
      entries.push_back((folder + "/").append(name));
  return entries;
}

/// The number after a word that begins a line, such as "VmRSS:"; 0 without. In such a text the
/// kernel writes a line break in a name as \n, so no name begins a line.
std::size_t numberAfter(const std::string& text, const std::string& word) {
  const std::size_t at = text.find("\n" + word);
  return at == std::string::npos ? 0
                                 : std::strtoull(text.c_str() + at + 1 + word.size(), nullptr, 10);
}

/// The folders of the threads of a process.
std::vector<std::string> tasksOf(pid_t pid) {
  return entriesOf("/proc/" + std::to_string(pid) + "/task");
}

/// A process and its descendants.
std::vector<pid_t> treeOf(pid_t root) {
  std::vector<pid_t> tree = {root};
  for (std::size_t at = 0; at < tree.size(); ++at)
    for (const pid_t child : childrenOf(tree[at])) tree.push_back(child);
  return tree;
}

/// The device number that the kernel gives to all files in memory, and to memory that is mapped
/// shared; 0 if this process cannot open a file now.
dev_t memoryDevice() {
  thread_local dev_t found = 0;
  if (found != 0) return found;
  struct stat status {};
  const int file = memfd_create("apsp", MFD_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0) return 0;
  close(file);
  return found = status.st_dev;
}

/// Bytes of files in memory, and of memory that is mapped shared. The kernel keeps all their pages,
/// also those that are not mapped now.
std::size_t sharedBytes(const std::string& task) {
  std::map<unsigned long, std::size_t> files;  // bytes by inode
  const std::string maps = kernelText(task + "/maps");
  // A line is `begin-end rights offset major:minor inode  name`.
  for (std::size_t line = 0, past; (past = maps.find('\n', line)) != maps.npos; line = past + 1) {
    char* at = nullptr;
    const unsigned long begin = std::strtoul(maps.c_str() + line, &at, 16);
    const unsigned long end = std::strtoul(at + 1, &at, 16);
    constexpr std::size_t kRights = 6;  // " rw-s "
    std::strtoul(at + kRights, &at, 16);
    const unsigned long major = std::strtoul(at, &at, 16), minor = std::strtoul(at + 1, &at, 16);
    const unsigned long inode = std::strtoul(at, &at, 10);
    if (inode != 0 && makedev(major, minor) == memoryDevice()) files[inode] += end - begin;
  }
  constexpr std::size_t kBlock = 512;  // of st_blocks
  for (const std::string& open : entriesOf(task + "/fd")) {
    struct stat status {};
    if (stat(open.c_str(), &status) == 0 && status.st_dev == memoryDevice())
      files[status.st_ino] = std::max(files[status.st_ino], asSize(status.st_blocks) * kBlock);
  }
  struct stat program {};  // a worker's program is a file in memory, too, but it is ours
  if (stat((task + "/exe").c_str(), &program) == 0 && program.st_dev == memoryDevice())
    files.erase(program.st_ino);
  std::size_t bytes = 0;
  for (const auto& [inode, size] : files) bytes += size;
  return bytes;
}

/// What a thread and those that share its memory use; 0 if it has ended.
std::size_t bytesOf(const std::string& task) {
  const std::string status = kernelText(task + "/status");
  std::size_t bytes = 0;
  for (const char* counted : {"VmRSS:", "VmSwap:", "VmPTE:", "HugetlbPages:"})
    bytes += numberAfter(status, counted) * 1024;
  const std::size_t shared = numberAfter(status, "RssShmem:") * 1024;  // VmRSS includes it
  return bytes == 0 ? 0 : bytes - shared + std::max(shared, sharedBytes(task));
}

/// The state of a thread: T stopped, t traced, Z or X at its end, R running, …
char stateOf(const std::string& task) {
  const std::string text = kernelText(task + "/stat");
  const std::size_t name =
      text.rfind(')');  // the name may contain anything, also lines and brackets
  return name == std::string::npos || name + 2 >= text.size() ? 'X' : text[name + 2];
}

/// Whether a thread in that state is stopped, traced or at its end.
bool isStopped(char state) {
  return std::string("TtZX").find(state) != std::string::npos;
}

}  // namespace

std::vector<pid_t> childrenOf(pid_t pid) {
  std::vector<pid_t> all;
  for (const std::string& task : tasksOf(pid)) {
    const std::string list = kernelText(task + "/children");
    char* end = nullptr;
    for (const char* at = list.c_str();; at = end) {
      const long child = std::strtol(at, &end, 10);
      if (end == at) break;
      all.push_back(static_cast<pid_t>(child));
    }
  }
  return all;
}

Usage usageOf(pid_t pid) {
  Usage usage;
  for (const pid_t each : treeOf(pid)) {
    const std::vector<std::string> tasks = tasksOf(each);
    usage.threads += static_cast<int>(tasks.size());
    // The first thread may have ended before the others. Then it has no memory.
    for (std::size_t at = 0, bytes = 0; at < tasks.size() && bytes == 0; ++at)
      usage.bytes += bytes = bytesOf(tasks[at]);
  }
  return usage;
}

double cpuSecondsOf(pid_t pid) {
  double seconds = 0;
  for (const pid_t each : treeOf(pid)) {
    clockid_t clock;
    timespec used{};
    if (clock_getcpuclockid(each, &clock) == 0 && clock_gettime(clock, &used) == 0)
      seconds += static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }
  return seconds;
}

double delayedSecondsOf(pid_t pid) {
  double longest = 0;
  for (const pid_t each : treeOf(pid))
    for (const std::string& task : tasksOf(each)) {
      const std::string ranAndWaited = kernelText(task + "/schedstat");  // nanoseconds
      char* at = nullptr;
      std::strtod(ranAndWaited.c_str(), &at);
      longest = std::max(longest, 1e-9 * std::strtod(at, nullptr));
    }
  return longest;
}

std::string statesOf(pid_t pid) {
  std::string states;
  for (const pid_t each : treeOf(pid))
    for (const std::string& task : tasksOf(each)) states += stateOf(task);
  return states;
}

bool areStopped(pid_t pid) {
  for (const pid_t each : treeOf(pid))
    for (const std::string& task : tasksOf(each))
      if (!isStopped(stateOf(task))) return false;
  return true;
}
