// Groups of flags that several commands have in common: a struct for what they set, and a function
// that adds them.
#pragma once

#include <functional>
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

/// The graph: a file, or generated graphs of several sizes that `spec` describes.
struct GraphFlags {
  std::string file;
  std::vector<std::string> given;  ///< options of a generated graph on the command line: "--seed"
  ReadOptions read;
  Spec spec;               ///< its n does not count
  std::vector<int> sizes;  ///< the n of each generated graph
  bool generated() const { return !sizes.empty(); }
  bool several() const { return sizes.size() > 1; }
};
Flag& addGraphFile(Flags& flags, GraphFlags& graph);   ///< returns the argument GRAPH
void addEdges(Flags& flags, GraphFlags& graph);        ///< --undirected and --dtype
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
/// Throws Error(kUsage) if --time-limit or --unsandboxed is given and no kernel is a file.
void refuseIdleOptions(const KernelFlags& kernels);
void addTimeLimit(Flags& flags, SubmissionLimits& limits);  ///< and --unsandboxed

/// --device and --threads. device: "auto", "gpu" or "cpu".
void addDevice(Flags& flags, std::string& device);

/// --warmup and --reps.
void addMeasuring(Flags& flags, MeasurePlan& plan);

/// --sizes and its alias --n, numbers of vertices. defaults: as the help shows them.
void addSizes(Flags& flags, std::vector<int>& sizes, const std::string& defaults);

/// Where a command's results go.
struct OutputFlags {
  std::string json, csv;  ///< files, or - for standard output; "": none
  bool quiet = false;

  /// Prints nothing else if the JSON or the CSV goes to standard output. To be called before
  /// anything is printed.
  void settle();
  /// Prints unless quiet.
  void say(const std::string& text) const;
  /// The JSON file, opened before any work is done; nullptr if none is wanted.
  std::unique_ptr<OutputFile> openJson() const;
  /// Appends to the CSV file, or prints on standard output, if that is wanted.
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

/// The name of a graph file and the options that make another graph of it: "g.el undirected".
std::string fileName(const GraphFlags& graph);

/// For Flag::writes: the output file, and the file of ids that --labels or --compact put beside it.
/// Both references must live until the command has run.
std::function<std::vector<std::string>()> writtenBeside(const GraphFlags& graph,
                                                        const std::string& output);

/// Lines for the terminal, "" if there is nothing to say: edges that were dropped or added when the
/// file was read, and the hint that --undirected may be missing.
std::string readingLines(const Graph& graph);
/// "4 reverses added; 2 pairs had two weights, the lighter kept": what --undirected changed.
std::string reversesText(const Graph& graph);
inline constexpr char kOneWay[] =
    "no edge has its reverse: if the graph is undirected, add --undirected";

/// Warns if zeros of the matrix in the file were read as edges, and may mean "no edge".
void warnOfZeros(const std::string& path, const Graph& graph);
