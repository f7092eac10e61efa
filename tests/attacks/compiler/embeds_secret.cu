// The assembler puts a file of the user into the library, from where the submission prints it.
#include <cstdio>

asm(".section .rodata\n"
    ".globl secret\n"
    "secret: .incbin \"../rival/secret.txt\"\n"
    ".byte 0\n"
    ".text\n");
extern "C" const char secret[];

void apsp(int, int*) {
  printf("%s\n", secret);
}
