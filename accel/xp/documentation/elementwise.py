"""What the docstrings of elementwise functions say; `accel.xp.documentation.entries` reads it."""

__all__ = ["TEXT"]

TEXT = """
abs
    Return the absolute values.
    Of a complex number this is its magnitude, and the result is real. The least signed integer stays as it is.
    >>> xp.abs(xp.asarray([-3, 0, 2]))
    Array([3, 0, 2], dtype=int64, device=cpu)
acos
    Return the inverse cosines, in radians.
    The results are in the interval [0, pi]; outside of [-1, 1] they are nan.
    >>> xp.acos(xp.asarray([-1.0, 0.0, 1.0]))
    Array([3.14159265, 1.57079633, 0.        ], dtype=float64, device=cpu)
acosh
    Return the inverse hyperbolic cosines.
    Below 1 the results are nan.
    >>> xp.acosh(xp.asarray([1.0, 2.0]))
    Array([0.       , 1.3169579], dtype=float64, device=cpu)
add
    Return the sums of two operands, element by element.
    Integers wrap around at the limits of their dtype.
    >>> xp.add(xp.asarray([1, 2, 3]), 10)
    Array([11, 12, 13], dtype=int64, device=cpu)
asin
    Return the inverse sines, in radians.
    The results are in the interval [-pi/2, pi/2]; outside of [-1, 1] they are nan.
    >>> xp.asin(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-1.57079633,  0.        ,  1.57079633], dtype=float64, device=cpu)
asinh
    Return the inverse hyperbolic sines.
    >>> xp.asinh(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-0.88137359,  0.        ,  0.88137359], dtype=float64, device=cpu)
atan
    Return the inverse tangents, in radians.
    The results are in the interval [-pi/2, pi/2].
    >>> xp.atan(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-0.78539816,  0.        ,  0.78539816], dtype=float64, device=cpu)
atan2
    Return the angles of the points ``(x2, x1)``, in radians.
    The results are in the interval [-pi, pi]; the signs of both operands choose the quadrant.
    x1: The coordinates along the vertical axis.
    x2: The coordinates along the horizontal axis.
    >>> xp.atan2(xp.asarray([1.0, -1.0]), xp.asarray([-1.0, -1.0]))
    Array([ 2.35619449, -2.35619449], dtype=float64, device=cpu)
atanh
    Return the inverse hyperbolic tangents.
    Of -1 and 1 the results are infinite; outside of [-1, 1] they are nan.
    >>> xp.atanh(xp.asarray([-0.5, 0.0, 0.5]))
    Array([-0.54930614,  0.        ,  0.54930614], dtype=float64, device=cpu)
bitwise_and
    Return the bits that are set in both operands.
    x1: Integers or booleans.
    x2: As ``x1``.
    >>> xp.bitwise_and(xp.asarray([12, 10]), 6)
    Array([4, 2], dtype=int64, device=cpu)
bitwise_invert
    Return the integers with every bit inverted; of booleans the negation.
    x: Integers or booleans.
    >>> xp.bitwise_invert(xp.asarray([0, 1, 255]))
    Array([  -1,   -2, -256], dtype=int64, device=cpu)
bitwise_left_shift
    Return the integers with their bits shifted to the left.
    x1: The integers.
    x2: By how many bits; not negative.
    >>> xp.bitwise_left_shift(xp.asarray([1, 2, 3]), 4)
    Array([16, 32, 48], dtype=int64, device=cpu)
bitwise_or
    Return the bits that are set in one operand or in both.
    x1: Integers or booleans.
    x2: As ``x1``.
    >>> xp.bitwise_or(xp.asarray([12, 10]), 6)
    Array([14, 14], dtype=int64, device=cpu)
bitwise_right_shift
    Return the integers with their bits shifted to the right; the sign stays.
    x1: The integers.
    x2: By how many bits; not negative.
    >>> xp.bitwise_right_shift(xp.asarray([16, 32, -16]), 4)
    Array([ 1,  2, -1], dtype=int64, device=cpu)
bitwise_xor
    Return the bits that are set in exactly one of the operands.
    x1: Integers or booleans.
    x2: As ``x1``.
    >>> xp.bitwise_xor(xp.asarray([12, 10]), 6)
    Array([10, 12], dtype=int64, device=cpu)
cbrt
    Return the cube roots; of negative numbers too.
    >>> xp.cbrt(xp.asarray([-8.0, 27.0]))
    Array([-2.,  3.], dtype=float64, device=cpu)
ceil
    Return the smallest integers that are not less than the elements, in the same dtype.
    >>> xp.ceil(xp.asarray([-1.5, 0.2, 2.0]))
    Array([-1.,  1.,  2.], dtype=float64, device=cpu)
conj
    Return the complex conjugates; of real numbers the numbers themselves.
    >>> xp.conj(xp.asarray([1 + 2j, 3 - 4j]))
    Array([1.-2.j, 3.+4.j], dtype=complex128, device=cpu)
copysign
    Return the magnitudes of ``x1`` with the signs of ``x2``.
    Zeros and nan have a sign too.
    x1: The magnitudes.
    x2: The signs.
    >>> xp.copysign(xp.asarray([1.0, 2.0]), xp.asarray([-0.0, 3.0]))
    Array([-1.,  2.], dtype=float64, device=cpu)
cos
    Return the cosines of angles in radians.
    >>> xp.cos(xp.asarray([0.0, xp.pi / 3, xp.pi]))
    Array([ 1. ,  0.5, -1. ], dtype=float64, device=cpu)
cosh
    Return the hyperbolic cosines.
    >>> xp.cosh(xp.asarray([-1.0, 0.0, 1.0]))
    Array([1.54308063, 1.        , 1.54308063], dtype=float64, device=cpu)
degrees
    Return angles in degrees that are given in radians.
    x: The angles in radians.
    >>> xp.degrees(xp.asarray([0.0, xp.pi]))
    Array([  0., 180.], dtype=float64, device=cpu)
divide
    Return the quotients of two operands, element by element.
    Quotients of integers are floating-point numbers. A number divided by 0 is infinite, and 0 divided by 0 is nan.
    x1: The dividends.
    x2: The divisors.
    >>> xp.divide(xp.asarray([1, 4]), 2)
    Array([0.5, 2. ], dtype=float64, device=cpu)
equal
    Tell where two operands are equal.
    A nan is equal to nothing, not even to itself.
    >>> xp.equal(xp.asarray([1, 2, 3]), 2)
    Array([False,  True, False], dtype=bool, device=cpu)
exp
    Return e to the power of each element.
    Of negative infinity the result is 0.
    >>> xp.exp(xp.asarray([0.0, 1.0, 2.0]))
    Array([1.        , 2.71828183, 7.3890561 ], dtype=float64, device=cpu)
exp2
    Return 2 to the power of each element.
    >>> xp.exp2(xp.asarray([0.0, 3.0, -1.0]))
    Array([1. , 8. , 0.5], dtype=float64, device=cpu)
expm1
    Return ``exp(x) - 1``, also precise for small numbers.
    >>> xp.expm1(xp.asarray([0.0, 1e-12, 1.0]))
    Array([0.00000000e+00, 1.00000000e-12, 1.71828183e+00], dtype=float64, device=cpu)
fabs
    Return the absolute values of real numbers, as floating-point numbers.
    >>> xp.fabs(xp.asarray([-1, 2]))
    Array([1., 2.], dtype=float64, device=cpu)
floor
    Return the largest integers that are not greater than the elements, in the same dtype.
    >>> xp.floor(xp.asarray([-1.5, 0.2, 2.0]))
    Array([-2.,  0.,  2.], dtype=float64, device=cpu)
floor_divide
    Return the quotients, rounded towards negative infinity.
    x1: The dividends.
    x2: The divisors.
    >>> xp.floor_divide(xp.asarray([7, -7]), 2)
    Array([ 3, -4], dtype=int64, device=cpu)
fmax
    Return the greater of two operands; if one is nan the other.
    >>> xp.fmax(xp.asarray([1.0, xp.nan]), 0.5)
    Array([1. , 0.5], dtype=float64, device=cpu)
fmin
    Return the lesser of two operands; if one is nan the other.
    >>> xp.fmin(xp.asarray([1.0, xp.nan]), 0.5)
    Array([0.5, 0.5], dtype=float64, device=cpu)
fmod
    Return the remainders of divisions that round towards zero: they have the signs of the dividends.
    x1: The dividends.
    x2: The divisors.
    >>> xp.fmod(xp.asarray([7, -7]), 3)
    Array([ 1, -1], dtype=int64, device=cpu)
greater
    Tell where the first operand is greater than the second.
    >>> xp.greater(xp.asarray([1, 2, 3]), 2)
    Array([False, False,  True], dtype=bool, device=cpu)
greater_equal
    Tell where the first operand is greater than the second, or equal to it.
    >>> xp.greater_equal(xp.asarray([1, 2, 3]), 2)
    Array([False,  True,  True], dtype=bool, device=cpu)
heaviside
    Return the step function: 0 below zero, 1 above it, and ``x2`` at zero.
    x1: Where to evaluate it.
    x2: The values at zero.
    >>> xp.heaviside(xp.asarray([-1.0, 0.0, 2.0]), 0.5)
    Array([0. , 0.5, 1. ], dtype=float64, device=cpu)
hypot
    Return the lengths of the hypotenuses: the roots of ``x1**2 + x2**2``, without overflow of the squares.
    x1: The lengths of one leg.
    x2: The lengths of the other leg.
    >>> xp.hypot(xp.asarray([3.0, 5.0]), xp.asarray([4.0, 12.0]))
    Array([ 5., 13.], dtype=float64, device=cpu)
imag
    Return the imaginary parts.
    Of complex numbers the result is a view of the array's memory.
    val: The complex numbers.
    >>> xp.imag(xp.asarray([1 + 2j, 3 - 4j]))
    Array([ 2., -4.], dtype=float64, device=cpu)
isfinite
    Tell which elements are neither infinite nor nan.
    >>> xp.isfinite(xp.asarray([1.0, xp.inf, xp.nan]))
    Array([ True, False, False], dtype=bool, device=cpu)
isinf
    Tell which elements are infinite, of either sign.
    >>> xp.isinf(xp.asarray([1.0, -xp.inf, xp.nan]))
    Array([False,  True, False], dtype=bool, device=cpu)
isnan
    Tell which elements are nan.
    >>> xp.isnan(xp.asarray([1.0, xp.inf, xp.nan]))
    Array([False, False,  True], dtype=bool, device=cpu)
less
    Tell where the first operand is less than the second.
    >>> xp.less(xp.asarray([1, 2, 3]), 2)
    Array([ True, False, False], dtype=bool, device=cpu)
less_equal
    Tell where the first operand is less than the second, or equal to it.
    >>> xp.less_equal(xp.asarray([1, 2, 3]), 2)
    Array([ True,  True, False], dtype=bool, device=cpu)
log
    Return the natural logarithms.
    Of 0 the result is negative infinity, and of negative numbers nan.
    >>> xp.log(xp.asarray([1.0, xp.e, 10.0]))
    Array([0.        , 1.        , 2.30258509], dtype=float64, device=cpu)
log10
    Return the logarithms to base 10.
    Of 0 the result is negative infinity, and of negative numbers nan.
    >>> xp.log10(xp.asarray([1.0, 1000.0]))
    Array([0., 3.], dtype=float64, device=cpu)
log1p
    Return ``log(1 + x)``, also precise for small numbers.
    Of -1 the result is negative infinity, and of lesser numbers nan.
    >>> xp.log1p(xp.asarray([0.0, 1e-12, 1.0]))
    Array([0.00000000e+00, 1.00000000e-12, 6.93147181e-01], dtype=float64, device=cpu)
log2
    Return the logarithms to base 2.
    Of 0 the result is negative infinity, and of negative numbers nan.
    >>> xp.log2(xp.asarray([1.0, 8.0]))
    Array([0., 3.], dtype=float64, device=cpu)
logaddexp
    Return ``log(exp(x1) + exp(x2))`` without overflow of the powers.
    >>> xp.logaddexp(xp.asarray([0.0, 1000.0]), xp.asarray([0.0, 1000.0]))
    Array([6.93147181e-01, 1.00069315e+03], dtype=float64, device=cpu)
logaddexp2
    Return ``log2(2**x1 + 2**x2)`` without overflow of the powers.
    >>> xp.logaddexp2(xp.asarray([0.0, 5000.0]), xp.asarray([0.0, 5000.0]))
    Array([1.000e+00, 5.001e+03], dtype=float64, device=cpu)
logical_and
    Tell where both operands are true: not zero.
    >>> xp.logical_and(xp.asarray([True, True]), xp.asarray([True, False]))
    Array([ True, False], dtype=bool, device=cpu)
logical_not
    Tell where the elements are false: zero.
    >>> xp.logical_not(xp.asarray([True, False]))
    Array([False,  True], dtype=bool, device=cpu)
logical_or
    Tell where one operand or both are true: not zero.
    >>> xp.logical_or(xp.asarray([True, False]), xp.asarray([False, False]))
    Array([ True, False], dtype=bool, device=cpu)
logical_xor
    Tell where exactly one operand is true: not zero.
    >>> xp.logical_xor(xp.asarray([True, True]), xp.asarray([True, False]))
    Array([False,  True], dtype=bool, device=cpu)
maximum
    Return the greater of two operands, element by element; if one is nan, nan.
    >>> xp.maximum(xp.asarray([1, 5]), 3)
    Array([3, 5], dtype=int64, device=cpu)
minimum
    Return the lesser of two operands, element by element; if one is nan, nan.
    >>> xp.minimum(xp.asarray([1, 5]), 3)
    Array([1, 3], dtype=int64, device=cpu)
multiply
    Return the products of two operands, element by element.
    Integers wrap around at the limits of their dtype.
    >>> xp.multiply(xp.asarray([1, 2, 3]), 10)
    Array([10, 20, 30], dtype=int64, device=cpu)
negative
    Return the elements with the opposite sign.
    >>> xp.negative(xp.asarray([1, -2]))
    Array([-1,  2], dtype=int64, device=cpu)
nextafter
    Return the next floating-point numbers after ``x1`` towards ``x2``.
    x1: Where to start.
    x2: Where to go.
    >>> xp.nextafter(xp.asarray([1.0, 2.0]), 9.0) - xp.asarray([1.0, 2.0])
    Array([2.22044605e-16, 4.44089210e-16], dtype=float64, device=cpu)
not_equal
    Tell where two operands differ.
    A nan differs from everything, even from itself.
    >>> xp.not_equal(xp.asarray([1, 2, 3]), 2)
    Array([ True, False,  True], dtype=bool, device=cpu)
positive
    Return the elements as they are, as a new array.
    >>> xp.positive(xp.asarray([1, -2]))
    Array([ 1, -2], dtype=int64, device=cpu)
pow
    Return the first operand to the power of the second.
    Of integers the powers are integers, which wrap around; a negative exponent of an integer is refused.
    x1: The bases.
    x2: The exponents.
    >>> xp.pow(xp.asarray([1.0, 2.0, 3.0]), 2)
    Array([1., 4., 9.], dtype=float64, device=cpu)
radians
    Return angles in radians that are given in degrees.
    x: The angles in degrees.
    >>> xp.radians(xp.asarray([0.0, 180.0]))
    Array([0.        , 3.14159265], dtype=float64, device=cpu)
real
    Return the real parts.
    Of complex numbers the result is a view of the array's memory, and of real numbers the array itself.
    val: The numbers.
    >>> xp.real(xp.asarray([1 + 2j, 3 - 4j]))
    Array([1., 3.], dtype=float64, device=cpu)
reciprocal
    Return 1 divided by each element.
    >>> xp.reciprocal(xp.asarray([1.0, 2.0, 4.0]))
    Array([1.  , 0.5 , 0.25], dtype=float64, device=cpu)
remainder
    Return the remainders of divisions that round down: they have the signs of the divisors.
    x1: The dividends.
    x2: The divisors.
    >>> xp.remainder(xp.asarray([7, -7]), 3)
    Array([1, 2], dtype=int64, device=cpu)
rint
    Return the nearest integers, in the same dtype; of two the even one.
    >>> xp.rint(xp.asarray([0.5, 1.5, 2.6]))
    Array([0., 2., 3.], dtype=float64, device=cpu)
sign
    Return -1, 0 or 1 for the sign of each element; of complex numbers ``x / abs(x)``.
    >>> xp.sign(xp.asarray([-3, 0, 2]))
    Array([-1,  0,  1], dtype=int64, device=cpu)
signbit
    Tell which elements have their sign bit set: negative numbers and -0.0.
    >>> xp.signbit(xp.asarray([-1.0, -0.0, 0.0]))
    Array([ True,  True, False], dtype=bool, device=cpu)
sin
    Return the sines of angles in radians.
    >>> xp.sin(xp.asarray([0.0, xp.pi / 6, xp.pi / 2]))
    Array([0. , 0.5, 1. ], dtype=float64, device=cpu)
sinh
    Return the hyperbolic sines.
    >>> xp.sinh(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-1.17520119,  0.        ,  1.17520119], dtype=float64, device=cpu)
sqrt
    Return the square roots.
    Of negative real numbers they are nan; of complex numbers the roots have no negative real part.
    >>> xp.sqrt(xp.asarray([1.0, 4.0, 2.0]))
    Array([1.        , 2.        , 1.41421356], dtype=float64, device=cpu)
square
    Return the squares.
    >>> xp.square(xp.asarray([1, -2, 3]))
    Array([1, 4, 9], dtype=int64, device=cpu)
subtract
    Return the differences of two operands, element by element.
    x1: What is subtracted from.
    x2: What is subtracted.
    >>> xp.subtract(xp.asarray([10, 20]), xp.asarray([1, 2]))
    Array([ 9, 18], dtype=int64, device=cpu)
tan
    Return the tangents of angles in radians.
    >>> xp.tan(xp.asarray([0.0, xp.pi / 4]))
    Array([0., 1.], dtype=float64, device=cpu)
tanh
    Return the hyperbolic tangents.
    >>> xp.tanh(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-0.76159416,  0.        ,  0.76159416], dtype=float64, device=cpu)
trunc
    Return the elements without their fractions, in the same dtype.
    >>> xp.trunc(xp.asarray([-1.5, 0.2, 2.9]))
    Array([-1.,  0.,  2.], dtype=float64, device=cpu)
absolute = abs
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
bitwise_not = bitwise_invert
conjugate = conj
deg2rad = radians
invert = bitwise_invert
left_shift = bitwise_left_shift
mod = remainder
power = pow
rad2deg = degrees
right_shift = bitwise_right_shift
true_divide = divide
"""
"""For each function a summary, more sentences, the parameters whose text is its own, and an example."""
