#include "check/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "generate/generate.h"

namespace {

/// The detail that a pattern's sentence names, for example a size; nothing if it does not fit.
using Finding = std::optional<std::string>;

Finding found(bool fits) {
  return fits ? Finding("") : std::nullopt;
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

bool same(const Matrix& a, const Matrix& b) {
  return std::equal(a.data(), a.data() + a.size(), b.data());
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
  return cell == cells.end() ? std::nullopt : Finding(cell->faultText);
}

Finding unchanged(const Evidence& e) {
  return found(allFailed(e, [](const CheckCell& cell) { return cell.unchanged; }));
}

// ---- arithmetic -----------------------------------------------------------------------------

Finding negative(const Evidence& e) {
  return found(any(e, [](const CheckCell& cell) { return cell.mismatch.got < 0; }));
}

/// The graphs that fail are solved if their weights are small.
Finding onlyLarge(const Evidence& e) {
  constexpr int kSmall = 1000;
  std::set<int> families;
  for (const CheckCell& cell : e.check.cells) {
    if (cell.mismatch.count == 0) continue;
    if (!families.insert(cell.spec.family).second) continue;
    Spec light = cell.spec;
    light.range = kSmall;
    const Matrix graph = toMatrix(generate(light));
    if (graphStats(light.n, graph.data()).maxWeight > kSmall) continue;  // the family ignores R
    const std::optional<Matrix> got = e.solve(light);
    const Matrix expected = e.oracle(light);
    if (!got || !same(*got, expected)) return std::nullopt;
  }
  return found(!families.empty());
}

// ---- the pivot tile -------------------------------------------------------------------------

Spec ringOf(int n) {
  Spec spec;
  spec.family = familyIndex("ring-back");
  spec.n = n;
  return spec;
}

/// The first row and column of a tile.
struct Corner {
  int i, j;
};

/// C = min(C, A ⊗ B) for tiles of at most side×side. C is a tile of d; A and B are tiles of
/// `source`, which may be d. ⊗ is the min-plus product, (A ⊗ B)[i][j] = min over k of
/// A[i][k] + B[k][j], computed with one k after the other.
void relax(Matrix& d, int side, Corner c, Corner a, Corner b, const Matrix& source) {
  const int n = d.n();
  for (int k = 0; k < std::min(side, n - a.j); ++k) {
    const int* const second = source.row(b.i + k) + b.j;
    for (int i = 0; i < std::min(side, n - c.i); ++i) {
      const int first = source.row(a.i + i)[a.j + k];
      int* const row = d.row(c.i + i) + c.j;
      for (int j = 0; j < std::min(side, n - c.j); ++j)
        row[j] = std::min(row[j], first + second[j]);
    }
  }
}

Matrix copyOf(const Matrix& from) {
  Matrix to(from.n());
  std::copy_n(from.data(), from.size(), to.data());
  return to;
}

/// The result of blocked Floyd–Warshall with a mistake: instead of the closure of the pivot tile it
/// computes min(D, D ⊗ D), the paths of at most two edges. Panels are relaxed in place or from a
/// copy; the results differ because the pivot tile is not closed.
Matrix withSquaredPivots(const Matrix& graph, int side, bool inPlace) {
  const int n = graph.n();
  Matrix d = copyOf(graph);
  for (int p = 0; p < n; p += side) {
    relax(d, side, {p, p}, {p, p}, {p, p}, copyOf(d));
    const Matrix copy = copyOf(d);
    const Matrix& source = inPlace ? d : copy;
    for (int t = 0; t < n; t += side) {
      if (t == p) continue;
      relax(d, side, {p, t}, {p, p}, {p, t}, source);
      relax(d, side, {t, p}, {t, p}, {p, p}, source);
    }
    for (int t = 0; t < n; t += side) {
      for (int s = 0; s < n; s += side) {
        if (t != p && s != p) relax(d, side, {t, s}, {t, p}, {p, s}, d);
      }
    }
  }
  return d;
}

/// The side of the tiles with which withSquaredPivots() has the same result as the solver.
Finding squared(const Evidence& e) {
  const Spec ring = ringOf(280);  // more than every tile side
  const std::optional<Matrix> got = e.solve(ring);
  if (!got || same(*got, e.oracle(ring))) return std::nullopt;
  const Matrix graph = toMatrix(generate(ring));
  for (const int side : kTileSides) {
    for (const bool inPlace : {false, true}) {
      if (same(*got, withSquaredPivots(graph, side, inPlace)))
        return fmt::format(" (tiles of {})", side);
    }
  }
  return std::nullopt;
}

/// The number of edges up to which the solver finds all shortest paths and beyond which it finds
/// none, in a graph that is smaller than every tile.
Finding shortPaths(const Evidence& e) {
  const Spec ring = ringOf(12);
  const std::optional<Matrix> got = e.solve(ring);
  if (!got) return std::nullopt;
  const Matrix expected = e.oracle(ring);
  int longest = 0, shortestMissed = ring.n;
  for (std::size_t at = 0; at < expected.size(); ++at) {
    const int edges = expected.data()[at];
    if (got->data()[at] == edges) {
      longest = std::max(longest, edges);
    } else {
      shortestMissed = std::min(shortestMissed, edges);
    }
  }
  if (shortestMissed == ring.n || longest >= shortestMissed || longest < 2) return std::nullopt;
  return std::to_string(longest);
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

template <class Which>
Count count(const std::map<int, bool>& sizes, Which which) {
  Count result;
  for (const auto& [n, failed] : sizes) {
    if (which(n)) ++(failed ? result.failed : result.passed);
  }
  return result;
}

/// The largest n that fails, if all larger ones pass.
Finding small(const Evidence& e) {
  const std::map<int, bool> sizes = failuresBySize(e);
  int least = 0, most = 0;
  for (const auto& [n, failed] : sizes) {
    if (failed && least == 0) least = n;
    if (failed) most = n;
  }
  const bool below = count(sizes, [&](int n) { return n >= least && n <= most; }).mostFailed();
  const bool above = count(sizes, [&](int n) { return n > most; }).allPassed();
  return below && above ? Finding(std::to_string(most)) : std::nullopt;
}

/// The largest n up to which all pass, if most of the larger ones fail.
Finding large(const Evidence& e) {
  const std::map<int, bool> sizes = failuresBySize(e);
  const auto first =
      std::find_if(sizes.begin(), sizes.end(), [](auto size) { return size.second; });
  if (first == sizes.begin() || first == sizes.end()) return std::nullopt;
  const int passes = std::prev(first)->first;
  const bool above = count(sizes, [&](int n) { return n > passes; }).mostFailed();
  return passes >= kTileSides[0] - 1 && above ? Finding(std::to_string(passes)) : std::nullopt;
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
    best = std::to_string(side);
  }
  return best;
}

/// A result is too small only if it comes from a path that does not exist.
Finding padding(const Evidence& e) {
  const bool tooSmall =
      any(e, [](const CheckCell& cell) { return cell.mismatch.got < cell.mismatch.expected; });
  return tooSmall ? wholeTilesPass(e) : std::nullopt;
}

/// No order of relaxations makes a result too small, but values from outside the matrix do. They
/// differ between two calls.
Finding outside(const Evidence& e) {
  const bool fits = any(e, [](const CheckCell& cell) {
    return cell.unsteady != 0 && cell.mismatch.got < cell.mismatch.expected;
  });
  if (!fits) return std::nullopt;
  const Finding side = wholeTilesPass(e);
  return side ? fmt::format("; no multiple of {} fails", *side) : "";
}

/// A known mistake and its sentence, in which {} is the finding.
struct Pattern {
  const char* name;
  Finding (*find)(const Evidence&);
  const char* sentence;
  bool ofResults = true;  // it fits only if distances were wrong
};

/// The first pattern that fits is the diagnosis. Patterns about differences between calls come
/// first, because those after them call the solver again. Faults come last, because wrong distances
/// tell more.
const Pattern kPatterns[] = {
    {"stale", stale, "returns an earlier call's result{}"},
    {"overflow", negative, "overflow: sums turn negative{}"},
    {"outside", outside,
     "reads outside its matrix: results differ between runs and are too small{}"},
    {"race", race, "race: result differs between runs{}"},
    {"state", state,
     "state survives from an earlier call: newly loaded, it solves the same graph{}", false},
    {"state", firstCall, "state: only the first call of a process is wrong{}"},
    {"race", unsteady, "race: result differs between runs{}"},
    {"unchanged", unchanged, "the graph comes back as it was{}"},
    {"overflow", onlyLarge, "overflow: the same graphs with small weights are solved{}"},
    {"squared", squared, "pivot tile squared but not closed{}"},
    {"squared", shortPaths,
     "pivot tile squared but not closed: paths of more than {} edges within it are missed"},
    {"padding", padding, "padding leaked: no multiple of {} fails, most other sizes do"},
    {"partial", wholeTilesPass, "partial tiles left out: no multiple of {} fails, most others do"},
    {"tile", small, "n ≤ tile path: nothing above n = {} fails"},
    {"large", large, "tiles beyond the first, or a limit: nothing up to n = {} fails"},
    {"bounds", fault<SolveFault::kOutOfBounds>, "writes outside its matrix{}", false},
    {"crash", fault<SolveFault::kCrash>, "crashes{}", false},
    {"illegal", fault<SolveFault::kCudaError>, "leaves a CUDA error{}", false},
    {"hang", fault<SolveFault::kHang>, "does not return in time{}", false},
    {"exit", fault<SolveFault::kExit>, "ends its process{}", false},
    {"leak", fault<SolveFault::kLeak>, "leaks device memory{}", false},
    {"memory", fault<SolveFault::kNoMemory>, "runs out of memory{}", false},
    {"slow", slow, "{}", false},
};

/// "; each time it leaves a launch error behind: …" if every failure came with a warning: that may
/// be the cause. Else "".
std::string warningOf(const Evidence& e) {
  if (!allFailed(e, [](const CheckCell& cell) { return !cell.warning.empty(); })) return "";
  const auto first = std::find_if(e.check.cells.begin(), e.check.cells.end(),
                                  [](const CheckCell& cell) { return cell.failed(); });
  return "; each time it " + first->warning;
}

}  // namespace

Diagnosis diagnose(const Evidence& evidence) {
  const bool wrong = any(evidence, [](const CheckCell& cell) {
    return cell.mismatch.count != 0 || cell.unsteady != 0;
  });
  for (const Pattern& pattern : kPatterns) {
    if (pattern.ofResults && !wrong) continue;
    if (const Finding finding = pattern.find(evidence))
      return {pattern.name,
              fmt::format(fmt::runtime(pattern.sentence), *finding) + warningOf(evidence)};
  }
  return {};
}
