// A file of distances, written while their rows go by.
#pragma once

#include <string>

#include "io/formats/formats.h"
#include "io/output.h"
#include "solver/distances.h"

/// How the distances are written, as far as they say it themselves: their shape and type.
DistancesForm formOf(const Distances& distances);

/// Writes the distances as `format`, or by the extension of out.path() if that is empty, a few rows
/// at a time, and commits. Ranks write their own rows if the format allows it. form: formOf() and
/// what the caller adds.
void writeDistances(OutputFile& out, const Distances& distances, const DistancesForm& form,
                    const std::string& format = "");
