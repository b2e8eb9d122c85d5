"""Data in parts: rows anywhere that answer requests, engines that ask them, and training over parts (docs/parts.md)."""
from __future__ import annotations

import ctypes
import itertools
import os
import threading
from collections.abc import Sequence
from ctypes import c_size_t
from typing import Any, Callable, Optional

from ._calls import run
from ._data import Data
from ._finalizer import finalizer
from ._hooks import Log, Watch
from ._library import ASK_HOOK, EngineStruct, byref, c_char_p, c_void_p, check, invoke, lib, make, size_of
from ._model import Model
from ._options import Options
from ._report import Report

__all__ = ["PART_ROWS", "Engine", "Part", "add", "plan", "train"]

# Rows of a block: HSP_PART_ROWS.
PART_ROWS = 16384
# hsp_status: stopped before there was a result
_CANCELLED = -5


def _bytes_at(content: c_void_p, size: c_size_t) -> bytes:
    """The bytes that a call made, which are freed."""
    try:
        return ctypes.string_at(content.value or 0, size.value)
    finally:
        lib.hsp_free(content)


class Part:
    """Rows that answer requests. Made by `of_data` or `open`.

    A part keeps nothing of a fit between two requests: an engine may move it, or make it again from where it came from.
    """

    __slots__ = ("__weakref__", "_kept", "_lock", "_remake", "nbytes", "pointer")

    def __init__(self, pointer: int | None, kept: Any, remake: tuple[Callable[..., Part], tuple[Any, ...]], nbytes: int) -> None:
        self.pointer, self._kept, self._remake, self.nbytes = pointer, kept, remake, nbytes
        self._lock = threading.Lock()

    @classmethod
    def of_data(cls, data: Data, first_block: int = 0, *, threads: int | None = None, nbytes: int = 0,
                remake: Optional[tuple[Callable[..., Part], tuple[Any, ...]]] = None) -> Part:
        """Rows of data as a part.

        Parameters
        ----------
        data : Data
            The rows, which the part keeps alive.
        first_block : int
            The global number of its first block: the blocks of `PART_ROWS` rows of all parts before it.
        threads : int, optional
            How many threads answer a request; None: as many as the process may use.
        nbytes : int
            The memory of the rows, for engines that ask.
        remake : (function, arguments), optional
            The call that makes this part again in another process, which pickling needs.
        """
        options = Options(threads=threads).limit_threads()
        return cls(make(lib.hsp_part_of_data, data, first_block, options), data, remake or (_lost, ()), nbytes)

    @classmethod
    def open(cls, description: str) -> Part:
        """The part of files that a description of `plan` names."""
        return cls(make(lib.hsp_part_open, description.encode()), None, (Part.open, (description,)), 0)

    @finalizer
    def __del__(self) -> None:
        pointer, self.pointer = getattr(self, "pointer", None), None
        if pointer:
            lib.hsp_part_free(pointer)

    def answer(self, request: bytes) -> bytes:
        """The reply to a request."""
        reply, size = c_void_p(), c_size_t()
        with self._lock:  # a part answers one request at a time
            invoke(lib.hsp_part_answer, self.pointer, request, len(request), byref(reply), byref(size))
        return _bytes_at(reply, size)

    def __reduce__(self) -> Any:
        return self._remake

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes


def _lost() -> Part:
    raise TypeError("this part cannot be sent to another process: nothing says how to make it again")


def add(*replies: bytes) -> bytes:
    """The sum of replies to one request. Their order does not matter, not even for the last bit."""
    total = replies[0]
    for reply in replies[1:]:
        found, size = c_void_p(), c_size_t()
        invoke(lib.hsp_reply_add, total, len(total), reply, len(reply), byref(found), byref(size))
        total = _bytes_at(found, size)
    return total


def plan(paths: Sequence[str | os.PathLike[str]], parts: int, **options: Any) -> list[str]:
    """Divide files into parts.

    Parameters
    ----------
    paths : sequence of path
        The files, in order.
    parts : int
        At most how many parts.
    **options
        Options of reading, by the names of the program.

    Returns
    -------
    descriptions : list of str
        One for each part, for `Part.open` in any process that sees the files.
    """
    names = (c_char_p * len(paths))(*[os.fsencode(path) for path in paths])
    report = Report(make(lib.hsp_part_plan, names, len(paths), parts, Options(options).limit_threads(), None))
    return [part["description"] for part in report["parts"]]


# ---- engines ----


class Engine:
    """Who has the parts. A subclass says how to ask them.

    Attributes
    ----------
    name : str
        For the report.
    count : int
        How many parts there are, for the report; 0: unknown.
    """

    name = "python"
    count = 0

    def ask(self, request: bytes) -> bytes:
        """Ask all parts, and return the sum of their replies.

        Parameters
        ----------
        request : bytes
            For `Part.answer`.

        Returns
        -------
        reply : bytes
            What `add` made of all replies.
        """
        raise NotImplementedError


class _Asker:
    """One engine while the library uses it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.reply = b""  # borrowed by the library until the next request
        self.failure: BaseException | None = None
        self.number = next(_numbers)
        self.name = engine.name.encode()
        self.struct = EngineStruct(size_of(EngineStruct), self.number, _on_ask, self.name, engine.count)
        _askers[self.number] = self

    def ask(self, request: bytes) -> int:
        if self.failure is not None:
            return _CANCELLED
        try:
            self.reply = self.engine.ask(request)
        except BaseException as failure:
            self.failure = failure
            return _CANCELLED
        return 0

    def close(self) -> None:
        _askers.pop(self.number, None)


_askers: dict[int, _Asker] = {}
_numbers = itertools.count(1)


@ASK_HOOK
def _on_ask(user: int, request: int, size: int, reply: Any, reply_size: Any, why: int) -> int:
    asker = _askers.get(user)
    if asker is None:
        return _CANCELLED
    status = asker.ask(ctypes.string_at(request, size))
    if status == 0:
        reply[0] = ctypes.cast(c_char_p(asker.reply), c_void_p).value
        reply_size[0] = len(asker.reply)
    return status


def train(
    engine: Engine, options: Options, progress: Optional[Watch] = None, log: Optional[Log] = None
) -> tuple[Model, Report]:
    """Fit a model over parts.

    Parameters
    ----------
    engine : Engine
        Asks the parts.
    options : Options
        Those of training.
    progress, log : callable, optional
        As for `Model.train`.

    Returns
    -------
    model : Model
    report : Report
    """
    asker = _Asker(engine)

    def work(hooks: Any) -> tuple[Model, Report]:
        model, report, error = c_void_p(), c_void_p(), c_void_p()
        status = lib.hsp_train_parts(byref(asker.struct), options.limit_threads(), hooks, byref(model), byref(report), byref(error))
        if status < 0 and asker.failure is not None:
            lib.hsp_error_free(error)
            raise asker.failure
        check(status, error)
        return Model(model.value), Report(report.value)

    try:
        return run(work, progress, log)
    except BaseException as failure:
        if asker.failure is None:
            asker.failure = failure  # after an interrupt the thread may still be in the library: it asks nothing more
        raise
    finally:
        asker.close()
