#include "submission/protocol.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/memory.h"
#include "core/process.h"

namespace {

std::size_t sizeFor(int n) {
  return 2 * kGuard + static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
}

[[noreturn]] void failMemory(const char* call) {
  throw Error(Exit::kMemory,
              fmt::format("memory shared with a submission: {}: {}", call, std::strerror(errno)));
}

}  // namespace

SharedMatrix::SharedMatrix() : descriptor_(memfd_create("apsp", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (descriptor_ < 0) failMemory("memfd_create");
  descriptor_ = aboveStandard(descriptor_);
  // If the submission made the file shorter, the parent would die of SIGBUS where it is mapped.
  if (fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK) != 0) failMemory("F_ADD_SEALS");
}

SharedMatrix::~SharedMatrix() {
  unmap();
  close(descriptor_);
}

void SharedMatrix::unmap() {
  if (elements_ != nullptr) munmap(std::exchange(elements_, nullptr), size_ * sizeof(int));
  size_ = 0;
}

void SharedMatrix::resize(int n) {
  if (sizeFor(n) == size_) return;
  unmap();
  requireHostBytes(sizeFor(n) * sizeof(int), "a matrix shared with a submission");
  const auto bytes = static_cast<off_t>(sizeFor(n) * sizeof(int));
  if (lseek(descriptor_, 0, SEEK_END) < bytes && ftruncate(descriptor_, bytes) != 0)
    failMemory("ftruncate");
  map(n);
}

void SharedMatrix::map(int n) {
  if (sizeFor(n) == size_) return;
  unmap();
  void* memory =
      mmap(nullptr, sizeFor(n) * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) failMemory("mmap");
  elements_ = static_cast<int*>(memory);
  size_ = sizeFor(n);
}
