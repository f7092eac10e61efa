#!/usr/bin/env python3
"""Writes the tables of measurements in Markdown pages again from the files of results.

In a page, a table is between two lines:

  <!-- table: results/h100/sweep.csv -->
  <!-- end -->

The path is relative to the page. The table depends on the kind of file:

  sweep.csv, or a folder of results    the output of `./apsp report --markdown`
  sweep.csv#filtered                   what the filtered solver did, phase by phase
  auto.csv#auto                        what choosing a method costs on every family (scripts/bench_auto.py)
  structures.csv#structures            auto beside the best method, a row for each structure (scripts/bench_structures.py)
  types.csv#types                      the same graphs in all types of numbers (scripts/bench_types.py)
  grading_cost.csv#grading             what grading costs an honest hand-in (scripts/grading_cost.py)
  scale.csv#gpus                       one GPU beside several (scripts/bench_scale.sh)
  scale.csv#model                      the same beside what scripts/scale_model.py predicts
  scale.csv#forecast                   what it predicts for up to 1024 GPUs
  sparse.csv#sparse                    sparse graphs on a GPU: method, time and its phases
  sparse_gpus.csv#sparse_gpus          the same on one GPU beside several
  sparse.csv#beside                    the same beside the CPUs of ../cpu/sparse_peers.csv
  sparse_peers.csv#peers               sparse graphs by apsp and by others (scripts/compare_sparse.py)
  unweighted.csv#levels                breadth-first searches on a GPU, beside the filtered solver
  rounds.json                          matrices in GPU memory and streamed (bench/rounds_bench)
  dense.csv (scripts/bench_dense.sh)   times and percentages of the peak
  check.csv (scripts/check_all.py)     the verdicts on kernels
  any other CSV file                   its rows

Exit: 0 all tables are up to date, 1 one is not (with --check, which writes nothing),
2 usage, 3 a marker is wrong or a file cannot be read.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

import scale_model
from csv_files import read_benchmarks, read_csv, stop

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = re.compile(r"<!-- table: (.+?) -->")
END = "<!-- end -->"


def plain(rows, rule="---", words=0):
    """Rows, the heading first, as a Markdown table. `rule` aligns all columns but the first `words`."""
    head, *body = rows
    rules = ["---"] * words + [rule] * (len(head) - words)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rules, *body])


def solver(row):
    """The kernel in a row of a dense.csv, with its options."""
    options = [f"--precision {row['precision']}"] * (row["precision"] != "auto" and row["kernel"] != "ref")
    options += [f"--dtype {row['dtype']}"] * (row["dtype"] != "i32")
    return " ".join([row["kernel"], *options])


def tier(row):
    """The tier that was used, and the percentage of its peak if there is one."""
    percent = row["pct_of_peak"]
    return f"{row['tier']} {float(percent):.1f} %" if percent else row["tier"]


def dense(rows):
    """A dense.csv as Markdown: a table for each graph family, with two columns for each solver and a row for each n."""
    tables = {}
    for row in rows:  # the last of several measurements counts
        sizes = tables.setdefault(f"{row['device']}, {row['family']}", {})
        sizes.setdefault(int(row["n"]), {})[solver(row)] = row
    out = []
    for title, sizes in tables.items():
        solvers = list(dict.fromkeys(name for size in sizes.values() for name in size))
        table = [["n", *(head for name in solvers for head in (f"{name} ms", "tier, % of peak")), "verified"]]
        for n, size in sorted(sizes.items()):
            cells = [(f"{float(size[name]['median_ms']):.3f}", tier(size[name])) if name in size
                     else ("-", "-") for name in solvers]
            checked = all(row["verified"] != "no" for row in size.values())
            table.append([str(n), *(text for cell in cells for text in cell), "yes" if checked else "no"])
        out += [title, "", plain(table, "---:"), ""]
    return "\n".join(out).strip()


def verdicts(rows):
    """A check.csv as Markdown: the verdicts under the course's contract, a row for each kernel that failed `--quick`."""
    course = [row for row in rows if row["contract"] == "course"]
    rows, full = ([row for row in course if row["depth"] == depth] for depth in ("quick", "full"))
    right = [row["kernel"].rpartition("/")[2] for row in rows if row["failed"] == "0"]
    wrong = [row for row in rows if row["failed"] != "0"]
    table = [["kernel", "failed", "of", "diagnosis", "seconds"]]
    table += [[row["kernel"].rpartition("/")[2], row["failed"], row["graphs"], row["diagnosis"],
               f"{float(row['seconds']):.1f}"] for row in wrong]
    text = f"{rows[0]['device_name']}: right on every graph: {', '.join(right)}."
    passed = sorted(float(row["seconds"]) for row in full if row["failed"] == "0")
    if passed:
        text += (f" So are {len(passed)} of {len(full)} on the {full[0]['graphs']} graphs of `--full`,"
                 f" in {passed[0]:.0f} to {passed[-1]:.0f} s each.")
    return text + "\n\n" + plain(table)


def filtered(path):
    """The rows of a sweep.csv that the filtered solver solved: what it kept, and how long each phase took."""
    numbers = [("edges kept", "kept", 1), ("looks", "passes", 2), ("survey ms", "survey_ms", 3),
               ("filter ms", "filter_ms", 3), ("relax ms", "relax_ms", 3), ("all ms", "median_ms", 3)]
    table = [["n", *(head for head, *_ in numbers), "verified"]]
    for row in sorted(read_csv(path), key=lambda row: int(row["n"])):
        if row["solved_by"] == "filtered":
            table.append([row["n"], *(f"{float(row[column]):.{digits}f}" for _, column, digits in numbers),
                          "no" if row["verified"] == "no" else "yes"])
    return plain(table, "---:")


def choosing(path):
    """An auto.csv: the time of --method auto in per cent of the dense solver's, a row for each family."""
    families, sizes = {}, {}
    for row in read_csv(path):
        sizes[row["n"]] = None
        families.setdefault(row["family"], {})[row["n"]] = row
    table = [["family", *(head for n in sizes for head in (f"n = {n}: solved by", "dense ms", "auto ms", "%"))]]
    for family, rows in families.items():
        table.append([family, *(rows[n][column] for n in sizes
                                for column in ("solved_by", "dense_ms", "auto_ms", "ratio"))])
    return plain(table, "---:", 1)


def structures(path):
    """A structures.csv: how auto's time compares with that of the best method, a row for each structure."""
    cells, kinds = {}, {}
    for row in read_csv(path):
        kind = f"{row['weights']}, n = {row['size']}"
        kinds[kind] = None
        cells.setdefault(row["structure"], {})[kind] = row
    table = [["structure", *kinds]]
    for structure, rows in cells.items():
        table.append([structure, *("{auto_ms} ms, {solved_by}, × {factor}".format(**rows[kind]) if kind in rows else "-"
                                   for kind in kinds)])
    factors = [float(row["factor"]) for rows in cells.values() for row in rows.values()]
    good, bearable = (sum(factor <= most for factor in factors) for most in (1.25, 2))
    return (f"{good} of {len(factors)} cells are within 1.25 times the best method, {bearable} within twice its time, and "
            f"the worst takes {max(factors):.2f} times as long.\n\n" + plain(table, "---:", 1))


def types(path):
    """A types.csv: the time of each type of numbers, a row for each graph."""
    graphs, kinds = {}, {}
    for row in read_csv(path):
        kind = row["dtype"] + (f", {row['precision']} bits" if row["precision"] != "auto" else "")
        kinds[kind] = None
        graphs.setdefault((row["input"], row["method"]), {})[kind] = row
    table = [["graph", "method", *kinds]]
    for names, rows in graphs.items():
        table.append([*names, *("{median_ms} ms ({tier}), × {factor}".format(**rows[kind]) if kind in rows else "-"
                                for kind in kinds)])
    return plain(table, "---:", 2)


def seconds(row):
    """The seconds of all pairs, in a row of a sparse_peers.csv."""
    number = float(row["all_ms"]) / 1e3
    return "about " * (row["extrapolated"] == "yes") + (f"{number:.0f}" if number >= 1000 else f"{number:.3g}")


def peers(path):
    """A sparse_peers.csv: the seconds of each tool for all pairs of each graph."""
    graphs, tools = {}, {}
    for row in read_csv(path):
        tool = row["tool"] + (f", {row['threads']} threads" if row["threads"] != "1" else "")
        tools[tool] = None
        graphs.setdefault((row["graph"], row["n"], row["edges"]), {})[tool] = seconds(row)
    table = [["graph", "n", "edges", *(f"{tool} s" for tool in tools)]]
    table += [[*graph, *(found.get(tool, "-") for tool in tools)] for graph, found in graphs.items()]
    return plain(table, "---:", 1)


def sparse(path):
    """The records of sparse graphs on a GPU: who solved each, how long, and how long the sweep of it took."""
    table = [["graph", "n", "edges", "solved by", "core", "preparing ms", "sweep ms", "all ms", "verified"]]
    for row in read_csv(path):
        sweep = float(row["sweep_ms"]) if row["sweep_ms"] else None
        everything = float(row["median_ms"])
        table.append([row["input"].split()[0], row["n"], row["edges"], row["solved_by"], row["core"] or "-",
                      "-" if sweep is None else f"{everything - sweep:.1f}", "-" if sweep is None else f"{sweep:.1f}",
                      f"{everything:.1f}" + (" (streamed)" if row["streamed"] == "yes" else ""), row["verified"]])
    return plain(table, "---:", 1)


def sparse_gpus(path):
    """Sparse graphs on one GPU beside several; of two runs of the same kind, the first."""
    runs = {}
    for row in read_csv(path):
        runs.setdefault((row["input"].split()[0], row["n"]), {}).setdefault(int(row["ranks"]), row)
    counts = sorted({count for run in runs.values() for count in run} - {1})
    table = [["graph", "n", "1 GPU ms", *(head for count in counts for head in (f"{count} GPUs ms", "times as fast"))]]
    for (graph, n), run in runs.items():
        def text(count):
            return f"{float(run[count]['median_ms']):.1f}" + (" (streamed)" if run[count]["streamed"] == "yes" else "")
        def faster(count):
            return f"{float(run[1]['median_ms']) / float(run[count]['median_ms']):.2f}"
        table.append([graph, n, text(1), *(cell for count in counts for cell in (text(count), faster(count)))])
    return plain(table, "---:", 1)


def beside(path):
    """Sparse graphs on a GPU by --method auto, beside apsp and the fastest of the other programs on a CPU."""
    graphs = {}
    for row in read_csv(path.parent.parent / "cpu/sparse_peers.csv"):
        graphs.setdefault((row["n"], row["edges"]), []).append(row)
    cores = max(int(row["threads"]) for rows in graphs.values() for row in rows)
    rows = read_csv(path)
    table = [["graph", "n", "edges", f"apsp, {rows[0]['device_short'].upper()}, s", f"apsp, {cores} CPU cores, s",
              "the fastest other, 1 core, s"]]
    for row in (row for row in rows if row["method"] == "auto"):
        on_cpu = graphs.get((row["n"], row["edges"]), [])
        own = next((each for each in on_cpu if each["tool"] == "apsp" and int(each["threads"]) == cores), None)
        other = min((each for each in on_cpu if not each["tool"].startswith("apsp")),
                    key=lambda each: float(each["all_ms"]), default=None)
        if own and other:
            table.append([own["graph"], row["n"], row["edges"], f"{float(row['median_ms']) / 1e3:.3g}", seconds(own),
                          f"{seconds(other)} ({other['tool']})"])
    return plain(table, "---:", 1)


def gpus(path):
    """The dense solves of a scale.csv: one GPU beside several."""
    runs = {}
    for row in scale_model.runs_of(path):
        runs.setdefault((int(row["n"]), row["tier"]), {})[int(row["ranks"])] = row
    counts = sorted({count for run in runs.values() for count in run} - {1})
    table = [["n", "arithmetic", "1 GPU ms",
              *(head for count in counts for head in (f"{count} GPUs ms", "times as fast")), "verified"]]
    for (n, arithmetic), run in sorted(runs.items()):
        times = {count: float(row["median_ms"]) for count, row in run.items()}
        text = {count: f"{time:.1f}" for count, time in times.items()}
        faster = {count: f"{times[1] / time:.2f}" for count, time in times.items() if 1 in times}
        table.append([str(n), arithmetic, text.get(1, "-"),
                      *(cells.get(count, "-") for count in counts for cells in (text, faster)),
                      "no" if any(row["verified"] == "no" for row in run.values()) else "yes"])
    return plain(table, "---:")


def model(path):
    """The rows of a scale.csv on several GPUs beside their predictions."""
    rows = [row.cells() for row in scale_model.comparisons(path) if row.several()]
    return plain([scale_model.HEADS, *rows], "---:")


def forecast(path):
    """What the model predicts for the GPU of a scale.csv."""
    machine = scale_model.machine_of(path)
    solves = [(tier, n) for n in (20000, 100000) for tier in sorted(machine.rates)]
    table = [["GPUs", "grid", *(head for tier, n in solves for head in (f"{tier}, n = {n}: s", "%"))]]
    for count in scale_model.UP_TO_1024:
        row = [str(count), "{}x{}".format(*scale_model.default_grid(count))]
        for tier, n in solves:
            alone, seconds = (scale_model.predict(n, ranks, tier, machine) for ranks in (1, count))
            row += [f"{seconds:.3g}", f"{100 * alone / seconds / count:.1f}"]
        table.append(row)
    return plain(table, "---:")


def rounds(path):
    """A file of rounds_bench: how long a solve takes in GPU memory, and streamed through it."""
    pairs = {}
    for name, bench in read_benchmarks(path).items():
        where, arithmetic, n, *_ = name.split("/")
        pairs.setdefault((int(n), arithmetic), {})[where] = bench
    table = [["n", "arithmetic", "in memory s", "pivots a round", "streamed s", "pivots a round", "times as long"]]
    for (n, arithmetic), pair in sorted(pairs.items()):
        row = [str(n), arithmetic]
        for where in ("in_core", "streamed"):
            row += [f"{pair[where]['solve_s']:.2f}", f"{pair[where]['depth']:.0f}"] if where in pair else ["-", "-"]
        ratio = pair["streamed"]["solve_s"] / pair["in_core"]["solve_s"] if len(pair) == 2 else None
        table.append([*row, f"{ratio:.2f}" if ratio else "-"])
    return plain(table, "---:")


def levels(path):
    """An unweighted.csv: breadth-first searches beside the filtered solver, and beside the time to write the distances at
    the bandwidth of ceilings.json."""
    bandwidth = read_benchmarks(path.parent / "ceilings.json")["copy/manual_time"]["bytes_per_second"]
    table, others = [["graph", "n", "edges", "levels", "bfs ms", "% of write bound", "arcs per s", "filtered ms"]], {}
    rows = read_csv(path)
    for row in rows:
        if row["solved_by"] == "filtered":
            others[row["hash"]] = row["median_ms"]
    for row in rows:
        if row["solved_by"] == "bfs":
            bound = 1e3 * 4 * int(row["n"]) ** 2 / bandwidth
            table.append([row["input"], row["n"], row["edges"], row["levels"], f"{float(row['median_ms']):.3g}",
                          f"{100 * bound / float(row['median_ms']):.0f}", f"{float(row['arcs_per_s']):.3g}",
                          f"{float(others[row['hash']]):.4g}"])
    return plain(table, "---:", 1)


def grading(path):
    """A grading_cost.csv: times of plain calls beside graded ones, and what else grading takes."""
    return plain([["n", "plain calls ms", "graded ms", "differs %", "subtracted ms", "to build s", "to check s"],
                  *([row["n"], row["plain_ms"], row["graded_ms"], row["differs_pct"], row["cost_ms"], row["build_s"],
                     row["check_s"]] for row in read_csv(path))], rule="--:")


PARTS = {"auto": choosing, "structures": structures, "grading": grading, "filtered": filtered, "sparse": sparse,
         "sparse_gpus": sparse_gpus, "beside": beside, "peers": peers, "gpus": gpus, "model": model, "forecast": forecast, "types": types, "levels": levels}


def report(apsp, path, part=""):
    if path.suffix == ".json":
        return rounds(path)
    if path.is_file():
        rows = read_csv(path) or stop(3, f"{path}: it has no rows")
        if part:
            return PARTS[part](path) if part in PARTS else stop(3, f"{path}: what is #{part}?")
        if "kernel" not in rows[0]:
            return plain([list(rows[0]), *(list(row.values()) for row in rows)])
        for column, table in (("pattern", verdicts), ("pct_of_peak", dense)):
            if column in rows[0] and "input" not in rows[0]:
                return table(rows)
    try:
        done = subprocess.run([apsp, "report", "--markdown", path],
                              capture_output=True, text=True)
    except OSError as error:
        stop(3, f"{apsp}: {error.strerror}: build it with make, or name it with --apsp")
    if done.returncode != 0:
        stop(3, f"{path}: {done.stderr.strip() or f'exit code {done.returncode}'}")
    return done.stdout.strip()


def renew(page, text, apsp):
    """The text with new tables, and the files whose tables changed."""
    out, changed = [], []
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        out.append(line)
        begin = BEGIN.fullmatch(line.strip())
        if line.strip() == END:
            stop(3, f"{page}:{number}: there is no table that {END} could end")
        if not begin:
            continue
        old = []
        for _, line in lines:
            if line.strip() == END or BEGIN.fullmatch(line.strip()):
                break
            old.append(line)
        if line.strip() != END:
            stop(3, f"{page}:{number}: this table has no {END}")
        file, _, part = begin[1].partition("#")
        new = ["", *report(apsp, page.parent / file, part).splitlines(), ""]
        out += [*new, line]
        if new != old:
            changed.append(begin[1])
    return "\n".join(out) + "\n", changed


def put(path, text, what, check):
    """Replaces a file because `what` has changed, or only says so; returns the exit code."""
    if check:
        print(f"{path}: not up to date: {what} (run {sys.argv[0]})")
        return 1
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)
    print(f"{path}: renewed {what}")
    return 0


def update(page, apsp, check):
    """Writes the tables of a page again, or only checks them; returns the exit code."""
    try:
        text = page.read_text(encoding="utf-8")
    except OSError as error:
        stop(3, f"{page}: {error.strerror}")
    text, changed = renew(page, text, apsp)
    return put(page, text, ", ".join(changed), check) if changed else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, only say what is not up to date")
    parser.add_argument("--readme", type=pathlib.Path, action="append", metavar="FILE",
                        help="a page; default: README.md, docs/*.md and tests/fuzz/README.md of the repository")
    parser.add_argument("--apsp", default=ROOT / "apsp", metavar="FILE",
                        help="the program; default: the repository's ./apsp")
    arguments = parser.parse_args()
    pages = arguments.readme or [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), ROOT / "tests/fuzz/README.md"]
    return max(update(page, arguments.apsp, arguments.check) for page in pages)


if __name__ == "__main__":
    sys.exit(main())
