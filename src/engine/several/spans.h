// When the rounds of a part on a GPU worked, and what their streams wait for. For .cu files.
#pragma once

#include <vector>

#include "device/cuda.h"
#include "device/stream.h"
#include "ranks/times.h"

namespace engine {

/// The rounds of a solve, as the stream `rest` does them. `ahead` makes the panels (part_gpu.cu).
class Spans {
 public:
  void begin(const Stream& ahead) {
    spans_.clear();
    begun_.record(ahead.stream);
  }
  /// No round has begun.
  bool first() const { return spans_.empty(); }

  /// Both streams wait for the rest of the round before and for the panels of this one. The host
  /// waits if it is two rounds ahead.
  void beginRound(const Stream& ahead, const Stream& rest) {
    if (spans_.size() >= 2) CHECK_CUDA(cudaEventSynchronize((spans_.end() - 2)->end.event));
    if (!spans_.empty()) ahead.wait(spans_.back().end);
    rest.wait(ahead);
    spans_.emplace_back();
    spans_.back().begin.record(rest.stream);
  }
  void endRound(const Stream& rest) { spans_.back().end.record(rest.stream); }

  /// To be called when all is done.
  void addTo(RankTimes& times) const {
    const StreamEvent* last = &begun_;
    times.compute = times.wait = 0;
    for (const Span& span : spans_) {
      times.wait += between(*last, span.begin);
      times.compute += between(span.begin, span.end);
      last = &span.end;
    }
  }

 private:
  struct Span {
    StreamEvent begin{true}, end{true};
  };

  static double between(const StreamEvent& from, const StreamEvent& to) {
    float milliseconds = 0;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, from.event, to.event));
    return milliseconds;
  }

  StreamEvent begun_{true};
  std::vector<Span> spans_;
};

}  // namespace engine
