"""cross_validate: grids, groups, times, metrics against scikit-learn, the model of all rows, what is refused."""
from __future__ import annotations

import csv

import halfspace
import numpy as np
import pytest
from halfspace import InputError


@pytest.fixture(scope="module")
def blobs():
    return halfspace.generate("blobs", rows=90, features=5, noise=7)


def test_report(blobs):
    found = halfspace.cross_validate("logistic", *blobs, folds=4)
    values = np.array([fold["accuracy"] for fold in found["folds"]])
    assert found["metric"] == "accuracy" and len(values) == 4 and sum(fold["rows"] for fold in found["folds"]) == 90
    assert found["mean"] == pytest.approx(values.mean()) and found["sd"] == pytest.approx(values.std(ddof=1))
    assert found["best"] == {"mean": found["mean"], "sd": found["sd"]} and found["one_se"] is None
    assert set(found["metrics"]) == {"accuracy", "balanced_accuracy", "log_loss", "brier", "auc", "average_precision", "f1", "mcc"}
    again = halfspace.cross_validate(halfspace.LogisticRegression(), *blobs, folds=4)
    assert again["mean"] == pytest.approx(found["mean"])


def test_interval(blobs):
    """Nadeau and Bengio's corrected interval."""
    stats = pytest.importorskip("scipy.stats")
    found = halfspace.cross_validate("lda", *blobs, folds=5, repeats=4)
    values = np.array([fold["auc"] for fold in found["folds"]])
    ratio = np.mean([fold["rows"] for fold in found["folds"]]) / np.mean([fold["train_rows"] for fold in found["folds"]])
    half = stats.t.ppf(0.975, 19) * values.std(ddof=1) * np.sqrt(1 / 20 + ratio)
    auc = found["metrics"]["auc"]
    assert auc["interval"] == pytest.approx([values.mean() - half, values.mean() + half], rel=1e-12)
    assert auc["standard_error"] == pytest.approx(values.std(ddof=1) / np.sqrt(5), rel=1e-12)


def test_grid(blobs):
    found = halfspace.cross_validate("logistic", *blobs, grid={"C": [10, 0.1], "scale": ["none", "standard"]}, metric="log-loss")
    assert [(one["C"], one["scale"]) for one in found["tried"]] == [
        (0.1, "none"), (0.1, "standard"), (10, "none"), (10, "standard")]
    assert found["mean"] == min(one["mean"] for one in found["tried"]) == found["best"]["mean"]
    assert found["one_se"]["scale"] == found["best"]["scale"] and found["one_se"]["C"] <= found["best"]["C"]
    text = halfspace.cross_validate("logistic", *blobs, grid="C=0.1,10;scale=none,standard", metric="log-loss")
    assert text["best"] == found["best"]
    several = halfspace.cross_validate("svm", *blobs, grid={"hidden": [8, (4, 2)], "algorithm": ["mlp"], "max_epochs": [2]})
    assert [one["hidden"] for one in several["tried"]] == ["8", "4,2"]


def test_grid_of_an_estimator(blobs):
    """What the grid varies replaces the parameter of the estimator."""
    found = halfspace.cross_validate(halfspace.LinearSVC(C=3), *blobs, grid={"C": [0.1, 1]})
    assert [one["C"] for one in found["tried"]] == [0.1, 1]
    assert [one["lambda"] for one in halfspace.cross_validate(halfspace.LinearSVC(C=3), *blobs, lambdas=[0.1])["tried"]] == [0.1]


def test_lambdas(blobs):
    found = halfspace.cross_validate("svm", *blobs, lambdas=[1.0, 0.001, 0.01])
    assert [one["lambda"] for one in found["tried"]] == [0.001, 0.01, 1.0]
    assert found["mean"] == max(one["mean"] for one in found["tried"])


def test_regression():
    X, y = halfspace.generate("linear", rows=80, noise=1)
    assert halfspace.cross_validate("ridge", X, y)["metric"] == "rmse"
    assert halfspace.cross_validate("lasso", X, np.rint(y), metric="mae")["metric"] == "mae"
    assert len(halfspace.cross_validate(halfspace.Ridge(), X, y, folds=3)["folds"]) == 3
    loo = halfspace.cross_validate("ridge", X, y, folds="loo")
    assert loo["leave_one_out"] == "exact" and loo["sd"] is None and loo["folds"][0]["rows"] == 80


def test_groups(blobs):
    """Copies of a row are recognised, unless they are in one fold."""
    rng = np.random.default_rng(1)
    X = np.tile(rng.normal(size=(40, 50)), (4, 1))
    y = np.tile(np.arange(40) % 2, 4)
    names = [f"P{i % 40}" for i in range(160)]
    alone = halfspace.cross_validate("logistic", X, y, C=10)
    together = halfspace.cross_validate("logistic", X, y, C=10, groups=names)
    assert alone["mean"] > 0.95 and together["mean"] < 0.7 and together["division"] == "groups"
    assert halfspace.cross_validate("logistic", X, y, C=10, groups=np.array(names))["mean"] == together["mean"]


def test_times():
    X, y = halfspace.generate("linear", rows=60, noise=3)
    days = np.datetime64("2024-01-01") + np.arange(60)
    by_date = halfspace.cross_validate("ridge", X, y, times=days)
    assert by_date["division"] == "time" and [fold["train_rows"] for fold in by_date["folds"]] == [10, 20, 30, 40, 50]
    assert halfspace.cross_validate("ridge", X, y, times=np.arange(60))["mean"] == by_date["mean"]
    assert halfspace.cross_validate("ridge", X, y, times=[str(day) for day in days])["mean"] == by_date["mean"]


def test_columns(tmp_path):
    """Groups and times by the names of their columns, in a file and in a frame."""
    path = tmp_path / "v.csv"
    with open(path, "w") as out:
        writer = csv.writer(out)
        writer.writerow(["who", "x", "z", "label"])
        for i in range(40):
            writer.writerow([f"P{i // 4}", (i * 7) % 11, (i * 5) % 13, "ab"[(i // 4) % 2]])
    found = halfspace.cross_validate("lda", path, groups="who")
    assert found["division"] == "groups" and found["features"] == 2
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(path)
    if hasattr(frame, "__arrow_c_stream__"):
        assert halfspace.cross_validate("lda", frame, "label", groups="who")["mean"] == found["mean"]
        assert halfspace.cross_validate("lda", frame, "label", ignore="who", times="x", folds=2)["division"] == "time"


def test_refit(blobs):
    X, y = blobs
    found = halfspace.cross_validate("logistic", X, y, grid={"C": [0.1, 1], "scale": ["none", "standard"]}, refit=True,
                                     metric="brier")
    fitted = found["estimator"]
    assert isinstance(fitted, halfspace.LogisticRegression) and fitted.C == found["chosen"]["C"]
    assert found["refit"]["relative_gap"] <= 1e-4 and fitted.predict(X[:3]).shape == (3,)
    assert fitted.certificate_["relative_gap"] == found["refit"]["relative_gap"]
    assert "estimator" not in halfspace.cross_validate("lda", X, y)


def test_nested_and_choose(blobs):
    found = halfspace.cross_validate("svm", *blobs, grid="C=0.001:10:log5", nested=3, choose="one-se")
    assert len(found["nested"]["folds"]) == 3 and {"C"} == set(found["nested"]["folds"][0]["chosen"])
    assert found["chosen"] == found["one_se"] and found["choose"] == "one-se"


@pytest.mark.parametrize("classes", [2, 3])
def test_metrics_are_those_of_scikit_learn(tmp_path, classes):
    """All metrics of every fold from the held-out predictions, to 1e-12."""
    metrics = pytest.importorskip("sklearn.metrics")
    X, y = halfspace.generate("blobs", rows=120, features=4, noise=8, classes=classes)
    path = tmp_path / "p.csv"
    found = halfspace.cross_validate("logistic", X, y, folds=3, predictions=path)
    with open(path) as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name.startswith("p:")]
    labels = [name[2:] for name in names]
    for k, fold in enumerate(found["folds"]):
        part = [row for row in rows if row["fold"] == str(k + 1)]
        truth, predicted = [row["label"] for row in part], [row["prediction"] for row in part]
        p = np.array([[float(row[name]) for name in names] for row in part])
        one_hot = np.array([[label == name for name in labels] for label in truth], dtype=float)
        if classes == 2:
            score = [float(row["score"]) for row in part]
            expected = {
                "brier": metrics.brier_score_loss(one_hot[:, 1], p[:, 1]), "auc": metrics.roc_auc_score(one_hot[:, 1], score),
                "average_precision": metrics.average_precision_score(one_hot[:, 1], score),
                "f1": metrics.f1_score(truth, predicted, pos_label=labels[1])}
        else:
            expected = {
                "brier": ((p - one_hot) ** 2).sum(axis=1).mean(),
                "auc": metrics.roc_auc_score(one_hot, p, average="macro", multi_class="ovr"),
                "average_precision": metrics.average_precision_score(one_hot, p, average="macro"),
                "f1": metrics.f1_score(truth, predicted, average="macro")}
        expected |= {
            "accuracy": metrics.accuracy_score(truth, predicted), "mcc": metrics.matthews_corrcoef(truth, predicted),
            "balanced_accuracy": metrics.balanced_accuracy_score(truth, predicted),
            "log_loss": metrics.log_loss(truth, p, labels=labels)}
        for name, value in expected.items():
            assert fold[name] == pytest.approx(value, rel=1e-12, abs=1e-12), name


def test_regression_metrics_are_those_of_scikit_learn(tmp_path):
    metrics = pytest.importorskip("sklearn.metrics")
    X, y = halfspace.generate("linear", rows=60, noise=4)
    path = tmp_path / "p.csv"
    found = halfspace.cross_validate("ridge", X, y, folds=4, predictions=path)
    with open(path) as file:
        rows = list(csv.DictReader(file))
    for k, fold in enumerate(found["folds"]):
        part = [row for row in rows if row["fold"] == str(k + 1)]
        truth, predicted = ([float(row[name]) for row in part] for name in ("label", "prediction"))
        assert fold["r2"] == pytest.approx(metrics.r2_score(truth, predicted), rel=1e-12)
        assert fold["mae"] == pytest.approx(metrics.mean_absolute_error(truth, predicted), rel=1e-12)
        assert fold["rmse"] == pytest.approx(metrics.mean_squared_error(truth, predicted) ** 0.5, rel=1e-12)


def test_weights(blobs):
    X, y = blobs
    plain = halfspace.cross_validate("logistic", X, y)
    weighted = halfspace.cross_validate("logistic", X, y, sample_weight=np.where(y == y[0], 20.0, 1.0))
    assert weighted["mean"] != plain["mean"]


def test_wrong(blobs):
    X, y = blobs
    wrong = [
        ({"folds": 1}, "whole number"), ({"grid": {"Cs": [1]}}, "did you mean C"), ({"grid": {"C": [-1]}}, "-C cannot be"),
        ({"grid": {"C": []}}, "NAME=VALUES"), ({"metric": "rmse"}, "numeric targets"), ({"metric": "gini"}, "metric cannot be"),
        ({"nested": 3}, "none to make"), ({"choose": "one-se"}, "none is varied"), ({"groups": [1, 2]}, "one for each row"),
        ({"groups": "who"}, "X has none"), ({"times": ["soon"] * 90}, "neither numbers nor dates"),
        ({"times": [np.nan] * 90}, "not finite"), ({"groups": [None] * 90}, "missing values"),
        ({"groups": [1] * 90}, "one group"), ({"groups": [1, 2] * 45}, "too few for 5 folds"),
        ({"sample_weight": [1.0, 2.0]}, "one for each row"),
    ]
    for options, words in wrong:
        with pytest.raises(InputError, match=words):
            halfspace.cross_validate("logistic", X, y, **options)
    with pytest.raises(InputError):
        halfspace.cross_validate("logistics", X, y)
    with pytest.raises(TypeError, match="not an algorithm"):
        halfspace.cross_validate(object(), X, y)
    with pytest.raises(TypeError, match="not a mapping"):
        halfspace.cross_validate("logistic", X, y, grid=[1])
    with pytest.raises(InputError, match="estimator does not read"):
        halfspace.cross_validate(halfspace.LogisticRegression(), X, y, groups="who")


def predictions_of(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def test_fits_are_those_of_scikit_learn(tmp_path):
    """Each fold's probabilities, scaled by its training rows alone; and leave-one-out of ridge against n fits."""
    linear, preprocessing = pytest.importorskip("sklearn.linear_model"), pytest.importorskip("sklearn.preprocessing")
    X, y = halfspace.generate("blobs", rows=120, features=4, noise=8, seed=4)
    path = tmp_path / "p.csv"
    halfspace.cross_validate("logistic", X, y, C=0.7, scale="standard", tol=1e-9, folds=4, predictions=path)
    rows = predictions_of(path)
    fold, p = np.array([int(row["fold"]) for row in rows]), np.array([float(row["p:1"]) for row in rows])
    for k in range(1, 5):
        scaler = preprocessing.StandardScaler().fit(X[fold != k])
        peer = linear.LogisticRegression(C=0.7, tol=1e-10, max_iter=10000).fit(scaler.transform(X[fold != k]), y[fold != k])
        np.testing.assert_allclose(peer.predict_proba(scaler.transform(X[fold == k]))[:, 1], p[fold == k], atol=1e-5)
    X, t = halfspace.generate("linear", rows=40, features=3, noise=3)
    halfspace.cross_validate("ridge", X, t, folds="loo", predictions=path, **{"lambda": 0.3})
    g = [linear.Ridge(alpha=0.3 * 39).fit(np.delete(X, i, 0), np.delete(t, i)).predict(X[i:i + 1])[0] for i in range(40)]
    np.testing.assert_allclose([float(row["prediction"]) for row in predictions_of(path)], g, rtol=1e-10)
