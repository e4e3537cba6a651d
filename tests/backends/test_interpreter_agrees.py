"""The interpreter and the code of the host give the same bits for expressions of all types.

Two things are left out, which nothing defines: which zero is the less of 0 and -0, and the sign of NaN.
"""

import numpy as np
from accel.backends.common.host_kernels import host_kernel
from accel.backends.sim.kernels import interpret
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.dtypes import as_dtype
from accel.ir import TRUTH, Assign, Binary, Call, Cast, Compare, Const, Frame, Local, Logic, Number, Once, Select, Unary

from . import short_ir as ir

INTEGERS = [np.dtype(code) for code in "bhilBHIL"]
FLOATS = [np.dtype(code) for code in "efd"] + [as_dtype("bfloat16")]
ALL = [*INTEGERS, *FLOATS, TRUTH]
ARITHMETIC = ["add", "sub", "mul", "floordiv", "mod"]
BITS = ["and", "or", "xor", "lshift", "rshift", "pow", "min", "max"]


def numbers(dtype):
    """Values of a type: often small, or the ends of its range."""
    if dtype == TRUTH:
        return st.booleans()
    if dtype in INTEGERS:
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        return st.one_of(st.integers(low, high), st.integers(max(low, -8), 8), st.sampled_from([low, high]))
    return st.floats(width=16).map(lambda x: float(dtype.type(np.float32(x))))


def leaves(dtype):
    """Constants and parameters."""
    return st.one_of(numbers(dtype).map(lambda value: Const(value, dtype)), st.just(Local(f"n_{dtype.name}", dtype)))


def expressions(dtype, depth):
    """Expressions of a type."""
    if not depth:
        return leaves(dtype)
    inner = st.sampled_from(ALL).flatmap(lambda other: expressions(other, depth - 1))
    same, truth = expressions(dtype, depth - 1), expressions(TRUTH, depth - 1)
    result = [
        inner.map(lambda x: Cast(x, dtype)),
        st.builds(Select, truth, same, same, st.just(dtype)),
    ]
    if dtype == TRUTH:
        result += [_compared(depth), st.builds(Logic, st.sampled_from(["and", "or"]), truth, truth)]
        result.append(truth.map(lambda x: Unary("not", x, TRUTH)))
    else:
        result += _computed(dtype, same)
    return st.one_of(leaves(dtype), *result)


def _compared(depth):
    names = st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne"])
    pairs = st.sampled_from(ALL).flatmap(lambda dtype: st.tuples(*[expressions(dtype, depth - 1)] * 2))
    return st.builds(lambda name, pair: Compare(name, *pair), names, pairs)


def _computed(dtype, same):
    floating = dtype in FLOATS
    names = st.sampled_from([*ARITHMETIC, *(["truediv"] if floating else BITS)])
    functions = ["abs", "square", "sign", *(["ceil", "floor", "round", "trunc", "sqrt"] if floating else ["popcount"])]
    result = [
        st.builds(Binary, names, same, same, st.just(dtype)),
        st.builds(lambda name, x: Call(name, (x,), dtype), st.sampled_from(functions), same),
        same.map(lambda x: Unary("neg", x, dtype)),
    ]
    if floating:
        return [*result, st.tuples(same, same, same).map(lambda three: Call("fma", three, dtype))]
    return [*result, same.map(lambda x: Unary("invert", x, dtype))]


def bits_of(value):
    """The bits of a number; one text for all NaN."""
    return "nan" if np.isnan(value) else value.tobytes()


@settings(max_examples=20)
@given(
    st.lists(st.sampled_from(ALL).flatmap(lambda dtype: expressions(dtype, 3)), min_size=6, max_size=6),
    st.fixed_dictionaries({f"n_{dtype.name}": numbers(dtype) for dtype in ALL}),
)
def test_both_compute_the_same_bits(formulas, values):
    results = tuple(Local(f"result{place}", ir.of_type(x)) for place, x in enumerate(formulas))
    step = Once(tuple(map(Assign, results, formulas)), Frame((), results))
    parameters = [Number(f"n_{dtype.name}", dtype) for dtype in ALL]
    program = ir.program(step, parameters=parameters, frame=results, results=results)
    _, interpreted = interpret(program, {}, values)
    _, computed = host_kernel(program).run([values[each.name] for each in parameters])
    for x, ours, theirs in zip(formulas, interpreted, computed, strict=True):
        assert ours.dtype == theirs.dtype == ir.of_type(x)
        assert bits_of(ours) == bits_of(theirs), (x, ours, theirs)
