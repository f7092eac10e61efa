#include "base/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/quantity.h"
#include "base/size.h"
#include "base/thread_team.h"

namespace engine {

namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

/// The text of a small file in /proc or /sys; empty if it cannot be read.
std::string contents(const std::string& path) {
  std::string text;
  if (std::FILE* file = std::fopen(path.c_str(), "re")) {
    char block[4096];
    while (const std::size_t got = std::fread(block, 1, sizeof block, file))
      text.append(block, got);
    std::fclose(file);
  }
  return text;
}

/// The number after `label` at the start of a line of `text`; `otherwise` if there is none.
std::size_t numberAfter(const std::string& text, const std::string& label, std::size_t otherwise) {
  const std::size_t at = text.rfind(label, 0) == 0 ? 0 : text.find("\n" + label);
  if (at == std::string::npos) return otherwise;
  const std::size_t number =
      text.find_first_not_of("\n \t", at == 0 ? label.size() : at + 1 + label.size());
  if (number == std::string::npos || text[number] < '0' || text[number] > '9') return otherwise;
  return std::strtoull(text.c_str() + number, nullptr, 10);
}

/// The files in which one version of control groups keeps its numbers, and the names in
/// memory.stat.
struct CgroupFiles {
  const char *root, *limit, *usage, *inactiveCache, *activeCache;
};
constexpr CgroupFiles kCgroupV1{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
                                "/memory.usage_in_bytes", "total_inactive_file",
                                "total_active_file"};
constexpr CgroupFiles kCgroupV2{"/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file",
                                "active_file"};

/// The bytes that a group and its ancestors leave. Their usage includes the page cache, which the
/// kernel gives back when memory is needed, so it counts as free.
std::size_t cgroupFree(const CgroupFiles& files, std::string group) {
  std::size_t free = kUnlimited;
  while (true) {
    const std::string folder = files.root + group;
    const std::size_t limit = numberAfter(contents(folder + files.limit), "", kUnlimited);
    if (limit != kUnlimited) {
      const std::string stat = contents(folder + "/memory.stat");
      const std::size_t cache =
          numberAfter(stat, files.inactiveCache, 0) + numberAfter(stat, files.activeCache, 0);
      const std::size_t usage = numberAfter(contents(folder + files.usage), "", 0);
      const std::size_t held = usage - std::min(usage, cache);
      free = std::min(free, limit - std::min(limit, held));
    }
    if (group.empty()) return free;
    group.erase(std::min(group.rfind('/'), group.size() - 1));
  }
}

/// The bytes that the control groups of this process leave. A line of /proc/self/cgroup is
/// `number:controllers:path`, without controllers in version 2.
std::size_t cgroupsFree() {
  const std::string text = contents("/proc/self/cgroup");
  std::size_t free = kUnlimited;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") free = std::min(free, cgroupFree(kCgroupV2, group));
    if (controllers.find(",memory,") != std::string::npos)
      free = std::min(free, cgroupFree(kCgroupV1, group));
  }
  return free;
}

/// The bytes that `ulimit -v` leaves.
std::size_t addressSpaceFree() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const std::size_t pages = numberAfter(contents("/proc/self/statm"), "", 0);
  const std::size_t used = pages * asSize(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used);
}

}  // namespace

std::size_t freeHostBytes() {
  constexpr std::size_t kKilo = 1024;
  const std::size_t available =
      numberAfter(contents("/proc/meminfo"), "MemAvailable:", kUnlimited / kKilo);
  return std::min({available * kKilo, cgroupsFree(), addressSpaceFree()});
}

void requireHostBytes(std::size_t bytes, const char* what) {
  if (bytes <= kUncheckedBytes) return;
  const std::size_t free = freeHostBytes();
  if (bytes > free)
    throw Error(ErrorCode::kMemory, fmt::format("{} needs {} of host memory, {} are free: take a "
                                                "smaller graph or a larger machine",
                                                what, bytesText(bytes), bytesText(free)));
}

void preferLargePages(void* memory, std::size_t bytes) {
  if (bytes <= kUncheckedBytes) return;  // no large page fits
#if defined(MADV_HUGEPAGE)
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

void takePages(void* memory, std::size_t bytes) {
  constexpr std::size_t kPage = 4096, kPart = std::size_t{4} << 20;
  auto* const bytesOf = static_cast<char*>(memory);
  const auto parts = static_cast<int>((bytes + kPart - 1) / kPart);
  inParts(parts, 1, [=](int begin, int end) {
    const std::size_t last = std::min(bytes, asSize(end) * kPart);
    for (std::size_t at = asSize(begin) * kPart; at < last; at += kPage) bytesOf[at] = 0;
  });
  if (bytes > 0) bytesOf[bytes - 1] = 0;  // it may be in a page where no part begins
}

}  // namespace engine
