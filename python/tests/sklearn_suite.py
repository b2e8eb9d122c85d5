"""Scikit-learn's own tests under the patch, as installed.

    python python/tests/sklearn_suite.py            all files of FILES: figures, fits by reason, failures
    python python/tests/sklearn_suite.py --sample   the files of SAMPLE: seconds
    python python/tests/sklearn_suite.py --page     all, and the figures and the list written to the page

A test counts if a replaced class is fitted in it, or if it is deselected; the others of a file say nothing about the patch.
The exit code is 1 if a test failed, if fewer than 95 % of the tests that count passed, or if fewer than 80 % of the fits
ran in halfspace.
"""
from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from sklearn_deselected import DESELECTED

FILES = [
    "linear_model/tests/test_logistic.py",
    "linear_model/tests/test_ridge.py",
    "linear_model/tests/test_coordinate_descent.py",
    "linear_model/tests/test_perceptron.py",
    "linear_model/tests/test_sgd.py",
    "svm/tests/test_svm.py",
    "tests/test_discriminant_analysis.py",
    "neighbors/tests/test_nearest_centroid.py",
]
SAMPLE = [
    "linear_model/tests/test_perceptron.py",
    "svm/tests/test_svm.py",
    "tests/test_discriminant_analysis.py",
    "neighbors/tests/test_nearest_centroid.py",
]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "python" / "scikit-learn-tests.md"
BEGIN, END = "<!-- {}: written by sklearn_suite.py --page -->", "<!-- end -->"
# The whole suite must pass these; the sample has too few tests for a share of fits.
LEAST_PASSED, LEAST_FITS = 0.95, 0.80


def short(nodeid: str) -> str:
    """A test's name from scikit-learn's folder on: tests/test_x.py::test_y[...]."""
    return nodeid.split("sklearn/", 1)[-1] if "sklearn/" in nodeid else nodeid


def entry_for(name: str) -> str | None:
    """The entry of the list that deselects a test; None: the test runs."""
    for entry in DESELECTED:
        begin, dots, end = entry.partition("...")
        if entry in (name, name.split("[", 1)[0]) or (dots and name.startswith(begin) and name.endswith(end)):
            return entry
    return None


class Suite:
    """A pytest plugin: patches, deselects, and counts."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.by_file: dict[str, Counter[str]] = {}
        self.failures: list[str] = []
        self.used: set[str] = set()
        self._begun = 0

    def pytest_configure(self) -> None:
        import halfspace
        from halfspace._patched import journal

        halfspace.patch_sklearn()
        self.journal = journal

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        kept, left = [], []
        for item in items:
            entry = entry_for(short(item.nodeid))
            (kept if entry is None else left).append(item)
            if entry is not None:
                self.used.add(entry)
                self._count(short(item.nodeid), "deselected")
        config.hook.pytest_deselected(items=left)
        items[:] = kept

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self._begun = self.journal.begun

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = short(report.nodeid)
        if report.failed:
            self.failures.append(name)
            self._count(name, "failed")
        elif report.when == "call" and self.journal.begun > self._begun:
            self._count(name, "passed" if report.passed else "skipped")
        elif report.when == "call" or report.skipped:
            self._count(name, "skipped" if report.skipped else "other")

    def _count(self, name: str, outcome: str) -> None:
        self.outcomes[outcome] += 1
        self.by_file.setdefault(name.split("::", 1)[0], Counter())[outcome] += 1


def figures(suite: Suite, fits: list[dict[str, object]]) -> str:
    """The figures as text."""
    lines = [f"{'file':48s} {'tests':>6s} {'passed':>7s} {'failed':>7s} {'deselected':>11s}"]
    total = Counter()
    for name, counts in suite.by_file.items():
        total.update(counts)
        lines.append(_row(name, counts))
    lines += [_row("all", total), "", f"{'class':28s} {'fits':>6s} {'halfspace':>10s} {'scikit-learn':>13s}"]
    classes: dict[str, Counter[str]] = {}
    reasons: Counter[tuple[str, str]] = Counter()
    for record in fits:
        classes.setdefault(str(record["class"]), Counter())[str(record["where"])] += int(str(record["count"]))
        if record["where"] != "halfspace":
            reasons[str(record["class"]), str(record["reason"])] += int(str(record["count"]))
    for name, counts in sorted(classes.items()) + [("all", sum(classes.values(), Counter()))]:
        lines.append(f"{name:28s} {counts.total():6d} {counts['halfspace']:10d} {counts['scikit-learn']:13d}")
    lines += ["", "fits in scikit-learn, by reason"]
    lines += [f"{count:6d}  {name}: {reason}" for (name, reason), count in reasons.most_common()]
    return "\n".join(lines)


def _row(name: str, counts: Counter[str]) -> str:
    concerned = counts["passed"] + counts["failed"] + counts["deselected"]
    return f"{name:48s} {concerned:6d} {counts['passed']:7d} {counts['failed']:7d} {counts['deselected']:11d}"


def shares(suite: Suite, fits: list[dict[str, object]]) -> tuple[float, float]:
    """The share of the tests that passed, and of the fits in halfspace."""
    counts = suite.outcomes
    concerned = counts["passed"] + counts["failed"] + counts["deselected"]
    here = sum(int(str(record["count"])) for record in fits if record["where"] == "halfspace")
    total = sum(int(str(record["count"])) for record in fits)
    return counts["passed"] / max(1, concerned), here / max(1, total)


def listing() -> str:
    """The deselected tests with their reasons, as on the page."""
    return "\n".join(f"- `{name}`: {reason}" for name, reason in sorted(DESELECTED.items()))


def replace_part(text: str, name: str, content: str) -> str:
    """The page with another part of this name."""
    begin = BEGIN.format(name)
    pattern = re.escape(begin) + r".*?" + re.escape(END)
    if not re.search(pattern, text, re.S):
        raise SystemExit(f"{PAGE.name} has no part '{name}': add the line {begin}")
    return re.sub(pattern, lambda _: f"{begin}\n{content}\n{END}", text, flags=re.S)


def main(arguments: list[str]) -> int:
    """Run the files that are asked for."""
    import halfspace
    import sklearn

    root = Path(sklearn.__file__).parent
    options = [a for a in arguments if a.startswith("-") and a not in ("--sample", "--page")]
    named = [a for a in arguments if not a.startswith("-")]
    chosen = named or (SAMPLE if "--sample" in arguments else FILES)
    suite = Suite()
    paths = [str(root / name) for name in chosen]
    # Without the options of this project, which knows no markers of scikit-learn.
    quiet = ["-o", "addopts=", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--disable-warnings", "--no-header"]
    code = pytest.main([*quiet, *options, *paths], plugins=[suite])
    fits = halfspace.patch_report()
    passed, here = shares(suite, fits)
    text = figures(suite, fits)
    summary = f"{passed:.1%} of the tests that fit a replaced class passed; {here:.1%} of the fits ran in halfspace"
    print(f"\nscikit-learn {sklearn.__version__}\n{text}\n\n{summary}")
    unused = sorted(set(DESELECTED) - suite.used)
    if chosen is FILES and unused:
        print(f"deselected tests that do not exist: {', '.join(unused)}")
    if "--page" in arguments:
        content = f"```text\nscikit-learn {sklearn.__version__}\n{text}\n\n{summary}\n```"
        page = replace_part(PAGE.read_text(), "figures", content)
        PAGE.write_text(replace_part(page, "list", listing()))
    enough = passed >= LEAST_PASSED and (here >= LEAST_FITS or chosen is not FILES)
    return 0 if code in (0, 5) and not suite.failures and enough and not (chosen is FILES and unused) else 1


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    raise SystemExit(main(sys.argv[1:]))
