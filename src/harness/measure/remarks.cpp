#include "measure/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/quantity.h"
#include "measure/disturbance.h"
#include "system/process.h"
#include "system/screen.h"

std::vector<Remark> remarksOf(const Record& r, bool onlyAnswer) {
  if (r.n == 0) return {{"empty", 0, "nothing to time: the graph has no vertices"}};
  std::vector<Remark> remarks;
  const Timing& t = r.timing;
  if (t.outliers > 0)
    remarks.push_back({"outliers", static_cast<double>(t.outliers) / t.reps,
                       fmt::format("outliers: {} of {} calls; half of the calls took {} to {} ms",
                                   t.outliers, t.reps, milliseconds(t.q1), milliseconds(t.q3))});
  if (onlyAnswer && r.measuring.warmup == 0 && r.fault.empty())
    remarks.push_back(
        {"answer", 0, "1 call without warm-up: a first call takes longer (--reps N measures)"});
  if (r.graphs() == "public" && r.fault.empty())
    remarks.push_back(
        {"public", 0,
         "public graph: a submission can know it and its distances; --vary gives each "
         "call another one"});
  if (!r.doubt.empty()) remarks.push_back({"doubt", r.worker.cost, r.doubt});
  for (const Disturbance& each : disturbances(r))
    remarks.push_back({each.name, each.amount, each.text});
  if (r.printed > 0)
    remarks.push_back({"printed", static_cast<double>(r.printed), printedText(r.printed)});
  return remarks;
}

namespace {

const Remark* find(const std::vector<Remark>& remarks, const std::string& kind) {
  for (const Remark& remark : remarks)
    if (remark.kind == kind) return &remark;
  return nullptr;
}

}  // namespace

void Remarks::add(const std::string& kernel, int n, std::vector<Remark> remarks) {
  rows_.push_back({kernel, n, std::move(remarks)});
}

/// "ref, apsp", or "ref (n = 5, 10), apsp (n = 5)" if the table has several n.
std::string Remarks::nameOf(const Rows& rows, bool sizes) {
  std::vector<std::pair<std::string, std::vector<int>>> kernels;  // with their n
  for (const Row* row : rows) {
    const auto same = [&](const auto& kernel) { return kernel.first == row->kernel; };
    auto kernel = std::find_if(kernels.begin(), kernels.end(), same);
    if (kernel == kernels.end()) kernel = kernels.insert(kernel, {row->kernel, {}});
    kernel->second.push_back(row->n);
  }
  std::string out;
  for (const auto& [kernel, all] : kernels)
    out += (out.empty() ? "" : ", ") + kernel +
           (sizes ? fmt::format(" (n = {})", sizesText(all)) : "");
  return out;
}

std::string Remarks::paragraph(const std::string& kind, bool sizes) const {
  Rows about;
  const Row* worst = nullptr;
  bool same = true;  // all of them say the same
  for (const Row& row : rows_) {
    const Remark* const remark = find(row.remarks, kind);
    if (remark == nullptr) continue;
    about.push_back(&row);
    if (worst == nullptr) worst = &row;
    const Remark& most = *find(worst->remarks, kind);
    same = same && remark->text == most.text;
    if (remark->amount > most.amount) worst = &row;
  }
  const std::string text = "  " + find(worst->remarks, kind)->text + "\n";
  if (rows_.size() == 1) return text;
  return text + "    in " + (about.size() == rows_.size() ? "all rows" : nameOf(about, sizes)) +
         (same ? "" : "; the figures are those of " + nameOf({worst}, sizes)) + "\n";
}

std::string Remarks::take(bool sizes) {
  std::vector<std::string> kinds;
  for (const Row& row : rows_) {
    for (const Remark& remark : row.remarks)
      if (std::find(kinds.begin(), kinds.end(), remark.kind) == kinds.end())
        kinds.push_back(remark.kind);
  }
  std::string out;
  for (const std::string& kind : kinds) out += paragraph(kind, sizes);
  rows_.clear();
  return fitted(out);
}
