// The main function of the benchmark programs. Google Benchmark's own exits with 0 even if a
// benchmark fails, a filter matches nothing or the disk is full. This one does not.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

inline bool failed = false;

/// Runs the body of a benchmark. An exception makes the benchmark and the program fail.
template <class Body>
void guarded(benchmark::State& state, Body body) {
  try {
    body();
  } catch (const std::exception& e) {
    failed = true;
    state.SkipWithError(e.what());
  }
}

/// Registers a benchmark whose body runs three times and sets the times itself, in milliseconds.
template <class Body>
void registerTimed(const char* name, const Body& body) {
  const auto run = [body](benchmark::State& state) { guarded(state, [&] { body(state); }); };
  benchmark::RegisterBenchmark(name, run)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(3);
}

/// Google Benchmark's JSON reporter. The program fails if the output does not reach the file.
class CheckedJson : public benchmark::JSONReporter {
 public:
  void Finalize() override {
    JSONReporter::Finalize();
    if (!GetOutputStream().flush()) failed = true;
  }
};

/// Runs the benchmarks that registerAll() registers. Returns the exit code of the program: 0 if all
/// ran and were written, 1 if not, 2 for wrong usage.
inline int runBenchmarks(int argc, char** argv, void (*registerAll)()) try {
  const auto stop = [](int code, const char* message) {
    std::fprintf(stderr, "benchmark: %s\n", message);
    return code;
  };
  CheckedJson json;
  benchmark::BenchmarkReporter* file = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], format = "--benchmark_out_format=";
    if (word.rfind("--benchmark_out=", 0) == 0) file = &json;
    if (word.rfind(format, 0) == 0 && word != format + "json")
      return stop(2, "--benchmark_out_format must be json");
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  registerAll();
  if (benchmark::RunSpecifiedBenchmarks(nullptr, file) == 0)
    return stop(2, "no benchmark matches the filter");
  if (failed || !std::cout.flush())
    return stop(1, "a benchmark failed, or the output is incomplete");
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "benchmark: %s\n", e.what());
  return 1;
}
