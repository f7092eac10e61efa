// Archives of hand-ins, as course systems and students make them. Nothing is written to a disk
// here.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

/// The content of a hand-in: paths below its folder and their bytes.
using Files = std::map<std::string, std::string>;

/// The most that a hand-in may hold.
inline constexpr std::size_t kMostBytes = std::size_t{64} << 20, kMostFiles = 1000;

/// Throws Error(kInput): a hand-in is refused, because of this at that path.
[[noreturn]] void refuse(const std::string& path, const std::string& reason);

/// The end of an archive's name: .zip, .tar, or that of a .tar that is compressed. "" of another
/// file.
std::string archiveEnd(const std::string& name);
inline bool isArchive(const std::string& name) {
  return !archiveEnd(name).empty();
}

/// The files in an archive. If it holds one folder only, they are those of that folder. If it holds
/// no other file than an archive, they are those of that one, but no deeper. Folders, and what
/// macOS adds, are left out. path: names it in messages; its end says what it is.
///
/// Throws Error(kInput) if it is damaged or encrypted, holds more than the bounds above, or holds
/// what no hand-in may: links, devices, paths that are absolute or lead upwards, or two files with
/// the same path.
Files unpacked(const std::string& path, std::string_view bytes);
