"""Checks of parameters, with exceptions in scikit-learn's words."""
from __future__ import annotations

import numbers
from typing import Any

import numpy as np


class UnsupportedParameterError(NotImplementedError, ValueError):
    """A value of a parameter that scikit-learn's class has and this one does not."""


def check_number(estimator: Any, name: str, low: float = 0.0, *, strict: bool = False, high: float = np.inf,
                 integer: bool = False) -> None:
    """Raise ValueError unless a parameter is a number from low (above it: strict) to high."""
    value = getattr(estimator, name)
    if type(value) is (int if integer else float) and low < value <= high:
        return
    kind = numbers.Integral if integer else numbers.Real
    good = isinstance(value, kind) and not isinstance(value, (bool, np.bool_)) and (low < value if strict else low <= value)
    if not good or not value <= high:
        what = "an int" if integer else "a float"
        span = f"{'(' if strict else '['}{low}, {'inf' if high == np.inf else high}{')' if high == np.inf else ']'}"
        raise ValueError(f"The {name!r} parameter of {type(estimator).__name__} must be {what} in the range {span}. Got "
                         f"{value!r} instead.")


def check_choice(estimator: Any, name: str, choices: Any) -> None:
    """Raise ValueError unless a parameter is one of the choices."""
    value = getattr(estimator, name)
    if not any(value is choice or (isinstance(value, type(choice)) and value == choice) for choice in choices):
        words = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"The {name!r} parameter of {type(estimator).__name__} must be one of {words}. Got {value!r} instead.")


def unsupported(estimator: Any, name: str, why: str) -> UnsupportedParameterError:
    """The exception of a value that scikit-learn's class takes and this one does not."""
    return UnsupportedParameterError(f"{type(estimator).__name__} does not support {name}={getattr(estimator, name)!r}: {why}")
