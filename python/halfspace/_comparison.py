"""Comparison: all algorithms on the same folds, and which cannot be told apart from the best."""
from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ._calls import run
from ._data import Data
from ._inputs import data_of, group_codes, options_of, time_numbers
from ._library import byref, c_void_p, check, lib
from ._model import Model
from ._options import Options
from ._report import Report
from ._validation import _side_columns

__all__ = ["Comparison", "compare"]

_HEADS = ("algorithm", "", "sd", "difference", "95 % interval", "gap", "seconds")


class Comparison(dict[str, Any]):
    """The report of a comparison: a dict that prints as a table, best first."""

    def rows(self) -> list[tuple[str, ...]]:
        """The algorithms with a result, best first, as texts."""
        return [_row(one, first=k == 0) for k, one in enumerate(self._ranked())]

    def _ranked(self) -> list[Mapping[str, Any]]:
        return [one for one in self["results"] if one["error"] is None]

    def _failed(self) -> list[Mapping[str, Any]]:
        return [one for one in self["results"] if one["error"] is not None]

    def _heads(self) -> tuple[str, ...]:
        return tuple(head or self["metric"].replace("_", " ") for head in _HEADS)

    def __str__(self) -> str:
        table = [self._heads(), *self.rows()]
        widths = [max(len(row[k]) for row in table) for k in range(len(_HEADS))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
        lines += [f"{one['algorithm']}: {one['error']}" for one in self._failed()]
        return "\n".join([*lines, "", self["summary"]])

    def __repr__(self) -> str:
        best = self["results"][0]
        return f"Comparison({len(self['results'])} algorithms, best {best['algorithm']}: {self['metric']} {best['mean']:.4g})"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in self._heads())
        body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows())
        failed = "".join(f"<li>{html.escape(one['algorithm'])}: {html.escape(one['error'])}</li>" for one in self._failed())
        return (f"<div class='halfspace-comparison'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
                f"{f'<ul>{failed}</ul>' if failed else ''}<p>{html.escape(self['summary'])}</p></div>")


def _figure(value: Optional[float], digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}g}"


def _row(one: Mapping[str, Any], first: bool) -> tuple[str, ...]:
    interval = one["interval"]
    between = "" if first or interval is None else f"{interval[0]:.3g} to {interval[1]:.3g}"
    return (one["algorithm"], _figure(one["mean"], 4), _figure(one["sd"], 3), "best" if first else _figure(one["difference"], 3),
            between, _figure(one["relative_gap"], 2), _figure(one["seconds"], 3))


def compare(
    X: Any, y: Any = None, *, only: Optional[str | Sequence[str]] = None, metric: Optional[str] = None, folds: int = 5,
    repeats: int = 1, groups: Any = None, times: Any = None, refit: bool = False, sample_weight: Any = None, **options: Any,
) -> Comparison:
    """Compare all algorithms by cross-validation on the same folds.

    Every algorithm has sensible settings; C and lambda are chosen within each training set, so the test folds take no part in
    it. Differences to the best have intervals that are corrected for overlapping training sets (Nadeau and Bengio 2003).

    Parameters
    ----------
    X : array, sparse matrix, frame or path
        The rows.
    y : array or str, optional
        Labels or targets, or the name of their column.
    only : list of str or str, optional
        The algorithms to compare, and "majority", the baseline (default: all).
    metric : str, optional
        The metric that decides: accuracy (default), balanced-accuracy, log-loss, brier, auc, average-precision, f1, mcc; for
        regression rmse (default), mae, r2. All are reported.
    folds : int
        Their number.
    repeats : int
        Number of times that the rows are divided at random.
    groups : array or str, optional
        The group of each row, or the name of its column: rows of one group are tested together.
    times : array or str, optional
        The time of each row (numbers or dates), or the name of its column: each fold is tested by models of earlier rows.
    refit : bool
        Also train the winner on all rows; the result has the fitted ``estimator`` and the ``choice`` with its reason.
    sample_weight : array, optional
        Weights of the rows.
    **options
        max_seconds, max_seconds_each, positive, class_weight, scale, seed, threads, task ("regression"), and those of reading.

    Returns
    -------
    Comparison
        The report of ``halfspace compare --json``, a dict that prints as a table: metric, results (best first: algorithm,
        mean, sd, difference, interval, tied, seconds, relative_gap, error, settings, folds, chosen, metrics), summary, folds,
        and more.

    Examples
    --------
    >>> import halfspace
    >>> X, y = halfspace.generate("blobs", rows=200)
    >>> result = halfspace.compare(X, y, only=["majority", "lda", "logistic"])
    >>> result["metric"], len(result["results"])
    ('accuracy', 3)
    """
    values = options_of(options)
    values |= _side_columns("auto", X, groups, times)
    data = data_of(X, y, values, sample_weight)
    if groups is not None and not isinstance(groups, str):
        data.set_groups(group_codes(groups))
    if times is not None and not isinstance(times, str):
        data.set_times(time_numbers(times))
    names = only if only is None or isinstance(only, str) else ",".join(only)
    spelt = options_of({"only": names, "metric": metric, "folds": folds, "repeats": None if repeats == 1 else repeats})
    return _compared(data, {**values, **spelt}, refit)


def _compared(data: Data, values: Mapping[str, Any], refit: bool) -> Comparison:
    """The report of the call, and with refit the estimator."""
    options = Options(values).limit_threads()

    def call(hooks: Any) -> tuple[Optional[int], Report]:
        model, report, error = c_void_p(), c_void_p(), c_void_p()
        wanted = byref(model) if refit else None
        check(lib.hsp_compare(data, options, hooks, wanted, byref(report), byref(error)), error)
        return model.value, Report(report.value)

    model, report = run(call)
    result = Comparison(report.to_dict())
    if model:
        from ._loading import estimator_of

        result["estimator"] = estimator_of(Model(model))
    return result
