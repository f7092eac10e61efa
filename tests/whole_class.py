#!/usr/bin/env python3
"""A whole class, graded twice on the CPU: `make soak PARTS=class`.

  tests/whole_class.py [COUNT [SIZES]]    hand-ins [200], numbers of vertices [200,500]; runs ./apsp or $APSP

The hand-ins are those of tests/hand_ins.py: most are right, some are wrong, one in thirteen does not compile, and no
two have the same content. The first grading is killed once, by SIGKILL, at a moment in its middle that is drawn, and
the same command goes on. The second grading knows nothing of the first one. Prints the seconds of both. Fails if

* the first grading took more than an hour on two cores or more, or two hours on one, both of its runs together,
* a result from before the kill was found anew,
* a hand-in has not the verdict that it must have, or another one in the second grading, or
* one hand-in was faster than another one in the first grading and slower in the second, and in neither of them their
  quartiles overlap. A time that was disturbed proves nothing: such a hand-in is left out of this comparison.

The last line is `N passed, N failed`. Exit: 0 all passed, 1 not.
"""
import csv, os, random, signal, subprocess, sys, tempfile, time
from pathlib import Path
from typing import NamedTuple

import hand_ins
from harness import APSP, CORES

SHAPES = (*hand_ins.HOST_SHAPES, *hand_ins.WRONG_HOST_SHAPES)
LIMIT = 3600 if CORES > 1 else 7200  # seconds


class Place(NamedTuple):
    """Of a hand-in that passed: its rank, and the quartiles of its time at the largest size."""
    rank: int
    q1: float
    q3: float


GAP = 1.1  # quartiles know how calls of one process differ; from one process to another, times drift by some percent


def overlap(a, b):
    return a.q1 <= GAP * b.q3 and b.q1 <= GAP * a.q3


def contradictions(first, second):
    """The pairs of which one is faster in one grading, and the other one in the other, by more than times drift."""
    names = sorted(first.keys() & second.keys())
    return [(a, b) for a in names for b in names
            if first[a].rank < first[b].rank and second[a].rank > second[b].rank
            and not overlap(first[a], first[b]) and not overlap(second[a], second[b])]


def expected_verdict(name):
    shape = name.partition("-")[2]
    if shape not in hand_ins.WRONG_HOST_SHAPES:
        return "pass"
    return "does not compile" if shape == "no_semicolon.cpp" else "wrong"


class Class:
    def __init__(self, folder, count, sizes):
        self.folder, self.sizes = Path(folder), sizes
        self.names = hand_ins.make(self.folder / "hand-ins", count, SHAPES, own=True)
        # What is compiled is not found in the cache of an earlier run.
        self.env = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "XDG_CACHE_HOME": str(self.folder / "cache")}

    def start(self, name):
        options = f"--host --sizes {self.sizes} --csv {name}.csv --jobs {max(1, CORES // 2)}"
        return subprocess.Popen([APSP, "grade", "hand-ins", *options.split()], cwd=self.folder, env=self.env, stdout=subprocess.DEVNULL)

    def results(self, name):
        return {path.name: path.read_bytes() for kind in ("check", "times")
                for path in (self.folder / f"{name}.csv.d").glob(f"{kind}-*.json")}

    def grade(self, name, kill_at=None):
        """The seconds of a grading, and what it had found when it was killed, after so many results."""
        began, kept = time.monotonic(), {}
        process = self.start(name)
        while kill_at is not None and process.poll() is None:
            if len(self.results(name)) >= kill_at:
                process.send_signal(signal.SIGKILL)
                process.wait()
                time.sleep(1)  # the grader that it waited for ends, too
                kept, kill_at = self.results(name), None
                print(f"{name}: killed after {time.monotonic() - began:.0f} s and {len(kept)} results", flush=True)
                process = self.start(name)
            time.sleep(0.1)
        code = process.wait()
        seconds = time.monotonic() - began
        print(f"{name}: {seconds:.0f} s, exit {code}", flush=True)
        if code:
            sys.exit(f"{name}: the grading failed")
        return seconds, kept

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def verdicts(self, name):
        return {row["name"]: row["verdict"] for row in self.rows(f"{name}.csv")}

    def places(self, name):
        """Of those that passed, and were not disturbed at the largest size."""
        largest = self.sizes.rpartition(",")[2]
        times = {row["name"]: row for row in self.rows(f"{name}.sizes.csv")
                 if row["n"] == largest and not row["disturbed"]}
        return {row["name"]: Place(int(row["rank"]), float(time_of["q1_ms"]), float(time_of["q3_ms"]))
                for row in self.rows(f"{name}.csv") if row["rank"] and (time_of := times.get(row["name"]))}


def main(count=200, sizes="200,500"):
    drawn = random.Random(os.environ.get("APSP_TEST_SEED", "1"))
    failed, passed = 0, 0

    def expect(what, wrong):
        nonlocal failed, passed
        failed, passed = failed + bool(wrong), passed + (not wrong)
        print(f"{'FAILED' if wrong else 'ok'} {what}" + (f": {wrong}" if wrong else ""), flush=True)

    with tempfile.TemporaryDirectory() as folder:
        group = Class(folder, int(count), sizes)
        right = sum(expected_verdict(name) == "pass" for name in group.names)
        results = len(group.names) + right  # checks and times
        seconds, kept = group.grade("first", kill_at=drawn.randint(results // 4, 3 * results // 4))
        expect(f"at most {LIMIT} s on {CORES} cores", f"{seconds:.0f} s" if seconds > LIMIT else "")
        expect("it was killed in the middle", "" if kept else "it ended before")
        now = group.results("first")
        expect("no result was found twice", [name for name, content in kept.items() if now.get(name) != content])
        group.grade("second")
        verdicts = {name: group.verdicts(name) for name in ("first", "second")}
        expected = {name: expected_verdict(name) for name in group.names}
        for name, found in verdicts.items():
            expect(f"the verdicts of the {name} grading",
                   {each: found.get(each) for each in expected if found.get(each) != expected[each]})
        first, second = group.places("first"), group.places("second")
        print(f"not disturbed: {len(first)} and {len(second)} of {right}")
        expect("ranks differ only where times are near",
               [(a, first[a], second[a], b, first[b], second[b]) for a, b in contradictions(first, second)])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
