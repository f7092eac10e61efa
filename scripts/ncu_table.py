#!/usr/bin/env python3
"""Makes Markdown tables from the output of `ncu --csv --page raw`. scripts/profile.sh calls this.

  scripts/ncu_table.py --metrics                           prints the metrics for ncu --metrics
  scripts/ncu_table.py STEP.csv [...] [--n N] [-o FILE]    prints a table for each step

STEP.csv is ncu's output for the kernel STEP of ./apsp. The tables have the mean of each
metric over the launches. -o writes the means as CSV: a row for each CUDA kernel, a column
for each metric.

Exit: 0 done, 2 usage, 3 an input has no profile, 6 not written.
"""
import argparse
import collections
import csv
import os
import pathlib
import re

from csv_files import stop
from readme_tables import plain

WARP = 32  # threads


def number(value):
    return f"{value:,.0f}"


def ratio(value):
    return f"{value:.2f}"


def percent(value):
    return f"{value:.1f} %"


def of_warp(value):
    return percent(100 * value / WARP)


def microseconds(value):
    return f"{value / 1000:.1f} µs"


STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
SECTORS = "smsp__sass_average_data_bytes_per_sector_mem_global_op_{}.pct"

# key: (description, ncu's name, nvprof's name, nvprof's means for the four kernels in course report B (P100,
# n = 1000), the text of a value)
METRICS = {
    "time": ("time of a launch", "gpu__time_duration.sum", "", "", microseconds),
    "conflicts_load": ("bank conflicts, loads", CONFLICTS.format("ld"), "shared_ld_bank_conflict", "0", number),
    "conflicts_store": ("bank conflicts, stores", CONFLICTS.format("st"), "shared_st_bank_conflict", "0", number),
    "shared_efficiency": ("shared memory efficiency", "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
                          "shared_efficiency", "67.1–67.8 %", percent),
    "load_efficiency": ("global load efficiency", SECTORS.format("ld"), "gld_efficiency", "100.0 %", percent),
    "store_efficiency": ("global store efficiency", SECTORS.format("st"), "gst_efficiency", "100.0 %", percent),
    "branch_efficiency": ("branch efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct",
                          "branch_efficiency", "100.0 %", percent),
    "warp_efficiency": ("warp execution efficiency", "smsp__thread_inst_executed_per_inst_executed.ratio",
                        "warp_execution_efficiency", "98.0–98.5 %", of_warp),
    "nonpredicated": ("the same, without predicated-off threads", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
                      "warp_nonpred_execution_efficiency", "95.2–96.2 %", of_warp),
    "occupancy": ("occupancy, achieved", "sm__warps_active.avg.pct_of_peak_sustained_active", "", "", percent),
    "occupancy_limit": ("occupancy, theoretical", "sm__maximum_warps_per_active_cycle_pct", "", "", percent),
    "registers": ("registers per thread", "launch__registers_per_thread", "", "", number),
    "shared_static": ("static shared memory, bytes", "launch__shared_mem_per_block_static", "", "", number),
    "shared_dynamic": ("dynamic shared memory, bytes", "launch__shared_mem_per_block_dynamic", "", "", number),
    "issue": ("issue slots used", "smsp__issue_active.avg.pct_of_peak_sustained_active", "", "", percent),
    "alu": ("ALU pipe used", "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "", "", percent),
    "dram": ("DRAM throughput", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "", "", percent),
    **{f"stall_{stall}": (f"stalled warps per issue: {stall.replace('_', ' ')}", STALL.format(stall), "", "", ratio)
       for stall in ("barrier", "long_scoreboard", "short_scoreboard", "mio_throttle", "math_pipe_throttle", "wait")},
}


def short_name(kernel):
    """"updateRest<A8, 6>" for "void <unnamed>::updateRest<<unnamed>::A8, (int)6>(ladder::Distances, int)"."""
    space, cast = r"\(anonymous namespace\)::|<unnamed>::|\b\w+::", r"\((?:unsigned )?\w+\)(?=\d|-)"
    name = re.sub(f"^void |{space}|{cast}", "", kernel)
    depth = 0
    for at in range(len(name) - 1, -1, -1) if name.endswith(")") else ():
        depth += {")": 1, "(": -1}.get(name[at], 0)
        if depth == 0:
            return name[:at]
    return name


def parsed(text):
    """A value such as 1,234.5 as a number; None if ncu has no value."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def read_ncu(text):
    """{kernel: [{metric: value} for each launch]}. ncu prints messages, a header, units, and a row for each launch."""
    rows = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    kernels = collections.defaultdict(list)
    for row in rows[1:]:
        launch = dict(zip(rows[0], row))
        if launch.get("ID"):  # the row with the units has none
            kernels[short_name(launch["Kernel Name"])].append({metric: parsed(launch.get(metric, ""))
                                                               for _, metric, *_ in METRICS.values()})
    return kernels


def means(rung, n, kernels):
    """The rows of a profile.csv. A field is empty if this GPU or ncu does not have the metric."""
    for kernel, launches in kernels.items():
        row = {"rung": rung, "kernel": kernel, "n": n, "launches": len(launches)}
        for _, metric, *_ in METRICS.values():
            values = [launch[metric] for launch in launches if launch[metric] is not None]
            row[metric] = f"{sum(values) / len(values):.6g}" if values else ""
        yield row


def shown(row, key):
    """The text of a metric in a row of a profile.csv."""
    _, metric, _, _, form = METRICS[key]
    return form(float(row[metric])) if row[metric] else "–"


def markdown(rows):
    """The rows of one step in a profile.csv as a table. With report B's kernels it has the report's numbers, too."""
    of_b = rows[0]["rung"] == "b1"
    report = ["the report (P100, n = 1000)"] * of_b
    table = [[f"n = {rows[0]['n']}", "nvprof's name", *(f"`{row['kernel']}`" for row in rows), *report]]
    for key, (what, _, old, there, _) in METRICS.items():
        cells = [what, f"`{old}`" if old else "", *(shown(row, key) for row in rows)]
        table.append(cells + [there or "–"] * of_b)
    return plain(table, "---:", words=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="*", type=pathlib.Path, metavar="STEP.csv", help="ncu's output for STEP")
    parser.add_argument("--metrics", action="store_true", help="print the metrics for ncu --metrics")
    parser.add_argument("--n", type=int, default=1000, help="vertices of the graph, for the tables [1000]")
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="FILE", help="write the means as CSV")
    arguments = parser.parse_args()
    if arguments.metrics:
        print(",".join(metric for _, metric, *_ in METRICS.values()))
        return
    rungs = {}
    for path in arguments.csv:
        rungs[path.stem] = list(means(path.stem, arguments.n, read_ncu(path.read_text(encoding="utf-8"))))
        if not rungs[path.stem]:
            stop(3, f"{path}: no kernel was profiled")
    for rung, rows in rungs.items():
        launches = sum(row["launches"] for row in rows)
        print(f"\n{rung}, n = {arguments.n}, means over {launches} launches\n\n{markdown(rows)}")
    if not arguments.output:
        return
    new = arguments.output.with_name(f".{arguments.output.name}.new")
    try:
        with new.open("w", newline="", encoding="utf-8") as file:
            rows = [row for rung in rungs.values() for row in rung]
            out = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            out.writeheader()
            out.writerows(rows)
        os.replace(new, arguments.output)
    except OSError as error:
        stop(6, f"{arguments.output}: {error.strerror}")


if __name__ == "__main__":
    main()
