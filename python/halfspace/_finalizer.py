"""Finalizers that lose no interrupt."""
from __future__ import annotations

import functools
import signal
import threading
from typing import Any, Callable

__all__ = ["finalizer"]

_AGAIN_AFTER = 0.01  # seconds: time for the finalizer to end


def finalizer(free: Callable[[Any], None]) -> Callable[[Any], None]:
    """Make a `__del__` of the method. Python drops what is raised in a finalizer, so a KeyboardInterrupt is raised again later."""

    @functools.wraps(free)
    def finalize(self: Any) -> None:
        try:
            free(self)
        except KeyboardInterrupt:
            main = threading.main_thread().ident
            again = threading.Timer(_AGAIN_AFTER, signal.pthread_kill, (main, signal.SIGINT))
            again.daemon = True
            again.start()

    return finalize
