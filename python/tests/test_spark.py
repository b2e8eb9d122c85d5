"""halfspace.spark: DataFrames on local[2]. The packages are those of python/requirements-spark.txt (`make check-full`)."""
import os
import shutil
import sys

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)
from pyspark.sql import SparkSession

import halfspace
import halfspace.spark as hs
from halfspace.parts import PART_ROWS as ROWS

rng = np.random.default_rng(8)
N = 3 * ROWS + 2000
X = rng.normal(size=(N, 4))
score = X @ np.array([1.0, -2.0, 0.5, 0.3])
LABELS = {
    "y": np.where(score + rng.logistic(size=N) > 0, "b", "a"),
    "three": np.digitize(score, [-1.0, 1.0]),
    "target": score + rng.normal(size=N),
}
FEATURES = list("abcd")


@pytest.fixture(scope="module")
def session():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    made = builder.getOrCreate()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The rows as Parquet files: one file a partition, of whole blocks."""
    import pyarrow
    import pyarrow.parquet

    def write(cuts):
        folder = tmp_path_factory.mktemp("rows")
        edges = [0, *cuts, N]
        for k, (a, b) in enumerate(zip(edges, edges[1:])):
            columns = {name: X[a:b, j] for j, name in enumerate(FEATURES)}
            columns.update({name: values[a:b] for name, values in LABELS.items()})
            pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"{k}.parquet")
        return folder

    return [write([]), write([ROWS, 2 * ROWS])]


@pytest.fixture(autouse=True)
def fixed_date(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")


def frames(session, files):
    """Each file is a partition, in the order of the names."""
    for folder in files:
        parts = [session.read.parquet(str(path)).coalesce(1) for path in sorted(folder.iterdir())]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.union(part)
        yield whole


@pytest.mark.parametrize("name, options, label", [
    ("LogisticRegression", {"tol": 1e-8}, "y"), ("LogisticRegression", {"tol": 1e-8}, "three"), ("Ridge", {}, "target"),
    ("LinearDiscriminantAnalysis", {}, "three"), ("LinearSVC", {"tol": 1e-6}, "y"),
])
def test_every_partitioning_gives_the_same_bytes_and_the_optimum_of_memory(session, files, name, options, label):
    made = [getattr(hs, name)(**options).fit(frame, label, FEATURES) for frame in frames(session, files)]
    assert len({model._model.to_bytes() for model in made}) == 1
    memory = getattr(halfspace, name)(**options).fit(X, LABELS[label])
    np.testing.assert_allclose(made[0].coef_, memory.coef_, rtol=1e-3, atol=1e-4)


def test_a_column_of_arrays(session, files):
    from pyspark.sql import functions

    frame = next(frames(session, files))
    model = hs.LogisticRegression().fit(frame.select(functions.array(*FEATURES).alias("x"), "y"), "y")
    np.testing.assert_allclose(model.coef_, halfspace.LogisticRegression().fit(X, LABELS["y"]).coef_, rtol=1e-4)


@pytest.mark.parametrize("features, label, words", [
    (["a", "zz"], "y", "no column 'zz'"), (["a", "y"], "three", "type string"), (None, "absent", "no column 'absent'"),
])
def test_faults_are_named(session, files, features, label, words):
    with pytest.raises(ValueError, match=words):
        hs.LogisticRegression().fit(next(frames(session, files)), label, features)


def test_nulls_are_named(session, files):
    from pyspark.sql import functions

    frame = next(frames(session, files)).withColumn("a", functions.when(functions.col("a") > 0, functions.col("a")))
    with pytest.raises(Exception, match="nulls"):
        hs.LogisticRegression().fit(frame, "y", FEATURES)


def test_a_killed_worker_changes_nothing(session, files):
    import signal

    def pids(batches):  # inside: the workers do not have this file
        import pyarrow

        for _ in batches:
            pass
        yield pyarrow.RecordBatch.from_pydict({"pid": pyarrow.array([os.getpid()], pyarrow.int64())})

    frame = list(frames(session, files))[1]
    expected = hs.LogisticRegression(tol=1e-8).fit(frame, "y", FEATURES)._model.to_bytes()
    ask, rounds = hs.SparkEngine.ask, []

    def killing(self, request):
        rounds.append(1)
        if len(rounds) == 3:
            found = {row["pid"] for row in session.range(2, numPartitions=2).mapInArrow(pids, "pid long").collect()}
            os.kill(found.pop(), signal.SIGKILL)
        return ask(self, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hs.SparkEngine, "ask", killing)
        assert hs.LogisticRegression(tol=1e-8).fit(frame, "y", FEATURES)._model.to_bytes() == expected
    assert len(rounds) > 3
