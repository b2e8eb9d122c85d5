"""What holds for weights of rows in rules that depend on the order of the rows."""
import numpy as np
import pytest

import halfspace

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
LABELS = (X @ [1.0, -2.0, 0.5, 0.0] + 0.3 * RNG.normal(size=60) > 0).astype(int)
NUMBERS = X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * RNG.normal(size=60)
CYCLIC = {
    "Perceptron": dict(shuffle=False, max_iter=7, tol=None),
    "SGDClassifier": dict(shuffle=False, max_iter=7, tol=None, learning_rate="constant", eta0=0.1, penalty=None),
    "SGDRegressor": dict(shuffle=False, max_iter=7, tol=None, learning_rate="constant", eta0=0.01, penalty=None),
    "MiniBatchClassifier": dict(order="cyclic", max_epochs=7, batch=1, learning_rate=0.1, schedule="constant", keep="last"),
    "MiniBatchRegressor": dict(order="cyclic", max_epochs=7, batch=1, learning_rate=0.01, schedule="constant", keep="last"),
}


def target(name):
    return NUMBERS if name.endswith("Regressor") else LABELS


@pytest.mark.parametrize("name", CYCLIC)
def test_weight_zero_equals_a_removed_row(name):
    made = getattr(halfspace, name)
    y, kept = target(name), np.ones(60, bool)
    kept[[3, 17, 40]] = False
    weighted = made(**CYCLIC[name]).fit(X, y, sample_weight=kept.astype(float))
    removed = made(**CYCLIC[name]).fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.coef_, removed.coef_, rtol=1e-12)
    np.testing.assert_allclose(weighted.intercept_, removed.intercept_, rtol=1e-12)


@pytest.mark.parametrize("name", ["Perceptron", "SGDClassifier", "SGDRegressor"])
def test_all_weights_times_m_equal_the_rate_times_m(name):
    made = getattr(halfspace, name)
    rate = CYCLIC[name].get("eta0", 1.0)
    weighted = made(**CYCLIC[name]).fit(X, target(name), sample_weight=np.full(60, 2.5))
    faster = made(**{**CYCLIC[name], "eta0": 2.5 * rate}).fit(X, target(name))
    np.testing.assert_allclose(weighted.coef_, faster.coef_, rtol=1e-12)
    np.testing.assert_allclose(weighted.intercept_, faster.intercept_, rtol=1e-12)


@pytest.mark.parametrize("name", ["GradientDescentClassifier", "MiniBatchClassifier"])
def test_all_weights_times_m_change_nothing_in_the_mean_form(name):
    made = getattr(halfspace, name)
    plain = made(max_epochs=5).fit(X, LABELS)
    weighted = made(max_epochs=5).fit(X, LABELS, sample_weight=np.full(60, 2.0))
    np.testing.assert_allclose(weighted.coef_, plain.coef_, rtol=1e-12)


def test_balanced_classes_have_the_same_total_weight():
    y = np.r_[np.zeros(45, int), np.ones(15, int)]
    balanced = halfspace.LogisticRegression(class_weight="balanced").fit(X, y)
    given = halfspace.LogisticRegression(class_weight={0: 60 / 90, 1: 60 / 30}).fit(X, y)
    np.testing.assert_allclose(balanced.coef_, given.coef_, rtol=1e-9)


@pytest.mark.parametrize("bad, words", [
    (-np.ones(60), "Negative values"), (np.zeros(60), "non-zero"), (np.ones(59), "sample_weight.shape"),
    (np.ones((60, 2)), "1D array or scalar"), (np.full(60, np.nan), "contains NaN"), (np.full(60, np.inf), "infinity"),
])
@pytest.mark.parametrize("name", ["LogisticRegression", "Ridge"])
def test_bad_weights(name, bad, words):
    with pytest.raises(ValueError, match=words):
        getattr(halfspace, name)().fit(X, LABELS, sample_weight=bad)


@pytest.mark.parametrize("bad", ["unbalanced", [1, 2], {0: -1.0}, {0: np.nan}, {7: 1.0}])
def test_bad_class_weights(bad):
    with pytest.raises(ValueError):
        halfspace.LogisticRegression(class_weight=bad).fit(X, LABELS)
