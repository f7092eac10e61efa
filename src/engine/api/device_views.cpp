#include "api/device_views.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "api/options.h"
#include "api/status.h"
#include "base/memory.h"
#include "base/size.h"

namespace engine {

namespace {

/// A copy, in host memory, of `count` elements in the GPU's memory.
template <class T>
std::vector<T> downloaded(const T* there, std::size_t count, const char* what) {
  require(there != nullptr || count == 0, what);
  requireHostBytes(count * sizeof(T), "a copy of the graph's arrays");
  std::vector<T> here(count);
  requireHere(there, "the array of edges");
  if (count > 0) deviceOf(APSP_DEVICE).download(here.data(), there, count * sizeof(T));
  return here;
}

/// A copy of the caller's weights; null where there are none.
class Weights {
 public:
  Weights() = default;
  Weights(ConstElements there, std::size_t count) : copy_(there.dtype(), 0), given_(bool{there}) {
    const std::size_t bytes = count * sizeOf(there.dtype());
    if (!given_) return;
    requireHere(there.data(), "weights");
    requireHostBytes(bytes, "a copy of the graph's arrays");
    copy_.resize(there.dtype(), count);
    if (count > 0) deviceOf(APSP_DEVICE).download(copy_.data().data(), there.data(), bytes);
  }
  ConstElements data() const {
    const ConstElements all = copy_.data();
    return {all.dtype(), given_ ? all.data() : nullptr};
  }

 private:
  ElementBuffer copy_;
  bool given_ = false;
};

template <class Offset>
std::shared_ptr<const GraphSource> csrView(const CsrArrays<Offset>& there, bool negative) {
  struct Copies {
    std::vector<Offset> offsets;
    std::vector<std::int32_t> heads;
    Weights weights;
    std::shared_ptr<const GraphSource> view;
  };
  const auto copies = std::make_shared<Copies>();
  const auto n = asSize(there.n);
  copies->offsets = downloaded(there.offsets, n == 0 ? 0 : n + 1, "offsets is NULL");
  const Offset last = n == 0 ? 0 : copies->offsets.back();
  require(last >= 0, "the last of the offsets is negative");
  const auto edges = asSize(last);
  copies->heads = downloaded(there.heads, edges, "heads is NULL");
  copies->weights = Weights(there.weights, edges);
  copies->view = viewOf(CsrArrays<Offset>{there.n, copies->offsets.data(), copies->heads.data(),
                                          copies->weights.data()},
                        negative);
  return {copies, copies->view.get()};
}

/// A matrix that is read where it is.
class DeviceMatrixView : public GraphSource {
 public:
  DeviceMatrixView(const MatrixArray& array, bool negative) : array_(array), negative_(negative) {}
  int n() const override { return array_.n; }
  Dtype dtype() const override { return array_.elements.dtype(); }
  SourceImage image() const override { return {}; }
  bool asEdges() const override { return false; }
  bool computed() const override { return false; }
  std::size_t wholeBytes() const override { return matrixBytes(n(), dtype()); }
  Graph whole() const override { return matrixOf(*this); }
  void block(int row, int rows, int column, int columns, Elements to) const override {
    refuse(copyFromGpu(array_, negative_, row, rows, column, columns, to));
  }
  bool blockOnGpu(const MatrixBlock& block) const override {
    refuse(copyOnGpu(array_, negative_, block));
    return true;
  }

 private:
  void refuse(const std::optional<WrongElement>& wrong) const {
    if (wrong) refuseElement(wrong->i, wrong->j, wrong->number, negative_);
  }

  const MatrixArray array_;
  const bool negative_;
};

}  // namespace

std::shared_ptr<const GraphSource> deviceViewOf(const CsrArrays<std::int32_t>& arrays,
                                                bool negative) {
  return csrView(arrays, negative);
}
std::shared_ptr<const GraphSource> deviceViewOf(const CsrArrays<std::int64_t>& arrays,
                                                bool negative) {
  return csrView(arrays, negative);
}

std::shared_ptr<const GraphSource> deviceViewOf(const EdgeArrays& there, bool negative) {
  struct Copies {
    std::vector<std::int32_t> tails, heads;
    Weights weights;
    std::shared_ptr<const GraphSource> view;
  };
  const auto copies = std::make_shared<Copies>();
  copies->tails = downloaded(there.tails, there.count, "tails is NULL");
  copies->heads = downloaded(there.heads, there.count, "heads is NULL");
  copies->weights = Weights(there.weights, there.count);
  copies->view = viewOf(EdgeArrays{there.n, there.count, copies->tails.data(), copies->heads.data(),
                                   copies->weights.data()},
                        negative);
  return {copies, copies->view.get()};
}

std::shared_ptr<const GraphSource> deviceViewOf(const MatrixArray& array, bool negative) {
  requireHere(array.elements.data(), "the matrix");
  return std::make_shared<DeviceMatrixView>(array, negative);
}

}  // namespace engine
