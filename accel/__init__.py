"""One owner of typed memory on host or accelerator, and the array standard on top of it.

Importing this module imports nothing else, not even NumPy: each name is fetched at its first use.
"""

import sys

from accel.support.lazy import LazyNames

if hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled():
    from accel.support.free_threading import warn_of_missing_gil

    warn_of_missing_gil()

__version__ = "0.1.0"

_LAZY = {
    "AcceleratorDataContainer": "accel.containers",
    "Buffer": "accel.views",
    "BufferView": "accel.views",
    "ComposedLayout": "accel.layout",
    "Device": "accel.device",
    "DeviceStorage": "accel.memory",
    "DynamicRankBuffer": "accel.views",
    "HostStorage": "accel.memory",
    "Layout": "accel.layout",
    "LayoutTensor": "accel.views",
    "NDBuffer": "accel.views",
    "Ownership": "accel.memory",
    "RawKernel": "accel.kernels",
    "Swizzle": "accel.layout",
    "abc": "accel.abc",
    "accumulator": "accel.kernels",
    "capture": "accel.memory",
    "config": "accel.config",
    "configure": "accel.config",
    "container": "accel.containers.creation",
    "copies": "accel.copies",
    "debug": "accel.config",
    "device": "accel.device",
    "dtypes": "accel.dtypes",
    "empty": "accel.containers.creation",
    "engines": "accel.engines",
    "errors": "accel.errors",
    "explain_copy": "accel.copies.explain",
    "from_dlpack": "accel.containers.creation",
    "from_numpy": "accel.containers.creation",
    "full": "accel.containers.creation",
    "func": "accel.kernels",
    "fuse": "accel.tracing",
    "grid": "accel.kernels",
    "interchange": "accel.interchange",
    "kernel": "accel.kernels",
    "kernels": "accel.kernels",
    "layout": "accel.layout",
    "memory": "accel.memory",
    "new_stream": "accel.memory",
    "stack_allocation": "accel.kernels",
    "store": "accel.store",
    "testing": "accel.testing",
    "tune": "accel.kernels",
    "using": "accel.config",
    "views": "accel.views",
    "xp": "accel.xp",
    "zeros": "accel.containers.creation",
}
"""Where each public name is defined: its module, or the submodule itself."""

__all__ = ["__version__"]
__all__ += list(_LAZY)

_names = LazyNames(__name__, _LAZY, __all__, "accel.xp.missing_names")
__getattr__, __dir__ = _names.fetch, _names.listed
