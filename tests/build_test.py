"""What make would write and say, and scripts/install_deps.sh: `python3 tests/build_test.py`. Nothing is built."""
import os, re, shutil, subprocess, tempfile, unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NVCC = "#!/bin/sh\n[ $1 = --version ] && echo release 13.0, V13.0.48 || echo sm_90\n"
USERS_PROGRAM = re.compile(r"(?<![\w./-])(\./)?apsp(?![\w./-])")  # apsp or ./apsp, but not build/nocuda/apsp


class Folder(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp(prefix="apsp-test-"))
        self.addCleanup(shutil.rmtree, self.dir)

    def program(self, path, text):
        path = self.dir / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)


class Make(Folder):
    def make(self, *arguments):
        env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}  # `make test CUDA=no` sets CUDA
        return subprocess.run(["make", f"BUILD={self.dir}/build", *arguments], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300, env=env)

    def would_do(self, *arguments):
        """The lines that make would run, and make's own."""
        run = self.make("-n", *arguments)
        self.assertEqual(run.returncode, 0, run.stdout[-500:])
        return run.stdout.splitlines()

    def test_tests_leave_the_users_program_alone(self):
        self.program("cuda/bin/nvcc", NVCC)
        cuda, none = (f"CUDA_HOME={self.dir}/cuda", "ARCHS=90"), ("CUDA=no",)
        cases = [(target, none) for target in ("test", "bench", "fuzz", "sanitize", "races")]
        for target, variant in (*cases, ("test", cuda), ("gpu-test", cuda), ("gpu-sanitize", cuda)):
            with self.subTest(target=target, variant=variant):
                self.assertEqual([line for line in self.would_do(target, *variant) if USERS_PROGRAM.search(line)], [])
        for target, variant in (("all", none), ("apsp", none), ("demo", none), ("demo", cuda)):
            with self.subTest(target=target, variant=variant):
                name = "cuda" if variant == cuda else "nocuda"
                copies = [line for line in self.would_do(target, *variant) if "; cp -f " in line]
                self.assertEqual(len(copies), 1, copies)
                self.assertIn(f"; cp -f {self.dir}/build/{name}/apsp apsp;", copies[0])

    def test_parallel(self):
        for jobs in ("-j", "-j3"):
            warnings = [line for line in self.would_do(jobs, "test", "CUDA=no") if "warning:" in line]
            self.assertEqual(warnings, [])

    def test_a_missing_compiler_is_named_first(self):
        run = self.make("CUDA=no", "CXX=g++-none -O1", "-j2")
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stdout.splitlines()[0],
                         "✗ g++-none: no such C++ compiler. Install one: sudo apt-get install g++")
        self.assertNotIn("CLI11", run.stdout)


class InstallDeps(Folder):
    """The script where PATH has nothing but what a test puts there."""

    def setUp(self):
        super().setUp()
        for name in "bash cat sed mktemp rm".split():
            (self.dir / name).symlink_to(shutil.which(name))

    def run_script(self, code, *arguments):
        run = subprocess.run([shutil.which("bash"), ROOT / "scripts/install_deps.sh", *arguments], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={"PATH": str(self.dir)}, timeout=60)
        self.assertEqual(run.returncode, code, run.stdout)
        return run.stdout

    def test_nothing_is_missing(self):
        for name in "g++ make git python3 clang++ bwrap cmake pkg-config groff mpicxx mpirun".split():
            self.program(name, "#!/bin/bash\n")
        for arguments in ((), ("--tests", "--plots", "--mpi", "--clang")):
            self.assertEqual(self.run_script(0, *arguments), "Nothing is missing.\n")

    def test_it_names_what_is_missing(self):
        said = self.run_script(1)
        self.assertRegex(said, r"(?m)^  sudo apt-get install -y g\+\+ make git python3 libcli11-dev .*\n  sudo dnf install")
        self.assertRegex(self.run_script(1, "--tests"), r"apt-get install .* bubblewrap cmake pkg-config groff-base")
        self.assertTrue(said.endswith("CUDA is optional: make looks for nvcc itself, and says whether it found it.\n"))

    @unittest.skipIf(os.geteuid(), "needs root, as apt does")
    def test_it_installs(self):
        self.program("git", "#!/bin/bash\n")
        self.program("apt-get", f'#!/bin/bash\nfor p in g++ make python3; do\n  echo "#!/bin/bash" > {self.dir}/$p\n'
                                f"  {shutil.which('chmod')} +x {self.dir}/$p\ndone\n")
        self.assertRegex(self.run_script(0), r"\AInstalling g\+\+ make python3 .*\.\n\Z")


if __name__ == "__main__":
    unittest.main()
