#include "io/zip.h"

#ifdef HAVE_zip
#include <fmt/format.h>
#include <zip.h>

#include <algorithm>

#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/size.h"
#include "io/input.h"
#include "io/output.h"
#include "system/utf8.h"

namespace {

/// What the library says, as one line.
std::string textOf(zip_error_t* error) {
  std::string text = oneLine(zip_error_strerror(error));
  zip_error_fini(error);
  return text;
}

}  // namespace

ZipArchive::ZipArchive(Input& in) : in_(in) {
  // The record at the end of an archive without a comment, which shows that nothing is cut off.
  constexpr std::string_view kEnd("PK\5\6", 4);
  constexpr std::size_t kEndBytes = 22;
  bytes_ = in.readAll();
  const std::size_t size = bytes_.size();
  if (size < kEndBytes || bytes_.compare(size - kEndBytes, kEnd.size(), kEnd) != 0)
    in.failAt(0, "is no zip archive, or is cut short");
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes_.data(), size, 0, &error);
  if (source != nullptr)
    archive_ = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
  if (archive_ != nullptr) return;
  if (source != nullptr) zip_source_free(source);
  in.failAt(0, "the zip archive cannot be read: " + textOf(&error));
}

ZipArchive::~ZipArchive() {
  zip_discard(archive_);
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive_, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive_, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
    names.emplace_back(name != nullptr ? name : "");
  }
  return names;
}

void ZipArchive::fail(const std::string& message) const {
  in_.fail(message);
}

ZipMember::ZipMember(ZipArchive& archive, std::string name)
    : archive_(archive), name_(std::move(name)) {
  constexpr std::size_t kMostDeflated = 1032;  // bytes that one packed byte may stand for
  const zip_int64_t index = zip_name_locate(archive.archive_, name_.c_str(), ZIP_FL_ENC_RAW);
  if (index < 0) archive.fail("the archive has no member " + name_);
  zip_stat_t found;
  zip_stat_init(&found);
  const zip_uint64_t at = static_cast<zip_uint64_t>(index);
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (zip_stat_index(archive.archive_, at, 0, &found) != 0 || (found.valid & kNeeded) != kNeeded)
    failAt(0, "the archive does not say how large it is");
  if (found.encryption_method != ZIP_EM_NONE) failAt(0, "is encrypted");
  if (found.comp_method != ZIP_CM_STORE && found.comp_method != ZIP_CM_DEFLATE)
    failAt(0, fmt::format("is packed by method {} of zip, expected 0 or 8", found.comp_method));
  if (found.comp_size > archive.bytes_.size() || found.size / kMostDeflated > found.comp_size)
    failAt(0, fmt::format("{} packed bytes cannot be the {} bytes that the archive announces",
                          found.comp_size, found.size));
  size_ = found.size;
  file_ = zip_fopen_index(archive.archive_, at, 0);
  if (file_ == nullptr) failAt(0, "cannot be unpacked: " + oneLine(zip_strerror(archive.archive_)));
}

ZipMember::~ZipMember() {
  if (file_ != nullptr) zip_fclose(file_);
}

std::size_t ZipMember::read(void* data, std::size_t bytes) {
  std::size_t got = 0;
  while (got < bytes) {
    const zip_int64_t now = zip_fread(file_, static_cast<char*>(data) + got, bytes - got);
    if (now < 0) failAt(offset_ + got, "cannot be unpacked: " + oneLine(zip_file_strerror(file_)));
    if (now == 0) break;
    got += asSize(now);
  }
  offset_ += got;
  return got;
}

void ZipMember::readExact(void* data, std::size_t bytes) {
  const std::size_t at = offset_, got = read(data, bytes);
  if (got < bytes) failAt(at + got, "the member ends too early");
}

void ZipMember::finish() {
  char more = 0;
  if (read(&more, 1) > 0 || offset_ != size_)
    failAt(offset_,
           fmt::format("expected the end of the member, which has {}", counted(size_, "byte")));
}

void ZipMember::failAt(std::size_t byte, const std::string& message) const {
  archive_.fail(fmt::format("{}: byte {}: {}", name_, byte, message));
}

// The library needs a place to go back and forth in, therefore the archive is made in memory.
void writeZip(OutputFile& out, const std::vector<std::pair<std::string, std::string>>& members) {
  constexpr zip_uint16_t kFirstDay = 0x21;  // 1 January 1980, the first day that zip knows
  std::size_t total = 0;
  for (const auto& [name, bytes] : members) total += bytes.size();
  requireHostBytes(total, "the archive to write");
  const auto require = [&](bool done) {
    if (!done)
      throw Error(ErrorCode::kMemory, out.path() + ": the archive does not fit into memory");
  };
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 1, nullptr);
  require(target != nullptr);
  zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, nullptr);
  require(archive != nullptr);
  zip_source_keep(target);
  for (const auto& [name, bytes] : members) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, 0);
    require(index >= 0);
    const zip_uint64_t at = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(archive, at, ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive, at, 0, kFirstDay, 0);
  }
  require(zip_close(archive) == 0 && zip_source_open(target) == 0);
  std::vector<char> block(std::size_t{1} << 20);
  out.announce(total);
  for (zip_int64_t got = 0; (got = zip_source_read(target, block.data(), block.size())) != 0;) {
    require(got > 0);
    out.write(block.data(), asSize(got));
  }
  zip_source_close(target);
  zip_source_free(target);
}
#endif
