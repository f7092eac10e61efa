"""The documents that a page is made from, and what the page shows of them.

A document is one of
  grades.json         src/course/grade/document.h describes it
  {"grades", "sizes"} the rows of the two CSV files of grades
  {"records"}         rows of measurements
Each becomes a `View`. Rows of CSV have text in all fields.
"""
import collections
import math
import re
from typing import NamedTuple, Optional

import names

SCHEMA = 1
TONES = {"pass": "right", "verified": "right", "left out": "idle", "waiting": "idle", "not graded": "idle",
         "not verified": "idle"}


class Entry(NamedTuple):
    """A hand-in, or a solver of records. Its keys are those of `submissions` in grades.json."""
    id: str
    name: str
    verdict: str
    times: list
    rank: Optional[int] = None
    points: Optional[float] = None
    lines: list = []
    reason: str = ""
    diagnosis: Optional[dict] = None
    warning: str = ""
    sandbox: str = ""
    speedup: Optional[float] = None
    check: Optional[dict] = None
    witness: Optional[dict] = None
    command: str = ""
    digest: str = ""
    file: str = ""

    @property
    def tone(self):
        return TONES.get(self.verdict, "wrong")

    @property
    def disturbed(self):
        return "; ".join(f"n = {t['n']}: {t['disturbed']}" for t in self.times if t["disturbed"])

    def at(self, n):
        return next((t for t in self.times if t["n"] == n), None)


class Group(NamedTuple):
    """Entries whose times may be compared: they have the same device and graphs."""
    heading: str
    device: str         # its name in ladder.csv
    sizes: list
    references: list    # [{"name", "times"}]
    entries: list
    course: bool = True  # the graphs are those of the course, as in ladder.csv

    @property
    def disturbed(self):
        """The times of solvers of this program that were disturbed: "ref at n = 100 (load)"."""
        return ", ".join(f"{each['name']} at n = {time['n']} ({time['disturbed']})"
                         for each in self.references for time in each["times"] if time["disturbed"])

    def medians(self, n):
        """The times at n that the ranking shows, to find how many decimals they need."""
        times = [time for each in (*(entry.times for entry in self.entries), *(r["times"] for r in self.references))
                 for time in each]
        return [time["median_ms"] for time in times if time["n"] == n and not time["doubt"]]


class View(NamedTuple):
    title: str
    facts: list          # (what, text) pairs about the device and the measurement
    groups: list
    graded: bool         # hand-ins, not records
    marks: dict = {}     # what the marks of a check mean
    most: Optional[float] = None  # points
    anonymous: bool = False

    @property
    def entries(self):
        return [entry for group in self.groups for entry in group.entries]

    @property
    def counts(self):
        """How many entries have each verdict."""
        return collections.Counter(entry.verdict for entry in self.entries)


def number(text):
    """None if there is none, or it is not finite."""
    value = float(text) if text not in ("", None) else math.inf
    return value if math.isfinite(value) else None


def whole(text):
    return None if number(text) is None else round(number(text))


def view(document, anonymous):
    """What the page shows of a document. Raises ValueError, KeyError or TypeError if it is none."""
    document = names.visible(document)
    if document["schema"] != SCHEMA:
        raise ValueError(f"schema {document['schema']}: this program reads schema {SCHEMA}")
    if "records" in document:
        return of_records(document["records"], anonymous)
    return of_grades(grades_of_rows(document) if "grades" in document else document, anonymous)


# ---- grades --------------------------------------------------------------------------------

def grades_of_rows(document):
    """The rows of CSV files of grades in the form of grades.json, as far as they go."""
    rows, sizes = document["grades"], document["sizes"]
    plan = {key: rows[0][key] for key in ("depth", "warmup", "reps", "time_limit_s")}
    lines = [points_lines(row["points_lines"]) for row in rows]
    most = max((sum(line["of"] for line in each) for each in lines), default=0)
    return {
        "written": "", "program": {"revision": rows[0]["revision"], "dirty": rows[0]["dirty"]},
        "device": {"name": rows[0]["device_name"]}, "clocks": {},
        "plan": {**plan, "contract": "course", "sizes": [int(n) for n in rows[0]["sizes"].split()]}, "marks": {},
        "rubric": {"title": "", "points": most} if most else None,
        "references": [{"name": name, "times": [time_of(row) for row in sizes if row["name"] == name]}
                       for name in unique(row["name"] for row in sizes if not row["digest"])],
        "submissions": [grade_of(row, each, sizes) for row, each in zip(rows, lines)]}


def grade_of(row, lines, sizes):
    sentence = row["diagnosis"]
    mine = [size for size in sizes if (size["name"], size["digest"]) == (row["name"], row["digest"])]
    return {**{key: row[key] for key in ("name", "digest", "verdict", "reason", "warning")},
            "rank": whole(row["rank"]), "points": number(row["points"]), "speedup": number(row["speedup"]),
            "lines": lines, "diagnosis": {"sentence": sentence} if sentence else None, "check": None, "witness": None,
            "times": [time_of(size) for size in mine if row["digest"]], "command": "", "file": ""}


def points_lines(text):
    """"pass 10/10; family ring 1/2" as lines of points. They do not say why."""
    found = re.findall(r"([^;]+) ([\d.e+-]+)/([\d.e+-]+)(?:; |$)", text)
    return [{"line": line, "points": float(points), "of": float(of), "why": ""} for line, points, of in found]


def time_of(row):
    """A time from a row of CSV."""
    numbers = "median_ms q1_ms q3_ms min_ms max_ms spread_pct naive_ms speedup cost_ms events_ms".split()
    return {**{key: number(row.get(key)) for key in numbers}, "n": int(row["n"]), "reps": whole(row["reps"]),
            "outliers": whole(row.get("outliers")), "disturbed": row.get("disturbed", ""),
            "doubt": row.get("doubt", ""), "verified": row["verified"], "command": row.get("command", "")}


def unique(values):
    return list(dict.fromkeys(values))


def of_grades(grades, anonymous):
    submissions = grades["submissions"]
    if anonymous:
        submissions = anonymised(submissions)
    entries = [Entry(id=f"h{at}", **{key: each[key] for key in Entry._fields if key in each and key != "id"})
               for at, each in enumerate(submissions, 1)]
    entries = [entry._replace(reason=reason_beside(entry)) for entry in entries]
    rubric = grades["rubric"] or {}
    group = Group("", grades["device"]["name"], grades["plan"]["sizes"], grades["references"], entries)
    return View(rubric.get("title") or "Graded hand-ins", grade_facts(grades, anonymous), [group], True,
                grades["marks"], rubric.get("points"), anonymous)


def reason_beside(entry):
    """The reason without the diagnosis at its end, which stands on its own."""
    tail = f": {entry.diagnosis['sentence']}" if entry.diagnosis else ""
    return entry.reason[:-len(tail)] if tail and entry.reason.endswith(tail) else entry.reason


def grade_facts(grades, anonymous):
    device, clocks, plan, program = (grades[key] for key in ("device", "clocks", "plan", "program"))
    limits = f"{plan['warmup']} warm-up call{'' if str(plan['warmup']) == '1' else 's'}, then " + (
        f"{plan['reps']} calls" if whole(plan["reps"]) else "at least 5 calls and 0.2 s, or fewer long ones")
    host = "" if anonymous else device.get("host", "")
    return present([
        ("Device", joined(device["name"], device.get("driver"), host and f"host {host}")),
        ("Clocks", joined(clocks.get("core_mhz") and f"{clocks['core_mhz']} MHz",
                          clocks.get("memory_mhz") and f"memory {clocks['memory_mhz']} MHz",
                          clocks.get("throttle") and f"throttled: {clocks['throttle']}",
                          clocks.get("other_users") and f"{clocks['other_users']} other users")),
        ("Folder", "" if anonymous else plan.get("folder")),
        ("Check", f"{plan['depth']}, contract {plan['contract']}, at most {float(plan['time_limit_s']):g} s a call"),
        ("Timing", limits),
        ("Program", joined(program.get("version"), program["revision"] and f"revision {program['revision']}",
                           program["dirty"] and "with changes that were not committed")),
        ("Written", grades["written"].replace("T", " ").replace("Z", " UTC"))])


def anonymised(submissions):
    """The submissions without anything that says whose they are. Those without a rank lose their order, too."""
    known = names.parts(*(name for each in submissions for name in (each["name"], each["file"])))
    pseudonyms = names.Pseudonyms()
    ordered = sorted(submissions, key=lambda each: (each["rank"] is None, each["rank"] or 0,
                                                    each["verdict"] == "left out", each["digest"]))
    return [anonymised_one(each, pseudonyms.of(each["digest"]), known) for each in ordered]


def anonymised_one(each, name, known):
    def cleared(text, ours):
        return names.without_names(text, known) if ours or not text else names.QUOTES

    ours = each["verdict"] in names.OUR_REASONS or names.SIGNAL.fullmatch(each["reason"])
    check, witness = each["check"], each["witness"]
    if check:
        failures = [{**failure, "text": cleared(failure["text"], failure["result"] != "fault" or ours)}
                    for failure in check["failures"]]
        check = {**check, "failures": failures}
    if witness:
        witness = {**witness, "command": names.without_file(witness["command"])}
    return {**each, "name": name, "file": "", "digest": "", "reason": cleared(each["reason"], ours),
            "warning": cleared(each["warning"], True), "command": names.without_file(each["command"] or ""),
            "lines": [{**line, "why": cleared(line["why"], True)} for line in each["lines"]],
            "times": [{**time, "doubt": cleared(time["doubt"], True),
                       "command": names.without_file(time.get("command") or "")} for time in each["times"]],
            "check": check, "witness": witness}


# ---- records -------------------------------------------------------------------------------

def clocks_of(row):
    """The clocks of a record; that of a CPU's memory is not known."""
    memory = f", memory {row['memory_mhz']} MHz" if (number(row["memory_mhz"]) or 0) > 0 else ""
    return f"{row['core_mhz_after']} MHz{memory}"


def of_records(rows, anonymous):
    """A group for each device and kind of graph, the solvers with the best times first."""
    if not rows:
        raise ValueError("it has no records")
    if anonymous:
        rows = anonymised_records(rows)
    groups = [group_of(heading, [row for row in rows if heading_of(row) == heading], at)
              for at, heading in enumerate(unique(heading_of(row) for row in rows))]
    facts = [("Device", "; ".join(unique(joined(row["device_name"], row["driver"]) for row in rows))),
             ("Clocks", "; ".join(unique(clocks_of(row) for row in rows if (number(row["core_mhz_after"]) or 0) > 0))),
             ("Host", "" if anonymous else ", ".join(unique(row["host"] for row in rows))),
             ("Program", "; ".join(unique(joined(row["version"], f"revision {row['revision']}") for row in rows))),
             ("Measured", " to ".join(unique([min(row["time"] for row in rows), max(row["time"] for row in rows)]))
              .replace("T", " ").replace("Z", " UTC"))]
    return View("Measured times", present(facts), groups, False, anonymous=anonymous)


def heading_of(row):
    threads = f", {row['units']} threads" if row["device"] == "cpu" else ""
    graph = row["input"].replace(f" n={row['n']}", "")
    if row.get("graphs") == "drawn":
        graph = graph.replace(f" seed={row['seed']}", "")
    return f"{row['device_name']}{threads}, {graph}{'' if row['dtype'] == 'i32' else ' ' + row['dtype']}"


def group_of(heading, rows, place):
    solvers = {}
    for row in sorted(rows, key=lambda row: row["time"]):  # the last of several measurements counts
        solvers.setdefault(solver_of(row), {})[int(row["n"])] = row
    naive = {n: number(row["median_ms"]) for n, row in solvers.get("ref", {}).items() if right(row)}
    sizes = sorted({n for line in solvers.values() for n in line})
    entries = [entry_of_solver(name, line, naive) for name, line in solvers.items()]
    entries.sort(key=lambda entry: (entry.tone != "right", -(entry.speedup or 0)))
    return Group(heading, rows[0]["device_name"], sizes, [],
                 [entry._replace(id=f"h{place}-{at}") for at, entry in enumerate(entries, 1)],
                 rows[0]["input"].startswith("course "))


def entry_of_solver(name, line, naive):
    times = []
    for n, row in sorted(line.items()):
        time = {**time_of({**row, "speedup": "", "naive_ms": ""}), "naive_ms": naive.get(n)}
        median = time["median_ms"]
        if None not in (time["q1_ms"], time["q3_ms"]) and median:
            time["spread_pct"] = 100 * (time["q3_ms"] - time["q1_ms"]) / median
        time["speedup"] = naive[n] / median if n in naive and median and right(row) else None
        times.append(time)
    last, verified = max(line), [time["verified"] for time in times]
    bad = next((row for row in line.values() if not right(row)), None)
    verdict = (bad["verified"] if bad["verified"] != "WRONG" else "wrong") if bad else "verified"
    if not bad and "no" in verified:
        verdict = "not verified"
    return Entry("", name, verdict, times, speedup=times[-1]["speedup"] if last == times[-1]["n"] else None)


def right(row):
    """Whether distances are not known to be wrong, and there are some."""
    return number(row["wrong"]) in (None, 0) and bool(number(row["median_ms"]))


def solver_of(row):
    options = [f"--precision {row['precision']}"] * (row["precision"] not in ("auto", ""))
    options += [f"--no-{name}" for name in ("symmetry", "skip") if row[name] == "no"]
    return " ".join([row["kernel"], *options]) if row["kernel"] != "ref" else "ref"


def anonymised_records(rows):
    """Records in which solvers and graphs from files have numbers as names."""
    def numbered(word, values):
        return {value: f"{word} {at}" for at, value in enumerate(unique(values), 1)}

    def is_file(kernel):
        return "." in kernel or "/" in kernel

    solvers = numbered("solver", (row["kernel"] for row in rows if is_file(row["kernel"])))
    graphs = numbered("graph", (row["input"] for row in rows if not row["seed"]))
    return [{**row, "kernel": solvers.get(row["kernel"], row["kernel"]),
             "input": row["input"] if row["seed"] else graphs[row["input"]]} for row in rows]


# ---- text ----------------------------------------------------------------------------------

def joined(*texts):
    return ", ".join(text for text in texts if text)


def present(facts):
    return [(what, text) for what, text in facts if text]
