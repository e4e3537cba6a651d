# Written by ci/stubs. Do not edit.
from builtins import bool as _bool
from typing import TypeAlias

from accel.xp.arrays import Array
from accel.xp.log_sum_exp import logsumexp as logsumexp
from accel.xp.operators import Scalar

_Axis: TypeAlias = int | tuple[int, ...] | None
__all__ = [
    "bdtr",
    "bdtrc",
    "bdtri",
    "beta",
    "betainc",
    "betaincinv",
    "betaln",
    "binom",
    "boxcox",
    "boxcox1p",
    "cbrt",
    "chdtr",
    "chdtrc",
    "chdtri",
    "cosdg",
    "cosm1",
    "cotdg",
    "digamma",
    "ellipeinc",
    "ellipj",
    "ellipk",
    "ellipkinc",
    "ellipkm1",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp1",
    "exp2",
    "exp10",
    "expi",
    "expit",
    "expm1",
    "expn",
    "exprel",
    "fdtr",
    "fdtrc",
    "fdtri",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "gammasgn",
    "gdtr",
    "gdtrc",
    "huber",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "inv_boxcox",
    "inv_boxcox1p",
    "j0",
    "j1",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kl_div",
    "lambertw",
    "log1p",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "loggamma",
    "logit",
    "logsumexp",
    "lpmv",
    "multigammaln",
    "nbdtr",
    "nbdtrc",
    "nbdtri",
    "ndtr",
    "ndtri",
    "pdtr",
    "pdtrc",
    "pdtri",
    "poch",
    "polygamma",
    "pseudo_huber",
    "psi",
    "radian",
    "rel_entr",
    "rgamma",
    "shichi",
    "sici",
    "sinc",
    "sindg",
    "softmax",
    "sph_harm_y",
    "spherical_yn",
    "stdtr",
    "tandg",
    "wright_bessel",
    "xlog1py",
    "xlogy",
    "y0",
    "y1",
    "yn",
    "zeta",
    "zetac",
]

def cbrt(x: Array, /) -> Array:
    """Return the cube roots; of negative numbers too.

    The same as `cbrt`.

    `cbrt` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.cbrt.html

    >>> xp.special.cbrt(xp.asarray([-8.0, 27.0]))
    Array([-2.,  3.], dtype=float64, device=cpu)
    """

def cosdg(x: Array, /) -> Array:
    """Return the cosines of angles in degrees.

    `cosdg` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.cosdg.html

    >>> xp.special.cosdg(xp.asarray([0.0, 60.0]))
    Array([1. , 0.5], dtype=float64, device=cpu)
    """

def cosm1(x: Array, /) -> Array:
    """Return ``cos(x) - 1``, also precise for small numbers.

    `cosm1` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.cosm1.html

    >>> xp.special.cosm1(xp.asarray([0.0, 1e-6]))
    Array([ 0.e+00, -5.e-13], dtype=float64, device=cpu)
    """

def cotdg(x: Array, /) -> Array:
    """Return the cotangents of angles in degrees.

    `cotdg` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.cotdg.html

    >>> xp.special.cotdg(xp.asarray([45.0]))
    Array([1.], dtype=float64, device=cpu)
    """

def digamma(x: Array, /) -> Array:
    """Return the digamma function: the derivative of the logarithm of the gamma function.

    `digamma` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.digamma.html

    >>> xp.special.digamma(xp.asarray([1.0, 2.0]))
    Array([-0.57721566,  0.42278434], dtype=float64, device=cpu)
    """

def ellipk(x: Array, /) -> Array:
    """Return the complete elliptic integrals of the first kind.

    `ellipk` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.ellipk.html

    >>> xp.special.ellipk(xp.asarray([0.0, 0.5]))
    Array([1.57079633, 1.85407468], dtype=float64, device=cpu)
    """

def ellipkm1(x: Array, /) -> Array:
    """Return the complete elliptic integrals of the first kind, precise where the parameter is near 1.

    `ellipkm1` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.ellipkm1.html

    >>> xp.special.ellipkm1(xp.asarray([1.0, 0.5]))
    Array([1.57079633, 1.85407468], dtype=float64, device=cpu)
    """

def entr(x: Array, /) -> Array:
    """Return the terms of an entropy: ``-x * log(x)``, 0 at 0, and negative infinity below.

    `entr` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.entr.html

    >>> xp.special.entr(xp.asarray([0.0, 0.5, 1.0]))
    Array([ 0.        ,  0.34657359, -0.        ], dtype=float64, device=cpu)
    """

def erf(x: Array, /) -> Array:
    """Return the error function.

    `erf` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.erf.html

    >>> xp.special.erf(xp.asarray([0.0, 1.0]))
    Array([0.        , 0.84270079], dtype=float64, device=cpu)
    """

def erfc(x: Array, /) -> Array:
    """Return the complement of the error function: ``1 - erf(x)``, also precise for large numbers.

    `erfc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.erfc.html

    >>> xp.special.erfc(xp.asarray([0.0, 1.0]))
    Array([1.        , 0.15729921], dtype=float64, device=cpu)
    """

def erfcinv(x: Array, /) -> Array:
    """Return the inverse of `erfc`.

    `erfcinv` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.erfcinv.html

    >>> xp.special.erfcinv(xp.asarray([1.0, 0.5]))
    Array([-0.        ,  0.47693628], dtype=float64, device=cpu)
    """

def erfcx(x: Array, /) -> Array:
    """Return ``exp(x**2) * erfc(x)`` without underflow.

    `erfcx` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.erfcx.html

    >>> xp.special.erfcx(xp.asarray([0.0, 1.0]))
    Array([1.        , 0.42758358], dtype=float64, device=cpu)
    """

def erfinv(x: Array, /) -> Array:
    """Return the inverse of `erf`.

    `erfinv` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.erfinv.html

    >>> xp.special.erfinv(xp.asarray([0.0, 0.5]))
    Array([0.        , 0.47693628], dtype=float64, device=cpu)
    """

def exp1(x: Array, /) -> Array:
    """Return the exponential integrals E1.

    `exp1` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.exp1.html

    >>> xp.special.exp1(xp.asarray([1.0, 2.0]))
    Array([0.21938393, 0.04890051], dtype=float64, device=cpu)
    """

def exp10(x: Array, /) -> Array:
    """Return 10 to the power of each element.

    `exp10` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.exp10.html

    >>> xp.special.exp10(xp.asarray([0.0, 2.0]))
    Array([  1., 100.], dtype=float64, device=cpu)
    """

def exp2(x: Array, /) -> Array:
    """Return 2 to the power of each element.

    The same as `exp2`.

    `exp2` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.exp2.html

    >>> xp.special.exp2(xp.asarray([0.0, 3.0, -1.0]))
    Array([1. , 8. , 0.5], dtype=float64, device=cpu)
    """

def expi(x: Array, /) -> Array:
    """Return the exponential integrals Ei.

    `expi` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.expi.html

    >>> xp.special.expi(xp.asarray([1.0, 2.0]))
    Array([1.89511782, 4.95423436], dtype=float64, device=cpu)
    """

def expit(x: Array, /) -> Array:
    """Return the logistic sigmoid: ``1 / (1 + exp(-x))``.

    `expit` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.expit.html

    >>> xp.special.expit(xp.asarray([-1.0, 0.0, 1.0]))
    Array([0.26894142, 0.5       , 0.73105858], dtype=float64, device=cpu)
    """

def expm1(x: Array, /) -> Array:
    """Return ``exp(x) - 1``, also precise for small numbers.

    The same as `expm1`.

    `expm1` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.expm1.html

    >>> xp.special.expm1(xp.asarray([0.0, 1e-12, 1.0]))
    Array([0.00000000e+00, 1.00000000e-12, 1.71828183e+00], dtype=float64, device=cpu)
    """

def exprel(x: Array, /) -> Array:
    """Return ``(exp(x) - 1) / x``; at 0 it is 1.

    `exprel` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.exprel.html

    >>> xp.special.exprel(xp.asarray([0.0, 1.0]))
    Array([1.        , 1.71828183], dtype=float64, device=cpu)
    """

def gamma(x: Array, /) -> Array:
    """Return the gamma function; of an integer ``n`` above 0 the factorial of ``n - 1``.

    `gamma` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gamma.html

    >>> xp.special.gamma(xp.asarray([1.0, 5.0, 0.5]))
    Array([ 1.        , 24.        ,  1.77245385], dtype=float64, device=cpu)
    """

def gammaln(x: Array, /) -> Array:
    """Return the natural logarithms of the absolute values of the gamma function.

    `gammaln` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammaln.html

    >>> xp.special.gammaln(xp.asarray([1.0, 5.0]))
    Array([0.        , 3.17805383], dtype=float64, device=cpu)
    """

def gammasgn(x: Array, /) -> Array:
    """Return the signs of the gamma function.

    `gammasgn` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammasgn.html

    >>> xp.special.gammasgn(xp.asarray([1.0, -0.5]))
    Array([ 1., -1.], dtype=float64, device=cpu)
    """

def i0(x: Array, /) -> Array:
    """Return the modified Bessel function of the first kind of order 0.

    `i0` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.i0.html

    >>> xp.special.i0(xp.asarray([0.0, 1.0]))
    Array([1.        , 1.26606588], dtype=float64, device=cpu)
    """

def i0e(x: Array, /) -> Array:
    """Return ``exp(-abs(x)) * i0(x)`` without overflow.

    `i0e` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.i0e.html

    >>> xp.special.i0e(xp.asarray([0.0, 1.0]))
    Array([1.        , 0.46575961], dtype=float64, device=cpu)
    """

def i1(x: Array, /) -> Array:
    """Return the modified Bessel function of the first kind of order 1.

    `i1` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.i1.html

    >>> xp.special.i1(xp.asarray([0.0, 1.0]))
    Array([0.       , 0.5651591], dtype=float64, device=cpu)
    """

def i1e(x: Array, /) -> Array:
    """Return ``exp(-abs(x)) * i1(x)`` without overflow.

    `i1e` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.i1e.html

    >>> xp.special.i1e(xp.asarray([0.0, 1.0]))
    Array([0.        , 0.20791042], dtype=float64, device=cpu)
    """

def j0(x: Array, /) -> Array:
    """Return the Bessel function of the first kind of order 0.

    `j0` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.j0.html

    >>> xp.special.j0(xp.asarray([0.0, 1.0]))
    Array([1.        , 0.76519769], dtype=float64, device=cpu)
    """

def j1(x: Array, /) -> Array:
    """Return the Bessel function of the first kind of order 1.

    `j1` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.j1.html

    >>> xp.special.j1(xp.asarray([0.0, 1.0]))
    Array([0.        , 0.44005059], dtype=float64, device=cpu)
    """

def k0(x: Array, /) -> Array:
    """Return the modified Bessel function of the second kind of order 0.

    `k0` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.k0.html

    >>> xp.special.k0(xp.asarray([1.0, 2.0]))
    Array([0.42102444, 0.11389387], dtype=float64, device=cpu)
    """

def k0e(x: Array, /) -> Array:
    """Return ``exp(x) * k0(x)`` without underflow.

    `k0e` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.k0e.html

    >>> xp.special.k0e(xp.asarray([1.0, 2.0]))
    Array([1.14446308, 0.84156822], dtype=float64, device=cpu)
    """

def k1(x: Array, /) -> Array:
    """Return the modified Bessel function of the second kind of order 1.

    `k1` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.k1.html

    >>> xp.special.k1(xp.asarray([1.0, 2.0]))
    Array([0.60190723, 0.13986588], dtype=float64, device=cpu)
    """

def k1e(x: Array, /) -> Array:
    """Return ``exp(x) * k1(x)`` without underflow.

    `k1e` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.k1e.html

    >>> xp.special.k1e(xp.asarray([1.0, 2.0]))
    Array([1.63615349, 1.03347685], dtype=float64, device=cpu)
    """

def log1p(x: Array, /) -> Array:
    """Return ``log(1 + x)``, also precise for small numbers.

    The same as `log1p`.
    Of -1 the result is negative infinity, and of lesser numbers nan.

    `log1p` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.log1p.html

    >>> xp.special.log1p(xp.asarray([0.0, 1e-12, 1.0]))
    Array([0.00000000e+00, 1.00000000e-12, 6.93147181e-01], dtype=float64, device=cpu)
    """

def log_expit(x: Array, /) -> Array:
    """Return the logarithms of the logistic sigmoid, without underflow.

    `log_expit` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.log_expit.html

    >>> xp.special.log_expit(xp.asarray([-1000.0, 0.0]))
    Array([-1.00000000e+03, -6.93147181e-01], dtype=float64, device=cpu)
    """

def log_ndtr(x: Array, /) -> Array:
    """Return the logarithms of the normal distribution, without underflow.

    `log_ndtr` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.log_ndtr.html

    >>> xp.special.log_ndtr(xp.asarray([0.0, 1.0]))
    Array([-0.69314718, -0.17275378], dtype=float64, device=cpu)
    """

def loggamma(x: Array, /) -> Array:
    """Return the principal branch of the logarithm of the gamma function.

    `loggamma` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.loggamma.html

    >>> xp.special.loggamma(xp.asarray([1.0, 5.0]))
    Array([0.        , 3.17805383], dtype=float64, device=cpu)
    """

def logit(x: Array, /) -> Array:
    """Return the inverse of the logistic sigmoid: ``log(x / (1 - x))``.

    `logit` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.logit.html

    >>> xp.special.logit(xp.asarray([0.25, 0.5]))
    Array([-1.09861229,  0.        ], dtype=float64, device=cpu)
    """

def ndtr(x: Array, /) -> Array:
    """Return the normal distribution: the integral of its density up to ``x``.

    `ndtr` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.ndtr.html

    >>> xp.special.ndtr(xp.asarray([-1.0, 0.0, 1.0]))
    Array([0.15865525, 0.5       , 0.84134475], dtype=float64, device=cpu)
    """

def ndtri(x: Array, /) -> Array:
    """Return the inverse of the normal distribution.

    `ndtri` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.ndtri.html

    >>> xp.special.ndtri(xp.asarray([0.5, 0.975]))
    Array([0.        , 1.95996398], dtype=float64, device=cpu)
    """

def psi(x: Array, /) -> Array:
    """Return the digamma function: the derivative of the logarithm of the gamma function.

    The same as `special.digamma`.

    `psi` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.psi.html

    >>> xp.special.psi(xp.asarray([1.0, 2.0]))
    Array([-0.57721566,  0.42278434], dtype=float64, device=cpu)
    """

def rgamma(x: Array, /) -> Array:
    """Return 1 divided by the gamma function.

    `rgamma` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.rgamma.html

    >>> xp.special.rgamma(xp.asarray([1.0, 5.0]))
    Array([1.        , 0.04166667], dtype=float64, device=cpu)
    """

def sinc(x: Array, /) -> Array:
    """Return ``sin(pi * x) / (pi * x)``; at 0 it is 1.

    `sinc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.sinc.html

    >>> xp.special.sinc(xp.asarray([0.0, 0.5]))
    Array([1.        , 0.63661977], dtype=float64, device=cpu)
    """

def sindg(x: Array, /) -> Array:
    """Return the sines of angles in degrees.

    `sindg` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.sindg.html

    >>> xp.special.sindg(xp.asarray([0.0, 30.0]))
    Array([0. , 0.5], dtype=float64, device=cpu)
    """

def tandg(x: Array, /) -> Array:
    """Return the tangents of angles in degrees.

    `tandg` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.tandg.html

    >>> xp.special.tandg(xp.asarray([0.0, 45.0]))
    Array([0., 1.], dtype=float64, device=cpu)
    """

def y0(x: Array, /) -> Array:
    """Return the Bessel function of the second kind of order 0.

    `y0` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.y0.html

    >>> xp.special.y0(xp.asarray([1.0, 2.0]))
    Array([0.08825696, 0.51037567], dtype=float64, device=cpu)
    """

def y1(x: Array, /) -> Array:
    """Return the Bessel function of the second kind of order 1.

    `y1` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.y1.html

    >>> xp.special.y1(xp.asarray([1.0, 2.0]))
    Array([-0.78121282, -0.10703243], dtype=float64, device=cpu)
    """

def zetac(x: Array, /) -> Array:
    """Return the Riemann zeta function less 1.

    `zetac` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.zetac.html

    >>> xp.special.zetac(xp.asarray([2.0, 4.0]))
    Array([0.64493407, 0.08232323], dtype=float64, device=cpu)
    """

def bdtr(k: Array | Scalar, n: Array | Scalar, p: Array | Scalar, /) -> Array:
    """Return the binomial distribution: the probability of up to ``k`` successes in ``n`` events.

    `bdtr` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.bdtr.html

    >>> xp.special.bdtr(xp.asarray([0, 1]), xp.asarray([2, 2]), 0.5)
    Array([0.25, 0.75], dtype=float64, device=cpu)
    """

def bdtrc(k: Array | Scalar, n: Array | Scalar, p: Array | Scalar, /) -> Array:
    """Return the probability of more than ``k`` successes in ``n`` events: ``1 - bdtr(k, n, p)``.

    `bdtrc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.bdtrc.html

    >>> xp.special.bdtrc(xp.asarray([0, 1]), xp.asarray([2, 2]), 0.5)
    Array([0.75, 0.25], dtype=float64, device=cpu)
    """

def bdtri(k: Array | Scalar, n: Array | Scalar, y: Array | Scalar, /) -> Array:
    """Return the inverse of `bdtr` in ``p``: the probability of a success for which ``bdtr(k, n, p)`` is ``y``.

    `bdtri` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.bdtri.html

    >>> xp.special.bdtri(xp.asarray([0, 1]), xp.asarray([2, 2]), 0.25)
    Array([0.5      , 0.8660254], dtype=float64, device=cpu)
    """

def beta(a: Array | Scalar, b: Array | Scalar, /) -> Array:
    """Return the beta function: ``gamma(a) * gamma(b) / gamma(a + b)``.

    `beta` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.beta.html

    >>> xp.special.beta(xp.asarray([1.0, 2.0]), 2.0)
    Array([0.5       , 0.16666667], dtype=float64, device=cpu)
    """

def betainc(a: Array | Scalar, b: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the regularized incomplete beta function.

    `betainc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.betainc.html

    >>> xp.special.betainc(1.0, 1.0, xp.asarray([0.25, 0.5]))
    Array([0.25, 0.5 ], dtype=float64, device=cpu)
    """

def betaincinv(a: Array | Scalar, b: Array | Scalar, y: Array | Scalar, /) -> Array:
    """Return the inverse of `betainc` in its third argument.

    `betaincinv` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.betaincinv.html

    >>> xp.special.betaincinv(1.0, 1.0, xp.asarray([0.25, 0.5]))
    Array([0.25, 0.5 ], dtype=float64, device=cpu)
    """

def betaln(a: Array | Scalar, b: Array | Scalar, /) -> Array:
    """Return the natural logarithms of the absolute values of the beta function.

    `betaln` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.betaln.html

    >>> xp.special.betaln(xp.asarray([1.0, 2.0]), 2.0)
    Array([-0.69314718, -1.79175947], dtype=float64, device=cpu)
    """

def binom(n: Array | Scalar, k: Array | Scalar, /) -> Array:
    """Return the binomial coefficients, also of numbers that are no integers.

    `binom` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.binom.html

    >>> xp.special.binom(xp.asarray([4.0, 5.0]), 2)
    Array([ 6., 10.], dtype=float64, device=cpu)
    """

def boxcox(x: Array | Scalar, lmbda: Array | Scalar, /) -> Array:
    """Return the Box-Cox transform: ``(x**lmbda - 1) / lmbda``, and the logarithm if ``lmbda`` is 0.

    `boxcox` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.boxcox.html

    >>> xp.special.boxcox(xp.asarray([1.0, 4.0]), 2.0)
    Array([0. , 7.5], dtype=float64, device=cpu)
    """

def boxcox1p(x: Array | Scalar, lmbda: Array | Scalar, /) -> Array:
    """Return the Box-Cox transform of ``1 + x``.

    `boxcox1p` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.boxcox1p.html

    >>> xp.special.boxcox1p(xp.asarray([0.0, 3.0]), 2.0)
    Array([0. , 7.5], dtype=float64, device=cpu)
    """

def chdtr(v: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the chi-square distribution: the integral of its density up to ``x``.

    `chdtr` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.chdtr.html

    >>> xp.special.chdtr(2, xp.asarray([0.0, 2.0]))
    Array([0.        , 0.63212056], dtype=float64, device=cpu)
    """

def chdtrc(v: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the integral of the chi-square density from ``x`` on: ``1 - chdtr(v, x)``.

    `chdtrc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.chdtrc.html

    >>> xp.special.chdtrc(2, xp.asarray([0.0, 2.0]))
    Array([1.        , 0.36787944], dtype=float64, device=cpu)
    """

def chdtri(v: Array | Scalar, p: Array | Scalar, /) -> Array:
    """Return the inverse of `chdtrc` in ``x``.

    `chdtri` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.chdtri.html

    >>> xp.special.chdtri(2, xp.asarray([0.5, 1.0]))
    Array([1.38629436, 0.        ], dtype=float64, device=cpu)
    """

def ellipeinc(phi: Array | Scalar, m: Array | Scalar, /) -> Array:
    """Return the incomplete elliptic integrals of the second kind.

    `ellipeinc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.ellipeinc.html

    >>> xp.special.ellipeinc(xp.asarray([0.0, 1.0]), 0.0)
    Array([0., 1.], dtype=float64, device=cpu)
    """

def ellipkinc(phi: Array | Scalar, m: Array | Scalar, /) -> Array:
    """Return the incomplete elliptic integrals of the first kind.

    `ellipkinc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.ellipkinc.html

    >>> xp.special.ellipkinc(xp.asarray([0.0, 1.0]), 0.0)
    Array([0., 1.], dtype=float64, device=cpu)
    """

def expn(n: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the generalized exponential integrals En.

    `expn` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.expn.html

    >>> xp.special.expn(1, xp.asarray([1.0, 2.0]))
    Array([0.21938393, 0.04890051], dtype=float64, device=cpu)
    """

def fdtr(dfn: Array | Scalar, dfd: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the F distribution: the integral of its density up to ``x``.

    `fdtr` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.fdtr.html

    >>> xp.special.fdtr(2, 2, xp.asarray([0.0, 1.0]))
    Array([0. , 0.5], dtype=float64, device=cpu)
    """

def fdtrc(dfn: Array | Scalar, dfd: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the integral of the F density from ``x`` on: ``1 - fdtr(dfn, dfd, x)``.

    `fdtrc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.fdtrc.html

    >>> xp.special.fdtrc(2, 2, xp.asarray([0.0, 1.0]))
    Array([1. , 0.5], dtype=float64, device=cpu)
    """

def fdtri(dfn: Array | Scalar, dfd: Array | Scalar, p: Array | Scalar, /) -> Array:
    """Return the inverse of `fdtr` in ``x``.

    `fdtri` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.fdtri.html

    >>> xp.special.fdtri(2, 2, xp.asarray([0.0, 0.5]))
    Array([0., 1.], dtype=float64, device=cpu)
    """

def gammainc(a: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the regularized lower incomplete gamma function.

    `gammainc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammainc.html

    >>> xp.special.gammainc(1.0, xp.asarray([0.0, 1.0]))
    Array([0.        , 0.63212056], dtype=float64, device=cpu)
    """

def gammaincc(a: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the regularized upper incomplete gamma function: ``1 - gammainc(a, x)``.

    `gammaincc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammaincc.html

    >>> xp.special.gammaincc(1.0, xp.asarray([0.0, 1.0]))
    Array([1.        , 0.36787944], dtype=float64, device=cpu)
    """

def gammainccinv(a: Array | Scalar, y: Array | Scalar, /) -> Array:
    """Return the inverse of `gammaincc` in its second argument.

    `gammainccinv` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammainccinv.html

    >>> xp.special.gammainccinv(1.0, xp.asarray([1.0, 0.5]))
    Array([0.        , 0.69314718], dtype=float64, device=cpu)
    """

def gammaincinv(a: Array | Scalar, y: Array | Scalar, /) -> Array:
    """Return the inverse of `gammainc` in its second argument.

    `gammaincinv` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammaincinv.html

    >>> xp.special.gammaincinv(1.0, xp.asarray([0.0, 0.5]))
    Array([0.        , 0.69314718], dtype=float64, device=cpu)
    """

def gdtr(a: Array | Scalar, b: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the gamma distribution: the integral of its density up to ``x``.

    `gdtr` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gdtr.html

    >>> xp.special.gdtr(1.0, 1.0, xp.asarray([0.0, 1.0]))
    Array([0.        , 0.63212056], dtype=float64, device=cpu)
    """

def gdtrc(a: Array | Scalar, b: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the integral of the gamma density from ``x`` on: ``1 - gdtr(a, b, x)``.

    `gdtrc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gdtrc.html

    >>> xp.special.gdtrc(1.0, 1.0, xp.asarray([0.0, 1.0]))
    Array([1.        , 0.36787944], dtype=float64, device=cpu)
    """

def huber(delta: Array | Scalar, r: Array | Scalar, /) -> Array:
    """Return the Huber loss: half the square up to ``delta``, and linear from there on.

    `huber` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.huber.html

    >>> xp.special.huber(1.0, xp.asarray([0.5, 2.0]))
    Array([0.125, 1.5  ], dtype=float64, device=cpu)
    """

def inv_boxcox(y: Array | Scalar, lmbda: Array | Scalar, /) -> Array:
    """Return the inverse of the Box-Cox transform.

    `inv_boxcox` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.inv_boxcox.html

    >>> xp.special.inv_boxcox(xp.asarray([0.0, 7.5]), 2.0)
    Array([1., 4.], dtype=float64, device=cpu)
    """

def inv_boxcox1p(y: Array | Scalar, lmbda: Array | Scalar, /) -> Array:
    """Return the inverse of `boxcox1p`.

    `inv_boxcox1p` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.inv_boxcox1p.html

    >>> xp.special.inv_boxcox1p(xp.asarray([0.0, 7.5]), 2.0)
    Array([0., 3.], dtype=float64, device=cpu)
    """

def kl_div(x: Array | Scalar, y: Array | Scalar, /) -> Array:
    """Return the terms of the Kullback-Leibler divergence: ``x * log(x / y) - x + y``.

    `kl_div` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.kl_div.html

    >>> xp.special.kl_div(xp.asarray([0.5, 1.0]), 1.0)
    Array([0.15342641, 0.        ], dtype=float64, device=cpu)
    """

def lpmv(m: Array | Scalar, v: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the associated Legendre functions of integer order and real degree.

    `lpmv` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.lpmv.html

    >>> xp.special.lpmv(0, 1, xp.asarray([0.0, 0.5]))
    Array([-0. ,  0.5], dtype=float64, device=cpu)
    """

def nbdtr(k: Array | Scalar, n: Array | Scalar, p: Array | Scalar, /) -> Array:
    """Return the negative binomial distribution: the probability of up to ``k`` failures before ``n`` successes.

    `nbdtr` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.nbdtr.html

    >>> xp.special.nbdtr(xp.asarray([0, 1]), 1, 0.5)
    Array([0.5 , 0.75], dtype=float64, device=cpu)
    """

def nbdtrc(k: Array | Scalar, n: Array | Scalar, p: Array | Scalar, /) -> Array:
    """Return the probability of more than ``k`` failures before ``n`` successes: ``1 - nbdtr(k, n, p)``.

    `nbdtrc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.nbdtrc.html

    >>> xp.special.nbdtrc(xp.asarray([0, 1]), 1, 0.5)
    Array([0.5 , 0.25], dtype=float64, device=cpu)
    """

def nbdtri(k: Array | Scalar, n: Array | Scalar, y: Array | Scalar, /) -> Array:
    """Return the inverse of `nbdtr` in its third argument.

    `nbdtri` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.nbdtri.html

    >>> xp.special.nbdtri(xp.asarray([0, 1]), 1, 0.5)
    Array([0.5       , 0.29289322], dtype=float64, device=cpu)
    """

def pdtr(k: Array | Scalar, m: Array | Scalar, /) -> Array:
    """Return the Poisson distribution: the probability of up to ``k`` events.

    `pdtr` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.pdtr.html

    >>> xp.special.pdtr(xp.asarray([0.0, 1.0]), 1.0)
    Array([0.36787944, 0.73575888], dtype=float64, device=cpu)
    """

def pdtrc(k: Array | Scalar, m: Array | Scalar, /) -> Array:
    """Return the probability of more than ``k`` events: ``1 - pdtr(k, m)``.

    `pdtrc` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.pdtrc.html

    >>> xp.special.pdtrc(xp.asarray([0.0, 1.0]), 1.0)
    Array([0.63212056, 0.26424112], dtype=float64, device=cpu)
    """

def pdtri(k: Array | Scalar, y: Array | Scalar, /) -> Array:
    """Return the inverse of `pdtr` in ``m``.

    `pdtri` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.pdtri.html

    >>> xp.special.pdtri(xp.asarray([0, 1]), 0.5)
    Array([0.69314718, 1.67834699], dtype=float64, device=cpu)
    """

def poch(z: Array | Scalar, m: Array | Scalar, /) -> Array:
    """Return the rising factorials: ``gamma(z + m) / gamma(z)``.

    `poch` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.poch.html

    >>> xp.special.poch(xp.asarray([1.0, 2.0]), 3)
    Array([ 6., 24.], dtype=float64, device=cpu)
    """

def pseudo_huber(delta: Array | Scalar, r: Array | Scalar, /) -> Array:
    """Return the pseudo-Huber loss, a smooth form of the Huber loss.

    `pseudo_huber` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.pseudo_huber.html

    >>> xp.special.pseudo_huber(1.0, xp.asarray([0.0, 2.0]))
    Array([0.        , 1.23606798], dtype=float64, device=cpu)
    """

def radian(d: Array | Scalar, m: Array | Scalar, s: Array | Scalar, /) -> Array:
    """Return angles in radians that are given in degrees, minutes and seconds.

    `radian` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.radian.html

    >>> xp.special.radian(xp.asarray([180.0]), 0, 0)
    Array([3.14159265], dtype=float64, device=cpu)
    """

def rel_entr(x: Array | Scalar, y: Array | Scalar, /) -> Array:
    """Return the terms of the relative entropy: ``x * log(x / y)``.

    `rel_entr` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.rel_entr.html

    >>> xp.special.rel_entr(xp.asarray([0.5, 1.0]), 1.0)
    Array([-0.34657359,  0.        ], dtype=float64, device=cpu)
    """

def sph_harm_y(n: Array | Scalar, m: Array | Scalar, theta: Array | Scalar, phi: Array | Scalar, /) -> Array:
    """Return the spherical harmonics.

    `sph_harm_y` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.sph_harm_y.html

    >>> xp.special.sph_harm_y(0, 0, xp.asarray([0.0]), 0.0)
    Array([0.28209479+0.j], dtype=complex128, device=cpu)
    """

def stdtr(df: Array | Scalar, t: Array | Scalar, /) -> Array:
    """Return Student's t distribution: the integral of its density up to ``t``.

    `stdtr` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.stdtr.html

    >>> xp.special.stdtr(1.0, xp.asarray([0.0, 1.0]))
    Array([0.5 , 0.75], dtype=float64, device=cpu)
    """

def wright_bessel(a: Array | Scalar, b: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return Wright's generalized Bessel function.

    `wright_bessel` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.wright_bessel.html

    >>> xp.special.wright_bessel(1.0, 1.0, xp.asarray([0.0, 1.0]))
    Array([1.       , 2.2795853], dtype=float64, device=cpu)
    """

def xlog1py(x: Array | Scalar, y: Array | Scalar, /) -> Array:
    """Return ``x * log1p(y)``; 0 where ``x`` is 0.

    `xlog1py` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.xlog1py.html

    >>> xp.special.xlog1py(xp.asarray([0.0, 2.0]), 1.0)
    Array([0.        , 1.38629436], dtype=float64, device=cpu)
    """

def xlogy(x: Array | Scalar, y: Array | Scalar, /) -> Array:
    """Return ``x * log(y)``; 0 where ``x`` is 0, also if ``y`` is 0.

    `xlogy` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.xlogy.html

    >>> xp.special.xlogy(xp.asarray([0.0, 2.0]), 2.0)
    Array([0.        , 1.38629436], dtype=float64, device=cpu)
    """

def yn(n: Array | Scalar, x: Array | Scalar, /) -> Array:
    """Return the Bessel functions of the second kind of integer orders.

    `yn` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.yn.html

    >>> xp.special.yn(0, xp.asarray([1.0, 2.0]))
    Array([0.08825696, 0.51037567], dtype=float64, device=cpu)
    """

def ellipj(u: Array | Scalar, m: Array | Scalar, /) -> tuple[Array, Array, Array, Array]:
    """Return the Jacobian elliptic functions.

    `ellipj` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.ellipj.html

    >>> xp.special.ellipj(xp.asarray([0.0]), 0.5)[1]
    Array([1.], dtype=float64, device=cpu)
    """

def lambertw(z: Array, k: Array | int = 0, tol: float = 1e-8) -> Array:
    """Return the Lambert W function: ``w`` with ``w * exp(w) = z``.

    `lambertw` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.lambertw.html

    >>> xp.special.lambertw(xp.asarray([0.0, 1.0]))
    Array([0.        +0.j, 0.56714329+0.j], dtype=complex128, device=cpu)
    """

def log_softmax(x: Array, axis: _Axis = None) -> Array:
    """Return the logarithms of the softmax, without underflow.

    `log_softmax` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.log_softmax.html

    >>> xp.special.log_softmax(xp.asarray([0.0, 0.0]))
    Array([-0.69314718, -0.69314718], dtype=float64, device=cpu)
    """

def multigammaln(a: Array, d: Array | int) -> Array:
    """Return the logarithms of the multivariate gamma function.

    `multigammaln` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.multigammaln.html

    >>> xp.special.multigammaln(xp.asarray([3.0]), 1)
    Array([0.69314718], dtype=float64, device=cpu)
    """

def polygamma(n: Array | Scalar, x: Array | Scalar) -> Array:
    """Return the derivatives of the digamma function.

    `polygamma` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.polygamma.html

    >>> xp.special.polygamma(1, xp.asarray([1.0, 2.0]))
    Array([1.64493407, 0.64493407], dtype=float64, device=cpu)
    """

def shichi(x: Array, /) -> tuple[Array, Array]:
    """Return the hyperbolic sine and cosine integrals.

    `shichi` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.shichi.html

    >>> xp.special.shichi(xp.asarray([1.0]))[0]
    Array([1.05725088], dtype=float64, device=cpu)
    """

def sici(x: Array, /) -> tuple[Array, Array]:
    """Return the sine and cosine integrals.

    `sici` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.sici.html

    >>> xp.special.sici(xp.asarray([1.0]))[0]
    Array([0.94608307], dtype=float64, device=cpu)
    """

def softmax(x: Array, axis: _Axis = None) -> Array:
    """Return the exponentials, divided by their sum: numbers from 0 to 1 with the sum 1.

    `softmax` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.softmax.html

    >>> xp.special.softmax(xp.asarray([0.0, 0.0]))
    Array([0.5, 0.5], dtype=float64, device=cpu)
    """

def spherical_yn(n: Array | Scalar, z: Array | Scalar, derivative: _bool = False) -> Array:
    """Return the spherical Bessel functions of the second kind, or their derivatives.

    `spherical_yn` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.spherical_yn.html

    >>> xp.special.spherical_yn(0, xp.asarray([1.0]))
    Array([-0.54030231], dtype=float64, device=cpu)
    """

def zeta(x: Array | Scalar, q: Array | Scalar | None = None) -> Array:
    """Return the Hurwitz zeta function; without ``q`` that of Riemann.

    `zeta` of SciPy: https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.zeta.html

    >>> xp.special.zeta(xp.asarray([2.0, 4.0]))
    Array([1.64493407, 1.08232323], dtype=float64, device=cpu)
    """
