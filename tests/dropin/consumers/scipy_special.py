"""SciPy: special functions."""

import numpy as np
from scipy import special

rng = np.random.default_rng(1)
X, Y = rng.uniform(0.2, 4, (2, 60))
P = rng.uniform(0.05, 0.95, 60)
M = rng.normal(size=(5, 7))


def unary(name, values=X):
    return lambda a: getattr(special, name)(a(values))


def binary(name):
    return lambda a: getattr(special, name)(a(X), a(Y))


UNARY = (
    "cbrt digamma entr erf erfc erfcx exp10 exp2 expit exprel gamma gammaln i0 i0e i1 i1e j0 j1 k0 k0e k1 log_ndtr "
    "ndtr psi rgamma spence y0"
)
BINARY = "beta betaln gammainc gammaincc kl_div poch rel_entr stdtr xlog1py xlogy zeta"

RETURNS_OURS = {
    **{name: unary(name) for name in UNARY.split()},
    **{name: unary(name, P) for name in ("ellipk", "erfinv", "logit", "ndtri")},
    **{name: binary(name) for name in BINARY.split()},
    "betainc": lambda a: special.betainc(a(X), a(Y), a(P)),
    "gammaln of float32": lambda a: special.gammaln(a(X, "float32")),
    "xlogy of a matrix and a vector": lambda a: special.xlogy(a(M), a(X[:7])),
    "logsumexp": lambda a: special.logsumexp(a(M), axis=1),
    "logsumexp with b": lambda a: special.logsumexp(a(M), axis=0, b=a(np.abs(M)), keepdims=True),
    "logsumexp with a sign": lambda a: special.logsumexp(a(M), axis=0, b=a(M), return_sign=True),
    "softmax": lambda a: special.softmax(a(M), axis=0),
    "log_softmax": lambda a: special.log_softmax(a(M), axis=1),
}
RETURNS_VALUES = {
    "multigammaln": lambda a: special.multigammaln(a(X + 2), 3),
    "polygamma": lambda a: special.polygamma(2, a(X)),
}
