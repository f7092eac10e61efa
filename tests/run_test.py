"""tests/run.py on small suites made here: what it counts, and what it runs with the GPU hidden."""
import os, re, subprocess, sys, tempfile, unittest
from pathlib import Path

import run as runner_of_tests

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
"""


class Run(unittest.TestCase):
    def run_all(self, gpu, unit=UNIT, dies="pass", full="0"):
        """The exit code and the output of run.py, with a GPU or without one."""
        with tempfile.TemporaryDirectory() as folder:
            programs = {"unit": unit.format(python=sys.executable), "apsp": "#!/bin/sh\nexit 0\n",
                        "nvidia-smi": f"#!/bin/sh\nexit {0 if gpu else 1}\n"}
            for name, text in programs.items():
                Path(folder, name).write_text(text)
                Path(folder, name).chmod(0o755)
            Path(folder, "fake_test.py").write_text(SUITE.format(no_gpu=not gpu, dies=dies))
            env = {k: v for k, v in os.environ.items() if k not in ("CUDA_VISIBLE_DEVICES", "GTEST_FILTER")}
            argv = [sys.executable, RUN, *f"--unit {folder}/unit --apsp {folder}/apsp --suites fake_test".split()]
            run = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                                 env={**env, "APSP_FULL": full, "PYTHONPATH": folder,
                                      "PATH": folder + ":" + env["PATH"]})
        return run.returncode, run.stdout

    def assert_last_line(self, output, line):
        self.assertEqual(output.splitlines()[-1], line, output)

    def test_counts_without_a_gpu(self):
        code, output = self.run_all(gpu=False)
        self.assertEqual(code, 1)
        self.assert_last_line(output, "6 passed, 3 failed, 4 skipped")

    def test_counts_with_a_gpu_each_test_once(self):
        code, output = self.run_all(gpu=True)
        self.assertEqual(code, 1)
        self.assert_last_line(output, "9 passed, 3 failed, 1 skipped")

    def test_apsp_full_hides_the_gpu_from_nothing(self):
        output = self.run_all(gpu=True, full="1")[1]
        self.assert_last_line(output, "8 passed, 4 failed, 1 skipped")
        self.assertRegex(output, r"(?m)^FAILED fake_test\.Hidden\.test_is_hidden$")

    def test_tells_of_suites_classes_and_the_slowest_tests(self):
        output = self.run_all(gpu=True)[1]
        for line in (r"fake_test: starts", r" +[\d.]+ s  fake_test\.Counts: 1 passed, 2 failed, 1 skipped",
                     r"fake_test: 6 passed, 2 failed, 1 skipped in [\d.]+ s", r"unit tests: starts",
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
        self.assertEqual([(each.alone, each.arguments[0]) for each in runner.jobs[1:]],
                         [(False, ["GpuSubmissions.First", "GpuSubmissions.Last"]),
                          (True, ["GpuSubmissions.MayNotKeepMemory"])])

    def test_what_looks_at_free_memory_has_the_gpu_alone(self):
        runner = runner_of_tests.Runner(gpu=True, processes=1)
        runner.start = lambda number, pool: runner.futures.setdefault(number, None)
        names = ["GpuSubmissions", "Tiers", "Grade", "Kernels", "Rungs", "Range", "Spills"]
        for name in names:
            alone = name in ("GpuSubmissions", "Grade")
            runner.submit(runner_of_tests.Job(name, name, None, alone=alone), on_gpu=True)
        together = []
        while busy := [number for number in runner.open if number in runner.futures]:
            together.append([names[number] for number in busy])
            runner.began[busy[0]], runner.classes[busy[0]] = 0, runner_of_tests.Totals()
            runner.suites[names[busy[0]]] = 0, runner_of_tests.Totals()
            runner.end(busy[0])
        self.assertFalse(runner.open)
        alone = [jobs for jobs in together if "GpuSubmissions" in jobs or "Grade" in jobs]
        self.assertTrue(all(len(jobs) == 1 for jobs in alone), together)
        self.assertEqual(max(map(len, together)), runner_of_tests.SHARE_GPU, together)


if __name__ == "__main__":
    unittest.main()
