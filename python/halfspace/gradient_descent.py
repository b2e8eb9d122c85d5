"""Gradient descent on all rows, with the options of the program."""
from __future__ import annotations

from typing import Any, Mapping

from ._descent import DescentClassifier, DescentRegressor

__all__ = ["GradientDescentClassifier", "GradientDescentRegressor"]


class GradientDescentClassifier(DescentClassifier):
    """Batch (sub)gradient descent on any loss and penalty, for classes.

    Parameters with the value None have the defaults of the program.

    Parameters
    ----------
    loss : str, default='hinge'
        loss function; see `halfspace list losses`
    penalty : {'none', 'l2', 'l1', 'elastic'}, default='none'
        penalty on the weights; see `halfspace list penalties`
    C : float, default=None
        weight of the sum of losses against the penalty; equivalent to lambda = 1/(n C), n the sum of the row weights
    lambda_ : float, default=None
        weight of the penalty against the mean loss; equivalent to C = 1/(n lambda); auto: by leave-one-out (ridge)
    l1_ratio : float, default=None
        share of L1 in the elastic penalty
    intercept : {'free', 'none', 'penalised'}, default='free'
        intercept: not penalised, none, or penalised like a weight
    scale : {'none', 'standard', 'maxabs', 'minmax'}, default='none'
        scaling of the columns before training; in a table, only of numeric and date columns; weights are reported in
        original units
    solver : str, default='auto'
        solver of the optimisation problem; see `halfspace list solvers`
    learning_rate : float, default=None
        step size of every update, or with schedule its initial value
    schedule : {'constant', 'harmonic', 'decay', 'power', 'pegasos', 'line-search'}, default=None
        step size of update k = 0, 1, ... for learning rate X; constant: X; harmonic: X/(k+1); decay: X/(1 + decay k);
        power: X/(k+1)^decay; pegasos: 1/(lambda (k+1)), which needs a penalty; line-search: found in each step
    decay : float, default=None
        decay rate of schedule decay, or exponent of schedule power
    init : {'zero', 'one-over-d', 'random'} or array-like, default='zero'
        initial weights (perceptron, gradient-descent, sgd, minibatch); as numbers: the weights, then the intercept
    keep : {'last', 'best', 'average'}, default='best'
        weights to keep (perceptron, gradient-descent, sgd, minibatch): the last, the best (lowest objective; perceptron:
        fewest mistakes), or the average
    kink : {'open', 'closed'}, default=None
        subgradient of the hinge loss at its kink, where y times the score is 1; open: 0, so no update; closed: -1, as
        below the kink
    tol : float, default=None
        Relative duality gap at which training stops, where there is one; None: 1e-4, or earlier when the objective has
        stopped falling.
    max_epochs : int, default=None
        Limit on passes over the data; None: 1000, or earlier when the objective has stopped falling.
    max_updates : int, default=None
        limit on updates of the weights
    max_steps : int, default=None
        limit on rows visited, over all passes
    max_seconds : float, default=None
        time limit in seconds
    class_weight : dict or 'balanced', default=None
        Weights of the classes by label; balanced: the same total weight for every class.
    random_state : int, RandomState instance, default=None
        Seed of random choices; None: always the same.
    verbose : int, default=0
        Whether to show progress on stderr.
    warm_start : bool, default=False
        Whether to begin at the weights of the last call to fit.
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
        Intercept.
    n_iter_ : int
        Epochs; the largest of several problems.
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
    >>> from halfspace import GradientDescentClassifier
    >>> GradientDescentClassifier().fit([[-1.0], [-0.5], [0.5], [1.0]], [0, 0, 1, 1]).predict([[-0.8], [0.8]])
    array([0, 1])
    """

    _algorithm = "gradient-descent"
    _names = (
        "loss", "penalty", "C", "lambda_", "l1_ratio", "intercept", "scale", "solver", "learning_rate", "schedule", "decay",
        "init", "keep", "kink", "tol", "max_epochs", "max_updates", "max_steps", "max_seconds",
    )

    def __init__(self, *, loss: str = "hinge", penalty: str = "none", C: float | None = None, lambda_: float | None = None,
                 l1_ratio: float | None = None, intercept: str = "free", scale: str = "none", solver: str = "auto",
                 learning_rate: float | None = None, schedule: str | None = None, decay: float | None = None,
                 init: Any = "zero", keep: str = "best", kink: str | None = None, tol: float | None = None,
                 max_epochs: int | None = None, max_updates: int | None = None, max_steps: int | None = None,
                 max_seconds: float | None = None, class_weight: Mapping[Any, float] | str | None = None,
                 random_state: Any = None, verbose: int = 0, warm_start: bool = False, n_jobs: int | None = None,
                 calibrate: str | None = None, calibrate_folds: int = 5, decide: float | str | None = None,
                 missing: str = "error", encoding: Mapping[str, Any] | None = None) -> None:
        self.loss = loss
        self.penalty = penalty
        self.C = C
        self.lambda_ = lambda_
        self.l1_ratio = l1_ratio
        self.intercept = intercept
        self.scale = scale
        self.solver = solver
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.decay = decay
        self.init = init
        self.keep = keep
        self.kink = kink
        self.tol = tol
        self.max_epochs = max_epochs
        self.max_updates = max_updates
        self.max_steps = max_steps
        self.max_seconds = max_seconds
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.decide = decide
        self.missing = missing
        self.encoding = encoding


class GradientDescentRegressor(DescentRegressor):
    """Batch (sub)gradient descent on any loss and penalty, for numbers.

    Parameters with the value None have the defaults of the program.

    Parameters
    ----------
    loss : str, default='squared'
        loss function; see `halfspace list losses`
    penalty : {'none', 'l2', 'l1', 'elastic'}, default='none'
        penalty on the weights; see `halfspace list penalties`
    C : float, default=None
        weight of the sum of losses against the penalty; equivalent to lambda = 1/(n C), n the sum of the row weights
    lambda_ : float, default=None
        weight of the penalty against the mean loss; equivalent to C = 1/(n lambda); auto: by leave-one-out (ridge)
    l1_ratio : float, default=None
        share of L1 in the elastic penalty
    intercept : {'free', 'none', 'penalised'}, default='free'
        intercept: not penalised, none, or penalised like a weight
    scale : {'none', 'standard', 'maxabs', 'minmax'}, default='none'
        scaling of the columns before training; in a table, only of numeric and date columns; weights are reported in
        original units
    solver : str, default='auto'
        solver of the optimisation problem; see `halfspace list solvers`
    learning_rate : float, default=None
        step size of every update, or with schedule its initial value
    schedule : {'constant', 'harmonic', 'decay', 'power', 'pegasos', 'line-search'}, default=None
        step size of update k = 0, 1, ... for learning rate X; constant: X; harmonic: X/(k+1); decay: X/(1 + decay k);
        power: X/(k+1)^decay; pegasos: 1/(lambda (k+1)), which needs a penalty; line-search: found in each step
    decay : float, default=None
        decay rate of schedule decay, or exponent of schedule power
    init : {'zero', 'one-over-d', 'random'} or array-like, default='zero'
        initial weights (perceptron, gradient-descent, sgd, minibatch); as numbers: the weights, then the intercept
    keep : {'last', 'best', 'average'}, default='best'
        weights to keep (perceptron, gradient-descent, sgd, minibatch): the last, the best (lowest objective; perceptron:
        fewest mistakes), or the average
    delta : float, default=None
        absolute error above which the huber loss is linear
    tol : float, default=None
        Relative duality gap at which training stops, where there is one; None: 1e-4, or earlier when the objective has
        stopped falling.
    max_epochs : int, default=None
        Limit on passes over the data; None: 1000, or earlier when the objective has stopped falling.
    max_updates : int, default=None
        limit on updates of the weights
    max_steps : int, default=None
        limit on rows visited, over all passes
    max_seconds : float, default=None
        time limit in seconds
    random_state : int, RandomState instance, default=None
        Seed of random choices; None: always the same.
    verbose : int, default=0
        Whether to show progress on stderr.
    warm_start : bool, default=False
        Whether to begin at the weights of the last call to fit.
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
    intercept_ : float
        Intercept.
    n_iter_ : int
        Epochs; the largest of several problems.
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
    >>> from halfspace import GradientDescentRegressor
    >>> model = GradientDescentRegressor().fit([[-1.0], [0.0], [1.0]], [-2.0, 0.0, 2.0])
    >>> bool(abs(model.predict([[0.5]])[0] - 1.0) < 0.05)
    True
    """

    _algorithm = "gradient-descent"
    _names = (
        "loss", "penalty", "C", "lambda_", "l1_ratio", "intercept", "scale", "solver", "learning_rate", "schedule", "decay",
        "init", "keep", "delta", "tol", "max_epochs", "max_updates", "max_steps", "max_seconds",
    )

    def __init__(self, *, loss: str = "squared", penalty: str = "none", C: float | None = None, lambda_: float | None =
                 None, l1_ratio: float | None = None, intercept: str = "free", scale: str = "none", solver: str = "auto",
                 learning_rate: float | None = None, schedule: str | None = None, decay: float | None = None, init: Any =
                 "zero", keep: str = "best", delta: float | None = None, tol: float | None = None, max_epochs: int | None =
                 None, max_updates: int | None = None, max_steps: int | None = None, max_seconds: float | None = None,
                 random_state: Any = None, verbose: int = 0, warm_start: bool = False, n_jobs: int | None = None, missing:
                 str = "error", encoding: Mapping[str, Any] | None = None) -> None:
        self.loss = loss
        self.penalty = penalty
        self.C = C
        self.lambda_ = lambda_
        self.l1_ratio = l1_ratio
        self.intercept = intercept
        self.scale = scale
        self.solver = solver
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.decay = decay
        self.init = init
        self.keep = keep
        self.delta = delta
        self.tol = tol
        self.max_epochs = max_epochs
        self.max_updates = max_updates
        self.max_steps = max_steps
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.missing = missing
        self.encoding = encoding
