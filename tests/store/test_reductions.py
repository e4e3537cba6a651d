"""Reductions combine values as NumPy's functions do, and their identity changes nothing."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from accel import xp
from accel.dtypes import as_dtype, supported
from accel.errors import DTypeError, StoreValueError
from accel.store import ADD, AND, MAX, MIN, MUL, OR, XOR, ReductionOp

OPS = pytest.mark.parametrize("op", ReductionOp)
INTEGERS = ["bool", "int8", "uint8", "int64", "uint64"]
NUMPYS = {
    ADD: np.add,
    MUL: np.multiply,
    MIN: np.minimum,
    MAX: np.maximum,
    AND: np.bitwise_and,
    OR: np.bitwise_or,
    XOR: np.bitwise_xor,
}


@OPS
@pytest.mark.parametrize("dtype", supported(), ids=str)
class TestAReduction:
    def test_is_there_for_the_types_that_legate_has(self, op, dtype):
        integral = dtype.name.startswith(("bool", "int", "uint"))
        real = not integral and dtype.kind != "c"
        assert op.takes(dtype) == (integral or op in (ADD, MUL) or (real and op in (MIN, MAX)))

    def test_keeps_any_value_combined_with_the_identity(self, op, dtype):
        if not op.takes(dtype):
            with pytest.raises(StoreValueError, match=f"no {op.name} of {dtype.name}; its reductions are ADD, MUL"):
                op.identity(dtype)
            return
        identity, values = op.identity(dtype), np.array([0, 1, 100]).astype(dtype)
        assert identity.dtype == dtype
        from_values, from_identity = values.copy(), np.full_like(values, identity)
        op.combine(from_values, np.full_like(values, identity))
        op.combine(from_identity, values)
        assert (from_values == values).all()
        assert (from_identity == values).all()


@given(st.data())
@OPS
@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "complex128"])
def test_values_are_combined_as_by_numpy(op, dtype, data):
    if not op.takes(dtype):
        return
    target, values = (data.draw(npst.arrays(dtype, 3)) for _ in range(2))
    with np.errstate(all="ignore"):
        expected = NUMPYS[op](target, values)
        op.combine(target, values)
    assert target.dtype == dtype
    np.testing.assert_array_equal(target, expected)


@OPS
def test_an_operator_is_one_object(op):
    assert op is ReductionOp[op.name]
    assert pickle.loads(pickle.dumps(op)) is copy.deepcopy(op) is op


def test_python_numbers_and_broadcast_values_are_combined_too():
    target = np.ones((2, 3), "float32")
    ADD.combine(target, 1)
    ADD.combine(target, [1, 2, 3])
    assert target.tolist() == [[3, 4, 5]] * 2


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_arrays_of_any_device_are_combined_in_place(device):
    target, values = xp.asarray([1.0, 5.0], device=device), xp.asarray([3.0, 4.0], device=device)
    ADD.combine(target, values)
    assert xp.all(target == xp.asarray([4.0, 9.0], device=device))
    MIN.combine(target, values)
    assert xp.all(target == values)


def test_values_of_another_dtype_are_refused():
    target = np.ones(2, "float32")
    with pytest.raises(StoreValueError, match="found int64 for float32"):
        ADD.combine(target, np.ones(2, "int64"))
    with pytest.raises(DTypeError, match="complex128"):
        ADD.combine(target, 1j)
    with pytest.raises(OverflowError, match="300 is out of range"):
        MAX.combine(np.ones(2, "uint8"), 300)
    assert target.tolist() == [1, 1]


@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "complex64"])
def test_bits_are_those_of_integers(dtype):
    for op in (AND, OR, XOR):
        with pytest.raises(StoreValueError, match=f"no {op.name}"):
            op.combine(np.ones(2, as_dtype(dtype)), 1)
