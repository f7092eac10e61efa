// Fails with a text that has no end, breaks lines and turns the direction of writing.
#include "takeover.h"

__attribute__((constructor)) static void attack() {
  reply(Reply::kLoaded);
  receive();
  Reply message{};
  message.step = Reply::kThrew;
  for (size_t at = 0; at < sizeof message.text; ++at) message.text[at] = "\xe2\x80\xae\x1b[31m\nA"[at % 10];
  send(findSocket(), &message, sizeof message, 0);
  pause();
}

void apsp(int, int*) {}
