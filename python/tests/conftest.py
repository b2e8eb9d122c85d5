"""What the tests share."""
from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

# The package beside the tests, unless an installed one is tested.
_here = Path(__file__).resolve().parent.parent
try:
    import halfspace  # noqa: F401
except ImportError:
    sys.path.insert(0, str(_here))


@pytest.fixture
def two_classes():
    """60 rows, 3 features, labels "a" and "b", not separable."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] - 0.5 * X[:, 1] + 0.7 * rng.normal(size=60) > 0
    return X, np.where(y, "b", "a")
