#include "grade/archive.h"

#include <fmt/format.h>
#ifdef HAVE_zip
#include <zip.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "base/size.h"
#include "io/compression.h"
#include "system/utf8.h"

using namespace engine;

namespace {

// ---- what a hand-in may hold --------------------------------------------------------------------

/// The names between slashes. Some programs for Windows write backslashes.
std::vector<std::string> partsOf(std::string path) {
  std::replace(path.begin(), path.end(), '\\', '/');
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, slash - at);
    if (!part.empty() && part != ".") parts.push_back(part);
    at = slash + 1;
  }
  return parts;
}

bool isOfMacOs(const std::vector<std::string>& parts) {
  return parts.front() == "__MACOSX" || parts.back() == ".DS_Store";
}

/// Collects the members of an archive, and refuses what no hand-in may hold.
class Collector {
 public:
  explicit Collector(std::string archive) : archive_(std::move(archive)) {}

  /// To be called for each member, also for a folder, before anything of it is unpacked. Returns
  /// its path in the hand-in; "" if it is to be left out.
  std::string enter(const std::string& member) {
    constexpr std::size_t kDeepest = 16, kLongest = 255;
    if (++members_ > kMostFiles)
      refuse(archive_, fmt::format("holds more than {} files", kMostFiles));
    const std::string name = oneLine(member);
    const auto is = [&](const char* what) { refuse(archive_, name + ": " + what); };
    if (std::any_of(member.begin(), member.end(),
                    [](unsigned char c) { return c < ' ' || c == 127; }))
      is("its name has a control character");
    const std::vector<std::string> parts = partsOf(member);
    if (member.empty() || parts.empty()) return "";
    if (member[0] == '/' || member[0] == '\\' || parts[0].find(':') != std::string::npos)
      is("an absolute path");
    if (std::find(parts.begin(), parts.end(), "..") != parts.end()) is("a path that leads upwards");
    if (parts.size() > kDeepest) is("folders within folders: too deep");
    if (std::any_of(parts.begin(), parts.end(),
                    [](const std::string& part) { return part.size() > kLongest; }))
      is("its name is too long");
    return isOfMacOs(parts) ? "" : fmt::format("{}", fmt::join(parts, "/"));
  }

  /// Counts bytes that were unpacked.
  void count(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > kMostBytes)
      refuse(archive_, fmt::format("the hand-in is larger than {}", bytesText(kMostBytes)));
  }

  void add(const std::string& path, std::string content) {
    if (!files_.emplace(path, std::move(content)).second)
      refuse(archive_, oneLine(path) + ": is there twice");
  }

  /// The files. Refuses a path that is that of a file and of a folder.
  Files take() {
    for (const auto& [path, content] : files_)
      for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
        if (files_.count(path.substr(0, at)) != 0)
          refuse(archive_, oneLine(path.substr(0, at)) + ": is a file and a folder");
    return std::move(files_);
  }

  const std::string& archive() const { return archive_; }

 private:
  std::string archive_;
  Files files_;
  std::size_t members_ = 0, bytes_ = 0;
};

// ---- zip ----------------------------------------------------------------------------------------

#ifdef HAVE_zip
/// The kind of a file by its mode in Unix; "" of a regular file or a folder, and if there is none.
const char* forbiddenKind(unsigned mode) {
  constexpr unsigned kMask = 0170000, kRegular = 0100000, kFolder = 0040000, kLink = 0120000;
  const unsigned type = mode & kMask;
  if (type == kLink) return "a symbolic link: hand in the file itself";
  return type == 0 || type == kRegular || type == kFolder ? "" : "not a regular file";
}

using Zip = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using ZipFile = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

std::string contentOf(zip_t* zip, zip_uint64_t index, const std::string& path,
                      Collector& collector) {
  const ZipFile file(zip_fopen_index(zip, index, 0), zip_fclose);
  const auto fail = [&](const char* why) {
    refuse(collector.archive(), oneLine(path) + ": cannot be unpacked: " + oneLine(why));
  };
  if (file == nullptr) fail(zip_strerror(zip));
  zip_stat_t announced;
  zip_stat_init(&announced);
  zip_stat_index(zip, index, 0, &announced);
  std::string content;
  std::array<char, 1 << 16> block;
  for (zip_int64_t got; (got = zip_fread(file.get(), block.data(), block.size())) != 0;) {
    if (got < 0) fail(zip_file_strerror(file.get()));
    collector.count(asSize(got));
    content.append(block.data(), asSize(got));
  }
  if (content.size() != announced.size) fail("it has another size than the archive says");
  return content;
}

void unzip(std::string_view bytes, Collector& collector) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  const Zip zip(source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error),
                zip_discard);
  if (zip == nullptr) {
    if (source != nullptr) zip_source_free(source);
    const std::string why = oneLine(zip_error_strerror(&error));
    zip_error_fini(&error);
    refuse(collector.archive(), "no zip archive, or damaged: " + why);
  }
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(zip.get(), 0));
  for (zip_uint64_t index = 0; index < count; ++index) {
    const char* const name = zip_get_name(zip.get(), index, ZIP_FL_ENC_RAW);
    const std::string member = name == nullptr ? "" : name, path = collector.enter(member);
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    zip_file_get_external_attributes(zip.get(), index, 0, &system, &attributes);
    // The upper half has the mode of a file in Unix, whatever system the archive names.
    if (const char* const kind = forbiddenKind(attributes >> 16); *kind != '\0')
      refuse(collector.archive(), oneLine(member) + ": " + kind);
    if (path.empty() || member.back() == '/' || member.back() == '\\') continue;
    collector.add(path, contentOf(zip.get(), index, path, collector));
  }
}
#else
void unzip(std::string_view, Collector& collector) {
  refuse(collector.archive(),
         "a zip archive, and this program was built without libzip: unpack it");
}
#endif

// ---- tar ----------------------------------------------------------------------------------------

constexpr std::size_t kBlock = 512;

/// The header of a member, POSIX.1-1988.
struct TarHeader {
  char name[100], mode[8], uid[8], gid[8], size[12], time[12], sum[8], type, link[100], magic[6],
      version[2], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
static_assert(sizeof(TarHeader) == kBlock);

/// A field that ends with a zero byte, or where it is full.
template <std::size_t kSize>
std::string textIn(const char (&field)[kSize]) {
  return {field, strnlen(field, kSize)};
}

/// Reads an archive from front to back.
class Tar {
 public:
  Tar(std::string_view bytes, Collector& collector) : left_(bytes), collector_(collector) {}

  void unpack() {
    if (left_.empty()) damaged("it is empty");
    for (TarHeader header; next(header);) member(header);
  }

 private:
  [[noreturn]] void damaged(const char* why) const {
    refuse(collector_.archive(), std::string("no tar archive, or damaged: ") + why);
  }

  /// An octal number.
  template <std::size_t kSize>
  std::size_t numberIn(const char (&field)[kSize]) const {
    std::size_t number = 0;
    for (const char c : textIn(field)) {
      if (c == ' ') continue;
      if (c < '0' || c > '7') damaged("a number in a header is none");
      number = 8 * number + asSize(c - '0');
    }
    return number;
  }

  /// The next header, if the archive has not ended.
  bool next(TarHeader& header) {
    if (left_.empty()) return false;
    if (left_.size() < kBlock) damaged("it ends within a header");
    const std::string_view block = take(kBlock);
    if (block.find_first_not_of('\0') == std::string_view::npos) return false;
    std::memcpy(&header, block.data(), kBlock);
    std::size_t sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    for (const char c : header.sum) sum += ' ' - static_cast<unsigned char>(c);
    if (sum != numberIn(header.sum)) damaged("the checksum of a header is wrong");
    return true;
  }

  std::string_view take(std::size_t bytes) {
    if (bytes > left_.size()) damaged("it ends within a member");
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
  }

  /// The content of a member, which fills whole blocks.
  std::string contentOf(const TarHeader& header) {
    const std::size_t size = numberIn(header.size);
    if (size > left_.size()) damaged("it ends within a member");
    const std::string content(take(size));
    take(std::min(left_.size(), (kBlock - size % kBlock) % kBlock));
    return content;
  }

  /// The value of a key in an extended header of POSIX.1-2001, lines "30 path=…"; "" without.
  std::string valueIn(const std::string& lines, const std::string& key) const {
    std::string value;
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t blank = lines.find(' ', at);
      std::size_t length = 0;
      for (std::size_t digit = at; digit < std::min(blank, lines.size()); ++digit) {
        if (lines[digit] < '0' || lines[digit] > '9' || length > lines.size())
          damaged("an extended header is none");
        length = 10 * length + asSize(lines[digit] - '0');
      }
      if (blank == std::string::npos || at + length > lines.size() || length < blank - at + 2)
        damaged("an extended header is none");
      const std::string line = lines.substr(blank + 1, at + length - blank - 2);
      if (line.rfind(key + "=", 0) == 0) value = line.substr(key.size() + 1);
      at += length;
    }
    return value;
  }

  /// The name of a member, which an extended header before it may have given.
  std::string nameOf(const TarHeader& header) {
    const bool hasPrefix = std::string_view(header.magic, 6) == std::string_view("ustar\0", 6) &&
                           header.prefix[0] != '\0';
    const std::string own = (hasPrefix ? textIn(header.prefix) + "/" : "") + textIn(header.name);
    return longName_.empty() ? own : std::exchange(longName_, "");
  }

  /// Takes over what an extended header says of the next member. Returns whether this is one.
  bool readExtended(const TarHeader& header) {
    if (header.type == 'g') {  // about all members: nothing that matters here
      contentOf(header);
    } else if (header.type == 'L') {
      longName_ = contentOf(header).c_str();  // up to a zero byte
    } else if (header.type == 'x') {
      const std::string lines = contentOf(header);
      for (const char* key : {"size", "GNU.sparse.major"})
        if (!valueIn(lines, key).empty()) damaged("a file with holes, or a very large one");
      longName_ = valueIn(lines, "path");
    } else {
      return false;
    }
    return true;
  }

  void member(const TarHeader& header) {
    constexpr char kFile = '0', kFormerFile = '\0', kHardLink = '1', kLink = '2', kFolder = '5';
    if (readExtended(header)) return;
    const std::string name = nameOf(header);
    const auto is = [&](const char* what) {
      refuse(collector_.archive(), oneLine(name) + ": " + what);
    };
    if (header.type == kHardLink) is("a hard link: hand in the file itself");
    if (header.type == kLink) is("a symbolic link: hand in the file itself");
    if (header.type != kFile && header.type != kFormerFile && header.type != kFolder)
      is("not a regular file");
    const std::string path = collector_.enter(name);
    if (header.type == kFolder) return;
    std::string content = contentOf(header);
    collector_.count(content.size());
    const bool folder = !name.empty() && name.back() == '/';  // in archives before POSIX
    if (!path.empty() && !folder) collector_.add(path, std::move(content));
  }

  std::string_view left_;
  Collector& collector_;
  std::string longName_;  // of the next member; "" if its header has it
};

/// The bytes of a file that may be compressed. No more than an archive of the largest hand-in.
std::string decompressed(std::string_view packed, const std::string& path) {
  constexpr std::size_t kMost = kMostBytes + 8 * kBlock * kMostFiles;
  const auto fail = [&](const std::string& why) { refuse(path, why); };
  std::string out;
  std::array<char, 1 << 16> block;
  while (!packed.empty()) {
    const Compression* const compression = compressionOf(packed);
    if (compression == nullptr) {
      if (out.empty()) return std::string(packed.substr(0, kMost));
      if (packed.find_first_not_of('\0') != std::string_view::npos)
        fail("other bytes follow the compressed ones");
      break;
    }
    if (compression->makeUnpacker == nullptr)
      fail(fmt::format("this program was built without {}: unpack it", compression->library));
    const auto unpacker = compression->makeUnpacker();
    for (auto result = Unpacker::Result::kMore; result == Unpacker::Result::kMore;) {
      const std::size_t before = packed.size();
      Room room{block.data(), block.size()};
      result = unpacker->unpack(packed, room);
      const std::size_t got = block.size() - room.bytes;
      out.append(block.data(), got);
      if (out.size() > kMost)
        fail(fmt::format("the hand-in is larger than {}", bytesText(kMostBytes)));
      const bool stuck = result == Unpacker::Result::kMore && got == 0 && packed.size() == before;
      if (stuck || (result != Unpacker::Result::kMore && result != Unpacker::Result::kEnd))
        fail("cannot be unpacked: damaged or cut short");
    }
  }
  return out;
}

// ---- both ---------------------------------------------------------------------------------------

constexpr const char* kEnds[] = {".zip",    ".tar",     ".tar.gz", ".tgz",
                                 ".tar.xz", ".tar.bz2", ".tar.zst"};

Files membersOf(const std::string& path, std::string_view bytes) {
  Collector collector(path);
  if (endsWith(path, ".zip"))
    unzip(bytes, collector);
  else
    Tar(decompressed(bytes, path), collector).unpack();
  return collector.take();
}

/// The files without the folder in which all of them lie, if there is one.
Files withoutFolder(Files files) {
  if (files.empty()) return files;
  const std::string folder = files.begin()->first.substr(0, files.begin()->first.find('/') + 1);
  if (folder.empty()) return files;
  Files inside;
  for (auto& [path, content] : files) {
    if (path.rfind(folder, 0) != 0) return files;
    inside.emplace(path.substr(folder.size()), content);
  }
  return inside;
}

Files unpackedTo(const std::string& path, std::string_view bytes, int deeper) {
  Files files = withoutFolder(membersOf(path, bytes));
  if (files.size() != 1 || !isArchive(files.begin()->first)) return files;
  const auto& [name, content] = *files.begin();
  if (deeper == 0) refuse(path, oneLine(name) + ": an archive in an archive in an archive");
  return unpackedTo(path + "/" + name, content, deeper - 1);
}

}  // namespace

void refuse(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::kInput, path + ": " + reason);
}

std::string archiveEnd(const std::string& name) {
  const auto* const end = std::find_if(std::begin(kEnds), std::end(kEnds),
                                       [&](const char* each) { return endsWith(name, each); });
  return end == std::end(kEnds) ? "" : *end;
}

Files unpacked(const std::string& path, std::string_view bytes) {
  return unpackedTo(path, bytes, 1);
}
