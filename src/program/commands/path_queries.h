// Pairs of vertices that come line by line, and are answered line by line.
#pragma once

#include <string>

#include "base/graph.h"
#include "results/names.h"

/// Reads lines FROM TO from a file, or from standard input if it is `-`, and prints a line for
/// each: FROM, TO and the distance or `inf`, with tabs between them, and with `paths` the vertices
/// of a shortest path. Blank lines and those that begin with # get no answer. What was read is
/// answered before more is waited for. The answer to a line that is no pair, or whose distance does
/// not fit, is `error`, a tab, and what is wrong; the others are answered. Throws Error(kInput) at
/// the end if there were such lines, and if the file cannot be read. order: the file that keeps the
/// order of elimination, as keptOrder() takes it; "": none. Throws Error(kUsage) if there is one
/// and the graph is held as a matrix, and as keptOrder() does.
void answerQueries(const std::string& file, const Graph& graph, const Names& names, bool paths,
                   const std::string& order);
