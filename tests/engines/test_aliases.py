"""Stores that are attached to the same memory of the user: tasks on one are in order with those on the others."""

import threading

import numpy as np
import pytest

import accel
from accel.engines import InOut, Input, Output, engine, task
from accel.store import create_store, from_array


@pytest.fixture(autouse=True)
def threads():
    with accel.using(threads=4), engine("threads").using(inline=False) as chosen:
        yield chosen


def held_task():
    """Return a task that adds 1 when it is released, and what releases it."""
    release = threading.Event()

    @task
    def add_one(x: InOut):
        array = x.span_read_write_accessor()
        old = array.copy()
        assert release.wait(20)
        array[...] = old + 1

    return add_one, release


@task
def triple(x: InOut):
    x.span_read_write_accessor()[...] *= 3


@task
def copy(x: Input, y: Output):
    y.span_write_accessor()[...] = x.span_read_accessor()


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

    @task
    def fail(x: InOut):
        raise KeyError("planted")

    fail(from_array(array, read_only=False)[:2])
    found = copy(from_array(array), create_store("float64", (4,))).exception()
    assert isinstance(found, KeyError)


def test_tasks_on_columns_still_run_at_once_and_so_do_those_on_other_memory():
    meet = threading.Barrier(3, timeout=20)

    @task
    def met(x: InOut):
        meet.wait()

    array, other = np.ones((4, 2)), np.ones(3)
    met(from_array(array, read_only=False).partition_by_tiling((4, 1)))
    met(from_array(other, read_only=False)).wait()
    assert not meet.broken
