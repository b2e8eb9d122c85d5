"""The estimators minimise scikit-learn's objectives, and their attributes are what the documentation says."""
import copy
import pickle

import numpy as np
import pytest

import halfspace

sklearn = pytest.importorskip("sklearn")

from sklearn import datasets, discriminant_analysis, linear_model, svm
from sklearn.exceptions import ConvergenceWarning, NotFittedError

IRIS = datasets.load_iris(return_X_y=True)
TWO = datasets.make_classification(200, 8, n_informative=5, n_redundant=0, random_state=1)
DIABETES = datasets.load_diabetes(return_X_y=True)
TIGHT = dict(tol=1e-10, max_iter=100_000)
WEIGHTS = {len(y): np.linspace(0.5, 1.5, len(y)) for _, y in (IRIS, TWO, DIABETES)}


def weights_of(y, use):
    return WEIGHTS[len(y)] if use else None


def assert_same(ours, theirs, tolerance=2e-5):
    size = max(1.0, np.abs(theirs.coef_).max())
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=tolerance * size, rtol=tolerance)
    size = max(size, np.abs(theirs.intercept_).max())
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=tolerance * size, rtol=tolerance)


@pytest.mark.current
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("data", [IRIS, TWO], ids=["iris", "two"])
@pytest.mark.parametrize("params", [{}, {"C": 0.01}, {"fit_intercept": False}, {"class_weight": "balanced"},
                                    {"class_weight": {0: 3.0}}])
def test_logistic_regression(data, params, weighted):
    X, y = data
    ours = halfspace.LogisticRegression(**params).fit(X, y, sample_weight=weights_of(y, weighted))
    theirs = linear_model.LogisticRegression(**params, **TIGHT).fit(X, y, sample_weight=weights_of(y, weighted))
    assert_same(ours, theirs)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    assert ours.n_iter_.shape == (1,) and ours.n_iter_[0] >= 1


@pytest.mark.current
@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_logistic_regression_with_l1(ratio):
    X, y = TWO
    ours = halfspace.LogisticRegression(l1_ratio=ratio, C=0.1).fit(X, y)
    theirs = linear_model.LogisticRegression(l1_ratio=ratio, C=0.1, solver="saga", **TIGHT).fit(X, y)
    assert_same(ours, theirs)


@pytest.mark.parametrize("params", [{"penalty": "l2"}, {"penalty": "l1"}, {"penalty": "elasticnet", "l1_ratio": 0.3},
                                    {"penalty": None}])
def test_older_names_of_the_penalty(params):
    X, y = TWO
    ratio = {"l2": 0.0, "l1": 1.0}.get(params["penalty"], params.get("l1_ratio", 0.0))
    same = halfspace.LogisticRegression(l1_ratio=ratio, C=np.inf if params["penalty"] is None else 1.0).fit(X, y)
    np.testing.assert_array_equal(halfspace.LogisticRegression(**params).fit(X, y).coef_, same.coef_)


@pytest.mark.current
@pytest.mark.parametrize("params", [{}, {"l1_ratio": 1.0}, {"intercept_scaling": 3.0}, {"fit_intercept": False}])
def test_liblinear_penalises_the_intercept(params):
    X, y = TWO
    ours = halfspace.LogisticRegression(solver="liblinear", **params).fit(X, y)
    theirs = linear_model.LogisticRegression(solver="liblinear", **params, **TIGHT).fit(X, y)
    assert_same(ours, theirs)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("data", [IRIS, TWO], ids=["iris", "two"])
@pytest.mark.parametrize("params", [{}, {"loss": "hinge"}, {"penalty": "l1", "dual": False}, {"intercept_scaling": 5.0},
                                    {"multi_class": "crammer_singer"}, {"fit_intercept": False}, {"C": 0.1}])
def test_linear_svc(data, params):
    X, y = data
    ours = halfspace.LinearSVC(**params).fit(X, y)
    theirs = svm.LinearSVC(**params, **TIGHT).fit(X, y)
    assert_same(ours, theirs)
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    assert ours.certificate_["verified"]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.1, 10.0])
def test_ridge(alpha, weighted):
    X, y = DIABETES
    ours = halfspace.Ridge(alpha).fit(X, y, sample_weight=weights_of(y, weighted))
    theirs = linear_model.Ridge(alpha).fit(X, y, sample_weight=weights_of(y, weighted))
    assert_same(ours, theirs, 1e-7)


@pytest.mark.current
def test_several_targets_are_several_fits():
    X, y = DIABETES
    Y = np.column_stack([y, -2 * y, y**2])
    ours, theirs = halfspace.Ridge([1.0, 2.0, 3.0]).fit(X, Y), linear_model.Ridge([1.0, 2.0, 3.0]).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)
    assert len(ours.certificate_) == 3
    np.testing.assert_allclose(pickle.loads(pickle.dumps(ours)).predict(X), ours.predict(X))
    with pytest.raises(ValueError, match="do not correspond"):
        halfspace.Ridge([1.0, 2.0]).fit(X, Y)
    with pytest.raises(ValueError, match="do not correspond"):
        halfspace.Ridge([1.0, 2.0]).fit(X, y)


@pytest.mark.parametrize("name, params", [
    ("Lasso", {}), ("Lasso", {"alpha": 0.01}), ("ElasticNet", {"alpha": 0.01}),
    ("ElasticNet", {"alpha": 0.01, "l1_ratio": 1.0}),
    ("ElasticNet", {"alpha": 0.01, "l1_ratio": 0}), ("ElasticNet", {"alpha": 0.1, "fit_intercept": False}),
])
@pytest.mark.filterwarnings("ignore")
def test_lasso_and_elastic_net(name, params):
    X, y = DIABETES
    ours = getattr(halfspace, name)(**params).fit(X, y, sample_weight=WEIGHTS[len(y)])
    theirs = getattr(linear_model, name)(**params, tol=1e-12, max_iter=100_000).fit(X, y, sample_weight=WEIGHTS[len(y)])
    assert_same(ours, theirs, 5e-4)
    assert ours.dual_gap_ < 1e-5
    assert ours.sparse_coef_.nnz == np.count_nonzero(ours.coef_)


def test_linear_regression_takes_the_smallest_norm():
    X, y = DIABETES
    for rows in (len(y), 6):
        ours = halfspace.LinearRegression().fit(X[:rows], y[:rows])
        theirs = linear_model.LinearRegression().fit(X[:rows], y[:rows])
        assert_same(ours, theirs, 1e-7)
        assert ours.rank_ == min(X.shape[1], rows - 1)


@pytest.mark.parametrize("data", [IRIS, TWO], ids=["iris", "two"])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_ridge_classifier(data, alpha):
    X, y = data
    ours = halfspace.RidgeClassifier(alpha, class_weight="balanced").fit(X, y)
    theirs = linear_model.RidgeClassifier(alpha, class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(ours.coef_.ravel(), theirs.coef_.ravel(), atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.current
@pytest.mark.parametrize("data", [IRIS, TWO], ids=["iris", "two"])
@pytest.mark.parametrize("params", [{}, {"priors": True}, {"n_components": 1}, {"solver": "lsqr", "shrinkage": 0.3},
                                    {"store_covariance": True}])
def test_linear_discriminant_analysis(data, params):
    X, y = data
    params = dict(params)
    if params.pop("priors", False):
        params["priors"] = np.arange(1, len(set(y)) + 1) / sum(range(1, len(set(y)) + 1))
    ours = halfspace.LinearDiscriminantAnalysis(**params).fit(X, y)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(**params).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(ours.means_, theirs.means_, atol=1e-9)
    if "solver" not in params:
        assert_same(ours, theirs, 1e-9)
        np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-8)
        np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_[:ours._n_features_out])
    if "store_covariance" in params:
        np.testing.assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-9)


@pytest.mark.current
@pytest.mark.parametrize("params", [{}, {"loss": "log_loss"}, {"loss": "modified_huber"}, {"learning_rate": "constant"},
                                    {"learning_rate": "invscaling", "eta0": 0.1}, {"average": True}, {"alpha": 0.1}])
def test_steps_of_sgd(params):
    X, y = TWO
    params = dict(params, shuffle=False, max_iter=3, tol=None)
    ours = halfspace.SGDClassifier(**params).fit(X, y, sample_weight=WEIGHTS[len(y)])
    theirs = linear_model.SGDClassifier(**params).fit(X, y, sample_weight=WEIGHTS[len(y)])
    assert_same(ours, theirs, 1e-5 if params.get("loss") == "log_loss" else 1e-8)
    if params.get("loss") in ("log_loss", "modified_huber"):
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)
    else:
        assert not hasattr(ours, "predict_proba")


@pytest.mark.parametrize("params", [{}, {"loss": "huber"}, {"learning_rate": "constant"},
                                    {"learning_rate": "optimal", "alpha": 1.0}])
def test_steps_of_sgd_regression(params):
    X, y = DIABETES
    params = dict(params, shuffle=False, max_iter=3, tol=None)
    assert_same(halfspace.SGDRegressor(**params).fit(X, y), linear_model.SGDRegressor(**params).fit(X, y), 1e-8)


@pytest.mark.parametrize("data", [IRIS, TWO], ids=["iris", "two"])
def test_steps_of_the_perceptron(data):
    X, y = data
    params = dict(shuffle=False, max_iter=4, tol=None)
    assert_same(halfspace.Perceptron(**params).fit(X, y), linear_model.Perceptron(**params).fit(X, y), 1e-12)


@pytest.mark.current
def test_defaults_are_those_of_scikit_learn():
    """Names and defaults of every parameter that scikit-learn's class has, but for tol."""
    import inspect
    from sklearn import neural_network
    theirs = [linear_model.LogisticRegression, linear_model.Ridge, linear_model.RidgeClassifier, linear_model.LinearRegression,
              linear_model.Lasso, linear_model.ElasticNet, linear_model.Perceptron, linear_model.SGDClassifier,
              linear_model.SGDRegressor, svm.LinearSVC, discriminant_analysis.LinearDiscriminantAnalysis,
              neural_network.MLPClassifier, neural_network.MLPRegressor]
    for their in theirs:
        ours = inspect.signature(getattr(halfspace, their.__name__)).parameters
        for name, parameter in inspect.signature(their).parameters.items():
            assert name in ours, (their.__name__, name)
            if name != "tol":
                assert ours[name].default == parameter.default, (their.__name__, name)


# ---- the hard margin ----


def test_hard_margin():
    X, y = IRIS[0][:100], IRIS[1][:100]
    model = halfspace.HardMarginSVC().fit(X, y)
    assert model.separable_ and model.certificate_["verified"]
    margins = np.where(y == 1, 1, -1) * model.decision_function(X)
    np.testing.assert_allclose(margins[model.support_], 1, atol=1e-8)
    assert margins.min() > 1 - 1e-8
    np.testing.assert_allclose(model.dual_coef_ @ X[model.support_], model.coef_, atol=1e-8)


def test_hard_margin_of_classes_that_are_not_separable():
    X, y = IRIS
    with pytest.raises(halfspace.InseparableError, match="not linearly separable") as caught:
        halfspace.HardMarginSVC(on_inseparable="raise").fit(X, y)
    assert isinstance(caught.value, ValueError)
    assert any(verdict["verdict"] != "separable" for verdict in caught.value.proof)
    with pytest.warns(ConvergenceWarning, match="soft margin"):
        model = halfspace.HardMarginSVC().fit(X, y)
    assert not model.separable_
    soft = halfspace.HardMarginSVC(C=100.0)
    with pytest.warns(ConvergenceWarning):
        assert soft.fit(X, y).certificate_["objective"] > model.certificate_["objective"]


# ---- what a fit leaves behind ----


def test_certificate_report_and_trace():
    X, y = TWO
    model = halfspace.LogisticRegression().fit(X, y)
    found = model.certificate_
    assert set(found) == {"objective", "dual_bound", "relative_gap", "tolerance", "verified"}
    assert found["dual_bound"] <= found["objective"] and found["relative_gap"] <= found["tolerance"] and found["verified"]
    assert model.report_["algorithm"] == "logistic" and model.report_["rows"] == 200
    assert (np.diff(model.trace_["objective"]) < 1e-9).all() and len(model.trace_) == model.n_iter_[0] + 1
    assert halfspace.NearestMean().fit(X, y).certificate_ is None
    assert halfspace.Perceptron().fit(X, y).certificate_ is None


def test_a_tolerance_that_is_missed_is_a_warning():
    X, y = datasets.make_classification(300, 30, random_state=0)
    with pytest.warns(ConvergenceWarning, match="relative duality gap"):
        model = halfspace.LogisticRegression(max_iter=1).fit(X, y)
    assert not model.certificate_["verified"]


@pytest.mark.parametrize("name", ["LogisticRegression", "LinearSVC", "Ridge", "MLPClassifier", "LinearDiscriminantAnalysis",
                                  "HardMarginSVC"])
@pytest.mark.filterwarnings("ignore")
def test_pickle_and_copy(name):
    X, y = IRIS
    model = getattr(halfspace, name)().fit(X, y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        np.testing.assert_array_equal(twin.predict(X), model.predict(X))
        assert twin.report_["checksum"] == model.report_["checksum"]
        assert len(twin.trace_) == len(model.trace_)
        if name == "LinearSVC":
            np.testing.assert_array_equal(twin.support_, model.support_)


def test_save(tmp_path):
    from halfspace._handles import Model
    X, y = IRIS
    model = halfspace.LogisticRegression().fit(X, np.array(["setosa", "versicolor", "virginica"])[y])
    model.save(tmp_path / "iris.hsm")
    loaded = Model.load(tmp_path / "iris.hsm")
    assert loaded.class_names == ["setosa", "versicolor", "virginica"]
    np.testing.assert_array_equal(loaded.array("weights"), model.coef_)
    with pytest.raises(OSError):
        model.save(tmp_path / "nowhere" / "iris.hsm")
    with pytest.raises(NotFittedError):
        halfspace.LogisticRegression().save(tmp_path / "none.hsm")


def test_warm_start():
    X, y = datasets.make_classification(500, 40, random_state=0)
    model = halfspace.LogisticRegression(warm_start=True).fit(X, y)
    first = model.coef_
    model.set_params(C=1.05).fit(X, y)
    cold = halfspace.LogisticRegression(C=1.05).fit(X, y)
    np.testing.assert_allclose(model.coef_, cold.coef_, atol=1e-5)
    assert model.n_iter_[0] <= cold.n_iter_[0] and not np.array_equal(first, model.coef_)
    model.fit(X[:, :5], y)
    assert model.coef_.shape == (1, 5)
    model.fit(X[:, :5], y + 3)
    assert model.classes_.tolist() == [3, 4]


@pytest.mark.parametrize("name, params", [("Lasso", {"alpha": 0}), ("Lasso", {"alpha": 0.1}), ("ElasticNet", {"l1_ratio": 0}),
                                          ("ElasticNet", {}), ("MLPRegressor", {"max_iter": 5, "hidden_layer_sizes": 4})])
@pytest.mark.filterwarnings("ignore")
def test_warm_start_of_regressors(name, params):
    X, y = DIABETES
    model = getattr(halfspace, name)(warm_start=True, **params).fit(X, y)
    once = model.predict(X)
    again = model.fit(X, y).predict(X)
    if name != "MLPRegressor":
        np.testing.assert_allclose(again, once, rtol=1e-5)


def test_verbose_shows_progress(capsys):
    X, y = TWO
    halfspace.LogisticRegression(verbose=1).fit(X, y)
    assert "LogisticRegression: epoch" in capsys.readouterr().err
    halfspace.LogisticRegression().fit(X, y)
    assert capsys.readouterr().err == ""


def test_seeds():
    X, y = TWO
    made = [halfspace.SGDClassifier(max_iter=2, tol=None, random_state=state).fit(X, y).coef_
            for state in (None, None, 3, 3, np.random.RandomState(5), np.random.default_rng(5))]
    np.testing.assert_array_equal(made[0], made[1])
    np.testing.assert_array_equal(made[2], made[3])
    assert not np.array_equal(made[0], made[2])
    with pytest.raises(ValueError, match="seed"):
        halfspace.SGDClassifier(random_state="1").fit(X, y)


@pytest.mark.parametrize("jobs", [1, 2, -1, None])
def test_results_do_not_depend_on_threads(jobs):
    X, y = datasets.make_classification(3000, 20, random_state=0)
    expected = halfspace.LogisticRegression(n_jobs=1).fit(X, y)
    model = halfspace.LogisticRegression(n_jobs=jobs).fit(X, y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


# ---- labels ----


@pytest.mark.parametrize("labels", [
    [10, 9], ["10", "9"], ["b", "a"], ["1", "01"], ["x", "1"], [True, False], [2.0, -1.0], ["", "a"], ["ä", "z"],
    ["a,b", 'c"d'], [0.0, 1e10], [2**40, -5], [" a", "a"],
])
def test_labels_of_every_kind(labels):
    X, y = TWO
    y = np.array(labels)[y]
    model = halfspace.LogisticRegression().fit(X, y)
    reference = linear_model.LogisticRegression(**TIGHT).fit(X, y)
    assert model.classes_.tolist() == sorted(labels)
    np.testing.assert_array_equal(model.predict(X), reference.predict(X))
    np.testing.assert_allclose(model.decision_function(X), reference.decision_function(X), atol=1e-4)
    assert model.predict(X).dtype == y.dtype


def test_many_labels_that_are_numbers_as_text():
    X, y = IRIS
    y = np.array(["9", "10", "100"])[y]
    model, reference = halfspace.LogisticRegression().fit(X, y), linear_model.LogisticRegression(**TIGHT).fit(X, y)
    assert model.classes_.tolist() == ["10", "100", "9"]
    np.testing.assert_allclose(model.coef_, reference.coef_, atol=1e-3)


# ---- arrays of every layout ----


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u1", "?", "i2", "u2", "i4", "i8", "u8", "f2", ">f8"])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_layouts(dtype, order):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if dtype == "?" else 5, (40, 3)).astype(dtype)
    y = rng.integers(0, 2, 40)
    expected = halfspace.LogisticRegression().fit(X.astype(float), y)
    laid = np.asfortranarray(X) if order == "F" else X
    if order == "strided":
        laid = np.zeros((80, 6), X.dtype)
        laid[::2, ::2] = X
        laid = laid[::2, ::2]
    laid.flags.writeable = False
    model = halfspace.LogisticRegression().fit(laid, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.predict(laid), expected.predict(X.astype(float)))


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil"])
@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_sparse_layouts(format, index, dtype):
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.csr_array(sparse.random(60, 10, density=0.3, random_state=0))
    X.data = np.rint(X.data * 5).astype(dtype)
    y = np.arange(60) % 2
    expected = halfspace.LogisticRegression().fit(X.toarray().astype(float), y)
    X = X.asformat(format)
    if format in ("csr", "csc"):
        X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    model = halfspace.LogisticRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X.toarray().astype(float)))


def test_memory_mapped(tmp_path):
    X, y = TWO
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    np.testing.assert_array_equal(halfspace.LinearSVC().fit(mapped, y).coef_, halfspace.LinearSVC().fit(X, y).coef_)


# ---- bad input ----

X2, Y2 = TWO
BAD_INPUT = [
    (np.where(np.arange(8) == 2, np.nan, X2), Y2, ValueError, "Input X contains NaN"),
    (np.where(np.arange(8) == 2, np.inf, X2), Y2, ValueError, "Input X contains infinity"),
    (X2[0], Y2, ValueError, "Expected 2D array, got 1D array"),
    (X2[None], Y2, ValueError, "3"),
    (X2, Y2[:-1], ValueError, "inconsistent numbers of samples"),
    (X2, Y2.astype(float) + 0.5 * np.linspace(0, 1, 200), ValueError, "Unknown label type: continuous"),
    (X2, np.zeros(200), ValueError, "at least 2 classes"),
    (X2, np.where(Y2 == 1, np.nan, 0.0), ValueError, "Input y contains NaN"),
    (X2, np.column_stack([Y2, Y2]), ValueError, "1d array"),
    (X2 + 1j, Y2, ValueError, "Complex data not supported"),
    (X2[:0], Y2[:0], ValueError, "0 sample"),
    (X2[:, :0], Y2, ValueError, r"0 feature\(s\)"),
    (X2.astype(str).astype(object) + "x", Y2, ValueError, "could not convert string to float"),
    (np.array([[{}]] * 200, dtype=object), Y2, TypeError, "argument must be .* string.* number"),
    (X2, None, ValueError, "requires y to be passed, but the target y is None"),
    (X2, np.array([None, 1] * 100, dtype=object), ValueError, ""),
    ("rows", Y2, ValueError, ""),
]


@pytest.mark.parametrize("X, y, kind, words", BAD_INPUT)
def test_bad_input(X, y, kind, words):
    with pytest.raises(kind, match=words):
        halfspace.LogisticRegression().fit(X, y)


def test_bad_targets():
    with pytest.raises(ValueError, match="Input y contains NaN"):
        halfspace.Ridge().fit(X2, np.full(200, np.nan))
    with pytest.raises(ValueError, match="infinity"):
        halfspace.Ridge().fit(X2, np.full(200, np.inf))
    with pytest.raises(ValueError):
        halfspace.Ridge().fit(X2, ["a"] * 200)


def test_use_before_fit():
    for name in ("predict", "decision_function", "predict_proba"):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(halfspace.LogisticRegression(), name)(X2)
    with pytest.raises(NotFittedError):
        halfspace.LogisticRegression().report_


def test_other_features():
    model = halfspace.LogisticRegression().fit(X2, Y2)
    with pytest.raises(ValueError, match="X has 3 features, but LogisticRegression is expecting 8 features as input"):
        model.predict(X2[:, :3])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.predict(np.where(np.arange(8) == 2, np.nan, X2))


@pytest.mark.parametrize("name, params", [
    ("LogisticRegression", {"C": 0}), ("LogisticRegression", {"C": -1.0}), ("LogisticRegression", {"C": "1"}),
    ("LogisticRegression", {"tol": -1}), ("LogisticRegression", {"solver": "newton"}),
    ("LogisticRegression", {"penalty": "l3"}),
    ("LogisticRegression", {"max_iter": 1.5}), ("LogisticRegression", {"l1_ratio": 2}),
    ("LogisticRegression", {"n_jobs": 0}),
    ("LogisticRegression", {"penalty": "elasticnet", "l1_ratio": None}), ("LogisticRegression", {"random_state": -1}),
    ("LinearSVC", {"loss": "log"}), ("LinearSVC", {"penalty": "l1", "loss": "hinge"}),
    ("LinearSVC", {"multi_class": "all"}),
    ("LinearSVC", {"intercept_scaling": 0}), ("Ridge", {"alpha": -1}), ("Ridge", {"solver": "lbfgs"}),
    ("Ridge", {"alpha": [[1]]}),
    ("Lasso", {"alpha": -1}), ("Lasso", {"precompute": "auto"}), ("ElasticNet", {"l1_ratio": -0.1}),
    ("Lasso", {"max_iter": 0}),
    ("SGDClassifier", {"alpha": 0}), ("SGDClassifier", {"eta0": 0, "learning_rate": "constant"}),
    ("SGDClassifier", {"loss": "log"}),
    ("Perceptron", {"eta0": 0}), ("LinearDiscriminantAnalysis", {"priors": [0.5]}),
    ("LinearDiscriminantAnalysis", {"priors": [-1, 2]}),
    ("LinearDiscriminantAnalysis", {"n_components": 5}), ("LinearDiscriminantAnalysis", {"solver": "lsqr", "shrinkage": 2}),
    ("MLPClassifier", {"hidden_layer_sizes": (0,)}), ("MLPClassifier", {"activation": "sine"}), ("HardMarginSVC", {"C": 0}),
    ("HardMarginSVC", {"on_inseparable": "ask"}), ("GradientDescentClassifier", {"loss": "cubic"}),
    ("NearestMean", {"scale": "log"}),
    ("GradientDescentClassifier", {"C": 1.0}), ("MiniBatchClassifier", {"batch": 0}),
    ("FisherDiscriminant", {"threshold": "x"}),
])
def test_bad_parameters(name, params):
    with pytest.raises(ValueError):
        getattr(halfspace, name)(**params).fit(X2, Y2)


@pytest.mark.parametrize("name, params", [
    ("Ridge", {"positive": True}), ("Lasso", {"positive": True}), ("LinearRegression", {"positive": True}),
    ("SGDClassifier", {"early_stopping": True}), ("SGDClassifier", {"learning_rate": "adaptive", "eta0": 0.1}),
    ("SGDClassifier", {"loss": "epsilon_insensitive"}), ("SGDClassifier", {"average": 10}),
    ("Perceptron", {"early_stopping": True}),
    ("MLPClassifier", {"solver": "sgd"}), ("MLPClassifier", {"activation": "logistic"}),
    ("MLPRegressor", {"loss": "poisson"}),
    ("LinearDiscriminantAnalysis", {"shrinkage": 0.5}), ("LinearDiscriminantAnalysis", {"covariance_estimator": object()}),
])
def test_what_is_not_supported_is_said(name, params):
    with pytest.raises(NotImplementedError, match="support"):
        getattr(halfspace, name)(**params).fit(X2, Y2)


def test_fisher_is_for_two_classes():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        halfspace.FisherDiscriminant().fit(*IRIS)
