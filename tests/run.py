"""Runs all tests: the GoogleTest program, those in Python, and those of the GPU solver. `make test` calls it.

A job is one test class in a process of its own. Jobs run side by side, one more than there are cores, because some
wait. On a machine with a GPU they run with the GPU hidden, but for those in NEED_GPU. The tests that then skip because
they need a GPU run once more with the GPU, beside the other jobs. Those in AT_ONCE do so from the beginning.
Their names decide how: those in ALONE have the GPU for themselves, because they look at its free memory, at its other
users or at times. Those in FILLS make thousands of calls. A GPU gives processes turns of milliseconds, so two of them
would take longer side by side than one after the other. All others share the GPU.
APSP_FULL=1 runs all jobs with the GPU, those in WHOLE, and all cases of tests that have many. This takes longer.

Tests in SOAK depend on times, on moments or on other programs. They run with --soak alone, one after the other. Such a
test that fails is repeated once. If it passes then, it is unstable, which is named and counts as failed.
A test in Python and a job of unit tests may take APSP_TEST_LIMIT seconds [600]. Then it fails. What tests draw at random
is the same in every run with the same APSP_TEST_SEED [1].

Prints a line when a suite starts, after each of its classes and when it ends, and at least every ten seconds how many
tests have passed so far. Failures are printed in full when they occur. The end lists the slowest tests, every skipped
test under its reason, and in the last line `N passed, N failed, N skipped`. Exits 1 on any failure, or if nothing ran;
with --require-gpu also if there is no GPU.
"""
import argparse, collections, concurrent.futures, itertools, multiprocessing, os, queue, random, re, shutil, signal
import subprocess, sys, tempfile, threading, time, traceback, unittest
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
SUITES = ["submissions_test", "attacks_test", "ranks_test", "sources_test", "class_test", "progress_test", "cli_test", "page_test", "faults_test", "rooms_test", "docs_test", "hostile_test",
          "run_test", "scale_test", "build_test", "library_test", "queries_test", "order_test", "rational_test", "csgraph_test", "scipy_test"]  # the longest first
PROGRAMS = ("csgraph_test", "scipy_test")  # those in Python that are programs of their own, and one test
# How the names of tests begin that do not merely share the GPU.
ALONE = ("submissions_test.Grade.test_on_the_gpu", "submissions_test.Verdicts.test_leaks", "attacks_test.OnTheGpu.test_alone",
         "cli_test.GpuTables", "faults_test.GpuMemory", "GpuSubmissions.MayNotKeepMemory", "Devices/Tiers.WithoutRoom",
         "Api.MemoryOfTheGpu")
# Classes of tests that all need the GPU and share it: they start with it at once.
NEED_GPU = ("cli_test.GpuResults", "faults_test.GpuFaults", "BatchOnGpu/3", "GpuSparse", "GpuBellman", "GpuRelaxation", "Devices/Kernels",
            "Devices/Rungs", "Devices/DistributedOnGpu")
# The longest tests that share the GPU. They are jobs of their own and start first.
AT_ONCE = ("submissions_test.Verdicts.test_on_the_gpu", "submissions_test.Grade.test_real_shapes_on_the_gpu",
           "attacks_test.OnTheGpu.test_reach_nothing")
FILLS = ("delays", "Devices/Tiers", "Devices/Rungs", "Devices/Kernels")
# What `make soak` runs and `make test` does not: the tests and classes whose names begin so.
SOAK = ("cli_test.SweepScript.test_killed", "cli_test.SweepScript.test_signals", "cli_test.SweepScript.test_a_second_signal",
        "ranks_test.Checkpoints", "ranks_test.LostRanks", "ranks_test.ThreadsOfProcesses.test_saved_parts", "submissions_test.GradeAgain", "submissions_test.Cost",  # kills
        "attacks_test.Waits", "attacks_test.Hinders", "attacks_test.Plain", "attacks_test.WithoutDefences",  # ratios of times
        "cli_test.Records.test_other_processes_disturb", "submissions_test.Grade.test_all_calls_of_a_check_take", "submissions_test.Grade.test_a_race_is_found",
        "sources_test.Sources.test_goes_on_after_a_kill", "Submissions.AreTimed", "Submissions.MayNotWakeThemselves", "Submissions.AreKilledAsSoonAs", "Submissions.AreCountedUntil", "Submissions.DoNotRunBetween",
        "Submissions.ShareOurPatience", "Submissions.MayNotBeLoadedSlowly", "Sandbox.OfBubblewrapStops", "Hindered", "Building.RemovesWhatAKilled",
        "progress_test.Asked", "progress_test.Terminal", "CpuOnABusyCore", "SparseFuzz",
        "page_test.InABrowser", "csgraph_test")  # a browser, SciPy's own tests
# What only APSP_FULL=1 runs, because another test looks at the same, and takes less time: whether nvcc takes honest
# hand-ins (Building.TakesAllSubmissionsOfTheTests, Compiler.TakesNamesThatAShellWouldMistake).
WHOLE = () if os.environ.get("APSP_FULL") == "1" else ("Compiler.TakesHonestHandInsOfAllKinds",)
SEED = os.environ.get("APSP_TEST_SEED") or "1"  # of all that is drawn at random in tests
LIMIT = int(os.environ.get("APSP_TEST_LIMIT", 600))  # seconds for a test in Python or a job of unit tests
CHOOSE = ("cli_test", "faults_test", "progress_test")  # suites that let the program choose its device
SHARE_GPU = 4  # jobs at the same time
CORES = len(os.sched_getaffinity(0))
UNIT_THREADS = min(CORES, max(2, CORES // 4))  # of each unit test, because others compute at the same time
NEEDS_GPU = re.compile("no GPU|needs a GPU|only with a GPU")  # the reasons of tests that skip without one
QUIET = 10  # seconds without a line
SLOWEST = 30


class Job(NamedTuple):
    suite: str              # all jobs of a suite share its lines
    name: str               # for people
    run: object             # run(emit, *arguments); emit(outcome, test, seconds, text) says what came of one test
    arguments: tuple = ()
    again: object = None    # again(tests): a job of these tests only
    use: int = 0            # how it uses the GPU, see use_of()


SHARES_GPU, FILLS_GPU, ALONE_ON_GPU = range(3)


def is_soak(name):
    return name.startswith(SOAK)


def is_asked_for(name, soak):
    """Whether this run, of the soak or of the others, has the test."""
    return is_soak(name) == soak and not name.startswith(WHOLE)


def use_of(name):
    """How a test, or a whole class, uses the GPU."""
    def is_in(names):
        return any(name.startswith(each) or each.startswith(f"{name}.") for each in names)
    return ALONE_ON_GPU if is_in(ALONE) else FILLS_GPU if is_in(FILLS) else SHARES_GPU


# ---- jobs: these functions run in processes of their own --------------------------------------------------

def run_unit(emit, program, tests):
    """Tests of the GoogleTest program. Its XML says why a test skipped; its JSON (1.12) does not."""
    with tempfile.TemporaryDirectory() as directory:
        results = Path(directory) / "results.xml"
        argv = [program, f"--gtest_output=xml:{results}", "--gtest_brief=1", "--gtest_filter=" + ":".join(tests)]
        code, said = run_within(argv, env={"OMP_NUM_THREADS": str(UNIT_THREADS), **os.environ})
        how = f"after {LIMIT} s" if code is None else signal.Signals(-code).name if code < 0 else f"exit {code}"
        if code not in (0, 1) or not results.exists():  # it crashed, and therefore wrote no results
            return emit("failed", f"{program} ({how})", 0, " ".join(tests) + "\n" + said)
        cases = list(ET.parse(results).iter("testcase"))
    failed = 0
    for case in cases:
        name, seconds = f"{case.get('classname')}.{case.get('name')}", float(case.get("time"))
        failures, skip = case.findall("failure"), case.find("skipped")
        if failures:
            failed += 1
            emit("failed", name, seconds, "\n".join(f.get("message") for f in failures))
        elif skip is not None:
            emit("skipped", name, seconds, skip.get("message").partition("\n")[2].strip() or "no reason given")
        elif case.get("status") == "notrun":
            emit("skipped", name, seconds, "disabled in the source")
        else:
            emit("passed", name, seconds)
    if code and not failed:  # for instance a failure outside any test
        emit("failed", f"{program} (exit {code})", 0, said)


def run_within(argv, env=None):
    """The exit code of a program, or None if it reached its limit, and what it said."""
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="backslashreplace",
                               env=env, start_new_session=True)
    try:
        said = process.communicate(timeout=LIMIT)[0]
        return process.returncode, said
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # and all that it started
        return None, process.communicate()[0]


class TookTooLong(Exception):
    """A test in Python has reached its limit."""


class Result(unittest.TestResult):
    """Emits each test once, however many of its subtests fail, with the texts of all of them."""
    def __init__(self, emit):
        super().__init__()
        self.emit, self.began, self.failures_of = emit, 0, []
        signal.signal(signal.SIGALRM, self.end_late_test)

    def end_late_test(self, *_):
        raise TookTooLong(f"it took more than {LIMIT} s")

    def startTest(self, test):
        self.began, self.failures_of, self.outcome = time.monotonic(), [], None
        random.seed(f"{SEED} {test.id()}")
        signal.setitimer(signal.ITIMER_REAL, LIMIT, LIMIT)  # again, because a subtest catches the first

    def stopTest(self, test):
        signal.setitimer(signal.ITIMER_REAL, 0)
        seconds = time.monotonic() - self.began
        if self.failures_of:
            self.emit("failed", test.id(), seconds, "\n".join(self.failures_of))
        elif self.outcome:
            self.emit(self.outcome[0], test.id(), seconds, self.outcome[1])
        self.failures_of, self.outcome = [], None

    def addFailure(self, test, err, name=""):
        text = name + self._exc_info_to_string(err, test)
        if isinstance(test, unittest.TestCase):
            self.failures_of.append(text)
        else:  # setUpClass or setUpModule
            self.emit("failed", test.id(), 0, text)

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.addFailure(test, err, subtest.id() + "\n")

    def addSkip(self, test, reason):
        if isinstance(test, unittest.TestCase):
            self.outcome = "skipped", reason
        else:
            self.emit("skipped", test.id(), 0, reason)

    def addSuccess(self, test):
        self.outcome = "passed", ""

    def addExpectedFailure(self, test, err):
        self.outcome = "passed", ""

    def addUnexpectedSuccess(self, test):
        self.failures_of.append("it was expected to fail, and passed")


def tests_in(found):
    """All tests in a unittest.TestSuite, which may hold others."""
    return list(itertools.chain.from_iterable(map(tests_in, found))) if isinstance(found, unittest.TestSuite) else [found]


def run_class(emit, names, soak=False, share=slice(None)):
    """Tests in Python, by their names, or a share of those of a class: those of the long run, or all others."""
    found = [test for test in tests_in(unittest.defaultTestLoader.loadTestsFromNames(names)) if is_asked_for(test.id(), soak)]
    unittest.TestSuite(found[share]).run(Result(emit))


def run_scipy(emit, program, seeds):
    """Distances against SciPy's, of every file that is read."""
    regressions = (HERE / "fuzz/regressions").iterdir()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as named:  # the program knows the format by the extension
        for file in itertools.chain.from_iterable(folder.iterdir() for folder in regressions):
            target = file.parent.name
            extension = f"el.{target}" if target in ("gz", "bz2", "xz", "zst") else target
            shutil.copy(file, Path(named) / f"{file.name}.{extension}")
        code, said = with_scipy([HERE / "scipy_test.py", "--apsp", program, "--files", seeds, named, HERE.parent / "data"])
    emit_exit(emit, "scipy_test", code, said, began)


def run_csgraph(emit, program):
    """SciPy's own tests of shortest paths."""
    began = time.monotonic()
    emit_exit(emit, "csgraph_test", *with_scipy([HERE / "csgraph_test.py", "--apsp", program]), began)


def with_scipy(argv):
    """A program that needs SciPy, run by the first Python that has it. Its exit code is 77 if none has."""
    for python in filter(os.path.exists, (sys.executable, "/usr/bin/python3")):
        code, said = run_within([python, *argv])
        if code != 77:
            break
    return code, said


def run_delays(emit, program, gpu):
    """The GPU solver's schedule with random delays."""
    if not gpu:
        return emit("skipped", program, 0, "only make gpu-test runs it")
    began = time.monotonic()
    emit_exit(emit, program, *run_within([program]), began)


def run_compiler(_):
    """Compiles the tests' submissions side by side. Later the program finds them in its cache."""
    from harness import compile_all
    honest = HERE / "attacks" / "honest"
    compile_all([*honest.glob("*.cu"), *honest.glob("*/apsp.cu"), *(HERE / "submissions").glob("*.cu")])


def emit_exit(emit, name, code, said, began):
    """A program that is one test: exit code 77 means that it skipped."""
    outcome = {0: "passed", 77: "skipped"}.get(code, "failed")
    text = said.strip() + (f"\nexit {code}, or None after {LIMIT} s" if outcome == "failed" else "")
    emit(outcome, name, time.monotonic() - began, text)


def run_spills(emit, report):
    """No kernel that solves a whole matrix spills registers, by what ptxas says."""
    entries = re.findall(r"Function properties for (\w*(?:8dataflow|16solveInRegisters)\w*)\n\s*(.*)", Path(report).read_text())
    for kernel in ("dataflow", "solveInRegisters"):
        if not any(kernel in name for name, _ in entries):
            emit("failed", report, 0, f"it names no kernel `{kernel}`")
    for name, properties in entries:
        if re.findall(r"(\d+) bytes (stack frame|spill stores|spill loads)", properties) == \
                [("0", "stack frame"), ("0", "spill stores"), ("0", "spill loads")]:
            emit("passed", f"{report}: {name}", 0)
        else:
            emit("failed", f"{report}: {name}", 0, f"it does not keep everything in registers: {properties}")


def begin_process(events, hide_gpu):
    global EVENTS
    EVENTS = events
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell runs us in the background
    if hide_gpu:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""


def perform(number, name, run, arguments):
    def emit(outcome, test, seconds, text=""):
        EVENTS.put((number, outcome, test, seconds, text))
    EVENTS.put((number, "started"))
    try:
        run(emit, *arguments)
    except Exception:
        emit("failed", name, 0, traceback.format_exc())
    finally:
        EVENTS.put((number, "ended"))


# ---- which jobs there are ----------------------------------------------------------------------------------

def unit_jobs(program, share, soak):
    """A job for each test suite of the GoogleTest program; GTEST_FILTER in the environment applies."""
    listing = subprocess.run([program, "--gtest_list_tests"], stdout=subprocess.PIPE, text=True)
    if listing.returncode:
        sys.exit(f"{program} --gtest_list_tests fails: exit {listing.returncode}")
    suites = {}
    for line in listing.stdout.splitlines():
        name = line.partition("#")[0].rstrip()
        if line.startswith("  "):
            if is_asked_for(current + name.strip(), soak):
                suites[current].append(current + name.strip())
        elif name.endswith("."):
            current = name
            suites[current] = []

    def job(name, tests):
        return Job("unit tests", name, run_unit, (program, tests), lambda failed: job(name, failed))
    return [job(name.rstrip("."), some) for number, (name, tests) in enumerate(suites.items())
            if (some := tests[share(number)])]


def python_jobs(suite, share, soak):
    """A job for each class of a suite, which is named as unittest names it."""
    classes = []
    for test in tests_in(unittest.defaultTestLoader.loadTestsFromName(suite)):
        if not is_asked_for(test.id(), soak):
            continue
        kind = type(test)
        name = suite if kind.__module__ == "unittest.loader" else f"{kind.__module__}.{kind.__qualname__}"  # not loaded
        if name not in classes:
            classes.append(name)

    def job(name, *arguments):
        return Job(suite.partition(".")[0], name, run_class, arguments, lambda failed: job(name, failed, soak))
    return [job(name, [suite if suite.startswith(f"{name}.") else name], soak, share(number)) for number, name in enumerate(classes)]


# ---- running them ------------------------------------------------------------------------------------------

class Totals:
    """The counts of a suite or of all suites."""
    def __init__(self):
        self.passed, self.failed, self.skipped, self.slow = 0, 0, collections.defaultdict(list), []

    def add(self, outcome, test, seconds, text):
        self.slow.append((seconds, test))
        if outcome == "skipped":
            self.skipped[text].append(test)
        else:
            self.passed += outcome == "passed"
            self.failed += outcome == "failed"

    def counts(self):
        return f"{self.passed} passed, {self.failed} failed, {sum(map(len, self.skipped.values()))} skipped"


def say(text):
    print(text, flush=True)


class Runner:
    def __init__(self, gpu, processes, repeats=False):
        spawn = multiprocessing.get_context("spawn")  # a process imports the tests anew, with the GPU hidden or not
        told, self.events, self.gpu = spawn.SimpleQueue(), queue.Queue(), gpu
        threading.Thread(target=lambda: [self.events.put(event) for event in iter(told.get, None)], daemon=True).start()

        def pool(size, hide_gpu):
            return concurrent.futures.ProcessPoolExecutor(size, spawn, begin_process, (told, hide_gpu))
        self.pool = pool(processes, gpu)
        self.gpu_pool = pool(SHARE_GPU, False) if gpu else self.pool
        self.jobs, self.open, self.futures = [], {}, {}  # by number: all, those not ended, those given to a pool
        self.processes, self.queue = processes, collections.deque()  # queue: the numbers of jobs that wait for the first pool
        self.began, self.classes = {}, {}                # by number: when it started, its Totals
        self.suites = {}                                 # name → (when it started, Totals)
        self.at_once = set()                             # tests that have a job of their own
        self.all, self.again = Totals(), collections.defaultdict(list)
        self.repeats, self.repeated = repeats, set()     # whether tests that fail are repeated; numbers of such jobs
        self.to_repeat = collections.defaultdict(list)   # by number: these tests
        self.last_line = time.monotonic()

    def say(self, text):
        say(text)
        self.last_line = time.monotonic()

    def submit(self, job, on_gpu=False, next=False):
        """next: before all others that wait."""
        number = len(self.jobs)
        self.jobs.append(job)
        self.open[number] = on_gpu
        if on_gpu:
            self.feed_gpu()
        else:
            self.queue.insert(0 if next else len(self.queue), number)

    def feed(self):
        while self.queue and sum(not self.open[number] for number in self.futures if number in self.open) < self.processes:
            self.start(self.queue.popleft(), self.pool)

    def submit_at_once(self, suites):
        for test in AT_ONCE:
            if (suite := test.partition(".")[0]) in suites:
                self.at_once.add(test)
                self.submit(Job(suite, test, run_class, ([test],)), on_gpu=True)

    def feed_gpu(self):
        while (number := self.next_on_gpu()) is not None:
            self.start(number, self.gpu_pool)

    def next_on_gpu(self):
        """The number of a job that waits for the GPU and may start now, or None. Jobs that have it alone come last."""
        on_gpu = [number for number in self.open if self.open[number]]
        use = {number: self.jobs[number].use for number in on_gpu}
        busy = [use[number] for number in on_gpu if number in self.futures]
        waiting = [number for number in on_gpu if number not in self.futures]
        if not busy and waiting and all(use[number] == ALONE_ON_GPU for number in waiting):
            return waiting[0]
        if len(busy) == SHARE_GPU or ALONE_ON_GPU in busy:
            return None
        allowed = (SHARES_GPU,) if FILLS_GPU in busy else (FILLS_GPU, SHARES_GPU)
        return next((number for kind in allowed for number in waiting if use[number] == kind), None)

    def start(self, number, pool):
        job = self.jobs[number]
        try:
            self.futures[number] = pool.submit(perform, number, job.name, job.run, job.arguments)
        except concurrent.futures.BrokenExecutor as error:
            self.futures[number] = None
            self.lose(number, error)

    def run(self, when_done=()):
        """Until all jobs have ended; when_done: (suite, job) pairs, a job to start when that suite has ended."""
        waiting = list(when_done)
        while self.open or waiting:
            for pair in [pair for pair in waiting if not self.running(pair[0])]:
                waiting.remove(pair)
                self.submit(pair[1], next=True)
            self.feed()
            try:
                self.take(*self.events.get(timeout=1))
            except queue.Empty:
                self.check_processes()
            if time.monotonic() - self.last_line >= QUIET:
                self.tell()
        self.pool.shutdown()
        self.gpu_pool.shutdown()

    def running(self, suite):
        return any(self.jobs[number].suite == suite for number in self.open)

    def take(self, number, what, *result):
        if number not in self.open:
            return
        job = self.jobs[number]
        if what == "started":
            self.began[number], self.classes[number] = time.monotonic(), Totals()
            if job.suite not in self.suites:
                self.suites[job.suite] = time.monotonic(), Totals()
                self.say(f"{job.suite}: starts")
        elif what == "ended":
            self.end(number)
        elif what == "skipped" and self.gpu and not self.open[number] and job.again and NEEDS_GPU.search(result[2]):
            if result[0] not in self.at_once:
                self.again[number].append(result[0])
        elif what == "failed" and self.repeats and job.again and number not in self.repeated and " " not in result[0]:
            self.say(f"\n{result[0]} fails, and is repeated alone:\n{result[2].rstrip()}\n")
            self.to_repeat[number].append(result[0])
        else:
            if what == "passed" and number in self.repeated:
                what = "failed"
                self.say(f"UNSTABLE {result[0]}")
            elif what == "failed":
                self.say(f"\nFAILED {result[0]}\n{result[2].rstrip()}\n")
            for totals in self.all, self.suites[job.suite][1], self.classes[number]:
                totals.add(what, *result)

    def end(self, number):
        job = self.jobs[number]
        del self.open[number]
        if tests := self.to_repeat[number]:
            self.repeated.add(len(self.jobs))
            self.submit(job.again(tests))
        tests = self.again[number]
        for use in (FILLS_GPU, SHARES_GPU, ALONE_ON_GPU):
            if some := [test for test in tests if use_of(test) == use]:
                self.submit(job.again(some)._replace(use=use), on_gpu=True)
        self.feed_gpu()
        seconds, totals = time.monotonic() - self.began[number], self.classes[number]
        if totals.slow:
            self.say(f"{seconds:7.1f} s  {job.name}: {totals.counts()}")
        if totals.slow and not self.running(job.suite):
            began, totals = self.suites[job.suite]
            self.say(f"{job.suite}: {totals.counts()} in {time.monotonic() - began:.1f} s")

    def check_processes(self):
        """A process that ended by itself, for instance by a signal, takes all jobs of its pool with it."""
        for number in [number for number in self.open if number in self.futures and self.futures[number].done()]:
            if self.futures[number].exception() is not None:
                self.lose(number, self.futures[number].exception())

    def lose(self, number, error):
        if number not in self.began:
            self.take(number, "started")
        self.take(number, "failed", self.jobs[number].name, 0, f"a test process ended by itself: {error}")
        self.take(number, "ended")

    def tell(self):
        now = time.monotonic()
        running = sorted((self.began[number], self.jobs[number].name) for number in self.open if number in self.began)
        names = ", ".join(f"{name} ({now - began:.0f} s)" for began, name in running)
        self.say(f"  {self.all.passed} passed so far; running: {names or 'nothing yet'}")

    def report(self):
        slow = [test for test in sorted(self.all.slow, reverse=True)[:SLOWEST] if test[0] >= 0.1]
        if slow:
            say("\nslowest tests:\n" + "\n".join(f"{seconds:7.1f} s  {test}" for seconds, test in slow))
        for reason, names in self.all.skipped.items():
            say(f"\nskipped ({reason}):\n  " + "\n  ".join(names))
        if self.all.failed:
            say(f"\nAll that was drawn at random: APSP_TEST_SEED={SEED}")
        say(f"\n{self.all.counts()}")
        return 1 if self.all.failed or not self.all.passed else 0


def share_of(text):
    """share(number): the slice of the tests of a class that "K/N" means. It begins elsewhere in the next class, because
    many classes have fewer than N tests."""
    first, every = map(int, text.split("/"))
    if not 0 <= first < every:
        raise ValueError
    return lambda number: slice((first + number) % every, None, every)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--unit", required=True, help="the GoogleTest program")
    parser.add_argument("--apsp", required=True, help="the program that the tests run")
    parser.add_argument("--delays", help="the program that solves with delays")
    parser.add_argument("--ptxas", help="what ptxas -v says of apsp.cu")
    parser.add_argument("--suites", nargs="+", default=SUITES,
                        help="those in Python to run, as unittest names them [all]")
    parser.add_argument("--share", metavar="K/N", type=share_of, default="0/1",
                        help="of each class only every N-th test; N such shares, from K = 0 on, are all tests")
    parser.add_argument("--soak", action="store_true", help="run the tests of the long run alone, one after the other")
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
    return args


def main():
    args = parse_arguments()
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):  # a test that calls make is not a part of the make that called us
        os.environ.pop(name, None)
    os.environ["OMP_WAIT_POLICY"] = "passive"  # no spinning, because others compute at the same time
    os.environ["APSP"] = str(Path(args.apsp).resolve())
    from harness import GPU_REASON  # "" if there is a GPU
    gpu, full = not GPU_REASON, os.environ.get("APSP_FULL") == "1"
    with tempfile.TemporaryDirectory() as seeds, tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache  # not what this user has measured and compiled
        os.environ["APSP_SEEDS"] = seeds  # small files that the unit tests read and write
        runner = Runner(gpu, 1 if args.soak else max(1, CORES - 2) if gpu else CORES + 1, args.soak)
        python = list(itertools.chain.from_iterable(python_jobs(s, args.share, args.soak) for s in args.suites if s not in PROGRAMS))
        if gpu and "submissions_test" in args.suites:
            name = "compiler of tests/submissions"
            runner.submit(Job(name, name, run_compiler), on_gpu=True)
        if gpu and not full and not args.soak:
            runner.submit_at_once(args.suites)
        longest = [job for job in python if job.suite == "submissions_test"]
        for job in [*longest, *unit_jobs(args.unit, args.share, args.soak), *(job for job in python if job not in longest)]:
            early = job.name in NEED_GPU
            use = ALONE_ON_GPU if job.suite in CHOOSE and not early else use_of(job.name)
            runner.submit(job._replace(use=use), on_gpu=gpu and (full or early))
        if args.delays and not args.soak:
            runner.submit(Job("delays", "delays", run_delays, (args.delays, args.require_gpu), use=FILLS_GPU), on_gpu=gpu)
        if args.ptxas and not args.soak:
            runner.submit(Job("registers", args.ptxas, run_spills, (args.ptxas,)))
        programs = [Job("csgraph_test", "csgraph_test", run_csgraph, (args.apsp,)), Job("scipy_test", "scipy_test", run_scipy, (args.apsp, seeds))]
        programs = [job for job in programs if job.name in args.suites and is_soak(job.name) == args.soak]
        runner.run([("unit tests", job) for job in programs])  # scipy_test reads what the unit tests leave
    return runner.report()


if __name__ == "__main__":
    sys.exit(main())
