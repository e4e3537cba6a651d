"""From the code that numba-cuda has compiled to kernels of simulated devices; PTX and the like are refused."""

import re
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from cuda.bindings import driver as bindings
from numba.cuda.cudadrv import devices

from accel.device import Device
from accel.testing.cuda_limits import blocks_at_once
from accel.testing.numba_simulation.contexts import current_device, current_number
from accel.testing.numba_simulation.core import Attributes, LoadedKernel, ObjectCode
from accel.testing.numba_simulation.failures import DriverError, refuse, simulated
from accel.testing.numba_simulation.kernels import kernel_of
from accel.testing.numba_simulation.memory import set_pointer

__all__ = [
    "KernelCode",
    "Nvvm",
    "Paths",
    "assembly",
    "function_of",
    "library_file",
    "refused_assembly",
    "refused_output",
]

_IR_VERSION = 2, 0, 3, 2
_DECLARED = re.compile(r"^declare [^@]*@\"?([\w.$]+)\"?\(", re.MULTILINE)
_SET_COUNTERS = "NRT_MemSys_set"


class Nvvm:
    """Stands for `numba.cuda.cudadrv.nvvm.NVVM`, of which only the form of the IR is used."""

    data_layout = (
        "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-"
        "v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
    )

    def get_version(self) -> tuple[int, int]:
        """Return the version of the library."""
        return 2, 0

    def get_ir_version(self) -> tuple[int, int, int, int]:
        """Return the versions of the IR and of its debug metadata."""
        return _IR_VERSION

    def check_options(self, options: Any) -> bool:
        """Return False: no option is known."""
        return False


class _Path(NamedTuple):
    by: str
    info: str


class Paths(dict[str, _Path]):
    """Stands for `numba.cuda.cuda_paths.get_cuda_paths`: none of NVIDIA's libraries and headers is there."""

    def __missing__(self, name: str) -> _Path:
        return _Path("simulated", "")


def library_file(name: str, static: bool = False) -> str:
    """Return a file that stands for a library of NVIDIA: numba-cuda asks for its name, and whether it is there."""
    return __file__


class KernelCode(ObjectCode):
    """The code of a kernel of numba-cuda."""

    def __init__(self, kernel: Any, attributes: Attributes) -> None:
        super().__init__()
        self._kernel, self._attributes = kernel, attributes

    def get_kernel(self, name: str) -> LoadedKernel:
        """Return the kernel, or what tells it where the counters of numba-cuda's allocations are."""
        return LoadedKernel(_Counters(self) if name == _SET_COUNTERS else self._kernel, self._attributes)

    def variable(self, name: str, device: Device) -> Any:
        """Return the memory of a variable; None if there is none."""
        return self._kernel.compiled(device).variable(name)


class _Counters:
    """Stands for the kernel that sets a pointer in numba-cuda's runtime, which is linked with another kernel."""

    def __init__(self, code: KernelCode) -> None:
        self._code = code

    def launch(self, arguments: Any, grid: Any, block: Any, stream: Any, *further: Any) -> None:
        """Set the pointer; nothing has to be set where no runtime is linked."""
        pointer = self._code.variable("TheMSys", stream.device)
        if pointer is not None:
            set_pointer(pointer, int(getattr(arguments[0], "value", arguments[0])), stream)


_functions: "WeakKeyDictionary[Any, dict[int | None, Any]]" = WeakKeyDictionary()


def function_of(library: Any) -> Any:
    """Return the function of a kernel on the current device; stands for `CUDACodeLibrary.get_cufunc`.

    Raises
    ------
    RuntimeError
        If the library is that of a device function.
    """
    known = _functions.get(library, {}).get(current_number())
    if known is not None:
        return known
    if library._entry_name is None:
        raise RuntimeError("Missing entry_name - are you trying to get the cufunc for a device function?")
    context = devices.get_context()
    kernel = kernel_of(library)
    sizes = kernel.compiled(current_device())
    registers = library._max_registers or 0
    code = KernelCode(
        kernel, Attributes(registers, sizes.constant_size, sizes.local_size, sizes.shared_size, kernel.max_threads)
    )
    module = context.create_module_image(code, library._setup_functions, library._teardown_functions)
    functions = _functions.setdefault(library, {})
    return functions.setdefault(int(context.device.id), module.get_function(library._entry_name))


def assembly(library: Any, cc: Any = None) -> str:
    """Return the functions that a library declares, as numba-cuda looks for their names in its PTX.

    Raises
    ------
    CapabilityError
        If it is asked for a compute capability: that is to be shown to a user.
    """
    if cc is not None:
        refused_assembly()
    names = _DECLARED.findall("\n".join(library.llvm_strs))
    return "\n".join(f".extern .func {name} () ;" for name in names if not name.startswith("llvm."))


def refused_assembly(*arguments: Any, **keywords: Any) -> Any:
    """Refuse PTX."""
    raise refuse("PTX", "kernels are compiled for the processor; write inspect_llvm() for the code that numba made")


def refused_output(*arguments: Any, **keywords: Any) -> Any:
    """Refuse machine code of a GPU."""
    raise refuse("machine code of a GPU (SASS, cubin, LTO-IR)", "write inspect_llvm() for the code that numba made")


@simulated
def cuLibraryGetGlobal(handle: Any, name: Any) -> tuple[Any, int]:
    """Return where a variable of a module is, and its size."""
    code = next((each for each in _loaded() if int(each.handle) == int(handle)), None)
    if code is None:
        raise DriverError("ERROR_INVALID_HANDLE")
    variable = code.variable(name.decode() if isinstance(name, bytes) else name, current_device())
    if variable is None:
        raise DriverError("ERROR_NOT_FOUND")
    return bindings.CUdeviceptr(variable.pointer), variable.nbytes


def _loaded() -> list[Any]:
    context = devices.get_context()
    return [module.object_code for module in context.modules.values()]


@simulated
def cuLibraryUnload(handle: Any) -> None:
    """Do nothing: code lives as long as something refers to it."""


@simulated
def cuKernelSetCacheConfig(kernel: Any, config: Any, device: Any) -> None:
    """Do nothing: there is no such cache."""


@simulated
def cuKernelSetAttribute(attribute: Any, value: int, kernel: Any, device: Any) -> None:
    """Do nothing: there is nothing to prefer."""


@simulated
def cuOccupancyMaxActiveBlocksPerMultiprocessor(kernel: Any, threads: int, shared: int) -> int:
    """Return how many blocks of a kernel a multiprocessor runs at once."""
    return blocks_at_once(int(threads), int(shared))


@simulated
def cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(kernel: Any, threads: int, shared: int, flags: int) -> int:
    """Return how many blocks of a kernel a multiprocessor runs at once."""
    return blocks_at_once(int(threads), int(shared))
