"""Copies on a GPU and to and from the host: their speed against the driver's and CuPy's, and the host's overhead.

python benchmarks/gpu.py [--device cuda] [--quick]

Rates are measured by events on the device's default stream, which is kept busy: so they do not contain the work of the
host. A ratio of 1.0 is the driver's copy of as many bytes in the same rounds. The data is far larger than the caches.
"""

import argparse
import math
import statistics
from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from timeit import timeit
from typing import Any

import cupy
import numpy as np
from timing import medians, report

import accel
from accel.abc import Operand
from accel.copies import plan
from accel.device import Device, resolve
from accel.layout import row_major
from accel.memory import copy_elements, heap_of, pinned
from accel.views import LayoutTensor

Rivals = Mapping[str, Callable[[], object]]
Axes = tuple[int, ...]

# Type, order of the source's axes in the target, the aim as a ratio to the driver's copy, and as a speedup over CuPy.
PERMUTED: Mapping[str, tuple[str, Axes, float, float | None]] = {
    "contiguous": ("uint8", (0,), 0.9, None),
    "1 byte transposed": ("uint8", (1, 0), 0.75, 2.0),
    "2 bytes transposed": ("int16", (1, 0), 0.75, 2.0),
    "4 bytes transposed": ("float32", (1, 0), 0.85, 2.0),
    "8 bytes transposed": ("float64", (1, 0), 0.85, 2.0),
    "16 bytes transposed": ("complex128", (1, 0), 0.85, 2.0),
    "float32 (3, 2, 1, 0)": ("float32", (3, 2, 1, 0), 0.7, None),
    "float32 (2, 3, 0, 1)": ("float32", (2, 3, 0, 1), 0.7, None),
    "float32 (1, 0, 3, 2)": ("float32", (1, 0, 3, 2), 0.7, None),
}
ROWS = (1 << 10, 1 << 7)
"""Bytes of a row, in the strided copy of every second row."""
WARMING = 1.0
"""Seconds of copies before anything is measured, so that the GPU raises its clocks."""
LAUNCHED = """
extern "C" __global__ void nothing(const float* a, float* b, float factor) {
    if (factor != 0) b[threadIdx.x] += factor * a[threadIdx.x];
}
"""


def device_medians(rivals: Rivals, *, number: int, rounds: int) -> dict[str, float]:
    """Time each function ``number`` times a round, by events, the functions in turn; return median seconds a call.

    The first call of each turn is not counted: it keeps the device busy while the host submits the others.
    """
    stream = cupy.cuda.Stream.null
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds + 1):  # the first compiles, and is not counted
        for name, function in rivals.items():
            function()
            began = stream.record()
            for _ in range(number):
                function()
            ended = stream.record()
            ended.synchronize()
            times[name].append(cupy.cuda.get_elapsed_time(began, ended) / number / 1e3)
    return {name: statistics.median(found[1:]) for name, found in times.items()}


def shape_of(size: int, rank: int) -> tuple[int, ...]:
    """Split a power of two into ``rank`` extents, as equal as possible."""
    bits, more = divmod(size.bit_length() - 1, rank)
    return tuple(1 << bits + (axis < more) for axis in range(rank))


def laid_out(whole: Operand, dtype: str, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> Operand:
    """Return a view of the beginning of some memory; contiguous by default."""
    found = np.dtype(dtype)
    steps = strides or tuple(math.prod(shape[axis + 1 :]) * found.itemsize for axis in range(len(shape)))
    return whole._replace(dtype=found, extents=shape, strides=steps)


class Copies:
    """Two containers of one device, and copies between them."""

    def __init__(self, device: Device, nbytes: int, rounds: int) -> None:
        self.backend: Any = heap_of(device).backend
        self.rounds = rounds
        # These bytes are not NaN in any dtype.
        values = np.resize(np.random.default_rng(0).integers(0, 64, 1_000_003, np.uint8), nbytes)
        self.source = accel.from_numpy(values).to(device)
        self.target = accel.zeros(nbytes, "uint8", device)
        self.into, self.out_of = (each.__accel_operand__() for each in (self.target, self.source))

    def warm_up(self, seconds: float) -> None:
        """Copy for some time, and wait."""
        end = perf_counter() + seconds
        while perf_counter() < end:
            driver_copy(address(self.target), address(self.source), self.source.nbytes)
            cupy.cuda.Stream.null.synchronize()

    def permuted(self, dtype: str, axes: Axes, aim: float, over_cupy: float | None) -> Mapping[str, float | None]:
        shape = shape_of(self.source.nbytes // np.dtype(dtype).itemsize, len(axes))
        source = laid_out(self.out_of, dtype, shape)
        source = source._replace(
            extents=tuple(shape[axis] for axis in axes), strides=tuple(source.strides[axis] for axis in axes)
        )
        return self.measured(laid_out(self.into, dtype, source.extents), source, aim, over_cupy)

    def strided(self, row: int) -> Mapping[str, float | None]:
        shape = (self.source.nbytes // row // 2, row // 4)
        source = laid_out(self.out_of, "float32", shape, (2 * row, 4))
        return self.measured(laid_out(self.into, "float32", shape), source, 0.9, None)

    def measured(
        self, target: Operand, source: Operand, aim: float, over_cupy: float | None
    ) -> Mapping[str, float | None]:
        copy = partial(self.backend.copy_strided, target, source, plan(target, source), stream=None)
        theirs, array = (self.backend.array(each, None) for each in (source, target))
        nbytes = math.prod(target.extents) * target.dtype.itemsize
        rivals: dict[str, Callable[[], object]] = {
            "memcpy": partial(driver_copy, address(self.target), address(self.source), nbytes),
            "copy": copy,
        }
        if not source.contiguous:  # where it is, CuPy copies nothing
            rivals["cupy"] = lambda: cupy.ascontiguousarray(theirs)
        times = device_medians(rivals, number=10, rounds=self.rounds)
        copy()
        assert cupy.array_equal(array, theirs)
        return {
            "memcpy, GB/s read and written": 2 * nbytes / times["memcpy"] / 1e9,
            "ratio to memcpy": times["memcpy"] / times["copy"],
            "aim": aim,
            "times as fast as cupy.ascontiguousarray": times["cupy"] / times["copy"] if "cupy" in times else None,
            "aim over CuPy": over_cupy,
        }


def driver_copy(into: int, out_of: int, nbytes: int, kind: int | None = None) -> None:
    """Copy on the default stream with the driver's cudaMemcpyAsync."""
    runtime = cupy.cuda.runtime
    runtime.memcpyAsync(into, out_of, nbytes, runtime.memcpyDeviceToDevice if kind is None else kind, 0)


def address(storage: Any) -> int:
    """Return the address of the first byte of a storage or a container."""
    span = storage.__accel_operand__().span
    return int(span.block.pointer + span.start)


def link(device: Device, nbytes: int, rounds: int) -> Mapping[str, Mapping[str, float]]:
    """Copies from and to pinned memory, against the driver's copies of the same memory."""
    runtime = cupy.cuda.runtime
    there, here = accel.zeros(nbytes, "uint8", device).storage, pinned(nbytes, "uint8", device)
    ways = {
        "host to device": (there, here, runtime.memcpyHostToDevice),
        "device to host": (here, there, runtime.memcpyDeviceToHost),
    }
    found = {}
    for name, (target, source, kind) in ways.items():
        raw = partial(driver_copy, address(target), address(source), nbytes, kind)
        times = device_medians({"raw": raw, "copy": partial(copy_elements, target, source)}, number=5, rounds=rounds)
        found[name] = {
            "raw, GB/s": nbytes / times["raw"] / 1e9,
            "ratio to raw": times["raw"] / times["copy"],
            "aim": 0.95,
        }
    return found


def pageable(device: Device, nbytes: int, rounds: int) -> Mapping[str, Mapping[str, float]]:
    """Copies from and to pageable memory, against CuPy's."""
    there, here = (accel.zeros(nbytes, "uint8", where).storage for where in (device, "cpu"))
    array, values = cupy.ndarray((nbytes,), "uint8"), np.ones(nbytes, "uint8")

    def cupy_set() -> None:
        array.set(values)
        cupy.cuda.Stream.null.synchronize()  # it may return when the driver has but read the values

    ways: Mapping[str, Rivals] = {
        "host to device": {"copy": partial(copy_elements, there, here), "cupy": cupy_set},
        "device to host": {"copy": partial(copy_elements, here, there), "cupy": partial(array.get, out=values)},
    }
    times = {name: medians(rivals, number=1, rounds=rounds) for name, rivals in ways.items()}
    return {
        name: {
            "copy, GB/s": nbytes / found["copy"],
            "times as fast as CuPy's set and get": found["cupy"] / found["copy"],
            "aim over CuPy": 1.0,
        }
        for name, found in times.items()
    }


def host_medians(rivals: Rivals, *, number: int, rounds: int) -> dict[str, float]:
    """Time the host's part of each function ``number`` times a round; return median microseconds a call.

    The device is idle when a turn begins, and is waited for after it. All calls of a turn must fit in its queue.
    """
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds + 1):  # the first compiles, and is not counted
        for name, function in rivals.items():
            times[name].append(timeit(function, number=number) / number * 1e6)
            cupy.cuda.Stream.null.synchronize()
    return {name: statistics.median(found[1:]) for name, found in times.items()}


def host_work(device: Device, number: int, rounds: int) -> Mapping[str, float]:
    """Microseconds of the host to submit a launch, a small copy and a small fill, without waiting for them."""
    a, b = (accel.zeros(256, "float32", device) for _ in range(2))
    ours, theirs = accel.RawKernel.from_source(LAUNCHED), cupy.RawKernel(LAUNCHED, "nothing")
    arrays = [cupy.ndarray((256,), "float32") for _ in range(2)]
    one, other = (LayoutTensor(accel.zeros(1 << 14, "float32", device), row_major(128, 128)) for _ in range(2))
    turned = other.transpose()
    return host_medians(
        {
            "RawKernel (aim: CuPy's)": lambda: ours(a, b, 0.0, grid=1, block=32),
            "rival: cupy.RawKernel": lambda: theirs((1,), (32,), (*arrays, np.float32(0))),
            "copy_from (aim 15)": lambda: one.copy_from(other),
            "copy_from, transposed (aim 15)": lambda: one.copy_from(turned),
            "fill (aim 15)": lambda: one.fill(3),
            "rival: memcpyAsync": partial(driver_copy, address(one), address(other), 1 << 16),
        },
        number=number,
        rounds=rounds,
    )


def fitting(device: Device, nbytes: int) -> int:
    """Return the largest power of two up to ``nbytes`` and an eighth of the memory: CuPy's copies need the rest."""
    most: int = min(nbytes, heap_of(device).backend.limits(device).memory // 8)
    return 1 << most.bit_length() - 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--quick", action="store_true", help="little memory and few rounds, for a look")
    given = parser.parse_args()
    device = resolve(given.device)
    with cupy.cuda.Device(device.index):
        report("gpu", measured(device, quick=given.quick))


def measured(device: Device, *, quick: bool) -> Mapping[str, object]:
    rounds, nbytes = 1 if quick else 15, fitting(device, 1 << 16 if quick else 1 << 29)
    copies = Copies(device, nbytes, rounds)
    copies.warm_up(0 if quick else WARMING)
    found = {name: copies.permuted(*case) for name, case in PERMUTED.items()}
    found |= {f"every other {row} bytes": copies.strided(row) for row in ROWS}
    return {
        "nbytes": nbytes,
        "copies": found,
        "pinned": link(device, nbytes, rounds),
        "pageable": pageable(device, nbytes // 4, rounds),
        "host work, us": host_work(device, 10 if quick else 200, rounds),
    }


if __name__ == "__main__":
    main()
