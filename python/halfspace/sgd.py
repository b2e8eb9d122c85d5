"""Stochastic gradient descent with scikit-learn's parameters."""
from __future__ import annotations

import numbers
from typing import Any, Mapping

import numpy as np

from ._base import Problem
from ._calibration import is_calibrated
from ._classifier import HalfspaceClassifier, ProbabilityMixin, UpdateMixin
from ._compat import available_if
from ._parameters import check_choice, check_number, unsupported
from ._regressor import HalfspaceRegressor, RegressorUpdateMixin
from ._steps import limit_options, most_epochs, penalty_options, schedule_options

__all__ = ["SGDClassifier", "SGDRegressor"]

_LOSSES = {
    "hinge": "hinge", "log_loss": "logistic", "modified_huber": "modified-huber", "squared_hinge": "squared-hinge",
    "perceptron": "perceptron", "squared_error": "squared", "huber": "huber", "epsilon_insensitive": None,
    "squared_epsilon_insensitive": None,
}
_RATES = ("constant", "optimal", "invscaling", "adaptive", "pa1", "pa2")


def _check_sgd(estimator: Any, losses: Any) -> None:
    """The parameters that SGDClassifier and SGDRegressor share."""
    check_choice(estimator, "loss", tuple(losses))
    check_choice(estimator, "penalty", ("l2", "l1", "elasticnet", None))
    check_choice(estimator, "learning_rate", _RATES)
    check_number(estimator, "alpha")
    check_number(estimator, "l1_ratio", high=1)
    check_number(estimator, "max_iter", 1, integer=True)
    check_number(estimator, "power_t", -np.inf)
    check_number(estimator, "n_iter_no_change", 1, integer=True)
    if estimator.tol is not None:
        check_number(estimator, "tol")
    if estimator.learning_rate == "optimal":
        if estimator.alpha == 0:
            raise ValueError("alpha must be > 0 since learning_rate is 'optimal'. alpha is used to compute the optimal "
                             "learning rate.")
    else:
        check_number(estimator, "eta0", strict=True)
    if _LOSSES[estimator.loss] is None:
        raise unsupported(estimator, "loss", "the library does not have this loss.")
    if estimator.early_stopping:
        raise unsupported(estimator, "early_stopping", "no rows are set aside. Use early_stopping=False.")
    if isinstance(estimator.average, numbers.Integral) and int(estimator.average) > 1:
        raise unsupported(estimator, "average", "averages are over all steps. Use average=True.")
    if estimator.learning_rate in ("adaptive", "pa1", "pa2"):
        raise unsupported(estimator, "learning_rate", "use 'optimal', 'constant' or 'invscaling'.")


def _sgd_options(estimator: Any, problem: Problem) -> dict[str, Any]:
    mean = problem.mean_weight
    values = {
        "loss": _LOSSES[estimator.loss],
        "intercept": "free" if estimator.fit_intercept else "none",
        "order": "shuffle" if estimator.shuffle else "cyclic",
        "keep": "average" if estimator.average else "last",
        **penalty_options(estimator, mean), **schedule_options(estimator, mean), **limit_options(estimator, problem),
    }
    if estimator.loss == "huber":
        values["delta"] = float(estimator.epsilon)
    return values


def _has_probabilities(estimator: Any) -> bool:
    return estimator.loss in ("log_loss", "modified_huber") or is_calibrated(estimator)


class SGDClassifier(UpdateMixin, ProbabilityMixin, HalfspaceClassifier):
    """Linear classification by stochastic gradient descent, one row a step.

    Minimises ``alpha R(w) + weighted mean loss``; more than two classes: each against the rest. Parameters, defaults, objective
    and steps are those of scikit-learn's class; the order of the rows and the rule that stops training are our own.

    Parameters
    ----------
    loss : str, default='hinge'
        'hinge', 'log_loss', 'modified_huber', 'squared_hinge', 'perceptron' or 'squared_error'.
    penalty : {'l2', 'l1', 'elasticnet', None}, default='l2'
        The penalty R(w).
    alpha : float, default=0.0001
        Weight of the penalty; also sets the rate of ``learning_rate='optimal'``.
    l1_ratio : float, default=0.15
        Share of L1 in the penalty 'elasticnet'.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    max_iter : int, default=1000
        Limit on epochs.
    tol : float or None, default=1e-3
        None: run `max_iter` epochs. Else training stops earlier: when the relative duality gap, where there is one, is below
        1e-4, or when ten epochs have not lowered the objective by 0.01 %.
    shuffle : bool, default=True
        Whether to visit the rows in a new random order in each epoch.
    verbose : int, default=0
        Whether to show progress on stderr.
    epsilon : float, default=0.1
        Without effect for the losses that are supported.
    n_jobs : int, default=None
        Number of threads; -1: all. None: as many as the process may use.
    random_state : int, RandomState instance, default=None
        Seed of the order of the rows; None: always the same.
    learning_rate : {'optimal', 'constant', 'invscaling'}, default='optimal'
        The rate of step t = 1, 2, ...: ``1/(alpha (t0 + t - 1))``, ``eta0``, or ``eta0 / t^power_t``.
    eta0 : float, default=0.01
        Rate of 'constant' and 'invscaling'.
    power_t : float, default=0.5
        Exponent of 'invscaling'.
    early_stopping : bool, default=False
        Only False is supported.
    validation_fraction : float, default=0.1
        Without effect.
    n_iter_no_change : int, default=5
        Without effect: see `tol`.
    class_weight : dict or 'balanced', default=None
        Weights of the classes by label; balanced: the same total weight for every class.
    warm_start : bool, default=False
        Whether to begin at the weights of the last call to fit.
    average : bool, default=False
        Whether to keep the average of the weights over all steps.
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
    n_iter_ : int
        Epochs; the largest of several problems.
    t_ : float
        Rows visited, plus 1.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    certificate_ : dict or None
        ``objective``, ``dual_bound``, ``relative_gap``, ``tolerance`` and ``verified``, where there is a bound.
    trace_ : ndarray
        A record for each epoch.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import SGDClassifier
    >>> SGDClassifier().fit([[-1.0], [-0.5], [0.5], [1.0]], [0, 0, 1, 1]).predict([[-0.8], [0.8]])
    array([0, 1])
    """

    _algorithm = "sgd"

    def __init__(self, loss: str = "hinge", *, penalty: str | None = "l2", alpha: float = 0.0001, l1_ratio: float = 0.15,
                 fit_intercept: bool = True, max_iter: int = 1000, tol: float | None = 1e-3, shuffle: bool = True,
                 verbose: int = 0, epsilon: float = 0.1, n_jobs: int | None = None, random_state: Any = None,
                 learning_rate: str = "optimal", eta0: float = 0.01, power_t: float = 0.5, early_stopping: bool = False,
                 validation_fraction: float = 0.1, n_iter_no_change: int = 5,
                 class_weight: Mapping[Any, float] | str | None = None, warm_start: bool = False, average: Any = False,
                 calibrate: str | None = None, calibrate_folds: int = 5, decide: float | str | None = None,
                 missing: str = "error", encoding: Mapping[str, Any] | None = None) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding

    def _check_params(self) -> None:
        _check_sgd(self, _LOSSES)
        if self.loss == "huber":
            raise unsupported(self, "loss", "this loss is for numbers. Use SGDRegressor.")

    def _options(self, problem: Problem) -> dict[str, Any]:
        return _sgd_options(self, problem)

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        self.n_iter_ = most_epochs(report, self.n_iter_)
        self.t_ = float(self.n_iter_ * int(report.number("rows")) + 1)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of each class, for the losses 'log_loss' and 'modified_huber', or with `calibrate`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        if self.loss == "log_loss" or is_calibrated(self):
            return super().predict_proba(X)
        return _huber_probabilities(self._apply(X, "scores"))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Predict the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return super().predict_log_proba(X)


def _huber_probabilities(scores: np.ndarray) -> np.ndarray:
    """Zhang (2004): (clip(g, -1, 1) + 1)/2, scaled to a sum of 1; equal where all are 0."""
    chances = (np.clip(scores, -1, 1) + 1) / 2
    if chances.shape[1] == 1:
        return np.hstack([1 - chances, chances])
    total = chances.sum(axis=1, keepdims=True)
    return np.where(total > 0, chances / np.where(total > 0, total, 1), 1.0 / chances.shape[1])


class SGDRegressor(RegressorUpdateMixin, HalfspaceRegressor):
    """Linear regression by stochastic gradient descent, one row a step.

    Minimises ``alpha R(w) + weighted mean loss``. Parameters, defaults, objective and steps are those of scikit-learn's class;
    the order of the rows and the rule that stops training are our own.

    Parameters
    ----------
    loss : {'squared_error', 'huber'}, default='squared_error'
        The loss.
    penalty : {'l2', 'l1', 'elasticnet', None}, default='l2'
        The penalty R(w).
    alpha : float, default=0.0001
        Weight of the penalty; also sets the rate of ``learning_rate='optimal'``.
    l1_ratio : float, default=0.15
        Share of L1 in the penalty 'elasticnet'.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    max_iter : int, default=1000
        Limit on epochs.
    tol : float or None, default=1e-3
        None: run `max_iter` epochs. Else training stops earlier: when the relative duality gap is below 1e-4, or when ten
        epochs have not lowered the objective by 0.01 %.
    shuffle : bool, default=True
        Whether to visit the rows in a new random order in each epoch.
    verbose : int, default=0
        Whether to show progress on stderr.
    epsilon : float, default=0.1
        Absolute error above which the loss 'huber' is linear.
    random_state : int, RandomState instance, default=None
        Seed of the order of the rows; None: always the same.
    learning_rate : {'invscaling', 'optimal', 'constant'}, default='invscaling'
        The rate of step t = 1, 2, ...: ``eta0 / t^power_t``, ``1/(alpha (t0 + t - 1))``, or ``eta0``.
    eta0 : float, default=0.01
        Rate of 'constant' and 'invscaling'.
    power_t : float, default=0.25
        Exponent of 'invscaling'.
    early_stopping : bool, default=False
        Only False is supported.
    validation_fraction : float, default=0.1
        Without effect.
    n_iter_no_change : int, default=5
        Without effect: see `tol`.
    warm_start : bool, default=False
        Whether to begin at the weights of the last call to fit.
    average : bool, default=False
        Whether to keep the average of the weights over all steps.
    n_jobs : int, default=None
        Number of threads; -1: all. None: as many as the process may use.
    missing : {'error', 'drop', 'mean', 'median', 'indicator'}, default='error'
        Treatment of missing values in frames. Arrays must not have any.
    encoding : dict, default=None
        Further options of the encoding of frames, by the names of the program.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the features.
    intercept_ : ndarray of shape (1,)
        Intercept.
    n_iter_ : int
        Epochs.
    t_ : float
        Rows visited, plus 1.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    certificate_ : dict or None
        ``objective``, ``dual_bound``, ``relative_gap``, ``tolerance`` and ``verified``, where there is a bound.
    trace_ : ndarray
        A record for each epoch.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import SGDRegressor
    >>> model = SGDRegressor().fit([[-1.0], [0.0], [1.0]], [-2.0, 0.0, 2.0])
    >>> bool(abs(model.predict([[0.5]])[0] - 1.0) < 0.05)
    True
    """

    _algorithm = "sgd"

    def __init__(self, loss: str = "squared_error", *, penalty: str | None = "l2", alpha: float = 0.0001,
                 l1_ratio: float = 0.15, fit_intercept: bool = True, max_iter: int = 1000, tol: float | None = 1e-3,
                 shuffle: bool = True, verbose: int = 0, epsilon: float = 0.1, random_state: Any = None,
                 learning_rate: str = "invscaling", eta0: float = 0.01, power_t: float = 0.25, early_stopping: bool = False,
                 validation_fraction: float = 0.1, n_iter_no_change: int = 5, warm_start: bool = False, average: Any = False,
                 n_jobs: int | None = None, missing: str = "error", encoding: Mapping[str, Any] | None = None) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average
        self.n_jobs = n_jobs
        self.missing = missing
        self.encoding = encoding

    def _check_params(self) -> None:
        _check_sgd(self, ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"))
        if self.loss == "huber":
            check_number(self, "epsilon", strict=True)

    def _options(self, problem: Problem) -> dict[str, Any]:
        return _sgd_options(self, problem)

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        self.intercept_ = np.array([self.intercept_])
        self.t_ = float(self.n_iter_ * int(report.number("rows")) + 1)
