"""The pages of the docs: all code runs and shows what the page has."""
from __future__ import annotations

import importlib.machinery
import importlib.util
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs" / "python"
if not PAGES.is_dir():
    pytest.skip("the docs are not beside the tests", allow_module_level=True)
pytest.importorskip("pandas")
pytest.importorskip("scipy")

from halfspace._library import plot_lib  # noqa: E402

try:
    plot_lib.load()
except ImportError:
    pytest.skip("libhalfspace_plot is not built", allow_module_level=True)

_loader = importlib.machinery.SourceFileLoader("run_examples", str(PAGES / "run-examples"))
_spec = importlib.util.spec_from_loader("run_examples", _loader)
run_examples = importlib.util.module_from_spec(_spec)
_loader.exec_module(run_examples)


@pytest.mark.parametrize("page", ["README.md", "functions.md", "patch.md"])
def test_page(page):
    assert run_examples.check(PAGES / page) == []


def test_a_page_that_is_wrong(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\n1 + 1\n```\n\n```text\n3\n```\n\n```python\n# not run\nfail()\n```\n")
    assert run_examples.check(page) == [(1, "3\n", "2\n")]
    run_examples.check(page, update=True)
    assert run_examples.check(page) == [] and "```text\n2\n```" in page.read_text()
    page.write_text("```python\nfail()\n```\n")
    with pytest.raises(NameError):
        run_examples.check(page)
