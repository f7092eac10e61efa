#include "io/formats/whole_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <unordered_set>

#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/size.h"
#include "system/utf8.h"

WholeText::WholeText(Input& in, int skipLines, std::size_t times) : in_(in) {
  bytes_ = in.readAll();
  requireHostBytes(bytes_.size() * times, "what the text of the file says");
  if (isUtf16(bytes_)) in.fail("is UTF-16 text: convert it with iconv -f UTF-16 -t UTF-8");
  if (const std::size_t zero = bytes_.find('\0'); zero != bytes_.npos)
    failAt(zero, "a zero byte, which no text has");
  if (bytes_.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0) begin_ = kByteOrderMark.size();
  for (int i = 0; i < skipLines; ++i) {
    if (begin_ == bytes_.size())
      in.fail(fmt::format("--skip-lines {}: the file has {}", skipLines,
                          counted(static_cast<std::uint64_t>(i), "line")));
    begin_ = std::min(bytes_.find('\n', begin_), bytes_.size() - 1) + 1;
  }
}

std::size_t WholeText::lineOf(std::size_t at) const {
  const auto end =
      bytes_.begin() + static_cast<std::ptrdiff_t>(std::min(begin_ + at, bytes_.size()));
  return 1 + asSize(std::count(bytes_.begin(), end, '\n'));
}

void WholeText::failAt(std::size_t at, const std::string& message) const {
  throw Error(ErrorCode::kInput, fmt::format("{}:{}: {}", in_.name(), lineOf(at), message));
}

bool NodeNames::add(const std::string& name) {
  constexpr std::size_t kBytes = 96;  // of a name in the table, besides its text
  const auto [found, isNew] = numbers_.try_emplace(name, count());
  if (!isNew) return false;
  memory_.take(kBytes + name.size());
  names_.push_back(&found->first);
  return true;
}

int NodeNames::find(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? -1 : found->second;
}

const std::string& NodeNames::name(int v) const {
  const auto at = asSize(v);
  return shown_.empty() ? *names_[at] : shown_[at];
}

bool NodeNames::show(std::vector<std::string> names) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names)
    if (!isLine(name) || !seen.insert(name).second) return false;
  shown_ = std::move(names);
  return true;
}

std::string NodeNames::lines() const {
  bool numbers = true;
  std::string names;
  for (int v = 0; v < count(); ++v) {
    numbers = numbers && name(v) == std::to_string(v);
    names += name(v) + '\n';
  }
  return numbers ? "" : names;
}

FileGraph NodeNames::graph(ReadEdges edges, const ReadOptions& options) const {
  FileGraph graph = edges.graph(count(), options, 0);
  std::string names = lines();
  if (names.empty()) return graph;
  if (options.compact) {  // graph.report.names has the numbers of the vertices that are kept
    std::istringstream kept(graph.report.names);
    names.clear();
    for (int v = 0; kept >> v;) names += name(v) + '\n';
  }
  graph.report.names = std::move(names);
  return graph;
}

bool NodeNames::isLine(const std::string& name) {
  return !name.empty() && name.find_first_of(std::string_view("\n\r\0", 3)) == name.npos;
}
