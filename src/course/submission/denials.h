// What a worker tries that its sandbox denies. This is told as a remark; nothing else depends on
// it.
//
// The kernel holds each such call until the parent has answered. The answer is always the same: the
// call fails, or, if a file is opened, the kernel goes on and Landlock decides. So a submission can
// change nothing but the remark. It can have many calls answered, which takes its own time only,
// because it does not run between its calls.
#pragma once

#include <linux/seccomp.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

#include "base/descriptor.h"

using namespace engine;

class Denials {
 public:
  /// Answers in a thread of its own from now on. listener: from listenToCalls() of the worker,
  /// which is closed with this; negative: nothing is heard.
  explicit Denials(int listener);
  /// The worker has ended, or its calls fail from now on.
  ~Denials();
  Denials(const Denials&) = delete;
  Denials& operator=(const Denials&) = delete;

  /// What was tried since the last call: "to write a file and to start a process"; "" if nothing.
  std::string take();

 private:
  void answer();
  void note(const char* what);

  static constexpr std::size_t kMost = 8;
  std::array<std::atomic<const char*>, kMost> tried_{};  // constants, the first ones; then nullptr
  const Descriptor listener_, ending_;
  std::thread thread_;  // last, because it uses the others
};
