"""The base of the regressors: targets, one or several."""
from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from . import _tables
from ._base import UPDATE, HalfspaceEstimator, Problem
from ._compat import RegressorMixin, check_weights, validate
from ._handles import Data, Model, Report


class HalfspaceRegressor(RegressorMixin, HalfspaceEstimator):
    """Base of the regressors. y of several columns, where a class allows it, is one fit a column."""

    _multi_output: ClassVar[bool] = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,) or, where it is supported, (n_samples, n_targets)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; None: all 1.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_params()
        table = _tables.is_table(self, X)
        how = {"regression": True, "multi_output": self._multi_output}
        X, y = _tables.validate(self, X, y, **how) if table else validate(self, X, y, reset=True, with_y=True, **how)
        weights = check_weights(sample_weight, len(y))
        problem = Problem.of(len(y), self.n_features_in_, 0, weights)
        start = self._start(None)
        self._is_table = table
        if y.ndim == 2:
            self._fit_columns(X, y, weights, table, problem)
        else:
            self.__dict__.pop("_models", None)
            self._keep(*self._train(self._targeted(X, y, weights, table), problem, start))
        return self

    def _targeted(self, X: Any, y: np.ndarray, weights: Any, table: bool) -> Data:
        if table:
            return _tables.for_training(self, X, targets=y, weights=weights)
        return self._as_data(X, targets=y, weights=weights)

    def _fit_columns(self, X: Any, y: np.ndarray, weights: Any, table: bool, problem: Problem) -> None:
        """One fit for each column of y."""
        models, coef, intercept, certificates, epochs = [], [], [], [], []
        for self._column in range(y.shape[1]):
            self._keep(*self._train(self._targeted(X, y[:, self._column], weights, table), problem))
            models.append(self._model)
            coef.append(self.coef_)
            intercept.append(self.intercept_)
            certificates.append(self.certificate_)
            epochs.append(self.n_iter_)
        del self._column
        self._models = models
        self.coef_ = np.array(coef)
        self.intercept_ = np.array(intercept) if self._has_intercept() else 0.0
        self._certificates = certificates
        self.n_iter_ = epochs

    def _has_intercept(self) -> bool:
        return bool(getattr(self, "fit_intercept", True))

    def _set_attributes(self, model: Model, report: Report) -> None:
        self.coef_ = model.array("weights").reshape(-1)
        self.intercept_ = float(model.array("intercepts").reshape(-1)[0])

    def predict(self, X: Any) -> np.ndarray:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        predictions : ndarray of shape (n_samples,) or (n_samples, n_targets)
            The predictions.
        """
        data = self._data_for_model(X)
        models = self.__dict__.get("_models")
        if models is None:
            return self._model.apply(data, "scores", self._threads())[:, 0]
        return np.column_stack([model.apply(data, "scores", self._threads())[:, 0] for model in models])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._multi_output
        tags.target_tags.single_output = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {"multioutput": self._multi_output}


class RegressorUpdateMixin:
    """partial_fit of the update rules, for regressors."""

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Make one pass of the update rule over new rows, from the weights so far.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The new rows.
        y : array-like of shape (n_samples,)
            Their targets.
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
        X, y = validate(self, X, y, reset=first, with_y=True, regression=True)
        weights = check_weights(sample_weight, len(y))
        # Here the weights of rows multiply the steps as they are, whatever their mean.
        problem = Problem.of(len(y), est.n_features_in_, 0, None)
        est._is_table = False
        data = est._as_data(X, targets=y, weights=weights)
        est._keep(*est._train(data, problem, None if first else est._model, UPDATE))
        return self
