// Graphs from a Spec on the host (families.h says what each is; a GPU generates its own).
#pragma once

#include <string>
#include <vector>

#include "generate/families.h"

struct FamilyInfo {
  std::string name, what;
};

/// The families' names and descriptions, in the order of Families.
const std::vector<FamilyInfo>& familyTable();

/// The index of a family in the table; throws Error(kUsage) naming the choices.
int familyIndex(const std::string& name);

/// "course n=1000 seed=1 range=100000 …": everything that decides the weights, and not
/// their type.
std::string describe(const Spec& spec);

/// The graph: a matrix for dense families, edges for sparse ones. Throws Error(kMemory).
Graph generate(const Spec& spec);

/// The same graph written into an n×n matrix in host memory.
void generateInto(const Spec& spec, int* matrix);
