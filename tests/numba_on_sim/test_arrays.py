import gc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import xp
from accel.testing import cupy_on_sim, no_races, numba_cuda_on_sim, seeded

pytestmark = pytest.mark.usefixtures("cuda")

DTYPES = ["int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_come_back_as_they_went(cuda, dtype, order):
    x = np.asarray(np.arange(24).reshape(2, 3, 4), dtype, order=order)
    result = cuda.to_device(x).copy_to_host()
    np.testing.assert_array_equal(result, x)
    assert result.flags[f"{order}_CONTIGUOUS"]


def test_structured_arrays_and_records(cuda):
    dtype = np.dtype([("a", np.int32), ("b", np.float64, (2,))], align=True)
    x = np.zeros(3, dtype)
    x["a"] = 1, 2, 3
    array = cuda.to_device(x)
    np.testing.assert_array_equal(array.copy_to_host(), x)
    assert array[1]["a"] == 2


SLICES = st.slices(6)


@given(rows=SLICES, columns=SLICES)
def test_slices_are_those_of_numpy(rows, columns):
    x = np.arange(36.0).reshape(6, 6)
    with numba_cuda_on_sim() as cuda:
        if any(part.step is not None and part.step < 0 for part in (rows, columns)):
            return  # numba-cuda copies no array backwards
        part = cuda.to_device(x)[rows, columns]
        assert part.shape == x[rows, columns].shape
        np.testing.assert_array_equal(part.copy_to_host(), x[rows, columns])


def test_assignment_to_a_slice_is_a_kernel(cuda):
    x = np.arange(20.0).reshape(4, 5)
    array = cuda.to_device(x)
    array[1:3, ::2] = 7.0
    x[1:3, ::2] = 7.0
    np.testing.assert_array_equal(array.copy_to_host(), x)


def test_views_share_memory(cuda):
    array = cuda.to_device(np.arange(12, dtype=np.int32))
    array.reshape(3, 4)[1, 1] = 50
    assert array.view(np.uint32)[5] == 50
    assert [part.shape for part in array.split(5)] == [(5,), (5,), (2,)]


def test_like(cuda):
    x = np.asarray(np.ones((3, 4)), order="F")
    for like in (cuda.device_array_like, cuda.pinned_array_like, cuda.mapped_array_like):
        array = like(x)
        assert array.shape == x.shape
        assert array.strides == x.strides


def test_pinned_mapped_and_managed_memory_is_memory_of_the_host(cuda):
    for make in (cuda.pinned_array, cuda.mapped_array, cuda.managed_array):
        array = make(5, dtype=np.float32)
        array[:] = 3
        np.testing.assert_array_equal(np.asarray(array), np.full(5, 3, np.float32))


@pytest.mark.parametrize("make", ["mapped_array", "managed_array"])
def test_kernels_write_what_the_host_reads(cuda, make):
    @cuda.jit
    def double(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    array = getattr(cuda, make)(100, dtype=np.float32)
    array[:] = np.arange(100)
    double[4, 32](array)
    cuda.synchronize()
    np.testing.assert_array_equal(np.asarray(array), 2 * np.arange(100))


def test_temporarily_mapped_memory(cuda):
    @cuda.jit
    def increase(x):
        x[cuda.grid(1)] += 1

    x = np.arange(32.0)
    with cuda.mapped(x) as mapped:
        increase[1, 32](mapped)
        cuda.synchronize()
    np.testing.assert_array_equal(x, np.arange(32) + 1)


def test_memory_can_be_pinned_once_at_a_time(cuda):
    from numba.cuda.cudadrv.driver import CudaAPIError

    x = np.zeros(3)
    with cuda.pinned(x), pytest.raises(CudaAPIError, match="ALREADY_REGISTERED"), cuda.pinned(x):
        pass
    with cuda.pinned(x):
        pass


def test_pinned_copies_are_late_and_others_are_not(cuda):
    stream = cuda.stream()
    array = cuda.to_device(np.arange(5), stream=stream)
    pinned = cuda.pinned_array(5, dtype=np.int64)
    pinned[:] = -1
    array.copy_to_host(pinned, stream=stream)
    assert (pinned == -1).all()
    pageable = array.copy_to_host(stream=stream)
    np.testing.assert_array_equal(pageable, np.arange(5))
    np.testing.assert_array_equal(pinned, np.arange(5))


def test_the_source_of_a_late_copy_may_change_unless_it_is_pinned(cuda):
    stream = cuda.stream()
    x = np.arange(5)
    array = cuda.to_device(x, stream=stream)
    x[:] = 0
    np.testing.assert_array_equal(array.copy_to_host(), np.arange(5))


def test_memory_is_released(cuda):
    context = cuda.current_context()
    context.deallocations.clear()
    context.memory_manager.deallocations.clear()
    before = context.get_memory_info().free
    arrays = [cuda.device_array(1000) for _ in range(3)]
    assert context.get_memory_info().free <= before - 3 * 8000
    del arrays
    gc.collect()
    context.memory_manager.deallocations.clear()
    assert context.get_memory_info().free == before


def test_kernels_use_arrays_of_devices_that_they_find_among_their_variables(cuda, checks):
    table, result = cuda.to_device(np.arange(40, dtype=np.int16))[::2], cuda.to_device(np.zeros(20, np.int64))

    @cuda.jit(device=True)
    def entry(i):
        return table[i]

    @cuda.jit
    def kernel():
        result[cuda.grid(1)] = entry(cuda.grid(1)) + 1

    kernel[1, 20]()
    np.testing.assert_array_equal(result.copy_to_host(), np.arange(40)[::2] + 1)


def test_too_much_memory(cuda):
    from numba.cuda.cudadrv.driver import CudaAPIError

    with pytest.raises(CudaAPIError, match="CUDA_ERROR_OUT_OF_MEMORY"):
        cuda.device_array(1 << 40)
    with accel.using(sim_memory=1 << 20):
        for _ in range(10):  # what is released is used again
            cuda.device_array(100_000, np.int8)


def test_copies_outside_of_the_memory(cuda):
    from numba.cuda.cudadrv import driver

    array = cuda.device_array(4, np.int8)
    with pytest.raises(driver.CudaAPIError, match="CUDA_ERROR_INVALID_VALUE"):
        driver.host_to_device(array, np.zeros(1000, np.int8), 1000)


class TestInterchange:
    def test_arrays_of_accel_are_arguments(self, cuda):
        @cuda.jit
        def double(x):
            i = cuda.grid(1)
            if i < x.size:
                x[i] *= 2

        x, c = xp.arange(10, dtype=xp.float32, device="sim"), accel.full(10, 3.0, device="sim")
        double[1, 32](x)
        double[1, 32](c)
        cuda.synchronize()
        np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), 2 * np.arange(10))
        assert (c.to_numpy() == 6).all()
        assert cuda.is_cuda_array(x)
        np.testing.assert_array_equal(cuda.as_cuda_array(c).copy_to_host(), np.full(10, 6.0))

    def test_accel_takes_arrays_of_numba_without_a_copy(self, cuda):
        array = cuda.to_device(np.arange(12.0).reshape(3, 4))
        x = xp.from_dlpack(array)
        assert str(x.device) == "sim"
        x += 1
        np.testing.assert_array_equal(array.copy_to_host(), np.arange(12.0).reshape(3, 4) + 1)
        part = xp.from_dlpack(array[:, 1])
        del array
        gc.collect()
        np.testing.assert_array_equal(np.asarray(part.to_device("cpu")), [2.0, 6.0, 10.0])

    def test_pending_work_is_waited_for(self, cuda):
        stream = cuda.stream()
        array = cuda.to_device(np.arange(5.0), stream=stream)
        np.testing.assert_array_equal(accel.from_dlpack(array).to_numpy(), np.arange(5))


def test_arrays_of_launches_that_failed_are_not_kept(cuda):
    @cuda.jit
    def add(y):
        y[0] += 1

    with cupy_on_sim() as cupy:
        y = cupy.zeros(100)
        with pytest.raises(Exception, match="a block of"):
            add[1, 2048](y)
        alive = weakref.ref(y)
        del y
        gc.collect()
        assert alive() is None


@pytest.mark.parametrize("stream", [0, "own"])
@pytest.mark.usefixtures("checks")
def test_arrays_of_others_may_be_dropped_after_a_launch(cuda, stream):
    @cuda.jit
    def add(x, y):
        i = cuda.grid(1)
        if i < y.size:
            y[i] += x[i]

    with cupy_on_sim() as cupy:
        for seed in range(10):
            with seeded(seed), no_races():
                y = cupy.zeros(100)
                add[4, 32, cuda.stream() if stream == "own" else 0](cupy.arange(100) + 1.0, y)
                add[4, 32](cupy.ones(100), y)
                add[4, 32](cupy.asarray(np.ones(200))[::2], y)
                add[4, 32](accel.container(np.ones(100), device="sim"), y)
                np.testing.assert_array_equal(y.get(), np.arange(100) + 4.0)
