// The table of file formats, and the choice of the right one.
#include "io/formats/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/utf8.h"
#include "io/formats/format.h"

const std::vector<const Format*>& formatTable() {
  static const std::vector<const Format*> table = {
      &kBin, &kBinEdges, &kBinDense, &kGr, &kMtx, &kNpy, &kEdgeList, &kTsv,
  };
  return table;
}

namespace {

bool holds(const Format& format, Dtype dtype) {
  return dtype == Dtype::kInt32 || format.reals;
}

template <class Condition>
std::vector<std::string> namesOf(Condition condition) {
  std::vector<std::string> names;
  for (const Format* format : formatTable())
    if (condition(*format)) names.push_back(format->name);
  return names;
}

bool hasExtension(const Format& format, const std::string& path) {
  for (const char* extension : format.extensions)
    if (extension != nullptr && endsWith(path, extension)) return true;
  return false;
}

/// The format of a graph file: the one called `name` or, if that is empty, by the path's extension.
/// Throws Error(kUsage) with the choices.
const Format& findFormat(const std::string& path, const std::string& name) {
  const bool packed = endsWith(path, ".gz");
  const std::string unpacked = packed ? path.substr(0, path.size() - 3) : path;
  std::vector<std::string> names;
  for (const Format* format : formatTable()) {
    if (format->read == nullptr && format->write == nullptr) continue;
    names.push_back(format->name);
    if (name == format->name) return *format;
    if (name.empty() && (format->text || !packed) && hasExtension(*format, unpacked))
      return *format;
  }
  const std::string choices = fmt::format("{}", fmt::join(names, " "));
  if (path == "-" && name.empty())
    throw Error(Exit::kUsage,
                "standard input has no extension: give its --format, one of " + choices);
  const std::string what =
      name.empty() ? "unknown extension, give a format" : fmt::format("unknown format '{}'", name);
  throw Error(Exit::kUsage, fmt::format("{}: {}: one of {}", path, what, choices));
}

/// Whether an option of some formats only has an effect on this one.
bool takes(const Format& format, const std::string& option) {
  if (option == "--skip-lines") return format.text;
  return std::any_of(format.options.begin(), format.options.end(),
                     [&](const char* taken) { return taken != nullptr && option == taken; });
}

/// Throws Error(kUsage) if the option has no effect on this format, but on others.
void refuseIdle(const std::string& path, const Format& format, const std::string& option) {
  if (takes(format, option)) return;
  const std::vector<std::string> takers =
      namesOf([&](const Format& f) { return f.read != nullptr && takes(f, option); });
  if (takers.empty()) return;  // it belongs to all formats
  throw Error(Exit::kUsage,
              fmt::format("{}: {} has no effect on the format {}, only on {}: leave it out", path,
                          option, format.name, fmt::join(takers, ", ")));
}

/// As findFormat(), but throws unless the format is read with these options.
const Format& findReadable(const std::string& path, const ReadOptions& options) {
  const Format& format = findFormat(path, options.format);
  if (format.read == nullptr)
    throw Error(Exit::kUsage, fmt::format("{}: graphs are not read from {}, only from one of {}",
                                          path, format.name, fmt::join(readableFormats(), " ")));
  for (const std::string& option : options.given) refuseIdle(path, format, option);
  return format;
}

/// As findFormat(), but throws unless graphs of that type are written in the format to `path`.
const Format& findWritable(const std::string& path, const std::string& name, Dtype dtype) {
  const Format& format = findFormat(path, name);
  const auto writable = [=](const Format& f) { return f.write != nullptr && holds(f, dtype); };
  if (writable(format) && !endsWith(path, ".gz")) return format;
  throw Error(Exit::kUsage,
              fmt::format("{}: graphs{} are not written as {}{}, only as one of {}", path,
                          dtype == Dtype::kInt32 ? "" : " with real weights", format.name,
                          writable(format) ? " with .gz" : "", fmt::join(namesOf(writable), " ")));
}

std::vector<std::string> distancesExtensionsFor(Dtype dtype) {
  std::vector<std::string> all;
  for (const Format* format : formatTable())
    if (format->writeDistances != nullptr && holds(*format, dtype))
      all.push_back(format->extensions[0]);
  return all;
}

const Format& findDistancesFormat(const std::string& path, Dtype dtype) {
  for (const Format* format : formatTable())
    if (format->writeDistances != nullptr && holds(*format, dtype) &&
        endsWith(path, format->extensions[0]))
      return *format;
  throw Error(Exit::kUsage, fmt::format("{}: {}distances are written by extension, one of {}", path,
                                        dtype == Dtype::kInt32 ? "" : "real ",
                                        fmt::join(distancesExtensionsFor(dtype), " ")));
}

}  // namespace

Graph readGraph(const std::string& path, const ReadOptions& options) {
  Input in(path);  // before its extension is looked at: a missing file is the worse fault
  const Format& format = findReadable(path, options);
  Graph graph = format.read(in, options);
  if (options.dtype == Dtype::kFloat32) toFloats(graph);
  return graph;
}

void writeGraph(OutputFile& out, const Graph& graph, const std::string& format) {
  findWritable(out.path(), format, graph.dtype).write(out, graph);
  out.commit();
}

void checkGraphFormat(const std::string& path, const std::string& format, Dtype dtype) {
  findWritable(path, format, dtype);
}

void writeDistances(OutputFile& out, int n, const int* distances, Dtype dtype) {
  const auto rows = [=](int first, int) { return distances + static_cast<std::size_t>(first) * n; };
  writeDistances(out, n, rows, dtype);
}

void writeDistances(OutputFile& out, int n, const DistanceRows& rows, Dtype dtype) {
  findDistancesFormat(out.path(), dtype).writeDistances(out, n, rows, dtype);
  out.commit();
}

void checkDistancesFormat(const std::string& path, Dtype dtype) {
  findDistancesFormat(path, dtype);
}

std::uint64_t distancesBytes(const std::string& path, int n) {
  const std::uint64_t side = static_cast<std::uint64_t>(n);
  return side * side * findDistancesFormat(path, Dtype::kInt32).distanceBytes;
}

std::vector<std::string> readableFormats() {
  return namesOf([](const Format& format) { return format.read != nullptr; });
}

std::vector<std::string> writableFormats() {
  return namesOf([](const Format& format) { return format.write != nullptr; });
}

std::vector<std::string> distancesExtensions() {
  return distancesExtensionsFor(Dtype::kInt32);
}
