#include "api/status.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include "base/cancel.h"
#include "base/negative_cycle.h"

namespace engine {

namespace {

thread_local std::string lastError;
thread_local std::vector<std::int32_t> lastCycle;

apsp_status statusOfCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
    case ErrorCode::kInput:
      return APSP_INVALID;
    case ErrorCode::kMemory:
      return APSP_NO_MEMORY;
    case ErrorCode::kGpu:
      return APSP_DEVICE_FAILED;
    default:
      return APSP_FAILED;
  }
}

}  // namespace

apsp_status statusOf(const std::exception_ptr& thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (const NegativeCycle& error) {
    lastError = error.what();
    lastCycle.clear();
    for (const AnyEdge& edge : error.cycle) lastCycle.push_back(edge.from);
    return APSP_NEGATIVE_CYCLE;
  } catch (const NoDevice& error) {
    lastError = error.what();
    return APSP_NO_DEVICE;
  } catch (const Unsupported& error) {
    lastError = error.what();
    return APSP_UNSUPPORTED;
  } catch (const RangeError& error) {
    lastError = error.what();
    return APSP_INEXACT;
  } catch (const Cancelled&) {
    lastError = "cancelled";
    return APSP_CANCELLED;
  } catch (const Error& error) {
    lastError = error.what();
    return statusOfCode(error.code);
  } catch (const std::bad_alloc&) {
    lastError = "out of host memory";
    return APSP_NO_MEMORY;
  } catch (const std::exception& error) {
    lastError = error.what();
    return APSP_FAILED;
  } catch (...) {
    lastError = "unknown error";
    return APSP_FAILED;
  }
}

void forgetLastError() noexcept {
  lastError.clear();
}

void require(bool holds, const char* what) {
  if (!holds) throw InvalidArgument(what);
}

void requireSupport(bool holds, const char* what) {
  if (!holds) throw Unsupported(what);
}

}  // namespace engine

using namespace engine;

extern "C" {

#define APSP_TEXT_OF(number) #number
#define APSP_TEXT(number) APSP_TEXT_OF(number)
const char* apsp_version(void) {
  return APSP_TEXT(APSP_VERSION_MAJOR) "." APSP_TEXT(APSP_VERSION_MINOR) "." APSP_TEXT(
      APSP_VERSION_PATCH);
}

const char* apsp_last_error(void) {
  return lastError.c_str();
}

size_t apsp_last_cycle(int32_t* vertices, size_t room) {
  if (vertices != nullptr)
    std::copy_n(lastCycle.begin(), std::min(room, lastCycle.size()), vertices);
  return lastCycle.size();
}

const char* apsp_status_text(apsp_status status) {
  static const char* const texts[] = {
      "no error",       "invalid argument",   "out of memory", "no GPU",         "GPU failed",
      "negative cycle", "distance too large", "cancelled",     "internal error", "not available"};
  return status >= APSP_OK && status <= APSP_UNSUPPORTED ? texts[status]
                                                         : "no status of this library";
}

}  // extern "C"
