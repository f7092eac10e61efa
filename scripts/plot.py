#!/usr/bin/env python3
"""Draws a sweep's times and speedups against n, as PNG and as SVG.

  scripts/plot.py results/h100/sweep.csv [MORE.csv ...] -o results/h100/sweep

writes results/h100/sweep.png and .svg. Sweeps of several devices or families
share the picture. A hollow point was not verified; a wrong one is not drawn.
The same CSV gives the same bytes. Exit: 0 drawn, 2 usage, 3 bad input.
"""
import argparse
import csv
import re
import sys


def stop(code, message):
    print(f"plot.py: {message}", file=sys.stderr)
    sys.exit(code)


try:
    import matplotlib
except ImportError:
    stop(2, f"{sys.executable} has no matplotlib: pip install matplotlib, or "
            "scripts/install_deps.sh --plots and /usr/bin/python3")
matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402

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
RADIUS = 3.6  # of a point, in points


def read(paths):
    """{(device, family): {kernel: {n: row}}}; of several measurements the last."""
    rows = []
    for path in paths:
        try:
            with open(path, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    row["n"], row["ms"] = int(row["n"]), float(row["median_ms"])
                    rows.append(row)
        except (OSError, KeyError, TypeError, ValueError) as error:
            stop(3, f"{path}: not the CSV of a sweep: {error!r}")
    sweeps = {}
    for row in sorted(rows, key=lambda row: row["time"]):
        if row["ms"] > 0 and row["verified"] != "WRONG":
            sweep = row["device_name"], row["input"].split()[0]
            kernels = sweeps.setdefault(sweep, {})
            kernels.setdefault(row["kernel"], {})[row["n"]] = row
    return sweeps or stop(3, f"{paths[0]}: no times in it")


def short_name(device):
    """H100 of NVIDIA H100 80GB HBM3; the whole name where it has no such part."""
    found = re.search(r"\b[A-Z]+\d{2,}\b", device)
    return found.group() if found else re.sub(r"\(R\)| Processor", "", device)


def label(sweeps, sweep, kernel):
    """What tells a line from the others, and no more."""
    parts = []
    if len({device for device, _ in sweeps}) > 1:
        parts.append(short_name(sweep[0]))
    if len({family for _, family in sweeps}) > 1:
        parts.append(sweep[1])
    return " ".join(parts + ["apsp_ref" if kernel == "ref" else kernel])


def draw(axes, points, colour, naive, name):
    """A line through points, [(n, y, verified)], named at its right end."""
    shrink = [0 if verified else RADIUS for *_, verified in points]
    for i in range(1, len(points)):  # a line stops short of a hollow point
        axes.annotate("", points[i][:2], points[i - 1][:2], arrowprops={
            "arrowstyle": "-", "color": colour, "linewidth": 1.8,
            "linestyle": (0, (4, 2)) if naive else "-",
            "shrinkA": shrink[i - 1], "shrinkB": shrink[i]})
    for x, y, verified in points:
        axes.plot(x, y, "o", color=colour, markersize=2 * RADIUS - 1.5,
                  markeredgewidth=1.5, fillstyle="full" if verified else "none")
    if points:
        axes.annotate(name, points[-1][:2], (9, 0), textcoords="offset points",
                      color=colour, weight="bold", va="center", gid="name")


def spread_names(figure, axes):
    """Lifts the names of lines that end close to each other, one above another."""
    figure.canvas.draw()
    names = [text for text in axes.texts if text.get_gid() == "name"]
    top = float("-inf")
    for box, text in sorted(((text.get_window_extent(), text) for text in names),
                            key=lambda pair: pair[0].y0):
        lift = max(0, top - box.y0)
        text.set_position((9, lift * 72 / figure.dpi))
        top = box.y1 + lift


def scale_y(axes, low, high, text):
    """A log axis from a tick to a tick: decades, or 1-2-5 steps where few fit."""
    steps = (1, 2, 5) if high / low < 50 else (1,)
    ticks = [step * 10.0**k for k in range(-6, 9) for step in steps]
    first = max(i for i, tick in enumerate(ticks) if tick <= low)
    last = min(i for i, tick in enumerate(ticks) if tick >= high)
    axes.set_yscale("log")
    axes.set_ylim(ticks[first], ticks[last])
    axes.yaxis.set_major_locator(ticker.FixedLocator(ticks[first:last + 1]))
    axes.yaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter(lambda value, _: text(value))


def scale_x(axes, sizes):
    """A log axis that names the sizes measured, the largest first to get room."""
    named = []
    for n in sorted(sizes, reverse=True):
        if not named or named[-1] / n > (max(sizes) / min(sizes)) ** 0.1:
            named.append(n)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(ticker.FixedLocator(named))
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel("n, vertices")


def duration(ms):
    return (f"{ms / 1000:g} s" if ms >= 1000 else
            f"{ms:g} ms" if ms >= 1 else f"{ms * 1000:g} µs")


def picture(sweeps):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10.5, 3.8))
    figure.subplots_adjust(wspace=0.32, top=0.8)
    times, speedups, every = [], [], []
    colours = iter(COLOURS * len(sweeps))
    for sweep, kernels in sorted(sweeps.items()):
        ref = kernels.get("ref", {})
        colour = None
        for kernel in sorted(kernels):
            # Several sweeps: a colour each, and the naive solver dashed.
            if colour is None or len(sweeps) == 1:
                colour = next(colours)
            rows = [row for _, row in sorted(kernels[kernel].items())]
            every += rows
            points = [(row["n"], row["ms"], row["verified"] != "no") for row in rows]
            name = label(sweeps, sweep, kernel)
            draw(left, points, colour, kernel == "ref", name)
            times += [ms for _, ms, _ in points]
            if kernel != "ref":
                points = [(n, ref[n]["ms"] / ms, verified)
                          for n, ms, verified in points if n in ref]
                draw(right, points, colour, False, name)
                speedups.append(points)
    ratios = [ratio for points in speedups for _, ratio, _ in points] or [1]
    scale_y(left, min(times), max(times), duration)
    scale_y(right, min(1, *ratios, 1), max(ratios), lambda value: f"{value:g}×")
    for axes, title in (left, "Time, median"), (right, "Speedup over apsp_ref"):
        scale_x(axes, {row["n"] for row in every})
        axes.set_title(title, fontsize=10)
        spread_names(figure, axes)
    if len(speedups) == 1:
        for n, ratio, _ in speedups[0]:
            right.annotate(f"{ratio:.1f}×", (n, ratio), (0, -15), ha="center",
                           textcoords="offset points", fontsize=9)
    devices = {device for device, _ in sweeps}
    families = {family for _, family in sweeps}
    title = ["All-pairs shortest paths"]
    title += [f"{family} graphs" for family in families if len(families) == 1]
    title += [device for device in devices if len(devices) == 1]
    figure.text(0.125, 0.95, ", ".join(title), weight="bold", fontsize=11)
    if any(row["verified"] == "no" for row in every):
        figure.text(0.9, 0.95, "○ not verified", ha="right", fontsize=9)
    return figure


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="+", help="sweep.csv of ./run.sh")
    parser.add_argument("-o", "--output", required=True, metavar="STEM",
                        help="write STEM.png and STEM.svg")
    arguments = parser.parse_args()
    pyplot.rcParams.update(STYLE)
    figure = picture(read(arguments.csv))
    figure.savefig(arguments.output + ".png", metadata={"Software": None})
    figure.savefig(arguments.output + ".svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
