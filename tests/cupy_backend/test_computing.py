"""Computations of `accel.xp`: on the device of their arrays, and in memory that waits for the streams that use it.

CuPy's own results are not tested. The stand-in computes late, and refuses arrays that are not on the current device.
"""

import gc
import operator
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from threading import Thread

import numpy as np
import pytest
from accel.backends.cupy import CupyBackend
from accel.backends.cupy.computations import Computations
from accel.backends.cupy.memory import DeviceBlock, adopted

import accel
from accel import Device, xp
from accel.abc import ComputesWithin, current_stream
from accel.memory import DeviceStorage, heap_of

from .conftest import install
from .standin.machine import Machine
from .standin.namespace import namespace

SIZE = 1000
FLAVOURS = {"cuda": Device.CUDA, "hip": Device.ROCM}
VALUES = np.array([[3, -1, 4], [1, -5, 9]])


@contextmanager
def computing(monkeypatch, flavour="cuda", seed=0):
    """A machine whose arrays compute, and its first device."""
    machine = Machine(flavour, seed=seed)
    backend = install(monkeypatch, machine)
    monkeypatch.setitem(sys.modules, "array_api_compat.cupy", namespace(sys.modules["cupy"]))
    yield machine, FLAVOURS[flavour]
    if machine.lost:
        return
    for device in backend.devices():
        heap_of(device).synchronize()
    gc.collect()
    assert machine.violations == []
    assert [machine.allocations.in_use(device.index) for device in backend.devices()] == [0, 0]


@pytest.fixture(params=FLAVOURS)
def first(monkeypatch, request):
    """The first device of a machine."""
    with computing(monkeypatch, request.param) as (machine, device):
        yield device
        assert machine.device == 0


@pytest.fixture(params=range(2), ids="device{}".format)
def device(first, request):
    """Each device of a machine; the first is the current one."""
    return first[request.param]


def test_the_backend_says_that_it_computes_within_a_context(first):
    assert isinstance(heap_of(first).backend, ComputesWithin)
    assert xp.zeros(1, device="cpu")._library.within is None


OPERATORS = {
    "neg": lambda x: -x,
    "two arrays": lambda x: x + x * x,
    "a number": lambda x: x - 2,
    "a number first": lambda x: 2 - x,
    "comparison": lambda x: (x < 2) == (x != 4),
    "a row": lambda x: x[1],
    "an element": lambda x: x[1, 2] + x[0, 0],
    "a slice": lambda x: x[:, ::-2] * 2,
    "iteration": lambda x: [row + 1 for row in x][1],
}
NUMBERS = {
    "float": lambda x: float(x[0, 2]),
    "int": lambda x: int(x[1, 1]),
    "bool": lambda x: bool(x[0, 1]),
    "index": lambda x: [10, 11, 12, 13][x[0, 0]],
    "len": len,
}
WRITES = {
    "add": lambda x: operator.iadd(x, 2),
    "an array": lambda x: operator.imul(x, x),
    "a row": lambda x: operator.setitem(x, 0, x[1]),
    "all": lambda x: operator.setitem(x, (), 7),
    "a part": lambda x: operator.isub(x[:, 1:], 1),
}


class TestPlace:
    @pytest.mark.parametrize("function", OPERATORS.values(), ids=OPERATORS)
    def test_operators_compute_on_the_device_of_their_arrays(self, device, function):
        result = function(xp.asarray(VALUES, device=device))
        assert result.device is device
        assert np.array_equal(np.asarray(result.to_device("cpu")), function(VALUES))

    @pytest.mark.parametrize("function", NUMBERS.values(), ids=NUMBERS)
    def test_numbers_come_from_it(self, device, function):
        assert function(xp.asarray(VALUES, device=device)) == function(VALUES)

    @pytest.mark.parametrize("function", WRITES.values(), ids=WRITES)
    def test_writes_go_to_it(self, device, function):
        result, expected = xp.asarray(VALUES, device=device, copy=True), VALUES.copy()
        function(result)
        function(expected)
        assert np.array_equal(np.asarray(result.to_device("cpu")), expected)

    def test_reductions_compute_there_too(self, device):
        result = xp.sum(xp.asarray(VALUES, device=device), axis=1)
        assert result.device is device
        assert np.array_equal(np.asarray(result.to_device("cpu")), VALUES.sum(axis=1))

    def test_it_is_shown(self, device):
        x = xp.full(2, 3.0, device=device)
        assert repr(x * 2) == f"Array([6., 6.], dtype=float64, device={device})"

    def test_what_the_driver_reports_is_translated(self, monkeypatch):
        with computing(monkeypatch) as (machine, device):
            x = xp.full(SIZE, 3.0, device=device)
            machine.lose(0)
            with pytest.raises(accel.errors.DeviceLostError):
                x + 1


def by_an_operator(x):
    return x * 1


def by_a_function(x):
    return xp.add(x, 0)


def by_a_function_of_several(x):
    return xp.concat([x, x])


def by_a_view(x):
    return x[::-1] + 0


def in_place(x):
    y = xp.full(SIZE, 0.0, device=x.device)
    y += x
    return y


def by_an_assignment(x):
    y = xp.full(SIZE, 0.0, device=x.device)
    y[...] = x
    return y


def by_its_container(x):
    return xp.asarray(x.container()) * 1


def by_a_copy(x):
    target = accel.zeros(SIZE, device=x.device)
    target.copy_from_async(x.container(), stream=current_stream(x.device))
    return target


def by_a_copy_of_what_was_adopted(x):
    target = accel.zeros(SIZE, device=x.device)
    adopted = accel.AcceleratorDataContainer.on(DeviceStorage(x._native, SIZE, x.device, x.dtype))
    target.copy_from_async(adopted, stream=current_stream(x.device))
    return target


def by_a_computation_with_what_was_adopted(x):
    return xp.asarray(accel.AcceleratorDataContainer.on(DeviceStorage(x._native, SIZE, x.device, x.dtype))) * 1


def by_a_computation_with_a_pointer_that_was_adopted(x):
    return xp.asarray(accel.AcceleratorDataContainer.on(DeviceStorage(x._native.data, SIZE, x.device, x.dtype))) * 1


USES = (
    by_an_operator,
    by_a_function,
    by_a_function_of_several,
    by_a_view,
    in_place,
    by_an_assignment,
    by_its_container,
    by_a_copy,
    by_a_copy_of_what_was_adopted,
    by_a_computation_with_what_was_adopted,
    by_a_computation_with_a_pointer_that_was_adopted,
)


def dropped(values):
    values.clear()


def dropped_by_a_thread(values):
    thread = Thread(target=values.clear)
    thread.start()
    thread.join()


def dropped_by_a_collection(values):
    """Drop them while the other device is current and the lock of the heap is held."""
    import cupy

    device = values[0].device
    cycle = [*values]
    cycle.append(cycle)
    values.clear()
    del cycle
    with heap_of(device).lock, cupy.cuda.Device(1):
        gc.collect()


def a_new_stream(device):
    return accel.new_stream(device)


def the_default_stream(device):
    return heap_of(device).backend.default_stream(device)


HOMES = (a_new_stream, the_default_stream)


def used_and_dropped(device, use, drop=dropped, home_of=a_new_stream):
    """Return what one stream reads in another stream's result, dropped meanwhile; it should be all 4."""
    home, other = home_of(device), accel.new_stream(device)
    # On its default stream CuPy computes without a context.
    on_home = home if home_of is a_new_stream else nullcontext()
    with on_home:
        values = [xp.full(SIZE, 4.0, device=device)]
    other.wait_for(home.record())
    with other:
        result = use(values[0])
    drop(values)
    with on_home:
        xp.full(SIZE, 100.0, device=device)
    heap_of(device).synchronize()
    return set(np.asarray(xp.asarray(result).to_device("cpu")))


def wrong(monkeypatch, flavour, *arguments):
    """Return in how many of 20 random orders something else is read."""
    count = 0
    for seed in range(20):
        with computing(monkeypatch, flavour, seed) as (_, device):
            count += used_and_dropped(device, *arguments) != {4}
    return count


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("home", HOMES)
class TestLifetime:
    @pytest.mark.parametrize("use", USES)
    def test_a_result_is_not_written_over_while_another_stream_uses_it(self, monkeypatch, flavour, home, use):
        if home is the_default_stream and use is by_a_computation_with_a_pointer_that_was_adopted:
            use = by_a_computation_with_what_was_adopted  # a pointer does not say whose memory it is
        assert wrong(monkeypatch, flavour, use, dropped, home) == 0

    @pytest.mark.parametrize("drop", [dropped_by_a_thread, dropped_by_a_collection])
    def test_whoever_drops_it(self, monkeypatch, flavour, home, drop):
        assert wrong(monkeypatch, flavour, by_an_operator, drop, home) == 0

    def test_a_wait_that_is_left_out_shows_in_the_bytes(self, monkeypatch, flavour, home):
        monkeypatch.setattr(Computations, "order", lambda self, *arguments, lent, memory: None)
        assert wrong(monkeypatch, flavour, by_an_operator, dropped, home) > 3

    def test_a_use_that_is_not_noted_shows_in_the_bytes(self, monkeypatch, flavour, home):
        monkeypatch.setattr(Computations, "record_use", lambda self, *arguments: None)
        assert wrong(monkeypatch, flavour, by_an_operator, dropped, home) > 3

    def test_memory_that_is_lent_and_not_noted_shows_in_the_bytes(self, monkeypatch, flavour, home):
        monkeypatch.setattr(
            CupyBackend, "adopt", lambda self, external: adopted(self._driver, external, self.devices())
        )
        assert wrong(monkeypatch, flavour, by_a_computation_with_what_was_adopted, dropped, home) > 3

    def test_a_copy_of_it_that_is_not_noted_shows_in_the_bytes(self, monkeypatch, flavour, home):
        monkeypatch.setattr(DeviceBlock, "use", lambda self, stream: None)
        assert wrong(monkeypatch, flavour, by_a_copy, dropped, home) > 3


def test_views_and_other_owners_of_memory_are_followed_to_the_end(first):
    """A use through a view, an owner that goes before another one, and an address that is used again."""
    import cupy

    results, waits = heap_of(first).backend.computing(first).results, []
    results._order = lambda own, users, *, lent, memory: waits.append((own, {*users}, lent))
    one, stream = cupy.ndarray(SIZE), cupy.cuda.Stream(non_blocking=True)
    other = cupy.ndarray(SIZE, memptr=one.data)
    view = one[::2][1:]
    results.use(view, stream)
    results.use(other, stream)
    results.use(other, cupy.cuda.Stream.null)
    del one
    assert waits == []
    del view
    assert waits == [(cupy.cuda.Stream.null, {stream}, False)]
    del other
    assert waits == [(cupy.cuda.Stream.null, {stream}, False)] * 2
    assert results._used == {}


class TestContainers:
    """Memory of containers that CuPy used on a stream that only CuPy knows."""

    def wrong(self, monkeypatch, flavour):
        count = 0
        for seed in range(20):
            with computing(monkeypatch, flavour, seed) as (_, device):
                container = accel.full(SIZE, 4.0, device=device)
                x, foreign = xp.asarray(container), sys.modules["cupy"].cuda.Stream(non_blocking=True)
                heap_of(device).synchronize()
                with foreign:
                    result = x + 0
                del x
                container.release()
                accel.full(SIZE, 100.0, device=device).release()
                heap_of(device).synchronize()
                count += set(np.asarray(result.to_device("cpu"))) != {4}
                del result
        return count

    @pytest.mark.parametrize("flavour", FLAVOURS)
    def test_is_not_written_over_while_that_stream_uses_it(self, monkeypatch, flavour):
        assert self.wrong(monkeypatch, flavour) == 0

    def test_a_use_that_is_not_noted_shows_in_the_bytes(self, monkeypatch):
        monkeypatch.setattr(Computations, "record_use", lambda self, *arguments: None)
        assert self.wrong(monkeypatch, "cuda") > 3


class TestStreamsOfAllocations:
    def test_what_is_moved_on_a_stream_is_allocated_for_it(self, first):
        stream, source = accel.new_stream(first), accel.full(SIZE, 7.0)
        with source.to(first, stream=stream) as there:
            assert there.storage.owner.block.stream is stream
            assert set(there.to_numpy()) == {7}

    def test_on_a_stream_of_the_other_end_it_is_allocated_as_ever(self, first):
        stream, source = accel.new_stream("cpu"), accel.full(SIZE, 7.0)
        with source.to(first, stream=stream) as there:
            assert there.storage.owner.block.stream is not stream
            assert set(there.to_numpy()) == {7}


class TestRelease:
    @pytest.fixture
    def waits(self, first, monkeypatch):
        """The handles of the streams that were made to wait."""
        runtime, waits = heap_of(first).backend._driver.runtime, []
        wait = runtime.streamWaitEvent
        monkeypatch.setattr(
            runtime, "streamWaitEvent", lambda stream, event: waits.append(stream) or wait(stream, event)
        )
        return waits

    def test_nobody_waits_for_memory_that_one_stream_used(self, first, waits):
        for stream in (accel.new_stream(first), accel.new_stream(first)):
            with stream:
                y = xp.full(SIZE, 4.0, device=first) + 1
                y += y * 2
        del y
        assert waits == []

    def test_nor_for_what_is_done(self, first, waits):
        stream, x = accel.new_stream(first), xp.full(SIZE, 4.0, device=first)
        with stream:
            x + 1
        heap_of(first).synchronize()
        del x
        assert waits == []

    def test_the_stream_that_made_it_waits_for_the_one_that_used_it(self, first, waits):
        home, other = accel.new_stream(first), accel.new_stream(first)
        with home:
            x = xp.full(SIZE, 4.0, device=first)
        with other:
            x + 1
        del x
        assert waits == [home.handle]

    def test_a_stream_of_cupys_own_is_waited_for_too(self, first, waits):
        import cupy

        x = xp.full(SIZE, 4.0, device=first)
        with cupy.cuda.Stream(non_blocking=True):
            x + 1
        del x
        assert waits == [cupy.cuda.Stream.null.ptr]

    def test_in_a_child_of_a_fork_nothing_is_done(self, first, waits, monkeypatch):
        x = xp.full(SIZE, 4.0, device=first)
        with accel.new_stream(first):
            x + 1
        with monkeypatch.context() as child:
            child.setattr(heap_of(first).backend._driver, "_process", -1)  # as in a forked child
            del x
        assert waits == []

    def test_on_a_device_that_is_lost_it_raises_nothing(self, monkeypatch):
        with computing(monkeypatch) as (machine, device):
            x = xp.full(SIZE, 4.0, device=device)
            with accel.new_stream(device):
                x + 1
            machine.lose(0)
            del x  # an error in a finaliser is a warning, and warnings are errors


AT_EXIT = """
import atexit, sys
sys.path.append({root!r})
from tests.cupy_backend.standin.process import install
atexit.register(setattr, install(), "fails", 100)  # the driver fails when the interpreter exits
import accel
import accel.xp as xp
from accel.backends.cupy import BACKEND
from accel.registry import providers
providers._loaded["cuda"] = BACKEND
x = xp.full(1000, 4.0, device="cuda")
with accel.new_stream("cuda"):
    x + 1
"""


def test_what_is_left_at_exit_goes_quietly(root):
    done = subprocess.run([sys.executable, "-c", AT_EXIT.format(root=str(root))], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
