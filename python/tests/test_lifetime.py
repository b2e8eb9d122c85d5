"""Memory: what is borrowed is kept and given back, and nothing grows."""
from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import weakref

import numpy as np
import pytest

import halfspace
from halfspace import InputError, _data
from halfspace._handles import Data, Model, Options


@pytest.fixture(autouse=True)
def nothing_stays():
    """Every test gives back all that it lent."""
    gc.collect()
    before = len(_data._kept)
    yield
    gc.collect()
    assert len(_data._kept) == before


def matrix(n=50, d=4):
    return np.random.default_rng(0).normal(size=(n, d))


def test_array_is_borrowed_until_the_data_are_freed():
    X = matrix()
    alive = weakref.ref(X)
    data = Data.from_arrays(X)
    del X
    gc.collect()
    assert alive() is not None
    data.close()
    assert alive() is None


def test_data_object_that_is_forgotten_gives_back_its_array():
    X = matrix()
    alive = weakref.ref(X)
    Data.from_arrays(X)
    del X
    gc.collect()
    assert alive() is None


def test_array_is_not_copied():
    """The data are a view: what the caller writes, the library reads."""
    X = matrix()
    data = Data.from_arrays(X)
    X[0, 0] = 1000.0
    assert data.array("column-max")[0] == 1000.0


def test_sparse_arrays_are_kept():
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.csr_array(sparse.random(40, 3000, density=0.01, random_state=1))
    X.sort_indices()
    expected = X.toarray().max(axis=0)
    before = len(_data._kept)
    data = Data.from_arrays(X)
    assert len(_data._kept) == before + 1
    del X
    gc.collect()
    assert (data.array("column-max") == expected).all()
    data.close()
    assert len(_data._kept) == before


def test_csc_is_given_back_at_once():
    sparse = pytest.importorskip("scipy.sparse")
    before = len(_data._kept)
    data = Data.from_arrays(sparse.csc_array(np.eye(3)))
    assert len(_data._kept) == before and data.rows == 3


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_array_is_given_back_after_a_failure(bad):
    X = matrix()
    X[3, 1] = bad
    alive = weakref.ref(X)
    with pytest.raises(InputError):
        Data.from_arrays(X)
    del X
    gc.collect()
    assert alive() is None


def test_read_only_and_mapped_arrays(tmp_path):
    X, y = matrix(), np.arange(50) % 2
    np.save(tmp_path / "x.npy", X)
    expected = halfspace.LogisticRegression().fit(X, y).coef_
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert (halfspace.LogisticRegression().fit(mapped, y).coef_ == expected).all()
    X.flags.writeable = y.flags.writeable = False
    assert (halfspace.LogisticRegression().fit(X, y).coef_ == expected).all()


def test_model_outlives_its_data():
    X, y = matrix(), np.arange(50) % 2
    data = Data.from_arrays(X, labels=(y, ["0", "1"]))
    model, report = Model.train(data, Options())
    scores = model.apply(data, "scores")
    data.close()
    del X, data
    gc.collect()
    again = Data.from_arrays(matrix())
    assert (model.apply(again, "scores") == scores).all() and report["rows"] == 50


def test_closed_data():
    data = Data.from_arrays(matrix())
    data.close()
    data.close()
    assert repr(data) == "Data(closed)"
    for use in (lambda: data.rows, lambda: data.array("labels"), lambda: Model.train(data, Options())):
        with pytest.raises(ctypes.ArgumentError, match="the data were closed"):
            use()


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_does_not_grow(monkeypatch):
    """1000 fits of 20 kB of rows, with predictions and reports, take less than 4 MB more than 100 of them did."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    X, y = matrix(500, 5), np.arange(500) % 3
    pairs = [(X, y), (X.astype(np.float32), y.astype(str))]

    def fit(k):
        fitted = halfspace.RidgeClassifier().fit(*pairs[k % 2])
        fitted.predict(X[:50])
        return fitted.report_["rows"]

    for k in range(100):
        fit(k)
    gc.collect()
    before = resident()
    for k in range(1000):
        assert fit(k) == 500
    gc.collect()
    assert resident() - before < 4 << 20


# ---- fork ----


def _fit_in_child(seed):
    X = np.random.default_rng(seed).normal(size=(3000, 10))
    return halfspace.LogisticRegression().fit(X, X[:, 0] > 0.3).coef_


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork():
    """Children fit as the parent does, also after it has used its threads."""
    expected = [_fit_in_child(seed) for seed in range(4)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(_fit_in_child, range(4)).get(timeout=60)
    for a, b in zip(expected, found):
        assert (a == b).all()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_handles_from_before_a_fork():
    """A child uses and frees the handles of its parent, which keeps its own."""
    X, y = matrix(), np.arange(50) % 2
    data = Data.from_arrays(X, labels=(y, ["0", "1"]))
    model, _ = Model.train(data, Options())
    expected = model.apply(data, "scores")
    child = os.fork()
    if child == 0:
        same = (model.apply(data, "scores") == expected).all()
        data.close()
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert (model.apply(data, "scores") == expected).all()
