#include "grade/hand_ins.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <system_error>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/quantity.h"
#include "submission/compile.h"
#include "system/sha256.h"
#include "system/utf8.h"

namespace fs = std::filesystem;

namespace {

// ---- what the folder holds --------------------------------------------------------------------

std::string kindOf(const fs::file_status& status) {
  switch (status.type()) {
    case fs::file_type::symlink:
      return "a symbolic link: hand in the file itself";
    case fs::file_type::fifo:
      return "not a regular file: a pipe";
    case fs::file_type::socket:
      return "not a regular file: a socket";
    case fs::file_type::block:
    case fs::file_type::character:
      return "not a regular file: a device";
    default:
      return "";
  }
}

struct Extension {
  const char *end, *reason;
};

const Extension kLeftOut[] = {
    {".h", "a header: it is copied beside every .cu file of this folder"},
    {".hpp", "a header: it is copied beside every .cu file of this folder"},
    {".cuh", "a header: it is copied beside every .cu file of this folder"},
    {".inc", "a header: it is copied beside every .cu file of this folder"},
    {".cpp", "C++ source is not compiled here: hand in a .so, or a .cu for a GPU"},
    {".cc", "C++ source is not compiled here: hand in a .so, or a .cu for a GPU"},
    {".c", "C source is not compiled here: hand in a .so, or a .cu for a GPU"},
    {".zip", "an archive: unpack it"},
    {".gz", "an archive: unpack it"},
    {".tgz", "an archive: unpack it"},
    {".tar", "an archive: unpack it"},
    {".7z", "an archive: unpack it"},
};

constexpr char kSourceOnHost[] = "CUDA source runs on a GPU only: leave --host out";

/// Why a file is no submission; "" if it is one.
std::string refusalOfFile(const std::string& name, bool gpu) {
  if (endsWith(name, ".so")) return "";
  if (endsWith(name, ".cu")) return gpu ? "" : kSourceOnHost;
  for (const Extension& each : kLeftOut)
    if (endsWith(name, each.end)) return each.reason;
  return gpu ? "neither .cu nor .so" : "not a .so";
}

/// The names in a folder, sorted. They end with "/" if they are folders.
std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code unknown;
    names.push_back(entry.path().filename().string() + (entry.is_directory(unknown) ? "/" : ""));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Finds the submission in a folder, or says why there is none.
HandIn inFolder(const fs::path& folder, bool gpu) {
  HandIn found{folder.filename().string(), folder.string(), "", true};
  const std::vector<std::string> names = namesIn(folder);
  const auto has = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (gpu && has("apsp.cu")) {
    found.path = (folder / "apsp.cu").string();
  } else if (has("apsp.so")) {
    found.path = (folder / "apsp.so").string();
  } else if (names.empty()) {
    found.leftOut = "an empty folder";
  } else if (has("apsp.cu")) {
    found.leftOut = kSourceOnHost;
  } else {
    found.leftOut =
        fmt::format("a folder without {}apsp.so; it holds {}{}", gpu ? "apsp.cu or " : "",
                    oneLine(names[0]), names.size() > 1 ? ", …" : "");
  }
  return found;
}

}  // namespace

std::vector<HandIn> findHandIns(const std::string& folder, DeviceKind device,
                                const std::vector<std::string>& without) {
  const bool gpu = device == DeviceKind::kGpu;
  std::vector<HandIn> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const auto isEntry = [&](const std::string& path) {
      std::error_code missing;
      return fs::equivalent(path, entry.path(), missing) && !missing;
    };
    if (std::any_of(without.begin(), without.end(), isEntry)) continue;
    std::error_code unknown;
    const fs::file_status status = entry.symlink_status(unknown);
    const std::string name = entry.path().filename().string(), kind = kindOf(status);
    if (!kind.empty())
      found.push_back({name, entry.path().string(), kind});
    else if (fs::is_directory(status))
      found.push_back(inFolder(entry.path(), gpu));
    else
      found.push_back({name, entry.path().string(), refusalOfFile(name, gpu)});
  }
  if (error == std::errc::not_a_directory)
    throw Error(Exit::kInput,
                fmt::format("{0}: this is a file: give a folder of hand-ins, or check "
                            "this one: apsp check --kernel {0}",
                            folder));
  if (error) throw Error(Exit::kInput, fmt::format("{}: {}", folder, error.message()));
  std::sort(found.begin(), found.end(),
            [](const HandIn& a, const HandIn& b) { return a.name < b.name; });
  return found;
}

// ---- reading ------------------------------------------------------------------------------------

namespace {

std::string nameOfCopy(const HandIn& handIn) {
  return endsWith(handIn.path, ".cu") ? "apsp.cu" : "apsp.so";
}

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw Error(Exit::kInput, path + ": " + reason);
}

/// Reads files below one folder, and adds up what they hold.
class Reader {
 public:
  explicit Reader(std::string folder) : folder_(std::move(folder)) {}

  /// Everything in a folder and the folders in it. at: its descriptor; prefix: its path below
  /// folder_, "" or "src/".
  void addFolder(int at, const std::string& prefix, int depth = 0) {
    constexpr int kDeepest = 16;
    if (depth > kDeepest) refuse(folder_ + "/" + prefix, "folders within folders: too deep");
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(::dup(at)), ::closedir);
    if (entries == nullptr) refuse(folder_ + "/" + prefix, std::strerror(errno));
    while (const dirent* entry = ::readdir(entries.get())) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") add(at, name, prefix, depth, prefix + name);
    }
  }

  /// A file or folder `name` in `at`. target: its path in the copy.
  void add(int at, const std::string& name, const std::string& prefix, int depth,
           const std::string& target) {
    const std::string path = folder_ + "/" + prefix + name;
    const Descriptor file(
        ::openat(at, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.number < 0) {
      refuse(path, errno == ELOOP   ? "a symbolic link: hand in the file itself"
                   : errno == ENXIO ? "not a regular file"
                                    : std::string("cannot be read: ") + std::strerror(errno));
    }
    struct stat status {};
    if (::fstat(file.number, &status) != 0) refuse(path, std::strerror(errno));
    if (S_ISDIR(status.st_mode)) return addFolder(file.number, prefix + name + "/", depth + 1);
    if (!S_ISREG(status.st_mode)) refuse(path, "not a regular file");
    if (files_.size() == kMostFiles)
      refuse(folder_, fmt::format("holds more than {} files", kMostFiles));
    files_[target] = content(file.number, path);
  }

  const Files& files() const { return files_; }

 private:
  std::string content(int fd, const std::string& path) {
    std::string text;
    char block[1 << 16];
    for (ssize_t got; (got = ::read(fd, block, sizeof block)) != 0;) {
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse(path, std::string("cannot be read: ") + std::strerror(errno));
      text.append(block, static_cast<std::size_t>(got));
      bytes_ += static_cast<std::size_t>(got);
      if (bytes_ > kMostBytes)
        refuse(path, fmt::format("the hand-in is larger than {}", bytesText(kMostBytes)));
    }
    return text;
  }

  const std::string folder_;
  Files files_;
  std::size_t bytes_ = 0;
};

bool isHeader(const std::string& name) {
  return name != "apsp.h" && name != "cuda_utils.h" && !isCompilersHeader(name) &&
         refusalOfFile(name, true).rfind("a header", 0) == 0;
}

/// The headers of a folder, by their names read backwards.
using Headers = std::set<std::string>;

/// Removes the headers that a text names, and returns them. It names "b.h" also by "ab.h".
std::vector<std::string> takeNamed(Headers& headers, const std::string& text) {
  std::vector<std::string> named;
  for (std::size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', dot + 1)) {
    for (const Extension& each : kLeftOut) {
      const std::size_t length = std::strlen(each.end);
      if (text.compare(dot, length, each.end) != 0) continue;
      // Headers that begin with `back` lie side by side.
      std::string back;
      for (std::size_t at = dot + length; at > 0;) {
        back += text[--at];
        const auto next = headers.lower_bound(back);
        if (next == headers.end() || next->compare(0, back.size(), back) != 0) break;
        if (*next != back) continue;
        named.emplace_back(back.rbegin(), back.rend());
        headers.erase(next);
      }
    }
  }
  return named;
}

/// Adds the headers among `names` that a file in `reader` names, until no more are named.
void addHeaders(Reader& reader, int at, const std::vector<std::string>& names) {
  Headers headers;
  for (const std::string& name : names)
    if (isHeader(name) && reader.files().count(name) == 0)
      headers.emplace(name.rbegin(), name.rend());
  std::vector<std::string> unread;
  for (const auto& [name, content] : reader.files()) unread.push_back(name);
  while (!unread.empty()) {
    const std::string name = std::move(unread.back());
    unread.pop_back();
    for (std::string& header : takeNamed(headers, reader.files().at(name))) {
      reader.add(at, header, "", 0, header);
      unread.push_back(std::move(header));
    }
  }
}

}  // namespace

Files readHandIn(const HandIn& handIn) {
  const fs::path path = handIn.path;
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const std::string name = path.filename().string();
  const Descriptor at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.number < 0) refuse(folder, std::string("cannot be read: ") + std::strerror(errno));
  Reader reader(folder);
  if (handIn.folder)
    reader.addFolder(at.number, "");
  else
    reader.add(at.number, name, "", 0, nameOfCopy(handIn));
  if (!handIn.folder && path.extension() == ".cu") addHeaders(reader, at.number, namesIn(folder));
  return reader.files();
}

std::string digestOf(const Files& files) {
  if (files.size() == 1) return sha256(files.begin()->second);
  std::string lines;
  for (const auto& [path, content] : files) lines += sha256(content) + "  " + path + "\n";
  return sha256(lines);
}

std::string identityOf(const Files& files) {
  std::string all;
  for (const auto& [path, content] : files)
    all += fmt::format("{}|{}|{}|{}|", path.size(), path, content.size(), content);
  return sha256(all);
}

// ---- copies -------------------------------------------------------------------------------------

namespace {

fs::path newFolder(const fs::path& parent) {
  std::string name = (parent / "apsp-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)  // its mode is 0700
    throw Error(Exit::kOutput, fmt::format("{}: no folder for private copies: {}", parent.string(),
                                           std::strerror(errno)));
  return name;
}

}  // namespace

std::shared_ptr<const fs::path> copyOf(const HandIn& handIn, const Files& files,
                                       const fs::path& parent) {
  const fs::path folder = newFolder(parent);
  std::shared_ptr<const fs::path> copied(new fs::path(folder / nameOfCopy(handIn)),
                                         [](const fs::path* path) {
                                           std::error_code ignored;
                                           fs::remove_all(path->parent_path(), ignored);
                                           delete path;
                                         });
  for (const auto& [path, content] : files) {
    std::error_code error;
    fs::create_directories((folder / path).parent_path(), error);
    std::ofstream file(folder / path, std::ios::binary);
    file << content;
    if (!file.flush())
      throw Error(Exit::kOutput, (folder / path).string() + ": cannot be written: disk full?");
  }
  return copied;
}
