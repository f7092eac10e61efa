// Locks by which several processes share work: of one machine, or of several that see one folder.
#pragma once

#include <string>
#include <utility>

/// A lock on a file (flock), which the operating system releases when the process ends, even after
/// a crash. The file stays, because another process may be about to lock it. It holds who signed it
/// last.
class FileLock {
 public:
  enum Mode {
    kTry,     ///< alone, unless another process has it
    kAlone,   ///< waits until no other process has it
    kShared,  ///< waits until no other process has it alone
  };
  /// Makes the file if it is missing. Throws Error(kOutput) if it cannot be made or locked.
  FileLock(const std::string& path, Mode mode);
  ~FileLock();
  FileLock(FileLock&& other) noexcept
      : path_(std::move(other.path_)),
        fd_(std::exchange(other.fd_, -1)),
        holder_(std::move(other.holder_)) {}
  FileLock& operator=(FileLock&&) = delete;

  /// "" if this process has the lock, else who has it: "process 12 on node3 since 2026-…".
  const std::string& holder() const { return holder_; }
  /// Writes into the file that this process has the lock alone. Throws Error(kOutput).
  void sign() const;

 private:
  std::string path_;
  int fd_ = -1;
  std::string holder_;
};
