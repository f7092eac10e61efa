// Grading survives the death of its own process: a parent waits for it, says at which hand-in it
// died, and starts another one, which leaves that hand-in out.
#pragma once

#include <optional>
#include <string>
#include <vector>

/// Forks. The child returns nothing and goes on as the program. The parent returns the exit code
/// once a child ended by itself; if a signal such as SIGINT ended the child, it ends the parent,
/// too. Signals that are sent to the parent reach the child. Must be called before there are
/// threads. Without memory for another process, grading goes on unsupervised.
std::optional<int> supervise();

/// While it lives, the supervisor knows that this process works on a hand-in.
class AtWork {
 public:
  /// doing: "checking" or "timing".
  AtWork(const char* doing, const std::string& handIn);
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
};

/// Whether an earlier child of this supervisor died.
bool hasDied();

/// How an earlier child of this supervisor died at a hand-in: "the grader was ended by SIGSEGV
/// while it was checking this one"; "" if none did.
std::string deathAt(const std::string& handIn);
