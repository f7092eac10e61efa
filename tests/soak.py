#!/usr/bin/env python3
"""The long run: what takes long, and what depends on times, moments or other programs. `make soak` calls it.

  tests/soak.py [PART…]      "times", "races sanitize"; all parts, if none is named

The parts run one after the other, each with a limit of its own. At the end stands a table: the part, its outcome, its
seconds, its seed and when it began. The output of each part lies in build/soak/. Tests that depend on times (the part
`times`) run alone; one that fails is repeated once, and then counts as unstable. Unstable is not passed. The last line
is `N passed, N failed, N skipped`. Exit: 0 all passed or skipped, 1 some did not, 2 usage.

All parts take hours. So a run of all parts goes on where one on the same files was ended: parts that passed are in the
table, and do not run again. Documents and results do not count, because `make test` looks at them. What is not committed
has no such past. All that is asked for runs if parts are named, if the seed is given, or if all parts have passed.
"""
import hashlib, json, os, re, secrets, signal, subprocess, sys, time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "soak"
SKIPPED = 77


class Part(NamedTuple):
    command: str
    minutes: int  # it may take
    about: str


PARTS = {
    "times": Part("make test SOAK=1", 60, "tests that depend on times, moments or a browser, and SciPy's own"),
    "all": Part("APSP_FULL=1 make test", 120, "all tests, with all cases of each and a fresh seed"),
    "fuzz": Part("make fuzz WERROR=1 SECONDS=10", 60, "every reader under libFuzzer"),
    "races": Part("make races", 30, "what is parallel under ThreadSanitizer"),
    "odr": Part("make odr", 30, "each file by itself; every name means one thing"),
    "lean": Part("make lean", 30, "the program without the course, and the library alone"),
    "sanitize": Part("make sanitize", 120, "tests under ASan, UBSan and LeakSanitizer"),
    "mutants": Part("make mutants", 600, "what is tested is broken, and tests fail"),
    "class": Part("make apsp && APSP=build/latest/apsp python3 tests/whole_class.py", 300,
                  "200 hand-ins within an hour, killed once, and graded twice"),
    "sm60": Part("scripts/check_sm60.sh", 30, "CUDA sources for the P100, with an older toolchain"),
    "slurm": Part("scripts/install_deps.sh --slurm; make apsp && APSP=build/latest/apsp python3 tests/slurm_test.py", 20,
                  "the sweep in a real Slurm"),
    "python": Part("make python-test MARK=soak", 60, "SciPy's and NetworkX's own tests on the Python package, leaks, and what must be quick"),
    "deb": Part("make deb CHECK=yes", 60, "the Debian package, and whether it installs where nothing else is"),
    "wheel": Part("make wheel", 60, "the wheel, and whether it imports where nothing else is"),
}


def run(name, part, seed):
    """The outcome of a part: passed, skipped, unstable or failed, and why."""
    log = LOGS / f"{name}.log"
    with open(log, "wb") as file:
        process = subprocess.Popen(["bash", "-c", part.command], cwd=ROOT, stdout=file, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, start_new_session=True, env={**os.environ, "APSP_TEST_SEED": str(seed)})
        try:
            code = process.wait(60 * part.minutes)
        except BaseException as error:  # it took too long, or we are interrupted
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return "failed", f"took more than {part.minutes} min"
    said = log.read_text(errors="replace")
    counts = re.findall(r"(?m)^\d+ passed, .*$", said)
    if code == SKIPPED or (code == 0 and re.search(r"(?m)^OK \(skipped=\d+\)$", said) and not re.search(r"\.\.\. ok$", said)):
        return "skipped", said.strip().splitlines()[-1]
    if (unstable := re.findall(r"(?m)^UNSTABLE (\S+)", said)) and not re.search("(?m)^FAILED ", said):
        return "unstable", ", ".join(unstable)
    return ("failed" if code else "passed"), counts[-1] if counts else ""


class Outcome(NamedTuple):
    """What came of a part."""
    outcome: str
    seconds: int
    seed: int
    began: str
    why: str


def version_of(folder, *aside):
    """A hash of the committed files of a folder but documents, results and those aside, or None where some file is not
    committed."""
    def git(*argv):
        return subprocess.run(["git", *argv], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    if not git("rev-parse", "--verify", "HEAD") or git("status", "--porcelain"):
        return None
    kept = git("ls-files", "--stage", "--", ".", *(f":!{path}" for path in ("docs", "results", "*.md", *aside)))
    return hashlib.sha1(kept.encode()).hexdigest()


class Past:
    """What is known of a version, in a file that has what is known of others, too: a line for each name."""
    def __init__(self, file, version):
        self.file, self.version = file, version

    def read(self):
        """The row of each name. Nothing is known where the version is None."""
        if self.version is None or not self.file.exists():
            return {}
        lines = map(json.loads, self.file.read_text().splitlines())
        return {name: row for version, name, *row in lines if version == self.version}

    def add(self, name, row):
        if self.version is not None:
            with open(self.file, "a") as file:
                print(json.dumps([self.version, name, *row]), file=file)


class Passed(Past):
    """The parts that passed on a version."""
    def read(self):
        return {name: Outcome(*row) for name, row in super().read().items()}

    def add(self, name, row):
        if row.outcome == "passed":
            super().add(name, row)


def main():
    names = sys.argv[1:] or list(PARTS)
    if unknown := [name for name in names if name not in PARTS]:
        print(f"soak: no part {unknown[0]!r}. The parts:", *(f"  {name:9} {part.about}" for name, part in PARTS.items()), sep="\n", file=sys.stderr)
        return 2
    LOGS.mkdir(parents=True, exist_ok=True)
    given = os.environ.get("APSP_TEST_SEED")
    seed, past = int(given or secrets.randbelow(2**32)), Passed(LOGS / "passed", version_of(ROOT))
    rows = past.read() if not sys.argv[1:] and not given else {}
    if len(rows) == len(PARTS):
        rows = {}
    for name in [name for name in names if name not in rows]:
        start, began = time.monotonic(), time.strftime("%Y-%m-%d %H:%M")
        print(f"{name}: {PARTS[name].about}", flush=True)
        outcome, why = run(name, PARTS[name], seed)
        rows[name] = Outcome(outcome, round(time.monotonic() - start), seed, began, why)
        if version_of(ROOT) == past.version:  # nobody changed a file meanwhile
            past.add(name, rows[name])
        print(f"  {outcome} after {rows[name].seconds} s {why}", flush=True)
    print(f"\n{'part':9} {'outcome':9} {'s':>6} {'seed':>10} {'began':16}")
    for name in names:
        row = rows[name]
        print(f"{name:9} {row.outcome:9} {row.seconds:6} {row.seed:10} {row.began:16} {row.why}".rstrip()[:200])
    count = {outcome: sum(row.outcome == outcome for row in rows.values()) for outcome in ("passed", "failed", "unstable", "skipped")}
    print(f"\n{count['passed']} passed, {count['failed'] + count['unstable']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] + count["unstable"] else 0


if __name__ == "__main__":
    sys.exit(main())
