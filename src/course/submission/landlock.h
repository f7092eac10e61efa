// Landlock: restricts which files a process may open. It needs no rights and Linux 5.13.
#pragma once

#include <string>
#include <vector>

/// Access to a file, or to everything below a folder.
enum class Access {
  kRead,
  kRun,     ///< read, and run as programs
  kDevice,  ///< read, write, truncate and control what is there
  kWrite,   ///< everything: make, change and remove files
};

struct PathRule {
  std::string path;
  Access access;
};

/// The version of Landlock in this kernel, its ABI; 0 if there is none.
int landlockVersion();

/// From now on this thread, and all threads and processes that it starts, may open only these
/// files. Files of the list that do not exist are skipped. Depending on the version, TCP (4) and
/// signals to processes outside (6) are forbidden, too. Cannot be undone. Throws Error(kUsage) if
/// the kernel refuses.
void restrictPaths(const std::vector<PathRule>& rules);
