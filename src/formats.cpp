// The one table of graph formats, and reading and writing by it.
#include <fmt/format.h>

#include "error.h"
#include "formats_internal.h"
#include "input.h"

namespace {

/// One row per format. A null writer: read only.
struct Format {
  const char* name;
  const char* extensions[3];  ///< the rest null
  bool text;                  ///< may be gzipped
  Graph (*read)(Input&, const ReadOptions&);
  void (*write)(OutputFile&, const Graph&);
};

constexpr Format kFormats[] = {
    {"bin", {".bin"}, false, readBin, writeBin},
    {"bin-edges", {}, false, readBinEdges, writeBinEdges},
    {"bin-dense", {}, false, readBinDense, writeBinDense},
    {"gr", {".gr"}, true, readGr, writeGr},
    {"mtx", {".mtx"}, true, readMtx, writeMtx},
    {"npy", {".npy"}, false, readNpy, writeNpy},
    {"el", {".txt", ".el", ".tsv"}, true, readEl, nullptr},
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

/// As findFormat, but a row that can be written to `path`.
const Format& findWritable(const std::string& path, const std::string& name) {
  const Format& format = findFormat(path, name);
  if (format.write && !endsWith(path, ".gz")) return format;
  std::string choices;
  for (const Format& f : kFormats)
    if (f.write) choices += std::string(" ") + f.name;
  throw Error(Exit::kUsage,
              fmt::format("{}: graphs are not written as {}{}, only as one of{}", path, format.name,
                          format.write ? " with .gz" : "", choices));
}

}  // namespace

Graph readGraph(const std::string& path, const ReadOptions& options) {
  Input in(path);  // a file that is not there is a worse fault than its extension
  return findFormat(path, options.format).read(in, options);
}

void writeGraph(OutputFile& out, const Graph& graph, const std::string& format) {
  findWritable(out.path(), format).write(out, graph);
  out.commit();
}

void checkGraphFormat(const std::string& path, const std::string& format) {
  findWritable(path, format);
}

std::vector<std::string> formatNames() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.push_back(format.name);
  return names;
}
