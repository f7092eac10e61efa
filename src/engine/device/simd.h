// The widest instruction set of this machine's CPU.
#pragma once

#include <string>

/// Whether the CPU has the instruction set "avx512", "avx2" or "portable", which every CPU has.
bool hasSimd(const std::string& name);

/// The widest one that it has.
std::string widestSimd();
