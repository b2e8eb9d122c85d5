"""How many threads a call may use.

The library itself uses the processors that the affinity mask and the control groups allow. What it cannot know is that
other workers share them: joblib's, and limits by threadpoolctl or OMP_NUM_THREADS.
"""
from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["allowed_threads"]

# Set by threadpoolctl.threadpool_limits; None: no limit.
_limit: int | None = None
_registered = False


def _set_limit(count: int | None) -> None:
    global _limit
    _limit = count


def _register(threadpoolctl: Any) -> None:
    """Let threadpoolctl see the library, so that its limits hold here too."""
    global _registered
    _registered = True

    class HalfspaceController(threadpoolctl.LibController):
        user_api = "halfspace"
        internal_api = "halfspace"
        filename_prefixes = ("libhalfspace.", "libhalfspace-")

        def get_num_threads(self) -> int:
            return _limit if _limit is not None else available_threads()

        def set_num_threads(self, num_threads: int) -> None:
            # Giving back what was in force before a limit ends the limit.
            _set_limit(None if num_threads >= available_threads() else max(1, num_threads))

        def get_version(self) -> str:
            from ._library import lib

            return lib.hsp_version().decode()

        def set_additional_attributes(self) -> None:
            pass

    threadpoolctl.register(HalfspaceController)


def available_threads() -> int:
    """The processors of the affinity mask."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _environment_limit() -> int | None:
    """OMP_NUM_THREADS, which joblib sets in its worker processes to their share."""
    text = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(text) if text.isdigit() and int(text) > 0 else None


def _nested_in_joblib() -> bool:
    """Whether this is a worker of joblib, beside others."""
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None:
        return False
    config = getattr(getattr(parallel, "_backend", None), "config", None)
    backend = config.get("backend") if isinstance(config, dict) else None
    return getattr(backend, "nesting_level", 0) >= 1


def allowed_threads() -> int | None:
    """The number of threads for a call that was given none; None: all that the library finds."""
    if not _registered:
        threadpoolctl = sys.modules.get("threadpoolctl")
        if threadpoolctl is not None and hasattr(threadpoolctl, "register"):
            _register(threadpoolctl)
    share = _environment_limit()
    if _limit is not None:
        share = _limit if share is None else min(share, _limit)
    if share is None and _nested_in_joblib():
        return 1
    return share
