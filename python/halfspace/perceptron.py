"""The perceptron."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from ._base import TRAIN, Problem
from ._classifier import HalfspaceClassifier, UpdateMixin
from ._parameters import check_choice, check_number, unsupported
from ._steps import most_epochs, penalty_options

__all__ = ["Perceptron"]


class Perceptron(UpdateMixin, HalfspaceClassifier):
    """Rosenblatt's perceptron: ``w += eta0 y x`` on every mistake, until an epoch makes none.

    Parameters and defaults are those of scikit-learn's class.

    Parameters
    ----------
    penalty : {'l2', 'l1', 'elasticnet'} or None, default=None
        The penalty. With one, training is stochastic gradient descent on the perceptron loss and the penalty.
    alpha : float, default=0.0001
        Weight of the penalty against the mean loss.
    l1_ratio : float, default=0.15
        Share of L1 in the penalty 'elasticnet'.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    max_iter : int, default=1000
        Limit on epochs.
    tol : float or None, default=1e-3
        Training ends after an epoch without a mistake. With a number it also ends when `n_iter_no_change` epochs have not
        lowered the mean loss, summed over the problems, by `tol`. None: only `max_iter` is a limit.
    shuffle : bool, default=True
        Whether to visit the rows in a new random order in each epoch.
    verbose : int, default=0
        Whether to show progress on stderr.
    eta0 : float, default=1
        Factor of the updates.
    n_jobs : int, default=None
        Number of threads; -1: all. None: as many as the process may use.
    random_state : int, RandomState instance or None, default=0
        Seed of the order of the rows.
    early_stopping : bool, default=False
        Only False is supported.
    validation_fraction : float, default=0.1
        Without effect.
    n_iter_no_change : int, default=5
        See `tol`.
    class_weight : dict or 'balanced', default=None
        Weights of the classes by label; balanced: the same total weight for every class.
    warm_start : bool, default=False
        Whether to begin at the weights of the last call to fit.
    keep : {'last', 'best', 'average'}, default='last'
        weights to keep (perceptron, gradient-descent, sgd, minibatch): the last, the best (lowest objective; perceptron: fewest
        mistakes), or the average
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
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all are strings.
    certificate_ : None
        There is no dual bound.
    trace_ : ndarray
        A record for each epoch.
    report_ : dict
        The whole report of training.

    Examples
    --------
    >>> from halfspace import Perceptron
    >>> Perceptron().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.5], [2.5]])
    array([0, 1])
    """

    _algorithm = "perceptron"

    def __init__(self, *, penalty: str | None = None, alpha: float = 0.0001, l1_ratio: float = 0.15,
                 fit_intercept: bool = True, max_iter: int = 1000, tol: float | None = 1e-3, shuffle: bool = True,
                 verbose: int = 0, eta0: float = 1.0, n_jobs: int | None = None, random_state: Any = 0,
                 early_stopping: bool = False, validation_fraction: float = 0.1, n_iter_no_change: int = 5,
                 class_weight: Mapping[Any, float] | str | None = None, warm_start: bool = False, keep: str = "last",
                 calibrate: str | None = None, calibrate_folds: int = 5, decide: float | str | None = None,
                 missing: str = "error", encoding: Mapping[str, Any] | None = None) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.keep = keep
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding

    def _check_params(self) -> None:
        check_number(self, "eta0", strict=True)
        check_number(self, "max_iter", 1, integer=True)
        check_number(self, "n_iter_no_change", 1, integer=True)
        if self.tol is not None:
            check_number(self, "tol")
        check_choice(self, "penalty", (None, "l2", "l1", "elasticnet"))
        if self.penalty is not None:
            check_number(self, "alpha")
            check_number(self, "l1_ratio", high=1)
        if self.early_stopping:
            raise unsupported(self, "early_stopping", "no rows are set aside. Use early_stopping=False.")

    def _options(self, problem: Problem) -> dict[str, Any]:
        values: dict[str, Any] = {
            "learning-rate": float(self.eta0),
            "intercept": "free" if self.fit_intercept else "none",
            "order": "shuffle" if self.shuffle else "cyclic",
            "keep": self.keep,
            "max-epochs": int(self.__dict__.get("_epochs", self.max_iter)),
        }
        if self.penalty is not None and self.alpha > 0:
            values.update({"algorithm": "sgd", "loss": "perceptron", "schedule": "constant",
                           **penalty_options(self, problem.mean_weight)})
            values["learning-rate"] *= problem.mean_weight
        return values

    def _train(self, data: Any, problem: Problem, start: Any = None, mode: int = TRAIN) -> Any:
        """In parts of n_iter_no_change epochs, each from the weights of the one before, while the loss falls by tol."""
        self._passes = 0
        if self.tol is None or mode != TRAIN:
            return super()._train(data, problem, start, mode)
        best, left, lines = np.inf, int(self.max_iter), None
        try:
            while True:
                self._epochs = min(left, int(self.n_iter_no_change))
                start, report = super()._train(data, problem, start)
                lines = self._recorder if lines is None else lines.followed_by(self._recorder)
                left -= self._epochs
                loss = report.number("mean_objective")
                self._passes += most_epochs(report, max(1, int(report.number("epochs"))))
                if report.flag("converged") or left <= 0 or not loss <= best - self.tol:
                    return start, report
                best = loss
        finally:
            self._recorder = lines or self._recorder
            self.__dict__.pop("_epochs", None)

    def _seed(self) -> int | None:
        # Each part of a run has an order of its own.
        seed = super()._seed()
        return None if seed is None and not self._passes else ((1 if seed is None else seed) + self._passes) % 2**31

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        self.n_iter_ = self.__dict__.pop("_passes", 0) or most_epochs(report, self.n_iter_)
        self.t_ = float(self.n_iter_ * int(report.number("rows")) + 1)
