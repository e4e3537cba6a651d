"""Threads, signals, forks and user code that run in the middle of an operation do no harm."""

import gc
import os
import signal
import sys
import threading
import time
import warnings
import weakref

import numpy as np
import pytest

import accel
from accel import HostStorage
from accel.memory import snapshot


def live():
    gc.collect()
    return snapshot().live_blocks


def on_memory_of(array, **how):
    """Look at an array by its address, so that only the deleter knows when the last use ends."""
    return HostStorage(array.ctypes.data, array.size, dtype=array.dtype, **how)


class TestThreads:
    THREADS, ROUNDS = 8, 2000

    def run(self, work):
        failures = []

        def guarded():
            try:
                work()
            except BaseException as error:
                failures.append(error)

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            threads = [threading.Thread(target=guarded) for _ in range(self.THREADS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
            assert not any(thread.is_alive() for thread in threads)
        finally:
            sys.setswitchinterval(interval)
        assert failures == []

    @pytest.mark.gil
    def test_sharing_and_releasing(self):
        before = live()
        storage = HostStorage(100)

        def work():
            for number in range(self.ROUNDS):
                shared = storage.share()
                if number % 2:
                    shared.release()

        self.run(work)
        assert storage.ref_count == 1
        storage.release()
        assert live() == before

    @pytest.mark.gil
    def test_releasing_one_handle_from_all(self):
        before = live()
        for _ in range(200):
            storage = HostStorage(100)
            keep = storage.share()
            barrier = threading.Barrier(4)

            def work(storage=storage, barrier=barrier):
                barrier.wait(60)
                storage.release()

            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
            assert keep.ref_count == 1
            keep.release()
        assert live() == before

    def test_making_exporting_and_dropping(self):
        before = live()

        def work():
            for number in range(self.ROUNDS // 4):
                c = accel.full(100, number, "int64")
                array = np.asarray(c)
                c.release()
                assert (array == number).all()

        self.run(work)
        assert live() == before

    @pytest.mark.gil
    def test_the_deleter_runs_once_in_the_last_thread(self):
        array = np.arange(3.0)
        calls = []
        for _ in range(50):
            storage = on_memory_of(array, deleter=lambda: calls.append(1))
            handles = [storage.__copy__() for _ in range(self.THREADS)]
            storage.release()
            self.run(lambda handles=handles: handles.pop().release())
        assert len(calls) == 50


@pytest.mark.slow
def test_a_fork_finds_the_lock_free():
    if not hasattr(os, "fork"):
        return
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            accel.empty(100)

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        for _ in range(20):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of any fork with threads
                child = os.fork()
            if child == 0:
                accel.empty(100).release()
                os._exit(0)
            deadline = time.monotonic() + 60
            while (done := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
                time.sleep(0.001)
            assert done == (child, 0)
    finally:
        stop.set()
        thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("size", [10, 100_000])
def test_after_a_fork_each_process_has_bytes_of_its_own(size):
    c = accel.full(size, 1.0)
    child = os.fork()
    if child == 0:
        c.fill(7.0)
        os._exit(int(c.load(0) != 7))
    assert os.waitpid(child, 0) == (child, 0)
    assert (c.to_numpy() == 1).all()
    c.release()


def test_owners_are_looked_for_while_others_are_made():
    """Other objects are made too: a tuple with a second reference cannot be resized."""
    stop, tuples = threading.Event(), []

    def busy():
        while not stop.is_set():
            accel.empty(10)
            tuples[:] = [tuple(str(number) for number in range(100))]

    threads, interval = [threading.Thread(target=busy) for _ in range(2)], sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for _ in range(50):
            assert snapshot().owners == () or tuples
        assert all(thread.is_alive() for thread in threads)
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        for thread in threads:
            thread.join()


class TestOthersCode:
    """User code that runs inside a call of accel does no harm."""

    @pytest.mark.gil
    def test_release_in_another_thread_while_memory_is_used(self):
        """Bytes in use are not allocated again: each round fails if the values of the next owner change."""
        uses = (
            lambda c: c.fill(1),
            lambda c: c.copy_from(ones),
            lambda c: c.store(0, values),
            lambda c: c.from_numpy(values),
        )
        size = 8000
        values, ones = np.ones(size), accel.full(size, 1.0)
        for use in uses:
            for _ in range(150):
                c = accel.empty(size)
                thread = threading.Thread(target=self.released_and_replaced, args=(c, wrong := []))
                thread.start()
                try:
                    for _ in range(3):
                        use(c)
                except accel.errors.ReleasedError:
                    pass
                thread.join()
                assert wrong == []

    def released_and_replaced(self, c, wrong):
        c.release()
        other = accel.full(8000, 7.0)
        for _ in range(5):
            if not (other.to_numpy() == 7.0).all():
                wrong.append(other)

    def test_an_index_that_releases(self):
        storage = HostStorage(8)

        class Sly:
            def __index__(self):
                storage.release()
                return 0

        other = []
        with pytest.raises(accel.errors.ReleasedError):
            storage[Sly()] = 9
        other.append(HostStorage(8))
        with pytest.raises(accel.errors.ReleasedError):
            storage[Sly()]
        with pytest.raises(accel.errors.ReleasedError):
            storage.offset(Sly())

    def test_a_finaliser_that_uses_what_was_finalised(self):
        storages = []

        class Late:
            def __init__(self):
                self.storage, self.me = HostStorage(8), self

            def __del__(self):
                storages.append(self.storage)

        for _ in range(20):
            Late()
        gc.collect()
        fresh = [HostStorage(8) for _ in range(40)]
        for storage in fresh:
            storage.store(0, [1] * 8)
        for storage in storages:
            if not storage.released:
                storage.store(0, [9] * 8)
        assert all(list(storage.load(0, 8)) == [1] * 8 for storage in fresh)

    def test_a_finaliser_that_releases_another_with_the_lock_held(self):
        array = np.arange(4.0)
        other = HostStorage(8)
        weakref.finalize(array, other.release)
        storage = HostStorage(array)
        del array
        storage.release()
        assert other.released

    def test_a_collected_object_that_releases_with_the_lock_held(self):
        before = live()

        class Holder:
            def __init__(self):
                self.c, self.me = accel.empty(8), self

            def __del__(self):
                self.c.release()

        threshold = gc.get_threshold()
        gc.set_threshold(7)
        try:
            for _ in range(5000):
                Holder()
                accel.empty(8)
        finally:
            gc.set_threshold(*threshold)
        assert live() == before

    @pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
    def test_interrupts_at_any_moment_leave_no_lock_behind(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        hook, sys.unraisablehook = sys.unraisablehook, lambda report: None
        try:
            deadline = time.monotonic() + 1
            while time.monotonic() < deadline:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 1e-5)
                    for _ in range(100):
                        accel.empty(8)
                        accel.empty(8).release()
                except KeyboardInterrupt:
                    pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            sys.unraisablehook = hook
        thread = threading.Thread(target=lambda: accel.empty(8).release())
        thread.start()
        thread.join(60)
        assert not thread.is_alive()
