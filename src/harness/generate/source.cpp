#include "generate/source.h"

#include <cstring>

#include "base/size.h"
#include "generate/generate.h"
#include "generate/generate_gpu.h"
#include "io/formats/stored_graph.h"

namespace {

constexpr int kGenerated = 1;
static_assert(kGenerated != kStoredGraph && sizeof(Spec) <= sizeof SourceImage::bytes);

class GeneratedGraph : public GraphSource {
 public:
  explicit GeneratedGraph(const Spec& spec) : spec_(spec) {}

  int n() const override { return spec_.n; }
  Dtype dtype() const override { return spec_.dtype; }
  SourceImage image() const override {
    SourceImage image;
    image.kind = kGenerated;
    std::memcpy(image.bytes, &spec_, sizeof spec_);
    return image;
  }

  bool asEdges() const override {
    bool edges = false;
    withFamily(spec_, [&](auto family) { edges = !decltype(family)::dense; });
    return edges;
  }
  bool computed() const override { return true; }
  std::size_t wholeBytes() const override {
    std::size_t bytes = matrixBytes(spec_.n, spec_.dtype);
    withFamily(spec_, [&](auto family) {
      using Family = decltype(family);
      if constexpr (!Family::dense)
        withType(spec_.dtype, [&](auto zero) {
          bytes = asSize(spec_.n) * Family::arcs(spec_) * 2 * sizeof(Edge<decltype(zero)>);
        });
    });
    return bytes;
  }
  Graph whole() const override { return generate(spec_); }
  void block(int row, int rows, int column, int columns, Elements to) const override {
    if (rows == spec_.n && columns == spec_.n) return generateInto(spec_, to);
    generateBlock(spec_, row, rows, column, columns, to);
  }
  bool blockOnGpu(const MatrixBlock& block) const override {
    generateOnGpu(spec_, block);
    return true;
  }

  std::shared_ptr<const GraphSource> ofSize(int n) const override {
    Spec spec = spec_;
    spec.n = n;
    return sourceOf(spec);
  }
  std::shared_ptr<const GraphSource> ofSeed(std::uint64_t seed) const override {
    if (!familyOf(spec_).seeded) return nullptr;
    Spec spec = spec_;
    spec.seed = seed;
    return sourceOf(spec);
  }

 private:
  const Spec spec_;
};

}  // namespace

std::shared_ptr<const GraphSource> sourceOf(const Spec& spec) {
  return std::make_shared<GeneratedGraph>(spec);
}

std::shared_ptr<const GraphSource> readSource(const SourceImage& image) {
  if (image.kind == kStoredGraph) return storedSource(image);
  Spec spec;
  std::memcpy(&spec, image.bytes, sizeof spec);
  return sourceOf(spec);
}

void generateOn(const Device& device, const Spec& spec, Elements matrix) {
  if (device.make(*sourceOf(spec), matrix)) return;
  Matrix host(spec.n, spec.dtype);
  generateInto(spec, host.data());
  upload(device, matrix, host.data(), host.size());
}
