// The peaks that bench/ceilings measured: where their file is found, and what is read from it.
#include "measure/peak.h"

#include "files.h"

namespace {

std::string benchmark(const std::string& name, const std::string& more) {
  return "{\"name\": \"" + name + "\"" + more + "}";
}

TEST(Peak, IsTheFastestRepetitionOfTheTiersBenchmark) {
  const TempDir dir;
  const std::string path = dir / "ceilings.json";
  writeBytes(path, R"({"context": {"device_name": "GPU X"}, "benchmarks": [)" +
                       benchmark("copy/manual_time", R"(, "bytes_per_second": 3e12)") + "," +
                       benchmark("int32/viaddmin/manual_time", R"(, "relax_per_s": 1.5e13)") + "," +
                       benchmark("int32/viaddmin/manual_time", R"(, "relax_per_s": 1.6e13)") + "," +
                       benchmark("int32/viaddmin/manual_time_mean", R"(, "relax_per_s": 9e13)") +
                       "," + benchmark("uint16/viaddmin/manual_time", R"(, "relax_per_s": 32)") +
                       "]}\n");
  EXPECT_EQ(1.6e13, readPeak(path, "GPU X", Tier::kInt32));
  EXPECT_EQ(32, readPeak(path, "GPU X", Tier::kUint16));
  EXPECT_EQ(0, readPeak(path, "GPU X", Tier::kFloat32)) << "not measured";
  EXPECT_EQ(0, readPeak(path, "GPU X", Tier::kNone));
  EXPECT_EQ(0, readPeak(path, "GPU Y", Tier::kInt32)) << "another device";
  EXPECT_EQ(3e12, readBandwidth(path, "GPU X"));
  EXPECT_EQ(0, readBandwidth(path, "GPU Y"));
}

TEST(Peak, Of64BitsIsHalfOnACpuUnlessItWasMeasured) {
  const TempDir dir;
  const std::string path = dir / "ceilings.json";
  writeBytes(path, R"({"context": {"device_name": "X"}, "benchmarks": [)" +
                       benchmark("int32/viaddmin/manual_time", R"(, "relax_per_s": 8e9)") + "," +
                       benchmark("float64/dadd_dsetp/manual_time", R"(, "relax_per_s": 3e9)") +
                       "]}\n");
  EXPECT_EQ(4e9, readPeak(path, "X", Tier::kInt64, DeviceKind::kCpu));
  EXPECT_EQ(3e9, readPeak(path, "X", Tier::kFloat64, DeviceKind::kCpu)) << "measured";
  EXPECT_EQ(8e9, readPeak(path, "X", Tier::kInt32, DeviceKind::kCpu));
  EXPECT_EQ(0, readPeak(path, "X", Tier::kFloat32, DeviceKind::kCpu));
  EXPECT_EQ(0, readPeak(path, "Y", Tier::kInt64, DeviceKind::kCpu)) << "another device";
  EXPECT_EQ(0, readPeak(path, "X", Tier::kInt64)) << "of a GPU nothing is known";
  EXPECT_EQ(3e9, readPeak(path, "X", Tier::kFloat64));
}

TEST(Peak, IsUnknownIfTheFileIsMissingOrBroken) {
  const TempDir dir;
  const std::string path = dir / "ceilings.json";
  EXPECT_EQ(0, readPeak(path, "X", Tier::kInt32)) << "missing";
  EXPECT_EQ(0, readPeak(dir.path, "X", Tier::kInt32)) << "a directory";
  const std::string context = R"({"context": {"device_name": "X"})",
                    name = "int32/viaddmin/manual_time";
  for (const std::string& broken :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"),
        std::string(100000, '['), context, context + "}", context + R"(, "benchmarks": 7})",
        context + R"(, "benchmarks": [7]})", context + R"(, "benchmarks": [{}]})",
        context + R"(, "benchmarks": [)" + benchmark(name, "") + "]}",
        context + R"(, "benchmarks": [)" + benchmark(name, R"(, "relax_per_s": "1e9")") + "]}",
        context + R"(, "benchmarks": [)" + benchmark(name, R"(, "relax_per_s": null)") + "]}",
        context + R"(, "benchmarks": [)" + benchmark(name, R"(, "error_occurred": true)") + "]}",
        std::string(R"({"context": "X", "benchmarks": []})")}) {
    writeBytes(path, broken);
    EXPECT_EQ(0, readPeak(path, "X", Tier::kInt32)) << broken.substr(0, 100);
    EXPECT_EQ(0, readBandwidth(path, "X")) << broken.substr(0, 100);
  }
}

/// Sets an environment variable while it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Peak, ResultsAreInTheFolderThatIsGivenOrTheVariableNames) {
  unsetenv("APSP_RESULTS");
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string beside = program.parent_path() / "results";
  EXPECT_EQ(beside, resultsFolder("")) << "beside the program; cli_test.py copies it elsewhere";
  EXPECT_EQ("given", resultsFolder("given"));
  {
    const Variable set("APSP_RESULTS", "named");
    EXPECT_EQ("named", resultsFolder(""));
    EXPECT_EQ("given", resultsFolder("given")) << "a flag comes before the variable";
  }
  const Variable empty("APSP_RESULTS", "");
  EXPECT_EQ(beside, resultsFolder(""));
  EXPECT_EQ("named/h100/ceilings.json", peakFile("named", "h100"));
}

TEST(Peak, DevicesHaveShortNames) {
  EXPECT_EQ("h100", shortDeviceName("gpu", "NVIDIA H100 80GB HBM3"));
  EXPECT_EQ("p100", shortDeviceName("gpu", "Tesla P100-PCIE-16GB"));
  EXPECT_EQ("a100", shortDeviceName("gpu", "NVIDIA A100-SXM4-80GB"));
  EXPECT_EQ("l40s", shortDeviceName("gpu", "NVIDIA L40S"));
  EXPECT_EQ("t4", shortDeviceName("gpu", "Tesla T4"));
  EXPECT_EQ("nvidia-geforce-rtx-4090", shortDeviceName("gpu", "NVIDIA GeForce RTX 4090"));
  EXPECT_EQ("---x", shortDeviceName("gpu", "../x")) << "one folder, whatever the name";
  EXPECT_EQ("cpu", shortDeviceName("cpu", "Intel(R) Xeon(R) Processor"));
}

}  // namespace
