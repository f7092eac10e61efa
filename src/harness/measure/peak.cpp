#include "measure/peak.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/json.h"

namespace fs = std::filesystem;

namespace {

/// The first word that is a model: capitals, digits and perhaps a capital, as in H100 and L40S. The
/// whole name if there is none.
std::string modelIn(const std::string& name) {
  static constexpr char kCapitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", kDigits[] = "0123456789";
  std::string word;
  const auto isModel = [&word] {
    const std::size_t digits = word.find_first_not_of(kCapitals);
    if (digits == 0 || digits == std::string::npos) return false;
    const std::size_t rest = word.find_first_not_of(kDigits, digits);
    return rest != digits &&
           (rest == std::string::npos ||
            (rest + 1 == word.size() && std::isupper(static_cast<unsigned char>(word[rest]))));
  };
  for (const char c : name + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += c;
    } else if (isModel()) {
      return word;
    } else {
      word.clear();
    }
  }
  return name;
}

/// What a file of Google Benchmark holds. Throws what parseJson() throws.
Json measuredOf(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return parseJson(text.str());
}

bool isOf(const Json& measured, const std::string& deviceName) {
  return measured.at("context").at("device_name") == deviceName;
}

/// A rate of a benchmark: of the fastest repetition, or 0. Throws what Json throws.
double largestOf(const Json& measured, const std::string& benchmark, const char* rate) {
  double largest = 0;
  for (const Json& each : measured.at("benchmarks"))
    if (each.at("name") == benchmark + "/manual_time")
      largest = std::max(largest, each.at(rate).get<double>());
  return largest;
}

}  // namespace

std::string shortDeviceName(const std::string& kind, const std::string& name) {
  if (kind == "cpu") return kind;
  std::string folder = modelIn(name);
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

double readPeak(const std::string& path, const std::string& deviceName, Tier tier,
                DeviceKind kind) try {
  const Json measured = measuredOf(path);
  if (!isOf(measured, deviceName)) return 0;
  const auto peakOf = [&](Tier one) {
    return largestOf(measured, peakBenchmark(one), "relax_per_s");
  };
  const double peak = peakOf(tier);
  const bool wide = tier == Tier::kInt64 || tier == Tier::kFloat64;
  if (peak > 0 || !wide || kind != DeviceKind::kCpu) return peak;
  return peakOf(tier == Tier::kInt64 ? Tier::kInt32 : Tier::kFloat32) / 2;
} catch (const std::exception&) {
  return 0;
}

double readBandwidth(const std::string& path, const std::string& deviceName) try {
  const Json measured = measuredOf(path);
  return isOf(measured, deviceName) ? largestOf(measured, "copy", "bytes_per_second") : 0;
} catch (const std::exception&) {
  return 0;
}
