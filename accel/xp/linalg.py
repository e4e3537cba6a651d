"""The standard's extension for linear algebra; the signatures are in ``linalg.pyi``."""

from accel.xp.functions import linalg

_functions = linalg()
globals().update(_functions)
__all__ = sorted(_functions)
