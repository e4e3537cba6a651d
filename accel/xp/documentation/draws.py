"""What the docstrings of the distributions of `accel.xp.random.Generator` say."""

__all__ = ["TEXT"]

_SIZE = "size : int or tuple of int, optional: The shape of the result; by default that of the parameters."
_NORMAL = """\
    loc : float or Array, default 0.0: The centre.
    scale : float or Array, default 1.0: The width; not negative."""
_STANDARD = """\
    dtype : dtype_like, default float64: The dtype of the numbers: float64 or float32.
    out : Array, optional: The array for the numbers; it is returned."""

TEXT = f"""
random.beta
    Draw numbers of the beta distribution.
    a : float or Array: The first parameter, positive.
    b : float or Array: The second parameter, positive.
    {_SIZE}
random.binomial
    Draw numbers of successes in ``n`` events.
    n : int or Array: The number of events.
    p : float or Array: The probability of a success in one event.
    {_SIZE}
random.chisquare
    Draw numbers of the chi-square distribution.
    df : float or Array: The degrees of freedom, positive.
    {_SIZE}
random.dirichlet
    Draw vectors of positive numbers with the sum 1.
    alpha : sequence of float: The parameters, one for each element of a vector.
    {_SIZE}
random.exponential
    Draw numbers of the exponential distribution.
    scale : float or Array, default 1.0: The mean.
    {_SIZE}
random.f
    Draw numbers of the F distribution.
    dfnum : float or Array: The degrees of freedom of the numerator.
    dfden : float or Array: The degrees of freedom of the denominator.
    {_SIZE}
random.gamma
    Draw numbers of the gamma distribution.
    shape : float or Array: The shape of the distribution.
    scale : float or Array, default 1.0: The scale.
    {_SIZE}
random.geometric
    Draw numbers of events until the first success.
    p : float or Array: The probability of a success in one event.
    {_SIZE}
random.gumbel
    Draw numbers of the Gumbel distribution, of extreme values.
{_NORMAL}
    {_SIZE}
random.hypergeometric
    Draw numbers of good items in a sample without replacement.
    ngood : int or Array: The number of good items.
    nbad : int or Array: The number of bad items.
    nsample : int or Array: The number of items in the sample.
    {_SIZE}
random.integers
    Draw integers from ``low`` to below ``high``; with one bound from 0 to below it.
    low : int or Array: The least integer, or the bound.
    high : int or Array, optional: The bound.
    {_SIZE}
    dtype : dtype_like, default int64: The dtype of the integers.
    endpoint : bool, default False: Whether ``high`` may be drawn.
random.laplace
    Draw numbers of the Laplace distribution.
{_NORMAL}
    {_SIZE}
random.logistic
    Draw numbers of the logistic distribution.
{_NORMAL}
    {_SIZE}
random.lognormal
    Draw numbers whose logarithms are of a normal distribution.
    mean : float or Array, default 0.0: The mean of the logarithms.
    sigma : float or Array, default 1.0: The standard deviation of the logarithms.
    {_SIZE}
random.logseries
    Draw integers of the logarithmic series distribution.
    p : float or Array: The parameter, from 0 to below 1.
    {_SIZE}
random.multinomial
    Draw how often each of several outcomes occurs in ``n`` events.
    n : int or Array: The number of events.
    pvals : sequence of float: The probability of each outcome.
    {_SIZE}
random.multivariate_hypergeometric
    Draw how many items of each colour are in a sample without replacement.
    colors : sequence of int: The number of items of each colour.
    nsample : int: The number of items in the sample.
    {_SIZE}
    method : {{"marginals", "count"}}: How the sample is drawn.
random.multivariate_normal
    Draw vectors of a normal distribution.
    mean : Array: The mean vector.
    cov : Array: The matrix of the covariances.
    {_SIZE}
    check_valid : {{"warn", "raise", "ignore"}}: What to do if the matrix is not positive semidefinite.
    tol : float, default 1e-8: The tolerance of that check.
    method : {{"svd", "eigh", "cholesky"}}: How the matrix is factored.
random.negative_binomial
    Draw numbers of failures before ``n`` successes.
    n : float or Array: The number of successes.
    p : float or Array: The probability of a success in one event.
    {_SIZE}
random.noncentral_chisquare
    Draw numbers of the noncentral chi-square distribution.
    df : float or Array: The degrees of freedom.
    nonc : float or Array: The noncentrality, not negative.
    {_SIZE}
random.noncentral_f
    Draw numbers of the noncentral F distribution.
    dfnum : float or Array: The degrees of freedom of the numerator.
    dfden : float or Array: The degrees of freedom of the denominator.
    nonc : float or Array: The noncentrality, not negative.
    {_SIZE}
random.normal
    Draw numbers of the normal distribution.
{_NORMAL}
    {_SIZE}
random.pareto
    Draw numbers of the Pareto II distribution (Lomax), which starts at 0.
    a : float or Array: The shape of the distribution.
    {_SIZE}
random.poisson
    Draw numbers of the Poisson distribution.
    lam : float or Array, default 1.0: The expected number.
    {_SIZE}
random.power
    Draw numbers from 0 to 1, the density of which is a power of them.
    a : float or Array: One more than the exponent of the density.
    {_SIZE}
random.random
    Draw numbers from 0 to below 1.
    {_SIZE}
{_STANDARD}
random.rayleigh
    Draw numbers of the Rayleigh distribution.
    scale : float or Array, default 1.0: The mode.
    {_SIZE}
random.standard_cauchy
    Draw numbers of the standard Cauchy distribution.
    {_SIZE}
random.standard_exponential
    Draw numbers of the exponential distribution with the mean 1.
    {_SIZE}
    dtype : dtype_like, default float64: The dtype of the numbers: float64 or float32.
    method : {{"zig", "inv"}}: How they are drawn: by the ziggurat, or by the inverse of the distribution.
    out : Array, optional: The array for the numbers; it is returned.
random.standard_gamma
    Draw numbers of the gamma distribution with the scale 1.
    shape : float or Array: The shape of the distribution.
    {_SIZE}
{_STANDARD}
random.standard_normal
    Draw numbers of the normal distribution with the mean 0 and the standard deviation 1.
    {_SIZE}
{_STANDARD}
random.standard_t
    Draw numbers of Student's t distribution.
    df : float or Array: The degrees of freedom.
    {_SIZE}
random.triangular
    Draw numbers of the triangular distribution.
    left : float or Array: The lower limit.
    mode : float or Array: Where the density is greatest.
    right : float or Array: The upper limit.
    {_SIZE}
random.uniform
    Draw numbers from ``low`` to below ``high``, all equally likely.
    low : float or Array, default 0.0: The lower limit.
    high : float or Array, default 1.0: The upper limit.
    {_SIZE}
random.vonmises
    Draw angles of the von Mises distribution, in radians.
    mu : float or Array: The mode.
    kappa : float or Array: The concentration, not negative.
    {_SIZE}
random.wald
    Draw numbers of the Wald distribution (inverse Gaussian).
    mean : float or Array: The mean, positive.
    scale : float or Array: The scale, positive.
    {_SIZE}
random.weibull
    Draw numbers of the Weibull distribution with the scale 1.
    a : float or Array: The shape of the distribution.
    {_SIZE}
random.zipf
    Draw numbers of the Zipf distribution.
    a : float or Array: The exponent, more than 1.
    {_SIZE}
"""
"""For each distribution a summary, and the parameters in NumPy's order."""
