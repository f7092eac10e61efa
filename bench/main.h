// What the programs here share. Google Benchmark's own main exits 0 when a benchmark fails, when a
// filter matches nothing and when the disk is full: this one does not.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

inline bool failed = false;

/// Runs the body of a benchmark: an exception fails the benchmark, and the program.
template <class Body>
void guarded(benchmark::State& state, Body body) {
  try {
    body();
  } catch (const std::exception& e) {
    failed = true;
    state.SkipWithError(e.what());
  }
}

/// Google Benchmark's JSON, which fails the program where it has not reached the file.
class CheckedJson : public benchmark::JSONReporter {
 public:
  void Finalize() override {
    JSONReporter::Finalize();
    if (!GetOutputStream().flush()) failed = true;
  }
};

/// The exit code of a program whose benchmarks registerAll() registers: 0 all ran and were written,
/// 1 not so, 2 usage.
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
      return stop(2, "--benchmark_out is JSON");
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  registerAll();
  if (benchmark::RunSpecifiedBenchmarks(nullptr, file) == 0)
    return stop(2, "none matches the filter");
  if (failed || !std::cout.flush()) return stop(1, "one failed, or the output is not whole");
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "benchmark: %s\n", e.what());
  return 1;
}
