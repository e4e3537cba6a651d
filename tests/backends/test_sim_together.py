"""Simulated streams together with host threads, arrays, transfers, and the exit of the process."""

import pytest

import accel
from accel import Device, xp

pytestmark = pytest.mark.usefixtures("sim")


class TestFromInside:
    def test_work_that_waits_for_work_is_refused_and_not_lost(self, sim):
        one, other = (sim.new_stream(Device.SIM) for _ in range(2))
        event = other.submit("the other", lambda operation: None)
        one.submit("one", lambda operation: event.wait())
        with pytest.raises(RuntimeError, match=r"is waited for while one on stream .* is running in the same thread"):
            one.synchronize()
        event.wait()

    def test_a_thread_of_the_host_copies_while_a_stream_waits_for_it(self, sim):
        thread, stream = accel.new_stream("cpu"), accel.new_stream("sim")
        host, there, further = accel.full(100_000, 7.0), *(accel.empty(100_000, device="sim") for _ in range(2))
        arriving = there.copy_from_async(host, stream=thread)
        further.copy_from_async(there, stream=stream).wait()
        assert arriving.done()
        assert further.to_numpy()[99_999] == 7
        thread.close()


class TestArraysAndTransfers:
    def test_moving_an_array_on_a_stream_comes_after_its_computation(self, sim):
        x = xp.ones(10, device="sim") + 1
        stream = accel.new_stream("sim")
        assert float(x.to_device("cpu", stream=stream)[3]) == 2

    def test_so_does_copying_its_container(self, sim):
        x = xp.ones(10, device="sim") + 1
        stream, result = accel.new_stream("sim"), accel.empty(10)
        result.copy_from_async(x.container(), stream=stream).wait()
        assert result[3] == 2


def test_transfers_that_nobody_asks_about_are_let_go_of(sim, heap):
    stream, source, target = accel.new_stream("sim"), accel.zeros(10), accel.empty(10, device="sim")
    for _ in range(300):
        target.copy_from_async(source, stream=stream)
        stream.synchronize()
    assert len(heap.pending_work) < 40


def test_races_of_work_that_nobody_waited_for_are_shown_at_exit(python):
    printed = python("""
        import sys

        import accel

        target = accel.zeros(10, device="sim")
        for source in (accel.zeros(10), accel.full(10, 1.0)):
            backend = accel.memory.heap_of(accel.Device.SIM).backend
            span, out_of = target.__accel_operand__().span, source.__accel_operand__().span
            backend.copy(span, out_of, stream=accel.new_stream("sim"))
        sys.stderr = sys.stdout
    """)
    assert printed.count("errors.RaceError: a race") == 1
    assert "nothing orders the two" in printed
