"""Stores on memory of the user: read-only memory is never written, and a deleter runs once, after the last use."""

import gc

import numpy as np
import pytest

from accel import DeviceStorage, HostStorage, container
from accel.device import Device
from accel.errors import (
    DeviceMismatchError,
    DeviceUnavailableError,
    ReadOnlyError,
    ReleasedError,
    StoreIndexError,
    StoreValueError,
)
from accel.memory import copy_elements
from accel.store import ExternalAllocation, StoreTarget, create_store
from accel.testing import use_backend
from tests.conftest import ToyBackend

pytestmark = pytest.mark.usefixtures("no_leaks")
sysmem = ExternalAllocation.create_sysmem
fbmem = ExternalAllocation.create_fbmem


@pytest.fixture(params=["cpu", "sim"])
def memory(request):
    """Memory of 16 bytes of another library, and a function that makes an allocation of it."""
    if request.param == "cpu":
        array = np.arange(4, dtype="float32")
        yield lambda **options: sysmem(array.ctypes.data, array.nbytes, **options)
    else:
        with DeviceStorage(4, "sim", "float32") as storage:
            yield lambda **options: fbmem("sim", storage.pointer, storage.nbytes, **options)


class TestADeleter:
    @pytest.fixture
    def calls(self):
        return []

    def test_runs_once_when_the_store_is_detached(self, memory, calls):
        allocation = memory(read_only=False, deleter=lambda: calls.append("freed"))
        store = create_store("float32", (4,), allocation=allocation)
        store.fill(7.0)
        assert not calls
        store.detach()
        assert calls == ["freed"]
        del store, allocation
        gc.collect()
        assert calls == ["freed"]

    def test_runs_when_the_store_is_gone(self, memory, calls):
        allocation = memory(deleter=lambda: calls.append("freed"))
        store = create_store("float32", (4,), allocation=allocation)
        part = store.slice(0, slice(1, 2)).promote(0, 2)
        del store
        gc.collect()
        assert not calls
        del part
        gc.collect()
        assert calls == ["freed"]
        assert allocation.size == 16

    def test_runs_when_no_store_was_attached(self, memory, calls):
        allocation = memory(deleter=lambda: calls.append("freed"))
        assert not calls
        del allocation
        gc.collect()
        assert calls == ["freed"]

    def test_runs_after_the_last_of_several_stores(self, memory, calls):
        allocation = memory(deleter=lambda: calls.append("freed"))
        one, other = (create_store("float32", (4,), allocation=allocation) for _ in range(2))
        one.detach()
        assert not calls
        other.detach()
        assert calls == ["freed"]

    def test_makes_the_allocation_useless(self, memory, calls):
        allocation = memory(deleter=lambda: calls.append("freed"))
        create_store("float32", (4,), allocation=allocation).detach()
        with pytest.raises(ReleasedError, match="has run"):
            create_store("float32", (4,), allocation=allocation)
        assert calls == ["freed"]

    def test_that_raises_does_so_where_the_store_is_detached(self, memory, calls):
        def fail():
            calls.append("freed")
            raise ZeroDivisionError("in the deleter")

        store = create_store("float32", (4,), allocation=memory(deleter=fail))
        with pytest.raises(ZeroDivisionError, match="in the deleter"):
            store.detach()
        del store
        gc.collect()
        assert calls == ["freed"]

    def test_that_raises_in_a_finaliser_is_reported(self, memory, monkeypatch):
        def fail():
            raise ZeroDivisionError("in the deleter")

        reported = []
        monkeypatch.setattr("sys.unraisablehook", lambda report: reported.append(report.exc_value))
        store = create_store("float32", (4,), allocation=memory(deleter=fail))
        del store
        gc.collect()
        assert [type(each) for each in reported] == [ZeroDivisionError]

    def test_runs_after_the_last_array_on_the_memory(self, calls):
        values = np.arange(4, dtype="float32")
        store = create_store("float32", (4,), allocation=sysmem(values, deleter=lambda: calls.append("freed")))
        array = np.asarray(store.get_physical_store())
        store.detach()
        assert not calls
        assert array.tolist() == [0, 1, 2, 3]
        del array
        gc.collect()
        assert calls == ["freed"]

    def test_of_memory_that_is_refused_does_not_run(self, calls):
        array = np.zeros(16, "uint8")
        with DeviceStorage(4, "sim", "float32") as storage:
            for make in (
                lambda **options: sysmem(array, 17, **options),
                lambda **options: sysmem(0, 16, **options),
                lambda **options: sysmem(array.ctypes.data, -1, **options),
                lambda **options: fbmem("sim", 0, 16, **options),
                lambda **options: fbmem("sim", storage.pointer, 1 << 40, **options),
                lambda **options: fbmem("sim", storage.get_buffer(), 17, **options),
            ):
                with pytest.raises(ValueError, match=r"null|bytes|a size is 0 or more"):
                    make(deleter=lambda: calls.append("freed"))
        gc.collect()
        assert not calls

    def test_is_called_without_arguments(self, memory):
        with pytest.raises(TypeError, match="deleter"):
            memory(deleter="free")


class TestMemoryOfTheHost:
    @pytest.mark.parametrize("make", [np.asarray, bytearray, memoryview, HostStorage, container])
    def test_may_be_any_buffer(self, make):
        buffer = make(np.arange(4, dtype="uint8"))
        allocation = sysmem(buffer, read_only=False)
        assert (allocation.size, allocation.target, allocation.read_only) == (4, StoreTarget.SYSMEM, False)
        store = create_store("uint8", (2, 2), allocation=allocation)
        store.fill(9)
        store.detach()
        assert np.asarray(buffer).tolist() == [9, 9, 9, 9]

    def test_may_be_a_part_of_a_buffer(self):
        array = np.arange(8, dtype="int16")
        allocation = sysmem(array, 6)
        assert (allocation.size, allocation.ptr) == (6, array.ctypes.data)
        assert np.asarray(create_store("int16", (3,), allocation=allocation).get_physical_store()).tolist() == [0, 1, 2]

    def test_is_not_written_if_it_is_read_only(self, memory):
        store = create_store("float32", (4,), allocation=memory())
        with pytest.raises(ReadOnlyError):
            store.fill(1.0)
        store.detach()

    def test_of_a_read_only_buffer_is_attached_read_only(self):
        assert sysmem(b"1234").read_only
        with pytest.raises(ReadOnlyError, match="write read_only=True"):
            sysmem(b"1234", read_only=False)

    def test_may_be_attached_again_if_it_has_no_deleter(self):
        allocation = sysmem(np.arange(4, dtype="int8"))
        for _ in range(2):
            store = create_store("int8", (4,), allocation=allocation)
            assert np.asarray(store.get_physical_store()).tolist() == [0, 1, 2, 3]
            store.detach()

    @pytest.mark.parametrize("null", [0, None, np.int64(0)])
    def test_is_not_at_the_null_pointer(self, null):
        with pytest.raises(StoreValueError, match="the pointer is null"):
            sysmem(null, 4)

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ((5,), TypeError, "number of bytes as size"),
            ((5, 4), ValueError, "no address of memory"),
            (("text",), TypeError, "found str"),
            ((object(),), TypeError, "found object"),
            ((np.arange(8)[::2],), StoreValueError, "ascontiguousarray"),
            ((np.ones((2, 3)).T,), StoreValueError, "ascontiguousarray"),
            ((memoryview(b"abcd")[::2],), StoreValueError, "cannot be attached"),
            ((b"abcd", 5), StoreValueError, "5 bytes are asked for; the memory has 4"),
        ],
    )
    def test_is_contiguous_and_at_an_address(self, arguments, error, message):
        with pytest.raises(error, match=message):
            sysmem(*arguments)

    def test_is_not_that_of_a_device(self):
        with DeviceStorage(4, "sim") as storage, pytest.raises(DeviceMismatchError, match="memory on sim"):
            sysmem(storage.pointer, 4)

    def test_has_room_for_the_store_at_an_address_that_fits_its_type(self):
        allocation = sysmem(np.zeros(8, "uint8"))
        with pytest.raises(StoreValueError, match="need 12 bytes"):
            create_store("int32", (3,), allocation=allocation)
        with pytest.raises(StoreValueError, match="needs a shape"):
            create_store("int32", allocation=allocation)
        with pytest.raises(StoreValueError, match="12 bytes are asked for"):
            allocation.storage("int32", 3)
        with pytest.raises(ValueError, match="misaligned"):
            sysmem(np.zeros(8, "uint8")[1:5]).storage("int32")


class TestMemoryOfADevice:
    def test_is_written_through(self):
        with DeviceStorage(4, "sim", "float32") as storage:
            allocation = fbmem("sim", storage.pointer, 16, read_only=False)
            assert (allocation.ptr, allocation.target) == (storage.pointer, StoreTarget.FBMEM)
            assert allocation.place.device is Device.SIM
            store = create_store("float32", (2, 2), allocation=allocation)
            store.fill(3.0)
            assert np.asarray(store.get_physical_store("cpu")).tolist() == [[3, 3], [3, 3]]
            store.detach()
            copy = HostStorage(4, "float32")
            copy_elements(copy, storage)
            assert copy.load(0, 4).tolist() == [3, 3, 3, 3]

    def test_may_be_a_buffer_of_the_backend(self):
        with DeviceStorage(4, "sim", "float32") as storage:
            assert fbmem("sim", storage.get_buffer(), 8).size == 8
            with pytest.raises(StoreValueError, match="17 bytes are asked for"):
                fbmem("sim", storage.get_buffer(), 17)

    def test_is_on_a_device_that_is_here(self):
        with pytest.raises(StoreIndexError, match="there is no sim:99"):
            fbmem("sim:99", 4096, 4)
        with pytest.raises(IndexError):
            fbmem(Device("sim:99"), 4096, 4)
        with pytest.raises(StoreValueError, match="write create_sysmem"):
            fbmem("cpu", 4096, 4)
        with pytest.raises(StoreValueError, match="null"):
            fbmem("sim", 0, 4)
        with pytest.raises(ValueError, match="no simulated device has 4 bytes at"):
            fbmem("sim", 4096, 4)

    @pytest.mark.parametrize("make", [lambda: fbmem(0, 4096, 4), lambda: ExternalAllocation.create_zcmem(4096, 4)])
    def test_needs_a_gpu(self, make, monkeypatch):
        monkeypatch.setattr(Device, "why_unavailable", lambda _: "this test hides it")
        with pytest.raises(DeviceUnavailableError):
            make()
        with pytest.raises(RuntimeError):
            make()


class _Gpus(ToyBackend):
    """Two GPUs."""

    def devices(self):
        return (Device.CUDA, Device.CUDA[1])

    def why_unavailable(self):
        return {}


class TestMemoryOfAGpu:
    @pytest.fixture
    def gpus(self):
        with use_backend(_Gpus()) as backend:
            yield backend

    @pytest.mark.parametrize("number", [0, 1])
    def test_is_found_by_the_number_of_the_gpu(self, gpus, number):
        with DeviceStorage(4, f"cuda:{number}", "float32") as storage:
            allocation = fbmem(number, storage.pointer, 16, read_only=False)
            assert allocation.place == (StoreTarget.FBMEM, Device.CUDA[number])

    @pytest.mark.parametrize("number", [2, -1, 10**6])
    def test_is_on_a_gpu_that_is_here(self, gpus, number):
        with pytest.raises(StoreIndexError):
            fbmem(number, 4096, 4)

    def test_may_be_pinned_memory_of_the_host(self, gpus):
        array = np.arange(4, dtype="uint8")
        allocation = ExternalAllocation.create_zcmem(array)
        assert (allocation.target, allocation.place.device) == (StoreTarget.ZCMEM, Device.CUDA)
        assert allocation.storage("uint8").load(0, 4).tolist() == [0, 1, 2, 3]
        with pytest.raises(StoreValueError, match="null"):
            ExternalAllocation.create_zcmem(0, 4)
