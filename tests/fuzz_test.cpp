// What fuzzing once found, or a planted bug needed: every file of tests/fuzz/regressions/TARGET/
// goes through that target again. Under AddressSanitizer the heap is watched, too.
#include <gtest/gtest.h>

#include <filesystem>

#include "files.h"
#include "fuzz/targets.h"

namespace {

class Regressions : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Fuzz, Regressions, testing::ValuesIn(fuzzTargets()),
                         [](const auto& row) { return row.param.name; });

TEST_P(Regressions, StayFixed) {
  const auto folder = std::filesystem::path("tests/fuzz/regressions") / GetParam().name;
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(file.path());
    EXPECT_NO_THROW(GetParam().run(readBytes(file.path())));
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
