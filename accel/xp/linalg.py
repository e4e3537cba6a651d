"""The standard's extension for linear algebra, and more of NumPy's; the signatures are in ``linalg.pyi``."""

from accel.support.lazy import listing
from accel.xp import numpy_functions
from accel.xp.functions import linalg

_functions, _of_numpy = linalg(), numpy_functions.linalg()
globals().update(_of_numpy)
__all__ = sorted({*_functions, *_of_numpy})
__getattr__, __dir__ = _functions.fetch, listing(__name__, __all__)
