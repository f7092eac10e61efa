// A text file line by line and field by field. What runs for every field of every line is inline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apsp.h"
#include "io/weights.h"

class Input;

/// The lines of a text file, plain or gzipped, and the blank-separated fields of the current one. A
/// byte order mark, carriage returns, blank lines and a missing final line break are passed over.
/// Throws Error(kInput): with `path:line:`, what was expected and what was found, where a field is
/// not what it is asked for as or a line is too long; with the path where the file is empty or its
/// gzip data are not whole. It keeps the Input, and one buffer however long the file is.
class Text {
 public:
  explicit Text(Input& in);
  ~Text();
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  /// Goes to the next line that is not blank; false at the end.
  bool next() {
    while (nextLine())
      if (!atEnd()) return true;
    return false;
  }

  /// The first character of the line that next() went to.
  char first() const { return *at_; }

  bool atEnd() {
    while (at_ != lineEnd_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
    return at_ == lineEnd_;
  }

  /// The next field, empty at the end of the line.
  std::string_view word() {
    field_ = atEnd() ? lineEnd_ : at_;
    while (at_ != lineEnd_ && *at_ != ' ' && *at_ != '\t') ++at_;
    return {field_, static_cast<std::size_t>(at_ - field_)};
  }

  /// The next field as a whole number ≥ 0; −1 where it is not one or has over 18 digits.
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

  /// A number in 0..INT_MAX of a header.
  int count(const char* what);

  /// A vertex id in first..last, as 0-based vertex.
  int vertex(int first, std::int64_t last) {
    const std::int64_t id = number();
    if (id < first || id > last) failVertex(id, first, last);
    return static_cast<int>(id - first);
  }

  /// The int32 weight of the edge between 0-based vertices, for a message in ids from `first`.
  int weight(int from, int to, int first) {
    const std::int64_t value = number();
    if (value < 0 || value >= kInf) failWeight(from, to, first);
    return static_cast<int>(value);
  }

  /// The same, but a whole or a real number, as a word of `type`.
  int weight(int from, int to, int first, WeightType& type) {
    const std::int64_t value = number();
    if (type.whole() && value >= 0 && value < kInf) return static_cast<int>(value);
    return realWeight(from, to, first, type);
  }

  /// A signed whole number as an entry of a dense matrix; kBad where it is none.
  int entry();

  /// A whole or a real number as an entry of a dense matrix, a word of `type`; kBad where it is
  /// none.
  int entry(WeightType& type);

  void endOfLine() {
    if (!word().empty()) failEndOfLine();
  }

  /// The field last asked for, for a message: short and printable.
  std::string found();

  [[noreturn]] void failWeight(int from, int to, int first,
                               std::optional<Dtype> asked = Dtype::kInt32);
  [[noreturn]] void fail(const std::string& message) const;

  /// Bytes of the file as it lies on the disk; 0 for a pipe.
  std::size_t fileBytes() const;

 private:
  class Unpacker;

  std::string_view signedWord();
  int realWeight(int from, int to, int first, WeightType& type);
  [[noreturn]] void failVertex(std::int64_t id, int first, std::int64_t last);
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

  /// Makes the next `length` bytes, less a carriage return, the current line.
  bool setLine(std::size_t length, std::size_t lineBreak) {
    at_ = field_ = buffer_.get() + begin_;
    lineEnd_ = at_ + length;
    begin_ += length + lineBreak;
    if (length > 0 && lineEnd_[-1] == '\r') --lineEnd_;
    return true;
  }

  /// Moves the unfinished line to the front and fills the rest of the buffer; false at the end.
  bool refill();

  Input& in_;
  std::unique_ptr<Unpacker> unpacker_;  // where the file is gzipped
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of buffer_
  const char *at_ = nullptr, *field_ = nullptr, *lineEnd_ = nullptr;
  std::size_t line_ = 0;
};
