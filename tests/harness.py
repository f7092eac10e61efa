"""What drives ./apsp, or $APSP, as a user does; the tests of the command line, faults and submissions share it.

Most tests are rows of a table (`Case`). Each runs in a directory of its own, and `Suite.apsp`, through which all
go, also asserts what holds for every run: an error is exactly one line `apsp: …` on stderr, a success leaves
stderr empty, output to a file or pipe has no escape codes, and nothing appears or changes on disk but what the
test names, so no partial or temporary file either. Standard library only, Python 3.9 or newer.
"""
import ast, bz2, concurrent.futures, ctypes, functools, gzip, itertools, json, lzma, mmap, os, re, resource, shlex, shutil, signal, struct, subprocess, sys, tempfile, time, types, unittest
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
APSP = str((ROOT / os.environ.get("APSP", "apsp")).resolve())
DATA = ROOT / "data"
INF = 1073741823
CORES = len(os.sched_getaffinity(0))
TINY = sorted(p.name for p in DATA.glob("tiny*"))
FULL = os.environ.get("APSP_FULL") == "1"  # tests that have many cases of one kind take all of them
CPU = "--device cpu --warmup 0 --reps 1"  # one call: these tests are about results
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}     # hides the GPUs of a machine that has some
MEASURED = """time median_ms min_ms max_ms reps relax_per_s pct_of_peak pct_of_write_bound load_ms copy_in_ms place_ms copy_out_ms write_ms
              core_mhz_before core_mhz_after memory_mhz throttle other_users slurm_job q1_ms q3_ms outliers load
              disturbed times_ms""".split()  # columns of a record


def install(*variables):
    """make install, of what was built beside APSP. variables: "PREFIX=/usr". Nothing is looked for or compiled."""
    built = ROOT / "build/latest" if Path(APSP).parent == ROOT else Path(APSP).parent
    return subprocess.run(["make", "-s", "install", f"FROM={built}", *variables], cwd=ROOT, capture_output=True, text=True)


def why_no_gpu():
    """'' where ./apsp can use a GPU, else the reason that skipped tests state."""
    if not shutil.which("nvidia-smi") or subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode:
        return "needs a GPU: nvidia-smi -L finds none"
    run = subprocess.run([APSP, *"--device gpu --n 1 --reps 1 --quiet".split()], capture_output=True, text=True)
    return "needs a GPU: " + run.stderr.strip() if run.returncode == 4 else ""


@functools.cache
def has_symbol(symbol):
    """Whether the program contains this name, for example because it was built with a library. It contains ''."""
    with open(APSP, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as program:
        return program.find(symbol.encode()) >= 0


@functools.cache
def packers():
    """What packs bytes for each ending that the program unpacks."""
    known = (".gz", gzip.compress, "inflate"), (".xz", lzma.compress, "lzma_code"), (".bz2", bz2.compress, "BZ2_bzDecompress")
    return types.MappingProxyType({end: pack for end, pack, symbol in known if has_symbol(symbol)})


# What a shell runs in the background ignores it, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)

GPU_REASON = why_no_gpu()
needs_gpu = unittest.skipIf(GPU_REASON, GPU_REASON)


# ---- graphs and distances, independently of the program ---------------------------------------------------

def floyd_warshall(weights):
    d = [row[:] for row in weights]
    for k, through in enumerate(d):
        through = through[:]
        for row in d:
            if row[k] < INF:
                row[:] = [min(x, row[k] + y) for x, y in zip(row, through)]
    return d


def matrix(n, edges):
    m = [[0 if i == j else INF for j in range(n)] for i in range(n)]
    for u, v, w in edges:
        m[u][v] = min(m[u][v], w)
    return m


def course(n, seed, r):
    def weight(i, j):
        x = seed % r
        for v in (j, i):
            x = (x * 179424673 + v // 32 + 275604541) % r
            x = (x * 373587883 + v % 32 + 472882027) % r
        return x
    return [[0 if i == j else weight(i, j) for j in range(n)] for i in range(n)]


def uint16(data):
    return list(struct.unpack(f"<{len(data) // 2}H", data))


def int32(data):
    return list(struct.unpack(f"<{len(data) // 4}i", data))


def float32(data):
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def int64(data):
    return list(struct.unpack(f"<{len(data) // 8}q", data))


def float64(data):
    return list(struct.unpack(f"<{len(data) // 8}d", data))


def rows_of(n, flat):
    return [flat[i * n:(i + 1) * n] for i in range(len(flat) // n if n else 0)]


def read_npy(path):
    data = Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    length, = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + length].decode())
    rows, columns = header["shape"]
    assert header == {"descr": header["descr"], "fortran_order": False, "shape": (rows, columns)}, header
    read = {"<i4": int32, "<f4": float32, "<i8": int64, "<f8": float64, "|u1": list, "<u2": uint16}[header["descr"]]
    size = int(header["descr"][2])
    assert (10 + length) % 64 == 0 and len(data) == 10 + length + size * rows * columns, (length, len(data))
    return rows_of(columns, read(data[10 + length:]))


def read_distances(path):
    path = Path(path)
    if path.suffix == ".npy":
        return read_npy(path)
    if path.suffix == ".tsv":
        return [[INF if x == "inf" else int(x) for x in line.split("\t")] for line in path.read_text().splitlines()]
    flat = int32(path.read_bytes())
    return rows_of(round(len(flat) ** 0.5), flat)


def dense_bin(rows):
    return struct.pack(f"<{2 + len(rows) ** 2}i", len(rows), len(rows), *itertools.chain(*rows))


def edges_bin(n, edges):
    return struct.pack(f"<{2 + 3 * len(edges)}i", n, len(edges), *itertools.chain(*edges))


def npy(descr, form, *weights, n=None):
    """The bytes of a square NumPy array, 128 of them its header; of another size than it says with n."""
    n = round(len(weights) ** 0.5) if n is None else n
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({n}, {n}), }}"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + f"{header:117}\n".encode() + struct.pack(form, *weights)


LONG = "0 1 1000000000\n1 2 1000000000\n2 3 1000000000\n"  # whose ends are farther apart than kInf
TINY_DISTANCES = [[0, 5, 2, 5, 6, INF], [INF, 0, 5, 0, 1, INF], [INF, 3, 0, 3, 4, INF], [INF, 8, 5, 0, 1, INF],
                  [INF, 7, 4, 7, 0, INF], [6, 11, 8, 11, 12, 0]]
# The body of a library() that is right, and that compilers vectorise: a check of the plain loops takes twice as long.
SOLVE = "for (int k = 0; k < n; ++k) for (int i = 0; i < n; ++i) { const int first = g[i * n + k];" \
        " for (int j = 0; j < n; ++j) { const int sum = first + g[k * n + j]; g[i * n + j] = sum < g[i * n + j] ? sum : g[i * n + j]; } }"


# ---- running -----------------------------------------------------------------------------------------------

class Case(NamedTuple):
    name: str
    argv: object        # a shell-like string ({data} is data/), or a list
    code: int = 0
    out: tuple = ()     # regular expressions that stdout matches, a str or a tuple
    err: tuple = ()     # likewise stderr
    left: tuple = ()    # new or changed files
    files: dict = {}    # name → bytes, str or callable(path), made before
    stdin: bytes = b""
    env: dict = {}
    child: object = None      # a function that the new process calls before it is ./apsp
    distances: object = None  # that d.npy holds afterwards, a list of rows


def limited(what, value):
    """For Case.child: that resource. Of the size of files EFBIG is told then, which stands in for a full disk."""
    def limit():
        resource.setrlimit(what, (value, value))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # Python ignores it, and its child does so here
    return limit


def bound_by_permissions(libc=ctypes.CDLL(None)):
    """For Case.child: root may not read and write what its permissions forbid any more; others could not anyway."""
    drop, override, read_search = 24, 1, 2  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    for capability in (override, read_search):
        libc.prctl(drop, capability, 0, 0, 0)


def has_landlock(libc=ctypes.CDLL(None, use_errno=True)):
    create_ruleset, tell_version = 444, 1
    return libc.syscall(create_ruleset, None, 0, tell_version) > 0


def words(argv):
    return shlex.split(argv.format(data=DATA)) if isinstance(argv, str) else argv


def each(text):
    return (text,) if isinstance(text, str) else text


def snapshot(directory):
    return {str(p.relative_to(directory)): p.read_bytes() for p in Path(directory).rglob("*") if p.is_file()}


def library(path, body):
    """Compiles a submission for the CPU with this body of void apsp(int n, int* g)."""
    source = f"#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n#include <ctime>\n#include <unistd.h>\nvoid apsp(int n, int* g) {{ {body} }}\n"
    subprocess.run([os.environ.get("CXX", "g++"), *"-O3 -w -shared -fPIC -x c++ - -o".split(), path],
                   input=source.encode(), check=True)


def compile_all(sources):
    """Compiles submissions for the GPU side by side. Later the program finds them in its cache."""
    argv = [APSP, *"--device gpu --n 0 --quiet --kernel".split()]  # loads them, and calls none

    def compile_one(source):  # whether it succeeds is left to the tests
        subprocess.run([*argv, source], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        list(pool.map(compile_one, sources))


# Starts a program from a small process, and prints the most memory that it took.
START = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL)
print("\\n", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


class Suite(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.dir = Path(tempfile.mkdtemp(prefix="apsp-test-"))
        self.addCleanup(shutil.rmtree, self.dir, True)

    def popen(self, argv, env={}, child=None, **kwargs):
        # passive: no spinning where others compute; Python leaves no files behind
        env = {"TERM": "xterm", "LANG": "C.UTF-8", "OMP_WAIT_POLICY": "passive", "PYTHONDONTWRITEBYTECODE": "1", **env}
        ours = "NO_COLOR SLURM_JOB_ID OMP_NUM_THREADS LC_ALL LC_CTYPE".split()
        clean = {k: v for k, v in os.environ.items() if k not in ours}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **kwargs}
        process = subprocess.Popen([APSP, *words(argv)], cwd=self.dir, env={**clean, **env}, preexec_fn=child, **pipes)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, condition, process=None):
        """For ever, but for the limit of the test; fails if the process ends before."""
        while not condition():
            self.assertIsNone(process and process.poll(), "it has ended")
            time.sleep(0.01)

    def wait_until_it_computes(self, process, seconds=0.3):
        """So much processor time, however long that takes on a busy machine."""
        def used():
            ticks = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
            return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
        self.wait_until(lambda: used() >= seconds, process)

    def apsp(self, argv, code=0, out=(), err=(), left=(), stdin=b"", env={}, child=None):
        """Runs it, asserts (see above) and returns stdout. left=None: any files but temporary ones."""
        before = snapshot(self.dir)
        process = self.popen(argv, env, child, stdin=subprocess.PIPE)
        try:
            stdout, stderr = process.communicate(stdin)
        finally:
            process.kill()
        stdout, stderr = (os.fsdecode(text) for text in (stdout, stderr))
        if "reverse" not in "".join(each(err)):  # most small graphs have no two edges between the same vertices
            stderr = re.sub(r"(?m)^apsp: [^;\n]*: no edge has its reverse: .*\n", "", stderr)
        if "disputed" not in "".join(each(err)):
            stderr = re.sub(r"(?m)^apsp: warning: [^\n]*: time disputed: [^\n]*\n", "", stderr)
        if "disturbed" not in "".join(each(out)):  # other tests, which run at the same time, disturb
            stdout = re.sub(r"(?m), disturbed(?=(, kept|, unsandboxed|, public graph)*$)|^  disturbed: .*\n(    .*\n)*", "", stdout)
        told = f"\n$ apsp {argv}\n{stdout}{stderr}[exit {process.returncode}]"
        self.assertEqual(process.returncode, code, told)
        self.assertRegex(stderr, r"\Aapsp: [^\n]+\n\Z" if code or err else r"\A\Z", told)
        self.assertNotIn("\x1b", stdout + stderr, told)
        for text, patterns in ((stdout, out), (stderr, err)):
            for pattern in each(patterns):
                self.assertRegex(text, pattern, told)
        after = snapshot(self.dir)
        if left is None:
            self.assertFalse([name for name in after if "tmp" in name], told)
        else:
            changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
            self.assertEqual(changed, set(each(left)), "new or changed files" + told)
        return stdout

    def check(self, case):
        for name, content in case.files.items():
            self.put(name, content)
        self.apsp(*case[1:6], stdin=case.stdin, env=case.env, child=case.child)
        if case.distances is not None:
            self.assertEqual(read_npy(self.dir / "d.npy"), case.distances)

    def put(self, name, content):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def put_program(self, name, script):
        self.put(name, "#!/usr/bin/env bash\nset -euo pipefail\n" + script)
        (self.dir / name).chmod(0o755)
        return str(self.dir / name)

    def script(self, name, arguments, code=0, err=r"\A", **env):
        """Runs one of scripts/ and returns its stdout; stderr matches `err`."""
        run = subprocess.run([ROOT / "scripts" / name, *words(arguments)], cwd=self.dir, text=True, capture_output=True,
                             env={**os.environ, "APSP": APSP, **env})
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertRegex(run.stderr, err)
        return run.stdout

    def peak(self, argv):
        """The exit code, what was said, and the most memory that the program took.

        A process's peak counts what its parent held when it started it. These tests may hold much, so a small process
        starts the program."""
        told = subprocess.run([sys.executable, "-SEc", START, APSP, *argv], cwd=self.dir, capture_output=True, text=True,
                              env={**os.environ, "OMP_WAIT_POLICY": "passive"})
        return told.returncode, told.stderr, int(told.stdout.split()[-1]) * 1024

    def library(self, name, body):
        library(self.dir / name, body)

    def distances(self, graph, options=CPU):
        """The program's distances of a graph, given as its arguments."""
        self.apsp(f"{graph} {options} --quiet -o out.npy", left=None)
        return read_npy(self.dir / "out.npy")

    def generated(self, options):
        self.apsp(f"gen {options} -o generated.npy", left=None)
        return self.weights("generated.npy")

    def weights(self, name):
        return [[INF if w < 0 else w for w in row] for row in read_npy(self.dir / name)]

    def records(self, argv, left=()):
        self.apsp(f"{argv} --quiet --json records.json", left=("records.json", *left))
        return json.loads((self.dir / "records.json").read_bytes())


def table(*cases):
    """Class decorator: one test a row."""
    def add(cls):
        for case in cases:
            name = f"test {case.name}"
            assert not hasattr(cls, name), name
            setattr(cls, name, lambda self, case=case: self.check(case))
        return cls
    return add
