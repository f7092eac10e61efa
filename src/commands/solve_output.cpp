#include "commands/solve_output.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/terminal.h"
#include "core/clock.h"
#include "io/ids.h"
#include "paths/summary.h"

// ---- the table ----------------------------------------------------------------------------------

ResultTable::ResultTable(const SolveFlags& flags)
    : o_(flags), widths_(widthsOf(flags.kernels.names, flags.graph.sizes)) {}

void ResultTable::beginSweep(const std::vector<Source>& sources, const Device& device) const {
  o_.output.say(sweepLines(o_.graph, sources) + deviceLines(nameOf(device.kind()), device.info()) +
                ranksLine(o_.measuring.crew) + "\n" + resultHead(widths_));
}

void ResultTable::beginGraph(const Source& source, const Record& base) {
  n_ = source.graph.n();
  baseline_ = 0;
  if (!o_.graph.several()) describe(source, base);
}

void ResultTable::describe(const Source& source, const Record& base) const {
  const OutputFlags& out = o_.output;
  out.say(graphLines(base) + ranksLine(o_.measuring.crew));
  if (!source.generated()) sayNotes(out, o_.graph.file, source.graph.facts());
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

void DistancesFile::checkFormat(Dtype dtype) const {
  const bool table = !(o_.sources.empty() && o_.targets.empty());
  if (!o_.distances.empty()) checkDistancesFormat(o_.distances, dtype, o_.distancesFormat, table);
}

void DistancesFile::open(const ProblemGraph& graph) {
  if (!o_.summary.empty()) summary_ = std::make_unique<OutputFile>(o_.summary);
  if (summary_ != nullptr && !o_.graph.generated()) names_ = graph.facts().names;
  if (!o_.predecessors.empty()) {
    predecessors_ =
        std::make_unique<PredecessorFile>(o_.predecessors, graph.n(), o_.graph.read.negative);
    if (!o_.graph.generated()) predecessorIds_ = openIds(o_.predecessors, graph.facts());
  }
  if (o_.distances.empty()) return;
  file_ = std::make_unique<OutputFile>(o_.distances);
  const Problem problem = {graph, o_.measuring.wanted.get()};
  const TableShape shape = {problem.rows(), problem.columns(), problem.asked != nullptr};
  file_->requireRoom(distancesBytes(o_.distances, shape, o_.distancesFormat));
  const bool chosen = !o_.sources.empty() && !o_.targets.empty();  // the user knows the names
  if (!o_.graph.generated() && !chosen) ids_ = openIds(o_.distances, graph.facts());
}

double DistancesFile::write(const ProblemGraph& graph, const Distances& distances) {
  const bool verify = o_.measuring.checksPredecessors;
  // Rows that are not kept are swept once for both files.
  const bool together =
      predecessors_ != nullptr && file_ != nullptr && distances.whole() == nullptr;
  if (predecessors_ != nullptr && !together) predecessors_->write(graph, distances, verify);
  if (summary_ != nullptr) {
    const Summary summary = summaryOf(distances);
    writeSummary(*summary_, summary, names_);
    o_.output.say(fmt::format("\nsummary   {}\n", summaryText(summary)));
  }
  double milliseconds = 0;
  if (together)
    milliseconds = writeDistancesOf(*predecessors_->passedOn(graph, distances, verify));
  else if (file_ != nullptr)
    milliseconds = writeDistancesOf(distances);
  if (predecessors_ != nullptr) finishPredecessors();
  return milliseconds;
}

double DistancesFile::writeDistancesOf(const Distances& distances) {
  const double milliseconds =
      millisecondsOf([&] { writeDistances(*file_, distances, o_.distancesFormat); });
  commitIds(ids_.get(), o_.distances);
  o_.output.say(fmt::format("\nwrite     {:.3f} ms  {}\n", milliseconds, o_.distances));
  return milliseconds;
}

void DistancesFile::finishPredecessors() {
  predecessors_->commit();
  commitIds(predecessorIds_.get(), o_.predecessors);
  o_.output.say(fmt::format("\ntrees     {:.3f} ms  {}{}\n", predecessors_->milliseconds(),
                            o_.predecessors,
                            o_.measuring.checksPredecessors ? ", every row verified" : ""));
}

std::string DistancesFile::keptText() const {
  const std::string& file = !o_.distances.empty() ? o_.distances
                            : !o_.summary.empty() ? o_.summary
                                                  : o_.predecessors;
  if (file.empty()) return "";
  if (isStandardOutput(file)) return "; no distances are written";
  return fmt::format("; {}: not written, left as it was", file);
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
