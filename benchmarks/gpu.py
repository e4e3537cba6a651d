"""Copies within a GPU against the driver's copy, CuPy and PyTorch.

python benchmarks/gpu.py [--device cuda] [--mib 512] [--quick] [--once]

Rates are measured by events on the device's default stream, which is kept busy: so they do not contain the work of the
host. A ratio of 1.0 is the driver's copy of as many bytes in the same rounds. The data is far larger than the caches.
"""

import argparse
import math
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from time import perf_counter
from typing import Any

import cupy
import numpy as np
from gpu_shapes import PROFILED, SHAPES, Shape, operands
from gpu_timing import address, at_least, device_medians, driver_copy, fitting, measured_in_time
from timing import report

import accel
from accel.copies import plan
from accel.device import Device, resolve
from accel.memory import heap_of

WARMING = 1.0
"""Seconds of copies before anything is measured, so that the GPU raises its clocks."""
WRONG = "WRONG"
_REPEATED = 1_000_003
"""The data is random bytes that repeat after this many: a prime, so that no row equals another."""


class Copies:
    """Two containers of one device, and copies between them."""

    def __init__(self, device: Device, nbytes: int) -> None:
        self.backend: Any = heap_of(device).backend
        self.source, self.target = (accel.empty(nbytes, "uint8", device) for _ in range(2))
        # These bytes are not NaN in any dtype.
        values = np.random.default_rng(0).integers(0, 64, min(_REPEATED, nbytes), np.uint8)
        _repeat(self.source, values)

    def warm_up(self, seconds: float) -> None:
        """Copy for some time, and wait."""
        end = perf_counter() + seconds
        while perf_counter() < end:
            driver_copy(address(self.target), address(self.source), self.source.nbytes)
            cupy.cuda.Stream.null.synchronize()

    def once(self, shape: Shape) -> None:
        """Copy once, for a profiler."""
        target, source = operands(shape, self.target.__accel_operand__(), self.source.__accel_operand__())
        self.backend.copy_strided(target, source, plan(target, source), stream=None)

    def measured(self, shape: Shape, torch: Any, rounds: int, number: int) -> Mapping[str, object]:
        """Return the rate of a copy, and its ratios to the driver's copy and to those of other libraries."""
        target, source = operands(shape, self.target.__accel_operand__(), self.source.__accel_operand__())
        copy = partial(self.backend.copy_strided, target, source, plan(target, source), stream=None)
        into, out_of = (self.backend.array(each, None) for each in (target, source))
        nbytes = math.prod(target.extents) * target.dtype.itemsize
        rivals: dict[str, Callable[[], object]] = {
            "memcpy": partial(driver_copy, address(self.target), address(self.source), nbytes),
            "accel": copy,
            "CuPy": partial(cupy.copyto, into, out_of),
        }
        if torch is not None:
            # What Tensor.contiguous() calls if it copies.
            rivals["PyTorch"] = partial(torch.from_dlpack(out_of).clone, memory_format=torch.contiguous_format)
        times = device_medians(rivals, number=number, rounds=rounds)
        return {**self._checked(copy, into, out_of), **compared(times, nbytes, shape.goal)}

    def _checked(self, copy: Callable[[], object], into: Any, out_of: Any) -> Mapping[str, str]:
        """Copy once more, and compare all bytes with those of CuPy's copy."""
        self.target.fill(255)
        copy()
        theirs = cupy.ascontiguousarray(out_of)
        right = cupy.array_equal(*(cupy.ndarray((each.nbytes,), "uint8", each.data) for each in (into, theirs)))
        return {} if right else {"result": WRONG}


def compared(times: Mapping[str, float], nbytes: int, goal: float) -> Mapping[str, object]:
    """Return the numbers of a copy, with their goals, given seconds."""
    result: dict[str, object] = {
        "GB/s read and written": 2 * nbytes / times["accel"] / 1e9,
        "of memcpy's": times["memcpy"] / times["accel"],
        "of CuPy's": times["CuPy"] / times["accel"],
    }
    if "PyTorch" in times:
        result["of PyTorch's"] = times["PyTorch"] / times["accel"]
    return {**result, "goals": {"of memcpy's": at_least(goal), "of CuPy's": at_least(1.0)}}


def _repeat(container: Any, values: np.ndarray) -> None:
    """Fill a container with repeated values: copy them from the host, then what is there as often as needed."""
    there, done = address(container), values.nbytes
    driver_copy(there, values.ctypes.data, done, cupy.cuda.runtime.memcpyHostToDevice)
    while done < container.nbytes:
        more = min(done, container.nbytes - done)
        driver_copy(there + done, there, more)
        done += more
    cupy.cuda.Stream.null.synchronize()


def pytorch() -> tuple[Any, str]:
    """Return PyTorch and its version; None and the reason if it cannot be imported or sees no device."""
    try:
        torch = import_module("torch")
    except Exception as error:  # missing libraries can cause any error
        return None, f"{type(error).__name__}: {error}"
    return (torch, torch.__version__) if torch.cuda.is_available() else (None, "it sees no device")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--mib", type=int, default=512, help="size of the data")
    parser.add_argument("--quick", action="store_true", help="little memory and few rounds, for a look")
    parser.add_argument("--once", action="store_true", help="do six of the copies once, for a profiler")
    given = parser.parse_args()
    device = resolve(given.device)
    with cupy.cuda.Device(device.index):
        copies = Copies(device, fitting(device, 1 << 16 if given.quick else given.mib << 20))
        if given.once:
            for name in PROFILED:
                copies.once(SHAPES[name])
            heap_of(device).synchronize()
            return 0
        times = measured(copies, quick=given.quick)
        report("gpu", times)
    return int(any(WRONG in each.values() for each in times.values() if isinstance(each, dict)))


def measured(copies: Copies, *, quick: bool) -> Mapping[str, object]:
    torch, version = pytorch()
    # Fewer calls of larger copies.
    number, rounds = (1, 1) if quick else (10, 11) if copies.source.nbytes < 1 << 30 else (2, 3)
    copies.warm_up(0 if quick else WARMING)
    times = measured_in_time(SHAPES, lambda shape: copies.measured(shape, torch, rounds, number))
    return {"nbytes": copies.source.nbytes, "PyTorch": version, **times}


if __name__ == "__main__":
    sys.exit(main())
