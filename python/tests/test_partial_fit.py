"""partial_fit of the update rules: passes over new rows, from the weights and the step sizes so far."""
import numpy as np
import pytest

import halfspace

RNG = np.random.default_rng(1)
X = RNG.normal(size=(90, 4))
LABELS = np.digitize(X @ [1.0, -2.0, 0.5, 0.0], [-1.0, 1.0])
NUMBERS = X @ [1.0, -2.0, 0.5, 0.0]
MADE = {
    "Perceptron": dict(shuffle=False, tol=None),
    "SGDClassifier": dict(shuffle=False, tol=None),
    "SGDRegressor": dict(shuffle=False, tol=None),
    "MiniBatchClassifier": dict(order="cyclic", batch=1, keep="last", penalty="l2"),
    "MiniBatchRegressor": dict(order="cyclic", batch=1, keep="last", learning_rate=0.01),
    "GradientDescentClassifier": dict(keep="last"),
    "GradientDescentRegressor": dict(keep="last"),
}


def target(name):
    return NUMBERS if name.endswith("Regressor") else LABELS


def first(model, rows, y):
    how = {} if type(model).__name__.endswith("Regressor") else {"classes": [0, 1, 2]}
    return model.partial_fit(rows, y, **how)


@pytest.mark.parametrize("name", MADE)
def test_scores_improve_over_passes(name):
    y = target(name)
    model = first(getattr(halfspace, name)(**MADE[name]), X[:30], y[:30])
    for _ in range(40):
        for part in range(0, 90, 30):
            model.partial_fit(X[part:part + 30], y[part:part + 30])
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize("name", ["Perceptron", "SGDClassifier", "SGDRegressor"])
def test_passes_are_the_same_as_scikit_learns(name):
    linear_model = pytest.importorskip("sklearn.linear_model")
    y = target(name)
    ours, theirs = (first(getattr(where, name)(**MADE[name]), X[:50], y[:50]) for where in (halfspace, linear_model))
    for model in (ours, theirs):
        model.partial_fit(X[50:], y[50:])
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["Perceptron", "SGDClassifier"])
def test_passes_are_epochs_of_a_fit(name):
    params = {**MADE[name], "max_iter": 3}
    whole = getattr(halfspace, name)(**params).fit(X, LABELS)
    parts = first(getattr(halfspace, name)(**params), X, LABELS).partial_fit(X, LABELS).partial_fit(X, LABELS)
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9)


@pytest.mark.parametrize("name", MADE)
def test_passes_and_warm_starts_after_a_fit(name):
    y = target(name)
    model = getattr(halfspace, name)(**MADE[name]).fit(X[:60], y[:60])
    before = model.coef_.copy()
    assert model.partial_fit(X[60:], y[60:]).coef_.shape == before.shape
    warm = getattr(halfspace, name)(**MADE[name], warm_start=True).fit(X, y)
    again = warm.coef_.copy()
    assert warm.fit(X, y).coef_.shape == again.shape and np.isfinite(warm.coef_).all()


def test_averages_are_not_updated():
    with pytest.raises(ValueError, match="keep"):
        first(halfspace.SGDClassifier(average=True), X, LABELS)


def test_classes_without_rows():
    two = LABELS != 2
    model = first(halfspace.SGDClassifier(), X[two], LABELS[two])
    assert model.classes_.tolist() == [0, 1, 2] and model.decision_function(X).shape == (90, 3)


def test_pickle_between_passes():
    import pickle
    model = first(halfspace.SGDClassifier(shuffle=False), X[:50], LABELS[:50])
    twin = pickle.loads(pickle.dumps(model))
    for each in (model, twin):
        each.partial_fit(X[50:], LABELS[50:])
    np.testing.assert_array_equal(model.coef_, twin.coef_)


@pytest.mark.parametrize("name", ["Perceptron", "SGDClassifier", "MiniBatchClassifier"])
def test_bad_passes(name):
    made = getattr(halfspace, name)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        made().partial_fit(X, LABELS)
    with pytest.raises(ValueError, match="not in classes"):
        made().partial_fit(X, LABELS, classes=[0, 1])
    with pytest.raises(ValueError, match="balanced"):
        made(class_weight="balanced").partial_fit(X, LABELS, classes=[0, 1, 2])
    model = made().partial_fit(X, LABELS, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, LABELS, classes=[0, 1, 2, 3])
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.partial_fit(X[:, :2], LABELS)
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full((3, 4), np.nan), [0, 1, 2])
    with pytest.raises(ValueError, match="Negative"):
        model.partial_fit(X, LABELS, sample_weight=-np.ones(90))
    with pytest.raises(ValueError, match="at least 2 classes"):
        made().partial_fit(X, np.zeros(90), classes=[0])
