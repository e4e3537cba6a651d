"""How many functions of accel and of its backends an operation calls after warm-up: its way through the house.

The counts are of the structure, not of time: they do not depend on the machine. An operation that exceeds its number
passes through more rooms than before. Shorten its way then; or raise the number, with the reason.
"""

import gc
import sys
import threading
from collections.abc import Callable, Container, Iterator
from types import FrameType
from typing import Any

import numpy as np
import pytest
from accel.backends.common import compiled, thresholds

import accel
from accel import BufferView, Device, config, xp
from accel.engines import InOut, Input, engine, task
from accel.kernels import f32, kernel
from accel.memory import Statistics, allocating, allocator_of
from accel.store import create_store, from_array
from accel.support.background import BACKGROUND


class Ways:
    """The calls of an operation, in this thread and perhaps in those that began after this object."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self._threads: Container[int] = ()

    def note(self, frame: FrameType, event: str, argument: object) -> None:
        """Note a call, as a profiler of `sys.setprofile`."""
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith("accel.") and threading.get_ident() in self._threads:
            self.calls.append(f"{name}: {frame.f_code.co_name}")

    def of(
        self, operation: Callable[[], Any], *, helpers: bool = False, after: Callable[[Any], object] | None = None
    ) -> int:
        """Return how many functions an operation calls, at the least: what other tests left takes a few more calls.

        What it returns is released in the operation, or after it is given to ``after``, which is not counted.
        """
        fewest: list[str] | None = None
        for measured in [False] * 30 + [True] * 5:
            if measured:
                gc.collect()
                self.calls.clear()
                self._threads = _EVERY if helpers else {threading.get_ident()}
            result = operation()
            if after is None:
                del result
                self._threads = ()
            else:
                self._threads = ()
                after(result)
            if measured and (fewest is None or len(self.calls) < len(fewest)):
                fewest = [*self.calls]
        assert fewest is not None
        self.calls[:] = fewest
        return len(fewest)


_EVERY = range(sys.maxsize)
# Calls that an operation on memory may take more after other tests in this process than alone.
LEFT = 8


@pytest.fixture
def ways() -> Iterator[Ways]:
    """Profile this thread and those that start later; no collection runs finalisers meanwhile."""
    ways, before, before_of_threads = Ways(), sys.getprofile(), threading.getprofile()
    gc.disable()
    threading.setprofile(ways.note)
    sys.setprofile(ways.note)
    yield ways
    sys.setprofile(before)
    threading.setprofile(before_of_threads)
    gc.enable()


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Let copies have one helper, and so eight pieces, of which the caller does all or some."""
    before = config.current().threads
    accel.configure(threads=2)
    yield
    accel.configure(threads=before)


def test_each_call_is_counted_in_every_thread(ways):
    def in_thread():
        thread = threading.Thread(target=lambda: Device.CPU.is_cpu)
        thread.start()
        thread.join()

    assert ways.of(lambda: None) == 0
    assert ways.of(lambda: Device.CPU.is_cpu) == 1
    assert ways.of(in_thread) == 0
    assert ways.of(in_thread, helpers=True) == 1
    assert ways.of(Device.default) == 3, ways.calls


@pytest.mark.parametrize(("device", "most"), [("cpu", 25), ("sim", 60)])
def test_zeros(ways, device, most):
    assert ways.of(lambda: accel.zeros(16, device=device)) <= most, ways.calls


@pytest.mark.parametrize(("device", "most"), [("cpu", 25), ("sim", 60)])
def test_empty(ways, device, most):
    assert ways.of(lambda: accel.empty(16, device=device)) <= most, ways.calls


def test_new_memory_is_filled_without_a_hazard(ways):
    assert ways.of(lambda: accel.full(16, 2.5)) <= 42 + LEFT, ways.calls
    assert "accel.memory.hazards: enter" not in ways.calls
    for size, most in ((16, 47), (1 << 20, 105)):
        values = np.arange(size)
        assert ways.of(lambda values=values: accel.container(values)) <= most + LEFT, ways.calls
        assert "accel.memory.hazards: enter" not in ways.calls


@pytest.mark.parametrize("make", [xp.zeros, xp.ones, xp.empty])
def test_new_arrays(ways, make):
    assert ways.of(lambda: make(16)) <= 7, ways.calls


def test_a_sum_of_arrays(ways):
    x, y = xp.ones(10), xp.ones(10)
    assert ways.of(lambda: x + y) <= 1, ways.calls


def test_a_launch(ways):
    @kernel
    def scale(v: BufferView[f32], factor: f32):
        for i in range(v.size):
            v[i] = v[i] * factor

    v = accel.full(16, 1, "float32")[:]
    assert ways.of(lambda: scale(v, 1.0)) <= 4, ways.calls


def test_a_small_copy_of_a_container(ways):
    into, out_of = accel.zeros(16), accel.full(16, 3)
    assert ways.of(lambda: into.copy_from(out_of)) <= 15, ways.calls
    assert set(into.to_numpy()) == {3}


def test_a_small_copy_of_a_tensor(ways):
    into, out_of = _transposed(4)
    assert ways.of(lambda: into.copy_from(out_of)) <= 7, ways.calls


def test_a_transpose_by_the_compiled_kernel(ways, two_threads, monkeypatch):
    monkeypatch.setattr(thresholds, "AT_ONCE", 1)
    into, out_of = _transposed(1024)
    into.copy_from(out_of)
    if not any(compiled._kernels.values()):
        pytest.skip("LLVM compiles nothing here")
    assert BACKGROUND.wait(60)  # it measures copies
    into.copy_from(out_of)
    assert ways.of(lambda: into.copy_from(out_of)) <= 55 + LEFT, ways.calls


def test_a_transpose_by_numpy(ways, two_threads, monkeypatch):
    monkeypatch.setattr("accel.backends.common.strided_copy.kernel", lambda *_: None)
    into, out_of = _transposed(1024)
    assert ways.of(lambda: into.copy_from(out_of)) <= 60 + LEFT, ways.calls


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_large_copies_of_one_order(ways, two_threads, dtype):
    into, out_of = accel.zeros(1 << 20, dtype), accel.zeros(1 << 20, dtype)
    assert ways.of(lambda: into.copy_from(out_of)) <= 51 + LEFT, ways.calls
    for layout in (accel.Layout.row_major(1024, 1024), accel.Layout(1 << 19, 2)):
        ends = into.view(layout), out_of.view(layout)
        assert ways.of(lambda ends=ends: ends[0].copy_from(ends[1])) <= 60 + LEFT, ways.calls


def _transposed(extent):
    """Return a matrix by rows, and one by columns."""
    layouts = accel.Layout.row_major(extent, extent), accel.Layout.col_major(extent, extent)
    return [accel.zeros(extent * extent, "float32").view(layout) for layout in layouts]


def test_an_allocator_of_the_user_is_asked_for_cleared_memory_too():
    with allocating("cpu", Statistics(allocator_of("cpu"))) as counts:
        accel.full(1000, 7).release()
        assert not any(accel.zeros(1000).to_numpy())
    assert counts.allocations == 2


@task
def add_to(x: Input, y: InOut):
    y.span_read_write_accessor()[...] += x.span_read_accessor()


@pytest.mark.parametrize(("attached", "most"), [(False, 165), (True, 185)])
def test_a_task_of_four_tiles(ways, attached, most):
    """As the thread that submits it sees it."""
    submit, y = _tiled(4, attached=attached)
    with engine("threads").using(inline=False):
        assert ways.of(submit, after=lambda future: future.wait()) <= most, ways.calls
        assert set(np.asarray(y.get_physical_store())) == {35.0}


def test_one_more_tile(ways):
    """With its body, in the thread that submits it."""
    with engine("eager").using():
        few, many = (ways.of(_tiled(tiles)[0]) for tiles in (4, 8))
    assert many - few <= 4 * 60, ways.calls


def _tiled(count, *, attached=False):
    """Return a task on tiles of two stores, one of them perhaps in memory of NumPy, and the store that it writes."""
    x, y = from_array(np.ones(800)) if attached else create_store("float64", (800,)), create_store("float64", (800,))
    if not attached:
        x.fill(1)
    y.fill(0)
    tiles = [store.partition_by_tiling((800 // count,)) for store in (x, y)]
    return lambda: add_to(*tiles), y
