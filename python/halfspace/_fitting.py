"""The data and the options with which an estimator trains, for functions that train or verify in its place."""
from __future__ import annotations

import copy
from typing import Any

import numpy as np

from . import _tables
from ._calibration import check_calibration, chooses
from ._compat import check_weights, validate
from ._data import Data
from ._estimator import HalfspaceClassifier, HalfspaceEstimator, Problem
from ._labels import class_weights, codes_for, encode_labels
from ._library import lib
from ._reading import label_array

__all__ = ["is_estimator", "training_data", "training_options"]


def is_estimator(source: Any) -> bool:
    """Whether this is an estimator of halfspace."""
    return isinstance(source, HalfspaceEstimator)


def training_data(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Data:
    """The data that `fit` would train on: labels as the model knows them, weights of rows and classes."""
    estimator = copy.copy(estimator)  # what validation sets stays in the copy
    table = _tables.is_table(estimator, X)
    classifies = isinstance(estimator, HalfspaceClassifier)
    how = {} if classifies else {"regression": True}
    if table:
        X, y = _tables.validate(estimator, X, y, **how)
    else:
        X, y = validate(estimator, X, y, reset=not estimator.__sklearn_is_fitted__(), with_y=True, **how)
    weights = check_weights(sample_weight, len(y))
    if not classifies:
        return estimator._targeted(X, y, weights, table)
    if estimator.__sklearn_is_fitted__():
        classes = estimator.classes_
        codes = codes_for(y, classes)
    else:
        classes, codes = encode_labels(y)
    if not chooses(estimator):  # else the weights of the classes are an option
        weights = class_weights(getattr(estimator, "class_weight", None), classes, codes, weights)
    return estimator._labelled(X, classes, codes, weights, table)


def training_options(estimator: Any, data: Data) -> dict[str, Any]:
    """The options with which `fit` would train on these data."""
    estimator._check_params()
    weighted = data.report().kind("weights") > 1
    mass = float(np.sum(data.array("weights"))) if weighted else float(data.rows)
    problem = Problem(data.rows, data.features, lib.hsp_data_classes(data), mass)
    if isinstance(estimator, HalfspaceClassifier):
        check_calibration(estimator)
        known = estimator.classes_ if estimator.__sklearn_is_fitted__() else label_array(data.class_names)
        problem.class_weight = estimator._class_weight_option(data, known)
    values = {"algorithm": estimator._algorithm, **estimator._options(problem), **estimator._choices(problem),
              "threads": estimator._threads()}
    if values.get("seed") is None:
        values["seed"] = estimator._seed()
    return {name: value for name, value in values.items() if value is not None}
