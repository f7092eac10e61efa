"""Runs all tests: the GoogleTest program, the suites in Python, the GPU solver's. `make test` calls it.

The tests run side by side, with the GPU hidden. On a machine with a GPU, those that are skipped for the lack of
one run again, one after another, because each wants the GPU alone. APSP_FULL=1 runs all tests with the GPU visible,
one after another: that takes longer, and tries what runs on the GPU by default.

Prints each suite's progress, failures in full, the slowest tests, then every skipped test under its reason, last a
line `N passed, N failed, N skipped`. Exits 1 on any failure, or if nothing ran; with --require-gpu also if there is
no GPU.
"""
import argparse, collections, concurrent.futures, itertools, multiprocessing, os, re, shutil, signal, subprocess, sys, tempfile, time
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

HERE = Path(__file__).resolve().parent
HIDDEN = {"CUDA_VISIBLE_DEVICES": ""}  # a process with this environment sees no GPU
SAY_EVERY = 10  # seconds


class Totals:
    """What came of the tests of one subject, or of all."""

    def __init__(self, subject=""):
        self.subject, self.passed, self.failed = subject, 0, 0
        self.skipped = collections.defaultdict(list)  # reason -> names
        self.seconds = {}                             # of each test
        self.begin = self.said = time.monotonic()

    def say(self, text):
        print(f"{self.subject}: {text}\n", end="", flush=True)  # one write: others write, too

    def live(self, passed):
        """Shows every few seconds how many tests have passed."""
        if time.monotonic() - self.said > SAY_EVERY:
            self.said = time.monotonic()
            self.say(f"{passed} passed so far")

    def ran(self, name, seconds):
        self.seconds[f"{self.subject}: {name}"] = seconds
        self.passed += 1
        self.live(self.passed)

    def fail(self, name, text):
        self.failed += 1
        print(f"\nFAILED {name}\n{text.rstrip()}\n\n", end="", flush=True)

    def end(self):
        self.say(f"{self.passed} passed, {self.failed} failed, {self.count_skipped()} skipped in "
                 f"{time.monotonic() - self.begin:.0f} s")
        return self

    def count_skipped(self):
        return sum(map(len, self.skipped.values()))

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.seconds.update(other.seconds)
        for reason, names in other.skipped.items():
            self.skipped[reason] += names

    def take_for_gpu(self):
        """The names of the tests that were skipped for the lack of a GPU. They no longer count as skipped."""
        reasons = [reason for reason in self.skipped if re.match("no GPU|needs a GPU", reason)]
        return [name for reason in reasons for name in self.skipped.pop(reason)]

    def report(self):
        slowest = sorted(self.seconds.items(), key=lambda test: -test[1])[:10]
        print("\nthe slowest tests:\n" + "\n".join(f"  {seconds:6.1f} s  {name}" for name, seconds in slowest))
        for reason, names in self.skipped.items():
            print(f"\nskipped ({reason}):\n  " + "\n  ".join(names))
        print(f"\n{self.passed} passed, {self.failed} failed, {self.count_skipped()} skipped")
        return 1 if self.failed or not self.passed else 0


def read_unit_results(results, totals):
    """Adds what GoogleTest's XML says of each test: it tells why a test skipped, its JSON (1.12) does not."""
    for case in ET.parse(results).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        failures, skip = case.findall("failure"), case.find("skipped")
        if "DISABLED_" in name:
            totals.skipped["disabled in the source"].append(name)
        elif case.get("status") == "notrun":  # another shard has it, or the filter leaves it out
            continue
        elif failures:
            totals.fail(name, "\n".join(f.get("message") for f in failures))
        elif skip is not None:
            totals.skipped[skip.get("message").partition("\n")[2].strip() or "no reason given"].append(name)
        else:
            totals.ran(name, float(case.get("time")))


def run_unit(program, totals, only=None, shard=(0, 1)):
    """tests of the parts"""
    with tempfile.TemporaryDirectory() as directory:
        results = Path(directory) / "results.xml"
        shards = {"GTEST_SHARD_INDEX": str(shard[0]), "GTEST_TOTAL_SHARDS": str(shard[1])}
        argv = [program, f"--gtest_output=xml:{results}"]
        if only is not None:
            argv.append("--gtest_filter=" + ":".join(only))
        lines, done = [], 0
        with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="backslashreplace", env={**os.environ, **shards}) as run:
            for line in run.stdout:
                lines.append(line)
                done += line.startswith("[       OK ]")
                totals.live(done)
        code, output = run.returncode, "".join(lines)
        if code not in (0, 1) or not results.exists():  # it crashed, and then wrote no results
            how = signal.Signals(-code).name if code < 0 else f"exit {code}"
            return totals.fail(f"{program} ({how})", output[-20000:])
        before = totals.failed
        read_unit_results(results, totals)
        if code and totals.failed == before:  # for instance a failure outside any test
            totals.fail(f"{program} (exit {code})", output[-20000:])


class Result(unittest.TestResult):
    """Counts a test once, however many of its subtests fail, and prints each failure when it comes."""
    def __init__(self, totals):
        super().__init__()
        self.totals, self.bad = totals, set()

    def startTest(self, test):
        super().startTest(test)
        self.begin = time.monotonic()

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
        self.totals.ran(test.id(), time.monotonic() - self.begin)


def tests_of(suite):
    for test in suite:
        yield from tests_of(test) if isinstance(test, unittest.TestSuite) else (test,)


def run_suite(name, totals, only=None):
    """tests of the command line"""
    tests = unittest.defaultTestLoader.loadTestsFromName(name)
    if only is not None:
        tests = unittest.TestSuite(test for test in tests_of(tests) if test.id() in set(only))
    tests.run(Result(totals))


def totals_of(run, subject, *more, environment=(), label=None):
    """Runs one subject, in a process of its own if a pool calls this."""
    os.environ.update(environment)
    totals = Totals(label or Path(subject).name)
    totals.say(run.__doc__)
    run(subject, totals, *more)
    return totals.end()


def why_no_gpu():
    from harness import GPU_REASON
    return GPU_REASON


def pool_of(processes):
    """New processes that have imported nothing: `harness` looks for a GPU when it is imported."""
    return concurrent.futures.ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"))


def run_all(unit, suites, gpu):
    """The totals of the GoogleTest program and of the suites, one after another as they come."""
    with pool_of(os.cpu_count()) as hidden, pool_of(1) as visible:  # one process at a time has the GPU
        if gpu and os.environ.get("APSP_FULL") == "1":
            for future in [visible.submit(totals_of, run_unit, unit),
                           *(visible.submit(totals_of, run_suite, suite) for suite in suites)]:
                yield future.result()
            return
        shards = max(1, min(4, os.cpu_count() or 1))
        jobs = {hidden.submit(totals_of, run_suite, suite, environment=HIDDEN): (run_suite, suite) for suite in suites}
        for i in range(shards):
            jobs[hidden.submit(totals_of, run_unit, unit, None, (i, shards), environment=HIDDEN,
                               label=f"unit {i + 1} of {shards}")] = (run_unit, unit)
        on_gpu = []
        for future in concurrent.futures.as_completed(jobs):
            totals, (run, subject) = future.result(), jobs[future]
            names = totals.take_for_gpu() if gpu else []
            if names:
                on_gpu.append(visible.submit(totals_of, run, subject, names, label=f"{Path(subject).name} on the GPU"))
            yield totals
        for future in on_gpu:
            yield future.result()


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
                        default=["submissions_test", "cli_test", "progress_test", "faults_test", "docs_test",
                                 "rooms_test", "run_test"])
    parser.add_argument("--require-gpu", action="store_true", help="fail if there is no GPU")
    args = parser.parse_args()
    for program in filter(None, (args.unit, args.apsp, args.delays)):
        if not os.access(program, os.X_OK):
            sys.exit(f"{program}: no such program: run make test")
    if args.require_gpu:
        argv = [args.apsp, *"--device gpu --n 1 --reps 1 --quiet".split()]
        run = subprocess.run(argv, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"A GPU is required, but {args.apsp} --device gpu says: {run.stderr.strip()}")
    os.environ["OMP_WAIT_POLICY"] = "passive"  # no spinning while others compute
    os.environ["APSP"] = str(Path(args.apsp).resolve())
    with pool_of(1) as pool:
        gpu = not pool.submit(why_no_gpu).result()
    totals = Totals()
    with tempfile.TemporaryDirectory() as seeds:
        os.environ["APSP_SEEDS"] = seeds  # small files that the tests of the parts read and write
        for found in run_all(str(Path(args.unit).resolve()), args.suites, gpu):
            totals.add(found)
        for run, subject, *more in ((run_scipy, args.apsp, seeds), (run_spills, args.ptxas),
                                    (run_delays, args.delays, args.require_gpu)):
            if subject:
                totals.add(totals_of(run, subject, *more))
    return totals.report()


if __name__ == "__main__":
    sys.exit(main())
