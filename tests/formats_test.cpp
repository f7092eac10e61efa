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
#include <tuple>

#include "files.h"
#include "io/formats/format.h"

namespace {

using Triples = std::vector<std::array<int, 3>>;

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

struct Good {
  const char *name, *file;
  std::string bytes;
  int n;
  Triples edges;
  std::size_t duplicates = 0, selfLoops = 0;
  const char* format = "";
  int base = 0, vertices = -1, skipLines = -1;
};

struct Bad {
  const char *name, *file;
  std::string bytes, parts;
  const char* format = "";
  int base = 0, vertices = -1;
  Exit code = Exit::kInput;
  std::optional<Dtype> dtype = {};
  int skipLines = -1;
};

/// A file of real weights, read under --dtype auto, i32 or f32.
struct Real {
  const char *name, *file;
  std::string bytes;
  std::optional<Dtype> asked;
  Dtype dtype;
  std::vector<std::tuple<int, int, double>> edges;
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
    {"NpyVersion2", "g.npy", npy("<i4", "2, 2", raw({3, 5, 6, 0}), false, 2), 2, kTwo, 0, 1},
    {"NpyEmptyGraph", "g.npy", npy("<i4", "0, 0", ""), 0, {}},
    {"El", "g.el", "# hi\n0 1 5\n% hi\n\n1\t0  6\n", 2, kTwo},
    {"ElCrlfBom", "g.txt", "\xef\xbb\xbf# hi\r\n0 1 5\r\n1 0 6\r\n\r\n", 2, kTwo},
    {"ElNoWeight", "g.tsv", "0\t3\n3\t1\t0", 4, {{0, 3, 1}, {3, 1, 0}}},
    {"ElBaseOne", "g.el", "1 2 5\n2 1 6\n", 2, kTwo, 0, 0, "", 1},
    {"ElLongComment", "g.el", "# hi\n0 1 5\n#" + std::string(60000, 'x') + "\n1 0 6\n", 2, kTwo},
    {"ElVertices", "g.el", "0 1 5\n1 0 6\n", 9, kTwo, 0, 0, "", 0, 9},
    {"ElHeader", "g.el", "# hi\n\n5\n0 1 5\n# hi\n1 0 6\n", 5, kTwo},
    {"ElHeaderAlone", "g.el", "5\n", 5, {}},
    {"ElHeaderBaseOne", "g.el", "2\n1 2 5\n2 1 6\n", 2, kTwo, 0, 0, "", 1},
    {"ElHeaderReplaced", "g.el", "1\n0 1 5\n1 0 6\n", 4, kTwo, 0, 0, "", 0, 4},
    {"ElHeaderBeforeComment", "g.el", "# Nodes: 9\n2\n0 1 5\n1 0 6\n", 2, kTwo},
    {"ElHeaderSkipped", "g.el", "2 2\n0 1 5\n1 0 6\n", 2, kTwo, 0, 0, "", 0, -1, 1},
    {"ElNoHeader", "g.el", "2 2\n0 1 5\n1 0 6\n", 3, kTwo, 0, 1, "", 0, -1, 0},
    {"ElPairWithOtherCount", "g.el", "2 3\n0 1 5\n1 0 6\n", 4, {{0, 1, 5}, {1, 0, 6}, {2, 3, 1}}},
    {"ElPairAmongLargerIds", "g.el", "1 2\n0 1 5\n1 0 6\n", 3, {{0, 1, 5}, {1, 0, 6}, {1, 2, 1}}},
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
    {"SpacesAndBytes", "a b \xe9\xff.el", "0 1 5\n1 0 6\n", 2, kTwo},
    {"GzGr", "g.gr.gz", gzipped("p sp 2 2\na 1 2 5\na 2 1 6\n"), 2, kTwo},
    {"GzMembers", "g.el.gz", gzipped("0 1 5\n1 ") + gzipped("") + gzipped("0 6\n"), 2, kTwo},
};

constexpr auto kAuto = std::nullopt;
constexpr Dtype kI32 = Dtype::kInt32, kF32 = Dtype::kFloat32;
const double kTenth = 0.1f;
const Real kReals[] = {
    {"El", "g.el", "0 1 0.1\n1 0 6\n", kAuto, kF32, {{0, 1, kTenth}, {1, 0, 6}}},
    {"ElLateFraction", "g.el", "0 1 16777217\n1 0 0.1\n", kAuto, kF32, {{0, 1, 16777216}, {1, 0, kTenth}}},
    {"ElWhole", "g.el", "0 1 5.0\n1 0 6e2\n", kAuto, kI32, {{0, 1, 5}, {1, 0, 600}}},
    {"ElWholeAsked", "g.el", "0 1 5.0\n1 0\n", kF32, kF32, {{0, 1, 5}, {1, 0, 1}}},
    {"ElWholeInt", "g.el", "0 1 5.0\n1 0 -0.0\n", kI32, kI32, {{0, 1, 5}, {1, 0, 0}}},
    {"ElNoWeightAfterFraction", "g.el", "0 1 .5\n1 0\n", kAuto, kF32, {{0, 1, 0.5}, {1, 0, 1}}},
    {"ElMinusZero", "g.el", "0 1 -0.0\n1 0 -0\n", kF32, kF32, {{0, 1, 0}, {1, 0, 0}}},
    {"ElInfinity", "g.el", "0 1 inf\n2 0 +inf\n0 2 Infinity\n1 0 6\n3 1 INF\n", kAuto, kI32, {{1, 0, 6}}, 4},
    {"ElInfinityOfFloats", "g.el", "0 1 0.5\n2 0 +Infinity\n1 0 inf\n", kAuto, kF32, {{0, 1, 0.5}}, 3},
    {"ElSubnormal", "g.el", "0 1 1e-40\n", kAuto, kF32, {{0, 1, 1e-40f}}},
    {"ElLargest", "g.el", "0 1 3.4028235e38\n1 0 +1.5\n", kAuto, kF32, {{0, 1, 3.4028234663852886e38}, {1, 0, 1.5}}},
    {"ElBeyondInt", "g.el", "0 1 4294967296.0\n1 0 1e20\n", kAuto, kF32, {{0, 1, 4294967296}, {1, 0, 1e20f}}},
    {"ElDigitsBeyondIntAsked", "g.el", "0 1 4294967296\n1 0 1073741823\n", kF32, kF32, {{0, 1, 4294967296}, {1, 0, 1073741824}}},
    {"ElLightestOfParallel", "g.el", "0 1 0.5\n0 1 0.25\n0 1 7\n0 1 inf\n1 1 .5", kAuto, kF32, {{0, 1, 0.25}}},
    {"Mtx", "g.mtx", kReal + "2 2 2\n1 2 1.5\n2 1 6\n", kAuto, kF32, {{0, 1, 1.5}, {1, 0, 6}}},
    {"MtxSymmetric", "g.mtx", kMtx + "coordinate real symmetric\n2 2 1\n2 1 1.5\n", kAuto, kF32, {{0, 1, 1.5}, {1, 0, 1.5}}},
    {"MtxInfinity", "g.mtx", kReal + "2 2 2\n1 2 inf\n2 1 0.5\n", kAuto, kF32, {{1, 0, 0.5}}},
    {"MtxPattern", "g.mtx", kMtx + "coordinate pattern general\n2 2 1\n1 2\n", kF32, kF32, {{0, 1, 1}}},
    {"MtxInteger", "g.mtx", kCoordinate + "2 2 1\n1 2 5\n", kF32, kF32, {{0, 1, 5}}},
    {"MtxArray", "g.mtx", kArray + "3 3\n0\n-1\n7\n4\n0\n0.25\n1073741823\n-0.0\n9\n", kAuto, kF32, {{0, 1, 4}, {1, 2, 0}, {2, 0, 7}, {2, 1, 0.25}}, 3},
    {"MtxArraySymmetric", "g.mtx", kMtx + "array real symmetric\n3 3\n0\n4\ninf\n0\n0.5\n0\n", kAuto, kF32, {{0, 1, 4}, {1, 0, 4}, {1, 2, 0.5}, {2, 1, 0.5}}, 3},
    {"NpyFloat", "g.npy", npy("<f4", "2, 2", raw<float>({0, 0.1f, -0.0f, 0})), kAuto, kF32, {{0, 1, kTenth}, {1, 0, 0}}},
    {"NpyWholeFloat", "g.npy", npy("<f4", "2, 2", raw<float>({0, 5, HUGE_VALF, 0})), kAuto, kI32, {{0, 1, 5}}},
    {"NpyWholeFloatAsked", "g.npy", npy("<f4", "2, 2", raw<float>({3, 5, HUGE_VALF, 0})), kF32, kF32, {{0, 1, 5}}},
    {"NpyDouble", "g.npy", npy("<f8", "3, 3", raw<double>({0, 5, -1, HUGE_VAL, 0, 0.1, 1e-40, kInf, 0})), kAuto, kF32, {{0, 1, 5}, {1, 2, kTenth}, {2, 0, 1e-40f}}, 3},
    {"NpyFortran", "g.npy", npy("<f8", "2, 2", raw<double>({0, 0.5, 6, 0}), true), kAuto, kF32, {{0, 1, 6}, {1, 0, 0.5}}},
    {"NpyBigEndian", "g.npy", npy(">f4", "2, 2", swapped<float>({0, 0.5f, 6, 0})), kAuto, kF32, {{0, 1, 0.5}, {1, 0, 6}}},
    {"NpyInt", "g.npy", npy("<i4", "2, 2", raw({0, 16777217, -1, 0})), kF32, kF32, {{0, 1, 16777216}}},
    {"BinEdges", "g.bin", raw({2, 2, 0, 1, 5, 1, 0, 0}), kF32, kF32, {{0, 1, 5}, {1, 0, 0}}},
    {"BinDense", "g.bin", raw({2, 2, 0, 5, kInf, 0}), kF32, kF32, {{0, 1, 5}}},
    {"Gr", "g.gr", "p sp 2 1\na 1 2 5\n", kF32, kF32, {{0, 1, 5}}},
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
    {"NpyLong", "g.npy", npy("<i8", "2, 2", raw<std::int64_t>({0, 4294967296, 1, 0})), ": byte 4294967296"},
    {"NpyUnsignedIsNotMinusOne", "g.npy", npy("<u4", "2, 2", raw({0, -1, 1, 0})), ": byte 4294967295"},
    {"NpyNan", "g.npy", npy("<f8", "2, 2", raw<double>({0, std::nan(""), 1, 0})), ": byte nan"},
    {"NpyNanDiagonal", "g.npy", npy("<f4", "1, 1", raw<float>({std::nanf("")})), ": byte nan"},
    {"NpyFraction", "g.npy", npy("<f8", "2, 2", raw<double>({0, 1, 1.5, 0})), ": byte 1 0 1.5", "", 0, -1, Exit::kInput, kI32},
    {"NpyTooLarge", "g.npy", npy("<f8", "2, 2", raw<double>({0, 0.5, 1e39, 0})), ": byte 1 0 1e+39"},
    {"NpyMinusInf", "g.npy", npy("<f4", "2, 2", raw<float>({0, 0.5f, -HUGE_VALF, 0})), ": byte 1 0 -inf"},
    {"NpyNegativeReal", "g.npy", npy("<f4", "2, 2", raw<float>({0, -1.5f, 0.5f, 0})), ": byte 0 1 -1.5"},
    {"NpyRealNanDiagonal", "g.npy", npy("<f4", "2, 2", raw<float>({0, 0.5f, 1, NAN})), ": byte nan"},
    {"NpyRealFortran", "g.npy", npy("<f8", "2, 2", raw<double>({0, 0.5, -3, 0}), true), ": byte 0 1 -3"},
    {"ElIdZero", "g.el", "1 2\n0 1 5\n", ":2: 0", "", 1},
    {"ElIdTooLarge", "g.el", "0 1\n0 5 2\n", ":2: 5", "", 0, 5},
    {"ElLongLine", "g.el", "0 1 5\n#" + std::string(70000, 'x') + "\n1 0 6\n", ":2: 65536"},
    {"ElNegativeWeight", "g.el", "10 11 -7\n", ":1: 10 11 -7"},
    {"ElHeaderTooSmall", "g.el", "# hi\n2\n0 1 5\n1 2 6\n", ":4: 2 0..1 --base --vertices"},
    {"ElHeaderBaseOneIdZero", "g.el", "2\n0 1 5\n", ":2: 0 1..2 --base", "", 1},
    {"ElHeaderTwice", "g.el", "2\n0\n0 1 5\n", ":2: end"},
    {"ElHeaderTooLarge", "g.el", "2147483648\n0 1 5\n", ":1: 2147483647 2147483648"},
    {"ElHeaderNotSkipped", "g.el", "2\n0 1 5\n", ":1: end", "", 0, -1, Exit::kInput, {}, 0},
    {"ElPairIsHeader", "g.el", "# hi\n3 2\n0 1 5\n1 2 6\n", ":2: header edge --skip-lines 2 --vertices 3 1"},
    {"ElPairIsHeaderBaseOne", "g.el", "3 2\n3 1\n1 2\n", ":1: header edge --skip-lines 1 --vertices 3 0", "", 1},
    {"ElSnapGaps", "g.txt", "# hi\n# Nodes: 3 Edges: 2\n0 1\n7 2\n", ":2: 3 7 --vertices 8"},
    {"ElSnapFromOne", "g.txt", "# Nodes: 3 Edges: 2\n1 2\n3 2\n", ":1: 3 --base 1"},
    {"ElSnapNotFromOne", "g.txt", "# Nodes: 3 Edges: 2\n1 0\n3 2\n", ":1: 3 --vertices 4"},
    {"ElSnapGapsBaseOne", "g.txt", "# Nodes: 3 Edges: 2\n1 2\n7 2\n", ":1: 3 7 --vertices", "", 1},
    {"ElSnapTooLarge", "g.txt", "# Nodes: 2147483648\n0 1\n", ":1: 2147483648"},
    {"ElSkipTooMany", "g.el", "0 1\n1 0", "--skip-lines 3 2", "", 0, -1, Exit::kInput, {}, 3},
    {"ElSkipCounts", "g.el", "hi\n\n0 x\n", ":3: x", "", 0, -1, Exit::kInput, {}, 1},
    {"NpyLongHeader", "g.npy", npy("<i4", "2, 2", "", false, 2).replace(8, 4, raw({70000})) + std::string(70000, ' '), ": byte 70000 65535"},
    {"GzSecondMemberCut", "g.el.gz", kGz + kGz.substr(0, kGz.size() - 4), "gzip"},
    {"GzCorrupt", "g.el.gz", flipped(kGz, 14), "gzip"},
    {"GzChecksum", "g.el.gz", flipped(kGz, kGz.size() - 6), "gzip"},
    {"GzLine", "g.el.gz", gzipped("0 1 5\n") + gzipped("1 x 6\n"), ":2: x"},
    {"UnknownExtension", "g.xyz", "0 1\n", "", "", 0, -1, Exit::kUsage},
    {"UnknownFormat", "g.el", "0 1\n", "xyz", "xyz", 0, -1, Exit::kUsage},
};

const char kRealWeights[] = "nan|NaN|-nan|-inf|-1.5|-1e-9|1e39|1e400|0x1p3|0x10|1.5.2|1,5|5x|x|--5|+-5|1e|.|-|e5";
const char kWeights[] = "nan|NaN|-inf|5x|0x10|x|--5|+-5|-2|1073741824|4294967297|18446744073709551617|99999999999999999999999";
const char kIds[] = "-1|1.5|x|1x|77|4294967297|18446744073709551617";
const BadLine kBadLines[] = {
    {"GrWeight", "g.gr", "p sp 3 1\na 1 2 @\n", ":2:", kWeights},
    {"GrHead", "g.gr", "p sp 3 1\r\na 1 @ 2\r\n", ":2:", kIds},
    {"GrTail", "g.gr", "p sp 3 1\n\na @ 1 2\n", ":3:", kIds},
    {"GrArc", "g.gr", "p sp 3 1\n@\n", ":2:", "a 1 2|a 1 2 3 4|z 1 2 3|p sp 3 1|a 0 1 5|a 1 4 5|a 1 2 1073741823"},
    {"GrFraction", "g.gr", "p sp 3 1\na 1 2 @\n", ":2:", "1.5|inf|5.0|1e3", kF32},
    {"MtxFraction", "g.mtx", kCoordinate + "3 3 1\n1 2 @\n", ":3:", "1.5|inf|5.0|1e3", kF32},
    {"MtxArrayFraction", "g.mtx", kMtx + "array integer general\n2 2\n0\n@\n1\n0\n", ":4:", "1.5|inf|5.0|1e3", kF32},
    {"MtxRealAsInt", "g.mtx", kReal + "3 3 1\n1 2 @\n", ":3:", "1.5|1e10|1073741823|-1", kI32},
    {"MtxRealWeight", "g.mtx", kReal + "3 3 2\n1 3 0.5\n1 2 @\n", ":4:", kRealWeights},
    {"MtxRealWeightAsked", "g.mtx", kReal + "3 3 1\n1 2 @\n", ":3:", kRealWeights, kF32},
    {"MtxRealArray", "g.mtx", kArray + "2 2\n0\n@\n0.5\n0\n", ":4:", kRealWeights},
    {"ElAsInt", "g.el", "0 1 2.0\n0 1 @\n", ":2:", "1.5|1e10|1073741823|-1", kI32},
    {"ElRealWeight", "g.el", "0 1 0.5\n0 1 @\n", ":2:", kRealWeights},
    {"ElRealWeightAsked", "g.el", "0 1 @\n", ":1:", kRealWeights, kF32},
    {"ElOverflowAmongReals", "g.el", "0 1 0.5\n0 1 @\n", ":2:", "1073741823|1073741824|4294967297|-1"},
    {"GrHeader", "g.gr", "@\na 1 2 3\n", ":1:", "p max 3 1|p sp 3|p sp 3 1 1|p sp -3 1|p sp 3 -1|p sp 4294967299 1|a 1 2 3"},
    {"MtxWeight", "g.mtx", kCoordinate + "3 3 1\n1 2 @\n", ":3:", kWeights},
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
    {"ElLine", "g.el", "0 1\n@\n", ":2:", "3 |0 1 5 6|0,1,5|0 1 5 # hi"},
};
// clang-format on

template <class Row>
std::string rowName(const testing::TestParamInfo<Row>& info) {
  return info.param.name;
}

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
  const Graph graph =
      readGraph(dir / row.file, {row.format, row.base, row.vertices, {}, row.skipLines});
  EXPECT_EQ(row.n, graph.n);
  EXPECT_EQ(row.edges, triples(graph));
  EXPECT_EQ(row.duplicates, graph.duplicates);
  EXPECT_EQ(row.selfLoops, graph.selfLoops);
}

TEST_P(RealFile, IsRead) {
  const TempDir dir;
  const Real& row = GetParam();
  writeBytes(dir / row.file, row.bytes);
  ReadOptions options;
  options.dtype = row.asked;
  const Graph graph = readGraph(dir / row.file, options);
  EXPECT_EQ(row.n, graph.n);
  EXPECT_EQ(nameOf(row.dtype), std::string(nameOf(graph.dtype)));
  std::vector<std::tuple<int, int, double>> edges;
  forEachEdge(graph, [&](const Edge& e) {
    EXPECT_GE(e.weight, 0) << "a word of −0.0";
    edges.emplace_back(e.from, e.to, toDouble(e.weight, graph.dtype));
  });
  EXPECT_EQ(row.edges, edges);
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
  expectError(row.code, row.code == Exit::kUsage ? "" : path, row.parts, [&] {
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
    expectBad({"", row.file, bytes, row.line + (word ? ' ' + token : ""), "", 0, -1, Exit::kInput,
               row.dtype});
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
  const auto expect = [&](Exit code, const std::string& name, const char* parts) {
    const std::string path = code == Exit::kMemory ? "" : dir / name;
    expectError(code, path, parts, [&] { readGraph(dir / name); });
  };
  EXPECT_EQ(0, readGraph(dir / "comments.el.gz").n);
  expect(Exit::kInput, "line.el.gz", "longer");
  expect(Exit::kMemory, "edges.el.gz", "needs free");
  expect(Exit::kInput, "array.mtx.gz", "1 9000000");
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

TEST(BadFiles, WhatIsNoReadableFile) {
  const TempDir dir;
  const auto expect = [&](const std::string& name, const char* reason) {
    expectError(Exit::kInput, dir / name, reason, [&] { readGraph(dir / name); });
  };
  expect("missing \xff.gr", "No such file");
  alarm(20);  // a reader that blocks on the FIFO dies here
  std::vector<std::string> ends = {".gr.gz"};
  for (const Format* format : formatTable())
    if (format->read && format->extensions[0]) ends.push_back(format->extensions[0]);
  for (const std::string& end : ends) {
    std::filesystem::create_directory(dir / ("d" + end));
    expect("d" + end, "directory");
    ASSERT_EQ(0, mkfifo((dir / ("f" + end)).c_str(), 0600));
    expect("f" + end, "regular file");
    writeBytes(dir / ("e" + end), "");
    expect("e" + end, "empty");
  }
  alarm(0);
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
      ASSERT_EQ(i == j ? 0 : x, demo.row(i)[j]) << i << ' ' << j;
    }
}

TEST(Data, Rome) {
  const char* path = "../shared/data/rome99.gr";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const Graph graph = readGraph(path);
  EXPECT_EQ(3353, graph.n);
  EXPECT_EQ(8870u - 11, graph.edges().size());
  EXPECT_EQ(11u, graph.duplicates);
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

  /// Makes file() the graph of data/tiny.bin. A format that is not written needs a data/tiny.
  void writeTiny() const {
    if (format().write != nullptr) return write(readGraph("data/tiny.bin"));
    writeBytes(file(), readBytes(std::string("data/tiny") + format().extensions[0]));
  }
  void write(const Graph& graph) const {
    OutputFile out(file());
    writeGraph(out, graph, name());
    keepSeed(file());
  }
  Graph read(std::optional<Dtype> asked = {}) const {
    return readGraph(file(), {name(), 0, -1, asked});
  }

  const TempDir dir_;
};
class ReadFormat : public EveryFormat {};
class RoundTripFormat : public EveryFormat {};
class RealFormat : public EveryFormat {};
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
const auto isReal = [](const Format& f) { return isBoth(f) && f.reals; };
const auto isForDistances = [](const Format& f) { return f.writeDistances != nullptr; };
INSTANTIATE_TEST_SUITE_P(Table, EveryFormat, testing::ValuesIn(formatTable()), formatName);
INSTANTIATE_TEST_SUITE_P(Table, ReadFormat, testing::ValuesIn(formatsWith(isRead)), formatName);
INSTANTIATE_TEST_SUITE_P(Table, RoundTripFormat, testing::ValuesIn(formatsWith(isBoth)),
                         formatName);
INSTANTIATE_TEST_SUITE_P(Table, RealFormat, testing::ValuesIn(formatsWith(isReal)), formatName);
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
      Graph graph = fromEdges(n, randomEdges(n, oneIn));
      const Triples expected = triples(graph);
      if (asMatrix) graph.body = toMatrix(std::move(graph)), graph.n = n;
      write(graph);
      const Graph back = read();
      EXPECT_EQ(n, back.n);
      EXPECT_EQ(expected, triples(back));
      EXPECT_EQ(graphStats(graph).hash, graphStats(back).hash);
      EXPECT_EQ(0u, back.duplicates + back.selfLoops);
      EXPECT_EQ(kF32, read(kF32).dtype);
    }
}

TEST_P(RealFormat, KeepsWeightsBitForBit) {
  std::mt19937 random(std::random_device{}());
  for (const int n : {0, 1, 2, 3, 50, 200})
    for (const bool asMatrix : {false, true}) {
      SCOPED_TRACE(testing::Message() << n << ' ' << asMatrix);
      std::vector<Edge> edges = randomEdges(n, 2);  // any bits below infinity are a float
      for (Edge& e : edges) e.weight = static_cast<int>(random() % infinity(kF32));
      Graph graph = fromEdges(n, edges, kF32);
      const Triples expected = triples(graph);
      if (asMatrix) graph.body = toMatrix(std::move(graph)), graph.n = n;
      write(graph);
      for (const std::optional<Dtype> asked : {std::optional<Dtype>(), std::optional(kF32)}) {
        if (!asked && n < 50) continue;  // the weights of few edges may all be whole
        const Graph back = read(asked);
        EXPECT_EQ(kF32, back.dtype);
        EXPECT_EQ(expected, triples(back));
        EXPECT_EQ(graphStats(graph).hash, graphStats(back).hash);
      }
    }
}

TEST_P(EveryFormat, RefusesRealWeightsUnlessItHoldsThem) {
  const Graph graph = fromEdges(2, {{0, 1, toWord(0.5f)}}, kF32);
  OutputFile out(file());
  if (format().write && format().reals) {
    checkGraphFormat(file(), name(), kF32);
    writeGraph(out, graph, name());
    return;
  }
  if (!format().read && !format().write) return;  // it is for distances only
  expectError(Exit::kUsage, file(), "npy", [&] { writeGraph(out, graph, name()); });
  expectError(Exit::kUsage, file(), "npy", [&] { checkGraphFormat(file(), name(), kF32); });
  EXPECT_EQ(dir_.names().size(), 1u) << "the temporary file only";
}

TEST_P(ReadFormat, TellsTheSizeOnce) {
  writeTiny();
  for (const std::optional<Dtype> asked : {std::optional<Dtype>(), {kI32}, {kF32}}) {
    std::vector<std::pair<int, Dtype>> told;
    readGraph(file(),
              {name(), 0, -1, asked, -1, [&](int n, Dtype dtype) { told.emplace_back(n, dtype); }});
    EXPECT_EQ((std::vector<std::pair<int, Dtype>>{{6, asked.value_or(kI32)}}), told);
  }
  struct Refused {};
  EXPECT_THROW(readGraph(file(), {name(), 0, -1, {}, -1, [](int, Dtype) { throw Refused{}; }}),
               Refused);
}

TEST_P(ReadFormat, IsReadFromAPipeAndPacked) {
  writeTiny();
  const std::string bytes = readBytes(file());
  const auto expectTiny = [&](const std::string& path, int skipLines = -1) {
    EXPECT_EQ(triples(readGraph("data/tiny.bin")),
              triples(readGraph(path, {format().name, 0, -1, {}, skipLines})));
  };
  const StandardInput input(bytes);
  expectError(Exit::kUsage, "", "format", [] { readGraph("-"); });
  expectTiny("-");
  std::ofstream(file() + ".gz", std::ios::binary) << gzipped(bytes);
  if (!format().text) {
    expectError(Exit::kUsage, file(), "extension", [&] { readGraph(file() + ".gz"); });
    return;
  }
  expectTiny(file() + ".gz");
  writeBytes(file(), "hi\n" + bytes);
  expectTiny(file(), 1);
}

TEST_P(DistancesFormat, AreWrittenByRows) {
  constexpr int n = 3000;  // more than one block of rows
  Matrix distances(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) distances.row(i)[j] = (i * 7 + j * 3) % 100;
  const auto written = [&](auto... rows) {
    OutputFile out(file());
    writeDistances(out, n, rows...);
    return readBytes(file());
  };
  const std::string whole = written(distances.data(), kI32);
  EXPECT_LE(distancesBytes(file(), n), whole.size());
  int next = 0, calls = 0;
  std::vector<int> band;  // only these rows are in memory
  EXPECT_EQ(whole, written(
                       [&](int first, int count) {
                         EXPECT_EQ(next, first);
                         next = first + count;
                         ++calls;
                         band.assign(distances.row(first),
                                     distances.row(first) + std::size_t(n) * count);
                         return static_cast<const int*>(band.data());
                       },
                       kI32));
  EXPECT_EQ(n, next);
  EXPECT_GT(calls, 1);
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
    readGraph(path, {format, 0, -1, {}, -1, [](int n, Dtype) { throw TooLarge{n}; }});
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
  for (const char* name : {"g.bin", "g.npy"})  // holes in the file take no room on the disk
    std::filesystem::resize_file(dir / name, readBytes(dir / name).size() + matrixBytes(kLarge));
  // A reader that goes on finds these bodies wrong.
  writeBytes(dir / "g.gr", "p sp 40000 2000000000\nhi\n");
  writeBytes(dir / "g.mtx", kCoordinate + "40000 40000 2000000000\nhi\n");
  writeBytes(dir / "array.mtx", kArray + "40000 40000\nhi\n");
  writeBytes(dir / "g.el", "40000\nhi\n");
  for (const std::string& name : dir.names())
    EXPECT_EQ(kLarge, refusedSize(dir / name, "")) << name;
}

// The writing end stays open, so a reader that waits for more than the header never returns.
TEST(OnSize, IsCalledBeforeAPipeIsReadFurther) {
  alarm(20);
  for (const auto& [format, header] :
       {std::pair<const char*, std::string>{"bin", raw({kLarge, kLarge})},
        {"npy", npy("<i4", "40000, 40000", "")}}) {
    const StandardInput input(header, true);
    EXPECT_EQ(kLarge, refusedSize("-", format)) << format;
  }
  alarm(0);
}

TEST(OnSize, OfAnEdgeListWithoutAHeaderIsCalledAtItsEnd) {
  const TempDir dir;
  writeBytes(dir / "g.el", "0 39999 5\n");
  EXPECT_EQ(kLarge, refusedSize(dir / "g.el", ""));
  writeBytes(dir / "g.el", "0 39999 hi\n");
  expectError(Exit::kInput, dir / "g.el", "hi", [&] { refusedSize(dir / "g.el", ""); });
  struct Refused {};
  EXPECT_THROW(
      readGraph(dir / "g.el", {"", 0, kLarge, {}, -1, [](int, Dtype) { throw Refused{}; }}),
      Refused)
      << "--vertices gives it";
}

TEST(OnSize, IsNotCalledForAWrongFile) {
  const TempDir dir;
  writeBytes(dir / "g.bin", raw({kLarge, kLarge, 0}));
  writeBytes(dir / "g.npy", npy("<i4", "40000, 40000", "x"));
  for (const std::string& name : dir.names())
    expectError(Exit::kInput, dir / name, "bytes", [&] { refusedSize(dir / name, ""); });
}

TEST(WriteGraph, RealWeightsAreNeverInDigitsAlone) {
  const TempDir dir;
  OutputFile out(dir / "g.mtx");
  writeGraph(out, fromEdges(2, {{0, 1, toWord(4294967296.0f)}, {1, 0, toWord(5)}}, kF32));
  EXPECT_EQ(kReal + "2 2 2\n1 2 4294967300.0\n2 1 5.0\n", readBytes(dir / "g.mtx"));
}

TEST(WriteGraph, BinTakesTheSmallerLayout) {
  const TempDir dir;
  const auto bytes = [&](int n, std::size_t edges) {
    std::vector<Edge> some = randomEdges(n, 1);
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

TEST(WriteGraph, RefusesOtherFormats) {
  const TempDir dir;
  const Graph graph = fromEdges(1, {});
  for (const std::string& path : {dir / "g.el", dir / "g.xyz", dir / "g"}) {
    OutputFile out(path);
    expectError(Exit::kUsage, "", "", [&] { writeGraph(out, graph); });
    expectError(Exit::kUsage, "", "npy", [&] { checkGraphFormat(path); });
    expectError(Exit::kUsage, "", "npy", [&] { checkDistancesFormat(path); });
  }
  for (const char* name : {"x.bin", "x.gr", "x.npy", "x.mtx"}) checkGraphFormat(name);
  for (const char* name : {"x.bin", "x.npy", "x.tsv"}) checkDistancesFormat(name);
  checkGraphFormat("g", "gr");
}

TEST(WriteGraph, IntegerFormatsNameThoseForRealWeights) {
  for (const char* name : {"g.bin", "g.gr"})
    expectError(Exit::kUsage, name, "real mtx npy", [&] { checkGraphFormat(name, "", kF32); });
  expectError(Exit::kUsage, "d.bin", "real .npy .tsv", [] { checkDistancesFormat("d.bin", kF32); });
  for (const char* name : {"x.npy", "x.tsv"}) checkDistancesFormat(name, kF32);
}

TEST(WriteDistances, RealOnes) {
  const TempDir dir;
  const std::vector<int> d{0, toWord(0.1f), toWord(HUGE_VALF), toWord(1e-40f)};
  for (const char* name : {"d.npy", "d.tsv"}) {
    OutputFile out(dir / name);
    writeDistances(out, 2, d.data(), kF32);
  }
  EXPECT_EQ("0\t0.1\ninf\t1e-40\n", readBytes(dir / "d.tsv"));
  const std::string npy = readBytes(dir / "d.npy");
  EXPECT_NE(std::string::npos, npy.find("'descr': '<f4'"));
  EXPECT_EQ(raw(d), npy.substr(npy.size() - 16));
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

}  // namespace
