// el: an edge list as text. A line `u v w` is the edge u→v of weight w, which is 1 if it is
// missing. Vertices from 0, or from 1 with --base 1. Lines that begin with # or % are comments.
//
// n is the largest id + 1 (the largest id with --base 1), unless the file or the user gives it:
//
//   --vertices N      n is N.
//   `N`               A first line with one number only is n.
//   `# Nodes: N`      A comment before the first edge, as SNAP writes it, is n if the ids are
//                     below it. They often are not, because some ids are unused. Then nobody can
//                     tell which n is meant, and the message asks for --vertices.
//   `N M`             A first line with two numbers is an edge. But if M lines follow and their ids
//                     fit N vertices, it may be a header, and the message asks for --skip-lines.
//
// --vertices wins over the others, and the first line over the comment. --skip-lines K passes over
// K lines; then every later line that is no comment is an edge.
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/formats/announced.h"
#include "io/formats/format.h"
#include "io/text.h"
#include "io/weights.h"

namespace {

/// A number of vertices that the file gives, and the line that gives it.
struct Given {
  int n;
  std::size_t line;
};

bool isComment(const Text& text) {
  return text.first() == '#' || text.first() == '%';
}

/// N if the current line is a comment `# Nodes: N`.
std::optional<Given> nodesComment(Text& text) {
  std::string_view field = text.field();
  if (field == "#" || field == "%") field = text.field();
  if (field != "Nodes:" && field != "#Nodes:") return {};
  const std::int64_t nodes = text.number();
  if (nodes < 0) return {};
  if (nodes > INT_MAX) text.fail(fmt::format("{} nodes are more than {}", nodes, INT_MAX));
  return Given{static_cast<int>(nodes), text.line()};
}

class Reader {
 public:
  Reader(Input& in, const ReadOptions& options)
      : text_(in, options.skipLines),
        options_(options),
        type_(options.dtype, [this] { toFloats(edges_); }) {}

  Graph read() {
    bool more = readHead();
    const int first = options_.base;
    const std::int64_t last = std::int64_t{most_.value_or(INT_MAX)} - 1 + first;
    int n = most_.value_or(0);
    for (; more; more = nextEdge(), ++lines_) {
      Edge e{};
      e.from = text_.vertex(first, last, hint_);
      e.to = text_.vertex(first, last, hint_);
      e.weight = text_.atEnd() ? type_.weight(1) : text_.weight(e.from, e.to, first, type_);
      text_.endOfLine();
      if (e.weight != infinity(type_.dtype())) append(edges_, e);
      n = std::max({n, e.from + 1, e.to + 1});
    }
    if (pair_ != 0) requireEdgeFirst();
    if (!most_) {
      n = withComment(n);
      reportSize(options_, n);
    }
    return fromEdges(n, std::move(edges_), type_.dtype());
  }

 private:
  bool nextEdge() {
    bool more = text_.next();
    while (more && isComment(text_)) more = text_.next();
    return more;
  }

  /// Reads the comments and the header before the first edge. Returns whether there is an edge.
  bool readHead() {
    bool more = text_.next();
    for (; more && isComment(text_); more = text_.next())
      if (const std::optional<Given> given = nodesComment(text_)) comment_ = given;
    if (options_.vertices >= 0) most_ = options_.vertices;
    const int fields = more && options_.skipLines < 0 ? text_.fieldsLeft() : 0;
    if (fields == 2) pair_ = text_.line();
    if (fields == 1) {
      const Given given{text_.count("a vertex count or an edge"), text_.line()};
      if (!most_) {
        most_ = given.n;
        hint_ = fmt::format(
            ", line {} gives {} vertices: --base {} if ids begin at {}, else give "
            "--vertices",
            given.line, given.n, 1 - options_.base, 1 - options_.base);
      }
      more = nextEdge();
    }
    if (most_) reportSize(options_, *most_);
    return more;
  }

  /// Throws if the first line, two numbers N and M, may be a header: M lines follow, and their ids
  /// fit N vertices.
  void requireEdgeFirst() const {
    const Edge& head = edges_.front();
    const int n = head.from + options_.base, m = head.to + options_.base;
    if (lines_ == 1 || lines_ - 1 != static_cast<std::size_t>(m)) return;
    for (std::size_t k = 1; k < edges_.size(); ++k)
      if (std::max(edges_[k].from, edges_[k].to) >= n) return;
    text_.failAt(pair_,
                 fmt::format("'{0} {1}' may be a header or an edge: give --skip-lines {2} "
                             "--vertices {0} if it is a header, --skip-lines {3} if it is an edge",
                             n, m, pair_, pair_ - 1));
  }

  /// n, of which the ids need `needed`, as the comment `# Nodes: N` gives it.
  int withComment(int needed) const {
    if (!comment_ || comment_->n >= needed) return comment_ ? comment_->n : needed;
    const auto isFirst = [](const Edge& e) { return e.from == 0 || e.to == 0; };
    const bool fromOne = options_.base == 0 && needed == comment_->n + 1 &&
                         std::none_of(edges_.begin(), edges_.end(), isFirst);
    text_.failAt(
        comment_->line,
        fmt::format("the comment says {} vertices, but the largest id is {}: {}", comment_->n,
                    std::int64_t{needed} - 1 + options_.base,
                    fromOne ? "give --base 1 if ids begin at 1"
                            : fmt::format("give --vertices {} if some ids are unused", needed)));
  }

  Text text_;
  const ReadOptions& options_;
  std::vector<Edge> edges_;
  ReadType type_;
  std::size_t lines_ = 0;         // of edges
  std::optional<int> most_;       // n, if it was given, by the user or by the first line
  std::optional<Given> comment_;  // the last `# Nodes: N` before the first edge
  std::size_t pair_ = 0;          // the first line, if it has two numbers; else 0
  std::string hint_;              // for a vertex that is too large
};

Graph read(Input& in, const ReadOptions& options) {
  return Reader(in, options).read();
}

}  // namespace

constexpr Format kEdgeList = [] {
  Format format;
  format.name = "el";
  format.extensions = {".el", ".txt", ".tsv"};
  format.text = true;
  format.reals = true;
  format.options = {"--base", "--vertices"};
  format.read = read;
  return format;
}();
