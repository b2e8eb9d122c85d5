"""Scikit-learn's linear models by halfspace, without a change of the program that uses them.

    import halfspace
    halfspace.patch_sklearn()            # or: with halfspace.patched(): ...
    ...
    print(halfspace.patch_report())      # what ran where, and why

or, for a program as it is, ``python -m halfspace.patch script.py arguments``.
"""
from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ._library import lib
from ._patched import CLASSES, classes, journal, seams, stock

__all__ = ["PatchReport", "patch_report", "patch_sklearn", "patched", "unpatch_sklearn", *CLASSES]

# Modules of this package keep scikit-learn's own classes.
_OURS = __name__.rpartition(".")[0] or "halfspace"
_patched: dict[str, Any] = {}


def __getattr__(name: str) -> Any:
    """The replaced classes by name: pickle looks for them here."""
    if name in CLASSES:
        return classes()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _names(names: str | Iterable[str] | None) -> list[str]:
    chosen = list(CLASSES) if names is None else [names] if isinstance(names, str) else list(names)
    for name in chosen:
        if name not in CLASSES:
            raise ValueError(f"{name!r} is not replaced: choose from {', '.join(CLASSES)}")
    return chosen


class _Patch:
    """What `patch_sklearn` returns: used in a with statement, it restores scikit-learn's classes at the end."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def __enter__(self) -> _Patch:
        return self

    def __exit__(self, *failure: object) -> None:
        unpatch_sklearn(self._names)

    def __repr__(self) -> str:
        return f"replaced by halfspace: {', '.join(self._names) or 'nothing new'}"


def patch_sklearn(names: str | Iterable[str] | None = None) -> _Patch:
    """Replace classes of scikit-learn by subclasses of them that fit by halfspace.

    Names that loaded modules imported earlier are replaced too. Out of reach are instances that exist, subclasses of
    scikit-learn's classes, and references in local variables, containers and default arguments. What halfspace cannot fit
    exactly, scikit-learn fits; `patch_report` says what ran where and why.

    Parameters
    ----------
    names : str or iterable of str, optional
        Classes to replace. Default: all that halfspace has.

    Returns
    -------
    patch : context manager
        In a with statement it restores the classes at the end.

    Examples
    --------
    >>> import halfspace
    >>> with halfspace.patch_sklearn("LogisticRegression"):
    ...     from sklearn.linear_model import LogisticRegression
    ...     model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.certificate_["relative_gap"] < 1e-10
    True
    """
    lib.load()  # fails here, not in the middle of a fit
    chosen = [name for name in _names(names) if name not in _patched]
    seams.active = True
    for name in chosen:
        _patched[name] = classes()[name]
    _exchange({id(stock(name)): _patched[name] for name in chosen})
    return _Patch(chosen)


def unpatch_sklearn(names: str | Iterable[str] | None = None) -> None:
    """Restore scikit-learn's classes.

    Instances that were made meanwhile keep working; once all classes are restored, scikit-learn fits them again.

    Parameters
    ----------
    names : str or iterable of str, optional
        Classes to restore. Default: all.
    """
    chosen = [name for name in _names(names) if name in _patched]
    _exchange({id(_patched.pop(name)): stock(name) for name in chosen})
    if not _patched:
        seams.active = False


@contextmanager
def patched(names: str | Iterable[str] | None = None) -> Iterator[None]:
    """Replace classes of scikit-learn within a with statement.

    Parameters
    ----------
    names : str or iterable of str, optional
        As for `patch_sklearn`.
    """
    with patch_sklearn(names):
        yield


def _exchange(classes_by_id: dict[int, Any]) -> None:
    """Exchange classes under every global name of every loaded module."""
    for module in list(sys.modules.values()):
        values = getattr(module, "__dict__", None)
        name = getattr(module, "__name__", None)
        if not isinstance(values, dict) or not isinstance(name, str) or name.partition(".")[0] == _OURS:
            continue
        for key, value in list(values.items()):
            other = classes_by_id.get(id(value)) if isinstance(value, type) else None
            if other is not None:
                values[key] = other


class PatchReport(list[dict[str, Any]]):
    """Records as dicts with ``class, parameters, count, where, reason``; printed as a table."""

    def count(self, where: str | None = None) -> int:  # type: ignore[override]
        """The number of fits: in ``"halfspace"``, in ``"scikit-learn"``, or all."""
        return sum(record["count"] for record in self if where in (None, record["where"]))

    def __str__(self) -> str:
        if not self:
            return "no fit of a replaced class"
        lines = [f"{self.count()} fits of replaced classes: {self.count('halfspace')} in halfspace, "
                 f"{self.count('scikit-learn')} in scikit-learn"]
        for record in self:
            text = f"{record['class']}({record['parameters']})"
            lines.append(f"{record['count']:7d}  {record['where']:12s}  {text}: {record['reason']}")
        return "\n".join(lines)

    __repr__ = __str__


def patch_report(clear: bool = False) -> PatchReport:
    """What ran where, and why, since the start of the process or the last time the report was cleared.

    Fits in worker processes of joblib are among them. A call of `fit` that raised an error is not.

    Parameters
    ----------
    clear : bool, default=False
        Whether to begin a new report.

    Returns
    -------
    report : PatchReport
        A list of dicts: ``class``, ``parameters`` (those that are not at their defaults), ``count``, ``where``
        ("halfspace" or "scikit-learn") and ``reason``; first the fits in scikit-learn, each part most frequent first.
    """
    found = journal.records()
    if clear:
        journal.clear()
    ordered = sorted(found.items(), key=lambda item: (item[0].where != "scikit-learn", -item[1], item[0]))
    return PatchReport(
        {"class": record.estimator, "parameters": record.parameters, "count": count, "where": record.where,
         "reason": record.reason} for record, count in ordered)


# ---- python -m halfspace.patch ----

_USAGE = """usage: python -m halfspace.patch [--report] script.py [arguments]
       python -m halfspace.patch [--report] -m module [arguments]

Run a program with scikit-learn's linear models fitted by halfspace.

  --report  at the end, print what ran where and why to stderr"""


def main(arguments: list[str] | None = None) -> int:
    """Run a program under the patch."""
    import atexit
    import runpy

    rest = list(sys.argv[1:] if arguments is None else arguments)
    report = rest[:1] == ["--report"]
    rest = rest[report:]
    if not rest or rest[0] in ("-h", "--help") or rest == ["-m"] or (rest[0].startswith("-") and rest[0] != "-m"):
        print(_USAGE, file=sys.stdout if rest and rest[0] in ("-h", "--help") else sys.stderr)
        return 0 if rest and rest[0] in ("-h", "--help") else 2
    patch_sklearn()
    atexit.register(_say, report)
    if rest[0] == "-m":
        sys.argv = rest[1:]
        sys.path.insert(0, "")
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
        return 0
    import os

    if not os.path.exists(rest[0]):
        print(f"halfspace: {rest[0]}: there is no such file: give the path of a Python program", file=sys.stderr)
        return 2
    sys.argv = rest
    sys.path.insert(0, os.path.dirname(os.path.abspath(rest[0])))
    runpy.run_path(rest[0], run_name="__main__")
    return 0


def _say(report: bool) -> None:
    """The report, or one line if scikit-learn fitted something."""
    found = patch_report()
    others = found.count("scikit-learn")
    if report:
        print(found, file=sys.stderr)
    elif others:
        print(f"halfspace: {others} of {found.count()} fits ran in scikit-learn: add --report to see why", file=sys.stderr)


if __name__ == "__main__":
    # The module that `import halfspace.patch` gives, not this copy of it.
    from halfspace.patch import main as _main

    sys.exit(_main())
