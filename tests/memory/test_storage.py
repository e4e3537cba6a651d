"""Storages: constructors, elements, text, and all invalid input."""

import copy
import ctypes
import io

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import Device, DeviceStorage, HostStorage, Ownership
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
from accel.memory import copy_elements, snapshot

from ..tables import rows

pytestmark = pytest.mark.usefixtures("no_leaks")

DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "bfloat16", "float8_e5m2"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_stored_is_loaded(dtype):
    storage = HostStorage(10, dtype)
    values = np.ones(10).astype(storage.dtype)
    storage.store(0, values)
    assert np.array_equal(storage.load(0, 10), values)
    assert type(storage[3]) is storage.dtype.type
    assert storage.load(3) == storage[3] == storage[-7] == values[3]


def test_the_empty_storage_is_managed_and_counted():
    storage = HostStorage()
    assert (storage.size, len(storage), storage.nbytes, storage.pointer) == (0, 0, 0, 0)
    assert (storage.ref_count, storage.is_refcounted, storage.ownership) == (1, True, Ownership.MANAGED)
    assert storage.dtype == np.float64
    assert storage.device is Device.CPU


def test_managed_memory_is_aligned_and_of_the_size_asked_for():
    storage = HostStorage(1000, "float32")
    assert storage.pointer % 64 == 0
    assert (storage.size, storage.nbytes, storage.readonly) == (1000, 4000, False)
    assert storage.offset(0) == storage.pointer
    assert storage.offset(1000) == storage.pointer + 4000


def test_text_is_that_of_the_reference_system():
    storage = HostStorage(3, "int32")
    assert str(storage) == "HostStorage(managed, size=3, refcount=1)"
    shared = storage.share()
    assert str(storage) == "HostStorage(managed, size=3, refcount=2)"
    shared.release()
    assert str(shared) == "HostStorage(released, size=3)"
    assert str(HostStorage(np.zeros(4))) == "HostStorage(external, size=4)"
    file = io.StringIO()
    storage.write_to(file)
    assert file.getvalue() == str(storage)
    assert repr(storage) == "<HostStorage(managed, size=3, refcount=1) of int32>"


def test_a_pointer_is_looked_at_or_copied():
    memory = (ctypes.c_double * 4)(1, 2, 3, 4)
    address = ctypes.addressof(memory)
    looking = HostStorage(address, 4, dtype="float64")
    clone = HostStorage(address, 4, "float64", copy=True)
    memory[0] = 9.0
    assert looking[0] == 9.0
    assert clone[0] == 1.0
    looking[1] = 7.0
    assert memory[1] == 7.0
    assert (looking.ownership, looking.ref_count, looking.is_refcounted) == (Ownership.EXTERNAL, 0, False)
    assert (clone.ownership, clone.ref_count) == (Ownership.MANAGED, 1)
    assert looking.pointer == address


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_is_looked_at_in_c_order_only(order):
    array = np.arange(6.0).reshape(2, 3, order=order)
    if order == "C":
        assert HostStorage(array)[5] == 5.0
    else:
        with pytest.raises(LayoutError, match="ascontiguousarray"):
            HostStorage(array)


@pytest.mark.parametrize(
    "array",
    [np.arange(9.0)[::2], np.arange(9.0)[::-1], np.broadcast_to(1.0, (3,)), np.zeros((3, 3))[:, :2]],
    ids=["strided", "reversed", "broadcast", "window"],
)
def test_arrays_that_do_not_lie_in_order_are_refused(array):
    with pytest.raises(LayoutError, match=r"copy=True"):
        HostStorage(array)


def test_a_misaligned_array_is_refused():
    array = np.zeros(17, np.uint8)[1:].view(np.float64)
    with pytest.raises(LayoutError, match="aligned"):
        HostStorage(array)


def test_external_memory_stays_alive_and_keeps_its_pointer():
    storage = HostStorage(np.arange(1000.0))
    assert storage[999] == 999.0
    assert storage.pointer == storage.array.ctypes.data


def test_external_memory_cannot_be_shared_but_copied_by_handle():
    array = np.arange(3.0)
    storage = HostStorage(array)
    with pytest.raises(RuntimeError, match="Cannot share externally managed data"):
        storage.share()
    other = copy.copy(storage)
    storage.release()
    other[0] = 5.0
    assert array[0] == 5.0
    assert other.ref_count == 0


def test_deep_copies_are_managed_whatever_the_source():
    source = HostStorage(np.arange(3.0))
    for result in (source.deep_copy(), source.copy(), copy.deepcopy(source)):
        assert (result.ownership, result.ref_count, result[2]) == (Ownership.MANAGED, 1, 2.0)
        result[2] = 7.0
        assert source[2] == 2.0


def test_copy_counts_like_share():
    storage = HostStorage(3)
    shared, clone = storage.share(), copy.copy(storage)
    assert storage.ref_count == shared.ref_count == clone.ref_count == 3
    shared.release()
    del clone
    assert storage.ref_count == 1


class TestReadOnly:
    @pytest.fixture
    def storage(self):
        array = np.arange(3.0)
        array.flags.writeable = False
        return HostStorage(array)

    def test_is_said_and_read(self, storage):
        assert storage.readonly
        assert storage[1] == 1.0

    def test_is_not_written(self, storage):
        for write in (lambda: storage.__setitem__(0, 9.0), lambda: storage.store(0, [9.0])):
            with pytest.raises(ReadOnlyError, match="deep_copy"):
                write()
        assert storage[0] == 0.0

    def test_holds_for_exports_and_not_for_copies(self, storage):
        assert not np.asarray(storage).flags.writeable
        assert storage.memoryview().readonly
        assert not storage.deep_copy().readonly

    def test_can_be_asked_for(self):
        memory = (ctypes.c_int * 2)()
        storage = HostStorage(ctypes.addressof(memory), 2, dtype="int32", readonly=True)
        with pytest.raises(ReadOnlyError):
            storage[0] = 1


class TestBadInput:
    @pytest.mark.parametrize("size", [-1, True, np.True_, 2**60, 2**63, 10**30])
    def test_sizes_that_are_no_sizes(self, size):
        with pytest.raises(ValueError, match=r"size|overflow"):
            HostStorage(size, "float64")

    @pytest.mark.parametrize("size", [1.0, "3", None, (2, 3), [4]])
    def test_sizes_that_are_not_whole_numbers(self, size):
        with pytest.raises(TypeError, match="whole number"):
            HostStorage(size, "float64")

    def test_a_tuple_is_told_where_arrays_are_made(self):
        with pytest.raises(TypeError, match=r"accel\.xp\.zeros"):
            HostStorage((2, 3))

    def test_numpy_integers_are_sizes(self):
        assert HostStorage(np.uint8(5)).size == 5

    def test_more_memory_than_there_is(self):
        before = snapshot().live_bytes
        with pytest.raises(OutOfMemoryError, match=str(2**58)):
            HostStorage(2**55, "float64")
        assert snapshot().live_bytes == before

    @pytest.mark.parametrize("dtype", ["U3", "S", object, "datetime64[s]", "timedelta64", "V8", "i4,f4", "f16"])
    def test_dtypes_that_are_not_numbers(self, dtype):
        with pytest.raises(DTypeError, match="float32"):
            HostStorage(3, dtype)

    @pytest.mark.parametrize("dtype", [None, "float33", {}, [], [("a", "i4")]])
    def test_what_is_no_dtype(self, dtype):
        with pytest.raises(DTypeError, match="dtype"):
            HostStorage(3, dtype)

    def test_the_other_byte_order(self):
        with pytest.raises(DTypeError, match="newbyteorder"):
            HostStorage(np.zeros(3, ">f4"))

    def test_null_and_misaligned_pointers(self):
        with pytest.raises(ValueError, match="null"):
            HostStorage(0, 3, dtype="float32")
        with pytest.raises(ValueError, match="multiple of 4"):
            HostStorage(4097, 3, dtype="float32")
        for size_taken_for_an_address in (-8, 1000):
            with pytest.raises(ValueError, match=r"no address.*write accel\.xp\.zeros"):
                HostStorage(size_taken_for_an_address, 64)
        with pytest.raises(ValueError, match="boolean"):
            HostStorage(True, 3)
        with pytest.raises(TypeError, match="address"):
            HostStorage("here", 3)

    @pytest.mark.parametrize("index", [3, -4, 100, 2**70, np.int64(3)])
    def test_indices_out_of_range(self, index):
        storage = HostStorage(3)
        storage.store(0, [1, 2, 3])
        with pytest.raises(BoundsError, match=r"axis 0.*\[-3, 3\)"):
            storage[index]
        with pytest.raises(BoundsError, match="3 elements"):
            storage[index] = 9
        assert list(storage.load(0, 3)) == [1, 2, 3]

    @pytest.mark.parametrize("index", [1.0, "1", None])
    def test_indices_that_are_not_numbers(self, index):
        with pytest.raises(TypeError, match="index"):
            HostStorage(3)[index]

    @pytest.mark.parametrize(("start", "width"), [(3, 1), (0, 4), (2, 2), (-1, 1), (2**70, 1)])
    def test_ranges_out_of_bounds(self, start, width):
        storage = HostStorage(3)
        storage.store(0, [1, 2, 3])
        with pytest.raises(BoundsError, match="start"):
            storage.load(start, width)
        with pytest.raises(BoundsError, match="start"):
            storage.store(start, [7] * width)
        assert list(storage.load(0, 3)) == [1, 2, 3]

    @pytest.mark.parametrize("offset", [-1, 4])
    def test_offsets_out_of_bounds(self, offset):
        with pytest.raises(BoundsError, match=r"\[0, 3\]"):
            HostStorage(3).offset(offset)


class TestValues:
    """What a dtype can hold is stored; what it cannot is refused and nothing is written."""

    @pytest.mark.parametrize(
        ("dtype", "value"),
        [("int32", 1.5), ("int32", 1.0), ("int32", np.nan), ("float32", 1j), ("bool", 1), ("int8", "a"), ("f8", None)],
    )
    def test_of_a_higher_kind(self, dtype, value):
        storage = HostStorage(2, dtype)
        with pytest.raises(DTypeError, match=storage.dtype.name):
            storage[0] = value

    @pytest.mark.parametrize(
        ("dtype", "value"),
        [("int8", 128), ("uint8", -1), ("int64", 2**63), ("int64", 10**30), ("float32", 1e300), ("float16", 1e6)],
    )
    def test_out_of_range(self, dtype, value):
        with pytest.raises(OverflowError, match="out of range"):
            HostStorage(2, dtype)[0] = value

    def test_one_bad_value_among_many_writes_nothing(self):
        storage = HostStorage(3, "int8")
        storage.store(0, [1, 2, 3])
        with pytest.raises(OverflowError):
            storage.store(0, [4, 5, 600])
        assert list(storage.load(0, 3)) == [1, 2, 3]

    def test_digits_may_be_rounded_and_special_values_kept(self):
        storage = HostStorage(3, "float32")
        storage.store(0, [0.1, np.inf, np.nan])
        assert storage[0] == np.float32(0.1)
        assert np.isinf(storage[1])
        assert np.isnan(storage[2])

    @given(st.integers(-(2**70), 2**70))
    def test_integers_are_exact_or_refused(self, value):
        storage = HostStorage(1, "int32")
        if -(2**31) <= value < 2**31:
            storage[0] = value
            assert storage[0] == value
        else:
            with pytest.raises(OverflowError):
                storage[0] = value


class TestReleased:
    USES = (
        lambda s: s[0],
        lambda s: s.__setitem__(0, 1),
        lambda s: s.load(0),
        lambda s: s.store(0, [1]),
        lambda s: s.offset(0),
        lambda s: s.pointer,
        lambda s: s.share(),
        copy.copy,
        lambda s: s.deep_copy(),
        lambda s: s.keep_alive(),
        lambda s: s.ref_count,
        lambda s: s.is_refcounted,
        lambda s: s.ownership,
        lambda s: s.readonly,
        np.asarray,
        lambda s: s.memoryview(),
        lambda s: s.device,
    )

    @rows("use", USES)
    def test_every_use_is_refused(self, use):
        storage = HostStorage(3)
        storage.release()
        with pytest.raises(ReleasedError, match=r"size=3.*was released"):
            use(storage)

    def test_releasing_again_is_harmless(self):
        storage = HostStorage(3)
        shared = storage.share()
        for _ in range(3):
            storage.release()
        assert shared.ref_count == 1

    def test_what_it_was_is_still_known(self):
        storage = HostStorage(3, "float32")
        storage.release()
        assert (storage.size, storage.nbytes, storage.dtype, storage.released) == (3, 12, np.float32, True)

    def test_debug_tells_where(self):
        storage = HostStorage(3)
        container = accel.zeros(3)
        entered = accel.zeros(3)
        with accel.debug():
            storage.release()
            container.release()
            with entered:
                pass
        here = r"was released at \S+test_storage\.py:\d+ in test_debug_tells_where"
        for released in (storage, container, entered):
            with pytest.raises(ReleasedError, match=here):
                released[0]

    @pytest.mark.parametrize(("variable", "value"), [("ACCEL_DEBUG", "maybe"), ("ACCEL_THREADS", "abc")])
    def test_a_wrong_setting_keeps_nobody_from_releasing(self, python, variable, value):
        code = """
            import accel
            c = accel.AcceleratorDataContainer(1000)
            c.release()
            print(accel.memory.snapshot().live_bytes)
        """
        assert python(code, **{variable: value}) == "0"

    def test_leaving_a_with_releases(self):
        with HostStorage(3) as storage:
            assert storage.ref_count == 1
        assert storage.released


def test_bfloat16_is_exported_but_not_as_a_buffer():
    storage = HostStorage(2, "bfloat16")
    storage.store(0, np.array([1, 2], ml_dtypes.bfloat16))
    assert np.asarray(storage).dtype == ml_dtypes.bfloat16
    with pytest.raises(DTypeError, match="bfloat16"):
        storage.memoryview()


@pytest.mark.usefixtures("toy")
class TestDeviceStorage:
    def test_counts_like_host_memory(self):
        storage = DeviceStorage(5, "sim", "float32")
        shared = storage.share()
        assert (storage.ref_count, len(storage), storage.nbytes) == (2, 5, 20)
        assert storage.device is Device.SIM
        assert str(shared) == "DeviceStorage(managed, size=5, refcount=2)"

    def test_takes_over_a_buffer(self):
        storage = DeviceStorage(bytearray(range(20)), 5, "sim", "float32")
        assert storage.ownership is Ownership.MANAGED
        assert storage.get_buffer() == bytearray(range(20))
        shared = storage.share()
        storage.release()
        assert shared.get_buffer()[0] == 0

    def test_takes_a_buffer_for_one_also_if_it_could_be_a_number(self):
        class Buffer(bytearray):
            def __index__(self):  # as arrays of NumPy and CuPy have
                raise TypeError("only integer scalar arrays can be converted to a scalar index")

        for how in ({"dtype": "float32", "device": "sim"}, {"device": "sim"}):
            storage = DeviceStorage(Buffer(40), 5, **how)
            assert storage.size == 5
            assert type(storage.get_buffer()) is Buffer

    def test_refuses_a_buffer_that_is_too_small(self):
        with pytest.raises(ValueError, match="20 bytes; the buffer has 19"):
            DeviceStorage(bytearray(19), 5, "sim", "float32")

    def test_is_not_for_the_cpu(self):
        with pytest.raises(DeviceMismatchError, match="HostStorage"):
            DeviceStorage(5, "cpu")

    def test_deep_copy_stays_on_the_device(self):
        storage = DeviceStorage(bytearray(range(20)), 20, "sim", "uint8")
        clone = storage.deep_copy()
        assert clone.device is Device.SIM
        assert bytes(clone.get_buffer()) == bytes(range(20))
        assert clone.pointer != storage.pointer

    def test_is_given_back(self, toy):
        before = toy.room
        storage = DeviceStorage(1000, "sim")
        assert toy.room == before - 8000
        storage.release()
        assert toy.room == before


class Foreign:
    """An array of another library, which has nothing of ours but the protocol."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class TestBuffersOfStorages:
    """They are managed memory: handles on them are counted with the others."""

    @pytest.mark.parametrize("last", [0, 1])
    def test_live_as_long_as_they_are_used(self, last):
        storages = [DeviceStorage(100, "sim", "uint8")]
        copy_elements(storages[0], HostStorage(np.arange(100, dtype="uint8")))
        storages.append(DeviceStorage(storages[0].get_buffer(), 100, "sim", "uint8"))
        assert [storage.ref_count for storage in storages] == [2, 2]
        assert storages[0].pointer == storages[1].pointer
        storages[1 - last].release()
        assert storages[last].ref_count == 1
        result = np.empty(100, "uint8")
        copy_elements(HostStorage(result), storages[last])
        assert result.tolist() == list(range(100))
        storages[last].release()

    def test_of_a_window_are_the_whole(self):
        whole = DeviceStorage(10, "sim", "uint8")
        part = whole.window(8, 2, whole.dtype)
        storage = DeviceStorage(part.get_buffer(), 10, "sim", "uint8")
        assert (storage.pointer, storage.ref_count) == (whole.pointer, 3)

    @pytest.mark.parametrize("first", [0, 1])
    def test_are_their_owners_also_where_others_look_at_them(self, first):
        owned = DeviceStorage(10, "sim", "uint8")
        looking = accel.from_dlpack(Foreign(accel.AcceleratorDataContainer.on(owned.share()))).storage
        assert [looking.pointer, looking.ownership] == [owned.pointer, Ownership.EXTERNAL]
        buffers = [storage.get_buffer() for storage in ((owned, looking), (looking, owned))[first]]
        with DeviceStorage(buffers[0], 10, "sim", "uint8") as storage:
            assert (storage.ownership, storage.ref_count) == (Ownership.MANAGED, owned.ref_count)
        looking.release()
        owned.release()

    def test_are_external_where_the_storage_is(self):
        with accel.zeros(10, "uint8", "sim") as c:
            looking = accel.from_dlpack(Foreign(c)).storage
            storage = DeviceStorage(looking.get_buffer(), 10, "sim", "uint8")
            looking.release()
            assert (storage.ownership, storage.ref_count) == (Ownership.EXTERNAL, 0)
        assert accel.AcceleratorDataContainer.on(storage).to_numpy().tolist() == [0] * 10  # it keeps the memory
        storage.release()

    def test_too_small_are_refused_and_no_use_stays(self):
        with DeviceStorage(10, "sim", "uint8") as storage:
            with pytest.raises(ValueError, match="need 80 bytes; the buffer has 10"):
                DeviceStorage(storage.get_buffer(), 10, "sim")
            assert storage.ref_count == 1

    def test_are_of_their_own_device(self):
        with DeviceStorage(10, "sim") as storage:
            with pytest.raises(DeviceMismatchError, match=r"memory of sim, not of sim:1; write device='sim'"):
                DeviceStorage(storage.get_buffer(), 10, "sim:1")
            assert storage.ref_count == 1

    def test_of_released_memory_are_refused(self):
        storage = DeviceStorage(10, "sim")
        buffer = storage.get_buffer()
        storage.release()
        with pytest.raises(ReleasedError):
            DeviceStorage(buffer, 10, "sim")


@pytest.mark.parametrize("device", ["cuda", "rocm:1", "mps", "gpu"])
def test_device_storage_has_no_fallback_to_hide_behind(device):
    with pytest.raises(DeviceUnavailableError, match=r"pip install|no release"):
        DeviceStorage(5, device)
    before = accel.device.fallbacks()
    with accel.using(fallback="silent"), pytest.raises(DeviceUnavailableError, match=r"pip install|no release"):
        DeviceStorage(5, device)
    assert accel.device.fallbacks() == before
