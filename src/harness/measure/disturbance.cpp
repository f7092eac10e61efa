#include "measure/disturbance.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity.h"

namespace {

bool onCpu(const Record& r) {
  return r.deviceKind == "cpu" && r.load.cores > 0;
}

/// The threads that the solver computes with on the CPU.
int threadsOf(const Record& r) {
  return r.oneThread ? 1 : r.device.units;
}

bool tooManyThreads(const Record& r) {
  return onCpu(r) && threadsOf(r) > r.load.usable();
}

/// A quarter of a core and 5 % of the threads are tolerated: the services of an idle machine take
/// about a tenth of a core, and /proc/stat is not more exact.
bool tooFewFreeCores(const Record& r) {
  if (!onCpu(r) || r.load.others < 0 || tooManyThreads(r)) return false;
  const double missing = threadsOf(r) - (r.load.cores - r.load.others);
  return missing > std::max(0.25, 0.05 * threadsOf(r));
}

/// Half of the calls took more than 1.5 times the fastest one. Clock rates alone explain about 1.3.
/// Less than 0.05 ms is what waking a thread may cost. Fewer than 5 calls have no reliable median.
bool spread(const Record& r) {
  const Timing& t = r.timing;
  return t.reps >= 5 && t.median > 1.5 * t.minimum && t.median - t.minimum > 0.05;
}

double timesTheMinimum(const Record& r) {
  return r.timing.median / r.timing.minimum;
}

/// Something that disturbs a measurement: its name in records, whether it happened, how strong it
/// was, and for people what happened and what to do.
struct Cause {
  const char* name;
  bool (*happened)(const Record&);
  double (*amount)(const Record&);
  std::string (*what)(const Record&);
  std::string (*advice)(const Record&);
};

std::string measureAgain(const Record& r) {
  return r.point.empty() ? "measure again" : "measure again (--again)";
}

const Cause kCauses[] = {
    {"threads", tooManyThreads, [](const Record& r) { return 1.0 * threadsOf(r); },
     [](const Record& r) {
       return fmt::format("{} on {:.3g} cores",
                          counted(static_cast<std::uint64_t>(threadsOf(r)), "thread"),
                          r.load.usable());
     },
     [](const Record& r) {
       return fmt::format("use --threads {}", std::max(1, static_cast<int>(r.load.usable())));
     }},
    {"load", tooFewFreeCores, [](const Record& r) { return r.load.others; },
     [](const Record& r) {
       return fmt::format("other processes used {:.1f} of {}", r.load.others,
                          counted(static_cast<std::uint64_t>(r.load.cores), "core"));
     },
     measureAgain},
    {"spread", spread, timesTheMinimum,
     [](const Record& r) {
       return fmt::format("the median is {:.3g} times the minimum", timesTheMinimum(r));
     },
     measureAgain},
    {"throttled", [](const Record& r) { return !r.after.throttle.empty(); },
     [](const Record&) { return 0.0; },
     [](const Record& r) { return fmt::format("the GPU was throttled ({})", r.after.throttle); },
     measureAgain},
    {"shared", [](const Record& r) { return r.after.otherUsers > 0; },
     [](const Record& r) { return 1.0 * r.after.otherUsers; },
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

std::vector<Disturbance> disturbances(const Record& record) {
  std::vector<Disturbance> all;
  for (const Cause& cause : kCauses) {
    if (cause.happened(record))
      all.push_back({cause.name, cause.amount(record),
                     fmt::format("disturbed: {}; {}", cause.what(record), cause.advice(record))});
  }
  return all;
}
