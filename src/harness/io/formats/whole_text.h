// Text files that a library parses as a whole, and the vertices that have names in them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/graph.h"
#include "base/memory.h"
#include "io/formats/formats.h"
#include "io/formats/read_lists.h"
#include "io/input.h"

/// All bytes of a text file. The Input must outlive it.
class WholeText {
 public:
  /// skipLines: as Text takes it. times: how many bytes of memory the library takes for a byte of
  /// the file, at most. Throws Error(kMemory), Error(kInput).
  WholeText(Input& in, int skipLines, std::size_t times);

  /// The text after the lines that are skipped, without a byte order mark.
  std::string_view text() const { return std::string_view(bytes_).substr(begin_); }

  /// The line of the file in which the byte text()[at] is.
  std::size_t lineOf(std::size_t at) const;

  /// Throws Error(kInput), which names the line of text()[at].
  [[noreturn]] void failAt(std::size_t at, const std::string& message) const;
  /// Throws Error(kInput).
  [[noreturn]] void fail(const std::string& message) const { in_.fail(message); }

 private:
  Input& in_;
  std::string bytes_;
  std::size_t begin_ = 0;
};

/// The names of vertices, numbered from 0 in the order in which they come.
class NodeNames {
 public:
  /// Adds a name. Returns false if it was there. Throws Error(kMemory) if host memory is short.
  bool add(const std::string& name);
  /// The number of a name; −1 if it is none.
  int find(const std::string& name) const;
  int count() const { return static_cast<int>(names_.size()); }
  /// Makes these the lines of ReadReport::names, in the order of the vertices. Returns false, and
  /// changes nothing, if one is empty or has a line break, or if two are equal.
  bool show(std::vector<std::string> names);

  /// The names, one a line; "" if each is the number of its vertex.
  std::string lines() const;

  /// The graph of these vertices. ReadReport::names has lines().
  FileGraph graph(ReadEdges edges, const ReadOptions& options) const;

  /// Whether the name fits on a line of the file of names.
  static bool isLine(const std::string& name);

  /// The name of a vertex, as a line of ReadReport::names.
  const std::string& name(int v) const;

 private:
  std::vector<const std::string*> names_;  // in order
  std::vector<std::string> shown_;         // in their place; empty: the names themselves
  std::unordered_map<std::string, int> numbers_;
  GrowingMemory memory_{"the names in the file"};
};
