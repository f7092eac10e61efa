// The order of elimination by SuiteSparse's AMD (Amestoy, Davis, Duff 1996).
#include <suitesparse/amd.h>

#include <numeric>

#include "base/error.h"
#include "base/size.h"
#include "sparse/order.h"

namespace engine::sparse {

std::vector<int> eliminationOrder(const Pattern& pattern) {
  std::vector<int> order(asSize(pattern.vertices()));
  std::iota(order.begin(), order.end(), 0);
  if (pattern.neighbours.empty()) return order;
  const int status = amd_order(pattern.vertices(), pattern.first.data(), pattern.neighbours.data(),
                               order.data(), nullptr, nullptr);
  if (status == AMD_OUT_OF_MEMORY)
    throw Error(ErrorCode::kMemory, "out of host memory for an order of elimination");
  if (status == AMD_INVALID) throw Error(ErrorCode::kInput, "AMD refuses the pattern of the graph");
  return order;
}

const char* orderName() {
  return "AMD";
}

}  // namespace engine::sparse
