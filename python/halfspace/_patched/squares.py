"""Ridge, RidgeClassifier, Lasso and ElasticNet: squared losses."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import scipy.sparse

from . import journal
from .core import Solution, check_matrix, check_weights, data_of, gap_for, keep_start, labels_of, solve, start_of
from .journal import Declined

__all__ = ["coordinate_path", "ridge_seam"]

# Rounding keeps the gap of a closed form above that of the iterative solvers.
CLOSED = 1e-10
_SAME = "the objective is the same"


# ---- ridge ----


def ridge_seam() -> type:
    """A base between scikit-learn's Ridge or RidgeClassifier and the class whose `fit` solves the equations."""
    from sklearn.linear_model._ridge import _BaseRidge

    class RidgeSeam(_BaseRidge):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            call = journal.current()
            if call is None or call.estimator is not self:
                return super().fit(X, y, sample_weight=sample_weight)
            try:
                return _ridge(call, self, X, y, sample_weight)
            except Declined as reason:
                call.decline(reason)
            return super().fit(X, y, sample_weight=sample_weight)

    return RidgeSeam


def _ridge(call: Any, estimator: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    from sklearn.utils.validation import _check_sample_weight

    _check_ridge(estimator, X, y)
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, X, dtype=X.dtype)
    weights = check_weights(sample_weight)
    targets = y.reshape(len(y), -1)
    alphas = np.ravel(estimator.alpha)
    if len(alphas) not in (1, targets.shape[1]):
        raise Declined("alpha does not fit the targets")
    alphas = np.broadcast_to(alphas, targets.shape[1])
    problem = (estimator, X, targets, weights, alphas)
    solutions = _ridge_classes(*problem) or _ridge_targets(*problem)
    call.solved(solutions)
    coef = np.vstack([solution.weights for solution in solutions]).astype(X.dtype, copy=False)
    bias = np.concatenate([solution.intercepts for solution in solutions]).astype(X.dtype, copy=False)
    estimator.n_iter_ = None
    estimator.solver_ = _solver_name(estimator, X)
    estimator.coef_ = coef if len(coef) > 1 else coef[0]
    if not estimator.fit_intercept:
        estimator.intercept_ = 0.0
    else:
        estimator.intercept_ = bias if y.ndim == 2 else bias[0]
    return estimator


def _solver_name(estimator: Any, X: Any) -> str:
    """The value that scikit-learn's `solver_` would have; the solver that ran is in the report."""
    if estimator.solver != "auto":
        return str(estimator.solver)
    return "sparse_cg" if scipy.sparse.issparse(X) else "cholesky"


def _check_ridge(estimator: Any, X: Any, y: Any) -> None:
    """Raise Declined for what is not our problem, or is scikit-learn's to refuse."""
    check_matrix(X)
    if not isinstance(y, np.ndarray):
        raise Declined("y is not a NumPy array")
    if estimator.positive or estimator.solver == "lbfgs":
        raise Declined("positive=True")
    if scipy.sparse.issparse(X) and estimator.fit_intercept and estimator.solver in ("svd", "cholesky", "saga"):
        raise Declined(f"solver={estimator.solver!r} has no intercept with sparse data")
    if estimator.max_iter is not None and estimator.solver in ("sag", "saga", "lsqr", "sparse_cg"):
        raise Declined(f"max_iter limits the iterations of solver={estimator.solver!r}")
    if y.shape[-1] == 0 or X.shape[0] == 0:
        raise Declined("no targets or no rows")


def _ridge_options(estimator: Any, alpha: float) -> dict[str, Any]:
    """The options of |y - Xw|^2 + alpha |w|^2."""
    intercept = "free" if estimator.fit_intercept else "none"
    if alpha == 0:
        return {"algorithm": "least-squares", "intercept": intercept, "loo": "no"}
    return {"algorithm": "ridge", "C": 1.0 / float(alpha), "intercept": intercept, "loo": "no", "tol": CLOSED}


def _ridge_classes(estimator: Any, X: Any, targets: Any, weights: Any, alphas: Any) -> list[Solution] | None:
    """All columns at once, if they are one -1 or +1 for each class against the rest; else None."""
    count = targets.shape[1]
    if not hasattr(estimator, "classes_") or len(estimator.classes_) < 2 or (count == 1) != (len(estimator.classes_) == 2):
        return None
    if not (alphas == alphas[0]).all():
        return None
    if count == 1:
        codes = (targets[:, 0] > 0).astype(np.int64)
    else:
        positive = targets > 0
        if not (positive.sum(axis=1) == 1).all():
            return None
        codes = positive.argmax(axis=1)
    data = labels_of(X, codes, len(estimator.classes_), weights)
    return [solve(data, _ridge_options(estimator, alphas[0]), _SAME)]


def _ridge_targets(estimator: Any, X: Any, targets: Any, weights: Any, alphas: Any) -> list[Solution]:
    """One column after the other."""
    data = data_of(X, targets=np.ascontiguousarray(targets[:, 0]), weights=weights)
    solutions = []
    for k, alpha in enumerate(alphas):
        if k:
            data.set_targets(np.ascontiguousarray(targets[:, k]))
        solutions.append(solve(data, _ridge_options(estimator, alpha), _SAME))
    return solutions


# ---- lasso and elastic net ----


def coordinate_path(theirs: Callable[..., Any]) -> Any:
    """The `path` that ElasticNet.fit calls for each target; outside of a fit, scikit-learn's own."""

    def path(X: Any, y: Any, **how: Any) -> Any:
        call = journal.current()
        if call is None or not how.get("return_n_iter") or len(how.get("alphas") or ()) != 1:
            return theirs(X, y, **how)
        try:
            return _coordinate(call, X, y, **how)
        except Declined as reason:
            call.decline(reason)
        return theirs(X, y, **how)

    return staticmethod(path)


def _coordinate(call: Any, X: Any, y: Any, *, alphas: Any, l1_ratio: float = 1.0, max_iter: int = 1000, tol: float = 1e-4,
                positive: bool = False, sample_weight: Any = None, **how: Any) -> Any:
    """One fit. Dense columns come centred and scaled by the weights; sparse ones as they are."""
    check_matrix(X)
    estimator, alpha = call.estimator, float(alphas[0])
    if positive:
        raise Declined("positive=True")
    if y.dtype != X.dtype or max_iter < 1 or alpha < 0:
        raise Declined("y is of another type, or max_iter or alpha is too small")
    sparse = scipy.sparse.issparse(X)
    weights = check_weights(sample_weight) if sparse else None
    data = data_of(X, targets=np.ascontiguousarray(y), weights=weights)
    options = _coordinate_options(alpha, float(l1_ratio), X.shape[0], int(max_iter), tol)
    options["intercept"] = "free" if sparse and estimator.fit_intercept else "none"
    start = start_of(estimator) if "C" in options and l1_ratio > 0 else None
    if start is not None and start.features != X.shape[1]:
        start = None
    solution = solve(data, options, _SAME, start)
    call.solved([solution])
    keep_start(estimator, solution.model)
    report = solution.report
    gap = max(0.0, report.number("objective") - report.number("dual_bound")) * alpha
    coefs = solution.weights.reshape(-1, 1).astype(X.dtype, copy=False)
    return np.asarray(alphas), coefs, np.array([gap if gap == gap else 0.0]), [solution.epochs]


def _coordinate_options(alpha: float, ratio: float, rows: int, max_iter: int, tol: float) -> dict[str, Any]:
    """The options of |y - Xw|^2 / (2 rows) + alpha (ratio |w|_1 + (1 - ratio) |w|^2/2)."""
    if alpha == 0:
        return {"algorithm": "least-squares", "loo": "no"}
    options: dict[str, Any] = {"C": 1.0 / (alpha * rows), "tol": gap_for(tol), "max-epochs": max_iter}
    if ratio == 0:
        del options["max-epochs"]
        return {**options, "algorithm": "ridge", "loo": "no", "tol": CLOSED}
    return {**options, "algorithm": "lasso"} if ratio == 1 else {**options, "algorithm": "elastic-net", "l1-ratio": ratio}
