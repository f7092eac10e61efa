// The weights of edges in files where an edge may have one.
#pragma once

#include <cstddef>

/// Either all edges have a weight, or none has, and each weighs 1. Else weights were lost.
class EdgeWeights {
 public:
  /// Takes the next edge, at this place of the file. Returns false if an edge before it has a
  /// weight and it has none, or the other way round; other() is the place of the first edge.
  bool take(bool has, std::size_t place) {
    if (count_++ == 0) has_ = has, other_ = place;
    return has == has_;
  }
  std::size_t other() const { return other_; }

  /// What to say of an edge that was refused.
  const char* fault(bool has) const {
    return has ? "the edge has a weight, and the first one has none"
               : "the edge has no weight, and the first one has one";
  }

 private:
  std::size_t count_ = 0, other_ = 0;
  bool has_ = false;
};
