"""The structure of the source: which room may include which, and how long a function may be.

docs/architecture.md draws what is checked here.
"""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Each room may include itself, the rooms before it in its layer, and the layers before.
LAYERS = {
    "engine": ["base", "ranks", "device", "solver", "dense", "batch", "filtered", "bfs", "sparse", "search", "plan", "negative", "several", "table", "paths", "api"],
    "harness": ["system", "io", "generate", "verify", "results", "measure"],
    "course": ["ladder", "submission", "check", "grade"],
    "program": ["cli", "commands"],
}
ROOMS = ["include/apsp", "apsp.h", *(f"src/{layer}/{room}" for layer, rooms in LAYERS.items() for room in rooms), "main.cpp"]
KERNELS = {"apsp.cu": "src/engine/filtered", "apsp_ref.cu": "src/engine/dense"}  # they lie beside main.cpp and belong there
LONGEST = {".cpp": 60, ".cu": 80, ".cuh": 80}  # lines of a function


def sources():
    files = [*ROOT.glob("*.h"), *ROOT.glob("*.cpp"), *ROOT.glob("*.cu")]
    for folder in ("include", "src"):
        files += [f for f in (ROOT / folder).rglob("*") if f.suffix in (".h", ".hpp", ".cpp", ".cu", ".cuh")]
    return sorted(f.relative_to(ROOT) for f in files)


def room_of(path):
    name = str(path)
    if name in KERNELS:
        return KERNELS[name]
    rooms = [room for room in ROOMS if name == room or name.startswith(room + "/")]
    return rooms[0] if rooms else None


def included(path):
    """The files of ours that a file includes."""
    for name in re.findall(r'^#include ["<]([^">]+)[">]', (ROOT / path).read_text(), re.MULTILINE):
        for folder in (ROOT, ROOT / "include", *(ROOT / "src" / layer for layer in LAYERS), (ROOT / path).parent):
            if (folder / name).exists():
                yield (folder / name).relative_to(ROOT)


def functions(text):
    """(first line, length) of every function: the code is formatted, so the braces' columns tell."""
    lines = text.split("\n")
    for indent in ("", "  "):
        begin = None
        for number, line in enumerate(lines, 1):
            opens = re.match(rf"{indent}[^\s#}}/].*\{{$", line) and not re.match(rf"{indent}[^(]*$", line)
            if begin is None and (opens or re.match(rf"{indent}[A-Za-z].*[(,]$", line)):
                begin = number
            if begin is not None and re.match(rf"{indent}\}}|{indent}[^\s].*;$", line):
                if re.match(rf"{indent}\}}$", line):
                    yield begin, number - begin + 1
                begin = None


def outside(text):
    """What begins at the left edge, and stands neither below the namespace of the engine nor in C's functions."""
    text = re.sub(r"(?ms)^namespace (engine(?:::\w+)*) \{$.*?^\}  // namespace \1$", "", text)
    text = re.sub(r'(?ms)^extern "C" \{$.*?^\}  // extern "C"$', "", text)
    return re.findall(r"(?m)^[^\s#/}].*", text)


class Rooms(unittest.TestCase):
    def test_every_file_is_in_a_room(self):
        for path in sources():
            self.assertIsNotNone(room_of(path), f"{path} is in no room: see docs/architecture.md")

    def test_arrows_point_one_way(self):
        for path in sources():
            for other in included(path):
                self.assertLessEqual(ROOMS.index(room_of(other)), ROOMS.index(room_of(path)),
                                     f"{path} includes {other}: {room_of(path)} comes before {room_of(other)}")

    def test_solvers_know_no_flags_and_no_formatting(self):
        for path in sources():
            text = (ROOT / path).read_text()
            if path.suffix in (".cu", ".cuh"):
                self.assertNotRegex(text, r"#include <(fmt|CLI)/", f"{path} is compiled by nvcc")
            if not str(path).startswith("src/program"):
                self.assertNotIn("<CLI/", text, f"{path}: only src/program knows CLI11")
            if room_of(path).startswith(("include", "src/engine")):
                code = re.sub(r"(?m)^\s*//.*", "", text)
                self.assertNotRegex(" ".join(re.findall(r'"(?:[^"\\\n]|\\.)*"', code)), r"--[a-z]", f"{path} names a flag")

    def test_the_engine_stands_below_its_namespace(self):
        """Beside what C and the course name, and types of CUDA that are declared ahead."""
        for path in sources():
            if room_of(path).startswith("src/engine"):
                of_c = r"struct apsp_\w+ :|apsp_\w+::~|using namespace engine;$" if str(path).startswith("src/engine/api") else "(?!)"
                for line in outside((ROOT / path).read_text()):
                    self.assertRegex(line, rf"^({of_c}|void apsp(Ref)?\(|struct CU\w+;)", f"{path}: this is not below `namespace engine`")

    def test_functions_are_short(self):
        for path in sources():
            if path.suffix not in LONGEST:
                continue
            for line, length in functions((ROOT / path).read_text()):
                self.assertLessEqual(length, LONGEST[path.suffix], f"{path}:{line}: a function of {length} lines")

    def test_a_wrong_include_is_found(self):
        self.assertLess(ROOMS.index(room_of("src/engine/base/graph.h")), ROOMS.index(room_of("src/harness/measure/record.h")))
        self.assertEqual(outside("namespace engine::a {\n\nint b;\n\n}  // namespace engine::a\n\nint c;\n"), ["int c;"])
        self.assertEqual(list(functions("int f() {\n  g();\n  h();\n}\n")), [(1, 4)])
        self.assertEqual(list(functions("struct A {\n  int f(int a,\n        int b) {\n    g();\n  }\n};\n")), [(2, 4)])


if __name__ == "__main__":
    unittest.main()
