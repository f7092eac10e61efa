// Graphs from a Spec on the host; a GPU generates its own. families.h has the families.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/families.h"

/// What a family says of itself; families.h explains the members.
struct FamilyInfo {
  std::string name, what, catches;
  bool complete, seeded, ranged;
  bool degreed;  ///< whether the graph depends on Spec::degree
};

/// All families whose weights are as apsp.h says, in the order of Families.
const std::vector<FamilyInfo>& familyTable();

/// Those with negative weights, in the order of NegativeFamilies. The first one's index is the size
/// of familyTable().
const std::vector<FamilyInfo>& negativeFamilyTable();

/// Whether the family of a graph has negative weights.
bool isNegative(const Spec& spec);

/// Throws Error(kUsage) if the family has negative weights and they are not accepted, if the graph
/// is undirected (then an edge of negative weight is a cycle), or if R is so large that real
/// numbers do not hold all weights.
void requireNegative(const Spec& spec, bool accepted);

/// The largest R of weights of that type.
std::int64_t largestRange(Dtype dtype);

/// Throws Error(kUsage) if R is larger than that. All that generates takes it for granted that it
/// is not.
void requireRange(const Spec& spec);

/// Throws Error(kUsage) if one of these options, for example "--seed", has no effect on the graphs
/// of the family.
void refuseIdleOptions(const Spec& spec, const std::vector<std::string>& given);

/// The family of a graph.
const FamilyInfo& familyOf(const Spec& spec);

/// The index of a family in the tables. Throws Error(kUsage), which names all families.
int familyIndex(const std::string& name);

/// "course n=1000 seed=1 range=100000 …": all that the graph depends on, but not the type of its
/// weights.
std::string describe(const Spec& spec);
/// The same of graphs of several sizes.
std::string describeWithoutSize(const Spec& spec);

/// The family of the graphs on which submissions are timed, if each call gets another one.
inline constexpr char kTimedFamily[] = "necessary";

/// A seed that nobody can predict.
std::uint64_t drawSeed();

/// The seed of a call's graph if each call gets another one. It tells neither the secret nor the
/// seeds of other calls, because it is a part of a SHA-256.
std::uint64_t seedOfCall(std::uint64_t secret, int n, int call);

/// The options of the command line that generate it: "--n 1000 --family ring". A seed is always
/// among them, because without one another graph would be drawn for a submission.
std::string optionsOf(const Spec& spec);

/// The graph: a matrix for dense families, edges for sparse ones. Throws Error(kMemory).
Graph generate(const Spec& spec);

/// Writes the same graph into an n×n matrix in host memory, whose elements are of the spec's type.
void generateInto(const Spec& spec, Elements matrix);

/// Writes the elements of rows i from `row` on and columns j from `column` on, (rows, columns), of
/// the same matrix.
void generateBlock(const Spec& spec, int row, int rows, int column, int columns, Elements block);
