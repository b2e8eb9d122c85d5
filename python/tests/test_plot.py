"""Charts: every kind is drawn, shown and saved."""
from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import halfspace
from halfspace import InputError, plot
from halfspace._library import plot_lib

try:
    plot_lib.load()
except ImportError:
    pytest.skip("libhalfspace_plot is not built", allow_module_level=True)


@pytest.fixture(scope="module")
def squares():
    return halfspace.generate("squares", rows=60)


@pytest.fixture(scope="module")
def fitted(squares):
    return halfspace.LogisticRegression().fit(*squares)


@pytest.mark.parametrize("chart", ["boundary", "projection", "scores", "confusion", "roc", "pr", "calibration"])
def test_charts_of_a_model(chart, fitted, squares):
    figure = getattr(plot, chart)(fitted, *squares)
    assert figure.svg().startswith("<?xml") and "</svg>" in figure.svg()
    assert figure._repr_svg_() == figure.svg() and figure._repr_png_() is None
    assert figure.numbers()


@pytest.mark.parametrize("chart", ["predicted", "residuals"])
def test_charts_of_a_regression(chart, squares):
    X, y = halfspace.generate("linear", rows=40)
    figure = getattr(plot, chart)(halfspace.Ridge().fit(X, y), X, y)
    assert "</svg>" in figure.svg() and len(figure.numbers()[0]["residual"]) == 40
    with pytest.raises(InputError, match="needs a regression"):
        getattr(plot, chart)(halfspace.LogisticRegression().fit(*squares), *squares).svg()


def test_files(fitted, squares, tmp_path):
    figure = plot.boundary(fitted, *squares, title="Two squares", theme="dark", size="400x300")
    for ending, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        figure.save(tmp_path / f"f.{ending}")
        assert (tmp_path / f"f.{ending}").read_bytes().startswith(start)
    assert figure.png().startswith(b"\x89PNG")


def test_several_models(fitted, squares):
    other = halfspace.LinearSVC().fit(*squares)
    for chart in (plot.boundary, plot.roc, plot.pr):
        assert "</svg>" in chart([fitted, other], *squares, names=["one", "two"]).svg()


def test_chart_of_a_model_file(fitted, squares, tmp_path):
    fitted.save(tmp_path / "m.hsm")
    assert "</svg>" in plot.scores(tmp_path / "m.hsm", *squares).svg()


def test_weights_and_losses(fitted):
    assert "</svg>" in plot.weights(fitted, top=5).svg()
    assert "</svg>" in plot.losses().svg()


@pytest.mark.parametrize(
    "chart, options",
    [("lambda_", {"lambdas": [0.01, 0.1, 1]}), ("bias_variance", {"lambdas": [0.01, 0.1], "bootstraps": 3}),
     ("learning_curve", {"repeats": 2}), ("path", {"lambdas": [0.001, 0.01, 0.1]}), ("descent", {"max_epochs": 20})],
)
def test_charts_that_train(chart, options, squares):
    assert "</svg>" in getattr(plot, chart)(*squares, **options).svg()


def test_chart_of_an_estimator_that_is_not_fitted(squares):
    assert "</svg>" in plot.learning_curve(*squares, halfspace.LogisticRegression(C=0.1), repeats=2).svg()


def test_trace(fitted, squares):
    figure = plot.trace(fitted, halfspace.LogisticRegression(C=0.01).fit(*squares))
    assert "</svg>" in figure.svg() and len(figure.numbers()) == 2
    with pytest.raises(FileNotFoundError):
        plot.trace("nowhere.csv")


def test_many_rows_are_shown_as_pixels():
    X, y = halfspace.generate("blobs", rows=6000)
    figure = plot.boundary(halfspace.RidgeClassifier().fit(X, y), X, y, size="400x300")
    content, size = figure._repr_png_()
    assert figure._repr_svg_() is None and content.startswith(b"\x89PNG") and size == {"width": 400, "height": 300}


def test_axes_by_name(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = halfspace.generate("blobs", rows=50, features=4)
    frame = pandas.DataFrame(X, columns=["p", "q", "r", "s"])
    fitted = halfspace.LogisticRegression().fit(frame, y)
    numbers = plot.boundary(fitted, frame, y, x_axis="q", y_axis="s").numbers()
    assert any(study.get("axes") == ["q", "s"] for study in numbers)


def test_film(squares, tmp_path):
    report = plot.film(tmp_path / "f.gif", *squares, frames=4, max_epochs=3, size="400x300")
    assert report["frames"] <= 5 and (tmp_path / "f.gif").read_bytes().startswith(b"GIF8")


def test_wrong_arguments(fitted, squares, tmp_path):
    X, y = squares
    with pytest.raises(InputError):
        plot.boundary(fitted, X, y).save(tmp_path / "f.bmp")
    with pytest.raises(InputError):
        plot.boundary(fitted, X, y, size="1x1").svg()
    with pytest.raises(InputError, match="unknown option"):
        plot.boundary(fitted, X, y, titel="x")
    with pytest.raises(InputError):
        plot.confusion(fitted, X, y, bins=3).svg()
    with pytest.raises(ValueError, match="names"):
        plot.roc([fitted], X, y, names=["a", "b"])
    with pytest.raises(ValueError):
        plot.boundary(fitted, np.ones((3, 5)), [1, -1, 1]).svg()
    with pytest.raises(ValueError, match="not fitted"):
        plot.weights(halfspace.LogisticRegression())


def test_without_the_library(tmp_path):
    """The message names the part that is missing."""
    program = ("import ctypes, halfspace._library as l\n"
               "l.plot_lib._name = 'libhalfspace_no_such_plot'\n"
               "from halfspace import plot\n"
               "try:\n    plot.losses()\n"
               "except ImportError as reason:\n    print('charts need' in str(reason))\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "True"
