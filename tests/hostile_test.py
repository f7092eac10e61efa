"""Files, names and texts from people who mean harm: what of them reaches a terminal or a spreadsheet, and how much memory
they take. `python3 tests/hostile_test.py` runs ./apsp or $APSP.

WAYS_OUT lists every way on which a text from outside leaves the program. BOMBS lists every reader of files.
"""
import csv, io, itertools, json, os, pty, re, shutil, struct, subprocess, unittest, zipfile
from pathlib import Path

from harness import CPU, ROOT, SOLVE, Suite, has_symbol, npy, packers

SANITIZED = has_symbol("__asan_init")  # then it reserves memory of its own

# ---- what is shown ----------------------------------------------------------------------------------------

# Controls, a formula and one behind a ;, a byte that is no UTF-8, and characters that nobody sees: a direction, a blank
# without width, a mark on the letter before it, a tag.
TEXT = b"=1+1\x1b[32mx\x1b]0;=2\x07\xe2\x80\xae\xe2\x80\x8be\xcc\x81\xf3\xa0\x81\xa1\x9b\xc2\x9b"
NAME = os.fsdecode(TEXT + b"\napsp: forged\rz")  # of a file
LABEL = TEXT.replace(b";", b"")                  # of a vertex, which is on one line
HIDDEN = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u00ad\u0300-\u036f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
                    "\udc80-\udcff\U000e0000-\U000e0fff]")
NODES = json.dumps({"directed": True, "nodes": [{"id": LABEL.decode("latin-1")}, {"id": "b"}],
                    "links": [{"source": "b", "target": LABEL.decode("latin-1"), "weight": "\x1b[2J"}]})
LIST = b'"' + LABEL + b'" b 5\n'
TABLE = b"from,to,\x1b[2J\xe2\x80\xae\n0,1,5\n"
XML = ('<?xml version="1.0"?><graphml><graph edgedefault="directed"><node id="\u009b2J\u202e"/><node id="\u009b2J\u202e"/>'
       "</graph></graphml>")

# A name → the command line, the exit code, and files that it reads. N is NAME, and L is a label as a shell passes it.
N, L = "./" + NAME, os.fsdecode(LABEL)
WAYS_OUT = {
    "solve": ([N + ".el", *CPU.split()], 0, {N + ".el": "0 1 5\n1 2 5\n"}),
    "solve, verified and written": ([N + ".el", *CPU.split(), "--verify", "-o", N + ".npy", "--predecessors", N + ".p.npy"],
                                    0, {N + ".el": "0 1 5\n1 2 5\n"}),
    "records as CSV": ([N + ".el", *CPU.split(), "--csv", "-"], 0, {N + ".el": "0 1 5\n"}),
    "records as JSON": ([N + ".el", *CPU.split(), "--json", "-"], 0, {N + ".el": "0 1 5\n"}),
    "a plan": ([N + ".el", *CPU.split(), "--record", N + "d", "--plan"], 0, {N + ".el": "0 1 5\n"}),
    "a recorded point": ([N + ".el", *CPU.split(), "--record", N + "d"], 0, {N + ".el": "0 1 5\n"}),
    "info": (["info", N + ".el", "--labels"], 0, {N + ".el": LIST}),
    "info as JSON": (["info", N + ".el", "--labels", "--json"], 0, {N + ".el": LIST}),
    "convert": (["convert", N + ".el", N + ".gr", "--labels"], 0, {N + ".el": LIST}),
    "gen": (["gen", "--n", "3", "-o", N + ".el"], 0, {}),
    "path": (["path", "g.el", "--labels", L, "b"], 0, {"g.el": LIST}),
    "path as JSON": (["path", "g.el", "--labels", L, "b", "--json"], 0, {"g.el": LIST}),
    "path to no vertex": (["path", "g.el", "--labels", L + "x", "b"], 2, {"g.el": LIST}),
    "distances of no vertex": (["g.el", "--labels", "--sources", L + "x", *CPU.split()], 2, {"g.el": LIST}),
    "a negative cycle": (["g.el", "--labels", "--negative", *CPU.split()], 3, {"g.el": LIST + LIST.replace(b"b 5", b"c -9")
                                                                               + b'c "' + LABEL + b'" 1\n'}),
    "a missing file": (["info", N], 3, {}),
    "an unknown option": (["--" + NAME], 2, {}),
    "an unknown kernel": (["--n", "5", "--device", "cpu", "--kernel", L.replace(".", "").replace("/", "")], 2, {}),
    "an unknown format": (["info", "g.el", "--format", L], 2, {"g.el": "0 1\n"}),
    "a wrong edge list": (["info", "g.el"], 3, {"g.el": b"0 " + LABEL + b"\n"}),
    "a wrong table": (["info", "g.csv", "--weight", L], 3, {"g.csv": TABLE}),
    "a wrong .gr": (["info", "g.gr"], 3, {"g.gr": b"p sp 2 1\na 1 2 " + LABEL + b"\n"}),
    "a wrong .mtx": (["info", "g.mtx"], 3, {"g.mtx": b"%%MatrixMarket matrix " + LABEL + b"\n"}),
    "a wrong .npy": (["info", "g.npy"], 3, {"g.npy": npy("\x1b[2J", "<i", 0)}),
    "a wrong matrix": (["info", "g.txt", "--format", "matrix"], 3, {"g.txt": b"0 " + LABEL + b"\n1 0\n"}),
    "a wrong .graph": (["info", "g.graph"], 3, {"g.graph": b"2 1 " + LABEL + b"\n"}),
    "wrong JSON": (["info", "g.json"], 3, {"g.json": NODES}),
    "other attributes in JSON": (["info", "g.json"], 3, {"g.json": NODES.replace('"weight": "\\u001b[2J"', '"\\u202e\\u001b": 5')}),
    "wrong GraphML": (["info", "g.graphml"], 3, {"g.graphml": XML}),
    "a file that is no zip": (["info", "g.npz"], 3, {"g.npz": b"PK\3\4" + TEXT}),
    "a solver": (["--n", "20", *CPU.split(), "--kernel", N + ".so", "--verify", "--csv", N + "r.csv"], 1, {}),
    "a solver that cannot be loaded": (["--n", "20", *CPU.split(), "--kernel", "./x" + NAME + ".so,apsp"], 3, {"x" + NAME + ".so": TEXT}),
    "check": (["check", "--quick", "--host", "--kernel", N + ".so", "--witness", NAME + "w", "--csv", N + "c.csv"], 1, {}),
    "check as CSV": (["check", "--quick", "--host", "--kernel", N + ".so", "--csv", "-"], 1, {}),
    "check as JSON": (["check", "--quick", "--host", "--kernel", N + ".so", "--json", "-"], 1, {}),
    "grade": (["grade", "in", "--host", "--sizes", "20", "--csv", N + "g.csv", "--jobs", "1"], 0, {}),
    "grade, explained": (["grade", "in", "--host", "--check-only", "--rubric", N, "--explain"], 0, {N: '{"title": "\\u202e\\u009b", "pass": 1}'}),
    "grades as JSON": (["grade", "in", "--host", "--check-only", "--json", "-"], 0, {}),
    "grades that are read": (["report", N + "g.csv"], 0, {}),
    "records that are read as CSV": (["report", N + "r.csv", "--csv", "-"], 0, {}),
    "records in Markdown": (["report", N + "r.csv", "--markdown"], 0, {}),
    "a comparison": (["compare", N + "r.csv", N + "r.csv"], 0, {}),
    "a wrong rubric": (["grade", "in", "--host", "--rubric", N], 3, {N: b'{"' + L.encode(errors="replace").replace(b"\x1b", b"") + b'": 1}'}),
}


class WaysOut(Suite):
    """One folder for all, because later commands read what earlier ones wrote."""
    def test_nothing_harmful_is_shown(self):
        self.put("in/" + NAME + ".cpp.txt", "")
        self.library(N + ".so", "if (n > 2) g[1] = 7;")
        (self.dir / "in").mkdir(exist_ok=True)
        shutil.copy(self.dir / (N + ".so"), self.dir / "in" / (NAME + ".so"))
        self.library("in/right" + NAME + ".so", SOLVE)
        records = [N + ".el", *CPU.split(), "--csv", N + "r.csv", "--quiet"]
        self.put(N + ".el", "0 1 5\n")
        self.assertEqual(self.run_one(records)[0], 0)
        for name, (argv, code, files) in WAYS_OUT.items():
            with self.subTest(name):
                for file, content in files.items():
                    self.put(file, content)
                got, out, err = self.run_one(argv)
                told = f"{argv}\n{out}\n{err}\n[exit {got}]"
                self.assertEqual(got, code, told)
                for text in (out, err):
                    self.assertIsNone(HIDDEN.search(text), told.encode("unicode_escape").decode())
                    if "CSV" not in name:  # where a line break is within quotes
                        self.assertNotRegex(text, r"(?m)^apsp: forged", told)
                self.assertRegex(err, r"\A(apsp: .*\n)*\Z", told)
                for text in [out] * ("CSV" in name) + [path.read_text(errors="surrogateescape") for path in self.dir.glob("*.csv")]:
                    self.assert_guarded(text)

    def run_one(self, argv):
        done = self.popen(argv)
        out, err = (os.fsdecode(text) for text in done.communicate())
        return done.returncode, out, err

    def assert_guarded(self, text):
        """No cell is a formula, whatever separates them for the spreadsheet."""
        for separator in ",;\t":
            for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
                for cell in row:
                    number = re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", cell)
                    self.assertFalse(cell.lstrip(' "')[:1] in tuple("=+-@\uff1d\uff0b\uff0d\uff20") and not number, f"{cell!r} in {row}")

    def test_the_name_stays_in_files(self):
        """Records have the bytes of the name, and a command names the file in ASCII."""
        self.library(N + ".so", SOLVE)
        self.apsp(["--n", "5", *CPU.split(), "--kernel", N + ".so", "--json", "j", "--csv", "c.csv", "--quiet"], left=None)
        record, = json.loads((self.dir / "j").read_bytes())
        self.assertEqual(os.fsencode(record["kernel"]), os.fsencode(N + ".so"))
        with open(self.dir / "c.csv", newline="", errors="surrogateescape") as file:
            row, = csv.DictReader(file)
        self.assertEqual(os.fsencode(row["kernel"].replace("'=", "=")), os.fsencode(N + ".so"))
        self.library("wrong\x1b\n.so", "if (n > 2) g[1] = 7;")
        out = self.run_one(["check", "--quick", "--host", "--kernel", "./wrong\x1b\n.so"])[1]
        self.assertIn(r"--kernel $'./wrong\033\012.so'", out)

    def test_data_on_a_terminal(self):
        """What a program reads has the names as they are; a terminal gets the same with a ? for what it would not show."""
        self.put("g.el", LIST)
        argv = ["g.el", "--labels", *CPU.split(), "-o", "-", "--to", "tsv"]
        code, out, _ = self.run_one(argv)
        self.assertEqual((code, os.fsencode(out).count(LABEL)), (0, 2))
        ours, theirs = pty.openpty()
        process = self.popen(argv, stdout=theirs)
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 1 << 16):
                shown += piece
        except OSError:  # the end of a terminal
            pass
        os.close(ours)
        process.communicate()
        self.assertRegex(shown.decode().replace("\r\n", "\n"), r"=1\+1\?\[32mx")
        self.assertIsNone(HIDDEN.search(shown.decode().replace("\r\n", "\n").replace("\t", " ")), shown)


class Source(unittest.TestCase):
    # The files that print by themselves, and what they print.
    PRINTERS = {"src/harness/system/screen.cpp": "forScreen() makes it safe", "src/harness/system/progress_line.cpp": "inLocale() does",
                "src/program/cli/script.cpp": "a file for a script", "src/program/commands/man.cpp": "a text of this program",
                "src/program/commands/completion.cpp": "a text of this program",
                "src/course/submission/sandbox.cpp": "of the compiler's process: its parent reads it",
                "src/course/submission/compile.cpp": "the source of a header", "src/engine/several/checkpoint.cpp": "a file"}

    def test_all_that_is_shown_goes_through_one_function(self):
        prints = r"\b(printf|fprintf|fputs|puts|fwrite|perror|psignal|vprintf)\(|fmt::print\(|std::(cout|cerr|clog)|::write\(STD"
        found = {str(path.relative_to(ROOT)) for path in [ROOT / "main.cpp", *(ROOT / "src").rglob("*.*")]
                 if path.suffix in (".cpp", ".h", ".cu", ".cuh") and re.search(prints, re.sub("//.*", "", path.read_text()))}
        self.assertEqual(found, set(self.PRINTERS), "print with show(), showError() or complain() of system/screen.h")


# ---- how much memory is taken -----------------------------------------------------------------------------

MB = 1 << 20
PEAK = 260 * MB  # the libraries and threads of the program take some of it
PACK = dict(packers())
if shutil.which("zstd") and has_symbol("ZSTD_decompressStream"):
    PACK[".zst"] = lambda data: subprocess.run(["zstd", "-qc"], input=data, stdout=subprocess.PIPE, check=True).stdout


def npy_of(n):
    return npy("<i4", "<i", 0, n=n)[:128]


def zipped(name, size):
    """A zip archive with one member of so many zeros, which says so."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, bytes(size))
    return archive.getvalue()


# What a file is called, and options → what it unpacks to (a beginning, MB of a word, an end), the exit code, and what is
# said of it. Every reader is here: those of text read a piece or a line at a time, the others no more than a header
# announces, and what a library must have as a whole may not become 100 times as large as its file.
BOMBS = {
    "list.json": (b'{"x": [', 60, b"0,", b"0]}", 3, "no key directed"),
    "nested.json": (b"", 60, b"[", b"", 3, "expected an object"),
    "deep.json": (b'{"x": ', 60, b"[", b"", 3, "ends too early"),
    "text.json": (b'{"x": "', 300, b"a", b'"}', 3, r"a text, .* of more than 16777216 bytes"),
    "blanks.json": (b"{", 300, b" ", b"}", 3, "a blank of more than 16777216 bytes"),
    "loops.json": (b'{"directed": true, "nodes": [{"id": 0}], "links": [', 60, b'{"source":0,"target":0},', b"0]}", 3,
                   r"links\[\d+\]: expected an object"),
    "short.npy": (npy_of(10000), 1, b"\0", b"", 3, "the file ends"),
    "long.npy": (npy_of(2), 300, b"\0", b"", 3, "byte 144: expected the end of the file, and it goes on"),
    "long.bin": (struct.pack("<2i", 2, 2), 300, b"\0", b"", 3, "byte 24: expected the end"),
    "short.bin": (struct.pack("<2i", 9, 40 * MB), 1, b"\0", b"", 3, "the file ends"),
    "square.bin": (struct.pack("<2i", 40 * MB, 40 * MB), 1, b"\0", b"", 5, "needs .* of host memory"),
    "long.sg": (b"\1" + struct.pack("<2q", 0, 1), 300, b"\0", b"", 3, "expected the end"),
    "short.wsg": (b"\0" + struct.pack("<2q", 40 * MB, 40 * MB), 1, b"\0", b"", 3, "the file ends"),
    "tree.graphml": (b"<graphml>", 60, b"<a/>", b"</graphml>", 5,
                     r"the first [\d.]+ kB unpack to more than 100 times as much.*dc .* \| apsp - --format graphml"),
    "zeros.npz": (b"PK\3\4", 300, b"\0", b"", 5, "more than 100 times.*--format npz"),
    "member.npz": (zipped("format.npy", 300 * MB), 0, b"0", b"", 3, "is not a NumPy file"),
    "line.el": (b"0 1", 300, b" ", b"", 3, "the line is longer"),
    "line.csv": (b"0,1", 300, b"1", b"", 3, "the line is longer"),
    "line.gr": (b"p sp 3 3", 300, b" ", b"", 3, "the line is longer"),
    "line.mtx": (b"%%MatrixMarket matrix", 300, b" ", b"", 3, "the line is longer"),
    "line.graph": (b"1 0\n", 300, b" ", b"", 5, "more than 100 times"),
    "row.txt --format matrix": (b"0", 60, b",0", b"", 3, "the line is longer"),
}
NEEDED = {".npz": "zip_fread", ".graphml": "pugi"}  # of the program


class Bombs(Suite):
    def explode(self, argv, code, said):
        got, err, peak = self.peak(argv)
        told = f"{argv}\n{err}[exit {got}], {peak // MB} MB"
        self.assertEqual(got, code, told)
        self.assertRegex(err, rf"\Aapsp: [^\n]*{said}[^\n]*\n\Z", told)
        if not SANITIZED:
            self.assertLess(peak, PEAK, told)

    def explode_packed(self, name, end):
        """A MB is packed once, because packed files may follow each other."""
        head, times, word, tail, code, said = BOMBS[name]
        file, _, options = name.partition(" ")
        if not has_symbol(NEEDED.get(Path(file).suffix, "")):
            return
        pack = PACK[end]
        self.put(file + end, pack(head) + pack(word * (MB // len(word))) * times + pack(tail))
        self.explode(["info", file + end, *options.split()], code, said)

    def test_a_small_file_takes_little_memory(self):
        for name in BOMBS:
            with self.subTest(name):
                self.explode_packed(name, ".gz")

    def test_however_it_is_packed(self):
        for end, name in itertools.product(PACK, ("list.json", "long.npy", "tree.graphml")):
            with self.subTest(name + end):
                self.explode_packed(name, end)


if __name__ == "__main__":
    unittest.main()
