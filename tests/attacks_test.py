"""Attacks on `apsp check`, `apsp grade` and `apsp --kernel`. `python3 tests/attacks_test.py` runs ./apsp or $APSP.

tests/attacks/ has the attacks, one a file: for host memory, in gpu/ for a GPU, in compiler/ on the compiler, which
course/attacks_test.cpp tests. honest/ has right submissions of many kinds, which must pass. expected.csv has a line for
each attack: its class, what comes of it, words of the message or the warning, the defence that stops it, and how it is
shown to work without that defence: `unsandboxed`: it reaches what it wants with --unsandboxed; `plain`: it deceives
plain_grader.cpp; `uniform`: it is right on --family uniform; otherwise its own comment says it. What comes of it:

  wrong     its distances are found to be wrong
  fault     its row has a fault
  refused   it is not loaded
  no memory it is told that the device has no memory left
  honest    its distances are right, and it gains nothing: it takes as long as the naive solver
"""
import concurrent.futures, csv, os, random, re, shutil, socket, subprocess, tempfile, time, unittest
from pathlib import Path

from harness import APSP, CORES, FULL, ROOT, Suite, compile_all, needs_gpu

SOURCES = ROOT / "tests" / "attacks"
LAYERS = [f"-I{ROOT}/src/{layer}" for layer in ("engine", "harness", "course")]
N, CALLS = 200, 3
GAIN = 10            # an attack that works is more than 100 times as fast as an honest solver
SECRET = "apsp-canary-7d0e5c"
NOBODY = 65534
OTHERS = [""] if os.getuid() else ["root", "nobody"]  # as whom attacks run; '': as the user of the tests


def rows(folder=SOURCES):
    with open(folder / "expected.csv", newline="") as file:
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
    session = Path(f"/proc/{pid}/autogroup")  # some kernels have none
    return (status[0] in "TtZX", os.getpriority(os.PRIO_PROCESS, pid), os.sched_getaffinity(pid),
            os.sched_getscheduler(pid), limits, session.exists() and session.read_text())


class Reach:
    """What an attack must not reach, in a folder of its own, for attacks of a user. A context manager."""
    rival = b""  # a library, compiled once

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
        shutil.copy("/bin/true", self.folder / "reach" / "apsp")  # a program that may be changed
        self.sibling = None
        if not Reach.rival:
            rival = self.compile("naive", "rival", self.folder / "reach", ["-Wl,--defsym,_Z5rivaliPi=_Z4apspiPi"])
            Reach.rival = rival.read_bytes()
        rival = self.folder / "reach" / "rival.so"
        rival.write_bytes(Reach.rival)
        rival.chmod(0o755)
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
        found += [f"sibling: {self.before[1]} is now {sibling}"] if sibling != self.before[1] else []
        for listening in (self.server, self.local):
            listening.setblocking(False)
            try:
                listening.accept()[0].close()
                found.append("connection")
            except BlockingIOError:
                pass
        return found

    def names(self):
        """What attack.h wants to be defined."""
        return {"FOLDER": f'"{self.folder}/reach"', "PORT": self.port, "SIBLING": self.sibling and self.sibling.pid}

    def copy_source(self, name):
        """The source of an attack for a GPU, in the folder: one of its own, or one for hosts as CUDA source."""
        for header in (SOURCES / "attack.h", SOURCES / "gpu" / "gpu.h"):
            shutil.copy(header, self.folder)
        own, copy = SOURCES / "gpu" / f"{name}.cu", self.folder / f"{name}.cu"
        if own.exists():
            shutil.copy(own, copy)
        else:
            names = "".join(f"#define {key} {value}\n" for key, value in self.names().items())
            copy.write_text(names + (SOURCES / f"{name}.cpp").read_text())

    def compile(self, name, output=None, folder=None, flags=()):
        library = (folder or self.folder) / f"{output or name}.so"
        source = next(path for path in (SOURCES / f"{name}.cpp", SOURCES / "honest" / f"{name}.cpp") if path.exists())
        names = [f"-D{key}={value}" for key, value in self.names().items()]
        if name == "links_rival":  # its library is the rival's, under another name of its function
            flags = [str(self.folder / "reach" / "rival.so"), "-Wl,-rpath," + str(self.folder / "reach")]
        subprocess.run([os.environ.get("CXX", "g++"), *"-std=c++17 -O2 -Wall -Wextra -fopenmp -shared -fPIC".split(),
                        f"-I{ROOT}", *LAYERS, f"-I{SOURCES}", *names, source, *flags, "-o", library,
                        *(["-lcrypto"] if name == "guessed_seed" else [])], check=True)
        library.chmod(0o755)
        return library

    def apsp(self, arguments):
        """Runs the program in the folder; returns exit code, standard output and error."""
        ours = "SLURM_JOB_ID", "OMP_NUM_THREADS"
        environment = {**{name: value for name, value in os.environ.items() if name not in ours},
                       "TERM": "xterm", "LANG": "C.UTF-8", "OMP_WAIT_POLICY": "passive",
                       "APSP_TEST_SECRET": SECRET + "-parent"}
        if self.user == "nobody":
            environment["XDG_CACHE_HOME"] = str(self.folder)
        process = subprocess.Popen([APSP, *arguments], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=become(self.user))
        try:
            out, err = process.communicate()
        finally:
            process.kill()
            process.communicate()
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def times(path):
    """The milliseconds of the fastest call by kernel, of rows with times: what else runs here makes some calls longer."""
    with open(path, newline="") as file:
        return {Path(row["kernel"]).stem: float(row["min_ms"]) for row in csv.DictReader(file) if row["min_ms"]}


def solve(reach, *files, options=("--vary",), n=N, limit=3):
    """The program solves with these files, one after the other."""
    device = "gpu" if files[0].endswith(".cu") else "cpu"
    return reach.apsp(["--n", str(n), "--verify", "--warmup", "1", "--reps", str(CALLS), "--device", device,
                       "--quiet", "--time-limit", str(limit), "--kernel", ",".join(f"./{file}" for file in files),
                       "--csv", "times.csv", *options])


def compares_times(row):
    """Whether an attack must not be faster than the naive solver."""
    return row["outcome"] == "honest" and row["class"] in ("clock", "memo")


def run(reach, name, row):
    """Runs an attack for host memory; returns exit code, standard output, error, and the times to compare."""
    compares = compares_times(row)
    reach.compile(name)
    if compares:
        reach.compile("naive")
    hangs = "within" in row["says"]  # whatever the limit is
    return *solve(reach, *(["naive.so"] if compares else []), f"{name}.so", limit=1 if hangs else 3), compares


def run_on_gpu(reach, name, row):
    reach.copy_source(name)
    compares = compares_times(row)
    for file in ("naive.cu", "anywhere.h"):
        shutil.copy(ROOT / "tests/submissions" / file, reach.folder)
    files = [*(["naive.cu"] if compares else []), f"{name}.cu"]
    return *solve(reach, *files, n=1000 if compares else 500, limit=20), compares


def sampled(rows):
    """By default half of them: each compiles for seconds, and starts the GPU."""
    if FULL:
        return rows
    return dict(random.sample(sorted(rows.items(), key=lambda item: str(item[0])), (len(rows) + 1) // 2))


class Comparison(unittest.TestCase):
    def outcome(self, name, row, user, run=run):
        """Runs an attack and returns what is not as expected, '' if all is."""
        with Reach(user) as reach:
            code, out, err, compares = run(reach, name, row)
            said = f"exit {code}\n{out}{err}"
            touched = reach.touched()
            if touched:
                return f"it reached {touched}\n{said}"
            if SECRET in said:
                return f"it told a secret\n{said}"
            if "\x1b" in said or "\u202e" in said or "forged" in out:
                return f"it printed\n{said!r}"
            if row["outcome"] != "honest":
                expected = {"wrong": [1], "fault": [1], "refused": [3], "no memory": [1, 5]}[row["outcome"]]
                return "" if code in expected and re.search(row["says"], err) else said
            if code != 0:
                return said
            # On a GPU, and without Landlock, nobody hears of denied calls.
            remarks = run is not run_on_gpu and "landlock" in (reach.folder / "times.csv").read_text()
            if remarks and not re.search(row["says"], err):
                return said
            if compares:
                found = times(reach.folder / "times.csv")
                if found[name] * GAIN < found["naive"]:
                    return f"it is too fast: {found}\n{said}"
        return ""

    def compare(self, rows, user, run=run, at_once=CORES):
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            asked = {name: pool.submit(self.outcome, name, row, user, run) for name, row in rows.items()}
        for name, answer in asked.items():
            with self.subTest(name, user=user):
                self.assertEqual(answer.result(), "")


class Attacks(Comparison):
    def test_come_to_nothing(self):
        self.compare(rows(), OTHERS[0])

    @unittest.skipIf(len(OTHERS) == 1, "another user can be taken by root only")
    def test_reach_nothing_as_an_ordinary_user(self):
        self.compare({name: row for name, row in rows().items() if row["class"] == "reach"}, "nobody")

    def test_all_are_expected(self):
        elsewhere = {"plain_grader", "public_sizes", "sleeps_unclocked", "deaf", "burns_between", "works_on",
                     "wakes_itself", "continues", "takes_unstopped", "lives", "unstoppable"}
        self.assertEqual({path.stem for path in SOURCES.glob("*.cpp")} - elsewhere, set(rows()))
        self.assertEqual({path.stem for path in (SOURCES / "gpu").glob("*.cu")}, set(rows(SOURCES / "gpu")))
        self.assertGreaterEqual(len(rows()), 30)


@needs_gpu
class OnTheGpu(Comparison):
    """Attacks that only a GPU has, and those that reach for something, as CUDA source."""

    # These have the GPU for themselves: their times are compared, or they take all its memory.
    ALONE = [name for name, row in rows(SOURCES / "gpu").items() if compares_times(row) or name == "takes_memory"]

    def compare_some(self, alone, at_once):
        some = {name: row for name, row in rows(SOURCES / "gpu").items() if (name in self.ALONE) == alone}
        self.compare(some, OTHERS[0], run_on_gpu, at_once)

    def test_come_to_nothing(self):
        self.compare_some(False, 4)

    def test_alone_come_to_nothing(self):
        compile_all([SOURCES / "gpu" / f"{name}.cu" for name in self.ALONE])  # before times are taken
        self.compare_some(True, 1)

    def test_reach_nothing(self):
        others = "links_rival", "reads_expected", "loads_rival"
        reaching = {name: row for name, row in rows().items() if row["class"] == "reach" and name not in others}
        self.compare(sampled(reaching), OTHERS[0], run_on_gpu, 6)
        some = {name: reaching[name] for name in ("writes_files", "kills", "daemon", "network")}
        self.compare(some, OTHERS[-1], run_on_gpu, 6)


class Plain(unittest.TestCase):
    """A table of results is of no use in a run without options either, unless the user chooses the graph."""

    def median(self, *options):
        """What the program says of memo_public.so, and how often the naive solver's time is its time."""
        with Reach(OTHERS[0]) as reach:
            for name in ("naive", "memo_public"):
                reach.compile(name)
            code, out, err = reach.apsp([*"--n 200 --verify --device cpu --reps 15 --csv times.csv".split(), *options,
                                         "--kernel", "./naive.so,./memo_public.so"])
            self.assertEqual(code, 0, out + err)
            found = times(reach.folder / "times.csv")
            return out, found["naive"] / max(found["memo_public"], 1e-6)  # which may be too short to be told from 0

    def test_nobody_knows_its_graphs(self):
        out, gain = self.median()
        self.assertLess(gain, GAIN, out)
        self.assertNotIn("public graph", out)

    def test_a_graph_that_the_user_chooses_is_public(self):
        out, gain = self.median("--seed", "1")
        self.assertGreater(gain, GAIN, out)
        self.assertRegex(out, r"(?m)^\./memo_publi?c?.*\.so .* ref.*, public graph$")


class Honest(unittest.TestCase):
    """Right submissions of many kinds pass."""

    def test_in_host_memory(self):
        with Reach(OTHERS[-1]) as reach:
            for path in sorted((SOURCES / "honest").glob("*.cpp")):
                with self.subTest(path.stem):
                    reach.compile(path.stem)
                    code, out, err = solve(reach, f"{path.stem}.so", limit=60)
                    self.assertEqual(code, 0, out)
                    # runtime does without a temporary file. A time is disputed if the machine is busy.
                    remark = "(tries to write a file: the sandbox denies it)?(; )?" if path.stem == "runtime" else ""
                    self.assertRegex(err, rf"\A(apsp: warning: [^\n]+: {remark}(time disputed: [^\n]+)?\n)?\Z")

    @needs_gpu
    def test_on_the_gpu(self):
        sources = sorted([*(SOURCES / "honest").glob("*.cu"), *(SOURCES / "honest").glob("*/apsp.cu")])
        sources = list(sampled(dict.fromkeys(sources)))

        def run(path):  # with enough calls for a leak to show
            argv = [APSP, *f"--n {N} --vary --verify --warmup 5 --reps 1 --device gpu --kernel".split(), path]
            return subprocess.run(argv, capture_output=True, text=True)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            for path, ran in zip(sources, pool.map(run, sources)):
                with self.subTest(path.relative_to(SOURCES)):
                    self.assertEqual((ran.returncode, ran.stderr), (0, ""), ran.stdout)


class WithoutDefences(unittest.TestCase):
    """The attacks work where nothing stops them; otherwise they would test nothing."""

    def works(self, name, row):
        with Reach(OTHERS[0]) as reach:
            reach.compile(name)
            code, out, err = solve(reach, f"{name}.so", options=["--vary", "--unsandboxed"])
            found = reach.touched() + (["secret"] if SECRET in out + err else [])
            if row["outcome"] == "refused" and code == 0:
                found.append("solver of a rival")
            return found, f"exit {code}\n{out}{err}"

    def test_unsandboxed_they_reach_what_they_want(self):
        with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
            asked = {name: pool.submit(self.works, name, row) for name, row in rows().items()
                     if row["without"] == "unsandboxed"}
        for name, answer in asked.items():
            with self.subTest(name):
                found, said = answer.result()
                self.assertTrue(found, said)

    def test_on_uniform_graphs_they_are_right(self):
        for name in (name for name, row in rows().items() if row["without"] == "uniform"):
            with self.subTest(name), Reach(OTHERS[0]) as reach:
                reach.compile(name)
                code, out, err = solve(reach, f"{name}.so", options=["--family", "uniform"])
                self.assertEqual((code, err), (0, ""), out)

    def test_they_deceive_a_plain_grader(self):
        with Reach(OTHERS[0]) as reach:
            grader = reach.folder / "plain_grader"
            # -rdynamic: attacks look its clock up by name. Some compilers link libstdc++ statically.
            subprocess.run([os.environ.get("CXX", "g++"), "-std=c++17", "-O2", "-rdynamic", f"-I{ROOT}", *LAYERS,
                            SOURCES / "plain_grader.cpp", "-o", grader, "-ldl"], check=True)

            def grade(name):
                library = reach.compile(name)
                run = subprocess.run([grader, library], capture_output=True, text=True)
                return run.stdout.splitlines()[-1].split()
            honest = float(grade("naive")[0])
            for name, row in rows().items():
                if row["without"] == "plain":
                    with self.subTest(name):
                        milliseconds, verdict = grade(name)
                        self.assertEqual(verdict, "right")
                        self.assertLess(float(milliseconds) * 10, honest)

    @unittest.skipIf(os.getuid(), "without a sandbox, too, only root may read the memory of the benchmark")
    def test_expected_distances_are_found_without_a_sandbox(self):
        with Reach(OTHERS[0]) as reach:
            reach.compile("reads_expected")
            found = reach.folder / "reach" / "expected"
            check = subprocess.Popen([APSP, *"check --quick --host --quiet --unsandboxed --kernel".split(),
                                      "./reads_expected.so"], cwd=reach.folder, stderr=subprocess.DEVNULL)
            while check.poll() is None and not found.exists():
                time.sleep(0.05)
            check.kill()
            check.wait()
            self.assertTrue(found.exists())


class Grade(Suite):
    """A folder in which most cheat."""

    def test_ranks_only_the_honest(self):
        with Reach(OTHERS[-1]) as reach:
            folder = reach.folder / "hand-ins"
            folder.mkdir()
            for name in ("naive", "forged_times", "after_clock", "memo_public", "public_sizes", "late_result",
                         "garbage", "reads_expected", "forged_cuda_error"):
                shutil.move(reach.compile(name), folder)
            (folder / "link.so").symlink_to(reach.folder / "reach" / "rival.so")
            for name in ("=1+2", "a\u202eb"):
                shutil.copy(folder / "late_result.so", folder / f"{name}.so")
            if reach.user == "nobody":
                for path in (folder, *folder.iterdir()):
                    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
            options = "--host --sizes 100,400 --reps 3 --time-limit 3 --csv g.csv --jobs 2"
            code, out, err = reach.apsp(["grade", "hand-ins", *options.split()])
            said = f"exit {code}\n{out}{err}"
            with open(reach.folder / "g.csv", newline="") as file:
                graded = {row["name"]: row for row in csv.DictReader(file)}
            self.assertEqual({name for name, row in graded.items() if row["verdict"] == "pass"},
                             {"naive.so", "forged_times.so", "after_clock.so", "memo_public.so"}, said)
            with open(reach.folder / "g.sizes.csv", newline="") as file:
                took = {row["name"]: float(row["min_ms"]) for row in csv.DictReader(file)
                        if row["n"] == "400" and graded.get(row["name"], {}).get("rank")}
            self.assertLess(took["naive.so"], GAIN * min(took.values()), said)
            for name, verdict in {"public_sizes": "wrong", "late_result": "wrong", "reads_expected": "wrong",
                                  "garbage": "crashed", "link": "left out",
                                  "forged_cuda_error": "cannot be loaded"}.items():
                self.assertEqual(graded[f"{name}.so"]["verdict"], verdict, said)
            self.assertTrue({"'=1+2.so", "a?b.so"} <= set(graded), said)
            self.assertNotIn("\u202e", said + (reach.folder / "g.csv").read_text())
            self.assertEqual(reach.touched(), [], said)


def check(name, limit, quiet="--quiet"):
    """Checks an attack; returns exit code, standard output and error."""
    with Reach(OTHERS[-1]) as reach:
        reach.compile(name)
        options = f"--quick --host {quiet} --time-limit {limit}"
        return reach.apsp(["check", *options.split(), "--kernel", f"./{name}.so"])


class Waits(Suite):
    """The program does not wait for ever."""

    def expect(self, name, error):
        code, out, err = check(name, 1)
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(err, error)

    def test_sleeping_between_calls_is_limited(self):
        """20 times the time of a call, as for the calls themselves; otherwise this check would take ten minutes."""
        self.expect("sleeps_unclocked", "does not return in time")

    def test_having_workers_ended_does_not_help(self):
        self.expect("forged_kept", "leaks memory")

    def test_stopping_it_takes_long_each_time(self):
        code, out, err = check("unstoppable", 1, quiet="")
        self.assertEqual(code, 1, err)
        self.assertRegex(out, r"call [2-4] \(n = \d+\): kept this program waiting for 2\d s between its calls")

    def test_a_worker_that_reads_nothing(self):
        self.expect("deaf", "does not return in time")

    def test_processes_that_live_on_without_a_connection(self):
        """Each is killed after 10 s; all of them share the limit of 20 s. Without it this check would take 80 s."""
        begin = time.monotonic()
        self.expect("closes_socket", "crashes|does not return in time")
        self.assertLess(time.monotonic() - begin, 45)

    def test_a_machine_that_is_said_to_fail(self):
        self.expect("forged_cuda_error", "cannot be loaded: CUDA error: out of memory")


class Hinders(Suite):
    def test_computing_between_calls_is_limited(self):
        """Unless it cannot compute there. Waiting, calling and computing may each take 20 s."""
        code, out, err = check("burns_between", 1)
        self.assertIn((code, out), ((0, ""), (1, "")))
        self.assertRegex(err, r"\A\Z" if code == 0 else "takes too long|does not return in time")

    def test_work_after_a_call_is_told(self):
        with Reach(OTHERS[-1]) as reach:
            reach.compile("works_on")
            code, out, err = solve(reach, "works_on.so")
            self.assertEqual(code, 0, out + err)
            self.assertRegex(err, r"warning: .*works_on\.so.*used \d+ ms of CPU time after its call")

    def test_no_worker_lives_when_another_solver_is_timed(self):
        """Without a sandbox it is not stopped between its calls. It shows how long it lives."""
        with Reach(OTHERS[-1]) as reach:
            reach.compile("lives")
            options = "--n 1500 --device cpu --quiet --unsandboxed --method dense --warmup 0 --reps 10 --csv times.csv"
            code, out, err = reach.apsp([*options.split(), "--kernel", "./lives.so,apsp"])
            ago = time.time() - (reach.folder / "reach" / "lives").stat().st_mtime
            self.assertEqual(code, 0, out + err)
            self.assertGreater(1000 * ago, 8 * times(reach.folder / "times.csv")["apsp"], out)


if __name__ == "__main__":
    unittest.main()
