#include "check/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generate/generate.h"

namespace {

/// The row of a family.
const FamilyInfo& infoOf(int family) {
  Spec spec;
  spec.family = family;
  return familyOf(spec);
}

/// The families of the contract, as indices into the tables. Those that do not depend on a
/// seed come first: the first one that fails shows the mistake, and their graphs are the easiest to
/// read.
std::vector<int> familiesOf(const CheckOptions& options) {
  const int first = options.negative ? static_cast<int>(familyTable().size()) : 0;
  const auto& table = options.negative ? negativeFamilyTable() : familyTable();
  std::vector<int> families;
  for (int family = first; family < first + static_cast<int>(table.size()); ++family) {
    if (options.general || options.negative || infoOf(family).complete) families.push_back(family);
  }
  std::stable_partition(families.begin(), families.end(),
                        [&](int family) { return !infoOf(family).seeded; });
  return families;
}

/// The sizes of a depth, ascending, and how many seeds and ranges of weights it tries. With a seed,
/// a size from `least` to `most` takes the place of `drawn`.
struct Extent {
  std::vector<int> sizes;
  std::uint64_t seeds;
  std::size_t ranges;
  int drawn, least, most;
};

constexpr int kRanges[] = {100000, 10000};
constexpr int kWideRange = 1 << 29;  // float32 has 24 bits, and no sum of two is too large
constexpr int kAgain = 65;           // the small graph after the largest one
constexpr int kOpening = 96;         // the least size of the first graph

/// 1, 2, the sizes beside all multiples of one tile, and `more`.
std::vector<int> tileEdges(const std::vector<int>& more) {
  std::vector<int> sizes{1, 2};
  for (const int side : kTileSides) {
    for (const int n : {side - 1, side, side + 1}) sizes.push_back(n);
  }
  sizes.insert(sizes.end(), more.begin(), more.end());
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

Extent extentOf(CheckOptions::Depth depth) {
  const Extent extents[] = {
      {{1, 2, 15, 16, 17, 31, 32, 33, 39, 63, 64, 65, 78, 96, 127, 128, 129, 192, 256, 257, 1000},
       1,
       1,
       192,
       130,
       255},
      {tileEdges({997, 1000}), 1, 2, 997, 258, 999},
      {tileEdges({997, 1000, 1573, 2500}), 3, 2, 1573, 1001, 2499},
  };
  return extents[depth];
}

/// Adds the graphs of a family with n vertices, one for each seed and range on which it depends.
/// The seeds are 1, 2 … or follow from a secret. wide: also with weights that need nearly all bits.
void addGraphs(std::vector<CheckCase>& cases, int family, int n, const Extent& extent, bool again,
               bool wide, std::uint64_t secret = 0) {
  const FamilyInfo& info = infoOf(family);
  const std::uint64_t seeds = info.seeded ? extent.seeds : 1;
  std::vector<int> ranges(kRanges, kRanges + (info.ranged ? extent.ranges : 1));
  if (wide) ranges.push_back(kWideRange);
  for (std::uint64_t number = 1; number <= seeds; ++number) {
    const std::uint64_t seed =
        secret == 0 ? number : seedOfCall(secret, n, static_cast<int>(number));
    for (const int range : ranges) {
      CheckCase& added = cases.emplace_back();
      added.again = again;
      added.spec.family = family;
      added.spec.n = n;
      added.spec.seed = seed;
      added.spec.range = range;
      added.spec.degree = 2;  // of `sparse`: paths are long, and some vertices are not reached
    }
  }
}

/// Adds a decoy of each size, after the other graphs of its family, or else after all.
void addDecoys(std::vector<CheckCase>& cases) {
  std::set<int> sizes;
  for (const CheckCase& each : cases) sizes.insert(each.spec.n);
  const auto last = std::find_if(cases.rbegin(), cases.rend(), [](const CheckCase& each) {
    return each.spec.family == decoyOf(1).family;
  });
  std::vector<CheckCase> decoys;
  for (const int n : sizes) {
    CheckCase& decoy = decoys.emplace_back();
    decoy.spec = decoyOf(n);
    decoy.decoy = true;
  }
  cases.insert(last == cases.rend() ? cases.end() : last.base(), decoys.begin(), decoys.end());
}

/// Moves a graph of many vertices to the front. Some solvers are wrong in the first call of a
/// process only, and that does not show on a graph of one vertex.
void beginWithLargeGraph(std::vector<CheckCase>& cases) {
  const auto opening = std::find_if(cases.begin(), cases.end(), [](const CheckCase& each) {
    return each.spec.n >= kOpening || each.again;
  });
  std::rotate(cases.begin(), opening, opening + 1);
}

}  // namespace

Spec decoyOf(int n) {
  Spec spec;
  spec.family = familyIndex("uniform");
  spec.n = n;
  spec.seed = 1000003;
  spec.range = 1000;
  return spec;
}

int drawnSize(const CheckOptions& options) {
  if (options.seed == 0) return 0;
  const Extent extent = extentOf(options.depth);
  const auto choices = static_cast<std::uint64_t>(extent.most - extent.least + 1);
  return extent.least + static_cast<int>(seedOfCall(options.seed, 0, 0) % choices);
}

std::vector<CheckCase> casesOf(const CheckOptions& options) {
  Extent extent = extentOf(options.depth);
  const int drawn = drawnSize(options);
  if (drawn != 0) {
    std::replace(extent.sizes.begin(), extent.sizes.end(), extent.drawn, drawn);
    std::sort(extent.sizes.begin(), extent.sizes.end());
  }
  std::vector<CheckCase> cases;
  for (const int family : familiesOf(options)) {
    const bool wide = options.general && family == familyIndex("uniform");
    for (const int n : extent.sizes) {
      if (n <= options.most)
        addGraphs(cases, family, n, extent, false, wide, n == drawn ? options.seed : 0);
    }
    addGraphs(cases, family, kAgain, extent, true, wide);
  }
  if (options.vary) addDecoys(cases);
  beginWithLargeGraph(cases);
  return cases;
}

std::string checkFamilies(const CheckOptions& options) {
  std::string out;
  for (const int family : familiesOf(options)) {
    const FamilyInfo& info = infoOf(family);
    out += fmt::format("{:<14}{}\n", info.name, info.catches);
  }
  return out;
}
