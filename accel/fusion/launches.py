"""Compiled kernels, and how they are launched on the host."""

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import NamedTuple

from accel.abc.kernels import CompiledKernel, NeedsCompiler, PreparesCalls, SupportsKernels
from accel.device import Device
from accel.errors import CapabilityError
from accel.fusion.lowering import Kernel
from accel.fusion.nodes import Scalar
from accel.fusion.regions import Memory
from accel.fusion.templates import Template
from accel.memory import heap_of
from accel.support import log

__all__ = ["Compiled", "HostLaunch", "compiled", "host_launch", "launch_text", "missing_compiler"]

_compiled: dict[tuple[Template, Device], "Compiled"] = {}


class Compiled(NamedTuple):
    """A compiled kernel, and a faster way to launch it, if there is one."""

    kernel: CompiledKernel
    prepared: Callable[..., bool] | None


class HostLaunch(NamedTuple):
    """How a kernel is launched on the host.

    Attributes
    ----------
    launch : callable
        That of `PreparesCalls`, which takes arrays.
    accesses : list
        For each access the memory, the offset in bytes, and extents and strides.
    scalars : tuple of Scalar
        The numbers after these.
    integers : tuple of int
        The last arguments.
    """

    launch: Callable[..., bool]
    accesses: list[tuple[Memory, int, tuple[int, ...]]]
    scalars: tuple[Scalar, ...]
    integers: tuple[int, ...]


def compiled(kernel: Kernel, device: Device) -> Compiled:
    """Return the compiled form of a kernel; equal ones are compiled once.

    Raises
    ------
    CapabilityError
        If the device runs no kernels, or not this one.
    """
    key = kernel.template, device
    found = _compiled.get(key)
    if found is None:
        backend = heap_of(device).backend
        if not isinstance(backend, SupportsKernels):
            raise CapabilityError(f"{device} runs no kernels, so no function is fused there; write fallback='eager'")
        began = perf_counter()
        made = backend.compile_kernel(device, kernel.program)
        prepared = made.prepared(arrays=True) if isinstance(made, PreparesCalls) else None
        found = _compiled[key] = Compiled(made, prepared)
        seconds = perf_counter() - began
        log.info("the fused loops %s were compiled for %s in %.3f s", kernel.program.name, device, seconds)
    return found


def missing_compiler(device: Device) -> str | None:
    """Return the command that installs the compiler of a device; None if it is there, or none is needed."""
    backend = heap_of(device).backend
    return backend.missing_compiler(device) if isinstance(backend, NeedsCompiler) else None


def host_launch(kernel: Kernel, launch: Callable[..., bool]) -> HostLaunch:
    """Return how a kernel is launched on the host."""
    accesses = [
        (each.memory, each.offset * each.memory.dtype.itemsize, (*each.extents, *each.strides))
        for each in kernel.accesses
    ]
    return HostLaunch(launch, accesses, kernel.scalars, kernel.integers)


def launch_text(
    kernel: HostLaunch,
    natives: Mapping[Memory, str],
    scalars: Mapping[Scalar, str],
    name: str,
    number: Callable[[int], str],
) -> str:
    """Write the statement that launches a kernel, where ``threads`` is defined.

    Parameters
    ----------
    kernel : HostLaunch
        The kernel.
    natives, scalars : mapping
        The names of arrays and numbers.
    name : str
        That of the function that launches it.
    number : callable
        Writes an integer.
    """
    _, accesses, used, integers = kernel
    arguments = []
    for memory, offset, geometry in accesses:
        arguments += [natives[memory], *map(number, (offset, *geometry))]
    given = ", ".join([*arguments, *[scalars[each] for each in used], *map(number, integers)])
    # The first may be refused because the kernel takes long: then other threads of Python run meanwhile.
    return f"if not {name}(True, threads, {given}): {name}(False, threads, {given})"
