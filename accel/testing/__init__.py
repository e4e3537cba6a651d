"""Helpers for tests of backends and of code that uses accelerators. Needs pytest: ``accel-container[test]``.

Pytest imports this package in every run (`accel.testing.plugin`), so each name is imported at its first use.
"""

from accel.support.lazy import LazyNames

_LAZY = {
    "Arrangement": "accel.testing.arrangement_strategy",
    "BackendConformance": "accel.testing.conformance",
    "KernelConformance": "accel.testing.kernel_conformance",
    "OrderConformance": "accel.testing.order_conformance",
    "StreamConformance": "accel.testing.stream_conformance",
    "arrangements": "accel.testing.arrangement_strategy",
    "compact_layouts": "accel.testing.layout_strategies",
    "coordinates": "accel.testing.layout_strategies",
    "cupy_on_sim": "accel.testing.cupy_simulation.context",
    "fail_allocation": "accel.testing.faults",
    "fail_copy": "accel.testing.faults",
    "int_tuples": "accel.testing.layout_strategies",
    "kernel_coverage": "accel.testing.covered_kernels",
    "layouts": "accel.testing.layout_strategies",
    "limit_memory": "accel.testing.faults",
    "lose_device": "accel.testing.faults",
    "no_leaks": "accel.testing.leaks",
    "no_races": "accel.testing.races",
    "numba_cuda_on_sim": "accel.testing.numba_simulation.context",
    "seeded": "accel.testing.seeds",
    "shapes": "accel.testing.layout_strategies",
    "tilers": "accel.testing.layout_strategies",
    "use_backend": "accel.testing.backend_service",
}

__all__ = list(_LAZY)

_names = LazyNames(__name__, _LAZY, __all__)
__getattr__, __dir__ = _names.fetch, _names.listed
