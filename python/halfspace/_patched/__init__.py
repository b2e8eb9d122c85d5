"""Scikit-learn's classes with the solver of halfspace, for `halfspace.patch`.

Each is a subclass of scikit-learn's class. Its `fit` is scikit-learn's own, which validates, warns and sets attributes;
only the function or method that minimises the objective is another one (its seam). A seam that cannot minimise exactly
what is asked raises `Declined` with the reason, and scikit-learn's function runs in its place.
"""
from __future__ import annotations

import functools
from typing import Any

__all__ = ["CLASSES", "classes", "stock"]

# Scikit-learn's classes that are replaced, and their public modules.
CLASSES = {
    "LogisticRegression": "sklearn.linear_model",
    "LogisticRegressionCV": "sklearn.linear_model",
    "LinearSVC": "sklearn.svm",
    "RidgeClassifier": "sklearn.linear_model",
    "Ridge": "sklearn.linear_model",
    "Lasso": "sklearn.linear_model",
    "ElasticNet": "sklearn.linear_model",
    "Perceptron": "sklearn.linear_model",
    "SGDClassifier": "sklearn.linear_model",
    "LinearDiscriminantAnalysis": "sklearn.discriminant_analysis",
    "NearestCentroid": "sklearn.neighbors",
}


@functools.cache
def classes() -> dict[str, Any]:
    """The classes that replace scikit-learn's, by name; made at the first call."""
    from . import centroids, descent, liblinear, logistic, squares
    from .seams import make_class

    def made(name: str, **how: Any) -> Any:
        return make_class(stock(name), "halfspace.patch", **how)

    ridge = squares.ridge_seam()
    return {
        "LogisticRegression": made("LogisticRegression", prepare=logistic.prepare),
        "LogisticRegressionCV": made("LogisticRegressionCV", prepare=logistic.prepare_cv),
        "LinearSVC": made("LinearSVC", prepare=liblinear.prepare),
        "RidgeClassifier": made("RidgeClassifier", within=(ridge,)),
        "Ridge": made("Ridge", within=(ridge,)),
        "Lasso": made("Lasso", path=squares.coordinate_path(stock("Lasso").path)),
        "ElasticNet": made("ElasticNet", path=squares.coordinate_path(stock("ElasticNet").path)),
        "Perceptron": made("Perceptron", before=(descent.DescentSeam,)),
        "SGDClassifier": made("SGDClassifier", before=(descent.DescentSeam,)),
        "LinearDiscriminantAnalysis": made("LinearDiscriminantAnalysis", before=(centroids.DiscriminantSeam,)),
        "NearestCentroid": made("NearestCentroid", prepare=centroids.prepare_nearest),
    }


@functools.cache
def stock(name: str) -> Any:
    """Scikit-learn's own class; asked for before any name is replaced."""
    from importlib import import_module

    found = getattr(import_module(CLASSES[name]), name)
    return found.__dict__.get("_halfspace_stock", found)
