"""Reports: the results of calls, as trees of named values."""
from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._finalizer import finalizer
from ._library import Array, byref, c_void_p, check, invoke, lib, make, size_of

__all__ = ["Report", "copy_array"]

# hsp_dtype, from 1
_DTYPES = (None, np.float32, np.float64, np.int32, np.int64, np.uint32, np.int8, np.uint8, np.bool_, np.int16)
# hsp_report_kinds
ABSENT, NULL, FLAG, NUMBER, TEXT, ARRAY, LIST, OBJECT = range(8)


def copy_array(view: Array) -> np.ndarray[Any, Any]:
    """A new array with the numbers of an hsp_array."""
    dtype = np.dtype(_DTYPES[view.dtype])
    shape = tuple(view.shape[: view.ndim])
    strides = tuple(view.strides[: view.ndim])
    if 0 in shape:
        return np.empty(shape, dtype)
    extent = sum((n - 1) * step for n, step in zip(shape, strides)) + dtype.itemsize
    memory = (ctypes.c_char * extent).from_address(view.data)
    return np.ndarray(shape, dtype, memory, 0, strides).copy()


def _number(value: float) -> int | float:
    """Whole numbers are int, as in the JSON."""
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


class Report:
    """The result of a call. Values are read by name; `to_dict` converts all of it.

    Parameters
    ----------
    pointer : int
        An hsp_report.
    owner : Report, optional
        The whole of which this is a part; without one the report is freed with this object.
    """

    __slots__ = ("__weakref__", "owner", "pointer")

    def __init__(self, pointer: int | None, owner: Report | None = None) -> None:
        self.pointer = pointer
        self.owner = owner

    @finalizer
    def __del__(self) -> None:
        if self.owner is None and self.pointer:
            lib.hsp_report_free(self.pointer)

    @property
    def _as_parameter_(self) -> int | None:
        """The handle as an argument of a call; the object lives until the call returns."""
        return self.pointer

    @classmethod
    def parse(cls, json: str | bytes) -> Report:
        """Read a report from JSON."""
        text = json.encode() if isinstance(json, str) else json
        return cls(make(lib.hsp_report_parse, text, len(text)))

    def kind(self, name: str | None = None) -> int:
        """One of hsp_report_kinds; 0: there is no such member."""
        return lib.hsp_report_kind(self.pointer, _key(name))

    def number(self, name: str | None = None) -> float:
        """A number; NaN where it is absent, null or not a number."""
        return lib.hsp_report_number(self.pointer, _key(name))

    def flag(self, name: str | None = None) -> bool | None:
        """True or False; None where it is neither."""
        value = lib.hsp_report_flag(self.pointer, _key(name))
        return None if value < 0 else value == 1

    def text(self, name: str | None = None) -> str | None:
        """A text; None where it is absent, null or not text."""
        value = lib.hsp_report_text(self.pointer, _key(name))
        return None if value is None else value.decode()

    def array(self, name: str | None = None) -> np.ndarray[Any, Any]:
        """A copy of an array of numbers."""
        view, error = Array(size=size_of(Array)), c_void_p()
        check(lib.hsp_report_array(self.pointer, _key(name), byref(view), byref(error)), error)
        return copy_array(view)

    def count(self, name: str | None = None) -> int:
        """Members of an object, elements of a list, rows of an array; 0 for everything else."""
        return lib.hsp_report_count(self.pointer, _key(name))

    def member(self, name: str) -> Report | None:
        """A part of the report; None where it is absent."""
        part = lib.hsp_report_member(self.pointer, _key(name))
        return None if part is None else Report(part, self.owner or self)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a member as a Python object, or `default`."""
        part = lib.hsp_report_member(self.pointer, _key(name))
        return default if part is None else _value(part)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.kind(name) != ABSENT

    def __getitem__(self, name: str) -> Any:
        part = lib.hsp_report_member(self.pointer, _key(name))
        if part is None:
            raise KeyError(name)
        return _value(part)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return self.count()

    def keys(self) -> list[str]:
        """The names of the members, in their order."""
        return [lib.hsp_report_name(item).decode() for item in _items(self.pointer)]

    def to_dict(self) -> Any:
        """All of the report: dicts, lists, arrays, texts, numbers, bools and None."""
        return _value(self.pointer)

    def json(self) -> str:
        """The report as one line of JSON."""
        text = c_void_p()
        invoke(lib.hsp_report_json, self.pointer, byref(text))
        try:
            return ctypes.string_at(text.value or 0).decode()
        finally:
            lib.hsp_free(text)

    def __repr__(self) -> str:
        return f"Report({', '.join(self.keys())})"


def _key(name: str | None) -> bytes | None:
    return None if name is None else name.encode()


def _items(pointer: int | None) -> Iterator[int]:
    item = lib.hsp_report_next(pointer, None)
    while item is not None:
        yield item
        item = lib.hsp_report_next(pointer, item)


def _array_value(pointer: int | None) -> np.ndarray[Any, Any]:
    view = Array(size=size_of(Array))
    invoke(lib.hsp_report_array, pointer, None, byref(view))
    return copy_array(view)


def _value(pointer: int | None) -> Any:
    """The value of a report as Python objects, through the getters, so that numbers keep their bits."""
    kind = lib.hsp_report_kind(pointer, None)
    if kind == NUMBER:
        return _number(lib.hsp_report_number(pointer, None))
    if kind == TEXT:
        return lib.hsp_report_text(pointer, None).decode()
    if kind == FLAG:
        return lib.hsp_report_flag(pointer, None) == 1
    if kind == ARRAY:
        return _array_value(pointer)
    if kind == LIST:
        return [_value(item) for item in _items(pointer)]
    if kind == OBJECT:
        return {lib.hsp_report_name(item).decode(): _value(item) for item in _items(pointer)}
    return None
