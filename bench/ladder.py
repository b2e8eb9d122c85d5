"""How long a peer takes to come as near to the optimum as asked: its own settings are climbed, from loose to tight, each in
a run of its own, until the objective of its weights, by NumPy, is near enough."""
from collections import namedtuple

from opponent import TooLong
from timing import Failed

EPS = (10, 3, 1, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
ITERATIONS = (3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 5000, 10000)
STEPS = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)
PATIENCE = 3  # limits that the runs of one ladder may take together
LONG, FAR = 1, 100  # a run of so many seconds, so many times further away than asked: one rung is left out

# request: for the worker, but for the setting, which it calls `key`. intercept: of the objective that the peer minimises.
Peer = namedtuple("Peer", "family name request key settings intercept bias")
Rung = namedtuple("Rung", "setting seconds objective")
# limit: where the last run was ended, or None; failure: why there is no more.
Climb = namedtuple("Climb", "peer rungs limit failure")


def liblinear(solver, bias=1):
    intercept = "penalised" if bias >= 0 else "none"
    return Peer("liblinear", f"-s {solver}", {"do": "liblinear", "solver": solver}, "eps", EPS, intercept, bias)


def logistic_regression(method, settings):
    return Peer("sklearn", method, {"do": "sklearn", "method": method}, "rung", settings, "free", None)


def linear_svc(method):
    return Peer("sklearn", method, {"do": "sklearn", "method": method}, "rung", EPS, "penalised", None)


LIBLINEAR = {"hinge": [liblinear(3)], "squared-hinge": [liblinear(1), liblinear(2)], "logistic": [liblinear(0), liblinear(7)]}
SKLEARN = {"hinge": [linear_svc("LinearSVC dual")],
           "squared-hinge": [linear_svc("LinearSVC dual"), linear_svc("LinearSVC primal")],
           "logistic": [logistic_regression("lbfgs", ITERATIONS), logistic_regression("newton-cholesky", STEPS),
                        logistic_regression("newton-cg", STEPS), logistic_regression("sag", ITERATIONS),
                        logistic_regression("saga", ITERATIONS)]}


def request_of(peer, form, setting):
    """form: loss, C and penalty of the objective."""
    asked = {**peer.request, "loss": form["loss"], "C": form["C"], "intercept": peer.intercept, peer.key: setting}
    return {**asked, "penalty": form["penalty"]} if peer.family == "liblinear" else asked


def distance(objective, goal):
    """How far above the goal, relative to itself, as a relative gap is. A peer may end at no number at all."""
    return max(0.0, (objective - goal) / objective) if objective > 0 else float("inf")


def climb(opponent, peer, form, goals, limit):
    """goals: {tol: what to come near}. Up the ladder until the tightest is reached or a limit is."""
    rungs, at = [], 0
    try:
        if peer.bias is not None:
            opponent.lay_out(peer.bias)
        while at < len(peer.settings):
            answer = opponent.ask(request_of(peer, form, peer.settings[at]), limit)
            rungs.append(Rung(peer.settings[at], answer["seconds"], answer["objective"]))
            ahead = [tol for tol in goals if distance(answer["objective"], goals[tol]) > tol]
            spent = sum(rung.seconds for rung in rungs) > PATIENCE * limit
            if not ahead or answer["gave_up"] or answer["seconds"] > limit or spent:
                break
            far = all(distance(answer["objective"], goals[tol]) > FAR * tol for tol in ahead)
            at += 2 if far and answer["seconds"] > LONG else 1
    except TooLong:
        return Climb(peer, rungs, limit, None)
    except Failed as failure:
        return Climb(peer, rungs, None, str(failure))
    return Climb(peer, rungs, None, None)


def first_near(climbed, goal, tol):
    """The first rung that is near enough, or None."""
    return next((rung for rung in climbed.rungs if distance(rung.objective, goal) <= tol), None)


def best(climbs, goals_of, tol):
    """Of several solvers the one that was the quickest to be near enough: (climb, rung), or None.
    goals_of: from an intercept to {tol: goal}."""
    found = [(c, first_near(c, goals_of[c.peer.intercept][tol], tol)) for c in climbs]
    return min(((c, rung) for c, rung in found if rung), key=lambda pair: pair[1].seconds, default=None)


def least_time(climbs, goals_of, tol):
    """None was near enough: (seconds that it takes at least, how that is known), or None. A tighter setting takes no less."""
    stopped = [(c.limit, f"{c.peer.name} stopped at {c.limit:g} s") for c in climbs if c.limit]
    ended = [(c.rungs[-1].seconds, c) for c in climbs if c.rungs and not c.limit]
    if stopped or not ended:
        return min(stopped, default=None)
    seconds, ended_first = min(ended, key=lambda pair: pair[0])
    nearest = min(distance(rung.objective, goals_of[ended_first.peer.intercept][tol]) for rung in ended_first.rungs)
    return seconds, f"{ended_first.peer.name} came to {nearest:.0e} only"
