"""Labels of any kind as sorted classes, codes and the texts by which a model file knows them."""
from __future__ import annotations

import numbers
from typing import Any, Mapping, Sequence

import numpy as np

# A table of this many entries is cheaper than sorting the labels.
_SPAN = 1 << 16


def encode_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sorted classes, and the index of each row's class among them.

    Raises
    ------
    ValueError
        If the labels are continuous numbers, or objects that cannot be sorted.
    """
    check_labels(y)
    if y.dtype.kind == "b" or (y.dtype.kind in "iu" and y.dtype != np.uint64):
        found = _encode_integers(y)
        if found is not None:
            return found
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.reshape(-1)


def _encode_integers(y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """By counting instead of sorting; None if the labels are too far apart."""
    if y.dtype.kind == "b":
        y = y.view(np.uint8)
        kind: Any = np.bool_
    else:
        kind = y.dtype
    low, high = int(y.min()), int(y.max())
    if high - low >= _SPAN:
        return None
    codes = y.astype(np.int64, copy=False) - low if low else y.astype(np.int64, copy=False)
    present = np.flatnonzero(np.bincount(codes))
    if len(present) <= high - low:
        place = np.zeros(high - low + 1, dtype=np.int64)
        place[present] = np.arange(len(present))
        codes = place[codes]
    return (present + low).astype(kind), codes


def check_labels(y: np.ndarray) -> None:
    """Raise ValueError if y cannot be labels of classes."""
    kind = y.dtype.kind
    if kind in "biuUS":
        return
    if kind == "f":
        # NaN and infinity are found earlier.
        if (y != np.rint(y)).any():
            raise ValueError("Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete "
                             "classes on a regression target with continuous values.")
        return
    from ._compat import sklearn  # here, so that functions on labels of the usual kinds do not import it

    if sklearn is not None:
        from sklearn.utils.multiclass import check_classification_targets
        check_classification_targets(y)
    elif len({type(label) for label in y.tolist()}) > 1:
        raise ValueError("Unknown label type: unknown. The labels are of different types: give strings, or integers.")


def codes_for(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The index of each row's class among the sorted classes.

    Raises
    ------
    ValueError
        If y has other labels.
    """
    check_labels(y)
    codes = np.searchsorted(classes, y)
    known = classes[np.minimum(codes, len(classes) - 1)] == y
    if not np.all(known):
        raise ValueError(f"y contains labels that are not in classes: {np.unique(y[~known]).tolist()}")
    return codes


def label_texts(classes: np.ndarray) -> list[str]:
    """The texts of the classes in a model file: their spelling, or their index where the file would sort them otherwise.

    A file compares labels that are numbers as numbers, and others by their bytes.
    """
    kind = classes.dtype.kind
    if kind in "biu":
        return [str(label) for label in classes.tolist()]
    if kind == "f":
        return [repr(int(label)) if label == int(label) else repr(label) for label in classes.tolist()]
    texts = [label.decode("latin-1") if isinstance(label, bytes) else str(label) for label in classes.tolist()]
    return texts if _sorted_alike(texts) else [str(k) for k in range(len(texts))]


def _sorted_alike(texts: Sequence[str]) -> bool:
    """Whether a model file takes these texts as they are, distinct and in this order."""
    if any(not text.strip() or text != text.strip() or "\0" in text for text in texts):
        return False
    try:
        encoded = [text.encode() for text in texts]
    except UnicodeEncodeError:
        return False
    values = [_number(text) for text in texts]
    if all(value is None for value in values):
        return all(a < b for a, b in zip(encoded, encoded[1:]))
    numbers_alone = [value for value in values if value is not None]
    return len(numbers_alone) == len(values) and all(a < b for a, b in zip(numbers_alone, numbers_alone[1:]))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def class_weights(class_weight: Any, classes: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
    """The weights of the rows, times those of their classes.

    Parameters
    ----------
    class_weight : mapping, "balanced" or None
        A weight by label (1 where there is none); balanced: the same total weight for every class.
    """
    if class_weight is None:
        return weights
    balanced = isinstance(class_weight, str)
    mass = np.bincount(codes, weights=weights, minlength=len(classes)) if balanced else None
    rows = class_factors(class_weight, classes, mass)[codes]
    return rows if weights is None else rows * weights


def class_factors(class_weight: Any, classes: np.ndarray, mass: np.ndarray | None) -> np.ndarray:
    """The weights of the classes, in their order.

    Parameters
    ----------
    class_weight : mapping or "balanced"
        As for `class_weights`.
    mass : ndarray or None
        The total weight of the rows of each class, for balanced weights.
    """
    if isinstance(class_weight, Mapping):
        return _given_weights(class_weight, classes)
    if not isinstance(class_weight, str) or class_weight != "balanced":
        raise ValueError(f"The 'class_weight' parameter must be a dict, 'balanced' or None. Got {class_weight!r} instead.")
    assert mass is not None
    with np.errstate(divide="ignore"):
        return np.where(mass > 0, mass.sum() / (len(classes) * mass), 0.0)


def _given_weights(class_weight: Mapping[Any, float], classes: np.ndarray) -> np.ndarray:
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if len(unknown) == len(class_weight) and class_weight:
        raise ValueError(f"The classes, {labels}, are not in class_weight")
    factors = [class_weight.get(label, 1.0) for label in labels]
    if not all(isinstance(f, numbers.Real) and np.isfinite(f) and f >= 0 for f in factors):
        raise ValueError(f"class_weight must have finite numbers that are not negative, got {dict(class_weight)!r}")
    return np.asarray(factors, dtype=np.float64)
