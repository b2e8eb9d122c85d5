#!/usr/bin/env python3
"""docs/reports.txt against real reports, and docs/reports.md against it:
check_reports.py [--pictures] PROGRAM [LIBRARY [PLOT LIBRARY]]

Runs the program with --json, and the calls of the library, over small data; every member that occurs must be in the table
with a kind that fits, and every line of the table must occur. Then faults are planted in the table, and each must be found.
Without --pictures no plots and films are made; without both libraries (Python cannot load sanitized ones) lines of the table
may stay without a report. Prints TAP.
"""
import re
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

sys.dont_write_bytecode = True
from compare import compare_all
from library import library_reports
from runs import program_reports

DOCS = Path(__file__).resolve().parents[2] / "docs"


def without(pattern):
    return lambda text: re.sub(pattern + r"\n", "", text, count=1, flags=re.M)


def instead(old, new):
    return lambda text: text.replace(old, new, 1)


# A change of the table, and what must then be among the faults.
PLANTED = [
    ("a member of train is missing in the table", without(r"^stop_reason  text  Why the run.*"), "train.stop_reason: not in the table"),
    ("a member deep inside is missing", without(r"^support\.vectors .*"), "svm.support.vectors: not in the table"),
    ("a member has another name", instead("margin_width  number", "street  number"), "svm.street: always present"),
    ("a member that no report has", instead("checksum  text  ", "nothing  text~  Nothing.\nchecksum  text  "), "model: nothing: no report has it"),
    ("a number is called a text", instead("\nepochs  number?  Passes", "\nepochs  text?  Passes"), "epochs: text by the table"),
    ("a vector is called a matrix", instead("fpr  array  False", "fpr  matrix  False"), "fpr: matrix by the table"),
    ("a null is not allowed for", instead("dual_bound  number?  A lower bound of P, from a dual point; ", "dual_bound  number  A "), "train.dual_bound: number by the table"),
    ("an absent member is not allowed for", instead("delta  number~", "delta  number"), "train.delta: always present"),
    ("a null that never occurs", instead("converged  flag  Whether the solver", "converged  flag?  Whether the solver"), "converged: never null"),
    ("an absence that never occurs", instead("algorithm  text  ", "algorithm  text~  "), "algorithm: never absent"),
    ("a kind that never occurs", instead("algorithm  text  ", "algorithm  text or number  "), "algorithm: no report has it as number"),
    ("a reason for a member that occurs", instead("rows  number  Rows.\n", "rows  number  Rows.\n! none\n"), "rows: occurs, although"),
    ("a section is missing", lambda text: text.replace("== halfspace version", "== halfspace versions"), "halfspace version: no such section"),
]


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def test(self, name, faults):
        self.count += 1
        self.failed += bool(faults)
        print("not ok" if faults else "ok", self.count, "-", name)
        for fault in faults:
            print("#", fault)


def load_table():
    """The functions of docs/make-reports."""
    loader = SourceFileLoader("make_reports", str(DOCS / "make-reports"))
    module = module_from_spec(spec_from_loader("make_reports", loader))
    sys.modules["make_reports"] = module
    loader.exec_module(module)
    return module


def collect(program, core, plot, pictures):
    with tempfile.TemporaryDirectory() as folder:
        found = list(program_reports(program, folder, pictures))
        if core:
            found += library_reports(core, plot, folder)
    return found


def main(arguments):
    pictures = "--pictures" in arguments
    files = [str(Path(a).resolve()) for a in arguments if a != "--pictures"]
    program, core, plot = (files + [None, None])[:3]
    table = load_table()
    text, tap = table.TABLE.read_text(), Tap()
    page = table.PAGE.read_text()
    tap.test("the page is that of the table", [] if page == table.page(text) else ["run docs/make-reports"])
    tap.test("found: the page of another table", [] if page != table.page(PLANTED[0][1](text)) else ["it is the same page"])
    reports = collect(program, core, plot, pictures)
    faults = compare_all(table, text, reports)
    whole = pictures and plot
    tap.test(f"{len(reports)} reports have the members of the table",
             [f for f in faults if whole or not f.startswith("docs/reports.txt:")])
    for name, change, wanted in PLANTED if whole and not faults else []:
        found = any(wanted in fault for fault in compare_all(table, change(text), reports))
        tap.test(f"found: {name}", [] if found else [f"no fault says '{wanted}'"])
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
