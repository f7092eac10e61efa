#include "cli/plot.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/error.h"
#include "core/process.h"
#include "core/progress.h"

namespace fs = std::filesystem;

namespace {

/// scripts/plot.py beside this program or in a folder above it, because the program may lie in
/// build/cuda; "" if there is none.
std::string findScript() {
  for (fs::path at = fs::read_symlink("/proc/self/exe"); at != at.root_path();) {
    at = at.parent_path();
    if (const fs::path script = at / "scripts/plot.py"; fs::exists(script)) return script;
  }
  return "";
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// An unnamed file in memory that holds the text.
File inMemory(const std::string& text) {
  File file(fdopen(memfd_create("records", MFD_CLOEXEC), "w"), std::fclose);
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    throw Error(Exit::kMemory, "no memory for the records to draw");
  return file;
}

}  // namespace

void drawSweep(const std::string& csv, const std::string& base) {
  constexpr double kSeconds = 120;
  const std::string script = findScript();
  if (script.empty())
    throw Error(Exit::kOutput, fmt::format("{}: not drawn: no scripts/plot.py above this program: "
                                           "give it --csv's file yourself",
                                           base));
  const Progress drawing("drawing " + base);
  const File file = inMemory(csv);
  const int records = fileno(file.get());
  Process python(
      {"/usr/bin/env", "python3", script, fmt::format("/proc/self/fd/{}", records), "-o", base},
      {records});
  python.await(kSeconds);
  const int status = python.stop(1);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  std::string said = python.takeOutput();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  throw Error(Exit::kOutput,
              fmt::format("{}: not drawn: {}", base, said.empty() ? "it took too long" : said));
}
