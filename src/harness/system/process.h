// Runs another program: the compiler, the worker of a submission.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "system/control_group.h"

using namespace engine;

/// The path of a script of the folder scripts/, beside this program or in a folder above it,
/// because the program may lie in build/cuda, or where `make install` puts it; "" if there is none.
std::string findScript(const std::string& script);

/// At most so many bytes of a program's output are kept.
inline constexpr std::size_t kOutputKept = std::size_t{64} << 10;

/// A running program in a session of its own. Its standard output and error are collected here; its
/// input is empty. It is killed when this object is destroyed or the thread that started it ends.
class Process {
 public:
  /// Starts it. argv[0] is the program's path. `kept`: descriptors that stay open in the program
  /// although they are marked close-on-exec. `environment`: its variables, "NAME=value"; nullopt:
  /// those of this program. Throws Error(kMemory) if no process can be made.
  explicit Process(const std::vector<std::string>& argv, const std::vector<int>& kept = {},
                   const std::optional<std::vector<std::string>>& environment = std::nullopt);
  ~Process() { stop(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Collects output until `descriptor` can be read or is closed at the other end; if it is −1,
  /// until the output ends. Returns false if that takes longer than `seconds`, or if the program
  /// exceeds its limit().
  bool await(double seconds, int descriptor = -1);

  /// Stops it and all that it started, and waits until no thread runs. Returns false if that takes
  /// longer than `seconds`, or if the program exceeds its limit() meanwhile.
  bool freeze(double seconds);
  /// A letter for each thread: T stopped, R running, D waiting for the system, …
  std::string states() const;
  /// Lets it go on.
  void thaw();
  /// Kills its group, and does not wait. Another thread than that of stop() may call it before
  /// that.
  void killGroup() const;
  /// The CPU time of it and of all that it started.
  double cpuSeconds() const;
  /// For how long the thread of it that waited longest for a core has waited so far.
  double delayedSeconds() const;

  /// The host memory of it and of all that it started, in bytes.
  std::size_t bytes() const;

  /// Limits the host memory and the threads of the program and all processes that it started.
  /// await() and freeze() look at them every 50 ms. Where a control group can be made, it limits
  /// the memory, too, and the program gets no more of the cores than another one, however many
  /// threads it has.
  void limit(std::size_t bytes, int threads);
  /// "used more than 5.2 GB of host memory", or "" if no limit was exceeded. Read it after stop(),
  /// too: the kernel may have ended the program for it.
  const std::string& excess() const { return excess_; }

  /// Waits until the program ends, and kills it after `seconds`, or as soon as it exceeds its
  /// limit(); 0: at once. Kills what is left of its group, too, and collects the rest of its
  /// output. Returns the status of waitpid().
  int stop(double seconds = 0);

  /// The output since the last call. Of more than kOutputKept bytes, the beginning and the end.
  std::string takeOutput();

  /// The number of these that run now.
  static int running();
  /// From now on, processes whose parents have ended become children of this one, and stop() kills
  /// them. It spares the children that this process has now.
  static void adoptOrphans();
  /// Their CPU time so far.
  static double cpuSecondsOfRunning();

 private:
  static constexpr std::size_t kAtOnce = std::size_t{1} << 18, kMostInAPipe = kAtOnce << 4;
  bool collect(std::size_t most = kAtOnce);
  bool exceedsLimit();
  bool looksExceeded();
  void noteTooMuchMemory();

  pid_t pid_;
  int output_ = -1;  // −1 after it has ended
  int status_ = 0;
  std::size_t mostBytes_ = 0;  // 0: no limit
  int mostThreads_ = 0;
  std::unique_ptr<ControlGroup> group_;         // nullptr before limit(), or if none can be made
  std::chrono::steady_clock::time_point look_;  // when await() looks at the limits next
  std::string excess_;
  std::string text_;
};

/// "it printed 12 bytes, not shown", of what calls of a submission gave back of their output.
std::string printedText(std::size_t bytes);
