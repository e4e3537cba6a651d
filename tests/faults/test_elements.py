"""Rows 16 to 21: unsupported element types, numbers that a dtype cannot hold, and extreme sizes."""

import numpy as np
import pytest

import accel
from accel import xp
from accel.dtypes import as_dtype
from accel.errors import BoundsError, DTypeError, OverlapError
from accel.layout import Layout
from accel.memory import HostStorage
from accel.views import NDBuffer

pytestmark = pytest.mark.usefixtures("no_leaks")

ARRAYS = {
    "object": np.array([1, None, 3], object),
    "datetime64": np.array([1, 2, 3], "M8[s]"),
    "timedelta64": np.array([1, 2, 3], "m8[ns]"),
    "str": np.array(["1", "2", "3"]),
    "bytes": np.array([b"1", b"2", b"3"]),
    "void": np.zeros(3, "V4"),
    "structure": np.zeros(3, [("field", "f4")]),
    "long double": np.zeros(3, np.longdouble),
}
TAKEN = {
    "container": accel.container,
    "container that looks": accel.from_numpy,
    "container from DLPack": accel.from_dlpack,
    "storage": HostStorage,
    "buffer that looks": NDBuffer,
    "array": xp.asarray,
    "copied array": lambda values: xp.asarray(values, copy=True),
    "dtype": lambda values: accel.empty(3, values.dtype),
    "dtype of an array": lambda values: xp.empty(3, dtype=values.dtype),
}
WRITTEN = {
    "container": lambda c, values: c.from_numpy(values),
    "buffer": lambda c, values: NDBuffer(c).from_numpy(values),
    "tensor": lambda c, values: c.view(Layout(3)).__setitem__(slice(None), values),
    "fill": lambda c, values: c.fill(values[1]),
    "fill of a buffer": lambda c, values: NDBuffer(c).fill(values[1]),
    "fill of a tensor": lambda c, values: c.view(Layout(3)).fill(values[1]),
}


class TestTypes:
    @pytest.mark.parametrize("values", ARRAYS.values(), ids=ARRAYS)
    def test_that_memory_cannot_have_are_refused_by_whatever_takes_an_array(self, device, values):
        for take in TAKEN.values():
            with pytest.raises(DTypeError, match=r"Supported dtypes: bool, int8, .*bfloat16"):
                take(values)

    @pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
    def test_that_memory_cannot_have_are_not_written(self, device, write):
        c = accel.full(3, 5, "float32")
        for values in ARRAYS.values():
            with pytest.raises(DTypeError, match=r"float32|Supported dtypes"):
                write(c, values)
        assert c.to_numpy().tolist() == [5, 5, 5]

    @pytest.mark.parametrize("dtype", ["bool", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "complex64"])
    def test_that_memory_can_have_go_everywhere(self, device, dtype):
        values = (np.arange(6) % 2).astype(as_dtype(dtype))
        t = accel.container(values).view(Layout((2, 3), (3, 1)))
        other = accel.zeros(6, dtype).view(Layout((2, 3)))
        other.copy_from(t)
        for result in (other.copy().to_numpy(), NDBuffer(other.storage).to_numpy().reshape(3, 2).T):
            assert (result.dtype, result.tobytes()) == (values.dtype, values.tobytes())
        array = xp.reshape(xp.asarray(other), (6,)).to_device("cpu")
        assert np.asarray(array).tobytes() == values.tobytes()

    def test_with_bytes_in_the_other_order_are_refused_with_what_to_write(self, device):
        values = np.arange(3).astype(np.dtype("float32").newbyteorder())
        c = accel.full(3, 5, "float32")
        for take in TAKEN.values():
            with pytest.raises(DTypeError, match=r"newbyteorder\('='\)"):
                take(values)
        for name in ("container", "buffer", "tensor"):
            with pytest.raises(DTypeError, match=r"newbyteorder\('='\)"):
                WRITTEN[name](c, values)
        assert c.to_numpy().tolist() == [5, 5, 5]


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("number", [float("nan"), 1e20, 0.5, 2**31, -(2**31) - 1, 10**30, 1j])
def test_a_number_that_the_dtype_cannot_hold_is_not_written(device, write, number):
    c = accel.full(3, 5, "int32")
    with pytest.raises((DTypeError, OverflowError)):
        write(c, np.array([1, number, 2]))
    assert c.to_numpy().tolist() == [5, 5, 5]


SIZES = {
    "overflows": 1 << 62,
    "of more than an address": 1 << 64,
    "negative": -1,
    "boolean": True,
    "real": 2.0,
}
SIZED = {
    "container": accel.zeros,
    "array": xp.zeros,
    "array of two axes": lambda size: xp.zeros((2, size)),
    "buffer": lambda size: NDBuffer(accel.zeros(4), (size,)),
    "buffer of two axes": lambda size: NDBuffer(accel.zeros(4), (2, size)),
    "tensor": lambda size: accel.zeros(4).view(Layout((size,))),
    "reshaped array": lambda size: xp.reshape(xp.zeros(4), (size, 3)),
}


class TestSizes:
    @pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
    @pytest.mark.parametrize("make", SIZED.values(), ids=SIZED)
    def test_that_nothing_has_are_refused(self, device, make, size):
        with pytest.raises((ValueError, TypeError, BoundsError)):
            make(size)

    @pytest.mark.parametrize("integer", [np.int8, np.uint64, np.int64])
    def test_may_be_integers_of_numpy(self, device, integer):
        two = integer(2)
        c = accel.zeros(two)
        assert (c.size, xp.zeros((two, two)).shape) == (2, (2, 2))
        assert NDBuffer(c, (two,), (integer(1),), offset=integer(0)).dynamic_shape == (2,)
        assert c.view(Layout(two, integer(1)), integer(0)).shape == (2,)


NOTHING = {
    "tensor": lambda c: c.view(Layout((3, 0), (1, 1))),
    "tensor past the end": lambda c: c.view(Layout(0), 4),
    "slice": lambda c: c.view(Layout((2, 2)))[1:1, :],
    "buffer": lambda c: NDBuffer(c, (0, 3)),
    "buffer with steps": lambda c: NDBuffer(c, (3, 0), (-5, 9)),
    "container": lambda c: accel.zeros(0, "float32"),
}


@pytest.mark.parametrize("make", NOTHING.values(), ids=NOTHING)
def test_of_nothing_nothing_is_copied(device, make):
    c = accel.full(4, 5, "float32")
    view = make(c)
    view.fill(7)
    view.copy_from(make(c))
    assert (view.to_numpy().size, xp.reshape(xp.asarray(view), (-1, 2)).shape) == (0, (0, 2))
    assert xp.asarray(view).to_device("sim:1").to_device("cpu").size == 0
    if hasattr(view, "copy_from_async"):
        with accel.new_stream() as stream:
            transfer = view.copy_from_async(make(c), stream=stream)
        transfer.wait()
        assert transfer.nbytes == 0
    assert c.to_numpy().tolist() == [5, 5, 5, 5]


class TestMoreElementsThan32BitsCount:
    """Without memory: every row is the same one."""

    SIZE = 2**31 + 5

    def test_are_seen_from_both_ends(self, device):
        c = accel.container([1, 2], "uint8")
        t, b = c.view(Layout((self.SIZE, 2), (0, 1))), NDBuffer(c, (self.SIZE, 2), (0, 1))
        assert (t.size, b.size, xp.asarray(t).size) == (2 * self.SIZE,) * 3
        assert t[self.SIZE - 2 :, :].to_numpy().tolist() == [[1, 2], [1, 2]]
        assert b.tile((3, 2), (self.SIZE // 3, 0)).to_numpy().tolist() == [[1, 2]] * (self.SIZE % 3)
        assert np.asarray(xp.asarray(t)[-1, :].to_device("cpu")).tolist() == [1, 2]

    def test_are_refused_as_targets_before_anything_is_written(self, device):
        c = accel.container([1, 2], "uint8")
        t, b = c.view(Layout((self.SIZE, 2), (0, 1))), NDBuffer(c, (self.SIZE, 2), (0, 1))
        with accel.new_stream() as stream:
            for write in (t.fill, b.fill, lambda _: t.copy_from(t), lambda _: t.copy_from_async(t, stream=stream)):
                with pytest.raises(OverlapError, match="twice"):
                    write(0)
        assert c.to_numpy().tolist() == [1, 2]

    def test_are_not_where_there_is_one(self, device):
        with pytest.raises(BoundsError, match=f"{self.SIZE - 1} .*required.* 1 available"):
            accel.zeros(1, "uint8").view(Layout(self.SIZE))
