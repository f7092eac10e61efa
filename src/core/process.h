// Another program, run where it can do this one no harm: the compiler, a submission.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

/// Bytes of its output that are kept.
inline constexpr std::size_t kOutputKept = std::size_t{64} << 10;

/// A program in a process group of its own, whose output comes here and whose input is empty. It
/// dies when this object or the thread that made it does.
class Process {
 public:
  /// argv[0] is the program's path. `kept`: descriptors that it finds open under their numbers, out
  /// of those that would be closed. Throws Error(kMemory) where there can be no more processes.
  explicit Process(const std::vector<std::string>& argv, const std::vector<int>& kept = {});
  ~Process() { stop(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Collects output until `descriptor` has something to read, or none any more; without one, until
  /// the output ends. False where that takes longer.
  bool await(double seconds, int descriptor = -1);

  /// Waits for its end, after `seconds` kills it; what is left of its group is killed, too.
  /// Collects the rest of its output. The status is that of waitpid().
  int stop(double seconds = 0);

  /// What it wrote since this was asked last; of more than kOutputKept the beginning and the end.
  std::string takeOutput();

  /// How many of these run now.
  static int running();

 private:
  bool collect();

  pid_t pid_;
  int output_ = -1;  // −1 once it ended
  int status_ = 0;
  std::string text_;
};

/// The same descriptor above those of standard input and output, whoever has closed these.
int aboveStandard(int descriptor);
