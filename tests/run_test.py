"""tests/run.py on small suites made here: what it counts, and what it runs with the GPU hidden; how soak.py and mutants.py go on."""
import contextlib, importlib, io, os, re, subprocess, sys, tempfile, unittest
from pathlib import Path
from unittest import mock

import mutants
import run as runner_of_tests
import soak

RUN = Path(__file__).resolve().parent / "run.py"

# A GoogleTest program, as far as run.py knows one.
UNIT = """#!{python}
import os, sys
TESTS = {{"Good.One": "", "Good.Two": "", "Bad.Fails": "<failure message='too small'/>",
          "Gpu.Needs": ""}}
if os.environ.get("CUDA_VISIBLE_DEVICES") == "":
    TESTS["Gpu.Needs"] = "<skipped message='f:1&#10;no GPU: hidden'/>"
options = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
if "--gtest_list_tests" in sys.argv:
    sys.exit(print("\\n".join("%s.\\n  %s  # GetParam() = 1" % tuple(t.split(".")) for t in TESTS if t != "Good.Two")
                   .replace("  One", "  One\\n  Two", 1)))
names = options["--gtest_filter"].split(":")
with open(options["--gtest_output"][4:], "w") as xml:
    xml.write("<testsuites>" + "".join("<testcase classname='%s' name='%s' status='run' time='0.5'>%s</testcase>"
              % (*name.split("."), TESTS[name]) for name in names) + "</testsuites>")
sys.exit(any("failure" in TESTS[name] for name in names))
"""
CRASH = """#!{python}
import os, sys
if "--gtest_list_tests" in sys.argv:
    sys.exit(print("Crash.\\n  Now"))
os.kill(os.getpid(), 11)
"""
HANGS = """#!{python}
import sys, time
if "--gtest_list_tests" in sys.argv:
    sys.exit(print("Hangs.\\n  Now"))
time.sleep(300)
"""
SUITE = """
import os, unittest
hidden = os.environ.get("CUDA_VISIBLE_DEVICES") == ""
needs_gpu = unittest.skipIf(hidden or {no_gpu}, "needs a GPU: it is hidden")

class Counts(unittest.TestCase):
    def test_passes(self): pass
    def test_fails(self): self.fail("on purpose")
    def test_fails_twice(self):
        for i in 1, 2:
            with self.subTest(i): self.fail("subtest %d" % i)
    def test_skips(self): self.skipTest("for a reason")
    @needs_gpu
    def test_needs_gpu(self): pass

@needs_gpu
class Gpu(unittest.TestCase):
    def test_one(self): pass
    def test_two(self): pass

class Hidden(unittest.TestCase):
    def test_is_hidden(self): self.assertEqual(hidden, not {no_gpu})

class Dies(unittest.TestCase):
    def test_dies(self): {dies}

class Slow(unittest.TestCase):
    def test_never_ends(self): {slow}
    def test_goes_on(self): pass
"""


class Run(unittest.TestCase):
    def run_all(self, gpu, unit=UNIT, dies="pass", slow="pass", full="0", limit="600"):
        """The exit code and the output of run.py, with a GPU or without one."""
        with tempfile.TemporaryDirectory() as folder:
            programs = {"unit": unit.format(python=sys.executable), "apsp": "#!/bin/sh\nexit 0\n",
                        "nvidia-smi": f"#!/bin/sh\nexit {0 if gpu else 1}\n"}
            for name, text in programs.items():
                Path(folder, name).write_text(text)
                Path(folder, name).chmod(0o755)
            Path(folder, "fake_test.py").write_text(SUITE.format(no_gpu=not gpu, dies=dies, slow=slow))
            env = {k: v for k, v in os.environ.items() if k not in ("CUDA_VISIBLE_DEVICES", "GTEST_FILTER")}
            argv = [sys.executable, RUN, *f"--unit {folder}/unit --apsp {folder}/apsp --suites fake_test".split()]
            run = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                                 env={**env, "APSP_FULL": full, "APSP_TEST_LIMIT": limit, "PYTHONPATH": folder,
                                      "PATH": folder + ":" + env["PATH"]})
        return run.returncode, run.stdout

    def assert_last_line(self, output, line):
        self.assertEqual(output.splitlines()[-1], line, output)

    def test_counts_without_a_gpu(self):
        code, output = self.run_all(gpu=False)
        self.assertEqual(code, 1)
        self.assert_last_line(output, "8 passed, 3 failed, 4 skipped")

    def test_counts_with_a_gpu_each_test_once(self):
        code, output = self.run_all(gpu=True)
        self.assertEqual(code, 1)
        self.assert_last_line(output, "11 passed, 3 failed, 1 skipped")

    def test_apsp_full_hides_the_gpu_from_nothing(self):
        output = self.run_all(gpu=True, full="1")[1]
        self.assert_last_line(output, "10 passed, 4 failed, 1 skipped")
        self.assertRegex(output, r"(?m)^FAILED fake_test\.Hidden\.test_is_hidden$")

    def test_tells_of_suites_classes_and_the_slowest_tests(self):
        output = self.run_all(gpu=True)[1]
        for line in (r"fake_test: starts", r" +[\d.]+ s  fake_test\.Counts: 1 passed, 2 failed, 1 skipped",
                     r"fake_test: 8 passed, 2 failed, 1 skipped in [\d.]+ s", r"unit tests: starts",
                     r" +[\d.]+ s  Good: 2 passed, 0 failed, 0 skipped", r" +0\.5 s  Bad\.Fails", r"slowest tests:"):
            self.assertRegex(output, f"(?m)^{line}$")
        self.assertEqual(len(re.findall("(?m)^FAILED fake_test.Counts.test_fails_twice$", output)), 1, output)
        for text in ("subtest 1", "subtest 2", "on purpose", "too small"):
            self.assertIn(text, output)

    def test_a_crash_of_the_unit_tests_is_a_failure(self):
        code, output = self.run_all(gpu=False, unit=CRASH)
        self.assertEqual(code, 1)
        self.assertRegex(output, r"(?m)^FAILED .*/unit \(SIGSEGV\)$")

    def test_a_process_that_ends_is_a_failure(self):
        code, output = self.run_all(gpu=False, dies="os._exit(3)")
        self.assertEqual(code, 1)
        self.assertRegex(output, r"(?m)^FAILED fake_test\.Dies$")

    def test_what_does_not_end_is_a_failure_and_the_others_go_on(self):
        code, output = self.run_all(gpu=False, unit=HANGS, slow="import time; time.sleep(300)", limit="2")
        self.assertEqual(code, 1)
        self.assertRegex(output, r"(?m)^FAILED fake_test\.Slow\.test_never_ends$")
        self.assertRegex(output, r"(?m)^FAILED .*/unit \(after 2 s\)$")
        self.assert_last_line(output, "4 passed, 4 failed, 4 skipped")

    def test_of_the_long_run_a_test_that_passes_at_last_is_unstable(self):
        runner = runner_of_tests.Runner(gpu=False, processes=1, repeats=True)
        runner.start = lambda number, pool: runner.futures.setdefault(number, None)

        def job(tests):
            return runner_of_tests.Job("attacks_test", "attacks_test.Waits", None, (tests,), job)
        runner.submit(job([]))
        runner.take(0, "started")
        for test, outcome in (("Good", "passed"), ("Unstable", "failed"), ("Bad", "failed")):
            runner.take(0, outcome, test, 0, "")
        runner.take(0, "ended")
        self.assertEqual(runner.jobs[1].arguments, (["Unstable", "Bad"],))
        runner.take(1, "started")
        said = []
        runner.say = said.append
        runner.take(1, "passed", "Unstable", 0, "")
        runner.take(1, "failed", "Bad", 0, "why")
        runner.take(1, "ended")
        self.assertEqual([text.strip() for text in said[:2]], ["UNSTABLE Unstable", "FAILED Bad\nwhy"])
        self.assertEqual(runner.all.counts(), "1 passed, 2 failed, 0 skipped")
        self.assertEqual(len(runner.jobs), 2)

    def test_of_a_class_only_some_tests_have_the_gpu_alone(self):
        runner = runner_of_tests.Runner(gpu=True, processes=1)
        runner.start = lambda number, pool: runner.futures.setdefault(number, None)

        def job(tests):
            return runner_of_tests.Job("unit tests", "GpuSubmissions", None, (tests,), job)
        runner.submit(job([]))
        for test in "GpuSubmissions.First", "GpuSubmissions.MayNotKeepMemory", "GpuSubmissions.Last":
            runner.take(0, "skipped", test, 0, "no GPU")
        runner.began[0], runner.classes[0] = 0, runner_of_tests.Totals()
        runner.suites["unit tests"] = 0, runner_of_tests.Totals()
        runner.end(0)
        self.assertEqual([(each.use, each.arguments[0]) for each in runner.jobs[1:]],
                         [(runner_of_tests.SHARES_GPU, ["GpuSubmissions.First", "GpuSubmissions.Last"]),
                          (runner_of_tests.ALONE_ON_GPU, ["GpuSubmissions.MayNotKeepMemory"])])

    def test_the_longest_tests_start_first_and_run_once(self):
        runner = runner_of_tests.Runner(gpu=True, processes=1)
        runner.start = lambda number, pool: runner.futures.setdefault(number, None)
        runner.submit_at_once(["attacks_test", "cli_test"])
        longest = "attacks_test.OnTheGpu.test_reach_nothing"
        self.assertEqual([(job.suite, job.name, job.arguments) for job in runner.jobs],
                         [("attacks_test", longest, ([longest],))])
        job = runner_of_tests.Job("attacks_test", "attacks_test.OnTheGpu", None, again=lambda tests: self.fail(tests))
        runner.submit(job)
        runner.take(1, "skipped", longest, 0, "needs a GPU")
        runner.began[1], runner.classes[1] = 0, runner_of_tests.Totals()
        runner.end(1)
        self.assertEqual(len(runner.jobs), 2)

    def test_who_uses_the_gpu_at_the_same_time(self):
        runner = runner_of_tests.Runner(gpu=True, processes=1)
        runner.start = lambda number, pool: runner.futures.setdefault(number, None)
        names = ["GpuSubmissions.MayNotKeepMemory", "delays", "Devices/Range", "submissions_test.Grade.test_on_the_gpu",
                 "Devices/Rungs", "Devices/Tiers.EveryWay", "N/Reductions", "attacks_test.Honest", "Devices/Devices",
                 "GpuSubmissions.AreSolvers", "Devices/Tiers.WithoutRoom"]
        use = {name: runner_of_tests.use_of(name) for name in names}
        for name in names:
            runner.submit(runner_of_tests.Job(name, name, None, use=use[name]), on_gpu=True)
        together = []
        while busy := [number for number in runner.open if number in runner.futures]:
            together.append([use[names[number]] for number in busy])
            runner.began[busy[0]], runner.classes[busy[0]] = 0, runner_of_tests.Totals()
            runner.suites[names[busy[0]]] = 0, runner_of_tests.Totals()
            runner.end(busy[0])
        self.assertFalse(runner.open)
        alone, filled = runner_of_tests.ALONE_ON_GPU, runner_of_tests.FILLS_GPU
        self.assertEqual([uses for uses in together if alone in uses], [[alone]] * 3, together)
        self.assertEqual(max(uses.count(filled) for uses in together), 1, together)
        self.assertEqual(max(map(len, together)), runner_of_tests.SHARE_GPU, together)

    def test_a_class_is_used_as_the_strictest_of_its_tests(self):
        for name, use in (("Devices/Tiers", runner_of_tests.ALONE_ON_GPU), ("Devices/Tier", runner_of_tests.SHARES_GPU),
                          ("submissions_test.Verdicts", runner_of_tests.ALONE_ON_GPU), ("delays", runner_of_tests.FILLS_GPU)):
            self.assertEqual(runner_of_tests.use_of(name), use, name)

    def test_what_is_named_is_there(self):
        units = "".join(path.read_text() for path in RUN.parent.glob("*/*_test.cpp"))
        named = set(runner_of_tests.ALONE + runner_of_tests.FILLS + runner_of_tests.AT_ONCE + runner_of_tests.SOAK)
        for name in named - {"delays", *runner_of_tests.PROGRAMS}:
            with self.subTest(name):
                if "_test." in name:
                    suite, kind, *test = name.split(".")
                    found = [each for each in dir(getattr(importlib.import_module(suite), kind)) if each.startswith(*test or ["test"])]
                    self.assertTrue(found)
                else:
                    kind, _, test = name.removeprefix("Devices/").partition(".")
                    self.assertRegex(units, rf"\bTEST(_[FP])?\({kind}, {test}")


class LongRun(unittest.TestCase):
    def test_goes_on_with_what_has_not_passed_on_these_files(self):
        passed, failed = (soak.Outcome(how, 7, 1, "2026-01-02 03:04", "") for how in ("passed", "failed"))
        with tempfile.TemporaryDirectory() as folder:
            file, ours = Path(folder) / "passed", "a" * 40
            self.assertEqual({}, soak.Passed(file, ours).read())
            soak.Passed(file, ours).add("races", passed)
            for name, row in (("odr", failed), ("slurm", passed._replace(outcome="skipped"))):
                soak.Passed(file, ours).add(name, row)
            soak.Passed(file, "b" * 40).add("fuzz", passed)
            soak.Passed(file, None).add("times", passed)
            self.assertEqual({"races": passed}, soak.Passed(file, ours).read())
            self.assertEqual({}, soak.Passed(file, None).read())

    def test_mutants_that_were_killed_are_not_tested_again(self):
        told = [("row", ("file", "old", str(number))) for number in range(3)]
        with tempfile.TemporaryDirectory() as folder:
            # A worker that says that a test kills all but the mutant whose number is 1.
            worker = Path(folder) / "worker.py"
            worker.write_text("import sys\nfor line in sys.stdin: print('[null, 3]' if line == '1\\n' else '[\"run_test.A\", 3]', flush=True)")
            def lines_of(mutants_told, past):
                with mock.patch.object(sys, "argv", [str(worker)]), contextlib.redirect_stdout(io.StringIO()) as said:
                    killed = mutants.tested(mutants_told, past)
                return killed, sorted(line.split(": ")[3] for line in said.getvalue().splitlines())
            past = mutants.Killed(Path(folder) / "killed", "a" * 40)
            self.assertEqual((2, ["SURVIVED (3 s)", "run_test.A (3 s)", "run_test.A (3 s)"]), lines_of(told, past))
            self.assertEqual((2, ["SURVIVED (3 s)"]), lines_of(told, past))
            self.assertEqual((1, ["run_test.A (3 s)"]), lines_of(told[:1], past), "again, because all of these were killed")
            self.assertEqual(3, len(lines_of(told, mutants.Killed(past.file, "b" * 40))[1]))
            past.tests = [(name, text + b"#" * (name == "run_test.py")) for name, text in past.tests]
            self.assertEqual(3, len(lines_of(told, past)[1]), "because their killer was changed")
            self.assertEqual(1, len(lines_of(told, past)[1]))
            for _ in range(2):
                self.assertEqual(3, len(lines_of(told, mutants.Killed(past.file, None))[1]))

    def test_what_is_not_committed_has_no_past(self):
        with tempfile.TemporaryDirectory() as folder:
            def git(*argv):
                subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=b", *argv], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            def committed(file):
                path = Path(folder, file)
                path.parent.mkdir(exist_ok=True)
                path.write_text(file)
                self.assertIsNone(soak.version_of(folder))
                git("add", ".")
                self.assertIsNone(soak.version_of(folder))
                git("commit", "-q", "-m", file)
                return soak.version_of(folder)
            self.assertIsNone(soak.version_of(folder))
            git("init", "-q")
            first = committed("main.cpp")
            self.assertRegex(first, "^[0-9a-f]{40}$")
            for file in ("README.md", "docs/a.md", "docs/a.svg", "results/a.csv"):
                self.assertEqual(first, committed(file), "documents and results do not count")
            self.assertNotEqual(first, committed("src/a.h"))


if __name__ == "__main__":
    unittest.main()
