"""Containers: every member of the reference system, on the host and on a second address space."""

import copy
import io

import numpy as np
import pytest

import accel
from accel import AcceleratorDataContainer, Device, DeviceStorage, HostStorage, Ownership
from accel.errors import (
    BoundsError,
    DeviceMismatchError,
    DeviceUnavailableError,
    DTypeError,
    LayoutError,
    OutOfMemoryError,
    ReadOnlyError,
    ReleasedError,
)
from accel.memory import snapshot

pytestmark = pytest.mark.usefixtures("toy", "no_leaks")

DEVICES = ["cpu", "sim", "sim:1"]


class TestMaking:
    def test_by_size(self):
        c = AcceleratorDataContainer(5)
        assert (c.size, len(c), c.nbytes, c.dtype, c.device) == (5, 5, 40, np.float64, Device.CPU)
        assert (c.ownership, c.ref_count, c.readonly) == (Ownership.MANAGED, 1, False)

    def test_by_size_dtype_and_device(self):
        for c in (AcceleratorDataContainer(5, "int16", "sim"), AcceleratorDataContainer(5, device="sim", dtype="i2")):
            assert (c.size, c.nbytes, c.device) == (5, 10, Device.SIM)
            assert isinstance(c.storage, DeviceStorage)

    def test_without_a_size_it_is_empty(self):
        c = AcceleratorDataContainer()
        assert (c.size, c.nbytes, c.ref_count, c.host_storage, c.device_storage) == (0, 0, 0, None, None)
        assert c.to_numpy().shape == np.asarray(c).shape == (0,)
        assert (str(c), c.device, c.dtype) == ("AcceleratorDataContainer(cpu, empty)", Device.CPU, np.float64)
        assert (c.pointer, c.is_cpu, c.is_gpu) == (0, True, False)
        for made in (c.deep_copy(), c.copy(), copy.copy(c), c.to("sim")):
            assert made.size == 0
        c.release()

    def test_without_a_size_it_has_no_dtype_to_choose(self):
        with pytest.raises(ValueError, match="write size=0 for one of int8"):
            AcceleratorDataContainer(dtype="int8")
        assert AcceleratorDataContainer(0, "int8").dtype == np.int8

    @pytest.mark.parametrize("arguments", [(5,), (np.zeros(1).ctypes.data, 1, "float64")])
    def test_an_argument_that_there_is_not_is_one_of_the_container(self, arguments):
        with pytest.raises(TypeError, match=r"^AcceleratorDataContainer\(\) got an unexpected keyword argument 'foo'"):
            AcceleratorDataContainer(*arguments, foo=3)

    def test_an_empty_one_cannot_be_shared(self):
        with pytest.raises(RuntimeError, match="empty"):
            AcceleratorDataContainer().share()

    @pytest.mark.parametrize("device", DEVICES)
    def test_by_the_functions(self, device):
        assert accel.zeros(3, "int8", device).to_numpy().tolist() == [0, 0, 0]
        assert accel.zeros(2, "bool", device).to_numpy().tolist() == [False, False]
        assert accel.full(2, 7.5, device=device).to_numpy().tolist() == [7.5, 7.5]
        assert accel.empty(4, "bool", device).size == 4
        c = accel.container([[1, 2], [3, 4]], "float32", device)
        assert (c.device, c.dtype, c.to_numpy().tolist()) == (Device(device), np.float32, [1, 2, 3, 4])

    def test_of_values_only(self):
        assert accel.container(2.5).to_numpy().tolist() == [2.5]
        assert accel.container(np.array(3)).size == 1
        assert accel.container([]).size == 0
        assert accel.container(np.arange(6).reshape(2, 3).T).to_numpy().tolist() == [0, 3, 1, 4, 2, 5]
        for size in (5, True):
            with pytest.raises(TypeError, match=r"accel\.empty"):
                accel.container(size)

    @pytest.mark.parametrize("values", [["a"], [None], object(), np.array("2020", "M8[Y]"), [[1], [2, 3]]])
    def test_of_values_that_are_no_numbers(self, values):
        with pytest.raises((DTypeError, ValueError)):
            accel.container(values)

    def test_of_values_the_dtype_cannot_hold(self):
        with pytest.raises(OverflowError):
            accel.container([1, 300], "uint8")
        with pytest.raises(DTypeError):
            accel.container([1.5], "int32")

    def test_on_numpy_memory(self):
        array = np.arange(6.0).reshape(2, 3)
        c = accel.from_numpy(array)
        c[4] = 9.0
        assert array[1, 1] == 9.0
        assert accel.from_numpy(array, copy=True).ownership is Ownership.MANAGED
        assert accel.from_numpy(array.T, copy=True).to_numpy().tolist() == array.T.ravel().tolist()
        with pytest.raises(LayoutError, match="copy=True"):
            accel.from_numpy(array.T)
        with pytest.raises(TypeError, match=r"accel\.container"):
            accel.from_numpy([1, 2])

    def test_where_the_default_is(self):
        with accel.using(device="sim"):
            assert accel.empty(1).device is Device.SIM
            assert AcceleratorDataContainer(1).device is Device.CPU  # its signature says so
        with Device.SIM[1]:
            assert accel.container([1]).device is Device.SIM[1]
        assert accel.empty(1).device is Device.CPU

    @pytest.mark.parametrize("make", [accel.empty, accel.zeros, AcceleratorDataContainer])
    @pytest.mark.parametrize(
        ("size", "error", "words"),
        [
            (-1, ValueError, "0 or more"),
            (True, ValueError, "boolean"),
            (2.0, TypeError, "whole number"),
            ((2, 3), TypeError, "accel.xp.zeros"),
            (2**62, ValueError, "overflow"),
            (2**56, OutOfMemoryError, "asked for"),
        ],
    )
    def test_sizes_that_are_none(self, make, size, error, words):
        before = snapshot().live_bytes
        with pytest.raises(error, match=words):
            make(size, "float64")
        assert snapshot().live_bytes == before

    @pytest.mark.parametrize("device", ["mycpu", "", "cuda:", "cuda:-1", "cuda:abc", "cpu:1", "GPU"])
    def test_devices_that_do_not_exist(self, device):
        with pytest.raises(ValueError, match="names no device"):
            accel.empty(3, device=device)

    @pytest.mark.parametrize("device", ["cuda", "cuda:99", "rocm", "mps", "gpu", "sim:7"])
    def test_devices_that_are_not_here(self, device):
        with pytest.raises(DeviceUnavailableError) as caught:
            accel.empty(3, device=device)
        text = str(caught.value)
        assert text.startswith(f"device {Device(device) if device != 'gpu' else device} was asked for")
        assert "the devices here are: cpu, sim, sim:1" in text
        assert ("Write one of these, as in device='sim" if device == "sim:7" else "To add it: ") in text

    def test_or_the_cpu_if_that_is_the_policy(self):
        with accel.using(fallback="silent"):
            assert accel.empty(3, device="cuda:1").device is Device.CPU
        with accel.using(fallback="warn"), pytest.warns(accel.device.FallbackWarning, match="cuda:1"):
            assert accel.empty(3, device="cuda:1").device is Device.CPU

    @pytest.mark.parametrize(
        "ask",
        [
            lambda: accel.empty(3, device="cuda"),
            lambda: accel.zeros(3, device="cuda"),
            lambda: accel.full(3, 1, device="cuda"),
            lambda: accel.container([1.0], device="cuda"),
            lambda: AcceleratorDataContainer(3, device="cuda"),
            lambda: accel.xp.zeros(3, device="cuda"),
            lambda: accel.zeros(3).to("cuda"),
            lambda: accel.new_stream("cuda").close(),
        ],
    )
    def test_a_warning_points_at_the_users_line_however_deep_it_arises(self, ask):
        with accel.using(fallback="warn"), pytest.warns(accel.device.FallbackWarning) as warned:
            ask()
        assert (warned[0].filename, warned[0].lineno) == (__file__, ask.__code__.co_firstlineno)


@pytest.mark.parametrize(
    "make",
    [
        accel.empty,
        accel.zeros,
        lambda size: accel.full(size, 1),
        AcceleratorDataContainer,
        HostStorage,
        accel.memory.pinned,
        lambda size: DeviceStorage(size, "sim"),
        lambda size: accel.container([0.0] * size),
    ],
)
def test_there_is_one_default_dtype_and_it_is_that_of_arrays(make):
    assert make(3).dtype == accel.xp.zeros(3).dtype == np.float64
    assert AcceleratorDataContainer().dtype == HostStorage().dtype == np.float64


def test_size_and_dtype_and_device_stand_where_numpy_users_write_them():
    for made in (
        AcceleratorDataContainer(2, "int8", "sim"),
        accel.zeros(2, "int8", "sim"),
        accel.empty(2, "int8", "sim"),
        accel.full(2, 0, "int8", "sim"),
        accel.container([0, 0], "int8", "sim"),
    ):
        assert (made.size, made.dtype, made.device) == (2, np.int8, Device.SIM)


class TestSides:
    def test_of_the_host(self):
        c = accel.container([1.0, 2.0])
        for each in (c, c.storage, c.device):
            assert [each.is_cpu, each.is_gpu, each.is_cuda, each.is_rocm, each.is_mps] == [True] + [False] * 4
        assert c.storage is c.host_storage
        assert c.device_storage is None
        assert c.host_ptr() == c.unsafe_ptr() == c.offset(0) == c.pointer == c.storage.pointer
        assert c.offset(2) == c.host_ptr() + 16
        buffer = c.host_buffer()
        assert (type(buffer), c.ref_count) == (HostStorage, 2)
        buffer[0] = 5.0
        assert c[0] == 5.0

    def test_of_a_device(self):
        c = accel.container([1.0, 2.0], device="sim")
        for each in (c, c.storage, c.device):
            assert [each.is_cpu, each.is_gpu, each.is_cuda, each.is_rocm, each.is_mps] == [False, True] + [False] * 3
        assert c.storage is c.device_storage
        assert c.host_storage is None
        assert c.device_ptr() == c.unsafe_ptr() == c.pointer == c.storage.pointer
        buffer = c.device_buffer()
        assert (type(buffer), c.ref_count) == (DeviceStorage, 2)

    @pytest.mark.parametrize(
        "use",
        [
            lambda c: c[0],
            lambda c: c.__setitem__(0, 1),
            lambda c: c.load(0),
            lambda c: c.store(0, [1]),
            lambda c: c.offset(0),
            lambda c: c.host_ptr(),
            lambda c: c.host_buffer(),
            lambda c: c.memoryview(),
            np.asarray,
        ],
    )
    def test_what_the_host_alone_has(self, use):
        with pytest.raises(DeviceMismatchError, match=r"on sim: .*to\('cpu'\).*to_numpy"):
            use(accel.container([1.0], device="sim"))

    @pytest.mark.parametrize("use", [lambda c: c.device_ptr(), lambda c: c.device_buffer()])
    def test_what_a_device_alone_has(self, use):
        with pytest.raises(DeviceMismatchError, match=r"on cpu: .*to\('sim'\)"):
            use(accel.container([1.0]))

    def test_text(self):
        assert str(accel.zeros(3)) == "AcceleratorDataContainer(cpu, HostStorage(managed, size=3, refcount=1))"
        c = accel.zeros(3, device="sim")
        assert (str(c), repr(c)) == (
            "AcceleratorDataContainer(sim, size=3)",
            "AcceleratorDataContainer([0., 0., 0.], size=3, dtype=float64, device=sim)",
        )
        file = io.StringIO()
        c.write_to(file)
        assert file.getvalue() == str(c)
        c.release()
        assert "released" in str(c)
        assert repr(c) == "AcceleratorDataContainer(released, size=3, dtype=float64)"

    @pytest.mark.parametrize("device", ["cpu", "sim"])
    def test_many_elements_are_abbreviated(self, device):
        c = accel.container(np.arange(1000, 3000, dtype="int32"), device=device)
        before = accel.xp.host_copies()
        assert repr(c) == (
            f"AcceleratorDataContainer([1000, 1001, 1002, ..., 2997, 2998, 2999], size=2000, "
            f"dtype=int32, device={device})"
        )
        assert (accel.xp.host_copies() - before).copies == 0  # nobody was given a copy

    def test_text_of_none(self):
        for c in (accel.AcceleratorDataContainer(), accel.zeros(0)):
            assert repr(c) == "AcceleratorDataContainer([], size=0, dtype=float64, device=cpu)"


class TestElements:
    def test_are_checked(self):
        c = accel.container([1, 2, 3])
        assert (c[0], c[-1], c.load(1), list(c.load(0, 3)), list(c)) == (1, 3, 2, [1, 2, 3], [1, 2, 3])
        c[1] = 7
        c.store(1, [8, 9])
        assert list(c) == [1, 8, 9]
        for index in (3, -4):
            with pytest.raises(BoundsError, match=r"index .* axis 0"):
                c[index]
        with pytest.raises(BoundsError, match="leave"):
            c.load(2, 2)

    def test_loads_are_copies(self):
        c = accel.container([1, 2, 3])
        c.load(0, 3)[0] = 99
        assert c[0] == 1


class TestHandles:
    @pytest.mark.parametrize("device", DEVICES)
    def test_share_and_copy_count(self, device):
        c = accel.container([1, 2, 3], device=device)
        shared, copied = c.share(), copy.copy(c)
        assert (c.ref_count, shared.unsafe_ptr(), copied.unsafe_ptr()) == (3, c.unsafe_ptr(), c.unsafe_ptr())
        shared.fill(7)
        shared.release()
        assert (c.ref_count, c.to_numpy().tolist()) == (2, [7, 7, 7])

    @pytest.mark.parametrize("device", DEVICES)
    def test_deep_copies_are_independent(self, device):
        c = accel.container([1, 2, 3], device=device)
        for made in (c.deep_copy(), c.copy(), copy.deepcopy(c)):
            assert (made.ref_count, made.device) == (1, c.device)
            made.fill(0)
            assert c.to_numpy().tolist() == [1, 2, 3]

    @pytest.mark.parametrize("device", DEVICES)
    def test_release_ends_every_use(self, device):
        c = accel.container([1, 2, 3], device=device)
        c.release()
        c.release()
        for use in (c.to_numpy, c.share, c.deep_copy, c.unsafe_ptr, lambda: c.to("cpu"), lambda: c.fill(0)):
            with pytest.raises(ReleasedError):
                use()
        assert (c.size, c.dtype) == (3, np.int64)

    def test_with_releases(self):
        with accel.zeros(3) as c:
            pass
        with pytest.raises(ReleasedError):
            c[0]


class TestMoving:
    @pytest.mark.parametrize("source", DEVICES)
    @pytest.mark.parametrize("target", DEVICES)
    def test_between_any_two(self, source, target):
        c = accel.container(np.arange(1000), device=source)
        moved = c.to(target)
        assert moved.device is Device(target)
        assert np.array_equal(moved.to_numpy(), np.arange(1000))
        assert (moved.unsafe_ptr() == c.unsafe_ptr()) == (source == target)

    def test_between_two_backends_passes_through_the_host(self, monkeypatch):
        from accel.memory import heap_of

        other = type(heap_of(Device.SIM).backend)()
        monkeypatch.setattr(heap_of(Device.SIM[1]), "backend", other)
        c = accel.container(np.arange(1000), device="sim")
        assert np.array_equal(c.to("sim:1").to_numpy(), np.arange(1000))

    def test_same_device_shares_unless_told(self):
        c = accel.container([1, 2, 3])
        assert c.to("cpu").unsafe_ptr() == c.unsafe_ptr()
        assert c.to("cpu", copy=False).unsafe_ptr() == c.unsafe_ptr()
        assert c.to("cpu", copy=True).unsafe_ptr() != c.unsafe_ptr()
        external = accel.from_numpy(np.arange(3))
        assert external.to("cpu").unsafe_ptr() == external.unsafe_ptr()

    def test_never_copy_to_another_device(self):
        with pytest.raises(ValueError, match="copy=None"):
            accel.zeros(3).to("sim", copy=False)

    def test_of_nothing(self):
        assert accel.zeros(0).to("sim").to("cpu").size == 0

    @pytest.mark.parametrize("source", DEVICES)
    @pytest.mark.parametrize("target", DEVICES)
    def test_copy_from(self, source, target):
        into = accel.zeros(3, "int64", target)
        into.copy_from(accel.container([1, 2, 3], device=source))
        assert into.to_numpy().tolist() == [1, 2, 3]

    def test_copy_from_itself(self):
        c = accel.container([1, 2, 3])
        c.copy_from(c.share())
        assert list(c) == [1, 2, 3]

    @pytest.mark.parametrize("other", [np.zeros(3), None, [1, 2, 3]])
    def test_copy_from_what_is_no_container(self, other):
        with pytest.raises(TypeError, match=r"found \w+: write c\[:\] = x"):
            accel.zeros(3).copy_from(other)

    @pytest.mark.parametrize("made", [AcceleratorDataContainer, lambda: accel.empty(0)])
    def test_copy_from_what_was_released_also_if_there_is_nothing_to_copy(self, made):
        released = accel.empty(0)
        released.release()
        with pytest.raises(ReleasedError):
            made().copy_from(released)

    def test_to_nowhere(self):
        with pytest.raises(TypeError, match=r"write c.to\(Device.default\(\)\)"):
            accel.zeros(3).to(None)

    def test_from_numpy_in_the_other_byte_order(self):
        with pytest.raises(DTypeError, match=r"byte order .*: write .*newbyteorder"):
            accel.zeros(1).from_numpy(np.zeros(1, ">f8"))

    def test_copies_that_do_not_fit(self):
        c = accel.zeros(3)
        with pytest.raises(ValueError, match="4 elements cannot be copied into 3"):
            c.copy_from(accel.zeros(4))
        with pytest.raises(DTypeError, match="float32 elements cannot be copied into float64"):
            c.copy_from(accel.zeros(3, "float32"))
        with pytest.raises(DTypeError, match=r"astype\('float64'\)"):
            c.from_numpy(np.arange(3))
        with pytest.raises(ValueError, match="2 elements"):
            c.from_numpy(np.zeros(2))

    @pytest.mark.parametrize("device", DEVICES)
    def test_from_numpy_takes_c_order(self, device):
        c = accel.zeros(6, "int64", device)
        c.from_numpy(np.arange(6).reshape(2, 3).T)
        assert c.to_numpy().tolist() == [0, 3, 1, 4, 2, 5]

    @pytest.mark.parametrize("device", DEVICES)
    def test_to_numpy_is_a_copy(self, device):
        c = accel.container([1, 2, 3], device=device)
        c.to_numpy()[0] = 99
        assert c.to_numpy()[0] == 1

    def test_asarray_shares(self):
        c = accel.container([1, 2, 3])
        np.asarray(c)[0] = 99
        assert c[0] == 99
        assert np.asarray(c, dtype="float32").dtype == np.float32
        assert not np.shares_memory(np.array(c, copy=True), np.asarray(c))
        with pytest.raises(ValueError, match="copy"):
            np.array(c, dtype="float32", copy=False)
        assert c.memoryview()[1] == 2

    @pytest.mark.parametrize("device", DEVICES)
    def test_fill_takes_what_the_dtype_holds(self, device):
        c = accel.zeros(3, "uint8", device)
        c.fill(255)
        for value, error in ((256, OverflowError), (1.5, DTypeError), ([1, 2, 3], ValueError)):
            with pytest.raises(error):
                c.fill(value)
        assert c.to_numpy().tolist() == [255] * 3

    def test_what_is_no_stream_is_refused(self):
        with pytest.raises(TypeError, match=r"accel\.new_stream\('cpu'\)"):
            accel.zeros(3).to("cpu", copy=True, stream=object())
        with pytest.raises(TypeError, match=r"accel\.new_stream\('cpu'\)"):
            accel.zeros(3).to("cpu", stream=5)

    def test_read_only_memory_is_not_written(self):
        array = np.arange(3)
        array.flags.writeable = False
        c = accel.from_numpy(array)
        assert c.readonly
        for write in (
            lambda: c.fill(9),
            lambda: c.copy_from(accel.container([7, 8, 9])),
            lambda: c.from_numpy(np.array([7, 8, 9])),
            lambda: c.__setitem__(0, 9),
            lambda: c.store(0, [9]),
        ):
            with pytest.raises(ReadOnlyError, match="read-only"):
                write()
        assert array.tolist() == [0, 1, 2]


def test_a_failing_copy_leaves_nothing(toy, monkeypatch):
    before = snapshot().live_blocks
    c = accel.container([1, 2, 3])

    def fails(*arguments, **keywords):
        raise accel.errors.DeviceLostError("the driver gave up")

    monkeypatch.setattr(toy, "copy", fails)
    with pytest.raises(accel.errors.DeviceLostError):
        c.to("sim")
    with pytest.raises(accel.errors.DeviceLostError):
        accel.container([1, 2, 3], device="sim")
    c.release()
    assert snapshot().live_blocks == before
