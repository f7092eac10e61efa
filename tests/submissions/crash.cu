// Wrong: writes through a null pointer on the host.
#include "anywhere.h"

void apsp(int n, int*) {
  volatile int* volatile nowhere = nullptr;
  *nowhere = n;
}
