"""The heat map of a check: families times sizes, a strip of cells for each family."""
import itertools

CELL = 10  # the side of a cell in the coordinates of the picture
# The classes of the style sheet, what they mean, and the sign in a cell, for readers who see no colours.
KINDS = {"right": ("right", ""), "wrong": ("wrong", "m2.8 2.8 4.4 4.4m0-4.4-4.4 4.4"),
         "unsteady": ("differs between runs", "m2 6q1.5-3.5 3-1t3-1"), "fault": ("fault", "m5 2v3.6m0 1.6v1"),
         "skipped": ("left out", "m3.5 5h3")}


def square(at):
    return f"M{at * CELL + 0.5} .5h9v9h-9z"


LEGEND = [(kind, square(0), f"M0 0{sign}", meaning) for kind, (meaning, sign) in KINDS.items()]


def rows(check, marks):
    """For each family: its name, [(class, path of the cells, path of the signs)], and the text of the row."""
    for family, cells in check["families"].items():
        meanings = [marks.get(cell, "no such graph") for cell in cells]
        yield family, layers(meanings), text_of(meanings, check["sizes"])


def layers(meanings):
    for kind, (_, sign) in KINDS.items():
        places = [at for at, other in enumerate(meanings) if other == kind]
        if places:
            signs = "".join(f"M{at * CELL} 0{sign}" for at in places) if sign else ""
            yield kind, "".join(map(square, places)), signs


def text_of(meanings, sizes):
    """"right at all 24 sizes", or "wrong at n = 4–257; right at 3 of 24 sizes"."""
    there = sum(meaning in KINDS for meaning in meanings)
    counts = {meaning: meanings.count(meaning) for meaning in KINDS}
    if counts["right"] == there:
        return f"right at all {there} sizes"
    texts = [f"{meaning} at n = {ranges(meaning, meanings, sizes)}" for meaning in ("wrong", "unsteady", "fault")
             if counts[meaning]]
    if counts["skipped"] == there:
        return "left out"
    if counts["skipped"]:
        texts.append(f"{counts['skipped']} left out")
    return "; ".join([*texts, f"right at {counts['right']} of {there} sizes"])


def ranges(wanted, meanings, sizes):
    """"4–257, 5 again": runs of sizes with that meaning."""
    runs = []
    for found, run in itertools.groupby(zip(meanings, sizes), key=lambda pair: pair[0] == wanted):
        if found:
            names = [size for _, size in run]
            plain = [name for name in names if name.isdigit()]
            runs += [f"{plain[0]}–{plain[-1]}"] if len(plain) > 2 else plain
            runs += [name for name in names if not name.isdigit()]
    return ", ".join(runs)
