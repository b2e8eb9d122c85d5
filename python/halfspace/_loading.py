"""Model files as estimators."""
from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import numpy as np

from ._model import Model
from ._reading import label_array
from ._report import Report

__all__ = ["estimator_of", "load"]

# (algorithm, classes or numbers): the class of the package.
_CLASSES = {
    ("nearest-mean", True): "NearestMean",
    ("perceptron", True): "Perceptron",
    ("gradient-descent", True): "GradientDescentClassifier",
    ("gradient-descent", False): "GradientDescentRegressor",
    ("sgd", True): "SGDClassifier",
    ("sgd", False): "SGDRegressor",
    ("minibatch", True): "MiniBatchClassifier",
    ("minibatch", False): "MiniBatchRegressor",
    ("least-squares", True): "LeastSquaresClassifier",
    ("least-squares", False): "LinearRegression",
    ("ridge", True): "RidgeClassifier",
    ("ridge", False): "Ridge",
    ("fisher", True): "FisherDiscriminant",
    ("lda", True): "LinearDiscriminantAnalysis",
    ("logistic", True): "LogisticRegression",
    ("svm", True): "LinearSVC",
    ("hard-svm", True): "HardMarginSVC",
    ("lasso", False): "Lasso",
    ("elastic-net", False): "ElasticNet",
    ("mlp", True): "MLPClassifier",
    ("mlp", False): "MLPRegressor",
}


def load(path: str | os.PathLike[str]) -> Any:
    """Load a model file, of this package or of the program.

    Parameters
    ----------
    path : str or path
        A file that `estimator.save` or ``halfspace train -o`` wrote.

    Returns
    -------
    estimator
        Of the class of its algorithm, fitted. Its parameters are the defaults, but for those that the model states alike
        (C, tol, fit_intercept).
    """
    return estimator_of(Model.load(path))


def estimator_of(model: Model) -> Any:
    """A fitted estimator with this model."""
    stored = model.report()
    key = (model.field("algorithm") or "", model.classes > 0)
    package = import_module(__package__)
    if key not in _CLASSES or not hasattr(package, _CLASSES[key]):
        raise TypeError(f"no class of the package has the algorithm '{key[0]}': apply the model with the program")
    estimator = getattr(package, _CLASSES[key])()
    estimator.set_params(**_parameters(estimator, stored))
    _adopt(estimator, model, stored)
    return estimator


def _parameters(estimator: Any, stored: Report) -> dict[str, Any]:
    """Parameters that have the same meaning in the model."""
    options, known = stored.get("options") or {}, estimator.get_params()
    values: dict[str, Any] = {}
    if "C" in known and isinstance(options.get("C"), (int, float)):
        values["C"] = float(options["C"])
    if "tol" in known and isinstance(options.get("tol"), (int, float)):
        values["tol"] = float(options["tol"])
    if "calibrate" in known:
        values.update({name: options.get(name) for name in ("calibrate", "decide")})
        values["calibrate_folds"] = int(options.get("calibrate-folds") or 5)
    if "fit_intercept" in known and options.get("intercept") is not None:
        values["fit_intercept"] = options["intercept"] != "none"
    return values


def _adopt(estimator: Any, model: Model, stored: Report) -> None:
    """The attributes of a fitted estimator."""
    from ._progress import Recorder

    table = stored.get("table")
    names = [column["name"] for column in table["columns"]] if table else model.feature_names
    estimator.n_features_in_ = len(table["columns"]) if table else model.features
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    if model.classes:
        estimator.classes_ = label_array(model.class_names)
    estimator._is_table = bool(table)
    estimator._recorder = Recorder(0, type(estimator).__name__)
    training = stored.member("training")
    report = training.member("report") if training is not None else None
    estimator._keep(model, report if report is not None else Report.parse("{}"))
