#include "measure/command.h"

#include <fmt/format.h>

#include <sstream>

#include "generate/generate.h"
#include "measure/record.h"
#include "solver/solver.h"
#include "system/shell.h"
#include "system/utf8.h"

namespace {

/// The options of a generated graph, from its description "sparse n=5 seed=1 degree=8 undirected".
/// Usual values are left out, because not every family has the option. isFile: of the kernel, for
/// which the program would choose another seed and family.
std::string generated(const std::string& input, bool isFile) {
  std::istringstream words(input);
  std::string word, family, options;
  words >> family;
  Spec spec;
  spec.family = familyIndex(family);
  const bool seeded = isFile && familyOf(spec).seeded;
  while (words >> word) {
    if ((word == "seed=1" && !seeded) || word == "range=100000") continue;
    const std::size_t equals = word.find('=');
    options += (options.empty() ? "--" : " --") + word.substr(0, equals);
    if (equals != std::string::npos) options += " " + word.substr(equals + 1);
  }
  return options + (family == "course" && !isFile ? "" : " --family " + family);
}

/// A file and the options that were given with it, from its name "g.el undirected labels".
std::string file(std::string name) {
  const struct {
    const char *word, *option;
  } marks[] = {{" negative", " --negative"},
               {" hops", " --hops"},
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

/// Weights that are whole and fit are int32 by themselves.
std::string dtypeOption(const std::string& dtype) {
  const bool usual = dtype.empty() || dtype == nameOf(Dtype::kInt32);
  return usual ? "" : " --dtype " + shellWord(dtype);
}

}  // namespace

std::string methodOption(const std::string& method) {
  return method.empty() || method == nameOf(Method::kAuto) ? "" : " --method " + method;
}

std::string commandFor(const Row& row) {
  const std::string& precision = row.at("precision");
  const std::string vary =
      isVaried(row) ? fmt::format(" --vary --warmup {} --reps {}", row.at("warmup"), row.at("reps"))
                    : "";
  const std::string& kernel = row.at("kernel");
  const bool isFile = kernel.find_first_of("./") != std::string::npos;
  return fmt::format(
      "{} {}{}{} --device {} --kernel {}{}{}{}{} --verify", programAsTyped(),
      row.at("seed").empty() ? file(row.at("input")) : generated(row.at("input"), isFile),
      dtypeOption(row.at("dtype")), vary, row.at("device"), shellWord(kernel),
      precision == "auto" ? "" : " --precision " + precision,
      row.at("symmetry") == "no" ? " --no-symmetry" : "",
      row.at("skip") == "no" ? " --no-skip" : "", methodOption(row.at("method")));
}
