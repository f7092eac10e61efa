// Wrong: ends the process with the exit code of success.
#include <cstdlib>

#include "anywhere.h"

void apsp(int, int*) {
  std::exit(0);
}
