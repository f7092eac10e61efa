#!/usr/bin/env python3
"""Fuzzes every target, several at once, from the files that the tests write on; `make fuzz` calls it.

The corpora stay in --corpus and grow from run to run, the logs beside them. Each finding is a file there; what it
shows and how to run it again is printed. Exit: 0 nothing found, 1 something was, 2 usage.
"""
import argparse
import collections
import concurrent.futures
import csv
import os
import re
import subprocess
import sys
from pathlib import Path

NUMBERS = ["0", "1", "-1", "-0", "010", "4096", "2147483647", "2147483648", "-2147483648", "18446744073709551615",
           "18446744073709551616", "1e3", "1.5", "", " 5", "5 ", "+5", "5x", "0x10", "nan"]
# Files are small, and no reader needs more than a few MiB for one. Only xz and zstd take up to 130 MiB if the file says
# so. A buffer of 1 MiB is allocated for each. The first option of AddressSanitizer keeps it from mapping the shadow of
# that buffer anew each time, which is slow.
LIMITS = "-max_len=4096 -malloc_limit_mb=160 -rss_limit_mb=1024 -timeout=20 -print_final_stats=1".split()
ENVIRONMENT = {"ASAN_OPTIONS": "clear_shadow_mmap_threshold=4194304:quarantine_size_mb=4", "OMP_NUM_THREADS": "1"}


def targets_of(fuzzer):
    """{target: the extensions of its files}, as the fuzzer lists them."""
    lines = subprocess.run([fuzzer], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines}


def write_seeds(unit, corpus, known):
    """Puts the small files that the tests of the formats read and write, and the regressions, into the corpus of their target."""
    target_of = {extension: target for target, extensions in known.items() for extension in extensions}
    target_of[""] = "recognise"
    seeds = corpus / "seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    subprocess.run([unit, "--gtest_filter=Table/*", "--gtest_brief=1"], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "APSP_SEEDS": str(seeds)})
    for seed in seeds.iterdir():
        if seed.suffix in target_of:
            (corpus / target_of[seed.suffix] / seed.name).write_bytes(seed.read_bytes())
    for file in (Path(__file__).parent / "regressions").glob("*/*"):
        if file.parent.name in known:
            (corpus / file.parent.name / file.name).write_bytes(file.read_bytes())
    for i, number in enumerate(NUMBERS):
        (corpus / "number" / f"seed{i}").write_text(number)


def fuzz(target, fuzzer, corpus, seconds):
    """Runs one target. Returns whether it ended well."""
    program = corpus / "programs" / target  # the fuzzer goes by its name
    program.parent.mkdir(exist_ok=True)
    program.unlink(missing_ok=True)
    program.symlink_to(fuzzer.resolve())
    with open(corpus / f"{target}.log", "wb") as log:
        run = subprocess.run([program, corpus / target, f"-max_total_time={seconds}", *LIMITS,
                              f"-artifact_prefix={corpus}/{target}-"], stdout=log, stderr=log,
                             env={**os.environ, **ENVIRONMENT})
    return run.returncode == 0


def figures(target, logs):
    """The figures of a run from its log, as a row of the record."""
    text = (logs / f"{target}.log").read_text(errors="replace")
    progress = (re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)/", text) or ["---"])[-1]  # none if a seed ended the run
    ended = re.search(r"Done \d+ runs in (\d+) second", text)
    row = {"target": target, "seconds": ended[1] if ended else "",
           "executions": re.findall(r"number_of_executed_units: *(\d+)", text)[-1]}
    row.update(zip(("edges", "features", "corpus"), progress))
    row["peak_MB"] = re.findall(r"peak_rss_mb: *(\d+)", text)[-1]
    row["findings"] = str(len(re.findall("^SUMMARY:", text, re.M)))
    return row


def write_record(path, rows):
    """Puts the rows into a CSV file, where they replace the rows of the same targets."""
    kept = collections.OrderedDict()
    if path.exists():
        with path.open(newline="") as file:
            kept.update((row["target"], row) for row in csv.DictReader(file))
    kept.update((row["target"], row) for row in rows)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: all")
    parser.add_argument("--fuzzer", type=Path, required=True, help="libFuzzer's program")
    parser.add_argument("--unit", type=Path, required=True, help="the GoogleTest program, which writes the seeds")
    parser.add_argument("--corpus", type=Path, required=True, help="where corpora and logs are kept")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many run at once")
    parser.add_argument("--record", type=Path, help="put the figures into this CSV file")
    args = parser.parse_args()

    known = targets_of(args.fuzzer)
    targets = args.targets or list(known)
    if set(targets) - set(known):
        parser.error(f"choose targets from {' '.join(known)}")
    for target in known:
        (args.corpus / target).mkdir(parents=True, exist_ok=True)
    write_seeds(args.unit, args.corpus, known)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        good = list(pool.map(lambda target: fuzz(target, args.fuzzer, args.corpus, args.seconds), targets))

    rows = [figures(target, args.corpus) for target in targets]
    for row in rows:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    if args.record:
        write_record(args.record, rows)
    for target in (target for target, well in zip(targets, good) if not well):
        log = (args.corpus / f"{target}.log").read_text(errors="replace")
        at = max(log.find("terminate called"), log.find("==ERROR"), 0)
        print(f"\nFOUND in {target}, see {args.corpus}/{target}.log:\n{log[at:][:3000]}")
        print(f"Again: {args.corpus}/programs/{target} FILE; then it belongs to tests/fuzz/regressions/{target}/")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
