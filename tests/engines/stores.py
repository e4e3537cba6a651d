"""Stores for tests, and tasks on them."""

import threading

import numpy as np

from accel.engines import InOut, Input, Output, task
from accel.store import create_store

__all__ = ["add_one", "copy", "held_task", "store_of", "values"]


def store_of(array):
    """Return a store of its own with the elements of an array."""
    store = create_store(array.dtype, array.shape)
    np.asarray(store.get_physical_store())[...] = array
    return store


def values(store):
    """Return a copy of the elements, after the tasks that write them."""
    return np.asarray(store.get_physical_store()).copy()


@task
def add_one(x: InOut):
    x.span_read_write_accessor()[...] += 1


@task
def copy(x: Input, y: Output):
    y.span_write_accessor()[...] = x.span_read_accessor()


def held_task():
    """Return a task that adds 1 when it is released, and the event that releases it."""
    release = threading.Event()

    @task
    def add_one_later(x: InOut):
        array = x.span_read_write_accessor()
        old = array.copy()
        assert release.wait(60)
        array[...] = old + 1

    return add_one_later, release
