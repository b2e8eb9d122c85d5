"""The figures of docs/benchmarks.md, and its picture: written by the measurement, never by hand."""
import csv
import json
import re
from pathlib import Path

from contest import FAMILY, missed, ratio, sums
from datasets import data_set
from entrant import goals, train
from ledger import kept
from ladder import LIBLINEAR, SKLEARN, climb, distance
from opponent import Opponent
from peers import PYTHON
from session import ROOT, machine
from timing import run, tolerance

PAGE, PICTURE = ROOT / "docs" / "benchmarks.md", str(ROOT / "docs" / "pictures" / "gap.png")
PAINTER = str(ROOT / "bench" / "gap_picture.py")
# The cells of the picture, how near to the optimum it goes, and how many limits a peer's run may take.
SHOWN, NEAREST = (("news20bi", "hinge"), ("a9a", "logistic"), ("mnist", "logistic"), ("correlated", "logistic")), 1e-9
PATIENT = 3


# ---- tables ----

def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def seconds(value):
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def ours_text(cell):
    shown = f"{seconds(cell.ours.median)} ({cell.run.epochs})"
    return shown if cell.run.reached else f"**not reached** in {shown}, gap {cell.run.gap or 1:.0e}"


def ratio_text(cell):
    if not cell or not cell.theirs:
        return "-" if not cell else "neither"
    if cell.bound == "<":
        return "missed"
    value = ratio(cell)
    shown = f"{cell.bound}{value:.2f}" if value < 10 else f"{cell.bound}{value:.0f}"
    return f"**{shown}** ({cell.asked:g})" if cell.asked > 1 else shown


def cells_table(cells):
    """A line for each data set, loss and C; for each tolerance our seconds and epochs, and the ratios."""
    tols, found = sorted({c.tol for c in cells}, reverse=True), {}
    families = [family for family in FAMILY if any(c.family == family for c in cells)]
    for cell in cells:
        found.setdefault((cell.data.name, cell.loss, cell.C), {})[cell.tol, cell.family] = cell
    head = ["data", "loss", "C"]
    for tol in tols:
        head += [f"s (epochs) to {tolerance(tol)}", *(FAMILY[family] for family in families)]
    rows = []
    for (data, loss, C), own in found.items():
        row = [data, loss, f"{C:g}"]
        for tol in tols:
            row.append(ours_text(next(cell for (t, _), cell in own.items() if t == tol)))
            row += [ratio_text(own.get((tol, family))) for family in families]
        rows.append(row)
    return table(head, rows)


def sums_table(cells):
    """Geometric means, and the cells that were not reached."""
    rows = [[s.title, f"{s.mean:.2f}", f"{s.least:.2f}: {s.where}", s.asked or "-", f"{s.count}", f"{s.bounds}"]
            for s in sums(cells)]
    lines = [table(["", "geometric mean", "least", "asked", "cells", "lower bounds"], rows)]
    for (data, loss, C, tol), found in missed(cells).items():
        cell = f"{data}, {loss}, C = {C:g} to {tolerance(tol)}"
        lines.append(f"\nNot reached by halfspace: {cell}: gap {found.gap or 1:.1e} after {found.seconds:.1f} s.")
    return "\n".join(lines)


def programs_table(rows):
    lines = [[row.data, row.measure.replace(" from text", ""), f"{seconds(row.ours.median)}",
              f"{seconds(row.theirs.median)}" if row.theirs else "-",
              f"{row.bound}{row.theirs.median / row.ours.median:.1f}" if row.theirs else "-", row.peer] for row in rows]
    return table(["text", "model", "halfspace, s", "peer, s", "ratio", "peer"], lines)


def replaced(text, name, fresh):
    begin, end = f"<!-- {name}: measured -->", f"<!-- {name}: end -->"
    return re.sub(f"({re.escape(begin)}\n).*?({re.escape(end)})", lambda m: f"{m[1]}{fresh}\n{m[2]}", text, flags=re.S)


def write(bench):
    """What this session measured, and what others have before it."""
    text, cells = PAGE.read_text(encoding="utf-8"), kept()
    for group in ("solvers", "l1"):
        own = [cell for cell in cells if cell.group == group]
        if own:
            text = replaced(text, group, cells_table(own))
            text = replaced(text, f"{group} in short", sums_table(own))
    whole = [row for row in bench.rows if " from text, " in row.measure]
    if whole:
        text = replaced(text, "programs", programs_table(whole))
    if cells or whole:
        text = replaced(text, "machine", f"{machine().rsplit(',', 1)[0]}.")
    PAGE.write_text(text, encoding="utf-8")


# ---- the picture ----

def trace_of(bench, data, form, optimum):
    """Our own way: [seconds, certified gap, distance to the optimum]."""
    path = bench.path("trace.csv")
    train(bench, data, form, NEAREST, "--trace", path)
    with open(path, newline="", encoding="ascii") as file:
        rows = [row for row in csv.DictReader(file) if row["relative_gap"]]
    return [[float(row["seconds"]), float(row["relative_gap"]), distance(float(row["objective"]), optimum)] for row in rows]


def panel_of(bench, opponent, data, loss):
    """What the painter wants of one cell: the trace, and each peer's ladder."""
    form = {"loss": loss, "C": 1, "penalty": "l2", "intercept": "free"}
    optimum, ladders = goals(bench, data, form, (NEAREST,))[NEAREST], []
    for peer in LIBLINEAR[loss] + (SKLEARN[loss] if not data.sparse else []):
        goal = goals(bench, data, {**form, "intercept": peer.intercept}, (NEAREST,))
        climbed = climb(opponent, peer, form, goal, PATIENT * bench.choice.limit)
        points = [[rung.seconds, distance(rung.objective, goal[NEAREST])] for rung in climbed.rungs]
        ladders.append({"family": FAMILY[peer.family], "name": peer.name, "points": points})
    return {"title": f"{data.name}, {loss}, C = 1", "halfspace": trace_of(bench, data, form, optimum), "peers": ladders,
            "size": f"{data.rows:,} x {data.features:,}, {data.nonzeros:,} non-zeros"}


def draw(bench, path):
    """Measures the panels of the chosen sets; the points of the others are those kept beside the picture."""
    found, opponent = Path(path).with_suffix(".json"), Opponent()
    panels = {panel["title"]: panel for panel in json.loads(found.read_text())["panels"]} if found.exists() else {}
    try:
        for name, loss in SHOWN:
            data = data_set(bench, name, opponent) if name in bench.choice.data else None
            if data:
                opponent.load(data.load)
                panel = panel_of(bench, opponent, data, loss)
                panels[panel["title"]] = panel
    finally:
        opponent.end()
    titles = [f"{name}, {loss}, C = 1" for name, loss in SHOWN]
    with open(found, "w", encoding="ascii") as file:
        json.dump({"panels": [panels[title] for title in titles if title in panels]}, file)
    run([PYTHON, PAINTER, str(found), path])
    print(f"drawn: {path}", flush=True)
