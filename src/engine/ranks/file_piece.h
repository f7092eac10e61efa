// A file into which several ranks write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace engine {

/// A file that exists already, into which several processes write, each its own pieces.
class FilePiece {
 public:
  /// Converts to false if the file cannot be opened or has fewer than `least` bytes, as on a
  /// machine that does not share the file's disk.
  FilePiece(const std::string& path, std::uint64_t least);
  ~FilePiece();
  FilePiece(const FilePiece&) = delete;
  FilePiece& operator=(const FilePiece&) = delete;
  explicit operator bool() const { return fd_ >= 0; }

  /// Writes from a byte of the file on. Returns false with errno set if that fails.
  bool write(const void* data, std::size_t bytes, std::uint64_t from);
  /// Makes the file durable. Returns false with errno set if that fails.
  bool sync();

 private:
  int fd_ = -1;
};

}  // namespace engine
