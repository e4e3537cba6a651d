"""The host's time of each kind of call on a GPU, beside CuPy's for the same.

python benchmarks/host_path.py [--device cuda] [--quick] [--only TEXT]

What the device does is not measured. Run it on a GPU, or on the fake CUDA driver, whose calls cost nearly nothing:

FAKE_NOEXEC=1 .venv/real-cupy/python benchmarks/host_path.py

Each row is the least of many short batches, ours and CuPy's by turns. The goal of each is CuPy's time and 1.5 us more.
The driver has room for all the work of a batch. The numbers with 4 to 4,000 operations in flight are those of
`gpu_in_flight.py`.
"""

import argparse
from collections.abc import Callable, Mapping

import cupy
from fused_calls import calls as fused_calls
from gpu_timing import at_most, measured_in_time
from host_path_rows import ROWS, Pair
from timing import leasts, report

import accel
from accel.device import Device, resolve

_MORE = at_most(1.5)
"""Microseconds that a call may cost more than CuPy's."""
_FUSED = at_most(3.0)
"""The same for the call of a fused function of one loop, beside the launch of a kernel."""


def measured(device: Device, *, quick: bool, only: str = "") -> Mapping[str, object]:
    """Return CuPy's and our microseconds for each row whose name contains a text."""
    rows = {name: pair for subject in ROWS for name, pair in subject(device).items() if only in name}
    return measured_in_time(rows, lambda pair: _compared(pair, quick=quick))


def _compared(pair: Pair, *, quick: bool) -> Mapping[str, object]:
    number, rounds = (pair.number // 10 or 1, 5) if quick else (pair.number, 60)
    theirs, ours = _leasts({"CuPy": pair.cupy, "accel": pair.accel}, number, rounds).values()
    return {"CuPy, us": theirs, "accel, us": ours, "more, us": round(ours - theirs, 2), "goals": {"more, us": _MORE}}


def _leasts(rivals: Mapping[str, Callable[[], object]], number: int, rounds: int) -> dict[str, float]:
    """Return the least microseconds of a call; the device has done the work of one batch before the next begins."""
    times = leasts(rivals, number=number, rounds=rounds, between=cupy.cuda.runtime.deviceSynchronize)
    return {name: round(nanoseconds / 1e3, 2) for name, nanoseconds in times.items()}


def fused(device: Device, *, quick: bool) -> Mapping[str, object]:
    """Return the microseconds of calls of fused functions, and of a launch by CuPy."""
    kernel = cupy.RawKernel('extern "C" __global__ void nothing(const double* a, double* b, long long n) {}', "nothing")
    x, y = cupy.empty(1000), cupy.empty(1000)
    rivals: dict[str, Callable[[], object]] = {"CuPy: a launch": lambda: kernel((4,), (256,), (x, y, 1000))}
    times = _leasts(rivals | dict(fused_calls(device)), 200, 5 if quick else 30)
    more = round(times["one loop"] - times["CuPy: a launch"], 2)
    return {**times, "one loop, more": more, "goals": {"one loop, more": _FUSED}}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--quick", action="store_true", help="few repetitions, for a look")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name contains a text")
    args = parser.parse_args()
    device = resolve(args.device)
    with cupy.cuda.Device(device.index), accel.using(device=device):
        result: dict[str, object] = {**measured(device, quick=args.quick, only=args.only)}
        if args.only in "fused":
            result["fused functions, us"] = fused(device, quick=args.quick)
        report("host path", result)


if __name__ == "__main__":
    main()
