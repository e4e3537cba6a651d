"""What several rooms' tests need."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from accel.abc import Block, Limits, Span
from accel.device import Device
from accel.dtypes import supported
from accel.errors import OutOfMemoryError
from accel.memory import new_stream
from accel.testing import use_backend
from accel.testing.plans import carry_out, set_all

from . import pages, profiles, remedies

ROOT = Path(__file__).parents[1]
WITHOUT_GIL = not getattr(sys, "_is_gil_enabled", lambda: True)()
# The scripts that tests start must find the Python that runs the tests, whether or not its environment is active.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
# What the tests compile is kept for the next run, in the checkout: never in the cache of the user.
os.environ.setdefault("ACCEL_CACHE_DIR", str(ROOT / ".test_cache"))
# A shell that starts the tests in the background lets them ignore interrupts, and so the programs that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# No test is about time, and other processes share the machine.
settings.register_profile(
    "accel", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
settings.load_profile("accel")


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc):
    """In the profile quick, make tests of some combinations of parameters alone."""
    yield
    if profiles.QUICK:  # pytest has no public way to make fewer; to leave them out later takes seconds
        metafunc._calls[:] = profiles.of_each_value(metafunc.definition.nodeid, metafunc._calls)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for no examples in docstrings of tests: they have none, and to look takes each process seconds."""
    return [found for found in (yield) if type(found) is pytest.Module]


def pytest_collection_modifyitems(config, items):
    """In the profile quick, leave out what is in `full` alone; and what this Python cannot do."""
    if profiles.QUICK:
        items[:], others = profiles.divided(items)
        config.hook.pytest_deselected(items=others)
    if WITHOUT_GIL:
        others = [item for item in items if item.get_closest_marker("gil")]
        items[:] = [item for item in items if item not in others]
        config.hook.pytest_deselected(items=others)


class ToyBackend:
    """A device with a memory of its own: bytearrays, with addresses that mean nothing to the host."""

    name = "toy"

    def __init__(self) -> None:
        self.made = 0
        self.room = 1 << 24

    def devices(self):
        return (Device.SIM, Device.SIM[1])

    def why_unavailable(self):
        return MappingProxyType({"sim:7": "the toy has two devices"})

    def limits(self, device):
        return Limits(self.room, 64, 32, frozenset(supported()))

    def allocate(self, device, nbytes, *, alignment, stream):
        if alignment <= 0 or alignment & (alignment - 1):
            raise ValueError(f"an alignment is a power of two; found {alignment}")
        if nbytes > self.room:
            raise OutOfMemoryError(f"{nbytes} bytes were asked for")
        self.room -= nbytes
        self.made += 1
        return Block((self.made << 32) if nbytes else 0, nbytes, bytearray(nbytes))

    def free(self, block, *, stream):
        self.room += block.nbytes
        block.native = None

    def adopt(self, external):
        blocks = [block for block in gc.get_objects() if type(block) is Block and block.nbytes]
        if external.native is None:
            return _within(blocks, external.pointer, external.nbytes)
        known = {id(block.native): block.pointer for block in blocks}
        return Block(known.get(id(external.native), 1 << 20), len(external.native), external.native)

    def copy(self, target, source, *, stream):
        _bytes(target)[:] = _bytes(source).copy()

    def copy_strided(self, target, source, plan, *, stream):
        carry_out(plan, target, _bytes(target.span), source, _bytes(source.span))

    def fill(self, target, value, *, stream):
        set_all(target, _bytes(target.span), value)

    def synchronize(self, device):
        pass


def _within(blocks, pointer: int, nbytes: int) -> Block:
    if not nbytes:
        return Block(0, 0, bytearray())
    for block in blocks:
        start = pointer - block.pointer
        if 0 <= start <= block.nbytes - nbytes and type(block.native) is bytearray:
            return Block(pointer, nbytes, memoryview(block.native)[start : start + nbytes])
    raise ValueError(f"the toy has no memory at {pointer:#x}")


def _bytes(span: Span) -> Any:
    return np.frombuffer(span.block.native, np.uint8)[span.start : span.start + span.nbytes]


@pytest.fixture(autouse=True)
def _quick_collections():
    """Let the many collections that a test asks for pass over what earlier tests and pytest itself keep.

    Without the GIL this frees what other threads made, too: each does so itself, when it runs again.
    """
    # pytest keeps the error of a failed test until the next test runs; to pass over it keeps its arrays for ever.
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        vars(sys).pop(name, None)
    gc.collect()
    gc.freeze()


@pytest.fixture
def toy():
    """A second address space at ``sim`` and ``sim:1``, which nothing outlives."""
    with use_backend(ToyBackend()) as backend:
        yield backend


@pytest.fixture
def stream():
    """A stream of the host."""
    made = new_stream("cpu")
    yield made
    made.close()


@pytest.fixture
def held(stream):
    """A stream that does nothing until told."""
    gate = threading.Event()
    stream.submit(lambda: gate.wait(30))
    yield gate
    gate.set()
    stream.synchronize()


@pytest.fixture(scope="session")
def root():
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def sources(root):
    """The text of all modules, by their path in the checkout."""
    files = (file for room in ("accel", "backends") for file in (root / room).rglob("*.py"))
    return {str(file.relative_to(root)): file.read_text(encoding="utf-8") for file in files}


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A folder with a non-editable install whose import contracts were checked; parallel processes share it."""
    import fcntl  # not on Windows, where no script of ci/ runs either

    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "installed"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            report = subprocess.run([ROOT / "ci/contracts", folder], check=False, capture_output=True, text=True)
            assert report.returncode == 0, report.stdout + report.stderr
    return folder


@pytest.fixture(scope="session")
def follow():
    """A function that runs a line which fails, and what its error says to write instead."""
    return remedies.follow


@pytest.fixture(scope="session")
def run_page():
    """A function that runs the Python of a page, and returns what it defines."""
    return pages.run_page


@pytest.fixture(scope="session")
def python():
    """A function that runs code in a process of its own and returns what it printed."""

    def run(code, *folders, **environment):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), **environment},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
