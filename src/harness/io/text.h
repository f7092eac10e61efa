// Text files: Text reads them line by line and field by field, TextOutput writes them. The
// functions that run once for each field or each line are inline.
#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "apsp.h"
#include "base/progress.h"
#include "base/size.h"
#include "io/output.h"
#include "io/weights.h"

class Input;

/// The lines of a text file, and the fields of the current line, which blanks or tabs separate. A
/// byte order mark, carriage returns, blank lines and a missing final newline are accepted.
/// Functions that read a field throw Error(kInput) with `path:line:`, the expected and the found
/// text if the field is not what they read, or if a line is too long. Error(kInput) with the path
/// if the file is empty. The Input must outlive the Text. The memory taken does not depend on the
/// length of the file, only on that of its longest line.
class Text {
 public:
  /// The size of a buffer, and the longest line if nothing else is said. A larger one is not
  /// faster.
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

  /// skipLines: how many lines at the beginning of the file are not read; ≤ 0: none. Throws
  /// Error(kInput) if the file has fewer lines. longestLine: how many bytes a line may have, at
  /// least the default.
  explicit Text(Input& in, int skipLines = 0, std::size_t longestLine = kBufferBytes);
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  /// From now on weight() and entry() of real numbers read 0,5 for 0.5, and refuse a decimal point,
  /// which may separate thousands.
  void takeDecimalComma(bool comma) { decimalComma_ = comma; }

  /// Goes to the next line that is not blank; false at the end of the file.
  bool next() {
    while (nextLine())
      if (!atEnd()) return true;
    return false;
  }

  /// Goes to the next line, which may be blank; false at the end of the file.
  bool nextOrBlank() { return nextLine(); }

  /// The first character of the line, which must not have been read from yet.
  char first() const { return *at_; }

  /// What is left of the line.
  std::string_view rest() const { return {at_, asSize(lineEnd_ - at_)}; }

  /// The line with the blanks and tabs at its beginning. No field must have been read yet.
  std::string_view wholeLine() const { return {field_, asSize(lineEnd_ - field_)}; }

  /// Makes a part of the current line all that is left of it.
  void enter(std::string_view part) {
    at_ = field_ = part.data();
    lineEnd_ = at_ + part.size();
  }

  /// Whether the line has no further field.
  bool atEnd() {
    while (at_ != lineEnd_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
    return at_ == lineEnd_;
  }

  /// The next field; empty at the end of the line.
  std::string_view field() {
    field_ = atEnd() ? lineEnd_ : at_;
    while (at_ != lineEnd_ && *at_ != ' ' && *at_ != '\t') ++at_;
    return {field_, asSize(at_ - field_)};
  }

  /// How many fields of the line are left. It reads none of them.
  int fieldsLeft();

  /// The next field as a whole number ≥ 0; −1 if it is not one or has more than 18 digits.
  std::int64_t number() {
    constexpr int kMostDigits = 18;
    field_ = atEnd() ? lineEnd_ : at_;
    std::int64_t value = 0;
    while (at_ != lineEnd_ && *at_ >= '0' && *at_ <= '9') {
      if (at_ - field_ == kMostDigits) return -1;
      value = value * 10 + (*at_++ - '0');
    }
    const bool whole = at_ != field_ && (at_ == lineEnd_ || *at_ == ' ' || *at_ == '\t');
    return whole ? value : -1;
  }

  /// The next field as a number in 0..INT_MAX. The message calls it `what`.
  int count(const char* what);

  /// The next field, a vertex id in first..last, as a vertex that counts from 0. The message ends
  /// with `hint`.
  int vertex(int first, std::int64_t last, std::string_view hint = {}) {
    const std::int64_t id = number();
    if (id < first || id > last) failVertex(id, first, last, hint);
    return static_cast<int>(id - first);
  }

  /// The next field as a weight of `type`: a whole number of digits or, if the type takes reals,
  /// any number. The message names the edge: from and to count from 0, and the ids in the file from
  /// `first`.
  Number weight(int from, int to, int first, ReadType& type) {
    const std::optional<Number> found =
        readWeight(from, to, type, [this](ReadType& its) { return weight(its); });
    if (!found) failWeight(from, to, first, type.accepted());
    return *found;
  }

  /// The same; none if the field is no weight.
  std::optional<Number> weight(ReadType& type) {
    const std::int64_t value = number();
    return value >= 0 ? type.weight(value) : otherWeight(type);
  }

  /// The next field, a whole number with or without a sign or, if the type takes reals, any number,
  /// as an entry of a dense matrix of `type`; none if it is none.
  std::optional<Number> entry(ReadType& type);

  /// The same on the diagonal, where it does not count, as readWeight() says. NaN is infinity
  /// there.
  std::optional<Number> diagonal(ReadType& type);

  void endOfLine() {
    if (!field().empty()) failEndOfLine();
  }

  /// The field that was read last, for a message.
  std::string found();

  /// The field that was read last, as it is. It becomes the field before the next one.
  std::string_view lastField() {
    at_ = field_;
    return field();
  }

  /// The number of the current line. The first line of the file is 1.
  std::size_t line() const { return line_; }

  [[noreturn]] void failWeight(int from, int to, int first, const Accepted& accepted);
  [[noreturn]] void fail(const std::string& message) const { failAt(line_, message); }
  [[noreturn]] void failAt(std::size_t line, const std::string& message) const;

  /// The name of the file, for a message.
  const std::string& name() const;

  /// The size of the file in bytes; 0 if it is unknown, because the file is a pipe or compressed.
  std::size_t fileBytes() const;

 private:
  std::string_view signedField();
  std::string_view realField();
  std::optional<Number> otherWeight(ReadType& type);
  [[noreturn]] void failVertex(std::int64_t id, int first, std::int64_t last,
                               std::string_view hint);
  [[noreturn]] void failEndOfLine();

  /// The bytes in the buffer from `at` on.
  std::string_view bytesFrom(std::size_t at) const { return {buffer_.get() + at, end_ - at}; }
  bool startsWith(std::string_view mark) const;

  bool nextLine() {
    ++line_;
    for (std::size_t scanned = 0;;) {
      const std::size_t length = bytesFrom(begin_ + scanned).find('\n');
      if (length != std::string_view::npos) return setLine(scanned + length, 1);
      scanned = end_ - begin_;
      if (refill()) continue;
      if (scanned > 0) return setLine(scanned, 0);
      --line_;
      return false;
    }
  }

  /// Makes the next `length` bytes, without a carriage return at their end, the current line.
  bool setLine(std::size_t length, std::size_t lineBreak) {
    at_ = field_ = buffer_.get() + begin_;
    lineEnd_ = at_ + length;
    begin_ += length + lineBreak;
    if (length > 0 && lineEnd_[-1] == '\r') --lineEnd_;
    return true;
  }

  /// Moves the unfinished line to the front and fills the rest of the buffer; false at the end.
  bool refill();

  /// Makes the buffer, which one line fills, larger.
  void grow();

  Input& in_;
  bool decimalComma_ = false;
  std::string pointed_;                            // a number with a point for its decimal comma
  std::size_t room_ = kBufferBytes, longestLine_;  // bytes of buffer_, and how many it may have
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the part of buffer_ that has not been read
  const char *at_ = nullptr, *field_ = nullptr, *lineEnd_ = nullptr;
  std::size_t line_ = 0;
};

/// A number as a weight of `type`, read as Text reads it; none if the text is no weight.
std::optional<Number> parseWeight(std::string_view text, ReadType& type);

/// Writes text to a file in large pieces and reports progress.
class TextOutput {
 public:
  /// prints: how often print() will be called
  TextOutput(OutputFile& out, std::uint64_t prints) : out_(out), progress_("", prints) {
    out.announce(0);
  }
  /// Appends fmt::format(pattern, values...). pattern: FMT_COMPILE("...").
  template <class Pattern, class... Values>
  void print(const Pattern& pattern, const Values&... values) {
    constexpr std::size_t kFull = std::size_t{1} << 20;
    fmt::format_to(std::back_inserter(text_), pattern, values...);
    ++printed_;
    if (text_.size() >= kFull) flush();
  }
  /// Writes what has not been written yet. Call it after the last print().
  void flush() {
    out_.write(text_.data(), text_.size());
    text_.clear();
    progress_.advance(std::exchange(printed_, 0));
  }

 private:
  OutputFile& out_;
  Progress progress_;
  std::uint64_t printed_ = 0;  // since the last flush()
  fmt::basic_memory_buffer<char, 4096> text_;
};
