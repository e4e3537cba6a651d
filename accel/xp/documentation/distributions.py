"""What the docstrings of the distributions in `accel.xp.special` say."""

__all__ = ["TEXT"]

TEXT = """
special.bdtr
    Return the binomial distribution: the probability of up to ``k`` successes in ``n`` events.
    k: Numbers of successes, rounded down.
    n: Numbers of events.
    p: The probability of a success in one event.
    >>> xp.special.bdtr(xp.asarray([0, 1]), xp.asarray([2, 2]), 0.5)
    Array([0.25, 0.75], dtype=float64, device=cpu)
special.bdtrc
    Return the probability of more than ``k`` successes in ``n`` events: ``1 - bdtr(k, n, p)``.
    k: Numbers of successes, rounded down.
    n: Numbers of events.
    p: The probability of a success in one event.
    >>> xp.special.bdtrc(xp.asarray([0, 1]), xp.asarray([2, 2]), 0.5)
    Array([0.75, 0.25], dtype=float64, device=cpu)
special.bdtri
    Return the inverse of `bdtr` in ``p``: the probability of a success for which ``bdtr(k, n, p)`` is ``y``.
    k: Numbers of successes, rounded down.
    n: Numbers of events.
    y: The probability of up to ``k`` successes.
    >>> xp.special.bdtri(xp.asarray([0, 1]), xp.asarray([2, 2]), 0.25)
    Array([0.5      , 0.8660254], dtype=float64, device=cpu)
special.betainc
    Return the regularized incomplete beta function.
    a: The first parameters, positive.
    b: The second parameters, positive.
    x: The upper limits of the integral, from 0 to 1.
    >>> xp.special.betainc(1.0, 1.0, xp.asarray([0.25, 0.5]))
    Array([0.25, 0.5 ], dtype=float64, device=cpu)
special.betaincinv
    Return the inverse of `betainc` in its third argument.
    a: The first parameters, positive.
    b: The second parameters, positive.
    y: Numbers from 0 to 1.
    >>> xp.special.betaincinv(1.0, 1.0, xp.asarray([0.25, 0.5]))
    Array([0.25, 0.5 ], dtype=float64, device=cpu)
special.chdtr
    Return the chi-square distribution: the integral of its density up to ``x``.
    v: The degrees of freedom.
    x: The upper limits of the integral.
    >>> xp.special.chdtr(2, xp.asarray([0.0, 2.0]))
    Array([0.        , 0.63212056], dtype=float64, device=cpu)
special.chdtrc
    Return the integral of the chi-square density from ``x`` on: ``1 - chdtr(v, x)``.
    v: The degrees of freedom.
    x: The lower limits of the integral.
    >>> xp.special.chdtrc(2, xp.asarray([0.0, 2.0]))
    Array([1.        , 0.36787944], dtype=float64, device=cpu)
special.chdtri
    Return the inverse of `chdtrc` in ``x``.
    v: The degrees of freedom.
    p: Probabilities.
    >>> xp.special.chdtri(2, xp.asarray([0.5, 1.0]))
    Array([1.38629436, 0.        ], dtype=float64, device=cpu)
special.fdtr
    Return the F distribution: the integral of its density up to ``x``.
    dfn: The degrees of freedom of the numerator.
    dfd: The degrees of freedom of the denominator.
    x: The upper limits of the integral.
    >>> xp.special.fdtr(2, 2, xp.asarray([0.0, 1.0]))
    Array([0. , 0.5], dtype=float64, device=cpu)
special.fdtrc
    Return the integral of the F density from ``x`` on: ``1 - fdtr(dfn, dfd, x)``.
    dfn: The degrees of freedom of the numerator.
    dfd: The degrees of freedom of the denominator.
    x: The lower limits of the integral.
    >>> xp.special.fdtrc(2, 2, xp.asarray([0.0, 1.0]))
    Array([1. , 0.5], dtype=float64, device=cpu)
special.fdtri
    Return the inverse of `fdtr` in ``x``.
    dfn: The degrees of freedom of the numerator.
    dfd: The degrees of freedom of the denominator.
    p: Probabilities.
    >>> xp.special.fdtri(2, 2, xp.asarray([0.0, 0.5]))
    Array([0., 1.], dtype=float64, device=cpu)
special.gdtr
    Return the gamma distribution: the integral of its density up to ``x``.
    a: The rates.
    b: The shapes.
    x: The upper limits of the integral.
    >>> xp.special.gdtr(1.0, 1.0, xp.asarray([0.0, 1.0]))
    Array([0.        , 0.63212056], dtype=float64, device=cpu)
special.gdtrc
    Return the integral of the gamma density from ``x`` on: ``1 - gdtr(a, b, x)``.
    a: The rates.
    b: The shapes.
    x: The lower limits of the integral.
    >>> xp.special.gdtrc(1.0, 1.0, xp.asarray([0.0, 1.0]))
    Array([1.        , 0.36787944], dtype=float64, device=cpu)
special.log_ndtr
    Return the logarithms of the normal distribution, without underflow.
    >>> xp.special.log_ndtr(xp.asarray([0.0, 1.0]))
    Array([-0.69314718, -0.17275378], dtype=float64, device=cpu)
special.nbdtr
    Return the negative binomial distribution: the probability of up to ``k`` failures before ``n`` successes.
    k: Numbers of failures.
    n: Numbers of successes.
    p: The probability of a success in one event.
    >>> xp.special.nbdtr(xp.asarray([0, 1]), 1, 0.5)
    Array([0.5 , 0.75], dtype=float64, device=cpu)
special.nbdtrc
    Return the probability of more than ``k`` failures before ``n`` successes: ``1 - nbdtr(k, n, p)``.
    k: Numbers of failures.
    n: Numbers of successes.
    p: The probability of a success in one event.
    >>> xp.special.nbdtrc(xp.asarray([0, 1]), 1, 0.5)
    Array([0.5 , 0.25], dtype=float64, device=cpu)
special.nbdtri
    Return the inverse of `nbdtr` in its third argument.
    k: Numbers of failures.
    n: Numbers of successes.
    y: Values of `nbdtr`.
    >>> xp.special.nbdtri(xp.asarray([0, 1]), 1, 0.5)
    Array([0.5       , 0.29289322], dtype=float64, device=cpu)
special.ndtr
    Return the normal distribution: the integral of its density up to ``x``.
    >>> xp.special.ndtr(xp.asarray([-1.0, 0.0, 1.0]))
    Array([0.15865525, 0.5       , 0.84134475], dtype=float64, device=cpu)
special.ndtri
    Return the inverse of the normal distribution.
    x: Probabilities.
    >>> xp.special.ndtri(xp.asarray([0.5, 0.975]))
    Array([0.        , 1.95996398], dtype=float64, device=cpu)
special.pdtr
    Return the Poisson distribution: the probability of up to ``k`` events.
    k: Numbers of events.
    m: The expected number of events.
    >>> xp.special.pdtr(xp.asarray([0.0, 1.0]), 1.0)
    Array([0.36787944, 0.73575888], dtype=float64, device=cpu)
special.pdtrc
    Return the probability of more than ``k`` events: ``1 - pdtr(k, m)``.
    k: Numbers of events.
    m: The expected number of events.
    >>> xp.special.pdtrc(xp.asarray([0.0, 1.0]), 1.0)
    Array([0.63212056, 0.26424112], dtype=float64, device=cpu)
special.pdtri
    Return the inverse of `pdtr` in ``m``.
    k: Numbers of events, integers.
    y: Values of `pdtr`.
    >>> xp.special.pdtri(xp.asarray([0, 1]), 0.5)
    Array([0.69314718, 1.67834699], dtype=float64, device=cpu)
special.stdtr
    Return Student's t distribution: the integral of its density up to ``t``.
    df: The degrees of freedom.
    t: The upper limits of the integral.
    >>> xp.special.stdtr(1.0, xp.asarray([0.0, 1.0]))
    Array([0.5 , 0.75], dtype=float64, device=cpu)
"""
"""For each function a summary, the parameters, and an example."""
