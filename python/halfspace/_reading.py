"""Files and example data as arrays and tables."""
from __future__ import annotations

import csv
import os
import re
import sys
import tempfile
from typing import Any

import numpy as np

from ._calls import run
from ._data import Data, view_of
from ._inputs import options_of
from ._library import InputError, byref, invoke, lib
from ._options import Options

__all__ = ["generate", "read"]

# Digits that are not an amount, as the library decides: leading zeros, a plus sign before six digits, more than 15 digits.
_CODE = re.compile(r"[+-]?0\d|\+\d{6}|-?\d{16}")
_TABLES = ("auto", "pandas", "polars", "pyarrow", "encoded")


def read(path: str | os.PathLike[str], *, table: str = "auto", **options: Any) -> tuple[Any, Any]:
    """Read a data file: CSV, svmlight, JSON lines, .npy or .hsd, plain or compressed.

    Parameters
    ----------
    path : str or path
        The file.
    table : {"auto", "pandas", "polars", "pyarrow", "encoded"}
        What a table becomes, which is a file with columns that are not numbers, or with missing values: a frame of that
        library (auto: the first of them that is installed, one that is imported already first), or the array of its
        features as training encodes them.
    **options
        Those of reading and encoding, by their names on the command line: target, task, delimiter, header, ignore, ...

    Returns
    -------
    X : ndarray, scipy.sparse.csr_array or frame
        Numbers as an array (float32 where that holds every value exactly), a sparse file as CSR, a table as a frame:
        numeric columns as floats with NaN for missing values, all others as text with None.
    y : ndarray or None
        Labels (int, float or str, as they are spelt), or numbers to predict (task="regression").

    Examples
    --------
    >>> import halfspace
    >>> X, y = halfspace.read("fruit.csv")  # doctest: +SKIP
    """
    if table not in _TABLES:
        raise InputError(f"table cannot be {table!r}: choose {', '.join(_TABLES)}")
    values = options_of(options)
    data: Data = run(lambda hooks: Data.read(path, Options(values), hooks=hooks))
    if lib.hsp_data_is_table(data) and table != "encoded":
        return frame_of(data, table), labels_of(data)
    return numbers_of(data), labels_of(data)


def generate(kind: str, rows: int = 100, **options: Any) -> tuple[Any, Any]:
    """Generate example data.

    Parameters
    ----------
    kind : str
        "squares", "blobs", "xor", "moons", "circles", "spirals", "sparse", "linear" (regression), "decimals" or "correlated".
    rows : int
        Their number.
    **options
        noise, features, classes, seed.

    Returns
    -------
    X : ndarray or scipy.sparse.csr_array
    y : ndarray
    """
    data = Data.generate(kind, Options(options_of({"rows": rows, **options})))
    return numbers_of(data), labels_of(data)


# ---- data as arrays ----


def _copy(data: Data, what: str, out: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    invoke(lib.hsp_data_copy, data, what.encode(), byref(view_of(out)))
    return out


def numbers_of(data: Data) -> Any:
    """The features as an array; as CSR if they are stored so, or come from a format for sparse data."""
    report = data.report()
    dtype = np.float32 if report.text("dtype") == "float32" else np.float64
    dense = report.text("layout") != "sparse"
    if dense and report.text("format") != "svmlight":
        return _copy(data, "features", np.empty((data.rows, data.features), dtype))
    try:
        from scipy.sparse import csr_array
    except ImportError:
        raise ImportError("the data are sparse, which needs SciPy: install it, or pass the path to the functions "
                          "themselves") from None
    if dense:
        return csr_array(_copy(data, "features", np.empty((data.rows, data.features), dtype)))
    stored = int(report.number("nonzeros"))
    index = np.int32 if max(stored, data.features) < 2**31 else np.int64
    parts = (_copy(data, "values", np.empty(stored, dtype)), _copy(data, "columns", np.empty(stored, index)),
             _copy(data, "row-begin", np.empty(data.rows + 1, index)))
    return csr_array(parts, shape=(data.rows, data.features))


def label_array(names: list[str]) -> np.ndarray[Any, Any]:
    """Labels as numbers where all of them are, else as text."""
    for kind in (np.int64, np.float64):
        try:
            return np.array([kind(name) for name in names], kind)
        except (ValueError, OverflowError):
            continue
    return np.array(names)


def labels_of(data: Data) -> np.ndarray[Any, Any] | None:
    """The label or target of each row; None where there is none."""
    if lib.hsp_data_classes(data):
        return label_array(data.class_names)[data.array("labels")]
    return data.array("targets") if data.report().kind("targets") > 1 else None


# ---- data as a frame ----


def _cells(data: Data) -> tuple[list[str], list[list[str]]]:
    """The columns of a table, cell by cell, without the target: through the CSV that the library writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.csv")
        data.write(path)
        with open(path, encoding="utf-8", newline="") as file:
            names, *rows = csv.reader(file)
    target = data.report().text("target")
    keep = [j for j, name in enumerate(names) if name != target]
    return [names[j] for j in keep], [[row[j] for row in rows] for j in keep]


def _column(cells: list[str]) -> np.ndarray[Any, Any]:
    """A column as float64 where every cell that is not missing is a number, else, and for codes, as text with None."""
    missing = [cell.strip().lower() in ("", "?", "na", "n/a", "nan", "null") for cell in cells]
    if any(_CODE.match(cell.strip()) for cell in cells):
        return np.array([None if gone else cell for cell, gone in zip(cells, missing)], dtype=object)
    try:
        return np.array([np.nan if gone else float(cell) for cell, gone in zip(cells, missing)])
    except ValueError:
        return np.array([None if gone else cell for cell, gone in zip(cells, missing)], dtype=object)


def frame_of(data: Data, table: str) -> Any:
    """The cells of a table as a frame."""
    names, cells = _cells(data)
    columns = {name: _column(column) for name, column in zip(names, cells)}
    module = _frame_module(table)
    if module.__name__ == "pandas":
        return module.DataFrame(columns)
    if module.__name__ == "polars":
        return module.DataFrame({name: module.Series(name, column.tolist(), nan_to_null=False) if column.dtype == object
                                 else module.Series(name, column).fill_nan(None) for name, column in columns.items()})
    return module.table({name: module.array(column, from_pandas=True) for name, column in columns.items()})


def _frame_module(table: str) -> Any:
    from importlib import import_module

    wanted = ["pandas", "polars", "pyarrow"] if table == "auto" else [table]
    for name in sorted(wanted, key=lambda name: name not in sys.modules):
        try:
            return import_module(name)
        except ImportError:
            continue
    raise ImportError(f"the file is a table, which needs {' or '.join(wanted)}: install it, or read it with "
                      'table="encoded"')
