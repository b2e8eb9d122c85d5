"""What a notebook or a terminal shows: the certificate of an estimator, and the progress of a fit."""
from __future__ import annotations

import html
import math
import sys
import time
from collections.abc import Mapping
from typing import Any, Optional, TextIO

__all__ = ["NotebookMixin", "ProgressBar", "certificate_html", "certificate_sentence"]

# ---- certificates ----


def _figure(value: Any) -> str:
    return "unknown" if value is None or value != value else f"{value:.7g}"


def certificate_sentence(certificate: Optional[Mapping[str, Any]]) -> str:
    """What a certificate says, in one sentence."""
    if certificate is None:
        return "There is no certificate: no dual bound is known for this problem."
    gap, tolerance = certificate["relative_gap"], certificate["tolerance"]
    if not certificate["verified"]:
        return (f"The tolerance was missed: the objective is at most {gap:.2g} (relative) above the optimum, which is more "
                f"than the tolerance of {tolerance:.2g}.")
    if gap <= 0:
        return f"The objective is optimal: it equals the dual bound (tolerance {tolerance:.2g})."
    return f"The objective is at most {gap:.2g} (relative) above the optimum; the tolerance is {tolerance:.2g}."


def _table(certificates: list[Mapping[str, Any]]) -> str:
    """Objective, dual bound, gap and tolerance: a row for each problem."""
    heads = ("objective", "dual bound", "relative gap", "tolerance")
    rows = ([_figure(one[head.replace(" ", "_")]) for head in heads] for one in certificates)
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr></thead><tbody>{cells}</tbody></table>"


def certificate_html(estimator: Any, most: int = 10) -> str:
    """The certificate of a fitted estimator as HTML: a sentence and a small table; empty before the fit."""
    if not hasattr(estimator, "certificate_"):
        return ""
    found = estimator.certificate_
    several = found if isinstance(found, list) else [found]
    worst = max((one for one in several if one is not None), key=lambda one: one["relative_gap"], default=None)
    rows = [one for one in several if one is not None][:most]
    more = f"<p>and {len(several) - most} more</p>" if len(several) > most else ""
    return (f"<div class='halfspace-certificate'><p>{html.escape(certificate_sentence(worst))}</p>"
            f"{_table(rows) if rows else ''}{more}</div>")


class NotebookMixin:
    """Adds the certificate to what a notebook shows of an estimator; comes before the base class."""

    def _repr_mimebundle_(self, **how: Any) -> dict[str, str]:
        above: Any = getattr(super(), "_repr_mimebundle_", None)
        bundle = dict(above(**how)) if above is not None else {"text/plain": repr(self)}
        certificate = certificate_html(self)
        if certificate:
            bundle["text/html"] = bundle.get("text/html", f"<pre>{html.escape(repr(self))}</pre>") + certificate
        return bundle

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_().get("text/html", f"<pre>{html.escape(repr(self))}</pre>")


# ---- progress ----


def _in_notebook() -> bool:
    """Whether output goes to a notebook that can update what it shows."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class ProgressBar:
    """Shows how a fit goes: called with every line of the trace, and closed at the end.

    In a notebook it is a bar, on a terminal a line that is written over, elsewhere a plain line every few seconds.

    Parameters
    ----------
    title : str
        What is fitted.
    tolerance : float, optional
        The relative gap at which the fit ends.
    stream : file, optional
        Where text goes; stderr by default.
    """

    def __init__(self, title: str, tolerance: Optional[float] = None, stream: Optional[TextIO] = None) -> None:
        self.title, self.tolerance = title, tolerance
        self.stream = stream if stream is not None else sys.stderr
        self.line: Any = None
        self._display: Any = None
        self._shown, self._width, self._first_gap = 0.0, 0, math.nan
        self._notebook = stream is None and _in_notebook()
        self._terminal = not self._notebook and self.stream is not None and self.stream.isatty()
        self._interval = 0.1 if self._notebook or self._terminal else 5.0
        self._begun = time.monotonic()

    def __call__(self, line: Any) -> None:
        self.line = line
        if line.relative_gap == line.relative_gap and not self._first_gap >= line.relative_gap:
            self._first_gap = line.relative_gap
        now = time.monotonic()
        if now - max(self._shown, self._begun) >= self._interval:
            self._shown = now
            self._show()

    def share(self) -> float:
        """The part of the work that is done: of the epochs, or of the decades of the gap, whichever is more."""
        line = self.line
        part = line.epoch / line.max_epochs if line.max_epochs > 0 else 0.0
        if self.tolerance and line.relative_gap > 0 and self._first_gap > self.tolerance:
            decades = math.log(self._first_gap / line.relative_gap) / math.log(self._first_gap / self.tolerance)
            part = max(part, decades)
        return (line.problem + min(max(part, 0.0), 1.0)) / max(1, line.problems)

    def text(self) -> str:
        """The state of the fit in words."""
        line = self.line
        if line.method == "folds":
            return f"{self.title}: fold {min(line.problem + 1, line.problems)}/{line.problems}, {line.seconds:.1f} s"
        several = f" {line.problem + 1}/{line.problems}" if line.problems > 1 else ""
        gap = "" if line.relative_gap != line.relative_gap else f", gap {line.relative_gap:.1e}"
        return f"{self.title}{several}: epoch {line.epoch}, objective {line.objective:.6g}{gap}, {line.seconds:.1f} s"

    def _show(self) -> None:
        if self._notebook:
            self._show_html()
        elif self._terminal:
            done = round(20 * self.share())
            text = f"[{'#' * done}{'.' * (20 - done)}] {self.text()}"
            self.stream.write("\r" + text.ljust(self._width))
            self.stream.flush()
            self._width = len(text)
        else:
            self.stream.write(self.text() + "\n")

    def _show_html(self) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found, unused-ignore]

        shown = HTML(f"<div><progress value='{self.share():.3f}' max='1'></progress> {html.escape(self.text())}</div>")
        if self._display is None:
            self._display = display(shown, display_id=True)
        else:
            self._display.update(shown)

    def close(self) -> None:
        """Show the last line."""
        if self.line is None or self.stream is None:
            return
        self._show()
        if self._terminal:
            self.stream.write("\n")
            self.stream.flush()
        self.line = None
