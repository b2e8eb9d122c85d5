"""Estimators fitted to chunks of rows that some scheduler keeps: what is asked of each chunk, and what is made of it.

A chunk is a tuple (X, y, sample_weight) of what `fit` takes, in the memory of some worker. Two functions travel to it, with an
estimator that is not fitted: `describe`, once, and `part_of`, which makes the part that answers the requests of the fit.
"""
from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, Optional, Sequence

import numpy as np

from . import _tables
from ._base import HalfspaceEstimator, Problem
from ._calibration import chooses
from ._classifier import HalfspaceClassifier
from ._compat import check_weights, validate
from ._labels import class_factors, class_weights, codes_for, encode_labels
from ._library import InputError
from ._parts import PART_ROWS, Engine, Part, train
from ._options import Options
from ._progress import Recorder

__all__ = ["Note", "Placement", "Spec", "chunk_bytes", "describe", "fit", "options_of", "part_of", "specs_of"]


@dataclass
class Note:
    """What the driver must know of a chunk."""

    rows: int = 0
    features: int = 0
    names: Any = None  # of the columns, if they have any
    classes: Any = None  # sorted; None for regression
    masses: Any = field(default_factory=lambda: np.empty((0, 1)))  # weights of the rows: a row a block, a column a class
    positive: int = 0  # rows of positive weight
    weighted: bool = False


@dataclass
class Spec:
    """How a chunk becomes a part."""

    estimator: Any  # not fitted; knows the names of the columns
    first_block: int
    classes: Any
    factors: Any  # weights of the classes, or None
    threads: int | None


def _taken(estimator: HalfspaceEstimator, chunk: Sequence[Any]) -> tuple[Any, Any, Any, np.ndarray, Any]:
    """A copy of the estimator that knows the columns, and X, y and the weights as `fit` takes them."""
    estimator = copy.copy(estimator)
    X, y, weights = chunk
    if _tables.is_table(estimator, X):
        raise InputError(f"{type(estimator).__name__}: chunks must have columns of numbers without missing values: encode "
                         "categories and text first, or train on files with the program")
    if hasattr(y, "columns") and np.ndim(y) == 2:
        y = y.iloc[:, 0] if y.shape[1] == 1 else y
    regression = not isinstance(estimator, HalfspaceClassifier)
    X, y = validate(estimator, X, y, reset=True, with_y=True, regression=regression)
    return estimator, X, y, check_weights(weights, len(y))


def _rows(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


def _block_masses(codes: np.ndarray, weights: np.ndarray | None, classes: int) -> np.ndarray:
    """The weights of the classes in each block: sums over blocks do not depend on how chunks are divided."""
    found = [np.bincount(codes[i : i + PART_ROWS], None if weights is None else weights[i : i + PART_ROWS], classes)
             for i in range(0, len(codes), PART_ROWS)]
    return np.array(found, dtype=np.float64)


def describe(estimator: HalfspaceEstimator, chunk: Sequence[Any]) -> Note:
    """What the driver must know of a chunk; raises what `fit` would raise."""
    if _rows(chunk[0]) == 0:
        return Note()
    est, X, y, weights = _taken(estimator, chunk)
    classes, codes = encode_labels(y) if isinstance(est, HalfspaceClassifier) else (None, np.zeros(len(y), dtype=np.int64))
    masses = _block_masses(codes, weights, 1 if classes is None else len(classes))
    positive = len(y) if weights is None else int(np.count_nonzero(weights))
    return Note(len(y), est.n_features_in_, est.__dict__.get("feature_names_in_"), classes, masses, positive, weights is not None)


def part_of(spec: Spec, chunk: Sequence[Any]) -> Part:
    """The part that answers for the rows of a chunk."""
    est, X, y, weights = _taken(spec.estimator, chunk)
    if spec.classes is None:
        data = est._targeted(X, y, weights, False)
    else:
        codes = codes_for(y, spec.classes)
        if spec.factors is not None:
            weights = class_weights(dict(zip(spec.classes.tolist(), spec.factors.tolist())), spec.classes, codes, weights)
        data = est._labelled(X, spec.classes, codes, weights, False)
    return Part.of_data(data, spec.first_block, threads=spec.threads, nbytes=chunk_bytes(chunk), remake=(part_of, (spec, chunk)))


def chunk_bytes(chunk: Sequence[Any]) -> int:
    """About how much memory a chunk takes."""
    total = 0
    for item in chunk:
        if hasattr(item, "tocsr"):
            total += sum(int(getattr(item, name).nbytes) for name in ("data", "indices", "indptr") if hasattr(item, name))
        elif hasattr(item, "memory_usage"):
            total += int(np.sum(item.memory_usage()))
        else:
            total += int(getattr(item, "nbytes", 0))
    return total


# ---- on the driver ----

# Those that the library trains over parts.
_ALGORITHMS = ("nearest-mean", "fisher", "lda", "least-squares", "ridge", "logistic", "svm")


class Placement:
    """The chunks of a fit, where they are. A scheduler says how to reach them; chunks keep their order."""

    # How many threads answer a request to one part; None: all that the worker's process may use.
    threads: int | None = None

    def describe(self, estimator: HalfspaceEstimator) -> list[Note]:
        """`describe` of each chunk."""
        raise NotImplementedError

    def engine(self, specs: list[Optional[Spec]]) -> Engine:
        """An engine over `part_of` of each chunk that has a Spec; the others have no rows."""
        raise NotImplementedError


def _common_columns(estimator: Any, notes: Sequence[Note]) -> None:
    """Set the columns of the estimator; all chunks must have them."""
    first = next((i for i, note in enumerate(notes) if note.rows), None)
    if first is None:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required: all chunks are empty.")
    for i, note in enumerate(notes):
        if note.rows == 0:
            continue
        if note.features != notes[first].features:
            raise ValueError(f"chunk {i} has {note.features} columns and chunk {first} has {notes[first].features}: give all "
                             "chunks the same columns")
        names, known = (None if n is None else list(n) for n in (note.names, notes[first].names))
        if names != known:
            raise ValueError(f"chunk {i} has other names of columns than chunk {first}: give all chunks the same columns")
    estimator.n_features_in_ = notes[first].features
    if notes[first].names is not None:
        estimator.feature_names_in_ = notes[first].names
    else:
        estimator.__dict__.pop("feature_names_in_", None)


def _gathered_classes(notes: Sequence[Note]) -> tuple[np.ndarray, np.ndarray]:
    """The classes of all chunks, and their weights: summed over blocks in their order."""
    found = [note for note in notes if note.rows]
    classes = np.unique(np.concatenate([note.classes for note in found]))
    mass = np.zeros(len(classes))
    for note in found:
        place = np.searchsorted(classes, note.classes)
        for block in note.masses:
            mass[place] += block
    return classes, mass


def specs_of(estimator: Any, notes: Sequence[Note], threads: int | None) -> tuple[list[Optional[Spec]], Problem]:
    """How each chunk becomes a part, and the problem they make together; sets the columns and the classes of the estimator."""
    _common_columns(estimator, notes)
    classes, factors, mass = None, None, np.zeros(1)
    if isinstance(estimator, HalfspaceClassifier):
        classes, mass = _gathered_classes(notes)
        estimator._check_classes(classes)
        weight = getattr(estimator, "class_weight", None)
        factors = None if weight is None else class_factors(weight, classes, mass)
        mass = mass if factors is None else mass * factors
        estimator._check_mass(classes, np.arange(len(classes)), mass)
        estimator.classes_ = classes
    else:
        for note in notes:
            for block in note.masses:
                mass = mass + block
    plain = type(estimator)(**estimator.get_params())
    for name in ("n_features_in_", "feature_names_in_"):
        if name in estimator.__dict__:
            setattr(plain, name, getattr(estimator, name))
    specs: list[Optional[Spec]] = []
    block = 0
    for note in notes:
        specs.append(Spec(plain, block, classes, factors, threads) if note.rows else None)
        block += len(note.masses)
    rows = sum(note.rows for note in notes)
    weighted = factors is not None or any(note.weighted for note in notes)
    positive = sum(note.positive for note in notes) if weighted else 0
    problem = Problem(rows, estimator.n_features_in_, 0 if classes is None else len(classes), float(mass.sum()), positive)
    return specs, problem


def options_of(estimator: Any, problem: Problem) -> dict[str, Any]:
    """The options of a fit over parts."""
    values = estimator._values(problem)
    values.pop("solver", None)  # a hint for rows in memory
    return values


def fit(estimator: Any, placement: Placement) -> Any:
    """Fit an estimator to the chunks of a placement."""
    estimator._check_params()
    if estimator._algorithm not in _ALGORITHMS:
        raise ValueError(f"{type(estimator).__name__} cannot be trained over parts: it visits the rows one after the other, or needs "
                         "all of them at once")
    if chooses(estimator):
        raise ValueError(f"{type(estimator).__name__}: calibrate and decide need folds, which chunks do not give: fit without "
                         "them")
    specs, problem = specs_of(estimator, placement.describe(estimator), placement.threads)
    estimator._is_table = False
    values = options_of(estimator, problem)
    recorder = Recorder(getattr(estimator, "verbose", 0), type(estimator).__name__, values.get("tol"))
    try:
        model, report = train(placement.engine(specs), Options(values), progress=recorder)
    finally:
        recorder.close()
    estimator._recorder = recorder
    estimator.__dict__.pop("_models", None)
    estimator._keep(model, report)
    return estimator
