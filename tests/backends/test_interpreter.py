"""The interpreter computes as NumPy and Python do, and never accesses other memory than it was given."""

import math
from fractions import Fraction

import numpy as np
import pytest
from accel.backends.sim.kernels import Interpreter, interpret
from accel.backends.sim.kernels.launch import BudgetError
from accel.backends.sim.kernels.runs import Run
from hypothesis import given
from hypothesis import strategies as st

from accel.dtypes import as_dtype
from accel.errors import BoundsError, KernelLaunchError
from accel.ir import (
    Assign,
    Atomic,
    Call,
    Cast,
    Check,
    Compare,
    Const,
    Extent,
    For,
    Frame,
    Guard,
    If,
    Load,
    Logic,
    Number,
    Once,
    Reduction,
    Select,
    Unary,
)

from . import short_ir as ir

INTEGERS = [np.dtype(code) for code in "bhilBHIL"]
FLOATS = [np.dtype(code) for code in "efd"]
BFLOAT = as_dtype("bfloat16")


def value_of(x, dtype, /, **numbers):
    """Evaluate an expression."""
    program = ir.computed(x, dtype)
    parameters = tuple(Number(name, value.dtype) for name, value in numbers.items())
    failure, (result,) = interpret(program._replace(parameters=parameters), {}, numbers)
    assert failure is None
    assert result.dtype == dtype
    return result


def binary(op, x, y):
    """Evaluate an operation on two NumPy scalars."""
    x_, y_ = ir.local("x", x.dtype), ir.local("y", x.dtype)
    return value_of(ir.op(op, x_, y_, x.dtype), x.dtype, x=x, y=y)


@st.composite
def pairs(draw, dtypes=INTEGERS):
    """Two integers of one type, often at the ends of its range."""
    dtype = draw(st.sampled_from(dtypes))
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    numbers = st.one_of(st.integers(low, high), st.integers(max(low, -9), 9), st.sampled_from([low, high]))
    return dtype.type(draw(numbers)), dtype.type(draw(numbers))


def wrapped(number, dtype):
    """Return an integer modulo the range of a type."""
    return int(np.uint64(number % 2**64).astype(dtype))


@given(pairs())
def test_integers_wrap_around_as_python_s_numbers_modulo_the_range(pair):
    x, y = map(int, pair)
    dtype = pair[0].dtype
    for op, exact in {"add": x + y, "sub": x - y, "mul": x * y, "and": x & y, "or": x | y, "xor": x ^ y}.items():
        assert int(binary(op, *pair)) == wrapped(exact, dtype)


@given(pairs())
def test_division_of_integers_rounds_down_and_by_zero_gives_zero(pair):
    x, y = map(int, pair)
    dtype = pair[0].dtype
    assert int(binary("floordiv", *pair)) == (wrapped(x // y, dtype) if y else 0)
    assert int(binary("mod", *pair)) == (x % y if y else 0)


@given(pairs(), st.integers(0, 100))
def test_shifts_by_the_width_or_more_give_zero_or_minus_one(pair, by):
    x, dtype = pair[0], pair[0].dtype
    assert int(binary("lshift", x, dtype.type(by))) == wrapped(int(x) << by, dtype)
    assert int(binary("rshift", x, dtype.type(by))) == int(x) >> by


@given(pairs(), st.integers(-9, 70))
def test_powers_of_integers_wrap_around_and_negative_exponents_round_towards_zero(pair, exponent):
    x, dtype = pair[0], pair[0].dtype
    if exponent < 0 and dtype.kind == "u":
        return
    base = int(x)
    expected = wrapped(base**exponent, dtype) if exponent >= 0 else (base and math.trunc(Fraction(1, base**-exponent)))
    assert int(binary("pow", x, dtype.type(exponent))) == expected


@given(st.sampled_from(FLOATS), st.floats(width=16), st.floats(width=16))
def test_floats_are_computed_as_numpy_s_arrays_are(dtype, x, y):
    a, b = dtype.type(x), dtype.type(y)
    names = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide"}
    names |= {"mod": "remainder", "min": "minimum", "max": "maximum"}
    for op, name in names.items():
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(np.array([a]), np.array([b]))[0]
        if name in ("minimum", "maximum") and a == b == 0:  # NumPy's choice of two zeros depends on the dtype
            expected = a + b if name == "maximum" else -(-a + -b)
        np.testing.assert_equal(binary(op, a, b), expected)


@given(st.floats(width=16), st.floats(width=16))
def test_bfloat16_is_computed_in_float32_and_rounded(x, y):
    a, b = BFLOAT.type(np.float32(x)), BFLOAT.type(np.float32(y))
    for op in ("add", "mul", "truediv", "floordiv", "mod", "min", "max"):
        wide = binary(op, np.float32(a), np.float32(b))
        np.testing.assert_equal(np.float32(binary(op, a, b)), np.float32(BFLOAT.type(wide)))


@given(st.sampled_from(FLOATS), st.sampled_from(INTEGERS), st.floats())
def test_a_cast_from_float_to_integer_drops_the_fraction_and_saturates(source, target, number):
    with np.errstate(over="ignore"):
        x = source.type(number)
    info = np.iinfo(target)
    if math.isnan(x):
        expected = 0
    elif math.isinf(x):
        expected = info.max if x > 0 else info.min
    else:
        expected = min(max(math.trunc(float(x)), int(info.min)), int(info.max))
    assert int(value_of(Cast(ir.local("x", source), target), target, x=x)) == expected


@given(pairs(), st.sampled_from([*INTEGERS, np.dtype(bool), BFLOAT, *FLOATS]))
def test_casts_from_integers_wrap_around_or_round(pair, target):
    x = pair[0]
    result = value_of(Cast(ir.local("x", x.dtype), target), target, x=x)
    with np.errstate(over="ignore"):
        assert result == np.array([x]).astype(np.float32 if target == BFLOAT else target).astype(target)[0]


@given(st.floats(width=32), st.floats(width=32), st.floats(width=32))
def test_fma_of_float32_is_rounded_once(x, y, z):
    arguments = tuple(Const(each, ir.F32) for each in (x, y, z))
    result = value_of(Call("fma", arguments, ir.F32), ir.F32)
    if not all(map(math.isfinite, (x, y, z))) or not np.isfinite(result):
        return
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    with np.errstate(over="ignore"):
        neighbours = [np.nextafter(result, np.float32(end)) for end in (-np.inf, np.inf)]
    for neighbour in neighbours:
        if np.isfinite(neighbour):
            assert abs(Fraction(float(result)) - exact) <= abs(Fraction(float(neighbour)) - exact)


@pytest.mark.parametrize("name", ["sin", "exp", "sqrt", "acos", "log1p", "erf", "rsqrt", "round", "sign", "square"])
@pytest.mark.parametrize("dtype", [*FLOATS, BFLOAT], ids=str)
def test_functions_are_those_of_numpy(name, dtype):
    x = dtype.type(0.375)
    references = {"acos": np.arccos, "erf": np.vectorize(math.erf), "rsqrt": lambda x: 1 / np.sqrt(x), "round": np.rint}
    wide = np.float64(x)
    expected = references.get(name, getattr(np, name, None))(wide)
    result = value_of(Call(name, (Const(x, dtype),), dtype), dtype)
    assert abs(float(result) - expected) <= 2 * abs(expected) * (2.0**-8 if dtype == BFLOAT else np.finfo(dtype).eps)


@given(pairs())
def test_popcount_counts_the_bits_of_negative_numbers_too(pair):
    x = pair[0]
    bits = np.array([x]).view(f"u{x.itemsize}")[0]
    assert int(value_of(Call("popcount", (ir.local("x", x.dtype),), x.dtype), x.dtype, x=x)) == int(bits).bit_count()


def test_a_sum_has_more_terms_than_python_nests_parentheses():
    total = ir.index(0)
    for number in range(250):
        total = ir.add(total, ir.index(number))
    assert value_of(total, ir.INDEX) == sum(range(250))


def test_only_the_chosen_operand_is_evaluated():
    i = ir.index(7)
    outside = ir.get("v", i, check=ir.guard(0, "v", i))
    below = Compare("lt", outside, Const(1, ir.F32))
    no, yes = Const(False, ir.TRUTH), Const(True, ir.TRUTH)
    chosen = Select(yes, Const(5, ir.F32), outside, ir.F32)
    body = (
        ir.put("v", ir.index(0), chosen),
        If(Logic("and", no, below), (ir.put("v", ir.index(1), Const(1, ir.F32)),)),
        If(Logic("or", yes, below), (ir.put("v", ir.index(2), Const(2, ir.F32)),)),
    )
    v = np.zeros(3, "f4")
    failure, _ = interpret(ir.program(Once(body), parameters=[ir.view()]), {"v": v}, {})
    assert failure is None
    assert v.tolist() == [5, 0, 2]


@pytest.mark.parametrize("serial", [False, True])
def test_a_run_ends_when_its_budget_is_spent(serial):
    n, i = ir.local("n"), ir.local("i")
    if serial:
        count = For(i, ir.index(0), ir.index(100), ir.index(1), (Assign(n, i),))
        program = ir.program(Once((count,)))
    else:
        program = ir.program(ir.loop([Assign(n, i)], ir.index(100)))
    Interpreter(program).run(Run(program, {}, {}, budget=100), races=False)
    with pytest.raises(BudgetError):
        Interpreter(program).run(Run(program, {}, {}, budget=99), races=False)


def test_iterations_run_in_an_order_that_the_seed_decides():
    i = ir.local("i")
    turn = ir.local("turn")
    count = Atomic("add", "w", ir.index(0), Const(1, ir.INDEX), turn)
    program = ir.program(
        ir.loop([count, ir.put("v", turn, i)], ir.index(20)),
        parameters=[ir.view("v", ir.INDEX), ir.view("w", ir.INDEX)],
    )

    def order(seed):
        v = np.zeros(20, ir.INDEX)
        interpret(program, {"v": v, "w": np.zeros(1, ir.INDEX)}, {}, seed=seed)
        return v.tolist()

    assert sorted(order(0)) == sorted(order(1)) == [*range(20)]
    assert order(0) == order(0) != order(1)


def test_the_last_variable_of_a_parallel_loop_counts_iterations_fastest():
    i, j = ir.local("i"), ir.local("j")
    check = Guard(0, (ir.op("sub", ir.op("mul", i, ir.index(3)), j),), (ir.index(4),), ir.index(0))
    program = ir.program(ir.loop([Check(check)], (ir.index(2), ir.index(3)), "i", "j"))
    failed = {interpret(program, {}, {}, seed=seed)[0] for seed in range(50)}
    assert {(each.iteration, each.at) for each in failed} == {(1, -1), (2, -2)}


@given(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False)),
    st.floats(width=16, allow_nan=False, allow_infinity=False),
)
def test_a_sum_of_floats_is_exact_before_it_is_rounded(values, before):
    total = ir.local("total", ir.F32)
    i = ir.local("i")
    begin = Once((Assign(total, Const(before, ir.F32)),), Frame((), (total,)))
    body = Assign(total, ir.add(total, ir.get("v", i), ir.F32))
    sum_ = ir.loop([body], Extent("v", 0), reductions=(Reduction(total, "add"),))
    program = ir.program(begin, sum_, parameters=[ir.view()], frame=(total,), results=(total,))
    result = interpret(program, {"v": np.array(values, "f4")}, {})[1][0]
    with np.errstate(over="ignore"):
        assert result == np.float32(math.fsum([before, *values]))


@pytest.mark.parametrize(("op", "exact"), [("min", np.min), ("max", np.max)])
@given(values=st.lists(st.floats(width=32), min_size=1))
def test_least_and_greatest_are_those_of_numpy(op, exact, values):
    total, i = ir.local("total", ir.F32), ir.local("i")
    begin = Once((Assign(total, ir.get("v", ir.index(0))),), Frame((), (total,)))
    body = Assign(total, ir.op(op, total, ir.get("v", i), ir.F32))
    reduced = ir.loop([body], Extent("v", 0), reductions=(Reduction(total, op),))
    program = ir.program(begin, reduced, parameters=[ir.view()], frame=(total,), results=(total,))
    v = np.array(values, "f4")
    np.testing.assert_array_equal(interpret(program, {"v": v}, {})[1][0], exact(v))  # of 0 and -0 either one


def test_a_failed_guard_reads_zero_and_writes_nothing():
    i = ir.local("i")
    at = ir.op("sub", i, ir.index(1))
    body = ir.put("w", i, ir.get("v", at, check=ir.guard(1, "v", at)), ir.guard(0, "w", i))
    program = ir.program(ir.loop([body], ir.index(5)), parameters=[ir.view(), ir.view("w")], sites=2, debug=True)
    v, w = np.arange(1, 4, dtype="f4"), np.full(3, 9, "f4")
    for seed in range(5):
        failure, _ = interpret(program, {"v": v, "w": w}, {}, seed=seed)
        assert failure.failures == 4
        assert failure[:5] in {(0, 3, 0, 3, 3), (1, 4, 0, 3, 3), (1, 0, 0, -1, 3)}
    assert w.tolist() == [0, 1, 2]


def test_the_value_of_a_store_is_evaluated_before_its_place_is_checked():
    at = ir.index(7)
    store = ir.put("v", at, ir.get("v", at, check=ir.guard(0, "v", at)), ir.guard(1, "v", at))
    program = ir.program(Once((store,)), parameters=[ir.view()], sites=2, debug=True)
    failure, _ = interpret(program, {"v": np.zeros(3, "f4")}, {})
    assert (failure.site, failure.failures) == (0, 2)


@pytest.mark.parametrize(
    ("op", "value", "expected", "left"),
    [
        ("add", 3, None, 8),
        ("min", 3, None, 3),
        ("max", 3, None, 5),
        ("exchange", 3, None, 3),
        ("compare", 3, 5, 3),
        ("compare", 3, 4, 5),
    ],
)
def test_an_atomic_operation_returns_the_old_element(op, value, expected, left):
    old = ir.local("old", "i4")
    constant = [None if each is None else Const(each, np.dtype("i4")) for each in (value, expected)]
    step = Once((Atomic(op, "v", ir.index(0), constant[0], old, constant[1]),), Frame((), (old,)))
    v = np.array([5], "i4")
    program = ir.program(step, parameters=[ir.view("v", "i4")], frame=(old,), results=(old,))
    assert interpret(program, {"v": v}, {}) == (None, (5,))
    assert v[0] == left


def test_an_access_outside_of_a_view_is_an_error_without_debug_mode_too():
    whole = np.zeros(10, "f4")
    for at in (-1, 4):
        program = ir.program(Once((ir.put("v", ir.index(at), Const(1, ir.F32)),)), parameters=[ir.view()])
        with pytest.raises(BoundsError, match=f"writes element {at} of v, which has elements 0 to 3"):
            interpret(program, {"v": whole[3:7]}, {})
    assert not whole.any()


def test_a_local_array_is_new_in_each_iteration():
    i, zero = ir.local("i"), ir.index(0)
    fill = If(ir.compare("eq", i, zero), (ir.put("a", zero, Const(1, ir.F32)),))
    body = [fill, ir.put("v", i, ir.get("a", zero))]
    program = ir.program(ir.loop(body, ir.index(2)), parameters=[ir.view()], arrays=(ir.private("a", 1),))
    for seed in range(5):
        with pytest.raises(KernelLaunchError, match=r"iteration 1 reads a\[0\], memory that was never written"):
            interpret(program, {"v": np.zeros(2, "f4")}, {}, seed=seed)


def test_negation_and_inversion_keep_the_type():
    assert value_of(Unary("neg", Const(1, np.dtype("u1")), np.dtype("u1")), np.dtype("u1")) == 255
    assert value_of(Unary("invert", Const(1, np.dtype("i2")), np.dtype("i2")), np.dtype("i2")) == -2
    assert not value_of(Unary("not", Const(True, ir.TRUTH), ir.TRUTH), ir.TRUTH)


def test_memory_of_a_view_without_axes_is_the_whole_array():
    step = Once((ir.put("v", ir.index(5), Load("v", ir.index(0), ir.F32)),))
    v = np.arange(1, 7, dtype="f4").reshape(2, 3)
    interpret(ir.program(step, parameters=[ir.view(rank=0)]), {"v": v}, {})
    assert v[1, 2] == 1


def test_a_total_is_only_assigned_its_combination():
    total = ir.local("total", ir.F32)
    wrong = ir.loop([Assign(total, Const(1, ir.F32))], ir.index(1), reductions=(Reduction(total, "add"),))
    with pytest.raises(ValueError, match="total is reduced by add, and cannot be assigned"):
        interpret(ir.program(wrong, frame=(total,)), {}, {})
