// Files that are not read, and the commands that make one that is. Every text is the end of a
// message.
#pragma once

#include <string>

/// What to do with the file of another program, which its name shows: "GML is not read: ...". "" if
/// the name shows none.
std::string adviceFor(const std::string& path);
