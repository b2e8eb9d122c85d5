"""scikit-learn's base classes and validation where it is installed (1.2 or newer), else our own from `_plain`."""
from __future__ import annotations

import numbers
from typing import Any

import numpy as np

try:
    import sklearn
except ImportError:
    sklearn = None

__all__ = [
    "BaseEstimator", "ClassifierMixin", "ConvergenceWarning", "DataConversionWarning", "NotFittedError", "OneToOneNames",
    "RegressorMixin", "TransformerMixin", "assert_all_finite", "available_if", "check_fitted", "check_weights", "sklearn",
    "sklearn_version", "validate",
]

sklearn_version = (0, 0) if sklearn is None else tuple(int(part) for part in sklearn.__version__.split(".")[:2])

if sklearn is None:
    from ._plain import (BaseEstimator, ClassifierMixin, ConvergenceWarning, DataConversionWarning, NotFittedError,
                         OneToOneNames, RegressorMixin, TransformerMixin, assert_all_finite, available_if, check_fitted,
                         validate)
else:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
    from sklearn.base import ClassNamePrefixFeaturesOutMixin as OneToOneNames
    from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import assert_all_finite as _assert_all_finite
    from sklearn.utils.validation import check_is_fitted as check_fitted

    if sklearn_version >= (1, 6):
        from sklearn.utils.validation import validate_data as _validate_data
        _LATER = {"ensure_all_finite": False}
    else:
        def _validate_data(estimator: Any, X: Any, y: Any = "no_validation", **how: Any) -> Any:
            return estimator._validate_data(X, y, **how)

        _LATER = {"force_all_finite": False}

    def assert_all_finite(X: Any, name: str, estimator: Any) -> None:
        """Raise ValueError, in scikit-learn's words, if X has NaN or infinity."""
        how = {"input_name": name, "estimator_name": type(estimator).__name__}
        _assert_all_finite(X.data if hasattr(X, "tocsr") else X, **how)

    def validate(estimator: Any, X: Any, y: Any = None, *, reset: bool, regression: bool = False, multi_output: bool = False,
                 with_y: bool = False) -> Any:
        """X as a matrix of numbers (finiteness is checked where the library takes it over), and y as a vector with `with_y`."""
        how: dict[str, Any] = {"accept_sparse": ("csr", "csc"), "dtype": "numeric", "reset": reset, **_LATER}
        if not with_y:
            return _validate_data(estimator, X, **how)
        return _validate_data(estimator, X, y, y_numeric=regression, multi_output=multi_output, **how)


def check_weights(weights: Any, rows: int) -> np.ndarray | None:
    """The weights of the rows as a vector of floats; None: all 1."""
    if weights is None:
        return None
    if isinstance(weights, numbers.Number):
        weights = np.full(rows, weights, dtype=np.float64)
    weights = np.asarray(weights)
    if weights.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if weights.dtype not in (np.float64, np.float32):
        weights = weights.astype(np.float64)
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. Expected either a scalar "
                         f"value or a 1D array of length {rows}.")
    if weights.shape[0] != rows:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    if not np.isfinite(weights).all():
        what = "NaN" if np.isnan(weights).any() else f"infinity or a value too large for {weights.dtype!r}"
        raise ValueError(f"Input sample_weight contains {what}.")
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights
