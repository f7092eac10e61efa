"""A class: who handed in what, what goes back to students and course systems, near copies, and two gradings compared.
`python3 tests/class_test.py` runs ./apsp or $APSP."""
import csv, io, json, os, re, shutil, signal, subprocess, tempfile, time, unittest
from pathlib import Path

import hand_ins, whole_class
from harness import APSP, ROOT, Suite
from sources_test import NAIVE, WRONG, Folder

RUBRIC = {"title": "HW1", "pass": 10, "families": {"each": 1}, "speed": {"each": [[0.000001, 2], [1000000, 5]]},
          "late": {"due": "2026-01-31T12:00:00Z", "percent_per_day": 10, "most_percent": 15}}
TILED = """#include <algorithm>
static void relax_rows(int count, int from, int to, int via, int* matrix) {
  for (int row = from; row < to; ++row) {
    const int first = matrix[row * count + via];
    int* out = matrix + row * count; /* the row */
    for (int column = 0; column < count; ++column)
      out[column] = std::min(out[column], first + matrix[via * count + column]);
  }
}
void apsp(int count, int* matrix) {
  int via = 0;
  while (via < count) {
    relax_rows(count, 0, count / 2, via, matrix);
    relax_rows(count, count / 2, count, via, matrix);
    ++via;
  }
}
"""
WORDS = {"relax_rows": "work", "count": "n", "from": "lo", "to": "hi", "via": "k", "matrix": "d", "row": "i", "column": "j"}


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


class Class(Folder):
    def setUp(self):
        super().setUp()
        self.put("r.json", json.dumps(RUBRIC))

    def graded(self, options, sizes="200,240"):  # far longer than a call costs, also on busy cores
        return self.grade(f"--rubric r.json {options}", sizes)

    def read(self, name):
        return (self.dir / name).read_text()


class Students(Class):
    def test_of_moodle(self):
        self.hand_in("Ann Lee_101_assignsubmission_file_/apsp.cpp", NAIVE)
        self.hand_in("王小明_102_assignsubmission_file_/apsp.cpp", WRONG)
        self.hand_in("Bob_103_assignsubmission_file_/README", "x")
        self.hand_in("stranger.cpp", NAIVE)
        self.put("s.csv", "\ufeffIdentifier,Full name,Email address,Status,Last modified (submission)\r\n"
                          "Participant 101,\"Lee, Ann\",ann@x.org,Submitted,\"Sunday, 1 February 2026, 1:00 PM\"\r\n"
                          "Participant 102,王小明,wang@x.org,Submitted,2026-01-31 11:59\r\n"
                          "Participant 103,Bob,bob@x.org,,-\r\n"
                          "Participant 104,=Nobody,,,-\r\n")
        table = self.graded("--students s.csv --moodle m.csv --canvas c.csv --feedback fb")
        self.assertEqual([table[name]["student"] for name in table],
                         ["Lee, Ann", "", "王小明", "Bob"])
        ann = table["Ann Lee_101_assignsubmission_file_"]
        self.assertEqual(ann["student_id"], "101")
        full = float(table["stranger.cpp"]["points"])
        self.assertAlmostEqual(float(ann["points"]), full * 0.85)  # two days have begun, 15 % at most
        self.assertRegex(ann["points_lines"], r"; late -\d")
        self.assertIn("      Lee, Ann, id 101\n", self.said)
        moodle = {row["Identifier"]: row for row in rows(self.read("m.csv"))}
        self.assertEqual(list(moodle), [f"Participant {n}" for n in (101, 102, 103, 104)])
        self.assertEqual({row["Maximum Grade"] for row in moodle.values()}, {moodle["Participant 101"]["Maximum Grade"]})
        self.assertEqual(moodle["Participant 101"]["Grade"], ann["points"])
        self.assertEqual([moodle[f"Participant {n}"]["Grade"] for n in (103, 104)], ["0", "0"])
        self.assertRegex(moodle["Participant 103"]["Feedback comments"], r"\Aleft out: a folder without apsp\.cpp")
        self.assertEqual(moodle["Participant 104"]["Feedback comments"], "no hand-in")
        self.assertEqual(moodle["Participant 104"]["Full name"], "'=Nobody")  # no formula
        header, possible, *canvas = list(csv.reader(io.StringIO(self.read("c.csv"))))
        self.assertEqual(header, ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "HW1"])
        self.assertEqual(possible[5], moodle["Participant 101"]["Maximum Grade"])
        self.assertEqual([row[1] for row in canvas], ["101", "102", "103", "104"])
        self.assertEqual(canvas[0][0], "Lee, Ann")
        self.feedback(table)

    def feedback(self, table):
        """Each author is told all of the own hand-in, and nothing of the others."""
        names = {name: self.read(f"fb/{name}.txt") for name in table}
        self.assertEqual(sorted(path.name for path in (self.dir / "fb").iterdir()), sorted(f"{name}.txt" for name in table))
        for name, text in names.items():
            self.assertNotIn(str(self.dir), text)
            for other in table:
                if other != name:
                    self.assertNotIn(other.split("_")[0], text, name)
        wrong = names["王小明_102_assignsubmission_file_"]
        for words in (r"verdict +wrong", r"diagnosis +", r"0 of 10 +pass +wrong", "\nThe smallest graph that fails: ",
                      "  expected", r"\* wrong: \d+ of", r"\n  \./apsp check --quick --host --seed \d+ --kernel \./apsp\.cpp\n"):
            self.assertRegex(wrong, words)
        command = re.search(r"\n  \./apsp (--n .*)\n", wrong)[1]  # shows the failure
        shutil.copy(self.dir / "hand-ins/王小明_102_assignsubmission_file_/apsp.cpp", self.dir)
        self.apsp(command, 1, err="differ", left=None)
        right = names["Ann Lee_101_assignsubmission_file_"]
        self.assertRegex(right, r"\nTimes\n  n = 200: .* ms, .* times as fast as ref")
        self.assertRegex(right, r"\n  \./apsp --family necessary --n 200 --seed \d+ .* --kernel \./apsp\.cpp --verify apsp\n")

    def test_of_canvas_and_gradescope(self):
        for name in ("leeann_7_900_apsp.cpp", "bob_LATE_8_901_apsp.cpp", "submission_55.cpp"):
            self.hand_in(name, NAIVE)
        self.put("canvas.csv", "Student,ID,SIS Login ID,Section,HW1 (42)\n    Points Possible,,,,30\n"
                               "\"Lee, Ann\",7,ann,A,\nBob,8,bob,A,\n")
        table = self.graded("--students canvas.csv --canvas c.csv --feedback fb")
        self.assertEqual(table["leeann_7_900_apsp.cpp"]["student"], "Lee, Ann")
        self.assertEqual(table["bob_LATE_8_901_apsp.cpp"]["student"], "Bob")
        self.assertEqual(self.read("c.csv").split("\n")[0], "Student,ID,SIS User ID,SIS Login ID,Section,HW1 (42)")
        feedback = self.read("fb/leeann_7_900_apsp.cpp.txt")
        self.assertRegex(feedback, r"--kernel \./apsp\.cpp\n\Z")
        self.assertNotIn("--kernel ./leeann", feedback)
        self.assertEqual(table["submission_55.cpp"]["same_as"], "bob_LATE_8_901_apsp.cpp, leeann_7_900_apsp.cpp")
        self.assertIn("same content as", self.said)
        self.put("scope.csv", "First Name,Last Name,SID,Email,Submission ID,Submission Time\n"
                              "Ann,Lee,s7,ann@x.org,55,2026-02-01 09:00:00 -0800\n")
        (self.dir / "hand-ins/submission_55").mkdir()
        shutil.move(self.dir / "hand-ins/submission_55.cpp", self.dir / "hand-ins/submission_55/apsp.cpp")
        table = self.graded("--students scope.csv --replace")
        self.assertEqual((table["submission_55"]["student"], table["submission_55"]["student_id"]), ("Ann Lee", "s7"))
        self.assertIn("late ", table["submission_55"]["points_lines"])  # 17:00 UTC of the next day: two days

    def test_grades_as_gradescope_exports_them(self):
        self.hand_in("submission_55/apsp.cpp", NAIVE)
        self.hand_in("submission_56/apsp.cpp", WRONG)
        self.hand_in("submission_57/report.pdf", "x")
        self.put("s.csv", "First Name,Last Name,SID,Email,Sections,Total Score,Max Points,Status,Submission ID\r\n"
                          "Ann,\"van Lee, the 2nd\",s7,ann@x.org,A,,30,Ungraded,55\r\n小明,王,s8,wang@x.org,B,,30,Ungraded,56\r\n"
                          "Bob,=1+1,s9,bob@x.org,B,,30,Ungraded,57\r\nCarl,,s10,carl@x.org,,,30,Missing,\r\n")
        table = self.graded("--students s.csv --gradescope-csv scope.csv")
        header, *found = list(csv.reader(io.StringIO(self.read("scope.csv"))))
        self.assertEqual(header, ["First Name", "Last Name", "SID", "Email", "Sections", "Total Score", "Max Points", "Status",
                                  "Submission ID", "Comments"])
        self.assertEqual([row[:5] for row in found], [
            ["Ann", "van Lee, the 2nd", "s7", "ann@x.org", "A"], ["小明", "王", "s8", "wang@x.org", "B"],
            ["Bob", "'=1+1", "s9", "bob@x.org", "B"], ["Carl", "", "s10", "carl@x.org", ""]])
        self.assertEqual([row[5] for row in found], [table["submission_55"]["points"], table["submission_56"]["points"], "0", "0"])
        self.assertGreater(float(found[0][5]), 10)
        most, = {row[6] for row in found}
        self.assertGreaterEqual(float(most), float(found[0][5]))
        self.assertEqual([row[7:9] for row in found], [["Graded", "55"], ["Graded", "56"], ["Graded", "57"], ["Missing", ""]])
        for row, comment in zip(found, (r"pass; pass 10/10", r"wrong: .*; pass 0/10", "left out: ", r"no hand-in\Z")):
            self.assertRegex(row[9], rf"\A{comment}")
        # Names of one column are parted, and nobody has points who is not graded yet.
        self.put("s.csv", "id,name,file\ns7,\"Lee, Ann\",submission_55\ns8,王小明,submission_56\ns9,Bob de Boer,submission_57\n")
        self.apsp("grade hand-ins --host --check-only --sizes 40,60 --rubric r.json --students s.csv --gradescope-csv scope.csv", left=None)
        _, *found = list(csv.reader(io.StringIO(self.read("scope.csv"))))
        self.assertEqual([row[:3] for row in found], [["Ann", "Lee", "s7"], ["王小明", "", "s8"], ["Bob de", "Boer", "s9"]])
        self.assertEqual([(row[5], row[7]) for row in found][::2], [("", "Ungraded"), ("0", "Graded")])

    def test_two_hand_ins_of_one(self):
        self.hand_in("ann.cpp", WRONG)
        self.hand_in("ann.c", NAIVE)
        os.utime(self.dir / "hand-ins/ann.cpp", (1, 1))
        self.put("s.csv", "id,name\nann,Ann Lee\n")
        run = self.popen("grade hand-ins --host --sizes 200 --reps 3 --rubric r.json --students s.csv --moodle m.csv")
        said = run.communicate()[1].decode()
        self.assertEqual(run.returncode, 0, said)
        self.assertIn("apsp: warning: 2 hand-ins of Ann Lee: ann.cpp, ann.c: the last one counts", said)
        self.assertGreater(float(rows(self.read("m.csv"))[0]["Grade"]), 10)
        self.hand_in("ann.pdf", "a report")  # is newer, and no program
        os.utime(self.dir / "hand-ins/ann.cpp", (2, 2))
        os.utime(self.dir / "hand-ins/ann.c", (2, 2))  # at the same time: the last one by name
        self.apsp("grade hand-ins --host --sizes 200 --reps 3 --rubric r.json --students s.csv --moodle m.csv",
                  err="2 hand-ins of Ann Lee: ann.c, ann.cpp: the last one counts", left=None)
        self.assertLess(float(rows(self.read("m.csv"))[0]["Grade"]), 10)
        self.assertRegex(rows(self.read("m.csv"))[0]["Feedback comments"], r"\Awrong")

    def test_what_cannot_be(self):
        self.hand_in("ann.cpp", NAIVE)
        self.put("empty.csv", "colour\nred\n")
        self.put("time.csv", "id,handed_in\nann,yesterday\n")
        for options, code, err in (("--students none.csv", 3, "none.csv: cannot be read"),
                                   ("--students empty.csv", 3, "empty.csv: no student here: expected a header with file, id"),
                                   ("--students time.csv", 3, "time.csv: .*: no time here: .*'yesterday'"),
                                   ("--moodle m.csv", 2, "--students"), ("--gradescope-csv m.csv", 2, "--students"), ("--gradescope r", 2, "--rubric"),
                                   ("--students time.csv --moodle m.csv", 3, "yesterday")):
            with self.subTest(options):
                self.apsp(f"grade hand-ins --host --check-only {options}", code, err=err)
        self.put("s.csv", "id\nann\n")
        self.apsp("grade hand-ins --host --check-only --students s.csv --moodle m.csv", 2, err="--moodle: there are no points without --rubric")
        self.hand_in("bob.cpp", NAIVE)
        self.apsp("grade hand-ins --host --rubric r.json --gradescope r", 3, err="is for one hand-in: found ann.cpp and bob.cpp")
        self.put("r.json", '{"late": {"due": "soon"}}')
        self.apsp("grade hand-ins --host --check-only --rubric r.json", 3, err=r"late\.due: expected a time such as")

    def test_gradescopes_autograder(self):
        """docs/gradescope, in the layout that Gradescope documents."""
        for name in ("source", "submission", "results"):
            (self.dir / "autograder" / name).mkdir(parents=True)
        self.put("autograder/source/rubric.json", json.dumps({**RUBRIC, "speed": {}}))
        for content, least, status in ((NAIVE, 10, "passed"), (WRONG, 0, "failed"), ("no C++", 0, "failed")):
            (self.dir / "autograder/submission/apsp.cpp").write_text(content)
            done = subprocess.run([ROOT / "docs/gradescope/run_autograder"], capture_output=True, text=True,
                                  env={**os.environ, "AUTOGRADER": str(self.dir / "autograder"), "APSP": APSP})
            self.assertEqual(done.returncode, 0, done.stderr)
            results = json.loads(self.read("autograder/results/results.json"))
            self.assertGreaterEqual(results["score"], least)
            self.assertLessEqual(results["score"], results["max_score"])
            self.assertEqual(results["tests"][0]["name"], "pass")
            self.assertEqual(results["tests"][0]["status"], status)
            self.assertAlmostEqual(sum(test["score"] for test in results["tests"]), results["score"])
            self.assertIn("verdict", results["output"])


class Ranks(unittest.TestCase):
    def test_two_gradings_contradict_each_other_without_overlap_only(self):
        fast, close, slow = (1.0, 1.1), (1.05, 1.2), (2.0, 2.1)
        for first, second, found in (((fast, slow), (slow, fast), [("a", "b")]), ((slow, fast), (fast, slow), [("b", "a")]),
                                     ((fast, slow), (fast, slow), []), ((fast, close), (slow, fast), []),
                                     ((fast, slow), (close, fast), [])):
            def places(times):
                return {name: whole_class.Place(1 + (own > min(times)), *own) for name, own in zip("ab", times)}
            self.assertEqual(whole_class.contradictions(places(first), places(second)), found)

    def test_hand_ins_of_the_class_differ(self):
        with tempfile.TemporaryDirectory() as folder:
            names = hand_ins.make(folder, 40, whole_class.SHAPES, own=True)
            contents = [(path / "apsp.cpp" if path.is_dir() else path).read_bytes() for path in map(Path(folder).joinpath, names)]
        self.assertEqual(len(set(contents)), 40)
        self.assertEqual({whole_class.expected_verdict(name) for name in names}, {"pass", "wrong", "does not compile"})


class Comparing(Class):
    def test_near_copies_are_listed(self):
        copied = TILED.replace("/* the row */", "").replace("  ", "\t")
        for word, other in WORDS.items():
            copied = re.sub(rf"\b{word}\b", other, copied)
        self.hand_in("ann.cpp", TILED)
        self.hand_in("bob.cpp", "// all my own work\n" + copied)
        self.hand_in("carl.cpp", NAIVE)
        self.hand_in("Lee, Ann_101_assignsubmission_file_/apsp.cpp", NAIVE)
        self.grade("--check-only --similar")
        self.assertRegex(self.said, r"\nSources that resemble each other\. Read them: this proves nothing\.\n +\d+ %  \d+ fingerprints: ann\.cpp and bob\.cpp\n")
        self.assertNotIn("carl.cpp and", self.said)
        self.assertNotIn("and carl.cpp", self.said)
        for names in ("Lee, Ann_101_assignsubmission_file_", "carl.cpp,Lee, Ann_101_assignsubmission_file_,bob.cpp"):
            self.apsp(["grade", "hand-ins", "--host", "--check-only", "--csv", "g.csv", "--sizes", "60", "--only", names], left=None)
        self.apsp(["grade", "hand-ins", "--host", "--csv", "g.csv", "--only", "Lee, Bob"], 2, err="--only: no hand-in 'Lee'")

    def test_two_gradings(self):
        self.hand_in("ann.cpp", NAIVE)
        self.hand_in("bob.cpp", WRONG)
        before = self.graded("--json before.json")
        self.assertNotIn("kept from earlier runs", self.said)
        shutil.copy(self.dir / "g.csv", self.dir / "before.csv")
        self.hand_in("bob.cpp", NAIVE + "// repaired\n")
        self.hand_in("carl.cpp", WRONG)
        again = self.graded("--only bob.cpp --json after.json --bom")
        self.assertIn("kept from earlier runs: the checks of 1 of 3 submissions, the times of 1\n", self.said)
        self.assertEqual([name for name in ("g.csv", "g.sizes.csv") if (self.dir / name).read_bytes().startswith(b"\xef\xbb\xbfrank,")
                          or (self.dir / name).read_bytes().startswith(b"\xef\xbb\xbfname,")], ["g.csv", "g.sizes.csv"])
        self.assertEqual(again["ann.cpp"]["median_ms"], before["ann.cpp"]["median_ms"])
        self.assertEqual(again["bob.cpp"]["verdict"], "pass")
        self.assertEqual(again["carl.cpp"]["verdict"], "waiting")
        said = self.apsp("compare before.csv g.csv", out=(r"(?m)^bob\.cpp .* > .*  wrong > pass$", r"(?m)^ann\.cpp .*  pass$",
                                                          r"(?m)^carl\.cpp .*  - > waiting$"))
        self.assertIn("\n3 hand-ins: 1 with other points, 1 with another verdict, 0 only in A, 1 only in B\n", said)
        self.assertRegex(said, r"\nrose +bob\.cpp \(- > \d\)\n(fell +ann\.cpp \(1 > 2\)\n)?verdict +bob\.cpp \(wrong > pass\)\n\Z")
        self.assertEqual([json.loads(self.read("after.json"))["submissions"][k]["student_id"] for k in range(2)], [None, None])
        self.assertRegex(self.apsp("compare g.csv after.json"), r"\n3 hand-ins: 0 with other points, 0 with another verdict, 0 only in A, 0 only in B\n\Z")
        same = self.apsp("compare before.json after.json")
        self.assertEqual(same.split("\n", 2)[2], said.split("\n", 2)[2])
        self.assertRegex(self.apsp("compare g.csv before.json"), r"\nfell +bob\.cpp \(\d > -\)\nverdict")
        self.put("cut.json", self.read("before.json")[:1000])
        self.apsp("compare before.json cut.json", 3, err="cut.json: is no whole document of grades")
        self.put("records.csv", "n\n")
        self.apsp("compare g.csv records.csv", 3, err="records.csv: no file of grades, but the other one is")
        self.apsp("report g.sizes.csv", 3, err=r"apsp report g\.csv prints its table")
        self.apsp("report g.csv", out="rank")
        self.apsp("grade hand-ins --host --csv g.csv --rubric r.json --only nobody.cpp", 2, err="--only: no hand-in 'nobody.cpp'")

    def test_without_a_gpu_it_grades_sources_for_the_cpu(self):
        self.hand_in("ann.cpp", NAIVE)
        without = {"CUDA_VISIBLE_DEVICES": ""}
        self.apsp("grade hand-ins --check-only --sizes 40", env=without, out=(r"\ANo GPU \(.*\): grading on the CPU, as --host does\.\n", r"ann\.cpp .* pass|waiting"))
        for other in ("bob.cu", "carl.zip", "dora.so"):  # of which nobody knows what the latter are for
            self.hand_in(other, NAIVE)
            self.apsp("grade hand-ins --check-only --sizes 40", 4, env=without, err="no GPU: .*: use --host")
            (self.dir / "hand-ins" / other).unlink()

    def test_a_folder_is_watched(self):
        process = self.popen("grade hand-ins --host --check-only --csv g.csv --watch 1")
        self.addCleanup(process.kill)
        self.hand_in("ann.cpp", NAIVE)
        def rows_now():
            path = self.dir / "g.csv"
            return {row["name"]: row["reason"] for row in rows(path.read_text())} if path.exists() else {}
        def until(name, words):
            self.wait_until(lambda: words in rows_now().get(name, ""), process)
        until("ann.cpp", "every result is right")
        self.hand_in("bob.cpp", WRONG)
        until("bob.cpp", "results are wrong")
        self.hand_in("bob.cpp", NAIVE)
        until("bob.cpp", "every result is right")
        bob = self.dir / "hand-ins/bob.cpp"
        bob.rename(self.dir / "bob.cpp")  # who takes a hand-in back loses its grade
        self.wait_until(lambda: list(rows_now()) == ["ann.cpp"], process)
        (self.dir / "hand-ins").rename(self.dir / "away")  # what cannot be reached is looked for again
        said = os.read(process.stderr.fileno(), 1000).decode()
        self.assertRegex(said, r"\Aapsp: hand-ins: [^\n]+\n\Z")
        (self.dir / "away/ann.cpp").rename(self.dir / "ann.cpp")
        (self.dir / "away").rename(self.dir / "hand-ins")
        said = os.read(process.stderr.fileno(), 1000).decode()
        self.assertRegex(said, r"\Aapsp: hand-ins: no submission here")
        self.assertEqual(list(rows_now()), ["ann.cpp"])
        (self.dir / "bob.cpp").rename(bob)
        self.wait_until(lambda: list(rows_now()) == ["bob.cpp"], process)
        process.send_signal(signal.SIGINT)
        process.communicate()


if __name__ == "__main__":
    unittest.main()
