"""Networks with hidden layers."""
from __future__ import annotations

import warnings
from typing import Any, Mapping, Sequence

import numpy as np

from ._base import Problem
from ._classifier import HalfspaceClassifier, ProbabilityMixin
from ._compat import ConvergenceWarning
from ._parameters import check_choice, check_number, unsupported
from ._regressor import HalfspaceRegressor

__all__ = ["MLPClassifier", "MLPRegressor"]


class _Network:
    """Parameters and attributes of both networks."""

    def _layers(self) -> list[int]:
        sizes = np.atleast_1d(np.asarray(self.hidden_layer_sizes))  # type: ignore[attr-defined]
        if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes <= 0).any():
            raise ValueError(f"hidden_layer_sizes must be > 0, got {self.hidden_layer_sizes!r}.")  # type: ignore[attr-defined]
        return sizes.tolist()

    def _check_params(self) -> None:
        est: Any = self
        check_choice(est, "activation", ("identity", "logistic", "tanh", "relu"))
        check_choice(est, "solver", ("lbfgs", "sgd", "adam"))
        check_number(est, "alpha")
        check_number(est, "tol")
        check_number(est, "max_iter", 1, integer=True)
        check_number(est, "learning_rate_init", strict=True)
        if est.batch_size != "auto":
            check_number(est, "batch_size", 1, integer=True)
        if not self._layers():
            raise unsupported(est, "hidden_layer_sizes", "a network without hidden layers is a linear model. Use "
                              "LogisticRegression or Ridge.")
        if est.activation not in ("tanh", "relu"):
            raise unsupported(est, "activation", "use 'relu' or 'tanh'.")
        if est.solver == "sgd":
            raise unsupported(est, "solver", "use 'adam' or 'lbfgs'.")
        if est.early_stopping:
            raise unsupported(est, "early_stopping", "no rows are set aside. Use early_stopping=False.")

    def _options(self, problem: Problem) -> dict[str, Any]:
        est: Any = self
        # P/C = sum of losses + alpha |W|^2/2, so C = 1/alpha; a network without a penalty has the largest C.
        values: dict[str, Any] = {
            "hidden": self._layers(), "activation": est.activation, "solver": est.solver, "scale": "none",
            "C": 1.0 / float(est.alpha) if est.alpha > 0 else 1e12,
            "tol": max(float(est.tol), 1e-15) if est.tol is not None else None, "max-epochs": int(est.max_iter),
        }
        if est.solver == "adam":
            values["batch"] = min(200, problem.rows) if est.batch_size == "auto" else min(int(est.batch_size), problem.rows)
            values["learning-rate"] = float(est.learning_rate_init)
        return values

    def _set_attributes(self, model: Any, report: Any) -> None:
        est: Any = self
        layers = model.report().get("layers")
        est.coefs_ = [np.ascontiguousarray(np.asarray(layer["weights"], dtype=np.float64).T) for layer in layers]
        est.intercepts_ = [np.asarray(layer["intercepts"], dtype=np.float64).reshape(-1) for layer in layers]
        est.n_layers_ = len(layers) + 1
        est.n_outputs_ = est.coefs_[-1].shape[1]
        trace = est._recorder.array()
        est.loss_curve_ = trace["mean_loss"][1:].tolist()
        est.loss_ = report.number("mean_objective")
        est.best_loss_ = est.loss_
        est.t_ = int(est.n_iter_ * report.number("rows"))
        if report.text("stop_reason") == "max-epochs":
            warnings.warn(f"{type(self).__name__}: the limit of {est.max_iter} epochs was reached and training has not "
                          "converged yet. Increase max_iter.", ConvergenceWarning, stacklevel=5)


class MLPClassifier(_Network, ProbabilityMixin, HalfspaceClassifier):
    """Multi-layer perceptron for classes that no linear rule separates.

    Minimises ``alpha |W|^2/2 + sum_i c_i loss_i`` over the weights of all layers. Parameters, defaults and objective are those
    of scikit-learn's class. The objective is not convex, so there is no certificate.

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int, default=(100,)
        Units of each hidden layer.
    activation : {'relu', 'tanh'}, default='relu'
        Activation of the hidden units.
    solver : {'adam', 'lbfgs'}, default='adam'
        Steps on batches of rows scaled by moments of the gradient, or quasi-Newton steps on all rows.
    alpha : float, default=0.0001
        Weight of the penalty.
    batch_size : int or 'auto', default='auto'
        Rows of a step of 'adam'; auto: 200, or all if there are fewer.
    learning_rate : str, default='constant'
        Without effect: it belongs to the solver 'sgd' of scikit-learn.
    learning_rate_init : float, default=0.001
        Rate of 'adam'.
    power_t : float, default=0.5
        Without effect.
    max_iter : int, default=200
        Limit on epochs.
    shuffle : bool, default=True
        Accepted and without effect: 'adam' always shuffles.
    random_state : int, RandomState instance, default=None
        Seed of the initial weights and of the batches; None: always the same.
    tol : float, default=1e-4
        Training stops when ten epochs have lowered the objective by less than this share of its value at the start.
    verbose : bool, default=False
        Whether to show progress on stderr.
    warm_start : bool, default=False
        Whether to begin at the network of the last call to fit.
    momentum : float, default=0.9
        Without effect.
    nesterovs_momentum : bool, default=True
        Without effect.
    early_stopping : bool, default=False
        Only False is supported.
    validation_fraction : float, default=0.1
        Without effect.
    beta_1 : float, default=0.9
        Without effect: the moments of 'adam' have the usual constants.
    beta_2 : float, default=0.999
        Without effect.
    epsilon : float, default=1e-8
        Without effect.
    n_iter_no_change : int, default=10
        Without effect: see `tol`.
    max_fun : int, default=15000
        Without effect.
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
    coefs_ : list of ndarray
        Weights of the layers, of shape (units of the layer before, units of the layer).
    intercepts_ : list of ndarray
        Their intercepts.
    loss_ : float
        Objective over the sum of the row weights.
    loss_curve_ : list of float
        Mean loss after each epoch.
    n_iter_ : int
        Epochs.
    n_layers_ : int
        Layers, the inputs counted.
    n_outputs_ : int
        Scores of the last layer.
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
    >>> from halfspace import MLPClassifier
    >>> model = MLPClassifier((8,), solver="lbfgs").fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> model.predict([[0, 1], [1, 1]])
    array([1, 0])
    """

    _algorithm = "mlp"

    def __init__(self, hidden_layer_sizes: int | Sequence[int] = (100,), activation: str = "relu", *, solver: str = "adam",
                 alpha: float = 0.0001, batch_size: int | str = "auto", learning_rate: str = "constant",
                 learning_rate_init: float = 0.001, power_t: float = 0.5, max_iter: int = 200, shuffle: bool = True,
                 random_state: Any = None, tol: float = 1e-4, verbose: bool = False, warm_start: bool = False,
                 momentum: float = 0.9, nesterovs_momentum: bool = True, early_stopping: bool = False,
                 validation_fraction: float = 0.1, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-8,
                 n_iter_no_change: int = 10, max_fun: int = 15000, class_weight: Mapping[Any, float] | str | None = None,
                 n_jobs: int | None = None, calibrate: str | None = None, calibrate_folds: int = 5,
                 decide: float | str | None = None, missing: str = "error",
                 encoding: Mapping[str, Any] | None = None) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding

    # As in scikit-learn, a network has probabilities and no scores.
    @property
    def decision_function(self) -> Any:
        """Not available."""
        raise AttributeError("MLPClassifier has no scores: use predict_proba")

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        self.out_activation_ = "logistic" if len(self.classes_) == 2 else "softmax"


class MLPRegressor(_Network, HalfspaceRegressor):
    """Multi-layer perceptron for regression.

    Minimises ``alpha |W|^2/2 + sum_i c_i (y_i - g_i)^2/2`` over the weights of all layers. Parameters, defaults and objective
    are those of scikit-learn's class. The objective is not convex, so there is no certificate.

    Parameters
    ----------
    loss : {'squared_error'}, default='squared_error'
        The loss.
    hidden_layer_sizes : int or sequence of int, default=(100,)
        Units of each hidden layer.
    activation : {'relu', 'tanh'}, default='relu'
        Activation of the hidden units.
    solver : {'adam', 'lbfgs'}, default='adam'
        Steps on batches of rows scaled by moments of the gradient, or quasi-Newton steps on all rows.
    alpha : float, default=0.0001
        Weight of the penalty.
    batch_size : int or 'auto', default='auto'
        Rows of a step of 'adam'; auto: 200, or all if there are fewer.
    learning_rate : str, default='constant'
        Without effect: it belongs to the solver 'sgd' of scikit-learn.
    learning_rate_init : float, default=0.001
        Rate of 'adam'.
    power_t : float, default=0.5
        Without effect.
    max_iter : int, default=200
        Limit on epochs.
    shuffle : bool, default=True
        Accepted and without effect: 'adam' always shuffles.
    random_state : int, RandomState instance, default=None
        Seed of the initial weights and of the batches; None: always the same.
    tol : float, default=1e-4
        Training stops when ten epochs have lowered the objective by less than this share of its value at the start.
    verbose : bool, default=False
        Whether to show progress on stderr.
    warm_start : bool, default=False
        Whether to begin at the network of the last call to fit.
    momentum : float, default=0.9
        Without effect.
    nesterovs_momentum : bool, default=True
        Without effect.
    early_stopping : bool, default=False
        Only False is supported.
    validation_fraction : float, default=0.1
        Without effect.
    beta_1 : float, default=0.9
        Without effect: the moments of 'adam' have the usual constants.
    beta_2 : float, default=0.999
        Without effect.
    epsilon : float, default=1e-8
        Without effect.
    n_iter_no_change : int, default=10
        Without effect: see `tol`.
    max_fun : int, default=15000
        Without effect.
    n_jobs : int, default=None
        Number of threads; -1: all. None: as many as the process may use.
    missing : {'error', 'drop', 'mean', 'median', 'indicator'}, default='error'
        Treatment of missing values in frames. Arrays must not have any.
    encoding : dict, default=None
        Further options of the encoding of frames, by the names of the program.

    Attributes
    ----------
    coefs_ : list of ndarray
        Weights of the layers, of shape (units of the layer before, units of the layer).
    intercepts_ : list of ndarray
        Their intercepts.
    loss_ : float
        Objective over the sum of the row weights.
    loss_curve_ : list of float
        Mean loss after each epoch.
    n_iter_ : int
        Epochs.
    n_layers_ : int
        Layers, the inputs counted.
    n_outputs_ : int
        1.
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
    >>> from halfspace import MLPRegressor
    >>> model = MLPRegressor(hidden_layer_sizes=8, activation="tanh", solver="lbfgs")
    >>> model = model.fit([[-1.0], [0.0], [1.0]], [1.0, 0.0, 1.0])
    >>> bool(abs(model.predict([[1.0]])[0] - 1.0) < 0.05)
    True
    """

    _algorithm = "mlp"

    def __init__(self, loss: str = "squared_error", hidden_layer_sizes: int | Sequence[int] = (100,),
                 activation: str = "relu", *, solver: str = "adam", alpha: float = 0.0001,
                 batch_size: int | str = "auto", learning_rate: str = "constant",
                 learning_rate_init: float = 0.001, power_t: float = 0.5, max_iter: int = 200, shuffle: bool = True,
                 random_state: Any = None, tol: float = 1e-4, verbose: bool = False, warm_start: bool = False,
                 momentum: float = 0.9, nesterovs_momentum: bool = True, early_stopping: bool = False,
                 validation_fraction: float = 0.1, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-8,
                 n_iter_no_change: int = 10, max_fun: int = 15000, n_jobs: int | None = None, missing: str = "error",
                 encoding: Mapping[str, Any] | None = None) -> None:
        self.loss = loss
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.n_jobs = n_jobs
        self.missing = missing
        self.encoding = encoding

    def _check_params(self) -> None:
        check_choice(self, "loss", ("squared_error", "poisson"))
        if self.loss != "squared_error":
            raise unsupported(self, "loss", "use 'squared_error'.")
        super()._check_params()

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)
        self.out_activation_ = "identity"
