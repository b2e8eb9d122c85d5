"""What notebooks and terminals show."""
from __future__ import annotations

import io
import math
import sys
import types

import pytest

import halfspace
from halfspace._handles import Progress
from halfspace._notebook import ProgressBar, certificate_html, certificate_sentence

GOOD = {"objective": 5.5, "dual_bound": 5.499, "relative_gap": 1.8e-4, "tolerance": 1e-3, "verified": True}


def line(epoch=3, gap=0.01, problem=0, problems=1, most=10):
    return Progress(None, problem, problems, epoch, most, 5, 7, 1.25, 0.5, 0.1, 2.0, 1.2, gap, 0.3, "newton", math.nan)


def test_sentences():
    assert "1.8e-04" in certificate_sentence(GOOD).replace("0.00018", "1.8e-04")
    assert "missed" in certificate_sentence({**GOOD, "verified": False, "relative_gap": 0.5})
    assert "optimal" in certificate_sentence({**GOOD, "relative_gap": 0.0})
    assert "no certificate" in certificate_sentence(None)


def test_html_of_an_estimator(two_classes):
    estimator = halfspace.LogisticRegression()
    assert certificate_html(estimator) == ""
    estimator.fit(*two_classes)
    shown = certificate_html(estimator)
    assert "dual bound" in shown and f"{estimator.certificate_['objective']:.7g}" in shown
    whole = estimator._repr_html_()
    assert shown in whole and len(whole) > len(shown)
    assert shown in estimator._repr_mimebundle_()["text/html"]


def test_html_of_several_targets():
    class Fitted:
        certificate_: list = [GOOD] * 12 + [None]

    fitted = Fitted()
    fitted.certificate_ = Fitted.certificate_
    shown = certificate_html(fitted)
    assert shown.count("<tr>") == 11 and "and 3 more" in shown
    fitted.certificate_ = None
    assert "no certificate" in certificate_html(fitted) and "<table" not in certificate_html(fitted)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_bar_on_a_terminal():
    out = Terminal()
    bar = ProgressBar("Fit", tolerance=1e-4, stream=out)
    bar._interval = 0
    bar(line(gap=1.0))
    bar(line(gap=0.01))
    bar.close()
    parts = out.getvalue().split("\r")
    assert parts[1].startswith("[######..") and parts[2].startswith("[##########.") and out.getvalue().endswith("\n")
    assert "epoch 3" in parts[2] and "gap 1.0e-02" in parts[2]


def test_plain_text_has_no_control_characters():
    out = io.StringIO()
    bar = ProgressBar("Fit", stream=out)
    bar(line(problem=1, problems=4))
    assert out.getvalue() == ""
    bar.close()
    assert out.getvalue().count("\n") == 1 and "\r" not in out.getvalue() and "2/4" in out.getvalue()


def test_share_of_the_work():
    bar = ProgressBar("Fit", stream=io.StringIO())
    bar(line(epoch=5, gap=math.nan, problem=1, problems=2))
    assert bar.share() == pytest.approx(0.75)
    bar(line(epoch=0, most=0, gap=math.nan))
    assert bar.share() == 0
    bar(line(epoch=50, most=10, gap=math.nan))
    assert bar.share() == 1


def test_bar_in_a_notebook(monkeypatch):
    shown = []

    class Handle:
        def update(self, what):
            shown.append(what)

    class ZMQInteractiveShell:
        pass

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = ZMQInteractiveShell
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.HTML = str
    ipython.display.display = lambda what, display_id: shown.append(what) or Handle()
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    bar = ProgressBar("<Fit>")
    bar._interval = 0
    bar(line())
    bar(line(epoch=4))
    bar.close()
    assert len(shown) == 3 and "<progress value='0.300'" in shown[0] and "&lt;Fit&gt;" in shown[0]


def test_nothing_to_show():
    out = io.StringIO()
    ProgressBar("Fit", stream=out).close()
    assert out.getvalue() == ""


def test_verbose(two_classes, capsys):
    halfspace.LogisticRegression(verbose=1).fit(*two_classes)
    assert "LogisticRegression: epoch" in capsys.readouterr().err
    halfspace.LogisticRegression().fit(*two_classes)
    assert capsys.readouterr().err == ""
