// The store: the folder beside a CSV file of grades in which graders keep what they found, a JSON
// document for each build, check and timing. Several graders may fill one store together. A
// document appears whole or not at all, therefore a killed grader loses only what it was doing.
// What another user can write is not taken for a result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grade/result.h"
#include "io/lock.h"
#include "system/process.h"

/// The times of a solver of this program, with which submissions are compared.
struct Reference {
  std::string name;              ///< "ref", "apsp"
  std::vector<SizeTimes> times;  ///< those that count
};

/// What a document is about: a readable part, and a hash of all that determines the result.
std::string documentId(const std::string& name, const std::string& key);

class GradeStore {
 public:
  /// Makes the folder. Throws Error(kOutput), also if the folder belongs to another user or another
  /// user can write to it.
  explicit GradeStore(const std::string& folder);

  /// A document; nothing if it is missing or damaged. Throws Error(kOutput) if another user can
  /// change it.
  std::optional<Built> findBuilt(const std::string& id) const;
  std::optional<CheckResult> findCheck(const std::string& id) const;
  std::optional<SolverTimes> findTimes(const std::string& id) const;
  /// All timings of a solver of this program, in the order in which they were made.
  std::vector<SolverTimes> findTimings(const std::string& id) const;
  /// Throws Error(kOutput).
  void write(const std::string& id, const Built& built) const;
  void write(const std::string& id, const CheckResult& result) const;
  void write(const std::string& id, const SolverTimes& result) const;
  void write(const std::string& id, const std::vector<SolverTimes>& timings) const;
  /// Throws Error(kOutput). It need not be there.
  void remove(const std::string& id) const;

  /// The folder of hand-ins that was graded last; "" if none was noted.
  std::string handInFolder() const;
  void noteHandInFolder(const std::string& path) const;  ///< throws Error(kOutput)

  /// The lock that a grader holds while it works on a document.
  FileLock lock(const std::string& id, FileLock::Mode mode) const;
  /// The lock of a device of this machine: checks share it, a timing has it alone.
  FileLock lock(const Device& device, FileLock::Mode mode) const;

 private:
  template <class Work>
  auto inFolder(const Work& work) const;
  std::optional<std::string> read(const std::string& name) const;
  void write(const std::string& name, const std::string& content) const;

  const std::string path_;
  const Descriptor folder_;
};

// The parts of documents, which grades.json has, too.

Json toJson(const SizeTimes& times);
SizeTimes sizeTimesOf(const Json& json);
