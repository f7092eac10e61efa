// Graph files in and out, one table of formats for readers, writers, --format, help and tests.
//
//   bin   little-endian int32, told apart by size:
//         an edge list: `V E` + E × `src dst w` (0-based, 8 + 12E bytes)
//         or dense: `m n` (m = n) + n² weights row-major (8 + 4n² bytes; −1 or kInf = no edge).
//         Where both fit (n = 3) it is an edge list. `bin-edges` and `bin-dense` say which.
//   gr    DIMACS shortest paths: `p sp n m`, then m × `a u v w`, 1-based, `c` comments
//   mtx   Matrix Market: coordinate or array; integer, real or pattern (weight 1); general or
//         symmetric
//   npy   NumPy, 2-D square: integers or reals; any byte order, C or Fortran order
//   el    edge list text: `u v [w]`, `#` and `%` comments, missing w = 1; 0-based unless base = 1
//
// In dense .npy and array .mtx −1, kInf and +Inf are no edge and an off-diagonal 0 is an edge of
// weight 0; in coordinate form (i, j) is the edge i→j. Text formats may be gzipped (several members
// too). CRLF, a BOM, blank lines and a missing final newline are accepted in text.
//
// Weights are int32, 0 ≤ w < kInf, or float32, w ≥ 0. Reals (el, real .mtx and .npy) become int32
// where all of them are whole, else the nearest float32; +inf is no edge. A number in digits alone
// that an int32 cannot hold is no weight, unless floats are asked for. Integers stay int32, unless
// floats are asked for: then they become the nearest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph.h"
#include "io/output.h"

struct ReadOptions {
  std::string format;               ///< a name from the table; empty: by the path's extension
  int base = 0;                     ///< the smallest vertex id of an edge list text, 0 or 1
  int vertices = -1;                ///< n of an edge list text; −1: the largest id + 1
  std::optional<Dtype> dtype = {};  ///< none: by the weights
};

/// A file, or standard input for `-` (which needs options.format). Readers never densify and never
/// allocate for more than the file's real size can justify. Throws Error(kInput) with
/// `path:line:` (text) or `path: byte N:` (binary), what was expected and what was found;
/// Error(kUsage) for an unknown format or extension.
Graph readGraph(const std::string& path, const ReadOptions& options = {});

/// Writes a graph as `format` (empty: by out.path()'s extension) and commits. `bin` takes the
/// smaller layout, edges on a tie and always for n = 3. Throws Error(kUsage) where the format has
/// no writer, or none for weights of this type.
void writeGraph(OutputFile& out, const Graph& graph, const std::string& format = "");

/// Throws Error(kUsage), naming the choices, unless writeGraph (or writeDistances) can write
/// weights of that type to `path`.
void checkGraphFormat(const std::string& path, const std::string& format = "",
                      Dtype dtype = Dtype::kInt32);
void checkDistancesFormat(const std::string& path, Dtype dtype = Dtype::kInt32);

/// The least bytes that n×n distances take as writeDistances writes them to `path`.
std::uint64_t distancesBytes(const std::string& path, int n);

/// Writes n×n distances (host memory) by out.path()'s extension and commits: .npy (int32 or
/// float32), .bin (n² int32 without a header, kInf = unreachable; no graph file), .tsv (a row per
/// source, tabs, `inf` = unreachable).
void writeDistances(OutputFile& out, int n, const int* distances, Dtype dtype = Dtype::kInt32);

/// The names that ReadOptions::format takes, for help and completion.
std::vector<std::string> formatNames();
