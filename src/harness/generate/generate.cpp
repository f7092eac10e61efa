#include "generate/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <type_traits>

#include "apsp.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/size.h"
#include "system/nearest.h"
#include "system/sha256.h"

namespace {

/// The rows of a tuple of families.
template <class All>
std::vector<FamilyInfo> tableOf(All all) {
  return std::apply(
      [](auto... family) {
        return std::vector<FamilyInfo>{
            {family.name, family.what, family.catches, family.complete, family.seeded,
             family.ranged,
             std::is_same_v<decltype(family), families::Sparse> ||
                 std::is_same_v<decltype(family), families::PlantedArcs>}...};
      },
      all);
}

}  // namespace

const std::vector<FamilyInfo>& familyTable() {
  static const std::vector<FamilyInfo> table = tableOf(Families{});
  return table;
}

const std::vector<FamilyInfo>& negativeFamilyTable() {
  static const std::vector<FamilyInfo> table = tableOf(NegativeFamilies{});
  return table;
}

bool isNegative(const Spec& spec) {
  return asSize(spec.family) >= familyTable().size();
}

void requireNegative(const Spec& spec, bool accepted) {
  if (!isNegative(spec)) return;
  if (!accepted)
    throw Error(
        ErrorCode::kUsage,
        fmt::format("the family {} has negative weights: give --negative", familyOf(spec).name));
  if (spec.undirected)
    throw Error(
        ErrorCode::kUsage,
        fmt::format("the family {} has negative weights, and an undirected edge of negative "
                    "weight is a negative cycle: leave out --undirected",
                    familyOf(spec).name));
  if (isWhole(spec.dtype)) return;
  // Beyond it, rounding makes negative cycles.
  const std::int64_t exact = std::int64_t{1} << (spec.dtype == Dtype::kFloat32 ? 24 : 53);
  if (familyOf(spec).ranged && spec.range > exact)
    throw Error(ErrorCode::kUsage,
                fmt::format("the family {} with --range {}: {} cannot hold its weights: give "
                            "--range {} or less, or leave out --dtype {}",
                            familyOf(spec).name, spec.range,
                            spec.dtype == Dtype::kFloat32 ? "float32" : "float64", exact,
                            nameOf(spec.dtype)));
}

std::int64_t largestRange(Dtype dtype) {
  return isWide(dtype) ? kInfinity<std::int64_t> - 1 : kInf - 1;
}

void requireRange(const Spec& spec) {
  const std::int64_t largest = largestRange(spec.dtype);
  if (spec.range > largest)
    throw Error(ErrorCode::kUsage,
                fmt::format("--range {}: give a range of at most {}, or --dtype i64 or f64",
                            spec.range, largest));
}

const FamilyInfo& familyOf(const Spec& spec) {
  const auto index = asSize(spec.family), first = familyTable().size();
  return index < first ? familyTable()[index] : negativeFamilyTable()[index - first];
}

int familyIndex(const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < familyTable().size(); ++i) {
    if (familyTable()[i].name == name) return static_cast<int>(i);
    known.push_back(familyTable()[i].name);
  }
  for (std::size_t i = 0; i < negativeFamilyTable().size(); ++i) {
    if (negativeFamilyTable()[i].name == name) return static_cast<int>(familyTable().size() + i);
    known.push_back(negativeFamilyTable()[i].name);
  }
  throw Error(ErrorCode::kUsage,
              fmt::format("no graph family '{}': {}", name, suggestion(name, known)));
}

namespace {

/// An option that only some families have, and which these are.
struct FamilyOption {
  const char* name;
  bool FamilyInfo::*has;
  const char* owners;
};
constexpr FamilyOption kFamilyOptions[] = {
    {"--seed", &FamilyInfo::seeded, "families that are drawn at random"},
    {"--range", &FamilyInfo::ranged, "families whose weights depend on R"},
    {"--degree", &FamilyInfo::degreed, "the families sparse and planted-arcs"}};

}  // namespace

void refuseIdleOptions(const Spec& spec, const std::vector<std::string>& given) {
  const FamilyInfo& family = familyOf(spec);
  for (const FamilyOption& option : kFamilyOptions) {
    if (family.*option.has || std::find(given.begin(), given.end(), option.name) == given.end())
      continue;
    throw Error(ErrorCode::kUsage,
                fmt::format("{} has no effect on the family {}, only on {}: leave it out",
                            option.name, family.name, option.owners));
  }
}

namespace {

/// size: " n=5", or "".
std::string describe(const Spec& spec, const std::string& size) {
  return fmt::format("{}{} seed={} range={}{}{}", familyOf(spec).name, size, spec.seed, spec.range,
                     familyOf(spec).degreed ? fmt::format(" degree={}", spec.degree) : "",
                     spec.undirected ? " undirected" : "");
}

}  // namespace

std::string describe(const Spec& spec) {
  return describe(spec, fmt::format(" n={}", spec.n));
}

std::string describeWithoutSize(const Spec& spec) {
  return describe(spec, "");
}

std::uint64_t drawSeed() {
  std::random_device random;  // Linux: getrandom() or the processor's own source
  return static_cast<std::uint64_t>(random()) << 32 | random();
}

std::uint64_t seedOfCall(std::uint64_t secret, int n, int call) {
  constexpr std::size_t kDigits = 16;
  const std::string digest = sha256(fmt::format("{} {} {}", secret, n, call));
  return std::stoull(digest.substr(0, kDigits), nullptr, 16);
}

std::string optionsOf(const Spec& spec) {
  const Spec usual;
  const FamilyInfo& family = familyOf(spec);
  std::string options = fmt::format("--n {} --family {}", spec.n, family.name);
  if (family.seeded) options += fmt::format(" --seed {}", spec.seed);
  if (family.ranged && spec.range != usual.range) options += fmt::format(" --range {}", spec.range);
  if (family.degreed) options += fmt::format(" --degree {}", spec.degree);
  if (isNegative(spec)) options += " --negative";
  return options + (spec.undirected ? " --undirected" : "");
}

namespace {

/// Calls visit(edge) for the arcs of a sparse graph, also backwards if it is undirected. T: the
/// type of the weights.
template <class Family, class T, class Visit>
void forEachArc(const Spec& spec, Visit visit) {
  const auto own = specFor<Family, T>(spec);
  for (int i = 0; i < spec.n; ++i) {
    for (int k = 0; k < Family::arcs(spec); ++k) {
      const auto arc = Family::arc(own, i, k);
      const Edge<T> e = {arc.from, arc.to, numberOf<T>(own, arc.weight)};
      if (e.weight == kInfinity<T>) continue;
      visit(e);
      if (spec.undirected) visit(Edge<T>{e.to, e.from, e.weight});
    }
  }
}

template <class Family, class T>
Edges<T> sparseEdges(const Spec& spec) {
  const std::size_t most = asSize(spec.n) * Family::arcs(spec) * (spec.undirected ? 2 : 1);
  requireHostBytes(most * sizeof(Edge<T>), "the edge list");
  Edges<T> edges;
  edges.reserve(most);
  forEachArc<Family, T>(spec, [&](const Edge<T>& e) { edges.push_back(e); });
  return edges;
}

template <class Family, class T>
void fillDense(const Spec& spec, T* matrix) {
  const auto own = specFor<Family, T>(spec);
  Progress rows(fmt::format("generating n = {}", spec.n), static_cast<std::uint64_t>(spec.n));
#pragma omp parallel for schedule(static) if (spec.n >= kWorthThreads)
  for (int i = 0; i < spec.n; ++i) {
    T* row = matrix + asSize(i) * spec.n;
    for (int j = 0; j < spec.n; ++j) row[j] = numberOf<T>(own, element<Family>(own, i, j));
    rows.advance();
  }
}

template <class Family, class T>
void fillBlock(const Spec& spec, int row, int rows, int column, int columns, T* block) {
  const auto at = [&](int i, int j) -> T& {
    return block[asSize(i - row) * columns + (j - column)];
  };
  if constexpr (Family::dense) {
    const auto own = specFor<Family, T>(spec);
#pragma omp parallel for schedule(static) if (rows >= kWorthThreads)
    for (int i = row; i < row + rows; ++i)
      for (int j = column; j < column + columns; ++j)
        at(i, j) = numberOf<T>(own, element<Family>(own, i, j));
  } else {
    for (int i = row; i < row + rows; ++i)
      for (int j = column; j < column + columns; ++j) at(i, j) = i == j ? 0 : kInfinity<T>;
    forEachArc<Family, T>(spec, [&](const Edge<T>& e) {
      const bool here =
          e.from >= row && e.from < row + rows && e.to >= column && e.to < column + columns;
      if (here) at(e.from, e.to) = std::min(at(e.from, e.to), e.weight);
    });
  }
}

/// Calls f with a value of the family's type and a 0 of the weights' type.
template <class F>
void withFamilyAndType(const Spec& spec, F f) {
  withFamily(spec, [&](auto family) { withType(spec.dtype, [&](auto zero) { f(family, zero); }); });
}

}  // namespace

Graph generate(const Spec& spec) {
  Graph graph;
  withFamilyAndType(spec, [&](auto family, auto zero) {
    using Family = decltype(family);
    using T = decltype(zero);
    if constexpr (Family::dense) {
      Matrix matrix(spec.n, spec.dtype);
      fillDense<Family>(spec, matrix.data().as<T>());
      graph.n = spec.n;
      graph.body = std::move(matrix);
    } else {
      graph = fromEdges(spec.n, sparseEdges<Family, T>(spec));
    }
  });
  return graph;
}

void generateInto(const Spec& spec, Elements matrix) {
  withFamilyAndType(spec, [&](auto family, auto zero) {
    using Family = decltype(family);
    using T = decltype(zero);
    if constexpr (Family::dense) {
      fillDense<Family>(spec, matrix.as<T>());
    } else {
      writeMatrix(spec.n, sparseEdges<Family, T>(spec), matrix.as<T>());
    }
  });
}

void generateBlock(const Spec& spec, int row, int rows, int column, int columns, Elements block) {
  withFamilyAndType(spec, [&](auto family, auto zero) {
    fillBlock<decltype(family)>(spec, row, rows, column, columns, block.as<decltype(zero)>());
  });
}
