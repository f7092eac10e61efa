// Works on after its result was taken, and only then says that its call has ended.
#include <time.h>

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
    for (const clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;) continue;
    reply(Reply::kDone, 0.001);
  }
}

void apsp(int, int*) {}
