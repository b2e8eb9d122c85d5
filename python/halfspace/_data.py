"""Data sets: arrays of the caller, tables of other libraries, and files."""
from __future__ import annotations

import ctypes
import itertools
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._finalizer import finalizer
from ._library import RELEASE, Array, InputError, byref, c_char_p, c_void_p, invoke, lib, make, size_of
from ._options import Options
from ._report import Report, copy_array

__all__ = ["Data", "arrow_stream", "view_of"]

_CODES = {
    np.dtype(np.float32): 1, np.dtype(np.float64): 2, np.dtype(np.int32): 3, np.dtype(np.int64): 4,
    np.dtype(np.uint32): 5, np.dtype(np.int8): 6, np.dtype(np.uint8): 7, np.dtype(np.bool_): 8, np.dtype(np.int16): 9,
}

# What the library borrows, by the number that its release callback gets, until it says that it is done.
_kept: dict[int, Any] = {}
_numbers = itertools.count(1)


@RELEASE
def _release(user: int) -> None:
    _kept.pop(user, None)


def _keep(objects: Any) -> int:
    number = next(_numbers)
    _kept[number] = objects
    return number


def view_of(array: np.ndarray[Any, Any]) -> Array:
    """An hsp_array over an array of one or two dimensions, which the caller keeps alive."""
    shape, strides = array.shape, array.strides
    view = Array(size_of(Array), array.__array_interface__["data"][0], _CODES[array.dtype], len(shape))
    view.shape[0], view.strides[0] = shape[0], strides[0]
    view.shape[1], view.strides[1] = (shape[1], strides[1]) if len(shape) == 2 else (1, array.itemsize)
    return view


# What the library does not read, and the smallest type that holds it.
_WIDER = {"uint16": np.int32, "uint32": np.int64, "float16": np.float32}


def readable(array: Any) -> np.ndarray[Any, Any]:
    """The array itself where the library reads its type, else a copy."""
    array = np.asarray(array)
    dtype = array.dtype
    if dtype in _CODES and dtype != np.uint32:
        return array
    if dtype.kind == "c":
        raise InputError("complex numbers are not supported: pass real numbers")
    native = dtype.newbyteorder("=")
    return array.astype(native if native in _CODES and native != np.uint32 else _WIDER.get(native.name, np.float64))


def _texts(names: Sequence[str] | None) -> Any:
    """A `const char *const *`, or None."""
    if names is None:
        return None
    return (c_char_p * len(names))(*[name.encode() for name in names])


def arrow_stream(table: Any) -> tuple[int, Any]:
    """The address of a table's ArrowArrayStream, and the capsule to keep until it was read."""
    capsule = table.__arrow_c_stream__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    return get(capsule, b"arrow_array_stream"), capsule


def is_sparse(X: Any) -> bool:
    """Whether this is a matrix or array of scipy.sparse."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


class Data:
    """A data set: rows, and with them labels or targets, weights and names.

    Parameters
    ----------
    pointer : int
        An hsp_data, which is freed with this object.
    """

    __slots__ = ("__weakref__", "pointer")

    def __init__(self, pointer: int | None) -> None:
        self.pointer = pointer

    @finalizer
    def __del__(self) -> None:
        self.close()

    @property
    def _as_parameter_(self) -> int:
        """The handle as an argument of a call; the object lives until the call returns."""
        if self.pointer is None:
            raise InputError("the data were closed: create them again")
        return self.pointer

    def close(self) -> None:
        """Free the data now; what the library borrowed is given back."""
        pointer, self.pointer = getattr(self, "pointer", None), None
        if pointer:
            lib.hsp_data_free(pointer)

    # ---- sources ----

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        *,
        labels: tuple[Any, Sequence[str]] | None = None,
        targets: Any = None,
        weights: Any = None,
        names: Sequence[str] | None = None,
    ) -> Data:
        """Rows of an array or a sparse matrix, without a copy where its type and layout allow.

        Parameters
        ----------
        X : ndarray or scipy.sparse matrix or array, shape (n, d)
            Finite numbers.
        labels : (codes, names), optional
            Row i has the label ``names[codes[i]]``.
        targets : ndarray, shape (n,), optional
            Numbers to predict, in place of labels.
        weights : ndarray, shape (n,), optional
            Weights of the rows.
        names : sequence of d str, optional
            Names of the features.
        """
        if not is_sparse(X):
            X = readable(X)
        _check_lengths(X, labels[0] if labels else None, targets, weights, names)
        data = cls(_view_sparse(X, names) if is_sparse(X) else _view_dense(X, names))
        if labels is not None:
            data.set_labels(*labels)
        if targets is not None:
            data.set_targets(targets)
        if weights is not None:
            data.set_weights(weights)
        return data

    @classmethod
    def from_arrow(cls, table: Any, options: Options, model: Any = None) -> Data:
        """Rows of a table with ``__arrow_c_stream__`` (pandas, polars, pyarrow, ...), by the rules of a CSV file.

        With a model, columns are matched by its names and encoded as it does.
        """
        stream, capsule = arrow_stream(table)
        options.limit_threads()
        if model is None:
            made = make(lib.hsp_data_read_arrow, stream, options, None)
        else:
            made = make(lib.hsp_data_read_arrow_for, model, stream, options, None)
        del capsule
        return cls(made)

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], options: Options | None = None, model: Any = None, hooks: Any = None
    ) -> Data:
        """Read a file; with a model, for use with it."""
        options = (options or Options()).limit_threads()
        if model is None:
            return cls(make(lib.hsp_data_read, os.fsencode(path), options, hooks))
        return cls(make(lib.hsp_data_read_for, model, os.fsencode(path), options, hooks))

    @classmethod
    def generate(cls, kind: str, options: Options) -> Data:
        """Example data."""
        return cls(make(lib.hsp_data_generate, kind.encode(), options))

    # ---- labels, targets, weights ----

    def set_labels(self, codes: Any, names: Sequence[str]) -> None:
        """Give row i the label ``names[codes[i]]``."""
        codes = np.asarray(codes)
        if codes.dtype.kind not in "biu" or codes.dtype not in _CODES:
            codes = codes.astype(np.int64)
        invoke(lib.hsp_data_set_labels, self, byref(view_of(codes)), _texts(names), len(names))

    def set_targets(self, targets: Any) -> None:
        """Set numbers to predict."""
        targets = self._one_for_each_row("targets", targets)
        invoke(lib.hsp_data_set_targets_array, self, byref(view_of(targets)))

    def set_weights(self, weights: Any) -> None:
        """Set the weights of the rows."""
        weights = self._one_for_each_row("weights", weights)
        invoke(lib.hsp_data_set_weights_array, self, byref(view_of(weights)))

    def set_groups(self, groups: Any) -> None:
        """Set the group of each row, an integer: cross-validation keeps rows of a group together."""
        groups = self._one_for_each_row("groups", groups)
        invoke(lib.hsp_data_set_groups, self, byref(view_of(groups)))

    def set_times(self, times: Any) -> None:
        """Set the time of each row, a number: cross-validation tests each fold by models of earlier rows."""
        times = self._one_for_each_row("times", times)
        invoke(lib.hsp_data_set_times, self, byref(view_of(times)))

    def _one_for_each_row(self, what: str, values: Any) -> np.ndarray[Any, Any]:
        values = readable(values)
        if values.shape != (self.rows,):
            raise _wrong_length(what, values.shape, self.rows)
        return values

    # ---- contents ----

    @property
    def rows(self) -> int:
        return lib.hsp_data_rows(self)

    @property
    def features(self) -> int:
        return lib.hsp_data_features(self)

    @property
    def class_names(self) -> list[str]:
        """Labels, sorted: numbers as numbers, else by bytes; empty for regression."""
        return [lib.hsp_data_class_name(self, k).decode() for k in range(lib.hsp_data_classes(self))]

    @property
    def feature_names(self) -> list[str] | None:
        """Names of the features; None where they have none."""
        if lib.hsp_data_feature_name(self, 0) is None:
            return None
        return [lib.hsp_data_feature_name(self, j).decode() for j in range(self.features)]

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """A copy of a named array: labels (class of each row), targets, weights, column-min, column-max."""
        view = Array(size=size_of(Array))
        invoke(lib.hsp_data_array, self, name.encode(), byref(view))
        return copy_array(view)

    def report(self) -> Report:
        """Rows, features, classes with their counts, storage, what was assumed."""
        return Report(make(lib.hsp_data_report, self))

    def write(self, path: str | os.PathLike[str], options: Options | None = None) -> None:
        """Write a file; its ending chooses the format."""
        invoke(lib.hsp_data_write, self, os.fsencode(path), options or Options())

    def __repr__(self) -> str:
        return f"Data({self.rows} rows, {self.features} features)" if self.pointer else "Data(closed)"


def _wrong_length(what: str, shape: tuple[int, ...], rows: int) -> InputError:
    return InputError(f"the {what} have the shape {shape} beside {rows} rows: give one for each row")


def _check_lengths(X: Any, codes: Any, targets: Any, weights: Any, names: Sequence[str] | None) -> None:
    if X.ndim != 2:
        raise InputError(f"the data have {X.ndim} dimensions: pass an array with rows and columns")
    for what, values in (("labels", codes), ("targets", targets), ("weights", weights)):
        if values is not None and np.shape(values) != X.shape[:1]:
            raise _wrong_length(what, np.shape(values), X.shape[0])
    if names is not None and len(names) != X.shape[1]:
        raise InputError(f"there are {len(names)} names for {X.shape[1]} features: give one for each")


def _view_dense(X: Any, names: Sequence[str] | None) -> int | None:
    return make(lib.hsp_data_view_dense, byref(view_of(X)), _texts(names), _release, _keep(X))


def _view_sparse(X: Any, names: Sequence[str] | None) -> int | None:
    """CSR and CSC as they are; other formats through CSR."""
    columns = getattr(X, "format", "") == "csc"
    if not columns and getattr(X, "format", "") != "csr":
        X = X.tocsr()
    indptr, indices = X.indptr, X.indices
    if indptr.dtype != indices.dtype:
        indptr, indices = indptr.astype(np.int64), indices.astype(np.int64)
    values = X.data if X.data.dtype in (np.float32, np.float64) else X.data.astype(np.float64)
    arrays = (indptr, indices, values)
    call = lib.hsp_data_view_csc if columns else lib.hsp_data_view_csr
    views = [byref(view_of(array)) for array in arrays]
    return make(call, *views, X.shape[0 if columns else 1], _texts(names), _release, _keep(arrays))
