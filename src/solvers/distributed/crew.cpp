#include "solvers/distributed/crew.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <functional>
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

void Crew::save(const std::string& folder, double every, bool resume) {
  if (folder.size() >= sizeof saving_.folder)
    throw Error(Exit::kUsage, folder + ": this path is too long");
  std::copy(folder.begin(), folder.end(), saving_.folder);
  saving_.every = every;
  saving_.resume = resume;
}

void Crew::follow() {
  for (Order order{Order::kLeave};;) {
    all_.broadcast(&order, sizeof order, 0);
    if (order.kind == Order::kLeave) return;
    try {
      performTogether(order);
    } catch (const Error&) {  // rank 0 reports it
    }
  }
}

void Crew::command(const Order& order) {
  Order copy = order;
  all_.broadcast(&copy, sizeof copy, 0);
  performTogether(order);
}

void Crew::performTogether(const Order& order) {
  try {
    perform(order);
  } catch (const Error& error) {
    // Memory for the parts, and files to resume from, are short or broken on all ranks alike.
    if (error.code == Exit::kMemory || error.code == Exit::kInput) throw;
    all_.abandon(error.what());
  }
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
  Order order{Order::kSolve, run};
  order.saving = std::exchange(saving_, {});  // of the first solve only: others are short
  command(order);
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
      return solveParts(shares_.at(order.run), order.saving);
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
  Share share{order.n, order.dtype, GridRanks(all_, order.grid), nullptr};
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
    if (order.zero) zeroWeights(count, words.data(), order.spec.dtype);
    part.put(some, words.data());
  }
}

/// Collective: merges what all ranks have, in their order.
template <class Word, class Merge>
Word Crew::overAll(Word mine, Merge merge) {
  Word all = mine;
  for (int rank = 0; rank < all_.size(); ++rank) {
    Word theirs = mine;
    all_.broadcast(&theirs, sizeof theirs, rank);
    all = rank == 0 ? theirs : merge(all, theirs);
  }
  return all;
}

/// The graph, before it is solved: the same for every division of the matrix.
SavedGraph Crew::identify(const Share& share) {
  const Band rows = share.part->rows(), columns = share.part->columns();
  const int none = infinity(share.dtype);
  std::uint64_t hash = 0;
  std::vector<int> row(static_cast<std::size_t>(columns.count));
  for (int i = rows.first; i < rows.end(); ++i) {
    share.part->get({i, 1}, row.data());
    for (int j = columns.first; j < columns.end(); ++j) {
      const int weight = row[static_cast<std::size_t>(j - columns.first)];
      if (i != j && weight < none)
        hash += edgeHash(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j),
                         static_cast<std::uint64_t>(weight));
    }
  }
  return {share.n, share.dtype, overAll(hash, std::plus<>())};
}

RankTimes Crew::solveAndSave(Share& share, const SavingPlan& saving) {
  using Clock = std::chrono::steady_clock;
  const SavedGraph graph = identify(share);
  const int depth = depthOnCpu(), blocks = blocksOf(share.n, depth);
  int pivots = 0;
  std::string trouble;
  try {
    if (saving.resume) pivots = loadPart(saving.folder, graph, *share.part, depth);
  } catch (const Error& error) {
    trouble = error.what();
  }
  if (trouble = firstTrouble(all_, trouble); !trouble.empty()) throw Error(Exit::kInput, trouble);
  pivots = overAll(pivots, [](int a, int b) { return std::min(a, b); });
  resumedAt_ = pivots == share.n ? blocks : pivots / depth;
  Clock::time_point saved = Clock::now();
  const RankTimes times =
      solveRounds(*share.part, blocks, share.ranks, resumedAt_, [&](int rounds) {
        if (std::chrono::duration<double>(Clock::now() - saved).count() < saving.every) return;
        savePart(saving.folder, graph, *share.part, std::min(share.n, rounds * depth));
        saved = Clock::now();
      });
  all_.barrier();  // all are done, so nothing that was saved is needed
  if (all_.rank() == 0) removeParts(saving.folder);
  return times;
}

void Crew::solveParts(Share& share, const SavingPlan& saving) {
  all_.barrier();
  RankTimes mine;
  milliseconds_ = millisecondsOf([&] {
    mine = saving.folder[0] != 0
               ? solveAndSave(share, saving)
               : solveRounds(*share.part, blocksOf(share.n, depthOnCpu()), share.ranks);
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
