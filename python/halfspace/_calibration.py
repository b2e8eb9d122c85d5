"""Calibration and decision rules: the parameters `calibrate`, `calibrate_folds` and `decide` of the classifiers."""
from __future__ import annotations

import numbers
from typing import Any, Mapping, Sequence

import numpy as np

from ._parameters import check_choice, check_number

METHODS = ("platt", "isotonic", "temperature")


def is_calibrated(estimator: Any) -> bool:
    """Whether the estimator maps its scores to probabilities."""
    return getattr(estimator, "calibrate", None) is not None


def chooses(estimator: Any) -> bool:
    """Whether the model gets a calibration or a decision rule: then class weights stay apart from those of the rows."""
    return is_calibrated(estimator) or getattr(estimator, "decide", None) is not None


def check_calibration(estimator: Any) -> None:
    """Raise ValueError unless the three parameters have values that they take."""
    if not hasattr(estimator, "calibrate"):
        return
    check_choice(estimator, "calibrate", (None, *METHODS))
    check_number(estimator, "calibrate_folds", 2, integer=True)
    rule = estimator.decide
    number = isinstance(rule, numbers.Real) and not isinstance(rule, (bool, np.bool_)) and np.isfinite(rule)
    if rule is not None and not isinstance(rule, str) and not number:
        raise ValueError(f"The 'decide' parameter of {type(estimator).__name__} must be a finite number, a rule such as "
                         f"'best:f1', or None. Got {rule!r} instead.")


def calibration_options(estimator: Any) -> dict[str, Any]:
    """The options of the three parameters; nothing for those that are not set."""
    if not chooses(estimator):
        return {}
    rule = estimator.decide
    text = rule if rule is None or isinstance(rule, str) else repr(float(rule))
    folds = is_calibrated(estimator) or (text is not None and text.startswith(("best:", "recall:", "cost:")))
    return {
        "calibrate": estimator.calibrate, "decide": text,
        "calibrate-folds": int(estimator.calibrate_folds) if folds else None,
    }


def class_weight_option(class_weight: Mapping[Any, float] | str | None, classes: Sequence[Any], texts: Sequence[str]) -> str | None:
    """The option class-weight: for models whose probabilities describe the rows without the weights of their classes."""
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    labels = np.asarray(classes).tolist()
    return ",".join(f"{text}={float(class_weight.get(label, 1.0))!r}" for label, text in zip(labels, texts))
