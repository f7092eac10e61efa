// Edge lists in tables, for formats with another writer.
#pragma once

#include "io/formats/format.h"

inline constexpr std::array<const char*, 9> kEdgeListOptions = {
    "--base",    "--vertices", "--labels", "--weight", "--unweighted",
    "--columns", "--decimal",  "--oneway", "--show"};

/// As Format::read() of a table that commas or tabs separate.
FileGraph readCsv(Input& in, const ReadOptions& options);
FileGraph readTsv(Input& in, const ReadOptions& options);
