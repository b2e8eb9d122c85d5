"""The derivation of a fit with the numbers of the data."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ._functions import report_of, to_train
from ._inputs import options_of
from ._library import lib

__all__ = ["Explanation", "Section", "explain"]


class Section(NamedTuple):
    """A step of a derivation."""

    title: str
    text: str
    values: dict[str, Any]


class Explanation:
    """A derivation, step by step. Printed it is plain text; in a notebook, Markdown with formulas.

    Attributes
    ----------
    algorithm : str
    exists : bool
        False where there is no such model: a hard margin of classes that are not separable.
    sections : list of Section
        Each with title, text and values by name.
    """

    def __init__(self, text: dict[str, Any], markdown: dict[str, Any]) -> None:
        self.algorithm: str = text["algorithm"]
        self.exists: bool = text.get("exists") is not False
        self.sections = _sections(text)
        self._markdown = _sections(markdown)

    @property
    def text(self) -> str:
        """All sections as plain text."""
        parts = (f"{title}\n{'-' * len(title)}\n\n{text}" for title, text, _ in self.sections)
        return "\n\n".join(parts) + "\n"

    @property
    def markdown(self) -> str:
        """All sections as Markdown, with formulas in TeX."""
        return "\n\n".join(f"## {title}\n\n{text}" for title, text, _ in self._markdown) + "\n"

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        return f"Explanation({self.algorithm}: {', '.join(section.title for section in self.sections)})"

    def __iter__(self) -> Iterator[Section]:
        return iter(self.sections)

    def __len__(self) -> int:
        return len(self.sections)

    def __getitem__(self, key: int | str) -> Section:
        """A section by its position or title."""
        if isinstance(key, int):
            return self.sections[key]
        for section in self.sections:
            if section.title == key:
                return section
        raise KeyError(key)


def _sections(report: dict[str, Any]) -> list[Section]:
    return [Section(part["title"], part["text"].strip("\n"), part["values"] or {}) for part in report["sections"]]


def explain(
    X: Any, y: Any = None, algorithm: Any = "logistic", *, sample_weight: Any = None, **options: Any
) -> Explanation:
    """Train, and derive the result step by step with the numbers of the data.

    Parameters
    ----------
    X : array, sparse matrix, frame or path
        The rows.
    y : array or str, optional
        Labels or targets, or the name of their column.
    algorithm : str or estimator
        The name of an algorithm ("logistic", "fisher", "perceptron", ...), or an estimator of halfspace.
    sample_weight : array, optional
        Weights of the rows.
    **options
        Those of training and reading, by their names on the command line.

    Returns
    -------
    Explanation
        Its sections have title, text and values.
    """
    data, values = to_train(algorithm, X, y, sample_weight, options_of(options))
    text, markdown = (report_of(lib.hsp_explain, data, values={**values, "explain-format": form}).to_dict()
                      for form in ("text", "md"))
    return Explanation(text, markdown)
