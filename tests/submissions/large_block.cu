// Wrong: asks for blocks of 64×64 threads, more than any GPU has. CUDA rejects every launch, and
// nobody looks at the error.
#include "anywhere.h"

void apsp(int n, int* graph) {
  for (int k = 0; k < n; ++k) forAll<64, 64>(n, n, Step{n, k, graph});
}
