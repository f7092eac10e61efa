#include "measure.h"

#include <algorithm>

#include "error.h"

Timing summarise(std::vector<double> milliseconds) {
  std::sort(milliseconds.begin(), milliseconds.end());
  const std::size_t count = milliseconds.size();
  const double median = (milliseconds[(count - 1) / 2] + milliseconds[count / 2]) / 2;
  return {median, milliseconds.front(), milliseconds.back(), static_cast<int>(count)};
}

Timing measure(const MeasurePlan& plan, const std::function<double(int)>& call) {
  constexpr int kAtLeast = 5, kAtMost = 1000;
  constexpr double kSpend = 200;  // milliseconds
  std::vector<double> times;
  double spent = 0;
  const auto enough = [&] {
    const int count = static_cast<int>(times.size());
    if (plan.reps > 0) return count >= plan.reps;
    return count >= kAtMost || (count >= kAtLeast && spent >= kSpend);
  };
  for (int number = 1; !enough(); ++number) {
    const double milliseconds = call(number);
    if (number <= plan.warmup) continue;
    times.push_back(milliseconds);
    spent += milliseconds;
  }
  return summarise(std::move(times));
}

Timing measure(const Kernel& kernel, const Restore& restore, const DeviceMatrix& work,
               const MeasurePlan& plan, const std::function<void(int, const Call&)>& done) {
  return measure(plan, [&](int number) {
    restore(work);
    const Call call = timeCall(kernel, work.n(), work.data(), work.dtype(), plan.options);
    if (call.outcome.tier == Tier::kNone) {
      throw Error(Exit::kInput, std::string("kernel ") + kernel.name +
                                    ": 16 bits cannot be certified to hold this graph's distances: "
                                    "use --precision auto or 32");
    }
    done(number, call);
    return call.milliseconds;
  });
}
