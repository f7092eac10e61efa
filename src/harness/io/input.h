// The bytes of a graph file, a pipe or standard input.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "io/compression.h"

using namespace engine;

/// The bytes of a file, or of standard input if the path is `-`, read once from front to back. The
/// path may name a FIFO, or the pipe /dev/fd/N that <(command) is in a shell. Throws Error(kInput)
/// with the path if the file is missing, empty or unreadable, if it is a directory or a device, or
/// if it ends too early.
class Input {
 public:
  /// Opens the file. If it is a FIFO, this waits until a process writes to it.
  explicit Input(const std::string& path);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// If the file is compressed, all other functions give its unpacked bytes from now on. To be
  /// called before anything is read. format: the --format in a command that a message suggests; ""
  /// for none. Throws Error(kInput) if the library is missing, or if the file is named like a
  /// compressed one and is none. Later, reading throws it if the compressed data are truncated or
  /// corrupt, or if other bytes follow them.
  void unpack(const std::string& format);

  /// The size in bytes; 0 if it is unknown, because the file is a pipe or compressed.
  std::size_t size() const { return size_; }
  /// How many bytes have been read.
  std::size_t offset() const { return offset_; }

  /// Finds the size if it is unknown and small. To be called when only a header has been read.
  void settleSmallSize();

  /// All bytes that are left. Throws Error(kMemory) as holdBytes() does.
  std::string readAll();

  /// Whether just so many bytes are left. Only as many are looked at, and memory is taken as they
  /// come. Throws Error(kMemory) as holdBytes() does.
  bool hasJust(std::size_t bytes);

  /// Throws Error(kInput) unless all bytes have been read.
  void requireEnd();

  /// To be called before so many bytes are held as they are in the file. Throws Error(kMemory)
  /// unless this memory is free, or if a compressed file became implausibly large: a small file
  /// must not take all memory.
  void holdBytes(std::size_t bytes) const;

  /// The next `bytes` bytes, or fewer at the end of the file. read() gives them again. They are
  /// valid until the next call of any function.
  std::string_view peek(std::size_t bytes);

  /// Reads `bytes` bytes, or fewer at the end of the file, and returns how many.
  std::size_t read(void* data, std::size_t bytes);

  /// Reads exactly `bytes` bytes; throws Error(kInput) if the file ends before.
  void readExact(void* data, std::size_t bytes);

  const std::string& name() const { return name_; }
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void failAt(std::size_t byte, const std::string& message) const;

 private:
  /// A compressed file that is being unpacked.
  struct Packed {
    const Compression* compression = nullptr;
    std::string pipeCommand;             // for a message
    std::vector<char> buffer;            // bytes of the file
    std::string_view unread;             // those of the buffer that have not been unpacked
    std::size_t obtained = 0;            // bytes of the file until the end of `unread`
    std::unique_ptr<Unpacker> unpacker;  // null between two members
  };

  [[noreturn]] void failErrno() const;
  [[noreturn]] void failPacked(Unpacker::Result result) const;
  std::size_t obtain(char* data, std::size_t bytes);
  std::size_t readSystem(char* data, std::size_t bytes);
  std::size_t readPacked(Room room);
  bool refillPacked();
  bool nextMember();
  std::string_view ahead() const {
    return {ahead_.data() + aheadRead_, ahead_.size() - aheadRead_};
  }

  std::string path_, name_;
  Progress progress_;
  int fd_ = -1;
  std::size_t size_ = 0, offset_ = 0;
  std::vector<char> ahead_;         // what peek() obtained
  std::size_t aheadRead_ = 0;       // how many of these bytes have been read
  std::unique_ptr<Packed> packed_;  // null if the file is not compressed
};
