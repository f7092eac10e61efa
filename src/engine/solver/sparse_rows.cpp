#include "solver/sparse_rows.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"

namespace engine {

namespace {

constexpr std::size_t kLeast = std::size_t{1} << 16, kMost = std::size_t{1} << 25;
constexpr std::size_t kAligned = 64;

}  // namespace

void SparseRows::Free::operator()(char* piece) const {
  std::free(piece);
}

std::uint64_t SparseRows::entries() const {
  std::uint64_t sum = 0;
  for (const Row& row : rows_) sum += row.count;
  return sum;
}

/// The mutex is held. Null: there is no memory.
char* SparseRows::take(std::size_t bytes) {
  if (bytes > left_) {
    // A piece is as large as all before it together, within limits.
    const std::size_t piece =
        (std::max(bytes, std::clamp(taken_, kLeast, kMost)) + kAligned - 1) / kAligned * kAligned;
    if (piece > kUncheckedBytes && piece > freeHostBytes()) return nullptr;
    std::unique_ptr<char, Free> made(static_cast<char*>(std::aligned_alloc(kAligned, piece)));
    if (made == nullptr) return nullptr;
    preferLargePages(made.get(), piece);
    next_ = made.get();
    left_ = piece;
    taken_ += piece;
    pieces_.push_back(std::move(made));
  }
  char* const place = next_;
  next_ += bytes;
  left_ -= bytes;
  return place;
}

void SparseRows::clear() {
  std::fill(rows_.begin(), rows_.end(), Row{});
  pieces_.clear();
  left_ = taken_ = 0;
  full_ = false;
}

SparseRows::Places SparseRows::place(int i, std::size_t count) {
  Row& row = rows_[asSize(i)];
  row = {};
  if (count == 0) return {};
  // The distances first: they may need to lie at multiples of 8 bytes.
  const std::size_t distances = count * sizeOf(dtype_);
  const std::size_t bytes = (distances + count * sizeof(int) + 7) / 8 * 8;
  char* memory = nullptr;
  try {
    const std::lock_guard lock(mutex_);
    memory = take(bytes);
  } catch (const std::bad_alloc&) {
  }
  if (memory == nullptr) {
    full_ = true;
    return {};
  }
  row = {count, reinterpret_cast<int*>(memory + distances), memory};
  return {row.columns, row.distances};
}

void SparseRows::requireRoom() const {
  if (hasRoom()) return;
  throw Error(ErrorCode::kMemory,
              "the distances that were found need more host memory than the " + bytesText(taken_) +
                  " that they have: give a smaller limit, or fewer sources or targets");
}

}  // namespace engine
