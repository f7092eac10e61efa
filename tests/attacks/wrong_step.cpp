// Answers with steps that do not exist, and with the wrong ones.
#include "takeover.h"

__attribute__((constructor)) static void attack() {
  reply(Reply::kLoaded);
  receive();
  reply(static_cast<Reply::Step>(-1));
  for (int i = 0; i < 1000; ++i) reply(Reply::kLoaded);
  pause();
}

void apsp(int, int*) {}
