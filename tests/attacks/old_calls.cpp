// Makes its system calls as 32-bit programs do: they have other numbers, which a filter may not know.
#include <sys/mman.h>

#include "attack.h"

void apsp(int n, int* graph) {
#ifdef __x86_64__
  // Such a call takes 32-bit addresses only.
  char* const path = static_cast<char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0));
  strcpy(path, FOLDER "/int80");
  long file = 5;  // open
  __asm__ volatile("int $0x80" : "+a"(file) : "b"(path), "c"(O_WRONLY | O_CREAT), "d"(0666) : "memory");
#endif
  solve(n, graph);
}
