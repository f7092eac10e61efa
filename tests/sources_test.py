"""Hand-ins that are source for the CPU, and archives: `apsp grade --host`, `apsp check` and `apsp --kernel` on them.
`python3 tests/sources_test.py` runs ./apsp or $APSP."""
import csv, hashlib, io, random, stat, tarfile, time, unittest, zipfile

import hand_ins
from harness import FULL, Suite, packers

NAIVE = """void apsp(int n, int* graph) {
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      const int first = graph[i * n + k];
      for (int j = 0; j < n; ++j) {
        const int sum = first + graph[k * n + j];
        graph[i * n + j] = sum < graph[i * n + j] ? sum : graph[i * n + j];
      }
    }
}
"""
WRONG = "void apsp(int n, int* graph) { if (n > 2) graph[1] = 0; }\n"


def zipped(files, attributes={}):
    """A zip archive of these files; attributes: the upper half of a member's external ones."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = attributes.get(name, stat.S_IFREG | 0o644) << 16
            archive.writestr(info, content)
    return data.getvalue()


def tarred(files, mode="w:gz", form=tarfile.GNU_FORMAT):
    """A tar archive. A file's content is text, or what a TarInfo is to have."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode, format=form) as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            if isinstance(content, dict):
                for key, value in content.items():
                    setattr(info, key, value)
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content.encode()))
    return data.getvalue()


class Folder(Suite):
    def setUp(self):
        super().setUp()
        (self.dir / "hand-ins").mkdir()

    def hand_in(self, name, content):
        path = self.dir / "hand-ins" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def grade(self, options="--check-only", sizes="60"):
        """The rows of the CSV file by name."""
        self.said = self.apsp(f"grade hand-ins --host --time-limit 3 --sizes {sizes} --reps 3 --csv g.csv {options}",
                              left=None)
        with open(self.dir / "g.csv", newline="", encoding="utf-8-sig") as file:
            return {row["name"]: row for row in csv.DictReader(file)}


class Sources(Folder):
    def test_are_compiled_and_ranked(self):
        self.hand_in("ann.cpp", NAIVE)
        self.hand_in("bob.c", NAIVE)
        self.hand_in("carl/apsp.cpp", '#include "inner/loop.h"\n' + NAIVE.replace("sum < graph[i * n + j]", "lower(sum, graph[i * n + j])"))
        (self.dir / "hand-ins/carl/inner").mkdir()
        self.hand_in("carl/inner/loop.h", "inline bool lower(int a, int b) { return a < b; }\n")
        self.hand_in("dora.cpp", '#include "dora.h"\n' + NAIVE)
        self.hand_in("dora.h", "#include <omp.h>\nstatic const int threads = omp_get_max_threads();\n")
        self.hand_in("eve.cpp", "void apsp(int n, int* graph) {\n  return graph[n];\n}\n")
        self.hand_in("fay.cpp", WRONG)
        self.hand_in("gil.cpp", "int main() {}\n")
        self.hand_in("ann.so", "what ann built, which nobody asks for")
        table = self.grade("")
        self.assertNotIn("ann.so", table)
        for name in ("ann.cpp", "bob.c", "carl", "dora.cpp"):
            self.assertEqual(table[name]["verdict"], "pass", table[name]["reason"])
            self.assertGreater(float(table[name]["median_ms"]), 0)
        self.assertEqual(table["dora.h"]["verdict"], "left out")
        self.assertEqual(table["eve.cpp"]["verdict"], "does not compile")
        self.assertRegex(table["eve.cpp"]["reason"], r"\Ahand-ins/eve\.cpp:2:\d+: error: ")
        self.assertEqual(table["fay.cpp"]["verdict"], "wrong")
        self.assertEqual(table["gil.cpp"]["verdict"], "cannot be loaded")
        self.assertRegex(table["gil.cpp"]["reason"], "apsp")
        self.assertEqual(table["ann.cpp"]["digest"], hashlib.sha256(NAIVE.encode()).hexdigest())
        with open(self.dir / "g.sizes.csv", newline="") as file:
            row, = (row for row in csv.DictReader(file) if row["name"] == "ann.cpp")
        self.apsp(row["command"].split(maxsplit=1)[1], out="ann.cpp")

    def test_run_with_the_teachers_options(self):
        self.hand_in("ann.cpp", "#ifdef __AVX2__\n#error AVX2\n#endif\n#ifndef FAST\n#error slow\n#endif\n" + NAIVE)
        self.assertEqual(self.grade()["ann.cpp"]["verdict"], "does not compile")
        for jobs in ("", "--jobs 2"):
            self.assertEqual(self.grade(f"--check-only {jobs} --cxxflags '-O1 -DFAST=1'")["ann.cpp"]["verdict"], "waiting")
        self.apsp("check --quick --host --kernel hand-ins/ann.cpp --cxxflags '-O1 -DFAST=1'", out="All .* are right")
        run = self.popen("--n 9 --device cpu --kernel hand-ins/ann.cpp")
        said = run.communicate()[1].decode()
        self.assertRegex(said, r"(?s)hand-ins/ann\.cpp:5:2: error: .*\napsp: hand-ins/ann\.cpp: does not compile: hand-ins/ann\.cpp:")
        self.assertEqual(run.returncode, 3)
        self.apsp("--n 9 --device cpu --kernel apsp --cxxflags -O1", 2, err="--cxxflags has no effect on apsp")

    def test_real_shapes(self):
        """All are right. Names and comments differ, so that none is graded as the copy of another one."""
        shapes = list(hand_ins.HOST_SHAPES)
        names = hand_ins.make(self.dir / "hand-ins", shapes=tuple(shapes if FULL else random.sample(shapes, 4)))
        table = self.grade("")
        self.assertEqual({name: table[name]["verdict"] for name in names}, {name: "pass" for name in names})

    def test_goes_on_after_a_kill(self):
        names = hand_ins.make(self.dir / "hand-ins", 6, shapes=tuple(hand_ins.HOST_SHAPES))
        process = self.popen("grade hand-ins --host --time-limit 3 --sizes 60 --reps 3 --csv g.csv")
        while not list((self.dir / "g.csv.d").glob("check-*.json")) if (self.dir / "g.csv.d").exists() else True:
            time.sleep(0.01)
            self.assertIsNone(process.poll())
        process.kill()
        process.wait()
        time.sleep(0.5)  # the grader that it waited for ends, too
        for path in self.dir.glob(".*.tmp"):
            path.unlink()
        before = {path.name: path.read_bytes() for path in (self.dir / "g.csv.d").glob("check-*.json")}
        table = self.grade("")
        self.assertEqual([table[name]["verdict"] for name in names], ["pass"] * len(names))
        for name, content in before.items():
            self.assertEqual((self.dir / "g.csv.d" / name).read_bytes(), content, "it was checked again")

    def test_solve_and_check(self):
        self.hand_in("ann.cpp", NAIVE)
        self.hand_in("fay.c", WRONG)
        self.apsp("--n 50 --device cpu --kernel ref,hand-ins/ann.cpp --verify", out=r"(?m)^hand-ins/ann\.cpp .* ref$")
        self.apsp("check --quick --host --kernel hand-ins/fay.c", 1, out="FAILED", err="checks failed")


class Archives(Folder):
    def test_are_unpacked(self):
        src = [("apsp.cpp", NAIVE)]
        folder = [("hw3/apsp.cpp", '#include "x/y.h"\n' + NAIVE), ("hw3/x/y.h", ""), ("__MACOSX/hw3/._apsp.cpp", "junk"),
                  ("hw3/.DS_Store", "junk")]
        self.hand_in("plain.zip", zipped(src))
        self.hand_in("folder.zip", zipped([("hw3/", "")] + folder, {"hw3/": stat.S_IFDIR | 0o755}))
        self.hand_in("windows.zip", zipped([(name.replace("/", "\\"), text) for name, text in folder]))
        self.hand_in("plain.tar.gz", tarred(src))
        self.hand_in("folder.tgz", tarred(folder, form=tarfile.PAX_FORMAT))
        self.hand_in("old.tar", tarred(src, "w", tarfile.USTAR_FORMAT))
        if ".xz" in packers():
            self.hand_in("xz.tar.xz", tarred(src, "w:xz"))
        for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
            long = "d" * 80 + "/" + "e" * 80 + ".h"
            self.hand_in(f"long{form}.tar.gz", tarred([("apsp.cpp", f'#include "{long}"\n' + NAIVE), (long, "")], form=form))
        self.hand_in("nested.zip", zipped([("submission.tar.gz", tarred(folder))]))
        self.hand_in("Ann Lee_123_assignsubmission_file_/hw.zip", zipped(src))
        self.hand_in("dir/apsp.cpp", NAIVE)
        table = self.grade()
        for name, row in table.items():
            self.assertEqual((row["verdict"], row["reason"]), ("waiting", "every result is right; not timed yet"), name)
        self.assertEqual(len(table), 12 + (".xz" in packers()))
        # The archive and the folder with the same files are the same.
        self.assertEqual(len({table[name]["digest"] for name in ("plain.zip", "plain.tar.gz", "old.tar", "dir")}), 1)
        line = hashlib.sha256(NAIVE.encode()).hexdigest() + "  apsp.cpp\n"
        self.assertEqual(table["dir"]["digest"], hashlib.sha256(line.encode()).hexdigest())

    def test_attacks_are_refused(self):
        good = ("apsp.cpp", NAIVE)
        def members(*extra):
            return [good, *extra]
        link = {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}
        zeros = "\0" * (70 << 20)
        damaged = bytearray(tarred(members(), "w"))
        damaged[150] ^= 1
        encrypted = bytearray(zipped(members()))
        for at in (6, encrypted.rindex(b"PK\1\2") + 8):
            encrypted[at] |= 1
        forged = bytearray(zipped([("apsp.cpp", "x" * 100000)]))  # it claims to be small
        for at in (22, forged.rindex(b"PK\1\2") + 24):
            forged[at:at + 4] = (10).to_bytes(4, "little")
        attacks = {
            "up.zip": (zipped(members(("../../etc/x.h", ""))), "a path that leads upwards"),
            "hidden-up.zip": (zipped(members(("a/../../x.h", ""))), "a path that leads upwards"),
            "windows-up.zip": (zipped(members(("..\\..\\x.h", ""))), "a path that leads upwards"),
            "absolute.zip": (zipped(members(("/etc/x.h", ""))), "an absolute path"),
            "drive.zip": (zipped(members(("C:\\x.h", ""))), "an absolute path"),
            "link.zip": (zipped(members(("x.h", "/etc/passwd")), {"x.h": stat.S_IFLNK | 0o777}), "a symbolic link"),
            "pipe.zip": (zipped(members(("x.h", "")), {"x.h": stat.S_IFIFO | 0o777}), "not a regular file"),
            "device.zip": (zipped(members(("x.h", "")), {"x.h": stat.S_IFBLK | 0o777}), "not a regular file"),
            "twice.zip": (zipped(members(good)), "is there twice"),
            "both.zip": (zipped(members(("apsp.cpp/x.h", ""))), "is a file and a folder"),
            "bomb.zip": (zipped(members(("x.h", zeros))), "larger than 67.1 MB"),
            "many.zip": (zipped(members(*((f"{i}.h", "") for i in range(5000)))), "more than 1000 files"),
            "folders.zip": (zipped(members(*((f"{i}/", "") for i in range(5000)))), "more than 1000 files"),
            "deep.zip": (zipped(members(("d/" * 40 + "x.h", ""))), "too deep"),
            "name.zip": (zipped(members(("x\n.h", ""))), "control character"),
            "encrypted.zip": (bytes(encrypted), "cannot be unpacked"),
            "forged.zip": (bytes(forged), "cannot be unpacked|no zip archive"),
            "text.zip": (b"no archive", "no zip archive"),
            "cut.zip": (zipped(members())[:-30], "no zip archive"),
            "thrice.zip": (zipped([("a.zip", zipped([("b.zip", zipped(members()))]))]), "in an archive in an archive"),
            "other.zip": (zipped([("main.cpp", NAIVE)]), "an archive without apsp.cpp, .*; it holds main.cpp"),
            "none.zip": (zipped([]), "an archive without apsp.cpp, .*; it holds nothing"),
            "up.tar": (tarred(members(("../x.h", "")), "w"), "a path that leads upwards"),
            "absolute.tar.gz": (tarred(members(("/etc/x.h", ""))), "an absolute path"),
            "link.tar.gz": (tarred(members(("x.h", link))), "a symbolic link"),
            "through-link.tar.gz": (tarred(members(("d", {**link, "linkname": "/tmp"}), ("d/x.h", ""))), "a symbolic link"),
            "hard.tar.gz": (tarred(members(("x.h", {"type": tarfile.LNKTYPE, "linkname": "apsp.cpp"}))), "a hard link"),
            "device.tar.gz": (tarred(members(("x.h", {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 5}))), "not a regular file"),
            "pipe.tar.gz": (tarred(members(("x.h", {"type": tarfile.FIFOTYPE}))), "not a regular file"),
            "bomb.tar.gz": (tarred(members(("x.h", zeros))), "larger than 67.1 MB"),
            "bomb.tar.xz": (tarred(members(("x.h", zeros)), "w:xz"), "larger than 67.1 MB"),
            "many.tar.gz": (tarred(members(*((f"{i}.h", "") for i in range(5000)))), "more than 1000 files"),
            "damaged.tar": (bytes(damaged), "the checksum of a header is wrong"),
            "text.tar": (b"no archive" * 100, "no tar archive"),
            "cut.tar": (tarred(members(), "w")[:700], "it ends within a member"),
            "cut.tar.gz": (tarred(members())[:-30], "damaged or cut short"),
            "more.tar.gz": (tarred(members()) + b"more", "other bytes follow"),
            "long.tar.gz": (tarred(members(("../" + "x" * 200 + ".h", "")), form=tarfile.PAX_FORMAT), "a path that leads upwards"),
            "nested-up.zip": (zipped([("a.tar.gz", tarred(members(("../x.h", ""))))]), "a path that leads upwards"),
            "nested-bomb.zip": (zipped([("a.tar.gz", tarred(members(("x.h", zeros))))]), "larger than 67.1 MB"),
        }
        if ".xz" not in packers():
            del attacks["bomb.tar.xz"]
        for name, (content, _) in attacks.items():
            self.hand_in(name, content)
        (self.dir / "hand-ins/outside.zip").symlink_to("up.zip")
        self.hand_in("good.zip", zipped(members()))
        table = self.grade()
        for name, (_, reason) in attacks.items():
            with self.subTest(name):
                self.assertEqual(table[name]["verdict"], "refused", table[name]["reason"])
                self.assertRegex(table[name]["reason"], reason)
        self.assertEqual(table["outside.zip"]["verdict"], "left out")
        self.assertEqual(table["good.zip"]["reason"], "every result is right; not timed yet")
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), ["g.csv", "g.csv.d", "g.sizes.csv", "hand-ins"])


if __name__ == "__main__":
    unittest.main()
