"""The thirteen data sets of bench/bits: generated with fixed seeds; five of them are replaced by real ones when those are here."""
import random
import shutil
import subprocess
from collections import namedtuple

from session import data_folder
from timing import run

# file: its name in the folder; words: how to read it; target: two (classes), several (classes) or number.
Set = namedtuple("Set", "name file words target", defaults=((), "two"))

TABLE_ROWS = 120
WORDS = "tram bell glass river cloud stone wheel paper lamp field".split()
TOPICS, TOPIC_ROWS, TOPIC_WORDS = 11, 110, 160


def generate(program, folder, kind, rows, file, *options):
    run([program, "generate", kind, "--rows", str(rows), *map(str, options), "-o", str(folder / file), "--quiet"])


def write_table(path):
    """Numbers, levels, dates, text and row weights, with missing values: every kind of column."""
    rng = random.Random(7)
    lines = ["age,city,since,note,w,label"]
    for _ in range(TABLE_ROWS):
        age, city = rng.randrange(18, 90), rng.choice(("Bern", "Oslo", "Rome", "Riga"))
        note = " ".join(rng.sample(WORDS, rng.randrange(2, 6)))
        since = f"{rng.randrange(2001, 2020)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
        score = (age - 54) / 18 + (city in ("Rome", "Riga")) + ("bell" in note) - ("stone" in note) + rng.gauss(-0.5, 1)
        cells = [str(age) if rng.random() > 0.1 else "", city if rng.random() > 0.1 else "NA", since, note]
        lines.append(",".join([*cells, f"{rng.uniform(0.25, 4):.3f}", "yes" if score > 0 else "no"]))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def write_topics(path):
    """Sparse rows of eleven classes: one-vs-rest by the dual solver takes eight of them side by side, then the other three."""
    rng = random.Random(11)
    lines = []
    for row in range(TOPIC_ROWS):
        topic = row % TOPICS if row < TOPIC_ROWS // 2 else rng.randrange(4)  # four classes are frequent, seven rare
        counts = {}
        for _ in range(rng.randrange(4, 12)):
            word = int(TOPIC_WORDS * rng.random() ** 3)  # a few words are frequent
            if rng.random() < 0.3:
                word = (14 * topic + rng.randrange(14)) % TOPIC_WORDS
            counts[word + 1] = counts.get(word + 1, 0) + 1
        lines.append(" ".join([str(topic + 1), *(f"{word}:{counts[word]}" for word in sorted(counts))]))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


# ---- real sets: (file below the data folder, every n-th line, lines at most, whether the first line holds names) ----

REAL = {"sonar": ("sonar/sonar.csv", 2, 104, False), "wdbc": ("wdbc/wdbc.data", 3, 190, False),
        "a9a": ("a9a/a9a.zst", 1, 250, False), "iris": ("iris/iris.csv", 1, 150, False),
        "titanic": ("titanic/titanic.csv", 1, 250, True)}


def real_lines(name):
    """The lines of REAL, or None when the set is not here."""
    where, step, most, names = REAL[name]
    path = data_folder() / where
    if not path.exists() or (path.suffix == ".zst" and not shutil.which("zstd")):
        return None
    if path.suffix == ".zst":
        text = subprocess.run(["zstd", "-q", "-d", "-c", str(path)], stdout=subprocess.PIPE, check=True).stdout
    else:
        text = path.read_bytes()
    lines = [line for line in text.decode("utf-8").splitlines() if line.strip()]
    return lines[:names] + lines[names::step][:most]


def write_real(name, path):
    """Whether the set is here."""
    lines = real_lines(name)
    if lines is None:
        return False
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return True


def make_sets(program, folder):
    """Thirteen Sets, their files in the folder. `program` is that of BASE: a change of a generator is no change of training."""
    def real_or(name, file, kind, rows, *options, words=()):
        if write_real(name, folder / file):
            return Set(name, file, words)
        generate(program, folder, kind, rows, f"{kind}.csv", *options)
        return Set(kind, f"{kind}.csv")

    def stored():
        """An .hsd of three classes."""
        if write_real("iris", folder / "iris.csv"):
            run([program, "convert", str(folder / "iris.csv"), str(folder / "iris.hsd"), "--quiet"])
            return Set("iris", "iris.hsd", (), "several")
        generate(program, folder, "blobs", 120, "stored.hsd", "--classes", 3, "--features", 4, "--noise", 2)
        return Set("stored", "stored.hsd", (), "several")

    for kind, rows, file, options in (("squares", 60, "squares.csv", ("--noise", 1)),
                                      ("blobs", 80, "blobs.csv", ("--features", 6, "--noise", 0.5)),
                                      ("sparse", 150, "zipf.svm", ("--features", 300)),
                                      ("blobs", 120, "classes.csv", ("--classes", 4, "--features", 5, "--noise", 2)),
                                      ("linear", 90, "numbers.csv", ("--features", 4, "--noise", 2)),
                                      ("blobs", 100, "float64.npy", ("--features", 7, "--noise", 3))):
        generate(program, folder, kind, rows, file, *options)
    write_table(folder / "table.csv")
    write_topics(folder / "topics.svm")
    titanic = ("--target", "Survived", "--ignore", "PassengerId,Name,Ticket,Cabin", "--missing", "indicator")
    return [Set("squares", "squares.csv"), Set("blobs", "blobs.csv"), Set("zipf", "zipf.svm"), Set("float64", "float64.npy"),
            Set("classes", "classes.csv", (), "several"), Set("topics", "topics.svm", (), "several"), stored(),
            Set("numbers", "numbers.csv", ("--task", "regression"), "number"),
            Set("table", "table.csv", ("--missing", "mean")),
            real_or("titanic", "titanic.csv", "xor", 80, words=titanic),
            real_or("a9a", "a9a.svm", "moons", 100, "--noise", 0.3),
            real_or("sonar", "sonar.csv", "circles", 80, "--noise", 0.2),
            real_or("wdbc", "wdbc.csv", "correlated", 120, "--features", 12, words=("--target", "2", "--ignore", "1"))]
