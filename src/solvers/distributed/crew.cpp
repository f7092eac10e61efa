#include "solvers/distributed/crew.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <utility>

#include "core/clock.h"
#include "core/error.h"
#include "generate/generate.h"

namespace {

/// The rows that both bands have.
Band common(Band a, Band b) {
  const int first = std::max(a.first, b.first);
  return {first, std::max(0, std::min(a.end(), b.end()) - first)};
}

std::size_t product(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

/// Copies a block out of rows of n words, or into them.
void copyBlock(Band rows, Band columns, int n, int* block, int* words, bool out) {
  for (int i = 0; i < rows.count; ++i) {
    int* const row = words + product(i, n) + columns.first;
    int* const piece = block + product(i, columns.count);
    std::copy_n(out ? row : piece, columns.count, out ? piece : row);
  }
}

}  // namespace

Crew::~Crew() {
  if (all_.rank() == 0) command({Order::kLeave});
}

void Crew::useGrid(Grid grid) {
  if (grid.ranks() != all_.size())
    throw Error(Exit::kUsage, fmt::format("--grid {}x{} has {} places, but there are {} ranks",
                                          grid.rows, grid.columns, grid.ranks(), all_.size()));
  grid_ = grid;
}

void Crew::follow() {
  for (Order order{Order::kLeave};;) {
    all_.broadcast(&order, sizeof order, 0);
    if (order.kind == Order::kLeave) return;
    try {
      perform(order);
    } catch (const Error& error) {
      if (order.kind != Order::kPrepare) all_.abandon(error.what());  // else rank 0 reports it
    }
  }
}

void Crew::command(const Order& order) {
  Order copy = order;
  all_.broadcast(&copy, sizeof copy, 0);
  perform(order);
}

int Crew::prepare(int n, Dtype dtype) {
  Order order{Order::kPrepare, runs_++};
  order.n = n;
  order.dtype = dtype;
  order.grid = grid_;
  order.threads = omp_get_max_threads();
  command(order);
  return order.run;
}

void Crew::generate(int run, const Spec& spec, bool zero) {
  Order order{Order::kGenerate, run};
  order.spec = spec;
  order.zero = zero;
  command(order);
}

void Crew::scatter(int run, Band rows, const int* words) {
  words_ = const_cast<int*>(words);  // only read
  Order order{Order::kScatter, run};
  order.rows = rows;
  command(order);
}

double Crew::solve(int run) {
  command({Order::kSolve, run});
  return milliseconds_;
}

void Crew::gather(int run, Band rows, int* words) {
  words_ = words;
  Order order{Order::kGather, run};
  order.rows = rows;
  command(order);
}

void Crew::release(int run) {
  command({Order::kRelease, run});
}

void Crew::perform(const Order& order) {
  switch (order.kind) {
    case Order::kPrepare:
      return makePart(order);
    case Order::kGenerate:
      return fillPart(order, *shares_.at(order.run).part);
    case Order::kSolve:
      return solveParts(shares_.at(order.run));
    case Order::kScatter:
    case Order::kGather:
      return moveRows(order, shares_.at(order.run));
    case Order::kRelease:
      shares_.erase(order.run);
      return;
    case Order::kLeave:
      return;
  }
}

void Crew::makePart(const Order& order) {
  omp_set_num_threads(order.threads);
  Share share{order.n, GridRanks(all_, order.grid), nullptr};
  std::string trouble;
  try {
    share.part = partOnCpu(order.n, order.dtype, order.grid, all_.rank());
  } catch (const Error& error) {
    trouble = error.what();
  }
  if (trouble = firstTrouble(all_, trouble); !trouble.empty()) throw Error(Exit::kMemory, trouble);
  shares_.emplace(order.run, std::move(share));
}

void Crew::fillPart(const Order& order, Part& part) {
  const Band rows = part.rows(), columns = part.columns();
  const int band = columns.count == 0 ? 1 : rowsAtATime(columns.count);
  std::vector<int> words(product(std::min(band, rows.count), columns.count));
  for (int first = rows.first; first < rows.end(); first += band) {
    const Band some{first, std::min(band, rows.end() - first)};
    const std::size_t count = product(some.count, columns.count);
    generateBlock(order.spec, some.first, some.count, columns.first, columns.count, words.data());
    const int none = infinity(order.spec.dtype);
    if (order.zero)
      std::replace_if(
          words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count),
          [none](int weight) { return weight < none; }, 0);
    part.put(some, words.data());
  }
}

void Crew::solveParts(Share& share) {
  all_.barrier();
  RankTimes mine;
  milliseconds_ = millisecondsOf([&] {
    mine = solveRounds(*share.part, blocksOf(share.n, depthOnCpu()), share.ranks);
    all_.barrier();
  });
  times_.assign(static_cast<std::size_t>(all_.size()), mine);
  for (int rank = 0; rank < all_.size(); ++rank)
    all_.broadcast(&times_[static_cast<std::size_t>(rank)], sizeof mine, rank);
}

/// Rank 0 has whole rows, and each rank has pieces of some of them.
void Crew::moveRows(const Order& order, Share& share) {
  const bool in = order.kind == Order::kScatter;
  const bool first = all_.rank() == 0;
  for (int rank = 0; rank < all_.size(); ++rank) {
    if (!first && rank != all_.rank()) continue;
    const Grid grid = share.ranks.grid;
    const int blocks = blocksOf(share.n, depthOnCpu());
    const auto vertices = [&](int parts, int i) {
      return verticesOf(shareOf(blocks, parts, i), share.n, depthOnCpu());
    };
    const Band rows = common(order.rows, vertices(grid.rows, grid.rowOf(rank)));
    const Band columns = vertices(grid.columns, grid.columnOf(rank));
    if (rows.count == 0 || columns.count == 0) continue;
    std::vector<int> block(product(rows.count, columns.count));
    const std::size_t bytes = block.size() * sizeof(int);
    int* const words = first ? words_ + product(rows.first - order.rows.first, share.n) : nullptr;
    if (in) {
      if (first) copyBlock(rows, columns, share.n, block.data(), words, true);
      if (first && rank != 0) all_.send(block.data(), bytes, rank);
      if (!first) all_.receive(block.data(), bytes, 0);
      if (rank == all_.rank()) share.part->put(rows, block.data());
    } else {
      if (rank == all_.rank()) share.part->get(rows, block.data());
      if (!first) all_.send(block.data(), bytes, 0);
      if (first && rank != 0) all_.receive(block.data(), bytes, rank);
      if (first) copyBlock(rows, columns, share.n, block.data(), words, false);
    }
  }
}
