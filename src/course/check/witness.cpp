#include "check/witness.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "check/matrices.h"
#include "check/mistakes.h"
#include "generate/generate.h"
#include "io/formats/formats.h"
#include "io/output.h"
#include "system/sha256.h"

namespace {

constexpr int kFewVertices = 16;  // below this n, every family that failed is tried

/// The smallest tiny graph that fails, of those that differ from a cell that failed only in n.
std::optional<Spec> tiny(const Check& check, int most, SolverUnderTest& solver) {
  std::vector<Spec> failed;
  std::set<std::string> known;
  for (const CheckCell& cell : check.cells) {
    Spec spec = cell.spec;
    spec.n = 1;
    if (cell.failed() && known.insert(describe(spec)).second) failed.push_back(spec);
  }
  for (int n = 1; n < std::min(kFewVertices, most + 1); ++n) {
    for (Spec& spec : failed) {
      spec.n = n;
      if (!solver.tooSlow() && solver.failsAlone(spec)) return spec;
    }
  }
  return std::nullopt;
}

/// The same graph with the smallest n that fails, if all smaller ones can be tried in time; else
/// with an n found by bisection.
Spec reduced(Spec spec, SolverUnderTest& solver) {
  constexpr int kTryAll = 300;
  int passes = 0, fails = spec.n;
  while (fails - passes > 1 && !solver.tooSlow()) {
    spec.n = fails <= kTryAll ? passes + 1 : (passes + fails) / 2;
    (solver.failsAlone(spec) ? fails : passes) = spec.n;
  }
  spec.n = fails;
  return spec;
}

}  // namespace

std::optional<Spec> smallestWitness(const Check& check, SolverUnderTest& solver) {
  for (const CheckCell& cell : check.cells)
    if (cell.needsEarlierCalls()) return std::nullopt;
  const CheckCell* const smallest = check.smallestFailure();
  if (smallest == nullptr) return std::nullopt;
  if (smallest->fault == SolveFault::kHang) return smallest->spec;  // each hang takes long
  if (!solver.failsAlone(smallest->spec)) return std::nullopt;
  if (const std::optional<Spec> spec = tiny(check, smallest->spec.n, solver)) return spec;
  return reduced(smallest->spec, solver);
}

std::string witnessMatrices(const Check& check, SolverUnderTest& solver) {
  constexpr int kTries = 4;  // a race is not wrong every time
  const bool wrong = std::any_of(check.cells.begin(), check.cells.end(), [](const CheckCell& cell) {
    return cell.mismatch.count != 0 || cell.unsteady != 0;
  });
  if (!wrong || check.smallestFailure()->fault) return "";
  const Matrix expected = solver.expected(*check.witness);
  for (int tried = 0; tried < kTries; ++tried) {
    const std::optional<Matrix> got = solver.distances(*check.witness);
    if (!got) return "";
    if (!same(*got, expected))
      return matricesText(toMatrix(generate(*check.witness)), expected, *got);
  }
  return "";
}

void makeWitnessFolder(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const char* const action = error ? "this folder cannot be made" : "cannot write into this folder";
  if (!error && ::access(directory.c_str(), W_OK | X_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error)
    throw Error(ErrorCode::kOutput, fmt::format("--witness {}: {}: {}: name another folder",
                                                directory, action, error.message()));
}

std::string noWitnessFile(const std::string& kernel, const std::string& directory) {
  std::string name = std::filesystem::path(kernel).lexically_normal();
  std::replace(name.begin(), name.end(), '/', '-');
  constexpr std::size_t kLongest = 200;  // bytes; many file systems take 255
  if (name.size() > kLongest) name = sha256(name).substr(0, 16) + name.substr(name.size() - 150);
  return std::filesystem::path(directory) / (kNoWitness + name + ".txt");
}

std::string writeWitness(const Spec& spec, const std::string& directory,
                         const std::string& format) {
  const std::string path = std::filesystem::path(directory) /
                           fmt::format("{}-n{}-seed{}-range{}.{}", familyOf(spec).name, spec.n,
                                       spec.seed, spec.range, format);
  OutputFile out(path);
  writeGraph(out, generate(spec), format);
  return path;
}
