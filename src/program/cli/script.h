// Runs the Python scripts that draw pictures and write pages.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

/// A file in memory, which a script reads or writes by its path.
class MemoryFile {
 public:
  /// Throws Error(kMemory).
  explicit MemoryFile(const std::string& text = "");
  std::string path() const;
  int descriptor() const { return fileno(file_.get()); }
  /// What the file holds now. Throws Error(kMemory).
  std::string read() const;

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Runs a script of the folder scripts/ and waits for its end, at most `seconds`. `kept`: the
/// descriptors of the files in memory among its arguments. Throws Error(kOutput) if there is no
/// such script, or if it fails. The message is `what` and then what the script said, in one line.
void runScript(const std::string& script, std::vector<std::string> arguments,
               const std::vector<int>& kept, double seconds, const std::string& what);
