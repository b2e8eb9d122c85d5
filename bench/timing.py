"""How bench/run measures: programs in turn, warm page cache, median of five with the first run discarded."""
import math
import os
import statistics
import subprocess
import tempfile
import time
from collections import namedtuple

RUNS = 5  # that count; one more before them only warms up

Timing = namedtuple("Timing", "median least most")


class Failed(Exception):
    """A program did not do what it was asked; the text is one line."""


def run(command, expected=0):
    """Wall-clock seconds of the whole process, and what it printed."""
    with tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err)
        seconds = time.perf_counter() - began
        if done.returncode != expected:
            err.seek(0)
            last = (err.read().decode("utf-8", "replace").strip() or "no message").splitlines()[-1]
            raise Failed(f"{os.path.basename(str(command[0]))} ended with {done.returncode}: {last}")
    return seconds, done.stdout


def peak_bytes(command):
    """The most memory that the process ever held, asked of the kernel while it runs (the last millisecond may escape).
    The resource usage of a child that has ended would count this Python's own size too."""
    peak = 0
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        while child.poll() is None:
            try:
                with open(f"/proc/{child.pid}/status", encoding="ascii", errors="replace") as status:
                    peak = max([peak] + [int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:")])
            except OSError:
                pass
            time.sleep(0.001)
    return peak


def interleaved(contestants):
    """contestants: {name: function that runs once and returns its seconds}. Round after round, each in turn, so that a slow
    spell of the machine strikes all alike. {name: Timing}; who fails is left out, with a word in the second result."""
    seconds, failures = {name: [] for name in contestants}, []
    for _ in range(1 + RUNS):
        for name in list(seconds):
            try:
                seconds[name].append(contestants[name]())
            except Failed as failure:
                del seconds[name]
                failures.append(f"{name}: {failure}")
    return {name: Timing(statistics.median(s[1:]), min(s[1:]), max(s[1:])) for name, s in seconds.items()}, failures


def tolerance(value):
    """1e-3, 1e-6: as people write it."""
    return f"{value:.0e}".replace("e-0", "e-")


def exponent(sizes, values):
    """The slope of log value over log size, by least squares: 1 is linear growth."""
    x, y = [math.log(s) for s in sizes], [math.log(v) for v in values]
    mx, my = statistics.mean(x), statistics.mean(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)
