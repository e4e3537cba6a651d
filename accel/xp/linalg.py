"""The standard's extension for linear algebra, and more of NumPy's; the signatures are in ``linalg.pyi``."""

from accel.support.lazy import listing
from accel.xp import numpy_functions
from accel.xp.functions import linalg
from accel.xp.generated_code import fetch_from

_functions, _of_numpy = linalg(), numpy_functions.linalg()
__all__ = sorted({*_functions, *_of_numpy})
__getattr__, __dir__ = fetch_from(None, _functions, _of_numpy), listing(__name__, __all__)
