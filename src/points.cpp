#include "points.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <tuple>

#include "environment.h"
#include "error.h"
#include "output.h"

namespace {

/// What a point is told to be, and by which build; columns of its record.
constexpr const char* kAsked[] = {"input", "n", "kernel", "dtype", "precision", "symmetry", "skip"};
constexpr const char* kBuild[] = {"revision", "dirty"};

/// Those fields of a row, joined.
template <std::size_t count>
std::string keyOf(const Row& row, const char* const (&columns)[count]) {
  std::string key;
  for (const char* column : columns) key += row.at(column) + "|";
  return key;
}

/// The last part of a path as part of a file's name.
std::string wordOf(const std::string& path) {
  std::string word = path.substr(path.find_last_of('/') + 1).substr(0, 64);
  std::replace_if(
      word.begin(), word.end(), [](unsigned char c) { return !std::isalnum(c); }, '-');
  return word;
}

/// The name of a point's file, less its extension: readable, and a hash of its key.
std::string fileName(const Record& r, const std::string& key) {
  return fmt::format("{}-n{}-{}-{}", wordOf(r.input.substr(0, r.input.find(' '))), r.n,
                     wordOf(r.kernel), textHash(key));
}

std::string pointName(const Record& r, const std::string& verify) {
  const Options& options = r.plan.options;
  return fileName(
      r,
      fmt::format("{:016x}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", r.graph.hash, r.n,
                  r.kernel, r.version, nameOf(r.dtype), nameOf(options.precision), options.symmetry,
                  options.skip, r.device.name, r.device.units, r.device.driver, gitRevision(),
                  gitDirty(), buildDescription(), r.plan.warmup, r.plan.reps, r.plan.vary, verify));
}

std::string planFolder(const std::string& directory) {
  return directory + "/.plan";
}

void makeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw Error(Exit::kOutput, fmt::format("{}: {}", path, error.message()));
}

void writeRow(const std::string& path, const std::string& row) {
  OutputFile(path).finish(csvHeader() + row);
}

/// A point that is whole and not wrong need not be measured again.
bool isDone(const std::string& path) {
  try {
    const std::vector<Row> rows = readRecords(path);
    return rows.size() == 1 && rows[0].at("verified") != "WRONG";
  } catch (const std::exception&) {
    return false;  // absent, or not one of ours: measure it
  }
}

[[noreturn]] void failed(const std::string& path) {
  throw Error(Exit::kOutput, fmt::format("{}: {}", path, std::strerror(errno)));
}

}  // namespace

Point::Point(const std::string& directory, const Record& planned, const std::string& verify) {
  const std::string name = pointName(planned, verify), locks = directory + "/.locks";
  makeFolder(locks);
  path_ = directory + "/" + name + ".csv";

  const std::string lockPath = locks + "/" + name;
  lock_ = open(lockPath.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) failed(lockPath);
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) failed(lockPath);
    char holder[200] = "";
    if (pread(lock_, holder, sizeof holder - 1, 0) <= 0) std::strcpy(holder, "another process");
    skip_ = fmt::format("held by {}", holder);
  } else if (isDone(path_)) {
    skip_ = fmt::format("already in {}", path_);
  } else {
    const std::string holder =
        fmt::format("process {} on {}{} since {}", getpid(), hostName(),
                    slurmJob().empty() ? "" : ", job " + slurmJob(), timestamp());
    if (ftruncate(lock_, 0) != 0 || pwrite(lock_, holder.data(), holder.size(), 0) < 0)
      failed(lockPath);
  }
}

Point::~Point() {
  // Closing frees the lock; the file stays, for removing it would race with others.
  if (lock_ >= 0) close(lock_);
}

void Point::write(const Record& record) const {
  writeRow(path_, csvRow(record));
}

void planPoint(const std::string& directory, const Record& planned, const std::string& verify) {
  Record record = planned;
  record.verdict.how = verify;
  const std::string row = csvRow(record), folder = planFolder(directory);
  makeFolder(folder);
  const Row fields = parseCsv(directory, csvHeader() + row)[0];
  writeRow(fmt::format("{}/{}.csv", folder, fileName(record, keyOf(fields, kAsked))), row);
}

std::vector<Row> readPlan(const std::vector<std::string>& paths) {
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    std::error_code error;
    if (std::filesystem::is_directory(planFolder(path), error)) folders.push_back(planFolder(path));
  }
  return readPoints(folders);
}

std::vector<Row> missingPoints(const std::vector<Row>& plan, const std::vector<Row>& rows) {
  std::vector<Row> missing;
  for (const Row& planned : plan) {
    const auto standsForIt = [&](const Row& row) {
      const std::string& verdict = row.at("verified");
      return keyOf(row, kAsked) == keyOf(planned, kAsked) &&
             keyOf(row, kBuild) == keyOf(planned, kBuild) && verdict != "WRONG" &&
             (verdict != "no" || planned.at("verified") == "no");
    };
    if (std::none_of(rows.begin(), rows.end(), standsForIt)) missing.push_back(planned);
  }
  return missing;
}

std::vector<Row> readPoints(const std::vector<std::string>& paths) {
  std::vector<Row> rows;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      for (Row& row : readRecords(path)) rows.push_back(std::move(row));
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() != ".csv") continue;
      for (Row& row : readRecords(entry.path().string())) rows.push_back(std::move(row));
    }
  }
  const auto order = [](Row& row) {
    const std::string& input = row["input"];
    return std::tuple(row["device_name"], std::atoi(row["n"].c_str()), input, row["dtype"] != "i32",
                      row["kernel"] != "ref", row["kernel"], row["time"]);
  };
  std::sort(rows.begin(), rows.end(), [&](Row& a, Row& b) { return order(a) < order(b); });
  return rows;
}
