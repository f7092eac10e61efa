// Wrong: waits for something that never happens: that a vertex is at a distance from itself.
#include "anywhere.h"

struct Wait {
  volatile int* graph;  // (n, n)

  ANYWHERE void operator()(int, int) const {
    while (graph[0] == 0) {
    }
  }
};

void apsp(int, int* graph) {
  forAll(1, 1, Wait{graph});
}
