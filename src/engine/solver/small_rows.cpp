#include "solver/small_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <type_traits>

#include "base/memory.h"
#include "base/size.h"
#include "base/thread_team.h"

namespace engine {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

/// Calls work(begin, end) for pieces of `count` elements, in several threads.
template <class Work>
void inPieces(std::size_t count, const Work& work) {
  inParts(static_cast<int>((count + kPiece - 1) / kPiece), 1, [&](int first, int last) {
    for (int piece = first; piece < last; ++piece)
      work(asSize(piece) * kPiece, std::min(count, asSize(piece + 1) * kPiece));
  });
}

/// As shrinkOnGpu(), in host memory.
template <class T, class Small>
std::size_t shrink(const T* from, std::size_t count, Small* to) {
  std::mutex mutex;
  std::size_t first = count;
  const auto fits = [](T number) {
    return number == kInfinity<T> || (number >= 0 && number < kNoDistance<Small>);
  };
  inPieces(count, [&](std::size_t begin, std::size_t end) {
    int wide = 0;
#pragma omp simd reduction(| : wide)
    for (std::size_t i = begin; i < end; ++i) {
      to[i] = from[i] == kInfinity<T> ? kNoDistance<Small> : static_cast<Small>(from[i]);
      wide |= !fits(from[i]);
    }
    if (wide == 0) return;
    const auto found = std::find_if_not(from + begin, from + end, fits) - from;
    const std::lock_guard lock(mutex);
    first = std::min(first, static_cast<std::size_t>(found));
  });
  return first;
}

template <class Small, class T>
void widened(const Small* from, std::size_t count, T* to) {
  inPieces(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      to[i] = from[i] == kNoDistance<Small> ? kInfinity<T> : static_cast<T>(from[i]);
  });
}

/// Calls f(whole, small) with the elements as pointers of their types. whole: of a whole type.
template <class Memory, class Bytes, class F>
void withBoth(Pointer<Memory> whole, Bytes* small, RowWidth stored, const F& f) {
  using Byte = std::conditional_t<std::is_const_v<Bytes>, const std::uint8_t, std::uint8_t>;
  using Word = std::conditional_t<std::is_const_v<Bytes>, const std::uint16_t, std::uint16_t>;
  withElements(whole, [&](auto* elements) {
    if constexpr (std::is_integral_v<NumberAt<decltype(elements)>>) {
      if (stored == RowWidth::kUint8)
        f(elements, static_cast<Byte*>(small));
      else
        f(elements, static_cast<Word*>(small));
    }
  });
}

int mostIn(RowWidth stored) {
  return (stored == RowWidth::kUint8 ? kNoDistance<std::uint8_t> : kNoDistance<std::uint16_t>)-1;
}

bool onGpu(const Device& device) {
  return device.kind() == DeviceKind::kGpu;
}

constexpr char kDoesNotFit[] =
    "a distance is not between 0 and {}, the first pair {} -> {}: take more bits";

}  // namespace

DoesNotFit::DoesNotFit(int largest, int from, int to)
    : Error(ErrorCode::kUsage, fmt::format(kDoesNotFit, largest, from, to)),
      most(largest),
      source(from),
      target(to) {}

std::string doesNotFitText(const DoesNotFit& error,
                           const std::function<std::string(int vertex)>& nameOf) {
  return fmt::format(kDoesNotFit, error.most, nameOf(error.source), nameOf(error.target));
}

std::size_t SmallRows::bytes(int rows, int columns, RowWidth stored) {
  return sizeOf(stored, Dtype::kInt32) * asSize(rows) * asSize(columns);
}

SmallRows::SmallRows(const Device& device, int rows, int columns, RowWidth stored)
    : device_(device),
      columns_(columns),
      stored_(stored),
      words_(device, Dtype::kInt32,
             (bytes(rows, columns, stored) + sizeof(std::int32_t) - 1) / sizeof(std::int32_t)) {
  if (!onGpu(device)) takePages(words_.data().data(), words_.bytes());
}

void* SmallRows::at(int row) const {
  return static_cast<char*>(words_.data().data()) + bytes(row, columns_, stored_);
}

void SmallRows::keep(const Distances& shape, int first, int count, ConstElements rows) {
  const std::size_t size = asSize(count) * asSize(columns_);
  std::size_t wide = size;
  if (onGpu(device_))
    wide = shrinkOnGpu(rows, size, stored_, at(first));
  else
    withBoth(rows, at(first), stored_,
             [&](const auto* from, auto* to) { wide = shrink(from, size, to); });
  if (wide == size) return;
  const auto row = static_cast<int>(wide / asSize(columns_));
  const auto column = static_cast<int>(wide % asSize(columns_));
  throw DoesNotFit(mostIn(stored_), shape.source(first + row), shape.target(column));
}

void SmallRows::widen(int first, int count, Elements rows) const {
  const std::size_t size = asSize(count) * asSize(columns_);
  if (onGpu(device_)) return widenOnGpu(at(first), size, stored_, rows);
  const void* const from = at(first);
  withBoth(rows, from, stored_, [&](auto* to, const auto* small) { widened(small, size, to); });
}

}  // namespace engine
