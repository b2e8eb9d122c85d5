"""scikit-learn's own checks, over every estimator, with no expected failure.

The one exception: rules that depend on the order of the rows (Perceptron, SGD*, MiniBatch*) cannot treat a row of weight 2 as
the same row twice. test_weights.py shows what holds for them.
"""
import pytest

pytest.importorskip("sklearn")

import halfspace
from sklearn.utils.estimator_checks import parametrize_with_checks

ESTIMATORS = [
    "NearestMean", "Perceptron", "GradientDescentClassifier", "GradientDescentRegressor", "SGDClassifier", "SGDRegressor",
    "MiniBatchClassifier", "MiniBatchRegressor", "LeastSquaresClassifier", "LinearRegression", "Ridge", "RidgeClassifier",
    "FisherDiscriminant", "LinearDiscriminantAnalysis", "LogisticRegression", "LinearSVC", "HardMarginSVC", "Lasso",
    "ElasticNet",
    "MLPClassifier", "MLPRegressor",
]
BY_ORDER = ("Perceptron", "SGDClassifier", "SGDRegressor", "MiniBatchClassifier", "MiniBatchRegressor", "MLPClassifier",
            "MLPRegressor")
VARIANTS = [
    halfspace.LogisticRegression(l1_ratio=1), halfspace.LogisticRegression(solver="liblinear", class_weight="balanced"),
    halfspace.LinearSVC(loss="hinge"), halfspace.LinearSVC(penalty="l1"), halfspace.LinearSVC(multi_class="crammer_singer"),
    halfspace.Ridge(alpha=0), halfspace.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
]


def test_every_estimator_is_checked():
    assert sorted(ESTIMATORS) == sorted(set(halfspace._ESTIMATORS) - {"InseparableError"})


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([*(getattr(halfspace, name)() for name in ESTIMATORS), *VARIANTS])
def test_checks_of_scikit_learn(estimator, check):
    name = type(estimator).__name__
    # Its name until scikit-learn 1.5, and since.
    if name in BY_ORDER and ("sample_weights_invariance" in str(check) or "sample_weight_equivalence" in str(check)):
        pytest.skip("the result depends on the order of the rows: see test_weights.py")
    check(estimator)
