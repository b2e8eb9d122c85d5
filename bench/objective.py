"""Objectives from weights, by NumPy alone: what a program says of itself is not asked."""
import numpy

EXACT = 10 ** 7  # numbers up to which products are summed in extended precision: badly scaled columns cancel


def losses(name, m):
    if name == "hinge":
        return numpy.maximum(0, 1 - m)
    if name == "squared-hinge":
        return numpy.maximum(0, 1 - m) ** 2
    return numpy.logaddexp(0, -m)


def scores(x, w, b):
    if isinstance(x, numpy.ndarray) and x.size <= EXACT:
        return x.astype(numpy.longdouble) @ w.astype(numpy.longdouble) + b
    return x @ w + b


def objective(x, y, w, b, *, loss, C, penalty="l2", intercept="free"):
    """R(w) + C sum of the losses; b is penalised as a weight when `intercept` says so."""
    size = numpy.abs(w).sum() if penalty == "l1" else (w @ w + (b * b if intercept == "penalised" else 0)) / 2
    return float(size + C * losses(loss, y * scores(x, w, b)).sum())
