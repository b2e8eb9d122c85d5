"""The base of the classifiers: labels, scores, probabilities and passes over new rows."""
from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from . import _tables
from ._base import UPDATE, HalfspaceEstimator, Problem
from ._calibration import calibration_options, check_calibration, chooses, class_weight_option, is_calibrated
from ._compat import ClassifierMixin, available_if, check_weights, validate
from ._handles import Data, Report
from ._labels import class_weights, codes_for, encode_labels, label_texts


class HalfspaceClassifier(ClassifierMixin, HalfspaceEstimator):
    """Base of the classifiers."""

    _binary_only: ClassVar[bool] = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; None: all 1.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_params()
        check_calibration(self)
        table = _tables.is_table(self, X)
        X, y = _tables.validate(self, X, y) if table else validate(self, X, y, reset=True, with_y=True)
        weights = check_weights(sample_weight, len(y))
        classes, codes = encode_labels(y)
        self._check_classes(classes)
        of_rows, weights = weights, class_weights(getattr(self, "class_weight", None), classes, codes, weights)
        self._check_mass(classes, codes, weights)
        data = self._labelled(X, classes, codes, of_rows if chooses(self) else weights, table)
        problem = Problem.of(len(y), self.n_features_in_, len(classes), weights)
        problem.class_weight = self._class_weight_option(data, classes)
        start = self._start(classes)
        self.classes_, self._is_table = classes, table
        model, report = self._train(data, problem, start)
        self._take(data, problem, model, report)
        return self

    def _class_weight_option(self, data: Data, classes: Any) -> str | None:
        """The weights of the classes, where those of the rows do not contain them."""
        weights = getattr(self, "class_weight", None)
        return class_weight_option(weights, classes, data.class_names) if chooses(self) else None

    def _choices(self, problem: Problem) -> dict[str, Any]:
        return {**calibration_options(self), "class-weight": problem.class_weight}

    def _take(self, data: Data, problem: Problem, model: Any, report: Report) -> None:
        self._keep(model, report)

    def _labelled(self, X: Any, classes: np.ndarray, codes: np.ndarray, weights: Any, table: bool) -> Data:
        texts = label_texts(classes)
        if table:
            return _tables.for_training(self, X, labels=(codes, texts), weights=weights)
        try:
            return self._as_data(X, labels=(codes, texts), weights=weights)
        except ValueError:
            if classes.dtype.kind in "biuf":
                raise
        # Two spellings of one number, such as "1" and "1.0": the file knows them by their index.
        return self._as_data(X, labels=(codes, [str(k) for k in range(len(classes))]), weights=weights)

    def _check_classes(self, classes: np.ndarray) -> None:
        if len(classes) < 2:
            raise ValueError(f"{type(self).__name__} needs samples of at least 2 classes in the data, but the data contains "
                             f"only one class: {classes[0]!r}")
        if self._binary_only and len(classes) > 2:
            raise ValueError("Only binary classification is supported. The type of the target is multiclass.")

    def _check_mass(self, classes: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> None:
        """At least two classes must have rows of positive weight."""
        if weights is None:
            return
        present = np.flatnonzero(np.bincount(codes, weights=weights, minlength=len(classes)))
        if len(present) < 2:
            raise ValueError(f"{type(self).__name__} needs rows of positive weight in at least 2 classes, but all of them are "
                             f"of one class: {classes[present[0]]!r}" if len(present) else
                             "Sample weights must contain at least one non-zero number.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._binary_only
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {"binary_only": self._binary_only}

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the rows.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes the score of ``classes_[1]``, else one for each class.
        """
        scores = self._apply(X, "scores")
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            One of `classes_` for each row.
        """
        codes = self._apply(X, "classes")
        return self.classes_.take(codes)


    @available_if(is_calibrated)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of each class, with `calibrate`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return self._apply(X, "probabilities")

    @available_if(is_calibrated)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Predict the logarithm of the probability of each class, with `calibrate`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class ProbabilityMixin:
    """Probabilities of the classes, for models that have them."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return self._apply(X, "probabilities")  # type: ignore[attr-defined]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Predict the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class UpdateMixin:
    """partial_fit of the update rules, for classifiers."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Make one pass of the update rule over new rows, from the weights so far.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The new rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever occur; needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; None: all 1.

        Returns
        -------
        self : object
            The estimator after the pass.
        """
        est: Any = self
        est._check_params()
        first = not est.__sklearn_is_fitted__()
        known = _declared_classes(est, classes, first)
        X, y = validate(self, X, y, reset=first, with_y=True)
        if getattr(est, "class_weight", None) == "balanced":
            raise ValueError("class_weight 'balanced' is not supported for partial_fit: the rows to come are not known. Give "
                             "the weights of the classes as a dict.")
        codes = codes_for(y, known)
        weights = class_weights(getattr(est, "class_weight", None), known, codes, check_weights(sample_weight, len(y)))
        data = est._labelled(X, known, codes, weights, False)
        # Here the weights of rows multiply the steps as they are, whatever their mean.
        problem = Problem.of(len(y), est.n_features_in_, len(known), None)
        est.classes_, est._is_table = known, False
        model, report = est._train(data, problem, None if first else est._model, UPDATE)
        est._keep(model, report)
        return self


def _declared_classes(estimator: Any, classes: Any, first: bool) -> np.ndarray:
    if classes is None:
        if first:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return estimator.classes_
    declared = np.unique(np.asarray(classes))
    if not first and not np.array_equal(declared, estimator.classes_):
        raise ValueError(f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {estimator.classes_!r}")
    estimator._check_classes(declared)
    return declared
