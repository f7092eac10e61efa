#include "measure/tables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "base/quantity.h"
#include "measure/command.h"
#include "measure/disturbance.h"
#include "measure/submitted.h"
#include "system/screen.h"
#include "system/utf8.h"

std::string roundedTime(double ms) {
  const bool seconds = ms >= 999.5;
  const double value = seconds ? ms / 1000 : ms;
  int decimals = 4;
  for (double least = 0.09995; value >= least && decimals > 0; least *= 10) --decimals;
  return fmt::format("{:.{}f} {}", value, decimals, seconds ? "s" : "ms");
}

std::string deviceLines(const std::string& kind, const DeviceInfo& device) {
  const std::string about =
      kind == "gpu"
          ? fmt::format("{} multiprocessors\n          driver {}, runtime {}", device.units,
                        device.driver, device.runtime)
          : fmt::format("{}, {}", counted(static_cast<std::uint64_t>(device.units), "thread"),
                        device.runtime);
  return fitted(fmt::format("device    {}, {}\n", device.name, about));
}

std::string graphLines(const Record& r) {
  const std::size_t all = terminalColumns(STDOUT_FILENO);
  const std::string name = shortened(r.input, all - std::min<std::size_t>(all, 10));
  return fitted(fmt::format("graph     {}\n", name)) +
         fitted(fmt::format("          {}, {}, {} weights, hash {:016x}\n",
                            counted(static_cast<std::uint64_t>(r.n), "vertex", "vertices"),
                            counted(r.graph.edges, "edge"), nameOf(r.dtype), r.graph.hash)) +
         variedLine(r.measuring, r.seed) + deviceLines(r.deviceKind, r.device);
}

std::string variedLine(const MeasureOptions& measuring, std::optional<std::uint64_t> seed) {
  if (!measuring.vary || !seed) return "";
  const std::string again =
      measuring.drawn ? fmt::format("; --seed {} --vary repeats them", *seed) : "";
  return fitted(fmt::format("          another graph in each call{}\n", again));
}

namespace {

constexpr char kResultLine[] = "{}{} {:<5} {:>7} {:>7} {:>7} {:>4} {:>6} {:>4} {:>7}";
constexpr char kIndent[] = "          ";  // of the lines below a row

/// "i32", "u16", "f64", or "u16/2" if only half of a symmetric matrix was solved.
std::string shortTier(const std::string& tier, bool symmetric) {
  return tier[0] + tier.substr(tier.size() - 2) + (symmetric ? "/2" : "");
}

/// The row of a result that has times. perSecond: relaxations, 0 if they were not counted.
struct Figures {
  std::string kernel, tier;
  double median, minimum, maximum;
  int reps;
  double perSecond, percentOfPeak;
};

/// "16.74x"; a large one has fewer decimals, because its column has 7 characters.
std::string speedupText(double speedup) {
  return fmt::format("{:.{}f}x", speedup, speedup < 999.995 ? 2 : 0);
}

std::string sizeField(const std::string& n, const Widths& widths) {
  return widths.n == 0 ? "" : paddedLeft(n, widths.n) + " ";
}

std::string lineOf(const Figures& f, int n, const std::string& verdict, double baseline,
                   const Widths& widths) {
  return withVerdict(
      fmt::format(kResultLine, sizeField(std::to_string(n), widths),
                  nameCell(f.kernel, widths.name), f.tier, milliseconds(f.median),
                  milliseconds(f.minimum), milliseconds(f.maximum), f.reps,
                  f.perSecond > 0 ? withPrefix(f.perSecond) : "-",
                  f.percentOfPeak > 0 ? fmt::format("{:.0f}%", f.percentOfPeak) : "-",
                  baseline > 0 && f.median > 0 ? speedupText(baseline / f.median) : "-"),
      verdict);
}

std::string sandboxMark(const std::string& sandbox) {
  return sandbox == kUnsandboxed ? ", " + toned(Tone::kDisturbed, sandbox) : "";
}

std::string disturbedMark(bool disturbed) {
  return disturbed ? ", " + toned(Tone::kDisturbed, "disturbed") : "";
}

constexpr char kPublicGraph[] = "public graph";
std::string publicMark(bool isPublic) {
  return isPublic ? ", " + toned(Tone::kDisturbed, kPublicGraph) : "";
}

}  // namespace

Widths widthsOf(const std::vector<std::string>& names, const std::vector<int>& sizes) {
  // The columns beside the name and n, the longest usual verdict, and the limits of names.
  constexpr std::size_t kOthers = 56, kVerdict = 12, kNarrowest = 6, kNarrow = 12, kWidest = 24;
  Widths widths;
  if (sizes.size() > 1)
    widths.n = std::to_string(*std::max_element(sizes.begin(), sizes.end())).size();
  const std::size_t taken = kOthers + kVerdict + (widths.n == 0 ? 0 : widths.n + 1),
                    all = terminalColumns(STDOUT_FILENO);
  const std::size_t most = std::clamp(all - std::min(all, taken), kNarrow, kWidest);
  widths.name = nameColumns(names, kNarrowest, most);
  return widths;
}

std::string withVerdict(const std::string& row, const std::string& verdict) {
  const std::size_t all = terminalColumns(STDOUT_FILENO);
  if (columnsOf(row) + 1 + columnsOf(verdict) <= all) return row + " " + verdict + "\n";
  return row + "\n" + paddedLeft(verdict, all) + "\n";
}

std::string resultHead(const Widths& widths) {
  const std::string upper = fmt::format(kResultLine, sizeField("", widths), padded("", widths.name),
                                        "", "median", "min", "max", "", "relax.", "% of", "");
  return upper.substr(0, upper.find_last_not_of(' ') + 1) + "\n" +
         withVerdict(fmt::format(kResultLine, sizeField("n", widths), padded("kernel", widths.name),
                                 "tier", "ms", "ms", "ms", "reps", "per s", "peak", "speedup"),
                     "verified");
}

std::string verdictText(const Record& r) {
  if (r.partial)
    return fmt::format("{}interrupted after {} timed call{}", r.verdict.failed() ? "WRONG, " : "",
                       r.timing.reps, r.timing.reps == 1 ? "" : "s");
  const bool checked = !r.verdict.how.empty() || r.failed();
  return (checked ? toned(r.failed() ? Tone::kWrong : Tone::kRight, r.verified())
                  : "not verified") +
         disturbedMark(!r.failed() && !disturbanceOf(r).empty()) +
         publicMark(!r.failed() && r.graphs() == "public") + sandboxMark(r.sandbox);
}

std::string resultRow(const Record& r, double baseline, const Widths& widths) {
  const std::string verdict = verdictText(r);
  if (!r.fault.empty() || r.timing.reps == 0)
    return withVerdict(
        fmt::format(kResultLine, sizeField(std::to_string(r.n), widths),
                    nameCell(r.kernel, widths.name), "-", "-", "-", "-", "-", "-", "-", "-"),
        verdict);
  const std::string tier = shortTier(nameOf(r.outcome.tier), r.outcome.symmetric);
  return lineOf({r.kernel, tier, r.timing.median, r.timing.minimum, r.timing.maximum, r.timing.reps,
                 r.relaxationsPerSecond(), r.percentOfPeak()},
                r.n, verdict, baseline, widths);
}

std::string keptRow(const Row& row, double baseline, const Widths& widths) {
  const auto number = [&](const char* column) { return std::atof(row.at(column).c_str()); };
  const std::string& how = row.at("verified");
  const std::string verdict = (how == "no" ? "not verified" : toned(Tone::kRight, how)) +
                              disturbedMark(!disturbanceOf(row).empty()) +
                              publicMark(isPublic(row)) + sandboxMark(row.at("sandbox")) + ", kept";
  return lineOf({row.at("kernel"), shortTier(row.at("tier"), row.at("symmetric") == "yes"),
                 number("median_ms"), number("min_ms"), number("max_ms"),
                 std::atoi(row.at("reps").c_str()), number("relax_per_s"), number("pct_of_peak")},
                std::atoi(row.at("n").c_str()), verdict, baseline, widths);
}

std::string skippedRow(const std::string& kernel, int n, const std::string& why,
                       const Widths& widths) {
  return fitted(fmt::format("{}{} skipped: {}\n", sizeField(std::to_string(n), widths),
                            nameCell(kernel, widths.name), why));
}

std::string notesBelow(const Row& kept, const std::string& whyKept) {
  const std::string disturbance = disturbanceOf(kept);
  return fitted(fmt::format(
      "{0}skipped: {1}\n{0}measured {2}{3}; --again measures it anew\n", kIndent, whyKept,
      kept.at("time"), disturbance.empty() ? "" : fmt::format(", disturbed ({})", disturbance)));
}

namespace {

/// "; expected 12.3 ms; the dense method would take 68.2 s", or "".
std::string expectationOf(const Record& r) {
  const double method = r.outcome.expected, dense = r.outcome.expectedDense;
  if (method <= 0 || dense <= 0) return "";
  return fmt::format("; expected {}; the dense method would take {}", roundedTime(method),
                     roundedTime(dense));
}

/// The method that was asked for, if another one solved.
std::string insteadOf(const Record& r) {
  const Method asked = r.measuring.options.method, did = r.outcome.method;
  if (asked == Method::kAuto || asked == did) return "";
  return fmt::format("{}not {}: that gave up, and the {} method solved\n", kIndent, nameOf(asked),
                     nameOf(did));
}

/// That one GPU solved alone.
std::string idleOf(const Record& r) {
  if (r.sharing.idle == 0) return "";
  return fmt::format("{}on one GPU of {}: so small a graph is not divided\n", kIndent,
                     r.sharing.ranks + r.sharing.idle);
}

/// What the system took to give memory, if that is worth knowing: it is no part of the time.
std::string placingOf(const Record& r) {
  constexpr double kWorthKnowing = 100, kPart = 0.1;
  if (r.host.place < std::max(kWorthKnowing, kPart * r.timing.median)) return "";
  return fmt::format("{}before the first call, {} to take the memory and place the graph\n",
                     kIndent, roundedTime(r.host.place));
}

/// What the filtered solver left out, why that is exact, and where its time went.
std::string filteringOf(const Record& r) {
  const Filtering& f = r.outcome.filtering;
  const double all = r.n > 0 ? static_cast<double>(r.graph.edges) / r.n : 0;
  if (f.filter == 0)
    return fmt::format("{}relaxed along all {:.1f} edges a vertex, looked at {:.1f} times each{}\n",
                       kIndent, f.kept, f.passes, expectationOf(r));
  return fmt::format(
      "{0}filtered: {1:.1f} of {2:.1f} edges a vertex are kept, looked at {3:.1f} times each\n"
      "{0}exact: the other {4:.4g}% of the edges are longer than a walk between their ends\n"
      "{0}survey {5}, filter {6}, relax {7} ms\n",
      kIndent, f.kept, all, f.passes, all > 0 ? 100 * (1 - f.kept / all) : 0,
      milliseconds(f.survey), milliseconds(f.filter), milliseconds(f.relax));
}

std::string streamedNote(const Record& r) {
  if (!r.outcome.streamed) return "";
  return fmt::format("{}streamed: the distances have no room, and no row was kept\n", kIndent);
}

/// What the sparse solver swept over, and where its time went.
std::string sweepingOf(const Record& r) {
  const Sweeping& s = r.outcome.sweeping;
  return fmt::format(
      "{0}sparse: {1:.1f} arcs a vertex lead down the hierarchy, {2} in the core{10}\n"
      "{3}{0}order {4}, eliminate {5}, customise {6}, core {7}, prune {8}, sweep {9} ms\n",
      kIndent, s.arcs, counted(static_cast<std::uint64_t>(s.coreSize), "vertex is", "vertices are"),
      streamedNote(r), milliseconds(s.order), milliseconds(s.eliminate), milliseconds(s.customise),
      milliseconds(s.solveCore), milliseconds(s.prune), milliseconds(s.sweep), expectationOf(r));
}

/// How deep breadth-first searches went, and how fast.
std::string levellingOf(const Record& r) {
  const Levelling& did = r.outcome.levelling;
  return fmt::format("{0}bfs: {1}, {2} arcs per second{3}\n{4}", kIndent,
                     counted(static_cast<std::uint64_t>(did.levels), "level", "levels"),
                     withPrefix(r.arcsPerSecond()), expectationOf(r), streamedNote(r));
}

/// What negative weights cost.
std::string reweightingOf(const Record& r) {
  const Reweighting& did = r.outcome.reweighting;
  if (did.milliseconds <= 0) return "";
  const double rest = r.timing.median - did.milliseconds;
  return fmt::format(
      "{}potentials: {}; with both shifts {} ms{}\n", kIndent,
      counted(static_cast<std::uint64_t>(did.passes), "pass", "passes"),
      milliseconds(did.milliseconds),
      rest > 0 ? fmt::format(", {:.1f} % of the solve", 100 * did.milliseconds / rest) : "");
}

/// That 64-bit weights were solved in fewer bits, and why that is exact.
std::string narrowingOf(const Record& r) {
  const Narrowing& did = r.outcome.narrowing;
  if (!did.used) return "";
  return fmt::format(
      "{}solved as {}, which is exact: the weights are whole numbers{}; looking took {} ms\n",
      kIndent, nameOf(r.outcome.tier),
      did.exponent == 0 ? "" : fmt::format(" times 2^{}", did.exponent),
      milliseconds(did.milliseconds));
}

/// What a method that is not dense did.
std::string methodNotes(const Record& r) {
  if (r.outcome.method == Method::kFiltered) return filteringOf(r);
  if (r.outcome.method == Method::kBfs) return levellingOf(r);
  if (r.outcome.method == Method::kSearch)
    return fmt::format("{}search: from each of {}{}\n{}", kIndent,
                       counted(static_cast<std::uint64_t>(r.sources), "source", "sources"),
                       r.deviceKind == nameOf(DeviceKind::kGpu) ? ", on the CPU" : "",
                       streamedNote(r));
  return r.outcome.method == Method::kSparse ? sweepingOf(r) : "";
}

}  // namespace

std::string notesBelow(const Record& r) {
  if (!r.fault.empty()) return "";
  const std::string how =
      idleOf(r) + placingOf(r) + narrowingOf(r) + reweightingOf(r) + insteadOf(r);
  if (r.work != Work::kDistances) return fitted(how);
  return fitted(
      how + methodNotes(r) +
      fmt::format("{}{} distances per second\n", kIndent, withPrefix(r.distancesPerSecond())));
}

std::string mismatchText(const Record& r) {
  const Mismatch& m = r.verdict.mismatch;
  return fmt::format("kernel {}: {} from {}; first at ({}, {}): expected {}, got {}", r.kernel,
                     counted(m.count, "entry differs", "entries differ"), r.verdict.how, m.i, m.j,
                     textOf(m.expected), textOf(m.got));
}

std::string deviceOf(const Row& row) {
  const std::string& ranks = row.at("ranks");
  return row.at("device_name") +
         (row.at("device") == "cpu"
              ? ", " + counted(std::strtoull(row.at("units").c_str(), nullptr, 10), "thread")
              : "") +
         (ranks == "1" ? "" : ", " + ranks + " ranks");
}

std::string solverOf(const Row& row) {
  const std::string& kernel = row.at("kernel");
  if (kernel == "ref") return kernel;  // it has no options
  const std::string& content = row.at("content");
  constexpr std::size_t kShown = 8;
  const std::string build = content.empty() ? "" : " " + content.substr(0, kShown);
  return kernel + build +
         (row.at("precision") == "auto" ? "" : " --precision " + row.at("precision")) +
         (row.at("symmetry") == "no" ? " --no-symmetry" : "") +
         (row.at("skip") == "no" ? " --no-skip" : "") + methodOption(row.at("method")) +
         (row.at("order").empty() ? "" : " --order");
}

namespace {

/// The name of a solver in a table, as one line: shortened on a terminal.
std::string solverCell(const std::string& solver) {
  constexpr std::size_t kMost = 24;
  const bool terminal = terminalColumns(STDOUT_FILENO) != std::string::npos;
  return shortened(solver, terminal ? kMost : std::string::npos);
}

}  // namespace

std::string graphsOf(const Row& row) {
  std::string graphs = row.at("input");
  const auto leaveOut = [&](const std::string& part) {
    if (const auto at = graphs.find(part); at != std::string::npos) graphs.erase(at, part.size());
  };
  leaveOut(" n=" + row.at("n"));
  if (row.at("graphs") == "drawn") leaveOut(" seed=" + row.at("seed"));
  return graphs + (row.at("dtype") == "i32" ? "" : " " + row.at("dtype"));
}

namespace {

/// The results of one size: solver → row.
using Size = std::map<std::string, const Row*>;

struct Sweep {
  std::string device, graphs;        // deviceOf(), graphsOf()
  std::vector<std::string> kernels;  // ref first
  // By n and hash, because a file may have held several graphs. "" if each call got another one.
  std::map<std::pair<int, std::string>, Size> sizes;
};

std::vector<Sweep> groupSweeps(const std::vector<Row>& rows) {
  std::vector<Sweep> sweeps;
  for (const Row& row : rows) {
    const std::string device = deviceOf(row), graphs = graphsOf(row);
    auto sweep = std::find_if(sweeps.begin(), sweeps.end(), [&](const Sweep& s) {
      return s.device == device && s.graphs == graphs;
    });
    if (sweep == sweeps.end()) sweep = sweeps.insert(sweep, {device, graphs, {}, {}});
    const std::string kernel = solverOf(row);
    auto& known = sweep->kernels;
    if (std::find(known.begin(), known.end(), kernel) == known.end()) {
      known.insert(kernel == "ref" ? known.begin() : known.end(), kernel);
    }
    // The last measurement counts.
    const std::string hash = isVaried(row) ? "" : row.at("hash");
    sweep->sizes[{std::atoi(row.at("n").c_str()), hash}][kernel] = &row;
  }
  return sweeps;
}

/// The result of one solver at one size. If it was not measured, nothing is left to verify.
struct Entry {
  double ms = 0;  ///< 0 also of a result that was not timed
  bool verified = true, wrong = false, disturbed = false, isPublic = false;
};

Entry entryOf(const Size& size, const std::string& kernel) {
  const auto row = size.find(kernel);
  if (row == size.end()) return {};
  const std::string& verdict = row->second->at("verified");
  const double ms = std::atof(row->second->at("median_ms").c_str());  // 0 after a fault
  const bool wrong = failed(*row->second);
  return {ms, verdict != "no", wrong, !wrong && !disturbanceOf(*row->second).empty(),
          !wrong && isPublic(*row->second)};
}

using Line = std::vector<std::string>;  // the fields of a line

/// The line of one size in a table; it has the same number of fields for every size. A wrong result
/// has no speedup.
Line sweepLine(const Sweep& sweep, int n, const Size& size) {
  const Entry ref = entryOf(size, "ref");
  bool verified = true, wrong = false, disturbed = false, isPublic = false;
  Line line = {std::to_string(n)};
  for (const std::string& kernel : sweep.kernels) {
    const Entry entry = entryOf(size, kernel);
    const bool comparable = entry.ms > 0 && ref.ms > 0 && !entry.wrong && !ref.wrong;
    line.push_back(entry.ms > 0 ? fmt::format("{:.3f}", entry.ms) : "-");
    if (kernel != "ref")
      line.push_back(comparable ? fmt::format("{:.2f}", ref.ms / entry.ms) : "-");
    verified = verified && entry.verified;
    wrong = wrong || entry.wrong;
    disturbed = disturbed || entry.disturbed;
    isPublic = isPublic || entry.isPublic;
  }
  line.push_back(wrong ? "WRONG" : verified ? "yes" : "no");
  if (disturbed) line.back() += ", disturbed";
  if (isPublic) line.back() += fmt::format(", {}", kPublicGraph);
  return line;
}

constexpr char kSpeedup[] = "speedup";

std::vector<Line> linesOf(const Sweep& sweep) {
  std::vector<Line> lines(1, {"n"});
  for (const std::string& kernel : sweep.kernels) {
    lines[0].push_back(solverCell(kernel) + " ms");
    if (kernel != "ref") lines[0].push_back(kSpeedup);
  }
  lines[0].push_back("verified");
  for (const auto& [graph, size] : sweep.sizes)
    lines.push_back(sweepLine(sweep, graph.first, size));
  return lines;
}

/// Colours the verdicts, which are the last fields of the lines.
void colour(std::vector<Line>& lines) {
  for (Line& line : lines) {
    std::string& verdict = line.back();
    if (verdict.find("WRONG") == 0)
      verdict = toned(Tone::kWrong, verdict);
    else if (verdict.find(", ") != std::string::npos)
      verdict = toned(Tone::kDisturbed, verdict);
    else if (verdict == "yes")
      verdict = toned(Tone::kRight, verdict);
  }
}

using Columns = std::vector<std::size_t>;  // their numbers, or their widths

Columns widthsOf(const std::vector<Line>& lines) {
  Columns widths(lines[0].size(), 0);
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], columnsOf(line[i]));
  }
  return widths;
}

/// The columns of a table in parts that fit the terminal. Each part begins with the first column. A
/// speedup stays beside the time before it.
std::vector<Columns> partsOf(const Line& head, const Columns& widths) {
  const std::size_t all = terminalColumns(STDOUT_FILENO);
  std::vector<Columns> parts = {{0}};
  std::size_t taken = widths[0];
  for (std::size_t begin = 1, end; begin < head.size(); begin = end) {
    std::size_t more = 2 + widths[begin];
    for (end = begin + 1; end < head.size() && head[end] == kSpeedup; ++end)
      more += 2 + widths[end];
    if (taken + more > all && parts.back().size() > 1) {
      parts.push_back({0});
      taken = widths[0];
    }
    taken += more;
    for (std::size_t i = begin; i < end; ++i) parts.back().push_back(i);
  }
  return parts;
}

/// The lines with aligned columns, the first one as the heading. What is wider than the terminal
/// becomes several tables, one below the other.
std::string aligned(const std::vector<Line>& lines) {
  const Columns widths = widthsOf(lines);
  std::string out;
  for (const Columns& part : partsOf(lines[0], widths)) {
    if (!out.empty()) out += "\n";
    for (const Line& line : lines) {
      for (const std::size_t i : part) out += (i ? "  " : "") + paddedLeft(line[i], widths[i]);
      out += "\n";
    }
  }
  return out;
}

std::string asMarkdown(const std::vector<Line>& lines) {
  const Columns widths = widthsOf(lines);
  std::string out;
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      out += "| " + paddedLeft(line[i], widths[i]) + (i + 1 < line.size() ? " " : " |\n");
    if (&line != &lines[0]) continue;
    for (const std::size_t width : widths) out += "|" + std::string(width + 1, '-') + ":";
    out += "|\n";
  }
  return out;
}

}  // namespace

std::string sweepTables(const std::vector<Row>& rows, bool markdown) {
  std::string out;
  for (const Sweep& sweep : groupSweeps(rows)) {
    std::vector<Line> lines = linesOf(sweep);
    if (!markdown) colour(lines);
    const std::string title = oneLine(fmt::format("{}, {}", sweep.device, sweep.graphs)) + "\n";
    out += (out.empty() ? "" : "\n") +
           (markdown ? title + "\n" + asMarkdown(lines) : fitted(title) + aligned(lines));
  }
  return out;
}

namespace {

/// A heading, and a line for each row: its size, solver and graph, and `more`.
std::string listOf(const std::string& heading, const std::vector<Row>& rows,
                   const std::function<std::string(const Row&)>& more) {
  std::size_t width = 8;
  for (const Row& row : rows) width = std::max(width, columnsOf(solverCell(solverOf(row))));
  std::string out = heading;
  for (const Row& row : rows)
    out += fitted(fmt::format("  n = {:<7} {} {}{}\n", row.at("n"),
                              padded(solverCell(solverOf(row)), width), oneLine(graphsOf(row)),
                              more(row)));
  return out;
}

}  // namespace

std::string missingList(const std::vector<Row>& missing) {
  return listOf("Missing:\n", missing, [](const Row&) { return std::string(); });
}

std::string wrongList(const std::vector<Row>& wrong) {
  std::string out = toned(Tone::kWrong, "WRONG") + ", shown by these commands:\n";
  for (const Row& row : wrong) out += "  " + commandFor(row) + "\n";
  return out;
}

std::string disturbedList(const std::vector<Row>& rows) {
  std::vector<Row> disturbed;
  for (const Row& row : rows)
    if (!failed(row) && !disturbanceOf(row).empty()) disturbed.push_back(row);
  if (disturbed.empty()) return "";
  return listOf("Disturbed, measure again with --again:\n", disturbed,
                [](const Row& row) { return ": " + disturbanceOf(row); });
}
