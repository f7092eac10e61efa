// The vertices of an edge list as words.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/memory.h"
#include "io/fields.h"

/// Numbers labels from 0 in the order in which they appear first.
class Labels {
 public:
  /// The number of a label. Throws Error(kMemory) if host memory is short.
  int number(const Field& field) {
    unquote(field, label_);
    const auto [found, isNew] = numbers_.try_emplace(label_, static_cast<int>(numbers_.size()));
    if (isNew) {
      requireRoom();
      lines_ += label_ + '\n';
    }
    return found->second;
  }

  /// All labels in the order of their numbers, one a line.
  std::string takeLines() { return std::move(lines_); }

 private:
  /// Asks for memory each time that the table grows to twice its size.
  void requireRoom() const {
    constexpr std::size_t kFirst = 1024, kBytes = 128;  // of one label in the table, about
    const std::size_t count = numbers_.size();
    if (count >= kFirst && (count & (count - 1)) == 0)
      requireHostBytes(count * kBytes + lines_.size(), "the labels in the file");
  }

  std::unordered_map<std::string, int> numbers_;
  std::string label_, lines_;
};
