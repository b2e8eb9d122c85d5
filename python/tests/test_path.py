"""halfspace.path: against objectives computed here, against scikit-learn, and what it refuses."""
import numpy as np
import pytest

import halfspace


@pytest.fixture(scope="module")
def two_classes():
    random = np.random.default_rng(0)
    X = random.standard_normal((120, 30))
    X[:, 20:] *= random.random((120, 10)) < 0.3
    y = np.where(X[:, 0] - X[:, 1] + random.standard_normal(120) > 0, "yes", "no")
    return X, y


def logistic_objective(X, y, w, b, penalty, l1_ratio, lam):
    m = np.where(y == "yes", 1, -1) * (X @ w + b)
    size = l1_ratio * np.abs(w).sum() + (1 - l1_ratio) * w @ w / 2
    return size + np.logaddexp(0, -m).mean() / lam


@pytest.mark.parametrize("penalty, ratio", [("l1", 1.0), ("elastic", 0.5), ("l2", 0.0)])
def test_objectives(two_classes, penalty, ratio):
    X, y = two_classes
    found = halfspace.path(X, y, penalty=penalty, steps=12)
    assert found["lambdas"].shape == (12,) and (np.diff(found["lambdas"]) < 0).all()
    assert found["converged"] and found["positive"] == "yes" and found["weights"].shape == (12, 30)
    for k, lam in enumerate(found["lambdas"]):
        P = logistic_objective(X, y, found["weights"][k], found["intercepts"][k], penalty, ratio, lam)
        assert P == pytest.approx(found["objectives"][k], rel=1e-12)
        assert found["nonzeros"][k] == (found["weights"][k] != 0).sum()
    assert (found["relative_gaps"] <= 1e-6).all()


def test_lambda_max(two_classes):
    X, y = two_classes
    share = (y == "yes").mean()
    slopes = np.where(y == "yes", share - 1, share)
    found = halfspace.path(X, y, steps=2)
    assert found["lambdas"][0] == pytest.approx(np.abs(X.T @ slopes).max() / len(y), rel=1e-12)
    assert list(found["nonzeros"])[0] == 0


def test_sparse_and_many_features(two_classes):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = two_classes
    wide = sparse.hstack([sparse.csr_array(X), sparse.csr_array((120, 1200))]).tocsr()
    found, dense = halfspace.path(wide, y, lambdas=[0.1, 0.01]), halfspace.path(X, y, lambdas=[0.1, 0.01])
    assert found["weights"].shape == (2, 1230) and sparse.issparse(found["weights"])
    assert np.allclose(found["weights"].toarray()[:, :30], dense["weights"], atol=2e-3)
    assert np.allclose(found["objectives"], dense["objectives"], rtol=2e-6)


def test_lasso_path_of_scikit_learn():
    linear_model = pytest.importorskip("sklearn.linear_model")
    random = np.random.default_rng(1)
    X = random.standard_normal((80, 20))
    y = X[:, :3] @ [3.0, -2.0, 1.0] + random.standard_normal(80)
    found = halfspace.path(X, y, algorithm="lasso", steps=15, intercept="none", tol=1e-10)
    alphas, coefs, _ = linear_model.lasso_path(X, y, alphas=found["lambdas"], tol=1e-12, max_iter=100000)
    assert np.allclose(alphas, found["lambdas"])
    assert np.allclose(coefs.T, found["weights"], atol=1e-5)


def test_folds_and_weights(two_classes):
    X, y = two_classes
    found = halfspace.path(X, y, steps=10, folds=4, metric="accuracy")
    assert found["fold_values"].shape == (10, 4) and found["metric"] == "accuracy"
    assert np.allclose(found["fold_values"].mean(axis=1), found["mean"])
    assert np.allclose(found["fold_values"].std(axis=1, ddof=1), found["sd"])
    best = int(np.argmax(found["mean"]))
    within = found["mean"] >= found["mean"][best] - found["sd"][best] / 2
    assert found["best"] == best and found["one_se"] == int(np.argmax(within))
    weighted = halfspace.path(X, y, lambdas=[0.05], sample_weight=np.arange(120) % 2 + 1.0)
    doubled = halfspace.path(np.vstack([X, X[1::2]]), np.concatenate([y, y[1::2]]), lambdas=[0.05])
    assert weighted["objectives"][0] == pytest.approx(doubled["objectives"][0], rel=1e-6)


def test_wrong(two_classes):
    X, y = two_classes
    for options, words in [({"loss": "hinge"}, "smooth"), ({"algorithm": "perceptron"}, "not defined"), ({"steps": 0}, "steps"),
                           ({"lambdas": "1:0"}, "LO:HI"), ({"C": 1.0}, "lambdas"), ({"metric": "auc"}, "folds")]:
        with pytest.raises(halfspace.HalfspaceError, match=words):
            halfspace.path(X, y, **options)
    with pytest.raises(halfspace.HalfspaceError, match="positive"):
        halfspace.path(X, np.arange(120) % 3)
