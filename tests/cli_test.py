"""The command line, driven as a user drives it: `python3 tests/cli_test.py` tests ./apsp, or $APSP."""
import contextlib, csv, ctypes, errno, fcntl, filecmp, gzip, hashlib, io, itertools, json, math, os, pty, random, re, resource, shlex, shutil
import signal, struct, subprocess, sys, termios, time, unittest
from pathlib import Path

from harness import (APSP, CPU, DATA, FULL, INF, LONG, MEASURED, NO_GPU, ROOT, SOLVE, TINY, TINY_DISTANCES, Case, Suite, install,
                     bound_by_permissions, course, dense_bin, edges_bin, float32, floyd_warshall, has_symbol, int32, limited,
                     matrix, needs_gpu, npy, read_distances, read_npy, snapshot, table, words)

FIXED = "ring ring-back chain long-path metric tail borders zero equal limit-path".split()  # whatever the seed
FAMILIES = FIXED + ("course uniform necessary permuted-ring triangular binary interior sparse grid star disconnected "
                    "near-limit").split()
NEGATIVE = "planted planted-zero planted-arcs descent".split()  # with weights below 0
RANGELESS = "binary zero limit-path near-limit".split()  # whatever R
SUBCOMMANDS = re.findall(r"row\((\w+)Command\)", (ROOT / "src/program/commands/commands.cpp").read_text())
FORMATS = "bin bin-edges bin-dense gr mtx npy el wsg json".split()  # that graphs are written as
LIBRARIES = {"npz": b"zip_open_from_source", "graphml": b"_ZN4pugi"}  # that some formats need, by a name that they define
FORMATS += [name for name, symbol in LIBRARIES.items() if symbol in Path(APSP).read_bytes()]
UNDIRECTED_FORMATS = ["metis"]  # that only undirected graphs are written as


# ---- the command line --------------------------------------------------------------------------------------

BAD_NUMBERS = ["-1", str(2**64), "nan", "010", "1e3", "1.5", "", " 5", "0x10", "+5", "5x", "5 "]
NUMBERS = {"--n": "{} --quiet", "--sizes": "{} --quiet", "--seed": "--n 3 {}", "--range": "--n 3 {}", "--degree": "--n 3 {}",
           "--reps": "--n 3 {}", "--warmup": "--n 3 {}", "--threads": "--n 3 {}", "--base": "{{data}}/tiny.el {}",
           "--vertices": "{{data}}/tiny.el {}", "--skip-lines": "{{data}}/tiny.el {}"}
BAD_SIZES = [*BAD_NUMBERS, "0", str(2**31), "5 x", "5,-1", "5:9:0", "0:9:1", "5:x:1"]
BAD_RANGES = {"1000:10:5": "'1000:10:5' ends before it begins", "0:10:0": "found '0' in the range '0:10:0'",
              "5:10": "'5:10' is not a range: write START:STOP:STEP", "1:2000000:1": "more than 100000 numbers"}


@table(
    *(Case(f"{option} {value!r}", line.format(f"{option} {shlex.quote(value)}"), 2,
           err=f"{option}.*{re.escape(repr(value))}")
      for option, line in NUMBERS.items() for value in BAD_NUMBERS),
    *(Case(f"reduce {option} {value!r}", ["reduce", option, *value.split(" ")], 2, err=f"{option}.*whole number")
      for option in ("--n", "--sizes") for value in BAD_SIZES),
    *(Case(f"reduce {option} {value!r}", f"reduce {option} {shlex.quote(value)}", 2, err=option)
      for option in ("--reps", "--warmup") for value in BAD_NUMBERS),
    Case("reduce of a file", "reduce {data}/tiny.el", 2, err=r"tiny\.el"),
    Case("reduce with options of the solver", "reduce --n 5 --kernel ref", 2, err="--kernel"),
    Case("largest seed", f"--n 3 --seed {2**64 - 1} {CPU}", out="seed=18446744073709551615"),
    *(Case(f"an error comes alone: {line}", line, code, out=r"\A\Z", err=err, env=NO_GPU) for line, code, err in (
        ("missing.el", 3, "No such file"), ("--n 3 --kernel zz", 2, "zz"), ("--n 3 --kernel x.txt", 2, "x.txt"),
        ("--n 2000000", 5, "smaller graph"), ("--n 3 -o no/d.npy", 6, "no/d.npy"), ("check --kernel zz", 2, "zz"))),
    Case("info --json with another name", "info --json out.txt {data}/tiny.el", 2,
         err=r"tiny\.el'.*--json.*\.json.*--json=FILE"),
    Case("info --json=FILE", "info --json=out.txt {data}/tiny.el", out="file", left="out.txt"),
    Case("no reps", "--n 3 --reps 0", 2, err="--reps"),
    Case("no threads", "--n 3 --threads 0", 2, err="--threads"),
    Case("range kInf", f"--n 3 --range {INF}", 2, err="--range"),
    Case("nothing to solve", "", 2, err="GRAPH.*--n"),
    Case("unknown option", "--n 3 --bogus", 2, err="--bogus"),
    Case("unknown short option", "-x", 2, err="-x"),
    Case("unknown option of a subcommand", "gen --n 3 -o g.bin --reps 3", 2, err="--reps"),
    Case("missing value", "--n", 2, err="--n"),
    Case("GRAPH and --n", "{data}/tiny.el --n 5", 2, err=("GRAPH", "--n")),
    Case("sizes separated by blanks", "--n 5 6", 2, err=("GRAPH .here '6'. or --n", "commas")),
    *(Case(f"{command} {option} {value}", f"{command} {option} {value}", 2, err=f"{option}\\b.*{wrong}", env=NO_GPU)
      for command in ("", "gen -o g.bin", "reduce", "ladder", "grade .") for option in ("--n", "--sizes")
      for value, wrong in BAD_RANGES.items() if value != "0:10:0" or not command or "gen" in command),
    Case("gen of several sizes", "gen --n 5,6 -o g.bin", 2, err="one graph.*one number.*not 2"),
    Case("distances of several sizes", "--n 5:7:1 -o d.npy", 2, err="-o .*one graph.*not 3"),
    *(Case(f"{option} without --n", f"{{data}}/tiny.el {option}", 2, err=(option.split()[0], "--n"))
      for option in ("--family ring", "--seed 1", "--range 9", "--degree 2")),
    Case("unknown family", "--n 3 --family zz", 2, err=("zz", *FAMILIES)),
    Case("unknown kernel", "--n 3 --device cpu --kernel zz", 2, err=("zz", "apsp", "ref")),
    Case("unknown dtype", "--n 3 --dtype i16", 2, err=("i16", "auto", "i32", "f32", "i64", "f64")),
    Case("real distances as bin", f"g.el {CPU} -o d.bin", 2, err=(r"d\.bin", "real", r"\.npy .*\.tsv"),
         files={"g.el": "0 1 0.5\n"}),
    Case("real graph as bin", "convert g.el g.bin", 2, err=(r"g\.bin", "real", "mtx npy el"), files={"g.el": "0 1 0.5\n"}),
    Case("generated real graph as gr", "gen --n 5 --dtype f32 -o g.gr", 2, err=(r"g\.gr", "real", "mtx npy el")),
    Case("empty kernel", "--n 3 --device cpu --kernel ''", 2, err="kernel"),
    Case("unknown device", "--n 3 --device tpu", 2, err=("tpu", "auto", "gpu", "cpu")),
    *(Case(f"precision {value!r}", f"--n 3 --precision {shlex.quote(value)}", 2, err=("precision", "auto", "16", "32", "64"))
      for value in ("8", "", "float")),
    Case("--precision 64 of i32", f"--n 3 --precision 64 {CPU}", 2, err="--precision 64 has no effect on i32 weights, only on i64"),
    Case("--precision 64 of ref", f"--n 3 --dtype f64 --kernel ref --precision 64 {CPU}", 2, err="no effect on the kernel ref"),
    Case("--precision 64", f"--n 3 --dtype f64 --precision 64 {CPU} --verify", out=r"(?m)f64 weights[^$]*^apsp +f64 "),
    Case("narrowed", f"--n 3 --dtype i64 {CPU} --verify", out=r"i64 weights[^$]*\n +solved as int32, which is exact"),
    Case("range of i32", "--n 3 --range 1073741823", 2, err="--range 1073741823: .* at most 1073741822, or --dtype i64"),
    Case("range of i64", f"--n 9 --range {2**61} --dtype i64 {CPU} --verify", out=r"(?m)^apsp +i64 .* ref$"),
    Case("64 bits by a file", f"g.el {CPU}", files={"g.el": f"0 1 {2**40}\n"}, out=r"i64 weights[^$]*\n +i64 by the file's numbers"),
    Case("reals by a file", f"g.el {CPU}", files={"g.el": "0 1 0.1\n"}, out=r"f64 weights[^$]*\n +f64 by .*--dtype f32"),
    Case("reals as asked for", f"g.el --dtype f64 {CPU}", files={"g.el": "0 1 0.1\n"}, out=r"(?s)\A((?!by the file).)*\Z"),
    Case("a path of int64", "path g.el 0 2", files={"g.el": f"0 1 {2**61}\n1 2 {2**60 + 1}\n"},
         out=f"length {2**61 + 2**60 + 1}, 2 edges\n  0 -> 1  {2**61}\n  1 -> 2  {2**60 + 1}\n"),
    Case("no --precision to gen", "gen --n 3 -o g.bin --precision 16", 2, err="--precision"),
    Case("unknown format", "{data}/tiny.el --format zz", 2, err=("zz", "npy")),
    Case("unknown oracle", "{data}/tiny.el --verify=zz", 2, err=("zz", "ref", "dijkstra")),
    Case("no rows", "{data}/tiny.el --verify=dijkstra:0", 2, err="dijkstra:0"),
    Case("rows that are no number", "{data}/tiny.el --verify=dijkstra:1e3", 2, err="1e3"),
    Case("unknown extension of the graph", "g.zz", 2, err=("g.zz", "--format", "npy"), files={"g.zz": "0 1 1\n"}),
    Case("graph of unknown extension", "./g.xyz", 2, err="--format", files={"g.xyz": "0 1 1\n"}),
    Case("help names the first bytes", "--help", out=r"by\s+its\s+first\s+bytes"),
    Case("unknown extension of the distances", "--n 3 -o d.zz", 2, out=r"\A\Z",
         err=(r"d\.zz", r"\.npy", r"\.bin", r"\.tsv")),
    Case("unknown extension of gen", "gen --n 3 -o g.zz", 2, err=r"g\.zz.*--to.* el"),
    Case("unknown extension of convert", "convert {data}/tiny.el g.zz", 2, err=r"g\.zz.*--to.* el"),
    Case("gen without --n", "gen -o g.bin", 2, err="--n"),
    Case("gen without -o", "gen --n 3", 2, err="output"),
    Case("info without GRAPH", "info", 2, err="GRAPH"),
    Case("report of nothing", "report", 2),
    *(Case(f"compare --fail-slower {value!r}", f"compare a b --fail-slower {shlex.quote(value)}", 2, err="--fail-slower")
      for value in BAD_NUMBERS),
    Case("compare with nothing", "compare a.csv", 2, err="B"),
    Case("compare three", "compare a b c", 2, err="'c'"),
    Case("missing file to compare", "compare nosuch.csv nosuch.csv", 3, err="nosuch.csv"),
    Case("--plan without --record", "--n 3 --plan", 2, err="--record"),
    Case("unknown kernel in a plan", "--n 3 --record rec --plan --kernel ref,zz", 2, err="zz"),
    *(Case(f"ladder --sizes {value!r}", ["ladder", "--sizes", value], 2, err="--sizes.*whole number")
      for value in ("", ",", "0", "1000,x", "10 -5", "1e3", str(2**31))),
    Case("a report that there is not", "ladder --report F", 2, err="no report 'F'.*A, B, C, D", env=NO_GPU),
    Case("which report is which", "ladder --help", out=r"A, several tiles per block; B, tiles in shared memory; C, entries in registers; D, batches of tiles \[all\]\. "
         "The fifth, E, is apsp reduce".replace(" ", r"\s+")),
    Case("the report about a sum", "ladder --report A,E", 2, err="apsp reduce"),
    Case("the recorded ladder where there is no GPU", "ladder --report B --sizes 1000,2500,33", 4, err=r"\Aapsp: no GPU: ", env=NO_GPU,
         out=(r"\ARecorded on an NVIDIA H100.*, not here:\n  b1 .*\n\nn = 1000 (?s:.*)\nn = 2500 ", r"(?m)^ref +\d+\.\d+ .* dijkstra:16\nap.* ref\nB:\nb1 +\d+\.\d+ .* ref\n\Z")),
    *(Case(f"no recorded ladder {how}", f"ladder {how}", 4, err=r"\Aapsp: no GPU: ", out=r"\A\Z", env=NO_GPU)
      for how in ("--quiet", "--csv -", "--sizes 33")),
    Case("the recorded sums where there is no GPU", "reduce", 4, err=r"\Aapsp: no GPU: ", env=NO_GPU,
         out=(r"\ARecorded on an NVIDIA H100.*, not here:\n\nn = 268,435,456, 1\.07 GB; a copy moves ", r"(?m)^e1 .* exact\n(^e[2-8] .* exact\n){7}^cub .* exact$", "launches and all")),
    *(Case(f"no recorded sums {how}", f"reduce {how}", 4, err=r"\Aapsp: no GPU: ", out=r"\A\Z", env=NO_GPU)
      for how in ("--quiet", "--csv -", "--n 33")),
    Case("ladder of a graph", "ladder {data}/tiny.el", 2, err=r"tiny\.el"),
    Case("a word of no meaning", "zzz", 2, err=("zzz", "file", *SUBCOMMANDS)),
    Case("a word of no meaning with options", f"chekc {CPU}", 2, err=("chekc", "file", "subcommand")),
    Case("missing file to convert", "convert nosuch.el g.bin", 3, err="nosuch.el"),
    Case("missing file to report", "report nosuch", 3, err="nosuch"),
    Case("GRAPH before a subcommand", "{data}/tiny.el info", 2, err="info.*subcommand"),
    Case("subcommand after another", "info {data}/tiny.el gen", 2, err="gen"),
    Case("subcommand after the solver's options", "--n 3 info {data}/tiny.el", 2, err="info|subcommand"),
    Case("two graphs", "{data}/tiny.el {data}/tiny.gr", 2, err=r"tiny\.gr"),
    Case("word after completion", "completion x", 2, err="x"),
    Case("file named like a subcommand", f"./info --format el {CPU}", files={"info": "0 1 5\n"}, out="2 vertices"),
    Case("file named like a subcommand to a subcommand", "info info --format el", files={"info": "0 1 5\n"},
         out="vertices +2"),
    Case("--verify takes no word", f"--verify {{data}}/tiny.bin {CPU}", out=r"6 vertices[^$]* ref\n"),
    Case("--verify=dijkstra", f"{{data}}/tiny.bin --verify=dijkstra {CPU}", out="dijkstra:6"),
    Case("--verify dijkstra", f"{{data}}/tiny.bin --verify dijkstra {CPU}", out="dijkstra:6"),
    Case("--verify dijkstra:4", f"--verify dijkstra:4 {{data}}/tiny.bin {CPU}", out="dijkstra:4"),
    Case("--verify ref", f"--verify ref {{data}}/tiny.bin {CPU}", out=r"6 vertices[^$]* ref\n"),
    Case("--verify at the end", f"{{data}}/tiny.bin {CPU} --verify", out=r" ref\n"),
    Case("--verify ref beside a file ref", f"--verify ref {CPU}", 2, err=r"--verify ref means the oracle.*\./ref",
         files={"ref": "0 1 5\n"}),
    Case("--verify with a mistyped oracle", "--verify djikstra:4 {data}/tiny.bin", 2, err="did you mean 'dijkstra'"),
    Case("--verify with a file like an oracle", f"--verify ./dijkstr --format el {CPU}", out="2 vertices",
         files={"dijkstr": "0 1 5\n"}),
    Case("-V", "-V", out=r"\A(apsp )?\d+\.\d+\.\d+ \("),
    Case("-q", f"{{data}}/tiny.bin -q {CPU}", out=r"\A\Z"),
    *(Case(f"did you mean {meant}: {argv}", argv, 2, err=f"(unknown|no|neither) .*did you mean '{meant}'")
      for argv, meant in (
          ("--kernl ref", "--kernel"), ("--n 5 --verfy=ref", "--verify"), ("-kernel ref", "--kernel"),
          ("-quiet", "--quiet"), ("check --quikc", "--quick"), ("infoo {data}/tiny.el", "info"), ("chekc", "check"),
          ("--n 5 --kernel aps --device cpu", "apsp"), ("--n 5 --family rign", "ring"), ("gen --nn 5 -o g.gr", "--n"),
          ("{data}/tiny.el --format npyy", "npy"), ("convert {data}/tiny.el g.gr --to grr", "gr"),
          ("--n 5 --device gpuu", "gpu"), ("--n 5 --dtype f23", "f32"), ("--n 5 --precision 016", "16"),
          ("--n 5 --color alway", "always"), ("--n 3 --record rec --plan --kernel refs", "ref"))),
    *(Case(f"did you mean {meant}, an oracle", argv, 2, err=f"did you mean '{meant}'")
      for argv, meant in (("--n 5 --verify=Ref", "ref"), ("--n 5 --verify=dijkstre:4", "dijkstra"))),
    *(Case(f"nothing is like {argv}", argv, 2, err=r"(?s)\A((?!did you mean).)*\Z")
      for argv in ("--n 5 --zzzzzz", "--n 5 --family zzz", "--n 5 --device tpu", "--n 5 --kernel zz --device cpu")),
    Case("another command's option", "--n 5 --witness d", 2, err="'--witness': it belongs to apsp check"),
    *(Case(f"no effect: {argv}", argv, 2, err=f"{argv.split()[at]} has no effect on .*leave it out")
      for at, argv in (
          (1, "{data}/tiny.gr --base 1"), (1, "{data}/tiny.npy --vertices 6"), (1, "{data}/tiny.bin --skip-lines 1"),
          (2, "info {data}/tiny.gr --base 0"), (3, "convert {data}/tiny.gr g.bin --vertices 6"),
          (2, "--n 5 --base 1"), (2, "--n 5 --format el"), (2, "--n 5 --degree 3"),
          (7, "gen --n 5 -o g.gr --family ring --seed 2"),
          (4, "--n 5 --family zero --range 9"), (1, "{data}/tiny.el --family ring"),
          (4, "--n 5 --device cpu --no-symmetry"),
          (6, "--n 5 --device cpu --kernel ref,apsp --no-skip"), (6, "--n 5 --dtype f32 --device cpu --precision 32"),
          (4, "--n 5 --device cpu --time-limit 3"), (2, "check --quick --time-limit 3"))),
    Case("16 bits of a CPU", "--n 5 --device cpu --precision 16", 2,
         err=r"--precision 16 has no effect on the kernel apsp \(cpu\), only on apsp \(gpu\): leave it out"),
    Case("32 bits of ref", "--n 5 --device cpu --kernel ref --precision 32", 2,
         err=r"--precision 32 has no effect on the kernel ref \(cpu\), only on apsp: leave it out"),
    Case("check on two devices", "check --host --device gpu", 2, err="--host"),
    Case("no value", "--n 5 --seed", 2, err="--seed: its value is missing"),
    Case("a value twice", "--n 5 --n 6", 2, err="--n: given more than once"),
    Case("--verify=dijkstra:4", f"{{data}}/tiny.bin --verify=dijkstra:4 {CPU}", out="dijkstra:4"),
    Case("nothing to time", f"--n 0 {CPU}", out=r"not verified\n  nothing to time: the graph has no vertices\n\Z"),
    Case("each size once", f"--n 9,5,9 {CPU}", out=r"n = 9, 5, i32 weights"),
    Case("not verified", f"{{data}}/tiny.bin {CPU}", out=r"(?m)^apsp .*not verified$"),
    Case("quiet", f"{{data}}/tiny.bin --quiet {CPU}", out=r"\A\Z"),
    Case("version", "--version", out=r"\A(apsp )?\d+\.\d+\.\d+ \(revision [0-9a-f]{12}"),
    Case("kernels", "--list-kernels", out=r"(?m)(^apsp +cpu .* src/\S+\n)^ref +cpu .* src/\S+$"),
    *(Case(f"{argv} prints nothing", argv + " --quiet", files={"g.el": "0 1 4\n1 2 5\n"}, left=left, out=r"\A\Z")
      for argv, left in (("info g.el", ()), ("path g.el 0 1", ()), ("convert g.el h.gr", "h.gr"),
                         ("gen --n 5 -o h.gr", "h.gr"))),
    Case("speedup", f"--n 40 --kernel ref,apsp --verify {CPU}",
         out=r"speedup.*\nref .* 1\.00x +dijkstra:16\napsp .* [\d.]+x +ref\n"),  # ref is never its own oracle
)
class CommandLine(Suite):
    def test_options_without_effect_are_notes_in_portable_scripts(self):
        for argv, notes in (("--precision 16", ["--precision 16 has no effect on the kernel apsp (cpu), only on apsp (gpu)"]),
                            ("--no-skip --no-symmetry", [f"--no-{what} has no effect on the kernel apsp (cpu), only on apsp (gpu)"
                                                         for what in ("symmetry", "skip")]),
                            ("--gpus 2 --grid 1x2 --verbose", [f"{flag} has no effect on the CPU, only on GPUs"
                                                               for flag in ("--gpus", "--grid", "--verbose")])):
            self.apsp(f"--n 5 {CPU} {argv}", 2, err="leave it out")
            said = self.apsp(f"--n 5 {CPU} {argv} --portable")
            self.assertEqual(re.findall("(?m)^Note: (.*)", said), notes)
            self.assertTrue(said.startswith("Note: "))
        self.apsp(f"--n 2 {CPU} --portable --no-skip -o -", err="apsp: --no-skip has no effect", out=r"\A\d+\t\d+\n\d+\t\d+\n\Z")
        self.apsp(f"--n 5 {CPU} --portable --time-limit 3", 2, err="--time-limit has no effect")

    def test_32_bits_on_a_cpu(self):
        """They are taken where 16 are exact, so that they can be measured. The distances are the same."""
        for method in ("filtered", "dense", "sparse"):
            for precision, tiers in (("auto", ("uint16", "int32")), ("32", ("int32", "int32"))):
                with self.subTest(method=method, precision=precision):
                    record, = self.records(f"--n 300 --range 1000 --method {method} --precision {precision} --verify {CPU}")
                    self.assertEqual((record["tier"], record["precision"]), (tiers[method != "filtered"], precision))
                    self.assertEqual(record["solved_by"], method)
        self.put("half.el", "0 1 .5\n1 2 .25\n2 0 1\n")
        self.put("third.el", "0 1 .5\n1 2 .3333\n2 0 1\n")
        self.apsp(f"half.el --precision 32 {CPU} --verify", out="solved as int32")
        self.apsp(f"third.el --precision 32 {CPU}", 2, err="32 bits are too few for these f64 weights: ask for 64, or for none")

    def test_help_fits_the_terminal_and_groups_options(self):
        for argv in ("--help", *(f"{s} --help" for s in SUBCOMMANDS)):
            wide = [line for line in self.apsp(argv).splitlines() if len(line) > 80]
            self.assertEqual(wide, [], argv)
        self.assertRegex(self.apsp("--help"), "(?ms)" + ".*".join(
            f"^{heading}\\b" for heading in ("Usage", "Examples", "Subcommands", "Graph file", "Generated graph", "Solving",
                                            "Measuring", "Output", "Graph families", "Exit codes")))
        self.assertEqual(self.apsp("--help gen"), self.apsp("gen --help"))
        self.assertRegex(self.apsp("-h"), r"(?s)\n  --n N.*?\(also\s+--sizes\)\n.*\n  --kernel NAME.*?\(also\s+--kernels\)\n")

    def test_examples_in_the_help_are_taken(self):
        for subcommand in ("", *SUBCOMMANDS):
            examples = re.findall(r"(?m)^  apsp (.*?)(?: \|.*)?$", self.apsp(f"{subcommand} --help").split("Subcommands")[0])
            self.assertTrue(examples or subcommand == "completion", subcommand)
            for line in examples:  # all of it is accepted but the flag that is added here, so nothing is done
                self.assertTrue(line.startswith(subcommand), line)
                self.apsp(f"{line} --bogus", 2, err="unknown option '--bogus'")

    def test_manual_page_has_every_command_and_flag(self):
        page = self.apsp("man")
        self.assertTrue(page.isascii())
        self.assertEqual([line for line in page.splitlines() if re.match(r"\.(?!TH|SH|SS|TP|B |PP|nf|fi)|'", line)], [])
        titles = [line.replace("\\-", "-") for line in page.splitlines()]
        for subcommand in ("", *SUBCOMMANDS):
            self.assertIn(f'.SS "apsp {subcommand}"' if subcommand else '.SH "EXIT STATUS"', titles)
            for flag in re.findall(r"(?m)^  (-\S+)", self.apsp(f"{subcommand} --help")):
                self.assertTrue(any(line.startswith(f'.B "{flag}') for line in titles), (subcommand, flag))
        codes = re.findall(r"=\s*(\d+),", (ROOT / "src/harness/system/exit.h").read_text())
        self.assertEqual(len(codes), 9)
        for code in codes:
            self.assertIn(f'.B "{code}"', page)
            self.assertRegex(self.apsp("--help"), f"(?m)^  {code}  ")

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_manual_page_formats_without_a_warning(self):
        done = subprocess.run("groff -man -Tutf8 -ww -rLL=80n".split(), input=self.apsp("man"), capture_output=True,
                              text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout)
        self.assertIn("0→1→…→n−1", text)
        self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])

    def test_install(self):
        done = install(f"DESTDIR={self.dir}", "PREFIX=/usr")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        man, completion = self.dir / "usr/share/man/man1/apsp.1", self.dir / "usr/share/bash-completion/completions/apsp"
        self.assertEqual(man.read_text(), self.apsp("man"))
        self.assertEqual(subprocess.run([self.dir / "usr/bin/apsp", "--version"], capture_output=True, text=True).stdout,
                         self.apsp("--version"))
        self.assertLessEqual({"gen", "info"}, self.complete(f"source {completion}", "apsp", ""))

    def test_completion_names_every_option(self):
        script = self.apsp("completion")
        subprocess.run(["bash", "-n"], input=script.encode(), check=True)
        self.assertEqual(self.complete(script, "apsp", ""), self.complete(script, "apsp", "") | set(SUBCOMMANDS))
        for subcommand in ("", *SUBCOMMANDS):
            options = set(re.findall(r"--[a-z][a-z-]*", self.apsp(f"{subcommand} --help")))
            named = self.complete(script, *f"apsp {subcommand}".split(), "--")
            listed = re.findall(r"(?m)^ +(?:-\w,)?(--[a-z-]+)", self.apsp(f"{subcommand} --help"))
            self.assertLessEqual(set(listed), named, subcommand)
            self.assertLessEqual(named, options | {"--help"}, subcommand)
        self.assertEqual(self.complete(script, "apsp", "gen", "--family", ""), {*FAMILIES, *NEGATIVE})
        self.assertEqual(self.complete(script, "apsp", "--family", "ri"), {"ring", "ring-back"})
        for option in ("--kernel", "--kernels"):
            self.assertLessEqual({"apsp", "ref"}, self.complete(script, "apsp", option, ""))

    def complete(self, script, *line):
        """What bash offers after this command line."""
        typed = " ".join(map(shlex.quote, line))
        run = f"{script}\nCOMP_WORDS=({typed}); COMP_CWORD={len(line) - 1}; _apsp; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-c", run], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_completion_of_values(self):
        script = self.apsp("completion")
        for name in ("mine.cu", "graph.bin", "ref.so"):
            self.put(name, "")
        for line, offered in (
                ("apsp --kernel re", {"ref", "ref.so"}), ("apsp --kernel m", {"mine.cu"}),
                ("apsp check --kernel ref,ap", {"ref,apsp"}), ("apsp --kernel ref,./m", {"ref,./mine.cu"}),
                ("apsp --kernel=re", {"--kernel=ref", "--kernel=ref.so"}), ("apsp --kernel = ref,ap", {"ref,apsp"}),
                ("apsp --verify=d", {"--verify=dijkstra", "--verify=dijkstra:"}), ("apsp --verify = r", {"ref"}),
                ("apsp --verify =", {"ref", "apsp", "dijkstra", "dijkstra:", "bellman", "bellman:"}),
                ("apsp --verify d", {"dijkstra", "dijkstra:"}),
                ("apsp --verify g", {"graph.bin"}), ("apsp --dtype=", {f"--dtype={name}" for name in ("auto", "i32", "f32", "i64", "f64")}),
                ("apsp --device = g", {"gpu"}), ("apsp check --contract g", {"general"}), ("apsp --reps ''", set()),
                ("apsp --color=n", {"--color=never"}), ("apsp -o g", {"graph.bin"}), ("apsp info g", {"graph.bin"})):
            with self.subTest(line):
                self.assertEqual(self.complete(script, *shlex.split(line)), offered)

    def test_colours_only_on_a_terminal_that_wants_them(self):
        self.assertIn("\x1b[32mref\x1b[0m", self.on_terminal({}))
        self.assertIn("\x1b[", self.on_terminal({"NO_COLOR": ""}))
        for env, options in (({"NO_COLOR": "1"}, ""), ({"TERM": "dumb"}, ""), ({}, "--color never")):
            self.assertNotIn("\x1b", self.on_terminal(env, options))
        self.assertIn("\x1b[32m", self.on_terminal({"NO_COLOR": "1"}, "--color always"))
        piped = self.popen(f"--n 5 --verify --color=always {CPU}").communicate()[0]
        self.assertIn(b"\x1b[32mref\x1b[0m", piped)

    def test_colours_of_wrong_results(self):
        self.library("wrong.so", "if (n > 1) g[1] = 7;")
        def coloured(argv):
            return self.popen(f"{argv} --color always").communicate()[0].decode()
        red = "\x1b[31m{}\x1b[0m".format
        self.assertIn(red("WRONG"), coloured(f"--n 9 --kernel ./wrong.so --verify {CPU} --csv c.csv"))
        self.assertIn(red("WRONG"), coloured("report c.csv"))
        self.assertIn("\x1b[31mWRONG", coloured("compare c.csv c.csv"))  # with an asterisk on a busy machine
        self.assertNotIn("\x1b", coloured("report c.csv --markdown"))
        self.assertNotIn(b"\x1b", (self.dir / "c.csv").read_bytes())
        self.assertIn(red("FAILED"), coloured("check --kernel ./wrong.so --quick --device cpu"))
        self.assertIn("\x1b[32mAll ", coloured("check --quick --device cpu"))
        self.assertIn("\x1b[31m", coloured("grade . --host --sizes 20"))

    def test_ascii_without_utf8(self):
        (self.dir / "d").mkdir()
        self.put("d/gräph.el", "0 1 5\n")
        for env in ({"LC_ALL": "C"}, {"LC_ALL": "", "LC_CTYPE": "POSIX"}, {"LANG": ""}, {"LANG": "de_DE.ISO-8859-1"}):
            for argv in ("--help", "gen --help", f"--n 9 --dtype f32 --verify {CPU}", f"d/gräph.el {CPU}"):
                self.assertTrue(self.apsp(argv, env=env).isascii(), (argv, env))
        self.apsp("nosuch–graph.el", 3, err=r"apsp: nosuch-graph\.el", env={"LC_ALL": "C"})
        help = self.apsp("--help", env={"LC_ALL": "C"})
        self.assertIn("0->1->...->n-1", help)
        self.assertLessEqual(max(map(len, help.splitlines())), 80)
        self.assertIn("0→1→…→n−1", self.apsp("--help", env={"LC_ALL": "en_US.utf8"}))
        self.apsp(f"--n 9 --dtype f32 --verify {CPU} --csv c.csv", left="c.csv", env={"LC_ALL": "C"}, out=r"ref\+-")
        self.assertIn("ref±", (self.dir / "c.csv").read_text("utf-8"))

    def test_tables_fit_the_terminal(self):
        path = "hand-ins/of/students/in/the/winter/of/this/year/group-17/mueller.so"
        (self.dir / path).parent.mkdir(parents=True)
        self.library(path, f"{SOLVE} if (n > 1000) g[1] = 0;")
        self.library("wrong.so", "if (n > 1) g[1] = 7;")
        shutil.copy(self.dir / "wrong.so", self.dir / path.replace("mueller", "wrong"))
        content = hashlib.sha256((self.dir / path).read_bytes()).hexdigest()
        self.put("g/eve.cpp", "int x\n")
        self.put("one-way.el", "".join(f"{i} {i + 1} 0\n" for i in range(1, 9)))
        solve = f"--n 5,20,100 --kernel ref,apsp,{path} --verify --device cpu --reps 100"
        for argv, code, kept in ((solve, 0, "/mueller.so "), (f"{solve} --record rec", 0, "/mueller.so "),
                                 (f"{solve} --record rec", 0, "/mueller.so "), ("report rec", 0, f"/mueller.so {content[:8]} ms "),
                                 ("--n 400 --family grid --method sparse --device cpu --reps 5 --summary s.csv -o d.npy", 0, "sparse: "),
                                 ("one-way.el --device cpu", 0, "--undirected"), ("--list-kernels", 0, "src/engine/"),
                                 ("grade g --host --sizes 20 --check-only", 0, "does not compile"),
                                 (f"check --quick --host --kernel {path.replace('mueller', 'wrong')}", 1, "/wrong.so on")):
            shown = re.sub(r"\r\x1b\[K[^\r]*|\x1b\[[\d;]*m", "", self.on_terminal({}, argv=argv, columns=80, code=code))
            self.assertIn(kept, shown)
            # A command to be pasted and an error are as long as they are; files are named whole.
            wide = [line for line in shown.split("\r\n") if len(line) > 80 and "--verify" not in line and
                    not line.startswith("apsp: ")]
            self.assertEqual(wide, [], argv)

    def on_terminal(self, env, options="", argv=f"--n 5 --verify {CPU}", columns=0, code=0):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        process = self.popen(f"{argv} {options}", env, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        try:
            while True:
                shown += os.read(ours, 4096) or b""
        except OSError:  # EIO: the other side is closed
            os.close(ours)
        self.assertEqual(process.wait(60), code, shown)
        return shown.decode()


# ---- formats -----------------------------------------------------------------------------------------------

def hash_of(text):
    return re.search(r"(?m)^hash +([0-9a-f]{16})$", text).group(1)


# What written_by_others() runs with a Python that has both packages.
WRITE_AS_OTHERS = r"""
import json, sys
try:
    import igraph, networkx as nx
except ImportError:
    sys.exit(77)
written = {}


def note(file, graph, names=None):
    ways = dict(nx.all_pairs_dijkstra_path_length(graph))
    names = [str(name) for name in (names or graph)]
    written[file] = {"directed": graph.is_directed(), "names": names,
                     "distances": [[ways[u].get(v) for v in graph] for u in graph]}


NAMES = ["a b", "c\"q", "d'e", "x&y", "\u00e4", "alone x", "alone"]
LINKS = [(0, 1, 2.5), (1, 2, 1), (2, 0, 4), (2, 3, 7.25), (3, 4, 2), (1, 4, 30)]
for directed in (False, True):
    for weighted, parallel in ((False, False), (True, False), (True, True)):
        for links in (LINKS + [(0, 1, 0.5)] * parallel, [])[:2 - parallel]:
            kind = nx.MultiDiGraph if directed and parallel else nx.DiGraph if directed \
                else nx.MultiGraph if parallel else nx.Graph
            numbered = kind()
            numbered.add_nodes_from(range(len(NAMES)))
            for u, v, w in links:
                numbered.add_edge(u, v, **({"weight": w} if weighted else {}))
            graph = nx.relabel_nodes(numbered, dict(enumerate(NAMES)))
            plain = nx.relabel_nodes(numbered, dict(enumerate("abcdefg")))
            bare = kind(plain.edges())
            bare.add_nodes_from(plain)
            end = f"{'d' * directed}{'w' * weighted}{'p' * parallel}{'e' * bool(links)}"
            nx.write_gml(graph, f"nx {end}.gml")
            nx.write_gexf(graph, f"nx{end}.gexf")
            nx.write_pajek(nx.relabel_nodes(graph, {NAMES[1]: "cq"}), f"nx{end}.net")
            nx.write_adjlist(plain, f"nx{end}.adjlist")
            note(f"nx {end}.gml", graph)
            note(f"nx{end}.gexf", graph)
            note(f"nx{end}.net", graph, ["cq" if name == NAMES[1] else name for name in graph])
            note(f"nx{end}.adjlist", bare)
            if links:
                nx.write_multiline_adjlist(graph, f"lines{end}.adjlist")
                note(f"lines{end}.adjlist", graph)
            for names in (None, NAMES, ["a", *NAMES[1:-1], "a"])[:3 if weighted else 1]:
                other = igraph.Graph(n=len(NAMES), edges=[link[:2] for link in links], directed=directed)
                if weighted:
                    other.es["weight"] = [link[2] for link in links]
                if names:
                    other.vs["name"] = names
                once = names and len(set(names)) == len(names)
                for format in ("gml", "graphml", "net"):
                    file = f"igraph{end}{'n' * bool(names)}{'t' * (not once)}.{format}"
                    getattr(other, "write_pajek" if format == "net" else f"write_{format}")(file)
                    first = 1 if format == "net" else 0
                    keys = [f"{'n' * (format == 'graphml')}{v + first}" for v in range(len(NAMES))]
                    shown = once and (format != "net" or '"' in open(file).read())  # igraph 0.10 leaves them out
                    note(file, numbered, names if shown else keys)
print(json.dumps(written))
"""


TRIPS = 'id;from;to;"k m";minutes\n1;New York;"Boston; MA";9;3,5\n2;"Boston; MA";Rome;8;4\n'
TRIP = {"g.csv": TRIPS}
COMMAS = {"g.csv": '"Smith, J","O""Neil",3\n"O""Neil",Ann,4\n'}
MATRIX = {"g.csv": ",a b,c\na b,0,-1\nc,6.5,0\n"}


@table(
    *(Case(f"columns {columns} {more}", f"g.csv {CPU} --labels --columns '{columns}' {more} -o d.npy", left=("d.npy", "d.npy.ids"),
           files=TRIP, distances=[[0, a, a + b], [INF, 0, b], [INF, INF, 0]])
      for columns, more, a, b in (("from,to,k m", "", 9, 8), ("2,3,4", "", 9, 8), ("from,to", "--weight 'k m'", 9, 8), ("from,to", "", 1, 1))),
    Case("decimal commas", f"g.csv {CPU} --labels --columns from,to,minutes --decimal comma --sources 'New York' --targets Rome --dtype f32 -o d.tsv",
         left="d.tsv", files=TRIP, out="f32 weights"),
    Case("decimal commas without the flag", f"g.csv {CPU} --labels --columns from,to,minutes", 3, files=TRIP, err="g.csv:2: .*'3,5': .*--decimal comma"),
    Case("csv on standard input", f"- --format csv {CPU} --labels --columns 2,3,4 -o d.npy", left=("d.npy", "d.npy.ids"), stdin=TRIPS.encode(),
         distances=[[0, 9, 17], [INF, 0, 8], [INF, INF, 0]]),
    Case("tsv on standard input", f"- --format tsv {CPU} --labels -o d.npy", left=("d.npy", "d.npy.ids"), stdin=b"A, B\tc d\t5\n",
         distances=[[0, 5], [INF, 0]]),
    Case("blanks in an edge list on standard input", f"- --format el {CPU} --labels", 3, stdin=b"A B,c,5\n", err="blanks within 'A B'"),
    Case("a list of one column", "info g.csv --columns from", 2, files=TRIP, err="--columns 'from': expected .*from,to,minutes"),
    Case("two weights", "info g.csv --columns 1,2,3 --weight 4", 2, files=TRIP, err="--columns names the weight.*leave out --weight"),
    *(Case(f"{option} of another format", f"info {{data}}/tiny.gr {option}", 2, err=f"tiny.gr: {option.split()[0]} has no effect on the format gr.*leave it out")
      for option in ("--weight length", "--unweighted", "--columns 1,2", "--decimal comma", "--labels")),
    Case("--weight of a matrix", "info {data}/tiny.npy --weight x", 2, err="--weight has no effect on the format npy"),
    Case("--weight and --unweighted", "info g.csv --weight x --unweighted", 2, files=TRIP, err="--weight excludes --unweighted|--unweighted excludes --weight"),
    Case("names in the records", f"g.csv --labels --columns from,to --weight 'k m' {CPU}", files=TRIP, out="graph +g.csv labels weight=k m columns=from,to"),
    Case("a matrix as text", f"g.csv --format matrix {CPU} -o d.npy", left=("d.npy", "d.npy.ids"), files=MATRIX,
         out=r"1 entry -1 off the diagonal.*--negative", distances=[[0, float("inf")], [6.5, 0]]),
    Case("decimal commas of a matrix as text", f"g.csv --format matrix --decimal comma {CPU} -o d.npy", left="d.npy",
         files={"g.csv": "0,00;1,50;2,25\n1,50;0,00;4,75\n2,25;4,75;0,00\n"}, distances=[[0, 1.5, 2.25], [1.5, 0, 3.75], [2.25, 3.75, 0]]),
    Case("edges that --unweighted makes no matrix", f"g.csv --unweighted {CPU}", files={"g.csv": "0,1,5\n1,0,7\n"}),
    Case("zeros of a matrix as text", f"g.csv --format matrix {CPU}", files={"g.csv": "0 0\n6 0\n"}, err="warning: g.csv: 1 zero off .*--zero"),
    Case("no edges of a matrix as text", f"g.csv --format matrix --zero no-edge {CPU} -o d.npy", left="d.npy", files={"g.csv": "0 0\n6 0\n"},
         distances=[[0, INF], [6, 0]]),
    Case("bool and --zero edge", "info g.npy --zero edge", 2, files={"g.npy": npy("|b1", "<4?", *[False] * 4)}, err="False is no edge: leave out --zero edge"),
    Case("names in quotes", f"g.csv {CPU} --labels --sources 'Ann,\"Smith, J\"' --targets 'Ann,\"O\"\"Neil\"' -o d.npy",
         left="d.npy", files=COMMAS, distances=[[0, INF], [7, 3]]),
    Case("a name in quotes that is like a file's", f"g.csv {CPU} --labels --sources '\"St. Gallen\"' --targets '\"Rome\"' -o d.npy",
         left="d.npy", files={"g.csv": "St. Gallen,Rome,5\n"}, distances=[[5]]),
    Case("names of a file", f"g.csv {CPU} --labels --sources s -o d.npy", left=("d.npy", "d.npy.ids"),
         files={**COMMAS, "s": 'Smith, J\n"O""Neil" Ann # both\n'}, distances=[[0, 3, 7], [INF, 0, 4], [INF, INF, 0]]),
    Case("an open quote in a file", f"g.csv {CPU} --labels --sources s", 3, files={**COMMAS, "s": '"Ann\n'}, err="s:1: a quote is not closed"),
    Case("pairs in quotes", "path g.csv --labels --pairs p", files={**COMMAS, "p": '"Smith, J",Ann\n"Smith, J" Ann\nAnn;O"Neil\n'},
         out=r"\A(Smith, J -> Ann: length 7, 2 edges\n.*\n.*\n){2}Ann -> O\"Neil: no path\n\Z"),
    Case("pairs of names with blanks", "path g.csv --labels --columns 2,3,4 --pairs p", files={**TRIP, "p": 'New York,"Boston; MA"\nNew York\tRome\n'},
         out=r"\ANew York -> Boston; MA: length 9, 1 edge\n.*\nNew York -> Rome: length 17"),
    Case("pairs of names with commas", "path g.el --labels --pairs p", files={"g.el": '"a,b" c 5\n', "p": "a,b c\n"}, out="a,b -> c: length 5"),
    Case("pairs of numbers", "path {data}/tiny.gr --pairs p", files={"p": "0,3\n3; 2\n"}, out=r"\A0 -> 3: length 5, 3 edges .*\n[^$]*3 -> 2: length 5"),
    Case("blanks after pairs", "path {data}/tiny.gr --pairs p", files={"p": "0 1\t\n0\t1\t \n"}, out=r"\A(0 -> 1: length 5[^$]*){2}\Z"),
    Case("a name like a comment, written in quotes", f"g.el --labels {CPU} --long -q -o d.csv", files={"g.el": '"#q" a 5\n'},
         left="d.csv"),
    Case("pairs that are none", "path g.csv --labels --pairs p", 3, files={**COMMAS, "p": "Ann\n"}, err="p:1: expected FROM TO, found 'Ann': .*quotes"),
    Case("ends in quotes", ["path", "g.csv", "--labels", '"Smith, J"', "Ann", "Smith, J", '"O""Neil"'], files=COMMAS,
         out=r"\ASmith, J -> Ann: length 7[^$]*Smith, J -> O\"Neil: length 3"),
)
class Formats(Suite):
    def tiny(self):
        """{name: arguments} of the tiny graph, as data/ has it and as users' files vary."""
        el = (DATA / "tiny.el").read_text()
        self.put("crlf.el", el.replace("\n", "\r\n"))
        self.put("bom.txt", "\ufeff" + el)
        self.put("blank.tsv", "\n" + el.replace(" ", "\t").rstrip("\n").replace("\n", "\n\n") + "\n\t\n% end")
        self.put("members.el.gz", gzip.compress(el[:80].encode()) + gzip.compress(el[80:].encode()))
        self.put("one.el", "".join(f"{u + 1} {v + 1} {w}\n" for u, v, w in self.edges()))
        self.put("big.npy", (DATA / "tiny.npy").read_bytes()[:-144].replace(b"<i4", b">i4")
                 + struct.pack(">36i", *int32((DATA / "tiny.npy").read_bytes()[-144:])))
        self.put("minus.bin", dense_bin([[-1 if w == INF else w for w in row] for row in matrix(6, self.edges())]))
        self.put("spaced name.el", el)
        given = {name: f"{DATA}/{name}" for name in TINY}
        given.update({p.name: shlex.quote(p.name) for p in self.dir.iterdir()})
        return {**given, "one.el": "one.el --base 1", "six.el": f"{DATA}/tiny.el --vertices 6"}

    def edges(self):
        return [tuple(map(int, line.split())) for line in (DATA / "tiny.el").read_text().splitlines() if line[0] != "#"]

    def test_names_like_comments_are_read_back(self):
        self.put("g.el", '"#q" %b 5\n%b "#q" 7\n'.replace("%b", '"%b"'))
        self.apsp(f"g.el --labels {CPU} -q --long -o d.csv", left=None)
        self.assertEqual((self.dir / "d.csv").read_text().splitlines()[1:], ['"#q","#q",0', '"#q","%b",5', '"%b","#q",7', '"%b","%b",0'])
        self.apsp(f"g.el --labels {CPU} -q -o m.csv", left=None)
        self.apsp("info m.csv --format matrix", out=r"vertices +2\n")

    def test_every_format_is_the_same_graph(self):
        self.assertGreaterEqual(len(TINY), 7)
        self.assertEqual(floyd_warshall(matrix(6, self.edges())), TINY_DISTANCES)
        hashes, outputs = {}, {}
        for name, arguments in self.tiny().items():
            hashes[name] = hash_of(self.apsp(f"info {arguments}"))
            self.apsp(f"{arguments} {CPU} --quiet -o out.npy", left=None)
            outputs[name] = (self.dir / "out.npy").read_bytes()
        self.assertEqual(set(hashes.values()), {hashes["tiny.bin"]}, hashes)
        self.assertEqual(set(outputs.values()), {outputs["tiny.bin"]}, outputs)
        self.assertEqual(read_npy(self.dir / "out.npy"), TINY_DISTANCES)

    def test_standard_input(self):
        for name in TINY:
            with self.subTest(name):
                kind = name.replace(".gz", "").rsplit(".")[-1]
                self.apsp(f"- --format {kind} {CPU} --quiet -o d.tsv", stdin=(DATA / name).read_bytes(), left=None)
                self.assertEqual(read_distances(self.dir / "d.tsv"), TINY_DISTANCES)

    def test_convert_each_to_each(self):
        expected = hash_of(self.apsp(f"info {DATA}/tiny.el"))
        for name, to in itertools.product(TINY, FORMATS):
            with self.subTest(name, to=to):
                self.assert_converts(f"{DATA}/{name}", to, expected)
        expected = hash_of(self.apsp(f"info {DATA}/tiny.el --undirected"))
        for name, to in itertools.product(TINY, UNDIRECTED_FORMATS):
            with self.subTest(name, to=to):
                self.assert_converts(f"{DATA}/{name} --undirected", to, expected)
                self.apsp(f"convert {DATA}/{name} g.{to} --to {to}", 2, err=rf"g\.{to}: .* 0->1 has no reverse.*--undirected")
        self.put("ones.el", re.sub(r"(?m) \d+$", "", (DATA / "tiny.el").read_text()))
        self.assert_converts("ones.el", "sg", hash_of(self.apsp("info ones.el")))
        self.apsp(f"convert {DATA}/tiny.el g.sg", 2, err=r"g\.sg: a sg file has no weights, but edge 0->1 weighs 7")
        self.put("real.el", "0 1 0.1\n1 2 16777217\n2 0 1e-40\n0 2 3.4028235e38\n")
        expected = hash_of(self.apsp("info real.el"))
        self.apsp("convert real.el real.npy", left="real.npy")
        self.apsp("convert real.npy real.mtx", left="real.mtx")
        for name, to in itertools.product(("real.el", "real.npy", "real.mtx"), ("mtx", "npy")):
            with self.subTest(name, to=to):
                self.assert_converts(name, to, expected)

    def assert_converts(self, graph, to, expected):
        self.apsp(f"convert {graph} g.{to} --to {to}", left=f"g.{to}")
        self.assertEqual(hash_of(self.apsp(f"info g.{to} --format {to}")), expected)
        (self.dir / f"g.{to}").unlink()

    def test_bin_where_both_layouts_fit(self):  # 44 bytes: n = 3 and three edges
        weights = [[0, 1, 2], [2, 0, 1], [1, 1, 0]]
        self.put("g.bin", dense_bin(weights))
        self.assertEqual(self.distances("g.bin --format bin-dense"), floyd_warshall(weights))
        self.assertEqual(self.distances("g.bin"), floyd_warshall(matrix(3, [(0, 1, 2), (2, 0, 1), (1, 1, 0)])))

    def test_vertices_without_edges(self):
        self.put("g.el", "0 1 4\n")
        self.assertEqual(self.distances("g.el --vertices 4"), matrix(4, [(0, 1, 4)]))

    def test_heavy_edges_whose_paths_are_short_enough(self):
        for edges in ([(0, 1, 10**9), (2, 3, 10**9)], [(0, 1, INF - 2), (1, 2, 1)],
                      [(0, 1, 10**9), (1, 2, 10**9), (2, 3, 10**9), (0, 2, 3), (0, 3, 5), (1, 3, 4)]):
            with self.subTest(edges):
                self.put("g.el", "".join("%d %d %d\n" % e for e in edges))
                self.assertEqual(self.distances("g.el --vertices 5"), floyd_warshall(matrix(5, edges)))

    def test_duplicates_take_the_minimum(self):
        for order in itertools.permutations(((0, 1, 5), (0, 1, 3), (0, 1, 9))):
            self.put("g.el", "".join("%d %d %d\n" % e for e in order))
            self.assertEqual(self.distances("g.el")[0][1], 3)

    def test_files_of_the_real_tools(self):
        half = (DATA / "tiny.el").read_bytes()
        half, other = half[:60], half[60:]
        tools = (("xz", ".xz", "xz -c"), ("xz", ".xz", "xz -c -T 2 --block-size=16"), ("pzstd", ".zst", "pzstd -q -c"),
                 ("zstd", ".zst", "zstd -q -c"), ("bzip2", ".bz2", "bzip2 -c"), ("gzip", ".gz", "gzip -c"))
        for tool, end, command in tools:
            symbol = {".xz": "lzma_code", ".zst": "ZSTD_decompressStream", ".bz2": "BZ2_bzDecompress"}.get(end, "")
            if shutil.which(tool) is None or not has_symbol(symbol):
                continue
            with self.subTest(command):
                def pack(data):
                    return subprocess.run(command.split(), input=data, stdout=subprocess.PIPE, check=True).stdout
                padding = bytes(4) if end == ".xz" else b""
                self.put("g.el" + end, pack(half) + padding + pack(other) + padding)
                self.assertEqual(self.distances("g.el" + end), TINY_DISTANCES)

    def test_odd_names(self):
        for name in (b"two words.el", b"a\xff\xfeb.el", 'q"\\\u00e9\u20ac.el'.encode(), b"tab\t\x01.el", b"comma,;.el",
                     b"-dash.el"):
            with self.subTest(name):
                file = os.fsdecode(name)
                self.put(file, "0 1 5\n")
                for output in (["--json", "j"], ["--csv", "c"]):
                    self.apsp(["./" + file, *CPU.split(), *output, "--quiet"], left=None)
                record, = json.loads((self.dir / "j").read_bytes())
                self.assertEqual(os.fsencode(record["input"]), b"./" + name)
                with open(self.dir / "c", "rb") as c:
                    *_, row = csv.DictReader(io.StringIO(os.fsdecode(c.read()), newline=""))
                self.assertEqual(os.fsencode(row["input"]), b"./" + name)
        self.apsp(["gen", "--n", "3", "-o", "\udcff x.bin"], left="\udcff x.bin")


FROM_ONE = "1 2 3\n2 1 3\n"
UNDIRECTED = "0 1 4\n1 2 5\n2 3 1\n3 4 2\n"  # each edge once
ZEROS = [[0, 4, 0, 0, 0], [4, 0, 5, 0, 0], [0, 5, 0, 1, 0], [0, 0, 1, 0, 2], [0, 0, 0, 2, 0]]  # 0 is no edge
UNDIRECTED_DISTANCES = [[0, 4, 9, 10, 12], [4, 0, 5, 6, 8], [9, 5, 0, 1, 3], [10, 6, 1, 0, 2], [12, 8, 3, 2, 0]]
WARNING = r"warning: g\.\w+: 12 zeros off the diagonal.*--zero no-edge.*NetworkX.*--zero edge"
HINT = "no edge has its reverse: add --undirected if the graph is undirected, else --directed\n"


def zeros(name):
    """ZEROS as a file of this name."""
    flat = list(itertools.chain(*ZEROS))
    return {"g.npy": npy("<f8", "<25d", *flat), "i.npy": npy("<i8", "<25q", *flat), "g.bin": dense_bin(ZEROS),
            "g.mtx": "%%MatrixMarket matrix array real general\n5 5\n" + "".join(f"{w}\n" for w in flat)}[name]


# ---- files that say something else than they seem to -------------------------------------------------------

NAMED = "g.csv --labels"
KM = "no column is called 'weight', but the third is '{}': give --weight NAME, or --unweighted if every edge counts 1"
CYCLE = [[0, 5, 12], [9, 0, 7], [2, 7, 0]]
CYCLE_MTX = "%%MatrixMarket matrix coordinate integer general\n% a cycle\n3 3 3\n1 2 5\n2 3 7\n3 1 2\n"
KEYS = """<graphml>{}<graph edgedefault="directed"><node id="a"/><node id="b"/>
<edge source="a" target="b"><data key="weight">2.5</data></edge></graph></graphml>"""
GRAPHML = "graphml" in FORMATS


@table(
    *(Case(f"reversed columns {names!r} {more}", f"g.csv {CPU} {more}", 3, files={"g.csv": f"{names}\n{rows}\n"},
           err=rf"g.csv:1: the columns are .* and .*, expected source and target in this order: give --columns 2,1(,3)?, or --columns 1,2")
      for names, rows, more in (
          ("to,from,km", "A,B,3", "--labels"), ("target,source,weight", "A,B,3", "--labels"), ("dst,src,w", "0,1,3", ""),
          ("head,tail,weight", "0,1,3", ""), ("to;from;minutes", "A;B;3", "--labels"), ("To_Station,From_Station,km", "A,B,3", "--labels"),
          ("node2,node1", "0,1", ""), ("v,u", "0,1", ""), ("ToNodeId\tFromNodeId", "0\t1", ""), ("to,from,km", "A,B,3", "--labels --weight km"),
          ("# to,from,km", "0,1,3", ""), ("#target source", "0 1", ""))),
    *(Case(f"columns in order {names!r}", f"g.csv {CPU} --labels -o d.npy", files={"g.csv": f"{names}\nA,B,3\n"},
           left=("d.npy", "d.npy.ids"), distances=[[0, 3], [INF, 0]])
      for names in ("from,to,km", "tail,head,weight", "node1,node2,cost", "u,v,weight", "source,dest,distance", "v1,v2,weight")),
    Case("reversed columns, picked", f"{NAMED} {CPU} --columns 2,1,3 -o d.csv", files={"g.csv": "to,from,km\nA,B,3\n"}, left="d.csv",
         out="graph"),
    *(Case(f"a third column that is no weight: {name}", f"g.csv {CPU}", 3, files={"g.csv": f"source,target,{name}\n0,1,1999\n"},
           err="g.csv:1: " + KM.format(name)) for name in ("time", "year", "edge_id", "count", "Timestamp", "road no", "linkId")),
    Case("a comment names a third column that is no weight", f"g.txt {CPU}", 3, files={"g.txt": "# source target time\n0 1 4\n"},
         err="g.txt:1: " + KM.format("time").replace("--weight NAME", "--columns 1,2,3")),
    *(Case(f"a time that counts, {more}", f"g.csv {CPU} {more} -o d.npy", files={"g.csv": "source,target,time\n0,1,7\n"}, left="d.npy",
           distances=[[0, d], [INF, 0]]) for more, d in (("--weight time", 7), ("--columns 1,2,3", 7), ("--unweighted", 1))),
    Case("the column of the weights is named", f"{NAMED} {CPU}", files={"g.csv": "from,to,road\nA,B,7\n"}, out="the weights are the column 'road'\n"),
    Case("info names the column of the weights", "info g.csv", files={"g.csv": "from,to,road\n0,1,7\n"}, out="column +the weights are the column 'road'\n"),
    *(Case(f"nothing to say about the column {name}", f"g.csv {CPU}", files={"g.csv": f"from,to,{name}\n0,1,7\n"}, out=r"\A(?![^$]*column)")
      for name in ("weight", "Cost", "distance")),
    Case("more fields than names", f"g.csv {CPU}", 3, files={"g.csv": "from,to\n1,0,1\n2,1,2\n"}, err="g.csv:2: expected 2 fields as in the header in line 1, found 3"),
    Case("fewer fields than names", f"g.csv {CPU}", 3, files={"g.csv": "from,to,weight\n0,1\n"}, err="g.csv:2: expected 3 fields as in the header in line 1, found 2"),
    Case("names of rows, as R writes them", f"g.csv --columns from,to,km {CPU}", 3, files={"g.csv": 'from,to,km\n"1",0,1,5\n'},
         err="g.csv:2: expected 3 fields as in the header in line 1, found 4"),
    Case("NA below a header", f"{NAMED} {CPU}", 3, files={"g.csv": "from,to,km\nA,B,NA\nB,C,2\n"},
         err=r"g.csv:2: edge 'A'->'B': .*'NA': leave the line out.*\n\Z"),
    Case("a word below a header", f"{NAMED} {CPU}", 3, files={"g.csv": "from,to,km\nA,B,far\n"}, err=r"'far'\n\Z"),
    *(Case(f"GraphML, weights of a key {what}", f"g.graphml {CPU}", 3, files={"g.graphml": KEYS.format(keys)},
           err="g.graphml:2: an edge has 'weight', but the key 'weight' is not declared for edges: .*--unweighted")
      for what, keys in (("of nodes", '<key id="weight" for="node" attr.name="weight"/>'), ("that nobody declares", "")) if GRAPHML),
    *(Case(f"GraphML, a key by its id, {what}", f"g.graphml {CPU} {more} -o d.npy --dtype f64", files={"g.graphml": KEYS.format(keys)},
           left=("d.npy", "d.npy.ids"), distances=[[0, d], [math.inf, 0]])
      for what, keys, more, d in (("of edges", '<key id="weight" for="edge"/>', "", 2.5), ("without weights", "", "--unweighted", 1)) if GRAPHML),
    Case("GraphML, another number of a key that nobody declares", f"g.graphml {CPU}", 3 if GRAPHML else 2,
         files={"g.graphml": KEYS.format("").replace("weight", "len")}, err="'len': give --weight|not read"),
    *(Case(f"a self-loop does not decide the type, {file}", f"{file} {CPU} -o d.npy", files={file: content}, left="d.npy",
           out="i32 weights", distances=[[0, 16777217], [INF, 0]])
      for file, content in (
          ("g.el", "0 0 0.5\n0 1 16777217\n"), ("h.el", "0 1 16777217\n1 1 5000000000\n"), ("p.el", "0 1 16777217.5\n0 1 16777217\n"),
          ("g.mtx", "%%MatrixMarket matrix array real general\n2 2\n0.5\n-1\n16777217\nnan\n"),
          ("g.npy", npy("<f8", "<4d", 0.5, 16777217, math.inf, math.nan)), ("h.npy", npy("<i8", "<4q", 2**40, 16777217, -1, 0)))),
)
class Headers(Suite):
    """Names of columns, and the weights of edges that are dropped. Each of these was misread with the exit code 0."""

    def test_the_order_of_columns_counts(self):
        self.put("g.csv", "to,from,km\nA,B,3\n")
        self.apsp(f"g.csv --labels {CPU} -q --long --columns from,to,km -o d.csv", left=None)
        self.assertEqual((self.dir / "d.csv").read_text().splitlines()[1:], ["B,B,0", "B,A,3", "A,A,0"])


@table(
    *(Case(f"Matrix Market text in {file} with {percent}", f"{file} {CPU} -q -o d.npy", files={file: CYCLE_MTX.replace("%%", percent, 1)}, left="d.npy", distances=CYCLE)
      for file in ("g.mtx", "g.txt", "g.el", "g.edges", "g.csv", "g.tsv", "g.graph") for percent in ("%%", "%")),
    Case("Matrix Market text of one percent sign and a blank", f"g.txt {CPU} -q -o d.npy", left="d.npy", distances=CYCLE,
         files={"g.txt": CYCLE_MTX.replace("%%", "% ", 1)}),
    *(Case(f"Matrix Market text of one percent sign {file or 'on standard input'}", f"{file or '-'} {CPU} -q -o d.npy", left="d.npy", distances=CYCLE,
           files={"g": CYCLE_MTX[1:]}, stdin=CYCLE_MTX[1:].encode()) for file in ("", "g")),
    Case("Matrix Market text that is said to be an edge list", f"g.txt --format el {CPU}", 3, files={"g.txt": CYCLE_MTX},
         err="g.txt: the file says that it is of the format mtx, not el: give --format mtx, or .*--skip-lines"),
    Case("options of edge lists for Matrix Market text", f"g.txt --base 1 {CPU}", 2, files={"g.txt": CYCLE_MTX}, err="--base has no effect on the format mtx"),
    Case("GraphML in a .txt", f"g.txt {CPU} --labels", 2, files={"g.txt": KEYS.format("")}, err="--labels|not read") if GRAPHML else
    Case("GraphML in a .txt", f"g.txt {CPU}", 3, files={"g.txt": KEYS.format("")}, err="g.txt"),
    *(Case(f"a file of KONECT, {kind} {more}", f"g.txt {CPU} {more}", 3, files={"g.txt": f"% {kind}\n1 2 5\n"}, err=rf"g.txt:1: .*KONECT.*{advice}.*--skip-lines 1")
      for kind, more, advice in (("sym weighted", "", "--base 1 --undirected"), ("sym unweighted", "--base 1", "--base 1 --undirected"),
                                 ("asym positive", "", "--base 1"), ("bip weighted", "--base 1", "both from 1"))),
    *(Case(f"a file of KONECT as it says, {kind}", f"g.txt {CPU} {more} -o d.npy", files={"g.txt": f"% {kind} weighted\n% 1 2 2\n1 2 5\n"}, left="d.npy",
           distances=[[0, 5], [back, 0]]) for kind, more, back in (("sym", "--base 1 --undirected", 5), ("asym", "--base 1", INF))),
    Case("LGL of igraph", f"g.txt {CPU}", 3, files={"g.txt": "# 0\n1 5\n2 3\n# 1\n2 4\n"}, err="g.txt:1: .*igraph's LGL.*--skip-lines 0"),
    Case("LGL of igraph with names", f"g.txt --labels {CPU}", 3, files={"g.txt": "# A\nB 5\n# B\nC 2\n"}, err="g.txt:1: .*igraph's LGL"),
    Case("a number in a comment", f"g.txt --skip-lines 0 {CPU}", files={"g.txt": "# 5\n0 1 5\n"}, out="2 vertices"),
    Case("a word in a comment", f"g.txt --labels {CPU}", files={"g.txt": "# roads\nA B\n# more\nB C\n"}, out="3 vertices"),
)
class Marks(Suite):
    """Files whose text says that they are of another format."""


@table(
    *(Case(f"a vertex like a comment: {line!r}", "path g.csv --labels --pairs p", code, files={"g.csv": "#tag,Myriel,5\nMyriel,tag,2\n".replace("#tag", '"#tag"'), "p": line + "\n"}, out=out, err=err)
      for line, code, out, err in (
          ("#tag,Myriel", 0, r"\A#tag -> Myriel: length 5", ()), ('"#tag" Myriel', 0, r"\A#tag -> Myriel: length 5", ()),
          ("#tag\tMyriel", 0, r"\A#tag -> Myriel: length 5", ()), ("# tag,Myriel\nMyriel,tag", 0, r"\AMyriel -> tag: length 2, 1 edge\n.*\n\Z", ()),
          ("#tga,Myriel", 3, (), "p:1: '#tga' is no vertex, and may be a comment"))),
    *(Case(f"sources like a comment: {line!r}", f"g.csv --labels {CPU} --sources s -o d.npy", code, files={"g.csv": '"#tag",Myriel,5\n', "s": line + "\n"}, err=err,
           left=() if code else ("d.npy", "d.npy.ids"), distances=rows)
      for line, code, rows, err in (
          ("Myriel #tag", 0, [[INF, 0], [0, 5]], ()), ("#tag Myriel", 0, [[0, 5], [INF, 0]], ()), ("Myriel # tag", 0, [[INF, 0]], ()),
          ("Myriel #tga", 3, None, "s:1: '#tga' is no vertex, and may be a comment"))),
    Case("sources that are a file and a vertex", f"g.csv --labels {CPU} --sources Rome", 2, files={"g.csv": "Rome,Paris,5\n", "Rome": "Paris\n"},
         err="--sources Rome: there is a file and a vertex of this name: give ./Rome for the file, '\"Rome\"' for the vertex"),
    *(Case(f"sources of a file and a vertex: {which}", f"g.csv --labels {CPU} --sources '{which}' -o d.npy", files={"g.csv": "Rome,Paris,5\n", "Rome": "Paris\n"},
           left=("d.npy", "d.npy.ids"), distances=rows) for which, rows in (("./Rome", [[INF, 0]]), ('"Rome"', [[0, 5]]))),
)
class Signs(Suite):
    """Names that look like comments or files."""


# A one-way street, one in both directions, and one against the order of its ends.
STREETS = {"g.csv": "from,to,minutes,road,oneway\nA,B,5,\"High Street, N\",yes\nB,C,7,Ring,no\nD,C,2,Mill Lane,-1\n"}
STREET_TABLE = "--labels --columns from,to,minutes --oneway oneway"
STREET_ROWS = [[0, 5, 12, 14], [INF, 0, 7, 9], [INF, 7, 0, 2], [INF, INF, INF, 0]]
WAY = "from,to,length,step,tail,head,weight,road\nA,D,14,1,A,B,5,\"High Street, N\"\nA,D,14,2,B,C,7,Ring\nA,D,14,3,C,D,2,Mill Lane\n"
EMPTY = {"g.csv": ";a;b;c\na;0;1,5;\nb;;0;2\nc;3;;\n"}  # as a spreadsheet writes it


@table(
    Case("streets in both directions", f"g.csv {STREET_TABLE} {CPU} -o d.npy", files=STREETS, left=("d.npy", "d.npy.ids"), distances=STREET_ROWS,
         out=r"(?s)graph +g.csv labels columns=from,to,minutes oneway=oneway\n((?!--undirected).)*\Z"),
    Case("directions by the number of the column", f"g.csv --labels --columns 1,2,3 --oneway 5 {CPU} -q -o d.npy", files=STREETS,
         left=("d.npy", "d.npy.ids"), distances=STREET_ROWS),
    Case("directions by the number of the column, below a header that is left out", f"g.csv --labels --skip-lines 1 --columns 1,2,3 --oneway 5 {CPU} -o d.npy", files=STREETS,
         left=("d.npy", "d.npy.ids"), distances=STREET_ROWS),
    *(Case(f"one way: {word!r}", f"g.csv --oneway way {CPU} -q -o d.npy", files={"g.csv": f"from,to,weight,way\n0,1,5,{word}\n"}, left="d.npy",
           distances=[[0, forth], [back, 0]])
      for words, forth, back in (("yes true True 1", 5, INF), ("-1 reverse", INF, 5), ("no NO false 0", 5, 5)) for word in words.split()),
    Case("one way: nothing", f"g.csv --oneway way {CPU} -q -o d.npy", files={"g.csv": "from,to,weight,way\n0,1,5,\n"}, left="d.npy",
         distances=[[0, 5], [5, 0]]),
    Case("one way: another word", f"g.csv --oneway way {CPU}", 3, files={"g.csv": "from,to,weight,way\n0,1,5,yes\n1,2,5,reversible\n"},
         err="g.csv:3: 'way' is 'reversible', expected yes, no, -1 or the like: leave the line out"),
    Case("directions between the ends and the weight", f"g.csv --oneway way {CPU} -q -o d.npy", files={"g.csv": "from,to,way,weight\n0,1,yes,5\n"},
         left="d.npy", distances=[[0, 5], [INF, 0]]),
    Case("directions without a weight", f"g.csv --oneway way {CPU}", files={"g.csv": "from,to,way\n0,1,yes\n"}, out="no weights: every edge counts 1"),
    Case("directions by number, and a weight that only a later line has", f"g.csv --oneway 3 {CPU}", 3, files={"g.csv": "0,1,yes\n1,2,no,7\n"},
         err="g.csv:2: expected 3 fields as in the first edge, found 4: give --columns"),
    Case("directions by number, and a line without a weight", f"g.csv --oneway 3 {CPU}", 3, files={"g.csv": "0,1,yes,7\n1,2,no\n"},
         err="g.csv:2: expected 4 fields as in the first edge, found 3"),
    Case("directions and many columns", f"g.csv --labels --oneway oneway {CPU}", 3, files=STREETS, err="g.csv:2: expected 2 or 3 fields.*found 4: --columns"),
    Case("directions beside a column that is no weight", f"g.csv --oneway way {CPU}", 3, files={"g.csv": "from,to,edge_id,way\n0,1,5,yes\n"},
         err="g.csv:1: .*'edge_id': give --weight NAME"),
    Case("a loop in both directions", "info g.csv --oneway way", files={"g.csv": "from,to,weight,way\n0,0,5,no\n0,1,5,no\n"}, out=r"dropped +0 parallel edges, 1 self-loop"),
    Case("no column of directions", f"g.csv --oneway one-way {CPU}", 3, files=STREETS, err="g.csv:1: no column 'one-way' in the header"),
    Case("--oneway and --undirected", "info g.csv --oneway oneway --undirected", 2, files=STREETS, err="excludes"),
    Case("--oneway of another format", "info {data}/tiny.gr --oneway oneway", 2, err="--oneway has no effect on the format gr"),
    Case("one-way streets only", "info g.csv --oneway way", files={"g.csv": "from,to,weight,way\n0,1,5,yes\n1,2,5,yes\n"}, out=r"undirected +no\n"),
    Case("empty entries of a matrix", f"g.csv --format matrix --decimal comma --empty inf {CPU} -q -o d.npy", files=EMPTY, left=("d.npy", "d.npy.ids"),
         distances=[[0, 1.5, 3.5], [5, 0, 2], [3, 4.5, 0]]),
    Case("rows of empty entries between tabs", f"g.tsv --format matrix --empty inf {CPU} -q -o d.npy", files={"g.tsv": "a\tb\n\t\n2\t\n\n"}, left=("d.npy", "d.npy.ids"),
         distances=[[0, INF], [2, 0]]),
    Case("an empty entry before the first tab, which may be a corner", f"g.tsv --format matrix --empty inf {CPU}", 3, files={"g.tsv": "\t5\n3\t\n"}, err="g.tsv:1: the line may have names or entries"),
    Case("rows of tabs are blank lines without --empty", f"g.tsv --format matrix {CPU} -q -o d.npy", files={"g.tsv": "0\t1\n\t\n2\t0\n"}, left="d.npy"),
    Case("empty entries that are an error", f"g.csv --format matrix --decimal comma {CPU}", 3, files=EMPTY, err="g.csv:2: entry 3 is empty: for \"no edge\" write inf or -1, or give --empty inf"),
    Case("an empty entry before a tab", f"g.tsv --format matrix --empty inf {CPU} -q -o d.npy", files={"g.tsv": "a\tb\n\t1\n2\t\n"}, left=("d.npy", "d.npy.ids"),
         distances=[[0, 1], [2, 0]]),
    Case("an empty entry that may be a corner", f"g.csv --format matrix --empty inf {CPU}", 3, files={"g.csv": ",5\n5,\n"},
         err="g.csv:1: the line may have names or entries: write a word .*, 0 if it has entries"),
    Case("--empty of a list", "info {data}/tiny.el --empty inf", 2, err="--empty has no effect on the format el"),
    Case("a decimal comma in a matrix", "info g.csv --format matrix", 3, files={"g.csv": "0;1,5\n2;0\n".replace("1,5", '"1,5"')}, err=r"'1,5': write a decimal point, or give --decimal comma\n"),
    *(Case(f"depots from a table: {what}", f"g.csv {STREET_TABLE} {CPU} -q --sources '{what}' -o d.npy", files={**STREETS, "depots.csv": depots}, left=("d.npy", "d.npy.ids"),
           distances=[STREET_ROWS[2], STREET_ROWS[0]])
      for what, depots in (("depots.csv:name", "name,lat\nC,51\nA,52\n"), ("depots.csv:2", "lat;name\n51;\"C\"\n52;A\n"), ("depots.csv:town", "town\nC\nA\n"),
                           ("depots.csv:my:name", "lat\tmy:name\n\tC\n\tA\n"))),
    *(Case(f"depots from a table, wrong: {what}", f"g.csv {STREET_TABLE} {CPU} --sources {what}", code, files={**STREETS, "depots.csv": "name,lat\nC,51\nX,52\n,3\n"}, err=err)
      for what, code, err in (("depots.csv:nam", 3, "depots.csv:1: no column 'nam' in the header: did you mean 'name'"), ("depots.csv:name", 3, "depots.csv:4: no 'name' here: remove the line"),
                              ("depots.csv", 2, "depots.csv:1: vertices .*: depots.csv:COLUMN takes a column of a table"), ("depot.csv:name", 2, "no such file"))),
    Case("depots that are not there", f"g.csv {STREET_TABLE} {CPU} --sources depots.csv:1", 2, files={**STREETS, "depots.csv": "name\nX\n"}, err="depots.csv:2: vertex 'X' is not in the graph"),
    Case("a way as a table", f"path g.csv A D {STREET_TABLE} --show road -o way.csv", files=STREETS, left="way.csv", out=r"A -> B  5  High Street, N\n"),
    Case("ways on standard output", f"path g.csv A D D A B B {STREET_TABLE} -o -", files=STREETS,
         out=r"\Afrom\tto\tlength\tstep\ttail\thead\tweight\nA\tD\t14\t1\tA\tB\t5\n.*\n.*\nD\tA\tinf\t\t\t\t\nB\tB\t0\t\t\t\t\n\Z"),
    Case("a way as another file", f"path g.csv A D {STREET_TABLE} -o way.txt", 2, files=STREETS, err=r"-o way.txt: paths are written as tables: .*\.csv or \.tsv"),
    Case("a way of a stream", f"path g.csv {STREET_TABLE} --queries - -o way.csv", 2, files=STREETS, err="leave out -o"),
    Case("the roads of parallel edges and of reverses", "path g.csv 7 5 --columns from,to,km --show road --undirected --compact", out="7 -> 5  3  B\n",
         files={"g.csv": "from,to,km,road\n5,7,4,A\n5,7,3,B\n7,5,6,D\n"}),
    Case("roads of a graph without columns", "path {data}/tiny.gr 0 3 --show road", 2, err="--show has no effect on the format gr"),
)
class Streets(Suite):
    """Tables as an analyst has them: streets with directions and names, matrices of spreadsheets, depots."""

    def test_a_way_as_a_table(self):
        self.put("g.csv", STREETS["g.csv"])
        self.apsp(f"path g.csv A D {STREET_TABLE} --show road -q -o way.csv", left="way.csv")
        self.assertEqual((self.dir / "way.csv").read_text(), WAY)
        shown = json.loads(self.apsp(f"path g.csv A D D A {STREET_TABLE} --show road --json -"))
        self.assertEqual([way["shown"] for way in shown], [["High Street, N", "Ring", "Mill Lane"], None])

    def test_convert_keeps_names(self):
        if not GRAPHML:
            self.skipTest("needs pugixml")
        names = ["A & B", "<c>", 'd "e"', "Köln"]
        self.put("g.csv", f'"{names[0]}",{names[1]},5\n{names[1]},"d ""e""",6\n"d ""e""",{names[3]},7\n')
        self.apsp("convert g.csv g.graphml --labels", left="g.graphml")
        self.apsp(f"g.graphml {CPU} -q -o d.npy", left=("d.npy", "d.npy.ids"))
        self.assertEqual((self.dir / "d.npy.ids").read_text().splitlines(), names)
        self.assertEqual(read_npy(self.dir / "d.npy")[0], [0, 5, 11, 18])
        for text in (b"a\x01 b 5\nb c 6\n", b"a b 5\nb c\xff 6\n", "a b 5\nb c\uffff 6\n".encode()):  # names that XML cannot hold
            self.put("h.el", text)
            self.apsp("convert h.el h.graphml --labels", left=None)
            self.assertIn('<node id="2"/>', (self.dir / "h.graphml").read_text())
        self.apsp("convert g.csv g.json --labels", left="g.json")
        self.assertEqual([node["id"] for node in json.loads((self.dir / "g.json").read_text())["nodes"]], names)
        (self.dir / "d.npy.ids").unlink()
        self.apsp(f"g.json {CPU} -q -o d.npy", left="d.npy.ids")
        self.assertEqual((self.dir / "d.npy.ids").read_text().splitlines(), names)
        self.put("i.el", "70 -8 5\n-8 9 6\n")
        self.apsp("convert i.el i.json --labels", left="i.json")
        self.assertEqual([edge["source"] for edge in json.loads((self.dir / "i.json").read_text())["edges"]], [70, -8])
        self.put("h.el", "a b 5\nb c\uffef 6\n")
        self.apsp("convert h.el h.graphml --labels", left=None)
        self.assertIn('<node id="c\uffef"/>', (self.dir / "h.graphml").read_text())


@table(
    Case("NaN on the diagonal of a matrix as text", f"g.csv --format matrix {CPU} -o d.npy", files={"g.csv": "nan,3\ninf,NaN\n"}, left="d.npy",
         distances=[[0, 3], [INF, 0]]),
    Case("NaN off the diagonal", "info g.npy", 3, files={"g.npy": npy("<f8", "<4d", 0, math.nan, 1, 0)}, err="nan is not a number"),
    Case("unsigned integers of SciPy", f"g.mtx {CPU} -o d.npy", files={"g.mtx": CYCLE_MTX.replace("integer", "unsigned-integer")}, left="d.npy", distances=CYCLE),
    Case("too small for float64", f"g.el {CPU} -o d.npy", files={"g.el": "0 1 1e-400\n1 0 -0.0\n"}, left="d.npy", distances=[[0, 0], [0, 0]]),
    Case("too large for float64", f"g.el {CPU}", 3, files={"g.el": "0 1 1e400\n"}, err="g.el:1: .*'1e400'"),
    *(Case(f"a header of NumPy, {what}", "info g.npy", files={"g.npy": npy("<i4", "<4i", 0, 5, 6, 0).replace(*change)}, out=r"vertices +2\n")
      for what, change in (("of Python 2", (b"(2, 2), }  ", b"(2L, 2L), }")), ("in double quotes", (b"'", b'"')))),
)
class Dialects(Suite):
    """What other programs write."""

    def test_vertices_of_pajek(self):
        script = ROOT / "scripts/to_json.py"
        for lines, names in (('1 "say \\"hi\\" now"\n2 "b"', ['say "hi" now', "b"]), ('1 "a\\"\n2 C:\\d', ["a\\", "C:\\d"]),
                             ('1 "a"\n1 "b"', None), ('1 "say "hi" now"\n2 b', None)):
            self.put("g.net", f"*Vertices 2\n{lines}\n*Edges\n1 2 4\n")
            run = subprocess.run([sys.executable, script, "g.net"], cwd=self.dir, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0 if names else 3, run.stderr)
            self.assertEqual([node["id"] for node in json.loads(run.stdout)["nodes"]] if names else None, names)

    def test_parallel_edges_of_gexf(self):
        self.put("g.gexf", '<gexf><graph><attributes class="edge"><attribute id="0" title="networkx_key"/></attributes><nodes><node id="0"/>'
                 '<node id="1"/></nodes><edges><edge source="0" target="1"><attvalues><attvalue for="0" value="1"/></attvalues></edge></edges></graph></gexf>')
        run = subprocess.run([sys.executable, ROOT / "scripts/to_json.py", "g.gexf"], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(json.loads(run.stdout)["links"], [{"source": "0", "target": "1"}])


@table(
    *(Case(f"numbers of {file}", f"path {file} 0 2 {more}", files={file: content}, out=r"\A0 -> 2: length 12, 2 edges \(in the file 1 -> 3\)\n")
      for file, more, content in (("g.gr", "", "p sp 3 3\na 1 2 5\na 2 3 7\na 3 1 2\n"), ("g.mtx", "", CYCLE_MTX),
                                  ("g.el", "--base 1", "1 2 5\n2 3 7\n3 1 2\n"))),
    Case("numbers of the file", "path g.mtx 1 3 --ids file", files={"g.mtx": CYCLE_MTX}, out=r"\A1 -> 3: length 12, 2 edges\n  1 -> 2  5\n  2 -> 3  7\n\Z"),
    Case("numbers of the file as sources", f"g.mtx {CPU} --sources 3 --ids file -o d.csv", files={"g.mtx": CYCLE_MTX}, left="d.csv", out=r"\A(?![^$]*count from 0)"),
    Case("numbers of rows as sources", f"g.mtx {CPU} --sources 2 -o d.csv", files={"g.mtx": CYCLE_MTX}, left="d.csv",
         out="vertices count from 0 like the rows, but from 1 in the file: --ids file"),
    Case("numbers of no vertex of the file", "path g.mtx 0 3 --ids file", 2, files={"g.mtx": CYCLE_MTX}, err="vertex '0' is not in the graph"),
    Case("numbers of a file that counts from 0", "path {data}/tiny.el 0 3 --ids file", out=r"\A0 -> 3: length 5"),
)
class FileNumbers(Suite):
    """Vertices of files that count from 1."""


class ReadBack(Suite):
    """Files that this program has written."""

    def test_own_distances_are_read_back(self):
        self.put("g.el", "0 1 6\n1 2 7\n")
        for number in ("inf", -1, -7, 99, 2**31 - 1):
            for dtype in ("i32", "i64", "f32", "f64"):
                with self.subTest(number, dtype=dtype):
                    self.apsp(f"g.el {CPU} -q -o d.npy --unreached {number} --dtype {dtype}", left=None)
                    self.assertEqual(self.apsp(f"d.npy --zero edge {CPU} -q -o -", left=None).split(), "0 6 13 inf 0 7 inf inf 0".split())
                    self.apsp("info d.npy --zero edge", out=r"\A(?![^$]*-1 off)")


@table(
    *(Case(f"{name} without --zero", f"{name} {CPU} --quiet -o d.npy", left="d.npy", err=WARNING.replace("g", "[gi]"),
           files={name: zeros(name)}, distances=[[0] * 5] * 5) for name in ("g.npy", "i.npy", "g.mtx")),
    *(Case(f"{name} --zero no-edge", f"{name} {CPU} --zero no-edge -o d.npy", left="d.npy", out="8 edges",
           files={name: zeros(name)}, distances=UNDIRECTED_DISTANCES) for name in ("g.npy", "i.npy", "g.mtx", "g.bin")),
    *(Case(f"{name} --zero edge", f"{name} {CPU} --zero edge -o d.npy", left="d.npy",
           files={name: zeros(name)}, distances=[[0] * 5] * 5) for name in ("g.npy", "g.mtx")),
    Case("the course's format says that 0 is a weight", f"g.bin {CPU} -o d.npy", left="d.npy",
         files={"g.bin": zeros("g.bin")}, distances=[[0] * 5] * 5),
    Case("integers with a mark for no edge", f"{{data}}/tiny.npy {CPU} -o d.npy", left="d.npy",
         distances=TINY_DISTANCES),
    Case("convert warns", "convert g.npy h.mtx", left="h.mtx", err=WARNING, files={"g.npy": zeros("g.npy")}),
    Case("convert with --zero", "convert g.npy h.mtx --zero no-edge", left="h.mtx", out="8 edges",
         files={"g.npy": zeros("g.npy")}),
    Case("ids from 1", f"g.el {CPU}", out=r"\n +ids begin at 1: add --base 1 unless there is a vertex 0\n",
         files={"g.el": FROM_ONE}),
    Case("info of ids from 1", "info g.el", out=r"base +ids begin at 1: add --base 1", files={"g.el": FROM_ONE}),
    Case("ids from 1 with --base 1", f"g.el --base 1 {CPU}", out=r"\A((?!ids begin)[\s\S])*\Z", files={"g.el": FROM_ONE}),
    Case("a plan warns", f"g.npy {CPU} --record rec --plan", left=None, err=WARNING, files={"g.npy": zeros("g.npy")}),
    Case("info says it", "info g.npy", out=r'zeros +12 off .*--zero no-edge if 0\n +means "no edge", else',
         files={"g.npy": zeros("g.npy")}),
    Case("info of zeros that are none", "info g.npy --zero no-edge", files={"g.npy": zeros("g.npy")},
         out=(r'zeros +12 .* read as "no edge"', r"edges +8\n")),
    Case("info of zeros in a .bin", "info g.bin", out="zeros +12 .* read as weight 0; --zero no-edge drops",
         files={"g.bin": zeros("g.bin")}),
    *(Case(f"--zero with tiny.{kind}", f"info {{data}}/tiny.{kind} --zero no-edge", 2,
           err=rf"tiny\.{kind}: --zero is for a matrix") for kind in ("el", "gr", "mtx", "bin")),
    Case("--zero without GRAPH", "--n 5 --zero edge", 2, err="--zero.*generated graph"),
    Case("--zero of no meaning", "info {data}/tiny.npy --zero none", 2, err=("none", "no-edge", "edge")),
    *(Case(f"{name} is undirected", f"{name} {CPU} --undirected -o d.npy", left="d.npy", files={name: content},
           out=rf"graph +{name} undirected\n[^$]*8 edges[^$]* 4 reverses added\n", distances=UNDIRECTED_DISTANCES)
      for name, content in (
          ("g.el", UNDIRECTED), ("g.bin", edges_bin(5, [(0, 1, 4), (1, 2, 5), (3, 2, 1), (4, 3, 2)])),
          ("g.gr", "p sp 5 4\na 1 2 4\na 2 3 5\na 4 3 1\na 5 4 2\n"))),
    Case("hops are counted", f"g.el {CPU} --hops -o d.npy", left="d.npy", files={"g.el": "0 1 4\n1 2 5\n0 2 100\n"},
         out=r"graph +g\.el hops\n", distances=[[0, 1, 1], [INF, 0, 1], [INF, INF, 0]]),
    Case("--hops counts the edges of a path", "path g.el 0 2 --hops", files={"g.el": "0 1 4\n1 2 5\n0 2 100\n"},
         out=r"0 -> 2: length 1, 1 edge\n"),
    Case("--hops of a generated graph", "--n 5 --hops", 2, err="--hops.*generated graph"),
    Case("--hops and --weight", "info g.json --hops --weight w", 2, err=("--hops", "--weight")),
    Case("bfs of other weights", f"{{data}}/tiny.el {CPU} --method bfs", 2, err="method bfs.*equal weight"),
    Case("bfs is chosen", f"--family sparse --n 3000 --range 1 {CPU} --json - --quiet", out='"solved_by": "bfs"'),
    Case("bfs says what it did", f"--family sparse --n 300 --range 1 {CPU} --method bfs --verify",
         out=r"bfs: \d+ levels, .*arcs per second\n"),
    Case("info names bfs", "info g.gr --structure",
         files={"g.gr": "p sp 3000 9000\n" + "".join(f"a {i + 1} {(i * k) % 3000 + 1} 1\n" for i in range(3000) for k in (7, 501, 1203))},
         out=r"method +on a CPU bfs, because all edges have the same weight"),
    Case("of two weights the lighter counts", f"g.el {CPU} --undirected -o d.npy", left="d.npy",
         out="2 reverses added; 1 pair had two weights, the lighter kept\n",
         files={"g.el": "0 1 4\n1 0 9\n2 1 5\n3 2 1\n"}, distances=[row[:4] for row in UNDIRECTED_DISTANCES[:4]]),
    Case("a matrix is undirected, zeros excepted", f"g.bin {CPU} --undirected --zero no-edge -o d.npy", left="d.npy",
         files={"g.bin": dense_bin([[w if i < j else 0 for j, w in enumerate(row)] for i, row in enumerate(ZEROS)])},
         distances=UNDIRECTED_DISTANCES),
    Case("a symmetric matrix stays", f"g.bin {CPU} --undirected --zero no-edge -o d.npy", left="d.npy",
         files={"g.bin": zeros("g.bin")}, distances=UNDIRECTED_DISTANCES),
    Case("convert adds reverses", "convert g.el h.gr --undirected", left="h.gr", out="8 edges\n +4 reverses added\n",
         files={"g.el": UNDIRECTED}),
    Case("info adds reverses", "info g.el --undirected", files={"g.el": UNDIRECTED},
         out=(r"edges +8\n", r"undirected +yes, by --undirected: 4 reverses added\n")),
    Case("hint when solving", f"g.el {CPU}", out=f"\n +{HINT}", files={"g.el": UNDIRECTED}),
    Case("hint of convert", "convert g.el h.gr", out=f"4 edges\n +{HINT}", left="h.gr", files={"g.el": UNDIRECTED}),
    Case("hint of info", "info g.el", out="undirected +" + HINT.strip().replace(" ", r"\s+"), files={"g.el": UNDIRECTED}),
    *(Case(f"no hint with --directed: {argv}", argv, out=out, left=left, files={"g.el": UNDIRECTED})
      for argv, out, left in ((f"g.el {CPU} --directed", r"\A(?![^$]*reverse)", ()),
                              ("convert g.el h.gr --directed", r"4 edges\n\Z", "h.gr"),
                              ("info g.el --directed", r"undirected +no\n", ()),
                              (f"--n 4 {CPU} --directed", "course", ()))),
    Case("directed and undirected", f"g.el {CPU} --directed --undirected", 2, err="--undirected excludes --directed",
         files={"g.el": UNDIRECTED}),
    Case("no hint if one edge has its reverse", "info g.el", out=r"undirected +no\n",
         files={"g.el": UNDIRECTED + "4 3 2\n"}),
    *(Case(f"notes with {output}", f"g.el {CPU} {output}", out=r"\A(?!graph)[^$]+\Z",
           err=r"g\.el: 1 parallel edge \(the lightest kept\) and 0 self-loops dropped; " + HINT,
           files={"g.el": "0 1 4\n" + UNDIRECTED}) for output in ("-o -", "--csv -", "--json -")),
    Case("hint of convert on standard error", "convert g.el - --to el", err=r"\Aapsp: g\.el: " + HINT, out=r"\A# Nodes",
         files={"g.el": UNDIRECTED}),
    Case("hint about standard input", f"- {CPU} -o -", err="<stdin>: " + HINT, stdin=UNDIRECTED.encode()),
    Case("no hint about zeros beside infinity", f"g.npy {CPU} -o d.npy", left="d.npy", distances=[[0, 0], [INF, 0]],
         files={"g.npy": npy("<f8", "<4d", 0, 0, math.inf, 0)}),
    Case("convert needs --zero edge", "convert g.el h.npy", left="h.npy", files={"g.el": "0 1 0\n1 0 0\n"},
         out="2 edges\n +2 edges of weight 0: read the file with --zero edge\n"),
    Case("convert on standard output needs --zero edge", "convert g.el - --to npy", files={"g.el": "0 1 0\n1 0 3\n"},
         err="-: 1 edge of weight 0: .*--zero edge"),
    Case("gen needs --zero edge", "gen --n 3 --family zero -o g.npy", left="g.npy", out="6 edges of weight 0: .*--zero edge"),
    Case("a mark for no edge needs none", "convert g.el h.npy", left="h.npy", files={"g.el": "0 1 0\n"}, out=r"1 edge\n\Z"),
    Case("no hint for one edge", f"g.el {CPU}", out=rf"\A(?![^$]*{HINT})", files={"g.el": "0 1 4\n"}),
)
class ZerosAndReverses(Suite):
    def test_quiet_prints_no_note(self):
        self.put("g.el", "0 1 4\n" + UNDIRECTED.replace("0 ", "1 "))
        for more in ("", "-o -", "-o d.npy --precision 16 --portable"):
            printed, complained = self.popen(f"g.el {CPU} -q {more}").communicate()
            self.assertEqual((bool(printed), complained), (more == "-o -", b""), more)

    def test_the_same_graph_either_way(self):
        for name in ("g.npy", "g.mtx", "g.bin"):
            self.put(name, zeros(name))
            self.assertEqual(hash_of(self.apsp(f"info {name} --zero no-edge")), "050f80e10a206c4f")
        self.put("g.el", UNDIRECTED)
        self.assertEqual(hash_of(self.apsp("info g.el --undirected")), "050f80e10a206c4f")

    def test_points_of_their_own(self):
        self.put("g.bin", zeros("g.bin"))
        self.put("g.el", UNDIRECTED + "0 4 7\n")  # a graph is its content, so it must be another one
        asked = [f"{graph} {CPU} --record rec"
                 for graph in ("g.bin", "g.bin --zero no-edge", "g.el", "g.el --undirected")]
        for line in asked:
            self.apsp(f"{line} --plan", left=None)
        for missing, line in zip((4, 3, 2, 1), asked):
            self.apsp("report rec", 1, err=f"{missing} of 4 planned points")
            self.assertNotIn("skipped", self.apsp(line, left=None))
        self.apsp("report rec --csv all.csv", left="all.csv", out=(r"g\.bin zero=no-edge\n", r"g\.el undirected\n"))
        self.assertIn("skipped", self.apsp(asked[0]))
        with open(self.dir / "all.csv") as file:
            self.assertEqual(len({row["point"] for row in csv.DictReader(file)}), 4)
        self.apsp("g.bin --zero edge --record rec " + CPU, out="skipped")  # the same graph as without the flag

    def test_info_fits_80_columns(self):
        self.put("g.npy", zeros("g.npy"))
        self.put("h.npy", npy("<f8", "<4d", 0, -1, .5, 0))
        self.put("g.el", FAR)
        for line in ("g.npy", "g.npy --zero edge", "g.npy --zero no-edge", "h.npy", "g.el", "g.el --undirected"):
            text = self.apsp(f"info {line}")
            self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
        self.apsp("info h.npy", out=r'no edge +1 entry -1 off the diagonal, read as "no edge": give --negative if\n')
        self.assertEqual(json.loads(self.apsp("info h.npy --json"))["minus_ones"], 1)
        self.put("one.el", "0 1 5\n0 1 6\n0 0 1\n")
        self.apsp("info one.el", out=r"weights +i32, 5 to 5\n[^$]*dropped +1 parallel edge, 1 self-loop\nhash")
        self.put("none.el", "3\n")
        self.apsp("info none.el", out=("weights +i32, no edges\n", "unused +3 vertices have no edge; --compact drops"))
        self.apsp("info one.el --vertices 3", out="unused +1 vertex has no edge;")

    def test_info_as_json(self):
        self.put("g.npy", zeros("g.npy"))
        facts = json.loads(self.apsp("info g.npy --json"))
        self.assertLessEqual({"file": "g.npy", "held_as": "matrix", "vertices": 5, "edges": 20, "density": 1,
                              "mean_degree": 4, "dtype": "i32", "lightest": 0, "heaviest": 5, "zero_weights": 12,
                              "zeros": 12, "zero_means": "unclear", "undirected": True, "one_way": False,
                              "parallel_edges": 0, "self_loops": 0, "bytes_to_solve": 200}.items(), facts.items())
        self.assertEqual(facts["hash"], hash_of(self.apsp("info g.npy")))
        for words in ("--json g.npy --zero no-edge", "g.npy --json - --zero no-edge", "g.npy --zero no-edge --json=-"):
            facts = json.loads(self.apsp(f"info {words}"))
            self.assertEqual((facts["zero_means"], facts["edges"], facts["lightest"]), ("no-edge", 8, 1), words)
        for words in ("g.npy --json f.json", "g.npy --json=f.json"):
            self.apsp(f"info {words}", out=r"\Afile +g\.npy\n", left="f.json")
            self.assertEqual(json.loads((self.dir / "f.json").read_bytes())["edges"], 20)
            (self.dir / "f.json").unlink()

    def test_info_of_edges_as_json(self):
        self.put("g.el", UNDIRECTED + "0 1 9\n2 2 1\n1 0 6\n")
        facts = json.loads(self.apsp("info g.el --json --undirected"))
        self.assertLessEqual({"held_as": "edge list", "zeros": None, "zero_means": None, "reverses_added": 3,
                              "pairs_of_two_weights": 1, "parallel_edges": 1, "self_loops": 1}.items(), facts.items())
        self.put("g.el", "0 1 0.5\n1 2 .25\n")
        facts = json.loads(self.apsp("info g.el --json"))
        self.assertEqual((facts["dtype"], facts["lightest"], facts["one_way"]), ("f64", 0.25, True))
        self.put("g.gr", "p sp 3 0\n")
        facts = json.loads(self.apsp("info g.gr --json"))
        self.assertEqual((facts["lightest"], facts["heaviest"], facts["vertices"]), (None, None, 3))


class Structure(Suite):
    """info --structure."""

    def test_says_how_a_graph_is_built(self):
        text = self.apsp(f"info {DATA}/tiny.gr --structure")
        self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
        for line in ("weak +1 component, the largest has 6 vertices", "strong +3 components, the largest has 4 vertices",
                     "out-degree +1: 3, 2-3: 3; at most 3", "in-degree +0: 1, 1: 1, 2-3: 4; at most 3",
                     "metric +no: 20 pairs have no edge; 10 edges have no reverse of the same\n +weight; 1 edge weighs 0",
                     "triangles +of 10 edges, 3 are longer than a way of two edges: 0 -> 1 has the\n +length 7, over 2 it is 5",
                     "method +on a CPU dense, because fewer than 400 vertices", r"estimates +dense, this CPU +\d+ bytes"):
            self.assertRegex(text, rf"(?m)^{line}")
        self.assertNotIn("strong", self.apsp(f"info {DATA}/tiny.gr"))
        self.put("m.el", "0 1 2\n1 2 2\n0 2 4\n")
        self.apsp("info m.el --structure --undirected", out=("metric +yes\n", "triangles +no way of two edges is shorter"))
        self.put("e.el", "0\n")
        self.apsp("info e.el --structure", out=r"strong +0 components|strong +1 component")
        told = json.loads(self.apsp("info m.el --structure --undirected --json"))["structure"]
        self.assertLessEqual({"weak_components": {"count": 1, "largest": 3}, "metric": True, "out_degrees": [0, 0, 3],
                              "edges_compared": 6, "edges_longer_than_two": 0}.items(), told.items())
        self.assertEqual(told["estimates"][0]["way"], "dense, this CPU")

    def test_foretells_the_method(self):
        for family, n, method in (("grid", 5000, "sparse"), ("course", 600, "filtered"), ("course", 390, "dense")):
            self.apsp(f"gen --n {n} --family {family} -o {family}.gr", left=f"{family}.gr")
            info = self.apsp(f"info {family}.gr --structure --json")
            told = json.loads(info)["structure"]["method"]
            self.assertRegex(told, rf"\A({method})\b")
            solved = self.apsp(f"{family}.gr {CPU}")
            self.assertEqual(bool(re.search(r"(?m)^ +sparse: ", solved)), told.startswith("sparse"), solved)
            (self.dir / f"{family}.gr").unlink()

    def test_estimates_gpus_by_measured_peaks(self):
        ways = json.loads(self.apsp(f"info {DATA}/demo.bin --structure --json", env={"APSP_RESULTS": str(ROOT / "results")}))
        gpus = [way for way in ways["structure"]["estimates"] if "H100" in way["way"]]
        self.assertEqual([way["way"] for way in gpus], ["dense, 1 H100", "dense, 2 H100s", "dense, 8 H100s", "dense, 64 H100s"])
        peak = max(each["relax_per_s"] for each in json.loads((ROOT / "results/h100/ceilings.json").read_text())["benchmarks"]
                   if each["name"] == "int32/viaddmin/manual_time" and "relax_per_s" in each)
        for way, count in zip(gpus, (1, 2, 8, 64)):
            self.assertAlmostEqual(way["seconds"], 300**3 / peak / count)
            self.assertEqual((way["bytes"], way["at_least"]), (300 * 300 * 4 // count, True))
        ways = json.loads(self.apsp(f"info {DATA}/demo.bin --structure --json", env={"APSP_RESULTS": "none"}))
        self.assertFalse([way for way in ways["structure"]["estimates"] if "H100" in way["way"]])


TINY_STEPS = "  0 -> 2  2\n  2 -> 1  3\n  1 -> 3  0\n"
TINY_PATH = rf"0 -> 3: length 5, 3 edges \(in the file 1 -> 4\)\n{TINY_STEPS}"


@table(
    Case("a path", "path {data}/tiny.gr 0 3", out=rf"\A{TINY_PATH}\Z"),
    Case("a matrix", "path {data}/tiny.npy 0 3 --zero edge", out=rf"\A0 -> 3: length 5, 3 edges\n{TINY_STEPS}\Z"),
    Case("several, some of them in a file", "path {data}/tiny.gr 3 0 --pairs p 2 2", files={"p": "# trips\n0 3\n\n3 2\n"},
         out=rf"\A3 -> 0: no path \(in the file 4 -> 1\)\n2 -> 2: length 0, 0 edges .*\n{TINY_PATH}3 -> 2: length 5, 2 edges "),
    Case("real weights", "path g.el 0 2", files={"g.el": "0 1 .5\n1 2 .25\n0 2 1\n"}, out="length 0.75, 2 edges"),
    Case("labels", "path g.el Anna Carl --labels --undirected", files={"g.el": "Bert Anna 3\nCarl Bert 4\n"},
         out=r"\AAnna -> Carl: length 7, 2 edges\n  Anna -> Bert  3\n  Bert -> Carl  4\n\Z"),
    Case("ids of --compact", "path g.el 900 7 --compact", files={"g.el": "900 80 1\n80 7 2\n"}, out="900 -> 80  1"),
    Case("neither ends nor pairs", "path {data}/tiny.gr", 2, err="give the ends of a path, FROM TO, or --pairs FILE"),
    Case("one end", "path {data}/tiny.gr 0 3 4", 2, err="vertex '4' has no other end"),
    Case("no such vertex", "path {data}/tiny.gr 0 6", 2, err=r"vertex '6', expected 0\.\.5"),
    Case("no number", "path {data}/tiny.gr 0 1x", 2, err=r"vertex '1x', expected 0\.\.5"),
    Case("no such label", "path g.el Anna Dora --labels", 2, files={"g.el": "Bert Anna 3\n"}, err="'Dora' is not in the graph"),
    Case("a label that was mistyped", "path g.el Koln Anna --labels", 2, files={"g.el": "Köln Anna 3\n"},
         err=r"vertex 'Koln' is not in the graph: did you mean 'Köln'\?"),
    Case("all labels that are not there", f"g.el --sources Koln,Anna,Bonm,x --labels {CPU}", 2, files={"g.el": "Köln Anna 3\nBonn Anna 1\n"},
         err=r"--sources: vertices 'Koln', 'Bonm', 'x' are not in the graph: did you mean 'Köln', 'Bonn'\?"),
    Case("all ends of paths that are not there", "path g.el Koln Anna x Bonm --labels", 2, files={"g.el": "Köln Anna 3\nBonn Anna 1\n"},
         err=r"vertices 'Koln', 'x', 'Bonm' are not in the graph: did you mean 'Köln', 'Bonn'\?"),
    Case("all ends in a file that are not there", "path g.el --pairs p --labels", 2, files={"g.el": "Köln Anna 3\n", "p": "Köln Anna\nKoln x\nAnna Anne\n"},
         err=r"p:2: vertices 'Koln', 'x', 'Anne' are not in the graph: did you mean 'Köln', 'Anna'\?"),
    Case("all numbers that are not there", f"{{data}}/tiny.gr --sources 0,6,1,7-9 {CPU}", 2,
         err=r"--sources: vertices '6', '7', '9', expected 0\.\.5: rows of the distances have these numbers"),
    Case("a label with a comma in a list", ["g.csv", "--sources", "Rome,Washington, D.C.", "--labels", *CPU.split()], 2,
         files={"g.csv": '"Washington, D.C.",Rome,3\n'},
         err="--sources: vertices 'Washington', 'D.C.' are not in the graph: a name with a comma is in quotes: '\"Washington, D.C.\"'"),
    Case("a label with a comma beside one that is not there", ["g.csv", "--sources", "A,B,Xyz", "--labels", *CPU.split()], 2,
         files={"g.csv": '"A,B",A,3\nA,B,4\nXyy,A,1\n'}, err="--sources: vertex 'Xyz' is not in the graph: did you mean 'Xyy'\\?"),
    Case("words of no vertex without an end", f"{{data}}/tiny.gr --sources - {CPU}", 2, stdin=b"y\n" * 300000,
         err=r"<stdin>:1: vertices 'y', 'y', 'y', 'y', 'y' and 100,000 more, expected 0\.\.5: "),
    Case("a label with a comma in a list, in quotes", ["g.csv", "--sources", 'Rome,"Washington, D.C."', "--labels", "-q", "-o", "-", *CPU.split()],
         files={"g.csv": '"Washington, D.C.",Rome,3\n'}, out=r"\A\tWashington, D\.C\.\tRome\nRome\tinf\t0\nWashington, D\.C\.\t0\t3\n\Z"),
    Case("many labels in a file that are not there", f"g.el --sources s --labels {CPU}", 2,
         files={"g.el": "A B 3\n", "s": "A\nu1\nu2\nu3\nB\nu4\nu5\nu6\nu7\n"},
         err=r"s:2: vertices 'u1', 'u2', 'u3', 'u4', 'u5' and 2 more are not in the graph"),
    Case("a label with a comma", ["g.csv", "--sources", "Washington, D.C.", "--labels", "-q", "-o", "-", *CPU.split()],
         files={"g.csv": '"Washington, D.C.",Rome,3\n'}, out=r"\A\tWashington, D\.C\.\tRome\nWashington, D\.C\.\t0\t3\n\Z"),
    Case("a label that ends in a comma", ["g.csv", "--sources", "A,", "--labels", *CPU.split()], 2,
         files={"g.csv": '"A,",A,3\n'}, err="--sources A,: a vertex has this name, and vertices have its parts"),
    Case("a label with a comma whose parts are labels", ["g.csv", "--sources", "A,B", "--labels", *CPU.split()], 2,
         files={"g.csv": '"A,B",A,3\nA,B,4\n'}, err="--sources A,B: a vertex has this name, and vertices have its parts"),
    Case("no such vertex in a file", "path {data}/tiny.gr --pairs p", 2, files={"p": "0 3\n0 99\n"}, err="p:2: vertex '99'"),
    Case("three words in a line", "path {data}/tiny.gr --pairs p", 3, files={"p": "0 3 4\n"}, err="p:1: "),
    Case("--pairs is missing", "path {data}/tiny.gr --pairs p", 3, err="p: "),
    Case("distances of more vertices", "path {data}/tiny.gr 0 3 --distances d.npy", 3, files={"d.npy": npy("<i4", "<4i", *range(4))},
         err="d.npy: distances of 2 vertices, but the graph has 6"),
    Case("distances of another graph", "path {data}/tiny.gr 0 3 --distances d.bin", 3, files={"d.bin": bytes(6 * 6 * 4)},
         err="d.bin: no path from 0 to 3 has the distance there: these are not the distances of .*tiny.gr"),
    Case("distances of another type", "path {data}/tiny.gr 0 3 --distances d.npy", 3,
         files={"d.npy": npy("<f4", "<36f", *range(36))}, err="f32 distances, but the graph has i32 weights"),
    Case("distances that are cut off", "path {data}/tiny.gr 0 3 --distances d.npy", 3,
         files={"d.npy": npy("<i4", "<36i", *range(36))[:-4]}, err="d.npy: distances of 6 vertices need 272 bytes, the file has 268"),
    Case("predecessors in another format", f"{{data}}/tiny.gr {CPU} --predecessors p.tsv", 2,
         err=r"--predecessors p.tsv: they are written as NumPy's format: give a name that ends in \.npy"),
    Case("predecessors on standard output", f"{{data}}/tiny.gr {CPU} --predecessors -", 2, err=r"ends in \.npy"),
    Case("predecessors of several graphs", f"--n 5,6 {CPU} --predecessors p.npy", 2, err="--predecessors writes the distances of one graph"),
    Case("predecessors in the file of distances", f"{{data}}/tiny.gr {CPU} --predecessors d.npy -o d.npy", 2, err="--predecessors"),
    Case("predecessors for a store of records", f"{{data}}/tiny.gr {CPU} --predecessors p.npy --record r", 2, err="--record"),
    Case("predecessors of a missing graph", f"nothing.gr {CPU} --predecessors p.npy", 3, err="nothing.gr"),
    Case("predecessors in a missing directory", f"{{data}}/tiny.gr {CPU} --predecessors no/p.npy", 6, err="no/p.npy"),
    Case("predecessors of no vertices", f"--n 0 {CPU} --predecessors p.npy", left="p.npy"),
    *(Case(f"distances of an older version, {name}", f"path {{data}}/tiny.gr 0 3 3 0 --distances {name}", out="length 5, 3 edges",
           files={name: content}) for name, content in (
               ("d.npy", npy("<i4", "<36i", *itertools.chain(*TINY_DISTANCES))),
               ("d.bin", struct.pack("<36i", *itertools.chain(*TINY_DISTANCES))))),
    Case("predecessors and stored distances", "path {data}/tiny.gr 0 3 --distances d.bin", 3,
         files={"d.bin": struct.pack("<36i", *[1] * 36)}, err="d.bin: these are not .*: the one from 3 to itself is not 0"),
    *(Case(f"--unreached {what}", f"{{data}}/tiny.gr {CPU} -o {name} --unreached {what}", 2, err=err) for what, name, err in (
        ("0", "d.npy", "'0': expected inf or a whole number, not 0"), ("0.5", "d.npy", "'0.5': expected inf"),
        ("inf", "d.bin", r"d.bin: distances with infinity are .* by extension, one of \.npy"),
        ("5", "d.npy", "--unreached 5: 5 is also the distance of a pair"))),
    *(Case(f"--out-dtype {what}", f"{{data}}/tiny.gr {CPU} -o {name} --out-dtype {what}", 2, err=err) for what, name, err in (
        ("u4", "d.npy", "u4"), ("u8", "d.bin", r"d.bin: distances of 8 or 16 bits are .* by extension, one of \.npy"),
        ("u8 --dtype f32", "d.npy", "whole distances, and these are f32"), ("least --negative", "d.npy", "0 or more"),
        ("u8 --unreached -1", "d.npy", "whole numbers up to 255"), ("u8 --unreached 256", "d.npy", "up to 255"),
        ("u16 --unreached inf", "d.npy", "up to 65535"))),
    Case("--out-dtype without -o", f"{{data}}/tiny.gr {CPU} --out-dtype u8", 2, err="--output"),
    Case("--unreached without -o", f"{{data}}/tiny.gr {CPU} --unreached inf", 2, err="--output"),
    Case("--long without -o", f"{{data}}/tiny.gr {CPU} --long", 2, err="--output"),
    Case("--long as .npy", f"{{data}}/tiny.gr {CPU} --long -o d.npy", 2,
         err=r"distances with a line for each pair .* one of \.csv \.tsv"),
    Case("distances in another format", "path {data}/tiny.gr 0 3 --distances d.tsv", 3, files={"d.tsv": "0\n"},
         err=r"d.tsv: distances are looked up in \.npy and \.bin files that -o wrote"),
)
class Memory(Suite):
    def test_of_edges_no_matrix_is_made_that_nobody_asks_for(self):
        n = 12100
        self.apsp(f"gen --family grid --n {n} -o g.gr", left="g.gr")
        sources = ",".join(map(str, range(0, 5000, 100)))
        base = self.peak(words("--n 3 --device cpu --quiet"))[2]
        for matrices, options in ((0.04, f"--sources {sources} -o t.npy"), (1.3, "--summary s.csv")):
            code, said, peak = self.peak(words(f"g.gr {options} --device cpu --threads 2 --quiet"))
            self.assertEqual((code, said), (0, ""), options)
            self.assertLess(peak - base, matrices * 4 * n * n, options)


class Paths(Suite):
    SUMMARY = "vertex,reachable,eccentricity,mean_distance,out_closeness,networkx_closeness,out_harmonic,networkx_harmonic," \
              "networkx_plain_closeness\n0,4,6,4.5,0.2222222222222222,0.0333"  # 1/5 · 1/6
    OTHER = "0 1 5\n1 2 5\n0 2 3\n"

    def test_summary(self):
        for method in ("dense", "sparse"):
            self.assertEqual(self.apsp(f"{DATA}/tiny.el {CPU} --method {method} --summary -")[:len(self.SUMMARY)], self.SUMMARY)
        said = self.apsp(f"{DATA}/tiny.el {CPU} --summary s.csv -o d.npy", left=("s.csv", "d.npy"))
        self.assertIn("\nsummary   diameter 12 (of the pairs with a path), radius 12, mean distance 5.42857 over 21 pairs\n          global efficiency ", said)
        self.assertIn(", Wiener index inf (some pairs have no path)\n", said)
        self.assertEqual((self.dir / "s.csv").read_text()[:len(self.SUMMARY)], self.SUMMARY)
        self.put("g.el", "Bert Anna 3\n")
        third = "0.3333333333333333"
        self.assertIn(f"Bert,1,3,3,{third},0,{third},0,0\nAnna,0,0,0,0,{third},0,{third},{third}\n",
                      self.apsp(f"g.el {CPU} --labels --summary -"))
        self.assertIn(f"\nBert,1,3,3,{third},,{third},,\n", self.apsp(f"g.el {CPU} --labels --targets Anna --summary -"))
        said = self.apsp(f"g.el {CPU} --labels --sources Bert --summary s.csv", left="s.csv")
        self.assertIn(f"\n          efficiency {1 / 3:.6g}, sum of distances 3\n", said)

    def test_wiener_index(self):
        """It is exact, also above 2^64."""
        weight = 2**61
        self.put("g.el", f"0 1 {weight + 1}\n" + "".join(f"{v} {v + 1} {weight // 64}\n{v + 1} {v} {weight // 64}\n"
                                                       for v in range(1, 40)) + f"1 0 {weight}\n")
        paths = [[weight // 64 * abs(u - v) for v in range(1, 41)] for u in range(1, 41)]
        total = sum(map(sum, paths)) + sum(2 * d + 2 * weight + 1 for d in paths[0])
        self.assertIn(f", Wiener index {total}\n", self.apsp(f"g.el {CPU} --dtype i64 --summary s.csv", left="s.csv"))

    def test_histogram(self):
        self.put("g.el", "0 1 2\n1 0 2\n1 2 3\n")
        self.assertEqual(self.apsp(f"g.el {CPU} --histogram -"), "from,to,pairs\n2,2,2\n3,3,1\n5,5,1\ninf,inf,2\n")
        self.assertEqual(self.apsp(f"g.el {CPU} --sources 1,1,2 --targets 1-2 --histogram -"), "from,to,pairs\n3,3,2\ninf,inf,1\n")
        for weights, dtype in (([1, 30000, 70000], "i32"), ([0.25, 3.5, 80], "f64"), ([0, 0, 0], "i64")):
            self.put("g.el", "".join(f"{v} {v + 1} {weight}\n" for v, weight in enumerate(weights)))
            ends = list(itertools.accumulate(weights, initial=0))
            exact = [b - a for a, b in itertools.combinations(ends, 2)]
            rows = [line.split(",") for line in self.apsp(f"g.el {CPU} --dtype {dtype} --histogram -").splitlines()[1:-1]]
            bins = [(float(low), float(high), int(pairs)) for low, high, pairs in rows]
            for low, high, pairs in bins:
                last = dtype != "f64" or high == max(exact)
                self.assertEqual(pairs, sum(low <= d < high or last and d == high for d in exact), (weights, low, high))
            self.assertEqual((sum(pairs for *_, pairs in bins), bins[-1][1]), (6, max(exact)))
            self.assertLessEqual(len(bins), 1000)

    def mark(self, name):
        """The hash of the graph and the number for "no path" in the blanks and tabs of a header."""
        padding = (self.dir / name).read_bytes().split(b"}")[1].split(b"\n")[0]
        bits = "".join("1" if c == 9 else "0" for c in padding[:128])
        begin, graph, number = struct.unpack("<IQi", int(bits[::-1], 2).to_bytes(16, "little"))
        self.assertEqual((begin, padding[128:].strip(b" ")), (0x61707370, b""))
        return f"{graph:016x}", number

    def test_negative_reals_of_an_older_version(self):
        """Nothing says how far from tight an edge may be but the bound for real weights below 0."""
        self.put("g.el", "0 1 0.1001\n1 2 10000.123\n2 3 -10000.12\n")
        self.apsp(f"g.el {CPU} --negative --dtype f32 -q -o d.npy", left="d.npy")
        self.put("old.npy", npy("<f4", "<16f", *itertools.chain(*read_npy(self.dir / "d.npy"))))
        self.apsp("path g.el 0 3 --negative --distances old.npy", out=r"\A0 -> 3: length 0\.10\d*, 3 edges\n")

    def test_distances_of_another_graph_are_refused(self):
        self.put("g.el", "0 1 5\n1 2 5\n")
        self.put("h.el", self.OTHER)
        hashes = [json.loads(self.apsp(f"info {name} --json"))["hash"] for name in ("g.el", "h.el")]
        self.apsp(f"g.el {CPU} -q -o d.npy --predecessors p.npy", left=("d.npy", "p.npy"))
        self.assertEqual((self.mark("d.npy"), self.mark("p.npy")), ((hashes[0], 0), (hashes[0], -9999)))
        self.apsp("path h.el 0 2 --distances d.npy", 3,
                  err=f"d.npy: distances of another graph, .* it has the hash {hashes[0]}, and this one {hashes[1]} .*solve")
        self.apsp("path g.el 0 2 2 0 --distances d.npy", out=r"length 10, 2 edges\n[^$]*2 -> 0: no path")
        # These files say nothing of a graph, so each distance is looked at.
        self.apsp(f"g.el {CPU} -q -o d.bin", left="d.bin")
        self.put("old.npy", npy("<i4", "<9i", *itertools.chain(*read_npy(self.dir / "d.npy"))))
        for name in ("d.bin", "old.npy"):
            self.apsp(f"path h.el 0 2 --distances {name}", 3,
                      err=rf"{name}: these are not the distances of h.el: the edge 0 -> 2 makes the way to 2 shorter: solve")
            self.apsp(f"path g.el 0 2 2 0 --distances {name}", out=r"length 10, 2 edges\n[^$]*2 -> 0: no path")
        self.put("h.el", "0 1 5\n1 2 5\n2 0 1\n")
        self.apsp("path h.el 2 0 --distances d.bin", 3, err="the edge 2 -> 0 makes the way to 0 shorter")
        self.put("none.npy", npy("<i4", "<9i", 0, 5, INF, INF, 0, INF, INF, INF, INF))  # no edge makes any of these shorter
        self.apsp("path g.el 0 2 --distances none.npy", 3,
                  err="none.npy: these are not the distances of g.el: the one from 2 to itself is not 0: solve")
        self.apsp(f"g.el {CPU} -q -o f.npy --dtype f32", left="f.npy")
        self.apsp("path g.el 0 2 --dtype f32 --distances f.npy", out="length 10")

    def test_unreached_is_what_was_asked_for(self):
        right = {None: INF, "inf": math.inf, "-1": -1, "77": 77}
        for dtype, usual in (("i32", INF), ("f32", math.inf), ("i64", 2**62 - 1), ("f64", math.inf)):
            for what, none in right.items():
                asked = f"--unreached {what}" if what else ""
                none = usual if what is None else none
                said = self.apsp(f"{DATA}/tiny.gr {CPU} --dtype {dtype} {asked} -o d.npy", left="d.npy")
                shown = f"9 pairs are unreachable; d.npy has {none} there"
                self.assertIn(shown + (" (--unreached inf writes infinity).\n" if none in (INF, 2**62 - 1) else ".\n"), said)
                self.assertEqual(read_npy(self.dir / "d.npy"), [[none if x == INF else x for x in row] for row in TINY_DISTANCES])
                self.apsp(f"path {DATA}/tiny.gr 0 3 3 0 --dtype {dtype} --distances d.npy", out=("length 5,", "3 -> 0: no path"))
                self.apsp("info d.npy", out=r"edges +21\n")  # as a graph, it has no edges there
                (self.dir / "d.npy").unlink()
        self.apsp(f"{DATA}/tiny.gr {CPU} --unreached -1 -q -o d.bin", left="d.bin")
        self.assertEqual(read_distances(self.dir / "d.bin"), [[-1 if x == INF else x for x in row] for row in TINY_DISTANCES])
        self.apsp(f"path {DATA}/tiny.gr 0 3 3 0 --distances d.bin", out=("length 5,", "3 -> 0: no path"))
        self.assertIn("0\t5\t2\t5\t6\t-1\n", self.apsp(f"{DATA}/tiny.gr {CPU} --unreached -1 -o -"))
        self.put("g.el", f"0 1 {2**24 + 1}\n")  # which a float32 does not hold
        self.apsp(f"g.el {CPU} -q --unreached inf -o d.npy", left="d.npy")
        data = (self.dir / "d.npy").read_bytes()
        self.assertIn(b"'<f8'", data)
        self.assertEqual(struct.unpack("<4d", data[-32:]), (0, 2**24 + 1, math.inf, 0))
        self.apsp("path g.el 0 1 1 0 --distances d.npy", out=(f"length {2**24 + 1},", "1 -> 0: no path"))

    def test_small_elements(self):
        for options, none in (("--out-dtype u8", 255), ("--out-dtype u16", 65535), ("--out-dtype least", 255),
                              ("--out-dtype u8 --unreached 9", 9), ("--out-dtype least --unreached 256", 256),
                              ("--out-dtype least --dtype i64", 255)):
            with self.subTest(options=options):
                right = [[none if x == INF else x for x in row] for row in TINY_DISTANCES]
                said = self.apsp(f"{DATA}/tiny.gr {CPU} {options} -o d.npy", left="d.npy")
                self.assertIn(f"9 pairs are unreachable; d.npy has {none} there.\n", said)
                self.assertEqual(read_npy(self.dir / "d.npy"), right)
                dtype = "--dtype i64" if "i64" in options else ""
                self.apsp(f"path {DATA}/tiny.gr 0 3 3 0 {dtype} --distances d.npy", out=("length 5,", "3 -> 0: no path"))
                self.apsp("info d.npy", out=r"edges +21\n")
                (self.dir / "d.npy").unlink()
        self.put("g.el", "0 1 254\n1 2 1\n2 3 65279\n")
        for vertices, element in ((2, "|u1"), (3, "<u2"), (4, "<u2"), (5, "<i4")):
            self.put("h.el", "".join((self.dir / "g.el").read_text().splitlines(True)[:vertices - 1]) + "3 4 1\n" * (vertices == 5))
            self.apsp(f"h.el {CPU} -q --out-dtype least -o d.npy", left="d.npy")
            self.assertIn(f"'{element}'", (self.dir / "d.npy").read_bytes().decode("latin-1"))
        self.apsp(f"g.el {CPU} --out-dtype u8 -o e.npy", 2, err="--out-dtype u8: a distance is not between 0 and 254: take u16")

    def test_small_elements_of_searches(self):
        graph = f"--family sparse --n 300 --degree 3 --range 1 {CPU} -q"
        self.apsp(f"{graph} --method dense -o i.npy --summary i.csv", left=None)
        right = read_npy(self.dir / "i.npy")

        def whole(name):  # the columns that no order of additions changes: vertex, reachable, eccentricity
            return [row[:3] for row in csv.reader((self.dir / name).read_text().splitlines())]
        for element, none in (("u8", 255), ("u16", 65535)):
            for dtype in ("i32", "i64"):
                options = f"--dtype {dtype} --method bfs --out-dtype {element} --verify --summary s.csv --predecessors p.npy"
                self.apsp(f"{graph} {options} -o d.npy", left=None)
                self.assertEqual(read_npy(self.dir / "d.npy"), [[none if x == INF else x for x in row] for row in right])
                self.assertEqual(whole("s.csv"), whole("i.csv"))
        self.put("path.csv", "".join(f"a{v},a{v + 1}\n" for v in range(300)))
        self.apsp(f"path.csv --labels {CPU} --method bfs --out-dtype u8 -o e.npy", 2,
                  err="--out-dtype: a distance is not between 0 and 254, the first pair a0 -> a255: take more bits; e.npy: not written")
        self.put("g.el", "0 1 255\n")  # without 255 for no path, 255 is a distance
        self.apsp(f"g.el {CPU} -q --method bfs --out-dtype u8 --unreached 9 -o f.npy", left=None)
        self.assertEqual(read_npy(self.dir / "f.npy"), [[0, 255], [9, 0]])

    def test_names_in_the_results(self):
        self.put("g.csv", 'A,B,5\n"B, or ""b""",=C,2\n')
        names = ["A", "B", 'B, or "b"', "=C"]
        rows = [["0", "5", "inf", "inf"], ["inf", "0", "inf", "inf"], ["inf", "inf", "0", "2"], ["inf", "inf", "inf", "0"]]
        for kind, separator in (("csv", ","), ("tsv", "\t")):
            self.apsp(f"g.csv --labels {CPU} -q -o d.{kind}", left=f"d.{kind}")  # and no file of ids
            with open(self.dir / f"d.{kind}", newline="") as file:
                self.assertEqual(list(csv.reader(file, delimiter=separator)), [["", *names]] + [[n, *r] for n, r in zip(names, rows)])
            self.apsp(f"g.csv --labels {CPU} -q -o l.{kind} --long", left=f"l.{kind}")
            with open(self.dir / f"l.{kind}", newline="") as file:
                self.assertEqual(list(csv.reader(file, delimiter=separator)), [["from", "to", "distance"]] + [
                    [names[i], names[j], d] for i, row in enumerate(rows) for j, d in enumerate(row) if d != "inf"])
        self.assertEqual(self.apsp(f"g.csv --labels {CPU} -q -o - --to csv --sources A --targets =C,A"), ",=C,A\nA,inf,0\n")
        said = self.apsp(f"g.csv --labels {CPU} --long -o l.csv", left=())
        self.assertIn("10 pairs are unreachable, and not in l.csv.\n", said)
        every = self.apsp(f"{DATA}/tiny.gr {CPU} -q --long --unreached -1 -o - --to csv").splitlines()
        self.assertEqual((len(every), every[1], every[6]), (37, "0,0,0", "0,5,-1"))
        self.assertEqual(self.apsp(f"{DATA}/tiny.gr {CPU} -q -o - --to csv").splitlines()[:2], [",0,1,2,3,4,5", "0,0,5,2,5,6,inf"])

    def test_tables(self):
        whole = [line.split("\t") for line in self.apsp(f"{DATA}/tiny.el {CPU} -o - --quiet").splitlines()]
        self.put("rows", "3  # a comment\n\n# another\n0 3\n")
        for method in ("auto", "dense", "sparse"):
            for sources, rows in (("3,0,3", (3, 0, 3)), ("1-2", (1, 2)), ("rows", (3, 0, 3)), ("", range(len(whole)))):
                for targets, columns in (("4,0", (4, 0)), ("", range(len(whole)))):
                    asked = (f" --sources {sources}" if sources else "") + (f" --targets {targets}" if targets else "")
                    expected = "".join("\t".join(whole[i][j] for j in columns) + "\n" for i in rows)
                    with self.subTest(method=method, asked=asked):
                        argv = f"{DATA}/tiny.el {CPU} --method {method}{asked} -o - --quiet"
                        self.assertEqual(self.apsp(argv), expected)
        said = self.apsp(f"{DATA}/tiny.el {CPU} --sources 0,1 --targets 3 --verify --csv r.csv -o t.npy", left=("r.csv", "t.npy"))
        self.assertIn(" ref", said)
        self.assertTrue((self.dir / "t.npy").read_bytes().endswith(struct.pack("<2i", *(int(whole[i][3]) for i in (0, 1)))))
        record = next(csv.DictReader(open(self.dir / "r.csv")))
        self.assertEqual((record["sources"], record["targets"]), ("2", "1"))
        self.put("g.el", "Bert Anna 3\nAnna 4-5 1\n")
        self.assertEqual(self.apsp(f"g.el {CPU} --labels --sources 4-5,Bert --targets 4-5 -o - --quiet"), "\t4-5\n4-5\t0\nBert\t4\n")
        self.apsp(f"g.el {CPU} --labels --sources Bert -o d.npy", left=("d.npy", "d.npy.ids"))
        self.assertIn("Bert,2,4,3.5,", self.apsp(f"g.el {CPU} --labels --sources Bert --summary -"))

    def test_streamed_distances_are_written_as_they_are_swept(self):
        """Where the matrix has no room, -o and --summary share the timed sweep. No file of this size is read into memory:
        a program that starts afterwards would be counted with it."""
        def solve(options, limit=None):
            argv = f"--n 8000 --family grid {CPU} --threads 1 --method sparse {options}"
            return subprocess.run([APSP, *argv.split()], cwd=self.dir, stdout=subprocess.PIPE, text=True, check=True,
                                  preexec_fn=limit).stdout
        solve("-o kept.npy")
        for options in ("", "--summary s.csv", "--predecessors p.npy", "--verify=dijkstra"):
            said = solve(f"-o d.npy --force {options}", limited(resource.RLIMIT_AS, 320 << 20))
            self.assertIn("no row was kept", said, options)
            self.assertTrue(filecmp.cmp(self.dir / "d.npy", self.dir / "kept.npy", shallow=False), options)

    def test_predecessors_of_a_table(self):
        self.apsp(f"{DATA}/tiny.gr {CPU} --predecessors p.npy --targets 0", 2, err="a column for each vertex: leave out --targets")
        none = -9999
        for options in ("", "--method dense", "--method sparse", "--dtype f32", "--verify", "-o d.npy", "--negative"):
            self.apsp(f"{DATA}/tiny.gr {CPU} {options} --sources 3,0,3 --predecessors p.npy --force", left=None)
            row = [none, 2, 4, none, 3, none]
            self.assertEqual(read_npy(self.dir / "p.npy"), [row, [none, 2, 0, 1, 3, none], row], options)

    def test_predecessors_of_reals(self):
        """Another edge to 2 fits within the tolerance of so many vertices."""
        for n, edges, before in ((3000, "0 1 1000.5\n1 2 0\n0 2 1000.75\n", 1),
                                 (339, "0 1 0.6152976751327515\n1 2 3.767390808206983e-05\n0 3 0.615310549736023\n3 2 0\n", 3)):
            self.put("g.el", edges)
            self.apsp(f"g.el --vertices {n} --dtype f32 {CPU} -q --force --predecessors p.npy --verify", left=None)
            self.assertEqual(struct.unpack("<3i", (self.dir / "p.npy").read_bytes()[-4 * n * n:][:12]), (-9999, 0, before))

    def test_predecessors(self):
        """Of tiny.gr only one tree is right: no two paths have the same length."""
        none = -9999
        right = [[none, 2, 0, 1, 3, none], [none, none, 4, 1, 3, none], [none, 2, none, 1, 3, none],
                 [none, 2, 4, none, 3, none], [none, 2, 4, 1, none, none], [5, 2, 0, 1, 3, none]]
        for options in ("", "--method dense", "--method sparse", "--dtype f32", "--verify", "--verify=dijkstra"):
            (self.dir / "p.npy").unlink(missing_ok=True)
            said = self.apsp(f"{DATA}/tiny.gr {CPU} {options} --predecessors p.npy", left="p.npy")
            self.assertRegex(said, r"\ntrees +[\d.]+ ms  p.npy" + (", every row verified\n" if "verify" in options else "\n"))
            self.assertEqual(read_npy(self.dir / "p.npy"), right)
        (self.dir / "p.npy").unlink()
        self.apsp(f"{DATA}/tiny.gr {CPU} --predecessors p.npy -o d.npy --summary s.csv", left=("d.npy", "p.npy", "s.csv"))
        self.assertEqual(read_npy(self.dir / "p.npy"), right)
        self.put("g.el", "Bert Anna 3\n")
        self.apsp(f"g.el {CPU} --labels --predecessors q.npy", left=("q.npy", "q.npy.ids"))
        self.assertEqual(read_npy(self.dir / "q.npy"), [[none, 0], [none, none]])

    def test_json(self):
        told = json.loads(self.apsp(f"path {DATA}/tiny.gr 0 3 3 0 --json"))
        self.assertEqual(told, [{"from": 0, "to": 3, "in_file": [1, 4], "length": 5, "vertices": [0, 2, 1, 3], "weights": [2, 3, 0]},
                                {"from": 3, "to": 0, "in_file": [4, 1], "length": None, "vertices": None, "weights": None}])
        self.put("g.el", "Bert Anna .5\n")
        self.apsp("path g.el Bert Anna --labels --json p.json", left="p.json", out="Bert -> Anna: length 0.5, 1 edge\n")
        self.assertEqual(json.loads((self.dir / "p.json").read_bytes()),
                         [{"from": "Bert", "to": "Anna", "length": .5, "vertices": ["Bert", "Anna"], "weights": [.5]}])

    def test_stored_distances_give_the_same_paths(self):
        for name, options in (("d.npy", ""), ("d.bin", ""), ("d.npy", "--dtype f32")):
            graph = f"--family sparse --n 80 --seed {random.randint(1, 10**9)}"
            self.apsp(f"gen {graph} -o g.gr", left=None)
            self.apsp(f"g.gr {options} {CPU} --quiet -o {name}", left=None)
            ends = " ".join(str(random.randrange(80)) for _ in range(40))
            with self.subTest(graph, file=name, options=options, ends=ends):
                asked = f"path g.gr {ends} {options} --json"
                lengths = [[path["length"] for path in json.loads(self.apsp(asked + more, left=None))]
                           for more in ("", f" --distances {name}")]
                self.assertEqual(*lengths)


REALS = [(0, 1, 1.5), (1, 2, 0.1), (2, 0, 3.0), (0, 2, 1.75), (1, 1, 9.5), (2, 3, 1e-40)]
REALS_EL = "".join(f"{u} {v} {w}\n" for u, v, w in REALS) + "3 0 inf\n"


LABELS = "Napoleon Myriel 31\nMyriel Valjean 2\n"
FAR = "1000000 1000001 5\n1000001 1000007 6\n"  # ids


class Ids(Suite):
    """Edge lists as other programs write them: labels, ids with gaps, commas, headers, attributes."""

    def distances_and_ids(self, file, content, options):
        self.put(file, content)
        self.apsp(f"{file} {options} {CPU} --quiet -o d.npy", left=("d.npy", "d.npy.ids"))
        result = read_npy(self.dir / "d.npy"), (self.dir / "d.npy.ids").read_text()
        for name in ("d.npy", "d.npy.ids"):
            (self.dir / name).unlink()
        return result

    def test_compact(self):
        path = floyd_warshall(matrix(3, [(0, 1, 5), (1, 2, 6)]))
        self.assertEqual(self.distances_and_ids("g.el", FAR, "--compact"), (path, "1000000\n1000001\n1000007\n"))
        self.assertEqual(self.distances_and_ids("g.gr", "p sp 9 2\na 2 4 5\na 4 9 6\n", "--compact"), (path, "2\n4\n9\n"))
        self.assertEqual(self.distances_and_ids("one.el", "3 5 5\n5 6 6\n", "--base 1 --compact"), (path, "3\n5\n6\n"))

    def test_labels(self):
        for file, content in (("g.el", LABELS), ("g.csv", "source,target,weight\n" + LABELS.replace(" ", ",")),
                              ("g.tsv", LABELS.replace(" ", "\t")), ("g.edgelist", as_attributes(LABELS))):
            with self.subTest(file):
                self.assertEqual(self.distances_and_ids(file, content, "--labels"),
                                 (floyd_warshall(matrix(3, [(0, 1, 31), (1, 2, 2)])), "Napoleon\nMyriel\nValjean\n"))

    def test_convert_writes_the_map_and_info_does_not(self):
        self.put("g.el", FAR)
        self.apsp("info g.el", out=(r"vertices +1,000,008", r"unused +1,000,005 vertices have no edge.*--compact"))
        self.apsp("info g.el --compact", out=(r"vertices +3\n", r"\A(?![^$]*unused)"))
        self.apsp(f"g.el --compact {CPU}")
        self.apsp("convert g.el --compact c.el", left=("c.el", "c.el.ids"))
        self.assertEqual((self.dir / "c.el").read_text(), "# Nodes: 3 Edges: 2\n0 1 5\n1 2 6\n")
        self.assertEqual((self.dir / "c.el.ids").read_text(), "1000000\n1000001\n1000007\n")
        for flag in ("--compact", "--labels"):
            self.apsp(f"convert g.el {flag} - --to el", 2, out=r"\A\Z", err="file name")

    def test_the_map_is_left_out_where_there_is_none(self):
        self.apsp(f"{DATA}/tiny.el {CPU} --quiet -o d.npy", left="d.npy")
        self.apsp(f"convert {DATA}/tiny.el g.el", left="g.el")

    def test_the_map_of_an_earlier_run_is_replaced_and_removed(self):
        self.put("g.el", LABELS)
        self.put("h.el", LABELS.replace("Valjean", "Javert"))
        for argv, name in ((f"{{}} {{}} {CPU} -q -o d.npy", "d.npy"), ("convert {} c.gr {}", "c.gr"),
                           (f"{{}} {{}} {CPU} -q --predecessors p.npy", "p.npy")):
            ids = self.dir / f"{name}.ids"
            for file, last in (("g.el", "Valjean"), ("h.el", "Javert")):
                self.apsp(argv.format(file, "--labels"), left=None)
                self.assertEqual(ids.read_text(), f"Napoleon\nMyriel\n{last}\n")
            copy = ids.read_text()
            self.apsp(argv.format(f"{DATA}/tiny.el", ""), left=None)
            self.assertFalse(ids.exists(), name)
            ids.write_text(copy)  # somebody else's, with the same content
            self.apsp(argv.format("h.el", "--labels"), left=None)
            ids.write_text("mine\n")
            self.apsp(argv.format("g.el", "--labels"), 6, err=rf"{name}\.ids: .*--force")
            self.apsp(argv.format("g.el", "--labels --force"), left=None)
            self.assertEqual(ids.read_text(), "Napoleon\nMyriel\nValjean\n")

    def test_a_map_that_cannot_be_written_leaves_the_result_as_it_was(self):
        self.put("g.el", LABELS)
        self.put("d.npy", "old")
        (self.dir / "d.npy.ids").mkdir()
        self.apsp(f"g.el --labels {CPU} -o d.npy", 6, err=r"d\.npy\.ids")
        self.assertEqual((self.dir / "d.npy").read_text(), "old")

    def test_memory_error_names_compact(self):
        self.put("g.el", FAR)
        self.apsp(f"g.el {CPU}", 5, err=r"1000008: .*3 of the 1000008 ids.*--compact")
        self.put("h.el", "1000008\n" + FAR)
        self.apsp(f"h.el {CPU}", 5, err=r"smaller graph \(n = \d+ would fit\); if most ids have no edge, --compact")
        edges = [(10**6 - 1, 10**6, 5)]
        for file, content in (("g.gr", "p sp 1000008 1\na 1000000 1000001 5\n"), ("g.bin", edges_bin(1000008, edges)),
                              ("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n1000008 1000008 1\n7 9\n")):
            self.put(file, content)
            self.apsp(f"{file} {CPU}", 5, err=r"smaller graph \(n = \d+ would fit\); at most 2 of the 1,000,008 vertices .*--compact")
            self.apsp(f"{file} {CPU} --compact", out="2 vertices, 1 edge,")
        self.put("h.gr", "p sp 300000 80000\n")
        self.apsp(f"h.gr {CPU} --method dense", 5, err=r"smaller graph \(n = \d+ would fit\)\n")
        self.apsp(f"--n 2000000 {CPU}", 5, err=r"smaller graph \(n = \d+ would fit\)\n")
        self.apsp(f"--n 2000000 {CPU} --verify", 5, err=r"smaller graph, or do not verify \(n = \d+ would fit\)\n")

    def test_a_graph_as_text(self):
        text = self.apsp("gen --n 3 -o - --to el")
        self.assertRegex(text, r"\A# Nodes: 3 Edges: 6\n(\d \d \d+\n){6}\Z")
        self.put("g.el", "0 1 5\n")
        self.assertEqual(self.apsp("convert g.el - --vertices 3 --to el"), "# Nodes: 3 Edges: 1\n0 1 5\n")
        self.put("f.el", "0 1 0.5\n1 2 4\n")
        self.assertEqual(self.apsp("convert f.el - --to el"), "# Nodes: 3 Edges: 2\n0 1 0.5\n1 2 4.0\n")

    def written_by_others(self):
        """Files of NetworkX and igraph. {file: {directed, names, distances}}, by NetworkX; null where there is no path."""
        for python in filter(os.path.exists, (sys.executable, "/usr/bin/python3")):
            run = subprocess.run([python, "-c", WRITE_AS_OTHERS], cwd=self.dir, capture_output=True, text=True)
            if run.returncode != 77:
                break
        else:
            self.skipTest("needs NetworkX and igraph")
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_files_of_other_programs(self):
        """The command that the error names is run as it is. It keeps vertices without edges, names and directions."""
        written = self.written_by_others()
        self.assertEqual({Path(file).suffix for file in written}, {".gml", ".net", ".gexf", ".adjlist", ".graphml"})
        for file, expected in written.items():
            with self.subTest(file):
                command = f"{shlex.quote(str(APSP))} {shlex.quote(file)}"
                if not file.endswith(".graphml"):
                    said = self.popen(["info", file]).communicate()[1].decode()
                    command = re.search(r"\Aapsp: .* is not read: (python3 .*) reads it[^\n]*\n\Z", said)[1]
                    if expected["directed"] and file.endswith(".adjlist"):
                        self.assertIn("give the script --directed", said)
                        command = command.replace(" |", " --directed |")
                run = subprocess.run(["bash", "-c", f"set -o pipefail; {command} {CPU} -o d.npy"], cwd=self.dir,
                                     capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr)
                twice = re.search(r"some names of vertices are .*there twice.*: the vertices have their ids", run.stdout + run.stderr)
                if not file.endswith(".net"):  # only some versions of igraph write names there
                    self.assertEqual(twice is not None, file.endswith(("nt.graphml", "nt.gml")), run.stderr)
                rows, ids = read_npy(self.dir / "d.npy"), self.dir / "d.npy.ids"
                names = ids.read_text().splitlines() if ids.exists() else [str(v) for v in range(len(rows))]
                self.assertEqual(sorted(names), sorted(expected["names"]))
                at = [names.index(name) for name in expected["names"]]
                self.assertEqual([[None if rows[u][v] in (INF, math.inf) else rows[u][v] for v in at] for u in at],
                                 expected["distances"])

    def test_graphs_with_names_from_networkx_and_back(self):
        try:
            import networkx
        except ImportError:
            self.skipTest("needs networkx")
        friends = networkx.les_miserables_graph()
        one_way = networkx.DiGraph()
        one_way.add_nodes_from(friends)
        one_way.add_edges_from(friends.edges(data=True))
        for graph in (friends, one_way, networkx.MultiGraph(friends)):
            (self.dir / "g.json").write_text(json.dumps(networkx.node_link_data(graph)))
            networkx.write_graphml(graph, self.dir / "g.graphml")
            numbers = {name: number for number, name in enumerate(graph)}
            expected = self.edges_of(networkx.relabel_nodes(graph, numbers))
            ways = dict(networkx.all_pairs_dijkstra_path_length(graph))
            for kind in sorted({"json", "graphml"} & set(FORMATS)):
                with self.subTest(type(graph).__name__, kind=kind):
                    self.apsp(f"g.{kind} {CPU} --quiet -o d.npy", left=None)
                    self.assertEqual((self.dir / "d.npy.ids").read_text().splitlines(), list(graph))
                    self.assertEqual(read_npy(self.dir / "d.npy"), [[ways[u].get(v, INF) for v in graph] for u in graph])
                    self.apsp(f"convert g.{kind} h.{kind}", left=None)
                    back = networkx.relabel_nodes(networkx.read_graphml(self.dir / "h.graphml"), numbers) if kind == "graphml" \
                        else networkx.relabel_nodes(self.node_link_graph(networkx, json.loads((self.dir / "h.json").read_text())), numbers)
                    self.assertEqual(back.is_directed(), graph.is_directed())
                    self.assertEqual(self.edges_of(back), expected)

    def edges_of(self, graph):
        """{(source, target, weight)}; of an undirected graph the smaller end comes first."""
        ends = tuple if graph.is_directed() else sorted
        return {(*ends(edge[:2]), edge[2]["weight"]) for edge in graph.edges(data=True)}

    def node_link_graph(self, networkx, data):
        try:
            return networkx.node_link_graph(data, edges="edges")
        except TypeError:  # before 3.4
            return networkx.node_link_graph(data, link="edges")

    def test_files_that_networkx_writes(self):
        try:
            import networkx
        except ImportError:
            self.skipTest("needs networkx")
        graph = networkx.les_miserables_graph().to_directed()
        networkx.write_edgelist(graph, self.dir / "g.edgelist")
        networkx.write_weighted_edgelist(graph, self.dir / "g.wel")
        networkx.write_weighted_edgelist(graph, self.dir / "g.csv", delimiter=",")
        for file in ("g.edgelist", "g.wel", "g.csv"):
            self.apsp(f"convert {file} --labels g.npy", left=None)
            ids = (self.dir / "g.npy.ids").read_text().splitlines()
            self.assertEqual(ids, list(networkx.read_weighted_edgelist(self.dir / "g.wel")), "numbered as NetworkX does")
            expected = [[graph.get_edge_data(u, v, {}).get("weight", -1) if u != v else 0 for v in ids] for u in ids]
            self.assertEqual([[-1 if w == INF else w for w in row] for row in read_npy(self.dir / "g.npy")], expected, file)


def as_attributes(edges):
    """The same edges as networkx.write_edgelist writes them."""
    return "".join(f"{u} {v} {{'weight': {w}}}\n" for u, v, w in map(str.split, edges.splitlines()))


class RealWeights(Suite):
    def solve(self, graph, options=""):
        self.apsp(f"{graph} {CPU} --quiet --verify {options} -o d.npy", left=None)
        return read_npy(self.dir / "d.npy")

    def float_matrix(self):
        exact = [[math.inf if w == INF else w for w in row] for row in matrix(4, REALS)]
        return [struct.unpack("<4f", struct.pack("<4f", *row)) for row in exact]

    def test_every_format_is_the_same_graph(self):
        flat = list(itertools.chain(*self.float_matrix()))
        self.put("g.el", REALS_EL)
        self.put("f4.npy", npy("<f4", "<16f", *flat))
        self.put("f8.npy", npy("<f8", "<16d", *flat))
        self.put("big.npy", npy(">f8", ">16d", *flat))
        self.put("array.mtx", f"%%MatrixMarket matrix array real general\n4 4\n"
                 + "".join(f"{w}\n" for column in zip(*self.float_matrix()) for w in column))
        self.apsp("convert g.el g.mtx", left="g.mtx")
        self.apsp("convert g.el g.npy --dtype f32", left="g.npy")
        self.assertIn("coordinate real general", (self.dir / "g.mtx").read_text())
        self.assertEqual((self.dir / "g.npy").read_bytes(), (self.dir / "f4.npy").read_bytes())
        files = sorted(p.name for p in self.dir.iterdir())
        self.assertEqual(len({hash_of(self.apsp(f"info {name} --dtype f32", out="f32, 1e-40 to 3\n")) for name in files}), 1, files)
        for name in files:
            with self.subTest(name):
                d = self.solve(name, "--dtype f32")
                self.assertEqual(d[0][:3], [0, 1.5, float32(struct.pack("<f", 1.5 + 0.1))[0]])
                self.assertEqual(d[3], [math.inf] * 3 + [0])
                self.assertEqual(d[2][3], float32(struct.pack("<f", 1e-40))[0])

    def test_the_type_is_the_weights_or_what_is_asked_for(self):
        for content, options, descr in (("0 1 0.5\n", "", "<f8"), ("0 1 5.0\n", "", "<i4"), ("0 1 5\n", "", "<i4"),
                                        ("0 1 4294967296\n", "", "<i8"), ("0 1 5\n", "--dtype i64", "<i8"),
                                        ("0 1 5\n", "--dtype f64", "<f8"), ("0 1 0.5\n", "--dtype f32", "<f4"),
                                        ("0 1 5\n", "--dtype f32", "<f4"), ("0 1 5.0\n", "--dtype i32", "<i4"),
                                        ("0 1 5\n1 2 .5", "--dtype auto", "<f8")):
            with self.subTest(content, options=options):
                self.put("g.el", content)
                self.solve("g.el", options)
                self.assertIn(descr.encode(), (self.dir / "d.npy").read_bytes()[:64])
                record, = self.records(f"g.el {CPU} {options}")
                self.assertEqual(record["dtype"], {"<f4": "f32", "<i4": "i32", "<f8": "f64", "<i8": "i64"}[descr])

    def test_integer_formats_become_floats_where_asked(self):
        for name in TINY:
            with self.subTest(name):
                d = self.solve(f"{DATA}/{name}", "--dtype f32")
                self.assertEqual([[INF if w == math.inf else w for w in row] for row in d], TINY_DISTANCES)
                self.assertIsInstance(d[0][1], float)

    def test_generated(self):
        for family in FAMILIES:
            with self.subTest(family):
                ints = self.distances(f"--n 40 --family {family}")
                floats = self.solve(f"--n 40 --family {family} --dtype f32")
                self.assertEqual([[INF if w == math.inf else w for w in row] for row in floats], ints)
        self.apsp("gen --n 40 --dtype f32 -o g.npy", left="g.npy")
        record, = self.records(f"--n 40 --dtype f32 {CPU}")
        self.assertEqual(record["hash"], hash_of(self.apsp("info g.npy --dtype f32")))

    def test_standard_input(self):
        self.apsp(f"- --format el {CPU} --quiet -o d.tsv", stdin=b"0 1 2\n1 2 0.25\n", left="d.tsv")
        self.assertEqual((self.dir / "d.tsv").read_text(), "0\t2\t2.25\ninf\t0\t0.25\ninf\tinf\t0\n")

    def test_the_record_states_the_tolerance(self):
        ref, apsp = self.records(f"--n 100 --dtype f32 --kernel ref,apsp --verify {CPU}")
        self.assertEqual((ref["verified"], apsp["verified"]), ("dijkstra:16±6.0e-08/edge", "ref±1.2e-07/edge"))
        self.apsp(f"--n 100 --dtype f32 --verify {CPU}", out=r"(?m)f32 weights[^$]*^apsp .* ref±1\.2e-07/edge$")

    def test_types_are_points_of_their_own(self):
        for dtype, new in (("i32", True), ("f32", True), ("i64", True), ("f64", True), ("f32", False)):
            out = self.apsp(f"--n 6 --family zero --dtype {dtype} {CPU} --record rec", left=None)
            self.assertEqual("skipped" not in out, new, dtype)
        self.apsp("report rec", out=r"zero seed=1 range=100000\n[^$]*zero seed=1 range=100000 f32\n")

    def test_sums_up_to_the_largest_float(self):
        self.put("g.el", "0 1 2e38\n1 2 1e38\n3 4 1\n")
        self.assertLess(self.solve("g.el", "--dtype f32")[0][2], math.inf)
        self.put("g.el", "0 1 9e307\n1 2 8e307\n3 4 1\n")
        self.assertLess(self.solve("g.el")[0][2], math.inf)


# ---- results -----------------------------------------------------------------------------------------------

SIZES = (0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100)


class Results(Suite):
    device, families, family_sizes, sizes = CPU, FAMILIES, (0, 1, 2, 3, 34), SIZES

    def compare(self, options):
        """A generated graph solved directly and from a file, against Floyd and Warshall."""
        expected = floyd_warshall(self.generated(options))
        self.assertEqual(self.distances("generated.npy --zero edge", self.device), expected)
        self.assertEqual(self.distances(options, self.device), expected)

    def test_every_family(self):
        for family, n in itertools.product(self.families, self.family_sizes):
            with self.subTest(family, n=n):
                self.compare(f"--family {family} --n {n}" + ("" if family in FIXED else f" --seed {n + 5}"))

    def test_every_size(self):
        families = "uniform --range 20", "sparse --degree 2", "disconnected --undirected"
        for n, family in itertools.product(self.sizes, families):
            with self.subTest(family, n=n):
                self.compare(f"--family {family} --n {n}")

    def test_random_edge_lists(self):
        pick = random.Random(1)
        for n in (*SIZES[2:], *(pick.randrange(4, 90) for _ in range(5))):
            edges = [(pick.randrange(n), pick.randrange(n), pick.choice((0, 1, 7, 10**6))) for _ in range(3 * n)]
            with self.subTest(n=n):
                self.put("g.bin", edges_bin(n, edges))
                found = self.distances("g.bin --format bin-edges", self.device)
                self.assertEqual(found, floyd_warshall(matrix(n, edges)))

    def test_every_kernel(self):
        graph = "--family sparse --n 70 --degree 3"
        expected = floyd_warshall(self.generated(graph))
        device = self.device.split()[1]
        kernels = [line.split()[0] for line in self.apsp("--list-kernels").splitlines() if line.split()[1] == device]
        self.assertLessEqual({"apsp", "ref"}, set(kernels))
        for kernel in kernels:
            with self.subTest(kernel):
                self.assertEqual(self.distances(f"{graph} --kernel {kernel}", self.device), expected)

    def test_other_numbers_for_the_same_vertices(self):
        device = self.device.split("--warmup")[0]
        for n in (0, 1, 2, 45):
            graph = f"--n {n} --family sparse --degree 3"
            self.apsp(f"gen {graph} -o g.bin", left=None)
            self.apsp(f"g.bin {device} --vary --reps 3 --kernel ref,apsp --verify -o d.npy", left="d.npy",
                      out=r"ref .* dijkstra:\d+\napsp .* ref\n")
            self.assertEqual(read_npy(self.dir / "d.npy"), floyd_warshall(self.generated(graph)), n)
            (self.dir / "d.npy").unlink()

    def test_another_seed_for_each_call(self):
        device = self.device.split("--warmup")[0]
        graph = f"--n 30 --family uniform {device} --vary --reps 3 --kernel ref,apsp --verify apsp"
        seeds = {record["seed"] for _ in range(2) for record in self.records(graph)}
        self.assertEqual(len(seeds), 2)  # one for each run
        seed = seeds.pop()
        again = [{record["hash"] for record in self.records(f"{graph} --seed {seed}")} for _ in range(2)]
        self.assertEqual(again[0], again[1])
        self.assertEqual(len(again[0]), 1)

    def test_no_more_calls_than_there_are_ways_to_number_the_vertices(self):
        self.apsp("gen --n 20 -o g.bin", left=None)
        for options, reps in ("", 19), ("--warmup 4", 16), ("--warmup 30", 1), ("--reps 25", 25):
            record, = self.records(f"g.bin --device cpu --kernel apsp --vary {options}")
            self.assertEqual(record["reps"], reps, options)

    def test_records_hash_is_the_files(self):
        for family in self.families:
            self.apsp(f"gen --family {family} --n 50 -o g.bin", left=None)
            record, = self.records(f"--family {family} --n 50 {self.device}")
            self.assertEqual(record["hash"], hash_of(self.apsp("info g.bin")), family)


class CpuResults(Suite):
    def test_every_output_format(self):
        for options in ("--n 0", "--n 1", "--n 2", "--n 40 --family disconnected"):
            with self.subTest(options):
                expected = floyd_warshall(self.generated(options))
                for name in ("d.npy", "d.bin", "d.tsv"):
                    self.apsp(f"{options} {CPU} --quiet -o {name}", left=None)
                    self.assertEqual(read_distances(self.dir / name), expected, name)

    def test_threads(self):
        self.assertEqual(*(self.distances(f"--n 150 --threads {t}") for t in (1, 2)))

    def test_methods(self):
        """Of a random graph most edges are left out, if that is not forbidden; the distances are the same."""
        graph = f"--n 700 --family uniform {CPU}"
        found = {}
        for method in ("auto", "dense", "filtered"):
            record, = self.records(f"{graph} --method {method} -o {method}.npy", left=(f"{method}.npy",))
            self.assertEqual(record["method"], method)
            self.assertEqual(record["solved_by"], "dense" if method == "dense" else "filtered")
            self.assertEqual([record[key] is None for key in ("kept", "passes", "survey_ms", "filter_ms", "relax_ms")],
                             5 * [method == "dense"], record)
            found[method] = (self.dir / f"{method}.npy").read_bytes()
        self.assertEqual(found["auto"], found["dense"])
        self.assertEqual(found["filtered"], found["dense"])
        self.apsp(f"{graph} --verify", out=(r"(?m)^apsp   u16 .* - +- +- ref", r"\n +filtered: \d+\.\d of 699\.0 edges a vertex",
                                            r"\n +exact: the other 9\d\.\d+% of the edges are longer", r"\n +survey .*, filter .*, relax "))
        self.apsp(f"{graph} --method dense", out=r"(?m)^apsp   i32 .* [GM] ")
        self.apsp(f"--n 3 --method filtered {CPU} --verify", out=r"(?m)^apsp   i32")  # few vertices for hubs
        self.apsp(f"--n 5 --method filtered --kernel ref {CPU}", 2, err=r"--method has no effect on the kernel ref \(cpu\)")
        self.apsp(f"{graph} --method dense --csv r.csv", left="r.csv")
        self.apsp("report r.csv", out="--method dense")

    def test_the_sparse_method(self):
        """Of a grid most vertices are eliminated, if that is not forbidden; the distances are the same."""
        graph = f"--n 1600 --family grid {CPU} --threads 2"
        phases = [f"{phase}_ms" for phase in ("order", "eliminate", "customise", "prune", "sweep")]
        found = {}
        for method in ("auto", "dense", "sparse"):
            record, = self.records(f"{graph} --method {method} -o {method}.npy", left=(f"{method}.npy",))
            self.assertEqual(record["solved_by"], "dense" if method == "dense" else "sparse")
            for key in ("core", "streamed", *phases):
                self.assertEqual(record[key] in (None, ""), method == "dense", (method, key, record[key]))
            found[method] = (self.dir / f"{method}.npy").read_bytes()
        self.assertEqual(found["auto"], found["dense"])
        self.assertEqual(found["sparse"], found["dense"])
        self.apsp(f"{graph} --verify", out=(r"(?m)^apsp   i32 .* - +- +- ref", r"\n +sparse: \d+\.\d arcs a vertex",
                                            r"expected [\d.]+ m?s; the dense method would take [\d.]+ m?s\n", r"\n +order .*, sweep .* ms\n",
                                            "distances per second"))
        self.apsp(f"--n 5000 --family grid --method sparse {CPU} --verify", out=r"(?m)^apsp   i32 .* bellman:5000")
        self.apsp(f"--n 300 --family uniform --method sparse {CPU} --verify", out="bellman|ref")  # a matrix is no obstacle
        self.apsp(f"--n 40 --family grid --method sparse --dtype f32 {CPU} --verify", out=r"(?m)^apsp   f32 .* ref±")
        for n in (0, 1, 2):
            self.apsp(f"--n {n} --family grid --method sparse {CPU} --verify")
        self.apsp(f"data/none.gr --method sparce {CPU}", 2, err="sparse")

    def test_unreachable_pairs_are_counted(self):
        unreachable = sum(row.count(INF) for row in self.distances("--n 20 --family disconnected"))
        record, = self.records(f"--n 20 --family disconnected {CPU}")
        self.assertEqual(record["unreachable"], unreachable)
        self.apsp(f"--n 20 --family disconnected {CPU}", out=f"{unreachable} pairs are unreachable")


@needs_gpu
class GpuResults(Results):
    device = CPU.replace("cpu", "gpu")
    if not FULL:  # each program takes its time to start the GPU; tests of the parts do more
        families, family_sizes, sizes = FAMILIES[::4], (34,), (0, 1, 33, 100)

    def test_record_names_the_gpu(self):
        record, = self.records(f"--n 5 {self.device}")
        self.assertTrue(record["device_name"] and record["device_uuid"] and record["driver"], record)
        self.assertEqual(record["device"], "gpu")

    def test_many_vertices_are_filtered(self):
        """More than have their distances in shared memory."""
        record, = self.records(f"--n 55000 --family course --device gpu --warmup 0 --reps 1 --verify=bellman:1")
        self.assertEqual((record["solved_by"], record["verified"]), ("filtered", "bellman:1"))


@needs_gpu
@table(
    Case("chosen by default", "--n 3 --verify", out=r"(?m)^device +(?!.*threads)[^$]*^apsp .* ref$"),
    Case("16 bits that cannot be", "g.el --precision 16 --device gpu -o d.npy --json j --csv c", 3,
         err=("certified", "--precision auto or 32"), files={"g.el": "0 1 100000\n"}, left="c"),  # its header
    Case("verified by ref", "--n 500 --device gpu --verify", out=r"(?m)^apsp .* ref$"),
    Case("verified by Dijkstra", "--n 500 --device gpu --verify=dijkstra:8", out="dijkstra:8"),
    Case("reduce", "reduce --n 1,999 --sizes 5000 --reps 2", out=(r"(?m)(^e[1-8] .* exact\n){8}^cub .* exact$", "n = 5,000")),
    Case("reduce quietly", "reduce --n 9 --reps 2 --quiet", out=r"\A\Z"),
)
class GpuTables(Suite):
    """What is printed: it says who else uses the GPU."""
    device = GpuResults.device

    def test_ladder(self):
        self.apsp("ladder --sizes '33 64' --reps 1 --csv c.csv --json j", left=("c.csv", "j"),
                  out=(r"(?m)^n = 33 ", r"(?m)^n = 64 ", r"(?m)^ref .*dijkstra:16$", r"(?m)^apsp .* ref$"))
        with open(self.dir / "c.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        told = json.loads((self.dir / "j").read_bytes())
        self.assertEqual([(row["rung"], int(row["n"])) for row in rows], [(row["rung"], row["n"]) for row in told])
        self.assertEqual({row["report"] for row in rows}, set("-ABCD"))
        for row in rows:
            self.assertEqual(row["verified"], "dijkstra:16" if row["rung"] == "ref" else "ref", row)
        self.apsp("ladder --sizes 33 --reps 1 --report B --quiet --csv b.csv", out=r"\A\Z", left="b.csv")
        self.apsp("ladder --sizes 33 --report Z", 2, err="'Z'.*A, B, C, D")

    def test_submissions(self):
        cache = {"XDG_CACHE_HOME": str(self.dir / "cache")}
        self.put("x.cu", "__global__ void relax(int n, int k, int* g) {\n"
                         "  const int i = blockIdx.x, j = threadIdx.x;\n"
                         "  g[i * n + j] = min(g[i * n + j], g[i * n + k] + g[k * n + j]);\n}\n"
                         "void apsp(int n, int* g) { for (int k = 0; k < n; ++k) relax<<<n, n>>>(n, k, g); }\n")
        self.apsp(f"--n 100 --kernel ref,./x.cu --verify {self.device}", left=None, env=cache, out=r"x\.cu .*x +ref\n")
        self.apsp("ladder --sizes 100 --report A --reps 1 --kernel ./x.cu", left=None, env=cache,
                  out=r"(?m)^\./x\.cu .* ref$")
        self.put("bad.cu", "void apsp(int n, int* g) { return 1 }\n")
        process = self.popen(f"--n 9 --kernel ./bad.cu {self.device}", env=cache)
        told = process.communicate()[1].decode()
        self.assertEqual(process.returncode, 3, told)
        self.assertRegex(told, r"(?s)errors? detected.*\napsp: \./bad\.cu: does not compile: .*bad\.cu\(1\): error[^\n]*\n\Z")

    def test_reduce_tells_the_terminal_the_csv_and_the_json(self):
        argv = "reduce --n 1000 --sizes 100000 --warmup 0 --reps 2"
        shown = self.apsp(f"{argv} --csv c.csv", left="c.csv")
        self.assertEqual([line for line in shown.splitlines() if len(line) > 80], [])
        with open(self.dir / "c.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), (
            "time step what n median_ms min_ms max_ms reps bytes_per_s copy_bytes_per_s pct_of_copy speedup_step "
            "speedup_baseline report_ms report_speedup_step report_speedup_baseline verified device_name device_short "
            "revision dirty").split())
        steps = [*(f"e{i}" for i in range(1, 9)), "cub"]
        self.assertEqual([(row["n"], row["step"]) for row in rows], [*itertools.product(("1000", "100000"), steps)])
        self.assertEqual({(row["verified"], row["reps"]) for row in rows}, {("exact", "2")})
        self.assertAlmostEqual(float(rows[7]["report_speedup_baseline"]), 1322721 / 948959, delta=1e-5)
        records = json.loads(self.apsp(f"{argv} --json -"))
        self.assertEqual([record["step"] for record in records], 2 * steps)
        self.assertIsNone(records[-1]["report_ms"])


# ---- negative weights --------------------------------------------------------------------------------------

@table(
    Case("gen without effect", "gen --n 9 --negative -o g.el", 2, err="--negative has no effect on the family course"),
    Case("exit code in the help", "--help", out=r"has a negative\s+cycle"),
)
class NegativeWeights(Suite):
    def test_every_command_takes_them(self):
        for family in NEGATIVE:
            self.apsp(f"gen --n 40 --family {family} --negative -o g.el", left=None)
            self.apsp("convert g.el g.npy --negative", left=None)
            for graph in ("g.el", "g.npy --zero edge"):
                said = self.apsp(f"{graph} --negative {CPU} --verify -o d.npy --summary s.csv", left=None)
                self.assertRegex(said, r"bellman:40\b")
                self.assertRegex(said, r"potentials: \d+ pass(es)?; with both shifts")
                distances = read_npy(self.dir / "d.npy")
                row = next(csv.DictReader((self.dir / "s.csv").open()))
                reached = [d for d in distances[0][1:] if d < INF]
                self.assertEqual(int(row["eccentricity"]), max(reached, default=0), family)
            for vertex in range(0, 40, 8):
                paths = [json.loads(self.apsp(f"path g.el {vertex} 3 --negative --json {options}", left=None))[0]
                         for options in ("", "--distances d.npy")]
                for path in paths:
                    self.assertEqual(path["length"], distances[vertex][3] if distances[vertex][3] < INF else None)
                    self.assertEqual(path["length"], sum(path["weights"]) if path["weights"] is not None else None)
        self.assertRegex(self.apsp("info g.el --negative", left=None), r"weights +i32, -\d+ to -\d+\n")

    def test_predecessors(self):
        """One tree is right: no two paths have the same length. 2 and 3 are a cycle of length 0."""
        self.put("g.el", "0 1 5\n1 2 -7\n0 2 -1\n2 3 -4\n3 2 4\n")
        right = [[-9999, 0, 1, 2, -9999], [-9999, -9999, 1, 2, -9999], [-9999, -9999, -9999, 2, -9999],
                 [-9999, -9999, 3, -9999, -9999], 5 * [-9999]]
        self.apsp("convert g.el g.npy --negative --vertices 5", left=None)
        for graph in ("g.el --vertices 5", "g.el --vertices 5 --method sparse", "g.npy --zero edge"):
            for verify in ("--verify", ""):
                said = self.apsp(f"{graph} --negative {CPU} -o d.npy --predecessors p.npy {verify}", left=None)
                self.assertEqual("every row verified" in said, verify != "", said)
                self.assertEqual(read_npy(self.dir / "p.npy"), right, graph)
                self.assertEqual(read_npy(self.dir / "d.npy")[0], [0, 5, -2, -6, INF])

    def test_tables(self):
        self.apsp("gen --n 40 --family planted-arcs --negative -o g.el", left=None)
        self.apsp("convert g.el g.npy --negative", left=None)
        whole = [line.split("\t") for line in self.apsp(f"g.el --negative {CPU} -o - --quiet", left=None).splitlines()]
        self.assertTrue(any(word.startswith("-") for row in whole for word in row))
        for graph in ("g.el", "g.el --method sparse", "g.npy --zero edge"):
            for sources, rows in (("3,0,3", (3, 0, 3)), ("", range(40))):
                for targets, columns in (("4,39", (4, 39)), ("", range(40))):
                    asked = (f" --sources {sources}" if sources else "") + (f" --targets {targets}" if targets else "")
                    expected = "".join("\t".join(whole[i][j] for j in columns) + "\n" for i in rows)
                    with self.subTest(graph=graph, asked=asked):
                        self.assertEqual(self.apsp(f"{graph} --negative {CPU}{asked} -o - --quiet --verify", left=None), expected)
        said = self.apsp(f"g.el --negative {CPU} --sources 3,0 --targets 4 --summary s.csv --verify", left=None)
        self.assertRegex(said, r"bellman:2\b")
        for line, i in zip(csv.DictReader((self.dir / "s.csv").open()), (3, 0), strict=True):
            reached = [] if whole[i][4] == "inf" else [whole[i][4]]
            self.assertEqual((line["reachable"], line["eccentricity"]), (str(len(reached)), (reached or ["0"])[0]))
        self.apsp(f"g.el --negative {CPU} --sources 3,0,9 --verify=bellman:2", left=None, out=r"bellman:2\b")

    def test_cycles_out_of_reach(self):
        for file, more in (("g.el", ""), ("g.npy", ""), ("g.el", " --dtype f32"), ("g.el", " --dtype i64 --precision 64")):
            with self.subTest(file=file, more=more):
                self.put("g.el", "0 1 5\n1 2 -3\n3 4 1\n4 3 -2\n4 2 -9\n")
                self.apsp("convert g.el g.npy --negative", left=None)
                given = f"{file} --negative{more} {CPU}"
                said = self.apsp(f"{given} -o - --quiet --sources 1,0 --verify --predecessors p.npy", left=None)
                self.assertEqual(said, "inf\t0\t-3\tinf\tinf\n0\t5\t2\tinf\tinf\n")
                self.assertEqual(self.apsp(f"{given} -o - --quiet --sources 0 --targets 2,1 --verify", left=None), "2\t5\n")
                if " --" not in more:  # numbered anew in each call
                    self.apsp(f"{given.replace('--reps 1', '--reps 3')} --quiet --sources 1,0 --vary", left=None)
                for whole in ("", "--sources 0,4", "--targets 2", "--summary s.csv"):
                    self.apsp(f"{given} {whole}", 3, err="negative cycle (3 -> 4|4 -> 3)", left=None)
                self.apsp(f"path {file} 0 2 --negative{more.replace(' --precision 64', '')}", out="0 -> 2: length 2, 2 edges", left=None)
                self.apsp(f"path {file} 0 2 4 2 --negative", 3, err="negative cycle", left=None)

    def test_real_weights(self):
        self.look_at_reals("f32", 2**-24)

    def test_real_weights_of_64_bits(self):
        self.look_at_reals("f64", 2**-53)

    def look_at_reals(self, dtype, unit):
        """From every command the distances of the same edges in double precision. With potentials near 1e5, floats next to
        each other are 1/128 apart, so the bound has to follow the reweighted distances."""
        def single(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        stored = single if dtype == "f32" else float

        printed = {"f32": "1.7e-06", "f64": "6.4e-15"}[dtype]
        n, edges = 30, {}
        place = [random.uniform(0, 1e5) for _ in range(n)]
        for u, v in itertools.permutations(range(n), 2):
            if random.random() < 0.2:
                edges[u, v] = single(random.uniform(.1, 1) + place[v] - place[u])
        right = [[0 if u == v else edges.get((u, v), math.inf) for v in range(n)] for u in range(n)]
        for k, u, v in itertools.product(range(n), repeat=3):
            right[u][v] = min(right[u][v], right[u][k] + right[k][v])
        least = [min(0, *(row[v] for row in right)) for v in range(n)]
        bound = [[unit * ((n - 1) * (d + least[u] - least[v]) * (1 + 1e-5) + abs(d)) + 1e-12
                  for v, d in enumerate(row)] for u, row in enumerate(right)]

        def expect(found, u, v):
            if math.isinf(right[u][v]):
                self.assertEqual(found, math.inf, (u, v))
            else:
                self.assertLessEqual(abs(stored(found) - right[u][v]), bound[u][v], (u, v))

        self.put("g.el", f"# Nodes: {n}\n" + "".join(f"{u} {v} {w!r}\n" for (u, v), w in edges.items()))
        self.apsp("convert g.el g.npy --negative", left=None)
        self.apsp("convert g.el g.mtx --negative", left=None)
        for graph in ("g.el", "g.el --method sparse", "g.npy --zero edge", "g.mtx --method filtered", "g.el --method dense"):
            said = self.apsp(f"{graph} --negative --dtype {dtype} {CPU} --verify -o d.npy --predecessors p.npy --summary s.csv", left=None)
            self.assertIn(f"bellman:30±{printed}", said)
            self.assertIn("every row verified", said)
            distances, before = read_npy(self.dir / "d.npy"), read_npy(self.dir / "p.npy")
            rows = csv.DictReader((self.dir / "s.csv").open())
            for u, row in zip(range(n), rows, strict=True):
                reached = [v for v in range(n) if v != u and distances[u][v] < math.inf]
                self.assertEqual(stored(float(row["eccentricity"])), max((distances[u][v] for v in reached), default=0))
                for v in range(n):
                    expect(distances[u][v], u, v)
                    self.assertEqual(before[u][v] == -9999, v not in reached)
                    way = [v]
                    while way[-1] != u and v in reached:
                        way.append(before[u][way[-1]])
                        self.assertLessEqual(len(way), n, "a circle")
                    length = sum(edges[edge] for edge in zip(way[1:], way))
                    if v in reached:
                        self.assertLessEqual(length - right[u][v], 3 * n * max(bound[u]))
        for options in ("", "--distances d.npy"):
            for u in range(0, n, 7):
                path, = json.loads(self.apsp(f"path g.el {u} 3 --negative --dtype {dtype} --json {options}", left=None))
                expect(math.inf if path["length"] is None else path["length"], u, 3)
        table = self.apsp(f"g.el --negative --dtype {dtype} {CPU} --sources 3,0 --targets 4,1,29 --verify -o - --quiet", left=None)
        for u, line in zip((3, 0), table.splitlines(), strict=True):
            for v, word in zip((4, 1, 29), line.split("\t"), strict=True):
                expect(float(word), u, v)
        self.apsp(f"g.el --negative --dtype {dtype} --device cpu --vary --reps 3 --verify", left=None, out="bellman:30")
        low, high = min(edges.values()), max(edges.values())
        facts = json.loads(self.apsp("info g.el --negative --json", left=None))
        self.assertEqual([single(facts["lightest"]), single(facts["heaviest"])], [low, high])
        self.apsp(f"--n 60 --family planted --negative --dtype {dtype} {CPU} --verify", left=None, out="bellman:60")

    def test_predecessors_of_reals_that_are_whole(self):
        """They are solved as whole numbers, and -3.5 is 7 times -0.5."""
        self.put("g.el", "0 1 -3.5\n1 2 5\n0 2 2\n")
        self.apsp("convert g.el g.npy --negative", left=None)
        for graph in ("g.el", "g.npy --zero edge"):
            self.apsp(f"{graph} --negative --dtype f64 {CPU} --verify --predecessors p.npy", left=None,
                      out="solved as (int32|uint16)")
            self.assertEqual(read_npy(self.dir / "p.npy"), [[-9999, 0, 1], [-9999, -9999, 1], [-9999, -9999, -9999]])

    def test_records_tell_what_potentials_cost(self):
        self.apsp(f"--n 60 --family planted --negative {CPU} --csv c --json j", left=None)
        row, = csv.DictReader((self.dir / "c").open())
        self.assertEqual(row["input"], "planted n=60 seed=1 range=100000 negative")
        self.assertGreater(int(row["potential_passes"]), 0)
        self.assertGreater(float(row["shift_ms"]), 0)

    def test_a_submission_solves_them(self):
        self.library("s.so", SOLVE)
        self.apsp("check --quick --host --contract negative --kernel s.so --unsandboxed", left=None)
        self.apsp(f"--n 50 --family planted --negative {CPU} --kernel ./s.so --verify --unsandboxed", left=None,
                  out="bellman:50")


# ---- generators --------------------------------------------------------------------------------------------

class Families(Suite):
    N, R = 50, 900

    def make(self, family, options="", n=N):
        bound = "" if family in RANGELESS else f"--range {self.R}"
        m = self.generated(f"--family {family} --n {n} {bound} {options}")
        self.assertTrue(all(m[i][i] == 0 for i in range(n)))
        return m

    def off_diagonal(self, m):
        return [(i, j, w) for i, row in enumerate(m) for j, w in enumerate(row) if i != j]

    def test_same_seed_same_bytes(self):
        for family in FAMILIES:
            made = []
            for seed, threads in ((7, 1), (7, 2), (7, 3), (8, 2)):
                seeded = "" if family in FIXED else f"--seed {seed}"
                self.apsp(f"gen --family {family} --n 130 {seeded} -o g.bin", left=None,
                          env={"OMP_NUM_THREADS": str(threads)})
                made.append((self.dir / "g.bin").read_bytes())
            self.assertEqual(made[0], made[1], family)
            self.assertEqual(made[0], made[2], family)
            if family not in FIXED:
                self.assertNotEqual(made[0], made[3], family)

    def test_course_is_the_courses(self):
        self.assertEqual(self.generated("--n 40"), course(40, 1, 100000))
        for n, seed, r in ((1, 1, 5), (33, 0, 100000), (65, 12345678901, 999), (40, 2**64 - 1, 7), (34, 3, 1),
                           (34, 3, INF - 1)):
            with self.subTest(n=n, seed=seed, r=r):
                self.assertEqual(self.generated(f"--n {n} --seed {seed} --range {r}"), course(n, seed, r))

    def test_course_demo(self):
        self.assertEqual((DATA / "demo.bin").read_bytes(), dense_bin(course(300, 1, 100000)))

    def test_uniform(self):
        weights = [w for *_, w in self.off_diagonal(self.make("uniform"))]
        self.assertTrue(all(0 <= w < self.R for w in weights))
        self.assertAlmostEqual(sum(weights) / len(weights), self.R / 2, delta=self.R / 20)
        self.assertGreater(len(set(weights)), self.R * 0.8)

    def test_necessary(self):
        """Most weights are random; the heavy ones that are necessary are tested in course/check_test.cpp."""
        m = self.make("necessary", n=200)
        weights = [w for *_, w in self.off_diagonal(m)]
        self.assertTrue(all(0 <= w <= self.R for w in weights))
        light = [sum(w < self.R / 4 for w in row) for row in (*m, *zip(*m))]
        self.assertGreater(sum(count < 20 for count in light), 30)   # the rows and columns of 36 vertices
        self.assertGreater(sum(count > 30 for count in light), 300)

    def test_ring(self):
        for n in (2, self.N):
            for i, j, w in self.off_diagonal(self.make("ring", n=n)):
                self.assertEqual(w, 1 if j == (i + 1) % n else self.R)

    def test_permuted_ring(self):
        for n in (2, 3, 16, 17, self.N):
            m = self.make("permuted-ring", "--seed 3", n)
            after = {i: j for i, j, w in self.off_diagonal(m) if w == 1}
            self.assertEqual({w for *_, w in self.off_diagonal(m)} - {1, self.R}, set())
            self.assertEqual(sum(w == 1 for *_, w in self.off_diagonal(m)), n)
            at, seen = 0, set()
            while at not in seen:
                seen.add(at)
                at = after[at]
            self.assertEqual((at, len(seen)), (0, n))
        self.assertNotEqual([after[i] for i in range(n)], [(i + 1) % n for i in range(n)])

    def test_chain(self):
        for i, j, w in self.off_diagonal(self.make("chain")):
            self.assertEqual(w, 1 if j == i + 1 else self.R)

    def test_zero(self):
        self.assertEqual({w for *_, w in self.off_diagonal(self.make("zero"))}, {0})

    def test_sparse(self):
        for n, degree in ((50, 5), (50, 49), (4, 8), (2, 1)):
            m = self.make("sparse", f"--degree {degree}", n)
            arcs = [(i, w) for i, _, w in self.off_diagonal(m) if w < INF]
            self.assertTrue(all(1 <= w <= self.R for _, w in arcs))
            self.assertEqual([sum(i == v for i, _ in arcs) for v in range(n)], [min(degree, n - 1)] * n)

    def test_grid(self):
        for n in (2, 5, 36, self.N, 101):
            m = self.make("grid", n=n)
            self.assertEqual(m, [list(column) for column in zip(*m)])
            self.assertTrue(all(1 <= w <= self.R for *_, w in self.off_diagonal(m) if w < INF))
            self.assertLess(max(map(max, floyd_warshall(m))), INF)
            self.assertLessEqual(max(sum(0 < w < INF for w in row) for row in m), 4)

    def test_star(self):
        for i, j, w in self.off_diagonal(self.make("star")):
            self.assertTrue(1 <= w <= self.R if 0 in (i, j) else w == INF, (i, j, w))

    def test_disconnected(self):
        d = floyd_warshall(self.make("disconnected"))
        self.assertTrue(any(INF in row for row in d))
        self.assertTrue(any(0 < w < INF for row in d for w in row))

    def test_undirected_is_the_lighter_of_both(self):
        for family in FAMILIES:
            m, both = self.make(family), self.make(family, "--undirected")
            self.assertEqual(both, [[min(m[i][j], m[j][i]) for j in range(self.N)] for i in range(self.N)], family)

    def test_every_writer(self):
        expected = self.generated("--n 20 --family disconnected")
        for name in ("g.bin", "g.gr", "g.mtx"):
            self.apsp(f"gen --n 20 --family disconnected -o {name}", left=None)
            self.apsp(f"convert {name} back.npy", left=None)
            self.assertEqual(self.weights("back.npy"), expected, name)


# ---- records -----------------------------------------------------------------------------------------------

class Records(Suite):
    def rows(self, name):
        with open(self.dir / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_json(self):
        first, second = self.records(
            f"--n 30 --seed {2**64 - 1} --kernel ref,apsp --verify --device cpu --warmup 2 --reps 3")
        revision = re.search("revision ([0-9a-f]+)", self.apsp("--version")).group(1)
        for record, kernel, verified in ((first, "ref", "dijkstra:16"), (second, "apsp", "ref")):
            expected = {"n": 30, "edges": 870, "seed": str(2**64 - 1), "kernel": kernel, "verified": verified,
                        "warmup": 2, "reps": 3, "device": "cpu", "host": os.uname().nodename, "revision": revision}
            self.assertEqual({key: record[key] for key in expected}, expected)
            self.assertLessEqual(0, record["min_ms"])
            self.assertTrue(record["min_ms"] <= record["median_ms"] <= record["max_ms"], record)
            self.assertTrue(record["device_name"])
            self.assertRegex(record["hash"], "^[0-9a-f]{16}$")
            self.assertIn("course", record["input"])

    def test_json_says_the_options_and_what_was_done(self):
        defaults = dict(precision="auto", symmetry="yes", skip="yes", tier="int32", symmetric="no", skipped="no",
                        pct_of_peak=None)
        for options in ("", "--precision auto"):
            for record in self.records(f"--n 9 --undirected --kernel ref,apsp {options} {CPU}"):
                self.assertEqual({key: record[key] for key in defaults}, defaults, options)

    def put_peak(self, folder, relax_per_s, name="int32/viaddmin/manual_time"):
        """Writes a ceilings.json of this CPU into a folder of results."""
        record, = self.records(f"--n 3 {CPU}")
        self.assertEqual(record["device_short"], "cpu")
        (self.dir / folder / "cpu").mkdir(parents=True, exist_ok=True)
        self.put(f"{folder}/cpu/ceilings.json", json.dumps(
            {"context": {"device_name": record["device_name"]},
             "benchmarks": [{"name": name, "relax_per_s": relax_per_s}]}))

    def peak_found(self, program=APSP, **env):
        """The peak that the percentage in a record refers to; None without a percentage."""
        run = subprocess.run([program, *"--n 100 --device cpu --reps 3 --json -".split()], cwd=self.dir, check=True,
                             capture_output=True, env={**os.environ, **env})
        record, = json.loads(run.stdout)
        return record["pct_of_peak"] and 100 * record["relax_per_s"] / record["pct_of_peak"]

    def test_percentage_of_the_peak(self):
        self.put_peak("kept", 1e11)
        self.assertAlmostEqual(self.peak_found(APSP_RESULTS="kept"), 1e11, delta=1e8)
        table = self.popen("--n 100 --device cpu --reps 3", {"APSP_RESULTS": "kept"}).communicate()[0].decode()
        self.assertRegex(table, r"(?m)% of$[^$]*reps +per s peak +speedup[^$]*^apsp +i32 .* \d+% ")

    def test_results_are_beside_the_program_and_not_in_the_current_directory(self):
        self.put_peak("results", 1e11)  # a folder of that name, which is not the program's
        self.put_peak("share/apsp/results", 2e11)
        for folder in ("bin", "usr/bin"):
            (self.dir / folder).mkdir(parents=True)
            shutil.copy2(APSP, self.dir / folder / "apsp")
        self.assertIsNone(self.peak_found(self.dir / "usr/bin/apsp"))
        self.assertAlmostEqual(self.peak_found(self.dir / "bin/apsp"), 2e11, delta=2e8)  # installed
        self.put_peak("bin/results", 3e11)
        self.assertAlmostEqual(self.peak_found(self.dir / "bin/apsp"), 3e11, delta=3e8)
        (self.dir / "link").symlink_to("bin/apsp")
        self.assertAlmostEqual(self.peak_found(self.dir / "link"), 3e11, delta=3e8)
        self.assertAlmostEqual(self.peak_found(self.dir / "bin/apsp", APSP_RESULTS="results"), 1e11, delta=1e8)

    def test_no_percentage_without_a_peak(self):
        self.put_peak("kept", 1e9, "uint16/viaddmin/manual_time")
        for spoil in (lambda path: None, lambda path: path.write_text("{"), Path.unlink, Path.mkdir):
            spoil(self.dir / "kept/cpu/ceilings.json")
            self.assertIsNone(self.peak_found(APSP_RESULTS="kept"))
        self.assertIsNone(self.peak_found(APSP_RESULTS="nosuch"))

    def test_json_has_every_call(self):
        record, = self.records("--n 30 --device cpu --warmup 2 --reps 7")
        times = sorted(record["times_ms"])
        self.assertEqual(len(times), 7)
        self.assertEqual([times[0], times[3], times[6]], [record[name] for name in ("min_ms", "median_ms", "max_ms")])
        self.assertTrue(times[1] <= record["q1_ms"] <= times[2] and times[4] <= record["q3_ms"] <= times[5], record)

    def test_other_processes_disturb(self):
        cores = sorted(os.sched_getaffinity(0))
        for _ in cores * 2:
            burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            self.addCleanup(burner.wait)
            self.addCleanup(burner.kill)
        time.sleep(0.3)
        threads = f"--threads {len(cores)}"
        out = self.apsp(f"--n 200 --device cpu --reps 3000 {threads} --json j --csv c.csv", left=("j", "c.csv"),
                        out=(r"(?m)^apsp .* not verified, disturbed$",
                             r"(?m)^ +disturbed: other processes used \d+\.\d of \d+ cores; measure again$"))
        record, = json.loads((self.dir / "j").read_bytes())
        self.assertIn("load", record["disturbed"], out)
        self.assertGreater(record["load"], 0.25)
        self.apsp("report c.csv", out=r"no, disturbed\n\nDisturbed, measure again with --again:\n  n = 200 +apsp .*: load")
        self.apsp("report c.csv --markdown", out=r"\| +no, disturbed \|\n\Z")

    def test_more_threads_than_cores_disturb(self):
        threads = len(os.sched_getaffinity(0)) + 1
        record, = self.records(f"--n 9 --threads {threads} {CPU}")
        self.assertEqual(record["disturbed"], "threads")
        record, = self.records(f"--n 9 --kernel ref --threads {threads} {CPU}")
        self.assertNotIn("threads", record["disturbed"], "ref has one thread")
        shown = self.apsp(f"--n 2,3 --kernel ref,apsp --threads {threads} {CPU}",
                          out=rf"\n  disturbed: {threads} threads on [^\n]+\n    in apsp \(n = 2, 3\)\n")
        self.assertEqual(shown.count(f"{threads} threads on"), 1)
        self.apsp(f"--n 9 --threads {threads} {CPU}", out=rf"disturbed: {threads} threads on \S+ cores; use --threads \d+\n")

    def test_who_wants_only_the_answer_gets_one_call(self):
        solve = f"{DATA}/tiny.el --device cpu -o d.npy"
        once = r"(?m)^apsp +i32( +[\d.]+){3} +1 [^$]*^ +1 call without warm-up: a first call takes longer \(--reps N"
        for more in ("", "--verify", "--kernel ref", "--threads 1"):
            self.apsp(f"{solve} {more}", left="d.npy", out=once.replace("apsp", "ref|apsp"))
            (self.dir / "d.npy").unlink()
        for more in ("--reps 5", "--warmup 1", "--vary", "--csv r", "--json r", "--kernel ref,apsp"):
            told = self.apsp(f"{solve} {more}", left=None)
            self.assertNotIn("1 call", told, more)
            self.assertNotRegex(told, r"(?m)^apsp +i32( +[\d.]+){3} +1 ", more)
        self.assertNotIn("1 call", self.apsp(f"{DATA}/tiny.el --device cpu"))

    def test_json_says_how_it_was_verified(self):
        for oracle, verified in (("dijkstra", "dijkstra:16"), ("dijkstra:3", "dijkstra:3"), ("bellman", "bellman:16"), ("ref", "ref")):
            record, = self.records(f"--n 20 --verify={oracle} {CPU}")
            self.assertEqual(record["verified"], verified)
        record, = self.records(f"--n 20 {CPU}")
        self.assertEqual(record["verified"], "no")

    def test_graphs_to_standard_output(self):
        for command in (f"convert {DATA}/tiny.el", "gen --n 5 -o"):
            for extension in ("gr", "npy"):
                self.apsp(f"{command} g.{extension}", left=f"g.{extension}")
                for name in ("-", "/dev/stdout"):
                    with self.subTest(command, to=name):
                        process = self.popen(f"{command} {name} --to {extension}")
                        written, said = process.communicate()
                        self.assertEqual(written, (self.dir / f"g.{extension}").read_bytes())
                        self.assertRegex(said, rb"\A(apsp: .*no edge has its reverse: .*\n)?\Z")

    def test_a_file_that_is_replaced_keeps_its_permissions_and_its_link(self):
        self.put("d.npy", "old")
        (self.dir / "d.npy").chmod(0o640)
        (self.dir / "link.npy").symlink_to("there.npy")  # but it is not
        self.apsp(f"--n 3 {CPU} -o d.npy", left="d.npy")
        self.assertEqual((self.dir / "d.npy").stat().st_mode & 0o777, 0o640)
        self.apsp(f"--n 3 {CPU} -o link.npy", left=("link.npy", "there.npy"))
        self.assertEqual(os.readlink(self.dir / "link.npy"), "there.npy")

    def test_no_name_is_none(self):
        for option in ("-o", "--json", "--csv", "--record"):
            self.apsp(["--n", "3", option, ""], 2, err="is empty")

    def test_json_to_standard_output_keeps_the_log(self):
        for name in ("/dev/stdout", "-"):
            with self.subTest(name), open(self.dir / "log", "wb") as log:
                log.write(b"before\n")
                log.flush()
                self.popen(f"--n 3 {CPU} --json {name}", stdout=log).communicate()
                lines = (self.dir / "log").read_bytes()
                self.assertEqual(lines[:7], b"before\n")
                self.assertEqual(json.loads(lines[7:])[0]["n"], 3)

    def test_distances_on_standard_output(self):
        shown = "".join("\t".join("inf" if d == INF else str(d) for d in row) + "\n" for row in TINY_DISTANCES)
        for name in ("-", "/dev/stdout"):
            self.assertEqual(self.apsp(f"{{data}}/tiny.el {CPU} -o {name}"), shown)
        for to in ("npy", "bin", "tsv", "csv"):
            self.apsp(f"{{data}}/tiny.el {CPU} -o d.{to} --quiet", left=f"d.{to}")
            self.apsp(f"{{data}}/tiny.el {CPU} -o other --to {to} --quiet", left="other")
            argv = f"{DATA}/tiny.el --kernel ref,apsp --verify {CPU} -o - --to {to}"
            for data in (self.popen(argv).communicate()[0], (self.dir / "other").read_bytes()):
                self.assertEqual(data, (self.dir / f"d.{to}").read_bytes())
            (self.dir / "other").unlink()

    def test_rows_on_standard_output(self):
        for name in ("-", "/dev/stdout"):
            shown = self.apsp(f"--n 3 --kernel ref,apsp,ref {CPU} --csv {name}")
            self.assertEqual([(row["n"], row["kernel"]) for row in csv.DictReader(io.StringIO(shown))],
                             [("3", "ref"), ("3", "ref"), ("3", "apsp")])
        self.put("r.csv", shown)
        self.assertEqual(self.apsp("report r.csv --csv -").splitlines()[0], shown.splitlines()[0])
        rows = csv.DictReader(io.StringIO(self.apsp("check --quick --device cpu --kernel apsp --csv -")))
        self.assertEqual([(row["kernel"], row["failed"]) for row in rows], [("apsp", "0")])
        (self.dir / "in").mkdir()
        self.library("in/right.so", SOLVE)
        self.put("-", "no file of grades")
        for _ in range(2):
            rows = csv.DictReader(io.StringIO(self.apsp("grade in --host --sizes 100,200 --csv -")))
            self.assertEqual([(row["name"], row["n"], row["verdict"]) for row in rows], [("right.so", "200", "pass")])
        self.assertEqual((self.dir / "-").read_text(), "no file of grades")

    def test_csv_appends(self):
        for n in (3, 4):
            self.apsp(f"--n {n} --kernel ref,apsp {CPU} --quiet --csv c.csv", left="c.csv")
        self.assertEqual([r["n"] + r["kernel"] for r in self.rows("c.csv")], ["3ref", "3apsp", "4ref", "4apsp"])
        self.assertEqual(list(self.rows("c.csv")[0]), list(self.records(f"--n 3 {CPU}")[0]))

    def test_csv_on_a_full_disk(self):
        self.apsp(f"--n 3 {CPU} --csv c.csv", left="c.csv")
        size = (self.dir / "c.csv").stat().st_size
        self.apsp(f"--n 3 {CPU} --csv c.csv", 6, err="c.csv", child=limited(resource.RLIMIT_FSIZE, size + 50))
        (self.dir / "c.csv").unlink()
        self.apsp(f"--n 3 {CPU} --csv c.csv", 6, err="c.csv", child=limited(resource.RLIMIT_FSIZE, 50), left=None)
        self.apsp(f"--n 3 {CPU} --csv c.csv", left="c.csv")  # half a header would be in the way
        self.assertEqual(len(self.rows("c.csv")), 1)

    def test_csv_with_another_header(self):
        for content in ("a,b\n1,2\n", "no newline"):
            self.put("c.csv", content)
            self.apsp(f"--n 3 {CPU} --csv c.csv", 6, err="c.csv.*header.*choose another file")
        self.apsp(f"--n 3 {CPU} --csv new.csv", left="new.csv")
        self.put("old.csv", (self.dir / "new.csv").read_text().splitlines()[0].replace(",load,disturbed", "") + "\n")
        self.apsp(f"--n 3 {CPU} --csv old.csv", 6,
                  err="old.csv: an older version wrote it, without the columns load, disturbed, .*: choose another file\n")

    def test_old_names_of_columns_are_read(self):
        self.apsp(f"--n 3 {CPU} --csv c.csv", left="c.csv")
        text = (self.dir / "c.csv").read_text()
        self.put("old.csv", text.replace("pct_of_peak", "pct_of_wall"))
        self.apsp("compare c.csv old.csv", out="1 with too few repetitions")
        self.apsp("report old.csv --csv new.csv", left="new.csv")
        self.assertEqual((self.dir / "new.csv").read_text(), text)
        self.apsp(f"--n 4 {CPU} --csv old.csv", left="old.csv")
        self.apsp("report old.csv --csv new.csv", left="new.csv")
        self.assertEqual([row["n"] for row in self.rows("new.csv")], ["3", "4"])

    def test_the_scripts_read_the_same_old_names(self):
        sys.path.insert(0, str(ROOT / "scripts"))
        self.addCleanup(sys.path.remove, str(ROOT / "scripts"))
        from csv_files import RENAMED, read_csv
        source = (ROOT / "src/harness/io/csv.cpp").read_text()
        table, = re.findall(r"(?s)kRenamed\[\] = \{(.*?)\};", source)
        self.assertEqual(dict(re.findall(r'\{"(\w+)", "(\w+)"\}', table)), RENAMED)
        self.put("old.csv", "n,pct_of_wall\n3,50\n")
        self.assertEqual(read_csv(self.dir / "old.csv"), [{"n": "3", "pct_of_peak": "50"}])

    def test_report(self):
        self.apsp(f"--n 7 --kernel ref,apsp --verify {CPU} --csv c.csv", left="c.csv")
        self.apsp(f"--n 9 {CPU} --csv c.csv", left="c.csv")
        rows = self.rows("c.csv")
        for row, ms in zip(rows, ("100", "4", "3")):
            row["median_ms"] = ms
        with open(self.dir / "c.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        self.apsp("report c.csv", out=(r"n +ref ms +apsp ms +speedup",
                                       r"(?m)^ *7 +100\.\d+ +4\.0+ +25\.0+x? +(yes|ref)", r"(?m)^ *9 +- +3\.0+ +- +no"))
        self.apsp("report c.csv --markdown", out=r"\| *ref ms *\| *apsp ms *\| *speedup")

    def test_report_of_another_commands_rows(self):
        (self.dir / "in").mkdir()
        self.library("in/right.so", f"if (n == 9) usleep(1000); {SOLVE}")  # a shorter time may be refused
        self.library("in/wrong.so", "if (n > 1) g[1] = 7;")
        (self.dir / "in/notes.h").write_text("// left out, which is no failure")
        self.apsp("grade in --host --sizes 9 --csv g.csv --quiet", left=None,
                  err="apsp: 1 of 2 submissions has no rank: wrong.so\n")
        self.apsp("report g.csv", out="(?m)^   -  wrong.so")
        self.apsp("check --quick --device cpu --kernel ref --csv c.csv --quiet", left="c.csv")
        self.apsp("report c.csv", 3, err=r"c\.csv: a CSV file of apsp check, ")

    def test_report_draws(self):
        self.apsp(f"--n 5 --kernel ref {CPU} --csv r.csv", left="r.csv")
        process = self.popen("report r.csv --plot p")
        said, complaint = process.communicate()
        self.assertIn(b"ref ms", said)
        none = b"no matplotlib" in complaint
        self.assertEqual((process.returncode, complaint.count(b"\n")), (6, 1) if none else (0, 0), complaint)
        self.assertEqual(set(snapshot(self.dir)), {"r.csv"} if none else {"r.csv", "p.png", "p.svg"})
        if not none:
            self.apsp("report r.csv --plot q.png", left=("q.png", "q.svg"), out="ref ms")
        self.put("matplotlib.py", "raise ImportError")
        self.apsp("report r.csv --plot q", 6, out="ref ms", env={"PYTHONPATH": str(self.dir)},
                  err="no matplotlib: sudo apt-get install python3-matplotlib")
        self.apsp("report r.csv --plot no/such", 6, out="ref ms", err=r"no/such: not drawn: .*plot\.py: ")

    def test_report_of_nothing(self):
        (self.dir / "empty").mkdir()
        self.apsp("report empty", 3, err="empty")
        for content in ("", "n,kernel\n1\n", "n,kernel\n1,apsp\n"):
            with self.subTest(content):
                self.put("c.csv", content)
                self.apsp("report c.csv", 3, err="c.csv")


class Sizes(Suite):
    """--n with several sizes"""

    TABLE = r" *n kernel .*verified\n"

    def rows(self, name):
        with open(self.dir / name, newline="") as file:
            return list(csv.DictReader(file))

    def points(self, rows):
        return [(int(row["n"]), row["kernel"]) for row in rows]

    def test_one_table_for_all(self):
        row = lambda n, kernel, speedup, verified: rf" *{n} {kernel} +i\d\d .* {speedup}x +{verified}\n"
        shown = self.apsp(f"--n 40,10:30:20 --seed 7 --kernels apsp,ref --verify {CPU} --csv c.csv --json j",
                          left=("c.csv", "j"), out=self.TABLE + "".join(
                              row(n, "ref", r"1\.00", "dijkstra:16|dijkstra:10") + row(n, "apsp", r"[\d.]+", "ref")
                              for n in (40, 10, 30)) + r"\Z")
        self.assertRegex(shown, r"\Agraph     course seed=7 range=100000\n          n = 40, 10, 30, i32 weights\ndevice")
        self.assertEqual(shown.count("verified"), 1)
        expected = [(n, kernel) for n in (40, 10, 30) for kernel in ("ref", "apsp")]
        self.assertEqual(self.points(self.rows("c.csv")), expected)
        records = json.loads((self.dir / "j").read_text())
        self.assertEqual(self.points(records), expected)
        for n in (40, 10, 30):  # each is the record of that size alone
            alone = self.records(f"--n {n} --seed 7 --kernel ref,apsp --verify {CPU}", left=())
            self.assertEqual([{k: v for k, v in r.items() if k not in MEASURED} for r in alone],
                             [{k: v for k, v in r.items() if k not in MEASURED} for r in records if r["n"] == n])

    def test_speedups_are_those_of_each_size(self):
        shown = self.apsp(f"--n 10,200 --kernel ref,apsp {CPU} --csv c.csv", left="c.csv")
        rows = self.rows("c.csv")
        for ref, apsp in (rows[:2], rows[2:]):
            speedup = float(ref["median_ms"]) / float(apsp["median_ms"])
            found, = re.findall(rf"(?m)^ *{apsp['n']} apsp .* ([\d.]+)x", shown)
            self.assertAlmostEqual(float(found), speedup, delta=0.01 + speedup / 100)

    def test_many_sizes_are_named_briefly(self):
        self.apsp(f"--n 1:30:1 {CPU}", out=(r"\n          n = 1, 2, \.\.\., 30 \(30 sizes\), i32", r"(?s)\n *1 .*\n *30 "))

    def test_what_does_not_fit_is_said_before_the_others_are_solved(self):
        self.apsp(f"--n 5,2000000,6,3000000 {CPU} --json j", 5, left="j", out=self.TABLE + r" *5 .*\n *6 .*\n\Z",
                  err="left out n = 2000000, 3000000: n = 2000000: [0-9.]+ TB of host memory needed")
        self.assertEqual(self.points(json.loads((self.dir / "j").read_text())), [(5, "apsp"), (6, "apsp")])
        self.apsp(f"--n 2000000,3000000 {CPU} --json j2", 5, out=r"\A\Z", err="n = 2000000: ")

    def test_a_size_that_fails_leaves_the_others(self):
        graphs = f"--n 2,40,3 --family sparse --range {INF - 1} {CPU}"
        self.apsp(f"{graphs} --csv c --json j", 3, left=("c", "j"), out=self.TABLE + r" *2 .*\n *3 .*\n\Z",
                  err="n = 40: .*distance")
        for rows in (self.rows("c"), json.loads((self.dir / "j").read_text())):
            self.assertEqual(self.points(rows), [(2, "apsp"), (3, "apsp")])

    def test_rows_are_appended_after_each_size(self):
        process = self.popen("--n 5,500 --kernel ref --device cpu --reps 100000 --csv c.csv --quiet")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.wait_until(lambda: (self.dir / "c.csv").exists() and self.points(self.rows("c.csv")) == [(5, "ref")], process)

    def test_a_wrong_result_names_its_size_and_counts_most(self):
        self.library("wrong.so", f"{SOLVE} if (n == 6) g[1] = 0;")
        self.apsp(f"--n 5,6,7 --kernels ./wrong.so --verify {CPU}", 1, err=r"apsp: n = 6: kernel \./wrong.so: .*differ",
                  out=r" *5 .* ref\n *6 .* WRONG\n *7 .* ref\n")
        process = self.popen(f"--n 5,6,2000000 --kernels ./wrong.so --verify {CPU}")
        complaint = process.communicate()[1].decode()
        self.assertEqual(process.returncode, 1, complaint)
        self.assertRegex(complaint, r"\Aapsp: left out n = 2000000: .*\napsp: n = 6: .*\n\Z")

    def test_a_record_and_a_plan_for_each_size(self):
        sweep = f"--n 5:7:1 --kernel ref,apsp {CPU} --record rec"
        self.apsp(f"{sweep} --plan", left=None)
        self.apsp("report rec", 1, err="6 of 6 planned")
        self.apsp(f"--n 6 --kernel ref {CPU} --record rec", left=None)
        self.apsp(sweep, left=None, out=r" *5 ref .*\n *5 apsp .*\n *6 ref .*, kept\n +skipped: already in .*\n.*--again.*\n *6 apsp ")
        self.assertNotIn("Missing", self.apsp("report rec"))

    def test_pairs_without_a_path(self):
        self.apsp(f"--n 5,9 --family disconnected {CPU}", out=r" *5 apsp .*\n          \d+ pairs are unreachable.\n *9 ")


class Sweep(Suite):
    ARGS = f"--n 6 --kernel apsp {CPU} --record rec"

    def points(self):
        return sorted((self.dir / "rec").glob("*.csv"))

    def record_one(self):
        self.apsp(self.ARGS, left=None)
        point, = self.points()
        return point

    def test_second_run_skips(self):
        point = self.record_one()
        self.apsp(self.ARGS, out="skipped: already in rec/" + re.escape(point.name))
        self.apsp("report rec", out=r"n +apsp ms[^$]*\n *6 ")

    def test_a_kept_point_is_shown_and_again_replaces_it(self):
        asked = f"--n 40 --kernel ref,apsp {CPU} --record rec"
        self.apsp(asked, left=None)
        for path in self.points():
            header, row = path.read_text().splitlines()
            fields = dict(zip(header.split(","), row.split(",")))
            fields.update(median_ms="55.9", min_ms="0.157", time="2001-02-03T04:05:06Z", disturbed="load")
            path.write_text(f"{header}\n{','.join(fields.values())}\n")
        kept = re.findall(r"(?m)^(\w+) +i32 +55\.900 +0\.1570 .* not verified, disturbed, kept$", self.apsp(asked, out="disturbed"))
        self.assertEqual(kept, ["ref", "apsp"])
        self.apsp(asked, out=(r"(?m)^ +measured 2001-02-03T04:05:06Z, disturbed \(load\); --again measures it anew$",
                              r"(?m)^apsp .* 1\.00x "))
        self.apsp("report rec", out=r"\nDisturbed, measure again with --again:\n  n = 40 +ref .*: load\n  n = 40 +apsp .*\n")
        told = self.apsp(f"{asked} --again", left=None)
        self.assertNotIn("kept", told)
        self.assertNotIn("55.9", self.apsp("report rec"))
        self.apsp("--n 3 --again", 2, err="--again.*--record")

    def test_a_graph_is_its_content(self):
        self.put("a.el", "0 1 5\n")
        asked = lambda name, more="": f"{name} --kernel apsp {CPU} --record rec {more}"
        self.apsp(asked("./a.el", "--plan"), left=None)
        self.apsp(asked("a.el"), left=None)
        self.apsp(asked("./a.el"), out="skipped: already in")
        self.apsp("report rec", out="a.el")
        self.put("a.el", "0 1 6\n")  # another graph of that name
        self.apsp(asked("a.el", "--plan"), left=None)
        self.apsp("report rec", 1, out=r"Missing:\n[^$]* a\.el\n\Z", err="1 of 2 planned")
        self.apsp(asked("a.el"), left=None)
        self.assertEqual(len(re.findall(r"(?m)^ *2 ", self.apsp("report rec"))), 2)

    def test_what_is_asked_of_a_point_counts(self):
        self.record_one()
        for options in ("--reps 2", "--reps 1 --vary", "--reps 1 --verify=dijkstra:6"):
            with self.subTest(options):
                asked = f"--n 6 --kernel apsp --device cpu --warmup 0 --record rec {options}"
                self.apsp(f"{asked} --plan", left=None)
                self.apsp("report rec", 1, err="1 of 1 planned")
                self.apsp(asked, left=None)
                self.apsp("report rec")

    def test_a_submission_is_its_content(self):
        self.library("k.so", "for (int i = 0; i < n * n; ++i) g[i] = 0;")
        asked = f"--n 2 --range 1 --kernel ./k.so {CPU} --record rec"
        self.apsp(f"{asked} --plan", left=None)
        self.apsp(asked, left=None)
        self.apsp("report rec")
        self.library("k.so", "abort();")
        self.apsp(f"{asked} --plan", left=None)
        self.apsp(asked, 1, left=None)
        self.apsp("report rec", 1, err="1 of 1 planned")

    def test_each_record_once(self):
        self.record_one()
        for left in ("rec/all.csv", ()):  # which is one of rec's files the second time
            self.apsp("report rec rec rec/../rec --csv rec/all.csv", left=left)
        self.assertEqual(len((self.dir / "rec/all.csv").read_text().splitlines()), 2)

    def test_threads_are_told_apart(self):
        for threads in (1, 2):
            self.apsp(f"{self.ARGS} --threads {threads}", left=None)
        self.apsp("report rec", out=(", 1 thread, ", ", 2 threads, "))

    def test_unreadable(self):
        self.record_one()
        (self.dir / "rec").chmod(0)
        self.addCleanup((self.dir / "rec").chmod, 0o700)
        for command in ("report rec", "compare rec rec"):
            self.apsp(command, 3, err="rec: Permission denied", child=bound_by_permissions)

    def test_other_points_are_measured(self):
        self.record_one()
        more = f"--threads {os.cpu_count() + 1}"
        for options in ("--seed 2", "--family ring", "--range 5", "--undirected", more, "--kernel ref"):
            with self.subTest(options):
                before = self.points()
                self.apsp(f"--n 6 {CPU} --record rec {options}", left=None)
                self.assertEqual(len(self.points()), len(before) + 1)

    def test_held_by_another(self):
        self.record_one().unlink()
        lock, = (self.dir / "rec" / ".locks").iterdir()
        with open(lock, "r+") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.apsp(self.ARGS, out="skipped: held by")
        self.record_one()

    def test_corrupt_points_are_measured_again(self):
        good = self.record_one().read_bytes()
        header, row = good.splitlines(True)
        for corrupt in (b"", b"\0\xff" * 50, header, header + row[:-1], header + row[:40], header + row + row,
                        b"a,b\n1,2\n"):
            with self.subTest(corrupt):
                self.points()[0].write_bytes(corrupt)
                self.assertNotIn("skipped", self.apsp(self.ARGS, left=None))
                self.assertEqual(len(self.points()[0].read_bytes().splitlines()), 2)
                self.apsp(self.ARGS, out="skipped: already in")

    def test_failed_run_leaves_no_point(self):
        self.put("g.el", LONG)
        self.apsp(f"g.el {CPU} --record rec", 3, left=None)
        self.assertEqual(self.points(), [])

    def test_two_at_once(self):
        args = "--n 150 --device cpu --kernel ref,apsp --reps 20 --record rec"
        both = [self.popen(args) for _ in range(2)]
        said = b"".join(p.communicate()[0] for p in both)
        self.assertEqual([p.returncode for p in both], [0, 0], said)
        self.assertEqual(len(self.points()), 2, said)
        self.assertEqual(said.count(b"skipped: "), 2, said)

    def test_what_is_missing(self):
        self.apsp(f"--n 6 --kernel ref,apsp {CPU} --record rec --plan", left=None)
        self.assertEqual(self.points(), [])
        self.apsp("report rec", 1, out=r"\AMissing:\n  n = 6 +ref +course .*\n  n = 6 +apsp +course .*\n\Z",
                  err="2 of 2 planned points")
        self.apsp(self.ARGS, left=None)
        self.apsp("report rec --csv c.csv", 1, out=r"(?s)apsp ms.*\nMissing:\n.*\bref\b", err="1 of 2", left="c.csv")
        self.apsp(f"--n 6 --kernel ref {CPU} --record rec", left=None)
        self.assertNotIn("Missing", self.apsp("report rec"))

    def test_a_plan_needs_no_gpu(self):
        self.apsp("--n 6 --device gpu --warmup 0 --reps 1 --record rec --plan", env=NO_GPU, left=None)
        self.apsp("report rec", 1, out="n = 6 +apsp", err="1 of 1")
        self.apsp(f"{DATA}/tiny.el {CPU} --record rec --plan", left=None)
        self.apsp(f"{DATA}/tiny.el {CPU} --record rec", left=None)
        self.apsp("report rec", 1, out=r"(?s)tiny.el.*Missing:\n  n = 6 +apsp +course", err="1 of 2")


class SweepScript(Suite):
    """./run.sh"""

    def start(self, arguments, **env):
        clean = {k: v for k, v in os.environ.items() if k != "SLURM_JOB_ID"}
        process = subprocess.Popen([ROOT / "run.sh", *words(arguments)], cwd=self.dir, env={**clean, "APSP": APSP, **env},
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   start_new_session=True)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        with contextlib.suppress(ProcessLookupError):  # ./apsp may be there when the script is not
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()

    def run_to_the_end(self, arguments, code=0, **env):
        process = self.start(arguments, **env)
        said = process.communicate()[0]
        self.assertEqual(process.returncode, code, said)
        return said

    def test_a_folder_that_cannot_be_written(self):
        (self.dir / "locked").mkdir(mode=0o500)
        run = subprocess.run([ROOT / "run.sh", *"--sizes 4 --out locked/sweep".split()], cwd=self.dir, text=True,
                             env={**os.environ, "APSP": APSP}, preexec_fn=bound_by_permissions, capture_output=True)
        self.assertEqual((run.returncode, run.stdout), (6, ""), run.stderr)
        self.assertEqual(run.stderr, "run.sh: locked/sweep: cannot be written: write elsewhere, for example: "
                                     "./run.sh --out /tmp/sweep\n")

    def rows(self, folder):
        with open(self.dir / folder / "sweep.csv", newline="") as file:
            return [{key: row[key] for key in row if key not in MEASURED} for row in csv.DictReader(file)]

    def test_table_csv_picture_and_what_is_missing(self):
        said = self.run_to_the_end(f"--sizes 5:6:1 --out out -- {CPU}")
        self.assertRegex(said, r"(?s)ref ms.*\n *5 .*\n *6 .*All numbers: out/sweep.csv")
        self.assertNotIn("Missing", said)
        self.assertEqual([(row["n"], row["kernel"], row["verified"] != "no") for row in self.rows("out")],
                         [("5", "ref", True), ("5", "apsp", True), ("6", "ref", True), ("6", "apsp", True)])
        pictures = sorted(path.name for path in (self.dir / "out").glob("sweep.[ps]?g"))
        self.assertEqual(pictures, [] if "no matplotlib" in said else ["sweep.png", "sweep.svg"])

        self.assertRegex(said, r"\An = 5: measured\nn = 6: measured\n\n")
        self.assertNotIn("Measured before", said)
        self.assertRegex(self.run_to_the_end(f"--sizes 6,7 --out kept -- {CPU}"), r"\An = 6: measured\nn = 7: measured\n\n")
        self.assertRegex(self.run_to_the_end(f"--sizes 6:8:1 --out kept -- {CPU}"),
                         r"\An = 6: kept\nn = 7: kept\nn = 8: measured\n\n")
        self.assertIn("Measured before this run: 4 of these results",
                      self.run_to_the_end(f"--sizes '5,6' --out out -- {CPU}"))
        self.assertNotIn("Measured before", self.run_to_the_end(f"--sizes '5,6' --out out --again -- {CPU}"))

        said = self.run_to_the_end("--sizes 7 --out out -- --device gpu", 1, **NO_GPU)
        self.assertRegex(said, r"(?s)no GPU.*Missing:\n  n = 7 +ref .*\n  n = 7 +apsp .*failed at n = 7 \(exit 4\)")
        self.assertRegex(self.run_to_the_end("--sizes '' --out out", 1), "2 of 6 planned points")
        self.run_to_the_end(f"--sizes 8 --out out -- {CPU} --bogus", 2)

    def test_a_file_that_cannot_be_loaded_does_not_stop_the_others(self):
        self.put("bad.so", "no library")
        for name in ("bad", "none"):
            said = self.run_to_the_end(f"--sizes 5,6 --kernels ./{name}.so,apsp --out {name} -- {CPU}", 1)
            self.assertRegex(said, rf"(?s)apsp: \./{name}\.so: .*Missing:\n  n = 5 +\./{name}\.so .*\n  n = 6 +\./{name}\.so .*"
                                   r"run\.sh: failed at n = 5 \(exit 3\) 6 \(exit 3\); run it again to measure only these")
            self.assertEqual([(row["n"], row["kernel"]) for row in self.rows(name)], [("5", "apsp"), ("6", "apsp")])

    def test_a_drawn_seed_makes_no_other_point(self):
        self.library("right.so", SOLVE)
        sweep = f"--sizes 20,30 --kernels ref,./right.so --out out -- {CPU}"
        title = r"(?m)^.*, necessary range=100000\n +n .*\n20 .* yes.*\n30 .* yes.*$"
        self.assertRegex(self.run_to_the_end(sweep), title)
        rows = self.rows("out")
        self.assertEqual({row["graphs"] for row in rows}, {"drawn"})
        self.assertEqual(len({row["seed"] for row in rows}), 2)  # each n has its own
        for again, kept in (("", True), ("--again ", False)):
            said = self.run_to_the_end(again + sweep)
            self.assertEqual("n = 20: kept\nn = 30: kept\n" in said, kept, said)
            self.assertRegex(said, title)
            self.assertEqual(self.rows("out") == rows, kept)
        shutil.copy(self.dir / "out/sweep.csv", self.dir / "a.csv")
        self.run_to_the_end("--again " + sweep)
        self.apsp("compare a.csv out/sweep.csv", out=r"necessary range=100000, \./right\.so [0-9a-f]{8}\n(?s:.*)\Z(?<!only in B)")

    def test_lists_ranges_and_aliases(self):
        for sizes, expected in (("--sizes 5,10:21:10,5", "5 10 20"), ("--n '5, 10 20'", "5 10 20"),
                                ("--n=5:15:5,3", "5 10 15 3")):
            with self.subTest(sizes):
                said = self.run_to_the_end(f"{sizes} --kernel apsp --out out -- {CPU}")
                self.assertEqual(re.findall(r"(?m)^n = (\d+): (?:measured|kept)$", said), expected.split())
                self.assertEqual({row["kernel"] for row in self.rows("out")}, {"apsp"})
        for sizes, wrong in BAD_RANGES.items():
            self.assertRegex(self.run_to_the_end(f"--sizes {sizes} --out none", 2), wrong)
        self.assertFalse((self.dir / "none").exists())

    def test_signals(self):
        for name, code, to_all, env in (("SIGINT", 130, False, {}), ("SIGINT", 130, True, {}),
                                        ("SIGTERM", 143, False, {}), ("SIGTERM", 75, False, {"SLURM_JOB_ID": "7"}),
                                        ("SIGTERM", 75, True, {"SLURM_JOB_ID": "7"})):
            with self.subTest(name, code=code, to_all=to_all):
                out = self.dir / f"{name}-{code}-{to_all}"
                process = self.start(f"--sizes '5 400' --kernels ref --out {out} -- --device cpu --reps 10000", **env)
                begun = lambda: any(path.read_text() for path in out.glob("points/.locks/*-n400-*"))
                self.wait_until(begun)
                (os.killpg if to_all else os.kill)(process.pid, getattr(signal, name))
                said = process.communicate()[0]  # which also waits for ./apsp to close its standard output
                self.assertEqual(process.returncode, code)
                self.assertRegex(said, r"(?s)\An = 5: measured\n.*\n *5 .*Missing:\n  n = 400 .*"
                                       r"run.sh: interrupted; the same command measures what is missing\n\Z")
                self.assertEqual([path.name[:10] for path in out.glob("points/*.*") if path.is_file()],
                                 ["course-n5-"])
                self.apsp(f"report {out}/points", 1, err="1 of 2", out="n = 400")
                time.sleep(1)  # a plan's time has whole seconds
                smaller = f"--sizes 5 --kernels ref --out {out} -- --device cpu --reps 10000"
                self.assertNotIn("Missing", self.run_to_the_end(smaller))
                self.assertRegex(self.run_to_the_end(f"--sizes '' --out {out}", 1), "Missing:\n  n = 400")

    def test_a_wrong_point_is_named_with_the_command_that_shows_it(self):
        self.library("wrong.so", f"{SOLVE} if (n == 6) g[1] = 7777;")
        said = self.run_to_the_end(f"--sizes 5,6 --kernels ref,./wrong.so --out out -- {CPU} --range 9", 1)
        command, = re.findall(r"\nWRONG, shown by these commands:\n  \S+apsp (.*)\n", said)
        self.assertNotIn("Missing", said)
        self.assertRegex(said, r"1 of 4 planned points is wrong\n(?s:.*)run.sh: no right result at n = 6; the messages")
        self.apsp(command, 1, out=r"\./wrong\.so .* WRONG\n", err="1 entry differs from ref")

    def test_signals_before_anything_is_measured(self):
        slow = self.put_program("slow", "echo >> begun\nread -r < go\n")
        for step, arguments in (("the probe", ""), ("the plan", "--sizes 5")):
            for code, env in ((143, {}), (75, {"SLURM_JOB_ID": "7"})):
                with self.subTest(step, code=code):
                    os.mkfifo(self.dir / "go")  # the step lasts until the signal was sent
                    with open(self.dir / "go", "r+b", buffering=0) as go:
                        process = self.start(f"{arguments} --out out", APSP=slow, **env)
                        self.wait_until((self.dir / "begun").exists)
                        process.send_signal(signal.SIGTERM)
                        go.write(b"\n" * 100)  # more than one, if it goes on
                        process.communicate()
                    self.assertEqual(process.returncode, code)
                    self.assertEqual((self.dir / "begun").read_text(), "\n", "it goes on")
                    (self.dir / "go").unlink()
                    (self.dir / "begun").unlink()

    def test_a_point_that_fails_does_not_stop_the_others(self):
        apsp = self.put_program("apsp", f"""[[ $* == *"--n 5 "* && $* != *--plan* ]] || exec {APSP} "$@"
echo "apsp: kernel.cu:1: launch: unspecified launch failure (cudaErrorLaunchFailure)" >&2
exit 4
""")
        said = self.run_to_the_end(f"--sizes '5 6' --out out -- {CPU}", 1, APSP=apsp)
        self.assertRegex(said, r"(?s)cudaErrorLaunchFailure.*Missing:\n  n = 5 +ref .*failed at n = 5 \(exit 4\)")
        self.assertEqual([(row["n"], row["kernel"]) for row in self.rows("out")], [("6", "ref"), ("6", "apsp")])

    def test_a_second_signal_kills(self):
        stubborn = self.put_program("stubborn", """[[ $* == *--plan* ]] && exit
trap '' INT TERM
> begun
while :; do sleep 0.1; done
""")
        process = self.start("--sizes 5 --out out", APSP=stubborn)
        self.wait_until((self.dir / "begun").exists)
        process.terminate()
        time.sleep(0.5)
        self.assertIsNone(process.poll(), "it waits for ./apsp to end")
        process.terminate()
        process.communicate()  # which waits for both to close their standard output
        self.assertEqual(process.returncode, 143)

    def test_killed_at_fifty_moments_nothing_is_lost_or_doubled(self):
        sweep = "--sizes '{}' -- --device cpu --threads 1 --reps 5".format(" ".join(map(str, range(30, 42))))
        begin = time.monotonic()
        process = self.start(f"--out undisturbed {sweep}")
        self.wait_until((self.dir / "undisturbed" / "sweep.csv").exists)
        duration = time.monotonic() - begin
        process.communicate()
        expected = self.rows("undisturbed")
        self.assertEqual([(row["n"], row["kernel"]) for row in expected],
                         [(str(n), kernel) for n in range(30, 42) for kernel in ("ref", "apsp")])

        seed = random.randrange(2**32)
        moments, killed, resumed = random.Random(seed), 0, 0
        for sweeps in itertools.count():
            if killed >= 50:
                break
            while True:
                process = self.start(f"--out {sweeps} {sweep}")
                if killed < 50:
                    time.sleep(moments.uniform(0, duration))
                    killed += self.kill(process, moments)
                said = process.communicate()[0]
                self.assert_whole_points(self.dir / str(sweeps), f"seed {seed}")
                if process.returncode == 0:
                    break
                self.assertIn(process.returncode, (1, 128 + signal.SIGKILL, -signal.SIGKILL), said)
                resumed += 1
            self.assertEqual(self.rows(str(sweeps)), expected, f"seed {seed}")
            self.assertNotIn("WRONG", said)
        self.assertGreaterEqual(resumed, 25)  # the other kills came when all points were measured

    def kill(self, process, moments):
        """kill -9 of the whole sweep, of the script alone or of ./apsp alone, if it has not ended."""
        if process.poll() is not None:
            return 0
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        how = moments.choice(("all", "all", "script", "apsp"))
        if how == "all":
            os.killpg(process.pid, signal.SIGKILL)
        elif how == "apsp" and children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(children[0]), signal.SIGKILL)
        else:
            process.kill()
        return 1

    def assert_whole_points(self, out, told):
        header = (self.dir / "undisturbed" / "sweep.csv").read_text().splitlines(True)[0]
        for path in out.glob("points/*.csv"):
            lines = path.read_text().splitlines(True)
            self.assertEqual((len(lines), lines[0], lines[-1][-1]), (2, header, "\n"), told)
            self.assertRegex(lines[1], ",(ref|dijkstra:16),", told)


class SlurmScript(Suite):
    """scripts/sweep.sbatch, with a stand-in for scontrol; tests/slurm_test.py runs it in a real Slurm."""
    TASK = {"SLURM_JOB_ID": "6", "SLURM_ARRAY_JOB_ID": "5", "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_MIN": "0",
            "SLURM_ARRAY_TASK_COUNT": "2", "SIZES": "5 400 6 401", "KERNELS": "ref", "OUT": "out",
            "ARGS": "--device cpu --reps 10000"}
    NO_ARRAY = {"SLURM_ARRAY_JOB_ID": "", "SLURM_ARRAY_TASK_ID": "", "SLURM_ARRAY_TASK_COUNT": ""}

    def start(self, scontrol="exit 0", **env):
        self.put_program("scontrol", f"echo $* >> requeued; {scontrol}\n")
        process = subprocess.Popen(["bash", ROOT / "scripts" / "sweep.sbatch"], cwd=self.dir, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**os.environ, "APSP": APSP, **self.TASK, **env,
                                        "PATH": f"{self.dir}:{os.environ['PATH']}"})
        self.addCleanup(process.kill)
        return process

    def test_signals(self):
        for how, code, requeued, env in (
                (signal.SIGUSR1, 0, "requeue 5_1\n", {}), (signal.SIGUSR1, 75, "requeue 5_1\n", {"scontrol": "exit 1"}),
                (signal.SIGUSR1, 0, "requeue 6\n", self.NO_ARRAY),
                (signal.SIGTERM, 75, "", {}), (signal.SIGUSR1, 1, "", {"SLURM_RESTART_COUNT": "5"}),
                (signal.SIGTERM, 1, "", {"SLURM_RESTART_COUNT": "5"}), ("./apsp", 75, "", {})):
            with self.subTest(str(how), env=env):
                shutil.rmtree(self.dir / "out", True)
                self.put("requeued", "")
                process = self.start(**env)
                locks = self.dir / "out" / "points" / ".locks"
                while not any(path.read_text() for path in locks.glob("*-n400-*")) and process.poll() is None:
                    time.sleep(0.01)
                if how == "./apsp":
                    child, = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
                    os.kill(int(child), signal.SIGTERM)
                else:
                    process.send_signal(how)
                said = process.communicate()[0]
                self.assertEqual((process.returncode, (self.dir / "requeued").read_text()), (code, requeued), said)
                missing = "3 of 4" if env is self.NO_ARRAY else "4 of 4"  # the other task's as well
                self.apsp("report out/points", 1, err=missing, out="n = 400", left=None)

    def test_outside_slurm_it_says_how_to_submit_it(self):
        process = self.start(SLURM_JOB_ID="")
        self.assertRegex(process.communicate()[0], r"\A[^\n]+ submit it with sbatch scripts/sweep\.sbatch[^\n]*\n\Z")
        self.assertEqual(process.returncode, 2)

    def test_without_a_gpu_it_says_so(self):
        for gpu, told in (("0", False), ("", True)):
            process = self.start(SIZES="5,6 7", ARGS=CPU, CUDA_VISIBLE_DEVICES=gpu)
            said = process.communicate()[0]
            self.assertEqual((process.returncode, "no GPU (--gres)" in said), (0, told), said)
            self.assertRegex(said, r"n = 6\n")


class SlurmGrading(Suite):
    """scripts/grade.sbatch, with a stand-in for scontrol."""

    def test_signals_and_shared_files(self):
        (self.dir / "in").mkdir()
        self.library("in/right.so", f"if (n == 9) usleep(1000); {SOLVE}")  # a shorter time may be refused
        self.library("in/slow.so", f"if (n == 9) sleep(60); {SOLVE}")
        self.put_program("scontrol", "echo $* >> requeued\n")
        for how, code, requeued, env in (
                (signal.SIGUSR1, 0, "requeue 5_1\n", {}), (signal.SIGTERM, 75, "", {}),
                (signal.SIGTERM, 1, "", {"SLURM_RESTART_COUNT": "5"})):
            self.put("requeued", "")
            shutil.rmtree(self.dir / "grades.csv.d", True)
            process = subprocess.Popen(
                ["bash", ROOT / "scripts" / "grade.sbatch"], cwd=self.dir, text=True, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, "APSP": APSP, "FOLDER": "in", "ARGS": "--host --sizes 9", "SLURM_JOB_ID": "6",
                     "SLURM_ARRAY_JOB_ID": "5", "SLURM_ARRAY_TASK_ID": "1", "SLURM_CPUS_PER_TASK": "2", **env,
                     "PATH": f"{self.dir}:{os.environ['PATH']}"})
            self.addCleanup(process.kill)
            locks = self.dir / "grades.csv.d" / ".locks"
            while not any(path.read_text() for path in locks.glob("times-slow-*")) and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(how)
            said = process.communicate()[0]
            self.assertEqual((process.returncode, (self.dir / "requeued").read_text()), (code, requeued), said)
            self.assertRegex(said, r"(?m)^   1  right\.so .* pass")  # the table of what is graded
        with open(self.dir / "grades.csv", newline="") as file:
            self.assertEqual([(row["name"], row["verdict"]) for row in csv.DictReader(file)],
                             [("right.so", "pass"), ("slow.so", "waiting")])


class Compare(Suite):
    def csv(self, name, **fields):
        """A CSV file of one record, whose fields are those. Without times_ms it is one of an earlier version."""
        self.apsp(f"--n 9 --kernel apsp {CPU} --quiet --csv one.csv", left=None)
        with open(self.dir / "one.csv", newline="") as file:
            row = {**next(csv.DictReader(file)), "min_ms": "9", "median_ms": "10", "max_ms": "11", "reps": "5", **fields}
        row.update(q1_ms="", q3_ms="", **({} if "times_ms" in fields else {"times_ms": ""}))
        with open(self.dir / name, "w", newline="") as file:
            writer = csv.DictWriter(file, row, lineterminator="\n")
            writer.writeheader()
            writer.writerow(row)

    def test_regressions(self):
        self.csv("a.csv")
        self.csv("slower.csv", min_ms="11.5", median_ms="12", max_ms="13")
        self.csv("noise.csv", min_ms="9", median_ms="12", max_ms="13")
        self.csv("wrong.csv", verified="WRONG")
        self.apsp("compare a.csv slower.csv", out=(r"\AA: a.csv\nB: slower.csv\n\n", r"\+20\.0%  0\.0079 slower\n\n1 slower\n\Z"))
        self.apsp("compare a.csv slower.csv --fail-slower 21")
        self.apsp("compare a.csv slower.csv --fail-slower 19", 1, out="slower", err="slower.csv: .*19 %: 1$")
        self.apsp("compare slower.csv a.csv --fail-slower 0", out="1 faster")
        self.apsp("compare a.csv noise.csv --fail-slower 0", out="1 within noise")
        self.apsp("compare a.csv wrong.csv", out="1 wrong")
        self.apsp("compare a.csv wrong.csv --fail-slower 0", 1, out="1 wrong", err="wrong.csv")
        self.csv("crashed.csv", verified="crashed", reps="0", min_ms="0", median_ms="0", max_ms="0")
        self.apsp("compare a.csv crashed.csv --fail-slower 0", 1, out="1 wrong", err="crashed.csv")

    def test_one_call_that_overlaps_is_no_noise(self):
        times = [str(1 + i % 17 / 1000) for i in range(340)]
        self.csv("a.csv", times_ms=" ".join(["5", *times[1:]]), reps="340", min_ms="1", median_ms="1.008", max_ms="5")
        self.csv("b.csv", times_ms=" ".join(str(3.04 * float(ms)) for ms in times), reps="340", min_ms="3.04",
                 median_ms="3.064", max_ms="3.089")
        self.apsp("compare a.csv b.csv --fail-slower 5", 1, out=r"\+204\.0% <0\.0001 slower\n\n1 slower\n", err="b.csv")
        self.apsp("compare a.csv a.csv --fail-slower 0", out=r"\+0\.0% +1\.00 noise\n")
        self.apsp("compare /dev/stdin a.csv", out=r"\+0\.0% +1\.00 noise\n", stdin=(self.dir / "a.csv").read_bytes())  # a pipe is read once

    def test_a_disturbed_point_does_not_fail(self):
        self.csv("a.csv")
        self.csv("b.csv", min_ms="19", median_ms="20", max_ms="21", disturbed="load")
        self.apsp("compare a.csv b.csv --fail-slower 5",
                  out=r" 20\.000\* .* slower\*\n\n\*: disturbed, never fails --fail-slower; measure it again\n1 slower\n")
        self.csv("few.csv", reps="3", min_ms="12", median_ms="13", max_ms="14")
        self.apsp("compare a.csv few.csv", out=r"too few\n\ntoo few calls to decide: measure both with --reps 5 or more\n1 with")

    def test_records_have_the_time_of_each_call(self):
        self.apsp("--n 9 --kernel apsp --device cpu --reps 7 --csv a.csv --record rec", left=None)
        for path in (self.dir / "a.csv", *(self.dir / "rec").glob("*.csv")):
            with open(path, newline="") as file:
                row, = csv.DictReader(file)
            times = sorted(map(float, row["times_ms"].split()))
            self.assertEqual([times[0], times[3], times[6], len(times)],
                             [float(row[name]) for name in ("min_ms", "median_ms", "max_ms", "reps")])
        self.apsp("--n 9 --kernel apsp --device cpu --reps 1500 --csv many.csv", left=None)
        with open(self.dir / "many.csv", newline="") as file:
            self.assertEqual(len(next(csv.DictReader(file))["times_ms"].split()), 1000)

    def test_a_key_compares_other_threads(self):
        self.csv("t1.csv", units="1")
        self.csv("t2.csv", units="2", min_ms="5", median_ms="6", max_ms="7")
        self.apsp("compare t1.csv t2.csv", 3, err=r"no point in common: they differ in units \(1 and 2\): --key (device_name,ranks,hash,\S+,n) compares them anyway\n")
        self.apsp("compare t1.csv t2.csv --key device_name,hash,dtype,kernel,precision,symmetry,skip,n", out="1 faster")
        self.apsp("compare t1.csv t2.csv --key kernel,hash,n,device_name",
                  out=(r"A: .*, 1 thread, B: .*, 2 threads\n", "-40.0%  0.0079 faster\n\n1 faster\n"))
        self.apsp("compare t1.csv t2.csv --key kernel,thread", 2, err="no column 'thread'")
        self.csv("other.csv", device_name="another")
        self.apsp("compare t2.csv other.csv --key kernel,hash,n,device_name", 3, err="no point in common")
        self.apsp("compare t2.csv other.csv --key kernel,hash,n", out="1 slower")

    def test_bad_files(self):
        self.csv("a.csv")
        self.csv("nan.csv", median_ms="nan")
        self.csv("other.csv", device_name="another")
        self.put("short.csv", (self.dir / "a.csv").read_text()[:-5])
        self.put("empty.csv", "")
        (self.dir / "dir").mkdir()
        self.apsp("compare a.csv nan.csv", 3, err="nan.csv.*median_ms.*'nan'")
        self.apsp("compare a.csv other.csv", 3, out="1 only in A, 1 only in B", err="no point in common")
        for name in ("short.csv", "empty.csv", "dir"):
            self.apsp(f"compare {name} a.csv", 3, err=name)
            self.apsp(f"compare a.csv {name}", 3, err=name)

    def test_a_sweep_with_itself(self):
        self.apsp("--n 9 --kernel ref,apsp --device cpu --reps 3 --record rec --csv solve.csv", left=None)
        self.apsp("report rec --csv sweep.csv", left="sweep.csv")
        for a, b in itertools.product(("solve.csv", "sweep.csv", "rec"), repeat=2):
            out = self.apsp(f"compare {a} {b} --fail-slower 0", out="2 within noise")
            self.assertLessEqual(max(map(len, out.splitlines())), 80)


# ---- submissions -------------------------------------------------------------------------------------------

@table(
    Case("CUDA source on the CPU", f"--n 3 --kernel ./x.cu {CPU}", 2, err=(r"\./x\.cu", "--device gpu", r"\.so")),
    Case("missing library", f"--n 3 --kernel apsp,./none.so {CPU}", 3, err=r"\./none\.so"),
    *(Case(f"no library: {content!r}", f"--n 3 --kernel ./x.so {CPU}", 3, files={"x.so": content},
           err=rf"\Aapsp: \./x\.so: cannot be loaded: {reason}; build it with g\+\+ -O3 -march=native -fopenmp -shared -fPIC -I \S+ mine\.cpp -o mine\.so\n")
      for content, reason in (("", "file too short"), ("no ELF file" * 20, "invalid ELF header"))),
    Case("library without permission", f"--n 3 --kernel ./x.so {CPU}", 3, err=r"\./x\.so: cannot be read: Permission denied\n",
         files={"x.so": lambda path: (path.write_text("x"), path.chmod(0))}, child=bound_by_permissions),
    *(Case(f"--time-limit {value!r}", f"--n 3 {CPU} --time-limit {shlex.quote(value)}", 2, err="--time-limit")
      for value in ("0", "x", "1.5", "-1")),
)
class Submissions(Suite):
    def test_solves_like_any_other(self):
        self.library("right.so", SOLVE)
        self.apsp(f"--n 40 --kernel right.so,ref --verify {CPU} -o d.npy", left="d.npy",
                  out=r"ref .*dijkstra:16\nright\.so .*x +ref, (disturbed, )?public graph\n")  # by others who compute now
        self.assertEqual(read_npy(self.dir / "d.npy"), floyd_warshall(course(40, 1, 100000)))
        for n in (0, 1):
            self.apsp(f"--n {n} --kernel ./right.so --verify {CPU}")
        self.apsp(f"--n 4 --dtype f32 --kernel ./right.so {CPU}", 2, err="right.so.*f32")

    def test_each_call_gets_another_graph(self):
        """A submission could know a graph that everybody can generate."""
        self.library("right.so", SOLVE)
        run = "--n 30 --kernel ref,apsp,./right.so --reps 3 --device cpu --verify"
        shown = self.apsp(run, out=r"(?m)^\./right\.so .* ref$")
        self.assertRegex(shown, r"graph +necessary n=30 seed=(\d+) .*\n.*\n +another graph in each call; --seed \1 --vary repeats")
        several = self.apsp(run.replace("30", "20,30"), out=r"necessary seed=(\d+) .*\n.*\n +another graph in .* --seed \1 ")
        self.assertNotIn("public", shown + several)
        drawn, other = (self.records(run) for _ in range(2))
        self.assertNotEqual(drawn[0]["seed"], other[0]["seed"])
        again = self.records(f"{run} --vary --seed {drawn[0]['seed']}")
        for records, graphs in (drawn, "drawn"), (again, "varied"):
            self.assertEqual({record["graphs"] for record in records}, {graphs})
            self.assertEqual({(record["input"], record["hash"]) for record in records},
                             {(drawn[0]["input"], drawn[0]["hash"])})
        self.assertLessEqual(self.records("--n 9 --kernel ./right.so --device cpu")[0]["reps"], 50)
        chosen, = self.records(f"--n 30 --family uniform --range 9 --kernel ./right.so {CPU}")
        self.assertRegex(chosen["input"], r"\Auniform n=30 seed=\d{5,} range=9\Z")
        ours, = self.records(f"--n 30 --kernel apsp {CPU}")  # nothing changes without a submission
        self.assertEqual((ours["input"], ours["graphs"]), ("course n=30 seed=1 range=100000", "same"))

    def test_a_graph_that_can_be_known_is_public(self):
        self.library("right.so", SOLVE)
        self.put("g.el", "0 1 5\n1 2 3\n")
        marked = r"(?m)^\./right\.so .*, public graph$", r"\n  public graph: .*; --vary gives each call another one\n"
        for graph, left, varied in (("g.el", (), "varied"), ("--n 9 --seed 1", (), "varied"), ("--n 9 --family ring", (), "varied"),
                                    ("--n 9 -o d.npy", "d.npy", "drawn"), ("--n 9 --summary s.csv", "s.csv", "drawn"),
                                    ("--n 9 --predecessors p.npy", "p.npy", "drawn")):
            with self.subTest(graph):
                run = f"{graph} --kernel apsp,./right.so {CPU} --json j"
                graphs = lambda: [record["graphs"] for record in json.loads((self.dir / "j").read_bytes())]
                shown = self.apsp(run, left={"j", left} - {()}, out=marked)
                self.assertEqual(shown.count("public graph"), 2)  # our own solver knows nothing
                self.assertEqual(graphs(), ["same", "public"])
                self.assertNotIn("public", self.apsp(f"{run} --vary", left=None))
                self.assertEqual(graphs(), [varied, varied])
                for name in ("d.npy", "s.csv", "p.npy", "j"):
                    (self.dir / name).unlink(missing_ok=True)
        kept = f"--n 9 --seed 1 --kernel ./right.so {CPU} --record rec"
        self.apsp(kept, left=None)
        self.apsp(kept, left=None, out=", public graph, kept")
        self.apsp("report rec", out=r"(?m)^ *9 .* no, public graph$")

    def test_wrong(self):
        self.library("wrong.so", "if (n > 1) g[1] = 7;")
        self.apsp(f"--n 9 --kernel ./wrong.so --verify {CPU}", 1, out="wrong.so .* WRONG", err=r"differ.*got")

    def test_faults_do_not_stop_the_others(self):
        self.library("bad.so", "abort();")
        for kernels, left in (("./bad.so,apsp", ("d.npy", "j")), ("apsp,./bad.so", ("j",))):
            (self.dir / "j").unlink(missing_ok=True)
            (self.dir / "d.npy").unlink(missing_ok=True)
            self.apsp(f"--n 9 --kernel {kernels} --verify {CPU} -o d.npy --json j", 1, left=left,
                      out=(r"(?m)^\./bad\.so .* crashed$", r"(?m)^apsp .* ref$"),
                      err=r"\./bad\.so: call 1 \(n = 9\): crashed \(SIGABRT\)(; d\.npy: not written, left as it was)?\n")
            told = {record["kernel"]: record for record in json.loads((self.dir / "j").read_bytes())}
            self.assertEqual(told["./bad.so"]["verified"], "crashed")
            self.assertEqual(told["apsp"]["verified"], "ref")

    def test_what_cannot_be_loaded_does_not_stop_the_others(self):
        self.put("bad.so", "no library")
        self.library("good.so", SOLVE)
        self.library("wrong.so", "if (n > 1) g[1] = 7;")
        why = r"\Aapsp: \./bad\.so: cannot be loaded: file too short; build it with g\+\+ .*\n\Z"
        self.apsp(f"--n 9 --kernel ./bad.so,./good.so --verify {CPU} -o d.npy --json j --csv c", 3, err=why,
                  left=("d.npy", "j", "c"),
                  out=(r"(?m)^\./bad\.so( +-)+ +cannot be loaded$", r"(?m)^\./good\.so .* ref, public graph$"))
        self.assertEqual(read_npy(self.dir / "d.npy"), floyd_warshall(course(9, 1, 100000)))
        told = [{key: str(row[key]) for key in ("kernel", "verified", "reps")}
                for row in json.loads((self.dir / "j").read_bytes())]
        self.assertEqual(told, [{"kernel": "./bad.so", "verified": "cannot be loaded", "reps": "0"},
                                {"kernel": "./good.so", "verified": "ref", "reps": "1"}])
        self.assertEqual([{key: row[key] for key in told[0]}
                          for row in csv.DictReader((self.dir / "c").read_text().splitlines())], told)
        rows = self.apsp(f"--n 5,9 --kernel ref,./good.so,./bad.so {CPU}", 3, err=why)
        self.assertEqual(re.findall(r"(?m)^ *(\d+) +(\S+) .*?(cannot be loaded)?$", rows.split("\n\n")[-1])[-6:],
                         [(n, kernel, "cannot be loaded" if "bad" in kernel else "")
                          for n in "59" for kernel in ("ref", "./good.so", "./bad.so")])
        # A missing file is no other matter; a wrong result counts more, and a command line that is wrong the most.
        self.apsp(f"{DATA}/tiny.el --kernel ./none.so,./good.so {CPU}", 3, err=r"none\.so: cannot be read",
                  out=r"(?m)^\./none\.so .* cannot be loaded$")
        self.apsp(f"--n 9 --kernel ./bad.so,nosuch {CPU}", 2, out=r"\A\Z", err="no kernel 'nosuch'")
        self.apsp(f"--n 9 --kernel ./bad.so,./none.so {CPU}", 3, out=r"\A\Z", err=why)  # nothing is left
        process = self.popen(f"--n 9 --kernel ./bad.so,./wrong.so --verify --quiet {CPU}")
        said = process.communicate()[1].decode()
        self.assertRegex(said, why[:-2] + r"apsp: kernel \./wrong\.so: .* differ.*\n\Z")
        self.assertEqual(process.returncode, 1)
        process = self.popen(f"--n 9 --kernel ./good.so,./bad.so --quiet {CPU} -o d.npy")  # the last one is written
        said = process.communicate()[1].decode()
        self.assertRegex(said, why[:-2] + r"apsp: \./bad\.so: cannot be loaded; d\.npy: not written, left as it was\n\Z")
        self.assertEqual(process.returncode, 3)

    def test_time_limit(self):
        self.library("hang.so", "for (;;) pause();")
        self.apsp(f"--n 9 --kernel ./hang.so --time-limit 1 {CPU}", 1, out="hung", err="return within 1 s")

    def test_output_is_not_ours(self):
        self.library("forger.so", 'puts("\\33[32mpassed"); if (n > 5) exit(0);')
        shown = self.apsp(f"--n 5 --kernel ./forger.so {CPU}", out="printed 12 bytes, not shown")
        self.assertNotIn("passed", shown)
        self.library("loud.so", 'for (int i = 0; i < 20000; ++i) puts("a line");')
        self.apsp(f"--n 5 --kernel ./loud.so {CPU}", out="printed at least 65,536 bytes, not shown")
        self.apsp(f"--n 9 --kernel ./forger.so {CPU}", 1, out="exited", err=r"exit code 0; it printed: \?\[32mpassed\n")

    def test_changed_files_are_points_of_their_own(self):
        for body, skipped in (("", False), ("", True), ("abort();", False), ("sleep(0);", False), ("sleep(0);", True)):
            self.library("x.so", body)
            shown = self.apsp(f"--n 6 --kernel ./x.so {CPU} --record rec", "abort" in body, left=None)
            self.assertEqual("skipped" in shown, skipped, body)
        self.assertEqual(len(list((self.dir / "rec").glob("*-x-so-*.csv"))), 2)

    def test_interrupted_takes_it_along(self):
        self.library("hang.so", 'FILE* f = fopen("pid", "w"); fprintf(f, "%d", getpid()); fclose(f); for (;;) pause();')
        process = self.popen(f"--n 9 --kernel ./hang.so {CPU} --unsandboxed")  # because it writes a file
        pid = self.dir / "pid"
        self.wait_until(lambda: pid.exists() and pid.read_text(), process)
        process.send_signal(signal.SIGINT)
        process.communicate()
        number = pid.read_text()

        def ended():
            try:
                return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
            except (FileNotFoundError, ProcessLookupError):
                return True
        self.wait_until(ended)


def refusing(*calls):
    """What makes the kernel refuse these system calls to a process and its children, as in some containers."""
    seccomp = ctypes.CDLL("libseccomp.so.2")
    seccomp.seccomp_init.restype = ctypes.c_void_p
    allow, refuse = 0x7fff0000, 0x00050000 | errno.EPERM

    def child():
        handle = ctypes.c_void_p(seccomp.seccomp_init(allow))
        for call in calls:
            seccomp.seccomp_rule_add(handle, refuse, seccomp.seccomp_syscall_resolve_name(call.encode()), 0)
        assert seccomp.seccomp_load(handle) == 0
    return child


class Sandbox(Suite):
    """What a user sees of the sandbox; tests/course/sandbox_test.cpp tests what it forbids."""
    def test_every_row_says_if_there_is_none(self):
        self.library("right.so", SOLVE)
        for option, kind in (("", "landlock|bubblewrap"), ("--unsandboxed", "unsandboxed")):
            shown = self.apsp(f"--n 9 {CPU} --kernel ref,./right.so --verify {option} --csv c --json j --record rec", left=None)
            self.assertEqual("unsandboxed" in shown, bool(option))
            self.assertRegex(shown, rf"(?m)^\./right\.so .* ref{', unsandboxed' if option else ''}$")
            ref, right = csv.DictReader((self.dir / "c").read_text().splitlines())
            self.assertEqual(ref["sandbox"], "")
            self.assertRegex(right["sandbox"], rf"\A({kind})\Z")
            self.assertEqual(right["sandbox"], json.loads((self.dir / "j").read_bytes())[1]["sandbox"])
            self.assertRegex(self.apsp(f"--n 9 {CPU} --kernel ./right.so --verify {option} --record rec", left=None),
                             r"kept, unsandboxed|unsandboxed, kept" if option else "kept$|kept\n")
            shutil.rmtree(self.dir / "rec")
            shown = self.apsp(f"check --quick --host --kernel ./right.so {option} --csv k", left=None)
            self.assertEqual(bool(re.search(r"(?m)^kernel \./right\.so on .*, unsandboxed$", shown)), bool(option), shown)
            self.assertRegex(next(csv.DictReader((self.dir / "k").read_text().splitlines()))["sandbox"], rf"\A({kind})\Z")
            for name in "ckj":
                (self.dir / name).unlink()

    def test_there_must_be_one(self):
        self.library("right.so", SOLVE)
        none = refusing("landlock_create_ruleset", "unshare", "mount")
        kernel = f"--n 9 {CPU} --kernel ./right.so"
        self.apsp(kernel, 2, child=none, err=r"\./right\.so: .*Landlock.*bwrap.*--unsandboxed")
        self.apsp(f"{kernel} --unsandboxed", child=none)
        self.apsp(f"{kernel} --verify", child=refusing("unshare", "mount"))  # no bubblewrap, but Landlock

    def test_it_is_for_files(self):
        self.apsp(f"--n 9 {CPU} --kernel ref --unsandboxed", 2, err="--unsandboxed has no effect on ref")

    def test_environment(self):
        self.library("asks.so", 'if (getenv("SECRET") || !getenv("HOME") || getenv("HOME")[1] != \'n\') abort();' + SOLVE)
        self.apsp(f"--n 9 {CPU} --kernel ./asks.so --verify", env={"SECRET": "seed"})
        self.apsp(f"--n 9 {CPU} --kernel ./asks.so --unsandboxed", 1, env={"SECRET": "seed"}, out="crashed", err="SIGABRT")


# ---- check -------------------------------------------------------------------------------------------------

SQUARE = ("int* d = new int[n * n]; for (int i = 0; i < n * n; ++i) d[i] = g[i];"
          "for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) for (int k = 0; k < n; ++k)"
          " if (d[i * n + k] + d[k * n + j] < g[i * n + j]) g[i * n + j] = d[i * n + k] + d[k * n + j]; delete[] d;")
RING = "ring-n4-seed1-range100000.bin"


@table(
    Case("check of a graph", "check {data}/tiny.el", 2, err=r"tiny\.el"),
    Case("check quick and full", "check --quick --full", 2, err="--full|--quick"),
    Case("check varied and not", "check --vary --no-vary", 2, err="vary"),
    Case("check of no contract", "check --contract none", 2, err="--contract"),
    Case("an error of check stands alone", "check --kernel zz", 2, out=r"\A\Z", err="no kernel 'zz'", env=NO_GPU),
    Case("check of a bad --witness stands alone", "check --quick --kernel ref --witness /dev/null/w", 6, out=r"\A\Z",
         err="--witness /dev/null/w: this folder cannot be made: .*: name another", env=NO_GPU),
    Case("the help of a subcommand is named", "check --foo", 2, err=r"\(apsp check --help tells more\)"),
    Case("the help about --quick says how long", "check --help", out=r"(?s)--quick .*seconds,\s+while\s+all\s+sizes\s+may"
         r"\s+take\s+minutes"),
    Case("check of no kernel", "check --device cpu --kernel zz", 2, out=r"\A\Z", err=("zz", "apsp, ref")),
    Case("check of a missing file", "check --host --kernel ./none.so", 3, out=r"\A\Z", err="none.so"),
    Case("check of a missing file and another one", "check --quick --host --kernel ./none.so,apsp --csv c", 3, left="c",
         out=r"(?m)^All \d+ results are right", err=r"\./none\.so: cannot be read"),
    Case("families of a check", "check --families", out=(r"(?m)^ring +a pivot tile", r"(?s)\A((?!limit-path).)*\Z")),
    Case("families of negative weights", "check --families --contract negative",
         out=(r"(?m)^planted-arcs +a missing", r"(?s)\A((?!ring).)*\Z")),
    Case("families of apsp.h's contract", "check --families --contract general", out=r"(?m)^limit-path +"),
)
class Checks(Suite):
    def test_a_file_that_is_not_loaded_again_stops_nothing(self):
        """It is loaded first before any check, then for its check, then to find out whether it has a state."""
        self.library("right.so", SOLVE)
        for most, body, said in ((1, SOLVE, r"apsp: \./some\.so: cannot be loaded: ended its process with exit code 3\n"),
                                 (2, "", r"apsp: kernel \./some\.so: \d+ of \d+ checks failed: .*\n")):
            self.library("some.so", f"""{body} }}
                __attribute__((constructor)) static void count() {{
                  FILE* file = fopen("{self.dir}/loads", "a");
                  fputc('x', file);
                  if (ftell(file) > {most}) _exit(3);
                  fclose(file);""")
            self.apsp("check --quick --host --unsandboxed --kernel ./some.so,./right.so", 1, err=rf"\A{said}\Z",
                      out=r"(?m)^All \d+ results are right", left="loads")
            (self.dir / "loads").unlink()

    def test_right_kernels_pass(self):
        out = self.apsp("check --quick --device cpu --kernel apsp,ref --json j --csv c", left=("j", "c"))
        graphs = re.findall(r"(?m)^All (\d+) results are right", out)
        self.assertEqual(graphs, 2 * graphs[:1])
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        checks = json.loads((self.dir / "j").read_bytes())
        self.assertEqual([(c["kernel"], c["failed"], len(c["cells"])) for c in checks], [(kernel, 0, int(graphs[0])) for kernel in ("apsp", "ref")])
        rows = list(csv.DictReader(io.StringIO((self.dir / "c").read_text())))
        self.assertEqual([(r["kernel"], r["graphs"], r["pattern"]) for r in rows], [(kernel, graphs[0], "") for kernel in ("apsp", "ref")])

    def test_a_wrong_kernel_is_named_and_its_witness_fails(self):
        (self.dir / "a b").mkdir()
        self.library("a b/wrong.so", SQUARE)
        out = self.apsp("check --quick --host --kernel 'a b/wrong.so' --witness w --json j", 1, left=("j", f"w/{RING}"),
                        out=(r"(?m)^ring +\.\.x", r"(?m)^ring n=15 .*\n  180 of 225 entries;", "diagnosis pivot tile squared", rf"ring n=4 .*\n  {re.escape(shlex.quote(APSP))} w/"),
                        err=r"kernel a b/wrong\.so: \d+ of \d+ checks failed: pivot tile squared")
        command = re.search(rf"(?m)^  {re.escape(shlex.quote(APSP))} (.*)$", out)[1]
        self.assertIn(f"w/{RING}", command)
        self.apsp(command, 1, out="WRONG", err=r"first at \(0, 3\): expected 3, got 100000")
        self.apsp(command.replace("'a b/wrong.so'", "apsp"))
        check, = json.loads((self.dir / "j").read_bytes())
        self.assertEqual((check["pattern"], check["witness"]), ("squared", "ring n=4 seed=1 range=100000"))
        text = RING.replace(".bin", ".el")
        self.library("wrong.so", SQUARE)
        self.apsp("check --quick --host --kernel wrong.so --witness t --to el", 1, left=f"t/{text}", out=f"t/{text}",
                  err="squared")
        self.assertRegex((self.dir / "t" / text).read_text(), r"\A# Nodes: 4 Edges: 12?\n(\d \d \d+\n)+\Z")
        self.assertEqual({cell["result"] for cell in check["cells"]}, {"right", "wrong"})

    def test_mistakes_that_only_the_general_contract_shows(self):
        floats = ("float* d = new float[n * n]; for (int i = 0; i < n * n; ++i) d[i] = g[i]; for (int k = 0; k < n; ++k) "
                  "for (int i = 0; i < n; ++i) { const float first = d[i * n + k]; for (int j = 0; j < n; ++j) { "
                  "const float sum = first + d[k * n + j]; d[i * n + j] = sum < d[i * n + j] ? sum : d[i * n + j]; } } "
                  f"for (int i = 0; i < n * n; ++i) g[i] = d[i] >= {INF} ? {INF} : d[i]; delete[] d;")
        marked = f"for (int i = 0; i < n * n; ++i) if (g[i] == {INF}) g[i] = {{}};"
        for body, pattern, said in ((floats, "floats", "computes in float32: "),
                                    (SOLVE + marked.format("0x7fffffff"), "no-path", '"no path" is marked by INT_MAX, not by kInf'),
                                    (SOLVE + marked.format(INF - 1), "no-path", '"no path" is marked by kInf - 1, '),
                                    (SOLVE + marked.format(0), "no-path", '"no path" is marked by 0, ')):
            self.library("mine.so", body)
            self.apsp("check --quick --host --kernel mine.so", out=r"(?m)^kernel mine\.so on .*, contract course$")
            self.apsp("check --quick --host --contract general --kernel mine.so --csv c.csv", 1, left=None,
                      out=r"(?m)^kernel mine\.so on .*, contract general$", err=re.escape(said))
            row, = csv.DictReader(io.StringIO((self.dir / "c.csv").read_text()))
            self.assertEqual(row["pattern"], pattern)
            (self.dir / "c.csv").unlink()

    def test_the_witness_is_shown_in_ascii(self):
        self.library("wrong.so", SOLVE + f"for (int i = 0; i < n * n; ++i) if (g[i] == {INF}) g[i] = 5 + i % 2;")
        out = self.apsp("check --quick --host --contract general --kernel wrong.so", 1, err="diagnosis unknown: ",
                        env={"LC_ALL": "C"}, out=(r"(?m)^diagnosis unknown: ", r"\| +0 +1\n", r"\n  1 \| inf .* 5\* +0\n"))
        shown = re.search(r"(?s)\nwitness .*?\n\n(.*?)\n\n", out)[1]
        self.assertLessEqual(max(map(len, shown.splitlines())), 80)
        self.assertTrue(out.isascii())

    def test_faults_are_reported_and_soon_enough(self):
        self.library("crash.so", 'puts("passed"); if (n > 16) abort();' + SOLVE)
        out = self.apsp("check --quick --host --kernel crash.so", 1, err=r"3 of \d+ checks failed: crashes",
                        out=(r"(?m)^ring +\.\.\.\.!!-+!-+ -", r"crashed \(SIGABRT\)", r"printed \d+ bytes, not shown"))
        self.assertNotIn("passed", re.sub(r"it printed: \S+", "", out))

    def test_a_crash_says_from_which_n_on(self):
        self.library("crash.so", "if (n > 201) abort();" + SOLVE)
        self.apsp("check --quick --host --kernel crash.so", 1, err="crashes from n = 202 on: a fixed array\\? ", out="witness +[a-z-]+ n=202 ")
        self.library("wrong.so", "if (n > 201) abort();" + SQUARE)  # which says more
        self.apsp("check --quick --host --kernel wrong.so", 1, err="pivot tile squared", out=r"crashed \(SIGABRT\)")

    def test_a_race_leaves_a_word_in_place_of_a_witness(self):
        self.library("race.so", "static int calls; " + SOLVE + " if (n > 16 && ++calls % 40 == 0) ++g[1];")
        self.apsp("check --quick --host --kernel race.so --witness w", 1, err="differs between runs|earlier call", left="w/no-witness-race.so.txt",
                  out=r"\nwitness +none: w/no-witness-race\.so\.txt says why\n")
        said = (self.dir / "w/no-witness-race.so.txt").read_text()
        self.assertRegex(said, r"\AA result depends on the calls before it\. No single graph shows that, so there is no witness\.\n"
                               r"\nThe smallest graph that failed: [a-z-]+ n=\d+ [^$]*\n  \S+ --n \d+ .* --kernel race\.so --verify\n\Z")
        # The second call on a graph is sometimes wrong, and right when the graphs that failed are solved alone.
        self.library("race.so", "static unsigned long last; static int again; unsigned long hash = n; "
                     f"for (int i = 0; i < n * n; ++i) hash = 31 * hash + g[i]; {SOLVE} if (n > 16 && hash == last && ++again < 99) ++g[1]; last = hash;")
        self.apsp("check --quick --host --kernel race.so --witness w", 1, err="differs between runs", left="w/no-witness-race.so.txt")
        self.assertRegex((self.dir / "w/no-witness-race.so.txt").read_text(), "(?s)did not fail again when it was solved alone, so there is no witness\\."
                         "\n.*as it does after a race between threads\\.\n")
        self.library("race.so", SOLVE)
        self.apsp("check --quick --host --kernel race.so --witness w", left="w/no-witness-race.so.txt")
        self.assertEqual(list((self.dir / "w").iterdir()), [])  # what an earlier check said
        self.apsp("check --quick --host --kernel race.so --witness w --json w/no-witness-race.so.txt", 2, err="--witness may write this file")

    # Stands in for nvcc: lists the source, or makes a library of it.
    NVCC = """for ((i = 1; i <= $#; ++i)); do
      case ${!i} in -MF|-o) j=$((i + 1)); out=${!j} ;; -M) list=1 ;; *.cu) source=${!i} ;; --version) echo nvcc; exit ;; esac
    done
    if [[ -v list ]]; then echo "x : $source" > "$out"; exit; fi
    ! grep -n SYNTAX "$source" || { echo "$source(1): error: expected a ;"; exit 2; }
    echo > "$out"
    """

    def test_cuda_source_is_compiled_without_a_gpu(self):
        self.put_program("cuda/bin/nvcc", self.NVCC)
        env = {**NO_GPU, "CUDA_HOME": str(self.dir / "cuda"), "XDG_CACHE_HOME": str(self.dir / "cache")}
        self.put("right.cu", "void apsp(int n, int* graph) {}\n")
        self.put("wrong.cu", "SYNTAX\n")
        self.apsp("check --quick --kernel ./right.cu", 4, err=r"\Aapsp: \./right\.cu: compiles, but runs on a GPU only: no GPU: .*: run it where one is\n\Z",
                  env=env, left=None)
        wrong = subprocess.run([APSP, *"check --quick --kernel ./wrong.cu".split()], cwd=self.dir, env={**os.environ, **env}, capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 3, wrong.stderr)
        self.assertRegex(wrong.stderr, r"\./wrong\.cu: does not compile: .*expected a ;\n\Z")  # after the compiler's own words
        self.apsp("check --quick --host --kernel ./right.cu", 2, err="CUDA source runs on a GPU only", env=env, left=None)

    def test_the_printed_command_finds_the_header(self):
        self.put("mine.cpp", '#include "apsp.h"\n#include <omp.h>\nvoid apsp(int n, int* g) { omp_get_max_threads(); ' + SOLVE + " }\n")
        self.put("x.txt", "")
        said = subprocess.run([APSP, *f"--n 3 --kernel ./x.txt {CPU}".split()], cwd=self.dir, capture_output=True, text=True).stderr
        command = re.search(r"g\+\+ .*", said)[0]
        subprocess.run(command, shell=True, check=True, cwd=self.dir)
        self.apsp(f"--n 30 --kernel ./mine.so {CPU} --verify", out=r"(?m)^\./mine\.so .* ref")

    def test_the_witness_goes_where_it_can(self):
        self.library("wrong.so", SQUARE)
        self.put("w", "a file")
        self.apsp("check --quick --host --kernel wrong.so --witness w", 6, out=r"\A\Z", err=r"--witness w: .*irectory")

    def test_without_its_witness_the_report_is_there(self):
        self.library("wrong.so", SQUARE)
        (self.dir / "w" / RING).mkdir(parents=True)
        self.apsp("check --quick --host --kernel wrong.so --witness w --json j", 6, left="j",
                  out=("diagnosis pivot tile squared", r"witness +ring n=4 .*\n  \S+ --n 4 --family ring --device"),
                  err=rf"\d+ of \d+ checks failed: .*; the witness was not written: w/{RING}: cannot write: .*directory")


# ---- the dense benchmark -----------------------------------------------------------------------------------

class Dense(Suite):
    COLUMNS = ("device n family kernel precision tier dtype median_ms min_ms max_ms reps relax_per_s pct_of_peak "
               "verified").split()

    def bench(self, arguments, *expected, **more):
        self.script("bench_dense.sh", arguments, *expected, **more)

    def rows(self):
        with open(self.dir / "out" / "dense.csv", newline="") as file:
            return list(csv.DictReader(file))

    def test_every_point_is_measured_and_verified(self):
        self.bench("--device cpu --n 40:59:10 -o out")
        rows = self.rows()
        self.assertEqual(list(rows[0]), self.COLUMNS)
        points = [tuple(row[key] for key in ("n", "family", "kernel", "precision", "dtype")) for row in rows]
        self.assertEqual(len(set(points)), len(points), points)
        for n in ("40", "50"):  # the CPU's solvers have no options
            expected = {(n, "course", "ref", "auto", "i32"), (n, "course", "apsp", "auto", "i32"),
                        (n, "course undirected", "apsp", "auto", "i32"), (n, "grid", "apsp", "auto", "i32")}
            self.assertLessEqual(expected, set(points))
        for row in rows:
            self.assertRegex(row["verified"], "dijkstra:16" if row["kernel"] == "ref" else "ref")
            self.assertLess(0, float(row["median_ms"]))
            self.assertEqual(row["pct_of_peak"], "")  # no peak of a CPU is measured
        self.assertEqual([p.name for p in (self.dir / "out").iterdir()], ["dense.csv"])

    def test_a_failure_leaves_what_was_measured(self):
        apsp = self.put_program("apsp", f'[[ $* != *"--n 50 "* ]] || exit 3\nexec "{APSP}" "$@"\n')
        self.bench("--device cpu --sizes 40,50 -o out", 1, err="--n 50 .*: exit code 3", APSP=apsp)
        self.assertEqual({row["n"] for row in self.rows()}, {"40"})

    def test_readme_table(self):
        self.bench("--device cpu --sizes 40 -o out")
        dense = self.dir / "out/dense.csv"
        self.put("README.md", "<!-- table: out/dense.csv -->\n<!-- end -->\n")
        for text in (dense.read_text(), dense.read_text().replace("pct_of_peak", "pct_of_wall")):  # its old name
            dense.write_text(text)
            subprocess.run([ROOT / "scripts/readme_tables.py", "--readme", self.dir / "README.md"], check=True,
                           capture_output=True)
            self.assertRegex((self.dir / "README.md").read_text(),
                             r"course\n\n\| n \| ref ms \| tier, % of peak \| apsp ms .*\n.*\n"
                             r"\| 40 \| [\d.]+ \| int32 \|")
            self.put("README.md", "<!-- table: out/dense.csv -->\n<!-- end -->\n")

    def test_what_choosing_a_method_costs(self):
        out = self.dir / "auto.csv"
        subprocess.run([ROOT / "scripts/bench_auto.py", "-o", out, "--device", "cpu", "--sizes", "40,50", "--rounds", "2",
                        "--families", "course,grid"], check=True, capture_output=True, env={**os.environ, "APSP": APSP})
        with open(out, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["family"], row["n"]) for row in rows],
                         [("course", "40"), ("grid", "40"), ("course", "50"), ("grid", "50")])
        for row in rows:
            self.assertEqual((row["verified"], row["rounds"]), ("dijkstra:16", "2"))
            self.assertAlmostEqual(float(row["ratio"]), 100 * float(row["auto_ms"]) / float(row["dense_ms"]), delta=1)

    def test_what_the_type_of_the_numbers_costs(self):
        (self.dir / "g.gr").write_text("p sp 3 2\na 1 2 5\na 2 3 7\n")
        out = self.dir / "types.csv"
        subprocess.run([ROOT / "scripts/bench_types.py", "-o", out, "--sizes", "40,50,60", "--rounds", "1", "--graph", "g.gr"],
                       check=True, capture_output=True, cwd=self.dir, env={**os.environ, "APSP": APSP})
        with open(out, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 6 + 7 + 6 + 7)  # 32 bits are measured where 16 may be exact, unless the solver has none
        for row in rows:
            self.assertIn("dijkstra:", row["verified"])
            if row["precision"] == "64":
                self.assertEqual(row["tier"], {"i64": "int64", "f64": "float64"}[row["dtype"]])
            if row["precision"] == "32":
                self.assertEqual((row["tier"], row["dtype"]), ("int32", "i32"))
        tiers = {row["tier"] for row in rows[-7:] if row["precision"] == "auto" and row["dtype"] != "f32"}
        self.assertLessEqual(tiers, {"int32", "uint16"})
        self.put("README.md", "<!-- table: types.csv#types -->\n<!-- end -->\n")
        subprocess.run([ROOT / "scripts/readme_tables.py", "--readme", self.dir / "README.md"], check=True, capture_output=True)
        self.assertRegex((self.dir / "README.md").read_text(), r"\| g.gr \| \w+ \| [\d.e-]+ ms \(\w+\), × 1.00 \|")

    def test_how_good_the_choice_is(self):
        """Every structure is solved right by auto, and beside each method it gets a row."""
        out = self.dir / "structures.csv"
        done = subprocess.run(["/usr/bin/python3", ROOT / "scripts/bench_structures.py", "-o", out, "--device", "cpu",
                               "--sizes", "70", "--weights", "real", "--rounds", "1"], capture_output=True, text=True,
                              env={**os.environ, "APSP": APSP})
        if "No module named" in done.stderr:
            self.skipTest("needs NumPy and SciPy")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["verified"].partition("±")[0] for row in rows}, {"dijkstra:16"})
        self.assertGreater(len(rows), 45)
        for row in rows:
            best = float(row[row["best"] + "_ms"])
            self.assertAlmostEqual(float(row["factor"]), float(row["auto_ms"]) / best, delta=0.02 + 0.01 * float(row["factor"]))

    def test_table_and_picture_of_peers(self):
        self.put("cpu/sparse_peers.csv", "graph,n,edges,tool,threads,all_ms,extrapolated,distances_per_s,cpu\n"
                 "g,10,20,apsp,1,2000,no,5e+07,C\ng,10,20,apsp,2,1000,no,1e+08,C\n"
                 "g,10,20,other,1,90000,yes,1.1e+06,C\ng,10,20,slow,1,2e6,no,50000,C\nh,30,40,other,1,5,no,2e+07,C\n")
        self.put("h100/sparse.csv", "input,n,edges,kernel,method,median_ms,streamed,device_name,device_short\n"
                 "g.gr,10,20,apsp,sparse,8,no,NVIDIA H100,h100\ng.gr,10,20,apsp,auto,4,no,NVIDIA H100,h100\n"
                 "elsewhere.gr,11,20,apsp,auto,4,no,NVIDIA H100,h100\n")
        self.put("page.md", "<!-- table: cpu/sparse_peers.csv#peers -->\n<!-- end -->\n"
                 "<!-- table: h100/sparse.csv#beside -->\n<!-- end -->\n")
        subprocess.run([ROOT / "scripts/readme_tables.py", "--readme", self.dir / "page.md"], check=True, capture_output=True)
        page = (self.dir / "page.md").read_text()
        self.assertIn("| graph | n | edges | apsp s | apsp, 2 threads s | other s | slow s |\n"
                      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
                      "| g | 10 | 20 | 2 | 1 | about 90 | 2000 |\n| h | 30 | 40 | - | - | 0.005 | - |\n", page)
        self.assertIn("| graph | n | edges | apsp, H100, s | apsp, 2 CPU cores, s | the fastest other, 1 core, s |\n"
                      "| --- | ---: | ---: | ---: | ---: | ---: |\n"
                      "| g | 10 | 20 | 0.004 | 1 | about 90 (other) |\n\n", page)
        done = subprocess.run([ROOT / "scripts/plot.py", "cpu/sparse_peers.csv", "h100/sparse.csv", "-o", "p"],
                              cwd=self.dir, capture_output=True, text=True)
        if done.returncode != 2:  # without matplotlib
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            picture = (self.dir / "p.svg").read_text()
            for name in ("apsp, H100", "apsp, 1 core", "apsp, 2 cores", "slow"):
                self.assertIn(f"<!-- {name} -->", picture)

    def test_what_does_not_fit_is_left_out(self):
        self.bench("--device cpu --sizes '40 2000000' -o out", err="(?s) TB .*left out")
        self.assertEqual({row["n"] for row in self.rows()}, {"40"})
        self.bench("--device cpu --sizes 2000000 -o none", 1, err="nothing was measured")
        self.assertEqual(list((self.dir / "none").iterdir()), [])

    def test_usage(self):
        for arguments in ("--bogus", "--sizes", "-o", "--sizes x", "--sizes 40:10:1", "--sizes 40 more", "--device tpu"):
            with self.subTest(arguments):
                self.bench(arguments, 2, err="bench_dense.sh|apsp")
        self.assertEqual(snapshot(self.dir), {})

    def on_stand_in_gpu(self, ceilings, **kwargs):
        """The script where ./apsp calls the CPU a GPU, and takes the options of its kernel."""
        apsp = self.put_program("apsp", f"""words=" ${{*/gpu/cpu}} "
            for option in '--precision 32' --no-symmetry --no-skip; do words=${{words/ $option / }}; done
            {APSP} $words | sed 's/"device": "cpu"/"device": "gpu"/'""")
        self.bench("--device gpu --sizes 40 -o out", APSP=apsp, CEILINGS=self.put_program("ceilings", ceilings), **kwargs)

    def test_percentages_are_of_the_peak_just_measured(self):
        record, = self.records(f"--n 3 {CPU}")
        text = json.dumps({"context": {"device_name": record["device_name"]},
                           "benchmarks": [{"name": "int32/viaddmin/manual_time", "relax_per_s": 1e9}]})
        self.on_stand_in_gpu(f"cat > \"${{1#--benchmark_out=}}\" <<< {shlex.quote(text)}")
        self.assertEqual(json.loads((self.dir / "out" / "ceilings.json").read_text()), json.loads(text))
        for row in (row for row in self.rows() if row["tier"] == "int32"):
            self.assertAlmostEqual(float(row["pct_of_peak"]) / float(row["relax_per_s"]) * 1e7, 1, delta=1e-3)

    def test_ceilings_that_fail(self):
        self.on_stand_in_gpu("exit 3", code=1, err="ceilings failed")
        self.assertEqual(list((self.dir / "out").iterdir()), [])


# ---- the ladder's scripts ----------------------------------------------------------------------------------

NCU = r"""
[[ $* == *"--launch-count 12"*"--kernel $RUNG "* ]] || { echo "==ERROR== $*"; exit 9; }
metrics=$(sed "s/.*--metrics \\([^ ]*\\) .*/\\1/" <<< "$*")
fields() { for metric in ${metrics//,/ }; do printf ',"%s"' "${1:-$metric}"; done; echo; }
echo "==PROF== Connected to process 7"
printf '"ID","Kernel Name","Block Size"'; fields
printf '"","",""'; fields %
for id in 0 1; do
  printf '"%s","void <unnamed>::updateRest<(int)6>(Distances, int)","(32, 32, 1)"' $id; fields "$((id + 1)),000.5"
  printf '"%s","closePivot(Distances, int)","(32, 32, 1)"' $id; fields n/a
done
echo "==PROF== Disconnected"
"""


class LadderScripts(Suite):
    def test_profile(self):
        stand_ins = {"APSP": self.put_program("apsp", "exit 0"), "NCU": self.put_program("ncu", NCU)}
        table = self.script("profile.sh", "c1 -o p.csv", RUNG="c1", **stand_ins)
        self.assertRegex(table, r"c1, n = 1000, means over 4 launches\n\n\| n = 1000 \| nvprof's name \| `updateRest<6>` "
                                r"\| `closePivot` \|\n")
        self.assertRegex(table, r"\n\| shared memory efficiency \| `shared_efficiency` \| 1500.5 % \| – \|\n")
        with open(self.dir / "p.csv", newline="") as file:
            rest, pivot = csv.DictReader(file)
        self.assertEqual([rest[key] for key in ("rung", "kernel", "n", "launches")], ["c1", "updateRest<6>", "1000", "2"])
        self.assertEqual((rest["gpu__time_duration.sum"], pivot["gpu__time_duration.sum"]), ("1500.5", ""))
        self.assertRegex(self.script("profile.sh", "", RUNG="b1", **stand_ins),
                         r"the report \(P100, n = 1000\)[^$]*67\.1–67\.8 %")

    def test_profile_that_cannot_be(self):
        apsp, ncu = self.put_program("apsp", "exit 0"), self.put_program("ncu", NCU)
        self.script("profile.sh", "--bogus", 2, err="--bogus")
        self.script("profile.sh", "--device gpu", 2, err="no ncu", NCU="/nosuch/ncu")
        self.script("profile.sh", "", 1, err=r"ncu failed \(9\): ==ERROR==", APSP=apsp, NCU=ncu, RUNG="other")
        self.script("profile.sh", "", 3, err="no kernel was profiled", APSP=apsp, NCU=self.put_program("none", "exit 0"))
        refused = self.put_program("refused", "echo '==ERROR== ERR_NVGPUCTRPERM - no permission'; exit 1")
        self.script("profile.sh", "", 4, err="root", APSP=apsp, NCU=refused)
        self.script("profile.sh", "-o nosuch/p.csv", 6, err="nosuch", APSP=apsp, NCU=ncu, RUNG="b1")
        self.script("profile.sh", "--device gpu", 4, err="apsp: no GPU", NCU=ncu, **NO_GPU)
        self.script("profile.sh", "--device tpu", 2, err="--device is gpu or cpu")

    def test_profile_on_a_cpu(self):
        """Where there is no GPU. A stand-in for perf: it runs what it measures, and writes what perf writes."""
        perf = self.put_program("perf", r"""
            case $1 in
              stat) echo "12.5,msec,task-clock,1,100.00,," > "$6"; echo '<not supported>,,cycles,0,0.00,,' >> "$6"; "${@:7}" ;;
              record) echo data > "$6"; "${@:7}" ;;
              report) printf '# head\n    81.25%%  [.] apsp(int, int*)\n     3.10%%  [k] page_fault\n\n' ;;
            esac""")
        table = self.script("profile.sh", "ref --n 20", PERF=perf, APSP=APSP, **NO_GPU)
        self.assertEqual(table, "## ref, n = 20\n\n| counter | count |\n|---|---:|\n| task-clock | 12.5 msec |\n| cycles | – |\n\n"
                                "| time | function |\n|---:|---|\n| 81.25% | `apsp(int, int*)` |\n| 3.10% | `page_fault` |\n\n")
        self.script("profile.sh", "nosuch", 2, err="nosuch", PERF=perf, APSP=APSP, **NO_GPU)
        self.script("profile.sh", "-o p.csv", 2, err="-o writes the metrics of a GPU", PERF=perf, APSP=APSP, **NO_GPU)
        self.script("profile.sh", "", 2, err="no perf: install", PERF="/nosuch/perf", APSP=APSP, **NO_GPU)
        refuses = self.put_program("refuses", "echo 'consider adjusting /proc/sys/kernel/perf_event_paranoid' >&2; exit 255")
        self.script("profile.sh", "--n 9", 4, err="only root may read", PERF=refuses, APSP=APSP, **NO_GPU)
        fails = self.put_program("fails", "echo broken >&2; exit 7")
        self.script("profile.sh", "--n 9", 1, err=r"fails failed \(7\): broken", PERF=fails, APSP=APSP, **NO_GPU)

    # Made up, with the columns that the page reads.
    LADDER = """report,rung,what,n,median_ms,speedup_step,speedup_naive,report_speedup_step,report_speedup_naive,verified,\
device_name
-,ref,,10,8,,1,,,dijkstra:10,Test GPU
-,apsp,,10,1,,8,,,ref,Test GPU
A,a1,tiles,10,4,2,2,1.5,1.5,ref,Test GPU
A,a2,larger tiles,10,2,2,4,,,ref,Test GPU
"""
    SUMS = """step,what,n,median_ms,bytes_per_s,copy_bytes_per_s,pct_of_copy,speedup_step,speedup_baseline,\
report_speedup_step,report_speedup_baseline,verified,device_name
e1,slow,99,1,2.5e+12,3e+12,83.3333,,1,,,exact,Test GPU
"""
    PROFILE = "rung,kernel,launches,launch__registers_per_thread\na1,updateRest<A1>,4,32\n"

    def put_results(self, folder="results"):
        (self.dir / folder).mkdir()
        for name, text in (("ladder", self.LADDER), ("reduce", self.SUMS), ("profile", self.PROFILE)):
            self.put(f"{folder}/{name}.csv", text)

    def page(self, findings, code=0, err=r"\A\Z", options=""):
        self.put("findings.md", findings)
        self.script("ladder_page.py", f"--results results --findings findings.md --page page.md {options}", code, err)
        return (self.dir / "page.md").read_text()

    def test_page(self):
        self.put_results()
        self.assertEqual(self.page("{device}: {a2.ms.10}, {a2.step.10}, {a1.report_naive.10}, {apsp.naive.10}; "
                                   "{e1.gbs}, {e1.copy} of {e.gbs} at {e.n}; {a1.updateRest.registers} {results}\n"),
                         "Test GPU: 2.000 ms, 2.00×, 1.50×, 8.00×; "
                         "2,500 GB/s, 83 % of 3,000 GB/s at 99; 32 results\n")
        self.assertRegex(self.page("{table A}"), r"(?s)<details open>.*n = 10 \(ref 8.000 ms, apsp 1.000 ms\).*"
                         r"\| `a2` \| larger tiles \| 2.000 \| 2.00× \| 4.00× \| – \| – \| yes \|")
        self.assertRegex(self.page("{table E}"), r"\| `e1` \| slow \| 1.000 \| 2,500 \| 83 % \| – \| 1.00× \|")

    def test_page_is_up_to_date(self):
        self.put_results()
        self.page("one {a1.ms.10}")
        self.page("one {a1.ms.10}", options="--check")
        self.assertEqual(self.page("two", 1, options="--check"), "one 4.000 ms")

    def test_page_without_a_number(self):
        self.put_results()
        self.page("all is there")
        unknown = "{a3.ms.10} {a1.ms.11} {a2.report_step.10} {a1.zz.10} {e9.ms} {a1.close.registers} {zz} {zz.zz.zz}"
        self.assertEqual(self.page(f"{{a1.ms.10}} {unknown}", 3, re.escape(f"not in the results: {unknown}\n")),
                         "all is there")
        (self.dir / "results/profile.csv").unlink()
        self.page("", 3, "profile.csv: No such file")

    def test_ladder(self):
        apsp = self.put_program("apsp", """case $1 in
  --n) echo ' "device_short": "test",' ;;
  *) cp "$1.csv" "$3" ;;
esac
""")
        self.put("ladder.csv", self.LADDER)
        self.put("reduce.csv", self.SUMS)
        self.script("ladder.sh", "-o out --page page.md", 3, r"(?s)no ncu.*no profile.*profile\.csv: No such file",
                    APSP=apsp, NCU="/nosuch/ncu")
        self.assertLessEqual({"ladder.csv", "reduce.csv"}, {path.name for path in (self.dir / "out").iterdir()})
        self.script("ladder.sh", "-o none", 4, err="apsp: no GPU", **NO_GPU)
        self.script("ladder.sh", "--bogus", 2, err="--bogus")


if __name__ == "__main__":
    unittest.main()
