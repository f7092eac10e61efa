// The solver on several ranks, which are threads here: bit for bit the distances of the plain
// triple loop, on every family, for bands of one block or none, on every shape of a grid. Also the
// ranks themselves. tests/ranks_test.py runs the program under mpirun.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/elements.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/tolerance.h"
#include "bfs/level_search.h"
#include "dense/blocked_cpu.h"
#include "dense/plain_cpu.h"
#include "devices.h"
#include "files.h"
#include "filtered/filtered_cpu.h"
#include "generate/families.h"
#include "generate/source.h"
#include "io/formats/matrix_file.h"
#include "io/formats/npy_header.h"
#include "io/formats/stored_graph.h"
#include "ladder/kernels.h"
#include "processes_in_memory.h"
#include "ranks/threads.h"
#include "seed.h"
#include "several/checkpoint.h"
#include "several/crew.h"
#include "several/part_gpu.h"
#include "several/source_rows.h"
#include "verify/bellman.h"
#include "verify/verify.h"

namespace {

// ---- ranks --------------------------------------------------------------------------------------

TEST(Ranks, BroadcastFromAnyOfThem) {
  runOnThreads(3, [](Ranks& ranks) {
    EXPECT_EQ(3, ranks.size());
    for (int root = 0; root < 3; ++root) {
      int word = ranks.rank() == root ? 10 + root : -1;
      ranks.broadcast(&word, sizeof word, root);
      EXPECT_EQ(10 + root, word);
    }
  });
}

TEST(Ranks, SendToOneAnother) {
  runOnThreads(3, [](Ranks& ranks) {
    const int next = (ranks.rank() + 1) % 3, before = (ranks.rank() + 2) % 3;
    for (int turn = 0; turn < 3; ++turn) {  // one sends at a time, because send() waits
      int word = ranks.rank();
      if (turn == ranks.rank()) ranks.send(&word, sizeof word, next);
      if (turn != before) continue;
      ranks.receive(&word, sizeof word, before);
      EXPECT_EQ(before, word);
    }
  });
}

TEST(Ranks, SplitByColourInTheirOrder) {
  runOnThreads(5, [](Ranks& ranks) {
    const auto part = ranks.split(ranks.rank() % 2);
    EXPECT_EQ(ranks.rank() % 2 == 0 ? 3 : 2, part->size());
    EXPECT_EQ(ranks.rank() / 2, part->rank());
    int first = ranks.rank();
    part->broadcast(&first, sizeof first, 0);
    EXPECT_EQ(ranks.rank() % 2, first);
  });
}

TEST(Ranks, EndTogetherIfOneGivesUp) {
  const auto body = [](Ranks& ranks) {
    if (ranks.rank() == 1) throw std::runtime_error("rank 1 fell over");
    ranks.barrier();
    ADD_FAILURE() << "the barrier was passed without rank 1";
  };
  try {
    runOnThreads(3, body);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ("rank 1 fell over", error.what());
  }
}

TEST(Ranks, TellAllOfTheFirstTrouble) {
  runOnThreads(3, [](Ranks& ranks) {
    EXPECT_EQ("", firstTrouble(ranks, ""));
    EXPECT_EQ("rank 1: no room", firstTrouble(ranks, ranks.rank() > 0 ? "no room" : ""));
  });
}

TEST(RanksOfProcesses, AreNumberedProcessByProcess) {
  runOnProcesses(3, 2, [](Ranks& ranks) {
    EXPECT_EQ(6, ranks.size());
    EXPECT_EQ(2, ranks.inThisProcess());
    const bool alone = ranks.rank() >= 4;  // the third process has a machine of its own
    EXPECT_EQ(alone ? 2 : 4, ranks.onThisHost());
    EXPECT_EQ(ranks.rank() % 4, ranks.rankOnHost());
    for (int other = 0; other < 6; ++other) {
      int process = ranks.rank() / 2;
      ranks.broadcast(&process, sizeof process, other);
      EXPECT_EQ(other / 2, process);
    }
  });
}

TEST(RanksOfProcesses, SendToOneAnother) {
  runOnProcesses(3, 2, [](Ranks& ranks) {
    for (int from = 0; from < 6; ++from)
      for (int to = 0; to < 6; ++to) {
        int words[] = {10 * from + to, -1};
        if (from == to) continue;
        if (from == ranks.rank()) ranks.send(words, sizeof(int), to);
        if (to == ranks.rank()) ranks.receive(words + 1, sizeof(int), from);
        EXPECT_EQ(to == ranks.rank() ? words[0] : -1, words[1]);
      }
  });
}

/// The fastest ranks begin the second and the third broadcast while others are in the first one.
TEST(RanksOfProcesses, StartSeveralBroadcasts) {
  runOnProcesses(2, 3, [](Ranks& ranks) {
    for (int round = 0; round < 20; ++round) {
      int words[6];
      std::vector<std::unique_ptr<Transfer>> transfers;
      for (int root = 0; root < 6; ++root) {
        words[root] = ranks.rank() == root ? 100 * round + root : -1;
        transfers.push_back(ranks.startBroadcast(&words[root], sizeof(int), root));
      }
      for (int root = 0; root < 6; ++root) {
        transfers[static_cast<std::size_t>(root)]->wait();
        EXPECT_EQ(100 * round + root, words[root]);
      }
    }
  });
}

TEST(RanksOfProcesses, WaitForAllAtABarrier) {
  std::atomic<int> arrived{0};
  runOnProcesses(3, 2, [&](Ranks& ranks) {
    for (int round = 1; round <= 20; ++round) {
      ++arrived;
      ranks.barrier();
      EXPECT_GE(arrived, 6 * round);
    }
  });
}

/// Every division into three groups, of which some may be empty, and which are split again.
/// Messages of groups that share ranks do not mix, although half of the ranks start them in another
/// order.
TEST(RanksOfProcesses, SplitByColourInTheirOrder) {
  runOnProcesses(2, 3, [](Ranks& ranks) {
    for (int code = 0; code < 729; ++code) {  // 3^6
      int rest = code, mine = 0, before = 0, count = 0;
      std::vector<int> colours;
      for (int rank = 0; rank < 6; ++rank, rest /= 3) colours.push_back(rest % 3);
      mine = colours[static_cast<std::size_t>(ranks.rank())];
      for (int rank = 0; rank < 6; ++rank) {
        const bool same = colours[static_cast<std::size_t>(rank)] == mine;
        count += same ? 1 : 0;
        before += same && rank < ranks.rank() ? 1 : 0;
      }
      const auto part = ranks.split(mine);
      ASSERT_EQ(count, part->size());
      ASSERT_EQ(before, part->rank());
      const auto half = part->split(part->rank() % 2);
      int ofAll = ranks.rank(), ofPart = 10 + before, ofHalf = 20 + before;
      const std::pair<Ranks*, int*> groups[] = {
          {&ranks, &ofAll}, {part.get(), &ofPart}, {half.get(), &ofHalf}};
      std::unique_ptr<Transfer> transfers[3];
      for (const int i : {0, 1, 2}) {
        const int turn = ranks.rank() % 2 == 0 ? i : 2 - i;
        const auto& [group, word] = groups[turn];
        transfers[turn] = group->startBroadcast(word, sizeof(int), group->size() - 1);
      }
      for (const auto& transfer : transfers) transfer->wait();
      part->barrier();
      EXPECT_EQ(5, ofAll);
      EXPECT_EQ(10 + count - 1, ofPart);
      EXPECT_EQ(20 + (before % 2 == (count - 1) % 2 ? count - 1 : count - 2), ofHalf);
    }
  });
}

TEST(RanksOfProcesses, TellAllOfTheFirstTrouble) {
  runOnProcesses(2, 2, [](Ranks& ranks) {
    EXPECT_EQ("rank 3: no room", firstTrouble(ranks, ranks.rank() > 2 ? "no room" : ""));
  });
}

// ---- the grid -----------------------------------------------------------------------------------

TEST(Grids, DivideAllBlocks) {
  for (int blocks = 1; blocks < 40; ++blocks) {
    for (int parts = 1; parts < 50; ++parts) {
      int next = 0;
      for (int i = 0; i < parts; ++i) {
        const Band share = shareOf(blocks, parts, i);
        EXPECT_EQ(next, share.first);
        EXPECT_LE(share.count, (blocks + parts - 1) / parts);
        for (int block = share.first; block < share.end(); ++block)
          EXPECT_EQ(i, ownerOf(blocks, parts, block)) << blocks << " blocks in " << parts;
        next = share.end();
      }
      EXPECT_EQ(blocks, next);
    }
  }
}

TEST(Grids, AreColumnsUntilASquareSendsLess) {
  EXPECT_EQ("1x1", gridText(defaultGrid(1)));
  EXPECT_EQ("16x1", gridText(defaultGrid(16)));
  EXPECT_EQ("17x1", gridText(defaultGrid(17)));
  EXPECT_EQ("6x4", gridText(defaultGrid(24)));
  EXPECT_EQ("8x8", gridText(defaultGrid(64)));
}

// ---- the solver ---------------------------------------------------------------------------------

const Solver& shared() {
  return findSolver("apsp", DeviceKind::kCpu);
}

/// Whether two matrices are the same, bit for bit.
bool same(const Matrix& a, const Matrix& b) {
  return a.n() == b.n() && a.dtype() == b.dtype() &&
         std::memcmp(a.data().data(), b.data().data(), matrixBytes(a.n(), a.dtype())) == 0;
}

/// Weights or distances as the nearest ones of another type.
Matrix as(const Matrix& from, Dtype dtype) {
  Matrix to(from.n(), dtype);
  withElements(from.data(), [&](const auto* given) {
    withElements(to.data(), [&](auto* wanted) {
      std::transform(given, given + from.size(), wanted,
                     [](auto weight) { return convertedTo<NumberAt<decltype(wanted)>>(weight); });
    });
  });
  return to;
}

/// Numbers of 64 bits are solved as they are.
Options in64Bits() {
  Options options;
  options.precision = Precision::k64;
  return options;
}

/// The graph of a spec, whose weights are whole, in another type: one that each rank generates and
/// one that rank 0 sends. As float64, the first one would have other weights.
std::vector<ProblemGraph> bothWays(Spec spec, Dtype dtype) {
  std::vector<ProblemGraph> graphs;
  Graph whole = generate(spec);
  convert(whole, dtype);
  graphs.emplace_back(std::move(whole));
  spec.dtype = dtype;
  if (dtype != Dtype::kFloat64) graphs.emplace_back(spec);
  return graphs;
}

/// The distances of a graph by the plain triple loop.
Matrix plain(Graph graph) {
  Matrix matrix = toMatrix(std::move(graph));
  apspScalar(matrix.n(), matrix.data());
  return matrix;
}

/// How a test solves.
struct Attempt {
  Grid grid;
  const Device& device = cpuDevice;
  Options options = {};
  std::string folder = "";  ///< resume from what is saved there
  double every = 1e9;       ///< seconds between two times of saving
  int processes = 1;        ///< their threads are the ranks
  bool narrows = false;     ///< numbers of 64 bits are solved in int32 if that is exact
};

/// The distances of a graph from all ranks, and what was done.
struct Attempted {
  Matrix distances;
  GraphStats stats;  ///< of the distances
  Call call;
  int resumedAt = 0;  ///< the rounds that were done already
  std::optional<Summaries> summaries = {};
};

Attempted attempt(const Attempt& how, const ProblemGraph& graph) {
  Attempted result;
  const auto body = [&](Ranks& ranks) {
    omp_set_num_threads(1);
    Crew crew(ranks, readSource);
    crew.useGrid(how.grid);
    crew.shareGpus();
    if (ranks.rank() > 0) return crew.follow();
    if (!how.folder.empty()) crew.save(how.folder, how.every, true);
    const Solver& solver = findSolver("apsp", how.device.kind());
    Options options = how.options;
    if (sizeOf(graph.dtype()) == 8 && !how.narrows) options.precision = Precision::k64;
    const auto run = solver.prepare({graph}, {how.device, options, false, &crew});
    run->reset();
    result.call = run->solve();
    EXPECT_EQ(how.grid.ranks(), result.call.sharing.ranks);
    result.resumedAt = crew.resumedAt();
    result.distances = toMatrix(run->distances());
    result.stats = statistics(run->distances());
    if (const Summaries* const known = run->distances().summaries()) result.summaries = *known;
  };
  if (how.processes == 1)
    runOnThreads(how.grid.ranks(), body);
  else
    runOnProcesses(how.processes, how.grid.ranks() / how.processes, body);
  return result;
}

Matrix solveOn(Grid grid, const ProblemGraph& graph) {
  return attempt({grid}, graph).distances;
}

std::string described(const Spec& spec, Grid grid) {
  return describe(spec) + " on " + gridText(grid);
}

/// Bit for bit, for a graph that each rank generates and for one that rank 0 sends.
void expectRight(const Spec& spec, Grid grid, int processes = 1) {
  SCOPED_TRACE(described(spec, grid));
  const Matrix expected = plain(generate(spec));
  for (const ProblemGraph& graph : {ProblemGraph(spec), ProblemGraph(generate(spec))}) {
    Attempt how = {grid};
    how.processes = processes;
    const Attempted got = attempt(how, graph);
    EXPECT_TRUE(same(expected, got.distances));
    const GraphStats stats = graphStats(spec.n, expected.data());
    EXPECT_EQ(stats.edges, got.stats.edges);
    EXPECT_EQ(stats.hash, got.stats.hash);
    EXPECT_EQ(stats.maxWeight, got.stats.maxWeight);
  }
}

const int kSizes[] = {1, 2, 63, 64, 65, 128, 129, 200, 321, 500};
const Grid kGrids[] = {{1, 1}, {2, 1}, {1, 2}, {3, 1}, {2, 2}, {4, 1}, {2, 3}, {9, 1}, {3, 3}};

TEST(Distributed, IsRightOnEveryFamilyAndGrid) {
  const std::uint64_t seed = testSeed();
  const int families = static_cast<int>(familyTable().size());
  int number = 0;
  for (const int n : kSizes) {
    for (const Grid grid : kGrids) {
      // Each grid and size on one family of the table, in turn, so that all meet in some run.
      const int family = static_cast<int>((seed + static_cast<unsigned>(number)) % families);
      expectRight(specOf(family, n, seed, number % 2 == 1), grid);
      ++number;
    }
  }
}

TEST(Distributed, IsRightForEverySizeFrom1To150) {
  for (int n = 1; n <= 150; ++n)
    if (takesSize(n)) expectRight(specOf(familyIndex("uniform"), n, 1), {3, 1});
}

/// Each size on one grid and one number of processes in turn, with more ranks than rows for some.
TEST(Distributed, IsRightOnThreadsOfProcesses) {
  const std::pair<int, Grid> ways[] = {{2, {4, 1}}, {2, {2, 2}}, {2, {6, 1}}, {2, {3, 2}},
                                       {3, {6, 1}}, {3, {3, 2}}, {3, {2, 3}}, {2, {1, 4}}};
  const auto families = static_cast<int>(familyTable().size());
  for (int n = 1; n <= 200; ++n) {
    if (!takesSize(n)) continue;
    const auto& [processes, grid] = ways[n % 8];
    SCOPED_TRACE(processes);
    expectRight(specOf(n / 8 % families, n, 1, n % 3 == 0), grid, processes);
  }
  for (const auto& [processes, grid] : ways) expectRight(specOf(0, 500, 2), grid, processes);
}

/// Sums below 2^24 are exact in all of them.
TEST(Distributed, AddsNumbersOfAllTypes) {
  const Spec spec = specOf(familyIndex("sparse"), 200, 3);
  const Matrix expected = plain(generate(spec));
  for (const Dtype dtype : kDtypes) {
    SCOPED_TRACE(nameOf(dtype));
    for (const ProblemGraph& graph : bothWays(spec, dtype)) {
      const Attempted got = attempt({{2, 2}}, graph);
      EXPECT_TRUE(same(as(expected, dtype), got.distances));
      EXPECT_EQ(tierOf(dtype), got.call.outcome.tier);
    }
  }
}

/// Edges of length 0 are edges: what they connect has distance 0. Both are int32.
void expectReached(const Matrix& expected, const Matrix& got) {
  const int* const distances = expected.row<int>(0);
  const int* const reached = got.row<int>(0);
  for (std::size_t at = 0; at < got.size(); ++at)
    ASSERT_EQ(distances[at] < kInf ? 0 : kInf, reached[at]) << at;
}

TEST(Distributed, SolvesWithZeroWeights) {
  const Spec spec = specOf(familyIndex("sparse"), 130, 5);
  for (const ProblemGraph& graph : {ProblemGraph(spec), ProblemGraph(generate(spec))}) {
    const ProblemGraph zero = graph.withZeroWeights();
    expectReached(plain(generate(spec)), solveOn({3, 1}, zero));
  }
}

TEST(Distributed, GivesRowsOfAnyBand) {
  const Spec spec = specOf(familyIndex("course"), 150, 1);
  const Matrix expected = plain(generate(spec));
  runOnThreads(4, [&](Ranks& ranks) {
    Crew crew(ranks, readSource);
    crew.useGrid({2, 2});
    if (ranks.rank() > 0) return crew.follow();
    const ProblemGraph graph(spec);
    const auto run = shared().prepare({graph}, {cpuDevice, {}, false, &crew});
    run->reset();
    run->solve();
    for (const Band band : {Band{0, 1}, Band{63, 3}, Band{149, 1}, Band{10, 130}}) {
      int next = band.first;
      run->distances().rows(band.first, band.end(), [&](int first, int count, ConstElements rows) {
        EXPECT_EQ(next, first);
        const int* const words = rows.as<int>();
        EXPECT_TRUE(std::equal(words, words + count * spec.n, expected.row<int>(first)));
        next += count;
      });
      EXPECT_EQ(band.end(), next);
    }
  });
}

/// All ranks write into one file, behind what is there, unless it is missing or cut off. A full
/// disk is an error of all.
TEST(Distributed, WritesTheMatrixWhereItIs) {
  const TempDir dir;
  Spec spec = specOf(familyIndex("course"), 200, 1);
  const std::string path = dir / "words", head = "head";
  const std::pair<Grid, Dtype> ways[] = {{{3, 1}, Dtype::kInt32},
                                         {{2, 2}, Dtype::kInt32},
                                         {{3, 1}, Dtype::kFloat64},
                                         {{2, 2}, Dtype::kInt64}};
  for (const auto& [grid, dtype] : ways) {
    spec.dtype = dtype;
    std::ofstream(path, std::ios::trunc) << head;
    runOnThreads(grid.ranks(), [&, shape = grid](Ranks& ranks) {
      Crew crew(ranks, readSource);
      crew.useGrid(shape);
      if (ranks.rank() > 0) return crew.follow();
      const ProblemGraph graph(spec);
      const auto run = shared().prepare({graph}, {cpuDevice, in64Bits(), false, &crew});
      run->reset();
      const Distances& matrix = run->distances();
      EXPECT_FALSE(matrix.writeWords(dir / "missing", 0));
      EXPECT_FALSE(matrix.writeWords(path, head.size() + 1));
      expectError(ErrorCode::kOutput, "rank 0: ", "No space left",
                  [&] { matrix.writeWords("/dev/full", 0); });
      EXPECT_TRUE(matrix.writeWords(path, head.size()));
    });
    const Matrix graph = toMatrix(generate(spec));
    const std::string words(static_cast<const char*>(graph.data().data()),
                            matrixBytes(spec.n, dtype));
    EXPECT_EQ(head + words, readBytes(path)) << gridText(grid);
  }
}

TEST(Distributed, KeepsSeveralRunsApart) {
  const Spec one = specOf(familyIndex("course"), 100, 1);
  Spec two = specOf(familyIndex("uniform"), 90, 2);
  two.dtype = Dtype::kInt64;
  runOnThreads(2, [&](Ranks& ranks) {
    Crew crew(ranks, readSource);
    if (ranks.rank() > 0) return crew.follow();
    const ProblemGraph graphs[] = {ProblemGraph(one), ProblemGraph(two)};
    const Execution where{cpuDevice, in64Bits(), false, &crew};
    const auto first = shared().prepare({graphs[0]}, where);
    const auto second = shared().prepare({graphs[1]}, where);
    first->reset();
    second->reset();
    second->solve();
    first->solve();
    EXPECT_TRUE(same(plain(generate(one)), toMatrix(first->distances())));
    EXPECT_TRUE(same(plain(generate(two)), toMatrix(second->distances())));
  });
}

/// A rank that fails in the middle of a solve ends all of them, with its error and its code.
TEST(Distributed, EndsIfOneRankFails) {
  const TempDir dir;
  const Spec spec = specOf(familyIndex("uniform"), 300, 1);
  for (const int failing : {0, 1}) {
    // Where this rank wants to write its part, there is a folder.
    const Band rows = verticesOf(shareOf(blocksOf(spec.n, 64), 2, failing), spec.n, 64);
    const std::string folder = dir / std::to_string(failing);
    std::filesystem::create_directories(folder + "/" + std::to_string(rows.first) + "-" +
                                        std::to_string(rows.count) + "-0-300.part.tmp/x");
    expectError(ErrorCode::kOutput, "rank " + std::to_string(failing), "cannot be written", [&] {
      attempt({{2, 1}, cpuDevice, {}, folder, 0}, ProblemGraph(spec));
    });
  }
}

TEST(Distributed, RefusesAGridOfAnotherSize) {
  runOnThreads(2, [](Ranks& ranks) {
    Crew crew(ranks, readSource);
    if (ranks.rank() > 0) return crew.follow();
    EXPECT_THROW(crew.useGrid({3, 1}), Error);
  });
}

TEST(Distributed, OtherSolversRunOnOneRank) {
  runOnThreads(2, [](Ranks& ranks) {
    Crew crew(ranks, readSource);
    if (ranks.rank() > 0) return crew.follow();
    EXPECT_THROW(requireRanks(findSolver("ref", DeviceKind::kCpu), &crew), Error);
    EXPECT_NO_THROW(requireRanks(shared(), &crew));
    EXPECT_NO_THROW(requireRanks(findSolver("ref", DeviceKind::kCpu), nullptr));
  });
}

// ---- by sources ---------------------------------------------------------------------------------

Options by(Method method) {
  Options options;
  options.method = method;
  return options;
}

/// The summaries of rows that ranks found and of all columns are those of the distances.
void expectSummaries(const Matrix& distances, const Summaries& got) {
  const DeviceMatrix matrix(cpuDevice, distances.n(), distances.dtype());
  upload(cpuDevice, matrix.data(), distances.data(), distances.size());
  const Summaries expected = summariesOf(WholeDistances(matrix));
  ASSERT_EQ(expected.rows.size(), got.rows.size());
  for (std::size_t i = 0; i < expected.rows.size(); ++i) {
    EXPECT_EQ(expected.rows[i].reachable, got.rows[i].reachable);
    EXPECT_EQ(expected.rows[i].largest, got.rows[i].largest);
    EXPECT_NEAR(expected.rows[i].sum, got.rows[i].sum, 1e-9 * expected.rows[i].sum);
    EXPECT_EQ(expected.columns[i].reaching, got.columns[i].reaching);
    EXPECT_NEAR(expected.columns[i].sum, got.columns[i].sum, 1e-9 * expected.columns[i].sum);
  }
}

/// Bit for bit, for graphs that each rank generates and for one that rank 0 sends. Returns the
/// arithmetic of whole weights.
Tier expectRight(const Spec& spec, int ranks, Method method, Method expectedMethod,
                 const Device& device = cpuDevice) {
  SCOPED_TRACE(described(spec, {ranks, 1}));
  Tier tier = Tier::kNone;
  const bool onGpu = device.kind() == DeviceKind::kGpu;
  const Matrix whole = plain(generate(spec));
  const double farthest = toDouble(graphStats(spec.n, whole.data()).maxWeight);
  for (const Dtype dtype : kDtypes) {
    if (dtype == Dtype::kFloat32 && farthest >= 1 << 24) continue;  // sums are rounded
    SCOPED_TRACE(nameOf(dtype));
    const Matrix expected = as(whole, dtype);
    const GraphStats stats = graphStats(spec.n, expected.data());
    for (const ProblemGraph& graph : bothWays(spec, dtype)) {
      const Attempted got = attempt({{ranks, 1}, device, by(method)}, graph);
      EXPECT_EQ(expectedMethod, got.call.outcome.method);
      EXPECT_TRUE(same(expected, got.distances));
      if (dtype == Dtype::kInt32) tier = got.call.outcome.tier;
      EXPECT_EQ(stats.edges, got.stats.edges);
      EXPECT_EQ(stats.hash, got.stats.hash);
      EXPECT_EQ(stats.maxWeight, got.stats.maxWeight);
      EXPECT_EQ(onGpu && solvesBySources(expectedMethod) && spec.n > 1, got.summaries.has_value());
      if (got.summaries) expectSummaries(expected, *got.summaries);
    }
  }
  return tier;
}

void expectRightBySources(const Spec& spec, int ranks, const Device& device = cpuDevice) {
  expectRight(spec, ranks, Method::kSparse, Method::kSparse, device);
}

/// Also for bands of different sizes, and for more ranks than there are batches of sources.
TEST(BySources, IsRightOnEveryFamily) {
  const std::uint64_t seed = testSeed();
  const int families = static_cast<int>(familyTable().size());
  int number = 0;
  for (int family = 0; family < families; ++family)
    for (const int ranks : {2, 3, 9}) {
      const int n = kSizes[(seed + static_cast<unsigned>(number)) % std::size(kSizes)];
      if (takes(number + family, 3))
        expectRightBySources(specOf(family, n, seed, number % 2 == 1), ranks);
      ++number;
    }
}

TEST(BySources, IsRightForEverySizeFrom1To150) {
  for (int n = 1; n <= 150; ++n)
    if (takesSize(n))
      expectRightBySources(specOf(familyIndex("sparse"), n, 1, n % 2 == 0), 2 + n % 5);
}

/// Each seed gives a new graph. Ranks change from one way to the other and back.
TEST(BySources, IsChosenWhereItPays) {
  const auto methodOn = [](const Spec& spec, Grid grid) {
    ProblemGraph graph(spec);
    return attempt({grid}, graph).call.outcome.method;
  };
  const Spec grid = specOf(familyIndex("grid"), 3000, 1);
  EXPECT_EQ(Method::kSparse, methodOn(grid, {2, 1}));
  EXPECT_EQ(Method::kDense, methodOn(grid, {1, 2}));
  Spec random = specOf(familyIndex("sparse"), 1000, 1);
  random.degree = 64;
  EXPECT_EQ(Method::kDense, methodOn(random, {2, 1}));
  EXPECT_EQ(Method::kDense, methodOn(specOf(familyIndex("uniform"), 500, 1), {2, 1}));
}

/// One run solves a graph by this method, then one by another method, then the first one again.
void expectChanges(const Spec& taken, const Spec& left, Method method) {
  runOnThreads(2, [&](Ranks& ranks) {
    omp_set_num_threads(1);
    Crew crew(ranks, readSource);
    if (ranks.rank() > 0) return crew.follow();
    ProblemGraph graph(generate(taken));
    const auto run = shared().prepare({graph}, {cpuDevice, {}, false, &crew});
    for (const Spec& spec : {taken, left, taken}) {
      graph = ProblemGraph(generate(spec));
      run->reset();
      EXPECT_EQ(spec.family == taken.family, run->solve().outcome.method == method);
      EXPECT_TRUE(verifyByDijkstra(graph.onHost(), run->distances(), 20).passed());
    }
  });
}

TEST(BySources, ChangesBetweenBothWaysFromGraphToGraph) {
  Spec random = specOf(familyIndex("sparse"), 2500, 1);
  random.degree = 64;
  expectChanges(specOf(familyIndex("grid"), 2500, 1), random, Method::kSparse);
}

void expectZeroWeightsSolved(Method method) {
  const Spec spec = specOf(familyIndex("sparse"), 130, 5);
  const Matrix expected = plain(generate(spec));
  for (const ProblemGraph& graph : {ProblemGraph(spec), ProblemGraph(generate(spec))}) {
    const ProblemGraph zero = graph.withZeroWeights();
    const Attempted got = attempt({{3, 1}, cpuDevice, by(method)}, zero);
    EXPECT_EQ(method, got.call.outcome.method);
    expectReached(expected, got.distances);
  }
}

TEST(BySources, SolvesWithZeroWeights) {
  expectZeroWeightsSolved(Method::kSparse);
}

/// All ranks of a machine share its memory. Rows of 2000 vertices that have no room are found when
/// they are asked for.
void expectStreamed(const Spec& spec, Method method) {
  omp_set_num_threads(1);
  Matrix expected = toMatrix(generate(spec));
  apspCpu(spec.n, expected.data());
  const int sharers = static_cast<int>(freeHostBytes() / (std::size_t{5} << 20));
  const auto rowsOf = [&](int ranks) {
    return SourceRows({spec.n, 2, 1, DeviceKind::kCpu, ranks, method});
  };
  for (const bool streams : {false, true}) {
    SourceRows rows = rowsOf(streams ? sharers : 1);
    rows.take(edgesOf(*sourceOf(spec), false));
    rows.reset();
    EXPECT_EQ(streams, rows.solve().outcome.streamed);
    std::vector<int> words(asSize(rows.rows().count) * spec.n);
    rows.get(rows.rows(), words.data());
    EXPECT_TRUE(std::equal(words.begin(), words.end(), expected.row<int>(rows.rows().first)));
    rows.get({rows.rows().first + 100, 1}, words.data());
    EXPECT_TRUE(std::equal(words.begin(), words.begin() + spec.n,
                           expected.row<int>(rows.rows().first + 100)));
  }
  SourceRows rows = rowsOf(1 << 30);
  expectError(ErrorCode::kMemory, "n = 2000: ", "solve a smaller graph",
              [&] { rows.take(edgesOf(*sourceOf(spec), false)); });
}

TEST(BySources, StreamsRowsThatHaveNoRoom) {
  expectStreamed(specOf(familyIndex("grid"), 2000, 1), Method::kSparse);
}

// ---- small distances ----------------------------------------------------------------------------

/// Columns and distances, in the order of a row.
using NearRow = std::vector<std::pair<int, double>>;

NearRow rightRow(const Matrix& all, const Problem& problem, const Nearness& near, int i) {
  const Selection asked = problem.asked == nullptr ? Selection() : *problem.asked;
  const int source = asked.source(i);
  NearRow row;
  for (int j = 0; j < problem.columns(); ++j) {
    const int target = asked.target(j);
    const double distance = all.row<std::int32_t>(source)[target];
    if (target != source && distance < kInf && distance <= near.limit)
      row.emplace_back(j, distance);
  }
  if (!near.nearest) return row;
  std::stable_sort(row.begin(), row.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
  row.resize(std::min(row.size(), asSize(*near.nearest)));
  return row;
}

/// all: the distances in int32.
void expectNear(Crew& crew, const Problem& problem, const Matrix& all, const Nearness& near) {
  const NearRows found = crew.near(problem, near);
  ASSERT_EQ(problem.rows(), found.rows->rowCount());
  ASSERT_EQ(problem.columns(), found.rows->columns());
  ASSERT_EQ(problem.graph.dtype(), found.rows->dtype());
  ASSERT_EQ(near.paths, found.paths != nullptr);
  for (int i = 0; i < problem.rows(); ++i) {
    const std::size_t count = found.rows->count(i);
    NearRow row;
    for (std::size_t k = 0; k < count; ++k)
      row.emplace_back(found.rows->columnsOf(i)[k], toDouble(found.rows->distances(i)[k]));
    ASSERT_EQ(rightRow(all, problem, near, i), row) << "row " << i;
    if (!near.paths) continue;
    const auto paths = found.paths(i);
    ASSERT_EQ(count, paths.size());
    const Selection asked = problem.asked == nullptr ? Selection() : *problem.asked;
    for (std::size_t k = 0; k < count; ++k) {
      ASSERT_EQ(asked.source(i), paths[k].front());
      ASSERT_EQ(asked.target(row[k].first), paths[k].back());
    }
  }
}

/// Does the job on rank 0 of a crew of so many threads.
void onCrew(int count, const std::function<void(Crew&)>& job) {
  runOnThreads(count, [&](Ranks& ranks) {
    omp_set_num_threads(1);
    runCrew(ranks, job, readSource);
  });
}

/// Also by more ranks than there are sources, for tables, and for graphs that ranks would make.
TEST(NearOnRanks, IsWhatTheLoopFinds) {
  const int n = 60;
  const Selection few{{7, 3, 3, 59}, {}}, table{{1, 40}, {9, 2, 30, 1}};
  for (const char* family : {"grid", "sparse", "uniform"}) {
    const Spec spec = specOf(familyIndex(family), n, testSeed());
    const Matrix all = plain(generate(spec));
    for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat64})
      for (const ProblemGraph& graph : bothWays(spec, dtype))
        for (const int ranks : {1, 2, 5})
          onCrew(ranks, [&](Crew& crew) {
            for (const Selection* asked : std::vector<const Selection*>{nullptr, &few, &table})
              for (const Nearness& near :
                   {Nearness{0, {}}, Nearness{40, {}}, Nearness{HUGE_VAL, {}},
                    Nearness{HUGE_VAL, 3, true}, Nearness{25.5, 4, true}})
                expectNear(crew, {graph, asked}, all, near);
          });
  }
}

TEST(NearOnRanks, GetsLargeRowsInPieces) {
  const Spec spec = specOf(familyIndex("uniform"), 400, testSeed());
  const Matrix all = plain(generate(spec));
  const ProblemGraph graph(generate(spec));
  onCrew(2, [&](Crew& crew) { expectNear(crew, {graph}, all, {HUGE_VAL, {}}); });
}

/// The trouble of a rank is that of all, and they go on with the next question.
TEST(NearOnRanks, GoesOnAfterAnError) {
  Edges<std::int32_t> edges = {{0, 1, 1}, {2, 3, 1 << 29}, {3, 4, 1 << 29}};
  const ProblemGraph graph(fromEdges(5, std::move(edges)));
  const Selection twice{{}, {3, 4, 3}};
  onCrew(3, [&](Crew& crew) {
    const auto refused = [&](const Selection* asked, const Nearness& near) {
      try {
        crew.near({graph, asked}, near);
      } catch (const Error& error) {
        return std::pair(error.code, std::string(error.what()));
      }
      return std::pair(ErrorCode::kMemory, std::string());
    };
    EXPECT_EQ(std::pair(ErrorCode::kUsage,
                        std::string("the limit of distances is -1: it is a number from 0 on")),
              refused(nullptr, {-1, {}}));
    EXPECT_EQ(ErrorCode::kUsage, refused(&twice, {HUGE_VAL, 1}).first);
    const auto tooFar = refused(nullptr, {HUGE_VAL, {}});  // of vertex 2
    EXPECT_EQ(RangeError("").code, tooFar.first);
    EXPECT_NE(std::string::npos, tooFar.second.find("1073741823 or more")) << tooFar.second;
    EXPECT_EQ(3u, crew.near({graph}, {1 << 29, {}}).rows->entries());
  });
}

// ---- by breadth-first searches ------------------------------------------------------------------

/// The same graph with weights up to 1, if they are all equal then.
std::optional<Spec> withEqualWeights(Spec spec) {
  spec.range = 1;
  if (!bfs::commonWeight(edgesOf(*sourceOf(spec), false))) return std::nullopt;
  return spec;
}

void expectRightByLevels(const Spec& spec, int ranks, const Device& device = cpuDevice) {
  expectRight(spec, ranks, Method::kBfs, Method::kBfs, device);
}

/// Also for bands of different sizes, and for more ranks than there are batches of sources.
TEST(ByLevels, IsRightOnEveryFamily) {
  const std::uint64_t seed = testSeed();
  const int families = static_cast<int>(familyTable().size());
  int number = 0, solved = 0;
  for (int family = 0; family < families; ++family)
    for (const int ranks : {2, 3, 9}) {
      const int n = kSizes[(seed + static_cast<unsigned>(number)) % std::size(kSizes)];
      const bool undirected = number % 2 == 1;
      if (!takes(number++ + family, 3)) continue;
      const auto spec = withEqualWeights(specOf(family, n, seed, undirected));
      if (!spec) continue;
      expectRightByLevels(*spec, ranks);
      ++solved;
    }
  EXPECT_GT(solved, families / 2);
}

TEST(ByLevels, IsRightForEverySizeFrom1To150) {
  for (int n = 1; n <= 150; ++n)
    if (takesSize(n))
      expectRightByLevels(withEqualWeights(specOf(familyIndex("sparse"), n, 1, n % 2 == 0)).value(),
                          2 + n % 5);
}

TEST(ByLevels, SolvesWithZeroWeights) {
  expectZeroWeightsSolved(Method::kBfs);
}

TEST(ByLevels, StreamsRowsThatHaveNoRoom) {
  expectStreamed(withEqualWeights(specOf(familyIndex("sparse"), 2000, 1)).value(), Method::kBfs);
}

TEST(ByLevels, CountsWhatAllRanksDo) {
  const ProblemGraph graph(withEqualWeights(specOf(familyIndex("sparse"), 500, 1)).value());
  const auto alone = shared().prepare({graph}, {cpuDevice, by(Method::kBfs)});
  alone->reset();
  const Levelling expected = alone->solve().outcome.levelling;
  EXPECT_GT(expected.passed, 0);
  for (const int ranks : {2, 3, 9}) {
    const Attempted got = attempt({{ranks, 1}, cpuDevice, by(Method::kBfs)}, graph);
    EXPECT_EQ(expected.passed, got.call.outcome.levelling.passed) << ranks << " ranks";
    EXPECT_EQ(expected.levels, got.call.outcome.levelling.levels);
  }
}

TEST(ByLevels, IsChosenWhereItPays) {
  const auto methodOn = [](const Spec& spec, Grid grid) {
    return attempt({grid}, ProblemGraph(spec)).call.outcome.method;
  };
  const Spec random = specOf(familyIndex("sparse"), 3000, 1);
  const Spec equal = withEqualWeights(random).value();
  EXPECT_EQ(Method::kBfs, methodOn(equal, {2, 1}));
  EXPECT_EQ(Method::kBfs, methodOn(equal, {5, 1}));
  EXPECT_EQ(Method::kDense, methodOn(equal, {1, 2}));
  EXPECT_NE(Method::kBfs, methodOn(random, {2, 1}));
}

TEST(ByLevels, ChangesToSweepsAndBack) {
  expectChanges(withEqualWeights(specOf(familyIndex("sparse"), 2500, 1)).value(),
                specOf(familyIndex("grid"), 2500, 1), Method::kBfs);
}

TEST(ByLevels, RefusesOtherWeights) {
  const ProblemGraph graph(generate(specOf(familyIndex("sparse"), 100, 1)));
  expectError(ErrorCode::kUsage, "method bfs", "equal weight", [&] {
    attempt({{2, 1}, cpuDevice, by(Method::kBfs)}, graph);
  });
}

// ---- filtered on CPUs ---------------------------------------------------------------------------

/// Several ranks filter what one rank filters. Tier::kNone if that is nothing.
Tier expectRightFiltered(const Spec& spec, int ranks) {
  Matrix alone = toMatrix(generate(spec));
  const auto done = solveFiltered(spec.n, alone.data(), kWhateverItTakes);
  const Tier tier =
      expectRight(spec, ranks, Method::kFiltered, done ? Method::kFiltered : Method::kDense);
  return done ? tier : Tier::kNone;
}

/// Also for bands of different sizes, and for more ranks than there are blocks of rows.
TEST(FilteredOnCpus, IsRightOnEveryFamily) {
  const std::uint64_t seed = testSeed();
  const int families = static_cast<int>(familyTable().size());
  int number = 0, narrow = 0, wide = 0;
  for (int family = 0; family < families; ++family)
    for (const int ranks : {2, 3, 9}) {
      const int n = kSizes[(seed + static_cast<unsigned>(number)) % std::size(kSizes)];
      const bool undirected = number % 2 == 1;
      if (!takes(number++ + family, 3)) continue;
      const Tier tier = expectRightFiltered(specOf(family, n, seed, undirected), ranks);
      narrow += tier == Tier::kUint16;
      wide += tier == Tier::kInt32;
    }
  EXPECT_GT(narrow, 0);
  EXPECT_GT(wide, 0);
}

TEST(FilteredOnCpus, IsRightForEverySizeFrom1To150) {
  for (int n = 1; n <= 150; ++n) {
    if (!takesSize(n)) continue;
    const Spec spec = specOf(familyIndex(n % 3 == 0 ? "sparse" : "course"), n, 1, n % 2 == 0);
    EXPECT_EQ(n < 16, expectRightFiltered(spec, 2 + n % 5) == Tier::kNone) << "n = " << n;
  }
}

TEST(FilteredOnCpus, SolvesWithZeroWeights) {
  expectZeroWeightsSolved(Method::kFiltered);
}

/// If it does not pay, the dense solver takes over, and its distances are right.
TEST(FilteredOnCpus, IsChosenWhereItPays) {
  const struct {
    const char* family;
    int n;
    Grid grid;
    Method method;
  } cases[] = {
      {"uniform", 1000, {2, 1}, Method::kFiltered}, {"course", 1100, {3, 1}, Method::kFiltered},
      {"uniform", 1000, {1, 2}, Method::kDense},    {"uniform", 500, {4, 1}, Method::kDense},
      {"metric", 1000, {2, 1}, Method::kDense},     {"equal", 1000, {2, 1}, Method::kDense},
      {"uniform", 1000, {30, 1}, Method::kDense},
  };
  for (const auto& each : cases) {
    const Spec spec = specOf(familyIndex(each.family), each.n, testSeed());
    SCOPED_TRACE(described(spec, each.grid));
    Matrix expected = toMatrix(generate(spec));
    apspCpu(spec.n, expected.data());
    const Attempted got = attempt({each.grid}, ProblemGraph(spec));
    EXPECT_EQ(each.method, got.call.outcome.method);
    EXPECT_TRUE(same(expected, got.distances));
    EXPECT_EQ(static_cast<std::size_t>(each.grid.ranks()), got.call.sharing.each.size());
    for (const RankTimes& rank : got.call.sharing.each) {
      EXPECT_GT(rank.wait, 0);
      EXPECT_GT(rank.bytes, 0u);
    }
  }
}

TEST(FilteredOnCpus, ChangesToTheDenseSolverAndBack) {
  expectChanges(specOf(familyIndex("uniform"), 1000, 1), specOf(familyIndex("metric"), 1000, 1),
                Method::kFiltered);
}

/// Each rank holds the lists of edges. Without memory for them, ranks do not choose the method.
TEST(FilteredOnCpus, TakesMemoryForTheListsOfEachRank) {
  const auto memoryOf = [](int n, int count, Method method) {
    Memory memory;
    runOnThreads(count, [&](Ranks& ranks) {
      Crew crew(ranks, readSource);
      if (ranks.rank() > 0) return crew.follow();
      const ProblemGraph graph(specOf(familyIndex("uniform"), n, 1));
      memory = shared().memory({graph}, {cpuDevice, by(method), false, &crew});
    });
    return memory;
  };
  const std::size_t dense = memoryOf(2000, 2, Method::kDense).device;
  const std::size_t two = memoryOf(2000, 2, Method::kFiltered).device - dense;
  EXPECT_GT(two, 0u);
  EXPECT_EQ(2 * two,
            memoryOf(2000, 4, Method::kFiltered).device - memoryOf(2000, 4, Method::kDense).device);
  EXPECT_EQ(dense, memoryOf(2000, 2, Method::kAuto).device);
  EXPECT_EQ(dense + two, memoryOf(2000, 2, Method::kAuto).best);
  const Memory huge = memoryOf(1'000'000, 2, Method::kAuto);
  EXPECT_EQ(huge.device, huge.best);
}

// ---- numbers of 64 bits -------------------------------------------------------------------------

/// The graph of a spec with whole weights of up to 2^40. Sums of fewer than 2^13 of them are exact
/// in float64, too.
Graph wide(Spec spec, Dtype dtype) {
  spec.range = std::int64_t{1} << 40;
  spec.dtype = Dtype::kInt64;
  Graph graph = generate(spec);
  convert(graph, dtype);
  return graph;
}

/// The same distances, bit for bit, by ranks, by one process, and by the plain loop.
void expectRightInWide(const Spec& spec, Grid grid, Method method, int processes = 1) {
  for (const Dtype dtype : {Dtype::kInt64, Dtype::kFloat64}) {
    SCOPED_TRACE(described(spec, grid) + ", " + nameOf(method) + ", " + nameOf(dtype));
    const ProblemGraph graph(wide(spec, dtype));
    const Matrix expected = plain(wide(spec, dtype));
    const GraphStats stats = graphStats(spec.n, expected.data());
    if (spec.n >= 64) {
      EXPECT_GT(toDouble(stats.maxWeight), kInf);
    }
    const auto alone = shared().prepare({graph}, {cpuDevice, by(method)});
    alone->reset();
    alone->solve();
    EXPECT_TRUE(same(expected, toMatrix(alone->distances())));
    Attempt how = {grid, cpuDevice, by(method)};
    how.processes = processes;
    const Attempted got = attempt(how, graph);
    EXPECT_TRUE(same(expected, got.distances));
    EXPECT_EQ(stats.edges, got.stats.edges);
    EXPECT_EQ(stats.hash, got.stats.hash);
    EXPECT_EQ(stats.maxWeight, got.stats.maxWeight);
    if (method == Method::kDense) {
      EXPECT_EQ(tierOf(dtype), got.call.outcome.tier);
    }
  }
}

TEST(InWide, IsRightOnEveryGrid) {
  const std::uint64_t seed = testSeed();
  int turn = 0;
  for (const char* family : {"uniform", "sparse"})
    for (const int n : {1, 2, 64, 65, 200, 321})
      for (const Grid grid : kGrids)
        if (takes(++turn, 3))
          expectRightInWide(specOf(familyIndex(family), n, seed), grid, Method::kDense);
  for (const Grid grid : {Grid{4, 1}, Grid{2, 2}})
    expectRightInWide(specOf(familyIndex("uniform"), 200, seed), grid, Method::kDense, 2);
}

TEST(InWide, IsRightBySources) {
  const std::uint64_t seed = testSeed();
  int turn = 0;
  for (const char* family : {"sparse", "grid", "uniform"})
    for (const int n : {1, 33, 65, 200, 321})
      for (const int ranks : {2, 3, 9})
        if (takes(++turn, 3))
          expectRightInWide(specOf(familyIndex(family), n, seed), {ranks, 1}, Method::kSparse);
}

TEST(InWide, IsRightFiltered) {
  const std::uint64_t seed = testSeed();
  int turn = 0;
  for (const char* family : {"uniform", "course", "sparse"})
    for (const int n : {20, 65, 200, 321})
      for (const int ranks : {2, 3, 9})
        if (takes(++turn, 3))
          expectRightInWide(specOf(familyIndex(family), n, seed), {ranks, 1}, Method::kFiltered);
}

TEST(InWide, IsRightByTheMethodThatPays) {
  expectRightInWide(specOf(familyIndex("grid"), 1500, 1), {2, 1}, Method::kAuto);
  expectRightInWide(specOf(familyIndex("uniform"), 1000, 1), {2, 1}, Method::kAuto);
}

/// Small whole numbers need not be solved in 64 bits.
TEST(InWide, IsRightIfNumbersAreNarrow) {
  const Spec spec = specOf(familyIndex("sparse"), 200, 3);
  const Matrix whole = plain(generate(spec));
  for (const Dtype dtype : {Dtype::kInt64, Dtype::kFloat64}) {
    const Matrix expected = as(whole, dtype);
    for (const ProblemGraph& graph : bothWays(spec, dtype)) {
      Attempt how = {{3, 1}};
      how.narrows = true;
      const Attempted got = attempt(how, graph);
      EXPECT_TRUE(same(expected, got.distances));
      EXPECT_EQ(graphStats(spec.n, expected.data()).hash, got.stats.hash);
    }
  }
}

/// Ranks may round sums in another order than one process.
TEST(InWide, AddsRealNumbers) {
  Spec spec = specOf(familyIndex("sparse"), 321, testSeed());
  spec.dtype = Dtype::kFloat64;
  const Matrix expected = plain(generate(spec));
  for (const ProblemGraph& graph : {ProblemGraph(spec), ProblemGraph(generate(spec))})
    for (const Method method : {Method::kDense, Method::kSparse, Method::kFiltered}) {
      const Matrix got = attempt({{3, 1}, cpuDevice, by(method)}, graph).distances;
      const double allowed = tolerance(spec.n, spec.dtype, 2);
      const Mismatch found = cpuDevice.compare(spec.n, got.data(), expected.data(), allowed);
      EXPECT_EQ(0u, found.count) << nameOf(method);
    }
}

// ---- matrices in files --------------------------------------------------------------------------

/// What ranks find of a file, and the distances, if they read it by themselves.
struct ReadTogether {
  std::optional<ProblemGraph> graph;
  ReadReport report;
  Matrix distances;
  bool whole = false;  ///< rank 0 has read the whole matrix
};

ReadTogether readTogether(const std::string& path, const ReadOptions& options, Grid grid) {
  ReadTogether result;
  runOnThreads(grid.ranks(), [&](Ranks& ranks) {
    omp_set_num_threads(1);
    Crew crew(ranks, readSource);
    crew.useGrid(grid);
    if (ranks.rank() > 0) return crew.follow();
    const std::optional<MatrixLayout> matrix = findMatrix(path, options);
    if (!matrix) return;
    auto found = examineOnRanks(crew, path, *matrix);
    if (!found) return;
    result.report = found->report;
    const ProblemGraph& graph = result.graph.emplace(sourceOf(*std::move(found)));
    const auto run = shared().prepare({graph}, {cpuDevice, {}, false, &crew});
    run->reset();
    run->solve();
    result.distances = toMatrix(run->distances());
    EXPECT_TRUE(verifyByBellman(graph, run->distances(), 5).passed());
    result.whole = graph.hostBytes() == 0;
  });
  return result;
}

/// The same graph, facts and distances as readGraph() and one rank give.
void expectReadAlike(const std::string& path, const ReadOptions& options, Grid grid) {
  SCOPED_TRACE(path + " on " + gridText(grid));
  const FileGraph alone = readGraph(path, options);
  const ReadTogether got = readTogether(path, options, grid);
  ASSERT_TRUE(got.graph);
  EXPECT_FALSE(got.whole);
  EXPECT_EQ(alone.dtype(), got.graph->dtype());
  EXPECT_EQ(alone.report.zeros, got.report.zeros);
  EXPECT_EQ(alone.report.zero, got.report.zero);
  EXPECT_EQ(alone.report.dropped.selfLoops, got.report.dropped.selfLoops);
  EXPECT_EQ(alone.report.minusOnes, got.report.minusOnes);
  const GraphStats stats = graphStats(alone), found = got.graph->statistics(cpuDevice);
  EXPECT_EQ(stats.edges, found.edges);
  EXPECT_EQ(stats.hash, found.hash);
  EXPECT_EQ(stats.maxWeight, found.maxWeight);
  const Matrix& read = got.graph->onHost().matrix();
  EXPECT_TRUE(same(alone.matrix(), read));
  Matrix expected = toMatrix(readGraph(path, options));
  apspCpu(alone.n, expected.data());
  EXPECT_TRUE(same(expected, got.distances));
}

/// A matrix of n × n such elements, as .npy, or as dense .bin if they are int32.
template <class T>
std::string matrixFile(const std::string& path, int n, const std::vector<T>& elements) {
  std::string bytes;
  const int header[] = {n, n};
  if (path.back() == 'n')
    bytes.assign(reinterpret_cast<const char*>(header), sizeof header);
  else
    bytes = npyHeader(((std::is_integral_v<T> ? "<i" : "<f") + std::to_string(sizeof(T))).c_str(),
                      std::to_string(n) + ", " + std::to_string(n));
  bytes.append(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
  writeBytes(path, bytes);
  return path;
}

/// Weights with self-loops, zeros and marks of "no edge". part: of each weight, beside a whole
/// number.
template <class T>
std::vector<T> someElements(int n, T part, bool marks) {
  std::mt19937 random(testSeed());
  std::vector<T> elements(static_cast<std::size_t>(n) * n);
  for (T& element : elements) {
    const int kind = static_cast<int>(random() % 8);
    element = kind == 0 ? 0 : static_cast<T>(random() % 1000) + part;
    if (marks && kind == 1) element = -1;
    if (marks && kind == 2) element = kInfinity<T>;
  }
  return elements;
}

TEST(ReadTogether, GivesTheGraphOfOneReader) {
  const TempDir dir;
  int turn = 0;
  for (const int n : {1, 2, 65, 200, 321})
    for (const Grid grid : {Grid{2, 1}, Grid{3, 1}, Grid{2, 2}, Grid{9, 1}})
      for (const bool marks : {false, true}) {
        if (!takes(++turn, 3)) continue;
        ReadOptions options;
        options.zero = n % 2 == 0 ? Zero::kNoEdge : Zero::kUnclear;
        const std::vector<int> ints = someElements(n, 0, marks);
        for (const char* name : {"m.npy", "m.bin"})
          expectReadAlike(matrixFile(dir / name, n, ints), options, grid);
        for (const float part : {0.0f, 0.5f})
          expectReadAlike(matrixFile(dir / "m.npy", n, someElements(n, part, marks)), options,
                          grid);
        for (const std::int64_t part : {std::int64_t{0}, std::int64_t{1} << 40})
          expectReadAlike(matrixFile(dir / "m.npy", n, someElements(n, part, marks)), options,
                          grid);
        for (const double part : {0.0, 0x1p-30})
          expectReadAlike(matrixFile(dir / "m.npy", n, someElements(n, part, marks)), options,
                          grid);
        options.dtype = Dtype::kFloat32;
        expectReadAlike(matrixFile(dir / "m.npy", n, ints), options, grid);
        expectReadAlike(matrixFile(dir / "m.npy", n, someElements(n, 0.0f, marks)), options, grid);
        for (const Dtype dtype : {Dtype::kInt64, Dtype::kFloat64}) {
          options.dtype = dtype;
          expectReadAlike(matrixFile(dir / "m.npy", n, ints), options, grid);
        }
      }
}

/// If one element of the matrix is not whole, all weights become float32.
TEST(ReadTogether, AgreesOnTheTypeOfWeights) {
  const TempDir dir;
  const int n = 100;
  for (const std::size_t at : {0 * 100 + 1, 50 * 100 + 3, 99 * 100 + 98}) {
    std::vector<float> elements = someElements(n, 0.0f, true);
    elements[at] = 0.25f;
    expectReadAlike(matrixFile(dir / "m.npy", n, elements), {}, {3, 1});
  }
}

/// The message is that of readGraph(), about the first error in the file.
TEST(ReadTogether, TellsTheFirstErrorOfAll) {
  const TempDir dir;
  const int n = 90;
  const auto messageOf = [](const std::function<void()>& read) -> std::string {
    try {
      read();
    } catch (const Error& error) {
      EXPECT_EQ(ErrorCode::kInput, error.code);
      return error.what();
    }
    return "";
  };
  for (const auto& wrong : {std::vector<int>{20, 50, 80}, {85}, {0}, {45, 46}}) {
    std::vector<int> ints = someElements(n, 0, true);
    std::vector<float> reals = someElements(n, 0.5f, true);
    for (const int row : wrong) {
      ints[static_cast<std::size_t>(row * n + 7)] = -5;
      reals[static_cast<std::size_t>(row * n + 7)] = -0.75f;
    }
    for (const std::string& path :
         {matrixFile(dir / "i.npy", n, ints), matrixFile(dir / "i.bin", n, ints),
          matrixFile(dir / "f.npy", n, reals)}) {
      const std::string alone = messageOf([&] { readGraph(path); });
      EXPECT_NE("", alone);
      EXPECT_EQ(alone, messageOf([&] { readTogether(path, {}, {3, 1}); }));
    }
  }
  std::vector<float> reals = someElements(n, 0.0f, true);
  reals[60 * 90 + 2] = 1.5f;
  ReadOptions whole;
  whole.dtype = Dtype::kInt32;
  const std::string path = matrixFile(dir / "w.npy", n, reals);
  EXPECT_EQ(messageOf([&] { readGraph(path, whole); }), messageOf([&] {
              readTogether(path, whole, {2, 1});
            }));
}

TEST(ReadTogether, IsNotForOtherFiles) {
  const TempDir dir;
  const std::vector<int> ints = someElements(50, 0, false);
  const std::string path = matrixFile(dir / "m.npy", 50, ints), bytes = readBytes(path);
  EXPECT_TRUE(findMatrix(path, {}));
  ReadOptions options;
  options.undirected = true;
  EXPECT_FALSE(findMatrix(path, options));
  options = {};
  options.negative = true;
  EXPECT_FALSE(findMatrix(path, options));
  options = {};
  options.given = {"--compact"};
  EXPECT_FALSE(findMatrix(path, options));
  for (const auto& [from, to] : {std::pair("False", "True "), std::pair("<i4", ">i4"),
                                 std::pair("<i4", "<u4"), std::pair("50, 50", "25, 100")}) {
    std::string other = bytes;
    writeBytes(dir / "o.npy", other.replace(other.find(from), std::strlen(from), to));
    EXPECT_FALSE(findMatrix(dir / "o.npy", {})) << to;
  }
  writeBytes(dir / "o.npy", bytes.substr(0, bytes.size() - 1));
  EXPECT_FALSE(findMatrix(dir / "o.npy", {}));
  EXPECT_FALSE(findMatrix(dir / "missing.npy", {}));
  // A file of three edges or of a matrix of three rows.
  EXPECT_FALSE(findMatrix(matrixFile(dir / "m.bin", 3, someElements(3, 0, false)), {}));
  writeBytes(dir / "m.gr", "p sp 2 1\na 1 2 3\n");
  EXPECT_FALSE(findMatrix(dir / "m.gr", {}));
}

/// A file that changes is refused. If some rank sees another file from the beginning, rank 0 reads.
TEST(ReadTogether, NoticesAChange) {
  const TempDir dir;
  const std::string path = matrixFile(dir / "m.npy", 70, someElements(70, 0, false));
  runOnThreads(2, [&](Ranks& ranks) {
    Crew crew(ranks, readSource);
    if (ranks.rank() > 0) return crew.follow();
    MatrixLayout matrix = *findMatrix(path, {});
    ++matrix.mark.inode;
    EXPECT_FALSE(examineOnRanks(crew, path, matrix));
    --matrix.mark.inode;
    const ProblemGraph graph(sourceOf(*examineOnRanks(crew, path, matrix)));
    const auto run = shared().prepare({graph}, {cpuDevice, {}, false, &crew});
    writeBytes(path, readBytes(path) + "x");
    expectError(ErrorCode::kInput, path, "changed", [&] { run->reset(); });
    expectError(ErrorCode::kInput, path, "changed", [&] { graph.onHost(); });
    std::vector<int> row(70);
    expectError(ErrorCode::kInput, path, "changed", [&] { graph.rows(1, 1, row.data()); });
  });
}

TEST(ReadTogether, NoticesAChangeWhileItReads) {
  const TempDir dir;
  const std::string path = matrixFile(dir / "m.npy", 70, someElements(70, 0, false));
  MatrixLayout matrix = *findMatrix(path, {});
  matrix.dtype = Dtype::kInt32;
  const MatrixFile file(path, matrix);
  std::vector<int> row(70);
  file.read(1, 1, 0, 70, row.data());
  file.count(0, 70);
  writeBytes(path, readBytes(path) + "x");
  expectError(ErrorCode::kInput, path, "changed", [&] { file.read(1, 1, 0, 70, row.data()); });
  expectError(ErrorCode::kInput, path, "changed", [&] { file.count(0, 70); });
}

TEST(ReadTogether, SolvesWithZeroWeights) {
  const TempDir dir;
  const int n = 100;
  const std::string path = matrixFile(dir / "m.npy", n, someElements(n, 0.5f, true));
  runOnThreads(3, [&](Ranks& ranks) {
    Crew crew(ranks, readSource);
    if (ranks.rank() > 0) return crew.follow();
    const ProblemGraph graph(sourceOf(*examineOnRanks(crew, path, *findMatrix(path, {}))));
    const ProblemGraph zero = graph.withZeroWeights();
    const auto run = shared().prepare({zero}, {cpuDevice, {}, false, &crew});
    run->reset();
    Matrix expected(n, Dtype::kFloat32);
    zero.upload(cpuDevice, expected.data());
    EXPECT_EQ(Number(0.0f), graphStats(n, expected.data()).maxWeight);
    EXPECT_TRUE(same(expected, toMatrix(run->distances())));
  });
}

// ---- checkpoints --------------------------------------------------------------------------------

/// What ends a solve in the middle.
struct Ended : std::runtime_error {
  Ended() : std::runtime_error("ended") {}
};

/// The graph of a spec in the part of one rank.
std::unique_ptr<Part> filledPart(const Spec& spec, GridRanks& ranks, int rank, DeviceKind device) {
  auto part = device == DeviceKind::kCpu
                  ? partOnCpu(spec.n, spec.dtype, ranks.grid, rank)
                  : partOnGpu(spec.n, spec.dtype, Precision::k32, ranks, rank);
  const Band rows = part->rows(), columns = part->columns();
  ElementBuffer elements(spec.dtype, asSize(rows.count) * columns.count);
  generateBlock(spec, rows.first, rows.count, columns.first, columns.count, elements.data());
  part->put(rows, elements.data());
  return part;
}

/// Solves until each rank has saved its part after the round that its number says, and gives up.
void solveInVain(const Spec& spec, Grid grid, const SavedGraph& graph, const std::string& folder,
                 DeviceKind device = DeviceKind::kCpu) {
  const auto body = [&](Ranks& all) {
    omp_set_num_threads(1);
    GridRanks ranks(all, grid);
    const auto part = filledPart(spec, ranks, all.rank(), device);
    part->begin(tierOf(spec.dtype), false);
    solveRounds(*part, spec.n, ranks, 0, [&](int rounds) {
      if (rounds == 1 + all.rank() % 3)
        savePart(folder, graph, *part, std::min(spec.n, rounds * part->depth()));
      if (rounds == 4) throw Ended();
    });
  };
  EXPECT_THROW(runOnThreads(grid.ranks(), body), std::runtime_error);
}

TEST(Checkpoints, OfDifferentRoundsAreEnoughForAnyNumberOfRanks) {
  const TempDir dir;
  Spec spec = specOf(familyIndex("permuted-ring"), 500, testSeed());
  const Matrix whole = plain(generate(spec));
  int number = 0;
  for (const Grid saved : {Grid{3, 1}, Grid{2, 2}, Grid{4, 1}}) {
    for (const Grid grid : {Grid{1, 1}, Grid{2, 1}, Grid{3, 1}, Grid{2, 3}}) {
      spec.dtype = kDtypes[number++ % std::size(kDtypes)];
      SCOPED_TRACE(gridText(saved) + ", resumed by " + gridText(grid) + " in " +
                   nameOf(spec.dtype));
      const Matrix expected = as(whole, spec.dtype);
      const GraphStats stats = graphStats(generate(spec));
      const std::string folder = dir / "saved";
      solveInVain(spec, saved, {spec.n, spec.dtype, stats.hash}, folder);
      const Attempted got = attempt({grid, cpuDevice, {}, folder}, ProblemGraph(spec));
      EXPECT_EQ(1, got.resumedAt);  // the first round after which some rank saved
      EXPECT_TRUE(same(expected, got.distances));
      EXPECT_TRUE(std::filesystem::is_empty(folder));
    }
  }
}

TEST(Checkpoints, OfOneRankAloneAreNotEnough) {
  const TempDir dir;
  const Spec spec = specOf(familyIndex("uniform"), 300, 1);
  const GraphStats stats = graphStats(generate(spec));
  solveInVain(spec, {3, 1}, {spec.n, spec.dtype, stats.hash}, dir / "saved");
  for (const auto& entry : std::filesystem::directory_iterator(dir / "saved")) {
    std::filesystem::remove(entry.path());
    break;
  }
  const Attempted got = attempt({{2, 1}, cpuDevice, {}, dir / "saved"}, ProblemGraph(spec));
  EXPECT_EQ(0, got.resumedAt);
  EXPECT_TRUE(same(plain(generate(spec)), got.distances));
}

TEST(Checkpoints, OfAnotherGraphOrCutOffAreRefused) {
  const TempDir dir;
  const Spec spec = specOf(familyIndex("uniform"), 300, 1);
  const SavedGraph graph{spec.n, spec.dtype, graphStats(generate(spec)).hash};
  const auto rank = onlyRank();
  GridRanks ranks(*rank, {1, 1});
  const auto part = filledPart(spec, ranks, 0, DeviceKind::kCpu);
  savePart(dir / "saved", graph, *part, 64);
  const auto load = [&](SavedGraph wanted) { loadPart(dir / "saved", wanted, *part); };
  load(graph);
  expectError(ErrorCode::kInput, "0-300-0-300.part", "another graph", [&] {
    load({300, spec.dtype, 1});
  });
  expectError(ErrorCode::kInput, "0-300-0-300.part", "another graph", [&] {
    load({300, Dtype::kInt64, graph.hash});
  });
  const std::string path = dir / "saved/0-300-0-300.part";
  const std::string bytes = readBytes(path);
  writeBytes(path, bytes.substr(0, bytes.size() - 1));
  expectError(ErrorCode::kInput, path, "cut off", [&] { load(graph); });
  writeBytes(path, "apspprt9");
  expectError(ErrorCode::kInput, path, "not a saved part", [&] { load(graph); });
}

// ---- on the GPU ---------------------------------------------------------------------------------

// All ranks share one GPU here. On several, only the messages take another way.
using DistributedOnGpu = OnDevice;
INSTANTIATE_TEST_SUITE_P(Devices, DistributedOnGpu, testing::Values("gpu"), kindName);

/// A graph's distances by the naive kernel.
Matrix naive(const Device& device, const Spec& spec) {
  DeviceMatrix matrix(device, spec.n);
  generateOn(device, spec, matrix.data());
  findSolver("ref", DeviceKind::kGpu).inPlace(device, spec.n, matrix.data(), {});
  Matrix host(spec.n, Dtype::kInt32);
  download(device, host.data(), matrix.data(), host.size());
  return host;
}

constexpr int kTooFar = 32767;  // for 16 bits

void expectRightOnGpu(const Device& device, Spec spec, Grid grid) {
  const Matrix expected = naive(device, spec);
  const int* const distances = expected.row<int>(0);
  const int farthest = *std::max_element(distances, distances + expected.size());
  for (const Precision precision : {Precision::k32, Precision::k16, Precision::kAuto}) {
    for (const bool skip : {true, false}) {
      SCOPED_TRACE(described(spec, grid) + ", precision " + nameOf(precision));
      Options options;
      options.precision = precision;
      options.skip = skip;
      const Attempted got = attempt({grid, device, options}, ProblemGraph(spec));
      const bool none = precision == Precision::k16 && farthest >= kTooFar;
      const Tier tier = got.call.outcome.tier;
      EXPECT_EQ(none, tier == Tier::kNone) << nameOf(tier);
      const bool may16 = precision != Precision::k32 && farthest < kTooFar;
      const bool must16 = may16 && precision == Precision::k16;
      EXPECT_TRUE(tier == Tier::kUint16 ? may16 : !must16) << nameOf(tier);
      if (none) continue;
      ASSERT_TRUE(same(expected, got.distances));
    }
  }
}

/// By default one of three graphs is solved.
TEST_P(DistributedOnGpu, IsRightOnEveryFamilyAndGrid) {
  const std::uint64_t seed = testSeed();
  const int families = static_cast<int>(familyTable().size());
  int number = 0, turn = 0;
  for (const int n : {1, 2, 127, 128, 129, 255, 257, 500, 1000, 1573, 2500}) {
    for (const Grid grid : kGrids) {
      if (!wantsAll() && (seed + static_cast<unsigned>(++turn)) % 3 != 0) continue;
      const int family = static_cast<int>((seed + static_cast<unsigned>(number)) % families);
      expectRightOnGpu(device(), specOf(family, n, seed, number % 2 == 1), grid);
      if (HasFatalFailure()) return;
      ++number;
    }
  }
}

TEST_P(DistributedOnGpu, FiltersOnEveryFamilyAndGrid) {
  const std::uint64_t seed = testSeed();
  Options options;
  options.method = Method::kFiltered;
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const Grid grid : {Grid{2, 1}, Grid{3, 1}, Grid{5, 1}}) {
      const Spec spec = specOf(family, 700, seed, family % 2 == 1);
      SCOPED_TRACE(described(spec, grid));
      const Matrix expected = naive(device(), spec);
      const Attempted got = attempt({grid, device(), options}, ProblemGraph(spec));
      EXPECT_TRUE(same(expected, got.distances));
      const bool course = spec.family == familyIndex("course");
      EXPECT_TRUE(!course || got.call.outcome.method == Method::kFiltered);
    }
  }
}

/// By default, and as floats.
TEST_P(DistributedOnGpu, FiltersWhatItPaysFor) {
  for (const char* family : {"uniform", "course", "grid"}) {
    Spec spec = specOf(familyIndex(family), 2600, testSeed());
    const Matrix expected = naive(device(), spec);
    const bool pays = family != std::string("grid");
    for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
      SCOPED_TRACE(describe(spec));
      spec.dtype = dtype;  // sums below 2^24 are exact
      const Attempted got = attempt({{2, 1}, device()}, ProblemGraph(spec));
      EXPECT_EQ(pays ? Method::kFiltered : Method::kDense, got.call.outcome.method);
      EXPECT_GT(got.call.sharing.each.at(1).compute, 0);
      EXPECT_TRUE(same(as(expected, dtype), got.distances));
    }
  }
}

TEST_P(DistributedOnGpu, LeavesTheGraphIf16BitsAreTooFew) {
  Spec spec = specOf(familyIndex("uniform"), 300, 1);
  spec.range = 10000000;
  Options options;
  options.precision = Precision::k16;
  const Attempted got = attempt({{2, 1}, device(), options}, ProblemGraph(spec));
  const Matrix graph = toMatrix(generate(spec));
  EXPECT_EQ(Tier::kNone, got.call.outcome.tier);
  EXPECT_TRUE(same(graph, got.distances));
}

TEST_P(DistributedOnGpu, AddsFloats) {
  for (const int n : {130, 400}) {
    Spec spec = specOf(familyIndex("sparse"), n, 3);
    const Matrix expected = naive(device(), spec);
    spec.dtype = Dtype::kFloat32;  // sums below 2^24 are exact
    const Attempted got = attempt({{2, 2}, device()}, ProblemGraph(spec));
    EXPECT_EQ(Tier::kFloat32, got.call.outcome.tier);
    EXPECT_TRUE(same(as(expected, spec.dtype), got.distances));
  }
}

TEST_P(DistributedOnGpu, TakesGraphsFromRank0AndZeroWeights) {
  const Spec spec = specOf(familyIndex("uniform"), 700, 5);
  const Matrix expected = naive(device(), spec);
  const ProblemGraph graph(generate(spec));
  const Matrix got = attempt({{3, 1}, device()}, graph).distances;
  EXPECT_TRUE(same(expected, got));
  for (const ProblemGraph& zero : {graph.withZeroWeights(), ProblemGraph(spec).withZeroWeights()}) {
    expectReached(expected, attempt({{2, 1}, device()}, zero).distances);
  }
}

TEST_P(DistributedOnGpu, ProvesThat16BitsAreEnough) {
  for (const bool far : {false, true}) {
    Spec spec = specOf(familyIndex("uniform"), 900, 7);
    spec.range = far ? 100000000 : 1000;
    for (const Grid grid : {Grid{2, 1}, Grid{1, 2}, Grid{2, 2}}) {
      const Tier tier = attempt({grid, device()}, ProblemGraph(spec)).call.outcome.tier;
      const bool fast = device().info().capability >= 90;
      EXPECT_EQ(!far && fast ? Tier::kUint16 : Tier::kInt32, tier);
    }
  }
}

/// While it lives, parts may take so many bytes of the GPU.
struct LittleMemory {
  explicit LittleMemory(std::size_t bytes) {
    setenv("APSP_GPU_MEMORY", std::to_string(bytes).c_str(), 1);
  }
  ~LittleMemory() { unsetenv("APSP_GPU_MEMORY"); }
};

TEST_P(DistributedOnGpu, StreamsWhatDoesNotFit) {
  const std::uint64_t seed = testSeed();
  const int families = static_cast<int>(familyTable().size());
  int number = 0;
  for (const int n : {1000, 1573, 2500}) {
    for (const Grid grid : {Grid{1, 1}, Grid{2, 1}, Grid{5, 1}}) {
      const std::size_t room = streamedMemory(n, Dtype::kInt32, Precision::k32, grid, 0).device;
      ASSERT_LT(room, bytesOnGpu(n, Dtype::kInt32, grid, 0));
      const LittleMemory little(room);
      const int family = static_cast<int>((seed + static_cast<unsigned>(number)) % families);
      expectRightOnGpu(device(), specOf(family, n, seed, number % 2 == 1), grid);
      if (HasFatalFailure()) return;
      ++number;
    }
  }
}

/// Blocks of threads that take several tiles, and rounds of thousands of pivots.
TEST_P(DistributedOnGpu, IsRightInLongRounds) {
  Spec spec = specOf(familyIndex("sparse"), 12000, testSeed());
  spec.degree = 3;
  Matrix expected(spec.n, Dtype::kInt32);
  {
    DeviceMatrix matrix(device(), spec.n);
    generateOn(device(), spec, matrix.data());
    findKernel("c1", DeviceKind::kGpu).inPlace(device(), spec.n, matrix.data(), {});
    download(device(), expected.data(), matrix.data(), expected.size());
  }
  const std::size_t most = bytesOnGpu(spec.n, spec.dtype, {1, 1}, 0) - 1;  // it just does not fit
  for (const std::size_t room : {~std::size_t{0} >> 1, most}) {
    const LittleMemory little(room);
    const Attempted got = attempt({{1, 1}, device()}, ProblemGraph(spec));
    EXPECT_TRUE(same(expected, got.distances));
  }
}

TEST_P(DistributedOnGpu, SaysIfThereIsNoRoomToStream) {
  const LittleMemory little(std::size_t{1} << 20);
  const Spec spec = specOf(familyIndex("course"), 1000, 1);
  expectError(ErrorCode::kMemory, "1.05 MB of GPU memory", "solve a smaller", [&] {
    attempt({{2, 1}, device()}, ProblemGraph(spec));
  });
  expectError(ErrorCode::kMemory, "grid of one column", "2x1", [&] {
    attempt({{1, 2}, device()}, ProblemGraph(spec));
  });
}

TEST_P(DistributedOnGpu, SavesAndResumes) {
  const TempDir dir;
  Spec spec = specOf(familyIndex("permuted-ring"), 2000, testSeed());
  const Matrix whole = naive(device(), spec);
  const std::string folder = dir / "saved";
  for (const Dtype dtype : {Dtype::kInt32, Dtype::kInt64, Dtype::kFloat64}) {
    spec.dtype = dtype;
    const Matrix expected = as(whole, dtype);
    const SavedGraph graph{spec.n, dtype, graphStats(generate(spec)).hash};
    for (const Device* where : {&device(), &cpuDevice}) {
      solveInVain(spec, {3, 1}, graph, folder, DeviceKind::kGpu);
      const Attempted got = attempt({{2, 1}, *where, {}, folder, 0}, ProblemGraph(spec));
      EXPECT_GE(got.resumedAt, 1) << nameOf(where->kind()) << ", " << nameOf(dtype);
      EXPECT_TRUE(same(expected, got.distances)) << nameOf(dtype);
    }
  }
}

/// Weights of up to 2^40: odd numbers of vertices, whose rows are padded, and graphs that miss
/// edges. Ranks that filter, too.
TEST_P(DistributedOnGpu, IsRightIn64Bits) {
  const std::uint64_t seed = testSeed();
  int number = 0;
  for (const int n : {1, 2, 65, 129, 500, 701}) {
    for (const Grid grid : {Grid{1, 1}, Grid{2, 1}, Grid{5, 1}, Grid{2, 3}}) {
      const Dtype dtype = number % 2 == 0 ? Dtype::kInt64 : Dtype::kFloat64;
      const Spec spec = specOf(familyIndex(number % 3 == 0 ? "sparse" : "uniform"), n, seed);
      SCOPED_TRACE(described(spec, grid) + ", " + nameOf(dtype));
      ++number;
      const ProblemGraph graph(wide(spec, dtype));
      const Matrix expected = plain(wide(spec, dtype));
      for (const bool skip : {true, false}) {
        Options options = by(Method::kDense);
        options.skip = skip;
        const Attempted got = attempt({grid, device(), options}, graph);
        EXPECT_EQ(tierOf(dtype), got.call.outcome.tier);
        ASSERT_TRUE(same(expected, got.distances));
      }
      if (grid.columns > 1) continue;
      const Attempted filtered = attempt({grid, device(), by(Method::kFiltered)}, graph);
      ASSERT_TRUE(same(expected, filtered.distances));
    }
  }
}

/// An odd number of vertices, whose rows are padded.
TEST_P(DistributedOnGpu, StreamsIn64Bits) {
  const int n = 1573;
  for (const Dtype dtype : {Dtype::kInt64, Dtype::kFloat64}) {
    const Spec spec = specOf(familyIndex("uniform"), n, testSeed());
    const Matrix expected = plain(wide(spec, dtype));
    for (const Grid grid : {Grid{1, 1}, Grid{2, 1}}) {
      const std::size_t room = streamedMemory(n, dtype, Precision::kAuto, grid, 0).device;
      ASSERT_LT(room, bytesOnGpu(n, dtype, grid, 0));
      const LittleMemory little(room);
      const Attempted got =
          attempt({grid, device(), by(Method::kDense)}, ProblemGraph(wide(spec, dtype)));
      ASSERT_TRUE(same(expected, got.distances)) << nameOf(dtype);
    }
  }
}

TEST_P(DistributedOnGpu, AddsDoubles) {
  Spec spec = specOf(familyIndex("sparse"), 321, testSeed());
  spec.dtype = Dtype::kFloat64;
  const Matrix expected = plain(generate(spec));
  const Matrix got = attempt({{3, 1}, device(), by(Method::kDense)}, ProblemGraph(spec)).distances;
  const double allowed = tolerance(spec.n, spec.dtype, 2);
  EXPECT_EQ(0u, cpuDevice.compare(spec.n, got.data(), expected.data(), allowed).count);
}

TEST_P(DistributedOnGpu, SweepsBySources) {
  const std::uint64_t seed = testSeed();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family)
    expectRightBySources(specOf(family, 300 + 10 * family, seed, family % 2 == 1), 2 + family % 4,
                         device());
  for (const int n : {1, 2, 63, 64, 65, 129})
    expectRightBySources(specOf(familyIndex("sparse"), n, seed), 3, device());
}

TEST_P(DistributedOnGpu, SearchesBySources) {
  const std::uint64_t seed = testSeed();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family)
    if (const auto spec =
            withEqualWeights(specOf(family, 300 + 10 * family, seed, family % 2 == 1)))
      expectRightByLevels(*spec, 2 + family % 4, device());
}

/// Two ranks that may choose take this method, and find what Dijkstra's algorithm finds.
void expectRightByTwoRanks(const Spec& spec, Method chosen, const Device& device) {
  const ProblemGraph graph(edgesOf(*sourceOf(spec), false));
  const Attempted got = attempt({{2, 1}, device}, graph);
  EXPECT_EQ(chosen, got.call.outcome.method);
  const HostDistances found(spec.n, got.distances.data());
  EXPECT_TRUE(verifyByDijkstra(graph.onHost(), found, 20).passed());
}

/// For these searches, one GPU alone takes far less time than the dense method on all.
TEST_P(DistributedOnGpu, ChoosesSearchesForEqualWeights) {
  const Spec spec = withEqualWeights(specOf(familyIndex("sparse"), 10'000, testSeed())).value();
  expectRightByTwoRanks(spec, Method::kBfs, device());
}

/// And so do sweeps, which each GPU prepares for itself.
TEST_P(DistributedOnGpu, ChoosesSweepsForGrids) {
  expectRightByTwoRanks(specOf(familyIndex("grid"), 10'000, testSeed()), Method::kSparse, device());
}

TEST_P(DistributedOnGpu, FindsColumnsThatHaveRoom) {
  const auto finds = [] {
    return findsColumns(5000, Dtype::kInt32, 2, DeviceKind::kGpu, Method::kSparse);
  };
  EXPECT_TRUE(finds());
  const LittleMemory little(std::size_t{1} << 20);
  EXPECT_FALSE(finds());
}

TEST_P(DistributedOnGpu, KeepsTheRowsOrTheColumnsOfItsBand) {
  const Spec spec = specOf(familyIndex("grid"), 3000, testSeed());
  const Matrix expected = naive(device(), spec);
  for (const bool byColumns : {false, true}) {
    SourceRows found({spec.n, 2, 1, DeviceKind::kGpu, 1, Method::kSparse, byColumns});
    found.take(edgesOf(*sourceOf(spec), false));
    found.reset();
    EXPECT_FALSE(found.solve().outcome.streamed);
    const Band rows = found.rows(), columns = found.columns();
    EXPECT_EQ(spec.n, byColumns ? rows.count : columns.count);
    EXPECT_GT(spec.n, byColumns ? columns.count : rows.count);
    std::vector<int> words(asSize(columns.count) * asSize(rows.count));
    found.get(rows, words.data());
    for (int i = 0; i < rows.count; ++i) {
      const auto* const row = words.data() + asSize(i) * asSize(columns.count);
      const auto* const right = expected.row<int>(rows.first + i) + columns.first;
      ASSERT_TRUE(std::equal(row, row + columns.count, right)) << rows.first + i;
    }
    const auto counted = found.counted();
    ASSERT_TRUE(counted);
    const GraphStats stats =
        graphStats(words.data(), rows.first, rows.count, columns.first, columns.count);
    EXPECT_EQ(stats.hash, counted->hash);
    EXPECT_EQ(stats.edges, counted->edges);
  }
}

TEST_P(DistributedOnGpu, TwoRanksNeedTwoGpus) {
  const bool two = chooseGpu(1).place != chooseGpu(0).place;
  runOnThreads(2, [&](Ranks& ranks) {
    Crew crew(ranks, readSource);
    if (ranks.rank() > 0) return crew.follow();
    std::string why;
    try {
      crew.prepare(100, Dtype::kInt32, DeviceKind::kGpu, {});
    } catch (const Error& error) {
      why = error.what();
    }
    EXPECT_EQ(two ? std::string::npos : 0, why.find("rank 1: it has the same GPU as rank 0"))
        << why;
  });
}

}  // namespace
