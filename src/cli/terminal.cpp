#include "cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "core/utf8.h"
#include "measure/tables.h"

bool colourful() {
  return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

void complain(const std::string& message) {
  std::fputs(fmt::format("apsp: {}\n", oneLine(message)).c_str(), stderr);
}

bool complainIfWrong(const Record& record, const std::string& consequence) {
  if (!record.warning.empty()) complain("warning: kernel " + record.kernel + ": " + record.warning);
  if (!record.failed()) return false;
  complain((record.fault.empty() ? mismatchText(record) : record.faultText) + consequence);
  return true;
}

void flushOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw Error(Exit::kOutput, fmt::format("standard output: {}", std::strerror(errno)));
}
