"""The other toolkits: which of them are here, and how one run of each is timed."""
import os
import shutil
import subprocess

from timing import run

PACKAGES = ["liblinear-tools", "libsvm-tools", "python3-sklearn", "python3-pandas", "python3-cairo", "zstd"]  # of Debian
NAMES = ("liblinear", "libsvm", "sklearn", "numpy", "pandas")
PYTHON = "/usr/bin/python3"  # the one that Debian's packages are for
# A peer in Python times itself, so that starting Python and importing do not count.
IN_PYTHON = """import sys, time
{setup}
began = time.perf_counter()
{work}
print(time.perf_counter() - began)"""
SKLEARN = IN_PYTHON.format(setup="from sklearn.datasets import load_svmlight_file", work="load_svmlight_file(sys.argv[1])")
LOADTXT = IN_PYTHON.format(setup="import numpy", work="numpy.loadtxt(sys.argv[1], delimiter=',', skiprows=1)")
LOAD = IN_PYTHON.format(setup="import numpy", work="numpy.load(sys.argv[1])")
PANDAS = IN_PYTHON.format(setup="import pandas", work="pandas.read_csv(sys.argv[1], header=None if sys.argv[2] == 'bare' else 0)")
# An array of so many rows and columns, the last one a label: FILE ROWS COLUMNS.
MAKE_NPY = """import sys, numpy
rows, columns = int(sys.argv[2]), int(sys.argv[3])
table = numpy.random.default_rng(1).standard_normal((rows, columns))
table[:, -1] = numpy.arange(rows) % 2
numpy.save(sys.argv[1], table)"""


def find_peers():
    """Those of NAMES that are here."""
    found = {"libsvm"} if shutil.which("svm-train") else set()
    found |= {"liblinear"} if shutil.which("liblinear-train") and shutil.which("liblinear-predict") else set()
    for module in ("sklearn", "numpy", "pandas") if os.path.exists(PYTHON) else ():
        if subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0:
            found.add(module)
    return found


def own_seconds(script, *words):
    """A peer in Python: the seconds that it prints itself."""
    return lambda: float(run([PYTHON, "-c", script, *map(str, words)])[1])
