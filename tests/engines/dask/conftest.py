"""A cluster for the tests of this folder, and tasks."""

import logging
import os
import random
import signal
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from accel.engines import InOut, Input, Output, Reduce, engine, task
from accel.store import ADD, MAX


@contextmanager
def two_workers():
    """Yield an engine with two worker processes, which runs nothing in this process."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with pytest.MonkeyPatch.context() as patch:
        # The scheduler draws in a thread of this process. Hypothesis refuses a test whose data are drawn meanwhile: it
        # sees that the state of Python's generator has changed.
        for name in ("dask.sizeof", "distributed.utils_comm"):
            patch.setattr(import_module(name), "random", random.Random(0))
        # A block of the engine itself would make it the current one of the modules that run before the workers end.
        with closing(engine("dask", workers=2, local_bytes=0)) as result:
            yield result


@pytest.fixture(scope="session")
def start_workers():
    """A function that starts workers for tests that cannot share them."""
    return two_workers


@pytest.fixture(scope="package")
def workers():
    """The engine that the tests of this folder share: its workers take seconds to start."""
    with two_workers() as result:
        yield result


@pytest.fixture(scope="module")
def cluster(workers):
    """That engine, as the current one."""
    with workers.using():
        yield workers


@pytest.fixture(scope="session")
def tasks():  # noqa: C901 - a table of bodies
    """Tasks that are sent by value: workers cannot import the modules of tests."""

    @task
    def copy(x: Input, y: Output):
        y.span_write_accessor()[...] = x.span_read_accessor()

    @task
    def saxpy(a: float, x: Input, y: InOut):
        y.span_read_write_accessor()[...] += a * x.span_read_accessor()

    @task
    def fill(value: float, y: Output):
        y.span_write_accessor()[...] = value

    @task
    def total(x: Input, y: Reduce[ADD]):
        np.asarray(y)[...] += x.span_read_accessor().sum()

    @task
    def largest(x: Input, y: Reduce[MAX]):
        y = np.asarray(y)
        y[...] = np.maximum(y, x.span_read_accessor().max(initial=y.min()))

    @task
    def both(x: Input, y: Output, z: Output):
        y.span_write_accessor()[...] = x.span_read_accessor() + 1
        z.span_write_accessor()[...] = x.span_read_accessor() * 2

    @task
    def broken(text: str, x: InOut):
        raise KeyError(text)

    @task
    def broken_in_part(limit: float, x: InOut):
        values = x.span_read_write_accessor()
        if (values > limit).any():
            raise ZeroDivisionError("a value is too large")
        values += 1

    @task
    def dying(mark: str, x: Input, y: InOut):
        """Kill the worker once, in the middle of the work."""
        values = y.span_read_write_accessor()
        values += x.span_read_accessor()
        if not Path(mark).exists():
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)

    @task
    def dying_sum(mark: str, x: Input, y: Reduce[ADD]):
        np.asarray(y)[...] += x.span_read_accessor().sum()
        if not Path(mark).exists():
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)

    @task
    def deadly(x: InOut):
        os.kill(os.getpid(), signal.SIGKILL)

    return SimpleNamespace(**locals())
