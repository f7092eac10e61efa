// The comparison of two sets of records, for example of two revisions: which results are faster,
// and which slower.
//
// The rule. The spread of a result is the range from its fastest repetition to its slowest. B is
// slower than A if its fastest repetition took longer than A's slowest. B is faster than A if its
// slowest repetition took less than A's fastest. If the ranges overlap, the difference is noise.
// The medians give the size of the difference. Two measurements of the same program can have
// separate ranges by chance: with five repetitions each in 1 of 126 cases, with three in 1 of 10.
// Fewer than three repetitions are therefore not judged.
#pragma once

#include <string>
#include <vector>

#include "measure/record.h"

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
};

/// The columns that are equal in two records of the same result, unless a user chooses others: the
/// device, the graph (its hash), the type and the solver with its options. Revision, driver and
/// number of repetitions may differ. Two GPUs of the same model are the same device.
const std::vector<std::string>& usualKey();

/// The results of both sides, sorted by device, graph, solver and n. Two records are the same
/// result if these columns (`key`) are equal; ref has no options. If a side has several records of
/// one result, the last one counts. Throws Error(kInput) naming the side and the record if a time
/// is not a number, or the median is not between minimum and maximum, and if a side has records
/// with the same `key` that differ in a column of usualKey(). Throws Error(kUsage) if a column of
/// `key` does not exist.
std::vector<Compared> compareRecords(const Side& a, const Side& b,
                                     const std::vector<std::string>& key = usualKey());

/// In which columns of `key` the two most similar records of the sides differ, and the --key that
/// compares them all the same: "their units differ (1 and 2): --key device_name,hash,… compares
/// them anyway". Both sides have a record.
std::string differenceText(const Side& a, const Side& b, const std::vector<std::string>& key);

/// The table of them, 80 columns wide, and how many there are of each Change.
std::string comparisonTable(const std::vector<Compared>& results);

/// Whether B is wrong, or slower than A beyond the noise and by more than `percent`.
bool isRegression(const Compared& result, int percent);
