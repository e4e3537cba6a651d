"""What the docstrings of `accel.xp.special` say, without those of distributions."""

__all__ = ["TEXT"]

TEXT = """
special.beta
    Return the beta function: ``gamma(a) * gamma(b) / gamma(a + b)``.
    >>> xp.special.beta(xp.asarray([1.0, 2.0]), 2.0)
    Array([0.5       , 0.16666667], dtype=float64, device=cpu)
special.betaln
    Return the natural logarithms of the absolute values of the beta function.
    >>> xp.special.betaln(xp.asarray([1.0, 2.0]), 2.0)
    Array([-0.69314718, -1.79175947], dtype=float64, device=cpu)
special.binom
    Return the binomial coefficients, also of numbers that are no integers.
    n: Of how many.
    k: How many are chosen.
    >>> xp.special.binom(xp.asarray([4.0, 5.0]), 2)
    Array([ 6., 10.], dtype=float64, device=cpu)
special.boxcox
    Return the Box-Cox transform: ``(x**lmbda - 1) / lmbda``, and the logarithm if ``lmbda`` is 0.
    lmbda: The exponent.
    >>> xp.special.boxcox(xp.asarray([1.0, 4.0]), 2.0)
    Array([0. , 7.5], dtype=float64, device=cpu)
special.boxcox1p
    Return the Box-Cox transform of ``1 + x``.
    lmbda: The exponent.
    >>> xp.special.boxcox1p(xp.asarray([0.0, 3.0]), 2.0)
    Array([0. , 7.5], dtype=float64, device=cpu)
special.cosdg
    Return the cosines of angles in degrees.
    x: The angles in degrees.
    >>> xp.special.cosdg(xp.asarray([0.0, 60.0]))
    Array([1. , 0.5], dtype=float64, device=cpu)
special.cosm1
    Return ``cos(x) - 1``, also precise for small numbers.
    >>> xp.special.cosm1(xp.asarray([0.0, 1e-6]))
    Array([ 0.e+00, -5.e-13], dtype=float64, device=cpu)
special.cotdg
    Return the cotangents of angles in degrees.
    x: The angles in degrees.
    >>> xp.special.cotdg(xp.asarray([45.0]))
    Array([1.], dtype=float64, device=cpu)
special.digamma
    Return the digamma function: the derivative of the logarithm of the gamma function.
    >>> xp.special.digamma(xp.asarray([1.0, 2.0]))
    Array([-0.57721566,  0.42278434], dtype=float64, device=cpu)
special.ellipeinc
    Return the incomplete elliptic integrals of the second kind.
    phi: The amplitudes, in radians.
    m: The parameters.
    >>> xp.special.ellipeinc(xp.asarray([0.0, 1.0]), 0.0)
    Array([0., 1.], dtype=float64, device=cpu)
special.ellipj
    Return the Jacobian elliptic functions.
    u: The arguments.
    m: The parameters, from 0 to 1.
    = The functions sn, cn and dn, and the amplitudes.
    >>> xp.special.ellipj(xp.asarray([0.0]), 0.5)[1]
    Array([1.], dtype=float64, device=cpu)
special.ellipk
    Return the complete elliptic integrals of the first kind.
    x: The parameters ``m``.
    >>> xp.special.ellipk(xp.asarray([0.0, 0.5]))
    Array([1.57079633, 1.85407468], dtype=float64, device=cpu)
special.ellipkinc
    Return the incomplete elliptic integrals of the first kind.
    phi: The amplitudes, in radians.
    m: The parameters.
    >>> xp.special.ellipkinc(xp.asarray([0.0, 1.0]), 0.0)
    Array([0., 1.], dtype=float64, device=cpu)
special.ellipkm1
    Return the complete elliptic integrals of the first kind, precise where the parameter is near 1.
    x: One less the parameters: ``1 - m``.
    >>> xp.special.ellipkm1(xp.asarray([1.0, 0.5]))
    Array([1.57079633, 1.85407468], dtype=float64, device=cpu)
special.entr
    Return the terms of an entropy: ``-x * log(x)``, 0 at 0, and negative infinity below.
    >>> xp.special.entr(xp.asarray([0.0, 0.5, 1.0]))
    Array([ 0.        ,  0.34657359, -0.        ], dtype=float64, device=cpu)
special.erf
    Return the error function.
    >>> xp.special.erf(xp.asarray([0.0, 1.0]))
    Array([0.        , 0.84270079], dtype=float64, device=cpu)
special.erfc
    Return the complement of the error function: ``1 - erf(x)``, also precise for large numbers.
    >>> xp.special.erfc(xp.asarray([0.0, 1.0]))
    Array([1.        , 0.15729921], dtype=float64, device=cpu)
special.erfcinv
    Return the inverse of `erfc`.
    x: Numbers from 0 to 2.
    >>> xp.special.erfcinv(xp.asarray([1.0, 0.5]))
    Array([-0.        ,  0.47693628], dtype=float64, device=cpu)
special.erfcx
    Return ``exp(x**2) * erfc(x)`` without underflow.
    >>> xp.special.erfcx(xp.asarray([0.0, 1.0]))
    Array([1.        , 0.42758358], dtype=float64, device=cpu)
special.erfinv
    Return the inverse of `erf`.
    x: Numbers from -1 to 1.
    >>> xp.special.erfinv(xp.asarray([0.0, 0.5]))
    Array([0.        , 0.47693628], dtype=float64, device=cpu)
special.exp1
    Return the exponential integrals E1.
    >>> xp.special.exp1(xp.asarray([1.0, 2.0]))
    Array([0.21938393, 0.04890051], dtype=float64, device=cpu)
special.exp10
    Return 10 to the power of each element.
    >>> xp.special.exp10(xp.asarray([0.0, 2.0]))
    Array([  1., 100.], dtype=float64, device=cpu)
special.expi
    Return the exponential integrals Ei.
    >>> xp.special.expi(xp.asarray([1.0, 2.0]))
    Array([1.89511782, 4.95423436], dtype=float64, device=cpu)
special.expit
    Return the logistic sigmoid: ``1 / (1 + exp(-x))``.
    >>> xp.special.expit(xp.asarray([-1.0, 0.0, 1.0]))
    Array([0.26894142, 0.5       , 0.73105858], dtype=float64, device=cpu)
special.expn
    Return the generalized exponential integrals En.
    n: The orders, integers.
    >>> xp.special.expn(1, xp.asarray([1.0, 2.0]))
    Array([0.21938393, 0.04890051], dtype=float64, device=cpu)
special.exprel
    Return ``(exp(x) - 1) / x``; at 0 it is 1.
    >>> xp.special.exprel(xp.asarray([0.0, 1.0]))
    Array([1.        , 1.71828183], dtype=float64, device=cpu)
special.gamma
    Return the gamma function; of an integer ``n`` above 0 the factorial of ``n - 1``.
    >>> xp.special.gamma(xp.asarray([1.0, 5.0, 0.5]))
    Array([ 1.        , 24.        ,  1.77245385], dtype=float64, device=cpu)
special.gammainc
    Return the regularized lower incomplete gamma function.
    a: The parameters, positive.
    x: The upper limits of the integral.
    >>> xp.special.gammainc(1.0, xp.asarray([0.0, 1.0]))
    Array([0.        , 0.63212056], dtype=float64, device=cpu)
special.gammaincc
    Return the regularized upper incomplete gamma function: ``1 - gammainc(a, x)``.
    a: The parameters, positive.
    x: The lower limits of the integral.
    >>> xp.special.gammaincc(1.0, xp.asarray([0.0, 1.0]))
    Array([1.        , 0.36787944], dtype=float64, device=cpu)
special.gammainccinv
    Return the inverse of `gammaincc` in its second argument.
    a: The parameters, positive.
    y: Numbers from 0 to 1.
    >>> xp.special.gammainccinv(1.0, xp.asarray([1.0, 0.5]))
    Array([0.        , 0.69314718], dtype=float64, device=cpu)
special.gammaincinv
    Return the inverse of `gammainc` in its second argument.
    a: The parameters, positive.
    y: Numbers from 0 to 1.
    >>> xp.special.gammaincinv(1.0, xp.asarray([0.0, 0.5]))
    Array([0.        , 0.69314718], dtype=float64, device=cpu)
special.gammaln
    Return the natural logarithms of the absolute values of the gamma function.
    >>> xp.special.gammaln(xp.asarray([1.0, 5.0]))
    Array([0.        , 3.17805383], dtype=float64, device=cpu)
special.gammasgn
    Return the signs of the gamma function.
    >>> xp.special.gammasgn(xp.asarray([1.0, -0.5]))
    Array([ 1., -1.], dtype=float64, device=cpu)
special.huber
    Return the Huber loss: half the square up to ``delta``, and linear from there on.
    delta: Where the loss becomes linear.
    r: The residuals.
    >>> xp.special.huber(1.0, xp.asarray([0.5, 2.0]))
    Array([0.125, 1.5  ], dtype=float64, device=cpu)
special.i0
    Return the modified Bessel function of the first kind of order 0.
    >>> xp.special.i0(xp.asarray([0.0, 1.0]))
    Array([1.        , 1.26606588], dtype=float64, device=cpu)
special.i0e
    Return ``exp(-abs(x)) * i0(x)`` without overflow.
    >>> xp.special.i0e(xp.asarray([0.0, 1.0]))
    Array([1.        , 0.46575961], dtype=float64, device=cpu)
special.i1
    Return the modified Bessel function of the first kind of order 1.
    >>> xp.special.i1(xp.asarray([0.0, 1.0]))
    Array([0.       , 0.5651591], dtype=float64, device=cpu)
special.i1e
    Return ``exp(-abs(x)) * i1(x)`` without overflow.
    >>> xp.special.i1e(xp.asarray([0.0, 1.0]))
    Array([0.        , 0.20791042], dtype=float64, device=cpu)
special.inv_boxcox
    Return the inverse of the Box-Cox transform.
    y: The transformed numbers.
    lmbda: The exponent.
    >>> xp.special.inv_boxcox(xp.asarray([0.0, 7.5]), 2.0)
    Array([1., 4.], dtype=float64, device=cpu)
special.inv_boxcox1p
    Return the inverse of `boxcox1p`.
    y: The transformed numbers.
    lmbda: The exponent.
    >>> xp.special.inv_boxcox1p(xp.asarray([0.0, 7.5]), 2.0)
    Array([0., 3.], dtype=float64, device=cpu)
special.j0
    Return the Bessel function of the first kind of order 0.
    >>> xp.special.j0(xp.asarray([0.0, 1.0]))
    Array([1.        , 0.76519769], dtype=float64, device=cpu)
special.j1
    Return the Bessel function of the first kind of order 1.
    >>> xp.special.j1(xp.asarray([0.0, 1.0]))
    Array([0.        , 0.44005059], dtype=float64, device=cpu)
special.k0
    Return the modified Bessel function of the second kind of order 0.
    >>> xp.special.k0(xp.asarray([1.0, 2.0]))
    Array([0.42102444, 0.11389387], dtype=float64, device=cpu)
special.k0e
    Return ``exp(x) * k0(x)`` without underflow.
    >>> xp.special.k0e(xp.asarray([1.0, 2.0]))
    Array([1.14446308, 0.84156822], dtype=float64, device=cpu)
special.k1
    Return the modified Bessel function of the second kind of order 1.
    >>> xp.special.k1(xp.asarray([1.0, 2.0]))
    Array([0.60190723, 0.13986588], dtype=float64, device=cpu)
special.k1e
    Return ``exp(x) * k1(x)`` without underflow.
    >>> xp.special.k1e(xp.asarray([1.0, 2.0]))
    Array([1.63615349, 1.03347685], dtype=float64, device=cpu)
special.kl_div
    Return the terms of the Kullback-Leibler divergence: ``x * log(x / y) - x + y``.
    x: The first probabilities.
    y: The second probabilities.
    >>> xp.special.kl_div(xp.asarray([0.5, 1.0]), 1.0)
    Array([0.15342641, 0.        ], dtype=float64, device=cpu)
special.lambertw
    Return the Lambert W function: ``w`` with ``w * exp(w) = z``.
    z: The numbers.
    k: Which branch; 0 is the principal one.
    tol: The tolerance of the iteration.
    = Complex numbers.
    >>> xp.special.lambertw(xp.asarray([0.0, 1.0]))
    Array([0.        +0.j, 0.56714329+0.j], dtype=complex128, device=cpu)
special.log_expit
    Return the logarithms of the logistic sigmoid, without underflow.
    >>> xp.special.log_expit(xp.asarray([-1000.0, 0.0]))
    Array([-1.00000000e+03, -6.93147181e-01], dtype=float64, device=cpu)
special.log_softmax
    Return the logarithms of the softmax, without underflow.
    >>> xp.special.log_softmax(xp.asarray([0.0, 0.0]))
    Array([-0.69314718, -0.69314718], dtype=float64, device=cpu)
special.loggamma
    Return the principal branch of the logarithm of the gamma function.
    x: Real or complex numbers.
    >>> xp.special.loggamma(xp.asarray([1.0, 5.0]))
    Array([0.        , 3.17805383], dtype=float64, device=cpu)
special.logit
    Return the inverse of the logistic sigmoid: ``log(x / (1 - x))``.
    x: Numbers from 0 to 1.
    >>> xp.special.logit(xp.asarray([0.25, 0.5]))
    Array([-1.09861229,  0.        ], dtype=float64, device=cpu)
special.lpmv
    Return the associated Legendre functions of integer order and real degree.
    m: The orders, integers.
    v: The degrees.
    x: Numbers from -1 to 1.
    >>> xp.special.lpmv(0, 1, xp.asarray([0.0, 0.5]))
    Array([-0. ,  0.5], dtype=float64, device=cpu)
special.multigammaln
    Return the logarithms of the multivariate gamma function.
    a: The numbers, more than ``(d - 1) / 2``.
    d: The dimension.
    >>> xp.special.multigammaln(xp.asarray([3.0]), 1)
    Array([0.69314718], dtype=float64, device=cpu)
special.poch
    Return the rising factorials: ``gamma(z + m) / gamma(z)``.
    z: Where to start.
    m: How many factors.
    >>> xp.special.poch(xp.asarray([1.0, 2.0]), 3)
    Array([ 6., 24.], dtype=float64, device=cpu)
special.polygamma
    Return the derivatives of the digamma function.
    n: Which derivative, an integer that is not negative.
    x: Where to evaluate it.
    >>> xp.special.polygamma(1, xp.asarray([1.0, 2.0]))
    Array([1.64493407, 0.64493407], dtype=float64, device=cpu)
special.pseudo_huber
    Return the pseudo-Huber loss, a smooth form of the Huber loss.
    delta: Where the loss becomes nearly linear.
    r: The residuals.
    >>> xp.special.pseudo_huber(1.0, xp.asarray([0.0, 2.0]))
    Array([0.        , 1.23606798], dtype=float64, device=cpu)
special.radian
    Return angles in radians that are given in degrees, minutes and seconds.
    d: Degrees.
    m: Minutes.
    s: Seconds.
    >>> xp.special.radian(xp.asarray([180.0]), 0, 0)
    Array([3.14159265], dtype=float64, device=cpu)
special.rel_entr
    Return the terms of the relative entropy: ``x * log(x / y)``.
    x: The first probabilities.
    y: The second probabilities.
    >>> xp.special.rel_entr(xp.asarray([0.5, 1.0]), 1.0)
    Array([-0.34657359,  0.        ], dtype=float64, device=cpu)
special.rgamma
    Return 1 divided by the gamma function.
    >>> xp.special.rgamma(xp.asarray([1.0, 5.0]))
    Array([1.        , 0.04166667], dtype=float64, device=cpu)
special.shichi
    Return the hyperbolic sine and cosine integrals.
    = The integrals Shi and Chi.
    >>> xp.special.shichi(xp.asarray([1.0]))[0]
    Array([1.05725088], dtype=float64, device=cpu)
special.sici
    Return the sine and cosine integrals.
    = The integrals Si and Ci.
    >>> xp.special.sici(xp.asarray([1.0]))[0]
    Array([0.94608307], dtype=float64, device=cpu)
special.sinc
    Return ``sin(pi * x) / (pi * x)``; at 0 it is 1.
    >>> xp.special.sinc(xp.asarray([0.0, 0.5]))
    Array([1.        , 0.63661977], dtype=float64, device=cpu)
special.sindg
    Return the sines of angles in degrees.
    x: The angles in degrees.
    >>> xp.special.sindg(xp.asarray([0.0, 30.0]))
    Array([0. , 0.5], dtype=float64, device=cpu)
special.softmax
    Return the exponentials, divided by their sum: numbers from 0 to 1 with the sum 1.
    >>> xp.special.softmax(xp.asarray([0.0, 0.0]))
    Array([0.5, 0.5], dtype=float64, device=cpu)
special.sph_harm_y
    Return the spherical harmonics.
    n: The degrees, integers.
    m: The orders, integers of a magnitude up to the degree.
    theta: The polar angles, in radians.
    phi: The azimuths, in radians.
    >>> xp.special.sph_harm_y(0, 0, xp.asarray([0.0]), 0.0)
    Array([0.28209479+0.j], dtype=complex128, device=cpu)
special.spherical_yn
    Return the spherical Bessel functions of the second kind, or their derivatives.
    n: The orders, integers.
    z: Where to evaluate them.
    derivative: Whether to return the derivatives.
    >>> xp.special.spherical_yn(0, xp.asarray([1.0]))
    Array([-0.54030231], dtype=float64, device=cpu)
special.tandg
    Return the tangents of angles in degrees.
    x: The angles in degrees.
    >>> xp.special.tandg(xp.asarray([0.0, 45.0]))
    Array([0., 1.], dtype=float64, device=cpu)
special.wright_bessel
    Return Wright's generalized Bessel function.
    a: The first parameters, not negative.
    b: The second parameters, not negative.
    x: Where to evaluate it, not negative.
    >>> xp.special.wright_bessel(1.0, 1.0, xp.asarray([0.0, 1.0]))
    Array([1.       , 2.2795853], dtype=float64, device=cpu)
special.xlog1py
    Return ``x * log1p(y)``; 0 where ``x`` is 0.
    x: The factors.
    y: The arguments of the logarithm.
    >>> xp.special.xlog1py(xp.asarray([0.0, 2.0]), 1.0)
    Array([0.        , 1.38629436], dtype=float64, device=cpu)
special.xlogy
    Return ``x * log(y)``; 0 where ``x`` is 0, also if ``y`` is 0.
    x: The factors.
    y: The arguments of the logarithm.
    >>> xp.special.xlogy(xp.asarray([0.0, 2.0]), 2.0)
    Array([0.        , 1.38629436], dtype=float64, device=cpu)
special.y0
    Return the Bessel function of the second kind of order 0.
    >>> xp.special.y0(xp.asarray([1.0, 2.0]))
    Array([0.08825696, 0.51037567], dtype=float64, device=cpu)
special.y1
    Return the Bessel function of the second kind of order 1.
    >>> xp.special.y1(xp.asarray([1.0, 2.0]))
    Array([-0.78121282, -0.10703243], dtype=float64, device=cpu)
special.yn
    Return the Bessel functions of the second kind of integer orders.
    n: The orders, integers.
    >>> xp.special.yn(0, xp.asarray([1.0, 2.0]))
    Array([0.08825696, 0.51037567], dtype=float64, device=cpu)
special.zeta
    Return the Hurwitz zeta function; without ``q`` that of Riemann.
    x: The exponents.
    q: Where the sum starts; 1 without.
    >>> xp.special.zeta(xp.asarray([2.0, 4.0]))
    Array([1.64493407, 1.08232323], dtype=float64, device=cpu)
special.zetac
    Return the Riemann zeta function less 1.
    >>> xp.special.zetac(xp.asarray([2.0, 4.0]))
    Array([0.64493407, 0.08232323], dtype=float64, device=cpu)
special.cbrt = cbrt
special.exp2 = exp2
special.expm1 = expm1
special.log1p = log1p
special.psi = special.digamma
"""
"""For each function a summary, the parameters whose text is its own, the result, and an example."""
