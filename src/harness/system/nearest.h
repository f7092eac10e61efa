// "Did you mean": the name that a mistyped word was probably meant to be.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// The number of edits that make one word of another. An edit inserts, deletes or replaces a
/// character, or exchanges two neighbours. Capital letters count as small ones.
std::size_t editDistance(const std::string& a, const std::string& b);

/// The name that is the fewest edits away from the word, if these are at most a third of its
/// characters (at least one edit is allowed in words of two or more); "" if no name or several are.
std::string nearest(const std::string& word, const std::vector<std::string>& names);

/// The end of a message about a word that is none of the names: "did you mean 'ring'?" or, if no
/// name is near, "choose one of course, uniform, ring".
std::string suggestion(const std::string& word, const std::vector<std::string>& names);
