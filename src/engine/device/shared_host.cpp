#include "device/shared_host.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/memory.h"

namespace engine {

namespace {

[[noreturn]] void fail(const char* call) {
  throw Error(ErrorCode::kMemory, std::string("memory shared with a submission: ") + call + ": " +
                                      std::strerror(errno));
}

/// A file in memory, mapped.
class HostWords : public SharedWords {
 public:
  HostWords(int descriptor, std::size_t count) {
    descriptor_ = descriptor;
    size_ = count;
  }
  ~HostWords() override {
    if (data_ != nullptr) munmap(data_, size_ * sizeof(int));
    close(descriptor_);
  }

  void resizeFile() {
    if (ftruncate(descriptor_, static_cast<off_t>(size_ * sizeof(int))) != 0) fail("ftruncate");
    // If the other process made the file shorter, this one would die of SIGBUS.
    constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if (fcntl(descriptor_, F_ADD_SEALS, kSeals) != 0) fail("F_ADD_SEALS");
  }

  /// All pages are mapped now, because a page fault later would be timed.
  void map() {
    void* memory = mmap(nullptr, size_ * sizeof(int), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_POPULATE, descriptor_, 0);
    if (memory == MAP_FAILED) fail("mmap");
    data_ = static_cast<int*>(memory);
  }
};

}  // namespace

std::unique_ptr<SharedWords> shareOnHost(std::size_t count) {
  requireHostBytes(count * sizeof(int), "a matrix shared with a submission");
  const int descriptor = memfd_create("apsp", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) fail("memfd_create");
  auto words = std::make_unique<HostWords>(aboveStandard(descriptor), count);
  words->resizeFile();
  words->map();
  return words;
}

std::unique_ptr<SharedWords> openSharedOnHost(int descriptor, std::size_t count) {
  auto words = std::make_unique<HostWords>(descriptor, count);
  words->map();
  return words;
}

}  // namespace engine
