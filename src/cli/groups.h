// Groups of flags that several commands have in common: a struct for what they set, and a function
// that adds them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "device/device.h"
#include "generate/families.h"
#include "io/formats/formats.h"
#include "io/output.h"
#include "measure/timing.h"
#include "submission/submission.h"

/// The graph: a file or, if `generated`, what `spec` describes.
struct GraphFlags {
  std::string file;
  std::vector<std::string> given;  ///< options of a generated graph on the command line: "--seed"
  ReadOptions read;
  bool generated = false;
  Spec spec;
};
Flag& addGraphFile(Flags& flags, GraphFlags& graph);  ///< returns the argument GRAPH
void addDtype(Flags& flags, GraphFlags& graph);
Flag& addGenerating(Flags& flags, GraphFlags& graph);  ///< returns the flag --n
/// Throws Error(kUsage) if an option of the other kind of graph is given, or one that has no effect
/// on the graph's family. What has no effect on a file's format, readGraph() refuses.
void refuseIdleOptions(const GraphFlags& graph);
/// --to, the format of a graph file to write.
void addFormatTo(Flags& flags, std::string& format, const std::string& what);

/// Kernels by name or file.
struct KernelFlags {
  std::vector<std::string> names;
  SubmissionLimits limits;
};
void addKernels(Flags& flags, KernelFlags& kernels, const std::string& what);
/// Throws Error(kUsage) if --time-limit is given and no kernel is a file.
void refuseIdleOptions(const KernelFlags& kernels);
void addTimeLimit(Flags& flags, SubmissionLimits& limits);

/// --device and --threads. device: "auto", "gpu" or "cpu".
void addDevice(Flags& flags, std::string& device);

/// --warmup and --reps.
void addMeasuring(Flags& flags, MeasurePlan& plan);

/// --sizes, numbers of vertices. defaults: as the help shows them.
void addSizes(Flags& flags, std::vector<int>& sizes, const std::string& defaults);

/// Where a command's results go.
struct OutputFlags {
  std::string json, csv;  ///< files; "": none
  bool quiet = false;

  /// Prints nothing but JSON if that goes to standard output. Throws Error(kUsage) if CSV is to go
  /// there. To be called before anything is printed.
  void settle();
  /// Prints unless quiet.
  void say(const std::string& text) const;
  /// The JSON file, opened before any work is done; nullptr if none is wanted.
  std::unique_ptr<OutputFile> openJson() const;
  /// Appends to the CSV file, if one is wanted.
  void append(const std::string& header, const std::string& rows) const;
};
void addRecords(Flags& flags, OutputFlags& output);  ///< --json and --csv
void addQuiet(Flags& flags, bool& quiet);            ///< --quiet and --color
void addColour(Flags& flags);                        ///< --color

/// The device of that name. "auto" is the GPU if there is one, else the CPU, and says so. Throws
/// Error(kGpu) if the GPU is asked for and there is none.
const Device& chooseDevice(const std::string& name, const OutputFlags& output);

/// The GPU. Throws Error(kGpu), with what needs it or what to do instead, if there is none.
const Device& requireGpu(std::string_view reason);

/// "          3 parallel edges … dropped\n", or "" if none were.
std::string droppedLine(const Graph& graph);
