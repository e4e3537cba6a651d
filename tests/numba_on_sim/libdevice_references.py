"""What the functions of libdevice compute: references in longer floats and exact ones, and how far off CUDA may be.

Bounds are in ulps, of double and of single precision, as the appendix on mathematical functions of CUDA's guide has
them.
"""

import math
import operator
from fractions import Fraction

import numpy as np
from scipy import special

__all__ = ["ELEMENTARY", "EXACT", "FURTHER", "ROUNDED", "SPECIAL"]

LONG = np.longdouble
PI = LONG("3.14159265358979323846264338327950288")


def _sine(x, *, of_cosine=False):
    """Return sin(pi x) or cos(pi x), by the distance to the next whole number, which is exact."""
    whole = np.rint(x)
    rest = x - whole
    return np.where(np.fmod(np.abs(whole), 2) == 1, -1, 1) * np.sin(
        PI * (LONG(0.5) - np.abs(rest) if of_cosine else rest)
    )


def _cosine(x):
    return _sine(x, of_cosine=True)


def _logb(x):
    return np.where(x == 0, -np.inf, np.frexp(x)[1] - 1.0)


def _powers_of_ten(x):
    return np.power(LONG(10), x)


def _remainder(x, y):
    return math.remainder(x, y) if y else math.nan


ELEMENTARY = {
    "acos": (np.arccos, 2, 2), "acosh": (np.arccosh, 2, 4), "asin": (np.arcsin, 2, 2), "asinh": (np.arcsinh, 3, 3),
    "atan": (np.arctan, 2, 2), "atanh": (np.arctanh, 2, 3), "cbrt": (np.cbrt, 1, 1), "ceil": (np.ceil, 0, 0),
    "cos": (np.cos, 2, 2), "cosh": (np.cosh, 1, 2), "cospi": (_cosine, 2, 1), "exp": (np.exp, 1, 2),
    "exp10": (_powers_of_ten, 1, 2), "exp2": (np.exp2, 1, 2), "expm1": (np.expm1, 1, 1), "fabs": (np.abs, 0, 0),
    "floor": (np.floor, 0, 0), "log": (np.log, 1, 1), "log10": (np.log10, 1, 2), "log1p": (np.log1p, 1, 1),
    "log2": (np.log2, 1, 1), "nearbyint": (np.rint, 0, 0), "rcbrt": (lambda x: 1 / np.cbrt(x), 1, 1),
    "rint": (np.rint, 0, 0), "round": (lambda x: np.copysign(np.floor(np.abs(x) + LONG(0.5)), x), 0, 0),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1, 2), "sin": (np.sin, 2, 2), "sinh": (np.sinh, 2, 3),
    "sinpi": (_sine, 2, 1), "sqrt": (np.sqrt, 0, 0), "tan": (np.tan, 2, 4), "tanh": (np.tanh, 2, 2),
    "trunc": (np.trunc, 0, 0), "logb": (_logb, 0, 0),
    "atan2": (np.arctan2, 2, 3), "copysign": (np.copysign, 0, 0),
    "fdim": (lambda x, y: np.where(x > y, x - y, x * 0), 0, 0),
    "fmax": (np.fmax, 0, 0), "fmin": (np.fmin, 0, 0), "fmod": (np.fmod, 0, 0), "hypot": (np.hypot, 2, 3),
    "pow": (np.power, 2, 4), "remainder": (np.vectorize(_remainder, otypes=[float]), 0, 0),
}  # fmt: skip
"""By name: the reference in longer floats, and the bounds. Names of functions in single precision have an f more."""

SPECIAL = {
    "erf": (special.erf, 2, 2), "erfc": (special.erfc, 5, 4), "erfcinv": (special.erfcinv, 6, 4),
    "erfcx": (special.erfcx, 4, 4), "erfinv": (special.erfinv, 5, 2), "lgamma": (special.gammaln, 4, 6),
    "normcdf": (special.ndtr, 5, 5), "normcdfinv": (special.ndtri, 8, 5), "tgamma": (special.gamma, 10, 11),
}  # fmt: skip
"""References of SciPy in double precision, of which the own errors are larger than the bounds there."""


def _around(exact, dtype, is_below):
    """Return the floats of a dtype next to a number, downwards and upwards; `is_below` compares one with the number."""
    near = dtype(exact)
    while not is_below(Fraction(float(near))):
        near = np.nextafter(near, dtype(-np.inf))
    while is_below(Fraction(float(above := np.nextafter(near, dtype(np.inf))))):
        near = above
    return near, above


def _rounded(mode, dtype, guess, is_below, is_equal):
    low, high = _around(guess, dtype, is_below)
    if is_equal(Fraction(float(low))):
        return low
    if mode == "rn":
        middle = (Fraction(float(low)) + Fraction(float(high))) / 2
        if is_equal(middle):
            return low if not int(np.frombuffer(low.tobytes(), f"u{low.nbytes}")[0]) & 1 else high
        return high if is_below(middle) else low
    upwards = mode == "ru" or (mode == "rz" and low < 0)
    return high if upwards else low


def nearest(exact, mode, dtype):
    """Return a fraction as a float."""
    return _rounded(mode, dtype, float(exact), lambda y: y <= exact, lambda y: y == exact)


def root(x, mode, dtype):
    """Return the square root of a fraction as a float."""
    return _rounded(mode, dtype, math.sqrt(x), lambda y: y < 0 or y * y <= x, lambda y: y >= 0 and y * y == x)


_OPERATIONS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}


def _arithmetic():
    for letter, dtype in (("d", np.float64), ("f", np.float32)):
        for mode in ("rn", "rz", "ru", "rd"):
            for name, operation in _OPERATIONS.items():
                yield f"{letter}{name}_{mode}", lambda x, y, o=operation, m=mode, t=dtype: nearest(o(x, y), m, t)
            yield f"{letter}rcp_{mode}", lambda x, m=mode, t=dtype: nearest(1 / x, m, t)
            yield f"{letter}sqrt_{mode}", lambda x, m=mode, t=dtype: root(abs(x), m, t)
            fused = f"fma_{mode}" if letter == "d" else f"fmaf_{mode}"
            yield fused, lambda x, y, z, m=mode, t=dtype: nearest(x * y + z, m, t)
    for name, dtype in (("fma", np.float64), ("fmaf", np.float32)):
        yield name, lambda x, y, z, t=dtype: nearest(x * y + z, "rn", t)


def _conversions():
    whole = {"rn": round, "rz": int, "ru": math.ceil, "rd": math.floor}
    targets = {"int": (-(1 << 31), (1 << 31) - 1), "uint": (0, (1 << 32) - 1), "ll": (-(1 << 63), (1 << 63) - 1)}
    targets["ull"] = 0, (1 << 64) - 1
    for source in ("double", "float"):
        for target, (low, high) in targets.items():
            for mode, of in whole.items():
                yield f"{source}2{target}_{mode}", lambda x, o=of, a=low, b=high: min(max(o(x), a), b)
    for mode in whole:
        yield f"double2float_{mode}", lambda x, m=mode: nearest(x, m, np.float32)
        for source, (low, high) in targets.items():
            bits = high - low + 1
            for target, dtype in (("float", np.float32), ("double", np.float64)):
                name = f"{source}2{target}_{mode}"
                if low:
                    yield name, lambda x, m=mode, t=dtype: nearest(Fraction(x), m, t)
                else:
                    yield name, lambda x, m=mode, t=dtype, b=bits: nearest(Fraction(x % b), m, t)


ROUNDED = dict([*_arithmetic(), *_conversions()])
"""By name: the exact result, rounded, of fractions and of whole numbers."""


def _signed(bits):
    return lambda x: (x + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


_BITS = {"": 32, "ll": 64}


def _bytes(x, y, selector):
    all_bytes = (x % (1 << 32) | y % (1 << 32) << 32).to_bytes(8, "little")
    chosen = [(all_bytes[selector >> 4 * i & 7], selector >> 4 * i & 8) for i in range(4)]
    # The highest bit of four asks for the sign of a byte, as the instruction does which libdevice calls.
    return int.from_bytes([(255 if byte & 128 else 0) if sign else byte for byte, sign in chosen], "little")


def _unsigned(function, bits=32):
    return lambda *values: function(*[value % (1 << bits) for value in values])


def _low24(x, *, signed):
    x %= 1 << 24
    return x - (1 << 24) if signed and x >> 23 else x


def _integers():
    for suffix, bits in _BITS.items():
        mask = (1 << bits) - 1
        yield f"{'ll' if suffix else ''}abs", abs
        yield f"brev{suffix}", lambda x, b=bits, m=mask: int(f"{x & m:0{b}b}"[::-1], 2)
        yield f"clz{suffix}", lambda x, b=bits, m=mask: b - (x & m).bit_length()
        yield f"ffs{suffix}", lambda x, m=mask: (x & -x & m).bit_length()
        yield f"popc{suffix}", lambda x, m=mask: (x & m).bit_count()
    for prefix in ("", "ll"):
        yield f"{prefix}max", max
        yield f"{prefix}min", min
    for prefix, bits in (("u", 32), ("ull", 64)):
        yield f"{prefix}max", _unsigned(max, bits)
        yield f"{prefix}min", _unsigned(min, bits)
    yield "byte_perm", _bytes
    yield "hadd", lambda x, y: (x + y) >> 1
    yield "rhadd", lambda x, y: (x + y + 1) >> 1
    yield "uhadd", _unsigned(lambda x, y: (x + y) >> 1)
    yield "urhadd", _unsigned(lambda x, y: (x + y + 1) >> 1)
    yield "mul24", lambda x, y: _low24(x, signed=True) * _low24(y, signed=True)
    yield "umul24", lambda x, y: _low24(x, signed=False) * _low24(y, signed=False)
    yield "mulhi", lambda x, y: x * y >> 32
    yield "umulhi", _unsigned(lambda x, y: x * y >> 32)
    yield "mul64hi", lambda x, y: x * y >> 64
    yield "umul64hi", _unsigned(lambda x, y: x * y >> 64, 64)
    yield "sad", lambda x, y, z: abs(x - y) + z
    yield "usad", _unsigned(lambda x, y, z: abs(x - y) + z)


EXACT = dict(_integers())
"""By name: functions of whole numbers, whose results count modulo the bits of their type."""


def _remquo(x, y):
    pairs = [
        (math.remainder(a, b), a, b) if b else (math.nan, a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)
    ]
    whole = [round((Fraction(a) - Fraction(r)) / Fraction(b)) if b else 0 for r, a, b in pairs]
    return np.array([r for r, *_ in pairs]), np.array([int(math.copysign(abs(q) & 7, q)) for q in whole])


def _round_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _ilogb(x):
    return np.where(x == 0, -(1 << 31), np.frexp(x)[1] - 1)


def _whole(values):
    return values.astype(np.int64)


_OF_DOUBLE = {
    "frexp": (np.frexp, 0), "ilogb": (_ilogb, 0), "ldexp": (np.ldexp, 0), "scalbn": (np.ldexp, 0), "modf": (np.modf, 0),
    "llrint": (lambda x: _whole(np.rint(x)), 0), "llround": (lambda x: _whole(_round_away(x)), 0),
    "nextafter": (np.nextafter, 0), "remquo": (_remquo, 0), "sincos": (lambda x: (np.sin(x), np.cos(x)), 2),
    "sincospi": (lambda x: (_sine(x), _cosine(x)), 2), "powi": (lambda x, n: np.power(LONG(x), n), 64),
}  # fmt: skip
_BESSEL = {
    "j0": special.j0, "j1": special.j1, "y0": special.y0, "y1": special.y1, "jn": special.jv, "yn": special.yn,
}  # fmt: skip
_FAST = {
    "cosf": np.cos, "sinf": np.sin, "tanf": np.tan, "expf": np.exp, "exp10f": _powers_of_ten, "logf": np.log,
    "log2f": np.log2, "log10f": np.log10, "powf": np.power, "fdividef": np.divide,
    "sincosf": lambda x: (np.sin(x), np.cos(x)),
}  # fmt: skip
FURTHER = {
    **_OF_DOUBLE,
    **{f"{name}f": value for name, value in _OF_DOUBLE.items()},
    **{f"fast_{name}": (function, 16) for name, function in _FAST.items()},
    **dict.fromkeys(("finitef", "isfinited"), (np.isfinite, 0)),
    "isinfd": (np.isinf, 0), "isnand": (np.isnan, 0),
    **{f"signbit{letter}": (np.signbit, 0) for letter in "df"},
    "isinff": (np.isinf, 0), "isnanf": (np.isnan, 0), "saturatef": (lambda x: np.clip(x, 0, 1), 0),
    "frsqrt_rn": (lambda x: 1 / np.sqrt(x), 0),
    "double2hiint": (lambda x: (x.view(np.int64) >> 32).astype(np.int32), 0),
    "double2loint": (lambda x: x.view(np.int64).astype(np.int32), 0),
    "hiloint2double": (lambda hi, lo: (hi.astype(np.int64) << 32 | lo.view(np.uint32)).view(np.float64), 0),
    "double_as_longlong": (lambda x: x.view(np.int64), 0), "longlong_as_double": (lambda x: x.view(np.float64), 0),
    "float_as_int": (lambda x: x.view(np.int32), 0), "int_as_float": (lambda x: x.view(np.float32), 0),
    "float2half_rn": (lambda x: x.astype(np.float16).view(np.int16), 0),
    "half2float": (lambda x: x.view(np.float16).astype(np.float32), 0),
    **{name: (function, None) for name, function in _BESSEL.items()},
    **{f"{name}f": (function, None) for name, function in _BESSEL.items()},
}  # fmt: skip
"""By name: the reference of arrays, and the bound in ulps; None: that of Bessel functions, which is absolute."""
