// Copies of the files that students hand in. Nobody changes them while they are graded.
#pragma once

#include <memory>
#include <string>

/// A copy of a submission, and of the other files that it may include, that only this user can
/// reach.
struct HandIn {
  std::string path;              ///< of the source or library
  std::shared_ptr<void> folder;  ///< deletes the copy with its last owner
};

/// Copies a submission to a new folder with mode 0700. Of NAME/apsp.cu and NAME/apsp.so everything
/// in NAME is copied; of another file, the headers beside it. Throws Error(kInput) if a file is a
/// symbolic link, which may lead anywhere, or another special file, if it cannot be read, or if
/// there are more than 1000 files or 100 MB; Error(kOutput) if the copy cannot be written.
HandIn copyHandIn(const std::string& path);
