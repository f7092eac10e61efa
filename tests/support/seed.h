// Where the numbers of a random test come from. Every run draws the same ones, so that a verdict can be repeated. With
// another APSP_TEST_SEED in the environment, it draws others.
#pragma once

#include <cstdint>

/// From now on, a test that fails tells the seed.
void tellSeedOfFailures();

/// APSP_TEST_SEED; 1 by default.
std::uint64_t chosenSeed();

/// A seed for the test that runs, or for a constant of a file. Each call in a test gives another one. It depends on the
/// name of the test, on its file, and on how often the test has called before, but not on other tests.
std::uint32_t testSeed(const char* file = __builtin_FILE());
