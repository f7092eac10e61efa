// Reads graph files, and writes graphs and distances. Each format has a file of its own in this
// folder, which describes it: bin.cpp, gr.cpp, mtx.cpp, npy.cpp, edge_list.cpp, tsv.cpp.
// formats.cpp has the table of all of them, and format.h says how to add one.
//
// Common rules. Text files may be gzipped, in one member or several. In text, CRLF, a byte order
// mark, blank lines and a missing final newline are accepted. In a dense matrix (dense .bin, .npy,
// array .mtx) −1, kInf and +Inf mean "no edge", and 0 off the diagonal is an edge of weight 0.
//
// Weights are int32, 0 ≤ w < kInf, or float32, w ≥ 0. Edge lists, real .mtx and real .npy files may
// hold reals. If all weights are whole they become int32, else the nearest float32; +inf is no
// edge. A number of digits only that an int32 cannot hold is an error unless float32 is asked for.
// Integer files become int32; if float32 is asked for, the nearest float32.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/graph.h"
#include "io/output.h"

struct ReadOptions {
  std::string format;               ///< a name from the table; empty: by the path's extension
  int base = 0;                     ///< the smallest vertex id in an edge list, 0 or 1
  int vertices = -1;                ///< n of an edge list; −1: see edge_list.cpp
  std::optional<Dtype> dtype = {};  ///< none: see above

  /// How many lines at the beginning of a text file are not read. ≥ 0: every later line of an edge
  /// list that is no comment is an edge. −1: none, and an edge list may begin with a header.
  int skipLines = -1;

  /// readGraph() calls this once, as soon as it knows n: before it allocates memory for the body if
  /// a header or `vertices` gives n, else after it has read the edges. What it throws, readGraph()
  /// throws. dtype: the type asked for, or int32 if none is; then it may still become float32,
  /// which has the same size.
  std::function<void(int n, Dtype dtype)> onSize = {};

  std::vector<std::string> given = {};  ///< options of the command line that must have an effect
};

/// Reads the graph in a file, or in standard input if the path is `-`, which needs options.format.
/// An edge list stays an edge list, a matrix stays a matrix. The memory taken is at most a multiple
/// of the file's size, unpacked, whatever its header says. Throws Error(kInput) with `path:line:`
/// (text) or `path: byte N:` (binary), the expected and the found; Error(kUsage) for an unknown
/// format or extension, and for options that have no effect on the format.
Graph readGraph(const std::string& path, const ReadOptions& options = {});

/// Writes a graph as `format`, or by out.path()'s extension if that is empty, and commits. Throws
/// Error(kUsage) if graphs with such weights are not written in this format.
void writeGraph(OutputFile& out, const Graph& graph, const std::string& format = "");

/// Throws Error(kUsage), with the choices, if writeGraph() would.
void checkGraphFormat(const std::string& path, const std::string& format = "",
                      Dtype dtype = Dtype::kInt32);

/// Writes n×n distances, row-major in host memory, by out.path()'s extension, and commits. Throws
/// Error(kUsage) if such distances are not written in this format.
void writeDistances(OutputFile& out, int n, const int* distances, Dtype dtype = Dtype::kInt32);

/// The same for a matrix that is not in memory as a whole. rows(first, count) must return `count`
/// rows from row `first` on, valid until the next call. It is called for all rows in ascending
/// order, a few megabytes at a time.
void writeDistances(OutputFile& out, int n,
                    const std::function<const int*(int first, int count)>& rows, Dtype dtype);

/// Throws Error(kUsage), with the choices, if writeDistances() would.
void checkDistancesFormat(const std::string& path, Dtype dtype = Dtype::kInt32);

/// The fewest bytes that n×n distances take in the file that writeDistances() makes of `path`.
std::uint64_t distancesBytes(const std::string& path, int n);

/// The formats that readGraph() and writeGraph() take by name, and the extensions that
/// writeDistances() takes, for help and completion.
std::vector<std::string> readableFormats();
std::vector<std::string> writableFormats();
std::vector<std::string> distancesExtensions();
