"""Logistic regression."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from ._base import Problem
from ._classifier import HalfspaceClassifier, ProbabilityMixin
from ._parameters import check_choice, check_number

__all__ = ["LogisticRegression"]

_SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga", "auto")
# With up to this many columns Newton's method costs little, and ends with weights that are exact to rounding.
_FEW = 64
_PENALTIES = ("deprecated", "l1", "l2", "elasticnet", None)


class LogisticRegression(ProbabilityMixin, HalfspaceClassifier):
    """Logistic regression with a certificate of optimality.

    Minimises ``R(w) + C sum_i c_i loss_i`` with ``R = (1 - l1_ratio) |w|^2/2 + l1_ratio |w|_1``. The loss is that of the
    logistic model for two classes, and of the multinomial model (softmax) for more. Parameters, defaults and objective are
    those of scikit-learn's class; ``tol`` is the relative duality gap.

    Parameters
    ----------
    penalty : {'l1', 'l2', 'elasticnet', None}, default='deprecated'
        The older form of `l1_ratio` (and of ``C=np.inf`` for None). By default `l1_ratio` decides.
    C : float, default=1.0
        Weight of the losses against the penalty; ``np.inf``: no penalty.
    l1_ratio : float, default=0.0
        Share of L1 in the penalty: 0 is L2, 1 is L1.
    dual : bool, default=False
        Accepted and without effect: the method is chosen from the data.
    tol : float, default=1e-10
        Relative duality gap at which training stops.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    intercept_scaling : float, default=1
        With ``solver='liblinear'``: the value of the constant column whose weight, which is penalised, gives the intercept.
    class_weight : dict or 'balanced', default=None
        Weights of the classes by label; balanced: the same total weight for every class.
    random_state : int, RandomState instance, default=None
        Seed of random choices, which do not change the optimum.
    solver : str, default='lbfgs'
        Scikit-learn's names are accepted; the method is chosen from the data and the optimum does not depend on it. Only
        'liblinear' has a meaning: the intercept is penalised and several classes are one-vs-rest problems.
    max_iter : int, default=100
        Limit on epochs.
    verbose : int, default=0
        Whether to show progress on stderr.
    warm_start : bool, default=False
        Whether to begin at the solution of the last call to fit.
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
        Further options of the encoding of frames, by the names of the program, such as ``{'text': ['comment']}``.

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
    n_iter_ : ndarray of shape (1,)
        Epochs.
    certificate_ : dict
        ``objective``, ``dual_bound`` (a proven lower bound of the optimum), ``relative_gap``, ``tolerance`` and ``verified``.
    trace_ : ndarray
        A record for each epoch.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[0.5], [2.5]])
    array([0, 1])
    >>> model.certificate_["relative_gap"] <= 1e-10
    True
    """

    _algorithm = "logistic"

    def __init__(self, penalty: Any = "deprecated", *, C: float = 1.0, l1_ratio: float | None = 0.0, dual: bool = False,
                 tol: float = 1e-10, fit_intercept: bool = True, intercept_scaling: float = 1,
                 class_weight: Mapping[Any, float] | str | None = None, random_state: Any = None, solver: str = "lbfgs",
                 max_iter: int = 100, verbose: int = 0, warm_start: bool = False, n_jobs: int | None = None,
                 calibrate: str | None = None, calibrate_folds: int = 5, decide: float | str | None = None,
                 missing: str = "error", encoding: Mapping[str, Any] | None = None) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding

    def _ratio(self) -> float | None:
        """The share of L1 in the penalty; None: no penalty."""
        if self.penalty is None or np.isinf(self.C):
            return None
        return {"l1": 1.0, "l2": 0.0}.get(self.penalty, float(self.l1_ratio or 0.0))

    def _check_params(self) -> None:
        check_choice(self, "penalty", _PENALTIES)
        check_choice(self, "solver", _SOLVERS)
        check_number(self, "C", strict=True)
        check_number(self, "tol")
        check_number(self, "max_iter", integer=True)
        if self.l1_ratio is not None:
            check_number(self, "l1_ratio", high=1)
        elif self.penalty == "elasticnet":
            raise ValueError("l1_ratio must be specified when penalty is elasticnet.")
        if self.solver == "liblinear":
            check_number(self, "intercept_scaling", strict=True)
            if self._ratio() not in (0.0, 1.0):
                raise ValueError("Only 'saga' solver supports elasticnet penalty, got solver=liblinear.")

    def _extra_column(self) -> float | None:
        penalised = self.solver == "liblinear" and self.fit_intercept
        return float(self.intercept_scaling) if penalised and (self._ratio() == 1.0 or self.intercept_scaling != 1) else None

    def _options(self, problem: Problem) -> dict[str, Any]:
        ratio = self._ratio()
        values: dict[str, Any] = {"tol": max(float(self.tol), 1e-15), "max-epochs": max(1, int(self.max_iter))}
        if ratio is None:
            values["penalty"] = "none"
        else:
            values["penalty"] = "l2" if ratio == 0 else "l1" if ratio == 1 else "elastic"
            values["C"] = float(self.C)
            values["l1-ratio"] = None if ratio in (0, 1) else ratio
        liblinear = self.solver == "liblinear"
        values["intercept"] = "none" if not self.fit_intercept or self._extra_column() else "penalised" if liblinear else "free"
        if ratio == 0 and problem.features <= _FEW and not self.__dict__.get("_is_table", False):
            values["solver"] = "newton"
        if problem.classes > 2:
            values["multiclass"] = "ovr" if liblinear else "softmax"
        return values

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        self.n_iter_ = np.array([self.n_iter_], dtype=np.int32)
