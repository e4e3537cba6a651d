"""What is replaced in numba-cuda, cuda.core and cuda.bindings while a block runs, and put back at its end."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import cuda.core
from cuda.bindings import driver as bindings
from numba import cuda as cuda_package
from numba.cuda import codegen, dispatcher, lowering
from numba.cuda._internal import cuda_fp16
from numba.cuda.cudadrv import devicearray, devices, driver, libs, nvrtc, nvvm, runtime
from numba.cuda.memory_management import nrt

from accel.interchange.export import with_cuda_interface
from accel.support.call_sites import add_library
from accel.testing.numba_simulation import arguments, code, contexts, core, cuda_text, exchange, memory, streams
from accel.testing.numba_simulation.failures import functions, process, refused_function
from accel.testing.numba_simulation.lines import first_lines, with_lines

__all__ = ["Simulation", "refuse_real_driver"]

_VERSION = 13, 0
_CAPABILITIES = [(7, 5), (8, 0), (8, 6), (8, 7), (8, 9), (9, 0)]

_NOTHING = object()


class _Patch(NamedTuple):
    where: Any
    name: str
    value: Any

    def apply(self) -> Callable[[], None]:
        """Replace an attribute, and return what puts the earlier one back."""
        earlier = vars(self.where).get(self.name, _NOTHING)
        setattr(self.where, self.name, self.value)
        if earlier is _NOTHING:
            return lambda: delattr(self.where, self.name)
        return lambda: setattr(self.where, self.name, earlier)


class Simulation:
    """The simulated driver behind numba-cuda. It lives as long as the process: arrays and kernels may outlive blocks.

    Each change is made while the lock of the blocks is held.
    """

    def __init__(self) -> None:
        self._driver: dict[str, Any] = {"devices": type(driver.driver.devices)()}
        add_library(f"{Path(cuda_package.__file__).parent}{os.sep}")
        self._patches = [*self._of_bindings(), *self._of_core(), *self._of_numba()]
        self._undo = ExitStack()

    def install(self, devices: int | None) -> None:
        """Put a simulated driver with so many devices in the place of the real one."""
        process.number = os.getpid()
        # Without the functions of an earlier block, which would not ask whether there is a device in this one.
        self._driver = {
            "devices": self._driver["devices"],
            "is_initialized": False,
            "initialization_error": None,
            "pid": process.number,
        }
        contexts.forget_devices(devices)
        undo = ExitStack()
        with undo:
            if not hasattr(driver, "_logger"):
                driver._logger = driver.make_logger()
            for patch in self._patches:
                undo.callback(patch.apply())
            undo.callback(_exchange(vars(driver.driver), self._driver))
            undo.callback(_forget_devices)
            _forget_devices()
            with_cuda_interface.add("sim")
            undo.callback(with_cuda_interface.discard, "sim")
            self._undo = undo.pop_all()
        process.in_block = True

    def remove(self) -> None:
        """Run what is left, release what numba-cuda has kept to release later, and put back what was there."""
        process.in_block = False
        arguments.taken_arrays()  # of a launch that failed
        with self._undo:
            for number, device in self._driver["devices"].items():
                if number < len(contexts.devices()) and device.primary_context is not None:
                    streams.settle_device(contexts.device_of(number))
                    device.primary_context.deallocations.clear()
                    device.primary_context.memory_manager.deallocations.clear()

    @staticmethod
    def _of_bindings() -> Iterator[_Patch]:
        for name, value in [*vars(bindings).items()]:
            if name.startswith("cu") and callable(value) and not isinstance(value, type):
                yield _Patch(bindings, name, functions.get(name) or refused_function(name))
        yield _Patch(bindings, "CUstream", streams.StreamHandle)

    @staticmethod
    def _of_core() -> Iterator[_Patch]:
        ours = {
            name: getattr(core, name) for name in ("Device", "Event", "LaunchConfig", "ObjectCode", "Stream", "launch")
        }
        ours |= {"Linker": cuda_text.Linker, "Program": cuda_text.Program}
        for name, value in ours.items():
            yield _Patch(cuda.core, name, value)
        yield _Patch(driver, "ExperimentalDevice", core.Device)
        yield _Patch(driver, "ExperimentalStream", core.Stream)
        yield _Patch(driver, "ObjectCode", core.ObjectCode)
        yield _Patch(driver, "Linker", ours["Linker"])
        yield _Patch(driver, "LinkerOptions", SimpleNamespace)
        yield _Patch(nvrtc, "Program", ours["Program"])
        yield _Patch(dispatcher, "launch", core.launch)
        yield _Patch(dispatcher, "LaunchConfig", core.LaunchConfig)
        yield _Patch(nrt, "launch", core.launch)
        yield _Patch(nrt, "LaunchConfig", core.LaunchConfig)

    def _of_numba(self) -> Iterator[_Patch]:
        library = codegen.CUDACodeLibrary
        yield _Patch(library, "get_cufunc", code.function_of)
        yield _Patch(library, "get_asm_str", code.assembly)
        yield _Patch(library, "get_asm_strs", code.refused_assembly)
        for name in ("get_cubin", "get_ltoir", "get_lto_ptx"):
            yield _Patch(library, name, code.refused_output)
        yield _Patch(dispatcher, "wrap_arg", arguments.wrap_arg)
        yield _Patch(dispatcher, "compile_cuda", with_lines(dispatcher.compile_cuda))
        yield _Patch(lowering, "get_func_def_lineno", first_lines(lowering.get_func_def_lineno))
        yield _Patch(cuda_fp16, "_have_nvjitlink", lambda: True)  # it warns that functions are not inlined without it
        yield _Patch(nvvm, "NVVM", code.Nvvm)
        yield _Patch(nvvm, "is_available", lambda: True)
        for name in ("CompilationUnit", "LibDevice", "compile_ir"):
            yield _Patch(nvvm, name, code.refused_assembly)
        yield _Patch(nvrtc, "get_supported_ccs", lambda: [*_CAPABILITIES])
        yield _Patch(nvrtc, "_get_nvrtc_version", lambda: _VERSION)
        yield _Patch(runtime, "_get_nvrtc_version", lambda: _VERSION)
        for module in (libs, nvrtc):
            yield _Patch(module, "get_cuda_paths", code.Paths)
        yield _Patch(libs, "get_cudalib", code.library_file)
        yield _Patch(devicearray, "_to_strided_memory_view", arguments.view)
        yield _Patch(devicearray, "_make_strided_memory_view", arguments.host_view)
        yield _Patch(devicearray.DeviceNDArrayBase, "__dlpack__", exchange.dlpack)
        yield _Patch(devicearray.DeviceNDArrayBase, "__dlpack_device__", exchange.dlpack_device)
        yield from self._of_finalizers()

    def _of_finalizers(self) -> Iterator[_Patch]:
        """Yield what lets memory, streams and events outlive the block: their ends must not reach another driver."""
        ends: dict[str, Callable[..., object]] = {
            "_alloc_finalizer": lambda manager, pointer, key, *_: _forget(manager, key, memory.free, pointer),
            "_hostalloc_finalizer": lambda manager, pointer, key, *_: _forget(manager, key, memory.free_host, pointer),
            "_pin_finalizer": lambda manager, pointer, key, *_: _forget(manager, key, memory.unregister, pointer),
            "_event_finalizer": lambda deallocations, handle: functions["cuEventDestroy"](handle),
            "_stream_finalizer": lambda deallocations, handle: functions["cuStreamDestroy"](handle),
            "_module_finalizer": lambda context, object_code: None,
        }
        for name, end in ends.items():
            yield _Patch(driver, name, self._outliving(vars(driver)[name], end))

    def _outliving(self, make: Callable[..., Any], end: Callable[..., object]) -> Callable[..., Any]:
        @wraps(make)
        def make_finalizer(*arguments: Any) -> Callable[..., None]:
            finalizer = make(*arguments)

            def finalize(*further: Any) -> None:
                if process.in_block:
                    finalizer(*further)
                else:
                    end(*arguments)

            return finalize

        return make_finalizer


def _forget(manager: Any, key: Any, release: Callable[[int], None], pointer: Any) -> None:
    manager.allocations.pop(key, None)
    release(int(pointer))


def _exchange(attributes: dict[str, Any], others: dict[str, Any]) -> Callable[[], None]:
    """Replace all attributes of an object, and return what exchanges them again."""
    earlier = dict(attributes)
    attributes.clear()
    attributes.update(others)

    def again() -> None:
        others.clear()
        others.update(attributes)
        attributes.clear()
        attributes.update(earlier)

    return again


def _forget_devices() -> None:
    """Let numba-cuda ask its driver for the devices again."""
    devices._DeviceList.lst.fget.cache_clear()


def refuse_real_driver() -> None:
    """Refuse to replace a driver that is in use.

    Raises
    ------
    RuntimeError
        If numba-cuda has used a GPU in this process.
    """
    real = driver.driver
    if real.pid is not None or real.devices:
        raise RuntimeError(
            "numba.cuda has already used a GPU in this process, whose arrays and kernels a simulated device cannot "
            "take: enter numba_cuda_on_sim() before the first use of numba.cuda, or start a process of its own with "
            "python -m accel.numba_cuda"
        )
