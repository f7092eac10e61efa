// Vertices as the user calls them: by the labels or ids of the graph's file, else by number.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/size.h"

using namespace engine;

class Names {
 public:
  /// The graph has n vertices. names: as ReadReport::names.
  Names(int n, const std::string& names);

  std::string operator()(int vertex) const {
    return names_.empty() ? std::to_string(vertex) : names_[asSize(vertex)];
  }

  /// Appends the name of a vertex to a text.
  void appendTo(std::string& text, int vertex) const;

  /// Whether the file has names, or ids other than the numbers of the vertices.
  bool any() const { return !names_.empty(); }

  /// Whether a name of the file is this word.
  bool has(const std::string& word) const { return numbers_.count(word) != 0; }

  /// Whether a word of a file begins a comment: it begins with #, and is no name. Throws
  /// Error(kInput) if more than the # belongs to it and the file has names: it may be a name that
  /// was mistyped.
  bool beginsComment(std::string_view word, const std::string& where) const;

  /// The vertex of a name, which may be in quotes as in CSV, or of a number if the file has no
  /// names; nullopt if there is none.
  std::optional<int> find(const std::string& word) const;

  /// Says that these words (1 or more), and so many more, are no vertices, and why: `advice`, or
  /// which names are near.
  std::string absent(const std::vector<std::string>& words, std::size_t more,
                     const std::string& advice) const;

 private:
  int n_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> numbers_;
};

/// Takes the vertices that words mean, one by one, and the words that mean none: one message names
/// all of these.
class VertexWords {
 public:
  explicit VertexWords(const Names& names) : names_(names) {}

  const Names& names() const { return names_; }

  /// Takes one vertex. where: what stands before the message, if this is the first word of no
  /// vertex. Throws Error(kUsage) if very many words mean none: a list may have no end.
  void take(const std::string& word, const std::string& where);

  /// The same, or all vertices from N to M of the word N-M, unless the file has names. Throws
  /// Error(kUsage) if N is larger than M.
  void takeRange(const std::string& word, const std::string& where);

  /// All of them, in their order. Throws Error(kUsage) if some words mean none. advice: gives what
  /// Names::absent() takes; it is called only then.
  std::vector<int> vertices(const std::function<std::string()>& advice = nullptr);

 private:
  const Names& names_;
  std::vector<int> vertices_;
  [[noreturn]] void fail(const std::string& advice) const;

  std::vector<std::string> absent_;  // the first of them
  std::size_t more_ = 0;             // and how many others
  std::string where_;                // of the first one
};

/// The file that a list of vertices is read from; "" if `text` itself is the list: it consists of
/// digits, commas and dashes only, or there is no such file. `-` is standard input. FILE:COLUMN is
/// a column of the table in FILE, unless a file has this name.
std::string listFile(const std::string& text);

/// The vertices of a list: words that commas separate, or of a file with some in each line, where
/// `#` begins a comment. A word with a blank or a comma is in quotes, as in CSV; a name that is a
/// whole line of a file, or the whole list, needs none. FILE:COLUMN has one in each line below the
/// header of a table, in the column of this name or number. In their order; one may come up several
/// times. flag: for messages. Throws Error(kUsage) if `text` is a file and a vertex, if words mean
/// no vertices (all of them are named), or there is none, Error(kInput) if the file cannot be read.
std::vector<int> readVertices(const std::string& text, const std::string& flag, const Names& names);

/// Whether a line of pairs is a comment: it begins with #, and not with a name. Throws
/// Error(kInput) if nobody can tell.
bool isComment(std::string_view line, const Names& names, const std::string& where);

/// Takes the two vertices of a line, which a comma, a semicolon, a tab or blanks separate. where:
/// for messages. Throws Error(kInput) unless these are two words.
void takePair(std::string_view line, const std::string& where, VertexWords& to);

/// The same of each line of a file, but for comments. Throws as readVertices() does.
std::vector<std::pair<int, int>> readPairs(const std::string& path, const Names& names);
