"""Long calls that Ctrl-C can stop.

Python handles signals on its main thread, between its own instructions: not while that thread is inside the library. So the
main thread leaves long work to another one, and waits for it in short steps.
"""
from __future__ import annotations

import threading
from typing import Any, Callable, Optional, TypeVar

from ._hooks import Listener, Log, Watch
from ._library import byref

__all__ = ["STEP", "on_main_thread", "run"]

T = TypeVar("T")
# Seconds between two looks at the signals and the progress.
STEP = 0.05
# Seconds to wait for a call that was asked to stop.
PATIENCE = 2.0


def on_main_thread() -> bool:
    """Whether this thread is the one that receives KeyboardInterrupt."""
    return threading.current_thread() is threading.main_thread()


def run(work: Callable[[Any], T], progress: Optional[Watch] = None, log: Optional[Log] = None) -> T:
    """Do `work(hooks)` so that KeyboardInterrupt, or a true result of `progress`, stops this call and no other."""
    listener = Listener(progress, log, stoppable=True)
    if progress is None and not on_main_thread():
        try:
            return work(byref(listener.hooks))
        finally:
            listener.close()
    results: list[T] = []
    failures: list[BaseException] = []

    def call() -> None:
        try:
            results.append(work(byref(listener.hooks)))
        except BaseException as failure:
            failures.append(failure)
        finally:
            listener.discard()

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(STEP)
            listener.deliver()
    except BaseException:
        listener.stop = True
        thread.join(PATIENCE)
        raise
    listener.close()
    if failures:
        raise failures[0]
    return results[0]
