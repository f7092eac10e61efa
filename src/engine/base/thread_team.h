// A team of threads that works through a list of phases without OpenMP's barriers.
#pragma once

#include <functional>
#include <vector>

namespace engine {

/// One step of a computation: the calls body(0) … body(tasks - 1), in any order and on any threads.
/// A body throws nothing.
struct Phase {
  int tasks;
  std::function<void(int task)> body;
};

/// Runs the phases one after the other on the calling thread and up to `threads` - 1 others. The
/// tasks of a phase see all that the phases before it wrote. A call from inside a body uses the
/// calling thread only. Beside calls of other threads, a call gets the threads for which cores are
/// left. Throws Cancelled (base/cancel.h) if the calling thread's work is cancelled,
/// unless it is called from inside a body: tasks may be missing.
void runPhases(std::vector<Phase> phases, int threads);

/// In a body: the number of the thread that runs it, from 0 for the calling thread up to the number
/// of threads of the call, without it.
int threadOfPhase();

/// Calls body(begin, end) for the parts of 0 to `count`, of `part` each, on as many threads as
/// OpenMP would take. All else is as for runPhases().
void inParts(int count, int part, const std::function<void(int begin, int end)>& body);
/// So many rows of so many columns are a part that is worth a task.
int rowsInPart(int columns);

/// Starts the threads that runPhases() needs for `threads` of them, or as many as the system
/// allows. runPhases() does so by itself, but then the first call takes longer.
void startTeam(int threads);

}  // namespace engine
