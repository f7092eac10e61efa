"""The picture of times against n, as SVG that takes its colours from the page's style sheet."""
import csv
import io
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import plot  # scripts/plot.py
from matplotlib import pyplot

SVG, LINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
ET.register_namespace("", SVG)
STYLE = {**plot.STYLE, "svg.fonttype": "none", "savefig.bbox": "standard", "font.size": 11, "xtick.labelsize": 10.5,
         "ytick.labelsize": 10.5}
# matplotlib draws in these colours; the page has a variable for each.
VARIABLES = {"#010101": "--ink", "#020202": "--muted", "#030303": "--rule", "#040404": "--other",
             **{f"#1{i}1{i}1{i}": f"--line-{i}" for i in range(6)}}
COLOUR = {variable: colour for colour, variable in VARIABLES.items()}
MARKERS = "osD^vP"
NAMED = len(MARKERS)  # so many of the best entries have colours, markers and names of their own
PRESENTATION = set("fill fill-opacity fill-rule opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap "
                   "stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor".split())


def steps_of(folder, device, sizes):
    """The steps of the course reports that results/*/ladder.csv has for the device: {(report, step): {n: row}}."""
    found = {}
    for path in sorted(Path(folder).glob("*/ladder.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                here = row["device_name"] == device and row["verified"] != "WRONG" and int(row["n"]) in sizes
                if here and row["report"] != "-":
                    found.setdefault((row["report"], row["rung"]), {})[int(row["n"])] = row
    return dict(sorted(found.items()))


def points_of(times):
    """[(n, median, fastest, slowest)] of those that can be drawn."""
    points = [(t["n"], t["median_ms"], t["min_ms"], t["max_ms"]) for t in times if not t["doubt"]]
    return [(n, median, low or median, high or median) for n, median, low, high in points if median and median > 0]


def picture(group, steps, prefix, width, height, letters):
    """The picture, `width` times `height` pixels, in which names have at most so many letters; None without times.

    Its ids begin with the prefix. prefix-base has all but the entries; the line and the name of entry h3 are
    prefix-h3."""
    lines = [*entry_lines(group), *reference_lines(group)]
    if not any(points for _, points, *_ in lines):
        return None
    lines = [*((name, step_points(rows), {"color": COLOUR["--muted"], "linewidth": 0.8, "alpha": 0.6}, "")
               for name, rows in named_steps(steps)), *(line for line in lines if line[1])]
    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(figsize=(width / 72, height / 72), dpi=72)
        room = 7.2 * letters + 14
        figure.subplots_adjust(left=56 / width, right=1 - room / width, top=1 - 14 / height, bottom=46 / height)
        prepare_axes(axes, lines, (width - 56 - room) / 42)
        labels, ends = {}, []
        for name, points, style, gid in lines:
            draw(axes, points, style, gid)
            if name:
                token = f"@{gid}@{len(labels)}"
                labels[token] = name if len(name) <= letters else name[:letters - 1] + "…"
                ends.append((*points[-1][:2], style["color"], token))
        plot.name_lines(figure, axes, ends, gap=3)
        for label in axes.texts:
            if label.get_text() in labels:
                label.set_gid(label.get_text().split("@")[1] or None)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    return inline(text.getvalue(), labels, prefix)


def prepare_axes(axes, lines, most):
    """Scales the axes for these lines; n has room for so many labels."""
    values = [value for _, points, *_ in lines for point in points for value in point[1:]]
    plot.scale_y(axes, min(values), max(values) * 1.0001, plot.duration)
    sizes = sorted({point[0] for _, points, *_ in lines for point in points})
    named = plot.scale_x(axes, sizes)
    gap = (max(sizes) / min(sizes)) ** (1 / most)
    apart = [n for place, n in enumerate(named) if place == 0 or all(m / n >= gap for m in named[:place])]
    axes.xaxis.set_major_locator(plot.ticker.FixedLocator(apart))
    axes.margins(x=0.03)
    axes.grid(True, axis="both")
    axes.tick_params(colors=COLOUR["--muted"], length=0, pad=7)
    axes.xaxis.label.set_color(COLOUR["--muted"])
    axes.spines["bottom"].set_color(COLOUR["--rule"])
    for line in (*axes.get_xgridlines(), *axes.get_ygridlines()):
        line.set(color=COLOUR["--rule"], alpha=1)


def named_steps(steps):
    """(name, rows) of each step; only the fastest of each report is named, at the largest n."""
    best = {}
    for (report, step), rows in steps.items():
        time = float(rows[max(rows)]["median_ms"])
        if report not in best or time < best[report][0]:
            best[report] = time, step
    return [(step if best[report][1] == step else "", rows) for (report, step), rows in steps.items()]


def step_points(rows):
    return [(n, *(float(row[key]) for key in ("median_ms", "min_ms", "max_ms"))) for n, row in sorted(rows.items())]


def drawn(group):
    """The entries that have times which count."""
    return [entry for entry in group.entries if entry.tone != "wrong" and points_of(entry.times)]


def entry_lines(group):
    """The entries, the best last and therefore on top."""
    for place, entry in reversed(list(enumerate(drawn(group)))):
        own = place < NAMED
        style = {"color": COLOUR[f"--line-{place}" if own else "--other"], "linewidth": 1.8 if own else 1,
                 "alpha": 1 if own else 0.6, "marker": MARKERS[place] if own else ".",
                 "linestyle": dashes(entry.name)}
        yield entry.name if own else "", points_of(entry.times), style, entry.id


def reference_lines(group):
    for reference in group.references:
        style = {"color": COLOUR["--ink"], "linewidth": 1.8, "marker": "o", "linestyle": dashes(reference["name"])}
        yield reference["name"], points_of(reference["times"]), style, ""


def dashes(name):
    return plot.DASHED if plot.naive(name) else "-"


def draw(axes, points, style, gid):
    """A line, and a bar at each point from the fastest call to the slowest."""
    sizes, medians, low, high = zip(*points)
    style = {"markersize": 4.5, "clip_on": False, "solid_capstyle": "round", **style}
    line, caps, bars = axes.errorbar(sizes, medians, yerr=([m - l for m, l in zip(medians, low)],
                                                           [h - m for m, h in zip(medians, high)]),
                                     capsize=2.5 if "marker" in style else 0, elinewidth=1, **style)
    for part in (line, *caps, *bars):
        part.set_clip_on(False)
        if gid:
            part.set_gid(gid)


def inline(svg, labels, prefix):
    """matplotlib's SVG for a page: colours are variables, no style attributes, and ids begin with the prefix.

    labels: {text in the picture: text to show}."""
    root = ET.fromstring(svg)
    used = set(re.findall(r'href="#([^"]+)"', svg)) | set(re.findall(r"url\(#([^)]+)\)", svg))
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    collect_entries(root, prefix)
    for element in root.iter():
        spread_style(element)
        element.text = labels.get(element.text, element.text)
        for key, value in list(element.attrib.items()):
            if key == LINK:
                element.set("href", f"#{prefix}-{element.attrib.pop(key)[1:]}")
            elif value.startswith("url(#"):
                element.set(key, f"url(#{prefix}-{value[5:]}")
            elif key == "id" and value in used:
                element.set("id", f"{prefix}-{value}")
            elif key == "id" and not value.startswith(f"{prefix}-"):
                del element.attrib["id"]
    root.attrib = {"viewBox": root.get("viewBox"), "aria-hidden": "true"}
    return re.sub(r"\s*\n\s*", "\n", ET.tostring(root, encoding="unicode"))


def collect_entries(root, prefix):
    """Moves what belongs to an entry, for example what has the id h3, out of the picture into a group behind it."""
    groups = {}
    for parent in root.iter():
        for child in list(parent):
            if re.fullmatch(r"h[\d-]+", child.get("id", "")):
                parent.remove(child)
                groups.setdefault(child.attrib.pop("id"), []).append(child)
    root.find(f"{{{SVG}}}g").set("id", f"{prefix}-base")
    for name, children in groups.items():
        ET.SubElement(root, f"{{{SVG}}}g", id=f"{prefix}-{name}").extend(children)


def spread_style(element):
    """The attribute style as presentation attributes, which a Content-Security-Policy allows."""
    for declaration in filter(None, (each.strip() for each in element.attrib.pop("style", "").split(";"))):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        if key in ("font", "font-size"):
            element.attrib["font-size"] = re.search(r"([\d.]+)px", value).group(1)
            if "bold" in value or " 700" in f" {value}":
                element.attrib["font-weight"] = "600"
        elif key in PRESENTATION:
            element.attrib[key] = f"var({VARIABLES[value]})" if value in VARIABLES else value
        elif key == "font-weight":
            element.attrib[key] = "600"
