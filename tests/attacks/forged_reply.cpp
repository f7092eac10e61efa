// Sends an answer of its own when it has solved. The worker's answers come, too, one message too late from then on.
#include "takeover.h"

void apsp(int n, int* graph) {
  solve(n, graph);
  reply(Reply::kReturned);
  reply(Reply::kDone, -1);
}
