"""Arrow's capsules of arrays, as pyarrow and nanoarrow read them."""

import nanoarrow
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ArrowInvalid, ArrowNotImplementedError

import accel
from accel import xp
from accel.errors import DeviceMismatchError, DTypeError, LayoutError, ReleasedError

from ..tables import rows

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32"]
VALUES = np.asarray([1, 0, 1, 1, 0, 0, 1, 0, 1])


@rows("dtype", DTYPES)
def test_the_elements_are_those_of_the_array(dtype):
    values = VALUES.astype(dtype)
    for part in (slice(None), slice(2, 7), slice(None, None, 2), slice(None, None, -1), slice(0, 0)):
        x = xp.asarray(values)[part]
        assert nanoarrow.Array(x).to_pylist() == values[part].tolist()
        assert pa.array(x).equals(pa.array(values[part]))
        assert str(pa.array(x).type) == str(pa.array(values).type)


def test_contiguous_memory_is_shared_and_kept_alive():
    x = xp.arange(4.0)
    for column in (pa.array(x), nanoarrow.Array(x)):
        x[0] = 7.0
        assert column.to_pylist() == [7.0, 1.0, 2.0, 3.0]
        x[0] = 0.0
    del x
    assert column.to_pylist()[1:] == [1.0, 2.0, 3.0]


def test_pyarrow_refuses_a_mask_instead_of_ignoring_it():
    with pytest.raises(ValueError, match="mask"):
        pa.array(xp.arange(3), mask=np.asarray([True, False, False]))


@rows("x", [xp.ones((2, 2)), xp.asarray(1.0)], ids=repr)
def test_other_axes_than_one_are_refused(x):
    with pytest.raises(LayoutError, match=r"have one axis, and this array has shape .*; write x\.reshape\(-1\)"):
        x.__arrow_c_array__()
    with pytest.raises(ArrowInvalid, match="1-dimensional"):
        pa.array(x)


@rows("dtype", ["complex64", "bfloat16"])
def test_dtypes_without_a_type_in_arrow_are_refused(dtype):
    x = xp.ones(2, dtype=dtype)
    with pytest.raises(DTypeError, match="Arrow has no type"):
        x.__arrow_c_array__()
    with pytest.raises(ArrowNotImplementedError):
        pa.array(x)


def test_released_memory_is_refused():
    x = xp.ones(3)
    x.storage.release()
    for use in (pa.array, xp.Array.__arrow_c_array__):
        with pytest.raises(ReleasedError):
            use(x)


@pytest.mark.parametrize("use", [pa.array, nanoarrow.Array])
def test_other_devices_follow_host_copies(use):
    x = xp.ones(3, device="sim")
    for refused in (pa.array, xp.Array.__arrow_c_array__):
        with pytest.raises(DeviceMismatchError, match=r"rrow cannot read it there; write x\.to_device\('cpu'\)"):
            refused(x)
    before = xp.host_copies()
    with accel.using(host_copies="allow"):
        assert use(x).to_pylist() == [1.0, 1.0, 1.0]
    assert (xp.host_copies() - before).copies == 1
