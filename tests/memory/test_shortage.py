"""When memory runs out, all is freed that can be; if that is not enough, the error names the owners."""

import re
import threading

import numpy as np
import pytest

import accel
from accel.errors import OutOfMemoryError
from accel.memory import Limit, Pool, allocating, allocator_of, new_stream
from accel.testing import limit_memory

pytestmark = pytest.mark.usefixtures("no_leaks")
HALF = (1 << 20) // 16  # elements of float64 in half of the memory below


@pytest.fixture(autouse=True)
def small():
    accel.memory.trim("sim")
    with accel.using(sim_memory=1 << 20):
        yield


def test_pools_are_trimmed():
    with allocating("sim", Pool(allocator_of("sim"))):
        accel.empty(HALF, device="sim").release()
        accel.empty(2 * HALF - 8, device="sim").release()


def test_a_pool_that_is_not_in_use_here_is_trimmed_too():
    pool = Pool(allocator_of("sim"))
    with allocating("sim", pool):
        accel.empty(HALF, device="sim").release()
    accel.empty(2 * HALF, device="sim").release()
    assert pool.kept_bytes == 0


def test_cycles_are_collected():
    cycle = [accel.empty(HALF, device="sim"), accel.empty(HALF, device="sim")]
    cycle.append(cycle)
    del cycle
    accel.empty(2 * HALF, device="sim").release()


def test_work_in_flight_that_holds_memory_is_waited_for():
    stream, thread, gate = new_stream("sim"), new_stream("cpu"), threading.Event()
    stream.wait_for(thread.submit(lambda: gate.wait(30)))
    target = accel.empty(HALF)
    accel.empty(HALF, device="sim").deep_copy().release()
    source = accel.zeros(HALF, device="sim")
    target.copy_from_async(source, stream=stream)
    source.release()
    threading.Timer(0.02, gate.set).start()
    with accel.empty(2 * HALF, device="sim"):
        assert gate.is_set()
    stream.close()
    thread.close()


def test_a_thread_that_does_work_does_not_wait_for_its_own():
    """It would wait for ever: its own work is not over before it goes on."""
    source, target = accel.zeros(1 << 16), accel.zeros(1 << 16)
    with new_stream("cpu") as stream, allocating("cpu", Limit(allocator_of("cpu"), 100)):
        begin = threading.Event()
        stream.submit(lambda: begin.wait(30))
        failing = stream.submit(lambda: accel.empty(1000))
        transfer = target.copy_from_async(source, stream=stream)
        begin.set()
        with pytest.raises(OutOfMemoryError, match="of a limit are in use"):
            failing.wait()
        transfer.wait()
    stream.close()


def test_what_a_wait_would_raise_is_left_to_those_who_wait():
    thread = new_stream("cpu")
    failed = thread.submit(lambda: 1 / 0)
    with pytest.raises(OutOfMemoryError), accel.empty(2 * HALF, device="sim"):
        accel.empty(8, device="sim")
    with pytest.raises(ZeroDivisionError):
        failed.wait()
    thread.close()


class TestReport:
    def test_names_the_largest_owners_and_where_they_were_made(self):
        with accel.debug():
            blocks = [accel.empty(100 * size, device="sim") for size in range(1, 8)]
            large = accel.empty(HALF, device="sim")
            with pytest.raises(OutOfMemoryError) as failure:
                accel.empty(HALF, device="sim")
        first, summary, *lines = str(failure.value).splitlines()
        assert first.startswith("524288 bytes were asked for on sim: ")
        assert re.search(r"of its 1048576 bytes are free, and the largest hole has \d+; release", first)
        assert summary == "533.9 KiB are in use there by 8 owners; the largest:"
        assert len(lines) == 5
        assert re.fullmatch(
            r" *512.0 KiB, 1 handle, made at .*test_shortage\.py:\d+ in test_names_the_largest.*", lines[0]
        )
        for each in (*blocks, large):
            each.release()

    def test_says_how_to_learn_where_they_were_made(self):
        with accel.empty(HALF, device="sim") as c, c.share(), pytest.raises(OutOfMemoryError) as failure:
            accel.empty(HALF + 1, device="sim")
        assert "(ACCEL_DEBUG=1 tells where they were made)" in str(failure.value)
        assert "512.0 KiB, 2 handles" in str(failure.value)

    def test_counts_what_keeps_it_alive(self):
        c = accel.zeros(100)
        array = np.asarray(c)
        limit = Limit(allocator_of("cpu"), 0)
        with allocating("cpu", limit), pytest.raises(OutOfMemoryError, match=r"1 handle, kept alive by 1 more"):
            accel.zeros(1)
        del array
        c.release()

    def test_of_what_no_device_has_is_short(self):
        with pytest.raises(OutOfMemoryError) as failure:
            accel.empty(1 << 40, device="sim")
        assert "\n" not in str(failure.value)


def test_room_that_comes_in_time_is_no_fault():
    cycle = [accel.empty(1000, device="sim")]
    cycle.append(cycle)
    with limit_memory(0, "sim"):
        del cycle
        accel.empty(1000, device="sim").release()
