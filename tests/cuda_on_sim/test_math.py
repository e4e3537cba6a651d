"""Mathematical functions of kernels against NumPy, SciPy, and exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from .gpu import launch

# Function: the range of its argument, and NumPy's name or a function.
PI = np.longdouble(np.pi) + np.longdouble(1.2246467991473532e-16)
# The C library here and SciPy differ by so much.
ULPS = {"lgamma": 64, "normcdf": 32, "j0": 512, "j1": 512, "y0": 512, "y1": 512}
NEAR_ZEROS = {
    "cos", "sin", "cospi", "sinpi", "j0", "j1", "y0", "y1", "lgamma", "normcdfinv", "erfcinv", "remainder", "__sinf",
    "__cosf", "tan",
}  # fmt: skip
SMALL, ALL, POSITIVE, UNIT = (-3, 3), (-80, 80), (1e-3, 80), (-0.999, 0.999)
FUNCTIONS = {
    "acos": (UNIT, np.arccos), "acosh": ((1, 80), np.arccosh), "asin": (UNIT, np.arcsin), "asinh": (ALL, np.arcsinh),
    "atan": (ALL, np.arctan), "atanh": (UNIT, np.arctanh), "cbrt": (ALL, np.cbrt), "ceil": (ALL, np.ceil),
    "cos": (ALL, np.cos), "cosh": (SMALL, np.cosh), "cospi": (SMALL, lambda x: np.cos(PI * x)),
    "cyl_bessel_i0": (ALL, special.i0), "cyl_bessel_i1": (ALL, special.i1), "erf": (SMALL, special.erf),
    "erfc": (SMALL, special.erfc), "erfcinv": ((1e-3, 1.999), special.erfcinv), "erfcx": (SMALL, special.erfcx),
    "erfinv": (UNIT, special.erfinv), "exp": (SMALL, np.exp), "exp10": (SMALL, lambda x: 10**x),
    "exp2": (SMALL, np.exp2), "expm1": (SMALL, np.expm1), "fabs": (ALL, np.abs), "floor": (ALL, np.floor),
    "j0": (SMALL, special.j0), "j1": (SMALL, special.j1), "lgamma": (POSITIVE, special.gammaln),
    "log": (POSITIVE, np.log), "log10": (POSITIVE, np.log10), "log1p": (POSITIVE, np.log1p),
    "log2": (POSITIVE, np.log2), "nearbyint": (ALL, np.rint), "normcdf": (SMALL, special.ndtr),
    "normcdfinv": ((1e-3, 0.999), special.ndtri), "rcbrt": (POSITIVE, lambda x: 1 / np.cbrt(x)), "rint": (ALL, np.rint),
    "round": (ALL, lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)), "rsqrt": (POSITIVE, lambda x: 1 / np.sqrt(x)),
    "sin": (ALL, np.sin), "sinh": (SMALL, np.sinh), "sinpi": (SMALL, lambda x: np.sin(PI * x)),
    "sqrt": (POSITIVE, np.sqrt), "tan": (SMALL, np.tan), "tanh": (SMALL, np.tanh),
    "tgamma": ((1e-3, 30), special.gamma),
    "trunc": (ALL, np.trunc), "y0": (POSITIVE, special.y0), "y1": (POSITIVE, special.y1),
    "abs": (ALL, np.abs), "logb": (POSITIVE, lambda x: np.floor(np.log2(x))),
}  # fmt: skip
APPROXIMATE = {
    "__cosf": (SMALL, np.cos), "__sinf": (SMALL, np.sin), "__tanf": (SMALL, np.tan), "__tanhf": (SMALL, np.tanh),
    "__expf": (SMALL, np.exp), "__exp10f": (SMALL, lambda x: 10**x), "__logf": (POSITIVE, np.log),
    "__log2f": (POSITIVE, np.log2), "__log10f": (POSITIVE, np.log10),
    "__saturatef": (SMALL, lambda x: np.clip(x, 0, 1)),
}  # fmt: skip
FUNCTIONS_OF_TWO = {
    "atan2": np.arctan2, "copysign": np.copysign, "fdim": lambda x, y: np.maximum(x - y, 0), "fmax": np.fmax,
    "fmin": np.fmin, "fmod": np.fmod, "hypot": np.hypot, "nextafter": np.nextafter, "max": np.fmax, "min": np.fmin,
    "pow": lambda x, y: np.abs(x) ** y, "remainder": np.vectorize(math.remainder, "d"),
    "rhypot": lambda x, y: 1 / np.hypot(x, y), "fdivide": np.divide,
}  # fmt: skip


def many(name, kind, calls, arguments="x"):
    """Return a kernel that writes the results of many calls, one row each."""
    arrays = ", ".join([f"const {kind}* {each}s" for each in arguments])
    values = "\n    ".join(
        ["const int i = blockIdx.x * blockDim.x + threadIdx.x;", "if (i >= n) return;"]
        + [f"const {kind} {each} = {each}s[i];" for each in arguments]
    )
    lines = "\n".join([f"    out[{row} * n + i] = {call};" for row, call in enumerate(calls)])
    return f'extern "C" __global__ void {name}({arrays}, {kind}* out, int n) {{\n    {values}\n{lines}\n}}\n'


def rounded(letter):
    """Return calls of each function of arithmetic in each mode."""
    names = {"fma": "__fmaf" if letter == "f" else "__fma"}
    arguments = {"fma": "x, y, z", "rcp": "x", "sqrt": "fabs(x)"}
    return [
        f"{names.get(name, f'__{letter}{name}')}_{mode}({arguments.get(name, 'x, y')})"
        for name in [*ARITHMETIC, "sqrt"]
        for mode in MODES
    ]


OF_ONE = [f"{name}(x)" for name in FUNCTIONS]
OF_TWO = [f"{name}({'fabs(x)' if name == 'pow' else 'x'}, y)" for name in FUNCTIONS_OF_TWO]
MODES = ("rn", "rz", "ru", "rd")
ARITHMETIC = {
    "add": lambda x, y, z: x + y, "sub": lambda x, y, z: x - y, "mul": lambda x, y, z: x * y,
    "div": lambda x, y, z: x / y, "fma": lambda x, y, z: x * y + z, "rcp": lambda x, y, z: 1 / x,
}  # fmt: skip
INTEGERS = {"int": "i4", "uint": "u4", "ll": "i8", "ull": "u8"}
WORDS = {"int": "int", "uint": "unsigned", "ll": "long long", "ull": "unsigned long long"}


def to_integers(kind, name):
    """Return a kernel that converts floats to integers in each mode."""
    calls = [f"out[{row} * n + i] = __{kind}2{name}_{mode}(x[i]);" for row, mode in enumerate(MODES)]
    return (
        f'extern "C" __global__ void {kind}2{name}(const {kind}* x, {WORDS[name]}* out, int n) {{\n'
        f"    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {{ {' '.join(calls)} }}\n}}\n"
    )


def from_integers(name, kind):
    """Return a kernel that converts integers to floats in each mode."""
    calls = [f"out[{row} * n + i] = __{name}2{kind}_{mode}(x[i]);" for row, mode in enumerate(MODES)]
    return (
        f'extern "C" __global__ void {name}2{kind}(const {WORDS.get(name, name)}* x, {kind}* out, int n) {{\n'
        f"    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {{ {' '.join(calls)} }}\n}}\n"
    )


TO_INTEGERS = [(kind, name) for kind in ("float", "double") for name in INTEGERS]
FROM_INTEGERS = [(name, "float") for name in (*INTEGERS, "double")] + [("ll", "double"), ("ull", "double")]
CONVERSIONS = "".join([to_integers(*each) for each in TO_INTEGERS] + [from_integers(*each) for each in FROM_INTEGERS])
SOURCE = (
    many("doubles", "double", OF_ONE)
    + many("floats", "float", [*OF_ONE, *[f"{name}(x)" for name in APPROXIMATE]])
    + many("doubles_of_two", "double", OF_TWO, "xy")
    + many("floats_of_two", "float", OF_TWO, "xy")
    + many("rounded_float", "float", rounded("f"), "xyz")
    + many("rounded_double", "double", rounded("d"), "xyz")
    + CONVERSIONS
)
COUNT = 500


def samples(low, high, dtype):
    return np.random.default_rng(3).uniform(low, high, COUNT).astype(dtype)


def results(kernel, rows, *arrays):
    """Return a row of results for each call; the arrays have a row for each call too, or are the same for all."""
    out = np.zeros((rows, len(arrays[0])), arrays[0].dtype)
    return launch(SOURCE, kernel, -(-len(arrays[0]) // 128), 128, *arrays, out, len(arrays[0]), checks="none")[-2]


def assert_near(values, right, ulps, name):
    # Near a zero of a function the error is that of numbers of size 1.
    size = np.maximum(np.abs(right), 2.0**-6 if name in NEAR_ZEROS else 0)
    limits = np.finfo(values.dtype)
    bad = np.abs(values - right) > ulps * limits.eps * size + limits.tiny
    assert not bad.any(), (name, values[bad][:3], right[bad][:3])


@pytest.mark.parametrize("kind", ["float", "double"])
def test_functions_of_one_number_are_those_of_numpy_and_scipy(kind):
    dtype = np.dtype("f" if kind == "float" else "d")
    functions = FUNCTIONS | (APPROXIMATE if kind == "float" else {})
    ranges = {limits for limits, _ in functions.values()}
    of_range = {limits: samples(*limits, dtype) for limits in ranges}
    tables = {limits: results(f"{kind}s", len(functions), numbers) for limits, numbers in of_range.items()}
    for row, (name, (limits, oracle)) in enumerate(functions.items()):
        right = oracle(of_range[limits].astype("f8"))
        assert_near(tables[limits][row], right, 4 if kind == "float" else ULPS.get(name, 16), name)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_functions_of_two_numbers_are_those_of_numpy(kind):
    dtype = np.dtype("f" if kind == "float" else "d")
    x, y = samples(*ALL, dtype), samples(-7, 7, dtype)[::-1].copy()
    for name, result in zip(FUNCTIONS_OF_TWO, results(f"{kind}s_of_two", len(FUNCTIONS_OF_TWO), x, y), strict=True):
        exact = name == "nextafter"  # of the type
        right = FUNCTIONS_OF_TWO[name](*((x, y) if exact else (x.astype("f8"), y.astype("f8"))))
        assert_near(result, right, 16, name)


def test_tails_are_exact_where_the_functions_are_steep():
    # Computed with 40 digits.
    right = {"normcdf(x)": (-30, 4.9067139271481871e-198), "erfcx(x)": (100, 0.005641613782989433),
             "erfcinv(x)": (1e-200, 21.374783049026258), "normcdfinv(x)": (4.9067139271481871e-198, -30),
             "sinpi(x)": (1e15 + 0.5, 1)}  # fmt: skip
    x = np.array([number for number, _ in right.values()])
    source = many("tails", "double", [*right])
    result = launch(source, "tails", 1, 32, x, np.zeros((len(x), len(x))), len(x), checks="none")[1]
    for row, (call, (number, value)) in enumerate(right.items()):
        assert abs(result[row, row] - value) <= 4 * np.spacing(abs(value)), (call, number, result[row, row])


def below(value, dtype):
    """Return the largest float that is not above a fraction."""
    near = dtype(float(value))
    while near == np.inf or (near > -np.inf and Fraction(float(near)) > value):
        near = np.nextafter(near, dtype(-np.inf))
    while Fraction(float(above := np.nextafter(near, dtype(np.inf)))) <= value:
        near = above
    return near


def in_mode(value, mode, dtype):
    """Return a fraction as a float."""
    low = below(value, dtype)
    exact = Fraction(float(low)) == value
    high = low if exact else np.nextafter(low, dtype(np.inf))
    if mode == "rn":
        down, up = value - Fraction(float(low)), Fraction(float(high)) - value
        even = low.view(f"u{low.nbytes}") % 2 == 0
        return low if down < up or (down == up and even) else high
    return {"rd": low, "ru": high, "rz": low if value > 0 else high}[mode]


def numbers_of_all_sizes(dtype, seed):
    """Return numbers whose sums, products and quotients neither overflow nor underflow."""
    random = np.random.default_rng(seed)
    low, high = (-30, 30) if dtype == np.float32 else (-250, 250)
    return (random.uniform(1, 2, 64) * random.choice([-1, 1], 64) * 2.0 ** random.integers(low, high, 64)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arithmetic_in_a_rounding_mode_gives_the_neighbour_of_the_exact_result(dtype):
    x, y, z = [numbers_of_all_sizes(dtype, seed) for seed in range(3)]
    x[:8], y[:8], z[:8] = 1, [1, -1, 2**-12, 3, -3, 2**-30, 1.5, -1.5], [2**-25, -(2.0**-54), 1, -1, 3, -3, 0, 0]
    calls = [(name, mode) for name in ARITHMETIC for mode in MODES]
    kind = "float" if dtype == np.float32 else "double"
    table = results(f"rounded_{kind}", len(calls) + len(MODES), x, y, z)
    for (name, mode), row in zip(calls, table, strict=False):
        for i, result in enumerate(row):
            exact = ARITHMETIC[name](*[Fraction(float(of[i])) for of in (x, y, z)])
            assert result == in_mode(exact, mode, dtype), (name, mode, x[i], y[i], z[i])
    for mode, row in zip(MODES, table[len(calls) :], strict=True):
        for number, root in zip(np.abs(x), row, strict=True):
            steps = {"rd": (0, 1), "rz": (0, 1), "ru": (-1, 0), "rn": (-0.5, 0.5)}[mode]
            low, high = [Fraction(float(root)) + Fraction(step) * Fraction(float(np.spacing(root))) for step in steps]
            assert low**2 <= Fraction(float(number)) <= high**2, (mode, number)


@pytest.mark.parametrize(("kind", "name"), TO_INTEGERS)
def test_floats_become_the_nearest_integers_that_the_type_has(kind, name):
    dtype, integer = np.dtype("f" if kind == "float" else "d"), np.iinfo(INTEGERS[name])
    x = np.concatenate([samples(-100, 100, dtype), numbers_of_all_sizes(np.float32, 5).astype(dtype)])
    x = np.concatenate([x, np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.0**31, -(2.0**31), 2.0**63, np.inf, -np.inf], dtype)])
    out = np.zeros((len(MODES), len(x)), integer.dtype)
    result = launch(SOURCE, f"{kind}2{name}", 8, 128, x, out, len(x), checks="none")[1]
    for row, function in enumerate([np.rint, np.trunc, np.ceil, np.floor]):
        right = [integer.max if v >= integer.max else integer.min if v <= integer.min else int(v) for v in function(x)]
        np.testing.assert_array_equal(result[row], np.array(right, integer.dtype), MODES[row])


def test_nan_becomes_zero_or_the_highest_bit():
    x = np.array([np.nan])
    for name, right in {"int": 0, "uint": 0, "ll": -(2**63), "ull": 2**63}.items():
        out = np.ones((len(MODES), 1), INTEGERS[name])
        result = launch(SOURCE, f"double2{name}", 1, 1, x, out, 1, checks="none")[1]
        assert result.tolist() == [[right]] * len(MODES)


@pytest.mark.parametrize(("name", "kind"), FROM_INTEGERS)
def test_numbers_become_the_neighbouring_floats_in_a_rounding_mode(name, kind):
    random = np.random.default_rng(4)
    if name == "double":
        x = numbers_of_all_sizes(np.float64, 6) * 2.0**-150
        x = x[np.abs(x) < 1e38]
    else:
        limits = np.iinfo(INTEGERS[name])
        x = random.integers(limits.min, limits.max, 64, limits.dtype, endpoint=True) >> random.integers(
            0, 32, 64
        ).astype(limits.dtype)
    dtype = np.float32 if kind == "float" else np.float64
    out = np.zeros((len(MODES), len(x)), dtype)
    result = launch(SOURCE, f"{name}2{kind}", 1, 128, x, out, len(x), checks="none")[1]
    for row, mode in enumerate(MODES):
        for i, number in enumerate(x.tolist()):
            assert result[row, i] == in_mode(Fraction(number), mode, dtype), (mode, number)
