"""Functions on data: is it separable, what is wrong with it, is a model's claim true."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Callable, Optional

from ._calls import run
from ._data import Data
from ._inputs import as_table, data_of, options_of
from ._library import lib, make
from ._model import Model
from ._options import Options
from ._report import Report

__all__ = ["inspect", "separability", "to_train", "verify"]


def report_of(call: Callable[..., int], *arguments: Any, values: Mapping[str, Any]) -> Report:
    """The report of a call whose last arguments are options, hooks, report and error."""
    options = Options(values).limit_threads()
    return run(lambda hooks: Report(make(call, *arguments, options, hooks)))


def separability(X: Any, y: Any = None, **options: Any) -> dict[str, Any]:
    """Decide whether the classes are linearly separable, with a proof.

    Parameters
    ----------
    X : array, sparse matrix, frame or path
        The rows; a file or a frame is read as the program reads a file.
    y : array or str, optional
        Labels, or the name of their column.
    **options
        intercept ("none": planes through the origin), positive, max_seconds, threads, and those of reading.

    Returns
    -------
    dict
        verdict ("separable", "not-separable", "touching" or "undecided"), margin, proof ("exact", "bounded" or None),
        hyperplane {weights, intercept}, witness {rows, multipliers}, method. With more than two classes, each is compared
        with the rest.

    Examples
    --------
    >>> import halfspace
    >>> halfspace.separability([[0.0], [1.0], [2.0]], ["a", "a", "b"])["verdict"]
    'separable'
    """
    values = options_of(options)
    return report_of(lib.hsp_separability, data_of(X, y, values), values=values).to_dict()


def inspect(X: Any, y: Any = None, **options: Any) -> dict[str, Any]:
    """Check data for problems before training.

    Parameters
    ----------
    X : array, sparse matrix, frame or path
        The rows; a file or a frame is read as the program reads a file.
    y : array or str, optional
        Labels or targets, or the name of their column.
    **options
        task, positive, max_seconds, threads, and those of reading and encoding.

    Returns
    -------
    dict
        rows, features, classes, missing, constant_columns, duplicate_columns, scale_ratio, columns, findings (each with
        what, severity, text and fix), separable (see `separability`), and more.
    """
    values = options_of(options)
    return report_of(lib.hsp_inspect, data_of(as_table(X), y, values), values=values).to_dict()


# ---- models ----


def model_of(source: Any) -> Model:
    """The model of an estimator, a file or a handle."""
    if isinstance(source, Model):
        return source
    if isinstance(source, (str, os.PathLike)):
        return Model.load(source)
    model = getattr(source, "_model", None)
    if isinstance(model, Model):
        return model
    if hasattr(source, "fit"):
        raise _not_fitted(source)
    raise TypeError(f"{type(source).__name__} is not a model: pass a fitted estimator of halfspace, or the path of a model "
                    "file")


def _not_fitted(estimator: Any) -> Exception:
    from ._compat import NotFittedError

    return NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                          "arguments before using this estimator.")


def data_for(source: Any, model: Model, X: Any, y: Any, values: Mapping[str, Any], sample_weight: Any = None) -> Data:
    """Rows with labels or targets as `source`, an estimator or a model, was or would be fitted to them."""
    in_memory = not isinstance(X, (str, os.PathLike)) and not isinstance(y, str)
    if in_memory and not isinstance(source, (str, os.PathLike, Model)):
        from ._fitting import training_data

        return training_data(source, X, y, sample_weight)
    task = "regression" if model.classes == 0 else "classification"
    return data_of(X, y, {"task": task, **values}, sample_weight, model)


def verify(
    model: Any, X: Any, y: Any = None, *, sample_weight: Any = None, certificate: Optional[str | os.PathLike[str]] = None,
    **options: Any,
) -> dict[str, Any]:
    """Recompute everything that a model claims about its training data, by code that is independent of the solvers.

    Parameters
    ----------
    model : estimator, path or Model
        A fitted estimator of halfspace, or a model file.
    X : array, sparse matrix, frame or path
        The rows that it was fitted to.
    y : array or str, optional
        Their labels or targets, or the name of their column.
    sample_weight : array, optional
        The weights that it was fitted with.
    certificate : path, optional
        A file with the dual vector, in place of the one in the model.
    **options
        threads, and those of reading.

    Returns
    -------
    dict
        verified (True or False), objective, dual_bound, relative_gap, first_false, checks (each with claim, claimed, found
        and holds), unchecked.
    """
    values, fitted = options_of(options), model_of(model)
    data = data_for(model, fitted, X, y, values, sample_weight)
    path = None if certificate is None else os.fsencode(certificate)
    return report_of(lib.hsp_verify, fitted, data, path, values=values).to_dict()


# ---- training ----


def to_train(source: Any, X: Any, y: Any, sample_weight: Any, values: dict[str, Any]) -> tuple[Data, dict[str, Any]]:
    """Data and options for training with an algorithm, by its name, or as an estimator trains, fitted or not."""
    if isinstance(source, str):
        values = {"algorithm": source, **values}
        return data_of(X, y, values, sample_weight), values
    from ._fitting import is_estimator, training_data, training_options

    if not is_estimator(source):
        raise TypeError(f"{type(source).__name__} is not an algorithm: pass its name ('logistic', 'svm', ...) or an estimator "
                        "of halfspace")
    if isinstance(X, (str, os.PathLike)) or isinstance(y, str):
        data = data_of(X, y, {"algorithm": source._algorithm, **values}, sample_weight)
    else:
        data = training_data(source, X, y, sample_weight)
    return data, {**training_options(source, data), **values}
