"""Arrays whose memory has pending reads or writes: operations wait for the work that conflicts with them."""

import threading

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import InFlightError

SIZE = 100_000  # more than is copied in the caller's thread


def soon(held):
    threading.Timer(0.05, held.set).start()


READS = {
    "operator": lambda x: x + 0,
    "second operand": lambda x: xp.zeros(SIZE) + x,
    "reflected": lambda x: 0 + x,
    "unary": lambda x: +x,
    "function": xp.abs,
    "reduction": lambda x: xp.sum(x) + xp.zeros(SIZE),
    "element": lambda x: x[SIZE - 1] + xp.zeros(SIZE),
    "element of a matrix": lambda x: x.reshape(10, -1)[9, SIZE // 10 - 1] + xp.zeros(SIZE),
    "slice": lambda x: x[1:],
    "column": lambda x: x.reshape(10, -1)[:, 0],
    "loop": lambda x: next(iter(x)) + xp.zeros(SIZE),
    "method": lambda x: x.sum() + xp.zeros(SIZE),
    "function of NumPy's name": lambda x: xp.power(x, 1),
    "copy": lambda x: xp.asarray(x, copy=True),
    "NumPy": lambda x: xp.asarray(np.asarray(x)),
    "NumPy's function": np.positive,
    "DLPack": lambda x: xp.from_dlpack(np.from_dlpack(x)),
    "value": lambda x: assigned(xp.zeros(SIZE), x),
}
WRITES = {
    "element": lambda x: x.__setitem__(0, 5),
    "element of a matrix": lambda x: x.reshape(10, -1).__setitem__((0, 0), 5.0),
    "slice": lambda x: x.__setitem__(slice(1), 5.0),
    "array": lambda x: x.__setitem__(slice(None), xp.full(SIZE, 5.0)),
    "in place": lambda x: x.__iadd__(5),
    "NumPy's target": lambda x: np.add(x, 5, out=x),
    "NumPy's place": lambda x: np.add.at(x, 0, 5),
    "NumPy's array": lambda x: np.asarray(x).__setitem__(0, 5),
}


def assigned(x, value):
    x[...] = value
    return x


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_reading_waits_for_a_write_in_flight(stream, held, read):
    target = accel.zeros(SIZE)
    x = xp.asarray(target)
    target.copy_from_async(accel.full(SIZE, 1.0), stream=stream)
    soon(held)
    result = read(x)
    assert float(result[0]) in (1.0, SIZE)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_writing_waits_for_a_read_in_flight(stream, held, write):
    source, target = accel.zeros(SIZE), accel.empty(SIZE)
    target.copy_from_async(source, stream=stream)
    soon(held)
    write(xp.asarray(source))
    assert target[0] == 0
    assert source[0] == 5


def test_reading_does_not_wait_for_a_read(stream, held):
    source = accel.full(SIZE, 1.0)
    accel.empty(SIZE).copy_from_async(source, stream=stream)
    assert xp.sum(xp.asarray(source)) == SIZE
    assert not held.is_set()


def test_making_arrays_does_not_wait(stream, held):
    target = accel.zeros(SIZE)
    target.copy_from_async(accel.full(SIZE, 1.0), stream=stream)
    x = xp.asarray(target)
    assert x.container().size == x.__accel_operand__().extents[0] == SIZE
    assert not held.is_set()


def test_strict_mode_refuses(stream, held):
    target = accel.zeros(SIZE)
    target.copy_from_async(accel.full(SIZE, 1.0), stream=stream)
    x = xp.asarray(target)
    with accel.using(strict=True):
        for use in (*READS.values(), *WRITES.values()):
            with pytest.raises(InFlightError, match="wait for its transfer"):
                use(x)


@pytest.mark.parametrize("view", [lambda x: x, xp.flip])
def test_moving_on_a_stream(sim, view):
    thread, stream = accel.new_stream("cpu"), accel.new_stream(sim)
    started = threading.Event()
    stream.wait_for(thread.submit(lambda: started.wait(30)))
    x = view(xp.arange(SIZE))
    expected = np.array(x)
    y = x.to_device(sim, stream=stream)
    soon(started)
    x[...] = -1
    np.testing.assert_array_equal(np.asarray(y.to_device("cpu")), expected)
    stream.close()
    thread.close()
