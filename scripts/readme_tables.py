#!/usr/bin/env python3
"""Regenerates the README's tables of measurements, so that none is typed by hand.

A table stands between two lines of their own,

  <!-- table: results/h100/sweep.csv -->
  <!-- end -->

and is what `./apsp report --markdown` makes of that sweep (a CSV file or a folder
of points, relative to the README), the times and percentages of the wall of a
dense.csv (scripts/bench_dense.sh), or the plain table of any other CSV file. Exit:
0 up to date, 1 it is not (--check, which writes nothing), 2 usage, 3 bad markers
or a report that failed.
"""
import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = re.compile(r"<!-- table: (.+?) -->")
END = "<!-- end -->"


def stop(code, message):
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(code)


def plain(rows, rule="---", words=0):
    """A CSV file's rows as a Markdown table; its first `words` columns are left as they are, the others ruled so."""
    head, *body = rows
    rules = ["---"] * words + [rule] * (len(head) - words)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rules, *body])


def solver(row):
    """The kernel of a dense.csv's row and what it was asked for."""
    asked = [f"--precision {row['precision']}"] * (row["precision"] != "auto" and row["kernel"] != "ref")
    asked += [f"--dtype {row['dtype']}"] * (row["dtype"] != "i32")
    return " ".join([row["kernel"].replace("ref", "apsp_ref"), *asked])


def wall(row):
    """The tier that was taken, and the percentage of its wall where there is one."""
    percent = row["pct_of_wall"]
    return f"{row['tier']} {float(percent):.1f} %" if percent else row["tier"]


def dense(rows):
    """A dense.csv as Markdown: a table a graph family, two columns a solver, a row a size."""
    tables = {}
    for row in rows:  # of several measurements the last
        sizes = tables.setdefault(f"{row['device']}, {row['family']}", {})
        sizes.setdefault(int(row["n"]), {})[solver(row)] = row
    out = []
    for title, sizes in tables.items():
        solvers = list(dict.fromkeys(name for size in sizes.values() for name in size))
        table = [["n", *(head for name in solvers for head in (f"{name} ms", "tier, of its wall")), "verified"]]
        for n, size in sorted(sizes.items()):
            cells = [(f"{float(size[name]['median_ms']):.3f}", wall(size[name])) if name in size
                     else ("-", "-") for name in solvers]
            checked = all(row["verified"] != "no" for row in size.values())
            table.append([str(n), *(text for cell in cells for text in cell), "yes" if checked else "no"])
        out += [title, "", plain(table, "---:"), ""]
    return "\n".join(out).strip()


def verdicts(rows):
    """A check.csv as Markdown: what the course's contract found, a row for each kernel that failed `--quick`."""
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


def report(apsp, path):
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        if "kernel" not in rows[0]:
            return plain(rows)
        for column, table in (("pattern", verdicts), ("pct_of_wall", dense)):
            if column in rows[0] and "input" not in rows[0]:
                return table([dict(zip(rows[0], row)) for row in rows[1:]])
    try:
        done = subprocess.run([apsp, "report", "--markdown", path],
                              capture_output=True, text=True)
    except OSError as error:
        stop(3, f"{apsp}: {error.strerror}: build it with make, or name it by --apsp")
    if done.returncode != 0:
        stop(3, f"{path}: {done.stderr.strip() or f'exit code {done.returncode}'}")
    return done.stdout.strip()


def renew(readme, text, apsp):
    """The text with its tables made anew, and the sources of those that changed."""
    out, changed = [], []
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        out.append(line)
        begin = BEGIN.fullmatch(line.strip())
        if line.strip() == END:
            stop(3, f"{readme}:{number}: {END} ends no table")
        if not begin:
            continue
        old = []
        for _, line in lines:
            if line.strip() == END or BEGIN.fullmatch(line.strip()):
                break
            old.append(line)
        if line.strip() != END:
            stop(3, f"{readme}:{number}: this table has no {END}")
        new = ["", *report(apsp, readme.parent / begin[1]).splitlines(), ""]
        out += [*new, line]
        if new != old:
            changed.append(begin[1])
    return "\n".join(out) + "\n", changed


def put(path, text, what, check):
    """Replaces a file of which `what` has changed, or only tells so; the exit code."""
    if check:
        print(f"{path}: out of date: {what} (run {sys.argv[0]})")
        return 1
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)
    print(f"{path}: renewed {what}")
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only tell, write nothing")
    parser.add_argument("--readme", type=pathlib.Path, default=ROOT / "README.md",
                        metavar="FILE", help="default: the repository's README.md")
    parser.add_argument("--apsp", default=ROOT / "apsp", metavar="FILE",
                        help="default: the repository's ./apsp")
    arguments = parser.parse_args()
    readme = arguments.readme
    try:
        text = readme.read_text(encoding="utf-8")
    except OSError as error:
        stop(3, f"{readme}: {error.strerror}")
    text, changed = renew(readme, text, arguments.apsp)
    if not changed:
        return 0
    return put(readme, text, ", ".join(changed), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
