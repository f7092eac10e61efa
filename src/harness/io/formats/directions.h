// OpenStreetMap's key `oneway`: it says in which directions a street in a table may be used.
#pragma once

#include <optional>
#include <string_view>

/// Whether there is an edge from source to target, and one back.
struct Directions {
  bool forth, back;
};

/// What a field says: yes, true and 1 mean forth, -1 and reverse back; no, false, 0 and nothing
/// mean both. Large letters are as small ones. None if it is another word. Source:
/// https://wiki.openstreetmap.org/wiki/Key:oneway
std::optional<Directions> directionsIn(std::string_view field);
