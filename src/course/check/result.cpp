#include "check/result.h"

#include <algorithm>

std::size_t Check::failed() const {
  return static_cast<std::size_t>(std::count_if(
      cells.begin(), cells.end(), [](const CheckCell& cell) { return cell.failed(); }));
}

Warnings Check::warnings() const {
  Warnings warnings;
  for (const CheckCell& cell : cells)
    if (!cell.skipped) warnings.add(cell.spec.n, cell.warning);
  return warnings;
}
