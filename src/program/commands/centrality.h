// How central the vertices or edges of a graph are, as a table: --centrality.
#pragma once

#include "cli/flags.h"
#include "commands/questions.h"
#include "commands/solve.h"
#include "system/exit.h"

/// Adds --centrality, --samples and --error.
void addCentrality(Flags& flags, QuestionFlags& o);

/// Throws Error(kUsage) if edges are asked for together with vertices, or if an option is given
/// that estimates nothing of what is asked for.
void checkCentrality(const QuestionFlags& o);

/// Computes what is asked for, and writes -o's file.
Exit answerCentrality(const SolveFlags& o, const Source& source);
