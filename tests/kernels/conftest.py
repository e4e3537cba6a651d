"""Kernels without a front end and a compiler: what is passed to the backend is seen, and Python does the work."""

from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

from accel import Device
from accel.ir import INDEX, Const, Local, Loop, Number, Once, Program, Threads, View
from accel.kernels.frontend.lowering import Lowered
from accel.kernels.frontend.types import BufferType, names_of
from accel.memory import heap_of
from accel.memory.host_arrays import bytes_at

_KERNEL = import_module("accel.kernels.python_kernel")


class FakeKernels:
    """What the front end and the backend of a test do.

    Set `body` to what a kernel does with its arrays and numbers, `written` to the names of the parameters that it
    writes, `explicit` for an explicit grid, `results` to the dtypes of what `body` returns.
    """

    def __init__(self):
        self.body = lambda *_: None
        self.written = set()
        self.captured = ()
        self.results = ()
        self.explicit = False
        self.lowered = []
        self.compiled = []
        self.launches = []

    def lower(self, source, kinds, debug, finds_nan=False, marked=False):
        self.lowered.append((dict(kinds), debug))
        pairs = [pair for name, kind in kinds.items() for pair in names_of(name, kind)]
        results = tuple([Local(f"result{i}", np.dtype(dtype)) for i, dtype in enumerate(self.results)])
        captured = tuple([(source, name, source.resolve(name)) for name in self.captured])
        parameters = tuple([self._parameter(*pair) for pair in pairs])
        program = Program(source.name, parameters, (), (self._step(),), results, results, debug=debug)
        return Lowered(program, len(results) == 1, captured)

    def _step(self):
        if self.explicit:
            return Threads(())
        if self.results:
            return Once(())
        bounds = [(Const(bound, INDEX),) for bound in (0, 1, 1)]
        return Loop((Local("i", INDEX),), *bounds, ())

    def _parameter(self, name, kind):
        writable = name in self.written
        if isinstance(kind, BufferType):
            return View(name, kind.dtype, kind.rank, writable)
        return View(name, kind.dtype, 0, writable) if hasattr(kind, "layout") else Number(name, kind.dtype)

    def compile_kernel(self, device, program):
        self.compiled.append((device, program))
        return SimpleNamespace(launch=lambda arguments, **how: self._launch(program, [*arguments], how))

    def kernel_source(self, program, language):
        return f"{language} {program.name}"

    def _launch(self, program, arguments, how):
        self.launches.append(SimpleNamespace(arguments=tuple(arguments), **how))
        returned = self.body(*[_value(parameter, arguments) for parameter in program.parameters])
        results = tuple([result.dtype.type(each) for result, each in zip(program.results, returned or (), strict=True)])
        return (lambda: results) if results else None


def _value(parameter, arguments):
    first = arguments.pop(0) if isinstance(parameter, Number) else None
    if first is not None:
        return first
    if not parameter.rank:
        return arguments.pop(0)
    address, *extents = [arguments.pop(0) for _ in range(1 + parameter.rank)]
    strides = [arguments.pop(0) * parameter.dtype.itemsize for _ in range(parameter.rank)]
    low = sum((extent - 1) * stride for extent, stride in zip(extents, strides, strict=True) if stride < 0)
    high = sum((extent - 1) * stride for extent, stride in zip(extents, strides, strict=True) if stride > 0)
    held = bytes_at(address + low, high - low + parameter.dtype.itemsize) if 0 not in extents else np.empty(8, "u1")
    return np.ndarray(extents, parameter.dtype, held, -low, strides)


@pytest.fixture
def fake(monkeypatch):
    result = FakeKernels()
    backend = heap_of(Device.CPU).backend
    monkeypatch.setattr(_KERNEL, "lower", result.lower)
    monkeypatch.setattr(backend, "compile_kernel", result.compile_kernel, raising=False)
    monkeypatch.setattr(backend, "kernel_source", result.kernel_source, raising=False)
    limits = backend.limits(Device.CPU)._replace(grid=(1 << 31, 1 << 16, 1 << 16))
    monkeypatch.setattr(backend, "limits", lambda _: limits)
    return result
