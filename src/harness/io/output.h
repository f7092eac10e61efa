// Output files that appear under their name only when they are complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/progress.h"

using namespace engine;

/// Opens those of standard input, output and error with which this process was not started, because
/// the next files would take their numbers. Reading from them ends at once, writing to standard
/// output fails, and messages are lost.
void openStandardFiles();

/// Whether the path means standard output: - or /dev/stdout.
bool isStandardOutput(const std::string& path);

/// Rows of a table as they go to that path: standard output shows them to people, and gets a ? for
/// each character that isShown() refuses. A file gets them as they are.
std::string tableFor(const std::string& path, const std::string& rows);

/// The file that a symbolic link leads to, which need not exist. A rename must replace this file
/// and not the link.
std::string resolvedLinks(std::filesystem::path path);

/// The same for a file that is to be written. Throws Error(kOutput) if another user may have put
/// one of the links there to have a file of this user replaced.
std::string trustedTarget(std::filesystem::path path);

/// A file that is written under a temporary name in the folder of its target. commit() makes it
/// durable and renames it. Without commit() nothing is left. Links are followed as by
/// trustedTarget(). After removeTemporariesOnSignals()
/// (io/interrupt.h) this is also true if a signal ends the process. Standard output, and a target
/// that is no regular file (/dev/null, a pipe), are written directly. Every failure throws
/// Error(kOutput) with the path and the system's reason. The constructor fails if the folder is
/// missing or not writable, or if the disk is full, so construct it before any long work.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws Error(kOutput) with needed and free bytes if the disk has no room for so many. The room
  /// is not reserved: other programs may take it before this file is written, and a quota may allow
  /// less.
  void requireRoom(std::uint64_t bytes) const;
  /// Calls requireRoom(bytes), and reports progress from now until commit(). bytes: the size of the
  /// file, 0 if it is not known.
  void announce(std::uint64_t bytes);
  /// Writes without a buffer, so write large pieces, of whole characters if it is text. A terminal
  /// gets no character that isShown() refuses.
  void write(const void* data, std::size_t bytes);
  /// The temporary file, for others who write into it by FilePiece; "" if the target is written
  /// directly.
  const std::string& temporary() const { return temporary_; }
  /// The byte that write() writes next.
  std::uint64_t offset() const;
  void commit();
  /// Writes the text and commits.
  void finish(const std::string& text);
  const std::string& path() const { return path_; }

 private:
  OutputFile() = default;

  std::string path_, temporary_;  // temporary_ is empty if the target is written directly
  int fd_ = -1;
  bool terminal_ = false;
  std::optional<Progress> progress_;
};

/// Removes the temporary files of this process. Async-signal-safe.
void removeTemporaries();

/// Appends rows to a text file under an exclusive lock, and the header before them if the file is
/// empty. To standard output the rows are printed, and the header once. Throws Error(kOutput) if
/// the file cannot be written or begins with another header.
void appendRows(const std::string& path, const std::string& header, const std::string& rows);
