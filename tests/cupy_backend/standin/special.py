"""The stand-in for `cupyx.scipy.special`: SciPy computes, late, on the stand-in's arrays."""

from types import ModuleType

import numpy as np
import scipy.special

FUNCTIONS = "betainc digamma erf gammaln xlogy zetac"


def modules(cupy):
    """Return the entries of `sys.modules`; its functions take as few kinds of arguments as CuPy's."""

    def ufunc(name, function):
        def call(*operands):
            array = next(each for each in operands if isinstance(each, cupy.ndarray))
            return array._computed(lambda _, *values, **how: function(*values, **how), *operands)

        call.__name__ = name
        return call

    def multigammaln(a, d):
        assert isinstance(d, int)
        return ufunc("gammaln", scipy.special.gammaln)(a) + d

    def polygamma(n, x):
        assert isinstance(n, cupy.ndarray)
        assert isinstance(x, cupy.ndarray)
        return n + x

    def asarray(value):
        if isinstance(value, cupy.ndarray):
            return value
        made = cupy.ndarray((), np.asarray(value).dtype)
        made[...] = value
        return made

    cupy.asarray = asarray
    special = ModuleType("cupyx.scipy.special")
    for name in FUNCTIONS.split():
        setattr(special, name, ufunc(name, getattr(scipy.special, name)))
    special.zeta = ufunc("zeta", lambda x, q, out=None: scipy.special.zeta(x, q, out=out))
    special.multigammaln, special.polygamma = multigammaln, polygamma
    return {"cupyx": ModuleType("cupyx"), "cupyx.scipy": ModuleType("cupyx.scipy"), "cupyx.scipy.special": special}
