// tsv and csv. Graphs in such files are edge lists (edge_list.cpp), and are not written. Distances:
//
//   a matrix   a line for each source, with tabs or commas between the distances. Above them a line
//              with the names of the targets, and before each line the name of its source. A .tsv
//              has names only if the graph's file has
//   pairs      a line `from,to,distance`, and such a line for each pair. Pairs without a path are
//              left out, unless a number for them is asked for
//
// Where there is no path, `inf` is written. Of a real distance there are as many digits as tell it
// from others of its type. Names are quoted as RFC 4180 says.
#include <fmt/compile.h>

#include <cmath>

#include "base/size.h"
#include "io/csv.h"
#include "io/formats/edge_list.h"
#include "io/formats/matrices.h"
#include "io/text.h"

namespace {

std::vector<std::string> quoted(const std::vector<std::string>& names, char separator) {
  std::vector<std::string> fields;
  fields.reserve(names.size());
  for (const std::string& name : names) fields.push_back(nameField(name, separator));
  return fields;
}

class Writer {
 public:
  Writer(OutputFile& out, const DistancesForm& form, char separator)
      : form_(form),
        separator_(separator),
        // Each distance, and what is before it.
        text_(out, 2 * static_cast<std::uint64_t>(form.shape.rows) *
                       static_cast<std::uint64_t>(form.shape.columns)),
        rows_(quoted(form.rows, separator)),
        columns_(quoted(form.columns, separator)) {}

  void write(const ForEachRows& forEachRows) {
    if (form_.pairs)
      text_.print(FMT_COMPILE("from{0}to{0}distance\n"), separator_);
    else if (!columns_.empty())
      writeHeader();
    std::size_t row = 0;
    forEachRows([&](int count, ConstElements rows) {
      withElements(rows, [&](const auto* distances) {
        for (int i = 0; i < count; ++i, ++row, distances += form_.shape.columns)
          form_.pairs ? writePairs(row, distances) : writeRow(row, distances);
      });
    });
    text_.flush();
  }

 private:
  void writeHeader() {
    for (const std::string& column : columns_) text_.print(FMT_COMPILE("{}{}"), separator_, column);
    text_.print(FMT_COMPILE("\n"));
  }

  template <class T>
  void writeRow(std::size_t row, const T* distances) {
    if (!rows_.empty()) text_.print(FMT_COMPILE("{}{}"), rows_[row], separator_);
    for (int j = 0; j < form_.shape.columns; ++j) {
      if (j > 0) text_.print(FMT_COMPILE("{}"), separator_);
      writeDistance(distances[j]);
    }
    text_.print(FMT_COMPILE("\n"));
  }

  template <class T>
  void writePairs(std::size_t row, const T* distances) {
    for (int j = 0; j < form_.shape.columns; ++j) {
      if (distances[j] == kInfinity<T> && !form_.unreached) continue;
      text_.print(FMT_COMPILE("{}{}{}{}"), rows_[row], separator_, columns_[asSize(j)], separator_);
      writeDistance(distances[j]);
      text_.print(FMT_COMPILE("\n"));
    }
  }

  template <class T>
  void writeDistance(T distance) {
    if (distance == kInfinity<T>) {
      if (number_) return text_.print(FMT_COMPILE("{}"), *number_);
      return text_.print(FMT_COMPILE("inf"));
    }
    if (number_ && distance == static_cast<T>(*number_)) failAsDistance(*number_);
    text_.print(FMT_COMPILE("{}"), distance);
  }

  const DistancesForm& form_;
  const char separator_;
  TextOutput text_;
  const std::vector<std::string> rows_, columns_;
  const std::optional<std::int64_t> number_ = form_.number();  // in place of inf
};

template <char separator>
void writeSeparated(OutputFile& out, const DistancesForm& form, const ForEachRows& forEachRows) {
  Writer(out, form, separator).write(forEachRows);
}

constexpr Format separated(const char* name, const char* extension, Format::Naming naming,
                           decltype(Format::read) read, decltype(Format::writeDistances) write) {
  Format format;
  format.name = name;
  format.extensions = {extension};
  format.text = true;
  format.dtypes = kAllDtypes;
  format.options = kEdgeListOptions;
  format.read = read;
  format.writeDistances = write;
  format.tables = true;
  format.pairs = true;
  format.naming = naming;
  format.distanceBytes = 2;  // a digit and a separator
  return format;
}

}  // namespace

constexpr Format kTsv =
    separated("tsv", ".tsv", Format::Naming::kIfNamed, readTsv, writeSeparated<'\t'>);
constexpr Format kCsv =
    separated("csv", ".csv", Format::Naming::kAlways, readCsv, writeSeparated<','>);
