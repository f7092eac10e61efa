#include "measure/disturbance.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/quantity.h"

namespace {

bool onCpu(const Record& r) {
  return r.deviceKind == "cpu" && r.load.cores > 0;
}

bool tooManyThreads(const Record& r) {
  return onCpu(r) && r.device.units > r.load.usable();
}

/// A quarter of a core and 5 % of the threads are tolerated: the services of an idle machine take
/// about a tenth of a core, and /proc/stat is not more exact.
bool tooFewFreeCores(const Record& r) {
  if (!onCpu(r) || r.load.others < 0 || tooManyThreads(r)) return false;
  const double missing = r.device.units - (r.load.cores - r.load.others);
  return missing > std::max(0.25, 0.05 * r.device.units);
}

/// Half of the calls took more than 1.5 times the fastest one. Clock rates alone explain about 1.3.
/// Less than 0.05 ms is what waking a thread may cost. Fewer than 5 calls have no reliable median.
bool spread(const Record& r) {
  const Timing& t = r.timing;
  return t.reps >= 5 && t.median > 1.5 * t.minimum && t.median - t.minimum > 0.05;
}

/// Something that disturbs a measurement: its name in records, whether it happened, and for people
/// what happened and what to do.
struct Cause {
  const char* name;
  bool (*happened)(const Record&);
  std::string (*what)(const Record&);
  std::string (*advice)(const Record&);
};

std::string measureAgain(const Record& r) {
  return r.point.empty() ? "measure again" : "measure again (--again)";
}

const Cause kCauses[] = {
    {"threads", tooManyThreads,
     [](const Record& r) {
       return fmt::format("{} on {:.3g} cores",
                          counted(static_cast<std::uint64_t>(r.device.units), "thread"),
                          r.load.usable());
     },
     [](const Record& r) {
       return fmt::format("use --threads {}", std::max(1, static_cast<int>(r.load.usable())));
     }},
    {"load", tooFewFreeCores,
     [](const Record& r) {
       return fmt::format("other processes used {:.1f} of {}", r.load.others,
                          counted(static_cast<std::uint64_t>(r.load.cores), "core"));
     },
     measureAgain},
    {"spread", spread,
     [](const Record& r) {
       return fmt::format("the median is {:.3g} times the minimum",
                          r.timing.median / r.timing.minimum);
     },
     measureAgain},
    {"throttled", [](const Record& r) { return !r.after.throttle.empty(); },
     [](const Record& r) { return fmt::format("the GPU was throttled ({})", r.after.throttle); },
     measureAgain},
    {"shared", [](const Record& r) { return r.after.otherUsers > 0; },
     [](const Record& r) {
       return fmt::format("other processes on the GPU: {}", r.after.otherUsers);
     },
     measureAgain}};

}  // namespace

std::string disturbanceOf(const Record& record) {
  std::string names;
  for (const Cause& cause : kCauses) {
    if (cause.happened(record)) names += (names.empty() ? "" : "+") + std::string(cause.name);
  }
  return names;
}

std::string disturbanceOf(const Row& row) {
  if (const std::string& told = row.at("disturbed"); !told.empty()) return told;
  Record old;
  old.after.throttle = row.at("throttle");
  old.after.otherUsers = row.at("other_users") == "0" ? 0 : 1;
  return disturbanceOf(old);
}

std::vector<std::string> disturbanceLines(const Record& record) {
  std::vector<std::string> lines;
  for (const Cause& cause : kCauses) {
    if (cause.happened(record))
      lines.push_back(fmt::format("disturbed: {}; {}", cause.what(record), cause.advice(record)));
  }
  return lines;
}
