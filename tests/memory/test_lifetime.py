"""Reference counts, keep-alives, deleters, garbage collection, threads: nothing is lost, nothing is freed twice."""

import gc
import subprocess
import sys
import weakref
from contextlib import contextmanager

import numpy as np
import pytest

import accel
from accel import HostStorage
from accel.copies import submit_copy
from accel.memory import hazards, heap_of, snapshot
from accel.memory.heap import Heap

HOST = heap_of(accel.Device.CPU)


def live():
    gc.collect()
    return snapshot().live_blocks


def on_memory_of(array, **how):
    """Look at an array by its address, so that only the deleter knows when the last use ends."""
    return HostStorage(array.ctypes.data, array.size, dtype=array.dtype, **how)


@contextmanager
def inside(heap):
    """Do something as a collection does that begins inside the locked region."""
    with heap.lock:
        heap.changing = True
        yield
        heap.changing = False


class TestPins:
    def test_an_exported_array_keeps_the_bytes(self):
        before = live()
        storage = HostStorage(100, "int64")
        array = np.asarray(storage)
        array[:] = 7
        storage.release()
        assert live() == before + 1
        assert snapshot().devices[0].kept_blocks == 1
        HostStorage(100, "int64").store(0, np.zeros(100, np.int64))  # would take the block, were it free
        assert (array == 7).all()
        del array
        assert live() == before

    @pytest.mark.parametrize("derive", [lambda a: a[3:5], lambda a: a.view(np.uint8), lambda a: a.reshape(4, 25).T])
    def test_so_do_views_of_it(self, derive):
        before = live()
        storage = HostStorage(100, "int64")
        array = derive(np.asarray(storage))
        storage.release()
        assert live() == before + 1
        del array
        assert live() == before

    def test_so_do_memoryviews_and_slices_of_them(self):
        before = live()
        storage = HostStorage(100, "int64")
        view = storage.memoryview()[10:20]
        storage.release()
        assert live() == before + 1
        assert (view.format, view.nbytes) == ("l", 80)
        view.release()
        del view
        assert live() == before

    def test_a_keep_alive_is_released_once(self):
        before = live()
        storage = HostStorage(100)
        keep_alive, other = storage.keep_alive(), storage.keep_alive()
        storage.release()
        keep_alive.release()
        keep_alive.release()
        assert live() == before + 1
        other.release()
        assert live() == before

    def test_bytes_are_freed_with_the_last_handle_without_keep_alives(self):
        before = live()
        storage = HostStorage(100)
        keep_alive = storage.keep_alive()
        keep_alive.release()
        assert live() == before + 1
        storage.release()
        assert live() == before

    @pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 has no __buffer__; c.memoryview() is for it")
    def test_memoryview_of_a_container(self):
        assert memoryview(accel.container([1, 2]))[1] == 2


def failing():
    raise ZeroDivisionError("from the deleter")


class TestDeleter:
    @pytest.fixture
    def calls(self):
        return []

    @pytest.fixture
    def reports(self, monkeypatch):
        """The errors that Python reports because no caller can get them."""
        reports = []
        monkeypatch.setattr(sys, "unraisablehook", lambda report: reports.append(str(report.exc_value)))
        return reports

    def test_runs_once_after_the_last_handle(self, calls):
        array = np.arange(3.0)
        storage = on_memory_of(array, deleter=lambda: calls.append(1))
        other = storage.__copy__()
        storage.release()
        storage.release()
        assert calls == []
        other.release()
        assert calls == [1]

    def test_runs_after_the_last_export(self, calls):
        array = np.arange(3.0)
        storage = on_memory_of(array, deleter=lambda: calls.append(1))
        exported = np.asarray(storage)
        storage.release()
        assert calls == []
        del exported
        assert calls == [1]

    def test_runs_when_the_handle_is_dropped(self, calls):
        array = np.arange(3.0)
        on_memory_of(array, deleter=lambda: calls.append(1))
        assert calls == [1]

    def test_runs_for_a_copy_at_once(self, calls):
        array = np.arange(3.0)
        clone = HostStorage(array.ctypes.data, 3, "float64", copy=True, deleter=lambda: calls.append(1))
        assert calls == [1]
        assert clone[2] == 2.0

    def test_may_use_the_library(self, calls):
        def deleter():
            with HostStorage(8) as storage:
                calls.append(storage.size)

        array = np.arange(3.0)
        on_memory_of(array, deleter=deleter).release()
        assert calls == [8]

    def test_that_raises_is_reported_where_release_was_called(self, calls):
        def deleter():
            calls.append(1)
            raise ZeroDivisionError("from the deleter")

        array = np.arange(3.0)
        storage = on_memory_of(array, deleter=deleter)
        with pytest.raises(ZeroDivisionError, match="from the deleter"):
            storage.release()
        storage.release()
        del storage
        gc.collect()
        assert calls == [1]

    def test_that_raises_when_dropped_is_reported_by_python(self, reports):
        storage = on_memory_of(np.arange(3.0), deleter=failing)
        del storage
        gc.collect()
        assert reports == ["from the deleter"]

    def test_that_raises_later_is_reported_by_python(self, reports):
        storage = on_memory_of(np.arange(3.0), deleter=failing)
        with inside(HOST):
            del storage
        assert reports == []
        HOST.run_deferred()
        assert reports == ["from the deleter"]

    def test_that_raises_when_work_is_over_is_reported_by_python(self, reports, stream, held):
        """The caller that happens to find the work done has nothing to do with the error."""
        array, target = np.arange(3.0), HostStorage(3, "float64")
        with on_memory_of(array, deleter=failing) as source:
            submit_copy(target, source, stream)
        held.set()
        stream.synchronize()
        HostStorage(8).release()
        assert reports == ["from the deleter"]
        assert target[2] == 2.0

    def test_runs_at_exit_if_a_global_still_looks(self):
        code = (
            "import accel, numpy\n"
            "array = numpy.arange(3.0)\n"
            "ended = lambda: print('ended')\n"
            "c = accel.AcceleratorDataContainer(array.ctypes.data, 3, dtype='float64', deleter=ended)\n"
            "look = numpy.asarray(c)\n"
            "look.base\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")

    def test_memory_of_arrays_is_freed_at_the_end_of_the_interpreter(self, reports, monkeypatch):
        storage = accel.xp.arange(3.0).storage
        monkeypatch.setattr(hazards, "forget_failures", None)  # as Python leaves modules that it has cleared
        del storage
        assert reports == []

    @pytest.mark.parametrize("deleter", [5, "free", True])
    def test_is_a_function(self, deleter):
        with pytest.raises(TypeError, match="called without arguments"):
            on_memory_of(np.arange(3.0), deleter=deleter)

    def test_the_array_looked_at_is_let_go(self):
        array = np.arange(3.0)
        seen = weakref.ref(array)
        storage = HostStorage(array)
        del array
        assert seen() is not None
        storage.release()
        assert seen() is None


class TestGarbageCollection:
    def test_a_finaliser_does_not_wait_for_the_lock(self):
        before = live()
        storage = HostStorage(100)
        with HostStorage(100) as released:
            exported = np.asarray(released)
        with inside(HOST):
            del storage, exported
            assert len(HOST.deferred) == 2
        HOST.run_deferred()
        assert live() == before

    def test_what_is_left_is_done_by_the_next_allocation(self):
        before = live()
        storage = HostStorage(100)
        with inside(HOST):
            del storage
        HostStorage(8).release()
        assert not HOST.deferred
        assert live() == before

    def test_a_great_many_notes_are_done(self):
        before = live()
        storages = [HostStorage(64) for _ in range(20_000)]
        with inside(HOST):
            storages.clear()
            assert len(HOST.deferred) == 20_000
        HOST.run_deferred()
        assert live() == before

    def test_collections_inside_locked_regions(self):
        """Cycles of storages are collected at every allocation, also while the lock of the heap is held."""
        before = live()
        threshold = gc.get_threshold()
        gc.set_threshold(1)
        try:
            for _ in range(300):
                cycle = [HostStorage(64), accel.empty(100)]
                cycle.append(cycle)
        finally:
            gc.set_threshold(*threshold)
        del cycle
        assert live() == before

    def test_a_collection_while_the_backend_allocates(self, monkeypatch):
        """A cycle that dies inside `allocate` is freed later and not in it."""
        before = live()
        allocate = HOST.backend.allocate

        def collecting(*arguments, **keywords):
            gc.collect()
            return allocate(*arguments, **keywords)

        cycle = [HostStorage(64)]
        cycle.append(cycle)
        del cycle
        monkeypatch.setattr(HOST.backend, "allocate", collecting)
        storage = HostStorage(64)
        monkeypatch.undo()
        storage.release()
        assert live() == before


class TestAllocationFailure:
    """The k-th allocation fails, for every k: nothing is left half done."""

    @pytest.mark.parametrize("k", [1, 2])
    @pytest.mark.parametrize(
        "work",
        [
            lambda: accel.container([1, 2, 3]),
            lambda: accel.container([1, 2, 3]).deep_copy(),
            lambda: accel.full(100, 7).to("cpu", copy=True),
            lambda: accel.from_numpy(np.arange(4.0), copy=True),
        ],
    )
    def test_leaves_nothing(self, k, work, monkeypatch):
        before = live()
        counted = iter(range(1, 100))
        allocate = Heap.allocate

        def failing(self, nbytes, *more, **keywords):
            if next(counted) == k:
                raise accel.errors.OutOfMemoryError(f"{nbytes} bytes were asked for")
            return allocate(self, nbytes, *more, **keywords)

        monkeypatch.setattr(Heap, "allocate", failing)
        try:
            work().release()
        except MemoryError:
            pass
        else:
            assert next(counted) <= k
        monkeypatch.undo()
        assert live() == before


def test_a_million_containers_leave_nothing():
    """A hundred thousand here; the benchmark makes the million and looks at the process as well."""
    before = snapshot()
    for _ in range(100_000):
        accel.empty(1000)
    after = snapshot()
    assert (after.live_bytes, after.live_blocks) == (before.live_bytes, before.live_blocks)
