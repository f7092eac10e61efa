#include "commands/shown_column.h"

#include "base/size.h"

namespace {

std::uint64_t keyOf(int from, int to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
}

}  // namespace

void ShownColumn::take(const AnyEdge& edge, const std::string& text) {
  constexpr std::size_t kBytes = 64;  // of an edge in the table, besides a long text
  const double weight = toDouble(edge.weight);
  const auto [found, isNew] = shown_.try_emplace(keyOf(edge.from, edge.to), Shown{weight, text});
  if (isNew) memory_.take(kBytes + sizeof(Shown) + text.size());
  if (weight < found->second.weight) found->second = {weight, text};
}

void ShownColumn::renumber(const Names& names, int count, int base) {
  for (int v = 0; v < count; ++v) before_.push_back(std::stoi(names(v)) - base);
}

const ShownColumn::Shown* ShownColumn::find(int from, int to) const {
  const auto before = [&](int v) { return before_.empty() ? v : before_[asSize(v)]; };
  const auto found = shown_.find(keyOf(before(from), before(to)));
  return found == shown_.end() ? nullptr : &found->second;
}

std::string ShownColumn::operator()(int from, int to) const {
  const Shown* forth = find(from, to);
  const Shown* back = undirected_ ? find(to, from) : nullptr;
  if (forth == nullptr || (back != nullptr && back->weight < forth->weight)) forth = back;
  return forth == nullptr ? "" : forth->text;
}
