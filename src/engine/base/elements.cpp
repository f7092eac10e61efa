#include "base/elements.h"

#include <fmt/format.h>

#include <stdexcept>

namespace engine {

void refuseType(Dtype have, Dtype want) {
  throw std::logic_error(fmt::format("elements of {} taken for {}", nameOf(have), nameOf(want)));
}

}  // namespace engine
