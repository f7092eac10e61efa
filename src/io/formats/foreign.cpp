#include "io/formats/foreign.h"

#include <fmt/format.h>

#include "core/utf8.h"
#include "io/compression.h"

namespace {

/// A format of another program, and what makes a file of it that is read.
struct Foreign {
  const char *extension, *name;
  const char* function;  ///< of NetworkX, which reads the format; null: `advice` says what to do
  const char* advice;    ///< @ stands for the path
};

constexpr Foreign kForeign[] = {
#ifndef HAVE_pugixml
    {".graphml", "GraphML without pugixml", "read_graphml", nullptr},
#endif
    {".gml", "GML", "read_gml", nullptr},
    {".net", "Pajek's format", "read_pajek", nullptr},
    {".adjlist", "an adjacency list", "read_adjlist", nullptr},
#ifndef HAVE_zip
    {".npz", "an archive of NumPy without libzip", nullptr,
     "if it is a sparse matrix, python3 -c \"import scipy.io, scipy.sparse; "
     "scipy.io.mmwrite('@.mtx', scipy.sparse.load_npz('@'))\" makes @.mtx; save an array with "
     "numpy.save"},
#endif
};

/// The advice for what NetworkX reads. Tabs separate, because labels may have blanks.
std::string networkxAdvice(const char* function) {
  return fmt::format(
      "python3 -c \"import networkx as nx; nx.write_weighted_edgelist(nx.{}('@'), '@.tsv', "
      "delimiter='\\t')\" makes an edge list; read @.tsv with --labels",
      function);
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
        foreign.function != nullptr ? networkxAdvice(foreign.function) : foreign.advice;
    return fmt::format("{} is not read: {}", foreign.name, withPath(advice, plain));
  }
  if (plain.compare(plain.rfind('/') + 1, 4, "out.") == 0)  // npos + 1 is 0
    return "read a file of KONECT with --format el --base 1, and with --undirected if its first "
           "line says sym";
  return "";
}
