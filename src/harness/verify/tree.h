// Whether rows of predecessors are shortest-path trees. It shares no code with what finds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/graph.h"
#include "verify/bellman_ford.h"
#include "verify/sums.h"

/// The wrong entries of some rows of predecessors: how many, and the first one.
struct TreeFault {
  std::uint64_t count = 0;
  int source = 0, vertex = 0;
  std::string why;  ///< what is wrong with the first one

  /// "from vertex 3 to vertex 7: … (12 entries are wrong)".
  std::string text() const;
};

/// Adds the faults of other rows. The first by source remains the one shown.
void add(TreeFault& all, const TreeFault& some);

/// Checks rows of predecessors. Shortest paths are not unique, so it compares with no other tree.
/// A row is right for the distances D from its source s, if for each vertex j ≠ s
///
///   - it has no predecessor if D(j) is infinite, as s has none;
///   - else its predecessor k is a vertex, there is an edge from k to j, D(k) + w(k, j) = D(j);
///   - and from predecessor to predecessor it comes to s.
///
/// Then the edges on that way have the sum D(j), because every one adds what D says. So, if the
/// distances are right, the way is a shortest path. The last point excludes cycles of length 0.
///
/// Of reals, each way is added up in more exact sums. It may differ from D(j) by what two sums of
/// as many edges can have been rounded; if weights are negative, by SignedTolerance of as many. So
/// small errors of many edges do not add up to a large one. A solver may have rounded a way of many
/// edges to a little less than one of few edges. Then the way must be as near to the true distance,
/// which is found anew, and may differ from D(j) as two results of the graph may.
class TreeCheck {
 public:
  /// asked: what the distances are of a table; null: all. Keeps a reference to the graph.
  explicit TreeCheck(const Graph& graph, const Selection* asked = nullptr);

  /// The faults in the rows of the sources from `first` on. distances, predecessors: (count, n).
  TreeFault rows(int first, int count, ConstElements distances, const int* predecessors) const;

 private:
  // T is the type of the weights and distances.

  template <class T>
  TreeFault row(int source, const T* distances, const int* predecessors) const;
  /// Whether the distance of a vertex is that of its predecessor and the weight of the edge; of
  /// reals, whether that has a distance.
  template <class T>
  bool fits(int before, int vertex, const T* distances, T weight) const;
  /// Calls note(vertex, why) for each vertex whose way to the source is too long or too short.
  /// leads: (n), whether its predecessors lead there.
  template <class T, class Note>
  void addUp(int source, const T* distances, const int* predecessors,
             const std::vector<char>& leads, const Note& note) const;
  /// Whether a real distance may be the sum along a path of so many edges. Sum: SumOf the weights'
  /// type.
  template <class Sum>
  bool agrees(int source, int vertex, Sum distance, Sum sum, int edges) const;
  /// "" or what is wrong with one entry, apart from the way from there on.
  template <class T>
  std::string wrongEntry(int source, int vertex, const T* distances, const int* predecessors) const;
  /// The weight of an edge, infinity if there is none.
  template <class T>
  T weight(int from, int to) const;

  const Graph& graph_;
  std::optional<SignedTolerance> signed_;  // if real weights are negative
  std::vector<std::size_t> first_;         // of an edge list: where each vertex's edges begin
};
