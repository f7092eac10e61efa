// Wrong: waits for ever, until the distance of a vertex from itself is not 0.
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
