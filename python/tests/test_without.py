"""The package with NumPy alone: what is not installed is not needed."""
from __future__ import annotations

import subprocess
import sys

import pytest

OTHERS = ("sklearn", "scipy", "pandas", "polars", "pyarrow", "joblib", "threadpoolctl", "IPython", "matplotlib", "narwhals")

BLOCK = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {OTHERS!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
import numpy as np
import halfspace
rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3)); y = np.where(X[:, 0] + 0.3 * rng.normal(size=40) > 0, "b", "a")
"""


def run_without(program):
    done = subprocess.run([sys.executable, "-c", BLOCK + program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_estimator():
    out = run_without("""
for name in sorted(halfspace._ESTIMATORS):
    made = getattr(halfspace, name)
    if not hasattr(made, "fit"):
        continue
    if name == "HardMarginSVC":
        fitted = made().fit(np.array([[0.0], [1.0]]), ["a", "b"])
        print(name, fitted.predict(np.array([[0.0], [1.0]])).shape)
        continue
    numbers = name in ("Ridge", "LinearRegression", "Lasso", "ElasticNet") or name.endswith("Regressor")
    target = X[:, 0] * 2 if numbers else y
    print(name, made().fit(X, target).predict(X).shape)
""")
    assert len(out) >= 21 and all(line.endswith("(40,)") or line == "HardMarginSVC (2,)" for line in out)


def test_functions(tmp_path):
    out = run_without(f"""
print(halfspace.separability(X, y)["verdict"])
print(halfspace.inspect(X, y)["rows"])
fitted = halfspace.LogisticRegression().fit(X, y)
fitted.save({str(tmp_path / "m.hsm")!r})
print(halfspace.verify(fitted, X, y)["verified"], halfspace.load({str(tmp_path / "m.hsm")!r}).predict(X[:3]).shape)
print(len(halfspace.cross_validate("svm", X, y)["folds"]), len(halfspace.explain(X, y, "lda")) > 1)
print(halfspace.generate("moons", rows=10)[0].shape, "certificate" in fitted._repr_html_())
""")
    assert out == ["not-separable", "40", "True (3,)", "5 True", "(10, 2) True"]


def test_tables_and_sparse_files_say_what_they_need(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,label\n1,x,p\n2,y,q\n")
    (tmp_path / "s.svm").write_text("1 3:2\n0 1:1\n")
    out = run_without(f"""
for name in ("t.csv", "s.svm"):
    try:
        halfspace.read({str(tmp_path)!r} + "/" + name)
    except ImportError as reason:
        print(reason)
print(halfspace.read({str(tmp_path / "t.csv")!r}, table="encoded")[0].shape)
print(halfspace.inspect({str(tmp_path / "s.svm")!r})["rows"])
""")
    assert "pandas or polars or pyarrow" in out[0] and "SciPy" in out[1] and out[2:] == ["(2, 3)", "2"]


def test_import_is_light():
    """Importing the package does not load the library; neither it nor the functions import more than NumPy."""
    program = ("import sys, numpy\nbefore = set(sys.modules)\nimport halfspace\n"
               "from halfspace._library import lib\nprint('loaded' in vars(lib))\n"
               "print(halfspace.separability([[0.0], [1.0]], ['a', 'b'])['verdict'])\n"
               f"print([name for name in {OTHERS!r} if name in set(sys.modules) - before])")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["False", "separable", "[]"]


def test_missing_library(tmp_path):
    program = ("import halfspace\n"
               "try:\n    halfspace.generate('squares')\n"
               "except ImportError as reason:\n    print('HALFSPACE_LIBRARY' in str(reason))")
    environment = {**__import__("os").environ, "HALFSPACE_LIBRARY": str(tmp_path / "libhalfspace.so")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=environment)
    if "True" not in done.stdout:
        pytest.fail(done.stdout + done.stderr)


def test_library_of_another_kind(tmp_path):
    """A shared library without our calls is refused with its name."""
    import ctypes.util
    import os

    libm = ctypes.util.find_library("m")
    if libm is None:
        pytest.skip("needs a shared library to try")
    program = ("import halfspace\n"
               "try:\n    halfspace.generate('squares')\n"
               "except ImportError as reason:\n    print(reason)")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "HALFSPACE_LIBRARY": libm})
    assert "hsp_version" in done.stdout, done.stderr
