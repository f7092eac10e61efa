#include "io/weights.h"
#include "apsp.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
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

constexpr double kMostFloat = std::numeric_limits<float>::max();

/// The largest whole weight of a type.
std::int64_t mostWhole(Dtype dtype) {
  return dtype == Dtype::kInt32 ? kInfinity<std::int32_t> - 1 : kInfinity<std::int64_t> - 1;
}

/// The largest real weight of a type.
const char* mostReal(Dtype dtype) {
  return dtype == Dtype::kFloat32 ? "3.4e+38" : "1.8e+308";
}

/// badWeightText() with --negative. real: the text is a number, and a weight of some type.
std::string badSignedText(const std::string& found, bool real, const Accepted& accepted) {
  const Dtype widest = accepted.widest();
  if (!isWhole(widest))
    return fmt::format("expected a weight in -{0}..{0}, found {1}", mostReal(widest), found);
  const std::int64_t most = mostWhole(widest);
  const std::string without = accepted.asked && isWhole(*accepted.asked)
                                  ? fmt::format("; without --dtype {}", nameOf(*accepted.asked))
                                  : "";
  return fmt::format(
      "expected a whole weight in {}..{}, found {}{}", -most, most, found,
      real ? fmt::format(": files of real numbers hold it (.el, .mtx, .npy{})", without) : "");
}

/// What to do about a number that is a weight of another type.
std::string hintFor(std::string_view text, double number, const Accepted& accepted) {
  const Dtype widest = accepted.widest();
  if (!isWhole(widest)) {
    const bool large = widest == Dtype::kFloat32 && number > kMostFloat;
    return large ? ": --dtype f64 accepts it" : "";
  }
  const auto whole = parsed<std::int64_t>(text);
  const bool asked = accepted.asked && isWhole(*accepted.asked);
  const bool fits = whole ? isWeight<std::int64_t>(*whole, false)
                          : accepted.kind.reals && number < 0x1p62 && std::trunc(number) == number;
  if (asked && (accepted.kind.wide || accepted.kind.reals) && fits && widest == Dtype::kInt32)
    return ": --dtype i64 accepts it";
  if (!accepted.kind.reals) return ": files of real numbers hold it (.el, .mtx, .npy)";
  const bool narrow = accepted.asked == Dtype::kInt32 && number <= kMostFloat;
  return narrow ? ": --dtype f32 accepts it" : ": --dtype f64 accepts it";
}

}  // namespace

bool isTiny(std::string_view number) {
  return std::abs(std::strtod(std::string(number).c_str(), nullptr)) < 1;
}

bool isNumber(std::string_view text) {
  return parsed<double>(text).has_value();
}

Dtype Accepted::widest() const {
  if (asked && isWhole(*asked)) return kind.wide || kind.reals ? *asked : Dtype::kInt32;
  if (!kind.reals) return kind.wide ? Dtype::kInt64 : Dtype::kInt32;
  return asked.value_or(*kind.reals);
}

std::optional<Number> ReadType::otherWeight(std::int64_t number) {
  if (!kind_.wide && !isWeight<std::int32_t>(number, negative_)) {
    if (!kind_.reals) return std::nullopt;
    if (!asked_) dtype_ = *kind_.reals;
  }
  if (!isWeight<std::int64_t>(number, negative_)) return weight(static_cast<double>(number));
  if (dtype_ == Dtype::kInt32 && !isWeight<std::int32_t>(number, negative_)) {
    if (asked_) return std::nullopt;
    dtype_ = Dtype::kInt64;
  }
  return withType(dtype_, [=](auto zero) -> Number { return static_cast<decltype(zero)>(number); });
}

std::optional<Number> ReadType::weight(double number) {
  if (!kind_.reals) return std::nullopt;
  if (number == HUGE_VAL) return infinityOf(dtype_);
  if (isWhole(dtype_)) {
    const double most = asked_ ? 0x1p62 : kExactDoubles;
    const auto whole = wholeWeight<std::int64_t>(number, negative_, most);
    if (!isBad(whole)) return weight(whole);
    // It may be one of another type.
    const bool real = !asked_ && !isBad(realWeight<double>(number, negative_));
    if (!real) return std::nullopt;
    dtype_ = *kind_.reals;
  }
  const auto real = [&](auto found) -> std::optional<Number> {
    return isBad(found) ? std::nullopt : std::optional<Number>(found);
  };
  return dtype_ == Dtype::kFloat32 ? real(realWeight<float>(number, negative_))
                                   : real(realWeight<double>(number, negative_));
}

std::optional<Number> ReadType::entry(std::int64_t number) {
  const bool minusOne = number == -1 && !negative_;
  const bool shortInfinity = number == kInf && !(asked_ && sizeOf(*asked_) == 8);
  const bool longInfinity = isLongInfinity(number);
  shortInfinity_ = shortInfinity_ || shortInfinity;
  longInfinity_ = longInfinity_ || longInfinity;
  return minusOne || shortInfinity || longInfinity ? infinityOf(dtype_) : weight(number);
}

std::optional<Number> ReadType::entry(double number) {
  const bool mark = number == -1 || number == kInf;
  return mark ? entry(static_cast<std::int64_t>(number)) : weight(number);
}

std::string unclearEntryText(Dtype dtype, bool takesInfinity) {
  return fmt::format(
      "an entry is {0}, which may be a weight or \"no edge\", because others are no int32: give "
      "--dtype {1} if it is a weight, else write {2}",
      kInf, isWhole(dtype) ? "i64" : "f64", takesInfinity ? "inf" : "-1");
}

std::string badWeightText(const std::string& found, const Accepted& accepted) {
  const bool quoted = found.size() > 1 && found.front() == '\'';
  const std::string_view text =
      quoted ? std::string_view(found).substr(1, found.size() - 2) : std::string_view(found);
  const std::optional<double> number = parsed<double>(text);
  const bool finite = number && std::abs(*number) <= std::numeric_limits<double>::max();
  if (accepted.negative) return badSignedText(found, finite, accepted);

  if (text.size() > 1 && text[0] == '-' && kDigits.find(text[1]) != kDigits.npos)
    return fmt::format("the weight {} is negative: give --negative, which accepts weights below 0",
                       found);
  if (number && std::isnan(*number) && accepted.kind.reals)
    return fmt::format("the weight {} is not a number: write inf for \"no edge\"{}", found,
                       quoted ? "" : ", as numpy.where(numpy.isnan(m), numpy.inf, m) does");

  const Dtype widest = accepted.widest();
  const std::string hint = hasDecimalComma(text)
                               ? ": write a decimal point, or give --decimal comma"
                           : finite && *number >= 0 ? hintFor(text, *number, accepted)
                                                    : "";
  return fmt::format("expected {}, found {}{}",
                     isWhole(widest) ? fmt::format("a whole weight in 0..{}", mostWhole(widest))
                                     : fmt::format("a weight in 0..{}", mostReal(widest)),
                     found, hint);
}
