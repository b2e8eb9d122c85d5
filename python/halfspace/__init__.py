"""Linear classification with certificates of optimality.

Estimators follow scikit-learn's contract, and work without it. They are imported when they are first used.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._library import Cancelled, FileError, HalfspaceError, InputError, InternalError, MissingFileError, OutOfMemoryError

_ESTIMATORS = {
    "NearestMean": "discriminant",
    "Perceptron": "perceptron",
    "GradientDescentClassifier": "gradient_descent",
    "GradientDescentRegressor": "gradient_descent",
    "SGDClassifier": "sgd",
    "SGDRegressor": "sgd",
    "MiniBatchClassifier": "minibatch",
    "MiniBatchRegressor": "minibatch",
    "LeastSquaresClassifier": "ridge",
    "LinearRegression": "ridge",
    "Ridge": "ridge",
    "RidgeClassifier": "ridge",
    "FisherDiscriminant": "discriminant",
    "LinearDiscriminantAnalysis": "discriminant",
    "LogisticRegression": "logistic",
    "LinearSVC": "svm",
    "HardMarginSVC": "svm",
    "InseparableError": "svm",
    "Lasso": "lasso",
    "ElasticNet": "lasso",
    "MLPClassifier": "mlp",
    "MLPRegressor": "mlp",
}

_FUNCTIONS = {
    "compare": "_comparison",
    "cross_validate": "_validation",
    "explain": "_explanation",
    "generate": "_reading",
    "inspect": "_functions",
    "load": "_loading",
    "patch_report": "patch",
    "patch_sklearn": "patch",
    "patched": "patch",
    "path": "_paths",
    "read": "_reading",
    "separability": "_functions",
    "unpatch_sklearn": "patch",
    "verify": "_functions",
}

__all__ = [
    "Cancelled", "FileError", "HalfspaceError", "InputError", "InternalError", "MissingFileError", "OutOfMemoryError",
    *_ESTIMATORS, *_FUNCTIONS, "__version__", "plot",
]


if TYPE_CHECKING:  # for editors and type checkers, which do not call __getattr__
    from . import plot
    from ._comparison import compare
    from ._explanation import explain
    from ._functions import inspect, separability, verify
    from ._loading import load
    from ._paths import path
    from ._reading import generate, read
    from ._validation import cross_validate
    from .discriminant import FisherDiscriminant, LinearDiscriminantAnalysis, NearestMean
    from .gradient_descent import GradientDescentClassifier, GradientDescentRegressor
    from .lasso import ElasticNet, Lasso
    from .logistic import LogisticRegression
    from .minibatch import MiniBatchClassifier, MiniBatchRegressor
    from .mlp import MLPClassifier, MLPRegressor
    from .patch import patch_report, patch_sklearn, patched, unpatch_sklearn
    from .perceptron import Perceptron
    from .ridge import LeastSquaresClassifier, LinearRegression, Ridge, RidgeClassifier
    from .sgd import SGDClassifier, SGDRegressor
    from .svm import HardMarginSVC, InseparableError, LinearSVC

    __version__: str


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "plot":
        return import_module(".plot", __name__)
    if name == "__version__":
        from ._library import lib

        return lib.hsp_version().decode()
    module = _ESTIMATORS.get(name) or _FUNCTIONS.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
