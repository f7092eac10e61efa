// The ranks of a run, of which the first gives orders. The harness runs on rank 0 only: it reads
// the command line, prints and writes. All other ranks wait in follow() for what they are to do,
// so there is no second copy of the harness's decisions.
//
//     rank 0      Run::reset(), Run::solve() ... ─► command() ─┐
//                                                              ├─► perform(), on all ranks
//     all others                                  follow() ────┘
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/elements.h"
#include "base/error.h"
#include "base/graph_source.h"
#include "device/device.h"
#include "ranks/ranks.h"
#include "several/checkpoint.h"
#include "several/choice.h"
#include "several/near_rows.h"
#include "several/rounds.h"
#include "several/source_rows.h"

namespace engine {

/// Where and how often ranks save their parts.
struct SavingOptions {
  char folder[1024] = "";  ///< "": they do not
  double every = 600;      ///< seconds
  bool resume = false;     ///< go on from what is in the folder
};

/// What all ranks are to do.
struct Order {
  enum Kind {
    kThreads,  ///< divide each process into threads, which are ranks of a crew of their own
    kPrepare,  ///< make a part of a matrix of n × n, for a run
    kMake,     ///< fill it with the graph of `source`
    kReport,   ///< say what is found in rows of that graph
    kScatter,  ///< take rows of the graph from rank 0
    kEdges,    ///< take all edges of the graph from rank 0
    kSolve,
    kGather,   ///< send rows of the distances to rank 0
    kWrite,    ///< write them into a file
    kCount,    ///< count what is in the matrix
    kSumUp,    ///< send the summaries of rows to rank 0
    kNear,     ///< take all edges of a graph, and find distances that are small
    kRelease,  ///< the run is over
    kLeave,    ///< there are no more orders
  } kind;
  int run = 0;  ///< which run; several may be prepared at a time
  int n = 0;
  Dtype dtype = Dtype::kInt32;
  DeviceKind device = DeviceKind::kCpu;  ///< where the parts are
  Options options = {};
  Grid grid = {};
  SourceImage source = {};
  int threads = 1;    ///< of each rank on the CPU, or ranks of each process
  bool zero = false;  ///< every weight below infinity becomes 0
  Summarise summarises = Summarise::kNothing;
  Band rows = {};          ///< to scatter or to gather
  std::size_t edges = 0;   ///< how many there are
  char path[1024] = "";    ///< of the file to write
  std::uint64_t from = 0;  ///< the byte where the matrix begins there
  SavingOptions saving = {};
};

class Crew {
 public:
  /// read: what makes a graph's source on other ranks.
  explicit Crew(Ranks& all, SourceReader read = nullptr)
      : all_(all), read_(read), grid_(defaultGrid(all.size())) {}
  /// Rank 0 lets the others leave.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  Ranks& ranks() const { return all_; }
  Grid grid() const { return grid_; }
  /// Throws Error(kUsage) unless the grid has as many places as there are ranks.
  void useGrid(Grid grid);

  /// Lets ranks share a GPU, for tests. To be called on all ranks.
  void shareGpus() { sharesGpus_ = true; }
  bool sharesGpus() const { return sharesGpus_; }
  /// Saves the parts while solving. Throws Error(kUsage) if the folder's path is too long.
  void save(const std::string& folder, double every, bool resume);
  bool saves() const { return saving_.folder[0] != 0; }
  /// Rounds that the last solve() found done.
  int resumedAt() const { return resumedAt_; }

  /// For all ranks but 0: obeys until rank 0 says kLeave.
  void follow();

  // For rank 0. All other ranks must be in follow().

  /// Of processes: divides each into so many threads, which are ranks. Their rank 0 is a thread of
  /// this process, and does the job. Throws Error(kUsage) if their messages cannot be sent, and
  /// what the job throws.
  void onThreads(int threads, std::function<void(Crew&)> job);

  /// A new run, which has a part of the matrix on every rank. Throws Error(kMemory) and
  /// Error(kGpu). Throws Error(kUsage) if two ranks would share a GPU, or have GPUs of different
  /// models. With Method::kSparse, each rank has all edges, and finds rows by itself, or columns.
  /// With other methods each has a part of the matrix, and they solve it together.
  int prepare(int n, Dtype dtype, DeviceKind device, const Options& options,
              Summarise summarises = Summarise::kNothing);
  /// Each rank makes its part of the graph. zero: with every weight below infinity 0. Throws what
  /// the source throws.
  void make(int run, const GraphSource& source, bool zero);
  /// What each rank reports of its share of n rows, by rank. Empty if some rank cannot make the
  /// source. Throws Error(kInput) with the first fault in the rows.
  std::vector<std::string> report(const SourceImage& image, int n);
  /// elements: (rows.count, n), whole rows, of the run's type.
  void scatter(int run, Band rows, ConstElements elements);
  /// Of a run with Method::kSparse, in place of rows. T: the run's type. Throws Error(kMemory).
  template <class T>
  void giveEdges(int run, const Edges<T>& edges) {
    giveEdges(run, edges.data(), edges.size());
  }
  /// Returns the milliseconds until all ranks were done.
  double solve(int run);
  /// elements: (rows.count, n), of the run's type.
  void gather(int run, Band rows, Elements elements);
  /// All ranks write what they have of the matrix into a file, from byte `from` on. Returns false
  /// if some rank does not see the file. Throws Error(kOutput).
  bool write(int run, const std::string& path, std::uint64_t from);
  /// The statistics of the matrix: its edges, or the distances.
  GraphStats count(int run);
  /// The summaries of all rows and columns; empty unless each rank can find those of its rows where
  /// they are.
  Summaries summarise(int run);
  void release(int run);

  /// The small distances of a graph, as findNear() finds them: each rank has all edges, and answers
  /// for some sources on its CPU. `by` is the way of rank 0. Throws what findNear() throws, but
  /// another Error for a RangeError.
  NearRows near(const Problem& problem, const Nearness& asked);

  /// What the last solve() did.
  const Outcome& outcome() const { return outcome_; }
  /// What each rank did in the last solve(), by rank.
  const std::vector<RankTimes>& times() const { return times_; }

 private:
  /// What a rank knows of a run.
  struct Share {
    int n;
    Dtype dtype;
    Options options;
    GridRanks ranks;
    std::unique_ptr<Part> part;        // of a matrix that is solved together, or
    std::unique_ptr<SourceRows> rows;  // rows that this rank finds by itself
    const Piece& piece() const { return part != nullptr ? static_cast<Piece&>(*part) : *rows; }
  };

  void giveEdges(int run, const void* edges, std::size_t count);
  void command(const Order& order);
  /// Throws what all ranks throw. After an error of one rank alone, all end.
  void performTogether(const Order& order);
  void requireAll(const std::string& trouble, ErrorCode code);
  void divide(int threads);
  void requireOwnGpus();
  void perform(const Order& order);
  void makePart(const Order& order);
  void fillPart(const Order& order, Share& share);
  std::shared_ptr<const GraphSource> sourceOf(const Order& order) const;
  void reportRows(const Order& order);
  void takeGraph(const Order& order, Share& share);
  template <class T>
  Edges<T> receiveEdges(std::size_t count);
  RankTimes solveRows(Share& share);
  void solveParts(Share& share, const SavingOptions& saving);
  RankTimes solveAndSave(Share& share, const SavingOptions& saving);
  RankTimes solvePart(Share& share, const SavingOptions& saving);
  void resume(Share& share, const SavingOptions& saving);
  Choice beginTogether(Share& share);
  GraphStats countTogether(const Share& share);
  Summaries sumUpTogether(const Share& share);
  void findNearTogether(const Order& order);
  void moveRows(const Order& order, Share& share);
  bool writePart(const Order& order, const Share& share);

  Ranks& all_;
  SourceReader read_;
  Grid grid_;
  std::map<int, Share> shares_;
  int runs_ = 0;
  Elements elements_;            // of rank 0: the rows that are scattered or gathered
  const void* edges_ = nullptr;  // of rank 0: those that are given to all, as Edge<T>
  std::vector<RankTimes> times_;
  double milliseconds_ = 0;
  GraphStats counted_;
  Summaries summaries_;
  NearQuestion question_;
  NearRows near_;  // of rank 0
  Outcome outcome_;
  SavingOptions saving_;            // of rank 0
  std::function<void(Crew&)> job_;  // of rank 0: what its threads do,
  std::exception_ptr thrown_;       // and what that threw
  SavedGraph saved_;                // the graph of the solve that saves
  bool sharesGpus_ = false;
  int resumedAt_ = 0;
  bool written_ = false;
  const GraphSource* source_ = nullptr;  // of rank 0: what all make
  std::vector<std::string> reports_;     // by rank; empty if some rank cannot make it
};

/// Collective: rank 0 does a job with all ranks as its crew, and the others follow.
/// read: what makes a graph's source on other ranks.
void runCrew(Ranks& ranks, const std::function<void(Crew&)>& job, SourceReader read = nullptr);

}  // namespace engine
