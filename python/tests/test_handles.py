"""Options, data, reports and models as handles."""
from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from halfspace import FileError, HalfspaceError, InputError
from halfspace._handles import Data, Job, Model, Options, Report


def make_data(X, y):
    names, codes = np.unique(y, return_inverse=True)
    return Data.from_arrays(X, labels=(codes, [str(name) for name in names]))


@pytest.fixture
def data(two_classes):
    return make_data(*two_classes)


# ---- options ----


def test_numbers_keep_their_bits():
    options = Options({"C": 0.1 + 0.2, "tol": np.float64(1e-7), "max_epochs": 17})
    assert float(options.get("C")) == 0.1 + 0.2
    assert float(options.get("tol")) == 1e-7
    assert options.get("max-epochs") == "17"


def test_other_values_are_spelt_as_on_the_command_line():
    options = Options(stratify=True, lambdas=[0.5, 1, 1e-3], class_weight={"a": 2, "b": 0.5})
    for name, value in (("C", np.float32(0.5)), ("seed", np.int32(4))):
        options.set(name, value)
    assert options.get("stratify") == "yes"
    assert options.get("lambdas") == "0.5,1,0.001"
    assert options.get("class-weight") == "a=2,b=0.5"
    assert options.get("C") == "0.5" and options.get("seed") == "4"


def test_none_is_skipped():
    options = Options({"C": None}, seed=None)
    assert not options.given("C") and not options.given("seed")
    assert options.get("seed") == "1"


@pytest.mark.parametrize(
    "name, value",
    [("no-such-option", 1), ("C", -1.0), ("C", math.nan), ("C", "abc"), ("seed", 0.5), ("stratify", 2), ("title", "a\0b")],
)
def test_wrong_options(name, value):
    with pytest.raises(InputError):
        Options({name: value})
    with pytest.raises(ValueError):
        Options({name: value})


# ---- data ----


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", "f8 f4 f2 i8 i4 i2 i1 u8 u4 u2 u1 ? >f8 >i4".split())
def test_dense_arrays(dtype, order):
    X = np.asarray(np.arange(12).reshape(4, 3) % 5, dtype=dtype, order=order)
    data = Data.from_arrays(X, labels=(np.array([0, 1, 1, 0]), ["p", "q"]))
    assert (data.rows, data.features, data.class_names) == (4, 3, ["p", "q"])
    assert data.array("column-max").tolist() == X.astype(float).max(axis=0).tolist()
    assert data.array("labels").tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[::-1], np.s_[:, ::2], np.s_[:, ::-1], np.s_[1:, 1:]])
def test_strides(view):
    X = np.arange(48.0).reshape(8, 6)[view]
    data = Data.from_arrays(X)
    assert (data.rows, data.features) == X.shape
    assert data.array("column-max").tolist() == X.max(axis=0).tolist()
    assert data.array("column-min").tolist() == X.min(axis=0).tolist()


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_sparse_matrices(form, dtype):
    sparse = pytest.importorskip("scipy.sparse")
    X = np.array([[0, 1, 0], [2, 0, -3], [0, 0, 0]], dtype)
    data = Data.from_arrays(sparse.csr_array(X).asformat(form), targets=np.array([1.0, 2, 3]))
    assert (data.rows, data.features) == (3, 3)
    assert data.array("column-min").tolist() == [0, 0, -3]
    assert data.array("targets").tolist() == [1, 2, 3]


def test_names_and_weights():
    data = Data.from_arrays(np.eye(2), labels=([0, 1], ["a", "b"]), weights=[1.0, 3.0], names=["left", "right"])
    assert data.feature_names == ["left", "right"]
    assert data.array("weights").tolist() == [1, 3]


@pytest.mark.parametrize(
    "X, others",
    [
        (np.array([[1, np.nan]]), {}),
        (np.array([[1, np.inf]]), {}),
        (np.array([1.0, 2.0]), {}),
        (np.array([[1j]]), {}),
        (np.eye(2), {"weights": [1.0, -1.0]}),
        (np.eye(2), {"weights": [1.0, np.nan]}),
        (np.eye(2), {"targets": [1.0, np.inf]}),
        (np.eye(2), {"names": ["one"]}),
        (np.eye(2), {"labels": ([0], ["a"])}),
        (np.eye(2), {"labels": ([0, 2], ["a", "b"])}),
        (np.eye(2), {"labels": ([0, -1], ["a", "b"])}),
        (np.eye(2), {"targets": [1.0]}),
        (np.eye(2), {"weights": [[1.0, 1.0]]}),
    ],
)
def test_wrong_data(X, others):
    with pytest.raises(ValueError):
        Data.from_arrays(X, **others)


def test_missing_file(tmp_path):
    with pytest.raises(FileError) as caught:
        Data.read(tmp_path / "nowhere.csv")
    assert isinstance(caught.value, FileNotFoundError) and caught.value.file == str(tmp_path / "nowhere.csv")


def test_broken_file_names_the_place(tmp_path):
    path = tmp_path / "bad.svm"
    path.write_text("1 1:2\n0 1:x\n")
    with pytest.raises(InputError) as caught:
        Data.read(path)
    assert caught.value.line == 2 and caught.value.column > 0


# ---- reports ----


def test_report_to_dict():
    report = Report.parse('{"a": 1, "b": null, "c": [1.5, 2], "d": {"e": "x", "f": true}, "g": ["u", null]}')
    whole = report.to_dict()
    assert list(whole) == ["a", "b", "c", "d", "g"] == report.keys()
    assert whole["a"] == 1 and isinstance(whole["a"], int)
    assert whole["b"] is None and whole["d"] == {"e": "x", "f": True} and whole["g"] == ["u", None]
    assert isinstance(whole["c"], np.ndarray) and whole["c"].tolist() == [1.5, 2]
    assert report["d"]["e"] == "x" and "b" in report and "z" not in report
    assert report.member("d").flag("f") is True
    with pytest.raises(KeyError):
        report["z"]


def test_part_keeps_the_whole():
    part = Report.parse('{"d": {"e": {"f": "text"}}}').member("d").member("e")
    assert part.text("f") == "text"


def test_absent_values():
    report = Report.parse("{}")
    assert math.isnan(report.number("x")) and report.flag("x") is None and report.text("x") is None
    assert report.member("x") is None and report.count("x") == 0
    with pytest.raises(InputError):
        report.array("x")
    with pytest.raises(HalfspaceError):
        Report.parse("{")


# ---- models ----


def test_train_and_apply(data):
    model, report = Model.train(data, Options(algorithm="logistic", C=0.5))
    assert report["converged"] is True and report["relative_gap"] <= 1e-4
    assert (model.features, model.outputs, model.classes, model.class_names) == (3, 1, 2, ["a", "b"])
    assert model.array("weights").shape == (1, 3)
    scores, classes = model.apply(data, "scores"), model.apply(data, "classes")
    assert scores.shape == (60, 1) and ((scores[:, 0] > 0) == (classes == 1)).all()
    p = model.apply(data, "probabilities")
    assert p.shape == (60, 2) and np.allclose(p.sum(axis=1), 1) and np.allclose(np.log(p[:, 1] / p[:, 0]), scores[:, 0])
    assert model.field("algorithm") == "logistic" and model.report()["algorithm"] == "logistic"


def test_bytes_file_and_pickle(data, tmp_path):
    model, _ = Model.train(data, Options(algorithm="svm"))
    content = model.to_bytes()
    model.save(tmp_path / "m.hsm")
    for other in (Model.from_bytes(content), Model.load(tmp_path / "m.hsm"), pickle.loads(pickle.dumps(model))):
        assert other.to_bytes() == content
        assert (other.array("weights") == model.array("weights")).all()


@pytest.mark.parametrize("content", [b"", b"HSM", b"\0" * 100])
def test_broken_model(content):
    with pytest.raises(InputError):
        Model.from_bytes(content)


def test_unknown_names(data):
    model, _ = Model.train(data, Options())
    with pytest.raises(InputError):
        model.array("x")
    with pytest.raises(InputError):
        model.apply(data, "x")
    with pytest.raises(InputError):
        Model.train(data, Options(algorithm="x"))
    assert model.field("no-such-field") is None


def test_hard_margin_that_does_not_exist(data):
    model, report = Model.train(data, Options(algorithm="hard-svm"))
    assert model is None and report["converged"] is False


def test_job_gives_the_same_bits(data):
    options = Options(algorithm="logistic")
    direct, _ = Model.train(data, options)
    threaded, _ = Job(data, options).wait()
    assert direct.array("weights").tobytes() == threaded.array("weights").tobytes()


def test_progress_and_warm_start(data):
    lines = []
    options = Options(algorithm="gradient-descent", loss="logistic", penalty="l2")
    model, report = Model.train(data, options, progress=lines.append)
    assert lines[0].epoch == 0 and lines[-1].epoch == report["epochs"] and lines[-1].objective <= lines[0].objective
    again, second = Model.train(data, options, start=model)
    assert second["epochs"] <= report["epochs"]


def test_progress_stops_the_fit(data):
    options = Options(algorithm="perceptron", max_epochs=10**9)
    model, report = Model.train(data, options, progress=lambda line: line.epoch > 3)
    assert model is not None and report["stop_reason"] == "cancelled"


def test_exception_of_progress_is_raised_again(data):
    def fail(line):
        raise LookupError("stop here")

    with pytest.raises(LookupError, match="stop here"):
        Model.train(data, Options(algorithm="perceptron", max_epochs=10**9), progress=fail)
