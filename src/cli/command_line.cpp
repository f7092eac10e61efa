#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <climits>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "apsp.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/number.h"
#include "generate/generate.h"
#include "ladder/ladder.h"
#include "solvers/solver.h"

namespace {

/// What the parser fills in. Of the words here values are made once all of them are known.
struct Words {
  CommandLine line;
  std::string family = "course", dtype = "auto", precision = "auto", contract = "course";
  bool noSymmetry = false, noSkip = false, noVary = false, quick = false, full = false;
  /// The words that an option takes, for its check, the help and the completion.
  std::map<std::string, std::vector<std::string>> choices;
};

// ---- kinds of options -----------------------------------------------------------------------

/// The text as a value of the option `name`, see number.h.
template <class T>
T valueOf(const std::string& name, const std::string& text, T low, T high) {
  if (const std::optional<T> value = wholeNumber(text, low, high)) return *value;
  throw CLI::ValidationError(
      fmt::format("{}: expected a whole number from {} to {}, found '{}'", name, low, high, text));
}

template <class T, class Target>
CLI::Option* number(CLI::App& app, const std::string& name, Target& target, T low, T high,
                    const std::string& what) {
  const auto parse = [&target, low, high, name](const std::string& text) {
    target = valueOf(name, text, low, high);
  };
  return app.add_option_function<std::string>(name, parse, what)
      ->type_name("N")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

/// One or more of them, separated by commas or spaces, or by the option again.
CLI::Option* numbers(CLI::App& app, const std::string& name, std::vector<int>& target, int low,
                     int high, const std::string& what) {
  const auto parse = [&target, low, high, name](const std::vector<std::string>& texts) {
    target.clear();
    for (const std::string& text : texts) {
      for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
        end = text.find_first_of(", ", at);
        target.push_back(valueOf(name, text.substr(at, end - at), low, high));
      }
    }
  };
  return app.add_option_function<std::vector<std::string>>(name, parse, what)->type_name("N[,N]");
}

CLI::Option* choice(CLI::App& app, Words& w, const std::string& name, std::string& target,
                    const std::vector<std::string>& words, const std::string& what) {
  w.choices[name] = words;
  return app.add_option(name, target, what)
      ->type_name("NAME")
      ->check(CLI::IsMember(words).description(""));
}

/// A word, called `type` in the help.
CLI::Option* word(CLI::App& app, const std::string& name, std::string& target, const char* type,
                  const std::string& what) {
  return app.add_option(name, target, what)
      ->type_name(type)
      ->check(CLI::Validator([](std::string& text) { return text.empty() ? "is empty" : ""; }, ""));
}

/// One or more words, separated by commas.
CLI::Option* words(CLI::App& app, const std::string& name, std::vector<std::string>& target,
                   const char* type, const std::string& what) {
  return app.add_option(name, target, what)
      ->type_name(type)
      ->delimiter(',')
      ->allow_extra_args(false);
}

/// The heading in the help above what is added from here on.
void heading(CLI::App& app, const char* text) {
  app.option_defaults()->group(text);
}

// ---- what several subcommands take ----------------------------------------------------------

void addReading(CLI::App& app, Words& w) {
  ReadOptions& read = w.line.read;
  heading(app, "Graph");
  word(app, "GRAPH", w.line.graph, "", "graph file, or - for standard input");
  choice(app, w, "--format", read.format, readableFormats(), "format of GRAPH (else by its name)");
  number(app, "--base", read.base, 0, 1, "smallest vertex id of an edge list text [0]");
  number(app, "--vertices", read.vertices, 0, INT_MAX, "n of an edge list text");
  number(app, "--skip-lines", read.skipLines, 0, INT_MAX,
         "lines at the beginning of a text not to read");
}

void addDtype(CLI::App& app, Words& w) {
  heading(app, "Graph");
  choice(app, w, "--dtype", w.dtype, {"auto", "i32", "f32"},
         "auto, i32 or f32: weights; auto is i32 where\nall of them are whole [auto]");
}

CLI::Option* addGenerating(CLI::App& app, Words& w) {
  constexpr auto kMostSeeds = std::numeric_limits<std::uint64_t>::max();
  Spec& spec = w.line.spec;
  std::vector<std::string> names;
  for (const FamilyInfo& family : familyTable()) names.push_back(family.name);
  heading(app, "Graph");
  CLI::Option* n = number(app, "--n", spec.n, 0, INT_MAX, "generate a graph of N vertices, with:");
  CLI::Option* rest[] = {
      choice(app, w, "--family", w.family, names, "graph family, see below [course]"),
      number(app, "--seed", spec.seed, std::uint64_t{0}, kMostSeeds, "same seed, same graph [1]"),
      number(app, "--range", spec.range, 1, kInf - 1, "R, the bound of its weights [100000]"),
      number(app, "--degree", spec.degree, 0, INT_MAX, "arcs per vertex of `sparse` [8]"),
      app.add_flag("--undirected", spec.undirected, "every edge also backwards")};
  for (CLI::Option* option : rest) option->needs(n);
  std::string footer = "\nFamilies:\n";
  for (const FamilyInfo& family : familyTable())
    footer += fmt::format("  {:<24} {}\n", family.name, family.what);
  app.footer(footer);
  return n;
}

void addTo(CLI::App& app, Words& w, const char* what) {
  choice(app, w, "--to", w.line.toFormat, writableFormats(),
         fmt::format("{} (else by its name):\n{}", what, fmt::join(writableFormats(), " ")));
}

void addTimeLimit(CLI::App& app, Words& w) {
  heading(app, "Solving");
  number(app, "--time-limit", w.line.limits.callSeconds, 1, 1000000,
         "seconds for a call of a FILE; 20 times as many\nfor all calls of a check [60]");
}

void addKernels(CLI::App& app, Words& w, const std::string& what) {
  std::vector<std::string>& names = w.choices["--kernel"];
  names.clear();
  for (const Kernel& k : kernelTable()) {
    if (std::find(names.begin(), names.end(), k.name) == names.end()) names.push_back(k.name);
  }
  heading(app, "Solving");
  words(app, "--kernel", w.line.kernels, "NAME[,FILE]", what);
  addTimeLimit(app, w);
}

void addDevice(CLI::App& app, Words& w) {
  heading(app, "Solving");
  choice(app, w, "--device", w.line.device, {"auto", "gpu", "cpu"},
         "auto, gpu or cpu: where to solve [auto]");
  number(app, "--threads", w.line.threads, 1, 4096, "CPU threads [all cores]");
}

void addMeasuring(CLI::App& app, Words& w) {
  MeasurePlan& plan = w.line.measuring;
  heading(app, "Measuring");
  number(app, "--warmup", plan.warmup, 0, 1000000, "calls before those that count [1]");
  number(app, "--reps", plan.reps, 1, 1000000, "calls that count [5 or more, for 0.2 s]");
}

void addRecords(CLI::App& app, Words& w) {
  heading(app, "Output");
  word(app, "--json", w.line.json, "FILE", "write the records as JSON (-: standard output)");
  word(app, "--csv", w.line.csv, "FILE", "append the records to a CSV file");
}

void addQuiet(CLI::App& app, Words& w) {
  heading(app, "Output");
  app.add_flag("--quiet", w.line.quiet, "print errors only");
}

// ---- the program without a subcommand, then the subcommands ---------------------------------

void defineSolve(CLI::App& app, Words& w) {
  addReading(app, w);
  addDtype(app, w);
  addGenerating(app, w);
  addKernels(app, w,
             "kernels to run [apsp], or files, .cu and\n.so, that define one; ref,apsp compares");
  app.add_flag("--list-kernels", w.line.listKernels, "print the kernels and exit");
  addDevice(app, w);
  choice(app, w, "--precision", w.precision,
         {std::begin(kPrecisionNames), std::end(kPrecisionNames)},
         "auto, 16 (refused unless exact) or 32 bits [auto]");
  app.add_flag("--no-symmetry", w.noSymmetry, "solve all of a symmetric matrix");
  app.add_flag("--no-skip", w.noSkip, "leave no product of tiles out");
  app.add_flag("--verify{ref}", w.line.verify,
               "compare every entry with ref;\n=dijkstra[:ROWS]: whole rows [16]");
  addMeasuring(app, w);
  app.add_flag("--vary", w.line.measuring.vary, "no two calls get the same graph");
  heading(app, "Output");
  CLI::Option* output =
      word(app, "-o,--output", w.line.out, "FILE",
           fmt::format("write distances: {}", fmt::join(distancesExtensions(), " ")));
  addRecords(app, w);
  word(app, "--record", w.line.record, "DIR", "keep a record a point, skip those there")
      ->excludes(output);
  app.add_flag("--plan", w.line.planned, "note the points in --record's DIR only")
      ->needs("--record");
  addQuiet(app, w);
}

void defineGen(CLI::App& app, Words& w) {
  addDtype(app, w);
  addGenerating(app, w)->required();
  heading(app, "Options");
  word(app, "-o,--output", w.line.out, "FILE", "file to write")->required();
  addTo(app, w, "its format");
}

void defineInfo(CLI::App& app, Words& w) {
  addReading(app, w);
  addDtype(app, w);
  app.get_option("GRAPH")->required();
}

void defineConvert(CLI::App& app, Words& w) {
  defineInfo(app, w);
  word(app, "TO", w.line.to, "", "file to write")->required();
  addTo(app, w, "format of TO");
}

void defineReport(CLI::App& app, Words& w) {
  app.add_option("DIR", w.line.sweeps, "--record directories or CSV files")
      ->type_name("")
      ->required();
  app.add_flag("--markdown", w.line.markdown, "as Markdown");
  word(app, "--csv", w.line.csv, "FILE", "write all of them to one CSV file");
  word(app, "--plot", w.line.plot, "BASE", "draw them to BASE.png and BASE.svg,\nwith matplotlib");
}

void defineCompare(CLI::App& app, Words& w) {
  word(app, "A", w.line.before, "", "CSV file of records, or --record directory")->required();
  word(app, "B", w.line.after, "", "the same, to be compared with it")->required();
  number(app, "--fail-slower", w.line.failSlower, 0, 1000000,
         "exit 1 where B is slower beyond the\nnoise and by more than N percent")
      ->type_name("PCT");
}

void defineLadder(CLI::App& app, Words& w) {
  numbers(app, "--sizes", w.line.sizes, 1, INT_MAX,
          fmt::format("numbers of vertices\n[{}]", fmt::join(kReportSizes, ",")));
  words(app, "--report", w.line.reports, "A[,B]", "of which reports [all]");
  addKernels(app, w, "measure these, too");
  addMeasuring(app, w);
  addRecords(app, w);
  addQuiet(app, w);
}

void defineReduce(CLI::App& app, Words& w) {
  numbers(app, "--n,--sizes", w.line.sizes, 1, INT_MAX, "sum up so many values [268435456]");
  addMeasuring(app, w);
  addRecords(app, w);
  addQuiet(app, w);
}

void defineCheck(CLI::App& app, Words& w) {
  addKernels(app, w, "kernels to check, by name or file [apsp]");
  addDevice(app, w);
  app.add_flag("--host", w.line.host, "files take host memory: check on the CPU");
  heading(app, "Checking");
  choice(app, w, "--contract", w.contract, {"course", "general"},
         "course: complete graphs, weights of 0 to 100000;\ngeneral: all that apsp.h allows "
         "[course]");
  CLI::Option* quick = app.add_flag("--quick", w.quick, "fewer sizes, on the CPU up to 257");
  app.add_flag("--full", w.full, "more seeds, and n up to 2500")->excludes(quick);
  CLI::Option* vary = app.add_flag("--vary", w.line.check.vary,
                                   "another graph of the same size before each one\n[on]");
  app.add_flag("--no-vary", w.noVary, "only the graph itself, twice")->excludes(vary);
  word(app, "--witness", w.line.check.witnessDir, "DIR", "write the smallest graph that fails");
  app.add_flag("--families", w.line.listFamilies, "say what each family catches, and exit");
  addRecords(app, w);
  addQuiet(app, w);
}

void defineGrade(CLI::App& app, Words& w) {
  word(app, "DIR", w.line.folder, "", "the folder: *.cu, *.so, NAME/apsp.cu")->required();
  app.add_flag("--host", w.line.host, "*.so of host memory, on the CPU");
  app.add_flag("--full", w.full, "check more thoroughly");
  numbers(app, "--sizes", w.line.sizes, 1, INT_MAX,
          fmt::format("numbers of vertices to time\n[{}; --host: 100,200,400]",
                      fmt::join(kReportSizes, ",")));
  addTimeLimit(app, w);
  addMeasuring(app, w);
  heading(app, "Output");
  word(app, "--csv", w.line.csv, "FILE", "keep the rows here, and resume from them");
  addQuiet(app, w);
}

void defineCompletion(CLI::App&, Words&) {}

constexpr struct {
  const char *name, *what;
  void (*define)(CLI::App&, Words&);
} kSubcommands[] = {
    {"gen", "generate a graph file", defineGen},
    {"info", "describe a graph file", defineInfo},
    {"convert", "convert a graph file", defineConvert},
    {"report", "table of a sweep's records", defineReport},
    {"compare", "which points got faster, which slower", defineCompare},
    {"ladder", "what each step of the course reports is worth", defineLadder},
    {"reduce", "time the ladder's sums on the GPU", defineReduce},
    {"check", "find out whether kernels are right", defineCheck},
    {"grade", "check, time and rank a folder of submissions", defineGrade},
    {"completion", "print a bash completion", defineCompletion},
};

// ---- help, completion, parsing --------------------------------------------------------------

/// CLI11's help, with less in each line: no "Needs: --n" (the group says it), and `[=WHAT]` for a
/// flag that may take a value.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(27); }
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    const std::string name = CLI::Formatter::make_option_name(option, positional);
    return name.substr(0, name.find('{')) +
           (name.find('{') == std::string::npos ? "" : "[=ORACLE]");
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return (type.empty() ? "" : " " + type) + (option->get_required() ? " (required)" : "");
  }
};

/// A bash completion made of the same definitions as the parser and the help.
std::string completion(const CLI::App& app, const Words& w) {
  std::string cases, words;
  const auto optionsOf = [](const CLI::App& of) {
    std::string list;
    for (const CLI::Option* option : of.get_options()) {
      if (!option->get_lnames().empty()) list += " --" + option->get_lnames()[0];
    }
    return list;
  };
  for (const CLI::App* sub : app.get_subcommands({})) {
    words += " " + sub->get_name();
    cases += fmt::format("    {}) words=\"{}\" ;;\n", sub->get_name(), optionsOf(*sub));
  }
  std::string values;
  for (const auto& [option, list] : w.choices) {
    values += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                          option, fmt::join(list, " "));
  }
  return fmt::format(
      "# bash completion of apsp: source <(./apsp completion)\n"
      "_apsp() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words\n"
      "  case $before in\n{}  esac\n"
      "  case ${{COMP_WORDS[1]}} in\n{}    *) words=\"{}\" ;;\n  esac\n"
      "  [ \"$COMP_CWORD\" = 1 ] && words+=\"{}\"\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
      "}}\n"
      "complete -o filenames -F _apsp apsp ./apsp\n",
      values, cases, optionsOf(app), words);
}

/// Parses. Returns what is to be printed and nothing done, help or version; else "".
std::string parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return "";
  } catch (const CLI::ExtrasError&) {
    const std::string extra = app.remaining(true).front();
    throw Error(Exit::kUsage,
                extra.size() > 1 && extra[0] == '-'
                    ? fmt::format("unknown option '{}' (apsp --help tells more)", extra)
                    : fmt::format("one word too many: '{}' (a subcommand comes first, and "
                                  "takes no other)",
                                  extra));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0)
      throw Error(Exit::kUsage, fmt::format("{} (apsp --help tells more)", e.what()));
    std::ostringstream text;
    app.exit(e, text, text);
    return text.str();
  }
}

/// Makes values of the words.
CommandLine settled(Words&& w) {
  CommandLine& line = w.line;
  if (w.dtype != "auto") line.read.dtype = w.dtype == "i32" ? Dtype::kInt32 : Dtype::kFloat32;
  line.spec.dtype = line.read.dtype.value_or(Dtype::kInt32);
  line.spec.family = familyIndex(w.family);
  const auto* precision =
      std::find(std::begin(kPrecisionNames), std::end(kPrecisionNames), w.precision);
  line.measuring.options = {static_cast<Precision>(precision - std::begin(kPrecisionNames)),
                            !w.noSymmetry, !w.noSkip};
  line.check.general = w.contract == "general";
  line.check.vary = !w.noVary;
  if (w.quick) line.check.depth = CheckPlan::kQuick;
  if (w.full) line.check.depth = CheckPlan::kFull;
  if (line.kernels.empty() && line.subcommand != "ladder") line.kernels = {"apsp"};
  return std::move(line);
}

}  // namespace

CommandLine parseCommandLine(int argc, char** argv) {
  Words w;
  CLI::App app(
      "Solve, time and verify all-pairs shortest paths on a GPU or the CPU.\n"
      "SIGUSR1 makes it say how far it is.",
      "apsp");
  app.formatter(std::make_shared<HelpFormatter>());  // subcommands inherit it
  app.set_help_flag("-h,--help", "print this help and exit");
  app.set_version_flag("--version", programVersion() + " " + buildDescription(),
                       "print the version and exit");
  app.require_subcommand(0, 1);
  const auto asksForHelp = [](const std::string& word) { return word == "--help" || word == "-h"; };
  const bool help = std::any_of(argv + 1, argv + argc, asksForHelp);
  const auto named = [&](const auto& sub) { return argc > 1 && argv[1] == std::string(sub.name); };
  // A subcommand comes first. After anything else its name is a stray word, not a command.
  const bool first = std::any_of(std::begin(kSubcommands), std::end(kSubcommands), named);
  std::vector<const char*> names;
  for (const auto& sub : kSubcommands) {
    names.push_back(sub.name);
    sub.define(*app.add_subcommand(sub.name, sub.what)->disabled(!first && !help), w);
  }
  defineSolve(app, w);
  w.line.subcommands = fmt::format("{}", fmt::join(names, ", "));

  w.line.text = parse(app, argc, argv);
  if (!w.line.text.empty()) return w.line;
  for (const CLI::App* sub : app.get_subcommands()) w.line.subcommand = sub->get_name();
  if (w.line.subcommand == "completion") w.line.text = completion(app, w);
  const bool solves = w.line.subcommand.empty() && !w.line.listKernels;
  if (solves && w.line.graph.empty() == (app.count("--n") == 0)) {
    throw Error(Exit::kUsage,
                w.line.graph.empty()
                    ? "what to solve? apsp GRAPH, or apsp --n N (apsp --help tells more)"
                    : "give a GRAPH or --n, not both");
  }
  return settled(std::move(w));
}
