"""The stand-in for `cupyx.scipy.special`: SciPy computes, late, on the stand-in's arrays."""

import scipy.special

from .cuda import module, named

UFUNCS = "betainc digamma erf gammaln xlogy zetac"


def modules(cupy):
    """Return the entries of `sys.modules`; its functions take as few kinds of arguments as CuPy's."""

    def multigammaln(a, d):
        assert isinstance(d, int)
        return scipy.special.gammaln(a) + d

    def polygamma(n, x):
        assert isinstance(n, cupy.ndarray)
        assert isinstance(x, cupy.ndarray)
        return n + x

    def zeta(x, q):
        return scipy.special.zeta(x, q)

    ufuncs = {name: getattr(scipy.special, name) for name in UFUNCS.split()}
    special = module("cupyx.scipy.special", **named(multigammaln, polygamma, zeta), **ufuncs)
    return {"cupyx": module("cupyx"), "cupyx.scipy": module("cupyx.scipy"), "cupyx.scipy.special": special}
