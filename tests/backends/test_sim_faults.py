"""Faults on demand: each strikes once, at its turn, and the house leaves nothing half done."""

import gc
from functools import partial

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.errors import DeviceLostError, OutOfMemoryError

pytestmark = pytest.mark.usefixtures("sim")


def program():
    """Use every way to memory and every way to copy."""
    stream = accel.new_stream("sim")
    with accel.container(np.arange(10.0), device="sim") as c, c.deep_copy() as copied, c.to("sim:1") as there:
        x = xp.asarray(copied)
        y = xp.linalg.svd(xp.reshape(x, (2, 5)) + 1).S
        x *= 2
        there.copy_from_async(c, stream=stream).wait()
        assert there.to_numpy().tolist() == list(range(10))
        return float(y[0])


def sweep(sim, fail, kind):
    """Let the program fail at each of its chances in turn; return how many there were."""
    chances = 0
    while strikes(sim, partial(fail, chances + 1), kind):
        chances += 1
    return chances


def strikes(sim, fail, kind):
    """Tell whether a failure that was asked for came; the program must raise it, and leave nothing."""
    failed = False
    with sim.faults:
        fail()
        try:
            program()
        except kind as error:
            failed = "made to fail" in str(error)
        struck = not sim.faults.pending
    gc.collect()
    accel.memory.snapshot()
    assert failed == struck
    assert [sim.used(device) for device in sim.devices()] == [0] * 4
    return struck


def test_any_allocation_may_fail_and_nothing_is_left(sim):
    assert sweep(sim, sim.faults.fail_allocation, OutOfMemoryError) > 5
    assert program() > 0


def test_any_copy_may_fail_and_nothing_is_left(sim):
    assert sweep(sim, sim.faults.fail_copy, DeviceLostError) > 4
    assert program() > 0


class TestFaults:
    def test_strike_once_at_their_turn(self, sim):
        sim.faults.fail_allocation(2)
        accel.empty(3, device="sim").release()
        assert sim.faults.pending
        with pytest.raises(OutOfMemoryError, match="24 bytes were asked for on sim; this allocation was made to fail"):
            accel.empty(3, device="sim")
        assert not sim.faults.pending
        accel.empty(3, device="sim").release()

    def test_strike_results_of_computations(self, sim):
        x = xp.zeros(3, device="sim")
        sim.faults.fail_allocation(1)
        with pytest.raises(OutOfMemoryError):
            x + 1
        assert float(xp.sum(x + 1)) == 3

    def test_end_with_their_block(self, sim):
        with sim.faults as faults:
            faults.fail_copy(1)
            faults.fail_allocation(1)
            faults.lose(Device.SIM)
        assert not faults.pending
        assert accel.zeros(3, device="sim").to_numpy().tolist() == [0, 0, 0]

    @pytest.mark.parametrize("k", [0, -1])
    def test_count_from_one(self, sim, k):
        for fail in (sim.faults.fail_allocation, sim.faults.fail_copy):
            with pytest.raises(ValueError, match="the next one is 1"):
                fail(k)


class TestLost:
    def test_everything_on_the_device_fails_but_giving_back(self, sim):
        host, stream = accel.zeros(3), accel.new_stream("sim")
        c = accel.container([1.0, 2.0, 3.0], device="sim")
        x = xp.asarray(c)
        with sim.faults:
            transfer = host.copy_from_async(c, stream=stream)
            sim.faults.lose(Device.SIM)
            uses = (
                lambda: accel.empty(3, device="sim"),
                lambda: x + 1,
                lambda: x.__setitem__(0, 1),
                c.to_numpy,
                lambda: c.fill(0),
                transfer.wait,
                lambda: sim.synchronize(Device.SIM),
            )
            for use in uses:
                with pytest.raises(DeviceLostError, match="what is on the host can still be saved"):
                    use()
            x = None
            c.release()
            assert accel.zeros(3, device="sim:1").to_numpy().tolist() == [0, 0, 0]
        host.fill(1)
        assert host.to_numpy().tolist() == [1, 1, 1]
