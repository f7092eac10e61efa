// What the exchange with a worker costs by itself: two copies of the matrix, the messages, and on
// the GPU the change from one process to another and back. It is measured with a worker that
// runs our fastest solver: what an exchange takes beyond the worker's own time. It is subtracted
// from the time of a submission. An empty worker would tell too little, because an exchange takes
// longer after a solver has run.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "device/device.h"
#include "submission/channel.h"

class Calibration {
 public:
  explicit Calibration(const Device& device) : device_(device) {}

  /// Whether the cost at n is known from before any submission ran.
  bool knows(int n) const { return before_.count(n) != 0; }
  /// From now on calls at n are not timed unless the cost there is known: it is not measured.
  void leaveOut(int n) { untimed_.insert(n); }
  bool leavesOut(int n) const { return untimed_.count(n) != 0 && !knows(n); }
  /// Measures the cost at n. No submission may run now: it could work in the background, which
  /// would raise the cost, and thereby lower its own time.
  void measure(int n);

  /// Does one exchange more, and returns the cost at n in milliseconds: the least of the latest
  /// ones, but no more than before any submission ran. Whatever else this machine computes makes
  /// some exchanges longer. If that were subtracted from calls that nothing disturbed, honest ones
  /// would be too short to be believed. Later exchanges may be shorter, because the clock rate is
  /// higher then. milliseconds: what a submission's call took, with its exchange. If hardly more
  /// than the cost, so that the time would be refused, exchanges are repeated for a while, because
  /// all earlier ones may have been disturbed. knows(n) must hold.
  double cost(int n, double milliseconds);
  /// The least time that a solver can take at n: half of what it took to copy the matrix once.
  /// knows(n) must hold.
  double floor(int n) const { return floor_.at(n); }

 private:
  Exchange exchange(int n);

  const Device& device_;
  Patience patience_{std::numeric_limits<double>::infinity()};  // the worker is ours
  std::unique_ptr<WorkerChannel> worker_;                       // started when it is needed
  std::unique_ptr<DeviceMatrix> graph_;                         // what it gets
  std::map<int, double> before_;                                // by n
  std::map<int, double> floor_;
  std::map<int, std::vector<double>> latest_;
  std::set<int> untimed_;
};

/// The calibration of a device, for all submissions that this process has now. Who holds it, too,
/// keeps it for later ones.
std::shared_ptr<Calibration> calibrationOf(const Device& device);
