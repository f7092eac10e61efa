// Sources do not depend on each other: every rank gets all edges, and answers for some of them by
// itself (search/near.h), in the way that it finds best for so many. No message is sent meanwhile.
// What all sources need, as the hierarchy of the sparse method, each rank makes for itself, as in
// source_rows.cpp.
#include "several/near_rows.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <vector>

#include "base/size.h"
#include "ranks/grid.h"
#include "solver/solver.h"

namespace engine {

namespace {

/// Rows are sent together until they have so many distances.
constexpr std::size_t kTogether = std::size_t{1} << 16;

void shareList(Ranks& all, std::vector<int>& list) {
  std::size_t count = list.size();
  all.broadcast(&count, sizeof count, 0);
  list.resize(count);
  if (count > 0) all.broadcast(list.data(), count * sizeof(int), 0);
}

/// How many distances each row has.
using Counts = std::vector<std::uint64_t>;

/// Calls move(first, end, distances) for rows that are sent or received together, one piece after
/// the other.
template <class Move>
void moveTogether(const Counts& counts, const Move& move) {
  for (std::size_t first = 0, end = 0; first < counts.size(); first = end) {
    std::size_t distances = 0;
    while (end < counts.size() && distances < kTogether) distances += counts[end++];
    if (distances > 0) move(static_cast<int>(first), static_cast<int>(end), distances);
  }
}

/// The columns and distances of a piece, one row after the other.
struct Packed {
  Packed(std::size_t count, Dtype dtype)
      : size(sizeOf(dtype)), columns(count), distances(count * size) {}
  std::size_t size;  ///< of a distance
  std::vector<int> columns;
  std::vector<char> distances;
};

void sendRows(Ranks& all, const SparseRows& rows) {
  Counts counts;
  for (int i = 0; i < rows.rowCount(); ++i) counts.push_back(rows.count(i));
  if (counts.empty()) return;
  all.send(counts.data(), counts.size() * sizeof counts[0], 0);
  moveTogether(counts, [&](int first, int end, std::size_t distances) {
    Packed piece(distances, rows.dtype());
    std::size_t at = 0;
    for (int i = first; i < end; ++i) {
      const std::size_t count = rows.count(i);
      if (count == 0) continue;
      std::copy_n(rows.columnsOf(i), count, piece.columns.data() + at);
      std::memcpy(piece.distances.data() + at * piece.size, rows.distances(i).data(),
                  count * piece.size);
      at += count;
    }
    all.send(piece.columns.data(), distances * sizeof(int), 0);
    all.send(piece.distances.data(), piece.distances.size(), 0);
  });
}

/// Puts a row, if there is room for it.
void putRow(SparseRows& rows, int row, std::size_t count, const int* columns,
            const void* distances) {
  const auto places = rows.place(row, count);
  if (places.columns == nullptr) return;
  std::copy_n(columns, count, places.columns);
  std::memcpy(places.distances, distances, count * sizeOf(rows.dtype()));
}

/// From another rank, which has `band` of the rows.
void receiveRows(Ranks& all, int rank, Band band, SparseRows& rows) {
  Counts counts(asSize(band.count));
  if (counts.empty()) return;
  all.receive(counts.data(), counts.size() * sizeof counts[0], rank);
  moveTogether(counts, [&](int first, int end, std::size_t distances) {
    Packed piece(distances, rows.dtype());
    all.receive(piece.columns.data(), distances * sizeof(int), rank);
    all.receive(piece.distances.data(), piece.distances.size(), rank);
    std::size_t at = 0;
    for (int i = first; i < end; ++i) {
      const std::size_t count = counts[asSize(i)];
      putRow(rows, band.first + i, count, piece.columns.data() + at,
             piece.distances.data() + at * piece.size);
      at += count;
    }
  });
}

}  // namespace

void shareQuestion(Ranks& all, NearQuestion& question) {
  shareList(all, question.asked.sources);
  shareList(all, question.asked.targets);
  static_assert(std::is_trivially_copyable_v<Nearness>);
  all.broadcast(&question.near, sizeof question.near, 0);
}

NearShare findShare(const Ranks& all, const ProblemGraph& graph, const NearQuestion& question) {
  const Selection& asked = question.asked;
  const Band band = shareOf(asked.rows(graph.n()), all.size(), all.rank());
  NearShare mine;
  try {
    if (band.count == 0) {
      mine.rows = std::make_unique<SparseRows>(0, asked.columns(graph.n()), graph.dtype());
      return mine;
    }
    Selection some{{}, asked.targets};
    for (int row = band.first; row < band.end(); ++row) some.sources.push_back(asked.source(row));
    Execution where{cpuDevice};
    where.sharers = all.onThisHost();
    Nearness near = question.near;
    near.paths = false;  // rank 0 finds them when it writes them
    NearRows found = findNear({graph, &some}, where, findSolver("apsp", DeviceKind::kCpu), near);
    mine.rows = std::move(found.rows);
    mine.by = found.by;
  } catch (const Error& error) {
    mine.trouble = error.what();
    mine.code = error.code;
  } catch (const std::bad_alloc&) {
    mine.trouble = "out of host memory for the distances of a rank";
  }
  return mine;
}

std::unique_ptr<SparseRows> gatherRows(Ranks& all, int rows, const SparseRows& mine) {
  if (all.rank() > 0) {
    sendRows(all, mine);
    return nullptr;
  }
  auto whole = std::make_unique<SparseRows>(rows, mine.columns(), mine.dtype());
  for (int i = 0; i < mine.rowCount(); ++i)
    putRow(*whole, i, mine.count(i), mine.columnsOf(i), mine.distances(i).data());
  for (int rank = 1; rank < all.size(); ++rank)
    receiveRows(all, rank, shareOf(rows, all.size(), rank), *whole);
  return whole;
}

}  // namespace engine
