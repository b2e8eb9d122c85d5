"""What the functions take as X and y: arrays, sparse matrices, frames and files, as data of the library."""
from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from . import _tables
from ._calls import run
from ._data import Data, is_sparse
from ._labels import encode_labels, label_texts
from ._library import InputError
from ._options import Options

__all__ = ["as_path", "as_table", "data_of", "group_codes", "is_regression", "options_of", "time_numbers", "vector"]

# Options that ask for the encoding of a table, also if all of its columns are numbers.
_TABLE_OPTIONS = ("missing", "categorical", "numeric", "date", "text", "transform", "ignore", "weight", "target", "degree",
                  "cross", "rff", "group", "time")
_REGRESSION_ONLY = ("lasso", "elastic-net")


def options_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Options by their names on the command line, without those that are None."""
    return {name.replace("_", "-"): value for name, value in values.items() if value is not None}


def as_path(X: Any) -> str | None:
    """The name of a file, if that is what X is."""
    return os.fspath(X) if isinstance(X, (str, os.PathLike)) else None


def vector(y: Any, what: str = "y") -> np.ndarray[Any, Any]:
    """Labels, targets or weights as a vector."""
    values = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(f"{what} has the shape {values.shape}: pass one value for each row")
    return values


def group_codes(groups: Any) -> np.ndarray[Any, Any]:
    """Groups of any values as integers, in the order of their first rows."""
    seen: dict[Any, int] = {}
    values = vector(groups, "groups").tolist()
    missing = [value for value in values if value is None or value != value]
    if missing:
        raise InputError("groups has missing values: give every row a group, or remove the row")
    return np.array([seen.setdefault(value, len(seen)) for value in values], dtype=np.int64)


def time_numbers(times: Any) -> np.ndarray[Any, Any]:
    """Times as numbers: dates (datetime64, or text such as "2024-03-05") in days since 1970."""
    values = vector(times, "times")
    if values.dtype.kind in "OUS":
        try:
            values = values.astype("datetime64[us]")
        except (TypeError, ValueError):
            raise InputError("times has values that are neither numbers nor dates such as 2024-03-05") from None
    if values.dtype.kind != "M":
        return values.astype(np.float64)
    days = values.astype("datetime64[us]").astype(np.float64) / 86_400_000_000
    days[np.isnat(values)] = np.nan
    return days


def is_regression(values: Mapping[str, Any], y: Any) -> bool:
    """Whether y holds numbers to predict: by the option task, the algorithm, or because they are not whole."""
    if "task" in values:
        return values["task"] == "regression"
    if values.get("algorithm") in _REGRESSION_ONLY:
        return True
    numbers = None if y is None or isinstance(y, str) else vector(y)
    if numbers is None or numbers.dtype.kind != "f":
        return False
    return bool((np.isfinite(numbers) & (numbers != np.rint(numbers))).any())


def _matrix(X: Any) -> Any:
    """An array of numbers or a sparse matrix."""
    if is_sparse(X):
        return X
    X = np.asarray(X)
    if X.dtype.kind in "OUS":
        try:
            X = X.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError("the array has values that are not numbers: pass a frame (pandas, polars, pyarrow), whose "
                             "columns are encoded") from None
    return X


def as_table(X: Any) -> Any:
    """An array with missing values (NaN) as a table, if pyarrow or polars is installed; everything else as it is."""
    if as_path(X) is not None or is_sparse(X) or _tables.frame_kind(X) is not None:
        return X
    numbers = np.asarray(X)
    if numbers.ndim != 2 or numbers.dtype.kind != "f" or not np.isnan(numbers).any() or np.isinf(numbers).any():
        return X
    columns = {f"x{j + 1}": np.ascontiguousarray(numbers[:, j]) for j in range(numbers.shape[1])}
    for name, make in (("pyarrow", "table"), ("polars", "DataFrame")):
        try:
            return getattr(import_module(name), make)(columns)
        except ImportError:
            continue
    return X


def _numbers_of(frame: Any, kind: str) -> np.ndarray[Any, Any]:
    """A frame of numbers as an array."""
    if kind == "pyarrow":
        return np.column_stack([column.to_numpy() for column in frame.columns])
    return frame.to_numpy()


def _target_parts(y: Any, regression: bool) -> dict[str, Any]:
    """The arguments labels or targets of Data.from_arrays."""
    if y is None:
        return {}
    values = vector(y)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError("y has values that are missing or infinite: remove these rows")
    if regression:
        return {"targets": values.astype(np.float64)}
    classes, codes = encode_labels(values)
    return {"labels": (codes, label_texts(classes))}


def _frame_data(frame: Any, y: Any, values: dict[str, Any], regression: bool, model: Any) -> Data:
    """A table, with y as one of its columns."""
    if isinstance(y, str):
        values = {**values, "target": y}
    elif y is not None:
        parts = _target_parts(y, regression)
        column = parts["targets"] if regression else np.array(parts["labels"][1], dtype=object)[parts["labels"][0]]
        name = "target"
        while name in _tables.column_names(frame, _tables.frame_kind(frame) or ""):
            name += "_"
        frame = _tables._with_column(frame, name, column)
        values = {**values, "target": name}
    if regression:
        values = {**values, "task": "regression"}
    return Data.from_arrow(frame, Options(values), model)


def data_of(X: Any, y: Any, values: Mapping[str, Any], sample_weight: Any = None, model: Any = None) -> Data:
    """The data that a function was given.

    Parameters
    ----------
    X : array, sparse matrix, frame or path
        A file is read as the program reads it; a frame as the program reads a file.
    y : array, str or None
        Labels or numbers to predict; the name of a column; or None: of a file or frame the column named label, class,
        target or y, else the last; of an array none.
    values : mapping
        Options by name.
    sample_weight : array, optional
        Weights of the rows.
    model : Model, optional
        The model to which the data will be applied: columns of a frame or file are matched by its names.
    """
    values, regression = dict(values), is_regression(values, y)
    path = as_path(X)
    kind = None if path is not None else _tables.frame_kind(X)
    if path is not None:
        if y is not None and not isinstance(y, str):
            raise InputError("y is an array beside a file: name the column of the file that holds it")
        if regression:
            values["task"] = "regression"
        read = Options({**values, "target": y if y is not None else values.get("target")})
        data = run(lambda hooks: Data.read(path, read, model, hooks))
    elif kind is not None:
        data = _from_frame(X, kind, y, values, regression, model)
    else:
        if isinstance(y, str):
            raise InputError("y is the name of a column, but X has none: pass a frame, or y as an array")
        data = Data.from_arrays(_matrix(X), **_target_parts(y, regression))
    if sample_weight is not None:
        data.set_weights(vector(sample_weight, "sample_weight"))
    return data


def _from_frame(X: Any, kind: str, y: Any, values: dict[str, Any], regression: bool, model: Any) -> Data:
    if kind == "arrow":
        X, kind = _tables._as_arrow(X), "pyarrow"
    plain = y is not None and not isinstance(y, str) and not any(name in values for name in _TABLE_OPTIONS)
    if plain and _tables._all_numbers(X, kind) and (model is None or not model.is_table):
        numbers = _numbers_of(X, kind)
        if numbers.dtype.kind != "f" or np.isfinite(numbers).all():
            return Data.from_arrays(numbers, names=_tables.column_names(X, kind), **_target_parts(y, regression))
    return _frame_data(X, y, values, regression, model)
