// Readers and writers of files. The tests of EveryFormat take the formats from the table. A new
// file that must be read is a row of kGood, or of kReals if its weights are real. A new fault is a
// row of kBad, a new malformed line or number is a token in kBadLines.
#include "io/formats/formats.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <thread>
#include <tuple>

#include "apsp.h"
#include "files.h"
#include "io/compression.h"
#include "io/formats/format.h"
#include "io/formats/matrix_file.h"
#include "io/formats/recognise.h"
#include "io/formats/stored.h"
#include "results/stored.h"
#include "seed.h"

namespace {

using Triples = std::vector<std::array<int, 3>>;
using Doubles = std::vector<std::array<double, 3>>;

/// The edges as (from, to, weight) of any type.
Doubles doubles(const Graph& graph) {
  Doubles all;
  forEachEdge(graph, [&](const auto& e) {
    const auto weight = static_cast<double>(e.weight);
    EXPECT_FALSE(std::signbit(weight) && weight == 0) << "-0.0";
    all.push_back({1. * e.from, 1. * e.to, weight});
  });
  return all;
}

/// A .npy file: a header of 128 bytes, then the data.
std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                bool fortran = false, char version = 1) {
  std::string header = "{'descr': '" + descr +
                       "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" +
                       shape + "), }";
  const std::size_t lengthBytes = version == 1 ? 2 : 4;
  header.resize(128 - 8 - lengthBytes - 1, ' ');
  return std::string("\x93NUMPY") + version + '\0' + static_cast<char>(header.size() + 1) +
         std::string(lengthBytes - 1, '\0') + header + '\n' + data;
}

template <class T>  // to big-endian
std::string swapped(const std::vector<T>& numbers) {
  std::string bytes = raw(numbers);
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T))
    std::reverse(bytes.begin() + i, bytes.begin() + i + sizeof(T));
  return bytes;
}

const std::string kMtx = "%%MatrixMarket matrix ";
const std::string kCoordinate = kMtx + "coordinate integer general\n";
const std::string kReal = kMtx + "coordinate real general\n";
const std::string kArray = kMtx + "array real general\n";

/// The first part of a .sg or .wsg file: without the edges into each vertex.
std::string gap(bool directed, std::int64_t edges, std::int64_t n,
                const std::vector<std::int64_t>& offsets, const std::vector<int>& neighbours) {
  return std::string(1, directed ? '\1' : '\0') + raw<std::int64_t>({edges, n}) + raw(offsets) +
         raw(neighbours);
}

#ifdef HAVE_pugixml
/// A GraphML file with this key for weights and this graph.
std::string graphml(const std::string& graph, const char* kind = "directed",
                    const char* type = "double") {
  return "<?xml version='1.0' encoding='utf-8'?>\n<graphml>\n<key id='w' for='edge' "
         "attr.name='weight' attr.type='" +
         std::string(type) + "'/>\n<graph edgedefault='" + kind + "'>\n" + graph +
         "</graph></graphml>\n";
}
const std::string kNodes = "<node id='a'/>\n<node id='b'/>\n";
#endif

/// Node-link data of these nodes and edges.
std::string nodeLink(const std::string& nodes, const std::string& links,
                     const char* directed = "true") {
  return std::string("{\"directed\": ") + directed + ", \"multigraph\": false,\n\"nodes\": [" +
         nodes + "],\n\"links\": [" + links + "]}\n";
}
const std::string kTwoIds = R"({"id": "a"}, {"id": 7})";

#ifdef HAVE_zip
using Members = std::vector<std::pair<std::string, std::string>>;

/// The members of a sparse matrix. shape: `n, n`.
Members sparse(const std::string& layout, std::int64_t n, Members arrays) {
  arrays.emplace_back("format.npy", npy("|S3", "", layout));
  arrays.emplace_back("shape.npy", npy("<i8", "2,", raw<std::int64_t>({n, n})));
  return arrays;
}

/// An array of one dimension.
template <class T>
std::string list(const char* descr, const std::vector<T>& numbers) {
  return npy(descr, std::to_string(numbers.size()) + ",", raw(numbers));
}

/// The same as csr, with int32. data: as list() makes it.
std::string csr(std::int64_t n, const std::vector<int>& offsets, const std::vector<int>& indices,
                const std::string& data, int method = ZIP_CM_DEFLATE) {
  return zipped(sparse("csr", n,
                       {{"indptr.npy", list("<i4", offsets)},
                        {"indices.npy", list("<i4", indices)},
                        {"data.npy", data}}),
                method);
}
const std::string kTwoCsr = csr(2, {0, 1, 2}, {1, 0}, list<int>("<i4", {5, 6}));
#endif

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

struct Good {
  const char *name, *file;
  std::string bytes;
  int n;
  Triples edges;
  std::size_t duplicates = 0, selfLoops = 0;
  const char* format = "";
  int base = 0, vertices = -1, skipLines = -1;
};

/// An edge list read with --labels or --compact. names: of its vertices, separated by |.
struct Named {
  const char *name, *file;
  std::string bytes;
  Triples edges;
  const char* names;
  int skipLines = -1, base = 0;
};

struct Bad {
  const char *name, *file;
  std::string bytes, parts;
  const char* format = "";
  int base = 0, vertices = -1;
  ErrorCode code = ErrorCode::kInput;
  std::optional<Dtype> dtype = {};
  int skipLines = -1;
};

/// A file of weights of other types than int32, or read under a --dtype.
struct Real {
  const char *name, *file;
  std::string bytes;
  std::optional<Dtype> asked;
  Dtype dtype;
  Doubles edges;
  int n = 2;
};

/// Each of the tokens, which | separates, takes the place of `@` in turn. The message must name the
/// line, and quote the token if it is one field.
struct BadLine {
  const char *name, *file;
  std::string bytes;
  const char *line, *tokens;
  std::optional<Dtype> dtype = {};
};

// clang-format off
const Triples kTwo{{0, 1, 5}, {1, 0, 6}};  // the graph of most rows below
const Good kGood[] = {
    {"BinEdges", "g.bin", raw({2, 2, 0, 1, 5, 1, 0, 6}), 2, kTwo},
    {"BinDense", "g.bin", raw({2, 2, 0, 5, 6, 0}), 2, kTwo},
    {"BinNoEdge", "g.bin", raw({4, 4, 0, -1, kInf, 3, -1, 0, 0, -1, -1, -1, 0, -1, kInf - 1, -1, -1, 0}), 4, {{0, 3, 3}, {1, 2, 0}, {3, 0, kInf - 1}}},
    {"BinThreeIsEdges", "g.bin", raw({3, 3, 0, 1, 5, 1, 2, 0, 2, 0, 7}), 3, {{0, 1, 5}, {1, 2, 0}, {2, 0, 7}}},
    {"BinThreeAsDense", "g.bin", raw({3, 3, 0, 1, 5, 1, 2, 0, 2, 0, 7}), 3, {{0, 1, 1}, {0, 2, 5}, {1, 0, 1}, {1, 2, 0}, {2, 0, 2}, {2, 1, 0}}, 0, 2, "bin-dense"},
    {"BinEmptyGraph", "g.bin", raw({0, 0}), 0, {}},
    {"BinDuplicates", "g.bin", raw({4, 5, 0, 1, 9, 0, 1, 5, 0, 1, 7, 2, 2, 1, 1, 0, 6}), 4, kTwo, 2, 1},
    {"GrComments", "g.gr", "c hi\n\np sp 2 2\nc\na 1 2 5\n\nc a 1 1 1\na  2\t1 6\n\n", 2, kTwo},
    {"GrCrlf", "g.gr", "c hi\r\np sp 2 2\r\n\r\na 1 2 5\r\na 2 1 6\r\n", 2, kTwo},
    {"GrDuplicates", "g.gr", "p sp 2 5\na 1 2 8\na 2 1 6\na 1 1 3\na 2 2 0\na 1 2 5\n", 2, kTwo, 1, 2},
    {"GrHeaviest", "g.gr", "p sp 3 1\na 3 1 1073741822\n", 3, {{2, 0, kInf - 1}}},
    {"GrEmptyGraph", "g.gr", "p sp 0 0\n", 0, {}},
    {"MtxInteger", "g.mtx", kCoordinate + "% hi\n\n2 2 2\n1 2 5\n\n2 1 6", 2, kTwo},
    {"MtxReal", "g.mtx", kMtx + "coordinate real general\n2 2 2\n1 2 5.0\n2 1 0.6e1\n", 2, kTwo},
    {"MtxPattern", "g.mtx", kMtx + "coordinate pattern general\n3 3 2\n1 2\n3 1\n", 3, {{0, 1, 1}, {2, 0, 1}}},
    {"MtxSymmetric", "g.mtx", kMtx + "coordinate integer symmetric\n3 3 3\n2 1 5\n3 3 4\n3 2 0\n", 3, {{0, 1, 5}, {1, 0, 5}, {1, 2, 0}, {2, 1, 0}}, 0, 1},
    {"MtxArrayIsByColumns", "g.mtx", kMtx + "array integer general\n% hi\n3 3\n0\n-1\n7\n4\n0\n1073741823\n0\n-1\n0\n", 3, {{0, 1, 4}, {0, 2, 0}, {2, 0, 7}}},
    {"MtxArrayReal", "g.mtx", kMtx + "array real general\n2 2\n0\n+Inf\n5.0\n-1\n", 2, {{0, 1, 5}}},
    {"MtxArraySymmetric", "g.mtx", kMtx + "array integer symmetric\n3 3\n0\n4\n-1\n0\n5\n0\n", 3, {{0, 1, 4}, {1, 0, 4}, {1, 2, 5}, {2, 1, 5}}},
    {"NpyUint8", "g.npy", npy("|u1", "2, 2", raw<std::uint8_t>({0, 255, 6, 0})), 2, {{0, 1, 255}, {1, 0, 6}}},
    {"NpyUint32", "g.npy", npy("<u4", "2, 2", raw<std::uint32_t>({0, 5, kInf, 0})), 2, {{0, 1, 5}}},
    {"NpyDouble", "g.npy", npy("<f8", "2, 2", raw<double>({0, kInf - 1, HUGE_VAL, 0})), 2, {{0, 1, kInf - 1}}},
    {"NpyBigEndian", "g.npy", npy(">i4", "2, 2", swapped<int>({0, 5, 6, 0})), 2, kTwo},
    {"NpyFortran", "g.npy", npy("<i4", "3, 3", raw({0, -1, 7, 4, 0, kInf, 0, -1, 0}), true), 3, {{0, 1, 4}, {0, 2, 0}, {2, 0, 7}}},
    {"NpyBool", "g.npy", npy("|b1", "2, 2", std::string("\1\1\0\0", 4)), 2, {{0, 1, 1}}, 0, 1},
    {"NpyHalf", "g.npy", npy("<f2", "2, 2", raw<std::uint16_t>({0, 0x7800, 0x7c00, 0})), 2, {{0, 1, 32768}}},
    {"NpyVersion2", "g.npy", npy("<i4", "2, 2", raw({3, 5, 6, 0}), false, 2), 2, kTwo, 0, 1},
    {"NpyEmptyGraph", "g.npy", npy("<i4", "0, 0", ""), 0, {}},
    {"El", "g.el", "# hi\n0 1 5\n% hi\n\n1\t0  6\n", 2, kTwo},
    {"ElCrlfBom", "g.txt", "\xef\xbb\xbf# hi\r\n0 1 5\r\n1 0 6\r\n\r\n", 2, kTwo},
    {"ElNoWeight", "g.tsv", "0\t3\n3\t1", 4, {{0, 3, 1}, {3, 1, 1}}},
    {"ElBaseOne", "g.el", "1 2 5\n2 1 6\n", 2, kTwo, 0, 0, "", 1},
    {"ElLongComment", "g.el", "# hi\n0 1 5\n#" + std::string(60000, 'x') + "\n1 0 6\n", 2, kTwo},
    {"ElVertices", "g.el", "0 1 5\n1 0 6\n", 9, kTwo, 0, 0, "", 0, 9},
    {"ElHeader", "g.el", "# hi\n\n5\n0 1 5\n# hi\n1 0 6\n", 5, kTwo},
    {"ElHeaderAlone", "g.el", "5\n", 5, {}},
    {"ElHeaderBaseOne", "g.el", "2\n1 2 5\n2 1 6\n", 2, kTwo, 0, 0, "", 1},
    {"ElHeaderReplaced", "g.el", "1\n0 1 5\n1 0 6\n", 4, kTwo, 0, 0, "", 0, 4},
    {"ElHeaderBeforeComment", "g.el", "# Nodes: 9\n2\n0 1 5\n1 0 6\n", 2, kTwo},
    {"ElHeaderSkipped", "g.el", "2 2\n0 1 5\n1 0 6\n", 2, kTwo, 0, 0, "", 0, -1, 1},
    {"ElNoHeader", "g.el", "2 2\n0 1\n1 0\n", 3, {{0, 1, 1}, {1, 0, 1}}, 0, 1, "", 0, -1, 0},
    {"ElPairWithOtherCount", "g.el", "2 3\n0 1\n1 0\n", 4, {{0, 1, 1}, {1, 0, 1}, {2, 3, 1}}},
    {"ElPairAmongLargerIds", "g.el", "1 2\n0 1\n1 0\n", 3, {{0, 1, 1}, {1, 0, 1}, {1, 2, 1}}},
    {"ElPairAlone", "g.el", "1 0\n", 2, {{1, 0, 1}}},
    {"ElPairWithWeight", "g.el", "2 1 7\n0 1 5\n", 3, {{0, 1, 5}, {2, 1, 7}}},
    {"ElSnap", "g.txt", "# Directed graph: web.txt\r\n# Nodes: 2 Edges: 2\r\n# FromNodeId\tToNodeId\r\n0\t1\r\n1\t0\r\n", 2, {{0, 1, 1}, {1, 0, 1}}},
    {"ElSnapMoreNodes", "g.txt", "#Nodes: 4 Edges: 2\n0 1 5\n1 0 6\n", 4, kTwo},
    {"ElSnapBaseOne", "g.txt", "# Nodes: 2\n1 2 5\n2 1 6\n", 2, kTwo, 0, 0, "", 1},
    {"ElSnapReplaced", "g.txt", "# Nodes: 1\n0 1 5\n1 0 6\n", 3, kTwo, 0, 0, "", 0, 3},
    {"ElSnapNoNumber", "g.txt", "# Nodes: many\n# Nodes\n0 1 5\n1 0 6\n", 2, kTwo},
    {"ElSnapLate", "g.txt", "0 1 5\n# Nodes: 9\n1 0 6\n", 2, kTwo},
    {"ElSkipLines", "g.el", "\xef\xbb\xbfvertices\n\nu v w\n0 1 5\n1 0 6\n", 2, kTwo, 0, 0, "", 0, -1, 3},
    {"ElSkipAll", "g.el", "hi\nhi", 0, {}, 0, 0, "", 0, -1, 2},
    {"GrSkipLines", "g.gr", "hi\np sp 2 2\na 1 2 5\na 2 1 6\n", 2, kTwo, 0, 0, "", 0, -1, 1},
    {"MtxSkipLines", "g.mtx", "hi\n" + kCoordinate + "2 2 2\n1 2 5\n2 1 6\n", 2, kTwo, 0, 0, "", 0, -1, 1},
    {"GzSkipLines", "g.el.gz", gzipped("hi\n0 1 5\n1 0 6\n"), 2, kTwo, 0, 0, "", 0, -1, 1},
    {"ElCommas", "g.csv", "0,1,5\n1, 0 ,6\n", 2, kTwo},
    {"ElSemicolons", "g.txt", "0;1;5\r\n1;0;6\r\n", 2, kTwo},
    {"ElCommasNoWeight", "g.csv", "0,3\n3,1\n", 4, {{0, 3, 1}, {3, 1, 1}}},
    {"ElQuotedNumbers", "g.csv", "\"0\",\"1\",\"5\"\n1,0,6\n", 2, kTwo},
    {"ElQuotedAmongBlanks", "g.el", "\"0\" 1 5\n1 0 6\n", 2, kTwo},
    {"ElCommasBaseOne", "g.csv", "# hi\n1,2,5\n2,1,6\n", 2, kTwo, 0, 0, "", 1},
    {"ElCommasSize", "g.csv", "# Nodes: 4\n0,1,5\n1,0,6\n", 4, kTwo},
    {"ElCommasHeader", "g.csv", "4\n0,1,5\n1,0,6\n", 4, kTwo},
    {"ElNames", "g.csv", "source,target,weight\n0,1,5\n1,0,6\n", 2, kTwo},
    {"ElNamesOfTwo", "g.csv", "From,To\n0,1\n1,0\n", 2, {{0, 1, 1}, {1, 0, 1}}},
    {"ElNamesQuoted", "g.csv", "\"a b\";\"_c\";\"d\"\n0;1;5\n1;0;6\n", 2, kTwo},
    {"ElNamesAndBlanks", "g.txt", "# hi\nsource target weight\n0 1 5\n1 0 6\n", 2, kTwo},
    {"ElNamesAndTabs", "g.tsv", "u\tv\tw\n0\t1\t5\n1\t0\t6\n", 2, kTwo},
    {"ElAttributes", "g.edgelist", "0 1 {'weight': 5}\n1 0 {'weight': 6} \n", 2, kTwo},
    {"ElNoAttributes", "g.edges", "0 3 {}\n3 1\n", 4, {{0, 3, 1}, {3, 1, 1}}},
    {"ElAttributesAndCommas", "g.csv", "0,1,{'weight': 5}\n1,0,6\n", 2, kTwo},
    {"ElMoreAttributes", "g.edgelist", "0 1 {'a': [1, '}'], \"b\": 'it\\'s', 'weight': 5}\n1 0 {'weight':'6', 'c': None}\n", 2, kTwo},
    {"ElAttributesThatAreNoNumbers", "g.edgelist", "0 1 {'color': 'red'}\n1 0 {'color': '5'}\n", 2, {{0, 1, 1}, {1, 0, 1}}},
    {"ElThreeLinesOfThree", "g.csv", "0,1,5\n1,2,6\n2,0,7\n", 3, {{0, 1, 5}, {1, 2, 6}, {2, 0, 7}}},
    {"CsvByName", "g", "0,1,5\n1,0,6\n", 2, kTwo, 0, 0, "csv"},
    {"TsvByName", "g", "0\t1\t5\n1\t0\t6\n", 2, kTwo, 0, 0, "tsv"},
    {"Matrix", "g.csv", "# hi\n0,5\n6,0\n", 2, kTwo, 0, 0, "matrix"},
    {"MatrixOfBlanks", "g.txt", "1 5 -1\n 6 0\tinf\n1073741823 0 0", 3, {{0, 1, 5}, {1, 0, 6}, {2, 1, 0}}, 0, 1, "matrix"},
    {"MatrixOfSemicolons", "g", "\xef\xbb\xbf" "0.0;5e0\r\n\"6\";0\r\n", 2, kTwo, 0, 0, "matrix"},
    {"MatrixOfNothing", "g", "# hi\n", 0, {}, 0, 0, "matrix"},
    {"ElWel", "g.wel", "0 1 5\n1 0 6\n", 2, kTwo},
    {"Metis", "g.graph", "% hi\n3 2 001\n% hi\n2 5\n 1 5\t3 0 \n2 0\n", 3, {{0, 1, 5}, {1, 0, 5}, {1, 2, 0}, {2, 1, 0}}},
    {"MetisNoWeights", "g.metis", "\n3 2\n2\n3 1\n2", 3, {{0, 1, 1}, {1, 0, 1}, {1, 2, 1}, {2, 1, 1}}},
    {"MetisBlankIsAVertex", "g.graph", "4 1 0\n\n4\n\n%\n2\n \n\n", 4, {{1, 3, 1}, {3, 1, 1}}},
    {"MetisSizesAndWeights", "g.graph", "2 1 111 2\n9 8 7 2 5\n0 0 0 1 5\n", 2, {{0, 1, 5}, {1, 0, 5}}},
    {"MetisVertexWeights", "g.graph", "2 1 10\n8 2\n7 1\n", 2, {{0, 1, 1}, {1, 0, 1}}},
    {"MetisSizes", "g.graph", "2 1 100\n8 2\n7 1\n", 2, {{0, 1, 1}, {1, 0, 1}}},
    {"MetisParallel", "g.graph", "2 3 1\n2 7 2 5 2 7\n1 5 1 7 1 7\n", 2, {{0, 1, 5}, {1, 0, 5}}, 4},
    {"MetisLoop", "g.graph", "2 2 1\n1 3 2 5 1 3\n1 5\n", 2, {{0, 1, 5}, {1, 0, 5}}, 0, 2},
    {"MetisCrlf", "g.graph", "\xef\xbb\xbf% hi\r\n3 1 1\r\n2 5\r\n1 5\r\n\r\n", 3, {{0, 1, 5}, {1, 0, 5}}},
    {"MetisEmptyGraph", "g.graph", "0 0\n", 0, {}},
    {"MetisLongLine", "g.graph", "2 40000\n" + repeated("2 ", 40000) + "\n" + repeated("1 ", 40000) + "\n", 2, {{0, 1, 1}, {1, 0, 1}}, 79998},
    {"Sg", "g.sg", gap(false, 4, 3, {0, 1, 3, 4}, {1, 2, 0, 1}), 3, {{0, 1, 1}, {1, 0, 1}, {1, 2, 1}, {2, 1, 1}}},
    {"SgDirected", "g.sg", gap(true, 2, 3, {0, 2, 2, 2}, {2, 1}) + raw<std::int64_t>({0, 0, 1, 2}) + raw({0, 0}), 3, {{0, 1, 1}, {0, 2, 1}}},
    {"SgEmptyGraph", "g.sg", gap(false, 0, 0, {0}, {}), 0, {}},
    {"Wsg", "g.wsg", gap(false, 2, 3, {0, 1, 1, 2}, {2, 5, 0, 5}), 3, {{0, 2, 5}, {2, 0, 5}}},
    {"WsgDirected", "g.wsg", gap(true, 2, 2, {0, 1, 2}, {1, 5, 0, 6}) + raw<std::int64_t>({0, 1, 2}) + raw({1, 6, 0, 5}), 2, kTwo},
    {"WsgParallel", "g.wsg", gap(false, 6, 2, {0, 3, 6}, {1, 9, 0, 3, 1, 5, 0, 5, 1, 4, 0, 9}), 2, {{0, 1, 5}, {1, 0, 5}}, 2, 2},
#ifdef HAVE_zip
    {"NpzCsr", "g.npz", kTwoCsr, 2, kTwo},
    {"NpzStored", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<int>("<i4", {5, 6}), ZIP_CM_STORE), 2, kTwo},
    {"NpzCsc", "g.npz", zipped(sparse("csc", 3, {{"indptr.npy", list<std::int64_t>("<i8", {0, 0, 1, 3})}, {"indices.npy", list<std::int64_t>("<i8", {0, 1, 0})}, {"data.npy", list<std::uint8_t>("|u1", {5, 7, 6})}})), 3, {{0, 1, 5}, {0, 2, 6}, {1, 2, 7}}},
    {"NpzCoo", "g.npz", zipped(sparse("coo", 3, {{"row.npy", list<int>("<i4", {2, 0, 2})}, {"col.npy", list<int>("<i4", {0, 1, 0})}, {"data.npy", list<float>("<f4", {9, 5, 6})}, {"_is_array.npy", npy("|b1", "", "\1")}})), 3, {{0, 1, 5}, {2, 0, 6}}, 1},
    {"NpzZeroIsAnEdge", "g.npz", csr(2, {0, 2, 3}, {0, 1, 0}, list<double>("<f8", {3, 0, -0.0})), 2, {{0, 1, 0}, {1, 0, 0}}, 0, 1},
    {"NpzBigEndian", "g.npz", csr(2, {0, 1, 2}, {1, 0}, npy(">i4", "2,", swapped<int>({5, 6}))), 2, kTwo},
    {"NpzInfinity", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<double>("<f8", {HUGE_VAL, 6})), 2, {{1, 0, 6}}},
    {"NpzUnicodeFormat", "g.npz", zipped({{"format.npy", npy("<U3", "", raw<int>({'c', 's', 'r'}))}, {"shape.npy", list<int>("<i4", {2, 2})}, {"indptr.npy", list<int>("<i4", {0, 1, 1})}, {"indices.npy", list<int>("<i4", {1})}, {"data.npy", list<int>("<i4", {5})}}), 2, {{0, 1, 5}}},
    {"NpzBool", "g.npz", csr(2, {0, 1, 2}, {1, 0}, npy("|b1", "2,", std::string("\1\0", 2))), 2, {{0, 1, 1}}},
    {"NpzHalf", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<std::uint16_t>("<f2", {0x4500, 0x4600})), 2, kTwo},
    {"NpzEmptyGraph", "g.npz", csr(0, {0}, {}, list<int>("<i4", {})), 0, {}},
#endif
#ifdef HAVE_pugixml
    {"Graphml", "g.graphml", graphml(kNodes + "<edge source='a' target='b'><data key='w'> 5 </data></edge><edge source='b' target='a'><data key='x'>no</data><data key='w'>6</data></edge>"), 2, kTwo},
    {"GraphmlUndirected", "g.graphml", graphml("<edge id='e' source='b' target='a'><data key='w'>5</data></edge>" + kNodes, "undirected", "int"), 2, {{0, 1, 5}, {1, 0, 5}}},
    {"GraphmlMixed", "g.graphml", graphml(kNodes + "<edge source='a' target='b' directed='true'/><edge source='b' target='b'/>", "undirected"), 2, {{0, 1, 1}}, 0, 1},
    {"GraphmlOfTexts", "g.graphml", graphml(kNodes + "<edge source='a' target='b'><data key='w'>5</data></edge><edge source='b' target='a'><data key='w'>6</data></edge>", "directed", "string"), 2, kTwo},
    {"GraphmlNoNumbers", "g.graphml", "<graphml><key id='k' for='edge' attr.name='name' attr.type='string'/><graph edgedefault='directed'><node id='a'/><node id='b'/><edge source='a' target='b'><data key='k'>5</data></edge><edge source='b' target='a'><data key='k'>5b</data></edge></graph></graphml>", 2, {{0, 1, 1}, {1, 0, 1}}},
    {"GraphmlDefault", "g.graphml", "<graphml><desc>hi</desc><key id='k' attr.name='weight' attr.type='long'><default>6</default></key><key id='l' for='node' attr.name='weight' attr.type='string'/><graph edgedefault='directed'><node id='a'><data key='l'>x</data></node><node id='b'/><edge source='b' target='a'/><edge source='a' target='b'><data key='k'>5</data></edge></graph></graphml>", 2, kTwo},
    {"GraphmlInfinity", "g.graphml", graphml(kNodes + "<edge source='a' target='b'><data key='w'>inf</data></edge><edge source='b' target='a'><data key='w'>6.0</data></edge>"), 2, {{1, 0, 6}}},
    {"GraphmlEmptyGraph", "g.graphml", graphml(""), 0, {}},
#endif
    {"Json", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": 5}, {"source": 7, "target": "a", "weight": 6.0, "key": 0})"), 2, kTwo},
    {"JsonOfTexts", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": "5"}, {"source": 7, "target": "a", "weight": "6", "length": 1})"), 2, kTwo},
    {"JsonNoNumbers", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "key": 3, "name": "7b", "ok": true})"), 2, {{0, 1, 1}}},
    {"JsonUndirected", "g.json", nodeLink(kTwoIds, R"({"source": 7, "target": "a"}, {"source": 7, "target": 7})", "false"), 2, {{0, 1, 1}, {1, 0, 1}}, 0, 1},
    {"JsonEdges", "g.json", "\xef\xbb\xbf" R"({"edges": [{"source": -1, "target": 0, "weight": -0.0}], "nodes": [{"id": 0, "x": null}, {"id": -1}], "directed": true})", 2, {{1, 0, 0}}},
    {"JsonEdgesFirst", "g.json", R"({"edges": [{"source": "a", "target": 7, "weight": 5}, {"source": 7, "target": 7, "weight": 5}], "x": [{"nodes": [1, {"id": 7}]}], "nodes": [{"id": 7}, {"id": "a", "edges": [[]]}], "directed": false})", 2, {{0, 1, 5}, {1, 0, 5}}, 0, 1},
    {"JsonEmptyGraph", "g.json", nodeLink("", ""), 0, {}},
    {"SpacesAndBytes", "a b \xe9\xff.el", "0 1 5\n1 0 6\n", 2, kTwo},
    {"GzGr", "g.gr.gz", gzipped("p sp 2 2\na 1 2 5\na 2 1 6\n"), 2, kTwo},
    {"GzMembers", "g.el.gz", gzipped("0 1 5\n1 ") + gzipped("") + gzipped("0 6\n"), 2, kTwo},
};

const Triples kPath{{0, 1, 5}, {1, 2, 6}};  // the graph of most rows below
const Named kLabels[] = {
    {"Blanks", "g.el", "Napoleon Myriel 5\nMyriel X 6\n", kPath, "Napoleon|Myriel|X"},
    {"InOrderOfAppearance", "g.el", "9 1 5\n1 -2 6\n", kPath, "9|1|-2"},
    {"LargeIds", "g.el", "4294967297 01 5\n01 99999999999999999999 6\n", kPath, "4294967297|01|99999999999999999999"},
    {"NoWeight", "g.txt", "a b\nb c\n", {{0, 1, 1}, {1, 2, 1}}, "a|b|c"},
    {"Loop", "g.el", "a a 7\na b 5\nb c 6\n", kPath, "a|b|c"},
    {"Attributes", "g.edgelist", "a b {'weight': 5}\nb c {'weight': 6}\n", kPath, "a|b|c"},
    {"Quotes", "g.el", "\"a b\" \"b,\"\"\" 5\n\"b,\"\"\" c 6\n", kPath, "a b|b,\"|c"},
    {"QuotesAreNoPart", "g.el", "\"a\" b 5\nb c 6\na a 1\n", kPath, "a|b|c"},
    {"Commas", "g.txt", "a, b ,5\nb,\"c d\",6\n", kPath, "a|b|c d"},
    {"CommaInQuotes", "g.el", "\"a,b\" b 5\nb c 6\n", kPath, "a,b|b|c"},
    {"BlanksInTable", "g.csv", "New York,b,5\nb,c  d,6\n", kPath, "New York|b|c  d"},
    {"BlanksInTabs", "g.tsv", "New York\tb\t5\nb\tc, d\t6\n", kPath, "New York|b|c, d"},
    {"BlanksInPackedTable", "g.csv.gz", gzipped("New York;b;5\nb;c;6\n"), kPath, "New York|b|c"},
    {"Names", "g.csv", "from,to,km\na,b,5\nb,c,6\n", kPath, "a|b|c"},
    {"NamesOfTravel", "g.csv", "Origin,Destination,minutes\na,b,5\nb,c,6\n", kPath, "a|b|c"},
    {"WordsOfOneLine", "g.el", "x,y\na,b\nb,c\n", {{0, 1, 1}, {2, 3, 1}, {3, 4, 1}}, "x|y|a|b|c"},
    {"WordsOfOneOfTwoLines", "g.csv", "x,y\na,b\n", {{0, 1, 1}, {2, 3, 1}}, "x|y|a|b"},
    {"WordsOfTwoLines", "g.csv", "x,y\na,b\nb,y\n", {{0, 1, 1}, {2, 3, 1}, {3, 1, 1}}, "x|y|a|b"},
    {"CommasInTabs", "g.tsv", "A, B\tb\t5\nb\tc\t6\n", kPath, "A, B|b|c"},
    {"NamesSkipped", "g.csv", "from,to\na,b,5\nb,c,6\n", kPath, "a|b|c", 1},
    {"NamesAreAnEdge", "g.csv", "from,to\n", {{0, 1, 1}}, "from|to", 0},
    {"NamesWithWeight", "g.csv", "from,to,5\nto,c,6\n", kPath, "from|to|c"},
    {"PairIsAnEdge", "g.el", "3 2\n2 1\n2 3\n", {{0, 1, 1}, {1, 0, 1}, {1, 2, 1}}, "3|2|1", 0},
    {"Comments", "g.el", "# Nodes: 9\na b 5\n%% c\nb \xc3\xa9 6\n", kPath, "a|b|\xc3\xa9"},
    {"CommentsOnly", "g.el", "#Nodes: 9\n# a b 5\n#a b c\n%%a b\n#a\na b 5\n#a b c d\n#- b\nb c 6\n", kPath, "a|b|c"},
    {"SignsWithinQuotes", "g.el", "\"#a\" b 5\nb \"%c\" 6\n", kPath, "#a|b|%c"},
    {"SignSecond", "g.el", "a #b 5\n\"#b\" c 6\n", kPath, "a|#b|c"},
    {"Nothing", "g.el", "# hi\n", {}, ""},
};
const Named kCompact[] = {
    {"El", "g.el", "1000001 7 6\n5 1000001 5\n", {{0, 2, 5}, {2, 1, 6}}, "5|7|1000001"},
    {"ElBaseOne", "g.el", "1 2147483647 5\n", {{0, 1, 5}}, "1|2147483647", -1, 1},
    {"ElLoopCounts", "g.el", "3 3 1\n7 8 5\n0 9 inf\n", {{1, 2, 5}}, "3|7|8"},
    {"ElHeader", "g.el", "100\n7 9 5\n", {{0, 1, 5}}, "7|9"},
    {"ElComment", "g.el", "# Nodes: 2\n7 9 5\n", {{0, 1, 5}}, "7|9"},
    {"ElManyEdges", "g.el", "1 3 5\n3 5 6\n", kPath, "1|3|5"},
    {"ElCommas", "g.csv", "source,target\n70,90\n", {{0, 1, 1}}, "70|90"},
    {"Gr", "g.gr", "p sp 900 2\na 7 500 5\na 500 900 6\n", kPath, "7|500|900"},
    {"Mtx", "g.mtx", kCoordinate + "900 900 2\n7 500 5\n500 900 6\n", kPath, "7|500|900"},
    {"Bin", "g.bin", raw({900, 2, 7, 500, 5, 500, 899, 6}), kPath, "7|500|899"},
    {"Metis", "g.graph", "4 1 1\n\n4 5\n\n2 5\n", {{0, 1, 5}, {1, 0, 5}}, "2|4"},
    {"Sg", "g.sg", gap(false, 2, 4, {0, 0, 1, 1, 2}, {3, 1}), {{0, 1, 1}, {1, 0, 1}}, "1|3"},
    {"Nothing", "g.gr", "p sp 9 0\n", {}, ""},
};

constexpr auto kAuto = std::nullopt;
constexpr Dtype kI32 = Dtype::kInt32, kF32 = Dtype::kFloat32, kI64 = Dtype::kInt64,
                kF64 = Dtype::kFloat64;
constexpr std::int64_t kInf64 = kInfinity<std::int64_t>, kLargest64 = std::numeric_limits<std::int64_t>::max();
const double kTenth = 0.1f;
const Real kReals[] = {
    {"El", "g.el", "0 1 0.1\n1 0 6\n", kAuto, kF64, {{0, 1, 0.1}, {1, 0, 6}}},
    {"ElAsFloats", "g.el", "0 1 0.1\n1 0 6\n", kF32, kF32, {{0, 1, kTenth}, {1, 0, 6}}},
    {"ElLateFraction", "g.el", "0 1 16777217\n1 0 0.1\n", kAuto, kF64, {{0, 1, 16777217}, {1, 0, 0.1}}},
    {"ElLateFractionOfLong", "g.el", "0 1 5\n2 1 1073741823\n1 0 0.1\n", kAuto, kF64, {{0, 1, 5}, {1, 0, 0.1}, {2, 1, 1073741823}}, 3},
    {"ElWhole", "g.el", "0 1 5.0\n1 0 6e2\n", kAuto, kI32, {{0, 1, 5}, {1, 0, 600}}},
    {"ElWholeAsked", "g.el", "0 1 5.0\n1 0 1\n", kF32, kF32, {{0, 1, 5}, {1, 0, 1}}},
    {"ElWholeInt", "g.el", "0 1 5.0\n1 0 -0.0\n", kI32, kI32, {{0, 1, 5}, {1, 0, 0}}},
    {"ElNoWeightAsked", "g.el", "0 1\n1 0\n", kF32, kF32, {{0, 1, 1}, {1, 0, 1}}},
    {"ElNoWeightOfDoubles", "g.el", "0 1\n1 0\n", kF64, kF64, {{0, 1, 1}, {1, 0, 1}}},
    {"ElMinusZero", "g.el", "0 1 -0.0\n1 0 -0\n", kF32, kF32, {{0, 1, 0}, {1, 0, 0}}},
    {"ElMinusZeroOfDoubles", "g.el", "0 1 -0.0\n1 0 -0\n2 0 0.5", kAuto, kF64, {{0, 1, 0}, {1, 0, 0}, {2, 0, 0.5}}, 3},
    {"ElInfinity", "g.el", "0 1 inf\n2 0 +inf\n0 2 Infinity\n1 0 6\n3 1 INF\n", kAuto, kI32, {{1, 0, 6}}, 4},
    {"ElInfinityOfReals", "g.el", "0 1 0.5\n2 0 +Infinity\n1 0 inf\n", kAuto, kF64, {{0, 1, 0.5}}, 3},
    {"ElInfinityOfLong", "g.el", "0 1 inf\n1 0 4294967296\n2 0 inf\n", kAuto, kI64, {{1, 0, 4294967296}}, 3},
    {"ElSubnormal", "g.el", "0 1 1e-40\n", kF32, kF32, {{0, 1, 1e-40f}}},
    {"ElSubnormalDouble", "g.el", "0 1 5e-324\n1 0 1e-310\n", kAuto, kF64, {{0, 1, 5e-324}, {1, 0, 1e-310}}},
    {"ElLargest", "g.el", "0 1 3.4028235e38\n1 0 +1.5\n", kF32, kF32, {{0, 1, 3.4028234663852886e38}, {1, 0, 1.5}}},
    {"ElLargestDouble", "g.el", "0 1 1e300\n1 0 1.7976931348623157e308\n", kAuto, kF64, {{0, 1, 1e300}, {1, 0, 1.7976931348623157e308}}},
    {"ElBeyondInt", "g.el", "0 1 4294967296.0\n1 0 1e10\n", kAuto, kI64, {{0, 1, 4294967296}, {1, 0, 1e10}}},
    {"ElBeyondExact", "g.el", "0 1 9007199254740992.0\n1 0 9007199254740994.0\n", kAuto, kF64, {{0, 1, 0x1p53}, {1, 0, 9007199254740994.}}},
    {"ElDigitsBeyondInt", "g.el", "0 1 1073741823\n1 0 4611686018427387902\n", kAuto, kI64, {{0, 1, 1073741823}, {1, 0, 0x1p62}}},
    {"ElDigitsBeyondLong", "g.el", "0 1 5\n1 0 4611686018427387903\n2 0 99999999999999999999999\n", kAuto, kF64, {{0, 1, 5}, {1, 0, 0x1p62}, {2, 0, 1e23}}, 3},
    {"ElDigitsBeyondIntAsked", "g.el", "0 1 4294967296\n1 0 1073741823\n", kF32, kF32, {{0, 1, 4294967296}, {1, 0, 1073741824}}},
    {"ElLong", "g.el", "0 1 5\n1 0 6.0\n", kI64, kI64, {{0, 1, 5}, {1, 0, 6}}},
    {"ElLightestOfParallel", "g.el", "0 1 0.5\n0 1 0.25\n0 1 7\n0 1 inf\n1 1 .5", kAuto, kF64, {{0, 1, 0.25}}},
    {"ElOfWords", "g.csv", "u,v,w\n0,1,3000000000\n1,0,6\n", kAuto, kI64, {{0, 1, 3e9}, {1, 0, 6}}},
    {"ElAttributes", "g.edgelist", "0 1 {'weight': 3000000000}\n1 0 {'weight': 0.1}\n", kAuto, kF64, {{0, 1, 3e9}, {1, 0, 0.1}}},
    {"Mtx", "g.mtx", kReal + "2 2 2\n1 2 1.5\n2 1 6\n", kAuto, kF64, {{0, 1, 1.5}, {1, 0, 6}}},
    {"MtxSymmetric", "g.mtx", kMtx + "coordinate real symmetric\n2 2 1\n2 1 1.5\n", kAuto, kF64, {{0, 1, 1.5}, {1, 0, 1.5}}},
    {"MtxInfinity", "g.mtx", kReal + "2 2 2\n1 2 inf\n2 1 0.5\n", kAuto, kF64, {{1, 0, 0.5}}},
    {"MtxPattern", "g.mtx", kMtx + "coordinate pattern general\n2 2 1\n1 2\n", kF32, kF32, {{0, 1, 1}}},
    {"MtxInteger", "g.mtx", kCoordinate + "2 2 1\n1 2 5\n", kF32, kF32, {{0, 1, 5}}},
    {"MtxLong", "g.mtx", kCoordinate + "2 2 2\n1 2 5\n2 1 4611686018427387902\n", kAuto, kI64, {{0, 1, 5}, {1, 0, 0x1p62}}},
    {"MtxArray", "g.mtx", kArray + "3 3\n0\n-1\n7\n4\n0\n0.25\ninf\n-0.0\n9\n", kAuto, kF64, {{0, 1, 4}, {1, 2, 0}, {2, 0, 7}, {2, 1, 0.25}}, 3},
    {"MtxArrayAsFloats", "g.mtx", kArray + "3 3\n0\n-1\n7\n4\n0\n0.25\n1073741823\n-0.0\n9\n", kF32, kF32, {{0, 1, 4}, {1, 2, 0}, {2, 0, 7}, {2, 1, 0.25}}, 3},
    {"MtxArrayAsDoubles", "g.mtx", kArray + "2 2\n0\n0.5\n1073741823\n0\n", kF64, kF64, {{0, 1, 1073741823}, {1, 0, 0.5}}},
    {"MtxArrayLong", "g.mtx", kMtx + "array integer general\n3 3\n0\n4294967296\n-1\n4611686018427387903\n0\n9223372036854775807\n7\n5\n0\n", kAuto, kI64, {{0, 2, 7}, {1, 0, 4294967296}, {1, 2, 5}}, 3},
    {"MtxArraySymmetric", "g.mtx", kMtx + "array real symmetric\n3 3\n0\n4\ninf\n0\n0.5\n0\n", kAuto, kF64, {{0, 1, 4}, {1, 0, 4}, {1, 2, 0.5}, {2, 1, 0.5}}, 3},
    {"NpyFloat", "g.npy", npy("<f4", "2, 2", raw<float>({0, 0.1f, -0.0f, 0})), kAuto, kF32, {{0, 1, kTenth}, {1, 0, 0}}},
    {"NpyLateFloat", "g.npy", npy("<f4", "2, 2", raw<float>({0, 7, 0.1f, 0})), kAuto, kF32, {{0, 1, 7}, {1, 0, kTenth}}},
    {"NpyLargeFloat", "g.npy", npy("<f4", "2, 2", raw<float>({0, 4294967296, 7, 0})), kAuto, kF32, {{0, 1, 4294967296}, {1, 0, 7}}},
    {"NpyWholeFloat", "g.npy", npy("<f4", "2, 2", raw<float>({0, 5, HUGE_VALF, 0})), kAuto, kI32, {{0, 1, 5}}},
    {"NpyWholeFloatAsked", "g.npy", npy("<f4", "2, 2", raw<float>({3, 5, HUGE_VALF, 0})), kF32, kF32, {{0, 1, 5}}},
    {"NpyFloatAsDoubles", "g.npy", npy("<f4", "2, 2", raw<float>({0, 0.1f, HUGE_VALF, 0})), kF64, kF64, {{0, 1, kTenth}}},
    {"NpyFloatAsLong", "g.npy", npy("<f4", "2, 2", raw<float>({0, 4294967296, HUGE_VALF, 0})), kI64, kI64, {{0, 1, 4294967296}}},
    {"NpyDouble", "g.npy", npy("<f8", "3, 3", raw<double>({0, 5, -1, HUGE_VAL, 0, 0.1, 5e-324, -0.0, 0})), kAuto, kF64, {{0, 1, 5}, {1, 2, 0.1}, {2, 0, 5e-324}, {2, 1, 0}}, 3},
    {"NpyDoubleAsFloats", "g.npy", npy("<f8", "3, 3", raw<double>({0, 5, -1, HUGE_VAL, 0, 0.1, 1e-40, kInf, 0})), kF32, kF32, {{0, 1, 5}, {1, 2, kTenth}, {2, 0, 1e-40f}}, 3},
    {"NpyDoubleOfLong", "g.npy", npy("<f8", "2, 2", raw<double>({0, 5, 0x1p53, 0})), kAuto, kI64, {{0, 1, 5}, {1, 0, 0x1p53}}},
    {"NpyDoubleBeyondExact", "g.npy", npy("<f8", "2, 2", raw<double>({0, 5, 0x1p53 + 2, 0})), kAuto, kF64, {{0, 1, 5}, {1, 0, 0x1p53 + 2}}},
    {"NpyDoubleOfAllThree", "g.npy", npy("<f8", "3, 3", raw<double>({0, 5, -1, 1e10, 0, HUGE_VAL, 0.5, 6, 0})), kAuto, kF64, {{0, 1, 5}, {1, 0, 1e10}, {2, 0, 0.5}, {2, 1, 6}}, 3},
    {"NpyDoubleAsLong", "g.npy", npy("<f8", "2, 2", raw<double>({0, 5, 1e18, 0})), kI64, kI64, {{0, 1, 5}, {1, 0, 1e18}}},
    {"NpyDoubleOfKInf", "g.npy", npy("<f8", "2, 2", raw<double>({0, 5, kInf, 0})), kF64, kF64, {{0, 1, 5}, {1, 0, kInf}}},
    {"NpyFortran", "g.npy", npy("<f8", "2, 2", raw<double>({0, 0.5, 6, 0}), true), kAuto, kF64, {{0, 1, 6}, {1, 0, 0.5}}},
    {"NpyBigEndian", "g.npy", npy(">f4", "2, 2", swapped<float>({0, 0.5f, 6, 0})), kAuto, kF32, {{0, 1, 0.5}, {1, 0, 6}}},
    {"NpyHalf", "g.npy", npy(">f2", "2, 2", swapped<std::uint16_t>({0, 0x3800, 1, 0})), kAuto, kF32, {{0, 1, 0.5}, {1, 0, 0x1p-24}}},
    {"NpyInt", "g.npy", npy("<i4", "2, 2", raw({0, 16777217, -1, 0})), kF32, kF32, {{0, 1, 16777216}}},
    {"NpyIntAsDoubles", "g.npy", npy("<i4", "2, 2", raw({0, 16777217, kInf, 0})), kF64, kF64, {{0, 1, 16777217}}},
    {"NpyIntAsLong", "g.npy", npy("<i4", "2, 2", raw({0, 5, kInf, 0})), kI64, kI64, {{0, 1, 5}}},
    {"NpyShortAsLong", "g.npy", npy("<i2", "2, 2", raw<std::int16_t>({0, 5, -1, 0})), kI64, kI64, {{0, 1, 5}}},
    {"NpyBoolAsDoubles", "g.npy", npy("|b1", "2, 2", std::string("\0\1\0\0", 4)), kF64, kF64, {{0, 1, 1}}},
    {"NpyUint32", "g.npy", npy("<u4", "2, 2", raw<std::uint32_t>({0, 5, 4294967295, kInf})), kAuto, kI64, {{0, 1, 5}, {1, 0, 4294967295}}},
    {"NpyUint32OfKInf", "g.npy", npy("<u4", "2, 2", raw<std::uint32_t>({0, kInf, 4294967295, 0})), kAuto, kI64, {{1, 0, 4294967295}}},
    {"NpyLongThatFits", "g.npy", npy("<i8", "2, 2", raw<std::int64_t>({0, 5, kInf, 0})), kAuto, kI32, {{0, 1, 5}}},
    {"NpyLong", "g.npy", npy("<i8", "3, 3", raw<std::int64_t>({0, 5, -1, 4294967296, 0, kInf64, kLargest64, kInf64 - 1, 0})), kAuto, kI64, {{0, 1, 5}, {1, 0, 4294967296}, {2, 1, 0x1p62}}, 3},
    {"NpyLongMarksFit", "g.npy", npy("<i8", "2, 2", raw<std::int64_t>({0, 5, kInf64, 0})), kAuto, kI32, {{0, 1, 5}}},
    {"NpyLongAsInts", "g.npy", npy("<i8", "2, 2", raw<std::int64_t>({0, kInf, kLargest64, 0})), kI32, kI32, {}},
    {"NpyLongOfKInf", "g.npy", npy("<i8", "2, 2", raw<std::int64_t>({0, 5, kInf, 0})), kI64, kI64, {{0, 1, 5}, {1, 0, kInf}}},
    {"NpyLongBigEndian", "g.npy", npy(">i8", "2, 2", swapped<std::int64_t>({0, 4294967296, 5, 0})), kAuto, kI64, {{0, 1, 4294967296}, {1, 0, 5}}},
    {"NpyLongAsFloats", "g.npy", npy("<i8", "2, 2", raw<std::int64_t>({0, 16777217, 4294967296, 0})), kF32, kF32, {{0, 1, 16777216}, {1, 0, 4294967296}}},
    {"NpyUint64", "g.npy", npy("<u8", "2, 2", raw<std::uint64_t>({0, 4294967296, kLargest64, 0})), kAuto, kI64, {{0, 1, 4294967296}}},
#ifdef HAVE_zip
    {"Npz", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<double>("<f8", {0.1, 6})), kAuto, kF64, {{0, 1, 0.1}, {1, 0, 6}}},
    {"NpzInt", "g.npz", kTwoCsr, kF32, kF32, {{0, 1, 5}, {1, 0, 6}}},
    {"NpzLong", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<std::int64_t>("<i8", {5, kInf})), kAuto, kI64, {{0, 1, 5}, {1, 0, kInf}}},
    {"NpzLate", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<float>("<f4", {16777216, 0.5})), kAuto, kF32, {{0, 1, 16777216}, {1, 0, 0.5}}},
#endif
#ifdef HAVE_pugixml
    {"Graphml", "g.graphml", graphml(kNodes + "<edge source='a' target='b'><data key='w'>+0.1</data></edge>"), kAuto, kF64, {{0, 1, 0.1}}},
    {"GraphmlLong", "g.graphml", graphml(kNodes + "<edge source='a' target='b'><data key='w'>3000000000</data></edge>"), kAuto, kI64, {{0, 1, 3e9}}},
#endif
    {"Json", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": 0.1})"), kAuto, kF64, {{0, 1, 0.1}}},
    {"JsonLong", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": 3000000000})"), kAuto, kI64, {{0, 1, 3e9}}},
    {"JsonBeyondLong", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": 18446744073709551615})"), kAuto, kF64, {{0, 1, 0x1p64}}},
    {"JsonBeyondIntAsked", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": 4294967296})"), kF32, kF32, {{0, 1, 4294967296}}},
    {"BinEdges", "g.bin", raw({2, 2, 0, 1, 5, 1, 0, 0}), kF32, kF32, {{0, 1, 5}, {1, 0, 0}}},
    {"BinEdgesAsLong", "g.bin", raw({2, 2, 0, 1, 5, 1, 0, 0}), kI64, kI64, {{0, 1, 5}, {1, 0, 0}}},
    {"BinDense", "g.bin", raw({2, 2, 0, 5, kInf, 0}), kF32, kF32, {{0, 1, 5}}},
    {"BinDenseAsDoubles", "g.bin", raw({2, 2, 0, 5, kInf, 0}), kF64, kF64, {{0, 1, 5}}},
    {"Gr", "g.gr", "p sp 2 1\na 1 2 5\n", kF32, kF32, {{0, 1, 5}}},
    {"GrLong", "g.gr", "p sp 2 2\na 1 2 5\na 2 1 3000000000\n", kAuto, kI64, {{0, 1, 5}, {1, 0, 3e9}}},
    {"GrLongAsDoubles", "g.gr", "p sp 2 1\na 1 2 3000000000\n", kF64, kF64, {{0, 1, 3e9}}},
    {"MetisLong", "g.graph", "2 1 1\n2 1073741823\n1 1073741823\n", kAuto, kI64, {{0, 1, kInf}, {1, 0, kInf}}},
    {"WsgAsLong", "g.wsg", gap(false, 2, 3, {0, 1, 1, 2}, {2, 5, 0, 5}), kI64, kI64, {{0, 2, 5}, {2, 0, 5}}, 3},
};

const std::string kGz = gzipped("0 1 5\n1 0 6\n2 0 7\n");
std::string flipped(std::string bytes, std::size_t at) { bytes[at] ^= 0x55; return bytes; }
/// The parts of a message: ":3:" stands right after the path, other words anywhere else.
const Bad kBad[] = {
    {"BinEdgesCut", "g.bin", raw({4, 2, 0, 1, 5}), "32 20"},
    {"BinEdgesTrailing", "g.bin", raw({4, 1, 0, 1, 5}) + "x", "20 21"},
    {"BinDenseTrailing", "g.bin", raw({2, 2, 0, 1, 2, 0}) + "xy", "24 26", "bin-dense"},
    {"BinDenseAsEdges", "g.bin", raw({2, 2, 0, 1, 2, 0}), "32 24", "bin-edges"},
    {"BinRectangular", "g.bin", raw({2, 3, 0, 1, 2, 3, 4, 0}), "2 3", "bin-dense"},
    {"BinNegativeN", "g.bin", raw({-4, 1, 0, 1, 5}), "byte -4"},
    {"BinNegativeE", "g.bin", raw({4, -1}), "byte -1"},
    {"BinAbsurd", "g.bin", raw({2000000000, 2000000000, 0, 0, 0}), "20"},
    {"BinAbsurdE", "g.bin", raw({4, 400000000, 0, 1, 5}), "4800000008 20"},
    {"BinAbsurdDense", "g.bin", raw({30000, 30000, 0, 0, 0}), "3600000008 20", "bin-dense"},
    {"BinWrapsE", "g.bin", raw({5, 1 << 30}), "12884901896 8"},
    {"BinWrapsDense", "g.bin", raw({1 << 16, 1 << 16}), "17179869192 8", "bin-dense"},
    {"BinIdTooLarge", "g.bin", raw({4, 1, 0, 4, 5}), ": byte 4"},
    {"BinIdNegative", "g.bin", raw({4, 1, -1, 2, 5}), ": byte -1"},
    {"BinNegativeWeight", "g.bin", raw({12, 1, 10, 11, -7}), ": byte 10 11 -7"},
    {"BinEdgeOfInf", "g.bin", raw({4, 1, 0, 1, kInf}), ": byte 1073741823"},
    {"BinDenseNegative", "g.bin", raw({2, 2, 0, 1, -2, 0}), ": byte 1 0 -2"},
    {"BinDenseTooHeavy", "g.bin", raw({2, 2, 0, kInf + 1, 0, 0}), ": byte 1073741824"},
    {"GrNegativeWeight", "g.gr", "p sp 12 1\r\na 11 12 -7\r\n", ":2: 11 12 -7"},
    {"GrOnlyComments", "g.gr", "c hi\n", "p sp"},
    {"GrNulByte", "g.gr", std::string("p sp 3 1\na 1 2 3\0\n", 18), ":2:"},
    {"GrTooFew", "g.gr", "p sp 3 17\na 1 2 3\na 2 1 3\n", "17 2"},
    {"GrAbsurdE", "g.gr", "p sp 3 2000000000\na 1 2 3\n", "2000000000"},
    {"MtxNoSize", "g.mtx", kCoordinate + "% hi\n", ""},
    {"MtxTooFew", "g.mtx", kCoordinate + "3 3 17\n1 2 5\n", "17 1"},
    {"MtxTooMany", "g.mtx", kCoordinate + "30 30 1\n1 2 5\n2 1 5\n", "1"},
    {"MtxArrayAbsurd", "g.mtx", kMtx + "array integer general\n30000 30000\n0\n", ""},
    {"MtxArrayTooFew", "g.mtx", kMtx + "array integer general\n3 3\n0\n1\n2\n", "9 3"},
    {"MtxArrayTooMany", "g.mtx", kMtx + "array integer general\n1 1\n0\n0\n", "1"},
    {"MtxArrayNegative", "g.mtx", kMtx + "array integer general\n2 2\n0\n-2\n5\n0\n", ":4: -2 2 1"},
    {"MtxNegativeWeight", "g.mtx", kCoordinate + "12 12 1\n11 12 -7\n", ":3: 11 12 -7"},
    {"MetisNoHeader", "g.graph", "% hi\n", "n m"},
    {"MetisTooFewLines", "g.graph", "3 1\n2\n1\n", ":3: 2 3"},
    {"MetisTooManyLines", "g.graph", "2 1\n2\n1\n\n% hi\n1\n", ":6: 2 vertices"},
    {"MetisTooFewEntries", "g.graph", "3 2\n2\n1\n\n", ":4: 2 2"},
    {"MetisTooManyEntries", "g.graph", "3 1\n2\n1 3\n2\n", ":3: 1"},
    {"MetisOneWay", "g.graph", "% hi\n3 1\n%\n2\n\n%\n%\n1\n", ":4: 1-2 5 2"},
    {"MetisOneWayBack", "g.graph", "3 1\n\n1\n1\n", ":3: 2-1 2 1"},
    {"MetisOneWayUp", "g.graph", "3 2\n2 3\n1\n2\n", ":2: 1-3 4 3"},
    {"MetisTwoWeights", "g.graph", "2 1 1\n2 5\n1 6\n", ":2: 1-2 5 6 3"},
    {"MetisParallelOneWay", "g.graph", "3 3\n2 2 3\n1 3\n1\n", ":2: 1-2 3"},
    {"MetisAbsurd", "g.graph", "3 999999999999999999\n2\n1\n\n", ":4: 999,999,999,999,999,999"},
    {"MetisAbsurdN", "g.graph", "2000000000 1\n2\n1\n", ":3: 2000000000"},
    {"MetisNegativeWeight", "g.graph", "12 1 1" + repeated("\n", 11) + "12 -7\n11 -7\n", ":12: 11 12 -7"},
    {"SgHeaderCut", "g.sg", std::string(16, '\0'), ": byte 17 16"},
    {"SgFlag", "g.sg", "\2" + gap(false, 0, 0, {0}, {}).substr(1), ": byte 0 1 2"},
    {"SgNegativeEdges", "g.sg", gap(false, -1, 1, {0, 0}, {}), ": byte -1"},
    {"SgNegativeN", "g.sg", gap(false, 0, -1, {}, {}), ": byte -1"},
    {"SgAbsurdN", "g.sg", gap(false, 0, INT64_C(1) << 40, {0}, {}), ": byte 1099511627776"},
    {"SgAbsurdEdges", "g.sg", gap(false, INT64_C(1) << 62, 1, {0, 0}, {}), ": byte 4611686018427387904"},
    {"SgLarge", "g.sg", gap(false, 1 << 30, 1, {0, 0}, {}), ": byte 1073741824 4294967329 33"},
    {"SgCut", "g.sg", gap(false, 2, 2, {0, 1, 2}, {1, 0}).substr(0, 48), "49 48"},
    {"SgTrailing", "g.sg", gap(false, 2, 2, {0, 1, 2}, {1, 0}) + "x", "49 50"},
    {"SgNoInverse", "g.sg", gap(true, 2, 2, {0, 1, 2}, {1, 0}), "directed 81 49"},
    {"SgOffsetFirst", "g.sg", gap(false, 2, 2, {1, 1, 2}, {1, 0}), ": byte 17 0 1"},
    {"SgOffsetFalls", "g.sg", gap(false, 2, 3, {0, 2, 1, 2}, {1, 0}), ": byte 33 2 1"},
    {"SgOffsetBeyond", "g.sg", gap(false, 2, 2, {0, 3, 2}, {1, 0}), ": byte 25 3"},
    {"SgOffsetLast", "g.sg", gap(false, 2, 2, {0, 1, 1}, {1, 0}), ": byte 33 1 2"},
    {"SgId", "g.sg", gap(false, 2, 2, {0, 1, 2}, {1, 2}), ": byte 45 2 0..1"},
    {"SgIdNegative", "g.sg", gap(false, 2, 2, {0, 1, 2}, {-1, 0}), ": byte 41 -1"},
    {"SgOneWay", "g.sg", gap(false, 2, 3, {0, 1, 2, 2}, {1, 2}), ": byte 0 undirected 0->1 no reverse"},
    {"WsgTwoWeights", "g.wsg", gap(false, 2, 2, {0, 1, 2}, {1, 5, 0, 6}), ": byte 0 0->1 another weight"},
    {"WsgNegativeWeight", "g.wsg", gap(false, 2, 2, {0, 1, 2}, {1, 5, 0, -5}), ": byte 49 1 0 -5"},
    {"WsgEdgeOfInf", "g.wsg", gap(false, 2, 2, {0, 1, 2}, {1, kInf, 0, kInf}), ": byte 41 1073741823"},
    {"WsgOtherInverse", "g.wsg", gap(true, 2, 2, {0, 1, 2}, {1, 5, 0, 6}) + raw<std::int64_t>({0, 1, 2}) + raw({1, 5, 0, 6}), ": byte 57 other edges"},
#ifdef HAVE_zip
    {"NpzCut", "g.npz", kTwoCsr.substr(0, kTwoCsr.size() - 1), ": byte zip short"},
    {"NpzTrailing", "g.npz", kTwoCsr + "x", ": byte zip"},
    {"NpzNoZip", "g.npz", "hello, world, this is no archive at all", ": byte zip"},
    {"NpzOnlyEnd", "g.npz", "hello" + kTwoCsr.substr(kTwoCsr.size() - 22), "zip archive cannot"},
    {"NpzArray", "g.npz", zipped({{"arr_0.npy", npy("<i4", "2, 2", raw({0, 1, 2, 0}))}}), "format.npy numpy.save"},
    {"NpzDia", "g.npz", zipped(sparse("dia", 2, {})), "format.npy: 'dia' tocsr"},
    {"NpzRectangular", "g.npz", zipped({{"format.npy", npy("|S3", "", "csr")}, {"shape.npy", list<int>("<i4", {2, 3})}}), "shape.npy: byte 2 3 square"},
    {"NpzNegativeShape", "g.npz", zipped(sparse("csr", -1, {})), "shape.npy: byte -1"},
    {"NpzNoData", "g.npz", zipped(sparse("csr", 2, {{"indptr.npy", list<int>("<i4", {0, 1, 1})}, {"indices.npy", list<int>("<i4", {1})}})), "no member data.npy"},
    {"NpzShortIndptr", "g.npz", csr(3, {0, 1, 2}, {1, 0}, list<int>("<i4", {5, 6})), "indptr.npy: 3 4"},
    {"NpzLongIndices", "g.npz", csr(2, {0, 1, 2}, {1, 0, 1}, list<int>("<i4", {5, 6})), "indices.npy: 3 2"},
    {"NpzShortIndices", "g.npz", csr(2, {0, 1, 2}, {1}, list<int>("<i4", {5, 6})), "indices.npy: 1 2"},
    {"NpzOffsetFirst", "g.npz", csr(2, {1, 1, 2}, {1, 0}, list<int>("<i4", {5, 6})), "indptr.npy: byte 128 offset 1 0..0"},
    {"NpzOffsetFalls", "g.npz", csr(3, {0, 2, 1, 2}, {1, 0}, list<int>("<i4", {5, 6})), "indptr.npy: byte 136 1 2..2"},
    {"NpzOffsetBeyond", "g.npz", csr(2, {0, 3, 2}, {1, 0}, list<int>("<i4", {5, 6})), "indptr.npy: byte 132 3 0..2"},
    {"NpzOffsetLast", "g.npz", csr(2, {0, 1, 1}, {1, 0}, list<int>("<i4", {5, 6})), "indptr.npy: byte 136 1 2..2"},
    {"NpzId", "g.npz", csr(2, {0, 1, 2}, {1, 2}, list<int>("<i4", {5, 6})), "indices.npy: byte 132 vertex 2 0..1"},
    {"NpzIdNegative", "g.npz", csr(2, {0, 1, 2}, {-1, 0}, list<int>("<i4", {5, 6})), "indices.npy: byte 128 -1"},
    {"NpzIdReal", "g.npz", zipped(sparse("coo", 2, {{"row.npy", list<double>("<f8", {0})}, {"col.npy", list<int>("<i4", {1})}, {"data.npy", list<int>("<i4", {5})}})), "row.npy: f8 integers"},
    {"NpzNegative", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<int>("<i4", {5, -1})), "data.npy: byte 132 1->0 -1"},
    {"NpzEdgeOfInf", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<int>("<i4", {kInf, 6})), "data.npy: byte 128 0->1 1073741823"},
    {"NpzNan", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<double>("<f8", {0.5, NAN})), "data.npy: byte 136 1->0 nan"},
    {"NpzFractionAsInt", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<double>("<f8", {5, 1.5})), "data.npy: 1->0 1.5 --dtype f32", "", 0, -1, ErrorCode::kInput, kI32},
    {"NpzComplex", "g.npz", csr(2, {0, 1, 1}, {1}, npy("<c8", "1,", std::string(8, 0))), "data.npy: '<c8' bool float16"},
    {"NpzIdBool", "g.npz", zipped(sparse("coo", 2, {{"row.npy", npy("|b1", "1,", "\1")}, {"col.npy", list<int>("<i4", {1})}, {"data.npy", list<int>("<i4", {5})}})), "row.npy: b1 integers"},
    {"NpzTwoDimensions", "g.npz", csr(2, {0, 1, 1}, {1}, npy("<i4", "1, 1", raw({5}))), "data.npy: 1 (n,)"},
    {"NpzMemberCut", "g.npz", csr(2, {0, 1, 2}, {1, 0}, npy("<i4", "2,", raw({5}))), "data.npy: 4"},
    {"NpzMemberTrailing", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<int>("<i4", {5, 6}) + "x"), "data.npy: 9"},
    {"NpzAbsurd", "g.npz", csr(2, {0, 1, 2}, {1, 0}, npy("<i4", "4611686018427387906,", raw({5, 6}))), "data.npy: 8"},
    {"NpzPackedOtherwise", "g.npz", csr(2, {0, 1, 2}, {1, 0}, list<int>("<i4", std::vector<int>(2, 5)), ZIP_CM_BZIP2), "method 12"},
    {"NpzChecksum", "g.npz", flipped(csr(2, {0, 1, 2}, {1, 0}, list<int>("<i4", {5, 6}), ZIP_CM_STORE), 38 + 130), "indptr.npy:"},
#endif
#ifdef HAVE_pugixml
    {"GraphmlWrongXml", "g.graphml", graphml("<node id='a'>\n"), ":6: XML"},
    {"GraphmlOtherRoot", "g.graphml", "<gexf/>\n", ":1: graphml '<gexf>'"},
    {"GraphmlNoGraph", "g.graphml", "<graphml/>\n", ":1: <graph>"},
    {"GraphmlTwoGraphs", "g.graphml", "<graphml><graph edgedefault='directed'/>\n<graph/></graphml>\n", ":2: several"},
    {"GraphmlEdgedefault", "g.graphml", graphml("", "both"), ":4: 'both' undirected"},
    {"GraphmlNoEdgedefault", "g.graphml", "<graphml><graph/></graphml>\n", ":1: edgedefault"},
    {"GraphmlTypeOfWeight", "g.graphml", graphml(kNodes + "<edge source='a' target='b'><data key='w'>true</data></edge>", "directed", "boolean"), ":7: 'a'->'b' 'true'"},
    {"GraphmlOtherNumbers", "g.graphml", graphml(kNodes + "\n<edge source='a' target='b'><data key='l'>1.5</data></edge>").replace(49, 0, "<key id='l' for='edge' attr.name='length' attr.type='string'/><key id='m' for='edge' attr.name='lanes'><default>2</default></key><key id='n' for='node' attr.name='x'><default>2</default></key>"), ":8: 'lanes', 'length': --weight --unweighted"},
    {"GraphmlTwice", "g.graphml", graphml(kNodes + "<node id='a'/>"), ":7: 'a' twice"},
    {"GraphmlNoId", "g.graphml", graphml("<node/>"), ":5: id"},
    {"GraphmlEmptyId", "g.graphml", graphml("<node id=''/>"), ":5: id empty"},
    {"GraphmlLineInId", "g.graphml", graphml("<node id='a&#10;b'/>"), ":5: id line"},
    {"GraphmlNoNode", "g.graphml", graphml(kNodes + "<edge source='a' target='c'/>"), ":7: target 'c' no node"},
    {"GraphmlNoTarget", "g.graphml", graphml(kNodes + "<edge source='a'/>"), ":7: target"},
    {"GraphmlNegative", "g.graphml", graphml(kNodes + "\n<edge source='a' target='b'><data key='w'>-2</data></edge>"), ":8: 'a'->'b' '-2'"},
    {"GraphmlOverflow", "g.graphml", graphml(kNodes + "<edge source='a' target='b'><data key='w'>3000000000</data></edge>"), ":7: '3000000000' --dtype i64", "", 0, -1, ErrorCode::kInput, kI32},
    {"GraphmlWord", "g.graphml", graphml(kNodes + "<edge source='a' target='b'><data key='w'>5 x</data></edge>"), ":7: '5"},
    {"GraphmlTwoWeights", "g.graphml", graphml(kNodes + "<edge source='a' target='b'><data key='w'>5</data><data key='w'>5</data></edge>"), ":7: several weights"},
    {"GraphmlWeightMissing", "g.graphml", graphml(kNodes + "<edge source='a' target='b'><data key='w'>5</data></edge>\n<edge source='b' target='a'/>"), ":8: no weight 7"},
    {"GraphmlDirected", "g.graphml", graphml(kNodes + "<edge source='a' target='b' directed='yes'/>"), ":7: 'yes' true"},
    {"GraphmlHyperedge", "g.graphml", graphml(kNodes + "<hyperedge/>"), ":7: hyperedges"},
    {"GraphmlPort", "g.graphml", graphml("<node id='a'><port name='n'/></node>"), ":5: ports"},
    {"GraphmlPortOfEdge", "g.graphml", graphml(kNodes + "<edge source='a' target='b' sourceport='n'/>"), ":7: ports"},
    {"GraphmlNested", "g.graphml", graphml("<node id='a'><graph edgedefault='directed'/></node>"), ":5: nested"},
    {"GraphmlOtherTag", "g.graphml", graphml("<vertex id='a'/>"), ":5: '<vertex>'"},
    {"GraphmlTextBefore", "g.graphml", "hi\n" + graphml(""), ":1: 'hi"},
    {"GraphmlTextAfter", "g.graphml", graphml("") + "hi", ":6: 'hi'"},
    {"GraphmlTextWithin", "g.graphml", graphml(kNodes + "hi"), ":7: 'hi'"},
    {"GraphmlTwoRoots", "g.graphml", graphml("") + "<graphml/>", ":6: '<graphml>'"},
    {"GraphmlTwoIds", "g.graphml", graphml("<node id='a' id='b'/>"), ":5: two id"},
    {"GraphmlNulByte", "g.graphml", graphml(std::string("\0", 1)), ":5: zero"},
    {"GraphmlUtf16", "g.graphml", std::string("\xff\xfe<\0", 4), "UTF-16 iconv"},
#endif
    {"JsonCut", "g.json", "{\"directed\": true,\n", ":2: ends"},
    {"JsonWrong", "g.json", "{\"directed\": true,\n]", ":2: ']'"},
    {"JsonNan", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": NaN})"), ":3: JSON"},
    {"JsonHugeNumber", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": 1e999})"), "number"},
    {"JsonTrailing", "g.json", nodeLink("", "") + "{}", ":4: '{'"},
    {"JsonList", "g.json", "[]", "object"},
    {"JsonNoDirected", "g.json", R"({"nodes": [], "links": []})", "directed"},
    {"JsonDirected", "g.json", nodeLink("", "", "1"), "directed: '1'"},
    {"JsonNoNodes", "g.json", R"({"directed": true, "links": []})", "nodes"},
    {"JsonNoLinks", "g.json", R"({"directed": true, "nodes": []})", "links"},
    {"JsonLinksAndEdges", "g.json", R"({"directed": true, "nodes": [], "links": [], "edges": []})", "links edges"},
    {"JsonNodesAreNone", "g.json", R"({"directed": true, "nodes": {}, "links": []})", "nodes: list"},
    {"JsonNodeIsNone", "g.json", nodeLink(kTwoIds + ", 5", ""), "nodes[2]: '5'"},
    {"JsonNoId", "g.json", nodeLink("{}", ""), "nodes[0] id"},
    {"JsonIdOfList", "g.json", nodeLink(R"({"id": [1, 2]})", ""), "nodes[0].id: list"},
    {"JsonIdReal", "g.json", nodeLink(R"({"id": 1.5})", ""), "nodes[0].id: '1.5'"},
    {"JsonLineInId", "g.json", nodeLink(R"({"id": "a\nb"})", ""), "nodes[0].id: line"},
    {"JsonTwice", "g.json", nodeLink(kTwoIds + R"(, {"id": "7"})", ""), "nodes[2].id: '7' twice"},
    {"JsonNoTarget", "g.json", nodeLink(kTwoIds, R"({"source": "a"})"), "links[0] target"},
    {"JsonNoNode", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": "b"})"), "links[0].target: 'b' node"},
    {"JsonNoNodeAfterwards", "g.json", R"({"directed": true, "edges": [{"source": 1, "target": 2}, {"source": 1, "target": "b"}], "nodes": [{"id": 2}, {"id": 1}]})", "edges[1].target: 'b' node"},
    {"JsonNodesTwice", "g.json", R"({"directed": true, "nodes": [], "nodes": [], "edges": []})", "nodes twice"},
    {"JsonNegative", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": -2})"), "links[0]: '7' '-2'"},
    {"JsonOverflow", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": 3000000000})"), "links[0]: '3000000000' --dtype i64", "", 0, -1, ErrorCode::kInput, kI32},
    {"JsonText", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": "5 m"})"), "links[0]: weight '\"5"},
    {"JsonOtherNumbers", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "length": 1.5, "time": "3", "name": "x", "key": 0})"), "links: 'length', 'time': --weight --unweighted"},
    {"JsonManyNumbers", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8})"), "'e', ...: --weight"},
    {"JsonFractionAsInt", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": 1.5})"), "links[0]: '1.5' --dtype f32", "", 0, -1, ErrorCode::kInput, kI32},
    {"JsonWeightMissing", "g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7}, {"source": "a", "target": 7, "weight": 5})"), "links[1]: weight none"},
    {"NpyMagic", "g.npy", "hello, world, this is no array", "byte"},
    {"NpyHeaderCut", "g.npy", npy("<i4", "2, 2", "").substr(0, 60), "byte 128 60"},
    {"NpyNoShape", "g.npy", flipped(npy("<i4", "1, 1", raw({0})), 52), "byte"},
    {"NpyObject", "g.npy", npy("|O", "2, 2", std::string(32, 'x')), "|O"},
    {"NpyComplex", "g.npy", npy("<c8", "1, 1", std::string(8, 0)), "<c8"},
    {"NpyOneDimension", "g.npy", npy("<i4", "4,", raw({0, 1, 2, 0})), "4"},
    {"NpyRectangular", "g.npy", npy("<i4", "1, 2", raw({0, 1})), "1 2"},
    {"NpyCut", "g.npy", npy("<i4", "2, 2", raw({0, 1, 2})), "144 140"},
    {"NpyTrailing", "g.npy", npy("<i4", "2, 2", raw({0, 1, 2, 0}) + "x"), "144 145"},
    {"NpyAbsurd", "g.npy", npy("<i4", "30000, 30000", raw({0})), "3600000128 132"},
    {"NpyWrapsSize", "g.npy", npy("<i4", "4294967296, 4294967296", ""), "4294967296"},
    {"NpyNegativeShape", "g.npy", npy("<i4", "-1, -1", raw({0})), "-1"},
    {"NpyNegative", "g.npy", npy("<i4", "2, 2", raw({0, 5, -2, 0})), ": byte 1 0 -2"},
    {"NpyLongAsInt", "g.npy", npy("<i8", "2, 2", raw<std::int64_t>({0, 4294967296, 1, 0})), ": byte 0 1 4294967296 --dtype i64", "", 0, -1, ErrorCode::kInput, kI32},
    {"NpyLongNegative", "g.npy", npy("<i8", "2, 2", raw<std::int64_t>({0, 4294967296, -2, 0})), ": byte 144 1 0 -2 --negative"},
    {"NpyLongTooLarge", "g.npy", npy("<i8", "2, 2", raw<std::int64_t>({0, 1, kInf64 + 1, 0})), ": byte 144 1 0 4611686018427387904 4611686018427387902 .el"},
    {"NpyUint64TooLarge", "g.npy", npy("<u8", "2, 2", raw<std::uint64_t>({0, ~std::uint64_t{0}, 1, 0})), ": byte 136 0 1 18446744073709551615"},
    {"NpyLongUnclear", "g.npy", npy("<i8", "2, 2", raw<std::int64_t>({0, kInf, 4294967296, 0})), "1073741823 --dtype i64 -1"},
    {"NpyLongUnclearBeforeAMark", "g.npy", npy("<i8", "2, 2", raw<std::int64_t>({0, kInf, kInf64, 0})), "1073741823 --dtype i64 -1"},
    {"NpyDoubleUnclear", "g.npy", npy("<f8", "2, 2", raw<double>({0, 0.5, kInf, 0})), "1073741823 --dtype f64 inf"},
    {"MtxArrayUnclear", "g.mtx", kArray + "2 2\n0\n1073741823\n0.5\n0\n", "1073741823 --dtype f64 inf"},
    {"MtxArrayUnclearInteger", "g.mtx", kMtx + "array integer general\n2 2\n0\n1073741823\n1073741824\n0\n", "1073741823 --dtype i64 -1"},
    {"MatrixUnclear", "g", "0,1073741823\n4294967296,0\n", "1073741823 --dtype i64 inf", "matrix"},
    {"NpyNan", "g.npy", npy("<f8", "2, 2", raw<double>({0, std::nan(""), 1, 0})), ": byte nan inf numpy.where(numpy.isnan(m),"},
    {"NpyFraction", "g.npy", npy("<f8", "2, 2", raw<double>({0, 1, 1.5, 0})), ": byte 1 0 1.5", "", 0, -1, ErrorCode::kInput, kI32},
    {"NpyTooLarge", "g.npy", npy("<f8", "2, 2", raw<double>({0, 0.5, 1e39, 0})), ": byte 1 0 1e+39 --dtype f64", "", 0, -1, ErrorCode::kInput, kF32},
    {"NpyFractionAsLong", "g.npy", npy("<f8", "2, 2", raw<double>({0, 1, 1.5, 0})), ": byte 1 0 1.5 --dtype f64", "", 0, -1, ErrorCode::kInput, kI64},
    {"NpyMinusInf", "g.npy", npy("<f4", "2, 2", raw<float>({0, 0.5f, -HUGE_VALF, 0})), ": byte 1 0 -inf"},
    {"NpyNegativeReal", "g.npy", npy("<f4", "2, 2", raw<float>({0, -1.5f, 0.5f, 0})), ": byte 0 1 -1.5"},
    {"NpyRealFortran", "g.npy", npy("<f8", "2, 2", raw<double>({0, 0.5, -3, 0}), true), ": byte 0 1 -3"},
    {"ElIdZero", "g.el", "1 2\n0 1 5\n", ":2: 0", "", 1},
    {"ElIdTooLarge", "g.el", "0 1\n0 5 2\n", ":2: 5", "", 0, 5},
    {"ElLongLine", "g.el", "0 1 5\n#" + std::string(70000, 'x') + "\n1 0 6\n", ":2: 65536"},
    {"ElNegativeWeight", "g.el", "10 11 -7\n", ":1: 10 11 -7"},
    {"ElHeaderTooSmall", "g.el", "# hi\n2\n0 1 5\n1 2 6\n", ":4: 2 0..1 --base --vertices"},
    {"ElHeaderBaseOneIdZero", "g.el", "2\n0 1 5\n", ":2: 0 1..2 --base", "", 1},
    {"ElHeaderTwice", "g.el", "2\n0\n0 1 5\n", ":2: end"},
    {"ElHeaderTooLarge", "g.el", "2147483648\n0 1 5\n", ":1: 2147483647 2147483648"},
    {"ElHeaderNotSkipped", "g.el", "2\n0 1 5\n", ":1: end", "", 0, -1, ErrorCode::kInput, {}, 0},
    {"ElPairIsHeader", "g.el", "# hi\n3 2\n0 1 5\n1 2 6\n", ":2: header --skip-lines 2 --vertices 3"},
    {"ElPairIsHeaderOfUnweighted", "g.el", "# hi\n3 2\n0 1\n1 2\n", ":2: header edge --skip-lines 2 --vertices 3 1"},
    {"ElPairIsHeaderWhateverFollows", "g.el", "3 9\n0 1 5\n1 2 6\n", ":1: '3 header 2 --skip-lines 1 --vertices 3"},
    {"ElWeightMissing", "g.el", "0 1 5\n# hi\n1 0\n", ":3: no weight 1 all"},
    {"ElWeightTooMany", "g.csv", "0,1\n0,2\n1,0,5\n", ":3: weight 1 none all"},
    {"ElPairOfNoVerticesIsNoHeader", "g.el", "0 1\n1 2 3\n", ":2: has a weight line 1 has none"},
    {"ElWeightMissingInAttributes", "g.edgelist", "0 1 {'weight': 5}\n1 0 {}\n", ":2: no weight 1"},
    {"ElPairIsHeaderBaseOne", "g.el", "3 2\n3 1\n1 2\n", ":1: header edge --skip-lines 1 --vertices 3 0", "", 1},
    {"ElSnapGaps", "g.txt", "# hi\n# Nodes: 3 Edges: 2\n0 1\n7 2\n", ":2: 3 7 --vertices 8"},
    {"ElSnapFromOne", "g.txt", "# Nodes: 3 Edges: 2\n1 2\n3 2\n", ":1: 3 --base 1"},
    {"ElSnapNotFromOne", "g.txt", "# Nodes: 3 Edges: 2\n1 0\n3 2\n", ":1: 3 --vertices 4"},
    {"ElSnapGapsBaseOne", "g.txt", "# Nodes: 3 Edges: 2\n1 2\n7 2\n", ":1: 3 7 --vertices", "", 1},
    {"ElSnapTooLarge", "g.txt", "# Nodes: 2147483648\n0 1\n", ":1: 2147483648"},
    {"ElOnlyNames", "g.csv", "# hi\nsource,target\n", ":2: header --labels"},
    {"ElFourNames", "g.csv", "Source,Target,Type,Weight\n0,1,x,5\n", ":1: 3 4 --columns names"},
    {"ElWeightFirst", "g.csv", "weight,source,target\n5,0,1\n", ":1: source target order --columns"},
    {"ElSquareOfThree", "g.csv", "0,1,5\n1,0,6\n2,2,0\n", ":1: matrix --format el matrix"},
    {"ElSquareOfTwo", "g.tsv", "# hi\n0\t5\n5\t0\n", ":2: matrix --format el matrix"},
    {"ElSquareOfOnes", "g", "1;0\n0;1\n", ":1: matrix --format el matrix", "csv"},
    {"ElInfinityOfAMatrix", "g.csv", "0,inf\n5,0\n", ":1: 'inf': --format matrix"},
    {"MatrixTooFewRows", "g", "0 5\n", ":1: 1 row 2 entries", "matrix"},
    {"MatrixTooManyRows", "g", "0 5\n6 0\n7 0\n", ":3: 2 rows one more", "matrix"},
    {"MatrixRagged", "g", "0 5\n6\n", ":2: 2 entries found 1", "matrix"},
    {"MatrixEmptyEntry", "g", "0,5\n,0\n", ":2: entry 1 empty inf -1", "matrix"},
    {"MatrixWord", "g", "0,5\nx,0\n", ":2: 1->0: 'x'", "matrix"},
    {"MatrixNegative", "g", "0,5\n-2,0\n", ":2: 1->0: '-2' --negative", "matrix"},
    {"MatrixTwoSeparators", "g", "0;0,5\n", ":1: comma semicolon --decimal", "matrix"},
    {"MatrixNamesTwice", "g", "a,a\n0,5\n6,0\n", ":1: 'a' twice", "matrix"},
    {"MatrixNamesAlone", "g", "a,b\n", ":1: row", "matrix"},
    {"MatrixOtherName", "g", ",a,b\na,0,5\nc,6,0\n", ":3: 'c' column 2", "matrix"},
    {"ElNamesOfTwoOfThree", "g.csv", "From,To\n0,1,5\n1,0,6\n", ":2: 2 header line 1 3 --skip-lines 1"},
    {"ElVertexLast", "g.csv", "id,source,Target\n5,0,1\n", ":1: source target order"},
    {"ElNamesNotSkipped", "g.csv", "source,target\n0,1\n", ":1: source --labels", "", 0, -1, ErrorCode::kInput, {}, 0},
    {"ElTwoSeparators", "g.csv", "0;1;0,5\n", ":1: comma semicolon --decimal"},
    {"ElDecimalComma", "g.txt", "0 1 0,5\n", ":1: blanks '0 --decimal comma"},
    {"ElThousands", "g.txt", "1,000 2,000\n", ":1: blanks '000"},
    {"ElQuoteOpen", "g.csv", "0,1,5\n\"0,1,5\n", ":2: quote"},
    {"ElTextAfterQuote", "g.csv", "0,1,5\n\"0\"1,1,5\n", ":2: quote"},
    {"ElPairIsHeaderCommas", "g.csv", "3,2\n0,1\n1,2\n", ":1: header --skip-lines 1 --vertices 3 0"},
    {"ElLabel", "g.el", "0 1 5\nMyriel 0 1\n", ":2: 'Myriel' --labels"},
    {"ElLabelFirst", "g.el", "Napoleon Myriel 31\n", ":1: 'Napoleon' --labels"},
    {"ElLabelBeyondAscii", "g.el", "0 1 5\n0 \xc3\xa9\n", ":2: --labels"},
    {"ElLabelInQuotes", "g.csv", "0,1,5\n\"a\",0,1\n", ":2: 'a' --labels"},
    {"ElLargeId", "g.el", "0 4294967297 5\n", ":1: 4294967297 --labels"},
    {"ElLargerId", "g.el", "0 99999999999999999999 5\n", ":1: 99999999999999999999 --labels"},
    {"ElAttributesOther", "g.edgelist", "0 1 {'color': 'red', 'length': 3}\n", ":1: 'length': --weight --unweighted"},
    {"ElAttributesOpen", "g.edgelist", "0 1 {'weight': 3\n", ":1: write_weighted_edgelist"},
    {"ElAttributesWrong", "g.edgelist", "0 1 {'weight': 3,}\n", ":1: write_weighted_edgelist"},
    {"ElAttributesNoValue", "g.edgelist", "0 1 {'weight': }\n", ":1: write_weighted_edgelist"},
    {"ElAttributesTwo", "g.edgelist", "0 1 {'weight': 3} {}\n", ":1: write_weighted_edgelist"},
    {"ElAttributesNegative", "g.edgelist", "0 1 {'weight': -3}\n", ":1: 0->1 -3"},
    {"ElAttributesNone", "g.edgelist", "0 1 {'weight': None}\n", ":1: 0->1 None"},
    {"ElSnapGapsCompact", "g.txt", "# Nodes: 3 Edges: 2\n0 1\n7 2\n", ":1: --compact"},
    {"ElFourColumns", "g.el", "0 1 5\n1 0 6 7\n", ":2: 4: --columns 1,2,3 --format matrix"},
    {"ElFourColumnsTabs", "g.tsv", "0\t1\t5\t7\n", ":1: 4: --columns"},
    {"ElFourColumnsCommas", "g.csv", "0,1,5,7\n", ":1: 4: --columns"},
    {"ElMatrixOfReals", "g.txt", "0.0e+00 1.5e+00\n", ":1: '0.0e+00': --format matrix"},
    {"ElUtf16", "g.el", std::string("\xff\xfe" "0\0 \0", 6), "UTF-16 iconv"},
    {"GrUtf16BigEndian", "g.gr", std::string("\xfe\xff\0p\0 ", 6), "UTF-16 iconv"},
    {"ElWeightComma", "g.el", "0 1 5\n1 0 1,5\n", ":2: '1,5' decimal point --decimal comma"},
    {"MtxWeightComma", "g.mtx", kReal + "2 2 1\n1 2 1,5\n", ":3: '1,5' decimal point"},
    {"ElOverflowAsInt", "g.el", "0 1 3000000000\n", ":1: '3000000000' 1073741822 --dtype i64", "", 0, -1, ErrorCode::kInput, kI32},
    {"ElOverflowAsLong", "g.el", "0 1 4611686018427387903\n", ":1: '4611686018427387903' 4611686018427387902 --dtype f64", "", 0, -1, ErrorCode::kInput, kI64},
    {"ElOverflowAsFloat", "g.el", "0 1 1e300\n", ":1: '1e300' 3.4e+38 --dtype f64", "", 0, -1, ErrorCode::kInput, kF32},
    {"ElOverflowOfDoubles", "g.el", "0 1 0.5\n1 0 1e309\n", ":2: '1e309' 1.8e+308"},
    {"ElFractionAsLong", "g.el", "0 1 1.5\n", ":1: '1.5' --dtype f64", "", 0, -1, ErrorCode::kInput, kI64},
    {"ElFractionAsInt", "g.el", "0 1 1.5\n", ":1: '1.5' --dtype f32", "", 0, -1, ErrorCode::kInput, kI32},
    {"GrOverflow", "g.gr", "p sp 2 1\na 1 2 4611686018427387903\n", ":2: '4611686018427387903' 4611686018427387902 .el"},
    {"GrOverflowAsInt", "g.gr", "p sp 2 1\na 1 2 3000000000\n", ":2: '3000000000' 1073741822 --dtype i64", "", 0, -1, ErrorCode::kInput, kI32},
    {"ElNan", "g.el", "0 1 nan\n", ":1: 'nan' inf"},
#ifndef HAVE_pugixml
    {"GraphML", "g.graphml", "x", "read_graphml --labels", "", 0, -1, ErrorCode::kUsage},
#endif
#ifndef HAVE_zip
    {"Npz", "g.npz", "x", "scipy.io.mmwrite load_npz", "", 0, -1, ErrorCode::kUsage},
#endif
    {"Konect", "out.g", "% sym\n1 2\n", "--format el --base 1 --undirected", "", 0, -1, ErrorCode::kUsage},
    {"ElSkipTooMany", "g.el", "0 1\n1 0", "--skip-lines 3 2", "", 0, -1, ErrorCode::kInput, {}, 3},
    {"ElSkipCounts", "g.el", "hi\n\n0 x\n", ":3: x", "", 0, -1, ErrorCode::kInput, {}, 1},
    {"NpyLongHeader", "g.npy", npy("<i4", "2, 2", "", false, 2).replace(8, 4, raw({70000})) + std::string(70000, ' '), ": byte 70000 65535"},
    {"GzSecondMemberCut", "g.el.gz", kGz + kGz.substr(0, kGz.size() - 4), "gzip"},
    {"GzCorrupt", "g.el.gz", flipped(kGz, 14), "gzip"},
    {"GzChecksum", "g.el.gz", flipped(kGz, kGz.size() - 6), "gzip"},
    {"GzLine", "g.el.gz", gzipped("0 1 5\n") + gzipped("1 x 6\n"), ":2: x"},
    {"UnknownExtension", "g.xyz", "0 1\n", "unknown --format el", "", 0, -1, ErrorCode::kUsage},
    {"UnknownExtensionGz", "g.xyz.gz", kGz, "unknown --format el", "", 0, -1, ErrorCode::kUsage},
    {"UnknownFormat", "g.el", "0 1\n", "xyz --format", "xyz", 0, -1, ErrorCode::kUsage},
};

const char kRealWeights[] = "nan|NaN|-nan|-inf|-1.5|-1e-9|1e309|1e400|0x1p3|0x10|1.5.2|1,5|5x|x|--5|+-5|1e|.|-|e5";
const char kWeights[] = "nan|NaN|-inf|5x|0x10|x|--5|+-5|-2";
const char kWholeWeights[] = "nan|NaN|-inf|5x|0x10|x|--5|+-5|-2|4611686018427387903|9223372036854775807|18446744073709551617|99999999999999999999999";
const char kIds[] = "-1|1.5|x|1x|77|4294967297|18446744073709551617";
const BadLine kBadLines[] = {
    {"GrWeight", "g.gr", "p sp 3 1\na 1 2 @\n", ":2:", kWholeWeights},
    {"GrWeightAsFloat", "g.gr", "p sp 3 1\na 1 2 @\n", ":2:", "4611686018427387903|99999999999999999999", kF32},
    {"GrWeightAsInt", "g.gr", "p sp 3 1\na 1 2 @\n", ":2:", "1073741823|1073741824|4294967297", kI32},
    {"GrHead", "g.gr", "p sp 3 1\r\na 1 @ 2\r\n", ":2:", kIds},
    {"GrTail", "g.gr", "p sp 3 1\n\na @ 1 2\n", ":3:", kIds},
    {"GrArc", "g.gr", "p sp 3 1\n@\n", ":2:", "a 1 2|a 1 2 3 4|z 1 2 3|p sp 3 1|a 0 1 5|a 1 4 5"},
    {"GrFraction", "g.gr", "p sp 3 1\na 1 2 @\n", ":2:", "1.5|inf|5.0|1e3", kF32},
    {"MetisHeader", "g.graph", "@\n2\n1\n\n", ":1:", "-3 1|3 -1|3 |3 x|4294967299 1|3 1 2|3 1 0001|3 1 1.0|3 1 10 0|3 1 1 1|3 1 10 2 2"},
    {"MetisVertex", "g.graph", "3 1 1\n@ 5\n1 5\n\n", ":2:", "-1|1.5|x|0|4|4294967297"},
    {"MetisWeight", "g.graph", "3 1 1\n2 @\n1 5\n\n", ":2:", "nan|inf|1.5|-1|5x|4611686018427387903"},
    {"MetisWeightOfVertex", "g.graph", "3 1 11\n@ 2 5\n1 1 5\n\n", ":2:", "1.5|-1|x"},
    {"MtxFraction", "g.mtx", kCoordinate + "3 3 1\n1 2 @\n", ":3:", "1.5|inf|5.0|1e3", kF32},
    {"MtxArrayFraction", "g.mtx", kMtx + "array integer general\n2 2\n0\n@\n1\n0\n", ":4:", "1.5|inf|5.0|1e3", kF32},
    {"MtxRealAsInt", "g.mtx", kReal + "3 3 1\n1 2 @\n", ":3:", "1.5|1e10|1073741823|-1", kI32},
    {"MtxRealWeight", "g.mtx", kReal + "3 3 2\n1 3 0.5\n1 2 @\n", ":4:", kRealWeights},
    {"MtxRealWeightAsked", "g.mtx", kReal + "3 3 1\n1 2 @\n", ":3:", kRealWeights, kF32},
    {"MtxRealArray", "g.mtx", kArray + "2 2\n0\n@\n0.5\n0\n", ":4:", kRealWeights},
    {"ElAsInt", "g.el", "0 1 2.0\n0 1 @\n", ":2:", "1.5|1e10|1073741823|-1", kI32},
    {"ElRealWeight", "g.el", "0 1 0.5\n0 1 @\n", ":2:", kRealWeights},
    {"ElRealWeightAsked", "g.el", "0 1 5\n0 1 @\n", ":2:", kRealWeights, kF32},
    {"ElRealWeightAsFloat", "g.el", "0 1 5\n0 1 @\n", ":2:", "1e39|1e300|3.5e38", kF32},
    {"ElAsLong", "g.el", "0 1 2.0\n0 1 @\n", ":2:", "1.5|5e18|4611686018427387903|99999999999999999999|-1", kI64},
    {"GrHeader", "g.gr", "@\na 1 2 3\n", ":1:", "p max 3 1|p sp 3|p sp 3 1 1|p sp -3 1|p sp 3 -1|p sp 4294967299 1|a 1 2 3"},
    {"MtxWeight", "g.mtx", kCoordinate + "3 3 1\n1 2 @\n", ":3:", kWholeWeights},
    {"MtxReal", "g.mtx", kReal + "3 3 1\n1 2 @\n", ":3:", kWeights},
    {"MtxArray", "g.mtx", kArray + "2 2\n0\n@\n1\n0\n", ":4:", kWeights},
    {"MtxRow", "g.mtx", kReal + "3 3 1\n@ 2 5\n", ":3:", kIds},
    {"MtxColumn", "g.mtx", kCoordinate + "3 3 1\n2 @ 5\n", ":3:", kIds},
    {"MtxEntry", "g.mtx", kCoordinate + "3 3 1\n@\n", ":3:", "1 2|1 2 3 4|0 2 5|1 4 5"},
    {"MtxPattern", "g.mtx", kMtx + "coordinate pattern general\n3 3 1\n@\n", ":3:", "1 2 5|1 "},
    {"MtxSize", "g.mtx", kCoordinate + "@\n1 2 5\n", ":2:", "3 4 1|3 3|-3 -3 1|3 3 -1|3 3 x|4294967299 4294967299 1"},
    {"MtxBanner", "g.mtx", kMtx + "@\n2 2 1\n2 1 5\n", ":1:", "coordinate complex general|coordinate integer skew-symmetric|coordinate real hermitian|table real general|coordinate real"},
    {"MtxNoBanner", "g.mtx", "@\n2 2 1\n2 1 5\n", ":1:", "%|2 2 1|%%MatrixMarkt matrix coordinate integer general"},
    {"ElWeight", "g.el", "0 1 @", ":1:", kWeights},
    {"ElFrom", "g.el", "\xef\xbb\xbf" "0 1\n@ 1 2\n", ":2:", "-1|1.5|x|2147483647|4294967297"},
    {"ElCommaLine", "g.csv", "0,1\n@\n", ":2:", "3 |0, 1,5,6|0 1 5|0, ,5| ,1,5|0,1, |0 0,1|0,1,5 6|0;1 ;5"},
    {"ElLine", "g.el", "0 1\n@\n", ":2:", "3 |0 1 5 6|0,1,5|0 1 5 # hi"},
};
// clang-format on

template <class Row>
std::string rowName(const testing::TestParamInfo<Row>& info) {
  return info.param.name;
}

class LabelledFile : public testing::TestWithParam<Named> {};
class CompactFile : public testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(Table, LabelledFile, testing::ValuesIn(kLabels), rowName<Named>);
INSTANTIATE_TEST_SUITE_P(Table, CompactFile, testing::ValuesIn(kCompact), rowName<Named>);
class GoodFile : public testing::TestWithParam<Good> {};
class RealFile : public testing::TestWithParam<Real> {};
class BadFile : public testing::TestWithParam<Bad> {};
class BadLines : public testing::TestWithParam<BadLine> {};
INSTANTIATE_TEST_SUITE_P(Table, GoodFile, testing::ValuesIn(kGood), rowName<Good>);
INSTANTIATE_TEST_SUITE_P(Table, RealFile, testing::ValuesIn(kReals), rowName<Real>);
INSTANTIATE_TEST_SUITE_P(Table, BadFile, testing::ValuesIn(kBad), rowName<Bad>);
INSTANTIATE_TEST_SUITE_P(Table, BadLines, testing::ValuesIn(kBadLines), rowName<BadLine>);

TEST_P(GoodFile, IsRead) {
  const TempDir dir;
  const Good& row = GetParam();
  writeBytes(dir / row.file, row.bytes);
  const FileGraph graph =
      readGraph(dir / row.file, {row.format, row.base, row.vertices, {}, row.skipLines});
  EXPECT_EQ(row.n, graph.n);
  EXPECT_EQ(row.edges, triples(graph));
  EXPECT_EQ(row.duplicates, graph.report.dropped.duplicates);
  EXPECT_EQ(row.selfLoops, graph.report.dropped.selfLoops);
}

void expectNamed(const Named& row, bool labels) {
  const TempDir dir;
  writeBytes(dir / row.file, row.bytes);
  std::vector<int> told;
  ReadOptions options;
  options.base = row.base;
  options.skipLines = row.skipLines;
  options.onSize = [&](int n, Dtype, std::int64_t) { told.push_back(n); };
  (labels ? options.labels : options.compact) = true;
  const FileGraph graph = readGraph(dir / row.file, options);
  EXPECT_EQ(row.edges, triples(graph));
  std::string names = row.names;
  if (!names.empty()) names += '|';
  EXPECT_EQ(graph.n, std::count(names.begin(), names.end(), '|'));
  EXPECT_EQ(std::vector<int>{graph.n}, told);
  std::replace(names.begin(), names.end(), '|', '\n');
  EXPECT_EQ(names, graph.report.names);
}

TEST_P(LabelledFile, IsRead) {
  expectNamed(GetParam(), true);
}

TEST_P(CompactFile, IsRead) {
  expectNamed(GetParam(), false);
}

TEST(Labels, AreRefusedWithTheLine) {
  const TempDir dir;
  for (const auto& [bytes, parts] : std::vector<std::pair<std::string, std::string>>{
           {"a b 5\nb c d\n", ":2: 'b'->'c' 'd' quotes"},
           {"a b c\n", ":1: 'a'->'b' 'c' --skip-lines 1 header"},
           {"a b 5\nb c -7\n", ":2: 'b'->'c' '-7'"},
           {"a b 5\nb\n", ":2: 2 3 1"},
           {"a b 5\nb c 5 d\n", ":2: 4 quotes"},
           {"a b 5\n#b c 6\n", ":2: '#b edge comment quotes blank #"},
           {"%2 c 6\na b 5\n", ":1: '%2 edge comment %"},
           {"a,b\n#b,c\n", ":2: '#b,c' edge comment"},
           {"a b\nb c 5\n", ":2: weight 1 none"},
           {"5\na b\n", ":1: 1"},
           {"from to\na b\n", ":1: header edge --skip-lines 1 0"},
           {"weight,from,to\n5,a,b\n", ":1: order"},
           {"3 2\na b\nb c\n", ":1: '3 2' header edge --skip-lines 1 0"},
           {"a,b,5\nb,,6\n", ":2: 2 empty"},
           {"a,b,5\nb,\"\",6\n", ":2: 2 empty"},
           {"a,b,5\nb,c,\n", ":2: 3 empty"},
           {"New York,b,5\n", ":1: 'New quotes"},
           {"a b,5\n", ":1: 'a b' quotes"},
           {"a,b\tc,5\n", ":1: comma tab"},
           {"\"a b 5\n", ":1: quote"},
           {"a b {'c': 5}\n", ":1: 'c': --weight"},
           {"origin destination\na b\n", ":1: header edge --skip-lines 1 0"},
           {"a,b,5,7\n", ":1: 4: --columns"}}) {
    SCOPED_TRACE(bytes);
    writeBytes(dir / "g.el", bytes);
    ReadOptions options;
    options.labels = true;
    expectError(ErrorCode::kInput, dir / "g.el", parts, [&] { readGraph(dir / "g.el", options); });
  }
}

TEST(Numbering, IsRefusedWhereItMeansNothing) {
  const TempDir dir;
  const auto expect = [&](const char* file, const char* parts, auto set) {
    ReadOptions options;
    set(options);
    const std::string path = std::string("data/") + file;
    expectError(ErrorCode::kUsage, path, parts, [&] { readGraph(path, options); });
  };
  expect("tiny.gr", "--labels el gr", [](ReadOptions& o) { o.labels = true; });
  expect("tiny.npy", "--compact matrix", [](ReadOptions& o) { o.compact = true; });
  expect("tiny-dense.bin", "--compact matrix", [](ReadOptions& o) { o.compact = true; });
  expect("tiny.el", "--vertices", [](ReadOptions& o) { o.compact = true, o.vertices = 9; });
  expect("tiny.el", "--vertices", [](ReadOptions& o) { o.labels = true, o.vertices = 9; });
  expect("tiny.el", "--base", [](ReadOptions& o) { o.labels = true, o.base = 1; });
  expect("tiny.el", "--compact", [](ReadOptions& o) { o.labels = o.compact = true; });
}

TEST(Names, OfNodesAreKeptUnlessTheyAreTheNumbers) {
  const TempDir dir;
  std::vector<std::pair<std::string, std::string>> files = {
      {"g.json",
       nodeLink(R"({"id": "a b"}, {"id": "c"}, {"id": 7})", R"({"source": 7, "target": "a b"})")}};
#ifdef HAVE_pugixml
  files.emplace_back(
      "g.graphml",
      graphml("<node id='a b'/><node id='c'/><node id='7'/><edge source='7' target='a b'/>"));
#endif
  for (const auto& [name, bytes] : files) {
    writeBytes(dir / name, bytes);
    EXPECT_EQ("a b\nc\n7\n", readGraph(dir / name).report.names);
    ReadOptions options;
    options.compact = true;
    const FileGraph compact = readGraph(dir / name, options);
    EXPECT_EQ("a b\n7\n", compact.report.names);
    EXPECT_EQ((Triples{{1, 0, 1}}), triples(compact));
  }
  writeBytes(dir / "g.json", nodeLink(R"({"id": 0}, {"id": "1"})", ""));
  EXPECT_EQ("", readGraph(dir / "g.json").report.names);
}

// The memory is asked for as soon as n is known, and that is when the ids are known, too.
TEST(Compact, IsNamedByTheMemoryErrorIfMostIdsAreUnused) {
  const TempDir dir;
  const auto message = [&](const std::string& bytes) {
    writeBytes(dir / "g.el", bytes);
    ReadOptions options;
    options.onSize = [](int, Dtype, std::int64_t) { throw Error(ErrorCode::kMemory, "short"); };
    try {
      readGraph(dir / "g.el", options);
    } catch (const Error& error) {
      EXPECT_EQ(ErrorCode::kMemory, error.code);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ("short; 2 of the 1000002 ids have an edge: --compact leaves out the others",
            message("1000000 1000001 5\n"));
  EXPECT_EQ("short", message("0 3\n"));
  EXPECT_EQ("short; 2 of the 5 ids have an edge: --compact leaves out the others",
            message("0 4\n"));
}

TEST_P(RealFile, IsRead) {
  const TempDir dir;
  const Real& row = GetParam();
  writeBytes(dir / row.file, row.bytes);
  ReadOptions options;
  options.dtype = row.asked;
  const FileGraph graph = readGraph(dir / row.file, options);
  EXPECT_EQ(row.n, graph.n);
  EXPECT_EQ(nameOf(row.dtype), std::string(nameOf(graph.dtype())));
  EXPECT_EQ(row.edges, doubles(graph));
}

FileGraph readFrom(const std::string& file, const std::string& bytes,
                   const ReadOptions& options = {}) {
  const TempDir dir;
  writeBytes(dir / file, bytes);
  return readGraph(dir / file, options);
}

TEST(Labels, OfATableThatOneLineHasMayBeAHeader) {
  const TempDir dir;
  for (const char* file : {"g.csv", "g.tsv"}) {
    writeBytes(dir / file, "Quelle;Ziel\na;b\nb;c\n");
    ReadOptions options;
    options.labels = true;
    expectError(ErrorCode::kInput, dir / file, ":1: no other line header edge --skip-lines 1 0",
                [&] { readGraph(dir / file, options); });
    options.skipLines = 1;
    EXPECT_EQ("a\nb\nc\n", readGraph(dir / file, options).report.names);
    options.skipLines = 0;
    EXPECT_EQ("Quelle\nZiel\na\nb\nc\n", readGraph(dir / file, options).report.names);
  }
}

const std::string kLengths =
    R"({"source": "a", "target": 7, "length": "5", "t": 8}, {"source": 7, "target": "a", "length": 6})";
std::vector<std::pair<std::string, std::string>> filesWithLengths() {
  return {{"g.json", nodeLink(kTwoIds, kLengths)},
#ifdef HAVE_pugixml
          {"g.graphml",
           "<graphml><key id='k' for='edge' attr.name='length' attr.type='string'/><key id='t' "
           "for='edge' attr.name='t' attr.type='int'/><graph edgedefault='directed'>" +
               kNodes +
               "<edge source='a' target='b'><data key='k'> 5 </data><data key='t'>8</data></edge>"
               "<edge source='b' target='a'><data key='k'>6.0</data></edge></graph></graphml>"},
#endif
          {"g.edgelist", "0 1 {'length': '5', 't': 8}\n1 0 {'t': 3, 'length': 6}\n"},
          {"g.csv", "u,v,name,length\n0,1,\"x, y\",5\n1,0,,6\n"},
          {"g.tsv", "u\tv\tname\tlength\n0\t1\tx, y\t5\n1\t0\tz\t6\n"}};
}

TEST(Weights, AreWhatTheUserNames) {
  for (const auto& [file, bytes] : filesWithLengths()) {
    SCOPED_TRACE(file);
    ReadOptions options;
    options.weight = "length";
    const FileGraph graph = readFrom(file, bytes, options);
    EXPECT_EQ(kTwo, triples(graph));
    EXPECT_FALSE(graph.report.unweighted);
  }
}

TEST(Weights, ThatAreNamedAreOnEveryEdge) {
  const TempDir dir;
  const auto expect = [&](const std::string& file, std::string bytes, const char* name,
                          const char* parts) {
    writeBytes(dir / file, bytes);
    ReadOptions options;
    options.weight = name;
    expectError(ErrorCode::kInput, dir / file, parts, [&] { readGraph(dir / file, options); });
  };
  const auto files = filesWithLengths();
  for (const auto& [file, bytes] : files) {
    const bool table = file == "g.csv" || file == "g.tsv";
    expect(file, bytes, "lenght", table ? ":1: 'lenght' header" : "'lenght' 'length', 't'");
  }
  expect("g.json", nodeLink(kTwoIds, kLengths), "t", "links[1]: 't' '7' '\"a\"'");
  expect("g.edgelist", "0 1 {'t': 8}\n1 0 {'s': 3}\n", "t", ":2: 't' 's'");
  expect("g.edgelist", "0 1 {'t': 8}\n1 0\n", "t", ":2: no weight 1");
  expect("g.edgelist", "0 1 {'name': 'x y'}\n", "name", ":1: 0->1 'x");
  expect("g.el", "0 1\n", "t", ":1: 't' '0");
  expect("g.csv", "u,v,t,t\n0,1,2,3\n", "t", ":1: two 't'");
#ifdef HAVE_pugixml
  expect(files[1].first, files[1].second, "t", ":3: 'b'->'a' 't' 'length'");
#endif
}

TEST(Weights, DoNotCountIfTheUserSaysSo) {
  ReadOptions options;
  options.unweighted = true;
  const Triples ones = {{0, 1, 1}, {1, 0, 1}};
  for (const auto& [file, bytes] : filesWithLengths()) {
    SCOPED_TRACE(file);
    options.columns = bytes.substr(0, 1) == "u" ? "u,v,length" : "";
    const FileGraph graph = readFrom(file, bytes, options);
    EXPECT_EQ(ones, triples(graph));
    EXPECT_FALSE(graph.report.unweighted);
  }
  options.columns = "";
  EXPECT_EQ(ones, triples(readFrom("g.el", "0 1 0.5\n1 0 x\n", options)));
  EXPECT_EQ(ones, triples(readFrom("g.el", "0 1 {'weight': 4}\n1 0\n", options)));
  EXPECT_THROW(readFrom("g.el", "0 1 5 6\n", options), Error);
}

TEST(Weights, ThatAFileHasNotAreSaid) {
  std::vector<std::pair<std::string, std::string>> files = {
      {"g.el", "0 1\n"},
      {"g.csv", "u,v\n0,1\n"},
      {"g.edgelist", "0 1 {}\n"},
      {"g.mtx", kMtx + "coordinate pattern general\n2 2 1\n1 2\n"},
      {"g.sg", gap(false, 2, 2, {0, 1, 2}, {1, 0})},
      {"g.graph", "2 1\n2\n1\n"},
      {"g.npy", npy("|b1", "1, 1", std::string(1, '\0'))},
      {"g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "name": "x"})")}};
#ifdef HAVE_pugixml
  files.emplace_back("g.graphml", graphml(kNodes + "<edge source='a' target='b'/>"));
#endif
#ifdef HAVE_zip
  files.emplace_back("g.npz", csr(2, {0, 1, 1}, {1}, npy("|b1", "1,", "\1")));
#endif
  for (const auto& [file, bytes] : files)
    EXPECT_TRUE(readFrom(file, bytes).report.unweighted) << file;
  files = {{"g.el", "0 1 1\n"},
           {"g.mtx", kCoordinate + "2 2 1\n1 2 1\n"},
           {"g.wsg", gap(false, 2, 2, {0, 1, 2}, {1, 1, 0, 1})},
           {"g.graph", "2 1 1\n2 1\n1 1\n"},
           {"g.npy", npy("|u1", "1, 1", "\1")},
           {"g.json", nodeLink(kTwoIds, R"({"source": "a", "target": 7, "weight": 1})")}};
  for (const auto& [file, bytes] : files)
    EXPECT_FALSE(readFrom(file, bytes).report.unweighted) << file;
}

TEST(Columns, ArePickedByNameOrNumber) {
  struct Picked {
    const char *file, *bytes, *columns;
    bool labels = false;
    Triples edges = kTwo;
    const char* weight = "";
  };
  const char names[] =
      "id,from,to,\"k m\",minutes\n7,a b,\"b, \"\"c\"\"\",9,5\n8,\"b, \"\"c\"\"\",a b,9,6\n";
  const char numbers[] = "id from to km minutes\n7 0 1 5 2\n8 1 0 6 4\n";
  const Triples nine = {{0, 1, 9}, {1, 0, 9}}, one = {{0, 1, 1}, {1, 0, 1}};
  for (const Picked& row : std::vector<Picked>{
           {"g.csv", names, "from,to,minutes", true},
           {"g.csv", names, "2,to,5", true},
           {"g.csv", names, "from,to,\"k m\"", true, nine},
           {"g.csv", names, "from,to", true, nine, "k m"},
           {"g.el", numbers, "from,to,km"},
           {"g.el", numbers, "2,3,4"},
           {"g.el", numbers, "2,3", false, one},
           {"g.el", numbers, "from,to", false, kTwo, "km"},
           {"g.tsv", "0\tx y, z\t1\t5\n1\t\t0\t6\n", "1,3,4"},
           {"g.el", "0 1 5\n1 0 6\n", "2,1,3", false, {{0, 1, 6}, {1, 0, 5}}},
           {"g.csv", "x,from,to\n1,a,b\n2,b,a\n", "2,3,1", true, {{0, 1, 1}, {1, 0, 2}}}}) {
    SCOPED_TRACE(testing::Message() << row.bytes << row.columns);
    ReadOptions options;
    options.columns = row.columns;
    options.labels = row.labels;
    options.weight = row.weight;
    const FileGraph graph = readFrom(row.file, row.bytes, options);
    EXPECT_EQ(row.edges, triples(graph));
    EXPECT_EQ(row.bytes == names ? "a b\nb, \"c\"\n"
              : row.labels       ? "a\nb\n"
                                 : "",
              graph.report.names);
  }
}

TEST(Columns, AreRefusedWhereTheyAreNot) {
  const TempDir dir;
  const auto expect = [&](ErrorCode code, const char* bytes, const char* columns, const char* parts,
                          const char* weight = "") {
    SCOPED_TRACE(columns);
    writeBytes(dir / "g.csv", bytes);
    ReadOptions options;
    options.columns = columns;
    options.weight = weight;
    expectError(code, code == ErrorCode::kUsage ? "" : dir / "g.csv", parts,
                [&] { readGraph(dir / "g.csv", options); });
  };
  const char file[] = "# hi\nfrom,to,from,km\n0,1,2,3\n4,5\n";
  expect(ErrorCode::kInput, file, "to,kM", ":2: 'kM' header 'from,to");
  expect(ErrorCode::kInput, file, "from,to", ":2: two 'from'");
  expect(ErrorCode::kInput, file, "to,km", ":4: column 4 2");
  expect(ErrorCode::kInput, file, "1,9", ":2: column 9 4");
  expect(ErrorCode::kInput, "0,,2\n", "1,2", ":1: field 2 empty");
  for (const char* columns : {"1", "1,2,3,4", ",", "1,2,", "\"1,2"})
    expect(ErrorCode::kUsage, file, columns, "--columns from,to,minutes");
  expect(ErrorCode::kUsage, file, "1,2,3", "--columns --weight", "km");
}

TEST(DecimalCommas, AreReadIfTheUserSaysSo) {
  ReadOptions options;
  options.decimalComma = true;
  const Doubles halves = {{0, 1, 0.5}, {1, 0, 1250}};
  for (const auto& [file, bytes] : std::vector<std::pair<const char*, const char*>>{
           {"g.csv", "0;1;0,5\n1;0;1,25e3\n"},
           {"g.tsv", "0\t1\t0,5\n1\t0\t1250\n"},
           {"g.txt", "0 1 0,5\n1 0 1250,0\n"},
           {"g.csv", "u,v,w\n0,1,\"0,5\"\n1,0,\"1250\"\n"},
           {"g.el", "u;v;w\n0;1;\"0,5\"\n1;0;+1250,\n"}})
    EXPECT_EQ(halves, doubles(readFrom(file, bytes, options))) << bytes;
  options.format = "matrix";
  EXPECT_EQ(halves, doubles(readFrom("g", "0;0,5\n1250;0\n", options)));
  EXPECT_EQ(halves, doubles(readFrom("g", "0 0,5\n1250,0 0\n", options)));
  options.format = "";
  const TempDir dir;
  writeBytes(dir / "g.csv", "0;1;0,5\n0;2;1.250\n");
  expectError(ErrorCode::kInput, dir / "g.csv", ":2: 0->2 '1.250'",
              [&] { readGraph(dir / "g.csv", options); });
}

TEST(Matrices, AsTextMayHoldRealNumbers) {
  const FileGraph graph = readFrom("g", "0 6\n0.1 0\n", {"matrix"});
  EXPECT_EQ(kF64, graph.dtype());
  EXPECT_EQ((Doubles{{0, 1, 6}, {1, 0, 0.1}}), doubles(graph));
  EXPECT_THROW(readFrom("g", "0 6\n0.1 0\n", {"matrix", 0, -1, kI32}), Error);
}

TEST(Matrices, AsTextMayHaveNames) {
  for (const char* bytes : {",a b,c\na b,0,5\nc,6,0\n", "\"a b\";\"c\"\n0;5\n6;0\n",
                            "x,a b,c\na b,0,5\nc,6,0\n", "a b\tc\na b\t0\t5\nc\t6\t0\n"}) {
    const FileGraph graph = readFrom("g.csv", bytes, {"matrix"});
    EXPECT_EQ(kTwo, triples(graph)) << bytes;
    EXPECT_EQ("a b\nc\n", graph.report.names) << bytes;
  }
  EXPECT_EQ("", readFrom("g.csv", ",0,1\n0,0,5\n1,6,0\n", {"matrix"}).report.names);
  EXPECT_EQ("7\n8\n", readFrom("g.csv", ",7,8\n7,0,5\n8,6,0\n", {"matrix"}).report.names);
}

TEST(Halves, AreThoseOfNumPy) {
  for (const auto& [bits, value] :
       std::vector<std::pair<std::uint16_t, double>>{{0x3c00, 1},
                                                     {0xbc00, -1},
                                                     {0x3555, 0x1.554p-2},
                                                     {0x7bff, 65504},
                                                     {0x0400, 0x1p-14},
                                                     {0x03ff, 0x1.ff8p-15},
                                                     {0x0001, 0x1p-24},
                                                     {0x7c00, HUGE_VAL},
                                                     {0xfc00, -HUGE_VAL}})
    EXPECT_EQ(value, Half{bits}.value()) << bits;
  EXPECT_TRUE(std::isnan(Half{0x7e00}.value()));
}

/// What the zeros of these bytes are read as if the user says `zero`.
struct ZerosRead {
  std::size_t zeros;
  Zero as;
  Doubles edges;
  bool operator==(const ZerosRead& o) const {
    return zeros == o.zeros && as == o.as && edges == o.edges;
  }
};
std::ostream& operator<<(std::ostream& out, const ZerosRead& read) {
  return out << read.zeros << " zeros as " << static_cast<int>(read.as) << " and "
             << testing::PrintToString(read.edges);
}

ZerosRead zerosOf(const std::string& file, const std::string& bytes, Zero zero = Zero::kUnclear,
                  const std::string& format = "") {
  const TempDir dir;
  writeBytes(dir / file, bytes);
  ReadOptions options;
  options.format = format;
  options.zero = zero;
  const FileGraph graph = readGraph(dir / file, options);
  return {graph.report.zeros, graph.report.zero, doubles(graph)};
}

TEST(Zeros, OfAMatrixAreEdgesOrNone) {
  const std::string integers = npy("<i4", "2, 2", raw({0, 0, 6, 0}));
  const std::string reals = npy("<f8", "2, 2", raw<double>({0, -0.0, 6, 0}));
  const std::string fractions = npy("<f4", "2, 2", raw<float>({0, -0.0f, 0.5, 0}), true);
  const std::string longs = npy("<i8", "2, 2", raw<std::int64_t>({0, 0, INT64_C(1) << 40, 0}));
  const std::string array = kMtx + "array integer general\n2 2\n0\n6\n0\n0\n";
  const std::string symmetric = kMtx + "array real symmetric\n2 2\n0\n0.0\n0\n";
  const std::string layout = raw({2, 2, 0, 0, 6, 0});
  const Doubles both = {{0, 1, 0}, {1, 0, 6}}, one = {{1, 0, 6}};
  for (const auto& [file, bytes, edges, none] :
       std::vector<std::tuple<const char*, std::string, Doubles, Doubles>>{
           {"g.npy", integers, both, one},
           {"g.npy", reals, both, one},
           {"g.npy", fractions, {{0, 1, 0.5}, {1, 0, 0}}, {{0, 1, 0.5}}},
           {"g.npy", longs, {{0, 1, 0}, {1, 0, 0x1p40}}, {{1, 0, 0x1p40}}},
           {"g.mtx", array, both, one},
           {"g.mtx", symmetric, {{0, 1, 0}, {1, 0, 0}}, {}}}) {
    SCOPED_TRACE(bytes);
    const std::size_t zeros = edges.size() - none.size();
    EXPECT_EQ((ZerosRead{zeros, Zero::kUnclear, edges}), zerosOf(file, bytes));
    EXPECT_EQ((ZerosRead{zeros, Zero::kEdge, edges}), zerosOf(file, bytes, Zero::kEdge));
    EXPECT_EQ((ZerosRead{zeros, Zero::kNoEdge, none}), zerosOf(file, bytes, Zero::kNoEdge));
  }
  for (const char* format : {"", "bin-dense"}) {
    EXPECT_EQ((ZerosRead{1, Zero::kEdge, both}), zerosOf("g.bin", layout, Zero::kUnclear, format));
    EXPECT_EQ((ZerosRead{1, Zero::kNoEdge, one}), zerosOf("g.bin", layout, Zero::kNoEdge, format));
  }
}

TEST(Zeros, AreClearWhereTheMatrixMarksNoEdgeOtherwise) {
  for (int mark : {-1, kInf}) {
    EXPECT_EQ((ZerosRead{1, Zero::kEdge, {{0, 1, 0}}}),
              zerosOf("g.npy", npy("<i4", "2, 2", raw({0, 0, mark, 0}))));
    EXPECT_EQ((ZerosRead{1, Zero::kUnclear, {{0, 1, 0}, {1, 0, 5}}}),
              zerosOf("g.npy", npy("<i4", "2, 2", raw({mark, 0, 5, mark}))))
        << "the diagonal says nothing";
  }
  for (float mark : {HUGE_VALF, -1.f})
    EXPECT_EQ((ZerosRead{1, Zero::kEdge, {{0, 1, 0}}}),
              zerosOf("g.npy", npy("<f4", "2, 2", raw<float>({0, 0, mark, 0}))));
  EXPECT_EQ((ZerosRead{1, Zero::kEdge, {{0, 1, 0}}}),
            zerosOf("g.mtx", kArray + "2 2\n0\ninf\n0\n0\n"));
}

TEST(MinusOnes, OfAMatrixAreCountedOffTheDiagonal) {
  for (const auto& [file, bytes, count] :
       std::vector<std::tuple<const char*, std::string, std::size_t>>{
           {"g.npy", npy("<i4", "2, 2", raw({-1, 5, -1, 0})), 1},
           {"g.npy", npy(">i4", "2, 2", swapped<int>({0, -1, -1, 0})), 2},
           {"g.npy", npy("<i8", "2, 2", raw<std::int64_t>({-1, 5, -1, 0})), 1},
           {"g.npy", npy("|i1", "2, 2", raw<std::int8_t>({0, -1, -1, 0})), 2},
           {"g.npy", npy("<u4", "2, 2", raw({0, kInf, 1, 0})), 0},
           {"g.npy", npy("|b1", "2, 2", std::string("\0\1\0\0", 4)), 0},
           {"g.npy", npy("<f2", "2, 2", raw<std::uint16_t>({0xbc00, 0xbc00, 0, 0})), 1},
           {"g.npy", npy("<f8", "2, 2", raw<double>({-1, -1, 0.5, 0}), true), 1},
           {"g.npy", npy("<f4", "2, 2", raw<float>({0, HUGE_VALF, 0.5, 0})), 0},
           {"g.bin", raw({2, 2, 0, -1, kInf, 0}), 1},
           {"g.mtx", kMtx + "array integer general\n2 2\n-1\n-1\n1073741823\n0\n", 1},
           {"g.mtx", kArray + "2 2\n0\n-1.0\n+Inf\n-1\n", 1},
           {"g.mtx", kMtx + "array real symmetric\n2 2\n-1\n-1\n0\n", 2}})
    EXPECT_EQ(count, readFrom(file, bytes).report.minusOnes) << bytes;
  EXPECT_EQ(2u, readFrom("g", "-1,-1,inf\n-1.0,0,3\n2,3,0\n", {"matrix"}).report.minusOnes);
  ReadOptions options;
  options.format = "matrix";
  options.negative = true;
  EXPECT_EQ((Triples{{0, 1, -1}, {1, 0, 5}}), triples(readFrom("g", "0,-1\n5,0\n", options)));
}

TEST(Tables, OfTwoOrThreeRowsMayBeMatrices) {
  const TempDir dir;
  const auto expectMatrix = [&](const std::string& file, const std::string& bytes) {
    writeBytes(dir / file, bytes);
    expectError(ErrorCode::kInput, dir / file, ":1: matrix --format el --format matrix",
                [&] { readGraph(dir / file); });
    EXPECT_FALSE(readGraph(dir / file, {"el"}).dense());
    EXPECT_TRUE(readGraph(dir / file, {"matrix"}).dense());
  };
  for (const char* bytes : {"0,5\n5,0\n", "0;1;2\n3;0;1.5\n1;2;0.0\n", "1,5\n5,1\n"})
    expectMatrix("g.csv", bytes);
  expectMatrix("g.tsv", "0\t5\n5\t0\n");
  for (const char* bytes : {"0,5\n5,1\n", "0,1,2\n3,0,1\n1,2,3\n", "0,5\n5,0\n7,0\n",
                            "0,1,2\n3,0,1\n", "source,target\n0,5\n5,0\n"})
    EXPECT_FALSE(readFrom("g.csv", bytes).dense()) << bytes;
  EXPECT_FALSE(readFrom("g.csv", "1,5\n5,1\n", {"", 1}).dense()) << "ids are not entries";
  EXPECT_FALSE(readFrom("g.csv", "0,5\n5,0\n", {"", 0, 9}).dense());
  EXPECT_FALSE(readFrom("g.el", "0 5\n5 0\n").dense());
}

TEST(UnclearZeros, AreThoseOfACompleteNpy) {
  const TempDir dir;
  writeBytes(dir / "g.el", "0 1 0\n1 0 5\n");
  const FileGraph complete = readGraph(dir / "g.el");
  EXPECT_EQ(1u, unclearZeros("g.npy", complete));
  EXPECT_EQ(1u, unclearZeros("-", complete, "npy"));
  for (const char* path : {"g.bin", "g.gr", "g.mtx", "g.el"})
    EXPECT_EQ(0u, unclearZeros(path, complete)) << path;
  writeBytes(dir / "g.el", "0 1 0\n");
  EXPECT_EQ(0u, unclearZeros("g.npy", readGraph(dir / "g.el")))
      << "the file has a mark for no edge";
}

TEST(Zeros, OfEdgesAreAlwaysWeights) {
  for (const auto& [file, bytes] :
       std::vector<std::pair<std::string, std::string>>{{"g.el", "0 1 0\n"},
                                                        {"g.gr", "p sp 2 1\na 1 2 0\n"},
                                                        {"g.mtx", kCoordinate + "2 2 1\n1 2 0\n"},
                                                        {"g.bin", raw({2, 1, 0, 1, 0})}}) {
    EXPECT_EQ((ZerosRead{0, Zero::kEdge, {{0, 1, 0}}}), zerosOf(file, bytes));
    for (Zero zero : {Zero::kEdge, Zero::kNoEdge})
      expectError(ErrorCode::kUsage, file, "--zero matrix",
                  [&, &f = file, &b = bytes] { zerosOf(f, b, zero); });
  }
}

TEST(ReadGraph, AddsReverses) {
  const TempDir dir;
  ReadOptions options;
  options.undirected = true;
  options.zero = Zero::kNoEdge;
  writeBytes(dir / "g.npy", npy("<i4", "3, 3", raw({0, 4, 0, 0, 0, 5, 0, 6, 0})));
  const Triples expected = {{0, 1, 4}, {1, 0, 4}, {1, 2, 5}, {2, 1, 5}};
  EXPECT_EQ(expected, triples(readGraph(dir / "g.npy", options))) << "zeros are gone before";
  options.zero = Zero::kUnclear;
  writeBytes(dir / "g.el", "0 1 4\n2 1 6\n0 1 7\n1 2 5\n");
  const FileGraph graph = readGraph(dir / "g.el", options);
  EXPECT_EQ(expected, triples(graph));
  EXPECT_EQ(1u, graph.report.dropped.duplicates);
}

/// Until the end of the scope at most so many bytes can be allocated. A reader that allocates what
/// a header claims then fails with the wrong exit code.
class LittleMemory {
 public:
  explicit LittleMemory(std::size_t bytes) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit now{pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes,
                     before_.rlim_max};
    setrlimit(RLIMIT_AS, &now);
  }
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  rlimit before_;
};
constexpr std::size_t kMiB = 1 << 20;
constexpr std::size_t kClaims = 1024 * kMiB;  // less than what the headers of bad files claim

void expectBad(const Bad& row) {
  const TempDir dir;
  const std::string path = dir / row.file;
  writeBytes(path, row.bytes);
  const LittleMemory limit(kClaims);
  expectError(row.code, row.code == ErrorCode::kUsage ? "" : path, row.parts, [&] {
    readGraph(path, {row.format, row.base, row.vertices, row.dtype, row.skipLines});
  });
}

TEST_P(BadFile, IsRefused) {
  expectBad(GetParam());
}

TEST_P(BadLines, AreRefused) {
  const BadLine& row = GetParam();
  std::istringstream tokens(row.tokens);
  for (std::string token, bytes; std::getline(tokens, token, '|');) {
    SCOPED_TRACE(token);
    (bytes = row.bytes).replace(bytes.find('@'), 1, token);
    const bool word = token.find_first_of(" %") == std::string::npos;
    expectBad({"", row.file, bytes, row.line + (word ? ' ' + token : ""), "", 0, -1,
               ErrorCode::kInput, row.dtype});
  }
}

// An edge list may have more vertices than a matrix that fits into memory. toMatrix() says so.
TEST(BadFiles, TwoBillionVerticesFailFast) {
  const TempDir dir;
  writeBytes(dir / "g.bin", raw({2000000000, 1, 0, 1, 5}));
  writeBytes(dir / "g.gr", "p sp 2000000000 1\na 1 2 5\n");
  writeBytes(dir / "g.mtx", kCoordinate + "2000000000 2000000000 1\n1 2 5\n");
  writeBytes(dir / "g.el", "0 1999999999 5\n");
  const LittleMemory limit(kClaims);
  for (const std::string& name : dir.names())
    EXPECT_THROW(toMatrix(readGraph(dir / name)), Error) << name;
}

// The size of a gzipped file is what it unpacks to. Comments take no memory, edges do.
TEST(BadFiles, GzipBombs) {
  constexpr std::size_t kUnpacked = 32 * kMiB;
  const TempDir dir;
  const auto repeated = [](const std::string& text) {
    std::string all;
    while (all.size() < kUnpacked) all += text;
    return gzipped(all);
  };
  writeBytes(dir / "comments.el.gz", repeated("# hi\n"));
  writeBytes(dir / "line.el.gz", repeated("#"));
  writeBytes(dir / "edges.el.gz", repeated("0 1 5\n"));
  writeBytes(dir / "array.mtx.gz",
             gzipped(kArray) + repeated("% hi\n") + gzipped("3000 3000\n0\n"));
  const LittleMemory limit(kUnpacked / 2);
  const auto expect = [&](ErrorCode code, const std::string& name, const char* parts) {
    const std::string path = code == ErrorCode::kMemory ? "" : dir / name;
    expectError(code, path, parts, [&] { readGraph(dir / name); });
  };
  EXPECT_EQ(0, readGraph(dir / "comments.el.gz").n);
  expect(ErrorCode::kInput, "line.el.gz", "longer");
  expect(ErrorCode::kMemory, "edges.el.gz", "needs free");
  expect(ErrorCode::kInput, "array.mtx.gz", "1 9000000");
}

TEST(BadFiles, EveryCutIsRefused) {
  for (const char* name : {"tiny.bin", "tiny-dense.bin", "tiny.npy", "tiny.gr.gz"}) {
    const std::string whole = readBytes(std::string("data/") + name);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      SCOPED_TRACE(size);
      expectBad({"", name, whole.substr(0, size), ""});
    }
  }
}

#ifdef HAVE_zip
TEST(BadFiles, ArchivesThatAreCutOrChangedAreRefusedOrTheSame) {
  for (const int method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    const std::string whole = csr(2, {0, 1, 2}, {1, 0}, list<int>("<i4", {5, 6}), method);
    for (std::size_t size = 1; size < whole.size(); size += 7)
      expectBad({"", "g.npz", whole.substr(0, size), ""});
    const TempDir dir;
    for (std::size_t at = 0; at < whole.size(); at += 3) {  // some bits have no meaning
      std::ofstream(dir / "g.npz", std::ios::binary) << flipped(whole, at);
      try {
        EXPECT_EQ(kTwo, triples(readGraph(dir / "g.npz"))) << at;
      } catch (const Error& error) {
        EXPECT_EQ(ErrorCode::kInput, error.code) << error.what();
      }
    }
  }
}
#endif

TEST(BadFiles, WhatIsNoReadableFile) {
  const TempDir dir;
  const auto expect = [&](const std::string& name, const char* reason) {
    expectError(ErrorCode::kInput, dir / name, reason, [&] { readGraph(dir / name); });
  };
  expect("missing \xff.gr", "No such file");
  std::vector<std::string> ends = {".gr.gz"};
  for (const Format* format : formatTable())
    if (format->read && format->extensions[0]) ends.push_back(format->extensions[0]);
  for (const std::string& end : ends) {
    std::filesystem::create_directory(dir / ("d" + end));
    expect("d" + end, "directory");
    std::filesystem::create_symlink("/dev/null", dir / ("n" + end));
    expect("n" + end, "pipe");
    writeBytes(dir / ("e" + end), "");
    expect("e" + end, "empty");
  }
  writeBytes(dir / "secret.gr", "p sp 1 0\n");
  std::filesystem::permissions(dir / "secret.gr", std::filesystem::perms(0));
  unprivileged([&] { expect("secret.gr", "Permission denied"); });
}

/// These bytes in a pipe as standard input, until the end of the scope.
class StandardInput {
 public:
  explicit StandardInput(const std::string& bytes, bool staysOpen = false) : saved_(dup(0)) {
    int ends[2];
    if (pipe(ends) != 0 ||
        write(ends[1], bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("no pipe");
    dup2(ends[0], 0);
    close(ends[0]);
    staysOpen ? static_cast<void>(writer_ = ends[1]) : static_cast<void>(close(ends[1]));
  }
  ~StandardInput() {
    dup2(saved_, 0);
    close(saved_);
    if (writer_ >= 0) close(writer_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_, writer_ = -1;
};

TEST(ReadGraph, TakesStandardInputFromTheCurrentPosition) {
  const TempDir dir;
  writeBytes(dir / "two.bin", raw({7, 2, 2, 0, 5, 6, 0}));
  const int saved = dup(0), file = open((dir / "two.bin").c_str(), O_RDONLY);
  lseek(file, sizeof(int), SEEK_SET);
  dup2(file, 0);
  close(file);
  EXPECT_EQ(kTwo, triples(readGraph("-", {"bin"})));
  dup2(saved, 0);
  close(saved);
}

TEST(ReadGraph, TakesAFifoAndTheEndOfAPipe) {
  const TempDir dir;
  alarm(20);  // for a reader that waits for ever
  ASSERT_EQ(0, mkfifo((dir / "g.el").c_str(), 0600));
  std::thread writer([&] { std::ofstream(dir / "g.el") << "0 1 5\n1 0 6\n"; });
  EXPECT_EQ(kTwo, triples(readGraph(dir / "g.el")));
  writer.join();
  std::thread silent([&] { std::ofstream(dir / "g.el"); });
  expectError(ErrorCode::kInput, dir / "g.el", "empty", [&] { readGraph(dir / "g.el"); });
  silent.join();
  const StandardInput input(gzipped("p sp 2 2\na 1 2 5\na 2 1 6\n"));
  EXPECT_EQ(kTwo, triples(readGraph("/dev/fd/0"))) << "as <(command) in a shell";
  alarm(0);
}

// ---- formats that the first bytes tell ----------------------------------------------------------

class ByFirstBytes : public testing::TestWithParam<Good> {};
class ByFirstBytesRefused : public testing::TestWithParam<Bad> {};

/// The file names are those of the formats that must be recognised.
const Good kRecognised[] = {
    {"BinEdges", "bin", raw({2, 2, 0, 1, 5, 1, 0, 6}), 2, kTwo},
    {"BinDense", "bin", raw({2, 2, 0, 5, 6, 0}), 2, kTwo},
    {"BinOfTenVertices", "bin", raw({10, 2, 0, 1, 5, 1, 0, 6}), 10, kTwo},  // 10 is a line feed
    {"BinEmptyGraph", "bin", raw({0, 0}), 0, {}},
    {"Npy", "npy", npy("<i4", "2, 2", raw({0, 5, 6, 0})), 2, kTwo},
#ifdef HAVE_pugixml
    {"Graphml", "graphml", graphml(kNodes), 2, {}},
    {"GraphmlNoDeclaration",
     "graphml",
     "\n<graphml><graph edgedefault='directed'/></graphml>",
     0,
     {}},
#endif
    {"Json", "json", "\n" + nodeLink(kTwoIds, ""), 2, {}},
#ifdef HAVE_zip
    {"Npz", "npz", kTwoCsr, 2, kTwo},
#endif
    {"Mtx", "mtx", kCoordinate + "2 2 2\n1 2 5\n2 1 6\n", 2, kTwo},
    {"MtxLowerCase", "mtx", "\n%%matrixmarket MATRIX coordinate integer general\n2 2 0\n", 2, {}},
    {"GrHeader", "gr", "p sp 2 2\na 1 2 5\na 2 1 6\n", 2, kTwo},
    {"GrComment", "gr", "c\r\nc hi\np sp 2 2\na 1 2 5\na 2 1 6\n", 2, kTwo},
    {"GrBom", "gr", "\xef\xbb\xbf\n \nc hi\np sp 2 2\na 1 2 5\na 2 1 6\n", 2, kTwo},
    {"GrLongComment", "gr", "c" + std::string(60000, ' ') + "\np sp 2 0\n", 2, {}},
    {"GrSkipLines", "gr", "%%MatrixMarket\n0 1\np sp 2 0\n", 2, {}, 0, 0, "", 0, -1, 2},
    {"El", "el", "0 1 5\n1 0 6\n", 2, kTwo},
    {"ElShort", "el", "0 1", 2, {{0, 1, 1}}},
    {"ElComment", "el", "% hi\n0 1 5\n1 0 6\n", 2, kTwo},
    {"ElBaseOne", "el", "1 2 5\n2 1 6\n", 2, kTwo, 0, 0, "", 1},
    {"ElSkipAll", "el", "c hi\n", 0, {}, 0, 0, "", 0, -1, 1},
};

/// All of these are refused, and the message names --format.
const Bad kMisleading[] = {
    {"Words", "-", "0 1 2\nhello 1 2\n", ":2: hello el --format"},
    {"GrOfAnotherKind", "-", "p edge 3 1\ne 1 2\n", ":1: edge gr --format"},
    {"GrOfLabels", "-", "c d 5\nc e 7\n", "sp gr --format"},
    {"BinThreeByThree", "-", raw({3, 3, 0, 1, 5, 1, 2, 0, 2, 0, 7}),
     "--format bin-edges bin-dense"},
    {"BinOfAnotherSize", "-", raw({4, 1, 0, 1, 5, 9}), "20 24 bin --format"},
    {"BinThreeOfAnotherSize", "-", raw({3, 3, 0, 1}), "44 16 bin --format"},
    {"BinDistances", "-", raw({0, 5, 6, 0}), "16 bin --format"},
    {"BinNegative", "-", raw({-1, 1, 0, 1, 5}), "-1 bin --format"},
    {"BinOfText", "-", "0 1 5\n1 0" + raw({1, 2, 3}), ":2: el --format"},
    {"Utf16", "-",
     std::string("\xff\xfe"
                 "0\0 \0"
                 "1\0\n\0",
                 10),
     "UTF-16 iconv el --format"},
    {"GzipInGzip", "-", gzipped(gzipped("0 1 5\n")), "bin --format"},
    {"NpyOfObjects", "-", npy("|O", "2, 2", std::string(32, 'x')), "|O npy --format"},
    {"MtxComplex", "-", kMtx + "coordinate complex general\n1 1 0\n", ":1: complex mtx --format"},
};
INSTANTIATE_TEST_SUITE_P(Table, ByFirstBytes, testing::ValuesIn(kRecognised), rowName<Good>);
INSTANTIATE_TEST_SUITE_P(Table, ByFirstBytesRefused, testing::ValuesIn(kMisleading), rowName<Bad>);

TEST_P(ByFirstBytes, IsRead) {
  const TempDir dir;
  const Good& row = GetParam();
  const ReadOptions options{"", row.base, row.vertices, {}, row.skipLines};
  const auto expectGraph = [&](const std::string& path) {
    SCOPED_TRACE(path);
    const FileGraph graph = readGraph(path, options);
    EXPECT_EQ(row.n, graph.n);
    EXPECT_EQ(row.edges, triples(graph));
  };
  writeBytes(dir / "graph", row.bytes);
  expectGraph(dir / "graph");
  writeBytes(dir / ".graph.gz", gzipped(row.bytes));
  expectGraph(dir / ".graph.gz");
  for (const std::string& bytes : {row.bytes, gzipped(row.bytes)}) {
    const StandardInput input(bytes);
    expectGraph("-");
  }
  Input in(dir / "graph");
  EXPECT_EQ(row.file, std::string(recogniseFormat(in, row.skipLines).name));
  EXPECT_EQ(0u, in.offset());
}

TEST_P(ByFirstBytesRefused, AndTheMessageNamesFormat) {
  const Bad& row = GetParam();
  const TempDir dir;
  writeBytes(dir / "graph", row.bytes);
  expectError(ErrorCode::kInput, dir / "graph", row.parts, [&] { readGraph(dir / "graph"); });
  const StandardInput input(row.bytes);
  expectError(ErrorCode::kInput, "<stdin>", row.parts, [&] { readGraph("-"); });
}

TEST(RecogniseFormat, TakesWhatABinaryFileOfKnownFormatHolds) {
  const TempDir dir;
  std::vector<int> edges{0x88b1f, 1, 0, 1, 5};  // as gzip data begin
  writeBytes(dir / "g.bin", raw(edges));
  EXPECT_EQ(edges[0], readGraph(dir / "g.bin").n);
}

TEST(RecogniseFormat, OnlyWithoutAnExtension) {
  for (const char* path : {"-", "g", "/dev/fd/63", "./g", ".g", "a.b/g", "g.gz", "a.b/g.zst"})
    EXPECT_TRUE(lacksExtension(path)) << path;
  const TempDir dir;
  writeBytes(dir / ".graph", "0 1 5\n");
  EXPECT_EQ(2, readGraph(dir / ".graph").n) << "an edge list";
  for (const char* path : {"g.el", "./g.x", ".g.x", "g.x.gz", "g."})
    EXPECT_FALSE(lacksExtension(path)) << path;
}

// ---- compressed files ---------------------------------------------------------------------------

class PackedFile : public testing::TestWithParam<Packer> {
 protected:
  std::string pack(std::string_view bytes) const { return GetParam().pack(bytes); }
  std::string path() const { return dir_ / (std::string("g.el") + GetParam().extension); }
  Graph read(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary) << bytes;  // too many and too large for seeds
    return readGraph(path());
  }
  void expectRefused(const std::string& bytes, const char* parts) const {
    expectError(ErrorCode::kInput, path(), parts, [&] { read(bytes); });
  }

  const TempDir dir_;
};
INSTANTIATE_TEST_SUITE_P(Table, PackedFile, testing::ValuesIn(packers()), [](const auto& row) {
  return std::string(row.param.extension).substr(1);
});

TEST_P(PackedFile, HasOneOrMoreMembers) {
  EXPECT_EQ(kTwo, triples(read(pack("0 1 5\n1 0 6\n"))));
  EXPECT_EQ(kTwo, triples(read(pack("0 1 5\n1 ") + pack("") + pack("0 6\n"))));
  expectRefused(pack(""), "empty");
  expectRefused(pack("0 1 5\n") + pack("1 x 6\n"), ":2: x");
}

TEST_P(PackedFile, MayBeMuchLarger) {
  std::string text;
  for (int i = 0; text.size() < 4 * kMiB; ++i) text += std::to_string(i) + " 0 7\n";
  const Graph graph = read(pack(text));
  EXPECT_EQ(static_cast<std::size_t>(graph.n) - 1, graph.edgeCount());
  EXPECT_EQ(graph.n - 1, graph.edges<std::int32_t>().back().from);
}

TEST_P(PackedFile, CutCorruptOrFollowedByOtherBytesIsRefused) {
  const std::string whole = pack("0 1 5\n1 0 6\n");
  for (std::size_t size = 1; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    expectRefused(whole.substr(0, size), "data");
    expectRefused(whole + whole.substr(0, size), "data");
  }
  for (const char* more : {"x", "0 1 5\n", "\n"}) expectRefused(whole + more, "data");
  expectRefused(whole + '\0', "data");
  expectRefused("0 1 5\n", "data named");
  for (std::size_t at = 0; at < whole.size(); ++at) {  // a few bits have no meaning
    SCOPED_TRACE(at);
    try {
      EXPECT_EQ(kTwo, triples(read(flipped(whole, at))));
    } catch (const Error& error) {
      EXPECT_EQ(ErrorCode::kInput, error.code) << error.what();
    }
  }
}

TEST_P(PackedFile, OfAMatrixIsReadInPieces) {
  const std::string extension = GetParam().extension;
  writeBytes(dir_ / ("g.bin" + extension), pack(raw({2, 2, 0, 5, 6, 0})));
  EXPECT_EQ(kTwo, triples(readGraph(dir_ / ("g.bin" + extension))));
  writeBytes(dir_ / ("h.bin" + extension), pack(raw({2, 2, 0, 5, 6, 0}) + "x"));
  expectError(ErrorCode::kInput, dir_ / ("h.bin" + extension), "24 25",
              [&] { readGraph(dir_ / ("h.bin" + extension)); });
  writeBytes(dir_ / ("bomb.bin" + extension), pack(raw({3, 3}) + std::string(64 * kMiB, '\0')));
  const LittleMemory limit(32 * kMiB);
  expectError(ErrorCode::kInput, dir_ / ("bomb.bin" + extension), "byte 44: end",
              [&] { readGraph(dir_ / ("bomb.bin" + extension)); });
}

TEST(Compressions, AreReadIfTheirLibrariesAreHere) {
  const TempDir dir;
  std::set<std::string> here;
  for (const Packer& packer : packers()) here.insert(packer.extension);
  for (const Compression& compression : kCompressions) {
    EXPECT_EQ(here.count(compression.extension), compression.makeUnpacker != nullptr);
    EXPECT_LE(compression.magic.size(), kLongestMagic);
    if (compression.makeUnpacker != nullptr) continue;
    const std::string path = dir / (std::string("g.gr") + compression.extension);
    writeBytes(path, std::string(compression.magic) + "and so on");
    expectError(ErrorCode::kInput, path, std::string(compression.command) + " | apsp - --format gr",
                [&] { readGraph(path); });
    checkGraphFormat("g.gr");
    expectError(ErrorCode::kUsage, path, compression.extension, [&] { checkGraphFormat(path); });
  }
}

#ifdef HAVE_lzma
TEST(Compressions, XzStreamsMayHavePadding) {
  const TempDir dir;
  const std::string one = xzPacked("0 1 5\n", 0), other = xzPacked("1 0 6\n", 0), zeros(4, '\0');
  const std::string large(1 << 18, '\0');  // more than is in memory at a time
  for (const std::string& padding : {zeros, zeros + zeros, large}) {
    writeBytes(dir / "g.el.xz", one + padding + other + padding);
    EXPECT_EQ(kTwo, triples(readGraph(dir / "g.el.xz")));
  }
  for (const std::string& bytes :
       {one + std::string(3, '\0') + other, one + other + std::string(5, '\0'), zeros + one,
        one + zeros + "x"}) {
    writeBytes(dir / "g.el.xz", bytes);
    expectError(ErrorCode::kInput, dir / "g.el.xz", "data", [&] { readGraph(dir / "g.el.xz"); });
  }
}

TEST(Compressions, XzMayTake64MiBButNot256) {
  constexpr unsigned char kOf256[] = {
      // printf 'p sp 2 0\n' | xz --lzma2=dict=256MiB
      0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00,
      0x21, 0x01, 0x20, 0x00, 0x00, 0x00, 0x09, 0x88, 0xa5, 0x76, 0x01, 0x00, 0x08, 0x70,
      0x20, 0x73, 0x70, 0x20, 0x32, 0x20, 0x30, 0x0a, 0x00, 0x00, 0x00, 0x00, 0xe9, 0x24,
      0x41, 0xa6, 0xa5, 0x93, 0x88, 0x84, 0x00, 0x01, 0x21, 0x09, 0x6c, 0x18, 0xc5, 0xd5,
      0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a};
  const TempDir dir;
  writeBytes(dir / "g.el.xz", xzPacked("0 1 5\n1 0 6\n", 9));
  EXPECT_EQ(kTwo, triples(readGraph(dir / "g.el.xz")));
  writeBytes(dir / "h.gr.xz", std::string(std::begin(kOf256), std::end(kOf256)));
  expectError(ErrorCode::kInput, dir / "h.gr.xz", "130 MiB | apsp - --format gr",
              [&] { readGraph(dir / "h.gr.xz"); });
}
#endif

#ifdef HAVE_zstd
TEST(Compressions, ZstdFramesMayBeSkipped) {
  const TempDir dir;
  const auto skipped = [](char nibble) {
    return std::string(1, static_cast<char>(0x50 + nibble)) +
           std::string("\x2a\x4d\x18\3\0\0\0abc", 10);
  };
  for (char nibble : {0, 15}) {
    const std::string skip = skipped(nibble);
    writeBytes(dir / "g.el.zst",
               skip + zstdPacked("0 1 5\n") + skip + skip + zstdPacked("1 0 6\n") + skip);
    EXPECT_EQ(kTwo, triples(readGraph(dir / "g.el.zst")));
  }
  for (const std::string& bytes :
       {skipped(0).substr(0, 9), zstdPacked("0 1 5\n") + skipped(0).substr(0, 5)}) {
    writeBytes(dir / "g.el.zst", bytes);
    expectError(ErrorCode::kInput, dir / "g.el.zst", "data truncated",
                [&] { readGraph(dir / "g.el.zst"); });
  }
  writeBytes(dir / "g.el.zst", skipped(0));
  expectError(ErrorCode::kInput, dir / "g.el.zst", "empty", [&] { readGraph(dir / "g.el.zst"); });
}

TEST(Compressions, ZstdMayTake128MiBButNot1024) {
  const auto frame = [](char window) {  // of one raw block, the last, with 8 bytes
    return std::string("\x28\xb5\x2f\xfd\0", 5) + window + std::string("\x41\0\0", 3) + "p sp 2 0";
  };
  const TempDir dir;
  writeBytes(dir / "g.gr.zst", frame('\x88'));
  EXPECT_EQ(2, readGraph(dir / "g.gr.zst").n);
  writeBytes(dir / "h.gr.zst", frame('\xa0'));
  expectError(ErrorCode::kInput, dir / "h.gr.zst", "130 MiB | apsp - --format gr",
              [&] { readGraph(dir / "h.gr.zst"); });
}
#endif

TEST(Data, TinyIsOneGraphInEveryFormat) {
  const int x = kInf;
  const std::vector<int> weights{0, 7, 2, x, 20, x, x, 0, x, 0, x, x, x, 3, 0, 9, x,  x,
                                 x, x, x, 0, 1,  x, x, x, 4, x, 0, x, 6, x, x, x, 30, 0};
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("data")) {
    const std::string path = entry.path().string(), name = entry.path().filename().string();
    if (name.rfind("tiny", 0) != 0) continue;
    SCOPED_TRACE(path);
    ++files;
    Graph graph = readGraph(path);
    EXPECT_EQ(name == "tiny-dense.bin" || name == "tiny.npy", graph.dense());
    EXPECT_EQ(graphStats(6, weights.data()).hash, graphStats(graph).hash);
    EXPECT_EQ(weights, values(toMatrix(std::move(graph))));
  }
  EXPECT_GE(files, 7);
}

TEST(Data, DemoIsTheCourseGenerator) {
  const Matrix demo = toMatrix(readGraph("data/demo.bin"));
  ASSERT_EQ(300, demo.n());
  const auto step = [](std::int64_t x, int a, std::int64_t b) { return (x * a + b) % 100000; };
  for (int i = 0; i < 300; ++i)
    for (int j = 0; j < 300; ++j) {
      const auto column =
          step(step(1, 179424673, j / 32 + 275604541), 373587883, j % 32 + 472882027);
      const auto x =
          step(step(column, 179424673, i / 32 + 275604541), 373587883, i % 32 + 472882027);
      ASSERT_EQ(i == j ? 0 : x, demo.row<std::int32_t>(i)[j]) << i << ' ' << j;
    }
}

TEST(Data, Rome) {
  const char* path = "../shared/data/rome99.gr";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const FileGraph graph = readGraph(path);
  EXPECT_EQ(3353, graph.n);
  EXPECT_EQ(8870u - 11, graph.edgeCount());
  EXPECT_EQ(11u, graph.report.dropped.duplicates);
}

// ---- every format of the table ---------------------------------------------------------------

class EveryFormat : public testing::TestWithParam<const Format*> {
 protected:
  const Format& format() const { return *GetParam(); }
  /// A path for this format, and the name to give with it: none if the extension says it.
  std::string file() const {
    return dir_ / (std::string("g") + (format().extensions[0] ? format().extensions[0] : ".dat"));
  }
  std::string name() const { return format().extensions[0] ? "" : format().name; }
  bool is(const std::string& which) const { return which == format().name; }

  /// The graph as the format can hold it: with both directions of each edge, without weights.
  Graph suited(Graph graph) const {
    if (format().undirected) addReverses(graph);
    if (format().weighted) return graph;
    Edges<std::int32_t> edges = toEdges<std::int32_t>(graph);
    for (auto& e : edges) e.weight = 1;
    return fromEdges(graph.n, edges);
  }
  Graph tiny() const { return suited(readGraph("data/tiny.bin")); }

  /// Makes file() that graph. A format that is not written needs a data/tiny.
  void writeTiny() const {
    if (format().write != nullptr) return write(tiny());
    if (&format() == &kTextMatrix) {
      std::string text;
      const Matrix matrix = toMatrix(tiny());
      for (const int entry : values(matrix)) text += std::to_string(entry) + ' ';
      for (std::size_t at = 0, k = 1; (at = text.find(' ', at)) != text.npos; ++k)
        text[at] = k % 6 == 0 ? '\n' : ',';
      return writeBytes(file(), text);
    }
    writeBytes(file(), readBytes("data/tiny.el"));  // a table is a list of edges
  }
  void write(const Graph& graph) const {
    OutputFile out(file());
    writeGraph(out, graph, name());
    keepSeed(file());
  }
  FileGraph read(std::optional<Dtype> asked = {}) const {
    return readGraph(file(), {name(), 0, -1, asked});
  }

  const TempDir dir_;
};
class ReadFormat : public EveryFormat {};
class RoundTripFormat : public EveryFormat {};
class DistancesFormat : public EveryFormat {};

std::vector<const Format*> formatsWith(bool (*condition)(const Format&)) {
  std::vector<const Format*> chosen;
  for (const Format* format : formatTable())
    if (condition(*format)) chosen.push_back(format);
  return chosen;
}

const auto formatName = [](const auto& row) {
  std::string name = row.param->name;
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name;
};
const auto isRead = [](const Format& f) { return f.read != nullptr; };
const auto isBoth = [](const Format& f) { return f.read != nullptr && f.write != nullptr; };
const auto isForDistances = [](const Format& f) { return f.writeDistances != nullptr; };
INSTANTIATE_TEST_SUITE_P(Table, EveryFormat, testing::ValuesIn(formatTable()), formatName);
INSTANTIATE_TEST_SUITE_P(Table, ReadFormat, testing::ValuesIn(formatsWith(isRead)), formatName);
INSTANTIATE_TEST_SUITE_P(Table, RoundTripFormat, testing::ValuesIn(formatsWith(isBoth)),
                         formatName);
INSTANTIATE_TEST_SUITE_P(Table, DistancesFormat, testing::ValuesIn(formatsWith(isForDistances)),
                         formatName);

TEST_P(EveryFormat, IsListedForWhatItDoes) {
  const auto listed = [&](const std::vector<std::string>& names, const char* name) {
    return std::count(names.begin(), names.end(), name);
  };
  EXPECT_TRUE(format().read || format().write || format().writeDistances);
  EXPECT_EQ(format().read != nullptr, listed(readableFormats(), format().name));
  EXPECT_EQ(format().write != nullptr, listed(writableFormats(), format().name));
  EXPECT_EQ(format().writeDistances != nullptr,
            format().extensions[0] && listed(distancesExtensions(), format().extensions[0]));
}

TEST_P(RoundTripFormat, ReadsWhatItWrites) {
  for (const auto& [n, oneIn] :
       {std::pair{0, 1}, {1, 1}, {2, 1}, {3, 1}, {3, 2}, {7, 1}, {50, 40}, {61, 2}, {200, 1}})
    for (const bool asMatrix : {false, true}) {
      SCOPED_TRACE(testing::Message() << n << ' ' << oneIn << ' ' << asMatrix);
      Graph graph = suited(fromEdges(n, randomEdges(n, oneIn)));
      const Triples expected = triples(graph);
      if (asMatrix) graph.body = toMatrix(std::move(graph)), graph.n = n;
      write(graph);
      const FileGraph back = read();
      EXPECT_EQ(n, back.n);
      EXPECT_EQ(expected, triples(back));
      EXPECT_EQ(graphStats(graph).hash, graphStats(back).hash);
      EXPECT_EQ(0u, back.report.dropped.duplicates + back.report.dropped.selfLoops);
      for (const Dtype dtype : kDtypes) EXPECT_EQ(dtype, read(dtype).dtype());
    }
}

/// Any weight of T.
template <class T>
T anyWeight(std::mt19937_64& random) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(random() % static_cast<std::uint64_t>(kInfinity<T>));
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T none = kInfinity<T>;
  Bits bits;
  std::memcpy(&bits, &none, sizeof bits);
  bits = static_cast<Bits>(random() % bits);  // any bits below infinity are a weight
  T weight;
  std::memcpy(&weight, &bits, sizeof weight);
  return weight;
}

/// Writes graphs with any weights of T, and reads them as T. If nothing is asked for, real numbers
/// of a text are float64.
template <class T>
void expectKept(const std::function<void(const Graph&)>& write,
                const std::function<Graph(std::optional<Dtype>)>& read, bool undirected,
                std::optional<Dtype> automatic) {
  std::mt19937_64 random(testSeed());
  for (const int n : {0, 1, 2, 3, 50, 200})
    for (const bool asMatrix : {false, true}) {
      SCOPED_TRACE(testing::Message() << nameOf(kDtype<T>) << ' ' << n << ' ' << asMatrix);
      Edges<T> edges = randomEdges<T>(n, 2);
      for (Edge<T>& e : edges) e.weight = anyWeight<T>(random);
      Graph graph = fromEdges(n, edges);
      if (undirected) addReverses(graph);
      const auto expected = triples<T>(graph);
      if (asMatrix) graph.body = toMatrix(std::move(graph)), graph.n = n;
      write(graph);
      const Graph back = read(kDtype<T>);
      EXPECT_EQ(kDtype<T>, back.dtype());
      EXPECT_EQ(expected, triples<T>(back));
      EXPECT_EQ(graphStats(graph).hash, graphStats(back).hash);
      if (automatic && n >= 50) {  // else the weights of few edges may all fit a narrower type
        EXPECT_EQ(*automatic, read({}).dtype());
      }
    }
}

TEST_P(RoundTripFormat, KeepsWeightsBitForBit) {
  if (!format().weighted) return;
  const auto expect = [&](auto zero, std::optional<Dtype> automatic) {
    using T = decltype(zero);
    if (!format().holds(kDtype<T>)) return;
    expectKept<T>([&](const Graph& graph) { write(graph); },
                  [&](std::optional<Dtype> asked) { return read(asked); }, format().undirected,
                  automatic);
  };
  expect(std::int32_t{}, kI32);
  expect(float{}, format().text ? kF64 : kF32);
  expect(std::int64_t{}, kI64);
  expect(double{}, kF64);
}

template <class T>
Graph withBack(const std::vector<T>& weights) {
  Edges<T> edges;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const int v = static_cast<int>(k) + 1;
    edges.push_back({0, v, weights[k]});
    edges.push_back({v, 0, weights[k]});
  }
  return fromEdges(static_cast<int>(weights.size()) + 1, edges);
}

TEST_P(RoundTripFormat, KeepsNumbersThatOtherTypesCannotHold) {
  if (!format().weighted) return;
  const auto expect = [&](const auto& weights, std::optional<Dtype> asked) {
    using T = typename std::decay_t<decltype(weights)>::value_type;
    if (!format().holds(kDtype<T>)) return;
    const Graph graph = withBack(weights);
    write(graph);
    const Graph back = read(asked);
    EXPECT_EQ(kDtype<T>, back.dtype());
    EXPECT_EQ(triples<T>(graph), triples<T>(back));
  };
  constexpr std::int64_t kOdd = (INT64_C(1) << 53) + 1;
  for (const auto asked : {std::optional<Dtype>(), std::optional(kI64)})
    expect(std::vector<std::int64_t>{0, 1, kInf - 1, kInf + 1, kOdd, kInf64 - 1}, asked);
  expect(std::vector<std::int64_t>{kInf, kOdd}, kI64);
  for (const auto asked : {std::optional<Dtype>(), std::optional(kF64)})
    expect(std::vector<double>{0, 0.1, 5e-324, 1e300, 4611686018427387904., 1 / 3.}, asked);
  expect(std::vector<double>{kInf, 0.1}, kF64);
}

TEST_P(EveryFormat, RefusesWeightsUnlessItHoldsThem) {
  for (const Dtype dtype : {kF32, kI64, kF64}) {
    Graph graph = fromEdges<std::int32_t>(2, {{0, 1, 1}, {1, 0, 1}});
    convert(graph, dtype);
    OutputFile out(file());
    if (format().write && format().holds(dtype)) {
      checkGraphFormat(file(), name(), dtype);
      writeGraph(out, graph, name());
      continue;
    }
    if (!format().read && !format().write) return;  // it is for distances only
    const std::string parts = isWhole(dtype) ? "64-bit npy" : "real npy";
    expectError(ErrorCode::kUsage, file(), format().write ? parts : "npy",
                [&] { writeGraph(out, graph, name()); });
    expectError(ErrorCode::kUsage, file(), "npy", [&] { checkGraphFormat(file(), name(), dtype); });
  }
}

TEST_P(ReadFormat, TellsTheSizeOnce) {
  writeTiny();
  for (const std::optional<Dtype> asked :
       {std::optional<Dtype>(), {kI32}, {kF32}, {kI64}, {kF64}}) {
    std::vector<std::pair<int, Dtype>> told;
    readGraph(file(), {name(), 0, -1, asked, -1,
                       [&](int n, Dtype dtype, std::int64_t) { told.emplace_back(n, dtype); }});
    EXPECT_EQ((std::vector<std::pair<int, Dtype>>{{6, asked.value_or(kI32)}}), told);
  }
  struct Refused {};
  EXPECT_THROW(
      readGraph(file(), {name(), 0, -1, {}, -1, [](int, Dtype, std::int64_t) { throw Refused{}; }}),
      Refused);
}

TEST_P(ReadFormat, IsReadFromAPipeAndPacked) {
  writeTiny();
  const std::string bytes = readBytes(file());
  const auto expectTiny = [&](const std::string& path, int skipLines = -1) {
    EXPECT_EQ(triples(tiny()), triples(readGraph(path, {format().name, 0, -1, {}, skipLines})));
  };
  for (const auto& [extension, pack] : packers()) {
    SCOPED_TRACE(extension);
    writeBytes(file() + extension, pack(bytes));
    expectTiny(file() + extension);
    const StandardInput input(pack(bytes));
    expectTiny("-");
  }
  const StandardInput input(bytes);
  expectTiny("-");
  if (!format().text) return;
  writeBytes(file(), "hi\n" + bytes);
  expectTiny(file(), 1);
}

TEST_P(DistancesFormat, ATableHasItsShape) {
  const std::vector<int> words = {1, 2, kInf, 4, 5, 0};
  const auto rows = [&](const TakeRows& take) {
    take(1, words.data());
    take(1, words.data() + 3);
  };
  const TableShape shape(2, 3, true);
  OutputFile out(file());
  if (!format().tables)
    return expectError(ErrorCode::kUsage, "tables of distances", ".npy .tsv",
                       [&] { writeDistances(out, shape, rows); });
  writeDistances(out, shape, rows);
  const std::string written = readBytes(file());
  EXPECT_LE(distancesBytes(file(), shape), written.size());
  if (format().text) {
    const char* const expected = is("csv") ? "1,2,inf\n4,5,0\n" : "1\t2\tinf\n4\t5\t0\n";
    EXPECT_EQ(expected, written);
    return;
  }
  EXPECT_NE(std::string::npos, written.find("'shape': (2, 3)"));
  EXPECT_NE(std::string::npos,
            written.find(std::string(reinterpret_cast<const char*>(words.data()), 24)));
}

/// The bytes of a form of these distances; "" if the format does not take it.
template <class T>
std::string writtenAs(const std::string& path, const std::vector<T>& distances, DistancesForm form,
                      const std::string& name) {
  try {
    OutputFile out(path);
    const auto rows = [&](const TakeRows& take) { take(form.shape.rows, distances.data()); };
    writeDistances(out, form, rows, name);
    return readBytes(path);
  } catch (const Error& error) {
    EXPECT_EQ(ErrorCode::kUsage, error.code);
    return "";
  }
}

TEST_P(DistancesFormat, WhatIsUnreachedIsWhatWasAskedFor) {
  const std::vector<int> words = {0, 3, kInf, 0};
  const auto written = [&](double unreached, int farthest = 3) {
    DistancesForm form(2);
    form.unreached = unreached;
    form.farthest = farthest;
    return writtenAs(file(), words, form, name());
  };
  const auto holds = [](const std::string& bytes, auto... elements) {
    const std::vector<std::common_type_t<decltype(elements)...>> row = {elements...};
    const std::string raw(reinterpret_cast<const char*>(row.data()), row.size() * sizeof row[0]);
    return bytes.find(raw) != std::string::npos;
  };
  EXPECT_EQ("", written(3)) << "which is a distance, too";
  if (format().text) {
    EXPECT_EQ(is("csv") ? "0,3\n-1,0\n" : "0\t3\n-1\t0\n", written(-1));
    EXPECT_EQ(is("csv") ? "0,3\ninf,0\n" : "0\t3\ninf\t0\n", written(HUGE_VAL));
    return;
  }
  EXPECT_TRUE(holds(written(-1), 0, 3, -1, 0));
  EXPECT_TRUE(holds(written(99), 0, 3, 99, 0));
  if (!format().holds(kF64)) {
    EXPECT_EQ("", written(HUGE_VAL));
    return;
  }
  const float none = HUGE_VALF;
  EXPECT_TRUE(holds(written(HUGE_VAL, 1 << 24), 0.f, 3.f, none, 0.f));
  EXPECT_TRUE(holds(written(HUGE_VAL, (1 << 24) + 1), 0., 3., HUGE_VAL, 0.));
  DistancesForm reals(2, kF32);
  reals.unreached = -1;
  const std::vector<float> floats = {0, 3, none, 0};
  EXPECT_TRUE(holds(writtenAs(file(), floats, reals, name()), 0.f, 3.f, -1.f, 0.f));
  DistancesForm form(2, kI64);
  const std::int64_t odd = (INT64_C(1) << 53) + 1, zero = 0;
  EXPECT_TRUE(holds(writtenAs<std::int64_t>(file(), {0, odd, kInf64, 0}, form, name()), zero, odd,
                    kInf64, zero));
  form.unreached = -1;
  EXPECT_TRUE(holds(writtenAs<std::int64_t>(file(), {0, odd, kInf64, 0}, form, name()), zero, odd,
                    std::int64_t{-1}, zero));
  form.unreached = HUGE_VAL;
  EXPECT_TRUE(holds(writtenAs<std::int64_t>(file(), {0, odd - 1, kInf64, 0}, form, name()), 0.,
                    0x1p53, HUGE_VAL, 0.));
  EXPECT_EQ("", writtenAs<std::int64_t>(file(), {0, odd, kInf64, 0}, form, name()));
  DistancesForm large(2, kF64);
  EXPECT_TRUE(holds(writtenAs<double>(file(), {0, 0.1, HUGE_VAL, 5e-324}, large, name()), 0., 0.1,
                    HUGE_VAL, 5e-324));
  large.unreached = -1;
  EXPECT_TRUE(
      holds(writtenAs<double>(file(), {0, 0.1, HUGE_VAL, 0}, large, name()), 0., 0.1, -1., 0.));
}

TEST_P(DistancesFormat, NarrowElementsHoldWholeDistances) {
  const auto written = [&](Narrow narrow, const auto& distances, double farthest,
                           std::optional<double> unreached = {}) {
    DistancesForm form(2, kDtype<std::decay_t<decltype(distances[0])>>);
    form.narrow = narrow;
    form.farthest = farthest;
    form.unreached = unreached;
    return writtenAs(file(), distances, form, name());
  };
  const auto endsIn = [&](const std::string& bytes, auto... elements) {
    const std::vector<std::common_type_t<decltype(elements)...>> row = {elements...};
    const std::string raw(reinterpret_cast<const char*>(row.data()), row.size() * sizeof row[0]);
    return is("npy") ? bytes.size() > raw.size() &&
                           bytes.compare(bytes.size() - raw.size(), raw.size(), raw) == 0
                     : bytes.find(raw) != std::string::npos;
  };
  using Byte = std::uint8_t;
  using Short = std::uint16_t;
  const Byte zero = 0, none = 255;
  const Short zero16 = 0, none16 = 65535;
  const std::vector<int> words = {0, 254, kInf, 0}, wide = {0, 255, kInf, 0};
  if (!is("npy") && !is("npz")) {
    EXPECT_EQ("", written(Narrow::k16, words, 254));
    return;
  }
  EXPECT_TRUE(endsIn(written(Narrow::k8, words, 254), zero, Byte{254}, none, zero));
  EXPECT_TRUE(endsIn(written(Narrow::kLeast, words, 254), zero, Byte{254}, none, zero));
  EXPECT_TRUE(endsIn(written(Narrow::k16, words, 254), zero16, Short{254}, none16, zero16));
  EXPECT_TRUE(endsIn(written(Narrow::kLeast, wide, 255), zero16, Short{255}, none16, zero16));
  EXPECT_TRUE(endsIn(written(Narrow::k8, wide, 255, 7), zero, none, Byte{7}, zero));
  EXPECT_TRUE(
      endsIn(written(Narrow::kLeast, wide, 255, 300), zero16, Short{255}, Short{300}, zero16));
  EXPECT_EQ("", written(Narrow::k8, wide, 255)) << "which stands for no path";
  EXPECT_EQ("", written(Narrow::k8, wide, 255, 255));
  EXPECT_EQ("", written(Narrow::k8, words, 254, 256));
  EXPECT_EQ("", written(Narrow::k8, words, 254, -1));
  EXPECT_EQ("", written(Narrow::k16, words, 254, HUGE_VAL));
  EXPECT_EQ("", written(Narrow::k16, std::vector<int>{0, 65536, 0, 0}, 65536));
  EXPECT_EQ("", written(Narrow::k16, std::vector<float>{0, 1, 1, 0}, 1));
  const std::vector<int> large = {0, 65535, kInf, 0};
  EXPECT_TRUE(endsIn(written(Narrow::kLeast, large, 65535), 0, 65535, kInf, 0));
  const std::vector<std::int64_t> longs = {0, 65534, kInf64, 0};
  EXPECT_TRUE(endsIn(written(Narrow::kLeast, longs, 65534), zero16, Short{65534}, none16, zero16));
  EXPECT_EQ("", written(Narrow::k16, std::vector<std::int64_t>{0, INT64_C(1) << 32, 0, 0}, 1));
}

TEST_P(DistancesFormat, NamesAreInside) {
  DistancesForm form(2);
  form.named = true;
  form.rows = form.columns = {"Ab", "\"x\", \xc3\xa9"};
  const bool inside = namesDistances(file(), form, name(), true);
  if (!inside) form.rows = form.columns = {};
  EXPECT_EQ(!is("npy") && !is("bin"), inside);
  const std::string written = writtenAs<int>(file(), {0, 3, kInf, 0}, form, name());
  const std::string quoted = "\"\"\"x\"\", \xc3\xa9\"";
  if (is("csv")) {
    EXPECT_EQ(",Ab," + quoted + "\nAb,0,3\n" + quoted + ",inf,0\n", written);
  }
  if (is("tsv")) {
    EXPECT_EQ("\tAb\t" + quoted + "\nAb\t0\t3\n" + quoted + "\tinf\t0\n", written);
  }
  if (is("npz")) {
    EXPECT_NE(std::string::npos, written.find("'<U6'"));
    EXPECT_NE(std::string::npos, written.find(std::string("\xe9\0\0\0", 4)));
  }
}

TEST_P(DistancesFormat, ALineForEachPair) {
  DistancesForm form(2);
  form.pairs = true;
  form.rows = {"0", "1"};
  form.columns = {"0", "1"};
  const std::string written = writtenAs<int>(file(), {0, 3, kInf, 0}, form, name());
  if (!format().text) {
    EXPECT_EQ("", written);
    return;
  }
  const std::string reached = is("csv") ? "from,to,distance\n0,0,0\n0,1,3\n1,1,0\n"
                                        : "from\tto\tdistance\n0\t0\t0\n0\t1\t3\n1\t1\t0\n";
  EXPECT_EQ(reached, written);
  form.unreached = -1;
  const std::string all = writtenAs<int>(file(), {0, 3, kInf, 0}, form, name());
  EXPECT_NE(std::string::npos, all.find(is("csv") ? "\n1,0,-1\n" : "\n1\t0\t-1\n"));
}

TEST_P(DistancesFormat, AreWrittenByRows) {
  constexpr int n = 3000;
  Matrix distances(n, kI32);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) distances.row<int>(i)[j] = (i * 7 + j * 3) % 100;
  const auto written = [&](const auto& rows) {
    OutputFile out(file());
    writeDistances(out, {n}, rows);
    return readBytes(file());
  };
  const auto atOnce = [&](const TakeRows& take) { take(n, distances.data()); };
  const std::string whole = written(ForEachRows(atOnce));
  EXPECT_LE(distancesBytes(file(), {n}), whole.size());
  const auto inBands = [&](const TakeRows& take) {
    std::vector<int> band;  // only these rows are in memory
    for (int first = 0, count = 1; first < n; first += count, count *= 3) {
      count = std::min(count, n - first);
      const int* const begin = distances.row<int>(first);
      band.assign(begin, begin + std::size_t(n) * count);
      take(count, band.data());
    }
  };
  EXPECT_EQ(whole, written(ForEachRows(inBands)));
}

// ---- the size of a graph is told before its body is read ---------------------------------------

constexpr int kLarge = 40000;  // its matrix has 6.4 GB

struct TooLarge {
  int n;
};

/// Reads the file while little memory can be allocated; onSize refuses the size, which it returns.
int refusedSize(const std::string& path, const std::string& format) {
  const LittleMemory limit(64 * kMiB);
  try {
    readGraph(path, {format, 0, -1, {}, -1, [](int n, Dtype, std::int64_t) { throw TooLarge{n}; }});
  } catch (const TooLarge& size) {
    return size.n;
  }
  return -1;
}

TEST(OnSize, IsCalledBeforeTheBodyIsAllocatedOrRead) {
  const TempDir dir;
  const std::string array = npy("<i4", "40000, 40000", "");
  writeBytes(dir / "g.bin", raw({kLarge, kLarge}));
  writeBytes(dir / "g.npy", array);
  writeBytes(dir / "g.wsg", gap(false, INT64_C(1) << 28, kLarge, {}, {}));
  for (const char* name : {"g.bin", "g.npy"})  // holes in the file take no room on the disk
    std::filesystem::resize_file(dir / name,
                                 readBytes(dir / name).size() + matrixBytes(kLarge, kI32));
  std::filesystem::resize_file(dir / "g.wsg", 17 + 8 * (kLarge + 1) + (std::size_t{8} << 28));
  // A reader that goes on finds these bodies wrong.
  writeBytes(dir / "g.gr", "p sp 40000 2000000000\nhi\n");
  writeBytes(dir / "g.mtx", kCoordinate + "40000 40000 2000000000\nhi\n");
  writeBytes(dir / "array.mtx", kArray + "40000 40000\nhi\n");
  writeBytes(dir / "g.el", "40000\nhi\n");
  writeBytes(dir / "g.graph", "40000 2000000000\nhi\n");
  for (const std::string& name : dir.names())
    EXPECT_EQ(kLarge, refusedSize(dir / name, "")) << name;
}

// The writing end stays open, so a reader that waits for more than the header never returns.
TEST(OnSize, IsCalledBeforeAPipeIsReadFurther) {
  alarm(20);
  for (const auto& [format, header] :
       {std::pair<const char*, std::string>{"bin", raw({kLarge, kLarge})},
        {"npy", npy("<i4", "40000, 40000", "")}}) {
    for (const char* given : {format, ""}) {
      const StandardInput input(header, true);
      EXPECT_EQ(kLarge, refusedSize("-", given)) << format << ", given: " << given;
    }
  }
  alarm(0);
}

TEST(OnSize, OfAnEdgeListWithoutAHeaderIsCalledAtItsEnd) {
  const TempDir dir;
  writeBytes(dir / "g.el", "0 39999 5\n");
  EXPECT_EQ(kLarge, refusedSize(dir / "g.el", ""));
  writeBytes(dir / "g.el", "0 39999 hi\n");
  expectError(ErrorCode::kInput, dir / "g.el", "hi", [&] { refusedSize(dir / "g.el", ""); });
  struct Refused {};
  EXPECT_THROW(
      readGraph(dir / "g.el",
                {"", 0, kLarge, {}, -1, [](int, Dtype, std::int64_t) { throw Refused{}; }}),
      Refused)
      << "--vertices gives it";
}

TEST(OnSize, IsNotCalledForAWrongFile) {
  const TempDir dir;
  writeBytes(dir / "g.bin", raw({kLarge, kLarge, 0}));
  writeBytes(dir / "g.npy", npy("<i4", "40000, 40000", "x"));
  for (const std::string& name : dir.names())
    expectError(ErrorCode::kInput, dir / name, "bytes", [&] { refusedSize(dir / name, ""); });
}

TEST(WriteGraph, RealWeightsAreNeverInDigitsAlone) {
  const TempDir dir;
  OutputFile out(dir / "g.mtx");
  writeGraph(out, fromEdges<float>(2, {{0, 1, 4294967296.0f}, {1, 0, 5}}));
  EXPECT_EQ(kReal + "2 2 2\n1 2 4294967300.0\n2 1 5.0\n", readBytes(dir / "g.mtx"));
}

TEST(WriteGraph, BinTakesTheSmallerLayout) {
  const TempDir dir;
  const auto bytes = [&](int n, std::size_t edges) {
    Edges<std::int32_t> some = randomEdges(n, 1);
    some.resize(edges);
    OutputFile out(dir / "g.dat");
    writeGraph(out, fromEdges(n, some), "bin");
    return readBytes(dir / "g.dat");
  };
  EXPECT_EQ(8u + 12 * 11, bytes(6, 11).size());
  EXPECT_EQ(raw({6, 12}), bytes(6, 12).substr(0, 8)) << "a tie goes to the edges";
  EXPECT_EQ(raw({6, 6}), bytes(6, 13).substr(0, 8));
  for (std::size_t edges : {0, 2, 3, 4, 6}) EXPECT_EQ(8 + 12 * edges, bytes(3, edges).size());
}

TEST(WriteGraph, EdgeListsKeepN) {
  const TempDir dir;
  const auto written = [&](const Graph& graph) {
    OutputFile out(dir / "g.el");
    writeGraph(out, graph);
    EXPECT_EQ(graph.n, readGraph(dir / "g.el").n);
    return readBytes(dir / "g.el");
  };
  EXPECT_EQ("# Nodes: 3 Edges: 1\n1 0 5\n", written(fromEdges<std::int32_t>(3, {{1, 0, 5}})));
  EXPECT_EQ("# Nodes: 2 Edges: 1\n0 1 5.0\n", written(fromEdges<float>(2, {{0, 1, 5}})));
  EXPECT_EQ("# Nodes: 0 Edges: 0\n", written(fromEdges<std::int32_t>(0, {})));
}

TEST(WriteGraph, RefusesADirectedGraphWhereTheFormatHoldsNone) {
  const TempDir dir;
  const auto expect = [&](Edges<std::int32_t> edges, const char* parts) {
    for (const bool asMatrix : {false, true}) {
      Graph graph = fromEdges(3, edges);
      if (asMatrix) graph.body = toMatrix(std::move(graph)), graph.n = 3;
      OutputFile out(dir / "g.graph");
      expectError(ErrorCode::kUsage, dir / "g.graph", parts, [&] { writeGraph(out, graph); });
    }
  };
  expect({{0, 1, 5}}, "metis 0->1 no reverse --undirected");
  expect({{2, 1, 5}}, "metis 2->1 no reverse --undirected");
  expect({{0, 1, 5}, {1, 0, 5}, {1, 2, 0}}, "metis 1->2 no reverse");
  expect({{0, 1, 5}, {1, 0, 6}}, "metis another weight --undirected");
  EXPECT_TRUE(dir.names().empty());
}

TEST(WriteGraph, RefusesWeightsWhereTheFormatHoldsNone) {
  const TempDir dir;
  OutputFile out(dir / "g.sg");
  expectError(ErrorCode::kUsage, dir / "g.sg", "no weights 0->1 5", [&] {
    writeGraph(out, fromEdges<std::int32_t>(2, {{0, 1, 5}, {1, 0, 1}}));
  });
}

TEST(WriteGraph, GapFilesOfUndirectedGraphsHaveEachListOnce) {
  const TempDir dir;
  const auto written = [&](const char* name, const Graph& graph) {
    OutputFile out(dir / name);
    writeGraph(out, graph);
    return readBytes(dir / name);
  };
  EXPECT_EQ(gap(false, 2, 3, {0, 1, 1, 2}, {2, 5, 0, 5}),
            written("g.wsg", fromEdges<std::int32_t>(3, {{0, 2, 5}, {2, 0, 5}})));
  EXPECT_EQ(gap(true, 1, 3, {0, 1, 1, 1}, {2, 5}) + raw<std::int64_t>({0, 0, 0, 1}) + raw({0, 5}),
            written("g.wsg", fromEdges<std::int32_t>(3, {{0, 2, 5}})));
  EXPECT_EQ(gap(false, 2, 2, {0, 1, 2}, {1, 0}),
            written("g.sg", fromEdges<std::int32_t>(2, {{0, 1, 1}, {1, 0, 1}})));
}

TEST(WriteGraph, NumbersOfJsonAreThoseOfJson) {
  const TempDir dir;
  const auto written = [&](const Graph& graph) {
    OutputFile out(dir / "g.json");
    writeGraph(out, graph);
    const std::string text = readBytes(dir / "g.json");
    return text.substr(text.find("\"edges\""));
  };
  EXPECT_EQ(
      "\"edges\": [\n{\"source\": 0, \"target\": 1, \"weight\": 1e+20},\n"
      "{\"source\": 1, \"target\": 0, \"weight\": 5.0}]}\n",
      written(fromEdges<float>(2, {{0, 1, 1e20f}, {1, 0, 5}})));
  EXPECT_EQ("\"edges\": [\n{\"source\": 0, \"target\": 1, \"weight\": 5}]}\n",
            written(fromEdges<std::int32_t>(2, {{0, 1, 5}, {1, 0, 5}})));
  EXPECT_EQ("\"edges\": []}\n", written(fromEdges<std::int32_t>(2, {})));
}

TEST(WriteGraph, MetisHasALineForEachVertex) {
  const TempDir dir;
  const auto written = [&](const Graph& graph) {
    OutputFile out(dir / "g.graph");
    writeGraph(out, graph);
    return readBytes(dir / "g.graph");
  };
  EXPECT_EQ("4 2 001\n2 5 4 0\n1 5\n\n1 0\n",
            written(fromEdges<std::int32_t>(4, {{0, 1, 5}, {1, 0, 5}, {0, 3, 0}, {3, 0, 0}})));
  EXPECT_EQ("2 0 001\n\n\n", written(fromEdges<std::int32_t>(2, {})));
  EXPECT_EQ("0 0 001\n", written(fromEdges<std::int32_t>(0, {})));
}

// An edge list in such a file would not be what its extension says.
TEST(WriteGraph, RefusesExtensionsThatAreOnlyRead) {
  for (const char* name : {"g.csv", "g.tsv", "g.wel"}) {
    expectError(ErrorCode::kUsage, name, "written .el --to", [&] { checkGraphFormat(name); });
    checkGraphFormat(name, "el");
  }
}

TEST(WriteGraph, RefusesOtherFormats) {
  const TempDir dir;
  const Graph graph = emptyGraph(1, kI32);
  for (const std::string& path : {dir / "g.csv", dir / "g.xyz", dir / "g"}) {
    OutputFile out(path);
    expectError(ErrorCode::kUsage, "", "", [&] { writeGraph(out, graph); });
    expectError(ErrorCode::kUsage, "", "--to el", [&] { checkGraphFormat(path); });
    if (path != dir / "g.csv")
      expectError(ErrorCode::kUsage, "", "npy", [&] { checkDistancesFormat(path); });
  }
  for (const char* name :
       {"x.bin", "x.gr", "x.npy", "x.mtx", "x.el", "x.txt", "x.edges", "x.edgelist"})
    checkGraphFormat(name);
  for (const char* name : {"x.bin", "x.npy", "x.tsv", "x.csv"}) checkDistancesFormat(name);
  checkGraphFormat("g", "gr");
}

TEST(WriteGraph, IntegerFormatsNameThoseForRealWeights) {
  for (const char* name : {"g.bin", "g.gr"})
    expectError(ErrorCode::kUsage, name, "real mtx npy", [&] { checkGraphFormat(name, "", kF32); });
  expectError(ErrorCode::kUsage, "d.bin", "real .npy .tsv", [] {
    checkDistancesFormat("d.bin", {0, kF32});
  });
  for (const char* name : {"x.npy", "x.tsv"}) checkDistancesFormat(name, {0, kF32});
}

TEST(WriteDistances, RealOnes) {
  const TempDir dir;
  const std::vector<float> d{0, 0.1f, HUGE_VALF, 1e-40f};
  for (const char* name : {"d.npy", "d.tsv"}) {
    OutputFile out(dir / name);
    writeDistances(out, 2, d.data());
  }
  EXPECT_EQ("0\t0.1\ninf\t1e-40\n", readBytes(dir / "d.tsv"));
  const std::string npy = readBytes(dir / "d.npy");
  EXPECT_NE(std::string::npos, npy.find("'descr': '<f4'"));
  EXPECT_EQ(raw(d), npy.substr(npy.size() - 16));
}

TEST(WriteDistances, NumPyFilesSayTheirGraph) {
  const TempDir dir;
  const std::vector<int> d{0, 3, kInf, 0};
  for (const std::uint64_t hash : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x12}}) {
    for (const double unreached : {HUGE_VAL, -1., -99., 99.}) {
      DistancesForm form(2);
      form.graph = hash;
      if (unreached != HUGE_VAL) form.unreached = unreached;
      const std::string bytes = writtenAs(dir / "d.npy", d, form, "npy");
      EXPECT_EQ(0u, (bytes.size() - 16) % 64);
      const StoredDistances found = findDistances(dir / "d.npy");
      EXPECT_EQ(hash, found.graph);
      EXPECT_EQ(form.number(), found.unreached);
    }
  }
  // As a graph, it has no edge where there is no path, whatever number says so.
  EXPECT_EQ(1u, graphStats(readGraph(dir / "d.npy")).edges);
  EXPECT_FALSE(
      findDistances((writtenAs(dir / "d.npy", d, DistancesForm(2), "npy"), dir / "d.npy")).graph);
}

TEST(WriteDistances, EveryFormat) {
  const TempDir dir;
  const std::vector<int> d{0, 3, kInf, 12, 0, 7, kInf, kInf, 0};
  const auto written = [&](const std::string& name, int n) {
    OutputFile out(dir / name);
    writeDistances(out, n, d.data());
    return readBytes(dir / name);
  };
  EXPECT_EQ(raw(d), written("d.bin", 3));
  EXPECT_EQ("0\t3\tinf\n12\t0\t7\ninf\tinf\t0\n", written("d.tsv", 3));
  const std::string npy = written("d.npy", 3);
  ASSERT_GT(npy.size(), 36u);
  EXPECT_EQ(0u, (npy.size() - 36) % 64) << "NumPy aligns the data";
  EXPECT_EQ(raw(d), npy.substr(npy.size() - 36));
  for (const char* part : {"'descr': '<i4'", "'fortran_order': False", "'shape': (3, 3)"})
    EXPECT_NE(std::string::npos, npy.find(part)) << part;
  EXPECT_EQ(graphStats(3, d.data()).hash, graphStats(readGraph(dir / "d.npy")).hash);
  EXPECT_EQ("", written("d.tsv", 0) + written("d.bin", 0));
  EXPECT_EQ(0, readGraph((written("d.npy", 0), dir / "d.npy")).n);
}

// ---- rows of a matrix in a file
// ------------------------------------------------------------------

/// The matrix of a file, read row by row in two halves, as whoever has counted all rows reads it.
FileGraph readByRows(const std::string& path, std::optional<Dtype> asked) {
  ReadOptions options;
  options.dtype = asked;
  MatrixLayout layout = findMatrix(path, options).value();
  const int n = layout.n, half = n / 2;
  const MatrixFile file(path, layout);
  MatrixCount all = file.count(0, half);
  all += file.count(half, n - half);
  const auto type = std::find(std::begin(all.holds), std::end(all.holds), true);
  layout.dtype = static_cast<Dtype>(type - std::begin(all.holds));
  Matrix matrix(n, *layout.dtype);
  const MatrixFile typed(path, layout);
  for (int i = 0; i < n; ++i)
    for (const auto& [column, columns] : {std::pair{0, half}, {half, n - half}})
      typed.read(i, 1, column, columns, matrix.row(i) + asSize(column));
  EXPECT_EQ(graphStats(n, matrix.data()).hash, all.stats[type - std::begin(all.holds)].hash);
  FileGraph graph;
  graph.n = n;
  graph.report.minusOnes = all.minusOnes;
  graph.report.dropped.selfLoops = all.selfLoops;
  graph.report.zeros = all.zeros.count();
  graph.body = std::move(matrix);
  return graph;
}

TEST(RowsOfAFile, AreThoseOfTheGraph) {
  const TempDir dir;
  const std::vector<std::string> files = {
      npy("<i4", "3, 3", raw({0, 5, -1, kInf, 7, 0, 0, kInf - 1, 0})),
      npy("<i8", "3, 3", raw<std::int64_t>({0, 5, -1, 0, 7, 0, kInf64, kLargest64, 0})),
      npy("<i8", "3, 3", raw<std::int64_t>({0, 5, -1, 0, 7, 0, kInf64 - 1, kInf + 1, 0})),
      npy("<f4", "3, 3", raw<float>({0, 5, -1, 0, 7, HUGE_VALF, 1, 2, 0})),
      npy("<f4", "3, 3", raw<float>({0, 5, -1, 0, 7, HUGE_VALF, 0.1f, 4294967296, 0})),
      npy("<f8", "3, 3", raw<double>({0, 5, -1, 0, 7, HUGE_VAL, 1, 2, 0})),
      npy("<f8", "3, 3", raw<double>({0, 5, -1, 0, 7, HUGE_VAL, 1, 0x1p53, 0})),
      npy("<f8", "3, 3", raw<double>({0, 5, -1, 0, 7, HUGE_VAL, 1e300, 5e-324, 0})),
      npy("<f8", "3, 3", raw<double>({0, 5, -1, 1e10, 7, HUGE_VAL, 0.1, -0.0, 0}))};
  for (const std::string& bytes : files) {
    writeBytes(dir / "g.npy", bytes);
    for (const auto asked : {std::optional<Dtype>(), {kI32}, {kF32}, {kI64}, {kF64}}) {
      SCOPED_TRACE(bytes.substr(10, 24) + (asked ? nameOf(*asked) : ""));
      ReadOptions options;
      options.dtype = asked;
      std::optional<FileGraph> expected;
      std::string message;
      try {
        expected = readGraph(dir / "g.npy", options);
      } catch (const Error& error) {
        message = error.what();
      }
      if (!expected) {
        expectError(ErrorCode::kInput, message, "", [&] { readByRows(dir / "g.npy", asked); });
        continue;
      }
      const FileGraph rows = readByRows(dir / "g.npy", asked);
      EXPECT_EQ(expected->dtype(), rows.dtype());
      EXPECT_EQ(doubles(*expected), doubles(rows));
      EXPECT_EQ(expected->report.minusOnes, rows.report.minusOnes);
      EXPECT_EQ(expected->report.dropped.selfLoops, rows.report.dropped.selfLoops);
      EXPECT_EQ(expected->report.zeros, rows.report.zeros);
    }
  }
}

TEST(StoredDistances, OfAllTypesAreLookedUp) {
  const TempDir dir;
  const auto expect = [&](auto zero, std::optional<double> unreached) {
    using T = decltype(zero);
    const T far = std::is_integral_v<T> ? static_cast<T>(kInfinity<T> - 1) : static_cast<T>(0.1);
    const std::vector<T> distances{0, kInfinity<T>, far, 0};
    const Graph graph = fromEdges<T>(2, {{1, 0, far}});
    DistancesForm form(2, kDtype<T>);
    form.unreached = unreached;
    form.graph = graphStats(graph).hash;
    writtenAs(dir / "d.npy", distances, form, "npy");
    const StoredMatrix stored(dir / "d.npy", graph);
    EXPECT_EQ((std::vector<double>{0, static_cast<double>(far)}), stored.column(0));
    EXPECT_EQ((std::vector<double>{HUGE_VAL, 0}), stored.column(1));
    if constexpr (std::is_integral_v<T>) {
      EXPECT_EQ((std::vector<std::int64_t>{0, far}), stored.column<std::int64_t>(0));
      EXPECT_EQ((std::vector<std::int64_t>{kInf64, 0}), stored.column<std::int64_t>(1));
    }
  };
  for (const std::optional<double> unreached : {std::optional<double>(), {-1}}) {
    expect(std::int32_t{}, unreached);
    expect(float{}, unreached);
    expect(std::int64_t{}, unreached);
    expect(double{}, unreached);
  }
}

}  // namespace
