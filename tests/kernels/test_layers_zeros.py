"""The smaller and the larger of two zeros: each layer orders them by their signs, so that no order of work shows."""

import itertools

import numpy as np
import pytest

import accel
from accel import BufferView
from accel.dtypes import as_dtype
from accel.ir import Assign, Binary, Frame, Local, Number, Once
from accel.kernels import accumulator, atomic_max, atomic_min, kernel

from ..backends import short_ir
from ..gpu_code.programs import run_text
from .test_layers_functions import by_host, by_interpreter

FLOATS = [as_dtype(name) for name in ("float16", "bfloat16", "float32", "float64")]
PAIRS = list(itertools.product((0.0, -0.0), repeat=2))


def program_of(dtype):
    """Return a program with both extremes of each pair of zeros, and the numbers for its parameters."""
    parameters, statements, results, numbers = [], [], [], []
    for (n, pair), op in itertools.product(enumerate(PAIRS), ("min", "max")):
        names = [Number(f"{side}_{op}_{n}", dtype) for side in "xy"]
        parameters += names
        numbers += [dtype.type(each) for each in pair]
        results.append(Local(f"{op}_{n}", dtype))
        statements.append(Assign(results[-1], Binary(op, *(Local(each.name, dtype) for each in names), dtype)))
    step = Once(tuple(statements), Frame((), tuple(results)))
    return short_ir.program(step, parameters=parameters, frame=tuple(results), results=tuple(results)), numbers


@pytest.mark.parametrize("layer", [by_interpreter, by_host, run_text])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_negative_zero_is_less_than_a_positive_one(layer, dtype):
    program, numbers = program_of(dtype)
    _, results = layer(program, numbers)
    signs = [bool(np.signbit(np.float64(each))) for each in results]
    negative = [[bool(np.signbit(each)) for each in pair] for pair in PAIRS]
    assert signs == [end for pair in negative for end in (any(pair), all(pair))]


@kernel
def _reduced(v: BufferView, changed: BufferView):
    low = accumulator(v.dtype, 0)
    high = accumulator(v.dtype, -0.0)
    for i in range(v.size):
        low = min(low, v[i])
        high = max(high, v[i])
    for i in range(v.size):
        atomic_min(changed, 0, v[i])
        atomic_max(changed, 1, v[i])
    return low, high


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("zeros", [[0.0, -0.0], [-0.0, 0.0]])
def test_reductions_and_atomics_find_it_in_any_order(device, name, zeros):
    v, changed = (accel.container(np.array(each, name), device=device) for each in (zeros, [0.0, -0.0]))
    found = [*_reduced(v[:], changed[:]), *changed.to_numpy()]
    assert np.signbit(found).tolist() == [True, False, True, False]
