// The grades as one JSON document, which has everything that a page about them needs:
//
//   schema        1; a program that reads another number must refuse it
//   written       when, 2026-01-31T12:34:56Z
//   program       version, revision, dirty, build; as in the CSV files
//   device        kind ("gpu", "cpu"), name, uuid, driver, runtime, units, host
//   clocks        core_mhz, memory_mhz (0: not known), throttle, other_users; when it was written
//   plan          folder, depth ("quick", "full"), contract ("course", "general", "negative"),
//                 sizes, warmup, reps (0: by time),
//                 time_limit_s
//   marks         what each mark of check.families means: {".": "right", …}
//   phases        how long grading took, in seconds, all submissions added up: files (that were
//                 checked), building_s, checking_s, timing_s; run_s: of the last run by the clock
//   rubric        null, or title, points (the most), lines: [{line, points}]
//   references    solvers of this program for comparison, `ref` first: [{name, times}]; timed
//                 several times, each size has the time that counts
//   submissions   in the order of the table, the best first, those left out last:
//     name, file    the hand-in; the file that was graded
//     student_id    who handed it in; null if that is not known
//     digest        SHA-256 of its content; "" if it was not read
//     rank          from 1; null without
//     points        sum of its lines; null without a rubric, or if it is not graded
//     lines         [{line, points, of, why}], in the order of rubric.lines
//     verdict       "pass", "wrong", "crashed", "CUDA error", "hung", "exited", "leaks",
//                   "out of bounds", "no memory", "too slow", "does not compile",
//                   "cannot be loaded", "time refused", "refused", "left out", "not graded",
//                   "waiting"
//     reason        one line; "" of "pass"
//     sandbox       what confined it: "landlock", "bubblewrap", "unsandboxed";
//                   "" if it is left out
//     diagnosis     null, or pattern, sentence
//     warning       one line, ""
//     speedup       over `ref` at the largest size; null without
//     check         null, or graphs, failed, seconds, seed (a text: --seed draws the same graphs),
//                   sizes: ["1", "2", …, "5 again"] (again: after a larger graph), families:
//                   {"ring": "..x!"} with a mark for each of the sizes
//                   (" ": no such graph; the worst mark if several graphs have this size),
//                   failures: the first of each family [{graph, again, result, text}]
//     witness       null, or the smallest graph that fails: graph, family, n, seed, range, command
//                   (shows the failure), matrices: input, expected distances and those it found, as
//                   text for a fixed-width font, "" if there is none
//     seconds       how long it took to grade: build, check, time; null where that is not done
//     times         for each size that was timed: n, median_ms, q1_ms, q3_ms, min_ms, max_ms,
//                   spread_pct (100 (q3 − q1) / median), outliers, warmup, reps, calls_ms (each),
//                   naive_ms (median of `ref`; null without), speedup, cost_ms (of the protocol,
//                   subtracted from all times), events_ms (the median by the worker's own clock,
//                   which a submission can forge), seeds (texts: a number may exceed 2⁵³),
//                   disturbed (its causes, ""), doubt (why the time is refused, ""), verified
//                   (against this solver, and two rows against Dijkstra's), family of the graphs,
//                   hash (of the graph of the last call, ""), command (repeats these calls)
//     command       what checks this file again; null if it is left out
//
// A time is in milliseconds. A key is always there, unless it is said otherwise.
#pragma once

#include <string>

#include "grade/graded.h"
#include "grade/rows.h"

/// The document, a text of UTF-8. clocks: of the device now.
std::string gradesDocument(const Graded& graded, const Clocks& clocks);

/// Whether a file begins as a document of grades does. The rest of it is not read.
bool isGradesDocument(const std::string& path);

/// Of the grades in a document, what changesTable() reads. Throws Error(kInput) if it is damaged.
GradeRows readGradesDocument(const std::string& path);
