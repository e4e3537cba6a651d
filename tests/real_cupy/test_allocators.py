"""With any allocator that CuPy is given, accel's memory comes from it and goes back to it, and reports are about it."""

import numpy as np
import pytest

import accel
from accel.errors import OutOfMemoryError
from accel.memory import heap_of, trim

from ..gpu.allocators import ALLOCATORS

SIZE = 1 << 20
OTHERS = [name for name in ALLOCATORS if name != "pool"]


@pytest.fixture
def use(cupy):
    """Give CuPy an allocator by its name."""
    yield lambda name: cupy.cuda.set_allocator(ALLOCATORS[name](cupy))
    heap_of(accel.Device("cuda")).synchronize()
    trim("cuda")
    cupy.cuda.set_allocator(cupy.get_default_memory_pool().malloc)
    runtime = cupy.cuda.runtime  # CuPy lets the driver's pool keep all; without CuPy it keeps nothing
    pool = runtime.deviceGetDefaultMemPool(0)
    runtime.memPoolSetAttribute(pool, runtime.cudaMemPoolAttrReleaseThreshold, 0)
    runtime.memPoolTrimTo(pool, 0)


@pytest.fixture
def live(runtime):
    """How many bytes of device 0 are allocated from the driver, by whatever pool."""

    def bytes_of():
        free, total = runtime.memGetInfo()
        return total - free

    return bytes_of


@pytest.mark.parametrize("name", ALLOCATORS)
def test_freed_memory_is_free_and_goes_back_to_the_driver(use, live, name):
    use(name)
    heap, before = heap_of(accel.Device("cuda")), live()
    free = heap.backend.free_memory(heap.device).free
    c = accel.zeros(SIZE, "uint8", device="cuda")
    assert live() >= before + SIZE
    assert heap.backend.free_memory(heap.device).free <= free - SIZE
    c.release()
    heap.synchronize()
    assert heap.backend.free_memory(heap.device).free == free
    trim("cuda")
    assert live() == before


@pytest.mark.parametrize("name", ALLOCATORS)
def test_memory_that_its_pool_keeps_is_freed_before_an_allocation_fails(use, name):
    use("pool")
    heap = heap_of(accel.Device("cuda"))
    most = heap.backend.free_memory(heap.device).free * 2 // 3
    accel.empty(most, "uint8", device="cuda").release()  # CuPy's pool keeps it
    use(name)
    accel.empty(most, "uint8", device="cuda").release()


@pytest.mark.parametrize("name", ["async", "rmm", "functions"])
def test_an_error_names_the_allocator(use, name):
    use(name)
    limits = heap_of(accel.Device("cuda")).backend.limits(accel.Device("cuda"))
    words = {"async": "MemoryAsyncPool", "rmm": "of_rmm", "functions": "PythonFunctionAllocator"}
    small = accel.empty(1, "uint8", device="cuda")
    with pytest.raises(OutOfMemoryError, match=words[name]):
        accel.empty(limits.memory, "uint8", device="cuda")
    small.release()


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("seed", range(5))
def test_memory_is_not_freed_before_the_work_on_it(use, driver, name, seed):
    use(name)
    driver.run_late(seed)
    streams = accel.new_stream("cuda"), accel.new_stream("cuda")
    kept = []
    for number in range(10):
        with streams[number % 2]:
            a = accel.full(1000, float(number), device="cuda")
        with streams[seed % 2]:
            b = accel.zeros(1000, device="cuda")
            b.copy_from(a)
        a.release()
        kept.append(b)
    assert [set(b.to_numpy()) for b in kept] == [{float(number)} for number in range(10)]


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("seed", range(3))
def test_arrays_keep_theirs_as_long_as_streams_use_it(use, driver, name, seed):
    from accel import xp

    use(name)
    driver.run_late(seed)
    first, second = accel.new_stream("cuda"), accel.new_stream("cuda")
    with first:
        x = xp.arange(1000.0, device="cuda") + 1
    second.wait_for(first.record())
    with second:
        y = x * 2
    del x
    with first:
        z = xp.zeros(1000, device="cuda") - 1
    second.synchronize()
    first.synchronize()
    assert np.array_equal(np.asarray(y.to_device("cpu")), 2 * np.arange(1, 1001))
    assert np.asarray(z.to_device("cpu")).max() == -1
