"""Copies between the host and a GPU: of pinned memory against the driver's, of pageable memory against CuPy's.

python benchmarks/gpu_link.py [--device cuda] [--quick]
"""

import argparse
from collections.abc import Mapping
from functools import partial

import cupy
import numpy as np
from gpu_timing import Rivals, address, at_least, device_medians, driver_copy, fitting, measured_in_time
from timing import medians, report

import accel
from accel.device import Device, resolve
from accel.memory import copy_elements, pinned

SIZES = (1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 29)


def of_pinned(device: Device, nbytes: int, rounds: int) -> Mapping[str, Mapping[str, object]]:
    """Copies from and to pinned memory, against the driver's copies of the same memory, by events."""
    runtime = cupy.cuda.runtime
    there, here = accel.zeros(nbytes, "uint8", device).storage, pinned(nbytes, "uint8", device)
    ways = {
        "pinned to device": (there, here, runtime.memcpyHostToDevice),
        "device to pinned": (here, there, runtime.memcpyDeviceToHost),
    }
    result = {}
    for name, (target, source, kind) in ways.items():
        raw = partial(driver_copy, address(target), address(source), nbytes, kind)
        times = device_medians({"raw": raw, "accel": partial(copy_elements, target, source)}, number=3, rounds=rounds)
        result[name] = {
            "GB/s of the driver": nbytes / times["raw"] / 1e9,
            "of the driver's": times["raw"] / times["accel"],
            "goals": {"of the driver's": at_least(0.95)} if nbytes >= 1 << 24 else {},
        }
    return result


def of_pageable(device: Device, nbytes: int, rounds: int) -> Mapping[str, Mapping[str, object]]:
    """Copies from and to pageable memory, against CuPy's, by the host's clock."""
    there, here = (accel.zeros(nbytes, "uint8", where).storage for where in (device, "cpu"))
    array, values = cupy.ndarray((nbytes,), "uint8"), np.ones(nbytes, "uint8")

    def cupy_set() -> None:
        array.set(values)
        cupy.cuda.Stream.null.synchronize()  # it may return when the driver has but read the values

    ways: Mapping[str, Rivals] = {
        "pageable to device": {"accel": partial(copy_elements, there, here), "CuPy": cupy_set},
        "device to pageable": {"accel": partial(copy_elements, here, there), "CuPy": partial(array.get, out=values)},
    }
    times = {name: medians(rivals, number=1, rounds=rounds) for name, rivals in ways.items()}
    return {
        name: {
            "GB/s": nbytes / result["accel"],
            "of CuPy's set and get": result["CuPy"] / result["accel"],
            "goals": {"of CuPy's set and get": at_least(1.0)},
        }
        for name, result in times.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--quick", action="store_true", help="little memory and few rounds, for a look")
    given = parser.parse_args()
    device = resolve(given.device)
    rounds, sizes = (1, SIZES[:2]) if given.quick else (9, SIZES)
    with cupy.cuda.Device(device.index):
        cases = {_named(size): fitting(device, size) for size in sizes}
        report("gpu link", measured_in_time(cases, lambda nbytes: _both(device, nbytes, rounds)))


def _both(device: Device, nbytes: int, rounds: int) -> Mapping[str, object]:
    return {**of_pinned(device, nbytes, rounds), **of_pageable(device, nbytes, rounds)}


def _named(nbytes: int) -> str:
    return f"{nbytes >> 20} MiB" if nbytes >> 20 else f"{nbytes >> 10} KiB"


if __name__ == "__main__":
    main()
