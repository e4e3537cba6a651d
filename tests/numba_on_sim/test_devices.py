import threading

import numpy as np
import pytest


def test_devices_are_those_that_are_simulated(cuda, capsys):
    assert cuda.is_available()
    assert cuda.cuda_error() is None
    assert len(cuda.gpus) == len(cuda.list_devices()) == 4
    assert cuda.detect()
    assert "4/4 devices are supported" in capsys.readouterr().out


def test_the_current_device_is_that_of_the_block(cuda):
    assert cuda.get_current_device().id == 0
    with cuda.gpus[2]:
        assert cuda.get_current_device().id == 2
        with cuda.gpus[1]:
            assert cuda.current_context().device.id == 1
        assert cuda.gpus.current.id == 2
    assert cuda.get_current_device().id == 0


def test_each_thread_has_its_own_device(cuda):
    seen = []

    def run():
        cuda.select_device(3)
        seen.append(cuda.get_current_device().id)
        cuda.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [3]
    assert cuda.get_current_device().id == 0


def test_memory_and_kernels_are_on_the_device_of_their_block(cuda):
    @cuda.jit
    def double(x):
        x[cuda.grid(1)] *= 2

    results = []
    for number in range(3):
        with cuda.gpus[number]:
            array = cuda.to_device(np.arange(8.0) + number)
            double[1, 8](array)
            results.append(array.copy_to_host())
    for number, result in enumerate(results):
        np.testing.assert_array_equal(result, 2 * (np.arange(8) + number))


def test_arrays_are_copied_between_devices(cuda):
    with cuda.gpus[0]:
        first = cuda.to_device(np.arange(8.0))
        assert cuda.current_context().can_access_peer(1)
    with cuda.gpus[1]:
        second = cuda.device_array(8)
        second.copy_to_device(first)
        np.testing.assert_array_equal(second.copy_to_host(), np.arange(8))


def test_there_is_no_fifth_device(cuda):
    with pytest.raises(IndexError):
        cuda.select_device(4)


def test_attributes_of_devices_and_kernels(cuda):
    device = cuda.get_current_device()
    assert device.compute_capability == (9, 0)
    assert device.MAX_THREADS_PER_BLOCK == 1024
    assert device.WARP_SIZE == 32
    assert device.MAX_GRID_DIM_X == 2**31 - 1

    @cuda.jit("void(float32[::1])")
    def tile(x):
        shared = cuda.shared.array((8, 9), np.float32)
        shared[cuda.threadIdx.x, 0] = x[cuda.grid(1)]
        x[cuda.grid(1)] = shared[cuda.threadIdx.x, 0]

    assert tile.get_shared_mem_per_block() == 8 * 9 * 4
    assert tile.get_max_threads_per_block() == 1024
    kernel = tile.overloads[tile.signatures[0]]
    assert kernel.max_cooperative_grid_blocks(1024) == 16
    assert "define" in tile.inspect_llvm(tile.signatures[0])


def test_sizes_of_local_and_constant_memory(cuda):
    table = np.arange(10.0)
    record = np.dtype([("a", np.int32), ("b", np.float64, (2,))], align=True)

    @cuda.jit("void(float64[::1], int64)")
    def kernel(x, n):
        constants = cuda.const.array_like(table)
        local = cuda.local.array((5, 6), np.float64)
        for i in range(5):
            local[i, n] = constants[i]
        x[0] = local[n, n]

    @cuda.jit
    def of_records(records, x):
        x[0] = records[0].b[1] + records[1].a

    assert kernel.get_local_mem_per_thread() == 5 * 6 * 8
    assert kernel.get_const_mem_size() == table.nbytes
    of_records[1, 1](np.zeros(2, record), np.zeros(1))
    assert list(of_records.get_shared_mem_per_block().values()) == [0]


def test_a_context_is_reset(cuda):
    context = cuda.current_context()
    before = context.get_memory_info().free
    array = cuda.to_device(np.zeros(1000))
    context.reset()
    assert context.get_memory_info().free >= before
    del array
    np.testing.assert_array_equal(cuda.to_device(np.arange(3)).copy_to_host(), np.arange(3))


def test_profilers_and_deferred_cleanup_are_taken(cuda):
    with cuda.profiling(), cuda.defer_cleanup():
        cuda.to_device(np.zeros(3))
