#include "several/checkpoint.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <vector>

#include "base/elements.h"
#include "base/error.h"
#include "base/size.h"

namespace engine {

namespace fs = std::filesystem;

namespace {

constexpr char kMagic[8] = {'a', 'p', 's', 'p', 'p', 'r', 't', '1'};
constexpr char kEnding[] = ".part";

/// Every border of a part is a multiple of this, or the end of the matrix.
constexpr int kGrain = 64;

/// What a file begins with. The elements of the part follow, row by row.
struct Header {
  char magic[8];
  std::uint64_t hash;
  int n, dtype, pivots;
  Band rows, columns;
};

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

struct Saved {
  fs::path path;
  Header header;
};

/// The elements of a part.
std::size_t countOf(Band rows, Band columns) {
  return asSize(rows.count) * asSize(columns.count);
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorCode::kInput,
              fmt::format("{}: {}: give another folder, or do not resume", path.string(), why));
}

/// The saved parts in a folder, those of early rounds first.
std::vector<Saved> savedIn(const std::string& folder, const SavedGraph& graph) {
  std::vector<Saved> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != kEnding) continue;
    Saved saved{entry.path(), {}};
    const File file(std::fopen(saved.path.c_str(), "rb"));
    const bool read = file && std::fread(&saved.header, sizeof(Header), 1, file.get()) == 1 &&
                      std::equal(kMagic, kMagic + sizeof kMagic, saved.header.magic);
    if (!read) refuse(saved.path, "not a saved part");
    const Header& header = saved.header;
    if (header.n != graph.n || header.dtype != static_cast<int>(graph.dtype) ||
        header.hash != graph.hash)
      refuse(saved.path, "a part of another graph");
    if (entry.file_size() !=
        sizeof(Header) + countOf(header.rows, header.columns) * sizeOf(graph.dtype))
      refuse(saved.path, "cut off");
    all.push_back(saved);
  }
  std::sort(all.begin(), all.end(),
            [](const Saved& a, const Saved& b) { return a.header.pivots < b.header.pivots; });
  return all;
}

/// The columns of a row that are in both bands, from the file into `row`.
void copyRow(const Saved& saved, std::FILE* file, int i, Band columns, Elements row) {
  const Header& header = saved.header;
  const int first = std::max(columns.first, header.columns.first);
  const int end = std::min(columns.end(), header.columns.end());
  if (first >= end) return;
  const std::size_t at =
      countOf({0, i - header.rows.first}, header.columns) + asSize(first - header.columns.first);
  const std::size_t count = asSize(end - first), bytes = sizeOf(row.dtype());
  const bool read =
      fseeko(file, static_cast<off_t>(sizeof(Header) + at * bytes), SEEK_SET) == 0 &&
      std::fread((row + asSize(first - columns.first)).data(), bytes, count, file) == count;
  if (!read) refuse(saved.path, "cannot be read");
}

bool covers(Band outer, Band inner) {
  return outer.first <= inner.first && inner.end() <= outer.end();
}

}  // namespace

void savePart(const std::string& folder, const SavedGraph& graph, const Part& part, int pivots) {
  const Band rows = part.rows(), columns = part.columns();
  if (countOf(rows, columns) == 0) return;
  Header header{{}, graph.hash, graph.n, static_cast<int>(graph.dtype), pivots, rows, columns};
  std::copy_n(kMagic, sizeof kMagic, header.magic);
  const std::string name = fmt::format("{}/{}-{}-{}-{}{}", folder, rows.first, rows.count,
                                       columns.first, columns.count, kEnding);
  const std::string temporary = name + ".tmp";
  const auto fail = [&] {
    std::remove(temporary.c_str());
    throw Error(ErrorCode::kOutput, temporary + ": cannot be written: is the disk full?");
  };
  std::error_code error;
  fs::create_directories(folder, error);
  std::remove(temporary.c_str());  // of a killed run; "x": through no link of another user
  File file(std::fopen(temporary.c_str(), "wbx"));
  if (!file || std::fwrite(&header, sizeof header, 1, file.get()) != 1) fail();
  const int band = std::max(1, std::min(rows.count, (1 << 24) / columns.count));
  ElementBuffer buffer(graph.dtype, countOf({0, band}, columns));
  for (int first = rows.first; first < rows.end(); first += band) {
    const Band some{first, std::min(band, rows.end() - first)};
    part.get(some, buffer.data());
    const std::size_t count = countOf(some, columns);
    if (std::fwrite(buffer.data().data(), sizeOf(graph.dtype), count, file.get()) != count) fail();
  }
  if (std::fflush(file.get()) != 0 || fsync(fileno(file.get())) != 0) fail();
  if (std::rename(temporary.c_str(), name.c_str()) != 0) fail();
}

int loadPart(const std::string& folder, const SavedGraph& graph, Part& part) {
  const Band rows = part.rows(), columns = part.columns();
  const std::vector<Saved> all = savedIn(folder, graph);
  ElementBuffer row(graph.dtype, asSize(columns.count));
  for (const Saved& saved : all) {  // later rounds last
    const File file(std::fopen(saved.path.c_str(), "rb"));
    if (!file) refuse(saved.path, "cannot be read");
    for (int i = std::max(rows.first, saved.header.rows.first);
         i < std::min(rows.end(), saved.header.rows.end()); ++i) {
      part.get({i, 1}, row.data());
      copyRow(saved, file.get(), i, columns, row.data());
      part.put({i, 1}, row.data());
    }
  }
  // Of every block, the last round in which it was saved whole; of all blocks, the first of these.
  int done = std::numeric_limits<int>::max();
  for (int i = rows.first; i < rows.end(); i += kGrain) {
    for (int j = columns.first; j < columns.end(); j += kGrain) {
      int pivots = 0;
      for (const Saved& saved : all) {
        const Header& header = saved.header;
        if (covers(header.rows, {i, std::min(kGrain, rows.end() - i)}) &&
            covers(header.columns, {j, std::min(kGrain, columns.end() - j)}))
          pivots = header.pivots;
      }
      done = std::min(done, pivots);
    }
  }
  return countOf(rows, columns) == 0 ? graph.n : done;
}

void removeParts(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == kEnding) parts.push_back(entry.path());
  for (const fs::path& part : parts) fs::remove(part, error);
}

}  // namespace engine
