// Groups of flags that several commands have in common: a struct for what they set, and a function
// that adds them.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "device/device.h"
#include "generate/families.h"
#include "io/formats/formats.h"
#include "io/ids.h"
#include "io/output.h"
#include "measure/timing.h"
#include "submission/submission.h"
#include "system/exit.h"

/// The graph: a file, or generated graphs of several sizes that `spec` describes.
struct GraphFlags {
  std::string file;
  std::vector<std::string> given;  ///< options of a generated graph on the command line: "--seed"
  ReadOptions read;
  bool directed = false;   ///< edges without their reverse are meant
  Spec spec;               ///< its n does not count
  std::vector<int> sizes;  ///< the n of each generated graph
  bool generated() const { return !sizes.empty(); }
  bool several() const { return sizes.size() > 1; }
  /// Whether the user says that edges without their reverse are meant.
  bool saysDirections() const { return directed || !read.oneWay.empty(); }
};
Flag& addGraphFile(Flags& flags, GraphFlags& graph);  ///< returns the argument GRAPH
/// --undirected, --directed, --negative, --dtype
void addEdges(Flags& flags, GraphFlags& graph);
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
/// Kernels that were loaded.
struct LoadedKernels {
  std::vector<Solver> solvers;      ///< in the order of the command line
  std::set<std::string> notLoaded;  ///< the names of those that are notLoaded()
  Exit trouble = Exit::kOk;         ///< the code of the first error
};
/// Calls load() with each name. A file that cannot be read, compiled or loaded does not stop the
/// others: this complains of it, and its row is notLoaded(). Throws the first error if nothing can
/// be loaded, and what is no matter of a file.
LoadedKernels loadKernels(const KernelFlags& kernels, DeviceKind device,
                          const std::function<Solver(const std::string& name)>& load);
/// Throws Error(kUsage) if --time-limit, --unsandboxed or --cxxflags is given and no kernel is a
/// file.
void refuseIdleOptions(const KernelFlags& kernels);
void addTimeLimit(Flags& flags, SubmissionLimits& limits);  ///< --unsandboxed, --cxxflags

/// --contract, see CheckOptions.
void addContract(Flags& flags, bool& general, bool& negative);

/// --device and --threads. device: "auto", "gpu" or "cpu".
void addDevice(Flags& flags, std::string& device);

/// --warmup and --reps.
void addMeasuring(Flags& flags, MeasureOptions& measuring);

/// --sizes and its alias --n, numbers of vertices. defaults: as the help shows them.
void addSizes(Flags& flags, std::vector<int>& sizes, const std::string& defaults);

/// Where a command's results go.
struct OutputFlags {
  std::string json, csv;    ///< files, or - for standard output; "": none
  bool quiet = false;       ///< --quiet; after settle(): nothing for people on standard output
  bool onlyErrors = false;  ///< set by settle(): --quiet was given

  /// Prints nothing else if the JSON, the CSV or `result`, a path, goes to standard output. To be
  /// called before anything is printed.
  void settle(const std::string& result = "");
  /// Prints unless quiet.
  void say(const std::string& text) const;
  /// Prints this before the next text, because an error may come before it and must come alone.
  void sayLater(const std::string& text) const { later_ += text; }
  /// The JSON file, opened before any work is done; nullptr if none is wanted.
  std::unique_ptr<OutputFile> openJson() const;
  /// Appends to the CSV file, or prints on standard output, if that is wanted.
  void append(const std::string& header, const std::string& rows) const;

 private:
  mutable std::string later_;
};
void addRecords(Flags& flags, OutputFlags& output);  ///< --json and --csv
/// --json alone, for a command with arguments: the next word is a FILE only if it ends in .json.
void addJson(Flags& flags, OutputFlags& output, const std::string& what);
void addQuiet(Flags& flags, bool& quiet);  ///< --quiet and --color
void addColour(Flags& flags);              ///< --color
void addForce(Flags& flags, bool& force);  ///< --force, see IdsBeside

/// The device of that name. "auto" is the GPU if there is one, else the CPU, and says so. Throws
/// Error(kGpu) if the GPU is asked for and there is none.
const Device& chooseDevice(const std::string& name, const OutputFlags& output);

/// The GPU. Throws Error(kGpu), with what needs it or what to do instead, if there is none.
const Device& requireGpu(std::string_view reason);

/// The name of a graph file and the options that make another graph of it: "g.el undirected".
std::string fileName(const GraphFlags& graph);

/// For Flag::writes: the output file, and the file of ids beside it, which is written or removed.
/// The reference must live until the command has run.
std::function<std::vector<std::string>()> writtenBeside(const std::string& output);

/// Says what the reader of a graph file has to know: edges that were dropped or added, entries that
/// were read as "no edge", and hints at options. If only the result goes to standard output, that
/// is said in one line on standard error; with --quiet it is not said. Beside a table it also says
/// that the file chose 64 bits. graph: a matrix may be null, because only lists of edges are looked
/// at. vertices: the user gave numbers of vertices.
void sayNotes(const OutputFlags& output, const GraphFlags& flags, const ReadReport& report,
              Dtype dtype, const Graph* graph, bool vertices = false);
/// "4 reverses added; 2 pairs had two weights, the lighter kept": what --undirected changed.
std::string reversesText(const Reversed& reversed);
inline constexpr char kOneWay[] =
    "no edge has its reverse: add --undirected if the graph is undirected, else --directed";
inline constexpr char kFromOne[] = "ids begin at 1: add --base 1 unless there is a vertex 0";
inline constexpr char kRowNumbers[] =
    "vertices count from 0 like the rows, but from 1 in the file: --ids file takes the numbers "
    "there";
inline constexpr char kNoWeights[] = "no weights: every edge counts 1";
inline constexpr char kWideWhole[] = "i64 by the file's numbers, of which some do not fit i32";
inline constexpr char kWideReal[] =
    "f64 by the file's numbers; --dtype f32 rounds, in half the memory";
/// "the weights are the column 'road'".
std::string weightNameText(const ReadReport& report);
/// "4 entries -1 off the diagonal, read as "no edge": ...".
std::string minusOnesText(const ReadReport& report);

/// Warns if zeros of the matrix in the file were read as edges, and may mean "no edge".
void warnOfZeros(const std::string& path, const ReadReport& report);

/// Says which file of ids was left as it was.
void sayIds(const OutputFlags& output, const IdsBeside& ids);

/// Says that --zero edge is needed to read the graph file `path`, which was written as `format`, if
/// it leaves open whether its zeros are edges. On standard error if `output` is quiet.
void sayUnclearZeros(const OutputFlags& output, const std::string& path, const Graph& graph,
                     const std::string& format);
