"""LogisticRegression and LogisticRegressionCV: the objective R(w) + C sum c_i loss_i along values of C."""
from __future__ import annotations

import inspect
import numbers
import sys
from typing import Any, Callable

import numpy as np

from .core import (Solution, check_matrix, check_weights, class_factors, gap_for, keep_start, labels_of, solve, start_of,
                   with_column)
from .journal import Call, Declined
from .liblinear import liblinear
from .seams import rebound, seam

__all__ = ["prepare", "prepare_cv"]

# Parameters of scikit-learn's path that choose how, not what, it minimises.
_METHOD = {"tol", "verbose", "coef", "dual", "random_state", "check_input", "max_squared_sum", "n_threads", "callback_ctx",
           "estimator"}
_WHAT = {"fit_intercept", "max_iter", "solver", "class_weight", "penalty", "intercept_scaling", "sample_weight", "l1_ratio"}


def in_context(theirs: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the checks of parameters that the original had around it."""
    if not hasattr(theirs, "__wrapped__"):
        return inner
    from sklearn.base import _fit_context

    return _fit_context(prefer_skip_nested_validation=True)(inner)


def prepare(call: Call, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """LogisticRegression.fit with our path."""
    if getattr(call.estimator, "_skl_callbacks", None):
        raise Declined("callbacks are called by scikit-learn's solvers only")
    module = sys.modules[inspect.unwrap(theirs).__module__]
    inner = rebound(theirs, _logistic_regression_path=seam(call, path, module._logistic_regression_path),
                    _fit_liblinear=seam(call, liblinear, module._fit_liblinear))
    return in_context(theirs, inner)


def prepare_cv(call: Call, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """LogisticRegressionCV.fit with our path in every fold. Folds run one after the other, each with all threads."""
    module = sys.modules[inspect.unwrap(theirs).__module__]
    ours = seam(call, path, module._logistic_regression_path)

    class Sequential(module.Parallel):  # type: ignore[misc, name-defined]
        def __init__(self, n_jobs: Any = None, **how: Any) -> None:
            how.pop("prefer", None)
            super().__init__(n_jobs=1, **how)

    scoring = rebound(module._log_reg_scoring_path, _logistic_regression_path=ours)
    inner = rebound(theirs, _logistic_regression_path=ours, _log_reg_scoring_path=scoring, Parallel=Sequential)
    return in_context(theirs, inner)


def path(call: Call, X: Any, y: Any, *, classes: Any, Cs: Any = 10, **how: Any) -> Any:
    """Coefficients for each C, as scikit-learn's function of the same arguments returns them."""
    unknown = set(how) - _METHOD - _WHAT
    if unknown:
        raise Declined(f"this version of scikit-learn asks for {', '.join(sorted(unknown))}")
    check_matrix(X)
    if not isinstance(y, np.ndarray) or len(classes) < 2:
        raise Declined("y is not a NumPy array of two classes or more")
    if how.get("max_iter", 100) < 1:
        raise Declined("max_iter=0")
    Cs = np.logspace(-4, 4, Cs) if isinstance(Cs, numbers.Integral) else Cs
    if not all(C > 0 for C in Cs):
        raise Declined("C is not positive")
    if how.get("solver") == "liblinear" and len(classes) > 2:
        raise Declined("liblinear has two classes only")
    codes, weights = _weights(X, y, np.asarray(classes), how)
    return _solve_path(call, X, codes, weights, len(classes), Cs, how)


def _weights(X: Any, y: Any, classes: Any, how: dict[str, Any]) -> tuple[Any, Any]:
    """The class of each row, and its weight."""
    from sklearn.utils.validation import _check_sample_weight

    codes = np.searchsorted(classes, y)
    weights, class_weight = how.get("sample_weight"), how.get("class_weight")
    if weights is not None:
        weights = _check_sample_weight(weights, X, dtype=X.dtype)
    if class_weight is not None:
        factors = class_factors(class_weight, classes, y, weights)[codes]
        weights = factors if weights is None else weights * factors
    return codes, check_weights(weights)


def _options(how: dict[str, Any], classes: int, C: float) -> dict[str, Any]:
    """The options of one problem."""
    ratio = {"l1": 1.0, "l2": 0.0}.get(how.get("penalty", "l2"), how.get("l1_ratio"))
    if ratio is None:
        raise Declined("an elastic net without l1_ratio")
    options: dict[str, Any] = {"algorithm": "logistic", "tol": gap_for(how.get("tol", 1e-4))}
    options["max-epochs"] = int(how.get("max_iter", 100))
    if np.isinf(C):
        options["penalty"] = "none"
    else:
        options["penalty"] = "l2" if ratio == 0 else "l1" if ratio == 1 else "elastic"
        options["C"] = float(C)
        options["l1-ratio"] = None if ratio in (0, 1) else float(ratio)
    options["multiclass"] = "softmax" if classes > 2 else None
    options["intercept"] = "free" if how.get("fit_intercept", True) else "none"
    return options


def _solve_path(call: Call, X: Any, codes: Any, weights: Any, classes: int, Cs: Any, how: dict[str, Any]) -> Any:
    """One fit after the other, each from the solution before."""
    extra = None
    intercept = how.get("fit_intercept", True)
    if how.get("solver") == "liblinear" and intercept:
        extra = float(how.get("intercept_scaling", 1.0))
        X = with_column(X, extra)
    data = labels_of(X, codes, classes, weights)
    start = start_of(call.estimator)
    if start is not None and (start.features != X.shape[1] or start.classes != classes):
        start = None
    solutions: list[Solution] = []
    for C in Cs:
        options = _options({**how, "fit_intercept": intercept and extra is None}, classes, C)
        solutions.append(solve(data, options, "the objective is the same", start))
        start = solutions[-1].model
    keep_start(call.estimator, solutions[-1].model)
    call.solved(solutions[-1:], alone=True)
    coefs = np.stack([_coefficients(solution, intercept, extra, classes) for solution in solutions])
    return coefs.astype(X.dtype, copy=False), np.asarray(Cs), np.array([s.epochs for s in solutions], dtype=np.int32)


def _coefficients(solution: Solution, intercept: bool, extra: float | None, classes: int) -> Any:
    """Weights, then the intercept: a vector for two classes, else a row for each class."""
    weights = solution.weights
    if extra is not None:
        weights = np.column_stack([weights[:, :-1], weights[:, -1] * extra])
    elif intercept:
        weights = np.column_stack([weights, solution.intercepts])
    return weights[0] if classes == 2 else weights
