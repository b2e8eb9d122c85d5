"""Training over parts: the same bits for every division, the same optimum as in memory, and faults that are named."""
import pickle
import threading

import numpy as np
import pytest

import halfspace
from halfspace import parts
from halfspace._chunks import Placement, describe, fit, options_of, part_of

ROWS = parts.PART_ROWS
rng = np.random.default_rng(7)
N = 2 * ROWS + 5000
X = rng.normal(size=(N, 6))
score = X @ np.array([1.0, -2.0, 0.5, 0.0, 0.3, 0.0]) + 0.2
binary = np.where(score + rng.logistic(size=N) > 0, "yes", "no")
three = np.digitize(score + rng.normal(size=N), [-1.0, 1.0])
target = score + rng.normal(size=N)
weight = rng.integers(1, 4, size=N).astype(float)


class Here(Placement):
    """Chunks in this process, asked in some order."""

    threads = 1

    def __init__(self, chunks, order=1):
        self.chunks, self.order = chunks, order

    def describe(self, estimator):
        return [describe(estimator, chunk) for chunk in self.chunks]

    def engine(self, specs):
        made = [part_of(spec, chunk) for spec, chunk in zip(specs, self.chunks) if spec is not None]
        order = self.order

        class Serial(parts.Engine):
            name = "serial"
            count = len(made)

            def ask(self, request):
                return parts.add(*[part.answer(request) for part in made[::order]])

        return Serial()


def chunks_of(cuts, y, weights=None):
    edges = [0, *cuts, N]
    return [(X[a:b], y[a:b], None if weights is None else weights[a:b]) for a, b in zip(edges, edges[1:])]


ESTIMATORS = [
    (halfspace.LogisticRegression(tol=1e-8), binary),
    (halfspace.LogisticRegression(tol=1e-8), three),
    (halfspace.LogisticRegression(l1_ratio=1.0, C=0.01, tol=1e-6), binary),
    (halfspace.LinearSVC(tol=1e-6), binary),
    (halfspace.LinearSVC(tol=1e-6), three),
    (halfspace.LinearSVC(loss="hinge", tol=1e-3), binary),
    (halfspace.Ridge(), target),
    (halfspace.LinearRegression(), target),
    (halfspace.RidgeClassifier(), three),
    (halfspace.LinearDiscriminantAnalysis(), three),
    (halfspace.NearestMean(), three),
    (halfspace.FisherDiscriminant(), binary),
]


@pytest.fixture(autouse=True)
def fixed_date(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")


def clone(estimator):
    return type(estimator)(**estimator.get_params())


@pytest.mark.parametrize("estimator, y", ESTIMATORS, ids=lambda v: repr(v)[:60] if hasattr(v, "fit") else v.dtype.kind)
def test_every_division_gives_the_same_bytes_and_the_optimum_of_memory(estimator, y):
    whole = fit(clone(estimator), Here(chunks_of([], y)))
    for cuts, order in (([ROWS], 1), ([ROWS, 2 * ROWS], -1)):
        divided = fit(clone(estimator), Here(chunks_of(cuts, y), order))
        assert divided._model.to_bytes() == whole._model.to_bytes()
    memory = clone(estimator).fit(X, y)
    hinge = getattr(estimator, "loss", "") == "hinge"
    np.testing.assert_allclose(whole.coef_, memory.coef_, rtol=1e-3, atol=2e-2 if hinge else 1e-3)
    if memory.certificate_ is not None and not isinstance(estimator, halfspace.LinearRegression):
        assert whole.certificate_["verified"]
        np.testing.assert_allclose(whole.certificate_["objective"], memory.certificate_["objective"], rtol=1e-3 if hinge else 2e-6)
    assert y is target or np.mean(whole.predict(X) == memory.predict(X)) > (0.99 if hinge else 0.999)


def test_weights_of_rows_and_classes_are_those_of_fit():
    for class_weight in (None, "balanced", {"yes": 2.0}):
        estimator = halfspace.LogisticRegression(tol=1e-9, class_weight=class_weight)
        memory = clone(estimator).fit(X, binary, weight)
        divided = fit(clone(estimator), Here(chunks_of([ROWS], binary, weight)))
        np.testing.assert_allclose(divided.coef_, memory.coef_, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(divided.certificate_["objective"], memory.certificate_["objective"], rtol=2e-9)


def test_chunks_without_rows_and_with_one_class_each():
    order = np.argsort(binary, kind="stable")
    a, b = X[order], binary[order]
    cut = int(np.searchsorted(b, "yes"))
    pieces = [(a[:0], b[:0], None), (a[:cut], b[:cut], None), (a[cut:], b[cut:], None)]
    divided = fit(halfspace.LogisticRegression(tol=1e-9), Here(pieces))
    assert divided.classes_.tolist() == ["no", "yes"]
    memory = halfspace.LogisticRegression(tol=1e-9).fit(X, binary)
    np.testing.assert_allclose(divided.certificate_["objective"], memory.certificate_["objective"], rtol=2e-9)


def test_sparse_chunks_are_as_dense_ones():
    from scipy import sparse

    thin = np.where(rng.random((N, 6)) < 0.3, X, 0.0)
    dense = fit(halfspace.LogisticRegression(tol=1e-9), Here([(thin[:ROWS], binary[:ROWS], None), (thin[ROWS:], binary[ROWS:], None)]))
    pieces = [(sparse.csr_array(thin[:ROWS]), binary[:ROWS], None), (sparse.csr_array(thin[ROWS:]), binary[ROWS:], None)]
    np.testing.assert_allclose(fit(halfspace.LogisticRegression(tol=1e-9), Here(pieces)).coef_, dense.coef_, rtol=1e-6)


def test_names_of_columns_are_kept():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    divided = fit(halfspace.LogisticRegression(), Here([(frame[:ROWS], binary[:ROWS], None), (frame[ROWS:], binary[ROWS:], None)]))
    assert divided.feature_names_in_.tolist() == list("abcdef")
    assert divided.predict(frame[:3]).shape == (3,)


@pytest.mark.parametrize("pieces, words", [
    ([(X[:9], binary[:9], None), (X[:9, :3], binary[:9], None)], "chunk 1 has 3 columns"),
    ([(X[:9], np.repeat("no", 9), None)], "only one class"),
    ([(X[:0], binary[:0], None)], "all chunks are empty"),
    ([(X[:9], binary[:8], None)], "inconsistent numbers of samples"),
    ([(np.full((9, 6), np.nan), binary[:9], None)], "NaN"),
    ([(X[:9], binary[:9], -np.ones(9))], "Negative values"),
])
def test_faults_are_named(pieces, words):
    with pytest.raises(ValueError, match=words):
        fit(halfspace.LogisticRegression(), Here(pieces))


def test_what_needs_folds_or_all_rows_is_refused():
    with pytest.raises(ValueError, match="folds"):
        fit(halfspace.LinearSVC(calibrate="platt"), Here(chunks_of([], binary)))
    with pytest.raises(ValueError, match="over parts"):
        fit(halfspace.Perceptron(), Here(chunks_of([ROWS], binary)))


def sample():
    placement = Here(chunks_of([ROWS], binary))
    est = halfspace.LogisticRegression()
    from halfspace._chunks import specs_of

    specs, problem = specs_of(est, placement.describe(est), 1)
    return est, placement, specs, problem


def test_a_part_that_was_sent_elsewhere_gives_the_same_bytes():
    est, placement, specs, problem = sample()
    requests = []

    class Twice(parts.Engine):
        def ask(self, request):
            requests.append(request)
            replies = [pickle.loads(pickle.dumps(part)).answer(request) for part in made]
            assert replies == [part.answer(request) for part in made]
            return parts.add(*replies[::-1])

    made = [part_of(spec, chunk) for spec, chunk in zip(specs, placement.chunks)]
    from halfspace._options import Options
    from halfspace._parts import train

    train(Twice(), Options(algorithm="logistic"))
    assert len(requests) > 2
    reply = made[0].answer(requests[1])
    for bad in (b"", b"junk", requests[1][:-1], requests[1][:40], b"\0" * 200):
        with pytest.raises(halfspace.InputError):
            made[0].answer(bad)
        with pytest.raises(halfspace.InputError):
            parts.add(reply, bad)
    with pytest.raises(halfspace.InputError):
        parts.add(reply, reply)
    with pytest.raises(halfspace.InputError):
        parts.add(reply, made[1].answer(requests[2]))


def test_what_an_engine_raises_is_raised_by_the_fit():
    class Broken(parts.Engine):
        def ask(self, request):
            raise RuntimeError("the cluster is gone")

    with pytest.raises(RuntimeError, match="the cluster is gone"):
        parts.train(Broken(), "logistic")

    class Junk(parts.Engine):
        def ask(self, request):
            return b"junk"

    with pytest.raises(halfspace.HalfspaceError):
        parts.train(Junk(), "logistic")


def test_an_interrupt_ends_a_fit():
    import _thread

    asked = threading.Event()

    class Slow(parts.Engine):
        def ask(self, request):
            asked.set()
            threading.Event().wait(60)
            return b""

    threading.Thread(target=lambda: (asked.wait(30), _thread.interrupt_main()), daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        parts.train(Slow(), "logistic")


def test_files_in_parts(tmp_path):
    paths = []
    for k, (a, b) in enumerate(((0, ROWS), (ROWS, N))):
        np.savetxt(tmp_path / f"{k}.csv", np.column_stack([X[a:b, :3], three[a:b]]), delimiter=",", header="a,b,c,label", comments="",
                   fmt=["%.4f"] * 3 + ["%d"])
        paths.append(tmp_path / f"{k}.csv")

    class Serial(parts.Engine):
        def __init__(self, descriptions):
            self.parts = [parts.Part.open(text) for text in descriptions]

        def ask(self, request):
            return parts.add(*[part.answer(request) for part in self.parts])

    found = {parts.train(Serial(parts.plan(paths, count)), "logistic", tol=1e-7)._model.to_bytes() for count in (1, 2, 3, 9)}
    assert len(found) == 1
    with pytest.raises(FileNotFoundError):
        parts.plan([tmp_path / "absent.csv"], 2)


def test_processes():
    pytest.importorskip("joblib")
    from halfspace import processes

    whole = fit(halfspace.LogisticRegression(tol=1e-8), Here(chunks_of([], binary)))
    divided = processes.fit_chunks(halfspace.LogisticRegression(tol=1e-8), chunks_of([ROWS, 2 * ROWS], binary), 2)
    assert divided._model.to_bytes() == whole._model.to_bytes()


def test_a_process_that_dies_is_replaced():
    joblib = pytest.importorskip("joblib")
    import os
    import signal

    from halfspace import processes
    from halfspace._chunks import specs_of
    from halfspace._options import Options
    from halfspace._parts import train

    placement = Here(chunks_of([ROWS, 2 * ROWS], binary))
    est = halfspace.LogisticRegression(tol=1e-8)
    specs, problem = specs_of(est, placement.describe(est), 1)

    class Killing(processes.ProcessEngine):
        rounds = 0

        def ask(self, request):
            self.rounds += 1
            if self.rounds == 3:
                os.kill(self._parallel([joblib.delayed(os.getpid)()])[0], signal.SIGKILL)
            return super().ask(request)

    engine = Killing([(part_of, pair) for pair in zip(specs, placement.chunks)], 2)
    model, _ = train(engine, Options(options_of(est, problem)))
    engine.close()
    assert engine.rounds > 3
    assert model.to_bytes() == fit(halfspace.LogisticRegression(tol=1e-8), Here(chunks_of([], binary)))._model.to_bytes()
