#include "cli/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <set>
#include <utility>

#include "base/size.h"
#include "system/nearest.h"
#include "system/number.h"

using namespace engine;

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

/// The parts of a text between these characters.
Strings split(const std::string& text, const char* separators) {
  Strings parts;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    end = text.find_first_of(separators, at);
    parts.push_back(text.substr(at, end - at));
  }
  return parts;
}

/// Appends one number, or those of a range. Returns "", or what is wrong with the text.
std::string takeRange(const std::string& text, std::vector<int>& target, int low, int high) {
  constexpr std::size_t kMost = 100000;  // numbers
  const Strings parts = split(text, ":");
  if (parts.size() != 1 && parts.size() != 3)
    return fmt::format("'{}' is not a range: write START:STOP:STEP", text);
  int start = 0, stop = 0, step = 1;
  std::string wrong = takeNumber(parts[0], start, low, high);
  if (wrong.empty()) wrong = takeNumber(parts.size() == 1 ? parts[0] : parts[1], stop, low, high);
  if (wrong.empty() && parts.size() == 3) wrong = takeNumber(parts[2], step, 1, INT_MAX);
  if (!wrong.empty())
    return wrong + (parts.size() == 1 ? "" : fmt::format(" in the range '{}'", text));
  if (start > stop) return fmt::format("the range '{}' ends before it begins", text);
  const auto count = asSize((stop - start) / step) + 1;
  if (count > kMost - target.size())
    return fmt::format("more than {} numbers with '{}': use a larger step", kMost, text);
  for (std::size_t i = 0; i < count; ++i) target.push_back(start + static_cast<int>(i) * step);
  return "";
}

/// Removes the numbers that came before.
void removeRepeated(std::vector<int>& numbers) {
  std::set<int> seen;
  const auto repeated = [&](int number) { return !seen.insert(number).second; };
  numbers.erase(std::remove_if(numbers.begin(), numbers.end(), repeated), numbers.end());
}

std::string takeNumbers(const Strings& texts, std::vector<int>& target, int low, int high) {
  constexpr char kForms[] = "; several are written 100,200 or as a range 100:500:100";
  target.clear();
  for (const std::string& text : texts) {
    for (const std::string& item : split(text, ", ")) {
      std::string wrong = takeRange(item, target, low, high);
      if (item.empty() && !text.empty()) wrong += fmt::format(" in '{}'", text);
      const bool single = item == text && item.find(':') == std::string::npos;
      if (!wrong.empty()) return wrong + (single ? kForms : "");
    }
  }
  removeRepeated(target);
  return "";
}

}  // namespace

Strings Flag::longNames() const {
  Strings found;
  for (const std::string& name : split(names, ",")) {
    if (name.compare(0, 2, "--") == 0) found.push_back(name);
  }
  return found;
}

std::string Flag::mainNames() const {
  return positional() ? names : names.substr(0, names.find(longName()) + longName().size());
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

Flag& Flags::number(const std::string& names, std::int64_t& target, std::int64_t low,
                    std::int64_t high, const std::string& what) {
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
             chosen(asSize(found - words.begin()));
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
