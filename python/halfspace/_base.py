"""The base of all estimators: parameters become options, arrays become data, models become attributes.

A class names its algorithm and turns its parameters into options (`_options`); everything else is here. On scikit-learn's
BaseEstimator where it is installed, else on a small one of our own.
"""
from __future__ import annotations

import numbers
import os
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from . import _tables
from ._compat import BaseEstimator, ConvergenceWarning, assert_all_finite, check_fitted, validate
from ._handles import Data, Model, Options, Report
from ._notebook import NotebookMixin
from ._progress import Recorder
from ._threads import allowed_threads

# hsp_job_mode
TRAIN, UPDATE = 0, 1

# Algorithms that do not begin anywhere.
_CLOSED = ("least-squares", "ridge")
_READ_AS_THEY_ARE = {np.dtype(kind) for kind in ("f4", "f8", "i1", "u1", "?", "i2", "i4", "i8", "u4")}


@dataclass
class Problem:
    """What the options of a fit may depend on."""

    rows: int
    features: int
    classes: int  # 0 for regression
    weight_sum: float  # of the rows; their number without weights
    positive: int = 0  # rows of positive weight, where some have none; 0: all
    class_weight: str | None = None  # the option, where the weights of the rows do not contain those of their classes

    @classmethod
    def of(cls, rows: int, features: int, classes: int, weights: np.ndarray | None) -> Problem:
        """A problem with these weights of rows; None: all 1."""
        if weights is None:
            return cls(rows, features, classes, float(rows))
        return cls(rows, features, classes, float(weights.sum()), int(np.count_nonzero(weights)))

    @property
    def mean_weight(self) -> float:
        """Over the rows of positive weight: others are as if they were not there."""
        return self.weight_sum / (self.positive or self.rows)


class HalfspaceEstimator(NotebookMixin, BaseEstimator):
    """Base class of the estimators; use one of its subclasses."""

    _algorithm: ClassVar[str]
    # Whether training can begin at a model.
    _iterates: ClassVar[bool] = True

    # ---- for subclasses ----

    def _options(self, problem: Problem) -> dict[str, Any]:
        """The options of the fit by name; those that are None keep their defaults."""
        raise NotImplementedError

    def _choices(self, problem: Problem) -> dict[str, Any]:
        """The options of calibration and decision rule, which `_options` leaves to the base."""
        return {}

    def _check_params(self) -> None:
        """Raise ValueError (UnsupportedParameterError) for parameters that cannot be used."""

    def _extra_column(self) -> float | None:
        """The value of a constant column to add, whose weight gives a penalised intercept; None: none is needed."""
        return None

    # ---- state ----

    def __sklearn_is_fitted__(self) -> bool:
        return self.__dict__.get("_model") is not None

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            report = state.pop("_report", None)
            if report is not None:
                state["_stored_report"] = report.to_dict()
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """The tags of scikit-learn before 1.6."""
        return {"poor_score": False}

    @property
    def report_(self) -> dict[str, Any]:
        """The report of training: what ``halfspace train --json`` prints, as a dict."""
        check_fitted(self)
        return self._report_values()

    def _report_values(self) -> dict[str, Any]:
        report = self.__dict__.get("_report")
        return report.to_dict() if report is not None else dict(self.__dict__.get("_stored_report") or {})

    @property
    def certificate_(self) -> Any:
        """How good the fit is: objective, dual_bound, relative_gap, tolerance, verified; None where no dual bound is known."""
        check_fitted(self)
        if "_certificates" in self.__dict__:
            return self._certificates
        report = self.__dict__.get("_report")
        return certificate(self._report_values() if report is None else report)

    @property
    def trace_(self) -> Any:
        """One record for each epoch: objective, dual_bound, relative_gap, ... (a NumPy structured array)."""
        check_fitted(self)
        return self._recorder.array()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which the program ``halfspace`` reads too.

        Parameters
        ----------
        path : str or path
            The file, by convention ``.hsm``.
        """
        check_fitted(self)
        self._model.save(path)

    # ---- data in ----

    def _threads(self) -> int | None:
        """The number of threads that n_jobs asks for; None: as many as this process may use."""
        jobs = getattr(self, "n_jobs", None)
        if jobs is None:
            return None
        if not isinstance(jobs, numbers.Integral) or isinstance(jobs, bool) or jobs == 0:
            raise ValueError(f"n_jobs == {jobs!r} has no meaning: give a number of threads, -1 for all, or None")
        if jobs > 0:
            return int(jobs)
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return max(1, available + 1 + int(jobs))

    def _seed(self) -> int | None:
        """The seed that random_state gives; None: the default, so that fits can be repeated."""
        state = getattr(self, "random_state", None)
        if state is None:
            return None
        if isinstance(state, numbers.Integral) and not isinstance(state, bool):
            if not 0 <= state < 2**32:
                raise ValueError(f"random_state must be between 0 and 2**32 - 1, got {state!r}")
            return int(state)
        if isinstance(state, np.random.RandomState):
            return int(state.randint(2**31 - 1))
        if isinstance(state, np.random.Generator):
            return int(state.integers(2**31 - 1))
        raise ValueError(f"{state!r} cannot be used to seed a numpy.random.RandomState instance")

    def _as_data(self, X: Any, labels: Any = None, targets: Any = None, weights: Any = None) -> Data:
        """Data over an array that was validated; its finiteness is checked here, by the library."""
        if X.dtype not in _READ_AS_THEY_ARE or not X.dtype.isnative:
            X = X.astype(np.float32 if X.dtype == np.float16 else np.float64)
        names = self.__dict__.get("feature_names_in_")
        names = None if names is None else names.tolist()
        extra = self._extra_column()
        if extra is not None:
            X = with_constant(X, extra)
            names = None if names is None else [*names, "(intercept)"]
        try:
            return Data.from_arrays(X, labels=labels, targets=targets, weights=weights, names=names)
        except ValueError:
            assert_all_finite(X, "X", self)
            raise

    def _data_for_model(self, X: Any) -> Data:
        """Data to which the model will be applied."""
        check_fitted(self)
        if self.__dict__.get("_is_table", False):
            return _tables.for_model(self, X)
        return self._as_data(validate(self, X, reset=False))

    def _apply(self, X: Any, what: str) -> np.ndarray:
        data = self._data_for_model(X)
        return self._model.apply(data, what, self._threads())

    # ---- training ----

    def _train(self, data: Data, problem: Problem, start: Model | None = None, mode: int = TRAIN) -> tuple[Any, Report]:
        """Train on rows in memory."""
        values = self._values(problem, start, mode)
        if values["algorithm"] in _CLOSED:
            start = None  # a closed form does not begin anywhere
        recorder = Recorder(getattr(self, "verbose", 0), type(self).__name__, values.get("tol"))
        fitted = recorder.train(data, shared_options(values), start, mode)
        self._recorder = recorder
        return fitted

    def _values(self, problem: Problem, start: Model | None = None, mode: int = TRAIN) -> dict[str, Any]:
        """All options of a fit by name."""
        values = {"algorithm": self._algorithm, **self._options(problem), **self._choices(problem)}
        if start is not None and values["algorithm"] not in _CLOSED:
            values.pop("init", None)
        if mode == UPDATE:
            values = {name: value for name, value in values.items() if _meant_for_updates(name, value)}
        values["threads"] = self._threads() or allowed_threads()
        if values.get("seed") is None:
            values["seed"] = self._seed()
        return values

    def _start(self, classes: np.ndarray | None) -> Model | None:
        """The model of the fit before, if warm_start asks for it and it has the same classes and features."""
        if not getattr(self, "warm_start", False) or not self._iterates or not self.__sklearn_is_fitted__():
            return None
        if classes is not None and not np.array_equal(classes, self.classes_):
            return None
        return self._model if self._model_features == self.n_features_in_ else None

    def _keep(self, model: Model, report: Report) -> None:
        """Take over a model: attributes that all estimators have."""
        self._model, self._report = model, report
        self.__dict__.pop("_stored_report", None)
        self._model_features = self.n_features_in_
        epochs = report.number("epochs")
        self.n_iter_ = 1 if epochs != epochs else max(1, int(epochs))
        self.__dict__.pop("_certificates", None)
        self._set_attributes(model, report)
        if report.flag("tolerance_missed") and getattr(self, "tol", 0) is not None:
            self._warn_of_tolerance(report)

    def _warn_of_tolerance(self, report: Report) -> None:
        """Warn of a tolerance that was missed, unless the solution is one to rounding or where the gradient is 0."""
        if not report.flag("converged") and report.text("stop_reason") != "closed-form":
            warnings.warn(missed(self, report), ConvergenceWarning, stacklevel=5)

    def _set_attributes(self, model: Model, report: Report) -> None:
        """The attributes of a linear model."""
        self.coef_ = model.array("weights")
        self.intercept_ = model.array("intercepts").reshape(-1)
        extra = self._extra_column()
        if extra is not None:
            self.intercept_ = self.coef_[:, -1] * extra
            self.coef_ = np.ascontiguousarray(self.coef_[:, :-1])


def with_constant(X: Any, value: float) -> Any:
    """X with a constant column after the others."""
    if not hasattr(X, "tocsr"):
        X = np.asarray(X, dtype=np.float32 if X.dtype == np.float32 else np.float64)
        return np.column_stack([X, np.full(X.shape[0], value, dtype=X.dtype)])
    from scipy import sparse
    column = sparse.csr_array(np.full((X.shape[0], 1), value, dtype=X.dtype))
    return sparse.hstack([X, column], format="csr")


def _meant_for_updates(name: str, value: Any) -> bool:
    """Whether an option has a meaning in one pass over new rows, which keeps the last weights."""
    if name.replace("_", "-") in ("max-epochs", "max-updates", "max-steps", "max-seconds", "tol"):
        return False
    return not (name == "keep" and value in ("best", "last"))


# Options that were used before, by their values: making them anew would cost more than a small fit.
_made: dict[tuple[Any, ...], Options] = {}


def shared_options(values: dict[str, Any]) -> Options:
    """Options with these values, which nobody changes."""
    try:
        key = tuple((name, value, type(value)) for name, value in values.items())
        found = _made.get(key)
    except TypeError:  # a list or an array
        return Options(values)
    if found is None:
        found = Options(values)
        if len(_made) >= 256:
            _made.clear()
        _made[key] = found
    return found


def certificate(report: Any) -> dict[str, Any] | None:
    """How good the fit is, in numbers that training recomputed from the rows; None where no dual bound is known."""
    values = {name: report.get(name) for name in ("objective", "dual_bound", "relative_gap", "tolerance")}
    if values["objective"] is None or values["dual_bound"] is None:
        return None
    values = {name: float("nan" if value is None else value) for name, value in values.items()}
    return {**values, "verified": bool(values["relative_gap"] <= values["tolerance"])}


def missed(estimator: Any, report: Report) -> str:
    """The warning of a fit that did not reach its tolerance."""
    gap = report.number("relative_gap")
    known = "no dual bound is known" if gap != gap else f"the relative duality gap is {gap:.2g}"
    return (f"{type(estimator).__name__} did not converge ({report.text('stop_reason')}): {known}, above tol = "
            f"{report.number('tolerance'):.2g}. Increase the number of iterations (max_iter), scale the columns, or raise tol.")
