"""The host's time of a launch, a copy and an allocation, with 4 to 4,000 of them in flight, against CuPy's.

python benchmarks/gpu_in_flight.py [--device cuda] [--quick]

The streams wait for the host while operations are submitted, so that none of these is done before the last one is
submitted.
"""

import argparse
import operator
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from threading import Event
from typing import Any, NamedTuple

import cupy
import numpy as np
from gpu_timing import Goal, at_most, measured_in_time
from kernel_loops import kernels
from timing import report

import accel
from accel.abc.stream import current_stream
from accel.device import Device, resolve
from accel.layout import row_major
from accel.views import LayoutTensor

COUNTS = {4: 50, 40: 25, 400: 9, 4000: 5}
"""How many are in flight, and how often that is measured."""
QUICK = {4: 1, 40: 1}
_A_STREAM = 500
"""How many operations a stream is given: after about 1,000, submitting waits until the driver has room for more."""
_PATIENCE = 5.0
"""Seconds after which the streams go on, should submitting wait for the device."""
_ENOUGH = 2.0
"""Seconds after which one measured round is enough."""
LAUNCHED = """
extern "C" __global__ void nothing(const float* a, float* b, float factor) {
    if (factor != 0) b[threadIdx.x] += factor * a[threadIdx.x];
}
"""


class Rivals(NamedTuple):
    """The same operation by accel and by CuPy, and a goal for the difference or for accel alone, in microseconds."""

    accel: Callable[[], object]
    cupy: Callable[[], object]
    more: Goal | None = None
    most: Goal | None = None


def operations(device: Device) -> Mapping[str, Rivals]:
    """Return the operations; what they return stays alive until all of a round are submitted."""
    a, b = (accel.zeros(256, "float32", device) for _ in range(2))
    ours, theirs = accel.RawKernel.from_source(LAUNCHED), cupy.RawKernel(LAUNCHED, "nothing")
    scale, view = kernels().scale, a[:16]
    arrays = [cupy.ndarray((256,), "float32") for _ in range(2)]
    one, other = (LayoutTensor(accel.zeros(1 << 14, "float32", device), row_major(128, 128)) for _ in range(2))
    turned = other.transpose()
    into, out_of = (cupy.ndarray((128, 128), "float32") for _ in range(2))
    their_turned = cupy.ndarray((128, 128), "float32", out_of.data, (4, 512))

    def page_locked() -> Any:
        return accel.AcceleratorDataContainer.on(accel.memory.pinned(256, "float32", device))

    pinned, theirs_pinned = page_locked(), np.frombuffer(cupy.cuda.alloc_pinned_memory(1024), "float32", 256)
    return {
        "launch": Rivals(
            lambda: ours(a, b, 0.0, grid=1, block=32),
            lambda: theirs((1,), (32,), (*arrays, np.float32(0))),
            more=at_most(1.5),
        ),
        "launch of a kernel in Python": Rivals(
            lambda: scale(view, 1.0),
            lambda: theirs((1,), (32,), (*arrays, np.float32(0))),
            more=at_most(3),
        ),
        "copy_from by memcpy": Rivals(
            lambda: one.copy_from(other),
            lambda: cupy.copyto(into, out_of),
            most=at_most(6),
        ),
        "copy_from by kernel": Rivals(
            lambda: one.copy_from(turned),
            lambda: cupy.copyto(into, their_turned),
            most=at_most(6),
        ),
        "empty and release": Rivals(
            lambda: accel.empty(256, "float32", device),
            lambda: cupy.ndarray((256,), "float32"),
            more=at_most(2),
        ),
        "copy_from_async from pinned memory": Rivals(
            lambda: a.copy_from_async(pinned, stream=current_stream(device)),
            lambda: arrays[0].set(theirs_pinned, cupy.cuda.get_current_stream()),
        ),
        "copy_from_async to pinned memory": Rivals(
            lambda: pinned.copy_from_async(a, stream=current_stream(device)),
            lambda: arrays[0].get(cupy.cuda.get_current_stream(), out=theirs_pinned, blocking=False),
        ),
        "copy_from_async from a new pinned buffer": Rivals(
            lambda: a.copy_from_async(page_locked(), stream=current_stream(device)),
            lambda: arrays[0].set(theirs_pinned, cupy.cuda.get_current_stream()),
        ),
        "fill": Rivals(lambda: one.fill(3), lambda: operator.setitem(into, ..., 3)),
    }


class Bench:
    """Streams of accel and of CuPy on one device, and the time to submit operations to them."""

    def __init__(self, device: Device, most: int) -> None:
        number = -(-most // _A_STREAM)
        ours: list[Any] = [accel.new_stream(device) for _ in range(number)]
        theirs = [cupy.cuda.Stream(non_blocking=True) for _ in range(number)]
        # Each stream: the context in which it is current, and CuPy's object.
        self._streams = {
            "accel": [(stream, stream.native) for stream in ours],
            "cupy": [(stream, stream) for stream in theirs],
        }
        self.held = True

    def measured(self, rivals: Rivals, count: int, rounds: int) -> tuple[float, float]:
        """Return the median microseconds of an operation by accel and by CuPy, which take turns."""
        times: dict[str, list[float]] = {"accel": [], "cupy": []}
        end = time.perf_counter() + _ENOUGH
        for number in range(rounds + 1):  # the first compiles, and is not counted
            if number > 1 and time.perf_counter() > end:
                break
            for name, result in times.items():
                result.append(self._submitted(getattr(rivals, name), self._streams[name], count) / count * 1e6)
        return statistics.median(times["accel"][1:]), statistics.median(times["cupy"][1:])

    def _submitted(self, operation: Callable[[], object], streams: Sequence[Any], count: int) -> float:
        """Return the seconds to submit operations, and to drop what they returned."""
        used = streams[: -(-count // _A_STREAM)]
        kept: list[object] = []
        with self._held([native for _, native in used]):
            began = time.thread_time()  # or what else the machine does would count: a round takes many milliseconds
            for current, _ in used:
                with current:
                    kept += [operation() for _ in range(count // len(used))]
            kept.clear()
            seconds = time.thread_time() - began
        for _, native in used:
            native.synchronize()
        return seconds

    @contextmanager
    def _held(self, natives: Sequence[Any]) -> Iterator[None]:
        """Let streams wait until the end of the block, if the driver can let them wait for the host."""
        gate = Event()
        with ExitStack() as stack:
            stack.callback(gate.set)
            try:
                for native in natives:
                    native.launch_host_func(partial(_wait, gate, threading.get_ident()), None)
            except (AttributeError, cupy.cuda.runtime.CUDARuntimeError):
                self.held = False
            end = time.perf_counter() + 0.01  # the driver's thread takes the interpreter's lock to begin its wait
            while time.perf_counter() < end:
                pass  # sleeping would let the processor's caches and clocks cool down
            yield


def _wait(gate: Event, submitter: int, _: object) -> None:
    if threading.get_ident() != submitter:  # a driver that does all work at once calls this in the same thread
        gate.wait(_PATIENCE)


def compared(bench: Bench, rivals: Rivals, counts: Mapping[int, int]) -> Mapping[str, object]:
    """Return microseconds for each number in flight, and how much more the most cost than a tenth of them."""
    result: dict[str, object] = {}
    of_accel = []
    for count, rounds in counts.items():
        ours, theirs = bench.measured(rivals, count, rounds)
        of_accel.append(ours)
        goals = {"more, us": rivals.more, "accel, us": rivals.most}
        result[f"{count} in flight"] = {
            "accel, us": ours,
            "CuPy, us": theirs,
            "more, us": ours - theirs,
            "goals": goals,
        }
    growth = {"as much": of_accel[-1] / of_accel[-2], "goals": {"as much": at_most(1.5)}}
    return {**result, f"{max(counts)} against a tenth of them, each": growth}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--quick", action="store_true", help="few operations and rounds, for a look")
    given = parser.parse_args()
    device, counts = resolve(given.device), QUICK if given.quick else COUNTS
    with cupy.cuda.Device(device.index), accel.using(device=device):
        bench = Bench(device, max(counts))
        times = measured_in_time(operations(device), lambda rivals: compared(bench, rivals, counts))
        report("gpu in flight", {"the streams waited for the host": str(bench.held), **times})


if __name__ == "__main__":
    main()
