"""SGDClassifier and Perceptron: algorithms of scikit-learn, replaced where more than their steps defines the result.

SGDClassifier with a tolerance runs until its objective no longer falls; here it is minimised. Perceptron is Rosenblatt's
rule: the same updates in the same order, if that order is the order of the rows.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from . import journal
from .core import Solution, check_matrix, check_weights, labels_of, solve
from .journal import Call, Declined

__all__ = ["DescentSeam"]

# Far below the distance at which stochastic descent stops, and quick to reach on many rows.
TOL = 1e-8
_ALGORITHMS = {
    "hinge": {"algorithm": "svm", "loss": "hinge"},
    "squared_hinge": {"algorithm": "svm", "loss": "squared-hinge"},
    "modified_huber": {"algorithm": "svm", "loss": "modified-huber"},
    "log_loss": {"algorithm": "logistic"},
    "squared_error": {"algorithm": "ridge", "loo": "no"},
}
_WITH_L1 = {"squared_hinge": "squared-hinge", "modified_huber": "modified-huber", "log_loss": "logistic"}


class DescentSeam:
    """Methods of SGDClassifier and Perceptron, before scikit-learn's own."""

    def _fit_binary(self, X: Any, y: Any, *args: Any, **how: Any) -> None:
        call = journal.current()
        if call is None or call.estimator is not self or not _fitted_here(call, self, X, y, args, how):
            super()._fit_binary(X, y, *args, **how)  # type: ignore[misc]

    def _fit_multiclass(self, X: Any, y: Any, *args: Any, **how: Any) -> None:
        call = journal.current()
        if call is None or call.estimator is not self or not _fitted_here(call, self, X, y, args, how):
            super()._fit_multiclass(X, y, *args, **how)  # type: ignore[misc]


def _fitted_here(call: Call, estimator: Any, X: Any, y: Any, args: Any, how: dict[str, Any]) -> bool:
    """Fit, or note why not."""
    try:
        if args or set(how) != {"alpha", "sample_weight", "learning_rate", "max_iter"}:
            raise Declined("this version of scikit-learn passes other arguments")
        if call.name == "Perceptron":
            solutions, epochs = _perceptron(call, estimator, X, y, how), how["max_iter"]
        else:
            solutions = _objective(call, estimator, X, y, how)
            epochs = max(solution.epochs for solution in solutions)
    except Declined as reason:
        call.decline(reason)
        return False
    call.solved(solutions)
    estimator.coef_ = np.vstack([s.weights for s in solutions]).astype(X.dtype, copy=False)
    kind = X.dtype if len(solutions) > 1 else np.float64  # as scikit-learn has it
    estimator.intercept_ = np.concatenate([s.intercepts for s in solutions]).astype(kind, copy=False)
    estimator.n_iter_ = epochs
    estimator.t_ += epochs * X.shape[0]
    return True


def _check_common(call: Call, estimator: Any, X: Any) -> None:
    """Raise Declined for what depends on the single steps of scikit-learn's descent."""
    check_matrix(X)
    if call.method != "fit":
        raise Declined("partial_fit makes one pass of scikit-learn's own steps")
    for name in ("early_stopping", "average", "warm_start"):
        if getattr(estimator, name, False):
            raise Declined(f"{name} depends on the single steps")
    if np.any(estimator.coef_) or np.any(estimator.intercept_):
        raise Declined("the initial coefficients are not 0")


def _factors(estimator: Any, codes: Any, positive: int, classes: int, weights: Any) -> Any:
    """The weights of the rows of one problem: of more than two classes, only the positive one has its class weight."""
    factors = np.asarray(estimator._expanded_class_weight, dtype=np.float64)
    rows = factors[codes] if classes == 2 else np.where(codes == positive, factors[positive], 1.0)
    return check_weights(rows if weights is None else rows * weights)


def _against(estimator: Any, X: Any, y: Any, weights: Any, options: dict[str, Any], why: str) -> list[Solution]:
    """One problem for two classes, else one for each class against the rest."""
    classes = len(estimator.classes_)
    codes = np.searchsorted(estimator.classes_, y)
    solutions = []
    for k in range(classes) if classes > 2 else (1,):
        labels = (codes == k).astype(np.int64)
        solutions.append(solve(labels_of(X, labels, 2, _factors(estimator, codes, k, classes, weights)), options, why))
    return solutions


# ---- SGDClassifier: its objective ----


def _objective(call: Call, estimator: Any, X: Any, y: Any, how: dict[str, Any]) -> list[Solution]:
    """Minimise alpha R(w) + sum c_i loss_i / n."""
    _check_common(call, estimator, X)
    if estimator.tol is None or not estimator.tol > 0:
        raise Declined("without a positive tol the result is that of max_iter passes of scikit-learn's own steps")
    if how["max_iter"] <= estimator.n_iter_no_change:
        raise Declined("max_iter ends scikit-learn's own steps before tol can")
    if how["learning_rate"] in ("pa1", "pa2"):
        raise Declined("passive-aggressive steps minimise another objective")
    if not how["alpha"] > 0 or estimator.penalty is None:
        raise Declined("without a penalty the result depends on the single steps")
    options = _sgd_options(estimator)
    options.update({"C": 1.0 / (how["alpha"] * X.shape[0]), "intercept": "free" if estimator.fit_intercept else "none"})
    if options["algorithm"] != "ridge":
        options["max-epochs"] = max(1000, int(how["max_iter"]))
    weights = check_weights(how["sample_weight"])
    return _against(estimator, X, y, weights, options, "the objective is minimised, in place of steps down to tol")


def _sgd_options(estimator: Any) -> dict[str, Any]:
    loss, ratio = estimator.loss, {"l2": 0.0, "l1": 1.0}.get(estimator.penalty, estimator.l1_ratio)
    if ratio == 0 and loss in _ALGORITHMS:
        return {**_ALGORITHMS[loss], "tol": TOL}
    if loss not in _WITH_L1:
        raise Declined(f"loss={loss!r} with penalty={estimator.penalty!r}")
    penalty = {"penalty": "l1"} if ratio == 1 else {"penalty": "elastic", "l1-ratio": float(ratio)}
    return {"algorithm": "gradient-descent", "solver": "prox-newton", "loss": _WITH_L1[loss], "tol": TOL, **penalty}


# ---- Perceptron: its updates ----


def _perceptron(call: Call, estimator: Any, X: Any, y: Any, how: dict[str, Any]) -> list[Solution]:
    """The updates of Rosenblatt's rule, row after row."""
    _check_common(call, estimator, X)
    if estimator.penalty is not None:
        raise Declined("the penalty depends on the single steps")
    if estimator.shuffle:
        raise Declined("shuffle=True visits the rows in an order that scikit-learn draws")
    if estimator.tol is not None:
        raise Declined("with tol the end of training depends on losses that scikit-learn sums between its steps")
    if scipy.sparse.issparse(X):
        raise Declined("for sparse data scikit-learn updates the intercept more slowly")
    weights = check_weights(how["sample_weight"])
    if weights is not None or (np.asarray(estimator._expanded_class_weight) != 1).any():
        raise Declined("weights of rows scale the single steps")
    options = {"algorithm": "perceptron", "order": "cyclic", "learning-rate": float(estimator.eta0), "keep": "last",
               "max-epochs": int(how["max_iter"]), "update-on": "nonpositive",
               "intercept": "free" if estimator.fit_intercept else "none"}
    return _against(estimator, X, y, None, options, "the updates are the same")
