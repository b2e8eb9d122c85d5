"""The estimators inside scikit-learn's tools."""
import threading

import numpy as np
import pytest

import halfspace

pytest.importorskip("sklearn")

import sklearn
from sklearn import datasets
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

X, y = datasets.load_iris(return_X_y=True)


def test_pipeline():
    model = make_pipeline(StandardScaler(), halfspace.LogisticRegression()).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.predict_proba(X).shape == (150, 3)
    reduced = make_pipeline(halfspace.LinearDiscriminantAnalysis(n_components=1), halfspace.LinearSVC()).fit(X, y)
    assert reduced.score(X, y) > 0.9


def test_column_transformer():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 3, "yes", "no")})
    columns = make_column_transformer((OneHotEncoder(), ["b"]), remainder="passthrough")
    assert make_pipeline(columns, halfspace.RidgeClassifier()).fit(frame, y).score(frame, y) > 0.5


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_grid_search(backend):
    joblib = pytest.importorskip("joblib")
    search = GridSearchCV(halfspace.LogisticRegression(), {"C": [0.1, 1.0]}, cv=3, n_jobs=2)
    alone = GridSearchCV(halfspace.LogisticRegression(), {"C": [0.1, 1.0]}, cv=3).fit(X, y)
    with joblib.parallel_backend(backend, n_jobs=2):
        search.fit(X, y)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
    assert search.best_params_ == alone.best_params_


def test_cross_validation_of_every_kind():
    assert cross_val_score(halfspace.LinearSVC(), X, y, cv=3).mean() > 0.9
    assert cross_val_score(halfspace.Ridge(), X, X @ np.arange(4), cv=3).min() > 0.9
    assert cross_val_predict(halfspace.LogisticRegression(), X, y, cv=3, method="predict_proba").shape == (150, 3)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration(method):
    model = CalibratedClassifierCV(halfspace.LinearSVC(), method=method, cv=3).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_selection_and_one_vs_one():
    chosen = SelectFromModel(halfspace.Lasso(alpha=0.1)).fit(X, y)
    assert 0 < chosen.get_support().sum() < 4
    rows, labels = X[:, :2][y != 1], y[y != 1]
    assert OneVsOneClassifier(halfspace.HardMarginSVC()).fit(rows, labels).score(rows, labels) == 1


def test_clone_and_parameters():
    model = halfspace.LogisticRegression(C=2.0, class_weight={0: 1.0})
    twin = clone(model.fit(X, y))
    assert twin.get_params() == model.get_params() and not hasattr(twin, "coef_")
    assert repr(model) == "LogisticRegression(C=2.0, class_weight={0: 1.0})"
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(D=1)
    with pytest.raises(TypeError):
        halfspace.LogisticRegression(D=1)


def test_kinds_of_estimators():
    for name in halfspace._ESTIMATORS:
        made = getattr(halfspace, name)
        if issubclass(made, Exception):
            continue
        regresses = name in ("Ridge", "Lasso", "ElasticNet", "LinearRegression") or name.endswith("Regressor")
        assert is_regressor(made()) == regresses and is_classifier(made()) != regresses


@pytest.mark.skipif(not hasattr(halfspace.LogisticRegression, "set_fit_request"), reason="metadata routing is newer")
def test_metadata_routing():
    weights = np.linspace(0.1, 1, 150)
    with sklearn.config_context(enable_metadata_routing=True):
        model = halfspace.LogisticRegression().set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        routed = make_pipeline(scaler, model).fit(X, y, sample_weight=weights)
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            make_pipeline(scaler, halfspace.LogisticRegression()).fit(X, y, sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(routed[-1].coef_, halfspace.LogisticRegression().fit(scaled, y, sample_weight=weights).coef_,
                               rtol=1e-9)


def test_two_fits_in_threads():
    expected = {C: halfspace.LogisticRegression(C=C).fit(X, y).coef_ for C in (0.1, 1.0, 10.0)}
    found = {}

    def fit(C):
        for _ in range(5):
            found[C] = halfspace.LogisticRegression(C=C).fit(X, y).coef_

    threads = [threading.Thread(target=fit, args=(C,)) for C in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for C, coef in expected.items():
        np.testing.assert_array_equal(found[C], coef)


def test_coefficients_give_the_scores():
    for name in ("LogisticRegression", "LinearSVC", "RidgeClassifier", "LinearDiscriminantAnalysis", "NearestMean",
                 "Perceptron", "LeastSquaresClassifier", "SGDClassifier", "GradientDescentClassifier", "MiniBatchClassifier"):
        model = getattr(halfspace, name)().fit(X, y)
        np.testing.assert_allclose(X @ model.coef_.T + model.intercept_, model.decision_function(X), rtol=1e-9, atol=1e-9)
