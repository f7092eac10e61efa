#!/usr/bin/env python3
"""Makes ladder/README.md of ladder/findings.md and of what scripts/ladder.sh measured.

Every number on the page comes from the results. In findings.md stand in braces

  {device}, {results}             the GPU's name, the folder of its results
  {a3.ms.10000}                   a rung's, ref's or apsp's median time, in ms
  {a3.step.10000}, {a3.naive.10000}        its speedup over the step before, over ref
  {a3.report_ms.10000}, {a3.report_step.10000}, {a3.report_naive.10000}   the report's
  {e4.ms}, {e4.gbs}, {e4.copy}    a step of the reduction at its largest n: time, what it
                                  reads a second, as a percentage of what a copy moves
  {e4.step}, {e4.report_step}     and its speedups over the step before
  {e.n}, {e.gbs}                  that n, and what a copy moves a second
  {b1.updateRest.stall_barrier}   a metric of scripts/ncu_table.py of the rung's one kernel
                                  whose name begins so
  {table A}, {table E}, {profile b1}       whole tables

A number that the results do not hold is an error. Exit: 0 up to date, 1 it is not
(--check, which writes nothing), 2 usage, 3 an input is missing or broken.
"""
import argparse
import csv
import os
import pathlib
import re
import sys

import ncu_table
from readme_tables import ROOT, plain, put, stop

NONE = "–"


def read(path):
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        stop(3, f"{path}: {error.strerror}")
    return rows or stop(3, f"{path}: it holds nothing")


def times(number):
    return f"{float(number):.2f}×" if number else NONE


def milliseconds(number):
    return f"{float(number):.3f}" if number else NONE


def rate(number):
    return f"{float(number) / 1e9:,.0f} GB/s"


def checked(row):
    return "yes" if row["verified"] != "WRONG" else "**WRONG**"


# What a placeholder names: the column, and how a number reads.
OF_RUNG = {
    "ms": ("median_ms", lambda ms: f"{milliseconds(ms)} ms"), "step": ("speedup_step", times),
    "naive": ("speedup_naive", times), "report_ms": ("report_ms", lambda ms: f"{milliseconds(ms)} ms"),
    "report_step": ("report_speedup_step", times), "report_naive": ("report_speedup_naive", times),
}
OF_SUM = {
    "ms": ("median_ms", lambda ms: f"{milliseconds(ms)} ms"), "gbs": ("bytes_per_s", rate),
    "copy": ("pct_of_copy", lambda percent: f"{float(percent):.0f} %"), "step": ("speedup_step", times),
    "report_step": ("report_speedup_step", times),
}


HEAD = ["ms", "over the step before", "over naive", "the report: before", "naive", "verified"]


def cells(row):
    return [milliseconds(row["median_ms"]), times(row["speedup_step"]), times(row["speedup_naive"]),
            times(row["report_speedup_step"]), times(row["report_speedup_naive"]), checked(row)]


def ladder_table(rows, letter):
    """A report's steps, a table a size: the largest open, the others folded. Of a single step, one table."""
    sizes = {}
    for row in rows:  # of several measurements the last
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
    table = [["step", "", "ms", "GB/s", "of a copy", "over the step before", "over the first",
              "the report: before", "first", "exact"]]
    for row in rows:
        table.append([f"`{row['step']}`", row["what"], milliseconds(row["median_ms"]),
                      f"{float(row['bytes_per_s']) / 1e9:,.0f}", f"{float(row['pct_of_copy']):.0f} %",
                      times(row["speedup_step"]), times(row["speedup_baseline"]), times(row["report_speedup_step"]),
                      times(row["report_speedup_baseline"]), checked(row)])
    return plain(table, "---:", words=2)


def one(rows):
    """The only one; KeyError where there is none, or more."""
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
        """What stands for a placeholder. Raises KeyError or ValueError where the results have no such number."""
        if words in (["device"], ["results"]):
            return {"device": self.ladder[0]["device_name"], "results": self.folder}[words[0]]
        if words[0] == "e":
            return {"n": f"{int(self.sums[0]['n']):,}", "gbs": rate(self.sums[0]["copy_bytes_per_s"])}[words[1]]
        of_step = [row for row in self.sums if row["step"] == words[0]]
        if of_step:
            column, form = OF_SUM[words[1]]
            row = one(of_step)
        elif words[-1].isdecimal():
            rung, what, n = words
            column, form = OF_RUNG[what]
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
    parser.add_argument("--check", action="store_true", help="only tell, write nothing")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "results/h100", metavar="DIR",
                        help="where the CSVs are; default: the repository's results/h100")
    parser.add_argument("--findings", type=pathlib.Path, default=ROOT / "ladder/findings.md", metavar="FILE",
                        help="default: the repository's ladder/findings.md")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "ladder/README.md", metavar="FILE",
                        help="default: the repository's ladder/README.md")
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
