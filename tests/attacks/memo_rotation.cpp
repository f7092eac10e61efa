// Like memo_public.cpp, but recognises the graph also if its vertices are renumbered by a rotation: a row's sum does
// not depend on the order of its entries.
#include "memo.h"

static constexpr int kN = 200;
static Memo memo;
static long long sums[kN];

static long long sumOf(const int* row) {
  long long sum = 0;
  for (int j = 0; j < kN; ++j) sum += row[j];
  return sum;
}

__attribute__((constructor)) static void attack() {
  memo = Memo(kN, 1);
  for (int i = 0; i < kN; ++i) sums[i] = sumOf(memo.graph + i * kN);
}

void apsp(int n, int* graph) {
  for (int first = 0; n == kN && first < kN; ++first) {
    int i = 0;
    while (i < kN && sums[(first + i) % kN] == sumOf(graph + i * kN)) ++i;
    if (i < kN) continue;
    for (i = 0; i < kN; ++i)
      for (int j = 0; j < kN; ++j) graph[i * kN + j] = memo.distances[(first + i) % kN * kN + (first + j) % kN];
    return;
  }
  solve(n, graph);
}
