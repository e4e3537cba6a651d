"""Copies of rows with a pitch between the host and a GPU, by the width of a row: accel against the driver's memcpy2D.

python benchmarks/gpu_pitched.py [--device cuda] [--quick]

On the host the rows are as far apart as two of them are long; on the device they are contiguous. The numbers tell from
which width on the driver's own copy of rows is the faster way.
"""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import cupy
from gpu_timing import at_least, measured_in_time
from timing import medians, report

import accel
from accel.abc import Operand
from accel.copies import plan
from accel.device import Device, resolve
from accel.memory import heap_of, pinned

WIDTHS = (4, 12, 16, 32, 64, 128, 256, 1 << 10, 1 << 12, 1 << 16)
NBYTES = 1 << 24
QUICK = 1 << 17


def rows(storage: Any, count: int, width: int, pitch: int) -> Operand:
    """Return the rows in a storage."""
    operand: Operand = storage.__accel_operand__()
    return operand._replace(extents=(count, width), strides=(pitch, 1))


def both_ways(device: Device, there: Any, here: Any, width: int, nbytes: int, rounds: int) -> Mapping[str, object]:
    """Return the rates of rows of a width, from and to the device."""
    count, backend = nbytes // width, heap_of(device).backend
    ends = rows(there, count, width, width), rows(here, count, width, 2 * width)
    kinds = cupy.cuda.runtime.memcpyHostToDevice, cupy.cuda.runtime.memcpyDeviceToHost
    result = {}
    for name, (target, source), kind in zip(("to device", "from device"), (ends, ends[::-1]), kinds, strict=True):
        copy = partial(backend.copy_strided, target, source, plan(target, source), stream=None)
        times = medians(
            {
                "accel": partial(waited_for, copy),
                "memcpy2D": partial(waited_for, partial(memcpy_2d, target, source, width, count, kind)),
            },
            number=1,
            rounds=rounds,
        )
        result[name] = {
            "GB/s": nbytes / times["accel"],
            "of memcpy2D": times["memcpy2D"] / times["accel"],
            "goals": {"of memcpy2D": at_least(0.9)},
        }
    return result


def memcpy_2d(target: Operand, source: Operand, width: int, count: int, kind: int) -> None:
    into, out_of = (end.span.block.pointer + end.span.start for end in (target, source))
    pitches = target.strides[0], source.strides[0]
    cupy.cuda.runtime.memcpy2DAsync(into, pitches[0], out_of, pitches[1], width, count, kind, 0)


def waited_for(copy: Callable[[], object]) -> None:
    copy()
    cupy.cuda.Stream.null.synchronize()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--quick", action="store_true", help="little memory and few rounds, for a look")
    given = parser.parse_args()
    device = resolve(given.device)
    with cupy.cuda.Device(device.index):
        report("gpu pitched", measured(device, QUICK if given.quick else NBYTES, 1 if given.quick else 5))


def measured(device: Device, nbytes: int, rounds: int) -> Mapping[str, object]:
    there = accel.zeros(nbytes, "uint8", device).storage
    kinds = {"pinned": pinned(2 * nbytes, "uint8", device), "pageable": accel.zeros(2 * nbytes, "uint8", "cpu").storage}

    def of_width(width: int) -> Mapping[str, object]:
        return {kind: both_ways(device, there, here, width, nbytes, rounds) for kind, here in kinds.items()}

    return measured_in_time({f"rows of {width} bytes": width for width in WIDTHS}, of_width)


if __name__ == "__main__":
    main()
