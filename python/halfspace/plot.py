"""Charts of data, models and training, as files and in notebooks.

Each function returns a `Figure`, which shows itself in a notebook and is written by ``save``. Options are those of
``halfspace plot``, by their names: theme ("light", "dark"), size ("960x640"), title, and the chart's own.
"""
from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from ._calls import run
from ._data import Data
from ._functions import data_for, model_of, to_train
from ._inputs import options_of
from ._library import byref, c_void_p, check, invoke, lib, make, plot_lib
from ._model import Model
from ._options import Options
from ._page import Page, report
from ._report import Report

__all__ = [
    "Figure", "Page", "bias_variance", "boundary", "calibration", "confusion", "descent", "film", "lambda_", "learning_curve",
    "losses", "path", "pr", "predicted", "projection", "report", "residuals", "roc", "scores", "trace", "weights",
]

# Above this many rows a notebook shows pixels: an SVG has a mark for each row.
_MANY = 5000


class Figure:
    """A chart. It is drawn when it is first shown or saved.

    Attributes
    ----------
    kind : str
        The name of the chart.
    """

    def __init__(
        self, kind: str, options: dict[str, Any], models: Sequence[tuple[Model, Optional[Data], str]] = (),
        data: Optional[Data] = None, traces: Sequence[str | os.PathLike[str]] = (),
    ) -> None:
        self.kind = kind
        self._drawn: dict[str, bytes] = {}
        self._rows = max([data.rows if data else 0, *(rows.rows for _, rows, _ in models if rows)])
        # What the figure borrows until it is freed.
        self._options, self._models, self._data = Options(options), list(models), data
        self.pointer: c_void_p | None = c_void_p()
        _load()
        invoke(plot_lib.hsp_figure_new, kind.encode(), self._options, byref(self.pointer))
        for model, rows, name in models:
            invoke(plot_lib.hsp_figure_add_model_data, self.pointer, model, rows, name.encode())
        if data is not None:
            invoke(plot_lib.hsp_figure_set_data, self.pointer, data, b"")
        for file in traces:
            invoke(plot_lib.hsp_figure_add_trace, self.pointer, os.fsencode(file))

    def __del__(self) -> None:
        pointer, self.pointer = getattr(self, "pointer", None), None
        if pointer:
            plot_lib.hsp_figure_free(pointer)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Draw the chart to a file.

        Parameters
        ----------
        path : str or path
            Its ending chooses the format: .png (two pixels for each CSS pixel), .svg or .pdf.
        """
        name = os.fsencode(path)
        self._options.limit_threads()
        run(lambda hooks: invoke(plot_lib.hsp_figure_draw, self.pointer, name, hooks))

    def _bytes(self, ending: str) -> bytes:
        if ending not in self._drawn:
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, f"figure.{ending}")
                self.save(file)
                with open(file, "rb") as drawn:
                    self._drawn[ending] = drawn.read()
        return self._drawn[ending]

    def svg(self) -> str:
        """The chart as SVG."""
        return self._bytes("svg").decode()

    def png(self) -> bytes:
        """The chart as PNG."""
        return self._bytes("png")

    def numbers(self) -> list[dict[str, Any]]:
        """The numbers behind the chart: one dict for each study."""
        self._bytes("svg")
        return Report(make(plot_lib.hsp_figure_report, self.pointer)).to_dict()

    # A notebook asks for both and shows one.
    def _repr_svg_(self) -> Optional[str]:
        return self.svg() if self._rows <= _MANY else None

    def _repr_png_(self) -> Any:
        if self._rows <= _MANY:
            return None
        width, height = (self._options.get("size") or "960x640").split("x")
        return self.png(), {"width": int(width), "height": int(height)}

    def __repr__(self) -> str:
        return f"Figure({self.kind})"


def _load() -> None:
    """Load the library of charts."""
    try:
        lib.load()
        plot_lib.load()
    except ImportError as reason:
        raise ImportError(f"charts need the library libhalfspace_plot: {reason}") from None


def _chart_options(options: dict[str, Any]) -> dict[str, Any]:
    """Options of a chart; x_axis and y_axis are the program's --x and --y, project is its --project."""
    names = {"x_axis": "x", "y_axis": "y", "project": "plane"}
    return options_of({names.get(name, name): value for name, value in options.items()})


def _of_models(kind: str, models: Any, X: Any, y: Any, sample_weight: Any, names: Any, options: dict[str, Any]) -> Figure:
    """A chart of one or more models and rows."""
    sources = list(models) if isinstance(models, (list, tuple)) else [models]
    labels = [_name_of(source, at) for at, source in enumerate(sources)] if names is None else list(names)
    if len(labels) != len(sources):
        raise ValueError(f"there are {len(labels)} names for {len(sources)} models: give one for each")
    parts = []
    for source, label in zip(sources, labels):
        model = model_of(source)
        parts.append((model, data_for(source, model, X, y, {}, sample_weight), label))
    return Figure(kind, _chart_options(options), parts)


def _name_of(source: Any, at: int) -> str:
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    return type(source).__name__ if not isinstance(source, Model) else source.field("algorithm") or f"model {at + 1}"


def _of_training(kind: str, algorithm: Any, X: Any, y: Any, sample_weight: Any, options: dict[str, Any]) -> Figure:
    """A chart that trains."""
    data, values = to_train(algorithm, X, y, sample_weight, _chart_options(options))
    return Figure(kind, values, data=data)


# ---- of models and rows ----


def boundary(
    models: Any, X: Any, y: Any = None, *, sample_weight: Any = None, names: Optional[Sequence[str]] = None, **options: Any
) -> Figure:
    """Draw the rows, the regions of the classes and the decision boundary.

    Parameters
    ----------
    models : estimator, path, or a list of them
        Fitted models; several share the picture (layout="panels": a panel each).
    X : array, sparse matrix, frame or path
        The rows.
    y : array or str, optional
        Their labels, or the name of their column.
    sample_weight : array, optional
        Weights of the rows.
    names : list of str, optional
        Names of the models in the key.
    **options
        x_axis, y_axis (names or numbers of features), project ("lda", "pca"), margins, layout, theme, size, title.

    Returns
    -------
    Figure
    """
    return _of_models("boundary", models, X, y, sample_weight, names, options)


def projection(model: Any, X: Any, y: Any = None, *, sample_weight: Any = None, **options: Any) -> Figure:
    """Draw the projection of the rows on the weights, with the threshold; two classes. Option: bins."""
    return _of_models("projection", model, X, y, sample_weight, None, options)


def scores(model: Any, X: Any, y: Any = None, *, sample_weight: Any = None, **options: Any) -> Figure:
    """Draw the distribution of the scores of each class around the threshold. Option: bins."""
    return _of_models("scores", model, X, y, sample_weight, None, options)


def confusion(model: Any, X: Any, y: Any = None, *, sample_weight: Any = None, **options: Any) -> Figure:
    """Draw the confusion matrix: predicted against true classes."""
    return _of_models("confusion", model, X, y, sample_weight, None, options)


def roc(
    models: Any, X: Any, y: Any = None, *, sample_weight: Any = None, names: Optional[Sequence[str]] = None, **options: Any
) -> Figure:
    """Draw the true against the false positive rate at every threshold, with the area under the curve."""
    return _of_models("roc", models, X, y, sample_weight, names, options)


def pr(
    models: Any, X: Any, y: Any = None, *, sample_weight: Any = None, names: Optional[Sequence[str]] = None, **options: Any
) -> Figure:
    """Draw precision against recall at every threshold, with the average precision."""
    return _of_models("pr", models, X, y, sample_weight, names, options)


def calibration(
    models: Any, X: Any, y: Any = None, *, sample_weight: Any = None, names: Optional[Sequence[str]] = None, **options: Any
) -> Figure:
    """Draw predicted probabilities against observed frequencies. Option: bins."""
    return _of_models("calibration", models, X, y, sample_weight, names, options)


def predicted(model: Any, X: Any, y: Any = None, *, sample_weight: Any = None, **options: Any) -> Figure:
    """Draw the targets of a regression against its predictions."""
    return _of_models("predicted", model, X, y, sample_weight, None, options)


def residuals(model: Any, X: Any, y: Any = None, *, sample_weight: Any = None, **options: Any) -> Figure:
    """Draw the errors of a regression, target minus prediction, against its predictions."""
    return _of_models("residuals", model, X, y, sample_weight, None, options)


def weights(model: Any, **options: Any) -> Figure:
    """Draw the largest weights with the names of their features. Options: top, image ("28x28": weights as images)."""
    return Figure("weights", _chart_options(options), [(model_of(model), None, _name_of(model, 0))])


# ---- of training ----


def lambda_(X: Any, y: Any = None, algorithm: Any = "logistic", *, sample_weight: Any = None, **options: Any) -> Figure:
    """Draw boundary or weights, training and test error against lambda. Options: lambdas, test, and those of training."""
    return _of_training("lambda", algorithm, X, y, sample_weight, options)


def bias_variance(
    X: Any, y: Any = None, algorithm: Any = "logistic", *, sample_weight: Any = None, **options: Any
) -> Figure:
    """Draw bias, variance and error against lambda, by bootstrap. Options: bootstraps, lambdas, and those of training."""
    return _of_training("bias-variance", algorithm, X, y, sample_weight, options)


def learning_curve(
    X: Any, y: Any = None, algorithm: Any = "logistic", *, sample_weight: Any = None, **options: Any
) -> Figure:
    """Draw training and test error against the number of training rows. Options: repeats, and those of training."""
    return _of_training("learning-curve", algorithm, X, y, sample_weight, options)


def path(X: Any, y: Any = None, algorithm: Any = "logistic", *, sample_weight: Any = None, **options: Any) -> Figure:
    """Draw the regularisation path: the weights against lambda. Options: lambdas, top, penalty, and those of training."""
    return _of_training("path", algorithm, X, y, sample_weight, options)


def descent(X: Any, y: Any = None, *, sample_weight: Any = None, **options: Any) -> Figure:
    """Draw contours of the objective over two weights, and the paths of gradient descent, mini-batches and SGD."""
    from ._inputs import data_of

    values = _chart_options(options)
    return Figure("descent", values, data=data_of(X, y, values, sample_weight))


def losses(**options: Any) -> Figure:
    """Draw the loss functions against the margin."""
    return Figure("losses", _chart_options(options))


def trace(*runs: Any, **options: Any) -> Figure:
    """Draw training runs: objective and dual bound, loss, error and norm, epoch by epoch.

    Parameters
    ----------
    *runs : estimator or path
        Fitted estimators, or files that ``halfspace train --trace`` wrote.
    **options
        theme, size, title.

    Returns
    -------
    Figure
    """
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for at, one in enumerate(runs):
            if isinstance(one, (str, os.PathLike)):
                files.append(os.fspath(one))
            else:
                files.append(_write_trace(one, os.path.join(folder, str(at)), [os.path.basename(file) for file in files]))
        return Figure("trace", _chart_options(options), traces=files)


_TRACE = ("problem", "epoch", "updates", "steps", "objective", "mean_loss", "error", "norm", "dual_bound", "relative_gap",
          "seconds", "method", "step")


def _write_trace(estimator: Any, folder: str, taken: Sequence[str]) -> str:
    """The trace of an estimator as a file; its name is that in the key."""
    lines = estimator.trace_
    os.makedirs(folder)
    name, at = type(estimator).__name__, 2
    while f"{name}.csv" in taken:
        name, at = f"{type(estimator).__name__} {at}", at + 1
    path = os.path.join(folder, f"{name}.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(_TRACE) + "\n")
        for line in lines:
            cells = [line[field] if field in (lines.dtype.names or ()) else "" for field in _TRACE]
            texts = ("" if cell == "" or cell != cell else repr(np.asarray(cell).item()) for cell in cells)
            file.write(",".join(texts) + "\n")
    return path


def film(
    file: str | os.PathLike[str], X: Any, y: Any = None, algorithm: Any = "perceptron", *, sample_weight: Any = None,
    **options: Any,
) -> dict[str, Any]:
    """Film the boundary moving during training: two classes, an algorithm with single updates.

    Parameters
    ----------
    file : str or path
        .gif or .apng, or a folder for single pictures.
    X, y, algorithm, sample_weight
        As for the charts of training: perceptron, sgd, minibatch, gradient-descent or svm.
    **options
        frames, fps, theme, size, title, x_axis, y_axis, project, and those of training.

    Returns
    -------
    dict
        frames, updates, width, height, training (the report of the fit), and more.
    """
    _load()
    data, values = to_train(algorithm, X, y, sample_weight, _chart_options(options))
    chosen, report, error = Options(values).limit_threads(), c_void_p(), c_void_p()
    name = os.fsencode(file)
    status = run(lambda hooks: plot_lib.hsp_film(data, chosen, hooks, name, byref(report), byref(error)))
    check(status, error)
    return Report(report.value).to_dict()
