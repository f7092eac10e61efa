// tsv. Distances: a line for each source, tabs between the numbers, `inf` for unreachable. Graphs
// are edge lists (edge_list.cpp), and are not written.
#include <fmt/compile.h>

#include "io/formats/edge_list.h"
#include "io/formats/matrices.h"
#include "io/text.h"

namespace {

void writeTsvDistances(OutputFile& out, TableShape shape, const ForEachRows& forEachRows,
                       Dtype dtype) {
  // Each distance, and the tab or newline after it.
  TextOutput text(
      out, 2 * static_cast<std::uint64_t>(shape.rows) * static_cast<std::uint64_t>(shape.columns));
  forEachRows([&](int count, const int* distances) {
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < shape.columns; ++j, ++distances) {
        if (j > 0) text.print(FMT_COMPILE("\t"));
        if (*distances == infinity(dtype)) {
          text.print(FMT_COMPILE("inf"));
        } else {
          withNumber(*distances, dtype, [&](auto d) { text.print(FMT_COMPILE("{}"), d); });
        }
      }
      text.print(FMT_COMPILE("\n"));
    }
  });
  text.flush();
}

}  // namespace

constexpr Format kTsv = [] {
  Format format;
  format.name = "tsv";
  format.extensions = {".tsv"};
  format.text = true;
  format.reals = true;
  format.options = kEdgeListOptions;
  format.read = readTsv;
  format.writeDistances = writeTsvDistances;
  format.tables = true;
  format.distanceBytes = 2;  // a digit and a tab
  return format;
}();
