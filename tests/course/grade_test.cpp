// apsp grade: hand-ins and their copies, rows, points and ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>

#include "files.h"
#include "grade/document.h"
#include "grade/examine.h"
#include "grade/hand_ins.h"
#include "grade/phase.h"
#include "grade/rows.h"
#include "grade/rubric.h"
#include "grade/store.h"
#include "grade/table.h"
#include "system/screen.h"
#include "system/sha256.h"

namespace {

namespace fs = std::filesystem;

std::string errorOf(const std::function<void()>& work, ErrorCode code) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(code, error.code);
    return error.what();
  }
  return "no error";
}

void put(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

// ---- hand-ins -----------------------------------------------------------------------------------

class HandIns : public testing::Test {
 protected:
  std::map<std::string, HandIn> find(DeviceKind device) const {
    std::map<std::string, HandIn> found;
    for (const HandIn& each : findHandIns(folder(), device)) found[each.name] = each;
    return found;
  }
  std::string folder() const { return (private_.path() / "in").string(); }
  fs::path at(const std::string& name) const { return private_.path() / "in" / name; }

  const PrivateFolder private_;
};

TEST_F(HandIns, EverythingInTheFolderIsFound) {
  for (const char* name : {"a.cu", "b.so", "c/apsp.cu", "d/apsp.so", "e/kernel.cu", "e/x.h",
                           "f.cpp", "g.cuh", "README", "h.zip", "both/apsp.cu", "both/apsp.so",
                           "i/apsp.c", "i/apsp.so", "j/only.tar.gz", "k.7z", "l.c", "f.so", "a.so"})
    put(at(name), "x");
  fs::create_directories(at("empty"));
  fs::create_symlink("/dev/zero", at("link.so"));
  ASSERT_EQ(0, mkfifo(at("pipe.cu").c_str(), 0600));
  const auto gpu = find(DeviceKind::kGpu), cpu = find(DeviceKind::kCpu);
  const std::map<std::string, std::pair<const char*, const char*>> wanted = {
      {"a.cu", {"", "GPU only"}},
      {"b.so", {"", ""}},
      {"c", {"", "GPU only"}},
      {"d", {"", ""}},
      {"e", {"holds kernel.cu, …", "holds kernel.cu, …"}},
      {"f.cpp", {"C++ source runs on a CPU only", ""}},
      {"f.so", {"", nullptr}},  // beside its source
      {"a.so", {nullptr, ""}},
      {"i", {"", ""}},
      {"j", {"", ""}},
      {"k.7z", {"unpack it", "unpack it"}},
      {"l.c", {"C source runs on a CPU only", ""}},
      {"g.cuh", {"a header", "a header"}},
      {"README", {"neither .cu nor .so", "neither .cpp, .c nor .so"}},
      {"h.zip", {"", ""}},
      {"both", {"", ""}},
      {"empty", {"an empty folder", "an empty folder"}},
      {"link.so", {"symbolic link", "symbolic link"}},
      {"pipe.cu", {"a pipe", "a pipe"}},
  };
  ASSERT_EQ(wanted.size() - 1, gpu.size());
  ASSERT_EQ(wanted.size() - 1, cpu.size());
  for (const auto& [name, reasons] : wanted) {
    for (const auto& [all, reason] :
         {std::pair(&gpu, reasons.first), std::pair(&cpu, reasons.second)}) {
      if (reason == nullptr) {
        EXPECT_EQ(0u, all->count(name)) << name;
        continue;
      }
      const HandIn& found = all->at(name);
      EXPECT_EQ(*reason == '\0', found.leftOut.empty()) << name << ": " << found.leftOut;
      EXPECT_NE(std::string::npos, found.leftOut.find(reason)) << name << ": " << found.leftOut;
    }
  }
  EXPECT_EQ(at("both/apsp.cu"), gpu.at("both").path);
  EXPECT_EQ(at("both/apsp.so"), cpu.at("both").path);
  EXPECT_EQ(at("i/apsp.c"), cpu.at("i").path);
  EXPECT_EQ(at("j/only.tar.gz"), cpu.at("j").path);
  EXPECT_TRUE(cpu.at("j").packed && cpu.at("h.zip").packed);
}

TEST_F(HandIns, ACopyHoldsTheFolderOrTheHeadersThatAFileNames) {
  put(at("ann/apsp.cu"), "ours");
  put(at("ann/src/tile.cuh"), "tile");
  put(at("bob.cu"), "#include \"bob.h\"\n#include \"apsp.h\"");
  put(at("bob.h"), "#include \"deep.cuh\"");
  for (const char* name : {"deep.cuh", "apsp.h", "other.h", "carl.cu"}) put(at(name), name);
  const auto found = find(DeviceKind::kGpu);
  const Files ann = readHandIn(found.at("ann")), bob = readHandIn(found.at("bob.cu"));
  EXPECT_EQ((Files{{"apsp.cu", "ours"}, {"src/tile.cuh", "tile"}}), ann);
  EXPECT_EQ(3u, bob.size());
  EXPECT_TRUE(bob.count("apsp.cu") == 1 && bob.count("bob.h") == 1 && bob.count("deep.cuh") == 1);

  fs::path folder;
  {
    const auto copy = copyOf(found.at("ann"), ann, private_.path());
    folder = copy->parent_path();
    struct stat status {};
    ASSERT_EQ(0, stat(folder.c_str(), &status));
    EXPECT_EQ(0700u, status.st_mode & 0777);
    EXPECT_EQ(4u, fs::file_size(folder / "src/tile.cuh"));
    EXPECT_EQ("apsp.cu", copy->filename());
  }
  EXPECT_FALSE(fs::exists(folder));
}

/// nvcc takes cuda_runtime.h from the folder of the source, if there is one, also if no source
/// includes it by that path.
TEST_F(HandIns, HeadersOfTheCompilerDoNotComeFromARival) {
  put(at("bob.cu"), "#include \"stdio.h\"\n#include <math.h>\n#include \"bob.h\"\n");
  for (const char* name : {"stdio.h", "math.h", "bob.h"}) put(at(name), "#error\n");
  const Files bob = readHandIn(find(DeviceKind::kGpu).at("bob.cu"));
  EXPECT_EQ(2u, bob.size());
  EXPECT_EQ(1u, bob.count("bob.h"));
}

/// Each header is searched once. Searching all of them again for each one that is found took
/// minutes.
TEST_F(HandIns, HeadersThatNameEachOtherAreReadInSeconds) {
  constexpr int kHeaders = 600;
  const auto header = [](int i) { return "part" + std::to_string(1000 + i) + ".cuh"; };
  for (int i = 0; i < kHeaders; ++i)
    put(at(header(i)), std::string(5000, '.') + "#include \"" + header(i - 1) + "\"\n");
  put(at("bob.cu"), "#include \"" + header(kHeaders - 1) + "\"\n");
  const HandIn bob = find(DeviceKind::kGpu).at("bob.cu");
  EXPECT_EQ(kHeaders + 1u, readHandIn(bob).size());
}

TEST_F(HandIns, LinksPipesAndTooMuchAreRefused) {
  const auto refusal = [&](const char* name) {
    return errorOf([&] { readHandIn({name, at(name) / "apsp.cu", "", true}); }, ErrorCode::kInput);
  };
  for (const char* name : {"link", "pipe", "large", "many", "deep"}) put(at(name) / "apsp.cu", "x");
  fs::create_symlink("/etc/passwd", at("link/secret.h"));
  ASSERT_EQ(0, mkfifo(at("pipe/p").c_str(), 0600));
  fs::resize_file(at("large/apsp.cu"), kMostBytes + 1);
  for (std::size_t i = 0; i < kMostFiles; ++i) put(at("many") / std::to_string(i), "");
  fs::path deep = at("deep");
  for (int i = 0; i < 20; ++i) deep /= "d";
  put(deep / "x", "");
  EXPECT_NE(std::string::npos, refusal("link").find("link/secret.h: a symbolic link"));
  EXPECT_NE(std::string::npos, refusal("pipe").find("pipe/p: not a regular file"));
  EXPECT_NE(std::string::npos, refusal("large").find("larger than 67.1 MB"));
  EXPECT_NE(std::string::npos, refusal("many").find("more than 1000 files"));
  EXPECT_NE(std::string::npos, refusal("deep").find("too deep"));
}

TEST_F(HandIns, TheDigestIsThatOfSha256sum) {
  EXPECT_EQ(sha256("abc"), digestOf({{"apsp.cu", "abc"}}, false));
  EXPECT_EQ(sha256(sha256("abc") + "  apsp.so\n"), digestOf({{"apsp.so", "abc"}}, true));
  EXPECT_EQ(sha256(sha256("abc") + "  apsp.cu\n" + sha256("") + "  b/c.h\n"),
            digestOf({{"b/c.h", ""}, {"apsp.cu", "abc"}}, true));
}

/// Only the same files may share a grade. A digest is made of lines, which a file can hold.
TEST_F(HandIns, AFileThatHoldsTheLinesOfADigestIsNoTwin) {
  const Files folder = {{"apsp.cu", "fast"}, {"tile.h", "x"}};
  const Files forged = {{"apsp.cu", sha256("fast") + "  apsp.cu\n" + sha256("x") + "  tile.h\n"}};
  EXPECT_EQ(digestOf(folder, true), digestOf(forged, false));
  EXPECT_NE(identityOf(folder), identityOf(forged));
  EXPECT_NE(identityOf({{"a", "bc"}}), identityOf({{"ab", "c"}}));
  EXPECT_NE(identityOf({{"apsp.cu", "x"}}), identityOf({{"apsp.so", "x"}}));
  EXPECT_EQ(identityOf(folder), identityOf({{"tile.h", "x"}, {"apsp.cu", "fast"}}));
}

TEST(SharedResults, NameTheHandInThatGetsThem) {
  HandIn from, to;
  from.path = "in/a.cu";
  to.path = "in/more/aa.cu";
  EXPECT_EQ("aa.cu(3): error; in/more/aa.cu: call 1 crashed; b.cu",
            renamed("a.cu(3): error; in/a.cu: call 1 crashed; b.cu", from, to));
  EXPECT_EQ("a.cu(3): in/a.cu", renamed("aa.cu(3): in/more/aa.cu", to, from));
  from.path = "in/a";  // a folder: the letter is in every word
  EXPECT_EQ("in/more/aa.cu: a fault", renamed("in/a: a fault", from, to));
}

// ---- rubrics ------------------------------------------------------------------------------------

Rubric rubricOf(const std::string& text, const std::vector<int>& sizes = {100, 200}) {
  const PrivateFolder folder;
  put(folder.path() / "r.json", text);
  return readRubric((folder.path() / "r.json").string(), sizes);
}

TEST(Rubric, ErrorsNameTheFileTheKeyAndWhatIsExpected) {
  const struct {
    const char *text, *message;
  } rows[] = {
      {"{\n\"pass\": 1,\n}", "r.json:3: not JSON here"},
      {"[]", "r.json: expected an object with pass, families or speed, found []"},
      {R"({"famlies": {}})", "r.json: famlies: unknown key: did you mean 'families'?"},
      {R"({"pass": "ten"})", "pass: expected points, a number ≥ 0, found \"ten\""},
      {R"({"pass": -1})", "pass: expected points, a number ≥ 0, found -1"},
      {R"({"families": {"rong": 1}})", "families.rong: no such family: did you mean 'ring'?"},
      {R"({"families": {"sparse": 1}})", "families.sparse: no such family"},
      {R"({"families": {"each": null}})", "families.each: expected points"},
      {R"({"families": 3})", "families: expected an object, found 3"},
      {R"({"speed": {"300": [[1, 1]]}})", "speed.300: this size is not timed: add it to --sizes"},
      {R"({"speed": {"100": []}})", "speed.100: expected steps [[speedup, points], ...], found []"},
      {R"({"speed": {"100": [[1, 1], 2]}})",
       "speed.100[1]: expected [speedup, points], two numbers"},
      {R"({"speed": {"100": [[1, 1]], "200": [[1, 1]], "each": 3}})", "speed.each: expected steps"},
      {R"({"speed": {"each": [[2, 1], [1, 2]]}})", "speed.each[1]: expected a greater speedup"},
      {R"({"speed": {"each": [[1, 2], [2, 1]]}})", "speed.each[1]: expected a greater speedup"},
  };
  for (const auto& row : rows) {
    const std::string said = errorOf([&] { rubricOf(row.text); }, ErrorCode::kInput);
    EXPECT_NE(std::string::npos, said.find(row.message)) << row.text << "\n" << said;
  }
  EXPECT_EQ("nowhere.json: cannot be read",
            errorOf([] { readRubric("nowhere.json", {}); }, ErrorCode::kInput));
}

TEST(Rubric, TheExamplesFitTheSizesThatAreTimed) {
  EXPECT_EQ(3u, readRubric("data/rubric_cpu.json", {200, 500, 1000}).speed.size());
  EXPECT_EQ(2u, readRubric("data/rubric.json", {1000, 10000}).speed.size());
}

/// A contract has families of its own.
TEST(Rubric, MayNameTheFamiliesOfTheContract) {
  const PrivateFolder folder;
  put(folder.path() / "r.json", R"({"families": {"sparse": 2}})");
  CheckOptions general;
  general.general = true;
  EXPECT_EQ(1u, readRubric((folder.path() / "r.json").string(), {100}, general).families.size());
}

SizeTimes timesOf(int n, double median, double naive) {
  SizeTimes times;
  times.n = n;
  times.timing = summarise({median, median, median});
  times.naive = naive;
  return times;
}

/// A submission whose check has these families, and that is timed if all of them are right.
Grade gradeOf(const std::string& name, const std::map<std::string, std::string>& families,
              const std::vector<SizeTimes>& times = {}) {
  Grade grade;
  grade.handIn = {name, "in/" + name, ""};
  grade.digest = "0123";
  const bool passes = !times.empty();
  grade.check = CheckResult{passes ? kPass : "wrong",
                            passes ? "" : "3 of 9 results are wrong",
                            {},
                            {},
                            {{"families", families}},
                            {}};
  if (passes) {
    grade.times.emplace();
    grade.times->sizes = times;
  }
  return grade;
}

TEST(Rubric, PointsAreThoseOfTheStepsReached) {
  const Rubric rubric = rubricOf(R"({"title": "T", "pass": 10, "families": {"ring": 3, "each": 1},
      "speed": {"each": [[1, 1], [4, 2.5]], "200": [[2, 4], [8, 6]]}})");
  const std::size_t families = rubric.families.size();
  EXPECT_LE(14u, families);
  EXPECT_EQ(10 + 3 + static_cast<double>(families - 1) + 2.5 + 6, most(linesOf(rubric)));

  const auto points = [&](const Grade& grade) {
    std::map<std::string, double> found;
    for (const PointsLine& line : pointsOf(rubric, grade)) found[line.line] = line.points;
    return found;
  };
  auto right = points(
      gradeOf("a", {{"ring", ".."}, {"zero", ". "}}, {timesOf(100, 10, 40), timesOf(200, 10, 79)}));
  EXPECT_EQ(10, right["pass"]);
  EXPECT_EQ(3, right["family ring"]);
  EXPECT_EQ(1, right["family zero"]);  // no graph of the second size
  EXPECT_EQ(2.5, right["speed n=100"]);
  EXPECT_EQ(4, right["speed n=200"]);
  EXPECT_EQ(0, right["family tail"]);  // not checked

  auto slow = points(gradeOf("a", {}, {timesOf(100, 10, 9), timesOf(200, 10, 10)}));
  EXPECT_EQ(0, slow["speed n=100"]);
  EXPECT_EQ(0, slow["speed n=200"]);

  auto wrong = points(gradeOf("a", {{"ring", ".x"}, {"zero", ".-"}, {"tail", ".."}}));
  EXPECT_EQ(0, wrong["pass"]);
  EXPECT_EQ(0, wrong["family ring"]);
  EXPECT_EQ(0, wrong["family zero"]);  // one was left out
  EXPECT_EQ(1, wrong["family tail"]);
  EXPECT_EQ(0, wrong["speed n=100"]);

  Grade refused = gradeOf("a", {}, {timesOf(100, 10, 90), timesOf(200, 10, 90)});
  refused.times->sizes[1].doubt = "faster than light";
  EXPECT_EQ(0, points(refused)["pass"]);
  EXPECT_EQ(2.5, points(refused)["speed n=100"]);
  EXPECT_EQ(0, points(refused)["speed n=200"]);
}

TEST(Rubric, EachLineSaysWhy) {
  const Rubric rubric =
      rubricOf(R"({"pass": 1, "families": {"ring": 1}, "speed": {"100": [[2, 1], [8, 3]]}})");
  const auto lines = pointsOf(rubric, gradeOf("a", {{"ring", "..x-"}}, {timesOf(100, 10, 25)}));
  ASSERT_EQ(3u, lines.size());
  EXPECT_EQ("every result is right", lines[0].why);
  EXPECT_EQ("right at 2 of 4 sizes, 1 left out", lines[1].why);
  EXPECT_EQ("2.5 times as fast as ref; 8 times gives 3", lines[2].why);

  const Rubric few =
      rubricOf(R"({"families": {"ring": 1, "zero": 1}, "speed": {"100": [[1, 1]]}})");
  const auto ones =
      pointsOf(few, gradeOf("a", {{"ring", "."}, {"zero", "x"}}, {timesOf(100, 10, 5)}));
  EXPECT_EQ("right at its only size", ones[0].why);
  EXPECT_EQ("right at 0 of 1 size", ones[1].why);
  EXPECT_EQ("0.5 times as fast as ref; as fast as ref gives 1", ones[2].why);
}

// ---- ranks, rows and tables ---------------------------------------------------------------------

Graded gradedOf(std::vector<Grade> grades) {
  Graded graded;
  graded.options.sizes = {100, 200};
  graded.device.name = "a device";
  graded.grades = std::move(grades);
  rank(graded.grades);
  return graded;
}

TEST(GradeRanks, TheLargestSizeDecidesAndDoubtsHaveNone) {
  Grade out;
  out.handIn = {"README", "in/README", "not a .so"};
  Grade doubted = gradeOf("doubted", {}, {timesOf(100, 1, 9), timesOf(200, 1, 9)});
  doubted.times->sizes[0].doubt = "faster than light";
  Grade late = gradeOf("late", {}, {timesOf(100, 1, 9)});
  late.times->verdict = "crashed";
  late.times->reason = "call 3: crashed";
  const Graded graded = gradedOf({out, gradeOf("a-wrong", {}), late, doubted,
                                  gradeOf("slow", {}, {timesOf(100, 1, 9), timesOf(200, 3, 9)}),
                                  gradeOf("fast", {}, {timesOf(100, 2, 9), timesOf(200, 2, 9)})});
  std::string order;
  for (const Grade& grade : graded.grades)
    order += fmt::format("{}{} {}; ", grade.rank, grade.handIn.name, grade.verdict());
  EXPECT_EQ(
      "1fast pass; 2slow pass; 0a-wrong wrong; 0doubted time refused; 0late crashed; "
      "0README left out; ",
      order);
}

TEST(GradeRanks, EqualTimesShareARank) {
  std::vector<Grade> grades;
  for (const auto& [name, ms] : std::vector<std::pair<const char*, double>>{
           {"a", 2}, {"b", 1}, {"c", 2}, {"d", 3}, {"e", 1}})
    grades.push_back(gradeOf(name, {}, {timesOf(100, 1, 9), timesOf(200, ms, 9)}));
  std::string order;
  for (const Grade& grade : gradedOf(grades).grades)
    order += fmt::format("{}{} ", grade.rank, grade.handIn.name);
  EXPECT_EQ("1b 1e 3a 3c 5d ", order);
}

/// Whose quartiles overlap is not known to be faster. A chain of overlaps is no reason to share.
TEST(GradeRanks, TimesThatOverlapShareARank) {
  std::vector<Grade> grades;
  for (const auto& [name, q1, median, q3] :
       std::vector<std::tuple<const char*, double, double, double>>{{"a", 10, 11, 12},
                                                                    {"b", 11.5, 13, 14},
                                                                    {"c", 13, 15, 16},
                                                                    {"d", 15.5, 17, 17},
                                                                    {"e", 18, 19, 30},
                                                                    {"f", 18.5, 20, 21},
                                                                    {"g", 22, 23, 24}}) {
    SizeTimes largest = timesOf(200, median, 90);
    largest.timing.q1 = q1;
    largest.timing.q3 = q3;
    grades.push_back(gradeOf(name, {}, {timesOf(100, 1, 9), largest}));
  }
  std::string order;
  for (const Grade& grade : gradedOf(grades).grades)
    order += fmt::format("{}{} ", grade.rank, grade.handIn.name);
  EXPECT_EQ("1a 1b 3c 3d 5e 5f 7g ", order) << "f and g do not overlap, though e overlaps both";
}

TEST(GradeRows, FormulasControlsAndCommasDoNoHarm) {
  std::vector<Grade> grades;
  for (const char* name : {"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\ta", "a;=1+1.cu",
                           "a,\"b\"\n.so", "a\u202eb"})
    grades.push_back(gradeOf(name, {}));
  const Graded graded = gradedOf(grades);
  std::set<std::string> names;
  for (const Row& row : rowsOf(graded).grades) names.insert(row.at("name"));
  EXPECT_EQ((std::set<std::string>{"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "?a", "a;=1+1.cu",
                                   "a,\"b\"?.so", "a?b"}),
            names);
  for (const std::string& csv : {gradesCsv(graded), sizesCsv(graded)})
    for (const char* cell : {",'=cmd|", ",'+1,", ",'-1,", ",'@SUM", ",a;'=1+1"})
      EXPECT_EQ(csv == gradesCsv(graded), csv.find(cell) != std::string::npos) << cell;
}

TEST(GradeRows, AreReadBackAndOthersRefused) {
  Graded graded = gradedOf({gradeOf("a", {}, {timesOf(100, 1, 2), timesOf(200, 4, 8)})});
  graded.references = {{"ref", {timesOf(100, 2, 2), timesOf(200, 8, 8)}}};
  const PrivateFolder folder;
  const std::string csv = (folder.path() / "g.csv").string(), sizes = sizesFile(csv);
  EXPECT_EQ(folder.path() / "g.sizes.csv", sizes);
  EXPECT_EQ("g.sizes.csv", sizesFile("g"));
  EXPECT_FALSE(isGrades(csv));
  put(csv, gradesCsv(graded));
  put(sizes, sizesCsv(graded));
  EXPECT_TRUE(isGrades(csv));
  const GradeRows rows = readGrades(csv);
  EXPECT_EQ(rowsOf(graded).grades, rows.grades);
  ASSERT_EQ(4u, rows.sizes.size());
  EXPECT_EQ("2", rows.grades[0].at("speedup"));
  requireOurs(csv);

  put(csv, "time,name,hash,build,depth,sizes\n");
  EXPECT_TRUE(isGrades(csv));
  EXPECT_EQ(csv + ": grades of an earlier version: grade the folder again",
            errorOf([&] { readGrades(csv); }, ErrorCode::kInput));
  EXPECT_NE(
      std::string::npos,
      errorOf([&] { requireOurs(csv); }, ErrorCode::kOutput).find("begins with another header"));
  put(csv, gradesCsv(graded));
  put(sizes, "mine\n");
  EXPECT_NE(
      std::string::npos,
      errorOf([&] { requireOurs(csv); }, ErrorCode::kOutput).find("g.sizes.csv: begins with"));
}

TEST(GradeRows, ThoseOfAnEarlierVersionAreRead) {
  Graded graded = gradedOf({gradeOf("a", {}, {timesOf(100, 1, 2), timesOf(200, 4, 8)})});
  const PrivateFolder folder;
  const std::string csv = (folder.path() / "g.csv").string();
  std::istringstream lines(sizesCsv(graded));
  std::string old;
  for (std::string line; std::getline(lines, line);) {
    for (int i = 0; i < 3; ++i) line.resize(line.rfind(','));
    old += line + "\n";
  }
  EXPECT_EQ(std::string::npos, old.find("family"));
  put(csv, gradesCsv(graded));
  put(sizesFile(csv), old);
  requireOurs(csv);
  const GradeRows rows = readGrades(csv);
  ASSERT_EQ(2u, rows.sizes.size());
  EXPECT_EQ("", rows.sizes[0].at("command"));
  EXPECT_EQ("1", rows.sizes[0].at("median_ms"));
  EXPECT_NE("", gradeTable(rows));
}

TEST(GradeRows, TheDocumentHasTheSamePointsAndStudents) {
  Student ann;
  ann.id = "s17";
  Graded graded = gradedOf({gradeOf("a", {}), gradeOf("b", {})});
  graded.grades[0].points = {{"pass", 10. / 3, 10, ""}};
  graded.grades[0].student = &ann;
  const PrivateFolder folder;
  const std::string json = (folder.path() / "g.json").string(),
                    csv = (folder.path() / "g.csv").string();
  put(json, gradesDocument(graded, {}));
  put(csv, gradesCsv(graded));
  const GradeRows asJson = readGradesDocument(json), asCsv = readGrades(csv);
  ASSERT_EQ(asCsv.grades.size(), asJson.grades.size());
  for (std::size_t i = 0; i < asCsv.grades.size(); ++i)
    for (const char* column : {"points", "student_id"})
      EXPECT_EQ(asCsv.grades[i].at(column), asJson.grades[i].at(column)) << column;
  EXPECT_EQ("s17", asJson.grades[0].at("student_id"));
  EXPECT_EQ("3.33333333", asJson.grades[0].at("points"));
}

TEST(GradeRows, PointsAndHandInsAreNotLostInSilence) {
  const PrivateFolder folder;
  Graded graded =
      gradedOf({gradeOf("a", {}, {timesOf(100, 1, 2), timesOf(200, 4, 8)}), gradeOf("=b", {}),
                gradeOf("c", {}), gradeOf("d", {}), gradeOf("e", {})});
  Grade out;
  out.handIn = {"README", "in/README", "not a .so"};
  graded.grades.push_back(out);
  graded.options.folder = "in";
  graded.options.csv = (folder.path() / "g.csv").string();
  requireNothingLost(graded);  // there is no file
  put(graded.options.csv, gradesCsv(graded));
  requireNothingLost(graded);

  Graded fewer = graded;
  fewer.grades.pop_back();  // it was no submission
  requireNothingLost(fewer);
  fewer.grades.resize(1);
  EXPECT_EQ(graded.options.csv +
                ": has grades of 4 submissions that are not in in (=b, c, d, …): give another "
                "--csv, or --replace to drop them",
            errorOf([&] { requireNothingLost(fewer); }, ErrorCode::kUsage));
  fewer.options.replace = true;
  requireNothingLost(fewer);

  graded.grades[0].points = {{"pass", 0, 10, ""}};
  put(graded.options.csv, gradesCsv(graded));
  EXPECT_EQ(graded.options.csv +
                ": has the points of 1 submission, and no rubric is given now: give --rubric FILE, "
                "or --without-points to drop them",
            errorOf([&] { requireNothingLost(graded); }, ErrorCode::kUsage));
  graded.options.rubric = "r.json";
  requireNothingLost(graded);
  graded.options.rubric = "";
  graded.options.withoutPoints = true;
  requireNothingLost(graded);
}

TEST(GradeTable, SaysAboveThatABaselineWasDisturbed) {
  Graded graded = gradedOf({gradeOf("a", {}, {timesOf(100, 1, 2), timesOf(200, 4, 8)})});
  graded.references = {{"ref", {timesOf(100, 2, 2), timesOf(200, 8, 8)}},
                       {"apsp", {timesOf(100, 2, 2), timesOf(200, 8, 8)}}};
  EXPECT_EQ(0u, gradeTable(rowsOf(graded)).find("rank"));
  graded.references[1].times[0].disturbed = true;
  graded.references[1].times[0].causes = "spread";
  const auto begins = [&](const std::string& text) {
    EXPECT_EQ(0u, gradeTable(rowsOf(graded)).find(text)) << gradeTable(rowsOf(graded));
  };
  begins(
      "  disturbed: apsp at n = 100 (spread); the same command with --csv FILE and\n"
      "      --again-disturbed measures again\nrank");
  graded.references[0].times[1].disturbed = true;
  graded.references[0].times[1].causes = "load";
  begins(
      "  disturbed: ref at n = 200 (load), apsp at n = 100 (spread); speedups and\n"
      "      points depend on ref; the same command with --csv FILE and\n"
      "      --again-disturbed measures again\nrank");
}

TEST(GradeTimes, TheUndisturbedOneCountsAndOfSeveralTheFastest) {
  const auto timing = [](const std::vector<std::pair<double, bool>>& sizes) {
    SolverTimes times;
    for (const auto& [median, disturbed] : sizes) {
      times.sizes.push_back(timesOf(100 * (1 + static_cast<int>(times.sizes.size())), median, 0));
      times.sizes.back().disturbed = disturbed;
    }
    return times;
  };
  const auto medians = [](const std::vector<SolverTimes>& timings) {
    std::vector<double> found;
    for (const SizeTimes& each : countingTimes(timings)) found.push_back(each.timing.median);
    return found;
  };
  using Medians = std::vector<double>;
  const SolverTimes first = timing({{5, true}, {5, false}, {5, true}, {5, false}});
  const SolverTimes second = timing({{6, false}, {4, true}, {4, true}, {4, false}});
  EXPECT_EQ((Medians{5, 5, 5, 5}), medians({first}));
  EXPECT_EQ((Medians{6, 5, 4, 4}), medians({first, second}));
  EXPECT_EQ((Medians{6, 5, 4, 4}), medians({second, first}));
  EXPECT_TRUE(anyDisturbed(countingTimes({first, second})));
  EXPECT_FALSE(anyDisturbed(countingTimes({timing({{5, true}}), timing({{6, false}})})));
  SolverTimes doubted = timing({{1, false}});
  doubted.sizes[0].doubt = "too short";
  EXPECT_EQ((Medians{5}), medians({doubted, timing({{5, true}})}));
}

TEST(GradeTimes, OnWhichOthersDependTakeLongerCalls) {
  const double below = longCallAt(5000, 10000, false), largest = longCallAt(10000, 10000, false);
  EXPECT_LT(below, largest);
  EXPECT_EQ(largest, longCallAt(5000, 10000, true)) << "speedups of the class depend on ref";
  EXPECT_EQ(largest, longCallAt(10000, 10000, true));
}

TEST(GradeTable, FitsATerminalAndColoursVerdicts) {
  const std::string longName = "a name that is longer than its column may ever become.cu";
  Grade wrong = gradeOf(longName, {}), warned = gradeOf("warned", {}, {timesOf(200, 1e6, 1e6)});
  wrong.check->reason = std::string(300, 'x').replace(100, 1, " ").replace(200, 1, " ");
  wrong.check->verdict = "does not compile";
  warned.check->warnings.add(1, "warns");
  Grade disturbed = gradeOf("disturbed", {}, {timesOf(200, 2e6, 1e6)});
  disturbed.times->sizes[0].disturbed = true;
  disturbed.times->sizes[0].causes = "load";
  Graded graded =
      gradedOf({wrong, warned, disturbed, gradeOf("right", {}, {timesOf(200, 3e6, 1)})});
  graded.options.sizes = {200};
  for (Grade& grade : graded.grades) grade.points = {{"pass", 100.25, 1000, ""}};
  const std::string table = gradeTable(rowsOf(graded)), shown = forScreen(table, true, true);
  for (const char* verdict : {"\033[33mpass\033[0m", "\033[33mpass, disturbed\033[0m",
                              "\033[32mpass\033[0m", "\033[31mdoes not compile\033[0m"})
    EXPECT_NE(std::string::npos, shown.find(verdict)) << verdict << "\n" << shown;
  EXPECT_NE(std::string::npos, table.find("\n      warning: warns at n = 1\n")) << table;
  EXPECT_NE(std::string::npos, table.find("\n      disturbed at n = 200 (load)\n")) << table;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    const bool oneWord = line.find("xxx") != std::string::npos;  // which is not broken
    EXPECT_TRUE(oneWord || columnsOf(line) <= 80) << line;
  }
}

// ---- private folders ----------------------------------------------------------------------------

std::set<std::string> namesIn(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

/// Makes a folder in `parent`, in a process that is then killed, with a link out of it.
void makeAndDie(const fs::path& parent, const fs::path& outside) {
  const pid_t child = fork();
  if (child == 0) {
    const PrivateFolder folder(parent);
    put(folder.path() / "deep/er/file", "content");
    fs::create_directory_symlink(outside, folder.path() / "deep/link");
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(PrivateFolder, GoesWithItsProcess) {
  const PrivateFolder parent;
  {
    const PrivateFolder folder(parent.path());
    EXPECT_EQ(fs::perms::owner_all, fs::status(folder.path()).permissions());
    put(folder.path() / "a/b", "content");
  }
  EXPECT_EQ(std::set<std::string>{".owner"}, namesIn(parent.path()));
  EXPECT_NE(std::string::npos,
            errorOf([&] { PrivateFolder(parent.path() / "none"); }, ErrorCode::kOutput)
                .find("none: no folder for temporary files"));
}

TEST(PrivateFolder, OfAKilledProcessIsRemovedByTheNextOne) {
  const PrivateFolder parent, outside;
  put(outside.path() / "precious", "content");
  const PrivateFolder living(parent.path());
  for (int i = 0; i < 3; ++i) makeAndDie(parent.path(), outside.path());
  EXPECT_EQ(3u, namesIn(parent.path()).size()) << "each removes that of the one before";
  const PrivateFolder next(parent.path());
  EXPECT_EQ((std::set<std::string>{".owner", living.path().filename(), next.path().filename()}),
            namesIn(parent.path()));
  EXPECT_EQ("content", readBytes(outside.path() / "precious"));
}

TEST(PrivateFolder, OfOthersIsLeftAlone) {
  const PrivateFolder parent, outside;
  const auto orphan = [](const fs::path& folder) { put(folder / ".owner", "process 1 on host"); };
  const auto at = [&](const std::string& name) { return parent.path() / name; };
  orphan(outside.path() / "apsp-abcdef");
  fs::create_directory_symlink(outside.path() / "apsp-abcdef", at("apsp-linked"));
  orphan(at("apsp-longer-name"));
  orphan(at("else-abcdef"));
  put(at("apsp-isfile"), "");
  put(at("apsp-nobody/file"), "");    // nobody signed it
  put(at("apsp-unsign/.owner"), "");  // its process has just made it
  fs::create_directory(at("apsp-linkin"));
  fs::create_symlink(outside.path() / "apsp-abcdef/.owner", at("apsp-linkin/.owner"));
  if (geteuid() == 0) {
    constexpr uid_t kOther = 65534;
    orphan(at("apsp-theirs"));
    ASSERT_EQ(0, chown(at("apsp-theirs").c_str(), kOther, kOther));
    orphan(at("apsp-owners"));
    ASSERT_EQ(0, chown(at("apsp-owners/.owner").c_str(), kOther, kOther));
  }
  const std::set<std::string> before = namesIn(parent.path());
  orphan(at("apsp-orphan"));
  { const PrivateFolder next(parent.path()); }
  EXPECT_EQ(before, namesIn(parent.path()));
  EXPECT_TRUE(fs::exists(outside.path() / "apsp-abcdef/.owner"));
}

// ---- locks and documents
// ----------------------------------------------------------------------------------

TEST(FileLock, OneHolderOrSeveralThatShare) {
  const PrivateFolder folder;
  const std::string path = (folder.path() / "lock").string();
  {
    const FileLock first(path, FileLock::kTry);
    first.sign();
    const FileLock second(path, FileLock::kTry);
    EXPECT_EQ("", first.holder());
    EXPECT_EQ(0u, second.holder().rfind(fmt::format("process {} on ", getpid()), 0));
  }
  {
    const FileLock one(path, FileLock::kShared), two(path, FileLock::kShared);
    EXPECT_EQ("", two.holder());
    EXPECT_NE("", FileLock(path, FileLock::kTry).holder());
  }
  EXPECT_EQ("", FileLock(path, FileLock::kAlone).holder());
  EXPECT_NE(std::string::npos,
            errorOf([&] { FileLock((folder.path() / "missing/lock").string(), FileLock::kTry); },
                    ErrorCode::kOutput)
                .find("missing/lock: No such file"));
}

TEST(GradeStore, KeepsDocumentsWholeAndIgnoresDamagedOnes) {
  const PrivateFolder folder;
  const GradeStore store((folder.path() / "g.csv.d").string());
  EXPECT_FALSE(store.findCheck("a"));
  Grade grade = gradeOf("a", {{"ring", ".."}}, {timesOf(100, 1.25, 0)});
  grade.check->warnings.add(7, "warns");
  grade.check->diagnosis = {"squared", "it squares"};
  grade.times->sizes[0].seeds = {~std::uint64_t{0}};
  grade.times->sizes[0].doubt = "too fast";
  store.write("a", *grade.check);
  store.write("b", *grade.times);
  const auto check = store.findCheck("a");
  ASSERT_TRUE(check);
  EXPECT_EQ(grade.check->check, check->check);
  EXPECT_EQ("it squares", check->diagnosis.sentence);
  EXPECT_EQ(grade.check->warnings.line(), check->warnings.line());
  const auto times = store.findTimes("b");
  ASSERT_TRUE(times && times->sizes.size() == 1);
  EXPECT_EQ(toJson(grade.times->sizes[0]), toJson(times->sizes[0]));
  EXPECT_FALSE(store.findTimes("a"));  // a document of another kind
  fs::resize_file(folder.path() / "g.csv.d" / "b.json", 40);
  EXPECT_FALSE(store.findTimes("b"));
}

/// What this says, or "" if it succeeds.
std::string refusalOfStore(const fs::path& folder) {
  try {
    GradeStore(folder.string()).handInFolder();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(ErrorCode::kOutput, error.code) << error.what();
    return error.what();
  }
}

TEST(GradeStore, TakesNothingThatOthersCanWrite) {
  const PrivateFolder folder;
  const fs::path path = folder.path() / "g.csv.d", hands = path / "hand-ins";
  const mode_t before = umask(0);
  GradeStore(path.string()).noteHandInFolder("/here");
  umask(before);
  const auto mode = [](const fs::path& of) {
    return static_cast<unsigned>(fs::status(of).permissions()) & 022u;
  };
  for (const fs::path& each : {path, hands, path / ".locks"}) {
    EXPECT_EQ(0u, mode(each)) << each;
    EXPECT_EQ("", refusalOfStore(path));
    for (const auto others : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(each, others, fs::perm_options::add);
      const std::string refusal = refusalOfStore(path);
      EXPECT_EQ(0u, refusal.find(each.string() + ": others can write to it")) << refusal;
      EXPECT_NE(std::string::npos, refusal.find("chmod -R go-w " + each.string())) << refusal;
      fs::permissions(each, others, fs::perm_options::remove);
    }
  }
  fs::rename(hands, path / "real");
  fs::create_symlink("real", hands);
  EXPECT_EQ("", GradeStore(path.string()).handInFolder());
}

TEST(GradeStore, TakesNothingOfAnotherUser) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  constexpr uid_t kNobody = 65534;
  const PrivateFolder folder;
  const fs::path shared = folder.path() / "shared", path = shared / "g.csv.d";
  fs::permissions(folder.path(), fs::perms(0755));
  fs::create_directory(shared);
  fs::permissions(shared, fs::perms(01777));
  GradeStore(path.string()).noteHandInFolder("/here");
  for (const fs::path& each : {path, path / "hand-ins", path / ".locks"}) {
    ASSERT_EQ(0, lchown(each.c_str(), kNobody, kNobody));
    const std::string refusal = refusalOfStore(path);
    EXPECT_EQ(0u, refusal.find(each.string() + ": belongs to another user (id 65534)")) << refusal;
    ASSERT_EQ(0, lchown(each.c_str(), 0, 0));
  }
  EXPECT_EQ("", refusalOfStore(path));
  unprivileged([&] {  // root may not change the results of others, either
    EXPECT_NE(std::string::npos, refusalOfStore(path).find("belongs to another user (id 0)"));
  });
  const fs::path link = shared / "link.csv.d";
  fs::create_symlink(path, link);
  EXPECT_EQ("", refusalOfStore(link));
  ASSERT_EQ(0, lchown(link.c_str(), kNobody, kNobody));
  EXPECT_EQ(0u, refusalOfStore(link).find(link.string() + ": a symbolic link of another user"));
}

/// Its path may lead elsewhere while graders work.
TEST(GradeStore, StaysInItsFolder) {
  const PrivateFolder folder;
  const fs::path path = folder.path() / "g.csv.d", moved = folder.path() / "moved";
  const GradeStore store(path.string());
  store.noteHandInFolder("/here");
  fs::rename(path, moved);
  GradeStore(path.string()).noteHandInFolder("/forged");
  EXPECT_EQ("/here", store.handInFolder());
  store.write("build", Built{1.5, {"/a/b.so", "0123"}});
  EXPECT_TRUE(fs::exists(moved / "build.json"));
  { const FileLock lock = store.lock("build", FileLock::kAlone); }
  EXPECT_TRUE(fs::exists(moved / ".locks/build"));
  store.remove("build");
  EXPECT_FALSE(fs::exists(moved / "build.json"));
}

TEST(GradeStore, KeepsAllTimingsOfASolver) {
  const PrivateFolder folder;
  const GradeStore store(folder.path().string());
  EXPECT_TRUE(store.findTimings("ref").empty());
  SolverTimes one, two;
  one.sizes = {timesOf(100, 1, 0)};
  one.sizes[0].hash = "00ff";
  two.sizes = {timesOf(100, 2, 0)};
  store.write("ref", one);  // as earlier versions did
  ASSERT_EQ(1u, store.findTimings("ref").size());
  store.write("ref", std::vector<SolverTimes>{one, two});
  const auto found = store.findTimings("ref");
  ASSERT_EQ(2u, found.size());
  EXPECT_EQ(toJson(one.sizes[0]), toJson(found[0].sizes[0]));
  EXPECT_EQ(2, found[1].sizes[0].timing.median);
  store.remove("ref");
  store.remove("ref");
  EXPECT_TRUE(store.findTimings("ref").empty());
  Json old = toJson(one.sizes[0]);
  old.erase("hash");
  old.erase("family");
  EXPECT_EQ("", sizeTimesOf(old).hash);
}

TEST(GradeStore, KeepsBuildsAndSeconds) {
  const PrivateFolder folder;
  const GradeStore store(folder.path().string());
  store.write("build", Built{1.5, {"/a/b.so", "0123"}});
  const auto built = store.findBuilt("build");
  ASSERT_TRUE(built);
  EXPECT_EQ(1.5, built->seconds);
  EXPECT_EQ("/a/b.so", built->library.path);
  EXPECT_EQ("0123", built->library.content);
  EXPECT_FALSE(store.findCheck("build"));

  Grade grade = gradeOf("a", {}, {timesOf(100, 1, 1)});
  grade.check->buildSeconds = 2.5;
  grade.check->checkSeconds = 3.5;
  grade.times->seconds = 4.5;
  store.write("check", *grade.check);
  store.write("times", *grade.times);
  EXPECT_EQ(2.5, store.findCheck("check")->buildSeconds);
  EXPECT_EQ(3.5, store.findCheck("check")->checkSeconds);
  EXPECT_EQ(4.5, store.findTimes("times")->seconds);
}

// ---- phases -------------------------------------------------------------------------------------

TEST(GradePhases, AreTheSumsOfWhatWasChecked) {
  Grade timed = gradeOf("a", {}, {timesOf(100, 1, 1)}), wrong = gradeOf("b", {}), waiting;
  timed.check->buildSeconds = 1;
  timed.check->checkSeconds = 10;
  timed.times->seconds = 100;
  wrong.check->buildSeconds = 2;
  wrong.check->checkSeconds = 20;
  waiting.handIn = {"c.so", "in/c.so", ""};
  Graded graded = gradedOf({timed, wrong, waiting});
  graded.runSeconds = 75;
  const Phases phases = graded.phases();
  EXPECT_EQ(2u, phases.files);
  EXPECT_EQ(
      "2 submissions: building 3.0 s, checking 30 s, timing 1 min 40 s in all; "
      "this run took 1 min 15 s\n",
      phasesLine(phases));
}

TEST(GradePhases, ALineComesAfterATenthAndHalfAMinute) {
  Milestones milestones(200);
  EXPECT_EQ("", milestones.line(0, 40));   // nothing tells how long the rest takes
  EXPECT_EQ("", milestones.line(19, 41));  // not a tenth yet
  EXPECT_EQ("20 of 200 in 45 s, about 6 min 45 s left", milestones.line(20, 45));
  EXPECT_EQ("", milestones.line(39, 100));  // the same tenth
  EXPECT_EQ("", milestones.line(40, 74));   // too soon
  EXPECT_EQ("50 of 200 in 1 min 15 s, about 3 min 45 s left", milestones.line(50, 75));
  EXPECT_EQ("", milestones.line(200, 300));  // the end has a line of its own
}

TEST(GradesDocument, HasTheKeysOfTheSample) {
  std::ifstream file("tests/data/grades.json");
  const Json sample = Json::parse(file);
  Grade wrong = gradeOf("wrong.so", {{"ring", ".x"}});
  wrong.check->witness = {{"graph", "g"}, {"options", "--n 4 --range 9"}};
  Graded graded =
      gradedOf({gradeOf("a b.so", {}, {timesOf(100, 1, 0), timesOf(200, 4, 0)}), wrong});
  graded.rubric = rubricOf(R"({"title": "T", "pass": 1})");
  for (Grade& grade : graded.grades) grade.points = pointsOf(*graded.rubric, grade);
  graded.references = {{"ref", {timesOf(100, 2, 2), timesOf(200, 8, 8)}}};
  const Json ours = Json::parse(gradesDocument(graded, {}));
  const auto keys = [](const Json& object) {
    std::set<std::string> names;
    for (const auto& [key, value] : object.items()) names.insert(key);
    return names;
  };
  for (const char* pointer :
       {"", "/program", "/device", "/clocks", "/plan", "/phases", "/marks", "/rubric",
        "/rubric/lines/0", "/references/0", "/references/0/times/0", "/submissions/0",
        "/submissions/0/seconds", "/submissions/0/times/0", "/submissions/0/lines/0"}) {
    const Json::json_pointer at(pointer);
    EXPECT_EQ(keys(sample.at(at)), keys(ours.at(at))) << pointer;
  }
  EXPECT_EQ(1, ours.at("schema"));
  const Json& right = ours.at("submissions").at(0);
  EXPECT_EQ(1, right.at("rank"));
  EXPECT_NE(std::string::npos, right.at("command").get<std::string>().find(
                                   "check --quick --host --kernel 'in/a b.so'"));
  EXPECT_NE(std::string::npos,
            ours.at("submissions")
                .at(1)
                .at("witness")
                .at("command")
                .get<std::string>()
                .find("--n 4 --range 9 --device cpu --kernel in/wrong.so --verify"));
}

}  // namespace
