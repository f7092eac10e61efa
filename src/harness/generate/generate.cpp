#include "generate/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <type_traits>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
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
  return static_cast<std::size_t>(spec.family) >= familyTable().size();
}

void requireNegative(const Spec& spec, bool accepted) {
  if (!isNegative(spec)) return;
  if (!accepted)
    throw Error(Exit::kUsage, fmt::format("the family {} has negative weights: give --negative",
                                          familyOf(spec).name));
  if (spec.undirected)
    throw Error(
        Exit::kUsage,
        fmt::format("the family {} has negative weights, and an undirected edge of negative "
                    "weight is a negative cycle: leave out --undirected",
                    familyOf(spec).name));
  constexpr int kExact = 1 << 24;  // beyond it, rounding makes negative cycles
  if (spec.dtype == Dtype::kFloat32 && familyOf(spec).ranged && spec.range > kExact)
    throw Error(Exit::kUsage,
                fmt::format("the family {} with --range {}: float32 cannot hold its weights: give "
                            "--range {} or less, or leave out --dtype f32",
                            familyOf(spec).name, spec.range, kExact));
}

const FamilyInfo& familyOf(const Spec& spec) {
  const auto index = static_cast<std::size_t>(spec.family), first = familyTable().size();
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
  throw Error(Exit::kUsage, fmt::format("no graph family '{}': {}", name, suggestion(name, known)));
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
    throw Error(Exit::kUsage,
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

/// Calls visit(Edge) for the arcs of a sparse graph, also backwards if it is undirected.
template <class Family, class Visit>
void forEachArc(const Spec& spec, Visit visit) {
  for (int i = 0; i < spec.n; ++i) {
    for (int k = 0; k < Family::arcs(spec); ++k) {
      const Edge e = Family::arc(spec, i, k);
      if (e.weight == kInf) continue;
      visit(e);
      if (spec.undirected) visit(Edge{e.to, e.from, e.weight});
    }
  }
}

template <class Family>
std::vector<Edge> sparseEdges(const Spec& spec) {
  const std::size_t most =
      static_cast<std::size_t>(spec.n) * Family::arcs(spec) * (spec.undirected ? 2 : 1);
  requireHostBytes(most * sizeof(Edge), "the edge list");
  std::vector<Edge> edges;
  edges.reserve(most);
  forEachArc<Family>(spec, [&](const Edge& e) { edges.push_back(e); });
  return edges;
}

template <class Family>
void fillDense(const Spec& spec, int* matrix) {
  Progress rows(fmt::format("generating n = {}", spec.n), static_cast<std::uint64_t>(spec.n));
#pragma omp parallel for schedule(static) if (spec.n >= kWorthThreads)
  for (int i = 0; i < spec.n; ++i) {
    int* row = matrix + static_cast<std::size_t>(i) * spec.n;
    for (int j = 0; j < spec.n; ++j) row[j] = element<Family>(spec, i, j);
    rows.advance();
  }
}

}  // namespace

Graph generate(const Spec& spec) {
  Graph graph;
  withFamily(spec, [&](auto family) {
    using Family = decltype(family);
    if constexpr (Family::dense) {
      Matrix matrix(spec.n);
      fillDense<Family>(spec, matrix.data());
      graph.n = spec.n;
      graph.body = std::move(matrix);
    } else {
      graph = fromEdges(spec.n, sparseEdges<Family>(spec));
      graph.duplicates = 0;  // they come from `undirected`, not from a file
    }
  });
  if (spec.dtype == Dtype::kFloat32) toFloats(graph);
  return graph;
}

void generateInto(const Spec& spec, int* matrix) {
  withFamily(spec, [&](auto family) {
    using Family = decltype(family);
    if constexpr (Family::dense) {
      fillDense<Family>(spec, matrix);
    } else {
      writeMatrix(spec.n, sparseEdges<Family>(spec), matrix);
    }
  });
  if (spec.dtype == Dtype::kFloat32) toFloats(static_cast<std::size_t>(spec.n) * spec.n, matrix);
}

void generateBlock(const Spec& spec, int row, int rows, int column, int columns, int* block) {
  const auto at = [&](int i, int j) -> int& {
    return block[static_cast<std::size_t>(i - row) * columns + (j - column)];
  };
  withFamily(spec, [&](auto family) {
    using Family = decltype(family);
    if constexpr (Family::dense) {
#pragma omp parallel for schedule(static) if (rows >= kWorthThreads)
      for (int i = row; i < row + rows; ++i)
        for (int j = column; j < column + columns; ++j) at(i, j) = element<Family>(spec, i, j);
    } else {
      for (int i = row; i < row + rows; ++i)
        for (int j = column; j < column + columns; ++j) at(i, j) = i == j ? 0 : kInf;
      forEachArc<Family>(spec, [&](const Edge& e) {
        const bool here =
            e.from >= row && e.from < row + rows && e.to >= column && e.to < column + columns;
        if (here) at(e.from, e.to) = std::min(at(e.from, e.to), e.weight);
      });
    }
  });
  if (spec.dtype == Dtype::kFloat32) toFloats(static_cast<std::size_t>(rows) * columns, block);
}
