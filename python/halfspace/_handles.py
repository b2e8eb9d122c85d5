"""The handles of the library as Python objects: each frees what it holds."""
from ._data import Data
from ._hooks import Progress
from ._model import TRAIN, UPDATE, Job, Model
from ._options import Options
from ._report import Report

__all__ = ["TRAIN", "UPDATE", "Data", "Job", "Model", "Options", "Progress", "Report"]
