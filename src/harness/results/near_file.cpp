#include "results/near_file.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <climits>
#include <exception>
#include <iterator>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_team.h"
#include "io/csv.h"
#include "io/formats/matrices.h"
#include "io/formats/npy_header.h"
#include "io/text.h"
#include "io/zip.h"
#include "results/names.h"
#include "system/utf8.h"

namespace {

/// The places of a row's distances by ascending column.
std::vector<std::size_t> byColumn(const SparseRows& rows, int i) {
  std::vector<std::size_t> order(rows.count(i));
  std::iota(order.begin(), order.end(), std::size_t{0});
  const int* const columns = rows.columnsOf(i);
  if (!std::is_sorted(columns, columns + order.size()))
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return columns[a] < columns[b]; });
  return order;
}

int sourceOf(const NearForm& form, int row) {
  return form.asked == nullptr ? row : form.asked->source(row);
}

int targetOf(const NearForm& form, int column) {
  return form.asked == nullptr ? column : form.asked->target(column);
}

/// The lines of some rows are formatted together: so many lines, if there are that many.
constexpr std::size_t kLinesTogether = 1 << 14;

/// Appends the lines of row i to a text.
void appendLines(std::string& text, const SparseRows& rows, const NearForm& form,
                 const Names& names, int i, char separator) {
  const auto field = [&](int vertex) { return nameField(names(vertex), separator); };
  const auto paths = form.paths ? form.paths(i) : std::vector<std::vector<int>>();
  const std::string from = field(sourceOf(form, i));
  std::string path;
  withElements(rows.distances(i), [&](const auto* distances) {
    for (std::size_t k = 0; k < rows.count(i); ++k) {
      fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}{}{}{}{}"), from, separator,
                     field(targetOf(form, rows.columnsOf(i)[k])), separator, distances[k]);
      if (form.paths) {
        path.clear();
        for (const int vertex : paths[k]) {
          if (!path.empty()) path += ' ';
          names.appendTo(path, vertex);
        }
        text += separator + nameField(path, separator);
      }
      text += '\n';
    }
  });
}

/// The row after those whose lines are formatted together with row `first`. Paths may be as long as
/// there are vertices, so there are few rows with paths.
int endOfBlock(const SparseRows& rows, int first, bool paths) {
  if (paths) return std::min(rows.rowCount(), first + 2 * omp_get_max_threads());
  std::size_t lines = 0;
  int end = first;
  while (end < rows.rowCount() && lines < kLinesTogether) lines += 1 + rows.count(end++);
  return end;
}

/// Does work(i) for 0 ≤ i < count by all threads. Throws what it throws: the rest is not done then.
template <class Work>
void doAll(int count, const Work& work) {
  constexpr int kTasks = 64;
  std::exception_ptr thrown;
  std::mutex mutex;
  inParts(count, 1 + count / kTasks, [&](int from, int to) {
    try {
      for (int i = from; i < to; ++i) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
    }
  });
  if (thrown) std::rethrow_exception(thrown);
}

void writeLines(OutputFile& out, const SparseRows& rows, const NearForm& form, char separator) {
  const Names names(form.n, form.names);
  TextOutput text(out, asSize(rows.rowCount()));
  text.print("from{0}to{0}distance{1}\n", separator,
             form.paths ? std::string(1, separator) + "path" : "");
  std::vector<std::string> lines;  // of each row
  for (int first = 0, end = 0; first < rows.rowCount(); first = end) {
    end = endOfBlock(rows, first, form.paths != nullptr);
    lines.assign(asSize(end - first), "");
    doAll(end - first,
          [&](int i) { appendLines(lines[asSize(i)], rows, form, names, first + i, separator); });
    for (const std::string& row : lines) text.print(FMT_COMPILE("{}"), row);
  }
  text.flush();
}

void writeCoordinates(OutputFile& out, const SparseRows& rows, const NearForm&) {
  TextOutput text(out, rows.entries());
  text.print("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
             isWhole(rows.dtype()) ? "integer" : "real", rows.rowCount(), rows.columns(),
             rows.entries());
  for (int i = 0; i < rows.rowCount(); ++i)
    withElements(rows.distances(i), [&](const auto* distances) {
      for (const std::size_t k : byColumn(rows, i)) {
        text.print(FMT_COMPILE("{} {} {}\n"), i + 1, rows.columnsOf(i)[k] + 1, distances[k]);
      }
    });
  text.flush();
}

#ifdef HAVE_zip
template <class T>
void append(std::string& bytes, T number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Appends the columns and distances of row i by ascending column. An index may have 64 bits.
template <class Index>
void appendRow(std::string& indices, std::string& data, const SparseRows& rows, int i) {
  const int* const columns = rows.columnsOf(i);
  const std::size_t count = rows.count(i);
  withElements(rows.distances(i), [&](const auto* distances) {
    if (std::is_sorted(columns, columns + count)) {
      const std::vector<Index> wide(columns, columns + count);
      indices.append(reinterpret_cast<const char*>(wide.data()), count * sizeof(Index));
      data.append(reinterpret_cast<const char*>(distances), count * sizeof *distances);
      return;
    }
    for (const std::size_t k : byColumn(rows, i)) {
      append(indices, static_cast<Index>(columns[k]));
      append(data, distances[k]);
    }
  });
}

/// The vertices of the rows or columns of a table, as a member of the archive.
std::string verticesOf(const std::vector<int>& vertices) {
  std::string bytes = npyHeader("<i4", fmt::format("{},", vertices.size()));
  for (const int vertex : vertices) append(bytes, vertex);
  return bytes;
}

template <class Index>
void writeCsr(OutputFile& out, const SparseRows& rows, const NearForm& form, const char* descr) {
  const std::size_t entries = rows.entries(), count = asSize(rows.rowCount());
  requireHostBytes(2 * (entries * (sizeof(Index) + sizeOf(rows.dtype())) + count * sizeof(Index)),
                   "the archive to write");  // libzip makes another copy
  std::string indices = npyHeader(descr, fmt::format("{},", entries));
  std::string data = npyHeader(npyName(rows.dtype()), fmt::format("{},", entries));
  std::string offsets = npyHeader(descr, fmt::format("{},", count + 1));
  indices.reserve(indices.size() + entries * sizeof(Index));
  data.reserve(data.size() + entries * sizeOf(rows.dtype()));
  Index sum = 0;
  append(offsets, sum);
  for (int i = 0; i < rows.rowCount(); ++i) {
    appendRow<Index>(indices, data, rows, i);
    sum += static_cast<Index>(rows.count(i));
    append(offsets, sum);
  }
  std::string shape = npyHeader("<i8", "2,");
  append(shape, std::int64_t{rows.rowCount()});
  append(shape, std::int64_t{rows.columns()});
  std::vector<std::pair<std::string, std::string>> members;
  members.emplace_back("indices.npy", std::move(indices));
  members.emplace_back("indptr.npy", std::move(offsets));
  members.emplace_back("format.npy", npyHeader("|S3", "") + "csr");
  members.emplace_back("shape.npy", std::move(shape));
  members.emplace_back("data.npy", std::move(data));
  if (form.asked != nullptr && !form.asked->sources.empty())
    members.emplace_back("sources.npy", verticesOf(form.asked->sources));
  if (form.asked != nullptr && !form.asked->targets.empty())
    members.emplace_back("targets.npy", verticesOf(form.asked->targets));
  writeZip(out, members);
}

void writeArchive(OutputFile& out, const SparseRows& rows, const NearForm& form) {
  rows.entries() <= INT_MAX ? writeCsr<std::int32_t>(out, rows, form, "<i4")
                            : writeCsr<std::int64_t>(out, rows, form, "<i8");
}
#endif

struct Ending {
  const char* ending;
  bool paths;  ///< it can have paths
  void (*write)(OutputFile& out, const SparseRows& rows, const NearForm& form);
};

constexpr Ending kEndings[] = {
#ifdef HAVE_zip
    {".npz", false, writeArchive},
#endif
    {".mtx", false, writeCoordinates},
    {".tsv", true,
     [](OutputFile& out, const SparseRows& rows, const NearForm& form) {
       writeLines(out, rows, form, '\t');
     }},
    {".csv", true,
     [](OutputFile& out, const SparseRows& rows, const NearForm& form) {
       writeLines(out, rows, form, ',');
     }},
};

const Ending& endingOf(const std::string& path) {
  const std::string wanted = isStandardOutput(path) ? ".tsv" : path;
  for (const Ending& each : kEndings) {
    const std::string ending = each.ending;
    if (wanted.size() >= ending.size() &&
        wanted.compare(wanted.size() - ending.size(), ending.size(), ending) == 0)
      return each;
  }
  throw Error(ErrorCode::kUsage, fmt::format("{}: distances of some pairs are written as {}",
                                             oneLine(path), fmt::join(nearExtensions(), ", ")));
}

}  // namespace

std::vector<std::string> nearExtensions() {
  std::vector<std::string> all;
  for (const Ending& each : kEndings) all.emplace_back(each.ending);
  return all;
}

void checkNearFormat(const std::string& path, bool paths) {
  if (!endingOf(path).paths && paths)
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: paths are written as .tsv or .csv only", oneLine(path)));
}

void writeNear(OutputFile& out, const SparseRows& rows, const NearForm& form) {
  endingOf(out.path()).write(out, rows, form);
  out.commit();
}
