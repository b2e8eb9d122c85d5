#!/usr/bin/env python3
"""Train from Python through the C library and read the results by name: ctypes alone, no JSON.

    ./read_results.py fruit.csv [LIBRARY]

LIBRARY is libhalfspace.so; else the environment's HALFSPACE_LIBRARY, else the one that is installed.
"""
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p


class Array(ctypes.Structure):
    """hsp_array: a borrowed view of numbers."""

    _fields_ = [
        ("size", c_size_t),
        ("data", c_void_p),
        ("dtype", c_int32),
        ("ndim", c_int32),
        ("shape", c_int64 * 2),
        ("strides", c_int64 * 2),
    ]


# Result and arguments of the calls below. Every handle (options, data, model, report, error) is a void pointer.
OUT = POINTER(c_void_p)
CALLS = {
    "hsp_options_new": (c_int, OUT, OUT),
    "hsp_options_set": (c_int, c_void_p, c_char_p, c_char_p, OUT),
    "hsp_options_free": (None, c_void_p),
    "hsp_data_read": (c_int, c_char_p, c_void_p, c_void_p, OUT, OUT),
    "hsp_data_free": (None, c_void_p),
    "hsp_train": (c_int, c_void_p, c_void_p, c_void_p, OUT, OUT, OUT),
    "hsp_model_report": (c_int, c_void_p, OUT, OUT),
    "hsp_model_free": (None, c_void_p),
    "hsp_report_number": (c_double, c_void_p, c_char_p),
    "hsp_report_flag": (c_int, c_void_p, c_char_p),
    "hsp_report_text": (c_char_p, c_void_p, c_char_p),
    "hsp_report_text_at": (c_char_p, c_void_p, c_char_p, c_int64),
    "hsp_report_count": (c_int64, c_void_p, c_char_p),
    "hsp_report_member": (c_void_p, c_void_p, c_char_p),
    "hsp_report_array": (c_int, c_void_p, c_char_p, POINTER(Array), OUT),
    "hsp_report_free": (None, c_void_p),
    "hsp_error_message": (c_char_p, c_void_p),
    "hsp_error_free": (None, c_void_p),
}


def load(path):
    library = ctypes.CDLL(path)
    for name, (result, *arguments) in CALLS.items():
        getattr(library, name).restype = result
        getattr(library, name).argtypes = arguments
    return library


class Failure(Exception):
    """What the library has to say of a call that failed."""


class Session:
    """Calls that can fail, and the handles that they make: all are freed at the end."""

    def __init__(self, library):
        self.library, self.handles = library, []

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        for free, handle in reversed(self.handles):
            free(handle)

    def handle(self, free):
        made = c_void_p()
        self.handles.append((getattr(self.library, free), made))
        return made

    def call(self, name, *arguments):
        error = c_void_p()
        if getattr(self.library, name)(*arguments, byref(error)) == 0:
            return
        message = self.library.hsp_error_message(error).decode()
        self.library.hsp_error_free(error)
        raise Failure(message)


def matrix(session, report, name):
    """The numbers of a report's array, as a list of rows."""
    a = Array(size=ctypes.sizeof(Array))
    session.call("hsp_report_array", report, name, byref(a))
    rows, columns = a.shape
    values = ctypes.cast(a.data, POINTER(c_double))
    return [values[i * columns : (i + 1) * columns] for i in range(rows)]


def show(session, report, stored):
    """Prints what was found; True when it is what these data must give."""
    library = session.library
    converged = library.hsp_report_flag(report, b"converged") == 1
    objective = library.hsp_report_number(report, b"objective")
    bound = library.hsp_report_number(report, b"dual_bound")
    gap = library.hsp_report_number(report, b"relative_gap")
    print("converged:", "yes" if converged else "no")
    print(f"objective: {objective!r}, at least {bound!r}, relative gap {gap!r}")
    print("stopped by:", library.hsp_report_text(report, b"stop_reason").decode())
    weights = matrix(session, stored, b"weights")
    names = [library.hsp_report_text_at(stored, b"features", j).decode() for j in range(len(weights[0]))]
    for name, weight in zip(names, weights[0]):
        print(f"  {name}: {weight!r}")
    # What is not in a report is NaN, or None.
    absent = library.hsp_report_number(report, b"no such member")
    right = absent != absent and library.hsp_report_text(report, b"no such member") is None
    right = right and library.hsp_report_member(report, b"no such member") is None
    right = right and library.hsp_report_count(stored, b"features") == 2 and names == ["weight", "diameter"]
    return right and converged and 0 < bound <= objective and gap <= 1e-4


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(f"usage: {sys.argv[0]} DATA [LIBRARY]")
    path = sys.argv[2] if len(sys.argv) == 3 else os.environ.get("HALFSPACE_LIBRARY", "libhalfspace.so.0")
    with Session(load(path)) as s:
        options, data = s.handle("hsp_options_free"), s.handle("hsp_data_free")
        model, report = s.handle("hsp_model_free"), s.handle("hsp_report_free")
        stored = s.handle("hsp_report_free")
        s.call("hsp_options_new", byref(options))
        s.call("hsp_options_set", options, b"algorithm", b"logistic")
        s.call("hsp_data_read", os.fsencode(sys.argv[1]), options, None, byref(data))
        s.call("hsp_train", data, options, None, byref(model), byref(report))
        s.call("hsp_model_report", model, byref(stored))
        right = show(s, report, stored)
    return 0 if right else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError) as reason:
        sys.exit(f"read_results: {reason}")
