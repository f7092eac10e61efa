// Numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// "12.5 T", "203 G": three significant digits and an SI prefix.
std::string withPrefix(double value);

/// "23.5 GB", "4.10 kB", "512 bytes": memory and files for people, in powers of 1000.
std::string bytesText(std::uint64_t bytes);

/// "24,995,000".
std::string withCommas(std::uint64_t value);

/// "1 edge", "2,500 edges": a count and its noun. plural: where it is not the noun and an s, also
/// of a noun and a verb, "pair is" and "pairs are".
std::string counted(std::uint64_t count, const std::string& noun, const std::string& plural = "");

/// "0.0512", "12.345", "3452.5", "345679": at most 7 columns if it is less than 10⁷ ms.
std::string milliseconds(double ms);

/// "100, 200, 300"; of many sizes only the ends and how many they are.
std::string sizesText(const std::vector<int>& sizes);

}  // namespace engine
