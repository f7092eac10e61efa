#include "measure/command.h"

#include <fmt/format.h>

#include <sstream>

#include "core/shell.h"
#include "core/utf8.h"
#include "solvers/solver.h"

namespace {

/// The options of a generated graph, from its description "sparse n=5 seed=1 degree=8 undirected".
/// Usual values are left out, because not every family has the option.
std::string generated(const std::string& input) {
  std::istringstream words(input);
  std::string word, family, options;
  words >> family;
  while (words >> word) {
    if (word == "seed=1" || word == "range=100000") continue;
    const std::size_t equals = word.find('=');
    options += (options.empty() ? "--" : " --") + word.substr(0, equals);
    if (equals != std::string::npos) options += " " + word.substr(equals + 1);
  }
  return options + (family == "course" ? "" : " --family " + family);
}

/// A file and the options that were given with it, from its name "g.el undirected labels".
std::string file(std::string name) {
  const struct {
    const char *word, *option;
  } marks[] = {{" negative", " --negative"},
               {" compact", " --compact"},
               {" labels", " --labels"},
               {" zero=no-edge", " --zero no-edge"},
               {" undirected", " --undirected"}};  // from the last one that a name may have
  std::string options;
  for (const auto& mark : marks) {
    if (!endsWith(name, mark.word)) continue;
    name.resize(name.size() - std::string(mark.word).size());
    options += mark.option;
  }
  return shellWord(name) + options;
}

}  // namespace

std::string methodOption(const std::string& method) {
  return method.empty() || method == nameOf(Method::kAuto) ? "" : " --method " + method;
}

std::string commandFor(const Row& row) {
  const std::string& precision = row.at("precision");
  return fmt::format("{} {}{} --device {} --kernel {}{}{}{}{} --verify", programAsTyped(),
                     row.at("seed").empty() ? file(row.at("input")) : generated(row.at("input")),
                     row.at("dtype") == "f32" ? " --dtype f32" : "", row.at("device"),
                     shellWord(row.at("kernel")),
                     precision == "auto" ? "" : " --precision " + precision,
                     row.at("symmetry") == "no" ? " --no-symmetry" : "",
                     row.at("skip") == "no" ? " --no-skip" : "",
                     methodOption(row.at("method")));
}
