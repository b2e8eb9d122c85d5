"""The cells of docs/benchmarks.md as they were measured, one line of JSON each, the newest of each kind: a run that is stopped
loses nothing, and data sets can be measured one at a time."""
import json
from collections import namedtuple

from datasets import NAMES, SPARSE
from entrant import Run
from session import ROOT
from timing import Timing

LEDGER = ROOT / "docs" / "benchmarks.jsonl"
GROUPS, LOSSES, FAMILIES = ("solvers", "l1"), ("hinge", "squared-hinge", "logistic"), (None, "liblinear", "sklearn")
# One line of the result. theirs: Timing or None; bound: '>' or '<' as in a Row; how: the peer's solver and setting.
Cell = namedtuple("Cell", "group data loss C tol family ours theirs bound how asked run")
Name = namedtuple("Name", "name sparse")  # what of a data set outlives its measurement


def place(cell):
    """Where a cell stands on the page; no two stand in the same place."""
    return (GROUPS.index(cell.group), NAMES.index(cell.data.name), LOSSES.index(cell.loss), cell.C, -cell.tol,
            FAMILIES.index(cell.family))


def written(cell):
    fields = {**cell._asdict(), "data": cell.data.name, "ours": list(cell.ours), "run": cell.run._asdict(),
              "theirs": list(cell.theirs) if cell.theirs else None}
    return json.dumps(fields)


def read(line):
    fields = json.loads(line)
    fields["data"] = Name(fields["data"], fields["data"] in SPARSE)
    fields["ours"], fields["run"] = Timing(*fields["ours"]), Run(**fields["run"])
    fields["theirs"] = Timing(*fields["theirs"]) if fields["theirs"] else None
    return Cell(**fields)


def kept():
    """All cells, in the order of the page."""
    lines = LEDGER.read_text(encoding="ascii").splitlines() if LEDGER.exists() else []
    return sorted(map(read, lines), key=place)


def keep(cell):
    others = [other for other in kept() if place(other) != place(cell)]
    cells = sorted([*others, cell], key=place)
    LEDGER.write_text("".join(written(each) + "\n" for each in cells), encoding="ascii")
