"""LinearDiscriminantAnalysis and NearestCentroid: closed forms from the moments of the classes."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import journal
from .core import Solution, check_matrix, labels_of, solve
from .journal import Call, Declined

__all__ = ["DiscriminantSeam", "prepare_nearest"]


class DiscriminantSeam:
    """The solvers of LinearDiscriminantAnalysis, before scikit-learn's own."""

    def _solve_svd(self, X: Any, y: Any) -> None:
        call = journal.current()
        if call is None or call.estimator is not self or not _discriminant(call, self, X, y):
            super()._solve_svd(X, y)  # type: ignore[misc]

    def _solve_lstsq(self, X: Any, y: Any, *args: Any, **how: Any) -> None:
        _note_other(self, "lsqr")
        super()._solve_lstsq(X, y, *args, **how)  # type: ignore[misc]

    def _solve_lsqr(self, X: Any, y: Any, *args: Any, **how: Any) -> None:
        _note_other(self, "lsqr")
        super()._solve_lsqr(X, y, *args, **how)  # type: ignore[misc]

    def _solve_eigen(self, X: Any, y: Any, *args: Any, **how: Any) -> None:
        _note_other(self, "eigen")
        super()._solve_eigen(X, y, *args, **how)  # type: ignore[misc]


def _note_other(estimator: Any, solver: str) -> None:
    call = journal.current()
    if call is not None and call.estimator is estimator:
        shrinks = getattr(estimator, "shrinkage", None) is not None or estimator.covariance_estimator is not None
        call.decline("the covariance of each class is shrunk by itself" if shrinks else
                     f"solver={solver!r} adds a term that is common to all classes to every score")


def _discriminant(call: Call, estimator: Any, X: Any, y: Any) -> bool:
    """Set what scikit-learn's svd solver sets, or note why not."""
    try:
        check_matrix(X)
        priors = np.asarray(estimator.priors_, dtype=np.float64)
        if len(estimator.classes_) < 2 or not (priors > 0).all():
            raise Declined("one class, or a prior of 0")
        codes = np.searchsorted(estimator.classes_, y)
        options = {"algorithm": "lda", "priors": {str(k): float(p) for k, p in enumerate(priors / priors.sum())}}
        solution = solve(labels_of(X, codes, len(priors), None), options, "the discriminant is the same")
        _check_rank(estimator, solution, X)
    except Declined as reason:
        call.decline(reason)
        return False
    call.solved([solution])
    _set_discriminant(estimator, solution, X, priors)
    return True


def _pooled(solution: Solution, rows: int) -> Any:
    """The within-class covariance, divided by the number of rows as scikit-learn does."""
    mass = solution.model.moments().array("mass").reshape(-1)
    size = solution.weights.shape[1]
    covariances = solution.model.array("class-covariances").reshape(len(mass), size, size)
    return np.tensordot(np.maximum(mass - 1, 0), covariances, 1) / rows


def _check_rank(estimator: Any, solution: Solution, X: Any) -> None:
    """Raise Declined where scikit-learn would leave out directions of the rows."""
    if solution.report.member("lda").number("rank") < X.shape[1]:
        raise Declined("columns depend on each other, and scikit-learn's rank decides what is left out")
    within = _pooled(solution, X.shape[0])
    spread = np.sqrt(np.diag(within))
    if not (spread > 0).all() or np.linalg.eigvalsh(within / np.outer(spread, spread))[0] <= 2 * estimator.tol**2:
        raise Declined("columns nearly depend on each other, and scikit-learn's rank decides what is left out")


def _set_discriminant(estimator: Any, solution: Solution, X: Any, priors: Any) -> None:
    """Scores with the covariance over n rows in place of n - K, for each class (two: the difference in the second row)."""
    kind, rows, count = X.dtype, X.shape[0], len(priors)
    factor = rows / (rows - count)
    logs = np.log(priors) if count > 2 else np.log(priors[1:] / priors[0])
    coef, bias = solution.weights * factor, (solution.intercepts - logs) * factor + logs
    if count == 2:
        coef, bias = np.vstack([np.zeros_like(coef), coef]), np.concatenate([[0.0], bias])
    explained = solution.report.member("lda").array("explained").reshape(-1)
    kept = max(1, int((np.sqrt(explained) > estimator.tol * np.sqrt(explained[0])).sum()))
    directions = solution.model.array("directions")[:kept].T * np.sqrt(factor)
    estimator.means_ = solution.model.array("class-means").astype(kind, copy=False)
    estimator.xbar_ = estimator.priors_ @ estimator.means_
    estimator.scalings_ = directions.astype(kind, copy=False)
    estimator.explained_variance_ratio_ = explained[: estimator._max_components].astype(kind, copy=False)
    estimator.coef_, estimator.intercept_ = coef.astype(kind, copy=False), bias.astype(kind, copy=False)
    if estimator.store_covariance:
        _set_covariance(estimator, solution, kind)


def _set_covariance(estimator: Any, solution: Solution, kind: Any) -> None:
    """The covariances of the classes over their rows, averaged by the priors."""
    mass = solution.model.moments().array("mass").reshape(-1)
    size = solution.weights.shape[1]
    covariances = solution.model.array("class-covariances").reshape(len(mass), size, size)
    shares = np.asarray(estimator.priors_) * np.maximum(mass - 1, 0) / mass
    estimator.covariance_ = np.tensordot(shares, covariances, 1).astype(kind, copy=False)


# ---- NearestCentroid ----


def prepare_nearest(call: Call, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """NearestCentroid.fit for class means; everything else is scikit-learn's."""
    estimator = call.estimator
    if estimator.metric != "euclidean":
        raise Declined("the centroids of this metric are medians")
    if estimator.shrink_threshold is not None:
        raise Declined("shrink_threshold moves the centroids")
    if not isinstance(getattr(estimator, "priors", "uniform"), str):
        raise Declined("priors are scikit-learn's to check")

    def fit(self: Any, X: Any, y: Any) -> Any:
        try:
            return _nearest(call, self, X, y)
        except Declined as reason:
            call.decline(reason)
        return theirs(self, X, y)

    return fit


def _nearest(call: Call, estimator: Any, X: Any, y: Any) -> Any:
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:
        raise Declined("this version of scikit-learn has another validation") from None
    from sklearn.utils.multiclass import check_classification_targets

    estimator._validate_params()
    X, y = validate_data(estimator, X, y, accept_sparse=["csr", "csc"])
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    codes, count = codes.reshape(-1), len(classes)
    if count < 2:
        raise Declined("only one class")
    rows = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    solution = solve(labels_of(rows, codes, count, None), {"algorithm": "nearest-mean"}, "the centroids are the same")
    centroids = solution.model.array("class-means").astype(np.float64, copy=False)
    spread = np.sqrt((np.asarray(X - centroids[codes]) ** 2).sum(axis=0) / max(1, len(codes) - count))
    if len(codes) <= count or not (spread > 0).all():
        raise Declined("a column is constant within all classes")
    call.solved([solution])
    sizes = np.bincount(codes, minlength=count)
    estimator.classes_, estimator.centroids_, estimator.within_class_std_dev_ = classes, centroids, spread
    uniform = getattr(estimator, "priors", "uniform") == "uniform"
    estimator.class_prior_ = np.full(count, 1.0 / count) if uniform else sizes / len(codes)
    scale = np.sqrt(1.0 / sizes - 1.0 / len(codes))[:, None] * (spread + np.median(spread))
    estimator.deviations_ = (centroids - (sizes / len(codes)) @ centroids) / scale
    return estimator
