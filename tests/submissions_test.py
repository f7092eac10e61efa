"""The verdicts of `apsp check` and `apsp grade` on tests/submissions. `python3 tests/submissions_test.py` runs ./apsp or
$APSP; `make test` builds the variants in host memory beside it.

tests/submissions/expected.csv has one line for each submission: its name, the verdict that is expected in host
memory and on a GPU ("" if it has no such variant), and the words of the warning that its calls give at small n, ""
if they give none. A verdict is "pass" or the name of a pattern.
"""
import concurrent.futures, csv, os, re, shlex, shutil, signal, time, unittest
from pathlib import Path

from harness import APSP, ROOT, SOLVE, Suite, needs_gpu

SOURCES = ROOT / "tests" / "submissions"
LIBRARIES = Path(APSP).parent / "tests" / "submissions"
NO_LIBRARIES = "" if LIBRARIES.is_dir() else f"make test builds {LIBRARIES}"


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def expected(place):
    """The verdict of each submission that has a variant there."""
    return {row["name"]: row[place] for row in read_csv(SOURCES / "expected.csv") if row[place]}


def warnings(place):
    """The words of the warning of each submission that has a variant there."""
    return {row["name"]: row["warning"] for row in read_csv(SOURCES / "expected.csv") if row[place]}


class Verdicts(Suite):
    def verdict(self, name, kernel, options):
        """The verdict of one check as expected.csv writes it, and what the check printed but for warnings."""
        process = self.popen(f"check --quick --quiet {options} --kernel {kernel} --csv {name}.csv")
        said = process.communicate(timeout=600)[1].decode()
        row, = read_csv(self.dir / f"{name}.csv")
        passed = row["failed"] == "0"
        self.assertEqual(process.returncode, 0 if passed else 1, said)
        words = {**warnings("host"), **warnings("gpu")}[name]
        self.assertRegex(row["warning"], rf"{words} behind at n = 1\.\.\d+ \(\d+ sizes\): " if words else r"\A\Z")
        said = re.sub(r"(?m)^apsp: warning: .*\n", "", said)
        self.assertRegex(said, r"\A\Z" if passed else r"\Aapsp: [^\n]+\n\Z")
        return "pass" if passed else row["pattern"], said

    def compare(self, place, path_of, options, at_once, alone=()):
        """Each verdict of a place; checks run side by side, except those of the files in `alone`."""
        asked = {}
        for names, size in ((set(expected(place)) - set(alone), at_once), (alone, 1)):
            with concurrent.futures.ThreadPoolExecutor(size) as pool:
                asked.update({name: pool.submit(self.verdict, name, path_of(name), options) for name in names})
        for name, verdict in expected(place).items():
            with self.subTest(name):
                found, said = asked[name].result()
                self.assertEqual(found, verdict, said)

    @unittest.skipIf(NO_LIBRARIES, NO_LIBRARIES)
    def test_in_host_memory(self):
        self.compare("host", lambda name: LIBRARIES / f"{name}.so", "--host --time-limit 3", os.cpu_count())

    @needs_gpu
    def test_on_the_gpu(self):
        self.compare("gpu", lambda name: SOURCES / f"{name}.cu", "--device gpu --time-limit 20", 4,
                     alone=["leak"])  # other users of the GPU could have taken the memory, too

    def compare_warnings(self, place, path_of, options):
        """The main job shows the warning of a call, whether the distances are right or wrong."""
        for name, words in warnings(place).items():
            if words or expected(place)[name] == "pass":
                with self.subTest(name):
                    process = self.popen(f"--n 20 --family sparse {options} --quiet --reps 1 --verify "
                                         f"--kernel {path_of(name)}")
                    said = process.communicate(timeout=100)[1].decode()
                    self.assertEqual(process.returncode, 0 if expected(place)[name] == "pass" else 1, said)
                    found = re.findall(r"(?m)^apsp: warning: (.*)$", said)
                    self.assertEqual(len(found), 1 if words else 0, said)
                    self.assertIn(words, "".join(found))

    @unittest.skipIf(NO_LIBRARIES, NO_LIBRARIES)
    def test_warnings_in_host_memory(self):
        self.compare_warnings("host", lambda name: LIBRARIES / f"{name}.so", "--device cpu")

    @needs_gpu
    def test_warnings_on_the_gpu(self):
        self.compare_warnings("gpu", lambda name: SOURCES / f"{name}.cu", "--device gpu")

    def test_every_file_is_expected_somewhere(self):
        files = {path.stem for path in SOURCES.iterdir() if path.suffix in (".cu", ".cpp")}
        self.assertEqual(files, set(expected("host")) | set(expected("gpu")))


@unittest.skipIf(NO_LIBRARIES, NO_LIBRARIES)
class Grade(Suite):

    def setUp(self):
        super().setUp()
        (self.dir / "hand-ins").mkdir()

    def hand_in(self, *names):
        for name in names:
            shutil.copy(LIBRARIES / f"{name}.so", self.dir / "hand-ins")

    def grade(self, options="", sizes="20,150", limit=3):
        """The rows of the table by name, each split into its columns."""
        lines = self.apsp(f"grade hand-ins --host --time-limit {limit} --sizes {sizes} {options}",
                          left=None).splitlines()
        head = next(at for at, line in enumerate(lines) if line.startswith("rank"))
        return {line.split()[1]: line.split(maxsplit=5) for line in lines[head + 1:]}

    def test_ranks_what_passes(self):
        self.hand_in("naive", "tiles", "squared_pivot", "forged", "crash", "exit", "cached")
        self.put("hand-ins/broken.so", "no library")
        table = self.grade()
        self.assertEqual([row[0] for row in table.values()], ["1", "2"] + 6 * ["-"])
        self.assertEqual(list(table)[:2], ["naive.so", "tiles.so"])
        for name in ("naive.so", "tiles.so"):
            _, _, small, large, speedup, verdict = table[name]
            self.assertLess(0, float(small), table)
            self.assertRegex(speedup, r"\A\d+\.\d\dx\Z")
            self.assertEqual(verdict, "pass")
        for name, verdict in {"squared_pivot": "squared but not closed", "forged": "comes back as it was",
                              "crash": "crashed", "exit": "exit code 0", "cached": "earlier call's result",
                              "broken": "loaded"}.items():
            self.assertEqual(table[f"{name}.so"][2:5], ["-", "-", "-"])
            self.assertIn(verdict, table[f"{name}.so"][5])

    def test_a_graph_given_again_is_another_one(self):
        self.hand_in("naive", "remembers")
        table = self.grade()
        # What it remembers would come back at least a hundred times faster. Less would fail on a busy machine.
        self.assertLess(float(table["naive.so"][3]) / 10, float(table["remembers.so"][3]))

    def test_a_warning_with_right_distances_has_a_rank(self):
        self.hand_in("empty_grid", "large_block")
        table = self.grade("--csv g.csv")
        warned = r"warning: leaves a launch error behind at n = {} sizes\): invalid argument \(cudaErrorInvalidValue\)\Z"
        self.assertEqual(table["empty_grid.so"][0], "1")
        self.assertRegex(table["empty_grid.so"][5], r"\Apass, " + warned.format(r"1\.\.32 \(8"))  # 20 is timed only
        self.assertEqual(table["large_block.so"][0], "-")
        self.assertRegex(table["large_block.so"][5], r"\A\d+ of 335 results are wrong: .*, " + warned.format(r"1\.\.257 \(20"))
        for row in read_csv(self.dir / "g.csv"):
            self.assertIn(row["warning"], table[row["name"]][5])
            self.assertIn("launch error", row["warning"])
        self.assertEqual(self.grade("--csv g.csv"), table)  # from the rows

    def test_a_csv_with_other_columns_is_refused(self):
        self.hand_in("naive")
        self.grade("--csv g.csv", "20")
        rows = [{name: field for name, field in row.items() if name != "warning"} for row in read_csv(self.dir / "g.csv")]
        with open(self.dir / "g.csv", "w", newline="") as file:  # as an earlier version wrote it
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        before = (self.dir / "g.csv").read_bytes()
        self.apsp("grade hand-ins --host --csv g.csv", 6, err="g.csv: begins with another header.*: move the file away")
        self.assertEqual((self.dir / "g.csv").read_bytes(), before)

    def test_resumes_after_kill(self):
        names = "naive", "small_n", "cached", "forged", "crash", "remembers"
        self.hand_in(*names)
        process = self.popen("grade hand-ins --host --time-limit 3 --sizes 20,150 --csv g.csv")
        rows = self.dir / "g.csv"
        while process.poll() is None and not (rows.exists() and rows.read_bytes().count(b"\n") > 2 * 2):
            time.sleep(0.005)
        process.kill()
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        before = rows.read_bytes()
        with open(rows, "ab") as file:
            file.write(b"2026-01-01T00:00:00Z,half a ro")  # what a crash of the machine may leave
        table = self.grade("--csv g.csv")
        after = rows.read_bytes()
        self.assertTrue(after.startswith(before))
        self.assertEqual(set(table), {f"{name}.so" for name in names})
        self.assertEqual(self.grade("--csv g.csv"), table)
        self.assertEqual(rows.read_bytes(), after)  # nothing was left to do
        rows_of = [line.split(b",")[1] for line in after.splitlines()[1:] if line.count(b",") > 9]
        self.assertEqual(sorted(rows_of), sorted(2 * [f"{name}.so".encode() for name in names]))

    def test_other_content_or_sizes_are_graded_again(self):
        self.hand_in("naive")
        self.grade("--csv g.csv")
        shutil.copy(LIBRARIES / "forged.so", self.dir / "hand-ins" / "naive.so")
        self.assertEqual(self.grade("--csv g.csv")["naive.so"][0], "-")
        rows = read_csv(self.dir / "g.csv")
        self.grade("--csv g.csv", "21,150")
        self.assertEqual(len(read_csv(self.dir / "g.csv")), len(rows) + 2)

    def test_another_plan_is_graded_again(self):
        self.hand_in("naive")
        for count, (options, limit) in enumerate((("", 3), ("--reps 3", 3), ("--warmup 2", 3), ("", 4)), 1):
            for _ in range(2):
                self.grade(f"--csv g.csv {options}", "20", limit)
                self.assertEqual(len(read_csv(self.dir / "g.csv")), count, (options, limit))

    def test_rows_of_other_sizes_say_nothing(self):
        self.library("hand-ins/odd.so", f"{SOLVE} if (n == 150) g[1] = 7;")  # checks solve no graph of that size
        for _ in range(2):
            for sizes, rank in (("20", "1"), ("150", "-"), ("20,150", "-")):
                self.assertEqual(self.grade("--csv g.csv", sizes)["odd.so"][0], rank, sizes)
        self.assertEqual(len(read_csv(self.dir / "g.csv")), 1 + 1 + 2)

    def test_rows_that_disagree_are_graded_again(self):
        self.hand_in("naive")
        self.grade("--csv g.csv")
        rows = self.dir / "g.csv"
        small, large = read_csv(rows)
        large.update(contract="wrong", median_ms="", naive_ms="", verified="")
        with open(rows, "w", newline="") as file:
            csv.DictWriter(file, small, lineterminator="\n").writeheader()
            csv.DictWriter(file, small, lineterminator="\n").writerows((small, large))
        for _ in range(2):
            self.assertEqual(self.grade("--csv g.csv")["naive.so"][0], "1")
            self.assertEqual(len(read_csv(rows)), 2 + 2)

    def test_names_of_any_kind(self):
        for name in (b"two\nlines", b"\xff", "\u00fc".encode()):
            shutil.copy(LIBRARIES / "naive.so", os.fsencode(self.dir) + b"/hand-ins/" + name + b".so")
        for options in ("", "--csv g.csv", "--csv g.csv"):
            table = self.grade(options)
            self.assertEqual(sorted(row[0] for row in table.values()), ["1", "2", "3"], table)
        self.assertEqual(len(read_csv(self.dir / "g.csv")), 3 * 2)

    def test_no_regular_files(self):
        os.mkfifo(self.dir / "hand-ins" / "pipe.so")
        (self.dir / "hand-ins" / "zeros.so").symlink_to("/dev/zero")
        for row in self.grade().values():
            self.assertRegex(row[5], "not a regular file")

    def test_all_calls_of_a_check_take_limited_time(self):
        self.library("hand-ins/slow.so", f"if (n > 2) usleep(900000); {SOLVE}")
        check = self.popen("check --host --quick --quiet --kernel hand-ins/slow.so --time-limit 1")
        verdict = r"too slow: 10 of 335 graphs took \d+ s, .*--time-limit"
        self.assertRegex(self.grade(limit=1)["slow.so"][5], rf"\A{verdict}\Z")
        self.assertRegex(check.communicate()[1].decode(), verdict)
        self.assertEqual(check.returncode, 1)

    def test_nothing_to_grade(self):
        self.apsp("grade hand-ins --host", 3, err=r"hand-ins: no submission")
        self.put("hand-ins/source.cu", "void apsp(int, int*) {}")  # source is for a GPU only
        self.apsp("grade hand-ins --host", 3, err=r"hand-ins: no submission")
        self.apsp("grade nowhere --host", 3, err="nowhere: No such file")
        self.put("g.csv", "of another program\n")
        self.hand_in("naive")
        self.apsp("grade hand-ins --host --csv g.csv", 6, err="g.csv: begins with another header")

    @needs_gpu
    def test_on_the_gpu(self):
        for name in ("anywhere.h", "naive.cu", "crash.cu"):
            shutil.copy(SOURCES / name, self.dir / "hand-ins")
        (self.dir / "hand-ins" / "someone").mkdir()
        shutil.copy(SOURCES / "shared_memory.cu", self.dir / "hand-ins" / "someone" / "apsp.cu")
        self.put("hand-ins/broken.cu", "void apsp(int, int*) { return 1; }")
        said = self.apsp("grade hand-ins --sizes 20,150", left=None)
        self.assertRegex(said, r"(?m)^   1  someone .*x  pass$")
        self.assertRegex(said, r"(?m)^   2  naive\.cu .*x  pass$")
        self.assertRegex(said, r"(?m)^   -  broken\.cu .*does not compile")
        self.assertRegex(said, r"(?m)^   -  crash\.cu .*crashed")


@unittest.skipIf(NO_LIBRARIES, NO_LIBRARIES)
class Examples(Suite):
    """docs/grading.md shows the output, with … and ... for what differs from machine to machine or is left out."""

    def run_example(self, command, code):
        shown, = re.findall(rf"(?ms)^\$ \./apsp {command}\n(.*?)^```$", (ROOT / "docs/grading.md").read_text())
        said = [" ".join(line.split()) for line in self.apsp(command, code, left=None).splitlines()]
        for line in shown.replace("./apsp", shlex.quote(APSP)).splitlines():
            words = r"\ ".join({"...": r"\S+", "…": ".*"}.get(word, re.escape(word)) for word in line.split())
            self.assertTrue(any(re.fullmatch(words, found) for found in said), f"{line}\n{said}")

    def test_check(self):
        shutil.copy(LIBRARIES / "squared_pivot.so", self.dir / "mine.so")
        self.run_example("check --quick --host --kernel ./mine.so --witness w", 1)

    def test_grade(self):
        (self.dir / "hand-ins").mkdir()
        for name in ("naive", "small_n", "crash"):
            shutil.copy(LIBRARIES / f"{name}.so", self.dir / "hand-ins")
        self.run_example("grade hand-ins --host", 0)


if __name__ == "__main__":
    unittest.main()
