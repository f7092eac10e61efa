// The warnings of calls on graphs of several sizes, in one line.
#pragma once

#include <map>
#include <set>
#include <string>

class Warnings {
 public:
  /// Adds a call on a graph of n vertices and its SubmittedCall::warning: "", or what it warns of,
  /// joined by "; ".
  void add(int n, const std::string& warning);
  /// Adds the calls of another one.
  void add(const Warnings& others);
  /// "leaves a launch error behind at n = 1..32 (7 sizes): invalid argument": each warning with the
  /// n at which it came. "" without a warning.
  std::string line() const;
  /// The n of all calls, and for each warning those of the calls that gave it.
  const std::set<int>& tried() const { return tried_; }
  const std::map<std::string, std::set<int>>& sizes() const { return sizes_; }

 private:
  std::set<int> tried_;
  std::map<std::string, std::set<int>> sizes_;  // warning → the n of its calls
};
