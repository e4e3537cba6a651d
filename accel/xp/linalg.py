"""The standard's extension for linear algebra, and more of NumPy's; the signatures are in ``linalg.pyi``."""

from accel.xp import numpy_functions
from accel.xp.functions import linalg

_functions = linalg() | numpy_functions.linalg()
globals().update(_functions)
__all__ = sorted(_functions)
