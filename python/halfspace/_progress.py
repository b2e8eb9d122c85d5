"""The trace of a fit, and with `verbose` a bar that shows how it goes."""
from __future__ import annotations

from ctypes import CFUNCTYPE, c_int, c_void_p, cast, string_at
from typing import Any, Optional

import numpy as np

from ._calls import on_main_thread
from ._handles import Data, Model, Options, Report
from ._library import PROGRESS_HOOK, Hooks, ProgressLine, byref, check, lib, size_of
from ._model import is_small
from ._notebook import ProgressBar

_FIELDS = [
    ("problem", "i8"), ("epoch", "i8"), ("updates", "i8"), ("steps", "i8"), ("objective", "f8"), ("mean_loss", "f8"),
    ("error", "f8"), ("norm", "f8"), ("dual_bound", "f8"), ("relative_gap", "f8"), ("seconds", "f8"), ("step", "f8"),
]
# hsp_progress as it is in memory: numbers and addresses of 8 bytes
_WHOLE = np.dtype([(name, "f8" if kind.__name__ == "c_double" else "i8") for name, kind in ProgressLine._fields_])
_SIZE = size_of(ProgressLine)
# The lines of fits that are running, by the number that their hook gets.
_running: dict[int, list[bytes]] = {}


@CFUNCTYPE(c_int, c_void_p, c_void_p)
def _keep_line(user: int, line: int) -> int:
    _running[user].append(string_at(line, _SIZE))
    return 0


_HOOK = cast(_keep_line, PROGRESS_HOOK)


class Recorder:
    """Called after every epoch; keeps its line, and with `verbose` shows how the fit goes."""

    def __init__(self, verbose: Any, name: str, tolerance: float | None = None) -> None:
        self._before: np.ndarray | None = None
        self._lines: list[Any] = []
        self._bytes: list[bytes] = []
        self._bar = ProgressBar(name, tolerance) if verbose else None

    def __call__(self, line: Any) -> int:
        if line.method != "folds":  # the fits of a calibration leave no lines
            self._lines.append(line)
        if self._bar is not None:
            self._bar(line)
        return 0

    def train(self, data: Data, options: Options, start: Optional[Model], mode: int) -> tuple[Optional[Model], Report]:
        """Fit a model. Small fits, which nobody watches, only keep the bytes of the lines: that takes a few microseconds."""
        if self._bar is not None or not (is_small(data, options) or not on_main_thread()):
            try:
                return Model.train(data, options, start=start, mode=mode, progress=self)
            finally:
                self.close()
        model, report, error = c_void_p(), c_void_p(), c_void_p()
        number = id(self)
        _running[number] = self._bytes
        try:
            hooks = Hooks(size_of(Hooks), number, _HOOK)
            status = lib.hsp_train_from(data, options.limit_threads(), byref(hooks), mode, start, byref(model), byref(report),
                                        byref(error))
        finally:
            del _running[number]
        fitted = (Model(model.value) if model.value else None), Report(report.value)
        check(status, error)
        return fitted

    def close(self) -> None:
        """Show the last line."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def followed_by(self, other: Recorder) -> Recorder:
        """This record with the lines of a run that went on from its end."""
        self._before, self._lines, self._bytes = np.concatenate([self.array(), other.array()[1:]]), [], []
        return self

    def array(self) -> np.ndarray:
        """The lines as a structured array."""
        names = [name for name, _ in _FIELDS]
        found = np.array([tuple(getattr(line, name) for name in names) for line in self._lines], dtype=_FIELDS)
        if self._bytes:
            lines = np.frombuffer(b"".join(self._bytes), dtype=_WHOLE)
            folds = [address for address in np.unique(lines["method"]) if address and string_at(int(address)) == b"folds"]
            found = lines[~np.isin(lines["method"], folds)][names].astype(_FIELDS)
        return found if self._before is None else np.concatenate([self._before, found])

    def __getstate__(self) -> dict[str, Any]:
        return {"_before": self.array(), "_lines": [], "_bytes": [], "_bar": None}
