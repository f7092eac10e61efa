// Compressed bytes, as gzip, xz, bzip2 and zstd write them.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#ifdef HAVE_lzma
#include <lzma.h>
#endif
#ifdef HAVE_bz2
#include <bzlib.h>
#endif
#ifdef HAVE_zstd
#include <zstd.h>
#endif
#ifdef HAVE_zip
#include <zip.h>
#endif

/// Room for the compressed bytes.
inline std::string packedRoom(std::string_view bytes) {
  return std::string(bytes.size() + bytes.size() / 8 + 1024, '\0');
}

/// The first `size` bytes of `out`.
inline std::string checked(std::string out, std::size_t size, bool good) {
  if (!good) throw std::runtime_error("cannot compress");
  out.resize(size);
  return out;
}

inline std::string gzipped(std::string_view bytes) {
  constexpr int kGzipWindow = 15 + 16, kMemory = 8;
  std::string out = packedRoom(bytes);
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  deflateEnd(&stream);
  return checked(std::move(out), stream.total_out, result == Z_STREAM_END);
}

#ifdef HAVE_lzma
/// Unpacking takes 64 MiB with preset 9, and 0.25 MiB with 0.
inline std::string xzPacked(std::string_view bytes, unsigned preset) {
  std::string out = packedRoom(bytes);
  std::size_t size = 0;
  const lzma_ret result = lzma_easy_buffer_encode(
      preset, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(bytes.data()),
      bytes.size(), reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size());
  return checked(std::move(out), size, result == LZMA_OK);
}
#endif

#ifdef HAVE_bz2
inline std::string bzip2Packed(std::string_view bytes) {
  std::string out = packedRoom(bytes);
  unsigned size = static_cast<unsigned>(out.size());
  const int result = BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(bytes.data()),
                                              static_cast<unsigned>(bytes.size()), 1, 0, 0);
  return checked(std::move(out), size, result == BZ_OK);
}
#endif

#ifdef HAVE_zstd
/// With a checksum, as the program zstd writes it.
inline std::string zstdPacked(std::string_view bytes) {
  std::string out = packedRoom(bytes);
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const std::size_t size =
      ZSTD_compress2(context, out.data(), out.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  return checked(std::move(out), size, !ZSTD_isError(size));
}
#endif

#ifdef HAVE_zip
/// A zip archive of these members: names and bytes.
inline std::string zipped(const std::vector<std::pair<std::string, std::string>>& members,
                          int method = ZIP_CM_DEFLATE) {
  zip_source_t* const target = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_t* const archive = zip_open_from_source(target, ZIP_TRUNCATE, nullptr);
  zip_source_keep(target);
  for (const auto& [name, bytes] : members) {
    zip_source_t* const source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const zip_int64_t at = zip_file_add(archive, name.c_str(), source, ZIP_FL_OVERWRITE);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(at), method, 0);
  }
  const bool closed = zip_close(archive) == 0 && zip_source_open(target) == 0;
  zip_stat_t made;
  zip_stat_init(&made);
  const bool known = closed && zip_source_stat(target, &made) == 0;
  std::string out(known ? made.size : 0, '\0');
  const zip_int64_t got = known ? zip_source_read(target, out.data(), out.size()) : -1;
  zip_source_close(target);
  zip_source_free(target);
  const bool good = known && got == static_cast<zip_int64_t>(made.size);
  return checked(std::move(out), known ? made.size : 0, good);
}
#endif

struct Packer {
  const char* extension;
  std::string (*pack)(std::string_view bytes);
};

/// What this program was built with. The extensions are those of kCompressions.
inline std::vector<Packer> packers() {
  return {
      {".gz", gzipped},
#ifdef HAVE_lzma
      {".xz", [](std::string_view bytes) { return xzPacked(bytes, 0); }},
#endif
#ifdef HAVE_bz2
      {".bz2", bzip2Packed},
#endif
#ifdef HAVE_zstd
      {".zst", zstdPacked},
#endif
  };
}

/// What packs files of that extension; nullptr without the library.
inline auto packerFor(std::string_view extension) -> std::string (*)(std::string_view) {
  for (const Packer& packer : packers())
    if (extension == packer.extension) return packer.pack;
  return nullptr;
}
