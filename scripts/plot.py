#!/usr/bin/env python3
"""Draws a sweep's times and speedups against n, or the percentage of the wall, as
PNG and as SVG.

  scripts/plot.py results/h100/sweep.csv [MORE.csv ...] -o results/h100/sweep
  scripts/plot.py results/h100/dense.csv -o results/h100/dense

writes results/h100/sweep.png and .svg. Sweeps of several devices or families
share the picture. Of a dense.csv (scripts/bench_dense.sh) it draws the solvers
without options of their own, as far as they have a percentage. A hollow
point was not verified; a wrong one is not drawn. The same CSV gives the same bytes.

Exit: 0 drawn, 2 usage or no matplotlib, 3 bad input, 6 not written.
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
from matplotlib import lines, pyplot, ticker  # noqa: E402

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
    """{(device, family): {solver: {n: row}}}; of several measurements the last. row["y"] is what to
    draw: milliseconds, of a dense.csv the percentage of the wall."""
    sweeps, rows, family = {}, [], None
    for path in paths:
        try:
            with open(path, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
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
                    rows.append((row.get("time", ""), row["verified"], solver(row), row))
        except OSError as error:
            stop(3, f"{path}: {error.strerror}")
        except (IndexError, KeyError, TypeError, ValueError):
            stop(3, f"{path}: not the CSV of a sweep")
    if len({time != "" for time, *_ in rows}) > 1:
        stop(3, "sweeps and percentages of the wall are two pictures")
    for _, verified, kernel, row in sorted(rows, key=lambda row: row[0]):
        if row["y"] > 0 and verified != "WRONG":
            kernels = sweeps.setdefault(row["sweep"], {})
            kernels.setdefault(kernel, {})[row["n"]] = row
    return sweeps or stop(3, f"{paths[0]}: nothing to draw in it")


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
    """Names lines at their ends, [(n, y, colour, name)]: close ones get lifted."""
    names = [axes.annotate(name, (n, y), (9, 0), textcoords="offset points",
                           color=colour, weight="bold", va="center")
             for n, y, colour, name in ends]
    figure.canvas.draw()
    top = axes.get_window_extent().y0
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


def lines_of(sweeps):
    """(name, colour, style, time points, speedup points), sweep by sweep."""
    colours = iter(COLOURS * 9)
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


def picture(sweeps):
    every = list(lines_of(sweeps))
    rows = [row for kernels in sweeps.values() for line in kernels.values() for row in line.values()]
    panels = SWEEP if "time" in rows[0] else WALL
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(2.7 + 3.9 * len(panels), 3.8),
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
            name_lines(figure, axes, [(*line[part][-1][:2], line[1], line[0])
                                      for line in shown])
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


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="+", help="sweep.csv of ./run.sh, or dense.csv of scripts/bench_dense.sh")
    parser.add_argument("-o", "--output", required=True, metavar="STEM",
                        help="write STEM.png and STEM.svg")
    arguments = parser.parse_args()
    pyplot.rcParams.update(STYLE)
    figure = picture(read(arguments.csv))
    try:
        figure.savefig(arguments.output + ".png", metadata={"Software": None})
        figure.savefig(arguments.output + ".svg", metadata={"Date": None})
    except OSError as error:
        stop(6, f"{error.filename}: {error.strerror}")


if __name__ == "__main__":
    main()
