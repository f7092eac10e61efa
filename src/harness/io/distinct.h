// No command may write over a file that it reads, or write two results to one file.
#pragma once

#include <string>
#include <vector>

/// A file on the command line: the flag or argument that names it, and its path.
struct NamedFile {
  std::string flag, path;
};

/// Throws Error(kUsage) if an output is one of the inputs or another output. Files are compared by
/// what they are, so links and other spellings of a path count. A file that does not exist yet is
/// compared by its folder and name. A character device such as /dev/null may occur several times,
/// but standard output may not. `-` is standard input among the inputs, standard output among the
/// outputs.
void requireDistinct(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);
