// The weights of edges in files where an edge may have attributes, and one of them is its weight.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "io/formats/formats.h"

/// Either all edges have a weight, or none has, and each weighs 1. Else weights were lost. If no
/// edge has one, but they have other attributes that are numbers, nobody can tell what they weigh.
class EdgeWeights {
 public:
  explicit EdgeWeights(const ReadOptions& options) : options_(options) {}

  /// Whether the attribute of this name is the weight.
  bool isWeight(std::string_view name) const {
    return options_.weight.empty() ? name == "weight" : name == options_.weight;
  }

  /// Takes another attribute of an edge.
  void takeOther(std::string_view name, std::string_view value);

  /// Takes the next edge, at this place of the file. Returns what is wrong with it: an edge before
  /// it has a weight and it has none, or the other way round; or it lacks the one of --weight.
  /// other() is the place of the first edge.
  std::string take(bool has, std::size_t place);
  std::size_t other() const { return other_; }

  /// Whether there are edges, and none has a weight.
  bool missing() const { return count_ > 0 && !has_; }
  /// If missing(): what to do if some other attributes are numbers on every edge that has them;
  /// else "".
  std::string advice() const;

 private:
  std::string numbers() const;

  const ReadOptions& options_;
  std::size_t count_ = 0, other_ = 0;
  bool has_ = false;
  std::map<std::string, bool, std::less<>> others_;  // whether each value is a number
};
