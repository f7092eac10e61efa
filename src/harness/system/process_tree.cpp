#include "system/process_tree.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>

#include "base/size.h"

namespace {

/// The paths of what a folder holds; none if its process has ended.
std::vector<std::string> entriesOf(const std::string& folder) {
  std::vector<std::string> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    entries.push_back(at->path().string());
  return entries;
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
  std::ifstream maps(task + "/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0, inode = 0;
    unsigned major = 0, minor = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %*x %x:%x %lu", &begin, &end, &major, &minor,
                    &inode) == 5 &&
        inode != 0 && makedev(major, minor) == memoryDevice())
      files[inode] += end - begin;
  }
  constexpr std::size_t kBlock = 512;  // of st_blocks
  for (const std::string& open : entriesOf(task + "/fd")) {
    struct stat status {};
    if (stat(open.c_str(), &status) == 0 && status.st_dev == memoryDevice())
      files[status.st_ino] = std::max(files[status.st_ino], asSize(status.st_blocks) * kBlock);
  }
  std::size_t bytes = 0;
  for (const auto& [inode, size] : files) bytes += size;
  return bytes;
}

/// What a thread and those that share its memory use; 0 if it has ended.
std::size_t bytesOf(const std::string& task) {
  std::size_t bytes = 0, shared = 0;
  std::ifstream status(task + "/status");
  for (std::string line; std::getline(status, line);) {
    char name[40];
    unsigned long long value = 0;
    if (std::sscanf(line.c_str(), "%39[^:]: %llu kB", name, &value) != 2) continue;
    for (const char* counted : {"VmRSS", "VmSwap", "VmPTE", "HugetlbPages"})
      if (std::string(counted) == name) bytes += value * 1024;
    if (std::string("RssShmem") == name) shared = value * 1024;  // VmRSS includes it
  }
  return bytes == 0 ? 0 : bytes - shared + std::max(shared, sharedBytes(task));
}

/// The state of a thread: T stopped, t traced, Z or X at its end, R running, …
char stateOf(const std::string& task) {
  std::ifstream file(task + "/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
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
    std::ifstream list(task + "/children");
    all.insert(all.end(), std::istream_iterator<pid_t>(list), {});
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
      double ran = 0, waited = 0;  // nanoseconds
      if (std::ifstream(task + "/schedstat") >> ran >> waited)
        longest = std::max(longest, 1e-9 * waited);
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
