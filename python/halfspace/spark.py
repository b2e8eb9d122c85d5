"""The estimators on Spark DataFrames, where the executors have them.

    from halfspace.spark import LogisticRegression

    model = LogisticRegression().fit(frame, label="label")

The rows stay with the executors: each round of the fit is a job of `mapInArrow`, which Spark Connect has too. The result is an
ordinary model, with the same bits for any number of executors, and after one was lost.
"""
from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Optional

import numpy as np

try:
    import pyarrow
    import pyspark  # noqa: F401
except ImportError as missing:
    raise ImportError("halfspace.spark needs PySpark and PyArrow: pip install 'halfspace[spark]'") from missing

from . import discriminant, logistic, ridge, svm
from ._chunks import Note, Placement, Spec, describe, fit, part_of
from ._library import InputError
from ._parts import PART_ROWS, Engine, add

__all__ = [
    "FisherDiscriminant", "LeastSquaresClassifier", "LinearDiscriminantAnalysis", "LinearRegression",
    "LinearSVC", "LogisticRegression", "NearestMean", "Ridge", "RidgeClassifier", "SparkEngine",
]

# About as many bytes of rows are a piece, of whole blocks: a binary value of Spark must stay below 2 GB.
_PIECE = 64 << 20
_NUMERIC = ("tinyint", "smallint", "int", "bigint", "float", "double", "boolean")

Batches = Iterator[Any]


# ---- on the executors ----


def _matrix(batch: Any, features: Sequence[str]) -> np.ndarray:
    """The columns of numbers, or one column of lists, as a matrix."""
    columns = [batch.column(name) for name in features]
    if any(column.null_count for column in columns):
        raise ValueError("the features have nulls: fill or drop them first")
    if len(columns) == 1 and pyarrow.types.is_list(columns[0].type):
        flat = columns[0].flatten()
        if flat.null_count or len(flat) % max(1, len(batch)):
            raise ValueError("the lists of features have nulls or different lengths")
        return flat.to_numpy(zero_copy_only=False).astype(np.float64, copy=False).reshape(len(batch), -1)
    return np.column_stack([column.to_numpy(zero_copy_only=False).astype(np.float64, copy=False) for column in columns])


def _values(batch: Any, name: str | None) -> Any:
    if name is None:
        return None
    if batch.column(name).null_count:
        raise ValueError(f"column '{name}' has nulls: fill or drop them first")
    found = batch.column(name).to_numpy(zero_copy_only=False)
    return found.astype(str) if found.dtype == object else found


def _joined(parts: list[Any]) -> Any:
    return None if parts[0] is None else np.concatenate(parts)


def _packer(features: Sequence[str], label: str, weight: str | None) -> Callable[[Batches], Batches]:
    """Rows of a partition as pieces: (partition, piece, content)."""

    def pack(batches: Batches) -> Batches:
        from pyspark import TaskContext

        context = TaskContext.get()
        number = context.partitionId() if context is not None else 0
        waiting: list[tuple[Any, Any, Any]] = []
        piece = rows = 0

        def packed(chunk: tuple[Any, Any, Any]) -> Any:
            content = pickle.dumps(chunk, protocol=5)
            return pyarrow.RecordBatch.from_pydict({"partition": pyarrow.array([number], pyarrow.int32()),
                                                    "piece": pyarrow.array([piece], pyarrow.int32()),
                                                    "content": pyarrow.array([content], pyarrow.binary())})

        for batch in batches:
            if len(batch) == 0:
                continue
            waiting.append((_matrix(batch, features), _values(batch, label), _values(batch, weight)))
            rows += len(batch)
            most = max(1, _PIECE // (8 * waiting[0][0].shape[1] * PART_ROWS)) * PART_ROWS
            if rows >= most:
                whole = tuple(_joined([part[i] for part in waiting]) for i in range(3))
                for start in range(0, rows - rows % most, most):
                    yield packed(tuple(None if v is None else v[start:start + most] for v in whole))
                    piece += 1
                waiting = [tuple(None if v is None else v[rows - rows % most:] for v in whole)]
                rows %= most
        if rows:
            yield packed(tuple(_joined([part[i] for part in waiting]) for i in range(3)))

    return pack


def _pieces(batches: Batches) -> Iterator[tuple[tuple[int, int], Any]]:
    for batch in batches:
        for number, piece, content in zip(*[batch.column(name).to_pylist() for name in ("partition", "piece", "content")]):
            yield (number, piece), pickle.loads(content)


def _describer(estimator: Any) -> Callable[[Batches], Batches]:
    """(partition, piece, content), with a Note, or the words of an error, as the content."""

    def work(batches: Batches) -> Batches:
        for (number, piece), chunk in _pieces(batches):
            try:
                found: Any = describe(estimator, chunk)
            except ValueError as reason:
                found = f"partition {number}: {reason}"
            yield pyarrow.RecordBatch.from_pydict({"partition": pyarrow.array([number], pyarrow.int32()),
                                                   "piece": pyarrow.array([piece], pyarrow.int32()),
                                                   "content": pyarrow.array([pickle.dumps(found)], pyarrow.binary())})

    return work


def _answerer(specs: dict[tuple[int, int], Spec], request: bytes) -> Callable[[Batches], Batches]:
    """The sum of the replies of a partition, or the words of an error."""

    def work(batches: Batches) -> Batches:
        total, fault = b"", ""
        for key, chunk in _pieces(batches):
            if fault:
                continue  # Spark starts a new process in place of one that leaves rows unread
            try:
                reply = part_of(specs[key], chunk).answer(request)
                total = add(total, reply) if total else reply
            except ValueError as reason:
                fault = f"partition {key[0]}: {reason}"
        if total or fault:
            yield pyarrow.RecordBatch.from_pydict({"reply": pyarrow.array([total], pyarrow.binary()),
                                                   "fault": pyarrow.array([fault], pyarrow.string())})

    return work


# ---- on the driver ----


class SparkEngine(Engine):
    """Asks the pieces of a cached DataFrame."""

    name = "spark"

    def __init__(self, pieces: Any, specs: dict[tuple[int, int], Spec]) -> None:
        self.pieces, self.specs, self.count = pieces, specs, len(specs)

    def ask(self, request: bytes) -> bytes:
        """Ask all pieces by one job; each partition adds its own replies."""
        rows = self.pieces.mapInArrow(_answerer(self.specs, request), "reply binary, fault string").collect()
        for row in rows:
            if row["fault"]:
                raise InputError(row["fault"])
        return add(*[bytes(row["reply"]) for row in rows])


class _SparkPlacement(Placement):
    threads = 1  # Spark runs a task on each core

    def __init__(self, pieces: Any) -> None:
        self.pieces = pieces
        self.keys: list[tuple[int, int]] = []

    def describe(self, estimator: Any) -> list[Note]:
        rows = self.pieces.mapInArrow(_describer(estimator), "partition int, piece int, content binary").collect()
        found = {(row["partition"], row["piece"]): pickle.loads(row["content"]) for row in rows}
        self.keys = sorted(found)
        for key in self.keys:
            if isinstance(found[key], str):
                raise ValueError(found[key])
        return [found[key] for key in self.keys]

    def engine(self, specs: list[Optional[Spec]]) -> SparkEngine:
        return SparkEngine(self.pieces, {key: spec for key, spec in zip(self.keys, specs) if spec is not None})


def _columns_of(frame: Any, features: Any, label: str, weight: str | None) -> list[str]:
    kinds = dict(frame.dtypes)
    if features is None:
        features = [name for name in kinds if name not in (label, weight)]
    features = [features] if isinstance(features, str) else list(features)
    for name in [*features, label, *([] if weight is None else [weight])]:
        if name not in kinds:
            raise ValueError(f"the DataFrame has no column '{name}': its columns are {', '.join(kinds)}")
    lists = len(features) == 1 and kinds[features[0]].startswith("array<")
    for name in features:
        if not lists and kinds[name] not in _NUMERIC:
            raise ValueError(f"column '{name}' has the type {kinds[name]}: features are columns of numbers, or one array of numbers; "
                             "encode text and categories first, and turn ML vectors into arrays by vector_to_array")
    return features


class _OnSpark:
    """What the estimators of this module add to those of the package."""

    def fit(self, frame: Any, label: str = "label", features: Any = None, weight: str | None = None) -> Any:
        """Fit the model to a DataFrame.

        Parameters
        ----------
        frame : pyspark.sql.DataFrame
            The rows, of Spark or of Spark Connect. What comes from a shuffle may have another order when it is computed again:
            cache or write it first where the last bits matter.
        label : str, default='label'
            The column of the labels or targets.
        features : list of str or str, default=None
            Columns of numbers, or one column of arrays of numbers; None: all others.
        weight : str, default=None
            A column of weights of the rows; None: all 1.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        est: Any = self
        est._check_params()
        features = _columns_of(frame, features, label, weight)
        wanted = list(dict.fromkeys([*features, label, *([] if weight is None else [weight])]))
        pieces = frame.select(*wanted).mapInArrow(_packer(features, label, weight),
                                                  "partition int, piece int, content binary").cache()
        try:
            return fit(est, _SparkPlacement(pieces))
        finally:
            pieces.unpersist()


class LogisticRegression(_OnSpark, logistic.LogisticRegression):
    """`halfspace.LogisticRegression` on Spark: the same parameters, attributes and optimum."""


class LinearSVC(_OnSpark, svm.LinearSVC):
    """`halfspace.LinearSVC` on Spark: the same parameters and optimum; the multipliers stay with the rows."""


class LinearDiscriminantAnalysis(_OnSpark, discriminant.LinearDiscriminantAnalysis):
    """`halfspace.LinearDiscriminantAnalysis` on Spark: the same parameters and attributes."""


class FisherDiscriminant(_OnSpark, discriminant.FisherDiscriminant):
    """`halfspace.FisherDiscriminant` on Spark: the same parameters and attributes."""


class NearestMean(_OnSpark, discriminant.NearestMean):
    """`halfspace.NearestMean` on Spark: the same parameters and attributes."""


class RidgeClassifier(_OnSpark, ridge.RidgeClassifier):
    """`halfspace.RidgeClassifier` on Spark: the same parameters, attributes and optimum."""


class LeastSquaresClassifier(_OnSpark, ridge.LeastSquaresClassifier):
    """`halfspace.LeastSquaresClassifier` on Spark: the same parameters and optimum."""


class Ridge(_OnSpark, ridge.Ridge):
    """`halfspace.Ridge` on Spark: the same parameters, attributes and optimum."""


class LinearRegression(_OnSpark, ridge.LinearRegression):
    """`halfspace.LinearRegression` on Spark: the same parameters, attributes and optimum."""
