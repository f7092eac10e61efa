#include "check/result.h"

#include <algorithm>

#include "base/size.h"

std::size_t Check::failed() const {
  return asSize(std::count_if(cells.begin(), cells.end(),
                              [](const CheckCell& cell) { return cell.failed(); }));
}

Warnings Check::warnings() const {
  Warnings warnings;
  for (const CheckCell& cell : cells)
    if (!cell.skipped) warnings.add(cell.spec.n, cell.warning);
  return warnings;
}

const CheckCell* Check::smallestFailure() const {
  const CheckCell* smallest = nullptr;
  for (const CheckCell& cell : cells) {
    if (!cell.failed() || cell.fault == SolveFault::kSlow) continue;
    if (smallest == nullptr || cell.spec.n < smallest->spec.n) smallest = &cell;
  }
  return smallest;
}
