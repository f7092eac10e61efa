#include "measure/peak.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

namespace fs = std::filesystem;

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

std::string resultsFolder(const std::string& given) {
  if (!given.empty()) return given;
  if (const char* variable = std::getenv("APSP_RESULTS"); variable != nullptr && *variable != '\0')
    return variable;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path beside = program.parent_path() / "results";
  const fs::path installed = program.parent_path().parent_path() / "share/apsp/results";
  const bool isInstalled = !fs::is_directory(beside, error) && fs::is_directory(installed, error);
  return isInstalled ? installed : beside;
}

std::string peakFile(const std::string& results, const std::string& shortDeviceName) {
  return results + "/" + shortDeviceName + "/ceilings.json";
}

double readPeak(const std::string& path, const std::string& deviceName, Tier tier) try {
  std::ifstream file(path);
  const nlohmann::json measured = nlohmann::json::parse(file);
  if (measured.at("context").at("device_name") != deviceName) return 0;
  const std::string name = peakBenchmark(tier) + "/manual_time";
  double peak = 0;
  for (const nlohmann::json& benchmark : measured.at("benchmarks")) {
    if (benchmark.at("name") == name)
      peak = std::max(peak, benchmark.at("relax_per_s").get<double>());
  }
  return peak;
} catch (const std::exception&) {
  return 0;
}
