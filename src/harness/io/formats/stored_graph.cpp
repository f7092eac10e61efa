#include "io/formats/stored_graph.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "base/error.h"
#include "several/crew.h"

namespace {

/// What ranks send each other of such a graph.
struct Image {
  MatrixLayout matrix;
  char path[1024] = "";
};
static_assert(sizeof(Image) <= sizeof SourceImage::bytes);

SourceImage imageOf(const std::string& path, const MatrixLayout& matrix) {
  Image of{matrix};
  std::copy(path.begin(), path.end(), of.path);
  SourceImage image;
  image.kind = kStoredGraph;
  std::memcpy(image.bytes, &of, sizeof of);
  return image;
}

class Stored : public GraphSource {
 public:
  explicit Stored(StoredGraph graph) : graph_(std::move(graph)) {}

  int n() const override { return graph_.matrix.n; }
  Dtype dtype() const override { return graph_.matrix.dtype.value_or(Dtype::kInt32); }
  SourceImage image() const override { return imageOf(graph_.path, graph_.matrix); }

  bool here() const override { return static_cast<bool>(MatrixFile(graph_.path, graph_.matrix)); }
  bool asEdges() const override { return false; }
  bool computed() const override { return false; }
  std::size_t wholeBytes() const override { return matrixBytes(n(), dtype()); }
  Graph whole() const override {
    Matrix matrix(n(), dtype());
    block(0, n(), 0, n(), matrix.data());
    Graph graph;
    graph.n = n();
    graph.body = std::move(matrix);
    return graph;
  }
  void block(int row, int rows, int column, int columns, Elements to) const override {
    const MatrixFile file(graph_.path, graph_.matrix);
    if (!file)
      throw Error(ErrorCode::kInput, graph_.path +
                                         ": the file was changed or removed after it was checked: "
                                         "leave it as it is until the end, and start again");
    file.read(row, rows, column, columns, to);
  }

  std::optional<GraphStats> statistics() const override { return graph_.stats; }
  std::string report(int first, int rows) const override {
    const MatrixCount found = MatrixFile(graph_.path, graph_.matrix).count(first, rows);
    return {reinterpret_cast<const char*>(&found), sizeof found};
  }

 private:
  const StoredGraph graph_;
};

}  // namespace

std::shared_ptr<const GraphSource> sourceOf(StoredGraph stored) {
  return std::make_shared<Stored>(std::move(stored));
}

std::shared_ptr<const GraphSource> storedSource(const SourceImage& image) {
  Image of;
  std::memcpy(&of, image.bytes, sizeof of);
  return std::make_shared<Stored>(StoredGraph{of.path, of.matrix, {}, {}});
}

std::optional<StoredGraph> examineOnRanks(Crew& crew, const std::string& path,
                                          const MatrixLayout& matrix) {
  if (path.size() >= sizeof Image::path) return std::nullopt;
  const std::vector<std::string> reports = crew.report(imageOf(path, matrix), matrix.n);
  if (reports.empty()) return std::nullopt;
  MatrixCount all;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    MatrixCount its;
    std::memcpy(static_cast<void*>(&its), reports[rank].data(), sizeof its);
    if (rank == 0)
      all = its;
    else
      all += its;
  }
  // The narrowest type: each of those that may be comes after the narrower ones.
  const auto type = std::find(std::begin(all.holds), std::end(all.holds), true);
  if (type == std::end(all.holds)) return std::nullopt;  // readGraph() says what is wrong
  const auto dtype = static_cast<Dtype>(type - std::begin(all.holds));
  if (all.marks.unclear(dtype)) return std::nullopt;  // as above
  StoredGraph found{path, matrix, {}, {}};
  found.matrix.dtype = dtype;
  found.stats = all.stats[static_cast<int>(dtype)];
  found.report.zeros = all.zeros.count();
  found.report.zero = all.zeros.meaning();
  found.report.dropped.selfLoops = all.selfLoops;
  found.report.minusOnes = all.minusOnes;
  return found;
}
