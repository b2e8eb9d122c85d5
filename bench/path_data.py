"""The rows of bench/paths, as arrays and as the file that halfspace reads."""
import subprocess

import numpy
import scipy.sparse

from session import REAL, data_folder

NAMES = ("reuters", "a9a", "normal")


class Absent(Exception):
    """A data set that is not here."""


def normal():
    """1,000 rows of 2,000 normal columns, 40 of which decide the class."""
    random = numpy.random.default_rng(1)
    x, w = random.standard_normal((1000, 2000)), numpy.zeros(2000)
    w[:40] = random.standard_normal(40)
    return x, (x @ w + 2 * random.standard_normal(1000) > 0).astype(numpy.int64)


def real(name, folder):
    from sklearn.datasets import load_svmlight_file
    found, path = data_folder() / REAL[name], folder / f"{name}.svm"
    if not found.exists():
        raise Absent(name)
    subprocess.run(["zstd", "-q", "-d", "-f", str(found), "-o", str(path)], check=True)
    x, y = load_svmlight_file(str(path))
    return x.tocsc(), (y > 0).astype(numpy.int64)


def make(name, folder, program):
    """(x, y of 0 and 1, the .hsd file); also left for the peers in the folder."""
    x, y = normal() if name == "normal" else real(name, folder)
    path = folder / f"{name}.hsd"
    if name == "normal":
        numpy.save(folder / "x.npy", x)
        numpy.save(folder / "y.npy", y)
        source = [str(folder / "x.npy"), "--labels", str(folder / "y.npy")]
    else:
        source = [str(folder / f"{name}.svm")]
    subprocess.run([program, "convert", *source, str(path), "--quiet"], check=True)
    if scipy.sparse.issparse(x):
        scipy.sparse.save_npz(folder / "rows.npz", x)
        x.data.tofile(folder / "value.bin")
        x.indices.astype(numpy.int32).tofile(folder / "row.bin")
        x.indptr.astype(numpy.int32).tofile(folder / "start.bin")
    else:
        numpy.asfortranarray(x).T.tofile(folder / "value.bin")
    y.astype(numpy.int32).tofile(folder / "y.bin")
    return x, y, path
