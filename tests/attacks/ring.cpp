// Opens a file and writes it through io_uring: the kernel does it, and no system call says what.
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "attack.h"

static void attack() {
  io_uring_params params{};
  const int ring = static_cast<int>(syscall(SYS_io_uring_setup, 4, &params));
  if (ring < 0) return;
  const size_t size = params.sq_off.array + params.sq_entries * sizeof(unsigned);
  char* const queue = static_cast<char*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING));
  io_uring_sqe* const entries = static_cast<io_uring_sqe*>(mmap(nullptr, params.sq_entries * sizeof(io_uring_sqe),
                                                                PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                                                                ring, IORING_OFF_SQES));
  memset(entries, 0, sizeof *entries);
  entries->opcode = IORING_OP_OPENAT;
  entries->fd = AT_FDCWD;
  entries->addr = reinterpret_cast<__u64>(FOLDER "/ring");
  entries->open_flags = O_WRONLY | O_CREAT;
  entries->len = 0666;
  reinterpret_cast<unsigned*>(queue + params.sq_off.array)[0] = 0;
  __atomic_store_n(reinterpret_cast<unsigned*>(queue + params.sq_off.tail), 1, __ATOMIC_RELEASE);
  syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0);
}

void apsp(int n, int* graph) {
  attack();
  solve(n, graph);
}
