"""halfspace.dask: arrays, dataframes and delayed chunks on a cluster of two processes."""
import os
import signal
import threading
import time

import numpy as np
import pytest

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
import dask
import dask.array as da

import halfspace
import halfspace.dask as hd
from halfspace.parts import PART_ROWS as ROWS

rng = np.random.default_rng(8)
N = 3 * ROWS + 2000
X = rng.normal(size=(N, 5))
score = X @ np.array([1.0, -2.0, 0.5, 0.0, 0.3])
y = np.where(score + rng.logistic(size=N) > 0, "b", "a")
three = np.digitize(score, [-1.0, 1.0])
target = score + rng.normal(size=N)
weight = rng.integers(1, 3, size=N).astype(float)


@pytest.fixture(scope="module")
def client():
    with dask.config.set({"distributed.scheduler.allowed-failures": 10, "distributed.worker.daemon": False}):
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
            with distributed.Client(cluster) as made:
                yield made


@pytest.fixture(autouse=True)
def fixed_date(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")


def on_dask(values, rows=ROWS):
    return da.from_array(values, chunks=(rows, *values.shape[1:]))


@pytest.mark.parametrize("name, options, labels", [
    ("LogisticRegression", {"tol": 1e-8}, y), ("LogisticRegression", {"tol": 1e-8}, three), ("LinearSVC", {"tol": 1e-6}, y),
    ("Ridge", {}, target), ("LinearRegression", {}, target),
    ("RidgeClassifier", {}, three), ("LeastSquaresClassifier", {}, three), ("LinearDiscriminantAnalysis", {}, three),
    ("NearestMean", {}, three), ("FisherDiscriminant", {}, y),
])
def test_every_chunking_gives_the_same_bytes_and_the_optimum_of_memory(client, name, options, labels):
    made = [getattr(hd, name)(**options).fit(on_dask(X, rows), on_dask(labels, rows)) for rows in (ROWS, 2 * ROWS, N)]
    assert len({model._model.to_bytes() for model in made}) == 1
    memory = getattr(halfspace, name)(**options).fit(X, labels)
    np.testing.assert_allclose(made[0].coef_, memory.coef_, rtol=1e-3, atol=1e-4)


def test_weights_and_columns_in_blocks(client):
    lazy = da.from_array(X, chunks=(ROWS, 2))
    model = hd.LogisticRegression(class_weight="balanced", tol=1e-9).fit(lazy, on_dask(y, 1000), on_dask(weight, 5000))
    memory = halfspace.LogisticRegression(class_weight="balanced", tol=1e-9).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-3, atol=1e-3)


def test_unknown_chunk_sizes(client):
    kept = X[:, 0] > -1.0
    lazy = on_dask(X)
    mask = lazy[:, 0] > -1.0
    model = hd.LogisticRegression(tol=1e-9).fit(lazy[mask], on_dask(y)[mask])
    memory = halfspace.LogisticRegression(tol=1e-9).fit(X[kept], y[kept])
    np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-3, atol=1e-3)
    predicted = model.predict(lazy[mask])
    assert isinstance(predicted, da.Array) and (predicted.compute() == memory.predict(X[kept])).all()
    with pytest.raises(ValueError, match="chunk 0: .*inconsistent numbers"):
        hd.LogisticRegression().fit(lazy[mask], on_dask(y))


def test_delayed_chunks_and_empty_ones(client):
    pieces = [X[:ROWS], X[:0], X[ROWS:]]
    labels = [y[:ROWS], y[:0], y[ROWS:]]
    model = hd.LogisticRegression(tol=1e-8).fit([dask.delayed(p) for p in pieces], [dask.delayed(p) for p in labels])
    other = hd.LogisticRegression(tol=1e-8).fit(on_dask(X), on_dask(y))
    assert model._model.to_bytes() == other._model.to_bytes()


def test_dataframes(client):
    pandas = pytest.importorskip("pandas")
    try:
        import dask.dataframe as dd
    except ImportError as reason:
        pytest.skip(f"no dask.dataframe: {reason}")
    frame = pandas.DataFrame(X, columns=list("abcde")).assign(label=three)
    lazy = dd.from_pandas(frame, npartitions=3)
    model = hd.LogisticRegression(tol=1e-8).fit(lazy[list("abcde")], lazy["label"])
    memory = halfspace.LogisticRegression(tol=1e-8).fit(frame[list("abcde")], three)
    np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-3, atol=1e-3)
    assert model.feature_names_in_.tolist() == list("abcde")
    assert (model.predict(lazy[list("abcde")]).compute().to_numpy() == memory.predict(frame[list("abcde")])).mean() > 0.999
    assert model.predict_proba(lazy[list("abcde")]).compute().shape == (N, 3)
    with pytest.raises(ValueError, match="columns of numbers"):
        hd.LogisticRegression().fit(lazy[["a"]].assign(word="x"), lazy["label"])


def test_predictions_are_lazy_and_local_ones_are_not(client):
    model = hd.LogisticRegression().fit(on_dask(X), on_dask(y))
    for name in ("predict", "predict_proba", "decision_function"):
        lazy = getattr(model, name)(on_dask(X))
        assert isinstance(lazy, da.Array)
        np.testing.assert_array_equal(lazy.compute(), getattr(model, name)(X))


@pytest.mark.parametrize("give, words", [
    (lambda: (on_dask(X), on_dask(y[:-1])), "rows"),
    (lambda: (da.from_array(np.where(X > 3.9, np.nan, X), chunks=(ROWS, 5)), on_dask(y)), "chunk [0-9]: .*NaN"),
    (lambda: (on_dask(X), da.full(N, "a", chunks=ROWS)), "one class"),
    (lambda: ([dask.delayed(X[:9]), dask.delayed(X[:9, :2])], [dask.delayed(y[:9])] * 2), "chunk 1 has 2 columns"),
    (lambda: ([dask.delayed(X[:9])], [dask.delayed(y[:9])] * 2), "chunks"),
])
def test_faults_are_named(client, give, words):
    with pytest.raises(ValueError, match=words):
        hd.LogisticRegression().fit(*give())


def test_arrays_in_memory_are_refused(client):
    with pytest.raises(TypeError, match="dask array"):
        hd.LogisticRegression().fit(X, y)


def test_a_killed_worker_changes_nothing(client):
    expected = hd.LogisticRegression(tol=1e-8).fit(on_dask(X), on_dask(y))._model.to_bytes()
    rounds = []
    ask = hd.DaskEngine.ask

    def killing(self, request):
        rounds.append(len(request))
        if len(rounds) == 3:
            process = client.submit(os.getpid, pure=False).result()
            os.kill(process, signal.SIGKILL)
        return ask(self, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hd.DaskEngine, "ask", killing)
        found = hd.LogisticRegression(tol=1e-8).fit(on_dask(X), on_dask(y))._model.to_bytes()
    assert len(rounds) > 3 and found == expected


def test_a_worker_killed_while_it_answers(client):
    wide = rng.normal(size=(N, 40))
    options = {"tol": 1e-8}
    expected = hd.LogisticRegression(**options).fit(on_dask(wide), on_dask(y))._model.to_bytes()
    processes = list(client.run(os.getpid).values())
    ask = hd.DaskEngine.ask
    rounds = []

    def killing(self, request):
        rounds.append(1)
        if len(rounds) == 2:
            threading.Timer(0.005, os.kill, (processes[0], signal.SIGKILL)).start()
        return ask(self, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hd.DaskEngine, "ask", killing)
        assert hd.LogisticRegression(**options).fit(on_dask(wide), on_dask(y))._model.to_bytes() == expected


def test_a_cluster_without_workers_is_named():
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as alone:
            began = time.monotonic()
            with pytest.raises(TimeoutError, match=f"{alone.scheduler.address}.* no worker for 1 s.*timeout"):
                hd.LogisticRegression().fit(on_dask(X), on_dask(y), client=alone, timeout=1.0)
            assert time.monotonic() - began < 20
            for timeout in (0.0, -1.0, float("nan")):
                with pytest.raises(ValueError, match="timeout"):
                    hd.LogisticRegression().fit(on_dask(X), on_dask(y), client=alone, timeout=timeout)


def test_workers_that_all_leave_end_the_fit():
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as made:
            ask = hd.DaskEngine.ask
            rounds = []

            def leaving(self, request):
                rounds.append(1)
                if len(rounds) == 3:
                    cluster.sync(next(iter(cluster.workers.values())).close)
                return ask(self, request)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(hd.DaskEngine, "ask", leaving)
                with pytest.raises(TimeoutError, match="no worker"):
                    hd.LogisticRegression(tol=1e-8).fit(on_dask(X), on_dask(y), client=made, timeout=1.0)
            assert len(rounds) >= 3


def test_an_interrupt_leaves_no_tasks(client):
    ask = hd.DaskEngine.ask
    rounds = []

    def interrupting(self, request):
        rounds.append(1)
        if len(rounds) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return ask(self, request)

    def left(dask_scheduler):
        return [str(key) for key in dask_scheduler.tasks if "halfspace" in str(key)]

    began = time.monotonic()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hd.DaskEngine, "ask", interrupting)
        with pytest.raises(KeyboardInterrupt) as kept:
            hd.LogisticRegression(tol=1e-15, max_iter=10**6).fit(on_dask(X), on_dask(y), client=client)
    assert kept is not None and len(rounds) < 50  # its traceback keeps the frames of the fit alive
    while found := client.run_on_scheduler(left):
        assert time.monotonic() - began < 20, found
        time.sleep(0.05)
    model = hd.LogisticRegression(tol=1e-6).fit(on_dask(X), on_dask(y), client=client)
    assert model.certificate_["relative_gap"] <= 1e-6
