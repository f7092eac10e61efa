"""The verdicts of `apsp check` and `apsp grade` on tests/submissions. `python3 tests/submissions_test.py` runs ./apsp or
$APSP; `make test` builds the variants in host memory beside it.

tests/submissions/expected.csv has one line for each submission: its name, the verdict that is expected in host
memory and on a GPU ("" if it has no such variant), and the words of the warning that its calls give at small n, ""
if they give none. A verdict is "pass" or the name of a pattern.
"""
import concurrent.futures, csv, fcntl, hashlib, json, os, random, re, shlex, shutil, signal, subprocess, time, unittest
from pathlib import Path

import hand_ins
from harness import APSP, CORES, FULL, ROOT, SOLVE, Suite, bound_by_permissions, has_landlock, needs_gpu, snapshot

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
        process = self.popen(f"check --quick --quiet {options} --kernel {kernel} --csv {name}.csv",
                             {"OMP_NUM_THREADS": "2"})  # others compute at the same time
        said = process.communicate()[1].decode()
        row, = read_csv(self.dir / f"{name}.csv")
        passed = row["failed"] == "0"
        self.assertEqual(process.returncode, 0 if passed else 1, said)
        words = {**warnings("host"), **warnings("gpu")}[name]
        self.assertRegex(row["warning"], rf"{words} behind at n = 1\.\.\d+ \(\d+ sizes\): " if words else r"\A\Z")
        said = re.sub(r"(?m)^apsp: warning: .*\n", "", said)
        self.assertRegex(said, r"\A\Z" if passed else r"\Aapsp: [^\n]+\n\Z")
        return "pass" if passed else row["pattern"], said

    def compare(self, path_of, options, at_once, verdicts):
        """Each of these verdicts; so many checks run side by side."""
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            asked = {name: pool.submit(self.verdict, name, path_of(name), options) for name in verdicts}
        for name, verdict in verdicts.items():
            with self.subTest(name):
                found, said = asked[name].result()
                self.assertEqual(found, verdict, said)

    @unittest.skipIf(NO_LIBRARIES, NO_LIBRARIES)
    def test_in_host_memory(self):
        """By default half of those that need a process of their own. course/diagnosis_test.cpp has the mistakes of algorithms."""
        of_algorithms = "squared transposed symmetric index k-innermost last-k panels padding tile overflow".split()
        verdicts = {name: verdict for name, verdict in expected("host").items() if FULL or verdict not in of_algorithms}
        if not FULL:
            verdicts = dict(random.sample(sorted(verdicts.items()), len(verdicts) // 2))
        self.compare(lambda name: LIBRARIES / f"{name}.so", "--host --time-limit 5", CORES, verdicts)

    @needs_gpu
    def test_on_the_gpu(self):
        """By default a third of the verdicts. One at a time: a GPU gives processes turns of milliseconds, and six checks
        side by side took 15 times as long as one after the other."""
        verdicts = {name: verdict for name, verdict in expected("gpu").items() if name != "leak"}
        if not FULL:
            verdicts = dict(random.sample(sorted(verdicts.items()), len(verdicts) // 3))
        self.compare(lambda name: SOURCES / f"{name}.cu", "--device gpu --time-limit 20", 1, verdicts)

    @needs_gpu
    def test_leaks_on_the_gpu(self):  # beside others on the GPU, who could have taken the memory, nobody is blamed
        self.assertEqual(self.verdict("leak", SOURCES / "leak.cu", "--device gpu")[0], expected("gpu")["leak"])

    def compare_warnings(self, place, path_of, options):
        """The main job shows the warning of a call, whether the distances are right or wrong."""
        for name, words in warnings(place).items():
            if words or expected(place)[name] == "pass":
                with self.subTest(name):
                    process = self.popen(f"--n 20 --family sparse {options} --quiet --reps 1 --verify "
                                         f"--kernel {path_of(name)}")
                    said = process.communicate()[1].decode()
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

    def test_every_diagnosis_is_documented(self):
        table = re.search(r"(?s)\n### Diagnoses\n(.*?)\n### ", (ROOT / "docs/grading.md").read_text())[1]
        documented = re.findall(r"(?m)^\| `([a-z-]+)` \|", table)
        self.assertEqual(len(documented), len(set(documented)))
        source = (ROOT / "src/course/check/diagnosis.cpp").read_text()
        known = set(re.findall(r'(?m)^    \{"([a-z-]+)", ', source))
        self.assertEqual(set(documented), known)
        verdicts = set(expected("host").values()) | set(expected("gpu").values())
        self.assertLess(verdicts - {"pass"}, known)

    def test_every_file_is_expected_somewhere(self):
        files = {path.stem for path in SOURCES.iterdir() if path.suffix in (".cu", ".cpp")}
        self.assertEqual(files, set(expected("host")) | set(expected("gpu")))


class Grading(Suite):
    """A folder of hand-ins, and what `apsp grade` says of it."""

    def setUp(self):
        super().setUp()
        (self.dir / "hand-ins").mkdir()

    def hand_in(self, *names):
        for name in names:
            shutil.copy(LIBRARIES / f"{name}.so", self.dir / "hand-ins")

    def grade(self, options="", sizes="100,150", limit=3, code=0, err=(), reps="--reps 3"):
        """The rows of the CSV file by name, each with its times; times[n] has the row of a size."""
        csv_file = (re.findall(r"--csv (\S+)", options) or ["only.csv"])[0]
        options += "" if "--csv" in options else " --csv only.csv"
        self.said = self.apsp(f"grade hand-ins --host --time-limit {limit} --sizes {sizes} {reps} {options}", code,
                              err=err, left=None)
        rows = {row["name"]: row for row in read_csv(self.dir / csv_file)}
        self.assertEqual(len(rows), len(read_csv(self.dir / csv_file)), "a name occurs twice")
        for row in rows.values():
            row["times"] = {}
        for row in read_csv(self.dir / csv_file.replace(".csv", ".sizes.csv")):
            if row["name"] in rows:
                rows[row["name"]]["times"][int(row["n"])] = row
        if csv_file == "only.csv":  # nothing is known the next time
            shutil.rmtree(self.dir / "only.csv.d")
        return rows

    def documents(self, what):
        return sorted(path.name for path in (self.dir / "g.csv.d").glob(f"{what}-*.json"))

    def endless(self, argv, env={}):
        """Starts it, with a submission whose check never ends, and returns the process once that has begun."""
        self.library("hand-ins/slow.so", f"if (n > 2) sleep(100); {SOLVE}")
        process = self.popen(argv, env)
        while process.poll() is None and not any(
                path.read_text() for path in (self.dir / "g.csv.d/.locks").glob("check-slow-*")):
            time.sleep(0.005)
        self.assertIsNone(process.poll())
        self.addCleanup(process.kill)
        return process


@unittest.skipIf(NO_LIBRARIES, NO_LIBRARIES)
class Grade(Grading):
    def test_ranks_what_passes(self):
        self.hand_in("naive", "squared_pivot", "forged", "crash", "exit", "cached")
        self.library("hand-ins/waits.so", f"if (n == 100 || n == 150) usleep(30000); {SOLVE}")  # slower on any machine
        self.put("hand-ins/broken.so", "no library")
        table = self.grade()
        self.assertEqual([row["rank"] for row in table.values()], ["1", "2"] + 6 * [""])
        self.assertEqual(list(table)[:2], ["naive.so", "waits.so"])
        self.assertRegex(self.said, r"(?m)^   1  naive\.so .*x  pass")
        self.assertRegex(self.said, r"(?m)^   -  crash\.so +- +- +-  crashed\n      call 1 \(n = 96\): crashed \(SIGSEGV\)$")
        for name in ("naive.so", "waits.so"):
            self.assertEqual(set(table[name]["times"]), {100, 150})
            self.assertEqual((table[name]["verdict"], table[name]["reason"]), ("pass", ""))
            for row in table[name]["times"].values():
                q1, median, q3 = (float(row[field]) for field in ("q1_ms", "median_ms", "q3_ms"))
                self.assertTrue(0 < q1 <= median <= q3, row)
                self.assertAlmostEqual(float(row["speedup"]), float(row["naive_ms"]) / median, 4)
                self.assertRegex(row["seeds"], r"\A\d+( \d+)*\Z")
            self.assertEqual(table[name]["speedup"], table[name]["times"][150]["speedup"])
        for name, verdict, reason in (("squared_pivot", "wrong", "squared but not closed"),
                                      ("forged", "wrong", "comes back as it was"), ("crash", "crashed", "SIGSEGV"),
                                      ("exit", "exited", "exit code 0"), ("cached", "wrong", "earlier call's result"),
                                      ("broken", "cannot be loaded", r"\Afile too short; build it with")):
            row = table[f"{name}.so"]
            self.assertEqual((row["verdict"], row["median_ms"], row["times"]), (verdict, "", {}))
            self.assertRegex(row["reason"], reason)

    def test_one_that_cannot_be_loaded_does_not_harm_the_next(self):
        self.hand_in("naive")
        for name in ("bad.so", "worse.so"):  # one comes before the good one, one after it
            self.put(f"hand-ins/{name}", f"no library: {name}")
        self.apsp("grade hand-ins --host --check-only --time-limit 3",
                  env={"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"},  # freed memory is used again at once
                  out=(r"(?m)^checked 3 of 3 submissions .*: 1 is right$", r"(?m)^   -  bad\.so .* cannot be loaded$"))

    def test_a_race_is_found_however_few_cores_there_are(self):
        self.hand_in("naive", "nowait")
        core = min(os.sched_getaffinity(0))
        one_core = lambda: os.sched_setaffinity(0, {core})
        for threads, child in (("2", None), ("1", None), ("4", None), (None, one_core)):
            env = {"OMP_NUM_THREADS": threads} if threads else {}
            for options in ("", "--jobs 2", "--jobs 2"):
                with self.subTest(threads=threads, options=options):
                    said = self.apsp(f"grade hand-ins --host --check-only --time-limit 20 {options}", env=env, child=child,
                                     out=(r"(?m)^checked 2 of 2 submissions .*: 1 is right$", r"(?m)^   -  nowait\.so .*  wrong$",
                                          r"race: result differs between runs"))
                    few = options and threads != "4"
                    self.assertEqual("--jobs 2: 1 at once, because each check takes two cores (" in said, bool(few), said)
        self.apsp(f"check --quick --host --kernel hand-ins/nowait.so --time-limit 20", 1, child=one_core,
                  out="diagnosis race", err="race")

    def test_a_graph_given_again_is_another_one(self):
        self.hand_in("naive", "remembers")
        table = self.grade(reps="")
        # What it remembers would come back at least a hundred times faster. Less would fail on a busy machine.
        self.assertLess(float(table["naive.so"]["median_ms"]) / 10, float(table["remembers.so"]["median_ms"]))

    def test_a_warning_with_right_distances_has_a_rank(self):
        self.hand_in("empty_grid", "large_block")
        table = self.grade("--csv g.csv")
        warned = r"\Aleaves a launch error behind at n = {} sizes\): invalid argument \(cudaErrorInvalidValue\)\Z"
        self.assertEqual(table["empty_grid.so"]["rank"], "1")
        self.assertRegex(table["empty_grid.so"]["warning"], warned.format(r"1\.\.32 \(7"))
        self.assertEqual(table["large_block.so"]["rank"], "")
        self.assertRegex(table["large_block.so"]["reason"], r"\A\d+ of \d+ results are wrong: ")
        self.assertRegex(table["large_block.so"]["warning"], warned.format(r"1\.\.257 \(20"))
        self.assertEqual(self.grade("--csv g.csv"), table)  # from the documents

    def source(self, name, begin, includes=()):
        """Hands in a right solver in C++ that first does something else."""
        head = "".join(f"#include <{include}>\n" for include in includes)
        self.put(f"hand-ins/{name}.cpp", f"{head}void apsp(int n, int* g) {{\n{begin}\n{SOLVE}\n}}\n")

    @unittest.skipUnless(has_landlock(), "without Landlock nobody hears of what the sandbox denies")
    def test_what_the_sandbox_denies_is_told_and_changes_nothing(self):
        self.source("plain", "")
        self.source("logs", 'std::ofstream("log.txt") << n;', ["fstream"])
        self.source("logs_to_null", 'FILE* file = fopen("/dev/null", "w"); fprintf(file, "%d", n); fclose(file);', ["cstdio"])
        self.source("runs", 'if (system("true") == 0) popen("true", "r");', ["cstdio", "cstdlib"])
        self.source("asks", "socket(AF_INET, SOCK_STREAM, 0);\nmkdir(\"new\", 0777);", ["sys/socket.h", "sys/stat.h"])
        self.source("trusts_fopen", 'FILE* file = fopen("log.txt", "w"); fprintf(file, "%d", n); fclose(file);', ["cstdio"])
        self.source("threads", "std::thread([] {}).join();", ["thread"])
        table = self.grade(f"--csv g.csv --jobs {CORES} --cxxflags '-O3 -w -pthread'", limit=10)
        warnings = {"plain": "", "logs_to_null": "", "threads": "", "logs": "to write a file", "runs": "to start a process",
                    "asks": "to (open a socket and to write a file|write a file and to open a socket)"}
        for name, tried in warnings.items():
            with self.subTest(name):
                row = table[f"{name}.cpp"]
                self.assertEqual((row["verdict"], bool(row["rank"])), ("pass", True), row["reason"])
                told = "; ".join(each for each in row["warning"].split("; ") if not each.startswith("time disputed"))  # busy machine
                self.assertRegex(told, rf"\Atries {tried} at n = \S+ \(\d+ sizes\): the sandbox denies it\Z" if tried else r"\A\Z")
        failed = table["trusts_fopen.cpp"]
        self.assertEqual(failed["verdict"], "crashed")
        self.assertRegex(failed["reason"], r"crashed \(SIGSEGV\); it tried to write a file, which the sandbox denies")
        self.assertEqual(sorted(path.name for path in self.dir.rglob("log.txt")), [])

    def test_in_a_sandbox_of_its_own(self):
        """The command of docs/grading.md."""
        command, = re.findall(r"(?m)^bwrap .*\\\n.*$", (ROOT / "docs/grading.md").read_text())
        command = command.replace("./apsp", shlex.quote(APSP)) + " --check-only"
        namespaces = command[:command.index("--bind . ")].replace("\\\n", " ") + "true"
        if shutil.which("bwrap") is None or subprocess.run(namespaces, shell=True, capture_output=True).returncode:
            self.skipTest("needs bwrap, and namespaces")
        self.source("plain", "")
        run = subprocess.run(command, shell=True, cwd=self.dir, capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        row, = read_csv(self.dir / "grades.csv")
        self.assertEqual((row["verdict"], row["reason"]), ("waiting", "every result is right; not timed yet"))

    def test_a_folder_that_cannot_be_written_is_named_with_another_one(self):
        self.source("plain", "")
        (self.dir / "locked").mkdir(mode=0o500)
        for option, name in (("--csv", "g.csv"), ("--json", "g.json"), ("--html", "g.html"), ("--feedback", "told")):
            with self.subTest(option):
                self.apsp(f"grade hand-ins --host --check-only {option} locked/{name}", 6, child=bound_by_permissions,
                          err=rf"locked/{name}.*Permission denied: write elsewhere, for example to \S*/{name}\n")

    def test_every_file_has_a_row(self):
        self.hand_in("naive")
        self.library("odd.so", SOLVE)
        (self.dir / "hand-ins" / "ann").mkdir()
        shutil.copy(LIBRARIES / "naive.so", self.dir / "hand-ins/ann/apsp.so")
        shutil.copytree(self.dir / "hand-ins/ann", self.dir / "hand-ins/linked")
        (self.dir / "hand-ins/linked/secret").symlink_to("/etc/passwd")
        (self.dir / "hand-ins" / "empty").mkdir()
        for name in ("late.cpp", "README", "mine.cu", ".hidden"):
            self.put(f"hand-ins/{name}", "x")
        os.mkfifo(self.dir / "hand-ins" / "pipe.so")
        (self.dir / "hand-ins" / "zeros.so").symlink_to("/dev/zero")
        table = self.grade("--csv hand-ins/g.csv", "100")  # our own files are no hand-ins
        for name, verdict, reason in (
                ("naive.so", "pass", r"\A\Z"), ("ann", "pass", r"\A\Z"),
                ("linked", "refused", "linked/secret: a symbolic link"), ("empty", "left out", "an empty folder"),
                ("late.cpp", "does not compile", r"\Ahand-ins/late\.cpp:1:1: error"), ("README", "left out", "neither .cpp"),
                ("mine.cu", "left out", "GPU only"), (".hidden", "left out", "neither .cpp"),
                ("pipe.so", "left out", "a pipe"), ("zeros.so", "left out", "a symbolic link")):
            self.assertEqual(table[name]["verdict"], verdict, name)
            self.assertRegex(table[name]["reason"], reason)
        self.assertEqual(len(table), 10)

    def test_files_of_others_are_refused(self):
        self.hand_in("naive")
        for name in ("g.csv", "g.sizes.csv"):
            self.put(name, "time,name,hash,build,depth,sizes\n")
            before = (self.dir / name).read_bytes()
            said = self.apsp("grade hand-ins --host --csv g.csv", 6,
                             err=rf"{name}: begins with another header.*: move the file away")
            self.assertEqual(said, "")  # an error comes before the device
            self.assertEqual((self.dir / name).read_bytes(), before)
            (self.dir / name).unlink()
        self.put("old.csv", "time,name,hash,build,depth,sizes\n")
        self.apsp("report old.csv", 3, err="old.csv: grades of an earlier version: grade the folder again")

    def test_report_reads_grades(self):
        self.hand_in("naive", "crash")
        self.grade("--csv g.csv")
        self.assertEqual(self.apsp("report g.csv"), self.said[self.said.index("rank"):])
        self.apsp("report g.csv --markdown", 2, err="g.csv: a file of grades is only printed: leave --markdown")
        (self.dir / "g.sizes.csv").unlink()
        self.assertNotIn("median ms", self.apsp("report g.csv", out=r"(?m)^   -  crash\.so .*  crashed$"))

    def test_without_a_sandbox_every_row_says_so(self):
        self.hand_in("naive", "crash")
        self.put("hand-ins/README", "x")
        for jobs in ("", "--jobs 2"):
            table = self.grade(f"--unsandboxed --csv g.csv --json g.json {jobs}", "150")
            self.assertEqual([row["sandbox"] for row in table.values()], ["unsandboxed", "unsandboxed", ""])
            self.assertEqual(table["naive.so"]["times"][150]["sandbox"], "unsandboxed")
            self.assertRegex(self.said, r"(?m)^   1  naive\.so .*x  pass, unsandboxed$")
            self.assertRegex(self.said, r"(?m)^   -  crash\.so .*  crashed, unsandboxed$")
            document = json.loads((self.dir / "g.json").read_text())
            self.assertEqual([each["sandbox"] for each in document["submissions"]], ["unsandboxed", "unsandboxed", ""])
            shutil.rmtree(self.dir / "g.csv.d")
        table = self.grade("--csv g.csv", "150")
        self.assertIn(table["naive.so"]["sandbox"], ("landlock", "bubblewrap"))
        self.assertNotIn("unsandboxed", self.said)

    def test_rubric(self):
        self.hand_in("naive", "small_n", "crash")
        self.put("hand-ins/README", "x")
        self.put("r.json", """{"title": "T", "pass": 10, "families": {"ring": 4, "each": 1},
                              "speed": {"each": [[0, 2], [1000000, 5]]}}""")
        table = self.grade("--rubric r.json --csv g.csv --json g.json --explain")
        families = len(json.loads((self.dir / "g.json").read_text())["submissions"][0]["check"]["families"])
        self.assertEqual(table["naive.so"]["points"], str(10 + 4 + families - 1 + 2 + 2))
        self.assertEqual(table["crash.so"]["points"], "0")
        self.assertEqual(table["README"]["points"], "")
        self.assertRegex(table["small_n.so"]["points_lines"], r"\Apass 0/10; family \S+ [01]/[14]; .*speed n=150 0/5\Z")
        for row in list(table.values())[:3]:  # a student can recompute the sum
            self.assertEqual(sum(int(n) for n in re.findall(r" (\d+)/", row["points_lines"])), int(row["points"]))
        most = 10 + 4 + families - 1 + 5 + 5
        self.assertRegex(self.said, rf"(?m)^naive\.so: {table['naive.so']['points']} of {most} points$")
        self.assertRegex(self.said, r"(?m)^ +2 of 5 +speed n=150 +\S+ times as fast as ref; 1e\+06 times gives 5$")
        self.put("r.json", '{"speed": {"30": [[1, 1]]}}')
        self.grade("--rubric r.json --csv g.csv", code=3, err=r"r\.json: speed\.30: this size is not timed: add it")
        self.apsp("grade hand-ins --host --explain", 2, err="--explain")

    def test_json(self):
        self.hand_in("naive", "small_n", "crash")
        self.put("hand-ins/README", "x")
        self.grade("--json g.json --csv g.csv")
        document = json.loads((self.dir / "g.json").read_text())
        sample = json.loads((ROOT / "tests/data/grades.json").read_text())
        self.assertEqual(list(document), list(sample))
        self.assertEqual(document["plan"]["sizes"], [100, 150])
        self.assertEqual([each["name"] for each in document["references"]], ["ref", "apsp"])
        verified = {each["name"]: {times["verified"] for times in each["times"]} for each in document["references"]}
        self.assertEqual(verified, {"ref": {"apsp"}, "apsp": {"dijkstra:16"}})  # ref would take minutes to verify apsp
        by_name = {each["name"]: each for each in document["submissions"]}
        self.assertEqual([each["rank"] for each in by_name.values()], [1, None, None, None])
        for each in by_name.values():
            self.assertEqual(list(each), list(sample["submissions"][0]))
        check, witness = by_name["small_n.so"]["check"], by_name["small_n.so"]["witness"]
        self.assertEqual({len(marks) for marks in check["families"].values()}, {len(check["sizes"])})
        marked = sum(marks.count("x") for marks in check["families"].values())
        self.assertTrue(0 < marked <= check["failed"] < check["graphs"])  # graphs of one size share a mark
        self.assertIn("nothing above n = 32 fails", by_name["small_n.so"]["diagnosis"]["sentence"])
        self.assertEqual(by_name["naive.so"]["times"][1]["reps"], len(by_name["naive.so"]["times"][1]["calls_ms"]))
        for command, code in ((witness["command"], 1), (by_name["naive.so"]["command"], 0)):
            process = subprocess.run(command, shell=True, cwd=self.dir, capture_output=True)
            self.assertEqual(process.returncode, code, command)
        rows = read_csv(self.dir / "g.sizes.csv")
        self.assertEqual(len(rows), 6)
        document_times = [size for each in (*document["references"], *document["submissions"]) for size in each["times"]]
        for row, size in zip(rows, document_times):  # a student times the same graphs again
            self.assertEqual((row["family"], row["hash"], row["command"]), (size["family"], size["hash"], size["command"]))
            process = subprocess.run(f"{row['command']} --json -", shell=True, cwd=self.dir, capture_output=True)
            record, = json.loads(process.stdout)
            self.assertEqual((process.returncode, record["hash"], record["reps"]), (0, row["hash"], int(row["reps"])), row["command"])
            self.assertRegex(record["input"], r"\Anecessary n=\d+ seed=")
        documented, = re.findall(r"(?m)^(\./apsp --family necessary .*)$", (ROOT / "docs/grading.md").read_text())
        row = rows[-1]
        for word, value in (("./apsp", shlex.quote(APSP)), ("SEED", row["seeds"]), ("W", row["warmup"]), ("R", row["reps"]),
                            ("FILE", "hand-ins/naive.so"), ("N", row["n"]), ("cpu", "cpu")):
            self.assertIn(word, documented.split())
            documented = " ".join(value if each == word else each for each in documented.split())
        record, = json.loads(subprocess.run(f"{documented} --json -", shell=True, cwd=self.dir, capture_output=True).stdout)
        self.assertEqual(record["hash"], row["hash"])
        printed = self.apsp("grade hand-ins --host --csv g.csv --sizes 100,150 --time-limit 3 --reps 3 --json -", left=None)
        self.assertEqual(json.loads(printed)["submissions"], document["submissions"])

    def test_phases_are_told(self):
        self.hand_in("naive", "crash")
        for jobs in ("", "--jobs 2"):
            self.grade(f"--csv g.csv --json g.json {jobs}")
            phases = json.loads((self.dir / "g.json").read_text())["phases"]
            said = re.sub(r"(?m)^\w+ \d of \d in .* left\n", "", self.said.partition("rank")[0])  # on a slow machine
            self.assertRegex(said, r"\A[^\n]+\n\n(--jobs 2: 1 at once, [^\n]+\n)?"  # on fewer than four cores
                             r"checked 2 of 2 submissions in [^\n]+ s: 1 is right\n"
                             r"timing 1 submission at n = 100, 150\ntimed 1 of 1 submission in [^\n]+ s\n\n"
                             r"2 submissions: building [^\n]+ s, checking [^\n]+ s, timing [^\n]+ s in all; "
                             r"this run took [^\n]+ s\n\n\Z")
            self.assertEqual(phases["files"], 2)
            self.assertTrue(0 < phases["building_s"] < phases["checking_s"] and phases["timing_s"] > 0, phases)
            self.assertLess(phases["timing_s"], phases["run_s"])
            again = self.grade("--csv g.csv --json g.json") and json.loads((self.dir / "g.json").read_text())["phases"]
            self.assertRegex(self.said.partition("rank")[0], r"\A[^\n]+\n\n\n2 submissions: building")  # nothing was left to do
            self.assertEqual({**again, "run_s": phases["run_s"]}, phases)
            shutil.rmtree(self.dir / "g.csv.d")
        self.assertEqual(self.apsp("grade hand-ins --host --quiet --check-only --sizes 100", err=r"apsp: 1 of 2 submissions does not pass: "), "")

    def test_the_same_content_is_graded_once(self):
        """Otherwise what is right by chance would gain by being handed in twice."""
        self.hand_in("naive", "crash")
        for name in ("again", "third"):
            shutil.copy(LIBRARIES / "naive.so", self.dir / f"hand-ins/{name}.so")
        shutil.copy(LIBRARIES / "crash.so", self.dir / "hand-ins/crash2.so")
        sha = hashlib.sha256((LIBRARIES / "naive.so").read_bytes()).hexdigest()
        (self.dir / "hand-ins/folder").mkdir()
        shutil.copy(LIBRARIES / "naive.so", self.dir / "hand-ins/folder/apsp.so")
        self.put("hand-ins/folder/x", "y")
        self.put("hand-ins/forged.so", f"{sha}  apsp.so\n{hashlib.sha256(b'y').hexdigest()}  x\n")
        for jobs in ("", "--jobs 3"):
            table = self.grade(f"--csv g.csv --json g.json {jobs}")
            self.assertEqual(len({table[f"{name}.so"]["rank"] for name in ("naive", "again", "third")}), 1)
            self.assertEqual(table["forged.so"]["digest"], table["folder"]["digest"])
            self.assertEqual((table["forged.so"]["verdict"], table["folder"]["verdict"]), ("cannot be loaded", "pass"))
            by_name = {each["name"]: each for each in json.loads((self.dir / "g.json").read_text())["submissions"]}
            same = [by_name[f"{name}.so"] for name in ("naive", "again", "third")]
            times = [[{**size, "command": ""} for size in each["times"]] for each in (*same, by_name["folder"])]
            self.assertEqual(times[0], times[1])
            self.assertNotEqual(times[0], times[3])
            self.assertEqual(times[1], times[2])
            self.assertEqual(len({each["check"]["seed"] for each in same}), 1)
            for what in ("check", "time"):
                self.assertEqual(sorted(each["seconds"][what] > 0 for each in same), [False, False, True])
            crashed = [by_name["crash.so"], by_name["crash2.so"]]
            self.assertEqual(sorted(each["seconds"]["check"] > 0 for each in crashed), [False, True])
            self.assertEqual(crashed[0]["check"], crashed[1]["check"])
            shutil.rmtree(self.dir / "g.csv.d")

    def test_sizes_given_twice_count_once(self):
        self.hand_in("naive")
        self.assertEqual(list(self.grade("--quick", "165,100,165")["naive.so"]["times"]), [100, 165])
        self.apsp("grade hand-ins --host --quick --full", 2, err="--quick.*--full|--full.*--quick")

    def test_wrong_at_one_size_only(self):
        self.library("hand-ins/odd.so", f"{SOLVE} if (n == 120) g[1] = 7;")  # no check draws that size
        for _ in range(2):
            for sizes, verdict in (("100", "pass"), ("120", "wrong"), ("100,120", "wrong")):
                row = self.grade("--csv g.csv", sizes)["odd.so"]
                self.assertEqual(row["verdict"], verdict, sizes)
                if verdict == "wrong":  # the graphs on which it is wrong can be made again
                    options, = re.findall(r"\((--family necessary --n 120 --seed \d+ --vary)\)", row["reason"])
                    self.apsp(f"{options} --device cpu --kernel hand-ins/odd.so --verify apsp", 1, err="differ", left=None)
        self.assertEqual(len(self.documents("times")), 3)

    def test_names_of_any_kind(self):
        for name in (b"two\nlines", b"\xff", "\u00fc".encode(), "\u202eevil".encode(), b"a,b", b"=1+1", b'q"q'):
            shutil.copy(LIBRARIES / "naive.so", os.fsencode(self.dir) + b"/hand-ins/" + name + b".so")
        for _ in range(2):
            table = self.grade("--csv g.csv", "100")
            self.assertEqual({row["verdict"] for row in table.values()}, {"pass"})
            self.assertEqual(set(table), {"two?lines.so", "?.so", "\u00fc.so", "?evil.so", "a,b.so", "'=1+1.so", 'q"q.so'})

    def test_all_calls_of_a_check_take_limited_time(self):
        self.library("hand-ins/slow.so", f"if (n > 2) usleep(600000); {SOLVE}")
        check = self.popen("check --host --quick --quiet --kernel hand-ins/slow.so --time-limit 1")
        verdict = r"1[3-7] of \d+ graphs took \d+ s, .*--time-limit"
        row = self.grade(limit=1)["slow.so"]
        self.assertEqual(row["verdict"], "too slow")
        self.assertRegex(row["reason"], rf"\A{verdict}\Z")
        self.assertRegex(check.communicate()[1].decode(), verdict)
        self.assertEqual(check.returncode, 1)

    def test_nothing_to_grade(self):
        self.apsp("grade hand-ins --host", 3, err=r"hand-ins: no submission")
        self.put("hand-ins/source.cu", "void apsp(int, int*) {}")  # source is for a GPU only
        self.apsp("grade hand-ins --host", 3, err=r"hand-ins: no submission")
        self.apsp("grade nowhere --host", 3, err="nowhere: No such file")
        self.put("one.cu", "")
        self.apsp("grade one.cu --host", 3, err=r"one\.cu: this is a file: give a folder of hand-ins, or ")

    @needs_gpu
    def test_on_the_gpu(self):
        for name in ("anywhere.h", "naive.cu", "crash.cu"):
            shutil.copy(SOURCES / name, self.dir / "hand-ins")
        (self.dir / "hand-ins" / "someone").mkdir()
        shutil.copy(SOURCES / "shared_memory.cu", self.dir / "hand-ins" / "someone" / "apsp.cu")
        self.put("hand-ins/broken.cu", "void apsp(int, int*) { return 1; }")
        said = self.apsp("grade hand-ins --sizes 100,150", left=None)
        self.assertRegex(said, r"(?m)^built and checked 4 of 4 submissions in \S+( min \S+)? s: 2 are right$")
        self.assertRegex(said, r"(?m)^   1  someone .*x  pass$")
        self.assertRegex(said, r"(?m)^   2  naive\.cu .*x  pass$")
        self.assertRegex(said, r"(?m)^   -  broken\.cu .*does not compile\n      hand-ins/broken\.cu\(1\): error")
        self.assertRegex(said, r"(?m)^   -  crash\.cu .*crashed")

    @needs_gpu
    def test_real_shapes_on_the_gpu(self):
        """Only checked, because times do not depend on the shape. By default some of them."""
        names = list(hand_ins.SHAPES)
        if not FULL:
            names = sorted({"folder", *random.sample(names, 8)})
        hand_ins.make(self.dir / "hand-ins", shapes=names)
        (self.dir / "hand-ins" / "rival").mkdir()
        self.put("hand-ins/rival/apsp.cu", '#include "../folder/apsp.cu"\n')  # a copy has no neighbours
        self.apsp("grade hand-ins --check-only --csv g.csv --jobs 4", left=None)
        rows = {row["name"]: row for row in read_csv(self.dir / "g.csv")}
        right = "waiting", "every result is right; not timed yet"
        self.assertEqual({name: (rows[name]["verdict"], rows[name]["reason"]) for name in names},
                         {name: right for name in names}, rows)
        self.assertEqual(rows["rival"]["verdict"], "does not compile")


@unittest.skipIf(NO_LIBRARIES, NO_LIBRARIES)
class GradeAgain(Grading):
    """Graders that go on with what others, or earlier ones, have done."""

    def test_resumes_after_kills(self):
        names = "naive", "small_n", "cached", "forged", "crash", "remembers", "exit"
        self.hand_in(*names)
        self.put("hand-ins/README", "x")
        def stable(rows):
            return {name: (row["verdict"], row["reason"], row["digest"], sorted(row["times"]))
                    for name, row in rows.items()}
        undisturbed = stable(self.grade())
        generator, kills = random.Random(3), 0
        for _ in range(20):
            options = generator.choice(("", "--jobs 2"))
            process = self.popen(f"grade hand-ins --host --time-limit 3 --sizes 100,150 --reps 3 --csv g.csv {options}")
            try:
                process.communicate(timeout=generator.uniform(0, 1.2))
            except subprocess.TimeoutExpired:
                process.kill()
                kills += 1
                process.communicate()
            if (self.dir / "g.csv").exists():  # never a half row, and a row for each file
                self.assertEqual(len(read_csv(self.dir / "g.csv")), len(names) + 1)
                self.assertTrue(all(None not in row.values() for row in read_csv(self.dir / "g.csv")))
        self.assertGreater(kills, 0)
        for part in self.dir.rglob(".*.tmp"):  # a killed process cannot remove its own
            part.unlink()
        table = self.grade("--csv g.csv")
        self.assertEqual(stable(table), undisturbed)
        times = {name: (self.dir / "g.csv.d" / name).stat().st_mtime_ns for name in self.documents("*")}
        self.assertEqual(self.grade("--csv g.csv"), table)
        self.assertEqual({name: (self.dir / "g.csv.d" / name).stat().st_mtime_ns for name in times}, times)
        self.assertEqual((len(self.documents("check")), len(self.documents("times"))), (len(names), 2))
        self.assertEqual([path for path in snapshot(self.dir) if path.endswith(".tmp")], [])

    def test_the_next_grader_removes_the_folders_of_killed_ones(self):
        self.hand_in("naive")
        (self.dir / "made").mkdir()
        folders = lambda: {path.name for path in (self.dir / "made").iterdir()}
        argv, env = "grade hand-ins --host --csv g.csv --check-only --time-limit 100", {"TMPDIR": str(self.dir / "made")}
        living = self.endless(argv, env)
        living_folder, = folders()
        for jobs in ("", " --jobs 2"):
            (self.dir / "g.csv.d").rename(self.dir / f"old{jobs}")
            killed = self.endless(argv + jobs, env)
            self.assertEqual(len(folders()), 2)
            killed.kill()
            killed.communicate()
            self.assertEqual(len(folders()), 2)
        (self.dir / "hand-ins/slow.so").unlink()
        self.apsp(f"{argv} --replace", env=env, left=None)
        self.assertEqual(folders(), {living_folder})
        living.kill()
        living.communicate()
        self.apsp(argv, env=env, left=None)
        self.assertEqual(folders(), set())

    def test_an_error_of_ours_is_tried_again(self):
        self.hand_in("naive")
        (self.dir / "only.csv.d").mkdir()
        damaged = self.grade("--csv g.csv")["naive.so"]
        for name in self.documents("times"):
            self.put(f"g.csv.d/{name}", "{")
        self.assertEqual(self.grade("--csv g.csv")["naive.so"]["digest"], damaged["digest"])
        for name in self.documents("times"):
            self.assertGreater((self.dir / "g.csv.d" / name).stat().st_size, 100)

    def test_jobs_check_at_once_and_time_alone(self):
        self.hand_in("naive", "tiles", "small_n", "crash")
        one = self.grade("--csv g.csv")
        many = self.grade("--csv h.csv --jobs 3")
        for name, row in one.items():
            self.assertEqual([row[key] for key in ("verdict", "reason", "diagnosis", "digest")],
                             [many[name][key] for key in ("verdict", "reason", "diagnosis", "digest")])
            self.assertEqual(set(row["times"]), set(many[name]["times"]))
        self.apsp("grade hand-ins --host --sizes 100 --time-limit 3 --reps 3 --jobs 2 --rubric /dev/stdin", stdin=b'{"pass": 7}',
                  out=[r"(?m)^   1  .* 7  pass", r"(?m)^   -  crash\.so .* 0  crashed$"])

    def test_what_depends_on_time_is_confirmed_alone(self):
        """A submission that hangs as long as the machine is busy, which others can make it."""
        self.library("hand-ins/hangs.so", f"if (n > 2) sleep(100); {SOLVE}")
        self.library("hand-ins/right.so", SOLVE)
        free = int(time.time()) + 8
        self.library("hand-ins/victim.so", f"if (n > 2 && time(nullptr) < {free}) sleep(100); {SOLVE}")
        process = self.popen("grade hand-ins --host --csv g.csv --check-only --sizes 100 --time-limit 2")
        locks = self.dir / "g.csv.d/.locks"
        while process.poll() is None and not list(locks.glob("device-*")):
            time.sleep(0.01)
        device, = locks.glob("device-*")
        with open(device) as check:
            fcntl.flock(check, fcntl.LOCK_SH)  # another grader checks on this device
            time.sleep(6)
            self.assertEqual((process.poll(), self.documents("check")), (None, []))
        process.communicate()
        self.assertEqual({row["name"]: row["verdict"] for row in read_csv(self.dir / "g.csv")},
                         {"victim.so": "waiting", "hangs.so": "hung", "right.so": "waiting"})

    def test_who_is_killed_is_checked_alone(self):
        """If memory runs out because others take it, the kernel kills any process."""
        free = int(time.time()) + 6
        self.library("hand-ins/killed.so", f"if (n > 2 && time(nullptr) < {free}) raise(SIGKILL); {SOLVE}")
        process = self.popen("grade hand-ins --host --csv g.csv --check-only --sizes 100")
        locks = self.dir / "g.csv.d/.locks"
        while process.poll() is None and not list(locks.glob("device-*")):
            time.sleep(0.01)
        device, = locks.glob("device-*")
        with open(device) as check:
            fcntl.flock(check, fcntl.LOCK_SH)  # another grader checks on this device
            time.sleep(max(0, free + 1 - time.time()))
            self.assertEqual((process.poll(), self.documents("check")), (None, []))
        process.communicate()
        row, = read_csv(self.dir / "g.csv")
        self.assertEqual(row["verdict"], "waiting", row["reason"])  # to be timed

    def test_goes_on_after_the_death_of_the_grader(self):
        self.hand_in("naive")
        for jobs in ("", " --jobs 2"):
            command = "grade hand-ins --host --csv g.csv --check-only --time-limit 100"
            process = self.endless(command + jobs)
            pids = lambda pid: [int(each) for path in Path(f"/proc/{pid}/task").glob("*/children")
                                for each in path.read_text().split()]
            grader, = pids(process.pid)
            if jobs:  # a checking process, its child and the worker
                checking, = (pid for each in pids(grader) for pid in pids(each))
                os.kill(checking, signal.SIGSEGV)
                claim, = (self.dir / "g.csv.d/.locks").glob("check-slow-*")
                while f"process {grader} " not in claim.read_text():  # then it checks this one itself
                    time.sleep(0.01)
                time.sleep(1)
            os.kill(grader, signal.SIGKILL)
            out, err = (text.decode() for text in process.communicate())
            self.assertEqual(process.returncode, 1, err)
            self.assertIn("apsp: the grader was ended by SIGKILL while it was checking slow.so: going on without it\n", err)
            self.assertRegex(out, r"(?m)^   -  slow\.so .*not graded$")
            rows = {row["name"]: row for row in read_csv(self.dir / "g.csv")}
            self.assertEqual(rows["naive.so"]["verdict"], "waiting")  # to be timed
            self.assertEqual((rows["slow.so"]["verdict"], rows["slow.so"]["reason"]), (
                "not graded", "the grader was ended by SIGKILL while it was checking this: give the same command again"))
            self.library("hand-ins/slow.so", SOLVE)
            self.apsp(command, left=None, out=r"(?m)^   -  slow\.so .*waiting$")
            shutil.rmtree(self.dir / "g.csv.d")
        process = self.endless(command + " --quiet")
        process.send_signal(signal.SIGTERM)  # is meant for the grader, which ends by it
        out, err = process.communicate()
        self.assertEqual((process.returncode, err), (-signal.SIGTERM, b""))

    def test_timing_has_the_device_alone(self):
        self.hand_in("naive")
        self.grade("--csv g.csv --check-only", "100")
        device, = (self.dir / "g.csv.d/.locks").glob("device-*")
        self.library("hand-ins/right.so", SOLVE)
        with open(device) as check:
            fcntl.flock(check, fcntl.LOCK_SH)  # another grader checks on this device
            process = self.popen("grade hand-ins --host --csv g.csv --sizes 100 --time-limit 3 --reps 3")
            while process.poll() is None and len(self.documents("check")) < 2:
                time.sleep(0.01)
            time.sleep(1)
            self.assertEqual((process.poll(), self.documents("times"), self.documents("solver")), (None, [], []))
        process.communicate()
        self.assertEqual(len(self.documents("times")), 2)

    def timings(self, name="ref"):
        """All timings of a solver of this program in the store."""
        document, = self.documents(f"solver-{name}")
        first = json.loads((self.dir / "g.csv.d" / document).read_text())
        return [first, *first.pop("more", [])]

    def put_timings(self, *timings, name="ref"):
        document, = self.documents(f"solver-{name}")
        self.put(f"g.csv.d/{document}", json.dumps({**timings[0], **({"more": timings[1:]} if timings[1:] else {})}))

    def changed(self, timing, factor, disturbed):
        return {**timing, "times": [{**each, "median_ms": factor * each["median_ms"], "disturbed": disturbed}
                                    for each in timing["times"]]}

    def say_disturbed(self, by):
        """Says in the document of each hand-in's times what disturbed the first size, whatever this machine did meanwhile. by(name): None leaves it."""
        for name in self.documents("times"):
            document = json.loads((self.dir / "g.csv.d" / name).read_text())
            if by(name) is not None:
                document["times"][0]["disturbed"] = by(name)
                self.put(f"g.csv.d/{name}", json.dumps(document))

    RUBRIC = '{"speed": {"each": [[0, 1], [50, 10]]}}'

    def test_the_undisturbed_baseline_counts(self):
        self.hand_in("naive")
        self.put("r.json", self.RUBRIC)
        plain = "--csv g.csv --rubric r.json"
        self.grade(plain, "100")
        first, second = self.timings()  # before and after the class
        self.assertEqual(len(self.timings("apsp")), 2)
        slow = self.changed(first, 1000, "load")
        for stored in ((slow, self.changed(second, 1, "")), (self.changed(second, 1, ""), slow)):
            self.put_timings(*stored)
            for _ in range(2):
                row = self.grade(plain, "100")["naive.so"]
                self.assertEqual((row["points"], float(row["times"][100]["naive_ms"])), ("1", second["times"][0]["median_ms"]))
                self.assertEqual(self.timings(), list(stored))

    def test_a_disturbed_baseline_is_told_and_measured_again(self):
        self.hand_in("naive")
        self.put("r.json", self.RUBRIC)
        grade = "grade hand-ins --host --csv g.csv --sizes 100 --time-limit 3 --reps 3 --rubric r.json"
        self.apsp(grade, left=None)
        self.say_disturbed(lambda name: "")
        slow = self.changed(self.timings()[0], 1000, "load")
        self.put_timings(slow)  # the form of earlier versions, which timed it once
        told = (r"(?m)^  disturbed: ref at n = 100 \(load\)[^;]*;\s+speedups\s+and\s+points\s+depend\s+on\s+ref;"
                r"[^|]*--again-disturbed\s+measures\s+again\nrank ")
        for command in (grade, grade, "report g.csv"):
            self.apsp(command, left=None, out=told)
        row, = read_csv(self.dir / "g.csv")
        self.assertEqual(row["points"], "10")
        self.assertEqual(self.timings(), [slow])
        self.apsp(grade + " --again-disturbed", left=None)
        self.assertEqual([len(self.timings()), self.timings()[0]["times"][0]["disturbed"]], [2, "load"])
        row, = read_csv(self.dir / "g.csv")
        self.assertEqual(row["points"], "1")
        self.put_timings(slow)
        self.apsp(grade + " --again ref", left=None)
        self.assertEqual(len(self.timings()), 1)
        self.assertNotEqual(self.timings(), [slow])
        self.assertEqual(read_csv(self.dir / "g.csv")[0]["points"], "1")

    def test_times_are_measured_again(self):
        self.hand_in("naive", "tiles")
        shutil.copy(LIBRARIES / "naive.so", self.dir / "hand-ins/twin.so")
        def times():
            return {name.split("-")[1]: (self.dir / "g.csv.d" / name).read_text() for name in self.documents("times")}
        self.grade("--csv g.csv", "100")
        self.say_disturbed(lambda name: "load" if "tiles" in name else "")
        before = times()
        self.grade("--csv g.csv --again naive.so", "100")
        after = times()
        self.assertEqual({name for name in after if after[name] != before[name]}, {"naive", "twin"})
        self.assertEqual(set(after), {"naive", "twin", "tiles"})
        self.say_disturbed(lambda name: None if "tiles" in name else "")
        before = times()
        self.grade("--csv g.csv --again-disturbed", "100")
        after = times()
        self.assertEqual({name for name in after if after[name] != before[name]}, {"tiles"})
        for option, said in (("--again nive.so", "--again: no hand-in 'nive.so': did you mean 'naive.so'"),
                             ("--again ref --check-only", "--check-only"), ("--again-disturbed --check-only", "--check-only")):
            self.apsp(f"grade hand-ins --host --csv g.csv --sizes 100 {option}", 2, err=said)
        self.apsp("grade hand-ins --host --again ref", 2, err="--csv")
        self.assertEqual(times(), after)

    def test_nothing_is_lost_in_silence(self):
        self.hand_in("naive", "crash")
        self.put("r.json", self.RUBRIC)
        self.grade("--csv g.csv --rubric r.json", "100")
        before = snapshot(self.dir)
        grade = "grade {} --host --csv g.csv --sizes 100 --time-limit 3 --reps 3"
        self.apsp(grade.format("hand-ins"), 2, err="g.csv: has the points of 2 submissions, .*--without-points to drop them\n")
        (self.dir / "other").mkdir()
        shutil.copy(LIBRARIES / "naive.so", self.dir / "other/one.so")
        self.apsp(grade.format("other") + " --rubric r.json", 2,
                  err=r"g\.csv: has grades of 2 submissions that are not in other \(naive\.so, crash\.so\): .*--replace")
        self.assertEqual({name: snapshot(self.dir)[name] for name in before}, before)
        for jobs in ("", " --jobs 2"):
            self.apsp(grade.format("hand-ins") + " --without-points" + jobs, left=None)
            self.assertEqual({row["points"] for row in read_csv(self.dir / "g.csv")}, {""})
        (self.dir / "spring").mkdir()
        for name in ("naive", "crash"):
            shutil.copy(LIBRARIES / f"{name}.so", self.dir / "spring")
        self.apsp(grade.format("spring"), left=None)  # the same contents elsewhere
        shutil.copy(LIBRARIES / "naive.so", self.dir / "hand-ins/crash.so")
        before = (self.dir / "g.csv").read_bytes()
        self.apsp(grade.format("hand-ins"), 2, left=None,
                  err=r"g\.csv: has grades of other files with the same names, those in \S+/spring: .*--replace")
        self.assertEqual((self.dir / "g.csv").read_bytes(), before)
        self.apsp(grade.format("hand-ins") + " --replace", left=None)
        self.assertEqual({row["verdict"] for row in read_csv(self.dir / "g.csv")}, {"pass"})
        shutil.copy(LIBRARIES / "crash.so", self.dir / "hand-ins/crash.so")
        self.apsp(grade.format("hand-ins"), left=None)  # handed in again
        self.apsp(grade.format("other") + " --replace --jobs 2", left=None)
        self.assertEqual([row["name"] for row in read_csv(self.dir / "g.csv")], ["one.so"])

    def test_check_only_times_nothing(self):
        self.hand_in("naive", "crash")
        table = self.grade("--csv g.csv --check-only")
        self.assertEqual([row["verdict"] for row in table.values()], ["crashed", "waiting"])
        self.assertEqual(table["naive.so"]["reason"], "every result is right; not timed yet")
        before = self.documents("check")
        self.assertEqual(self.grade("--csv g.csv")["naive.so"]["rank"], "1")
        self.assertEqual(self.documents("check"), before)

    def test_graders_share_a_file(self):
        self.hand_in("naive", "small_n", "forged")
        first = self.endless("grade hand-ins --host --csv g.csv --sizes 100 --time-limit 15 --reps 3")
        self.apsp("grade hand-ins --host --csv g.csv --sizes 100 --check-only --time-limit 15 --reps 3",
                  out=rf"slow\.so .*  waiting\n      in work by process \d+ on \S+\s+since", left=None)
        first.kill()
        first.communicate()
        self.assertEqual(self.grade("--csv g.csv", "100", 15)["small_n.so"]["verdict"], "wrong")

    def test_an_interrupt_before_the_first_result(self):
        process = self.endless("grade hand-ins --host --csv g.csv --sizes 100")
        process.send_signal(signal.SIGINT)
        self.assertRegex(process.communicate()[0].decode(),
                         r"\n\nINTERRUPTED before the first submission was checked\.\n\Z")

    def test_other_content_or_sizes_are_graded_again(self):
        self.hand_in("naive")
        first = self.grade("--csv g.csv")["naive.so"]
        sha = hashlib.sha256((LIBRARIES / "naive.so").read_bytes()).hexdigest()
        self.assertEqual(first["digest"], sha)  # as sha256sum prints it
        shutil.copy(LIBRARIES / "forged.so", self.dir / "hand-ins" / "naive.so")
        self.assertEqual(self.grade("--csv g.csv")["naive.so"]["rank"], "")
        shutil.copy(LIBRARIES / "naive.so", self.dir / "hand-ins" / "naive.so")
        self.assertEqual(self.grade("--csv g.csv")["naive.so"], first)  # the document is still there
        self.grade("--csv g.csv", "101,150")
        self.assertEqual((len(self.documents("check")), len(self.documents("times"))), (2, 2))

    def test_another_plan_is_graded_again(self):
        self.hand_in("naive")
        for count, (options, reps, limit) in enumerate((("", 3, 3), ("", 4, 3), ("--warmup 2", 3, 3), ("", 3, 4)), 1):
            for _ in range(2):
                self.grade(f"--csv g.csv {options}", "100", limit, reps=f"--reps {reps}")
                self.assertEqual(len(self.documents("times")), count, (options, reps, limit))


@unittest.skipIf(NO_LIBRARIES, NO_LIBRARIES)
class Cost(Suite):
    """scripts/grading_cost.py"""

    def test_what_an_honest_hand_in_loses(self):
        said = self.script("grading_cost.py", f"--host {LIBRARIES / 'naive.so'} --sizes 100,150 --calls 3 --csv cost.csv")
        self.assertEqual(said, (self.dir / "cost.csv").read_text())
        rows = read_csv(self.dir / "cost.csv")
        self.assertEqual([row["n"] for row in rows], ["100", "150"])
        for row in rows:
            plain, graded = float(row["plain_ms"]), float(row["graded_ms"])
            self.assertTrue(plain > 0 and graded > 0, row)
            self.assertAlmostEqual(float(row["differs_pct"]), 100 * (graded / plain - 1), 1)
            self.assertTrue(float(row["build_s"]) < float(row["check_s"]) and float(row["time_s"]) > 0, row)

    def test_a_wrong_one_has_no_cost(self):
        said = r"\Agrading_cost.py: small_n\.so: wrong: .*\n\Z"
        self.script("grading_cost.py", f"--host {LIBRARIES / 'small_n.so'} --sizes 50 --calls 1", 1, said)
        self.script("grading_cost.py", "--host missing.so", 3, r"missing\.so: no such file")


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
        self.run_example("check --quick --host --kernel ./mine.so --witness w --seed 203", 1)

    def test_grade(self):
        (self.dir / "hand-ins").mkdir()
        for name in ("naive", "small_n", "crash"):
            shutil.copy(LIBRARIES / f"{name}.so", self.dir / "hand-ins")
        self.run_example("grade hand-ins --host --sizes 200,500", 0)


if __name__ == "__main__":
    unittest.main()
