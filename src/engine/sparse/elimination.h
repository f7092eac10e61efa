// What eliminating the vertices in some order leads to, before memory is taken for any arc: which
// vertices are worth eliminating, how many arcs there will be, and how long solving will take.
#pragma once

#include <cstdint>
#include <vector>

#include "sparse/pattern.h"

namespace engine::sparse {

/// Seconds that one thread takes for steps of the solver, with numbers of 32 bits. They are
/// estimates, by which the size of the core and the method are chosen.
struct Rates {
  double triangle = 4e-9;    ///< to customise and prune a triangle
  double relax = 0.085e-9;   ///< to sweep one arc for one source
  double write = 0.5e-9;     ///< of each distance, to write it
  double product = 2.4e-11;  ///< a relaxation of the dense solver
  double real = 1;           ///< all of the dense solver with real weights, beside whole ones
  double filtered = 0;       ///< at the most for an element of a large core; 0: as `product` says
  int tile = 64;             ///< n is a multiple of this for the dense solver
  double arc = 25e-9;        ///< to order and eliminate, for each edge of the graph
  double vertex = 400e-9;    ///< and for each vertex
  double rest = 1.3;         ///< all of it together, divided by what is counted here
  double prepare = 100e-9;   ///< what is left to prepare, for each vertex
  double climb = 90e-9;      ///< and for each arc of the hierarchy
  double level = 0;          ///< of the elimination tree, to sweep it, however few vertices it has
  double coreWord = 0;       ///< to move an element of the core's matrix to the solver and back
  double threads = 1;        ///< as many as would be as fast if each did its part (speedOf())
  int coreThreads = 0;  ///< threads for which the size of the core is the best; 0: those
  double sources = -1;  ///< from which distances are asked for; −1: all vertices
};

/// The positions of the vertices. Those below `core` are eliminated one after the other: they are
/// the hierarchy. The others are the core. The positions below `core` are a postorder of the
/// elimination tree: every vertex comes after all vertices below it, which are next to each other.
struct Elimination {
  std::vector<int> position;  ///< of each vertex
  std::vector<int> vertex;    ///< of each position
  std::vector<int>
      parent;  ///< of each position below core: the lowest neighbour above it; −1: none
  std::vector<int> above;   ///< of each position below core: how many neighbours it has above it
  int core = 0;             ///< the first position of the core
  std::uint64_t arcs = 0;   ///< of the hierarchy: the sum of `above`
  double milliseconds = 0;  ///< that solving is expected to take from here on

  int vertices() const { return static_cast<int>(position.size()); }
  int coreSize() const { return vertices() - core; }
};

/// Eliminates as many vertices as pays, those with few neighbours first. order: all vertices of the
/// pattern; each joins the neighbours that come after it.
Elimination eliminate(const Pattern& pattern, const std::vector<int>& order, const Rates& rates);

/// The same, with as many vertices in the core as given.
Elimination eliminate(const Pattern& pattern, const std::vector<int>& order, int coreSize);

/// The positions of the vertices of a forest in a postorder: each vertex comes after all below it,
/// and these are next to each other. parent: of each vertex, a higher number; that of a root is
/// none of the vertices.
std::vector<int> postorderPositions(const std::vector<int>& parent);

/// Milliseconds that the dense solver is expected to take.
double denseMilliseconds(int n, const Rates& rates);

}  // namespace engine::sparse
