#!/usr/bin/env python3
"""Draws a sweep's times and speedups against n, or the percentage of the wall, or the
ladder, as PNG and as SVG.

  scripts/plot.py results/h100/sweep.csv [MORE.csv ...] -o results/h100/sweep
  scripts/plot.py results/h100/dense.csv -o results/h100/dense
  scripts/plot.py results/h100/ladder.csv -o results/h100/ladder
  scripts/plot.py results/h100/reduce.csv -o results/h100/reduce

writes results/h100/sweep.png and .svg. Sweeps of several devices or families
share the picture. Of a dense.csv (scripts/bench_dense.sh) it draws the solvers
without options of their own, as far as they have a percentage; of a ladder.csv
(./apsp ladder) each report's times, as ladder_a and so on, and all rungs' speedups
at the largest n as ladder; of a reduce.csv (./apsp reduce) the steps' bandwidths. A
hollow point was not verified; a wrong one is not drawn. The same CSV gives the same
bytes.

Exit: 0 drawn, 2 usage or no matplotlib, 3 bad input, 6 not written.
"""
import argparse
import csv
import os
import re
import sys


def stop(code, message):
    print(f"plot.py: {message}", file=sys.stderr)
    sys.exit(code)


try:
    import matplotlib
except ImportError:
    packaged = "/usr/bin/python3"  # the distribution's may have it where another Python hides that
    if os.path.exists(packaged) and not os.path.samefile(packaged, sys.executable):
        os.execv(packaged, [packaged, *sys.argv])
    stop(2, f"{sys.executable} has no matplotlib: pip install matplotlib, or "
            "scripts/install_deps.sh --plots and /usr/bin/python3")
matplotlib.use("Agg")
from matplotlib import colors, lines, pyplot, ticker  # noqa: E402

# No background, and colours about equally far from GitHub's white and its black:
# one picture for both themes.
INK = "#7d8590"
COLOURS = ["#2f81f7", "#d9730d", "#1a9a6c", "#c4569c", "#8f7ee7", "#a68a0d"]
STYLE = {
    "font.family": "DejaVu Sans", "font.size": 10,  # it comes with matplotlib
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
RADIUS = 3.6  # of a point, in points


def solver(row):
    """The kernel and what it was told; ref takes no options. A dense.csv tells by the tier."""
    if "time" not in row:
        return f"{row['kernel']} {row['tier']}"
    told = [f"--precision {row['precision']}"] * (row["precision"] != "auto")
    told += [f"--no-{name}" for name in ("symmetry", "skip") if row[name] == "no"]
    return " ".join([row["kernel"], *told]) if row["kernel"] != "ref" else "ref"


def read(paths):
    """The rows of all files."""
    rows = []
    for path in paths:
        try:
            with open(path, newline="", encoding="utf-8") as file:
                rows += csv.DictReader(file)
        except OSError as error:
            stop(3, f"{path}: {error.strerror}")
        except UnicodeDecodeError:
            stop(3, f"{path}: not a CSV file")
    return rows


def group(rows):
    """{(device, family): {solver: {n: row}}}; of several measurements the last. row["y"] is what to
    draw: milliseconds, of a dense.csv the percentage of the wall."""
    sweeps, family = {}, None
    for row in rows:
        row["n"] = int(row["n"])
        if "time" in row:
            row["y"] = float(row["median_ms"])
            graphs = row["input"].replace(f" n={row['n']}", "")
            graphs += " f32" if row["dtype"] == "f32" else ""
            row["sweep"] = row["device_name"], graphs
        else:
            family = family or row["family"]  # one is enough: the first
            plain = row["family"] == family and " " not in row["kernel"]
            row["y"] = float(row["pct_of_wall"] or 0) * plain
            row["sweep"] = row["device"], row["family"]
    if len({"time" in row for row in rows}) > 1:
        stop(3, "sweeps and percentages of the wall are two pictures")
    for row in sorted(rows, key=lambda row: row.get("time", "")):
        if row["y"] > 0 and row["verified"] != "WRONG":
            kernels = sweeps.setdefault(row["sweep"], {})
            kernels.setdefault(solver(row), {})[row["n"]] = row
    return sweeps


def short_name(device):
    """H100 of NVIDIA H100 80GB HBM3; the whole name where it has no such part."""
    found = re.search(r"\b[A-Z]+\d{2,}\b", device)
    return found.group() if found else re.sub(r"\(R\)| Processor", "", device)


def naive(kernel):
    return kernel.split()[0] == "ref"


def label(sweeps, sweep, kernel):
    """What tells a line from the others, and no more."""
    parts = []
    if len({device for device, _ in sweeps}) > 1:
        parts.append(short_name(sweep[0]))
    if len({family for _, family in sweeps}) > 1:
        parts.append(sweep[1])
    return " ".join(parts + [kernel.replace("ref", "apsp_ref", 1) if naive(kernel) else kernel])


def draw(axes, points, colour, style):
    """A line through points, [(n, y, verified)]."""
    shrink = [0 if verified else RADIUS for *_, verified in points]
    for i in range(1, len(points)):  # a line stops short of a hollow point
        axes.annotate("", points[i][:2], points[i - 1][:2], arrowprops={
            "arrowstyle": "-", "color": colour, "linewidth": 1.8,
            "linestyle": style,
            "shrinkA": shrink[i - 1], "shrinkB": shrink[i]})
    for x, y, verified in points:
        axes.plot(x, y, "o", color=colour, markersize=2 * RADIUS - 1.5,
                  markeredgewidth=1.5, clip_on=False,
                  fillstyle="full" if verified else "none")


def name_lines(figure, axes, ends):
    """Names lines at their ends, [(n, y, colour, name)]: close ones move apart, evenly."""
    names = [axes.annotate(name, (n, y), (9, 0), textcoords="offset points",
                           color=colour, weight="bold", va="center")
             for n, y, colour, name in ends]
    figure.canvas.draw()
    boxes = {text: text.get_window_extent() for text in names}
    stacks = []  # of texts, bottom up, and where the middle of each stack should be
    for text in sorted(names, key=lambda text: boxes[text].y0):
        stack, middle = [text], (boxes[text].y0 + boxes[text].y1) / 2
        height = boxes[text].height
        while stacks and stacks[-1][1] + stacks[-1][2] / 2 > middle - height / 2:
            below, its_middle, its_height = stacks.pop()
            middle = (its_middle * len(below) + middle * len(stack)) / (len(below) + len(stack))
            stack, height = below + stack, height + its_height
        stacks.append((stack, middle, height))
    for stack, middle, height in stacks:
        bottom = middle - height / 2
        for text in stack:
            text.set_position((9, (bottom - boxes[text].y0) * 72 / figure.dpi))
            bottom += boxes[text].height


def scale_y(axes, low, high, text):
    """A log axis from a tick to a tick: decades, or 1-2-5 steps where few fit."""
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
    """A log axis of the sizes measured; returns those that have room for a name."""
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
    axes.grid(False)  # the numbers say it better
    for n, y, _ in points:
        axes.annotate(f"{y:.1f}×", (n, y), (0, -15), ha="center",
                      textcoords="offset points", fontsize=9)


def shades(count):
    """So many colours, equally far from both themes: the usual ones, or a walk along them by hue."""
    if count <= len(COLOURS) + 1:
        return COLOURS * 2
    walk = colors.LinearSegmentedColormap.from_list("", [COLOURS[i] for i in (0, 4, 3, 1, 5, 2)])
    return [walk(i / (count - 1)) for i in range(count)]


def lines_of(sweeps):
    """(name, colour, style, time points, speedup points), sweep by sweep."""
    colours = iter(shades(sum(len(kernels) for kernels in sweeps.values())))
    for sweep, kernels in sorted(sweeps.items()):
        ref = kernels.get("ref", {})
        # One sweep: a grey baseline. More: dashed, in the colour of its sweep.
        shade = INK
        for kernel in sorted(kernels, key=naive):
            colour = shade if naive(kernel) else next(colours)
            shade = colour if len(sweeps) > 1 else INK
            times = [(n, row["y"], row["verified"] != "no")
                     for n, row in sorted(kernels[kernel].items())]
            speedups = [(n, ref[n]["y"] / y, verified)
                        for n, y, verified in times if n in ref and not naive(kernel)]
            yield (label(sweeps, sweep, kernel), colour, DASHED if naive(kernel) else "-",
                   times, speedups)


def heading(sweeps):
    parts = ["All-pairs shortest paths"]
    families = {family for _, family in sweeps}
    devices = {device for device, _ in sweeps}
    parts += [family for family in families if len(families) == 1]
    parts += [device for device in devices if len(devices) == 1]
    return ", ".join(parts)


# Of each panel the title, which points of a line it shows, and how it scales their axis.
SWEEP = (
    ("Time, median", 3, lambda axes, ys: scale_y(axes, min(ys), max(ys), duration)),
    ("Speedup over apsp_ref", 4,
     lambda axes, ys: scale_y(axes, min(1, *ys), max(ys), lambda y: f"{y:g}×")),
)
WALL = (("Speed, of what the device can do at most in that arithmetic", 3, scale_percent),)


def picture(sweeps, crowded=False):
    """crowded: lines are named where they end last, in the panel of their speedups."""
    every = list(lines_of(sweeps))
    rows = [row for kernels in sweeps.values() for line in kernels.values() for row in line.values()]
    panels = SWEEP if "time" in rows[0] else WALL
    height = max(3.8, 0.4 * len(every))  # room for their names
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(2.7 + 3.9 * len(panels), height),
                                       squeeze=False)
    figure.subplots_adjust(wspace=0.32, top=0.83)
    figure.text(0.125, 0.95, heading(sweeps), weight="bold", fontsize=11)
    for axes, (title, part, scale) in zip(all_axes[0], panels):
        shown = [line for line in every if line[part]]
        ys = [y for line in shown for _, y, _ in line[part]] or [1]
        scale(axes, ys)
        named = scale_x(axes, {n for line in every for n, *_ in line[3]})
        axes.set_title(title, fontsize=10)
        for line in shown:
            draw(axes, line[part], *line[1:3])
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
    if not all(verified for line in every for *_, verified in line[3]):
        figure.text(0.9, 0.95, "○ not verified", ha="right", fontsize=9)
    return figure


# ---- the ladder ----------------------------------------------------------------------------


def ladder_pictures(rows):
    """{suffix: figure}: a report's times each, and all speedups at the largest n."""
    rows = [{**row, "n": int(row["n"]), "y": float(row["median_ms"])} for row in rows if row["verified"] != "WRONG"]
    rows = list({(row["rung"], row["n"]): row for row in rows}.values())  # of several measurements the last
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
    """A bar a row of (name, length, its text, where that stands), from the top; the axes to add to."""
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
    """Speedups of one n: a bar a rung in its report's colour, apsp last; a tick is what the report measured."""
    rows = sorted((row for row in rows if row["rung"] != "ref"), key=lambda row: row["rung"] == "apsp")
    letters = sorted({row["report"] for row in rows} - {"-"})
    here = [float(row["speedup_naive"]) for row in rows]
    there = [float(row["report_speedup_naive"] or 0) for row in rows]
    axes = bars([(f"{row['rung']}  {row['what']}".strip(), y, f"{y:.1f}×", max(y, tick))
                 for row, y, tick in zip(rows, here, there)],
                [COLOURS[letters.index(row["report"])] if row["report"] in letters else INK for row in rows],
                f"Speedup over apsp_ref at n = {rows[0]['n']}, {rows[0]['device_name']}")
    for place, tick in enumerate(there):
        if tick:
            axes.plot([tick] * 2, [place - 0.4, place + 0.4], color=INK, linewidth=2)
    if any(there):
        axes.annotate("❙ in the report, on its own GPU", (1, 0.5), xycoords="axes fraction", ha="right", fontsize=9)
    return axes.figure


def reduction(rows):
    """What each step reads a second at the largest n, beside what a copy moves."""
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


def pictures_of(paths):
    """{suffix of the name: figure} of these files, which are all of one kind."""
    rows = read(paths)
    try:
        if rows and "rung" in rows[0]:
            return ladder_pictures(rows)
        if rows and "step" in rows[0]:
            return {"": reduction(rows)}
        sweeps = group(rows)
    except (IndexError, KeyError, TypeError, ValueError):
        stop(3, f"{paths[0]}: not the CSV of a sweep, a dense benchmark, the ladder or its reduction")
    return {"": picture(sweeps)} if sweeps else stop(3, f"{paths[0]}: nothing to draw in it")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="+", help="sweep.csv of ./run.sh, dense.csv of scripts/bench_dense.sh, "
                        "or what ./apsp ladder or ./apsp reduce wrote by --csv")
    parser.add_argument("-o", "--output", required=True, metavar="STEM",
                        help="write STEM.png and STEM.svg, of the ladder also STEM_a …")
    arguments = parser.parse_args()
    pyplot.rcParams.update(STYLE)
    try:
        for suffix, figure in pictures_of(arguments.csv).items():
            figure.savefig(arguments.output + suffix + ".png", metadata={"Software": None})
            figure.savefig(arguments.output + suffix + ".svg", metadata={"Date": None})
    except OSError as error:
        stop(6, f"{error.filename}: {error.strerror}")


if __name__ == "__main__":
    main()
