// The test program starts itself as the worker of a submission, as ./apsp does.
#include <gtest/gtest.h>

#include <string>

#include "seed.h"
#include "solver/costs.h"
#include "submission/sandbox.h"
#include "submission/worker.h"

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string(kWorkerArgument)) return runWorker(argc, argv);
  if (argc > 1 && argv[1] == std::string(kConfinedArgument)) return runConfined(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  tellSeedOfFailures();
  engine::cpuCosts() = {};  // which method is chosen does not depend on the machine
  return RUN_ALL_TESTS();
}
