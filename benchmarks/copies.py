"""Copies on the host, against memcpy and NumPy: of the shapes people have, of 1 KiB, and the first of a process.

python benchmarks/copies.py [--quick]
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from timing import medians, report

import accel
from accel.abc import ExternalAllocation, Operand, Span
from accel.copies import plan
from accel.device import Device
from accel.layout import row_major
from accel.memory import heap_of
from accel.views import LayoutTensor

NBYTES = 1 << 26

# Type, shape of the source, and the order of its axes in the target: what people copy, each of about 64 MiB.
SHAPES = {
    "matrix, float32": ("float32", (4096, 4096), (1, 0)),
    "matrix of odd sizes, float32": ("float32", (4095, 4097), (1, 0)),
    "matrix, uint8": ("uint8", (8192, 8192), (1, 0)),
    "matrix, int16": ("int16", (4096, 8192), (1, 0)),
    "matrix of odd sizes, int16": ("int16", (4095, 8191), (1, 0)),
    "matrix, float64": ("float64", (4096, 2048), (1, 0)),
    "matrix, complex128": ("complex128", (2048, 2048), (1, 0)),
    "photo to planes, uint8": ("uint8", (4096, 5461, 3), (2, 0, 1)),
    "planes to photo, uint8": ("uint8", (3, 4096, 5461), (1, 2, 0)),
    "RGBA to planes, uint8": ("uint8", (4096, 4096, 4), (2, 0, 1)),
    "images to channels first, float32": ("float32", (111, 224, 224, 3), (0, 3, 1, 2)),
    "images to channels last, float32": ("float32", (111, 3, 224, 224), (0, 2, 3, 1)),
    "video to channels first, float16": ("float16", (4, 55, 224, 224, 3), (0, 4, 1, 2, 3)),
    "features to channels last, float32": ("float32", (64, 64, 64, 64), (0, 2, 3, 1)),
    "attention heads, float16": ("float16", (8, 1024, 64, 64), (0, 2, 1, 3)),
    "attention keys, float16": ("float16", (8, 1024, 64, 64), (0, 2, 3, 1)),
    "complex64 to planes": ("float32", (1 << 23, 2), (1, 0)),
    "planes to complex64": ("float32", (2, 1 << 23), (1, 0)),
    "5 columns, float64": ("float64", (1677721, 5), (1, 0)),
    "31 rows, int16": ("int16", (31, 1082401), (1, 0)),
    "matrices of 12 x 20, float32": ("float32", (69905, 12, 20), (0, 2, 1)),
    "4-D reversed, float32": ("float32", (64,) * 4, (3, 2, 1, 0)),
    "4-D reversed, odd sizes, float32": ("float32", (61, 63, 65, 67), (3, 2, 1, 0)),
    "rows of 12 bytes": ("uint8", (2048, 2730, 12), (1, 0, 2)),
    "6-D, float32": ("float32", (16,) * 6, (5, 3, 1, 0, 2, 4)),
    "4-D reversed, odd sizes, float64": ("float64", (53,) * 4, (3, 2, 1, 0)),
    "photo to planes, float32": ("float32", (2048, 2730, 3), (2, 0, 1)),
    "planes to photo, float32": ("float32", (3, 2048, 2730), (1, 2, 0)),
    "planes to RGBA, uint8": ("uint8", (4, 4096, 4096), (1, 2, 0)),
    "long rows of odd sizes, uint8": ("uint8", (1000, 65537), (1, 0)),
}

FIRST = """
from time import perf_counter
import numpy as np
import accel
from accel.layout import row_major
from accel.views import LayoutTensor

target, source = (LayoutTensor(accel.full(1 << 24, 1.0, "float32"), row_major(4096, 4096)) for _ in range(2))
began = perf_counter()
target.copy_from(source.transpose())
print(perf_counter() - began)
"""


def operand(data: np.ndarray, array: np.ndarray) -> Operand:
    """Return an operand with an array's dtype, shape and strides, over the first bytes of a buffer."""
    block = heap_of(Device.CPU).backend.adopt(ExternalAllocation(data.nbytes, native=data))
    return Operand(Span(block, 0, data.nbytes), 0, array.dtype, array.shape, array.strides)


def looked_at(data: np.ndarray, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    return data[: math.prod(shape) * np.dtype(dtype).itemsize].view(dtype).reshape(shape)


def copies(rounds: int) -> Mapping[str, object]:
    """Milliseconds of the better of one and two threads' memcpy, and the copies as multiples of it and of NumPy's."""
    out_of = np.random.default_rng(0).integers(0, 256, NBYTES, np.uint8)
    into = np.asarray(accel.zeros(NBYTES, "uint8"))
    return {name: copied(into, out_of, *shape, rounds) for name, shape in SHAPES.items()}


def copied(
    into: np.ndarray, out_of: np.ndarray, dtype: str, shape: tuple[int, ...], axes: tuple[int, ...], rounds: int
) -> Mapping[str, float]:
    """Time the copy of an array with its axes in another order, between the first bytes of two buffers."""
    source = looked_at(out_of, dtype, shape).transpose(axes)
    target = looked_at(into, dtype, source.shape)
    run = submitted(into, target, out_of, source)
    memcpy = submitted(into, into[: target.nbytes], out_of, out_of[: target.nbytes])
    rivals = {
        "memcpy, one thread": partial(with_threads, 1, memcpy),
        "memcpy, two threads": partial(with_threads, 2, memcpy),
        "one thread": partial(with_threads, 1, run),
        "two threads": partial(with_threads, 2, run),
    }
    times = medians(rivals, number=1, rounds=rounds)
    better = min(times["memcpy, one thread"], times["memcpy, two threads"])
    numpy = medians({"numpy": partial(np.copyto, target, source)}, number=1, rounds=2)["numpy"]
    run()
    bits = f"V{target.itemsize}"  # not all of them are equal to themselves as numbers
    assert np.array_equal(target.view(bits), source.view(bits))
    return {
        "memcpy, ms": round(better / 1e6, 2),
        "times memcpy (aim 1.3)": round(times["two threads"] / better, 2),
        "one thread, times one thread's memcpy": round(times["one thread"] / times["memcpy, one thread"], 2),
        "times NumPy (aim 1)": round(times["two threads"] / numpy, 3),
    }


def submitted(into: np.ndarray, target: np.ndarray, out_of: np.ndarray, source: np.ndarray) -> Callable[[], object]:
    """Return a function that copies by the backend, as planned once."""
    ends = operand(into, target), operand(out_of, source)
    return partial(heap_of(Device.CPU).backend.copy_strided, *ends, plan(*ends), stream=None)


def with_threads(threads: int, run: Callable[[], object]) -> None:
    with accel.using(threads=threads):
        run()


def small(number: int, rounds: int) -> Mapping[str, float]:
    """Microseconds of copies of 1 KiB."""
    one, other = (LayoutTensor(accel.zeros(256, "float32"), row_major(16, 16)) for _ in range(2))
    into, out_of = np.zeros((16, 16), np.float32), np.zeros((16, 16), np.float32)
    turned = other.transpose()
    times = medians(
        {
            "copy_from": lambda: one.copy_from(other),
            "rival: np.copyto": lambda: np.copyto(into, out_of),
            "copy_from, transposed": lambda: one.copy_from(turned),
            "rival: np.copyto, transposed": lambda: np.copyto(into, out_of.T),
        },
        number=number,
        rounds=rounds,
    )
    return {f"{name}, us": time / 1e3 for name, time in times.items()}


def first(rounds: int) -> Mapping[str, float]:
    """Seconds of the first transpose of 64 MiB in a process, with an empty cache of kernels and with a full one."""
    cold, warm = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            for times in (cold, warm):
                times.append(in_a_process(folder))
    return {"cold, s (aim 0.3)": float(np.median(cold)), "warm, s (aim 0.15)": float(np.median(warm))}


def in_a_process(folder: str) -> float:
    environment = {**os.environ, "ACCEL_CACHE_DIR": folder}
    done = subprocess.run([sys.executable, "-c", FIRST], env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds, for a look")
    quick = parser.parse_args().quick
    report(
        "copy",
        {
            "64 MiB": copies(3 if quick else 15),
            "1 KiB": small(100 if quick else 2000, 5 if quick else 25),
            "first use": first(1 if quick else 5),
        },
    )


if __name__ == "__main__":
    main()
