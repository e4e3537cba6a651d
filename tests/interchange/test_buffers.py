"""NumPy, Python's buffers and CUDA's array interface: views of one memory, whatever its layout."""

import sys

import numpy as np
import pytest

import accel
from accel import Device, HostStorage, xp
from accel.errors import DeviceMismatchError, DTypeError, ReleasedError
from accel.testing import use_backend

LAYOUTS = {
    "whole": np.s_[:, :],
    "row": np.s_[1],
    "column": np.s_[:, 2],
    "every other": np.s_[::2, 1::2],
    "reversed": np.s_[::-1, ::-1],
    "one": np.s_[1, 2, ...],
    "one column": np.s_[:, 3:4],
    "nothing": np.s_[3:, :],
    "new axes": np.s_[None, :, None, 1],
}
DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float64", "complex64", "bfloat16"]
BUFFERS = [memoryview] if sys.version_info >= (3, 12) else []
BUFFERS += [lambda x: x.__buffer__(0)]


def grid(dtype="float64"):
    return np.arange(12).reshape(3, 4).astype(accel.dtypes.as_dtype(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("key", LAYOUTS.values(), ids=LAYOUTS.keys())
class TestArraysAndNumpy:
    def test_share_in_both_directions(self, key, dtype):
        theirs = grid(dtype)
        x = xp.asarray(theirs)
        seen = np.asarray(x)[key]
        part = np.asarray(x[key])
        assert (part.shape, part.strides, part.dtype) == (seen.shape, seen.strides, seen.dtype)
        part[...] = 0
        assert not theirs[key].any()
        np.testing.assert_array_equal(np.asarray(xp.asarray(theirs[key])), theirs[key])

    @pytest.mark.parametrize("look", BUFFERS)
    def test_share_with_buffers(self, key, dtype, look):
        x = xp.asarray(grid(dtype))[key]
        if dtype == "bfloat16":
            with pytest.raises(DTypeError, match="bfloat16"):
                look(x)
            return
        view = look(x)
        assert (view.shape, view.strides, view.itemsize) == (x.shape, np.asarray(x).strides, x.dtype.itemsize)
        np.asarray(view)[...] = 0
        assert not np.asarray(x).any()


class TestBuffers:
    @pytest.mark.parametrize("look", BUFFERS)
    def test_of_read_only_arrays_are_read_only(self, look):
        values = np.ones(3)
        values.flags.writeable = False
        for x in (xp.asarray(values), xp.broadcast_to(xp.ones(3), (2, 3))):
            assert look(x).readonly

    @pytest.mark.parametrize("look", BUFFERS)
    def test_outlive_what_they_look_at(self, look):
        x = xp.asarray(accel.full(1000, 3.0))
        view = look(x)
        del x
        accel.zeros(1000).release()  # would get the same block if it were free
        assert set(view) == {3.0}

    @pytest.mark.parametrize("look", [*BUFFERS, np.asarray, memoryview if BUFFERS[1:] else np.asarray])
    def test_of_released_memory_are_refused(self, look):
        with accel.zeros(3) as c:
            x = xp.asarray(c)
        with pytest.raises(ReleasedError):
            look(x)

    def test_of_containers(self):
        with accel.container([1, 2, 3], "int16") as c:
            view = c.memoryview()
            view[1] = 9
            assert (view.format, view.shape, c[1]) == ("h", (3,), 9)
            assert view.cast("B").nbytes == 6
        assert view.tolist() == [1, 9, 3]
        assert HostStorage(0, "float32").memoryview().shape == (0,)
        assert np.asarray(HostStorage(3, "bfloat16")).dtype.name == "bfloat16"

    @pytest.mark.skipif(sys.version_info < (3, 12), reason="the buffer protocol of classes came with Python 3.12")
    @pytest.mark.parametrize(
        "make", [lambda: xp.asarray([1, 2, 3], dtype="int16"), lambda: accel.container([1, 2, 3], "int16")]
    )
    def test_are_what_the_standard_library_takes(self, make):
        x = make()
        assert bytes(x) == bytes([1, 0, 2, 0, 3, 0])
        assert int.from_bytes(x, "little") == 0x0003_0002_0001
        assert np.shares_memory(np.frombuffer(x, np.int16), np.asarray(x))


class TestCudaArrayInterface:
    @pytest.mark.parametrize("make", [lambda: accel.zeros(3), lambda: xp.ones(3), accel.AcceleratorDataContainer])
    def test_is_absent_elsewhere(self, make):
        assert not hasattr(make(), "__cuda_array_interface__")
        with pytest.raises(AttributeError, match="CUDA, and this is on cpu"):
            make().__cuda_array_interface__  # noqa: B018 - it raises

    def test_is_absent_on_other_accelerators(self, toy):
        assert not hasattr(accel.zeros(3, device="sim"), "__cuda_array_interface__")

    @pytest.fixture
    def cuda(self, toy, monkeypatch):
        """A device that takes itself for the first GPU."""
        monkeypatch.setattr(toy, "devices", lambda: (Device.CUDA,))
        with use_backend(toy):
            yield toy

    def test_describes_memory_of_cuda(self, cuda):
        with accel.zeros(3, "int16", device="cuda") as c:
            assert c.__cuda_array_interface__ == {
                "shape": (3,),
                "typestr": "<i2",
                "data": (c.device_ptr(), False),
                "strides": (2,),
                "version": 3,
                "stream": None,
            }

    def test_has_no_code_for_bfloat16(self, cuda):
        with pytest.raises(AttributeError, match="bfloat16"):
            accel.zeros(3, "bfloat16", device="cuda").__cuda_array_interface__  # noqa: B018 - it raises

    def test_of_released_memory_is_refused(self, cuda):
        c = accel.zeros(3, device="cuda")
        c.release()
        with pytest.raises(ReleasedError):
            c.__cuda_array_interface__  # noqa: B018 - it raises


@pytest.mark.parametrize("look", [np.asarray, np.from_dlpack, lambda c: c.memoryview(), lambda c: c.__buffer__(0)])
def test_the_host_cannot_look_at_an_accelerator(toy, look):
    with accel.zeros(3, device="sim") as c, pytest.raises((DeviceMismatchError, BufferError, RuntimeError)):
        look(c)
