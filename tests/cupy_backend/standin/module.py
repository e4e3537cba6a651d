"""The module ``cupy`` of the stand-in."""

from .cuda import cuda_module, module, raw_module
from .namespace import creating
from .ndarray import array_type
from .runtime import Runtime


def modules(machine):
    """Return the entries of `sys.modules` that replace CuPy, for a machine."""
    cuda = cuda_module(machine, Runtime(machine))
    cupy = module("cupy", cuda=cuda, RawModule=raw_module(machine), get_default_memory_pool=lambda: machine.pool)
    cupy.ndarray = array_type(machine, cuda)
    vars(cupy).update(creating(cupy))
    submodules = cuda.runtime, cuda.driver, cuda.memory, cuda.compiler, cuda.device
    return {each.__name__: each for each in (cupy, cuda, *submodules)}
