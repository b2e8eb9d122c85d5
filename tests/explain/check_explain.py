#!/usr/bin/python3
"""Every number of `halfspace explain --json` computed again with NumPy: check_explain.py PROGRAM [DATA-FOLDER]

All algorithms on the squares, on three classes, on a rank-deficient table and, if the data folder is there, on iris (two and three
classes). A value that no formula of this file covers is a failure. Prints TAP; skips without NumPy.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
try:
    import numpy
except ImportError:
    print("1..0 # SKIP no NumPy")
    sys.exit(0)
from formulas import expected
from sample import Sample

DEFICIENT = """a,b,c,k,y
1,2,3,5,no
2,1,3,5,no
4,1,5,5,yes
0,3,3,5,no
2,2,4,5,yes
7,1,8,5,yes
3,2.5,5.5,5,no
5,0,5,5,yes
1.5,3,4.5,5,yes
"""
NUMBERS = """a,b,c,k,y
1,2,3,5,1
2,1,3,5,2
4,1,5,5,2.5
0,3,3,5,0
2,2,4,5,1.5
7,1,8,5,6
3,2.5,5.5,5,2
"""
CLASSIFIERS = ["nearest-mean", "fisher", "lda", "least-squares", "ridge", "ridge --lambda 0.3", "logistic", "logistic --penalty l1 -C 0.5 --tol 1e-10",
               "logistic --penalty elastic --tol 1e-10", "svm", "svm -C 0.1", "svm --loss squared-hinge", "hard-svm", "hard-svm --intercept none", "perceptron",
               "perceptron --intercept none --learning-rate 0.5", "gradient-descent", "gradient-descent --loss logistic --penalty l2 --learning-rate 0.02 --schedule constant",
               "gradient-descent --loss squared", "sgd", "sgd --loss logistic --penalty l2 --lambda 0.05", "minibatch --loss squared --batch 4", "minibatch", "mlp --hidden 4", "mlp --hidden 10,3 --activation relu"]
JOINT = ["svm --multiclass crammer-singer", "svm --multiclass crammer-singer -C 0.1", "svm --multiclass crammer-singer --solver class-dual",
         "svm --multiclass crammer-singer --intercept none -C 10"]
WHOLE = {"eigenvalues", "directions", "lambdas", "row_figures", "squared_distances", "posteriors", "log_densities", "b_of_rows", "class_rows", "class_mass"}  # never cut to the shown features
WIDE = ["nearest-mean", "lda", "least-squares --intercept none", "ridge", "logistic", "logistic --penalty l1 --tol 1e-10", "svm", "gradient-descent --loss squared", "sgd"]
REGRESSIONS = ["least-squares", "ridge --lambda 0.2", "ridge --intercept penalised", "ridge --loss huber", "lasso --lambda 0.1", "lasso --lambda 9", "elastic-net --lambda 0.2 --l1-ratio 0.3",
               "gradient-descent --loss squared --learning-rate 0.01 --schedule constant", "least-squares --intercept none", "mlp --hidden 3"]


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def test(self, name, faults):
        self.count += 1
        self.failed += bool(faults)
        print("not ok" if faults else "ok", self.count, "-", name)
        for fault in faults[:8]:
            print("#", fault)


def differs(found, wanted, tolerance):
    """None, or how far the arrays are apart."""
    a, b = (numpy.array([[numpy.nan if x is None else x for x in r] if isinstance(r, list) else numpy.nan if r is None else r for r in v], float)
            if isinstance(v, list) else numpy.array(numpy.nan if v is None else v, float) for v in (found, wanted.tolist() if hasattr(wanted, "tolist") else wanted))
    if a.shape != b.shape:
        return f"shape {a.shape}, not {b.shape}"
    if a.size == 0:
        return None
    if (numpy.isnan(a) != numpy.isnan(b)).any():
        return f"null in other places: {a}, not {b}"
    if numpy.isnan(a).all():
        return None
    scale = max(numpy.nanmax(abs(b), initial=0), 1e-6)
    off = numpy.nanmax(abs(a - b), initial=0) / scale
    return None if off <= tolerance else f"{a}, not {b}"


def shown_part(wanted, sample):
    """An array over all features, reduced to those that are shown: d or, with the intercept, d + 1 of them on any axis."""
    if sample.d <= 8 or callable(wanted):
        return wanted
    array = numpy.array(wanted, float)
    for axis, size in enumerate(array.shape):
        if size == sample.d:
            array = array.take(sample.columns, axis)
        elif size == sample.d + 1:
            array = array.take(sample.shown, axis)
    return array


def faults_of(report, wanted, sample):
    faults, seen = [], 0
    for section in report["sections"]:
        for name, value in section["values"].items():
            seen += 1
            key = f"{section['title']}/{name}"
            check = wanted.get(key, wanted.get(name, KeyError))
            if check is KeyError:
                faults.append(f"{key}: no check covers it")
            elif callable(check):
                problem = check(value)
                if problem:
                    faults.append(f"{key}: {problem}")
            else:
                target, tolerance = check if isinstance(check, tuple) else (check, 1e-8)
                problem = differs(value, target if name in WHOLE else shown_part(target, sample), tolerance)
                if problem:
                    faults.append(f"{key}: {problem}")
    return faults if seen > 5 else faults + ["fewer than six values"]


def explain(program, path, options):
    done = subprocess.run([program, "explain", path, "-q", "--json", "-a", *options.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    return done.returncode, done.stdout, done.stderr.decode()


def check(tap, program, path, options, name, folder):
    code, out, message = explain(program, path, options)
    if code > 1:
        tap.test(f"{name}: {options}", [message.strip()])
        return
    report = json.loads(out)
    sample = Sample(program, path, options, folder, report)
    faults = faults_of(report, expected(sample), sample)
    if code != (0 if report["exists"] else 1):
        faults.append(f"exit code {code}")
    tap.test(f"{name}: {options}", faults)


def planted(tap, program, path, options, folder):
    """The checks can fail: each changed number of a report is found."""
    _, out, _ = explain(program, path, options)
    report = json.loads(out)
    sample = Sample(program, path, options, folder, report)
    missed = []
    for section in report["sections"]:
        for name, value in section["values"].items():
            first = value
            while isinstance(first, list) and first:
                first, holder = first[0], first
            if first is None or value == []:
                continue
            kept = json.loads(json.dumps(section["values"][name]))
            if isinstance(value, list):
                holder[0] = first + 1 + abs(first)
            else:
                section["values"][name] = first + 1 + abs(first)
            try:
                found = faults_of(report, expected(sample), sample)
            except IndexError:  # a row that does not exist
                found = True
            if not found:
                missed.append(f"{section['title']}/{name}")
            section["values"][name] = kept
    tap.test(f"found: each number of {options}, changed", [f"not found: {m}" for m in missed])


def main(program, data=None):
    tap = Tap()
    program = str(Path(program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        def file(name, text):
            Path(folder, name).write_text(text)
            return str(Path(folder, name))
        squares, three = str(Path(folder, "squares.csv")), str(Path(folder, "three.csv"))
        subprocess.run([program, "generate", "squares", "--rows", "40", "-o", squares, "-q"], check=True)
        subprocess.run([program, "generate", "blobs", "--classes", "3", "--rows", "60", "--noise", "1.5", "-o", three, "-q"], check=True)
        tables = [(squares, "squares", ""), (squares, "squares scaled", " --scale standard"), (file("deficient.csv", DEFICIENT), "deficient", ""), (three, "three classes", ""),
                  (squares, "squares, class weights", " --class-weight balanced")]
        wide = str(Path(folder, "wide.csv"))
        subprocess.run([program, "generate", "blobs", "--features", "11", "--rows", "50", "--noise", "6", "-o", wide, "-q"], check=True)
        for options in WIDE:
            check(tap, program, wide, options, "11 features", folder)
        iris = Path(data or "", "iris", "iris.csv")
        if data and iris.exists():
            rows = iris.read_text().split()
            tables.append((file("iris2.csv", "\n".join(r for r in rows if "setosa" not in r) + "\n"), "iris, two classes", ""))
            tables.append((str(iris), "iris", ""))
        for path, name, more in [(three, "three classes", ""), (three, "three classes scaled", " --scale standard"), (three, "three classes, weights", " --class-weight balanced"),
                                 *[t for t in tables if t[1] == "iris"]]:
            for options in JOINT:
                check(tap, program, path, options + more, name, folder)
        for path, name, more in tables:
            for options in CLASSIFIERS:
                if options.startswith("fisher") and ("three" in name or name == "iris"):
                    continue
                if options.startswith("hard-svm") and "--class-weight" in more:
                    continue
                check(tap, program, path, options + more, name, folder)
        numbers = file("numbers.csv", NUMBERS)
        for options in REGRESSIONS:
            check(tap, program, numbers, options + " --task regression", "numbers", folder)
        planted(tap, program, squares, "svm -C 0.1", folder)
        planted(tap, program, three, JOINT[1], folder)
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
