#include "several/crew.h"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/elements.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text_hash.h"
#include "ranks/file_piece.h"
#include "ranks/mpi.h"
#include "several/part_gpu.h"

namespace engine {

namespace {

/// The rows that both bands have.
Band common(Band a, Band b) {
  const int first = std::max(a.first, b.first);
  return {first, std::max(0, std::min(a.end(), b.end()) - first)};
}

std::size_t product(int a, int b) {
  return asSize(a) * asSize(b);
}

/// Copies a block out of rows of n elements, or into them.
void copyBlock(Band rows, Band columns, int n, Elements block, Elements whole, bool out) {
  for (int i = 0; i < rows.count; ++i) {
    const Elements row = whole + product(i, n) + asSize(columns.first);
    const Elements piece = block + product(i, columns.count);
    copyElements(out ? row : piece, asSize(columns.count), out ? piece : row);
  }
}

/// Collective: what the searches of all ranks did.
Levelling ofAll(Ranks& all, const Levelling& mine) {
  Levelling sum;
  for (int rank = 0; rank < all.size(); ++rank) {
    Levelling each = mine;
    all.broadcast(&each, sizeof each, rank);
    sum.levels = std::max(sum.levels, each.levels);
    sum.passed += each.passed;
  }
  return sum;
}

/// Calls make(rows, elements) for a few rows of a part at a time, and puts them there. elements:
/// (rows, columns of the part).
template <class Make>
void forEachBand(Part& part, Dtype dtype, const Make& make) {
  const Band rows = part.rows();
  const int columns = part.columns().count;
  const int band = columns == 0 ? 1 : rowsAtATime(columns, dtype);
  ElementBuffer buffer(dtype, product(std::min(band, rows.count), columns));
  for (int first = rows.first; first < rows.end(); first += band) {
    const Band some{first, std::min(band, rows.end() - first)};
    make(some, buffer.data());
    part.put(some, buffer.data());
  }
}

/// The statistics of nothing, for numbers of a type.
GraphStats countOfNone(Dtype dtype) {
  return {0, 0, zeroOf(dtype), zeroOf(dtype)};
}

/// The statistics of a piece, whose rows come to host memory.
GraphStats countHere(const Piece& piece, Dtype dtype) {
  const Band rows = piece.rows(), columns = piece.columns();
  const int band = rowsAtATime(std::max(1, columns.count), dtype);
  GraphStats mine = countOfNone(dtype);
  ElementBuffer buffer(dtype, product(std::min(band, rows.count), columns.count));
  for (int first = rows.first; first < rows.end(); first += band) {
    const Band some{first, std::min(band, rows.end() - first)};
    piece.get(some, buffer.data());
    mine += graphStats(buffer.data(), some.first, some.count, columns.first, columns.count);
  }
  return mine;
}

/// An error that all ranks throw together. They then wait for the next order.
struct CommonError : Error {
  using Error::Error;
};

}  // namespace

Crew::~Crew() {
  if (all_.rank() != 0) return;
  try {
    command({Order::kLeave});
  } catch (const std::exception&) {  // another rank gave up, so all are leaving already
  }
}

void Crew::useGrid(Grid grid) {
  if (grid.ranks() != all_.size())
    throw Error(ErrorCode::kUsage,
                fmt::format("a grid of {}x{} has {} places, but there are {} ranks", grid.rows,
                            grid.columns, grid.ranks(), all_.size()));
  grid_ = grid;
}

void Crew::save(const std::string& folder, double every, bool resume) {
  if (folder.size() >= sizeof saving_.folder)
    throw Error(ErrorCode::kUsage, folder + ": this path is too long");
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
    } catch (const CommonError&) {  // rank 0 reports it
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
  } catch (const CommonError&) {
    throw;
  } catch (const Error& error) {
    all_.abandon(error.what(), error.code);
  } catch (const std::bad_alloc&) {
    all_.abandon("out of host memory", ErrorCode::kMemory);
  }
}

/// Collective: throws on all ranks if one has trouble.
void Crew::requireAll(const std::string& trouble, ErrorCode code) {
  const std::string first = firstTrouble(all_, trouble);
  if (!first.empty()) throw CommonError(code, first);
}

void Crew::onThreads(int threads, std::function<void(Crew&)> job) {
  job_ = std::move(job);
  Order order{Order::kThreads};
  order.threads = threads;
  command(order);
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

int Crew::prepare(int n, Dtype dtype, DeviceKind device, const Options& options,
                  Summarise summarises) {
  Order order{Order::kPrepare, runs_++};
  order.n = n;
  order.dtype = dtype;
  order.device = device;
  order.options = options;
  order.summarises = summarises;
  const bool byColumns = findsColumns(n, dtype, all_.size(), device, options.method);
  order.grid = byColumns ? Grid{1, all_.size()} : grid_;
  order.threads = std::max(1, omp_get_max_threads() / all_.inThisProcess());
  command(order);
  return order.run;
}

void Crew::make(int run, const GraphSource& source, bool zero) {
  source_ = &source;
  Order order{Order::kMake, run};
  order.source = source.image();
  order.zero = zero;
  command(order);
}

std::vector<std::string> Crew::report(const SourceImage& image, int n) {
  source_ = nullptr;
  Order order{Order::kReport};
  order.source = image;
  order.n = n;
  command(order);
  return reports_;
}

void Crew::scatter(int run, Band rows, ConstElements elements) {
  elements_ = {elements.dtype(), const_cast<void*>(elements.data())};  // only read
  Order order{Order::kScatter, run};
  order.rows = rows;
  command(order);
}

void Crew::giveEdges(int run, const void* edges, std::size_t count) {
  edges_ = edges;
  Order order{Order::kEdges, run};
  order.edges = count;
  command(order);
}

double Crew::solve(int run) {
  Order order{Order::kSolve, run};
  order.saving = std::exchange(saving_, {});  // of the first solve only: others are short
  command(order);
  return milliseconds_;
}

void Crew::gather(int run, Band rows, Elements elements) {
  elements_ = elements;
  Order order{Order::kGather, run};
  order.rows = rows;
  command(order);
}

bool Crew::write(int run, const std::string& path, std::uint64_t from) {
  Order order{Order::kWrite, run};
  if (path.size() >= sizeof order.path) return false;
  std::copy(path.begin(), path.end(), order.path);
  order.from = from;
  command(order);
  return written_;
}

GraphStats Crew::count(int run) {
  command({Order::kCount, run});
  return counted_;
}

Summaries Crew::summarise(int run) {
  command({Order::kSumUp, run});
  return std::exchange(summaries_, {});
}

NearRows Crew::near(const Problem& problem, const Nearness& asked) {
  question_ = {problem.asked == nullptr ? Selection() : *problem.asked, asked};
  const Graph& host = problem.graph.onHost();
  const std::optional<Graph> list = host.dense() ? std::optional(asEdges(host)) : std::nullopt;
  Order order{Order::kNear};
  order.n = host.n;
  order.dtype = host.dtype();
  order.threads = std::max(1, omp_get_max_threads() / all_.inThisProcess());
  const double milliseconds = withEdges(list ? *list : host, [&](const auto& edges) {
    edges_ = edges.data();
    order.edges = edges.size();
    return millisecondsOf([&] { command(order); });
  });
  near_.milliseconds = milliseconds;
  if (asked.paths) near_.paths = pathsBySearch(problem, *near_.rows);
  return std::exchange(near_, {});
}

void Crew::release(int run) {
  command({Order::kRelease, run});
}

void Crew::perform(const Order& order) {
  switch (order.kind) {
    case Order::kThreads:
      return divide(order.threads);
    case Order::kPrepare:
      return makePart(order);
    case Order::kReport:
      return reportRows(order);
    case Order::kMake:
    case Order::kEdges:
      return takeGraph(order, shares_.at(order.run));
    case Order::kSolve:
      return solveParts(shares_.at(order.run), order.saving);
    case Order::kScatter:
    case Order::kGather:
      return moveRows(order, shares_.at(order.run));
    case Order::kWrite:
      written_ = writePart(order, shares_.at(order.run));
      return;
    case Order::kCount:
      counted_ = countTogether(shares_.at(order.run));
      return;
    case Order::kSumUp:
      summaries_ = sumUpTogether(shares_.at(order.run));
      return;
    case Order::kNear:
      return findNearTogether(order);
    case Order::kRelease:
      shares_.erase(order.run);
      return;
    case Order::kLeave:
      return;
  }
}

/// Collective: returns when the threads of this process may leave.
void Crew::divide(int threads) {
  const auto processes = connectThreads(threads);
  if (greatest(all_, processes != nullptr ? 0 : 1) == 1)
    throw CommonError(ErrorCode::kUsage,
                      "this MPI library lets only one thread of a process send messages: start a "
                      "process for each GPU, and none for several");
  const auto job = [&](Crew& crew) {
    try {
      job_(crew);
    } catch (...) {
      thrown_ = std::current_exception();
    }
  };
  runOnThreadsOf(*processes, threads, [&](Ranks& ranks) { runCrew(ranks, job, read_); });
}

/// Collective: gives each rank a GPU that no other rank has. All are of one model, because panels
/// are packed as a GPU likes it.
void Crew::requireOwnGpus() {
  ChosenGpu mine;
  std::string trouble;
  try {
    mine = chooseGpu(all_.rankOnHost());
  } catch (const Error& error) {
    trouble = error.what();
  }
  requireAll(trouble, ErrorCode::kGpu);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string own = textHash(mine.place + "@" + host) + textHash(mine.model);
  const std::size_t half = own.size() / 2;
  for (int rank = all_.size() - 1; rank >= 0; --rank) {
    std::string other = own;
    all_.broadcast(other.data(), other.size(), rank);
    if (rank >= all_.rank()) continue;
    if (other.substr(half) != own.substr(half))
      trouble = fmt::format(
          "its GPU, {}, is of another model than that of rank {}: take GPUs of "
          "one model",
          mine.model, rank);
    else if (other == own && !sharesGpus_)
      trouble = fmt::format(
          "it has the same GPU as rank {}: start as many ranks on a machine as "
          "it has GPUs",
          rank);
  }
  requireAll(trouble, ErrorCode::kUsage);
}

void Crew::makePart(const Order& order) {
  omp_set_num_threads(order.threads);
  const bool gpu = order.device == DeviceKind::kGpu;
  if (gpu) requireOwnGpus();
  Share share{order.n, order.dtype, order.options, GridRanks(all_, order.grid), nullptr, nullptr};
  if (solvesBySources(order.options.method)) {
    const int sharers = gpu && !sharesGpus_ ? 1 : all_.onThisHost();
    share.rows = std::make_unique<SourceRows>(
        BandToFind{order.n, all_.size(), all_.rank(), order.device, sharers, order.options.method,
                   order.grid.columns > 1, order.summarises});
    shares_.emplace(order.run, std::move(share));
    return;
  }
  std::string trouble;
  try {
    share.part =
        gpu ? partOnGpu(order.n, order.dtype, order.options.precision, share.ranks, all_.rank())
            : partOnCpu(order.n, order.dtype, order.grid, all_.rank());
  } catch (const Error& error) {
    // Memory is taken when the ranks are connected. After other errors, some may wait for others.
    if (error.code != ErrorCode::kMemory) throw;
    trouble = error.what();
  }
  requireAll(trouble, ErrorCode::kMemory);
  shares_.emplace(order.run, std::move(share));
}

/// The graph that an order is about. Rank 0 need not make it again.
std::shared_ptr<const GraphSource> Crew::sourceOf(const Order& order) const {
  if (all_.rank() == 0 && source_ != nullptr) return {source_, [](const GraphSource*) {}};
  return read_(order.source);
}

/// Collective: the ranks divide the rows, whatever the grid is. The first rank that finds a fault
/// has the first one, because it has the first of these rows.
void Crew::reportRows(const Order& order) {
  const auto source = sourceOf(order);
  reports_.clear();
  if (greatest(all_, source->here() ? 0 : 1) == 1) return;
  const Band rows = shareOf(order.n, all_.size(), all_.rank());
  std::string mine, fault;
  try {
    mine = source->report(rows.first, rows.count);
  } catch (const Error& error) {
    fault = error.what();
  }
  const std::string first = firstText(all_, fault);
  if (!first.empty()) throw CommonError(ErrorCode::kInput, first);
  for (int other = 0; other < all_.size(); ++other) {
    reports_.push_back(mine);
    all_.broadcast(reports_.back().data(), mine.size(), other);
  }
}

/// Collective: fills this rank's part. All throw the same if one rank cannot make it.
void Crew::fillPart(const Order& order, Share& share) {
  Part& part = *share.part;
  const auto source = sourceOf(order);
  std::string fault;
  try {
    if (part.make(*source, order.zero)) return;
    forEachBand(part, share.dtype, [&](Band some, Elements elements) {
      const Band columns = part.columns();
      source->block(some.first, some.count, columns.first, columns.count, elements);
      if (order.zero) zeroWeights(product(some.count, columns.count), elements);
    });
  } catch (const Error& error) {
    if (error.code != ErrorCode::kInput) throw;
    fault = error.what();
  }
  const std::string first = firstText(all_, fault);
  if (!first.empty()) throw CommonError(ErrorCode::kInput, first);
}

/// Collective: all edges, in memory of this rank's own.
template <class T>
Edges<T> Crew::receiveEdges(std::size_t count) {
  Edges<T> edges;
  std::string trouble;
  try {
    requireHostBytes(count * sizeof(Edge<T>), "a rank's copy of the edges");
    edges.resize(count);
  } catch (const Error& error) {
    trouble = error.what();
  } catch (const std::bad_alloc&) {
    trouble = "out of host memory for the edges";
  }
  requireAll(trouble, ErrorCode::kMemory);
  if (all_.rank() == 0) std::copy_n(static_cast<const Edge<T>*>(edges_), count, edges.data());
  all_.broadcast(edges.data(), count * sizeof(Edge<T>), 0);
  return edges;
}

/// Collective: a part gets its share of a graph, or rows get all of it.
void Crew::takeGraph(const Order& order, Share& share) {
  if (share.part != nullptr) return fillPart(order, share);
  std::string trouble;
  const auto tryTo = [&](const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.code != ErrorCode::kMemory) throw;
      trouble = error.what();
    } catch (const std::bad_alloc&) {
      trouble = "out of host memory for the graph";
    }
    requireAll(trouble, ErrorCode::kMemory);
  };
  Graph graph;
  if (order.kind == Order::kEdges) {
    graph.n = share.n;
    withType(share.dtype,
             [&](auto zero) { graph.body = receiveEdges<decltype(zero)>(order.edges); });
  }
  tryTo([&] {
    if (order.kind == Order::kMake) graph = edgesOf(*sourceOf(order), order.zero);
    share.rows->take(std::move(graph));
  });
  // Each looked at how much memory is free. Now all take theirs.
  tryTo([&] { share.rows->reset(); });
}

/// Collective: counts the whole matrix. The result does not depend on how it is divided.
GraphStats Crew::countTogether(const Share& share) {
  const auto counted = share.rows != nullptr ? share.rows->counted() : std::nullopt;
  GraphStats mine = counted ? *counted : countHere(share.piece(), share.dtype);
  GraphStats all = countOfNone(share.dtype);
  for (int rank = 0; rank < all_.size(); ++rank) {
    GraphStats theirs = mine;
    all_.broadcast(&theirs, sizeof theirs, rank);
    all += theirs;
  }
  return all;
}

namespace {

void add(RowSummary& to, const RowSummary& some) {
  to.reachable += some.reachable;
  to.largest = std::max(to.largest, some.largest);
  to.sum += some.sum;
  to.harmonic += some.harmonic;
  to.hash += some.hash;
}

void add(ColumnSummary& to, const ColumnSummary& some) {
  to.reaching += some.reaching;
  to.sum += some.sum;
  to.harmonic += some.harmonic;
}

}  // namespace

/// Collective: rank 0 gets the summaries of all rows and columns. Each rank has some rows or some
/// columns.
Summaries Crew::sumUpTogether(const Share& share) {
  const Summaries* const mine = share.rows != nullptr ? share.rows->summaries() : nullptr;
  const bool none = share.rows == nullptr || (mine == nullptr && share.rows->rows().count > 0);
  Summaries all;
  if (greatest(all_, none ? 1 : 0) == 1) return all;
  all.rows.resize(asSize(share.n), {0, zeroOf(share.dtype)});
  all.columns.resize(asSize(share.n));
  for (int rank = 0; rank < all_.size(); ++rank) {
    Summaries theirs = rank == all_.rank() && mine != nullptr ? *mine : Summaries();
    struct {
      Band rows, columns;
    } of{share.rows->rows(), share.rows->columns()};
    all_.broadcast(&of, sizeof of, rank);
    if (of.rows.count == 0) continue;
    theirs.rows.resize(asSize(of.rows.count));
    theirs.columns.resize(asSize(of.columns.count));
    all_.broadcast(theirs.rows.data(), theirs.rows.size() * sizeof(RowSummary), rank);
    all_.broadcast(theirs.columns.data(), theirs.columns.size() * sizeof(ColumnSummary), rank);
    all_.broadcast(&theirs.total, sizeof theirs.total, rank);
    all.total += theirs.total;
    for (std::size_t i = 0; i < theirs.rows.size(); ++i)
      add(all.rows[asSize(of.rows.first) + i], theirs.rows[i]);
    for (std::size_t j = 0; j < theirs.columns.size(); ++j)
      add(all.columns[asSize(of.columns.first) + j], theirs.columns[j]);
  }
  return all;
}

/// Collective: each rank answers for its share of the sources, and rank 0 gets the rows of all.
void Crew::findNearTogether(const Order& order) {
  omp_set_num_threads(order.threads);
  Graph edges = emptyGraph(order.n, order.dtype);
  withType(order.dtype, [&](auto zero) { edges.body = receiveEdges<decltype(zero)>(order.edges); });
  const ProblemGraph graph(std::move(edges));
  shareQuestion(all_, question_);
  NearShare mine = findShare(all_, graph, question_);
  int owner = 0;
  const std::string first = firstText(all_, mine.trouble, &owner);
  if (!first.empty()) {
    all_.broadcast(&mine.code, sizeof mine.code, owner);
    throw CommonError(mine.code, first);
  }
  near_.by = mine.by;
  near_.rows = gatherRows(all_, question_.asked.rows(order.n), *mine.rows);
  const bool room = near_.rows == nullptr || near_.rows->hasRoom();
  requireAll(room ? "" : "out of host memory for the distances of all ranks", ErrorCode::kMemory);
}

RankTimes Crew::solveAndSave(Share& share, const SavingOptions& saving) {
  using Clock = std::chrono::steady_clock;
  const int depth = share.part->depth();
  Clock::time_point saved = Clock::now();
  return solveRounds(*share.part, share.n, share.ranks, resumedAt_, [&](int rounds) {
    if (std::chrono::duration<double>(Clock::now() - saved).count() < saving.every) return;
    savePart(saving.folder, saved_, *share.part, std::min(share.n, rounds * depth));
    saved = Clock::now();
  });
}

/// Collective: what is saved of the graph replaces it.
void Crew::resume(Share& share, const SavingOptions& saving) {
  saved_ = {share.n, share.dtype, countTogether(share).hash};
  resumedAt_ = 0;
  if (!saving.resume) return;
  const int depth = share.part->depth();
  int pivots = 0;
  std::string trouble;
  try {
    pivots = loadPart(saving.folder, saved_, *share.part);
  } catch (const Error& error) {
    trouble = error.what();
  }
  requireAll(trouble, ErrorCode::kInput);
  pivots = -greatest(all_, -pivots);
  resumedAt_ = pivots == share.n ? blocksOf(share.n, depth) : pivots / depth;
}

/// Collective: chooses the arithmetic, and has all parts begin.
Choice Crew::beginTogether(Share& share) {
  Choice choice = choose(*share.part, share.n, share.dtype, share.options, all_);
  const auto begin = [&] { return share.part->begin(choice.tier, choice.skip); };
  bool room = begin();
  const bool may32 = choice.tier == Tier::kUint16 && share.options.precision == Precision::kAuto;
  if (may32 && greatest(all_, room ? 0 : 1) == 1) {
    if (room) share.part->end(false);
    choice.tier = Tier::kInt32;
    room = begin();
  }
  requireAll(
      room ? "" : "no room for what a round needs: solve a smaller graph, or start more ranks",
      ErrorCode::kMemory);
  return choice;
}

/// Collective: one solve, with everything that belongs to its time.
RankTimes Crew::solvePart(Share& share, const SavingOptions& saving) {
  const bool saves = saving.folder[0] != 0;
  if (saves) resume(share, saving);
  RankTimes filtering;
  if (!saves) {
    if (const auto done = share.part->filter(share.options, share.ranks, filtering)) {
      outcome_ = *done;
      return filtering;
    }
  }
  const Choice choice = beginTogether(share);
  RankTimes mine =
      saves ? solveAndSave(share, saving) : solveRounds(*share.part, share.n, share.ranks);
  const bool fits = greatest(all_, share.part->finish(mine) ? 0 : 1) == 0;
  mine += filtering;  // in vain
  share.part->end(fits);
  outcome_ = {};
  outcome_.tier = fits ? choice.tier : Tier::kNone;
  outcome_.skipped = choice.skip;
  all_.barrier();  // all are done, so nothing that was saved is needed
  if (saves && all_.rank() == 0) removeParts(saving.folder);
  return mine;
}

/// Collective: each rank finds its rows. Waiting is for the slowest of them.
RankTimes Crew::solveRows(Share& share) {
  RankTimes mine;
  mine.compute = millisecondsOf([&] { outcome_ = share.rows->solve().outcome; });
  mine.wait = millisecondsOf([&] { all_.barrier(); });
  return mine;
}

void Crew::solveParts(Share& share, const SavingOptions& saving) {
  all_.barrier();
  RankTimes mine;
  milliseconds_ = millisecondsOf(
      [&] { mine = share.part != nullptr ? solvePart(share, saving) : solveRows(share); });
  if (share.rows != nullptr) {
    const Levelling levelling = ofAll(all_, outcome_.levelling);
    // The first ranks may have no rows. The last one always has some.
    all_.broadcast(&outcome_, sizeof outcome_, all_.size() - 1);
    outcome_.levelling = levelling;
  }
  times_.assign(asSize(all_.size()), mine);
  for (int rank = 0; rank < all_.size(); ++rank)
    all_.broadcast(&times_[asSize(rank)], sizeof mine, rank);
}

/// Rank 0 has whole rows, and each rank has pieces of some of them.
void Crew::moveRows(const Order& order, Share& share) {
  const bool in = order.kind == Order::kScatter;
  const bool first = all_.rank() == 0;
  for (int rank = 0; rank < all_.size(); ++rank) {
    if (!first && rank != all_.rank()) continue;
    const Grid grid = share.ranks.grid;
    const int depth = share.piece().depth(), blocks = blocksOf(share.n, depth);
    const auto vertices = [&](int parts, int i) {
      return verticesOf(shareOf(blocks, parts, i), share.n, depth);
    };
    const Band rows = common(order.rows, vertices(grid.rows, grid.rowOf(rank)));
    const Band columns = vertices(grid.columns, grid.columnOf(rank));
    if (rows.count == 0 || columns.count == 0) continue;
    const std::size_t count = product(rows.count, columns.count);
    const std::size_t bytes = count * sizeOf(share.dtype);
    ElementBuffer buffer(share.dtype, count);
    const Elements block = buffer.data();
    const auto copy = [&](bool out) {
      const std::size_t before = product(rows.first - order.rows.first, share.n);
      copyBlock(rows, columns, share.n, block, elements_ + before, out);
    };
    if (in) {
      if (first) copy(true);
      if (first && rank != 0) all_.send(block.data(), bytes, rank);
      if (!first) all_.receive(block.data(), bytes, 0);
      if (rank == all_.rank()) share.part->put(rows, block);
    } else {
      if (rank == all_.rank()) share.piece().get(rows, block);
      if (!first) all_.send(block.data(), bytes, 0);
      if (first && rank != 0) all_.receive(block.data(), bytes, rank);
      if (first) copy(false);
    }
  }
}

/// Collective: writes this rank's rows, or its pieces of them. Returns whether all see the file.
bool Crew::writePart(const Order& order, const Share& share) {
  const Piece& piece = share.piece();
  const Band rows = piece.rows(), columns = piece.columns();
  FilePiece file(order.path, order.from);
  if (greatest(all_, file ? 0 : 1) == 1) return false;
  const std::size_t size = sizeOf(share.dtype);  // of an element
  const int band = rowsAtATime(std::max(1, columns.count), share.dtype);
  ElementBuffer buffer(share.dtype, product(std::min(band, rows.count), columns.count));
  const bool whole = columns.count == share.n;
  bool fine = true;
  for (int first = rows.first; first < rows.end() && fine; first += band) {
    const Band some{first, std::min(band, rows.end() - first)};
    piece.get(some, buffer.data());
    const int pieces = whole ? 1 : some.count;  // whole rows lie one after the other
    const std::size_t count = product(some.count, columns.count) / pieces;
    for (int at = 0; at < pieces && fine; ++at)
      fine = file.write((buffer.data() + at * count).data(), count * size,
                        order.from + (product(first + at, share.n) + columns.first) * size);
  }
  if (fine) fine = file.sync();
  requireAll(fine ? "" : std::strerror(errno), ErrorCode::kOutput);
  return true;
}

void runCrew(Ranks& ranks, const std::function<void(Crew&)>& job, SourceReader read) {
  Crew crew(ranks, read);
  if (ranks.rank() > 0) return crew.follow();
  job(crew);
}

}  // namespace engine
