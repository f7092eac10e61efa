// The ladder: the steps by which five course reports made their kernels fast, one file a report.
// report_a.cu … report_d.cu hold solvers of the contract in apsp.h, reduction.cu holds report E's
// sums. Every solver is a row of the kernel table too.
#pragma once

#include <vector>

/// The n at which the reports measured, and ladders are measured by default.
inline constexpr int kReportSizes[] = {1000, 2500, 5000, 7500, 10000};

/// Milliseconds at each of kReportSizes, as a report gives them; 0 where it gives none.
using ReportTimes = double[5];

/// One step of a report.
struct Rung {
  const char* name;    ///< as --kernel names it: the report's letter, and the number of the step
  const char* what;    ///< the idea, in a few words
  const char* before;  ///< the rung that it improves on; nullptr: the naive solver
  void (*solve)(int n, int* graph);  ///< apsp.h: device memory, n×n
  ReportTimes milliseconds;          ///< what the report measured
};

/// A report of solvers, its steps in its own order.
struct Report {
  const char* letter;  ///< "A"
  const char* title;
  const char* gpu;     ///< that it measured on
  const char* source;  ///< the file that holds the rungs
  ReportTimes naive;   ///< what it measured of the naive solver
  std::vector<Rung> rungs;
};

Report reportA();
Report reportB();
Report reportC();
Report reportD();

/// A to D. src/device/cuda.cu has them; a build without CUDA has none.
const std::vector<Report>& reports();
