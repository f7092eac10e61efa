#include "solver/costs.h"

Costs& cpuCosts() {
  static Costs costs;
  return costs;
}
