#include "cli/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/nearest.h"
#include "core/number.h"

namespace {

using Strings = std::vector<std::string>;

/// Stores a whole number from low to high. Returns "", or what is wrong with the text.
template <class T>
std::string takeNumber(const std::string& text, T& target, T low, T high) {
  const std::optional<T> value = wholeNumber(text, low, high);
  if (!value)
    return fmt::format("expected a whole number from {} to {}, found '{}'", low, high, text);
  target = *value;
  return "";
}

std::string takeNumbers(const Strings& texts, std::vector<int>& target, int low, int high) {
  target.clear();
  for (const std::string& text : texts) {
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
      end = text.find_first_of(", ", at);
      int value = 0;
      std::string wrong = takeNumber(text.substr(at, end - at), value, low, high);
      if (!wrong.empty()) return wrong;
      target.push_back(value);
    }
  }
  return "";
}

}  // namespace

Strings Flag::longNames() const {
  Strings found;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    end = names.find(',', at);
    if (names.compare(at, 2, "--") == 0) found.push_back(names.substr(at, end - at));
  }
  return found;
}

Flag& Flags::add(Flag flag) {
  if (flag.heading.empty()) flag.heading = flag.positional() ? "Arguments" : heading_;
  return all_.emplace_back(std::move(flag));
}

Flag& Flags::flag(const std::string& names, bool& target, const std::string& what) {
  return flag(
      names, [&target] { target = true; }, what);
}

Flag& Flags::flag(const std::string& names, const std::function<void()>& given,
                  const std::string& what) {
  return add({names, Flag::Values::kNone, "", what, [given](const Strings&) {
                given();
                return std::string();
              }});
}

Flag& Flags::optional(const std::string& names, std::string& target, const std::string& implied,
                      const std::string& value, const std::string& what) {
  Flag& flag = text(names, target, value, what);
  flag.values = Flag::Values::kOptional;
  flag.implied = implied;
  return flag;
}

Flag& Flags::text(const std::string& names, std::string& target, const std::string& value,
                  const std::string& what) {
  return add({names, Flag::Values::kOne, value, what, [&target](const Strings& values) {
                if (values[0].empty()) return std::string("is empty");
                target = values[0];
                return std::string();
              }});
}

Flag& Flags::texts(const std::string& names, Strings& target, const std::string& value,
                   const std::string& what) {
  return add({names, Flag::Values::kComma, value, what, [&target](const Strings& values) {
                target = values;
                return std::string();
              }});
}

Flag& Flags::arguments(const std::string& name, Strings& target, const std::string& what) {
  Flag& flag = texts(name, target, "", what);
  flag.values = Flag::Values::kMany;
  return flag;
}

Flag& Flags::number(const std::string& names, int& target, int low, int high,
                    const std::string& what) {
  return number(
      names, [&target](int value) { target = value; }, low, high, what);
}

Flag& Flags::number(const std::string& names, const std::function<void(int)>& store, int low,
                    int high, const std::string& what) {
  return add({names, Flag::Values::kOne, "N", what, [store, low, high](const Strings& values) {
                int value = 0;
                std::string wrong = takeNumber(values[0], value, low, high);
                if (wrong.empty()) store(value);
                return wrong;
              }});
}

Flag& Flags::number(const std::string& names, std::uint64_t& target, std::uint64_t low,
                    std::uint64_t high, const std::string& what) {
  return add({names, Flag::Values::kOne, "N", what, [&target, low, high](const Strings& values) {
                return takeNumber(values[0], target, low, high);
              }});
}

Flag& Flags::numbers(const std::string& names, std::vector<int>& target, int low, int high,
                     const std::string& what) {
  return add(
      {names, Flag::Values::kMany, "N[,N]", what, [&target, low, high](const Strings& values) {
         return takeNumbers(values, target, low, high);
       }});
}

Flag& Flags::choice(const std::string& names, const Strings& words,
                    const std::function<void(std::size_t)>& chosen, const std::string& what) {
  Flag& flag =
      add({names, Flag::Values::kOne, "NAME", what, [words, chosen](const Strings& values) {
             const auto found = std::find(words.begin(), words.end(), values[0]);
             if (found == words.end())
               return fmt::format("unknown word '{}': {}", values[0], suggestion(values[0], words));
             chosen(static_cast<std::size_t>(found - words.begin()));
             return std::string();
           }});
  flag.choices = words;
  constexpr std::size_t kFits = 16;  // columns beside the flag's name in the help
  if (const std::string list = fmt::format("{}", fmt::join(words, "|")); list.size() <= kFits)
    flag.value = list;
  return flag;
}

Flag& Flags::choice(const std::string& names, std::string& target, const Strings& words,
                    const std::string& what) {
  return choice(
      names, words, [&target, words](std::size_t i) { target = words[i]; }, what);
}
