"""The page of `grade --html` and `report --html`: what is in it, and how it behaves in a headless Chromium."""
import base64, copy, functools, hashlib, html.parser, http.server, json, os, re, signal, subprocess, sys, threading, unittest
from browser import CHROMIUM, Browser
from harness import APSP, ROOT, Suite, install

SAMPLE = ROOT / "tests/data/grades.json"
SCRIPT = ROOT / "scripts/page.py"
LACKS = subprocess.run([sys.executable, SCRIPT, "--packages"], capture_output=True, text=True).stderr.strip()
needs_packages = unittest.skipIf(LACKS, LACKS)
needs_browser = unittest.skipIf(LACKS or not CHROMIUM, LACKS or "no chromium: scripts/install_deps.sh --browser installs it")
EVIL = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "=cmd|' /C calc'!A0",
        "gnp\u202euc.exe", "{{ 7 * 7 }}{% raw %}", "$\\frac{1}{2}$ &amp; ]]>", "</style></title><b>", "@h1@0", "\udcff\x07"]
SHORT = "anna ben carla dora emil zoë åkesson mallory moodle calc late.cpp readme hand-ins/ node3".split()


def sample():
    return json.loads(SAMPLE.read_text(encoding="utf-8"))


def with_matrices():
    """Those that src/course/check/matrices.cpp writes."""
    document = sample()
    document["submissions"][4]["witness"]["matrices"] = (
        "  input          expected    got\n    |  0      1      |  0   1      |       0    1 \n"
        "  0 |  0  12345    0 |  0   1    0 |  100000*  1 \n  1 |  1      0    1 |  1   0    1 |       1  inf*\n"
        "  * wrong: 2 of 4 entries\n")
    return document


class Reader(html.parser.HTMLParser):
    """The elements and the text of a page."""
    VOID = {"meta", "link", "input"}

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts, self.comments, self.open = [], [], [], []
        self.feed(page.replace("<wbr>", ""))  # where a line may break
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.open += [tag] * (tag not in self.VOID)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, data):
        if self.open[-1:] not in (["style"], ["script"]):
            self.texts.append(data)

    def handle_comment(self, data):
        self.comments.append(data)

    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.texts).replace("\xa0", " "))


class PageSuite(Suite):
    def page(self, document, options="", name="page.html"):
        """The page that `report --html` makes of a document."""
        self.put("grades.json", document if isinstance(document, str) else json.dumps(document))
        self.apsp(f"report grades.json --html {name} {options}", left=None)
        return (self.dir / name).read_text(encoding="utf-8")


@needs_packages
class Content(PageSuite):
    def test_it_shows_what_grades_hold(self):
        read = Reader(self.page(sample()))
        self.assertEqual(read.open, [])
        for text in ("Assignment 3: all-pairs shortest paths", "3 pass, 1 time refused, 2 wrong", "NVIDIA H100 80GB HBM3",
                     "1980 MHz, memory 2619 MHz", "Zoë Åkesson", "66 of 70 points", "78.34×", "✗ does not compile",
                     "pivot tile squared but not closed (tiles of 32)", "Reproduce it ./apsp --n 4 --family ring",
                     "./apsp check --quick --kernel hand-ins/ben.cu",
                     "Time it again at n = 1000 ./apsp --family uniform --n 1000 --seed ", "wrong at n = 4–257, 5 again; right at 3 of 25 sizes",
                     "leaves a launch error behind at n = 1..32", "⚠ disturbed: spread", "the median is below 0.56 ms",
                     "identifier \"shraed\" is undefined", "every result is right", "a8 ", "2026-01-31 12:34:56 UTC"):
            self.assertIn(text, read.text())
        refused, = re.findall(r'(?s)<tr data-entry="\w+" data-verdict="does not compile">(.*?)</tr>', self.page(sample()))
        self.assertIn("identifier &#34;shraed&#34; is undefined", refused)  # the ranking says why, too
        self.assertNotIn("unsandboxed", read.text())
        self.assertNotIn("Speedups and points depend on ref", read.text())
        busy = sample()
        busy["references"][0]["times"][1]["disturbed"] = "load"
        self.assertIn("⚠ disturbed: ref at n = 2500 (load) . Speedups and points depend on ref .", Reader(self.page(busy)).text())
        unconfined = sample()
        unconfined["submissions"][0]["sandbox"] = "unsandboxed"
        self.assertIn("⚠ unsandboxed", Reader(self.page(unconfined)).text())
        self.assertEqual(re.findall("<mark>(.*?)</mark>", self.page(with_matrices())), ["100000", "inf"])
        labels = re.findall(r"<text[^>]*>([^<]*)</text>", self.page(sample()))
        self.assertLessEqual({"ref", "apsp", "Zoë Åkesson", "a8", "b1", "c1", "d4", "10000", "n (vertices)"}, set(labels))

    def test_steps_are_of_the_same_device(self):
        document = sample()
        document["device"]["name"] = "NVIDIA H200"
        self.assertFalse("course reports" in self.page(document))

    def test_ids_are_unique_and_links_lead_somewhere(self):
        elements = Reader(self.page(sample())).elements
        ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
        self.assertEqual(len(ids), len(set(ids)))
        links = {attributes["href"] for tag, attributes in elements if tag in ("a", "use")}
        self.assertLessEqual({link[1:] for link in links}, set(ids))
        self.assertIn("#narrow0-h1", links)

    def test_it_loads_nothing(self):
        page = self.page(sample())
        for tag, attributes in Reader(page).elements:
            for name in ("src", "href", "action", "data", "poster"):
                self.assertRegex(attributes.get(name, "#"), r"\A(#|data:,\Z)")
            self.assertNotIn("style", attributes)
            self.assertFalse([name for name in attributes if name.startswith("on")])
        # Without it a browser asks the server for an icon.
        self.assertIn(("link", {"rel": "icon", "href": "data:,"}), Reader(page).elements)
        policy = next(each["content"] for tag, each in Reader(page).elements if each.get("http-equiv"))
        for tag in ("style", "script"):
            (content,) = re.findall(f"(?s)<{tag}>(.*?)</{tag}>", page)
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            self.assertIn(f"{tag}-src 'sha256-{digest}'", policy)
        self.assertTrue(policy.startswith("default-src 'none'; "))
        self.assertEqual(re.findall(r"@import|url\((?!#)", page), [])

    def test_what_hand_ins_say_is_escaped(self):
        plain = Reader(self.page(sample())).elements
        document = sample()
        for submission, evil in zip(document["submissions"], EVIL):
            submission.update(name=evil, file=f"h/{evil}", command=f"./apsp check --kernel {evil}", warning=evil, digest=evil)
            submission["diagnosis"] = {"pattern": "x", "sentence": evil}
            for line in submission["lines"]:
                line["why"] = evil
            for time in submission["times"]:
                time["disturbed"] = time["command"] = evil
        document["submissions"][0]["witness"] = dict(copy.deepcopy(sample()["submissions"][4]["witness"]), command=EVIL[0])
        document["rubric"]["title"] = document["plan"]["folder"] = document["device"]["host"] = EVIL[0]
        page = self.page(document)
        read = Reader(page)
        self.assertEqual(read.open, [])
        self.assertEqual({tag for tag, _ in read.elements} - {tag for tag, _ in plain}, set())
        self.assertEqual(sum(tag == "script" for tag, _ in read.elements), 1)
        self.assertEqual({name for _, each in read.elements for name in each} - {name for _, each in plain for name in each},
                         set())
        for evil in EVIL[:4] + EVIL[5:9]:
            self.assertIn(re.sub(r"\s+", " ", evil), read.text())
        self.assertIn("gnp\\u202euc.exe", read.text())
        self.assertIn("\\xff\\u0007", read.text())
        self.assertEqual(re.findall("[\u202a-\u202e\u2066-\u2069\x07]", page), [])

    def test_nobody_is_named(self):
        page = self.page(sample(), "--anonymous").lower()
        told = [each[key].lower() for each in sample()["submissions"] for key in ("name", "file", "digest") if each[key]]
        self.assertEqual([name for name in (*SHORT, *told) if name in page], [])
        read = Reader(page)
        self.assertEqual(read.comments, [])
        for text in ("3e424d", "file 1", "./apsp check --quick --kernel file", "--device gpu --kernel file --verify", "--device gpu --kernel file --verify apsp",
                     "106 of 362 results are wrong", "call 1 (n = 96): crashed (sigsegv)", "the median is below 0.56 ms"):
            self.assertIn(text, read.text())

    def test_nobody_is_named_by_a_text(self):
        document = sample()
        texts = {"wrong": "ÅKESSON: 3 results are wrong", "crashed": "threw an exception: I am Dora", "exited": "by Dora: exit 1"}
        for at, (verdict, reason) in enumerate(texts.items(), 4):
            document["submissions"][at].update(verdict=verdict, reason=reason, warning="Mallory was here", diagnosis=None)
            document["submissions"][at]["lines"][0]["why"] = "because of Emil"
            document["submissions"][at]["check"]["failures"][0].update(result="fault", text=f"Carla {reason}")
        document["submissions"][0]["times"][0]["doubt"] = "Anna"
        document["submissions"][0]["command"] = "'/home/Zoë Åkesson/apsp' check --quick --kernel 'hand-ins/Zoë Åkesson/apsp.cu'"
        document["submissions"][1]["command"] = "it's broken by Anna --kernel 'x"
        page = self.page(document, "--anonymous").lower()
        self.assertEqual([name for name in SHORT if name in page], [])
        self.assertIn("not shown, because it can quote the hand-in", page)

    def test_pseudonyms_differ(self):
        document = sample()
        document["submissions"][1]["digest"] = document["submissions"][0]["digest"]
        text = Reader(self.page(document, "--anonymous")).text()
        self.assertRegex(text, r"1 3e424d 66 .* 2 3e424d 2 55 ")


@needs_packages
class Sources(PageSuite):
    def test_grade(self):
        (self.dir / "h" / "Zoë").mkdir(parents=True)
        body = "for (int k = 0; k < n; ++k) for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j)" \
               " if (g[i * n + k] + g[k * n + j] < g[i * n + j]) g[i * n + j] = g[i * n + k] + g[k * n + j];"
        self.library("h/Zoë/apsp.so", f"if (n == 20 || n == 40) usleep(1000); {body}")  # a shorter time may be refused
        self.library("h/<b>.so", "abort();")
        (self.dir / "h/grades.html").touch()  # an output, and not a hand-in
        written = ("h/grades.html", "g.json", "g.csv", "g.sizes.csv")
        self.apsp("grade h --host --sizes 20,40 --reps 3 --json g.json --csv g.csv --html h/grades.html", left=None)
        text = Reader((self.dir / written[0]).read_text()).text()
        for part in ("2 hand-ins: 1 pass, 1 crashed.", "Zoë", "<b>.so", "SIGABRT", "Check: 0 of", "right at all", "n = 40"):
            self.assertIn(part, text)
        self.apsp("report g.csv --html csv.html", out=r"Zoë .*pass", left="csv.html")
        text = Reader((self.dir / "csv.html").read_text()).text()
        for part in ("2 hand-ins: 1 pass, 1 crashed.", "Zoë", "<b>.so", "SIGABRT", "ref ours a solver of this program"):
            self.assertIn(part, text)
        page = self.apsp("report g.csv --html - --anonymous")
        self.assertTrue(page.startswith("<!DOCTYPE html>") and page.endswith("</html>"))
        self.assertNotIn("Zoë", page)
        self.apsp("grade h --host --sizes 20,40 --reps 3 --csv g.csv --html -", out=r"\A<!DOCTYPE html>", left=None)

    def test_a_page_that_is_watched_loads_itself_again(self):
        body = "for (int k = 0; k < n; ++k) for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j)" \
               " if (g[i * n + k] + g[k * n + j] < g[i * n + j]) g[i * n + j] = g[i * n + k] + g[k * n + j];"
        (self.dir / "h").mkdir()
        self.library("h/ann.so", body)
        def refreshes(page):
            return [each["content"] for tag, each in Reader(page).elements if tag == "meta" and each.get("http-equiv") == "refresh"]
        grade = "grade h --host --check-only --sizes 20 --csv g.csv"
        self.apsp(f"{grade} --html once.html", left=None)
        self.assertEqual(refreshes((self.dir / "once.html").read_text()), [])
        process = self.popen(f"{grade} --html live.html --watch 3600")
        self.addCleanup(process.kill)
        live = self.dir / "live.html"
        self.wait_until(live.exists, process)
        self.assertEqual(refreshes(live.read_text()), ["3600"])
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(refreshes(self.page(sample())), [])  # `report` makes it once

    def test_report_of_records(self):
        self.apsp("--n 30,60 --kernel ref,apsp --device cpu --verify --csv r.csv", left="r.csv")
        self.apsp("report r.csv --html r.html", out="speedup", left="r.html")
        text = Reader((self.dir / "r.html").read_text()).text()
        for part in ("Measured times", "course seed=1 range=100000", "apsp", "✓ verified", "Time against n", "Fastest–slowest"):
            self.assertIn(part, text)
        self.assertNotRegex(text, "memory 0 MHz")

    def test_drawn_seeds_are_one_table(self):
        for n in 30, 60:
            self.apsp(f"--n {n} --kernel ref,apsp --device cpu --vary --csv r.csv", left="r.csv")
        self.apsp("report r.csv --html r.html", out=r"(?m)^.*, course range=100000$", left="r.html")
        text = Reader((self.dir / "r.html").read_text()).text()
        self.assertIn("course range=100000", text)
        self.assertNotIn("seed=", text)

    def test_names_in_records(self):
        self.library("anna.so", "for (int k = 0; k < n; ++k) for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j)"
                                " if (g[i * n + k] + g[k * n + j] < g[i * n + j]) g[i * n + j] = g[i * n + k] + g[k * n + j];")
        self.apsp("gen --n 20 -o of-ben.gr", left="of-ben.gr")
        self.apsp("of-ben.gr --kernel ref,./anna.so --device cpu --csv r.csv", left="r.csv")
        self.apsp("report r.csv --html r.html --anonymous", left="r.html", out="anna")
        page = (self.dir / "r.html").read_text()
        self.assertEqual(re.findall("anna|of-ben", page), [])
        self.assertRegex(Reader(page).text(), "graph 1 .* solver 1 – not verified")

    def test_all_or_nothing(self):
        self.put("old.html", "the page of last week")
        for content, why in (("{}", "it has no 'schema'"), ('{"schema": 2}', "this program reads schema 1"), ("[1", "delimiter"),
                             ('{"schema": 1, "submissions": 3}', "int"), ("[]", "not a document")):
            self.put("g.json", content)
            self.apsp("report g.json --html old.html", 6, err=rf"g\.json: no page is written: page\.py: .*{why}", left=())
        self.assertEqual((self.dir / "old.html").read_text(), "the page of last week")
        self.put("g.json", json.dumps(sample()))
        self.apsp("report g.json --html no/such.html", 6, err="no/such.html: ")
        self.apsp("report g.json", 2, err="with --html FILE")
        self.apsp("report g.json --anonymous", 2, err="--html")
        self.apsp("report g.json more.json --html x.html", 2, err="give it alone")

    def test_the_installed_program_has_its_scripts(self):
        install(f"DESTDIR={self.dir}", "PREFIX=/usr").check_returncode()
        subprocess.run([self.dir / "usr/bin/apsp", "report", SAMPLE, "--html", self.dir / "page.html"], check=True)
        self.assertIn("Reproduce it", (self.dir / "page.html").read_text(encoding="utf-8"))

    def test_a_document_with_missing_parts(self):
        document = sample()
        for submission in document["submissions"]:
            submission.update(check=None, times=[], witness=None, diagnosis=None, points=None, lines=[], speedup=None)
        document.update(rubric=None, references=[])
        self.assertFalse("Time against n" in self.page(document))
        document = sample()
        document["submissions"][4]["witness"]["matrices"] = ""
        self.assertIn("Reproduce it", self.page(document))


class Packages(Suite):
    def test_a_missing_package_is_named_before_any_work(self):
        (self.dir / "h").mkdir()
        self.library("h/a.so", "abort();")
        for name, other in (("jinja2", "matplotlib"), ("matplotlib", "jinja2")):
            self.put(f"{name}.py", "raise ImportError")
            self.put(f"{other}.py", "")  # whether this machine has it or not
            for command in (f"report {SAMPLE}", "grade h --host"):
                self.apsp(f"{command} --html p.html", 6, env={"PYTHONPATH": str(self.dir)},
                          err=rf"p\.html: no page is written: .* has no {name}: sudo apt-get install python3-{name}")

    def test_no_python(self):
        self.apsp(f"report {SAMPLE} --html p.html", 6, env={"PATH": str(self.dir)}, err="p.html: no page is written: .*python3")


# ---- in a browser ---------------------------------------------------------------------------

# The contrast of each visible text with what is behind it (WCAG 2.2, 1.4.3), where it is below 4.5.
CONTRAST = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const parse = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => { const [r, g, b] = colour.slice(0, 3).map((v) => v / 255)
    .map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c[3] === 255) return c; } return [255, 255, 255, 255]; };
  const low = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement, style = getComputedStyle(e);
    if (!walk.currentNode.textContent.trim() || e.matches("script, style, option") || !e.checkVisibility()) continue;
    const colour = parse(e instanceof SVGElement ? style.fill : style.color), found = ratio(colour, behind(e));
    ++count;
    if (found < 4.5) low.push([e.outerHTML.slice(0, 80), found.toFixed(2)]);
  }
  // Lines and cells (1.4.11): at least 3 to what they touch.
  const value = (name) => parse(getComputedStyle(document.documentElement).getPropertyValue(name));
  const pairs = [..."012345"].map((i) => [`--line-${i}`, "--ground"]).concat([["--muted", "--ground"], ["--other", "--ground"],
    ["--link", "--ground"], ["--cell-wrong", "--cell-right"], ["--cell-fault", "--cell-right"], ["--on-wrong", "--cell-wrong"],
    ["--on-unsteady", "--cell-unsteady"], ["--on-fault", "--cell-fault"], ["--on-skipped", "--cell-skipped"]]);
  for (const [a, b] of pairs) if (ratio(value(a), value(b)) < 3) low.push([a, b, ratio(value(a), value(b)).toFixed(2)]);
  return {count, low};
})()"""
NAMES = """[...document.querySelectorAll(".ranking tbody:first-of-type tr:not([hidden]) th")].map((each) => each.textContent.trim())"""
OPEN_ALL = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder on this machine, and notes what is asked for."""
    def __init__(self, folder):
        self.asked = []
        server = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                server.asked.append(self.path)
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        threading.Thread(target=self.serve_forever, daemon=True).start()


@needs_browser
class InABrowser(PageSuite):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def load(self, document=None, options=""):
        self.page(document or sample(), options)
        self.browser.show()
        self.browser.open((self.dir / "page.html").as_uri())
        return self.browser

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def test_it_loads_without_errors_and_asks_for_nothing(self):
        self.load()
        with Server(self.dir) as server:
            url = f"http://127.0.0.1:{server.server_port}/page.html"
            self.browser.open(url)
            self.browser.script(OPEN_ALL)
            self.assertEqual(self.browser.complaints(), [])
            self.assertEqual([url], self.browser.requests())
            self.assertEqual(server.asked, ["/page.html"])
            server.shutdown()

    def test_scripts_of_names_do_not_run(self):
        document = sample()
        for submission, evil in zip(document["submissions"], EVIL):
            submission.update(name=evil, file=evil, reason=evil, command=evil)
        browser = self.load(document)
        browser.script(OPEN_ALL)
        self.assertEqual([e for e in browser.events if e["method"] == "Page.javascriptDialogOpening"], [])
        self.assertEqual(browser.script("document.images.length + document.scripts.length"), 1)

    def head(self, text):
        return f"[...document.querySelectorAll('.ranking th button')].find((each) => each.textContent.startsWith('{text}'))"

    def test_it_sorts_by_the_keyboard(self):
        browser = self.load()
        first = browser.script(NAMES)
        browser.script(self.head("Points") + ".focus()")
        browser.press("Enter")
        state = "document.querySelector('.ranking th[aria-sort]').getAttribute('aria-sort')"
        self.assertEqual(browser.script(state), "descending")
        self.assertEqual([name[:7] for name in browser.script(NAMES)[:4]], ["Zoë Åke", "anna.cu", "mallory", "=cmd|' "])
        self.assertEqual(set(browser.script(NAMES)[-2:]), {"late.cpp", "README"})  # they have no points
        browser.press(" ")
        self.assertEqual(browser.script(state), "ascending")
        self.assertEqual(browser.script(NAMES)[7], "Zoë Åkesson")
        self.assertEqual(set(browser.script(NAMES)[-2:]), {"late.cpp", "README"})
        browser.script(self.head("Name") + ".click()")
        self.assertEqual(browser.script("document.querySelectorAll('.ranking th[aria-sort]').length"), 1)
        self.assertEqual(browser.script(NAMES), sorted(first, key=lambda name: name.lower().replace("zoë", "zoe")))
        browser.script(self.head("2500") + ".click()")
        self.assertEqual(browser.script(NAMES)[:4], ["mallory.cu", "Zoë Åkesson", "anna.cu", "=cmd|' /C calc'!A0.cu"])
        self.assertEqual(browser.script("[...document.querySelectorAll('.references th')].map((e) => e.textContent)"),
                         ["ref", "apsp"])

    def test_it_filters(self):
        browser = self.load()
        shown = "document.querySelector('#shown').textContent"
        self.assertEqual(browser.script(shown), "10 of 10 shown")
        browser.script("document.querySelector('#words').focus()")
        browser.press("TILE squared")
        self.assertEqual((browser.script(NAMES), browser.script(shown)), (["ben.cu"], "1 of 10 shown"))
        self.assertEqual(browser.script("document.querySelectorAll('article:not([hidden])').length"), 1)
        browser.script("document.querySelector('#words').value = ''; const v = document.querySelector('#verdict');"
                       "v.value = 'left out'; v.dispatchEvent(new Event('input', {bubbles: true}))")
        self.assertEqual(browser.script(NAMES), ["late.cpp", "README"])

    def test_it_needs_no_mouse(self):
        browser = self.load()
        seen = []
        for _ in range(40):
            browser.press("Tab")
            seen.append(browser.script("""(() => { const e = document.activeElement, style = getComputedStyle(e);
              return {what: e.id || e.textContent.trim().slice(0, 20), outline: style.outlineStyle + style.outlineWidth,
                      name: e.tagName}; })()"""))
            if seen[-1]["what"].startswith("3"):
                break
        self.assertEqual(seen[0]["what"], "Skip to the ranking")
        self.assertEqual([each["what"] for each in seen[1:6]],
                         ["Ranking", "Picture", "Hand-ins", "words", "verdict"])
        self.assertLessEqual({"Rank", "Points of 70", "Verdict", "Speedup", "10000", "Zoë Åkesson", "Expand all"},
                             {each["what"] for each in seen})
        for each in seen:
            self.assertNotRegex(each["outline"], "^none|0px", each)
        for name in ("Enter", " "):
            browser.script("document.querySelector('#h5 summary').focus()")
            browser.press(name)
            self.assertEqual(browser.script("document.querySelector('#h5 details').open"), name == "Enter")

    def test_a_link_opens_its_hand_in(self):
        browser = self.load()
        browser.script("document.querySelector('[href=\"#h5\"]').focus()")
        browser.press("Enter")
        opened = "[...document.querySelectorAll('article > details[open]')].map((each) => each.parentNode.id)"
        browser.script("new Promise(requestAnimationFrame)")
        self.assertEqual(browser.script(opened), ["h5"])
        self.assertTrue(browser.script("(({top, bottom}) => 0 <= top && top < innerHeight - 100)"
                                       "(document.querySelector('#h5').getBoundingClientRect())"))
        browser.script("document.querySelector('.expand').click()")
        self.assertEqual(len(browser.script(opened)), 10)
        browser.script("document.querySelector('.expand').click()")
        self.assertEqual(browser.script(opened), [])

    def test_it_has_what_a_screen_reader_reads(self):
        browser = self.load()
        browser.script(OPEN_ALL)
        browser.call("Accessibility.enable")
        nodes = [node for node in browser.call("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
        roles = {}
        for node in nodes:
            roles.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", "").strip())
        for role in ("button", "link", "searchbox", "combobox", "region", "image", "columnheader", "rowheader", "heading",
                     "DisclosureTriangle"):
            self.assertTrue(roles.get(role), role)
            self.assertNotIn("", roles[role], role)
        focusable = [node for node in nodes if node["role"]["value"] != "RootWebArea" and {"name": "focusable", "value":
                     {"type": "booleanOrUndefined", "value": True}} in node.get("properties", ())]
        self.assertGreater(len(focusable), 40)
        self.assertEqual([node for node in focusable if not node.get("name", {}).get("value", "").strip()
                          and node["role"]["value"] != "main"], [])
        for role in ("main", "banner", "search", "table", "status"):
            self.assertTrue(roles.get(role), role)
        self.assertEqual(roles["RootWebArea"], ["Assignment 3: all-pairs shortest paths"])
        self.assertIn("Times against n on logarithmic axes. The tables of this page have the numbers.", roles["image"])
        levels = browser.script("[...document.querySelectorAll('h1,h2,h3,h4')].map((each) => +each.tagName[1])")
        self.assertEqual(levels[0], 1)
        self.assertTrue(all(after <= before + 1 for before, after in zip(levels, levels[1:])), levels)

    def test_contrast(self):
        browser = self.load()
        browser.script(OPEN_ALL)
        for dark in (False, True):
            for width in (1280, 390):
                browser.show(width, dark=dark)
                found = browser.script(CONTRAST)
                self.assertEqual(found["low"], [], f"dark={dark}, {width} pixels")
                self.assertGreater(found["count"], 500)
        self.assertNotEqual(browser.script("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")

    def test_it_fits_a_phone(self):
        document = sample()
        document["submissions"][0]["check"]["sizes"] *= 3  # as many as --full has
        for family, marks in document["submissions"][0]["check"]["families"].items():
            document["submissions"][0]["check"]["families"][family] = marks * 3
        browser = self.load(document)
        for width in (390, 320, 768):
            browser.show(width, 844)
            for state in ("", OPEN_ALL):
                browser.script(state or "0")
                self.assertEqual(browser.script("document.scrollingElement.scrollWidth"), width)
        browser.show(390, 844)
        self.assertEqual(browser.script("""[...document.querySelectorAll("main .ranking, .heat, .chart, .timed table")].filter((each) =>
            each.getBoundingClientRect().right > 390).length"""), 0)
        self.assertEqual(browser.script("""[...document.querySelectorAll(".ranking tbody tr")].filter((row) =>
            [...row.cells].every((cell) => !/^([✓✗–].|ours)/u.test(cell.innerText.trim()))).length"""), 0, "an empty verdict")

    def test_names_break_between_words(self):
        document = sample()
        for each, name in zip(document["submissions"], ("Ann Lee_101_assignsubmission_file_", "floyd_warshall_register_tiles.v2.cu",
                                                        "x" * 90, "Maximiliane-Theodora Schulze-Wichmann")):
            each["name"] = name
        browser = self.load(document)
        for width in (390, 320, 768, 1280):
            browser.show(width, 844)
            self.assertEqual(browser.script("""[...document.querySelectorAll(".ranking tbody th bdi")].flatMap((name) =>
                [...name.childNodes].filter((each) => each.nodeType == 3 && (() => { const range = document.createRange();
                  range.selectNode(each); return new Set([...range.getClientRects()].map((box) => box.top)).size > 1; })())
                .map((each) => each.data))"""), [], width)
            self.assertEqual(browser.script("document.scrollingElement.scrollWidth"), width)

    def test_it_prints_everything(self):
        browser = self.load()
        browser.show(dark=True)
        self.assertGreater(browser.script("document.querySelectorAll('details:not([open])').length"), 10)
        pages = len(re.findall(rb"/Type\s*/Page\b", browser.pdf()))
        self.assertEqual(browser.script("document.querySelectorAll('details:not([open])').length"), 0)
        self.assertGreater(pages, 8)
        browser.show(media="print", dark=True)
        self.assertEqual(browser.script("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(browser.script("getComputedStyle(document.querySelector('.controls')).display"), "none")

    def test_a_class_of_200(self):
        document = sample()
        document["submissions"] = [dict(each, name=f"{at} {each['name']}") for at in range(20) for each in document["submissions"]]
        browser = self.load(document)
        self.assertLess((self.dir / "page.html").stat().st_size, 8 << 20)
        browser.script("document.querySelector('#words').value = 'zoë'; document.querySelector('.controls')"
                       ".dispatchEvent(new Event('input'))")
        self.assertEqual(browser.script("document.querySelector('#shown').textContent"), "20 of 200 shown")


if __name__ == "__main__":
    unittest.main()
