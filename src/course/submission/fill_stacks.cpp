#include "submission/fill_stacks.h"

#include <alloca.h>
#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace {

/// How much of a stack with so many free bytes is filled: room for a large array.
std::size_t partOf(std::size_t free) {
  return std::min(std::size_t{4} << 20, free / 2);
}

/// Of the thread that calls apsp. Its stack is that of the process: the limit at its start.
std::size_t bytesOfFirst() {
  std::size_t size = 0;
  pthread_attr_t usual;
  if (pthread_getattr_default_np(&usual) != 0) return 0;
  pthread_attr_getstacksize(&usual, &size);
  pthread_attr_destroy(&usual);
  return partOf(size);
}

/// Of any other thread, whose size the user may have chosen (OMP_STACKSIZE).
std::size_t bytesOfThis() {
  pthread_attr_t mine;
  if (pthread_getattr_np(pthread_self(), &mine) != 0) return 0;
  void* end = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&mine, &end, &size);
  pthread_attr_destroy(&mine);
  const char* const here = static_cast<char*>(__builtin_frame_address(0));
  return partOf(static_cast<std::size_t>(here - static_cast<char*>(end)));
}

/// Fills so many bytes below its caller's frame. It has a frame of its own, which is gone
/// afterwards: there the next function has its arrays.
[[gnu::noinline]] void fillBelow(unsigned char byte, std::size_t bytes) {
  void* const unused = alloca(bytes);
  std::memset(unused, byte, bytes);
  asm volatile("" : : "r"(unused) : "memory");  // to a compiler, nobody reads these bytes
}

}  // namespace

void fillStacks(unsigned char byte) {
#pragma omp parallel
  if (omp_get_thread_num() > 0) fillBelow(byte, bytesOfThis());
  fillBelow(byte, bytesOfFirst());  // outside: nearer to the frame of our caller
}
