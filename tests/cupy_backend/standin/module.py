"""The module ``cupy`` of the stand-in."""

from types import ModuleType

from .cuda import cuda_module, kernels
from .ndarray import array_type
from .runtime import Runtime


def modules(machine):
    """Return the entries of `sys.modules` that replace CuPy, for a machine."""
    runtime = Runtime(machine)
    cupy, cuda = ModuleType("cupy"), cuda_module(machine, runtime)
    cupy.cuda = cuda
    cupy.RawModule = kernels(machine)
    cupy.get_default_memory_pool = lambda: machine.pool
    cupy.ndarray = array_type(machine, cuda)
    made = {"cupy": cupy, "cupy.cuda": cuda}
    for name in ("runtime", "driver", "memory", "compiler", "device"):
        made[f"cupy.cuda.{name}"] = getattr(cuda, name)
    return made
