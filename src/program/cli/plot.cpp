#include "cli/plot.h"

#include "base/progress.h"
#include "cli/script.h"

using namespace engine;

void drawSweep(const std::string& csv, const std::string& base) {
  constexpr double kSeconds = 120;
  const Progress drawing("drawing " + base);
  const MemoryFile records(csv);
  runScript("plot.py", {records.path(), "-o", base}, {records.descriptor()}, kSeconds,
            base + ": not drawn");
}
