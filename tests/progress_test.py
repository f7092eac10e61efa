"""What long work says of itself, at a terminal and for SIGUSR1: `python3 tests/progress_test.py` asks ./apsp, or $APSP.

Pipes that are fed or emptied slowly hold the program where a test wants to ask it.
"""
import contextlib, os, pty, re, select, signal, struct, subprocess, termios, time, unittest
from fcntl import ioctl
from pathlib import Path

from harness import CPU, SOLVE, Suite, snapshot

BUSY = "--n 1000 --device cpu --kernel ref --warmup 0 --reps"  # the number of calls of a fifth of a second or so
TIME = r"(\d+\.\d|\d\d) s"
ETA = rf"\d+ %, {TIME} so far, about {TIME} left"


def caught(pid):
    """Whether a process has a handler of its own for SIGUSR1."""
    mask, = re.findall(r"SigCgt:\s+(\w+)", Path(f"/proc/{pid}/status").read_text())
    return bool(int(mask, 16) >> (signal.SIGUSR1 - 1) & 1)


def children(pid):
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def until(condition, seconds=20):
    """What condition() returns once that is true."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.01)
    return found


class Asked(Suite):
    @contextlib.contextmanager
    def running(self, argv, code=0, out=None, **kwargs):
        """A run that can be asked. At its end it has the exit code, and has said nothing more on standard error."""
        process = self.popen(argv, **kwargs)
        try:
            until(lambda: caught(process.pid))
            yield process
            stdout, stderr = process.communicate()
        finally:
            process.kill()
            process.communicate()
        self.assertEqual((process.returncode, stderr), (code, b""))
        if out is not None:
            self.assertRegex(stdout.decode(), out)

    def ask(self, process):
        """The line that one signal gets."""
        process.send_signal(signal.SIGUSR1)
        self.assertTrue(select.select([process.stderr], [], [], 20)[0], "it says nothing")
        line = process.stderr.readline().decode()
        self.assertRegex(line, r"\Aapsp: [^\n\r\x1b]+\n\Z")
        return line[6:-1]

    def ask_until(self, process, pattern):
        until(lambda: re.fullmatch(pattern, self.ask(process)))

    def test_reading_a_slow_pipe(self):
        edge, count = b"a 1 2 3\n", 500000
        with self.running("info - --format gr", stdin=subprocess.PIPE, out=r"edges +1\n") as process:
            process.stdin.write(b"p sp 2 %d\n" % count)
            process.stdin.flush()
            self.ask_until(process, rf"reading <stdin>: \d+ bytes, \d+ bytes/s, {TIME} so far")
            process.stdin.write(edge * (count // 2))
            process.stdin.flush()
            self.ask_until(process, rf"reading <stdin>: [12]\.\d\d MB, [\d.]+ [kM]B/s, {TIME} so far")
            process.stdin.write(edge * (count - count // 2))

    def test_reading_a_file(self):
        with self.running("gen --n 2000 -o g.npy"):
            pass
        with open(self.dir / "g.npy", "rb") as file:  # as standard input it has a size
            process = self.popen("info - --format npy", stdin=file)
            while process.poll() is None:
                if caught(process.pid):
                    process.send_signal(signal.SIGUSR1)
                time.sleep(0.001)
            lines = process.communicate()[1].decode().splitlines()
        self.assertEqual(process.returncode, 0)
        self.assertTrue(any(re.fullmatch(rf"apsp: reading <stdin>: \d+ %, .*so far.*", line) for line in lines), lines)

    def test_solving(self):
        with self.running(f"{BUSY} 3 -o d.npy", out=r"\nref +i32 .*\n(?: .*\n)*\nwrite") as process:
            for call in (1, 2, 3):
                self.ask_until(process, rf"n = \d+: kernel ref: call {call} of 3: {ETA}")
        process = self.popen(f"{BUSY} 3 -o e.npy --quiet")
        self.assertEqual(process.communicate(), (b"", b""))
        self.assertEqual((self.dir / "d.npy").read_bytes(), (self.dir / "e.npy").read_bytes())

    def test_solving_in_parallel(self):
        with self.running("--n 3000 --device cpu --method dense --threads 2 --warmup 0 --reps 5 --quiet") as process:
            for call in (1, 3, 5):  # the first one by its rounds alone
                self.ask_until(process, rf"n = \d+: kernel apsp: call {call} of 5: {ETA}")

    def test_verifying(self):
        with self.running(f"--n 700 {CPU} --verify --quiet") as process:
            self.ask_until(process, rf"n = \d+: kernel apsp: solving with ref to compare: {ETA}")
        with self.running(f"--n 1000 {CPU} --threads 2 --verify=dijkstra:999 --quiet") as process:
            self.ask_until(process, rf"n = \d+: kernel apsp: verifying: Dijkstra's algorithm: {ETA}")

    def test_writing_to_a_slow_pipe(self):
        for argv, name in (("gen --n 600 -o g.npy", "g.npy"), ("gen --n 600 -o g.mtx", "g.mtx"),
                           (f"--n 600 {CPU} -o d.npy --quiet", "d.npy"), (f"--n 600 {CPU} -o d.tsv --quiet", "d.tsv")):
            with self.subTest(argv):
                path = self.dir / name
                os.mkfifo(path)
                with self.running(argv) as process:
                    self.assertEqual(self.ask(process), "starting")  # it waits for a reader
                    self.assertEqual(self.ask(process), "starting")
                    with open(path, "rb", 0) as pipe:
                        data = pipe.read(4096)
                        self.ask_until(process, rf"writing {name}: {ETA}" if name.endswith(".npy")
                                       else rf"writing {name}: (\d+ %, )?{TIME} so far(, about {TIME} left)?")
                        while piece := pipe.read(1 << 20):
                            data += piece
                path.unlink()
                with self.running(argv):
                    pass
                self.assertEqual(data, path.read_bytes())

    def test_many_signals(self):
        with self.running(f"{BUSY} 3 --record rec --verify", out=r"\nref +i32 .* dijkstra:16.*\n") as process:
            for _ in range(100):
                self.ask(process)
        for _ in range(3):  # all at once, and at any time
            process = self.popen(f"--n 200 {CPU} --quiet")
            until(lambda: process.poll() is not None or caught(process.pid))
            while process.poll() is None:
                process.send_signal(signal.SIGUSR1)
            self.assertEqual(process.returncode, 0)
            self.assertRegex(process.communicate()[1], rb"\A(apsp: [^\n]+\n)*\Z")
        self.assertEqual(len([name for name in snapshot(self.dir) if name.endswith(".csv")]), 1)

    def test_submission(self):
        self.library("slow.so", "for (int i = 0; i < 3; ++i) usleep(500000);")
        with self.running("--n 5 --kernel ./slow.so --device cpu --warmup 0 --reps 2", start_new_session=True,
                          out=r"\n\./slow\.so +i32") as process:
            def worker():  # the other child measures the cost of a call
                return [pid for pid in children(process.pid) if b"slow" in Path(f"/proc/{pid}/cmdline").read_bytes()]
            self.ask_until(process, rf"n = 5: kernel \./slow\.so: call 1 of 2: 0\.[5-9] s so far")  # it solves
            child, = worker()
            until(lambda: not caught(child))
            os.kill(child, signal.SIGUSR1)  # as Slurm does that signals all of a job
            self.ask_until(process, rf"n = 5: kernel \./slow\.so: call 2 of 2: [6-9]\d{ETA[3:]}")  # by the time of the first
            os.killpg(process.pid, signal.SIGUSR1)
            self.assertRegex(process.stderr.readline().decode(), r"call 2 of 2")
            os.kill(child, signal.SIGUSR1)

    def test_checking_and_grading(self):
        with self.running("check --quick --device cpu --kernel ref --quiet") as process:
            self.ask_until(process, rf"checking ref: [a-z-]+ n=.*: {ETA}")
        (self.dir / "hand-ins").mkdir()
        self.library("hand-ins/slow.so", f"{SOLVE} usleep(1000);")
        with self.running("grade hand-ins --host --quiet") as process:
            self.ask_until(process, rf"checking hand-ins: checking hand-ins/slow.so: .*: (\d+ %, )?{TIME} so far.*")

    def test_standard_error_that_nobody_reads(self):
        for full in (False, True):
            with self.subTest(full=full):
                ours, theirs = os.pipe()
                if full:
                    os.set_blocking(theirs, False)
                    with contextlib.suppress(BlockingIOError):
                        while True:
                            os.write(theirs, b"x" * 4096)
                    os.set_blocking(theirs, True)
                else:
                    os.close(ours)
                process = self.popen(f"{BUSY} 3 --quiet", stderr=theirs)
                os.close(theirs)
                until(lambda: caught(process.pid))
                for _ in range(5):
                    process.send_signal(signal.SIGUSR1)
                    time.sleep(0.02)
                process.communicate()
                self.assertEqual(process.returncode, 0)
                if full:
                    os.close(ours)

    def test_nothing_unasked(self):
        with open(self.dir / "log", "wb") as log:
            process = self.popen(f"{BUSY} 9 --quiet", stderr=log)
            process.communicate()
        self.assertEqual((process.returncode, (self.dir / "log").read_bytes()), (0, b""))


class Terminal(Suite):
    ERASE = "\r\x1b[K"

    def on_terminal(self, argv, columns=0, act=None, env={}):
        """What appears at a terminal, and the exit code."""
        ours, theirs = pty.openpty()
        ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        process = self.popen(argv, env, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        process.keyboard, shown = ours, b""
        try:
            while select.select([ours], [], [], 60)[0]:
                shown += os.read(ours, 4096)
                if act and self.ERASE.encode() in shown:
                    act = act(process)
        except OSError:  # EIO: the other side is closed
            return shown.decode(), process.wait(60)
        finally:
            process.kill()
            process.wait()
            os.close(ours)
        self.fail(f"it goes on and on: {shown}")

    def sleeps(self, name="s.so", milliseconds=900):
        """Arguments that make the program wait four times so long."""
        self.library(name, f"usleep({milliseconds}000);")
        return f"--n 5 --kernel ./{name} --device cpu --warmup 0 --reps 4"

    def lines(self, shown):
        """The lines that were drawn; each ends with what replaces or erases it."""
        return [part for part in shown.split(self.ERASE)[1:-1] if part]

    def test_a_line_appears_and_goes(self):
        shown, code = self.on_terminal(f"{self.sleeps()} -o d.npy")
        self.assertEqual(code, 0)
        lines = self.lines(shown)
        self.assertLess(len(lines), 5 * 3.6)
        self.assertGreater(len(lines), 5)
        for line in lines:
            self.assertRegex(line, rf"\Aapsp: n = 5: kernel \./s\.so: call \d of 4: ({ETA}|{TIME} so far)\Z")
            self.assertGreaterEqual(float(re.search(r"([\d.]+) s so far", line)[1]), 1)
        shares = [int(share) for line in lines for share in re.findall(r"(\d+) %", line)]
        self.assertGreater(len(shares), 5)
        self.assertEqual(shares, sorted(shares))
        left = re.sub(r"\r\x1b\[K[^\r]*(?=\r\x1b)", "", shown).replace(self.ERASE, "")  # what remains to be seen
        self.assertRegex(left, r"\Agraph [^$]*speedup +verified\r\n\./s\.so +i32 [^$]*not verified[^\r]*\r\n")

    def test_a_stopped_terminal_keeps_nobody(self):
        def stop(process):
            os.write(process.keyboard, b"\x13")  # Ctrl-S
            process.send_signal(signal.SIGTERM)
        shown, code = self.on_terminal(f"{BUSY} 1000 --quiet -o d.npy", act=stop)
        self.assertEqual((code, snapshot(self.dir)), (-signal.SIGTERM, {}))

    def test_fits(self):
        folder = self.dir / "of" / ("long" * 30)
        folder.mkdir(parents=True)
        shown, code = self.on_terminal(self.sleeps(f"of/{folder.name}/mine.so", 500) + " --quiet", 80)
        self.assertEqual(code, 0)
        for line in self.lines(shown):
            self.assertRegex(line, r"\Aapsp: n = 5: kernel.*…/mine\.so: call \d of 4: ")
        argv = self.sleeps("x" * 150 + ".so", 350)
        for columns, most in ((0, 79), (200, 79), (60, 59)):
            with self.subTest(columns=columns):
                shown, code = self.on_terminal(f"{argv} --quiet", columns)
                self.assertEqual(code, 0)
                self.assertEqual({len(line) for line in self.lines(shown)}, {most}, shown)

    def test_short_work_shows_nothing(self):
        shown, code = self.on_terminal(f"--n 100 {CPU} --quiet")
        self.assertEqual((shown, code), ("", 0))

    def test_not_at_a_dumb_one(self):
        shown, code = self.on_terminal(f"{self.sleeps(milliseconds=400)} --quiet", env={"TERM": "dumb"})
        self.assertEqual((shown, code), ("", 0))

    def test_gone_before_an_error(self):
        self.library("crash.so", "usleep(1500000); abort();")
        shown, code = self.on_terminal("--n 5 --kernel ./crash.so --device cpu --quiet")
        self.assertEqual(code, 1)
        self.assertRegex(shown, r"\x1b\[K[^\r]+\r\x1b\[Kapsp: \./crash\.so: call 1 [^\r]*SIGABRT[^\r]*\r\n\Z")

    def test_gone_when_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            shown, code = self.on_terminal(f"{BUSY} 1000 --quiet", act=lambda p: p.send_signal(number))
            self.assertEqual(code, -number)
            self.assertRegex(shown, r"\x1b\[Kapsp: [^\r]+\r\x1b\[K\Z")

    def test_asked_there(self):
        shown, code = self.on_terminal(f"{self.sleeps()} --quiet", act=lambda p: p.send_signal(signal.SIGUSR1))
        self.assertEqual(code, 0)
        self.assertRegex(shown, rf"\x1b\[Kapsp: n = 5: kernel \./s\.so: call \d of 4: {ETA}\r\n\r\x1b\[Kapsp: ")


if __name__ == "__main__":
    unittest.main()
