// Has no solver. It is linked with the library of a rival, see the test.
#include "attack.h"

void rival(int n, int* graph) __asm__("_Z5rivaliPi");

void apsp(int n, int* graph) {
  rival(n, graph);
}
