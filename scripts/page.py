#!/usr/bin/env python3
"""Writes grades or records as one HTML page, which needs no network and no other file.

  scripts/page.py grades.json -o grades.html               from `./apsp grade --json grades.json`
  scripts/page.py grades.json -o grades.html --anonymous   pseudonyms in place of names

`./apsp grade --html` and `./apsp report --html` run it. Beside the times of grades stand those of
the course reports' steps, if results/*/ladder.csv has them for the same device and sizes;
$APSP_RESULTS names another folder than results.

Exit: 0 written, 2 usage or a missing package, 3 bad input, 6 not written.
"""
import argparse
import base64
import hashlib
import json
import math
import os
import re
import sys
import unicodedata
from pathlib import Path

from csv_files import stop
from packages import require

HERE = Path(__file__).resolve().parent
PARTS = HERE / "page"
# Two pictures, for large and for small screens: width, height, letters of a name.
PICTURES = {"wide": (960, 480, 22), "narrow": (360, 400, 11)}


def environment():
    """jinja2's environment: it escapes everything that a template inserts, and refuses what is not defined."""
    import jinja2
    found = jinja2.Environment(loader=jinja2.FileSystemLoader(PARTS), autoescape=True, undefined=jinja2.StrictUndefined,
                               trim_blocks=True, lstrip_blocks=True)
    found.filters.update(ms=milliseconds, decimals=decimals, times=lambda value: f"{value:.2f}", plain=plain, marked=marked,
                         breakable=breakable)
    return found


def decimals(values):
    """How many decimals show the smallest of these positive numbers with three digits, at most 4."""
    positive = [value for value in values if value and value > 0]
    return min(4, max(0, 2 - math.floor(math.log10(min(positive))))) if positive else 0


def milliseconds(value, places):
    return "–" if value is None else f"{value:.{places}f}"


def plain(value):
    """A number without needless zeros."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def breakable(name, longest=17):
    """A name that lines may break behind its signs, and not within its words, unless one has too many letters."""
    import markupsafe
    pieces, sign = [""], False
    for letter in name:
        marks = unicodedata.category(letter).startswith("M")  # what stands above or below the letter before
        if pieces[-1] and not marks and (len(pieces[-1]) >= longest or letter.isalnum() and sign):
            pieces.append("")
        pieces[-1] += letter
        sign = not (letter.isalnum() or marks)
    return markupsafe.Markup("<wbr>").join(pieces)


def marked(matrices):
    """The matrices of a witness as HTML. Wrong entries, which have a * behind them, are marked."""
    import markupsafe
    return markupsafe.Markup(re.sub(r"(\w+)\*", r"<mark>\1</mark>*", str(markupsafe.escape(matrices))))


def render(document, anonymous, reload=None):
    """The page as text."""
    sys.path.insert(0, str(PARTS))
    import chart
    import documents
    import heat
    import markupsafe
    view = documents.view(document, anonymous)
    results = os.environ.get("APSP_RESULTS") or HERE.parent / "results"
    pictures = []
    for at, group in enumerate(view.groups):
        steps = chart.steps_of(results, group.device, group.sizes) if group.course else {}
        drawn = {name: chart.picture(group, steps, f"{name}{at}", *size) for name, size in PICTURES.items()}
        pictures.append({"steps": steps, "drawn": {entry.id for entry in chart.drawn(group)},
                         **{name: markupsafe.Markup(svg) if svg else "" for name, svg in drawn.items()}})
    style, script = ((PARTS / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return environment().get_template("page.html").render(
        view=view, reload=reload, pictures=pictures, heat_rows=heat.rows, legend=heat.LEGEND, cell=heat.CELL,
        small="0 0 {} {}".format(*PICTURES["narrow"]), style=markupsafe.Markup(style),
        script=markupsafe.Markup(script), policy=policy(style, script))


def policy(style, script):
    """The Content-Security-Policy: this style sheet and this script, and nothing else from anywhere."""
    def digest(text):
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
    return (f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; img-src data:; "
            "base-uri 'none'; form-action 'none'")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="?", help="grades.json, or another document of scripts/page/documents.py")
    parser.add_argument("-o", "--output", metavar="FILE", help="the page")
    parser.add_argument("--packages", action="store_true", help="only look for the packages that are needed")
    parser.add_argument("--anonymous", action="store_true", help="pseudonyms in place of names")
    parser.add_argument("--reload", type=int, metavar="SECONDS", help="the page loads itself again after so many seconds")
    arguments = parser.parse_args()
    require("jinja2", "matplotlib")
    if arguments.packages:
        return
    if None in (arguments.json, arguments.output):
        parser.error("give grades.json and -o FILE")
    from jinja2 import TemplateError
    try:
        page = render(json.loads(Path(arguments.json).read_text(encoding="utf-8")), arguments.anonymous, arguments.reload)
    except OSError as error:
        stop(3, f"{error.filename}: {error.strerror}")
    except (TemplateError, AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else error
        stop(3, f"not a document of grades or records: {what}")
    try:
        Path(arguments.output).write_text(page, encoding="utf-8")
    except OSError as error:
        stop(6, f"{arguments.output}: {error.strerror}")


if __name__ == "__main__":
    main()
