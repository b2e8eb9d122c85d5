"""Models, and the jobs that train them."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Optional

import numpy as np

from ._calls import STEP, on_main_thread
from ._data import Data, view_of
from ._finalizer import finalizer
from ._hooks import Listener, Log, Progress, Watch, interrupts_of, progress_of
from ._library import Array, InputError, ProgressLine, byref, c_void_p, check, invoke, lib, make, size_of
from ._options import Options
from ._report import Report, copy_array

__all__ = ["TRAIN", "UPDATE", "Job", "Model"]

# hsp_job_mode
TRAIN, UPDATE = 0, 1
# Up to this many numbers a fit is about as short as the start of a thread.
SMALL = 20_000
# Algorithms that may run long on little data.
LONG = (b"mlp", b"hard-svm")


class Job:
    """A fit on a thread of its own.

    Parameters are those of `Model.train`. The job keeps the data and the start alive.
    """

    __slots__ = ("__weakref__", "_keep", "_line", "listener", "pointer")

    def __init__(
        self, data: Data, options: Options, start: Optional[Model] = None, mode: int = TRAIN,
        progress: Optional[Watch] = None, log: Optional[Log] = None,
    ) -> None:
        self.pointer: c_void_p | None = c_void_p()  # written by the call itself: an interrupt right after it loses nothing
        self.listener = Listener(progress, log) if progress or log else None
        self._keep = (data, options, start)
        self._line: ProgressLine | None = None
        hooks = byref(self.listener.hooks) if self.listener else None
        options.limit_threads()
        invoke(lib.hsp_job_start, data, options, hooks, mode, start, byref(self.pointer))

    @finalizer
    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Cancel the job if it is running, wait for its end and free it."""
        pointer, self.pointer = getattr(self, "pointer", None), None
        if pointer:
            lib.hsp_job_free(pointer)
        listener: Listener | None = getattr(self, "listener", None)
        if listener is not None:
            listener.discard()

    def step(self, seconds: float = -1.0) -> bool:
        """Wait for the end, at most `seconds` (below 0: without limit); whether the job has ended."""
        return lib.hsp_job_step(self.pointer, seconds) == 1

    def cancel(self) -> None:
        """Ask this job to stop soon and to keep the best model so far; from any thread."""
        lib.hsp_job_cancel(self.pointer)

    def progress(self) -> Progress | None:
        """The latest line of the trace; None: there is no new one."""
        if self._line is None:
            self._line = ProgressLine(size=size_of(ProgressLine))
        return progress_of(self._line) if lib.hsp_job_progress(self.pointer, byref(self._line)) == 0 else None

    def result(self) -> tuple[Optional[Model], Report]:
        """Wait for the end and take the model and the report, once."""
        model, report, error = c_void_p(), c_void_p(), c_void_p()
        check(lib.hsp_job_result(self.pointer, byref(model), byref(report), byref(error)), error)
        return (Model(model.value) if model.value else None), Report(report.value)

    def wait(self) -> tuple[Optional[Model], Report]:
        """Wait for the end, passing on progress; KeyboardInterrupt cancels this job and is raised again."""
        listener = self.listener
        try:
            while not self.step(STEP):
                if listener is not None and listener.deliver():
                    self.cancel()
            if listener is not None:
                listener.close()
            return self.result()
        finally:
            self.close()


class Model:
    """A fitted model.

    Parameters
    ----------
    pointer : int
        An hsp_model, which is freed with this object.
    """

    __slots__ = ("__weakref__", "pointer")

    def __init__(self, pointer: int | None) -> None:
        self.pointer = pointer

    @finalizer
    def __del__(self) -> None:
        pointer, self.pointer = getattr(self, "pointer", None), None
        if pointer:
            lib.hsp_model_free(pointer)

    @property
    def _as_parameter_(self) -> int | None:
        """The handle as an argument of a call; the object lives until the call returns."""
        return self.pointer

    # ---- training ----

    @classmethod
    def train(
        cls, data: Data, options: Options, start: Optional[Model] = None, mode: int = TRAIN,
        progress: Optional[Watch] = None, log: Optional[Log] = None,
    ) -> tuple[Optional[Model], Report]:
        """Fit a model.

        Parameters
        ----------
        data : Data
        options : Options
        start : Model, optional
            Where the solver begins (a warm start); for `mode` UPDATE, the model to update.
        mode : int
            TRAIN, or UPDATE for one pass of an update rule over new rows.
        progress : callable, optional
            Called with a `Progress` after every epoch that was measured, on this thread; a true result stops the fit, which
            keeps the best model so far.
        log : callable, optional
            Called with (level, line) for messages; level -1 is a warning.

        Returns
        -------
        model : Model or None
            None for a hard margin that does not exist.
        report : Report
        """
        if not on_main_thread() or is_small(data, options):
            return _train_here(data, options, start, mode, progress, log)
        return Job(data, options, start, mode, progress, log).wait()

    # ---- files ----

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Load a model file."""
        return cls(make(lib.hsp_model_load, os.fsencode(path)))

    @classmethod
    def from_bytes(cls, content: bytes) -> Model:
        """A model from the bytes of its file."""
        return cls(make(lib.hsp_model_load_memory, content, len(content)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file."""
        invoke(lib.hsp_model_save, self.pointer, os.fsencode(path))

    def to_bytes(self) -> bytes:
        """The bytes of a model file."""
        content, size = c_void_p(), ctypes.c_size_t()
        invoke(lib.hsp_model_save_memory, self.pointer, byref(content), byref(size))
        try:
            return ctypes.string_at(content.value or 0, size.value)
        finally:
            lib.hsp_free(content)

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.to_bytes(),)

    # ---- contents ----

    @property
    def outputs(self) -> int:
        """1 for two classes or regression, else the number of classes."""
        return lib.hsp_model_outputs(self.pointer)

    @property
    def features(self) -> int:
        return lib.hsp_model_features(self.pointer)

    @property
    def classes(self) -> int:
        """The number of classes; 0 for regression."""
        return lib.hsp_model_classes(self.pointer)

    @property
    def class_names(self) -> list[str]:
        """Labels, sorted: numbers as numbers, else by bytes; empty for regression."""
        return [lib.hsp_model_class_name(self.pointer, k).decode() for k in range(self.classes)]

    @property
    def feature_names(self) -> list[str] | None:
        """Names of the features; None where they have none."""
        if lib.hsp_model_feature_name(self.pointer, 0) is None:
            return None
        return [lib.hsp_model_feature_name(self.pointer, j).decode() for j in range(self.features)]

    @property
    def positive(self) -> int:
        """The class of positive scores, for two classes; else -1."""
        return lib.hsp_model_positive(self.pointer)

    @property
    def is_linear(self) -> bool:
        """Whether the scores are linear in the numeric columns of the data."""
        return lib.hsp_model_is_linear(self.pointer) == 1

    @property
    def is_table(self) -> bool:
        """Whether the model encodes the columns of a table."""
        return self.report().kind("table") == 7

    def field(self, name: str) -> str | None:
        """A member of the model's report or options as text: algorithm, loss, solver, scale, ..."""
        text = lib.hsp_model_field(self.pointer, name.encode())
        return None if text is None else text.decode()

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """A copy of a named array: weights, intercepts, dual-rows, dual-values, ..."""
        view = Array(size=size_of(Array))
        invoke(lib.hsp_model_array, self.pointer, name.encode(), byref(view))
        return copy_array(view)

    def report(self) -> Report:
        """Everything in the model."""
        return Report(make(lib.hsp_model_report, self.pointer))

    def moments(self) -> Report:
        """Means, covariances and scatter matrices of the fit."""
        return Report(make(lib.hsp_model_moments, self.pointer))

    # ---- use ----

    def apply(self, data: Data, what: str, threads: Optional[int] = None, dtype: Any = None) -> np.ndarray[Any, Any]:
        """What the model says of all rows.

        Parameters
        ----------
        data : Data
            Rows with the features of the model.
        what : {"scores", "classes", "probabilities", "features", "projections"}
        threads : int, optional
            Default: all processors that this process or joblib worker may use.
        dtype : optional
            float32 or float64; classes: int32 or int64.

        Returns
        -------
        ndarray
            scores (n, outputs); classes (n,); probabilities (n, classes); features (n, features); projections
            (n, directions).
        """
        shape = self._shape(data.rows, what)
        out = np.empty(shape, dtype or (np.int32 if what == "classes" else np.float64))
        options = Options(threads=threads).limit_threads()
        invoke(lib.hsp_model_apply, self.pointer, data, what.encode(), options, None, byref(view_of(out)))
        return out

    def _shape(self, rows: int, what: str) -> tuple[int, ...]:
        if what == "classes":
            return (rows,)
        if what == "scores":
            return rows, self.outputs
        if what == "probabilities":
            return rows, self.classes
        if what == "features":
            return rows, self.features
        if what == "projections":
            return rows, self.array("directions").shape[0]
        raise InputError(f"a model does not give '{what}': choose scores, classes, probabilities, features or projections")

    def __repr__(self) -> str:
        return f"Model({self.field('algorithm')}, {self.features} features)"


def is_small(data: Data, options: Options) -> bool:
    """Whether the fit surely ends before anyone would interrupt it."""
    if lib.hsp_data_rows(data) * lib.hsp_data_features(data) > SMALL:
        return False
    if lib.hsp_options_get(options, b"algorithm") in LONG:
        return False
    return not lib.hsp_options_given(options, b"max-epochs") or float(options.get("max-epochs") or 0) <= 10_000


def _train_here(
    data: Data, options: Options, start: Optional[Model], mode: int, progress: Optional[Watch], log: Optional[Log]
) -> tuple[Optional[Model], Report]:
    """Fit on the calling thread."""
    model, report, error = c_void_p(), c_void_p(), c_void_p()
    options.limit_threads()
    before = data, options
    after = mode, start, byref(model), byref(report), byref(error)
    listener = None if progress is None and log is None else Listener(progress, log, at_once=True)
    if listener is None:
        status = lib.hsp_train_from(*before, None, *after)
    else:
        with interrupts_of(listener):
            status = lib.hsp_train_from(*before, byref(listener.hooks), *after)
    fitted = (Model(model.value) if model.value else None), Report(report.value)
    if listener is not None:
        listener.close()
    check(status, error)
    return fitted
