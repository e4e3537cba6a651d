"""Submissions of several threads have one order, wherever the threads interrupt one another."""

import sys
import threading

import numpy as np
import pytest

import accel
from accel import Device
from accel.dtypes import as_dtype
from accel.memory import allocate, hazards
from accel.memory.submission import Submission


class Once:
    """An event that is not over when it is first asked."""

    device = Device.CPU
    began = ended = None
    failed = False

    def __init__(self):
        self.questions = 0

    def done(self):
        self.questions += 1
        return self.questions > 1

    def settle(self):
        pass

    wait = settle


class Never(Once):
    def done(self):
        return False


@pytest.fixture
def often():
    """Let threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def storage():
    return allocate(Device.CPU, 8, as_dtype("float32"))


def noted(storage):
    """Return the events of all that is noted of some memory."""
    return {id(access[2].event) for accesses in storage.owner.hazards for access in accesses}


def together(*functions):
    """Call functions in a thread each, and raise what one of them raises."""
    errors = []

    def run(function):
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.usefixtures("often")
def test_no_read_is_forgotten_while_others_ask_and_note(storage):
    readers = [[Never() for _ in range(200)] for _ in range(2)]
    running = [len(readers)]

    def note(events):
        for event in events:
            storage.owner.note(event, writing=False)
            storage.owner.note(Once(), writing=False)
        running[0] -= 1

    def ask():
        while running[0]:
            storage.settle(writing=False)
            hazards.forget(storage.owner.hazard_record)

    together(ask, *(lambda events=events: note(events) for events in readers))
    assert {id(event) for events in readers for event in events} <= noted(storage)


@pytest.mark.usefixtures("often")
def test_of_any_two_that_write_one_comes_after_the_other(storage):
    """Whatever the threads do, each submission finds the one noted right before it, and all form one chain."""
    works = [[Submission(Never()) for _ in range(100)] for _ in range(3)]
    before = {}

    def enter(mine):
        for work in mine:
            hazards.enter(work, [storage.claim(writing=True)])
            before[work] = tuple(work.after)

    together(*(lambda mine=mine: enter(mine) for mine in works))
    assert sorted(map(len, before.values())) == [0] + [1] * 299
    assert len({result for result in before.values() if result}) == 299


@pytest.mark.usefixtures("often")
def test_two_that_use_the_same_two_pieces_of_memory_are_in_the_same_order_on_both(storage):
    other = allocate(Device.CPU, 8, as_dtype("float32"))
    pairs = [(storage, other), (other, storage)]
    works = [[Submission(Never()) for _ in range(200)] for _ in pairs]

    def enter(mine, pair):
        for work in mine:
            hazards.enter(work, [each.claim(writing=True) for each in pair])

    together(*(lambda mine=mine, pair=pair: enter(mine, pair) for mine, pair in zip(works, pairs, strict=True)))
    for mine in works:
        for work in mine:
            assert len(set(work.after)) < 2  # the last of both, which is one and the same


def test_what_a_finaliser_notes_in_the_midst_of_noting_is_not_lost(storage, monkeypatch):
    """A collection inside the lock may run code that uses the same memory."""
    real, inner = hazards._writing, Submission(Never())

    def collected(*arguments):
        monkeypatch.setattr(hazards, "_writing", real)
        hazards.enter(inner, [storage.claim(writing=True)])
        return real(*arguments)

    storage.owner.note(Never(), writing=True)
    monkeypatch.setattr(hazards, "_writing", collected)
    outer = Submission(Never())
    hazards.enter(outer, [storage.claim(writing=True)])
    assert outer.after[-1] is inner


def test_the_host_waits_for_what_another_thread_is_just_submitting(storage, stream):
    """Between being noted and having an event, a submission is waited for, and not passed by."""
    result, inside, go = [], threading.Event(), threading.Event()

    def slow():
        inside.set()
        go.wait(30)
        storage.array[:] = 7

    def submit():
        from accel.memory.storage_work import Use, submit_ordered

        submit_ordered(stream, (Use(storage, True),), lambda: (slow(), stream.submit(lambda: None)))

    submitting = threading.Thread(target=submit)
    submitting.start()
    inside.wait(30)
    reading = threading.Thread(target=lambda: result.append(float(storage[0])))
    reading.start()
    reading.join(0.05)
    assert reading.is_alive()
    go.set()
    submitting.join()
    reading.join()
    assert result == [7.0]


def test_a_signal_handler_inside_a_copy_does_not_wait_for_that_copy(storage):
    """It could wait for ever; what it writes may be written over."""
    from accel.memory.storage_work import Use, on_host

    on_host((Use(storage, True),), lambda: storage.store(0, 5.0))
    assert storage[0] == 5.0


class TestFailures:
    def fail(self, stream):
        source, target = accel.full(1000, 7, "uint8"), accel.full(1000, 1, "uint8")
        event = stream.submit(lambda: 1 / 0)
        hazards.note(event, [target.storage.claim(writing=True)])
        event.settle()
        return target, source

    def test_of_what_wrote_a_part_are_raised_until_all_is_written(self, stream):
        target, source = self.fail(stream)
        target[3] = 5
        accel.LayoutTensor(target, accel.layout.Layout(4)).fill(9)
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                target.to_numpy()
        target.copy_from(source)
        assert (target.to_numpy() == 7).all()

    def test_go_on_to_what_is_copied_from_there(self, stream):
        target, _ = self.fail(stream)
        copy, again = accel.zeros(1000, "uint8"), accel.zeros(1000, "uint8")
        with pytest.raises(ZeroDivisionError):
            copy.copy_from_async(target, stream=stream).wait()
        transfer = again.copy_from_async(copy, stream=stream)
        with pytest.raises(ZeroDivisionError):
            transfer.wait()
        with pytest.raises(ZeroDivisionError):
            np.asarray(again.to_numpy())
        with pytest.raises(ZeroDivisionError):
            again.deep_copy()

    def test_that_nobody_copies_do_not_stand_in_the_way_of_who_writes(self, stream):
        target, source = self.fail(stream)
        target.copy_from_async(source, stream=stream).wait()
        assert (target.to_numpy() == 7).all()
        with pytest.raises(ZeroDivisionError):
            stream.synchronize()

    def test_of_what_was_refused_are_those_of_what_it_would_have_replaced(self, stream):
        target, source = self.fail(stream)
        other = accel.new_stream("cpu")
        other.close()
        with pytest.raises(RuntimeError, match="closed"):
            target.copy_from_async(source, stream=other)
        with pytest.raises(ZeroDivisionError):
            target.to_numpy()
        target.fill(0)


def test_a_long_chain_of_copies_that_nobody_waits_for_is_no_chain_of_objects(stream):
    a, b = accel.full(10, 1.0), accel.zeros(10)
    for _ in range(3000):
        b.copy_from_async(a, stream=stream)
        a.copy_from_async(b, stream=stream)
    assert (a.to_numpy() == 1).all()


def test_a_long_row_of_refusals_leaves_what_was_before_them_to_be_waited_for(stream, held):
    closed = accel.new_stream("cpu")
    closed.close()
    source, target = accel.full(100_000, 7, "uint8"), accel.zeros(100_000, "uint8")
    transfer = target.copy_from_async(source, stream=stream)
    for _ in range(3000):
        with pytest.raises(RuntimeError, match="closed"):
            target.copy_from_async(source, stream=closed)
    assert not transfer.done()
    held.set()
    assert (target.to_numpy() == 7).all()
