#include "check/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "generate/generate.h"
#include "io/json.h"
#include "measure/peak.h"
#include "measure/tables.h"
#include "system/environment.h"
#include "system/process.h"
#include "system/screen.h"
#include "system/shell.h"

namespace {

const char* const kDepthNames[] = {"quick", "normal", "full"};

// ---- the table ------------------------------------------------------------------------------

/// The result of a cell, from the best to the worst. If several cells share a place in the table,
/// it shows the worst.
enum Result { kRight, kSkipped, kWrong, kUnsteady, kFault };
constexpr char kMarks[] = {'.', '-', 'x', '~', '!'};
const char* const kResultNames[] = {"right", "skipped", "wrong", "unsteady", "fault"};

Result resultOf(const CheckCell& cell) {
  if (cell.fault) return kFault;
  if (cell.unsteady != 0) return kUnsteady;
  if (cell.mismatch.count != 0) return kWrong;
  return cell.skipped ? kSkipped : kRight;
}

/// A column of the table: whether the graphs came after larger ones, and n.
using Size = std::pair<bool, int>;

Size sizeOf(const CheckCell& cell) {
  return {cell.again, cell.spec.n};
}

std::vector<Size> sizesOf(const Check& check) {
  std::vector<Size> sizes;
  for (const CheckCell& cell : check.cells) sizes.push_back(sizeOf(cell));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// The cells of each family, in the order in which they were solved.
std::vector<std::vector<const CheckCell*>> byFamily(const Check& check) {
  std::vector<std::vector<const CheckCell*>> families;
  for (const CheckCell& cell : check.cells) {
    if (families.empty() || families.back().front()->spec.family != cell.spec.family)
      families.emplace_back();
    families.back().push_back(&cell);
  }
  return families;
}

constexpr int kNameWidth = 14;

/// The sizes, written downwards: one digit in each line.
std::string head(const std::vector<Size>& sizes) {
  constexpr int kDigits = 4;
  std::string out;
  for (int digit = 0; digit < kDigits; ++digit) {
    std::string line(kNameWidth, ' ');
    if (digit == 0) line[0] = 'n';
    for (const auto& [again, n] : sizes)
      line += (again ? " " : "") + fmt::format("{:>{}}", n, kDigits).substr(digit, 1);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string tableRow(const std::vector<const CheckCell*>& cells, const std::vector<Size>& sizes) {
  std::string marks;
  for (const Size& size : sizes) {
    Result worst = kRight;
    for (const CheckCell* cell : cells) {
      if (sizeOf(*cell) == size) worst = std::max(worst, resultOf(*cell));
    }
    marks += (size.first ? " " : "") + std::string(1, kMarks[worst]);
  }
  const auto failed = std::count_if(cells.begin(), cells.end(),
                                    [](const CheckCell* cell) { return cell->failed(); });
  return fmt::format("{:<{}}{}", familyOf(cells.front()->spec).name, kNameWidth, marks) +
         (failed > 0 ? fmt::format("  {} of {}\n", failed, cells.size()) : "\n");
}

/// How a cell failed, in one line.
std::string failureOf(const CheckCell& cell) {
  if (cell.fault) return cell.faultText;
  if (cell.mismatch.count == 0)
    return "two runs differ in " + counted(cell.unsteady, "entry", "entries");
  const Mismatch& m = cell.mismatch;
  const auto n = static_cast<std::uint64_t>(cell.spec.n);
  return fmt::format("{} of {}; first ({}, {}): expected {}, got {}", withCommas(m.count),
                     counted(n * n, "entry", "entries"), m.i, m.j, textOf(m.expected),
                     textOf(m.got));
}

/// Two examples of a family: its wrong result and its fault, each at the smallest n.
std::string smallestFailures(const std::vector<const CheckCell*>& cells) {
  std::string out;
  for (const bool fault : {false, true}) {
    const CheckCell* smallest = nullptr;
    for (const CheckCell* cell : cells) {
      if (!cell->failed() || cell->fault.has_value() != fault) continue;
      if (smallest == nullptr || cell->spec.n < smallest->spec.n) smallest = cell;
    }
    if (smallest == nullptr) continue;
    out += fmt::format("{}{}\n  {}\n", describe(smallest->spec),
                       smallest->again ? ", after a larger one" : "", failureOf(*smallest));
  }
  return fitted(out);
}

/// The line about the solver, the device and the contract.
std::string title(const Check& check) {
  const std::string others =
      fmt::format(" on {}, contract {}", check.deviceName, contractOf(check.options));
  const std::size_t all = terminalColumns(STDOUT_FILENO), taken = columnsOf("kernel " + others);
  return fitted(fmt::format("kernel {}{}{}\n", shortened(check.kernel, all - std::min(all, taken)),
                            others, check.sandbox == kUnsandboxed ? ", unsandboxed" : ""));
}

/// The command that solves a graph with the kernel, and verifies the distances.
std::string commandFor(const Check& check, const std::string& graph) {
  return fmt::format("{} {} --device {} --kernel {} --verify", programAsTyped(), graph,
                     check.deviceKind, shellWord(check.kernel));
}

/// The diagnosis, in lines of at most 80 columns.
std::string diagnosisOf(const Check& check) {
  if (check.diagnosis.pattern.empty()) return "";
  const std::string name = "diagnosis ", &sentence = check.diagnosis.sentence;
  const bool named = sentence.rfind(name, 0) == 0;
  const std::vector<std::string> lines =
      wrapped(named ? sentence.substr(name.size()) : sentence, 80 - name.size());
  return fmt::format("\n{}{}\n", name, fmt::join(lines, "\n" + std::string(name.size(), ' ')));
}

/// The smallest graph that fails, as the command that shows it and as matrices.
std::string witnessOf(const Check& check) {
  if (!check.witness)
    return check.witnessFile.empty()
               ? ""
               : fmt::format("\nwitness   none: {} says why\n", check.witnessFile);
  const std::string graph =
      check.witnessFile.empty() ? optionsOf(*check.witness) : shellWord(check.witnessFile);
  return fmt::format("\nwitness   {}\n  {}\n{}{}", describe(*check.witness),
                     commandFor(check, graph), check.matrices.empty() ? "" : "\n", check.matrices);
}

}  // namespace

std::string checkText(const Check& check) {
  const std::vector<Size> sizes = sizesOf(check);
  std::string table = head(sizes), failures;
  const auto solved = std::count_if(check.cells.begin(), check.cells.end(),
                                    [](const CheckCell& c) { return !c.skipped; });
  for (const auto& cells : byFamily(check)) {
    table += tableRow(cells, sizes);
    failures += smallestFailures(cells);
  }
  std::string out = "\n" + title(check) + table;
  if (check.options.seed != 0)
    out += fmt::format("\nn = {} was drawn, with its graphs: --seed {} repeats them.\n",
                       drawnSize(check.options), check.options.seed);
  if (check.printed > 0) out += "\n" + printedText(check.printed) + "\n";
  const std::string warning = check.warnings().line();
  if (!warning.empty())
    out += fitted("\n" + toned(Tone::kDisturbed, "warning") + ": " + warning + "\n");
  if (failures.empty() && !check.partial)
    return out + fmt::format("\n{} {:.1f} s\n",
                             toned(Tone::kRight,
                                   fmt::format("All {} results are right.", check.cells.size())),
                             check.seconds);
  out += "\n. right   x wrong   ~ differs between runs   ! fault   - left out\n" +
         diagnosisOf(check) + witnessOf(check) + (failures.empty() ? "" : "\n" + failures);
  if (check.partial)
    return out + fmt::format("\n{} after {} of {}; {} of these {} wrong. {:.1f} s\n",
                             toned(Tone::kDisturbed, "INTERRUPTED"), solved,
                             counted(check.cells.size(), "result"), check.failed(),
                             check.failed() == 1 ? "is" : "are", check.seconds);
  return out + fmt::format("\n{} {} of {}. {:.1f} s\n", toned(Tone::kWrong, "FAILED"),
                           check.failed(), check.cells.size(), check.seconds);
}

std::string noWitnessText(const Check& check) {
  const CheckCell& cell = *check.smallestFailure();
  const bool depends = std::any_of(check.cells.begin(), check.cells.end(),
                                   [](const CheckCell& each) { return each.needsEarlierCalls(); });
  return fmt::format(
      "{}\n\nThe smallest graph that failed: {}\n  {}\n\nThis command solves that graph again. It "
      "may find nothing:\n  {}\n",
      depends
          ? "A result depends on the calls before it. No single graph shows that, so there is no "
            "witness."
          : "The smallest graph that failed did not fail again when it was solved alone, so "
            "there is no witness.\nThe result differs from run to run, as it does after a race "
            "between threads.",
      describe(cell.spec), failureOf(cell), commandFor(check, optionsOf(cell.spec)));
}

std::string checkSummary(const Check& check) {
  return fmt::format(
      "kernel {}: {} of {} checks failed{}{}{}{}", check.kernel, check.failed(), check.cells.size(),
      check.diagnosis.pattern.empty() ? "" : ": ", check.diagnosis.sentence,
      check.witnessError.empty() ? "" : "; the witness was not written: ", check.witnessError);
}

// ---- CSV and JSON ---------------------------------------------------------------------------

namespace {

std::string witnessText(const Check& check) {
  return check.witness ? describe(*check.witness) : "";
}

const Column<Check> kColumns[] = {
    {"time", kText, [](const Check&) { return timestamp(); }},
    {"kernel", kText, [](const Check& c) { return c.kernel; }},
    {"contract", kText, [](const Check& c) { return std::string(contractOf(c.options)); }},
    {"depth", kText, [](const Check& c) { return std::string(kDepthNames[c.options.depth]); }},
    {"graphs", kNumber, [](const Check& c) { return std::to_string(c.cells.size()); }},
    {"failed", kNumber, [](const Check& c) { return std::to_string(c.failed()); }},
    {"pattern", kText, [](const Check& c) { return c.diagnosis.pattern; }},
    {"diagnosis", kText, [](const Check& c) { return c.diagnosis.sentence; }},
    {"witness", kText, witnessText},
    {"warning", kText, [](const Check& c) { return c.warnings().line(); }},
    {"seconds", kNumber, [](const Check& c) { return fmt::format("{:.3g}", c.seconds); }},
    {"device_name", kText, [](const Check& c) { return c.deviceName; }},
    {"device_short", kText,
     [](const Check& c) { return shortDeviceName(c.deviceKind, c.deviceName); }},
    {"revision", kText, [](const Check&) { return gitRevision(); }},
    {"dirty", kText, [](const Check&) { return gitDirty(); }},
    {"sandbox", kText, [](const Check& c) { return c.sandbox; }},
};

std::string wrong(const CheckCell& cell, const Number& number) {
  return cell.mismatch.count == 0 ? "" : std::to_string(std::get<std::int32_t>(number));
}

const Column<CheckCell> kCellColumns[] = {
    {"family", kText, [](const CheckCell& c) { return familyOf(c.spec).name; }},
    {"n", kNumber, [](const CheckCell& c) { return std::to_string(c.spec.n); }},
    {"seed", kNumber, [](const CheckCell& c) { return std::to_string(c.spec.seed); }},
    {"range", kNumber, [](const CheckCell& c) { return std::to_string(c.spec.range); }},
    {"again", kNumber, [](const CheckCell& c) { return std::to_string(c.again); }},
    {"result", kText, [](const CheckCell& c) { return std::string(kResultNames[resultOf(c)]); }},
    {"wrong", kNumber, [](const CheckCell& c) { return std::to_string(c.mismatch.count); }},
    {"i", kNumber, [](const CheckCell& c) { return wrong(c, c.mismatch.i); }},
    {"j", kNumber, [](const CheckCell& c) { return wrong(c, c.mismatch.j); }},
    {"expected", kNumber, [](const CheckCell& c) { return wrong(c, c.mismatch.expected); }},
    {"got", kNumber, [](const CheckCell& c) { return wrong(c, c.mismatch.got); }},
    {"unsteady", kNumber, [](const CheckCell& c) { return std::to_string(c.unsteady); }},
    {"fault", kText, [](const CheckCell& c) { return c.faultText; }},
    {"warning", kText, [](const CheckCell& c) { return c.warning; }},
};

}  // namespace

std::string checkCsvHeader() {
  return csvHeader(kColumns);
}

std::string checkCsvRow(const Check& check) {
  return csvRow(kColumns, check);
}

std::string checkJson(const std::vector<Check>& checks) {
  Json array = Json::array();
  for (const Check& check : checks) {
    Json& object = array.emplace_back(jsonObject(kColumns, check));
    object["cells"] = jsonArray(kCellColumns, check.cells);
  }
  return jsonText(array);
}
