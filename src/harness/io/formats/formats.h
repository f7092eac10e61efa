// Reads graph files, and writes graphs and distances. Each format has a file of its own in this
// folder, such as gr.cpp, which describes it. formats.cpp has the table of all of them, and
// format.h says how to add one.
//
// Common rules. Files may be compressed (io/compression.h), in one member or several. In text,
// CRLF, a byte order mark, blank lines and a missing final newline are accepted.
//
// Weights are int32 or int64, 0 ≤ w < infinity, or float32 or float64, w ≥ 0. With --negative whole
// weights lie in −infinity < w < infinity, and real ones may be any finite number. Their type is
// the one that is asked for. If none is, the narrowest that holds all of them as they are:
//
//   text        int32; int64 if one is too large for it; float64 if one is not whole, or too large
//               for int64. A number with a point or an exponent counts as whole up to 2⁵³
//   integers    int32. Of uint32, int64 and uint64, int64 if one does not fit
//   float16/32  int32 if all are whole and fit, else float32
//   float64     int32 if all are whole and fit, int64 if all are whole and at most 2⁵³; float64 if
//               some are not
//
// Whole types refuse fractions. Real types get the nearest numbers, and refuse those that are too
// large. +inf is no edge. −0.0 becomes 0.0.
//
// In a dense matrix (dense .bin, .npy, array .mtx, matrix) an entry 0 off the diagonal is an edge
// of weight 0, or "no edge" if the user asks for that. +inf means "no edge", and so does −1 if
// --negative is not given. So do three whole numbers:
//
//   2⁶² − 1      infinity of int64
//   2⁶³ − 1      what NumPy calls iinfo('int64').max
//   1073741823   kInf, infinity of int32
//
// But text and elements of 8 bytes may hold 1073741823 as a weight. It is one if int64 or float64
// is asked for. If no type is asked for, nobody can tell as soon as another entry does not fit into
// int32, or is one of the other two numbers. Then the file is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apsp.h"
#include "base/graph.h"
#include "io/formats/element.h"
#include "io/formats/file_graph.h"
#include "io/output.h"

struct ReadOptions {
  std::string format;               ///< a name from the table; empty: see readGraph()
  int base = 0;                     ///< the smallest vertex id in an edge list, 0 or 1
  int vertices = -1;                ///< n of an edge list; −1: see edge_list.cpp
  std::optional<Dtype> dtype = {};  ///< none: see above

  /// How many lines at the beginning of a text file are not read. ≥ 0: every later line of an edge
  /// list that is no comment is an edge. −1: none, and an edge list may begin with a header.
  int skipLines = -1;

  /// readGraph() calls this once, as soon as it knows n: before it allocates memory for the body if
  /// a header or `vertices` gives n, else after it has read the edges. What it throws, readGraph()
  /// throws. dtype: the type asked for, or what the type is by then, which may still become a wider
  /// one. edges: the most that there can be; kMatrix: it is a matrix, or nobody
  /// knows.
  std::function<void(int n, Dtype dtype, std::int64_t edges)> onSize = {};
  static constexpr std::int64_t kMatrix = INT64_MAX;

  bool negative = false;       ///< accept weights below 0; then −1 is one in a matrix, too
  Zero zero = Zero::kUnclear;  ///< what 0 off the diagonal of a matrix means
  bool undirected = false;     ///< add the reverse of every edge (addReverses())
  bool hops = false;           ///< every weight becomes 1 (ignoreWeights())
  bool labels = false;         ///< the vertices of an edge list are words, numbered as they appear
  bool compact = false;        ///< keep only the vertices of edges; not for a matrix
  std::string weight = "";     ///< the attribute or column that is the weight; "": `weight`
  bool unweighted = false;     ///< each edge counts 1, whatever attributes it has
  /// Those of an edge list that are source, target and, if there are three, the weight: names in
  /// its header, or numbers from 1, separated by commas as in CSV. "": the first two or three.
  std::string columns = "";
  /// The column of an edge list that says which directions each edge has: its name or number, as
  /// in `columns`. "": each edge leads from source to target.
  std::string oneWay = "";
  /// A column of an edge list, as `oneWay`, that takeShown() gets for each edge. The ends count
  /// from 0 in the order of the file's numbers, also with `compact`. "": it is not called.
  std::string show = "";
  std::function<void(const AnyEdge& edge, const std::string& text)> takeShown = {};
  bool decimalComma = false;   ///< a text has 0,5 for 0.5
  bool emptyIsNoEdge = false;  ///< an empty entry of a matrix as text is no edge, else an error
  /// If no type is asked for: weights of float64 become float32, if that holds them all.
  bool roundReals = false;
  bool fileIds = false;  ///< ReadReport::names has the numbers of a file that counts from 1
  std::vector<std::string> given = {};  ///< options of the command line that must have an effect
};

/// Reads the graph in a file, or in standard input if the path is `-`. Its format is
/// options.format or, if that is empty, by the path's extension. Without an extension, the first
/// bytes tell it (recognise.h), and the message of an error while reading names --format. An edge
/// list stays an edge list, a matrix stays a matrix. With options.labels and options.compact,
/// ReadReport::names has the labels or ids. The memory taken is at most a multiple of the file's
/// size, unpacked, whatever its header says. Throws Error(kInput) with `path:line:` (text) or
/// `path: byte N:` (binary), the expected and the found; Error(kUsage) for an unknown format or
/// extension, and for options that have no effect on the format or the graph. Throws NegativeCycle
/// if a self-loop has a negative weight.
FileGraph readGraph(const std::string& path, const ReadOptions& options = {});

/// Writes a graph as `format`, or by out.path()'s extension if that is empty, and commits. names:
/// as ReadReport::names, and only if keepsNames() says that the file has them. Throws Error(kUsage)
/// if graphs with such weights, or directed graphs, are not written in this format.
void writeGraph(OutputFile& out, const Graph& graph, const std::string& format = "",
                const std::string& names = "");

/// Whether the file that writeGraph() makes of a graph of that type has these names of the
/// vertices.
bool keepsNames(const std::string& path, Dtype dtype, const std::string& names,
                const std::string& format = "");

/// How many edges of weight 0 a file that writeGraph() made has, if it leaves open whether they are
/// edges; 0 if it does not.
std::uint64_t unclearZeros(const std::string& path, const Graph& graph,
                           const std::string& format = "");

/// Throws Error(kUsage), with the choices, if writeGraph() would.
void checkGraphFormat(const std::string& path, const std::string& format = "",
                      Dtype dtype = Dtype::kInt32);

/// How many distances are written: all n×n, or a table of some.
struct TableShape {
  int rows = 0, columns = 0;
  bool table = false;  ///< the rows and columns need not be all vertices

  TableShape(int n) : rows(n), columns(n) {}  // NOLINT: n×n distances are a shape
  TableShape(int rowCount, int columnCount, bool isTable)
      : rows(rowCount), columns(columnCount), table(isTable) {}
};

/// The narrow elements that are asked for: of so many bits, or of the fewest that hold all
/// distances.
enum class Narrow { kNo, k8, k16, kLeast };

/// How distances are written, and what is written beside them.
struct DistancesForm {
  DistancesForm(TableShape itsShape = 0, Dtype type = Dtype::kInt32)  // NOLINT: of this shape
      : shape(itsShape), dtype(type) {}

  TableShape shape;
  Dtype dtype;  ///< of the distances
  /// What stands where there is no path: infinity, or a whole number that is not 0. None: what the
  /// format has if nobody asks.
  std::optional<double> unreached = {};
  /// No distance is further from 0, of int32. Whole distances beside infinity are float32 if these
  /// hold all.
  double farthest = kInf - 1;
  Narrow narrow = Narrow::kNo;              ///< of whole distances, none of which is below 0
  std::optional<std::uint64_t> graph = {};  ///< GraphStats::hash, for formats that can carry it
  std::vector<std::string> rows = {}, columns = {};  ///< what they are called; empty: not written
  bool named = false;  ///< these are names in the graph's file, and no numbers
  bool pairs = false;  ///< a line for each pair: from, to, distance

  /// The type of the elements of a matrix. float64 holds each int32 distance beside infinity, and
  /// int64 distances up to 2⁵³.
  Element element() const;
  /// The number in place of infinity that was asked for, or that narrow elements have; none: no
  /// number was.
  std::optional<std::int64_t> number() const;
};

/// Writes n×n distances, row-major in host memory, as `format`, and commits. If `format` is
/// empty, out.path()'s extension decides, and standard output gets tsv. Throws Error(kUsage) if
/// such distances are not written in this format.
void writeDistances(OutputFile& out, int n, ConstElements distances,
                    const std::string& format = "");

/// Takes some rows of distances that follow those of the call before: their elements in row-major
/// order, valid during the call.
using TakeRows = std::function<void(int count, ConstElements elements)>;
/// Calls take() for all rows in ascending order, as many at a time as it likes.
using ForEachRows = std::function<void(const TakeRows& take)>;

/// The same for distances that are not in memory as a whole. forEachRows() is called once. Throws
/// Error(kUsage) if form.unreached is one of the distances, too, or if an element cannot hold one.
void writeDistances(OutputFile& out, const DistancesForm& form, const ForEachRows& forEachRows,
                    const std::string& format = "");

/// Whether the format stores distances as n² elements in row-major order.
bool storesRows(const std::string& path, const DistancesForm& form, const std::string& format = "");

/// Begins a file of distances that others write, if storesRows() and the file has a temporary name:
/// writes what comes before the elements, and returns true.
bool beginDistances(OutputFile& out, const DistancesForm& form, const std::string& format = "");

/// Throws Error(kUsage), with the choices, if writeDistances() would because of the format.
void checkDistancesFormat(const std::string& path, const DistancesForm& form = {},
                          const std::string& format = "");

/// Whether a file of such distances says what its rows and columns are called. named: the vertices
/// have names in the graph's file.
bool namesDistances(const std::string& path, const DistancesForm& form, const std::string& format,
                    bool named);

/// Whether such a file can have infinity where there is no path.
bool takesInfinity(const std::string& path, DistancesForm form, const std::string& format);

/// The number that such a file has where there is no path; none: infinity.
std::optional<std::int64_t> unreachedNumber(const std::string& path, const DistancesForm& form,
                                            const std::string& format);

/// The fewest bytes that distances take in the file that writeDistances() makes of `path`.
std::uint64_t distancesBytes(const std::string& path, const DistancesForm& form,
                             const std::string& format = "");

/// Distances in a file, in row-major order.
struct StoredDistances {
  int n = 0;
  std::optional<Element> element = {};      ///< none: four bytes, of an unknown type
  std::uint64_t from = 0;                   ///< the byte where they begin
  std::optional<std::uint64_t> graph = {};  ///< GraphStats::hash; none: not known
  std::optional<int> unreached = {};        ///< a number for infinity, beside the usual one
};
/// Where a file has the elements that writeDistances() wrote: .npy, or .bin. Throws Error(kInput)
/// if it has none.
StoredDistances findDistances(const std::string& path);

/// The formats that readGraph(), writeGraph() and writeDistances() take by name, and the
/// extensions that writeDistances() takes, for help and completion.
std::vector<std::string> readableFormats();
std::vector<std::string> writableFormats();
std::vector<std::string> distancesFormats();
std::vector<std::string> distancesExtensions();
