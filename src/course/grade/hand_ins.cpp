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
#include "base/size.h"
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

constexpr const char* kHeaders[] = {".h", ".hpp", ".cuh", ".inc"};

/// Why a source of this language is no submission there; "" if it is one.
std::string refusalOf(const Language& language, bool gpu) {
  if (language.gpu == gpu) return "";
  return fmt::format(gpu ? "{} source runs on a CPU only: give --host"
                         : "{} source runs on a GPU only: leave --host out",
                     language.name);
}

/// Why a file is no submission; "" if it is one.
std::string refusalOfFile(const std::string& name, bool gpu) {
  if (endsWith(name, ".so") || isArchive(name)) return "";
  if (const Language* const language = languageOf(name)) return refusalOf(*language, gpu);
  if (isHeaderName(name)) return "a header: it comes with each source here that names it";
  for (const char* end : {".7z", ".gz", ".rar"})
    if (endsWith(name, end)) return "an archive of another kind: unpack it";
  return gpu ? "neither .cu nor .so" : "neither .cpp, .c nor .so";
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

/// The submission among the names in a folder, "" if there is none.
template <class Names>
std::string submissionIn(const Names& names, bool gpu) {
  for (const std::string& wanted : submissionNames(gpu))
    if (std::find(names.begin(), names.end(), wanted) != names.end()) return wanted;
  return "";
}

/// Finds the submission in a folder, or says why there is none.
HandIn inFolder(const fs::path& folder, bool gpu) {
  HandIn found{folder.filename().string(), folder.string(), "", true, false, gpu};
  const std::vector<std::string> names = namesIn(folder);
  const auto archive = std::find_if(names.begin(), names.end(), isArchive);
  if (const std::string submission = submissionIn(names, gpu); !submission.empty()) {
    found.path = (folder / submission).string();
  } else if (archive != names.end() && std::none_of(archive + 1, names.end(), isArchive)) {
    found.path = (folder / *archive).string();
    found.folder = false;
    found.packed = true;
  } else if (names.empty()) {
    found.leftOut = "an empty folder";
  } else if (const std::string other = submissionIn(names, !gpu); !other.empty()) {
    found.leftOut = refusalOf(*languageOf(other), gpu);  // a .so would be taken
  } else {
    found.leftOut =
        fmt::format("a folder without {}; it holds {}{}", fmt::join(submissionNames(gpu), ", "),
                    oneLine(names[0]), names.size() > 1 ? ", …" : "");
  }
  return found;
}

/// Whether a library lies beside its source.
bool isBuiltHere(const HandIn& library, const std::vector<HandIn>& all) {
  if (library.hasFolder() || !endsWith(library.path, ".so")) return false;
  const std::string stem = library.path.substr(0, library.path.size() - 3);
  return std::any_of(all.begin(), all.end(), [&](const HandIn& other) {
    const Language* const language = languageOf(other.path);
    return !other.hasFolder() && other.leftOut.empty() && language != nullptr &&
           other.path == stem + language->extension;
  });
}

}  // namespace

bool isHeaderName(const std::string& name) {
  return std::any_of(std::begin(kHeaders), std::end(kHeaders),
                     [&](const char* end) { return endsWith(name, end); });
}

std::vector<std::string> submissionNames(bool gpu) {
  std::vector<std::string> names;
  for (const Language& language : languages())
    if (language.gpu == gpu) names.push_back(std::string("apsp") + language.extension);
  names.emplace_back("apsp.so");
  return names;
}

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
      found.push_back(
          {name, entry.path().string(), refusalOfFile(name, gpu), false, isArchive(name), gpu});
  }
  if (error == std::errc::not_a_directory)
    throw Error(ErrorCode::kInput,
                fmt::format("{0}: this is a file: give a folder of hand-ins, or check "
                            "this one: apsp check --kernel {0}",
                            folder));
  if (error) throw Error(ErrorCode::kInput, fmt::format("{}: {}", folder, error.message()));
  const std::vector<HandIn> all = found;
  found.erase(std::remove_if(found.begin(), found.end(),
                             [&](const HandIn& each) { return isBuiltHere(each, all); }),
              found.end());
  std::sort(found.begin(), found.end(),
            [](const HandIn& a, const HandIn& b) { return a.name < b.name; });
  return found;
}

// ---- reading ------------------------------------------------------------------------------------

std::string submissionFile(const HandIn& handIn, const Files& files) {
  std::vector<std::string> names;
  for (const auto& [path, content] : files) names.push_back(path);
  return handIn.packed ? submissionIn(names, handIn.gpu)
                       : "apsp" + fs::path(handIn.path).extension().string();
}

namespace {

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
      text.append(block, asSize(got));
      bytes_ += asSize(got);
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
         isHeaderName(name);
}

/// The headers of a folder, by their names read backwards.
using Headers = std::set<std::string>;

/// Removes the headers that a text names, and returns them. It names "b.h" also by "ab.h".
std::vector<std::string> takeNamed(Headers& headers, const std::string& text) {
  std::vector<std::string> named;
  for (std::size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', dot + 1)) {
    for (const char* end : kHeaders) {
      const std::size_t length = std::strlen(end);
      if (text.compare(dot, length, end) != 0) continue;
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

/// The files in an archive with a submission among them.
Files filesIn(const HandIn& handIn, const std::string& bytes) {
  Files files = unpacked(handIn.path, bytes);
  if (submissionFile(handIn, files).empty())
    refuse(handIn.path, fmt::format("an archive without {}; it holds {}{}",
                                    fmt::join(submissionNames(handIn.gpu), ", "),
                                    files.empty() ? "nothing" : oneLine(files.begin()->first),
                                    files.size() > 1 ? ", …" : ""));
  return files;
}

}  // namespace

bool isForHost(const std::string& folder) {
  const auto hasFor = [&](DeviceKind device) {
    const std::vector<HandIn> all = findHandIns(folder, device);
    return std::any_of(all.begin(), all.end(),
                       [](const HandIn& each) { return each.leftOut.empty(); });
  };
  // A GPU takes every archive and .so that a CPU takes, so what is for the CPU alone is source.
  return hasFor(DeviceKind::kCpu) && !hasFor(DeviceKind::kGpu);
}

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
    reader.add(at.number, name, "", 0, submissionFile(handIn, {}));
  if (handIn.packed) return filesIn(handIn, reader.files().begin()->second);
  if (!handIn.folder && languageOf(name) != nullptr) addHeaders(reader, at.number, namesIn(folder));
  return reader.files();
}

std::string digestOf(const Files& files, bool folder) {
  if (!folder && files.size() == 1) return sha256(files.begin()->second);
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
    throw Error(ErrorCode::kOutput, fmt::format("{}: no folder for private copies: {}",
                                                parent.string(), std::strerror(errno)));
  return name;
}

}  // namespace

std::shared_ptr<const fs::path> copyOf(const HandIn& handIn, const Files& files,
                                       const fs::path& parent) {
  const fs::path folder = newFolder(parent);
  std::shared_ptr<const fs::path> copied(new fs::path(folder / submissionFile(handIn, files)),
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
      throw Error(ErrorCode::kOutput, (folder / path).string() + ": cannot be written: disk full?");
  }
  return copied;
}
