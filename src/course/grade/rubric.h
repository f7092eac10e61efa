// A rubric: how many points a submission gets for what. docs/grading.md explains the file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/cases.h"
#include "grade/result.h"

struct Rubric {
  /// A speedup over `ref`, and the points of a submission that reaches it.
  using Steps = std::vector<std::pair<double, double>>;

  std::string title;
  std::string text;                                      ///< of the file
  double pass = 0;                                       ///< points if every result is right
  std::vector<std::pair<std::string, double>> families;  ///< points if all graphs are right
  std::vector<std::pair<int, Steps>> speed;              ///< n → steps, speedups ascending

  /// What a late hand-in loses.
  struct Late {
    long long due = 0;  ///< seconds since 1970
    double perDay = 0;  ///< percent of the points, for each day that has begun
    double most = 100;  ///< percent
  };
  std::optional<Late> late;
};

/// Reads a rubric, a JSON file. `sizes` are those at which submissions are timed. Throws
/// Error(kInput) with the file, the key, what was expected and what was found.
Rubric readRubric(const std::string& path, const std::vector<int>& sizes,
                  const CheckOptions& check = {});

/// The lines of a rubric with the most points that each can give.
std::vector<PointsLine> linesOf(const Rubric& rubric);

/// The points of a grade, line by line. `times` must have `naive`.
std::vector<PointsLine> pointsOf(const Rubric& rubric, const Grade& grade);

/// The sum of the points, and that of the most points.
double total(const std::vector<PointsLine>& lines);
double most(const std::vector<PointsLine>& lines);
