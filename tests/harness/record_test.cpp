// Records: their columns as CSV and JSON, the result store, and the tables made of them.
#include "measure/record.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <set>

#include "apsp.h"
#include "device/nvml.h"
#include "devices.h"
#include "files.h"
#include "io/json.h"
#include "io/output.h"
#include "measure/clocks.h"
#include "measure/command.h"
#include "measure/disturbance.h"
#include "measure/remarks.h"
#include "measure/result_store.h"
#include "measure/tables.h"
#include "submission/submission.h"
#include "system/environment.h"
#include "system/process.h"
#include "system/screen.h"
#include "system/shell.h"

namespace {

Record sample(const std::string& kernel, int n, double ms, const std::string& how = "ref") {
  Record r;
  r.input = "course n=" + std::to_string(n) + " seed=1 range=100000";
  r.seed = 1;
  r.n = n;
  r.kernel = kernel;
  r.graph.hash = static_cast<std::uint64_t>(n);
  r.timing = {ms, ms * 0.9, ms * 1.1, 5};
  r.verdict.how = how;
  r.device.name = "Test GPU";
  return r;
}

const Widths kWidths = widthsOf({"apsp"});  // of a table without a column for n

/// The remarks below a table that has only this row.
std::string remarksText(const Record& record) {
  Remarks remarks;
  remarks.add(record.kernel, record.n, remarksOf(record));
  return remarks.take(false);
}

TEST(Record, CsvRoundTripsWhateverTheFieldsHold) {
  for (const std::string name : {"plain", "a,b", "say \"hi\"", "two\nlines", "\xff\xfe", "", "\"",
                                 ",", "tr\xc3\xa4iling "}) {
    Record r = sample("apsp", 7, 2.5);
    r.input = name;
    const std::vector<Row> rows = parseCsv("t", csvHeader() + csvRow(r) + csvRow(r));
    ASSERT_EQ(2u, rows.size()) << name;
    EXPECT_EQ(name, rows[1].at("input"));
    EXPECT_EQ("2.5", rows[1].at("median_ms"));
    EXPECT_EQ("ref", rows[1].at("verified"));
  }
}

TEST(Record, FormulasAreGuardedInCsvAndReadBackAsTheyWere) {
  const std::pair<const char*, const char*> guarded[] = {
      {"=1+1.so", "'=1+1.so"}, {"-1", "'-1"},           {"+1;@A1", "'+1;'@A1"},
      {"a;=1+1", "a;'=1+1"},   {"a; =1", "a;' =1"},     {"a;\"=1", "a;'\"=1"},
      {"a\n=1", "a\n'=1"},     {"a\t-1", "a\t'-1"},     {"'=1", "''=1"},
      {"＝1", "'＝1"},         {"./a=b;c.so", nullptr}, {"'a;'b;", nullptr}};
  for (const auto& [name, cell] : guarded) {
    Record r = sample(name, 7, 2.5);
    r.input = name;
    const std::string line = csvRow(r), csv = csvHeader() + line;  // with the time of now
    EXPECT_NE(std::string::npos, csv.find(csvField(cell == nullptr ? name : cell))) << csv;
    const Row row = parseCsv("t", csv).at(0);
    EXPECT_EQ(name, row.at("input"));
    EXPECT_EQ(name, row.at("kernel"));
    EXPECT_EQ(line, csvRow(row)) << "a row that was read is written as it was";
  }
  EXPECT_EQ("-1.5e-05", csvCell(kNumber, "-1.5e-05"));
  EXPECT_EQ("'-1+1", csvCell(kNumber, "-1+1"));
}

TEST(Record, OldNamesOfColumnsAreStillRead) {
  Record r = sample("apsp", 7, 1);
  r.peak = r.relaxationsPerSecond() * 2;
  std::string old = csvHeader();
  old.replace(old.find("pct_of_peak"), std::strlen("pct_of_peak"), "pct_of_wall");
  EXPECT_EQ(csvHeader(), renamedHeader(old));
  EXPECT_EQ(csvHeader(), renamedHeader(csvHeader()));
  const Row row = parseCsv("t", old + csvRow(r))[0];
  EXPECT_EQ("50", row.at("pct_of_peak"));
  EXPECT_EQ(0u, row.count("pct_of_wall"));

  const TempDir dir;
  writeBytes(dir / "old.csv", old + csvRow(r));
  EXPECT_EQ(row, readRecords(dir / "old.csv").at(0));
  appendRows(dir / "old.csv", csvHeader(), csvRow(sample("ref", 7, 2)));
  const std::vector<Row> rows = readRecords(dir / "old.csv");
  ASSERT_EQ(2u, rows.size());
  EXPECT_EQ("ref", rows[1].at("kernel"));
}

TEST(Record, TheResultsThatAreKeptAreRead) {
  for (const std::string name : {"sweep.csv", "dense.csv"}) {
    const std::string path = "results/h100/" + name;
    const std::vector<Row> rows = parseCsv(path, readBytes(path));
    ASSERT_FALSE(rows.empty()) << path;
    for (const Row& row : rows) EXPECT_EQ(1u, row.count("pct_of_peak")) << path;
  }
  EXPECT_FALSE(readRecords("results/h100/sweep.csv").empty());
}

TEST(Record, CutOffOrRaggedCsvIsRefused) {
  const std::string header = csvHeader(), row = csvRow(sample("apsp", 7, 1));
  for (const std::string& bad :
       {header + row.substr(0, row.size() / 2), header + row + "1,2\n", header + "\"open"}) {
    expectError(ErrorCode::kInput, "t", "", [&] { parseCsv("t", bad); });
  }
}

/// The JSON of a text: the part of toJson() behind the key of a record's input.
std::string jsonOf(const std::string& input) {
  Record r = sample("apsp", 7, 1);
  r.input = input;
  const std::string json = toJson({r}), key = "\"input\": ";
  const std::size_t at = json.find(key) + key.size();
  return json.substr(at, json.find(",\n", at) - at);
}

TEST(Record, JsonEscapesQuotesControlsAndBytesThatAreNoUtf8) {
  EXPECT_EQ(R"("a\"b\\c\n\u0001")", jsonOf("a\"b\\c\n\x01"));
  EXPECT_EQ("\"\\udcff\xc3\xa9\\udcc0\\udcaf\\udced\\udca0\\udc80\"",
            jsonOf("\xff\xc3\xa9\xc0\xaf\xed\xa0\x80"));
  const std::string last = "\xf4\x8f\xbf\xbf";  // U+10FFFF, which marks such bytes meanwhile
  EXPECT_EQ("\"" + last + "ff\"", jsonOf(last + "ff"));
  EXPECT_EQ("\"" + last + last + "\\udcff\"", jsonOf(last + last + "\xff"));
  EXPECT_EQ("\"\\udcff" + last + "\"", jsonOf("\xff" + last));
}

TEST(Record, JsonEscapesWhatATerminalWouldNotShow) {
  EXPECT_EQ(R"("a\u007f\u009b[2J\u202e\u200b\udb40\udc61\u001b")",
            jsonOf("a\x7f\u009b[2J\u202e\u200b\U000e0061\033"));
}

TEST(Record, JsonHasTheColumnsOfTheCsvInTheirOrder) {
  const Record r = sample("apsp", 7, 2.5);
  const std::string json = toJson({r, r});
  EXPECT_EQ(0u, json.find("[\n {\n  \"time\": \"20")) << json;
  EXPECT_NE(std::string::npos, json.find("\n },\n {\n")) << json;
  EXPECT_NE(std::string::npos, json.find("\"median_ms\": 2.5,\n  \"min_ms\": 2.25,\n")) << json;
  EXPECT_NE(std::string::npos, json.find("\"kernel\": \"apsp\",")) << json;
  std::string header;
  const Json records = Json::parse(json);
  for (const auto& [key, value] : records[1].items()) header += (header.empty() ? "" : ",") + key;
  const std::string columns = csvHeader();
  EXPECT_EQ(columns.substr(0, columns.size() - 1), header);
}

TEST(Record, JsonHasNullForANumberThatIsNone) {
  for (const std::string none : {"", "inf", "nan", "-nan", "1e999", "x"})
    EXPECT_TRUE(jsonValue(kNumber, none).is_null()) << none;
  for (const std::string number : {"0", "18446744073709551615", "-7", "62.5", "1e-07"})
    EXPECT_EQ(number, jsonValue(kNumber, number).dump());
  EXPECT_EQ("\"5\"", jsonValue(kText, "5").dump());
}

TEST(Record, AMismatchIsSaidEverywhere) {
  Record r = sample("apsp", 10, 1);
  r.verdict.mismatch = {1234, 3, 7, 12, kInf};
  EXPECT_EQ("WRONG", r.verified());
  EXPECT_EQ("1234", parseCsv("t", csvHeader() + csvRow(r))[0].at("wrong"));
  EXPECT_EQ("kernel apsp: 1,234 entries differ from ref; first at (3, 7): expected 12, got inf",
            mismatchText(r));
  EXPECT_NE(std::string::npos, resultRow(r, 0, kWidths).find("WRONG"));
  EXPECT_NE(std::string::npos,
            sweepTables(parseCsv("t", csvHeader() + csvRow(r)), false).find("WRONG"));
  r.verdict = {};
  EXPECT_NE(std::string::npos, resultRow(r, 0, kWidths).find("not verified"));
}

TEST(Record, OnlySearchesOnAGpuThatWriteAllAreAPercentageOfTheWriteBound) {
  Record r = sample("apsp", 1000, 1);  // 4 GB per second
  r.sources = r.targets = r.n;
  r.deviceKind = "gpu";
  r.outcome.method = Method::kBfs;
  const auto percentage = [&] {
    return parseCsv("t", csvHeader() + csvRow(r))[0].at("pct_of_write_bound");
  };
  EXPECT_EQ("", percentage()) << "no bandwidth is known";
  EXPECT_NE(std::string::npos, toJson({r}).find("\"pct_of_write_bound\": null"));
  r.bandwidth = 16e9;
  EXPECT_EQ("25", percentage());
  r.sharing.ranks = 2;
  EXPECT_EQ("12.5", percentage());
  r.targets = 999;
  EXPECT_EQ("", percentage());
  r.targets = r.n;
  r.deviceKind = "cpu";
  EXPECT_EQ("", percentage());
  r.deviceKind = "gpu";
  r.outcome.method = Method::kSparse;
  EXPECT_EQ("", percentage());
}

TEST(Record, OnlyWorkThatWasAllDoneIsAPercentageOfThePeak) {
  Record r = sample("apsp", 1000, 0.1);  // 10¹³ relaxations per second
  const auto percentage = [&] {
    return parseCsv("t", csvHeader() + csvRow(r))[0].at("pct_of_peak");
  };
  EXPECT_EQ("", percentage()) << "no peak is known";
  EXPECT_NE(std::string::npos, toJson({r}).find("\"pct_of_peak\": null"));
  r.peak = 16e12;
  EXPECT_EQ("62.5", percentage());
  EXPECT_NE(std::string::npos, toJson({r}).find("\"pct_of_peak\": 62.5"));
  EXPECT_NE(std::string::npos, resultRow(r, 0, kWidths).find(" 62% "));
  r.outcome.symmetric = true;
  EXPECT_EQ("", percentage());
  r.outcome = {Tier::kUint16, false, true};
  EXPECT_EQ("", percentage());
}

TEST(Record, SaysWhatWasAskedForAndWhatWasDone) {
  Record r = sample("apsp", 10, 1);
  r.measuring.options = {Precision::k32, true, false};
  r.outcome = {Tier::kUint16, true, true};
  const Row row = parseCsv("t", csvHeader() + csvRow(r))[0];
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"precision", "32"}, {"symmetry", "yes"},  {"skip", "no"},
      {"tier", "uint16"},  {"symmetric", "yes"}, {"skipped", "yes"}};
  for (const auto& [column, word] : expected) EXPECT_EQ(word, row.at(column)) << column;
  EXPECT_EQ(0u, resultRow(r, 0, kWidths).find("apsp   u16/2 "));
}

TEST(Record, TheTableIsAlignedAndFitsTheTerminal) {
  EXPECT_EQ(
      "              median     min     max      relax. % of\n"
      "kernel tier       ms      ms      ms reps  per s peak speedup verified\n",
      resultHead(kWidths));
  Record r = sample("ref", 1000, 345678.9, "dijkstra:16");
  r.timing.reps = 1000;
  r.peak = r.relaxationsPerSecond();
  EXPECT_EQ("ref    i32    345679  311111  380247 1000 2.89 M 100%   1000x dijkstra:16\n",
            forScreen(resultRow(r, 345678900, kWidths), false, true));
}

TEST(Record, TheTableOfSeveralSizesHasAColumnForN) {
  const Widths widths = widthsOf({}, {5, 1000});
  EXPECT_EQ(
      "                   median     min     max      relax. % of\n"
      "   n kernel tier       ms      ms      ms reps  per s peak speedup verified\n",
      resultHead(widths));
  EXPECT_EQ(0u, resultRow(sample("apsp", 50, 1), 0, widths).find("  50 apsp   i32 "));
  EXPECT_EQ("  50 apsp   skipped: held\n", skippedRow("apsp", 50, "held", widths));
  EXPECT_EQ(0u, widthsOf({}, {1000}).n) << "one size needs no column";
}

TEST(Record, TypesAreNamedAndNumbersOfAllAreShown) {
  const std::int64_t far = std::int64_t{1} << 60;
  const struct {
    Dtype dtype;
    Number expected, got;
    const char *name, *tier, *row, *said;
  } types[] = {
      {Dtype::kInt32, 12, kInf, "i32", "int32", "apsp   i32 ", "expected 12, got inf"},
      {Dtype::kFloat32, 0.1f, HUGE_VALF, "f32", "float32", "apsp   f32 ", "expected 0.1, got inf"},
      {Dtype::kInt64, far, far + 1, "i64", "int64", "apsp   i64 ",
       "expected 1152921504606846976, got 1152921504606846977"},
      {Dtype::kInt64, -far, kInfinity<std::int64_t>, "i64", "int64", "apsp   i64 ",
       "expected -1152921504606846976, got inf"},
      {Dtype::kFloat64, 0.1, 0.1 + 0x1p-56, "f64", "float64", "apsp   f64 ",
       "expected 0.1, got 0.10000000000000002"},
  };
  for (const auto& type : types) {
    Record r = sample("apsp", 10, 1);
    r.dtype = type.dtype;
    r.outcome.tier = tierOf(type.dtype);
    const Row row = parseCsv("t", csvHeader() + csvRow(r))[0];
    EXPECT_EQ(type.name, row.at("dtype"));
    EXPECT_EQ(type.tier, row.at("tier"));
    EXPECT_EQ(0u, resultRow(r, 0, kWidths).find(type.row));
    EXPECT_NE(std::string::npos, graphLines(r).find(std::string(type.name) + " weights"));
    r.verdict.mismatch = {1, 3, 7, type.expected, type.got};
    EXPECT_EQ(std::string("kernel apsp: 1 entry differs from ref; first at (3, 7): ") + type.said,
              mismatchText(r));
  }
}

TEST(Record, SaysHow64BitsWereNarrowed) {
  Record r = sample("apsp", 10, 1);
  r.dtype = Dtype::kFloat64;
  r.outcome.tier = Tier::kFloat64;
  Row row = parseCsv("t", csvHeader() + csvRow(r))[0];
  EXPECT_EQ("", row.at("narrow_exponent") + row.at("narrow_ms"));
  EXPECT_EQ("", notesBelow(r));
  r.outcome.tier = Tier::kUint16;
  r.outcome.narrowing = {true, -3, 1.25};
  row = parseCsv("t", csvHeader() + csvRow(r))[0];
  EXPECT_EQ("f64", row.at("dtype"));
  EXPECT_EQ("uint16", row.at("tier"));
  EXPECT_EQ("-3", row.at("narrow_exponent"));
  EXPECT_EQ("1.25", row.at("narrow_ms"));
  EXPECT_EQ(0u, resultRow(r, 0, kWidths).find("apsp   u16 "));
  EXPECT_NE(std::string::npos,
            notesBelow(r).find("solved as uint16, which is exact: the weights are whole numbers "
                               "times 2^-3; looking took 1.2500 ms\n"));
  r.outcome.narrowing.exponent = 0;
  EXPECT_EQ(std::string::npos, notesBelow(r).find("times")) << "they are whole themselves";
}

TEST(Record, FloatsAreNamedAndReadAsFloats) {
  Record r = sample("apsp", 10, 1, "ref±1.1e-06");
  r.dtype = Dtype::kFloat32;
  EXPECT_EQ("f32", parseCsv("t", csvHeader() + csvRow(r))[0].at("dtype"));
  EXPECT_EQ("ref±1.1e-06", parseCsv("t", csvHeader() + csvRow(r))[0].at("verified"));
  r.verdict.mismatch = {1, 3, 7, 0.1f, HUGE_VALF};
  EXPECT_EQ("kernel apsp: 1 entry differs from ref±1.1e-06; first at (3, 7): expected 0.1, got inf",
            mismatchText(r));
  EXPECT_NE(std::string::npos, sweepTables(parseCsv("t", csvHeader() + csvRow(r)), false)
                                   .find("Test GPU, course seed=1 range=100000 f32\n"));
}

TEST(Record, OfAThrottledOrSharedGpuIsKeptAndFlagged) {
  const struct {
    const char* throttle;
    int others;
    const char *causes, *verdict, *lines;
  } rows[] = {{"", 0, "", "yes", ""},
              {"power-cap+hw-thermal", 0, "throttled", "yes, disturbed",
               "  disturbed: the GPU was throttled (power-cap+hw-thermal); measure again\n"},
              {"", 2, "shared", "yes, disturbed",
               "  disturbed: other processes on the GPU: 2; measure again\n"},
              {"power-cap", 2, "throttled+shared", "yes, disturbed",
               "  disturbed: the GPU was throttled (power-cap); measure again\n"
               "  disturbed: other processes on the GPU: 2; measure again\n"}};
  for (const auto& row : rows) {
    Record r = sample("apsp", 10, 1);
    r.after.throttle = row.throttle;
    r.after.otherUsers = row.others;
    const std::vector<Row> told = parseCsv("t", csvHeader() + csvRow(r));
    EXPECT_EQ(row.throttle, told[0].at("throttle"));
    EXPECT_EQ(std::to_string(row.others), told[0].at("other_users"));
    const std::string number = fmt::format("\"other_users\": {}", row.others);
    EXPECT_NE(std::string::npos, toJson({r}).find(number)) << toJson({r});
    EXPECT_NE(std::string::npos,
              toJson({r}).find(fmt::format("\"throttle\": \"{}\"", row.throttle)));
    const std::string table = forScreen(sweepTables(told, false), false, true);
    EXPECT_NE(std::string::npos, table.find(fmt::format("  {}\n", row.verdict))) << table;
    EXPECT_EQ(row.lines, remarksText(r));
    EXPECT_EQ(row.causes, told[0].at("disturbed"));
    Row old = told[0];
    old["disturbed"] = "";
    EXPECT_EQ(row.causes, disturbanceOf(old)) << "older versions did not write the column";
  }
}

/// A result that other processes disturbed.
Record disturbed(Record r) {
  r.deviceKind = "cpu";
  r.device.units = r.load.cores = 2;
  r.load.others = 1.9;
  return r;
}

TEST(Record, IsMarkedWhereItIsDisturbed) {
  Record r = disturbed(sample("apsp", 200, 55.9));
  EXPECT_NE(std::string::npos,
            forScreen(resultRow(r, 0, kWidths), false, true).find(" ref, disturbed\n"));
  EXPECT_NE(std::string::npos,
            forScreen(resultRow(r, 0, kWidths), true, true).find(", \033[33mdisturbed\033[0m\n"));
  EXPECT_EQ("  disturbed: other processes used 1.9 of 2 cores; measure again\n", remarksText(r));
  const std::vector<Row> rows =
      parseCsv("t", csvHeader() + csvRow(r) + csvRow(sample("ref", 200, 9)));
  EXPECT_EQ("load", rows[0].at("disturbed"));
  EXPECT_EQ("1.90", rows[0].at("load"));
  EXPECT_EQ("", rows[1].at("load")) << "not known";
  EXPECT_NE(std::string::npos, toJson({r}).find("\"disturbed\": \"load\""));
  EXPECT_NE(std::string::npos, toJson({r}).find("\"load\": 1.9,"));
  EXPECT_NE(std::string::npos, toJson({sample("ref", 200, 9)}).find("\"load\": null"));
  EXPECT_EQ(
      "Disturbed, measure again with --again:\n"
      "  n = 200     apsp     course seed=1 range=100000: load\n",
      disturbedList(rows));
  EXPECT_EQ("", disturbedList({rows[1]}));
}

TEST(Record, HoldsEveryCallAndTheirQuartiles) {
  Record r = sample("apsp", 7, 1);
  r.timing = summarise({1, 2, 3, 4, 100});
  const Row row = parseCsv("t", csvHeader() + csvRow(r))[0];
  EXPECT_EQ("2", row.at("q1_ms"));
  EXPECT_EQ("4", row.at("q3_ms"));
  EXPECT_EQ("1", row.at("outliers"));
  EXPECT_NE(std::string::npos, toJson({r}).find("\n  \"times_ms\": [1,2,3,4,100],\n"));
  EXPECT_EQ(0u, remarksText(r).find(
                    "  outliers: 1 of 5 calls; half of the calls took 2.0000 to 4.0000 ms\n"));
}

TEST(Record, FilesWithoutTheNewerColumnsAreStillRead) {
  const TempDir dir;
  const std::string header = csvHeader(), row = csvRow(sample("apsp", 7, 1));
  const std::string added =
      "point,q1_ms,q3_ms,outliers,load,disturbed,sandbox,"
      "method,solved_by,kept,passes,survey_ms,filter_ms,relax_ms,"
      "ranks,grid,wait_ms,message_bytes,rank_compute_ms,rank_wait_ms,"
      "core,streamed,order_ms,eliminate_ms,customise_ms,core_ms,prune_ms,sweep_ms,sources,targets,"
      "potential_passes,shift_ms,times_ms,graphs,expected_ms,expected_dense_ms,"
      "narrow_exponent,narrow_ms,levels,arcs_per_s,pct_of_write_bound,content,order,place_ms\n";
  ASSERT_EQ(header.size() - added.size(), header.find(added)) << "they are at the end";
  const std::string oldHeader = header.substr(0, header.find(",point,")) + "\n";
  std::size_t end = row.size();
  for (auto i = 1 + std::count(added.begin(), added.end(), ','); i > 0; --i)
    end = row.rfind(',', end - 1);
  writeBytes(dir / "old.csv", oldHeader + row.substr(0, end) + "\n");
  const Row old = readRecords(dir / "old.csv").at(0);
  EXPECT_EQ("apsp", old.at("kernel"));
  EXPECT_EQ("", old.at("load"));
  EXPECT_NE(std::string::npos, forScreen(sweepTables({old}, false), false, true).find("  yes\n"));
  EXPECT_EQ(parseCsv("t", header + csvRow(old))[0], old);
}

TEST(Record, SaysWhatTakingMemoryTook) {
  Record r = sample("apsp", 1000, 2);
  r.host.place = 99;
  EXPECT_EQ(std::string::npos, notesBelow(r).find("before the first call"));
  r.host.place = 5900;
  EXPECT_NE(
      std::string::npos,
      notesBelow(r).find("before the first call, 5.90 s to take the memory and place the graph"));
  r.timing.median = 60'000;
  EXPECT_EQ(std::string::npos, notesBelow(r).find("before the first call"));
  EXPECT_EQ("5900", parseCsv("t", csvHeader() + csvRow(r))[0].at("place_ms"));
}

TEST(Record, OfAnEarlierRunIsShownAsKept) {
  Record r = disturbed(sample("apsp", 1000, 2));
  r.peak = 1e12;
  const Row kept = parseCsv("t", csvHeader() + csvRow(r))[0];
  const std::string now = resultRow(r, 20, {0, 9});
  EXPECT_EQ(now.substr(0, now.size() - 1) + ", kept\n", keptRow(kept, 20, {0, 9}));
  EXPECT_EQ("          skipped: already in d/x.csv\n          measured " + kept.at("time") +
                ", disturbed (load); --again measures it anew\n",
            notesBelow(kept, "already in d/x.csv"));
  const Row calm = parseCsv("t", csvHeader() + csvRow(sample("ref", 9, 1)))[0];
  EXPECT_NE(std::string::npos, notesBelow(calm, "").find(calm.at("time") + "; --again"));
}

TEST(Record, LongNamesKeepTheColumnsAligned) {
  const std::string path = "/path/to/student.cu";
  const Widths widths = widthsOf({"ref", path});
  const auto column = [](const std::string& line, const char* word) { return line.find(word); };
  const std::string head = resultHead(widths).substr(resultHead(widths).find('\n') + 1);
  Record r = sample(path, 10, 1);
  for (const std::string& row :
       {resultRow(r, 0, widths), resultRow(sample("ref", 10, 1), 0, widths)})
    EXPECT_EQ(column(head, "verified"), column(forScreen(row, false, true), "ref\n")) << row;
  EXPECT_EQ(6u, widthsOf({"ref", "apsp"}).name);
  const Row row = parseCsv("t", csvHeader() + csvRow(r))[0],
            ref = parseCsv("t", csvHeader() + csvRow(sample("ref", 10, 1)))[0];
  const std::string list = missingList({row, ref});
  const std::size_t first = list.find("course"), second = list.find("course", first + 1);
  EXPECT_EQ(list.find("  n ", list.find('\n', first)) - list.find("  n "), second - first);
}

/// The record with its point.
Record asked(Record record, const std::string& verify = "ref") {
  record.point = pointId(record, verify);
  return record;
}

TEST(ResultStore, APointIsMeasuredOnceUnlessItIsWrongOrBroken) {
  const TempDir dir;
  const Record planned = asked(sample("apsp", 100, 0));
  Record measured = asked(sample("apsp", 100, 3));
  std::string file;
  {
    PendingResult result(dir.path, planned);
    EXPECT_EQ("", result.skipReason());
    EXPECT_NE(std::string::npos, PendingResult(dir.path, planned)
                                     .skipReason()
                                     .find("held by process " + std::to_string(getpid())));
    result.write(measured);
  }
  const std::string skipped = PendingResult(dir.path, planned).skipReason();
  ASSERT_EQ(0u, skipped.rfind("already in ", 0)) << skipped;
  file = skipped.substr(std::strlen("already in "));
  EXPECT_EQ("", PendingResult(dir.path, asked(sample("apsp", 101, 0))).skipReason())
      << "another size is another point";
  for (const Options& options : {Options{Precision::k32}, Options{Precision::kAuto, false},
                                 Options{Precision::kAuto, true, false}}) {
    Record other = planned;
    other.measuring.options = options;
    EXPECT_EQ("", PendingResult(dir.path, asked(other)).skipReason()) << "other options too";
  }
  EXPECT_EQ("", PendingResult(dir.path, asked(sample("ref", 100, 0))).skipReason())
      << "another kernel too";
  Record floats = planned;
  floats.dtype = Dtype::kFloat32;
  EXPECT_EQ("", PendingResult(dir.path, asked(floats)).skipReason()) << "and another type";

  const std::string whole = readBytes(file);
  writeBytes(file, whole.substr(0, whole.size() - 9));
  EXPECT_EQ("", PendingResult(dir.path, planned).skipReason()) << "cut off";
  measured.verdict.mismatch.count = 1;
  PendingResult(dir.path, planned).write(measured);
  EXPECT_EQ("", PendingResult(dir.path, planned).skipReason())
      << "wrong results are measured again";
}

TEST(ResultStore, APlannedPointIsMissingUntilARecordStandsForIt) {
  const TempDir dir;
  const Record planned = asked(sample("apsp", 100, 0));
  EXPECT_EQ(0u, readPlan({dir.path}).size()) << "no plan at all";
  planResult(dir.path, planned);
  planResult(dir.path, planned);
  planResult(dir.path, asked(sample("ref", 100, 0), ""));
  const std::vector<Row> plan = readPlan({dir.path});
  ASSERT_EQ(2u, plan.size()) << "the same point is noted once";
  EXPECT_EQ("ref", plan[0].at("kernel"));
  EXPECT_EQ(0u, readResults({dir.path}).size()) << "a plan is no record";

  const auto missing = [&](const Record& record, const Row& other = {}) {
    Row row = parseCsv("t", csvHeader() + csvRow(record))[0];
    for (const auto& [column, field] : other) row[column] = field;
    return missingResults(plan, {row}).size();
  };
  EXPECT_EQ(2u, missingResults(plan, {}).size());
  const Record measured = sample("apsp", 100, 3);
  EXPECT_EQ(1u, missing(asked(measured)));
  EXPECT_EQ(1u, missing(asked(measured), {{"device_name", "any"}, {"reps", "7"}}));
  EXPECT_EQ(1u, missing(asked(sample("ref", 100, 3), ""))) << "it was not to be verified";
  EXPECT_EQ(2u, missing(asked(measured, ""))) << "but this one was";
  for (const Row& other : {Row{{"revision", "x"}}, Row{{"dirty", "x"}}, Row{{"point", ""}}})
    EXPECT_EQ(2u, missing(asked(measured), other)) << other.begin()->first;

  const Row right = parseCsv("t", csvHeader() + csvRow(asked(measured)))[0];
  EXPECT_TRUE(wrongResults(plan, {right}).empty());
  for (const auto& [column, field] : Row{{"verified", "WRONG"}, {"reps", "0"}}) {
    Row wrong = right;
    wrong[column] = field;
    EXPECT_EQ(1u, missingResults(plan, {wrong}).size()) << "it is wrong, but not missing";
    EXPECT_EQ(std::vector<Row>{wrong}, wrongResults(plan, {wrong}));
    EXPECT_TRUE(wrongResults(plan, {wrong, right}).empty()) << "it was measured again";
    EXPECT_TRUE(wrongResults(plan, {right, wrong}).empty());
  }
}

TEST(ResultStore, WhatIsAskedDecidesWhichPointItIs) {
  const Record planned = sample("apsp", 100, 0);
  const std::function<void(Record&)> changes[] = {
      [](Record& r) { r.input = "ring n=100 seed=1"; },
      [](Record& r) { r.n = 7; },
      [](Record& r) { r.kernel = "ref"; },
      [](Record& r) { r.version = "other content"; },
      [](Record& r) { r.dtype = Dtype::kFloat32; },
      [](Record& r) { r.measuring.options.precision = Precision::k16; },
      [](Record& r) { r.measuring.options.symmetry = false; },
      [](Record& r) { r.measuring.options.skip = false; },
      [](Record& r) { r.measuring.warmup = 0; },
      [](Record& r) { r.measuring.reps = 7; },
      [](Record& r) { r.measuring.vary = true; },
      [](Record& r) { r.seed.reset(); }};  // a file
  std::set<std::string> points = {pointId(planned, "ref"), pointId(planned, "")};
  for (const auto& change : changes) {
    Record other = planned;
    change(other);
    points.insert(pointId(other, "ref"));
  }
  EXPECT_EQ(2 + std::size(changes), points.size());

  Record file = planned, moved = planned, changed = planned;
  file.seed = moved.seed = changed.seed = std::nullopt;
  moved.input = "d/other.el";
  changed.graph.hash = 7;
  EXPECT_EQ(pointId(file, ""), pointId(moved, ""));
  EXPECT_NE(pointId(file, ""), pointId(changed, ""));
}

TEST(ResultStore, RecordsAreSortedByTheirType) {
  const TempDir dir;
  std::string csv = csvHeader();
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kInt64, Dtype::kFloat32, Dtype::kInt32}) {
    Record r = sample("apsp", 7, 1);
    r.dtype = dtype;
    csv += csvRow(r);
  }
  writeBytes(dir / "r.csv", csv);
  std::string order;
  for (const Row& row : readResults({dir / "r.csv"})) order += row.at("dtype") + " ";
  EXPECT_EQ("i32 f32 i64 f64 ", order);
}

TEST(ResultStore, AnyDrawnSeedIsThePoint) {
  Record one = sample("./a.so", 9, 4), other = one, given = one;
  one.input = "necessary n=9 seed=17 range=100000";
  other.input = "necessary n=9 seed=3 range=100000";
  given.input = one.input;
  one.seed = given.seed = 17;
  other.seed = 3;
  one.measuring.vary = one.measuring.drawn = other.measuring.vary = other.measuring.drawn =
      given.measuring.vary = true;
  EXPECT_EQ(pointId(one, "ref"), pointId(other, "ref"));
  EXPECT_NE(pointId(one, "ref"), pointId(given, "ref"));
}

TEST(ResultStore, ANoteOfAnotherBuildGivesWay) {
  const TempDir dir;
  planResult(dir.path, asked(sample("apsp", 100, 0)));
  const auto note = std::filesystem::directory_iterator(dir.path + "/.plan")->path().string();
  Row old = readPlan({dir.path})[0];
  old["revision"] = "an older one";
  writeBytes(note, csvHeader() + csvRow(old));
  EXPECT_EQ("an older one", readPlan({dir.path})[0].at("revision"));
  planResult(dir.path, asked(sample("apsp", 100, 0)));
  ASSERT_EQ(1u, readPlan({dir.path}).size());
  EXPECT_EQ(gitRevision(), readPlan({dir.path})[0].at("revision"));
}

TEST(Report, ATimeForPeopleHasThreeDigits) {
  for (const auto& [ms, text] : std::vector<std::pair<double, std::string>>{{0.0512, "0.0512 ms"},
                                                                            {0.512, "0.512 ms"},
                                                                            {9.996, "10.0 ms"},
                                                                            {11.3, "11.3 ms"},
                                                                            {99.96, "100 ms"},
                                                                            {280, "280 ms"},
                                                                            {999.6, "1.00 s"},
                                                                            {68246, "68.2 s"},
                                                                            {999600, "1000 s"},
                                                                            {1250000, "1250 s"}})
    EXPECT_EQ(text, roundedTime(ms));
}

TEST(Report, TheTableHasARowASizeAndSpeedupsOverRef) {
  const std::string csv = csvHeader() + csvRow(sample("apsp", 2000, 4)) +
                          csvRow(sample("ref", 2000, 100)) + csvRow(sample("apsp", 1000, 2, ""));
  EXPECT_EQ(
      "Test GPU, course seed=1 range=100000\n"
      "   n   ref ms  apsp ms  speedup  verified\n"
      "1000        -    2.000        -        no\n"
      "2000  100.000    4.000    25.00       yes\n",
      forScreen(sweepTables(parseCsv("t", csv), false), false, true));
  EXPECT_NE(std::string::npos, sweepTables(parseCsv("t", csv), true)
                                   .find("\n| 2000 | 100.000 |   4.000 |   25.00 |      yes |\n"));
}

TEST(Report, AResultWithoutATimeIsNotVerifiedThereby) {
  const std::string csv = csvHeader() + csvRow(sample("./a.so", 9, 0, "")) +
                          csvRow(sample("./a.so", 8, 0)) + csvRow(sample("./b.so", 8, 2));
  EXPECT_EQ(
      "Test GPU, course seed=1 range=100000\n"
      "n  ./a.so ms  speedup  ./b.so ms  speedup  verified\n"
      "8          -        -      2.000        -       yes\n"
      "9          -        -          -        -        no\n",
      forScreen(sweepTables(parseCsv("t", csv), false), false, true));
}

/// A result of a submission that got another graph in each call. Its seed was drawn.
Record drawn(const std::string& kernel, int n, double ms, const std::string& seed) {
  Record r = sample(kernel, n, ms);
  r.input = "necessary n=" + std::to_string(n) + " seed=" + seed + " range=100000";
  r.seed = std::stoull(seed);
  r.graph.hash = std::hash<std::string>()(kernel + seed);  // of the last call
  r.version = kernel == "ref" ? "" : "content";
  r.measuring.vary = r.measuring.drawn = true;
  return r;
}

TEST(Report, DrawnSeedsAreOneTable) {
  const std::string csv = csvHeader() + csvRow(drawn("./a.so", 9, 4, "17")) +
                          csvRow(drawn("ref", 9, 100, "5")) + csvRow(drawn("ref", 8, 50, "3"));
  EXPECT_EQ(
      "Test GPU, necessary range=100000\n"
      "n   ref ms  ./a.so content ms  speedup  verified\n"
      "8   50.000                  -        -       yes\n"
      "9  100.000              4.000    25.00       yes\n",
      forScreen(sweepTables(parseCsv("t", csv), false), false, true));
}

TEST(Report, APublicGraphIsMarked) {
  Record one = drawn("./a.so", 9, 4, "17");
  one.measuring.vary = one.measuring.drawn = false;
  const auto row = [](const Record& r) { return parseCsv("t", csvHeader() + csvRow(r))[0]; };
  EXPECT_EQ("public", row(one).at("graphs"));
  EXPECT_EQ("same", row(sample("apsp", 9, 4)).at("graphs"));
  EXPECT_EQ("drawn", row(drawn("apsp", 9, 4, "17")).at("graphs"));
  EXPECT_NE(std::string::npos, verdictText(one).find("public graph"));
  EXPECT_NE(std::string::npos, keptRow(row(one), 0, kWidths).find("public graph"));
  EXPECT_NE(std::string::npos, sweepTables({row(one)}, true).find("yes, public graph"));
  EXPECT_NE(std::string::npos, remarksText(one).find("  public graph: a submission can know it"));
  one.verdict.mismatch.count = 1;  // then it does not matter
  EXPECT_EQ(std::string::npos, verdictText(one).find("public"));
}

TEST(Report, OptionsMakeAnotherSolverButOfRef) {
  Record ref = sample("ref", 1000, 8), bits = sample("apsp", 1000, 4),
         all = sample("apsp", 1000, 2);
  ref.measuring.options.precision = bits.measuring.options.precision = Precision::k32;
  all.measuring.options = {Precision::kAuto, false, false};
  const std::string table =
      sweepTables(parseCsv("t", csvHeader() + csvRow(ref) + csvRow(bits) + csvRow(all)), false);
  EXPECT_NE(std::string::npos, table.find("n  ref ms  apsp --precision 32 ms  speedup  "
                                          "apsp --no-symmetry --no-skip ms  speedup  verified"))
      << table;
}

TEST(Report, NumbersReadWell) {
  EXPECT_EQ("1,234,567", withCommas(1234567));
  EXPECT_EQ("999", withCommas(999));
  EXPECT_EQ("0 edges", counted(0, "edge"));
  EXPECT_EQ("1 edge", counted(1, "edge"));
  EXPECT_EQ("1,234,567 vertices", counted(1234567, "vertex", "vertices"));
  EXPECT_EQ("1 pair is", counted(1, "pair is", "pairs are"));
  EXPECT_EQ("12.5 T", withPrefix(12.5e12));
  EXPECT_EQ("1.00 G", withPrefix(999.9e6));
  EXPECT_EQ("0.00", withPrefix(0));
}

TEST(Remarks, StandOnceForAllRowsWithTheFiguresOfTheWorst) {
  const auto outliers = [](double share) {
    return std::vector<Remark>{{"outliers", share, fmt::format("outliers: {}", share)}};
  };
  const Remark loud = {"printed", 5, "it printed 5 bytes"};
  Remarks remarks;
  remarks.add("ref", 5, outliers(1));
  remarks.add("apsp", 5, outliers(3));
  remarks.add("apsp", 10, outliers(2));
  EXPECT_EQ("  outliers: 3\n    in all rows; the figures are those of apsp (n = 5)\n",
            remarks.take(true));
  EXPECT_EQ("", remarks.take(true)) << "they were taken";
  remarks.add("ref", 5, {loud});
  remarks.add("apsp", 5, {loud});
  remarks.add("mine.so", 5, {});
  EXPECT_EQ("  it printed 5 bytes\n    in ref, apsp\n", remarks.take(false));
  remarks.add("ref", 5, {loud});
  remarks.add("apsp", 5, {});
  remarks.add("ref", 10, {loud});
  EXPECT_EQ("  it printed 5 bytes\n    in ref (n = 5, 10)\n", remarks.take(true));
  EXPECT_EQ("  nothing to time: the graph has no vertices\n", remarksText(sample("apsp", 0, 1)));
}

TEST(Report, ACommandShowsAWrongResult) {
  const auto command = [](const char* input, const char* seed, const Row& other = {}) {
    Record r = sample("./my solver.so", 5, 1);
    r.input = input;
    if (*seed != 0)
      r.seed = std::stoull(seed);
    else
      r.seed.reset();
    r.deviceKind = "cpu";
    Row row = parseCsv("t", csvHeader() + csvRow(r))[0];
    for (const auto& [column, field] : other) row[column] = field;
    const std::string all = commandFor(row), program = programAsTyped() + " ";
    EXPECT_EQ(0u, all.find(program));
    return all.substr(program.size());
  };
  const std::string kernel = " --device cpu --kernel './my solver.so'";
  EXPECT_EQ("--n 5 --seed 1 --family course" + kernel + " --verify",
            command("course n=5 seed=1 range=100000", "1"));
  EXPECT_EQ("--n 5 --seed 7 --family course --vary --warmup 1 --reps 5" + kernel + " --verify",
            command("course n=5 seed=7 range=100000", "7", {{"graphs", "drawn"}}));
  EXPECT_EQ("--n 5 --device cpu --kernel apsp --verify",
            command("course n=5 seed=1 range=100000", "1", {{"kernel", "apsp"}}));
  EXPECT_EQ("--n 5 --seed 2 --range 9 --degree 8 --undirected --family sparse --dtype f32" +
                kernel + " --verify",
            command("sparse n=5 seed=2 range=9 degree=8 undirected", "2", {{"dtype", "f32"}}));
  EXPECT_EQ("g.el --dtype i64" + kernel + " --verify", command("g.el", "", {{"dtype", "i64"}}));
  EXPECT_EQ("g.el --dtype f64" + kernel + " --precision 64 --verify",
            command("g.el", "", {{"dtype", "f64"}, {"precision", "64"}}));
  EXPECT_EQ("g.el --dtype '$(x)'" + kernel + " --verify", command("g.el", "", {{"dtype", "$(x)"}}));
  EXPECT_EQ("'a b.el' --compact --undirected" + kernel +
                " --precision 32 --no-symmetry --no-skip --verify",
            command("a b.el undirected compact", "",
                    {{"precision", "32"}, {"symmetry", "no"}, {"skip", "no"}}));
  EXPECT_EQ("g.el --negative --labels" + kernel + " --verify", command("g.el labels negative", ""));
  EXPECT_EQ("--n 5 --seed 1 --negative --family planted" + kernel + " --verify",
            command("planted n=5 seed=1 range=100000 negative", "1"));
}

TEST(Environment, ThrottleReasonsAreNamed) {
  EXPECT_EQ("", throttleReasons(0));
  EXPECT_EQ("", throttleReasons(0x1 | 0x2)) << "idle or set by a user";
  EXPECT_EQ("power-cap+hw-thermal", throttleReasons(0x4 | 0x40));
}

/// The CPU, on which so many other processes compute.
class SharedDevice : public LikeTheCpu {
 public:
  explicit SharedDevice(int others) : others_(others) {}
  Clocks clocks() const override {
    Clocks now = cpuDevice.clocks();
    now.otherUsers = others_;
    return now;
  }

 private:
  const int others_;
};

TEST(Environment, OtherUsersAreNoneOfUs) {
  EXPECT_EQ(0, clocksOf(SharedDevice(0)).otherUsers);
  EXPECT_EQ(2, clocksOf(SharedDevice(2)).otherUsers);
  const Process ours({"/bin/sleep", "60"});
  EXPECT_EQ(0, clocksOf(SharedDevice(1)).otherUsers) << "a submission's process is ours";
  EXPECT_EQ(0, clocksOf(SharedDevice(0)).otherUsers) << "which has not come to the GPU yet";
  EXPECT_EQ(2, clocksOf(SharedDevice(3)).otherUsers);
}

TEST(Environment, MemoryOfOthersIsNoLeak) {
  SubmissionLimits alone, beside;
  beside.alone = false;
  Clocks unknown, one, two;
  one.seesUsers = two.seesUsers = true;
  two.otherUsers = 1;
  EXPECT_TRUE(isAlone(unknown, alone));
  EXPECT_FALSE(isAlone(unknown, beside)) << "without NVML, or in a container";
  EXPECT_TRUE(isAlone(one, beside));
  EXPECT_FALSE(isAlone(two, alone));
  one.mps = true;
  EXPECT_FALSE(isAlone(one, beside)) << "MPS hides the others";
}

TEST(Environment, SlurmJobsAreNamedByArrayAndTask) {
  unsetenv("SLURM_ARRAY_JOB_ID");
  setenv("SLURM_JOB_ID", "17", 1);
  EXPECT_EQ("17", slurmJob());
  setenv("SLURM_ARRAY_JOB_ID", "12", 1);
  setenv("SLURM_ARRAY_TASK_ID", "3", 1);
  EXPECT_EQ("12_3", slurmJob());
  for (const char* name : {"SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"})
    unsetenv(name);
  EXPECT_EQ("", slurmJob());
}

}  // namespace
