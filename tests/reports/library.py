"""Reports of the library's calls, read through ctypes with the getters of halfspace.h, as docs/reports.md shows it."""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p

NULL, FLAG, NUMBER, TEXT, ARRAY, LIST, OBJECT = range(1, 8)


class Array(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("data", POINTER(c_double)), ("dtype", c_int32), ("ndim", c_int32),
                ("shape", c_int64 * 2), ("strides", c_int64 * 2)]


PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)


class Hooks(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("user", c_void_p), ("progress", PROGRESS), ("log", c_void_p), ("update", c_void_p)]


GETTERS = {
    "hsp_report_kind": (c_int, c_void_p, c_char_p),
    "hsp_report_number": (c_double, c_void_p, c_char_p),
    "hsp_report_flag": (c_int, c_void_p, c_char_p),
    "hsp_report_text": (c_char_p, c_void_p, c_char_p),
    "hsp_report_array": (c_int, c_void_p, c_char_p, POINTER(Array), c_void_p),
    "hsp_report_name": (c_char_p, c_void_p),
    "hsp_report_next": (c_void_p, c_void_p, c_void_p),
    "hsp_report_free": (None, c_void_p),
    "hsp_error_message": (c_char_p, c_void_p),
}


def number(value):
    """NaN stands for null."""
    return None if value != value else value


class Library:
    def __init__(self, core, plot=None):
        self.core = ctypes.CDLL(core, mode=ctypes.RTLD_GLOBAL)
        self.plot = ctypes.CDLL(plot) if plot else None
        for name, (result, *arguments) in GETTERS.items():
            getter = getattr(self.core, name)
            getter.restype, getter.argtypes = result, arguments
            setattr(self, name, getter)

    def call(self, name, *arguments, library=None):
        """A call that can fail: its outputs, given as None, and the error come last but for the arguments after them."""
        error = c_void_p()
        out = [c_void_p() for a in arguments if a is Ellipsis]
        fresh = iter(out)
        given = [byref(next(fresh)) if a is Ellipsis else a for a in arguments]
        status = getattr(library or self.core, name)(*given, byref(error))
        if status:
            raise RuntimeError(f"{name}: {self.hsp_error_message(error).decode()}")
        return out[0] if len(out) == 1 else out

    def options(self, **values):
        o = self.call("hsp_options_new", ...)
        for name, value in values.items():
            self.call("hsp_options_set", o, name.replace("_", "-").encode(), str(value).encode())
        return o

    def values(self, report):
        """A report as Python values, its hidden members included."""
        kind = self.hsp_report_kind(report, None)
        if kind == NULL:
            return None
        if kind == FLAG:
            return self.hsp_report_flag(report, None) == 1
        if kind == NUMBER:
            return self.hsp_report_number(report, None)
        if kind == TEXT:
            return self.hsp_report_text(report, None).decode()
        if kind == ARRAY:
            return self.numbers(report)
        items, item = [], self.hsp_report_next(report, None)
        while item:
            items.append((self.hsp_report_name(item), self.values(item)))
            item = self.hsp_report_next(report, item)
        return {name.decode(): value for name, value in items} if kind == OBJECT else [value for _, value in items]

    def numbers(self, report):
        a = Array(size=ctypes.sizeof(Array))
        if self.hsp_report_array(report, None, byref(a), None):
            raise RuntimeError("an array that cannot be read")
        rows, columns = a.shape[0], a.shape[1] if a.ndim == 2 else 1
        flat = [number(a.data[i]) for i in range(rows * columns)]
        return flat if a.ndim == 1 else [flat[i * columns:(i + 1) * columns] for i in range(rows)]

    def take(self, report):
        found = self.values(report)
        self.hsp_report_free(report)
        return found


def training_reports(lib, folder):
    """hsp_train and what is done with its models: (model, data) for the studies."""
    made = {}
    for name, data, options in [("two", "squares.csv", {}), ("three", "three.csv", {"algorithm": "lda"}),
                                ("line", "linear.csv", {"algorithm": "ridge", "task": "regression"}),
                                ("means", "squares.csv", {"algorithm": "fisher"})]:
        o = lib.options(**options)
        rows = lib.call("hsp_data_read", f"{folder}/{data}".encode(), o, None, ...)
        model, report = lib.call("hsp_train", rows, o, None, ..., ...)
        yield "train", lib.take(report)
        yield "data", lib.take(lib.call("hsp_data_report", rows, ...))
        yield "model", lib.take(lib.call("hsp_model_report", model, ...))
        yield "evaluate", lib.take(lib.call("hsp_evaluate", model, rows, o, None, ...))
        yield "inspect", lib.take(lib.call("hsp_inspect", rows, o, None, ...))
        made[name] = (model, rows, o)
    model, rows, o = made["two"]
    yield "verify", lib.take(lib.call("hsp_verify", model, rows, None, o, None, ...))
    out = f"{folder}/out.csv".encode()
    yield "predict", lib.take(lib.call("hsp_predict", model, f"{folder}/squares.csv".encode(), out, o, None, ...))
    yield "moments", lib.take(lib.call("hsp_model_moments", made["means"][0], ...))
    proof = lib.call("hsp_separability", rows, o, None, ...)
    yield "verify_separability", lib.take(lib.call("hsp_verify_separability", proof, rows, o, ...))
    yield "separability", lib.take(proof)
    yield from study_reports(lib, folder, made)


def cancelled_reports(lib, folder):
    """Runs that a hook stops at once: problems that were never begun."""
    stop = PROGRESS(lambda user, progress: 1)
    hooks = Hooks(size=ctypes.sizeof(Hooks), progress=stop)
    for algorithm in ["svm", "perceptron", "logistic", "gradient-descent"]:
        o = lib.options(algorithm=algorithm, multiclass="ovr") if algorithm == "logistic" else lib.options(algorithm=algorithm)
        rows = lib.call("hsp_data_read", f"{folder}/three.csv".encode(), o, None, ...)
        model, report = lib.call("hsp_train", rows, o, byref(hooks), ..., ...)
        yield "train", lib.take(report)
        yield "model", lib.take(lib.call("hsp_model_report", model, ...))


def study_reports(lib, folder, made):
    quick = lib.options(lambdas="0.1,1", bootstraps=3, repeats=2, folds=3)
    line = lib.options(lambdas="0.1,1", bootstraps=3, repeats=2, folds=3, algorithm="ridge", task="regression")
    for kind in ["scores", "projection", "roc", "pr", "calibration", "confusion", "plane", "regions"]:
        model, rows, o = made["two"]
        yield f"study {kind}", lib.take(lib.call("hsp_study_run", kind.encode(), model, rows, o, None, ...))
    for kind in ["lambda", "bias-variance", "learning-curve", "path"]:
        for name, o in [("two", quick), ("line", line)]:
            yield f"study {kind}", lib.take(lib.call("hsp_study_run", kind.encode(), None, made[name][1], o, None, ...))
    for name, o in [("two", quick), ("line", line)]:
        yield "cross-validate", lib.take(lib.call("hsp_cross_validate", made[name][1], o, None, None, ...))
    for name, only in [("two", b"majority,lda,logistic,hard-svm"), ("line", b"majority,ridge")]:
        o = lib.options(folds=2, algorithm="auto", only=only.decode())
        model, report = lib.call("hsp_compare", made[name][1], o, None, ..., ...)
        yield "compare", lib.take(report)
        yield "model", lib.take(lib.call("hsp_model_report", model, ...))
        yield "compare", lib.take(lib.call("hsp_compare", made[name][1], o, None, None, ...))
    generated = lib.call("hsp_data_generate", b"squares", None, ...)
    yield "cross-validate", lib.take(lib.call("hsp_cross_validate", generated, None, None, None, ...))
    for name, o in [("two", lib.options(steps=3, folds=3)), ("line", lib.options(steps=3, task="regression"))]:
        yield "path", lib.take(lib.call("hsp_path", made[name][1], o, None, ...))
        yield "study path", lib.take(lib.call("hsp_study_run", b"path", None, made[name][1], o, None, ...))
    model, rows, o = made["line"]
    yield "study residuals", lib.take(lib.call("hsp_study_run", b"residuals", model, rows, o, None, ...))
    o = lib.options(loss="logistic")
    rows = lib.call("hsp_data_read", f"{folder}/far.csv".encode(), o, None, ...)
    line = lib.options(target="x2", task="regression", algorithm="ridge")
    numbers = lib.call("hsp_data_read", f"{folder}/plain.csv".encode(), line, None, ...)
    model, report = lib.call("hsp_train", numbers, line, None, ..., ...)
    yield "train", lib.take(report)
    yield "study regions", lib.take(lib.call("hsp_study_run", b"regions", model, numbers, line, None, ...))
    yield "study descent", lib.take(lib.call("hsp_study_run", b"descent", None, rows, o, None, ...))
    yield "study losses", lib.take(lib.call("hsp_study_run", b"losses", None, None, None, None, ...))
    yield "study trace", lib.take(lib.call("hsp_study_read_trace", f"{folder}/svm-trace.csv".encode(), ...))


def data_reports(lib, folder):
    """Data of every storage, and demonstration data."""
    for file, values in [("words.svm", {}), ("words.hsd", {}), ("table.csv", {"weight": "w", "missing": "mean"}),
                         ("unlabelled.svm", {}), ("plain.csv", {"target": "x2", "task": "regression"})]:
        rows = lib.call("hsp_data_read", f"{folder}/{file}".encode(), lib.options(**values), None, ...)
        yield "data", lib.take(lib.call("hsp_data_report", rows, ...))
    x, labels = (c_double * 4)(1, 2, 3, 4), (c_char_p * 2)(b"a", b"b")
    rows = lib.call("hsp_data_from_dense", x, c_int64(2), c_int64(2), c_int64(2), labels, None, ...)
    model, report = lib.call("hsp_train", rows, lib.options(), None, ..., ...)
    yield "train", lib.take(report)
    yield "evaluate", lib.take(lib.call("hsp_evaluate", model, rows, lib.options(), None, ...))
    lib.call("hsp_data_set_weights", rows, x)
    yield "inspect", lib.take(lib.call("hsp_inspect", rows, lib.options(), None, ...))
    yield "path", lib.take(lib.call("hsp_path", rows, lib.options(steps=3), None, ...))
    yield "data", lib.take(lib.call("hsp_data_report", rows, ...))
    for kind in [b"squares", b"linear"]:
        out = f"{folder}/made.csv".encode()
        yield "generate", lib.take(lib.call("hsp_data_generate_file", kind, lib.options(), out, ...))
    for what in ["algorithms", "losses", "penalties", "solvers", "generators", "options"]:
        yield f"list of {what}", lib.take(lib.call("hsp_list", what.encode(), ...))


def plot_reports(lib, folder):
    """Figures and films; nothing without the second library."""
    if not lib.plot:
        return
    o = lib.options(algorithm="perceptron", frames=3)
    rows = lib.call("hsp_data_read", f"{folder}/far.csv".encode(), o, None, ...)
    film = f"{folder}/film.apng".encode()
    yield "film", lib.take(lib.call("hsp_film", rows, o, None, film, ..., library=lib.plot))
    page = lib.options(only="majority,lda,svm,hard-svm", folds=3, model=f"{folder}/page.hsm")
    rows = lib.call("hsp_data_read", f"{folder}/moons.csv".encode(), page, None, ...)
    out = f"{folder}/page.html".encode()
    yield "page", lib.take(lib.call("hsp_plot_page", rows, page, None, out, ..., library=lib.plot))
    line = lib.options(algorithm="nearest-mean")
    yield "page", lib.take(lib.call("hsp_plot_page", rows, line, None, out, ..., library=lib.plot))
    line = lib.options(algorithm="ridge", task="regression")
    rows = lib.call("hsp_data_read", f"{folder}/linear.csv".encode(), line, None, ...)
    yield "page", lib.take(lib.call("hsp_plot_page", rows, line, None, out, ..., library=lib.plot))
    yield "charts", lib.take(lib.call("hsp_plot_list", ..., library=lib.plot))
    figure = lib.call("hsp_figure_new", b"losses", lib.options(), ..., library=lib.plot)
    lib.call("hsp_figure_draw", figure, f"{folder}/losses.svg".encode(), None, library=lib.plot)
    yield "figure", lib.take(lib.call("hsp_figure_report", figure, ..., library=lib.plot))


def library_reports(core, plot, folder):
    """All reports; the folder has the files of runs.py."""
    lib = Library(core, plot)
    yield from training_reports(lib, folder)
    yield from cancelled_reports(lib, folder)
    yield from data_reports(lib, folder)
    yield from plot_reports(lib, folder)
