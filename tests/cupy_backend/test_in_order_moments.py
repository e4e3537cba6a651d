"""Work in order without events, where another thread, a signal handler or a fork comes in between two of its steps."""

import builtins
import os
import sys
import threading
from functools import partial

import numpy as np
import pytest
from accel.backends.cupy.events import CupyEvent

import accel
from accel.abc import Event
from accel.errors import CapabilityError
from accel.kernels import gate_code
from accel.memory import heap_of, stream_order
from accel.memory.storage_work import Use, submit, submit_in_order

from ..kernels.raw_contract import SIZE, container

pytestmark = pytest.mark.usefixtures("cuda_machine")

TIMES = 6
"""Streams work late in a random order: each repetition halves the chance that a missing wait is not seen."""


class Checked:
    """Interrupts the next use of some memory, between the check that it is covered and the work."""

    def __init__(self):
        self.storage = self.act = None
        self.addresses = []

    def interrupt(self, container, act):
        """Do something once, at the next use of a container."""
        self.storage, self.act = container.storage, act

    def covered(self, storage, *rest):
        address = _covered(storage, *rest)
        self.see(storage, address)
        return address

    def see(self, storage, address):
        if storage is self.storage:
            act, self.storage, self.act = self.act, None, None
            self.addresses.append(address)
            act()


_covered = stream_order.covered
_address = gate_code._address


def seen_address(memory):
    """Return the lines that check memory, and one that says so."""
    return [*_address(memory), f"see(s{memory.i}, p{memory.i})"]


@pytest.fixture
def checked(monkeypatch, cuda_machine):
    """What interrupts a check; kernels that are compiled from now on can be interrupted."""
    checks = Checked()
    monkeypatch.setattr(stream_order, "covered", checks.covered)
    monkeypatch.setattr(gate_code, "_address", seen_address)
    monkeypatch.setattr(builtins, "see", checks.see, raising=False)
    yield checks
    while started:
        started.pop().join()
    assert checks.addresses
    assert stream_order.NOT_COVERED not in checks.addresses


def zeros():
    return container(np.zeros(SIZE))


def uses_of(*written):
    return [Use(each.storage, True) for each in written]


def open_on(stream, following, source, target):
    """Leave the target with an open submission of a stream."""
    with stream:
        following(source, target, SIZE, over=SIZE)
        following(source, target, SIZE, over=SIZE)


started = []


def meanwhile(act):
    """Start something in another thread, and give it time: it may have to wait for this one."""
    thread = threading.Thread(target=act)
    thread.start()
    thread.join(0.1)
    started.append(thread)
    return thread


class TestALaunchThatIsChecked:
    @pytest.mark.parametrize("value", range(TIMES))
    def test_is_not_hidden_by_a_submission_with_an_event_of_another_thread(self, value, checked, following, stream):
        source, target, threads = container(np.full(SIZE, value)), zeros(), []
        overtake = partial(submit, stream, [Use(target.storage, True, True)], lambda _: None)
        open_on(stream, following, source, target)
        with stream:
            checked.interrupt(target, lambda: threads.append(meanwhile(overtake)))
            source.copy_from(container(np.full(SIZE, value + 30)))
            following(source, target, SIZE, over=SIZE)
        threads[0].join()
        assert set(target.to_numpy()) == {value + 31}

    @pytest.mark.parametrize("value", range(TIMES))
    def test_is_not_hidden_by_a_submission_with_an_event_of_a_signal_handler(self, value, checked, following, stream):
        source, target = container(np.full(SIZE, value)), zeros()
        open_on(stream, following, source, target)
        overtake = partial(submit, stream, [Use(target.storage, True, True)], lambda _: None)
        checked.interrupt(target, overtake)
        with stream:
            source.copy_from(container(np.full(SIZE, value + 30)))
            following(source, target, SIZE, over=SIZE)
        assert set(target.to_numpy()) == {value + 31}

    @pytest.mark.parametrize("several", [False, True], ids=["handler", "thread"])
    @pytest.mark.parametrize("value", range(TIMES))
    def test_is_known_to_those_who_ask_though_its_submission_was_closed(
        self, value, checked, following, stream, several
    ):
        source, target = container(np.full(SIZE, value)), zeros()
        open_on(stream, following, source, target)
        work = target.storage.owner.hazards[0][0][2]
        assert work.queue is stream
        checked.interrupt(target, (lambda: meanwhile(work.done)) if several else work.done)
        with stream:
            source.copy_from(container(np.full(SIZE, value + 30)))
            following(source, target, SIZE, over=SIZE)
        assert set(target.to_numpy()) == {value + 31}

    @pytest.mark.parametrize("value", range(TIMES))
    def test_keeps_memory_that_another_thread_releases(self, value, checked, following):
        source, target = container(np.full(SIZE, 3)), zeros()
        checked.interrupt(source, lambda: meanwhile(source.release).join())
        following(source, target, SIZE, over=SIZE)
        others = [accel.full(SIZE, 9, "float32", device="gpu") for _ in range(3)]
        assert set(target.to_numpy()) == {4}
        del others
        assert not heap_of(target.device).deferred


class TestAClosing:
    @pytest.mark.parametrize("value", range(TIMES))
    def test_does_not_cover_what_a_signal_handler_launches_after_its_event(self, value, following, stream, monkeypatch):
        place = CupyEvent.place
        source, target = container(np.full(SIZE, value)), zeros()
        open_on(stream, following, source, target)
        acts = [lambda: following(source, target, SIZE, over=SIZE)]

        def interrupted(event, *rest):
            place(event, *rest)
            while acts:
                acts.pop()()

        with stream:
            source.copy_from(container(np.full(SIZE, value + 30)))
            with monkeypatch.context() as during:
                during.setattr(CupyEvent, "place", interrupted)
                target.storage.owner.hazards[0][0][2].done()
        assert not acts
        assert set(target.to_numpy()) == {value + 31}

    @pytest.mark.parametrize("value", range(TIMES))
    def test_that_is_interrupted_is_made_up_for_by_the_next_who_asks(self, value, following, stream, monkeypatch):
        def interrupted(*_):
            raise KeyboardInterrupt

        source, target = container(np.full(SIZE, value)), zeros()
        open_on(stream, following, source, target)
        with monkeypatch.context() as during:
            during.setattr(CupyEvent, "place", interrupted)
            with pytest.raises(KeyboardInterrupt):
                target.storage.owner.hazards[0][0][2].done()
        assert set(target.to_numpy()) == {value + 1}

    def test_waits_for_no_thread_at_the_end_of_the_process(self, following, stream, monkeypatch):
        source, target = zeros(), zeros()
        open_on(stream, following, source, target)
        busy, over = threading.Event(), threading.Event()

        def hold():
            with heap_of(target.device).gate.lock:
                busy.set()
                over.wait()

        work, holder = target.storage.owner.hazards[0][0][2], threading.Thread(target=hold)
        holder.start()
        busy.wait()
        with monkeypatch.context() as during:
            during.setattr(sys, "is_finalizing", lambda: True)
            asking = threading.Thread(target=work.submitted, daemon=True)
            asking.start()
            asking.join(10)
            over.set()
            holder.join()
        asking.join()
        assert work.event is not None
        assert not work.queue

    def test_in_the_midst_of_a_capture_is_refused_and_done_later(self, following, stream):
        source, target = zeros(), zeros()
        open_on(stream, following, source, target)
        work = target.storage.owner.hazards[0][0][2]
        stream.native.begin_capture()
        with pytest.raises(CapabilityError, match="captured"):
            work.done()
        stream.native.end_capture()
        assert set(target.to_numpy()) == {1}


class TestTheEventOfALaunch:
    def test_is_an_event(self, following):
        event = following(zeros(), zeros(), SIZE, over=SIZE)
        assert isinstance(event, Event)
        assert not event.failed

    def test_tells_its_end_to_those_who_only_ask_for_that(self, following, cuda_machine):
        first, second = zeros(), zeros()
        with accel.new_stream("gpu", timed=True):
            following(first, second, SIZE, over=SIZE)
            event = following(first, second, SIZE, over=SIZE)
        while event.ended is None:
            cuda_machine.scheduler.poll()
        assert event.done()
        assert event.began is not None


def test_work_that_reads_what_may_yet_fail_is_not_sound(stream):
    """A submission is known to be sound only after it was submitted."""
    first, second = zeros(), zeros()
    heap, begun, submissions = heap_of(first.device), threading.Event(), []
    late = accel.new_stream("cpu")
    go = threading.Event()
    late.submit(go.wait)
    stream.wait_for(late.record())  # so its work is submitted later, and may fail then

    def work():
        begun.set()
        while len(first.storage.owner.hazards[1]) == 0:  # the other submission is recorded
            pass
        stream.submit(lambda: None)

    thread = threading.Thread(target=submit_in_order, args=(heap, stream, uses_of(first), work))
    thread.start()
    begun.wait()
    uses = [Use(second.storage, True), Use(first.storage, False)]
    submissions.append(submit_in_order(heap, stream, uses, lambda: stream.submit(lambda: None)))
    thread.join()
    go.set()
    assert not submissions[0].sound


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_of_a_fork_in_the_midst_of_a_launch_is_told_to_spawn(checked, following):
    source, target, children = zeros(), zeros(), []

    def is_told():
        try:
            following(source, target, SIZE, over=SIZE)
        except RuntimeError as error:
            return "spawn" in str(error) and not heap_of(target.device).changing
        return False

    def fork():
        child = os.fork()
        if not child:
            told = False
            try:
                told = is_told() and is_told()
            finally:
                os._exit(0 if told else 1)
        children.append(child)

    following(source, target, SIZE, over=SIZE)
    checked.interrupt(target, lambda: meanwhile(fork).join())
    following(source, target, SIZE, over=SIZE)
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 0
    assert set(target.to_numpy()) == {1}


@pytest.mark.parametrize("grid", [[2, 1], np.array(2), (np.int64(2), 1)], ids=["list", "array", "tuple"])
def test_any_integers_count_blocks_at_each_launch(following, grid):
    target = zeros()
    for _ in range(3):
        following(zeros(), target, SIZE, grid=grid, block=[512])
    assert set(target.to_numpy()) == {1}


def test_a_number_of_blocks_is_asked_for_at_each_launch(following):
    class Blocks:
        blocks = 1

        def __index__(self):
            return self.blocks

    blocks, target = Blocks(), zeros()
    following(zeros(), target, SIZE, grid=blocks, block=512)
    blocks.blocks = 2
    following(zeros(), target, SIZE, grid=blocks, block=512)
    assert set(target.to_numpy()) == {1}


def test_copies_from_another_device_do_not_slow_down_those_within_one(monkeypatch):
    first, second, third = [accel.zeros(SIZE, "float32", device="cuda:0") for _ in range(3)]
    first.copy_from(accel.zeros(SIZE, "float32", device="cuda:1"))
    second.copy_from(third)
    monkeypatch.setattr("accel.memory.storage_work.submit_in_order", None)  # the general way
    second.copy_from(third)


def test_many_writes_in_flight_leave_a_few_hazards(following, stream):
    source, target = zeros(), zeros()
    for _ in range(50):
        following(source, target, SIZE, over=SIZE)
        with stream:
            following(source, target, SIZE, over=SIZE)
    assert max(map(len, target.storage.owner.hazards)) < 4
