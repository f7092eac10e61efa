#include "base/progress.h"

#include <algorithm>
#include <utility>

namespace engine {

WorksUnderWay& worksUnderWay() {
  // Never destroyed: a thread that shows it may live as long as the process does.
  static WorksUnderWay* const all = new WorksUnderWay;
  return *all;
}

std::vector<WorkState> WorksUnderWay::states() const {
  std::vector<WorkState> states;
  for (const Progress* work : works) states.push_back(work->state());
  return states;
}

Progress::Progress(std::string what, std::uint64_t total, Units units)
    : what_(std::move(what)), units_(units), total_(total) {
  begin();
}
Progress::Progress(std::chrono::duration<double> expected) : expected_(expected.count()) {
  begin();
}
void Progress::begin() {
  const std::lock_guard lock(worksUnderWay().mutex);
  worksUnderWay().works.push_back(this);
}
Progress::~Progress() {
  WorksUnderWay& all = worksUnderWay();
  const std::lock_guard lock(all.mutex);
  all.works.erase(std::find(all.works.begin(), all.works.end(), this));
  if (!all.works.empty()) return;
  if (!what_.empty()) all.between = what_ + " is done";
  if (all.whenNone != nullptr) all.whenNone();
}

WorkState Progress::state() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
  return {what_, units_, done_, total_, elapsed.count(), expected_};
}

}  // namespace engine
