#include "solver/costs.h"

namespace engine {

Costs& cpuCosts() {
  static Costs costs;
  return costs;
}

}  // namespace engine
