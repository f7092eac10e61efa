#include "measure.h"

#include <algorithm>

#include "error.h"

Timing summarise(std::vector<double> milliseconds) {
  std::sort(milliseconds.begin(), milliseconds.end());
  const std::size_t count = milliseconds.size();
  const double median = (milliseconds[(count - 1) / 2] + milliseconds[count / 2]) / 2;
  return {median, milliseconds.front(), milliseconds.back(), static_cast<int>(count)};
}

Timing measure(const Kernel& kernel, const Restore& restore, const DeviceMatrix& work,
               const MeasurePlan& plan, const std::function<void(int, const Call&)>& done) {
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
    restore(work);
    const Call call = timeCall(kernel, work.n(), work.data(), work.dtype(), plan.options);
    if (call.outcome.tier == Tier::kNone) {
      throw Error(Exit::kInput, std::string("kernel ") + kernel.name +
                                    ": 16 bits cannot be certified to hold this graph's distances: "
                                    "use --precision auto or 32");
    }
    if (number > plan.warmup) {
      times.push_back(call.milliseconds);
      spent += call.milliseconds;
    }
    done(number, call);
  }
  return summarise(std::move(times));
}
