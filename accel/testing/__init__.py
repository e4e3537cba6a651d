"""For tests of code that uses accelerators, and of backends. Needs pytest, as in ``accel-container[test]``.

The pytest plug-in `accel.testing.plugin` loads this package in every run, so each name is fetched at its first use.
"""

from importlib import import_module

_HOMES = {
    "BackendConformance": "accel.testing.conformance",
    "StreamConformance": "accel.testing.stream_conformance",
    "fail_allocation": "accel.testing.faults",
    "fail_copy": "accel.testing.faults",
    "limit_memory": "accel.testing.faults",
    "no_leaks": "accel.testing.leaks",
}

__all__ = ["BackendConformance", "StreamConformance", "fail_allocation", "fail_copy", "limit_memory", "no_leaks"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'accel.testing' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found
