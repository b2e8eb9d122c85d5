"""Reports as pages: from arrays, frames and files; saved, and shown in a notebook."""
from __future__ import annotations

import html

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
    return halfspace.generate("squares", rows=80)


def test_a_page_that_compares(squares, tmp_path):
    page = plot.report(*squares, only="majority,lda,ridge", folds=3, holdout=20, title="<Two> squares")
    assert page.html.startswith("<!DOCTYPE html>") and "&lt;Two&gt; squares" in page.html and "<Two>" not in page.html
    assert page.numbers["holdout"]["rows"] == 20 and page.numbers["training_rows"] == 60
    assert [result["algorithm"] for result in page.numbers["comparison"]["results"]][-1] == "majority"
    page.save(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == page.html
    frame = page._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and html.escape(page.html) in frame and " sandbox" in frame
    assert repr(page).startswith("Page(")


def test_an_algorithm_and_a_model(squares, tmp_path):
    page = plot.report(*squares, algorithm="svm", C=0.5, model=tmp_path / "m.hsm")
    assert page.numbers["algorithm"] == "svm" and page.numbers["comparison"] is None
    assert halfspace.load(tmp_path / "m.hsm").C == 0.5
    other = plot.report(*squares, algorithm=halfspace.LinearSVC(C=0.5))
    assert other.numbers["algorithm"] == "svm" and other.numbers["training_rows"] == page.numbers["training_rows"]


def test_regression_and_files(tmp_path):
    X, y = halfspace.generate("linear", rows=60)
    page = plot.report(X, y, algorithm=halfspace.Ridge(alpha=2))
    assert page.numbers["task"] == "regression" and np.isfinite(page.numbers["holdout"]["rmse"])
    (tmp_path / "d.csv").write_text("a,b,label\n" + "".join(f"{i},{i * i % 7},{'yes' if i % 3 else 'no'}\n" for i in range(40)))
    page = plot.report(tmp_path / "d.csv", algorithm="lda")
    assert page.numbers["rows"] == 40 and "halfspace train" in page.html


@pytest.mark.parametrize("wrong", [{"holdout": 0.0001}, {"holdout": 80}, {"C": 2}, {"algorithm": "lda", "folds": 3}, {"only": "ldda"}])
def test_refused(squares, wrong):
    with pytest.raises(InputError, match=": "):
        plot.report(*squares, **wrong)
