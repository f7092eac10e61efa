// What every command prints the same way.
#pragma once

#include <functional>
#include <string>

#include "base/error.h"
#include "measure/record.h"
#include "system/exit.h"
#include "system/screen.h"  // complain(), which the one here adds to

/// Prints what an error says, and before it the compiler's log if a submission could not be
/// compiled.
void complain(const Error& error);

/// Prints the warning and what is wrong with a result, if anything is, and then `consequence`.
/// Returns whether it is wrong. withSize: say at which n.
bool complainIfWrong(const Record& record, bool withSize = false,
                     const std::string& consequence = "");

/// Throws Error(kOutput) unless everything printed so far reached standard output.
void flushOutput();

/// Runs the program, flushes its output, and returns its exit code. If the program throws, this
/// complains in one line and returns the exit code of the exception.
int exitCodeOf(const std::function<Exit()>& program);
