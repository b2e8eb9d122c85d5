"""What the tests of the companion share: TAP lines, runs of the program, and the mathematics of the notes in plain Python."""
import json
import math
import os
import subprocess
import sys

PROGRAM = os.path.abspath(sys.argv[1])
count = failed = 0


def result(good, name, why=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good:
        print("#", str(why).replace("\n", "\n# "))


def finish():
    print(f"1..{count}")
    sys.exit(1 if failed else 0)


def halfspace(*arguments, folder=None, code=0):
    """Runs the program; returns its stdout, parsed with --json."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    if done.returncode != code:
        raise RuntimeError(f"halfspace {' '.join(map(str, arguments))}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout) if "--json" in arguments else done.stdout


def write(path, rows, names, label="label"):
    with open(path, "w") as f:
        print(*names, label, sep=",", file=f)
        for *x, y in rows:
            print(*map(repr, x), y, sep=",", file=f)


def near(a, b, tolerance=1e-12):
    if a is None or b is None:
        return a is b
    return abs(a - b) <= tolerance * max(1, abs(a), abs(b))


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


LOSSES = {
    "zero_one": lambda m: float(m <= 0),
    "perceptron": lambda m: max(0.0, -m),
    "hinge": lambda m: max(0.0, 1 - m),
    "squared_hinge": lambda m: max(0.0, 1 - m) ** 2,
    "logistic": lambda m: max(0.0, -m) + math.log1p(math.exp(-abs(m))),
    "squared": lambda m: (1 - m) ** 2 / 2,  # (y - g)^2 / 2, as y is -1 or 1
}
