"""Regularisation paths: the optima for a sequence of lambda."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._functions import report_of
from ._inputs import data_of, options_of
from ._library import lib

__all__ = ["path"]


def path(
    X: Any, y: Any = None, *, loss: Optional[str] = None, penalty: Optional[str] = None, folds: Optional[int] = None,
    lambdas: Any = None, steps: Optional[int] = None, sample_weight: Any = None, **options: Any
) -> dict[str, Any]:
    """Fit a regularisation path: the weights for a decreasing sequence of lambda, each with a proven gap.

    Every point minimises ``lambda R(w) + mean loss``, and is warm-started from the one before.

    Parameters
    ----------
    X : array, sparse matrix, frame or path
        The rows.
    y : array or str, optional
        Labels of two classes (of more: give `positive`) or targets, or the name of their column.
    loss : str, optional
        "logistic", "squared-hinge", "squared" and, with penalty="l2", also "hinge" and others; by default "logistic", for
        targets "squared".
    penalty : {"l1", "elastic", "l2"}, optional
        By default "l1".
    folds : int, optional
        Cross-validate the points with this number of folds.
    lambdas : list of float or str, optional
        The values ("1e-4:1:10": ten values, equally spaced on a log scale). By default `steps` values down from the smallest
        at which all weights are 0.
    steps : int, optional
        By default 100.
    sample_weight : array, optional
        Weights of the rows.
    **options
        Those of `halfspace path`, by their names on the command line: algorithm ("lasso", "ridge", ...) in place of loss and
        penalty, l1_ratio, intercept, scale, tol, metric, positive, class_weight, max_seconds, threads, and those of reading.

    Returns
    -------
    dict
        lambdas (decreasing), objectives, relative_gaps, nonzeros, intercepts, weights (an array with a row for each lambda;
        above 1,000 features a sparse one), active_columns, active_features and, with folds, metric, mean, sd, fold_values,
        best and one_se (indices of lambdas; one_se: the largest lambda within one standard error of the best).

    Examples
    --------
    >>> import halfspace
    >>> X, y = halfspace.generate("blobs", rows=200, features=5)
    >>> found = halfspace.path(X, y, steps=10, folds=4)
    >>> found["weights"].shape, int(found["nonzeros"][0])
    ((10, 5), 0)
    """
    chosen = {"loss": loss, "penalty": penalty, "folds": folds, "lambdas": lambdas, "steps": steps}
    values = options_of({**chosen, **options})
    data = data_of(X, y, values, sample_weight)
    found = report_of(lib.hsp_path, data, values=values).to_dict()
    if found["features"] > 1000:
        found["weights"] = _sparse_rows(found["weights"], found["features"])
    for name in ("nonzeros", "active_columns"):
        found[name] = np.asarray(found[name]).astype(int)
    return found


def _sparse_rows(rows: list[dict[str, Any]], features: int) -> Any:
    """Columns and values of each row as one sparse array."""
    from scipy.sparse import csr_array

    columns = [np.asarray(row["columns"], dtype=int) for row in rows]
    values = [np.asarray(row["values"], dtype=float) for row in rows]
    start = np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(int)
    none = np.zeros(0)
    return csr_array((np.concatenate([none, *values]), np.concatenate([none.astype(int), *columns]), start),
                     shape=(len(rows), features))
