#include "commands/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/quantity.h"
#include "cli/groups.h"
#include "commands/centrality.h"
#include "commands/solve.h"
#include "io/csv.h"
#include "io/output.h"
#include "results/names.h"
#include "results/near_file.h"
#include "search/extremes.h"
#include "search/near.h"
#include "several/crew.h"
#include "system/utf8.h"

namespace {

/// The option that asks the question, for messages.
const char* nameOf(const QuestionFlags& o) {
  if (!o.centrality.empty()) return "--centrality";
  return o.farthest ? "--farthest" : o.nearest ? "--nearest" : "--limit";
}

/// Whether there are two questions. The nearest may be asked for up to a limit.
bool several(const QuestionFlags& o) {
  return int{o.limit || o.nearest} + int{o.farthest} + int{!o.centrality.empty()} > 1;
}

/// Throws Error(kUsage) if an option has no effect, because no kernel runs.
void refuseIdle(const SolveFlags& o) {
  const Options& options = o.measuring.options;
  const RankFlags& ranks = o.ranks;
  const struct {
    const char* flag;
    bool given;
  } idle[] = {
      {"--kernel", o.kernels.names != std::vector<std::string>{"apsp"}},
      {"--verify", !o.verify.empty()},
      {"--method", options.method != Method::kAuto},
      {"--precision", options.precision != Precision::kAuto},
      {"--no-symmetry", !options.symmetry},
      {"--no-skip", !options.skip},
      {"--order", !o.order.empty()},
      {"--reps and --warmup", o.measuring.asked},
      {"--vary", o.measuring.vary},
      {"--summary", !o.summary.empty()},
      {"--histogram", !o.histogram.empty()},
      {"--predecessors", !o.predecessors.empty()},
      {"--to", !o.distancesFormat.empty()},
      {"--unreached", o.unreached.has_value()},
      {"--out-dtype", o.narrow != Narrow::kNo},
      {"--long", o.pairs},
      {"--force", o.force},
      {"--csv", !o.output.csv.empty()},
      {"--json", !o.output.json.empty()},
      {"--record", !o.record.empty()},
      {"--gpus", ranks.gpus != 1},
      {"--grid", ranks.grid.has_value()},
      {"--verbose", ranks.verbose},
      {"--checkpoint", !ranks.checkpoint.empty()},
      {"--negative", o.graph.read.negative},
      {"other questions", several(o.questions)},
      {"several sizes", o.graph.several()},
  };
  for (const auto& each : idle)
    if (each.given)
      throw Error(ErrorCode::kUsage, fmt::format("{} is answered without a kernel, from one graph "
                                                 "with weights from 0 on: leave out {}",
                                                 nameOf(o.questions), each.flag));
  refuseIdleOptions(o.kernels);
}

/// Throws Error(kUsage) if the answer about all vertices, which is a table, has the name of another
/// format.
void checkTableFormat(const std::string& path, const char* question) {
  std::string end = std::filesystem::path(path).extension().string();
  for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto others = {".npy", ".npz", ".mtx", ".tsv", ".bin", ".gr", ".el", ".json", ".graphml"};
  if (!isStandardOutput(path) && std::find(others.begin(), others.end(), end) != others.end())
    throw Error(ErrorCode::kUsage, fmt::format("{}: the answer to {} is a table: name it .csv",
                                               oneLine(path), question));
}

/// Whether several processes answer together.
bool together(const SolveFlags& o, const Crew* processes) {
  const bool near = o.questions.limit || o.questions.nearest;
  return near && o.device != "gpu" && processes != nullptr && processes->ranks().size() > 1;
}

/// What was asked and found, for people. ranks: who found it.
std::string foundText(const QuestionFlags& o, const Problem& problem, const NearRows& found,
                      int ranks) {
  const double pairs = double{1} * problem.rows() * problem.columns();
  const auto entries = static_cast<double>(found.rows->entries());
  std::string asked = o.nearest ? fmt::format("nearest {}", *o.nearest) : "";
  if (o.limit) asked += fmt::format("{}up to {}", asked.empty() ? "" : ", ", *o.limit);
  const bool gpu = found.device == DeviceKind::kGpu;
  return fmt::format("asked     {}\nfound     {}, {:.3g} % of all pairs\n{:<10}{:.3f} ms{}{}\n",
                     asked, counted(found.rows->entries(), "distance"),
                     pairs > 0 ? 100 * entries / pairs : 0, nameOf(found.by), found.milliseconds,
                     ranks > 1 ? fmt::format(", on {} ranks", ranks) : "",
                     gpu ? ", on the GPU" : "");
}

Exit answerNearness(SolveFlags& o, const Source& source, Crew* processes) {
  const QuestionFlags& asked = o.questions;
  const std::string names = source.report.names;
  const auto wanted = wantedOf(o, source.graph.n(), names);
  const Problem problem{source.graph, wanted.get()};
  const bool gpu = o.device == "gpu";
  const Device& device = gpu ? chooseDevice(o.device, o.output) : cpuDevice;
  const auto file = o.distances.empty() ? nullptr : std::make_unique<OutputFile>(o.distances);
  Nearness near;
  if (asked.limit) near.limit = *asked.limit;
  near.nearest = asked.nearest;
  near.paths = asked.paths;
  const bool onRanks = together(o, processes);
  const NearPlace place = gpu                  ? NearPlace::kThere
                          : o.device == "auto" ? NearPlace::kEither
                                               : NearPlace::kCpu;
  const NearRows found = onRanks ? processes->near(problem, near)
                                 : findNear(problem, Execution{device},
                                            findSolver("apsp", device.kind()), near, {}, place);
  o.output.say(foundText(asked, problem, found, onRanks ? processes->ranks().size() : 1));
  if (file == nullptr) return Exit::kOk;
  const NearForm form{source.graph.n(), wanted.get(), names, {}, found.paths};
  const double milliseconds = millisecondsOf([&] { writeNear(*file, *found.rows, form); });
  o.output.say(fmt::format("write     {:.3f} ms  {}\n", milliseconds, oneLine(o.distances)));
  return Exit::kOk;
}

/// A line for people about the vertices of an extreme: the first few.
std::string fewText(const char* what, const std::vector<FarPair>& pairs, const Names& names) {
  constexpr std::size_t kFew = 3;
  if (pairs.empty()) return "";
  std::string text = fmt::format("{:<10}{}:", what, counted(pairs.size(), "vertex", "vertices"));
  for (std::size_t i = 0; i < std::min(kFew, pairs.size()); ++i)
    text += fmt::format("{} {} -> {}", i == 0 ? "" : ",", oneLine(names(pairs[i].first)),
                        oneLine(names(pairs[i].second)));
  return text + (pairs.size() > kFew ? ", ...\n" : "\n");
}

Exit answerFarthest(SolveFlags& o, const Source& source) {
  const auto file = o.distances.empty() ? nullptr : std::make_unique<OutputFile>(o.distances);
  const Names names(source.graph.n(), source.report.names);
  const Extremes found =
      extremesOf(source.graph, Execution{cpuDevice}, findSolver("apsp", DeviceKind::kCpu));
  o.output.say(fmt::format("diameter  {}, the largest distance where there is a path\n",
                           textOf(found.diameter)) +
               fewText("periphery", found.periphery, names) +
               fmt::format("radius    {}\n", found.radius ? textOf(*found.radius)
                                                          : "- (no vertex reaches all others)") +
               fewText("center", found.center, names) +
               fmt::format("search    {:.3f} ms, {}, {}\n", found.milliseconds,
                           counted(found.searches, "search", "searches"),
                           counted(asSize(found.solved), "row solved", "rows solved")));
  if (file == nullptr) return Exit::kOk;
  std::string text = csvLine({"part", "vertex", "farthest", "distance"});
  const auto add = [&](const char* part, const std::vector<FarPair>& pairs,
                       const Number& distance) {
    for (const auto& [vertex, far] : pairs)
      text += csvLine({part, names(vertex), names(far), textOf(distance)});
  };
  add("periphery", found.periphery, found.diameter);
  if (found.radius) add("center", found.center, *found.radius);
  file->finish(tableFor(o.distances, text));
  return Exit::kOk;
}

}  // namespace

std::string readDistance(const std::string& text, std::optional<double>& to) {
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0))
    return fmt::format("'{}': expected a number from 0 on", text);
  to = value;
  return "";
}

void addQuestions(Flags& flags, QuestionFlags& o) {
  flags.heading("Questions");
  flags.add(
      {"--limit", Flag::Values::kOne, "D",
       "find only the distances up to D, in time that depends on how many there are; "
       "-o writes them as .npz, .mtx, .tsv or .csv",
       [&o](const std::vector<std::string>& words) { return readDistance(words[0], o.limit); }});
  flags.number(
      "--nearest", [&o](int k) { o.nearest = k; }, 0, INT32_MAX,
      "find only the distances to the N nearest targets of each source; of targets that are "
      "equally far, those that come first");
  flags
      .flag("--paths", o.paths,
            "write the vertices of a shortest path beside each distance of --nearest, as .tsv or "
            ".csv")
      .needs = "--nearest";
  flags.flag("--farthest", o.farthest,
             "find diameter, radius, center and periphery from a few searches; -o writes all pairs "
             "of them as CSV");
  addCentrality(flags, o);
}

bool asksQuestion(const QuestionFlags& o) {
  return o.limit || o.nearest || o.farthest || !o.centrality.empty();
}

Exit answerQuestion(SolveFlags& o, Crew* processes) {
  refuseIdle(o);
  const QuestionFlags& asked = o.questions;
  const bool central = !asked.centrality.empty(), ofAll = asked.farthest || central;
  if ((asked.paths || central) && o.distances.empty())
    throw Error(ErrorCode::kUsage, fmt::format("{} is answered in a file: add -o FILE",
                                               asked.paths ? "--paths" : "--centrality"));
  if (central) checkCentrality(asked);
  if (ofAll && !(o.sources.empty() && o.targets.empty()))
    throw Error(ErrorCode::kUsage,
                fmt::format("{} is asked of all vertices: leave out --sources and --targets",
                            nameOf(asked)));
  if (!o.distances.empty())
    ofAll ? checkTableFormat(o.distances, nameOf(asked))
          : checkNearFormat(o.distances, asked.paths);
  o.output.settle(o.distances);
  if (ofAll && o.device == "gpu")
    o.output.sayLater(fmt::format("Note: {} is answered on the CPU\n", nameOf(asked)));
  if (processes != nullptr && !together(o, processes))
    o.output.sayLater(
        fmt::format("Note: one process answers {}; the others wait\n", nameOf(asked)));
  const Source source = std::move(load(o.graph, false).front());
  if (central) return answerCentrality(o, source);
  return asked.farthest ? answerFarthest(o, source) : answerNearness(o, source, processes);
}
