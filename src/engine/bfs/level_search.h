// Distances in a graph whose edges all have the same weight: breadth-first searches on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/elements.h"
#include "base/graph.h"
#include "base/object_pool.h"
#include "bfs/shape.h"
#include "solver/outcome.h"
#include "solver/summing.h"

namespace engine::bfs {

/// The weight that all edges have, and that is not below 0. Nothing if they differ; 1 if there is
/// no edge. graph: held as edges.
std::optional<Number> commonWeight(const Graph& graph);

/// The distances from some sources to some targets.
class LevelSearch {
 public:
  /// From so many searches on, batches have 512 of them, else 64. It does not depend on the
  /// threads, because sums of real numbers depend on the batches.
  static constexpr int kManySearches = 16 * 512;

  /// graph: held as edges, with a commonWeight(). sources, targets: vertices, in the order of the
  /// rows and columns. simd: as findExplore() takes it. manySearches: tests give another one than
  /// kManySearches. Throws Error(kMemory), std::bad_alloc.
  LevelSearch(const Graph& graph, const std::vector<int>& sources, std::vector<int> targets,
              std::string simd = "", int manySearches = kManySearches);
  ~LevelSearch();

  /// Bytes that a LevelSearch takes beside the edges and the distances.
  static std::size_t bytes(int n, std::size_t edges);
  /// The milliseconds that solving all rows takes at the least, if each has a search: to write
  /// them.
  static double leastMilliseconds(int n, std::size_t edges, std::size_t distances, Dtype dtype);
  /// The milliseconds that solving all rows is expected to take, told from some batches of
  /// searches, which are kept. Nothing if it is more than `most`.
  std::optional<double> expect(double most);
  /// Of what expect() returned, the part of the batches that it searched.
  double sampledMilliseconds() const { return sampledMs_; }
  /// The milliseconds of searching in what expect() returned. The rest is for writing rows.
  double searchingMilliseconds() const { return searchingMs_; }
  /// The highest level that the batches searched by expect() saw.
  int sampledLevels() const;

  /// Writes `count` rows, from row `first` on: (count, targets), with all threads; nothing if
  /// `rows` is null. Adds them to `sums`, unless it is null. Throws Error(kMemory), Cancelled.
  void solve(int first, int count, Elements rows, Summing* sums = nullptr);

  /// What solve() did until now.
  const Levelling& done() const { return done_; }

 private:
  struct Row;
  struct Batch;
  struct Work;
  struct Schedule;

  Row rowOf(std::size_t source, int index) const;
  Schedule scheduleOf(int first, int count) const;
  std::shared_ptr<Work> makeWork(const Schedule& schedule) const;
  ObjectPool<Work>& poolFor(const Schedule& schedule, int works);
  bool explore(const Schedule& schedule, const Batch& batch, Work& work, std::uint64_t most) const;
  double writingMilliseconds(double part) const;
  void count(const Schedule& schedule, const Batch& batch, const Work& work);
  template <class T>
  void solveAs(const Schedule& schedule, int first, T* rows, SummingOf<T>* sums);
  template <class T>
  void write(const Schedule& schedule, const Batch& batch, const Work& work, int begin, T* rows,
             BlockSums<T>* sums) const;
  template <class Visit>
  void visitOwn(int vertex, int begin, int count, const Visit& visit) const;
  template <class T>
  void writeNone(int source, int number, T* to, BlockSums<T>* sums) const;

  const Dtype dtype_;
  const Number weight_;
  const std::string simd_;
  const int manySearches_;
  const Shape shape_;
  const std::vector<int> sources_, targets_;
  std::vector<int> places_;  // of the targets
  const ArcLists columns_;   // of each vertex: the columns that lead to it
  std::unique_ptr<Schedule> all_;
  std::map<int, std::shared_ptr<Work>> samples_;  // batches of all_ that are explored
  double sampledMs_ = 0, searchingMs_ = 0;
  std::unique_ptr<ObjectPool<Work>> works_;
  bool worksAreWide_ = false;
  int workCount_ = 0;
  std::mutex mutex_;  // of done_
  Levelling done_;
};

}  // namespace engine::bfs
