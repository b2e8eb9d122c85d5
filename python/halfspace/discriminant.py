"""Classifiers in closed form from the means and covariances of the classes."""
from __future__ import annotations

import warnings
from typing import Any, Mapping, Sequence

import numpy as np

from ._base import Problem
from ._classifier import HalfspaceClassifier, ProbabilityMixin
from ._compat import OneToOneNames, TransformerMixin
from ._labels import label_texts
from ._parameters import check_choice, check_number, unsupported

__all__ = ["FisherDiscriminant", "LinearDiscriminantAnalysis", "NearestMean"]


# Rows of this weight count as that many rows: a divisor n - K is then n to rounding.
_MANY = 2.0**45


class NearestMean(HalfspaceClassifier):
    """Classification by the nearest class mean.

    The class weights of whole classes would change nothing, so there is no `class_weight`.

    Parameters
    ----------
    scale : {'none', 'standard', 'maxabs', 'minmax'}, default='none'
        scaling of the columns before training; in a table, only of numeric and date columns; weights are reported in
        original units
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
    centroids_ : ndarray of shape (n_classes, n_features)
        The class means.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import NearestMean
    >>> NearestMean().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).centroids_
    array([[0.5],
           [2.5]])
    """

    _algorithm = "nearest-mean"
    _iterates = False

    def __init__(self, *, scale: str = "none", n_jobs: int | None = None, calibrate: str | None = None,
                 calibrate_folds: int = 5, decide: float | str | None = None, missing: str = "error",
                 encoding: Mapping[str, Any] | None = None) -> None:
        self.scale = scale
        self.n_jobs = n_jobs
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding

    def _options(self, problem: Problem) -> dict[str, Any]:
        return {"scale": self.scale}

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        self.centroids_ = model.array("class-means")


class _Projection(OneToOneNames, TransformerMixin):
    """transform: the coordinates of the rows along the discriminant directions."""

    def transform(self, X: Any) -> np.ndarray:
        """Project the rows onto the discriminant directions.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        projections : ndarray of shape (n_samples, n_components)
            The coordinates.
        """
        found = self._apply(X, "projections")  # type: ignore[attr-defined]
        return np.ascontiguousarray(found[:, :self._n_features_out])  # type: ignore[attr-defined]


class FisherDiscriminant(_Projection, HalfspaceClassifier):
    """Fisher's discriminant of two classes: the direction of the largest between-class over within-class scatter.

    Parameters
    ----------
    within : {'sum', 'pooled'}, default='sum'
        within-class scatter of fisher: sum of the class covariances, or pooled covariance
    threshold : {'midpoint', 'prior', 'best'}, default='midpoint'
        threshold of fisher; midpoint: of the projected means; prior: midpoint shifted by the log of the prior ratio; best:
        fewest training errors
    shrinkage : 'none', 'auto' or float, default='none'
        shrinkage of the covariance (fisher, lda) towards a multiple of the identity: X, or the Ledoit-Wolf estimate (auto)
    scale : {'none', 'standard', 'maxabs', 'minmax'}, default='none'
        scaling of the columns before training; in a table, only of numeric and date columns; weights are reported in
        original units
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
    classes_ : ndarray of shape (2,)
        The labels, sorted.
    means_ : ndarray of shape (2, n_features)
        The class means.
    coef_ : ndarray of shape (1, n_features)
        The direction.
    intercept_ : ndarray of shape (1,)
        The negative threshold.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import FisherDiscriminant
    >>> FisherDiscriminant().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.5], [2.5]])
    array([0, 1])
    """

    _algorithm = "fisher"
    _iterates = False
    _binary_only = True

    def __init__(self, *, within: str = "sum", threshold: str = "midpoint", shrinkage: Any = "none", scale: str = "none",
                 n_jobs: int | None = None, calibrate: str | None = None, calibrate_folds: int = 5,
                 decide: float | str | None = None, missing: str = "error",
                 encoding: Mapping[str, Any] | None = None) -> None:
        self.within = within
        self.threshold = threshold
        self.shrinkage = shrinkage
        self.scale = scale
        self.n_jobs = n_jobs
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding

    def _options(self, problem: Problem) -> dict[str, Any]:
        return {"within": self.within, "threshold": self.threshold, "shrinkage": self.shrinkage, "scale": self.scale}

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        self.means_ = model.array("class-means")
        self._n_features_out = 1


class LinearDiscriminantAnalysis(ProbabilityMixin, _Projection, HalfspaceClassifier):
    """Gaussian classes with a common covariance: posterior probabilities and discriminant directions.

    Parameters and defaults are those of scikit-learn's class, and so is the covariance: the squares about the class means
    divided by the number of rows (with ``shrinkage='auto'`` by that number minus the classes).

    Parameters
    ----------
    solver : {'svd', 'lsqr', 'eigen'}, default='svd'
        Scikit-learn's names are accepted; the factorisation is chosen from the data.
    shrinkage : 'auto' or float, default=None
        Shrinkage of the covariance towards a multiple of the identity: the Ledoit-Wolf estimate, or a share from 0 to 1. As in
        scikit-learn, not with ``solver='svd'``.
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes; None: their shares in the rows.
    n_components : int, default=None
        Number of directions of `transform`; None: all, ``min(n_classes - 1, n_features)``.
    store_covariance : bool, default=False
        Whether to keep the covariance as `covariance_`.
    tol : float, default=1e-4
        Accepted and without effect: the rank is decided by rounding errors.
    covariance_estimator : None, default=None
        Only None is supported.
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
    priors_ : ndarray of shape (n_classes,)
        Prior probabilities.
    means_ : ndarray of shape (n_classes, n_features)
        Class means.
    xbar_ : ndarray of shape (n_features,)
        Mean of the classes, weighted by their priors.
    scalings_ : ndarray of shape (n_features, n_components)
        The discriminant directions.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of each direction in the variance between the classes.
    covariance_ : ndarray of shape (n_features, n_features)
        The mean of the class covariances, weighted by the priors, with ``store_covariance=True``.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import LinearDiscriminantAnalysis
    >>> model = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict_proba([[1.5]])
    array([[0.5, 0.5]])
    """

    _algorithm = "lda"
    _iterates = False

    def __init__(self, solver: str = "svd", shrinkage: Any = None, priors: Sequence[float] | None = None,
                 n_components: int | None = None, store_covariance: bool = False, tol: float = 1e-4,
                 covariance_estimator: Any = None, *, class_weight: Mapping[Any, float] | str | None = None,
                 n_jobs: int | None = None, calibrate: str | None = None, calibrate_folds: int = 5,
                 decide: float | str | None = None, missing: str = "error",
                 encoding: Mapping[str, Any] | None = None) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding

    def _check_params(self) -> None:
        check_choice(self, "solver", ("svd", "lsqr", "eigen"))
        check_number(self, "tol")
        if self.n_components is not None:
            check_number(self, "n_components", 1, integer=True)
        if self.covariance_estimator is not None:
            raise unsupported(self, "covariance_estimator", "the covariance is estimated here. Use None.")
        if self.shrinkage is not None and self.shrinkage != "auto":
            check_number(self, "shrinkage", high=1)
        if self.shrinkage is not None and self.solver == "svd":
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")

    def _given_priors(self, classes: int) -> dict[str, float] | None:
        if self.priors is None:
            return None
        priors = np.asarray(self.priors, dtype=np.float64)
        if priors.shape != (classes,):
            raise ValueError(f"priors must have one number for each of the {classes} classes, got {self.priors!r}")
        if not (priors >= 0).all():
            raise ValueError("priors must be non-negative")
        if abs(priors.sum() - 1.0) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=4)
        return dict(zip(label_texts(self.classes_), (priors / priors.sum()).tolist()))

    def _options(self, problem: Problem) -> dict[str, Any]:
        most = min(problem.classes - 1, problem.features)
        if self.n_components is not None and self.n_components > most:
            raise ValueError("n_components cannot be larger than min(n_features, n_classes - 1).")
        if problem.weight_sum <= problem.classes:
            raise ValueError("The number of samples must be more than the number of classes.")
        shrinkage = "none" if self.shrinkage is None else self.shrinkage
        return {"shrinkage": shrinkage, "priors": self._given_priors(problem.classes)}

    def _labelled(self, X: Any, classes: np.ndarray, codes: np.ndarray, weights: Any, table: bool) -> Any:
        # The divisor of the library is the sum of the weights minus the classes. Only it depends on the unit of the weights,
        # but for the Ledoit-Wolf estimate, which counts rows.
        if self.shrinkage != "auto":
            weights = np.full(len(codes), _MANY) if weights is None else weights * _MANY
        return super()._labelled(X, classes, codes, weights, table)

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        found = report.member("lda")
        self.priors_ = found.array("priors").reshape(-1)
        self.means_ = model.array("class-means")
        self.xbar_ = self.priors_ @ self.means_
        directions = model.array("directions")
        count = len(directions) if self.n_components is None else min(self.n_components, len(directions))
        self.scalings_ = directions.T
        self.explained_variance_ratio_ = found.array("explained").reshape(-1)[:count]
        self._n_features_out = count
        self.__dict__.pop("covariance_", None)
        if self.store_covariance:
            found = model.array("class-covariances")
            size = found.shape[-1]
            self.covariance_ = np.tensordot(self.priors_, found.reshape(-1, size, size), 1)
