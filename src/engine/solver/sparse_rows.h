// Distances of some pairs: of each row those columns that are wanted, and nothing else.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/elements.h"
#include "base/graph.h"

namespace engine {

/// Rows that threads fill in any order. Their memory is taken in large pieces, and is not moved.
class SparseRows {
 public:
  /// columns: of the matrix whose rows these are.
  SparseRows(int rows, int columns, Dtype dtype)
      : columns_(columns), dtype_(dtype), rows_(asSize(rows)) {}

  int rowCount() const { return static_cast<int>(rows_.size()); }
  int columns() const { return columns_; }
  Dtype dtype() const { return dtype_; }
  /// How many distances all rows have together.
  std::uint64_t entries() const;

  /// How many distances row i has, their columns, and the distances.
  std::size_t count(int i) const { return rows_[asSize(i)].count; }
  const int* columnsOf(int i) const { return rows_[asSize(i)].columns; }
  ConstElements distances(int i) const { return {dtype_, rows_[asSize(i)].distances}; }

  /// Makes room for row i, and returns its places: `columns` and `distances`, `count` each. From
  /// any thread. Without memory it returns null pointers, and requireRoom() throws.
  struct Places {
    int* columns = nullptr;
    void* distances = nullptr;
  };
  Places place(int i, std::size_t count);
  /// No row has a distance.
  void clear();
  /// Whether all memory that was wanted was there.
  bool hasRoom() const { return !full_.load(std::memory_order_relaxed); }
  /// Throws Error(kMemory) if it was not.
  void requireRoom() const;

 private:
  struct Row {
    std::size_t count = 0;
    int* columns = nullptr;
    void* distances = nullptr;
  };
  struct Free {
    void operator()(char* piece) const;
  };
  char* take(std::size_t bytes);

  int columns_;
  Dtype dtype_;
  std::vector<Row> rows_;
  std::mutex mutex_;  // of what follows
  std::vector<std::unique_ptr<char, Free>> pieces_;
  char* next_ = nullptr;
  std::size_t left_ = 0;   // bytes of the last piece
  std::size_t taken_ = 0;  // bytes of all pieces
  std::atomic<bool> full_{false};
};

}  // namespace engine
