"""Special functions, with the names and the arguments of `scipy.special`; the signatures are in ``special.pyi``.

The functions are those that both SciPy and CuPy have. SciPy computes on the host, and CuPy on GPUs. With
``SCIPY_ARRAY_API=1`` in the environment, the functions of `scipy.special` call these for arrays of `accel.xp`.
"""

from accel.support.lazy import listing
from accel.xp.functions import special as _compiled
from accel.xp.log_sum_exp import logsumexp

_functions = _compiled()
__all__ = ["logsumexp", *sorted(_functions)]
__getattr__, __dir__ = _functions.fetch, listing(__name__, __all__)
