// Files that are not read, and the commands that make one that is. Every text is the end of a
// message.
#pragma once

#include <string>

/// What to do with the file of another program, which its name shows: "GML is not read: ...". "" if
/// the name shows none.
std::string adviceFor(const std::string& path);

/// What to do with an edge list of more than three columns. separator: a comma, a semicolon, a tab,
/// or a blank.
std::string adviceForColumns(const std::string& path, char separator);

/// What to do with a matrix that is written as text.
extern const char* const kAdviceForMatrix;
