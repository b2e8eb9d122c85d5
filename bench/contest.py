"""Solvers against solvers at equal gap: halfspace, LIBLINEAR and scikit-learn on each data set, loss and C."""
import statistics
from collections import namedtuple

import ledger
import whole
from datasets import DENSE, NAMES, SPARSE, data_set
from entrant import PATIENCE, check, dismiss, goals, standing, train
from ladder import LIBLINEAR, SKLEARN, best, climb, least_time, liblinear, request_of
from ledger import Cell
from opponent import Opponent, TooLong
from timing import Failed, Timing, tolerance

LOSSES, COSTS, TOLS = ("hinge", "squared-hinge", "logistic"), (0.01, 1, 100), (1e-3, 1e-6)
LIMIT = 10  # seconds of a peer's run
SHORT, ROUNDS = 2, 3  # runs below so many seconds are made so often; the median counts
BRIEF, MORE_ROUNDS = 0.2, 7  # and these, in which a breath of the machine shows
FAMILY = {"liblinear": "LIBLINEAR", "sklearn": "scikit-learn"}

Choice = namedtuple("Choice", "data losses costs tols limit docs", defaults=(NAMES, LOSSES, COSTS, TOLS, LIMIT, False))


def asked_of(data, form, tol, family):
    """What the ratio should be at least; 0 when nothing is settled."""
    if form["penalty"] == "l1":
        return 3
    if form["loss"] == "logistic" and tol == 1e-6 and data.name in ("correlated", "mnist"):
        return 5 if data.name == "mnist" else 30 if family == "liblinear" else 10
    return 1 if data.sparse and tol == 1e-3 else 0


def peers_of(bench, data, form):
    """Those that are here and have such an objective."""
    if form["penalty"] == "l1":
        return [liblinear(6, bias=-1)] if "liblinear" in bench.peers else []
    found = LIBLINEAR[form["loss"]] if "liblinear" in bench.peers else []
    return found + (SKLEARN[form["loss"]] if data.name in DENSE and "sklearn" in bench.peers else [])


class Contest:
    """One objective on one data set."""

    def __init__(self, bench, opponent, group, data, form):
        self.bench, self.opponent, self.group, self.data, self.form = bench, opponent, group, data, form
        self.choice = bench.choice or Choice()
        self.name = f"{data.name}, {form['loss']}{' l1' if form['penalty'] == 'l1' else ''}, C = {form['C']:g}"
        self.model = bench.path("contest.hsm")

    def limit(self, family, first):
        """Long enough to show who is faster, or the ratio that is asked; within bounds."""
        wanted = [1.2 * max(1, asked_of(self.data, self.form, tol, family)) * run.seconds for tol, run in first.items()]
        return min(max([self.choice.limit, *wanted]), 10 * self.choice.limit)

    def ours_first(self):
        """{tol: Run}, each verified outside of its time."""
        first = {}
        for tol in self.choice.tols:
            first[tol] = train(self.bench, self.data, self.form, tol, "-o", self.model)
            name = f"{self.name} to {tolerance(tol)}"
            check(self.bench, self.data, self.form, first[tol], self.model, self.opponent, name)
        return first

    def climbs(self, first):
        """{intercept: goals}, [Climb]."""
        peers = peers_of(self.bench, self.data, self.form)
        goals_of = {kind: goals(self.bench, self.data, {**self.form, "intercept": kind}, self.choice.tols)
                    for kind in {peer.intercept for peer in peers}}
        found = []
        for peer in peers:
            found.append(climb(self.opponent, peer, self.form, goals_of[peer.intercept], self.limit(peer.family, first)))
            if found[-1].failure:
                self.bench.remarks.append(f"{self.name}: {peer.name}: {found[-1].failure}")
        return goals_of, found

    def again(self, seconds, winner):
        """One more run of a peer that has run already, when it is short."""
        climbed, rung = winner
        if seconds[0] < SHORT:
            if climbed.peer.bias is not None:
                self.opponent.lay_out(climbed.peer.bias)
            try:
                seconds.append(self.opponent.ask(request_of(climbed.peer, self.form, rung.setting), 5 * SHORT)["seconds"])
            except TooLong:  # the machine had something else to do
                pass

    def rounds(self, tol, first, winners):
        """ours and the best of each family in turn: (Timing, {family: Timing}). What the peers have run already, in a process
        that has the rows, is their first round; ours, when it is short, is made in such a process."""
        ours, theirs = [], {family: [found[1].seconds] for family, found in winners.items() if found}
        for k in range(MORE_ROUNDS if first.seconds < BRIEF else ROUNDS):
            if first.seconds < SHORT:
                ours.append(standing(self.bench, self.data).seconds(self.form, tol))
            for family, seconds in theirs.items() if k > 0 else ():
                self.again(seconds, winners[family])
        return timing(ours or [first.seconds]), {family: timing(seconds) for family, seconds in theirs.items()}

    def cells(self):
        first = self.ours_first()
        goals_of, climbs = self.climbs(first)
        for tol, run in first.items():
            families = {c.peer.family: [d for d in climbs if d.peer.family == c.peer.family] for c in climbs}
            winners = {family: best(own, goals_of, tol) for family, own in families.items()}
            ours, theirs = self.rounds(tol, run, winners)
            for family, own in families.items():
                least = None if winners[family] else least_time(own, goals_of, tol)
                yield self.cell(tol, run, ours, family, winners[family], theirs.get(family), least)
            if not families:
                yield self.cell(tol, run, ours, None, None, None, None)

    def cell(self, tol, run, ours, family, winner, theirs, least):
        """A peer that was not near enough took at least what it took: its ratio is a lower bound, unless we failed too."""
        if winner:
            how, bound = f"{winner[0].peer.name} at {winner[1].setting:g}", "" if run.reached else "<"
        else:
            how, bound = least[1] if least else "failed", ">"
            theirs = timing([least[0]]) if least and run.reached else None
        asked = asked_of(self.data, self.form, tol, family) if family else 0
        return Cell(self.group, self.data, self.form["loss"], self.form["C"], tol, family, ours, theirs,
                    bound if theirs else "", how, asked, run)


def timing(seconds):
    return Timing(statistics.median(seconds), min(seconds), max(seconds))


def show(bench, cell):
    peer = f"{FAMILY[cell.family]} {cell.how}" if cell.family else ""
    note = f"{cell.run.epochs} epochs, {cell.run.solver}"
    if not cell.run.reached:
        gap = f"{cell.run.gap:.1e}" if cell.run.gap is not None else "none"
        note = f"NOT REACHED by halfspace: gap {gap} after {note}"
    more = {"epochs": cell.run.epochs, "gap": cell.run.gap, "solver": cell.run.solver}
    measure = f"{cell.loss}{' l1' if cell.group == 'l1' else ''} C={cell.C:g} to {tolerance(cell.tol)}"
    bench.show(measure, cell.data.name, cell.ours, peer=peer, theirs=cell.theirs, asked=f"{cell.asked:g}" if cell.asked else "",
               note=note, bound=cell.bound, more=more)


def hold_contests(bench, group, forms):
    """All cells that are chosen; they are kept for the page of the documentation."""
    if "sklearn" not in bench.peers:
        bench.remarks.append(f"{group}: needs NumPy and scikit-learn for Debian's Python, left out")
        return
    choice, cells, opponent = bench.choice or Choice(), bench.kept.setdefault("cells", []), Opponent()
    try:
        for name in choice.data:
            data = data_set(bench, name, opponent)
            for form in forms if data else ():
                opponent.load(data.load)
                try:
                    for cell in Contest(bench, opponent, group, data, form).cells():
                        cells.append(cell)
                        show(bench, cell)
                        if choice.docs:
                            ledger.keep(cell)
                except Failed as failure:
                    bench.shout(f"{group}: {name}, {form['loss']}, C = {form['C']:g}: {failure}")
    finally:
        opponent.end()
        dismiss(bench)
    bench.remarks.append(f"{group}: runs below {SHORT} s are made {ROUNDS} times, in turn, below {BRIEF} s {MORE_ROUNDS} times; the median "
                         "counts; longer ones once")
    bench.remarks += summary([cell for cell in cells if cell.group == group])


def l2_forms(choice):
    return [{"loss": loss, "C": C, "penalty": "l2", "intercept": "free"} for loss in choice.losses for C in choice.costs]


def l1_forms(choice):
    """Without an intercept on both sides: LIBLINEAR would penalise it."""
    return [{"loss": "logistic", "C": C, "penalty": "l1", "intercept": "none"} for C in choice.costs]


def solvers(bench):
    hold_contests(bench, "solvers", l2_forms(bench.choice or Choice()))


def l1(bench):
    """The tightest tolerance alone."""
    choice = bench.choice or Choice()
    bench.choice = choice._replace(tols=(min(choice.tols),))
    hold_contests(bench, "l1", l1_forms(choice))
    bench.choice = choice


GROUPS = {"solvers": solvers, "l1": l1, "programs": whole.programs}


# ---- what it comes to ----

Sum = namedtuple("Sum", "title mean least where count asked bounds missed")


def ratio(cell):
    """Where we gave up, however early, we count as if we had gone on for as long as we may."""
    return cell.theirs.median / (cell.ours.median if cell.run.reached else max(cell.ours.median, PATIENCE))


def sums(cells):
    """Geometric means by kind of data, tolerance and peer. Lower bounds count as what they are bounds of."""
    found = []
    for names, kind in ((SPARSE, "sparse sets"), (DENSE, "dense sets")):
        for tol in sorted({cell.tol for cell in cells}, reverse=True):
            for family in FAMILY:
                own = [c for c in cells if c.data.name in names and c.tol == tol and c.family == family and c.theirs]
                if not own:
                    continue
                least = min(own, key=ratio)
                asked = "mean 3" if own[0].group == "l1" else "mean 3, least 1" if names == SPARSE and tol == 1e-3 else ""
                title, where = f"{kind} to {tolerance(tol)} against {FAMILY[family]}", f"{least.loss}, C = {least.C:g}"
                found.append(Sum(title, statistics.geometric_mean(map(ratio, own)), ratio(least), f"{least.data.name}, {where}",
                                 len(own), asked, sum(c.bound == ">" for c in own), sum(not c.run.reached for c in own)))
    return found


def missed(cells):
    """Cells whose tolerance halfspace did not reach, once each: {(data, loss, C, tol): Run}."""
    return {(c.data.name, c.loss, c.C, c.tol): c.run for c in cells if not c.run.reached}


def summary(cells):
    lines = []
    for s in sums(cells):
        wanted = f" (asked: {s.asked})" if s.asked else ""
        lines.append(f"{cells[0].group}, {s.title}: geometric mean {s.mean:.2f}, least {s.least:.2f} ({s.where}){wanted}; "
                     f"{s.count} cells, {s.bounds} of them lower bounds, {s.missed} not reached by halfspace")
    for (data, loss, C, tol), run in missed(cells).items():
        gap = f"{run.gap:.1e}" if run.gap is not None else "none"
        cell = f"{data}, {loss}, C = {C:g} to {tolerance(tol)}"
        lines.append(f"{cells[0].group}, not reached by halfspace: {cell}: gap {gap} after {run.seconds:.1f} s")
    return lines
