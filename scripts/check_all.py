#!/usr/bin/env python3
"""Checks all kernels and compares the verdicts with the expected ones.

  scripts/check_all.py [-o FILE] [--device gpu|cpu] [--depth quick,full] [--kernel K,K]

Runs ./apsp check with all contracts on each kernel of ./apsp --list-kernels and on each of tests/submissions that
has a variant for the device. The former must pass. The expected verdicts of the latter are in expected.csv. With the
contract `negative` only those run that must pass, because mistakes are not told apart with negative weights. Finished
checks are kept in build/, so the script continues there if it was stopped. After the last check all rows are written
to FILE.

The variable APSP names the program if it is not ./apsp. Exit: 0 all verdicts are as expected, 1 one is not, 2 usage,
otherwise the exit code of ./apsp.
"""
import argparse, csv, json, os, subprocess, sys
from pathlib import Path

from csv_files import read_csv

ROOT = Path(__file__).resolve().parent.parent
SUBMISSIONS = ROOT / "tests" / "submissions"
CONTRACTS = "course", "general", "negative"
DEPTHS = "quick", "full"


def words(text):
    return text.split(",")


class Checks:
    def __init__(self, device):
        self.apsp = str(Path(os.environ.get("APSP", ROOT / "apsp")).resolve())
        self.device = device
        record, = json.loads(self.run("--n", "1", "--reps", "1", "--json", "-").stdout)
        self.short = record["device_short"]
        self.identity = {key: record[key] for key in ("device_name", "revision", "dirty")}
        self.kept = ROOT / "build" / f"check-{self.short}.csv"
        self.kept.parent.mkdir(exist_ok=True)

    def run(self, *arguments, passing=(0,)):
        run = subprocess.run([self.apsp, *arguments, "--device", self.device], cwd=ROOT, text=True,
                             stdout=subprocess.PIPE)
        if run.returncode not in passing:
            sys.exit(run.returncode)
        return run

    def expected(self):
        """{kernel: its expected verdict}, which is "pass" or the name of an error pattern."""
        table = subprocess.run([self.apsp, "--list-kernels"], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True)
        rows = (line.split() for line in table.stdout.splitlines())
        verdicts = {name: "pass" for name, device, *_ in rows if device == self.device}
        for row in read_csv(SUBMISSIONS / "expected.csv"):
            path = f"tests/submissions/{row['name']}.cu" if self.device == "gpu" else \
                f"{Path(self.apsp).resolve().parent}/tests/submissions/{row['name']}.so"
            if verdict := row["gpu" if self.device == "gpu" else "host"]:
                verdicts[path] = verdict
        return verdicts

    def verdict(self, kernel, contract, depth):
        """The row that ./apsp check wrote, in this run or an earlier one."""
        asked = {**self.identity, "kernel": kernel, "contract": contract, "depth": depth}

        def find():
            rows = read_csv(self.kept) if self.kept.exists() else []
            return next((row for row in rows if asked.items() <= row.items()), None)
        if find() is None:
            limit = ["--time-limit", "20"] if "/" in kernel else []  # of files only
            self.run("check", f"--{depth}", "--contract", contract, "--kernel", kernel, *limit, "--quiet",
                     "--csv", str(self.kept), passing=(0, 1))
        return find()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", metavar="FILE", help="default: results/DEVICE/check.csv in the repository")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu")
    parser.add_argument("--depth", type=words, default=DEPTHS, metavar="DEPTH[,DEPTH]",
                        help="some of " + ",".join(DEPTHS) + " [all]")
    parser.add_argument("--kernel", "--kernels", type=words, metavar="K[,K]", help="only these; a submission is named by its path")
    args = parser.parse_args()
    checks = Checks(args.device)
    expected = checks.expected()
    for word, known in [(d, DEPTHS) for d in args.depth] + [(k, expected) for k in args.kernel or ()]:
        if word not in known:
            parser.error(f"'{word}' is none of {', '.join(known)}")

    rows, failed = [], 0
    for depth in args.depth:
        for contract in CONTRACTS:
            for kernel in args.kernel or expected:
                if contract == "negative" and expected[kernel] != "pass":
                    continue
                row = checks.verdict(kernel, contract, depth)
                found = "pass" if row["failed"] == "0" else row["pattern"]
                wrong = found != expected[kernel]
                print(f"{depth:6}{contract:8} {kernel:40} {row['seconds']:>6} s  {found}"
                      f"{f'  EXPECTED {expected[kernel]}' if wrong else ''}", flush=True)
                rows.append(row)
                failed += wrong

    out = Path(args.o or ROOT / "results" / checks.short / "check.csv")
    new = out.with_name(f".{out.name}.new")  # beside its target, so that the renaming is atomic
    with open(new, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    new.replace(out)
    print(f"{failed} of {len(rows)} verdicts are not as expected: {out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
