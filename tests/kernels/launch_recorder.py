"""Launches of kernels on the host, recorded with their memory, so that other layers can do them too."""

from contextlib import contextmanager
from importlib import import_module
from types import SimpleNamespace

import pytest

from accel import Device
from accel.kernels.python_kernel import Kernel, Launch
from accel.memory import heap_of

from .layers import case_of

__all__ = ["recording"]

_KERNEL = import_module("accel.kernels.python_kernel")
_CPU = SimpleNamespace(heap=heap_of(Device.CPU))


@contextmanager
def recording():
    """Yield a list that gets a pair for each launch: in release mode, and in debug mode."""
    launched, launch = [], Kernel._launch

    def record(kernel, arguments, named, how):
        bound = kernel._bound(arguments, named)[1]
        if bound.device in {None, Device.CPU}:
            pair = [_case(kernel._lowered(bound, (debug, False)).program, bound.leaves, how) for debug in (False, True)]
            launched.append(tuple(pair))
        return launch(kernel, arguments, named, how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "_launch", record)
        patch.setattr(Kernel, "__call__", lambda kernel, *given, **named: kernel._launch(given, named, Launch()))
        yield launched


def _case(program, leaves, how):
    geometry = _KERNEL._geometry(SimpleNamespace(program=program, heap=heap_of(Device.CPU)), how[1:])
    return case_of(program, leaves, geometry.grid, geometry.block)
