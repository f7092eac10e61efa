// The one table of graph formats, and reading and writing by it.
#include <fmt/format.h>

#include "core/error.h"
#include "io/formats/internal.h"
#include "io/input.h"

namespace {

/// One row per format. A null writer: read only.
struct Format {
  const char* name;
  const char* extensions[3];  ///< the rest null
  bool text;                  ///< may be gzipped
  bool reals;                 ///< holds float32 weights
  Graph (*read)(Input&, const ReadOptions&);
  void (*write)(OutputFile&, const Graph&);
};

constexpr Format kFormats[] = {
    {"bin", {".bin"}, false, false, readBin, writeBin},
    {"bin-edges", {}, false, false, readBinEdges, writeBinEdges},
    {"bin-dense", {}, false, false, readBinDense, writeBinDense},
    {"gr", {".gr"}, true, false, readGr, writeGr},
    {"mtx", {".mtx"}, true, true, readMtx, writeMtx},
    {"npy", {".npy"}, false, true, readNpy, writeNpy},
    {"el", {".txt", ".el", ".tsv"}, true, true, readEl, nullptr},
};

/// The row called `name` or, where that is empty, the one with the extension of `path`. Throws
/// Error(kUsage), naming the choices.
const Format& findFormat(const std::string& path, const std::string& name) {
  const bool packed = endsWith(path, ".gz");
  const std::string unpacked = packed ? path.substr(0, path.size() - 3) : path;
  for (const Format& format : kFormats) {
    if (name == format.name) return format;
    if (!name.empty() || (packed && !format.text)) continue;
    for (const char* extension : format.extensions)
      if (extension && endsWith(unpacked, extension)) return format;
  }
  if (path == "-" && name.empty())
    throw Error(Exit::kUsage, "standard input has no extension: name its format, one of " +
                                  joined(formatNames(), " "));
  const std::string what =
      name.empty() ? "unknown extension, name a format" : "unknown format '" + name + "'";
  throw Error(Exit::kUsage,
              fmt::format("{}: {}: one of {}", path, what, joined(formatNames(), " ")));
}

/// As findFormat, but a row that weights of that type can be written as to `path`.
const Format& findWritable(const std::string& path, const std::string& name, Dtype dtype) {
  const Format& format = findFormat(path, name);
  const auto holds = [=](const Format& f) { return dtype == Dtype::kInt32 || f.reals; };
  if (format.write && holds(format) && !endsWith(path, ".gz")) return format;
  std::string choices;
  for (const Format& f : kFormats)
    if (f.write && holds(f)) choices += std::string(" ") + f.name;
  throw Error(Exit::kUsage,
              fmt::format("{}: graphs{} are not written as {}{}, only as one of{}", path,
                          dtype == Dtype::kInt32 ? "" : " of real weights", format.name,
                          format.write && holds(format) ? " with .gz" : "", choices));
}

}  // namespace

Graph readGraph(const std::string& path, const ReadOptions& options) {
  Input in(path);  // a file that is not there is a worse fault than its extension
  Graph graph = findFormat(path, options.format).read(in, options);
  if (options.dtype == Dtype::kFloat32) toFloats(graph);  // of a format that holds int32 only
  return graph;
}

void writeGraph(OutputFile& out, const Graph& graph, const std::string& format) {
  findWritable(out.path(), format, graph.dtype).write(out, graph);
  out.commit();
}

void checkGraphFormat(const std::string& path, const std::string& format, Dtype dtype) {
  findWritable(path, format, dtype);
}

std::vector<std::string> formatNames() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.push_back(format.name);
  return names;
}
