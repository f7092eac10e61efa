// The header of NumPy's binary format, versions 1 to 3, of a file or of a member of an archive.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/utf8.h"

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// What this program notes in the header of a matrix that it solved.
struct NpyMark {
  std::uint64_t graph = 0;     ///< GraphStats::hash of the graph
  std::int32_t unreached = 0;  ///< what stands where there is no path; 0: what is usual
};

/// What a header says, each value as the text has it.
struct NpyHeader {
  std::string descr;                                ///< with the quotes around it
  std::string order;                                ///< True or False
  std::string shapeText;                            ///< with the parentheses around it
  std::optional<std::vector<std::uint64_t>> shape;  ///< none if the text is no shape
  std::optional<NpyMark> mark;                      ///< none if somebody else wrote the file

  /// The type without the order of its bytes, such as f8; "" if it is none of one letter and
  /// digits.
  std::string_view type() const;
  bool bigEndian() const { return descr.size() > 1 && descr[1] == '>'; }
};

/// The header in the text of it, a Python dictionary. fail: is called with the fault, and throws,
/// if a key is missing.
NpyHeader parseNpyHeader(const std::string& text,
                         const std::function<void(const std::string&)>& fail);

/// The type, as `descr` has it between quotes, for a message.
std::string npyType(const NpyHeader& header);

/// The bytes of a header of version 1. Blanks at its end align what follows. descr: the type.
/// shape: the sides, with commas, without parentheses. mark: is written as blanks and tabs before
/// these blanks. Every reader passes over them: a comment or another key would make some of them
/// fail.
std::string npyHeader(const char* descr, const std::string& shape,
                      const std::optional<NpyMark>& mark = {});

/// Reads a header from an Input, or from anything that has its functions.
template <class Source>
NpyHeader readNpyHeader(Source& in) {
  constexpr std::uint32_t kLongest = 65535;  // of a header that could be ours
  char magic[8] = {};                        // with two bytes of version
  const std::size_t got = in.read(magic, sizeof magic);
  if (got < sizeof magic || std::string_view(magic, kNpyMagic.size()) != kNpyMagic)
    in.failAt(0, "is not a NumPy file");
  const int version = magic[6];
  if (version < 1 || version > 3)
    in.failAt(6, fmt::format("NumPy format {}, expected 1 to 3", version));
  std::uint32_t length = 0;
  in.readExact(&length, version == 1 ? 2 : 4);
  if (in.size() > 0 && length > in.size() - in.offset())
    in.failAt(sizeof magic, fmt::format("the header needs {} bytes, the file has {}",
                                        in.offset() + length, in.size()));
  if (length > kLongest)
    in.failAt(sizeof magic,
              fmt::format("the header has {} bytes, expected at most {}", length, kLongest));
  std::string text(length, '\0');
  in.readExact(text.data(), length);
  return parseNpyHeader(text, [&](const std::string& fault) { in.failAt(0, fault); });
}

/// Whether the values lie column after column.
template <class Source>
bool isFortran(const Source& in, const NpyHeader& header) {
  if (header.order != "True" && header.order != "False")
    in.failAt(
        0, fmt::format("NumPy fortran_order {}, expected True or False", inQuotes(header.order)));
  return header.order == "True";
}
