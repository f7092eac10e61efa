// apsp check: it finds and names every known mistake of solvers, passes right solvers, and reports
// warnings. What the families say of themselves is true.
#include "check/check.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "apsp.h"
#include "check/matrices.h"
#include "check/oracle.h"
#include "dense/blocked_cpu.h"
#include "dense/plain_cpu.h"
#include "devices.h"
#include "files.h"
#include "generate/families.h"
#include "io/formats/formats.h"
#include "seed.h"
#include "submission/compile.h"
#include "system/screen.h"
#include "system/shell.h"

namespace {

using Solve = std::function<void(int n, int* graph)>;

/// Makes a solver with its own state, as a newly loaded one has.
using Loader = std::function<Solve()>;

std::function<Solver()> solverOf(const Loader& load) {
  return [load] {
    Solver row;
    row.name = "planted";
    const auto timed = [solve = load()](const Device& device, int n, Elements graph,
                                        const Options&) {
      Call call;
      call.milliseconds = device.time([&] { solve(n, graph.as<int>()); });
      return call;
    };
    return inPlace(std::move(row), timed, nullptr);
  };
}

Loader stateless(const Solve& solver) {
  return [solver] { return solver; };
}

CheckOptions planOf(bool general = false) {
  CheckOptions options;
  options.depth = CheckOptions::kQuick;
  options.general = general;
  options.most = 129;
  return options;
}

Check checked(const Loader& load, const CheckOptions& options = planOf()) {
  return check(solverOf(load), cpuDevice, options);
}

// ---- solvers --------------------------------------------------------------------------------

/// Floyd–Warshall with only the vertices below `pivots` as pivots.
void relaxAll(int n, int stride, int pivots, int* d) {
  for (int k = 0; k < pivots; ++k) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        d[i * stride + j] = std::min(d[i * stride + j], d[i * stride + k] + d[k * stride + j]);
    }
  }
}

/// Blocked Floyd–Warshall with tiles of 32. squared: the pivot tile is multiplied with itself once
/// and not closed.
void blocked(int n, int* d, bool squared) {
  constexpr int kSide = 32;
  const auto relax = [&](int p, int top, int bottom, int left, int right) {
    const std::vector<int> before(d, d + n * n);
    const auto& source = squared ? before.data() : d;
    for (int k = p; k < std::min(p + kSide, n); ++k) {
      for (int i = top; i < std::min(bottom, n); ++i) {
        for (int j = left; j < std::min(right, n); ++j)
          d[i * n + j] = std::min(d[i * n + j], source[i * n + k] + source[k * n + j]);
      }
    }
  };
  for (int p = 0; p < n; p += kSide) {
    relax(p, p, p + kSide, p, p + kSide);
    relax(p, p, p + kSide, 0, p);
    relax(p, p, p + kSide, p + kSide, n);
    relax(p, 0, p, p, p + kSide);
    relax(p, p + kSide, n, p, p + kSide);
    for (const auto& [top, bottom] : {std::pair{0, p}, std::pair{p + kSide, n}}) {
      relax(p, top, bottom, 0, p);
      relax(p, top, bottom, p + kSide, n);
    }
  }
}

/// Solves the graph padded with `padding` to whole tiles of 32.
void padded(int n, int* graph, int padding) {
  const int wide = (n + 31) / 32 * 32;
  std::vector<int> d(static_cast<std::size_t>(wide) * wide, padding);
  for (int i = 0; i < n; ++i) std::copy_n(graph + i * n, n, d.data() + i * wide);
  relaxAll(wide, wide, wide, d.data());
  for (int i = 0; i < n; ++i) std::copy_n(d.data() + i * wide, n, graph + i * n);
}

/// Keeps the first distances for each n.
Loader cached() {
  return [] {
    const auto kept = std::make_shared<std::map<int, std::vector<int>>>();
    return [kept](int n, int* graph) {
      std::vector<int>& distances = (*kept)[n];
      if (distances.empty()) {
        apspScalar(n, graph);
        distances.assign(graph, graph + n * n);
      }
      std::copy(distances.begin(), distances.end(), graph);
    };
  };
}

/// Works in a matrix that grows and is never cleared, and solves all of it.
Loader sticky() {
  return [] {
    const auto kept = std::make_shared<std::vector<int>>();
    const auto wide = std::make_shared<int>(0);
    return [kept, wide](int n, int* graph) {
      if (n > *wide) kept->assign(static_cast<std::size_t>(n) * n, kInf), *wide = n;
      for (int i = 0; i < n; ++i) std::copy_n(graph + i * n, n, kept->data() + i * *wide);
      relaxAll(*wide, *wide, *wide, kept->data());
      for (int i = 0; i < n; ++i) std::copy_n(kept->data() + i * *wide, n, graph + i * n);
    };
  };
}

/// Uses as many pivots as the call before had vertices.
Loader lagging() {
  return [] {
    const auto last = std::make_shared<int>(INT_MAX);
    return
        [last](int n, int* graph) { relaxAll(n, n, std::min(n, std::exchange(*last, n)), graph); };
  };
}

/// Does nothing in the first call.
Loader late() {
  return [] {
    const auto calls = std::make_shared<int>(0);
    return [calls](int n, int* graph) {
      if (++*calls > 1) apspScalar(n, graph);
    };
  };
}

/// Leaves out the last pivot at random.
Loader racing() {
  return [] {
    const auto random = std::make_shared<std::mt19937>(testSeed());
    return [random](int n, int* graph) {
      relaxAll(n, n, n - static_cast<int>((*random)() % 2), graph);
    };
  };
}

void with16Bits(int n, int* graph) {
  for (int at = 0; at < n * n; ++at) graph[at] &= 0xffff;
  apspScalar(n, graph);
}

/// Uses INT_MAX for infinity, and sums wrap around.
void withLargestInfinity(int n, int* graph) {
  const auto add = [](int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  };
  std::replace(graph, graph + n * n, kInf, INT_MAX);
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        graph[i * n + j] = std::min(graph[i * n + j], add(graph[i * n + k], graph[k * n + j]));
    }
  }
  std::replace(graph, graph + n * n, INT_MAX, kInf);
}

struct Wrong {
  const char* name;
  Loader load;
  bool general;
  const char* diagnosis;
  int witness;  // n; 0: there is none; −1: not tested
};

const Wrong kWrong[] = {
    {"SquaredPivot", stateless([](int n, int* graph) { blocked(n, graph, true); }), false,
     "pivot tile squared but not closed (tiles of 32)", 4},
    {"SquaredWithoutTiles", stateless([](int n, int* graph) {
       const std::vector<int> before(graph, graph + n * n);
       for (int i = 0; i < n; ++i) {
         for (int k = 0; k < n; ++k) {
           for (int j = 0; j < n; ++j)
             graph[i * n + j] = std::min(graph[i * n + j], before[i * n + k] + before[k * n + j]);
         }
       }
     }),
     false, "squared but not closed", 4},
    {"LeakedPadding", stateless([](int n, int* graph) { padded(n, graph, 0); }), false,
     "padding leaked: no multiple of 32 fails", 2},
    {"PartialTileLeftOut",
     stateless([](int n, int* graph) { relaxAll(n, n, n < 32 ? n : n / 32 * 32, graph); }), false,
     "partial tiles left out: no multiple of 32 fails", 33},
    {"SmallPath", stateless([](int n, int* graph) { relaxAll(n, n, n <= 64 ? n / 2 : n, graph); }),
     false, "n ≤ tile path: nothing above n = 64 fails", 3},
    {"OneSize", stateless([](int n, int* graph) { relaxAll(n, n, n == 33 ? 32 : n, graph); }),
     false, "no known mistake", 33},
    {"TilesBeyondTheFirst",
     stateless([](int n, int* graph) { relaxAll(n, n, std::min(n, 64), graph); }), false,
     "nothing up to n = 64 fails", 65},
    {"SixteenBits", stateless(with16Bits), false, "overflow", 2},
    {"LargestInfinity", stateless(withLargestInfinity), true, "overflow", 2},
    {"Cached", cached(), false, "returns an earlier call's result", 0},
    {"Sticky", sticky(), false, "state survives", 0},
    {"Lagging", lagging(), false, "state survives", 0},
    {"Late", late(), false, "only the first call of a process is wrong", 0},
    {"Racing", racing(), false, "race: result differs between runs", -1},
    {"Idle", stateless([](int, int*) {}), false, "the graph comes back as it was", 3},
};

class WrongKernels : public testing::TestWithParam<Wrong> {};
INSTANTIATE_TEST_SUITE_P(Check, WrongKernels, testing::ValuesIn(kWrong),
                         [](const auto& row) { return std::string(row.param.name); });

/// The words of a text, with one blank between any two.
std::string wordsOf(const std::string& text) {
  std::istringstream words(inLocale(text));
  std::string out;
  for (std::string word; words >> word;) out += word + " ";
  return out;
}

TEST_P(WrongKernels, AreNamed) {
  const Wrong& wrong = GetParam();
  const Check found = checked(wrong.load, planOf(wrong.general));
  EXPECT_NE(0u, found.failed());
  EXPECT_NE(std::string::npos, found.diagnosis.sentence.find(wrong.diagnosis)) << checkText(found);
  EXPECT_NE(std::string::npos, wordsOf(checkText(found)).find(wordsOf(found.diagnosis.sentence)));
  if (wrong.witness >= 0) {
    EXPECT_EQ(wrong.witness, found.witness ? found.witness->n : 0) << checkText(found);
  }
}

TEST(Check, RightKernelsPassInEveryStyle) {
  const Loader styles[] = {
      stateless([](int n, int* graph) { apspScalar(n, graph); }),
      stateless([](int n, int* graph) { apspCpu(n, graph); }),
      stateless([](int n, int* graph) { blocked(n, graph, false); }),
      stateless([](int n, int* graph) { padded(n, graph, kInf); }),
  };
  for (const Loader& load : styles) {
    const Check found = checked(load, planOf(true));
    EXPECT_EQ(0u, found.failed()) << checkText(found);
    EXPECT_EQ("", found.diagnosis.sentence);
    EXPECT_FALSE(found.witness);
  }
}

TEST(Check, KernelsOfTheTableHaveAnotherOracleThanThemselves) {
  for (const char* name : {"apsp", "ref"}) {
    const Solver& row = findSolver(name, DeviceKind::kCpu);
    const Check found = check([&] { return row; }, cpuDevice, planOf());
    EXPECT_EQ(0u, found.failed()) << checkText(found);
  }
}

TEST(Check, AnEarlierResultShowsOnlyWhereGraphsVary) {
  CheckOptions options = planOf();
  options.vary = false;
  const Check found = checked(cached(), options);
  EXPECT_NE(0u, found.failed());
  EXPECT_NE(std::string::npos, found.diagnosis.sentence.find("state survives"))
      << found.diagnosis.sentence;
}

TEST(Check, WhatTheFirstCallOfASizeGetsWrongShowsWithoutVaryingToo) {
  CheckOptions options = planOf();
  options.vary = false;
  for (const Loader& load : {lagging(), late()}) {
    const Check found = checked(load, options);
    EXPECT_EQ("state", found.diagnosis.pattern) << checkText(found);
    EXPECT_FALSE(found.witness);
  }
}

TEST(Check, ADecoyCountsOnce) {
  const Check found = checked(stateless([](int n, int* graph) {
    const int most = *std::max_element(graph, graph + n * n);
    relaxAll(n, n, n == 33 && most > 900 && most <= 1000 ? 0 : n, graph);
  }));
  EXPECT_EQ(1u, found.failed()) << checkText(found);
  ASSERT_TRUE(found.witness);
  EXPECT_EQ(33, found.witness->n);
}

// ---- memory that is not set -----------------------------------------------------------------

/// A solver whose padding holds this byte four times, because it never sets it.
Solver paddedWith(unsigned char byte) {
  const int padding = 0x01010101 * byte;
  return solverOf(stateless([padding](int n, int* graph) { padded(n, graph, padding); }))();
}

TEST(Check, MemoryThatIsNotSetIsNamedIfTheResultsFollowItTwice) {
  const Loader zeros = stateless([](int n, int* graph) { padded(n, graph, 0); });
  const auto diagnosed = [&](const std::function<Solver(unsigned char byte)>& filled) {
    return check(solverOf(zeros), cpuDevice, planOf(), nullptr, filled).diagnosis;
  };
  const Diagnosis found = diagnosed(paddedWith);
  EXPECT_EQ("uninitialised", found.pattern) << found.sentence;
  EXPECT_NE(std::string::npos, found.sentence.find(" predictions hold")) << found.sentence;
  unsigned char loads = 0;
  const auto drifts = [&](unsigned char) { return paddedWith(loads++); };
  EXPECT_EQ("padding", diagnosed(drifts).pattern) << "it is not the byte that matters";
  EXPECT_EQ("padding", diagnosed([](unsigned char) { return paddedWith(0); }).pattern);
  const auto unbuilt = [](unsigned char) -> Solver { throw BuildError("x.cu: no", ""); };
  EXPECT_EQ("padding", diagnosed(unbuilt).pattern) << "nothing is known of the byte";
}

// ---- faults ---------------------------------------------------------------------------------

Loader crashingFrom(int least) {
  return stateless([least](int n, int* graph) {
    if (n >= least) throw SolveFault(SolveFault::kCrash, "planted: crashed");
    apspScalar(n, graph);
  });
}

TEST(Check, FaultsAreCellsAndThreeOfAKindAreEnough) {
  const Check found = checked(crashingFrom(20));
  EXPECT_EQ(3u, found.failed());
  EXPECT_EQ(0u, found.diagnosis.sentence.find("crashes from n = 20 on: "))
      << found.diagnosis.sentence;
  ASSERT_TRUE(found.witness);
  EXPECT_EQ(20, found.witness->n);
  EXPECT_NE(std::string::npos, checkText(found).find("planted: crashed"));
  EXPECT_TRUE(found.cells.back().skipped);
}

Loader sleepingBefore(const Solve& solver) {
  return stateless([solver](int n, int* graph) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    solver(n, graph);
  });
}

TEST(Check, WhatTakesTooLongInAllIsTooSlow) {
  CheckOptions options = planOf();
  options.seconds = 0.1;
  const Check found =
      checked(sleepingBefore([](int n, int* graph) { apspScalar(n, graph); }), options);
  EXPECT_EQ(1u, found.failed()) << checkText(found);
  EXPECT_TRUE(found.cells.back().skipped);
  EXPECT_FALSE(found.witness);
  EXPECT_EQ("slow", found.diagnosis.pattern);
  const std::string all = std::to_string(found.cells.size());
  for (const std::string& words :
       {std::string("takes too long: "), " of " + all + " ", std::string("--time-limit")})
    EXPECT_NE(std::string::npos, found.diagnosis.sentence.find(words)) << found.diagnosis.sentence;
}

TEST(Check, WhatIsSlowAndWrongIsNotSolvedForHours) {
  CheckOptions options = planOf();
  options.seconds = 0.1;
  const Loader idle = sleepingBefore([](int n, int* graph) {
    if (n > 2) std::fill_n(graph, n * n, 0);
  });
  const Check found = checked(idle, options);
  ASSERT_TRUE(found.witness);
  EXPECT_LE(15, found.witness->n);  // as it failed: the search for a smaller one is left out
}

TEST(Check, AFaultThatOnlyComesLaterIsState) {
  const Loader load = [] {
    const auto calls = std::make_shared<int>(0);
    return [calls](int n, int* graph) {
      if (++*calls > 10) throw SolveFault(SolveFault::kCudaError, "planted: failed");
      apspScalar(n, graph);
    };
  };
  const Check found = checked(load);
  EXPECT_NE(std::string::npos, found.diagnosis.sentence.find("state survives"))
      << found.diagnosis.sentence;
}

// ---- warnings -------------------------------------------------------------------------------

const char* const kLaunchError = "leaves a launch error behind: planted: invalid argument";

/// A solver in another process that returns a warning for each n of up to `most`.
std::function<Solver()> warningUpTo(int most, const Solve& solve) {
  return [most, solve] {
    Solver row;
    row.name = "planted";
    const auto timed = [most, solve](const Device&, int n, Elements graph, const Options&) {
      solve(n, graph.as<int>());
      Call call;
      if (n <= most)
        call.submitted = std::make_shared<const SubmittedCall>(SubmittedCall{{}, "", kLaunchError});
      return call;
    };
    return inPlace(std::move(row), timed, nullptr);
  };
}

Check checkedWithWarnings(int most, const Solve& solver) {
  return check(warningUpTo(most, solver), cpuDevice, planOf());
}

TEST(Check, AWarningWithRightDistancesIsNoFailure) {
  const Check found = checkedWithWarnings(32, [](int n, int* graph) { apspScalar(n, graph); });
  EXPECT_EQ(0u, found.failed());
  EXPECT_EQ("", found.diagnosis.sentence);
  const std::string warning =
      "leaves a launch error behind at n = 1..32 (7 sizes): planted: invalid argument";
  EXPECT_EQ(warning, found.warnings().line());
  const std::string text = forScreen(checkText(found), false, true);
  EXPECT_NE(std::string::npos, text.find("\nwarning: " + warning + "\n")) << text;
  EXPECT_NE(std::string::npos, text.find("results are right")) << text;
  EXPECT_NE(std::string::npos, checkCsvHeader().find(",warning,"));
  EXPECT_NE(std::string::npos, checkCsvRow(found).find("," + warning + ",")) << checkCsvRow(found);
  const std::string json = checkJson({found});
  EXPECT_NE(std::string::npos, json.find("\"warning\": \"" + warning + "\""));
  EXPECT_NE(std::string::npos, json.find(std::string("\"warning\": \"") + kLaunchError + "\""));
}

TEST(Check, AWarningWithWrongDistancesStillFails) {
  const Check found = checkedWithWarnings(64, [](int n, int* graph) {
    if (n > 64) apspScalar(n, graph);
  });
  EXPECT_NE(0u, found.failed());
  EXPECT_EQ("unchanged", found.diagnosis.pattern);
  EXPECT_NE(std::string::npos, found.diagnosis.sentence.find(kLaunchError))
      << found.diagnosis.sentence;
  EXPECT_NE(std::string::npos, checkSummary(found).find(kLaunchError));
}

TEST(Check, AWarningElsewhereIsNoPartOfTheDiagnosis) {
  const Check found =
      checkedWithWarnings(16, [](int n, int* graph) { relaxAll(n, n, std::min(n, 63), graph); });
  EXPECT_NE(0u, found.failed());
  EXPECT_EQ(
      "tiles beyond the first, or a limit: nothing up to n = 63 fails; 17 of 17 predictions hold",
      found.diagnosis.sentence);
  EXPECT_NE(std::string::npos, checkText(found).find("at n = 1..16 (4 sizes)"));
}

/// A result for each n; those of `warned` have a warning.
Check resultsAt(const std::vector<int>& sizes, const std::vector<int>& warned) {
  Check result;
  for (const int n : sizes) {
    CheckCell& cell = result.cells.emplace_back();
    cell.spec.n = n;
    if (std::count(warned.begin(), warned.end(), n)) cell.warning = "warns";
  }
  return result;
}

TEST(Check, AWarningNamesItsSizes) {
  EXPECT_EQ("", resultsAt({1, 2}, {}).warnings().line());
  EXPECT_EQ("warns at n = 2", resultsAt({1, 2, 3, 2}, {2}).warnings().line());
  EXPECT_EQ("warns at n = 2..9 (3 sizes)",
            resultsAt({1, 2, 5, 9, 12}, {2, 5, 9}).warnings().line());
  EXPECT_EQ("warns at 2 sizes from n = 2 to 9",
            resultsAt({1, 2, 5, 9, 12}, {2, 9}).warnings().line());
  Check both = resultsAt({1, 2}, {1});
  both.cells[1].warning = "another: reason";
  EXPECT_EQ("another at n = 2: reason; warns at n = 1", both.warnings().line());
  both.cells[1].warning = "warns; another: reason";
  EXPECT_EQ("another at n = 2: reason; warns at n = 1..2 (2 sizes)", both.warnings().line());
}

// ---- what is solved -------------------------------------------------------------------------

TEST(Check, EveryPlanHasItsNumberOfGraphs) {
  const struct {
    CheckOptions::Depth depth;
    std::size_t sizes, seeds, ranges;
  } plans[] = {{CheckOptions::kQuick, 21, 1, 1},
               {CheckOptions::kNormal, 37, 1, 2},
               {CheckOptions::kFull, 39, 3, 2}};
  for (const auto& row : plans) {
    for (const bool general : {false, true}) {
      std::size_t graphs = 0;
      for (const FamilyInfo& family : familyTable())
        if (general || family.complete)  // one size comes again after the largest
          graphs +=
              (row.sizes + 1) * (family.seeded ? row.seeds : 1) * (family.ranged ? row.ranges : 1);
      if (general)
        graphs += (row.sizes + 1) * row.seeds;  // `uniform` with weights of nearly all bits
      CheckOptions options;
      options.depth = row.depth;
      options.general = general;
      const std::vector<CheckCase> cases = casesOf(options);
      EXPECT_EQ(graphs + row.sizes, cases.size()) << row.depth << general;  // with the decoys
      EXPECT_LE(96, cases.front().spec.n);
      options.vary = false;
      EXPECT_EQ(graphs, casesOf(options).size()) << row.depth << general;
    }
  }
}

TEST(Check, ASeedDrawsASizeAndItsGraphs) {
  for (const auto depth : {CheckOptions::kQuick, CheckOptions::kNormal, CheckOptions::kFull}) {
    CheckOptions options;
    options.depth = depth;
    const std::size_t count = casesOf(options).size();
    std::set<int> usual, drawn;
    for (const CheckCase& each : casesOf(options)) usual.insert(each.spec.n);
    EXPECT_EQ(0, drawnSize(options));
    for (options.seed = 1; options.seed < 40; ++options.seed) {
      const int n = drawnSize(options);
      drawn.insert(n);
      const std::vector<CheckCase> cases = casesOf(options);
      EXPECT_EQ(count, cases.size());
      std::set<int> sizes;
      for (const CheckCase& each : cases) {
        sizes.insert(each.spec.n);
        if (each.spec.n != n || each.decoy || !familyOf(each.spec).seeded) continue;
        EXPECT_LT(3u, each.spec.seed) << "a seed that is known before";
      }
      EXPECT_EQ(1u, sizes.count(n));
      EXPECT_EQ(usual.size(), sizes.size());
    }
    EXPECT_LT(20u, drawn.size());
  }
}

/// Only a directed graph shows that rows and columns are exchanged.
TEST(Check, EverySizeHasADirectedGraph) {
  for (const auto depth : {CheckOptions::kQuick, CheckOptions::kNormal, CheckOptions::kFull}) {
    CheckOptions options;
    options.depth = depth;
    options.most = 300;
    std::set<int> sizes, directed;
    for (const CheckCase& each : casesOf(options)) {
      const int n = each.spec.n;
      sizes.insert(n);
      if (n == 1 || directed.count(n) != 0 || each.decoy) continue;
      const Matrix d = oracleDistances(each.spec, Solver());
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j)
          if (d.row<int>(i)[j] != d.row<int>(j)[i]) directed.insert(n);
      }
    }
    sizes.erase(1);
    EXPECT_EQ(sizes, directed);
  }
}

TEST(Check, TheOracleSolvesUndirectedGraphs) {
  Spec ring;
  ring.family = familyIndex("ring");
  ring.n = 5;
  EXPECT_EQ(4, oracleDistances(ring, Solver()).row<int>(1)[0]);
  ring.undirected = true;
  EXPECT_EQ(1, oracleDistances(ring, Solver()).row<int>(1)[0]);
}

TEST(Check, TheFirstGraphsDependOnNoSeed) {
  const std::vector<CheckCase> cases = casesOf(planOf(true));
  const auto seeded = [](const CheckCase& each) { return familyOf(each.spec).seeded; };
  EXPECT_EQ("ring", familyOf(cases.front().spec).name);
  EXPECT_TRUE(std::is_partitioned(cases.rbegin(), cases.rend(), seeded));
}

// ---- output ---------------------------------------------------------------------------------

TEST(Check, WritesTheWitness) {
  const TempDir dir;
  CheckOptions options = planOf();
  options.witnessDir = dir / "new";
  const Check found = checked(crashingFrom(20), options);
  EXPECT_EQ(dir / "new/ring-n20-seed1-range100000.bin", found.witnessFile);
  const Matrix written = toMatrix(readGraph(found.witnessFile));
  const Matrix expected = toMatrix(generate(*found.witness));
  ASSERT_EQ(20, written.n());
  EXPECT_EQ(0u, cpuDevice.compare(20, written.data(), expected.data(), 0).count);
  EXPECT_NE(std::string::npos, checkText(found).find(found.witnessFile));
}

TEST(Check, TheWitnessIsTheSmallestOfAllFamilies) {
  // The first cell that fails is of a ring with 15 vertices, which fails from 8 on.
  const Check found = checked(stateless([](int n, int* graph) {
    const bool ring = n > 1 && graph[1] == 1 && *std::max_element(graph, graph + n) == 100000;
    relaxAll(n, n, n >= 8 || (!ring && n >= 5) ? n - 2 : n, graph);
  }));
  ASSERT_TRUE(found.witness);
  EXPECT_EQ(5, found.witness->n) << checkText(found);
}

TEST(Check, ShowsTheWitnessFirstAndAsMatrices) {
  const std::string text =
      checkText(checked(stateless([](int n, int* graph) { relaxAll(n, n, n - 1, graph); })));
  const std::string matrices =
      "  input                          expected        got\n"
      "    |      0       1       2       | 0  1  2       |      0  1  2\n"
      "  0 |      0       1  100000     0 | 0  1  2     0 |      0  1  2\n"
      "  1 | 100000       0       1     1 | 2  0  1     1 | 100000* 0  1\n"
      "  2 |      1  100000       0     2 | 1  2  0     2 |      1  2  0\n"
      "  * wrong: 1 of 9 entries\n";
  const std::size_t at = text.find(matrices);
  ASSERT_NE(std::string::npos, at) << text;
  EXPECT_LT(text.find("witness   ring n=3"), at);
  EXPECT_LT(at, text.find("\nring n=96")) << text;
}

TEST(Check, ShowsNoMatricesOfACrash) {
  const Check found = checked(crashingFrom(3));
  ASSERT_TRUE(found.witness);
  EXPECT_EQ("", found.matrices);
}

/// Two n×n matrices of `entry`; the second one differs where both indices are odd.
std::string matricesOf(int n, int entry, int other) {
  Matrix a(n, Dtype::kInt32), b(n, Dtype::kInt32);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      a.row<int>(i)[j] = i == j ? 0 : entry;
      b.row<int>(i)[j] = i % 2 == 1 && j % 2 == 1 ? other : a.row<int>(i)[j];
    }
  }
  return matricesText(a, a, b);
}

TEST(Check, MatricesFitTheScreen) {
  for (const int n : {2, 3, 5, 8, 9, 100}) {
    for (const int entry : {1, kInf, INT_MAX}) {
      for (const int other : {2, kInf, INT_MIN}) {
        std::istringstream lines(matricesOf(n, entry, other));
        for (std::string line; std::getline(lines, line);) {
          EXPECT_GE(80u, line.size()) << line;
          EXPECT_EQ(line, forScreen(line, false, false));
        }
      }
    }
  }
}

TEST(Check, MatricesMarkWhatIsWrong) {
  EXPECT_EQ(
      "  input            expected         got\n"
      "    |   0    1       |   0    1       |   0    1\n"
      "  0 |   0  inf     0 |   0  inf     0 |   0  inf\n"
      "  1 | inf    0     1 | inf    0     1 | inf    7*\n"
      "  * wrong: 1 of 4 entries\n",
      matricesOf(2, kInf, 7));
  const std::string large = matricesOf(9, 3, 7);
  EXPECT_NE(std::string::npos, large.find("\n    | 1  3  5  7 ")) << large;
  EXPECT_NE(std::string::npos, large.find("16 of 81 entries; only some rows")) << large;
}

TEST(Check, ItsCommandCanBePasted) {
  const TempDir dir;
  CheckOptions options = planOf();
  options.witnessDir = dir / "it's new";
  const std::string text = checkText(checked(crashingFrom(20), options));
  const std::string quoted =
      "'" + (dir / "it'\\''s new/ring-n20-seed1-range100000.bin") + "' --device";
  EXPECT_NE(std::string::npos, text.find(quoted)) << text;
  EXPECT_NE(std::string::npos, text.find("--kernel planted --verify")) << text;
}

TEST(Check, ThrowsIfTheWitnessCannotBeWritten) {
  CheckOptions options = planOf();
  options.witnessDir = "/dev/null/directory";
  EXPECT_THROW(checked(crashingFrom(20), options), Error);
}

TEST(Check, TheTableIs80ColumnsWide) {
  for (const auto depth : {CheckOptions::kQuick, CheckOptions::kNormal, CheckOptions::kFull}) {
    CheckOptions options = planOf(true);
    options.depth = depth;
    options.most = 3000;
    const Check found = checked(crashingFrom(1), options);
    std::istringstream lines(checkText(found));
    for (std::string line; std::getline(lines, line);) {
      // The witness's command is as long as the paths that were typed.
      if (line.find(programAsTyped()) != std::string::npos) continue;
      EXPECT_GE(80u, line.size()) << line;
    }
  }
}

TEST(Check, EveryFamilyIsInTheGeneralContract) {
  const std::string general = checkFamilies(planOf(true)), course = checkFamilies(planOf());
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    const FamilyInfo& info = familyTable()[static_cast<std::size_t>(family)];
    const std::string row = "\n" + info.name + " ";
    EXPECT_NE(std::string::npos, ("\n" + general).find(row)) << row;
    EXPECT_EQ(info.complete, ("\n" + course).find(row) != std::string::npos) << row;
    EXPECT_FALSE(info.catches.empty()) << row;
    EXPECT_GE(66u, info.catches.size()) << row;  // with the name, 80 columns
  }
}

// ---- families -------------------------------------------------------------------------------

template <class Visit>
void forEachSpec(Visit visit) {
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (int n = 1; n <= 70; ++n) {
      for (const int range : {1, 2, 40, 10000, 100000}) {
        Spec spec = specOf(family, n, static_cast<std::uint64_t>(n));
        spec.range = range;
        visit(spec);
      }
    }
  }
}

TEST(Families, ClosedFormsAreWhatThePlainLoopFinds) {
  forEachSpec([](const Spec& spec) {
    withFamily(spec, [&](auto family) {
      if constexpr (hasDistance<decltype(family)>) {
        std::vector<int> distances(static_cast<std::size_t>(spec.n) * spec.n);
        generateInto(spec, distances.data());
        apspScalar(spec.n, distances.data());
        for (int i = 0; i < spec.n; ++i) {
          for (int j = 0; j < spec.n; ++j) {
            if (i == j) continue;
            ASSERT_EQ(distances[static_cast<std::size_t>(i * spec.n + j)],
                      family.distance(spec, i, j))
                << describe(spec) << ": " << i << ", " << j;
          }
        }
      }
    });
  });
}

std::vector<int> matrixOf(const Spec& spec) {
  std::vector<int> matrix(static_cast<std::size_t>(spec.n) * static_cast<std::size_t>(spec.n));
  generateInto(spec, matrix.data());
  return matrix;
}

TEST(Families, SayWhetherTheyDependOnTheSeedAndTheRange) {
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    const FamilyInfo& info = familyTable()[static_cast<std::size_t>(family)];
    const Spec spec = specOf(family, 100, 1), otherSeed = specOf(family, 100, 2);
    Spec otherRange = spec;
    otherRange.range = 10000;
    EXPECT_EQ(info.seeded, matrixOf(spec) != matrixOf(otherSeed)) << info.name;
    EXPECT_EQ(info.ranged, matrixOf(spec) != matrixOf(otherRange)) << info.name;
  }
}

/// Whether the edge from i to j is the only shortest way between its ends.
bool isOnlyWay(const Spec& spec, std::vector<int> matrix, int i, int j) {
  const std::size_t at = static_cast<std::size_t>(i) * static_cast<std::size_t>(spec.n) + j;
  const int weight = std::exchange(matrix[at], kInf);
  apspScalar(spec.n, matrix.data());
  return weight < matrix[at];
}

/// How many edges of a vertex are lighter than the one at `at`: `begin`, `step`: its row or column.
int lighterThan(const std::vector<int>& matrix, int n, int begin, int step, int at) {
  int count = 0;
  for (int k = 0; k < n; ++k) count += matrix[begin + k * step] < matrix[at];
  return count;
}

TEST(Families, HeavyEdgesOfNecessaryGraphsAreNecessary) {
  using families::Necessary;
  for (const auto& [n, range] :
       {std::pair(2, 9), {9, 1}, {9, 100000}, {40, 7}, {100, 100000}, {130, 300}}) {
    Spec spec = specOf(familyIndex("necessary"), n, testSeed());
    spec.range = range;
    const std::vector<int> matrix = matrixOf(spec);
    int heavy = 0, steps = 0, ranks = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (i == j) continue;
        const bool across = Necessary::isSource(spec, i) && Necessary::isTarget(spec, j);
        const bool path = Necessary::isOnPath(spec, i, j);
        if (!across && !path) continue;
        EXPECT_TRUE(isOnlyWay(spec, matrix, i, j)) << describe(spec) << ": " << i << ", " << j;
        (across ? heavy : steps) += 1;
        if (across)
          ranks += std::min(lighterThan(matrix, n, i * n, 1, i * n + j),
                            lighterThan(matrix, n, j, n, i * n + j));
      }
    }
    const int blocks = n >= 64 ? n / 32 : n >= 16 ? n / 16 : 1;
    EXPECT_EQ(blocks * blocks, heavy) << describe(spec);
    EXPECT_EQ(n == 2 ? 0 : 4 * blocks, steps) << describe(spec);
    // There are lighter edges at both ends. In the mean they are an eighth of n or so.
    if (range == 100000 && n >= 100) {
      EXPECT_LT(n * heavy / 25, ranks) << describe(spec);
    }
  }
}

/// Therefore 16 bits are exact, and solvers that prove it are as fast as on other random graphs.
TEST(Families, DistancesOfLargeNecessaryGraphsFitIn15Bits) {
  const Spec spec = specOf(familyIndex("necessary"), 1000, testSeed());
  std::vector<int> matrix = matrixOf(spec);
  apspCpu(spec.n, matrix.data());
  const int least = families::Necessary::leastOf(spec),
            most = *max_element(matrix.begin(), matrix.end());
  EXPECT_GT(most, least) << describe(spec);
  EXPECT_LT(most, 32767) << describe(spec);
}

TEST(Families, CompleteOnesKeepTheCoursesContract) {
  forEachSpec([](const Spec& spec) {
    withFamily(spec, [&](auto family) {
      using Family = decltype(family);
      if constexpr (Family::complete) {
        for (int i = 0; i < spec.n; ++i) {
          for (int j = 0; j < spec.n; ++j) {
            const int weight = element<Family>(spec, i, j);
            ASSERT_TRUE(weight >= 0 && weight <= spec.range) << describe(spec);
          }
        }
      }
    });
  });
}

}  // namespace
