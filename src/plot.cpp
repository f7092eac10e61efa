#include "plot.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "error.h"
#include "process.h"
#include "progress.h"

namespace fs = std::filesystem;

namespace {

/// scripts/plot.py beside this program or above it, as in build/cuda; "" where there is none.
std::string findScript() {
  for (fs::path at = fs::read_symlink("/proc/self/exe"); at != at.root_path();) {
    at = at.parent_path();
    if (const fs::path script = at / "scripts/plot.py"; fs::exists(script)) return script;
  }
  return "";
}

/// Text as a file without a name, which ends with this object.
class TextFile {
 public:
  explicit TextFile(const std::string& text) : fd_(memfd_create("records", MFD_CLOEXEC)) {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written = ::write(fd_, text.data() + at, text.size() - at);
      if (written <= 0) throw Error(Exit::kMemory, "no memory for the records to draw");
      at += static_cast<std::size_t>(written);
    }
  }
  ~TextFile() { ::close(fd_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

void drawSweep(const std::string& csv, const std::string& base) {
  constexpr double kSeconds = 120;
  const std::string script = findScript();
  if (script.empty())
    throw Error(Exit::kOutput, fmt::format("{}: not drawn: no scripts/plot.py above this program: "
                                           "give it --csv's file yourself",
                                           base));
  const Progress drawing("drawing " + base);
  const TextFile records(csv);
  Process python({"/usr/bin/env", "python3", script, fmt::format("/proc/self/fd/{}", records.fd()),
                  "-o", base},
                 {records.fd()});
  python.await(kSeconds);
  const int status = python.stop(1);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  std::string said = python.takeOutput();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  throw Error(Exit::kOutput,
              fmt::format("{}: not drawn: {}", base, said.empty() ? "it took too long" : said));
}
