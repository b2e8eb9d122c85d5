"""Frames of pandas, polars and pyarrow: numbers as arrays with names, everything else encoded as the program does."""
import subprocess
import shutil

import numpy as np
import pytest

import halfspace

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

ROWS = 60


def columns():
    rng = np.random.default_rng(3)
    age = rng.integers(18, 80, ROWS)
    colour = np.array(["red", "green", "blue"])[rng.integers(0, 3, ROWS)]
    day = np.datetime64("2024-01-01") + rng.integers(0, 300, ROWS)
    y = np.where((age > 45) ^ (colour == "red"), "yes", "no")
    return {"age": age, "colour": colour, "day": day}, y


def frames():
    values, y = columns()
    frame = pandas.DataFrame(values)
    made = {"pandas": frame}
    import pyarrow
    made["pyarrow"] = pyarrow.Table.from_pandas(frame, preserve_index=False)
    try:
        import polars
        made["polars"] = polars.DataFrame({**values, "colour": values["colour"].tolist()})
    except ImportError:
        pass
    return made, y


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_tables_are_encoded(kind):
    made, y = frames()
    if kind not in made:
        pytest.skip(f"{kind} is not installed")
    X = made[kind]
    model = halfspace.LogisticRegression().fit(X, y)
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == ["age", "colour", "day"]
    assert model.coef_.shape[1] > 3
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(X, y) > 0.6
    assert model.certificate_["verified"]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_all_libraries_give_the_same_model():
    made, y = frames()
    found = [halfspace.LogisticRegression().fit(X, y).coef_ for X in made.values()]
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


def test_columns_are_matched_by_name():
    made, y = frames()
    X = made["pandas"]
    model = halfspace.LogisticRegression().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.predict(X[["day", "age", "colour"]]))
    np.testing.assert_array_equal(model.predict(X), model.predict(X.assign(more=1.0)))


def test_a_missing_column_is_named():
    made, y = frames()
    model = halfspace.LogisticRegression().fit(made["pandas"], y)
    with pytest.raises(ValueError, match="missing:\n- colour"):
        model.predict(made["pandas"].drop(columns="colour"))


def test_an_array_for_a_model_of_a_frame():
    made, y = frames()
    model = halfspace.LogisticRegression().fit(made["pandas"], y)
    with pytest.raises(ValueError, match="fitted on a frame"):
        model.predict(np.zeros((2, 3)))


def test_categories_of_pandas():
    values, y = columns()
    X = pandas.DataFrame({"colour": pandas.Categorical(values["colour"])})
    model = halfspace.LogisticRegression().fit(X, y)
    assert model.coef_.shape == (1, 3)


def test_regression_on_a_table():
    values, _ = columns()
    X = pandas.DataFrame({"colour": values["colour"], "age": values["age"]})
    target = 2.0 * values["age"] + (values["colour"] == "red")
    model = halfspace.Ridge(alpha=1e-9).fit(X, target)
    np.testing.assert_allclose(model.predict(X), target, atol=1e-4)
    assert model.score(X, target) > 0.999


def test_missing_values_are_errors_unless_allowed():
    values, y = columns()
    X = pandas.DataFrame({"age": values["age"].astype(float), "colour": values["colour"]})
    X.loc[3, "age"] = np.nan
    with pytest.raises(ValueError, match="missing"):
        halfspace.LogisticRegression().fit(X, y)
    model = halfspace.LogisticRegression(missing="mean").fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    with pytest.raises(ValueError):
        halfspace.LogisticRegression(missing="nothing").fit(X, y)


def test_numeric_frames_are_arrays_with_names():
    values, y = columns()
    X = pandas.DataFrame({"a": values["age"].astype(float), "b": np.arange(ROWS) * 0.1})
    model = halfspace.LogisticRegression().fit(X, y)
    plain = halfspace.LogisticRegression().fit(X.to_numpy(), y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.rename(columns={"a": "c"}))
    X.loc[0, "a"] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        halfspace.LogisticRegression().fit(X, y)
    assert halfspace.LogisticRegression(missing="indicator").fit(X, y).coef_.shape == (1, 3)


def test_polars_and_pyarrow_of_numbers():
    polars = pytest.importorskip("polars")
    import pyarrow
    values, y = columns()
    arrays = {"a": values["age"].astype(float), "b": np.arange(ROWS) * 0.1}
    expected = halfspace.LogisticRegression().fit(np.column_stack(list(arrays.values())), y)
    for X in (polars.DataFrame(arrays), pyarrow.table(arrays)):
        model = halfspace.LogisticRegression().fit(X, y)
        np.testing.assert_array_equal(model.coef_, expected.coef_)
        np.testing.assert_array_equal(model.predict(X), expected.predict(np.column_stack(list(arrays.values()))))


def test_weights_of_rows_of_a_table():
    made, y = frames()
    X = made["pandas"][["age", "colour"]]
    kept = np.arange(ROWS) % 4 != 0
    weighted = halfspace.LogisticRegression().fit(X, y, sample_weight=np.where(kept, 2.0, 0.0))
    twice = halfspace.LogisticRegression().fit(pandas.concat([X, X])[np.r_[kept, kept]], np.r_[y, y][np.r_[kept, kept]])
    np.testing.assert_allclose(weighted.decision_function(X), twice.decision_function(X), rtol=1e-6)


@pytest.mark.parametrize("bad", ["duplicate", "length", "empty", "no_y", "nan_y"])
def test_bad_tables(bad):
    made, y = frames()
    X = made["pandas"]
    if bad == "duplicate":
        X = pandas.concat([X, X[["colour"]]], axis=1)
    elif bad == "length":
        y = y[:-1]
    elif bad == "empty":
        X, y = X[:0], y[:0]
    elif bad == "no_y":
        y = None
    else:
        y = np.where(np.arange(ROWS) == 4, None, y)
    with pytest.raises(ValueError):
        halfspace.LogisticRegression().fit(X, y)


def test_a_saved_model_of_a_frame(tmp_path):
    made, y = frames()
    X = made["pandas"]
    model = halfspace.LogisticRegression().fit(X, y)
    model.save(tmp_path / "frame.hsm")
    program = shutil.which("halfspace")
    if program is None:
        assert (tmp_path / "frame.hsm").read_bytes()
        return
    X.to_csv(tmp_path / "frame.csv", index=False)
    run = subprocess.run([program, "predict", tmp_path / "frame.hsm", tmp_path / "frame.csv"], capture_output=True, text=True)
    assert run.stdout.split()[1:] == model.predict(X).tolist()


def test_output_of_transform_as_a_frame():
    pytest.importorskip("sklearn")
    values, y = columns()
    X = pandas.DataFrame({"a": values["age"].astype(float), "b": np.arange(ROWS) * 0.1}, index=np.arange(ROWS) + 5)
    model = halfspace.LinearDiscriminantAnalysis().set_output(transform="pandas").fit(X, y)
    out = model.transform(X)
    assert list(out.columns) == ["lineardiscriminantanalysis0"] and list(out.index) == list(X.index)


def test_messages_name_parameters():
    frame = pandas.DataFrame({"age": [1.0, None, 3.0, 4.0], "city": ["a", "b", "a", "c"]})
    with pytest.raises(ValueError, match="missing mean") as caught:
        halfspace.LogisticRegression().fit(frame, [0, 1, 0, 1])
    assert "--" not in str(caught.value)
