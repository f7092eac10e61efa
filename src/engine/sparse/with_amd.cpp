// The order of elimination by SuiteSparse's AMD (Amestoy, Davis, Duff 1996).
#include <suitesparse/amd.h>

#include <numeric>

#include "base/error.h"
#include "sparse/order.h"

namespace sparse {

std::vector<int> eliminationOrder(const Pattern& pattern) {
  std::vector<int> order(static_cast<std::size_t>(pattern.vertices()));
  std::iota(order.begin(), order.end(), 0);
  if (pattern.neighbours.empty()) return order;
  const int status = amd_order(pattern.vertices(), pattern.first.data(), pattern.neighbours.data(),
                               order.data(), nullptr, nullptr);
  if (status == AMD_OUT_OF_MEMORY)
    throw Error(Exit::kMemory, "out of host memory for an order of elimination");
  if (status == AMD_INVALID) throw Error(Exit::kInput, "AMD refuses the pattern of the graph");
  return order;
}

const char* orderName() {
  return "AMD";
}

}  // namespace sparse
