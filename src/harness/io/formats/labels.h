// The vertices of an edge list as words.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/memory.h"
#include "io/fields.h"

using namespace engine;

/// Numbers labels from 0 in the order in which they appear first.
class Labels {
 public:
  /// The number of a label. Throws Error(kMemory) if host memory is short.
  int number(const Field& field) {
    constexpr std::size_t kBytes = 96;  // of a label in the table, besides its text
    unquote(field, label_);
    const auto [found, isNew] = numbers_.try_emplace(label_, static_cast<int>(numbers_.size()));
    if (isNew) {
      memory_.take(kBytes + 2 * label_.size());
      lines_ += label_ + '\n';
    }
    return found->second;
  }

  /// All labels in the order of their numbers, one a line.
  std::string takeLines() { return std::move(lines_); }

 private:
  std::unordered_map<std::string, int> numbers_;
  std::string label_, lines_;
  GrowingMemory memory_{"the labels in the file"};
};
