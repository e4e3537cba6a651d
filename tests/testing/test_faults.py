"""Faults on demand: each happens at its call and on its device, and nowhere else."""

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.abc import Leaf, Operand, Plan, Span
from accel.errors import CapabilityError, DeviceLostError, OutOfMemoryError
from accel.memory import heap_of
from accel.testing import fail_allocation, fail_copy, limit_memory, lose_device
from accel.testing.blocks import lent


def test_only_the_kth_allocation_fails(place):
    with fail_allocation(2) as fault:
        first = accel.empty(3)
        assert not fault.happened
        with pytest.raises(OutOfMemoryError, match=f"24 bytes were asked for on {place}; a test lets this allocation"):
            accel.empty(3)
        assert fault.happened
        assert accel.empty(3).size == first.size
    assert fault.seen == 3


def test_cleared_memory_is_an_allocation_too(place):
    with fail_allocation(2) as fault:
        accel.empty(3)
        with pytest.raises(OutOfMemoryError, match="a test lets this allocation"):
            accel.zeros(3)
        accel.zeros(3)
    assert fault.seen == 3


def test_only_the_kth_copy_fails(place):
    source, target = accel.full(1000, 2.0), accel.zeros(1000)
    with fail_copy(2) as fault:
        target.copy_from(source)
        with pytest.raises(DeviceLostError):
            target.copy_from(source)
        target.copy_from(source)
    assert fault.happened
    assert set(target.to_numpy()) == {2.0}


def test_strided_copies_are_copies(place):
    heap, plan = heap_of(place), Plan((Leaf(10, 2, 1),), 1)
    with lent(heap, 100) as block:
        target, source = (Operand(Span(block, start, 50), 0, np.dtype("uint8"), (10,), (1,)) for start in (0, 50))
        with fail_copy(1), pytest.raises(DeviceLostError):
            heap.backend.copy_strided(target, source, plan, stream=None), heap.synchronize()


def test_a_copy_on_a_stream_fails_where_it_is_waited_for(place):
    stream, target = accel.new_stream(), accel.zeros(2)
    with fail_copy(1) as fault:
        transfer = target.copy_from_async(accel.zeros(2), stream=stream)
        transfer.event.settle()
        assert fault.happened
        with pytest.raises(DeviceLostError):
            transfer.wait()
    stream.close()


def test_memory_is_limited_to_so_much_more_and_can_be_had_again(place):
    with limit_memory(10_000):
        first = accel.empty(8_000, "uint8")
        with pytest.raises(OutOfMemoryError, match="a test limits it to"):
            accel.empty(8_000, "uint8")
        first.release()
        accel.empty(8_000, "uint8")
    accel.empty(20_000, "uint8")


@pytest.mark.parametrize("fault", [lambda: fail_allocation(1, "sim"), lambda: limit_memory(500, "sim")])
@pytest.mark.parametrize("before", [True, False], ids=["computed", "not-computed"])
def test_results_of_computations_are_allocations_of_a_simulated_device(fault, before):
    x = xp.ones(100, device="sim")
    if before:
        x + 1
    with fault(), pytest.raises(OutOfMemoryError, match="a test"):
        x + 1
    assert float(xp.sum(x + 1)) == 200


@pytest.mark.usefixtures("toy")
def test_a_fault_is_for_one_device_of_its_backend():
    with fail_allocation(1, Device.SIM) as fault:
        accel.empty(3)
        accel.empty(3, device="sim:1")
        assert not fault.happened
        with pytest.raises(OutOfMemoryError):
            accel.empty(3, device="sim")


def test_a_fault_on_a_simulated_device_is_for_that_one():
    with fail_allocation(1, "sim"), limit_memory(0, "sim"), lose_device("sim"):
        assert accel.zeros(3, device="sim:1").to_numpy().tolist() == [0, 0, 0]


def test_faults_are_counted_apart(place):
    with fail_allocation(1) as outer, fail_allocation(1) as inner, fail_copy(1) as copy:
        for _ in range(2):  # where the inner one strikes, the outer one is not asked
            with pytest.raises(OutOfMemoryError):
                accel.empty(3)
        accel.empty(3)
    assert (inner.seen, outer.seen, copy.seen) == (3, 2, 0)


def test_an_inner_fault_does_not_end_an_outer_one(place):
    c = accel.zeros(3)
    with fail_copy(1) as outer, fail_copy(5):
        with pytest.raises(DeviceLostError):
            c.deep_copy()
        assert outer.happened


def test_calls_are_counted_from_one():
    with pytest.raises(ValueError, match="counted from 1; found 0"), fail_allocation(0):
        pass


FAULTS = [lambda: fail_allocation(1), lambda: fail_copy(1), lambda: limit_memory(0)]


@pytest.mark.parametrize("fault", [*FAULTS, lambda: lose_device("sim")])
def test_a_fault_ends_with_its_block_also_by_an_error(place, fault):
    with pytest.raises(KeyError), fault():
        raise KeyError
    assert list(accel.zeros(2).deep_copy().to_numpy()) == [0, 0]


class TestLost:
    @pytest.mark.parametrize(
        "use",
        [
            lambda c: accel.empty(3, device="sim"),
            lambda c: c.to_numpy(),
            lambda c: c.fill(1),
            lambda c: xp.asarray(c) + 1,
            lambda c: c.copy_from_async(accel.zeros(3), stream=accel.new_stream("sim")).wait(),
        ],
    )
    def test_everything_on_the_device_fails(self, use):
        c = accel.zeros(3, device="sim")
        with lose_device("sim"), pytest.raises(DeviceLostError, match="a test lets sim be lost; what is on the host"):
            use(c)
        assert accel.zeros(3, device="sim").to_numpy().tolist() == [0, 0, 0]

    def test_but_giving_back(self):
        c = accel.zeros(3, device="sim")
        with lose_device("sim"):
            c.release()

    def test_two_can_be(self):
        with lose_device("sim"), lose_device("sim:1"):
            for device in ("sim", "sim:1"):
                with pytest.raises(DeviceLostError, match=f"a test lets {device} be lost"):
                    accel.empty(3, device=device)

    def test_the_host_cannot_be(self):
        with pytest.raises(CapabilityError, match=r"cpu cannot be lost on demand.*lose_device\('sim'\)"), lose_device():
            pass
