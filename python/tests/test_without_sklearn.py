"""Without scikit-learn the estimators still fit and predict: run in a process that cannot import it."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1]
BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sklearn", "scipy", "pandas", "pyarrow", "polars", "joblib"):
            raise ImportError(name)
sys.meta_path.insert(0, Block())
import numpy as np
import halfspace
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = np.where(X[:, 0] + X[:, 1] > 0, "b", "a")
"""


def run(code):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run([sys.executable, "-c", BLOCK + code], capture_output=True, text=True, env=env)


def test_every_estimator_fits_and_predicts():
    done = run("""
import warnings; warnings.simplefilter("ignore")
for name in halfspace._ESTIMATORS:
    made = getattr(halfspace, name)
    if issubclass(made, Exception):
        continue
    model = made()
    regresses = hasattr(model, "predict") and model._estimator_type == "regressor"
    target = 5 * X[:, 0] + 0.1 if regresses else y
    assert model.fit(X, target).score(X, target) > 0.5, name
    assert model.n_features_in_ == 3
    import pickle
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()
print("done", "sklearn" in sys.modules)
""")
    assert done.stdout == "done False\n", done.stderr


def test_parameters_and_representation():
    done = run("""
model = halfspace.LogisticRegression(C=2.0)
assert model.get_params()["C"] == 2.0
print(model.set_params(tol=1e-6))
try:
    model.set_params(D=1)
except ValueError as reason:
    print("Invalid parameter 'D'" in str(reason))
""")
    assert done.stdout == "LogisticRegression(C=2.0, tol=1e-06)\nTrue\n", done.stderr


@pytest.mark.parametrize("code, kind, words", [
    ("halfspace.LogisticRegression().predict(X)", "NotFittedError", "not fitted yet"),
    ("halfspace.LogisticRegression().fit(X * np.nan, y)", "ValueError", "Input X contains NaN"),
    ("halfspace.LogisticRegression().fit(X * np.inf, y)", "ValueError", "Input X contains"),
    ("halfspace.LogisticRegression().fit(X[0], y)", "ValueError", "Expected 2D array, got 1D array"),
    ("halfspace.LogisticRegression().fit(X, y[:-1])", "ValueError", "inconsistent numbers of samples"),
    ("halfspace.LogisticRegression().fit(X, None)", "ValueError", "target y is None"),
    ("halfspace.LogisticRegression().fit(X, X[:, 0])", "ValueError", "Unknown label type: continuous"),
    ("halfspace.LogisticRegression().fit(X[:0], y[:0])", "ValueError", "0 sample"),
    ("halfspace.LogisticRegression().fit(X + 1j, y)", "ValueError", "Complex data not supported"),
    ("halfspace.LogisticRegression().fit([['a', 'b']], y[:1])", "ValueError", "could not convert"),
    ("halfspace.LogisticRegression().fit(X, y).predict(X[:, :2])", "ValueError", "X has 2 features, but LogisticRegression"),
    ("halfspace.Ridge().fit(X, np.full(60, np.nan))", "ValueError", "Input y contains NaN"),
    ("halfspace.SGDClassifier().predict_proba(X)", "AttributeError", "predict_proba"),
])
def test_errors(code, kind, words):
    done = run(code)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert kind in last and words in last
