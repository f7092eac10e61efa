// Zip archives, by libzip. The build defines HAVE_zip where it finds the library; without it
// nothing here exists.
#pragma once

#ifdef HAVE_zip
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

class Input;
class OutputFile;
struct zip;
struct zip_file;

/// An archive, whose packed bytes are in memory.
class ZipArchive {
 public:
  /// Reads all bytes of the input. Throws Error(kInput) if they are no complete zip archive,
  /// Error(kMemory).
  explicit ZipArchive(Input& in);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  /// The names of all members.
  std::vector<std::string> names() const;
  [[noreturn]] void fail(const std::string& message) const;

 private:
  friend class ZipMember;
  Input& in_;
  std::string bytes_;
  zip* archive_ = nullptr;
};

/// A member of an archive, unpacked while it is read, from front to back. It has the functions of
/// an Input. They throw Error(kInput) if the member is corrupt. The archive must outlive it.
class ZipMember {
 public:
  /// Throws Error(kInput) if there is no such member, if it is encrypted, if it is packed by
  /// another method than deflate, or if it cannot have the size that the archive says.
  ZipMember(ZipArchive& archive, std::string name);
  ~ZipMember();
  ZipMember(const ZipMember&) = delete;
  ZipMember& operator=(const ZipMember&) = delete;

  std::size_t size() const { return size_; }  ///< unpacked, in bytes
  std::size_t offset() const { return offset_; }
  std::size_t read(void* data, std::size_t bytes);
  void readExact(void* data, std::size_t bytes);
  /// Throws unless all bytes were read and have the checksum of the archive.
  void finish();
  [[noreturn]] void failAt(std::size_t byte, const std::string& message) const;

 private:
  ZipArchive& archive_;
  std::string name_;
  std::size_t size_ = 0, offset_ = 0;
  zip_file* file_ = nullptr;
};

/// Writes an archive of members that are not packed: their names and bytes. The same members give
/// the same archive. Throws Error(kMemory), Error(kOutput).
void writeZip(OutputFile& out, const std::vector<std::pair<std::string, std::string>>& members);
#endif
