// Sets the costs of the methods on a CPU for a part of a test.
#pragma once

#include "solver/costs.h"
#include "sparse/rates.h"

/// As long as this lives, a test may change what is known of costs.
class OwnCosts {
 public:
  OwnCosts() = default;
  ~OwnCosts() { engine::cpuCosts() = before_; }
  OwnCosts(const OwnCosts&) = delete;
  OwnCosts& operator=(const OwnCosts&) = delete;

 private:
  const engine::Costs before_ = engine::cpuCosts();
};

/// As long as this lives, methods are chosen as on a CPU with AVX-512.
class AsWithAvx512 : OwnCosts {
 public:
  AsWithAvx512() {
    engine::cpuCosts().dense *=
        2e-11 / engine::sparse::ratesOn(engine::cpuDevice, engine::Dtype::kInt32).product;
  }
};
