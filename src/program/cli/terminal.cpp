#include "cli/terminal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "base/error.h"
#include "measure/tables.h"
#include "submission/compile.h"
#include "system/exit.h"

void complain(const Error& error) {
  if (const auto* build = dynamic_cast<const BuildError*>(&error)) showError(build->log);
  complain(std::string(error.what()));
}

bool complainIfWrong(const Record& record, bool withSize, const std::string& consequence) {
  const std::string size = withSize ? fmt::format("n = {}: ", record.n) : "";
  if (!record.warning.empty())
    complain(fmt::format("warning: {}kernel {}: {}", size, record.kernel, record.warning));
  if (!record.failed()) return false;
  complain(size + (record.fault.empty() ? mismatchText(record) : record.faultText) + consequence);
  return true;
}

void flushOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw Error(ErrorCode::kOutput, fmt::format("standard output: {}", std::strerror(errno)));
}

int exitCodeOf(const std::function<Exit()>& program) {
  const auto failed = [](Exit code, const std::string& message) {
    complain(message);
    return static_cast<int>(code);
  };
  try {
    const Exit code = program();
    flushOutput();
    return static_cast<int>(code);
  } catch (const Error& e) {
    complain(e);
    return static_cast<int>(e.code);
  } catch (const std::bad_alloc&) {
    return failed(Exit::kMemory, "out of host memory");
  } catch (const std::exception& e) {  // only fmt's are left: standard output failed
    return failed(Exit::kOutput, e.what());
  }
}
