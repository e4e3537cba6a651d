"""Creation of arrays: which inputs are taken, shared, copied or refused."""

import array

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DeviceMismatchError, DeviceUnavailableError, DTypeError, ReadOnlyError

FUNCTIONS = {
    "arange": lambda **how: xp.arange(3, **how),
    "empty": lambda **how: xp.empty(3, **how),
    "eye": lambda **how: xp.eye(3, **how),
    "full": lambda **how: xp.full(3, 1, **how),
    "linspace": lambda **how: xp.linspace(0, 1, 3, **how),
    "ones": lambda **how: xp.ones(3, **how),
    "zeros": lambda **how: xp.zeros(3, **how),
    "asarray": lambda **how: xp.asarray([1, 2, 3], **how),
    "fftfreq": lambda **how: xp.fft.fftfreq(3, **how),
    "rfftfreq": lambda **how: xp.fft.rfftfreq(3, **how),
    "empty_like": lambda **how: xp.empty_like(xp.ones(3), **how),
    "full_like": lambda **how: xp.full_like(xp.ones(3), 1, **how),
    "ones_like": lambda **how: xp.ones_like(xp.ones(3), **how),
    "zeros_like": lambda **how: xp.zeros_like(xp.ones(3), **how),
    "astype": lambda dtype="int8", **how: xp.astype(xp.ones(3), dtype, **how),
}


@pytest.mark.parametrize("make", FUNCTIONS.values(), ids=FUNCTIONS)
class TestEveryFunction:
    @pytest.mark.parametrize("dtype", [np.float32, "float32", np.dtype("float32"), accel.dtypes.f32], ids=str)
    def test_takes_every_spelling_of_a_dtype(self, make, dtype):
        assert make(dtype=dtype).dtype == np.float32

    @pytest.mark.parametrize("dtype", [object, "U3", "datetime64[s]", ">f4", "no dtype"], ids=str)
    def test_refuses_what_is_no_number(self, make, dtype):
        with pytest.raises(DTypeError, match="cannot be the dtype of memory"):
            make(dtype=dtype)

    @pytest.mark.parametrize("device", ["cpu", "cpu:0", xp.Device.CPU, None], ids=str)
    def test_takes_every_spelling_of_a_device(self, make, device):
        assert make(device=device).device is xp.Device.CPU

    def test_refuses_a_device_that_is_not_here(self, make):
        with pytest.raises(DeviceUnavailableError, match="cuda:77 was asked for"):
            make(device="cuda:77")
        with pytest.raises(ValueError, match="names no device"):
            make(device="fast")


class TestAsarray:
    @pytest.mark.parametrize(
        ("values", "dtype", "shape"),
        [
            (True, "bool", ()),
            (3, "int64", ()),
            (1.5, "float64", ()),
            (2j, "complex128", ()),
            ([], "float64", (0,)),
            ([[1, 2], [3, 4]], "int64", (2, 2)),
            ((1, 2.5), "float64", (2,)),
            (range(3), "int64", (3,)),
            (np.float32(2), "float32", ()),
            (array.array("h", [1, 2]), "int16", (2,)),
            (memoryview(b"abc"), "uint8", (3,)),
            ([xp.asarray(1), xp.asarray(2)], "int64", (2,)),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_takes(self, values, dtype, shape):
        x = xp.asarray(values)
        assert (x.dtype, x.shape, x.ndim, x.size) == (np.dtype(dtype), shape, len(shape), int(np.prod(shape)))

    def test_shares_an_array_of_numpy(self):
        values = np.zeros((2, 3)).T
        x = xp.asarray(values)
        x[0, 1] = 5
        assert values[0, 1] == 5
        assert xp.asarray(values, copy=False)[0, 1] == 5

    @pytest.mark.parametrize("how", [{"copy": True}, {"dtype": "float32"}, {"dtype": "float64", "copy": True}])
    def test_copies_if_it_must(self, how):
        values = np.zeros(3)
        for source in (values, xp.asarray(values), accel.from_numpy(values)):
            x = xp.asarray(source, **how)
            x[0] = 5
            assert x[0] == 5
        assert (values == 0).all()

    def test_an_array_is_itself(self):
        x = xp.zeros(3)
        assert xp.asarray(x) is x
        assert xp.asarray(x, dtype="float64", device="cpu", copy=False) is x

    @pytest.mark.parametrize(
        ("values", "how"),
        [([1, 2], {}), (3, {}), (np.ones(3), {"dtype": "float32"}), (xp.ones(3), {"dtype": "int8"})],
        ids=str,
    )
    def test_does_not_copy_if_told_so(self, values, how):
        with pytest.raises(ValueError, match="copy"):
            xp.asarray(values, copy=False, **how)

    @pytest.mark.parametrize("values", [None, "abc", b"abc", [None], {}, object, np.ones(2, ">f8")], ids=str)
    def test_refuses_what_is_no_number(self, values):
        with pytest.raises(DTypeError, match=r"numbers or booleans as elements|cannot be the dtype of memory"):
            xp.asarray(values)

    @pytest.mark.parametrize(("values", "dtype"), [(300, "int8"), (-1, "uint8"), (2**64, None), (-(2**63) - 1, None)])
    def test_refuses_numbers_out_of_range(self, values, dtype):
        with pytest.raises(OverflowError, match=str(values)):
            xp.asarray(values, dtype=dtype)

    @pytest.mark.parametrize("values", [2j, [2j], np.asarray(2j), xp.asarray(2j)], ids=str)
    def test_refuses_to_drop_an_imaginary_part(self, values):
        with pytest.raises(TypeError):
            xp.asarray(values, dtype="float64")

    def test_keeps_read_only_memory_so(self):
        values = np.ones(3)
        values.flags.writeable = False
        with pytest.raises(ReadOnlyError):
            xp.asarray(values)[0] = 2
        xp.asarray(values, copy=True)[0] = 2


class TestAstype:
    def test_copies_unless_told_otherwise(self):
        x = xp.zeros(3)
        assert xp.astype(x, "float64", copy=False) is x
        xp.astype(x, "float64")[0] = 1
        assert x[0] == 0

    def test_truth_of_complex_numbers(self):
        assert xp.astype(xp.asarray(2j), xp.bool)

    @pytest.mark.parametrize("dtype", ["float64", "int8", "float16", "bfloat16"])
    def test_refuses_to_drop_an_imaginary_part(self, dtype):
        with pytest.raises(DTypeError, match=r"write xp\.real\(x\)"):
            xp.astype(xp.asarray(2j), dtype)

    def test_ml_dtypes(self):
        x = xp.astype(xp.asarray([1.0, 2.5]), "bfloat16")
        assert (x.dtype.name, x.nbytes) == ("bfloat16", 4)
        assert float(xp.astype(x + x, "float32")[1]) == 5


class TestFromDlpack:
    def test_shares(self):
        values = np.zeros(3)
        x = xp.from_dlpack(values)
        x[1] = 5
        assert values[1] == 5

    def test_copies_if_told_so(self):
        values = np.zeros(3)
        xp.from_dlpack(values, copy=True)[1] = 5
        assert values[1] == 0

    def test_takes_an_array_of_ours(self):
        x = xp.zeros(3)
        assert xp.from_dlpack(x) is x
        assert xp.from_dlpack(x, copy=True) is not x

    def test_takes_a_producer_that_knows_no_keywords(self):
        class Old:
            def __dlpack__(self, stream=None):
                return np.arange(3).__dlpack__()

            def __dlpack_device__(self):
                return 1, 0

        assert int(xp.sum(xp.from_dlpack(Old()))) == 3

    def test_refuses_another_device(self):
        with pytest.raises(DeviceUnavailableError):
            xp.from_dlpack(np.ones(3), device="cuda:77")


@pytest.mark.parametrize("mode", ["never", "allow"])
@pytest.mark.parametrize("copy", [None, True])
def test_nested_sequences_of_a_devices_arrays_and_numbers_become_one_array_there(device, copy, mode):
    x = xp.asarray([[1.5, 2.5], [3.5, 4.5]], device=device)
    before = xp.host_copies()
    with accel.using(host_copies=mode, device="cpu"):
        rows = xp.asarray([x[0, :], x[1, :]], copy=copy)
        elements = xp.asarray([[x[0, 0], 2.5], (x[1, 0], x[1, 1])], copy=copy)
        narrow = xp.asarray([x[1, :], [7, 8]], copy=copy, dtype="float32")
    for result in (rows, elements):
        assert result.device == device
        assert xp.all(result == x)
    assert xp.all(narrow == xp.asarray([[3.5, 4.5], [7, 8]], dtype="float32", device=device))
    assert (narrow.device, narrow.dtype) == (device, xp.float32)
    assert xp.asarray([x, x], device="cpu").device is xp.Device.CPU
    assert (xp.host_copies() - before).copies == 0


def test_a_nested_sequence_may_begin_with_a_number(device):
    x = xp.asarray([1.5, 2.5], device=device)
    assert xp.all(xp.asarray([0, x[1]]) == xp.asarray([0, 2.5], device=device))


def test_a_nested_sequence_of_arrays_is_refused_without_a_copy_or_on_two_devices():
    x = xp.zeros(2, device="sim")
    with pytest.raises(ValueError, match="only by a copy"):
        xp.asarray([x, x], copy=False)
    with pytest.raises(DeviceMismatchError, match=r"obj\[1\] of shape \(2,\) on cpu"):
        xp.asarray([x, xp.zeros(2)])
    with pytest.raises(ValueError, match="same shape"):
        xp.asarray([x, x[0]])


def test_scalars_of_numpy_are_ends_and_steps_of_ranges(device):
    steps = xp.arange(np.float64(1), np.int64(4), np.float32(0.5), device=device)
    assert xp.all(steps == xp.arange(1.0, 4, 0.5, device=device))
    even = xp.linspace(np.float32(1), np.float64(2), 5, device=device)
    assert xp.all(even == xp.linspace(1, 2, 5, device=device))


@pytest.mark.parametrize("name", ["empty", "full", "ones", "zeros"])
def test_arrays_like_others_take_the_keywords_of_numpy(name, device):
    values = [7] if name == "full" else []
    x = xp.ones((2, 3), dtype="int32", device=device)
    result = getattr(xp, f"{name}_like")(x, *values, "float32", "F", False, (4,))
    expected = getattr(np, f"{name}_like")(np.ones((2, 3), "int32"), *values, "float32", "F", False, (4,))
    assert (result.shape, result.dtype, result.device) == (expected.shape, expected.dtype, device)
    if name != "empty":
        assert result.tolist() == expected.tolist()
    with pytest.raises(ValueError, match=r"order='Z' is no order of elements; write one of"):
        getattr(xp, f"{name}_like")(x, *values, order="Z")
