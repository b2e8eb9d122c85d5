"""Under the patch the objective is never above the one that scikit-learn reaches, and the update rules are the same."""
from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
import scipy.sparse

import halfspace
from halfspace._patched import classes, stock

pytestmark = pytest.mark.current

# Relative; the smallest gap that rounding allows.
SLACK = 1e-10


@pytest.fixture(autouse=True)
def restored():
    halfspace.unpatch_sklearn()
    halfspace.patch_report(clear=True)
    yield
    halfspace.unpatch_sklearn()


def rows(seed, count=2):
    """Random rows with columns of different scales, labels with noise, weights."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(30, 80)), int(rng.integers(2, 9))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-1, 1, size=d) + rng.normal(size=d)
    W = rng.normal(size=(d, count))
    y = np.argmax(X @ W + 2.0 * np.std(X @ W) * rng.normal(size=(n, count)), axis=1)
    y[:count] = np.arange(count)
    return X, y, rng.uniform(0.2, 2.0, size=n)


def both(name, X, y, weights, **parameters):
    """The estimator of each side; the first must have run in halfspace."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        more = {} if weights is None else {"sample_weight": weights}
        theirs = stock(name)(**parameters).fit(X, y, **more)
        with halfspace.patched():
            mine = classes()[name](**parameters).fit(X, y, **more)
    [record] = halfspace.patch_report(clear=True)
    assert record["where"] == "halfspace", record
    return mine, theirs


def never_above(objective, mine, theirs):
    a, b = objective(mine), objective(theirs)
    assert a <= b + SLACK * max(abs(b), 1e-12), (a, b)
    return a


def penalty_of(w, ratio):
    return ratio * np.abs(w).sum() + (1 - ratio) * 0.5 * (w**2).sum()


def log_loss(model, X, y, weights):
    scores = np.asarray(X @ model.coef_.T + model.intercept_)
    if scores.shape[1] == 1:
        losses = np.logaddexp(0.0, np.where(y == model.classes_[1], -1.0, 1.0) * scores[:, 0])
    else:
        top = scores.max(axis=1)
        losses = top + np.log(np.exp(scores - top[:, None]).sum(axis=1)) - scores[np.arange(len(y)), y]
    return (weights * losses).sum()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("count, solver, ratio, intercept, C", [
    (2, "lbfgs", 0.0, True, 1.0), (2, "newton-cholesky", 0.0, False, 100.0), (3, "lbfgs", 0.0, True, 0.01),
    (3, "newton-cg", 0.0, False, 10.0), (2, "saga", 1.0, True, 0.3), (3, "saga", 0.5, True, 1.0), (2, "lbfgs", 0.0, True, np.inf),
])
@pytest.mark.parametrize("sparse", [False, True])
def test_logistic(seed, count, solver, ratio, intercept, C, sparse):
    X, y, weights = rows(seed, count)
    data = scipy.sparse.csr_matrix(X) if sparse else X
    parameters = {"C": C, "solver": solver, "l1_ratio": ratio, "fit_intercept": intercept, "max_iter": 500}
    mine, theirs = both("LogisticRegression", data, y, weights, **parameters)

    def objective(model):
        fit = log_loss(model, X, y, weights)
        return fit if np.isinf(C) else penalty_of(model.coef_, ratio) + C * fit

    value = never_above(objective, mine, theirs)
    assert mine.certificate_["objective"] == pytest.approx(value, rel=1e-9)
    assert mine.certificate_["dual_bound"] <= value * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("count, loss, penalty, dual, scaling, weighted", [
    (2, "squared_hinge", "l2", False, 1.0, None), (2, "hinge", "l2", True, 1.0, "balanced"),
    (3, "squared_hinge", "l2", False, 2.0, {0: 1.0, 1: 3.0, 2: 0.5}), (2, "squared_hinge", "l1", False, 1.0, None),
])
def test_linear_svc(seed, count, loss, penalty, dual, scaling, weighted):
    X, y, weights = rows(seed, count)
    mine, theirs = both("LinearSVC", X, y, weights, loss=loss, penalty=penalty, dual=dual, intercept_scaling=scaling,
                        class_weight=weighted, max_iter=5000)
    factors = np.ones(count)
    if weighted == "balanced":
        factors = weights.sum() / (count * np.bincount(y, weights))
    elif weighted:
        factors = np.array([weighted[k] for k in range(count)])

    def objective(model):
        total = 0.0
        for k, (w, b) in enumerate(zip(model.coef_, model.intercept_)):
            own = y == (k if count > 2 else 1)
            c = weights * (np.where(own, factors[k], 1.0) if count > 2 else factors[y])
            slack = np.maximum(0.0, 1.0 - np.where(own, 1.0, -1.0) * (X @ w + b))
            total += (c * (slack if loss == "hinge" else slack**2)).sum()
            total += penalty_of(np.append(w, b / scaling), 1.0 if penalty == "l1" else 0.0)
        return total

    never_above(objective, mine, theirs)


def test_crammer_singer_with_two_classes():
    X, y, _ = rows(5)
    mine, theirs = both("LinearSVC", X, y, None, multi_class="crammer_singer", max_iter=20000, tol=1e-8)

    def objective(model):
        u = np.append(model.coef_[0], model.intercept_[0])
        margins = np.where(y == 1, 1.0, -1.0) * (X @ model.coef_[0] + model.intercept_[0])
        return (u**2).sum() / 4 + np.maximum(0.0, 1.0 - margins).sum()

    never_above(objective, mine, theirs)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha, intercept, targets", [(1.0, True, 1), (1e-3, False, 1), (50.0, True, 3)])
@pytest.mark.parametrize("sparse", [False, True])
def test_ridge(seed, alpha, intercept, targets, sparse):
    X, _, weights = rows(seed)
    Y = np.random.default_rng(seed).normal(size=(len(X), targets))
    y = Y[:, 0] if targets == 1 else Y
    mine, theirs = both("Ridge", scipy.sparse.csr_matrix(X) if sparse else X, y, weights, alpha=alpha, fit_intercept=intercept)

    def objective(model):
        coef = np.reshape(model.coef_, (targets, -1))
        errors = Y - X @ coef.T - np.reshape(model.intercept_, (1, -1))
        return (weights[:, None] * errors**2).sum() + alpha * (coef**2).sum()

    never_above(objective, mine, theirs)
    assert np.shape(mine.coef_) == np.shape(theirs.coef_) and np.shape(mine.intercept_) == np.shape(theirs.intercept_)


@pytest.mark.parametrize("count", [2, 4])
def test_ridge_classifier(count):
    X, y, weights = rows(7, count)
    mine, theirs = both("RidgeClassifier", X, y, weights, class_weight="balanced")
    assert np.allclose(mine.coef_, theirs.coef_) and np.allclose(mine.intercept_, theirs.intercept_)
    assert mine.coef_.shape == theirs.coef_.shape


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name, ratio", [("Lasso", 1.0), ("ElasticNet", 0.3), ("ElasticNet", 0.0)])
@pytest.mark.parametrize("sparse, intercept", list(itertools.product([False, True], repeat=2)))
def test_lasso_and_elastic_net(seed, name, ratio, sparse, intercept):
    X, _, weights = rows(seed)
    y = X @ np.random.default_rng(seed).normal(size=X.shape[1]) + 3.0
    parameters = {"alpha": 0.1, "fit_intercept": intercept, **({} if name == "Lasso" else {"l1_ratio": ratio})}
    mine, theirs = both(name, scipy.sparse.csc_matrix(X) if sparse else X, y, weights, **parameters)

    def objective(model):
        errors = y - X @ model.coef_ - model.intercept_
        return (weights * errors**2).sum() / (2 * weights.sum()) + 0.1 * penalty_of(model.coef_, ratio)

    never_above(objective, mine, theirs)


@pytest.mark.parametrize("loss, penalty", [
    ("hinge", "l2"), ("log_loss", "l2"), ("squared_hinge", "l2"), ("modified_huber", "l2"), ("squared_error", "l2"),
    ("log_loss", "l1"), ("squared_hinge", "elasticnet"), ("modified_huber", "elasticnet"),
])
def test_sgd_classifier(loss, penalty):
    X, y, weights = rows(11)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    parameters = {"loss": loss, "penalty": penalty, "alpha": 0.01, "random_state": 0, "class_weight": {0: 2.0, 1: 0.7}}
    mine, theirs = both("SGDClassifier", X, y, weights, **parameters)
    ratio = {"l2": 0.0, "l1": 1.0, "elasticnet": 0.15}[penalty]
    factors = weights * np.where(y == 1, 0.7, 2.0)

    def objective(model):
        sign = np.where(y == 1, 1.0, -1.0)
        score = X @ model.coef_[0] + model.intercept_[0]
        margin = sign * score
        losses = {"hinge": np.maximum(0.0, 1.0 - margin), "log_loss": np.logaddexp(0.0, -margin),
                  "squared_hinge": np.maximum(0.0, 1.0 - margin) ** 2, "squared_error": 0.5 * (sign - score) ** 2,
                  "modified_huber": np.where(margin < -1.0, -4.0 * margin, np.maximum(0.0, 1.0 - margin) ** 2)}[loss]
        return (factors * losses).mean() + 0.01 * penalty_of(model.coef_, ratio)

    never_above(objective, mine, theirs)


@pytest.mark.parametrize("count, epochs", [(2, 3), (2, 50), (3, 7)])
def test_the_perceptron_makes_the_same_updates(count, epochs):
    X, y, _ = rows(13, count)
    mine, theirs = both("Perceptron", X, y, None, shuffle=False, tol=None, max_iter=epochs, eta0=0.5)
    assert np.allclose(mine.coef_, theirs.coef_, rtol=1e-12, atol=1e-12)
    assert np.allclose(mine.intercept_, theirs.intercept_, rtol=1e-12, atol=1e-12)
    assert mine.n_iter_ == theirs.n_iter_ == epochs and mine.t_ == theirs.t_


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("priors", [None, "given"])
def test_discriminant_analysis(count, priors):
    X, y, _ = rows(17, count)
    given = None if priors is None else list(np.arange(1, count + 1) / np.arange(1, count + 1).sum())
    mine, theirs = both("LinearDiscriminantAnalysis", X, y, None, priors=given, store_covariance=True)
    for attribute in ("coef_", "intercept_", "means_", "xbar_", "priors_", "explained_variance_ratio_", "covariance_"):
        assert np.allclose(getattr(mine, attribute), getattr(theirs, attribute), rtol=1e-7, atol=1e-9), attribute
    assert np.allclose(np.abs(mine.transform(X)), np.abs(theirs.transform(X)), rtol=1e-6, atol=1e-8)
    assert np.allclose(mine.predict_proba(X), theirs.predict_proba(X))


@pytest.mark.parametrize("priors", ["uniform", "empirical"])
@pytest.mark.parametrize("sparse", [False, True])
def test_nearest_centroid(priors, sparse):
    X, y, _ = rows(19, 3)
    mine, theirs = both("NearestCentroid", scipy.sparse.csr_matrix(X) if sparse else X, y, None, priors=priors)
    for attribute in ("centroids_", "within_class_std_dev_", "deviations_", "class_prior_"):
        assert np.allclose(getattr(mine, attribute), getattr(theirs, attribute)), attribute
        assert np.shape(getattr(mine, attribute)) == np.shape(getattr(theirs, attribute)), attribute


@pytest.mark.parametrize("count, solver", [(2, "lbfgs"), (3, "lbfgs"), (2, "liblinear")])
@pytest.mark.parametrize("refit", [True, False])
def test_logistic_cv(count, solver, refit):
    X, y, _ = rows(23, count)
    parameters = {"Cs": [0.1, 1.0], "cv": 3, "solver": solver, "refit": refit, "tol": 1e-8, "max_iter": 5000}
    mine, theirs = both("LogisticRegressionCV", X, y, None, **parameters)
    assert np.array_equal(mine.C_, theirs.C_)
    for k, scores in theirs.scores_.items():
        assert np.allclose(mine.scores_[k], scores, atol=0.05)
        assert np.allclose(mine.coefs_paths_[k], theirs.coefs_paths_[k], rtol=1e-3, atol=1e-3)
    assert np.allclose(mine.coef_, theirs.coef_, rtol=1e-3, atol=1e-3)
    assert mine.coef_.shape == theirs.coef_.shape and mine.n_iter_.shape == theirs.n_iter_.shape


def test_a_warm_start_ends_at_the_same_minimum():
    X, y, _ = rows(29)
    with halfspace.patched():
        model = classes()["LogisticRegression"](warm_start=True, C=0.1).fit(X, y)
        first = model.n_iter_[0]
        again = model.fit(X, y)
        assert again.n_iter_[0] <= first
        cold = classes()["LogisticRegression"](C=5.0).fit(X, y)
        assert np.allclose(model.set_params(C=5.0).fit(X, y).coef_, cold.coef_, rtol=1e-6)


@pytest.mark.parametrize("name, parameters", [("LogisticRegression", {"C": np.inf}), ("Ridge", {"alpha": 0.0})])
def test_separable_or_exact_data_do_not_end_above(name, parameters):
    """Where there is no minimum, or it is 0, scikit-learn may run; its objective is not missed."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = np.array([0, 0, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = stock(name)(**parameters).fit(X, y)
        with halfspace.patched():
            mine = classes()[name](**parameters).fit(X, y)
    if name == "Ridge":
        assert np.allclose(mine.predict(X), theirs.predict(X))
    else:
        assert log_loss(mine, X, y, np.ones(4)) <= log_loss(theirs, X, y, np.ones(4)) + 1e-12
