"""What the estimators that make steps share: penalties, schedules and epochs in the terms of scikit-learn's SGD.

Scikit-learn multiplies the gradient of a row by its weight c_i; the library by c_i over the mean weight m. The same steps come
from the rate times m and the penalty over m.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ._parameters import unsupported


def most_epochs(report: Any, total: int) -> int:
    """The epochs of the longest of the one-vs-rest problems."""
    problems = report.get("problems")
    if not isinstance(problems, list):
        return total
    return max(1, int(np.max([problem.get("epochs") or 0 for problem in problems])))


def penalty_options(estimator: Any, mean_weight: float) -> dict[str, Any]:
    """The options of scikit-learn's penalty, alpha and l1_ratio."""
    if estimator.penalty is None or estimator.alpha == 0:
        return {"penalty": "none"}
    values: dict[str, Any] = {"penalty": estimator.penalty, "lambda": float(estimator.alpha) / mean_weight}
    if estimator.penalty == "elasticnet":
        values["penalty"] = "elastic"
        values["l1-ratio"] = float(estimator.l1_ratio)
    return values


def optimal_rate(alpha: float) -> float:
    """The first rate of Bottou's schedule 1/(alpha (t + t0)), scikit-learn's 'optimal': a typical size of a weight."""
    return float(np.sqrt(1.0 / np.sqrt(alpha)))


def schedule_options(estimator: Any, mean_weight: float) -> dict[str, Any]:
    """The options of scikit-learn's learning_rate, eta0 and power_t."""
    kind = estimator.learning_rate
    if kind == "optimal":
        first = optimal_rate(estimator.alpha)
        return {"schedule": "decay", "learning-rate": first * mean_weight, "decay": first * float(estimator.alpha)}
    rate = {"learning-rate": float(estimator.eta0) * mean_weight}
    if kind == "constant" or (kind == "invscaling" and estimator.power_t == 0):
        return {"schedule": "constant", **rate}
    if kind == "invscaling" and estimator.power_t == 1:
        return {"schedule": "harmonic", **rate}
    if kind == "invscaling":
        return {"schedule": "power", "decay": float(estimator.power_t), **rate}
    raise unsupported(estimator, "learning_rate", "use 'optimal', 'constant' or 'invscaling'.")


def limit_options(estimator: Any, problem: Any) -> dict[str, Any]:
    """The options of scikit-learn's max_iter and tol.

    A limit on epochs turns off the rule that stops when the objective stops falling; one on rows visited does not.
    """
    if estimator.tol is None:
        # A tolerance that is never reached: the gap must not end the run.
        return {"max-epochs": int(estimator.max_iter), "tol": 1e-300}
    return {"max-steps": int(estimator.max_iter) * problem.rows}
