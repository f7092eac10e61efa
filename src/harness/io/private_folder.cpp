#include "io/private_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>

#include "base/error.h"
#include "system/process.h"

namespace fs = std::filesystem;

namespace {

constexpr char kBeginning[] = "apsp-";
constexpr char kSuffix[] = "XXXXXX";  // which mkdtemp() replaces
constexpr char kOwner[] = ".owner";   // the locked file, which names the process

bool isOurs(int descriptor, mode_t type, struct stat& status) {
  return fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == type &&
         status.st_uid == geteuid();
}

/// Whether a folder's process has ended: nobody has the lock on a file that somebody signed. Links
/// are not followed, because others may write to `parent`.
bool isOrphan(int parent, const char* name) {
  struct stat status {};
  constexpr int kAsItIs = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const Descriptor folder(openat(parent, name, O_RDONLY | O_DIRECTORY | kAsItIs));
  if (!isOurs(folder.number, S_IFDIR, status)) return false;
  const Descriptor owner(openat(folder.number, kOwner, O_RDWR | kAsItIs));
  if (!isOurs(owner.number, S_IFREG, status) || flock(owner.number, LOCK_EX | LOCK_NB) != 0)
    return false;
  // An owner that has just made the file signs it when it gets the lock.
  return fstat(owner.number, &status) == 0 && status.st_size > 0;
}

/// Removes the folders that dead processes of this user left here.
void removeOrphans(const fs::path& parent) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(parent.c_str()), closedir);
  if (entries == nullptr) return;
  const std::size_t length = std::strlen(kBeginning) + std::strlen(kSuffix);
  while (const dirent* const entry = readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name.size() != length || name.rfind(kBeginning, 0) != 0) continue;
    std::error_code ignored;
    if (isOrphan(dirfd(entries.get()), entry->d_name)) fs::remove_all(parent / name, ignored);
  }
}

}  // namespace

fs::path PrivateFolder::temporaries() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (!error) return folder;
  const char* const named = std::getenv("TMPDIR");
  throw Error(ErrorCode::kOutput, fmt::format("{}: {}: set TMPDIR to a folder for temporary files",
                                              named == nullptr ? "/tmp" : named, error.message()));
}

PrivateFolder::PrivateFolder(const fs::path& parent) {
  removeOrphans(parent);
  std::string name = (parent / kBeginning).string() + kSuffix;
  if (mkdtemp(name.data()) == nullptr)
    throw Error(ErrorCode::kOutput, fmt::format("{}: no folder for temporary files: {}",
                                                parent.string(), std::strerror(errno)));
  path_ = name;
  try {
    owner_.emplace((path_ / kOwner).string(), FileLock::kAlone);
    owner_->sign();
  } catch (const Error&) {
    remove();
    throw;
  }
}

/// The file is closed first: on a network drive, an open file would keep the folder from being
/// removed.
void PrivateFolder::remove() {
  owner_.reset();
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}
