"""What is measured of reading, predicting, caches and growth. Each group takes the bench; bench/run has the list."""
import json
import os
import shutil
from pathlib import Path

from peers import LOAD, LOADTXT, MAKE_NPY, PANDAS, PYTHON, SKLEARN, own_seconds
from timing import exponent, interleaved, peak_bytes, run

GROWTH = [2000, 20000, 200000, 2000000]  # rows of words: 1e5 to 1e8 non-zeros
CACHE_ROWS = 6500000  # rows of words whose cache takes about 1 GB
DENSE = (800000, 20)  # rows and columns of the table of 17-digit decimals: 300 MB


def trained(bench, path, *words):
    return bench.halfspace("train", path, "-a", "nearest-mean", *words)


def reading_of(bench, path, *words):
    """A contestant: seconds.read of halfspace, and seconds.check, which files that are mapped have besides."""
    return lambda: bench.reported(trained(bench, path, *words), "read", "check")


# ---- text to memory ----

def read_svmlight(bench, path, data):
    peers, asked = {}, {}
    with_bad_end = path + ".bad"
    if "liblinear" in bench.peers:
        shutil.copyfile(path, with_bad_end)
        with open(with_bad_end, "a", encoding="ascii") as file:
            file.write("not a row\n")
        name = "liblinear-train, reading"
        peers[name] = lambda: run(["liblinear-train", "-q", with_bad_end, bench.path("none")], 1)[0]
        asked[name] = "12"
    if "sklearn" in bench.peers:
        peers["sklearn load_svmlight_file"] = own_seconds(SKLEARN, path)
        asked["sklearn load_svmlight_file"] = "30"
    bench.compare("svmlight text to memory", data, reading_of(bench, path), peers, asked)
    Path(with_bad_end).unlink(missing_ok=True)


def read_csv(bench, path, data, *, bare=False, loadtxt=False, words=()):
    peers = {}
    if "pandas" in bench.peers:
        peers["pandas.read_csv"] = own_seconds(PANDAS, path, "bare" if bare else "named")
    if loadtxt and "numpy" in bench.peers:
        peers["numpy.loadtxt"] = own_seconds(LOADTXT, path)
    bench.compare("CSV text to memory", data, reading_of(bench, path, *words), peers, {"pandas.read_csv": "5"})


def reading(bench):
    for path, data in bench.sparse_sets():
        read_svmlight(bench, path, data)
    table = bench.generated("blobs", 100000, "blobs.csv", "--features", 20)
    read_csv(bench, table, bench.label("blobs 100k x 20", table), loadtxt=True)
    mnist = bench.mnist()
    if mnist:
        read_csv(bench, mnist, bench.label("mnist", mnist), bare=True, words=("--target", 1))
    rows, columns = DENSE
    table = bench.generated("decimals", rows, "decimals.csv", "--features", columns)
    read_csv(bench, table, bench.label("17-digit decimals", table))
    bench.drop(table)


# ---- tables ----

def tables(bench):
    """A table with words, read and encoded, against the same file without its columns of words: the reader of numbers."""
    found = bench.real("kddcup")
    if not found:
        return
    path, numbers = found[0], reading_of(bench, found[0], "--ignore", "2,3,4")
    bench.compare("table to features", bench.label("kddcup", path), reading_of(bench, path),
                  {"its numbers alone": numbers}, {"its numbers alone": "0.5"})


# ---- text to predictions ----

def predict(bench, path, data):
    """Each with a model of its own making, one weight a feature; it costs the same whatever the weights are."""
    model, out, peers = bench.path("model.hsm"), bench.path("predictions"), {}
    run(bench.halfspace("train", path, "-a", "perceptron", "--max-epochs", 1, "-o", model))
    if "liblinear" in bench.peers:
        theirs = bench.path("liblinear.model")
        run(["liblinear-train", "-s", "3", "-e", "1e9", "-q", path, theirs])
        peers["liblinear-predict"] = lambda: run(["liblinear-predict", "-q", path, theirs, out])[0]
    ours = bench.halfspace("predict", model, path, "-o", out)
    bench.compare("text to predictions", data, lambda: run(ours)[0], peers, {"liblinear-predict": "10"})


def predicting(bench):
    for path, data in bench.sparse_sets():
        predict(bench, path, data)


# ---- sources that are no plain files ----

def packed(bench, path, data):
    """Ours against the decompressor alone, which throws its output away: 1 is as fast as the source."""
    for ending, pack, unpack in ((".gz", "gzip -1 -c", "gzip -dc"), (".zst", "zstd -q -3 -c", "zstd -q -dc")):
        if not shutil.which(pack.split()[0]):
            bench.remarks.append(f"{pack.split()[0]}: not here, left out")
            continue
        run(["sh", "-c", f"{pack} '{path}' > '{path}{ending}'"])
        alone = f"{unpack} '{path}{ending}' | cat > /dev/null"
        bench.compare(f"{ending} to memory", data, reading_of(bench, path + ending),
                      {f"{unpack} | cat, nothing else": lambda: run(["sh", "-c", alone])[0]})
        bench.drop(path + ending)


def through_pipe(bench, path, data):
    model, out = bench.path("model.hsm"), bench.path("predictions")
    run(trained(bench, path, "-o", model))
    words = " ".join(f"'{word}'" for word in bench.halfspace("predict", model, "-"))
    pipe = f"cat '{path}' | {words} > '{out}'"
    file = bench.halfspace("predict", model, path, "-o", out)
    bench.compare("cat x | predict m -", data, lambda: run(["sh", "-c", pipe])[0],
                  {"the same from the file": lambda: run(file)[0]})


def numpy_array(bench):
    if "numpy" not in bench.peers:
        return
    path = bench.path("table.npy")
    run([PYTHON, "-c", MAKE_NPY, path, "500000", "51"])
    bench.compare(".npy to memory", bench.label("500k x 50 doubles", path), reading_of(bench, path),
                  {"numpy.load": own_seconds(LOAD, path)})
    bench.drop(path)


def sources(bench):
    path, data = bench.words()
    packed(bench, path, data)
    through_pipe(bench, path, data)
    numpy_array(bench)


# ---- the cache ----

def opening(bench):
    """Milliseconds for each GB of a cache that is in memory already."""
    rows = CACHE_ROWS if shutil.disk_usage(bench.folder).free > 5e9 else CACHE_ROWS // 20
    text = bench.generated("sparse", rows, "large.svm")
    cache, made = bench.path("large.hsd"), bench.label("Zipf words", text)
    run(bench.halfspace("convert", text, cache))
    bench.drop(text)
    gigabytes = os.path.getsize(cache) / 1e9
    timings, failures = interleaved({"opening a cache (.hsd)": lambda: bench.reported(trained(bench, cache), "read"),
                                     "and checking all of it": reading_of(bench, cache)})
    bench.remarks += failures
    for measure, timing in timings.items():
        note = f"{1e3 * timing.median / gigabytes:.2f} ms a GB; made of {made}"
        bench.show(measure, f"{gigabytes:.2f} GB", timing, note=note, asked="< 20 ms/GB" if "open" in measure else "")
    bench.drop(cache)


def caching(bench):
    path, data = bench.words()
    run(trained(bench, path, "--cache"))  # makes it
    bench.compare("--cache, second run", data, reading_of(bench, path, "--cache"),
                  {"halfspace, from the text": reading_of(bench, path)})
    Path(path + ".hsd").unlink(missing_ok=True)
    opening(bench)


# ---- growth ----

def data_bytes(report):
    """What the data take in memory, as the report says; None when it does not."""
    memory = report.get("memory")
    total = memory.get("total") if isinstance(memory, dict) else memory
    return total or report.get("bytes")


def grown(bench, rows):
    """(non-zeros, Timing, peak bytes of the process, bytes of the data), or None when it would not run."""
    path = bench.generated("sparse", rows, "growth.svm")
    timings, failures = interleaved({"halfspace": reading_of(bench, path)})
    bench.remarks += [f"growth, {rows} rows: {failure}" for failure in failures]
    if failures:
        return None
    report = json.loads(run(trained(bench, path) + ["--json"])[1])
    peak = peak_bytes(trained(bench, path))
    bench.drop(path)
    return report["nonzeros"], timings["halfspace"], peak, data_bytes(report)


def growth(bench):
    """Reading time and peak memory against non-zeros, over sizes a factor 10 apart."""
    counts, seconds, peaks = [], [], []
    for rows in GROWTH + ([10 * GROWTH[-1]] if bench.large else []):
        found = grown(bench, rows)
        if not found:
            return
        count, timing, peak, size = found
        counts, seconds, peaks = counts + [count], seconds + [timing.median], peaks + [peak]
        ratio = f", {peak / size:.2f} times the data" if size else ""
        bench.show("growth of reading", f"{count:.2e} non-zeros", timing,
                   note=f"{1e9 * timing.median / count:.1f} ns and {peak / count:.1f} bytes of memory a non-zero{ratio}")
    for what, values in (("reading time", seconds), ("peak memory", peaks)):
        all_of, last = exponent(counts, values), exponent(counts[-2:], values[-2:])
        more = (values[-1] - values[-2]) / (counts[-1] - counts[-2])
        unit = f"{1e9 * more:.2f} ns" if values is seconds else f"{more:.2f} bytes"
        bench.remarks.append(f"growth over {counts[0]:.1e} to {counts[-1]:.1e} non-zeros: {what} as their power {all_of:.2f}, "
                             f"over the last decade {last:.2f} (asked: at most 1.05); {unit} for each further one")
