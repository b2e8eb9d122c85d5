"""The data sets of bench/solvers, each as text, as .hsd for halfspace and as arrays for its peers."""
import os
from collections import namedtuple

from timing import run

ODD = ["1", "3", "5", "7", "9"]
DENSE_ROWS, DENSE_COLUMNS = 581012, 54
WILD = (1e6, 1e-6, 1)  # factors of columns 1, 2, 3, and again from the fourth

# hsd: for halfspace; words: options of its `train`; load: a request that gives the worker the same rows.
Set = namedtuple("Set", "name sparse hsd words load rows features nonzeros")


def column_table(bench, name, wild):
    """spambase or wdbc as `x1,...,xd,label`, the label 1 or 0; wild: columns of unlike sizes. None when it is not here."""
    found = bench.real(name)
    if not found:
        return None
    path = bench.path(f"{name}{'-wild' if wild else ''}-table.csv")
    with open(found[0], encoding="ascii") as table, open(path, "w", encoding="ascii") as out:
        for line in filter(None, map(str.strip, table)):
            cells = line.split(",")
            values, label = (cells[2:], int(cells[1] == "M")) if name == "wdbc" else (cells[:-1], cells[-1])
            sized = [float(cell) * (WILD[j % 3] if wild else 1) for j, cell in enumerate(values)]
            out.write(",".join([*map(repr, sized), str(label)]) + "\n")
    return path


def svmlight_text(bench, name):
    """A sparse set as text, or mnist odd/even written so; None when it is not here."""
    if name == "words":
        return bench.words()[0]
    if name != "mnist":
        found = bench.real(name)
        return found and found[0]
    text, table = bench.path("mnist.svm"), bench.mnist()
    if table and not os.path.exists(text):
        classes = ",".join(f"{digit}={1 if str(digit) in ODD else -1}" for digit in range(10))
        run(bench.halfspace("convert", table, text, "--target", 1, "--map-label", classes))
    return table and text


def dense_text(bench, name):
    """(path, options for reading it), or (None, ())."""
    if name == "mnist":
        return bench.mnist(), ("--target", 1)
    if name == "correlated":
        return bench.generated("correlated", DENSE_ROWS, "correlated.csv", "--features", DENSE_COLUMNS), ()
    return column_table(bench, name.split("-")[0], name.endswith("-wild")), ()


SPARSE = ("a9a", "reuters", "news20bi", "words")
DENSE = ("mnist", "spambase", "wdbc", "spambase-wild", "wdbc-wild", "correlated")
NAMES = (*SPARSE, *DENSE)


def rows_file(bench, name):
    """(text, .hsd) of a set; None when it is not here."""
    text, words = (svmlight_text(bench, name), ()) if name in SPARSE else dense_text(bench, name)
    if not text:
        return None
    hsd = bench.path(name + ".hsd")
    run(bench.halfspace("convert", text, hsd, *words))
    return text, hsd


def words_of(name):
    """Options of `train` for a set."""
    return ("--positive", ",".join(ODD)) if name == "mnist" else ()


def data_set(bench, name, opponent):
    """A Set, made at the first call, and loaded by the opponent; None when it is not here."""
    if ("set", name) in bench.kept:
        return bench.kept["set", name]
    found = rows_file(bench, name)
    bench.kept["set", name] = None
    if found:
        text, hsd = found
        array = bench.path(name + ".npy")
        load = {"do": "load", "svmlight": text} if name in SPARSE else {"do": "load", "array": array}
        if name in DENSE:
            run(bench.halfspace("convert", hsd, array))
        if name == "mnist":
            load["positive"] = [int(digit) for digit in ODD]
        size = opponent.load(load)
        bench.kept["set", name] = Set(name, name in SPARSE, hsd, words_of(name), load, **size)
    return bench.kept["set", name]
