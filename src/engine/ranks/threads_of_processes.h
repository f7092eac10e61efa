// Ranks that are threads of several processes: each process has as many. The threads of a process
// have consecutive numbers, so that they are neighbours in the grid.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ranks/ranks.h"

namespace engine {

/// What the threads of a process need of the processes. Every thread may call every function at any
/// time.
class Processes {
 public:
  virtual ~Processes() = default;

  virtual int process() const = 0;  ///< the number of this one, from 0 on
  /// The machine of each process. Processes that share memory have the same number here.
  virtual const std::vector<int>& hosts() const = 0;
  virtual int tags() const = 0;  ///< the tags of messages are below this number

  /// Starts to send bytes to another process, which must receive as many with the same tag.
  /// Messages with the same tag come in the order in which they were started.
  virtual std::unique_ptr<Transfer> startSend(const void* data, std::size_t bytes, int to,
                                              int tag) = 0;
  virtual std::unique_ptr<Transfer> startReceive(void* data, std::size_t bytes, int from,
                                                 int tag) = 0;

  /// Ends all processes because of a rank of this one.
  [[noreturn]] virtual void abandon(int rank, const std::string& why, ErrorCode code) = 0;
};

/// Collective over the processes: calls body() on `threads` threads of each, with their ranks.
/// Returns when the threads of this process have returned. An exception that leaves body() ends the
/// process, because other processes could not go on.
void runOnThreadsOf(Processes& processes, int threads, const std::function<void(Ranks&)>& body);

}  // namespace engine
