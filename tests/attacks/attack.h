// What the attacks on hosts share. An attack is a submission that tries to cheat or to do harm. It must come to
// nothing; expected.csv says how. tests/attacks_test.py compiles each attack with these names:
//   FOLDER   a folder of the test: what lies there must not be read or changed
//   PORT     of a socket that listens on 127.0.0.1
//   SIBLING  another process of the same user
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>

void apsp(int n, int* graph);

/// The naive solver. Attacks that must also be right use it.
#ifdef __CUDACC__
static __global__ void relax(int n, int k, int* graph) {
  const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  const int through = graph[i * n + k] + graph[k * n + j];
  if (through < graph[i * n + j]) graph[i * n + j] = through;
}

inline void solve(int n, int* graph) {
  for (int k = 0; k < n; ++k) relax<<<dim3((n + 127) / 128, n), 128>>>(n, k, graph);
}
#else
inline void solve(int n, int* graph) {
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;  // the rows differ, so that the compiler may use vectors
      int* __restrict const row = graph + i * n;
      const int* __restrict const pivot = graph + k * n;
      const int first = row[k];
      for (int j = 0; j < n; ++j) {
        const int through = first + pivot[j];
        row[j] = through < row[j] ? through : row[j];
      }
    }
}
#endif

/// Appends a line to a file of the folder. If that works, the attack has touched what it must not.
inline void touch(const char* name) {
  char path[500];
  snprintf(path, sizeof path, "%s/%s", FOLDER, name);
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0) return;
  if (write(file, "touched\n", 8) < 0) return;
  close(file);
}
