#!/usr/bin/env python3
"""Draws results as PNG and as SVG.

  scripts/plot.py results/h100/sweep.csv [MORE.csv ...] -o results/h100/sweep
  scripts/plot.py results/h100/dense.csv -o results/h100/dense
  scripts/plot.py results/h100/ladder.csv -o results/h100/ladder
  scripts/plot.py results/h100/reduce.csv -o results/h100/reduce
  scripts/plot.py results/cpu/sparse_peers.csv results/h100/sparse.csv -o results/cpu/sparse_peers

The first command writes results/h100/sweep.png and results/h100/sweep.svg. The picture
depends on the kind of file:

  sweep.csv   (./run.sh) times and speedups against n; several devices or graph families
              share the picture
  dense.csv   (scripts/bench_dense.sh) the speed in % of the device's peak against n, for
              each solver without options of its own
  ladder.csv  (./apsp ladder) the times of each course report (ladder_a, ladder_b, ...),
              and the speedups of all steps at the largest n
  reduce.csv  (./apsp reduce) the bandwidth of each step
  sparse_peers.csv  (scripts/compare_sparse.py) distances per second of each tool on each
              sparse graph, and of a GPU on the same graphs if its records come with it; a
              hollow point was extrapolated from a sample of sources

A hollow point was not verified. A cross was disturbed, for example by other processes
(docs/measuring.md). A wrong result is not drawn. The same CSV file and the same
matplotlib give the same bytes.

Exit: 0 drawn, 2 usage or no matplotlib, 3 bad input, 6 not written.
"""
import argparse
import re

from csv_files import read_csv, stop
from packages import require

require("matplotlib")
import matplotlib  # noqa: E402

matplotlib.use("Agg")
from matplotlib import colors, lines, pyplot, ticker  # noqa: E402

# The pictures are transparent, and the colours are about equally far from GitHub's white and
# its black background. One picture therefore suits both themes.
INK = "#7d8590"
COLOURS = ["#2f81f7", "#d9730d", "#1a9a6c", "#c4569c", "#8f7ee7", "#a68a0d"]
STYLE = {
    "font.family": "DejaVu Sans", "font.size": 10,  # matplotlib brings this font
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK,
    "xtick.color": INK, "ytick.color": INK,
    "xtick.labelsize": 9, "ytick.labelsize": 9, "ytick.left": False,
    "axes.spines.top": False, "axes.spines.right": False,
    "axes.spines.left": False, "axes.titlelocation": "left",
    "axes.grid": True, "axes.grid.axis": "y", "grid.color": INK,
    "grid.alpha": 0.3, "grid.linewidth": 0.8,
    "savefig.transparent": True, "savefig.bbox": "tight", "savefig.dpi": 200,
    "svg.hashsalt": "apsp",
}
DASHED = (0, (4, 2))  # the naive solver
DOTTED = (0, (1, 2))  # a peak
RADIUS = 3.6  # of a point, in points


def solver(row):
    """The kernel and its options; ref has none. In a dense.csv the kernel and the tier."""
    if "time" not in row:
        return f"{row['kernel']} {row['tier']}"
    options = [f"--precision {row['precision']}"] * (row["precision"] != "auto")
    options += [f"--no-{name}" for name in ("symmetry", "skip") if row[name] == "no"]
    options += [f"--method {row['method']}"] * (row.get("method", "auto") not in ("", "auto"))
    return " ".join([row["kernel"], *options]) if row["kernel"] != "ref" else "ref"


def group(rows):
    """{(device, family): {solver: {n: row}}}. The last of several measurements counts. row["y"] is the
    value to draw: milliseconds, or the percentage of the peak if the rows are a dense.csv's."""
    sweeps, family = {}, None
    for row in rows:
        row["n"] = int(row["n"])
        if "time" in row:
            row["y"] = float(row["median_ms"])
            graphs = row["input"].replace(f" n={row['n']}", "")
            if row.get("graphs") == "drawn":
                graphs = graphs.replace(f" seed={row['seed']}", "")
            graphs += "" if row["dtype"] == "i32" else f" {row['dtype']}"
            row["sweep"] = row["device_name"], graphs
        else:
            family = family or row["family"]  # only the first family is drawn
            plain = row["family"] == family and " " not in row["kernel"]
            row["y"] = float(row["pct_of_peak"] or 0) * plain
            row["sweep"] = row["device"], row["family"]
    if len({"time" in row for row in rows}) > 1:
        stop(3, "times (sweep.csv) and percentages of the peak (dense.csv) cannot share a picture")
    for row in sorted(rows, key=lambda row: row.get("time", "")):
        if row["y"] > 0 and row["verified"] != "WRONG":
            kernels = sweeps.setdefault(row["sweep"], {})
            kernels.setdefault(solver(row), {})[row["n"]] = row
    return sweeps


def short_name(device):
    """"H100" for "NVIDIA H100 80GB HBM3"; the whole name if no model is found in it."""
    found = re.search(r"\b[A-Z]+\d{2,}\b", device)
    return found.group() if found else re.sub(r"\(R\)| Processor", "", device)


def naive(kernel):
    return kernel.split()[0] == "ref"


def label(sweeps, sweep, kernel):
    """The name of a line: only the parts in which the lines differ."""
    parts = []
    if len({device for device, _ in sweeps}) > 1:
        parts.append(short_name(sweep[0]))
    if len({family for _, family in sweeps}) > 1:
        parts.append(sweep[1])
    return " ".join([*parts, kernel])


def disturbed(row):
    """Whether a time was disturbed. Older versions recorded only what disturbed a GPU."""
    return bool(row.get("disturbed") or row.get("throttle") or row.get("other_users", "0") != "0")


def marker(row):
    """(shape, filled) of the point of a row."""
    return "X" if disturbed(row) else "o", row["verified"] != "no"


# What the markers mean that are not a filled point, for the corner of a picture.
MEANINGS = (("✕ disturbed", lambda shape, filled: shape == "X"), ("○ not verified", lambda shape, filled: not filled))


def draw(axes, points, colour, style):
    """A line through points, [(n, y, (shape, filled))]."""
    shrink = [0 if filled else RADIUS for *_, (_, filled) in points]
    for i in range(1, len(points)):  # a line ends at the rim of a hollow point
        axes.annotate("", points[i][:2], points[i - 1][:2], arrowprops={
            "arrowstyle": "-", "color": colour, "linewidth": 1.8,
            "linestyle": style,
            "shrinkA": shrink[i - 1], "shrinkB": shrink[i]})
    for x, y, (shape, filled) in points:
        large = 1.5 if shape == "X" else 1  # a cross is thinner than a point of its size
        axes.plot(x, y, shape, color=colour, markersize=(2 * RADIUS - 1.5) * large,
                  markeredgewidth=1.5 / large, clip_on=False,
                  fillstyle="full" if filled else "none")


def name_lines(figure, axes, ends, gap=0):
    """Writes the names of lines at their ends, [(n, y, colour, name)]. Names that would overlap move apart.

    gap: the least distance between two names, in points."""
    names = [axes.annotate(name, (n, y), (9, 0), textcoords="offset points",
                           color=colour, weight="bold", va="center")
             for n, y, colour, name in ends]
    figure.canvas.draw()
    boxes = {text: text.get_window_extent() for text in names}
    stacks = []  # (texts from bottom to top, y of the middle, height)
    for text in sorted(names, key=lambda text: boxes[text].y0):
        stack, middle = [text], (boxes[text].y0 + boxes[text].y1) / 2
        height = boxes[text].height + gap * figure.dpi / 72
        while stacks and stacks[-1][1] + stacks[-1][2] / 2 > middle - height / 2:
            below, its_middle, its_height = stacks.pop()
            middle = (its_middle * len(below) + middle * len(stack)) / (len(below) + len(stack))
            stack, height = below + stack, height + its_height
        stacks.append((stack, middle, height))
    for stack, middle, height in stacks:
        bottom = middle - height / 2
        for text in stack:
            text.set_position((9, (bottom - boxes[text].y0) * 72 / figure.dpi))
            bottom += boxes[text].height + gap * figure.dpi / 72


def scale_y(axes, low, high, text):
    """A logarithmic axis that begins and ends at a tick. Ticks are decades, or 1-2-5 steps in a small range."""
    steps = (1, 2, 5) if high / low < 50 else (1,)
    ticks = [step * 10.0**k for k in range(-6, 9) for step in steps]
    first = max(i for i, tick in enumerate(ticks) if tick <= low)
    last = min(i for i, tick in enumerate(ticks) if tick >= high and i > first)
    axes.set_yscale("log")
    axes.set_ylim(ticks[first], ticks[last])
    axes.yaxis.set_major_locator(ticker.FixedLocator(ticks[first:last + 1]))
    axes.yaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter(lambda value, _: text(value))


def scale_percent(axes, ys):
    axes.set_ylim(0, max(100, *ys))
    axes.yaxis.set_major_locator(ticker.MultipleLocator(20))
    axes.yaxis.set_major_formatter("{x:.0f} %")


def scale_x(axes, sizes):
    """A logarithmic axis with the sizes as ticks; returns the sizes that have room for a label."""
    named = []
    for n in sorted([n for n in sizes if n % 10 == 0] or sizes, reverse=True):
        if not named or named[-1] / n > (max(sizes) / min(sizes)) ** 0.115:
            named.append(n)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(ticker.FixedLocator(named))
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel("n (vertices)")
    return named


def duration(ms):
    return (f"{ms / 1000:g} s" if ms >= 1000 else
            f"{ms:g} ms" if ms >= 1 else f"{ms * 1000:g} µs")


def name_points(axes, points):
    axes.grid(False)  # the numbers replace it
    for n, y, _ in points:
        axes.annotate(f"{y:.1f}×", (n, y), (0, -15), ha="center",
                      textcoords="offset points", fontsize=9)


def shades(count):
    """At least `count` colours for lines. Many are interpolated between the usual ones, ordered by hue."""
    if count <= len(COLOURS) + 1:
        return COLOURS * 2
    walk = colors.LinearSegmentedColormap.from_list("", [COLOURS[i] for i in (0, 4, 3, 1, 5, 2)])
    return [walk(i / (count - 1)) for i in range(count)]


def lines_of(sweeps):
    """(name, colour, style, time points, speedup points, peak points), sweep by sweep. A peak point is the time that
    the n³ relaxations of the dense method would take at the device's peak."""
    colours = iter(shades(sum(len(kernels) for kernels in sweeps.values())))
    for sweep, kernels in sorted(sweeps.items()):
        ref = kernels.get("ref", {})
        # The baseline of a single sweep is grey. Of several sweeps each has its own colour.
        shade = INK
        for kernel in sorted(kernels, key=naive):
            colour = shade if naive(kernel) else next(colours)
            shade = colour if len(sweeps) > 1 else INK
            times = [(n, row["y"], marker(row)) for n, row in sorted(kernels[kernel].items())]
            # A speedup is as disturbed as the time of ref or its own.
            speedups = [(n, ref[n]["y"] / y, ("X" if disturbed(ref[n]) else shape, filled))
                        for n, y, (shape, filled) in times if n in ref and not naive(kernel)]
            peaks = [(n, row["y"] * float(row["pct_of_peak"]) / 100) for n, row in sorted(kernels[kernel].items())
                     if row.get("method") == "dense" and row["pct_of_peak"]]
            yield (label(sweeps, sweep, kernel), colour, DASHED if naive(kernel) else "-",
                   times, speedups, peaks)


def heading(sweeps):
    parts = ["All-pairs shortest paths"]
    families = {family for _, family in sweeps}
    devices = {device for device, _ in sweeps}
    parts += [family for family in families if len(families) == 1]
    parts += [device for device in devices if len(devices) == 1]
    return ", ".join(parts)


# The panels of a picture: title, which element of lines_of() has the points, how their axis is scaled.
TIMES = (
    ("Time, median", 3, lambda axes, ys: scale_y(axes, min(ys), max(ys), duration)),
    ("Speedup over ref", 4,
     lambda axes, ys: scale_y(axes, min(1, *ys), max(ys), lambda y: f"{y:g}×")),
)
PEAK = (("Speed, % of the device's peak for that tier", 3, scale_percent),)


def picture(sweeps, crowded=False):
    """crowded: a line that has speedups is named only in that panel, to save room. So it is if names are long."""
    every = list(lines_of(sweeps))
    crowded = crowded or any(len(line[0]) > 12 for line in every)
    rows = [row for kernels in sweeps.values() for line in kernels.values() for row in line.values()]
    panels = TIMES if "time" in rows[0] else PEAK
    height = max(3.8, 0.4 * len(every))  # so that the names have room
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(2.7 + 3.9 * len(panels), height),
                                       squeeze=False)
    figure.subplots_adjust(wspace=0.32, top=0.83)
    figure.text(0.125, 0.95, heading(sweeps), weight="bold", fontsize=11)
    for axes, (title, part, scale) in zip(all_axes[0], panels):
        shown = [line for line in every if line[part]]
        peaks = [line for line in every if line[5]] if part == 3 and len(sweeps) == 1 else []
        ys = [y for line in shown for _, y, _ in line[part]] + [y for line in peaks for _, y in line[5]] or [1]
        scale(axes, ys)
        named = scale_x(axes, {n for line in every for n, *_ in line[3]})
        axes.set_title(title, fontsize=10)
        for line in shown:
            draw(axes, line[part], *line[1:3])
        for line in peaks:
            axes.plot(*zip(*line[5]), color=line[1], linewidth=1.2, linestyle=DOTTED)
            axes.annotate("its arithmetic peak", line[5][0], (4, -4), textcoords="offset points", color=line[1],
                          fontsize=9, va="top")
        if len(sweeps) == 1:
            name_lines(figure, axes, [(*line[part][-1][:2], line[1], line[0]) for line in shown
                                      if not (crowded and part == 3 and line[4])])
        if part == 4 and len(shown) == 1:
            name_points(axes, [p for p in shown[0][part] if p[0] in named])
    if len(sweeps) > 1:
        figure.legend(
            [lines.Line2D([], [], color=colour, linestyle=style)
             for _, colour, style, *_ in every],
            [line[0] for line in every], ncol=len(sweeps), frameon=False,
            loc="upper center", bbox_to_anchor=(0.5, -0.02))
    markers = [shown for line in every for part in line[3:5] for *_, shown in part]
    meanings = [text for text, holds in MEANINGS if any(holds(*shown) for shown in markers)]
    figure.text(0.9, 0.9, "   ".join(meanings), ha="right", fontsize=9)
    return figure


# ---- the ladder ----------------------------------------------------------------------------


def ladder_pictures(rows):
    """{suffix of the file's name: figure}: the times of each report, and all speedups at the largest n."""
    rows = [{**row, "n": int(row["n"]), "y": float(row["median_ms"])} for row in rows if row["verified"] != "WRONG"]
    rows = list({(row["rung"], row["n"]): row for row in rows}.values())  # the last counts
    device = rows[0]["device_name"]
    pictures = {}
    for letter in sorted({row["report"] for row in rows} - {"-"}):
        kernels = {}
        for row in rows:
            if row["report"] == letter or row["rung"] == "ref":
                kernels.setdefault(f"{row['rung']}  {row['what']}".strip(), {})[row["n"]] = row
        pictures[f"_{letter.lower()}"] = picture({(device, f"report {letter}"): kernels}, crowded=True)
    pictures[""] = speedups([row for row in rows if row["n"] == max(row["n"] for row in rows)])
    return pictures


def bars(rows, colours, title):
    """Axes with a bar for each row (name, length, text, x of the text), from top to bottom."""
    figure, axes = pyplot.subplots(figsize=(7.2, 0.9 + 0.25 * len(rows)))
    figure.text(0.125, 1, title, weight="bold", fontsize=11, va="top")
    figure.subplots_adjust(top=1 - 0.55 / figure.get_figheight(), bottom=0.25 / figure.get_figheight())
    axes.barh(range(len(rows)), [length for _, length, *_ in rows], color=colours, height=0.62)
    for place, (_, _, text, at) in enumerate(rows):
        axes.annotate(text, (at, place), (5, 0), textcoords="offset points", va="center", fontsize=9)
    axes.set_yticks(range(len(rows)), [name for name, *_ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.6)
    axes.grid(False)
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)
    return axes


def speedups(rows):
    """The speedups at one n: a bar for each step in the colour of its report, apsp last.

    A tick marks what the report measured."""
    rows = sorted((row for row in rows if row["rung"] != "ref"), key=lambda row: row["rung"] == "apsp")
    letters = sorted({row["report"] for row in rows} - {"-"})
    here = [float(row["speedup_naive"]) for row in rows]
    there = [float(row["report_speedup_naive"] or 0) for row in rows]
    axes = bars([(f"{row['rung']}  {row['what']}".strip(), y, f"{y:.1f}×", max(y, tick))
                 for row, y, tick in zip(rows, here, there)],
                [COLOURS[letters.index(row["report"])] if row["report"] in letters else INK for row in rows],
                f"Speedup over ref at n = {rows[0]['n']}, {rows[0]['device_name']}")
    for place, tick in enumerate(there):
        if tick:
            axes.plot([tick] * 2, [place - 0.4, place + 0.4], color=INK, linewidth=2)
    if any(there):
        axes.annotate("❙ in the report, on its own GPU", (1, 0.5), xycoords="axes fraction", ha="right", fontsize=9)
    return axes.figure


def reduction(rows):
    """The bytes that each step reads per second at the largest n, and what a copy reads and writes."""
    rows = [row for row in rows if row["verified"] != "WRONG"]
    rows = [row for row in rows if int(row["n"]) == max(int(row["n"]) for row in rows)]
    copy = float(rows[0]["copy_bytes_per_s"]) / 1e9
    read_per_second = [float(row["bytes_per_s"]) / 1e9 for row in rows]
    axes = bars([(f"{row['step']}  {row['what']}", y, f"{y:.0f} GB/s", max(copy, *read_per_second))
                 for row, y in zip(rows, read_per_second)],
                COLOURS[0], f"Sum of {int(rows[0]['n']):,} values, {rows[0]['device_name']}")
    axes.axvline(copy, color=INK, linestyle=DASHED, linewidth=1.5)
    axes.annotate(f"a copy moves {copy:.0f} GB/s", (copy, 1), (0, 3), xycoords=("data", "axes fraction"),
                  textcoords="offset points", ha="right", fontsize=9)
    return axes.figure


def peers(rows):
    """The distances per second of each tool: a line for each graph, and on it a point for each tool."""
    peer, records = ([row for row in rows if ("extrapolated" in row) == wanted] for wanted in (True, False))
    records = [row for row in records if row["method"] == "auto"]
    graphs = list(dict.fromkeys((row["graph"], row["n"], row["edges"]) for row in peer))
    points = {}  # {tool: [(the graph's line, distances per second, whether of a sample)]}
    for row in records:
        at = next((i for i, graph in enumerate(graphs) if graph[1:] == (row["n"], row["edges"])), None)
        if at is not None and row["streamed"] != "yes":
            speed = int(row["n"]) ** 2 / float(row["median_ms"]) * 1e3
            points.setdefault(f"{row['kernel']}, {short_name(row['device_name'])}", []).append((at, speed, False))
    for row in sorted(peer, key=lambda row: -int(row["threads"])):  # stable: the rest stays as it is
        own = row["tool"].startswith("apsp")  # the others work on one core
        tool = row["tool"] + f", {row['threads']} core{'s' * (row['threads'] != '1')}" * own
        at = graphs.index((row["graph"], row["n"], row["edges"]))
        points.setdefault(tool, []).append((at, float(row["distances_per_s"]), row["extrapolated"] == "yes"))

    figure, axes = pyplot.subplots(figsize=(7.2, 1.1 + 0.38 * len(graphs)))
    for colour, (tool, found) in zip(shades(max(8, len(points))), points.items()):
        places, speeds, samples = zip(*found)
        fills = ["none" if sample else colour for sample in samples]
        axes.scatter(speeds, places, s=44, facecolors=fills, edgecolors=colour, linewidths=1.5, zorder=3)
        axes.scatter([], [], s=44, facecolors=fills[0], edgecolors=colour, linewidths=1.5, label=tool)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(ticker.EngFormatter(sep=" "))
    axes.set_xlabel(f"distances per second, all pairs; CPU: {peer[0]['cpu']}")
    axes.set_yticks(range(len(graphs)), [name for name, *_ in graphs])
    axes.set_ylim(len(graphs) - 0.5, -0.5)
    axes.grid(True, axis="both")
    axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1), ncols=4, frameon=False, fontsize=8.5, handletextpad=0.1,
                columnspacing=1)
    return figure


def pictures_of(paths):
    """{suffix of the file's name: figure} for these files, which are all of one kind."""
    rows = [row for path in paths for row in read_csv(path)]
    try:
        if rows and "rung" in rows[0]:
            return ladder_pictures(rows)
        if rows and "step" in rows[0]:
            return {"": reduction(rows)}
        if any("extrapolated" in row for row in rows):
            return {"": peers(rows)}
        sweeps = group(rows)
    except (IndexError, KeyError, TypeError, ValueError):
        stop(3, f"{paths[0]}: not a sweep.csv, dense.csv, ladder.csv, reduce.csv or sparse_peers.csv")
    return {"": picture(sweeps)} if sweeps else stop(3, f"{paths[0]}: it has nothing to draw")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="+", help="a file of one of the kinds above; several files must be of one kind")
    parser.add_argument("-o", "--output", required=True, metavar="STEM",
                        help="write STEM.png and STEM.svg; from a ladder.csv also STEM_a.png, ...")
    arguments = parser.parse_args()
    for end in (".png", ".svg"):  # who names one picture gets both
        arguments.output = arguments.output.removesuffix(end)
    pyplot.rcParams.update(STYLE)
    try:
        for suffix, figure in pictures_of(arguments.csv).items():
            figure.savefig(arguments.output + suffix + ".png", metadata={"Software": None})
            figure.savefig(arguments.output + suffix + ".svg", metadata={"Date": None})
    except OSError as error:
        stop(6, f"{error.filename}: {error.strerror}")


if __name__ == "__main__":
    main()
