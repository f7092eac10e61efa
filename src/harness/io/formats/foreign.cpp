#include "io/formats/foreign.h"

#include <fmt/format.h>

#include "io/compression.h"
#include "system/process.h"
#include "system/shell.h"
#include "system/utf8.h"

namespace {

/// A format of another program, and what makes a file of it that is read.
struct Foreign {
  const char *extension, *name;
  const char* advice;  ///< @ stands for the path; null: scripts/to_json.py reads the format
  const char* more = "";
};

constexpr const char* kSaveIt = "open it where it was made, and save it as CSV";
constexpr Foreign kForeign[] = {
    {".xlsx", "a spreadsheet", kSaveIt},
    {".xls", "a spreadsheet", kSaveIt},
    {".ods", "a spreadsheet", kSaveIt},
#ifndef HAVE_pugixml
    {".graphml", "GraphML without pugixml",
     "python3 -c \"import json, sys, networkx as nx; "
     "json.dump(nx.node_link_data(nx.read_graphml('@')), sys.stdout)\" | apsp - --format json"},
#endif
    {".gml", "GML", nullptr},
    {".net", "Pajek's format", nullptr},
    {".gexf", "GEXF", nullptr},
    {".adjlist", "an adjacency list", nullptr,
     "; the file does not say whether the graph is directed: if it is, give the script --directed"},
#ifndef HAVE_zip
    {".npz", "an archive of NumPy without libzip",
     "if it is a sparse matrix, python3 -c \"import scipy.io, scipy.sparse; "
     "scipy.io.mmwrite('@.mtx', scipy.sparse.load_npz('@'))\" makes @.mtx; save an array with "
     "numpy.save"},
#endif
};

/// The command that reads a file by way of JSON, which keeps names and vertices without edges.
/// Python unpacks all compressions but Zstandard.
std::string throughJson(std::string path) {
  std::string unpack;
  if (endsWith(path, ".zst")) {
    unpack = fmt::format("zstd -d {} && ", shellWord(path));
    path = withoutCompression(path);
  }
  const std::string script = findScript("to_json.py");
  return fmt::format("{}python3 {} {} | {} - --format json reads it", unpack,
                     shellWord(script.empty() ? "scripts/to_json.py" : script), shellWord(path),
                     programAsTyped());
}

std::string withPath(std::string text, const std::string& path) {
  for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos; at += path.size())
    text.replace(at, 1, path);
  return text;
}

}  // namespace

std::string adviceFor(const std::string& path) {
  const std::string plain(withoutCompression(path));
  for (const Foreign& foreign : kForeign) {
    if (!endsWith(plain, foreign.extension)) continue;
    const std::string advice =
        foreign.advice == nullptr ? throughJson(path) : withPath(foreign.advice, plain);
    return fmt::format("{} is not read: {}{}", foreign.name, advice, foreign.more);
  }
  if (plain.compare(plain.rfind('/') + 1, 4, "out.") == 0)  // npos + 1 is 0
    return "read a file of KONECT with --format el --base 1, and with --undirected if its first "
           "line says sym";
  return "";
}
