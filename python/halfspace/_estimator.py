"""The bases of all estimators, by one name: see `_base`, `_classifier`, `_regressor` and `_parameters`."""
from ._base import TRAIN, UPDATE, HalfspaceEstimator, Problem, certificate
from ._classifier import HalfspaceClassifier, ProbabilityMixin, UpdateMixin
from ._parameters import UnsupportedParameterError, check_choice, check_number, unsupported
from ._regressor import HalfspaceRegressor, RegressorUpdateMixin

__all__ = [
    "TRAIN", "UPDATE", "HalfspaceClassifier", "HalfspaceEstimator", "HalfspaceRegressor", "ProbabilityMixin", "Problem",
    "RegressorUpdateMixin", "UnsupportedParameterError", "UpdateMixin", "certificate", "check_choice", "check_number",
    "unsupported",
]
