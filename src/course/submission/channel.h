// The parent's side of a worker: starts it, passes graphs to it, and takes the time.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "device/device.h"
#include "measure/submitted.h"
#include "solver/solver.h"
#include "submission/denials.h"
#include "submission/patience.h"
#include "submission/protocol.h"
#include "submission/worker.h"
#include "system/process.h"

/// A worker failed: it crashed, hung, or said why it cannot go on.
struct WorkerFailure {
  SolveFault::Kind kind;
  std::string text;     ///< one line, for example "crashed (SIGSEGV)"
  std::string printed;  ///< what it wrote since the last call
  bool started;         ///< the submission's code may have run; otherwise the machine failed
};

/// What a worker did with one graph.
struct Exchange {
  double milliseconds;  ///< from before the worker could see the graph until it could not change
                        ///< the distances any more, by this process' clock
  double copied;        ///< of these the copy of the graph
  double own;           ///< of the call, by the worker's clock
  long long kept;       ///< bytes of device memory that it keeps
  std::string warning, printed;
};

class WorkerChannel {
 public:
  /// Starts a worker and waits until it is ready. Throws WorkerFailure, Error(kMemory). patience:
  /// of the submission, which lives longer.
  WorkerChannel(const Device& device, const WorkerTask& task, Patience& patience);
  ~WorkerChannel();
  WorkerChannel(const WorkerChannel&) = delete;
  WorkerChannel& operator=(const WorkerChannel&) = delete;

  /// Makes memory for a graph of n vertices that both processes see: guard, (n, n) elements, guard
  /// from its beginning on. Waits until the worker has it, too. threads: of the worker's OpenMP.
  /// The memory lives until the next prepare() or end(). Throws WorkerFailure, Error(kMemory).
  const SharedWords& prepare(int n, int threads);

  /// Lets the worker solve the graph in place: (n, n) int32 in memory of the device that the
  /// worker does not see. prepare(n) comes before each call. Throws WorkerFailure.
  Exchange solve(int n, Elements graph, double secondsAllowed);

  /// Bytes of host memory that the worker has. Finding out takes as long as a small call.
  std::size_t hostBytes() const;

  /// Ends the worker, after which nothing else may be called. Returns the bytes of the device's
  /// memory that were taken while the worker started, solved or ended, and that are not free again.
  /// Other processes have them, because all that the worker had is free now. They are negative if
  /// others gave more back than they took.
  long long end();

 private:
  void startWorker(const WorkerTask& task, const Descriptor& theirs);
  void send(const Request& request, int descriptor = -1);
  /// Waits for the reply of that step. Throws WorkerFailure if another one comes, or none.
  /// `descriptor` becomes the one that came with it, or −1. Without it none is taken.
  Reply expect(Reply::Step step, double seconds, const char* what, int* descriptor = nullptr);
  /// Waits until done(seconds) is true, for so many seconds that the worker was given, and not
  /// longer than our patience if the wait counts. done() waits so long at most. Throws
  /// WorkerFailure if the worker exceeds its limits or our patience; otherwise returns whether it
  /// was done.
  template <class Done>
  bool await(double seconds, bool counts, const Done& done);
  /// The seconds since then, less those for which others had the worker's cores.
  double givenSince(std::chrono::steady_clock::time_point begin) const;
  /// Between calls the worker is stopped. Both throw WorkerFailure if it is not. used: its CPU time
  /// now.
  void freeze();
  void thaw(double used);
  class Watch;
  [[noreturn]] void fail(SolveFault::Kind kind, const std::string& text);
  [[noreturn]] void failAsItEnded();
  /// What the clock says, and how long the thread that calls and the worker have computed.
  struct Moment {
    double seconds, ours, theirs;
  };
  Moment now(double theirs) const;
  long long held() const { return static_cast<long long>(device_.heldBytes()); }

  const Device& device_;
  Patience& patience_;
  std::unique_ptr<Descriptor> socket_;
  std::unique_ptr<Process> worker_;
  std::unique_ptr<SharedWords> shared_;
  bool started_ = false;              // the submission's code may run
  const bool freezes_;                // not what may do anything, nor what a debugger may control
  std::unique_ptr<Watch> watch_;      // of what freezes
  std::unique_ptr<Denials> denials_;  // of a worker in a sandbox
  double used_ = 0;                   // seconds of CPU time of the worker when it was stopped
  double delayed_ = 0;                // its delayedSeconds() then
  double ran_ = 0;                    // seconds of CPU time that it used while it was stopped
  bool sent_ = false;                 // the worker has shared_
  std::optional<Moment> last_;        // the end of the last call
  long long heldBefore_ = 0;          // bytes of the device's memory in use before prepare()
  long long taken_ = 0;               // how much they grew while the worker started and solved
};
