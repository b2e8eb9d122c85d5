"""patch_sklearn: the classes that replace scikit-learn's, what they keep, and what is reported."""
from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
import sklearn.linear_model
import sklearn.svm
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as ImportedEarly
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import NearestCentroid

import halfspace
from halfspace import patch
from halfspace._patched import CLASSES, classes, stock

pytestmark = pytest.mark.current

NAMES = list(CLASSES)


@pytest.fixture(autouse=True)
def restored():
    """Every test begins and ends with scikit-learn's own classes and an empty report."""
    halfspace.unpatch_sklearn()
    halfspace.patch_report(clear=True)
    yield
    halfspace.unpatch_sklearn()


@pytest.fixture(scope="module")
def iris():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


def fit(name, X, y, **parameters):
    """Fit a replaced class."""
    with halfspace.patched(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return classes()[name](**parameters).fit(X, y)


def fit_stock(name, X, y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return stock(name)(**parameters).fit(X, y)


# ---- names ----


def test_names_are_replaced_and_restored():
    before = sklearn.linear_model.LogisticRegression
    halfspace.patch_sklearn()
    assert sklearn.linear_model.LogisticRegression is classes()["LogisticRegression"]
    assert sklearn.linear_model._logistic.LogisticRegression is classes()["LogisticRegression"]
    assert sklearn.svm.LinearSVC is classes()["LinearSVC"]
    halfspace.unpatch_sklearn()
    assert sklearn.linear_model.LogisticRegression is before is stock("LogisticRegression")
    assert sklearn.svm.LinearSVC is stock("LinearSVC")


def test_names_imported_before_the_patch_are_replaced():
    assert ImportedEarly is stock("LinearDiscriminantAnalysis")
    with halfspace.patched():
        assert ImportedEarly is classes()["LinearDiscriminantAnalysis"]
        assert NearestCentroid is classes()["NearestCentroid"]
    assert ImportedEarly is stock("LinearDiscriminantAnalysis")


def test_modules_of_scikit_learn_use_the_replaced_classes(iris):
    from sklearn.linear_model import RidgeCV

    X, y = iris
    with halfspace.patched():
        RidgeCV(cv=3, alphas=(0.1, 1.0)).fit(X, y.astype(float))
    assert [record["class"] for record in halfspace.patch_report()] == ["Ridge", "Ridge"]
    assert halfspace.patch_report().count("halfspace") == 7


def test_a_choice_of_classes():
    with halfspace.patch_sklearn(["Ridge"]):
        assert sklearn.linear_model.Ridge is classes()["Ridge"]
        assert sklearn.linear_model.Lasso is stock("Lasso")
    assert sklearn.linear_model.Ridge is stock("Ridge")


def test_an_inner_patch_leaves_the_outer_one():
    halfspace.patch_sklearn("Ridge")
    with halfspace.patched():
        assert sklearn.linear_model.Lasso is classes()["Lasso"]
    assert sklearn.linear_model.Ridge is classes()["Ridge"]
    assert sklearn.linear_model.Lasso is stock("Lasso")


@pytest.mark.parametrize("names", ["SVC", ["Ridge", "LassoCV"], [1], ""])
def test_names_that_are_not_replaced_raise(names):
    with pytest.raises(ValueError, match="is not replaced: choose from"):
        halfspace.patch_sklearn(names)
    assert sklearn.linear_model.Ridge is stock("Ridge")


def test_an_error_inside_restores():
    with pytest.raises(RuntimeError), halfspace.patched():
        raise RuntimeError
    assert sklearn.linear_model.Ridge is stock("Ridge")


def test_unpatched_instances_are_fitted_by_scikit_learn(iris):
    X, y = iris
    model = fit("LogisticRegression", X, y)
    assert halfspace.patch_report(clear=True).count() == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    assert halfspace.patch_report().count() == 0


# ---- what stays true ----


@pytest.mark.parametrize("name", NAMES)
def test_classes_stay_themselves(name):
    with halfspace.patched():
        made, own = classes()[name], stock(name)
        assert issubclass(made, own) and issubclass(own, made)
        assert isinstance(made(), own) and isinstance(own(), made)
        assert made().get_params() == own().get_params()
        assert repr(made()) == repr(own())
        assert made.__name__ == own.__name__ and made.__doc__ == own.__doc__
        assert type(clone(made())) is made
        assert made()._get_doc_link() == own()._get_doc_link()
        assert made().get_metadata_routing()._serialize() == own().get_metadata_routing()._serialize()


def test_relations_between_classes_stay():
    with halfspace.patched():
        from sklearn.linear_model import ElasticNet, Lasso, Ridge

        assert issubclass(Lasso, ElasticNet) and isinstance(Lasso(), ElasticNet)
        assert not issubclass(ElasticNet, Lasso) and not isinstance(Ridge(), ElasticNet)

        class Mine(Lasso):
            pass

        assert isinstance(Mine(), Lasso) and not isinstance(Lasso(), Mine)
        assert Mine(alpha=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).certificate_["verified"]


@pytest.mark.parametrize("name", NAMES)
def test_pickle_and_copies(name, iris):
    X, y = iris
    model = fit(name, X, y, **({"Cs": 2, "cv": 2} if name == "LogisticRegressionCV" else {}))
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert type(other) is classes()[name]
        assert np.array_equal(other.predict(X), model.predict(X))
        assert other.certificate_ == model.certificate_
        assert (other.report_ is None) == (model.report_ is None)
    assert pickle.loads(pickle.dumps(classes()[name])) is classes()[name]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("count", [2, 3])
def test_attributes_have_scikit_learns_shapes_and_types(name, kind, count, iris):
    X, y = iris[0][iris[1] < count].astype(kind), iris[1][iris[1] < count]
    parameters = {"Cs": 2, "cv": 2} if name == "LogisticRegressionCV" else {}
    mine, theirs = fit(name, X, y, **parameters), fit_stock(name, X, y, **parameters)
    assert set(vars(mine)) - set(vars(theirs)) == {"certificate_", "report_"}
    for attribute, value in vars(theirs).items():
        found = getattr(mine, attribute)
        assert type(found) is type(value), attribute
        if isinstance(value, np.ndarray):
            assert (found.shape, found.dtype) == (value.shape, value.dtype), attribute
    if hasattr(theirs, "predict_proba"):
        assert mine.predict_proba(X).shape == (len(X), count)
    if name in ("Ridge", "Lasso", "ElasticNet"):
        assert np.allclose(mine.predict(X), theirs.predict(X), rtol=1e-3, atol=1e-3)
    elif name != "SGDClassifier":
        assert np.mean(mine.predict(X) == theirs.predict(X)) > 0.95


def test_frames_keep_their_names(iris):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(iris[0], columns=["a", "b", "c", "d"])
    model = fit("LogisticRegression", frame, iris[1])
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


# ---- the report ----


@pytest.mark.parametrize("name, parameters, words", [
    ("Ridge", {"positive": True}, "positive"),
    ("Lasso", {"positive": True}, "positive"),
    ("Perceptron", {}, "shuffle"),
    ("Perceptron", {"shuffle": False}, "tol"),
    ("Perceptron", {"shuffle": False, "tol": None, "penalty": "l2"}, "penalty"),
    ("SGDClassifier", {"tol": None}, "tol"),
    ("SGDClassifier", {"early_stopping": True}, "early_stopping"),
    ("SGDClassifier", {"average": True}, "average"),
    ("SGDClassifier", {"loss": "huber"}, "huber"),
    ("SGDClassifier", {"penalty": None}, "penalty"),
    ("LogisticRegression", {"max_iter": 1}, "max-epochs"),
    ("LogisticRegression", {"max_iter": 0}, "max_iter"),
    ("LinearDiscriminantAnalysis", {"solver": "lsqr"}, "lsqr"),
    ("LinearDiscriminantAnalysis", {"solver": "eigen", "shrinkage": "auto"}, "shrunk"),
    ("NearestCentroid", {"metric": "manhattan"}, "medians"),
    ("NearestCentroid", {"shrink_threshold": 0.1}, "shrink_threshold"),
])
def test_what_is_left_to_scikit_learn_is_reported_and_equal(name, parameters, words, iris):
    if "random_state" in stock(name)().get_params():
        parameters = {**parameters, "random_state": 0}
    mine, theirs = fit(name, *iris, **parameters), fit_stock(name, *iris, **parameters)
    [record] = halfspace.patch_report()
    assert (record["class"], record["where"], record["count"]) == (name, "scikit-learn", 1)
    assert words in record["reason"]
    assert mine.certificate_ is None and mine.report_ is None
    for attribute in ("coef_", "intercept_", "centroids_"):
        if hasattr(theirs, attribute):
            assert np.array_equal(getattr(mine, attribute), getattr(theirs, attribute))


def test_the_report_counts_by_parameters(iris):
    X, y = iris
    for C in (1.0, 2.0, 2.0):
        fit("LogisticRegression", X, y, C=C)
    fit("Perceptron", X, y)
    report = halfspace.patch_report()
    assert [(r["class"], r["parameters"], r["count"], r["where"]) for r in report] == [
        ("Perceptron", "", 1, "scikit-learn"), ("LogisticRegression", "C=2.0", 2, "halfspace"),
        ("LogisticRegression", "", 1, "halfspace")]
    assert (report.count(), report.count("halfspace"), report.count("scikit-learn")) == (4, 3, 1)
    assert "4 fits of replaced classes: 3 in halfspace, 1 in scikit-learn" in str(report)
    assert halfspace.patch_report(clear=True) == report and halfspace.patch_report() == []


def test_a_fit_that_raises_is_not_in_the_report():
    with pytest.raises(ValueError, match="NaN"):
        fit("Ridge", [[np.nan], [1.0]], [0.0, 1.0])
    assert halfspace.patch_report() == [] and str(halfspace.patch_report()) == "no fit of a replaced class"


def test_a_refit_elsewhere_forgets_the_certificate(iris):
    with halfspace.patched():
        model = classes()["Ridge"]().fit(*iris)
        assert model.certificate_["verified"]
        assert model.set_params(positive=True).fit(*iris).certificate_ is None


def test_worker_processes_report_to_their_parent(iris):
    with halfspace.patched():
        from sklearn.linear_model import LogisticRegression

        cross_val_score(LogisticRegression(), *iris, cv=4, n_jobs=2)
        found = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2, n_jobs=2).fit(*iris)
    assert halfspace.patch_report().count("halfspace") == 4 + 4 + 1
    assert found.best_estimator_.certificate_["verified"]


def test_threads_do_not_mix(iris):
    results = {}

    def work(k):
        results[k] = [classes()["LogisticRegression"](C=10.0**k).fit(*iris).coef_ for _ in range(5)]

    with halfspace.patched():
        threads = [threading.Thread(target=work, args=(k,)) for k in range(-2, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for k, coefs in results.items():
        expected = fit("LogisticRegression", *iris, C=10.0**k).coef_
        assert all(np.allclose(coef, expected, rtol=1e-6) for coef in coefs)
    assert halfspace.patch_report().count("halfspace") == 20 + 4


# ---- broken input: the same exception as scikit-learn's ----

X2, Y2 = [[0.0, 1.0], [1.0, 0.5], [2.0, 0.0], [3.0, 2.0]], [0, 0, 1, 1]
BROKEN = {
    "nan": ([[np.nan, 1.0], *X2[1:]], Y2),
    "infinite": ([[np.inf, 1.0], *X2[1:]], Y2),
    "lengths": (X2, Y2[:3]),
    "one dimension": ([1.0, 2.0, 3.0, 4.0], Y2),
    "no rows": (np.empty((0, 2)), []),
    "text": ([["a", "b"]] * 4, Y2),
    "no labels": (X2, None),
    "complex": (np.asarray(X2) * 1j, Y2),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", BROKEN)
def test_broken_data_raise_what_scikit_learn_raises(name, case):
    _raises_alike(name, *BROKEN[case])


@pytest.mark.parametrize("name", ["LogisticRegression", "LogisticRegressionCV", "LinearSVC", "Perceptron", "SGDClassifier",
                                  "NearestCentroid"])
@pytest.mark.parametrize("y", [[1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4]])
def test_broken_labels_raise_what_scikit_learn_raises(name, y):
    _raises_alike(name, X2, y)


@pytest.mark.parametrize("name, parameters", [
    ("LogisticRegression", {"C": -1.0}), ("LogisticRegression", {"solver": "x"}), ("LogisticRegression", {"l1_ratio": 2.0}),
    ("LogisticRegression", {"l1_ratio": 0.5}), ("LogisticRegression", {"dual": True}), ("LogisticRegression", {"tol": -1}),
    ("LinearSVC", {"C": 0.0}), ("LinearSVC", {"loss": "hinge", "dual": False}), ("LinearSVC", {"penalty": "l1", "dual": True}),
    ("LinearSVC", {"penalty": "l1", "loss": "hinge"}), ("LinearSVC", {"class_weight": "x"}),
    ("LinearSVC", {"intercept_scaling": -1.0}), ("Ridge", {"alpha": -1.0}), ("Ridge", {"solver": "lbfgs"}),
    ("Ridge", {"alpha": [1.0, 2.0]}), ("RidgeClassifier", {"alpha": "x"}), ("Lasso", {"alpha": -1.0}), ("Lasso", {"max_iter": 0}),
    ("ElasticNet", {"l1_ratio": 1.5}), ("ElasticNet", {"selection": "x"}), ("SGDClassifier", {"alpha": -1.0}),
    ("SGDClassifier", {"loss": "x"}), ("Perceptron", {"eta0": -1.0}), ("Perceptron", {"max_iter": 0}),
    ("LinearDiscriminantAnalysis", {"solver": "x"}), ("LinearDiscriminantAnalysis", {"shrinkage": 0.5}),
    ("LinearDiscriminantAnalysis", {"priors": [-1.0, 2.0]}), ("LinearDiscriminantAnalysis", {"n_components": 7}),
    ("NearestCentroid", {"metric": "cosine"}), ("NearestCentroid", {"shrink_threshold": -1.0}),
    ("LogisticRegressionCV", {"Cs": 0, "cv": 2}), ("LogisticRegressionCV", {"cv": 1}),
])
def test_broken_parameters_raise_what_scikit_learn_raises(name, parameters):
    _raises_alike(name, X2, Y2, **parameters)


@pytest.mark.parametrize("name", ["LogisticRegression", "LinearSVC", "Ridge", "RidgeClassifier", "Lasso", "SGDClassifier"])
@pytest.mark.parametrize("weights", [[1.0], [np.nan] * 4, "x", np.ones((4, 2))])
def test_broken_weights_raise_what_scikit_learn_raises(name, weights):
    with pytest.raises(Exception) as theirs:
        stock(name)().fit(X2, Y2, sample_weight=weights)
    with halfspace.patched(), pytest.raises(type(theirs.value)) as mine:
        classes()[name]().fit(X2, Y2, sample_weight=weights)
    assert str(mine.value) == str(theirs.value)


def _raises_alike(name, X, y, **parameters):
    with pytest.raises(Exception) as theirs:
        fit_stock(name, X, y, **parameters)
    with pytest.raises(type(theirs.value)) as mine:
        fit(name, X, y, **parameters)
    assert str(mine.value) == str(theirs.value)
    assert halfspace.patch_report() == []


# ---- python -m halfspace.patch ----


def run(*arguments, cwd=None):
    here = Path(halfspace.__file__).resolve().parents[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run([sys.executable, "-m", "halfspace.patch", *arguments], capture_output=True, text=True, cwd=cwd,
                          env=environment)


PROGRAM = """
import sys
from sklearn.linear_model import LogisticRegression, Perceptron
X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
print(sys.argv, __name__, LogisticRegression().fit(X, y).certificate_["verified"], flush=True)
Perceptron().fit(X, y)
sys.exit(int(sys.argv[1]))
"""


def test_a_program_under_the_patch(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run("program.py", "3", cwd=tmp_path)
    assert done.stdout == "['program.py', '3'] __main__ True\n"
    assert done.stderr == "halfspace: 1 of 2 fits ran in scikit-learn: add --report to see why\n"
    assert done.returncode == 3
    done = run("--report", "-m", "program", "0", cwd=tmp_path)
    assert "__main__ True" in done.stdout and done.returncode == 0
    assert "2 fits of replaced classes: 1 in halfspace, 1 in scikit-learn" in done.stderr
    assert "Perceptron(): shuffle=True" in done.stderr


@pytest.mark.parametrize("arguments, words", [
    ([], "usage:"), (["-m"], "usage:"), (["--unknown"], "usage:"), (["no-such-file.py"], "there is no such file"),
])
def test_broken_command_lines(arguments, words):
    done = run(*arguments)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr


def test_names_of_the_module():
    assert patch.Ridge is classes()["Ridge"]
    with pytest.raises(AttributeError, match="has no attribute 'SVC'"):
        patch.SVC
