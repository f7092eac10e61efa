// Inputs that fuzzing found, or that show a bug once planted: each file in
// tests/fuzz/regressions/TARGET/ is run through that target again. Under AddressSanitizer the heap
// is watched, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "../fuzz/targets.h"
#include "files.h"

namespace {

const std::filesystem::path kRegressions = "tests/fuzz/regressions";

class Regressions : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Fuzz, Regressions, testing::ValuesIn(fuzzTargets()),
                         [](const auto& row) { return row.param.name; });

TEST_P(Regressions, StayFixed) {
  const Target& target = GetParam();
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = kRegressions / target.name;
  if (std::filesystem::exists(folder))  // nothing may have been found yet
    for (const auto& file : std::filesystem::directory_iterator(folder)) files.push_back(file);
  for (const std::string& extension : target.extensions)
    if (std::filesystem::exists("data/tiny" + extension)) files.push_back("data/tiny" + extension);
  for (const auto& file : files) {
    SCOPED_TRACE(file);
    EXPECT_NO_THROW(target.run(readBytes(file)));
  }
  EXPECT_FALSE(files.empty() && target.extensions.empty());
}

TEST(RegressionFolders, AreTargets) {
  const std::vector<Target>& targets = fuzzTargets();
  std::set<std::string> missing;  // the targets that need a library which was not there
#ifndef HAVE_zip
  missing.insert("npz");
#endif
#ifndef HAVE_pugixml
  missing.insert("graphml");
#endif
  for (const auto& folder : std::filesystem::directory_iterator(kRegressions))
    EXPECT_TRUE(
        missing.count(folder.path().filename()) > 0 ||
        std::any_of(targets.begin(), targets.end(),
                    [&](const Target& target) { return target.name == folder.path().filename(); }))
        << folder;
}

}  // namespace
