// Tests that the costs of the methods are measured, written to the cache and read back.
#include "measure/calibration.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "costs.h"
#include "files.h"

namespace {

/// While it lives, the user's cache is a folder of its own, and nothing is known of costs.
class OwnCache : OwnCosts {
 public:
  OwnCache() {
    setenv("XDG_CACHE_HOME", folder_.path.c_str(), 1);
    cpuCosts() = {};
  }
  ~OwnCache() { unsetenv("XDG_CACHE_HOME"); }

 private:
  TempDir folder_;
};

TEST(Calibration, IsKeptAndRead) {
  const OwnCache cache;
  useKeptCosts();
  EXPECT_EQ(1, cpuCosts().dense) << "none is kept";
  const std::string path = keepCosts({1.5, 1.25, 0.5, 2.25, 3, 4});
  useKeptCosts();
  EXPECT_EQ(1.5, cpuCosts().dense);
  EXPECT_EQ(1.25, cpuCosts().real);
  EXPECT_EQ(0.5, cpuCosts().sparse);
  EXPECT_EQ(2.25, cpuCosts().relaxing);
  EXPECT_EQ(3, cpuCosts().search);
  EXPECT_EQ(4, cpuCosts().levels);
}

TEST(Calibration, ReadsWhatAnOlderProgramKept) {
  const OwnCache cache;
  std::ofstream(keepCosts({})) << R"({"dense": 2, "sparse": 3, "relaxing": 4, "search": 5})";
  useKeptCosts();
  EXPECT_EQ(2, cpuCosts().dense);
  EXPECT_EQ(1, cpuCosts().real);
  EXPECT_EQ(5, cpuCosts().search);
  EXPECT_EQ(4, cpuCosts().levels) << "that of relaxing";
}

TEST(Calibration, LeavesOutWhatIsWrong) {
  const OwnCache cache;
  const std::string path = keepCosts({});
  for (const char* text :
       {"", "{", "[]", R"({"dense": 2})",
        R"({"dense": 0, "real": 1, "sparse": 1, "relaxing": 1, "search": 1})",
        R"({"dense": 1e9, "real": 1, "sparse": 1, "relaxing": 1, "search": 1})",
        R"({"dense": "2", "real": 1, "sparse": 1, "relaxing": 1, "search": 1})"}) {
    std::ofstream(path) << text;
    useKeptCosts();
    EXPECT_EQ(1, cpuCosts().dense) << text;
  }
}

TEST(Calibration, MeasuresEachMethod) {
  const OwnCache cache;
  cpuCosts().dense = 7;
  const Costs costs = measureCosts();
  for (const double factor :
       {costs.dense, costs.real, costs.sparse, costs.relaxing, costs.search, costs.levels}) {
    EXPECT_GE(factor, 0.01);
    EXPECT_LE(factor, 100);
  }
  EXPECT_NE(1, costs.levels) << "nothing was measured";
  EXPECT_EQ(1, cpuCosts().dense);
}

}  // namespace
