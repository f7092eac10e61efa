// Folders for temporary files. They go with their process, or after it if it was killed.
#pragma once

#include <filesystem>
#include <optional>

#include "io/lock.h"

/// A new folder of this user alone (mode 0700), which is removed with its content. A process that
/// is killed cannot remove its own. Therefore whoever makes such a folder first removes those that
/// dead processes of the same user left at the same place. A lock on a file in the folder tells
/// whether its process lives, also in another container or on another machine.
class PrivateFolder {
 public:
  /// Throws Error(kOutput) if it cannot be made in `parent`.
  explicit PrivateFolder(const std::filesystem::path& parent = temporaries());
  ~PrivateFolder() { remove(); }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void remove();

  /// The folder that $TMPDIR names, otherwise /tmp. Throws Error(kOutput) if it is none.
  static std::filesystem::path temporaries();

 private:
  std::filesystem::path path_;
  std::optional<FileLock> owner_;
};
