#include "measure/doubt.h"

#include <fmt/format.h>

#include <cmath>

#include "device/mps.h"
#include "measure/disturbance.h"

std::string doubtOf(const Record& record) {
  const WorkerTimes& worker = record.worker;
  const double median = record.timing.median;
  if (worker.cost == 0) return "";  // no worker did it
  if (!std::isfinite(median) || median <= worker.floor) {
    return fmt::format(
        "not timed: {:.4g} ms is too short beside the {:.4g} ms that passing the graph takes",
        median, worker.cost);
  }
  if (const std::string why = obstacleTo(record.before); !why.empty()) return why;
  if (const std::string why = obstacleTo(record.after); !why.empty()) return why;
  if (record.before.otherUsers > 0 || record.after.otherUsers > 0)
    return "not timed: another process computes on this GPU";
  return "";
}

std::string obstacleTo(const Clocks& now) {
  if (!now.mps) return "";
  return fmt::format(
      "not timed: CUDA's Multi-Process Service (MPS) runs, under which others can compute on this "
      "GPU unseen: end it (echo quit | nvidia-cuda-mps-control) or set CUDA_MPS_PIPE_DIRECTORY, "
      "now {}, to an empty folder",
      mpsFolder());
}

std::string disputeOf(const Record& record) {
  const WorkerTimes& worker = record.worker;
  // What waking up and a change between processes may take, in milliseconds.
  constexpr double kShare = 0.25, kAlways = 1;
  const double median = record.timing.median;
  const double allowed = kShare * median + 2 * worker.cost + kAlways;
  if (worker.cost == 0 || record.timing.reps < 2 || record.apart <= allowed) return "";
  if (!disturbanceOf(record).empty()) return "";
  return fmt::format("time disputed: it took {:.4g} ms, but its own process measured {:.4g} ms",
                     median, worker.own);
}
