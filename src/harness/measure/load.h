// How busy other processes keep the cores that this process may run on.
//
// The load average of the last minute says little about a measurement of 0.2 s. Therefore a meter
// takes the busy time of these cores (/proc/stat) before and after the measurement, and subtracts
// the CPU time of this process and of those that it started.
#pragma once

#include <string>
#include <vector>

struct MachineLoad {
  double others = -1;  ///< cores that other processes kept busy, on average; −1: not known
  int cores = 0;       ///< on which this process may run (its affinity mask); 0: not known
  double quota = 0;    ///< cores' worth of time that its cgroup may take; 0: no limit

  /// Cores that this process may use; 0: not known.
  double usable() const { return quota > 0 && quota < cores ? quota : cores; }
};

/// Times at one moment, in seconds.
struct CpuTimes {
  double wall;
  double busy;  ///< of all cores that this process may run on; < 0: not known
  double own;   ///< of this process and those that it started
};

/// The cores that other processes kept busy between two moments, 0 to `cores`. −1 if that is not
/// known, and in less than 0.1 s, because /proc/stat counts in steps of 0.01 s.
double othersBetween(const CpuTimes& begin, const CpuTimes& end, int cores);

/// Measures from its construction on.
class LoadMeter {
 public:
  LoadMeter();
  /// The load since then, see othersBetween().
  MachineLoad load() const;

 private:
  CpuTimes now() const;

  std::vector<int> cores_;
  CpuTimes begin_;
};

/// The busy time of these cores in the text of /proc/stat, in its ticks. Time that a hypervisor
/// gave to others counts as busy. −1 if the text does not have the line of a core.
double busyTicks(const std::string& procStat, const std::vector<int>& cores);

/// The quota in the text of a cgroup's cpu.max ("150000 100000" is 1.5 cores); 0 if there is none.
double quotaOf(const std::string& cpuMax);
