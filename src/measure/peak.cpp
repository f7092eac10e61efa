#include "measure/peak.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <fstream>
#include <regex>

#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>

double readWall(const std::string& path, const std::string& deviceName, Tier tier) try {
  std::ifstream file(path);
  const nlohmann::json ceilings = nlohmann::json::parse(file);
  if (ceilings.at("context").at("device_name") != deviceName) return 0;
  const std::string recipe = wallRecipe(tier) + "/manual_time";
  double wall = 0;  // of several repetitions the fastest
  for (const nlohmann::json& benchmark : ceilings.at("benchmarks")) {
    if (benchmark.at("name") == recipe)
      wall = std::max(wall, benchmark.at("relax_per_s").get<double>());
  }
  return wall;
} catch (const std::exception&) {
  return 0;
}
#else
double readWall(const std::string&, const std::string&, Tier) {
  return 0;
}
#endif

std::string shortDeviceName(const std::string& kind, const std::string& name) {
  if (kind == "cpu") return kind;
  static const std::regex model("\\b[A-Z]+[0-9]+[A-Z]?\\b");  // H100, L40S
  std::smatch found;
  std::string folder = std::regex_search(name, found, model) ? found.str() : name;
  std::transform(folder.begin(), folder.end(), folder.begin(), [](unsigned char c) {
    return static_cast<char>(std::isalnum(c) ? std::tolower(c) : '-');
  });
  return folder;
}
