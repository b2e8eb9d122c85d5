"""Cross-validated grids of C: `halfspace cv` with --grid against `liblinear-train -v` once for each C, whole programs from text."""
import json
import re
import statistics

from timing import Failed, Timing, run

SETS = ("a9a", "reuters", "news20bi")
LOWEST, HIGHEST, VALUES, FOLDS = 0.001, 1000, 16, 5
# How halfspace is asked for a loss, and LIBLINEAR's solvers of it.
LOSSES = {"logistic": (("-a", "logistic"), ("0", "7")), "hinge": (("-a", "svm", "--loss", "hinge"), ("3",))}
RUNS, LONG, VERY_LONG = 5, 10, 60  # a peer that takes so many seconds runs three times; or once
ASKED = "15"
POINTS = 0.1  # estimates that differ by less are equal


def grid_values():
    return [LOWEST * (HIGHEST / LOWEST) ** (i / (VALUES - 1)) for i in range(VALUES)]


# ---- one run of each: seconds, and the accuracy for each C in per cent ----

def ours(bench, path, words):
    grid = f"C={LOWEST}:{HIGHEST}:log{VALUES}"
    command = bench.halfspace("cv", path, *words, "--grid", grid, "--folds", FOLDS, "--metric", "accuracy", "--json")

    def once():
        seconds, out = run(command)
        tried = sorted(json.loads(out)["tried"], key=lambda one: one["C"])
        return seconds, [100 * one["mean"] for one in tried]
    return once


def liblinear(path, solver):
    def once():
        total, accuracy = 0, []
        for C in grid_values():
            seconds, out = run(["liblinear-train", "-q", "-s", solver, "-B", "1", "-c", repr(C), "-v", str(FOLDS), path])
            found = re.search(rb"Cross Validation Accuracy = ([0-9.]+)%", out)
            if not found:
                raise Failed(f"liblinear-train -v printed no accuracy: {out[-80:]!r}")
            total += seconds
            accuracy.append(float(found.group(1)))
        return total, accuracy
    return once


# ---- in turn ----

def rounds_of(slowest):
    return 1 if slowest > VERY_LONG else 3 if slowest > LONG else RUNS


def in_turn(contestants):
    """{name: (Timing, accuracy)}; the first round warms up unless a contestant takes long, and then counts."""
    seconds, accuracy = {name: [] for name in contestants}, {}
    todo, done = RUNS, 0
    while done < todo:
        for name, once in contestants.items():
            took, accuracy[name] = once()
            seconds[name].append(took)
        if done == 0:
            todo = rounds_of(max(took[0] for took in seconds.values()))
            todo += todo == RUNS
        done += 1
    counted = {name: took[1:] if len(took) > RUNS else took for name, took in seconds.items()}
    return {name: (Timing(statistics.median(took), min(took), max(took)), accuracy[name]) for name, took in counted.items()}


def estimates(mine, theirs):
    """How the estimates agree: at the best C of each, and which it is."""
    best, their_best = mine.index(max(mine)), theirs.index(max(theirs))
    furthest = max(abs(a - b) for a, b in zip(mine, theirs))
    at = grid_values()
    return (f"best C {at[best]:.3g} ({mine[best]:.2f} %) and {at[their_best]:.3g} ({theirs[their_best]:.2f} %); "
            f"largest difference over C {furthest:.2f}"), abs(mine[best] - theirs[their_best])


def one_grid(bench, path, label, loss):
    words, solvers = LOSSES[loss]
    contestants = {"halfspace": ours(bench, path, words)}
    contestants |= {f"liblinear-train -s {solver} -v {FOLDS}": liblinear(path, solver) for solver in solvers}
    found = in_turn(contestants)
    mine, accuracy = found.pop("halfspace")
    fastest = min(found, key=lambda name: found[name][0].median)
    for name, (timing, theirs) in found.items():
        words, apart = estimates(accuracy, theirs)
        note = words if name == fastest else ""
        bench.show(f"grid of {VALUES} C, {loss}", label, mine, peer=name, theirs=timing, asked=ASKED if note else "", note=note)
        if note and apart > POINTS:
            bench.remarks.append(f"grid, {label}, {loss}: the best estimates differ by {apart:.2f} points (folds differ)")


def grid(bench):
    if "liblinear" not in bench.peers:
        bench.remarks.append("grid: needs LIBLINEAR, left out")
        return
    for name in SETS:
        found = bench.real(name)
        for loss in LOSSES if found else ():
            one_grid(bench, *found, loss)
