// Makes a system call by its number in the x32 table: 2 is open there, too, with a bit above.
#include "attack.h"

void apsp(int n, int* graph) {
#ifdef __x86_64__
  long file = 0x40000000 | 2;
  __asm__ volatile("syscall"
                   : "+a"(file)
                   : "D"(FOLDER "/x32"), "S"(O_WRONLY | O_CREAT), "d"(0666)
                   : "rcx", "r11", "memory");
#endif
  solve(n, graph);
}
