"""Interchange: the cost to export memory to NumPy and import it again, to import other libraries' memory, to pickle.

python benchmarks/interchange.py [--quick]
"""

import argparse
import gc
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
from timing import medians, report

import accel
from accel import xp
from accel.memory import snapshot


class Foreign:
    """An array of another library: it only supports the DLPack protocol."""

    def __init__(self, array: Any) -> None:
        self.__dlpack__ = array.__dlpack__
        self.__dlpack_device__ = array.__dlpack_device__


def exchanges(number: int, rounds: int) -> Mapping[str, float]:
    """Microseconds of DLPack with 1,000 elements, and of NumPy's own round trip in the same run."""
    array, c, x = np.arange(1000.0), accel.zeros(1000), xp.ones(1000)
    foreign = Foreign(array)
    times = medians(
        {
            "container to NumPy and back (aim 2.5)": lambda: accel.from_dlpack(np.from_dlpack(c)),
            "array to NumPy and back (aim 2.5)": lambda: xp.from_dlpack(np.from_dlpack(x)),
            "rival: NumPy to NumPy and back": lambda: np.from_dlpack(np.from_dlpack(array)),
            "container to NumPy": lambda: np.from_dlpack(c),
            "array to NumPy": lambda: np.from_dlpack(x),
            "NumPy to container": lambda: accel.from_dlpack(array),
            "NumPy to array": lambda: xp.from_dlpack(array),
            "make a container, and lend it for the first time": lambda: np.from_dlpack(accel.empty(1000)),
            "make an array, and lend it for the first time": lambda: np.from_dlpack(xp.empty(1000)),
            "another library to container": lambda: accel.from_dlpack(foreign),
            "another library to array": lambda: xp.from_dlpack(foreign),
            "rival: another library to NumPy": lambda: np.from_dlpack(foreign),
            "numpy.asarray(container)": lambda: np.asarray(c),
        },
        number=number,
        rounds=rounds,
    )
    return {f"{name}, us": time / 1e3 for name, time in times.items()}


def pickles(rounds: int) -> Mapping[str, float]:
    """Milliseconds to pickle and load 64 MiB, with the elements in the pickle and out of band."""
    c = accel.full(1 << 23, 1.0)
    array = c.to_numpy()

    def apart(x: object) -> object:
        buffers: list[pickle.PickleBuffer] = []
        return pickle.loads(pickle.dumps(x, 5, buffer_callback=buffers.append), buffers=buffers)

    times = medians(
        {
            "container": lambda: pickle.loads(pickle.dumps(c, 5)),
            "rival: NumPy": lambda: pickle.loads(pickle.dumps(array, 5)),
            "container, elements apart": lambda: apart(c),
            "one copy": c.deep_copy,
        },
        number=1,
        rounds=rounds,
    )
    return {f"{name}, ms": time / 1e6 for name, time in times.items()}


def soak(count: int) -> Mapping[str, float]:
    """Make capsules that nobody consumes; no memory may leak."""
    gc.collect()
    before = snapshot()
    for _ in range(count):
        accel.empty(1000).__dlpack__(max_version=(1, 0))
    return {
        "capsules never taken": count,
        "live bytes more than before": snapshot().live_bytes - before.live_bytes,
        "blocks only pinned": sum(usage.kept_blocks for usage in snapshot().devices),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few rounds only")
    quick = parser.parse_args().quick
    report(
        "interchange",
        {
            "dlpack": exchanges(*((500, 5) if quick else (5000, 25))),
            "pickle": pickles(3 if quick else 15),
            "soak": soak(10_000 if quick else 100_000),
        },
    )
