# Written by ci/stubs. Do not edit.
from accel.testing.arrangement_strategy import Arrangement as Arrangement
from accel.testing.arrangement_strategy import arrangements as arrangements
from accel.testing.backend_service import use_backend as use_backend
from accel.testing.conformance import BackendConformance as BackendConformance
from accel.testing.covered_kernels import kernel_coverage as kernel_coverage
from accel.testing.cupy_simulation.context import cupy_on_sim as cupy_on_sim
from accel.testing.faults import fail_allocation as fail_allocation
from accel.testing.faults import fail_copy as fail_copy
from accel.testing.faults import limit_memory as limit_memory
from accel.testing.faults import lose_device as lose_device
from accel.testing.kernel_conformance import KernelConformance as KernelConformance
from accel.testing.layout_strategies import compact_layouts as compact_layouts
from accel.testing.layout_strategies import coordinates as coordinates
from accel.testing.layout_strategies import int_tuples as int_tuples
from accel.testing.layout_strategies import layouts as layouts
from accel.testing.layout_strategies import shapes as shapes
from accel.testing.layout_strategies import tilers as tilers
from accel.testing.leaks import no_leaks as no_leaks
from accel.testing.numba_simulation.context import numba_cuda_on_sim as numba_cuda_on_sim
from accel.testing.order_conformance import OrderConformance as OrderConformance
from accel.testing.races import no_races as no_races
from accel.testing.seeds import seeded as seeded
from accel.testing.stream_conformance import StreamConformance as StreamConformance

__all__ = [
    "Arrangement",
    "BackendConformance",
    "KernelConformance",
    "OrderConformance",
    "StreamConformance",
    "arrangements",
    "compact_layouts",
    "coordinates",
    "cupy_on_sim",
    "fail_allocation",
    "fail_copy",
    "int_tuples",
    "kernel_coverage",
    "layouts",
    "limit_memory",
    "lose_device",
    "no_leaks",
    "no_races",
    "numba_cuda_on_sim",
    "seeded",
    "shapes",
    "tilers",
    "use_backend",
]
