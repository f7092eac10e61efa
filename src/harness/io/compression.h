// The compressions of graph files. A library unpacks each of them. zlib is always there; the other
// libraries are optional, and the build defines HAVE_lzma, HAVE_bz2 and HAVE_zstd where it finds
// them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

/// Free memory, which a library writes to.
struct Room {
  char* data;
  std::size_t bytes;
};

/// Unpacks one member: data that were compressed as a whole. A file may have several.
class Unpacker {
 public:
  enum class Result { kMore, kEnd, kCorrupt, kTooLarge, kNoMemory };

  virtual ~Unpacker() = default;

  /// Unpacks a part of `packed` into `room`, and takes what it read and wrote off their fronts.
  /// kMore: the member goes on. kEnd: it is complete, and so is its checksum. kTooLarge: it needs
  /// more than Compression::mostMemory.
  virtual Result unpack(std::string_view& packed, Room& room) = 0;
};

struct Compression {
  const char* name;
  const char* extension;
  std::string_view magic;  ///< the first bytes of each member
  const char* command;     ///< unpacks a file, or its standard input, to standard output
  const char* library;
  std::size_t mostMemory;  ///< bytes that an Unpacker takes at most
  std::size_t padding;     ///< zero bytes may follow a member, a multiple of so many; 0: none may
  std::unique_ptr<Unpacker> (*makeUnpacker)();  ///< null if the library was not there
};

/// All compressions, with and without their libraries.
extern const std::array<Compression, 4> kCompressions;

/// No magic is longer, in bytes.
constexpr std::size_t kLongestMagic = 6;

/// The compression of a file that begins with these bytes; nullptr if it is not compressed. A file
/// of Zstandard may also begin with a frame to be skipped, as pzstd writes it.
const Compression* compressionOf(std::string_view bytes);

/// The compression that the extension of the path names; nullptr if it names none.
const Compression* compressionNamed(std::string_view path);

/// The path without the extension of a compression.
std::string_view withoutCompression(std::string_view path);
