// Edges, and entries of a matrix, while they are read. Their type is that of the weights that have
// been read so far. A number of another type converts all that are there.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "apsp.h"
#include "base/graph.h"
#include "base/memory.h"
#include "io/formats/announced.h"
#include "io/formats/compact.h"
#include "io/weights.h"

/// Entries of a matrix.
template <class T>
using Entries = std::vector<T>;

template <class To, class From>
Entries<To> converted(const Entries<From>& entries) {
  Entries<To> all;
  all.reserve(entries.size());
  for (const From entry : entries) all.push_back(convertedTo<To>(entry));
  return all;
}

/// Calls f with the list of the present type, of lists of all types. lists: a variant.
template <class Lists, class F>
decltype(auto) withList(Lists& lists, F&& f) {
  return std::visit([&](auto& list) -> decltype(auto) { return f(list); }, lists);
}

/// Edges or entries of one of the types, in the order of Dtype.
template <template <class> class List>
using ReadList = std::variant<List<std::int32_t>, List<float>, List<std::int64_t>, List<double>>;

/// Makes the list one of that type. Throws Error(kMemory).
template <template <class> class List>
void retype(ReadList<List>& lists, Dtype dtype) {
  if (lists.index() == static_cast<std::size_t>(dtype)) return;
  withType(dtype, [&](auto zero) {
    using To = decltype(zero);
    List<To> other;
    withList(lists, [&](const auto& list) {
      requireHostBytes(list.size() * sizeof(typename List<To>::value_type),
                       "the graph in the file");
      other = converted<To>(list);
    });
    lists = std::move(other);
  });
}

class ReadEdges {
 public:
  explicit ReadEdges(Dtype dtype) { retype<Edges>(edges_, dtype); }

  /// As reserveAnnounced().
  void reserve(std::size_t announced, const Text& text, std::size_t shortestLine) {
    withList(edges_, [&](auto& list) { reserveAnnounced(list, announced, text, shortestLine); });
  }
  void reserve(std::size_t count) {
    withList(edges_, [&](auto& list) { reserveRoom(list, count); });
  }

  /// Appends an edge. One of infinite weight is none.
  void add(int from, int to, const Number& weight) {
    auto* const edges = std::get_if<Edges<std::int32_t>>(&edges_);
    const auto* const whole = std::get_if<std::int32_t>(&weight);
    if (edges == nullptr || whole == nullptr) return addOther(from, to, weight);
    if (*whole != kInf) append(*edges, {from, to, *whole});
  }

  EndsOf ends() const {
    return withList(edges_, [](const auto& list) { return EndsOf(list); });
  }
  std::size_t size() const {
    const auto* const edges = std::get_if<Edges<std::int32_t>>(&edges_);  // asked for at every edge
    return edges != nullptr ? edges->size() : ends().size();
  }
  Dtype dtype() const { return static_cast<Dtype>(edges_.index()); }
  /// Calls f with the edges as they are now.
  template <class F>
  decltype(auto) with(F&& f) {
    return withList(edges_, f);
  }

  /// As graphOf(), of all edges, which are moved.
  FileGraph graph(int n, const ReadOptions& options, int first) {
    return with([&](auto& list) { return graphOf(n, std::move(list), options, first); });
  }

 private:
  void addOther(int from, int to, const Number& weight) {
    if (isInfinite(weight)) return;
    retype<Edges>(edges_, dtypeOf(weight));
    std::visit(
        [&](auto value) {
          append(std::get<Edges<decltype(value)>>(edges_), {from, to, value});
        },
        weight);
  }

  ReadList<Edges> edges_;
};

class ReadEntries {
 public:
  explicit ReadEntries(Dtype dtype) { retype<Entries>(entries_, dtype); }

  /// As reserveAnnounced().
  void reserve(std::size_t announced, const Text& text, std::size_t shortestLine) {
    withList(entries_, [&](auto& list) { reserveAnnounced(list, announced, text, shortestLine); });
  }
  void add(const Number& entry) {
    retype<Entries>(entries_, dtypeOf(entry));
    std::visit([&](auto value) { append(std::get<Entries<decltype(value)>>(entries_), value); },
               entry);
  }
  std::size_t size() const {
    return withList(entries_, [](const auto& list) { return list.size(); });
  }
  /// Calls f with the entries as they are now.
  template <class F>
  decltype(auto) with(F&& f) const {
    return withList(entries_, f);
  }

 private:
  ReadList<Entries> entries_;
};
