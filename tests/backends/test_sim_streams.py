"""Streams of simulated devices: they run late, in a random order by a seed, and each stream in its own order."""

import gc
import os
import threading
from collections import deque

import numpy as np
import pytest
from accel.backends.sim import races, scheduler

import accel
from accel import Device, xp
from accel.abc import Span
from accel.errors import DeviceLostError
from accel.memory.thread_stream import ThreadStream
from accel.testing import fail_copy
from accel.testing.blocks import give_back, host_span, lent, random_bytes

pytestmark = pytest.mark.usefixtures("sim")


class Tape:
    """Several streams with copies, each of which writes one byte of the host: the bytes show the progress."""

    def __init__(self, sim, heap, streams, steps):
        self.heap = heap
        self.block = heap.allocate(64)
        self.steps = np.zeros((streams, steps), np.uint8)
        self.streams = [sim.new_stream(Device.SIM) for _ in range(streams)]
        for number, stream in enumerate(self.streams):
            for step in range(steps):
                target = host_span(self.steps[number, step : step + 1])
                sim.copy(target, Span(self.block, 0, 1), stream=stream)

    def state(self):
        return tuple(int(row.astype(bool).sum()) for row in self.steps)

    def end(self):
        for stream in self.streams:
            stream.close()
        give_back(self.heap, self.block)


@pytest.fixture
def tape(sim, heap):
    result = Tape(sim, heap, streams=3, steps=4)
    yield result
    result.end()


def histories(sim, heap, seed):
    """Return the progress of each stream after each poll."""
    with accel.using(sim_seed=seed):
        sim.reseed(seed)
        tape = Tape(sim, heap, streams=3, steps=4)
        last, seen = tape.streams[0].record(), []
        while not last.done():
            seen.append(tape.state())
        seen.append(tape.state())
        tape.end()
        return seen


class TestLate:
    def test_nothing_runs_when_it_is_submitted(self, tape):
        assert tape.state() == (0, 0, 0)
        gc.collect()
        assert tape.state() == (0, 0, 0)

    def test_waiting_runs_what_is_waited_for_and_perhaps_more(self, tape, seed):
        tape.streams[1].record().wait()
        assert tape.state()[1] == 4

    def test_the_order_is_that_of_the_seed(self, sim, heap):
        assert histories(sim, heap, 5) == histories(sim, heap, 5)
        assert len({tuple(histories(sim, heap, seed)) for seed in range(10)}) == 10

    def test_other_streams_are_anywhere(self, sim, heap):
        ends = {histories(sim, heap, seed)[-1][1:] for seed in range(30)}
        assert len(ends) > 8

    def test_each_stream_is_in_order(self, sim, heap):
        for seed in range(10):
            tape = Tape(sim, heap, streams=2, steps=6)
            with accel.using(sim_seed=seed):
                while not tape.streams[0].record().done():
                    done = tape.steps.astype(bool)
                    assert (np.sort(done, axis=1)[:, ::-1] == done).all()
                tape.end()

    def test_polling_never_waits(self, sim, heap):
        gate = threading.Event()
        thread, stream = ThreadStream(), sim.new_stream(Device.SIM)
        stream.wait_for(thread.submit(lambda: gate.wait(30)))
        event = stream.record()
        assert not any(event.done() for _ in range(100))
        gate.set()
        event.wait()
        thread.close()

    def test_an_event_is_not_done_while_another_thread_runs_the_work(self, tape):
        event = tape.streams[0].record()
        waiter = threading.Thread(target=event.wait)
        waiter.start()
        while not event.done():
            pass
        waiter.join()
        assert tape.state()[0] == 4


class TestOrder:
    @pytest.mark.parametrize("other", ["sim", "sim:1"])
    def test_a_stream_waits_for_an_event_of_whatever_device(self, sim, seed, other):
        first, second = accel.new_stream("sim"), accel.new_stream(other)
        a, b = accel.container(np.arange(100), device="sim"), accel.zeros(100, "int64", other)
        spans = [each.__accel_operand__().span for each in (b, a)]
        result = np.zeros(800, np.uint8)
        sim.copy(*spans, stream=first)
        second.wait_for(first.record())
        sim.copy(host_span(result), spans[0], stream=second)
        second.synchronize()
        assert np.array_equal(result.view(np.int64), np.arange(100))

    def test_a_chain_through_many_streams(self, sim, heap, seed):
        streams = [sim.new_stream(Device.SIM) for _ in range(20)]
        with lent(heap, 21) as block:
            sim.copy(Span(block, 0, 1), host_span(np.array([7], np.uint8)), stream=streams[0])
            for number, stream in enumerate(streams):
                if number:
                    stream.wait_for(streams[number - 1].record())
                sim.copy(Span(block, number + 1, 1), Span(block, number, 1), stream=stream)
            result = np.zeros(21, np.uint8)
            sim.copy(host_span(result), Span(block, 0, 21), stream=streams[-1])
            streams[-1].synchronize()
        assert set(result) == {7}

    def test_two_devices_and_no_stream(self, sim):
        a = accel.container(np.arange(100), device="sim")
        b = accel.empty(100, "int64", "sim:1")
        with accel.new_stream("sim"), accel.new_stream("sim:1"):
            accel.xp.asarray(a)[...] = 5
            b.copy_from(a)
            accel.xp.asarray(a)[...] = 6
        assert b.to_numpy().tolist() == [5] * 100

    def test_transfers_of_containers_are_ordered_by_the_house(self, seed):
        streams = [accel.new_stream(device) for device in ("sim", "sim", "sim:1")]
        source, result = accel.container(np.arange(1000)), accel.empty(1000, "int64")
        there, further = accel.empty(1000, "int64", "sim"), accel.empty(1000, "int64", "sim:1")
        there.copy_from_async(source, stream=streams[0])
        further.copy_from_async(there, stream=streams[2])
        there.copy_from_async(accel.zeros(1000, "int64"), stream=streams[1])
        result.copy_from_async(further, stream=streams[2])
        assert np.array_equal(result.to_numpy(), np.arange(1000))
        assert not there.to_numpy().any()


class TestDeadlock:
    def test_says_what_waits_for_what(self):
        class Never:
            ended = None

            def done(self):
                return False

            def settle(self):
                """Return although the event is not reached."""

            def __repr__(self):
                return "<an event that never comes>"

        alone = scheduler.Scheduler()  # not the backend's: work that this test leaves delays no other test
        first, second = alone.new_stream(Device.SIM), alone.new_stream(Device.SIM)
        first.wait_for(Never())
        second.wait_for(first.record())
        with pytest.raises(RuntimeError, match="deadlock") as caught:
            second.synchronize()
        text = str(caught.value)
        assert text.count("test_sim_streams.py") == 2
        assert text.index(second.name) < text.index(first.name) < text.index("never comes")


class TestErrors:
    def test_are_raised_where_they_are_waited_for_each_time(self, sim, heap):
        stream = sim.new_stream(Device.SIM)
        with lent(heap, 100) as block:
            with fail_copy(1, Device.SIM):
                sim.copy(Span(block, 0, 50), Span(block, 50, 50), stream=stream)
            event = stream.record()
            event.settle()
            for _ in range(3):
                with pytest.raises(DeviceLostError, match="was made to fail") as caught:
                    event.wait()
            assert caught.value.__notes__ == [f"in a copy on {stream.name}, submitted at {place(caught)}"]
            stream.synchronize()  # the errors were reported already

    @pytest.mark.parametrize("wait", ["stream", "device", "close"])
    def test_that_nobody_saw_are_raised_once(self, sim, heap, wait):
        stream = sim.new_stream(Device.SIM)
        with lent(heap, 100) as block:
            with fail_copy(1, Device.SIM):
                sim.copy(Span(block, 0, 50), Span(block, 50, 50), stream=stream)
            calls = {"stream": stream.synchronize, "close": stream.close, "device": lambda: sim.synchronize(Device.SIM)}
            with pytest.raises(DeviceLostError):
                calls[wait]()
            calls[wait]()

    def test_do_not_stop_the_work_behind(self, sim, heap):
        stream, result = sim.new_stream(Device.SIM), np.zeros(10, np.uint8)
        with lent(heap, 10) as block:
            with fail_copy(1, Device.SIM):
                sim.copy(Span(block, 0, 5), Span(block, 5, 5), stream=stream)
            sim.copy(Span(block, 0, 10), host_span(random_bytes(10)), stream=stream)
            sim.copy(host_span(result), Span(block, 0, 10), stream=stream)
            stream.record().wait()
            assert np.array_equal(result, random_bytes(10))
            with pytest.raises(DeviceLostError):
                stream.close()

    def test_a_stream_of_another_kind(self, sim, heap):
        with lent(heap, 10) as block, pytest.raises(accel.errors.DeviceMismatchError, match=r"new_stream\('sim'\)"):
            sim.copy(Span(block, 0, 5), Span(block, 5, 5), stream=ThreadStream())

    def test_interrupted_work_is_reported_and_not_done_twice(self, sim, heap, monkeypatch):
        tape, run = Tape(sim, heap, streams=1, steps=4), np.copyto

        def interrupted(*arguments):
            monkeypatch.setattr(np, "copyto", run)
            raise KeyboardInterrupt

        monkeypatch.setattr(np, "copyto", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tape.streams[0].synchronize()
        with pytest.raises(
            RuntimeError, match=r"a copy on stream .* was interrupted, and what it writes is incomplete"
        ):
            tape.streams[0].synchronize()
        assert tape.state() == (3,)
        tape.end()


def place(caught):
    return caught.value.__notes__[0].rpartition("submitted at ")[2]


def timed(sim, device=Device.SIM):
    stream = sim.new_stream(device)
    stream.timed = True
    return stream


class TestClock:
    def test_copies_on_two_streams_overlap(self, sim, heap, monkeypatch):
        monkeypatch.setattr("accel.backends.sim.streams._BANDWIDTH", 1e5)  # longer than any pause of this process
        streams = [timed(sim) for _ in range(2)]
        with lent(heap, 2 << 20) as block, lent(heap, 2 << 20) as other:
            events = []
            for each, stream in zip((block, other), streams, strict=True):
                sim.copy(Span(each, 0, 1 << 20), Span(each, 1 << 20, 1 << 20), stream=stream)
                events.append(stream.record())
            sim.synchronize(Device.SIM)
        assert max(event.began for event in events) < min(event.ended for event in events)

    def test_work_takes_as_long_as_its_bytes(self, sim, heap):
        stream = timed(sim)
        with lent(heap, 1 << 20) as block:
            events = []
            for nbytes in (0, 1 << 18, 1 << 19):
                sim.copy(Span(block, 0, nbytes), Span(block, 1 << 19, nbytes), stream=stream)
                events.append(stream.record())
            stream.synchronize()
        nothing, some, more = (event.ended - event.began for event in events)
        assert more - nothing == pytest.approx(2 * (some - nothing), rel=1e-3)

    def test_what_waits_begins_after_what_it_waits_for(self, sim, seed):
        first, second = timed(sim), timed(sim, Device.SIM[1])
        early = first.record()
        second.wait_for(early)
        late = second.record()
        late.wait()
        assert early.ended <= late.began


class TestThreads:
    def test_many_wait_and_submit_at_once(self, sim, heap, seed):
        result, failures = np.zeros((6, 40), np.uint8), []

        def work(number):
            try:
                stream = sim.new_stream(Device.SIM)
                with lent(heap, 40) as block:
                    for step in range(40):
                        sim.copy(Span(block, step, 1), host_span(np.array([number + 1], np.uint8)), stream=stream)
                        stream.record().wait() if step % 3 else stream.record().done()
                    sim.copy(host_span(result[number]), Span(block, 0, 40), stream=stream)
                    stream.close()
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert all(set(row) == {number + 1} for number, row in enumerate(result))

    def test_the_last_task_of_a_stream_may_run_while_another_thread_looks_at_it(self, sim):
        class Run(deque):
            def __getitem__(self, place):
                self.clear()
                return super().__getitem__(place)

        task = sim.new_stream(Device.SIM).submit("work", lambda operation: None)
        task.stream.tasks = Run(task.stream.tasks)
        assert task.over


class TestInterruptions:
    """A finaliser or a signal handler uses a device during another use, in the same thread."""

    def test_by_the_first_work_of_a_new_stream(self, sim, tape):
        def concerns(operation):
            if not late:
                late.append(sim.new_stream(Device.SIM).submit("work", lambda operation: None))
            return True

        late = []
        sim._scheduler.finish(concerns)
        sim.synchronize(Device.SIM)
        assert late[0].done()

    def test_that_lets_run_what_is_waited_for(self, monkeypatch):
        def chained(goal):
            monkeypatch.undo()
            while not goal.done():
                pass
            return chain(goal)

        x, chain = xp.ones(3, device="sim"), scheduler._chain
        monkeypatch.setattr(scheduler, "_chain", chained)
        assert float(xp.sum(x)) == 3

    def test_that_has_seen_something_else(self, monkeypatch):
        def joining(clocks):
            monkeypatch.undo()
            result = races.union(clocks)
            other.settle()
            return result

        alone = scheduler.Scheduler()
        alone.detector._limit = 9  # it forgets no stream until it has seen more than that
        first, other = (alone.new_stream(Device.SIM).submit("work", lambda operation: None) for _ in range(2))
        monkeypatch.setattr(races, "union", joining)
        alone.detector.see([], [])
        assert alone.detector.host[other.operation.number] == other.operation.tick
        first.settle()

    @pytest.mark.parametrize("at", range(1, 9))
    def test_by_work_that_fails(self, sim, at):
        def fails(operation):
            raise ArithmeticError

        def concerns(operation):
            nonlocal count
            count += 1
            if count == at:
                later = sim.new_stream(Device.SIM).submit("work", fails)
                while not later.done():
                    pass
            return True

        count, told = 0, 0
        sim.new_stream(Device.SIM).submit("work", fails)
        for finish in (lambda: sim._scheduler.finish(concerns), lambda: sim.synchronize(Device.SIM)):
            try:
                finish()
            except ArithmeticError as error:
                told += 1 + any("1 more failed" in note for note in error.__notes__)
        assert told == 1 + (count >= at)


class TestLifetime:
    @pytest.mark.parametrize("unseen", [0, 50])
    def test_clocks_do_not_grow_with_the_streams_there_were(self, sim, heap, unseen):
        """Nor if other streams have work that is not waited for."""
        others = [sim.new_stream(Device.SIM) for _ in range(unseen)]
        with lent(heap, 10) as block:
            for other in others:
                sim.copy(host_span(np.empty(5, np.uint8)), Span(block, 5, 5), stream=other)
            for _ in range(300 + 2 * len(sim._scheduler.detector._active)):
                stream = sim.new_stream(Device.SIM)
                sim.copy(Span(block, 0, 5), Span(block, 5, 5), stream=stream)
                stream.close()
            assert len(stream.clock) <= unseen + 2
            assert len(block.native.history.tracks) <= 2 * unseen + 2
            for other in others:
                other.close()

    @pytest.mark.gil
    def test_histories_do_not_grow_while_something_is_always_in_flight(self, sim, heap):
        streams = [sim.new_stream(Device.SIM) for _ in range(2)]
        with lent(heap, 100) as block:
            events = []
            for step in range(500):
                stream = streams[step % 2]
                sim.copy(host_span(np.empty(10, np.uint8)), Span(block, 0, 10), stream=stream)
                events.append(stream.record())
                events[max(step - 1, 0)].wait()
            history = sim._scheduler.detector._of_host
            assert sum(len(track.accesses) for track in history.tracks.values()) < 150
            for stream in streams:
                stream.close()

    def test_work_that_is_done_keeps_nothing_alive(self, sim, heap):
        class Bytes(np.ndarray):
            pass

        import weakref

        original = np.zeros(10, np.uint8).view(Bytes)
        alive, stream = weakref.ref(original), sim.new_stream(Device.SIM)
        with lent(heap, 10) as block:
            span = accel.abc.Span(accel.abc.Block(original.ctypes.data, 10, original), 0, 10)
            sim.copy(Span(block, 0, 10), span, stream=stream)
            event = stream.record()
            del original, span
            assert alive() is not None
            event.wait()
            gc.collect()
            assert alive() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_of_a_fork_is_told_to_spawn(python):
    code = """
        import os, warnings, accel
        from accel import xp
        warnings.simplefilter("ignore", DeprecationWarning)
        c = accel.zeros(10, device="sim")
        stream = accel.new_stream("sim")
        transfer = c.copy_from_async(accel.zeros(10), stream=stream)
        uses = [lambda: accel.zeros(1, device="sim"), lambda: xp.asarray(c) + 1, transfer.wait, stream.synchronize,
                stream.record().done, lambda: stream.wait_for(transfer.event)]
        pid = os.fork()
        if pid:
            print(os.waitpid(pid, 0)[1])
            transfer.wait()
            print(c.to_numpy().sum())
        else:
            said = []
            for use in uses:
                try:
                    use()
                except RuntimeError as error:
                    said.append("spawn" in str(error))
            c.release()
            os._exit(0 if said == [True] * len(uses) else 1)
    """
    assert python(code) == "0\n0.0"


def test_a_child_may_begin_where_its_parent_did_not(python):
    code = """
        import os, warnings, accel
        warnings.simplefilter("ignore", DeprecationWarning)
        assert accel.Device.SIM.is_available()
        pid = os.fork()
        if pid:
            print(os.waitpid(pid, 0)[1])
        else:
            os._exit(int(accel.zeros(10, device="sim").to_numpy().sum()))
    """
    assert python(code) == "0"


def test_exit_with_work_in_flight(python):
    code = """
        import accel
        stream = accel.new_stream("sim")
        c = accel.zeros(10, device="sim")
        kept = c.copy_from_async(accel.zeros(10), stream=stream)
        print("end")
    """
    assert python(code) == "end"
