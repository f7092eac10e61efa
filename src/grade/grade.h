// ./apsp grade: a folder of submissions, each checked, timed beside the naive solver, and ranked.
#pragma once

#include <string>
#include <vector>

#include "measure/timing.h"
#include "submission/submission.h"

struct GradePlan {
  std::string folder;
  std::vector<int> sizes;  ///< numbers of vertices, ascending; ranks are by the last
  bool full = false;       ///< how thoroughly the contract is checked
  MeasurePlan measuring;
  SubmissionLimits limits;
  std::string csv;  ///< the file to resume from and to append to; "": none
};

/// What came of one submission.
struct Grade {
  std::string name;                         ///< its file, or the subfolder that holds its apsp.cu
  std::string hash;                         ///< of the file's content
  std::string build;                        ///< "yes", or why it cannot be run
  std::string contract;                     ///< "pass", or what is wrong; "": not checked
  std::vector<double> milliseconds, naive;  ///< medians at each size, both verified; else empty
  int rank = 0;                             ///< from 1 among those that pass; 0: none
  Exit trouble = Exit::kOk;                 ///< of ours, which kept it from being graded this time
};

/// Grades every *.so (and, on a GPU, *.cu and NAME/apsp.cu) of the folder, whatever they do, in the
/// order of their names. Those that the CSV file holds already, with the same content, sizes,
/// check, measurement, time limit, device and revision, are not run again; of the others the rows
/// are appended as they come. What we cannot grade now (no nvcc, no memory) has no rows, so that
/// the next run tries again. Throws Error(kInput) where the folder holds no submission,
/// Error(kOutput).
std::vector<Grade> grade(const GradePlan& plan, const Device& device);

/// A line each, ranked ones first. colour: mark verdicts green or red.
std::string gradeTable(const GradePlan& plan, const std::vector<Grade>& grades, bool colour);
