#include "io/weights.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace {

constexpr std::string_view kDigits = "0123456789";

bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == text.npos;
}

/// `1,5`.
bool hasDecimalComma(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != text.npos && isDigits(text.substr(0, comma)) && isDigits(text.substr(comma + 1));
}

/// badWeightText() with --negative. number: what the text is.
std::string badSignedText(const std::string& found, std::string_view text,
                          std::optional<double> number, Accepted accepted) {
  const bool real = number && std::abs(*number) <= std::numeric_limits<float>::max();
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  if (accepted == Accepted::kSigned && isDigits(text) && real)
    return fmt::format("the weight {} is not in {}..{}: give --dtype f32", found, 1 - kInf,
                       kInf - 1);
  if (accepted == Accepted::kSigned)
    return fmt::format("expected a weight in -3.4e+38..3.4e+38, found {}", found);
  return fmt::format(
      "expected a whole weight in {}..{}, found {}{}", 1 - kInf, kInf - 1, found,
      real ? ": files of real numbers hold it (.el, .mtx, .npy; without --dtype i32)" : "");
}

}  // namespace

bool isNumber(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string badWeightText(const std::string& found, Accepted accepted) {
  const bool quoted = found.size() > 1 && found.front() == '\'';
  const std::string_view text =
      quoted ? std::string_view(found).substr(1, found.size() - 2) : std::string_view(found);
  double number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool isNumber = error == std::errc() && end == text.data() + text.size();
  const bool real = isNumber && number >= 0 && number <= std::numeric_limits<float>::max();
  if (accepted == Accepted::kSignedWhole || accepted == Accepted::kSigned)
    return badSignedText(found, text, isNumber ? std::optional(number) : std::nullopt, accepted);

  if (text.size() > 1 && text[0] == '-' && kDigits.find(text[1]) != kDigits.npos)
    return fmt::format("the weight {} is negative: give --negative, which accepts weights below 0",
                       found);
  if (isNumber && std::isnan(number) && accepted != Accepted::kIntegers)
    return fmt::format("the weight {} is not a number: write inf for \"no edge\"{}", found,
                       quoted ? "" : ", as numpy.where(numpy.isnan(m), numpy.inf, m) does");
  if (isDigits(text) && real && accepted == Accepted::kAny)
    return fmt::format("the weight {} is larger than {}: give --dtype f32", found, kInf - 1);

  const bool whole = accepted == Accepted::kIntegers || accepted == Accepted::kWhole;
  const char* const hint = hasDecimalComma(text)
                               ? ": write a decimal point, or give --decimal comma for an edge list"
                           : !real                        ? ""
                           : accepted == Accepted::kWhole ? ": --dtype f32 accepts it"
                           : accepted == Accepted::kIntegers
                               ? ": files of real numbers hold it (.el, .mtx, .npy; --dtype f32)"
                               : "";
  return fmt::format(
      "expected {}, found {}{}",
      whole ? fmt::format("a whole weight in 0..{}", kInf - 1) : "a weight in 0..3.4e+38", found,
      hint);
}
