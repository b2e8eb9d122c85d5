"""The peers' solvers, run in a process of their own (worker.py) that is ended when one of them takes too long."""
import json
import os
import select
import subprocess
from pathlib import Path

from peers import PYTHON
from timing import Failed

WORKER = str(Path(__file__).resolve().parent / "worker.py")
GRACE = 2  # seconds beside the solver's own: the objective is evaluated, the answer sent


class TooLong(Exception):
    """The run was ended at its limit."""


def one_thread():
    """The worker's environment: one thread, and the kernels of OpenBLAS that suit the machine, which Debian's does not
    find on new ones."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        flags = next((line for line in file if line.startswith("flags")), "").split()
    kernel = "SKYLAKEX" if "avx512f" in flags else "HASWELL" if "avx2" in flags else ""
    known = {"OPENBLAS_CORETYPE": kernel} if kernel else {}
    return {**known, **os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


class Opponent:
    def __init__(self):
        self.process = self.loaded = self.bias = None

    def start(self):
        self.process = subprocess.Popen([PYTHON, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=one_thread())

    def end(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process = None

    def ask(self, request, limit=None):
        """The answer, a dict; Failed when there is none, TooLong after `limit` seconds."""
        if not self.process:
            self.start()
            for before in filter(None, (self.loaded, self.bias)):
                if before is not request:
                    self.ask(before)
        self.send(request)
        if limit and not select.select([self.process.stdout], [], [], limit + GRACE)[0]:
            self.end()
            raise TooLong
        return self.receive()

    def send(self, request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            self.end()
            raise Failed("the worker ended without an answer")
        answer = json.loads(line)
        if "failed" in answer:
            raise Failed(answer["failed"])
        return answer

    def load(self, request):
        """The rows that all further requests are about; a new worker loads them again."""
        if request != self.loaded:
            self.end()
            self.loaded, self.bias = request, None
            self.size = self.ask(request)
        return self.size

    def lay_out(self, bias):
        """The rows as LIBLINEAR has them; bias below 0: without one."""
        if not self.bias or self.bias["bias"] != bias:
            self.bias = {"do": "liblinear_rows", "bias": bias}
            self.ask(self.bias)
