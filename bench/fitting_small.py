"""A fit of iris, and what our Python adds to it: fitting_small.py FOLDER

The layer is the time of `fit` less that of scikit-learn's own validation of X and y and less that of the calls of our library,
the least of many runs each (what others do on the machine only adds to it). The calls are timed one by one in fits of their own,
training without a hook, so that what we do after each epoch counts as ours.
"""
import sys
import time

import numpy

import fitting_data

LEAST, FITS, SECONDS = 20, 400, 2.0  # runs at least, and at most as fit in the seconds


def times(work):
    """Seconds of each of many runs, in turn with nothing else."""
    for _ in range(20):
        work()
    found, until = [], time.perf_counter() + SECONDS
    while len(found) < LEAST or (len(found) < FITS and time.perf_counter() < until):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return found


class Stopwatch:
    """Adds up the seconds in the calls of the library."""

    def __init__(self):
        from halfspace._library import lib
        self.lib, self.seconds, self.calls, self.kept = lib, 0.0, 0, {}

    def __enter__(self):
        for name, call in list(self.lib.__dict__.items()):
            if name.startswith("hsp_"):
                self.kept[name] = call
                self.lib.__dict__[name] = self.timed(name, call)
        return self

    def __exit__(self, *_):
        self.lib.__dict__.update(self.kept)

    def timed(self, name, call):
        def run(*arguments):
            if name == "hsp_train_from":
                arguments = (*arguments[:2], None, *arguments[3:])
            began = time.perf_counter()
            result = call(*arguments)
            self.seconds += time.perf_counter() - began
            self.calls += 1
            return result
        return run


def library_seconds(work):
    with Stopwatch() as watch:
        def once():
            watch.seconds, watch.calls = 0.0, 0
            work()
            return watch.seconds, watch.calls
        found = [once() for _ in range(FITS)]
    return min(s for s, _ in found[20:]), found[-1][1]


def main():
    import halfspace
    from sklearn.linear_model import LogisticRegression
    from sklearn.utils.validation import validate_data
    x, y = fitting_data.load(sys.argv[1])
    estimator = halfspace.LogisticRegression()
    cases = {"iris, 3 classes": (x, y), "iris, 2 classes": (x[50:], y[50:]),
             "iris, 2 classes, float32": (x[50:].astype(numpy.float32), y[50:])}
    print(f"{'fit':<26} {'fit ms':>7} {'library':>8} {'validate':>9} {'layer us':>9} {'calls':>6} {'scikit-learn ms':>16}")
    for name, (rows, labels) in cases.items():
        def ours():
            estimator.fit(rows, labels)

        def check():
            validate_data(estimator, rows, labels, accept_sparse=("csr", "csc"), dtype="numeric", reset=True)
        whole = min(times(ours))
        library, calls = library_seconds(ours)
        validation = min(times(check))
        peer = min(times(lambda: LogisticRegression().fit(rows, labels)))
        layer = whole - library - validation
        print(f"{name:<26} {1e3 * whole:>7.3f} {1e3 * library:>8.3f} {1e3 * validation:>9.3f} {1e6 * layer:>9.0f} {calls:>6} "
              f"{1e3 * peer:>16.3f}")
        for what, value, asked in (("fit below 1 ms", 1e3 * whole, 1), ("layer below 100 us", 1e6 * layer, 100)):
            print(f"    {what}: {'reached' if value < asked else 'missed'}")


if __name__ == "__main__":
    main()
