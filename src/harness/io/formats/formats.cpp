// The table of file formats, and the choice of the right one.
#include "io/formats/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "apsp.h"
#include "base/error.h"
#include "base/negative_cycle.h"
#include "base/quantity.h"
#include "io/compression.h"
#include "io/fields.h"
#include "io/formats/foreign.h"
#include "io/formats/format.h"
#include "io/formats/matrices.h"
#include "io/formats/recognise.h"
#include "io/formats/undirected.h"
#include "system/screen.h"
#include "system/utf8.h"

const std::vector<const Format*>& formatTable() {
  static const std::vector<const Format*> table = {
      &kBin,      &kBinEdges, &kBinDense,   &kGr,    &kMtx, &kNpy, &kEdgeList,
      &kCsv,      &kTsv,      &kTextMatrix, &kMetis, &kSg,  &kWsg,
#ifdef HAVE_zip
      &kNpz,
#endif
#ifdef HAVE_pugixml
      &kGraphml,
#endif
      &kNodeLink,
  };
  return table;
}

void reportSize(const ReadOptions& options, int n, std::int64_t edges) {
  if (!options.onSize || options.compact) return;
  try {
    options.onSize(n, options.dtype.value_or(Dtype::kInt32), edges);
  } catch (const Error& error) {
    if (error.code != ErrorCode::kMemory || edges >= n / 4) throw;
    throw Error(
        ErrorCode::kMemory,
        fmt::format("{}; at most {} of the {} have an edge: --compact leaves out the others",
                    error.what(), withCommas(static_cast<std::uint64_t>(2 * edges)),
                    counted(static_cast<std::uint64_t>(n), "vertex", "vertices")));
  }
}

namespace {

/// Weights or distances of a type, before their noun: "real ".
const char* kindOf(Dtype dtype) {
  return dtype == Dtype::kInt32 ? "" : isWhole(dtype) ? "64-bit " : "real ";
}

template <class Condition>
std::vector<std::string> namesOf(Condition condition) {
  std::vector<std::string> names;
  for (const Format* format : formatTable())
    if (condition(*format)) names.push_back(format->name);
  return names;
}

/// Whether the path ends with one of the extensions, and is more than that: `.graph` is a name.
template <class Extensions>
bool hasExtension(const Extensions& extensions, std::string_view path) {
  return !lacksExtension(path) &&
         std::any_of(extensions.begin(), extensions.end(), [&](const char* extension) {
           return extension != nullptr && endsWith(path, extension);
         });
}

/// The format of a graph file: the one called `name` or, if that is empty, by the path's extension.
/// nullptr if there is none for the extension. Throws Error(kUsage) if no format has the name.
/// flag: the flag that gives the name.
const Format* findFormat(const std::string& path, const std::string& name, const char* flag) {
  const std::string_view plain = withoutCompression(path);
  std::vector<std::string> names;
  for (const Format* format : formatTable()) {
    if (format->read == nullptr && format->write == nullptr) continue;
    names.push_back(format->name);
    if (name.empty()
            ? hasExtension(format->extensions, plain) || hasExtension(format->onlyRead, plain)
            : name == format->name)
      return format;
  }
  if (name.empty()) return nullptr;
  throw Error(ErrorCode::kUsage, fmt::format("{}: unknown format '{}': give {}, one of {}", path,
                                             name, flag, fmt::join(names, " ")));
}

/// Whether an option of some formats only has an effect on this one.
bool takes(const Format& format, const std::string& option) {
  if (option == "--skip-lines") return format.text;
  return std::any_of(format.options.begin(), format.options.end(),
                     [&](const char* taken) { return taken != nullptr && option == taken; });
}

/// Throws Error(kUsage) if --labels or --compact is given where it means nothing.
void checkNumbering(const std::string& path, const ReadOptions& options, const Format& format) {
  const auto require = [&](bool holds, const std::string& what) {
    if (!holds) throw Error(ErrorCode::kUsage, path + ": " + what);
  };
  const bool given = options.vertices >= 0;
  require(!options.labels || takes(format, "--labels"),
          fmt::format("--labels is for edge lists (el, csv, tsv), not for {}", format.name));
  require(!options.labels || !(given || options.base != 0 || options.compact),
          "--labels numbers the vertices itself: leave out --base, --vertices and --compact");
  require(!options.compact || !given, "--compact counts the vertices itself: leave out --vertices");
}

/// Throws Error(kUsage) unless --columns is two or three columns, or if they exclude --weight.
void checkColumns(const ReadOptions& options) {
  if (options.columns.empty()) return;
  const auto columns = splitByCommas(options.columns);
  const bool good = columns && (columns->size() == 2 || columns->size() == 3) &&
                    std::count(columns->begin(), columns->end(), "") == 0;
  if (!good)
    throw Error(ErrorCode::kUsage,
                fmt::format("--columns {}: expected the columns of source, target and, if there is "
                            "one, the weight, such as from,to,minutes or 1,2,5",
                            inQuotes(options.columns)));
  if (columns->size() == 3 && !options.weight.empty())
    throw Error(ErrorCode::kUsage, "--columns names the weight, too: leave out --weight");
}

/// Throws Error(kUsage) if the option has no effect on this format, but on others.
void refuseIdle(const std::string& path, const Format& format, const std::string& option) {
  if (takes(format, option)) return;
  const std::vector<std::string> takers =
      namesOf([&](const Format& f) { return f.read != nullptr && takes(f, option); });
  if (takers.empty()) return;  // it belongs to all formats
  throw Error(ErrorCode::kUsage,
              fmt::format("{}: {} has no effect on the format {}, only on {}: leave it out", path,
                          option, format.name, fmt::join(takers, ", ")));
}

/// Throws unless graphs are read from this format with these options.
void requireReadable(const std::string& path, const Format& format, const ReadOptions& options) {
  if (format.read == nullptr)
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: graphs are not read from {}, only from one of {}", path,
                            format.name, fmt::join(readableFormats(), " ")));
  for (const std::string& option : options.given) refuseIdle(path, format, option);
  if (options.skipLines > 0) refuseIdle(path, format, "--skip-lines");
  checkNumbering(path, options, format);
  checkColumns(options);
}

/// As findFormat() for a file to read. nullptr if its first bytes must tell the format, because its
/// name has no extension.
const Format* findReadable(const std::string& path, const ReadOptions& options) {
  const Format* format = findFormat(path, options.format, "--format");
  if (format != nullptr) {
    requireReadable(path, *format, options);
  } else if (!lacksExtension(path)) {
    const std::string advice = adviceFor(path);
    if (!advice.empty()) throw Error(ErrorCode::kUsage, path + ": " + advice);
    throw Error(ErrorCode::kUsage, fmt::format("{}: unknown extension: give --format, one of {}",
                                               path, fmt::join(readableFormats(), " ")));
  }
  return format;
}

/// As findFormat(), but throws unless graphs of that type are written in the format to `path`.
const Format& findWritable(const std::string& path, const std::string& name, Dtype dtype) {
  const Format* format = findFormat(path, name, "--to");
  const auto writable = [=](const Format& f) { return f.write != nullptr && f.holds(dtype); };
  const std::string choices = fmt::format("{}", fmt::join(namesOf(writable), " "));
  if (format == nullptr)
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: unknown extension: give --to, one of {}", path, choices));
  if (name.empty() && (format->write == nullptr || hasExtension(format->onlyRead, path)))
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: graphs are not written with this extension: write {}, or give "
                            "--to, one of {}",
                            path, kEdgeList.extensions[0], choices));
  const Compression* compression = compressionNamed(path);
  if (writable(*format) && compression == nullptr) return *format;
  throw Error(
      ErrorCode::kUsage,
      fmt::format(
          "{}: graphs{} are not written as {}{}, only as one of {}", path,
          dtype == Dtype::kInt32 ? "" : fmt::format(" with {}weights", kindOf(dtype)), format->name,
          writable(*format) ? fmt::format(" with {}", compression->extension) : "", choices));
}

/// Reads a graph whose format its first bytes tell. They may mislead: an error names --format.
FileGraph readRecognised(Input& in, const std::string& path, const ReadOptions& options) {
  const Format& format = recogniseFormat(in, options.skipLines);
  requireReadable(path, format, options);
  try {
    return format.read(in, options);
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("{} (recognised as {} by the first bytes: give --format if "
                                        "that is wrong)",
                                        error.what(), format.name));
  }
}

/// The format that the text names itself, or else this one. Throws if the user names another one.
const Format& theNamed(Input& in, const std::string& path, const Format& format,
                       const ReadOptions& options) {
  const Format* const named = markedFormat(in);
  if (named == nullptr || named == &format) return format;
  if (!options.format.empty())
    in.fail(
        fmt::format("the file says that it is of the format {0}, not {1}: give --format {0}, or "
                    "leave out its first lines with --skip-lines",
                    named->name, format.name));
  requireReadable(path, *named, options);
  return *named;
}

/// Throws Error(kUsage) if an option belongs to the other kind of graph: a matrix, or a list of
/// edges.
void requireKind(const std::string& path, const Graph& graph, const ReadOptions& options) {
  if (options.zero != Zero::kUnclear && !graph.dense())
    throw Error(ErrorCode::kUsage,
                path +
                    ": --zero is for a matrix, this is a list of edges: there 0 is "
                    "always a weight");
  if (options.compact && graph.dense())
    throw Error(ErrorCode::kUsage, path + ": --compact is for edge lists, this is a matrix");
}

bool isInfinite(const std::optional<double>& number) {
  return number && std::isinf(*number);
}

constexpr Element kNarrow[] = {Element::kUint8, Element::kUint16};

/// The largest number that a narrow element holds.
double mostIn(Element narrow) {
  return withElement(narrow,
                     [](auto zero) { return static_cast<double>(noPathIn<decltype(zero)>()); });
}

/// Throws Error(kUsage) if narrow elements are asked for that cannot be.
void requireNarrow(const DistancesForm& form) {
  if (form.narrow == Narrow::kNo) return;
  if (!isWhole(form.dtype))
    throw Error(ErrorCode::kUsage,
                fmt::format("--out-dtype is for whole distances, and these are {}: leave it out, "
                            "or read whole weights with --dtype i32",
                            nameOf(form.dtype)));
  const Element widest = form.narrow == Narrow::k8 ? Element::kUint8 : Element::kUint16;
  if (form.unreached && !(*form.unreached > 0 && *form.unreached <= mostIn(widest)))
    throw Error(ErrorCode::kUsage,
                fmt::format("--unreached: elements of {} are whole numbers up to {}",
                            nameOf(widest), mostIn(widest)));
}

bool writesDistances(const Format& format, const DistancesForm& form) {
  return format.writeDistances != nullptr && format.holds(form.dtype) &&
         (format.narrow || form.narrow == Narrow::kNo) && (format.tables || !form.shape.table) &&
         (format.pairs || !form.pairs) &&
         (format.holds(Dtype::kFloat64) || !isInfinite(form.unreached));
}

std::vector<std::string> distancesExtensionsFor(const DistancesForm& form) {
  std::vector<std::string> all;
  for (const Format* format : formatTable())
    if (writesDistances(*format, form)) all.push_back(format->extensions[0]);
  return all;
}

/// The format of distances: the one called `name`. If that is empty, the path's extension decides,
/// and standard output gets tsv. Throws Error(kUsage) with the choices.
const Format& findDistancesFormat(const std::string& path, const DistancesForm& form,
                                  const std::string& asked) {
  requireNarrow(form);
  const std::string name = asked.empty() && isStandardOutput(path) ? kTsv.name : asked;
  for (const Format* format : formatTable()) {
    if (!writesDistances(*format, form)) continue;
    if (name.empty() ? endsWith(path, format->extensions[0]) : name == format->name) return *format;
  }
  const std::string what =
      fmt::format("{}{}distances{}{}{}", form.shape.table ? "tables of " : "", kindOf(form.dtype),
                  form.narrow != Narrow::kNo ? " of 8 or 16 bits" : "",
                  form.pairs ? " with a line for each pair" : "",
                  isInfinite(form.unreached) ? " with infinity" : "");
  const std::string choices = fmt::format("{}", fmt::join(distancesExtensionsFor(form), " "));
  if (!name.empty())
    throw Error(ErrorCode::kUsage, fmt::format("{}: {} are not written as {}, only as one of {}",
                                               path, what, name, choices));
  throw Error(ErrorCode::kUsage,
              fmt::format("{}: {} are written by extension, one of {}, or give the "
                          "format with --to",
                          path, what, choices));
}

}  // namespace

namespace {

/// Whether no weight is too large for float32.
bool fitsFloat32(const Graph& graph) {
  bool fits = true;
  forEachEdge(graph, [&](const auto& e) {
    fits = fits && std::abs(static_cast<double>(e.weight)) <= std::numeric_limits<float>::max();
  });
  return fits;
}

/// Gives the weights the narrowest type that holds them as they are. The edges that were dropped
/// may have had others.
void narrow(Graph& graph) {
  if (graph.dense()) return;
  const auto fit = [&](auto type) {
    using T = decltype(type);
    bool all = true;
    forEachEdge(graph, [&](const auto& e) {
      using From = std::decay_t<decltype(e.weight)>;
      if constexpr (std::is_integral_v<From>)
        all = all && isWeight<T>(e.weight, true);
      else
        all = all && !isBad(wholeWeight<T>(e.weight, true, kExactDoubles));
    });
    return all;
  };
  if (graph.dtype() != Dtype::kInt32 && fit(std::int32_t{}))
    convert(graph, Dtype::kInt32);
  else if (graph.dtype() == Dtype::kFloat64 && fit(std::int64_t{}))
    convert(graph, Dtype::kInt64);
}

}  // namespace

FileGraph readGraph(const std::string& path, const ReadOptions& options) {
  Input in(path);  // before its extension is looked at: a missing file is the worse fault
  const Format* format = findReadable(path, options);
  // A binary file may begin like a compressed one: 559903 vertices are the first bytes of gzip.
  const bool plainBinary =
      format != nullptr && !format->text && hasExtension(format->extensions, path);
  if (!plainBinary) in.unpack(format != nullptr ? format->name : "");
  if (format != nullptr && format->text && options.skipLines <= 0)
    format = &theNamed(in, path, *format, options);
  FileGraph graph =
      format == nullptr ? readRecognised(in, path, options) : format->read(in, options);
  requireKind(path, graph, options);
  ReadReport& report = graph.report;
  if (const auto& loop = report.dropped.negativeLoop)
    throw NegativeCycle(in.name() + ": " + negativeCycleText({*loop}, shortNames(report.names)),
                        {*loop});
  if (options.undirected) report.reversed = addReverses(graph);
  if (!options.dtype && report.dropped.duplicates + report.reversed.twoWeights > 0) narrow(graph);
  if (options.hops) {
    ignoreWeights(graph);
    report.reversed.twoWeights = 0;
  }
  if (options.fileIds && report.countsFromOne && report.names.empty())
    for (int v = 1; v <= graph.n; ++v) fmt::format_to(std::back_inserter(report.names), "{}\n", v);
  if (options.dtype)
    convert(graph, *options.dtype);
  else if (options.roundReals && graph.dtype() == Dtype::kFloat64 && fitsFloat32(graph))
    convert(graph, Dtype::kFloat32);
  return graph;
}

void writeGraph(OutputFile& out, const Graph& graph, const std::string& format,
                const std::string& names) {
  const Format& to = findWritable(out.path(), format, graph.dtype());
  if (to.undirected) requireUndirected(out.path(), to.name, graph);
  if (!to.weighted) requireUnweighted(out.path(), to.name, graph);
  if (names.empty() || to.writeNamed == nullptr)
    to.write(out, graph);
  else
    to.writeNamed(out, graph, names);
  out.commit();
}

bool keepsNames(const std::string& path, Dtype dtype, const std::string& names,
                const std::string& format) {
  const Format& to = findWritable(path, format, dtype);
  return !names.empty() && to.keepsNames != nullptr && to.keepsNames(names);
}

std::uint64_t unclearZeros(const std::string& path, const Graph& graph, const std::string& format) {
  const std::uint64_t n = static_cast<std::uint64_t>(graph.n);
  const bool complete = n > 0 && countEdges(graph) == n * (n - 1);  // else a pair is marked
  if (!findWritable(path, format, graph.dtype()).zerosUnclear || !complete) return 0;
  std::uint64_t zeros = 0;
  forEachEdge(graph, [&](const auto& e) { zeros += e.weight == 0; });
  return zeros;
}

void checkGraphFormat(const std::string& path, const std::string& format, Dtype dtype) {
  findWritable(path, format, dtype);
}

Element DistancesForm::element() const {
  constexpr int kExact = 1 << 24;  // float32 holds all whole numbers up to here
  if (narrow == Narrow::k8) return Element::kUint8;
  if (narrow == Narrow::k16) return Element::kUint16;
  if (narrow == Narrow::kLeast) {
    const double most = unreached ? std::max(farthest, *unreached) : farthest + 1;
    for (const Element element : kNarrow)
      if (most <= mostIn(element)) return element;
  }
  if (!isWhole(dtype) || !isInfinite(unreached)) return elementOf(dtype);
  return dtype == Dtype::kInt32 && farthest <= kExact ? Element::kFloat32 : Element::kFloat64;
}

std::optional<std::int64_t> DistancesForm::number() const {
  if (isInfinite(unreached)) return std::nullopt;
  if (unreached) return static_cast<std::int64_t>(*unreached);
  if (dtypeOf(element())) return std::nullopt;
  return static_cast<std::int64_t>(mostIn(element()));
}

void writeDistances(OutputFile& out, int n, ConstElements distances, const std::string& format) {
  writeDistances(
      out, {n, distances.dtype()}, [=](const TakeRows& take) { take(n, distances); }, format);
}

void writeDistances(OutputFile& out, const DistancesForm& form, const ForEachRows& forEachRows,
                    const std::string& format) {
  findDistancesFormat(out.path(), form, format).writeDistances(out, form, forEachRows);
  out.commit();
}

bool storesRows(const std::string& path, const DistancesForm& form, const std::string& name) {
  return !form.unreached && form.narrow == Narrow::kNo &&
         findDistancesFormat(path, form, name).beginDistances != nullptr;
}

bool beginDistances(OutputFile& out, const DistancesForm& form, const std::string& name) {
  if (out.temporary().empty() || !storesRows(out.path(), form, name)) return false;
  findDistancesFormat(out.path(), form, name).beginDistances(out, form);
  return true;
}

StoredDistances findDistances(const std::string& path) {
  Input in(path);
  for (const Format* format : formatTable())
    if (format->findDistances != nullptr && hasExtension(format->extensions, path))
      return format->findDistances(in);
  in.fail("distances are looked up in .npy and .bin files that -o wrote");
}

void checkDistancesFormat(const std::string& path, const DistancesForm& form,
                          const std::string& format) {
  findDistancesFormat(path, form, format);
}

bool namesDistances(const std::string& path, const DistancesForm& form, const std::string& format,
                    bool named) {
  const Format::Naming naming = findDistancesFormat(path, form, format).naming;
  return naming == Format::Naming::kAlways || form.pairs ||
         (named && naming == Format::Naming::kIfNamed);
}

bool takesInfinity(const std::string& path, DistancesForm form, const std::string& format) {
  const Format& found = findDistancesFormat(path, form, format);
  form.unreached = std::numeric_limits<double>::infinity();
  return writesDistances(found, form);
}

std::optional<std::int64_t> unreachedNumber(const std::string& path, const DistancesForm& form,
                                            const std::string& format) {
  const bool text = findDistancesFormat(path, form, format).text;
  const auto number = form.number();
  if (number || form.unreached || text || !isWhole(form.dtype)) return number;
  return form.dtype == Dtype::kInt32 ? kInf : kInfinity<std::int64_t>;
}

std::uint64_t distancesBytes(const std::string& path, const DistancesForm& form,
                             const std::string& format) {
  if (form.pairs) return 0;  // nobody knows how many there are
  const int bytes = findDistancesFormat(path, form, format).distanceBytes;
  return static_cast<std::uint64_t>(form.shape.rows) *
         static_cast<std::uint64_t>(form.shape.columns) *
         (bytes > 0 ? static_cast<std::uint64_t>(bytes) : sizeOf(form.element()));
}

std::vector<std::string> readableFormats() {
  return namesOf([](const Format& format) { return format.read != nullptr; });
}

std::vector<std::string> writableFormats() {
  return namesOf([](const Format& format) { return format.write != nullptr; });
}

std::vector<std::string> distancesFormats() {
  return namesOf([](const Format& format) { return format.writeDistances != nullptr; });
}

std::vector<std::string> distancesExtensions() {
  return distancesExtensionsFor({});
}
