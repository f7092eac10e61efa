// What every command prints the same way.
#pragma once

#include <string>

#include "measure/record.h"

/// Prints "apsp: MESSAGE" on standard error, in one line: file names and what submissions print may
/// hold any bytes. A failure to print is ignored, because the exit code then has to say it all.
void complain(const std::string& message);

/// Prints the warning and what is wrong with a result, if anything is. Returns whether it is wrong.
bool complainIfWrong(const Record& record);

/// Throws Error(kOutput) unless everything printed so far reached standard output.
void flushOutput();
