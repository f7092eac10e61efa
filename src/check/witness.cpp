#include "check/witness.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "generate/generate.h"
#include "io/formats/formats.h"
#include "io/output.h"

namespace {

/// Whether the failure of this cell needs earlier calls.
bool needsEarlierCalls(const CheckCell& cell) {
  return cell.stale || cell.freshPasses || cell.fault == SolveFault::kLeak;
}

/// The cell with the smallest n that failed; nullptr if none did by more than being slow.
const CheckCell* smallestFailure(const Check& check) {
  const CheckCell* smallest = nullptr;
  for (const CheckCell& cell : check.cells) {
    if (!cell.failed() || cell.fault == SolveFault::kSlow) continue;
    if (smallest == nullptr || cell.spec.n < smallest->spec.n) smallest = &cell;
  }
  return smallest;
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
    if (needsEarlierCalls(cell)) return std::nullopt;
  const CheckCell* const smallest = smallestFailure(check);
  if (smallest == nullptr) return std::nullopt;
  if (smallest->fault == SolveFault::kHang) return smallest->spec;  // each hang takes long
  if (!solver.failsAlone(smallest->spec)) return std::nullopt;
  return reduced(smallest->spec, solver);
}

void makeWitnessFolder(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const char* const action = error ? "this folder cannot be made" : "cannot write into this folder";
  if (!error && ::access(directory.c_str(), W_OK | X_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error)
    throw Error(Exit::kOutput, fmt::format("--witness {}: {}: {}: name another folder", directory,
                                           action, error.message()));
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
