"""Uses an installed halfspace, in a system that may have nothing else but NumPy: fit, predict, verify, prove, save, load, draw.

Fails at the first thing that is not as it must be; prints one line.
"""
import os
import sys
import tempfile

import numpy as np

import halfspace


def demand(condition, what):
    if not condition:
        sys.exit(f"fit_and_draw: {what}")


def data():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(400, 5))
    y = np.where(X @ [1.0, -2.0, 0.5, 0.0, 0.0] + 0.5 * rng.normal(size=400) > 0, "yes", "no")
    return X, y


def fit(X, y):
    model = halfspace.LogisticRegression(C=2.0).fit(X, y)
    demand((model.predict(X) == y).mean() > 0.85, "the model is no better than chance")
    demand(model.certificate_["relative_gap"] <= model.certificate_["tolerance"], f"certificate: {model.certificate_}")
    ridge = halfspace.Ridge(alpha=1e-3).fit(X, X @ np.arange(5.0) + 3)
    demand(np.allclose(ridge.coef_, np.arange(5.0), atol=1e-4) and np.isclose(ridge.intercept_, 3, atol=1e-4), "ridge regression is wrong")
    lda = halfspace.LinearDiscriminantAnalysis().fit(X, y)
    demand((lda.predict(X) == y).mean() > 0.85, "discriminant analysis is wrong")
    return model


def prove(model, X, y):
    demand(halfspace.verify(model, X, y)["verified"], "the certificate does not hold")
    for labels, verdict in ((y, "not-separable"), (X[:, 0] > 0, "separable")):
        found = halfspace.separability(X, labels)["verdict"]
        demand(found == verdict, f"separability: {found}, not {verdict}")


def save_and_load(model, X, folder):
    path = os.path.join(folder, "model.hsm")
    model.save(path)
    demand((halfspace.load(path).predict(X) == model.predict(X)).all(), "a loaded model predicts something else")


def draw(model, X, y, folder):
    for name, start in (("roc.png", b"\x89PNG"), ("roc.svg", b"<?xml")):
        path = os.path.join(folder, name)
        halfspace.plot.roc(model, X, y).save(path)
        with open(path, "rb") as file:
            content = file.read()
        demand(content.startswith(start) and len(content) > 5000, f"{name}: {len(content)} bytes")


def main():
    X, y = data()
    model = fit(X, y)
    prove(model, X, y)
    with tempfile.TemporaryDirectory() as folder:
        save_and_load(model, X, folder)
        draw(model, X, y, folder)
    print(f"halfspace {halfspace.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}: fits, proves and draws")


if __name__ == "__main__":
    main()
