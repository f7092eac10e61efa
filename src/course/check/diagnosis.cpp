#include "check/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/quantity.h"
#include "base/tolerance.h"
#include "check/mistakes.h"
#include "generate/generate.h"

namespace {

/// How many results are as a pattern says that they must be, and how many were looked at. None are
/// if the pattern says what was seen, and not why.
struct Predictions {
  int held = 0, tried = 0;

  void add(bool holds) {
    ++tried;
    if (holds) ++held;
  }
  bool areSure() const { return tried == 0 || 5 * held > 4 * tried; }
};

/// A pattern that fits.
struct Fit {
  std::string detail;  ///< what its sentence names, for example a size
  Predictions predictions = {};
};

/// Nothing if a pattern does not fit.
using Finding = std::optional<Fit>;

Finding found(bool fits) {
  return fits ? Finding(Fit{""}) : std::nullopt;
}

Finding always(const Evidence&) {
  return Fit{""};
}

template <class Is>
bool any(const Evidence& e, Is is) {
  return std::any_of(e.check.cells.begin(), e.check.cells.end(), is);
}

/// Whether some cells failed and `is` holds for all of those.
template <class Is>
bool allFailed(const Evidence& e, Is is) {
  return e.check.failed() != 0 &&
         !any(e, [&](const CheckCell& cell) { return cell.failed() && !is(cell); });
}

// ---- state from earlier calls, and differences between two calls ----------------------------

Finding stale(const Evidence& e) {
  return found(any(e, [](const CheckCell& cell) { return cell.stale; }));
}

/// Two calls on a graph differ, and the second one is wrong.
Finding race(const Evidence& e) {
  return found(any(e, [](const CheckCell& cell) { return cell.unsteady != 0 && !cell.settled; }));
}

Finding unsteady(const Evidence& e) {
  return found(any(e, [](const CheckCell& cell) { return cell.unsteady != 0; }));
}

Finding state(const Evidence& e) {
  return found(any(e, [](const CheckCell& cell) { return cell.freshPasses; }));
}

/// Only the size with which the check began fails, and now that passes, too.
Finding firstCall(const Evidence& e) {
  const std::vector<CheckCell>& cells = e.check.cells;
  const auto only =
      std::find_if(cells.begin(), cells.end(), [](const CheckCell& cell) { return cell.failed(); });
  if (e.check.failed() != 1 || only->spec.n != cells.front().spec.n) return std::nullopt;
  const std::optional<Matrix> got = e.solve(only->spec);
  return found(got && same(*got, e.oracle(only->spec)));
}

template <SolveFault::Kind kind>
Finding fault(const Evidence& e) {
  return found(any(e, [](const CheckCell& cell) { return cell.fault == kind; }));
}

Finding slow(const Evidence& e) {
  const auto& cells = e.check.cells;
  const auto cell = std::find_if(cells.begin(), cells.end(),
                                 [](const CheckCell& c) { return c.fault == SolveFault::kSlow; });
  return cell == cells.end() ? std::nullopt : Finding(Fit{cell->faultText});
}

Finding unchanged(const Evidence& e) {
  return found(allFailed(e, [](const CheckCell& cell) { return cell.unchanged; }));
}

// ---- arithmetic -----------------------------------------------------------------------------

/// Sums that turn negative do so in every call.
Finding negative(const Evidence& e) {
  Predictions predictions;
  for (const CheckCell& cell : e.check.cells)
    if (toDouble(cell.mismatch.got) < 0) predictions.add(cell.unsteady == 0);
  return predictions.tried == 0 ? std::nullopt : Finding(Fit{"", predictions});
}

/// The graphs that fail are solved if their weights are small.
Finding onlyLarge(const Evidence& e) {
  constexpr int kSmall = 1000;
  Predictions predictions;
  std::set<int> families;
  for (const CheckCell& cell : e.check.cells) {
    if (cell.mismatch.count == 0) continue;
    if (!families.insert(cell.spec.family).second) continue;
    Spec light = cell.spec;
    light.range = kSmall;
    const Matrix graph = toMatrix(generate(light));
    if (toDouble(graphStats(light.n, graph.data()).maxWeight) > kSmall)
      continue;  // the family ignores R
    const std::optional<Matrix> got = e.solve(light);
    const Matrix expected = e.oracle(light);
    if (!got || !same(*got, expected)) return std::nullopt;
    predictions.add(true);
  }
  if (families.empty()) return std::nullopt;
  // Otherwise no graph that failed has weights that can be made smaller, and nothing is known.
  if (predictions.tried == 0) predictions.add(false);
  return Fit{"", predictions};
}

// ---- mistakes that an algorithm describes ---------------------------------------------------

constexpr int kTiny = 12;   // vertices; less than in every tile
constexpr int kMost = 260;  // vertices of the graphs that are solved again

/// The graphs of the check that differ from each other only in n.
struct Series {
  Spec wrong;    ///< the smallest one with wrong distances
  Spec largest;  ///< the largest one with at most kMost vertices
};

/// Those in which some distances are wrong.
std::vector<Series> wrongSeries(const Evidence& e) {
  const auto order = [](const Spec& a, const Spec& b) {
    return std::tie(a.family, a.seed, a.range) < std::tie(b.family, b.seed, b.range);
  };
  std::map<Spec, Series, decltype(order)> found(order);
  for (const CheckCell& cell : e.check.cells) {
    if (cell.mismatch.count == 0) continue;
    Spec& wrong = found.try_emplace(cell.spec, Series{cell.spec, cell.spec}).first->second.wrong;
    if (cell.spec.n < wrong.n) wrong = cell.spec;
  }
  for (const CheckCell& cell : e.check.cells) {
    const auto series = found.find(cell.spec);
    if (series == found.end() || cell.spec.n > kMost) continue;
    Spec& largest = series->second.largest;
    if (cell.spec.n > largest.n || largest.n > kMost) largest = cell.spec;
  }
  std::vector<Series> all;
  for (const auto& each : found) all.push_back(each.second);
  return all;
}

/// The graphs on which a mistake and the solver must agree.
std::vector<Spec> graphsFor(const Mistake& mistake, int side, const Evidence& e) {
  std::vector<Spec> graphs;
  for (const Series& series : wrongSeries(e)) {
    std::set<int> sizes;
    if (mistake.partialTiles) sizes = {kTiny, series.wrong.n, series.largest.n};
    if (mistake.place != Mistake::kEverywhere) {
      sizes.insert({side, 2 * side});
      if (3 * side <= kMost) sizes.insert(3 * side);
    }
    for (const int n : sizes) graphs.emplace_back(series.wrong).n = n;
  }
  return graphs;
}

/// Fits if the solver returns what an algorithm with this mistake returns, on every graph, and that
/// is wrong for some.
Finding explains(const Mistake& mistake, int side, const Evidence& e, const std::string& detail) {
  bool wrong = false;
  Predictions predictions;
  for (const Spec& spec : graphsFor(mistake, side, e)) {
    const std::optional<Matrix> got = e.solve(spec);
    if (!got || !same(*got, mistake.result(toMatrix(generate(spec)), side))) return std::nullopt;
    predictions.add(true);
    wrong = wrong || !same(*got, e.oracle(spec));
  }
  return wrong ? Finding(Fit{detail, predictions}) : std::nullopt;
}

/// Whether tiles of this side fit the smallest graph that fails.
bool sideFits(const Mistake& mistake, int side, const Evidence& e) {
  int least = INT_MAX;
  for (const CheckCell& cell : e.check.cells)
    if (cell.mismatch.count != 0) least = std::min(least, cell.spec.n);
  return least <= 2 * side && (mistake.place == Mistake::kTile || least > side);
}

/// A mistake with this name that explains the results; the finding is the side of the tiles.
Finding algorithm(const Evidence& e, const std::string& pattern) {
  for (const Mistake& mistake : knownMistakes()) {
    if (mistake.pattern != pattern) continue;
    if (mistake.place == Mistake::kEverywhere) {
      if (const Finding fit = explains(mistake, 1, e, "")) return fit;
      continue;
    }
    for (const int side : kTileSides) {
      if (!sideFits(mistake, side, e)) continue;
      if (const Finding fit = explains(mistake, side, e, fmt::format(" (tiles of {})", side)))
        return fit;
    }
  }
  return std::nullopt;
}

bool anyTooSmall(const Evidence& e) {
  return any(e, [](const CheckCell& cell) { return cell.mismatch.got < cell.mismatch.expected; });
}

bool isRight(const Evidence& e, const Spec& spec) {
  const std::optional<Matrix> got = e.solve(spec);
  return got && same(*got, e.oracle(spec));
}

Spec undirected(Spec spec) {
  spec.undirected = true;
  return spec;
}

/// Whether no distance is longer than the edge, or shorter than if every edge also existed
/// backwards: so it is if edges are taken in the wrong direction.
bool liesBetween(const Evidence& e, const Spec& spec) {
  const std::optional<Matrix> got = e.solve(spec);
  if (!got) return false;
  const Matrix graph = toMatrix(generate(spec)), least = e.oracle(undirected(spec));
  const int *const found = got->data().as<int>(), *const edge = graph.data().as<int>(),
                   *const bound = least.data().as<int>();
  for (std::size_t at = 0; at < graph.size(); ++at)
    if (found[at] > edge[at] || found[at] < bound[at]) return false;
  return true;
}

/// Some distances are too small, and the solver is right on the same graphs if every edge also
/// exists backwards: it takes edges in the wrong direction.
Finding directions(const Evidence& e) {
  if (!anyTooSmall(e)) return std::nullopt;
  Predictions predictions;
  const std::vector<Series> all = wrongSeries(e);
  for (const Series& series : all) {
    for (const Spec& spec : {series.wrong, series.largest})
      if (!isRight(e, undirected(spec))) return std::nullopt;
    predictions.held += 2;
    predictions.tried += 2;
    predictions.add(liesBetween(e, series.wrong));
  }
  const bool wrong = std::any_of(all.begin(), all.end(),
                                 [&](const Series& each) { return !isRight(e, each.wrong); });
  return wrong ? Finding(Fit{"", predictions}) : std::nullopt;
}

// ---- numbers --------------------------------------------------------------------------------

/// Whether fits(found, right) holds for each entry of some graphs that failed. Nothing after a
/// fault.
template <class Fits>
Finding entries(const Evidence& e, Fits fits) {
  Predictions predictions;
  for (const Series& series : wrongSeries(e)) {
    for (const Spec& spec : {series.wrong, series.largest}) {
      const std::optional<Matrix> got = e.solve(spec);
      if (!got) return std::nullopt;
      const Matrix expected = e.oracle(spec);
      const int *const found = got->data().as<int>(), *const right = expected.data().as<int>();
      for (std::size_t at = 0; at < expected.size(); ++at)
        if (!fits(found[at], right[at], spec.n)) return std::nullopt;
      predictions.add(true);
    }
  }
  return Fit{"", predictions};
}

std::string nameOfMark(int mark) {
  return mark == INT_MAX ? "INT_MAX" : mark == kInf - 1 ? "kInf - 1" : std::to_string(mark);
}

/// Distances are right, but one other number stands for "no path".
Finding noPath(const Evidence& e) {
  std::optional<int> mark;
  Finding fit = entries(e, [&](int found, int right, int) {
    if (right != kInf) return found == right;
    if (!mark) mark = found;
    return found == *mark;
  });
  if (!fit || !mark || *mark == kInf) return std::nullopt;
  fit->detail = nameOfMark(*mark);
  return fit;
}

/// Distances are floats that are nearly right, and some are not quite.
Finding floats(const Evidence& e) {
  bool wrong = false;
  const Finding fit = entries(e, [&](int found, int right, int n) {
    if (right == kInf) return true;
    wrong = wrong || found != right;
    return static_cast<double>(static_cast<float>(found)) == found &&
           agree<double>(found, right, tolerance(n, Dtype::kFloat32, 2));
  });
  return wrong ? fit : std::nullopt;
}

// ---- memory that is not initialised ----------------------------------------------------------

/// Whether these are as many matrices with the same entries.
bool same(const std::vector<Matrix>& a, const std::vector<Matrix>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Matrix& x, const Matrix& y) { return ::same(x, y); });
}

/// The results depend on what memory holds that the solver has not set, and on nothing else.
Finding uninitialised(const Evidence& e) {
  if (!e.solveFilled) return std::nullopt;
  constexpr unsigned char kZeros = 0, kLarge = 0x3f;  // four of these are a large int
  std::vector<Spec> specs;
  for (const Series& series : wrongSeries(e)) specs.push_back(series.wrong);
  const std::vector<Matrix> zeros = e.solveFilled(specs, kZeros);
  if (zeros.empty()) return std::nullopt;  // nor would another byte tell anything
  const std::vector<Matrix> large = e.solveFilled(specs, kLarge);
  Predictions predictions;
  for (std::size_t at = 0; at < std::min(zeros.size(), large.size()); ++at)
    predictions.add(!::same(zeros[at], large[at]));
  if (predictions.held == 0 || !same(zeros, e.solveFilled(specs, kZeros)) ||
      !same(large, e.solveFilled(specs, kLarge)))
    return std::nullopt;
  return Fit{"", predictions};
}

/// The number of edges up to which the solver finds all shortest paths and beyond which it finds
/// none, in a graph that is smaller than every tile.
Finding shortPaths(const Evidence& e) {
  Spec ring;
  ring.family = familyIndex("ring-back");
  ring.n = kTiny;
  const std::optional<Matrix> got = e.solve(ring);
  if (!got) return std::nullopt;
  const Matrix expected = e.oracle(ring);
  const int *const right = expected.data().as<int>(), *const found = got->data().as<int>();
  int longest = 0, shortestMissed = ring.n;
  for (std::size_t at = 0; at < expected.size(); ++at) {
    const int edges = right[at];
    if (found[at] == edges) {
      longest = std::max(longest, edges);
    } else {
      shortestMissed = std::min(shortestMissed, edges);
    }
  }
  if (shortestMissed == ring.n || longest >= shortestMissed || longest < 2) return std::nullopt;
  return Fit{std::to_string(longest)};
}

// ---- sizes ----------------------------------------------------------------------------------

/// Of the families that fail somewhere: the sizes that were tried → whether one of them failed.
std::map<int, bool> failuresBySize(const Evidence& e) {
  std::set<int> families;
  for (const CheckCell& cell : e.check.cells) {
    if (cell.failed()) families.insert(cell.spec.family);
  }
  std::map<int, bool> sizes;
  for (const CheckCell& cell : e.check.cells) {
    if (cell.again || cell.skipped || families.count(cell.spec.family) == 0) continue;
    bool& fails = sizes[cell.spec.n];
    fails = fails || cell.failed();
  }
  return sizes;
}

/// How many of some sizes failed and how many did not.
struct Count {
  int failed = 0, passed = 0;
  double share() const { return static_cast<double>(failed) / std::max(1, failed + passed); }
  bool mostFailed() const { return share() >= 0.5; }
  bool allPassed() const { return failed == 0 && passed >= 2; }
};

/// The sizes that should fail, and those that should pass.
Predictions predictionsOf(const Count& toFail, const Count& toPass) {
  return {toFail.failed + toPass.passed,
          toFail.failed + toFail.passed + toPass.failed + toPass.passed};
}

template <class Which>
Count count(const std::map<int, bool>& sizes, Which which) {
  Count result;
  for (const auto& [n, failed] : sizes) {
    if (which(n)) ++(failed ? result.failed : result.passed);
  }
  return result;
}

/// The largest n that fails, if all larger ones pass and it is not the only one.
Finding small(const Evidence& e) {
  const std::map<int, bool> sizes = failuresBySize(e);
  int least = 0, most = 0;
  for (const auto& [n, failed] : sizes) {
    if (failed && least == 0) least = n;
    if (failed) most = n;
  }
  const Count below = count(sizes, [&](int n) { return n >= least && n <= most; });
  const Count above = count(sizes, [&](int n) { return n > most; });
  if (least >= most || !below.mostFailed() || !above.allPassed()) return std::nullopt;
  return Fit{std::to_string(most), predictionsOf(below, above)};
}

/// The largest n up to which all pass, if most of the larger ones fail.
Finding large(const Evidence& e) {
  const std::map<int, bool> sizes = failuresBySize(e);
  const auto first =
      std::find_if(sizes.begin(), sizes.end(), [](auto size) { return size.second; });
  if (first == sizes.begin() || first == sizes.end()) return std::nullopt;
  const int passes = std::prev(first)->first;
  const Count below = count(sizes, [&](int n) { return n <= passes; });
  const Count above = count(sizes, [&](int n) { return n > passes; });
  if (passes < kTileSides[0] - 1 || !above.mostFailed()) return std::nullopt;
  return Fit{std::to_string(passes), predictionsOf(above, below)};
}

/// The side of a tile whose multiples all pass while most other sizes fail. If there are several,
/// the one for which the largest share of the other sizes fails.
Finding wholeTilesPass(const Evidence& e) {
  const std::map<int, bool> sizes = failuresBySize(e);
  double most = 0;
  Finding best;
  for (const int side : kTileSides) {
    const Count whole = count(sizes, [&](int n) { return n % side == 0; });
    const Count partial = count(sizes, [&](int n) { return n % side != 0 && n > side; });
    if (!whole.allPassed() || !partial.mostFailed() || partial.share() <= most) continue;
    most = partial.share();
    best = Fit{std::to_string(side), predictionsOf(partial, whole)};
  }
  return best;
}

/// Faults of a kind: from which n on, if no smaller graph fails and most of the larger ones do.
/// advice: where to look then.
Finding faultFrom(const Evidence& e, SolveFault::Kind kind, const char* advice) {
  const auto isOne = [=](const CheckCell& cell) { return cell.fault == kind; };
  const Finding limit = large(e);
  if (!limit || !allFailed(e, isOne)) return found(any(e, isOne));
  const int passes = std::stoi(limit->detail);
  int from = INT_MAX;
  for (const CheckCell& cell : e.check.cells)
    if (isOne(cell)) from = std::min(from, cell.spec.n);
  if (e.check.witness && e.check.witness->n > passes) from = std::min(from, e.check.witness->n);
  return Fit{fmt::format(" from n = {} on{}", from, advice)};
}

Finding crash(const Evidence& e) {
  return faultFrom(e, SolveFault::kCrash,
                   ": a fixed array? look for one of a fixed size, or too large for the stack");
}

Finding illegal(const Evidence& e) {
  return faultFrom(e, SolveFault::kCudaError, ": too many threads in a block, or a fixed array?");
}

/// A result is too small only if it comes from a path that does not exist.
Finding padding(const Evidence& e) {
  return anyTooSmall(e) ? wholeTilesPass(e) : std::nullopt;
}

/// No order of relaxations makes a result too small, but values from outside the matrix do. They
/// differ between two calls.
Finding outside(const Evidence& e) {
  const bool fits = any(e, [](const CheckCell& cell) {
    return cell.unsteady != 0 && cell.mismatch.got < cell.mismatch.expected;
  });
  if (!fits) return std::nullopt;
  const Finding side = wholeTilesPass(e);
  return Fit{side ? fmt::format("; no multiple of {} fails", side->detail) : ""};
}

/// What is known to go wrong, and its sentence, in which {} is the finding.
struct Pattern {
  const char* name;
  Finding (*find)(const Evidence&);  // nullptr: an algorithm of mistakes.h explains the results
  const char* sentence;
  bool ofResults = true;  // it fits only if distances were wrong
};

const char* const kIndex =
    "index transposed{}: row and column are exchanged in d(i,k) + d(k,j); look for an index such "
    "as g[j*n+k] in place of g[k*n+j]";
const char* const kRace =
    "race: result differs between runs{}; look for a missing barrier, or a loop over k within one "
    "kernel";

/// The first pattern that fits is the diagnosis. Results that differ between two calls fit no
/// algorithm; those patterns come early, because they read what the check recorded. Patterns that
/// compare only the sizes that fail come after those that compare results. Faults come last,
/// because wrong distances tell more.
const Pattern kPatterns[] = {
    {"stale", stale, "returns an earlier call's result{}"},
    {"uninitialised", uninitialised,
     "memory is read that was not initialised: results depend on what it held before{}; look at "
     "the padding, at what is allocated but never set, and at arrays of functions"},
    {"no-path", noPath,
     "\"no path\" is marked by {}, not by kInf, which is 1073741823; all distances are right: look "
     "at the constant for infinity, and at what is written where nothing was found"},
    {"overflow", negative, "overflow: sums turn negative{}"},
    {"transposed", nullptr,
     "result transposed{}: entry (i, j) holds the distance from j to i; look at the indices where "
     "the graph is read and the result is written"},
    {"symmetric", nullptr,
     "the matrix is taken for symmetric{}: only one half is read, or written to both; an edge from "
     "i to j says nothing of one from j to i"},
    {"index", directions, kIndex},
    {"outside", outside,
     "reads outside its matrix: results differ between runs and are too small{}"},
    {"race", race, kRace},
    {"state", state,
     "state survives from an earlier call: newly loaded, it solves the same graph{}", false},
    {"state", firstCall, "state: only the first call of a process is wrong{}"},
    {"race", unsteady, kRace},
    {"unchanged", unchanged, "the graph comes back as it was{}"},
    {"last-k", nullptr,
     "last k missing{}: paths through the last vertex are not found; look at where the loop over k "
     "ends"},
    {"k-innermost", nullptr,
     "k not the outermost loop{}: paths are joined before their parts are known; look at the order "
     "of the loops and put k outside i and j"},
    {"panels", nullptr,
     "panels before the pivot{}: the row and column panels are updated while the pivot tile is not "
     "yet closed; look at "
     "the order of the steps in a round"},
    {"squared", nullptr, "pivot tile squared but not closed{}"},
    {"index", nullptr, kIndex},
    {"floats", floats,
     "computes in float32{}: sums keep 24 bits, and distances need up to 30; look for float and "
     "__half"},
    {"overflow", onlyLarge, "overflow: the same graphs with small weights are solved{}"},
    {"squared", shortPaths,
     "pivot tile squared but not closed: paths of more than {} edges within it are missed"},
    {"padding", padding, "padding leaked: no multiple of {} fails, most other sizes do"},
    {"partial", wholeTilesPass, "partial tiles left out: no multiple of {} fails, most others do"},
    {"tile", small, "n ≤ tile path: nothing above n = {} fails"},
    {"large", large, "tiles beyond the first, or a limit: nothing up to n = {} fails"},
    {"bounds", fault<SolveFault::kOutOfBounds>, "writes outside its matrix{}", false},
    {"crash", crash, "crashes{}", false},
    {"illegal", illegal, "leaves a CUDA error{}", false},
    {"hang", fault<SolveFault::kHang>, "does not return in time{}", false},
    {"exit", fault<SolveFault::kExit>, "ends its process{}", false},
    {"leak", fault<SolveFault::kLeak>, "leaks memory: every call keeps some{}", false},
    {"memory", fault<SolveFault::kNoMemory>, "runs out of memory{}", false},
    {"slow", slow, "takes too long: {}", false},
    {"unknown", always,
     "diagnosis unknown: no known mistake explains these results; begin with the smallest graph "
     "that fails{}",
     false},
};

/// "; each time it leaves a launch error behind: …" if every failure came with a warning: that may
/// be the cause. Else "".
std::string warningOf(const Evidence& e) {
  if (!allFailed(e, [](const CheckCell& cell) { return !cell.warning.empty(); })) return "";
  const auto first = std::find_if(e.check.cells.begin(), e.check.cells.end(),
                                  [](const CheckCell& cell) { return cell.failed(); });
  return "; each time it " + first->warning;
}

/// The pattern's sentence, with how sure it is.
std::string sentenceOf(const Pattern& pattern, const Fit& fit) {
  const Predictions& predictions = fit.predictions;
  const std::string sentence = fmt::format(fmt::runtime(pattern.sentence), fit.detail);
  if (predictions.tried == 0) return sentence;
  return fmt::format("{}{}; {} of {}", predictions.areSure() ? "" : "perhaps ", sentence,
                     predictions.held,
                     counted(static_cast<std::uint64_t>(predictions.tried), "prediction holds",
                             "predictions hold"));
}

/// A function of a graph that keeps its results.
template <class Result>
std::function<std::optional<Matrix>(const Spec&)> remembered(
    std::function<Result(const Spec&)> function) {
  const auto kept = std::make_shared<std::map<std::string, std::optional<Matrix>>>();
  return [function = std::move(function), kept](const Spec& spec) -> std::optional<Matrix> {
    const auto [at, isNew] = kept->try_emplace(describe(spec));
    if (isNew) at->second = function(spec);
    if (!at->second) return std::nullopt;
    return copyOf(*at->second);
  };
}

}  // namespace

Diagnosis diagnose(const Evidence& given) {
  if (given.check.failed() == 0) return {};
  const auto oracle = remembered(given.oracle);
  const Evidence evidence{given.check, remembered(given.solve),
                          [&](const Spec& spec) { return *oracle(spec); }, given.solveFilled};
  const bool wrong = any(evidence, [](const CheckCell& cell) {
    return cell.mismatch.count != 0 || cell.unsteady != 0;
  });
  for (const Pattern& pattern : kPatterns) {
    // Known mistakes are imitated on weights that are not negative.
    if (pattern.ofResults && (!wrong || given.check.options.negative)) continue;
    const Finding finding =
        pattern.find != nullptr ? pattern.find(evidence) : algorithm(evidence, pattern.name);
    if (finding) return {pattern.name, sentenceOf(pattern, *finding) + warningOf(evidence)};
  }
  return {};
}
