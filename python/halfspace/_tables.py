"""Frames with categories, text, dates or missing values, encoded as the program encodes a file.

A frame of numbers alone is an array with names and does not come here. Columns are matched by name when a model is applied.
"""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._handles import Data, Options

_ARROW_NUMBERS = {
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "halffloat", "float", "double", "bool",
}


def is_table(estimator: Any, X: Any) -> bool:
    """Whether X is a frame that must be encoded: it has columns that are not numbers, or missing values are allowed."""
    if type(X) is np.ndarray or not hasattr(X, "columns") and not hasattr(X, "__arrow_c_stream__"):
        return False
    kind = frame_kind(X)
    if kind is None:
        return False
    asked = getattr(estimator, "missing", "error") != "error" or bool(getattr(estimator, "encoding", None))
    return asked or not _all_numbers(X, kind)


def frame_kind(X: Any) -> str | None:
    """The library of a frame: pandas, polars, pyarrow, or arrow for others; None if it is not a frame."""
    for name, what in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")):
        module = sys.modules.get(name)
        if module is not None and isinstance(X, getattr(module, what, ())):
            return name
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "__array_interface__") and _is_struct(X):
        return "arrow"
    return None


def _is_struct(X: Any) -> bool:
    """Whether an Arrow stream of an unknown library is a table, not a column."""
    return not hasattr(X, "ndim") or X.ndim == 2


def _all_numbers(X: Any, kind: str) -> bool:
    if kind == "pandas":
        return all(getattr(dtype, "kind", "O") in "biufc" for dtype in X.dtypes)
    if kind == "polars":
        return all((dtype.is_numeric() and not dtype.is_decimal()) or dtype == bool for dtype in X.dtypes)
    if kind == "pyarrow":
        return all(str(field.type) in _ARROW_NUMBERS for field in X.schema)
    return False


def column_names(X: Any, kind: str) -> list[str]:
    """The names of the columns."""
    if kind == "pandas":
        return [str(name) for name in X.columns]
    if kind == "polars":
        return list(X.columns)
    if kind == "pyarrow":
        return list(X.column_names)
    return list(_as_arrow(X).column_names)


def _as_arrow(X: Any) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise TypeError(f"{type(X).__name__} can be read with pyarrow only: install it, or pass a frame of pandas or "
                        "polars") from None
    return pyarrow.table(X)


def validate(estimator: Any, X: Any, y: Any, *, regression: bool = False, multi_output: bool = False) -> tuple[Any, np.ndarray]:
    """The frame, and y as a vector; sets the names of the columns."""
    kind = frame_kind(X)
    assert kind is not None
    if kind == "arrow":
        X, kind = _as_arrow(X), "pyarrow"
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1 and not (multi_output and y.ndim == 2):
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    rows = len(X)
    if rows == 0:
        raise ValueError(f"Found array with 0 sample(s) while a minimum of 1 is required by {type(estimator).__name__}.")
    if len(y) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(y)}]")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("Input y contains NaN." if np.isnan(y).any() else "Input y contains infinity.")
    if y.dtype.kind == "O" and any(label is None or label != label for label in y.tolist()):
        raise ValueError("Input y contains NaN.")
    if regression:
        y = y.astype(np.float64)
    names = column_names(X, kind)
    if len(set(names)) < len(names):
        raise ValueError("the frame has columns of the same name: rename them")
    estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.n_features_in_ = len(names)
    return X, y


def _plain_frame(X: Any) -> Any:
    """A frame of pandas without its index, which would be one more column, and with names that are strings."""
    return X.rename(columns=str).reset_index(drop=True)


def _with_column(X: Any, name: str, values: np.ndarray) -> Any:
    """The frame with one more column."""
    kind = frame_kind(X)
    if kind == "pandas":
        return _plain_frame(X).assign(**{name: values})
    if kind == "polars":
        import polars
        return X.with_columns(polars.Series(name, values.tolist() if values.dtype.kind in "OU" else values))
    import pyarrow
    return X.append_column(name, pyarrow.array(values.tolist() if values.dtype.kind in "OU" else values))


def _options(estimator: Any, target: str, regression: bool) -> Options:
    """How the table is read and encoded."""
    values: dict[str, Any] = {"target": target, "missing": getattr(estimator, "missing", "error")}
    values.update(getattr(estimator, "encoding", None) or {})
    if regression:
        values["task"] = "regression"
    return Options(values)


def for_training(estimator: Any, X: Any, labels: Any = None, targets: Any = None, weights: Any = None) -> Data:
    """Data of a frame, with the target as a column of its own."""
    target = "target"
    while target in estimator.feature_names_in_:
        target += "_"
    if labels is None:
        values = np.asarray(targets, dtype=np.float64)
    else:
        values = np.array(labels[1], dtype=object)[labels[0]]
    data = Data.from_arrow(_with_column(X, target, values), _options(estimator, target, labels is None))
    if weights is not None:
        data.set_weights(weights)
    return data


def for_model(estimator: Any, X: Any) -> Data:
    """Data of a frame to which the model will be applied; columns are matched by name."""
    name = type(estimator).__name__
    kind = frame_kind(X)
    if kind is None:
        raise ValueError(f"X is not a frame, but {name} was fitted on a frame with the columns "
                         f"{list(estimator.feature_names_in_)}: pass a frame with these columns.")
    if kind == "arrow":
        X, kind = _as_arrow(X), "pyarrow"
    missing = [column for column in estimator.feature_names_in_ if column not in column_names(X, kind)]
    if missing:
        raise ValueError("The feature names should match those that were passed during fit.\n"
                         f"Feature names seen at fit time, yet now missing:\n- {', '.join(missing)}")
    return Data.from_arrow(_plain_frame(X) if kind == "pandas" else X, Options({}), estimator._model)
