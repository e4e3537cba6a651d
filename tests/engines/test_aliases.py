"""Stores that are attached to the same memory of the user: tasks on one are in order with those on the others."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import accel
from accel.engines import InOut, Input, current, engine, task
from accel.store import create_store, from_array
from accel.store.shared_memory import other_uses

from .stores import copy, held_task


@pytest.fixture(autouse=True)
def threads():
    with accel.using(threads=4), engine("threads").using(inline=False) as chosen:
        yield chosen


@task
def triple(x: InOut):
    x.span_read_write_accessor()[...] *= 3


@task
def fail(x: InOut):
    raise KeyError("planted")


def test_a_writer_waits_for_a_writer_by_another_store():
    array, (add_one, release) = np.ones(4), held_task()
    one, two = from_array(array, read_only=False), from_array(array[1:], read_only=False)
    add_one(one)
    later = triple(two)
    triple(create_store("int8", (0,))).wait()
    assert not later.done()
    release.set()
    later.wait()
    assert array.tolist() == [2, 6, 6, 6]


def test_a_reader_waits_for_a_writer_by_another_store_and_the_other_way_round():
    array, (add_one, release) = np.ones(4), held_task()
    result = create_store("float64", (2,))
    add_one(from_array(array, read_only=False))
    copy(from_array(array[2:]), result)
    triple(from_array(array, read_only=False))
    release.set()
    assert np.asarray(result.get_physical_store()).tolist() == [2, 2]


def test_tiles_of_two_stores_on_one_memory_in_one_launch_have_an_order():
    array = np.ones(40)
    reader, writer = from_array(array), from_array(array[1:], read_only=False)

    @task
    def sum_up(x: Input, y: InOut):
        y.span_read_write_accessor()[...] += x.span_read_accessor()

    sum_up(reader[:39].partition_by_tiling((1,)), writer.partition_by_tiling((1,))).wait()
    assert array.tolist() == list(range(1, 41))


def test_a_reader_fails_if_a_writer_by_another_store_failed():
    array = np.ones(4)
    fail(from_array(array, read_only=False)[:2])
    result = copy(from_array(array), create_store("float64", (4,))).exception()
    assert isinstance(result, KeyError)


READERS = {
    "physical store": lambda store: store.get_physical_store(),
    "array": np.asarray,
    "persist": lambda store: current().persist(store),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_the_host_sees_the_failure_of_a_writer_by_another_store(read):
    array = np.ones(4)
    one, two = from_array(array, read_only=False), from_array(array[1:], read_only=False)
    fail(one[:2])
    with pytest.raises(KeyError, match="planted"):
        read(two)
    read(two[1:])


def test_the_host_waits_for_a_writer_by_another_store():
    array, (add_one, release) = np.ones(4), held_task()
    add_one(from_array(array, read_only=False))
    threading.Timer(0.01, release.set).start()
    assert np.asarray(from_array(array)).tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("by_task", [True, False])
def test_memory_is_valid_again_when_another_store_has_overwritten_all_that_failed(by_task):
    array = np.ones(4)
    one, two = from_array(array, read_only=False), from_array(array, read_only=False)

    def overwrite(part):
        if by_task:
            copy(create_store("float64", part.shape), part).wait()
        else:
            part.fill(0)

    fail(one[:2])
    overwrite(two[1:])
    with pytest.raises(KeyError, match="planted"):
        np.asarray(two)
    overwrite(two[:3])
    assert np.asarray(two).shape == np.asarray(one).shape
    copy(two, create_store("float64", (4,))).wait()


def test_tasks_on_columns_still_run_at_once_and_so_do_those_on_other_memory():
    meet = threading.Barrier(3, timeout=20)

    @task
    def met(x: InOut):
        meet.wait()

    array, other = np.ones((4, 2)), np.ones(3)
    met(from_array(array, read_only=False).partition_by_tiling((4, 1)))
    met(from_array(other, read_only=False)).wait()
    assert not meet.broken


def test_a_tiny_task_runs_in_the_caller_and_others_wait_for_it():
    memory, ended = accel.zeros(4, "float64"), threading.Event()
    x, caller, seen = from_array(memory, read_only=False), threading.get_ident(), []

    def read():
        seen.append((memory.to_numpy().tolist(), ended.is_set()))

    @task
    def add_one(x: InOut):
        assert threading.get_ident() == caller
        reader.start()
        reader.join(0.05)
        x.span_read_write_accessor()[...] += 1
        ended.set()

    reader = threading.Thread(target=read)
    add_one.seconds[(32).bit_length()] = 0.0, 0.0
    with engine("threads").using():
        add_one(x).wait()
    reader.join()
    assert seen == [([1, 1, 1, 1], True)]
    assert memory._storage.owner.hazards is None


def test_a_tiny_task_does_not_run_before_work_that_others_began_on_its_memory():
    array, (add_one, release) = np.ones(4), held_task()
    add_one(from_array(array, read_only=False))
    triple.seconds[(32).bit_length()] = 0.0, 0.0
    with engine("threads").using():
        later = triple(from_array(array, read_only=False))
        assert not later.done()
        release.set()
        later.wait()
    assert array.tolist() == [6, 6, 6, 6]


def test_the_failure_of_a_tiny_task_is_raised_where_the_memory_is_read():
    memory = accel.zeros(4, "float64")
    fail.seconds[(32).bit_length()] = 0.0, 0.0
    with engine("threads").using():
        assert isinstance(fail(from_array(memory, read_only=False)).exception(), KeyError)
        with pytest.raises(KeyError, match="planted"):
            memory.to_numpy()


def test_hazards_that_another_thread_forgets_meanwhile_are_read_once():
    class Owner:
        """The last work on the memory ends between two reads of its hazards."""

        def __init__(self):
            self._seen = iter([((), (), ())])

        @property
        def hazards(self):
            return next(self._seen, None)

    home = SimpleNamespace(owner=Owner(), pointer=0, nbytes=24)
    root = SimpleNamespace(home=home, contents=home, strides=(1,), start=0, dtype=np.dtype("int64"))
    assert other_uses(root, ((0, 3),)) == []
