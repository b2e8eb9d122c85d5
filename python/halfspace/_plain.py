"""What the estimators need of scikit-learn, for machines where it is not installed.

The classes have the names of scikit-learn's and the part of their behaviour that fitting and predicting need: parameters, a
representation, scores, and the validation of arrays. `_compat` chooses between the two.
"""
from __future__ import annotations

import inspect
from typing import Any, Callable

import numpy as np


class NotFittedError(ValueError, AttributeError):
    """An estimator is used before it is fitted."""


class ConvergenceWarning(UserWarning):
    """Training ended before it reached its tolerance."""


class DataConversionWarning(UserWarning):
    """Data were converted to another shape or type."""


class BaseEstimator:
    """Parameters by name, taken from the signature of the constructor."""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        signature = inspect.signature(cls.__init__)
        return sorted(name for name, p in signature.parameters.items() if name != "self" and p.kind != p.VAR_KEYWORD)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor, by name."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Any:
        """Set parameters of the constructor by name."""
        names = self._parameter_names()
        for name, value in params.items():
            if name not in names:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {names!r}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {name: p.default for name, p in inspect.signature(type(self).__init__).parameters.items()}
        given = [f"{name}={value!r}" for name, value in self.get_params().items() if repr(value) != repr(defaults[name])]
        return f"{type(self).__name__}({', '.join(given)})"

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class ClassifierMixin:
    """The score of a classifier: its accuracy."""

    _estimator_type = "classifier"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows that are classified correctly, by weight."""
        right = np.asarray(self.predict(X)) == np.ravel(y)  # type: ignore[attr-defined]
        return float(np.average(right, weights=sample_weight))


class RegressorMixin:
    """The score of a regression: R^2."""

    _estimator_type = "regressor"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R^2."""
        y = np.asarray(y, dtype=np.float64)
        residual = y - self.predict(X)  # type: ignore[attr-defined]
        centred = y - np.average(y, axis=0, weights=sample_weight)
        weights = 1.0 if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        total = np.sum(weights * centred**2)
        return float(1 - np.sum(weights * residual**2) / total) if total > 0 else float(not np.any(residual))


class TransformerMixin:
    """fit_transform by fit and transform."""

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Fit, then transform the same rows."""
        return self.fit(X, y, **fit_params).transform(X)  # type: ignore[attr-defined]


class OneToOneNames:
    """No names of output features without scikit-learn."""


class available_if:
    """A method that exists only when `check(self)` is true; as a decorator."""

    def __init__(self, check: Callable[[Any], bool]) -> None:
        self._check = check

    def __call__(self, method: Callable[..., Any]) -> Any:
        return _Conditional(self._check, method)


class _Conditional:
    def __init__(self, check: Callable[[Any], bool], method: Callable[..., Any]) -> None:
        self._check, self._method = check, method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self._method
        if not self._check(instance):
            raise AttributeError(f"This {type(instance).__name__!r} has no attribute {self._name!r}")
        return self._method.__get__(instance, owner)


def check_fitted(estimator: Any) -> None:
    """Raise NotFittedError unless the estimator has been fitted."""
    if not estimator.__sklearn_is_fitted__():
        raise NotFittedError(
            f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using "
            "this estimator.")


def assert_all_finite(X: Any, name: str, estimator: Any) -> None:
    """Raise ValueError if X has NaN or infinity."""
    values = X.data if hasattr(X, "tocsr") else X
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return
    what = "NaN" if np.isnan(values).any() else f"infinity or a value too large for {values.dtype!r}"
    raise ValueError(f"Input {name} contains {what}.")


def _column_names(X: Any) -> np.ndarray | None:
    names = getattr(X, "columns", None)
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return np.asarray(list(names), dtype=object)


def _as_matrix(X: Any, estimator: Any) -> Any:
    if hasattr(X, "tocsr"):
        return X if X.format in ("csr", "csc") else X.tocsr()
    A = np.asarray(X)
    if A.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if A.dtype.kind not in "biuf":
        try:
            A = A.astype(np.float64)
        except (TypeError, ValueError) as reason:
            raise ValueError(f"could not convert X to numbers: {reason}") from None
    if A.ndim != 2:
        raise ValueError(f"Expected 2D array, got {A.ndim}D array instead. Reshape your data: array.reshape(-1, 1) for a "
                         "single feature, array.reshape(1, -1) for a single sample.")
    for axis, what in enumerate(("sample", "feature")):
        if A.shape[axis] == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={A.shape}) while a minimum of 1 is required by "
                             f"{type(estimator).__name__}.")
    return A


def validate(estimator: Any, X: Any, y: Any = None, *, reset: bool, regression: bool = False, multi_output: bool = False,
             with_y: bool = False) -> Any:
    """X as a matrix of numbers (finiteness is checked where the library takes it over), and y as a vector with `with_y`."""
    names = _column_names(X)
    X = _as_matrix(X, estimator)
    if reset:
        estimator.n_features_in_ = X.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)
        if names is not None:
            estimator.feature_names_in_ = names
    elif X.shape[1] != estimator.n_features_in_:
        raise ValueError(f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
                         f"{estimator.n_features_in_} features as input.")
    elif names is not None and "feature_names_in_" in estimator.__dict__ and list(names) != list(estimator.feature_names_in_):
        raise ValueError("The feature names should match those that were passed during fit.")
    if not with_y:
        return X
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1 and not multi_output:
        y = y[:, 0]
    if y.ndim != 1 and not (multi_output and y.ndim == 2):
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    if y.shape[0] != X.shape[0]:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{X.shape[0]}, {y.shape[0]}]")
    if regression and y.dtype.kind == "O":
        y = y.astype(np.float64)
    assert_all_finite(y, "y", estimator)
    return X, y
