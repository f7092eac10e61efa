// The test program is its own child where a submission is tested, as ./apsp is.
#include <gtest/gtest.h>

#include <string>

#include "submission/protocol.h"

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string(kServeArgument)) return serveSubmission(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
