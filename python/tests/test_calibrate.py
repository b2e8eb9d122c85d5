"""Calibration and decision rules: probabilities, thresholds, weights, files, and scikit-learn's contract."""
from __future__ import annotations

import pickle

import numpy as np
import pytest

import halfspace

CLASSIFIERS = [
    "NearestMean", "Perceptron", "GradientDescentClassifier", "SGDClassifier", "MiniBatchClassifier", "LeastSquaresClassifier",
    "RidgeClassifier", "FisherDiscriminant", "LinearDiscriminantAnalysis", "LogisticRegression", "LinearSVC", "MLPClassifier",
    "HardMarginSVC",
]
METHODS = ["platt", "isotonic", "temperature"]


def clouds(n=400, classes=2, apart=2.0, seed=1):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, 3)) + apart * np.eye(3)[y], np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("method", METHODS)
def test_every_classifier_gets_probabilities(name, method):
    classes = 2 if name in ("FisherDiscriminant", "HardMarginSVC") else 3
    X, y = clouds(240, classes, 9.0 if name == "HardMarginSVC" else 2.0)
    model = getattr(halfspace, name)(calibrate=method, calibrate_folds=3).fit(X, y)
    p = model.predict_proba(X)
    assert p.shape == (240, classes) and np.allclose(p.sum(axis=1), 1) and (p >= 0).all()
    best = np.sort(p, axis=1)
    sure = best[:, -1] > best[:, -2]
    assert (model.predict(X)[sure] == model.classes_[p.argmax(axis=1)][sure]).all()
    assert np.allclose(np.exp(model.predict_log_proba(X)), p)
    assert model.report_["calibration"]["method"] == method
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(X) == p).all()


def test_without_calibration_the_method_is_absent():
    for name in ("LinearSVC", "RidgeClassifier", "Perceptron", "NearestMean", "HardMarginSVC"):
        assert not hasattr(getattr(halfspace, name)(), "predict_proba")
        assert hasattr(getattr(halfspace, name)(calibrate="platt"), "predict_proba")


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_come_true_on_new_rows(method):
    X, y = clouds(4000, apart=1.0)
    new, truth = clouds(4000, apart=1.0, seed=2)
    model = halfspace.LinearSVC(calibrate=method).fit(X, y)
    p = model.predict_proba(new)[:, 1]
    for part in np.array_split(np.argsort(p), 10):
        assert abs(p[part].mean() - (truth[part] == "b").mean()) < 0.08
    assert abs(p.mean() - 0.5) < 0.02


def test_class_weights_move_labels_and_leave_probabilities_alone():
    X, y = clouds(2000, apart=1.0)
    plain = halfspace.LinearSVC(calibrate="platt").fit(X, y)
    for weights in ({"b": 4.0}, {"a": 0.25}):
        model = halfspace.LinearSVC(calibrate="platt", class_weight=weights).fit(X, y)
        assert abs(model.predict_proba(X)[:, 1].mean() - 0.5) < 0.02
        assert (model.predict(X) == "b").mean() > (plain.predict(X) == "b").mean() + 0.1
        assert halfspace.verify(model, X, y)["verified"]
    rare = X[np.r_[0:2000:2, 1:400:2]], y[np.r_[0:2000:2, 1:400:2]]
    model = halfspace.LinearSVC(calibrate="isotonic", class_weight="balanced").fit(*rare)
    assert abs(model.predict_proba(rare[0])[:, 1].mean() - (rare[1] == "b").mean()) < 0.03


def test_row_weights():
    X, y = clouds(2000, apart=1.0)
    weights = np.where(y == "b", 3.0, 1.0)
    model = halfspace.LinearSVC(calibrate="platt").fit(X, y, sample_weight=weights)
    assert abs(np.average(model.predict_proba(X)[:, 1], weights=weights) - 0.75) < 0.02


@pytest.mark.parametrize("rule, level", [(0.3, "probability"), ("0.3", "probability"), ("cost:1,4", "probability"),
                                         ("best:f1", "probability"), ("recall:0.9", "probability")])
def test_rules_of_probabilities(rule, level):
    X, y = clouds(1000, apart=1.0)
    model = halfspace.LogisticRegression(decide=rule).fit(X, y)
    found = model.report_["decision_rule"]
    assert found["level"] == level
    assert ((model.predict(X) == "b") == (model.predict_proba(X)[:, 1] > found["threshold"])).all()
    if rule == "recall:0.9":
        new, truth = clouds(4000, apart=1.0, seed=3)
        assert abs((model.predict(new)[truth == "b"] == "b").mean() - 0.9) < 0.03


def test_rules_of_scores():
    X, y = clouds(1000, apart=1.0)
    for rule in (-0.5, np.float32(0.25), 1, "best:mcc", "cost:1,4"):
        model = halfspace.LinearSVC(decide=rule).fit(X, y)
        found = model.report_["decision_rule"]
        assert found["level"] == "score"
        assert ((model.predict(X) == "b") == (model.decision_function(X) > found["threshold"])).all()
    assert (halfspace.LinearSVC(decide="auto").fit(X, y).predict(X) == halfspace.LinearSVC().fit(X, y).predict(X)).all()


def test_files_keep_both(tmp_path):
    X, y = clouds()
    model = halfspace.LinearSVC(calibrate="isotonic", calibrate_folds=4, decide="best:f1").fit(X, y)
    model.save(tmp_path / "m.hsm")
    loaded = halfspace.load(tmp_path / "m.hsm")
    assert (loaded.calibrate, loaded.calibrate_folds, loaded.decide) == ("isotonic", 4, "best:f1")
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all() and (loaded.predict(X) == model.predict(X)).all()
    plain = halfspace.LinearSVC().fit(X, y)
    plain.save(tmp_path / "p.hsm")
    assert halfspace.load(tmp_path / "p.hsm").calibrate is None


@pytest.mark.parametrize("parameters, words", [
    ({"calibrate": "sigmoid"}, "calibrate"), ({"calibrate": True}, "calibrate"), ({"calibrate_folds": 1}, "calibrate_folds"),
    ({"calibrate_folds": 2.5}, "calibrate_folds"), ({"decide": "best:auc"}, "best:mcc"), ({"decide": "recall:2"}, "recall:X"),
    ({"decide": "cost:-1,1"}, "cost:FP,FN"), ({"decide": [0.5]}, "decide"), ({"decide": True}, "decide"),
    ({"decide": np.nan}, "decide"), ({"calibrate": "platt", "decide": 1.5}, "from 0 to 1"),
    ({"calibrate": "temperature", "class_weight": {"a": 2}}, "platt or isotonic"),
    ({"calibrate": "platt", "calibrate_folds": 300}, "fewer than the 300 folds"),
])
def test_refused(parameters, words):
    X, y = clouds()
    with pytest.raises(ValueError, match=words):
        halfspace.LinearSVC(**parameters).fit(X, y)


def test_refused_with_the_data():
    X, y = clouds(classes=3)
    with pytest.raises(ValueError, match="two classes"):
        halfspace.LinearSVC(decide=0.5).fit(X, y)
    with pytest.raises(ValueError, match="calibrate"):
        halfspace.Perceptron(calibrate="platt").partial_fit(X, y, classes=["a", "b", "c"])


def test_the_trace_is_of_the_fit_alone():
    X, y = clouds()
    for n in (400, 40):
        plain = halfspace.LinearSVC().fit(X[:n], y[:n])
        model = halfspace.LinearSVC(calibrate="platt").fit(X[:n], y[:n])
        assert (model.trace_["epoch"] == plain.trace_["epoch"]).all()
        assert (model.coef_ == plain.coef_).all()


def test_noise_is_not_believed():
    """As many columns as rows: the training rows are separable, and rows that were not trained on know better."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(150, 200)), np.arange(150) % 2
    model = halfspace.LinearSVC(calibrate="platt", decide="best:accuracy").fit(X, y)
    assert model.report_["train_accuracy"] > 0.9
    assert model.report_["decision_rule"]["out_of_fold"]["accuracy"] < 0.7
    assert model.predict_proba(X).max() < 0.9


# ---- scikit-learn ----

def test_clone_and_search():
    base = pytest.importorskip("sklearn.base")
    from sklearn.model_selection import GridSearchCV
    model = halfspace.LinearSVC(calibrate="platt", calibrate_folds=3, decide=0.4)
    assert base.clone(model).get_params() == model.get_params()
    X, y = clouds()
    found = GridSearchCV(halfspace.LinearSVC(), {"calibrate": METHODS}, scoring="neg_log_loss", cv=3).fit(X, y)
    assert found.best_score_ > -0.4 and hasattr(found, "predict_proba")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", METHODS)
def test_near_calibrated_classifier_cv(method):
    """The same folds would give the same map; with other folds of 2000 rows the probabilities are close."""
    calibration = pytest.importorskip("sklearn.calibration")
    from sklearn.svm import LinearSVC
    X, y = clouds(2000, apart=1.0)
    name = {"platt": "sigmoid"}.get(method, method)
    try:
        theirs = calibration.CalibratedClassifierCV(LinearSVC(), method=name, cv=5, ensemble=False).fit(X, y)
    except ValueError:
        pytest.skip("this scikit-learn does not have the method")
    ours = halfspace.LinearSVC(calibrate=method).fit(X, y)
    apart = np.abs(ours.predict_proba(X) - theirs.predict_proba(X))
    assert apart.mean() < 0.02 and np.median(apart) < 0.02


@pytest.mark.filterwarnings("ignore")
def test_the_contract_with_a_calibration():
    """All checks but two: a row of weight 2 is not two rows that may be in two folds, and labels are the most probable ones
    and not the sign of the score (temperature leaves the sign alone)."""
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    if not hasattr(checks, "estimator_checks_generator"):
        pytest.skip("this scikit-learn does not list its checks")
    model = halfspace.LogisticRegression(calibrate="temperature", calibrate_folds=2)
    for estimator, check in checks.estimator_checks_generator(model, legacy=True):
        if "sample_weight_equivalence" not in str(check) and "array_api" not in str(check):
            check(estimator)
