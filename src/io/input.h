// The bytes of a graph file, wherever they come from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/progress.h"

/// The bytes of a file, or of standard input for `-`, read once from front to back. Standard input
/// may be a pipe; any other path must be a regular file. Throws Error(kInput), naming the file: it
/// is missing, a directory, empty or unreadable, or ends before the bytes asked for.
class Input {
 public:
  explicit Input(const std::string& path);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// Bytes in all, as the file system tells; 0 for a pipe.
  std::size_t size() const { return size_; }
  std::size_t offset() const { return offset_; }

  /// As size(), but a pipe is taken into memory to learn it. Throws Error(kMemory) where it does
  /// not fit.
  std::size_t settledSize();

  /// Up to `bytes` bytes; fewer only at the end.
  std::size_t read(void* data, std::size_t bytes);

  /// Exactly `bytes` bytes, which the size has promised.
  void readExact(void* data, std::size_t bytes);

  const std::string& name() const { return name_; }
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void failAt(std::size_t byte, const std::string& message) const;

 private:
  [[noreturn]] void failErrno() const;
  std::size_t readSystem(char* data, std::size_t bytes);

  std::string name_;
  Progress progress_;
  int fd_ = -1;
  std::size_t size_ = 0, offset_ = 0;
  std::vector<char> held_;  // all of a pipe, where its size was asked for
};
