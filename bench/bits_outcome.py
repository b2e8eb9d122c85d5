"""What one program makes of one case, and where two outcomes differ. Times, and nothing else, are left out."""
import json
import re
import struct
import subprocess
from array import array
from collections import namedtuple
from pathlib import Path

from bits_cases import limits

ROUNDING = 1e-6  # by which a gap may grow and count as the same
SECONDS = 120  # a program that takes longer is stopped: an outcome of its own
TIMES = {"when", "seconds", "train_seconds", "certify_seconds"}
BUILDS = {"halfspace", "library"}  # names of versions
DURATION = re.compile(r"\b\d[\d.]*(?:e-?\d+)? ?(?:ms|s|seconds?|minutes?)\b")
DTYPES = {"float32": "f", "float64": "d", "int32": "i", "int64": "q", "uint32": "I", "uint8": "B", "uint16": "H"}
MODEL = "model.hsm"
FILES = ("trace.csv", "dual.csv")

# texts: {what: text} compared as they are; trees: {what: JSON}; arrays: {name: (dtype, shape, bytes)} of the model file.
Outcome = namedtuple("Outcome", "exit texts trees arrays")


def masked(tree):
    """Without the members that name a time or a build. Numbers are text here: -0 is not 0."""
    if isinstance(tree, dict):
        return {key: masked(value) for key, value in tree.items() if key not in TIMES | BUILDS}
    return [masked(value) for value in tree] if isinstance(tree, list) else tree


def json_tree(text):
    return masked(json.loads(text, parse_float=str, parse_int=str))


def read_model(path):
    """The magic line without its sizes, the header, the arrays: src/base/container.c has the layout."""
    data = path.read_bytes()
    line, _, _ = data.partition(b"\n")
    words = line.split()
    start = len(line) + 1 + int(words[4])
    header = json_tree(data[len(line) + 1:start])
    arrays = {}
    for entry in header.pop("arrays"):
        rows, columns = map(int, entry["shape"])
        at = start + int(entry["offset"])
        size = rows * columns * struct.calcsize("=" + DTYPES[entry["dtype"]])
        arrays[entry["name"]] = (entry["dtype"], (rows, columns), data[at:at + size])
    return b" ".join(words[:3]).decode(), header, arrays


def without_seconds(text):
    """A trace: the column `seconds` is dropped."""
    lines = [line.split(",") for line in text.splitlines()]
    column = lines[0].index("seconds") if lines and "seconds" in lines[0] else None
    return "\n".join(",".join(cells[:column] + cells[column + 1:] if column is not None else cells) for cells in lines)


def execute(program, words, folder):
    """(exit code, stdout, stderr with durations masked); the code is 'time' when it was stopped."""
    try:
        done = subprocess.run([program, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "time", b"", ""
    return done.returncode, done.stdout, DURATION.sub("T", done.stderr.decode("utf-8", "replace"))


def train_words(case, options, where):
    """`where`: the folder of the data as the program sees it."""
    return ["train", f"{where}/{case.data.file}", "-a", case.algorithm, *case.data.words, *case.words,
            *limits(options, case.algorithm), "-o", MODEL, "--threads", str(case.threads)]


def outcome(program, case, options, folder, where):
    """Trains, shows and predicts in the folder."""
    folder = Path(folder)
    for name in (MODEL, *FILES):
        (folder / name).unlink(missing_ok=True)
    code, out, err = execute(program, [*train_words(case, options, where), "--json"], folder)
    texts, trees, arrays = {"train exit": str(code), "train stderr": err}, {}, {}
    if out.strip():
        trees["report"] = json_tree(out)
    texts |= {name: without_seconds((folder / name).read_text("utf-8")) for name in FILES if (folder / name).exists()}
    if (folder / MODEL).exists():
        texts["model format"], trees["header"], arrays = read_model(folder / MODEL)
        show, shown, texts["show stderr"] = execute(program, ["show", MODEL, "--json"], folder)
        texts["show exit"], trees["show"] = str(show), json_tree(shown or b"{}")
        proba = ["--proba"] if trees["show"].get("link", "none") not in ("none", None) else []
        words = ["predict", MODEL, f"{where}/{case.data.file}", "--scores", *proba, "--threads", str(case.threads)]
        exit_code, rows, texts["predict stderr"] = execute(program, words, folder)
        texts["predict exit"], texts["predictions"] = str(exit_code), rows.decode("utf-8", "replace")
    return Outcome(code, texts, trees, arrays)


# ---- comparing ----

def tree_differences(name, a, b):
    """The members that differ, by their paths."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(key for key in b if key not in a)]:
            if key not in a or key not in b:
                yield f"{name}.{key}"
            else:
                yield from tree_differences(f"{name}.{key}", a[key], b[key])
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from tree_differences(f"{name}.{i}", x, y)
    elif a != b:
        yield name


def differences(base, tree):
    """The names of what differs; none when the outcomes are identical."""
    found = [key for key in {**base.texts, **tree.texts} if base.texts.get(key) != tree.texts.get(key)]
    for key in {**base.trees, **tree.trees}:
        found += tree_differences(key, base.trees.get(key), tree.trees.get(key))
    return found + [f"array.{key}" for key in {**base.arrays, **tree.arrays} if base.arrays.get(key) != tree.arrays.get(key)]


def numbers(made, name):
    dtype, _, data = made.arrays.get(name, ("float64", None, b""))
    return array(DTYPES[dtype], data)


def weight_difference(base, tree):
    """The largest difference of a weight or intercept, over the largest of them; None when they are not alike."""
    a, b = ([*numbers(made, "weights"), *numbers(made, "intercepts")] for made in (base, tree))
    if not a or len(a) != len(b):
        return None
    largest = max(map(abs, a))
    worst = max(abs(x - y) for x, y in zip(a, b))
    return worst / largest if largest > 0 else worst


def certificate(made):
    """(objective, relative gap, tolerance), None each where it is not known."""
    found = made.trees.get("report") or {}
    return tuple(None if found.get(key) is None else float(found[key]) for key in ("objective", "relative_gap", "tolerance"))


def as_good(base, tree):
    """Whether the tree's certificate is as good: within the tolerance, or no worse than that of BASE but for rounding.
    None without one."""
    (_, before, _), (_, after, tolerance) = certificate(base), certificate(tree)
    if before is None:
        return None
    return after is not None and (after <= before * (1 + ROUNDING) or (tolerance is not None and after <= tolerance))
