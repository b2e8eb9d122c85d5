"""Scikit-learn's own tests under the patch: a sample of them, and the page that lists what is deselected."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn")
pytestmark = pytest.mark.current

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import sklearn_suite
from sklearn_deselected import DESELECTED

PAGE = sklearn_suite.PAGE


def part(name):
    """A part of the page that the runner writes."""
    text = PAGE.read_text()
    begin = sklearn_suite.BEGIN.format(name)
    assert begin in text
    return text.split(begin, 1)[1].split(sklearn_suite.END, 1)[0].strip()


def test_the_page_lists_what_is_deselected():
    assert part("list") == sklearn_suite.listing()


def test_the_page_quotes_the_figures():
    figures = part("figures")
    for name in sklearn_suite.FILES:
        assert name in figures
    total = next(line.split() for line in figures.splitlines() if line.startswith("all"))
    tests, passed, failed, deselected = map(int, total[1:])
    assert passed + failed + deselected == tests and failed == 0
    assert passed >= sklearn_suite.LEAST_PASSED * tests


@pytest.mark.parametrize("name, found", [
    ("linear_model/tests/test_sgd.py::test_tol_parameter", True),
    ("linear_model/tests/test_logistic.py::test_max_iter[42-sag-it did not converge-max_iter3]", True),
    ("linear_model/tests/test_logistic.py::test_max_iter[42-sag-it did not converge-max_iter0]", False),
    ("linear_model/tests/test_sgd.py::test_tol_parameter_other", False),
    ("linear_model/tests/test_sgd.py", False),
])
def test_entries_match_tests(name, found):
    assert (sklearn_suite.entry_for(name) is not None) == found


def test_every_reason_is_a_sentence():
    assert all(len(reason.split()) >= 5 for reason in DESELECTED.values())


def test_scikit_learns_own_tests():
    """A sample, in seconds; in the full check all of them, and then their figures are those of the page."""
    full = os.environ.get("HSP_CHECK_FULL") == "1"
    done = subprocess.run([sys.executable, str(HERE / "sklearn_suite.py"), *([] if full else ["--sample"])],
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    if full:
        shown = [line for line in done.stdout.splitlines() if line.startswith("all ")]
        assert shown == [line for line in part("figures").splitlines() if line.startswith("all ")]
    else:
        assert "100.0% of the tests that fit a replaced class passed" in done.stdout
