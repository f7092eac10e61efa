#include "io/compression.h"

#include <zlib.h>

#include <algorithm>
#ifdef HAVE_lzma
#include <lzma.h>
#endif
#ifdef HAVE_bz2
#include <bzlib.h>
#endif
#ifdef HAVE_zstd
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "system/utf8.h"

namespace {

using Result = Unpacker::Result;
constexpr std::size_t kMiB = std::size_t{1} << 20;
/// `xz -9` takes 65 MiB, `zstd --ultra -22` and `zstd --long` take 129 MiB.
constexpr std::size_t kMostMemory = 130 * kMiB;

/// Makes the stream of zlib, liblzma or libbz2 read `packed` and write to `room` in `call`, and
/// returns its code.
template <class Stream, class Call>
auto step(Stream& stream, std::string_view& packed, Room& room, Call call) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib and libbz2 count in 32 bits
  const std::size_t bytes = std::min(room.bytes, kMost);
  stream.next_in = (decltype(stream.next_in))packed.data();
  stream.avail_in = static_cast<decltype(stream.avail_in)>(packed.size());
  stream.next_out = (decltype(stream.next_out))room.data;
  stream.avail_out = static_cast<decltype(stream.avail_out)>(bytes);
  const auto code = call(&stream);
  const std::size_t written = bytes - stream.avail_out;
  packed.remove_prefix(packed.size() - stream.avail_in);
  room = {room.data + written, room.bytes - written};
  return code;
}

/// A return code of a library, and what it means. Codes without a row are errors in the data.
struct Code {
  long code;
  Result result;
};

template <std::size_t count>
Result meaning(long code, const Code (&table)[count]) {
  const auto is = [=](const Code& row) { return row.code == code; };
  const Code* row = std::find_if(table, table + count, is);
  return row == table + count ? Result::kCorrupt : row->result;
}

template <class Library>
std::unique_ptr<Unpacker> make() {
  return std::make_unique<Library>();
}

class Gzip : public Unpacker {
 public:
  ~Gzip() override { inflateEnd(&stream_); }

  Result unpack(std::string_view& packed, Room& room) override {
    constexpr int kGzipWindow = 15 + 16;
    if (stream_.state == nullptr && inflateInit2(&stream_, kGzipWindow) != Z_OK)
      return Result::kNoMemory;
    constexpr Code kCodes[] = {{Z_OK, Result::kMore},
                               {Z_BUF_ERROR, Result::kMore},
                               {Z_STREAM_END, Result::kEnd},
                               {Z_MEM_ERROR, Result::kNoMemory}};
    const auto call = [](z_stream* stream) { return inflate(stream, Z_NO_FLUSH); };
    return meaning(step(stream_, packed, room, call), kCodes);
  }

 private:
  z_stream stream_{};
};

#ifdef HAVE_lzma
class Xz : public Unpacker {
 public:
  ~Xz() override { lzma_end(&stream_); }

  Result unpack(std::string_view& packed, Room& room) override {
    if (stream_.internal == nullptr &&
        lzma_stream_decoder(&stream_, kMostMemory, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK)
      return Result::kNoMemory;
    constexpr Code kCodes[] = {{LZMA_OK, Result::kMore},
                               {LZMA_BUF_ERROR, Result::kMore},
                               {LZMA_STREAM_END, Result::kEnd},
                               {LZMA_MEM_ERROR, Result::kNoMemory},
                               {LZMA_MEMLIMIT_ERROR, Result::kTooLarge}};
    const auto call = [](lzma_stream* stream) { return lzma_code(stream, LZMA_RUN); };
    return meaning(step(stream_, packed, room, call), kCodes);
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};
constexpr auto kMakeXz = make<Xz>;
#else
constexpr std::nullptr_t kMakeXz = nullptr;
#endif

#ifdef HAVE_bz2
class Bzip2 : public Unpacker {
 public:
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }

  Result unpack(std::string_view& packed, Room& room) override {
    if (stream_.state == nullptr && BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK)
      return Result::kNoMemory;
    constexpr Code kCodes[] = {
        {BZ_OK, Result::kMore}, {BZ_STREAM_END, Result::kEnd}, {BZ_MEM_ERROR, Result::kNoMemory}};
    return meaning(step(stream_, packed, room, BZ2_bzDecompress), kCodes);
  }

 private:
  bz_stream stream_{};
};
constexpr auto kMakeBzip2 = make<Bzip2>;
#else
constexpr std::nullptr_t kMakeBzip2 = nullptr;
#endif

#ifdef HAVE_zstd
class Zstandard : public Unpacker {
 public:
  ~Zstandard() override { ZSTD_freeDCtx(context_); }

  Result unpack(std::string_view& packed, Room& room) override {
    if (context_ == nullptr) return Result::kNoMemory;
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{room.data, room.bytes, 0};
    const std::size_t code = ZSTD_decompressStream(context_, &out, &in);
    packed.remove_prefix(in.pos);
    room = {room.data + out.pos, room.bytes - out.pos};
    if (!ZSTD_isError(code)) return code == 0 ? Result::kEnd : Result::kMore;
    constexpr Code kCodes[] = {{ZSTD_error_memory_allocation, Result::kNoMemory},
                               {ZSTD_error_frameParameter_windowTooLarge, Result::kTooLarge}};
    return meaning(ZSTD_getErrorCode(code), kCodes);
  }

 private:
  ZSTD_DCtx* context_ = ZSTD_createDCtx();  // it takes windows of up to 128 MiB
};
constexpr auto kMakeZstandard = make<Zstandard>;
#else
constexpr std::nullptr_t kMakeZstandard = nullptr;
#endif

}  // namespace

const std::array<Compression, 4> kCompressions = {{
    {"gzip", ".gz", "\x1f\x8b", "gzip -dc", "zlib", kMiB / 16, 0, make<Gzip>},
    {"xz",
     ".xz",
     {"\xfd"
      "7zXZ\0",
      6},
     "xz -dc",
     "liblzma",
     kMostMemory,
     4,
     kMakeXz},
    {"bzip2", ".bz2", "BZh", "bzip2 -dc", "libbz2", 4 * kMiB, 0, kMakeBzip2},
    {"zstd", ".zst", "\x28\xb5\x2f\xfd", "zstd -dc --long=31", "libzstd", kMostMemory, 0,
     kMakeZstandard},
}};

const Compression* compressionOf(std::string_view bytes) {
  for (const Compression& compression : kCompressions)
    if (bytes.substr(0, compression.magic.size()) == compression.magic) return &compression;
  // RFC 8878: a frame to be skipped begins with 0x184D2A50 to 0x184D2A5F.
  const bool skippable = bytes.size() > 3 && bytes.substr(1, 3) == "\x2a\x4d\x18" &&
                         static_cast<unsigned char>(bytes[0]) >> 4 == 5;
  return skippable ? compressionNamed(".zst") : nullptr;
}

const Compression* compressionNamed(std::string_view path) {
  for (const Compression& compression : kCompressions)
    if (endsWith(path, compression.extension)) return &compression;
  return nullptr;
}

std::string_view withoutCompression(std::string_view path) {
  const Compression* compression = compressionNamed(path);
  if (compression != nullptr) path.remove_suffix(std::string_view(compression->extension).size());
  return path;
}
