"""LIBLINEAR's library, called in place: the solver alone, without reading or writing files. Needs NumPy and SciPy."""
import ctypes
import ctypes.util
import time

import numpy

NODE = numpy.dtype([("index", "i4"), ("pad", "i4"), ("value", "f8")])  # feature_node
NAMES = ("liblinear.so.4", "liblinear.so.3", "liblinear.so")
DOUBLES, INTS = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int)
PRINT = ctypes.CFUNCTYPE(None, ctypes.c_char_p)


class Problem(ctypes.Structure):
    _fields_ = [("rows", ctypes.c_int), ("columns", ctypes.c_int), ("y", DOUBLES), ("x", ctypes.c_void_p),
                ("bias", ctypes.c_double)]


class Parameter(ctypes.Structure):  # up to 2.3x
    _fields_ = [("solver", ctypes.c_int), ("eps", ctypes.c_double), ("C", ctypes.c_double), ("weights", ctypes.c_int),
                ("weight_label", INTS), ("weight", DOUBLES), ("p", ctypes.c_double), ("start", DOUBLES)]


class Model(ctypes.Structure):
    _fields_ = [("parameter", Parameter), ("classes", ctypes.c_int), ("features", ctypes.c_int), ("w", DOUBLES),
                ("label", INTS), ("bias", ctypes.c_double)]


class NewerParameter(ctypes.Structure):  # from 2.40
    _fields_ = [*Parameter._fields_[:7], ("nu", ctypes.c_double), ("start", DOUBLES), ("penalise_bias", ctypes.c_int)]


class NewerModel(ctypes.Structure):
    _fields_ = [("parameter", NewerParameter), *Model._fields_[1:], ("rho", ctypes.c_double)]


class Unusable(Exception):
    """The library is not here, or not as its structures are known here."""


class Rows:
    """Rows as the library wants them, one after another: (column, value) from 1, the bias as one more column, -1."""

    def __init__(self, x, y, bias):
        rows, columns = x.shape
        count, extra = numpy.diff(x.indptr), 2 if bias >= 0 else 1
        start = x.indptr[:-1].astype(numpy.int64) + extra * numpy.arange(rows)
        self.nodes, self.y = numpy.zeros(x.nnz + extra * rows, dtype=NODE), numpy.ascontiguousarray(y, dtype=float)
        at = numpy.arange(x.nnz) + extra * numpy.repeat(numpy.arange(rows), count)
        self.nodes["index"][at], self.nodes["value"][at] = x.indices + 1, x.data
        if bias >= 0:
            self.nodes["index"][start + count], self.nodes["value"][start + count] = columns + 1, bias
        self.nodes["index"][start + count + extra - 1] = -1
        self.pointers = (self.nodes.ctypes.data + NODE.itemsize * start).astype(numpy.uint64)
        self.problem = Problem(rows, columns + extra - 1, self.y.ctypes.data_as(DOUBLES), self.pointers.ctypes.data, bias)


class Library:
    def __init__(self):
        self.library = self.find()
        try:
            self.version = ctypes.c_int.in_dll(self.library, "liblinear_version").value
        except ValueError as missing:
            raise Unusable("LIBLINEAR's library does not say its version") from missing
        if self.version < 210:
            raise Unusable(f"LIBLINEAR {self.version / 100:.2f} is not known here: 2.10 or later is needed")
        self.parameter, model = (Parameter, Model) if self.version < 240 else (NewerParameter, NewerModel)
        self.library.train.restype = ctypes.POINTER(model)
        self.said = []
        self.listener = PRINT(self.said.append)  # kept, since the library holds on to it
        self.library.set_print_string_function(self.listener)
        self.library.free_and_destroy_model.argtypes = [ctypes.POINTER(ctypes.POINTER(model))]
        self.random = ctypes.CDLL(None)
        self.check()

    @staticmethod
    def find():
        for name in (*NAMES, ctypes.util.find_library("linear")):
            try:
                return ctypes.CDLL(name) if name else None
            except OSError:
                pass
        raise Unusable("LIBLINEAR's library is not here")

    def check(self):
        """min w^2/2 + 2 (1-w)^2 is at w = 0.8: whether the structures here are those of this version."""
        import scipy.sparse
        rows = Rows(scipy.sparse.csr_matrix([[1.0], [-1.0]]), [1, -1], -1)
        if abs(self.train(rows, 2, 1, 1e-9)["w"][0] - 0.8) > 1e-3:
            raise Unusable(f"LIBLINEAR {self.version / 100:.2f} is not laid out as expected")

    def train(self, rows, solver, C, eps):
        """Seconds, weights (the bias last), and whether it gave up at its own limit of iterations."""
        words = self.parameter(solver=solver, eps=eps, C=C, p=0.1)
        if self.version >= 240:
            words.penalise_bias = 1
        self.said.clear()
        self.random.srand(1)  # the same order of rows every time
        began = time.perf_counter()
        found = self.library.train(ctypes.byref(rows.problem), ctypes.byref(words))
        seconds = time.perf_counter() - began
        w = numpy.array(found.contents.w[:rows.problem.columns])
        w = w if found.contents.label[0] == 1 else -w
        self.library.free_and_destroy_model(ctypes.byref(found))
        return {"seconds": seconds, "w": w, "gave_up": any(b"max number of iterations" in line for line in self.said)}
