"""halfspace.compare: figures against cross_validate and NumPy, the table, the winner, and what is refused."""
from __future__ import annotations

import numpy as np
import pytest

import halfspace
from halfspace import InputError

T4 = 2.7764451051977987  # the 0.975-quantile of Student's distribution with 4 degrees of freedom


@pytest.fixture(scope="module")
def blobs():
    return halfspace.generate("blobs", rows=150, features=5, noise=7)


@pytest.fixture(scope="module")
def found(blobs):
    return halfspace.compare(*blobs)


def ranked(result):
    return [one for one in result["results"] if one["error"] is None]


def test_figures_are_those_of_cross_validate(blobs, found):
    for name, settings in (("lda", {"scale": "standard", "shrinkage": "auto"}), ("least-squares", {})):
        one = next(one for one in found["results"] if one["algorithm"] == name)
        assert one["settings"] == settings
        cv = halfspace.cross_validate(name, *blobs, **settings)
        assert one["mean"] == cv["mean"] and one["sd"] == cv["sd"]
        assert np.array_equal(one["folds"], [fold["accuracy"] for fold in cv["folds"]])


def test_nested_choice(blobs, found):
    one = next(one for one in found["results"] if one["algorithm"] == "logistic")
    cv = halfspace.cross_validate("logistic", *blobs, folds=3, nested=5, scale="standard", grid={"C": [0.01, 0.1, 1, 10, 100]})
    assert one["mean"] == cv["nested"]["mean"]
    assert list(one["chosen"]["values"]) == [fold["chosen"]["C"] for fold in cv["nested"]["folds"]]


def test_intervals(found):
    best = found["results"][0]
    assert best["difference"] == 0 and best["tied"]
    ratio = np.mean(found["folds"]["test_rows"]) / np.mean(found["folds"]["train_rows"])
    for one in ranked(found)[1:]:
        d = np.asarray(one["folds"]) - np.asarray(best["folds"])
        half = T4 * np.sqrt((1 / 5 + ratio) * d.var(ddof=1))
        assert np.allclose(one["interval"], [d.mean() - half, d.mean() + half], atol=1e-12)
        assert one["difference"] == pytest.approx(d.mean(), abs=1e-12) and one["difference"] <= 1e-12
        assert one["tied"] == (one["interval"][0] <= 0 <= one["interval"][1])


def test_printed(found):
    text, table = str(found), found._repr_html_()
    assert text.splitlines()[0].split()[:2] == ["algorithm", "accuracy"] and found["summary"] in text
    assert "hard-svm: no hard margin" in text and table.count("<tr>") == len(ranked(found)) + 1
    assert repr(found).startswith("Comparison(14 algorithms, best ")


def test_names_in_html_are_escaped(found):
    spoilt = halfspace._comparison.Comparison({**found, "summary": "<script>alert(1)</script>"})
    assert "<script>" not in spoilt._repr_html_()


def test_baseline_of_shares():
    X, y = np.arange(20.0)[:, None], np.array(["a"] * 5 + ["b"] * 15)
    only = halfspace.compare(X, y, only="majority")["results"][0]
    assert only["mean"] == 0.75 and only["metrics"]["log_loss"] == pytest.approx(-0.75 * np.log(0.75) - 0.25 * np.log(0.25))


def test_regression():
    X, y = halfspace.generate("linear", rows=80, features=4, noise=2)
    found = halfspace.compare(X, y, only=["majority", "ridge", "lasso"], folds=4)
    assert found["metric"] == "rmse" and not found["larger_is_better"] and found["results"][-1]["algorithm"] == "majority"
    assert found["results"][-1]["difference"] > 0


def test_winner(blobs):
    found = halfspace.compare(*blobs, only=["majority", "sgd", "svm"], refit=True, metric="mcc")
    assert isinstance(found["estimator"], (halfspace.LinearSVC, halfspace.SGDClassifier))
    assert found["choice"]["reason"].count(". ") == 2
    assert found["estimator"].predict(blobs[0]).shape == (150,)
    assert halfspace.verify(found["estimator"], *blobs)["verified"]


def test_groups_and_times(blobs):
    X, y = blobs
    grouped = halfspace.compare(X, y, groups=np.arange(150) // 30, only="lda", folds=5)
    assert list(grouped["folds"]["test_rows"]) == [30] * 5
    ordered = halfspace.compare(X, y, times=np.arange(150), only="lda", folds=2)
    assert ordered["folds"]["by_time"] and list(ordered["folds"]["train_rows"]) == [50, 100]


def test_weights(blobs):
    X, y = blobs
    found = halfspace.compare(X, y, only="majority", sample_weight=np.where(np.asarray(y) == y[0], 3.0, 1.0))
    assert found["results"][0]["mean"] == pytest.approx(0.75, abs=0.02)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"only": ["lda", "svn"]}, "did you mean svm"),
        ({"only": []}, "only is empty"),
        ({"only": "lasso"}, "task regression"),
        ({"metric": "rmse"}, "numeric targets"),
        ({"folds": 1}, "folds"),
        ({"folds": "loo"}, "single rows"),
        ({"folds": 151}, "too few"),
        ({"C": 1}, "-C cannot be used here"),
        ({"algorithm": "svm"}, "use only svm"),
        ({"max_seconds": 0}, "time limit"),
        ({"groups": "patient"}, "groups"),
    ],
)
def test_refused(blobs, options, words):
    with pytest.raises(InputError, match=words):
        halfspace.compare(*blobs, **options)


def test_one_class():
    with pytest.raises(InputError, match="one class"):
        halfspace.compare(np.arange(10.0)[:, None], ["a"] * 10)
