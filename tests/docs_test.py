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
        self.assertLessEqual(len(text_of("README.md").splitlines()), 130)

    def test_lines_fit(self):
        for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", *WRITTEN):
            if name != "src/course/ladder/README.md":  # a script makes it, and what is between these comments
                ours = re.sub(r"(?ms)^<!-- \w+: .*?^<!-- end -->$", "", prose(name))
                self.assertEqual([line for line in ours.splitlines() if len(line) > WIDTH and not line.startswith("|")], [], name)

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


class Streets(Suite):
    def test_the_recipes_work(self):
        """Those of docs/streets.md, on the files that the page shows."""
        page = text_of("docs/streets.md")
        for name, content in re.findall(r"(?ms)`(\w+\.csv)`:\n\n```\n(.*?)^```$", page):
            self.put(name, content)
        recipes, = re.findall(r"(?ms)^```\n(T=.*?)^```$", page)
        (self.dir / "apsp").symlink_to(APSP)
        run = subprocess.run(["bash", "-euc", recipes], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for name, content in (
                ("nearest.csv", "from,to,distance,path\nAachen,Corner,13,Aachen Brand Corner\nBrand,Corner,4,Brand Corner\n"),
                ("customer.csv", "from,to,distance\nAachen,Brand,9\nCorner,Dorf,12\n"),
                ("near.csv", "from,to,distance\nAachen,Brand,9\nAachen,Corner,13\nAachen,Dorf,20\nCorner,Dorf,12\n"),
                ("minutes.csv", ",Dorf,Brand\nAachen,20,9\nCorner,12,41\n"),
                ("way.csv", "from,to,length,step,tail,head,weight,road\nAachen,Corner,13,1,Aachen,Brand,9,High Street\n"
                            "Aachen,Corner,13,2,Brand,Corner,4,Ring\n")):
            self.assertEqual((self.dir / name).read_text()[:len(content)], content)
        self.assertIn('<node id="Aachen"/>', (self.dir / "streets.graphml").read_text())


if __name__ == "__main__":
    unittest.main()
