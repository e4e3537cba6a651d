"""What the docstrings of the other functions of the main namespace say: products, sets, series, windows and tests."""

__all__ = ["TEXT"]

TEXT = """
allclose
    Tell whether all elements of two arrays are equal within tolerances.
    = Whether ``abs(a - b) <= atol + rtol * abs(b)`` everywhere.
    >>> xp.allclose(xp.asarray([1.0, 2.0]), xp.asarray([1.0, 2.0 + 1e-9]))
    True
angle
    Return the angles of complex numbers, in radians.
    z : Array: The numbers.
    deg : bool: Whether the angles are in degrees.
    = The angles, counter-clockwise from the real axis.
    >>> xp.angle(xp.asarray([1 + 0j, 1j]), deg=True)
    Array([ 0., 90.], dtype=float64, device=cpu)
array_equal
    Tell whether two arrays have the same shape and equal elements.
    = Whether they have.
    >>> xp.array_equal(xp.asarray([1, 2]), xp.asarray([1, 2]))
    True
around = round
bartlett
    Return the Bartlett window, a triangle.
    = ``M`` numbers; the first and the last are 0.
    >>> xp.bartlett(5)
    Array([0. , 0.5, 1. , 0.5, 0. ], dtype=float64, device=cpu)
blackman
    Return the Blackman window.
    = ``M`` numbers from 0 to 1.
    >>> xp.blackman(3).shape
    (3,)
convolve
    Return the discrete convolution of two sequences.
    v : Array: The other sequence.
    mode : {"full", "same", "valid"}: All places where they overlap, as many as the longer has, or where all overlap.
    = The convolution.
    >>> xp.convolve(xp.asarray([1, 2, 3]), xp.asarray([1, 1]))
    Array([1, 3, 5, 3], dtype=int64, device=cpu)
corrcoef
    Return the coefficients of correlation of variables.
    = The matrix of the coefficients.
    >>> xp.corrcoef(xp.asarray([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]))
    Array([[ 1., -1.],
           [-1.,  1.]], dtype=float64, device=cpu)
correlate
    Return the cross-correlation of two sequences.
    v : Array: The other sequence.
    mode : {"valid", "same", "full"}: Where all overlap, as many as the longer has, or all places where they overlap.
    = The correlation.
    >>> xp.correlate(xp.asarray([1, 2, 3]), xp.asarray([1, 1]))
    Array([3, 5], dtype=int64, device=cpu)
cov
    Return the covariances of variables.
    m : Array: The variables, one for each row.
    bias : bool: Whether the divisor is the number of observations, in place of one less.
    ddof : int, optional: What the divisor is less than the number of observations; overrides ``bias``.
    fweights : Array, optional: How often each observation occurs.
    aweights : Array, optional: The weight of each observation.
    = The matrix of the covariances.
    >>> xp.cov(xp.asarray([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]))
    Array([[ 1., -2.],
           [-2.,  4.]], dtype=float64, device=cpu)
cross
    Return the cross products of vectors.
    a: The first vectors.
    b: The second vectors.
    axisa : int: The axis of the vectors of ``a``.
    axisb : int: The axis of the vectors of ``b``.
    axisc : int: The axis of the vectors of the result.
    axis: The axis of all of them, in place of the three.
    = The products.
    >>> xp.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0]))
    Array([0, 0, 1], dtype=int64, device=cpu)
divmod
    Return the quotients, rounded down, and the remainders.
    x1: The dividends.
    x2: The divisors.
    = Quotients and remainders.
    >>> xp.divmod(xp.asarray([7, -7]), 3)
    (Array([ 2, -3], dtype=int64, device=cpu), Array([1, 2], dtype=int64, device=cpu))
dot
    Return the product of two arrays: of vectors the sum of products, of matrices the matrix product.
    a: A vector, or matrices.
    b: As ``a``.
    = The product: sums over the last axis of ``a`` and the last but one of ``b``.
    >>> xp.dot(xp.asarray([1, 2]), xp.asarray([3, 4]))
    Array(11, dtype=int64, device=cpu)
ediff1d
    Return the differences of neighbours in the flattened array.
    ary : Array: The array.
    to_end : array_like, optional: What comes after the differences.
    to_begin : array_like, optional: What comes before them.
    = The differences.
    >>> xp.ediff1d(xp.asarray([1, 4, 9]))
    Array([3, 5], dtype=int64, device=cpu)
einsum
    Compute a sum of products, written in Einstein's notation.
    *operands: The subscripts, such as "ij,jk->ik", and the arrays.
    optimize : bool or str: Whether to look for the fastest order of several products.
    **kwargs: The keywords ``dtype``, ``order`` and ``casting``.
    = The sums.
    >>> xp.einsum("ij,j->i", xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]))
    Array([21, 43], dtype=int64, device=cpu)
float_power
    Return the first operand to the power of the second, in float64 at least.
    x1: The bases.
    x2: The exponents.
    = The powers.
    >>> xp.float_power(xp.asarray([2, 3]), -1)
    Array([0.5       , 0.33333333], dtype=float64, device=cpu)
frexp
    Split numbers into fractions and powers of two: ``x = fraction * 2**exponent``.
    x: The numbers.
    = Fractions of a magnitude from 0.5 to below 1, and exponents.
    >>> xp.frexp(xp.asarray([8.0, 3.0]))
    (Array([0.5 , 0.75], dtype=float64, device=cpu), Array([4, 2], dtype=int32, device=cpu))
gcd
    Return the greatest common divisors of integers.
    = The divisors.
    >>> xp.gcd(xp.asarray([12, 18]), 8)
    Array([4, 2], dtype=int64, device=cpu)
geomspace
    Return numbers with equal ratios, from ``start`` to ``stop``.
    = ``num`` numbers.
    >>> xp.geomspace(1, 100, 3)
    Array([  1.,  10., 100.], dtype=float64, device=cpu)
gradient
    Return the gradient of samples, from the differences of their neighbours.
    f : Array: The samples.
    *varargs : float or Array: The distances of samples, or their coordinates, along each axis; 1 without.
    axis: The axes; all without.
    edge_order : {1, 2}: The order of the differences at the edges.
    = The derivatives, or a tuple with those along each axis.
    >>> xp.gradient(xp.asarray([1.0, 4.0, 9.0]))
    Array([3., 4., 5.], dtype=float64, device=cpu)
hamming
    Return the Hamming window.
    = ``M`` numbers from 0.08 to 1.
    >>> xp.hamming(3)
    Array([0.08, 1.  , 0.08], dtype=float64, device=cpu)
hanning
    Return the Hann window.
    = ``M`` numbers from 0 to 1.
    >>> xp.hanning(3)
    Array([0., 1., 0.], dtype=float64, device=cpu)
identity
    Return the identity matrix.
    n : int: The number of rows and columns.
    = A new matrix.
    >>> xp.identity(2)
    Array([[1., 0.],
           [0., 1.]], dtype=float64, device=cpu)
indices
    Return the indices of all elements of a shape.
    dimensions : sequence of int: The shape.
    sparse : bool: Whether to return one array for each axis, which broadcast, in place of a grid.
    = The indices along each axis, on a first axis, or as a tuple.
    >>> xp.indices((2, 2))[0]
    Array([[0, 0],
           [1, 1]], dtype=int64, device=cpu)
inner
    Return the sums of products over the last axes of two arrays.
    a: The first array.
    b: The second array, with the same extent of the last axis.
    = The sums: the other axes of ``a``, then those of ``b``.
    >>> xp.inner(xp.asarray([1, 2]), xp.asarray([3, 4]))
    Array(11, dtype=int64, device=cpu)
interp
    Return the values at points of a function that is linear between samples.
    x: The points.
    xp : Array: Where the samples are, in increasing order.
    fp : Array: The samples.
    left : float, optional: The value before the first sample; that of the first without.
    right : float, optional: The value after the last sample; that of the last without.
    period : float, optional: The period of ``xp``, for angles.
    = The values.
    >>> xp.interp(xp.asarray([0.5, 1.0]), xp.asarray([0.0, 1.0]), xp.asarray([10.0, 20.0]))
    Array([15., 20.], dtype=float64, device=cpu)
isclose
    Tell which elements of two arrays are equal within tolerances.
    = Where ``abs(a - b) <= atol + rtol * abs(b)``.
    >>> xp.isclose(xp.asarray([1.0, 2.0]), xp.asarray([1.0, 2.1]))
    Array([ True, False], dtype=bool, device=cpu)
iscomplex
    Tell which elements have an imaginary part.
    = Booleans.
    >>> xp.iscomplex(xp.asarray([1 + 0j, 1j]))
    Array([False,  True], dtype=bool, device=cpu)
iscomplexobj
    Tell whether an array has a complex dtype.
    = Whether it has.
    >>> xp.iscomplexobj(xp.asarray([1 + 0j]))
    True
isin
    Tell which elements are among others.
    element: The elements.
    test_elements: The elements to compare with.
    invert: Whether to tell which are not.
    = Booleans in the shape of ``element``.
    >>> xp.isin(xp.asarray([1, 2, 3]), xp.asarray([3, 1]))
    Array([ True, False,  True], dtype=bool, device=cpu)
isneginf
    Tell which elements are negative infinity.
    = Booleans.
    >>> xp.isneginf(xp.asarray([-xp.inf, xp.inf, 1.0]))
    Array([ True, False, False], dtype=bool, device=cpu)
isposinf
    Tell which elements are positive infinity.
    = Booleans.
    >>> xp.isposinf(xp.asarray([-xp.inf, xp.inf, 1.0]))
    Array([False,  True, False], dtype=bool, device=cpu)
isreal
    Tell which elements have no imaginary part.
    = Booleans.
    >>> xp.isreal(xp.asarray([1 + 0j, 1j]))
    Array([ True, False], dtype=bool, device=cpu)
isrealobj
    Tell whether an array has a dtype that is not complex.
    = Whether it has.
    >>> xp.isrealobj(xp.asarray([1.0]))
    True
kaiser
    Return the Kaiser window.
    beta : float: The shape of the window.
    = ``M`` numbers from 0 to 1.
    >>> xp.kaiser(3, 0.0)
    Array([1., 1., 1.], dtype=float64, device=cpu)
kron
    Return the Kronecker product: each element of the first array, times the second array.
    a: The first array.
    b: The second array.
    = The product.
    >>> xp.kron(xp.asarray([1, 10]), xp.asarray([1, 2]))
    Array([ 1,  2, 10, 20], dtype=int64, device=cpu)
lcm
    Return the least common multiples of integers.
    = The multiples.
    >>> xp.lcm(xp.asarray([4, 6]), 10)
    Array([20, 30], dtype=int64, device=cpu)
ldexp
    Return ``x1 * 2**x2``.
    x1: The numbers.
    x2: The exponents, integers.
    = The products.
    >>> xp.ldexp(xp.asarray([0.5, 3.0]), xp.asarray([4, 1]))
    Array([8., 6.], dtype=float64, device=cpu)
logspace
    Return numbers with equal ratios, from ``base**start`` to ``base**stop``.
    base : float: The base.
    = ``num`` numbers.
    >>> xp.logspace(0, 2, 3)
    Array([  1.,  10., 100.], dtype=float64, device=cpu)
matmul
    Return the matrix product.
    The matrices are on the last two axes, and the other axes broadcast.
    An operand of one axis is a vector: that axis is not in the result.
    x1: The first matrices, or a vector.
    x2: The second matrices, or a vector.
    = The products.
    >>> xp.matmul(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]))
    Array([21, 43], dtype=int64, device=cpu)
modf
    Split numbers into fractions and integers.
    x: The numbers.
    = Fractions and integers, both with the signs of the numbers.
    >>> xp.modf(xp.asarray([1.5, -2.25]))
    (Array([ 0.5 , -0.25], dtype=float64, device=cpu), Array([ 1., -2.], dtype=float64, device=cpu))
nan_to_num
    Return the elements with nan and infinities replaced by numbers.
    copy : bool: Whether the result is a new array, in place of the same one.
    nan : float: What replaces nan.
    posinf : float, optional: What replaces infinity; the greatest number of the dtype without.
    neginf : float, optional: What replaces negative infinity; the least number of the dtype without.
    = The elements.
    >>> xp.nan_to_num(xp.asarray([1.0, xp.nan]), nan=-1.0)
    Array([ 1., -1.], dtype=float64, device=cpu)
outer
    Return the products of all pairs of elements of two arrays, which are flattened.
    a: The first array.
    b: The second array.
    = A matrix with a row for each element of the first array.
    >>> xp.outer(xp.asarray([1, 2]), xp.asarray([1, 10]))
    Array([[ 1, 10],
           [ 2, 20]], dtype=int64, device=cpu)
polyfit
    Return the coefficients of the polynomial that fits points best, by least squares.
    x: The first coordinate of each point.
    y : Array: The second coordinate of each point.
    deg : int: The degree of the polynomial.
    rcond : float, optional: Singular values below this part of the greatest are left out.
    full : bool: Whether to return also the residuals, rank, singular values and ``rcond``.
    w : Array, optional: The weight of each point.
    cov : bool or str: Whether to return also the covariances of the coefficients.
    = The coefficients, that of the highest power first, or a tuple of these and of what was asked for.
    >>> xp.polyfit(xp.asarray([0.0, 1.0]), xp.asarray([1.0, 3.0]), 1).round(6)
    Array([2., 1.], dtype=float64, device=cpu)
polyval
    Return the values of a polynomial.
    p : Array: The coefficients, that of the highest power first.
    x: Where to evaluate it.
    = The values.
    >>> xp.polyval(xp.asarray([2, 1]), xp.asarray([0, 1, 2]))
    Array([1, 3, 5], dtype=int64, device=cpu)
real_if_close
    Return the real parts, if all imaginary parts are close to zero.
    tol : float: How close: in units of the dtype's precision, or absolute if less than 1.
    = Real numbers, or the array itself.
    >>> xp.real_if_close(xp.asarray([1 + 1e-15j]))
    Array([1.], dtype=float64, device=cpu)
round
    Return the elements, rounded to a number of decimals; of two the even one.
    decimals: How many decimals; negative ones are places before the point.
    = The rounded elements.
    >>> xp.round(xp.asarray([0.5, 1.5, 2.567]), 1)
    Array([0.5, 1.5, 2.6], dtype=float64, device=cpu)
sinc
    Return ``sin(pi * x) / (pi * x)``; at 0 it is 1.
    = The values.
    >>> xp.sinc(xp.asarray([0.0, 0.5]))
    Array([1.        , 0.63661977], dtype=float64, device=cpu)
tensordot
    Return the sums of products over several axes of two arrays.
    axes: How many of the last axes of ``a`` and the first of ``b``; or for each array which axes.
    = The sums: the other axes of the first array, then those of the second.
    >>> xp.tensordot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]), axes=1)
    Array([21, 43], dtype=int64, device=cpu)
trace
    Return the sums along the diagonals of matrices.
    a: The matrices.
    = The sums.
    >>> xp.trace(xp.asarray([[1, 2], [3, 4]]))
    Array(5, dtype=int64, device=cpu)
tri
    Return a matrix with ones at a diagonal and below, and zeros above.
    = A new matrix.
    >>> xp.tri(2, 3)
    Array([[1., 0., 0.],
           [1., 1., 0.]], dtype=float64, device=cpu)
tril_indices
    Return the indices of the lower triangle of a matrix.
    = The indices of the rows, and those of the columns.
    >>> xp.tril_indices(2)
    (Array([0, 1, 1], dtype=int64, device=cpu), Array([0, 0, 1], dtype=int64, device=cpu))
triu_indices
    Return the indices of the upper triangle of a matrix.
    = The indices of the rows, and those of the columns.
    >>> xp.triu_indices(2)
    (Array([0, 0, 1], dtype=int64, device=cpu), Array([0, 1, 1], dtype=int64, device=cpu))
unwrap
    Return angles without jumps: each differs from the one before by at most half a period.
    p : Array: The angles.
    discont : float, optional: The least jump that is removed; half a period without.
    period : float: The period; a full turn in radians without.
    = The angles.
    >>> xp.unwrap(xp.asarray([170.0, -170.0]), period=360.0)
    Array([170., 190.], dtype=float64, device=cpu)
vander
    Return the matrix of the powers of each element.
    N : int, optional: The number of columns; by default that of the elements.
    increasing : bool: Whether the powers increase from left to right.
    = A row for each element.
    >>> xp.vander(xp.asarray([1, 2, 3]), 3)
    Array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]], dtype=int64, device=cpu)
vdot
    Return the sum of products of two arrays, which are flattened; the first is conjugated.
    a: The first array.
    b: The second array.
    = The sum, without axes.
    >>> xp.vdot(xp.asarray([1, 2]), xp.asarray([3, 4]))
    Array(11, dtype=int64, device=cpu)
vecdot
    Return the sums of products of vectors; those of the first operand are conjugated.
    x1: The first vectors.
    x2: The second vectors.
    axis: The axis of the vectors.
    = The sums, without the axis.
    >>> xp.vecdot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]))
    Array([21, 43], dtype=int64, device=cpu)
"""
"""For each function a summary, the parameters whose text is its own, the result, and an example."""
