"""Memory that is shared with PyTorch, by DLPack and by NumPy's protocol."""

import numpy as np
import pytest

import accel
from accel import xp

torch = pytest.importorskip("torch", reason="PyTorch is not installed; it is no dependency of the tests")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bool", "complex64"])
def test_both_use_the_same_memory(dtype):
    x = xp.zeros((2, 3), dtype=dtype)
    t = torch.from_dlpack(x)
    t[0, 1] = 1
    assert x[0, 1] == 1
    y = xp.from_dlpack(t)
    y[1, 2] = xp.ones((), dtype=dtype)
    assert x[1, 2] == 1
    assert str(t.dtype) == f"torch.{dtype}"


def test_tensors_become_arrays_and_back():
    t = torch.arange(6.0).reshape(2, 3)
    x = xp.asarray(t)
    assert type(x) is xp.Array
    np.testing.assert_array_equal(np.asarray(x), t.numpy())
    np.testing.assert_array_equal(torch.asarray(x).numpy(), t.numpy())
    np.testing.assert_array_equal(torch.tensor(np.asarray(x)).numpy(), t.numpy())


def test_strided_views_are_shared():
    x = xp.reshape(xp.arange(24.0), (4, 6))[::2, 1:4]
    assert torch.from_dlpack(x).tolist() == np.asarray(x).tolist()


def test_negative_strides_are_no_crash():
    x = xp.arange(4.0)[::-1]
    try:
        values = torch.from_dlpack(x).tolist()
    except (BufferError, ValueError):
        return  # refused
    assert values == [3.0, 2.0, 1.0, 0.0]


def test_a_device_array_is_read_with_host_copies_only():
    x = xp.ones(3, device="sim")
    with pytest.raises((BufferError, ImportError, RuntimeError)):  # torch has no such device
        torch.from_dlpack(x)
    with accel.using(host_copies="allow"):
        assert torch.from_dlpack(x).tolist() == [1.0, 1.0, 1.0]
