#include "seed.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <string>

namespace {

class Teller : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Failed())
      std::printf("%s.%s failed with APSP_TEST_SEED=%llu\n", test.test_suite_name(), test.name(),
                  static_cast<unsigned long long>(chosenSeed()));
  }
};

}  // namespace

void tellSeedOfFailures() {
  testing::UnitTest::GetInstance()->listeners().Append(new Teller);  // which it deletes
}

std::uint64_t chosenSeed() {
  const char* const chosen = std::getenv("APSP_TEST_SEED");
  return chosen == nullptr || *chosen == '\0' ? 1 : std::strtoull(chosen, nullptr, 10);
}

std::uint32_t testSeed(const char* file) {
  std::string place(file);
  place.erase(0, place.rfind('/') + 1);  // wherever it was built
  if (const auto* const test = testing::UnitTest::GetInstance()->current_test_info())
    place += std::string(" ") + test->test_suite_name() + "." + test->name();
  static std::mutex mutex;
  static std::map<std::string, int> calls;
  const std::lock_guard<std::mutex> lock(mutex);
  place += " " + std::to_string(++calls[place]);
  std::seed_seq mixed(place.begin(), place.end());
  std::uint32_t seed[1];
  mixed.generate(seed, seed + 1);
  return seed[0] ^ static_cast<std::uint32_t>(chosenSeed() * 0x9e3779b97f4a7c15u >> 32);
}
