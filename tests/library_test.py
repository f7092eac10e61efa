"""The library as a stranger uses it: installed to a folder of its own, linked by CMake and by pkg-config.

`python3 tests/library_test.py` looks at the library beside ./apsp or $APSP, as make built it.
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import APSP, ROOT, install

BUILT = Path(APSP).resolve().parent / "libapsp.so"
NO_LIBRARY = "" if BUILT.exists() else "make has not built the library beside the program"
HOST = os.environ.get("CXX", "g++")
TOWNS = """Oslo           0   463   494  1198
Bergen       463     0   957  1661
Trondheim    494   957     0   704
Bodo        1198  1661   704     0
Bergen -> Oslo -> Trondheim -> Bodo
"""
RUSH_HOUR = """night: 7 min to 5, 5 min to 2: 0 1 2 5
rush hour: 9 min to 5, 12 min to 2: 0 3 4 5
cancelled
"""


def run(*argv, **options):
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
    return done.stdout


@unittest.skipIf(NO_LIBRARY, NO_LIBRARY)
class Library(unittest.TestCase):
    def test_it_shows_the_interface_alone(self):
        header = (ROOT / "include" / "apsp" / "apsp.h").read_text()
        declared = set(re.findall(r"(?m)^APSP_API [^;(]*?(apsp_\w+)\(", header))
        self.assertGreater(len(declared), 20)
        shown = {line.split()[-1].partition("@")[0] for line in run("nm", "-D", "--defined-only", BUILT).splitlines()}
        self.assertEqual(shown - {"APSP_0"}, declared)

    def test_it_needs_nothing_of_the_program(self):
        """No undefined name is one of ours: all are of the libraries that it is linked with."""
        missing = re.findall(r"(?m)^ +U (\S+)$", run("nm", "-DC", "--undefined-only", BUILT))
        self.assertEqual([name for name in missing if "@" not in name and not name.startswith(("amd_", "SuiteSparse"))], [])
        needed = re.findall(r"NEEDED +(?:Shared library: \[)?(\S+?)\]?\n", run("objdump", "-p", BUILT))
        for word in ("mpi", "nccl", "fmt", "seccomp", "crypto", "zip", "pugixml", "lzma", "libz."):
            self.assertEqual([name for name in needed if word in name], [])

    def test_it_stays_and_says_which_versions_fit(self):
        """Its threads remain, so dlclose() must not take it away. Before 1.0, the first two numbers fit together."""
        dynamic = run("readelf", "-d", BUILT)
        self.assertRegex(dynamic, r"FLAGS_1.*NODELETE")
        self.assertRegex(dynamic, r"SONAME.*\[libapsp\.so\.0\.5\]")

    @unittest.skipUnless(re.fullmatch(r"[A-Za-z0-9_./+=~@-]+", str(ROOT)), "nvcc cannot be given this folder's name")
    def test_it_holds_no_path_of_the_build(self):
        """Beside what debuggers read, and profilers of kernels."""
        with tempfile.TemporaryDirectory() as folder:
            run("strip", "--strip-debug", "-R", ".nv_fatbin", "-o", Path(folder) / "stripped", BUILT)
            self.assertNotIn(f"{ROOT}/src".encode(), (Path(folder) / "stripped").read_bytes())

    def test_the_archive_shows_the_interface_alone(self):
        """A program with names of its own, of which some are also ours, links with it."""
        shown = re.findall(r"(?m)^\S+ \S (\S+)$", run("nm", "--defined-only", "--extern-only", BUILT.with_name("libapsp.a")))
        self.assertEqual([name for name in shown if not name.startswith("apsp_")], [])

    def test_programs_may_have_all_names_of_the_engine(self):
        """A program that defines each of them, as the linker spells it, links with the archive and never calls its own."""
        archive = BUILT.with_name("libapsp.a")
        mangled = set(re.findall(r"(?m)^\S+ [a-zA-Z] (_Z\w+)$", run("nm", "--defined-only", archive)))
        ours = sorted(name for name in mangled if not re.match(r"_Z(T[A-Z]|GV|Z)*N?K?(S[a-z]|3fmt|9__gnu_cxx|12_GLOBAL__N_|L)", name))
        self.assertGreater(len(ours), 1000)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "names.s").write_text('.section .note.GNU-stack,"",%progbits\n.text\n' + "".join(
                f".globl {name}\n{name}: .long 0\n" for name in ours))  # no instruction
            needs = re.search(r"Libs.private: (.*)", (BUILT.parent / "installed/apsp.pc").read_text())[1].split()
            for name, says in (("towns", TOWNS), ("rush_hour", RUSH_HOUR)):
                run(os.environ.get("CC", "gcc"), ROOT / f"examples/{name}.c", Path(folder) / "names.s", f"-I{ROOT}/include",
                    archive, *needs, "-o", Path(folder) / name)
                self.assertEqual(run(Path(folder) / name), says)

    def test_it_never_prints_or_exits(self):
        """Of what the engine is made of, only files that it names print, and none ends the program."""
        archive = BUILT.with_name("libapsp.a")  # ours alone, without the CUDA runtime that the shared library holds
        called = set(re.findall(r"(?m)^ +U (\S+)$", run("nm", "--undefined-only", archive)))
        if any(name.startswith("cuda") for name in called):
            called -= {"exit"}  # of a function for the device, nvcc makes one for the host that exits: nobody can call it
        self.assertEqual(called & {"exit", "_exit", "quick_exit", "printf", "puts", "putchar", "perror", "_ZSt4cout", "_ZSt4cerr"}, set())


@unittest.skipIf(NO_LIBRARY, NO_LIBRARY)
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        install(f"PREFIX={cls.prefix}").check_returncode()
        shutil.copytree(ROOT / "examples", cls.folder / "examples")
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": f"{cls.prefix}/lib/pkgconfig", "LD_LIBRARY_PATH": f"{cls.prefix}/lib"}

    def test_all_is_there(self):
        found = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}
        for name in ("bin/apsp", "include/apsp/apsp.h", "include/apsp/apsp.hpp", "lib/libapsp.so", "lib/libapsp.so.0.5", "lib/libapsp.a",
                     "lib/pkgconfig/apsp.pc", "lib/cmake/apsp/apspConfig.cmake", "share/doc/apsp/library.md", "share/doc/apsp/examples/towns.c", "share/man/man1/apsp.1"):
            self.assertIn(name, found)
        self.assertFalse([name for name in found if "@" in (self.prefix / name).read_text(errors="replace") and name.endswith((".pc", ".cmake"))])

    @unittest.skipUnless(shutil.which("cmake"), "needs CMake")
    def test_cmake_finds_it(self):
        build = self.folder / "cmake"
        run("cmake", "-S", self.folder / "examples", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_CUDA_COMPILER=",
            "-DCMAKE_CXX_STANDARD=14")  # the library asks for 17
        run("cmake", "--build", build)
        self.assertEqual(run(build / "towns"), TOWNS)
        self.assertEqual(run(build / "rush_hour"), RUSH_HOUR)
        self.assertRegex(run(build / "grid", "30"), r"^900 crossings, farthest pair \d+ -> \d+: \d+ s over \d+ crossings\n$")
        later = (self.folder / "examples" / "CMakeLists.txt").read_text().replace("find_package(apsp 0.5", "find_package(apsp 0.9")
        (self.folder / "later").mkdir()
        (self.folder / "later" / "CMakeLists.txt").write_text(later)
        refused = subprocess.run(["cmake", "-S", self.folder / "later", "-B", self.folder / "later/b", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                                 capture_output=True, text=True)
        self.assertIn('version "0.9"', refused.stderr)

    @unittest.skipUnless(shutil.which("pkg-config"), "needs pkg-config")
    def test_pkg_config_finds_it(self):
        for options in ([], ["--static"]):
            words = run("pkg-config", "--cflags", "--libs", *options, "apsp", env=self.environment).split()
            if options:  # the archive itself
                words = [word if word != "-lapsp" else "-l:libapsp.a" for word in words]
            for name, says in (("towns", TOWNS), ("rush_hour", RUSH_HOUR)):
                program = self.folder / f"{name}{len(options)}"
                run(os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Werror", ROOT / f"examples/{name}.c", *words, "-o", program)
                self.assertEqual(run(program, env=self.environment), says)

    def test_the_courses_header_is_another_one(self):
        """A hand-in may use the library: both headers serve one file, in either order."""
        (self.folder / "course.cpp").write_text("".join(f'#include {name}\n' for name in ('"apsp.h"', "<apsp/apsp.hpp>", "<apsp/apsp.h>")))
        (self.folder / "library.cpp").write_text("".join(f'#include {name}\n' for name in ("<apsp/apsp.hpp>", "<apsp/apsp.h>", '"apsp.h"')))
        for name in ("course", "library"):
            run(HOST, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", self.folder / f"{name}.cpp", f"-I{ROOT}", f"-I{self.prefix}/include")

    def test_the_page_compiles(self):
        """The program of docs/library.md, as it stands there."""
        source, = re.findall(r"(?s)```c\+\+\n(#include.*?)```", (ROOT / "docs/library.md").read_text())
        (self.folder / "page.cpp").write_text(source)
        run(HOST, "-std=c++17", "-Wall", "-Wextra", "-Werror", self.folder / "page.cpp", f"-I{self.prefix}/include", f"-L{self.prefix}/lib", "-lapsp",
            "-o", self.folder / "page")
        self.assertEqual(run(self.folder / "page", env=self.environment), "0 7 12 -> 0 -> 1 -> 2 ")


if __name__ == "__main__":
    unittest.main()
