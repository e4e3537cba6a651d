"""Copies and fills within a GPU are only submitted: later uses are ordered after them, and events are deferred."""

import threading
from typing import NamedTuple

import numpy as np
import pytest

import accel
from accel import Device, LayoutTensor
from accel.abc import ExternalAllocation, FreesInOrder
from accel.errors import DeviceLostError
from accel.layout import row_major
from accel.memory import Pool, heap_of
from accel.memory.submission import Submission

from .conftest import install
from .standin.machine import Machine
from .standin.runtime import Runtime

SIDE = 16
SIZE = SIDE * SIDE
NUMBERS = np.arange(SIZE, dtype="float32").reshape(SIDE, SIDE)


def orders(monkeypatch):
    """Yield machines with different random orders of work."""
    for seed in range(20):
        machine = Machine("cuda", seed=seed)
        install(monkeypatch, machine)
        yield machine
        heap_of(Device.CUDA).synchronize()
        assert machine.violations == []


class Matrix(NamedTuple):
    """Memory that was set, and a NumPy view of it."""

    container: accel.AcceleratorDataContainer
    tensor: LayoutTensor


def matrix():
    container = accel.container(NUMBERS.reshape(-1), device="gpu")
    return Matrix(container, LayoutTensor(container, row_major(SIDE, SIDE)))


def calls_of(monkeypatch, name):
    """Return a list that collects the arguments of all calls of a driver function; call it before making a machine."""
    call, calls = getattr(Runtime, name), []

    def record(self, *args):
        calls.append(args)
        return call(self, *args)

    monkeypatch.setattr(Runtime, name, record)
    return calls


@pytest.fixture
def records(monkeypatch):
    """The events that are recorded."""
    return calls_of(monkeypatch, "eventRecord")


def close_and_stay_open(submission, **_):
    """Record the event, and go on covering later work: a planted bug."""
    if submission.event is None:
        submission.event = submission.queue.record()


@pytest.fixture
def waits(monkeypatch):
    """The events that the host waits for."""
    return calls_of(monkeypatch, "eventSynchronize")


def test_the_backend_frees_in_order(gpu_machine):
    assert isinstance(heap_of(Device.best()).backend, FreesInOrder)


@pytest.mark.parametrize(
    "work",
    [
        lambda a, b: a.tensor.copy_from(b.tensor.transpose()),
        lambda a, b: a.tensor.fill(7),
        lambda a, b: a.container.fill(7),
        lambda a, b: a.container.storage.deep_copy(),
        lambda a, b: b.container.to("gpu", copy=True),
    ],
    ids=["copy", "fill", "fill of a container", "deep copy", "to"],
)
def test_the_caller_does_not_wait(waits, gpu_machine, work):
    a, b = matrix(), matrix()
    waits.clear()
    work(a, b)
    assert not waits


def test_the_host_and_other_streams_find_what_was_submitted(monkeypatch):
    for _ in orders(monkeypatch):
        a, b, c = matrix(), matrix(), matrix()
        a.tensor.copy_from(b.tensor.transpose())
        b.tensor.fill(0)
        c.tensor.copy_from_async(a.tensor, stream=accel.new_stream("gpu"))
        a.tensor.fill(1)
        assert np.array_equal(c.tensor.to_numpy(), NUMBERS.T)
        assert set(a.tensor.to_numpy().ravel()) == {1}
        assert set(b.tensor.to_numpy().ravel()) == {0}


def test_memory_that_goes_meanwhile_is_nobody_elses_before(monkeypatch):
    for _ in orders(monkeypatch):
        stream, a = accel.new_stream("gpu"), matrix()
        with stream:
            b = matrix()
            b.tensor.fill(3)
            a.tensor.copy_from(b.tensor)
        b.container.release()
        with stream:
            accel.full(SIZE, 9, "float32", device="gpu").release()
        accel.full(SIZE, 8, "float32", device="gpu").release()
        assert set(a.tensor.to_numpy().ravel()) == {3}


def test_work_after_that_of_a_host_thread_is_in_order_without_events_again(gpu_machine, following):
    """Work that a thread of the host submits may fail: what reads its result is ordered by events until it is done."""
    a, b, held = accel.zeros(64, "float32", device="gpu"), accel.zeros(64, "float32", device="gpu"), threading.Event()
    stream, host = accel.new_stream("gpu"), accel.new_stream("cpu")
    host.submit(held.wait)
    stream.wait_for(host.record())
    late = [following(b, a, 64, over=64, stream=stream) for _ in range(3)]
    held.set()
    late[-1].wait()
    for _ in range(3):
        following(b, a, 64, over=64, stream=stream)
    assert all(work.sound for _, _, work in a.storage.owner.hazards[2])


class TestEvents:
    def test_are_made_for_those_who_ask_and_one_for_many(self, records, gpu_machine):
        a, b = matrix(), matrix()
        stream = accel.new_stream("gpu")
        a.tensor.copy_from(b.tensor)
        before = len(records)
        for _ in range(10):
            a.tensor.copy_from(b.tensor.transpose())
            b.tensor.fill(1)
        assert len(records) == before
        uses = [accel.memory.storage_work.Use(each.container.storage, True) for each in (a, b)]
        accel.memory.storage_work.submit(stream, uses, lambda submission: None)
        assert len(records) <= before + 3  # for the earlier work on each, and one for its own

    def test_are_of_later_work_too_if_asked_late(self, following, gpu_machine):
        a, b = matrix().container, matrix().container
        first = following(a, b, SIZE, over=SIZE)
        second = following(b, a, SIZE, over=SIZE)
        first.wait()
        assert second.done()

    def test_of_earlier_work_do_not_stand_for_later_work(self, gpu_machine):
        stream = accel.new_stream("gpu")
        with stream:
            a = matrix()
            a.tensor.fill(1)
            work = a.container.storage.owner.hazards[0][0][2]
            work.wait()
            a.tensor.fill(2)
            later = a.container.storage.owner.hazards[0][0][2]
            assert later is not work
            assert not later.done()

    def test_that_stood_for_later_work_would_show_in_the_bytes_in_some_order(self, monkeypatch):
        """A closed submission that is taken for open covers work that its event does not."""
        monkeypatch.setattr(Submission, "_close", close_and_stay_open)
        wrong = 0
        for _ in orders(monkeypatch):
            stream, a, b, other = accel.new_stream("gpu"), matrix(), matrix(), matrix()
            b.tensor.fill(1)
            b.container.storage.owner.hazards[0][0][2].wait()  # now the fill's event is recorded
            for value in range(10):
                other.tensor.fill(value)
            b.tensor.fill(2)
            a.tensor.copy_from_async(b.tensor, stream=stream)
            wrong += set(a.tensor.to_numpy().ravel()) != {2}
        assert wrong

    def test_of_a_lost_device_are_over_and_say_so_to_those_who_wait(self, following, cuda_machine):
        a, b = matrix().container, matrix().container
        event = following(a, b, SIZE, over=SIZE)
        cuda_machine.lose(0)
        assert event.done()
        event.settle()
        with pytest.raises(DeviceLostError):
            event.wait()


class TestWaits:
    """If bytes may be reused before the work on them is done, a copy is synchronous."""

    def test_memory_of_others(self, waits, cuda_machine):
        owner = matrix()
        storage = owner.container.storage
        external = ExternalAllocation(SIZE * 4, pointer=storage.pointer, owner=owner)
        adopted = accel.memory.DeviceStorage.over(
            accel.memory.owner.ForeignOwner(heap_of(Device.CUDA), external), np.dtype("float32")
        )
        waits.clear()
        accel.memory.copy_elements(adopted, storage)
        assert waits

    def test_memory_of_a_pool_above_the_backend(self, waits, cuda_machine):
        with accel.memory.allocating("cuda", Pool(heap_of(Device.CUDA).backend)):
            pooled = accel.empty(SIZE, device="cuda")
        pooled.fill(1)
        assert waits
        pooled.release()

    def test_strict_mode(self, gpu_machine):
        with accel.using(strict=True):
            container = accel.full(SIZE, 7, "float32", device="gpu")
            container.copy_from(matrix().container)
            assert np.array_equal(container.to_numpy(), NUMBERS.ravel())
