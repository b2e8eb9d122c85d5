"""Objectives of scikit-learn as problems of the library."""
from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse

from .._estimator import certificate
from .._handles import Data, Model, Options, Report
from .._library import HalfspaceError
from .journal import Declined

__all__ = ["ReportView", "Solution", "certificate_of", "check_matrix", "check_weights", "class_factors", "data_of",
           "forget_start", "gap_for", "keep_start", "labels_of", "solve", "start_of", "with_column"]

# A gap up to this is no reason for a warning: the objective is right to more digits than any model needs.
GOOD = 1e-7

_starts: weakref.WeakKeyDictionary[Any, Model] = weakref.WeakKeyDictionary()


def gap_for(tol: float) -> float:
    """The relative duality gap for a tol of scikit-learn: 1e-12 for its default of 1e-4, which bounds a gradient.

    Below 1e-15 there is only rounding.
    """
    return min(1e-12, max(1e-15, 1e-8 * float(tol)))


class ReportView(Mapping[str, Any]):
    """The report of training as a mapping, converted when it is first read."""

    def __init__(self, source: Report | dict[str, Any]) -> None:
        self._source: Report | None = source if isinstance(source, Report) else None
        self._known: dict[str, Any] | None = None if isinstance(source, Report) else source

    def _values(self) -> dict[str, Any]:
        if self._known is None:
            assert self._source is not None
            self._known, self._source = self._source.to_dict(), None
        return self._known

    def __getitem__(self, name: str) -> Any:
        return self._values()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values())

    def __len__(self) -> int:
        return len(self._values())

    def __repr__(self) -> str:
        return repr(self._values())

    def __reduce__(self) -> Any:
        return ReportView, (self._values(),)


class Solution:
    """A fitted model as the arrays that scikit-learn wants."""

    def __init__(self, model: Model, report: Report, reason: str) -> None:
        self.model, self.report, self.reason = model, report, reason
        self.weights = model.array("weights")
        self.intercepts = model.array("intercepts").reshape(-1)

    @property
    def epochs(self) -> int:
        count = self.report.number("epochs")
        return 1 if count != count else max(1, int(count))

    @property
    def missed(self) -> bool:
        """Whether the fit ended far from its tolerance."""
        gap = self.report.number("relative_gap")
        return bool(self.report.flag("tolerance_missed")) and not gap <= GOOD


def certificate_of(solutions: list[Solution]) -> dict[str, Any] | None:
    """The certificate of a model, whose objective is the sum over its problems."""
    parts = [certificate(solution.report) for solution in solutions]
    if len(parts) == 1 or None in parts:
        return parts[0] if len(parts) == 1 else None
    total = {name: sum(part[name] for part in parts) for name in ("objective", "dual_bound")}  # type: ignore[index]
    gap = (total["objective"] - total["dual_bound"]) / max(abs(total["objective"]), 1e-300)
    tolerance = max(part["tolerance"] for part in parts)  # type: ignore[index]
    return {**total, "relative_gap": gap, "tolerance": tolerance, "verified": gap <= tolerance}


def check_matrix(X: Any) -> None:
    """Raise Declined unless X is a NumPy array or a SciPy matrix of float32 or float64."""
    if not (isinstance(X, np.ndarray) or scipy.sparse.issparse(X)):
        raise Declined(f"X is of {type(X).__module__.split('.')[0]}, not of NumPy or SciPy")
    if X.dtype not in (np.float32, np.float64):
        raise Declined(f"X has the type {X.dtype}")


def check_weights(weights: Any) -> Any:
    """The weights of the rows, or None where all are 1."""
    if weights is None:
        return None
    weights = np.asarray(weights)
    if weights.size and weights.min() < 0:
        raise Declined("negative sample weights")
    return None if (weights == 1).all() else weights


def solve(data: Data, options: Mapping[str, Any], reason: str, start: Model | None = None) -> Solution:
    """Train; raise Declined with the library's words where it refuses, or if it ends before the minimum.

    Then the limit of iterations is part of the question, or there is no minimum: scikit-learn runs, and warns, as it does.
    """
    try:
        model, report = Model.train(data, Options(options), start=start)
    except HalfspaceError as refused:
        raise Declined(str(refused)) from refused
    if model is None:
        raise Declined("no model")
    solution = Solution(model, report, reason)
    if solution.missed:
        raise Declined(f"the minimum was not reached and certified (stop: {report.text('stop_reason')})")
    if not (np.isfinite(solution.weights).all() and np.isfinite(solution.intercepts).all()):
        raise Declined("the weights are too large for floating point")
    return solution


def data_of(X: Any, **others: Any) -> Data:
    """Data over the arrays, without a copy where their type and layout allow."""
    try:
        return Data.from_arrays(X, **others)
    except HalfspaceError as refused:
        raise Declined(str(refused)) from refused


def labels_of(X: Any, codes: Any, classes: int, weights: Any) -> Data:
    """Data with the labels 0, 1, ..."""
    present = np.bincount(codes, weights, minlength=classes)
    if not (present > 0).all():
        raise Declined("a class has no rows")
    return data_of(X, labels=(codes, [str(k) for k in range(classes)]), weights=weights)


def with_column(X: Any, value: float) -> Any:
    """X with a further, constant column."""
    column = np.full((X.shape[0], 1), value, dtype=X.dtype)
    if scipy.sparse.issparse(X):
        return scipy.sparse.hstack([X, column], format="csr", dtype=X.dtype)
    return np.hstack([X, column])


def class_factors(class_weight: Any, classes: Any, y: Any, sample_weight: Any = None) -> Any:
    """The weights of the classes as scikit-learn computes them."""
    from sklearn.utils.class_weight import compute_class_weight

    if class_weight is None:
        return np.ones(len(classes))
    try:
        return compute_class_weight(class_weight, classes=classes, y=y, sample_weight=sample_weight)
    except TypeError:  # versions before 1.6
        return compute_class_weight(class_weight, classes=classes, y=y)


def start_of(estimator: Any) -> Model | None:
    """The model of the estimator's last fit, if warm_start asks for it."""
    return _starts.get(estimator) if getattr(estimator, "warm_start", False) else None


def keep_start(estimator: Any, model: Model) -> None:
    """Keep a model for a warm start; it is not part of the estimator's state."""
    if getattr(estimator, "warm_start", False):
        _starts[estimator] = model


def forget_start(estimator: Any) -> None:
    """Forget the model, after a fit elsewhere."""
    _starts.pop(estimator, None)
