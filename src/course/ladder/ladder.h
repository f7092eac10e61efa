// The ladder: the steps by which five course reports made their kernels fast. Each report has one
// file, whose name begins with the names of its steps: a1_to_a8_… to d1_to_d4_… hold solvers, which
// keep the contract in apsp.h; e1_to_e8_reduction.cu holds the sums of report E. Every solver is
// also a row of the solver table.
#pragma once

#include <vector>

/// The n at which the reports measured, and at which the ladder is measured by default.
inline constexpr int kReportSizes[] = {1000, 2500, 5000, 7500, 10000};

/// Milliseconds at each of kReportSizes, as a report gives them. 0: it gives none.
using ReportTimes = double[5];

/// One step of a report.
struct Rung {
  const char* name;    ///< for --kernel: the letter of the report and the number of the step
  const char* what;    ///< the idea, in a few words
  const char* before;  ///< the rung that it improves on; nullptr: the naive solver
  void (*solve)(int n, int* graph);  ///< graph: (n, n) in device memory (apsp.h)
  ReportTimes milliseconds;          ///< what the report measured
};

/// A report on solvers, with its steps in its own order.
struct Report {
  const char* letter;  ///< "A"
  const char* title;
  const char* gpu;     ///< the GPU that it measured on
  const char* source;  ///< the file that holds the rungs
  ReportTimes naive;   ///< what it measured for the naive solver
  std::vector<Rung> rungs;
};

Report reportA();
Report reportB();
Report reportC();
Report reportD();

/// Reports A to D. In a build without CUDA, none.
const std::vector<Report>& reports();
