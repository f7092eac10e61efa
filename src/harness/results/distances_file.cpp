#include "results/distances_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/size.h"

namespace {

/// Lets all ranks write into one file. Returns whether they did.
bool writeTogether(OutputFile& out, const Distances& distances, const DistancesForm& form,
                   const std::string& format) {
  if (!beginDistances(out, form, format)) return false;
  try {
    if (distances.writeWords(out.temporary(), out.offset())) return true;
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("{}: cannot write: {}", out.path(), error.what()));
  }
  // One rank does not see the file: all rows go through this one.
  distances.rows(0, distances.n(), [&](int, int count, ConstElements rows) {
    out.write(rows.data(), sizeOf(rows.dtype()) * asSize(count) * asSize(distances.n()));
  });
  return true;
}

}  // namespace

DistancesForm formOf(const Distances& distances) {
  return {{distances.rowCount(), distances.columns(), distances.isTable()}, distances.dtype()};
}

void writeDistances(OutputFile& out, const Distances& distances, const DistancesForm& form,
                    const std::string& format) {
  if (distances.onRanks() && writeTogether(out, distances, form, format)) return out.commit();
  const auto rows = [&](const TakeRows& take) {
    distances.rows(0, distances.rowCount(),
                   [&](int, int count, ConstElements elements) { take(count, elements); });
  };
  writeDistances(out, form, rows, format);
}
