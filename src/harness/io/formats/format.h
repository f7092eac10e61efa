// What one file format consists of. Only the files in this folder, the tests and the fuzzer include
// this; everyone else includes formats.h.
//
// To add a format, write one file such as gr.cpp: a reader, a writer, or both, and a Format that
// names them. Then declare the Format in the last line of this file, and add it to the table in
// formats.cpp. --format, --to, -o, their help, completion and messages, the unit tests of every
// format and the fuzzer follow from the table. By hand: the table of docs/formats.md, and FORMATS
// in tests/cli_test.py.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/formats/formats.h"
#include "io/input.h"
#include "io/weights.h"

struct MatrixLayout;  // matrix_file.h

struct Format {
  const char* name = "";                       ///< for --format and --to
  std::array<const char*, 4> extensions = {};  ///< unused ones are null
  std::array<const char*, 4> onlyRead = {};    ///< more extensions, of graphs that are not written
  bool text = false;                           ///< lines may be skipped
  std::array<bool, 4> dtypes = {true, false, false, false};  ///< that it can hold, in their order
  bool weighted = true;       ///< has weights; without them each is 1
  bool undirected = false;    ///< holds undirected graphs only
  bool zerosUnclear = false;  ///< writes matrices, and does not say what 0 means in them
  /// The options of this format alone. readGraph() refuses them for other formats.
  std::array<const char*, 9> options = {};  ///< "--base"; unused ones are null

  /// Whether the file begins like one of this format; null if the format has no mark. begin: the
  /// first 8 bytes of a binary file, or a text from its first line that is not blank.
  bool (*recognises)(std::string_view begin) = nullptr;

  /// Reads a graph. It calls reportSize() as soon as it knows n, and before it allocates memory for
  /// the edges or the matrix. It never allocates more than a multiple of the bytes that it has read
  /// or that the file has, whatever a header says. A reader of text makes a Text of `in` and
  /// options.skipLines. A reader of a binary file refuses a file that is longer than its header
  /// says. Throws Error(kInput). The graph need not have the type that is asked for; readGraph()
  /// converts it.
  FileGraph (*read)(Input& in, const ReadOptions& options) = nullptr;

  /// Writes a graph. writeGraph() has checked what the fields above say, and commits.
  void (*write)(OutputFile& out, const Graph& graph) = nullptr;

  /// Whether the file can have these names of the vertices, a line for each; null: none.
  bool (*keepsNames)(const std::string& names) = nullptr;
  /// Writes a graph with names for which keepsNames() holds.
  void (*writeNamed)(OutputFile& out, const Graph& graph, const std::string& names) = nullptr;

  /// Writes distances. writeDistances() has checked what the fields here say, and commits.
  void (*writeDistances)(OutputFile& out, const DistancesForm& form,
                         const ForEachRows& forEachRows) = nullptr;
  bool narrow = false;  ///< also in narrow elements
  bool tables = false;  ///< a file tells how many rows and columns of distances it has
  bool pairs = false;   ///< writes a line for each pair, if that is asked for
  bool marked = false;  ///< what it recognises is in no other text, and decides before an extension
  /// Whether a file of distances says what its rows and columns are called.
  enum class Naming { kNever, kIfNamed, kAlways } naming = Naming::kNever;
  /// Of formats that store distances as n² elements in row-major order: writes what comes before
  /// them.
  void (*beginDistances)(OutputFile& out, const DistancesForm& form) = nullptr;
  /// Finds the elements again. Throws Error(kInput) if the file is none of these.
  StoredDistances (*findDistances)(Input& in) = nullptr;
  /// Finds a matrix whose rows can be read one by one; nothing if the file has none. It does not
  /// look at the elements, and leaves the mark of the file out.
  std::optional<MatrixLayout> (*findMatrix)(Input& in, const ReadOptions& options) = nullptr;
  int distanceBytes = 0;  ///< the fewest bytes of one distance in the file; 0: those of an element

  constexpr bool holds(Dtype dtype) const { return dtypes[static_cast<std::size_t>(dtype)]; }
};

/// For Format::dtypes.
inline constexpr std::array<bool, 4> kWholeDtypes = {true, false, true, false},
                                     kAllDtypes = {true, true, true, true};

/// All formats, in the order of messages and help.
const std::vector<const Format*>& formatTable();

/// Tells the caller of readGraph() that the graph has n vertices. With --compact, graphOf() does.
/// edges: at most so many are in the file. If memory is too short for n, and most vertices can have
/// no edge, the message names --compact.
void reportSize(const ReadOptions& options, int n, std::int64_t edges = ReadOptions::kMatrix);

/// The type of the weights while they are read.
inline ReadType readType(const ReadOptions& options, const NumberKind& kind) {
  return {options.dtype, kind, options.negative};
}

// kNpz is there with libzip only, kGraphml with pugixml only.
extern const Format kBin, kBinEdges, kBinDense, kGr, kMtx, kNpy, kEdgeList, kCsv, kTsv, kTextMatrix,
    kMetis, kSg, kWsg, kNpz, kGraphml, kNodeLink;
