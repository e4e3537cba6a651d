"""The host's time of a launch, a copy within a GPU and an allocation, beside the same by CuPy.

python benchmarks/host_path.py [--device cuda] [--quick]

What the device does is not measured. Run it on a GPU, or on the fake CUDA driver, whose calls cost nearly nothing:

FAKE_NOEXEC=1 .venv/real-cupy/python benchmarks/host_path.py

The numbers with 4 to 4,000 operations in flight are those of `gpu_in_flight.py`.
"""

import argparse
from collections.abc import Mapping

import cupy
import numpy as np
from fused_calls import calls as fused_calls
from timing import medians, report

import accel
from accel.device import Device, resolve
from accel.layout import row_major
from accel.views import LayoutTensor

_KERNEL = 'extern "C" __global__ void nothing(const float* a, float* b, long long n) {}'
_VIEW = 'extern "C" __global__ void nothing(accel::View<const float, 2> a, float* b, long long n) {}'
_GOALS = {"launch": 1.5, "empty and release": 2.0, "fused: one loop": 3.0}
"""Microseconds that an operation may cost more than CuPy's."""
_MOST = {"copy_from by memcpy": 6.0, "copy_from by kernel": 6.0}
"""Microseconds that an operation may cost."""


def measured(device: Device, *, quick: bool) -> Mapping[str, float]:
    """Return the median of each operation in microseconds."""
    a, b = (accel.zeros(1024, "float32", device) for _ in range(2))
    one, other = (LayoutTensor(each, row_major(32, 32)) for each in (a, b))
    turned, name = other.transpose(), str(device)
    x, y = (cupy.empty((32, 32), "float32") for _ in range(2))
    launch, viewed = accel.RawKernel.from_source(_KERNEL), accel.RawKernel.from_source(_VIEW)
    theirs, count = cupy.RawKernel(_KERNEL, "nothing"), np.int64(1000)
    rivals = {
        "launch": lambda: launch(a, b, 1000, over=1000),
        "rival: cupy.RawKernel": lambda: theirs((4,), (256,), (x, y, count)),
        "launch with a view": lambda: viewed(one, b, 1000, over=1000),
        "launch on a stream that is named": lambda: launch(a, b, 1000, over=1000, stream=stream),
        "copy_from by memcpy": lambda: a.copy_from(b),
        "rival: cupy.copyto by memcpy": lambda: cupy.copyto(x, y),
        "copy_from by kernel": lambda: one.copy_from(turned),
        "rival: cupy.copyto by kernel": lambda: cupy.copyto(x, y.T),
        "fill": lambda: a.fill(0),
        "empty and release": lambda: accel.empty(1000, "float32", device).release(),
        "rival: cupy.empty": lambda: cupy.empty(1000, "float32"),
        "empty and release, device as text": lambda: accel.empty(1000, "float32", name).release(),
        **{f"fused: {name}": call for name, call in fused_calls(device).items()},
        "empty and release on the CPU": lambda: accel.empty(1000, "float32").release(),
    }
    stream = accel.new_stream(device)
    times = medians(rivals, number=20 if quick else 500, rounds=3 if quick else 15)
    return {each: nanoseconds / 1e3 for each, nanoseconds in times.items()}


def goals(result: Mapping[str, float]) -> Mapping[str, str]:
    """Return, for each goal, whether it is met, and by how much it is missed."""
    rivals = dict.fromkeys(_GOALS, "rival: cupy.RawKernel") | {"empty and release": "rival: cupy.empty"}
    most = _MOST | {name: result[rivals[name]] + more for name, more in _GOALS.items()}
    over = {name: result[name] - limit for name, limit in most.items()}
    return {name: "met" if by <= 0 else f"missed by {by:.2f} us of {most[name]:.2f}" for name, by in over.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--quick", action="store_true", help="few repetitions, for a look")
    given = parser.parse_args()
    times = measured(resolve(given.device), quick=given.quick)
    report("host path", {"microseconds": times, "goals": goals(times)})


if __name__ == "__main__":
    main()
