// npz: sparse matrices as scipy.sparse.save_npz() writes them, a zip archive of .npy files. The
// member `format` is csr, csc or coo, and `shape` is (n, n):
//
//   csr   the edges from vertex v are those from indptr[v] up to, not including, indptr[v + 1];
//         edge k ends at vertex indices[k] and has the weight data[k]
//   csc   the same with the edges into vertex v, which begin at vertex indices[k]
//   coo   edge k goes from row[k] to col[k] and has the weight data[k]
//
// An entry that the matrix stores is an edge, also if it is 0, as scipy.sparse.csgraph takes it. Of
// several entries for a pair the lightest counts; SciPy would add them up. Graphs are written as
// csr, with weights of their type. Source: the documentation of scipy.sparse.save_npz.
//
// Distances in .npz are no graph file. They are the arrays of writeNpzDistances(), as numpy.savez()
// writes them.
#ifdef HAVE_zip
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <string>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/size.h"
#include "io/formats/format.h"
#include "io/formats/matrices.h"
#include "io/formats/npy_header.h"
#include "io/weights.h"
#include "io/zip.h"
#include "system/utf8.h"

namespace {

// ---- Reading ---------------------------------------------------------------------------------

/// A one-dimensional array in a member of the archive, read from front to back.
class Numbers {
 public:
  Numbers(ZipArchive& archive, const char* name) : member_(archive, name) {
    const NpyHeader header = readNpyHeader(member_);
    isFortran(member_, header);  // means nothing for a list, but must be right
    for (const Type& type : kTypes)
      if (header.type() == type.name) type_ = &type;
    if (type_ == nullptr)
      member_.failAt(
          0, fmt::format("NumPy dtype {}, expected integers, bool, float16, float32 or float64",
                         npyType(header)));
    if (!header.shape || header.shape->size() != 1)
      member_.failAt(0, fmt::format("NumPy shape {}, expected (n,)", inQuotes(header.shapeText)));
    swapped_ = header.bigEndian();
    const std::uint64_t count = header.shape->front();
    const std::size_t body = member_.size() - member_.offset();
    if (body % type_->bytes != 0 || body / type_->bytes != count)
      member_.failAt(
          0, fmt::format("NumPy dtype {} and shape {}, but the member has {} after "
                         "its header",
                         npyType(header), inQuotes(header.shapeText), counted(body, "byte")));
    count_ = body / type_->bytes;
  }

  bool reals() const { return type_->name[0] == 'f'; }
  bool truths() const { return type_->name[0] == 'b'; }
  NumberKind kind() const { return type_->kind; }
  std::size_t count() const { return count_; }

  /// The next number of an array of integers. Throws if it is outside least..most; `what` names it.
  std::int64_t next(std::int64_t least, std::int64_t most, const char* what) {
    const std::int64_t found = whole();
    if (found < least || found > most)
      fail(fmt::format("{} {} is outside {}..{}", what, found, least, most));
    return found;
  }

  /// The next number of an array of integers, or of reals.
  std::int64_t whole() {
    if (at_ == wholes_.size()) fill();
    return wholes_[at_++];
  }
  double real() {
    if (at_ == reals_.size()) fill();
    return reals_[at_++];
  }

  /// Fails at the last number.
  [[noreturn]] void fail(const std::string& message) const {
    const std::size_t after = std::max(wholes_.size(), reals_.size()) - at_ + 1;
    member_.failAt(member_.offset() - after * type_->bytes, message);
  }

  void requireWhole() const {
    if (reals() || truths())
      member_.failAt(0, fmt::format("NumPy dtype '{}', expected integers", type_->name));
  }
  void requireCount(std::size_t count) const {
    if (count_ != count)
      member_.failAt(
          0, fmt::format("the array has {}, expected {}", counted(count_, "number"), count));
  }
  void finish() { member_.finish(); }

 private:
  struct Type {
    const char* name;
    std::size_t bytes;
    NumberKind kind;
    void (Numbers::*read)(std::size_t count);
  };
  static const Type kTypes[12];
  template <class Stored>
  static constexpr Type typeOf(const char* name) {
    return {name, sizeof(Stored), kindOf<Stored>(), &Numbers::readChunk<Stored>};
  }

  void fill() {
    constexpr std::size_t kChunk = std::size_t{1} << 15;
    at_ = 0;
    (this->*type_->read)(std::min(kChunk, (member_.size() - member_.offset()) / type_->bytes));
  }

  template <class Stored>
  void readChunk(std::size_t count) {
    std::vector<Stored> stored(count);
    member_.readExact(stored.data(), count * sizeof(Stored));
    if (swapped_)
      for (Stored& value : stored) swapBytes(value);
    auto& numbers = [this]() -> auto& {
      if constexpr (isReal<Stored>)
        return reals_;
      else
        return wholes_;
    }
    ();
    numbers.resize(count);
    std::transform(stored.begin(), stored.end(), numbers.begin(),
                   [](Stored value) { return widened(value); });
  }

  ZipMember member_;
  const Type* type_ = nullptr;
  bool swapped_ = false;
  std::size_t count_ = 0;
  std::vector<std::int64_t> wholes_;  // the numbers of a chunk, if they are integers
  std::vector<double> reals_;
  std::size_t at_ = 0;
};

const Numbers::Type Numbers::kTypes[12] = {
    typeOf<std::int8_t>("i1"),   typeOf<std::uint8_t>("u1"),  typeOf<std::int16_t>("i2"),
    typeOf<std::uint16_t>("u2"), typeOf<std::int32_t>("i4"),  typeOf<std::uint32_t>("u4"),
    typeOf<std::int64_t>("i8"),  typeOf<std::uint64_t>("u8"), typeOf<Half>("f2"),
    typeOf<float>("f4"),         typeOf<double>("f8"),        typeOf<Truth>("b1"),
};

/// csr, csc or coo, as the member `format` has it.
std::string readLayout(ZipArchive& archive) {
  const auto names = archive.names();
  if (std::find(names.begin(), names.end(), "format.npy") == names.end())
    archive.fail(
        "is no sparse matrix of scipy.sparse.save_npz, which has a member format.npy: save "
        "an array with numpy.save");
  ZipMember member(archive, "format.npy");
  const NpyHeader header = readNpyHeader(member);
  char text[12] = {};  // three letters, of one byte or of four
  member.read(text, sizeof text);
  member.finish();
  std::string layout(text, sizeof text);
  layout.erase(std::remove(layout.begin(), layout.end(), '\0'), layout.end());
  if (header.shapeText != "()" || (layout != "csr" && layout != "csc" && layout != "coo"))
    archive.fail(fmt::format("format.npy: {} is a layout that is not read: save matrix.tocsr()",
                             inQuotes(layout)));
  return layout;
}

int readShape(ZipArchive& archive) {
  Numbers shape(archive, "shape.npy");
  shape.requireWhole();
  shape.requireCount(2);
  const std::int64_t rows = shape.next(0, INT_MAX, "a number of rows");
  const std::int64_t columns = shape.whole();
  if (rows != columns)
    shape.fail(fmt::format("the matrix is {} x {}, expected a square one", rows, columns));
  shape.finish();
  return static_cast<int>(rows);
}

/// The entries of the matrix, and the edges that they are.
class Reader {
 public:
  Reader(ZipArchive& archive, int n, const ReadOptions& options)
      : n_(n),
        options_(options),
        data_(archive, "data.npy"),
        type_(readType(options, data_.kind())),
        edges_(type_.dtype()) {}

  FileGraph readCoordinates(ZipArchive& archive) {
    Numbers rows(archive, "row.npy"), columns(archive, "col.npy");
    for (Numbers* numbers : {&rows, &columns}) prepare(*numbers, data_.count());
    begin();
    for (std::size_t k = 0; k < data_.count(); ++k) {
      const int from = vertex(rows);
      add(from, vertex(columns));
    }
    for (Numbers* numbers : {&rows, &columns, &data_}) numbers->finish();
    return graph();
  }

  /// byColumns: the lists are the columns.
  FileGraph readLists(ZipArchive& archive, bool byColumns) {
    Numbers offsets(archive, "indptr.npy"), indices(archive, "indices.npy");
    prepare(offsets, asSize(n_) + 1);
    prepare(indices, data_.count());
    begin();
    const std::int64_t all = static_cast<std::int64_t>(data_.count());
    std::int64_t k = offsets.next(0, n_ == 0 ? all : 0, "an offset");
    for (int v = 0; v < n_; ++v) {
      const std::int64_t end = offsets.next(v + 1 == n_ ? all : k, all, "an offset");
      for (; k < end; ++k) {
        const int other = vertex(indices);
        byColumns ? add(other, v) : add(v, other);
      }
    }
    for (Numbers* numbers : {&offsets, &indices, &data_}) numbers->finish();
    return graph();
  }

 private:
  static void prepare(const Numbers& numbers, std::size_t count) {
    numbers.requireWhole();
    numbers.requireCount(count);
  }

  void begin() {
    reportSize(options_, n_, static_cast<std::int64_t>(data_.count()));
    edges_.reserve(data_.count());
  }

  int vertex(Numbers& numbers) const {
    return static_cast<int>(numbers.next(0, std::int64_t{n_} - 1, "vertex"));
  }

  /// Appends the edge with the next weight.
  void add(int from, int to) { data_.reals() ? add(from, to, data_.real()) : addWhole(from, to); }

  void addWhole(int from, int to) {
    const std::int64_t number = data_.whole();
    const bool none = data_.truths() && number == kInf;  // False
    if (!none) add(from, to, number);
  }

  template <class T>
  void add(int from, int to, T number) {
    const std::optional<Number> weight =
        readWeight(from, to, type_, [&](ReadType& type) { return type.weight(number); });
    if (!weight) data_.fail(badWeight(from, to, fmt::format("{}", number), type_.accepted()));
    edges_.add(from, to, *weight);
  }

  FileGraph graph() {
    FileGraph graph = edges_.graph(n_, options_, 0);
    graph.report.unweighted = data_.truths();
    return graph;
  }

  const int n_;
  const ReadOptions& options_;
  Numbers data_;
  ReadType type_;
  ReadEdges edges_;
};

FileGraph read(Input& in, const ReadOptions& options) {
  ZipArchive archive(in);
  const std::string layout = readLayout(archive);
  const int n = readShape(archive);
  Reader reader(archive, n, options);
  return layout == "coo" ? reader.readCoordinates(archive)
                         : reader.readLists(archive, layout == "csc");
}

// ---- Writing ---------------------------------------------------------------------------------

template <class T>
void append(std::string& bytes, T number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Writes the matrix with indices of a type that can count its entries.
template <class Index>
void writeCsr(OutputFile& out, const Graph& graph, const char* descr) {
  const std::size_t edges = countEdges(graph), n = asSize(graph.n);
  requireHostBytes(2 * (edges * (sizeof(Index) + sizeOf(graph.dtype())) + n * sizeof(Index)),
                   "the archive to write");  // libzip makes another copy
  std::string indices = npyHeader(descr, fmt::format("{},", edges));
  std::string data = npyHeader(npyName(graph.dtype()), fmt::format("{},", edges));
  std::string offsets = npyHeader(descr, fmt::format("{},", n + 1));
  indices.reserve(indices.size() + edges * sizeof(Index));
  data.reserve(data.size() + edges * sizeOf(graph.dtype()));
  offsets.reserve(offsets.size() + (n + 1) * sizeof(Index));
  Index count = 0;
  int vertex = 0;
  const auto begin = [&](int until) {
    for (; vertex <= until; ++vertex) append(offsets, count);
  };
  forEachEdge(graph, [&](const auto& e) {
    begin(e.from);
    append(indices, static_cast<Index>(e.to));
    append(data, e.weight);
    ++count;
  });
  begin(graph.n);
  std::string shape = npyHeader("<i8", "2,");
  append(shape, std::int64_t{graph.n});
  append(shape, std::int64_t{graph.n});
  std::vector<std::pair<std::string, std::string>> members;  // a list in braces would be copied
  members.emplace_back("indices.npy", std::move(indices));
  members.emplace_back("indptr.npy", std::move(offsets));
  members.emplace_back("format.npy", npyHeader("|S3", "") + "csr");
  members.emplace_back("shape.npy", std::move(shape));
  members.emplace_back("data.npy", std::move(data));
  writeZip(out, members);
}

void write(OutputFile& out, const Graph& graph) {
  countEdges(graph) <= INT_MAX ? writeCsr<std::int32_t>(out, graph, "<i4")
                               : writeCsr<std::int64_t>(out, graph, "<i8");
}

// ---- Distances -------------------------------------------------------------------------------

/// An array of numbers.
template <class T>
std::string arrayOf(const char* descr, const std::vector<T>& numbers) {
  std::string bytes = npyHeader(descr, fmt::format("{},", numbers.size()));
  for (const T number : numbers) append(bytes, number);
  return bytes;
}

/// An array of texts of fixed length in UTF-32, which NumPy reads without pickle. shape: of it.
std::string arrayOf(const std::vector<std::string>& texts, const std::string& shape) {
  std::vector<std::u32string> all;
  std::size_t length = 1;  // NumPy has no shorter ones
  for (const std::string& text : texts) {
    all.push_back(codePoints(text));
    length = std::max(length, all.back().size());
  }
  std::string bytes = npyHeader(fmt::format("<U{}", length).c_str(), shape);
  for (std::u32string& text : all) {
    text.resize(length, U'\0');
    for (const char32_t point : text) append(bytes, static_cast<std::uint32_t>(point));
  }
  return bytes;
}

/// What the rows or columns are called: texts, or numbers if the vertices have no names.
std::string idsOf(const DistancesForm& form, const std::vector<std::string>& names) {
  if (form.named) return arrayOf(names, fmt::format("{},", names.size()));
  std::vector<std::int32_t> numbers;
  for (const std::string& name : names) numbers.push_back(std::stoi(name));
  return arrayOf("<i4", numbers);
}

/// What stands in the matrix where there is no path, as one element of it.
std::string unreachedOf(const DistancesForm& form) {
  DistancesForm one = form;
  one.shape = 1;
  std::string bytes = npyHeader(npyName(form.element()), "");
  withType(form.dtype, [&](auto none) {
    none = kInfinity<decltype(none)>;
    forEachElements(
        one, [&](const TakeRows& take) { take(1, &none); },
        [&](const void* data, std::size_t size) {
          bytes.append(static_cast<const char*>(data), size);
        });
  });
  return bytes;
}

/// The members: distances; unreached, what stands there where there is no path; graph, the hash;
/// and ids of the vertices or, of a table, sources and targets.
void writeNpzDistances(OutputFile& out, const DistancesForm& form, const ForEachRows& forEachRows) {
  const Element element = form.element();
  const std::size_t bytes = sizeOf(element) * asSize(form.shape.rows) * asSize(form.shape.columns);
  requireHostBytes(2 * bytes, "the archive to write");  // and libzip makes another copy
  std::string distances =
      npyHeader(npyName(element), fmt::format("{}, {}", form.shape.rows, form.shape.columns));
  distances.reserve(distances.size() + bytes);
  forEachElements(form, forEachRows, [&](const void* data, std::size_t size) {
    distances.append(static_cast<const char*>(data), size);
  });
  std::vector<std::pair<std::string, std::string>> members;
  members.emplace_back("distances.npy", std::move(distances));
  members.emplace_back("unreached.npy", unreachedOf(form));
  if (form.graph)
    members.emplace_back("graph.npy", arrayOf({fmt::format("{:016x}", *form.graph)}, ""));
  if (form.shape.table) {
    members.emplace_back("sources.npy", idsOf(form, form.rows));
    members.emplace_back("targets.npy", idsOf(form, form.columns));
  } else if (!form.rows.empty() || form.shape.rows == 0) {
    members.emplace_back("ids.npy", idsOf(form, form.rows));
  }
  writeZip(out, members);
}

bool recognises(std::string_view begin) {
  return begin.substr(0, 4) == std::string_view("PK\3\4", 4);
}

}  // namespace

constexpr Format kNpz = [] {
  Format format;
  format.name = "npz";
  format.extensions = {".npz"};
  format.dtypes = kAllDtypes;
  format.recognises = recognises;
  format.read = read;
  format.write = write;
  format.writeDistances = writeNpzDistances;
  format.narrow = true;
  format.tables = true;
  format.naming = Format::Naming::kAlways;
  return format;
}();
#endif
