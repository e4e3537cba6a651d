"""The pool of memory for large arrays on the host: what is used again, when, and how much is kept."""

import itertools
import os
import pickle
import random
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from accel.backends.cpu.array_pool import POISON, SMALLEST, ArrayPool

import accel

F64 = np.dtype(np.float64)
N = SMALLEST // 8


def address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


@pytest.fixture
def pool() -> ArrayPool:
    return ArrayPool(8 * SMALLEST)


class TestReuse:
    def test_memory_of_an_array_that_is_gone_is_used_again(self, pool: ArrayPool) -> None:
        first = pool.empty((N,), F64)
        place = address(first)
        del first
        assert address(pool.empty((N // 2, 2), F64)) == place

    def test_memory_of_an_array_in_use_is_not(self, pool: ArrayPool) -> None:
        arrays = [pool.empty((N,), F64) for _ in range(5)]
        places = sorted(map(address, arrays))
        assert all(one + SMALLEST <= other for one, other in itertools.pairwise(places))

    def test_memory_behind_that_of_many_arrays_in_use_is_found_by_one_of_the_next_requests(self) -> None:
        pool = ArrayPool(64 * SMALLEST)
        arrays = [pool.empty((N,), F64) for _ in range(40)]
        place = address(arrays.pop(0))
        assert place in [address(array) for array in [pool.empty((N,), F64) for _ in range(4)]]

    @pytest.mark.parametrize("order", ["C", "F"])
    def test_the_array_is_as_requested(self, pool: ArrayPool, order: Any) -> None:
        array = pool.empty((8, N // 4), np.dtype(np.float32), order)
        assert array.shape == (8, N // 4)
        assert array.dtype == np.float32
        assert array.flags.writeable
        assert array.strides == np.empty((8, N // 4), np.float32, order).strides

    @pytest.mark.parametrize("nbytes", [0, 1, SMALLEST - 1, 8 * SMALLEST + 1])
    def test_small_arrays_and_those_larger_than_the_pool_are_not_its(self, pool: ArrayPool, nbytes: int) -> None:
        assert pool.empty((nbytes,), np.dtype(np.uint8)) is None
        assert pool.listed_bytes == 0

    @pytest.mark.parametrize(
        "user",
        [
            lambda array: array[5:7],
            lambda array: array.reshape(2, -1).T[1],
            lambda array: array.view(np.uint8)[::-1],
            lambda array: array.base,
            memoryview,
            lambda array: memoryview(array.base),
            lambda array: np.frombuffer(array, np.uint8),
            lambda array: np.frombuffer(array.base, np.uint8),
            np.from_dlpack,
            lambda array: array.__dlpack__(),
            lambda array: np.lib.stride_tricks.as_strided(array, (3,), (8,)),
            lambda array: np.lib.stride_tricks.sliding_window_view(array, 3),
            pickle.PickleBuffer,
            lambda array: array.flat,
            accel.xp.asarray,
            lambda array: accel.xp.asarray(array)[3:].storage,
            lambda array: accel.xp.asarray(array).container()[2:4],
            accel.HostStorage.on_array,
        ],
    )
    def test_memory_stays_with_everything_that_refers_to_it(
        self, pool: ArrayPool, user: Callable[[Any], object]
    ) -> None:
        array = pool.empty((N,), F64)
        array[:] = np.arange(N)
        place, using = address(array), user(array)
        del array
        assert pool.kept_bytes == 0
        assert address(pool.empty((N,), F64)) != place
        del using

    def test_a_pickle_is_a_copy(self, pool: ArrayPool) -> None:
        array = pool.empty((N,), F64)
        array[:] = 3
        copy = pickle.loads(pickle.dumps(array, protocol=5))
        del array
        pool.empty((N,), F64)[:] = 4
        assert (copy == 3).all()


class TestBound:
    def test_no_more_is_listed_than_the_capacity(self, pool: ArrayPool) -> None:
        draw = random.Random(0)
        arrays: list[Any] = []
        for _ in range(300):
            arrays.append(pool.empty((draw.randrange(N, 3 * N),), F64))
            if len(arrays) > draw.randrange(8):
                arrays.pop(draw.randrange(len(arrays)))
            assert pool.kept_bytes <= pool.listed_bytes <= pool.capacity

    def test_sizes_that_are_not_requested_any_more_make_room(self, pool: ArrayPool) -> None:
        for size, count in ((2 * N, 4), (N, 8)):
            arrays = [pool.empty((size,), F64) for _ in range(count)]
            del arrays
        assert pool.kept_bytes == 8 * SMALLEST

    def test_trimming_frees_what_is_not_in_use(self, pool: ArrayPool) -> None:
        array, other = pool.empty((N,), F64), pool.empty((N,), F64)
        array[:] = 1
        del other
        assert pool.kept_bytes == SMALLEST
        assert pool.trim() == SMALLEST
        assert pool.kept_bytes == pool.listed_bytes == pool.trim() == 0
        assert (array == 1).all()

    def test_it_is_trimmed_when_memory_runs_out(self, pool: ArrayPool, monkeypatch: pytest.MonkeyPatch) -> None:
        from accel.backends.cpu import array_pool

        def allocate(nbytes: int, alignment: int) -> Any:
            if pool.kept_bytes:
                raise MemoryError
            return original(nbytes, alignment)

        array = pool.empty((N,), F64)
        del array
        original = array_pool.new_block
        monkeypatch.setattr(array_pool, "new_block", allocate)
        assert pool.empty((2 * N,), F64).shape == (2 * N,)
        assert pool.kept_bytes == 2 * SMALLEST

    def test_without_memory_the_error_is_pythons_and_nothing_is_listed(
        self, pool: ArrayPool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from accel.backends.cpu import array_pool

        def allocate(nbytes: int, alignment: int) -> Any:
            raise MemoryError

        monkeypatch.setattr(array_pool, "new_block", allocate)
        with pytest.raises(MemoryError):
            pool.empty((N,), F64)
        assert pool.listed_bytes == 0


class TestDebugMode:
    def test_memory_is_overwritten_when_its_array_is_gone(self, pool: ArrayPool) -> None:
        with accel.using(debug=True):
            array = pool.empty((N,), F64)
            array[:] = 1
            del array
        assert (pool.empty((SMALLEST,), np.dtype(np.uint8)) == POISON).all()

    def test_memory_that_something_refers_to_is_not(self, pool: ArrayPool) -> None:
        with accel.using(debug=True):
            array = pool.empty((N,), F64)
            array[:] = 1
            view, bytes_of = array[::2], memoryview(array.base)
            del array
            assert (view == 1).all()
            del view
        assert (np.frombuffer(bytes_of, F64)[:N] == 1).all()


class TestThreads:
    def test_no_two_arrays_have_one_memory_at_one_time(self, pool: ArrayPool) -> None:
        """Each thread writes numbers of its own into its arrays, and finds them there until it drops the arrays."""
        wrong: list[str] = []
        interval = sys.getswitchinterval()

        def work(number: int) -> None:
            draw = random.Random(number)
            arrays: list[tuple[Any, float]] = []
            for step in range(150):
                array, value = pool.empty((draw.choice((N, 2 * N)),), F64), number * 1000.0 + step
                array[:: N // 16] = value
                arrays.append((array[:: N // 16], value))
                del array
                while len(arrays) > draw.randrange(4):
                    view, expected = arrays.pop(draw.randrange(len(arrays)))
                    if not (view == expected).all():
                        wrong.append(f"thread {number}, step {step}: {view[0]} instead of {expected}")
                    del view
                if draw.random() < 0.02:
                    pool.trim()

        sys.setswitchinterval(1e-6)
        try:
            threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            sys.setswitchinterval(interval)
        assert not wrong
        assert pool.listed_bytes <= pool.capacity + 4 * 2 * SMALLEST  # each thread may have added one at the same time


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no forks")
def test_a_child_of_a_fork_has_memory_of_its_own(pool: ArrayPool) -> None:
    array, other = pool.empty((N,), F64), pool.empty((N,), F64)
    array[:] = 1
    del other
    child = os.fork()
    if not child:
        status = 1
        try:
            new = [pool.empty((N,), F64) for _ in range(3)]
            for each in new:
                each[:] = 2
            status = int(not ((array == 1).all() and pool.trim() == 0))
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (array == 1).all()


def test_a_process_ends_quietly_with_arrays_in_debug_mode(python: Any) -> None:
    code = """
        from accel.backends.cpu import BACKEND
        import numpy as np
        arrays = [BACKEND.empty_array((1 << 22,), np.dtype("uint8"), "C") for _ in range(3)]
        kept = arrays[0][1:]
        del arrays[1]
        print("end")
    """
    assert python(code, ACCEL_DEBUG="1") == "end"
