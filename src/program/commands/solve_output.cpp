#include "commands/solve_output.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/clock.h"
#include "base/quantity.h"
#include "base/size.h"
#include "cli/terminal.h"
#include "paths/histogram.h"
#include "paths/summary.h"
#include "results/distances_file.h"
#include "results/names.h"
#include "results/summary_file.h"
#include "system/utf8.h"

// ---- the table ----------------------------------------------------------------------------------

ResultTable::ResultTable(const SolveFlags& flags)
    : o_(flags), widths_(widthsOf(flags.kernels.names, flags.graph.sizes)) {}

void ResultTable::beginSweep(const std::vector<Source>& sources, const Device& device) const {
  o_.output.say(sweepLines(o_.graph, sources) + variedLine(o_.measuring, sources.front().seed) +
                deviceLines(nameOf(device.kind()), device.info()) + ranksLine(o_.measuring.crew) +
                "\n" + resultHead(widths_));
}

void ResultTable::beginGraph(const Source& source, const Record& base) {
  n_ = source.graph.n();
  baseline_ = 0;
  if (!o_.graph.several()) describe(source, base);
}

void ResultTable::describe(const Source& source, const Record& base) const {
  const OutputFlags& out = o_.output;
  out.say(graphLines(base) + ranksLine(o_.measuring.crew));
  if (!source.generated()) {
    const ProblemGraph& graph = source.graph;
    sayNotes(out, o_.graph, source.report, graph.dtype(),
             graph.heldAsEdges() ? &graph.onHost() : nullptr,
             !o_.sources.empty() || !o_.targets.empty());
  }
  const char* const made = source.generated() ? "generate" : "read";
  out.say(fmt::format("{:<10}{:.3f} ms\n", made, base.host.load));
  if (base.host.copyIn > 0) out.say(fmt::format("copy in   {:.3f} ms\n", base.host.copyIn));
  out.say("\n" + resultHead(widths_));
}

void ResultTable::say(const Record& record) {
  if (record.kernel == "ref" && baseline_ == 0) baseline_ = record.timing.median;
  o_.output.say(resultRow(record, baseline_, widths_) + notesBelow(record) +
                (o_.ranks.verbose ? rankLines(record) : ""));
  remarks_.add(record.kernel, record.n, remarksOf(record, o_.onlyAnswer));
  flushOutput();
}

void ResultTable::sayPartial(const Record& record) {
  o_.output.say(resultRow(record, baseline_, widths_));
  remarks_.add(record.kernel, record.n, {});
}

void ResultTable::sayKept(const std::string& name, const PendingResult& pending) {
  const Row* kept = pending.kept();
  remarks_.add(name, n_, {});
  if (kept == nullptr) {
    o_.output.say(skippedRow(name, n_, pending.skipReason(), widths_));
    return;
  }
  if (name == "ref" && baseline_ == 0) baseline_ = std::atof(kept->at("median_ms").c_str());
  o_.output.say(keptRow(*kept, baseline_, widths_) + notesBelow(*kept, pending.skipReason()));
}

void ResultTable::sayRemarks() {
  o_.output.say(remarks_.take(o_.graph.several()));
}

// ---- the distances ------------------------------------------------------------------------------

DistancesForm ResultFiles::formOf(TableShape shape, Dtype dtype) const {
  DistancesForm form(shape, dtype);
  form.unreached = o_.unreached;
  form.narrow = o_.narrow;
  form.pairs = o_.pairs;
  return form;
}

void ResultFiles::checkFormat(Dtype dtype) const {
  if (o_.narrow != Narrow::kNo && o_.graph.read.negative)
    throw Error(ErrorCode::kUsage,
                "--out-dtype is for distances of 0 or more: leave it out, or --negative");
  const bool table = !(o_.sources.empty() && o_.targets.empty());
  if (!o_.distances.empty())
    checkDistancesFormat(o_.distances, formOf({0, 0, table}, dtype), o_.distancesFormat);
}

bool ResultFiles::takesRows(Dtype dtype) const {
  return !o_.distances.empty() && o_.distances != "-" && o_.predecessors.empty() &&
         storesRows(o_.distances, formOf({0, 0, false}, dtype), o_.distancesFormat);
}

void ResultFiles::open(const ProblemGraph& graph, const std::string& names) {
  const Problem problem = {graph, o_.measuring.wanted.get()};
  names_ = names;
  if (!o_.summary.empty()) summary_ = std::make_unique<OutputFile>(o_.summary);
  if (!o_.histogram.empty()) histogram_ = std::make_unique<OutputFile>(o_.histogram);
  if (!o_.predecessors.empty()) {
    predecessors_ = std::make_unique<PredecessorFile>(o_.predecessors, graph.n(),
                                                      o_.graph.read.negative, problem.rows());
    predecessorIds_.emplace(o_.predecessors, names_, o_.force);
  }
  if (o_.distances.empty()) return;
  file_ = std::make_unique<OutputFile>(o_.distances);
  const DistancesForm form =
      formOf({problem.rows(), problem.columns(), problem.asked != nullptr}, problem.graph.dtype());
  file_->requireRoom(distancesBytes(o_.distances, form, o_.distancesFormat));
  const bool known = !o_.sources.empty() && !o_.targets.empty();  // the user knows the names
  const bool inside = namesDistances(o_.distances, form, o_.distancesFormat, !names_.empty());
  ids_.emplace(o_.distances, known || inside ? "" : names_, o_.force);
}

double ResultFiles::write(const ProblemGraph& graph, const Distances& distances,
                          const Record& record) {
  if (predecessors_ != nullptr) predecessors_->setGraph(record.graph.hash);
  const bool verify = o_.measuring.checksPredecessors;
  // Rows that are not kept are swept once for both files.
  const bool together =
      predecessors_ != nullptr && file_ != nullptr && distances.whole() == nullptr;
  if (predecessors_ != nullptr && !together) predecessors_->write(graph, distances, verify);
  if (summary_ != nullptr) {
    const Summary summary = summaryOf(distances);
    writeSummary(*summary_, summary, names_);
    o_.output.say(fitted(fmt::format("\nsummary   {}\n          {}\n", summaryText(summary),
                                     measuresText(summary))));
  }
  if (histogram_ != nullptr) writeHistogram(*histogram_, histogramOf(distances));
  double milliseconds = 0;
  if (together)
    milliseconds = writeDistancesOf(*predecessors_->passedOn(graph, distances, verify), record);
  else if (file_ != nullptr)
    milliseconds = writeDistancesOf(distances, record);
  if (predecessors_ != nullptr) finishPredecessors();
  return milliseconds;
}

void ResultFiles::take(int first, int count, ConstElements elements, const Record& record) {
  if (file_ == nullptr || predecessors_ != nullptr || first != taken_) return;
  DistancesForm form = formOf(record.n, record.dtype);
  form.graph = record.graph.hash;
  takenMs_ += millisecondsOf([&] {
    if (first == 0 && !beginDistances(*file_, form, o_.distancesFormat)) return;
    file_->write(elements.data(), sizeOf(elements.dtype()) * asSize(count) * asSize(record.n));
    taken_ += count;
  });
}

double ResultFiles::writeDistancesOf(const Distances& distances, const Record& record) {
  const DistancesForm own = ::formOf(distances);
  DistancesForm form = formOf(own.shape, own.dtype);
  // Of negative distances, the least may be further from 0 than the largest.
  if (!o_.graph.read.negative) form.farthest = toDouble(record.farthest);
  form.graph = record.graph.hash;
  form.named = !names_.empty();
  if (namesDistances(o_.distances, form, o_.distancesFormat, form.named)) {
    const Names vertices(distances.n(), names_);
    for (int i = 0; i < own.shape.rows; ++i) form.rows.push_back(vertices(distances.source(i)));
    for (int j = 0; j < own.shape.columns; ++j)
      form.columns.push_back(vertices(distances.target(j)));
  }
  const bool has = taken_ > 0 && taken_ == own.shape.rows;
  const double milliseconds =
      takenMs_ + millisecondsOf([&] {
        has ? file_->commit() : writeDistances(*file_, distances, form, o_.distancesFormat);
      });
  ids_->commit();
  o_.output.say(
      fitted(fmt::format("\nwrite     {:.3f} ms  {}\n", milliseconds, oneLine(o_.distances))));
  sayIds(o_.output, *ids_);
  return milliseconds;
}

std::string ResultFiles::unreachableText(const Record& record) const {
  if (record.unreachable == 0) return "";
  std::string text = counted(record.unreachable, "pair is", "pairs are") + " unreachable";
  if (file_ == nullptr) return text + ".\n";
  DistancesForm form = formOf(record.n, record.dtype);
  form.farthest = toDouble(record.farthest);
  if (form.pairs && !form.unreached) return text + ", and not in " + oneLine(o_.distances) + ".\n";
  const std::optional<std::int64_t> number =
      unreachedNumber(o_.distances, form, o_.distancesFormat);
  text += fmt::format("; {} has {} there", oneLine(o_.distances),
                      number ? std::to_string(*number) : "inf");
  const std::int64_t usual =
      record.dtype == Dtype::kInt64 ? kInfinity<std::int64_t> : kInfinity<std::int32_t>;
  const bool advise = number == usual && takesInfinity(o_.distances, form, o_.distancesFormat);
  return text + (advise ? " (--unreached inf writes infinity).\n" : ".\n");
}

void ResultFiles::finishPredecessors() {
  predecessors_->commit();
  predecessorIds_->commit();
  o_.output.say(fitted(fmt::format("\ntrees     {:.3f} ms  {}{}\n", predecessors_->milliseconds(),
                                   oneLine(o_.predecessors),
                                   o_.measuring.checksPredecessors ? ", every row verified" : "")));
  sayIds(o_.output, *predecessorIds_);
}

std::string ResultFiles::keptText() const {
  const std::string& file = !o_.distances.empty()   ? o_.distances
                            : !o_.summary.empty()   ? o_.summary
                            : !o_.histogram.empty() ? o_.histogram
                                                    : o_.predecessors;
  if (file.empty()) return "";
  if (isStandardOutput(file)) return "; no distances are written";
  return fmt::format("; {}: not written, left as it was", oneLine(file));
}

// ---- the records --------------------------------------------------------------------------------

void RecordFiles::open() {
  json_ = o_.openJson();
  o_.append(csvHeader(), "");
}

void RecordFiles::append() {
  for (; appended_ < records_.size(); ++appended_)
    o_.append(csvHeader(), csvRow(records_[appended_]));
}

void RecordFiles::finish() {
  if (finished_) return;
  append();
  finished_ = true;
  if (json_ != nullptr && !records_.empty()) json_->finish(toJson(records_));
}
