"""The documents are true as far as a program can tell: links lead somewhere, the README is one page and its commands
work, and every option that a document shows exists.
"""
import re
import subprocess
import unittest

from harness import APSP, DATA, ROOT, Suite

WRITTEN = ["README.md", "data/README.md", "tests/fuzz/README.md", "src/course/ladder/README.md",
           *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
WIDTH = 120  # letters in a line of a text


def text_of(name):
    return (ROOT / name).read_text()


def prose(name):
    """The document without its blocks of code."""
    return re.sub(r"(?ms)^```.*?^```$", "", text_of(name))


def code(name):
    return "\n".join(re.findall(r"(?ms)^```\w*\n(.*?)^```$", text_of(name)))


def anchors(name):
    """GitHub's anchors of the headings: lower case, no punctuation, hyphens for blanks."""
    headings = re.findall(r"(?m)^#+ (.*)$", prose(name))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for name in WRITTEN:
            for target in re.findall(r"\]\(([^)\s]+)\)", prose(name)):
                if target.startswith("http"):
                    continue
                path, _, anchor = target.partition("#")
                file = ((ROOT / name).parent / path).resolve() if path else ROOT / name
                self.assertTrue(file.exists(), f"{name}: {target}")
                if anchor:
                    self.assertIn(anchor, anchors(file.relative_to(ROOT)), f"{name}: {target}")

    def test_files_that_are_named_exist(self):
        named = re.compile(r"`((?:src|scripts|tests|bench|docs|ladder|results/h100|data)/[\w./*-]*)`")
        for name in WRITTEN:
            for path in named.findall(prose(name)):
                there = any(ROOT.glob(path.rstrip("/") + "*"))  # a program is named as its source without the extension
                self.assertTrue(there or "mine" in path, f"{name}: {path}")

    def test_the_readme_is_one_page(self):
        lines = text_of("README.md").splitlines()
        self.assertLessEqual(len(lines), 130)
        self.assertEqual([line for line in lines if len(line) > WIDTH and not line.startswith("|")], [])

    def test_options_exist(self):
        helps = {}
        for name in WRITTEN:
            for line in code(name).splitlines():
                shown = re.match(r"(?:\$ |.*\| )?\./apsp (\w+)?(.*)", line.partition(" -- ")[0])
                if not shown:
                    continue
                command, options = shown[1] or "", re.findall(r"(?<!\S)--?[a-z][\w-]*", shown[2])
                if command not in helps:
                    run = subprocess.run([APSP, *filter(None, [command]), "--help"], capture_output=True, text=True)
                    helps[command] = run.stdout
                for option in options:
                    self.assertRegex(helps[command], rf"(?<![\w-]){option}\b(?!-)", f"{name}: {line}")


class Readme(Suite):
    def test_its_uses_work(self):
        uses = re.search(r"(?ms)^## Seven uses\n\n```sh\n(.*?)^```$", text_of("README.md"))[1]
        for name, target in (("apsp", APSP), ("data", DATA), ("run.sh", ROOT / "run.sh"), ("scripts", ROOT / "scripts")):
            (self.dir / name).symlink_to(target)
        run = subprocess.run(["bash", "-euxc", uses], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(uses.count("\n# "), 6)
        for made in ("distances.npy", "grid.gr", "grid.bin", "sweep/sweep.csv"):
            self.assertTrue((self.dir / made).exists(), made)


if __name__ == "__main__":
    unittest.main()
