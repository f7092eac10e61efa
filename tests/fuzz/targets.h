// What is fuzzed: the readers of graph files and the command line's numbers.
#pragma once

#include <string_view>
#include <vector>

/// Takes any bytes and throws, naming it, whatever the program must not do with them: an exception
/// other than Error(kInput) with a message of one line, heap beyond what the size can justify, a
/// graph that breaks the contract, a round trip that loses something.
struct Target {
  const char* name;
  void (*run)(std::string_view bytes);
};

const std::vector<Target>& fuzzTargets();
