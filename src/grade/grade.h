// `apsp grade`: checks, times and ranks the submissions of a folder.
#pragma once

#include <string>
#include <vector>

#include "measure/timing.h"
#include "submission/submission.h"

struct GradePlan {
  std::string folder;
  std::vector<int> sizes;  ///< numbers of vertices, ascending; the last one decides the ranks
  bool full = false;       ///< check thoroughly (CheckPlan::kFull, else kQuick)
  MeasurePlan measuring;
  SubmissionLimits limits;
  std::string csv;  ///< the file to resume from and to append to; "": none
};

/// The result for one submission.
struct Grade {
  std::string name;                         ///< its file, or the subfolder that holds its apsp.cu
  std::string hash;                         ///< of the file's content
  std::string build;                        ///< "yes", or why it cannot be run
  std::string contract;                     ///< "pass", or what is wrong; "": not checked
  std::string warning;                      ///< Warnings::line() of all calls; no reason to fail
  std::vector<double> milliseconds, naive;  ///< medians at each size, both verified; else empty
  int rank = 0;                             ///< from 1 among those that pass; 0: none
  Exit trouble = Exit::kOk;                 ///< our own error that prevented grading it now
};

/// Grades every *.so (and, on a GPU, *.cu and NAME/apsp.cu) of the folder in the order of their
/// names. A submission is not run again if the CSV file has its rows with the same content, sizes,
/// check, measurement, time limit, device and revision. The rows of the others are appended one
/// after the other. A submission that we cannot grade now (no nvcc, no memory) gets no rows, and
/// the next run tries again. Throws Error(kInput) if the folder holds no submission, Error(kOutput)
/// if the CSV file cannot be written or begins with other columns.
std::vector<Grade> grade(const GradePlan& plan, const Device& device);

/// A table with a line for each submission, ranked ones first. The verdict is green, yellow with a
/// warning, or red if there is no rank.
std::string gradeTable(const GradePlan& plan, const std::vector<Grade>& grades);
