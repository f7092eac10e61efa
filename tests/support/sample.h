// Which of many similar cases a test runs: a sample in `make test`, all of them in `make soak`.
#pragma once

#include <cstdlib>
#include <string>

#include "seed.h"

/// Whether everything is to be tested that can be: APSP_FULL=1, which `make soak` sets.
inline bool wantsAll() {
  const char* const wish = std::getenv("APSP_FULL");
  return wish != nullptr && wish == std::string("1");
}

/// Whether a test takes this case: one of so many, with another APSP_TEST_SEED another one. All if wantsAll().
inline bool takes(int number, int ofSoMany) {
  return wantsAll() || (static_cast<unsigned>(number) + chosenSeed()) % static_cast<unsigned>(ofSoMany) == 0;
}

/// Whether a test of all sizes takes n: those beside multiples of 32, and one of seven others. All if wantsAll().
inline bool takesSize(int n) {
  return n <= 3 || (n + 1) % 32 <= 2 || takes(n, 7);
}
