"""Functions on arrays, frames and files."""
from __future__ import annotations

import numpy as np
import pytest

import halfspace
from halfspace import InputError

FRUIT = "name,age,city,label\nAnn,3,\"Paris, FR\",yes\nBob,,Rome,no\nCid,5,Rome,yes\nDora,2,Oslo,no\n"


@pytest.fixture
def fruit(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(FRUIT)
    return path


def frames(X, names):
    """The same numbers as frames of all libraries that are installed."""
    made = []
    for name in ("pandas", "polars", "pyarrow"):
        try:
            module = __import__(name)
        except ImportError:
            continue
        columns = dict(zip(names, np.asarray(X).T))
        made.append(module.table(columns) if name == "pyarrow" else module.DataFrame(columns))
    return made


# ---- separability ----


def test_separable_with_hyperplane():
    X, y = np.array([[0.0, 1], [1, 0], [3, 3], [4, 2]]), np.array(["a", "a", "b", "b"])
    found = halfspace.separability(X, y)
    plane = found["hyperplane"]
    assert found["verdict"] == "separable" and found["proof"] == "exact"
    assert ((X @ plane["weights"] + plane["intercept"] > 0) == (y == "b")).all()


def test_not_separable_with_witness():
    found = halfspace.separability([[0.0], [1.0], [2.0]], [1, 0, 1])
    assert found["verdict"] == "not-separable" and len(found["witness"]["rows"]) == len(found["witness"]["multipliers"])


def test_separability_of_all_kinds_of_input(two_classes, tmp_path):
    X, y = two_classes
    sparse = pytest.importorskip("scipy.sparse")
    expected = halfspace.separability(X, y)
    assert expected["verdict"] == "not-separable"
    for other in (X.tolist(), np.asfortranarray(X), sparse.csr_matrix(X), sparse.csc_array(X), *frames(X, "uvw")):
        found = halfspace.separability(other, y)
        assert found["verdict"] == expected["verdict"] and found["data_hash"] == expected["data_hash"]


@pytest.mark.parametrize(
    "X, y",
    [
        ([[1.0], [2.0]], [0, 1, 0]),
        ([[1.0], [np.nan]], [0, 1]),
        ([[1.0], [2.0]], [[0, 1], [1, 0]]),
        ([["x"], ["y"]], [0, 1]),
        ([[1.0], [2.0]], "label"),
        ([[1.0], [2.0]], [0, np.nan]),
        ([[1.0], [np.inf]], [0, 1]),
        ([1.0, 2.0], [0, 1]),
    ],
)
def test_wrong_input(X, y):
    with pytest.raises(ValueError):
        halfspace.separability(np.array(X), y)


def test_wrong_option():
    with pytest.raises(InputError, match="unknown option"):
        halfspace.separability([[1.0], [2.0]], [0, 1], intercepts="none")


# ---- inspect ----


def test_inspect_array_and_file(fruit):
    X = np.column_stack([np.arange(6.0), np.ones(6), np.arange(6.0)])
    found = halfspace.inspect(X, [0, 1, 0, 1, 0, 1])
    assert found["rows"] == 6 and len(found["constant_columns"]) == 1 and len(found["duplicate_columns"]) == 1
    assert halfspace.inspect(fruit)["missing"] == 1
    assert halfspace.inspect(X)["classes"] is None


def test_inspect_counts_missing_values_of_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, np.nan, 3, 4], "b": ["x", "y", None, "x"]})
    assert halfspace.inspect(frame, [0, 1, 0, 1])["missing"] == 2
    named = frame.assign(kind=["p", "q", "p", "q"])
    assert halfspace.inspect(named, "kind")["classes"] == {"p": 2, "q": 2}


def test_inspect_counts_missing_values_of_arrays():
    pytest.importorskip("pyarrow")
    found = halfspace.inspect([[1.0, np.nan], [2.0, 3.0], [np.nan, np.nan], [4.0, 1.0]], [0, 1, 0, 1])
    assert found["missing"] == 3 and found["rows"] == 4 and found["features"] == 2
    assert any(finding["what"] == "missing" for finding in found["findings"])
    with pytest.raises(ValueError):
        halfspace.inspect([[np.inf, np.nan], [1.0, 2.0]], [0, 1])


def test_inspect_array_beside_a_file(fruit):
    with pytest.raises(InputError, match="name the column"):
        halfspace.inspect(fruit, [0, 1, 0, 1])


# ---- verify and load ----


@pytest.mark.parametrize("name", ["LogisticRegression", "LinearSVC", "RidgeClassifier"])
def test_verify(name, two_classes, tmp_path):
    X, y = two_classes
    fitted = getattr(halfspace, name)().fit(X, y)
    path = tmp_path / "m.hsm"
    fitted.save(path)
    assert halfspace.verify(fitted, X, y)["verified"] is True
    assert halfspace.verify(path, X, y)["verified"] is True
    wrong = X.copy()
    wrong[7, 1] += 1e-9
    found = halfspace.verify(fitted, wrong, y)
    assert found["verified"] is False and found["first_false"]


def test_verify_with_weights(two_classes):
    X, y = two_classes
    weights = np.arange(1.0, 61)
    fitted = halfspace.LogisticRegression(class_weight="balanced").fit(X, y, weights)
    assert halfspace.verify(fitted, X, y, sample_weight=weights)["verified"] is True
    assert halfspace.verify(fitted, X, y)["verified"] is False


def test_verify_of_a_table(fruit):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(fruit)
    fitted = halfspace.LogisticRegression(missing="mean").fit(frame.drop(columns="label"), frame["label"])
    assert halfspace.verify(fitted, frame.drop(columns="label"), frame["label"])["verified"] is True


def test_verify_of_model_files_and_data_files(fruit, tmp_path):
    """A model of a table, as the program trains it, against its file and against the frame of that file."""
    from halfspace._handles import Data, Model, Options

    model, _ = Model.train(Data.read(fruit, Options(missing="mean")), Options(algorithm="svm"))
    path = tmp_path / "m.hsm"
    model.save(path)
    assert halfspace.verify(path, fruit)["verified"] is True
    for name in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(name)
        X, y = halfspace.read(fruit, table=name)
        assert halfspace.verify(path, X, y)["verified"] is True
        assert halfspace.verify(path, X, y[::-1])["verified"] is False
    loaded = halfspace.load(path)
    assert loaded.n_features_in_ == 3 and loaded.predict(X).tolist() == y.tolist()


def test_verify_needs_a_model(two_classes, tmp_path):
    X, y = two_classes
    with pytest.raises(TypeError, match="not a model"):
        halfspace.verify(3, X, y)
    with pytest.raises(ValueError, match="not fitted"):
        halfspace.verify(halfspace.LogisticRegression(), X, y)
    with pytest.raises(FileNotFoundError):
        halfspace.verify(tmp_path / "nowhere.hsm", X, y)


def test_load(two_classes, tmp_path):
    X, y = two_classes
    fitted = halfspace.LogisticRegression(C=0.25).fit(X, y)
    fitted.save(tmp_path / "m.hsm")
    loaded = halfspace.load(tmp_path / "m.hsm")
    assert type(loaded) is halfspace.LogisticRegression and loaded.C == 0.25
    assert (loaded.classes_ == fitted.classes_).all() and (loaded.predict(X) == fitted.predict(X)).all()
    assert loaded.certificate_ == fitted.certificate_ and (loaded.coef_ == fitted.coef_).all()
    assert loaded.n_features_in_ == 3 and halfspace.verify(loaded, X, y)["verified"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(name for name in halfspace._ESTIMATORS if not name.endswith("Error")))
def test_load_of_every_class(name, tmp_path):
    """What was saved predicts as before, also after loading, cloning the state and saving again."""
    X, y = halfspace.generate("blobs", rows=60, seed=2)
    regression = name in ("Ridge", "LinearRegression", "Lasso", "ElasticNet") or name.endswith("Regressor")
    target = X[:, 0] - 2 * X[:, 1] if regression else np.where(y > 0, "yes", "no")
    fitted = getattr(halfspace, name)().fit(X, target)
    fitted.save(tmp_path / "m.hsm")
    loaded = halfspace.load(tmp_path / "m.hsm")
    assert type(loaded) is type(fitted)
    assert (loaded.predict(X) == fitted.predict(X)).all()
    assert loaded.score(X, target) == fitted.score(X, target)
    loaded.save(tmp_path / "again.hsm")
    assert (tmp_path / "again.hsm").read_bytes() == (tmp_path / "m.hsm").read_bytes()


def test_load_regression_and_numbers_as_labels(tmp_path):
    X, y = halfspace.generate("linear", rows=50)
    halfspace.Ridge().fit(X, y).save(tmp_path / "r.hsm")
    assert isinstance(halfspace.load(tmp_path / "r.hsm"), halfspace.Ridge)
    X, y = halfspace.generate("squares", rows=40)
    halfspace.LinearSVC().fit(X, y).save(tmp_path / "s.hsm")
    assert halfspace.load(tmp_path / "s.hsm").classes_.tolist() == [-1, 1]


def test_load_wrong(tmp_path):
    (tmp_path / "x.hsm").write_bytes(b"nothing of the kind")
    with pytest.raises(InputError):
        halfspace.load(tmp_path / "x.hsm")
    with pytest.raises(FileNotFoundError):
        halfspace.load(tmp_path / "y.hsm")


# ---- explain ----


def test_explain(two_classes):
    found = halfspace.explain(*two_classes, "fisher")
    assert found.algorithm == "fisher" and found.exists and len(found) == len(found.sections)
    means = found["The class means"]
    assert means.title in found.text and isinstance(means.values, dict)
    assert found._repr_markdown_().startswith("## ") and "$" in found.markdown
    assert found[0].title == found.sections[0].title
    with pytest.raises(KeyError):
        found["no such section"]


def test_explain_a_margin_that_does_not_exist(two_classes):
    assert halfspace.explain(*two_classes, "hard-svm").exists is False
    assert halfspace.explain([[0.0], [1.0]], [0, 1], "hard-svm").exists is True


# ---- read and generate ----


def test_read_numbers(tmp_path):
    path = tmp_path / "n.csv"
    path.write_text("u,v,label\n1,2.5,1\n0.1,-4,-1\n")
    X, y = halfspace.read(path)
    assert X.dtype == np.float64 and X.tolist() == [[1, 2.5], [0.1, -4]] and y.tolist() == [1, -1] and y.dtype == np.int64
    X, y = halfspace.read(path, target="v", task="regression")
    assert y.tolist() == [2.5, -4]


def test_read_compressed_and_sparse(tmp_path):
    import gzip

    pytest.importorskip("scipy")
    path = tmp_path / "s.svm.gz"
    path.write_bytes(gzip.compress(b"+1 1:2 7:3\n-1 2:-0.5\n"))
    X, y = halfspace.read(path)
    assert X.format == "csr" and X.toarray()[0, 6] == 3 and X.toarray()[1, 1] == -0.5 and y.tolist() == [1, -1]


def test_read_large_sparse_equals_generated(tmp_path):
    pytest.importorskip("scipy")
    X, y = halfspace.generate("sparse", rows=50)
    assert X.shape == (50, 10000) and X.nnz < 50 * 1000
    assert (X.max() > 0) and set(y.tolist()) == {-1, 1}


@pytest.mark.parametrize("table", ["pandas", "polars", "pyarrow"])
def test_read_tables(fruit, table):
    pytest.importorskip(table)
    X, y = halfspace.read(fruit, table=table)
    assert y.tolist() == ["yes", "no", "yes", "no"]
    if table == "pandas":
        columns = X.to_dict("list")
    else:
        columns = X.to_pydict() if table == "pyarrow" else X.to_dict(as_series=False)
    assert list(columns) == ["name", "age", "city"] and columns["city"][0] == "Paris, FR"
    gap = columns["age"][1]
    assert gap is None or gap != gap
    assert columns["age"][2] == 5


def test_codes_stay_text(tmp_path):
    pytest.importorskip("pandas")
    path = tmp_path / "codes.csv"
    path.write_text("zip,phone,x,label\n01067,+49170123,1.5,a\n10115,+49170124,,b\n01067,+49170125,2,a\n")
    X, _ = halfspace.read(path, table="pandas")
    assert X["zip"].tolist() == ["01067", "10115", "01067"] and X["phone"][0] == "+49170123"
    assert X["x"].tolist()[::2] == [1.5, 2.0]


def test_read_encoded(fruit):
    X, _ = halfspace.read(fruit, table="encoded")
    assert X.shape == (4, 8) and X.dtype.kind == "f"
    with pytest.raises(InputError, match="choose"):
        halfspace.read(fruit, table="dask")


def test_read_equals_training_on_the_frame(fruit):
    """A frame that was read trains as the file does."""
    pytest.importorskip("pandas")
    X, y = halfspace.read(fruit, table="pandas")
    fitted = halfspace.LogisticRegression(missing="mean").fit(X, y)
    assert fitted.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("kind", ["squares", "blobs", "xor", "moons", "circles", "spirals", "linear"])
def test_generate(kind):
    X, y = halfspace.generate(kind, rows=30, seed=5)
    again, _ = halfspace.generate(kind, rows=30, seed=5)
    other, _ = halfspace.generate(kind, rows=30, seed=6)
    assert X.shape[0] == len(y) == 30 and (X == again).all() and (X != other).any()


def test_generate_wrong():
    with pytest.raises(InputError):
        halfspace.generate("square")
    with pytest.raises(InputError):
        halfspace.generate("squares", rows=0)
