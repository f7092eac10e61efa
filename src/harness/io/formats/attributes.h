// Attributes of an edge as NetworkX's write_edgelist writes them: a Python dictionary.
#pragma once

#include <functional>
#include <string_view>

/// Calls take(key, value) for each pair of {'weight': 3, 'name': 'A'}. A value in quotes comes
/// without them, another one as it is. Returns false if the text is no such dictionary.
bool readAttributes(std::string_view text,
                    const std::function<void(std::string_view key, std::string_view value)>& take);
