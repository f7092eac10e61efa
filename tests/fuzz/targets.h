// What is fuzzed: the readers of all formats in the table, and the command line's numbers.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// run() takes any bytes and throws if the program does something wrong with them: it throws
/// anything but Error(kInput) with a message of one line, takes more heap than the size allows,
/// returns a graph that breaks the contract, or loses something when it writes and reads a graph.
struct Target {
  std::string name;
  std::function<void(std::string_view bytes)> run;
  std::vector<std::string> extensions = {};  ///< of files that are good inputs to begin with
};

/// A target for each format that has an extension and is read, and a few more.
const std::vector<Target>& fuzzTargets();
