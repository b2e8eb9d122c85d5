"""Least squares with L1 and mixed penalties."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from ._base import Problem
from ._parameters import check_choice, check_number, unsupported
from ._regressor import HalfspaceRegressor

__all__ = ["ElasticNet", "Lasso"]


class _SparseRegressor(HalfspaceRegressor):
    """What Lasso and ElasticNet share."""

    _multi_output = True
    alpha: float
    fit_intercept: bool
    positive: bool

    def _check_params(self) -> None:
        check_number(self, "alpha")
        check_number(self, "tol")
        check_number(self, "max_iter", 1, integer=True)
        check_choice(self, "selection", ("cyclic", "random"))
        if self.positive:
            raise unsupported(self, "positive", "the weights have no sign constraints. Use positive=False.")
        if isinstance(self.precompute, str):  # type: ignore[attr-defined]
            raise ValueError(f"The 'precompute' parameter of {type(self).__name__} must be a bool or an array. Got "
                             f"{self.precompute!r} instead.")  # type: ignore[attr-defined]

    def _common(self) -> dict[str, Any]:
        if self.alpha == 0:
            return {"algorithm": "least-squares", "intercept": "free" if self.fit_intercept else "none", "loo": "no"}
        limit = int(self.max_iter)  # type: ignore[attr-defined]
        return {"lambda": float(self.alpha), "intercept": "free" if self.fit_intercept else "none",
                "tol": max(float(self.tol), 1e-15), "max-epochs": limit}  # type: ignore[attr-defined]

    @property
    def dual_gap_(self) -> Any:
        """P - D of the mean form, by the certificate; NaN where there is none."""
        def gap(found: Mapping[str, float] | None) -> float:
            # P/(C sum c) is the mean form: lambda = 1/(C sum c).
            return float("nan") if found is None else max(0.0, found["objective"] - found["dual_bound"]) * self.alpha
        several = self.certificate_
        return np.array([gap(found) for found in several]) if isinstance(several, list) else gap(several)

    @property
    def sparse_coef_(self) -> Any:
        """The weights as a sparse matrix of scipy."""
        from scipy import sparse
        return sparse.csr_matrix(self.coef_)


class Lasso(_SparseRegressor):
    """Least squares with an L1 penalty, with a certificate of optimality.

    Minimises ``alpha |w|_1 + sum_i c_i (y_i - g_i)^2 / (2 sum_i c_i)``. Parameters, defaults and objective are those of
    scikit-learn's class; ``tol`` is the relative duality gap.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty; 0: least squares.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    precompute : bool or array, default=False
        Accepted and without effect.
    copy_X : bool, default=True
        Accepted and without effect: X is never changed.
    max_iter : int, default=1000
        Limit on epochs.
    tol : float, default=1e-10
        Relative duality gap at which training stops.
    warm_start : bool, default=False
        Whether to begin at the solution of the last call to fit.
    positive : bool, default=False
        Only False is supported.
    random_state : int, RandomState instance, default=None
        Accepted and without effect.
    selection : {'cyclic', 'random'}, default='cyclic'
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
    sparse_coef_ : scipy.sparse matrix
        The same, sparse.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept.
    dual_gap_ : float or ndarray
        Duality gap of the mean form.
    n_iter_ : int or list of int
        Epochs.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    certificate_ : dict
        ``objective``, ``dual_bound``, ``relative_gap``, ``tolerance`` and ``verified``; a list of them for several targets.
    trace_ : ndarray
        A record for each epoch.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import Lasso
    >>> Lasso(alpha=0.5).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [0.0, 1.0, 2.0]).coef_.round(9)
    array([0.25, 0.  ])
    """

    _algorithm = "lasso"

    def __init__(self, alpha: float = 1.0, *, fit_intercept: bool = True, precompute: Any = False, copy_X: bool = True,
                 max_iter: int = 1000, tol: float = 1e-10, warm_start: bool = False, positive: bool = False,
                 random_state: Any = None, selection: str = "cyclic", n_jobs: int | None = None, missing: str = "error",
                 encoding: Mapping[str, Any] | None = None) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.n_jobs = n_jobs
        self.missing = missing
        self.encoding = encoding

    def _options(self, problem: Problem) -> dict[str, Any]:
        return self._common()


class ElasticNet(_SparseRegressor):
    """Least squares with L1 and L2 penalties, with a certificate of optimality.

    Minimises ``alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2/2) + sum_i c_i (y_i - g_i)^2 / (2 sum_i c_i)``. Parameters,
    defaults and objective are those of scikit-learn's class; ``tol`` is the relative duality gap.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalties; 0: least squares.
    l1_ratio : float, default=0.5
        Share of L1: 0 is ridge, 1 is lasso.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    precompute : bool or array, default=False
        Accepted and without effect.
    max_iter : int, default=1000
        Limit on epochs.
    copy_X : bool, default=True
        Accepted and without effect: X is never changed.
    tol : float, default=1e-10
        Relative duality gap at which training stops.
    warm_start : bool, default=False
        Whether to begin at the solution of the last call to fit.
    positive : bool, default=False
        Only False is supported.
    random_state : int, RandomState instance, default=None
        Accepted and without effect.
    selection : {'cyclic', 'random'}, default='cyclic'
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
    sparse_coef_ : scipy.sparse matrix
        The same, sparse.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept.
    dual_gap_ : float or ndarray
        Duality gap of the mean form.
    n_iter_ : int or list of int
        Epochs.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    certificate_ : dict
        ``objective``, ``dual_bound``, ``relative_gap``, ``tolerance`` and ``verified``; a list of them for several targets.
    trace_ : ndarray
        A record for each epoch.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import ElasticNet
    >>> ElasticNet(alpha=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).coef_.round(9)
    array([0.86046512])
    """

    _algorithm = "elastic-net"

    def __init__(self, alpha: float = 1.0, *, l1_ratio: float = 0.5, fit_intercept: bool = True, precompute: Any = False,
                 max_iter: int = 1000, copy_X: bool = True, tol: float = 1e-10, warm_start: bool = False,
                 positive: bool = False, random_state: Any = None, selection: str = "cyclic", n_jobs: int | None = None,
                 missing: str = "error", encoding: Mapping[str, Any] | None = None) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.n_jobs = n_jobs
        self.missing = missing
        self.encoding = encoding

    def _check_params(self) -> None:
        super()._check_params()
        check_number(self, "l1_ratio", high=1)

    def _options(self, problem: Problem) -> dict[str, Any]:
        values = self._common()
        if self.alpha == 0:
            return values
        if self.l1_ratio == 0:
            values.pop("max-epochs")
            return {**values, "algorithm": "ridge", "loo": "no", "tol": max(values["tol"], 1e-14)}
        return {**values, "algorithm": "lasso"} if self.l1_ratio == 1 else {**values, "l1-ratio": float(self.l1_ratio)}
