"""What the benchmarks of GPUs share: rates of the device by events, plain copies of the driver, and goals."""

import statistics
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import cupy

from accel.device import Device
from accel.memory import heap_of

Case = TypeVar("Case")
Rivals = Mapping[str, Callable[[], object]]
Goal = Mapping[str, float]


def measured_in_time(cases: Mapping[str, Case], measure: Callable[[Case], object]) -> dict[str, object]:
    """Measure each case; when ``ci/gpu`` interrupts because the time is over, return what was measured so far."""
    result: dict[str, object] = {}
    with suppress(KeyboardInterrupt):
        for name, case in cases.items():
            result[name] = measure(case)
    return result


def at_least(bound: float) -> Goal:
    """Return a goal for a number that should be large."""
    return {"at least": bound}


def at_most(bound: float) -> Goal:
    """Return a goal for a number that should be small."""
    return {"at most": bound}


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
    return {name: statistics.median(result[1:]) for name, result in times.items()}


def driver_copy(into: int, out_of: int, nbytes: int, kind: int | None = None) -> None:
    """Copy on the default stream with the driver's cudaMemcpyAsync."""
    runtime = cupy.cuda.runtime
    runtime.memcpyAsync(into, out_of, nbytes, runtime.memcpyDeviceToDevice if kind is None else kind, 0)


def address(storage: Any) -> int:
    """Return the address of the first byte of a storage or a container."""
    span = storage.__accel_operand__().span
    return int(span.block.pointer + span.start)


def fitting(device: Device, nbytes: int) -> int:
    """Return the largest power of two up to ``nbytes`` and an eighth of the memory: CuPy's copies need the rest."""
    most: int = min(nbytes, heap_of(device).backend.limits(device).memory // 8)
    return 1 << most.bit_length() - 1
