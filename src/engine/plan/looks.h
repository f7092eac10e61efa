// What is known of a graph before it is surveyed or searched, and whether a survey is worth its
// time. These looks at the graph take little time.
#pragma once

#include <cstddef>

#include "filtered/outlook.h"
#include "plan/choice.h"

namespace engine::plan {

/// Of the known time of one search from each source, the most that a survey may be expected to
/// take, and the most that sweeping may.
inline constexpr double kWorthBesideSearches = 0.35, kSureBesideSearches = 0.8;
/// Of the dense solver's time, or of what is known to take less, the most that a survey or an
/// elimination may take if the graph is like a tree, or has few edges beside its hubs.
inline constexpr double kWorthTree = 0.5;
/// Of the dense solver's time, the most that sparse solving may be expected to take. The filtered
/// solver may take less, too, above all on a GPU, but not if it filters in vain.
inline constexpr double kWorthwhile = 0.4, kWorthwhileOnGpu = 0.05, kWorthwhileElse = 0.7;

/// What some edges tell of all: how many of them lead to near numbers, how many to higher ones, and
/// the longest step.
struct Sampled {
  std::size_t samples = 0, near = 0, forwards = 0;
  int longest = 0;

  Sampled(int n, const EndsOf& edges);
  bool oneWay() const { return forwards == 0 || forwards == samples; }
};

/// Whether filtering on a GPU is not expected to pay.
bool filtersInVain(Outlook outlook);

/// Whether filtering is expected to pay. On a CPU the outlook is always good: that tells the solver
/// that edges are missing.
Outlook outlookOf(const Wanted& wanted);

/// Whether a graph is too small to be filtered. A sample of its rows is a large part of all.
bool isSmall(const Wanted& wanted);

/// Whether a graph has few more edges than a tree with edges in both directions.
bool isLikeTree(const Wanted& wanted);

/// The weight that all edges have; nothing if two have different ones, or it is below 0.
std::optional<Number> weightOf(const Wanted& wanted);

/// Whether a graph has many edges, and each of three vertices reaches some others, but not many.
/// Filtering such a graph takes less time than a further look at it.
bool hasSmallParts(const Wanted& wanted);

/// About the levels of a breadth-first search, told from a few edges.
double depthOf(const Wanted& wanted);

/// What is known before anything is surveyed.
struct First {
  double toBeat;  ///< milliseconds of the fastest method that is known: at first the dense one
  Outlook outlook = Outlook::kUnknown;
  bool banded;            ///< whether all edges join near numbers; not looked at for GPUs
  double survey;          ///< milliseconds that a survey is expected to take
  bool levels = false;    ///< `toBeat` is the time of searches by levels, which take less
  bool searches = false;  ///< `toBeat` is the time of a search from each source, which takes less
  explicit First(const Wanted& wanted, bool looks = true);
};

/// Whether sparse solving that takes so many milliseconds is expected to be faster than what
/// `first` knows.
bool isFasterThan(const First& first, const Wanted& wanted, double milliseconds);

/// Whether most edges leave or enter hubs, which have many times as many edges as a vertex has in
/// the mean. Then the other vertices are eliminated soon, and the hubs are the core. Only degrees
/// are looked at. They tell exactly how many edges are beside the hubs if all edges lead in both
/// directions and none joins two hubs.
bool isJoinedByHubs(const Wanted& wanted);

/// Milliseconds that a GPU is expected to take to eliminate a graph.
double eliminatingMilliseconds(const Wanted& wanted);

/// Of the dense solver's time, or of what is known to take less, the most that a survey may be
/// expected to take.
double partForSurvey(const Wanted& wanted, const First& first);
bool worthSurveying(const Wanted& wanted, const First& first);

}  // namespace engine::plan
