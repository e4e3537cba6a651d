"""Allocations of a GPU in few functions: they have the results of those in general, and no others are made there."""

import threading

import numpy as np
import pytest

import accel
from accel import Device
from accel.errors import OutOfMemoryError
from accel.memory import heap_of
from accel.testing import fail_allocation

SIZE = 1000
MAKERS = {
    "empty": accel.empty,
    "zeros": accel.zeros,
    "full": lambda *options: accel.full(options[0], 1.5, *options[1:]),
}


@pytest.fixture
def cupy(cuda_machine):
    accel.zeros(SIZE, "float32", "cuda").release()
    assert heap_of(Device.CUDA).direct is not None, "it is prepared by the first allocation"
    return heap_of(Device.CUDA).backend._driver.cupy


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("within", ["nothing", "stream", "stream of CuPy's"])
def test_memory_is_counted_and_freed(cupy, make, within):
    stream = accel.new_stream("cuda")
    blocks = {"nothing": accel.using(), "stream": stream, "stream of CuPy's": stream.native}
    heap = heap_of(Device.CUDA)
    before = heap.live_bytes, heap.live_blocks
    with blocks[within]:
        made = [make(SIZE, "float32", "cuda") for _ in range(3)]
    assert (heap.live_bytes, heap.live_blocks) == (before[0] + 12 * SIZE, before[1] + 3)
    if make is not accel.empty:
        expected = np.zeros(SIZE, "f4") if make is accel.zeros else np.full(SIZE, 1.5, "f4")
        assert all(np.array_equal(each.to_numpy(), expected) for each in made)
    made[0].release()
    made[1].release()
    del made
    assert (heap.live_bytes, heap.live_blocks) == before


def test_memory_is_from_the_allocator_that_cupy_has_now(cupy):
    asked = []

    def counting(nbytes):
        asked.append(nbytes)
        return cupy.get_default_memory_pool().malloc(nbytes)

    with cupy.cuda.using_allocator(counting):
        accel.empty(SIZE, "float32", "cuda").release()
        accel.zeros(SIZE, "float64", "cuda").release()
    accel.empty(SIZE, "float32", "cuda").release()
    assert asked == [4 * SIZE, 8 * SIZE]


def test_failures_of_an_allocator_are_those_of_the_general_way(cupy):
    def full(nbytes):
        raise MemoryError("none left")

    with cupy.cuda.using_allocator(full), pytest.raises(OutOfMemoryError, match="4000 bytes were asked for on cuda:0"):
        accel.empty(SIZE, "float32", "cuda")


def test_allocations_fail_on_demand_and_then_no_more(cupy):
    for make in (accel.empty, accel.zeros):
        with fail_allocation(2, "cuda"):
            make(SIZE, "float32", "cuda").release()
            with pytest.raises(OutOfMemoryError):
                make(SIZE, "float32", "cuda")
        make(SIZE, "float32", "cuda").release()
        assert heap_of(Device.CUDA).direct is not None


def test_threads_allocate_by_turns(cupy):
    wrong = []

    def work(value):
        for _ in range(50):
            with accel.full(SIZE, value, "int32", "cuda") as memory:
                wrong.extend({*memory.to_numpy().tolist()} - {value})

    threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert heap_of(Device.CUDA).table.kept == {}


def test_memory_that_others_use_waits_for_them(cupy):
    """Such a block is freed in the general way: the next request gets it after the other stream's work."""
    other = accel.new_stream("cuda")
    for _ in range(20):
        memory = accel.zeros(SIZE, "int32", "cuda")
        target = accel.empty(SIZE, "int32", "cuda")
        copied = target.copy_from_async(memory, stream=other)
        memory.release()
        accel.full(SIZE, 7, "int32", "cuda").release()
        copied.wait()
        assert not target.to_numpy().any()
        target.release()
