"""Support vector machines: soft and hard margin."""
from __future__ import annotations

import warnings
from typing import Any, Mapping

import numpy as np

from ._base import Problem
from ._classifier import HalfspaceClassifier
from ._compat import ConvergenceWarning
from ._handles import Data, Model, Report
from ._parameters import check_choice, check_number

__all__ = ["HardMarginSVC", "LinearSVC"]


def support(model: Model) -> tuple[np.ndarray | None, Any]:
    """Rows with a multiplier that is not 0, and the multipliers: a vector, or a list of them for several problems."""
    try:
        begin, rows, values = (model.array(f"dual-{part}") for part in ("begin", "rows", "values"))
    except ValueError:
        return None, None
    begin, rows = begin.reshape(-1).astype(np.int64), rows.reshape(-1).astype(np.int64)
    values = values.reshape(-1)
    found = np.unique(rows)
    dual = np.zeros((len(begin) - 1, len(found)))
    for k in range(len(begin) - 1):
        part = slice(begin[k], begin[k + 1])
        dual[k, np.searchsorted(found, rows[part])] = values[part]
    return found.astype(np.int32), dual


class _MarginClassifier(HalfspaceClassifier):
    """Attributes of the dual problem, read from the model when they are asked for."""

    @property
    def support_(self) -> np.ndarray:
        """Indices of the support vectors: rows with a non-zero multiplier."""
        found = support(self._model)[0] if self.__sklearn_is_fitted__() else None
        if found is None:
            raise AttributeError("support_ is known only after a fit whose model holds its dual vector")
        return found

    @property
    def dual_coef_(self) -> np.ndarray:
        """Multipliers y_i alpha_i of the support vectors, of shape (n_problems, n_support)."""
        values = support(self._model)[1] if self.__sklearn_is_fitted__() else None
        if values is None:
            raise AttributeError("dual_coef_ is known only after a fit whose model holds its dual vector")
        return values


class LinearSVC(_MarginClassifier):
    """Linear support vector machine with a certificate of optimality.

    Minimises ``R(w) + b^2/2 + C sum_i c_i loss_i``, as LIBLINEAR does: the intercept is penalised. Parameters, defaults and
    objective are those of scikit-learn's class; ``tol`` is the relative duality gap.

    Parameters
    ----------
    penalty : {'l1', 'l2'}, default='l2'
        R(w): ``|w|^2/2`` or ``|w|_1`` (with the squared hinge loss only).
    loss : {'hinge', 'squared_hinge'}, default='squared_hinge'
        The loss.
    dual : 'auto' or bool, default='auto'
        Accepted and without effect: the method is chosen from the data.
    tol : float, default=1e-10
        Relative duality gap at which training stops.
    C : float, default=1.0
        Weight of the losses against the penalty.
    multi_class : {'ovr', 'crammer_singer'}, default='ovr'
        One-vs-rest problems, or one problem for all classes.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    intercept_scaling : float, default=1.0
        The value of the constant column whose weight, which is penalised, gives the intercept.
    class_weight : dict or 'balanced', default=None
        Weights of the classes by label; balanced: the same total weight for every class.
    verbose : int, default=0
        Whether to show progress on stderr.
    random_state : int, RandomState instance, default=None
        Seed of random choices, which do not change the optimum.
    max_iter : int, default=1000
        Limit on epochs.
    n_jobs : int, default=None
        Number of threads; -1: all. None: as many as the process may use.
    calibrate : {'platt', 'isotonic', 'temperature'}, default=None
        Map from scores to probabilities, fitted on scores of rows that were not trained on; None: no map.
    calibrate_folds : int, default=5
        Number of folds whose models give the scores for `calibrate` and `decide`.
    decide : float or str, default=None
        With two classes, the threshold above which a row is of ``classes_[1]``: of its probability, or without probabilities
        of its score; or a rule that chooses it: 'best:f1', 'cost:1,5', 'recall:0.9'. None: the most probable class, or the
        sign of the score.
    missing : {'error', 'drop', 'mean', 'median', 'indicator'}, default='error'
        Treatment of missing values in frames. Arrays must not have any.
    encoding : dict, default=None
        Further options of the encoding of frames, by the names of the program.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    n_iter_ : int
        Epochs, over all problems.
    support_ : ndarray
        Indices of the support vectors.
    dual_coef_ : ndarray
        Their multipliers.
    certificate_ : dict
        ``objective``, ``dual_bound``, ``relative_gap``, ``tolerance`` and ``verified``.
    trace_ : ndarray
        A record for each epoch.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import LinearSVC
    >>> LinearSVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.5], [2.5]])
    array([0, 1])
    """

    _algorithm = "svm"

    def __init__(self, penalty: str = "l2", loss: str = "squared_hinge", *, dual: Any = "auto", tol: float = 1e-10,
                 C: float = 1.0, multi_class: str = "ovr", fit_intercept: bool = True, intercept_scaling: float = 1,
                 class_weight: Mapping[Any, float] | str | None = None, verbose: int = 0, random_state: Any = None,
                 max_iter: int = 1000, n_jobs: int | None = None, calibrate: str | None = None, calibrate_folds: int = 5,
                 decide: float | str | None = None, missing: str = "error",
                 encoding: Mapping[str, Any] | None = None) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding

    def _check_params(self) -> None:
        check_choice(self, "penalty", ("l1", "l2"))
        check_choice(self, "loss", ("hinge", "squared_hinge"))
        check_choice(self, "multi_class", ("ovr", "crammer_singer"))
        check_number(self, "C", strict=True)
        check_number(self, "tol")
        check_number(self, "max_iter", integer=True)
        check_number(self, "intercept_scaling", strict=True)
        if self.multi_class == "ovr" and self.penalty == "l1" and self.loss == "hinge":
            raise ValueError("Unsupported set of arguments: The combination of penalty='l1' and loss='hinge' is not supported, "
                             f"Parameters: penalty={self.penalty!r}, loss={self.loss!r}, dual={self.dual!r}")

    def _extra_column(self) -> float | None:
        crammer_singer = self.multi_class == "crammer_singer"
        plain = self.intercept_scaling == 1 and (self.penalty == "l2" or crammer_singer)
        return None if plain or not self.fit_intercept else float(self.intercept_scaling)

    def _options(self, problem: Problem) -> dict[str, Any]:
        values: dict[str, Any] = {"C": float(self.C), "tol": max(float(self.tol), 1e-15)}
        values["max-epochs"] = max(1, int(self.max_iter))
        values["intercept"] = "none" if not self.fit_intercept or self._extra_column() else "penalised"
        if self.multi_class == "crammer_singer" and problem.classes > 2:
            values["multiclass"] = "crammer-singer"
            return values
        if self.multi_class == "crammer_singer":
            # With two classes one difference u = w_1 - w_0 of scores counts: |w_0|^2 + |w_1|^2 is least as |u|^2/2.
            values["C"] *= 2.0
            values["loss"] = "hinge"
            return values
        values["loss"] = self.loss.replace("_", "-")
        if self.penalty == "l1":
            values.update({"algorithm": "gradient-descent", "penalty": "l1", "solver": "prox-newton"})
        return values

    def _set_attributes(self, model: Model, report: Report) -> None:
        super()._set_attributes(model, report)
        if not self.fit_intercept:
            self.intercept_ = 0.0


class InseparableError(ValueError):
    """A hard margin does not exist: the classes are not linearly separable.

    Attributes
    ----------
    proof : dict or list of dict
        The verdict with its witness, as `halfspace.separability` gives it.
    """

    proof: Any = None


class HardMarginSVC(_MarginClassifier):
    """The maximum-margin separator with its exact support vectors, or a proof that there is none.

    Minimises ``|w|^2/2`` subject to ``y_i g_i >= 1``; more than two classes: each against the rest. Weights of rows do not
    change the separator, except that rows of weight 0 are left out.

    Parameters
    ----------
    on_inseparable : {'soft', 'raise'}, default='soft'
        If the classes are not linearly separable: fit the soft margin with `C` and warn, or raise `InseparableError` with the
        proof.
    C : float, default=1.0
        Weight of the losses of the soft margin.
    intercept : {'free', 'none', 'penalised'}, default='free'
        intercept: not penalised, none, or penalised like a weight
    scale : {'none', 'standard', 'maxabs', 'minmax'}, default='none'
        scaling of the columns before training; in a table, only of numeric and date columns; weights are reported in
        original units
    tol : float, default=1e-10
        Relative duality gap at which training stops.
    max_epochs : int, default=1000
        Limit on passes over the data.
    max_seconds : float, default=None
        time limit in seconds
    verbose : int, default=0
        Whether to show progress on stderr.
    random_state : int, RandomState instance, default=None
        Seed of random choices, which do not change the optimum.
    n_jobs : int, default=None
        Number of threads; -1: all. None: as many as the process may use.
    calibrate : {'platt', 'isotonic', 'temperature'}, default=None
        Map from scores to probabilities, fitted on scores of rows that were not trained on; None: no map.
    calibrate_folds : int, default=5
        Number of folds whose models give the scores for `calibrate` and `decide`.
    decide : float or str, default=None
        With two classes, the threshold above which a row is of ``classes_[1]``: of its probability, or without probabilities
        of its score; or a rule that chooses it: 'best:f1', 'cost:1,5', 'recall:0.9'. None: the most probable class, or the
        sign of the score.
    missing : {'error', 'drop', 'mean', 'median', 'indicator'}, default='error'
        Treatment of missing values in frames. Arrays must not have any.
    encoding : dict, default=None
        Further options of the encoding of frames, by the names of the program.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    separable_ : bool
        Whether the hard margin exists.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    support_ : ndarray
        Indices of the support vectors.
    dual_coef_ : ndarray
        Their multipliers.
    n_iter_ : int
        Epochs, over all problems.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    certificate_ : dict
        ``objective``, ``dual_bound``, ``relative_gap``, ``tolerance`` and ``verified``.
    trace_ : ndarray
        A record for each epoch.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import HardMarginSVC
    >>> model = HardMarginSVC().fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> model.coef_, model.intercept_, model.support_
    (array([[1.]]), array([-2.]), array([1, 2], dtype=int32))
    """

    _algorithm = "hard-svm"
    _iterates = False

    def __init__(self, *, on_inseparable: str = "soft", C: float = 1.0, intercept: str = "free", scale: str = "none",
                 tol: float = 1e-10, max_epochs: int = 1000, max_seconds: float | None = None, verbose: int = 0,
                 random_state: Any = None, n_jobs: int | None = None, calibrate: str | None = None,
                 calibrate_folds: int = 5, decide: float | str | None = None, missing: str = "error",
                 encoding: Mapping[str, Any] | None = None) -> None:
        self.on_inseparable = on_inseparable
        self.C = C
        self.intercept = intercept
        self.scale = scale
        self.tol = tol
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding

    def _check_params(self) -> None:
        check_choice(self, "on_inseparable", ("raise", "soft"))
        check_number(self, "C", strict=True)

    def _options(self, problem: Problem) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("intercept", "scale", "tol", "max_epochs", "max_seconds")}

    def _soft_options(self, problem: Problem) -> dict[str, Any]:
        return {**HardMarginSVC._options(self, problem), "algorithm": "svm", "C": float(self.C)}

    def _take(self, data: Data, problem: Problem, model: Model | None, report: Report) -> None:
        self.separable_ = model is not None
        if model is None:
            model, report = self._fit_soft(data, problem, report)
        self._keep(model, report)

    def _fit_soft(self, data: Data, problem: Problem, report: Report) -> tuple[Model, Report]:
        words = ("the classes are not linearly separable, so no hard margin exists"
                 if report.text("stop_reason") != "max-seconds" else "no hard margin was found in time")
        if self.on_inseparable == "raise":
            failure = InseparableError(f"{words}: use on_inseparable='soft', or LinearSVC")
            failure.proof = report.get("separable")
            self.__dict__.pop("_model", None)
            raise failure
        warnings.warn(f"{words}: the soft margin with C={self.C!r} was fitted instead", ConvergenceWarning, stacklevel=4)
        self._options = self._soft_options  # type: ignore[method-assign]
        try:
            return self._train(data, problem)
        finally:
            del self._options
