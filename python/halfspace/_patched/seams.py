"""How scikit-learn's own `fit` runs with another solver inside."""
from __future__ import annotations

import functools
import inspect
import types
from abc import ABCMeta
from typing import Any, Callable

from . import journal
from .core import ReportView, certificate_of, forget_start
from .journal import Call, Declined

__all__ = ["PatchedMeta", "make_class", "rebound", "seam"]

# Whether replaced classes use halfspace in this process; `unpatch_sklearn` turns it off for the instances that exist.
active = True


def rebound(function: Callable[..., Any], **names: Any) -> Callable[..., Any]:
    """A copy of a Python function that finds other objects under these global names. The original is not changed."""
    inner = inspect.unwrap(function)
    for name in names:
        if name not in inner.__globals__:
            raise Declined(f"this version of scikit-learn has no {name}")
    copy = types.FunctionType(inner.__code__, {**inner.__globals__, **names}, inner.__name__, inner.__defaults__,
                              inner.__closure__)
    copy.__kwdefaults__ = inner.__kwdefaults__
    return copy


def seam(call: Call, mine: Callable[..., Any], theirs: Callable[..., Any]) -> Callable[..., Any]:
    """A function that tries mine, and theirs where mine declines."""

    @functools.wraps(theirs)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return mine(call, *args, **kwargs)
        except Declined as reason:
            call.decline(reason)
        return theirs(*args, **kwargs)

    return run


class PatchedMeta(ABCMeta):
    """Instances of scikit-learn's class count as instances of the one that replaces it, whenever they were made."""

    def __instancecheck__(cls, instance: Any) -> bool:
        stock = cls.__dict__.get("_halfspace_stock")
        return type.__instancecheck__(stock, instance) if stock is not None else super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        stock = cls.__dict__.get("_halfspace_stock")
        # Not by ABCMeta, which asks the subclasses of stock, and so this class again.
        return type.__subclasscheck__(stock, subclass) if stock is not None else super().__subclasscheck__(subclass)


def _finish(estimator: Any, call: Call) -> None:
    """Set what scikit-learn's estimators do not have."""
    if call.reasons or not call.solutions:
        estimator.certificate_ = estimator.report_ = None
        forget_start(estimator)
        return
    estimator.certificate_ = certificate_of(call.solutions)
    reports = [ReportView(solution.report) for solution in call.solutions]
    estimator.report_ = reports[0] if len(reports) == 1 else reports


def _method(name: str, stock: Any, prepare: Callable[..., Any] | None) -> Callable[..., Any]:
    """`fit` or `partial_fit` of a replaced class."""
    theirs = getattr(stock, name)

    @functools.wraps(theirs)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not active:
            return theirs(self, *args, **kwargs)
        call = Call(self, stock.__name__, name)
        with journal.recording(call):
            mine = theirs
            if prepare is not None:
                try:
                    mine = prepare(call, theirs)
                except Declined as reason:
                    call.decline(reason)
            result = mine(self, *args, **kwargs)
            _finish(self, call)
        return result

    return run


def _state(self: Any) -> Any:
    """The state for a pickle, with scikit-learn's version as its own classes have it."""
    import sklearn

    state = super(type(self)._halfspace_class, self).__getstate__()
    return {**state, "_sklearn_version": sklearn.__version__}


def _reduce(self: Any, protocol: Any) -> Any:
    """By name, with the place where a worker process reports its fits."""
    cls = type(self)
    if cls is not cls._halfspace_class:
        return super(cls._halfspace_class, self).__reduce_ex__(protocol)
    import os

    return _restore, (cls.__name__, journal.journal_path(), os.getpid()), self.__getstate__()


def _restore(name: str, path: str | None, parent: int | None) -> Any:
    from . import classes

    journal.report_to(path, parent)
    cls = classes()[name]
    return cls.__new__(cls)


def make_class(stock: type, module: str, *, prepare: Callable[..., Any] | None = None, before: tuple[type, ...] = (),
               within: tuple[type, ...] = (), **methods: Any) -> type:
    """The class that replaces `stock`: its subclass, with seams before it, or between it and its own bases.

    Parameters
    ----------
    stock : type
        Scikit-learn's class.
    module : str
        Where pickle finds the class.
    prepare : callable, optional
        Takes a call and scikit-learn's `fit`, and returns the `fit` to run; or raises Declined.
    before, within : tuple of type
        Bases with seams, before and after scikit-learn's class in the order of resolution.
    **methods
        Further members of the class.
    """
    names = [name for name in ("fit", "partial_fit") if hasattr(stock, name)]
    made = {name: _method(name, stock, prepare if name == "fit" else None) for name in names}

    @functools.cache
    def defaults() -> dict[str, str]:
        parameters = inspect.signature(stock.__init__).parameters.values()
        return {p.name: repr(p.default) for p in parameters if p.name != "self"}

    body = {"__module__": module, "__qualname__": stock.__name__, "__doc__": stock.__doc__, "__reduce_ex__": _reduce,
            "__getstate__": _state, "_halfspace_stock": stock, "_halfspace_defaults": staticmethod(defaults),
            **made, **methods}
    if hasattr(stock, "_get_doc_link"):
        body["_get_doc_link"] = _doc_link
    cls = PatchedMeta(stock.__name__, (*before, stock, *within), body)
    cls._halfspace_class = cls  # type: ignore[attr-defined]
    return cls


def _doc_link(self: Any, *args: Any) -> str:
    """The page of scikit-learn's class."""
    stock = type(self)._halfspace_stock
    return stock._get_doc_link(stock.__new__(stock), *args)
