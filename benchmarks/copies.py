"""Copies on the host, against memcpy and NumPy: between layouts, of 1 KiB, and the first one of a process.

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

# Type, shape of the source, order of its axes in the target, and the aim with two threads.
CASES = {
    "4096^2 float32 transposed": ("float32", (4096, 4096), (1, 0), 1.25),
    "64^4 float32 (3, 2, 1, 0)": ("float32", (64,) * 4, (3, 2, 1, 0), 1.5),
    "64^4 float32 (2, 3, 0, 1)": ("float32", (64,) * 4, (2, 3, 0, 1), 1.5),
    "64^4 float32 (1, 0, 3, 2)": ("float32", (64,) * 4, (1, 0, 3, 2), 1.2),
    "uint8 transposed": ("uint8", (8192, 8192), (1, 0), 1.6),
    "int16 transposed": ("int16", (4096, 8192), (1, 0), 1.6),
    "float64 transposed": ("float64", (4096, 2048), (1, 0), 1.6),
    "complex128 transposed": ("complex128", (2048, 2048), (1, 0), 1.6),
    "4095 x 4097 float32 transposed": ("float32", (4095, 4097), (1, 0), None),
    "rows of 12 bytes exchanged": ("uint8", (2048, 2730, 12), (1, 0, 2), None),
    "images to channels first": ("uint8", (4096, 5461, 3), (2, 0, 1), None),
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
    """Milliseconds of memcpy, and the other times as multiples of it."""
    out_of = np.random.default_rng(0).integers(0, 256, NBYTES, np.uint8)
    into = np.asarray(accel.zeros(NBYTES, "uint8"))
    found = {}
    for name, (dtype, shape, axes, aim) in CASES.items():
        source = looked_at(out_of, dtype, shape).transpose(axes)
        target = looked_at(into, dtype, source.shape)
        ends = operand(into, target), operand(out_of, source)
        run = partial(heap_of(Device.CPU).backend.copy_strided, *ends, plan(*ends), stream=None)
        rivals = {
            "memcpy": partial(np.copyto, into[: target.nbytes], out_of[: target.nbytes]),
            "one thread": partial(with_threads, 1, run),
            "two threads": partial(with_threads, 2, run),
        }
        times = medians(rivals, number=1, rounds=rounds)
        bits = f"V{target.itemsize}"  # not all of them are equal to themselves as numbers
        assert np.array_equal(target.view(bits), source.view(bits))
        numpy = medians({"numpy": partial(np.copyto, target, source)}, number=1, rounds=2)
        found[name] = {"memcpy, ms": times["memcpy"] / 1e6, "aim, two threads": aim} | {
            f"{rival}, times memcpy": time / times["memcpy"] for rival, time in (times | numpy).items()
        }
    return found


def with_threads(threads: int, run: Callable[[], object]) -> None:
    with accel.using(threads=threads):
        run()


def small(number: int, rounds: int) -> Mapping[str, float]:
    """Microseconds of copies of 1 KiB."""
    one, other = (LayoutTensor(accel.zeros(256, "float32"), row_major(16, 16)) for _ in range(2))
    into, out_of = np.zeros((16, 16), np.float32), np.zeros((16, 16), np.float32)
    turned = other.transpose()
    found = medians(
        {
            "copy_from": lambda: one.copy_from(other),
            "rival: np.copyto": lambda: np.copyto(into, out_of),
            "copy_from, transposed": lambda: one.copy_from(turned),
            "rival: np.copyto, transposed": lambda: np.copyto(into, out_of.T),
        },
        number=number,
        rounds=rounds,
    )
    return {f"{name}, us": time / 1e3 for name, time in found.items()}


def first(rounds: int) -> Mapping[str, float]:
    """Seconds of the first transpose of 64 MiB in a process, with an empty cache of kernels and with a full one."""
    cold, warm = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            for times in (cold, warm):
                times.append(in_a_process(folder))
    return {"cold, s (aim 0.5)": float(np.median(cold)), "warm, s (aim 0.2)": float(np.median(warm))}


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
