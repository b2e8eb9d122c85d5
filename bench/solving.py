"""What is measured of solvers: closed forms against their Gram product, the soft margin against LIBSVM."""
import json
import statistics
import subprocess
import time
from pathlib import Path

from timing import Failed, Timing, interleaved, run

LIMIT = 300  # seconds after which svm-train is stopped


def descent(bench):
    for path, data in bench.sparse_sets():
        train = bench.halfspace("train", path, "-a", "sgd", "--max-epochs", 10)
        bench.compare("sgd, 10 epochs", data, lambda train=train: bench.reported(train, "train"), {})


def closed(bench):
    """What a closed form costs beyond its Gram product: seconds.train over those of the product alone."""
    timer = Path(bench.program).parent / "bench" / "time_gram"
    if not timer.exists():
        bench.remarks.append(f"closed forms: {timer} is not there, left out")
        return
    path, data, target = bench.mnist(), "mnist 60k x 784", ["1"]
    if not path:
        path = bench.generated("blobs", 60000, "blobs784.csv", "--features", 784, "--classes", 10)
        data, target = "blobs 60k x 784", []

    def train(algorithm):
        words = bench.halfspace("train", path, "-a", algorithm, *(word for name in target for word in ("--target", name)))
        return lambda: bench.reported(words, "train")

    def gram():
        return json.loads(run([str(timer), "gram", str(bench.threads), "1", path, *target])[1])["seconds"]

    timings, failures = interleaved({"ridge": train("ridge"), "lda": train("lda"), "Gram": gram})
    bench.remarks += [f"closed forms, {data}: {failure}" for failure in failures]
    alone = timings.pop("Gram", None)
    for algorithm, seconds in timings.items():
        note = f"{seconds.median / alone.median:.2f} times the Gram product alone, {alone.median:.4f} s" if alone else ""
        bench.show(algorithm, data, seconds, note=note)


def libsvm_seconds(path, C, model):
    """Once, since it takes minutes; LIMIT when it is stopped there."""
    words = ["svm-train", "-q", "-t", "0", "-c", str(C), "-e", "1e-6", "-m", "500", path, model]
    began = time.perf_counter()
    try:
        subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=LIMIT, check=True)
    except subprocess.TimeoutExpired:
        return LIMIT
    except subprocess.CalledProcessError as failure:
        raise Failed(f"svm-train ended with {failure.returncode}") from failure
    return time.perf_counter() - began


def svm(bench):
    """The soft margin from text to a gap of 1e-9, whole programs: ours before and after each run of the peer."""
    found = bench.real("a9a")
    if not found:
        return
    (path, data), ratios = found, []
    for C in (0.01, 1, 100):
        train = bench.halfspace("train", path, "-a", "svm", "-C", C, "--tol", "1e-9", "-o", bench.path("svm.hsm"))
        ours = [run(train)[0] for _ in range(3)]
        theirs = libsvm_seconds(path, C, bench.path("libsvm.model")) if "libsvm" in bench.peers else None
        ours += [run(train)[0] for _ in range(3)]
        mine = Timing(statistics.median(ours[1:]), min(ours[1:]), max(ours[1:]))
        peer = Timing(theirs, theirs, theirs) if theirs else None
        name = "svm-train -t 0 -e 1e-6" + (f", stopped at {LIMIT} s" if theirs == LIMIT else ", one run")
        bench.show(f"svm to 1e-9, C = {C}", data, mine, peer=name if peer else "", theirs=peer, asked="50" if peer else "")
        ratios += [theirs / mine.median] if peer else []
    if ratios:
        mean = statistics.geometric_mean(ratios)
        bench.remarks.append(f"svm to 1e-9, {data}: {mean:.0f} times as fast as svm-train, geometric mean over C")
