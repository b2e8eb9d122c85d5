"""The shared library: where it is, how its calls are declared, and how its errors become exceptions.

`lib` loads the library at the first use of a call. All calls release the global interpreter lock.
"""
from __future__ import annotations

import ctypes
import errno
import os
import re
import threading
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import Any, Callable

__all__ = [
    "ASK_HOOK", "LOG_HOOK", "PROGRESS_HOOK", "RELEASE", "Array", "Cancelled", "EngineStruct", "FileError", "HalfspaceError",
    "Hooks", "InputError",
    "InternalError", "MissingFileError", "OutOfMemoryError", "ProgressLine", "byref", "c_char_p", "c_void_p", "check",
    "invoke", "lib", "make", "plot_lib", "size_of",
]

# ---- errors ----


class HalfspaceError(Exception):
    """A call of the library failed. The message is one line: what is wrong, and what to do.

    Attributes
    ----------
    file : str or None
        The file that the error concerns.
    line, column : int
        Its place there, from 1; 0 where there is none.
    """

    file: str | None = None
    line: int = 0
    column: int = 0


class InputError(HalfspaceError, ValueError):
    """An option, an argument, data or a model file that cannot be used as it is."""


class OutOfMemoryError(HalfspaceError, MemoryError):
    """The library could not allocate memory."""


class FileError(HalfspaceError, OSError):
    """The system could not read or write."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class Cancelled(HalfspaceError):
    """The call was stopped before it had a result."""


class InternalError(HalfspaceError, RuntimeError):
    """A bug in halfspace."""


# hsp_status
_EXCEPTIONS: dict[int, type[HalfspaceError]] = {
    -1: InputError, -2: InputError, -3: FileError, -4: OutOfMemoryError, -5: Cancelled, -6: InternalError,
}

# ---- structs ----


class Array(ctypes.Structure):
    """hsp_array: a borrowed view of an array."""

    _fields_ = [
        ("size", c_size_t),
        ("data", c_void_p),
        ("dtype", c_int32),
        ("ndim", c_int32),
        ("shape", c_int64 * 2),
        ("strides", c_int64 * 2),
    ]


class ProgressLine(ctypes.Structure):
    """hsp_progress: one line of the trace."""

    _fields_ = [
        ("size", c_size_t),
        ("label", c_char_p),
        ("problem", c_int64),
        ("problems", c_int64),
        ("epoch", c_int64),
        ("max_epochs", c_int64),
        ("updates", c_int64),
        ("steps", c_int64),
        ("objective", c_double),
        ("mean_loss", c_double),
        ("error", c_double),
        ("norm", c_double),
        ("dual_bound", c_double),
        ("relative_gap", c_double),
        ("seconds", c_double),
        ("method", c_char_p),
        ("step", c_double),
    ]


# The line comes as an address: a pointer object would cost more than reading it.
PROGRESS_HOOK = CFUNCTYPE(c_int, c_void_p, c_void_p)
LOG_HOOK = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
UPDATE_HOOK = CFUNCTYPE(c_int, c_void_p, c_void_p)
RELEASE = CFUNCTYPE(None, c_void_p)


class Hooks(ctypes.Structure):
    """hsp_hooks: what a call reports while it runs."""

    _fields_ = [
        ("size", c_size_t),
        ("user", c_void_p),
        ("progress", PROGRESS_HOOK),
        ("log", LOG_HOOK),
        ("update", UPDATE_HOOK),
    ]


# user, request, its size, where to put the reply and its size, and what went wrong
ASK_HOOK = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_size_t), c_void_p)


class EngineStruct(ctypes.Structure):
    """hsp_engine: who has the parts."""

    _fields_ = [
        ("size", c_size_t),
        ("user", c_void_p),
        ("ask", ASK_HOOK),
        ("name", c_char_p),
        ("parts", c_int64),
    ]


size_of = ctypes.sizeof

# ---- calls: result, then arguments. A handle (options, data, model, report, job, figure, error) is a void pointer. ----

_H, _TEXT, _OUT, _INT = c_void_p, c_char_p, POINTER(c_void_p), c_int64
_NAMES = POINTER(c_char_p)
_ARRAY = POINTER(Array)
_HOOKS = POINTER(Hooks)

CORE_CALLS: dict[str, tuple[Any, ...]] = {
    "hsp_version": (_TEXT,),
    "hsp_version_number": (c_int,),
    "hsp_error_code": (c_int, _H),
    "hsp_error_message": (_TEXT, _H),
    "hsp_error_file": (_TEXT, _H),
    "hsp_error_line": (_INT, _H),
    "hsp_error_column": (_INT, _H),
    "hsp_error_free": (None, _H),
    "hsp_free": (None, _H),
    # reports
    "hsp_report_kind": (c_int, _H, _TEXT),
    "hsp_report_number": (c_double, _H, _TEXT),
    "hsp_report_flag": (c_int, _H, _TEXT),
    "hsp_report_text": (_TEXT, _H, _TEXT),
    "hsp_report_array": (c_int, _H, _TEXT, _ARRAY, _OUT),
    "hsp_report_count": (_INT, _H, _TEXT),
    "hsp_report_number_at": (c_double, _H, _TEXT, _INT),
    "hsp_report_text_at": (_TEXT, _H, _TEXT, _INT),
    "hsp_report_member": (_H, _H, _TEXT),
    "hsp_report_item": (_H, _H, _TEXT, _INT),
    "hsp_report_next": (_H, _H, _H),
    "hsp_report_name": (_TEXT, _H),
    "hsp_report_json": (c_int, _H, _OUT, _OUT),
    "hsp_report_parse": (c_int, _TEXT, c_size_t, _OUT, _OUT),
    "hsp_report_free": (None, _H),
    # options
    "hsp_options_new": (c_int, _OUT, _OUT),
    "hsp_options_set": (c_int, _H, _TEXT, _TEXT, _OUT),
    "hsp_options_set_double": (c_int, _H, _TEXT, c_double, _OUT),
    "hsp_options_set_int": (c_int, _H, _TEXT, _INT, _OUT),
    "hsp_options_get": (_TEXT, _H, _TEXT),
    "hsp_options_given": (c_int, _H, _TEXT),
    "hsp_options_free": (None, _H),
    "hsp_option_count": (_INT,),
    "hsp_option_field": (_TEXT, _INT, _TEXT),
    "hsp_list": (c_int, _TEXT, _OUT, _OUT),
    "hsp_cancel": (None,),
    # data
    "hsp_data_read": (c_int, _TEXT, _H, _HOOKS, _OUT, _OUT),
    "hsp_data_read_for": (c_int, _H, _TEXT, _H, _HOOKS, _OUT, _OUT),
    "hsp_data_read_arrow": (c_int, _H, _H, _HOOKS, _OUT, _OUT),
    "hsp_data_read_arrow_for": (c_int, _H, _H, _H, _HOOKS, _OUT, _OUT),
    "hsp_data_encode_for": (c_int, _H, _H, _OUT, _OUT),
    "hsp_model_reads_alike": (c_int, _H, _H),
    "hsp_data_from_dense": (c_int, _H, _INT, _INT, _INT, _H, _NAMES, _OUT, _OUT),
    "hsp_data_from_csr": (c_int, _H, _H, _H, _INT, _INT, _H, _OUT, _OUT),
    "hsp_data_view_dense": (c_int, _ARRAY, _NAMES, RELEASE, _H, _OUT, _OUT),
    "hsp_data_view_csr": (c_int, _ARRAY, _ARRAY, _ARRAY, _INT, _NAMES, RELEASE, _H, _OUT, _OUT),
    "hsp_data_view_csc": (c_int, _ARRAY, _ARRAY, _ARRAY, _INT, _NAMES, RELEASE, _H, _OUT, _OUT),
    "hsp_data_set_labels": (c_int, _H, _ARRAY, _NAMES, _INT, _OUT),
    "hsp_data_set_weights_array": (c_int, _H, _ARRAY, _OUT),
    "hsp_data_set_targets_array": (c_int, _H, _ARRAY, _OUT),
    "hsp_data_set_groups": (c_int, _H, _ARRAY, _OUT),
    "hsp_data_set_times": (c_int, _H, _ARRAY, _OUT),
    "hsp_data_set_weights": (c_int, _H, _H, _OUT),
    "hsp_data_set_targets": (c_int, _H, _H, _OUT),
    "hsp_data_generate": (c_int, _TEXT, _H, _OUT, _OUT),
    "hsp_data_generate_file": (c_int, _TEXT, _H, _TEXT, _OUT, _OUT),
    "hsp_data_split": (c_int, _H, _H, _OUT, _OUT, _OUT),
    "hsp_data_write": (c_int, _H, _TEXT, _H, _OUT),
    "hsp_file_split": (c_int, _TEXT, _TEXT, _TEXT, _H, _HOOKS, _OUT, _OUT),
    "hsp_file_convert": (c_int, _TEXT, _TEXT, _H, _HOOKS, _OUT, _OUT),
    "hsp_data_report": (c_int, _H, _OUT, _OUT),
    "hsp_data_array": (c_int, _H, _TEXT, _ARRAY, _OUT),
    "hsp_data_row": (c_int, _H, _INT, _H, _OUT),
    "hsp_data_copy": (c_int, _H, _TEXT, _ARRAY, _OUT),
    "hsp_data_is_table": (c_int, _H),
    "hsp_data_rows": (_INT, _H),
    "hsp_data_features": (_INT, _H),
    "hsp_data_classes": (_INT, _H),
    "hsp_data_class_name": (_TEXT, _H, _INT),
    "hsp_data_feature_name": (_TEXT, _H, _INT),
    "hsp_data_feature_label": (_TEXT, _H, _INT, _H),
    "hsp_data_free": (None, _H),
    # training
    "hsp_train": (c_int, _H, _H, _HOOKS, _OUT, _OUT, _OUT),
    "hsp_train_from": (c_int, _H, _H, _HOOKS, c_int, _H, _OUT, _OUT, _OUT),
    "hsp_job_start": (c_int, _H, _H, _HOOKS, c_int, _H, _OUT, _OUT),
    "hsp_job_step": (c_int, _H, c_double),
    "hsp_job_cancel": (None, _H),
    "hsp_job_progress": (c_int, _H, POINTER(ProgressLine)),
    "hsp_job_result": (c_int, _H, _OUT, _OUT, _OUT),
    "hsp_job_free": (None, _H),
    # parts
    "hsp_part_of_data": (c_int, _H, _INT, _H, _OUT, _OUT),
    "hsp_part_plan": (c_int, _NAMES, _INT, _INT, _H, _HOOKS, _OUT, _OUT),
    "hsp_part_open": (c_int, _TEXT, _OUT, _OUT),
    "hsp_part_answer": (c_int, _H, _TEXT, c_size_t, _OUT, POINTER(c_size_t), _OUT),
    "hsp_reply_add": (c_int, _TEXT, c_size_t, _TEXT, c_size_t, _OUT, POINTER(c_size_t), _OUT),
    "hsp_part_free": (None, _H),
    "hsp_train_parts": (c_int, POINTER(EngineStruct), _H, _HOOKS, _OUT, _OUT, _OUT),
    # models
    "hsp_model_save": (c_int, _H, _TEXT, _OUT),
    "hsp_model_load": (c_int, _TEXT, _OUT, _OUT),
    "hsp_model_save_memory": (c_int, _H, _OUT, POINTER(c_size_t), _OUT),
    "hsp_model_load_memory": (c_int, _H, c_size_t, _OUT, _OUT),
    "hsp_model_report": (c_int, _H, _OUT, _OUT),
    "hsp_model_array": (c_int, _H, _TEXT, _ARRAY, _OUT),
    "hsp_model_field": (_TEXT, _H, _TEXT),
    "hsp_model_score": (c_int, _H, _H, _H, _H, _OUT),
    "hsp_model_apply": (c_int, _H, _H, _TEXT, _H, _HOOKS, _ARRAY, _OUT),
    "hsp_model_outputs": (_INT, _H),
    "hsp_model_features": (_INT, _H),
    "hsp_model_classes": (_INT, _H),
    "hsp_model_class_name": (_TEXT, _H, _INT),
    "hsp_model_class_of": (_INT, _H, _TEXT),
    "hsp_model_feature_name": (_TEXT, _H, _INT),
    "hsp_model_feature_label": (_TEXT, _H, _INT, _H),
    "hsp_model_is_linear": (c_int, _H),
    "hsp_model_positive": (_INT, _H),
    "hsp_model_classify": (_INT, _H, _H, _H),
    "hsp_model_probability": (c_int, _H, _H, _H, _OUT),
    "hsp_model_moments": (c_int, _H, _OUT, _OUT),
    "hsp_model_drop_dual": (c_int, _H),
    "hsp_model_free": (None, _H),
    # results
    "hsp_predict": (c_int, _H, _TEXT, _TEXT, _H, _HOOKS, _OUT, _OUT),
    "hsp_evaluate": (c_int, _H, _H, _H, _HOOKS, _OUT, _OUT),
    "hsp_verify": (c_int, _H, _H, _TEXT, _H, _HOOKS, _OUT, _OUT),
    "hsp_certificate_write": (c_int, _H, _H, _TEXT, _OUT),
    "hsp_separability": (c_int, _H, _H, _HOOKS, _OUT, _OUT),
    "hsp_verify_separability": (c_int, _H, _H, _H, _OUT, _OUT),
    "hsp_inspect": (c_int, _H, _H, _HOOKS, _OUT, _OUT),
    "hsp_cross_validate": (c_int, _H, _H, _HOOKS, _OUT, _OUT, _OUT),
    "hsp_compare": (c_int, _H, _H, _HOOKS, _OUT, _OUT, _OUT),
    "hsp_path": (c_int, _H, _H, _HOOKS, _OUT, _OUT),
    "hsp_study_run": (c_int, _TEXT, _H, _H, _H, _HOOKS, _OUT, _OUT),
    "hsp_study_read_trace": (c_int, _TEXT, _OUT, _OUT),
    "hsp_explain": (c_int, _H, _H, _HOOKS, _OUT, _OUT),
    "hsp_format_number": (c_int, c_double, _H),
    "hsp_parse_number": (c_int, _TEXT, c_size_t, POINTER(c_double)),
}

PLOT_CALLS: dict[str, tuple[Any, ...]] = {
    "hsp_figure_new": (c_int, _TEXT, _H, _OUT, _OUT),
    "hsp_figure_add_model": (c_int, _H, _H, _TEXT, _OUT),
    "hsp_figure_add_model_data": (c_int, _H, _H, _H, _TEXT, _OUT),
    "hsp_figure_set_data": (c_int, _H, _H, _TEXT, _OUT),
    "hsp_figure_add_trace": (c_int, _H, _TEXT, _OUT),
    "hsp_figure_draw": (c_int, _H, _TEXT, _HOOKS, _OUT),
    "hsp_figure_report": (c_int, _H, _OUT, _OUT),
    "hsp_figure_free": (None, _H),
    "hsp_plot": (c_int, _TEXT, _H, _H, _H, _TEXT, _OUT),
    "hsp_plot_list": (c_int, _OUT, _OUT),
    "hsp_film": (c_int, _H, _H, _HOOKS, _TEXT, _OUT, _OUT),
    "hsp_plot_page": (c_int, _H, _H, _HOOKS, _TEXT, _OUT, _OUT),
}

# ---- loading ----


def _candidates(name: str) -> list[str]:
    """Where a library may be, best first: named by the environment, in the wheel, installed."""
    found = []
    named = os.environ.get("HALFSPACE_LIBRARY")
    if named:
        found.append(named if name == "libhalfspace" else os.path.join(os.path.dirname(named), f"{name}.so.0"))
    wheel = Path(__file__).parent.parent / ".halfspace.mesonpy.libs" / f"{name}.so"  # where meson-python puts libraries
    found += [str(wheel)] if wheel.exists() else []
    return found if named else [*found, f"{name}.so.0", f"{name}.so"]


def _open(name: str) -> ctypes.CDLL:
    reasons = []
    for path in _candidates(name):
        try:
            return ctypes.CDLL(path)
        except OSError as reason:
            reasons.append(str(reason))
    raise ImportError(f"{name} cannot be loaded ({'; '.join(reasons)}): install it, or set HALFSPACE_LIBRARY to its path")


class Library:
    """The calls of one shared library as attributes; loaded when the first of them is used, by one thread."""

    def __init__(self, name: str, calls: dict[str, tuple[Any, ...]]) -> None:
        self._name = name
        self._calls = calls
        self._lock = threading.Lock()

    def __getattr__(self, call: str) -> Callable[..., Any]:
        # Reached only for a name that is not yet an attribute: before loading, or for a call that does not exist.
        if call.startswith("hsp_"):
            self.load()
            if call in self.__dict__:
                return self.__dict__[call]
        raise AttributeError(call)

    def load(self) -> None:
        """Load the library, unless that was done."""
        with self._lock:
            if "loaded" not in self.__dict__:
                self._declare(_open(self._name))

    def _declare(self, library: ctypes.CDLL) -> None:
        for name, (result, *arguments) in self._calls.items():
            try:
                call = getattr(library, name)
            except AttributeError:
                raise ImportError(f"{library._name} has no {name}: it is older than this package; update it") from None
            call.restype, call.argtypes = result, arguments
            self.__dict__[name] = call
        self.__dict__["loaded"] = library


# Typed as Any: its attributes are the calls of the tables above.
lib: Any = Library("libhalfspace", CORE_CALLS)
plot_lib: Any = Library("libhalfspace_plot", PLOT_CALLS)

# ---- calls that can fail ----


def _spelt_for_python(message: str) -> str:
    """A message that names options as the program takes them, with the names of parameters instead."""
    return re.sub(r"(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)", lambda found: found[1].replace("-", "_"), message)


def _exception(status: int, error: c_void_p) -> HalfspaceError:
    """The exception of an hsp_error, which is freed."""
    kind = _EXCEPTIONS.get(status, InternalError)
    if not error:
        return kind(f"the library failed with status {status}")
    try:
        file, message = lib.hsp_error_file(error), lib.hsp_error_message(error).decode("utf-8", "replace")
        if kind is InputError and file is not None and f": {os.strerror(errno.ENOENT)}" in message:
            kind = MissingFileError
        made = kind(_spelt_for_python(message))
        made.file = None if file is None else os.fsdecode(file)
        made.line, made.column = lib.hsp_error_line(error), lib.hsp_error_column(error)
        return made
    finally:
        lib.hsp_error_free(error)


def check(status: int, error: c_void_p) -> None:
    """Raise the exception of a status below 0; `error` is the hsp_error that the call set, and is freed."""
    if status < 0:
        raise _exception(status, error)


def invoke(call: Callable[..., int], *arguments: Any) -> None:
    """Make a call whose last argument is `hsp_error **`."""
    error = c_void_p()
    status = call(*arguments, byref(error))
    if status < 0:
        raise _exception(status, error)


def make(call: Callable[..., int], *arguments: Any) -> int | None:
    """Make a call whose last arguments are `T **out, hsp_error **err`; the address of the new handle."""
    out, error = c_void_p(), c_void_p()
    status = call(*arguments, byref(out), byref(error))
    if status < 0:
        raise _exception(status, error)
    return out.value
