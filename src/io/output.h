// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/progress.h"

/// Opens what this process was started without of standard input, output and error, so that no file
/// takes their numbers: then reading ends at once, writing output fails, and messages are lost.
void openStandardFiles();

/// Whether this path is standard output's: - or /dev/stdout.
bool isStandardOutput(const std::string& path);

/// A file being written under a temporary name beside its target; commit() makes it durable and
/// renames it. Without commit() nothing is left, not even by a signal where
/// removeTemporariesOnSignals() was called. isStandardOutput(path), and a
/// target that is no regular file (/dev/null, a pipe), is written directly. Every failure throws
/// Error(kOutput) naming the path and the system's reason, those of the constructor (no such
/// directory, not writable, a full disk) before any work is done.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws Error(kOutput) with needed and free bytes where the disk has no room for so many. It is
  /// not kept: others may take it until this file is written, and a quota may be less.
  void requireRoom(std::uint64_t bytes) const;
  /// What is written until commit() shows as progress. bytes: of all of it, for which there must be
  /// room as of requireRoom(); 0: not known.
  void announce(std::uint64_t bytes);
  void write(const void* data, std::size_t bytes);  ///< unbuffered: hand it large pieces
  void commit();
  void finish(const std::string& text);  ///< writes this and commits
  const std::string& path() const { return path_; }

 private:
  OutputFile() = default;

  std::string path_, temporary_;  // temporary_ is empty where the target is written directly
  int fd_ = -1;
  std::optional<Progress> progress_;
};

/// From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE remove the temporary files of this process
/// before they end it as they would have; exit() does, too.
void removeTemporariesOnSignals();

/// From now on SIGINT and SIGTERM, once the temporary files are removed, make this process exit
/// with `code`.
void exitOnInterrupts(int code);

/// Appends `header` + `rows` to a text file under an exclusive lock, the header only where the file
/// is empty. Throws Error(kOutput) where the file cannot be written or begins with another header.
void appendRows(const std::string& path, const std::string& header, const std::string& rows);
