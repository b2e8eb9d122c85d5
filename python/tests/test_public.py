"""The public names: what type checkers see is what there is."""
from __future__ import annotations

import ast
from pathlib import Path

import pytest

import halfspace

SOURCE = Path(halfspace.__file__)


def declared():
    """The names under TYPE_CHECKING."""
    for node in ast.parse(SOURCE.read_text()).body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            for part in node.body:
                if isinstance(part, ast.ImportFrom):
                    yield from (name.name for name in part.names)
                elif isinstance(part, ast.AnnAssign):
                    yield part.target.id


def test_declared_names_are_the_public_ones():
    errors = {name for name in halfspace.__all__ if name in vars(halfspace) and name.endswith(("Error", "Cancelled"))}
    assert set(declared()) | errors >= set(halfspace.__all__)
    assert set(declared()) <= set(halfspace.__all__)


@pytest.mark.parametrize("name", sorted(halfspace.__all__))
def test_every_name_exists_and_is_described(name):
    found = getattr(halfspace, name)
    assert name == "__version__" or (found.__doc__ and len(found.__doc__.strip()) > 10)
    assert name in dir(halfspace)


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'LogisticRegresion'"):
        halfspace.LogisticRegresion  # noqa: B018


def test_typed():
    assert (SOURCE.parent / "py.typed").exists()
