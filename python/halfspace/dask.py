"""The estimators on Dask: arrays, dataframes and delayed chunks, where the workers have them.

    from dask.distributed import Client
    from halfspace.dask import LogisticRegression

    client = Client()
    model = LogisticRegression().fit(X, y)  # X, y: dask arrays or dataframes

The rows stay where they are: each round of the fit sends the weights to the workers and adds up their replies. The result is an
ordinary model, with the same bits for any number of workers, and after a worker was lost. `predict` and its like take Dask
collections too, and are lazy on them.
"""
from __future__ import annotations

import time
import uuid
import warnings
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

try:
    import dask
    from dask.distributed import CancelledError, Client, Future, KilledWorker, TimeoutError as _NotYet, default_client, wait
    from distributed.comm import CommClosedError
except ImportError as missing:
    raise ImportError("halfspace.dask needs Dask: pip install 'halfspace[dask]'") from missing

from . import discriminant, logistic, ridge, svm
from ._chunks import Note, Placement, Spec, describe, fit, part_of
from ._compat import check_fitted
from ._parts import Engine, Part, add

__all__ = [
    "DaskEngine", "FisherDiscriminant", "LeastSquaresClassifier", "LinearDiscriminantAnalysis",
    "LinearRegression", "LinearSVC", "LogisticRegression", "NearestMean", "Ridge", "RidgeClassifier",
]

# A request of more bytes is sent to the workers once, instead of with every task.
_LARGE = 1 << 16
# How many replies are added by one task.
_TOGETHER = 8
# How often a round is asked again when the scheduler gave up on it.
_ATTEMPTS = 5
# Seconds between two looks whether the cluster still has workers, while a fit waits.
_LOOK = 0.5


def _name(what: str) -> str:
    return f"halfspace-{what}-{uuid.uuid4().hex}"


def _chunk(X: Any, y: Any, weights: Any) -> tuple[Any, Any, Any]:
    return X, y, weights


def _describe(estimator: Any, number: int, chunk: Any) -> Note | str:
    """A Note, or what is wrong with the chunk: a task that raises would fill the logs of the workers."""
    try:
        return describe(estimator, chunk)
    except ValueError as reason:
        return f"chunk {number}: {reason}"


def _part(number: int, spec: Spec, chunk: Any) -> Part:
    try:
        return part_of(spec, chunk)
    except ValueError as reason:
        raise ValueError(f"chunk {number}: {reason}") from None


def _same(request: bytes) -> bytes:
    return request


def _answer(part: Part, request: bytes) -> bytes:
    return part.answer(request)


def _await(client: Client, futures: list[Future], patience: float) -> None:
    """Wait for futures; TimeoutError: there has been no worker for `patience` seconds."""
    alone: float | None = None
    while True:
        try:
            wait(futures, timeout=min(_LOOK, patience))
            return
        except _NotYet:
            pass
        now = time.monotonic()
        alone = None if client.nthreads() else now if alone is None else alone
        if alone is not None and now - alone >= patience:
            address = client.scheduler.address if client.scheduler else "that is gone"
            raise TimeoutError(f"the scheduler {address} has had no worker for {patience:g} s: start workers, or give fit a larger "
                               "timeout")


class DaskEngine(Engine):
    """Asks parts that the workers of a cluster have.

    Parameters
    ----------
    client : dask.distributed.Client
    parts : list of Future
        Each a `Part`.
    timeout : float
        After how many seconds without any worker `ask` raises TimeoutError.
    """

    name = "dask"

    def __init__(self, client: Client, parts: Sequence[Future], timeout: float = 60.0) -> None:
        self.client, self.parts, self.timeout = client, list(parts), timeout
        self.count = len(self.parts)
        self._round: list[Future] = []
        self._closed = False

    def close(self) -> None:
        """End the round that runs, if any, and drop the parts."""
        self._closed = True
        self.client.cancel([*self._round, *self.parts])
        self._round, self.parts = [], []

    def ask(self, request: bytes) -> bytes:
        """Ask all parts where they are, and add the replies by a tree of tasks."""
        for attempt in range(_ATTEMPTS):
            try:
                return self._ask(request)
            except (CancelledError, CommClosedError, KilledWorker):  # too many workers were lost at once
                if self._closed or attempt + 1 == _ATTEMPTS:
                    raise
        raise AssertionError

    def _ask(self, request: bytes) -> bytes:
        client, name = self.client, _name("round")
        content = request if len(request) <= _LARGE else self._sent(request, name)
        replies = client.map(_answer, self.parts, request=content, key=name, pure=False)
        self._round = list(replies)
        level = 0
        while len(replies) > 1:
            level += 1
            groups = [replies[i : i + _TOGETHER] for i in range(0, len(replies), _TOGETHER)]
            replies = [client.submit(add, *group, key=f"{name}-{level}-{i}") for i, group in enumerate(groups)]
            self._round += replies
        _await(client, replies, self.timeout)
        found = replies[0].result()
        self._round = []
        return found

    def _sent(self, request: bytes, name: str) -> Future:
        """A large request as a task, which the scheduler repeats when the worker that had it is gone; one of `scatter` is lost."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of large graphs
            return self.client.submit(_same, request, key=f"{name}-request")


class _DaskPlacement(Placement):
    """Chunks that are futures."""

    def __init__(self, client: Client, chunks: Sequence[Future], timeout: float) -> None:
        self.client, self.chunks, self.timeout = client, list(chunks), timeout
        self.made: DaskEngine | None = None
        threads = sum(client.nthreads().values())
        # Each worker answers for as many parts at a time as it has threads.
        self.threads = max(1, threads // len(self.chunks))

    def describe(self, estimator: Any) -> list[Note]:
        name = _name("describe")
        notes = [self.client.submit(_describe, estimator, i, chunk, key=f"{name}-{i}") for i, chunk in enumerate(self.chunks)]
        _await(self.client, notes, self.timeout)
        found = self.client.gather(notes)
        for note in found:
            if isinstance(note, str):
                raise ValueError(note)
        return found

    def engine(self, specs: list[Optional[Spec]]) -> DaskEngine:
        name = _name("part")
        pairs = [(i, spec, chunk) for i, (spec, chunk) in enumerate(zip(specs, self.chunks)) if spec is not None]
        parts = [self.client.submit(_part, *pair, key=f"{name}-{pair[0]}") for pair in pairs]
        self.made = DaskEngine(self.client, parts, self.timeout)
        _await(self.client, parts, self.timeout)
        for part in parts:
            if part.status == "error":
                part.result()  # raises
        return self.made

    def close(self) -> None:
        """Leave nothing of a fit on the cluster."""
        if self.made is not None:
            self.made.close()
        self.client.cancel(self.chunks)
        self.chunks = []


# ---- collections as chunks ----


def _is_array(X: Any) -> bool:
    return hasattr(X, "dask") and hasattr(X, "map_blocks") and hasattr(X, "numblocks")


def _is_frame(X: Any) -> bool:
    return hasattr(X, "dask") and hasattr(X, "map_partitions") and hasattr(X, "npartitions") and not _is_array(X)


def _blocks(what: str, values: Any) -> list[Any]:
    """The chunks of a collection as delayed objects or futures."""
    if values is None:
        return []
    if _is_array(values):
        if values.ndim == 2 and values.numblocks[1] > 1:
            values = values.rechunk({1: -1})
        if values.ndim > 2:
            raise ValueError(f"{what} has {values.ndim} dimensions: give rows and columns")
        return list(values.to_delayed().ravel())
    if _is_frame(values):
        return list(values.to_delayed())
    if isinstance(values, (list, tuple)) and values and all(hasattr(v, "dask") or isinstance(v, Future) for v in values):
        return list(values)
    raise TypeError(f"{what} is {type(values).__name__}: pass a dask array, a dask dataframe or a list of delayed chunks; for data in "
                    "memory use the estimators of halfspace itself")


def _has_known_lengths(values: Any) -> bool:
    return not any(size != size for size in values.chunks[0])


def _aligned(X: Any, what: str, values: Any) -> Any:
    """The values in chunks of the lengths of X's, where all lengths are known."""
    if not _is_array(values) or not _has_known_lengths(values):
        return values
    if values.shape[0] != X.shape[0]:
        raise ValueError(f"{what} has {values.shape[0]} rows and X has {X.shape[0]}: give one for each row")
    return values.rechunk({0: X.chunks[0]})


def _chunks(X: Any, y: Any, weights: Any) -> list[Any]:
    """Chunks of X with their y and weights, all of the same lengths; unknown lengths are checked by the workers."""
    if _is_array(X) and _has_known_lengths(X):
        y, weights = _aligned(X, "y", y), _aligned(X, "sample_weight", weights)
    rows, labels, own = _blocks("X", X), _blocks("y", y), _blocks("sample_weight", weights)
    if not labels:
        raise ValueError("requires y to be passed, but the target y is None")
    for what, found in (("y", labels), ("sample_weight", own)):
        if found and len(found) != len(rows):
            raise ValueError(f"{what} has {len(found)} chunks and X has {len(rows)}: divide them alike")
    together = dask.delayed(_chunk, pure=False)
    return [together(x, t, own[i] if own else None) for i, (x, t) in enumerate(zip(rows, labels))]


# ---- estimators ----


class _OnDask:
    """What the estimators of this module add to those of the package."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, client: Client | None = None, timeout: float = 60.0) -> Any:
        """Fit the model to chunks of rows, where the workers have them.

        Parameters
        ----------
        X : dask array or dataframe, or list of delayed chunks
            The rows: numbers. Every division into chunks of multiples of 16,384 rows gives the same bits.
        y : dask array, series or dataframe, or list of delayed chunks
            Labels or targets, chunk by chunk.
        sample_weight : the same, default=None
            Weights of the rows; None: all 1.
        client : dask.distributed.Client, default=None
            The cluster; None: the client made last.
        timeout : float, default=60.0
            After how many seconds without any worker TimeoutError is raised.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        est: Any = self
        est._check_params()
        client = client or default_client()
        if client.asynchronous:
            raise ValueError("the client is asynchronous: fit with one that is not")
        if not timeout > 0:
            raise ValueError(f"timeout is {timeout}: give a number of seconds above 0")
        placement = _DaskPlacement(client, client.compute(_chunks(X, y, sample_weight)), timeout)
        try:
            return fit(est, placement)
        finally:  # also after an interrupt, whose traceback keeps the futures alive
            placement.close()

    def predict(self, X: Any) -> Any:
        """As the class of the package; lazy on dask collections."""
        return self._lazily("predict", X)

    def _lazily(self, name: str, X: Any) -> Any:
        method = getattr(super(), name)
        if not _is_array(X) and not _is_frame(X):
            return method(X)
        check_fitted(self)
        width, dtype = _shape_of(self, name)
        if _is_frame(X):
            return X.map_partitions(_on_frame, self, name, meta=_on_frame(X._meta_nonempty, self, name).iloc[:0])
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        if width is None:
            return X.map_blocks(_on_block, self, name, drop_axis=1, dtype=dtype)
        return X.map_blocks(_on_block, self, name, chunks=(X.chunks[0], (width,)), dtype=dtype)


def _shape_of(estimator: Any, name: str) -> tuple[int | None, Any]:
    """The columns (None: one dimension) and the type of what a method gives."""
    classes = getattr(estimator, "classes_", None)
    if name == "predict":
        return None, np.float64 if classes is None else classes.dtype
    if name == "decision_function" and len(classes) == 2:
        return None, np.float64
    return len(classes), np.float64


def _on_block(X: Any, estimator: Any, name: str) -> Any:
    if len(X) == 0:
        width, dtype = _shape_of(estimator, name)
        return np.empty((0,) if width is None else (0, width), dtype)
    return getattr(estimator, name)(X)


def _on_frame(X: Any, estimator: Any, name: str) -> Any:
    import pandas

    found = _on_block(X, estimator, name)
    if found.ndim == 1:
        return pandas.Series(found, index=X.index)
    return pandas.DataFrame(found, index=X.index, columns=list(estimator.classes_))


class _ScoresOnDask(_OnDask):
    """With scores."""

    def decision_function(self, X: Any) -> Any:
        """As the class of the package; lazy on dask collections."""
        return self._lazily("decision_function", X)


class _ProbabilitiesOnDask(_ScoresOnDask):
    """With probabilities."""

    def predict_proba(self, X: Any) -> Any:
        """As the class of the package; lazy on dask collections."""
        return self._lazily("predict_proba", X)


class LogisticRegression(_ProbabilitiesOnDask, logistic.LogisticRegression):
    """`halfspace.LogisticRegression` on Dask: the same parameters, attributes and optimum."""


class LinearSVC(_ScoresOnDask, svm.LinearSVC):
    """`halfspace.LinearSVC` on Dask: the same parameters and optimum; the multipliers stay with the rows."""


class LinearDiscriminantAnalysis(_ProbabilitiesOnDask, discriminant.LinearDiscriminantAnalysis):
    """`halfspace.LinearDiscriminantAnalysis` on Dask: the same parameters and attributes."""


class FisherDiscriminant(_ScoresOnDask, discriminant.FisherDiscriminant):
    """`halfspace.FisherDiscriminant` on Dask: the same parameters and attributes."""


class NearestMean(_ScoresOnDask, discriminant.NearestMean):
    """`halfspace.NearestMean` on Dask: the same parameters and attributes."""


class RidgeClassifier(_ScoresOnDask, ridge.RidgeClassifier):
    """`halfspace.RidgeClassifier` on Dask: the same parameters, attributes and optimum."""


class LeastSquaresClassifier(_ScoresOnDask, ridge.LeastSquaresClassifier):
    """`halfspace.LeastSquaresClassifier` on Dask: the same parameters and optimum."""


class Ridge(_OnDask, ridge.Ridge):
    """`halfspace.Ridge` on Dask, for one target: the same parameters, attributes and optimum."""


class LinearRegression(_OnDask, ridge.LinearRegression):
    """`halfspace.LinearRegression` on Dask, for one target: the same parameters, attributes and optimum."""
