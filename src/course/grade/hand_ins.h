// The hand-ins: what a folder of submissions holds, and the private copies that are graded.
//
// A hand-in may change while it is graded, and its folder may hold links to other people's files.
// Therefore its files are read once, and everything happens on a copy of what was read.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "io/private_folder.h"

/// A file or folder among the hand-ins.
struct HandIn {
  std::string name;     ///< in the folder
  std::string path;     ///< of the .cu or .so file; of the hand-in itself if it is left out
  std::string leftOut;  ///< why it is no submission, one line; "" if it is one
  bool folder = false;  ///< everything beside the file belongs to it
};

/// Everything that the folder holds, sorted by name. A submission is a *.so file or a folder with
/// an apsp.so; on a GPU also a *.cu file or a folder with an apsp.cu. `without`: files that are not
/// hand-ins, the outputs of the grader. Throws Error(kInput) if the folder cannot be read.
std::vector<HandIn> findHandIns(const std::string& folder, DeviceKind device,
                                const std::vector<std::string>& without = {});

/// The content of a hand-in: paths below its folder and their bytes.
using Files = std::map<std::string, std::string>;

/// The most that a hand-in may hold.
inline constexpr std::size_t kMostBytes = std::size_t{64} << 20, kMostFiles = 1000;

/// Reads a submission without following a link: its folder, or one file. The file becomes apsp.cu
/// or apsp.so, because nvcc passes names to a shell. Headers beside a .cu file come with it if it
/// names them, except apsp.h, cuda_utils.h and those that the compiler has, such as cuda_runtime.h:
/// a rival could have handed them in. Throws Error(kInput) if a part is a symbolic link, no regular
/// file or unreadable, or if the hand-in is larger than the bounds above.
Files readHandIn(const HandIn& handIn);

/// The SHA-256 of a hand-in. Of one file it is what sha256sum prints; of several it is that of the
/// lines that `sha256sum` prints for all files, sorted by path.
std::string digestOf(const Files& files);

/// A SHA-256 that two hand-ins share only if their files have the same paths and the same content.
/// The digest does not promise that: a file can hold the lines of which the digest of a folder is
/// made.
std::string identityOf(const Files& files);

/// Writes the files of a hand-in into a new folder below `parent`, and returns the path of its
/// apsp.cu or apsp.so. The folder goes with the last copy of the pointer. Throws Error(kOutput).
std::shared_ptr<const std::filesystem::path> copyOf(const HandIn& handIn, const Files& files,
                                                    const std::filesystem::path& parent);
