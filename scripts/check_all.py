#!/usr/bin/env python3
"""Checks every kernel there is and compares the verdicts with those that are expected.

  scripts/check_all.py [-o FILE] [--device gpu|cpu] [--depth quick,full] [--kernel K,K]

Runs ./apsp check, with either contract, on each row of the kernel table and each of tests/submissions that has a
variant for the device. Rows of the table are to pass; expected.csv has the verdicts of the others. What is done is
kept in build/, so that the script goes on where it was stopped; when all is, its rows become FILE, by default
results/DEVICE/check.csv.

APSP names another program than ./apsp. Exit: 0 all verdicts are as expected, 1 not, 2 usage, otherwise as ./apsp.
"""
import argparse, csv, json, os, subprocess, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUBMISSIONS = ROOT / "tests" / "submissions"
CONTRACTS = "course", "general"
DEPTHS = "quick", "full"


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def words(text):
    return text.split(",")


class Checks:
    def __init__(self, device):
        self.apsp = os.environ.get("APSP", str(ROOT / "apsp"))
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
        """The verdict of every kernel: "pass", or the name of a pattern."""
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
        """A row of ./apsp check's, of this run or of one before."""
        asked = {**self.identity, "kernel": kernel, "contract": contract, "depth": depth}

        def find():
            rows = read_csv(self.kept) if self.kept.exists() else []
            return next((row for row in rows if asked.items() <= row.items()), None)
        if find() is None:
            self.run("check", f"--{depth}", "--contract", contract, "--kernel", kernel, "--time-limit", "20", "--quiet",
                     "--csv", str(self.kept), passing=(0, 1))
        return find()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", help="default: results/DEVICE/check.csv")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu")
    parser.add_argument("--depth", type=words, default=DEPTHS, help="of " + ",".join(DEPTHS))
    parser.add_argument("--kernel", type=words, help="only these, a submission by its path")
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
                row = checks.verdict(kernel, contract, depth)
                found = "pass" if row["failed"] == "0" else row["pattern"]
                wrong = found != expected[kernel]
                print(f"{depth:6}{contract:8} {kernel:40} {row['seconds']:>6} s  {found}"
                      f"{f'  EXPECTED {expected[kernel]}' if wrong else ''}", flush=True)
                rows.append(row)
                failed += wrong

    out = Path(args.o or ROOT / "results" / checks.short / "check.csv")
    new = out.with_name(f".{out.name}.new")  # beside its target: the renaming is atomic
    with open(new, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    new.replace(out)
    print(f"{failed} of {len(rows)} verdicts are not as expected: {out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
