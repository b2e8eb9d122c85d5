"""What a fit needs beside its array: fitting_memory.py FOLDER DATA KIND FORM

The most memory that the process held during the fit, as the kernel counted it, less what it held before, with everything loaded
by a fit of a few rows. Asked: a tenth of the array and 12 doubles a row.
"""
import gc
import sys
import warnings

import numpy

import fitting_data
from fitting_problems import Problem, least_all_zero, ours

FORMS = {"float32": lambda x: x.astype(numpy.float32, copy=False), "float64": lambda x: x.astype(numpy.float64, copy=False),
         "uint8": lambda x: numpy.rint(x * 255).astype(numpy.uint8), "columns": numpy.asfortranarray}
# The stated exceptions: the columns of L1, the packed copy of the dual solver.
EXCEPTIONS = {"lasso": "columns of L1", "squared-hinge": "packed copy of the dual", "hinge": "packed copy of the dual"}


def held(field):
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field + ":"))


def forget_peak():
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def size_of(x):
    return x.data.nbytes + x.indices.nbytes + x.indptr.nbytes if hasattr(x, "tocsr") else x.nbytes


def main():
    folder, data, kind, form = sys.argv[1:]
    warnings.simplefilter("ignore")
    x, y = fitting_data.load(folder)
    x = FORMS[form](x)
    strength = least_all_zero(x, y) / 100 if kind == "lasso" else 1e-4 if form == "uint8" else 1.0
    problem = Problem(kind, strength)
    step = max(1, x.shape[0] // 300)
    ours(problem, len(y), 1e-6).fit(x[::step], y[::step])
    gc.collect()
    forget_peak()
    before = held("VmRSS")
    ours(problem, len(y), 1e-6).fit(x, y)
    extra, asked = held("VmHWM") - before, size_of(x) / 10 + 12 * 8 * x.shape[0]
    word = "within" if extra <= asked else f"above ({EXCEPTIONS[kind]}, an exception)" if kind in EXCEPTIONS else "above"
    print(f"{kind:<14} {data:<17} {form:<9} {size_of(x) / 1e6:>9.1f} {extra / 1e6:>9.1f} {asked / 1e6:>9.1f}  {word}", flush=True)


if __name__ == "__main__":
    main()
