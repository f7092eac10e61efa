#!/usr/bin/env python3
"""Writes src/course/ladder/README.md from src/course/ladder/findings.md and the results of scripts/ladder.sh.

All numbers on the page come from the results. findings.md has placeholders for them:

  {device}, {results}             the GPU's name, and the folder of its results
  {a3.ms.10000}                   the median time of step a3 at n = 10000, in ms; ref and
                                  apsp are steps, too
  {a3.step.10000}                 its speedup over the step before it
  {a3.naive.10000}                its speedup over ref, the naive solver
  {a3.report_ms.10000}, {a3.report_step.10000}, {a3.report_naive.10000}
                                  the same numbers in the course report
  {e4.ms}, {e4.gbs}, {e4.copy}    a step of the reduction at the largest n: its time, the
                                  bytes that it reads per second, and these as a
                                  percentage of the bytes that a copy reads and writes
  {e4.step}, {e4.report_step}     its speedups over the step before it
  {e.n}, {e.gbs}                  that n, and the bytes that a copy reads and writes
                                  per second
  {b1.updateRest.stall_barrier}   a metric of scripts/ncu_table.py for the only kernel in
                                  step b1 whose name begins with updateRest
  {table A}, {table E}, {profile b1}       whole tables

A number that is not in the results is an error.

Exit: 0 the page is up to date, 1 it is not (with --check, which writes nothing),
2 usage, 3 an input is missing or broken.
"""
import argparse
import os
import pathlib
import re
import sys

import ncu_table
from csv_files import read_csv, stop
from readme_tables import ROOT, plain, put

NONE = "–"


def read(path):
    return read_csv(path) or stop(3, f"{path}: it has no rows")


def times(number):
    return f"{float(number):.2f}×" if number else NONE


def milliseconds(number):
    return f"{float(number):.3f}" if number else NONE


def rate(number):
    return f"{float(number) / 1e9:,.0f} GB/s"


def checked(row):
    return "yes" if row["verified"] != "WRONG" else "**WRONG**"


# The middle part of a placeholder: the column, and the text of its number.
STEP_NUMBERS = {
    "ms": ("median_ms", lambda ms: f"{milliseconds(ms)} ms"), "step": ("speedup_step", times),
    "naive": ("speedup_naive", times), "report_ms": ("report_ms", lambda ms: f"{milliseconds(ms)} ms"),
    "report_step": ("report_speedup_step", times), "report_naive": ("report_speedup_naive", times),
}
SUM_NUMBERS = {
    "ms": ("median_ms", lambda ms: f"{milliseconds(ms)} ms"), "gbs": ("bytes_per_s", rate),
    "copy": ("pct_of_copy", lambda percent: f"{float(percent):.0f} %"), "step": ("speedup_step", times),
    "report_step": ("report_speedup_step", times),
}


HEAD = ["ms", "over the step before", "over naive", "report: over the step before", "report: over naive",
        "verified"]


def cells(row):
    return [milliseconds(row["median_ms"]), times(row["speedup_step"]), times(row["speedup_naive"]),
            times(row["report_speedup_step"]), times(row["report_speedup_naive"]), checked(row)]


def ladder_table(rows, letter):
    """The steps of a report: a table for each size, only the largest unfolded. For a single step one table."""
    sizes = {}
    for row in rows:  # the last of several measurements counts
        sizes.setdefault(int(row["n"]), {})[row["rung"]] = row
    steps = {n: [row for row in rungs.values() if row["report"] == letter] for n, rungs in sorted(sizes.items())}
    if all(len(rungs) == 1 for rungs in steps.values()):
        return plain([["n", *HEAD], *([str(n), *cells(rungs[0])] for n, rungs in steps.items())], "---:")
    out = []
    for n, rungs in reversed(steps.items()):
        ends = ", ".join(f"{name} {milliseconds(sizes[n][name]['median_ms'])} ms" for name in ("ref", "apsp"))
        table = [["step", "", *HEAD], *([f"`{row['rung']}`", row["what"], *cells(row)] for row in rungs)]
        out += [f"<details{'' if out else ' open'}><summary>n = {n} ({ends})</summary>", "",
                plain(table, "---:", words=2), "", "</details>", ""]
    return "\n".join(out).strip()


def sum_table(rows):
    table = [["step", "", "ms", "GB/s", "% of a copy", "over the step before", "over the first step",
              "report: over the step before", "report: over the first step", "exact"]]
    for row in rows:
        table.append([f"`{row['step']}`", row["what"], milliseconds(row["median_ms"]),
                      f"{float(row['bytes_per_s']) / 1e9:,.0f}", f"{float(row['pct_of_copy']):.0f} %",
                      times(row["speedup_step"]), times(row["speedup_baseline"]), times(row["report_speedup_step"]),
                      times(row["report_speedup_baseline"]), checked(row)])
    return plain(table, "---:", words=2)


def one(rows):
    """The only row. Raises KeyError if there is none, or more than one."""
    if len(rows) != 1:
        raise KeyError
    return rows[0]


class Results:
    def __init__(self, folder, page):
        self.folder = os.path.relpath(folder, page.parent)
        self.ladder = read(folder / "ladder.csv")
        sums = read(folder / "reduce.csv")
        self.sums = [row for row in sums if int(row["n"]) == max(int(row["n"]) for row in sums)]
        self.profile = read(folder / "profile.csv")

    def table(self, kind, of):
        if kind == "profile":
            return ncu_table.markdown([row for row in self.profile if row["rung"] == of])
        return sum_table(self.sums) if of == "E" else ladder_table(self.ladder, of)

    def number(self, words):
        """The text for a placeholder. Raises KeyError or ValueError if it is not in the results."""
        if words in (["device"], ["results"]):
            return {"device": self.ladder[0]["device_name"], "results": self.folder}[words[0]]
        if words[0] == "e":
            return {"n": f"{int(self.sums[0]['n']):,}", "gbs": rate(self.sums[0]["copy_bytes_per_s"])}[words[1]]
        of_step = [row for row in self.sums if row["step"] == words[0]]
        if of_step:
            column, form = SUM_NUMBERS[words[1]]
            row = one(of_step)
        elif words[-1].isdecimal():
            rung, what, n = words
            column, form = STEP_NUMBERS[what]
            row = [row for row in self.ladder if (row["rung"], row["n"]) == (rung, n)][-1]
        else:
            rung, kernel, key = words
            row = one([row for row in self.profile if row["rung"] == rung and row["kernel"].startswith(kernel)])
            column, form = ncu_table.METRICS[key][1], lambda _: ncu_table.shown(row, key)
        if not row[column]:
            raise KeyError
        return form(row[column])

    def fill(self, text, source):
        missing = []

        def stand_in(found):
            kind, _, of = found[1].partition(" ")
            try:
                return self.table(kind, of) if of else self.number(kind.split("."))
            except (IndexError, KeyError, ValueError):
                missing.append(found[0])
                return ""

        page = re.sub(r"\{([^{}\n]+)\}", stand_in, text)
        return stop(3, f"{source}: not in the results: {' '.join(missing)}") if missing else page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, only say whether the page is up to date")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "results/h100", metavar="DIR",
                        help="the folder of the CSV files; default: the repository's results/h100")
    parser.add_argument("--findings", type=pathlib.Path, default=ROOT / "src/course/ladder/findings.md", metavar="FILE",
                        help="default: the repository's src/course/ladder/findings.md")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "src/course/ladder/README.md", metavar="FILE",
                        help="default: the repository's src/course/ladder/README.md")
    arguments = parser.parse_args()
    try:
        findings = arguments.findings.read_text(encoding="utf-8")
        old = arguments.page.read_text(encoding="utf-8") if arguments.page.exists() else ""
        page = Results(arguments.results, arguments.page).fill(findings, arguments.findings)
        return 0 if page == old else put(arguments.page, page, "all", arguments.check)
    except OSError as error:
        stop(3, f"{error.filename}: {error.strerror}")


if __name__ == "__main__":
    sys.exit(main())
