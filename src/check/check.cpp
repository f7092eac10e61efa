#include "check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <system_error>

#include "check/diagnosis.h"
#include "core/error.h"
#include "core/progress.h"
#include "generate/generate.h"
#include "io/formats/formats.h"
#include "io/output.h"
#include "verify/verify.h"

// ---- what is run ----------------------------------------------------------------------------

namespace {

/// A family in a check, and the wrong kernels that it is there for.
struct Trial {
  const char* family;
  bool drawn, scaled;  // what its weights depend on: the seed, R
  const char* catches;
};

const Trial kTrials[] = {
    {"ring", false, true, "a pivot tile not closed, a pivot left out"},
    {"ring-back", false, true, "the same where the order of pivots hides it in a ring"},
    {"permuted-ring", true, true, "a tile left out of a round, rounds out of order"},
    {"chain", false, true, "rows and columns exchanged, a last row or column left out"},
    {"long-path", false, true, "sums cut off: a constant for infinity that is too small"},
    {"metric", false, true, "any value too small: padding, another row's, an old one"},
    {"triangular", true, true, "a matrix taken for symmetric, a half left out"},
    {"binary", true, false, "weight 0 taken for no edge, paths of equal length"},
    {"interior", true, true, "panels relaxed before the pivot tile is closed"},
    {"tail", false, true, "the last, partial tile left out as a pivot, or closed in part"},
    {"borders", false, true, "a first or last row or column of a tile left out"},
    {"equal", false, true, "padding that leaks; arithmetic of 16 bits"},
    {"zero", false, false, "values made up where all are equal"},
    {"uniform", true, true, "a race: every entry falls many times"},
    {"course", true, true, "what the course's own test catches, at every size"},
    {"sparse", true, true, "no edge added up as a weight"},
    {"grid", true, true, "the same over long paths"},
    {"star", true, true, "a single vertex that all paths need"},
    {"disconnected", true, true, "gaps in every tile; parts joined through padding"},
    {"limit-path", false, false, "sums near the largest distance: overflow"},
    {"near-limit", true, false, "sums of two weights at the limit, of three beyond: overflow"},
};

bool inContract(const Trial& trial, bool general) {
  Spec spec;
  spec.family = familyIndex(trial.family);
  bool complete = false;
  withFamily(spec, [&](auto family) { complete = family.complete; });
  return complete || general;
}

/// How much of it a depth runs: weights up to the first `ranges` of kRanges, the first seeds.
struct Extent {
  std::vector<int> sizes;  // ascending
  std::uint64_t seeds;
  std::size_t ranges;
};

constexpr int kRanges[] = {100000, 10000};
constexpr int kAgain = 65;    // goes after the largest
constexpr int kOpening = 96;  // goes before all others

std::vector<int> tileEdges(const std::vector<int>& more) {
  std::vector<int> sizes{1, 2};
  for (const int side : kTileSides) {
    for (const int n : {side - 1, side, side + 1}) sizes.push_back(n);
  }
  sizes.insert(sizes.end(), more.begin(), more.end());
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

Extent extentOf(CheckPlan::Depth depth) {
  const Extent extents[] = {
      {{1, 2, 15, 16, 17, 31, 32, 33, 39, 63, 64, 65, 78, 96, 127, 128, 129, 192, 256, 257, 1000},
       1,
       1},
      {tileEdges({997, 1000}), 1, 2},
      {tileEdges({997, 1000, 1573, 2500}), 3, 2},
  };
  return extents[depth];
}

/// Of the same size as any graph that is checked, and unlike all of them.
Spec decoyOf(int n) {
  Spec spec;
  spec.family = familyIndex("uniform");
  spec.n = n;
  spec.seed = 1000003;
  spec.range = 1000;
  return spec;
}

/// A cell for each decoy, beside the others of its family.
void addDecoys(std::vector<CheckCell>& cells) {
  std::set<int> sizes;
  for (const CheckCell& cell : cells) sizes.insert(cell.spec.n);
  const auto place = std::find_if(cells.rbegin(), cells.rend(), [](const CheckCell& cell) {
    return cell.spec.family == decoyOf(1).family;
  });
  std::vector<CheckCell> decoys;
  for (const int n : sizes) {
    decoys.emplace_back();
    decoys.back().spec = decoyOf(n);
    decoys.back().decoy = true;
  }
  cells.insert(place.base(), decoys.begin(), decoys.end());
}

std::vector<CheckCell> cellsOf(const CheckPlan& plan) {
  const Extent extent = extentOf(plan.depth);
  std::vector<CheckCell> cells;
  for (const Trial& trial : kTrials) {
    if (!inContract(trial, plan.general)) continue;
    const auto add = [&](int n, bool again) {
      for (std::uint64_t seed = 1; seed <= (trial.drawn ? extent.seeds : 1); ++seed) {
        for (std::size_t range = 0; range < (trial.scaled ? extent.ranges : 1); ++range) {
          CheckCell cell;
          cell.spec.family = familyIndex(trial.family);
          cell.spec.n = n;
          cell.spec.seed = seed;
          cell.spec.range = kRanges[range];
          cell.spec.degree = 2;  // of `sparse`: paths are long and not everything is reached
          cell.again = again;
          cells.push_back(cell);
        }
      }
    };
    for (const int n : extent.sizes) {
      if (n <= plan.most) add(n, false);
    }
    add(kAgain, true);
  }
  if (plan.vary) addDecoys(cells);
  // What is wrong in a process's first call only does not show on a graph of one vertex.
  const auto opening = std::find_if(cells.begin(), cells.end(), [](const CheckCell& cell) {
    return cell.spec.n >= kOpening || cell.again;
  });
  std::rotate(cells.begin(), opening, opening + 1);
  return cells;
}

}  // namespace

std::string checkFamilies(bool general) {
  std::string out;
  for (const Trial& trial : kTrials) {
    if (!inContract(trial, general)) continue;
    out += fmt::format("{:<14}{}\n", trial.family, trial.catches);
  }
  return out;
}

// ---- the oracle -----------------------------------------------------------------------------

namespace {

/// Writes the distances where the family has a closed form; else false.
bool writeClosedForm(const Spec& spec, Matrix& distances) {
  bool written = false;
  withFamily(spec, [&](auto family) {
    using Family = decltype(family);
    if constexpr (hasDistance<Family>) {
#pragma omp parallel for schedule(static) if (spec.n >= kWorthThreads)
      for (int i = 0; i < spec.n; ++i) {
        int* const row = distances.row(i);
        for (int j = 0; j < spec.n; ++j) row[j] = i == j ? 0 : Family::distance(spec, i, j);
      }
      written = true;
    }
  });
  return written;
}

/// A solver that shares no code with `kernel`: the CPU's, or the GPU's naive one for graphs that
/// take the CPU long.
const Kernel& oracleFor(const Kernel& kernel, int n) {
  constexpr int kMostOnCpu = 1600;
  const auto other = [&](const Kernel& row) {
    return row.name != kernel.name || row.device != kernel.device;
  };
  if (n > kMostOnCpu && kernel.device != &cpuDevice) {
    const Kernel& ref = findKernel("ref", *kernel.device);
    if (other(ref)) return ref;
  }
  const Kernel& fast = findKernel("apsp", cpuDevice);
  return other(fast) ? fast : findKernel("ref", cpuDevice);
}

}  // namespace

Matrix oracleDistances(const Spec& spec, const Kernel& kernel) {
  constexpr int kRows = 4;
  Matrix distances(spec.n);
  if (writeClosedForm(spec, distances)) return distances;
  const Kernel& oracle = oracleFor(kernel, spec.n);
  {
    DeviceMatrix work(*oracle.device, spec.n);
    oracle.device->generate(spec, work.data());
    timeCall(oracle, spec.n, work.data());
    oracle.device->download(distances.data(), work.data(), work.size());
  }
  const Verdict verdict = verifyByDijkstra(generate(spec), distances.data(), kRows);
  if (verdict.passed()) return distances;
  throw Error(Exit::kMismatch,
              fmt::format("the oracle itself is wrong: kernel {} of the {} differs from {} on {}",
                          oracle.name, oracle.device->kind, verdict.how, describe(spec)));
}

// ---- running --------------------------------------------------------------------------------

namespace {

class Session {
 public:
  Session(const std::function<Kernel()>& fresh, const Device& device, const CheckPlan& plan)
      : fresh_(fresh), device_(device), kernel_(fresh()) {
    check_.kernel = kernel_.name;
    check_.deviceKind = device.kind;
    check_.deviceName = device.info().name;
    check_.plan = plan;
    // A plain loop on the CPU takes a second for n = 1000.
    if (plan.depth == CheckPlan::kQuick && &device == &cpuDevice)
      check_.plan.most = std::min(plan.most, 257);
    check_.cells = cellsOf(check_.plan);
    for (CheckCell& cell : check_.cells)
      if (cell.decoy) decoys_[cell.spec.n].cell = &cell;
  }

  Check run() {
    const auto begin = std::chrono::steady_clock::now();
    runCells();
    if (check_.failed() != 0) {
      const Progress looking("looking for the smallest graph that " + check_.kernel + " fails");
      check_.witness = smallestWitness();
      check_.diagnosis =
          diagnose({check_, [&](const Spec& spec) { return solved(spec); },
                    [&](const Spec& spec) { return oracleDistances(spec, kernel_); }});
      if (check_.witness && !check_.plan.witnessDir.empty()) writeWitness();
    }
    check_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(check_);
  }

 private:
  /// Whether the kernel has had so many faults of one kind that more would tell nothing new.
  bool failsAlike() const {
    return std::any_of(faults_.begin(), faults_.end(),
                       [](const auto& kind) { return kind.second >= kEnough; });
  }

  Call solve(const Kernel& kernel, const Spec& spec, const DeviceMatrix& work) const {
    kernel.device->generate(spec, work.data());
    const Call call = timeCall(kernel, spec.n, work.data());
    seconds_ += call.milliseconds / 1000;
    return call;
  }

  bool tooSlow() const { return seconds_ > check_.plan.seconds; }

  void failAsTooSlow(CheckCell& cell) {
    cell.fault = SubmissionFault::kSlow;
    cell.faultText =
        fmt::format("too slow: {} of {} graphs took {:.0f} s, the limit is 20 x --time-limit",
                    &cell - check_.cells.data(), check_.cells.size(), seconds_);
    faults_[SubmissionFault::kSlow] = kEnough;
  }

  Mismatch compare(const DeviceMatrix& got, const DeviceMatrix& expected) const {
    return device_.compare(got.n(), got.data(), expected.data(), Dtype::kInt32, 0);
  }

  void writeOracle(const Spec& spec, const DeviceMatrix& to) const {
    const Matrix distances = oracleDistances(spec, kernel_);
    device_.upload(to.data(), distances.data(), distances.size());
  }

  void runCells() {
    std::uint64_t work = 0;
    for (const CheckCell& cell : check_.cells) work += workOf(cell);
    Progress checking("checking " + check_.kernel, work);
    for (CheckCell& cell : check_.cells) {
      cell.skipped = failsAlike();
      if (!cell.skipped && !cell.decoy) tooSlow() ? failAsTooSlow(cell) : runCell(cell);
      checking.advance(workOf(cell));
    }
  }

  /// Relaxations of a solve, and as many as go into the time that any cell takes.
  static std::uint64_t workOf(const CheckCell& cell) {
    constexpr std::uint64_t kAnyCell = 1000000;
    const auto n = static_cast<std::uint64_t>(cell.spec.n);
    return kAnyCell + n * n * n;
  }

  void runCell(CheckCell& cell) {
    const Spec& spec = cell.spec;
    const Progress checking(describe(spec));
    DeviceMatrix expected(device_, spec.n), first(device_, spec.n), second(device_, spec.n);
    writeOracle(spec, expected);
    try {
      if (check_.plan.vary) runDecoy(spec.n, first, second);
      check_.printed += solve(kernel_, spec, first).printed.size();
      check_.printed += solve(kernel_, spec, second).printed.size();
      const Mismatch ofSecond = compare(second, expected);
      cell.mismatch = compare(first, expected);
      if (cell.mismatch.count == 0) cell.mismatch = ofSecond;
      cell.unsteady = compare(first, second).count;
      cell.settled = ofSecond.count == 0;
    } catch (const SubmissionFault& fault) {
      cell.fault = fault.kind;
      cell.faultText = fault.what();
      faults_[fault.kind] += fault.kind == SubmissionFault::kHang ? kEnough : 1;  // one costs time
    }
    if (!cell.failed()) return;
    // Once more would take as long, or be too few calls for a leak to show.
    const bool tellsNothing =
        cell.fault == SubmissionFault::kHang || cell.fault == SubmissionFault::kLeak;
    if ((cell.unsteady == 0 || cell.settled) && !tellsNothing) replay(cell, expected, second);
    if (cell.fault) return;
    if (check_.plan.vary) {
      writeDecoy(spec.n, expected);
      cell.stale = spec.n > 1 && compare(first, expected).count == 0;
    }
    device_.generate(spec, expected.data());
    cell.unchanged = compare(first, expected).count == 0;
  }

  /// The distances of the decoy of that size.
  void writeDecoy(int n, const DeviceMatrix& to) {
    Decoy& decoy = decoys_[n];
    if (decoy.distances.n() == 0) decoy.distances = oracleDistances(decoyOf(n), kernel_);
    device_.upload(to.data(), decoy.distances.data(), decoy.distances.size());
  }

  /// Gives the decoy of that size, whose result counts, too: often it is the first one of its size.
  void runDecoy(int n, const DeviceMatrix& work, const DeviceMatrix& expected) {
    writeDecoy(n, expected);
    check_.printed += solve(kernel_, decoyOf(n), work).printed.size();
    CheckCell& cell = *decoys_[n].cell;
    if (cell.failed()) return;
    cell.mismatch = compare(work, expected);
    if (!cell.failed()) return;
    device_.generate(cell.spec, expected.data());
    cell.unchanged = compare(work, expected).count == 0;
    writeDecoy(n, expected);
    replay(cell, expected, work);
  }

  /// Has a kernel newly loaded solve what failed; a few times only, as loading takes time.
  void replay(CheckCell& cell, const DeviceMatrix& expected, const DeviceMatrix& work) {
    if (replays_ == 0) return;
    --replays_;
    cell.freshPasses = solves(fresh_(), cell.spec, expected, work);
  }

  /// Whether a kernel's result on a graph, found in `work`, is as expected.
  bool solves(const Kernel& kernel, const Spec& spec, const DeviceMatrix& expected,
              const DeviceMatrix& work) const {
    try {
      solve(kernel, spec, work);
      return compare(work, expected).count == 0;
    } catch (const SubmissionFault&) {
      return false;
    }
  }

  /// Whether one of two calls on a graph fails, with nothing else between them.
  bool failsAlone(const Spec& spec) const {
    DeviceMatrix expected(device_, spec.n), work(device_, spec.n);
    writeOracle(spec, expected);
    return !solves(kernel_, spec, expected, work) || !solves(kernel_, spec, expected, work);
  }

  std::optional<Matrix> solved(const Spec& spec) const {
    if (tooSlow()) return std::nullopt;
    DeviceMatrix work(device_, spec.n);
    try {
      solve(kernel_, spec, work);
    } catch (const SubmissionFault&) {
      return std::nullopt;
    }
    Matrix result(spec.n);
    device_.download(result.data(), work.data(), work.size());
    return result;
  }

  /// A graph of the family that fails at the smallest n, reduced. Nothing where failures depend on
  /// the calls before: no single graph shows those.
  std::optional<Spec> smallestWitness() const {
    const CheckCell* smallest = nullptr;
    for (const CheckCell& cell : check_.cells) {
      if (cell.stale || cell.freshPasses || cell.fault == SubmissionFault::kLeak)
        return std::nullopt;
      if (cell.failed() && cell.fault != SubmissionFault::kSlow &&
          (smallest == nullptr || cell.spec.n < smallest->spec.n))
        smallest = &cell;
    }
    if (smallest == nullptr) return std::nullopt;
    if (smallest->fault == SubmissionFault::kHang) return smallest->spec;  // each one costs time
    if (!failsAlone(smallest->spec)) return std::nullopt;
    return reduced(smallest->spec);
  }

  /// The same with a smaller n: the smallest where all smaller ones can be tried; else between one
  /// that passes and one that fails.
  Spec reduced(Spec spec) const {
    constexpr int kTryAll = 300;
    int passes = 0, fails = spec.n;
    while (fails - passes > 1 && !tooSlow()) {
      spec.n = fails <= kTryAll ? passes + 1 : (passes + fails) / 2;
      (failsAlone(spec) ? fails : passes) = spec.n;
    }
    spec.n = fails;
    return spec;
  }

  void writeWitness() {
    const Spec& spec = *check_.witness;
    const std::filesystem::path directory = check_.plan.witnessDir;
    std::error_code failure;
    std::filesystem::create_directories(directory, failure);
    check_.witnessFile =
        directory / fmt::format("{}-n{}-seed{}-range{}.bin",
                                familyTable()[static_cast<std::size_t>(spec.family)].name, spec.n,
                                spec.seed, spec.range);
    OutputFile out(check_.witnessFile);  // says what failed
    writeGraph(out, generate(spec));
  }

  struct Decoy {
    CheckCell* cell = nullptr;
    Matrix distances;  // once they are needed
  };

  static constexpr int kEnough = 3;

  const std::function<Kernel()>& fresh_;
  const Device& device_;
  Kernel kernel_;
  Check check_;
  std::map<int, Decoy> decoys_;  // by n
  std::map<SubmissionFault::Kind, int> faults_;
  mutable double seconds_ = 0;  // of all calls
  int replays_ = 4;             // that are left
};

}  // namespace

std::size_t Check::failed() const {
  return static_cast<std::size_t>(std::count_if(
      cells.begin(), cells.end(), [](const CheckCell& cell) { return cell.failed(); }));
}

Check check(const std::function<Kernel()>& fresh, const Device& device, const CheckPlan& plan) {
  return Session(fresh, device, plan).run();
}
