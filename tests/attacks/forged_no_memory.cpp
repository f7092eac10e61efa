// Says while it is loaded that there is no memory, as forged_cuda_error says it of CUDA.
#include "takeover.h"

__attribute__((constructor)) static void attack() {
  reply(Reply::kNoMemory, 0, "ran out of host memory");
  for (;;) pause();
}

void apsp(int, int*) {}
