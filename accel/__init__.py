"""One owner of typed memory on host or accelerator, and the array standard on top of it.

Importing this module imports nothing else, not even NumPy: each name is fetched at its first use.
"""

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
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
    "configure": "accel.config",
    "container": "accel.creation",
    "debug": "accel.config",
    "empty": "accel.creation",
    "explain_copy": "accel.copies.explain",
    "from_dlpack": "accel.creation",
    "from_numpy": "accel.creation",
    "full": "accel.creation",
    "new_stream": "accel.memory",
    "using": "accel.config",
    "zeros": "accel.creation",
}
_ROOMS = {
    "abc",
    "config",
    "copies",
    "device",
    "dtypes",
    "errors",
    "interchange",
    "kernels",
    "layout",
    "memory",
    "store",
    "testing",
    "views",
    "xp",
}

__all__ = [
    "AcceleratorDataContainer",
    "Buffer",
    "BufferView",
    "ComposedLayout",
    "Device",
    "DeviceStorage",
    "DynamicRankBuffer",
    "HostStorage",
    "Layout",
    "LayoutTensor",
    "NDBuffer",
    "Ownership",
    "RawKernel",
    "Swizzle",
    "__version__",
    "abc",
    "config",
    "configure",
    "container",
    "copies",
    "debug",
    "device",
    "dtypes",
    "empty",
    "errors",
    "explain_copy",
    "from_dlpack",
    "from_numpy",
    "full",
    "interchange",
    "kernels",
    "layout",
    "memory",
    "new_stream",
    "store",
    "testing",
    "using",
    "views",
    "xp",
    "zeros",
]


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return import_module(f"accel.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'accel' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
