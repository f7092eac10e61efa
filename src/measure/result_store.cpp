#include "measure/result_store.h"

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

#include "core/environment.h"
#include "core/error.h"
#include "io/output.h"

namespace {

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

/// What is solved by what: the names of the graph and the kernel, and the options.
std::string namesOf(const Record& r) {
  const Options& options = r.plan.options;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}", r.input, r.n, r.kernel, nameOf(r.dtype),
                     nameOf(options.precision), options.symmetry, options.skip);
}

std::string pointName(const Record& r) {
  return fileName(r, fmt::format("{}|{}|{}|{}|{}|{}|{}", r.point, r.device.name, r.device.units,
                                 r.device.driver, gitRevision(), gitDirty(), buildDescription()));
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
    return rows.size() == 1 && !failed(rows[0]);
  } catch (const std::exception&) {
    return false;  // absent, or not one of ours: measure it
  }
}

[[noreturn]] void failed(const std::string& path) {
  throw Error(Exit::kOutput, fmt::format("{}: {}", path, std::strerror(errno)));
}

}  // namespace

std::string pointOf(Record r, const std::string& verify) {
  if (r.seed.empty())
    r.input = fmt::format("{:016x}", r.graph.hash);  // a file's name may be another's
  return textHash(fmt::format("{}|{}|{}|{}|{}|{}", namesOf(r), r.version, r.plan.warmup,
                              r.plan.reps, r.plan.vary, verify));
}

Point::Point(const std::string& directory, const Record& planned) {
  const std::string name = pointName(planned), locks = directory + "/.locks";
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

void planPoint(const std::string& directory, const Record& planned) {
  const std::string folder = planFolder(directory);
  makeFolder(folder);
  writeRow(fmt::format("{}/{}.csv", folder, fileName(planned, namesOf(planned))), csvRow(planned));
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
    const auto same = [&](const Row& row, const char* column) {
      return row.at(column) == planned.at(column);
    };
    const auto standsForIt = [&](const Row& row) {
      return same(row, "point") && same(row, "revision") && same(row, "dirty") && !failed(row);
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
    const std::filesystem::directory_iterator entries(path, error);
    if (error) throw Error(Exit::kInput, fmt::format("{}: {}", path, error.message()));
    for (const auto& entry : entries) {
      if (entry.path().extension() != ".csv") continue;
      for (Row& row : readRecords(entry.path().string())) rows.push_back(std::move(row));
    }
  }
  const auto order = [](Row& row) {
    const std::string& input = row["input"];
    return std::tuple(row["device_name"], std::atoi(row["n"].c_str()), input, row["dtype"] != "i32",
                      row["kernel"] != "ref", row["kernel"], row["time"]);
  };
  std::sort(rows.begin(), rows.end(), [&](Row& a, Row& b) {
    const auto left = order(a), right = order(b);
    return left != right ? left < right : a < b;
  });
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());  // a CSV file of the same records
  return rows;
}
