// The bytes of a graph file or of standard input.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/progress.h"

/// The bytes of a file, or of standard input if the path is `-`, read once from front to back.
/// Standard input may be a pipe; any other path must be a regular file. Throws Error(kInput) with
/// the path if the file is missing, a directory, empty or unreadable, or if it ends too early.
class Input {
 public:
  explicit Input(const std::string& path);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// The size in bytes; 0 if it is unknown, because the file is a pipe.
  std::size_t size() const { return size_; }
  /// How many bytes have been read.
  std::size_t offset() const { return offset_; }

  /// The size in bytes. The rest of a pipe is read into memory to find its size. Throws
  /// Error(kMemory) if it does not fit.
  std::size_t settledSize();

  /// Reads `bytes` bytes, or fewer at the end of the file, and returns how many.
  std::size_t read(void* data, std::size_t bytes);

  /// Reads exactly `bytes` bytes; throws Error(kInput) if the file ends before.
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
  std::size_t heldFrom_ = 0;  // the offset of held_
  std::vector<char> held_;    // the rest of a pipe, once settledSize() was called
};
