// The seam between the harness and the solvers (solver/solver.h), tried by a solver that never
// holds an n×n matrix: Dijkstra's algorithm row by row. It is measured, verified, compared and
// written on a device whose memory is too small for the matrix, in a process that may not allocate
// that much.
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include "apsp.h"
#include "dense/blocked_cpu.h"
#include "devices.h"
#include "files.h"
#include "generate/families.h"
#include "generate/source.h"
#include "io/formats/formats.h"
#include "io/output.h"
#include "measure/session.h"
#include "measure/tables.h"
#include "results/distances_file.h"
#include "verify/dijkstra.h"

namespace {

/// Rows of distances, computed when they are asked for. wrongRow: its last entry is one too large;
/// −1: none.
class StreamedRows : public Distances {
 public:
  StreamedRows(const Graph& graph, int wrongRow)
      : Distances(graph.n, graph.dtype()), oracle_(graph), wrongRow_(wrongRow) {}

  void rows(int begin, int end, const RowVisitor& visit) const override {
    constexpr int kBand = 50;
    const auto n = static_cast<std::size_t>(this->n());
    std::vector<std::int32_t> band(kBand * n);
    for (int first = begin; first < end; first += kBand) {
      const int count = std::min(kBand, end - first);
#pragma omp parallel for schedule(dynamic)
      for (int r = 0; r < count; ++r)
        fill(first + r, band.data() + static_cast<std::size_t>(r) * n);
      visit(first, count, band.data());
    }
  }

 private:
  void fill(int source, std::int32_t* row) const {
    const std::vector<double> distances = oracle_.from(source);
    for (std::size_t j = 0; j < distances.size(); ++j)
      row[j] = distances[j] == Dijkstra<>::kUnreachable ? kInf : static_cast<int>(distances[j]);
    if (source == wrongRow_) ++row[distances.size() - 1];
  }

  Dijkstra<> oracle_;
  int wrongRow_;
};

class StreamedRun : public Run {
 public:
  StreamedRun(const Problem& problem, const Execution& where, int wrongRow)
      : device_(where.device), distances_(problem.graph.onHost(), wrongRow) {}
  void reset(int) override {}
  Call solve() override {
    Call call;
    std::size_t rows = 0;
    call.milliseconds = device_.time([&] {
      distances_.rows(0, distances_.n(), [&](int, int count, ConstElements) { rows += count; });
    });
    EXPECT_EQ(static_cast<std::size_t>(distances_.n()), rows);
    return call;
  }
  const Distances& distances() override { return distances_; }

 private:
  const Device& device_;
  StreamedRows distances_;
};

Solver streamed(int wrongRow = -1) {
  Solver row;
  row.name = "dijkstra";
  row.what = "Dijkstra's algorithm row by row";
  row.source = "tests/engine/seam_test.cpp";
  row.can.renumbers = false;
  row.work = Work::kDistances;
  row.plan = [wrongRow](const Problem& problem, const Execution& where) {
    Plan plan;
    plan.memory = {0, 0, 100 * sizeof(std::int32_t) * static_cast<std::size_t>(problem.graph.n())};
    plan.place = Destination::kStreamed;
    plan.begin = [wrongRow, where](const Problem& given) {
      return std::make_unique<StreamedRun>(given, where, wrongRow);
    };
    return plan;
  };
  return row;
}

Spec sparse(int n) {
  Spec spec = specOf(familyIndex("sparse"), n, 11);
  spec.degree = 3;
  return spec;
}

Record solved(Session& session, const Solver& solver, const VerifyOptions& verify) {
  return session.run(solver, verify, session.describe("a graph", {}));
}

const VerifyOptions kRows = {VerifyOptions::Oracle::kDijkstra, 16};
const MeasureOptions kOnce = {0, 1};

/// While it lives, this process can allocate only so many bytes more.
class AllocationLimit {
 public:
  explicit AllocationLimit(std::size_t more) {
    getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~AllocationLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST(Seam, ASolverWithoutAMatrixIsMeasuredVerifiedAndWritten) {
  constexpr int n = 3000;
  constexpr std::size_t kAllowed = std::size_t{20} << 20;  // the matrix has 36 MB
  static_assert(kAllowed < sizeof(std::int32_t) * n * n);
  const SmallDevice device(kAllowed);
  const TempDir directory;
  const std::string path = directory / "seam.npy";
  {
    ProblemGraph warm(sparse(300));  // threads make their heaps now
    Session session(warm, device, kOnce, {});
    EXPECT_TRUE(solved(session, streamed(), kRows).verdict.passed());
  }
  {
    const AllocationLimit limit(kAllowed);
    EXPECT_THROW((Matrix{n, Dtype::kInt32}), Error) << "the limit limits nothing";
    ProblemGraph graph(sparse(n));
    EXPECT_NO_THROW(requireMemory({graph}, device, {streamed()}, kRows, kOnce));
    Session session(graph, device, kOnce, {});
    const Record record = solved(session, streamed(), kRows);
    EXPECT_EQ("dijkstra:16", record.verified());
    EXPECT_EQ(graphStats(generate(sparse(n))).hash, record.graph.hash);
    EXPECT_GT(record.timing.median, 0);
    EXPECT_EQ(0, record.relaxationsPerSecond()) << "it does not do n^3 of them";
    EXPECT_NE(std::string::npos, notesBelow(record).find(" distances per second"));
    OutputFile out(path);
    writeDistances(out, session.distances(), formOf(session.distances()));
  }
  Matrix expected = toMatrix(generate(sparse(n)));
  apspCpu(n, expected.data());
  const std::size_t bytes = matrixBytes(n, expected.dtype());
  const std::string file = readBytes(path);
  ASSERT_GT(file.size(), bytes);
  EXPECT_EQ(0, std::memcmp(expected.data().data(), file.data() + file.size() - bytes, bytes));
}

TEST(Seam, WhatDoesNotFitIsSaidBeforeAnythingIsDone) {
  ProblemGraph graph(sparse(3000));
  const SmallDevice device(std::size_t{20} << 20);
  MeasureOptions plan = kOnce;
  plan.options.method = Method::kFiltered;  // the sparse one needs no matrix
  // The filtered solver holds rows for each thread. With few threads the dense one needs more.
  const int threads = omp_get_max_threads();
  for (const auto& [count, needed] : {std::pair{1, "72.0"}, std::pair{16, "75.3"}}) {
    omp_set_num_threads(count);
    expectError(ErrorCode::kMemory, "n = 3000", std::string(needed) + " MB 21.0 free", [&] {
      requireMemory({graph}, device, {findSolver("apsp", DeviceKind::kCpu)}, {}, plan);
    });
  }
  omp_set_num_threads(threads);
  expectError(ErrorCode::kMemory, "n = 3000", "37.4 MB 21.0 free", [&] {
    requireMemory({graph}, device, {streamed()}, {VerifyOptions::Oracle::kRef}, plan);
  });
}

TEST(Seam, AnAbsurdSizeIsRefusedThoughItsBytesOverflow) {
  Graph graph;
  graph.n = 1518500250;  // two matrices have 2^64 + 0.3 GB, but matrixBytes() goes to 2^60
  const ProblemGraph absurd(std::move(graph));
  expectError(ErrorCode::kMemory, "n = 1518500250", "1.15 EB", [&] {
    requireMemory({absurd}, cpuDevice, {findSolver("apsp", DeviceKind::kCpu)}, {}, kOnce);
  });
}

TEST(Seam, ASessionGivesBackWhatTheLastSolverHolds) {
  ProblemGraph graph(sparse(30));
  Session session(graph, cpuDevice, kOnce, {});
  auto held = std::make_shared<int>(1);  // as a submission's worker is
  Solver row;
  row.name = "holds";
  const auto solve = [held](const Device&, int, Elements, const Options&) { return Call{}; };
  solved(session, inPlace(std::move(row), solve, nullptr), {});
  session.release();
  EXPECT_EQ(2, held.use_count()) << "held here and by `solve`";
}

TEST(Seam, AWrongRowOfAStreamIsFound) {
  ProblemGraph graph(sparse(200));
  Session session(graph, cpuDevice, kOnce, {});
  const Record byRows = solved(session, streamed(77), {VerifyOptions::Oracle::kDijkstra, 200});
  const Record byRef = solved(session, streamed(77), {VerifyOptions::Oracle::kRef});
  for (const Record& record : {byRows, byRef}) {
    EXPECT_EQ(1u, record.verdict.mismatch.count);
    EXPECT_EQ(77, record.verdict.mismatch.i);
    EXPECT_EQ(199, record.verdict.mismatch.j);
  }
  EXPECT_EQ("ref", solved(session, streamed(), {VerifyOptions::Oracle::kRef}).verified());
}

TEST(Seam, AStreamAndAMatrixCompareEitherWay) {
  ProblemGraph graph(sparse(130));
  const auto whole = findSolver("apsp", DeviceKind::kCpu).prepare({graph}, {cpuDevice});
  whole->reset();
  whole->solve();
  for (const int wrong : {-1, 0, 49, 50, 129}) {
    const auto stream = streamed(wrong).prepare({graph}, {cpuDevice});
    const Mismatch a = compare(stream->distances(), whole->distances(), 0);
    const Mismatch b = compare(whole->distances(), stream->distances(), 0);
    EXPECT_EQ(wrong < 0 ? 0u : 1u, a.count) << wrong;
    EXPECT_EQ(a.count, b.count) << wrong;
    if (wrong < 0) {
      EXPECT_EQ(statistics(whole->distances()).hash, statistics(stream->distances()).hash);
    } else {
      EXPECT_EQ(wrong, a.i);
      EXPECT_EQ(a.got, b.expected);
    }
  }
}

TEST(Seam, CallsThatAreToDifferNeedASolverThatRenumbers) {
  ProblemGraph graph(generate(sparse(30)));  // one that is not generated again for each call
  MeasureOptions plan = kOnce;
  plan.vary = true;
  Session session(graph, cpuDevice, plan, {});
  expectError(ErrorCode::kUsage, "dijkstra", "--vary", [&] { solved(session, streamed(), {}); });
  EXPECT_EQ("ref",
            solved(session, findSolver("apsp", DeviceKind::kCpu), {VerifyOptions::Oracle::kRef})
                .verified());
}

}  // namespace
