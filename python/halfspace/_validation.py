"""Cross-validation: how well an algorithm predicts new rows, and which options are best."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Optional

from ._calls import run
from ._data import Data
from ._functions import to_train
from ._inputs import group_codes, options_of, time_numbers
from ._library import InputError, byref, c_void_p, check, lib
from ._model import Model
from ._options import Options, option_text
from ._report import Report
from ._tables import frame_kind

__all__ = ["cross_validate"]


def cross_validate(
    estimator: Any, X: Any, y: Any = None, *, folds: int | str = 5, grid: Any = None, lambdas: Any = None,
    metric: Optional[str] = None, repeats: int = 1, groups: Any = None, times: Any = None, nested: Optional[int] = None,
    choose: str = "best", refit: bool = False, sample_weight: Any = None, **options: Any,
) -> dict[str, Any]:
    """Estimate by cross-validation how well an algorithm predicts new rows, and choose its options.

    Every row is tested by a model that was trained without its fold; encoding and scaling are learnt from the training rows of
    each fold. The folds have the classes in equal shares.

    Parameters
    ----------
    estimator : str or estimator
        The name of an algorithm ("logistic", "svm", "lda", ...), or an estimator of halfspace.
    X : array, sparse matrix, frame or path
        The rows.
    y : array or str, optional
        Labels or targets, or the name of their column.
    folds : int or "loo"
        Their number; "loo" leaves one row out at a time.
    grid : dict or str, optional
        Values of options to try, all combinations: ``{"C": [0.1, 1, 10], "scale": ["none", "standard"]}``, or as the program
        spells them, ``"C=0.01:100:log9;scale=none,standard"``. "algorithm" may be one of them.
    lambdas : list of float or str, optional
        Short for a grid of lambda ("1e-4:1:10": ten values, equally spaced on a log scale).
    metric : str, optional
        The metric that decides: accuracy (default), balanced-accuracy, log-loss, brier, auc, average-precision, f1, mcc; for
        regression rmse (default), mae, r2. All are reported.
    repeats : int
        Number of times that the rows are divided at random.
    groups : array or str, optional
        The group of each row, or the name of its column: rows of one group are tested together.
    times : array or str, optional
        The time of each row (numbers or dates), or the name of its column: each fold is tested by models of earlier rows.
    nested : int, optional
        Also an estimate for the whole procedure, from N outer folds, in each of which the choice is made again.
    choose : "best" or "one-se"
        The combination with the best mean, or the strongest penalty within one standard error of it.
    refit : bool
        Also train the chosen combination on all rows; the result has the fitted ``estimator``.
    sample_weight : array, optional
        Weights of the rows.
    **options
        Those of training and reading, by their names on the command line; seed for other folds.

    Returns
    -------
    dict
        The report of ``halfspace cv --json``: metric, folds (a dict of metrics for each), mean, sd, standard_error, interval
        (95 %, corrected for overlapping training sets), metrics (the same of each metric), best, one_se, chosen (options and
        mean), tried (every combination: options, mean, sd, folds, metrics, relative_gap), nested, warnings, and more.

    Examples
    --------
    >>> import halfspace
    >>> X, y = halfspace.generate("blobs", rows=200)
    >>> result = halfspace.cross_validate("logistic", X, y, folds=4, grid={"C": [0.1, 1]})
    >>> result["metric"], len(result["folds"]), len(result["tried"])
    ('accuracy', 4, 2)
    """
    values = options_of(options)
    values |= _side_columns(estimator, X, groups, times)
    data, values = to_train(estimator, X, y, sample_weight, values)
    if groups is not None and not isinstance(groups, str):
        data.set_groups(group_codes(groups))
    if times is not None and not isinstance(times, str):
        data.set_times(time_numbers(times))
    spelt = options_of({"folds": folds, "grid": _grid_text(grid), "lambdas": lambdas, "metric": metric, "nested": nested,
                        "repeats": None if repeats == 1 else repeats, "choose": None if choose == "best" else choose})
    for name in _varied(grid, lambdas):
        values.pop(name, None)
    return _validated(data, {**values, **spelt}, refit)


def _side_columns(source: Any, X: Any, groups: Any, times: Any) -> dict[str, str]:
    """Groups and times that are columns of X, as options of reading."""
    named = {name: column for name, column in (("group", groups), ("time", times)) if isinstance(column, str)}
    if named and not isinstance(source, str) and not isinstance(X, (str, os.PathLike)):
        raise InputError("groups and times name columns that an estimator does not read: pass them as arrays")
    if named and not isinstance(X, (str, os.PathLike)) and frame_kind(X) is None:
        raise InputError("groups and times name columns, but X has none: pass a frame, or arrays")
    return named


def _grid_text(grid: Any) -> Optional[str]:
    """A grid as the program spells it."""
    if grid is None or isinstance(grid, str):
        return grid
    if not isinstance(grid, Mapping):
        raise TypeError("grid is not a mapping of options to lists of values, nor a text such as 'C=0.1,1'")
    entries = []
    for name, items in grid.items():
        texts = [items] if isinstance(items, str) else [option_text(item) for item in items]
        between = "|" if any("," in text for text in texts) and not isinstance(items, str) else ","
        entries.append(f"{name.replace('_', '-')}={between.join(texts)}")
    return ";".join(entries)


def _varied(grid: Any, lambdas: Any) -> set[str]:
    """The options of an estimator that the grid varies."""
    text = _grid_text(grid) or ""
    names = {entry.split("=")[0].strip().lstrip("-") for entry in text.split(";") if "=" in entry}
    if lambdas is not None:
        names.add("lambda")
    if "a" in names:
        names.add("algorithm")
    return names | ({"C", "lambda"} if names & {"C", "lambda"} else set())


def _validated(data: Data, values: Mapping[str, Any], refit: bool) -> dict[str, Any]:
    """The report of the call, and with refit the estimator."""
    options = Options(values).limit_threads()

    def call(hooks: Any) -> tuple[Optional[int], Report]:
        model, report, error = c_void_p(), c_void_p(), c_void_p()
        wanted = byref(model) if refit else None
        check(lib.hsp_cross_validate(data, options, hooks, wanted, byref(report), byref(error)), error)
        return model.value, Report(report.value)

    model, report = run(call)
    result = report.to_dict()
    if model:
        from ._loading import estimator_of

        result["estimator"] = estimator_of(Model(model))
    return result
