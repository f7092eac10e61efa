#include "measure/load.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "system/process.h"

namespace {

std::string textOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The cores in this process's affinity mask; none if the kernel does not tell.
std::vector<int> allowedCores() {
  std::vector<int> cores;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  return cores;
}

/// The smallest quota of this process's cgroup (version 2) and those above it; 0: no limit.
double cgroupQuota() {
  std::istringstream groups(textOf("/proc/self/cgroup"));
  double smallest = 0;
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::/", 0) != 0) continue;
    std::filesystem::path path = line.substr(4);
    while (true) {
      const double quota = quotaOf(textOf("/sys/fs/cgroup" / path / "cpu.max"));
      if (quota > 0 && (smallest == 0 || quota < smallest)) smallest = quota;
      if (path.empty()) break;
      path = path.parent_path();
    }
  }
  return smallest;
}

double cpuSeconds(int who) {
  rusage used{};
  getrusage(who, &used);
  const auto seconds = [](const timeval& time) { return time.tv_sec + 1e-6 * time.tv_usec; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

double busyTicks(const std::string& procStat, const std::vector<int>& cores) {
  double busy = 0;
  std::size_t found = 0;
  std::istringstream lines(procStat);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    if (name.size() < 4 || name.compare(0, 3, "cpu") != 0) continue;
    if (std::find(cores.begin(), cores.end(), std::stoi(name.substr(3))) == cores.end()) continue;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softIrq = 0, steal = 0;
    fields >> user >> nice >> system >> idle >> waiting >> irq >> softIrq >> steal;
    busy += user + nice + system + irq + softIrq + steal;
    ++found;
  }
  return found > 0 && found == cores.size() ? busy : -1;
}

double quotaOf(const std::string& cpuMax) {
  std::istringstream fields(cpuMax);
  double quota = 0, period = 0;
  return fields >> quota >> period && period > 0 ? quota / period : 0;
}

double othersBetween(const CpuTimes& begin, const CpuTimes& end, int cores) {
  constexpr double kShortest = 0.1;  // seconds
  const double wall = end.wall - begin.wall;
  if (wall < kShortest || begin.busy < 0 || end.busy < 0) return -1;
  const double others = (end.busy - begin.busy) - (end.own - begin.own);
  return std::clamp(others / wall, 0.0, static_cast<double>(cores));
}

LoadMeter::LoadMeter() : cores_(allowedCores()), begin_(now()) {}

CpuTimes LoadMeter::now() const {
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
  const double own =
      cpuSeconds(RUSAGE_SELF) + cpuSeconds(RUSAGE_CHILDREN) + Process::cpuSecondsOfRunning();
  const double busy = busyTicks(textOf("/proc/stat"), cores_);
  return {wall.count(), busy < 0 ? -1 : busy / static_cast<double>(sysconf(_SC_CLK_TCK)), own};
}

MachineLoad LoadMeter::load() const {
  const int cores = static_cast<int>(cores_.size());
  return {othersBetween(begin_, now(), cores), cores, cgroupQuota()};
}
