#include "measure/result_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <tuple>

#include "base/error.h"
#include "generate/families.h"
#include "io/output.h"
#include "io/unwritable.h"
#include "measure/tables.h"
#include "system/environment.h"

namespace {

/// The name of a result's file without its extension: a readable part and a hash of its key.
std::string fileName(const Record& r, const std::string& key) {
  return fmt::format("{}-n{}-{}-{}", safeName(r.input.substr(0, r.input.find(' '))), r.n,
                     safeName(r.kernel), textHash(key));
}

/// The names of the graph and the kernel, and the options.
std::string namesOf(const Record& r) {
  const Options& options = r.measuring.options;
  std::string input = r.input;
  if (r.measuring.drawn) {  // any seed does
    const std::string seed = fmt::format(" seed={}", r.seed.value());
    input.replace(input.find(seed), seed.size(), fmt::format(" seed={}", Spec().seed));
  }
  const std::string names =
      fmt::format("{}|{}|{}|{}|{}|{}|{}", input, r.n, r.kernel, nameOf(r.dtype),
                  nameOf(options.precision), options.symmetry, options.skip);
  return options.method == Method::kAuto ? names : names + "|" + nameOf(options.method);
}

std::string resultName(const Record& r) {
  return fileName(r, fmt::format("{}|{}|{}|{}|{}|{}|{}", r.point, r.device.name, r.device.units,
                                 r.device.driver, gitRevision(), gitDirty(), buildDescription()));
}

std::string planFolder(const std::string& directory) {
  return directory + "/.plan";
}

void makeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    throw Error(ErrorCode::kOutput, fmt::format("{}: {}{}", path, error.message(),
                                                adviceOnWriting(path, error.value())));
}

void writeRow(const std::string& path, const std::string& row) {
  OutputFile(path).finish(csvHeader() + row);
}

/// The result in a file if it is complete and not wrong, and need not be measured again.
std::optional<Row> doneIn(const std::string& path) {
  try {
    const std::vector<Row> rows = readRecords(path);
    if (rows.size() == 1 && !failed(rows[0])) return rows[0];
  } catch (const std::exception&) {  // missing or incomplete: measure it
  }
  return std::nullopt;
}

/// The file that a process locks while it measures the result; makes its folder.
std::string lockFile(const std::string& directory, const Record& planned) {
  const std::string locks = directory + "/.locks";
  makeFolder(locks);
  return locks + "/" + resultName(planned);
}

}  // namespace

std::string safeName(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1).substr(0, 64);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '-');
  return name;
}

std::string pointId(Record r, const std::string& verify) {
  if (!r.seed)
    r.input = fmt::format("{:016x}", r.graph.hash);  // another graph may have the file's name
  const std::string ranks = r.sharing.ranks == 1 ? ""
                                                 : fmt::format("|{} ranks, {}", r.sharing.ranks,
                                                               gridText(r.sharing.grid));
  return textHash(fmt::format("{}|{}|{}|{}|{}|{}{}", namesOf(r), r.version, r.measuring.warmup,
                              r.measuring.reps, r.measuring.vary, verify, ranks));
}

PendingResult::PendingResult(const std::string& directory, const Record& planned, bool again)
    : lock_(lockFile(directory, planned), FileLock::kTry),
      path_(directory + "/" + resultName(planned) + ".csv") {
  if (!lock_.holder().empty())
    skip_ = "held by " + lock_.holder();
  else if (!again && (kept_ = doneIn(path_)))
    skip_ = "already in " + path_;
  else
    lock_.sign();
}

void PendingResult::write(const Record& record) const {
  writeRow(path_, csvRow(record));
}

void planResult(const std::string& directory, const Record& planned) {
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
  return readResults(folders);
}

namespace {

/// The result that was planned, a right one if there is one; nullptr if there is none.
const Row* resultOf(const Row& planned, const std::vector<Row>& rows) {
  const Row* found = nullptr;
  for (const Row& row : rows) {
    const auto same = [&](const char* column) { return row.at(column) == planned.at(column); };
    if (!same("point") || !same("revision") || !same("dirty")) continue;
    if (found == nullptr || !failed(row)) found = &row;
  }
  return found;
}

}  // namespace

std::vector<Row> missingResults(const std::vector<Row>& plan, const std::vector<Row>& rows) {
  std::vector<Row> missing;
  for (const Row& planned : plan)
    if (resultOf(planned, rows) == nullptr) missing.push_back(planned);
  return missing;
}

std::vector<Row> wrongResults(const std::vector<Row>& plan, const std::vector<Row>& rows) {
  std::vector<Row> wrong;
  for (const Row& planned : plan) {
    const Row* const row = resultOf(planned, rows);
    if (row != nullptr && failed(*row)) wrong.push_back(*row);
  }
  return wrong;
}

namespace {

/// Where a type is in the order of Dtype; after all of them if it is none.
std::ptrdiff_t orderOf(const std::string& dtype) {
  const auto* const found = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                         [&](Dtype one) { return dtype == nameOf(one); });
  return found - std::begin(kDtypes);
}

}  // namespace

std::vector<Row> readResults(const std::vector<std::string>& paths) {
  std::vector<Row> rows;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      for (Row& row : readRecords(path)) rows.push_back(std::move(row));
      continue;
    }
    const std::filesystem::directory_iterator entries(path, error);
    if (error) throw Error(ErrorCode::kInput, fmt::format("{}: {}", path, error.message()));
    for (const auto& entry : entries) {
      if (entry.path().extension() != ".csv") continue;
      for (Row& row : readRecords(entry.path().string())) rows.push_back(std::move(row));
    }
  }
  const auto order = [](Row& row) {
    return std::tuple(row["device_name"], std::atoi(row["n"].c_str()), orderOf(row["dtype"]),
                      graphsOf(row), row["kernel"] != "ref", row["kernel"], row["time"]);
  };
  std::sort(rows.begin(), rows.end(), [&](Row& a, Row& b) {
    const auto left = order(a), right = order(b);
    return left != right ? left < right : a < b;
  });
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());  // a CSV file may repeat the store
  return rows;
}
