"""Threads: fits side by side, each with its own cancel; shares of processors; Ctrl-C."""
from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import halfspace
from halfspace._handles import Data, Job, Model, Options
from halfspace._threads import allowed_threads, available_threads


def noisy(seed=0, n=2000, d=20):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.integers(0, 2, n)


def noisy_data(seed=0, n=2000, d=20):
    X, y = noisy(seed, n, d)
    return Data.from_arrays(X, labels=(y, ["0", "1"]))


ENDLESS = {"algorithm": "perceptron", "max-epochs": 10**12}


def test_fits_in_threads_give_the_bits_of_one_thread():
    def fit(seed):
        return halfspace.LogisticRegression().fit(*noisy(seed)).coef_

    expected = [fit(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(fit, range(8)))
    assert all((a == b).all() for a, b in zip(expected, found))


def test_two_fits_one_cancelled():
    """Cancelling a job does not stop another fit."""
    data, other = noisy_data(1), noisy_data(2)
    job = Job(data, Options(ENDLESS))
    fitted = {}
    thread = threading.Thread(target=lambda: fitted.update(r=Model.train(other, Options(algorithm="logistic"))))
    thread.start()
    assert not job.step(0.05)
    job.cancel()
    _, stopped = job.result()
    thread.join(30)
    assert stopped["stop_reason"] == "cancelled"
    assert fitted["r"][1]["converged"] is True and fitted["r"][1]["stop_reason"] != "cancelled"


def test_cancel_of_the_other():
    """A fit that goes on is not stopped when another one ends or is cancelled."""
    long, short = Job(noisy_data(1), Options(ENDLESS)), Job(noisy_data(2), Options(ENDLESS))
    short.cancel()
    assert short.step(30)
    assert not long.step(0.2)
    assert long.progress() is not None
    long.close()


def test_job_that_is_forgotten_ends():
    job = Job(noisy_data(), Options(ENDLESS))
    started = time.monotonic()
    del job
    assert time.monotonic() - started < 20


def test_result_is_taken_once():
    job = Job(noisy_data(n=100), Options())
    model, report = job.result()
    assert model is not None and report["rows"] == 100
    with pytest.raises(halfspace.InputError):
        job.result()


def test_progress_in_another_thread_stops_its_own_fit():
    with ThreadPoolExecutor(2) as pool:
        stopped = pool.submit(Model.train, noisy_data(1), Options(ENDLESS), progress=lambda line: line.epoch > 5)
        goes_on = pool.submit(Model.train, noisy_data(2), Options(algorithm="svm"))
        assert stopped.result(60)[1]["stop_reason"] == "cancelled"
        assert goes_on.result(60)[1]["converged"] is True


# ---- Ctrl-C, in a process of its own ----


def environment():
    """That of this process, in which the child finds the same package in any folder."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(halfspace.__file__)))
    return {**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])}


INTERRUPTED = """
import sys, numpy as np, halfspace
from halfspace._handles import Data, Model, Options
rng = np.random.default_rng(0)
X, y = rng.normal(size=(%(rows)d, 20)), rng.integers(0, 2, %(rows)d)
data = Data.from_arrays(X, labels=(y, ["0", "1"]))
lines = []
path = "interrupted.csv"
data.write(path)
print("ready", flush=True)
try:
    %(call)s
except KeyboardInterrupt:
    print("interrupted", flush=True)
small = Data.from_arrays(X[:50], labels=(y[:50], ["0", "1"]))
print(Model.train(small, Options())[0].apply(small, "classes").shape, flush=True)
"""


@pytest.mark.parametrize(
    "call, rows",
    [
        ('Model.train(data, Options({"algorithm": "perceptron", "max-epochs": 10**12}))', 5000),
        ('Model.train(data, Options({"algorithm": "perceptron", "max-epochs": 10**12}), progress=lines.append)', 5000),
        ('[Model.train(data, Options(algorithm="perceptron"), progress=lambda line: None) for _ in range(10**9)]', 100),
        ("for _ in range(10**9): halfspace.NearestMean().fit(X, y)", 100),
        ('halfspace.cross_validate("perceptron", X, y, max_epochs=10**9, folds=5)', 5000),
        ("for _ in range(10**9): halfspace.read(path)", 5000),
    ],
)
def test_keyboard_interrupt(call, rows, tmp_path):
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED % {"call": call, "rows": rows}], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment())
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.7)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert out.splitlines() == ["interrupted", "(50,)"], err


# ---- shares ----


def test_environment(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert allowed_threads() == 1
    assert Options().limit_threads().get("threads") == "1"
    assert Options(threads=3).limit_threads().get("threads") == "3"
    monkeypatch.setenv("OMP_NUM_THREADS", "2,1")
    assert allowed_threads() == 2
    for nothing in ("", "0", "many"):
        monkeypatch.setenv("OMP_NUM_THREADS", nothing)
        assert allowed_threads() is None


def test_threadpoolctl(monkeypatch):
    threadpoolctl = pytest.importorskip("threadpoolctl")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if available_threads() < 2:
        pytest.skip("needs two processors")
    assert allowed_threads() is None
    with threadpoolctl.threadpool_limits(1):
        assert allowed_threads() == 1
    assert allowed_threads() is None


@pytest.mark.current
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_joblib(backend, monkeypatch):
    joblib = pytest.importorskip("joblib")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    shares = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(_share)() for _ in range(4))
    assert shares == [max(1, available_threads() // 2) if backend == "loky" else 1] * 4
    assert joblib.Parallel(n_jobs=1)(joblib.delayed(_share)() for _ in range(1)) == [None]
    assert allowed_threads() is None


def _share():
    return allowed_threads()


def test_threads_do_not_change_the_bits():
    X, y = noisy(3)
    one = halfspace.LogisticRegression(n_jobs=1).fit(X, y)
    two = halfspace.LogisticRegression(n_jobs=2).fit(X, y)
    assert (one.coef_ == two.coef_).all() and (one.decision_function(X) == two.decision_function(X)).all()


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="needs affinity")
def test_affinity():
    assert available_threads() == len(os.sched_getaffinity(0))


FINALIZED = """
import time
from halfspace._finalizer import finalizer

class Handle:
    @finalizer
    def __del__(self):
        raise KeyboardInterrupt

try:
    Handle()  # freed at once
    time.sleep(50)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_in_a_finalizer_is_not_lost():
    done = subprocess.run([sys.executable, "-c", FINALIZED], capture_output=True, text=True, timeout=60, env=environment())
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")
