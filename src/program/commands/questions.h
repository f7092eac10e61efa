// Questions about a graph whose answer is smaller than all distances. The main job answers them
// instead of solving: no kernel runs, and nothing is measured repeatedly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "system/exit.h"

namespace engine {
class Crew;
}

struct SolveFlags;

/// What is asked. At most one of them.
struct QuestionFlags {
  std::optional<double> limit;          ///< distances up to it
  std::optional<int> nearest;           ///< so many targets of each source
  bool paths = false;                   ///< with the paths to these
  bool farthest = false;                ///< diameter, radius, center and periphery
  std::vector<std::string> centrality;  ///< names of --centrality, each once; empty: none
  std::optional<int> samples;           ///< sources from which paths are counted; nothing: all
  std::optional<double> error;          ///< the error that so many samples may have
};

/// "" if the text is a distance, which is stored, else what is wrong with it.
std::string readDistance(const std::string& text, std::optional<double>& to);

void addQuestions(Flags& flags, QuestionFlags& o);

/// Whether there is a question.
bool asksQuestion(const QuestionFlags& o);

/// Reads the graph, answers, prints and writes. processes: those that were started together, of
/// which this one is rank 0; null: there are no others. Throws Error(kUsage) for options that have
/// no effect on an answer.
Exit answerQuestion(SolveFlags& o, Crew* processes);
