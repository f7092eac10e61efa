#include "submission/hand_in.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/error.h"

namespace fs = std::filesystem;

namespace {

constexpr int kMostFiles = 1000;
constexpr std::uint64_t kMostBytes = 100'000'000;

[[noreturn]] void cannot(const fs::path& file, const std::string& why) {
  throw Error(Exit::kInput, fmt::format("{}: not copied: {}", file.string(), why));
}

/// A descriptor that is closed at the end of the scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

/// Copies files, and counts them.
class Copier {
 public:
  /// Copies a regular file. The one that is opened is the one that is copied, whatever its name
  /// means a moment later.
  void copyFile(const fs::path& from, const fs::path& to) {
    // Opening a pipe must not wait for a writer.
    const Descriptor in{open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    if (in.number < 0)
      cannot(from, errno == ELOOP ? "it is a symbolic link: hand in the file itself"
                                  : std::strerror(errno));
    struct stat status {};
    if (fstat(in.number, &status) != 0 || !S_ISREG(status.st_mode))
      cannot(from, "it is not a regular file");
    const Descriptor out{open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (out.number < 0) failOutput(to);
    if (++files_ > kMostFiles) cannot(from, fmt::format("more than {} files", kMostFiles));
    std::vector<char> block(std::size_t{1} << 16);
    for (ssize_t got; (got = read(in.number, block.data(), block.size())) != 0;) {
      if (got < 0) cannot(from, std::strerror(errno));
      bytes_ += static_cast<std::uint64_t>(got);
      if (bytes_ > kMostBytes) cannot(from, "it and the files beside it have more than 100 MB");
      if (write(out.number, block.data(), static_cast<std::size_t>(got)) != got) failOutput(to);
    }
  }

  void copyFolder(const fs::path& from, const fs::path& to) {
    for (const auto& entry : fs::directory_iterator(from)) {
      const fs::path copy = to / entry.path().filename();
      if (entry.is_directory() && !entry.is_symlink()) {
        if (mkdir(copy.c_str(), 0700) != 0) failOutput(copy);
        copyFolder(entry.path(), copy);
      } else {
        copyFile(entry.path(), copy);
      }
    }
  }

 private:
  [[noreturn]] static void failOutput(const fs::path& file) {
    throw Error(Exit::kOutput, fmt::format("{}: {}", file.string(), std::strerror(errno)));
  }

  int files_ = 0;
  std::uint64_t bytes_ = 0;
};

bool isHeader(const fs::path& file) {
  for (const char* extension : {".h", ".hh", ".hpp", ".hxx", ".cuh", ".inc", ".inl"})
    if (file.extension() == extension) return true;
  return false;
}

}  // namespace

HandIn copyHandIn(const std::string& path) {
  std::string name = (fs::temp_directory_path() / "apsp-hand-in-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error(Exit::kOutput, fmt::format("{}: {}", name, std::strerror(errno)));
  const std::shared_ptr<fs::path> folder(new fs::path(name), [](fs::path* made) {
    std::error_code ignored;
    fs::remove_all(*made, ignored);
    delete made;
  });
  const fs::path file(path), home = file.has_parent_path() ? file.parent_path() : ".";
  Copier copier;
  try {
    if (file.stem() == "apsp") {
      copier.copyFolder(home, *folder);
    } else {
      copier.copyFile(file, *folder / file.filename());
      for (const auto& beside : fs::directory_iterator(home))
        if (isHeader(beside.path()))
          copier.copyFile(beside.path(), *folder / beside.path().filename());
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(Exit::kInput, error.what());
  }
  return {(*folder / file.filename()).string(), folder};
}
