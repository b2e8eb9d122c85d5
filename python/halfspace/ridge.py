"""Least squares, with and without an L2 penalty, for numbers and for classes."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from ._base import Problem
from ._classifier import HalfspaceClassifier
from ._parameters import check_choice, check_number, unsupported
from ._regressor import HalfspaceRegressor

__all__ = ["LeastSquaresClassifier", "LinearRegression", "Ridge", "RidgeClassifier"]

_SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")


def _intercept(estimator: Any) -> str:
    return "free" if estimator.fit_intercept else "none"


def _check_ridge(estimator: Any) -> None:
    """The parameters that Ridge and RidgeClassifier share."""
    check_choice(estimator, "solver", _SOLVERS)
    check_number(estimator, "tol")
    if estimator.max_iter is not None:
        check_number(estimator, "max_iter", 1, integer=True)
    if estimator.positive:
        raise unsupported(estimator, "positive", "the weights have no sign constraints. Use positive=False.")
    if estimator.solver == "lbfgs":
        raise ValueError("'lbfgs' solver can be used only when positive=True. Please use another solver.")


class Ridge(HalfspaceRegressor):
    """Least squares with an L2 penalty, with a certificate of optimality.

    Minimises ``alpha |w|^2 + sum_i c_i (y_i - g_i)^2``. Parameters, defaults and objective are those of scikit-learn's class;
    ``tol`` is the relative duality gap.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        Weight of the penalty; 0: least squares.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    copy_X : bool, default=True
        Accepted and without effect: X is never changed.
    max_iter : int, default=None
        Accepted and without effect: the solution has a closed form.
    tol : float, default=1e-10
        Relative duality gap that must be reached.
    solver : str, default='auto'
        Scikit-learn's names are accepted; the factorisation is chosen from the data.
    positive : bool, default=False
        Only False is supported.
    random_state : int, RandomState instance, default=None
        Accepted and without effect.
    n_jobs : int, default=None
        Number of threads; -1: all. None: as many as the process may use.
    missing : {'error', 'drop', 'mean', 'median', 'indicator'}, default='error'
        Treatment of missing values in frames. Arrays must not have any.
    encoding : dict, default=None
        Further options of the encoding of frames, by the names of the program.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Weights of the features.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    n_iter_ : int
        1: the solution has a closed form.
    solver_ : str
        The factorisation that was used.
    certificate_ : dict
        ``objective``, ``dual_bound``, ``relative_gap``, ``tolerance`` and ``verified``; a list of them for several targets.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import Ridge
    >>> Ridge(alpha=0.5).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).coef_
    array([0.8])
    """

    _algorithm = "ridge"
    _iterates = False
    _multi_output = True

    def __init__(self, alpha: Any = 1.0, *, fit_intercept: bool = True, copy_X: bool = True, max_iter: int | None = None,
                 tol: float = 1e-10, solver: str = "auto", positive: bool = False, random_state: Any = None,
                 n_jobs: int | None = None, missing: str = "error", encoding: Mapping[str, Any] | None = None) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.missing = missing
        self.encoding = encoding

    def _check_params(self) -> None:
        _check_ridge(self)
        if np.ndim(self.alpha) == 0:
            check_number(self, "alpha")
        elif np.ndim(self.alpha) > 1 or np.size(self.alpha) == 0 or not (np.asarray(self.alpha, dtype=float) >= 0).all():
            raise ValueError(f"The 'alpha' parameter of Ridge must be a number or a vector of numbers in the range [0, inf). "
                             f"Got {self.alpha!r} instead.")

    def _fit_columns(self, X: Any, y: np.ndarray, *rest: Any) -> None:
        if np.size(self.alpha) not in (1, y.shape[1]):
            raise ValueError("Number of targets and number of penalties do not correspond: "
                             f"{np.size(self.alpha)} != {y.shape[1]}")
        super()._fit_columns(X, y, *rest)

    def _options(self, problem: Problem) -> dict[str, Any]:
        alphas = np.ravel(self.alpha)
        if len(alphas) > 1 and "_column" not in self.__dict__:
            raise ValueError(f"Number of targets and number of penalties do not correspond: {len(alphas)} != 1")
        alpha = float(alphas[self._column if len(alphas) > 1 else 0])
        return ridge_options(self, alpha)

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        self.solver_ = report.text("solver")


def ridge_options(estimator: Any, alpha: float) -> dict[str, Any]:
    """The options of a penalty alpha."""
    if alpha == 0:
        return {"algorithm": "least-squares", "intercept": _intercept(estimator), "loo": "no"}
    return {"C": 1.0 / alpha, "intercept": _intercept(estimator), "tol": max(float(estimator.tol), 1e-14), "loo": "no"}


class RidgeClassifier(HalfspaceClassifier):
    """Classification by least squares on targets -1 and +1 with an L2 penalty, with a certificate of optimality.

    Minimises ``alpha |w|^2 + sum_i c_i (y_i - g_i)^2``, one problem for each class if there are more than two. Parameters,
    defaults and objective are those of scikit-learn's class; ``tol`` is the relative duality gap.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty; 0: least squares.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    copy_X : bool, default=True
        Accepted and without effect: X is never changed.
    max_iter : int, default=None
        Accepted and without effect: the solution has a closed form.
    tol : float, default=1e-10
        Relative duality gap that must be reached.
    class_weight : dict or 'balanced', default=None
        Weights of the classes by label; balanced: the same total weight for every class.
    solver : str, default='auto'
        Scikit-learn's names are accepted; the factorisation is chosen from the data.
    positive : bool, default=False
        Only False is supported.
    random_state : int, RandomState instance, default=None
        Accepted and without effect.
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
        1: the solution has a closed form.
    solver_ : str
        The factorisation that was used.
    certificate_ : dict
        ``objective``, ``dual_bound``, ``relative_gap``, ``tolerance`` and ``verified``.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import RidgeClassifier
    >>> RidgeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.5], [2.5]])
    array([0, 1])
    """

    _algorithm = "ridge"
    _iterates = False

    def __init__(self, alpha: float = 1.0, *, fit_intercept: bool = True, copy_X: bool = True, max_iter: int | None = None,
                 tol: float = 1e-10, class_weight: Mapping[Any, float] | str | None = None, solver: str = "auto",
                 positive: bool = False, random_state: Any = None, n_jobs: int | None = None, calibrate: str | None = None,
                 calibrate_folds: int = 5, decide: float | str | None = None, missing: str = "error",
                 encoding: Mapping[str, Any] | None = None) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding

    def _check_params(self) -> None:
        _check_ridge(self)
        check_number(self, "alpha")

    def _options(self, problem: Problem) -> dict[str, Any]:
        return ridge_options(self, float(self.alpha))

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        self.solver_ = report.text("solver")


class LinearRegression(HalfspaceRegressor):
    """Least squares. Of several solutions, the one of the smallest norm.

    Parameters and defaults are those of scikit-learn's class.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    copy_X : bool, default=True
        Accepted and without effect: X is never changed.
    tol : float, default=1e-6
        Accepted and without effect: the solution is exact to rounding.
    n_jobs : int, default=None
        Number of threads; -1: all. None: as many as the process may use.
    positive : bool, default=False
        Only False is supported.
    missing : {'error', 'drop', 'mean', 'median', 'indicator'}, default='error'
        Treatment of missing values in frames. Arrays must not have any.
    encoding : dict, default=None
        Further options of the encoding of frames, by the names of the program.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Weights of the features.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept.
    rank_ : int
        Rank of the centred columns, where it is known.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    certificate_ : dict or None
        ``objective``, ``dual_bound``, ``relative_gap``, ``tolerance`` and ``verified``, where there is a bound.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import LinearRegression
    >>> LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[3.0]]).round(9)
    array([7.])
    """

    _algorithm = "least-squares"
    _iterates = False
    _multi_output = True

    def __init__(self, *, fit_intercept: bool = True, copy_X: bool = True, tol: float = 1e-6, n_jobs: int | None = None,
                 positive: bool = False, missing: str = "error", encoding: Mapping[str, Any] | None = None) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive
        self.missing = missing
        self.encoding = encoding

    def _check_params(self) -> None:
        if self.positive:
            raise unsupported(self, "positive", "the weights have no sign constraints. Use positive=False.")

    def _options(self, problem: Problem) -> dict[str, Any]:
        return {"intercept": _intercept(self), "loo": "no"}

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        found = report.member("least_squares")
        rank = float("nan") if found is None else found.number("rank")
        self.rank_ = min(self.n_features_in_, int(report.number("rows"))) if rank != rank else int(rank)


class LeastSquaresClassifier(HalfspaceClassifier):
    """Classification by least squares on targets -1 and +1, one problem for each class if there are more than two.

    Parameters
    ----------
    intercept : {'free', 'none', 'penalised'}, default='free'
        intercept: not penalised, none, or penalised like a weight
    scale : {'none', 'standard', 'maxabs', 'minmax'}, default='none'
        scaling of the columns before training; in a table, only of numeric and date columns; weights are reported in
        original units
    loo : {'auto', 'yes', 'no'}, default='auto'
        leave-one-out error in closed form (least-squares, ridge); auto: if it is cheap; yes: also the leave-one-out scores
    class_weight : dict or 'balanced', default=None
        Weights of the classes by label; balanced: the same total weight for every class.
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
    certificate_ : dict or None
        ``objective``, ``dual_bound``, ``relative_gap``, ``tolerance`` and ``verified``, where there is a bound.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import LeastSquaresClassifier
    >>> LeastSquaresClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.5], [2.5]])
    array([0, 1])
    """

    _algorithm = "least-squares"
    _iterates = False

    def __init__(self, *, intercept: str = "free", scale: str = "none", loo: str = "auto",
                 class_weight: Mapping[Any, float] | str | None = None, n_jobs: int | None = None,
                 calibrate: str | None = None, calibrate_folds: int = 5, decide: float | str | None = None,
                 missing: str = "error", encoding: Mapping[str, Any] | None = None) -> None:
        self.intercept = intercept
        self.scale = scale
        self.loo = loo
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding

    def _options(self, problem: Problem) -> dict[str, Any]:
        return {"intercept": self.intercept, "scale": self.scale, "loo": self.loo}
