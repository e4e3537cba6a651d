"""The standard's extension for linear algebra; the signatures are in ``linalg.pyi``."""

from accel.xp.functions import linalg

_functions = linalg()
__getattr__, __dir__ = _functions.fetch, _functions.listed
__all__ = sorted(_functions)
