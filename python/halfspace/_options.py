"""Options by name, as the command line has them."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from ._finalizer import finalizer
from ._library import InputError, invoke, lib, make
from ._threads import allowed_threads

__all__ = ["Options", "option_text"]


def _quoted(text: str) -> str:
    """A name in a list, quoted as in CSV where a comma or a quote asks for it."""
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text


def _spelt(value: Any) -> str:
    """One value as the command line spells it; floats in the shortest form that reads back to the same bits."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    if isinstance(value, bytes):
        return value.decode()
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def option_text(value: Any) -> str:
    """A value that is not a plain number: text, a mapping LABEL=X,... or a list."""
    if isinstance(value, Mapping):
        return ",".join(f"{_quoted(_spelt(key))}={_spelt(item)}" for key, item in value.items())
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike)):
        return ",".join(_quoted(_spelt(item)) for item in value)
    return _spelt(value)


class Options:
    """Options of reading, training and all other calls.

    Parameters
    ----------
    values : mapping, optional
        Values by name. Underscores in a name stand for hyphens; values of None are left at their defaults; lists are joined
        by commas, and mappings become ``KEY=VALUE,...``.
    **others
        More of them.
    """

    __slots__ = ("__weakref__", "pointer")

    def __init__(self, values: Mapping[str, Any] | None = None, **others: Any) -> None:
        self.pointer: int | None = None
        self.pointer = make(lib.hsp_options_new)
        if values:
            for name, value in values.items():
                self.set(name, value)
        for name, value in others.items():
            self.set(name, value)

    @finalizer
    def __del__(self) -> None:
        if self.pointer:
            lib.hsp_options_free(self.pointer)

    @property
    def _as_parameter_(self) -> int | None:
        """The handle as an argument of a call; the object lives until the call returns."""
        return self.pointer

    def set(self, name: str, value: Any) -> None:
        """Set one option; None leaves it as it is."""
        if value is None:
            return
        key = name.replace("_", "-").encode()
        kind = type(value)
        if kind is float or kind is np.float64:
            invoke(lib.hsp_options_set_double, self.pointer, key, value)
        elif kind is int and -(2**63) <= value < 2**63:
            invoke(lib.hsp_options_set_int, self.pointer, key, value)
        else:
            text = value if kind is str else option_text(value)
            if "\0" in text:
                raise InputError(f"option '{name}' has a NUL character: remove it")
            invoke(lib.hsp_options_set, self.pointer, key, text.encode())

    def get(self, name: str) -> str | None:
        """The value in force as text: the default where it was not set; None where there is none."""
        text = lib.hsp_options_get(self.pointer, name.replace("_", "-").encode())
        return None if text is None else text.decode()

    def given(self, name: str) -> bool:
        """Whether the option was set."""
        return lib.hsp_options_given(self.pointer, name.replace("_", "-").encode()) == 1

    def limit_threads(self) -> Options:
        """Set the number of threads to what this process or joblib worker may use, unless it was given."""
        allowed = allowed_threads()
        if allowed is not None and not lib.hsp_options_given(self.pointer, b"threads"):
            invoke(lib.hsp_options_set_int, self.pointer, b"threads", allowed)
        return self
