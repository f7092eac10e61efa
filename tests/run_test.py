"""The runner of the tests (run.py) itself: it counts and shows what comes of tests, also of those that fail."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import run


class Planted:
    """Tests in a class of no module's own, so that nobody runs them but the tests below."""
    class Tests(unittest.TestCase):
        def test_right(self):
            pass

        def test_wrong(self):
            for i in range(3):
                with self.subTest(i):
                    self.assertEqual(1, i)

        @unittest.skip("needs a GPU: there is none")
        def test_gpu(self):
            pass

        @unittest.skip("another reason")
        def test_other(self):
            pass


def totals_of_planted(only=None):
    totals, out = run.Totals("planted"), io.StringIO()
    with contextlib.redirect_stdout(out):
        run.run_suite("run_test.Planted.Tests", totals, only)
    return totals, out.getvalue()


class Runner(unittest.TestCase):
    def test_counts_a_test_once(self):
        totals, out = totals_of_planted()
        self.assertEqual((1, 1, 2), (totals.passed, totals.failed, totals.count_skipped()))
        self.assertEqual(2, out.count("FAILED run_test.Planted.Tests.test_wrong"), "each subtest is shown")

    def test_what_lacks_a_gpu_is_run_again_alone(self):
        totals, _ = totals_of_planted()
        self.assertEqual(["run_test.Planted.Tests.test_gpu"], totals.take_for_gpu())
        self.assertEqual(1, totals.count_skipped())
        only, _ = totals_of_planted(["run_test.Planted.Tests.test_right"])
        self.assertEqual((1, 0, 0), (only.passed, only.failed, only.count_skipped()))

    def test_ends_with_the_counts_and_the_slowest(self):
        totals, out = totals_of_planted()[0], io.StringIO()
        with contextlib.redirect_stdout(out):
            code = totals.report()
        self.assertEqual(1, code)
        self.assertRegex(out.getvalue(), r"slowest tests:\n +\d+\.\d s  planted: run_test\.Planted\.Tests\.test_right\n")
        self.assertTrue(out.getvalue().endswith("\n1 passed, 1 failed, 2 skipped\n"))

    def test_says_that_it_lives(self):
        totals, out = run.Totals("planted"), io.StringIO()
        totals.said -= 1000
        with contextlib.redirect_stdout(out):
            totals.ran("a", 0.1)
            totals.ran("b", 0.1)
        self.assertEqual("planted: 1 passed so far\n", out.getvalue())

    def test_a_program_without_results_is_a_failure(self):
        for code in (0, 3):
            with tempfile.TemporaryDirectory() as directory:
                program = Path(directory) / "program"
                program.write_text(f"#!/bin/sh\nexit {code}\n")
                program.chmod(0o755)
                totals = run.Totals("planted")
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    run.run_unit(str(program), totals)
            self.assertEqual(1, totals.failed)
            self.assertIn(f"exit {code}", out.getvalue())


if __name__ == "__main__":
    unittest.main()
