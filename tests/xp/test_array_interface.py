"""``__array_interface__``: the memory of arrays on the host."""

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DeviceMismatchError, ReleasedError


class Interface:
    """What has the interface of an array, and nothing else."""

    def __init__(self, x):
        self.x = x
        self.__array_interface__ = x.__array_interface__


@pytest.mark.parametrize(
    "view", [lambda x: x, lambda x: x.T, lambda x: x[::-1, ::2], lambda x: x[1, 2], lambda x: x[:0]]
)
def test_it_describes_the_elements(view):
    x = view(xp.reshape(xp.arange(12.0), (3, 4)))
    values = np.asarray(Interface(x))
    np.testing.assert_array_equal(values, x.to_numpy())
    if values.size:
        values[...] = 7
        assert (x == 7).all()


def test_it_is_read_only_where_the_array_is():
    values = np.zeros(3)
    values.flags.writeable = False
    assert not np.asarray(Interface(xp.asarray(values))).flags.writeable


def test_it_is_an_attribute_of_the_host_alone(device):
    x = xp.ones(3, device=device)
    assert hasattr(x, "__array_interface__") == (device is accel.Device.CPU)


def test_dtypes_that_it_cannot_name_are_left_to_other_protocols():
    x = xp.ones(3, dtype=accel.dtypes.as_dtype("bfloat16"))
    assert not hasattr(x, "__array_interface__")
    assert np.asarray(x).dtype == x.dtype


def test_released_memory_is_refused():
    x = xp.ones(3)
    x.storage.release()
    with pytest.raises(ReleasedError):
        _ = x.__array_interface__
    with pytest.raises(ReleasedError):
        np.asarray(x)


def test_numpy_gets_the_storage_of_the_array():
    x = xp.ones((2, 3))
    assert xp.asarray(np.asarray(x)).storage is x.storage
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype="float32", copy=False)


def test_errors_of_other_devices_say_what_to_write():
    x = xp.ones(3, device="sim")
    with pytest.raises(AttributeError, match="and this is on sim"):
        _ = x.__array_interface__
    with pytest.raises(DeviceMismatchError, match=r"x\.to_device\('cpu'\)"):
        np.asarray(x)
