// The types of weights, for tests that are made once for each of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

using AllTypes = testing::Types<std::int32_t, float, std::int64_t, double>;
using RealTypes = testing::Types<float, double>;
