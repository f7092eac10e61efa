#include "io/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cmath>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/quantity.h"
#include "io/input.h"
#include "system/utf8.h"

namespace {

/// A number as a weight of `type`, or as an entry of a dense matrix. Digits only are a whole
/// number, and another number is a real one, which the type may not take.
std::optional<Number> anyNumber(std::string_view text, bool dense, ReadType& type) {
  const auto take = [&](auto number) { return dense ? type.entry(number) : type.weight(number); };
  if (const auto whole = parsed<std::int64_t>(text)) return take(*whole);
  const bool digits = text.find_first_not_of("-0123456789") == std::string_view::npos;
  if (!type.takesReals() && !digits) return std::nullopt;
  return take(parsed<double>(text).value_or(NAN));
}

bool isNaN(std::string_view text) {
  const auto number = parsed<double>(text);
  return number && std::isnan(*number);
}

std::string_view withoutPlus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

}  // namespace

Text::Text(Input& in, int skipLines, std::size_t longestLine)
    : in_(in), longestLine_(longestLine), buffer_(new char[kBufferBytes]) {
  end_ = in_.read(buffer_.get(), kBufferBytes);
  if (isUtf16(bytesFrom(0))) in_.fail("is UTF-16 text: convert it with iconv -f UTF-16 -t UTF-8");
  if (startsWith(kByteOrderMark)) begin_ = kByteOrderMark.size();
  for (int i = 0; i < skipLines; ++i)
    if (!nextLine())
      in_.fail(fmt::format("--skip-lines {}: the file has {}", skipLines,
                           counted(static_cast<std::uint64_t>(i), "line")));
}

int Text::fieldsLeft() {
  const char* const at = at_;
  int count = 0;
  while (!field().empty()) ++count;
  at_ = at;
  return count;
}

int Text::count(const char* what) {
  const std::int64_t value = number();
  if (value < 0 || value > INT_MAX)
    fail(fmt::format("expected {} in 0..{}, found {}", what, INT_MAX, found()));
  return static_cast<int>(value);
}

/// The next field, without the plus sign of a number such as +Inf.
std::string_view Text::signedField() {
  return withoutPlus(field());
}

/// The same, with a point for a decimal comma.
std::string_view Text::realField() {
  const std::string_view text = signedField();
  if (!decimalComma_) return text;
  if (text.find('.') != text.npos) return {};
  pointed_ = text;
  std::replace(pointed_.begin(), pointed_.end(), ',', '.');
  return pointed_;
}

std::optional<Number> parseWeight(std::string_view text, ReadType& type) {
  return anyNumber(withoutPlus(text), false, type);
}

std::optional<Number> Text::entry(ReadType& type) {
  return anyNumber(type.takesReals() ? realField() : signedField(), true, type);
}

std::optional<Number> Text::diagonal(ReadType& type) {
  const auto loop = readWeight(0, 0, type, [this](ReadType& its) { return entry(its); });
  return !loop && isNaN(lastField()) ? infinityOf(type.dtype()) : loop;
}

std::optional<Number> Text::otherWeight(ReadType& type) {
  at_ = field_;
  return anyNumber(type.takesReals() ? realField() : field(), false, type);
}

std::string Text::found() {
  const std::string_view text = lastField();
  return text.empty() ? "the end of the line" : inQuotes(text);
}

void Text::failWeight(int from, int to, int first, const Accepted& accepted) {
  fail(badWeight(std::int64_t{from} + first, std::int64_t{to} + first, found(), accepted));
}

void Text::failAt(std::size_t line, const std::string& message) const {
  throw Error(ErrorCode::kInput, fmt::format("{}:{}: {}", in_.name(), line, message));
}

const std::string& Text::name() const {
  return in_.name();
}

std::size_t Text::fileBytes() const {
  return in_.size();
}

void Text::failVertex(std::int64_t id, int first, std::int64_t last, std::string_view hint) {
  if (id < 0) fail(fmt::format("expected a vertex in {}..{}, found {}", first, last, found()));
  fail(fmt::format("vertex {} is outside {}..{}{}", id, first, last, hint));
}

void Text::failEndOfLine() {
  fail("expected the end of the line, found " + found());
}

bool Text::startsWith(std::string_view mark) const {
  return bytesFrom(0).substr(0, mark.size()) == mark;
}

void Text::grow() {
  if (room_ == longestLine_) fail(fmt::format("the line is longer than {} bytes", longestLine_));
  const std::size_t room = room_ > longestLine_ / 2 ? longestLine_ : 2 * room_;
  in_.holdBytes(room);
  std::unique_ptr<char[]> larger(new char[room]);
  std::copy(buffer_.get(), buffer_.get() + end_, larger.get());
  buffer_ = std::move(larger);
  room_ = room;
}

bool Text::refill() {
  if (begin_ == 0 && end_ == room_) {
    grow();
  } else {
    std::copy(buffer_.get() + begin_, buffer_.get() + end_, buffer_.get());
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t got = in_.read(buffer_.get() + end_, room_ - end_);
  end_ += got;
  return got > 0;
}
