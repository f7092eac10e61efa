// Every known mistake gets its own diagnosis and no other, whatever the seed and the tiles; a
// solver that is right gets none. The solvers here share no code with
// src/course/check/mistakes.cpp.
#include "check/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "apsp.h"
#include "check/matrices.h"
#include "check/runner.h"
#include "devices.h"
#include "generate/generate.h"

namespace {

using Entries = std::vector<int>;
using Solve = void (*)(int n, int side, int* d);

void lower(int& entry, int a, int b) {
  entry = std::min(entry, a + b);
}

/// Calls body(i, j, k) for all entries of an n×n matrix and the steps [first, last).
template <class Body>
void steps(int n, int first, int last, Body body) {
  for (int k = first; k < last; ++k) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) body(i, j, k);
    }
  }
}

void solve(int n, int* d, int pivots) {
  steps(n, 0, pivots,
        [=](int i, int j, int k) { lower(d[i * n + j], d[i * n + k], d[k * n + j]); });
}

/// What an entry is in a round of the blocked algorithm.
enum Part { kRest, kPanel, kPivot };

/// Calls body(i, j, k) for the steps [first, last) and all entries of that part, which depends on
/// which of i and j lie in [first, end).
template <class Body>
void part(Part wanted, int n, int first, int end, int last, Body body) {
  for (int k = first; k < last; ++k) {
    for (int i = 0; i < n; ++i) {
      const bool inside = first <= i && i < end;
      if (wanted != kPanel && inside != (wanted == kPivot)) continue;
      if (wanted == kPivot || (wanted == kPanel && !inside)) {
        for (int j = first; j < end; ++j) body(i, j, k);
      } else {
        for (int j = 0; j < first; ++j) body(i, j, k);
        for (int j = end; j < n; ++j) body(i, j, k);
      }
    }
  }
}

/// Blocked Floyd–Warshall, which does the parts of each round in this order. Those that are
/// `shortened` leave out the last step; those that are `copied` read from a copy.
struct Blocked {
  std::vector<Part> order = {kPivot, kPanel, kRest};
  std::set<Part> shortened = {};
  std::set<Part> copied = {};

  void operator()(int n, int side, int* d) const {
    for (int first = 0; first < n; first += side) {
      const int end = std::min(n, first + side);
      for (const Part each : order) {
        const Entries before(d, d + n * n);
        const int* const from = copied.count(each) != 0 ? before.data() : d;
        part(each, n, first, end, end - static_cast<int>(shortened.count(each)),
             [&](int i, int j, int k) { lower(d[i * n + j], from[i * n + k], from[k * n + j]); });
      }
    }
  }
};

/// The same; in the rest, through(i, j, k) is the length of the path from i by k to j.
template <class Through>
void blockedWithRest(int n, int side, int* d, Through through) {
  for (int first = 0; first < n; first += side) {
    const int end = std::min(n, first + side);
    const auto relax = [&](int i, int j, int k) {
      lower(d[i * n + j], d[i * n + k], d[k * n + j]);
    };
    part(kPivot, n, first, end, end, relax);
    part(kPanel, n, first, end, end, relax);
    part(kRest, n, first, end, end,
         [&](int i, int j, int k) { d[i * n + j] = std::min(d[i * n + j], through(i, j, k)); });
  }
}

/// The entry that lies at the mirrored place within its tile; infinity if there is none.
int mirrored(int n, int side, const int* d, int i, int j) {
  const int row = i / side * side + j % side, column = j / side * side + i % side;
  return row < n && column < n ? d[row * n + column] : kInf;
}

void transpose(int n, int* d) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) std::swap(d[i * n + j], d[j * n + i]);
  }
}

/// Loops over tiles in the order i, j, k, and right within a tile.
void roundsInnermost(int n, int side, int* d) {
  for (int i = 0; i < n; i += side) {
    for (int j = 0; j < n; j += side) {
      for (int k = 0; k < n; ++k) {
        for (int a = i; a < std::min(n, i + side); ++a) {
          for (int b = j; b < std::min(n, j + side); ++b)
            lower(d[a * n + b], d[a * n + k], d[k * n + b]);
        }
      }
    }
  }
}

/// The pivot tile is closed by the loops i, j, k in this order.
void pivotWithKInnermost(int n, int side, int* d) {
  for (int first = 0; first < n; first += side) {
    const int end = std::min(n, first + side);
    for (int i = first; i < end; ++i) {
      for (int j = first; j < end; ++j) {
        for (int k = first; k < end; ++k) lower(d[i * n + j], d[i * n + k], d[k * n + j]);
      }
    }
    for (const Part each : {kPanel, kRest})
      part(each, n, first, end, end,
           [&](int i, int j, int k) { lower(d[i * n + j], d[i * n + k], d[k * n + j]); });
  }
}

void padded(int n, int side, int* d, int padding) {
  const int wide = (n + side - 1) / side * side;
  Entries all(static_cast<std::size_t>(wide) * static_cast<std::size_t>(wide), padding);
  for (int i = 0; i < n; ++i) std::copy_n(d + i * n, n, all.data() + i * wide);
  solve(wide, all.data(), wide);
  for (int i = 0; i < n; ++i) std::copy_n(all.data() + i * wide, n, d + i * n);
}

struct Mutant {
  const char* name;
  const char* pattern;  // "": it is right
  bool tiles;           // whether it has a side
  Solve solve;
};

const Mutant kMutants[] = {
    {"Right", "", false, [](int n, int, int* d) { solve(n, d, n); }},
    {"RightInTiles", "", true, [](int n, int side, int* d) { Blocked{}(n, side, d); }},
    {"RightInPadding", "", true, [](int n, int side, int* d) { padded(n, side, d, kInf); }},
    {"ResultTransposed", "transposed", false,
     [](int n, int, int* d) { solve(n, d, n), transpose(n, d); }},
    {"GraphTransposedInTiles", "transposed", true,
     [](int n, int side, int* d) { transpose(n, d), Blocked{}(n, side, d); }},
    {"UpperHalfMirrored", "symmetric", false,
     [](int n, int, int* d) {
       for (int i = 0; i < n; ++i)
         for (int j = 0; j < i; ++j) d[i * n + j] = d[j * n + i];
       solve(n, d, n);
     }},
    {"LowerHalfMirrored", "symmetric", false,
     [](int n, int, int* d) {
       for (int i = 0; i < n; ++i)
         for (int j = 0; j < i; ++j) d[j * n + i] = d[i * n + j];
       solve(n, d, n);
     }},
    {"UpperHalfComputed", "symmetric", false,
     [](int n, int, int* d) {
       steps(n, 0, n, [=](int i, int j, int k) {
         if (i >= j) return;
         lower(d[i * n + j], d[i * n + k], d[k * n + j]);
         d[j * n + i] = d[i * n + j];
       });
     }},
    {"LowerHalfComputedWhereShorter", "symmetric", false,
     [](int n, int, int* d) {
       steps(n, 0, n, [=](int i, int j, int k) {
         const int sum = d[i * n + k] + d[k * n + j];
         if (j < i && sum < d[i * n + j]) d[i * n + j] = d[j * n + i] = sum;
       });
     }},
    {"SecondIndexTransposed", "index", false,
     [](int n, int, int* d) {
       steps(n, 0, n,
             [=](int i, int j, int k) { lower(d[i * n + j], d[i * n + k], d[j * n + k]); });
     }},
    {"FirstIndexTransposed", "index", false,
     [](int n, int, int* d) {
       steps(n, 0, n,
             [=](int i, int j, int k) { lower(d[i * n + j], d[k * n + i], d[k * n + j]); });
     }},
    {"BothIndicesTransposed", "index", false,
     [](int n, int, int* d) {
       steps(n, 0, n,
             [=](int i, int j, int k) { lower(d[i * n + j], d[k * n + i], d[j * n + k]); });
     }},
    {"IndexOfTheRestTransposed", "index", true,
     [](int n, int side, int* d) {
       blockedWithRest(n, side, d,
                       [=](int i, int j, int k) { return d[i * n + k] + d[j * n + k]; });
     }},
    {"SecondIndexTransposedInTiles", "index", true,
     [](int n, int side, int* d) {
       blockedWithRest(n, side, d, [=](int i, int j, int k) {
         return d[i * n + k] + mirrored(n, side, d, k, j);
       });
     }},
    {"FirstIndexTransposedInTiles", "index", true,
     [](int n, int side, int* d) {
       blockedWithRest(n, side, d, [=](int i, int j, int k) {
         return mirrored(n, side, d, i, k) + d[k * n + j];
       });
     }},
    {"OrderIjk", "k-innermost", false, [](int n, int, int* d) { roundsInnermost(n, 1, d); }},
    {"OrderIkj", "k-innermost", false,
     [](int n, int, int* d) {
       steps(n, 0, n,
             [=](int k, int j, int i) { lower(d[i * n + j], d[i * n + k], d[k * n + j]); });
     }},
    {"OrderJki", "k-innermost", false,
     [](int n, int, int* d) {
       steps(n, 0, n,
             [=](int k, int i, int j) { lower(d[i * n + j], d[i * n + k], d[k * n + j]); });
     }},
    {"RowsFromCopies", "k-innermost", false,
     [](int n, int, int* d) {
       for (int i = 0; i < n; ++i) {
         const Entries row(d + i * n, d + i * n + n);
         for (int j = 0; j < n; ++j) {
           for (int k = 0; k < n; ++k)
             lower(d[i * n + j], row[static_cast<std::size_t>(k)], d[k * n + j]);
         }
       }
     }},
    {"RoundsInnermost", "k-innermost", true, roundsInnermost},
    {"PivotTileWithKInnermost", "k-innermost", true, pivotWithKInnermost},
    {"LastK", "last-k", false, [](int n, int, int* d) { solve(n, d, n - 1); }},
    {"LastKOfTiles", "last-k", true,
     [](int n, int side, int* d) {
       Blocked{{kPivot, kPanel, kRest}, {kPivot, kPanel, kRest}}(n, side, d);
     }},
    {"LastKOfThePanels", "last-k", true,
     [](int n, int side, int* d) {
       Blocked{{kPivot, kPanel, kRest}, {kPanel}}(n, side, d);
     }},
    {"LastKOfTheRest", "last-k", true,
     [](int n, int side, int* d) {
       Blocked{{kPivot, kPanel, kRest}, {kRest}}(n, side, d);
     }},
    {"PanelsFirst", "panels", true,
     [](int n, int side, int* d) {
       Blocked{{kPanel, kPivot, kRest}}(n, side, d);
     }},
    {"PanelsFirstFromACopy", "panels", true,
     [](int n, int side, int* d) {
       Blocked{{kPanel, kPivot, kRest}, {}, {kPanel}}(n, side, d);
     }},
    {"PivotLast", "panels", true,
     [](int n, int side, int* d) {
       Blocked{{kPanel, kRest, kPivot}}(n, side, d);
     }},
    {"PivotSquared", "squared", true,
     [](int n, int side, int* d) {
       Blocked{{kPivot, kPanel, kRest}, {}, {kPivot}}(n, side, d);
     }},
    {"PivotAndPanelsSquared", "squared", true,
     [](int n, int side, int* d) {
       Blocked{{kPivot, kPanel, kRest}, {}, {kPivot, kPanel}}(n, side, d);
     }},
    {"Padding", "padding", true, [](int n, int side, int* d) { padded(n, side, d, 0); }},
    {"PartialTiles", "partial", true,
     [](int n, int side, int* d) { solve(n, d, n < side ? n : n / side * side); }},
    {"SmallPath", "tile", true,
     [](int n, int side, int* d) { n <= side ? roundsInnermost(n, 1, d) : solve(n, d, n); }},
    {"FirstTileOnly", "large", true,
     [](int n, int side, int* d) { solve(n, d, std::min(n, side)); }},
    {"SixteenBits", "overflow", false,
     [](int n, int, int* d) {
       for (int at = 0; at < n * n; ++at) d[at] &= 0xffff;
       solve(n, d, n);
     }},
    {"Idle", "unchanged", false, [](int, int, int*) {}},
    {"LastBit", "unknown", false,
     [](int n, int, int* d) {
       solve(n, d, n);
       for (int at = 0; at < n * n; ++at) d[at] &= ~1;
     }},
    {"FirstK", "unknown", false,
     [](int n, int, int* d) {
       steps(n, 1, n,
             [=](int i, int j, int k) { lower(d[i * n + j], d[i * n + k], d[k * n + j]); });
     }},
};

template <int mark>
void marked(int n, int, int* d) {
  solve(n, d, n);
  std::replace(d, d + n * n, kInf, mark);
}

/// Mistakes that make no difference in complete graphs with small weights.
const Mutant kGeneralMutants[] = {
    {"computes in float32", "floats", false,
     [](int n, int, int* d) {
       std::vector<float> f(d, d + n * n);
       for (int k = 0; k < n; ++k)
         for (int i = 0; i < n; ++i)
           for (int j = 0; j < n; ++j)
             f[i * n + j] = std::min(f[i * n + j], f[i * n + k] + f[k * n + j]);
       std::transform(f.begin(), f.end(), d,
                      [](float x) { return static_cast<int>(std::min<double>(x, kInf)); });
     }},
    {"marked by INT_MAX, not by kInf", "no-path", false, marked<INT_MAX>},
    {"marked by kInf - 1, not by kInf", "no-path", false, marked<kInf - 1>},
    {"marked by 0, not by kInf", "no-path", false, marked<0>},
    {"marked by -1, not by kInf", "no-path", false, marked<-1>},
    {"diagnosis unknown", "unknown", false,
     [](int n, int, int* d) {  // two marks
       solve(n, d, n);
       for (int at = 0; at < n * n; ++at)
         if (d[at] == kInf) d[at] -= 1 + at % 2;
     }},
};

/// The check of a mutant on graphs of at most 80 vertices whose seeds are all `seed`.
Check checked(const Mutant& mutant, int side, std::uint64_t seed, bool general = false) {
  const auto load = [&] {
    Solver row;
    row.name = mutant.name;
    const auto timed = [&](const Device& device, int n, Elements d, const Options&) {
      Call call;
      call.milliseconds = device.time([&] { mutant.solve(n, side, d.as<int>()); });
      return call;
    };
    return inPlace(std::move(row), timed, nullptr);
  };
  const std::function<Solver()> fresh = load;
  SolverUnderTest solver(fresh, cpuDevice, INFINITY);
  Check result;
  result.options.depth = CheckOptions::kQuick;
  result.options.most = 80;
  result.options.vary = false;
  result.options.general = general;
  for (const CheckCase& each : casesOf(result.options)) {
    CheckCell& cell = result.cells.emplace_back();
    static_cast<CheckCase&>(cell) = each;
    cell.spec.seed = seed;
  }
  CheckRunner(solver, result, [](const CheckCell&) {}).run();
  result.diagnosis = diagnose({result, [&](const Spec& spec) { return solver.distances(spec); },
                               [&](const Spec& spec) { return solver.expected(spec); }});
  return result;
}

class Mutants : public testing::TestWithParam<Mutant> {};
INSTANTIATE_TEST_SUITE_P(Diagnosis, Mutants, testing::ValuesIn(kMutants),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(Mutants, GetTheirOwnDiagnosis) {
  const Mutant& mutant = GetParam();
  const struct {
    int side;
    std::uint64_t seed;
  } runs[] = {{16, 1}, {32, 8}, {39, 1234567}};
  auto turn = static_cast<int>(std::string_view(mutant.name).size());
  for (const auto& [side, seed] : runs) {
    if (!takes(++turn, 3)) continue;
    const Check found = checked(mutant, side, seed);
    EXPECT_EQ(mutant.pattern, found.diagnosis.pattern)
        << "side " << side << ", seed " << seed << ": " << found.diagnosis.sentence;
    EXPECT_EQ(std::string(mutant.pattern).empty(), found.failed() == 0);
    const std::string& sentence = found.diagnosis.sentence;
    if (sentence.find("tiles of") != std::string::npos) {
      EXPECT_NE(std::string::npos, sentence.find(fmt::format("(tiles of {})", side))) << sentence;
    }
  }
}

TEST(Diagnosis, OfWhatOnlyTheGeneralContractShows) {
  for (const Mutant& mutant : kGeneralMutants) {
    EXPECT_EQ(0u, checked(mutant, 1, 1).failed()) << mutant.name;
    auto turn = static_cast<int>(std::string_view(mutant.name).size());
    for (const std::uint64_t seed : {1, 8, 1234567}) {
      if (!takes(++turn, 3)) continue;
      const Diagnosis found = checked(mutant, 1, seed, true).diagnosis;
      EXPECT_EQ(mutant.pattern, found.pattern) << mutant.name << ": " << found.sentence;
      EXPECT_NE(std::string::npos, found.sentence.find(mutant.name)) << found.sentence;
      EXPECT_EQ(std::string::npos, found.sentence.find("perhaps")) << found.sentence;
    }
  }
}

/// Half of the larger sizes fail. A pattern that expects all of them to fail is no more than
/// likely.
TEST(Diagnosis, ThatIsNotSureSaysSo) {
  const Mutant odd = {"Odd", "", false, [](int n, int, int* d) {
                        solve(n, d, n);
                        if (n > 40 && n % 2 != 0) d[1] += 1;
                      }};
  const std::string unsure = checked(odd, 1, 5).diagnosis.sentence;
  EXPECT_EQ(0u, unsure.find("perhaps ")) << unsure;
  EXPECT_NE(std::string::npos, unsure.find(" predictions hold")) << unsure;
  const Mutant last = {"LastK", "", false, [](int n, int, int* d) { solve(n, d, n - 1); }};
  const std::string sure = checked(last, 1, 5).diagnosis.sentence;
  EXPECT_EQ(0u, sure.find("last k missing")) << sure;
  EXPECT_NE(std::string::npos, sure.find(" predictions hold")) << sure;
  const Mutant idle = {"Idle", "", false, [](int, int, int*) {}};
  const std::string seen = checked(idle, 1, 5).diagnosis.sentence;
  EXPECT_EQ("the graph comes back as it was", seen) << "what is seen predicts nothing";
}

}  // namespace
