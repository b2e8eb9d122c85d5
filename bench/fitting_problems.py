"""What bench/python asks of every package: problems, their objectives, and the ladders of settings of each solver.

An objective is computed here from weights and intercepts, in double precision and by NumPy alone; no package is asked for it.
"""
from collections import namedtuple

import numpy

BLOCK = 8192  # rows that are turned into doubles at a time
SCIKIT = "scikit-learn"

# kind: logistic, softmax, squared-hinge, hinge, ridge, lasso; strength: C, or alpha of ridge and lasso (of lasso: a share of the
# least alpha for which all weights are 0)
Problem = namedtuple("Problem", "kind strength")


# ---- objectives ----

def blocks(x):
    for begin in range(0, x.shape[0], BLOCK):
        part = x[begin:begin + BLOCK]
        yield begin, part if hasattr(part, "tocsr") else part.astype(numpy.float64)


def row_losses(kind, scores, y):
    """The sum over a block of rows; y: classes 0, 1, 2, ..., or numbers."""
    if kind == "softmax":
        top = scores.max(axis=1)
        whole = top + numpy.log(numpy.exp(scores - top[:, None]).sum(axis=1))
        return (whole - scores[numpy.arange(len(y)), y]).sum()
    if kind in ("ridge", "lasso"):
        return ((scores[:, 0] - y) ** 2).sum()
    m = (2 * y - 1) * scores[:, 0]
    if kind == "logistic":
        return numpy.logaddexp(0, -m).sum()
    return (numpy.maximum(0, 1 - m) ** (2 if kind == "squared-hinge" else 1)).sum()


def objective(problem, x, y, w, b):
    """w: one row of weights for each output; b: their intercepts."""
    w, b = numpy.atleast_2d(numpy.asarray(w, numpy.float64)), numpy.atleast_1d(numpy.asarray(b, numpy.float64))
    kind, strength = problem
    total = sum(row_losses(kind, part @ w.T + b, y[begin:begin + BLOCK]) for begin, part in blocks(x))
    if kind == "ridge":
        return float(total + strength * (w ** 2).sum())
    if kind == "lasso":
        return float(total / (2 * x.shape[0]) + strength * numpy.abs(w).sum())
    free = kind in ("logistic", "softmax")  # LinearSVC penalises its intercept
    return float(((w ** 2).sum() + (0 if free else (b ** 2).sum())) / 2 + strength * total)


def least_all_zero(x, y):
    """The least alpha of the lasso for which all weights are 0."""
    return float(numpy.abs(x.T @ (y - y.mean())).max()) / x.shape[0]


# ---- ladders: {(peer, method): [settings, the loosest first]}; "form" is the array that the method is given ----

def decades(first, last, **more):
    return [{"tol": 10.0 ** -k, **more} for k in range(first, last + 1)]


def both_forms(rungs):
    """As single precision, as the array is, then as a double-precision copy, which is made outside of the measured time."""
    return {"": rungs, " (float64)": [{**rung, "form": "double"} for rung in rungs]}


def spread_forms(peer, ladders, single):
    """Both forms of the first method, which usually is the best; of the others the array as it is."""
    first = next(iter(ladders), None)
    found = {}
    for method, rungs in ladders.items():
        forms = both_forms(rungs) if single and method == first else {"": rungs}
        found.update({(peer, method + form): kept for form, kept in forms.items()})
    return found


def logistic_ladders(problem, sparse, single):
    """The methods that usually are the best come first: others are stopped when they take longer."""
    multinomial = problem.kind == "softmax"
    methods = {} if sparse else {"newton-cholesky": decades(3, 6)}
    methods.update({"newton-cg": decades(4, 7), "lbfgs": decades(5, 9)})
    if not multinomial:
        # Its intercept is penalised; a large scale makes that negligible.
        methods["liblinear"] = [{"tol": tol, "intercept_scaling": scale} for scale in (30.0, 300.0) for tol in (1e-3, 1e-5)]
    methods["saga"] = decades(4, 7)
    found = spread_forms(SCIKIT, methods, single)
    found.update(spread_forms("scikit-learn-intelex", {"lbfgs": decades(5, 9)}, single))
    if not multinomial:
        glum = {} if sparse else {"irls-ls": [{"gradient_tol": 10.0 ** -k} for k in (4, 6, 8)]}
        glum["lbfgs"] = [{"gradient_tol": 10.0 ** -k} for k in (5, 6, 7, 8)]
        found.update(spread_forms("glum", glum, single))
    return found


def svc_ladders(problem, sparse, single):
    methods = {"LinearSVC dual": [{"dual": True, "tol": 10.0 ** -k} for k in range(2, 7)]}
    if problem.kind == "squared-hinge":
        methods["LinearSVC primal"] = [{"dual": False, "tol": 10.0 ** -k} for k in range(2, 7)]
    return spread_forms(SCIKIT, methods, single)


def ridge_ladders(problem, sparse, single):
    methods = {"cholesky": [{}], "lsqr": decades(5, 8), "svd": [{}]}
    found = spread_forms(SCIKIT, methods, single)
    found.update(spread_forms("scikit-learn-intelex", {"ridge": [{}]}, single))
    found.update(spread_forms("glum", {"irls-ls": [{}]}, single))
    return found


def lasso_ladders(problem, sparse, single):
    found = {(SCIKIT, "cd"): decades(4, 9, form="columns"), (SCIKIT, "cd, Gram"): decades(4, 9, form="columns", precompute=True)}
    for peer, last in (("scikit-learn-intelex", 9), ("skglm", 9), ("celer", 9)):
        found[peer, "lasso"] = decades(4, last, form="columns")
    found["glum", "irls-cd"] = [{"gradient_tol": 10.0 ** -k, "form": "columns"} for k in (4, 6, 8)]
    return found


LADDERS = {"logistic": logistic_ladders, "softmax": logistic_ladders, "squared-hinge": svc_ladders, "hinge": svc_ladders,
           "ridge": ridge_ladders, "lasso": lasso_ladders}


# ---- estimators: a function of the settings ----

def ours(problem, rows, tol):
    import halfspace
    kind, strength = problem
    keep = {} if tol is None else {"tol": tol}
    if kind in ("logistic", "softmax"):
        return halfspace.LogisticRegression(C=strength, max_iter=100000, **keep)
    if kind == "ridge":
        return halfspace.Ridge(alpha=strength)
    if kind == "lasso":
        return halfspace.Lasso(alpha=strength, max_iter=100000, **keep)
    return halfspace.LinearSVC(C=strength, loss=kind.replace("-", "_"), max_iter=100000, **keep)


def scikit_learn(problem, rows, method, settings):
    from sklearn.linear_model import Lasso, LogisticRegression, Ridge
    from sklearn.svm import LinearSVC
    kind, strength = problem
    if kind in ("logistic", "softmax"):
        return LogisticRegression(C=strength, solver=method, max_iter=10 ** 6, random_state=1, **settings)
    if kind == "ridge":
        return Ridge(alpha=strength, solver=method, **settings)
    if kind == "lasso":
        return Lasso(alpha=strength, max_iter=10 ** 6, **settings)
    return LinearSVC(C=strength, loss=kind.replace("-", "_"), max_iter=10 ** 7, random_state=1, **settings)


def intelex(problem, rows, method, settings):
    kind, strength = problem
    if kind in ("logistic", "softmax"):
        from sklearnex.linear_model import LogisticRegression
        return LogisticRegression(C=strength, solver="lbfgs", max_iter=10 ** 6, **settings)
    if kind == "ridge":
        from sklearnex.linear_model import Ridge
        return Ridge(alpha=strength)
    from daal4py.sklearn.linear_model import Lasso
    return Lasso(alpha=strength, max_iter=10 ** 6, **settings)


def glum(problem, rows, method, settings):
    from glum import GeneralizedLinearRegressor
    kind, strength = problem
    alpha = {"logistic": 1 / (strength * rows), "ridge": strength / rows}.get(kind, strength)
    return GeneralizedLinearRegressor(family="binomial" if kind == "logistic" else "normal", alpha=alpha,
                                      l1_ratio=1 if kind == "lasso" else 0, solver=method, max_iter=10 ** 5, **settings)


def skglm(problem, rows, method, settings):
    from skglm import Lasso
    return Lasso(alpha=problem.strength, max_iter=10 ** 4, **settings)


def celer(problem, rows, method, settings):
    from celer import Lasso
    return Lasso(alpha=problem.strength, max_iter=10 ** 4, **settings)


PEERS = {SCIKIT: scikit_learn, "scikit-learn-intelex": intelex, "glum": glum, "skglm": skglm, "celer": celer}
MODULES = {SCIKIT: "sklearn", "scikit-learn-intelex": "sklearnex", "glum": "glum", "skglm": "skglm", "celer": "celer"}


def peer(problem, rows, who, method, settings):
    """An estimator; the method may carry remarks in brackets or after a comma."""
    kept = {name: value for name, value in settings.items() if name != "form"}
    return PEERS[who](problem, rows, method.split(" (")[0], kept)
