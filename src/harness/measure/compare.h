// The comparison of two sets of records, for example of two revisions: which results are faster,
// and which slower.
//
// The rule. B is slower than A if its calls took longer than those of A by the test of Mann and
// Whitney (rank_test.h) at the level kLevel, and its median is at least kLeastPercent longer.
// Faster is the same in the other direction. Everything else is noise. If two measurements are of
// the same distribution, the test calls one of them slower or faster with a probability of at most
// kLevel. A result with fewer than three calls is not judged, nor one whose calls all took longer
// than those of the other side if they are still too few to reach the level, for example four and
// four.
//
// Records of earlier versions do not have the time of each call. Then the least certain order of
// calls that fits minimum, quartiles and maximum decides, which keeps the level and finds less.
#pragma once

#include <string>
#include <vector>

#include "measure/record.h"

/// The two-sided level of the test, and the least difference of the medians that counts. A second
/// run of the same program often differs by less than that, in all its calls.
inline constexpr double kLevel = 0.01, kLeastPercent = 1;

/// One of the two sets: its name in messages, and its records.
struct Side {
  std::string name;
  std::vector<Row> rows;
};

enum class Change { kFaster, kSlower, kNoise, kTooFew, kWrong, kOnlyA, kOnlyB };

/// One result on both sides.
struct Compared {
  const Row *a = nullptr, *b = nullptr;  ///< nullptr if the side does not have it; the Side owns it
  Change change = Change::kNoise;
  double percent = 0;  ///< how much longer B's median takes than A's; 0 unless both sides have it
  double p = 1;        ///< of the test; 1 if it was not made
};

/// The columns that are equal in two records of the same result, unless a user chooses others: the
/// device, the graph (its hash), the type and the solver with its options. Revision, driver and
/// number of repetitions may differ. Two GPUs of the same model are the same device.
const std::vector<std::string>& usualKey();

/// The results of both sides, sorted by device, graph, solver and n. Two records are the same
/// result if these columns (`key`) are equal; ref has no options. If a side has several records of
/// one result, the one that was measured last counts. Throws Error(kInput) naming the side and the
/// record if a time is not a number, or the median is not between minimum and maximum, and if a
/// side has records with the same `key` that differ in a column of usualKey(). Throws Error(kUsage)
/// if a column of `key` does not exist.
std::vector<Compared> compareRecords(const Side& a, const Side& b,
                                     const std::vector<std::string>& key = usualKey());

/// In which columns of `key` the two most similar records of the sides differ, and the --key that
/// compares them all the same: "their units differ (1 and 2): --key device_name,hash,… compares
/// them anyway". Both sides have a record.
std::string differenceText(const Side& a, const Side& b, const std::vector<std::string>& key);

/// The table of them, 80 columns wide, and how many there are of each Change.
std::string comparisonTable(const std::vector<Compared>& results);

/// Whether B is wrong, or slower than A and by more than `percent`, and neither was disturbed.
bool isRegression(const Compared& result, int percent);
