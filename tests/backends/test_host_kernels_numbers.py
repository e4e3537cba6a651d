"""Numbers in kernels of the host: each operation gives what the interpreter gives, which is compared with NumPy."""

import numpy as np
import pytest
from accel.backends.common.host_kernels import host_source
from accel.backends.sim.kernels import interpret
from hypothesis import given
from hypothesis import strategies as st

from accel.dtypes import as_dtype
from accel.errors import CapabilityError
from accel.ir import FUNCTIONS, TRUTH, Binary, Call, Cast, Compare, Const, Logic, Number, Select, Unary, of_type

from . import short_ir as ir
from .host_runs import run, same, value_of

BOOL = np.dtype(bool)
INTEGERS = [np.dtype(code) for code in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]
FLOATS = [as_dtype(name) for name in ("float16", "bfloat16", "float32", "float64")]
COMPLEX = [np.dtype("complex64"), np.dtype("complex128")]
EVERY = [BOOL, *INTEGERS, *FLOATS, *COMPLEX]
SOME_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 7.0, 100.25, 1e-3, -1e4, 6e4, np.inf, -np.inf, np.nan, 3e9, -1e30]

named = pytest.mark.parametrize("dtype", EVERY, ids=str)


def interesting(dtype):
    """Return pairs of numbers of a type, among them the ends of its range."""
    if dtype.kind == "b":
        numbers = [False, True]
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        numbers = [limits.min, limits.min + 1, limits.max, limits.max - 1, 0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 63, 64]
        numbers += [-1, -2, -3, -7, -8, -64] if dtype.kind == "i" else []
    elif dtype.kind == "c":
        numbers = [complex(a, b) for a in (0, 1, -2.5, 3) for b in (0, -1, 0.25, 7)]
    else:
        numbers = SOME_FLOATS
    with np.errstate(all="ignore"):
        values = np.asarray(numbers).astype(dtype)
    x, y = np.meshgrid(values, values)
    return x.ravel(), y.ravel()


def differences(dtype, expressions, numbers, *, ulps=0):
    """Return which of the expressions of x and y, by name, have other values on the host than in the interpreter."""
    x, y = numbers
    results = {name: np.zeros(x.size, of_type(expression)) for name, expression in expressions.items()}
    i = ir.local("i")
    body = [ir.put(name, ir.strided(name, i), value) for name, value in expressions.items()]
    views = [ir.view(name, array.dtype) for name, array in {"x": x, "y": y, **results}.items()]
    program = ir.program(ir.loop(body, ir.index(x.size)), parameters=views)
    expected = {name: array.copy() for name, array in results.items()}
    interpret(program, {"x": x, "y": y, **expected}, {})
    run(program, {"x": x, "y": y, **results})
    return [name for name in results if not same(results[name], expected[name], ulps=ulps)]


def operands(dtype):
    """Return the expressions for x and y."""
    i = ir.local("i")
    return [ir.get(name, ir.strided(name, i), dtype) for name in "xy"]


def operations(dtype):
    """Return the names of the operations of a type."""
    if dtype.kind == "b":
        return ["and", "or", "xor"]
    if dtype.kind in "iu":
        return ["add", "sub", "mul", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift", "min", "max"]
    return (
        ["add", "sub", "mul"]
        if dtype.kind == "c"
        else ["add", "sub", "mul", "truediv", "floordiv", "mod", "min", "max"]
    )


@named
def test_arithmetic_is_that_of_numpy(dtype):
    x, y = operands(dtype)
    expressions = {f"r_{op}": Binary(op, x, y, dtype) for op in operations(dtype)}
    assert differences(dtype, expressions, interesting(dtype)) == []


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX], ids=str)
def test_powers_and_quotients_are_those_of_numpy_but_for_the_last_digit(dtype):
    x, y = operands(dtype)
    exponent = Const(3, dtype)
    expressions = {"power": Binary("pow", x, exponent, dtype), "two": Binary("pow", x, y, dtype)}
    a, b = interesting(dtype)
    if dtype.kind == "c":
        expressions["ratio"] = Binary("truediv", x, y, dtype)
        a, b = (each[(b != 0) & (a != 0)] for each in (a, b))
    else:
        a, b = (each[~(np.isneginf(a) & (b == 0.5))] for each in (a, b))  # NumPy takes the square root, which is NaN
    assert differences(dtype, expressions, (a, b), ulps=64 if dtype.kind == "c" else 4) == []


@named
def test_comparisons_are_those_of_numpy(dtype):
    x, y = operands(dtype)
    names = ("eq", "ne") if dtype.kind == "c" else ("lt", "le", "gt", "ge", "eq", "ne")
    expressions = {f"r_{op}": Compare(op, x, y) for op in names}
    assert differences(dtype, expressions, interesting(dtype)) == []


@named
def test_casts_wrap_saturate_and_round(dtype):
    x, _ = operands(dtype)
    targets = COMPLEX if dtype.kind == "c" else EVERY
    expressions = {f"r_{target}": Cast(x, target) for target in targets}
    assert differences(dtype, expressions, interesting(dtype)) == []


@given(st.floats(width=64))
def test_a_float64_is_rounded_once_to_float16(number):
    x = ir.local("x", "float64")
    program = ir.computed(Cast(x, np.dtype("float16")), "float16")._replace(parameters=(Number("x", x.dtype),))
    _, (result,) = run(program, {}, {"x": number})
    with np.errstate(over="ignore"):
        assert np.array_equal(result, np.float16(number), equal_nan=True)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, *COMPLEX], ids=str)
def test_signs_and_bits_are_turned(dtype):
    x, _ = operands(dtype)
    names = ["neg", "invert"] if dtype.kind in "iu" else ["neg"]
    expressions = {f"r_{op}": Unary(op, x, dtype) for op in names}
    assert differences(dtype, expressions, interesting(dtype)) == []


EXACT = {
    *("abs", "ceil", "conj", "copysign", "floor", "fma", "imag", "isfinite", "isinf", "isnan", "nextafter", "popcount"),
    *("real", "round", "sign", "signbit", "sqrt", "square", "trunc"),
}


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, *COMPLEX], ids=str)
def test_functions(dtype):
    """One unit for complex numbers is that of their absolute value."""
    kind = "f" if dtype in FLOATS else dtype.kind
    arguments = (*operands(dtype), Const(0.5, dtype))
    exact, near = {}, {}
    for name, function in FUNCTIONS.items():
        if kind in function.kinds:
            call = Call(name, arguments[: function.arity], ir.result_of(function, dtype))
            (exact if name in EXACT else near)[f"r_{name}"] = call
    if kind == "c":
        exact["turned"] = Call("complex", (exact["r_imag"], exact["r_real"]), dtype)
    assert differences(dtype, exact, interesting(dtype), ulps=int(kind == "c")) == []
    assert differences(dtype, near, interesting(dtype), ulps=8) == []


@named
def test_numbers_are_passed_and_returned_as_they_are(dtype):
    x = ir.local("x", dtype)
    program = ir.computed(x, dtype)._replace(parameters=(Number("x", dtype),))
    for number in np.unique(interesting(dtype)[0]):
        _, (result,) = run(program, {}, {"x": number})
        assert result.dtype == dtype
        assert same(np.asarray(result), np.asarray(number))


def test_what_decides_is_evaluated_first():
    nowhere = ir.get("v", ir.index(1 << 50), TRUTH)
    memory = {"v": np.zeros(1, bool)}
    for value, expected in {
        Logic("and", Const(False, TRUTH), nowhere): False,
        Logic("or", Const(True, TRUTH), nowhere): True,
        Select(Const(True, TRUTH), Const(True, TRUTH), nowhere, TRUTH): True,
    }.items():
        program = ir.computed(value, TRUTH)._replace(parameters=(ir.view("v", TRUTH),))
        assert run(program, memory)[1] == (expected,)


def test_floats_of_8_bits_are_refused():
    small = as_dtype("float8_e5m2")
    with pytest.raises(CapabilityError, match="cannot compute with float8_e5m2; keep the data in float16 or bfloat16"):
        host_source(ir.computed(Const(1, small), small))


def test_sums_are_not_reassociated():
    numbers = [Const(value, ir.F32) for value in (1e8, 1.0, -1e8)]
    left = ir.add(ir.add(numbers[0], numbers[1], ir.F32), numbers[2], ir.F32)
    assert value_of(ir.computed(left, ir.F32)) == 0
