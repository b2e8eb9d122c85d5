"""Docstrings: every parameter is described, and those that are options of the program in the program's words."""
import inspect
import re

import pytest

import halfspace
from halfspace._library import lib

NAMES = [name for name in halfspace._ESTIMATORS if name != "InseparableError"]
# Options of the program that an estimator has under its own description: what they do differs in Python.
OWN = {"tol", "max_epochs", "class_weight", "calibrate", "calibrate_folds", "decide", "missing", "verbose"}
OF_PROGRAM = ["NearestMean", "GradientDescentClassifier", "GradientDescentRegressor", "MiniBatchClassifier",
              "MiniBatchRegressor",
              "LeastSquaresClassifier", "FisherDiscriminant", "HardMarginSVC"]


def helps():
    """The help of every option, in the terms of Python: without defaults and mlp, and with the names of parameters."""
    found = {}
    for i in range(lib.hsp_option_count()):
        text = lib.hsp_option_field(i, b"help").decode()
        text = re.sub(r"\s*\((?:default|mlp:)[^()]*(\([^()]*\))?[^()]*\)", "", text)
        text = re.sub(r"--([a-z0-9]+(?:-[a-z0-9]+)*)", lambda m: m.group(1).replace("-", "_"), text)
        found[lib.hsp_option_field(i, b"name").decode().replace("-", "_")] = text
    return found


def described(made):
    """The parameters of a docstring and their descriptions."""
    section = inspect.cleandoc(made.__doc__).split("Parameters\n----------\n")[1].split("\n\nAttributes\n")[0]
    parts = re.split(r"^(\w+) : (.*)$", section, flags=re.M)
    return {name: (kind, " ".join(text.split())) for name, kind, text in zip(parts[1::3], parts[2::3], parts[3::3])}


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_described_in_order(name):
    made = getattr(halfspace, name)
    signature = inspect.signature(made).parameters
    found = described(made)
    assert list(found) == list(signature)
    for parameter, (kind, text) in found.items():
        default = signature[parameter].default
        assert text and eval(kind.rsplit("default=", 1)[1]) == default, (name, parameter)


@pytest.mark.parametrize("name", OF_PROGRAM)
def test_options_have_the_words_of_the_program(name):
    known = helps()
    for parameter, (_, text) in described(getattr(halfspace, name)).items():
        option = parameter.rstrip("_")
        if option in known and option not in OWN and not (name == "HardMarginSVC" and option == "C"):
            assert text == known[option], (name, parameter)


@pytest.mark.parametrize("name", NAMES)
def test_attributes_that_are_described_exist(name):
    import warnings
    made = getattr(halfspace, name)
    rows = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.5], [3.0, 2.0], [0.5, 0.2], [2.5, 3.0]]
    model = made(**({"store_covariance": True} if name == "LinearDiscriminantAnalysis" else {}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows, [0, 0, 1, 1, 0, 1])
    section = inspect.cleandoc(made.__doc__).split("Attributes\n----------\n")[1].split("\n\nExamples")[0]
    for attribute in re.findall(r"^(\w+) : ", section, flags=re.M):
        if attribute not in ("feature_names_in_",):
            assert hasattr(model, attribute), (name, attribute)


@pytest.mark.parametrize("name", NAMES)
def test_examples(name):
    import doctest
    made = getattr(halfspace, name)
    failed, tried = 0, 0
    for example in doctest.DocTestFinder(recurse=False).find(made, name):
        results = doctest.DocTestRunner().run(example)
        failed, tried = failed + results.failed, tried + results.attempted
    assert tried >= 2 and not failed
