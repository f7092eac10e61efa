// Linux' control groups, version 2: the kernel itself shares the cores fairly between groups,
// however many threads each has, and limits their memory.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

/// A group for a process and all that it starts.
class ControlGroup {
 public:
  /// A new group beside that of this process. Returns nothing if this user may not make one, or if
  /// it would control neither cores nor memory; root may, and a user's processes below systemd.
  static std::unique_ptr<ControlGroup> make();
  /// The same beside the group `own`, both as folders. For tests.
  static std::unique_ptr<ControlGroup> makeBeside(const std::string& own);
  /// Kills what is left of it.
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  /// Moves a process into it. Returns whether that is allowed.
  bool add(pid_t pid) const;
  /// If its processes need more, the kernel kills them all.
  void limitMemory(std::size_t bytes) const;
  /// Whether that happened.
  bool ranOutOfMemory() const;

  const std::string& folder() const { return folder_; }

 private:
  explicit ControlGroup(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
};

/// The folder of this process' own group, "" without one. cgroup, mounts: the texts of
/// /proc/self/cgroup and /proc/self/mountinfo.
std::string ownControlGroup(const std::string& cgroup, const std::string& mounts);
