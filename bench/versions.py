"""Two versions of halfspace against each other: runs in turn, of the base twice, so that base against base shows the noise."""
import json
import statistics
import time
from collections import namedtuple

from contest import l1_forms, l2_forms
from datasets import DENSE, SPARSE, dense_text, rows_file, svmlight_text, words_of
from entrant import Standing
from timing import run, tolerance

WHO = ("base", "again", "tree")  # again: the base a second time
FEWEST, MOST = 3, 30  # rounds of a cell
LEAST_NOISE = 0.01  # no ratio is known better than this

READ_ALONE = ("kddcup",)  # a table with words: what reading it takes, nothing is trained

Rows = namedtuple("Rows", "name hsd words")


class Cell:
    """One measure: samples of each program, in seconds, in the order of the launches."""

    def __init__(self, data, what, form=None, tol=None):
        self.data, self.what, self.form, self.tol = data, what, form, tol
        self.begin()

    def begin(self):
        self.launches, self.whole = [], {who: [] for who in WHO}

    def add_launch(self):
        self.launches.append({who: [] for who in WHO})

    def seconds(self, who):
        return [s for launch in self.launches for s in launch[who]]

    def least(self, who):
        return min(self.seconds(who))

    def ratio(self, take=min):
        """The base's seconds over the tree's; above 1, the tree is faster. The base has two samples: their geometric mean."""
        return ratio_of({who: take(self.seconds(who)) for who in WHO})

    def whole_ratio(self):
        return ratio_of({who: min(self.whole[who]) for who in WHO}) if self.whole["tree"] else None

    def spread(self):
        """The least and the largest ratio of a launch."""
        each = [ratio_of({who: min(launch[who]) for who in WHO}) for launch in self.launches]
        return min(each), max(each)

    def noise(self):
        """The base over itself, less 1."""
        a, b = self.least("base"), self.least("again")
        return max(a, b) / min(a, b) - 1

    def verdict(self, common):
        """'slower', 'faster' or '': outside of the noise of this cell and of nine cells in ten."""
        band = 1 + max(self.noise(), common, LEAST_NOISE)
        return "slower" if self.ratio() < 1 / band else "faster" if self.ratio() > band else ""


def ratio_of(seconds):
    return (seconds["base"] * seconds["again"]) ** 0.5 / seconds["tree"]


def common_noise(cells):
    """What nine in ten of base against base stay below."""
    each = sorted(cell.noise() for cell in cells)
    return each[min(len(each) - 1, int(0.9 * len(each)))] if each else 0


def rounds_for(seconds, budget):
    """Of three runs each, so that they take about `budget` seconds in all."""
    return max(FEWEST, min(MOST, round(budget / (3 * max(seconds, 1e-6)))))


def in_turn(rounds, first=0):
    """Who runs, round after round; each round begins with the next one, so that nobody always follows the same one."""
    for k in range(first, first + rounds):
        yield from (WHO[(k + place) % len(WHO)] for place in range(len(WHO)))


# ---- training ----

def training_cells(choice, name, sample):
    """The cells of bench/solvers and of its group l1 for one data set; one in `sample` of them."""
    cells = [Cell(name, f"{form['loss']} C={form['C']:g} {tolerance(tol)}", form, tol)
             for form in l2_forms(choice) for tol in choice.tols]
    if "logistic" in choice.losses:
        tol = min(choice.tols)
        cells += [Cell(name, f"L1 logistic C={form['C']:g} {tolerance(tol)}", form, tol) for form in l1_forms(choice)]
    return cells[::sample]


def rows_of(bench, name):
    """A data set that both versions can read, made by the base; None when it is not here."""
    found = rows_file(bench, name)
    return found and Rows(name, found[1], words_of(name))


def sample_training(cell, standing, rounds):
    """More runs, into the last launch."""
    for who in in_turn(rounds, len(cell.launches)):
        began = time.perf_counter()
        seconds = standing[who].report(cell.form, cell.tol)["train_seconds"]
        cell.whole[who].append(time.perf_counter() - began)
        cell.launches[-1][who].append(seconds)


def measure_training(programs, rows, cells, chosen, longest=None):
    """Fills the cells; the ones that take longer than `longest` seconds, if it is given, are left as they are and returned.
    Processes are started anew for each launch, because where code and rows lie in memory changes times too."""
    rounds, long, limit = {}, [], {"patience": longest} if longest else {}
    for _ in range(chosen.launches):
        standing = {who: Standing(programs[who], rows) for who in WHO}
        for cell in cells:
            if cell in long:
                continue
            if cell not in rounds:
                first = standing["base"].report(cell.form, cell.tol, **limit)["train_seconds"]
                if longest and first > 0.95 * longest:
                    long.append(cell)
                    continue
                rounds[cell] = rounds_for(first, chosen.budget)
            cell.add_launch()
            sample_training(cell, standing, -(-rounds[cell] // chosen.launches))
        for one in standing.values():
            one.end()
    return long


# ---- reading ----

def texts(bench, names):
    """[(name, path, options)] of the sets that are here."""
    found = [(name, svmlight_text(bench, name), ()) for name in SPARSE if name in names]
    found += [(name, *dense_text(bench, name)) for name in DENSE if name in names and not name.endswith("-wild")]
    for name in READ_ALONE:
        real = name in names and bench.real(name)
        found.append((name, real and real[0], ()))
    return [one for one in found if one[1]]


def read_seconds(program, path, words):
    command = [program, "train", path, "-a", "nearest-mean", *map(str, words), "--threads", "1", "--quiet", "--json"]
    return json.loads(run(command)[1])["seconds"]["read"]


def measure_reading(programs, cell, path, words, chosen):
    rounds = rounds_for(read_seconds(programs["base"], path, words), chosen.budget)
    for first in range(chosen.launches):
        cell.add_launch()
        for who in in_turn(-(-rounds // chosen.launches), first):
            cell.launches[-1][who].append(read_seconds(programs[who], path, words))


# ---- what it comes to ----

def line_of(cell, verdict=""):
    low, high = cell.spread()
    whole = cell.whole_ratio()
    return (f"{cell.data:<14} {cell.what:<32} {1e3 * cell.least('base'):9.3f} {1e3 * cell.least('tree'):9.3f} {cell.ratio():7.3f} "
            f"{cell.ratio(statistics.median):7.3f} {low:6.3f}-{high:5.3f} {100 * cell.noise():6.1f} % "
            f"{f'{whole:7.3f}' if whole else '':>7}  {verdict}").rstrip()


HEAD = (f"{'data':<14} {'what':<32} {'base ms':>9} {'tree ms':>9} {'least':>7} {'median':>7} {'launches':>12} {'noise':>8} "
        f"{'whole':>7}")
