"""Runs all tests: the GoogleTest program, the command line's, the GPU solver's. `make test` calls it.

Prints failures in full, then every skipped test under its reason, last a line `N passed, N failed, N skipped`.
Exits 1 on any failure, or where nothing ran; with --require-gpu also where there is no GPU.
"""
import argparse, collections, concurrent.futures, itertools, os, re, shutil, signal, subprocess, sys, tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Totals:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, collections.defaultdict(list)

    def fail(self, name, text):
        self.failed += 1
        print(f"\nFAILED {name}\n{text.rstrip()}\n\n", end="", flush=True)

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        for reason, names in other.skipped.items():
            self.skipped[reason] += names

    def report(self):
        for reason, names in self.skipped.items():
            print(f"\nskipped ({reason}):\n  " + "\n  ".join(names))
        print(f"\n{self.passed} passed, {self.failed} failed, {sum(map(len, self.skipped.values()))} skipped")
        return 1 if self.failed or not self.passed else 0


def run_unit(program, totals):
    """tests of the parts"""  # GoogleTest's XML tells why a test skipped; its JSON (1.12) does not
    with tempfile.TemporaryDirectory() as directory:
        results = Path(directory) / "results.xml"
        run = subprocess.run([program, f"--gtest_output=xml:{results}", "--gtest_brief=1"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="backslashreplace")
        if run.returncode not in (0, 1) or not results.exists():  # it crashed, and then wrote no results
            code = run.returncode
            how = signal.Signals(-code).name if code < 0 else f"exit {code}"
            return totals.fail(f"{program} ({how})", run.stdout)
        cases = list(ET.parse(results).iter("testcase"))
    failed = 0
    for case in cases:
        name = f"{case.get('classname')}.{case.get('name')}"
        failures, skip = case.findall("failure"), case.find("skipped")
        if failures:
            failed += 1
            totals.fail(name, "\n".join(f.get("message") for f in failures))
        elif skip is not None:
            totals.skipped[skip.get("message").partition("\n")[2].strip() or "no reason given"].append(name)
        elif case.get("status") == "notrun":
            totals.skipped["disabled in the source"].append(name)
        else:
            totals.passed += 1
    if run.returncode and not failed:  # for instance a failure outside any test
        totals.fail(f"{program} (exit {run.returncode})", run.stdout)


class Result(unittest.TestResult):
    """Counts a test once, however many of its subtests fail, and prints each failure when it comes."""
    def __init__(self, totals):
        super().__init__()
        self.totals, self.bad = totals, set()

    def addFailure(self, test, err, name=None):
        if test.id() in self.bad:  # another subtest of a test that failed
            self.totals.failed -= 1
        self.bad.add(test.id())
        self.totals.fail(name or test.id(), self._exc_info_to_string(err, test))

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.addFailure(test, err, subtest.id())

    def addSkip(self, test, reason):
        self.totals.skipped[reason].append(test.id())

    def addSuccess(self, test):
        self.totals.passed += 1


def run_suite(name, totals):
    """tests of the command line"""
    unittest.defaultTestLoader.loadTestsFromName(name).run(Result(totals))


def totals_of(run, subject, *more):
    totals = Totals()
    print(f"{subject}: {run.__doc__}\n", end="", flush=True)  # one write: others write, too
    run(subject, totals, *more)
    return totals


def run_scipy(program, totals, seeds):
    """distances against SciPy's, of every file that is read"""
    regressions = (HERE / "fuzz/regressions").iterdir()
    with tempfile.TemporaryDirectory() as named:  # by the format, as the program wants them
        for file in itertools.chain.from_iterable(folder.iterdir() for folder in regressions):
            extension = {"gz": "el.gz"}.get(file.parent.name, file.parent.name)
            shutil.copy(file, Path(named) / f"{file.name}.{extension}")
        argv = [HERE / "scipy_test.py", "--apsp", program, "--files", seeds, named, HERE.parent / "data"]
        for python in filter(os.path.exists, (sys.executable, "/usr/bin/python3")):  # the distribution's may be hidden
            run = subprocess.run([python, *argv], stderr=subprocess.PIPE, text=True, errors="backslashreplace")
            if run.returncode != 77:
                break
    if run.returncode == 77:
        totals.skipped[run.stderr.strip()].append("scipy_test")
    elif run.returncode:
        totals.fail("scipy_test", run.stderr)
    else:
        totals.passed += 1


def run_delays(program, totals, gpu):
    """tests of the schedule, with delays at random"""
    if not gpu:
        return totals.skipped["only make gpu-test runs it"].append(program)
    run = subprocess.run([program], stderr=subprocess.PIPE, text=True, errors="backslashreplace")
    if run.returncode == 77:
        totals.skipped[run.stderr.strip()].append(program)
    elif run.returncode:
        totals.fail(f"{program} (exit {run.returncode})", run.stderr)
    else:
        totals.passed += 1


def run_spills(report, totals):
    """tests of what ptxas made of the kernels"""
    entries = re.findall(r"Function properties for (\w*8dataflow\w*)\n\s*(.*)", Path(report).read_text())
    if not entries:
        totals.fail(report, "it names no kernel `dataflow`")
    for name, properties in entries:
        if re.findall(r"(\d+) bytes (stack frame|spill stores|spill loads)", properties) == \
                [("0", "stack frame"), ("0", "spill stores"), ("0", "spill loads")]:
            totals.passed += 1
        else:
            totals.fail(f"{report}: {name}", f"it does not keep everything in registers: {properties}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--unit", required=True, help="the GoogleTest program")
    parser.add_argument("--apsp", required=True, help="the program to drive")
    parser.add_argument("--delays", help="the program that solves with delays")
    parser.add_argument("--ptxas", help="what ptxas -v says of apsp.cu")
    parser.add_argument("--suites", nargs="+", help="those in Python to run, as unittest names them [all]",
                        default=["rooms_test", "docs_test", "submissions_test", "cli_test", "faults_test", "progress_test"])
    parser.add_argument("--require-gpu", action="store_true", help="fail where no GPU is")
    args = parser.parse_args()
    for program in filter(None, (args.unit, args.apsp, args.delays)):
        if not os.access(program, os.X_OK):
            sys.exit(f"{program}: no such program: run make test")
    if args.require_gpu:
        argv = [args.apsp, *"--device gpu --n 1 --reps 1 --quiet".split()]
        run = subprocess.run(argv, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"A GPU is required, but {args.apsp} --device gpu says: {run.stderr.strip()}")
    os.environ["OMP_WAIT_POLICY"] = "passive"  # no spinning where others compute
    os.environ["APSP"] = str(Path(args.apsp).resolve())
    from harness import GPU_REASON  # "" where there is a GPU, which each wants for itself
    totals = Totals()
    with tempfile.TemporaryDirectory() as seeds:
        os.environ["APSP_SEEDS"] = seeds  # small files that the tests of the parts read and write
        with concurrent.futures.ProcessPoolExecutor(os.cpu_count() if GPU_REASON else 1) as pool:
            subjects = args.unit, *args.suites
            for found in pool.map(totals_of, (run_unit, *len(args.suites) * [run_suite]), subjects):
                totals.add(found)
        for run, subject, *more in ((run_scipy, args.apsp, seeds), (run_spills, args.ptxas),
                                    (run_delays, args.delays, args.require_gpu)):
            if subject:
                totals.add(totals_of(run, subject, *more))
    return totals.report()


if __name__ == "__main__":
    sys.exit(main())
