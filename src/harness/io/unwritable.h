// What to do where a file or a folder cannot be written.
#pragma once

#include <string>

/// The end of a message. If the folder of that file is missing and can be made:
/// ": make the folder: mkdir -p FOLDER". If nothing may be written there, as in a checkout that is
/// read-only: ": write elsewhere, for example to /tmp/NAME". After other errors: "".
/// error: the errno of the attempt to write the file or to make the folder.
std::string adviceOnWriting(const std::string& path, int error);
