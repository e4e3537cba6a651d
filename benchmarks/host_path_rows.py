"""The rows of `host_path.py`: calls of accel, and of CuPy for the same, by subject."""

import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import cupy
import numpy as np
from kernel_loops import kernels

import accel
from accel import xp
from accel.device import Device
from accel.layout import row_major
from accel.views import LayoutTensor

__all__ = ["ROWS", "Pair"]

_KERNEL = 'extern "C" __global__ void nothing(const float* a, float* b, long long n) {}'
_VIEW = 'extern "C" __global__ void nothing(accel::View<const float, 2> a, float* b, long long n) {}'
_SCALE = cupy.ElementwiseKernel("raw float32 v, float32 factor", "", "", "scale")
_FEW, _MANY = 1 << 10, 1 << 20
"""Elements of arrays of 4 KiB and of 4 MiB."""


@accel.kernel
def _scale(v: Any, factor: float) -> None:
    for i in range(len(v)):
        v[i] = v[i] * factor


class Pair(NamedTuple):
    """A call of CuPy and one of accel that do the same, and how many calls are one batch."""

    cupy: Callable[[], object]
    accel: Callable[[], object]
    number: int = 200


Rows = Mapping[str, Pair]


def launches(device: Device) -> Rows:
    """Return launches of kernels in CUDA and in Python."""
    a, b, c, d = (accel.zeros(_FEW, "float32", device) for _ in range(4))
    x, y, z, w = (cupy.zeros(_FEW, "float32") for _ in range(4))
    square, other = (LayoutTensor(each, row_major(32, 32)) for each in (a, b))
    buffers = a[:], b[:]
    launch, viewed = accel.RawKernel.from_source(_KERNEL), accel.RawKernel.from_source(_VIEW)
    theirs, count, factor = cupy.RawKernel(_KERNEL, "nothing"), np.int64(_FEW), np.float32(2)
    stream, their_stream = accel.new_stream(device), cupy.cuda.Stream(non_blocking=True)
    loops, numbers = kernels(), iter(range(1 << 62))
    array, result = (xp.zeros(_FEW, "float32", device=device) for _ in range(2))

    def theirs_twice() -> None:
        theirs((4,), (256,), (x, y, count))
        theirs((4,), (256,), (z, w, count))

    def ours_twice() -> None:
        launch(a, b, _FEW, over=_FEW)
        launch(c, d, _FEW, over=_FEW)

    def on_theirs() -> None:
        with their_stream:
            theirs((4,), (256,), (x, y, count))

    def one(*arguments: Any) -> None:
        theirs((4,), (256,), arguments)

    def elementwise() -> None:
        _SCALE(x, factor, size=_FEW)

    def theirs_new() -> None:
        _SCALE(cupy.empty(_FEW, "float32"), factor, size=_FEW)

    def ours_new() -> None:
        _scale(xp.empty(_FEW, dtype="float32", device=device), 2.0)

    def theirs_then() -> object:
        elementwise()
        return x + 1

    def ours_then() -> object:
        _scale(array, 2.0)
        return array + 1

    return {
        "RawKernel": Pair(lambda: one(x, y, count), lambda: launch(a, b, _FEW, over=_FEW)),
        "RawKernel with stream=": Pair(
            lambda: theirs((4,), (256,), (x, y, count), stream=their_stream),
            lambda: launch(a, b, _FEW, over=_FEW, stream=stream),
        ),
        "RawKernel, two sets of arguments": Pair(theirs_twice, ours_twice),
        "RawKernel, a number that changes": Pair(
            lambda: one(x, y, np.int64(next(numbers))), lambda: launch(a, b, next(numbers), over=_FEW)
        ),
        "RawKernel with a view": Pair(lambda: one(x, y, count), lambda: viewed(square, b, _FEW, over=_FEW)),
        "RawKernel in `with stream`": Pair(on_theirs, _within(stream, lambda: launch(a, b, _FEW, over=_FEW))),
        "@kernel of a container": Pair(elementwise, lambda: _scale(a, 2.0)),
        "@kernel, a number that changes": Pair(
            lambda: _SCALE(x, np.float32(next(numbers)), size=_FEW), lambda: _scale(a, next(numbers) * 0.5)
        ),
        "@kernel of an array of xp": Pair(elementwise, lambda: _scale(array, 2.0)),
        "@kernel of an array of xp with stream=": Pair(elementwise, lambda: _scale.on(stream)(result, 2.0)),
        "@kernel of a new array of xp": Pair(theirs_new, ours_new),
        "@kernel of an array of xp, then x + 1": Pair(theirs_then, ours_then),
        "RawKernel of arrays of xp": Pair(lambda: one(x, y, count), lambda: launch(array, result, _FEW, over=_FEW)),
        "@kernel of a view": Pair(elementwise, lambda: loops.scale(buffers[0], 2.0)),
        "@kernel of two views": Pair(elementwise, lambda: loops.saxpy(*buffers, 2.0)),
        "@kernel of tensors": Pair(elementwise, lambda: loops.stencil(square, other)),
        "@kernel with stream=": Pair(elementwise, lambda: _scale.on(stream)(a, 2.0)),
    }


def copies(device: Device) -> Rows:
    """Return copies within the device, and between it and the host."""
    a, b = (accel.zeros(_FEW, "float32", device) for _ in range(2))
    x, y = (cupy.zeros((32, 32), "float32") for _ in range(2))
    one, other = (LayoutTensor(each, row_major(32, 32)) for each in (a, b))
    turned, their_turned = other.transpose(), y.T
    few = _on_host(device, _FEW)
    many = _on_host(device, _MANY)
    stream, their_stream = accel.new_stream(device), cupy.cuda.Stream(non_blocking=True)
    kind = cupy.cuda.runtime.memcpyDeviceToDevice

    def on_theirs() -> None:
        with their_stream:
            cupy.copyto(x, y)

    def bare() -> None:
        cupy.cuda.runtime.memcpyAsync(x.data.ptr, y.data.ptr, 4 * _FEW, kind, their_stream.ptr)

    def in_flight() -> None:
        b.copy_from_async(a, stream=stream)

    return {
        "copy_from, flat": Pair(lambda: cupy.copyto(x, y), lambda: a.copy_from(b)),
        "copy_from, transposed": Pair(lambda: cupy.copyto(x, their_turned), lambda: one.copy_from(turned)),
        "copy_from_async": Pair(on_theirs, in_flight),
        "copy_from_async, beside memcpyAsync alone": Pair(bare, in_flight),
        **{f"4 KiB, {name}": pair for name, pair in few.items()},
        **{f"4 MiB, {name}": pair._replace(number=3) for name, pair in many.items()},
    }


def _on_host(device: Device, size: int) -> Rows:
    container, array = accel.zeros(size, "float32", device), cupy.zeros(size, "float32")
    pageable = accel.zeros(size, "float32", "cpu")
    pinned = accel.AcceleratorDataContainer.on(accel.memory.pinned(size, "float32", device))
    numpy = np.zeros(size, "float32")
    theirs = np.frombuffer(cupy.cuda.alloc_pinned_memory(4 * size), "float32", size)
    null = cupy.cuda.Stream.null

    stream, their_stream = accel.new_stream(device), cupy.cuda.Stream(non_blocking=True)
    runtime = cupy.cuda.runtime
    row, their_row = container.view(row_major(8, size // 8))[1:3, :], array.reshape(8, -1)[1:3]
    rows, their_rows = pinned.view(row_major(8, size // 8))[1:3, :], theirs.reshape(8, -1)[1:3]

    def down(out: Any) -> Callable[[], object]:
        return lambda: array.get(out=out)

    def down_async(out: Any) -> Callable[[], object]:
        return lambda: array.get(their_stream, out=out, blocking=False)

    def alone(into: int, out_of: int, kind: int) -> Callable[[], object]:
        return lambda: runtime.memcpyAsync(into, out_of, 4 * size, kind, their_stream.ptr)

    def up_pinned() -> None:
        array.set(theirs)
        null.synchronize()

    return {
        "host to device": Pair(lambda: array.set(numpy), lambda: container.copy_from(pageable)),
        "host to device, pinned": Pair(up_pinned, lambda: container.copy_from(pinned)),
        "device to host": Pair(down(numpy), lambda: pageable.copy_from(container)),
        "device to host, pinned": Pair(down(theirs), lambda: pinned.copy_from(container)),
        "from_numpy": Pair(lambda: array.set(numpy), lambda: container.from_numpy(numpy)),
        "to_numpy": Pair(array.get, container.to_numpy),
        "async, host to device": Pair(
            lambda: array.set(numpy, their_stream), lambda: container.copy_from_async(pageable, stream=stream)
        ),
        "async, host to device, pinned": Pair(
            lambda: array.set(theirs, their_stream), lambda: container.copy_from_async(pinned, stream=stream)
        ),
        "async, host to device, pinned, beside memcpyAsync alone": Pair(
            alone(array.data.ptr, theirs.ctypes.data, runtime.memcpyHostToDevice),
            lambda: container.copy_from_async(pinned, stream=stream),
        ),
        "async, device to host": Pair(down_async(numpy), lambda: pageable.copy_from_async(container, stream=stream)),
        "async, device to host, pinned": Pair(
            down_async(theirs), lambda: pinned.copy_from_async(container, stream=stream)
        ),
        "async, device to host, pinned, beside memcpyAsync alone": Pair(
            alone(theirs.ctypes.data, array.data.ptr, runtime.memcpyDeviceToHost),
            lambda: pinned.copy_from_async(container, stream=stream),
        ),
        "async, rows to device, pinned": Pair(
            lambda: their_row.set(their_rows, their_stream), lambda: row.copy_from_async(rows, stream=stream)
        ),
    }


def memory(device: Device) -> Rows:
    """Return allocations and fills."""
    a, x = accel.zeros(_FEW, "float32", device), cupy.zeros(_FEW, "float32")
    part, their_part = a[10:500], x[10:500]
    name = str(device)
    return {
        "empty and release": Pair(
            lambda: cupy.empty(_FEW, "float32"), lambda: accel.empty(_FEW, "float32", device).release()
        ),
        "empty and release, device as text": Pair(
            lambda: cupy.empty(_FEW, "float32"), lambda: accel.empty(_FEW, "float32", name).release()
        ),
        "zeros and release": Pair(
            lambda: cupy.zeros(_FEW, "float32"), lambda: accel.zeros(_FEW, "float32", device).release()
        ),
        "full and release": Pair(
            lambda: cupy.full(_FEW, 1.5, "float32"), lambda: accel.full(_FEW, 1.5, "float32", device).release()
        ),
        "fill(0)": Pair(lambda: x.fill(0), lambda: a.fill(0)),
        "fill(1.5)": Pair(lambda: x.fill(1.5), lambda: a.fill(1.5)),
        "fill(1.5) of a slice": Pair(lambda: their_part.fill(1.5), lambda: part.fill(1.5)),
    }


def streams(device: Device) -> Rows:
    """Return what is done with streams and events."""
    stream, theirs = accel.new_stream(device), cupy.cuda.Stream(non_blocking=True)
    event, their_event = stream.record(), theirs.record()
    event.wait()
    return {
        "record": Pair(theirs.record, stream.record),
        "done": Pair(lambda: their_event.done, event.done),
        "wait": Pair(their_event.synchronize, event.wait),
        "synchronize": Pair(theirs.synchronize, stream.synchronize),
        "new stream and close": Pair(
            lambda: cupy.cuda.Stream(non_blocking=True), lambda: accel.new_stream(device).close()
        ),
        "with stream": Pair(_within(theirs, lambda: None), _within(stream, lambda: None)),
    }


def graphs(device: Device) -> Rows:
    """Return launches of graphs that fill one array, and four."""
    stream, theirs = accel.new_stream(device), cupy.cuda.Stream(non_blocking=True)
    arrays = [accel.zeros(_FEW, "float32", device) for _ in range(4)]
    others = [cupy.zeros(_FEW, "float32") for _ in range(4)]

    def graph(count: int) -> Any:
        with accel.capture(stream) as result:
            for each in arrays[:count]:
                each.fill(0)
        return result

    def their_graph(count: int) -> Any:
        theirs.begin_capture()
        for each in others[:count]:
            cupy.cuda.runtime.memsetAsync(each.data.ptr, 0, each.nbytes, theirs.ptr)
        return theirs.end_capture()

    one, four, their_one, their_four = graph(1), graph(4), their_graph(1), their_graph(4)
    return {
        "launch of a graph": Pair(lambda: their_one.launch(theirs), one.launch),
        "launch of a graph of 4 arrays": Pair(lambda: their_four.launch(theirs), four.launch),
    }


def _within(stream: Any, call: Callable[[], object]) -> Callable[[], object]:
    def run() -> None:
        with stream:
            call()

    return run


def views(device: Device) -> Rows:
    """Return slices."""
    a = accel.zeros(_FEW, "float32", device)
    x, square = cupy.zeros(_FEW, "float32"), cupy.zeros((32, 32), "float32")
    tensor = LayoutTensor(a, row_major(32, 32))
    array, flat = xp.zeros((32, 32), "float32", device=device), xp.zeros(_FEW, "float32", device=device)
    return {
        "slice of a container": Pair(lambda: x[10:20], lambda: a[10:20]),
        "slice of a tensor": Pair(lambda: square[1:3], lambda: tensor[1:3, :]),
        "slice of a tensor, both axes": Pair(lambda: square[1:3, 4:8], lambda: tensor[1:3, 4:8]),
        "transpose of a tensor": Pair(lambda: square.T, tensor.transpose),
        "slice of an array": Pair(lambda: x[10:20], lambda: flat[10:20]),
        "slice of an array, both axes": Pair(lambda: square[1:3, 4:8], lambda: array[1:3, 4:8]),
        "row of an array": Pair(lambda: square[3], lambda: array[3, ...]),
        "element of an array": Pair(lambda: square[3, 4], lambda: array[3, 4]),
        "array.T": Pair(lambda: square.T, lambda: array.T),
        "reshape": Pair(lambda: x.reshape(32, 32), lambda: xp.reshape(flat, (32, 32))),
    }


def arrays(device: Device) -> Rows:
    """Return functions and operators of `accel.xp`."""
    x, y = (xp.zeros((32, 32), "float32", device=device) for _ in range(2))
    u, v = (cupy.zeros((32, 32), "float32") for _ in range(2))
    return {
        "xp.add": Pair(lambda: cupy.add(u, v), lambda: xp.add(x, y)),
        "x + y": Pair(lambda: u + v, lambda: x + y),
        "x + 1": Pair(lambda: u + 1, lambda: x + 1),
        "2 * x": Pair(lambda: 2 * u, lambda: 2 * x),
        "x += y": Pair(lambda: operator.iadd(u, v), lambda: operator.iadd(x, y)),
        "x < y": Pair(lambda: u < v, lambda: x < y),
        "-x": Pair(lambda: -u, lambda: -x),
        "xp.exp": Pair(lambda: cupy.exp(u), lambda: xp.exp(x)),
        "xp.where": Pair(lambda: cupy.where(u, u, v), lambda: xp.where(x < y, x, y)),
        "xp.sum": Pair(lambda: cupy.sum(u), lambda: xp.sum(x)),
        "xp.sum, axis=0": Pair(lambda: cupy.sum(u, axis=0), lambda: xp.sum(x, axis=0)),
        "xp.max": Pair(lambda: cupy.max(u), lambda: xp.max(x)),
        "xp.empty": Pair(lambda: cupy.empty((32, 32), "float32"), lambda: xp.empty((32, 32), dtype="float32")),
        "xp.zeros": Pair(lambda: cupy.zeros((32, 32), "float32"), lambda: xp.zeros((32, 32), dtype="float32")),
        "xp.astype": Pair(lambda: u.astype("float64"), lambda: xp.astype(x, xp.float64)),
        "x[0] = 1": Pair(lambda: operator.setitem(u, 0, 1), lambda: operator.setitem(x, (0, ...), 1)),
        "x.copy()": Pair(u.copy, x.copy),
        "xp.mean": Pair(lambda: cupy.mean(u), lambda: xp.mean(x)),
        "xp.concat": Pair(lambda: cupy.concatenate([u, v]), lambda: xp.concat([x, y])),
        "xp.stack": Pair(lambda: cupy.stack([u, v]), lambda: xp.stack([x, y])),
        "xp.maximum, a number": Pair(lambda: cupy.maximum(u, 0), lambda: xp.maximum(x, 0)),
        "xp.full": Pair(lambda: cupy.full((32, 32), 2.5, "float32"), lambda: xp.full((32, 32), 2.5, dtype="float32")),
        "x[...] = 1": Pair(lambda: operator.setitem(u, ..., 1), lambda: operator.setitem(x, ..., 1)),
        "x[1, 2] = 1": Pair(lambda: operator.setitem(u, (1, 2), 1), lambda: operator.setitem(x, (1, 2), 1)),
        "x[1:3] = y[1:3]": Pair(
            lambda: operator.setitem(u, slice(1, 3), v[1:3]),
            lambda: operator.setitem(x, (slice(1, 3), slice(None)), y[1:3, :]),
        ),
    }


def arrays_on_a_stream(device: Device) -> Rows:
    """Return functions and operators of `accel.xp` within ``with stream:``, on arrays that were made there."""
    stream, theirs = accel.new_stream(device), cupy.cuda.Stream(non_blocking=True)
    with stream:
        x, y = (xp.zeros((32, 32), "float32", device=device) for _ in range(2))
    with theirs:
        u, v = (cupy.zeros((32, 32), "float32") for _ in range(2))
    stream.synchronize()
    calls = {
        "x + y": (lambda: u + v, lambda: x + y),
        "x += y": (lambda: operator.iadd(u, v), lambda: operator.iadd(x, y)),
        "xp.sum": (lambda: cupy.sum(u), lambda: xp.sum(x)),
        "xp.zeros": (lambda: cupy.zeros((32, 32), "float32"), lambda: xp.zeros((32, 32), dtype="float32")),
        "x[1:3]": (lambda: u[1:3], lambda: x[1:3, :]),
    }
    return {
        f"{name} in `with stream`": Pair(_within(theirs, cupys), _within(stream, ours))
        for name, (cupys, ours) in calls.items()
    }


ROWS: tuple[Callable[[Device], Rows], ...] = (
    launches,
    copies,
    memory,
    streams,
    graphs,
    views,
    arrays,
    arrays_on_a_stream,
)
