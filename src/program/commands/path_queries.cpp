#include "commands/path_queries.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/quantity.h"
#include "io/output.h"
#include "results/order_file.h"
#include "search/pairs.h"
#include "system/utf8.h"

namespace {

/// Lines are no longer than this: what is longer is no pair of names.
constexpr std::size_t kLongest = std::size_t{1} << 16;

class Stream {
 public:
  /// order: null if none is kept.
  Stream(const std::string& file, const Graph& graph, const Names& names, bool paths,
         const EliminationOrder* order)
      : file_(file), names_(names), paths_(paths), pairs_(graph, order, paths) {}

  /// Answers all lines. Throws Error(kInput) at the end if there were errors.
  void answer() {
    const Descriptor opened(file_ == "-" ? ::dup(STDIN_FILENO)
                                         : ::open(file_.c_str(), O_RDONLY | O_CLOEXEC));
    if (opened.number < 0) fail();
    std::vector<char> block(kLongest);
    std::string rest;  // a line that has not ended yet
    while (const std::size_t got = readSome(opened.number, block)) {
      rest.append(block.data(), got);
      std::size_t begin = 0;
      for (std::size_t end; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1)
        answerLine(std::string_view(rest).substr(begin, end - begin));
      rest.erase(0, begin);
      if (rest.size() > kLongest) {
        answerLine(rest);
        rest.clear();
      }
      pass();
    }
    if (!rest.empty()) answerLine(rest);
    pass();
    if (errors_ > 0)
      throw Error(
          ErrorCode::kInput,
          fmt::format("{}: {} no answer, the first is line {}: its answer says why", oneLine(file_),
                      counted(errors_, "line has", "lines have"), firstError_));
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: cannot be read: {}", oneLine(file_), std::strerror(errno)));
  }

  std::size_t readSome(int fd, std::vector<char>& block) const {
    ssize_t got = -1;
    while ((got = ::read(fd, block.data(), block.size())) < 0)
      if (errno != EINTR) fail();
    return static_cast<std::size_t>(got);
  }

  void pass() {
    out_.write(text_.data(), text_.size());
    text_.clear();
  }

  void answerLine(std::string_view line) {
    ++line_;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) return;
    try {
      if (isComment(line, names_, "")) return;
      if (line.size() > kLongest) throw Error(ErrorCode::kInput, "the line is too long for a pair");
      VertexWords ends(names_);
      takePair(line, "", ends);
      const std::vector<int> pair = ends.vertices();
      answerPair(pair[0], pair[1]);
    } catch (const Error& error) {
      if (errors_++ == 0) firstError_ = line_;
      fmt::format_to(std::back_inserter(text_), "error\tline {}: {}\n", line_, error.what());
    }
  }

  void answerPair(int from, int to) {
    Number length;
    std::string path;
    if (paths_) {
      for (const int vertex : pairs_.path(from, to, length)) {
        path += path.empty() ? '\t' : ' ';
        names_.appendTo(path, vertex);
      }
    } else {
      length = pairs_.distance(from, to);
    }
    const bool none = length == infinityOf(dtypeOf(length));
    fmt::format_to(std::back_inserter(text_), "{}\t{}\t{}{}\n", names_(from), names_(to),
                   none ? "inf" : textOf(length), path);
  }

  const std::string& file_;
  OutputFile out_{"-"};  // not show(), which has no tabs
  const Names& names_;
  const bool paths_;
  Pairs pairs_;
  std::string text_;  // answers that are not printed yet
  std::size_t line_ = 0;
  std::size_t errors_ = 0, firstError_ = 0;
};

}  // namespace

void answerQueries(const std::string& file, const Graph& graph, const Names& names, bool paths,
                   const std::string& order) {
  if (!order.empty() && graph.dense())
    throw Error(ErrorCode::kUsage,
                "--order is for a graph of edges, and this one is a matrix: leave it out");
  const KeptOrder kept = order.empty() ? KeptOrder() : keptOrder(order, graph);
  Stream(file, graph, names, paths, kept.order.get()).answer();
}
