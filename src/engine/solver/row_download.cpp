#include "solver/row_download.h"

#include <algorithm>
#include <cstddef>
#include <future>
#include <utility>

RowDownload::RowDownload(const Device& device, int columns, int piece, const RowVisitor& visit)
    : device_(device), columns_(columns), most_(std::max(1, piece)), visit_(visit) {}

std::size_t RowDownload::wordsOf(int rows) const {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns_);
}

void RowDownload::add(int first, int count, const int* words) {
  for (int row = 0; row < count; row += most_) {
    coming_.first = first + row;
    coming_.count = std::min(most_, count - row);
    coming_.words.resize(std::max(coming_.words.size(), wordsOf(coming_.count)));
    const auto get = [this, from = words + wordsOf(row)] {
      device_.download(coming_.words.data(), from, wordsOf(coming_.count));
    };
    // If no piece is here, there is nothing to do meanwhile, and it comes without a thread.
    const auto either = std::launch::async | std::launch::deferred;
    auto download = std::async(here_.count > 0 ? either : std::launch::deferred, get);
    finish();
    download.get();
    std::swap(coming_, here_);
  }
}

void RowDownload::finish() {
  if (here_.count > 0) visit_(here_.first, here_.count, here_.words.data());
  here_.count = 0;
}
