"""Kernels that are written in Python on a GPU, against the same loops in CUDA by CuPy, its sum, and the driver's copy.

python benchmarks/gpu_kernels.py [--device cuda] [--quick]

Rates are measured by events, as those of `gpu.py`. The host's time of a launch is measured by `gpu_in_flight.py`.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import cupy
import numpy as np
from gpu_timing import address, at_least, device_medians, driver_copy, fitting, measured_in_time
from kernel_loops import kernels
from timing import report

import accel
from accel import LayoutTensor
from accel.device import Device, resolve
from accel.layout import row_major
from accel.memory import heap_of

WARMING = 1.0
"""Seconds of kernels before anything is measured, so that the GPU raises its clocks."""
WRONG = "WRONG"
BLOCK = 256
CUDA = """
#define PLACE (blockIdx.x * (long long) blockDim.x + threadIdx.x)

extern "C" __global__ void scale(float* v, float factor, long long size) {
    if (PLACE < size) v[PLACE] *= factor;
}

extern "C" __global__ void saxpy(float* y, const float* x, float a, long long size) {
    if (PLACE < size) y[PLACE] = a * x[PLACE] + y[PLACE];
}

extern "C" __global__ void stencil(float* out, const float* x, long long edge) {
    const long long row = PLACE / edge, column = PLACE % edge;
    if (0 < row && row < edge - 1 && 0 < column && column < edge - 1)
        out[PLACE] = 0.2f * (x[PLACE] + x[PLACE - edge] + x[PLACE + edge] + x[PLACE - 1] + x[PLACE + 1]);
}
"""


class Case(NamedTuple):
    """A loop by accel and by CuPy.

    Attributes
    ----------
    accel, cupy : callable
        Run it.
    moved : float
        How many bytes it reads and writes, as a multiple of what a copy of one array does.
    result : AcceleratorDataContainer
        What it writes.
    expected : callable
        Returns this, given the elements of both arrays.
    """

    accel: Callable[[], object]
    cupy: Callable[[], object]
    moved: float
    result: Any
    expected: Callable[[np.ndarray], Any]


class Loops:
    """Two square arrays of one device, whose elements are equal small integers, and the loops on them."""

    def __init__(self, device: Device, edge: int) -> None:
        self.edge, self.size = edge, edge * edge
        self.values = np.random.default_rng(0).integers(0, 64, self.size).astype(np.float32)
        self.x, self.y = (accel.container(self.values, device=device) for _ in range(2))
        self.total = accel.zeros(1, "float32", device)
        backend: Any = heap_of(device).backend
        self._arrays = [backend.array(each.__accel_operand__(), None) for each in (self.x, self.y)]

    def cases(self) -> Mapping[str, Case]:
        """Return the loops by their names."""
        ours, x, y, total = kernels(), self.x[:], self.y[:], self.total[:]
        out, source = (LayoutTensor(each, row_major(self.edge, self.edge)) for each in (self.y, self.x))
        one, other = self._arrays
        scale = self._cuda("scale", one, np.float32(-1), np.int64(self.size))
        saxpy = self._cuda("saxpy", other, one, np.float32(1), np.int64(self.size))
        stencil = self._cuda("stencil", other, one, np.int64(self.edge))
        return {
            "scale": Case(lambda: ours.scale(x, -1.0), scale, 1, self.x, np.negative),
            "saxpy": Case(lambda: ours.saxpy(y, x, 1.0), saxpy, 1.5, self.y, lambda values: values + values),
            "sum": Case(lambda: ours.total_into(total, x), lambda: cupy.sum(one), 0.5, self.total, _sum),
            "stencil": Case(lambda: ours.stencil(out, source), stencil, 1, self.y, self._stencil),
        }

    def measured(self, case: Case, rounds: int, number: int) -> Mapping[str, object]:
        """Return the rate of a loop, and its ratios to that of CuPy and to the driver's copy of as many bytes."""
        copy = partial(driver_copy, address(self.y), address(self.x), self.x.nbytes)
        rivals = {"memcpy": copy, "accel": case.accel, "CuPy": case.cupy}
        times = device_medians(rivals, number=number, rounds=rounds)
        return {
            **self._checked(case),
            "GB/s read and written": 2 * case.moved * self.x.nbytes / times["accel"] / 1e9,
            "of memcpy's": case.moved * times["memcpy"] / times["accel"],
            "of CuPy's": times["CuPy"] / times["accel"],
            "goals": {"of memcpy's": at_least(0.9), "of CuPy's": at_least(0.95)},
        }

    def _checked(self, case: Case) -> Mapping[str, str]:
        """Run a loop once more, and compare what it writes with what NumPy computes."""
        for each in (self.x, self.y):
            each.copy_from(accel.container(self.values))
        case.accel()
        right = np.allclose(case.result.to_numpy(), case.expected(self.values), rtol=1e-6, atol=0)
        return {} if right else {"result": WRONG}

    def _stencil(self, values: np.ndarray) -> np.ndarray:
        x, result = values.reshape(self.edge, self.edge), values.copy()
        sides = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
        result.reshape(x.shape)[1:-1, 1:-1] = np.float32(0.2) * (x[1:-1, 1:-1] + sides)
        return result

    def _cuda(self, name: str, *arguments: Any) -> Callable[[], object]:
        kernel, blocks = cupy.RawKernel(CUDA, name), -(-self.size // BLOCK)
        return lambda: kernel((blocks,), (BLOCK,), arguments)


def _sum(values: np.ndarray) -> float:
    return float(values.sum(dtype=np.float64))


def warm_up(case: Case, seconds: float) -> None:
    """Run a loop for some time, and wait."""
    end = perf_counter() + seconds
    while perf_counter() < end:
        case.accel()
        cupy.cuda.Stream.null.synchronize()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--quick", action="store_true", help="little memory and few rounds, for a look")
    given = parser.parse_args()
    device = resolve(given.device)
    number, rounds = (1, 1) if given.quick else (10, 11)
    with cupy.cuda.Device(device.index):
        edge = 64 if given.quick else int((fitting(device, 1 << 28) // 4) ** 0.5)
        loops = Loops(device, edge)
        cases = loops.cases()
        warm_up(cases["scale"], 0 if given.quick else WARMING)
        times = measured_in_time(cases, lambda case: loops.measured(case, rounds, number))
        report("gpu kernels", {"nbytes": loops.x.nbytes, **times})
    return int(any(WRONG in each.values() for each in times.values() if isinstance(each, dict)))


if __name__ == "__main__":
    sys.exit(main())
