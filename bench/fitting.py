"""The contest of bench/python: cells, settings of the peers that reach the objective, and runs in turn."""
import json
import math
import os
import select
import statistics
import subprocess
import time
from collections import namedtuple
from pathlib import Path

from fitting_data import Absent, prepare
from fitting_problems import LADDERS, MODULES, SCIKIT, Problem
from opponent import GRACE, Opponent, TooLong
from session import ROOT
from timing import Failed, Timing

WORKER = str(Path(__file__).resolve().parent / "fitting_worker.py")
EQUAL = 1e-6  # objectives this near to the best known, relatively, are equal
EXACT = 1e-10  # our tolerance where the optimum itself is wanted
NEAR = 1.5  # methods of scikit-learn within this factor of its best are all timed
ROUNDS = 5  # at most
PATIENCE = 20  # times the limit: no fit takes longer, however busy the machine is
PREPARATION = 120  # seconds more that a package may take to load and to compile

# asked: the ratio to scikit-learn's best that no cell may be below
Cell = namedtuple("Cell", "name data problem asked", defaults=(1.0,))
CELLS = (
    Cell("logistic", "mnist odd/even", Problem("logistic", 1.0)),
    Cell("logistic", "581k x 54", Problem("logistic", 1.0)),
    Cell("logistic", "news20bi", Problem("logistic", 1.0)),
    Cell("logistic", "reuters", Problem("logistic", 1.0)),
    Cell("LinearSVC", "news20bi", Problem("squared-hinge", 1.0)),
    Cell("LinearSVC", "reuters", Problem("squared-hinge", 1.0)),
    Cell("LinearSVC hinge", "reuters", Problem("hinge", 1.0)),
    Cell("ridge", "mnist number", Problem("ridge", 1.0), 0.8),
    Cell("ridge", "581k x 54 number", Problem("ridge", 1.0), 0.8),
    Cell("lasso", "10000 x 1000", Problem("lasso", 0.01)),
    Cell("lasso", "1000 x 2000", Problem("lasso", 0.01)),
    Cell("multinomial", "mnist digits", Problem("softmax", 1.0)),
    Cell("multinomial", "100k x 54", Problem("softmax", 1.0)),
)
# One contestant of one cell; samples: answers of the worker. note: why there are none
Entry = namedtuple("Entry", "who method settings")
Result = namedtuple("Result", "cell threads about ours exact rivals remarks best")
# who, method, timing, above: relative distance of the objective from the best; reached: whether the objective is equal
# processor: seconds of all threads together, which say more than the others on a busy machine
Rival = namedtuple("Rival", "who method timing processor above reached settings")


class Contender(Opponent):
    """A process with the arrays of a cell and all packages in it."""

    def __init__(self, python, library, threads):
        super().__init__()
        self.python, self.library, self.threads = python, library, threads

    def start(self):
        count = str(self.threads)
        pools = {f"{name}_NUM_THREADS": count for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS")}
        environment = {**os.environ, **pools, "HALFSPACE_LIBRARY": self.library, "PYTHONDONTWRITEBYTECODE": "1",
                       "PYTHONPATH": str(ROOT / "python")}
        self.process = subprocess.Popen([self.python, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=environment)

    def ask(self, request, limit=None):
        """As before, but the limit is one of processor time of each thread: on a busy machine a fit takes longer."""
        if not limit or not self.process:
            return super().ask(request, limit)
        began, sent = self.processor_seconds(), time.monotonic()
        self.send(request)
        while not select.select([self.process.stdout], [], [], 0.2)[0]:
            if self.processor_seconds() - began > limit * self.threads + GRACE or time.monotonic() - sent > PATIENCE * limit:
                self.end()
                raise TooLong
        return self.receive()

    def processor_seconds(self):
        """Of the process so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii", errors="replace") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def fit(self, entry, limit):
        request = {"who": entry.who, "tol": entry.settings} if entry.who == "halfspace" else entry._asdict()
        self.ask({"do": "warm_up", **request}, limit + PREPARATION)
        return self.ask({"do": "fit", **request}, limit)


def load(contender, cell, folder):
    kind, strength = cell.problem
    contender.load({"do": "load", "folder": str(folder), "kind": kind, "strength": strength, "threads": contender.threads})


# ---- settings: found on one thread, kept in a file ----

class Settings:
    """{cell: {"best": objective, "entries": [...]}} of a former run."""

    def __init__(self, path, anew):
        self.path = path
        self.kept = {} if anew or not path.exists() else json.loads(path.read_text(encoding="utf-8"))

    def get(self, key):
        return self.kept.get(key)

    def put(self, key, found):
        if self.path.exists():  # another run may have added to it
            self.kept = {**json.loads(self.path.read_text(encoding="utf-8")), **self.kept}
        self.kept[key] = found
        self.path.write_text(json.dumps(self.kept, indent=1), encoding="utf-8")


def spare(limit, fastest):
    """Seconds for a method when another of the same package needs `fastest`: enough to show that it is better."""
    return limit if fastest is None else min(limit, max(0.5, 1.5 * fastest))


def climb(contender, who, method, rungs, best, limit):
    """The loosest setting with an equal objective: (settings, seconds, above); settings None and a word when there is none."""
    above = math.inf
    for settings in rungs:
        try:
            answer = contender.fit(Entry(who, method, settings), limit)
        except TooLong:
            return None, f"not within {limit:.2g} s", above
        except Failed as failure:
            return None, str(failure), above
        above = min(above, answer["objective"] / best - 1)
        if above <= EQUAL:
            return settings, answer["processor"], above
    return None, f"objective {above:.1e} above the best", above


def find_settings(contender, cell, about, peers, limit, say):
    """What each method of each peer needs."""
    best = min(contender.fit(Entry("halfspace", "", tol), 10 * limit)["objective"] for tol in (EQUAL, EXACT))
    ladders = LADDERS[cell.problem.kind](cell.problem, about["sparse"], about["single"])
    entries, fastest = [], {}
    for (who, method), rungs in ladders.items():
        if who not in peers:
            continue
        settings, outcome, above = climb(contender, who, method, rungs, best, spare(limit, fastest.get(who)))
        if settings is not None:
            fastest[who] = min(outcome, fastest.get(who, outcome))
        say(f"    {who} {method}: {settings or ''} {outcome if settings is None else f'{outcome:.3f} s'}")
        entries.append({"who": who, "method": method, "settings": settings, "above": above if math.isfinite(above) else None,
                        "seconds": outcome if settings is not None else None, "note": "" if settings is not None else outcome})
    return {"best": best, "entries": entries}


def contestants(found):
    """Those worth timing: scikit-learn's best methods and the best of each other peer; and what is to say of the others."""
    entries, remarks = [], []
    for who in dict.fromkeys(entry["who"] for entry in found["entries"]):
        mine = [entry for entry in found["entries"] if entry["who"] == who]
        reached = sorted((entry for entry in mine if entry["settings"] is not None), key=lambda entry: entry["seconds"])
        factor = NEAR if who == SCIKIT else 1
        entries += [entry for entry in reached if entry["seconds"] <= factor * reached[0]["seconds"]]
        if not reached:
            remarks.append(f"{who}: " + "; ".join(f"{entry['method']} {entry['note']}" for entry in mine))
    return [Entry(entry["who"], entry["method"], entry["settings"]) for entry in entries], remarks


# ---- runs in turn ----

def in_turn(contender, entries, budget, limit):
    """{entry: [answers]} of as many rounds as fit in the budget; the first, which warms up, counts only where it is the one."""
    answers, remarks, rounds, k = {entry_key(entry): [] for entry in entries}, [], 1, 0
    active = list(entries)
    while k <= rounds:
        for entry in list(active):
            try:
                answers[entry_key(entry)].append(contender.fit(entry, limit))
            except (TooLong, Failed) as failure:
                active.remove(entry)
                remarks.append(f"{entry.who} {entry.method}: {failure or 'stopped at its limit'}")
        if k == 0:
            took = sum(each[0]["seconds"] for each in answers.values() if each)
            rounds = max(0, min(ROUNDS, int(budget / max(took, 1e-9))))
        k += 1
    return {key: each[1:] or each for key, each in answers.items()}, remarks


def entry_key(entry):
    return entry.who, entry.method, json.dumps(entry.settings)


def timing(answers):
    seconds = [answer["seconds"] for answer in answers]
    return Timing(statistics.median(seconds), min(seconds), max(seconds))


def contest(contender, cell, about, found, budget, limit):
    """One Result."""
    chosen, remarks = contestants(found)
    entries = [Entry("halfspace", "", EQUAL), Entry("halfspace", "", None), *chosen]
    answers, more = in_turn(contender, entries, budget, limit)
    known = [answer["objective"] for each in answers.values() for answer in each]
    best = min([found["best"], *known])
    rivals = []
    for entry in entries:
        each = answers[entry_key(entry)]
        if each:
            above = max(answer["objective"] / best - 1 for answer in each)
            processor = statistics.median(answer["processor"] for answer in each)
            rivals.append(Rival(entry.who, entry.method, timing(each), processor, above, above <= EQUAL, entry.settings))
    mine = {rival.settings: rival for rival in rivals if rival.who == "halfspace"}
    ours = mine.get(EQUAL)
    if ours is None:
        raise Failed("; ".join(more))
    last = answers[entry_key(entries[0])][-1]
    stages = ", ".join(f"{stage} {1e3 * took:.1f} ms" for stage, took in last["stages"].items() if took)
    remarks += [*more, f"halfspace: solver {last['solver']}; {stages} of {1e3 * last['seconds']:.1f} ms"]
    return Result(cell, contender.threads, about, ours, mine.get(None), [r for r in rivals if r.who != "halfspace"], remarks, best)


def missing_peers(contender):
    """({peer: version}, {peer: why it is not here})"""
    answer = contender.ask({"do": "versions", "modules": MODULES})
    return answer["found"], answer["missing"]


def hold_contest(cells, sets, contenders, settings, chosen, show, say):
    """All cells on every number of threads; `show` gets each Result."""
    peers, missing = missing_peers(contenders[0])
    for name, why in missing.items():
        say(f"{name}: left out, {why}")
    say("; ".join(f"{name} {version}" for name, version in peers.items()))
    results, good = [], True
    for cell in cells:
        key = ("small: " if sets.small else "") + f"{cell.name}, {cell.data}"
        try:
            folder, about = prepare(sets, cell.data)
            for contender in contenders:
                load(contender, cell, folder)
                if not settings.get(key):
                    say(f"  {key}: settings of the peers")
                    settings.put(key, find_settings(contender, cell, about, peers, chosen.limit, say))
                results.append(contest(contender, cell, about, settings.get(key), chosen.budget, 3 * chosen.limit))
                show(results[-1])
        except Absent as absent:
            say(f"{absent}: not here, left out")
        except Failed as failure:
            say(f"!!! {key}: {failure}")
            good = False
        finally:
            for contender in contenders:
                contender.end()
                contender.loaded = None
    return results, good
