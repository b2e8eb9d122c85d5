"""The table, the CSV and the goals of bench/python."""
import csv
import json
import math
import os
import subprocess
from pathlib import Path

from fitting import CELLS, Contender, Settings, hold_contest
from fitting_data import Absent, Sets, prepare
from fitting_problems import SCIKIT
from session import ROOT, machine
from timing import tolerance

MEAN_ASKED = 5.0
COLUMNS = ("cell", "data", "storage", "rows", "columns", "threads", "who", "method", "settings", "seconds", "least", "most",
           "processor", "above_best", "ratio", "processor_ratio")
HEAD = f"{'cell':<16} {'data':<17} {'threads':>7} {'who':<38} {'seconds':>9} {'spread':>7} {'above':>8} {'ratio':>7} {'by cpu':>7}"


def say(text):
    print(text, flush=True)


# ---- fitting ----

def spread(timing):
    return f"{100 * (timing.most - timing.least) / timing.median:.0f} %"


def best_of(result, who):
    """The fastest method of a peer with an equal objective; None when there is none."""
    reached = [rival for rival in result.rivals if rival.who == who and rival.reached]
    return min(reached, key=lambda rival: rival.timing.median, default=None)


def ratio(result, rival):
    """The peer's seconds over ours; None where the objectives are not equal."""
    return rival.timing.median / result.ours.timing.median if rival.reached and result.ours.reached else None


def processor_ratio(result, rival):
    """The same of processor time."""
    return rival.processor / result.ours.processor if rival.reached and result.ours.reached else None


def cell_of(number):
    return "" if number is None else f"{number:.2f}"


def show(result):
    cell = result.cell

    def line(who, one, *shares):
        above = f"{max(0, one.above):.0e}" + ("" if one.reached else " !")
        say(f"{cell.name:<16} {cell.data:<17} {result.threads:>7} {who:<38} {one.timing.median:>9.4f} {spread(one.timing):>7} "
            f"{above:>8} {' '.join(f'{cell_of(share):>7}' for share in shares)}".rstrip())
    line("halfspace, tol=1e-6", result.ours)
    if result.exact:
        line("halfspace, default tol", result.exact)
    for who in dict.fromkeys(rival.who for rival in result.rivals):
        one = best_of(result, who) or next(rival for rival in result.rivals if rival.who == who)
        line(f"{who} {one.method}", one, ratio(result, one), processor_ratio(result, one))
    for remark in result.remarks:
        say(f"    {remark}")


def write_csv(path, results):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for result in results:
            about = result.about
            for rival in filter(None, (result.ours, result.exact, *result.rivals)):
                shares = (None, None) if rival.who == "halfspace" else (ratio(result, rival), processor_ratio(result, rival))
                table.writerow([result.cell.name, result.cell.data, about["storage"], about["rows"], about["columns"], result.threads,
                                rival.who, rival.method, json.dumps(rival.settings), *(f"{s:.6f}" for s in rival.timing),
                                f"{rival.processor:.6f}", f"{rival.above:.3e}", *map(cell_of, shares)])


def geometric(shares):
    return math.exp(sum(map(math.log, shares)) / len(shares))


def goals(results):
    """Whether the package does what it should, as lines."""
    for threads in dict.fromkeys(result.threads for result in results):
        mine = [result for result in results if result.threads == threads]
        rivals = [(result, best_of(result, SCIKIT)) for result in mine]
        shares = [(result, ratio(result, rival)) for result, rival in rivals if rival and result.ours.reached]
        if not shares:
            continue
        mean = geometric([share for _, share in shares])
        work = geometric([processor_ratio(result, rival) for result, rival in rivals if rival and result.ours.reached])
        say(f"{threads} {'thread' if threads == 1 else 'threads'}: geometric mean of {len(shares)} ratios to scikit-learn's best "
            f"{mean:.2f} (asked: {MEAN_ASKED:g}): {'reached' if mean >= MEAN_ASKED else 'missed'}; by processor time {work:.2f}")
        below = [f"{result.cell.name}, {result.cell.data}: {share:.2f} (asked: {result.cell.asked:g})"
                 for result, share in shares if share < result.cell.asked]
        say("    no cell below what is asked" if not below else "    below: " + "; ".join(below))
        unequal = [f"{result.cell.name}, {result.cell.data}" for result, rival in rivals if not rival or not result.ours.reached]
        if unequal:
            say("    without a ratio, since an objective was not reached: " + "; ".join(unequal))


def fitting(chosen, python, sets, folder):
    words = [word for word in chosen.cells.split(",") if word]
    cells = [cell for cell in CELLS if not words or any(word in f"{cell.name}, {cell.data}" for word in words)]
    contenders = [Contender(python, chosen.library, threads) for threads in chosen.threads]
    say("seconds of fit, median; above: relative distance of the objective, recomputed, from the best known (!: not equal)\n" + HEAD)
    settings = Settings(folder / "settings.json", chosen.anew)
    results, good = hold_contest(cells, sets, contenders, settings, chosen, show, say)
    write_csv(chosen.csv, results)
    goals(results)
    return good


# ---- small fits and memory: scripts of their own ----

def run_script(name, python, library, folder, *words):
    """Its lines are printed; whether it ran."""
    environment = {**os.environ, "HALFSPACE_LIBRARY": library, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, str(Path(__file__).resolve().parent / name), str(folder), *words], env=environment)
    return done.returncode == 0


def small(chosen, python, sets, folder):
    try:
        return run_script("fitting_small.py", python, chosen.library, prepare(sets, "iris")[0])
    except Absent:
        say("iris: not here, left out")
        return True


MEMORY = (("mnist odd/even", "logistic", "float32"), ("mnist odd/even", "logistic", "uint8"), ("mnist odd/even", "logistic", "columns"),
          ("581k x 54", "logistic", "float32"), ("581k x 54", "logistic", "float64"), ("581k x 54 number", "ridge", "float64"),
          ("news20bi", "logistic", "float64"), ("news20bi", "squared-hinge", "float64"), ("10000 x 1000", "lasso", "float64"))


def memory(chosen, python, sets, folder):
    say(f"{'fit':<14} {'data':<17} {'form':<9} {'array MB':>9} {'extra MB':>9} {'asked MB':>9}")
    good = True
    for data, kind, form in MEMORY:
        try:
            good &= run_script("fitting_memory.py", python, chosen.library, prepare(sets, data)[0], data, kind, form)
        except Absent:
            say(f"{data}: not here, left out")
    return good


def measure(chosen, python, folder):
    """Whether everything ran."""
    say(f"{machine()}; objectives are equal within {tolerance(1e-6)}")
    sets, good = Sets(chosen.program, folder, chosen.small), True
    for name in chosen.groups:
        say(f"\n-- {name} --")
        good &= {"fitting": fitting, "small": small, "memory": memory}[name](chosen, python, sets, folder)
    say(f"load {os.getloadavg()[0]:.2f} at the end")
    return good
