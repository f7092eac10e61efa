#include "cli/terminal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.h"
#include "core/screen.h"
#include "core/utf8.h"
#include "measure/tables.h"

void complain(const std::string& message) {
  showError(fmt::format("apsp: {}\n", oneLine(message)));
}

bool complainIfWrong(const Record& record) {
  if (!record.warning.empty()) complain("warning: kernel " + record.kernel + ": " + record.warning);
  if (!record.failed()) return false;
  complain(record.fault.empty() ? mismatchText(record) : record.faultText);
  return true;
}

void flushOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw Error(Exit::kOutput, fmt::format("standard output: {}", std::strerror(errno)));
}
