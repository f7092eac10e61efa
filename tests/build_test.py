"""What make would write and say, and scripts/install_deps.sh: `python3 tests/build_test.py`. Nothing is built."""
import os, re, shutil, subprocess, tempfile, unittest
from pathlib import Path

from harness import ROOT, bound_by_permissions

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
    def make(self, *arguments, child=None):
        env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}  # `make test CUDA=no` sets CUDA
        return subprocess.run(["make", f"BUILD={self.dir}/build", *arguments], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env=env, preexec_fn=child)

    def would_do(self, *arguments):
        """The lines that make would run, and make's own."""
        run = self.make("-n", *arguments)
        self.assertEqual(run.returncode, 0, run.stdout[-500:])
        return run.stdout.splitlines()

    def test_tests_leave_the_users_program_alone(self):
        self.program("cuda/bin/nvcc", NVCC)
        cuda, none = (f"CUDA_HOME={self.dir}/cuda", "ARCHS=90"), ("CUDA=no",)
        cases = [(target, none) for target in ("test", "bench", "fuzz", "sanitize", "races", "library")]
        for target, variant in (*cases, ("test", cuda), ("gpu-test", cuda), ("gpu-sanitize", cuda)):
            with self.subTest(target=target, variant=variant):
                self.assertEqual([line for line in self.would_do(target, *variant)
                                  if USERS_PROGRAM.search(line) and not line.startswith("cmake --build")], [])
        for target, variant in (("all", none), ("apsp", none), ("demo", none), ("demo", cuda)):
            with self.subTest(target=target, variant=variant):
                name = "cuda" if variant == cuda else "nocuda"
                copies = [line for line in self.would_do(target, *variant) if "|| cp -f " in line]
                copy = f"cmp -s {self.dir}/build/{name}/apsp apsp || cp -f {self.dir}/build/{name}/apsp apsp"
                self.assertEqual([line.partition(" 2> ")[0] for line in copies], [copy])

    def test_options_reach_cmake(self):
        for option, given in (("MPI=no", "-DAPSP_MPI=OFF"), ("WERROR=1", "-DAPSP_WERROR=ON"), ("CUDA=no", "-DAPSP_CUDA=OFF"),
                              ("WITHOUT=lzma zip", "-DAPSP_WITHOUT=lzma zip"), ("UNITY=no", "-DAPSP_UNITY=OFF"),
                              ("CXX=clang++ -Wno-x", "-DCMAKE_CXX_COMPILER=clang++"), ("CXXFLAGS=-O0", "-DCMAKE_CXX_FLAGS=-O0 ")):
            with self.subTest(option=option):
                called = [line for line in self.would_do("apsp", option) if "cmake -S . " in line]
                self.assertTrue(called and all(given in line for line in called), called)

    def test_quietly_it_builds_the_same(self):
        built = [line for line in self.would_do("-s", "CUDA=no", "apsp") if line.startswith("cmake --build")]
        self.assertRegex("\n".join(built), r"\A\S+ --build \S+ --parallel \d+ +--target apsp libapsp libapsp_static -- --quiet\Z")

    def test_a_missing_program_is_named_in_one_line(self):
        run = self.make("CUDA=no", "CXX=g++-none -O1", "-j2")
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stdout.splitlines()[0],
                         "✗ g++-none: not found. scripts/install_deps.sh installs or names all that is needed.")
        self.assertNotIn("CLI11", run.stdout)

    def test_a_folder_that_cannot_be_written_is_named_in_one_line(self):
        (self.dir / "build").mkdir(mode=0o500)
        run = self.make("CUDA=no", child=bound_by_permissions)
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stdout.splitlines()[0], f"✗ {self.dir}/build/nocuda: cannot be written. Build elsewhere, for example: "
                                                     "make BUILD=/tmp/build")

    @unittest.skipUnless(shutil.which("cmake"), "needs CMake")
    def test_it_says_what_is_there(self):
        run = subprocess.run(["cmake", "-S", ROOT, "-B", self.dir / "b", "-DAPSP_CUDA=OFF", "-DAPSP_MPI=OFF", "-DAPSP_WITHOUT=lzma zip"],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        for line in ("✓ fmt", "✗ CUDA: not used", "✗ liblzma (for .xz): not used", "✗ libzip (for .npz): not used", "✓ zlib"):
            self.assertIn(f"-- {line}\n", run.stdout)
        run = subprocess.run(["cmake", "-S", ROOT, "-B", self.dir / "b", "-DAPSP_fmt_INCLUDE=", "-DAPSP_fmt_LIBRARY="], capture_output=True, text=True)
        self.assertIn("Something needed is missing: run scripts/install_deps.sh", run.stderr)

    @unittest.skipUnless(shutil.which("cmake"), "needs CMake")
    def test_architectures(self):
        """What cmake/cuda.cmake says of an nvcc that knows sm_90 alone."""
        self.program("cuda/bin/nvcc", NVCC)
        run = subprocess.run(["cmake", "-S", ROOT, "-B", self.dir / "b", f"-DCUDA_HOME={self.dir}/cuda", f"-DAPSP_NVCC={self.dir}/cuda/bin/nvcc",
                              "-DAPSP_ARCHS=60 90"], capture_output=True, text=True)
        self.assertRegex(" ".join(run.stderr.split()), r"CUDA 13.0 cannot compile for sm_60: the P100 \(sm_60\) needs CUDA 12.9 or older. "
                                                       r"Choose ARCHS from 90, or set CUDA_HOME to another toolkit, or CUDA=no")


class InstallDeps(Folder):
    """The script where PATH has nothing but what a test puts there."""

    def setUp(self):
        super().setUp()
        for name in "bash cat sed mktemp rm".split():
            (self.dir / name).symlink_to(shutil.which(name))

    def run_script(self, code, *arguments):
        run = subprocess.run([shutil.which("bash"), ROOT / "scripts/install_deps.sh", *arguments], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={"PATH": str(self.dir)})
        self.assertEqual(run.returncode, code, run.stdout)
        return run.stdout

    def test_nothing_is_missing(self):
        for name in "g++ make cmake ninja git python3 clang++ bwrap pkg-config groff mpicxx mpirun".split():
            self.program(name, "#!/bin/bash\n")
        for arguments in ((), ("--tests", "--plots", "--mpi", "--clang")):
            self.assertEqual(self.run_script(0, *arguments), "Nothing is missing.\n")

    def test_it_names_what_is_missing(self):
        said = self.run_script(1)
        self.assertRegex(said, r"(?m)^  sudo apt-get install -y g\+\+ make cmake ninja-build git python3 libcli11-dev .*\n  sudo dnf install")
        self.assertRegex(self.run_script(1, "--tests"), r"apt-get install .* bubblewrap pkg-config groff-base")
        self.assertTrue(said.endswith("CUDA is optional: make looks for nvcc itself, and says whether it found it.\n"))

    @unittest.skipIf(os.geteuid(), "needs root, as apt does")
    def test_it_installs(self):
        self.program("git", "#!/bin/bash\n")
        self.program("apt-get", f'#!/bin/bash\nfor p in g++ make cmake ninja python3; do\n  echo "#!/bin/bash" > {self.dir}/$p\n'
                                f"  {shutil.which('chmod')} +x {self.dir}/$p\ndone\n")
        self.assertRegex(self.run_script(0), r"\AInstalling g\+\+ make cmake ninja-build python3 .*\.\n\Z")


if __name__ == "__main__":
    unittest.main()
