// A session: one problem on one device, solved by one solver after another, timed and verified.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/record.h"
#include "verify/verify.h"

/// What a session needs at the most, for one solver after another: the runs, what verifies them,
/// and the graph in host memory.
struct SessionMemory {
  std::size_t device = 0, host = 0;  ///< bytes
  bool keepsGraph = false;           ///< there is room to keep a copy of the graph on the device
  VerifyOptions verify = {};         ///< how to verify; see requireMemory()
  std::map<std::string, Plan> plans = {};  ///< of each solver, by its name
};

/// Throws Error(kMemory) unless the device and the host have room for these solvers, one after the
/// other, and for what verifies them. A graph that is held as edges may be too large for an oracle
/// that takes a matrix, or that oracle would take longer than a user waits. Then every row is to be
/// checked by Bellman's equation.
SessionMemory requireMemory(const Problem& problem, const Device& device,
                            const std::vector<Solver>& solvers, const VerifyOptions& verify,
                            const MeasureOptions& measuring);

class Session {
 public:
  /// memory: what was decided, as far as it was. Keeps references to the graph and the device, and
  /// a copy of the graph on the device if that is decided: calls start from it, and do not generate
  /// or upload the graph anew.
  Session(ProblemGraph& graph, const Device& device, const MeasureOptions& measuring,
          SessionMemory memory);

  /// What is known of a run before any solver runs: the graph, the device, the options. seed:
  /// nothing of a file.
  Record describe(const std::string& input, std::optional<std::uint64_t> seed) const;

  /// Measures one solver and verifies it: every call's result against that of ref or apsp, which
  /// solves each graph once, or rows of the last one by Dijkstra's algorithm. No solver is its own
  /// oracle. `record`
  /// is describe()'s, and comes back whole; with a fault and without times if the solver threw a
  /// SolveFault. Throws Error(kInput) if a distance is out of range.
  ///
  /// With measuring.vary each call gets a graph of its own. If the graph is generated, its seed is
  /// seedOfCall() of the first graph's seed, and the solver that verifies solves each of these
  /// graphs, too. Otherwise the vertices are renumbered.
  Record run(const Solver& solver, const VerifyOptions& verify, Record record);

  /// The record of the solver that run() measures now, from the calls that have ended; its
  /// `partial` is set. Nothing outside run(). Only for an InterruptReport.
  std::optional<Record> soFar() const;

  /// What the last call found. There is none before run(), or if it failed.
  const Distances& distances() const { return last_->distances(); }

  /// Gives back what the last solver holds: its memory, and the worker of a submission.
  void release() { last_ = nullptr; }

 private:
  Record runToEnd(const Solver& solver, const VerifyOptions& verify, Record record);
  /// Fills in what the calls tell: the times, and the first result that is not as expected.
  void timeCalls(const Solver& solver, const std::string& oracle, Record& record);
  void verifyLast(const Solver& solver, const VerifyOptions& verify, bool byRows, Record& record);
  /// Makes the run ready for a call: on the next graph if calls get different ones.
  void reset(Run& run, int call);
  /// Solves the present graph with the solver of that name, to compare with.
  void solveExpected(const std::string& oracle);
  /// Of the distances of the present graph, from those of the oracle.
  Tolerance toleranceOf(const Record& record) const;
  void verifyExpected();
  /// Whether each call gets a generated graph with another seed.
  bool reseeds() const { return measuring_.vary && graph_.seeded(); }
  /// Whether each call gets the graph with its vertices renumbered.
  bool renumbers() const { return measuring_.vary && !graph_.seeded() && graph_.n() > 1; }
  Problem problem() const;
  Execution execution(bool renumbers) const;
  /// The same on all ranks. What is compared with is solved on one.
  Execution onRanks(Execution where) const;

  ProblemGraph& graph_;
  std::uint64_t secret_ = 0;  // from which the seeds of all calls follow
  const Device& device_;
  MeasureOptions measuring_;
  SessionMemory memory_;
  std::optional<Record> soFar_;    // changes only while reports are held, like soFarMs_
  std::vector<double> soFarMs_;    // of the timed calls
  std::shared_ptr<Run> last_;      // of the last solver
  std::shared_ptr<Run> expected_;  // of the solver that verifies, once something is compared
  std::string oracle_;             // its name
  bool largeVerified_ = false;     // see verifyExpected()
};
