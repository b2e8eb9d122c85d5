"""The objectives that scikit-learn minimises by LIBLINEAR: LinearSVC, and LogisticRegression with that solver."""
from __future__ import annotations

import inspect
import sys
from typing import Any, Callable

import numpy as np

from .core import Solution, check_matrix, check_weights, class_factors, gap_for, labels_of, solve, with_column
from .journal import Call, Declined
from .seams import rebound, seam

__all__ = ["liblinear", "prepare"]

_LOSSES = {"logistic_regression": "logistic", "hinge": "hinge", "squared_hinge": "squared-hinge"}


def prepare(call: Call, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """LinearSVC.fit with our solver."""
    from .logistic import in_context

    module = sys.modules[inspect.unwrap(theirs).__module__]
    return in_context(theirs, rebound(theirs, _fit_liblinear=seam(call, liblinear, module._fit_liblinear)))


def liblinear(call: Call, X: Any, y: Any, C: float, fit_intercept: bool, intercept_scaling: float, class_weight: Any,
              penalty: str, dual: bool, verbose: int, max_iter: int, tol: float, random_state: Any = None,
              multi_class: str = "ovr", loss: str = "logistic_regression", epsilon: float = 0.1,
              sample_weight: Any = None) -> Any:
    """Coefficients, intercepts and iterations, as scikit-learn's function of the same arguments returns them."""
    from sklearn.svm._base import _get_liblinear_solver_type
    from sklearn.utils.validation import _check_sample_weight

    check_matrix(X)
    if loss not in _LOSSES:
        raise Declined(f"loss={loss!r}")
    _get_liblinear_solver_type(multi_class, penalty, loss, dual)  # raises for combinations that scikit-learn refuses
    if C <= 0 or max_iter < 1 or (fit_intercept and intercept_scaling <= 0):
        raise Declined("C, max_iter or intercept_scaling is not positive")
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise Declined("only one class")
    factors = class_factors(class_weight, classes, y, sample_weight)
    weights = check_weights(None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64))
    options: dict[str, Any] = {"C": float(C), "tol": gap_for(tol), "max-epochs": int(max_iter)}
    joint = multi_class == "crammer_singer"
    plain = intercept_scaling == 1 and (penalty == "l2" or joint)
    extra = None if plain or not fit_intercept else float(intercept_scaling)
    options["intercept"] = "penalised" if fit_intercept and plain else "none"
    options.update(_objective(loss, penalty, joint, len(classes)))
    if joint and len(classes) == 2:
        options["C"] *= 2
    if extra is not None:
        X = with_column(X, extra)
    solutions = _problems(X, codes.reshape(-1), len(classes), weights, factors, options)
    call.solved(solutions)
    return _result(solutions, len(classes), fit_intercept, extra, joint)


def _objective(loss: str, penalty: str, joint: bool, classes: int) -> dict[str, Any]:
    """The options of the loss and the penalty."""
    if joint:
        # Of two classes only the difference u = w_1 - w_0 counts, and |w_0|^2 + |w_1|^2 is least as |u|^2/2.
        return {"algorithm": "svm", **({"multiclass": "crammer-singer"} if classes > 2 else {"loss": "hinge"})}
    if loss == "logistic_regression":
        return {"algorithm": "logistic", "penalty": penalty}
    if penalty == "l1":
        return {"algorithm": "gradient-descent", "solver": "prox-newton", "loss": _LOSSES[loss], "penalty": "l1"}
    return {"algorithm": "svm", "loss": _LOSSES[loss]}


def _problems(X: Any, codes: Any, classes: int, weights: Any, factors: Any, options: dict[str, Any]) -> list[Solution]:
    """One problem; where weights of classes differ one for each class, which alone has its weight against the rest."""
    why = "the objective is the same"
    if (factors == 1).all():
        return [solve(labels_of(X, codes, classes, weights), options, why)]
    if classes == 2 or options.get("multiclass") == "crammer-singer":
        rows = factors[codes] if weights is None else weights * factors[codes]
        return [solve(labels_of(X, codes, classes, rows), options, why)]
    solutions = []
    for k in range(classes):
        against = (codes == k).astype(np.int64)
        rows = np.where(against == 1, factors[k], 1.0)
        solutions.append(solve(labels_of(X, against, 2, rows if weights is None else weights * rows), options, why))
    return solutions


def _result(solutions: list[Solution], classes: int, intercept: bool, extra: float | None, joint: bool) -> Any:
    coef = np.vstack([solution.weights for solution in solutions])
    bias: Any = np.concatenate([solution.intercepts for solution in solutions])
    if extra is not None:
        coef, bias = coef[:, :-1], coef[:, -1] * extra
    if joint and classes == 2:
        coef, bias = np.vstack([-coef / 2, coef / 2]), np.concatenate([-bias / 2, bias / 2])
    iterations = np.array([solution.epochs for solution in solutions], dtype=np.int32)
    return np.ascontiguousarray(coef), bias if intercept else 0.0, iterations
