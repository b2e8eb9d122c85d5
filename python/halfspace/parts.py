"""Training over data in parts: for engines that halfspace does not have (docs/engines.md).

An engine is a class with one method, `ask`: it sends a request to all parts and returns the sum of their replies.

    class Here(parts.Engine):
        def __init__(self, descriptions):
            self.parts = [parts.Part.open(text) for text in descriptions]

        def ask(self, request):
            return parts.add(*[part.answer(request) for part in self.parts])

    model = parts.train(Here(parts.plan(["part-1.svm", "part-2.svm"], 4)), "logistic", C=0.1)
"""
from __future__ import annotations

from typing import Any

from ._chunks import Note, Placement, Spec, describe, fit, part_of
from ._options import Options
from ._parts import PART_ROWS, Engine, Part, add, plan
from ._parts import train as _train

__all__ = ["PART_ROWS", "Engine", "Note", "Part", "Placement", "Spec", "add", "describe", "fit", "part_of", "plan", "train"]


def train(engine: Engine, algorithm: str, **options: Any) -> Any:
    """Fit a model over the parts of an engine.

    Parameters
    ----------
    engine : Engine
    algorithm : str
        A name of ``halfspace list algorithms``.
    **options
        Options of ``halfspace train``, with underscores for hyphens.

    Returns
    -------
    estimator : object
        The fitted estimator, as `halfspace.load` gives it.
    """
    from ._loading import estimator_of

    model, report = _train(engine, Options({"algorithm": algorithm, **options}))
    estimator = estimator_of(model)
    estimator._report = report
    return estimator
