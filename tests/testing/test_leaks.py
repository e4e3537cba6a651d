"""`no_leaks` counts the memory that is left in use on each device, and nothing else."""

import pytest

import accel
from accel import xp
from accel.testing import no_leaks


def test_a_leak_is_counted_by_device(toy):
    kept = []
    with pytest.raises(AssertionError, match=r"^sim: 2 blocks more in use than before, 48 bytes\n"), no_leaks():
        kept += [accel.empty(3, device="sim"), accel.empty(3, device="sim")]


def test_a_leak_on_each_device(place):
    kept = []
    with pytest.raises(AssertionError, match=rf"^{place}: 1 block more in use than before, 8192 bytes\n"), no_leaks():
        kept.append(accel.zeros(1024))


def test_an_export_that_outlives_its_container_is_a_leak():
    kept = []
    with pytest.raises(AssertionError, match="cpu: 1 block more"), no_leaks(), accel.zeros(3) as c:
        kept.append(c.memoryview())


def test_a_result_of_a_computation_is_a_leak_of_a_simulated_device():
    kept, x = [], xp.ones(1000, device="sim")
    message = r"^sim: results of computations more in use than before, 8000 bytes$"
    with pytest.raises(AssertionError, match=message), no_leaks():
        kept.append((x + 1)[10:])


def test_what_was_there_before_and_what_is_given_back_is_no_leak(place):
    before, x = accel.zeros(3), xp.ones(1000)
    with no_leaks():
        accel.zeros(3).to_numpy()
        x = x + 1
        before.release()


def test_what_waits_to_be_collected_is_no_leak(place):
    with no_leaks():
        cycle = [accel.zeros(3)]
        cycle.append(cycle)
        del cycle


def test_work_that_is_over_is_no_leak():
    stream = accel.new_stream("cpu")
    with no_leaks():
        accel.zeros(100_000).copy_from_async(accel.zeros(100_000), stream=stream)
        stream.synchronize()
    stream.close()


def test_work_in_flight_on_a_simulated_device_is_no_leak():
    stream = accel.new_stream("sim")
    with no_leaks():
        accel.zeros(1024, device="sim").copy_from_async(accel.zeros(1024), stream=stream)


def leave_by_an_error(kept):
    with no_leaks():
        kept.append(accel.zeros(3))
        raise KeyError


def test_the_error_of_the_block_is_the_one_that_is_told(place):
    with pytest.raises(KeyError):
        leave_by_an_error([])
