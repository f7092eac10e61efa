// The order of elimination where SuiteSparse is not installed.
#include "sparse/order.h"

namespace engine::sparse {

namespace {

/// Vertices with more neighbours stay in the core. Eliminating them would take longer than the core
/// gains.
constexpr int kBound = 128;

}  // namespace

std::vector<int> eliminationOrder(const Pattern& pattern) {
  return minimumDegree(pattern, kBound);
}

const char* orderName() {
  return "minimum degree";
}

}  // namespace engine::sparse
