#include "commands/path_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/quantity.h"
#include "base/size.h"
#include "io/csv.h"
#include "io/text.h"
#include "system/utf8.h"

namespace {

/// The length, as a weight is printed.
std::string lengthText(const Path& path, Dtype dtype) {
  const Number length = lengthOf(path, dtype);
  if (dtype != Dtype::kFloat32) return textOf(length);
  return textOf(static_cast<float>(toDouble(length)));
}

/// What is shown of edge i of a path.
std::string shownOf(const PathAnswer& answer, std::size_t i, const PathTelling& telling) {
  return telling.shown(answer.path.vertices[i], answer.path.vertices[i + 1]);
}

}  // namespace

std::string textOf(const PathAnswer& answer, const PathTelling& telling) {
  const Names& names = telling.names;
  const std::string ends = fmt::format("{} -> {}", names(answer.from), names(answer.to));
  const std::string inFile =
      telling.fromOne ? fmt::format(" (in the file {} -> {})", answer.from + 1, answer.to + 1) : "";
  if (!answer.reachable) return ends + ": no path" + inFile + "\n";
  const Path& path = answer.path;
  std::string text = fmt::format("{}: length {}, {}{}\n", ends, lengthText(path, telling.dtype),
                                 counted(path.weights.size(), "edge"), inFile);
  for (std::size_t i = 0; i < path.weights.size(); ++i) {
    const std::string shown = telling.shown.any() ? "  " + shownOf(answer, i, telling) : "";
    text += fmt::format("  {} -> {}  {}{}\n", names(path.vertices[i]), names(path.vertices[i + 1]),
                        textOf(path.weights[i]), shown);
  }
  return text;
}

Json jsonOf(const PathAnswer& answer, const PathTelling& telling) {
  const auto vertex = [&](int v) { return telling.named ? jsonString(telling.names(v)) : Json(v); };
  Json json = Json::object();
  json["from"] = vertex(answer.from);
  json["to"] = vertex(answer.to);
  if (telling.fromOne) json["in_file"] = {answer.from + 1, answer.to + 1};
  json["length"] =
      answer.reachable ? jsonValue(kNumber, lengthText(answer.path, telling.dtype)) : Json();
  Json vertices = Json::array(), weights = Json::array(), shown = Json::array();
  for (const int v : answer.path.vertices) vertices.push_back(vertex(v));
  for (std::size_t i = 0; i < answer.path.weights.size(); ++i) {
    weights.push_back(jsonValue(kNumber, textOf(answer.path.weights[i])));
    shown.push_back(jsonString(shownOf(answer, i, telling)));
  }
  json["vertices"] = answer.reachable ? vertices : Json();
  json["weights"] = answer.reachable ? weights : Json();
  if (telling.shown.any()) json["shown"] = answer.reachable ? shown : Json();
  return json;
}

void checkPathsFormat(const std::string& file) {
  if (!isStandardOutput(file) && !endsWith(file, ".csv") && !endsWith(file, ".tsv"))
    throw Error(ErrorCode::kUsage,
                fmt::format("-o {}: paths are written as tables: give a name that ends in .csv or "
                            ".tsv",
                            file));
}

void writePaths(OutputFile& out, const std::vector<PathAnswer>& answers,
                const PathTelling& telling) {
  const char separator = endsWith(out.path(), ".csv") ? ',' : '\t';
  const auto name = [&](int v) { return nameField(telling.names(v), separator); };
  const bool shows = telling.shown.any();
  std::uint64_t lines = 1;
  for (const PathAnswer& answer : answers)
    lines += answer.path.weights.empty() ? 1 : answer.path.weights.size();
  TextOutput text(out, lines);
  const auto line = [&](const std::vector<std::string>& fields, const std::string& shown) {
    const std::string last = shows ? separator + csvField(shown, separator) : "";
    const std::string first = fmt::format("{}", fmt::join(fields, std::string(1, separator)));
    text.print("{}{}\n", first, last);
  };
  line({"from", "to", "length", "step", "tail", "head", "weight"}, telling.shown.name());
  for (const PathAnswer& answer : answers) {
    const Path& path = answer.path;
    const std::string from = name(answer.from), to = name(answer.to),
                      length = answer.reachable ? lengthText(path, telling.dtype) : "inf";
    if (path.weights.empty()) line({from, to, length, "", "", "", ""}, "");
    for (std::size_t i = 0; i < path.weights.size(); ++i)
      line({from, to, length, std::to_string(i + 1), name(path.vertices[i]),
            name(path.vertices[i + 1]), textOf(path.weights[i])},
           shownOf(answer, i, telling));
  }
  text.flush();
  out.commit();
}
