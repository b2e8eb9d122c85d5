"""What a call reports while it runs: lines of the trace and messages.

The library calls two functions of this module, with the number of the listener that the call belongs to: a callback for
each call would cost more than a small fit.
"""
from __future__ import annotations

import itertools
import struct
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import addressof, string_at
from typing import Any, Callable, NamedTuple, Optional

from ._library import LOG_HOOK, PROGRESS_HOOK, Hooks, ProgressLine, size_of

__all__ = ["Listener", "Log", "Progress", "Watch", "interrupts_of", "progress_of"]


class Progress(NamedTuple):
    """One line of the trace: the state of a run after an epoch. Unknown figures are NaN."""

    label: str | None
    problem: int
    problems: int
    epoch: int
    max_epochs: int
    updates: int
    steps: int
    objective: float
    mean_loss: float
    error: float
    norm: float
    dual_bound: float
    relative_gap: float
    seconds: float
    method: str | None
    step: float


# A true result cancels the call.
Watch = Callable[[Progress], Any]
# level (-1: a warning; 0: a notice; 1: a detail), line
Log = Callable[[int, str], Any]

_listeners: dict[int, Listener] = {}
_numbers = itertools.count(1)


# The fields of an hsp_progress in their order; texts are addresses.
_LAYOUT = struct.Struct("@NP6q7dPd")


def _progress_at(address: int) -> Progress:
    """A copy of the hsp_progress at an address."""
    _, label, *numbers, method, step = _LAYOUT.unpack(string_at(address, _LAYOUT.size))
    return Progress(_text_at(label), *numbers, _text_at(method), step)


def _text_at(address: int) -> str | None:
    return string_at(address).decode("utf-8", "replace") if address else None


def progress_of(line: ProgressLine) -> Progress:
    """A copy of an hsp_progress."""
    return _progress_at(addressof(line))


class Listener:
    """Receives the reports of one call.

    Those of another thread are queued for the thread that made the call, where `deliver` passes them to `progress` and
    `log`. With `at_once` the call runs on that thread, and they are passed on as they come. An exception of theirs stops
    the call and is raised again by `close`.
    """

    def __init__(
        self, progress: Optional[Watch] = None, log: Optional[Log] = None, stoppable: bool = False, at_once: bool = False
    ) -> None:
        self.progress, self.log, self.at_once = progress, log, at_once
        self.waiting: deque[tuple[Callable[..., Any], tuple[Any, ...]]] = deque()
        self.stop = False
        self.failure: BaseException | None = None
        self.number = next(_numbers)
        _listeners[self.number] = self
        self.hooks = Hooks(size_of(Hooks), self.number)
        if progress is not None or stoppable:
            self.hooks.progress = _on_progress
        if log is not None:
            self.hooks.log = _on_log

    def receive(self, call: Callable[..., Any], *arguments: Any) -> None:
        """Queue a report, or pass it on."""
        if self.at_once and self.failure is None:
            self._pass_on(call, arguments)
        else:
            self.waiting.append((call, arguments))

    def _pass_on(self, call: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        try:
            wanted = call(*arguments)
        except BaseException as failure:  # also KeyboardInterrupt: raised again by close
            self.failure, self.stop = failure, True
        else:
            self.stop = self.stop or (call is self.progress and bool(wanted))

    def deliver(self) -> bool:
        """Pass on what waits; whether the call should stop."""
        while self.waiting and self.failure is None:
            self._pass_on(*self.waiting.popleft())
        return self.stop

    def discard(self) -> None:
        """Receive nothing more; after the call has ended."""
        _listeners.pop(self.number, None)

    def close(self) -> None:
        """Pass on the rest, and raise the exception that stopped the call, if any."""
        self.discard()
        self.deliver()
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure


@PROGRESS_HOOK
def _on_progress(user: int, line: int) -> int:
    listener = _listeners.get(user)
    if listener is None:
        return 0
    if listener.progress is not None:
        listener.receive(listener.progress, _progress_at(line))
    return 1 if listener.stop else 0


@LOG_HOOK
def _on_log(user: int, level: int, line: bytes) -> None:
    listener = _listeners.get(user)
    if listener is not None and listener.log is not None:
        listener.receive(listener.log, level, line.decode("utf-8", "replace"))


@contextmanager
def interrupts_of(listener: Listener) -> Iterator[None]:
    """Keep a KeyboardInterrupt that arrives while the library calls a hook on the main thread.

    Python raises it at the first instruction of the hook, from where ctypes reports it to sys.unraisablehook. Other threads
    are not interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = sys.unraisablehook

    def keep(reported: Any) -> None:
        if isinstance(reported.exc_value, KeyboardInterrupt):
            listener.failure, listener.stop = reported.exc_value, True
        else:
            before(reported)

    sys.unraisablehook = keep
    try:
        yield
    finally:
        sys.unraisablehook = before
