// Writes into the kernel's own page for clock_gettime(), the vDSO, in its process: the clock stands still for everyone
// there, whatever function asks for it.
#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "attack.h"

__attribute__((constructor)) static void attack() {
#ifdef __x86_64__
  char* const image = reinterpret_cast<char*>(getauxval(AT_SYSINFO_EHDR));
  if (image == nullptr || mprotect(image, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  const auto* header = reinterpret_cast<Elf64_Ehdr*>(image);
  const auto* sections = reinterpret_cast<Elf64_Shdr*>(image + header->e_shoff);
  for (int at = 0; at < header->e_shnum; ++at) {
    if (sections[at].sh_type != SHT_DYNSYM) continue;
    const auto* symbols = reinterpret_cast<Elf64_Sym*>(image + sections[at].sh_offset);
    const char* names = image + sections[sections[at].sh_link].sh_offset;
    for (unsigned i = 0; i < sections[at].sh_size / sizeof *symbols; ++i)
      if (strcmp(names + symbols[i].st_name, "__vdso_clock_gettime") == 0)
        // mov qword [rsi], 1; mov qword [rsi+8], 0; xor eax, eax; ret
        memcpy(image + symbols[i].st_value,
               "\x48\xc7\x06\x01\x00\x00\x00\x48\xc7\x46\x08\x00\x00\x00\x00\x31\xc0\xc3", 18);
  }
#endif
}

void apsp(int n, int* graph) {
  solve(n, graph);
}
