#include "measure/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/error.h"
#include "io/json.h"
#include "measure/disturbance.h"
#include "measure/peak.h"
#include "system/environment.h"
#include "system/shell.h"

namespace {

constexpr char kDrawn[] = "drawn", kVaried[] = "varied", kPublic[] = "public";

}  // namespace

double Record::relaxationsPerSecond() const {
  if (work != Work::kRelaxations || timing.median <= 0) return 0;
  return std::pow(n, 3) / (timing.median * 1e-3);  // also if some distances are asked for
}

double Record::distancesPerSecond() const {
  const double distances = static_cast<double>(sources) * targets;
  return timing.median > 0 ? distances / (timing.median * 1e-3) : 0;
}

double Record::arcsPerSecond() const {
  return timing.median > 0 ? outcome.levelling.passed / timing.median * 1e3 : 0;
}

double Record::percentOfPeak() const {
  const bool allDone = !outcome.symmetric && !outcome.skipped;
  const double together = deviceKind == "gpu" ? sharing.ranks * peak : peak;  // one GPU a rank
  return allDone && peak > 0 ? 100 * relaxationsPerSecond() / together : 0;
}

double Record::percentOfWriteBound() const {
  const bool writesAll = outcome.method == Method::kBfs && sources == n && targets == n;
  if (!writesAll || deviceKind != "gpu" || bandwidth <= 0) return 0;
  const double bytes = static_cast<double>(sizeOf(dtype)) * distancesPerSecond();
  return 100 * bytes / (sharing.ranks * bandwidth);
}

std::string Record::deviceShort() const {
  return shortDeviceName(deviceKind, device.name);
}

std::string Record::graphs() const {
  if (measuring.vary) return measuring.drawn ? kDrawn : kVaried;
  return version.empty() ? "same" : kPublic;
}

std::string Record::verified() const {
  return !fault.empty()        ? fault
         : verdict.failed()    ? "WRONG"
         : verdict.how.empty() ? "no"
                               : verdict.how;
}

namespace {

std::string text(double milliseconds) {
  return fmt::format("{:.6g}", milliseconds);
}
std::string textOrNone(double number) {
  return number > 0 ? fmt::format("{:.4g}", number) : "";
}
std::string text(std::uint64_t count) {
  return fmt::format("{}", count);
}
std::string text(int count) {
  return fmt::format("{}", count);
}
std::string text(bool yes) {
  return yes ? "yes" : "no";
}

/// The text if that method solved, else "".
std::string ofMethod(const Record& r, Method method, const std::string& done) {
  return r.outcome.method == method ? done : "";
}

/// Milliseconds that the rank that waited longest waited for messages.
double longestWait(const Sharing& sharing) {
  double longest = 0;
  for (const RankTimes& rank : sharing.each) longest = std::max(longest, rank.wait);
  return longest;
}
/// Of all ranks.
std::uint64_t messageBytes(const Sharing& sharing) {
  std::uint64_t bytes = 0;
  for (const RankTimes& rank : sharing.each) bytes += rank.bytes;
  return bytes;
}
/// Milliseconds of the calls that count, separated by spaces. Programs that read CSV files bound
/// the length of a field. Therefore at most 1000 calls are listed, at equal distances.
std::string callsOf(const Record& r) {
  constexpr std::size_t kMost = 1000;
  const std::vector<double>& calls = r.timing.calls;
  const std::size_t count = std::min(calls.size(), kMost);
  std::string list;
  for (std::size_t i = 0; i < count; ++i)
    list += (i == 0 ? "" : " ") + text(calls[i * calls.size() / count]);
  return list;
}
/// Milliseconds of each rank, separated by spaces.
std::string ofEachRank(const Sharing& sharing, double RankTimes::*times) {
  std::string list;
  for (const RankTimes& rank : sharing.each)
    list += (list.empty() ? "" : " ") + fmt::format("{:.4g}", rank.*times);
  return list;
}

const Column<Record> kColumns[] = {
    {"time", kText, [](const Record&) { return timestamp(); }},
    {"input", kText, [](const Record& r) { return r.input; }},
    {"seed", kText, [](const Record& r) { return r.seed ? std::to_string(*r.seed) : ""; }},
    {"hash", kText, [](const Record& r) { return fmt::format("{:016x}", r.graph.hash); }},
    {"n", kNumber, [](const Record& r) { return text(r.n); }},
    {"edges", kNumber, [](const Record& r) { return text(r.graph.edges); }},
    {"unreachable", kNumber, [](const Record& r) { return text(r.unreachable); }},
    {"kernel", kText, [](const Record& r) { return r.kernel; }},
    {"dtype", kText, [](const Record& r) { return std::string(nameOf(r.dtype)); }},
    {"precision", kText, [](const Record& r) { return nameOf(r.measuring.options.precision); }},
    {"symmetry", kText, [](const Record& r) { return text(r.measuring.options.symmetry); }},
    {"skip", kText, [](const Record& r) { return text(r.measuring.options.skip); }},
    {"tier", kText, [](const Record& r) { return nameOf(r.outcome.tier); }},
    {"symmetric", kText, [](const Record& r) { return text(r.outcome.symmetric); }},
    {"skipped", kText, [](const Record& r) { return text(r.outcome.skipped); }},
    {"median_ms", kNumber, [](const Record& r) { return text(r.timing.median); }},
    {"min_ms", kNumber, [](const Record& r) { return text(r.timing.minimum); }},
    {"max_ms", kNumber, [](const Record& r) { return text(r.timing.maximum); }},
    {"warmup", kNumber, [](const Record& r) { return text(r.measuring.warmup); }},
    {"reps", kNumber, [](const Record& r) { return text(r.timing.reps); }},
    {"relax_per_s", kNumber, [](const Record& r) { return text(r.relaxationsPerSecond()); }},
    {"pct_of_peak", kNumber, [](const Record& r) { return textOrNone(r.percentOfPeak()); }},
    {"verified", kText, [](const Record& r) { return r.verified(); }},
    {"wrong", kNumber, [](const Record& r) { return text(r.verdict.mismatch.count); }},
    {"load_ms", kNumber, [](const Record& r) { return text(r.host.load); }},
    {"copy_in_ms", kNumber, [](const Record& r) { return text(r.host.copyIn); }},
    {"copy_out_ms", kNumber, [](const Record&) { return text(0.0); }},  // now part of write_ms
    {"write_ms", kNumber, [](const Record& r) { return text(r.host.write); }},
    {"device", kText, [](const Record& r) { return r.deviceKind; }},
    {"device_name", kText, [](const Record& r) { return r.device.name; }},
    {"device_short", kText, [](const Record& r) { return r.deviceShort(); }},
    {"device_uuid", kText, [](const Record& r) { return r.device.uuid; }},
    {"units", kNumber, [](const Record& r) { return text(r.device.units); }},
    {"driver", kText, [](const Record& r) { return r.device.driver; }},
    {"runtime", kText, [](const Record& r) { return r.device.runtime; }},
    {"core_mhz_before", kNumber, [](const Record& r) { return text(r.before.coreMHz); }},
    {"core_mhz_after", kNumber, [](const Record& r) { return text(r.after.coreMHz); }},
    {"memory_mhz", kNumber, [](const Record& r) { return text(r.after.memoryMHz); }},
    {"throttle", kText, [](const Record& r) { return r.after.throttle; }},
    {"other_users", kNumber, [](const Record& r) { return text(r.after.otherUsers); }},
    {"host", kText, [](const Record&) { return hostName(); }},
    {"version", kText, [](const Record&) { return programVersion(); }},
    {"revision", kText, [](const Record&) { return gitRevision(); }},
    {"dirty", kText, [](const Record&) { return gitDirty(); }},
    {"slurm_job", kText, [](const Record&) { return slurmJob(); }},
    {"point", kText, [](const Record& r) { return r.point; }},
    {"q1_ms", kNumber, [](const Record& r) { return text(r.timing.q1); }},
    {"q3_ms", kNumber, [](const Record& r) { return text(r.timing.q3); }},
    {"outliers", kNumber, [](const Record& r) { return text(r.timing.outliers); }},
    {"load", kNumber,
     [](const Record& r) { return r.load.others < 0 ? "" : fmt::format("{:.2f}", r.load.others); }},
    {"disturbed", kText, [](const Record& r) { return disturbanceOf(r); }},
    {"sandbox", kText, [](const Record& r) { return r.sandbox; }},
    {"method", kText, [](const Record& r) { return nameOf(r.measuring.options.method); }},
    {"solved_by", kText, [](const Record& r) { return nameOf(r.outcome.method); }},
    {"kept", kNumber,
     [](const Record& r) {
       return textOrNone(r.outcome.filtering.kept + r.outcome.sweeping.arcs);  // one of them is 0
     }},
    {"passes", kNumber, [](const Record& r) { return textOrNone(r.outcome.filtering.passes); }},
    {"survey_ms", kNumber, [](const Record& r) { return textOrNone(r.outcome.filtering.survey); }},
    {"filter_ms", kNumber, [](const Record& r) { return textOrNone(r.outcome.filtering.filter); }},
    {"relax_ms", kNumber, [](const Record& r) { return textOrNone(r.outcome.filtering.relax); }},
    {"ranks", kNumber, [](const Record& r) { return text(r.sharing.ranks); }},
    {"grid", kText, [](const Record& r) { return gridText(r.sharing.grid); }},
    {"wait_ms", kNumber, [](const Record& r) { return textOrNone(longestWait(r.sharing)); }},
    {"message_bytes", kNumber, [](const Record& r) { return text(messageBytes(r.sharing)); }},
    {"rank_compute_ms", kText,
     [](const Record& r) { return ofEachRank(r.sharing, &RankTimes::compute); }},
    {"rank_wait_ms", kText,
     [](const Record& r) { return ofEachRank(r.sharing, &RankTimes::wait); }},
    {"core", kText,
     [](const Record& r) {
       return ofMethod(r, Method::kSparse, text(r.outcome.sweeping.coreSize));
     }},
    {"streamed", kText,
     [](const Record& r) {
       return ofMethod(r, Method::kSparse, text(r.outcome.streamed)) +
              ofMethod(r, Method::kBfs, text(r.outcome.streamed)) +
              ofMethod(r, Method::kSearch, text(r.outcome.streamed));
     }},
    {"order_ms", kNumber, [](const Record& r) { return textOrNone(r.outcome.sweeping.order); }},
    {"eliminate_ms", kNumber,
     [](const Record& r) { return textOrNone(r.outcome.sweeping.eliminate); }},
    {"customise_ms", kNumber,
     [](const Record& r) { return textOrNone(r.outcome.sweeping.customise); }},
    {"core_ms", kNumber, [](const Record& r) { return textOrNone(r.outcome.sweeping.solveCore); }},
    {"prune_ms", kNumber, [](const Record& r) { return textOrNone(r.outcome.sweeping.prune); }},
    {"sweep_ms", kNumber, [](const Record& r) { return textOrNone(r.outcome.sweeping.sweep); }},
    {"sources", kNumber, [](const Record& r) { return text(r.sources); }},
    {"targets", kNumber, [](const Record& r) { return text(r.targets); }},
    {"potential_passes", kNumber,
     [](const Record& r) { return text(r.outcome.reweighting.passes); }},
    {"shift_ms", kNumber,
     [](const Record& r) { return textOrNone(r.outcome.reweighting.milliseconds); }},
    {"times_ms", kText, callsOf},
    {"graphs", kText, [](const Record& r) { return r.graphs(); }},
    {"expected_ms", kNumber, [](const Record& r) { return textOrNone(r.outcome.expected); }},
    {"expected_dense_ms", kNumber,
     [](const Record& r) { return textOrNone(r.outcome.expectedDense); }},
    {"narrow_exponent", kNumber,
     [](const Record& r) {
       const Narrowing& narrowing = r.outcome.narrowing;
       return narrowing.used ? text(narrowing.exponent) : "";
     }},
    {"narrow_ms", kNumber,
     [](const Record& r) { return textOrNone(r.outcome.narrowing.milliseconds); }},
    {"levels", kNumber,
     [](const Record& r) { return ofMethod(r, Method::kBfs, text(r.outcome.levelling.levels)); }},
    {"arcs_per_s", kNumber, [](const Record& r) { return textOrNone(r.arcsPerSecond()); }},
    {"pct_of_write_bound", kNumber,
     [](const Record& r) { return textOrNone(r.percentOfWriteBound()); }},
    {"content", kText, [](const Record& r) { return r.version; }},
    {"order", kText,
     [](const Record& r) { return std::string(r.measuring.order != nullptr ? "given" : ""); }},
    {"place_ms", kNumber, [](const Record& r) { return text(r.host.place); }},
};

/// Columns that older versions did not write.
constexpr const char* kAddedLater[] = {"point",
                                       "q1_ms",
                                       "q3_ms",
                                       "outliers",
                                       "load",
                                       "disturbed",
                                       "sandbox",
                                       "method",
                                       "solved_by",
                                       "kept",
                                       "passes",
                                       "survey_ms",
                                       "filter_ms",
                                       "relax_ms",
                                       "ranks",
                                       "grid",
                                       "wait_ms",
                                       "message_bytes",
                                       "rank_compute_ms",
                                       "rank_wait_ms",
                                       "core",
                                       "streamed",
                                       "order_ms",
                                       "eliminate_ms",
                                       "customise_ms",
                                       "core_ms",
                                       "prune_ms",
                                       "sweep_ms",
                                       "sources",
                                       "targets",
                                       "potential_passes",
                                       "shift_ms",
                                       "times_ms",
                                       "graphs",
                                       "expected_ms",
                                       "expected_dense_ms",
                                       "narrow_exponent",
                                       "narrow_ms",
                                       "levels",
                                       "arcs_per_s",
                                       "pct_of_write_bound",
                                       "content",
                                       "order",
                                       "place_ms"};

}  // namespace

std::string csvHeader() {
  return csvHeader(kColumns);
}

std::string csvRow(const Record& record) {
  return csvRow(kColumns, record);
}

std::string csvRow(const Row& row) {
  return csvLine(kColumns, [&](const auto& column) { return row.at(column.name); });
}

std::string toJson(const std::vector<Record>& records) {
  Json array = jsonArray(kColumns, records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    Json& times = array[i]["times_ms"] = Json::array();
    for (const double ms : records[i].timing.calls) times.push_back(jsonValue(kNumber, text(ms)));
  }
  return jsonText(array);
}

bool isColumn(const std::string& name) {
  return std::any_of(std::begin(kColumns), std::end(kColumns),
                     [&](const Column<Record>& column) { return column.name == name; });
}

bool failed(const Row& row) {
  return row.at("verified") == "WRONG" || row.at("reps") == "0";
}

bool isVaried(const Row& row) {
  const std::string& graphs = row.at("graphs");
  return !row.at("seed").empty() && (graphs == kDrawn || graphs == kVaried);
}

bool isPublic(const Row& row) {
  return row.at("graphs") == kPublic;
}

namespace {

/// Throws Error(kInput) for a CSV file whose rows do not have this column of records.
[[noreturn]] void refuse(const std::string& path, const Row& row, const char* column) {
  const std::size_t sizes = path.rfind(".sizes.csv");  // it lies beside the file of grades
  const std::string grades = sizes == std::string::npos ? path : path.substr(0, sizes) + ".csv";
  const std::string reportsIt = "apsp report " + shellWord(grades) + " prints its table";
  const struct {
    const char *only, *command;  // a column that only this command writes
    std::string reader;
  } others[] = {{"naive_ms", "grade", reportsIt},
                {"points_lines", "grade", reportsIt},
                {"pattern", "check", "no command reads it"},
                {"rung", "ladder", "no command reads it"}};
  for (const auto& other : others) {
    if (row.count(other.only) > 0)
      throw Error(ErrorCode::kInput,
                  fmt::format("{}: a CSV file of apsp {}, not of measured records: {}", path,
                              other.command, other.reader));
  }
  throw Error(
      ErrorCode::kInput,
      fmt::format("{}: no column '{}': another version or another program wrote it", path, column));
}

}  // namespace

std::vector<Row> readRecords(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || (file.peek() != EOF && !(text << file.rdbuf()))) {
    throw Error(ErrorCode::kInput, path + ": cannot be read");
  }
  std::vector<Row> rows = parseCsv(path, text.str());
  for (Row& row : rows) {
    row.emplace("ranks", "1");
    for (const char* column : kAddedLater) row.emplace(column, "");
  }
  for (const Column<Record>& column : kColumns) {
    if (rows.empty() || rows[0].count(column.name) != 0) continue;
    refuse(path, rows[0], column.name);
  }
  return rows;
}
