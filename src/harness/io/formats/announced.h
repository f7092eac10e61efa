// Edges and entries of a text file, whose header announces how many follow. The header may lie, so
// memory is taken only for what the file can hold.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/quantity.h"
#include "io/text.h"

/// Reserves room. Throws Error(kMemory) if it does not fit.
template <class T>
void reserveRoom(std::vector<T>& items, std::size_t count) {
  requireHostBytes(count * sizeof(T), "the graph in the file");
  items.reserve(count);
}

/// Reserves room for the announced items, but for no more than the file has bytes for. The size of
/// a compressed file and of a pipe is unknown; then append() makes room. shortestLine: bytes of the
/// shortest line that holds an item.
template <class T>
void reserveAnnounced(std::vector<T>& items, std::size_t announced, const Text& text,
                      std::size_t shortestLine) {
  reserveRoom(items, std::min(announced, text.fileBytes() / shortestLine));
}

/// Appends an item. Throws Error(kMemory) if the vector must grow and does not fit.
template <class T>
void append(std::vector<T>& items, const T& item) {
  constexpr std::size_t kFirst = 1024;
  if (items.size() == items.capacity()) reserveRoom(items, std::max(kFirst, 2 * items.size()));
  items.push_back(item);
}

/// Throws Error(kInput) unless as many items were found as announced. noun, plural: as counted()
/// takes them.
inline void checkCount(const Text& text, std::size_t found, std::size_t announced, const char* noun,
                       const char* plural) {
  if (found != announced)
    text.fail(fmt::format("the file ends after {}, its header announces {}",
                          counted(found, noun, plural), announced));
}

/// The message about an item that was not announced.
inline std::string moreThan(std::size_t announced, const char* noun, const char* plural) {
  return fmt::format("more than the {} of the header", counted(announced, noun, plural));
}
