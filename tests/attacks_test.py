"""Attacks on `apsp check`, `apsp grade` and `apsp --kernel`. `python3 tests/attacks_test.py` runs ./apsp or $APSP.

tests/attacks/ has the attacks, one a file, for host memory (.cpp) and for a GPU (.cu). expected.csv there has a line
for each .cpp: its class, what comes of it, words of the message, the defence that stops it, and how it is shown to
work without that defence: `unsandboxed`: it reaches what it wants with --unsandboxed; `plain`: it deceives
plain_grader.cpp; otherwise its own comment says it. What comes of it:

  wrong     its distances are found to be wrong
  fault     its row has a fault
  refused   it is not loaded
  honest    its distances are right, and it gains nothing: it takes as long as the naive solver
"""
import concurrent.futures, csv, os, re, shutil, signal, socket, subprocess, tempfile, threading, time, unittest
from pathlib import Path

from harness import APSP, ROOT, Suite

SOURCES = ROOT / "tests" / "attacks"
N, CALLS = 200, 3
GAIN = 5             # an attack that works is at least 50 times as fast as an honest solver
SECRET = "apsp-canary-7d0e5c"
NOBODY = 65534
OTHERS = [""] if os.getuid() else ["root", "nobody"]  # as whom attacks run; '': as the user of the tests


def rows():
    with open(SOURCES / "expected.csv", newline="") as file:
        return {row["attack"]: row for row in csv.DictReader(file)}


def become(user):
    """For the new process: another user, if root asks for it."""
    def change():
        if user == "nobody":
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    return change


def state(pid):
    """What a stranger may change of a process."""
    status = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    limits = [line for line in Path(f"/proc/{pid}/limits").read_text().splitlines() if "open files" in line]
    return (status[0] in "TtZX", os.getpriority(os.PRIO_PROCESS, pid), os.sched_getaffinity(pid),
            os.sched_getscheduler(pid), limits)


class Reach:
    """What an attack must not reach, in a folder of its own, for attacks of a user. A context manager."""

    def __init__(self, user):
        self.user = user

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="apsp-attack-"))
        self.secret = self.folder / "reach" / "secret.txt"
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.local = socket.socket(socket.AF_UNIX)
        (self.folder / "reach").mkdir()
        self.local.bind(str(self.folder / "reach" / "socket"))
        self.local.listen()
        self.secret.write_text(SECRET + "-file\n")
        (self.folder / "reach" / "grades.csv").write_text("name,rank\nrival,1\n")
        shutil.copy(APSP, self.folder / "reach" / "apsp")
        self.compile("naive", "rival", self.folder / "reach", ["-Wl,--defsym,_Z5rivaliPi=_Z4apspiPi"])
        if self.user == "nobody":
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
        self.sibling = subprocess.Popen(["sleep", "1000"], preexec_fn=become(self.user), stdin=subprocess.DEVNULL,
                                        env={"PATH": os.environ["PATH"], "APSP_TEST_SECRET": SECRET + "-sibling"})
        while "sleep" not in Path(f"/proc/{self.sibling.pid}/cmdline").read_text():
            time.sleep(0.001)
        self.before = self.look()
        return self

    def __exit__(self, *_):
        self.sibling.kill()
        self.sibling.wait()
        self.server.close()
        self.local.close()
        shutil.rmtree(self.folder, True)

    def look(self):
        files = {}
        for path in (self.folder / "reach").rglob("*"):
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else None
            files[path.name] = (content, status.st_mode, status.st_mtime_ns)
        return files, state(self.sibling.pid)

    def touched(self):
        """What has been reached, as a list of words."""
        files, sibling = self.look()
        found = sorted(name for name in files.keys() | self.before[0].keys()
                       if files.get(name) != self.before[0].get(name))
        found += ["sibling"] if sibling != self.before[1] else []
        for listening in (self.server, self.local):
            listening.setblocking(False)
            try:
                listening.accept()[0].close()
                found.append("connection")
            except BlockingIOError:
                pass
        return found

    def compile(self, name, output=None, folder=None, flags=()):
        library = (folder or self.folder) / f"{output or name}.so"
        source = SOURCES / ("honest" if name == "naive" else "") / f"{name}.cpp"
        names = [f'-DFOLDER="{self.folder}/reach"']
        if folder is None:
            names += [f"-DPORT={self.port}", f"-DSIBLING={self.sibling.pid}"]
        if name == "links_rival":  # its library is the rival's, under another name of its function
            flags = [str(self.folder / "reach" / "rival.so"), "-Wl,-rpath," + str(self.folder / "reach")]
        subprocess.run([os.environ.get("CXX", "g++"), *"-std=c++17 -O2 -Wall -Wextra -shared -fPIC".split(),
                        f"-I{ROOT}", f"-I{ROOT}/src", f"-I{SOURCES}", *names, source, *flags, "-o", library,
                        *(["-lcrypto"] if name == "guessed_seed" else [])], check=True)
        library.chmod(0o755)
        return library

    def apsp(self, arguments, program=APSP, seconds=100):
        """Runs the program in the folder; returns exit code, standard output and error."""
        environment = {**{name: value for name, value in os.environ.items() if name not in ("SLURM_JOB_ID", "OMP_NUM_THREADS")},
                       "TERM": "xterm", "LANG": "C.UTF-8", "OMP_WAIT_POLICY": "passive",
                       "APSP_TEST_SECRET": SECRET + "-parent"}
        process = subprocess.Popen([program, *arguments], cwd=self.folder, env=environment, preexec_fn=become(self.user),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=seconds)
        finally:
            process.kill()
            process.communicate()
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def times(path):
    """Median milliseconds by kernel, of rows with times."""
    with open(path, newline="") as file:
        return {Path(row["kernel"]).stem: float(row["median_ms"]) for row in csv.DictReader(file) if row["median_ms"]}


def solve(reach, *names, options=()):
    """The program solves with the libraries of these names, one after the other."""
    kernels = ",".join(f"./{name}.so" for name in names)
    return reach.apsp(["--n", str(N), "--vary", "--verify", "--warmup", "1", "--reps", str(CALLS), "--device", "cpu",
                       "--quiet", "--time-limit", "3", "--kernel", kernels, "--csv", "times.csv", *options])


class Attacks(unittest.TestCase):
    def outcome(self, name, row, user):
        """Runs an attack and returns what is not as expected, '' if all is."""
        with Reach(user) as reach:
            reach.compile("naive")
            reach.compile(name)
            compares = row["outcome"] == "honest" and row["class"] in ("clock", "memo")
            code, out, err = solve(reach, *(["naive"] if compares else []), name)
            said = f"exit {code}\n{out}{err}"
            touched = reach.touched()
            if touched:
                return f"it reached {touched}\n{said}"
            if SECRET in said:
                return f"it told a secret\n{said}"
            if "\x1b" in said or "\u202e" in said or "forged" in out:
                return f"it printed\n{said!r}"
            if row["outcome"] != "honest":
                expected = {"wrong": 1, "fault": 1, "refused": 3}[row["outcome"]]
                return "" if code == expected and re.search(row["says"], err) else said
            if code != 0:
                return said
            if compares:
                found = times(reach.folder / "times.csv")
                if found[name] * GAIN < found["naive"]:
                    return f"it is too fast: {found}\n{said}"
        return ""

    def compare(self, rows, user):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            asked = {name: pool.submit(self.outcome, name, row, user) for name, row in rows.items()}
        for name, answer in asked.items():
            with self.subTest(name, user=user):
                self.assertEqual(answer.result(), "")

    def test_come_to_nothing(self):
        self.compare(rows(), OTHERS[0])

    @unittest.skipIf(len(OTHERS) == 1, "another user can be taken by root only")
    def test_reach_nothing_as_an_ordinary_user(self):
        self.compare({name: row for name, row in rows().items() if row["class"] == "reach"}, "nobody")

    def test_all_are_expected(self):
        self.assertEqual({path.stem for path in SOURCES.glob("*.cpp")} - {"plain_grader", "public_sizes",
                         "reads_expected", "sleeps_unclocked"}, set(rows()))
        self.assertGreaterEqual(len(rows()), 30)


class WithoutDefences(unittest.TestCase):
    """The attacks work where nothing stops them; otherwise they would test nothing."""

    def works(self, name):
        with Reach(OTHERS[0]) as reach:
            reach.compile(name)
            code, out, err = solve(reach, name, options=["--unsandboxed"])
            found = reach.touched() + (["secret"] if SECRET in out + err else [])
            return found, f"exit {code}\n{out}{err}"

    def test_unsandboxed_they_reach_what_they_want(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            asked = {name: pool.submit(self.works, name) for name, row in rows().items()
                     if row["without"] == "unsandboxed"}
        for name, answer in asked.items():
            with self.subTest(name):
                found, said = answer.result()
                self.assertTrue(found, said)

    def test_they_deceive_a_plain_grader(self):
        with Reach(OTHERS[0]) as reach:
            grader = reach.folder / "plain_grader"
            subprocess.run([os.environ.get("CXX", "g++"), "-std=c++17", "-O2", f"-I{ROOT}", f"-I{ROOT}/src",
                            SOURCES / "plain_grader.cpp", "-o", grader, "-ldl"], check=True)

            def grade(name):
                library = reach.compile(name)
                run = subprocess.run([grader, library], capture_output=True, text=True, timeout=60)
                return run.stdout.splitlines()[-1].split()
            honest = float(grade("naive")[0])
            for name, row in rows().items():
                if row["without"] == "plain":
                    with self.subTest(name):
                        milliseconds, verdict = grade(name)
                        self.assertEqual(verdict, "right")
                        self.assertLess(float(milliseconds) * 10, honest)


if __name__ == "__main__":
    unittest.main()
