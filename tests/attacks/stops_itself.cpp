// Stops its own process: it neither answers nor ends.
#include <signal.h>

#include "attack.h"

void apsp(int, int*) {
  raise(SIGSTOP);
  for (;;) pause();
}
