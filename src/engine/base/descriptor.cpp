#include "base/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

namespace engine {

int aboveStandard(int descriptor) {
  if (descriptor < 0) return descriptor;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(descriptor);
  return moved;
}

Descriptor::~Descriptor() {
  if (number >= 0) close(number);
}

}  // namespace engine
