// Whole numbers as the command line takes them.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

/// The whole decimal number in [low, high] that the text is, nothing else: written as it would be
/// printed, so with no sign but a minus where it is negative, no leading zero, blank or fraction,
/// and never wrapped or saturated (CLI11's own conversion does both, and reads 010 as 8).
template <class T>
std::optional<T> wholeNumber(std::string_view text, T low, T high) {
  T value{};
  const auto error = std::from_chars(text.data(), text.data() + text.size(), value).ec;
  const bool whole = error == std::errc() && fmt::format_int(value).c_str() == text;
  return whole && value >= low && value <= high ? std::optional<T>(value) : std::nullopt;
}
