// The hand-ins: what a folder of submissions holds, and the private copies that are graded.
//
// A hand-in may change while it is graded, and its folder may hold links to other people's files.
// Therefore its files are read once, and everything happens on a copy of what was read.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "grade/archive.h"
#include "io/private_folder.h"

using namespace engine;

/// A file or folder among the hand-ins.
struct HandIn {
  std::string name;     ///< in the folder
  std::string path;     ///< of the source, .so or archive; of the hand-in itself if it is left out
  std::string leftOut;  ///< why it is no submission, one line; "" if it is one
  bool folder = false;  ///< everything beside the file belongs to it
  bool packed = false;  ///< the file is an archive
  bool gpu = false;     ///< it is to run on a GPU

  /// Whether it may have several files, which are below one folder.
  bool hasFolder() const { return folder || packed; }
};

/// The files that a folder may have as its submission, the best first: "apsp.cu", "apsp.so".
std::vector<std::string> submissionNames(bool gpu);

/// Whether a file is a header: it is no submission, and comes with the sources that name it.
bool isHeaderName(const std::string& name);

/// Everything that the folder holds, sorted by name. A submission is a source in a language of the
/// device, a *.so, an archive, or a folder with one of submissionNames() or with one archive. A .so
/// beside its source is left out silently: the source counts. `without`: files that are not
/// hand-ins, the outputs of the grader. Throws Error(kInput) if the folder cannot be read.
std::vector<HandIn> findHandIns(const std::string& folder, DeviceKind device,
                                const std::vector<std::string>& without = {});

/// Whether all hand-ins of a folder are sources for the CPU. Nobody knows what an archive or a .so
/// is for.
bool isForHost(const std::string& folder);

/// Reads a submission without following a link: its folder, its archive, or one file. The file
/// becomes apsp.cu, apsp.cpp, apsp.so or the like, because nvcc passes names to a shell. Headers
/// beside a source come with it if it names them, except apsp.h, cuda_utils.h and those that the
/// compiler has, such as cuda_runtime.h: a rival could have handed them in. Throws Error(kInput) if
/// a part is a symbolic link, no regular file or unreadable, if the hand-in is larger than
/// kMostBytes or has more than kMostFiles, if an archive is refused (archive.h), or has none of
/// submissionNames().
Files readHandIn(const HandIn& handIn);

/// The file of what readHandIn() read that is the submission: "apsp.cu".
std::string submissionFile(const HandIn& handIn, const Files& files);

/// The SHA-256 of a hand-in. Of one file it is what sha256sum prints; of a folder, an archive or
/// several files it is that of the lines that `sha256sum` prints for all files, sorted by path.
std::string digestOf(const Files& files, bool folder);

/// A SHA-256 that two hand-ins share only if their files have the same paths and the same content.
/// The digest does not promise that: a file can hold the lines of which the digest of a folder is
/// made.
std::string identityOf(const Files& files);

/// Writes the files of a hand-in into a new folder below `parent`, and returns the path of its
/// source or library. The folder goes with the last copy of the pointer. Throws Error(kOutput).
std::shared_ptr<const std::filesystem::path> copyOf(const HandIn& handIn, const Files& files,
                                                    const std::filesystem::path& parent);
