// A set of small numbers that is read in ascending or descending order while it grows.
#pragma once

#include <cstdint>
#include <vector>

#include "base/size.h"

namespace engine::sparse {

/// Numbers from 0 to before `size`. A bit says for each number whether it is in the set, and
/// another one for each 64 of them whether any is: a step over a gap costs little.
class PositionSet {
 public:
  explicit PositionSet(int size)
      : words_(asSize(size) / 64 + 1), groups_(words_.size() / 64 + 1), size_(size) {}

  void add(int number) {
    const auto i = asSize(number);
    words_[i / 64] |= std::uint64_t{1} << i % 64;
    groups_[i / 4096] |= std::uint64_t{1} << i / 64 % 64;
  }

  /// The least number that is not below `from`, or size.
  int next(int from) const {
    for (auto i = asSize(from); i < asSize(size_);) {
      const std::uint64_t word = words_[i / 64] >> i % 64;
      if (word != 0) return static_cast<int>(i) + __builtin_ctzll(word);
      std::size_t at = i / 64 + 1;  // the next word that is not empty
      std::size_t group = at / 64;
      std::uint64_t left = group < groups_.size() ? groups_[group] >> at % 64 : 0;
      if (left == 0) {
        for (++group; group < groups_.size() && groups_[group] == 0;) ++group;
        if (group >= groups_.size()) return size_;
        at = group * 64;
        left = groups_[group];
      }
      i = (at + asSize(__builtin_ctzll(left))) * 64;
    }
    return size_;
  }

  /// The largest number below `before`, or −1.
  int last(int before) const {
    if (before <= 0) return -1;
    const auto i = asSize(before - 1);
    const std::uint64_t word = words_[i / 64] << (63 - i % 64);
    if (word != 0) return static_cast<int>(i) - __builtin_clzll(word);
    for (std::size_t at = i / 64; at > 0;) {
      --at;
      std::size_t group = at / 64;
      std::uint64_t left = groups_[group] << (63 - at % 64);
      if (left == 0) {
        while (group > 0 && groups_[group - 1] == 0) --group;
        if (group == 0) return -1;
        at = group * 64 - 1;
        left = groups_[--group];
      }
      at -= asSize(__builtin_clzll(left));
      return static_cast<int>(at * 64 + 63) - __builtin_clzll(words_[at]);
    }
    return -1;
  }

  /// Removes a number. The mark of its 64 stays until clear() if others are left there.
  void remove(int number) {
    const auto i = asSize(number);
    words_[i / 64] &= ~(std::uint64_t{1} << i % 64);
    if (words_[i / 64] == 0) groups_[i / 4096] &= ~(std::uint64_t{1} << i / 64 % 64);
  }

 private:
  std::vector<std::uint64_t> words_, groups_;
  int size_;
};

}  // namespace engine::sparse
