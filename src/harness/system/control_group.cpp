#include "system/control_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <thread>
#include <vector>

#include "system/process_tree.h"

namespace {

/// Writes one value, as the kernel wants it: by one call. Returns whether it is taken.
bool write(const std::string& path, const std::string& value) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool taken =
      ::write(file, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  close(file);
  return taken;
}

/// Whether new groups in this folder control cores or memory.
bool controls(const std::string& folder) {
  std::istringstream words(kernelText(folder + "/cgroup.subtree_control"));
  for (std::string word; words >> word;)
    if (word == "cpu" || word == "memory") return true;
  return false;
}

}  // namespace

std::string ownControlGroup(const std::string& cgroup, const std::string& mounts) {
  std::string path, line;
  for (std::istringstream lines(cgroup); std::getline(lines, line);)
    if (line.rfind("0::/", 0) == 0) path = line.substr(3);
  if (path.empty()) return "";
  // "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw": root and mount point are the fields 3
  // and 4; the type follows the dash.
  for (std::istringstream lines(mounts); std::getline(lines, line);) {
    std::istringstream fields(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
    for (std::size_t at = 6; at + 1 < words.size(); ++at)
      if (words[at] == "-" && words[at + 1] == "cgroup2" && words[3] == "/")
        return path == "/" ? words[4] : words[4] + path;
  }
  return "";
}

std::unique_ptr<ControlGroup> ControlGroup::make() {
  const std::string own =
      ownControlGroup(kernelText("/proc/self/cgroup"), kernelText("/proc/self/mountinfo"));
  return own.empty() ? nullptr : makeBeside(own);
}

/// A group with processes may have no groups in it that control anything, but for the root. Hence
/// beside, not below.
std::unique_ptr<ControlGroup> ControlGroup::makeBeside(const std::string& own) {
  static std::atomic<int> count{0};
  const bool root = !std::filesystem::exists(own + "/cgroup.type");
  const std::string parent = root ? own : std::filesystem::path(own).parent_path().string();
  if (!controls(parent)) return nullptr;
  const std::string folder =
      parent + "/apsp-" + std::to_string(getpid()) + "-" + std::to_string(++count);
  if (mkdir(folder.c_str(), 0755) != 0) return nullptr;
  return std::unique_ptr<ControlGroup>(new ControlGroup(folder));
}

/// The kernel removes a killed process from its group a little later.
ControlGroup::~ControlGroup() {
  write(folder_ + "/cgroup.kill", "1");
  for (int attempt = 0; rmdir(folder_.c_str()) != 0 && attempt < 100; ++attempt)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

bool ControlGroup::add(pid_t pid) const {
  return write(folder_ + "/cgroup.procs", std::to_string(pid));
}

void ControlGroup::limitMemory(std::size_t bytes) const {
  write(folder_ + "/memory.oom.group", "1");
  write(folder_ + "/memory.swap.max", "0");
  write(folder_ + "/memory.max", std::to_string(bytes));
}

bool ControlGroup::ranOutOfMemory() const {
  std::istringstream events(kernelText(folder_ + "/memory.events"));
  std::string event;
  for (long long count = 0; events >> event >> count;)
    if (event == "oom_kill" && count > 0) return true;
  return false;
}
