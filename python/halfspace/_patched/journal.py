"""What ran where: one record for each call of `fit` of a replaced class."""
from __future__ import annotations

import json
import logging
import os
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

__all__ = ["Call", "Declined", "Record", "clear", "current", "journal_path", "recording", "records", "report_to"]

HALFSPACE, SKLEARN = "halfspace", "scikit-learn"
UNSEEN = "this version of scikit-learn did not call the function that is replaced"
_log = logging.getLogger("halfspace.patch")
_lock = threading.Lock()
_counts: Counter[Record] = Counter()
# Calls that began, also those that raised an error.
begun = 0
_stack = threading.local()
# The file by which worker processes tell their parent, and whether this process is such a worker.
_path: str | None = None
_parent: int | None = None


class Declined(Exception):
    """The reason why a fit is left to scikit-learn."""


class Record(NamedTuple):
    """What was fitted, where, and why there."""

    estimator: str
    parameters: str
    where: str
    reason: str


class Call:
    """One call of `fit`, while it runs."""

    def __init__(self, estimator: Any, name: str, method: str = "fit") -> None:
        self.estimator = estimator
        self.name = name
        self.method = method
        self.solutions: list[Any] = []
        self.reasons: list[str] = []

    def solved(self, solutions: list[Any], alone: bool = False) -> None:
        """Note that halfspace solved problems of this fit: parts of the model, or (`alone`) the whole of it."""
        if alone:
            self.solutions.clear()
        self.solutions.extend(solutions)

    def decline(self, reason: Any) -> None:
        """Note that scikit-learn solves one problem of this fit."""
        self.reasons.append(str(reason))

    def record(self) -> Record:
        """A fit of several problems ran in halfspace only if all of them did."""
        parameters = _parameters(self.estimator)
        if self.reasons or not self.solutions:
            return Record(self.name, parameters, SKLEARN, self.reasons[0] if self.reasons else UNSEEN)
        return Record(self.name, parameters, HALFSPACE, self.solutions[-1].reason)


def _parameters(estimator: Any) -> str:
    """The parameters that are not at their defaults, as text."""
    try:
        given = estimator.get_params(deep=False)
        defaults = type(estimator)._halfspace_defaults()
    except Exception:  # a class with a constructor of its own
        return ""
    parts = []
    for name, value in given.items():
        text = repr(value)
        if text != defaults.get(name):
            parts.append(f"{name}={text if len(text) <= 40 and chr(10) not in text else type(value).__name__}")
    return ", ".join(parts)


def current() -> Call | None:
    """The innermost fit of a replaced class on this thread."""
    calls = getattr(_stack, "calls", None)
    return calls[-1] if calls else None


@contextmanager
def recording(call: Call) -> Iterator[Call]:
    """Record a call when it ends well; one that raises ran nowhere."""
    global begun
    begun += 1
    calls = _stack.__dict__.setdefault("calls", [])
    calls.append(call)
    try:
        yield call
    finally:
        calls.pop()
    note(call.record())


def note(record: Record) -> None:
    """Count a record; the first of its kind is logged."""
    with _lock:
        _counts[record] += 1
        first = _counts[record] == 1
    if first:
        _log.info("%s ran in %s: %s", record.estimator, record.where, record.reason)
    if _path is not None and os.getpid() != _parent:
        _tell_parent(record)


# ---- worker processes ----


def journal_path() -> str:
    """The file to which worker processes append their records; it is made at the first use."""
    global _path, _parent
    with _lock:
        if _path is None:
            handle, _path = tempfile.mkstemp(prefix="halfspace-", suffix=".jsonl")
            os.close(handle)
            _parent = os.getpid()
            import atexit

            atexit.register(_remove, _path, _parent)
    return _path


def _remove(path: str, owner: int) -> None:
    if os.getpid() == owner:
        try:
            os.unlink(path)
        except OSError:
            pass


def report_to(path: str | None, parent: int | None) -> None:
    """In a worker process: append records to the parent's file."""
    global _path, _parent
    if path is not None and parent != os.getpid():
        _path, _parent = path, parent


def _tell_parent(record: Record) -> None:
    """Append one line; lines of this size are written whole."""
    try:
        handle = os.open(_path or "", os.O_WRONLY | os.O_APPEND)
    except OSError:  # the parent ended, or runs elsewhere
        return
    try:
        os.write(handle, (json.dumps(record) + "\n").encode())
    finally:
        os.close(handle)


def _told() -> Counter[Record]:
    """The records of worker processes."""
    counts: Counter[Record] = Counter()
    if _path is None or os.getpid() != _parent:
        return counts
    try:
        with open(_path, encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):
                    counts[Record(*json.loads(line))] += 1
    except OSError:
        pass
    return counts


def records() -> Counter[Record]:
    """All records with their counts, also those of worker processes."""
    with _lock:
        own = Counter(_counts)
    return own + _told()


def clear() -> None:
    """Forget all records."""
    with _lock:
        _counts.clear()
        if _path is not None and os.getpid() == _parent:
            try:
                os.truncate(_path, 0)
            except OSError:
                pass
