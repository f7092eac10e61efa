// What a grading gives back: a text for each student, and files that course systems import.
#pragma once

#include <string>

#include "grade/graded.h"

/// What the author of a hand-in is told: verdict, diagnosis, points line by line, times, the
/// smallest graph that fails, and commands that show all this with the author's own file. It has
/// nothing of other hand-ins. A text whose lines end with a line break.
std::string feedbackOf(const Graded& graded, const Grade& grade);

/// Makes the folder for the feedback if it is not there. Throws Error(kOutput).
void makeFeedbackFolder(const std::string& folder);

/// Writes feedbackOf() each submission into that folder, as NAME.txt. Throws Error(kOutput).
void writeFeedback(const Graded& graded, const std::string& folder);

/// The file that a course system imports. All need a rubric. A student has 0 points without a
/// hand-in, and if it is left out or refused, and no points if it is not graded yet.
///
/// Moodle: a grading worksheet, with the most points and a comment. Canvas: a gradebook, whose
/// column is the one of `graded.roster` that begins with the rubric's title, or that title.
std::string moodleCsv(const Graded& graded);
std::string canvasCsv(const Graded& graded);
/// Gradescope: the columns of its own export of grades, and a comment.
std::string gradescopeCsv(const Graded& graded);
/// Gradescope: results.json of its autograder, for the one submission of the folder. Throws
/// Error(kInput) if there are several.
std::string gradescopeJson(const Graded& graded);

/// The hand-in of which gradescopeJson() tells. Throws Error(kInput) if there is none, or more.
const Grade& onlyHandIn(const Graded& graded);
