"""Memory of a GPU: when it is reused, and what happens when it runs out."""

import gc

import numpy as np
import pytest
from accel.backends.cupy.memory import DeviceBlock

import accel
from accel import AcceleratorDataContainer, Device, DeviceStorage, HostStorage
from accel.abc import ExternalAllocation, Span, SupportsPinning
from accel.errors import DeviceMismatchError, LayoutError, OutOfMemoryError
from accel.memory import heap_of
from accel.testing.blocks import host_span, lent, random_bytes, read, write

SIZE = 4096


@pytest.fixture
def heap(cuda_machine):
    return heap_of(Device.CUDA)


@pytest.fixture
def backend(heap):
    return heap.backend


def fill_late(backend, block, value, stream):
    """Submit a write of a block to a stream."""
    operand = accel.abc.Operand(Span(block, 0, SIZE), 0, np.dtype(np.uint8), (SIZE,), (1,))
    backend.fill(operand, np.uint8(value), stream=stream)


class TestOrder:
    def test_a_block_that_another_stream_still_reads_is_not_given_to_the_next(self, backend):
        home, other = backend.new_stream(Device.CUDA), backend.new_stream(Device.CUDA)
        data = random_bytes(SIZE)
        result = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=home)
        block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=home)
        first = block.pointer
        backend.copy(Span(block, 0, SIZE), host_span(data), stream=home)
        other.wait_for(home.record())
        backend.copy(Span(result, 0, SIZE), Span(block, 0, SIZE), stream=other)
        backend.free(block, stream=None)
        block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=home)
        assert block.pointer == first, "the pool gives it again at once"
        fill_late(backend, block, 7, home)
        backend.synchronize(Device.CUDA)
        assert np.array_equal(read(heap_of(Device.CUDA), result, SIZE), data)
        for each in (block, result):
            backend.free(each, stream=None)

    def test_a_block_is_not_used_elsewhere_before_its_last_user_is_done(self, backend):
        home, other = backend.new_stream(Device.CUDA), backend.new_stream(Device.CUDA)
        old = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=home)
        fill_late(backend, old, 7, home)
        backend.free(old, stream=None)
        new = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=home)
        fill_late(backend, new, 9, other)
        backend.synchronize(Device.CUDA)
        assert set(read(heap_of(Device.CUDA), new, SIZE)) == {9}
        backend.free(new, stream=None)

    def test_a_new_stream_gets_no_block_that_a_stream_which_is_gone_still_uses(self, backend):
        data, pinned_block = random_bytes(SIZE), backend.allocate_pinned(Device.CUDA, SIZE)
        for _ in range(10):
            gone = backend.new_stream(Device.CUDA)
            block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=gone)
            backend.copy(Span(block, 0, SIZE), host_span(data), stream=gone)
            backend.copy(Span(pinned_block, 0, SIZE), Span(block, 0, SIZE), stream=gone)
            backend.free(block, stream=None)
            del block, gone
            stream = backend.new_stream(Device.CUDA)
            block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=stream)
            fill_late(backend, block, 7, stream)
            backend.free(block, stream=None)
            del block, stream
            backend.synchronize(Device.CUDA)
            assert np.array_equal(pinned_block.native, data)
        backend.free_pinned(Device.CUDA, pinned_block)

    def test_a_release_on_another_stream_comes_after_what_that_stream_has(self, backend):
        home, other = backend.new_stream(Device.CUDA), backend.new_stream(Device.CUDA)
        block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=home)
        fill_late(backend, block, 7, other)
        backend.free(block, stream=other)
        event = home.record()
        event.wait()
        assert other.native.done

    def test_lent_memory_waits_for_every_stream(self, backend):
        stream = backend.new_stream(Device.CUDA)
        block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=None)
        operand = accel.abc.Operand(Span(block, 0, SIZE), 0, np.dtype(np.uint8), (SIZE,), (1,))
        array = backend.array(operand, None)
        with stream:
            array[...] = 3
        del array
        backend.free(block, stream=None)
        assert stream in block.users

    def test_a_stream_made_later_waits_for_lent_memory_too(self, backend):
        default = backend.default_stream(Device.CUDA)
        with lent(heap_of(Device.CUDA), SIZE) as old:
            fill_late(backend, old, 1, default)
        with lent(heap_of(Device.CUDA), SIZE) as block:
            operand = accel.abc.Operand(Span(block, 0, SIZE), 0, np.dtype(np.uint8), (SIZE,), (1,))
            array = backend.array(operand, None)
            late = backend.new_stream(Device.CUDA)
            late.record().wait()
            assert block.stream.native.done
            del array

    def test_work_in_a_containers_own_memory_ends_before_it_goes(self, cuda_machine):
        stream = accel.new_stream("cuda")
        for number in range(5):
            container = accel.empty(SIZE, "uint8", device="cuda")
            target = accel.empty(SIZE, "uint8", device="cuda")
            container.fill(number)
            transfer = target.copy_from_async(container, stream=stream)
            container.release()
            transfer.wait()
            assert set(target.to_numpy()) == {number}
        stream.close()


class TestShortage:
    def test_the_report_says_what_was_asked_and_what_is_free(self, cuda_machine, heap):
        room = cuda_machine.memory
        with lent(heap, room // 2), pytest.raises(OutOfMemoryError) as caught:
            heap.allocate(room * 3 // 4)
        text = str(caught.value)
        assert f"{room * 3 // 4} bytes were asked for on cuda:0" in text
        assert f"{room - room // 2} of its {room} bytes are free" in text

    def test_after_it_everything_is_as_before(self, cuda_machine, heap, backend):
        with pytest.raises(OutOfMemoryError):
            heap.allocate(cuda_machine.memory + 512)
        assert backend.free_memory(Device.CUDA).free == cuda_machine.memory
        with lent(heap, cuda_machine.memory // 2):
            pass

    def test_room_counts_what_the_pool_keeps_and_trimming_gives_it_back(self, cuda_machine, heap, backend):
        with lent(heap, 1 << 20):
            assert backend.free_memory(Device.CUDA).free == cuda_machine.memory - (1 << 20)
        heap.synchronize()
        assert backend.free_memory(Device.CUDA).free == cuda_machine.memory
        assert cuda_machine.allocations.nbytes(0) == 1 << 20
        assert backend.trim() >= 1 << 20
        assert cuda_machine.allocations.nbytes(0) == 0

    def test_what_the_pool_cannot_give_back_is_not_counted(self, cuda_machine, heap, backend, monkeypatch):
        with lent(heap, 1 << 20):
            pass
        monkeypatch.setattr(
            cuda_machine.pool, "free_all_blocks", lambda: None
        )  # as if a part of each block were in use
        assert backend.trim() == 0

    def test_a_temporary_that_cannot_be_had_is_an_error_of_ours(self, cuda_machine, heap, backend):
        nbytes = cuda_machine.memory // 2
        with lent(heap, nbytes + 512) as block, pytest.raises(OutOfMemoryError, match="were asked for on cuda:0"):
            backend.copy(Span(block, 0, nbytes), Span(block, 512, nbytes), stream=None)


class TestPinned:
    def test_pinned_memory_is_the_hosts_and_copies_to_it_are_late(self, cuda_machine, heap, backend):
        assert isinstance(backend, SupportsPinning)
        data, stream = random_bytes(SIZE), backend.new_stream(Device.CUDA)
        pinned = backend.allocate_pinned(Device.CUDA, SIZE)
        assert cuda_machine.is_pinned(pinned.pointer, SIZE)
        with lent(heap, SIZE) as block:
            write(heap, block, data)
            backend.copy(Span(pinned, 0, SIZE), Span(block, 0, SIZE), stream=stream)
            assert not np.array_equal(pinned.native, data)
            stream.synchronize()
            assert np.array_equal(pinned.native, data)
        backend.free_pinned(Device.CUDA, pinned)
        gc.collect()
        assert cuda_machine.pinned == {}

    def test_where_no_more_can_be_pinned_it_says_so(self, cuda_machine, backend):
        cuda_machine.room_to_pin = 100
        with pytest.raises(OutOfMemoryError, match="5000 bytes of pinned memory were asked for on cuda:0"):
            backend.allocate_pinned(Device.CUDA, 5000)

    def test_staging_goes_on_through_pageable_memory_with_one_warning(self, cuda_machine, heap):
        cuda_machine.room_to_pin = 0
        x = accel.empty(600, "float32", device="cuda")
        x.fill(2)
        source = x.__accel_operand__()._replace(extents=(10, 20, 3), strides=(4, 40, 800))
        result = np.zeros((10, 20, 9), np.float32)
        target = accel.abc.Operand(
            host_span(result.view(np.uint8).reshape(-1)), 0, source.dtype, (10, 20, 3), (720, 36, 12)
        )
        plan = accel.copies.plan(target, source)
        with pytest.warns(RuntimeWarning, match="copies go on through pageable memory"):
            heap.backend.copy_strided(target, source, plan, stream=None)
        heap.backend.copy_strided(target, source, plan, stream=None)  # a second warning would be an error
        assert result.sum() == 2 * 600
        x.release()


class TestAdopted:
    def test_an_address_is_of_the_device_that_has_it(self, cuda_machine, backend):
        with lent(heap_of(Device.CUDA[1]), SIZE) as block:
            adoption = backend.adopt(ExternalAllocation(100, pointer=block.pointer + 10))
            assert isinstance(adoption, DeviceBlock)
            assert (adoption.device, adoption.pointer, adoption.nbytes) == (Device.CUDA[1], block.pointer + 10, 100)

    def test_an_address_of_the_host_is_refused(self, backend):
        data = random_bytes(100)
        with pytest.raises(ValueError, match="no device of CUDA has memory at"):
            backend.adopt(ExternalAllocation(100, pointer=data.ctypes.data))

    def test_memory_of_another_library_is_refused(self, backend):
        with pytest.raises(TypeError, match="ndarray is not memory of CuPy"):
            backend.adopt(ExternalAllocation(100, native=random_bytes(100)))

    def test_an_array_of_cupys_is_adopted(self, cuda_machine, backend):
        import cupy

        array = cupy.ndarray((5, 2), "float32")
        adoption = backend.adopt(ExternalAllocation(40, native=array))
        assert (adoption.pointer, adoption.nbytes, adoption.device) == (array.data.ptr, 40, Device.CUDA)

    @pytest.mark.parametrize("step", [2, -1])
    def test_an_array_with_gaps_or_backwards_is_refused_with_what_to_write(self, gpu_machine, step):
        import cupy

        array = cupy.ndarray((10,), "float32")[::step]
        with pytest.raises(LayoutError, match=r"strides \(-?[48],\).* write cupy.ascontiguousarray\(x\)"):
            DeviceStorage(array, array.size, "gpu", "float32")

    def test_a_part_of_each_row_is_refused(self, cuda_machine, backend):
        import cupy

        with pytest.raises(LayoutError, match="the array has gaps or another order than C or F"):
            backend.adopt(ExternalAllocation(40, native=cupy.ndarray((5, 4), "float32")[:, :2]))

    def test_an_array_in_f_order_is_flat_in_the_order_of_its_memory(self, cuda_machine):
        import cupy

        array = cupy.ndarray((2, 3), "float32", strides=(4, 8))
        with AcceleratorDataContainer.on(DeviceStorage(array, 6, "cuda", "float32")) as c:
            c[:] = range(6)
            assert [[float(array[row, column]) for column in range(3)] for row in range(2)] == [[0, 2, 4], [1, 3, 5]]

    def test_one_element_is_contiguous_whatever_its_strides(self, cuda_machine, backend):
        import cupy

        array = cupy.ndarray((5, 2), "float32")[2:3, ::2]
        assert backend.adopt(ExternalAllocation(4, native=array)).nbytes == 4

    def test_a_container_takes_over_an_array_of_cupys(self, cuda_machine):
        import cupy

        array = cupy.ndarray((5, 2), "float32")
        with AcceleratorDataContainer.on(DeviceStorage(array, 10, "cuda", "float32")) as c:
            assert (c.pointer, c.ref_count, c.share().ref_count) == (array.data.ptr, 1, 2)
            del array
            c.fill(3)
            assert c.to_numpy().tolist() == [3.0] * 10


class TestBuffersOfStorages:
    """They are memory of the backend: containers made from them count as its owners."""

    def test_outlive_the_storage_that_gave_them(self, gpu_machine):
        with AcceleratorDataContainer(SIZE, "uint8", "gpu") as c:
            c.fill(7)
            storage = DeviceStorage(c.storage.get_buffer(), SIZE, "gpu", "uint8")
            assert (storage.pointer, storage.ref_count, c.ref_count) == (c.pointer, 2, 2)
        later = accel.full(SIZE, 1, "uint8", "gpu")  # would get the bytes if they were free
        assert AcceleratorDataContainer.on(storage).to_numpy().tolist() == [7] * SIZE
        later.release()

    def test_are_ordered_after_work_in_flight_that_comes_later(self, gpu_machine, stream):
        c, source = accel.zeros(SIZE, "uint8", "gpu"), accel.full(SIZE, 9, "uint8", "gpu")
        other = AcceleratorDataContainer.on(DeviceStorage(c.storage.get_buffer(), SIZE, "gpu", "uint8"))
        c.copy_from_async(source, stream=stream)
        assert other.to_numpy().tolist() == [9] * SIZE

    def test_are_of_their_own_device(self, cuda_machine):
        with AcceleratorDataContainer(SIZE, "uint8", "cuda") as c:
            with pytest.raises(DeviceMismatchError, match=r"memory of cuda:0, not of cuda:1; write device='cuda:0'"):
                DeviceStorage(c.storage.get_buffer(), SIZE, "cuda:1", "uint8")
            assert c.ref_count == 1


class TestAddresses:
    @pytest.mark.parametrize("make", [HostStorage, AcceleratorDataContainer])
    def test_of_a_gpu_are_not_followed_by_the_host(self, gpu_machine, make):
        for device in (Device("gpu"), Device("gpu")[1]):
            with accel.zeros(6, device=device) as c:
                for address in (c.pointer, c.pointer + 40):
                    with pytest.raises(DeviceMismatchError, match=f"memory on {device}, which the host cannot read"):
                        make(address, 1, "float64")

    def test_of_the_host_are_also_where_a_gpu_reaches_them(self, gpu_machine):
        gpu_machine.reads_pageable = True
        array = np.arange(6.0)
        with accel.zeros(6, device="gpu"), accel.memory.pinned(6, device="gpu") as staging:
            staging.store(0, array)
            for address in (staging.pointer, array.ctypes.data):
                with HostStorage(address, 6, "float64") as looking:
                    assert looking[5] == 5.0

    def test_of_the_host_are_followed_when_the_gpu_is_lost(self, gpu_machine):
        heap_of(Device("gpu"))
        gpu_machine.lose(0)
        array = np.arange(6.0)
        with HostStorage(array.ctypes.data, 6, "float64") as looking:
            assert looking[5] == 5.0
