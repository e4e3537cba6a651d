"""Numbers in kernels that are written in Python: the text for GPUs, run on the processor, computes what NumPy does."""

import warnings

import ml_dtypes
import numpy as np
import pytest

from accel.dtypes import supported
from accel.ir import TRUTH, Binary, Call, Cast, Compare, Logic, Select, Unary

from .pieces import const, elementwise, load, loop, program, store, view
from .programs import run_text

BF16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = [dtype for dtype in supported() if dtype.itemsize > 1 or dtype.kind in "iub"]
INTEGERS = [dtype for dtype in DTYPES if dtype.kind in "iu"]
FLOATS = [dtype for dtype in DTYPES if dtype.kind == "f" or dtype == BF16]
COMPLEX = [dtype for dtype in DTYPES if dtype.kind == "c"]


def smaller(a, b):
    """Return the smaller numbers, -0.0 of two zeros; of these NumPy's choice depends on the dtype."""
    if a.dtype.kind != "f":
        return np.minimum(a, b)
    return np.where((a == 0) & (b == 0), -(-a + -b), np.minimum(a, b))


def larger(a, b):
    """Return the larger numbers, 0.0 of two zeros."""
    return -smaller(-a, -b) if a.dtype.kind == "f" else np.maximum(a, b)


UFUNCS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "lshift": np.left_shift, "rshift": np.right_shift, "min": smaller, "max": larger,
}  # fmt: skip


def ordered(extreme, negative):
    """Return an extreme of NumPy that is, of two zeros, the negative or the positive one; NumPy returns any."""
    return lambda a, b: np.where(a == b, np.where(np.signbit(a) == negative, a, b), extreme(a, b))


ORACLES = {**UFUNCS, "min": ordered(np.minimum, True), "max": ordered(np.maximum, False)}
COMPARISONS = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
SMALL = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, 7.25, 1e-3, 1e-7, 3e4, 6e4, -7e4]
SPECIAL = [*SMALL, 1e30, 1e-30, np.inf, -np.inf, np.nan]


def ids(dtype):
    return dtype.name


def numbers(dtype):
    """Return numbers of a type, at the ends of its range among them."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        small = [number for number in (*range(-9, 10), 31, 64, 100) if number >= ends.min]
        return np.array([*small, ends.min, ends.min + 1, ends.max // 2, ends.max - 1, ends.max], dtype)
    with np.errstate(all="ignore"):
        if dtype.kind == "c":
            real = np.array([0, 1, -1, 2, 0.5, -3, 1e15])
            return (real[:, None] + 1j * real).ravel().astype(dtype)
        return np.array([*SPECIAL, *np.random.default_rng(1).normal(size=20)]).astype(dtype)


def pairs(dtype):
    first, second = np.meshgrid(numbers(dtype), numbers(dtype))
    return first.ravel().copy(), second.ravel().copy()


def computed(sources, expressions, **how):
    """Return the values of expressions of the elements of arrays, which are the views a, b and c."""
    views = [view(name, source.dtype, writable=False) for name, source in zip("abc", sources, strict=False)]
    targets = [np.zeros(len(sources[0]), dtype) for dtype, _ in expressions]
    assert run_text(elementwise(views, expressions), [*sources, *targets], **how) == (None, ())
    return targets


def operands(dtype):
    return [load(view(name, dtype)) for name in "ab"]


def same(values, expected):
    expected = np.asarray(expected).astype(values.dtype)
    if values.dtype == BF16:  # whose NaN NumPy does not know
        values, expected = values.astype("f4"), expected.astype("f4")
    np.testing.assert_array_equal(values, expected)
    if values.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(values) & (values == 0), np.signbit(expected) & (values == 0))


def close(values, expected, units):
    """Compare floats, up to some units of the last digit, and up to the smallest normal number."""
    expected = np.asarray(expected).astype(values.dtype)
    info = ml_dtypes.finfo(values.dtype)
    error = {"rtol": units * float(info.eps), "atol": float(info.smallest_normal)}
    np.testing.assert_allclose(values.astype("f8"), expected.astype("f8"), **error)


def check_binary(dtype, names, oracle=UFUNCS, inexact=()):
    a, b = pairs(dtype)
    x, y = operands(dtype)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = computed((a, b), [(dtype, Binary(name, x, y, dtype)) for name in names])
        for name, values in zip(names, results, strict=True):
            if name in inexact:
                close(values, oracle[name](a, b), 8)
            else:
                same(values, oracle[name](a, b))


def integer_pow(a, b):
    """Return powers that wrap around; a negative exponent gives the whole part."""
    powers = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        negative = x ** (y % 2) if abs(x) == 1 else 0
        powers.append(pow(x, y, 1 << 64) if y >= 0 else negative % (1 << 64))
    return np.array(powers, np.uint64).astype(a.dtype)


def arithmetic_shift(a, b):
    wide = [x >> min(y % (1 << 64), 64) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    return np.array(wide, a.dtype)


@pytest.mark.parametrize("dtype", INTEGERS, ids=ids)
def test_integers_wrap_around_and_divide_as_in_python(dtype):
    names = [name for name in UFUNCS if name != "truediv"]
    oracle = {**UFUNCS, "pow": integer_pow, "rshift": arithmetic_shift}
    check_binary(dtype, names, oracle)


def test_operations_on_truth_values():
    check_binary(TRUTH, ["and", "or", "xor", "min", "max"])


FLOAT_OPERATIONS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "min", "max", "pow"]


@pytest.mark.parametrize("dtype", FLOATS, ids=ids)
def test_floats_are_rounded_after_each_operation_as_in_numpy(dtype):
    narrow = {name: (lambda a, b, f=f: f(a.astype("f4"), b.astype("f4")).astype(dtype)) for name, f in ORACLES.items()}
    check_binary(dtype, FLOAT_OPERATIONS, narrow if dtype.itemsize == 2 else ORACLES, inexact=["pow"])


@pytest.mark.parametrize("dtype", COMPLEX, ids=ids)
def test_complex_numbers(dtype):
    close = ["mul", "truediv", "pow"]
    a, b = pairs(dtype)
    x, y = operands(dtype)
    operations = ["add", "sub", *close]
    with np.errstate(all="ignore"):
        results = computed((a, b), [(dtype, Binary(name, x, y, dtype)) for name in operations])
        for name, values in zip(operations, results, strict=True):
            expected = UFUNCS[name](a, b)
            certain = np.isfinite(expected) & (np.abs(expected) < 1e30)
            if name == "pow":  # the angle of a large number to a large power is lost to rounding
                certain &= (np.abs(a) < 10) & (np.abs(b) < 10)
            np.testing.assert_allclose(
                values[certain], expected[certain], rtol=1e-4 if dtype == "c8" else 1e-12, atol=1e-30
            )


@pytest.mark.parametrize("dtype", DTYPES, ids=ids)
def test_comparisons_choices_and_unary_operations(dtype):
    names = ["eq", "ne"] if dtype.kind == "c" else [*COMPARISONS]
    a, b = pairs(dtype)
    x, y = operands(dtype)
    never = Logic("and", const(True, "?"), const(False, "?"))
    expressions = [(TRUTH, Compare(name, x, y)) for name in names]
    expressions.append((dtype, Select(Logic("or", Compare("eq", x, y), never), x, y, dtype)))
    with np.errstate(all="ignore"):
        expected = [*[COMPARISONS[name](a, b) for name in names], np.where(a == b, a, b)]
        if dtype.kind != "b":
            expressions.append((dtype, Unary("neg", x, dtype)))
            expected.append(-a)
        if dtype.kind in "iub":
            expressions.append((dtype, Unary("invert", x, dtype)))
            expected.append(~a)
    for values, right in zip(computed((a, b), expressions), expected, strict=True):
        same(values, right)


@pytest.mark.parametrize("source", DTYPES, ids=ids)
def test_casts(source):
    targets = [target for target in DTYPES if source.kind != "c" or target.kind == "c"]
    a = numbers(source)
    x, _ = operands(source)
    for values in computed((a,), [(target, Cast(x, target)) for target in targets]):
        same(values, cast(a, values.dtype))


@pytest.mark.parametrize("dtype", DTYPES, ids=ids)
def test_numbers_in_the_text(dtype):
    a = numbers(dtype)
    one, target = view("one", "i8", writable=False), view("target", dtype)
    body = [store(target, const(value, dtype), const(place)) for place, value in enumerate(a)]
    values = np.zeros(len(a), dtype)
    assert run_text(program("numbers", [one, target], loop(one, *body)), [np.zeros(1, "i8"), values]) == (None, ())
    same(values, a)


def cast(a, target):
    """Return numbers as another type; what is out of range of an integer becomes the nearest one, and NaN 0."""
    with np.errstate(all="ignore"):
        if target.kind not in "iu" or a.dtype.kind in "iub":
            return a.astype(target)
        ends = np.iinfo(target)
        whole = [int(np.nan_to_num(x, nan=0, posinf=1e300, neginf=-1e300)) for x in a.astype("f8")]
        return np.array([min(max(x, ends.min), ends.max) for x in whole], target)


ONE = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "exp", "exp2", "expm1", "log", "log10",
    "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
RENAMED = {f"a{name}": f"arc{name}" for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")}
EXACT = {
    name: getattr(np, name)
    for name in ("abs", "ceil", "floor", "round", "trunc", "sign", "square", "real", "conj", "imag")
}
PREDICATES = {"isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan, "signbit": np.signbit}


@pytest.mark.parametrize("dtype", FLOATS, ids=ids)
def test_functions_of_floats(dtype):
    a, b = pairs(dtype)
    x, y = operands(dtype)
    two = {"atan2": np.arctan2, "copysign": np.copysign, "hypot": np.hypot, "nextafter": np.nextafter}
    expressions = [(dtype, Call(name, (x,), dtype)) for name in (*ONE, "rsqrt", *EXACT)]
    expressions += [(dtype, Call(name, (x, y), dtype)) for name in two]
    expressions += [(dtype, Call("fma", (x, y, x), dtype))]
    expressions += [(TRUTH, Call(name, (x,), TRUTH)) for name in PREDICATES]
    results = computed((a, b), expressions)
    with np.errstate(all="ignore"):
        for name in ONE:
            close(results.pop(0), getattr(np, RENAMED.get(name, name))(a.astype("f8")), 6)
        close(results.pop(0), 1 / np.sqrt(a.astype("f8")), 2)
        for function in EXACT.values():
            same(results.pop(0), function(a.astype("f4") if dtype == BF16 else a))
        for function in two.values():
            close(results.pop(0), function(a, b), 3)  # CUDA's bound of atan2f
        wide = a.astype("f8") * b.astype("f8") + a.astype("f8")
        plain = np.abs(wide) > 1e-4
        close(results.pop(0)[plain], wide[plain], 4)
        for function in PREDICATES.values():
            same(results.pop(0), function(a))


@pytest.mark.parametrize("dtype", FLOATS, ids=ids)
def test_the_negative_of_a_negative_is_no_decrement(dtype):
    a = np.array([1, -2, 3], dtype)
    x, _ = operands(dtype)
    twice = Unary("neg", Unary("neg", x, dtype), dtype)
    same(computed((a, a), [(dtype, twice), (dtype, x)])[0], a)


def test_the_imaginary_part_of_a_float_may_be_a_divisor():
    dtype, a = np.dtype("f4"), np.array([1, -2, 3], "f4")
    x, _ = operands(dtype)
    (values,) = computed((a,), [(dtype, Binary("truediv", x, Call("imag", (x,), dtype), dtype))])
    same(values, [np.inf, -np.inf, np.inf])


@pytest.mark.parametrize("dtype", INTEGERS, ids=ids)
def test_functions_of_integers(dtype):
    a = numbers(dtype)
    x, _ = operands(dtype)
    names = ["abs", "sign", "square", "floor", "ceil", "trunc", "round", "popcount"]
    results = computed((a,), [(dtype, Call(name, (x,), dtype)) for name in names])
    for values, expected in zip(results, [np.abs(a), np.sign(a), np.square(a), a, a, a, a], strict=False):
        same(values, expected)
    bits = a.view(f"u{a.itemsize}")
    same(results[-1], np.bitwise_count(bits))


@pytest.mark.parametrize("dtype", COMPLEX, ids=ids)
def test_parts_of_complex_numbers(dtype):
    a = numbers(dtype)
    x, _ = operands(dtype)
    part = a.real.dtype
    whole = Call("complex", (Call("imag", (x,), part), Call("real", (x,), part)), dtype)
    results = computed(
        (a,),
        [
            (part, Call("abs", (x,), part)),
            (dtype, Call("conj", (x,), dtype)),
            (dtype, whole),
        ],
    )
    np.testing.assert_allclose(results[0], np.abs(a), rtol=2 * np.finfo(part).eps)
    same(results[1], a.conj())
    same(results[2], a.imag + 1j * a.real)
