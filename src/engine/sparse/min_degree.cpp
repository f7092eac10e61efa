// Minimum degree (Markowitz 1957, Tinney and Walker 1967), with the graph written out.
//
// Eliminating a vertex joins its neighbours with each other. Who has the fewest neighbours adds the
// fewest edges, so such a vertex is eliminated next. The neighbours of every vertex are a sorted
// list. Eliminating v puts the list of v into those of its neighbours. That costs the sum of these
// lists' lengths, which the bound on the degree keeps small. The vertices of each degree are in a
// bucket. A vertex whose degree changes is put into another bucket, and its old place there is
// recognised when it comes up: the degree is no longer right.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/size.h"
#include "sparse/order.h"

namespace engine::sparse {

namespace {

class MinimumDegree {
 public:
  MinimumDegree(const Pattern& pattern, int bound) : bound_(bound), buckets_(asSize(bound) + 1) {
    const auto n = asSize(pattern.vertices());
    lists_.resize(n);
    gone_.resize(n);
    for (std::size_t v = 0; v < n; ++v) {
      lists_[v].assign(pattern.neighbours.begin() + pattern.first[v],
                       pattern.neighbours.begin() + pattern.first[v + 1]);
      file(static_cast<int>(v));
    }
  }

  std::vector<int> run() {
    std::vector<int> order;
    for (int degree = 0; degree <= bound_;) {
      std::vector<int>& bucket = buckets_[asSize(degree)];
      if (bucket.empty()) {
        ++degree;
        continue;
      }
      const int v = bucket.back();
      bucket.pop_back();
      if (gone(v) || list(v).size() != asSize(degree)) continue;
      order.push_back(v);
      eliminate(v);
      degree = std::max(0, degree - 1);
    }
    for (std::size_t v = 0; v < gone_.size(); ++v)
      if (!gone(static_cast<int>(v))) order.push_back(static_cast<int>(v));
    return order;
  }

 private:
  std::vector<int>& list(int v) { return lists_[asSize(v)]; }
  bool gone(int v) const { return gone_[asSize(v)] != 0; }

  void file(int v) {
    const std::size_t degree = list(v).size();
    if (degree < buckets_.size()) buckets_[degree].push_back(v);
  }

  void eliminate(int v) {
    gone_[asSize(v)] = 1;
    const std::vector<int> neighbours = std::move(list(v));
    for (const int u : neighbours) {
      joined_.clear();
      std::set_union(list(u).begin(), list(u).end(), neighbours.begin(), neighbours.end(),
                     std::back_inserter(joined_));
      joined_.erase(std::remove_if(joined_.begin(), joined_.end(),
                                   [&](int other) { return other == u || other == v; }),
                    joined_.end());
      list(u) = joined_;
      file(u);
    }
    list(v) = {};
  }

  int bound_;
  std::vector<std::vector<int>> lists_;
  std::vector<std::vector<int>> buckets_;  // the vertices by their degree, with old places
  std::vector<char> gone_;
  std::vector<int> joined_;
};

}  // namespace

std::vector<int> minimumDegree(const Pattern& pattern, int bound) {
  return MinimumDegree(pattern, bound).run();
}

}  // namespace engine::sparse
