// Looks in the memory of the benchmark for the distances with which its result will be compared, and copies them. It
// solves nothing. In a check the benchmark holds them before the call.
#include <stdlib.h>
#include <sys/uio.h>

#include <vector>

#include "attack.h"

/// Whether these may be the distances: no greater than the weights, and closed for some triples.
static bool fits(int n, const int* graph, const int* found) {
  bool differs = false;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int d = found[i * n + j];
      if (d < 0 || d > graph[i * n + j] || (i == j && d != 0)) return false;
      if (d > found[i * n + (i + j) % n] + found[(i + j) % n * n + j]) return false;
      differs = differs || d != graph[i * n + j];
    }
  return differs;
}

static bool search(int pid, int n, int* graph) {
  char path[100], line[500];
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE* const maps = fopen(path, "r");
  const size_t size = static_cast<size_t>(n) * n;
  while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin, end;
    if (strstr(line, " rw-p ") == nullptr || sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
    std::vector<int> words((end - begin) / sizeof(int));
    iovec to = {words.data(), end - begin}, from = {reinterpret_cast<void*>(begin), end - begin};
    if (process_vm_readv(pid, &to, 1, &from, 1, 0) < 0) continue;
    for (size_t at = 0; at + size <= words.size(); ++at)
      if (words[at] == 0 && words[at + n + 1] == 0 && fits(n, graph, &words[at])) {
        memcpy(graph, &words[at], size * sizeof(int));
        fclose(maps);
        return true;
      }
  }
  if (maps != nullptr) fclose(maps);
  return false;
}

void apsp(int n, int* graph) {
  if (search(getppid(), n, graph)) touch("expected");
}
