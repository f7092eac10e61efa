#include "cli/script.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/size.h"
#include "system/process.h"

namespace {

[[noreturn]] void failMemory() {
  throw Error(ErrorCode::kMemory, "no memory for a file that a script reads or writes");
}

}  // namespace

MemoryFile::MemoryFile(const std::string& text)
    : file_(fdopen(memfd_create("apsp", MFD_CLOEXEC), "w+"), std::fclose) {
  if (file_ == nullptr || std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
      std::fflush(file_.get()) != 0)
    failMemory();
}

std::string MemoryFile::path() const {
  return fmt::format("/proc/self/fd/{}", descriptor());
}

std::string MemoryFile::read() const {
  struct stat status {};
  if (::fstat(descriptor(), &status) != 0) failMemory();
  std::string text(asSize(status.st_size), '\0');
  const ssize_t got = ::pread(descriptor(), text.data(), text.size(), 0);
  if (got != static_cast<ssize_t>(text.size())) failMemory();
  return text;
}

void runScript(const std::string& script, std::vector<std::string> arguments,
               const std::vector<int>& kept, double seconds, const std::string& what) {
  const std::string path = findScript(script);
  if (path.empty())
    throw Error(ErrorCode::kOutput,
                fmt::format("{}: no scripts/{} above this program", what, script));
  arguments.insert(arguments.begin(), {"/usr/bin/env", "python3", path});
  Process python(arguments, kept);
  python.await(seconds);
  const int status = python.stop(1);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  std::string said = python.takeOutput();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  throw Error(ErrorCode::kOutput,
              fmt::format("{}: {}", what, said.empty() ? "it took too long" : said));
}
