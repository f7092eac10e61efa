// The format of standard input, of a pipe and of a file whose name has no extension.
#pragma once

#include <string_view>

#include "io/formats/format.h"

/// Whether the last part of the path has no extension, or only that of a compression.
bool lacksExtension(std::string_view path);

/// The format that the first bytes tell. They stay unread. Text without the mark of a format is an
/// edge list, and other bytes are bin; their readers check whether that is right. skipLines: as in
/// ReadOptions. Throws Error(kInput) if an edge list and a matrix in bin cannot be told apart.
const Format& recogniseFormat(Input& in, int skipLines);

/// The format that text names itself by a mark that is in no other text; nullptr if it names none.
/// The text stays unread, and no more of it is looked at than may be such a mark.
const Format* markedFormat(Input& in);
