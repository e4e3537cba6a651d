"""Many launches of one kernel: what a launch keeps for the next holds only as long as it is right."""

import threading

import numpy as np
import pytest

from accel.errors import KernelMemoryError


@pytest.fixture
def add_at(cuda):
    @cuda.jit
    def add_at(x, y, place, number):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = x[i + place] + number

    return add_at


@pytest.mark.usefixtures("checks")
@pytest.mark.parametrize("layout", ["C", "F", "every second"])
def test_a_kernel_is_launched_with_arrays_and_numbers_of_other_kinds_by_turns(cuda, layout):
    @cuda.jit
    def fill(x, numbers):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j] = numbers[0] * i + numbers[1] * j

    def array(dtype):
        if layout in "CF":
            return cuda.to_device(np.zeros((5, 7), dtype, order=layout))
        return cuda.to_device(np.zeros((10, 7), dtype))[::2]

    i, j = np.indices((5, 7))
    for _ in range(3):
        for dtype in (np.float32, np.int64, np.complex128):
            for first, second in [(2, 3), (np.int8(-2), 0.5), (True, np.float32(4))]:
                x = array(dtype)
                fill[(1, 1), (8, 8)](x, (first, second))
                assert np.array_equal(x.copy_to_host(), (int(first) * i + second * j).astype(dtype))


@pytest.mark.usefixtures("checked")
def test_memory_that_comes_and_goes_between_launches_is_known(cuda, add_at):
    for turn in range(4):
        x, y = cuda.to_device(np.arange(32.0)), cuda.to_device(np.zeros(32))
        between = [cuda.to_device(np.zeros(100 + turn)) for _ in range(turn)]
        add_at[1, 32](x, y, 0, turn)
        assert np.array_equal(y.copy_to_host(), np.arange(32.0) + turn)
        add_at[1, 32](x, y, 1, turn)
        with pytest.raises(KernelMemoryError, match=r"x\[32\], right after the end of x"):
            cuda.synchronize()
        del between


@pytest.mark.usefixtures("checks")
def test_threads_launch_one_kernel_at_once(cuda, add_at):
    wrong = []

    def launch(number):
        cuda.select_device(0)
        for turn in range(10):
            x, y = cuda.to_device(np.arange(32.0)), cuda.to_device(np.zeros(32))
            add_at[1, 32](x, y, 0, number + turn if turn % 2 else float(number + turn))
            if not np.array_equal(y.copy_to_host(), np.arange(32.0) + number + turn):
                wrong.append((number, turn))

    threads = [threading.Thread(target=launch, args=(1000 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
