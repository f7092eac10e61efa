// Disturbed results: the machine was not free for the solver, or the calls differ too much.
#pragma once

#include <string>
#include <vector>

#include "measure/record.h"

/// The causes in a few words for records: "load+spread", "" if there are none.
std::string disturbanceOf(const Record& record);

/// The causes in a row that was read. Rows of older versions tell only "throttled" and "shared".
std::string disturbanceOf(const Row& row);

/// A cause that disturbed a measurement.
struct Disturbance {
  std::string name;   ///< as disturbanceOf() has it
  double amount = 0;  ///< how strong it was, to compare results with the same cause
  std::string text;   ///< for people: what happened, and what to do
};
std::vector<Disturbance> disturbances(const Record& record);
