"""A later launch decides which elements are valid, whichever is over first on the cluster."""

import threading
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.engines import InOut, Input, Output, task
from accel.engines.dask import DaskEngine
from accel.engines.dask.works import LaunchEnd, PointWork
from accel.store import create_store
from accel.store.box_order import HostWork, Use
from accel.store.regions import Access
from accel.store.slices import Slice

WHOLE, PART, REST = Slice(0, 8), Slice(2, 6), Slice(0, 2)


@pytest.fixture
def slow(cluster):
    """Tasks on the workers that wait for an event and then fail, or set it; and the event."""
    name, client = uuid4().hex, cluster.cluster.client

    @task
    def fail(x: InOut):
        from distributed import Event, secede

        secede()  # its worker has one thread, and may be given the tasks that set the event
        Event(name).wait()
        raise ZeroDivisionError("planted")

    @task
    def fail_and_choose(x: InOut, found: Output):
        from distributed import Event, secede

        if x.domain.lo[0]:
            secede()
            Event(name).wait()
            raise ZeroDivisionError("planted")
        found.create_output_buffer((1,), bind_buffer=True)

    @task
    def release(x: Input, y: Output):
        from distributed import Event

        y.span_write_accessor()[...] = x.span_read_accessor()
        Event(name).set()

    event = cluster.cluster.distributed.Event(name, client=client)
    fail.event, fail.choose, fail.release = event, fail_and_choose, release
    yield fail
    event.set()


def filled(extent=8):
    store = create_store("float64", (extent,))
    store.fill(1.0)
    return store


@pytest.mark.parametrize("part", [WHOLE, PART], ids=["whole", "part"])
def test_elements_that_were_overwritten_before_their_task_failed_are_valid(cluster, tasks, slow, part):
    x, y = filled(), filled()
    failing = slow(x)
    tasks.fill(3.0, x.slice(0, part))
    slow.release(x.slice(0, part), y.slice(0, part))  # runs when the task before it is over
    with pytest.raises(ZeroDivisionError):
        failing.wait()
    assert (cluster.gather(x.slice(0, part)) == 3).all()
    assert (cluster.gather(y.slice(0, part)) == 3).all()
    if part is PART:
        with pytest.raises(ZeroDivisionError):
            cluster.gather(x.slice(0, REST))


def test_elements_of_a_color_that_were_overwritten_before_another_color_failed_are_valid(cluster, tasks, slow):
    x, y, found = filled(), filled(), create_store("float64", ndim=1)
    failing = slow.choose(x.partition_by_tiling((4,)), found)
    first = x.slice(0, Slice(0, 4))
    tasks.fill(3.0, first)
    slow.release(first, y.slice(0, Slice(0, 4)))
    with pytest.raises(ZeroDivisionError):
        failing.wait()
    assert (cluster.gather(first) == 3).all()


def test_a_launch_is_recorded_until_it_is_over_though_another_follows(cluster, tasks, slow):
    x = filled()
    part = x.slice(0, PART)
    slow(part)
    tasks.fill(3.0, x.slice(0, REST)).wait()
    works = x.root.regions.pending(part.map.box, writing=False)
    slow.event.set()
    assert len(works) == 1
    works[0].settle()
    assert isinstance(x.root.regions.failure_of(part.map.box), ZeroDivisionError)


def test_a_write_beside_elements_whose_task_has_just_failed_is_no_error(cluster, slow, monkeypatch):
    x, known, told = filled(), threading.Event(), threading.Event()
    note, settle = PointWork._note_done, PointWork.settle

    def note_late(work, future):
        known.set()
        assert told.wait(20)
        note(work, future)

    def tell_and_settle(work):
        told.set()
        settle(work)

    monkeypatch.setattr(PointWork, "_note_done", note_late)
    monkeypatch.setattr(PointWork, "settle", tell_and_settle)
    slow(x.slice(0, PART))
    slow.event.set()
    assert known.wait(20)
    try:
        x.slice(0, REST).fill(5.0)
    finally:
        told.set()
    assert (cluster.gather(x.slice(0, REST)) == 5).all()
    with pytest.raises(ZeroDivisionError):
        cluster.gather(x)


def test_a_launch_of_another_thread_waits_until_the_values_are_handed_over(cluster, tasks, monkeypatch):
    x, ones, met, threads = filled(), filled(), threading.Event(), []
    install, settle = DaskEngine._install, HostWork.settle

    def submit():
        with cluster.using():
            tasks.saxpy(1.0, ones, x)
        met.set()

    def install_late(engine, version, values):
        if not threads:
            threads.append(threading.Thread(target=submit))
            threads[0].start()
            assert met.wait(20)
        install(engine, version, values)

    def meet_and_settle(work):
        met.set()
        settle(work)

    monkeypatch.setattr(DaskEngine, "_install", install_late)
    monkeypatch.setattr(HostWork, "settle", meet_and_settle)
    tasks.saxpy(1.0, ones, x)
    threads[0].join()
    assert (cluster.gather(x) == 3).all()


EXTENT = 6
BOXES = st.tuples(st.integers(0, EXTENT), st.integers(0, EXTENT)).map(lambda ends: (min(ends), max(ends)))
ACCESSES = st.sampled_from([Access.WRITE, Access.READ_WRITE, Access.READ])


@settings(max_examples=40)
@given(st.lists(st.tuples(BOXES, ACCESSES, st.booleans()), max_size=8), st.data())
def test_points_that_end_in_any_order_leave_in_that_of_submission(points, data):
    root, invalid = create_store("int64", (EXTENT,)).root, np.zeros(EXTENT, bool)
    works = []
    for (low, high), access, fails in points:
        work = PointWork(None, [Use(root, ((low, high),), access)])
        work.failure = ZeroDivisionError("planted") if fails else None
        work.enter()
        works.append(work)
        if access is Access.WRITE or (fails and access.writes):
            invalid[low:high] = fails
    for at in data.draw(st.permutations(range(len(works)))):
        works[at].leave()
    assert all(work.done() for work in works)
    assert not root.regions.uses
    found = [root.regions.failure_of(((at, at + 1),)) is not None for at in range(EXTENT)]
    assert found == invalid.tolist()


def test_thousands_of_launches_may_overwrite_the_values_of_one_that_runs():
    root = create_store("int64", (4,)).root
    works = [PointWork(None, [Use(root, root.box, Access.WRITE)]) for _ in range(1500)]
    for work in works:
        work.enter()
    for work in reversed(works):
        assert not work.done()
        work.leave()
    assert all(work.done() for work in works)


def test_a_progress_report_that_raises_lets_the_other_points_end():
    root = create_store("int64", (4,)).root

    def report():
        raise ZeroDivisionError("planted")

    works = [PointWork(None, [Use(root, root.box, Access.WRITE)], report) for _ in range(2)]
    end = LaunchEnd(lambda: None, len(works))
    for work in works:
        work.enter()
    for work in works:
        end.add(work)
    assert all(work.done() and isinstance(work.failure, ZeroDivisionError) for work in works)
