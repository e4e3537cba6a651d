"""Containers: the cost to import, make, release, view and copy them, and to make a million of them.

python benchmarks/containers.py [--quick]
"""

import argparse
import gc
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from timing import medians, process_medians, report

import accel
from accel.memory import snapshot

CONTAINER = "import accel; accel.zeros(3).release()"


def imports(rounds: int) -> Mapping[str, float]:
    """Milliseconds of the import, more than Python's own start, and more than NumPy's import."""
    times = process_medians(
        {
            "python": "pass",
            "accel": "import accel",
            "numpy": "import numpy",
            "container": f"import numpy; {CONTAINER}",
            "sim": "import numpy; import accel; accel.zeros(3, device='sim')",
            "xp": "import numpy; import accel.xp as xp; xp.ones(3)",
            "rival array_api_compat": "import numpy; import array_api_compat.numpy",
        },
        rounds=rounds,
    )
    return {
        "import accel, ms over python (aim 20)": times["accel"] - times["python"],
        "first container, ms over import numpy (aim 60)": times["container"] - times["numpy"],
        "first container on sim, ms over import numpy (aim 60)": times["sim"] - times["numpy"],
        "first array, ms over import numpy": times["xp"] - times["numpy"],
        "import array_api_compat.numpy, ms over import numpy": times["rival array_api_compat"] - times["numpy"],
    }


def handles(number: int) -> Mapping[str, float]:
    """Microseconds to make and release a container, and to make one that views NumPy memory."""
    array = np.arange(1000.0)
    kept: list[object] = []
    pool = accel.memory.heap_of(accel.Device.CPU).backend._pool

    def cold() -> None:
        pool.trim()
        kept.append([accel.empty(1000) for _ in range(100)])
        kept.clear()

    times = medians(
        {
            "from the pool": lambda: accel.empty(1000).release(),
            "dropped": lambda: accel.empty(1000),
            "by the class": lambda: accel.AcceleratorDataContainer(1000),
            "numpy.empty": lambda: np.empty(1000),
            "from_numpy": lambda: accel.from_numpy(array),
        },
        number=number,
    )
    times |= medians({"cold": cold}, number=max(number // 100, 1))
    return {
        "make and release 1,000 elements, us (aim 3)": times["from the pool"] / 1e3,
        "make and drop, us": times["dropped"] / 1e3,
        "make by the class and drop, us": times["by the class"] / 1e3,
        "make a hundred after clearing the pool and drop them, us each (aim 5)": times["cold"] / 1e5,
        "numpy.empty, us": times["numpy.empty"] / 1e3,
        "from_numpy, us (aim 2)": times["from_numpy"] / 1e3,
    }


def copies(rounds: int) -> Mapping[str, float]:
    """The speed of a deep copy of 256 MiB, as a ratio to `numpy.copyto` into newly allocated memory."""
    c = accel.full(1 << 25, 1.0)
    array, warm = np.asarray(c), np.empty(1 << 25)

    def fresh() -> None:
        np.copyto(np.empty(1 << 25), array)

    times = medians(
        {
            "to": lambda: c.to("cpu", copy=True).release(),
            "numpy fresh": fresh,
            "numpy warm": lambda: np.copyto(warm, array),
        },
        number=1,
        rounds=rounds,
    )
    return {
        "to('cpu', copy=True), speed over numpy.copyto into fresh memory (aim 0.9)": times["numpy fresh"] / times["to"],
        "the same over numpy.copyto into memory in use": times["numpy warm"] / times["to"],
        "GB/s": 2 * array.nbytes / times["to"],
    }


def soak(count: int) -> Mapping[str, float]:
    """Make and drop many containers; no memory may leak."""
    for _ in range(1000):
        accel.empty(1000)
    gc.collect()
    live, resident = snapshot(), _resident()
    for _ in range(count):
        accel.empty(1000)
    return {
        "containers": count,
        "live bytes more than before": snapshot().live_bytes - live.live_bytes,
        "resident KiB more than before": _resident() - resident,
    }


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few rounds only")
    quick = parser.parse_args().quick
    report(
        "containers",
        {
            "import": imports(3 if quick else 25),
            "handles": handles(1000 if quick else 20_000),
            "copies": copies(3 if quick else 15),
            "soak": soak(10_000 if quick else 1_000_000),
        },
    )
