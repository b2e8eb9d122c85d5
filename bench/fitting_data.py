"""The arrays of bench/python: made once, kept as files that its workers load."""
import json
from collections import namedtuple
from pathlib import Path

import numpy

from session import REAL, data_folder
from timing import run

# small: a few rows of the same kinds, for trying the script itself
Sets = namedtuple("Sets", "program folder small")

TALL_ROWS, TALL_COLUMNS = 581012, 54


class Absent(Exception):
    """A data set is not here; the text is its name."""


def save(folder, x, y):
    """An array or a CSR matrix, and the classes or targets of its rows."""
    folder.mkdir(parents=True, exist_ok=True)
    if hasattr(x, "tocsr"):
        numpy.savez(folder / "x.npz", data=x.data, indices=x.indices, indptr=x.indptr, shape=x.shape)
    else:
        numpy.save(folder / "x.npy", x)
    numpy.save(folder / "y.npy", y)
    kind = "CSR" if hasattr(x, "tocsr") else "dense"
    about = {"rows": x.shape[0], "columns": x.shape[1], "storage": f"{kind} {x.dtype.name}", "sparse": kind == "CSR",
             "single": x.dtype == numpy.float32}
    (folder / "about.json").write_text(json.dumps(about), encoding="ascii")


def load(folder):
    """(x, y)"""
    folder = Path(folder)
    y = numpy.load(folder / "y.npy")
    if (folder / "x.npy").exists():
        return numpy.load(folder / "x.npy"), y
    import scipy.sparse
    arrays = numpy.load(folder / "x.npz")
    return scipy.sparse.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), arrays["shape"]), y


def find_real(name):
    """The file of a real set."""
    found = data_folder() / REAL[name]
    if not found.exists():
        raise Absent(name)
    return found


# ---- the sets ----

def mnist_pixels(sets):
    """Digits and pixels, from 0 to 1 in single precision."""
    whole = sets.folder / "mnist.npy"
    if not whole.exists():
        run([sets.program, "convert", str(find_real("mnist")), str(whole), "--target", "1", "--quiet"])
    table = numpy.load(whole)[:600 if sets.small else None]
    return numpy.ascontiguousarray(table[:, :-1] / 255, dtype=numpy.float32), table[:, -1]


def mnist_odd(sets):
    x, digits = mnist_pixels(sets)
    return x, (digits % 2).astype(numpy.int64)


def mnist_digits(sets):
    x, digits = mnist_pixels(sets)
    return x[:10000], digits[:10000].astype(numpy.int64)


def mnist_number(sets):
    return mnist_pixels(sets)


def tall(sets):
    """Many rows of few correlated columns, in single precision."""
    rows, file = 2000 if sets.small else TALL_ROWS, sets.folder / f"tall-{sets.small:d}.npy"
    if not file.exists():
        run([sets.program, "generate", "correlated", "--rows", str(rows), "--features", str(TALL_COLUMNS), "-o", str(file), "--quiet"])
    table = numpy.load(file)
    return numpy.ascontiguousarray(table[:, :-1], dtype=numpy.float32), (table[:, -1] > 0).astype(numpy.int64)


def tall_number(sets):
    """The same rows with a linear target."""
    x, _ = tall(sets)
    random = numpy.random.default_rng(2)
    return x, x.astype(numpy.float64) @ random.standard_normal(x.shape[1]) + random.standard_normal(x.shape[0])


def tall_classes(sets):
    """Five classes by the largest of five linear scores with noise."""
    x = tall(sets)[0][:100000]
    random = numpy.random.default_rng(3)
    scores = x @ random.standard_normal((x.shape[1], 5)) + 2 * random.gumbel(size=(x.shape[0], 5))
    return numpy.ascontiguousarray(x), scores.argmax(axis=1)


def text(sets, name):
    """A real set of sparse rows, in double precision."""
    import io

    from sklearn.datasets import load_svmlight_file
    plain = run(["zstd", "-q", "-d", "-c", str(find_real(name))])[1]
    x, y = load_svmlight_file(io.BytesIO(b"".join(plain.splitlines(True)[:500]) if sets.small else plain))
    return x, (y > 0).astype(numpy.int64)


def sparse_effects(sets, rows, columns):
    """Normal columns, a tenth of which have an effect, in double precision."""
    if sets.small:
        rows, columns = rows // 10, columns // 10
    random = numpy.random.default_rng(4)
    x = random.standard_normal((rows, columns))
    w = random.standard_normal(columns) * (random.random(columns) < 0.1)
    return x, x @ w + 2 * random.standard_normal(rows)


def iris(sets):
    x, y = [], []
    found = data_folder() / "iris" / "iris.csv"
    if not found.exists():
        raise Absent("iris")
    for line in found.read_text(encoding="utf-8").split():
        *cells, label = line.split(",")
        try:
            x.append([float(cell) for cell in cells])
        except ValueError:
            continue  # the header
        y.append(label)
    return numpy.array(x), numpy.unique(y, return_inverse=True)[1]


MAKERS = {"mnist odd/even": mnist_odd, "mnist digits": mnist_digits, "mnist number": mnist_number, "581k x 54": tall,
          "581k x 54 number": tall_number, "100k x 54": tall_classes, "news20bi": lambda sets: text(sets, "news20bi"),
          "reuters": lambda sets: text(sets, "reuters"), "10000 x 1000": lambda sets: sparse_effects(sets, 10000, 1000),
          "1000 x 2000": lambda sets: sparse_effects(sets, 1000, 2000), "iris": iris}


def prepare(sets, name):
    """(folder, what is known of it), made when it is not there."""
    folder = sets.folder / ("small " * sets.small + name).replace("/", "-").replace(" ", "-")
    about = folder / "about.json"
    if not about.exists():
        save(folder, *MAKERS[name](sets))
    return folder, json.loads(about.read_text(encoding="ascii"))
