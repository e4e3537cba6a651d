"""Copies that are refused, or fail while they run, change no byte and leak no memory."""

import threading
from contextlib import contextmanager, nullcontext
from functools import partial

import numpy as np
import pytest

import accel
from accel import copies
from accel.copies import Elements
from accel.dtypes import as_dtype
from accel.errors import (
    AccelError,
    BoundsError,
    DeviceLostError,
    DTypeError,
    InFlightError,
    OutOfMemoryError,
    OverlapError,
    ReadOnlyError,
    ReleasedError,
)
from accel.memory import HostStorage, heap_of
from accel.testing import fail_allocation, fail_copy, lose_device, no_leaks, no_races

from .model import BYTE, Memory, put, values_of

F32, I32 = as_dtype("float32"), as_dtype("int32")
TABLE = np.array([5, 0, 3, 9, 1, 7], np.int64)
BY_LEAVES = {
    "a row": (2, ((6, 1),), F32),
    "columns": (1, ((3, 2), (2, 8)), F32),
    "no refinement of columns": (17, ((2, -7), (3, 2)), F32),
    "another dtype": (0, ((6, 2),), I32),
    "a table": (3, (), F32, TABLE),
}
DEVICES = ("cpu", "sim", "sim:1")
everywhere = pytest.mark.parametrize("device", DEVICES)


def elements(memory, name):
    return Elements(memory.storage, *BY_LEAVES[name])


@contextmanager
def unchanged(*memories):
    """Check that the block changes no byte and leaks no memory, whether it fails or not."""
    with no_leaks():
        yield
    for memory in memories:
        memory.check()


def outcome(work):
    try:
        work()
    except AccelError as error:
        return type(error)
    return None


def works(target, source):
    """Return each kind of work on two memories, with the elements it writes and the values they get."""
    for into in BY_LEAVES:
        written = elements(target, into)
        for out_of in BY_LEAVES:
            given = elements(source, out_of)
            yield partial(copies.copy, written, given, cast=True), written, values_of(source, given)
        values = np.arange(6).astype(written.element_type)
        yield partial(copies.write, written, values), written, values
        yield partial(copies.fill, written, values[3]), written, np.repeat(values[3], 6)
        yield partial(copies.read, written), written, values_of(target, written)


@pytest.mark.parametrize("fault", [fail_allocation, fail_copy])
@pytest.mark.parametrize(("to", "of"), [("cpu", "sim"), ("sim", "cpu"), ("sim", "sim:1"), ("sim", "sim")])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_whichever_allocation_or_copy_fails_nothing_has_changed(fault, to, of):
    for device in {to, of}:
        target, source = Memory(to), Memory(of, seed=5)
        for work, into, values in works(target, source):
            for k in range(1, 20):
                with unchanged(target, source), fault(k, device) as failing:
                    failed = outcome(work)
                    if not failing.happened:
                        put(target, into, values.astype(into.element_type))
                        assert failed is None
                if not failing.happened:
                    break
                assert failed in (OutOfMemoryError, DeviceLostError)
            assert k < 19


@pytest.mark.parametrize("name", BY_LEAVES)
def test_a_lost_device_leaves_the_host_as_it_was(name):
    here, there = Memory("cpu"), Memory("sim")
    mine, its = elements(here, name), elements(there, name)
    value = np.ones(1, mine.element_type)[0]
    for work in (
        partial(copies.copy, mine, its),
        partial(copies.copy, its, mine),
        partial(copies.fill, its, value),
        partial(copies.read, its),
    ):
        with unchanged(here), lose_device("sim"):
            assert outcome(work) is DeviceLostError
    there.check()


@everywhere
@pytest.mark.parametrize(
    ("into", "out_of", "cast", "error", "text"),
    [
        ((0, ((6, 1), (2, 0)), F32), (0, ((12, 1),), F32), False, OverlapError, "names an element twice"),
        ((0, ((2, 3), (6, 1)), F32), (0, ((12, 1),), F32), False, OverlapError, r"\(2, 6\) and strides \(3, 1\)"),
        ((0, (), F32, np.array([4, 2, 4])), (0, ((3, 1),), F32), False, OverlapError, "offset 4 twice"),
        ((20, ((6, 1),), F32), (0, ((6, 1),), F32), False, BoundsError, "elements 20 to 25 of float32 are required"),
        ((0, ((6, 1),), F32), (4, ((6, -1),), F32), False, BoundsError, "elements -1 to 4 .* 24 available"),
        ((0, ((6, 1),), F32), (19, (), F32, TABLE[::-1]), False, BoundsError, "elements 19 to 28"),
        ((0, ((6, 1),), F32), (0, ((5, 1),), F32), False, ValueError, "5 elements cannot be copied into 6"),
        ((0, ((6, 1),), F32), (0, ((6, 1),), I32), False, DTypeError, "int32 .* float32"),
        ((0, ((6, 1),), F32), (0, ((5, 1),), I32), True, ValueError, "5 elements"),
    ],
)
def test_what_is_refused_is_refused_before_anything_is_written(device, into, out_of, cast, error, text):
    target, source = Memory(device), Memory(device, seed=5)
    with unchanged(target, source), pytest.raises(error, match=text):
        copies.copy(Elements(target.storage, *into), Elements(source.storage, *out_of), cast=cast)


@everywhere
def test_values_of_another_size_or_dtype_are_not_written(device):
    target = Memory(device)
    with unchanged(target), pytest.raises(ValueError, match="5 elements"):
        copies.write(elements(target, "a row"), np.zeros(5, F32))
    with unchanged(target), pytest.raises(DTypeError, match="int32"):
        copies.write(elements(target, "a row"), np.zeros(6, I32))


@everywhere
@pytest.mark.parametrize("name", BY_LEAVES)
def test_read_only_memory_is_read_and_not_written(device, name):
    memory = Memory(device)
    frozen = memory.storage.window(0, memory.storage.size, BYTE, const=True)
    those = Elements(frozen, *BY_LEAVES[name])
    values = copies.read(those)
    assert values.tobytes() == values_of(memory, those).tobytes()
    assert not those.writable
    for work in (copies.copy, copies.write, copies.fill):
        argument = {copies.copy: those, copies.write: values, copies.fill: values[0]}[work]
        with unchanged(memory), pytest.raises(ReadOnlyError):
            work(those, argument)


@everywhere
def test_released_memory_is_refused(device):
    alive, gone = Memory(device), Memory(device)
    gone.storage.release()
    here, there = elements(alive, "a row"), elements(gone, "a row")
    for work in (
        partial(copies.copy, here, there),
        partial(copies.copy, there, here),
        partial(copies.read, there),
        partial(copies.write, there, np.zeros(6, F32)),
        partial(copies.fill, there, np.float32(0)),
    ):
        with unchanged(alive), pytest.raises(ReleasedError):
            work()


SIZE = 100_000  # more than is copied in the caller's thread
USES = {
    "read": lambda written, read: copies.read(written),
    "write": lambda written, read: copies.write(read, np.zeros(3, F32)),
    "fill": lambda written, read: copies.fill(read, F32.type(0)),
    "copy": lambda written, read: copies.copy(read, read),
    "copy of what is written": lambda written, read: copies.copy(Elements(HostStorage(3, F32), 0, ((3, 1),)), written),
}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("use", USES)
def test_work_in_flight_is_waited_for_or_refused(use, strict, held, stream):
    source = accel.container(np.arange(SIZE, dtype=F32))
    with accel.zeros(SIZE, "float32") as target:
        written, read = (Elements(c.storage, 0, ((3, 1),)) for c in (target, source))
        transfer = target.copy_from_async(source, stream=stream)
        opening = threading.Timer(0.02, held.set)
        if not strict:
            opening.start()
        with accel.using(strict=strict), pytest.raises(InFlightError) if strict else nullcontext():
            USES[use](written, read)
        held.set()
        transfer.wait()
        assert copies.read(written).tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["copy", "copy_strided", "fill"])
def test_memory_that_is_let_go_of_meanwhile_stays_until_the_work_is_done(name, monkeypatch):
    target, source = Memory("sim"), Memory("sim", seed=5)
    into, out_of = elements(target, "a row" if name == "copy" else "columns"), elements(source, "a row")
    backend = heap_of(accel.Device("sim")).backend
    work = getattr(backend, name)

    def letting_go(*arguments, **keywords):
        work(*arguments, **keywords)
        target.storage.release()
        source.storage.release()

    monkeypatch.setattr(backend, name, letting_go)
    with no_races():  # the device refuses work on memory that was freed
        copies.fill(into, F32.type(2)) if name == "fill" else copies.copy(into, out_of)
    assert target.storage.released


@pytest.mark.parametrize("name", ["target", "source"])
def test_memory_that_another_thread_lets_go_of_before_a_small_copy_is_not_touched(name, monkeypatch):
    ends = {"target": Memory("cpu"), "source": Memory("cpu", seed=5)}
    into, out_of = elements(ends["target"], "columns"), elements(ends["source"], "a row")
    meanwhile = []

    def letting_go(*arrays):
        ends[name].storage.release()
        meanwhile.append(Memory("cpu", seed=9))  # most likely where that was
        return False

    monkeypatch.setattr(np, "may_share_memory", letting_go)
    with pytest.raises(ReleasedError):
        copies.copy(into, out_of)
    for memory in (*meanwhile, *[end for end in ends.values() if not end.storage.released]):
        memory.check()
