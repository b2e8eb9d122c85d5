"""Reports about data as HTML pages."""
from __future__ import annotations

import html
import os
import tempfile
from ctypes import byref, c_void_p
from typing import Any, Optional

from ._calls import run
from ._functions import to_train
from ._inputs import data_of, options_of
from ._library import check, lib, plot_lib
from ._options import Options
from ._report import Report

__all__ = ["Page", "report"]


class Page:
    """A report as one self-contained HTML page. A notebook shows it in a frame.

    Attributes
    ----------
    html : str
        The page.
    numbers : dict
        algorithm, holdout (the metrics), comparison, findings and more, as `halfspace report --json` has them.
    """

    def __init__(self, text: str, numbers: dict[str, Any]) -> None:
        self.html = text
        self.numbers = numbers

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.html)

    # In a frame: the style of the page must not reach the notebook, nor that of the notebook the page.
    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox title="Report" '
                'style="width: 100%; height: 42rem; border: 1px solid #d3d9e0"></iframe>')

    def __repr__(self) -> str:
        return f"Page({self.numbers['algorithm']}, {len(self.html)} characters)"


def report(
    X: Any, y: Any = None, algorithm: Any = None, *, sample_weight: Any = None, holdout: Optional[float] = None,
    model: Optional[str | os.PathLike[str]] = None, **options: Any,
) -> Page:
    """Write a report: the data and their problems, a comparison of algorithms, the best model, metrics and charts.

    The rows are split once. Everything is chosen and fitted on one part; all metrics and charts are of the rows held out.

    Parameters
    ----------
    X : array, sparse matrix, frame or path
        The rows.
    y : array or str, optional
        Labels or targets, or the name of their column.
    algorithm : str or estimator, optional
        Train this one; without it algorithms are compared, and the best is taken.
    sample_weight : array, optional
        Weights of the rows.
    holdout : float, optional
        Rows to hold out: a share below 1, or a number of rows (default: 0.3).
    model : path, optional
        Also write a model that is fitted to all rows to this file.
    **options
        title, only, metric, folds, max_seconds, seed, and those of reading; with an algorithm those of training.

    Returns
    -------
    Page
    """
    values = options_of({"test": holdout, "model": None if model is None else os.fspath(model), **options})
    if algorithm is None:
        data = data_of(X, y, values, sample_weight)
    else:
        data, values = to_train(algorithm, X, y, sample_weight, values)
    lib.load()
    chosen, numbers, error = Options(values).limit_threads(), c_void_p(), c_void_p()
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "report.html")
        status = run(lambda hooks: plot_lib.hsp_plot_page(data, chosen, hooks, os.fsencode(name), byref(numbers), byref(error)))
        check(status, error)
        with open(name, encoding="utf-8", newline="") as file:
            return Page(file.read(), Report(numbers.value).to_dict())
