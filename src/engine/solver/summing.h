// What rows and columns of distances come to, added up while the distances are in the cache:
// summing.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "solver/distances.h"

namespace engine {

/// Rows that are added up together, at the most.
inline constexpr int kSummedRows = 32;

/// And columns.
inline constexpr int kMostColumns = 512;

/// Each sum of a row is that of so many, which are added to at a time.
inline constexpr int kSumLanes = 8;

/// What some elements of one row come to.
template <class T>
struct RowSums {
  static constexpr int kWordLanes = std::is_same_v<T, std::int64_t> ? kSumLanes : 1;
  double sum[kSumLanes] = {};         ///< of others than int64
  double harmonic[kSumLanes] = {};    ///< the sum of 1/d over distances other than 0
  std::int64_t low[kWordLanes] = {};  ///< of int64, the sum is low + 2^32 · high
  std::int64_t high[kWordLanes] = {};
  int missing = 0;       ///< elements that are infinite
  T largest[kSumLanes];  ///< of the others
  RowSums();
};

/// The same of columns, each in an array of its own. Arrays that T does not need are empty.
template <class T>
struct ColumnSums {
  explicit ColumnSums(int columns);
  void operator+=(const ColumnSums& other);
  std::vector<std::int64_t> low, high;
  std::vector<double> sum, harmonic;
  std::vector<int> missing;
};

template <class T>
class SummingOf;

/// The sums of some consecutive rows. Only one thread at a time adds to them.
template <class T>
class BlockSums {
 public:
  explicit BlockSums(SummingOf<T>& all);
  /// Adds elements of the next `count` rows, kSummedRows at the most: `width` of each, kMostColumns
  /// at the most, which are those of the columns from `first` on, begin at rows[i].
  void add(const T* const* rows, int count, int first, int width);
  /// All columns of these rows were added: their numbers are numbers[0] to numbers[count - 1].
  void finish(const int* numbers, int count);

  const ColumnSums<T>& columns() const { return columns_; }
  const Total& total() const { return total_; }

 private:
  SummingOf<T>& all_;
  ColumnSums<T> columns_;
  Total total_;  // of the rows that are finished
  RowSums<T> rows_[kSummedRows];
};

/// Adds up all rows and columns of distances.
class Summing {
 public:
  virtual ~Summing() = default;
  /// Adds `count` whole rows from row `first` on, with all threads.
  virtual void add(int first, int count, ConstElements rows) = 0;
  /// What all come to, once every row was added.
  virtual Summaries finish() = 0;
};

/// The same for one type. Threads add blocks of rows. Sums of real numbers depend on their order,
/// so the blocks have numbers, and are put together in this order.
template <class T>
class SummingOf : public Summing {
 public:
  /// shape: whose rows and columns they are; keeps a reference.
  explicit SummingOf(const Distances& shape);

  /// The number of the first of so many further blocks.
  int begin(int blocks);
  /// Takes block `number`.
  void take(int number, std::unique_ptr<BlockSums<T>> block);

  void add(int first, int count, ConstElements rows) override;
  Summaries finish() override;

 private:
  friend class BlockSums<T>;
  void addRows(int first, int count, const T* rows, BlockSums<T>& block);
  /// The largest distance of a row to another vertex.
  T largestOf(int number, const T* row) const;

  /// How many columns have the vertex of a row.
  int columnsOf(int row) const;

  const Distances& shape_;
  std::vector<int> columnsOf_;  // of each vertex
  std::vector<RowSummary> rows_;
  ColumnSums<T> columns_;
  Total total_;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<BlockSums<T>>> waiting_;  // for blocks before them
  int begun_ = 0, taken_ = 0;                             // blocks
};

/// For distances of that shape and type. Keeps a reference.
std::unique_ptr<Summing> summingFor(const Distances& shape);

/// So many rows make a block of sums, if there are `rows` in all: a multiple of `together`. It does
/// not depend on the number of threads, so sums of real numbers do not either.
int rowsInBlock(int rows, int together);

}  // namespace engine
