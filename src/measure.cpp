#include "measure.h"

#include <algorithm>

Timing summarise(std::vector<double> milliseconds) {
  std::sort(milliseconds.begin(), milliseconds.end());
  const std::size_t count = milliseconds.size();
  const double median = (milliseconds[(count - 1) / 2] + milliseconds[count / 2]) / 2;
  return {median, milliseconds.front(), milliseconds.back(), static_cast<int>(count)};
}

Timing measure(const Kernel& kernel, const DeviceMatrix& graph, DeviceMatrix& work,
               const MeasurePlan& plan, const std::function<void(int, double)>& done) {
  constexpr int kAtLeast = 5, kAtMost = 1000;
  constexpr double kSpend = 200;  // milliseconds
  std::vector<double> times;
  double spent = 0;
  const auto enough = [&] {
    const int count = static_cast<int>(times.size());
    if (plan.reps > 0) return count >= plan.reps;
    return count >= kAtMost || (count >= kAtLeast && spent >= kSpend);
  };
  for (int call = 1; !enough(); ++call) {
    kernel.device->copy(work.data(), graph.data(), graph.size());
    const double milliseconds =
        timeCall(kernel, graph.n(), work.data(), graph.dtype()).milliseconds;
    if (call > plan.warmup) {
      times.push_back(milliseconds);
      spent += milliseconds;
    }
    done(call, milliseconds);
  }
  return summarise(std::move(times));
}
