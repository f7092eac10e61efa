#include "grade/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "system/exit.h"

namespace {

/// The first size whose time is refused; nullptr if there is none.
const SizeTimes* doubted(const Grade& grade) {
  if (!grade.times) return nullptr;
  const auto& sizes = grade.times->sizes;
  const auto at = std::find_if(sizes.begin(), sizes.end(),
                               [](const SizeTimes& each) { return !each.doubt.empty(); });
  return at == sizes.end() ? nullptr : &*at;
}

}  // namespace

bool Grade::done() const {
  return !isSubmission() || !refused.empty() || (check && !passes()) || times;
}

std::string Grade::verdict() const {
  if (!isSubmission()) return "left out";
  if (!refused.empty()) return "refused";
  if (trouble != Exit::kOk) return "not graded";
  if (check && !passes()) return check->verdict;
  if (!times) return "waiting";
  if (!times->verdict.empty()) return times->verdict;
  return doubted(*this) == nullptr ? kPass : "time refused";
}

std::string Grade::reason() const {
  if (!isSubmission()) return handIn.leftOut;
  if (!refused.empty()) return refused;
  if (trouble != Exit::kOk) return troubleText;
  if (check && !passes()) return check->reason;
  if (!times) {
    if (!holder.empty()) return "in work by " + holder;
    return check ? "every result is right; not timed yet" : "not checked yet";
  }
  if (!times->verdict.empty()) return times->reason;
  const SizeTimes* const doubt = doubted(*this);
  return doubt == nullptr ? "" : fmt::format("n = {}: {}", doubt->n, doubt->doubt);
}

std::string Grade::warning() const {
  Warnings all;
  if (check) all.add(check->warnings);
  if (times) all.add(times->warnings);
  return all.line();
}

std::string Grade::disturbed() const {
  std::string text;
  if (!times) return text;
  for (const SizeTimes& each : times->sizes) {
    if (each.disturbed)
      text += fmt::format("{}n = {} ({})", text.empty() ? "" : ", ", each.n, each.causes);
  }
  return text;
}

void rank(std::vector<Grade>& grades) {
  const auto order = [](const Grade& grade) {
    const bool counts = grade.counts();
    return std::tuple(!counts, !grade.isSubmission(),
                      counts ? grade.times->sizes.back().timing.median : 0, grade.handIn.name);
  };
  std::sort(grades.begin(), grades.end(),
            [&](const Grade& a, const Grade& b) { return order(a) < order(b); });
  int number = 0;
  const Grade* first = nullptr;  // of those that share a rank
  double least = 0;              // of their upper quartiles
  const auto deciding = [](const Grade& grade) { return grade.times->sizes.back().timing; };
  for (Grade& grade : grades) {
    grade.rank = 0;
    if (!grade.counts()) continue;
    ++number;
    const bool shared = first != nullptr && deciding(grade).q1 <= least;
    least = shared ? std::min(least, deciding(grade).q3) : deciding(grade).q3;
    if (!shared) first = &grade;
    grade.rank = shared ? first->rank : number;
  }
}
