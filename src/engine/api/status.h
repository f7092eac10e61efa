// Errors become statuses here, and nowhere else.
#pragma once

#include <apsp/apsp.h>

#include <exception>
#include <string>

#include "api/views.h"
#include "base/error.h"

namespace engine {

/// No GPU that can be used.
struct NoDevice : Error {
  explicit NoDevice(const std::string& why) : Error(ErrorCode::kGpu, "no GPU: " + why) {}
};

/// The status of an exception. The thread's last error becomes its text.
apsp_status statusOf(const std::exception_ptr& thrown) noexcept;
void forgetLastError() noexcept;

/// Does the work. What it throws becomes a status.
template <class Work>
apsp_status guarded(Work work) noexcept {
  forgetLastError();
  try {
    work();
    return APSP_OK;
  } catch (...) {
    return statusOf(std::current_exception());
  }
}

/// Throws InvalidArgument unless it holds.
void require(bool holds, const char* what);
/// Throws Unsupported unless it holds.
void requireSupport(bool holds, const char* what);

}  // namespace engine
