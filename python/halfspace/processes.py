"""Parts in other processes of this machine, by joblib: for rows in files, or chunks that do not fit into memory at once.

A fit in one process uses all processors too, and copies nothing: `halfspace.LogisticRegression` and its like are faster for arrays.
"""
from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from typing import Any, Callable, Optional

try:
    import joblib
    from joblib.externals.loky.process_executor import BrokenProcessPool
except ImportError as missing:
    raise ImportError("halfspace.processes needs joblib: pip install joblib") from missing

from ._chunks import Note, Placement, Spec, describe, fit, part_of
from ._parts import Engine, Part, add, plan

__all__ = ["ProcessEngine", "fit_chunks", "on_files"]

# How often a round is asked again when a process died.
_ATTEMPTS = 5
# Of a worker: the parts of the engine that asked last, by their numbers.
_mine: dict[int, Part] = {}
_engine = ""


def _answer(engine: str, number: int, make: Callable[..., Part], arguments: tuple[Any, ...], request: bytes) -> bytes:
    """The reply of a part, which is made when this process is asked for it the first time."""
    global _engine
    if _engine != engine:
        _mine.clear()
        _engine = engine
    if number not in _mine:
        _mine[number] = make(*arguments)
    return _mine[number].answer(request)


class ProcessEngine(Engine):
    """Asks parts in worker processes, which make them when they are asked first; a process that died is replaced.

    Parameters
    ----------
    makers : sequence of (function, arguments)
        The calls that make the parts. Arrays among the arguments are shared by memory maps.
    processes : int, optional
        How many; None: as many as there are processors.
    """

    name = "processes"

    def __init__(self, makers: Sequence[tuple[Callable[..., Part], tuple[Any, ...]]], processes: int | None = None) -> None:
        self.makers, self.count = list(makers), len(makers)
        self._name = uuid.uuid4().hex
        self._jobs = processes or joblib.cpu_count()
        self._parallel: Any = None

    def ask(self, request: bytes) -> bytes:
        """Ask all parts, one after the other in each process."""
        for attempt in range(_ATTEMPTS):
            try:
                return add(*self._ask(request))
            except BrokenProcessPool:
                self.close()
                if attempt + 1 == _ATTEMPTS:
                    raise
        raise AssertionError

    def _ask(self, request: bytes) -> list[bytes]:
        if self._parallel is None:
            self._parallel = joblib.Parallel(n_jobs=self._jobs, backend="loky").__enter__()
        return self._parallel(joblib.delayed(_answer)(self._name, i, make, arguments, request)
                              for i, (make, arguments) in enumerate(self.makers))

    def close(self) -> None:
        """End the processes."""
        parallel, self._parallel = self._parallel, None
        if parallel is not None:
            parallel.__exit__(None, None, None)


class _ProcessPlacement(Placement):
    threads = 1

    def __init__(self, chunks: Sequence[Any], processes: int | None) -> None:
        self.chunks, self.processes = list(chunks), processes
        self.made: ProcessEngine | None = None

    def describe(self, estimator: Any) -> list[Note]:
        return joblib.Parallel(n_jobs=self.processes or joblib.cpu_count(), backend="loky")(
            joblib.delayed(describe)(estimator, chunk) for chunk in self.chunks)

    def engine(self, specs: list[Optional[Spec]]) -> ProcessEngine:
        makers = [(part_of, (spec, chunk)) for spec, chunk in zip(specs, self.chunks) if spec is not None]
        self.made = ProcessEngine(makers, self.processes)
        return self.made


def fit_chunks(estimator: Any, chunks: Sequence[Any], processes: int | None = None) -> Any:
    """Fit an estimator to chunks of rows in worker processes.

    Parameters
    ----------
    estimator : object
        One of halfspace.
    chunks : sequence of (X, y, sample_weight)
        What `fit` takes, in chunks of all columns; memory maps are not copied. sample_weight may be None.
    processes : int, optional
        How many; None: as many as there are processors.

    Returns
    -------
    estimator : object
        The fitted estimator.
    """
    placement = _ProcessPlacement(chunks, processes)
    try:
        return fit(estimator, placement)
    finally:
        if placement.made is not None:
            placement.made.close()


def on_files(paths: Sequence[str | os.PathLike[str]], parts: int | None = None, processes: int | None = None,
             **options: Any) -> ProcessEngine:
    """An engine over files, for `halfspace.parts.train`.

    Parameters
    ----------
    paths : sequence of path
        The files, in order.
    parts : int, optional
        At most how many parts; None: one for each process.
    processes : int, optional
        How many; None: as many as there are processors.
    **options
        Options of reading.
    """
    count = processes or joblib.cpu_count()
    return ProcessEngine([(Part.open, (text,)) for text in plan(paths, parts or count, **options)], count)
