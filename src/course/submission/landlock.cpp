#include "submission/landlock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/error.h"

using namespace engine;

namespace {

// Constants of newer versions, which the system's header may lack. Source: the kernel's
// Documentation/userspace-api/landlock.rst.
constexpr std::uint64_t kTruncate = 1ull << 14;          // version 3
constexpr std::uint64_t kConnectAndBind = 0b11;          // version 4, TCP
constexpr std::uint64_t kControlDevice = 1ull << 15;     // version 5
constexpr std::uint64_t kScopeSocketsAndSignals = 0b11;  // version 6

/// struct landlock_ruleset_attr of version 6. Older kernels take it shorter.
struct Ruleset {
  std::uint64_t files, network, scoped;
};

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kReadFolder = LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kRun = LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE;
/// What concerns a file that is no folder; a rule for such a file may have no other rights.
constexpr std::uint64_t kOfFiles = kRead | kRun | kWrite | kTruncate | kControlDevice;

/// All rights that this version of Landlock knows.
std::uint64_t known(int version) {
  std::uint64_t all = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  if (version >= 2) all |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) all |= kTruncate;
  if (version >= 5) all |= kControlDevice;
  return all;
}

std::uint64_t rightsOf(Access access) {
  switch (access) {
    case Access::kRead:
      return kRead | kReadFolder;
    case Access::kRun:
      return kRead | kReadFolder | kRun;
    case Access::kDevice:
      return kRead | kReadFolder | kWrite | kTruncate | kControlDevice;
    case Access::kWrite:
      return ~std::uint64_t{0};
  }
  return 0;
}

[[noreturn]] void failed(const std::string& what) {
  throw Error(ErrorCode::kUsage, fmt::format("Landlock: {}: {}", what, std::strerror(errno)));
}

void allow(int ruleset, const PathRule& rule, std::uint64_t handled) {
  const int file = open(rule.path.c_str(), O_PATH | O_CLOEXEC);
  if (file < 0) return;
  struct stat status {};
  fstat(file, &status);
  landlock_path_beneath_attr beneath{};
  beneath.parent_fd = file;
  beneath.allowed_access = rightsOf(rule.access) & handled;
  if (!S_ISDIR(status.st_mode)) beneath.allowed_access &= kOfFiles;
  const long result =
      syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
  close(file);
  if (result != 0) failed(rule.path);
}

}  // namespace

int landlockVersion() {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

void restrictPaths(const std::vector<PathRule>& rules) {
  const int version = landlockVersion();
  const Ruleset attributes = {known(version), version >= 4 ? kConnectAndBind : 0,
                              version >= 6 ? kScopeSocketsAndSignals : 0};
  const std::size_t fields = version >= 6 ? 3 : version >= 4 ? 2 : 1;
  const long ruleset =
      syscall(SYS_landlock_create_ruleset, &attributes, fields * sizeof(std::uint64_t), 0);
  if (ruleset < 0) failed("no ruleset");
  for (const PathRule& rule : rules) allow(static_cast<int>(ruleset), rule, attributes.files);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(SYS_landlock_restrict_self, ruleset, 0) != 0)
    failed("not enforced");
  close(static_cast<int>(ruleset));
}
