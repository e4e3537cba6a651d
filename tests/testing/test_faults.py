"""Faults and leak counters: each is seen to strike, at its turn and on its device only."""

import pytest

import accel
from accel import Device
from accel.errors import DeviceLostError, OutOfMemoryError
from accel.testing import fail_allocation, fail_copy, limit_memory, no_leaks


def test_only_the_kth_allocation_fails():
    with fail_allocation(2) as fault:
        first = accel.empty(3)
        assert not fault.happened
        with pytest.raises(OutOfMemoryError, match="24 bytes were asked for on cpu; a test lets this allocation fail"):
            accel.empty(3)
        assert fault.happened
        assert accel.empty(3).size == first.size
    assert fault.seen == 3


def test_only_the_kth_copy_fails():
    source, target = accel.container([1.0, 2.0]), accel.zeros(2)
    with fail_copy(2) as fault:
        target.copy_from(source)
        with pytest.raises(DeviceLostError, match="a test lets this copy on cpu fail"):
            target.copy_from(source)
        target.copy_from(source)
    assert fault.happened
    assert list(target.to_numpy()) == [1.0, 2.0]


def test_memory_is_limited_to_so_much_more_and_can_be_had_again():
    with limit_memory(10_000):
        first = accel.empty(8_000, "uint8")
        with pytest.raises(OutOfMemoryError, match="a test limits it to"):
            accel.empty(8_000, "uint8")
        first.release()
        accel.empty(8_000, "uint8")
    accel.empty(20_000, "uint8")


@pytest.mark.usefixtures("toy")
def test_a_fault_is_for_one_device():
    with fail_allocation(1, Device.SIM) as fault:
        accel.empty(3)
        accel.empty(3, device="sim:1")
        assert not fault.happened
        with pytest.raises(OutOfMemoryError):
            accel.empty(3, device="sim")


def test_calls_are_counted_from_one():
    with pytest.raises(ValueError, match="counted from 1; found 0"), fail_allocation(0):
        pass


@pytest.mark.parametrize("fault", [lambda: fail_allocation(1), lambda: fail_copy(1), lambda: limit_memory(0)])
def test_a_fault_ends_with_its_block_also_by_an_error(fault):
    with pytest.raises(KeyError), fault():
        raise KeyError
    assert list(accel.zeros(2).deep_copy().to_numpy()) == [0, 0]


def test_a_leak_is_counted_by_device(toy):
    kept = []
    with pytest.raises(AssertionError, match=r"^sim: 2 blocks more in use than before, 48 bytes$"), no_leaks():
        kept += [accel.empty(3, device="sim"), accel.empty(3, device="sim")]


def test_an_export_that_outlives_its_container_is_a_leak():
    kept = []
    with pytest.raises(AssertionError, match="cpu: 1 block more"), no_leaks(), accel.zeros(3) as c:
        kept.append(c.memoryview())


def test_what_was_there_before_and_what_is_given_back_is_no_leak():
    before = accel.zeros(3)
    with no_leaks():
        accel.zeros(3).to_numpy()
        before.release()


def leave_by_an_error(kept):
    with no_leaks():
        kept.append(accel.zeros(3))
        raise KeyError


def test_the_error_of_the_block_is_the_one_that_is_told():
    with pytest.raises(KeyError):
        leave_by_an_error([])
