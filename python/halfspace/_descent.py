"""What gradient descent on all rows and on batches share: parameters that are options of the program."""
from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ._calibration import is_calibrated
from ._compat import available_if
from ._estimator import HalfspaceClassifier, HalfspaceRegressor, ProbabilityMixin, Problem, RegressorUpdateMixin, UpdateMixin
from ._steps import most_epochs



def _has_probabilities(estimator: Any) -> bool:
    return estimator.loss == "logistic" or is_calibrated(estimator)


class _Descent:
    """Parameters that are options by the same name."""

    _names: ClassVar[tuple[str, ...]]

    def _options(self, problem: Problem) -> dict[str, Any]:
        # A trailing underscore only avoids a word of Python.
        return {name.rstrip("_"): getattr(self, name) for name in self._names}

    def _set_attributes(self, model: Any, report: Any) -> None:
        super()._set_attributes(model, report)  # type: ignore[misc]
        self.n_iter_ = most_epochs(report, self.n_iter_)  # type: ignore[has-type]


class DescentClassifier(_Descent, UpdateMixin, ProbabilityMixin, HalfspaceClassifier):
    """Probabilities exist with the logistic loss, and with `calibrate`."""

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of each class, for the logistic loss, or with `calibrate`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return super().predict_proba(X)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Predict the logarithm of the probability of each class, for the logistic loss, or with `calibrate`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return super().predict_log_proba(X)


class DescentRegressor(_Descent, RegressorUpdateMixin, HalfspaceRegressor):
    """Descent for numbers."""
